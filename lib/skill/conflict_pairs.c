/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of skills that mean or are called nearly the same: duplicates, overlaps, names. */
#include "skill/conflict_int.h"

#include <stdlib.h>
#include <string.h>

#include "skill/skill_failures.h"
#include "text/text.h"
#include "vectors/vectors.h"

enum { ROWS_A_SNAPSHOT = 500, LIKENESS_BYTES = 4096 };

/* ---- what lies near ------------------------------------------------------- */

struct near_skill {
	uint32_t skill;
	double similarity;
};
/* Of each skill those nearest to it, the nearest first, of equal ones by number. */
struct near_lists {
	uint32_t *n;
	struct near_skill *v;       /* [nskills][MEM_CONFLICT_OVERLAP_NEAREST] */
	uint64_t pairs;
};

static void
keep_near_skill(struct near_lists *l, size_t of, size_t skill, double similarity)
{
	struct near_skill *v = l->v + of * MEM_CONFLICT_OVERLAP_NEAREST;
	size_t at = l->n[of];
	while (at > 0 && (v[at - 1].similarity < similarity || (v[at - 1].similarity <= similarity && v[at - 1].skill > skill)))
		at--;
	if (at == MEM_CONFLICT_OVERLAP_NEAREST)
		return;
	size_t kept = l->n[of] < MEM_CONFLICT_OVERLAP_NEAREST ? l->n[of] : MEM_CONFLICT_OVERLAP_NEAREST - 1;
	memmove(v + at + 1, v + at, (kept - at) * sizeof *v);
	v[at] = (struct near_skill){ (uint32_t)skill, similarity };
	l->n[of] = (uint32_t)kept + 1;
}

/* A mem_vectors_pair_fn. */
static bool
take_near_skills(void *ctx, size_t i, size_t j, double similarity)
{
	struct near_lists *l = ctx;
	l->pairs++;
	keep_near_skill(l, i, j, similarity);
	keep_near_skill(l, j, i, similarity);
	return true;
}

/* Where a skill stands in the list of another; SIZE_MAX: nowhere. */
static size_t
find_near_place(const struct near_lists *l, size_t of, size_t skill)
{
	for (size_t k = 0; k < l->n[of]; k++)
		if (l->v[of * MEM_CONFLICT_OVERLAP_NEAREST + k].skill == skill)
			return k;
	return SIZE_MAX;
}

/* ---- their vectors -------------------------------------------------------- */

