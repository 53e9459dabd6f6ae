/* SPDX-License-Identifier: Apache-2.0 */
/* How urgent conflicts are, circles and their weakest edges, orders that contradict each other, and the formula of health. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "skill/conflict.h"
#include "skill/cycles.h"
#include "skill/health.h"
#include "skill/orders.h"
#include "skill/release_range.h"

/* ---- priority ------------------------------------------------------------- */

static void
priority_grows_with_severity_age_and_similarity(void **state)
{
	(void)state;
	assert_true(mem_conflict_priority(MEM_SEVERITY_HIGH, 15, .9) == 7.6);
	assert_true(mem_conflict_priority(MEM_SEVERITY_CRITICAL, 60, 1) == 32);
	assert_true(mem_conflict_priority(MEM_SEVERITY_LOW, 120, (double)NAN) == 3);
	assert_true(mem_conflict_priority(MEM_SEVERITY_MEDIUM, 45, 0) == 3);
	assert_true(mem_conflict_priority(MEM_SEVERITY_LOW, -1, (double)NAN) == 1);
}

static void
words_of_types_are_read_again(void **state)
{
	enum mem_conflict_type type;
	(void)state;
	for (size_t i = 0; i < MEM_CONFLICT_TYPES; i++) {
		assert_true(mem_conflict_type_parse(mem_str(mem_conflict_types[i]), &type));
		assert_int_equal(type, i);
	}
	assert_false(mem_conflict_type_parse(MEM_STR("quarrel"), &type));
	assert_int_equal(mem_conflict_severity(MEM_CONFLICT_DUPLICATE), MEM_SEVERITY_CRITICAL);
	assert_int_equal(mem_conflict_severity(MEM_CONFLICT_STALE), MEM_SEVERITY_LOW);
}

/* ---- circles -------------------------------------------------------------- */

enum { NODES = 12, EDGES_MAX = 64 };

struct found_cycles {
	const struct mem_cycle_edge *edges;
	size_t n, length[EDGES_MAX];
	uint32_t weakest[EDGES_MAX];
	bool out[EDGES_MAX];
};

static bool
keep_cycle(void *ctx, const uint32_t *edges, size_t n, uint32_t weakest)
{
	struct found_cycles *f = ctx;
	bool among = false;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(f->edges[edges[i]].to, f->edges[edges[(i + 1) % n]].from);
		assert_true(f->edges[edges[i]].strength >= f->edges[weakest].strength);
		among |= edges[i] == weakest;
	}
	assert_true(among);
	f->length[f->n] = n;
	f->weakest[f->n++] = weakest;
	f->out[weakest] = true;
	return true;
}

/* Is there a way of at most `left` edges from `at` to `to`? */
static bool
has_way(const struct found_cycles *f, size_t nedges, uint32_t at, uint32_t to, size_t left)
{
	for (size_t e = 0; e < nedges && left > 0; e++)
		if (f->edges[e].from == at && !f->out[e] && (f->edges[e].to == to || has_way(f, nedges, f->edges[e].to, to, left - 1)))
			return true;
	return false;
}

static void
a_circle_is_found_once_with_its_weakest_edge(void **state)
{
	(void)state;
	const struct mem_cycle_edge edges[] = { { 0, 1, .9 }, { 1, 2, .3 }, { 2, 0, .5 }, { 2, 3, .1 }, { 4, 4, 1 } };
	struct found_cycles f = { .edges = edges };
	mem_cycles_find(edges, MEM_COUNT(edges), 5, keep_cycle, &f);
	assert_int_equal(f.n, 2);
	assert_int_equal(f.length[0], 3);
	assert_int_equal(f.weakest[0], 1);
	assert_int_equal(f.length[1], 1);
	assert_int_equal(f.weakest[1], 4);
}

static void
circles_are_at_most_ten_edges_long(void **state)
{
	(void)state;
	for (uint32_t n = 9; n <= NODES; n++) {
		struct mem_cycle_edge ring[NODES];
		struct found_cycles f = { .edges = ring };
		for (uint32_t i = 0; i < n; i++)
			ring[i] = (struct mem_cycle_edge){ i, (i + 1) % n, 1 };
		mem_cycles_find(ring, n, n, keep_cycle, &f);
		assert_int_equal(f.n, n <= MEM_CYCLE_LENGTH);
	}
}

