/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All pairs of texts that are written alike.
 *
 * Two sets of x and y triples with a likeness of at least s have s (x + y) / 2 in common, and the smaller set has s / (2 - s) of the
 * greater.  So at least s / (2 - s) x triples of any set are in each one that is like it, and of the others one of its rarest
 * x - s x / (2 - s) + 1 is: only those are indexed and looked up (Chaudhuri, Ganti and Kaushik, "A primitive operator for similarity
 * joins in data cleaning", ICDE 2006; Bayardo, Ma and Srikant, "Scaling up all pairs similarity search", WWW 2007).
 */
#include "text/text_int.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

/* A text's triples as their ranks, the rarest first. */
struct ranked_text {
	size_t first;               /* in `ranks` */
	uint32_t n, prefix;         /* triples, and how many of them are indexed */
};
struct triple_count {
	uint64_t triple;
	uint32_t texts, rank;
};
struct index_entry {
	uint32_t text, next;        /* next: its number from 1, 0: none */
};
struct likeness_join {
	double least;
	size_t ntexts, ncounts, nranks, nentries;
	struct ranked_text *texts;
	struct triple_count *counts; /* by triple */
	uint32_t *ranks;
	uint32_t *heads;            /* by rank: number of its first entry from 1 */
	struct index_entry *entries;
	uint32_t *seen;             /* by text: the text that looked at it last, from 1 */
};

/* ---- ranks ---------------------------------------------------------------- */

static int
compare_triple_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static int
compare_ranks(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Rare triples first. */
static int
compare_counts(const void *a, const void *b)
{
	const struct triple_count *const *x = a, *const *y = b;
	if ((*x)->texts != (*y)->texts)
		return (*x)->texts < (*y)->texts ? -1 : 1;
	return (*x)->triple < (*y)->triple ? -1 : (*x)->triple > (*y)->triple;
}

static int
compare_with_triple(const void *key, const void *member)
{
	const uint64_t *k = key;
	const struct triple_count *m = member;
	return *k < m->triple ? -1 : *k > m->triple;
}

/* Different triples of all texts, one text after the other.  OWNS. */
static uint64_t *
list_all_triples(struct likeness_join *j, const struct mem_str *texts)
{
	struct mem_buf folded = { 0 };
	uint64_t *all = NULL, *one = mem_xmalloc(TEXT_TRIPLES_MAX * sizeof *one);
	size_t cap = 0;
	for (size_t i = 0; i < j->ntexts; i++) {
		mem_buf_reset(&folded);
		mem_text_fold(&folded, texts[i]);
		uint32_t n = (uint32_t)text_list_different_triples(one, mem_buf_span(&folded));
		j->texts[i] = (struct ranked_text){ .first = j->nranks, .n = n };
		all = mem_grow(all, &cap, j->nranks + n, sizeof *all);
		for (uint32_t k = 0; k < n; k++)
			all[j->nranks++] = one[k];
	}
	free(one);
	mem_buf_release(&folded);
	return all;
}

static void
count_triples(struct likeness_join *j, const uint64_t *all)
{
	uint64_t *sorted = mem_xmalloc((j->nranks + 1) * sizeof *sorted);
	for (size_t i = 0; i < j->nranks; i++)
		sorted[i] = all[i];
	mem_sort(sorted, j->nranks, sizeof *sorted, compare_triple_numbers);
	j->counts = mem_xmalloc((j->nranks + 1) * sizeof *j->counts);
	for (size_t i = 0; i < j->nranks; i++)
		if (j->ncounts > 0 && j->counts[j->ncounts - 1].triple == sorted[i])
			j->counts[j->ncounts - 1].texts++;
		else
			j->counts[j->ncounts++] = (struct triple_count){ .triple = sorted[i], .texts = 1 };
	free(sorted);
}

static void
rank_triples(struct likeness_join *j, const uint64_t *all)
{
	struct triple_count **order = mem_xmalloc((j->ncounts + 1) * sizeof(struct triple_count *));
	for (size_t i = 0; i < j->ncounts; i++)
		order[i] = &j->counts[i];
	mem_sort(order, j->ncounts, sizeof(struct triple_count *), compare_counts);
	for (size_t i = 0; i < j->ncounts; i++)
		order[i]->rank = (uint32_t)i;
	free(order);
	j->ranks = mem_xmalloc((j->nranks + 1) * sizeof *j->ranks);
	for (size_t i = 0; i < j->nranks; i++) {
		const struct triple_count *c = mem_sorted_find(&all[i], j->counts, j->ncounts, sizeof *j->counts, compare_with_triple);
		j->ranks[i] = c->rank;
	}
}

static void
arrange_ranks(struct likeness_join *j)
{
	for (size_t i = 0; i < j->ntexts; i++) {
		struct ranked_text *t = &j->texts[i];
		/* Rounding must not ask for one triple more than there need be. */
		uint32_t common = (uint32_t)ceil(j->least / (2 - j->least) * t->n - 1e-9);
		t->prefix = t->n == 0 ? 0 : t->n - (common > 0 ? common : 1) + 1;
		mem_sort(j->ranks + t->first, t->n, sizeof *j->ranks, compare_ranks);
	}
}

/* ---- pairs ---------------------------------------------------------------- */

static double
ranked_likeness(const struct likeness_join *j, const struct ranked_text *x, const struct ranked_text *y)
{
	const uint32_t *a = j->ranks + x->first, *b = j->ranks + y->first;
	uint32_t i = 0, k = 0, both = 0;
	while (i < x->n && k < y->n) {
		uint32_t at = a[i];
		both += at == b[k];
		i += at <= b[k];
		k += b[k] <= at;
	}
	return 2 * (double)both / ((double)x->n + y->n);
}

/* Texts before this one that share one of its indexed triples, each once. */
static size_t
find_candidates(struct likeness_join *j, uint32_t text, uint32_t *out)
{
	const struct ranked_text *t = &j->texts[text];
	size_t n = 0;
	for (uint32_t k = 0; k < t->prefix; k++)
		for (uint32_t e = j->heads[j->ranks[t->first + k]]; e != 0; e = j->entries[e - 1].next) {
			uint32_t other = j->entries[e - 1].text;
			if (j->seen[other] == text + 1)
				continue;
			j->seen[other] = text + 1;
			out[n++] = other;
		}
	mem_sort(out, n, sizeof *out, compare_ranks);
	return n;
}

static void
index_prefix(struct likeness_join *j, uint32_t text)
{
	const struct ranked_text *t = &j->texts[text];
	for (uint32_t k = 0; k < t->prefix; k++) {
		uint32_t *head = &j->heads[j->ranks[t->first + k]];
		j->entries[j->nentries++] = (struct index_entry){ text, *head };
		*head = (uint32_t)j->nentries;
	}
}

static bool
join_texts(struct likeness_join *j, mem_likeness_fn *fn, void *ctx)
{
	uint32_t *candidates = mem_xmalloc((j->ntexts + 1) * sizeof *candidates);
	bool on = true;
	for (uint32_t i = 0; i < j->ntexts && on; i++) {
		size_t n = find_candidates(j, i, candidates);
		for (size_t k = 0; k < n && on; k++) {
			double like = ranked_likeness(j, &j->texts[i], &j->texts[candidates[k]]);
			on = like < j->least || fn(ctx, i, candidates[k], like);
		}
		index_prefix(j, i);
	}
	free(candidates);
	return on;
}

bool
mem_likeness_pairs(const struct mem_str *texts, size_t n, double least, mem_likeness_fn *fn, void *ctx)
{
	struct likeness_join j = { .least = least, .ntexts = n, .texts = mem_xcalloc(n + 1, sizeof *j.texts) };
	uint64_t *all = list_all_triples(&j, texts);
	count_triples(&j, all);
	rank_triples(&j, all);
	free(all);
	arrange_ranks(&j);
	j.heads = mem_xcalloc(j.ncounts + 1, sizeof *j.heads);
	j.entries = mem_xmalloc((j.nranks + 1) * sizeof *j.entries);
	j.seen = mem_xcalloc(n + 1, sizeof *j.seen);
	bool on = join_texts(&j, fn, ctx);
	free(j.texts);
	free(j.counts);
	free(j.ranks);
	free(j.heads);
	free(j.entries);
	free(j.seen);
	return on;
}
