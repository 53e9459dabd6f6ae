/* SPDX-License-Identifier: Apache-2.0 */
/* A writer: opening it, its namespace, arena and sanitiser. */
#include "write/write_int.h"

#include <stdlib.h>
#include <string.h>

/* The origin of all that it makes, unless a node has its own. */
static struct mem_clean_text
make_origin_text(struct mem_writer *w)
{
	struct mem_clean_object o = { 0 };
	struct mem_str agent = mem_str(mem_store_principal(w->index->store)->agent);
	mem_clean_object_put(&o, "agent", mem_clean_word(&w->lasting, agent));
	mem_clean_object_put(&o, "via", mem_clean_word(&w->lasting, mem_str(w->o.via)));
	mem_clean_object_put(&o, "model_family", mem_clean_null());
	mem_clean_object_put(&o, "model_version", mem_clean_null());
	mem_clean_object_put(&o, "signature", mem_clean_null());
	return mem_clean_object_end(&o, &w->lasting);
}

static void
begin_writer(struct mem_writer *w, struct mem_index *m, const struct mem_write_options *o)
{
	w->index = m;
	w->o = *o;
	if (w->o.batch_max == 0)
		w->o.batch_max = mem_conf_int(mem_store_conf(m->store), "capture.commit_every");
	w->ns = mem_str(mem_arena_printf(&w->lasting, "agent:%s", mem_store_principal(m->store)->agent));
	w->origin = make_origin_text(w);
}

struct mem_writer *
mem_writer_new(struct mem_index *m, const struct mem_write_options *o)
{
	struct mem_writer *w = mem_xcalloc(1, sizeof *w);
	begin_writer(w, m, o);
	return w;
}

enum mem_status
mem_writer_open(struct mem_writer **out, const struct mem_store_options *store, const struct mem_write_options *o,
    struct mem_err *err)
{
	struct mem_writer *w = mem_xcalloc(1, sizeof *w);
	enum mem_status st = mem_index_open(&w->own, store, err);
	if (st == MEM_OK) {
		begin_writer(w, &w->own, o);
	} else {
		mem_writer_free(w);
		w = NULL;
	}
	*out = w;
	return st;
}

void
mem_writer_free(struct mem_writer *w)
{
	if (w == NULL)
		return;
	if (w->encoder != NULL)
		w->vectors->close(w->encoder);
	mem_clean_free(w->clean);
	mem_findings_release(&w->findings);
	for (size_t i = 0; i < w->items_made; i++)
		free(w->items[i]);
	free(w->items);
	free(w->checks);
	for (size_t i = 0; i < w->nkept; i++)
		w->kept[i].release(w->kept[i].what);
	free(w->kept);
	mem_rec_release(&w->rec);
	free(w->parts);
	free(w->edits);
	mem_buf_release(&w->text);
	mem_arena_release(&w->arena);
	mem_arena_release(&w->lasting);
	mem_index_close(&w->own);
	free(w);
}

struct mem_store *
mem_writer_store(const struct mem_writer *w)
{
	return w->index->store;
}

struct mem_str
mem_writer_ns(const struct mem_writer *w)
{
	return w->ns;
}

struct mem_arena *
mem_writer_arena(struct mem_writer *w)
{
	return &w->arena;
}

void
mem_writer_keep(struct mem_writer *w, void *what, mem_release_fn *release)
{
	w->kept = mem_grow(w->kept, &w->kept_cap, w->nkept + 1, sizeof *w->kept);
	w->kept[w->nkept++] = (struct write_kept){ what, release };
}

void *
mem_writer_kept(const struct mem_writer *w, mem_release_fn *release)
{
	for (size_t i = 0; i < w->nkept; i++)
		if (w->kept[i].release == release)
			return w->kept[i].what;
	return NULL;
}

enum mem_status
mem_writer_sanitise(struct mem_writer *w, const char *redact, const char *markers, struct mem_err *err)
{
	mem_clean_free(w->clean);
	w->clean = NULL;
	return mem_write_cleaner(&w->clean, w->index->store, redact, markers, err);
}

enum mem_status
mem_write_clean(struct mem_writer *w, struct mem_clean_rec *out, const struct mem_rec *in, struct mem_finding_list *found,
    struct mem_err *err)
{
	enum mem_status st = mem_clean_record(out, &w->findings, w->clean, in, &w->arena, err);
	*found = (struct mem_finding_list){ 0 };
	if (st == MEM_OK)
		mem_findings_keep(found, &w->findings, &w->arena);
	return st;
}

/* Is there a text worth keeping? */
static enum mem_status
check_clean_text(struct mem_str before, struct mem_json after, bool cut, struct mem_err *err)
{
	struct mem_buf text = { 0 };
	mem_json_decode(&text, after);
	struct mem_str left = mem_buf_span(&text);
	bool blank = left.n == 0 || strspn(left.p, " \t\r\n\v\f") == left.n;
	bool residue = cut && (blank || mem_clean_residue(before, left));
	mem_buf_release(&text);
	if (residue)
		return mem_err_record(err, "residue", 0, "nothing meaningful is left of the text");
	return blank ? mem_err_record(err, "empty", 0, "a text without content") : MEM_OK;
}

enum mem_status
mem_write_clean_text(struct mem_writer *w, struct mem_clean_text *out, const char *name, struct mem_str text,
    struct mem_finding_list *found, struct mem_err *err)
{
	struct mem_rec rec = { 0 };
	struct mem_clean_rec clean = { 0 };
	struct mem_buf line = { 0 };
	size_t valid = mem_utf8_valid(text.p, text.n);
	const char *nul = text.n > 0 ? memchr(text.p, '\0', text.n) : NULL;
	if (valid < text.n)
		return mem_err_record(err, "bad_utf8", valid, "a text that is not UTF-8");
	if (nul != NULL) /* at its place in the text, not in the record that is made of it */
		return mem_err_record(err, "nul", (size_t)(nul - text.p), "a NUL in a text");
	mem_buf_putc(&line, '{');
	mem_json_put_field(&line, name, text);
	mem_buf_putc(&line, '}');
	enum mem_status st = mem_rec_scan(&rec, mem_arena_str(&w->arena, mem_buf_span(&line)), err);
	if (st == MEM_OK)
		st = mem_write_clean(w, &clean, &rec, found, err);
	if (st == MEM_OK) {
		*out = mem_clean_value(&clean, name);
		st = check_clean_text(text, out->value, mem_flags_cut(found->flags, found->nflags), err);
	}
	mem_clean_rec_release(&clean);
	mem_rec_release(&rec);
	mem_buf_release(&line);
	return st;
}

bool
mem_write_name_clean(struct mem_writer *w, struct mem_str name)
{
	struct mem_clean_text cleaned;
	struct mem_finding_list found = { 0 };
	return mem_write_clean_text(w, &cleaned, "name", name, &found, NULL) == MEM_OK && found.nredactions == 0 &&
	    !mem_flags_cut(found.flags, found.nflags);
}

enum mem_status
mem_write_verify(struct mem_writer *w, struct mem_clean_rec *out, const struct mem_rec *in, struct mem_err *err)
{
	return mem_clean_verify(out, &w->findings, w->clean, in, err);
}