static void
without_the_weakest_edges_no_circle_is_left(void **state)
{
	uint64_t seed = 7;
	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct mem_cycle_edge edges[EDGES_MAX];
		size_t n = 0;
		for (uint32_t v = 0; v < 7; v++)
			for (uint32_t to = 0; to < 7; to++) {
				seed = seed * 6364136223846793005U + 1442695040888963407U;
				if (seed >> 61 == 0)
					edges[n++] = (struct mem_cycle_edge){ v, to, (double)(seed >> 33 & 7) / 8 };
			}
		struct found_cycles f = { .edges = edges };
		mem_cycles_find(edges, n, 7, keep_cycle, &f);
		for (uint32_t v = 0; v < 7; v++)
			assert_false(has_way(&f, n, v, v, 7));
	}
}

/* ---- orders --------------------------------------------------------------- */

struct read_orders {
	size_t n;
	char keys[8][128];
	bool forbids[8];
};

static void
keep_order(void *ctx, const struct mem_order *order)
{
	struct read_orders *r = ctx;
	assert_true(r->n < 8 && order->key.n < sizeof r->keys[0]);
	memcpy(r->keys[r->n], order->key.p, order->key.n);
	r->keys[r->n][order->key.n] = '\0';
	r->forbids[r->n++] = order->forbids;
}

static struct read_orders
read_orders(const char *text)
{
	struct read_orders r = { 0 };
	struct mem_analyser *a;
	assert_int_equal(mem_analyser_open(&a, "english", NULL), MEM_OK);
	mem_orders_each(a, mem_str(text), keep_order, &r);
	mem_analyser_close(a);
	return r;
}

/* Where the words of an order end behind what is read of it first. */
static void
long_orders_are_read_to_their_end(void **state)
{
	static const struct {
		const char *text, *key;
	} orders[] = {
		{ "Never run the migrations of the thoroughly internationalised, old database", "run migrat thorough internationalis" },
		{ "Never deploy the unauthenticated administration microfrontends, please", "deploy unauthent administr microfrontend" },
		{ "Never deploy unauthenticatedadministrationmicrofrontends/elsewhere", "deploy unauthenticatedadministrationmicrofrontend elsewher" },
		{ "Never deploy an unauthenticated administration dashboard\twithout review", "deploy unauthent administr dashboard" },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(orders); i++) {
		struct read_orders r = read_orders(orders[i].text);
		assert_int_equal(r.n, 1);
		assert_string_equal(r.keys[0], orders[i].key);
	}
}

/* Each word that says what a sentence is, in a sentence whose verb and object are known. */
static void
words_before_an_order_are_known(void **state)
{
	static const char skips[] = "please also just simply instead then first finally and but so you we always must should shall do ";
	static const char forbids[] = "never don't dont mustn't shouldn't avoid ";
	static const char ends[] = "when if unless because since for in to with without before after until while that which as and or but by from on at "
	    "into than instead via so where during between across over under about rather like through ";
	(void)state;
	for (const char *p = skips, *end; (end = strchr(p, ' ')) != NULL; p = end + 1) {
		char text[64];
		snprintf(text, sizeof text, "%.*s commit secrets", (int)(end - p), p);
		struct read_orders r = read_orders(text);
		assert_true(r.n == 1 && !r.forbids[0]);
		assert_string_equal(r.keys[0], "commit secret");
	}
	for (const char *p = forbids, *end; (end = strchr(p, ' ')) != NULL; p = end + 1) {
		char text[64];
		snprintf(text, sizeof text, "%.*s committing secrets", (int)(end - p), p);
		struct read_orders r = read_orders(text);
		assert_true(r.n == 1 && r.forbids[0]);
		assert_string_equal(r.keys[0], "commit secret");
	}
	for (const char *p = ends, *end; (end = strchr(p, ' ')) != NULL; p = end + 1) {
		char text[64];
		snprintf(text, sizeof text, "commit secrets %.*s midnight", (int)(end - p), p);
		struct read_orders r = read_orders(text);
		assert_int_equal(r.n, 1);
		assert_string_equal(r.keys[0], "commit secret");
	}
}

