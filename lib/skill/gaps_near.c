/* SPDX-License-Identifier: Apache-2.0 */
/* How near what may be a gap is to each other and to skills: by meaning, else by words. */
#include "skill/gaps_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "embed/embed.h"
#include "skill/skill.h"
#include "store/node.h"
#include "text/text.h"
#include "vectors/vectors.h"

enum { ROWS_A_SNAPSHOT = 500 };

/* ---- skills ------------------------------------------------------------- */

/* A mem_skill_fn. */
static enum mem_status
take_gap_skill(void *ctx, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err)
{
	struct gap_space *sp = ctx;
	struct mem_buf b = { 0 };
	(void)t, (void)err;
	mem_buf_str(&b, skill->name);
	mem_buf_puts(&b, ": ");
	mem_buf_str(&b, skill->description);
	sp->skills = mem_grow(sp->skills, &sp->skills_cap, sp->nskills + 1, sizeof *sp->skills);
	sp->skills[sp->nskills++] = (struct gap_skill){ skill->ord, skill->id, mem_arena_str(sp->arena, skill->name),
		mem_arena_str(sp->arena, mem_buf_span(&b)) };
	mem_buf_release(&b);
	return MEM_OK;
}

/* ---- vectors ------------------------------------------------------------ */

static bool
is_zero_row(const float *row, uint32_t dims)
{
	for (uint32_t i = 0; i < dims; i++)
		if (row[i] < 0 || row[i] > 0)
			return false;
	return true;
}

enum mem_status
gap_space_begin_rows(struct mem_txn **t, const struct gap_space *sp, struct mem_vectors_model *m, struct mem_err *err)
{
	enum mem_status st = mem_txn_read(t, sp->store, err);
	if (st == MEM_OK)
		st = mem_vectors_model_get(*t, m, err);
	if (st == MEM_OK && m->dims != sp->dims)
		st = mem_err_set(err, MEM_STALE, "the model of the store's vectors changed meanwhile: try again");
	return st;
}

static enum mem_status
read_rows_of_skills(struct gap_space *sp, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	sp->skill_rows = mem_xcalloc((sp->nskills + 1) * sp->dims, sizeof *sp->skill_rows);
	for (size_t first = 0; first < sp->nskills && st == MEM_OK; first += ROWS_A_SNAPSHOT) {
		uint32_t ords[ROWS_A_SNAPSHOT];
		struct mem_vectors_model m;
		struct mem_txn *t = NULL;
		size_t n = 0;
		for (; n < ROWS_A_SNAPSHOT && first + n < sp->nskills; n++)
			ords[n] = sp->skills[first + n].ord;
		st = gap_space_begin_rows(&t, sp, &m, err);
		if (st == MEM_OK)
			st = mem_vectors_centred_read(t, ords, n, sp->skill_rows + first * sp->dims, err);
		mem_txn_end(t);
	}
	return st;
}

