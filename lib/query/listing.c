/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes in commit order, as a filter leaves them. */
#include "query/query.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

#define PIECE 1000      /* nodes that one snapshot hands out, */
#define SCAN_MAX 20000  /* and rows that it passes over: a snapshot is short */

struct mem_listing {
	struct mem_store *s;
	const struct mem_listing_ask *f;
	uint32_t next;            /* the first ord not looked at */
	bool by_session, done;
	uint32_t *ords;           /* of the session, rising */
	size_t nords, at;
	uint32_t *ns;             /* numbers that pass, rising, as of this snapshot */
	size_t nns;
	struct mem_rec rec;       /* for tags */
};

/* ---- what passes --------------------------------------------------------- */

enum mem_status
mem_listing_words(struct mem_listing_ask *f, const char *const *kinds, size_t nkinds, const char *const *roles, size_t nroles,
    struct mem_err *err)
{
	for (size_t i = 0; i < nkinds; i++) {
		enum mem_kind k = mem_kind_parse(mem_str(kinds[i]));
		if (k == MEM_KIND_NONE)
			return mem_err_set(err, MEM_USAGE, "no such kind of node: %s", kinds[i]);
		f->kinds |= 1u << k;
	}
	for (size_t i = 0; i < nroles; i++) {
		enum mem_role r = mem_role_parse(mem_str(roles[i]));
		if (r == MEM_ROLE_NONE)
			return mem_err_set(err, MEM_USAGE, "no such role: %s", roles[i]);
		f->roles |= 1u << r;
	}
	for (size_t i = 0; i < f->nns; i++)
		if (!mem_ns_valid(mem_str(f->ns[i])))
			return mem_err_set(err, MEM_USAGE, "no namespace: %s (agent:ID, team:ID, task:ID, global or system)", f->ns[i]);
	return MEM_OK;
}

static bool
named(const struct mem_listing_ask *f, const char *name)
{
	for (size_t i = 0; i < f->nns; i++)
		if (strcmp(f->ns[i], name) == 0)
			return true;
	return f->nns == 0;
}

/* Looked up anew in each snapshot: namespaces come into being. */
static enum mem_status
ns_numbers(struct mem_listing *l, struct mem_txn *t, struct mem_err *err)
{
	struct mem_ns *seen = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_visible(t, &seen, &n, err);
	free(l->ns);
	l->ns = mem_xmalloc((n + 1) * sizeof *l->ns);
	l->nns = 0;
	for (size_t i = 0; i < n; i++)
		if (named(l->f, seen[i].name))
			l->ns[l->nns++] = seen[i].number;
	free(seen);
	return st;
}

static bool
ns_passes(const struct mem_listing *l, uint32_t ns)
{
	for (size_t i = 0; i < l->nns; i++)
		if (l->ns[i] == ns)
			return true;
	return false;
}

static bool
attr_passes(const struct mem_listing *l, const struct mem_attr *a, int64_t now)
{
	const struct mem_listing_ask *f = l->f;
	return ns_passes(l, a->ns) && (f->kinds == 0 || (f->kinds >> a->kind & 1) != 0) &&
	    (f->roles == 0 || (f->roles >> a->role & 1) != 0) && a->captured_at >= f->since && a->captured_at < f->until &&
	    (!f->live || mem_attr_live(a, now));
}

static bool
has_tag(const struct mem_field *tags, const char *tag)
{
	if (tags == NULL || tags->value.type != MEM_JSON_ARRAY)
		return false;
	for (struct mem_json_iter it = mem_json_each(tags->value); mem_json_next(&it);)
		if (mem_json_is(it.value, tag))
			return true;
	return false;
}

static enum mem_status
tags_pass(struct mem_listing *l, struct mem_str json, bool *pass, struct mem_err *err)
{
	*pass = true;
	if (l->f->ntags == 0)
		return MEM_OK;
	if (mem_rec_scan(&l->rec, json, err) != MEM_OK)
		return mem_err_set(err, MEM_FAIL, "'%s': a node's text cannot be read: run mem-check", mem_store_path(l->s));
	const struct mem_field *tags = mem_rec_find(&l->rec, "tags");
	for (size_t i = 0; i < l->f->ntags; i++)
		*pass = *pass && has_tag(tags, l->f->tags[i]);
	return MEM_OK;
}

/* ---- the way through ----------------------------------------------------- */