static void
opposite_orders_have_one_key(void **state)
{
	(void)state;
	static const struct {
		const char *does, *does_not, *key;
	} pairs[] = {
		{ "Always commit secrets.", "Do not commit secrets.", "commit secret" },
		{ "- Commit the secrets to the repository.", "- **Never** commit secrets!", "commit secret" },
		{ "You should mock the database in unit tests.", "Don’t mock the database.", "mock databas" },
		{ "Use inline styles for emails.", "Avoid inline styles.", "use inlin style" },
		{ "Prefer tabs", "1. Avoid using tabs, please.", "use tab" },
		{ "Please run migrations by hand.", "You must not run migrations by hand.", "run migrat" },
		{ "IMPORTANT: push to main when CI is green.", "You shouldn't push to main.", "push main" },
		{ "Rely on retries.", "**Rule:** never rely on retries", "reli retri" },
	};
	for (size_t i = 0; i < MEM_COUNT(pairs); i++) {
		struct read_orders does = read_orders(pairs[i].does), not = read_orders(pairs[i].does_not);
		assert_int_equal(does.n, 1);
		assert_int_equal(not.n, 1);
		assert_string_equal(does.keys[0], pairs[i].key);
		assert_string_equal(not.keys[0], pairs[i].key);
		assert_false(does.forbids[0]);
		assert_true(not.forbids[0]);
	}
}

static void
what_tells_of_nothing_to_do_is_no_order(void **state)
{
	(void)state;
	const char *const texts[] = { "The tests run at night.", "Is it done?", "You can not know.", "```\ncommit secrets\n```\n", "Never.",
		"", "---", "If it fails, stop.", "Do", "https://example.com/never/commit" };
	for (size_t i = 0; i < MEM_COUNT(texts) - 1; i++)
		assert_int_equal(read_orders(texts[i]).n, 0);
	assert_false(read_orders(texts[MEM_COUNT(texts) - 1]).forbids[0]);
}

/* ---- ranges of releases --------------------------------------------------- */

