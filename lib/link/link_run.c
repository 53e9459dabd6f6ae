/* SPDX-License-Identifier: Apache-2.0 */
/* A run: records in, batches written, receipts out. */
#include "link/link_int.h"

#include <stdlib.h>

/* ---- runs ---------------------------------------------------------------- */

static enum mem_status
prepare_link_run(struct mem_link_run *r, struct mem_err *err)
{
	struct mem_store *s = mem_writer_store(r->writer);
	const struct mem_conf *conf = mem_store_conf(s);
	r->ns = r->o.ns != NULL ? mem_str(r->o.ns) : mem_writer_ns(r->writer);
	r->trust_max = mem_store_principal(s)->is_operator ? 1 : mem_conf_num(conf, "capture.trust_max");
	r->trust = mem_conf_num(conf, "capture.trust");
	if (r->trust > r->trust_max)
		r->trust = r->trust_max;
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = r->ns };
	if (!mem_ns_valid(r->ns))
		return mem_err_set(err, MEM_USAGE, "no namespace: '%s'", r->ns.p);
	if (!mem_store_allows(s, &to))
		return mem_err_set(err, MEM_DENIED, "%s may not write to %s", mem_store_principal(s)->agent, r->ns.p);
	return mem_writer_sanitise(r->writer, NULL, NULL, err);
}

enum mem_status
mem_link_run_open(struct mem_link_run **out, const struct mem_store_options *store, const struct mem_link_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err)
{
	const struct mem_write_options writing = { .via = o->via, .audit_refusals = true, .audit_batch = o->audit_batch,
		.dry_run = o->dry_run };
	struct mem_link_run *r = mem_xcalloc(1, sizeof *r);
	*r = (struct mem_link_run){ .o = *o, .emit = emit, .ctx = ctx };
	enum mem_status st = mem_writer_open(&r->writer, store, &writing, err);
	if (st == MEM_OK)
		st = prepare_link_run(r, err);
	if (st == MEM_OK)
		*out = r;
	else
		mem_link_run_free(r);
	return st;
}

void
mem_link_run_free(struct mem_link_run *r)
{
	if (r == NULL)
		return;
	mem_writer_free(r->writer);
	mem_rec_release(&r->came);
	mem_rec_release(&r->rec);
	mem_clean_rec_release(&r->cleaned);
	mem_buf_release(&r->scratch);
	free(r);
}

struct mem_store *
mem_link_run_store(const struct mem_link_run *r)
{
	return mem_writer_store(r->writer);
}

enum mem_status
mem_link_run_embed(struct mem_link_run *r, struct mem_err *err)
{
	/* Zero: this store leaves vectors to maintenance. */
	bool later = mem_conf_int(mem_store_conf(mem_writer_store(r->writer)), "embed.seconds") == 0;
	return mem_writer_embed(r->writer, later ? MEM_WRITE_EMBED_NONE : MEM_WRITE_EMBED_FEW, err);
}

enum mem_status
mem_link_run_commit(struct mem_link_run *r, struct mem_err *err)
{
	return mem_write_commit(r->writer, r->emit, r->ctx, &r->total, err);
}

const struct mem_write_total *
mem_link_run_total(const struct mem_link_run *r)
{
	return &r->total;
}

enum mem_status
mem_link_run_outcome(const struct mem_link_run *r, struct mem_err *err)
{
	if (r->total.denied > 0)
		return mem_err_set(err, MEM_DENIED, "%llu of the input denied", (unsigned long long)r->total.denied);
	return mem_write_outcome(&r->total, err);
}

/* ---- items --------------------------------------------------------------- */

struct link_item
link_item_new(struct mem_link_run *r, size_t bytes)
{
	return (struct link_item){ .in = { .line = ++r->number, .bytes = bytes } };
}

bool
link_item_refuse(struct link_item *item, const char *reason, size_t offset)
{
	item->refused = reason;
	item->offset = offset;
	return false;
}

enum mem_status
link_item_end(struct mem_link_run *r, const struct link_item *item, struct mem_err *err)
{
	if (item->refused != NULL)
		mem_write_refuse(r->writer, &item->in, item->refused, item->offset);
	return !r->whole && mem_write_full(r->writer) ? mem_link_run_commit(r, err) : MEM_OK;
}

/* ---- records ------------------------------------------------------------- */

