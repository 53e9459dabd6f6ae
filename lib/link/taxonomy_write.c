/* SPDX-License-Identifier: Apache-2.0 */
/* The store's tags and the edges between them as a taxonomy. */
#include "link/graph_files_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "query/query.h"
#include "store/node.h"

enum { OUT_BYTES = 256 * 1024 };

const char *const mem_graph_taxonomy_types[4] = { "tag", "category", "super_concept", "site" };

/* A node that is part of it. */
struct taxonomy_node {
	struct mem_id id;
	struct mem_str key;        /* ARENA: its ref, else its id */
};
/* A record that memkit made, and each edge, waits for its place. */
struct taxonomy_line {
	uint64_t change;           /* the last one of an edge that is as its file has it; LAST of what memkit made or learnt from */
	struct mem_id ids[2];      /* its own, or those of its ends */
	size_t at, n;              /* in lines */
};
#define LAST UINT64_MAX
struct taxonomy_export {
	struct mem_store *s;
	mem_emit_fn *emit;
	void *ctx;
	struct mem_err *err;
	struct mem_buf out;
	struct taxonomy_node *nodes; /* ascending by id from the edges on */
	size_t nnodes, nodes_cap;
	struct mem_buf lines;      /* of nodes that wait, then of edges */
	struct taxonomy_line *waiting;
	size_t nwaiting, waiting_cap;
	struct mem_arena arena, scratch;
	struct mem_rec rec;
	bool first;                /* of a list */
};

/* ---- records ----------------------------------------------------------------- */

/* What the store says of a member now; raw.n 0: nothing. */
struct present {
	enum graph_member member;
	const char *usual;         /* its name where the file's record has none */
	struct mem_json value;
};

/* Is the member's value still what the store says?  A number in the file is the text of its digits. */
static bool
is_same_value(struct taxonomy_export *x, struct mem_json file, struct mem_json store)
{
	double a, b;
	if (mem_json_num(file, &a) && mem_json_num(store, &b))
		return a == b;
	return mem_str_eq(graph_text_of(&x->scratch, file), graph_text_of(&x->scratch, store));
}

/* An edge's type in the store is the word for the file's. */
static bool
is_same_member(struct taxonomy_export *x, const struct present *p, struct mem_json file)
{
	if (p->member == GRAPH_NAME) /* which has no blanks around it here */
		return mem_str_eq(mem_str_trim(graph_text_of(&x->scratch, file)), graph_text_of(&x->scratch, p->value));
	if (p->member != GRAPH_KIND)
		return is_same_value(x, file, p->value);
	return mem_str_eq(graph_kind_word(&x->scratch, mem_json_text(&x->scratch, file)), mem_json_text(&x->scratch, p->value));
}

static const struct present *
find_present(const struct present *list, size_t n, struct mem_json object, struct mem_str key)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = graph_member_name(object, list[i].member);
		if (name != NULL && mem_str_is(key, name))
			return &list[i];
	}
	return NULL;
}

static void
put_member(struct mem_buf *out, struct mem_str key, struct mem_str value)
{
	if (out->data[out->len - 1] != '{')
		mem_buf_putc(out, ',');
	mem_buf_putc(out, '"');
	mem_buf_str(out, key);
	mem_buf_puts(out, "\":");
	mem_buf_str(out, value);
}

/* An edge's kind as files of this format write it. */
static void
put_present_value(struct taxonomy_export *x, const struct present *p)
{
	struct mem_str kind = p->member == GRAPH_KIND ? mem_json_text(&x->scratch, p->value) : MEM_STR("");
	if (kind.n == 0) {
		mem_json_put_raw(&x->out, p->usual, p->value.raw);
		return;
	}
	char *upper = mem_arena_dup(&x->scratch, kind.p, kind.n);
	for (size_t i = 0; i < kind.n; i++)
		if (upper[i] >= 'a' && upper[i] <= 'z')
			upper[i] = (char)(upper[i] - 'a' + 'A');
	mem_json_put_field(&x->out, p->usual, (struct mem_str){ upper, kind.n });
}

