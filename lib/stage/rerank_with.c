/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reranker of the user's own: the hits of a query go in, best first, and come out in another order.  What it changes in
 * them does not count, but for order and score; if it fails in any way, all is as it was before.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "stage/rerank_int.h"

/* A hit by its id, and the answer's line about it. */
struct with_hit {
	size_t at;                 /* among the hits */
	struct mem_str id;
	size_t place;              /* in the answer, from 1; 0: not there */
	double score;              /* NAN: none */
};
struct with_answer {
	struct with_hit *hits;     /* by id, of equal ids by place before */
	size_t n, given;           /* hits, and those of them that the answer has */
	struct mem_rec rec;
	struct mem_buf id;
};

/* The hits as they stand, with the question where it is known. */
static void
put_command_input(struct mem_buf *out, struct reranker *r, const struct rerank_hit *v, size_t n)
{
	struct mem_str question = rerank_question(r, v[0].hit);
	struct mem_buf query = { 0 };
	if (question.n > 0)
		mem_json_put_string(&query, question);
	const struct mem_edit edit = { "query", mem_buf_span(&query) };
	for (size_t i = 0; i < n; i++) {
		mem_rec_look(&r->rec, v[i].hit->line);
		mem_rec_edit(out, &r->rec, &edit, query.len > 0);
		mem_buf_putc(out, '\n');
	}
	mem_buf_release(&query);
}

/* ---- the answer --------------------------------------------------------- */

static int
compare_with_hits_by_id(const void *a, const void *b)
{
	const struct with_hit *x = a, *y = b;
	int c = mem_str_cmp(x->id, y->id);
	return c != 0 ? c : (x->at > y->at) - (x->at < y->at);
}

