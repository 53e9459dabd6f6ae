/* SPDX-License-Identifier: Apache-2.0 */
/* Lines to vectors: each line is read, encoded with those around it, and written as a record or as floats. */
#include "embed/embed_lines.h"

#include <stdlib.h>
#include <string.h>

#include "embed/embed.h"
#include "token/token.h"

enum {
	BATCH_LINES = 256,
	BATCH_BYTES = 4 << 20,
};

/* A line of the batch; strings live in its arena. */
struct embed_item {
	bool record;
	struct mem_str line, text;
};

struct mem_embedder {
	const struct mem_conf *conf;
	struct mem_embed_options options;
	struct mem_encoder *encoder;    /* NULL until the first line */
	struct embed_item items[BATCH_LINES];
	size_t n, bytes;
	struct mem_arena arena;
	struct mem_rec rec;
	struct mem_buf text;
};

struct mem_embedder *
mem_embedder_new(const struct mem_conf *conf, const struct mem_embed_options *options)
{
	struct mem_embedder *e = mem_xcalloc(1, sizeof *e);
	e->conf = conf;
	e->options = *options;
	return e;
}

void
mem_embedder_free(struct mem_embedder *e)
{
	if (e == NULL)
		return;
	mem_encoder_close(e->encoder);
	mem_arena_release(&e->arena);
	mem_rec_release(&e->rec);
	mem_buf_release(&e->text);
	free(e);
}

bool
mem_embedder_full(const struct mem_embedder *e)
{
	return e->n == BATCH_LINES || e->bytes >= BATCH_BYTES;
}

static enum mem_status
open_line_encoder(struct mem_embedder *e, struct mem_err *err)
{
	if (e->encoder != NULL)
		return MEM_OK;
	enum mem_status st = mem_encoder_open(&e->encoder, e->conf, e->options.model, err);
	if (st == MEM_ABSENT)
		return mem_err_set(err, MEM_FAIL, "%s", err->msg);
	if (st == MEM_OK && e->options.ids && mem_encoder_tokenizer(e->encoder) == NULL)
		return mem_err_set(err, MEM_FAIL, "--ids: the tokens of a remote encoder are not known");
	return st;
}

/* The record's text into e->text. */
static enum mem_status
read_record_line(struct mem_embedder *e, struct mem_str line, struct mem_err *err)
{
	enum mem_status st = mem_rec_scan(&e->rec, line, err);
	if (st != MEM_OK)
		return st;
	struct mem_json text = mem_rec_value(&e->rec, "text");
	if (text.type == MEM_JSON_STRING)
		mem_json_decode(&e->text, text);
	else if (text.type != MEM_JSON_NULL)
		return mem_err_record(err, "bad_value", (size_t)(text.raw.p - line.p), "text is no string");
	else if (!mem_node_text(&e->text, &e->rec))
		return mem_err_record(err, "empty", 0, "a record without text or content");
	return MEM_OK;
}

static enum mem_status
read_plain_line(struct mem_embedder *e, struct mem_str line, struct mem_err *err)
{
	size_t valid = mem_utf8_valid(line.p, line.n);
	if (valid < line.n)
		return mem_err_record(err, "bad_utf8", valid, "not UTF-8");
	mem_buf_str(&e->text, line);
	return MEM_OK;
}

/* Nothing but spaces and control characters: servers refuse the whole request for it. */
static bool
is_blank_input(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] > ' ' && s.p[i] != 0x7f)
			return false;
	return true;
}

enum mem_status
mem_embedder_add(struct mem_embedder *e, const struct mem_line *line, struct mem_err *err)
{
	bool record = line->text.n > 0 && line->text.p[0] == '{';
	enum mem_status st = open_line_encoder(e, err);
	if (st != MEM_OK)
		return st;
	mem_buf_reset(&e->text);
	if (line->too_long)
		return mem_err_record(err, "too_long", line->text.n, "a line of over 16 MiB");
	st = record ? read_record_line(e, line->text, err) : read_plain_line(e, line->text, err);
	if (st != MEM_OK)
		return st;
	struct mem_str text = mem_buf_span(&e->text);
	if (mem_encoder_info(e->encoder)->remote && is_blank_input(text))
		return mem_err_record(err, "empty", 0, "an empty text");
	e->items[e->n++] = (struct embed_item){ record, mem_arena_str(&e->arena, line->text), mem_arena_str(&e->arena, text) };
	e->bytes += line->text.n + text.n;
	return MEM_OK;
}