/* The file's own record, with what the store says otherwise; what it does not have is behind it. */
static void
put_taxonomy_record(struct taxonomy_export *x, struct mem_json file, const struct present *list, size_t n)
{
	mem_buf_puts(&x->out, x->first ? "\n{" : ",\n{");
	x->first = false;
	for (struct mem_json_iter it = mem_json_each(file); mem_json_next(&it);) {
		const struct present *p = find_present(list, n, file, it.key);
		if (p == NULL || !mem_json_there(p->value) || is_same_member(x, p, it.value))
			put_member(&x->out, it.key, it.value.raw);
		else
			put_member(&x->out, it.key, p->value.raw);
	}
	for (size_t i = 0; i < n; i++)
		if (mem_json_there(list[i].value) && graph_member_name(file, list[i].member) == NULL)
			put_present_value(x, &list[i]);
	mem_buf_putc(&x->out, '}');
	mem_arena_reset(&x->scratch);
}

/* The record of the file that a node or an edge came from; no members: there is none. */
static struct mem_json
find_file_record(const struct mem_rec *rec, enum graph_member member)
{
	struct mem_json extra = mem_rec_value(rec, "extra");
	bool has = extra.type == MEM_JSON_OBJECT && graph_member_name(extra, member) != NULL;
	return has ? extra : (struct mem_json){ MEM_STR("{}"), MEM_JSON_OBJECT, false };
}

static struct mem_json
make_text_value(struct taxonomy_export *x, struct mem_str text)
{
	struct mem_buf b = { 0 };
	mem_json_put_string(&b, text);
	struct mem_str raw = mem_arena_str(&x->scratch, mem_buf_span(&b));
	mem_buf_release(&b);
	return (struct mem_json){ raw, MEM_JSON_STRING, true };
}

/* The weight that the file had; that of the store only where nothing else is known, and it says something. */
static struct mem_json
find_weight(const struct mem_rec *rec)
{
	struct mem_json raw = mem_rec_value(rec, "raw_weight"), weight = mem_rec_value(rec, "weight");
	double w;
	if (mem_json_there(raw))
		return raw;
	return mem_json_num(weight, &w) && w != 1 ? weight : (struct mem_json){ 0 };
}

/* ---- giving out --------------------------------------------------------------- */

static enum mem_status
flush_taxonomy(struct taxonomy_export *x, size_t from)
{
	if (x->out.len < from)
		return MEM_OK;
	mem_store_pause(x->s); /* a slow reader must not hold up a compaction */
	bool taken = x->emit(x->ctx, mem_buf_span(&x->out));
	mem_buf_reset(&x->out);
	return taken ? MEM_OK : mem_err_set(x->err, MEM_FAIL, "cannot write the export");
}

static enum mem_status
refuse_unreadable(struct taxonomy_export *x)
{
	return mem_err_set(x->err, MEM_FAIL, "'%s': a record cannot be read: run mem-check", mem_store_path(x->s));
}

/* ---- nodes ---------------------------------------------------------------------- */

static void
keep_line(struct taxonomy_export *x, struct taxonomy_line kept, struct mem_str line)
{
	kept.at = x->lines.len;
	kept.n = line.n;
	x->waiting = mem_grow(x->waiting, &x->waiting_cap, x->nwaiting + 1, sizeof *x->waiting);
	x->waiting[x->nwaiting++] = kept;
	mem_buf_str(&x->lines, line);
}

