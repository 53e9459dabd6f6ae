/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims out of texts, by rules alone: the same text and rules always give the same claims.
 *
 * Nothing is taken from questions, hypotheses, commands, code and words in quotation marks.  A negated sentence never gives
 * what it denies.  A hedge, and that somebody else said it, lower the confidence by MEM_HEDGE_FACTOR; the veracity
 * is then inferred.
 */
#ifndef MEM_EXTRACT_H
#define MEM_EXTRACT_H

#include "base/base.h"
#include "belief/claim.h"
#include "belief/rules.h"
#include "store/kind.h"

#define MEM_HEDGE_FACTOR .6

struct mem_extract_source {
	struct mem_str content;          /* valid UTF-8 */
	struct mem_str speaker, listener; /* names; empty: not known */
	struct mem_str session_id;
	enum mem_role role;
	int64_t captured_at;             /* that dates are seen from; MEM_TIME_NONE: dates without a year mean nothing */
};
/*
 * Appends the claims in order of their places.  out->arena must be set.  The time is proportional to the length of the content for
 * each rule, since each has a budget of steps for one content; out->over_budget counts rules that used it up.
 */
enum mem_status mem_extract(struct mem_claim_list *out, const struct mem_belief_rules *rules, const struct mem_extract_source *s,
    struct mem_err *err) MEM_CHECKED;

#endif
