/* SPDX-License-Identifier: Apache-2.0 */
/* Edges, put and removed inside a transaction. */
#include "write/write_int.h"

#include <string.h>

#include "base/order.h"
#include "store/edge.h"

/* Its text; `created_at` as JSON. */
static void
build_edge_text(struct mem_buf *out, const struct mem_attr *from, const struct mem_attr *to, const struct mem_write_edge *edge,
    struct mem_str created_at)
{
	char id[MEM_ID_LEN + 1];
	mem_buf_reset(out);
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "edge", mem_str(edge->kind));
	mem_id_format(&from->id, id);
	mem_json_put_field(out, "from", mem_str(id));
	mem_id_format(&to->id, id);
	mem_json_put_field(out, "to", mem_str(id));
	bool timed = false;
	for (size_t i = 0; i < edge->nfields; i++) {
		if (!mem_clean_there(edge->fields[i].value))
			continue;
		mem_json_put_raw(out, edge->fields[i].name, edge->fields[i].value.value.raw);
		timed = timed || strcmp(edge->fields[i].name, "created_at") == 0; /* an edge that comes back */
	}
	if (!timed)
		mem_json_put_raw(out, "created_at", created_at);
	mem_buf_putc(out, '}');
}

bool
write_edge_fits(struct mem_writer *w, const struct mem_write_edge *edge, struct mem_edge_values *values, struct mem_err *err)
{
	if (!mem_edge_kind_valid(mem_str(edge->kind))) {
		(void)mem_err_record(err, "bad_value", 0, "'%.80s' is no kind of edges", edge->kind);
		return false;
	}
	struct mem_rec rec = { .fields = mem_arena_alloc(&w->arena, edge->nfields * sizeof(struct mem_field)) };
	for (size_t i = 0; i < edge->nfields; i++)
		if (mem_clean_there(edge->fields[i].value))
			rec.fields[rec.nfields++] = (struct mem_field){ .key = mem_str(edge->fields[i].name),
				.value = edge->fields[i].value.value };
	return mem_edge_values_read(values, &rec, err) == MEM_OK;
}

bool
write_edge_writes_to(struct mem_str kind, const struct mem_edge_values *values)
{
	return mem_str_is(kind, "supersedes") || (mem_str_is(kind, "superseded_by") && (values->flags & MEM_EDGE_BIDIRECTIONAL) != 0);
}

/* When the edge was made that is there, else now.  ARENA. */
static struct mem_str
find_edge_time(struct mem_txn *t, struct mem_writer *w, const struct mem_edge *there)
{
	struct mem_json whole = mem_json_object(there != NULL ? there->json : MEM_STR(""));
	struct mem_json at = mem_json_member(whole, "created_at");
	return at.raw.n > 0 ? mem_arena_str(&w->arena, at.raw) : mem_clean_time(&w->arena, mem_txn_now(t)).value.raw;
}

/* ---- the same edge -------------------------------------------------------- */

/* Fields of an edge whose values are compared as they are read, and when it was made, which stays. */
static bool
is_value_field(const struct mem_field *f)
{
	static const char *const names[] = { "weight", "confidence", "bidirectional", "valid_from", "valid_to", "created_at" };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (mem_str_is(f->key, names[i]))
			return true;
	return f->value.type == MEM_JSON_NULL && mem_str_is(f->key, "reinforced_at");
}

static int
compare_fields_by_key(const void *a, const void *b)
{
	return mem_str_cmp(((const struct mem_field *)a)->key, ((const struct mem_field *)b)->key);
}

/* The other fields, by their names; *n: how many there are.  ARENA. */
static struct mem_field *
sort_other_fields(struct mem_writer *w, const struct mem_rec *r, size_t *n)
{
	struct mem_field *v = mem_arena_alloc(&w->arena, r->nfields * sizeof *v);
	*n = 0;
	for (size_t i = 0; i < r->nfields; i++)
		if (!is_value_field(&r->fields[i]))
			v[(*n)++] = r->fields[i];
	mem_sort(v, *n, sizeof *v, compare_fields_by_key);
	return v;
}

static bool
has_same_fields(struct mem_writer *w, const struct mem_rec *a, const struct mem_rec *b)
{
	size_t n, nb, i = 0;
	const struct mem_field *x = sort_other_fields(w, a, &n), *y = sort_other_fields(w, b, &nb);
	while (n == nb && i < n && mem_str_eq(x[i].key, y[i].key) && mem_str_eq(x[i].value.raw, y[i].value.raw))
		i++;
	return n == nb && i == n;
}

/* Does w->text say what the edge says that is there?  The order of fields and defaults make no difference. */
static bool
is_same_edge(struct mem_writer *w, const struct mem_edge *there)
{
	struct mem_rec old = { 0 };
	struct mem_edge_values a, b;
	bool same = mem_rec_scan(&old, there->json, NULL) == MEM_OK && mem_rec_scan(&w->rec, mem_buf_span(&w->text), NULL) == MEM_OK &&
	    mem_edge_values_read(&a, &old, NULL) == MEM_OK && mem_edge_values_read(&b, &w->rec, NULL) == MEM_OK &&
	    a.weight == b.weight && a.confidence == b.confidence && a.valid_from == b.valid_from && a.valid_to == b.valid_to &&
	    a.flags == b.flags && has_same_fields(w, &old, &w->rec);
	mem_rec_release(&old);
	return same;
}

/* ---- writing ---------------------------------------------------------------- */

