/* SPDX-License-Identifier: Apache-2.0 */
/* Association rules from frequent sets. */
#include "graph/mine_int.h"

#include <stdlib.h>

#include "base/order.h"

#define RULE_ITEMS_MAX 30

/* A part of a set, one bit for each of its items. */
struct mine_ruler {
	const struct mem_mine_sets *sets;
	const struct mem_mine_rule_options *o;
	size_t *slots;              /* by hash of a set: 1 + its place; 0: free */
	size_t nslots;              /* a power of two */
	const struct mem_mine_set *set;
	uint32_t *antecedents;      /* of the rules of the set, as bits */
	size_t n, cap;
};

/* ---- counts by set ------------------------------------------------------------ */

static size_t
hash_items(const struct mine_ruler *r, const uint32_t *items, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += mine_transaction_trace(items[i]);
	return (size_t)(sum ^ (sum >> 32)) & (r->nslots - 1);
}

static size_t *
find_set_slot(const struct mine_ruler *r, const uint32_t *items, size_t n)
{
	size_t at = hash_items(r, items, n);
	for (; r->slots[at] != 0; at = (at + 1) & (r->nslots - 1)) {
		const struct mem_mine_set *s = &r->sets->sets[r->slots[at] - 1];
		if (s->n == n && memcmp(s->items, items, n * sizeof *items) == 0)
			break;
	}
	return &r->slots[at];
}

static void
index_sets(struct mine_ruler *r)
{
	for (r->nslots = 256; r->nslots < 2 * r->sets->n; r->nslots *= 2)
		continue;
	r->slots = mem_xcalloc(r->nslots, sizeof *r->slots);
	for (size_t i = 0; i < r->sets->n; i++)
		*find_set_slot(r, r->sets->sets[i].items, r->sets->sets[i].n) = i + 1;
}

static size_t
pick_items(const struct mem_mine_set *s, uint32_t bits, uint32_t *out)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (bits >> i & 1)
			out[n++] = s->items[i];
	return n;
}

static uint64_t
count_part(const struct mine_ruler *r, uint32_t bits)
{
	uint32_t items[RULE_ITEMS_MAX];
	size_t at = *find_set_slot(r, items, pick_items(r->set, bits, items));
	return at > 0 ? r->sets->sets[at - 1].count : UINT64_MAX;
}

/* ---- rules of a set -------------------------------------------------------------- */

/*
 * Consequents of one item more than this one, of items from `from` on.  With each the antecedent loses an item and the confidence can
 * only fall: behind one that is not sure enough none is.
 */
static void
grow_consequents(struct mine_ruler *r, uint32_t consequent, size_t from)
{
	const uint32_t all = (uint32_t)(((uint64_t)1 << r->set->n) - 1);
	for (size_t i = from; i < r->set->n; i++) {
		uint32_t more = consequent | (uint32_t)1 << i, antecedent = all & ~more;
		if (antecedent == 0 || (double)r->set->count / (double)count_part(r, antecedent) < r->o->min_confidence)
			continue;
		r->antecedents = mem_grow(r->antecedents, &r->cap, r->n + 1, sizeof *r->antecedents);
		r->antecedents[r->n++] = antecedent;
		grow_consequents(r, more, i + 1);
	}
}

/* By size, then by items: where two of one size differ first, the one with the earlier item goes first. */
static int
compare_antecedents(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b, differ = x ^ y;
	int more = __builtin_popcount(x) - __builtin_popcount(y);
	if (more != 0 || differ == 0)
		return more;
	return x & (differ & -differ) ? -1 : 1;
}

static void
tell_set_rules(struct mine_ruler *r, mem_mine_rule_fn *tell, void *ctx)
{
	const uint32_t all = (uint32_t)(((uint64_t)1 << r->set->n) - 1);
	const double n = (double)r->sets->transactions, both = (double)r->set->count;
	mem_sort(r->antecedents, r->n, sizeof *r->antecedents, compare_antecedents);
	for (size_t i = 0; i < r->n; i++) {
		uint32_t antecedent[RULE_ITEMS_MAX], consequent[RULE_ITEMS_MAX];
		double of = (double)count_part(r, r->antecedents[i]);
		const struct mem_mine_rule rule = {
			.antecedent = antecedent, .nantecedent = pick_items(r->set, r->antecedents[i], antecedent),
			.consequent = consequent, .nconsequent = pick_items(r->set, all & ~r->antecedents[i], consequent),
			.count = r->set->count, .support = both / n, .confidence = both / of,
			.lift = both * n / (of * (double)count_part(r, all & ~r->antecedents[i])),
		};
		if (rule.lift >= r->o->min_lift)
			tell(ctx, &rule);
	}
}

enum mem_status
mem_mine_rules(const struct mem_mine_sets *s, const struct mem_mine_rule_options *o, mem_mine_rule_fn *tell, void *ctx,
    struct mem_err *err)
{
	struct mine_ruler r = { .sets = s, .o = o };
	if (s->n > 0 && s->sets[s->n - 1].n > RULE_ITEMS_MAX)
		return mem_err_set(err, MEM_REFUSED, "a set of %zu items: rules are made of at most %d", s->sets[s->n - 1].n, RULE_ITEMS_MAX);
	index_sets(&r);
	for (size_t i = 0; i < s->n; i++) {
		r.set = &s->sets[i];
		r.n = 0;
		grow_consequents(&r, 0, 0);
		tell_set_rules(&r, tell, ctx);
	}
	free(r.slots);
	free(r.antecedents);
	return MEM_OK;
}
