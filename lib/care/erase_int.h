/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: what goes when a node is erased. */
#ifndef MEM_ERASE_INT_H
#define MEM_ERASE_INT_H

#include "base/base.h"
#include "belief/claim.h"
#include "care/care_int.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

enum { ERASE_DEPTH_MAX = 32, ERASE_NODES_MAX = 5000 };
enum { ERASE_FIELDS_MAX = 12 }; /* of a node that stays: what may change */

enum erase_why {
	ERASE_ASKED,                /* it is the one that was asked for */
	ERASE_DERIVED,              /* it comes from nothing but what goes */
	ERASE_VERSION,              /* it is what stood there before an edit, or was merged */
	ERASE_ABOUT,                /* a review of it, or the record of a conflict */
	ERASE_QUERY,                /* what was asked in its namespace since it was captured */
	ERASE_SPARED,               /* it stays: it comes from something else, too */
	ERASE_COPY,                 /* it stays: it was promoted, and is others' by now */
	ERASE_WHY_COUNT
};
extern const char *const erase_why_words[ERASE_WHY_COUNT];

struct erase_node {
	struct mem_id id;
	uint32_t ord;
	uint32_t depth;
	enum mem_kind kind;
	enum erase_why why;
};

struct erase_set {
	uint32_t *slots;            /* ord + 1; 0: free */
	size_t n, cap;
};

/* An entity that stays, and whose name does not. */
struct erase_rename {
	struct mem_id id;
	struct mem_str name;        /* what those who stay call it; ARENA of the plan */
};

/* What goes, and what it touches.  Zero initialise; erase_plan_release. */
struct erase_plan {
	struct mem_txn *t;
	struct mem_store *store;
	struct erase_node *v;       /* the one asked for first */
	size_t n, cap;
	size_t next;                /* whose edges are looked at next */
	struct erase_set goes, stays; /* ords; those that stay may be among those that go */
	struct erase_set copies;    /* of those that go, and of these copies */
	uint64_t count[ERASE_WHY_COUNT];
	struct erase_rename *renamed;
	size_t nrenamed, renamed_cap;
	struct mem_id *freed;       /* OWNS; facts that one which goes has ended, to be judged without it */
	size_t nfreed, freed_cap;
	struct mem_arena arena;
	uint32_t depth;             /* of the deepest */
	const char *refused;        /* reason of mem-records(5) */
};

/*
 * Works out what goes with the node, in the transaction given.  *refused in the plan: too_many (ERASE_DEPTH_MAX, ERASE_NODES_MAX),
 * namespace_denied (one of them is not the caller's to write), rights_denied (one gives rights, or is a core block, and the caller is
 * neither its owner nor an operator), state_conflict (one is pinned, and not `force`).
 */
enum mem_status erase_plan_make(struct erase_plan *p, struct mem_txn *t, struct mem_store *s, const struct mem_node *node, bool force,
    struct mem_err *err) MEM_CHECKED;
void erase_plan_release(struct erase_plan *p);
bool erase_plan_takes(const struct erase_plan *p, uint32_t ord); /* does it go? */
void erase_plan_put(struct mem_buf *out, struct mem_txn *t, const struct erase_plan *p); /* a line for each */

/* ---- of the plan, for those who make it ---- */

/* Why the caller may not erase it, or change it; NULL: they may. */
const char *erase_find_refusal(const struct erase_plan *p, const struct mem_attr *a, enum erase_why why);

bool erase_set_has(const struct erase_set *s, uint32_t ord);
void erase_set_add(struct erase_set *s, uint32_t ord);
enum mem_status erase_plan_take(struct erase_plan *p, uint32_t ord, enum erase_why why, uint32_t depth, struct mem_err *err) MEM_CHECKED;
typedef enum mem_status erase_judge_fn(struct erase_plan *p, uint32_t ord, uint32_t depth, struct mem_err *err);
/* Calls it for what is at the other ends of the edges of this kind that leave or enter a node, until the plan is refused. */
enum mem_status erase_follow_edges(struct erase_plan *p, uint32_t ord, uint32_t depth, const char *kind, bool leaving, erase_judge_fn *judge,
    struct mem_err *err) MEM_CHECKED;
