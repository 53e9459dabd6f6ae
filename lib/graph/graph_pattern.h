/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patterns: which nodes are sought, and how edges join them, read from a text such as
 *
 *	(a:page)-[references*1..3]->(b:entity {type: "person"})
 *
 *	pattern  = path { "," path }
 *	path     = node { edge node }
 *	node     = "(" [ name ] [ ":" kinds ] [ string ] [ "{" field ":" value { "," field ":" value } "}" ] ")"
 *	edge     = "-" [ body ] "->"  |  "<-" [ body ] "-"  |  "-" [ body ] "-"
 *	body     = "[" [ name ":" ] [ kinds ] [ "*" [ length ] ] "]"
 *	kinds    = word { "|" word }
 *	length   = N  |  [ N ] ".." [ M ]
 *	value    = a string, number, true or false of JSON
 *
 * White space may stand between any two of these.  A name is that of one node wherever it stands, and what is said of it there
 * adds up.  The name of an edge stands once, and is no node's.  The string of a node is what it is called, by its id, ref, name,
 * title or path; what that means is the caller's to find.
 *
 * Cost: time grows with the length of the text.
 */
#ifndef MEM_GRAPH_PATTERN_H
#define MEM_GRAPH_PATTERN_H

#include "base/base.h"
#include "graph/graph.h"
#include "record/record.h"
#include "store/kind.h"

#define MEM_GRAPH_PATTERN_NODES      16  /* in a pattern at most, and as many edges */
#define MEM_GRAPH_PATTERN_CONDITIONS 8   /* of a node */
#define MEM_GRAPH_PATTERN_LENGTH     100 /* of an edge, in edges of the graph: the largest number that may be given */
#define MEM_GRAPH_PATTERN_ANY        UINT32_MAX /* `most` of an edge of any length */

/* A field has this value, or is a list in which it stands. */
struct mem_graph_pattern_condition {
	const char *field;          /* ARENA, as all text here */
	struct mem_json value;      /* BORROWS from the text */
	struct mem_str text;        /* of a string, decoded */
};
struct mem_graph_pattern_node {
	struct mem_str name;        /* empty: it has none */
	struct mem_kind_set kinds;  /* empty: any */
	struct mem_str called;      /* p NULL: it is not said */
	size_t called_column;       /* where that stands */
	struct mem_graph_pattern_condition conditions[MEM_GRAPH_PATTERN_CONDITIONS];
	size_t nconditions;
};
/* Between `least` and `most` edges of the graph, one behind the other; one that has a name is a single edge. */
struct mem_graph_pattern_edge {
	struct mem_str name;        /* empty: it has none */
	size_t from, to;            /* numbers of nodes, as the text has them from left to right */
	enum mem_walk_direction direction;
	struct mem_words kinds;     /* none: any */
	uint32_t least, most;
};
/* A name, of a node or of an edge. */
struct mem_graph_pattern_name {
	struct mem_str text;
	bool is_edge;
	size_t number;              /* among the nodes, or the edges */
};
struct mem_graph_pattern {
	struct mem_graph_pattern_node nodes[MEM_GRAPH_PATTERN_NODES]; /* in the order in which they come up, as all here */
	struct mem_graph_pattern_edge edges[MEM_GRAPH_PATTERN_NODES];
	struct mem_graph_pattern_name names[2 * MEM_GRAPH_PATTERN_NODES];
	size_t nnodes, nedges, nnames;
};
/* MEM_USAGE: the text is no pattern; err names the column (in characters, from 1) and what was expected there. */
enum mem_status mem_graph_pattern_read(struct mem_graph_pattern *out, struct mem_arena *a, struct mem_str text,
    struct mem_err *err) MEM_CHECKED;

/* The column of a byte of a text. */
size_t mem_graph_pattern_column(struct mem_str text, size_t at);

#endif
