/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that rows, codes and nodes agree; drops rows that cannot be read or belong to no node. */
#include "vectors/vectors_int.h"
#include "store/node.h"

#include <assert.h>
#include <stdlib.h>

/* What is known of a vector. */
enum { ROW = 1, BAD = 2, CODE = 4 };

struct passage_flags {
	uint64_t place;
	uint8_t flags;
};

struct vector_check {
	struct mem_txn *t;
	mem_breach_fn *fn;
	void *ctx;
	struct mem_err *err;
	struct mem_vectors_model m;
	struct mem_code_mean mean;
	struct mem_cursor *rows;
	struct vectors_row_block at;
	float *v;
	uint8_t *code, *made;
	uint8_t *seen;         /* by ord: of its first passage */
	size_t nseen, cap;
	struct passage_flags *more; /* of the others that have a row; by place */
	size_t nmore, more_cap;
	uint64_t last;         /* place of the row before */
	uint32_t text_ord;     /* of the node with several passages that was looked at last */
	size_t text_bytes;     /* its record's length; SIZE_MAX: it cannot be read */
	bool unsure;           /* a value of rows cannot be read: mem-check tells that of its nodes */
};

static void
report_vector_breach(struct vector_check *c, const char *check, const char *table, uint32_t ord, const char *message)
{
	uint8_t key[4];
	mem_be32(key, ord);
	struct mem_breach b = { check, table, mem_key(key, sizeof key), message };
	c->fn(c->ctx, &b);
}

