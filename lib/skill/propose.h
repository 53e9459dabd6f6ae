/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proposals: skills that do not exist yet, with what speaks for them.
 *
 * A node of kind proposal (mem-records(5)) whose state goes
 *
 *   draft → submitted → under_review → created, or rejected; sent back for changes it is a draft again
 *   draft, submitted → expired
 *
 * A draft, and what was submitted, has the setting skills.expire of time from then on: `expires_at`.  Once that has passed it is expired for
 * whoever reads its state here, and the job `proposals` writes so.
 *
 * A draft is a proposal like any until somebody submits it; that asks the review queue (write/review.h), and what is decided there is done
 * by review_proposal.c.
 */
#ifndef MEM_PROPOSE_H
#define MEM_PROPOSE_H

#include "base/base.h"
#include "record/record.h"
#include "skill/research.h"
#include "store/job.h"
#include "write/run.h"

#define MEM_PROPOSAL_TOPIC_MAX ((size_t)1000)      /* bytes */
#define MEM_PROPOSAL_NAME_MAX  ((size_t)64)        /* of a name that is made of a topic */
#define MEM_PROPOSAL_BODY_MAX  ((size_t)1 << 20)
#define MEM_PROPOSAL_DEPENDENCIES 15               /* that research proposes */

enum mem_proposal_state { MEM_PROPOSAL_DRAFT, MEM_PROPOSAL_SUBMITTED, MEM_PROPOSAL_UNDER_REVIEW, MEM_PROPOSAL_CREATED,
	MEM_PROPOSAL_REJECTED, MEM_PROPOSAL_EXPIRED };
extern const char *const mem_proposal_states[];         /* in that order, NULL at the end */

/* As it stands at a time; what has none of the words is a draft. */
enum mem_proposal_state mem_proposal_state_read(const struct mem_rec *proposal, int64_t now);

/* Empty strings: made from the topic and the research. */
struct mem_proposal_new {
	struct mem_str topic;
	struct mem_str name, title, description, content, category;
	struct mem_json dependencies, evidence; /* of a record; raw.n 0: those of the research */
	const struct mem_research *research;
	struct mem_str ns;
	bool told;                  /* the receipt has the draft, as it is kept but for what only a kept one has */
	struct mem_str drafter, drafter_failed; /* of a command that drafted it, or why it did not (draft_with.h) */
	/* Of one that was mined (mined.h). */
	struct mem_json mined;
	size_t runs;                /* that succeeded: findings, of a source of their own */
	struct mem_str id_of;       /* as struct mem_write_node */
	const struct mem_id *sources; /* edges derived_from lead to them */
	size_t nsources;
};
/* What a line of standard input proposes.  MEM_REFUSED: it has no topic, a field of another type, a name that no skill can have, or a
 * dependency that mem-records(5) does not know; err->offset is its place.  Strings are in the arena. */
enum mem_status mem_proposal_read(struct mem_proposal_new *out, struct mem_arena *a, const struct mem_rec *rec, struct mem_err *err) MEM_CHECKED;
/* Writes a skill's name into the empty buffer: of the words their letters and digits in lower case, between two words one hyphen; as many
 * words as make MEM_PROPOSAL_NAME_MAX bytes, of a longer first word its beginning.  Empty: there is no word. */
void mem_proposal_name_put(struct mem_buf *b, struct mem_str words);
/* Appends the draft as a record, not cleaned yet. */
void mem_proposal_put(struct mem_buf *out, const struct mem_proposal_new *what);
/* Queues a draft.  All in *what is BORROWED until the commit. */
enum mem_status mem_propose_add(struct mem_write_run *r, const struct mem_proposal_new *what, struct mem_err *err) MEM_CHECKED;
/* Has the receipt of an input that is none. */
enum mem_status mem_propose_refuse(struct mem_write_run *r, const char *reason, uint64_t offset, struct mem_err *err) MEM_CHECKED;
/* Submits a draft: state submitted, and a review that asks for it.  Refused as state_conflict: it is
 * in another state. */
enum mem_status mem_propose_submit(struct mem_write_run *r, struct mem_str id, struct mem_err *err) MEM_CHECKED;

/* Takes up for review what was submitted: state under_review.  For reviewers (write/review.h); refused as rights_denied, state_conflict. */
enum mem_status mem_propose_take(struct mem_write_run *r, struct mem_str id, struct mem_err *err) MEM_CHECKED;
/* The review of a proposal that was submitted, written to `room`; what is no proposal's id comes back as it is. */
struct mem_str mem_proposal_review(struct mem_store *s, struct mem_str operand, char room[MEM_ID_LEN + 1]);

/* The names that the skill needs which a proposal, or the proposal of a review, became, and no skill is called; nothing where it became none. */
typedef void mem_proposal_missing_fn(void *ctx, struct mem_str skill, struct mem_str name);
enum mem_status mem_proposal_missing(struct mem_store *s, struct mem_str operand, mem_proposal_missing_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;

/* A draft of the skill's text from what the research found, appended. */
void mem_proposal_body(struct mem_buf *out, struct mem_str title, const struct mem_research *r);

/* Proposals whose time has passed get the state expired, and the reviews of those their time: job_proposals.c. */
extern const struct mem_job mem_job_proposals;

/* Reviews that ask for a proposal: review_proposal.c. */
struct mem_review_effect;
extern const struct mem_review_effect mem_review_effect_proposal;

#endif
