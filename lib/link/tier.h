/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiers: sets of names that occur together in the sessions of several owners become known to all.
 *
 *   user           tags and entities in the sessions of their owners
 *   transitional   a set of two to four of them that at least three owners have (mine_store.h) is a pattern: a tag of type pattern,
 *                  which waits in namespace system, where operators alone see it
 *   universe       once it was found in seven nights, or a review has approved it, it stands in global
 *
 * A pattern has `items`; `count`, in how many sessions they occur together; `owners`, how many owners have them, who are
 * named nowhere; in system `nights`, on how many days a run found it, `seen_at`, and its `state`:
 *
 *	waiting    one that a run does not find is removed, and begins anew when it is found again
 *	approved   by a review: the next run shares it
 *	shared     edge promoted_to leads to the pattern in global
 *	held       taken back, or rejected: it stays where it is until a review approves it
 *
 * All numbers are settings, mine.* and tier.*.  Two runs on one day (UTC) are one night.  Only operators run it, and
 * their runs look at the sessions of all owners: what leaves is counts, and names that several owners have.
 */
#ifndef MEM_TIER_H
#define MEM_TIER_H

#include "base/base.h"
#include "store/job.h"
#include "write/review.h"
#include "write/run.h"

/* Of each pattern whose state or numbers are worked out one input of the run, whose receipt has its name, items, count, owners, nights and
 * state besides.  The writer has `keeps`.  MEM_DENIED: the principal is no operator. */
enum mem_status mem_tier_mine(struct mem_write_run *r, struct mem_err *err) MEM_CHECKED;  /* user to transitional */
enum mem_status mem_tier_share(struct mem_write_run *r, struct mem_err *err) MEM_CHECKED; /* transitional to universe */
/* A review for each pattern that waits; one that was asked about before is a duplicate. */
enum mem_status mem_tier_ask(struct mem_write_run *r, struct mem_err *err) MEM_CHECKED;
/* Takes a pattern back from global: it is retired there, and held.  `pattern`: its name, else as mem_link_end_find has it.  Reasons of a
 * refusal: not_found, ambiguous, bad_value (it is no pattern), state_conflict (it is not shared). */
enum mem_status mem_tier_undo(struct mem_write_run *r, struct mem_str pattern, struct mem_err *err) MEM_CHECKED;

extern const struct mem_job mem_job_mining, mem_job_tiers;
extern const struct mem_review_effect mem_review_effect_tier;

#endif