static int
compare_with_hits_by_place(const void *a, const void *b)
{
	const struct with_hit *x = a, *y = b;
	if ((x->place == 0) != (y->place == 0))
		return x->place == 0 ? 1 : -1;
	if (x->place != y->place)
		return x->place > y->place ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The first hit of this id that the answer does not have yet. */
static struct with_hit *
find_asked_hit(const struct with_answer *a, struct mem_str id)
{
	size_t low = 0, high = a->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (mem_str_cmp(a->hits[middle].id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < a->n && mem_str_eq(a->hits[low].id, id) && a->hits[low].place > 0)
		low++;
	return low < a->n && mem_str_eq(a->hits[low].id, id) ? &a->hits[low] : NULL;
}

static enum mem_status
read_answer_line(struct with_answer *a, struct mem_str line, struct mem_err *err)
{
	double score = (double)NAN;
	enum mem_status st = mem_rec_scan(&a->rec, line, err);
	if (st != MEM_OK || mem_rec_value(&a->rec, "end").type == MEM_JSON_TRUE)
		return st;
	struct mem_json id = mem_rec_value(&a->rec, "id");
	mem_buf_reset(&a->id);
	mem_buf_putc(&a->id, '"');
	mem_json_decode(&a->id, id);
	mem_buf_putc(&a->id, '"');
	struct with_hit *hit = id.type == MEM_JSON_STRING ? find_asked_hit(a, mem_buf_span(&a->id)) : NULL;
	if (hit == NULL)
		return mem_err_record(err, "bad_value", 0, "an id that was not asked, or twice: %.*s", (int)(id.raw.n < 80 ? id.raw.n : 80), id.raw.p);
	if (mem_json_num(mem_rec_value(&a->rec, "score"), &score) && fabs(score) > STAGE_SCORE_MAX)
		score = (double)NAN;
	hit->place = ++a->given;
	hit->score = score;
	return MEM_OK;
}

static enum mem_status
read_answer(struct with_answer *a, const char *command, struct mem_str out, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	size_t number = 0;
	while (out.n > 0 && st == MEM_OK) {
		const char *nl = memchr(out.p, '\n', out.n);
		struct mem_str line = { out.p, nl != NULL ? (size_t)(nl - out.p) : out.n };
		number++;
		st = read_answer_line(a, line, err);
		out = (struct mem_str){ line.p + line.n + (nl != NULL), out.n - line.n - (nl != NULL) };
	}
	if (st == MEM_OK && a->given > 0)
		return MEM_OK;
	if (st == MEM_OK)
		st = mem_err_set(err, MEM_REFUSED, "it gave no hit"), number = 0;
	mem_command_blame(err, command, number);
	return st;
}

/* ---- what it means ------------------------------------------------------ */

/* Do the scores count?  All are there then, and some are new, or they stand in the order of the lines, ties by id. */
static bool
has_new_scores(const struct with_answer *a, const struct rerank_hit *v)
{
	bool all = a->given == a->n, changed = false, ordered = true;
	for (size_t i = 0; i < a->n && all; i++) {
		double score = rerank_round(a->hits[i].score), before = i > 0 ? rerank_round(a->hits[i - 1].score) : HUGE_VAL;
		all = !isnan(score);
		changed |= score < v[a->hits[i].at].score || score > v[a->hits[i].at].score;
		ordered &= score < before || (score <= before && mem_str_cmp(a->hits[i - 1].id, a->hits[i].id) < 0);
	}
	return all && (changed || ordered);
}

static void
put_with_note(struct reranker *r, struct rerank_hit *v, const struct with_hit *h)
{
	mem_buf_reset(&r->text);
	mem_buf_putc(&r->text, '{');
	mem_json_put_num(&r->text, "score", h->place > 0 ? rerank_round(h->score) : (double)NAN);
	if (h->place > 0)
		mem_json_put_int(&r->text, "place", (int64_t)h->place);
	else
		mem_json_put_null(&r->text, "place");
	mem_buf_putc(&r->text, '}');
	v->note[RERANK_with] = mem_arena_str(&r->arena, mem_buf_span(&r->text));
}

static void
take_answer(struct reranker *r, struct with_answer *a, struct rerank_hit *v)
{
	struct rerank_hit *out = mem_xcalloc(a->n, sizeof *out);
	mem_sort(a->hits, a->n, sizeof *a->hits, compare_with_hits_by_place);
	bool scores = has_new_scores(a, v);
	for (size_t i = 0; i < a->n; i++) {
		out[i] = v[a->hits[i].at];
		out[i].score = rerank_round(scores ? a->hits[i].score : (double)(a->n - i) / (double)a->n);
		put_with_note(r, &out[i], &a->hits[i]);
	}
	memcpy(v, out, a->n * sizeof *v);
	rerank_sort(v, a->n);
	free(out);
}

static void
mark_failure(struct reranker *r, struct rerank_hit *v, size_t n, const struct mem_err *why)
{
	struct mem_buf message = { 0 };
	for (size_t i = 0; i < n; i++)
		v[i].note[RERANK_with] = MEM_STR("{\"failed\":true}");
	mem_buf_printf(&message, "the hits are as they were before the reranker: %s", why->msg);
	if (r->opts.tell != NULL)
		r->opts.tell(message.data);
	mem_buf_release(&message);
}

enum mem_status
rerank_with(struct reranker *r, struct rerank_hit *v, size_t *n, struct mem_err *err)
{
	struct with_answer a = { .n = *n, .hits = mem_xcalloc(*n, sizeof *a.hits) };
	struct mem_buf in = { 0 }, out = { 0 };
	struct mem_err why;
	(void)err;
	for (size_t i = 0; i < *n; i++)
		a.hits[i] = (struct with_hit){ .at = i, .id = v[i].hit->id };
	mem_sort(a.hits, *n, sizeof *a.hits, compare_with_hits_by_id);
	put_command_input(&in, r, v, *n);
	enum mem_status st = mem_command_run(&out, r->opts.with, mem_buf_span(&in), &why);
	if (st == MEM_OK)
		st = read_answer(&a, r->opts.with, mem_buf_span(&out), &why);
	if (st == MEM_OK)
		take_answer(r, &a, v);
	else
		mark_failure(r, v, *n, &why);
	mem_buf_release(&in);
	mem_buf_release(&out);
	mem_buf_release(&a.id);
	mem_rec_release(&a.rec);
	free(a.hits);
	return MEM_OK;
}
