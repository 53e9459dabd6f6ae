/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a run of consolidation. */
#ifndef MEM_CONSOLIDATE_INT_H
#define MEM_CONSOLIDATE_INT_H

#include "base/base.h"
#include "belief/claim.h"
#include "belief/consolidate.h"
#include "belief/entity.h"
#include "belief/extract.h"
#include "belief/extract_with.h"
#include "belief/fact.h"
#include "belief/rules.h"
#include "clean/clean.h"
#include "record/record.h"
#include "store/node.h"
#include "store/store.h"
#include "write/write.h"

/* ---- the mark ---------------------------------------------------------- */

/* All episodes of a namespace before `next` were consolidated, or are among the failures. */
struct consolidate_place {
	uint32_t ns, next;          /* number of the namespace; ord */
};
/* An episode that could not be consolidated. */
struct consolidate_failure {
	struct mem_id id;
	uint32_t ns;
	int64_t created_at;
	uint32_t tries;             /* more than MEM_CONSOLIDATE_RETRIES: it has failed */
	char reason[24];
};
struct consolidate_mark {
	struct consolidate_place *places;   /* by ns */
	size_t nplaces, places_cap;
	struct consolidate_failure *failures; /* in the order in which they first failed */
	size_t nfailures, failures_cap;
};
/* What is not in the form of consolidate_mark_write counts as no mark: all is worked over once more, and changes nothing. */
enum mem_status consolidate_mark_read(struct consolidate_mark *m, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
enum mem_status consolidate_mark_write(const struct consolidate_mark *m, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
void consolidate_mark_copy(struct consolidate_mark *to, const struct consolidate_mark *from);
void consolidate_mark_release(struct consolidate_mark *m);
uint32_t consolidate_mark_next(const struct consolidate_mark *m, uint32_t ns); /* 0 of a namespace that it does not know */
/* Moves on, never back. */
void consolidate_mark_pass(struct consolidate_mark *m, uint32_t ns, uint32_t next);
/* NULL: it is none. */
struct consolidate_failure *consolidate_mark_failure(const struct consolidate_mark *m, const struct mem_id *id);
struct consolidate_failure *consolidate_mark_fail(struct consolidate_mark *m, const struct mem_id *id); /* one more try; with tries 1 it is new */
void consolidate_mark_forgive(struct consolidate_mark *m, const struct mem_id *id);
/* Inside a write: the next run takes these episodes again, for this reason (at most 23 bytes), be they consolidated or not. */
enum mem_status consolidate_again_at(struct mem_txn *t, const struct mem_id *episodes, size_t n, const char *reason, struct mem_err *err) MEM_CHECKED;
static inline bool consolidate_has_failed(const struct consolidate_failure *f) { return f->tries > MEM_CONSOLIDATE_RETRIES; }

/* ---- raw episodes: consolidate_scan.c ---------------------------------------- */

/* Where a look through all nodes stands. */
struct consolidate_scan {
	const struct consolidate_mark *mark; /* BORROWS; NULL: consolidated ones are taken, too */
	uint32_t *ns;               /* numbers of the namespaces that are looked at, each greater than the one before */
	size_t nns, ns_cap;
	int64_t since;              /* captured then or later */
	uint32_t at;                /* the next ord */
};
void consolidate_scan_begin(struct consolidate_scan *s, const struct consolidate_mark *mark, int64_t since);
void consolidate_scan_add_ns(struct consolidate_scan *s, uint32_t ns);
bool consolidate_scan_has_ns(const struct consolidate_scan *s, uint32_t ns);
void consolidate_scan_release(struct consolidate_scan *s);
struct consolidate_raw {
	uint32_t ord;
	int64_t created_at;
};
/* The next raw episodes, at most `max`; as many nodes are looked at as one snapshot may.  MEM_END: there are no more, and *n counts. */
enum mem_status consolidate_scan_next(struct consolidate_scan *s, struct mem_txn *t, size_t max, struct consolidate_raw *out, size_t *n,
    struct mem_err *err) MEM_CHECKED;

/* ---- episodes of a batch ------------------------------------------------- */

/*
 * Is it live, or superseded?  What another replaced was said all the same; what that one says tells what of it ends, whichever of
 * them is consolidated first.
 */
bool consolidate_is_heard(const struct mem_attr *a, int64_t now);

struct consolidate_episode {
	uint32_t ord, ns;           /* number of the namespace */
	uint64_t line;              /* of its receipt */
	struct mem_id id;
	int64_t created_at;
	const char *unread;         /* why it could not be read, a reason; NULL: it was */
	bool passed;                /* it is not heard: it says nothing */
	/* ARENA of the batch: */
	struct mem_extract_source text;
	struct mem_entity_source entities;
	struct mem_fact_source facts, *with; /* of the rules' claims, and of each claim of an extractor */
	struct mem_id supersedes;
	/* Kept from batch to batch. */
	struct mem_claim_list claims;
	size_t nrules;              /* of the claims, those of the rules: the others are an extractor's */
	/* Of the round in hand: */
	size_t first;               /* its first claim in the ledger */
	enum mem_verdict verdict;
	size_t refused;             /* of its claims */
};

struct consolidate_run {
	struct mem_store *store;
	struct mem_consolidate_options o;
	mem_emit_fn *emit;
	void *ctx;
	struct mem_consolidate_done *done;

	struct mem_writer *writer;
	struct mem_belief_rules *rules;     /* these four from the first episode on */
	struct mem_entities *entities;
	struct mem_ledger *ledger;
	struct mem_clean *clean;            /* for what an extractor prints */
	const char *with;                   /* NULL: none */
	int64_t with_ms;

	struct consolidate_mark mark, planned; /* as it is, and as it will be after the batch */
	bool chosen;                        /* the batch in hand is of `ords` */
	bool ended;                         /* there are no more raw episodes */
	bool keeps_mark;                    /* the mark stays as it is: a session, --since */
	struct consolidate_scan scan;
	uint32_t *ords;                     /* chosen and not yet taken: of a session, of failures */
	size_t nords, ords_cap, ords_at;

	struct consolidate_episode *v;      /* [MEM_CONSOLIDATE_BATCH] */
	size_t n;
	struct mem_arena arena;             /* of the batch */
	struct mem_rec rec;
	uint64_t line;                      /* of receipts */
	struct mem_write_total total;
};

/* ---- choosing: consolidate_pick.c ----------------------------------------- */

/* The namespaces, by the options.  MEM_USAGE, MEM_DENIED: one that is named is none, or may not be written. */
enum mem_status consolidate_pick_ns(struct consolidate_run *r, struct mem_err *err) MEM_CHECKED;
/* Ords of those that failed and are to be tried again; of the session. */
enum mem_status consolidate_pick_failures(struct consolidate_run *r, struct mem_err *err) MEM_CHECKED;
enum mem_status consolidate_pick_session(struct consolidate_run *r, struct mem_err *err) MEM_CHECKED;
/* At most `max` of the ords chosen, else of raw episodes.  *n 0: there are no more. */
enum mem_status consolidate_pick(struct consolidate_run *r, size_t max, uint32_t *ords, size_t *n, struct mem_err *err) MEM_CHECKED;

/* ---- reading: consolidate_batch.c ------------------------------------------ */

/* Reads these episodes and what they claim into r->v. */
enum mem_status consolidate_read(struct consolidate_run *r, const uint32_t *ords, size_t n, struct mem_err *err) MEM_CHECKED;

/* ---- writing: consolidate_write.c ------------------------------------------ */

/* Writes what r->v says, in one transaction if that can be. */
enum mem_status consolidate_write(struct consolidate_run *r, struct mem_err *err) MEM_CHECKED;

#endif
