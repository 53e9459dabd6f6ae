/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes in commit order, as a filter leaves them. */
#include "query/known_record.h"
#include "base/numbers.h"
#include "base/order.h"
#include "query/query.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

#define SNAPSHOT_NODES_MAX 1000  /* nodes that one snapshot hands out, */
#define SNAPSHOT_ROWS_MAX 20000  /* and rows that it passes over: a snapshot is short */

struct mem_listing {
	struct mem_store *s;
	struct mem_filter f;
	uint32_t next;            /* the first ord not looked at */
	bool gathered;            /* a name or a session is demanded: all of its nodes are in ords, */
	uint32_t *ords;           /* rising, each once */
	size_t nords, ords_cap, at;
	struct mem_scope scope;   /* as of this snapshot */
	struct mem_rec rec;       /* for what only the text tells */
	struct mem_buf room;
	struct mem_buf known;     /* the record as it was known then */
};

/* ---- what passes --------------------------------------------------------- */

/* Looked up anew in each snapshot: namespaces come into being. */
static enum mem_status
look_up_scope(struct mem_listing *l, struct mem_txn *t, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = mem_filter_visible(&l->f, t, &ns, &n, err);
	mem_scope_release(&l->scope);
	mem_scope_init(&l->scope, ns, n);
	free(ns);
	return st;
}

/* What attr does not tell: terms, the category, and the type and session where they are not known by number. */
static enum mem_status
check_node_text(struct mem_listing *l, struct mem_str json, bool *pass, struct mem_err *err)
{
	*pass = true;
	if (l->f.nterms == 0 && l->f.types.n == 0 && l->f.categories.n == 0 && !(l->f.names.n > 0 && l->f.session.n > 0))
		return MEM_OK;
	if (mem_rec_scan(&l->rec, json, err) != MEM_OK)
		return mem_err_set(err, MEM_FAIL, "'%s': a node's text cannot be read: run mem-check", mem_store_path(l->s));
	*pass = mem_filter_terms(&l->f, mem_store_secret(l->s), &l->rec) && mem_filter_type(&l->f, &l->rec, &l->room)
	    && mem_filter_category(&l->f, &l->rec, &l->room) && mem_filter_session(&l->f, &l->rec, &l->room);
	return MEM_OK;
}

/* ---- the way through ----------------------------------------------------- */

static void
keep_listed_ord(void *ctx, uint32_t ord)
{
	struct mem_listing *l = ctx;
	if (ord < l->next)
		return;
	l->ords = mem_grow(l->ords, &l->ords_cap, l->nords + 1, sizeof *l->ords);
	l->ords[l->nords++] = ord;
}

static enum mem_status
find_session_nodes(struct mem_listing *l, struct mem_txn *t, const struct mem_ns *ns, struct mem_err *err)
{
	int64_t at = MEM_TIME_NONE;
	uint32_t ord = 0;
	enum mem_status st;
	while ((st = mem_node_in_session(t, mem_str(ns->name), l->f.session, false, &at, &ord, err)) == MEM_OK)
		keep_listed_ord(l, ord);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
find_named_nodes(struct mem_listing *l, struct mem_txn *t, const struct mem_ns *ns, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < l->f.names.n && st == MEM_OK; i++) {
		mem_buf_reset(&l->room);
		mem_text_fold(&l->room, l->f.names.v[i]);
		if (l->room.len > 0)
			st = mem_nodes_named(t, ns->number, mem_buf_span(&l->room), keep_listed_ord, l, err);
	}
	return st;
}

/* The nodes of a name or of a session are few: they are gathered once, so that the rest of the store is not read. */
static enum mem_status
gather_listed_nodes(struct mem_listing *l, struct mem_txn *t, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	size_t n = 0, kept = 0;
	enum mem_status st = mem_filter_visible(&l->f, t, &ns, &n, err);
	/* A namespace's names and sessions are those of its compartments, too. */
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		if (ns[i].root == ns[i].number)
			st = l->f.names.n > 0 ? find_named_nodes(l, t, &ns[i], err) : find_session_nodes(l, t, &ns[i], err);
	free(ns);
	mem_sort(l->ords, l->nords, sizeof *l->ords, mem_number_compare);
	for (size_t i = 0; i < l->nords; i++)
		if (kept == 0 || l->ords[kept - 1] != l->ords[i])
			l->ords[kept++] = l->ords[i];
	l->nords = kept;
	return st;
}

