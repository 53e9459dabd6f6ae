/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: two nodes on their way to be one, or two again. */
#ifndef MEM_JOIN_INT_H
#define MEM_JOIN_INT_H

#include "base/base.h"
#include "belief/merge.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

/* An edge of the node that is merged. */
struct join_edge {
	const char *kind;
	uint32_t end;                /* ord of the node at the other end */
	struct mem_id end_id;
	bool leaves;                 /* the node; else it enters it */
	float weight;
	struct mem_str text;
	bool is_fact;                /* the other end is a fact that is about the node */
	bool changed;                /* whose sources are others now: it is worked out of them */
};

/* One of the two.  All ARENA. */
struct join_node {
	uint32_t ord;
	struct mem_id id;
	uint16_t kind;
	uint32_t root;               /* number of its namespace */
	bool live;
	struct mem_rec rec;          /* RELEASED by join_release */
	struct mem_clean_rec clean;
};

/* Ids of nodes.  `v` OWNS. */
struct join_ids {
	struct mem_id *v;
	size_t n, cap;
};

struct join {
	struct mem_txn *t;
	struct mem_writer *w;
	enum mem_merge_by by;
	struct mem_arena arena;
	struct join_node keep, other;
	struct join_edge *edges;     /* OWNS */
	size_t nedges, cap;
	struct mem_clean_object joined; /* edges that both had, as they were */
	struct mem_clean_object moved, facts; /* of the row of the audit in hand */
	size_t nrow;                 /* in it */
	size_t rows;                 /* rows that are written */
	int64_t shared;              /* episodes that mention both */
	bool changed;                /* of parting: a fact that went over was changed since it did: */
	struct join_ids touched;     /* these, */
	struct join_ids again;       /* and episodes that consolidation is to take again */
	int64_t lost, lost_shared;   /* of parting: episodes that mentioned the other one alone, or both, and are gone, with their mentions */
	const char **refused;
	struct mem_err *err;
};

#define JOIN_ROW_MAX 512         /* edges and facts in one row of the audit */

const char *join_audit_word(enum mem_merge_by by);
/* Reads a node for the caller, who must be allowed to write to it; *j->refused says why not.  MEM_NOTFOUND never comes. */
enum mem_status join_node_read(struct join *j, const struct mem_id *id, struct join_node *out);
enum mem_status join_ord_check(struct join *j, uint32_t ord, bool write); /* the same of a node that is touched besides */
/* The number of a node.  *there false: it is gone, which keeps nothing else from being as it was. */
enum mem_status join_end_find(struct join *j, const struct mem_id *id, uint32_t *ord, bool *there);
void join_release(struct join *j);
enum mem_status join_gather_edges(struct join *j);      /* of `other`, into j->edges */
enum mem_status join_check_edges(struct join *j);       /* may the caller touch the nodes at their other ends? */
enum mem_status join_rewire(struct join *j);            /* they become edges of `keep`, and facts follow */
/* Writes what was gathered for the audit as a row about the merged node. */
enum mem_status join_audit_row(struct join *j);
/* The fields of both nodes after their edges. */
enum mem_status join_write_nodes(struct join *j);
/* Ends of a fact. */
enum { JOIN_SUBJECT = 1, JOIN_OBJECT = 2 };
/* Those of a fact's ends that are asked for and have one id get the other, with its name and type.  *renamed: which had it.  version 0: one
 * more. */
enum mem_status join_fact_rename(struct join *j, uint32_t ord, const struct mem_id *from, const struct mem_id *to, unsigned ends,
    int64_t version, unsigned *renamed);
/* judge.c: the facts about the merged node, which were renamed, by the rules of belief.  `merges`: so that it can be taken back. */
enum mem_status join_judge(struct join *j, bool merges);
/* judge_undo.c: of the facts of this list, of which some are about the other one again.  *whole false: one of them was changed since then, and
 * is to be judged again. */
enum mem_status join_unjudge(struct join *j, const struct join_ids *judged, const struct join_ids *gone_over, bool *whole);
/* Of those that were touched, and are about the other one again: what episodes have said since of the kept one leaves them. */
enum mem_status join_part_sources(struct join *j);
/* judge_since.c: facts about the kept one that were made behind this row of the audit: what episodes say of the other one leaves them, and what
 * begins with that goes. */
enum mem_status join_part_since(struct join *j, uint64_t row);
/* judge_sources.c: does the episode of a source speak of the one entity, and not of the other? */
enum mem_status join_source_speaks(struct join *j, struct mem_json source, const struct mem_id *of, const struct mem_id *not_of, bool *does);
bool join_ids_have(const struct join_ids *ids, const struct mem_id *id);
void join_ids_add(struct join_ids *ids, const struct mem_id *id);
/* The versions that mem-edit(1) has made since of a fact that is about the other one again: these ends of theirs are, too. */
enum mem_status join_part_versions(struct join *j, uint32_t fact, unsigned ends);
/* What ended the fact is gone: it stands again, and is to be judged. */
enum mem_status join_stand_again(struct join *j, const struct mem_id *id);
/* Of a fact that is not about the same any more as the one that ended it: it stands again, and is to be judged.  *freed false: it is not so. */
enum mem_status join_free_fact(struct join *j, const struct mem_id *id, bool *freed);
/* judge_contradiction.c: the edges contradicts of a fact, from it and to it, to what is not about the same any more, with their conflicts. */
enum mem_status join_part_contradictions(struct join *j, const struct mem_id *fact);
/* The record of a decision that is none any more: of a fact, which has this text, against the winner. */
enum mem_status join_remove_conflict(struct join *j, const struct mem_rec *rec, const struct mem_id *loser, const struct mem_id *winner);
/* judge.c: the facts in j->edges, which went over, and those that they have ended are freed; the latter are added.  *any: there was one. */
enum mem_status join_free_facts(struct join *j, bool *any);
/* The nodes that this one, by its edges, has superseded. */
enum mem_status join_list_superseded(struct join *j, uint32_t ord, struct join_ids *out);
void join_add_fact(struct join *j, const struct mem_id *fact); /* to j->edges, as one that is to be judged */
void join_add_changed(struct join *j, const struct mem_id *fact); /* the same of one whose sources are others now */
/* What its text says, else 1. */
int64_t join_version(const struct mem_rec *rec);
/* Values of a node. */
int64_t join_count(const struct mem_rec *rec, const char *name);
bool join_list_has_word(struct mem_json list, const char *word);

#endif
