/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the parts of a scan for conflicts. */
#ifndef MEM_CONFLICT_INT_H
#define MEM_CONFLICT_INT_H

#include "graph/copy.h"
#include "skill/conflict.h"
#include "skill/skill.h"

/* A live skill of the namespace that is scanned.  Texts are in the scan's arena. */
struct scan_skill {
	uint32_t ord;
	struct mem_id id;
	struct mem_str name, category;
	int64_t created_at, last_used; /* last_used MEM_TIME_NONE: never */
	int64_t uses;
	bool has_vector, orphan;
};

/* A conflict found.  `subject` is the loser; `other` the winner, where there is one. */
struct scan_finding {
	enum mem_conflict_type type;
	struct mem_id subject, other;
	bool has_other;
	struct mem_str missing;     /* dependency: the name of a skill that is not there */
	struct mem_str texts[2];    /* contradiction: the two sentences; version_mismatch: what is asked for and what is there */
	const char *over;           /* what they disagree about: a field or a kind of edge */
	const struct mem_id *circle; /* circular: the skills in their order */
	size_t ncircle;
	double similarity, likeness; /* NAN: none */
	bool seen;                  /* it has a node already */
};

/* An order of a skill, as the hash of its key. */
struct scan_order {
	uint64_t key;
	uint32_t skill;             /* index in `skills` */
	bool forbids;
};

struct conflict_scan {
	struct mem_store *store;
	const char *ns;
	struct mem_graph_copy *graph;  /* BORROWED: live skills, with the edges of circles */
	struct mem_analyser *words;    /* BORROWED */
	struct scan_skill *skills;     /* by id */
	size_t nskills, skills_cap;
	struct scan_order *orders;
	size_t norders, orders_cap;
	struct scan_finding *found;
	size_t nfound, found_cap;
	uint64_t left_out, orders_left_out; /* as in struct mem_conflict_scan */
	bool without_vectors, without_encoder;
	uint64_t ranges_unknown;
	char unknown_range[MEM_CONFLICT_RANGE_LEN + 1];
	struct mem_arena arena;
};

/* The finding, to be filled in; loser and winner are named. */
struct scan_finding *conflict_add_finding(struct conflict_scan *c, enum mem_conflict_type type, const struct mem_id *subject,
    const struct mem_id *other);
/* Of two skills: the one that was used more is the winner, of equal ones the older. */
struct scan_finding *conflict_add_pair(struct conflict_scan *c, enum mem_conflict_type type, size_t i, size_t j);
/* Index of a skill; SIZE_MAX: it is none of the scan. */
size_t conflict_find_skill(const struct conflict_scan *c, const struct mem_id *id);

/* Of two skills that are the same the one that is kept: it was used more or, of equal ones, is older.  By uses, created_at and id. */
bool conflict_is_used_more(const struct scan_skill *x, const struct scan_skill *y);
/* The skills, their orders, and dependencies of theirs that are broken: conflict_gather.c, conflict_needs.c. */
enum mem_status conflict_gather_skills(struct conflict_scan *c, struct mem_err *err) MEM_CHECKED;
enum mem_status conflict_check_needs(struct conflict_scan *c, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err) MEM_CHECKED;
/* A clone and its origin: conflict_clone.c. */
enum mem_status conflict_check_clone(struct conflict_scan *c, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err) MEM_CHECKED;
/* Duplicates, overlaps, names: conflict_pairs.c. */
enum mem_status conflict_find_pairs(struct conflict_scan *c, struct mem_err *err) MEM_CHECKED;
/* Contradictions: conflict_orders.c. */
enum mem_status conflict_find_contradictions(struct conflict_scan *c, struct mem_err *err) MEM_CHECKED;
/* No edge joins it with another skill or a page, or to an agent or a team that has it: conflict_orphan.c. */
enum mem_status conflict_is_orphan(struct mem_txn *t, uint32_t ord, bool *orphan, struct mem_err *err) MEM_CHECKED;
/* Circles, what is stale, orphans: conflict_graph.c. */
void conflict_check_graph(struct conflict_scan *c, int64_t now);

/* Writes what was found beside what is known: conflict_write.c. */
enum mem_status conflict_write_findings(struct conflict_scan *c, struct mem_write_run *r, struct mem_conflict_scan *sum, struct mem_err *err) MEM_CHECKED;

/* The edit of a state, for a revision under the lock: conflict_decide.c. */
struct conflict_change {
	enum mem_conflict_state state;
	struct mem_clean_text reason;
	bool by_person;
	const struct mem_clean_field *found; /* what it says besides, of one that is found again or is open still; in the batch's arena */
	size_t nfound;
};
void conflict_queue_change(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, const struct conflict_change *change);

/* Reads all conflicts of skills in the namespaces that are visible, those of `ns` or, where it is empty, all: conflict_list.c. */
typedef enum mem_status conflict_line_fn(void *ctx, const struct mem_conflict *conflict, struct mem_str line, struct mem_err *err);
enum mem_status conflict_each(struct mem_store *s, const struct mem_words *ns, conflict_line_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;

#endif