/* Does all go that is at the other ends of the edges of this kind that leave or enter a node? */
enum mem_status erase_ends_go(struct erase_plan *p, uint32_t ord, const char *kind, bool leaving, bool *all, struct mem_err *err) MEM_CHECKED;
enum mem_status erase_is_made_along(struct erase_plan *p, uint32_t ord, bool *is, struct mem_err *err) MEM_CHECKED;
/* Of the nodes that were merged into what goes or stays: those of which nothing that stays speaks. */
enum mem_status erase_take_merged(struct erase_plan *p, struct mem_err *err) MEM_CHECKED;

bool erase_is_made_of_words(const struct mem_attr *a); /* is its text that of its sources: a note, a proposal? */
/* The ords that stay and are changed, as they are now.  OWNS: free(). */
uint32_t *erase_list_stays(const struct erase_plan *p, size_t *n);

/* ---- names: erase_said.c, erase_names.c ---- */

/* Does what stays say this name (folded) of an entity: an episode that mentions it, or what is about it, in words of its own? */
enum mem_status erase_is_name_said(struct erase_plan *p, uint32_t entity, struct mem_str folded, bool *said, struct mem_err *err) MEM_CHECKED;
/* The same of what goes. */
enum mem_status erase_is_name_in_going(struct erase_plan *p, uint32_t entity, struct mem_str folded, bool *in, struct mem_err *err) MEM_CHECKED;
/* Of the entities that stay: those whose name only what goes says get another one that they have, and so do the facts about them. */
enum mem_status erase_take_renamed(struct erase_plan *p, struct mem_err *err) MEM_CHECKED;
/* What of a fact's names, or an entity's names and aliases, is another one from now on: fields in `set`, how many.  ARENA. */
size_t erase_names_mend(const struct erase_plan *p, struct mem_arena *a, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_clean_field *set);

/* ---- sources: erase_sources.c ---- */

struct erase_source {
	struct mem_json json;
	struct mem_id episode;
	bool has_episode, goes;
	int64_t at, captured_at;    /* MEM_TIME_NONE: not said */
	double confidence, trust;   /* < 0: not said */
	enum mem_veracity veracity;
};
struct erase_sources {
	struct erase_source *v;     /* ARENA */
	size_t n, kept;
};
/* The elements of a list `sources`, or of another list whose elements name episodes so: objects of a fact, ids of others. */
enum mem_status erase_sources_read(const struct erase_plan *p, struct mem_arena *a, struct mem_json list, struct erase_sources *out,
    struct mem_err *err) MEM_CHECKED;
const struct erase_source *erase_sources_first(const struct erase_sources *s); /* of those that stay, in time; NULL: none does */
int64_t erase_sources_begin(const struct erase_sources *s); /* of all of them */
/* The place in its episode.  False: it cannot be read.  ARENA. */
bool erase_source_quote(const struct erase_plan *p, struct mem_arena *a, const struct erase_source *s, struct mem_str *out);
/* Words that were in the store, and so were cleaned, as a value.  ARENA. */
struct mem_clean_text erase_restore_words(struct mem_arena *a, struct mem_str words);
/* Does a source that stays say a fact's words?  Of words that are no place in any source: does the first one stay? */
bool erase_words_stay(const struct erase_plan *p, struct mem_arena *a, const struct erase_sources *s, struct mem_str words);
/* Notes and proposals of facts that stay, with other words or names. */
enum mem_status erase_take_told(struct erase_plan *p, struct mem_err *err) MEM_CHECKED;

/* Of an episode that goes: the tags made of its own that nothing else has. */
enum mem_status erase_take_tags(struct erase_plan *p, const struct erase_node *from, struct mem_err *err) MEM_CHECKED;
/* And the node of its session, of which all turns go. */
enum mem_status erase_take_session(struct erase_plan *p, const struct erase_node *from, struct mem_err *err) MEM_CHECKED;
/* Of a skill that goes: its releases. */
enum mem_status erase_take_releases(struct erase_plan *p, const struct erase_node *skill, struct mem_err *err) MEM_CHECKED;

/* Rewrites what stays, and removes what goes. */
enum mem_status erase_plan_run(struct erase_plan *p, struct mem_writer *w, struct mem_err *err) MEM_CHECKED;
/* What a node that stays says without the sources that go: its edit, ARENA of the batch; n 0: it stays as it is. */
enum mem_status erase_mend_sources(const struct erase_plan *p, struct mem_writer *w, const struct mem_node *node, struct mem_write_edit *out,
    struct mem_err *err) MEM_CHECKED;

#endif
