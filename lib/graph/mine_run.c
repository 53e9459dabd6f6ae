/* SPDX-License-Identifier: Apache-2.0 */
/* The search for frequent sets: all, closed or maximal. */
#include "graph/mine_int.h"

#include <math.h>
#include <stdlib.h>

struct mine_search {
	struct mine_forest forest;
	struct mem_mine_options o;
	struct mine_found found;
	struct mine_seen seen;
	struct mine_maximal maximal;
	uint32_t *prefix, *tail;    /* ranks of the set that grows, and of what may still join it */
	size_t nprefix, nroot;      /* of the prefix what all transactions hold, which stays */
};

/* ---- transactions ---------------------------------------------------------- */

static void
see_kind(struct mem_transactions *t, uint32_t item)
{
	size_t before = t->last_in_cap;
	t->last_in = mem_grow(t->last_in, &t->last_in_cap, (size_t)item + 1, sizeof *t->last_in);
	memset(t->last_in + before, 0, (t->last_in_cap - before) * sizeof *t->last_in);
	t->kinds = (size_t)item + 1 > t->kinds ? (size_t)item + 1 : t->kinds;
}

void
mem_transactions_add(struct mem_transactions *t, const uint32_t *items, size_t n)
{
	t->ends = mem_grow(t->ends, &t->ends_cap, t->n + 1, sizeof *t->ends);
	t->items = mem_grow(t->items, &t->items_cap, t->nitems + n, sizeof *t->items);
	for (size_t i = 0; i < n; i++) {
		see_kind(t, items[i]);
		if (t->last_in[items[i]] == t->n + 1)
			continue;
		t->last_in[items[i]] = (uint32_t)t->n + 1;
		t->items[t->nitems++] = items[i];
	}
	t->ends[t->n++] = t->nitems;
}

void
mem_transactions_renumber(struct mem_transactions *t, const uint32_t *numbers, size_t n)
{
	t->kinds = n;
	for (size_t i = 0; i < t->nitems; i++)
		t->items[i] = numbers[t->items[i]];
}

void
mem_transactions_release(struct mem_transactions *t)
{
	free(t->items);
	free(t->ends);
	free(t->last_in);
	*t = (struct mem_transactions){ 0 };
}

/* ---- sets -------------------------------------------------------------------- */

static void
push_full(struct mine_search *s)
{
	for (size_t i = 0; i < s->forest.nfull; i++)
		s->prefix[s->nprefix++] = s->forest.full[i];
}

/* The set that has grown.  False: too many. */
static bool
keep_set(struct mine_search *s, uint64_t count)
{
	if (s->o.max_size == 0 || s->nprefix <= s->o.max_size)
		mine_found_add(&s->found, s->prefix, s->nprefix, count);
	return s->found.n <= s->o.max_sets;
}

/* Of n items there are 2^n - 1 frequent sets: who finds so large a set need not look for the others. */
static bool
subsets_fit(const struct mine_search *s)
{
	return s->nprefix < 64 && ((uint64_t)1 << s->nprefix) - 1 <= s->o.max_sets;
}

static bool
grow_all_sets(struct mine_search *s, const struct mine_tree *t)
{
	bool fits = true;
	for (size_t i = t->nitems; fits && i-- > 0;) {
		struct mine_item item = s->forest.items[t->item + i];
		struct mine_tree below;
		s->prefix[s->nprefix++] = item.rank;
		fits = subsets_fit(s) && keep_set(s, item.count);
		if (fits && i > 0 && s->nprefix != s->o.max_size) {
			mine_tree_project(&s->forest, t, i, false, &below);
			fits = grow_all_sets(s, &below);
			mine_tree_drop(&s->forest, &below);
		}
		s->nprefix--;
	}
	return fits;
}

static bool
grow_closed_sets(struct mine_search *s, const struct mine_tree *t)
{
	bool fits = true;
	for (size_t i = t->nitems; fits && i-- > 0;) {
		struct mine_item item = s->forest.items[t->item + i];
		struct mine_tree below;
		size_t before = s->nprefix;
		if (!mine_seen_add(&s->seen, mine_item_trace(&s->forest, t, i), item.count))
			continue;
		s->prefix[s->nprefix++] = item.rank;
		mine_tree_project(&s->forest, t, i, true, &below);
		push_full(s);
		fits = keep_set(s, item.count) && grow_closed_sets(s, &below);
		mine_tree_drop(&s->forest, &below);
		s->nprefix = before;
	}
	return fits;
}

/* ---- maximal sets -------------------------------------------------------------- */

/* Does one of the sets, which all hold the prefix, hold all that could grow from it? */
static bool
tail_is_covered(struct mine_search *s, const struct mine_tree *t, const struct mine_list *sets)
{
	for (size_t i = 0; i < t->nitems; i++)
		s->tail[i] = s->forest.items[t->item + i].rank;
	return mine_maximal_next(&s->maximal, sets, 0, s->tail, t->nitems) < sets->n;
}

