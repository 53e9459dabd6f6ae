/* SPDX-License-Identifier: Apache-2.0 */
/* The quadtree of Barnes and Hut. */
#include "graph/layout_int.h"

#include <stdlib.h>

enum { DEPTH_MAX = 32 };           /* bodies in a smaller cell are one */

/*
 * What lies nearer repels as if it were so far away, and so nothing where it lies at the same place.  The body itself is met
 * too, in a leaf whose centre of mass, a quotient, may lie one rounding beside it.
 */
#define NEAREST .01

static uint32_t
add_cell(struct layout_tree *t, double left, double top, double width)
{
	t->cells = mem_grow(t->cells, &t->cap, t->n + 1, sizeof *t->cells);
	t->cells[t->n] = (struct layout_cell){ .left = left, .top = top, .width = width, .body = LAYOUT_NO_BODY };
	return (uint32_t)t->n++;
}

/* The child of a cell that a place lies in; it is made if there is none. */
static uint32_t
find_child(struct layout_tree *t, uint32_t cell, double x, double y)
{
	const struct layout_cell *c = &t->cells[cell];
	double half = c->width / 2;
	unsigned right = x >= c->left + half, low = y >= c->top + half, quarter = right + 2 * low;
	uint32_t child = c->child[quarter];
	if (child != 0)
		return child;
	child = add_cell(t, c->left + (right ? half : 0), c->top + (low ? half : 0), half);
	t->cells[cell].child[quarter] = child;
	return child;
}

static void
add_mass(struct layout_cell *c, const struct layout_body *b)
{
	c->x += b->x * b->mass;
	c->y += b->y * b->mass;
	c->mass += b->mass;
	c->bodies++;
}

static void
insert_body(struct layout_tree *t, const struct layout_body *bodies, uint32_t body)
{
	const struct layout_body *b = &bodies[body];
	uint32_t cell = 0;
	for (unsigned depth = 0;; depth++) {
		struct layout_cell *c = &t->cells[cell];
		if (c->bodies == 0)
			c->body = body;
		add_mass(c, b);
		if (c->bodies == 1 || depth == DEPTH_MAX)
			return;
		/* A leaf becomes an inner cell: the body that it had goes a level down. */
		uint32_t before = c->body;
		c->body = LAYOUT_NO_BODY;
		if (before != LAYOUT_NO_BODY) {
			uint32_t down = find_child(t, cell, bodies[before].x, bodies[before].y);
			t->cells[down].body = before;
			add_mass(&t->cells[down], &bodies[before]);
		}
		cell = find_child(t, cell, b->x, b->y);
	}
}

void
layout_tree_make(struct layout_tree *t, const struct layout_body *bodies, size_t n)
{
	double left = 0, right = 0, top = 0, low = 0;
	for (size_t i = 0; i < n; i++) {
		left = bodies[i].x < left ? bodies[i].x : left;
		right = bodies[i].x > right ? bodies[i].x : right;
		top = bodies[i].y < top ? bodies[i].y : top;
		low = bodies[i].y > low ? bodies[i].y : low;
	}
	double width = right - left > low - top ? right - left : low - top;
	t->n = 0;
	add_cell(t, left, top, width > 0 ? width * 1.0001 : 1);
	for (size_t i = 0; i < n; i++)
		insert_body(t, bodies, (uint32_t)i);
	for (size_t i = 0; i < t->n; i++)
		if (t->cells[i].mass > 0) {
			t->cells[i].x /= t->cells[i].mass;
			t->cells[i].y /= t->cells[i].mass;
		}
}

void
layout_tree_repel(const struct layout_tree *t, const struct layout_body *b, double *fx, double *fy)
{
	uint32_t stack[4 * (DEPTH_MAX + 2)];
	size_t n = 0;
	stack[n++] = 0;
	while (n > 0) {
		const struct layout_cell *c = &t->cells[stack[--n]];
		double dx = b->x - c->x, dy = b->y - c->y, square = dx * dx + dy * dy;
		bool leaf = c->child[0] == 0 && c->child[1] == 0 && c->child[2] == 0 && c->child[3] == 0;
		if (leaf || c->width * c->width * MEM_LAYOUT_THETA * MEM_LAYOUT_THETA < square) {
			double divisor = square > NEAREST * NEAREST ? square : NEAREST * NEAREST;
			*fx += dx * b->mass * c->mass / divisor;
			*fy += dy * b->mass * c->mass / divisor;
			continue;
		}
		for (int i = 0; i < 4; i++)
			if (c->child[i] != 0)
				stack[n++] = c->child[i];
	}
}

void
layout_tree_release(struct layout_tree *t)
{
	free(t->cells);
	*t = (struct layout_tree){ 0 };
}