static void
a_release_is_within_what_is_asked_for(void **state)
{
	(void)state;
	static const struct {
		const char *range, *in[3], *out[3];
	} ranges[] = {
		{ "1.2", { "1.2.0", "1.2.7", "v1.2" }, { "1.3.0", "1.1.9", "2.0.0" } },
		{ "1.x", { "1.0.0", "1.9.9", "1" }, { "2.0.0", "0.9.0", "10.0.0" } },
		{ "1.2.3", { "1.2.3", "v1.2.3", "1.2.3" }, { "1.2.4", "1.2.2", "1.2.3-experimental.1" } },
		{ "^1.2", { "1.2.0", "1.9.0", "1.2.1" }, { "2.0.0", "1.1.0", "0.1.2" } },
		{ "^0.2", { "0.2.0", "0.2.9", "0.2.1" }, { "0.3.0", "0.1.0", "1.2.0" } },
		{ "^0", { "0.2.9", "0.0.1", "0.99.0" }, { "1.0.0", "1.2.0", "2.0.0" } },
		{ "^0.0.3", { "0.0.3", "v0.0.3", "0.0.3" }, { "0.0.4", "0.0.2", "0.1.0" } },
		{ "^0.0", { "0.0.3", "0.0.0", "0.0.9" }, { "0.1.0", "1.0.0", "0.2.4" } },
		{ "1.3.0 - 1.5", { "1.3.0", "1.5.0", "1.5.9" }, { "1.2.9", "1.6.0", "2.0.0" } },
		{ "1.0 - 1.2.3", { "1.0.0", "1.2.3", "1.1.9" }, { "0.9.9", "1.2.4", "2.0.0" } },
		{ "^1.2 || ^3", { "1.2.0", "3.0.0", "3.4.1" }, { "1.1.0", "2.0.0", "4.0.0" } },
		{ "0.9 - 1.0 || >=4", { "0.9.1", "1.0.7", "5.0.0" }, { "0.8.0", "1.1.0", "3.9.9" } },
		{ "~1.2", { "1.2.0", "1.2.9", "1.2.1" }, { "1.3.0", "1.1.0", "2.2.0" } },
		{ ">=1.2 <2", { "1.2.0", "1.99.0", "1.5.0" }, { "2.0.0", "1.1.9", "3.0.0" } },
		{ "> 1.0, <= 1.5", { "1.1.0", "1.5.1", "1.4.0" }, { "1.0.1", "1.6.0", "2.0.0" } },
		{ "> 1.0.0, <= 1.5.0", { "1.0.1", "1.5.0", "1.4.0" }, { "1.0.0", "1.5.1", "2.0.0" } },
		{ ">1.2", { "1.3.0", "2.0.0", "1.3.0" }, { "1.2.0", "1.2.9", "1.1.9" } },
		{ "<=1.2", { "1.2.0", "1.2.9", "0.1.0" }, { "1.3.0", "2.0.0", "10.0.0" } },
		{ ">=1.x", { "1.0.0", "1.9.0", "2.0.0" }, { "0.9.0", "0.0.1", "0.99.9" } },
		{ "<2.x", { "1.9.9", "0.1.0", "1.0.0" }, { "2.0.0", "2.1.0", "3.0.0" } },
		{ "1.2.*", { "1.2.0", "1.2.7", "v1.2" }, { "1.3.0", "1.1.9", "2.2.0" } },
		{ "1.*.*", { "1.2.0", "1.0.7", "v1.2" }, { "0.3.0", "2.1.9", "2.2.0" } },
		{ "~>1.2", { "1.2.0", "1.2.9", "1.2.1" }, { "1.3.0", "1.1.0", "2.2.0" } },
		{ "==1.2.3", { "1.2.3", "v1.2.3", "1.2.3" }, { "1.2.4", "1.2.2", "1.3.3" } },
		{ "1.2.3-rc.1", { "1.2.3-rc.1", "v1.2.3-rc.1", "1.2.3-rc.1" }, { "1.2.3", "1.2.3-rc.2", "1.2.4" } },
		{ ">=1.2.*", { "1.2.0", "1.3.0", "2.0.0" }, { "1.1.9", "0.9.0", "1.2.0-rc.1" } },
		{ ">1.x", { "2.0.0", "2.0.1", "3.0.0" }, { "1.0.0", "1.9.9", "2.0.0-rc.1" } },
		{ "<=1.x", { "1.9.9", "0.1.0", "1.0.0" }, { "2.0.0", "2.0.0-rc.1", "1.9.9-rc.1" } },
		{ "<2.0.0", { "1.9.9", "0.1.0", "1.0.0" }, { "2.0.0", "2.0.0-rc.1", "1.9.9-rc.1" } },
		{ "<2.0.0-rc.2", { "1.9.9", "2.0.0-rc.1", "2.0.0-alpha" }, { "2.0.0", "2.0.0-rc.2", "1.9.9-rc.1" } },
		{ "2.x", { "2.0.0", "2.9.9", "2.1.0" }, { "2.0.0-rc.1", "2.1.0-rc.1", "3.0.0-rc.1" } },
		{ "2", { "2.0.0", "2.9.9", "2.1.0" }, { "2.0.0-rc.1", "2.1.0-rc.1", "3.0.0-rc.1" } },
		{ "^1.2.0", { "1.2.0", "1.2.1", "1.9.0" }, { "1.2.0-rc.1", "1.2.1-rc.1", "2.0.0-rc.1" } },
		{ "^1.2.3-rc.2", { "1.2.3-rc.2", "1.2.3-rc.10", "1.2.3" }, { "1.2.3-rc.1", "1.2.4-rc.3", "2.0.0-rc.3" } },
		{ "~1.2.3-rc.2", { "1.2.3-rc.2", "1.2.3-rc.10", "1.2.9" }, { "1.2.3-rc.1", "1.2.4-rc.3", "1.3.0" } },
		{ ">=1.2.3-rc.2 <2", { "1.2.3-rc.2", "1.2.3", "1.9.0" }, { "1.2.3-beta", "1.9.0-rc.3", "2.0.0-0" } },
		{ ">1.2.3-alpha.3", { "1.2.3-alpha.7", "1.2.3", "3.4.5" }, { "1.2.3-alpha.3", "3.4.5-alpha.9", "1.2.2" } },
		{ "1.2.3 - 2.3.4", { "1.2.3", "2.3.4", "2.0.0" }, { "2.3.5", "1.2.3-rc.1", "2.3.4-rc.1" } },
		{ "1.2 - 2", { "1.2.0", "2.9.9", "2.0.0" }, { "3.0.0", "1.1.9", "2.5.0-rc.1" } },
		{ "1.2.3-rc.1 - 2.0.0-rc.2", { "1.2.3-rc.1", "2.0.0-rc.1", "1.2.3" }, { "2.0.0", "1.9.0-rc.1", "2.0.0-rc.3" } },
		{ "<1.2 || >=3.0.0-rc.1", { "1.1.0", "3.0.0-rc.1", "3.0.0" }, { "1.2.0", "3.0.1-rc.1", "1.1.0-rc.1" } },
		{ "~0", { "0.0.1", "0.9.9", "0.1.2" }, { "1.0.0", "1.0.0-rc.1", "0.1.0-rc.1" } },
		{ "~1.2.3", { "1.2.3", "1.2.9", "1.2.30" }, { "1.2.2", "1.3.0", "1.2.3-rc.1" } },
		{ "^0.0.x", { "0.0.0", "0.0.9", "0.0.1" }, { "0.1.0", "1.0.0", "0.0.1-rc.1" } },
		{ "^ 1.2", { "1.2.0", "1.9.9", "1.3.0" }, { "2.0.0", "1.1.0", "1.2.0-rc.1" } },
		{ "1.2.3+build.5", { "1.2.3", "1.2.3+other", "v1.2.3" }, { "1.2.4", "1.2.3-rc.1", "1.2.2" } },
		{ "1.x.3", { "1.0.0", "1.2.7", "1.9.3" }, { "2.0.3", "0.9.3", "1.2.3-rc.1" } },
		{ "*", { "0.0.0", "1.2.7", "1.9.3" }, { "1.0.0-rc.1", "0.0.0-0", "2.0.0-experimental.1" } },
		{ "^1 || latest || 3", { "1.0.0", "3.2.7", "1.9.3" }, { NULL } },
		{ "2 - 3.x", { "2.0.0", "3.9.0", "3.0.0" }, { "1.9.9", "4.0.0", "4.1.0" } },
	};
	for (size_t i = 0; i < MEM_COUNT(ranges); i++)
		for (size_t k = 0; k < 3; k++) {
			assert_int_equal(mem_release_fits(mem_str(ranges[i].in[k]), mem_str(ranges[i].range)), MEM_RELEASE_WITHIN);
			if (ranges[i].out[k] != NULL)
				assert_int_equal(mem_release_fits(mem_str(ranges[i].out[k]), mem_str(ranges[i].range)), MEM_RELEASE_OUTSIDE);
		}
	assert_int_equal(mem_release_fits(MEM_STR("1.0.0"), MEM_STR(">*")), MEM_RELEASE_OUTSIDE);
	assert_int_equal(mem_release_fits(MEM_STR("1.0.0"), MEM_STR("<x")), MEM_RELEASE_OUTSIDE);
	for (const char *const *all = (const char *const[]){ "", "*", "x", " ", ">=*", "<=x", "X.x", "^*", "v*", "1 ||", NULL }; *all != NULL; all++)
		assert_int_equal(mem_release_fits(MEM_STR("1.0.0"), mem_str(*all)), MEM_RELEASE_WITHIN);
}

