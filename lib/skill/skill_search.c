/* SPDX-License-Identifier: Apache-2.0 */
/* The search for skills. */
#include "skill/skill_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "skill/skill_failures.h"
#include "skill/uses.h"
#include "store/node.h"
#include "vectors/vectors.h"

/* ---- what the search found -------------------------------------------------- */

static enum mem_status
read_skill_hit(struct mem_skill_hit *hit, struct mem_rec *rec, struct mem_str line, struct mem_err *err)
{
	double v = (double)NAN;
	enum mem_status st = mem_rec_scan(rec, line, err);
	if (st != MEM_OK)
		return st;
	*hit = (struct mem_skill_hit){ .line = line, .similarity = (double)NAN };
	struct mem_json signals = mem_rec_value(rec, "signals");
	mem_json_num(mem_json_path(signals, "lexical.score"), &hit->words);
	hit->effectiveness = mem_rec_num(rec, "effectiveness", MEM_SKILL_UNKNOWN);
	if (mem_json_num(mem_json_path(signals, "dense.score"), &v))
		hit->similarity = 0; /* to be known */
	(void)mem_json_id(mem_rec_value(rec, "id"), &hit->id);
	return MEM_OK;
}

static enum mem_status
gather_skill_hits(struct mem_skill_hits *out, struct mem_err *err)
{
	struct mem_rec rec = { 0 };
	struct mem_str line;
	enum mem_status st;
	out->v = mem_arena_alloc(&out->arena, (mem_hits_count(out->found) + 1) * sizeof *out->v);
	while ((st = mem_hits_next(out->found, &line, err)) == MEM_OK)
		if ((st = read_skill_hit(&out->v[out->n++], &rec, mem_arena_str(&out->arena, line), err)) != MEM_OK)
			break;
	mem_rec_release(&rec);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- similarity --------------------------------------------------------------- */

/* Hits that went meanwhile leave. */
static enum mem_status
number_skill_hits(struct mem_skill_hits *h, struct mem_txn *t, struct mem_err *err)
{
	size_t kept = 0;
	for (size_t i = 0; i < h->n; i++) {
		struct mem_node node;
		enum mem_status st = mem_node_by_id(t, &h->v[i].id, &node, err);
		if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
			continue;
		if (st != MEM_OK)
			return st;
		h->v[kept] = h->v[i];
		h->v[kept++].ord = node.ord;
	}
	h->n = kept;
	return MEM_OK;
}

static enum mem_status
measure_similarity(struct mem_skill_hits *h, struct mem_txn *t, const float *task, uint32_t dims, struct mem_err *err)
{
	uint32_t *ords = mem_arena_alloc(&h->arena, (h->n + 1) * sizeof *ords);
	float *rows = mem_xcalloc(h->n + 1, dims * sizeof *rows);
	for (size_t i = 0; i < h->n; i++)
		ords[i] = h->v[i].ord;
	enum mem_status st = mem_vectors_centred_read(t, ords, h->n, rows, err);
	for (size_t i = 0; i < h->n && st == MEM_OK; i++)
		if (!isnan(h->v[i].similarity))
			h->v[i].similarity = mem_vectors_similarity(task, rows + i * dims, dims);
	free(rows);
	return st;
}

/* ---- scores --------------------------------------------------------------------- */

static double
round_skill_share(double v)
{
	return rint(v * 1e6) / 1e6;
}

/* `weight`: that of the meaning; 0: the search was by words alone. */
static void
weigh_relevance(struct mem_skill_hits *h, double weight)
{
	const double most = mem_hits_words_most(h->found);
	double best = 0;
	for (size_t i = 0; i < h->n; i++) {
		struct mem_skill_hit *s = &h->v[i];
		s->words = most > 0 ? round_skill_share(fmin(s->words / most, 1)) : 0;
		s->relevance = (1 - weight) * s->words + (isnan(s->similarity) ? 0 : weight * s->similarity);
		best = fmax(best, s->relevance);
	}
	for (size_t i = 0; i < h->n; i++)
		h->v[i].relevance = best > 0 ? round_skill_share(h->v[i].relevance / best) : 0;
}

static int
compare_skill_hits(const void *a, const void *b)
{
	const struct mem_skill_hit *x = a, *y = b;
	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	return memcmp(&x->id, &y->id, sizeof x->id);
}

static void
score_skill_hits(struct mem_skill_hits *h)
{
	for (size_t i = 0; i < h->n; i++) {
		struct mem_skill_hit *s = &h->v[i];
		s->score = round_skill_share(s->relevance * (.8 + .2 * s->effectiveness) / (1 + .5 * (double)s->bad_patterns));
	}
	mem_sort(h->v, h->n, sizeof *h->v, compare_skill_hits);
}

/* Where the search was by meaning: the task's vector, centred, and what it weighs beside words. */
static enum mem_status
read_task_vector(struct skill_task_asked *task, struct mem_skill_hits *h, struct mem_txn *t, double *weight, struct mem_err *err)
{
	uint32_t dims;
	const float *question = mem_hits_vector(h->found, &dims);
	struct mem_vectors_model model;
	if (question == NULL || h->n == 0)
		return MEM_OK;
	enum mem_status st = mem_vectors_model_get(t, &model, err);
	if (st != MEM_OK || model.dims != dims)
		return st;
	float *v = mem_arena_alloc(&h->arena, dims * sizeof *v);
	memcpy(v, question, dims * sizeof *v);
	mem_vectors_centre(&model, v);
	*weight = mem_hits_mode(h->found) == MEM_MODE_VECTOR ? 1 : model.weight;
	task->vector = v, task->dims = dims;
	return MEM_OK;
}

static enum mem_status
rate_by_task(struct mem_skill_hits *h, struct mem_txn *t, double *weight, struct mem_err *err)
{
	struct skill_task_asked task = { .text = mem_hits_options(h->found)->query };
	enum mem_status st = read_task_vector(&task, h, t, weight, err);
	if (st == MEM_OK && task.vector != NULL)
		st = measure_similarity(h, t, task.vector, task.dims, err);
	for (size_t i = 0; i < h->n && st == MEM_OK; i++)
		st = skill_failures_count(&h->v[i].bad_patterns, t, h->v[i].ord, &task, err);
	return st;
}

static enum mem_status
rate_skill_hits(struct mem_skill_hits *h, struct mem_store *s, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	double weight = 0;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = number_skill_hits(h, t, err);
	if (st == MEM_OK)
		st = rate_by_task(h, t, &weight, err);
	mem_txn_end(t);
	if (st != MEM_OK)
		return st;
	weigh_relevance(h, weight);
	score_skill_hits(h);
	return MEM_OK;
}

/* What is clear enough: by its similarity, or with a place among the first by that and the words. */
static bool
is_skill_seed(const struct mem_skill_hit *s, size_t place)
{
	if (isnan(s->similarity))
		return s->words >= MEM_SKILL_SEED_SHARE;
	return s->similarity >= MEM_SKILL_SEED || (place < MEM_SKILL_SEED_BEST && s->similarity + MEM_SKILL_SEED_WORDS * s->words >= MEM_SKILL_SEED);
}

/* By meaning alone nobody has looked at the words. */
static bool
is_skill_supported(const struct mem_skill_hits *h, const struct mem_skill_hit *s)
{
	return mem_hits_mode(h->found) == MEM_MODE_VECTOR || s->words > 0 || s->similarity >= MEM_SKILL_SUPPORT; /* false of NAN */
}

/* Those that something supports, or seeds alone; and counts seeds. */
static void
keep_skill_hits(struct mem_skill_hits *h, bool seeds)
{
	size_t kept = 0;
	for (size_t i = 0; i < h->n; i++) {
		bool supported = is_skill_supported(h, &h->v[i]), seed = supported && is_skill_seed(&h->v[i], i);
		h->answers += seed;
		if (seed || (supported && !seeds))
			h->v[kept++] = h->v[i];
	}
	h->n = kept;
}

enum mem_status
mem_skill_search(struct mem_skill_hits *out, struct mem_searcher *m, const struct mem_skill_search_options *o, struct mem_err *err)
{
	struct mem_search_options search = *o->search;
	const int64_t wanted = search.limit;
	*out = (struct mem_skill_hits){ 0 };
	search.no_passage = true; /* a skill is shown whole */
	search.without[0] = "content", search.without[1] = "front"; /* or by its name: who wants all of it reads the node */
	if (wanted > 0)
		search.limit = wanted < MEM_SKILL_CANDIDATES / 2 ? MEM_SKILL_CANDIDATES : 2 * wanted;
	enum mem_status st = mem_search_query(&out->found, m, &search, err);
	if (st == MEM_OK)
		st = gather_skill_hits(out, err);
	if (st == MEM_OK)
		st = rate_skill_hits(out, m->index.store, err);
	if (st == MEM_OK)
		keep_skill_hits(out, o->seeds);
	if (st == MEM_OK && wanted > 0 && out->n > (size_t)wanted)
		out->n = (size_t)wanted;
	return st;
}

void
mem_skill_hits_release(struct mem_skill_hits *h)
{
	mem_hits_free(h->found);
	mem_arena_release(&h->arena);
	*h = (struct mem_skill_hits){ 0 };
}

/* ---- records ---------------------------------------------------------------------- */

static void
put_skill_signals(struct mem_buf *out, const struct mem_skill_hit *h, struct mem_json signals)
{
	bool more = signals.type == MEM_JSON_OBJECT && signals.raw.n > 2;
	mem_buf_str(out, more ? (struct mem_str){ signals.raw.p, signals.raw.n - 1 } : MEM_STR("{"));
	mem_buf_printf(out, "%s\"skill\":{", more ? "," : "");
	mem_json_put_num(out, "relevance", h->relevance);
	mem_json_put_num(out, "words", h->words);
	mem_json_put_num(out, "similarity", h->similarity);
	mem_json_put_num(out, "effectiveness", h->effectiveness);
	mem_json_put_int(out, "bad_patterns", (int64_t)h->bad_patterns);
	mem_buf_puts(out, "}}");
}

void
mem_skill_hit_put(struct mem_buf *out, const struct mem_skill_hits *h, size_t i)
{
	struct mem_rec rec = { 0 };
	struct mem_buf rank = { 0 }, score = { 0 }, signals = { 0 };
	if (mem_rec_scan(&rec, h->v[i].line, NULL) == MEM_OK) { /* it was when it was found */
		mem_buf_printf(&rank, "%zu", i + 1);
		mem_json_put_number(&score, h->v[i].score);
		put_skill_signals(&signals, &h->v[i], mem_rec_value(&rec, "signals"));
		mem_rec_edit(out, &rec, (const struct mem_edit[]){ { "rank", mem_buf_span(&rank) }, { "score", mem_buf_span(&score) },
		    { "signals", mem_buf_span(&signals) } }, 3);
		mem_buf_putc(out, '\n');
	}
	mem_rec_release(&rec);
	mem_buf_release(&rank);
	mem_buf_release(&score);
	mem_buf_release(&signals);
}
