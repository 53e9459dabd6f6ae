/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skill_pairs DIR LEAST: pairs of active skills of one category whose vectors, less the model's mean, have a cosine of at least LEAST.
 *
 * All of them, each by its own sums in double precision, to judge what skill-conflicts finds.  A line is "ID ID", in the order of their
 * bytes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_store.h"
#include "skill/skill.h"
#include "vectors/vectors.h"

struct one {
	struct mem_id id;
	struct mem_str category;
	double *v;                  /* centred, of length 1; NULL: it has none */
};
static struct one *all;
static size_t nall, cap;
static struct mem_arena arena;

static double *
read_centred(struct mem_txn *t, uint32_t ord, const struct mem_vectors_model *m)
{
	float *row = mem_xmalloc(m->dims * sizeof *row);
	double *v = NULL, sum = 0;
	if (mem_vectors_get(t, ord, 0, row, &err) == MEM_OK)
		v = mem_xmalloc(m->dims * sizeof *v);
	for (uint32_t i = 0; i < m->dims && v != NULL; i++) {
		v[i] = (double)row[i] - (m->mean != NULL ? (double)m->mean[i] : 0);
		sum += v[i] * v[i];
	}
	for (uint32_t i = 0; i < m->dims && v != NULL; i++)
		v[i] /= sqrt(sum);
	free(row);
	return v;
}

/* A mem_skill_fn. */
static enum mem_status
collect_skill(void *ctx, struct mem_txn *t, const struct mem_skill *s, struct mem_err *e)
{
	struct mem_vectors_model m;
	uint32_t *dims = ctx;
	enum mem_status st = mem_vectors_model_get(t, &m, e);
	if (st != MEM_OK)
		return st;
	*dims = m.dims;
	all = mem_grow(all, &cap, nall + 1, sizeof *all);
	all[nall++] = (struct one){ s->id, mem_arena_str(&arena, s->category), read_centred(t, s->ord, &m) };
	return MEM_OK;
}

static double
measure_skill_cosine(const double *x, const double *y, uint32_t dims)
{
	double sum = 0;
	for (uint32_t i = 0; i < dims; i++)
		sum += x[i] * y[i];
	return sum;
}

static void
print_pair(const struct one *x, const struct one *y)
{
	char a[MEM_ID_LEN + 1], b[MEM_ID_LEN + 1];
	bool swap = mem_id_cmp(&x->id, &y->id) > 0;
	mem_id_format(swap ? &y->id : &x->id, a);
	mem_id_format(swap ? &x->id : &y->id, b);
	printf("%s %s\n", a, b);
}

int
main(int argc, char **argv)
{
	const struct mem_skill_filter live = { 0 };
	uint32_t dims = 0;
	if (argc != 3) {
		fprintf(stderr, "usage: skill_pairs DIR LEAST\n");
		return 2;
	}
	struct mem_store *s = open_store(argv[1], false);
	const double least = strtod(argv[2], NULL);
	must(mem_skills_each(s, &live, collect_skill, &dims, &err), "skills");
	for (size_t i = 0; i < nall; i++)
		for (size_t k = 0; k < i; k++)
			if (all[i].v != NULL && all[k].v != NULL && mem_str_eq(all[i].category, all[k].category) &&
			    measure_skill_cosine(all[i].v, all[k].v, dims) >= least)
				print_pair(&all[i], &all[k]);
	for (size_t i = 0; i < nall; i++)
		free(all[i].v);
	free(all);
	mem_arena_release(&arena);
	mem_store_close(s);
	return 0;
}