/* The text of the edge that is there with other fields, into w->text. */
static enum mem_status
merge_edge_text(struct mem_writer *w, const struct mem_edge *there, const struct mem_write_edge *edge, struct mem_err *err)
{
	struct mem_edit *edits = mem_arena_alloc(&w->arena, edge->nfields * sizeof *edits);
	for (size_t i = 0; i < edge->nfields; i++)
		edits[i] = (struct mem_edit){ edge->fields[i].name, edge->fields[i].value.value.raw };
	enum mem_status st = mem_rec_scan(&w->rec, there->json, err);
	mem_buf_reset(&w->text);
	if (st == MEM_OK)
		mem_rec_edit(&w->text, &w->rec, edits, edge->nfields);
	return st == MEM_REFUSED ? mem_err_set(err, MEM_FAIL, "an edge's text cannot be read: run mem-check") : st;
}

enum mem_status
write_edge_merge_check(struct mem_txn *t, struct mem_writer *w, uint32_t from, uint32_t to, const struct mem_write_edge *edge,
    const char **reason, struct mem_err *err)
{
	struct mem_edge there;
	struct mem_edge_values v;
	*reason = NULL;
	enum mem_status st = mem_edge_find(t, edge->kind, from, to, &there, err);
	if (st == MEM_OK)
		st = merge_edge_text(w, &there, edge, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&w->rec, mem_buf_span(&w->text), err);
	if (st == MEM_OK)
		st = mem_edge_values_read(&v, &w->rec, err);
	if (st == MEM_NOTFOUND)
		*reason = "not_found";
	else if (st == MEM_REFUSED || (st == MEM_OK && v.valid_from != MEM_TIME_NONE && v.valid_to != MEM_TIME_NONE && v.valid_to <= v.valid_from))
		*reason = "bad_value";
	return *reason != NULL ? MEM_OK : st;
}

enum mem_status
mem_write_link_at(struct mem_txn *t, struct mem_writer *w, uint32_t from, uint32_t to, const struct mem_write_edge *edge,
    enum mem_verdict *verdict, struct mem_err *err)
{
	struct mem_edge there;
	const struct mem_attr *a, *b;
	enum mem_status st = mem_attr_at(t, from, &a, err);
	if (st == MEM_OK)
		st = mem_attr_at(t, to, &b, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? mem_err_set(err, MEM_FAIL, "an edge needs nodes that are there") : st;
	enum mem_status found = mem_edge_find(t, edge->kind, from, to, &there, err);
	if (found != MEM_OK && (found != MEM_NOTFOUND || edge->merge))
		return found;
	if (edge->merge)
		st = merge_edge_text(w, &there, edge, err);
	else
		build_edge_text(&w->text, a, b, edge, find_edge_time(t, w, found == MEM_OK ? &there : NULL));
	if (st != MEM_OK)
		return st;
	*verdict = found == MEM_NOTFOUND ? MEM_NEW : is_same_edge(w, &there) ? MEM_UNCHANGED : MEM_CHANGED;
	return *verdict == MEM_UNCHANGED ? MEM_OK : mem_edge_put(t, edge->kind, from, to, mem_buf_span(&w->text), err);
}

enum mem_status
mem_write_unlink_at(struct mem_txn *t, uint32_t from, uint32_t to, const char *kind, struct mem_err *err)
{
	return mem_edge_remove(t, kind, from, to, err);
}

/* ---- ends -------------------------------------------------------------- */

static bool
is_own_end(const struct mem_write_end *end)
{
	static const struct mem_id none;
	return end->item == NULL && mem_id_cmp(&end->id, &none) == 0;
}

/* The node that an end names.  MEM_NOTFOUND: it is not there, or the item was refused. */
static enum mem_status
find_edge_end(struct mem_txn *t, const struct mem_write_end *end, struct mem_node *out, struct mem_err *err)
{
	const struct mem_write_item *item = end->item;
	if (item == NULL)
		return mem_write_node_find(t, &end->id, out, err);
	return item->receipt.has_id ? mem_write_node_find(t, &item->receipt.id, out, err) : MEM_NOTFOUND;
}

enum mem_status
write_edge_ends(struct mem_txn *t, struct mem_writer *w, const struct mem_write_edge *edge, const struct mem_write_item *self,
    uint32_t *from, uint32_t *to, const char **reason, struct mem_err *err)
{
	const struct mem_write_end *ends[] = { &edge->from, &edge->to };
	struct mem_node nodes[2];
	struct mem_ns ns;
	bool own[2], allowed = true;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < 2 && st == MEM_OK; i++) {
		own[i] = self != NULL && is_own_end(ends[i]);
		if (own[i])
			nodes[i].ord = self->entry.ord;
		else
			st = find_edge_end(t, ends[i], &nodes[i], err);
	}
	*reason = st == MEM_NOTFOUND ? "not_found" : NULL;
	if (st == MEM_OK && !own[0])
		st = write_node_allowed(t, w, nodes[0].attr, &ns, &allowed, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	if (!allowed)
		*reason = "namespace_denied";
	*from = nodes[0].ord;
	*to = nodes[1].ord;
	return MEM_OK;
}

enum mem_status
write_ord_allowed(struct mem_txn *t, struct mem_writer *w, uint32_t ord, bool *allowed, struct mem_err *err)
{
	const struct mem_attr *a;
	struct mem_ns ns;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	*allowed = false;
	return st == MEM_OK ? write_node_allowed(t, w, a, &ns, allowed, err) : st;
}
