/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts: the one way to write them.
 *
 * A ledger works out over one snapshot what a set of claims makes of the facts that there are, and queues it at a writer,
 * whose commit writes all of it or nothing.  What it makes is a function of the set of assertions alone, stored and
 * new, in whatever order they came:
 *
 *   assertion  one claim of one source: a value (object and negated), since when it is true, trust, confidence, veracity
 *   lane       the facts that may end one another: of a functional predicate all objects of one subject; of another
 *              one the positive and the negated fact of one object, and those of the opposite predicate; of statements
 *              without a triple those of one domain and topic
 *   run        assertions of one value that follow each other; it is one fact, valid from the first, until the next begins
 *
 * So a late assertion may split a run or begin it earlier, and A, B, A ends with A: the last run.  Two values at the same
 * instant: what is not inferred counts before what is, then the higher trust, then the higher confidence, then the smaller key.
 * What is inferred (hedged, or told by somebody else) ends nothing that is not and that is true at its time: it is kept as a
 * conflict with it, and is believed where nothing better is known.  Of a lane the facts around a new
 * assertion are read: all, unless there are very many.
 *
 * Facts that were forgotten, merged or superseded by other than the ledger are left as they are, and what they say is not
 * written again.  One that was archived is active again once it is said again.
 *
 * One round: mem_ledger_begin in a snapshot, mem_ledger_state for each claim, mem_ledger_queue in the same snapshot; then the
 * snapshot ends and the writer commits.  MEM_STALE of the commit: nothing was written, since what was read has changed
 * meanwhile; the caller plans a new round.
 */
#ifndef MEM_FACT_H
#define MEM_FACT_H

#include "base/base.h"
#include "belief/claim.h"
#include "clean/clean.h"
#include "store/store.h"
#include "write/write.h"

struct mem_belief_rules;
struct mem_entities;
struct mem_ledger;

/* A fact may be supported by any number of sources; this many stand in its text: the first ones, and the latest. */
#define MEM_FACT_SOURCES_MAX 64
/* Claims of one episode: what says more is a dump, and the rest of it is refused. */
#define MEM_FACT_CLAIMS_MAX 1024
/* Of a fact's trust in its episode's. */
#define MEM_FACT_TRUST_FACTOR .9
/* From this trust of the stronger side on a contradiction quarantines the weaker one. */
#define MEM_FACT_QUARANTINE_TRUST .7
/* Statements of one domain and topic of which this share of the words is common are about the same; how many are compared. */
#define MEM_FACT_JACCARD .5
#define MEM_FACT_TOPIC_MAX 256

/* Why a fact does not stand, as field superseded_reason has it. */
#define MEM_FACT_NEWER        "newer"         /* functional: another object since then */
#define MEM_FACT_EXCLUSIVE    "exclusive"     /* an object that excludes it */
#define MEM_FACT_OPPOSITE     "opposite"      /* the opposite predicate */
#define MEM_FACT_NEGATED      "negated"       /* the same, denied or affirmed */
#define MEM_FACT_CORRECTED    "corrected"     /* a correction of what stood */
#define MEM_FACT_HINT         "hint"          /* its source was replaced by the other's */
#define MEM_FACT_TIE          "tie"           /* true at the same instant as a stronger one */
#define MEM_FACT_LESS_TRUSTED "less_trusted"  /* weak, against one of higher standing */
#define MEM_FACT_OUTWEIGHED   "outweighed"    /* a statement about the same, of less weight */
#define MEM_FACT_RESTATED     "restated"      /* it is part of another fact, which began earlier */
#define MEM_FACT_BY_HAND      "by_hand"

/* Where a claim comes from.  BORROWED until the batch is committed. */
struct mem_fact_source {
	struct mem_id episode;
	bool has_episode;           /* false: by hand */
	uint32_t ord;               /* of the episode */
	struct mem_str ns;
	int64_t created_at;         /* of the episode; by hand the time of the writing */
	int64_t captured_at;        /* that of claims that say no time */
	double trust;               /* of the episode, or of the one who writes; the fact's is lower */
	double importance;          /* which the fact inherits */
	const struct mem_id *supersedes; /* the episode that this one is to replace; NULL: none */
	const struct mem_id *ends;  /* by hand: a fact that the claim's is to replace; NULL: none */
	const struct mem_id *subject, *object, *was; /* by hand: the entities that these terms of the claim name by id; NULL: by name */
	struct mem_str via;         /* the command, or "with:NAME" of a user's extractor, which ends no fact of higher trust */
	struct mem_str actor;       /* origin.agent; empty: the caller */
	const struct mem_finding_list *found; /* what was cleaned away in it; NULL: nothing */
};

