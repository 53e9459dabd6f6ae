/* SPDX-License-Identifier: Apache-2.0 */
/* Communities of random and of planted graphs: modularity by its formula, numbers by size, no community that falls apart, and
 * as good as the best division of small graphs. */
#include "graph_random.h"

#include "graph/communities.h"
#include "graph/community_saved.h"
#include "graph/copy.h"

#include <math.h>

enum { MANY = 600 };
static double strengths[MANY][MANY];

/* The links of the matrix.  OWNS. */
static void
make_links(struct mem_graph_links *l, uint32_t n)
{
	*l = (struct mem_graph_links){ .nnodes = n, .first = mem_xcalloc(n + 1, sizeof *l->first), .to = mem_xcalloc((size_t)n * n + 1, sizeof *l->to),
		.strength = mem_xcalloc((size_t)n * n + 1, sizeof *l->strength), .loops = mem_xcalloc(n + 1, sizeof *l->loops) };
	for (uint32_t v = 0; v < n; v++) {
		l->loops[v] = strengths[v][v] / 2;
		for (uint32_t u = 0; u < n; u++)
			if (strengths[v][u] > 0 && u != v) {
				l->to[l->nlinks] = u;
				l->strength[l->nlinks++] = strengths[v][u];
			}
		l->first[v + 1] = l->nlinks;
	}
}

static double
sum_modularity(uint32_t n, const uint32_t *of)
{
	double all = 0, q = 0;
	static double degree[MANY];
	for (uint32_t v = 0; v < n; v++) {
		degree[v] = 0;
		for (uint32_t u = 0; u < n; u++)
			degree[v] += strengths[v][u];
		all += degree[v];
	}
	for (uint32_t v = 0; v < n; v++)
		for (uint32_t u = 0; u < n; u++)
			q += of[v] == of[u] ? strengths[v][u] / all - degree[v] * degree[u] / (all * all) : 0;
	return q;
}

/* An edge from a node to itself has both of its ends there, so it counts twice in the matrix. */
static void
join_pair(uint32_t a, uint32_t b, double strength)
{
	strengths[a][b] = strengths[b][a] = a == b ? 2 * strength : strength;
}

/* Can each node of a community be reached inside it from each other one? */
static void
check_connected(uint32_t n, const struct mem_communities *c)
{
	static bool reached[MANY];
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t count = 0;
		bool more = true;
		memset(reached, 0, sizeof reached);
		for (uint32_t v = 0; v < n && count == 0; v++)
			if (c->of[v] == i) {
				reached[v] = true;
				count = 1;
			}
		while (more) {
			more = false;
			for (uint32_t v = 0; v < n; v++)
				for (uint32_t u = 0; u < n && reached[v]; u++)
					if (strengths[v][u] > 0 && c->of[u] == i && !reached[u]) {
						reached[u] = more = true;
						count++;
					}
		}
		assert_int_equal(count, c->size[i]);
	}
}

static void
check_numbers(uint32_t n, const struct mem_communities *c)
{
	static uint32_t sizes[MANY];
	double shares = 0;
	memset(sizes, 0, sizeof sizes);
	for (uint32_t v = 0; v < n; v++) {
		assert_true(c->of[v] < c->n);
		sizes[c->of[v]]++;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		assert_int_equal(sizes[i], c->size[i]);
		assert_true(i == 0 || c->size[i - 1] >= c->size[i]);
		shares += c->share[i];
	}
	assert_true(fabs(shares - c->modularity) < 1e-9);
	assert_true(fabs(sum_modularity(n, c->of) - c->modularity) < 1e-9);
}

static double
best_division(uint32_t n, uint32_t *of, uint32_t at_node, uint32_t groups)
{
	double best = -1;
	if (at_node == n)
		return sum_modularity(n, of);
	for (uint32_t g = 0; g <= groups && g < n; g++) {
		of[at_node] = g;
		best = fmax(best, best_division(n, of, at_node + 1, g == groups ? groups + 1 : groups));
	}
	return best;
}