/* Appends a checked line without the white space between its values. */
static void
put_packed_line(struct mem_buf *out, struct mem_str line)
{
	bool inside = false;
	for (size_t i = 0; i < line.n; i++) {
		char c = line.p[i];
		if (inside && c == '\\')
			mem_buf_putc(out, line.p[i++]);
		else if (c == '"')
			inside = !inside;
		if (inside || (c != ' ' && c != '\t' && c != '\r' && c != '\n'))
			mem_buf_putc(out, line.p[i]);
	}
}

bool
link_record_read(struct mem_link_run *r, struct link_item *item, const struct mem_line *line)
{
	struct mem_err err = { 0 };
	r->line = line->text;
	if (line->too_long)
		return link_item_refuse(item, "too_long", line->text.n);
	enum mem_status st = mem_rec_scan(&r->came, line->text, &err);
	if (st == MEM_OK)
		st = mem_rec_refuse_nul(&r->came, &err);
	if (st != MEM_OK)
		return link_item_refuse(item, err.reason, err.offset);
	mem_buf_reset(&r->scratch);
	put_packed_line(&r->scratch, line->text);
	st = mem_rec_scan(&r->rec, mem_arena_str(mem_writer_arena(r->writer), mem_buf_span(&r->scratch)), &err);
	return st == MEM_OK || link_item_refuse(item, err.reason, err.offset);
}

bool
link_record_clean(struct mem_link_run *r, struct link_item *item)
{
	struct mem_err err = { 0 };
	enum mem_status st = mem_write_clean(r->writer, &r->cleaned, &r->rec, &item->in.found, &err);
	return st == MEM_OK || link_item_refuse(item, err.reason != NULL ? err.reason : "budget", 0);
}

static const struct mem_field *
find_field_as_it_came(const struct mem_link_run *r, struct mem_str key)
{
	for (size_t i = 0; i < r->came.nfields; i++)
		if (mem_str_eq(r->came.fields[i].key, key))
			return &r->came.fields[i];
	return NULL;
}

size_t
link_key_offset(const struct mem_link_run *r, struct mem_str key)
{
	const struct mem_field *f = find_field_as_it_came(r, key);
	return f != NULL ? (size_t)(f->key.p - 1 - r->line.p) : 0;
}

size_t
link_value_offset(const struct mem_link_run *r, struct mem_str key)
{
	const struct mem_field *f = find_field_as_it_came(r, key);
	return f != NULL ? (size_t)(f->value.raw.p - r->line.p) : 0;
}

struct mem_str
link_field_name(struct mem_link_run *r, const struct mem_field *f)
{
	const struct mem_json key = { { f->key.p - 1, f->key.n + 2 }, MEM_JSON_STRING, true };
	return f->key_escaped ? mem_json_text(mem_writer_arena(r->writer), key) : mem_arena_str(mem_writer_arena(r->writer), f->key);
}

bool
link_name_plain(struct mem_str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '"' || name.p[i] == '\\' || (unsigned char)name.p[i] < ' ')
			return false;
	return name.n > 0;
}

const char *
link_unit_read(struct mem_link_run *r, struct mem_json v, struct mem_clean_text *out)
{
	double d;
	if (!mem_json_num(v, &d) || d < 0 || d > 1)
		return "bad_value";
	*out = mem_clean_share(mem_writer_arena(r->writer), d);
	return NULL;
}

const char *
link_time_read(struct mem_link_run *r, struct mem_json v, struct mem_clean_text *out)
{
	int64_t ms;
	struct mem_str text = mem_json_text(mem_writer_arena(r->writer), v);
	if (text.p == NULL || !mem_time_parse(text, &ms))
		return "bad_time";
	*out = mem_clean_time(mem_writer_arena(r->writer), ms);
	return NULL;
}

enum mem_status
link_id_find(struct mem_link_run *r, struct mem_str text, struct mem_id *id, const char **reason, struct mem_err *err)
{
	enum mem_status st = mem_id_find(mem_writer_store(r->writer), text, id, err);
	if (st != MEM_USAGE && st != MEM_NOTFOUND && st != MEM_REFUSED)
		return st;
	*reason = st == MEM_REFUSED ? "ambiguous" : "not_found";
	return MEM_REFUSED;
}

enum mem_status
link_ns_number(struct mem_txn *t, struct mem_str name, uint32_t *number, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_visible(t, &ns, &n, err);
	bool found = false;
	for (size_t i = 0; i < n && st == MEM_OK && !found; i++) {
		found = ns[i].root == ns[i].number && mem_str_is(name, ns[i].name);
		*number = ns[i].number;
	}
	free(ns);
	return st == MEM_OK && !found ? mem_err_set(err, MEM_NOTFOUND, "there is no namespace '%.*s'", (int)name.n, name.p) : st;
}