/* As few digits as give the same float back. */
static void
append_vector(struct mem_buf *out, enum mem_embed_form form, const float *v, size_t n)
{
	if (form == MEM_EMBED_BASE64) {
		mem_buf_putc(out, '"');
		mem_buf_base64(out, v, n * sizeof *v);
		mem_buf_putc(out, '"');
		return;
	}
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < n; i++)
		mem_buf_printf(out, i == 0 ? "%.9g" : ",%.9g", (double)v[i]);
	mem_buf_putc(out, ']');
}

static void
append_token_ids(const struct mem_embedder *e, struct mem_buf *out, struct mem_str text)
{
	const struct mem_model_spec *spec = mem_model_find(mem_str(mem_encoder_info(e->encoder)->name));
	const char *prefix = e->options.as == MEM_AS_QUERY ? spec->query_prefix : spec->text_prefix;
	uint32_t *ids = mem_xcalloc(spec->max_ids, sizeof *ids);
	bool cut;
	size_t n = mem_tokenize(mem_encoder_tokenizer(e->encoder), mem_str(prefix), text, ids, spec->max_ids, &cut);
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < n; i++)
		mem_buf_printf(out, i == 0 ? "%u" : ",%u", ids[i]);
	mem_buf_putc(out, ']');
	free(ids);
}

static void
append_item(struct mem_embedder *e, struct mem_buf *out, const struct embed_item *item, const float *v, size_t dims, bool cut)
{
	struct mem_buf vector = { 0 }, ids = { 0 }, line = { 0 };
	struct mem_str text = item->line;
	if (!item->record) {
		mem_buf_putc(&line, '{');
		mem_json_put_field(&line, "text", text);
		mem_buf_putc(&line, '}');
		text = mem_buf_span(&line);
	}
	append_vector(&vector, e->options.form, v, dims);
	if (e->options.ids)
		append_token_ids(e, &ids, item->text);
	/* Without it a mark that another model left is taken away. */
	const struct mem_edit edits[] = {
		{ "vector", mem_buf_span(&vector) }, { "truncated", cut ? MEM_STR("true") : MEM_STR("") },
		{ "token_ids", mem_buf_span(&ids) },
	};
	/* It was scanned when it came, or is our own. */
	enum mem_status st = mem_rec_scan(&e->rec, text, NULL);
	if (st == MEM_OK)
		mem_rec_edit(out, &e->rec, edits, e->options.ids ? 3 : 2);
	mem_buf_putc(out, '\n');
	mem_buf_release(&vector);
	mem_buf_release(&ids);
	mem_buf_release(&line);
}

enum mem_status
mem_embedder_write(struct mem_embedder *e, struct mem_buf *out, struct mem_err *err)
{
	struct mem_str texts[BATCH_LINES];
	bool cut[BATCH_LINES] = { false };
	float *v = NULL;
	if (e->n == 0)
		return MEM_OK;
	for (size_t i = 0; i < e->n; i++)
		texts[i] = e->items[i].text;
	enum mem_status st = mem_encode(e->encoder, e->options.as, texts, e->n, &v, cut, err);
	size_t dims = mem_encoder_info(e->encoder)->dims;
	if (st == MEM_OK && e->options.form == MEM_EMBED_F32)
		mem_buf_put(out, v, e->n * dims * sizeof *v);
	else
		for (size_t i = 0; i < e->n && st == MEM_OK; i++)
			append_item(e, out, &e->items[i], v + i * dims, dims, cut[i]);
	free(v);
	e->n = 0;
	e->bytes = 0;
	mem_arena_reset(&e->arena);
	return st;
}
