/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mining against all subsets of the items, counted one by one: sets of all three sorts and rules, of random transactions,
 * sparse, dense and with items that all hold; and inputs that would take all time or memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/mine.h"

enum { KINDS = 10, SUBSETS = 1 << KINDS, TRANSACTIONS_MAX = 60 };

static uint64_t seed = 1;
static uint32_t counts[SUBSETS]; /* by bits: transactions that hold them */

static uint32_t
draw(uint32_t below)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)((seed >> 33) % below);
}

static void
add_bits(struct mem_transactions *t, uint32_t bits)
{
	uint32_t items[2 * KINDS], n = 0;
	for (uint32_t i = 0; i < KINDS; i++)
		if (bits >> i & 1)
			items[n++] = KINDS - 1 - i;
	if (n > 0 && draw(2) == 0)
		items[n++] = items[0]; /* again: counts once */
	for (uint32_t i = 0; i < n; i++)
		items[i] = KINDS - 1 - items[i];
	mem_transactions_add(t, items, n);
	for (uint32_t s = 0; s < SUBSETS; s++)
		counts[s] += (s & bits) == s;
}

/* The `common` first items are in each; of the others each in one of `rare`. */
static void
draw_transactions(struct mem_transactions *t, uint32_t n, uint32_t common, uint32_t rare)
{
	memset(counts, 0, sizeof counts);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bits = (1U << common) - 1;
		for (uint32_t k = common; k < KINDS; k++)
			bits |= (uint32_t)(draw(rare) == 0) << k;
		add_bits(t, bits);
	}
}

static bool
is_wanted(uint32_t s, uint64_t least, const struct mem_mine_options *o)
{
	if (s == 0 || counts[s] < least || (o->max_size > 0 && (size_t)__builtin_popcount(s) > o->max_size))
		return false;
	for (uint32_t i = 0; o->which != MEM_MINE_ALL && i < KINDS; i++) {
		uint32_t more = s | 1U << i;
		if (more != s && (o->which == MEM_MINE_CLOSED ? counts[more] == counts[s] : counts[more] >= least))
			return false;
	}
	return true;
}

static uint32_t
bits_of(const uint32_t *items, size_t n)
{
	uint32_t bits = 0;
	for (size_t i = 0; i < n; i++) {
		assert_true(i == 0 || items[i - 1] < items[i]);
		bits |= 1U << items[i];
	}
	return bits;
}

static bool
stands_before(const struct mem_mine_set *a, const struct mem_mine_set *b)
{
	if (a->n != b->n)
		return a->n < b->n;
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i] != b->items[i])
			return a->items[i] < b->items[i];
	return false;
}

static void
check_sets(const struct mem_transactions *t, const struct mem_mine_options *o, uint64_t least)
{
	struct mem_mine_sets sets;
	struct mem_err err = { 0 };
	size_t wanted = 0;
	assert_int_equal(mem_mine_run(&sets, t, o, &err), MEM_OK);
	for (uint32_t s = 0; s < SUBSETS; s++)
		wanted += is_wanted(s, least, o);
	assert_int_equal(sets.n, wanted);
	for (size_t i = 0; i < sets.n; i++) {
		uint32_t bits = bits_of(sets.sets[i].items, sets.sets[i].n);
		assert_true(is_wanted(bits, least, o));
		assert_int_equal(sets.sets[i].count, counts[bits]);
		assert_true(i == 0 || stands_before(&sets.sets[i - 1], &sets.sets[i]));
	}
	mem_mine_sets_release(&sets);
}

static void
test_sets(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 300; round++) {
		struct mem_transactions t = { 0 };
		uint32_t n = draw(TRANSACTIONS_MAX), common = draw(3);
		draw_transactions(&t, n, common, 1 + draw(4));
		for (int which = MEM_MINE_ALL; which <= MEM_MINE_MAXIMAL; which++)
			for (uint32_t least = 0; least < 8; least += 1 + draw(3)) {
				struct mem_mine_options o = MEM_MINE_OPTIONS_INIT;
				o.which = (enum mem_mine_which)which;
				o.min_count = least;
				o.max_size = draw(2) == 0 ? 0 : 1 + draw(KINDS);
				check_sets(&t, &o, least > 1 ? least : 1);
			}
		mem_transactions_release(&t);
	}
}

/* A share of .3 of ten transactions is three of them, though .3 * 10 is a little more in doubles of some shares. */
static void
test_share(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 50; n++)
		for (uint32_t k = 1; k <= n; k++) {
			struct mem_mine_options o = MEM_MINE_OPTIONS_INIT;
			struct mem_transactions t = { 0 };
			struct mem_mine_sets sets;
			const uint32_t item = 0;
			for (uint32_t i = 0; i < n; i++)
				mem_transactions_add(&t, &item, i < k);
			o.min_support = (double)k / n;
			assert_int_equal(mem_mine_run(&sets, &t, &o, NULL), MEM_OK);
			assert_int_equal(sets.n, 1);
			mem_mine_sets_release(&sets);
			o.min_count = k + 1;
			assert_int_equal(mem_mine_run(&sets, &t, &o, NULL), MEM_OK);
			assert_int_equal(sets.n, 0);
			mem_mine_sets_release(&sets);
			mem_transactions_release(&t);
		}
}

