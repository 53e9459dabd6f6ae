/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reviews: the queue of what waits for the decision of a person.  mem-records(5) has the record, mem-review(1) is the
 * command for it.
 *
 *   words      what a review asks for, and its states
 *   reading    a review as it stands at a time
 *   putting    a new one
 *   deciding   who may, and what a decision does
 *
 * A review lies in the namespace of its subject, so that who sees the one sees the other; one without a subject lies in
 * the asker's own.  `expires_at` is about the question: once it has passed the state is expired for whoever reads it.
 * Nothing is written for that, and the node stays.
 */
#ifndef MEM_REVIEW_H
#define MEM_REVIEW_H

#include "base/base.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/store.h"
#include "write/write.h"

/* ---- words ------------------------------------------------------------ */

/* In the order of the lists of words, which end with NULL. */
enum mem_review_asks { MEM_ASKS_ESCALATION, MEM_ASKS_MERGE, MEM_ASKS_TIER, MEM_ASKS_TAG, MEM_ASKS_PROPOSAL, MEM_ASKS_POLICY,
	MEM_ASKS_PROMOTION, MEM_ASKS_COUNT };
enum mem_review_state { MEM_REVIEW_OPEN, MEM_REVIEW_APPROVED, MEM_REVIEW_REJECTED, MEM_REVIEW_CHANGES_ASKED, MEM_REVIEW_EXPIRED,
	MEM_REVIEW_STATE_COUNT };
extern const char *const mem_review_asks_words[];
extern const char *const mem_review_state_words[];

/* ---- reading ---------------------------------------------------------- */

/* BORROWS from the record. */
struct mem_review {
	struct mem_id id;
	bool has_subject;
	struct mem_id subject;
	enum mem_review_asks asks;
	enum mem_review_state state; /* at the time of reading */
	struct mem_str asked_by;
	int64_t expires_at;          /* MEM_TIME_NONE: never */
	struct mem_json payload;     /* an object; raw.n 0: none */
};
/* MEM_REFUSED: the record is no review, or one that does not keep to mem-records(5). */
enum mem_status mem_review_read(struct mem_review *out, const struct mem_rec *rec, int64_t now, struct mem_err *err) MEM_CHECKED;
/* Appends the record with the state as it was read. */
void mem_review_put_record(struct mem_buf *out, const struct mem_rec *rec, const struct mem_review *review);
/* *is: the node with this id is a review.  MEM_NOTFOUND: there is no node, or none that the principal may read. */
enum mem_status mem_review_is_one(struct mem_store *s, const struct mem_id *id, bool *is, struct mem_err *err) MEM_CHECKED;

/* ---- putting ---------------------------------------------------------- */

struct mem_review_question {
	const struct mem_id *subject; /* NULL: none */
	enum mem_review_asks asks;
	struct mem_clean_text reason;  /* absent: null */
	int64_t expires_at;            /* MEM_TIME_NONE: never */
	struct mem_clean_text payload; /* an object, what the decision needs; absent: empty */
	struct mem_str id_of;          /* as in struct mem_write_node: the same question again is a duplicate, decided or not */
};
/*
 * Queues a review that the principal asks for.  in->ns is not used.  Reasons of a refusal, in the receipt: not_found (the
 * subject), namespace_denied (the caller may not write where the subject lies).
 */
enum mem_status mem_review_put(struct mem_writer *w, const struct mem_write_input *in, const struct mem_review_question *question,
    struct mem_err *err) MEM_CHECKED;

/* ---- deciding --------------------------------------------------------- */

/*
 * What a decision does beyond the review itself, in the same transaction, before the review is changed.  That the
 * reviewer may decide the review is right enough for it: it calls the mem_write_..._at functions.  A decision that it
 * cannot carry out it refuses, with a reason of mem-records(5) in *refused, before it has written anything.
 * `review` lives as long as the transaction.
 */
typedef enum mem_status mem_review_effect_fn(struct mem_txn *t, struct mem_writer *w, const struct mem_review *review,
    enum mem_review_state decision, const char **refused, struct mem_err *err);
/*
 * What an approval brings into the store: queues nodes and their edges as quiet, granted items in front of the decision, so that all of
 * it is kept or nothing; and prepares what `run` would work out while others wait.  Called in no transaction, for one who may decide the
 * review as it stands, which is right enough for it.  What it cannot bring it refuses, with a reason in *refused, before it has queued
 * anything.
 */
typedef enum mem_status mem_review_bring_fn(struct mem_writer *w, const struct mem_review *review, const char **refused,
    struct mem_err *err);
struct mem_review_effect {
	enum mem_review_asks asks;
	bool by_hand;               /* mem-review(1) puts such reviews, too */
	mem_review_effect_fn *run;  /* NULL: nothing more is done */
	mem_review_bring_fn *bring; /* NULL: nothing is brought */
};
/* The row for `asks` of a list that ends with NULL; NULL: there is none. */
const struct mem_review_effect *mem_review_find_effect(const struct mem_review_effect *const *effects, enum mem_review_asks asks);

struct mem_review_decision {
	enum mem_review_state state; /* approved, rejected or changes_asked */
	struct mem_clean_text note; /* absent: none */
	const struct mem_review_effect *const *effects; /* ends with NULL */
};
/*
 * Queues a decision.  Operators decide, and agents of the setting `reviewers`, what they may read and did not ask for
 * themselves.  Reasons of a refusal: not_found (also of a node that is no review), rights_denied, bad_value (no effect is known
 * for what it asks, or it cannot be read), state_conflict (it is decided otherwise, or has expired), and those of the
 * effect.  The same decision again is unchanged.  Only open reviews and those with changes asked can be decided; changes
 * asked with another note is a change.  What an approval brings (bring) is refused with its own reasons; MEM_STALE of the commit: the
 * review was decided meanwhile.
 */
enum mem_status mem_review_decide(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id,
    const struct mem_review_decision *decision, struct mem_err *err) MEM_CHECKED;

#endif
