/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaps: what agents needed and no skill gave them.
 *
 *   queries     of the log that found nothing or were rejected; equal ones are one, which counts as often as it was asked
 *   failures    bad patterns of skills; one counts as often as it was observed
 *   learnings   of an importance, as it has faded, of at least MEM_GAP_IMPORTANCE, whose best skill is below MEM_GAP_SKILL
 *
 * A gap is a star of them: a centre, whose text is the topic, and all that have a similarity (vectors/vectors.h) of at least
 * MEM_GAP_SIMILARITY to it.  The centre is the one around which most count, and what is in its star is in no other (J. Aslam,
 * E. Pelekhov and D. Rus, "The Star Clustering Algorithm for Static and Dynamic Information Organization", Journal of Graph
 * Algorithms and Applications 8, 2004).  Stars that count less than MEM_GAP_LEAST are no gaps.
 *
 * Where the store has no vectors, or their model is not installed, the likeness of what is written (text/text.h) takes the place of
 * similarity, with MEM_GAP_LIKENESS for MEM_GAP_SIMILARITY.
 */
#ifndef MEM_GAPS_H
#define MEM_GAPS_H

#include "base/base.h"
#include "embed/embed.h"
#include "store/job.h"
#include "store/kind.h"

#define MEM_GAP_IMPORTANCE .7
#define MEM_GAP_SKILL      .5
#define MEM_GAP_SIMILARITY .7
#define MEM_GAP_LIKENESS   .5
#define MEM_GAP_LEAST      3
#define MEM_GAP_TIMES_MAX  1000000      /* that one failure counts */
#define MEM_GAP_LABELS     5
#define MEM_GAP_TOPIC_MAX  200          /* bytes */
#define MEM_GAP_QUERIES    2000         /* different ones that are looked at: the last ones */
#define MEM_GAP_ITEMS      4096         /* that are compared: the last ones */

struct mem_gap_member {
	enum mem_kind kind;         /* MEM_KIND_QUERY, MEM_KIND_BAD_PATTERN, MEM_KIND_LEARNING */
	struct mem_id id;           /* of equal queries the last one's */
	struct mem_str text;
	int64_t at, times;
	double near;                /* similarity or likeness to the topic */
};
struct mem_gap {
	struct mem_str topic;       /* the text of the first member, on one line */
	struct mem_gap_member *members; /* by `near`, then by id */
	size_t n;
	int64_t count;              /* the sum of their times */
	struct mem_str labels[MEM_GAP_LABELS]; /* words that most of them have */
	size_t nlabels;
	bool has_skill;             /* false: there is no live skill, or none that is like it at all */
	struct mem_id skill;        /* the one nearest to the topic */
	struct mem_str skill_name;
	double skill_near;
};
/* All is in the arena. */
struct mem_gaps {
	struct mem_gap *v;          /* by count, then by the topic's id */
	size_t n;
	uint64_t hashed;            /* queries without an answer whose text was not kept */
	uint64_t left_out;          /* of the limits above */
	bool by_words;
	struct mem_arena arena;
};
/* What the principal may read of the time from `since` on: when a query was asked, a failure last observed, a learning made.  The
 * encoder, of the store in question, is opened where there is something to compare.  Zero *out before; release it also after a failure. */
enum mem_status mem_gaps_find(struct mem_gaps *out, struct mem_query_encoder *encoder, int64_t since, struct mem_err *err) MEM_CHECKED;
void mem_gaps_release(struct mem_gaps *g);
/* Appends gap i as the record of mem-records(5). */
void mem_gap_put(struct mem_buf *out, const struct mem_gaps *g, size_t i);

/* Where the setting skills.gaps says draft: a proposal for each gap of which no proposal that has not expired has a member among its evidence. */
extern const struct mem_job mem_job_gaps;

#endif
