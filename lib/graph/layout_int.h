/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: bodies that repel each other, in a quadtree. */
#ifndef MEM_LAYOUT_INT_H
#define MEM_LAYOUT_INT_H

#include "graph/layout.h"

struct layout_body {
	double x, y, mass;
};
/* A square of the plane.  Inner cells have children; a leaf has one body, or several that lie too close to be told apart. */
struct layout_cell {
	double x, y, mass;         /* centre of mass, once the tree is made; of one being made sums */
	double left, top, width;
	uint32_t child[4];         /* numbers of cells; 0: none, which the root is no child of */
	uint32_t body;             /* of a leaf the first one; LAYOUT_NO_BODY: of none */
	uint32_t bodies;           /* inside */
};
#define LAYOUT_NO_BODY UINT32_MAX
struct layout_tree {
	struct layout_cell *cells; /* OWNS; the root is the first */
	size_t n, cap;
};
/* Makes the tree anew. */
void layout_tree_make(struct layout_tree *t, const struct layout_body *bodies, size_t n);
/* Adds what repels a body: sum of mass × mass' / distance. */
void layout_tree_repel(const struct layout_tree *t, const struct layout_body *b, double *fx, double *fy);
void layout_tree_release(struct layout_tree *t);

#endif
