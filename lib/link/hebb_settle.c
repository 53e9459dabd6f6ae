/* SPDX-License-Identifier: Apache-2.0 */
/* Tags by their use: drafts become active, and one may be reinforced by hand. */
#include "link/hebb_int.h"
#include "base/order.h"
#include "link/link.h"
#include "write/run.h"

#include <math.h>
#include <stdlib.h>

/* Attributes read in one snapshot. */
enum { PIECE = 16384 };

struct settling {
	const struct mem_hebb_options *o;
	struct mem_hebb_options settings; /* `o`, where none are given */
	struct mem_store *store;
	struct mem_writer *writer;
	const struct hebb_forecast *forecast; /* NULL: tags become active; else they are listed as they will be */
	struct mem_buf *lines;
	uint64_t activated;
	uint32_t next;              /* ord to go on with */
	bool ended;
};

/* ---- drafts ------------------------------------------------------------------ */

/* `name` as JSON. */
static void
put_draft(struct settling *s, const struct mem_id *tag, struct mem_str ns, struct mem_str name, int64_t sessions)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(tag, id);
	mem_buf_putc(s->lines, '{');
	mem_json_put_field(s->lines, "id", mem_str(id));
	mem_json_put_field(s->lines, "ns", ns);
	mem_json_put_raw(s->lines, "name", name);
	mem_json_put_int(s->lines, "sessions", sessions);
	mem_json_put_field(s->lines, "becomes", sessions >= s->o->sessions ? MEM_STR("active") : MEM_STR("draft"));
	mem_buf_puts(s->lines, "}\n");
}

static enum mem_status
queue_active(struct settling *s, const struct mem_id *id, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(s->writer);
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	const struct mem_write_input in = { .quiet = true };
	*set = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("active")) };
	const struct mem_write_edit edit = { .set = set, .n = 1, .mark = true, .op = "changed", .audit.word = "tag_active" };
	s->activated++;
	return mem_write_change(s->writer, &in, id, 0, &edit, err);
}

static enum mem_status
settle_tag(struct settling *s, struct mem_txn *t, uint32_t ord, const struct mem_attr *attr, struct mem_err *err)
{
	struct mem_str json;
	struct mem_ns ns;
	int64_t sessions = 0;
	if (attr->kind != MEM_KIND_TAG || attr->status != MEM_STATUS_DRAFT || mem_ns_by_number(t, attr->ns, &ns, NULL) != MEM_OK)
		return MEM_OK;
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_str(ns.name) };
	if (!mem_store_allows(s->store, &to))
		return MEM_OK;
	enum mem_status st = mem_node_text_at(t, ord, &json, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	if (st != MEM_OK)
		return st == MEM_DAMAGED ? MEM_OK : st;
	mem_json_int(mem_json_member(mem_json_object(json), "sessions"), &sessions);
	if (s->forecast == NULL)
		return sessions >= s->o->sessions ? queue_active(s, &attr->id, err) : MEM_OK;
	const struct hebb_use *use = hebb_forecast_find(s->forecast, &attr->id);
	put_draft(s, &attr->id, mem_str(ns.name), mem_json_member(mem_json_object(json), "name").raw, sessions + (use != NULL ? use->sessions : 0));
	return MEM_OK;
}

static int
compare_uses_by_place(const void *a, const void *b)
{
	const struct hebb_use *const *x = a, *const *y = b;
	return ((*x)->place > (*y)->place) - ((*x)->place < (*y)->place);
}

/* Tags that are not there yet, in the order in which they would be made. */
static enum mem_status
put_new_drafts(struct settling *s, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	size_t n = 0;
	const struct hebb_use **fresh = mem_xcalloc(s->forecast->n + 1, sizeof(struct hebb_use *));
	enum mem_status st = mem_txn_read(&t, s->store, err);
	for (size_t i = 0; i < s->forecast->n && st == MEM_OK; i++) {
		struct mem_node node;
		st = mem_node_by_id(t, &s->forecast->v[i].id, &node, err);
		if (st == MEM_NOTFOUND)
			fresh[n++] = &s->forecast->v[i];
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	mem_txn_end(t);
	mem_sort(fresh, n, sizeof(struct hebb_use *), compare_uses_by_place);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		put_draft(s, &fresh[i]->id, fresh[i]->ns, fresh[i]->name, fresh[i]->sessions);
	free(fresh);
	return st;
}

static enum mem_status
settle_piece(struct settling *s, struct mem_txn *t, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	uint8_t from[4];
	mem_be32(from, s->next);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)from, sizeof from }, err);
	for (size_t rows = 0; st == MEM_OK && rows < PIECE && !mem_write_full(s->writer); rows++) {
		const struct mem_attr *attr;
		struct mem_str key = mem_cursor_key(c);
		s->next = key.n == sizeof from ? mem_be32_get((const uint8_t *)key.p) : s->next;
		if (key.n == sizeof from && mem_attr_at(t, s->next, &attr, NULL) == MEM_OK)
			st = settle_tag(s, t, s->next, attr, err);
		s->next++;
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	s->ended = st == MEM_END;
	return s->ended ? MEM_OK : st;
}

