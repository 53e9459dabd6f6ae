/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uses: what came of using a skill, as its node counts it, and what follows from the counts.
 *
 *   posterior       Beta(1 + s + p/2, 1 + f + p/2) of s successes, f failures, p partial successes, from the uniform prior
 *                   (A. Gelman et al., Bayesian Data Analysis, 3rd ed., 2.1)
 *   success rate    (s + p/2) / (s + f + p)
 *   effectiveness   from MEM_SKILL_USES_LEAST outcomes on: .3 confidence + .5 success rate + .2 mean effectiveness of the learnings about
 *                   the skill (struct mem_learn_value), to four decimals
 *   rest            from MEM_SKILL_REST_DAYS after the last use on, effectiveness falls by MEM_SKILL_REST_STEP with each week that begins,
 *                   down to 0; a skill that was never used does not rest.  The next use ends it
 *   trend           the success rate of the last 7 days against that of the 7 days before, today the last day; .5 for days without an outcome
 *
 * Fields of the node: uses, successes, failures, partials, latencies (how many were measured), latency_total_us (their
 * sum), latency_ms (the mean), last_used, alpha, beta,
 * effectiveness, effectiveness_base (while it rests: what effectiveness was before, null: it was not known), and days [{d: "2026-11-29", s, f, p}], the days of the last 60 that had an outcome, by date.
 */
#ifndef MEM_SKILL_USES_H
#define MEM_SKILL_USES_H

#include "base/base.h"
#include "clean/clean_text.h"
#include "record/record.h"

enum mem_skill_outcome {
	MEM_SKILL_SUCCESS,
	MEM_SKILL_FAILURE,
	MEM_SKILL_PARTIAL,
	MEM_SKILL_OUTCOMES,
};
extern const char *const mem_skill_outcomes[]; /* their words; NULL at the end */
extern const char *const mem_skill_counters[MEM_SKILL_OUTCOMES]; /* the fields that count them */

#define MEM_SKILL_DAYS          60
#define MEM_SKILL_USES_LEAST    5
#define MEM_SKILL_UNKNOWN       .5    /* confidence, rate or effectiveness that nobody knows */
#define MEM_SKILL_TREND_LEAST   .05   /* a smaller difference is none */
#define MEM_SKILL_COUNT_MAX     ((int64_t)1000000000)

struct mem_skill_day {
	int32_t day;                /* days since 1970 */
	int64_t n[MEM_SKILL_OUTCOMES];
};
struct mem_skill_uses {
	int64_t n[MEM_SKILL_OUTCOMES];
	int64_t latencies;
	int64_t latency_us;         /* the sum: a mean that is kept would be rounded with each outcome */
	int64_t last_used;          /* MEM_TIME_NONE: never */
	struct mem_skill_day days[MEM_SKILL_DAYS]; /* by date */
	size_t ndays;
};

/* As the node's record has it; what is no number of outcomes counts as 0, what is no day is left out. */
void mem_skill_uses_read(struct mem_skill_uses *out, struct mem_json node);
/* One more outcome; latency_ms below 0: none was measured; it counts to the microsecond.  Days that are 60 or more before the newest are dropped; an outcome of such
 * a day counts in the sums alone. */
void mem_skill_uses_add(struct mem_skill_uses *u, enum mem_skill_outcome outcome, int64_t at, double latency_ms);

int64_t mem_skill_uses_sum(const struct mem_skill_uses *u);
double mem_skill_uses_alpha(const struct mem_skill_uses *u);
double mem_skill_uses_beta(const struct mem_skill_uses *u);
double mem_skill_uses_latency(const struct mem_skill_uses *u);   /* the mean, ms; NAN without one */
double mem_skill_success_rate(const struct mem_skill_uses *u); /* MEM_SKILL_UNKNOWN without outcomes */
/* False: there are fewer than MEM_SKILL_USES_LEAST outcomes, and *out stays. */
bool mem_skill_effectiveness(const struct mem_skill_uses *u, double confidence, double learnings, double *out);

#define MEM_SKILL_REST_DAYS     30
#define MEM_SKILL_REST_STEP     .05
#define MEM_SKILL_BASE          "effectiveness_base"
/* The effectiveness without what it lost by resting; false: it is not known, and *out is MEM_SKILL_UNKNOWN. */
bool mem_skill_base_read(struct mem_json node, double *out);
double mem_skill_rest_loss(int64_t last_used, int64_t now); /* 0: it does not rest */
double mem_skill_rested(double base, int64_t last_used, int64_t now);
/* The fields of a node that was at rest and is used now: effectiveness as it was, and no base.  How many there are; ARENA. */
#define MEM_SKILL_WAKE_FIELDS 2
size_t mem_skill_wake_fields(struct mem_json node, struct mem_arena *a, struct mem_clean_field out[MEM_SKILL_WAKE_FIELDS]);

/* The difference of the two rates, to four decimals. */
double mem_skill_trend(const struct mem_skill_uses *u, int64_t now);
const char *mem_skill_trend_word(double trend); /* improving, declining, stable */

#define MEM_SKILL_USES_FIELDS 11
/* The fields above, but effectiveness.  ARENA; out holds MEM_SKILL_USES_FIELDS of them. */
void mem_skill_uses_fields(const struct mem_skill_uses *u, struct mem_arena *a, struct mem_clean_field out[MEM_SKILL_USES_FIELDS]);

#endif
