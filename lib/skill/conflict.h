/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conflicts of skills: what is wrong with one skill, between two, or in a circle of them.
 *
 *   kinds      types, their severities, how urgent one is
 *   scan       looks for them, and writes a node of kind conflict for each
 *   listing    what was found, the most urgent first
 *   decisions  of a person: acknowledged, resolved, dismissed
 *
 * A conflict lies in one namespace, with the skills that it is about.  Its id is made of its type and of these, so that a pair has one
 * conflict of a type, in whichever order it is found.
 */
#ifndef MEM_SKILL_CONFLICT_H
#define MEM_SKILL_CONFLICT_H

#include "base/base.h"
#include "record/record.h"
#include "store/store.h"
#include "write/run.h"

/* ---- kinds: conflict_kinds.c ------------------------------------------ */

enum mem_conflict_type {
	MEM_CONFLICT_DUPLICATE,
	MEM_CONFLICT_OVERLAP,
	MEM_CONFLICT_CONTRADICTION,
	MEM_CONFLICT_DEPENDENCY,
	MEM_CONFLICT_CIRCULAR,
	MEM_CONFLICT_VERSION_MISMATCH,
	MEM_CONFLICT_NAMING,
	MEM_CONFLICT_STALE,
	MEM_CONFLICT_ORPHAN,
	MEM_CONFLICT_TYPES,
};
extern const char *const mem_conflict_types[];  /* their words; NULL at the end */
bool mem_conflict_type_parse(struct mem_str word, enum mem_conflict_type *out);

enum mem_severity { MEM_SEVERITY_LOW, MEM_SEVERITY_MEDIUM, MEM_SEVERITY_HIGH, MEM_SEVERITY_CRITICAL, MEM_SEVERITIES };
extern const char *const mem_severities[];      /* their words; NULL at the end */
enum mem_severity mem_conflict_severity(enum mem_conflict_type type);
double mem_severity_weight(enum mem_severity s); /* 1, 2, 4, 8 */

/*
 * weight of the severity · days / 30, within [1, 3] · (1 + similarity), to six decimals.  `days` since it was detected; similarity
 * NAN: it has none, and that counts as 0.
 */
double mem_conflict_priority(enum mem_severity s, double days, double similarity);

enum mem_conflict_state { MEM_CONFLICT_DETECTED, MEM_CONFLICT_ACKNOWLEDGED, MEM_CONFLICT_RESOLVED, MEM_CONFLICT_DISMISSED,
	MEM_CONFLICT_STATES };
extern const char *const mem_conflict_states[]; /* their words; NULL at the end */
static inline bool
mem_conflict_is_open(enum mem_conflict_state s)
{
	return s == MEM_CONFLICT_DETECTED || s == MEM_CONFLICT_ACKNOWLEDGED;
}

/* ---- one: conflict_read.c --------------------------------------------- */

struct mem_conflict {
	struct mem_id id, winner, loser;
	bool has_winner;            /* else it is about the loser alone */
	enum mem_conflict_type type;
	enum mem_conflict_state state;
	double similarity;          /* NAN: none */
	int64_t detected_at, decided_at; /* MEM_TIME_NONE: not decided */
	bool by_person;             /* a person decided it; else it went away */
};
/* False: the record is no conflict of skills. */
bool mem_conflict_read(struct mem_conflict *out, const struct mem_rec *rec);
/* The same of a node. */
bool mem_conflict_read_json(struct mem_conflict *out, struct mem_json node);

/* ---- scan: conflict_scan.c -------------------------------------------- */

#define MEM_CONFLICT_DUPLICATE_SIMILARITY .92
#define MEM_CONFLICT_DUPLICATE_LIKENESS   .7  /* of names, or of what is written */
#define MEM_CONFLICT_DUPLICATE_NEAREST    5   /* a duplicate is among these of either */
#define MEM_CONFLICT_OVERLAP_SIMILARITY   .7
#define MEM_CONFLICT_OVERLAP_NEAREST      50
#define MEM_CONFLICT_ORDER_SIMILARITY     .7
#define MEM_CONFLICT_ORDER_PAIRS          256 /* of the orders with one verb and object so many pairs are compared */
#define MEM_CONFLICT_NAME_LIKENESS        .9
#define MEM_CONFLICT_OLD_DAYS             30  /* a younger skill is neither stale nor an orphan */
#define MEM_CONFLICT_UNUSED_DAYS          90
#define MEM_CONFLICT_FEW_USES             5
#define MEM_CONFLICT_QUIET_DAYS           30  /* what a person decided is not found again before */

#define MEM_CONFLICT_RANGE_LEN 255
struct mem_conflict_scan {
	uint64_t skills;
	uint64_t found;             /* conflicts there are, decided ones too */
	uint64_t detected;          /* written as new, or found again */
	uint64_t ended;             /* open before, and there no more */
	uint64_t left_out;          /* pairs that lie near each other, over the limits above */
	uint64_t orders_left_out;   /* pairs of opposite orders over MEM_CONFLICT_ORDER_PAIRS */
	uint64_t ranges_unknown;    /* releases that are asked for in a way that is not understood: no conflict is told of them */
	char unknown_range[MEM_CONFLICT_RANGE_LEN + 1]; /* the first of them: who requires what, and which */
	bool without_vectors;       /* no vectors: duplicates and overlaps were not looked for */
	bool without_encoder;       /* no model: contradictions were not looked for */
};
/* Scans the namespaces named, or without any all that hold skills and that the caller may write to.  The run commits.  MEM_DENIED: the
 * caller may not write to one that is named. */
enum mem_status mem_conflicts_scan(struct mem_conflict_scan *out, struct mem_write_run *r, const struct mem_words *ns, struct mem_err *err)
    MEM_CHECKED;

/* ---- listing: conflict_list.c ----------------------------------------- */

/* What is 0 or empty limits nothing. */
struct mem_conflict_filter {
	struct mem_words ns;
	unsigned types, severities, states; /* bits 1 << number */
};
struct mem_conflict_line {
	struct mem_conflict conflict;
	double priority;
	struct mem_str line;        /* the node with `priority` and `names` behind its fields; ARENA */
};
struct mem_conflict_list {
	struct mem_conflict_line *v; /* OWNS; the greatest priority first, ties by id */
	size_t n;
	struct mem_arena arena;
};
enum mem_status mem_conflicts_list(struct mem_conflict_list *out, struct mem_store *s, const struct mem_conflict_filter *f,
    struct mem_err *err) MEM_CHECKED;
void mem_conflict_list_release(struct mem_conflict_list *l);

/* ---- decisions: conflict_decide.c ------------------------------------- */

/* Queues it: an open conflict goes to the state.  `reason` absent: none.  Reasons of a refusal: not_found, namespace_denied, bad_value (it is
 * no conflict of skills), state_conflict (it was decided before, or is gone). */
void mem_conflict_decide(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, enum mem_conflict_state state,
    struct mem_clean_text reason);

#endif