/* ---- rules --------------------------------------------------------------------- */

static const struct mem_mine_rule_options *rules_wanted;
static size_t rules_told, rules_n;

static void
check_rule(void *ctx, const struct mem_mine_rule *rule)
{
	uint32_t a = bits_of(rule->antecedent, rule->nantecedent), c = bits_of(rule->consequent, rule->nconsequent);
	(void)ctx;
	rules_told++;
	assert_true(a != 0 && c != 0 && (a & c) == 0);
	assert_int_equal(rule->count, counts[a | c]);
	assert_true(fabs(rule->support - (double)counts[a | c] / (double)rules_n) < 1e-12);
	assert_true(fabs(rule->confidence - (double)counts[a | c] / counts[a]) < 1e-12);
	assert_true(fabs(rule->lift - (double)counts[a | c] * (double)rules_n / ((double)counts[a] * counts[c])) < 1e-9);
	assert_true(rule->confidence >= rules_wanted->min_confidence && rule->lift >= rules_wanted->min_lift);
}

static size_t
count_rules(uint64_t least)
{
	size_t n = 0;
	for (uint32_t s = 1; s < SUBSETS; s++)
		for (uint32_t a = (s - 1) & s; a != 0 && counts[s] >= least; a = (a - 1) & s)
			n += (double)counts[s] / counts[a] >= rules_wanted->min_confidence &&
			    (double)counts[s] * (double)rules_n / ((double)counts[a] * counts[s & ~a]) >= rules_wanted->min_lift;
	return n;
}

static void
test_rules(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 60; round++) {
		const struct mem_mine_rule_options wanted = { draw(11) / 10.0, draw(3) / 2.0 };
		struct mem_mine_options o = MEM_MINE_OPTIONS_INIT;
		struct mem_transactions t = { 0 };
		struct mem_mine_sets sets;
		rules_n = 1 + draw(TRANSACTIONS_MAX);
		draw_transactions(&t, (uint32_t)rules_n, draw(2), 1 + draw(3));
		o.min_count = 1 + draw(5);
		rules_wanted = &wanted;
		rules_told = 0;
		assert_int_equal(mem_mine_run(&sets, &t, &o, NULL), MEM_OK);
		assert_int_equal(mem_mine_rules(&sets, &wanted, check_rule, NULL, NULL), MEM_OK);
		assert_int_equal(rules_told, count_rules(o.min_count));
		mem_mine_sets_release(&sets);
		mem_transactions_release(&t);
	}
}

/* ---- too much -------------------------------------------------------------------- */

/* Two transactions of the same 5,000 items: 2^5,000 sets, of which one is closed. */
static void
test_long_transactions(void **state)
{
	enum { LONG = 5000 };
	static uint32_t items[LONG];
	struct mem_mine_options o = MEM_MINE_OPTIONS_INIT;
	struct mem_transactions t = { 0 };
	struct mem_mine_sets sets;
	struct mem_err err;
	(void)state;
	for (uint32_t i = 0; i < LONG; i++)
		items[i] = i;
	mem_transactions_add(&t, items, LONG);
	mem_transactions_add(&t, items, LONG);
	assert_int_equal(mem_mine_run(&sets, &t, &o, &err), MEM_REFUSED);
	assert_int_equal(sets.n, 0);
	for (o.which = MEM_MINE_CLOSED; o.which <= MEM_MINE_MAXIMAL; o.which++) {
		assert_int_equal(mem_mine_run(&sets, &t, &o, &err), MEM_OK);
		assert_int_equal(sets.n, 1);
		assert_int_equal(sets.sets[0].n, LONG);
		assert_int_equal(sets.sets[0].count, 2);
		mem_mine_sets_release(&sets);
	}
	o.which = MEM_MINE_ALL;
	o.max_size = 1;
	assert_int_equal(mem_mine_run(&sets, &t, &o, &err), MEM_OK);
	assert_int_equal(sets.n, LONG);
	mem_mine_sets_release(&sets);
	o.max_sets = LONG - 1;
	assert_int_equal(mem_mine_run(&sets, &t, &o, &err), MEM_REFUSED);
	mem_transactions_release(&t);
}

/* 50,000 transactions of one common item and one of its own: wide trees, all with one least count. */
static void
test_wide_transactions(void **state)
{
	enum { WIDE = 50000 };
	(void)state;
	for (int which = MEM_MINE_ALL; which <= MEM_MINE_MAXIMAL; which++) {
		struct mem_mine_options o = MEM_MINE_OPTIONS_INIT;
		struct mem_transactions t = { 0 };
		struct mem_mine_sets sets;
		struct mem_err err;
		for (uint32_t i = 0; i < WIDE; i++) {
			const uint32_t items[] = { 0, i + 1 };
			mem_transactions_add(&t, items, 2);
		}
		o.which = (enum mem_mine_which)which;
		assert_int_equal(mem_mine_run(&sets, &t, &o, &err), MEM_OK);
		assert_int_equal(sets.n, which == MEM_MINE_ALL ? 2 * WIDE + 1 : which == MEM_MINE_CLOSED ? WIDE + 1 : WIDE);
		mem_mine_sets_release(&sets);
		mem_transactions_release(&t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_long_transactions),
		cmocka_unit_test(test_wide_transactions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
