/* SPDX-License-Identifier: Apache-2.0 */
/* The order of needs and the circles in them, against what they are by definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "skill/deps.h"

enum { N = 12 };

static uint32_t
next_random(uint32_t *state)
{
	*state = *state * 1664525U + 1013904223U;
	return *state >> 8;
}

static int
compare_needs(const void *a, const void *b)
{
	const struct mem_skill_need *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

/* What leads to what, by Warshall's closure. */
static void
close_over(bool reach[N][N], const struct mem_skill_need *needs, size_t n)
{
	memset(reach, 0, sizeof(bool[N][N]));
	for (size_t i = 0; i < n; i++)
		reach[needs[i].from][needs[i].to] = true;
	for (size_t k = 0; k < N; k++)
		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < N; j++)
				reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
}

static bool
has_need(const struct mem_skill_need *needs, size_t n, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < n; i++)
		if (needs[i].from == from && needs[i].to == to)
			return true;
	return false;
}

static void
check_graph(const struct mem_skill_need *needs, size_t n)
{
	uint32_t order[N], component[N], place[N], circle[N], length;
	bool reach[N][N];
	close_over(reach, needs, n);
	mem_skill_order(needs, n, N, order, component);
	memset(place, 0xff, sizeof place);
	for (uint32_t i = 0; i < N; i++)
		place[order[i]] = i;
	for (uint32_t a = 0; a < N; a++) {
		assert_true(place[a] < N);
		for (uint32_t b = 0; b < N; b++) {
			assert_int_equal(component[a] == component[b], a == b || (reach[a][b] && reach[b][a]));
			if (reach[a][b] && component[a] != component[b])
				assert_true(place[b] < place[a]); /* what is needed comes first */
		}
		mem_skill_circle(needs, n, N, component, a, circle, &length);
		assert_int_equal(length > 0, reach[a][a]);
		for (uint32_t i = 0; i < length; i++)
			assert_true(has_need(needs, n, circle[i], circle[(i + 1) % length]));
		assert_true(length == 0 || circle[0] == a);
	}
}

static void
test_random_graphs(void **state)
{
	uint32_t seed = 7;
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct mem_skill_need needs[30];
		size_t n = next_random(&seed) % 31;
		for (size_t i = 0; i < n; i++)
			needs[i] = (struct mem_skill_need){ next_random(&seed) % N, next_random(&seed) % N };
		qsort(needs, n, sizeof *needs, compare_needs);
		check_graph(needs, n);
	}
}

/* A chain and a circle of any length need no stack. */
static void
test_long_graphs(void **state)
{
	enum { LONG = 200000 };
	struct mem_skill_need *needs = calloc(LONG, sizeof *needs);
	uint32_t *room = calloc(3 * (size_t)LONG, sizeof *room), length;
	(void)state;
	assert_true(needs != NULL && room != NULL);
	for (uint32_t i = 0; i < LONG; i++)
		needs[i] = (struct mem_skill_need){ i, (i + 1) % LONG };
	mem_skill_order(needs, LONG - 1, LONG, room, room + LONG);
	for (uint32_t i = 0; i < LONG; i++)
		assert_int_equal(room[i], LONG - 1 - i);
	mem_skill_order(needs, LONG, LONG, room, room + LONG);
	assert_int_equal(room[LONG], room[2 * (size_t)LONG - 1]);
	mem_skill_circle(needs, LONG, LONG, room + LONG, 5, room + 2 * (size_t)LONG, &length);
	assert_int_equal(length, LONG);
	free(needs);
	free(room);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_graphs), cmocka_unit_test(test_long_graphs) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