static uint8_t *
find_flags(const struct vector_check *c, uint64_t place)
{
	uint32_t ord = vectors_place_ord(place);
	if (vectors_place_passage(place) == 0)
		return ord < c->nseen ? &c->seen[ord] : NULL;
	size_t lo = 0, n = c->nmore;
	while (n > 0) {
		size_t half = n / 2;
		if (c->more[lo + half].place < place) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo < c->nmore && c->more[lo].place == place ? &c->more[lo].flags : NULL;
}

static unsigned
flags_of_place(const struct vector_check *c, uint64_t place)
{
	const uint8_t *flags = find_flags(c, place);
	return flags != NULL ? *flags : 0;
}

static void
mark_first_passage(struct vector_check *c, uint32_t ord, unsigned bits)
{
	if (ord >= c->nseen) {
		size_t n = (size_t)ord + 1;
		c->seen = mem_grow(c->seen, &c->cap, n, 1);
		memset(c->seen + c->nseen, 0, n - c->nseen);
		c->nseen = n;
	}
	assert(c->seen != NULL);
	c->seen[ord] = (uint8_t)(c->seen[ord] | bits);
}

/* Rows come in order of place. */
static void
mark_row(struct vector_check *c, uint64_t place, unsigned bits)
{
	if (vectors_place_passage(place) == 0) {
		mark_first_passage(c, vectors_place_ord(place), bits);
		return;
	}
	c->more = mem_grow(c->more, &c->more_cap, c->nmore + 1, sizeof *c->more);
	c->more[c->nmore++] = (struct passage_flags){ place, (uint8_t)bits };
}

static void
mark_code(struct vector_check *c, uint64_t place)
{
	uint8_t *flags = find_flags(c, place);
	if (flags != NULL)
		*flags |= CODE;
	else if (vectors_place_passage(place) == 0)
		mark_first_passage(c, vectors_place_ord(place), CODE);
}

static bool
is_in_table(struct mem_txn *t, enum mem_table tab, uint32_t ord)
{
	uint8_t key[4];
	mem_be32(key, ord);
	return mem_tab_has(t, tab, mem_key(key, sizeof key));
}

/* ---- rows ------------------------------------------------------------- */

static void
check_row_block(struct vector_check *c, const struct vectors_row_block *r)
{
	for (size_t i = 0; i < r->n; i++) {
		uint64_t place = vectors_rows_place(r, i);
		uint32_t ord = vectors_place_ord(place);
		if (vectors_rows_intact(r, i) && vectors_is_zero_row(vectors_rows_at(r, i), r->bytes))
			continue;
		memcpy(c->v, vectors_rows_at(r, i), r->bytes);
		mark_row(c, place, vectors_rows_intact(r, i) && mem_vectors_is_unit(c->v, c->m.dims) ? ROW : ROW | BAD);
		if (!is_in_table(c->t, MEM_T_NODE, ord) && !is_in_table(c->t, MEM_T_ATTR, ord))
			report_vector_breach(c, "vector_stray", "row", ord, "a vector of no node");
		else if (vectors_place_passage(place) > 0 && c->last != place - 1)
			report_vector_breach(c, "passage_missing", "row", ord, "a node's passages have a gap");
		c->last = place;
	}
}

/* Whose value it is comes upon it when its vector is looked for, and is told there. */
static void
report_bad_block(struct vector_check *c, struct mem_str key)
{
	struct mem_breach b = { "row_bad", "row", key, "vectors cannot be read" };
	c->unsure = true;
	if (key.n != 12 || !is_in_table(c->t, MEM_T_NODE, mem_be32_get((const uint8_t *)key.p)))
		c->fn(c->ctx, &b);
}

static enum mem_status
check_vector_rows(struct vector_check *c)
{
	struct mem_cursor *cur = NULL;
	struct vectors_row_block r;
	struct mem_err why;
	uint64_t next = 0;
	enum mem_status st = mem_cursor_open(&cur, c->t, MEM_T_ROW, c->err);
	if (st == MEM_OK)
		st = mem_cursor_seek(cur, (struct mem_str){ NULL, 0 }, c->err);
	for (; st == MEM_OK; st = mem_cursor_next(cur, c->err)) {
		if (vectors_rows_parse(&r, mem_cursor_key(cur), mem_cursor_value(cur), c->m.dims, &why) != MEM_OK) {
			report_bad_block(c, mem_cursor_key(cur));
			continue;
		}
		if (r.first < next)
			report_vector_breach(c, "row_order", "row", vectors_place_ord(r.first), "vectors of the same nodes lie in two places");
		next = r.last + 1;
		check_row_block(c, &r);
	}
	mem_cursor_close(cur);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- codes ------------------------------------------------------------ */

static bool
has_node_columns(struct vector_check *c, const struct vectors_tail_head *h)
{
	const struct mem_attr *a;
	struct mem_err why;
	if (mem_attr_at(c->t, h->ord, &a, &why) != MEM_OK)
		return true; /* told as node_missing or attr_missing */
	return a->ns == h->ns && a->kind == h->kind && a->role == h->role && a->session == h->session
	    && a->captured_at == h->captured_at;
}

/* The length of a node's record, of which all passages come one after the other: its checksum is worked out once. */
static size_t
measure_record(struct vector_check *c, uint32_t ord)
{
	uint8_t key[4];
	struct mem_str node;
	struct mem_err why;
	if (c->text_bytes != 0 && c->text_ord == ord)
		return c->text_bytes;
	mem_be32(key, ord);
	c->text_ord = ord;
	c->text_bytes = mem_tab_get(c->t, MEM_T_NODE, mem_key(key, sizeof key), &node, &why) == MEM_OK ? node.n : SIZE_MAX;
	return c->text_bytes;
}

/* Only the passages of nodes that have several lie somewhere in the text, which is no longer than the record. */
static bool
has_right_span(struct vector_check *c, const struct vectors_tail_head *h)
{
	if ((flags_of_place(c, vectors_place(h->ord, 1)) & ROW) != 0)
		return h->span.start < h->span.end && h->span.end <= measure_record(c, h->ord);
	return h->span.start == 0 && h->span.end == 0;
}

static void
compare_code_with_row(struct vector_check *c, const struct vectors_tail_head *h, const uint8_t *code, const char *table)
{
	size_t at = 0;
	struct mem_err why;
	if (vectors_rows_find(c->rows, c->m.dims, vectors_place(h->ord, h->passage), &c->at, &at, &why) != MEM_OK)
		return; /* told as row_bad */
	memcpy(c->v, vectors_rows_at(&c->at, at), c->at.bytes);
	mem_code_make(&c->mean, c->v, c->made);
	if (memcmp(c->made, code, mem_code_bytes(c->m.dims)) != 0)
		report_vector_breach(c, "code_differs", table, h->ord, "the index guesses at another vector than the node has");
	else if (!has_node_columns(c, h))
		report_vector_breach(c, "code_column", table, h->ord, "the index filters a vector by another kind, role, time or session than its node has");
	else if (!has_right_span(c, h))
		report_vector_breach(c, "code_span", table, h->ord, "the index does not know where a passage lies, or knows it of a whole text");
}

static enum mem_status
check_code(struct vector_check *c, const struct vectors_tail_head *h, const uint8_t *code, const char *table)
{
	uint64_t place = vectors_place(h->ord, h->passage);
	unsigned k = flags_of_place(c, place);
	mark_code(c, place);
	if ((k & CODE) != 0)
		report_vector_breach(c, "code_twice", table, h->ord, "a vector is guessed at twice");
	else if ((k & ROW) == 0 && !c->unsure)
		report_vector_breach(c, "code_stray", table, h->ord, "the index guesses at a vector that is not there");
	else if ((k & (ROW | BAD)) == ROW)
		compare_code_with_row(c, h, code, table);
	return MEM_OK;
}

static enum mem_status
check_tail_codes(struct vector_check *c)
{
	struct mem_cursor *cur = NULL;
	struct vectors_tail_head h;
	const uint8_t *code;
	struct mem_err why;
	enum mem_status st = mem_cursor_open(&cur, c->t, MEM_T_CODE, c->err);
	if (st == MEM_OK)
		st = mem_cursor_seek(cur, (struct mem_str){ NULL, 0 }, c->err);
	while (st == MEM_OK) {
		struct mem_str key = mem_cursor_key(cur);
		if (vectors_tail_read(&h, &code, cur, c->m.dims, &why) == MEM_OK) {
			st = check_code(c, &h, code, "code");
		} else {
			struct mem_breach b = { "code_bad", "code", key, "a code cannot be read" };
			c->fn(c->ctx, &b);
			if (key.n == VECTORS_TAIL_KEY)
				mark_code(c, vectors_place(mem_be32_get((const uint8_t *)key.p), (uint32_t)(uint8_t)key.p[4] << 8 | (uint8_t)key.p[5]));
		}
		if (st == MEM_OK)
			st = mem_cursor_next(cur, c->err);
	}
	mem_cursor_close(cur);
	return st == MEM_END ? MEM_OK : st;
}

static bool
read_segment_code(struct vector_check *c, struct mem_seg *seg, struct mem_cols *cols, uint32_t doc, struct vectors_tail_head *h)
{
	const uint8_t *block = mem_seg_elem(seg, MEM_SEC_CODE, doc / MEM_CODE_BLOCK);
	const uint8_t *fine = mem_seg_elem(seg, MEM_SEC_FINE, doc);
	size_t coarse = mem_code_bytes(c->m.dims) - mem_code_fine_bytes(c->m.dims);
	if (block == NULL || fine == NULL || (cols->zone != doc / MEM_ZONE_DOCS
	    && !mem_cols_load(cols, seg, doc / MEM_ZONE_DOCS, MEM_COLS_ALL)))
		return false;
	uint32_t i = doc - cols->first;
	*h = (struct vectors_tail_head){ .captured_at = mem_cols_time(cols, i),
		.ord = mem_cols_ord(cols, i), .ns = mem_seg_ns(seg, doc), .passage = (uint16_t)mem_cols_length(cols, i),
		.session = mem_cols_session(cols, i), .kind = mem_cols_kind(cols, i), .role = mem_cols_role(cols, i) };
	mem_code_block_get(block, c->m.dims, doc % MEM_CODE_BLOCK, c->code);
	memcpy(c->code + coarse, fine, mem_code_fine_bytes(c->m.dims));
	return vectors_segment_span(seg, doc, &h->span) && seg->status == MEM_OK;
}

/* Damage of the segment is one breach. */
static enum mem_status
check_segment_codes(struct vector_check *c, const struct mem_segment_info *s)
{
	struct mem_cols cols = { .zone = UINT32_MAX };
	struct mem_seg seg;
	struct mem_err why = { 0 };
	struct vectors_tail_head h;
	enum mem_status st = mem_seg_open_table(&seg, c->t, s->number,
	    (struct mem_str){ (const char *)&s->m, sizeof s->m }, &why);
	if (st == MEM_OK && mem_seg_verify_all(&seg))
		mem_seg_tombs_load(&seg, c->t);
	if (st == MEM_OK && s->m.dims != c->m.dims)
		mem_seg_damaged(&seg, "vectors of another model");
	for (uint32_t doc = 0; st == MEM_OK && seg.status == MEM_OK && doc < s->m.docs; doc++) {
		if (!mem_seg_is_dead(&seg, doc) && read_segment_code(c, &seg, &cols, doc, &h))
			st = check_code(c, &h, c->code, "seg");
	}
	if (seg.status != MEM_OK) {
		struct mem_breach b = { "index_bad", "seg", { "", 0 }, why.msg };
		c->fn(c->ctx, &b);
		c->unsure = true;
		st = MEM_OK;
	}
	mem_seg_close(&seg);
	return st;
}

static void
report_missing_codes(struct vector_check *c)
{
	for (uint32_t ord = 0; ord < c->nseen; ord++)
		if (c->seen[ord] == ROW && is_in_table(c->t, MEM_T_NODE, ord))
			report_vector_breach(c, "code_missing", "code", ord, "a vector is not in the index");
	for (size_t i = 0; i < c->nmore; i++)
		if (c->more[i].flags == ROW && is_in_table(c->t, MEM_T_NODE, vectors_place_ord(c->more[i].place)))
			report_vector_breach(c, "code_missing", "code", vectors_place_ord(c->more[i].place), "a vector is not in the index");
}

static enum mem_status
check_codes(struct vector_check *c)
{
	struct mem_segment_info *segs = NULL;
	size_t n = 0;
	bool unsure = c->unsure;
	enum mem_status st = check_tail_codes(c);
	if (st == MEM_OK)
		st = mem_segment_list(c->t, true, &segs, &n, c->err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		st = check_segment_codes(c, &segs[i]);
	if (st == MEM_OK && c->unsure == unsure)
		report_missing_codes(c);
	free(segs);
	return st;
}

enum mem_status
mem_vectors_check(struct mem_txn *t, mem_breach_fn *fn, void *ctx, struct mem_err *err)
{
	struct vector_check c = { .t = t, .fn = fn, .ctx = ctx, .err = err, .last = UINT64_MAX };
	struct mem_err why;
	enum mem_status st = mem_vectors_model_get(t, &c.m, &why);
	if (st != MEM_OK) {
		struct mem_breach b = { "model_bad", "meta", MEM_STR("model"),
			st == MEM_NOTFOUND ? "vectors, and nothing says who made them" : why.msg };
		if (st != MEM_NOTFOUND || mem_tab_count(t, MEM_T_ROW) > 0 || mem_tab_count(t, MEM_T_PIECE) > 0)
			fn(ctx, &b);
		return MEM_OK;
	}
	mem_code_mean_init(&c.mean, c.m.mean, c.m.dims);
	c.v = mem_xmalloc(c.m.dims * sizeof *c.v);
	c.code = mem_xcalloc(2, mem_code_bytes(c.m.dims));
	c.made = c.code + mem_code_bytes(c.m.dims);
	st = check_vector_rows(&c);
	if (st == MEM_OK)
		st = mem_cursor_open(&c.rows, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = check_codes(&c);
	if (st == MEM_OK)
		st = vectors_pieces_check(t, c.m.dims, fn, ctx, err);
	mem_cursor_close(c.rows);
	mem_code_mean_release(&c.mean);
	free(c.v);
	free(c.code);
	free(c.seen);
	free(c.more);
	return st;
}

/* ---- mending ---------------------------------------------------------- */

struct bad_rows {
	struct mem_buf keys;      /* of values that cannot be read, eight bytes or fewer each, after their length */
	uint32_t *ords;           /* of rows that are none */
	size_t n, cap;
};

static void
collect_bad_rows(struct bad_rows *bad, struct mem_txn *t, const struct vectors_row_block *r, uint32_t dims, float *v)
{
	for (size_t i = 0; i < r->n; i++) {
		uint32_t ord = vectors_rows_ord(r, i);
		bool intact = vectors_rows_intact(r, i);
		if (intact && vectors_is_zero_row(vectors_rows_at(r, i), r->bytes))
			continue;
		memcpy(v, vectors_rows_at(r, i), r->bytes);
		if (intact && mem_vectors_is_unit(v, dims) && is_in_table(t, MEM_T_NODE, ord))
			continue;
		bad->ords = mem_grow(bad->ords, &bad->cap, bad->n + 1, sizeof *bad->ords);
		bad->ords[bad->n++] = ord;
	}
}

static enum mem_status
find_bad_rows(struct mem_txn *t, uint32_t dims, struct bad_rows *bad, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct vectors_row_block r;
	struct mem_err why;
	float *v = mem_xmalloc(dims * sizeof *v);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ROW, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		struct mem_str key = mem_cursor_key(c);
		if (vectors_rows_parse(&r, key, mem_cursor_value(c), dims, &why) == MEM_OK) {
			collect_bad_rows(bad, t, &r, dims, v);
		} else {
			mem_buf_put(&bad->keys, &key.n, sizeof key.n);
			mem_buf_str(&bad->keys, key);
		}
	}
	mem_cursor_close(c);
	free(v);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
drop_bad_rows(struct mem_txn *t, uint32_t dims, const struct bad_rows *bad, struct mem_err *err)
{
	size_t had;
	enum mem_status st = MEM_OK;
	for (size_t at = 0; at < bad->keys.len && st == MEM_OK;) {
		struct mem_str key = { bad->keys.data + at + sizeof key.n, 0 };
		memcpy(&key.n, bad->keys.data + at, sizeof key.n);
		at += sizeof key.n + key.n;
		st = mem_tab_del(t, MEM_T_ROW, key, err);
	}
	for (size_t i = 0; i < bad->n && st == MEM_OK; i++) {
		st = vectors_rows_put(t, dims, bad->ords[i], NULL, 0, &had, err);
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	return st;
}

enum mem_status
mem_vectors_mend(struct mem_txn *t, struct mem_err *err)
{
	struct mem_vectors_model m;
	struct mem_err why;
	struct bad_rows bad = { 0 };
	enum mem_status st = mem_vectors_model_get(t, &m, &why);
	if (st != MEM_OK) { /* of no use to anybody */
		st = mem_tab_del(t, MEM_T_META, MEM_STR("model"), err);
		if (st == MEM_OK || st == MEM_NOTFOUND)
			st = mem_tab_del(t, MEM_T_META, MEM_STR("pieces"), err);
		if (st == MEM_OK || st == MEM_NOTFOUND)
			st = mem_segment_empty_table(t, MEM_T_PIECE, err);
		return st == MEM_OK ? mem_segment_empty_table(t, MEM_T_ROW, err) : st;
	}
	st = find_bad_rows(t, m.dims, &bad, err);
	if (st == MEM_OK)
		st = drop_bad_rows(t, m.dims, &bad, err);
	if (st == MEM_OK)
		st = vectors_rows_count_loose(t, m.dims, err);
	if (st == MEM_OK)
		st = vectors_pieces_mend(t, m.dims, err);
	mem_buf_release(&bad.keys);
	free(bad.ords);
	return st;
}
