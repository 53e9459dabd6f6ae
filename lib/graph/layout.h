/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout: places for the nodes of a graph on a plane, so that what is joined lies together.
 *
 * Forces as ForceAtlas2 has them (Jacomy, Venturini, Heymann and Bastian 2014, "ForceAtlas2, a Continuous Graph Layout
 * Algorithm for Handy Network Visualization", PLoS ONE 9:e98679): nodes repel each other by (d + 1)(d' + 1) over their
 * distance, d how many links they have; a link pulls its ends by its strength times their distance; a pull towards the middle, of
 * d + 1 times the distance ("strong gravity"), keeps parts together that nothing joins.  Each node's speed falls where it swings, that of all by the swinging of all
 * (sections "Adapting the local speed" and "Adapting the global speed" there).  Repulsion of far nodes counts by cells of a
 * quadtree (Barnes and Hut 1986, "A hierarchical O(N log N) force-calculation algorithm", Nature 324:446): a cell that is
 * seen under less than 1/theta counts as one body.
 *
 * So that communities part, a link between two of them pulls a tenth as strongly as one inside, and the nodes of each begin side by
 * side: communities on a spiral by their numbers, the nodes of each on one of its own.  Nothing is drawn by chance, so that the same
 * graph has the same places on every machine.
 *
 * Cost: O(n log n + links) an iteration; 10,000 nodes and 30,000 links take about two seconds.  Memory: 150 bytes for each node.
 */
#ifndef MEM_LAYOUT_H
#define MEM_LAYOUT_H

#include "graph/copy.h"

#define MEM_LAYOUT_THETA 1.2     /* the paper's */

struct mem_layout_place {
	double x, y;
};
/* `community`: by node, a number below l->nnodes.  Fills places (of l->nnodes): the middle of all is at 0, and the farthest coordinate is 1000 away from it on either axis. */
void mem_layout_find(struct mem_layout_place *places, const struct mem_graph_links *l, const uint32_t *community);

#endif
