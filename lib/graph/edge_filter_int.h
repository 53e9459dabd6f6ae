/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: which edges and nodes are there for a reader, and the names of kinds of edges. */
#ifndef MEM_EDGE_FILTER_INT_H
#define MEM_EDGE_FILTER_INT_H

#include "store/edge.h"
#include "store/kind.h"
#include "store/node.h"

/* Of the names those that there are, by number, ascending.  OWNS *out. */
enum mem_status graph_kind_numbers_find(struct mem_txn *t, const struct mem_words *names, uint16_t **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;

/* What is demanded of an edge.  Kinds are found once, in the snapshot in which reading begins. */
struct graph_edge_filter {
	uint16_t *kinds;           /* OWNS: numbers that are wanted, ascending; all if not `some_kinds` */
	size_t nkinds;
	bool some_kinds;
	uint16_t *but_kinds;       /* OWNS: numbers that are not wanted */
	size_t nbut_kinds;
	double least_weight;
	double decay;              /* what weights with reinforced_at keep a day */
	int64_t at;                /* ms: when an edge must hold, and the time up to which its weight fades */
	bool any_time;             /* it need not hold then */
};
/* All but kinds and any_time.  as_of MEM_TIME_NONE: now. */
void graph_edge_filter_init(struct graph_edge_filter *f, const struct mem_store *s, double least_weight, int64_t as_of);
enum mem_status graph_edge_filter_find(struct graph_edge_filter *f, struct mem_txn *t, const struct mem_words *of,
    const struct mem_words *but, struct mem_err *err) MEM_CHECKED;
void graph_edge_filter_release(struct graph_edge_filter *f);
/* The first kind >= `kind` that is wanted; 0: there is none. */
uint16_t graph_edge_filter_next_kind(const struct graph_edge_filter *f, uint16_t kind);
/* Is the edge at the cursor one that is wanted, as far as kinds left out, weight and validity tell?  Then *weight is faded. */
enum mem_status graph_edge_filter_pass(const struct graph_edge_filter *f, struct mem_edge_cursor *c, const struct mem_edge_row *row,
    float *weight, bool *pass, struct mem_err *err) MEM_CHECKED;

/* What is demanded of a node, besides that the principal may read it. */
struct graph_node_filter {
	struct mem_kind_set kinds; /* empty: all */
	bool dead;                 /* nodes that are not live, too */
	int64_t as_of, now;
};
bool graph_node_filter_pass(const struct graph_node_filter *f, struct mem_txn *t, const struct mem_attr *a);

/* Names of kinds of edges, by number. */
struct graph_kind_names {
	char **v;                  /* OWNS, with each; NULL: not met */
	size_t n;
};
enum mem_status graph_kind_names_keep(struct graph_kind_names *names, struct mem_txn *t, uint16_t kind, struct mem_err *err) MEM_CHECKED;
void graph_kind_names_release(struct graph_kind_names *names);

#endif