static void
what_is_no_range_is_not_known(void **state)
{
	(void)state;
	static const char *const texts[] = { "latest", "!=1.2", "1.2.3.4", "1.2foo", ">= two", ">", "=>2", "workspace:*", "^", "1..2", "1.2.",
		"next", "1.2-beta", "1.2.3-a..b", "1 - 2 3", "^1 - 2", "1.2 - soon", "soon - 1.2", "<2 latest", "latest <2", "2.0 || latest", "1234567890", "1.2.3-", "1.2.3-a_b", "\xc3\xa4", "-", "| 1.5.0" };
	for (size_t i = 0; i < MEM_COUNT(texts); i++)
		assert_int_equal(mem_release_fits(MEM_STR("1.5.0"), mem_str(texts[i])), MEM_RELEASE_UNKNOWN);
	assert_int_equal(mem_release_fits(MEM_STR("2.1.0"), MEM_STR("^2 || latest")), MEM_RELEASE_WITHIN);
	assert_int_equal(mem_release_fits(MEM_STR("2.1.0"), MEM_STR("latest || ^2")), MEM_RELEASE_WITHIN);
	/* A release that is a word itself is in no range of numbers, and nobody knows what another word stands for. */
	assert_int_equal(mem_release_fits(MEM_STR("spring"), MEM_STR("^2")), MEM_RELEASE_OUTSIDE);
	assert_int_equal(mem_release_fits(MEM_STR("spring"), MEM_STR("autumn")), MEM_RELEASE_UNKNOWN);
	assert_int_equal(mem_release_fits(MEM_STR("spring"), MEM_STR("spring")), MEM_RELEASE_WITHIN);
	assert_int_equal(mem_release_fits(MEM_STR("spring"), MEM_STR("latest")), MEM_RELEASE_UNKNOWN);
	assert_int_equal(mem_release_fits(MEM_STR("spring"), MEM_STR("*")), MEM_RELEASE_WITHIN);
	assert_int_equal(mem_release_fits(MEM_STR("1.2.3.4"), MEM_STR("1.2.3.4")), MEM_RELEASE_WITHIN);
}