enum mem_status
mem_listing_open(struct mem_listing **out, struct mem_store *s, const struct mem_filter *f, const struct mem_id *after,
    struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_listing *l = mem_xcalloc(1, sizeof *l);
	l->s = s;
	mem_filter_copy(&l->f, f);
	mem_filter_prepare(&l->f, s, (struct mem_kind_set){ 0 });
	l->gathered = f->session.n > 0 || f->names.n > 0;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK && after != NULL) {
		st = mem_node_by_id(t, after, &node, err);
		if (st == MEM_OK && !mem_node_readable(t, node.attr))
			st = MEM_NOTFOUND;
		if (st == MEM_OK)
			l->next = node.ord + 1;
	}
	if (st == MEM_OK && l->gathered)
		st = gather_listed_nodes(l, t, err);
	mem_txn_end(t);
	if (st != MEM_OK) {
		mem_listing_free(l);
		return st;
	}
	*out = l;
	return MEM_OK;
}

/* The next node's attributes at or after l->next; MEM_END at the end, MEM_DAMAGED when those of *ord are. */
static enum mem_status
read_next_attr(struct mem_listing *l, struct mem_txn *t, struct mem_cursor *c, bool first, uint32_t *ord,
    const struct mem_attr **a, struct mem_err *err)
{
	uint8_t key[4];
	if (l->gathered) {
		if (l->at == l->nords)
			return MEM_END;
		*ord = l->ords[l->at++];
		enum mem_status st = mem_attr_at(t, *ord, a, err);
		if (st == MEM_NOTFOUND)
			*a = NULL; /* removed since it was gathered */
		return st == MEM_NOTFOUND ? MEM_OK : st;
	}
	mem_be32(key, l->next);
	enum mem_status st = first ? mem_cursor_seek(c, (struct mem_str){ (const char *)key, 4 }, err) : mem_cursor_next(c, err);
	if (st != MEM_OK)
		return st;
	struct mem_str k = mem_cursor_key(c), v;
	if (k.n != 4)
		return mem_err_set(err, MEM_FAIL, "'%s': table attr is damaged: run mem-check", mem_store_path(l->s));
	*ord = mem_be32_get((const uint8_t *)k.p);
	l->next = *ord + 1;
	st = mem_cursor_read(c, &v, err);
	*a = (const struct mem_attr *)(const void *)v.p;
	return st == MEM_OK && v.n != sizeof **a ? MEM_DAMAGED : st;
}

/* Is the node of these attributes in the list?  Then its text; of one that is damaged MEM_DAMAGED. */
static enum mem_status
read_listed_node(struct mem_listing *l, struct mem_txn *t, uint32_t ord, const struct mem_attr *a, struct mem_str *json, bool *pass,
    struct mem_err *err)
{
	*pass = a != NULL && mem_scope_sees(&l->scope, a->ns);
	enum mem_status st = *pass ? mem_filter_attr(&l->f, t, a, mem_txn_now(t), pass, err) : MEM_OK;
	if (st != MEM_OK || !*pass)
		return st;
	st = mem_node_text_at(t, ord, json, err);
	if (st == MEM_NOTFOUND) /* attributes without a text are damage, too */
		return MEM_DAMAGED;
	if (st == MEM_OK)
		st = check_node_text(l, *json, pass, err);
	return st == MEM_OK && *pass ? query_known_record(json, &l->known, t, ord, &l->f.past, err) : st;
}

static enum mem_status
append_node_lines(struct mem_listing *l, struct mem_txn *t, struct mem_cursor *c, size_t max, struct mem_buf *lines, size_t *n,
    struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t seen = 0; st == MEM_OK && *n < max && seen < SNAPSHOT_ROWS_MAX; seen++) {
		const struct mem_attr *a;
		struct mem_str json;
		uint32_t ord = 0;
		bool pass = false;
		st = read_next_attr(l, t, c, seen == 0, &ord, &a, err);
		if (st == MEM_OK)
			st = read_listed_node(l, t, ord, a, &json, &pass, err);
		if (st == MEM_DAMAGED || st == MEM_NOTFOUND) {
			mem_node_damage_note(t, ord);
			st = MEM_OK;
			continue;
		}
		if (st == MEM_OK && pass) {
			mem_buf_str(lines, json);
			mem_buf_putc(lines, '\n');
			++*n;
		}
	}
	return st;
}