static int
by_ord(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* A session's nodes are few: they are gathered once, so that the rest of the store is not read. */
static enum mem_status
gather_session(struct mem_listing *l, struct mem_txn *t, struct mem_err *err)
{
	struct mem_ns *seen = NULL;
	size_t n = 0, cap = 0;
	enum mem_status st = mem_ns_visible(t, &seen, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		int64_t at = MEM_TIME_NONE;
		uint32_t ord = 0;
		if (!named(l->f, seen[i].name))
			continue;
		while ((st = mem_node_in_session(t, mem_str(seen[i].name), l->f->session, false, &at, &ord, err)) == MEM_OK) {
			if (ord < l->next)
				continue;
			l->ords = mem_grow(l->ords, &cap, l->nords + 1, sizeof *l->ords);
			l->ords[l->nords++] = ord;
		}
		st = st == MEM_NONE ? MEM_OK : st;
	}
	free(seen);
	if (l->nords > 0)
		qsort(l->ords, l->nords, sizeof *l->ords, by_ord);
	return st;
}

enum mem_status
mem_listing_open(struct mem_listing **out, struct mem_store *s, const struct mem_listing_ask *f, const struct mem_id *after,
    struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_listing *l = mem_xcalloc(1, sizeof *l);
	l->s = s;
	l->f = f;
	l->by_session = f->session.n > 0;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK && after != NULL) {
		st = mem_node_by_id(t, after, &node, err);
		if (st == MEM_OK && !mem_node_readable(t, node.attr))
			st = MEM_NONE;
		if (st == MEM_OK)
			l->next = node.ord + 1;
	}
	if (st == MEM_OK && l->by_session)
		st = gather_session(l, t, err);
	mem_txn_end(t);
	if (st != MEM_OK) {
		mem_listing_free(l);
		return st;
	}
	*out = l;
	return MEM_OK;
}

/* The next node's attributes at or after l->next; MEM_NONE at the end. */
static enum mem_status
advance(struct mem_listing *l, struct mem_txn *t, struct mem_cursor *c, bool first, uint32_t *ord,
    const struct mem_attr **a, struct mem_err *err)
{
	uint8_t key[4];
	if (l->by_session) {
		if (l->at == l->nords)
			return MEM_NONE;
		*ord = l->ords[l->at++];
		enum mem_status st = mem_attr_at(t, *ord, a, err);
		if (st == MEM_NONE)
			*a = NULL; /* removed since it was gathered */
		return st == MEM_NONE ? MEM_OK : st;
	}
	mem_be32(key, l->next);
	enum mem_status st = first ? mem_cursor_seek(c, (struct mem_str){ (const char *)key, 4 }, err) : mem_cursor_next(c, err);
	if (st != MEM_OK)
		return st;
	struct mem_str k = mem_cursor_key(c), v = mem_cursor_value(c);
	if (k.n != 4 || v.n != sizeof **a)
		return mem_err_set(err, MEM_FAIL, "'%s': table attr is damaged: run mem-check", mem_store_path(l->s));
	*ord = mem_be32_get((const uint8_t *)k.p);
	*a = (const struct mem_attr *)(const void *)v.p;
	l->next = *ord + 1;
	return MEM_OK;
}

static enum mem_status
piece(struct mem_listing *l, struct mem_txn *t, struct mem_cursor *c, size_t max, struct mem_buf *lines, size_t *n,
    struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t seen = 0; st == MEM_OK && *n < max && seen < SCAN_MAX; seen++) {
		const struct mem_attr *a;
		struct mem_node node;
		uint32_t ord = 0;
		bool pass;
		st = advance(l, t, c, seen == 0, &ord, &a, err);
		if (st != MEM_OK || a == NULL || !attr_passes(l, a, mem_txn_now(t)))
			continue;
		st = mem_node_at(t, ord, &node, err);
		if (st == MEM_NONE)
			st = mem_err_set(err, MEM_FAIL, "'%s': attributes without a node: run mem-check", mem_store_path(l->s));
		if (st == MEM_OK)
			st = tags_pass(l, node.json, &pass, err);
		if (st == MEM_OK && pass) {
			mem_buf_str(lines, node.json);
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
	st = ns_numbers(l, t, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = piece(l, t, c, max < PIECE ? max : PIECE, lines, n, err);
	mem_cursor_close(c);
	mem_txn_end(t);
	return st;
}

void
mem_listing_free(struct mem_listing *l)
{
	if (l == NULL)
		return;
	mem_rec_release(&l->rec);
	free(l->ords);
	free(l->ns);
	free(l);
}