/* What became of one claim. */
struct mem_fact_outcome {
	enum mem_verdict verdict;   /* MEM_NEW, MEM_CHANGED (restated), MEM_UNCHANGED (it is known), MEM_REJECTED */
	const char *reason;         /* of MEM_REJECTED */
	struct mem_id id;           /* of the fact that says it; of state_conflict the one that has taken the place of the fact to end */
	bool current;               /* it is not superseded or quarantined */
};

/* OWNS; BORROWS the others.  `rules` NULL: all predicates are unknown. */
enum mem_status mem_ledger_new(struct mem_ledger **out, struct mem_writer *w, struct mem_entities *entities,
    const struct mem_belief_rules *rules, struct mem_err *err) MEM_CHECKED;
void mem_ledger_free(struct mem_ledger *l); /* NULL is fine */

/* A new round over a snapshot: forgets the claims of the last one.  Entities are to be begun by mem_entities_snapshot. */
enum mem_status mem_ledger_begin(struct mem_ledger *l, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/*
 * One claim; its texts must be clean, and are BORROWED until the queue is made.  A refusal is in its outcome: bad_value
 * (valid_to not after valid_from, a name of nothing), empty, too_long, too_many, not_found (an id, or the fact to end), cycle (that fact),
 * state_conflict (another one has taken its place).
 */
enum mem_status mem_ledger_state(struct mem_ledger *l, const struct mem_claim *c, const struct mem_fact_source *s,
    struct mem_err *err) MEM_CHECKED;
/* Works it out and queues nodes, changes, edges and rows of the audit, without receipts of their own, behind what
 * mem_entities_queue has queued.  The commit tells whether it all still holds. */
enum mem_status mem_ledger_queue(struct mem_ledger *l, struct mem_err *err) MEM_CHECKED;
/* After the queue, by the order of the claims from 0 on.  BORROWS until the next round. */
const struct mem_fact_outcome *mem_ledger_outcome(const struct mem_ledger *l, size_t claim);

/* ---- judging anew: ledger_judge.c ----------------------------------------- */

/* Between begin and queue: the facts beside a stored one are worked out anew, since other ones may be beside it now.  One that is
 * there no more, or is left as it is, is passed over.  `changed`: it has other sources now, and its own fields follow from them. */
enum mem_status mem_ledger_judge(struct mem_ledger *l, const struct mem_id *fact, bool changed, struct mem_err *err) MEM_CHECKED;
/* The same of one that is left as it is, since it was forgotten or edited: what is beside it is worked out without it. */
enum mem_status mem_ledger_judge_without(struct mem_ledger *l, const struct mem_id *fact, struct mem_err *err) MEM_CHECKED;
/*
 * Inside a write: a fact was forgotten, edited or brought back, and those beside it are judged anew, without it or with it.  Of a node
 * that is no fact, or is gone, nothing.  What it had ended while it stood stays ended; what had lost to it, or is the same, does not.
 */
enum mem_status mem_fact_judge_at(struct mem_txn *t, struct mem_writer *w, const struct mem_id *fact, struct mem_err *err) MEM_CHECKED;
/* Queues that behind what may change the fact, and loads the rules, which would hold up others inside of the write. */
enum mem_status mem_fact_judge_queue(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *fact,
    struct mem_err *err) MEM_CHECKED;
/* Behind begin: it is done since this node was merged, and each fact that is changed keeps in its field `judged` what it was. */
void mem_ledger_merge(struct mem_ledger *l, const struct mem_id *merged);
/* After the queue those facts, new ones among them.  BORROWS until the next round. */
const struct mem_id *mem_ledger_judged(const struct mem_ledger *l, size_t *n);

/* ---- keys: fact_key.c ---------------------------------------------------- */

/* The slug of a domain: lower case, a-z0-9- and nothing else, blanks and _ as -, each run of them one, at most 64 bytes.
 * Appended; nothing is left of a text without letters and digits. */
void mem_fact_slug(struct mem_buf *out, struct mem_str domain);
#define MEM_FACT_SLUG_MAX 64
/* Of how many of all words of both texts (folded, each once) both have: from 0 to 1. */
double mem_fact_jaccard(struct mem_str a, struct mem_str b);
/* c' = min(1, c + (1 − c)·w·.3), w the weight of the veracity of the one that states it again. */
double mem_fact_confirm(double confidence, enum mem_veracity again);

/* ---- reading ------------------------------------------------------------- */

/*
 * Facts of a subject with a predicate, in order of valid_from, whatever their status, that had a time in which they were
 * true, or would have had it but for another that is trusted more.  Starts behind (*at, *ord): MEM_TIME_NONE and 0; backwards MEM_TIME_MAX and UINT32_MAX.  MEM_END: no more.
 */
enum mem_status mem_fact_next(struct mem_txn *t, struct mem_str ns, const struct mem_id *subject, struct mem_str predicate, bool backwards,
    int64_t *at, uint32_t *ord, struct mem_err *err) MEM_CHECKED;

#endif