/* The row of what has a vector; zeros where it has none, as a query. */
static enum mem_status
read_item_row(struct mem_txn *t, const struct mem_gap_member *item, float *row, struct mem_err *err)
{
	struct mem_node node;
	if (mem_kind_info(item->kind)->embedded == 0)
		return MEM_OK;
	enum mem_status st = mem_node_by_id(t, &item->id, &node, err);
	if (st == MEM_OK)
		st = mem_vectors_centred_read(t, &node.ord, 1, row, err);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
embed_item(struct gap_space *sp, const struct mem_gap_member *item, float *row, struct mem_err *err)
{
	float *vector;
	enum mem_status st = mem_embed_centred(sp->encoder, item->text, &vector, err);
	if (st == MEM_OK)
		memcpy(row, vector, sp->dims * sizeof *row);
	free(vector);
	return st;
}

/* Of at most ROWS_A_SNAPSHOT items, into rows of zeros. */
static enum mem_status
read_rows_of_items(struct gap_space *sp, const struct mem_gap_member *items, size_t n, float *rows, struct mem_err *err)
{
	struct mem_vectors_model m;
	struct mem_txn *t = NULL;
	enum mem_status st = gap_space_begin_rows(&t, sp, &m, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		st = read_item_row(t, &items[i], rows + i * sp->dims, err);
	mem_txn_end(t);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		if (is_zero_row(rows + i * sp->dims, sp->dims))
			st = embed_item(sp, &items[i], rows + i * sp->dims, err);
	return st;
}

enum mem_status
gap_space_open(struct gap_space *sp, struct mem_err *err)
{
	const struct mem_skill_filter live = { 0 };
	struct mem_encoder *e;
	enum mem_status st = mem_skills_each(sp->store, &live, take_gap_skill, sp, err);
	if (st == MEM_OK)
		st = mem_encoder_for_query(sp->encoder, &e, err);
	sp->by_words = st == MEM_ABSENT;
	if (st != MEM_OK)
		return st == MEM_ABSENT ? MEM_OK : st;
	sp->dims = sp->encoder->model.dims;
	return read_rows_of_skills(sp, err);
}

void
gap_space_release(struct gap_space *sp)
{
	free(sp->skills);
	free(sp->skill_rows);
	free(sp->item_rows);
}

enum mem_status
gap_space_read_items(struct gap_space *sp, const struct gap_items *items, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (sp->by_words || items->n == 0)
		return MEM_OK;
	sp->item_rows = mem_xcalloc((items->n + 1) * sp->dims, sizeof *sp->item_rows);
	for (size_t i = 0; i < items->n && st == MEM_OK; i += ROWS_A_SNAPSHOT)
		st = read_rows_of_items(sp, items->v + i, items->n - i < ROWS_A_SNAPSHOT ? items->n - i : ROWS_A_SNAPSHOT, sp->item_rows + i * sp->dims, err);
	return st;
}

/* ---- learnings that a skill has ------------------------------------------- */

/* A mem_vectors_pair_fn: item i is like a skill. */
static bool
mark_known_item(void *ctx, size_t i, size_t j, double similarity)
{
	bool *known = ctx;
	(void)j, (void)similarity;
	known[i] = true;
	return true;
}

static enum mem_status
mark_known_by_meaning(struct gap_space *sp, const struct gap_items *learnings, bool *known, struct mem_err *err)
{
	float *rows = mem_xmalloc(ROWS_A_SNAPSHOT * sp->dims * sizeof *rows);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < learnings->n && sp->nskills > 0 && st == MEM_OK; i += ROWS_A_SNAPSHOT) {
		size_t n = learnings->n - i < ROWS_A_SNAPSHOT ? learnings->n - i : ROWS_A_SNAPSHOT;
		memset(rows, 0, n * sp->dims * sizeof *rows);
		st = read_rows_of_items(sp, learnings->v + i, n, rows, err);
		if (st == MEM_OK)
			mem_vectors_similar_each(rows, n, sp->skill_rows, sp->nskills, sp->dims, MEM_GAP_SKILL, mark_known_item, known + i);
	}
	free(rows);
	return st;
}

struct known_words {
	bool *known;
	size_t nskills;
};

/* A mem_likeness_fn over skills, then learnings. */
static bool
mark_known_pair(void *ctx, size_t i, size_t j, double likeness)
{
	struct known_words *k = ctx;
	(void)likeness;
	if (i >= k->nskills && j < k->nskills)
		k->known[i - k->nskills] = true;
	return true;
}

static void
mark_known_by_words(const struct gap_space *sp, const struct gap_items *learnings, bool *known)
{
	struct known_words k = { known, sp->nskills };
	struct mem_str *texts = mem_xmalloc((sp->nskills + learnings->n + 1) * sizeof *texts);
	for (size_t i = 0; i < sp->nskills; i++)
		texts[i] = sp->skills[i].text;
	for (size_t i = 0; i < learnings->n; i++)
		texts[sp->nskills + i] = learnings->v[i].text;
	mem_likeness_pairs(texts, sp->nskills + learnings->n, MEM_GAP_SKILL, mark_known_pair, &k);
	free(texts);
}

enum mem_status
gap_space_drop_learned(struct gap_space *sp, struct gap_items *learnings, struct mem_err *err)
{
	bool *known = mem_xcalloc(learnings->n + 1, sizeof *known);
	size_t n = 0;
	enum mem_status st = MEM_OK;
	if (sp->by_words)
		mark_known_by_words(sp, learnings, known);
	else if (learnings->n > 0)
		st = mark_known_by_meaning(sp, learnings, known, err);
	for (size_t i = 0; i < learnings->n; i++)
		if (!known[i])
			learnings->v[n++] = learnings->v[i];
	learnings->n = n;
	free(known);
	return st;
}

/* ---- comparing --------------------------------------------------------------- */

/* A mem_vectors_pair_fn and a mem_likeness_fn. */
static bool
join_pair(void *ctx, size_t i, size_t j, double near)
{
	(void)near;
	gap_stars_join(ctx, i, j);
	return true;
}

void
gap_space_join(const struct gap_space *sp, const struct gap_items *items, struct gap_stars *stars)
{
	if (!sp->by_words && items->n > 0) {
		mem_vectors_similar_pairs(sp->item_rows, items->n, sp->dims, MEM_GAP_SIMILARITY, join_pair, stars);
		return;
	}
	struct mem_str *texts = mem_xmalloc((items->n + 1) * sizeof *texts);
	for (size_t i = 0; i < items->n; i++)
		texts[i] = items->v[i].text;
	mem_likeness_pairs(texts, items->n, MEM_GAP_LIKENESS, join_pair, stars);
	free(texts);
}

/* To six decimals, as similarities are. */
static double
round_likeness(double likeness)
{
	return round(likeness * 1e6) / 1e6;
}

double
gap_space_near(const struct gap_space *sp, const struct gap_items *items, size_t i, size_t j)
{
	if (i == j)
		return 1;
	if (sp->by_words)
		return round_likeness(mem_text_likeness(items->v[i].text, items->v[j].text));
	return mem_vectors_similarity(sp->item_rows + i * sp->dims, sp->item_rows + j * sp->dims, sp->dims);
}

size_t
gap_space_best_skill(const struct gap_space *sp, const struct gap_items *items, size_t i, double *near)
{
	size_t best = SIZE_MAX;
	*near = 0;
	for (size_t k = 0; k < sp->nskills; k++) {
		double v = sp->by_words ? round_likeness(mem_text_likeness(items->v[i].text, sp->skills[k].text))
		    : mem_vectors_similarity(sp->item_rows + i * sp->dims, sp->skill_rows + k * sp->dims, sp->dims);
		if (v > *near) {
			*near = v;
			best = k;
		}
	}
	return best;
}