static void
test_random_communities(void **state)
{
	size_t best_found = 0;
	(void)state;
	for (uint64_t g = 0; g < 60; g++) {
		uint32_t n = g < 40 ? 3 + (uint32_t)(g % 6) : 40 + (uint32_t)g, of[8];
		struct mem_graph_links l;
		struct mem_communities c, again;
		seed = g << 32;
		memset(strengths, 0, sizeof strengths);
		join_pair(0, 1, 1);
		for (uint32_t i = 0; i < 2 * n; i++)
			join_pair(roll_number(n), roll_number(n), (1 + roll_number(10)) / 10.0);
		make_links(&l, n);
		mem_communities_find(&c, &l);
		mem_communities_find(&again, &l);
		assert_memory_equal(c.of, again.of, n * sizeof *c.of);
		check_numbers(n, &c);
		check_connected(n, &c);
		if (n <= 8) {
			double best = best_division(n, of, 0, 0);
			assert_true(c.modularity > best - .03);
			best_found += c.modularity > best - 1e-9;
		}
		mem_communities_release(&c);
		mem_communities_release(&again);
		mem_graph_links_release(&l);
	}
	assert_true(best_found >= 36);
}

/* Thirty groups of twenty, joined by a few edges. */
static void
test_planted_communities(void **state)
{
	struct mem_graph_links l;
	struct mem_communities c;
	struct mem_community_members m;
	(void)state;
	seed = 9;
	memset(strengths, 0, sizeof strengths);
	for (uint32_t v = 0; v < MANY; v++)
		for (uint32_t k = 0; k < 6; k++)
			join_pair(v, k < 5 ? v / 20 * 20 + roll_number(20) : roll_number(MANY), 1);
	make_links(&l, MANY);
	mem_communities_find(&c, &l);
	assert_int_equal(c.n, 30);
	for (uint32_t v = 0; v < MANY; v++)
		assert_int_equal(c.of[v], c.of[v / 20 * 20]);
	mem_community_members_make(&m, &c, MANY);
	for (uint32_t i = 0; i < c.n; i++)
		for (size_t k = m.first[i]; k < m.first[i + 1]; k++) {
			assert_int_equal(c.of[m.nodes[k]], i);
			assert_true(k == m.first[i] || c.inside[m.nodes[k - 1]] >= c.inside[m.nodes[k]]);
		}
	mem_community_members_release(&m);
	mem_communities_release(&c);
	mem_graph_links_release(&l);
}

static void
test_nothing(void **state)
{
	struct mem_graph_links l;
	struct mem_communities c;
	(void)state;
	memset(strengths, 0, sizeof strengths);
	for (uint32_t n = 0; n < 3; n++) {
		make_links(&l, n);
		mem_communities_find(&c, &l);
		assert_int_equal(c.n, n);
		mem_communities_release(&c);
		mem_graph_links_release(&l);
	}
}

/* Numbers stay with those that share most nodes. */
static void
test_numbers_stay(void **state)
{
	uint32_t ords[] = { 10, 11, 12, 13, 14, 15, 16 }, first[] = { 0, 0, 0, 1, 1, 2, 2 }, second[] = { 0, 0, 0, 0, 1, 2, 1 };
	struct mem_graph_copy g = { .nnodes = 7, .ords = ords };
	struct mem_communities c = { .n = 3, .of = first };
	struct mem_saved_communities s = { .next = 1 };
	(void)state;
	uint32_t *numbers = mem_saved_communities_match(&s, &c, &g);
	const uint32_t want_first[] = { 1, 2, 3 };
	assert_memory_equal(numbers, want_first, sizeof want_first);
	free(numbers);
	c.of = second; /* 10 to 13; 14 and 16; 15 alone */
	numbers = mem_saved_communities_match(&s, &c, &g);
	const uint32_t want_second[] = { 1, 2, 3 };
	assert_memory_equal(numbers, want_second, sizeof want_second);
	free(numbers);
	/* Other nodes: no number is given again. */
	for (size_t i = 0; i < 7; i++)
		ords[i] += 100;
	numbers = mem_saved_communities_match(&s, &c, &g);
	const uint32_t want_third[] = { 4, 5, 6 };
	assert_memory_equal(numbers, want_third, sizeof want_third);
	assert_int_equal(mem_saved_communities_find(&s, 110), 4);
	assert_int_equal(mem_saved_communities_find(&s, 10), 0);
	free(numbers);
	mem_saved_communities_release(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_communities),
		cmocka_unit_test(test_planted_communities),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_numbers_stay),
	};
	return cmocka_run_group_tests_name("graph_communities", tests, NULL, NULL);
}