static enum mem_status
settle_tags(struct settling *s, struct mem_index *m, const struct mem_hebb_options *o, struct mem_err *err)
{
	struct mem_write_total total = { 0 };
	enum mem_status st = MEM_OK;
	s->writer = mem_writer_new(m, &(struct mem_write_options){ .via = o != NULL ? o->via : HEBB_VIA_JOB });
	s->store = mem_writer_store(s->writer);
	mem_hebb_options_read(&s->settings, mem_store_conf(s->store));
	s->o = o != NULL ? o : &s->settings;
	while (st == MEM_OK && !s->ended) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, s->store, err);
		if (st == MEM_OK)
			st = settle_piece(s, t, err);
		mem_txn_end(t);
		if (st == MEM_OK)
			st = mem_write_commit(s->writer, mem_receipts_drop, NULL, &total, err);
	}
	if (st == MEM_OK && s->forecast != NULL)
		st = put_new_drafts(s, err);
	mem_writer_free(s->writer);
	return st;
}

enum mem_status
mem_hebb_settle(struct mem_index *m, const struct mem_hebb_options *o, struct mem_hebb_done *done, struct mem_err *err)
{
	struct settling s = { 0 };
	enum mem_status st = settle_tags(&s, m, o, err);
	done->activated += s.activated;
	return st;
}

enum mem_status
mem_hebb_foresee(struct mem_index *m, const struct mem_hebb_options *o, struct mem_buf *lines, struct mem_err *err)
{
	struct hebb_forecast forecast = { 0 };
	struct settling s = { .forecast = &forecast, .lines = lines };
	enum mem_status st = hebb_forecast_make(&forecast, m, o, err);
	if (st == MEM_OK)
		st = settle_tags(&s, m, o, err);
	hebb_forecast_release(&forecast);
	return st;
}

/* ---- by hand ------------------------------------------------------------------- */

static enum mem_status
revise_activation(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	const struct mem_hebb_options *o = ctx;
	struct mem_arena *a = mem_writer_arena(w);
	struct hebb_weight was = hebb_weight_read(node->json);
	int64_t now = mem_txn_now(t);
	(void)rec;
	(void)err;
	if (node->attr->kind != MEM_KIND_TAG) {
		*refused = "bad_value";
		return MEM_OK;
	}
	double weight = mem_hebb_fade(was.weight, 1 - o->rate, was.reinforced_at, now);
	struct mem_clean_field *set = mem_arena_alloc(a, 2 * sizeof *set);
	set[0] = (struct mem_clean_field){ "weight", mem_clean_num(a, round((weight + o->reinforce * (1 - weight)) * 1e6) / 1e6) };
	set[1] = (struct mem_clean_field){ "reinforced_at", mem_clean_time(a, now) };
	*edit = (struct mem_write_edit){ .set = set, .n = 2, .mark = true, .op = "reinforced", .audit.word = "reinforced" };
	return MEM_OK;
}

enum mem_status
mem_hebb_reinforce(struct mem_write_run *r, const struct mem_hebb_options *o, struct mem_str node, struct mem_err *err)
{
	const struct mem_write_input in = mem_write_run_next(r, node.n);
	struct mem_id id;
	struct mem_err why = { 0 };
	enum mem_status st = mem_link_end_find(mem_writer_store(r->writer), node, &id, &why);
	if (st == MEM_OK)
		mem_write_revise(r->writer, &in, &id, 0, revise_activation, o);
	else if (st == MEM_NOTFOUND || st == MEM_REFUSED)
		mem_write_refuse(r->writer, &in, st == MEM_REFUSED ? "ambiguous" : "not_found", 0);
	else
		return mem_err_set(err, st, "%s", why.msg);
	return mem_write_run_end(r, err);
}
