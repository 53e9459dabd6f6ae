/* SPDX-License-Identifier: Apache-2.0 */
/* Hits gathered by query: the queries of a stream, its hits, and what is set anew on them. */
#include "stage/hits_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* ---- queries ------------------------------------------------------------ */

void
stage_queries_release(struct stage_queries *q)
{
	stage_release_names(&q->qids);
	mem_buf_release(&q->text);
	free(q->ends);
	*q = (struct stage_queries){ 0 };
}

struct mem_str
stage_queries_normalise(struct stage_queries *q, struct mem_json v)
{
	if (!v.escaped)
		return v.raw;
	mem_buf_reset(&q->text);
	mem_buf_putc(&q->text, '"');
	mem_json_decode(&q->text, v);
	mem_buf_putc(&q->text, '"');
	return mem_buf_span(&q->text);
}

bool
stage_queries_find(const struct stage_queries *q, struct mem_str qid, uint32_t *number)
{
	*number = stage_find_name(&q->qids, qid);
	return *number != STAGE_NO_NAME;
}

uint32_t
stage_queries_add(struct stage_queries *q, struct mem_str qid)
{
	size_t known = q->qids.n;
	uint32_t number = stage_add_name(&q->qids, qid);
	q->ends = mem_grow(q->ends, &q->ends_cap, q->qids.n, sizeof *q->ends);
	if (q->qids.n > known)
		q->ends[number] = (struct mem_str){ "", 0 };
	return number;
}

uint32_t
stage_queries_number(struct stage_queries *q, const struct mem_rec *r)
{
	return stage_queries_add(q, stage_queries_normalise(q, mem_rec_value(r, "qid")));
}

bool
stage_queries_take_end(struct stage_queries *q, uint32_t number, const struct mem_rec *r)
{
	if (mem_rec_value(r, "end").type != MEM_JSON_TRUE)
		return false;
	/* A stream that failed says so, whatever the others found. */
	bool failed = mem_json_there(mem_rec_value(r, "error"));
	struct mem_str *end = &q->ends[number];
	if (failed || end->n == 0 || !mem_json_there(mem_rec_value(r, "hits")))
		*end = mem_arena_str(&q->qids.arena, r->text);
	return true;
}

void
stage_queries_put_end(struct mem_buf *out, const struct stage_queries *q, uint32_t number, size_t hits, struct mem_rec *r)
{
	struct mem_buf n = { 0 };
	struct mem_str end = q->ends[number];
	if (end.n == 0)
		return;
	mem_rec_look(r, end);
	mem_buf_printf(&n, "%zu", hits);
	const struct mem_edit edit = { "hits", mem_buf_span(&n) };
	mem_rec_edit(out, r, &edit, 1);
	mem_buf_putc(out, '\n');
	mem_buf_release(&n);
}

/* ---- hits --------------------------------------------------------------- */

void
stage_hits_release(struct stage_hits *h)
{
	stage_queries_release(&h->queries);
	mem_rec_release(&h->rec);
	free(h->v);
	*h = (struct stage_hits){ 0 };
}

enum mem_status
stage_refuse_field(const struct mem_rec *r, const char *name, const char *wanted, struct mem_err *err)
{
	const struct mem_field *v = mem_rec_find(r, name);
	size_t at = v != NULL ? (size_t)(v->value.raw.p - r->text.p) : 0;
	return mem_err_record(err, "bad_value", at, "a hit has %s", wanted);
}

static void
read_hit_id(struct stage_queries *q, const struct mem_rec *r, struct mem_json id, struct stage_hit *hit)
{
	hit->line = mem_arena_str(&q->qids.arena, r->text);
	hit->id = id.escaped ? mem_arena_str(&q->qids.arena, stage_queries_normalise(q, id))
	    : (struct mem_str){ hit->line.p + (id.raw.p - r->text.p), id.raw.n };
}

enum mem_status
stage_read_hit(struct stage_queries *q, const struct mem_rec *r, bool unscored, struct stage_hit *hit, struct mem_err *err)
{
	struct mem_json id = mem_rec_value(r, "id"), score = mem_rec_value(r, "score");
	if (id.type != MEM_JSON_STRING)
		return stage_refuse_field(r, "id", "an id", err);
	if (!(unscored && score.type == MEM_JSON_NULL) && (!mem_json_num(score, &hit->score) || fabs(hit->score) > STAGE_SCORE_MAX))
		return stage_refuse_field(r, "score", "a score, a number within 1e100", err);
	read_hit_id(q, r, id, hit);
	return MEM_OK;
}

