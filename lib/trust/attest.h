/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attest: facts of a team that enough of its agents vouch for, and their way to all; edits of core blocks that another agent has to
 * vouch for.
 *
 *   attesting   an edge attested_by from the fact or block to the agent
 *   weighing    how many vouch, and how likely the fact is by that
 *   promoting   a copy in global, and a record of it
 */
#ifndef MEM_ATTEST_H
#define MEM_ATTEST_H

#include "base/base.h"
#include "store/job.h"
#include "store/store.h"
#include "write/run.h"

/* ---- attesting: attest.c ---------------------------------------------------- */

struct mem_attestation {
	struct mem_str signature;   /* 128 hexadecimal digits; empty: none */
	int64_t at;                 /* when it was signed */
};
/*
 * The principal vouches for a fact, which it may write to.  The agent gets a node in the fact's namespace where it has none.  Again it is
 * unchanged.  Reasons of a refusal: not_found, ambiguous, namespace_denied, bad_value (it is no fact), state_conflict (it is
 * not live), bad_signature, clock_skew.  Audited as attest.
 */
enum mem_status mem_attest_fact(struct mem_write_run *r, struct mem_str id, const struct mem_attestation *a, struct mem_err *err) MEM_CHECKED;
/*
 * The principal vouches for giving a core block the text of which `hash` is the SHA-256 (64 hexadecimal digits, small letters), in place of
 * the one that it has now: the edge keeps both hashes, and those of an earlier edit go.  Reasons and audit as above.
 */
enum mem_status mem_attest_edit(struct mem_write_run *r, struct mem_str id, struct mem_str hash, const struct mem_attestation *a,
    struct mem_err *err) MEM_CHECKED;
/* How reliable an agent is, from 0 to 1: of operators.  Audited as reliability_update. */
enum mem_status mem_attest_set_reliability(struct mem_write_run *r, struct mem_str agent, double reliability, struct mem_err *err) MEM_CHECKED;

/* ---- weighing: attest_weight.c ------------------------------------------------ */

/* (1 + Σ r) / (2 + k) of the k agents that vouch, each with its reliability r, .5 where none is known: the mean of a beta distribution
 * whose prior is 1, 1.  Of three perfect ones it is .8. */
struct mem_attest_weight {
	int64_t k;
	double posterior;           /* six decimals */
	int64_t newest;             /* when the last of them vouched first; MEM_TIME_NONE: nobody does */
};
enum mem_status mem_attest_weigh(struct mem_txn *t, uint32_t fact, struct mem_attest_weight *out, struct mem_err *err) MEM_CHECKED;

/* ---- promoting: promote.c ------------------------------------------------------ */

/*
 * Runs the gate for a fact of a team's: it passes if it is live and true now, at least attest.k agents vouch for it and the posterior is at
 * least attest.threshold.  Then global gets a copy, to which an edge promoted_to leads; one that was promoted and fails now, or
 * that is to be demoted, has its copy quarantined, with an edge demoted_from back.  What was demoted so does not pass before another
 * agent vouches for it.  The record of it is a node of kind promotion.
 * Its receipt has reasons not_found, ambiguous, bad_value (no fact of a team's).  MEM_DENIED: the principal is no operator.
 */
enum mem_status mem_promote_fact(struct mem_write_run *r, struct mem_str id, bool demote, struct mem_err *err) MEM_CHECKED;
/* All facts that the principal may read and for which somebody vouches, or that were promoted. */
enum mem_status mem_promote_all(struct mem_write_run *r, struct mem_err *err) MEM_CHECKED;
extern const struct mem_job mem_job_promote; /* job_promote.c */

#endif