/* Rows of `first` and those behind it, as many as a snapshot may read. */
static enum mem_status
read_some_rows(struct conflict_scan *c, struct mem_txn *t, size_t first, uint32_t dims, float *rows, struct mem_err *err)
{
	uint32_t ords[ROWS_A_SNAPSHOT];
	size_t n = 0;
	for (; n < ROWS_A_SNAPSHOT && first + n < c->nskills; n++)
		ords[n] = c->skills[first + n].ord;
	enum mem_status st = mem_vectors_centred_read(t, ords, n, rows + first * dims, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		c->skills[first + i].has_vector = skill_row_has_numbers(rows + (first + i) * dims, dims);
	return st;
}

/* Centred rows of all skills; OWNS *rows.  MEM_NOTFOUND: the store has no vectors. */
static enum mem_status
read_skill_rows(struct conflict_scan *c, float **rows, uint32_t *dims, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*rows = NULL;
	for (size_t i = 0; i < c->nskills && st == MEM_OK; i += ROWS_A_SNAPSHOT) {
		struct mem_txn *t = NULL;
		struct mem_vectors_model m = { 0 };
		st = mem_txn_read(&t, c->store, err);
		if (st == MEM_OK)
			st = mem_vectors_model_get(t, &m, err);
		if (st == MEM_OK && *rows == NULL) {
			*dims = m.dims;
			*rows = mem_xcalloc(c->nskills * m.dims, sizeof **rows);
		}
		if (st == MEM_OK && m.dims != *dims)
			st = mem_err_set(err, MEM_STALE, "the model of the store's vectors changed meanwhile: try again");
		if (st == MEM_OK)
			st = read_some_rows(c, t, i, *dims, *rows, err);
		mem_txn_end(t);
	}
	return st == MEM_OK && *rows == NULL ? MEM_NOTFOUND : st;
}

/* ---- duplicates and overlaps ---------------------------------------------- */

/* Description and the beginning of the body; empty: it cannot be read.  ARENA. */
static struct mem_str
read_written_text(struct conflict_scan *c, size_t skill, struct mem_arena *a)
{
	struct mem_txn *t = NULL;
	struct mem_skill s = { 0 };
	struct mem_buf b = { 0 };
	enum mem_status st = mem_txn_read(&t, c->store, NULL);
	if (st == MEM_OK)
		st = mem_skill_at(&s, t, c->skills[skill].ord, a, NULL);
	if (st == MEM_OK) {
		mem_buf_str(&b, s.description);
		mem_buf_putc(&b, '\n');
		if (mem_json_there(s.content))
			mem_buf_str(&b, mem_json_text(a, s.content));
	}
	mem_txn_end(t);
	size_t n = b.len < LIKENESS_BYTES ? b.len : LIKENESS_BYTES;
	while (n > 0 && n < b.len && ((unsigned char)b.data[n] & 0xc0) == 0x80)
		n--; /* at the beginning of a character */
	struct mem_str text = mem_arena_str(a, (struct mem_str){ b.data, n });
	mem_buf_release(&b);
	return text;
}

/* The greater of two likenesses: of the names, and of what is written. */
static double
skill_likeness(struct conflict_scan *c, size_t i, size_t j)
{
	struct mem_arena room = { 0 };
	double names = mem_text_likeness(c->skills[i].name, c->skills[j].name);
	if (names >= MEM_CONFLICT_DUPLICATE_LIKENESS)
		return names;
	struct mem_str x = read_written_text(c, i, &room), y = read_written_text(c, j, &room);
	double texts = x.n > 1 && y.n > 1 ? mem_text_likeness(x, y) : 0;
	mem_arena_release(&room);
	return texts > names ? texts : names;
}

static void
judge_near_pair(struct conflict_scan *c, const struct near_lists *l, size_t i, size_t k)
{
	const struct near_skill *near = &l->v[i * MEM_CONFLICT_OVERLAP_NEAREST + k];
	size_t j = near->skill, back = find_near_place(l, j, i);
	if (back != SIZE_MAX && j > i)
		return; /* it is judged from the other side */
	bool nearest = k < MEM_CONFLICT_DUPLICATE_NEAREST || back < MEM_CONFLICT_DUPLICATE_NEAREST;
	bool same = near->similarity >= MEM_CONFLICT_DUPLICATE_SIMILARITY;
	double like = same && nearest ? skill_likeness(c, i, j) : 0;
	bool duplicate = same && nearest && like >= MEM_CONFLICT_DUPLICATE_LIKENESS;
	if (!duplicate && !mem_str_eq(c->skills[i].category, c->skills[j].category))
		return;
	struct scan_finding *f = conflict_add_pair(c, duplicate ? MEM_CONFLICT_DUPLICATE : MEM_CONFLICT_OVERLAP, i, j);
	f->over = "content";
	f->similarity = near->similarity;
	if (same && nearest)
		f->likeness = like;
}

static void
judge_near_lists(struct conflict_scan *c, const struct near_lists *l)
{
	uint64_t judged = 0;
	for (size_t i = 0; i < c->nskills; i++)
		for (size_t k = 0; k < l->n[i]; k++) {
			size_t j = l->v[i * MEM_CONFLICT_OVERLAP_NEAREST + k].skill;
			judged += j < i || find_near_place(l, j, i) == SIZE_MAX;
			judge_near_pair(c, l, i, k);
		}
	c->left_out += l->pairs - judged;
}

static enum mem_status
find_similar_skills(struct conflict_scan *c, struct mem_err *err)
{
	float *rows = NULL;
	uint32_t dims = 0;
	enum mem_status st = read_skill_rows(c, &rows, &dims, err);
	c->without_vectors = st == MEM_NOTFOUND && c->nskills > 0;
	if (st == MEM_OK) {
		struct near_lists l = { .n = mem_xcalloc(c->nskills, sizeof *l.n),
			.v = mem_xcalloc(c->nskills * MEM_CONFLICT_OVERLAP_NEAREST, sizeof *l.v) };
		mem_vectors_similar_pairs(rows, c->nskills, dims, MEM_CONFLICT_OVERLAP_SIMILARITY, take_near_skills, &l);
		judge_near_lists(c, &l);
		free(l.n);
		free(l.v);
	}
	free(rows);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* ---- names ---------------------------------------------------------------- */

/* A mem_likeness_fn. */
static bool
take_like_names(void *ctx, size_t i, size_t j, double likeness)
{
	struct conflict_scan *c = ctx;
	struct scan_finding *f = conflict_add_pair(c, MEM_CONFLICT_NAMING, i, j);
	f->over = "name";
	f->likeness = likeness;
	return true;
}

/* Folded, with one '-' for each run of blanks, '_', '-' and '.': which of them parts the words tells no skill from another. */
static struct mem_str
fold_name_parts(struct mem_arena *a, struct mem_str name)
{
	struct mem_str folded = mem_text_folded(a, name);
	char *out = mem_arena_alloc(a, folded.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < folded.n; i++) {
		bool parts = folded.p[i] == ' ' || folded.p[i] == '_' || folded.p[i] == '-' || folded.p[i] == '.';
		if (!parts || (n > 0 && out[n - 1] != '-'))
			out[n++] = parts ? '-' : folded.p[i];
	}
	return (struct mem_str){ out, n };
}

enum mem_status
conflict_find_pairs(struct conflict_scan *c, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_str *names = mem_xmalloc((c->nskills + 1) * sizeof *names);
	for (size_t i = 0; i < c->nskills; i++)
		names[i] = fold_name_parts(&a, c->skills[i].name);
	mem_likeness_pairs(names, c->nskills, MEM_CONFLICT_NAME_LIKENESS, take_like_names, c);
	free(names);
	mem_arena_release(&a);
	return find_similar_skills(c, err);
}
