/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a graph that was read from files, on its way into the store. */
#ifndef MEM_GRAPH_FILES_INT_H
#define MEM_GRAPH_FILES_INT_H

#include "base/base.h"
#include "link/graph_files.h"
#include "link/link_int.h"
#include "record/record.h"

/* Where something begins: line from 1, and byte of the line. */
struct graph_place {
	uint64_t line;
	size_t offset;
};
/* A weight as a file has it. */
struct graph_weight {
	struct mem_str raw;        /* JSON; empty: there is none */
	double value;              /* negative: it is no weight */
};
/* Records are those of mem_link_add_node and mem_link_add_edge, without the ends. */
struct graph_node {
	struct graph_place at;
	struct mem_str key;        /* its id in the file */
	struct mem_str group;      /* whose greatest weight is 1: its type */
	struct graph_weight weight;
	struct mem_str record;     /* ARENA */
	const char *refused;       /* NULL: not */
	bool own;                  /* the record is a node of a store, with its id */
	bool apart;                /* it is no other node of the file, though they have the same name */
	struct mem_id id;          /* once it is written, or */
	struct mem_write_item *item; /* of the batch in hand, in a dry run */
};
struct graph_edge {
	struct graph_place at;
	struct mem_str from, to;   /* ids in the file */
	struct mem_str kind;
	struct graph_weight weight;
	bool symmetric;            /* it leads both ways, unless there is one the other way round */
	struct mem_str record;
	bool own;                  /* the file has it as an edge between nodes of a store, with their ids: */
	struct mem_str own_record;
	const char *refused;
	size_t from_node, to_node; /* places among the nodes */
};
struct graph_id_set {              /* open addressing, linear probing; keyed, since strangers choose names */
	struct mem_id *slots;
	bool *taken;
	unsigned bits;
	size_t used;
	uint8_t key[MEM_SECRET_LEN];
};
/* The greatest weight of a group. */
struct graph_greatest {
	struct mem_str group;
	double weight;
};
struct mem_graph_import {
	struct mem_link_run *run;
	struct mem_arena arena;
	struct graph_node *nodes;
	size_t nnodes, nodes_cap;
	struct graph_edge *edges;
	size_t nedges, edges_cap;
	struct mem_str ignored;
	bool settled;              /* all files are read: ends are found, and what comes twice */
	size_t at_node, at_edge;   /* of what is written next */
	struct graph_id_set ids;   /* of the nodes written */
	struct graph_greatest *greatest[2]; /* weights of the groups of nodes, of the kinds of edges */
	size_t ngreatest[2];
	struct mem_buf line;       /* the record in hand */
};

/* ---- weights: graph_weight.c --------------------------------------------------- */

/* Once all is read: finds the greatest weights. */
void graph_weights_settle(struct mem_graph_import *g);
void graph_weights_release(struct mem_graph_import *g);
/* Appends `,"weight":…` and `,"raw_weight":…` of a node (edge false) or an edge of this group. */
void graph_weight_put(const struct mem_graph_import *g, struct mem_buf *out, bool edge, struct mem_str group, const struct graph_weight *w);

/* A walk along a text that tells places; it only goes forward. */
struct graph_places {
	struct mem_str text;
	size_t at, line_start;
	uint64_t line;
};
struct graph_places graph_places_begin(struct mem_str text);
/* Of what stands at `p`, which is in the text and not before what was asked for last. */
struct graph_place graph_place_of(struct graph_places *w, const char *p);

struct graph_node *graph_node_new(struct mem_graph_import *g, struct graph_place at);
struct graph_edge *graph_edge_new(struct mem_graph_import *g, struct graph_place at);
/* A receipt for what is neither: the file itself, or a part of it that cannot be read. */
void graph_file_refuse(struct mem_graph_import *g, struct graph_place at, const char *reason);

/* ---- formats ----------------------------------------------------------------- */

void graph_taxonomy_read(struct mem_graph_import *g, struct mem_str text);
void graph_graphml_read(struct mem_graph_import *g, struct mem_str text);
void graph_csv_read(struct mem_graph_import *g, struct mem_str text);

/* Appends a member to an object that is put together: a number, true and false stay what they are, all else is a string. */
void graph_object_put(struct mem_buf *object, struct mem_str name, struct mem_str text);
/* What is made of a node or an edge that is a JSON value. */
typedef void graph_element_fn(struct mem_graph_import *g, struct mem_json v, struct graph_place at);
graph_element_fn graph_element_node, graph_element_edge;
/* An object of the lists nodes and edges (or links). */
void graph_json_read(struct mem_graph_import *g, struct mem_str text, graph_element_fn *node, graph_element_fn *edge);

/* The members of a taxonomy's records by what they mean: the first of these names that a record has. */
enum graph_member { GRAPH_ID, GRAPH_TYPE, GRAPH_NAME, GRAPH_FROM, GRAPH_TO, GRAPH_KIND, GRAPH_WEIGHT, GRAPH_MEMBERS };
/* The name that this one has in an object; NULL: it is not there. */
const char *graph_member_name(struct mem_json object, enum graph_member member);
struct mem_json graph_member_value(struct mem_json object, enum graph_member member);
/* The weight of a record; one that is no number is refused when it is written. */
struct graph_weight graph_member_weight(struct mem_json object);
/* What stands in place of a name that a record does not give: its id without what stands before the first colon. */
struct mem_str graph_name_of_id(struct mem_str id);
/* The word for a kind of edges that stands for a foreign one: letters from A to Z in lower case, '-' and ' ' as '_'.  ARENA. */
struct mem_str graph_kind_word(struct mem_arena *a, struct mem_str kind);
/* A string or a number as text; { NULL, 0 }: neither.  ARENA. */
struct mem_str graph_text_of(struct mem_arena *a, struct mem_json v);

#endif