static int
compare_waiting_lines(const void *a, const void *b)
{
	const struct taxonomy_line *x = a, *y = b;
	if (x->change != y->change)
		return x->change > y->change ? 1 : -1;
	int order = mem_id_cmp(&x->ids[0], &y->ids[0]);
	order = order != 0 ? order : mem_id_cmp(&x->ids[1], &y->ids[1]);
	return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

/* Hands over all that waits, in its order; then nothing does. */
static enum mem_status
put_waiting_lines(struct taxonomy_export *x, enum mem_status (*put)(struct taxonomy_export *x, struct mem_str line))
{
	enum mem_status st = MEM_OK;
	mem_sort(x->waiting, x->nwaiting, sizeof *x->waiting, compare_waiting_lines);
	for (size_t i = 0; i < x->nwaiting && st == MEM_OK; i++)
		st = put(x, (struct mem_str){ x->lines.data + x->waiting[i].at, x->waiting[i].n });
	x->nwaiting = 0;
	mem_buf_reset(&x->lines);
	return st;
}

/* The node that x->rec has. */
static enum mem_status
put_taxonomy_node(struct taxonomy_export *x, struct mem_json file, struct mem_json key)
{
	struct mem_json name = mem_rec_value(&x->rec, "name");
	/* A name that was made of the id is not one of the file's. */
	const bool made = graph_member_name(file, GRAPH_ID) != NULL && graph_member_name(file, GRAPH_NAME) == NULL &&
	    mem_str_eq(mem_json_text(&x->scratch, name), mem_str_trim(graph_name_of_id(mem_json_text(&x->scratch, key))));
	if (made)
		name.raw.n = 0;
	const struct present now[] = {
		{ GRAPH_ID, "id", key }, { GRAPH_TYPE, "type", mem_rec_value(&x->rec, "type") }, { GRAPH_NAME, "name", name },
		{ GRAPH_WEIGHT, "weight", find_weight(&x->rec) },
	};
	put_taxonomy_record(x, file, now, MEM_COUNT(now));
	return flush_taxonomy(x, OUT_BYTES);
}

static struct mem_json
find_node_key(const struct mem_rec *rec)
{
	struct mem_json ref = mem_rec_value(rec, "ref");
	return ref.type == MEM_JSON_STRING ? ref : mem_rec_value(rec, "id");
}

static enum mem_status
put_made_node(struct taxonomy_export *x, struct mem_str line)
{
	if (mem_rec_scan(&x->rec, line, NULL) != MEM_OK)
		return refuse_unreadable(x);
	return put_taxonomy_node(x, find_file_record(&x->rec, GRAPH_ID), find_node_key(&x->rec));
}

/* A mem_listing_line_fn. */
static enum mem_status
take_taxonomy_node(void *ctx, struct mem_str line, struct mem_err *err)
{
	struct taxonomy_export *x = ctx;
	struct mem_id id;
	(void)err; /* it is x->err */
	if (mem_rec_scan(&x->rec, line, NULL) != MEM_OK || !mem_json_id(mem_rec_value(&x->rec, "id"), &id))
		return refuse_unreadable(x);
	struct mem_json key = find_node_key(&x->rec), file = find_file_record(&x->rec, GRAPH_ID);
	x->nodes = mem_grow(x->nodes, &x->nodes_cap, x->nnodes + 1, sizeof *x->nodes);
	x->nodes[x->nnodes++] = (struct taxonomy_node){ id, mem_json_text(&x->arena, key) };
	if (graph_member_name(file, GRAPH_ID) != NULL)
		return put_taxonomy_node(x, file, key);
	keep_line(x, (struct taxonomy_line){ .change = LAST, .ids = { id } }, line);
	return MEM_OK;
}

static enum mem_status
put_taxonomy_nodes(struct taxonomy_export *x, const struct mem_filter *f)
{
	struct mem_listing *l = NULL;
	enum mem_status st = mem_listing_open(&l, x->s, f, NULL, x->err);
	if (st == MEM_OK)
		st = mem_listing_each(l, take_taxonomy_node, x, x->err);
	mem_listing_free(l);
	return st == MEM_OK || st == MEM_END ? put_waiting_lines(x, put_made_node) : st;
}

/* ---- edges ------------------------------------------------------------------------ */

static int
compare_taxonomy_nodes(const void *a, const void *b)
{
	return mem_id_cmp(&((const struct taxonomy_node *)a)->id, &((const struct taxonomy_node *)b)->id);
}

static const struct taxonomy_node *
find_taxonomy_node(const struct taxonomy_export *x, struct mem_json id_value)
{
	struct taxonomy_node wanted;
	if (!mem_json_id(id_value, &wanted.id))
		return NULL;
	return mem_sorted_find(&wanted, x->nodes, x->nnodes, sizeof *x->nodes, compare_taxonomy_nodes);
}

/* Keeps the edge that x->rec has, if both of its ends are nodes of it. */
static void
keep_edge_line(struct taxonomy_export *x, struct mem_str line, uint64_t change)
{
	const struct taxonomy_node *from = find_taxonomy_node(x, mem_rec_value(&x->rec, "from"));
	const struct taxonomy_node *to = find_taxonomy_node(x, mem_rec_value(&x->rec, "to"));
	if (from == NULL || to == NULL)
		return;
	const bool learnt = mem_json_there(mem_rec_value(&x->rec, "reinforced_at"));
	const bool of_file = graph_member_name(find_file_record(&x->rec, GRAPH_FROM), GRAPH_FROM) != NULL;
	keep_line(x, (struct taxonomy_line){ .change = of_file && !learnt ? change : LAST, .ids = { from->id, to->id } }, line);
}

static enum mem_status
keep_edge_lines(struct taxonomy_export *x, struct mem_str lines, const uint64_t *changes)
{
	for (; lines.n > 0; changes++) {
		size_t n = (size_t)((const char *)memchr(lines.p, '\n', lines.n) - lines.p);
		struct mem_str line = { lines.p, n };
		if (mem_rec_scan(&x->rec, line, NULL) != MEM_OK)
			return refuse_unreadable(x);
		keep_edge_line(x, line, *changes);
		lines = (struct mem_str){ lines.p + n + 1, lines.n - n - 1 };
	}
	return MEM_OK;
}

static enum mem_status
gather_edges_from(struct taxonomy_export *x, const struct mem_id *from, struct mem_buf *lines)
{
	struct mem_link_edge_filter f = MEM_LINK_EDGE_FILTER_INIT;
	struct mem_link_edges *l = NULL;
	size_t n;
	f.from = from;
	enum mem_status st = mem_link_edges_open(&l, x->s, &f, x->err);
	while (st == MEM_OK && (st = mem_link_edges_next(l, SIZE_MAX, lines, &n, x->err)) == MEM_OK) {
		st = keep_edge_lines(x, mem_buf_span(lines), link_edges_changes(l));
		mem_buf_reset(lines);
	}
	mem_link_edges_free(l);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
put_taxonomy_edge(struct taxonomy_export *x, struct mem_str line)
{
	if (mem_rec_scan(&x->rec, line, NULL) != MEM_OK)
		return refuse_unreadable(x);
	const struct taxonomy_node *from = find_taxonomy_node(x, mem_rec_value(&x->rec, "from"));
	const struct taxonomy_node *to = find_taxonomy_node(x, mem_rec_value(&x->rec, "to"));
	const struct present now[] = {
		{ GRAPH_FROM, "source", make_text_value(x, from->key) }, { GRAPH_TO, "target", make_text_value(x, to->key) },
		{ GRAPH_KIND, "type", mem_rec_value(&x->rec, "edge") }, { GRAPH_WEIGHT, "weight", find_weight(&x->rec) },
	};
	put_taxonomy_record(x, find_file_record(&x->rec, GRAPH_FROM), now, MEM_COUNT(now));
	return flush_taxonomy(x, OUT_BYTES);
}

static enum mem_status
put_taxonomy_edges(struct taxonomy_export *x)
{
	mem_sort(x->nodes, x->nnodes, sizeof *x->nodes, compare_taxonomy_nodes);
	struct mem_buf lines = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < x->nnodes && st == MEM_OK; i++)
		st = gather_edges_from(x, &x->nodes[i].id, &lines);
	mem_buf_release(&lines);
	return st == MEM_OK ? put_waiting_lines(x, put_taxonomy_edge) : st;
}

/* ---- the whole ----------------------------------------------------------------------- */

static enum mem_status
export_filtered(struct taxonomy_export *x, const struct mem_filter *f)
{
	mem_buf_puts(&x->out, "{\"nodes\":[");
	x->first = true;
	enum mem_status st = put_taxonomy_nodes(x, f);
	if (st != MEM_OK)
		return st;
	mem_buf_puts(&x->out, "\n],\"edges\":[");
	x->first = true;
	st = put_taxonomy_edges(x);
	if (st != MEM_OK)
		return st;
	mem_buf_puts(&x->out, "\n]}\n");
	return flush_taxonomy(x, 0);
}

enum mem_status
mem_graph_export_taxonomy(struct mem_store *s, const struct mem_filter *f, mem_emit_fn *emit, void *ctx, struct mem_err *err)
{
	struct taxonomy_export x = { .s = s, .emit = emit, .ctx = ctx, .err = err };
	enum mem_status st = export_filtered(&x, f);
	mem_buf_release(&x.out);
	mem_buf_release(&x.lines);
	mem_arena_release(&x.arena);
	mem_arena_release(&x.scratch);
	mem_rec_release(&x.rec);
	free(x.nodes);
	free(x.waiting);
	return st;
}