/* ---- health --------------------------------------------------------------- */

static void
health_is_a_weighted_sum(void **state)
{
	(void)state;
	const struct mem_health none = mem_health_score(&(struct mem_health_counts){ 0 });
	assert_true(none.score == 0 && none.grade == 'F');
	const struct mem_health best = mem_health_score(&(struct mem_health_counts){ 4, 4, 12, 4, 4, 0 });
	assert_true(best.score == 100 && best.grade == 'A');
	/* 100 · ((.125 + .1 + .15 + .15) / .9 − .1 · .5) = 53.33 */
	const struct mem_health some = mem_health_score(&(struct mem_health_counts){ 4, 2, 6, 3, 2.4, 2 });
	assert_true(some.score == 53.3 && some.grade == 'F');
	assert_true(some.connectivity == .5 && some.conflicts == .5);
	const struct mem_health bad = mem_health_score(&(struct mem_health_counts){ 1, 0, 0, 0, 0, 100 });
	assert_true(bad.score == 0 && bad.conflicts == 1);
	/* 100 · (.72 / .9) */
	assert_int_equal(mem_health_score(&(struct mem_health_counts){ 10, 10, 30, 10, 2.8, 0 }).grade, 'B');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(priority_grows_with_severity_age_and_similarity),
		cmocka_unit_test(words_of_types_are_read_again),
		cmocka_unit_test(a_circle_is_found_once_with_its_weakest_edge),
		cmocka_unit_test(circles_are_at_most_ten_edges_long),
		cmocka_unit_test(without_the_weakest_edges_no_circle_is_left),
		cmocka_unit_test(long_orders_are_read_to_their_end),
		cmocka_unit_test(words_before_an_order_are_known),
		cmocka_unit_test(opposite_orders_have_one_key),
		cmocka_unit_test(what_tells_of_nothing_to_do_is_no_order),
		cmocka_unit_test(a_release_is_within_what_is_asked_for), cmocka_unit_test(what_is_no_range_is_not_known),
		cmocka_unit_test(health_is_a_weighted_sum),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