enum mem_status
stage_hits_add(struct stage_hits *h, struct mem_str line, struct stage_hit **hit, struct mem_err *err)
{
	struct stage_hit e = { 0 };
	*hit = NULL;
	enum mem_status st = mem_rec_scan(&h->rec, line, err);
	if (st != MEM_OK)
		return st;
	struct mem_json signals = mem_rec_value(&h->rec, "signals");
	e.query = stage_queries_number(&h->queries, &h->rec);
	e.order = (uint32_t)h->n;
	if (stage_queries_take_end(&h->queries, e.query, &h->rec))
		return MEM_OK;
	if (signals.type != MEM_JSON_OBJECT && signals.type != MEM_JSON_NULL)
		return stage_refuse_field(&h->rec, "signals", "an object as signals, or none", err);
	st = stage_read_hit(&h->queries, &h->rec, h->unscored, &e, err);
	if (st != MEM_OK)
		return st;
	h->v = mem_grow(h->v, &h->cap, h->n + 1, sizeof *h->v);
	h->v[h->n] = e;
	*hit = &h->v[h->n++];
	return MEM_OK;
}

static int
compare_hits_by_query(const void *a, const void *b)
{
	const struct stage_hit *x = a, *y = b;
	if (x->query != y->query)
		return x->query < y->query ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

enum mem_status
stage_hits_each(struct stage_hits *h, stage_query_fn *fn, void *ctx, struct mem_buf *out, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	mem_sort(h->v, h->n, sizeof *h->v, compare_hits_by_query);
	for (size_t i = 0, at = 0; i < h->queries.qids.n && st == MEM_OK; i++) {
		size_t n = 0, left = 0;
		while (at + n < h->n && h->v[at + n].query == i)
			n++;
		if (n > 0)
			st = fn(ctx, h->v + at, n, out, &left, err);
		stage_queries_put_end(out, &h->queries, (uint32_t)i, left, &h->rec);
		at += n;
	}
	return st;
}

struct mem_json
stage_hit_note(const struct stage_hit *hit, const char *name)
{
	return mem_json_member(mem_json_member(mem_json_object(hit->line), "signals"), name);
}

bool
stage_hits_have_note(const struct stage_hit *hits, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!mem_json_there(stage_hit_note(&hits[i], name)))
			return false;
	return true;
}

void
stage_pass_hits(struct mem_buf *out, const struct stage_hit *hits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		mem_buf_str(out, hits[i].line);
		mem_buf_putc(out, '\n');
	}
}

/* The object of signals with the notes set. */
static void
put_signals(struct mem_buf *out, struct mem_json signals, const struct stage_note *notes, size_t n)
{
	struct mem_edit *edits = mem_xcalloc(n, sizeof *edits);
	struct mem_rec r = { 0 };
	size_t nedits = 0;
	for (size_t i = 0; i < n; i++)
		if (notes[i].value.n > 0)
			edits[nedits++] = (struct mem_edit){ notes[i].name, notes[i].value };
	mem_rec_look(&r, signals.type == MEM_JSON_OBJECT ? signals.raw : MEM_STR("{}"));
	mem_rec_edit(out, &r, edits, nedits);
	mem_rec_release(&r);
	free(edits);
}

static bool
has_note(const struct stage_note *notes, size_t n)
{
	while (n > 0 && notes[n - 1].value.n == 0)
		n--;
	return n > 0;
}

void
stage_put_hit(struct mem_buf *out, struct mem_rec *r, struct mem_str line, size_t rank, double score, const struct stage_note *notes,
    size_t nnotes)
{
	struct mem_buf place = { 0 }, value = { 0 }, signals = { 0 };
	struct mem_edit edits[3];
	size_t n = 0;
	mem_rec_look(r, line);
	if (rank > 0) {
		mem_buf_printf(&place, "%zu", rank);
		mem_json_put_number(&value, score);
		edits[n++] = (struct mem_edit){ "rank", mem_buf_span(&place) };
		edits[n++] = (struct mem_edit){ "score", mem_buf_span(&value) };
	}
	if (has_note(notes, nnotes)) {
		put_signals(&signals, mem_rec_value(r, "signals"), notes, nnotes);
		edits[n++] = (struct mem_edit){ "signals", mem_buf_span(&signals) };
	}
	if (n > 0)
		mem_rec_edit(out, r, edits, n);
	else
		mem_buf_str(out, line);
	mem_buf_putc(out, '\n');
	mem_buf_release(&place);
	mem_buf_release(&value);
	mem_buf_release(&signals);
}
