/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a graph whose parts nothing joins: a disc of round communities, at every size. */
#include "graph/layout.h"
#include "graph/layout_int.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PART = 100, EACH = 3 };     /* nodes of a community; links of a node to ones before it */

static uint64_t seed;

static uint32_t
roll_number(uint32_t n)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U; /* Knuth's MMIX */
	return (uint32_t)(seed >> 33) % n;
}

struct parts {
	struct mem_graph_links links;
	uint32_t *community;
	struct mem_layout_place *places;
};

static void
join_pair(struct mem_graph_links *l, size_t *next, uint32_t a, uint32_t b)
{
	l->to[next[a]++] = b;
	l->to[next[b]++] = a;
}

/* A link stands at both of its ends: the first round counts. */
static void
join_parts(struct mem_graph_links *l, uint32_t (*pairs)[2], size_t npairs)
{
	for (size_t i = 0; i < npairs; i++) {
		l->first[pairs[i][0] + 1]++;
		l->first[pairs[i][1] + 1]++;
	}
	size_t *next = mem_xcalloc(l->nnodes + 1, sizeof *next);
	for (size_t v = 0; v < l->nnodes; v++) {
		l->first[v + 1] += l->first[v];
		next[v] = l->first[v];
	}
	for (size_t i = 0; i < npairs; i++)
		join_pair(l, next, pairs[i][0], pairs[i][1]);
	free(next);
}

/* A node of a community has links to EACH of those before it.  OWNS. */
static void
make_parts(struct parts *p, uint32_t n)
{
	uint32_t(*pairs)[2] = mem_xcalloc((size_t)n * EACH, sizeof *pairs);
	size_t npairs = 0;
	p->community = mem_xcalloc(n, sizeof *p->community);
	p->places = mem_xcalloc(n, sizeof *p->places);
	for (uint32_t v = 0; v < n; v++) {
		p->community[v] = v / PART;
		for (int k = 0; k < EACH && v % PART > 0; k++, npairs++) {
			pairs[npairs][0] = v;
			pairs[npairs][1] = v - v % PART + roll_number(v % PART);
		}
	}
	p->links = (struct mem_graph_links){ .nnodes = n, .nlinks = 2 * npairs, .first = mem_xcalloc(n + 1, sizeof *p->links.first),
		.to = mem_xcalloc(2 * npairs + 1, sizeof *p->links.to), .strength = mem_xcalloc(2 * npairs + 1, sizeof *p->links.strength) };
	for (size_t i = 0; i < p->links.nlinks; i++)
		p->links.strength[i] = 1;
	join_parts(&p->links, pairs, npairs);
	free(pairs);
}

static void
release_parts(struct parts *p)
{
	mem_graph_links_release(&p->links);
	free(p->community);
	free(p->places);
}

/* How much longer than wide a community lies: the roots of what its places vary along their two main axes. */
static double
find_stretch(const struct mem_layout_place *p)
{
	double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
	for (int i = 0; i < PART; i++) {
		x += p[i].x / PART;
		y += p[i].y / PART;
	}
	for (int i = 0; i < PART; i++) {
		xx += (p[i].x - x) * (p[i].x - x);
		yy += (p[i].y - y) * (p[i].y - y);
		xy += (p[i].x - x) * (p[i].y - y);
	}
	double root = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
	return sqrt(((xx + yy) / 2 + root) / ((xx + yy) / 2 - root));
}

static void
check_disc(uint32_t n)
{
	struct parts p;
	seed = n;
	make_parts(&p, n);
	mem_layout_find(p.places, &p.links, p.community);
	double farthest = 0, stretch = 0;
	uint32_t inner = 0;
	for (uint32_t v = 0; v < n; v++) {
		double radius = sqrt(p.places[v].x * p.places[v].x + p.places[v].y * p.places[v].y);
		farthest = fmax(farthest, radius);
		inner += radius < 700;
	}
	for (uint32_t v = 0; v < n; v += PART)
		stretch = fmax(stretch, find_stretch(&p.places[v]));
	print_message("%u nodes: the farthest at %.0f, %u inside 700, the longest community %.2f times as long as wide\n", n, farthest, inner, stretch);
	assert_true(farthest < 1150);       /* 1414 is a corner of the frame */
	assert_in_range(inner, n / 3, n * 3 / 5); /* .49 of a full disc; few communities lie coarsely */
	assert_true(stretch < 2.5);
	release_parts(&p);
}

static void
test_parts_lie_round(void **state)
{
	(void)state;
	check_disc(1000);
	check_disc(10000);
}

/* x * mass / mass differs from x by a rounding for some of these. */
static void
test_body_alone(void **state)
{
	struct layout_tree tree = { 0 };
	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct layout_body body = { 1000.0 / (i + 3), -700.0 / (i + 7), i % 50 + 1 };
		double fx = 0, fy = 0;
		layout_tree_make(&tree, &body, 1);
		layout_tree_repel(&tree, &body, &fx, &fy);
		assert_true(fabs(fx) + fabs(fy) < 1e-3);
	}
	layout_tree_release(&tree);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_body_alone),
		cmocka_unit_test(test_parts_lie_round),
	};
	return cmocka_run_group_tests_name("graph_layout", tests, NULL, NULL);
}