enum mem_status
mem_listing_next(struct mem_listing *l, size_t max, struct mem_buf *lines, size_t *n, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_cursor *c = NULL;
	*n = 0;
	enum mem_status st = mem_txn_read(&t, l->s, err);
	if (st != MEM_OK)
		return st;
	st = look_up_scope(l, t, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = append_node_lines(l, t, c, max < SNAPSHOT_NODES_MAX ? max : SNAPSHOT_NODES_MAX, lines, n, err);
	mem_cursor_close(c);
	mem_txn_end(t);
	return st;
}

enum mem_status
mem_listing_each(struct mem_listing *l, mem_listing_line_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_buf lines = { 0 };
	enum mem_status st = MEM_OK;
	while (st == MEM_OK) {
		size_t n;
		mem_buf_reset(&lines);
		st = mem_listing_next(l, SNAPSHOT_NODES_MAX, &lines, &n, err);
		struct mem_str left = mem_buf_span(&lines);
		while (left.n > 0 && (st == MEM_OK || st == MEM_END)) {
			n = (size_t)((const char *)memchr(left.p, '\n', left.n) - left.p);
			enum mem_status given = fn(ctx, (struct mem_str){ left.p, n }, err);
			left = (struct mem_str){ left.p + n + 1, left.n - n - 1 };
			st = given != MEM_OK ? given : st;
		}
	}
	mem_buf_release(&lines);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- from the end on ------------------------------------------------------ */

/* The last row of attr before *ord that is not before l->next; MEM_END: there is none. */
static enum mem_status
step_back(struct mem_listing *l, struct mem_cursor *c, uint64_t *ord, struct mem_err *err)
{
	uint8_t key[4];
	enum mem_status st = MEM_END;
	if (*ord <= UINT32_MAX) {
		mem_be32(key, (uint32_t)*ord);
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)key, 4 }, err);
	}
	st = st == MEM_OK ? mem_cursor_prev(c, err) : st == MEM_END ? mem_cursor_last(c, err) : st;
	if (st != MEM_OK)
		return st;
	struct mem_str k = mem_cursor_key(c);
	if (k.n != 4)
		return mem_err_set(err, MEM_FAIL, "'%s': table attr is damaged: run mem-check", mem_store_path(l->s));
	*ord = mem_be32_get((const uint8_t *)k.p);
	return *ord < l->next ? MEM_END : MEM_OK;
}

/* The node before *ord, or of those that were gathered the one before number *at. */
static enum mem_status
find_listed_before(struct mem_listing *l, struct mem_cursor *c, uint64_t *ord, size_t *at, struct mem_err *err)
{
	if (!l->gathered)
		return step_back(l, c, ord, err);
	if (*at == l->at)
		return MEM_END;
	*ord = l->ords[--*at];
	return MEM_OK;
}

/* Goes back over at most SNAPSHOT_ROWS_MAX nodes until *n of the list have been passed. */
static enum mem_status
go_back(struct mem_listing *l, struct mem_txn *t, struct mem_cursor *c, uint64_t *ord, size_t *at, uint64_t *n, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t seen = 0; *n > 0 && seen < SNAPSHOT_ROWS_MAX; seen++) {
		const struct mem_attr *a = NULL;
		struct mem_str json;
		bool pass = false;
		st = find_listed_before(l, c, ord, at, err);
		if (st != MEM_OK)
			return st;
		st = mem_attr_at(t, (uint32_t)*ord, &a, err);
		if (st == MEM_OK)
			st = read_listed_node(l, t, (uint32_t)*ord, a, &json, &pass, err);
		if (st != MEM_OK && st != MEM_DAMAGED && st != MEM_NOTFOUND) /* damage is told on the way forward */
			return st;
		*n -= st == MEM_OK && pass;
	}
	return MEM_OK;
}

enum mem_status
mem_listing_skip_to_last(struct mem_listing *l, uint64_t n, struct mem_err *err)
{
	uint64_t ord = (uint64_t)UINT32_MAX + 1;
	size_t at = l->nords;
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && n > 0) {
		struct mem_txn *t = NULL;
		struct mem_cursor *c = NULL;
		st = mem_txn_read(&t, l->s, err);
		if (st == MEM_OK)
			st = look_up_scope(l, t, err);
		if (st == MEM_OK)
			st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
		if (st == MEM_OK)
			st = go_back(l, t, c, &ord, &at, &n, err);
		mem_cursor_close(c);
		mem_txn_end(t);
	}
	if (st == MEM_OK) { /* else there are not so many: all of them are the last ones */
		l->next = (uint32_t)ord;
		l->at = at;
	}
	return st == MEM_END ? MEM_OK : st;
}

void
mem_listing_free(struct mem_listing *l)
{
	if (l == NULL)
		return;
	mem_rec_release(&l->rec);
	mem_buf_release(&l->room);
	mem_buf_release(&l->known);
	mem_filter_release(&l->f);
	mem_scope_release(&l->scope);
	free(l->ords);
	free(l);
}
