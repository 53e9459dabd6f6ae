/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mining: which items occur together in many transactions, by FP-growth (Han, Pei, Yin 2000), and the rules that follow.
 *
 * Items are numbers that the caller gives, best without gaps.  A set of items is frequent when at least min_count
 * transactions hold all of it; how many do is its count.  It is closed when each larger set that holds it has a lower
 * count, and maximal when no larger set that holds it is frequent.  The empty set is none.  All counts are exact.
 *
 * Transactions become a tree of their frequent items, the most frequent one first, so that they share what they begin
 * with.  Sets that end with an item grow from the tree of the paths that lead to it, the rarest item first.  Among closed
 * sets an item that stands in all those paths belongs to the set at once, and what was grown from another set with
 * the same transactions (by the sum of a 64-bit number for each, and their count) is not grown again; in this order
 * the first such set is the closed one.  Of maximal sets, what a found one holds whole, with all that could grow from it,
 * is left out.
 *
 * Memory: four bytes for each item of each transaction, 32 for each node of the trees that are open, and the sets found,
 * of which there may be 2^n of n items: max_sets bounds them.
 */
#ifndef MEM_MINE_H
#define MEM_MINE_H

#include "base/base.h"

/* ---- transactions ------------------------------------------------------ */

struct mem_transactions {
	uint32_t *items;            /* of all, one transaction behind the other */
	size_t *ends;               /* of transaction i in items */
	size_t nitems, items_cap, n, ends_cap;
	uint32_t *last_in;          /* by item: 1 + the transaction that it was last seen in */
	size_t kinds, last_in_cap;  /* items are numbers below `kinds` */
};
/* Adds one, in which an item that is there several times counts once; of no items it counts among the transactions. */
void mem_transactions_add(struct mem_transactions *t, const uint32_t *items, size_t n);
/* Gives each item i the number numbers[i], which is below n.  Nothing is added afterwards. */
void mem_transactions_renumber(struct mem_transactions *t, const uint32_t *numbers, size_t n);
void mem_transactions_release(struct mem_transactions *t);

/* ---- sets -------------------------------------------------------------- */

enum mem_mine_which { MEM_MINE_ALL, MEM_MINE_CLOSED, MEM_MINE_MAXIMAL };

struct mem_mine_options {
	uint64_t min_count;         /* 0 counts as 1 */
	double min_support;         /* the same as a share of the transactions, from 0 to 1; the greater of both holds */
	size_t max_size;            /* of a set; 0: any.  It does not change what is closed or maximal */
	enum mem_mine_which which;
	size_t max_sets;            /* that may be found */
};
#define MEM_MINE_SETS_MAX ((size_t)10000000) /* for max_sets: some 500 MB of sets of ten items */
#define MEM_MINE_OPTIONS_INIT { .max_sets = MEM_MINE_SETS_MAX }

struct mem_mine_set {
	const uint32_t *items;      /* ascending */
	size_t n;
	uint64_t count;
};
struct mem_mine_sets {
	struct mem_mine_set *sets;  /* by size, then by their items */
	size_t n;
	uint64_t transactions;
	uint32_t *items;            /* of all sets */
};
/* OWNS what it puts into *out.  MEM_REFUSED: there are more sets than max_sets; then *out is empty. */
enum mem_status mem_mine_run(struct mem_mine_sets *out, const struct mem_transactions *t, const struct mem_mine_options *o,
    struct mem_err *err) MEM_CHECKED;
void mem_mine_sets_release(struct mem_mine_sets *s);

/* ---- rules ------------------------------------------------------------- */

/*
 * A rule: transactions that hold the antecedent hold the consequent, too.  Both are not empty and have no item in common.
 * Of sets A and C with N transactions in all (Agrawal, Srikant 1994; lift: Brin et al. 1997):
 *
 *	support(A, C)    = count(A and C) / N
 *	confidence(A, C) = count(A and C) / count(A)
 *	lift(A, C)       = confidence(A, C) * N / count(C)
 */
struct mem_mine_rule {
	const uint32_t *antecedent, *consequent; /* ascending; BORROWED during the call */
	size_t nantecedent, nconsequent;
	uint64_t count;             /* of transactions that hold both */
	double support, confidence, lift;
};
struct mem_mine_rule_options {
	double min_confidence, min_lift;
};
typedef void mem_mine_rule_fn(void *ctx, const struct mem_mine_rule *rule);
/*
 * Tells all rules that are at least so sure: set by set in the order of the sets, of a set by the size of the antecedent,
 * then by its items.  `s` holds all frequent sets up to some size.  MEM_REFUSED: a set has over 30 items.
 */
enum mem_status mem_mine_rules(const struct mem_mine_sets *s, const struct mem_mine_rule_options *o, mem_mine_rule_fn *tell,
    void *ctx, struct mem_err *err) MEM_CHECKED;

#endif