static bool grow_maximal_sets(struct mine_search *s, const struct mine_tree *t, uint64_t count, struct mine_list *sets);

/* `sets`: those found that hold the prefix; they gain what is found here. */
static bool
grow_maximal_item(struct mine_search *s, const struct mine_tree *t, size_t i, struct mine_list *sets)
{
	const struct mine_item item = s->forest.items[t->item + i];
	size_t before = s->nprefix, nfound = s->maximal.found.n;
	/* All sets hold what the root has; those that hold a first item stand in an index. */
	bool first = before == s->nroot;
	const struct mine_list *of = first ? &s->maximal.holding[item.rank] : sets;
	struct mine_list held = { 0 };
	struct mine_tree below;
	s->prefix[s->nprefix++] = item.rank;
	mine_tree_project(&s->forest, t, i, true, &below);
	push_full(s);
	for (size_t k = 0; (k = mine_maximal_next(&s->maximal, of, k, s->prefix + before, s->nprefix - before)) < of->n; k++)
		mine_list_add(&held, of->v[k]);
	bool fits = grow_maximal_sets(s, &below, item.count, &held);
	mine_tree_drop(&s->forest, &below);
	free(held.v);
	s->nprefix = before;
	for (size_t k = nfound; !first && k < s->maximal.found.n; k++)
		mine_list_add(sets, (uint32_t)k);
	return fits;
}

static bool
grow_maximal_sets(struct mine_search *s, const struct mine_tree *t, uint64_t count, struct mine_list *sets)
{
	bool fits = true;
	if (tail_is_covered(s, t, sets))
		return true;
	if (t->nitems == 0 && s->nprefix > 0)
		mine_maximal_add(&s->maximal, s->prefix, s->nprefix, count);
	for (size_t i = t->nitems; fits && i-- > 0;)
		fits = grow_maximal_item(s, t, i, sets);
	return fits && s->maximal.found.n <= s->o.max_sets;
}

/* Those that are small enough go to the sets found. */
static void
keep_maximal_sets(struct mine_search *s)
{
	const struct mine_found *m = &s->maximal.found;
	for (size_t i = 0; i < m->n; i++)
		if (s->o.max_size == 0 || m->sets[i].n <= s->o.max_size)
			mine_found_add(&s->found, m->items + s->maximal.places[i].first, m->sets[i].n, m->sets[i].count);
}

/* ---- a run ----------------------------------------------------------------------- */

/* The least count: of the share what is not below it by more than an error of rounding. */
static uint64_t
least_count(const struct mem_mine_options *o, size_t transactions)
{
	double share = ceil(o->min_support * (double)transactions * (1 - 1e-12));
	uint64_t least = o->min_count > 0 ? o->min_count : 1;
	return share > (double)least ? (uint64_t)share : least;
}

static bool
search_sets(struct mine_search *s, const struct mem_transactions *t)
{
	struct mine_tree root;
	struct mine_list none = { 0 };
	bool full = s->o.which != MEM_MINE_ALL, fits = true;
	mine_forest_init(&s->forest, t, least_count(&s->o, t->n), full, &root);
	s->prefix = mem_xcalloc(s->forest.nranks + 1, sizeof *s->prefix);
	s->tail = mem_xcalloc(s->forest.nranks + 1, sizeof *s->tail);
	push_full(s);
	s->nroot = s->nprefix;
	if (s->o.which == MEM_MINE_ALL)
		return grow_all_sets(s, &root);
	if (s->o.which == MEM_MINE_CLOSED) {
		if (s->nprefix > 0)
			fits = keep_set(s, t->n);
		return fits && grow_closed_sets(s, &root);
	}
	s->maximal.nranks = s->forest.nranks;
	s->maximal.holding = mem_xcalloc(s->forest.nranks + 1, sizeof *s->maximal.holding);
	fits = grow_maximal_sets(s, &root, t->n, &none);
	free(none.v);
	keep_maximal_sets(s);
	return fits;
}

static void
end_search(struct mine_search *s)
{
	mine_forest_release(&s->forest);
	mine_found_release(&s->found);
	mine_maximal_release(&s->maximal);
	free(s->seen.keys);
	free(s->prefix);
	free(s->tail);
}

enum mem_status
mem_mine_run(struct mem_mine_sets *out, const struct mem_transactions *t, const struct mem_mine_options *o, struct mem_err *err)
{
	struct mine_search s = { .o = *o };
	*out = (struct mem_mine_sets){ .transactions = t->n };
	bool fits = search_sets(&s, t);
	if (fits) {
		for (size_t i = 0; i < s.found.nitems; i++)
			s.found.items[i] = s.forest.numbers[s.found.items[i]];
		mine_found_sort(&s.found, t->kinds, out);
	}
	end_search(&s);
	return fits ? MEM_OK : mem_err_set(err, MEM_REFUSED, "more than %zu sets", o->max_sets);
}
