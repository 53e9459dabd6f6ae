/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges: typed, directed links between nodes.  Two nodes have at most one edge of a kind in each direction: an edge
 * from a to b, bidirectional or not, and one from b to a of the same kind are two.
 *
 *   values    what the tables keep of an edge beside its text
 *   writing   put, remove
 *   reading   one edge; the edges of a node with their texts; a cursor that reads no text
 */
#ifndef MEM_EDGE_H
#define MEM_EDGE_H

#include "base/base.h"
#include "record/record.h"
#include "store/store.h"

/* ---- values ----------------------------------------------------------- */

/* Read from the edge's text when it is put, so that who walks reads no JSON. */
struct mem_edge_values {
	float weight, confidence;     /* [0, 1]; 1 where the text has none */
	int64_t valid_from, valid_to; /* ms, half-open; MEM_TIME_NONE: open */
	uint32_t reinforced;          /* whole hours from 1970 to reinforced_at, at least 1; 0: it has none and does not fade */
	uint32_t flags;               /* MEM_EDGE_BIDIRECTIONAL, MEM_EDGE_TIMED, ms past the hour from MEM_EDGE_MS_SHIFT on */
};
#define MEM_EDGE_BIDIRECTIONAL 1U /* it leads both ways */
#define MEM_EDGE_TIMED         2U /* valid_from or valid_to is not open */
#define MEM_EDGE_MS_SHIFT      8  /* what an older program wrote has 0 there: its edges fade from the whole hour on */
/*
 * MEM_REFUSED, with the offset of the field in the record's text (0 where the record has none): bad_value of a weight or
 * confidence that is no number in [0, 1] or a bidirectional that is not true or false; bad_time of a created_at,
 * valid_from, valid_to or reinforced_at that is no time (RFC 3339).  null is as left out.
 */
enum mem_status mem_edge_values_read(struct mem_edge_values *out, const struct mem_rec *edge,
    struct mem_err *err) MEM_CHECKED;
/* valid_from <= at < valid_to? */
bool mem_edge_valid(const struct mem_edge_values *v, int64_t at);
/* What an edge with reinforced_at keeps of its weight a day: the setting hebb.decay. */
double mem_edge_decay(const struct mem_store *s);
/* A weight after so many ms, weight · per_day ^ (ms / 86,400,000); as it is where they are 0 or less. */
double mem_weight_fade(double weight, double per_day, int64_t ms);
/* ms from when an edge was reinforced to `at`, by what its row has; 0 where it never was. */
int64_t mem_edge_idle(uint32_t reinforced, uint32_t flags, int64_t at);

struct mem_edge {
	uint32_t from, to;         /* ords */
	uint16_t kind;             /* number of the name in meta: names are open */
	uint64_t seq;              /* of its last change */
	struct mem_edge_values v;
	struct mem_str json;       /* {"edge":kind,"from":id,"to":id,…} exactly as exported; BORROWS from the transaction */
};

/* [a-z_]{1,64}? */
bool mem_edge_kind_valid(struct mem_str kind);
/* Does an edge of this kind give rights or weight, so that not everybody may bring it in? */
bool mem_edge_kind_rights(struct mem_str kind);

/* ---- writing ---------------------------------------------------------- */

/* Adds or replaces the edge (from, kind, to); written to tables out and in, and logged as "edge"
 * under its source's id.  MEM_REFUSED: as mem_edge_values_read, or `json` is no record. */
enum mem_status mem_edge_put(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to,
    struct mem_str json, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_edge_remove(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to,
    struct mem_err *err) MEM_CHECKED;  /* MEM_NOTFOUND: was not there */

/* ---- reading ---------------------------------------------------------- */

enum mem_status mem_edge_kind_name(struct mem_txn *t, uint16_t kind, struct mem_str *out,
    struct mem_err *err) MEM_CHECKED;  /* BORROWS from the snapshot; MEM_NOTFOUND: no such kind */
enum mem_status mem_edge_kind_find(struct mem_txn *t, const char *name, uint16_t *kind,
    struct mem_err *err) MEM_CHECKED;  /* MEM_NOTFOUND: no edge of this kind was ever put */
/* The edge (from, kind, to); MEM_NOTFOUND: there is none. */
enum mem_status mem_edge_find(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to, struct mem_edge *out,
    struct mem_err *err) MEM_CHECKED;
/* Edges leaving (`out`) or entering a node, by kind and then by the node at the other end; fn returns false to stop. */
typedef bool mem_edge_fn(void *ctx, const struct mem_edge *e);
enum mem_status mem_edge_each(struct mem_txn *t, uint32_t ord, bool out, mem_edge_fn *fn,
    void *ctx, struct mem_err *err) MEM_CHECKED;

/* When another took the node's place: its superseded_at, or, of one that an older program marked, created_at of its first edge
 * superseded_by.  MEM_TIME_NONE: nothing did, or nothing tells when. */
struct mem_attr;
int64_t mem_node_superseded_at(struct mem_txn *t, const struct mem_attr *a);

/* What both tables have of an edge. */
struct mem_edge_row {
	uint32_t other;            /* ord of the node at the other end */
	uint16_t kind;
	float weight;
	uint32_t reinforced, flags; /* as in struct mem_edge_values */
};
/*
 * A cursor over the edges that leave (`out`) or enter one node after another.  From node to node nothing is allocated;
 * in ascending order of ord, and where nodes have few edges, most seeks cost a comparison.  It must be closed before
 * its transaction ends; what is written meanwhile it may or may not give.
 */
struct mem_edge_cursor;
enum mem_status mem_edge_cursor_open(struct mem_edge_cursor **out, struct mem_txn *t, bool leaving,
    struct mem_err *err) MEM_CHECKED;
void mem_edge_cursor_close(struct mem_edge_cursor *c);  /* NULL is fine */
/* To the edges of `ord` from (kind, other) on, in their order; (0, 0): all of them. */
enum mem_status mem_edge_cursor_seek(struct mem_edge_cursor *c, uint32_t ord, uint16_t kind, uint32_t other,
    struct mem_err *err) MEM_CHECKED;
/* Opens one at the edges of one kind that leave or enter a node; *number: of the kind.  MEM_END: there is no edge of it at all. */
enum mem_status mem_edge_cursor_open_at(struct mem_edge_cursor **out, struct mem_txn *t, uint32_t ord, const char *kind, bool leaving,
    uint16_t *number, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_edge_cursor_next(struct mem_edge_cursor *c, struct mem_edge_row *out,
    struct mem_err *err) MEM_CHECKED;  /* MEM_END: the node has no more */
/* Notes damage when the edge that next gave last, which leaves, does not stand in table in, too. */
void mem_edge_cursor_check_return(struct mem_edge_cursor *c, const struct mem_edge_row *row);
/* All of the edge that next gave last.  Of one that enters this looks into table out. */
enum mem_status mem_edge_cursor_edge(struct mem_edge_cursor *c, struct mem_edge *out,
    struct mem_err *err) MEM_CHECKED;
/* Does it, which has this row, hold at that time (mem_edge_valid)?  All of it is read only where its validity is not open; a
 * damaged one does not hold. */
enum mem_status mem_edge_cursor_holds(struct mem_edge_cursor *c, const struct mem_edge_row *row, int64_t at, bool *holds,
    struct mem_err *err) MEM_CHECKED;

#endif
