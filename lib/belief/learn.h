/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learn: what proved useful, or did not.
 *
 *   adding     a learning; one that is there already grows
 *   changing   verified, disproven, reinforced, what came of using it
 *   value      its importance, as it fades and as its outcomes have it
 *   the job    what faded away is archived, what proved itself is shared
 *
 * A learning keeps `importance` as it was when somebody last changed it (`changed_at`); what is left of that at a time is computed
 * (store/decay.h), so that looking at it, or running a job twice, takes nothing away.  All changes are audited as learn.
 */
#ifndef MEM_LEARN_H
#define MEM_LEARN_H

#include "base/base.h"
#include "embed/embed.h"
#include "record/record.h"
#include "store/job.h"
#include "write/run.h"

/* ---- adding: learn_add.c -------------------------------------------------- */

extern const char *const mem_learn_categories[]; /* pattern, anti_pattern, ...; NULL at the end */
extern const char *const mem_learn_states[];     /* open, verified, disproven; NULL at the end */
#define MEM_LEARN_TEXT_MAX 16384
#define MEM_LEARN_SAME     .92                   /* similarity (vectors.h), and */
#define MEM_LEARN_ALIKE    .7                    /* likeness (text.h) of what says the same */

struct mem_learn_new {
	struct mem_str ns, content;
	const char *category;
	const struct mem_id *sources;                /* nodes that it was learned from */
	size_t nsources;
};
/*
 * Queues it.  Where the namespace has a learning that says the same, of similarity MEM_LEARN_SAME and likeness MEM_LEARN_ALIKE, without an
 * encoder of the same folded text, that one is changed: importance +.03, confidence +.02, and it is active again if it was
 * archived.  `encoder` is of the store, opened at need; NULL: by the text alone.  Reasons of a refusal: empty, too_long, residue,
 * not_found (a source), namespace_denied.
 */
enum mem_status mem_learn_add(struct mem_write_run *r, struct mem_query_encoder *encoder, const struct mem_learn_new *what,
    struct mem_err *err) MEM_CHECKED;

/* ---- changing: learn_change.c --------------------------------------------- */

enum mem_learn_change {
	MEM_LEARN_VERIFY,           /* importance +.15, confidence +.1, state verified */
	MEM_LEARN_DISPROVE,         /* importance .05, confidence .1, state disproven */
	MEM_LEARN_REINFORCE,        /* importance +.05 */
	MEM_LEARN_POSITIVE,         /* it was used, and that helped, */
	MEM_LEARN_NEGATIVE,         /* or did not */
	MEM_LEARN_REPEAT,           /* it was learned once more: mem_learn_add */
};
/* Queues it, by an id or its beginning.  Reasons of a refusal: not_found, ambiguous, namespace_denied, bad_value (it is no learning),
 * state_conflict (it is not live). */
enum mem_status mem_learn_change_one(struct mem_write_run *r, struct mem_str id, enum mem_learn_change change, struct mem_err *err) MEM_CHECKED;
/* The same of an id that is known, with the category that it has then (NULL: it stays) and sources that are added to its own. */
void mem_learn_queue_change(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_id *id, enum mem_learn_change change,
    const char *category, const struct mem_id *sources, size_t nsources);

/* ---- value: learn_value.c ------------------------------------------------- */

#define MEM_LEARN_USES_LEAST 3
#define MEM_LEARN_UNKNOWN    .5
struct mem_learn_value {
	double importance;          /* what is left of it at the time */
	double confidence;
	int64_t positive, negative, uses;
	double effectiveness;       /* positive / uses, MEM_LEARN_UNKNOWN with fewer uses than MEM_LEARN_USES_LEAST */
	double effective;           /* with fewer than five uses the importance, else .3 importance + .7 (positive + 2) / (uses + 4), to four
	                             * decimals: the share of good outcomes as if two of four more had been good */
};
void mem_learn_value_read(struct mem_learn_value *out, const struct mem_rec *learning, int64_t now);

/* ---- the job: job_learn.c -------------------------------------------------- */

/*
 * In the namespaces that the principal may write: a learning of less importance than MEM_LEARN_FADED and older than MEM_LEARN_OLD is
 * archived.  One that is not disproven, of an effective importance of MEM_LEARN_SHARED and read twice, is copied: from an
 * agent's namespace to that of its team, if the principal is of one team alone, from there to global by an operator.  An edge
 * promoted_to leads to the copy, and with one nothing is copied again.  The setting learn.promote ends it before: off, team.
 * A copy of one that is disproven is disproven, too, unless somebody has changed the copy itself.
 */
#define MEM_LEARN_FADED  .1
#define MEM_LEARN_OLD    ((int64_t)30 * 24 * 3600 * 1000) /* ms */
#define MEM_LEARN_SHARED .7
#define MEM_LEARN_READS  2
extern const struct mem_job mem_job_learn;

#endif
