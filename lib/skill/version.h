/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version: the releases of a skill: which there are, which is active, and which of two does better.
 *
 * The skill's node holds the active release.  A release that was active has a node of its own (skill.h), which keeps its text and its
 * counts; while it is active again that node waits, and the skill's node counts.
 *
 * A comparison (ab.h) counts outcomes from its start on: in the field `ab`, `active` is the release that it began with, `active_from` and
 * `variant_from` the counts [successes, failures, partials] of then.  Half of the partial outcomes, rounded down, are successes and the
 * others failures.  The release with the higher share of successes wins if both have MEM_SKILL_AB_LEAST outcomes and Fisher's exact test
 * (fisher.h) gives p < MEM_SKILL_AB_P.
 */
#ifndef MEM_SKILL_VERSION_H
#define MEM_SKILL_VERSION_H

#include "base/base.h"
#include "skill/skill.h"
#include "skill/uses.h"
#include "store/store.h"
#include "write/run.h"

/* ---- reading: version_read.c ------------------------------------------------ */

/* ARENA, but for the skill's values, which BORROW from the snapshot. */
struct mem_skill_releases {
	struct mem_skill *v;        /* by number, as mem_release_compare has it; one of each */
	size_t n, active;           /* v[active] is the skill's own node */
};
/* Of the skill that an operand means, or whose release it means.  Fails as mem_skill_find. */
enum mem_status mem_skill_releases_read(struct mem_skill_releases *out, struct mem_txn *t, struct mem_str operand, struct mem_arena *a,
    struct mem_err *err) MEM_CHECKED;
/* The node beside the skill's that keeps this release.  MEM_NOTFOUND: there is none. */
enum mem_status mem_skill_release_find(struct mem_skill *out, struct mem_txn *t, const struct mem_skill *skill, struct mem_str release,
    struct mem_arena *a, struct mem_err *err) MEM_CHECKED;
/* *out: how often the skill was used, over all its releases: a release begins with none. */
enum mem_status mem_skill_uses_of_all(int64_t *out, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err) MEM_CHECKED;
const struct mem_skill *mem_skill_releases_find(const struct mem_skill_releases *l, struct mem_str release); /* NULL: none */
/*
 * The one that was active before, by its MEM_SKILL_ACTIVE_UNTIL: the version of the skill's node with which another one became active, of
 * those that were left by no rollback.  Where none has it, the next lower one that is no draft; NULL: none.
 */
#define MEM_SKILL_ACTIVE_UNTIL "active_until"
const struct mem_skill *mem_skill_releases_before(const struct mem_skill_releases *l);
/* Is it a field of the release, and not of the skill or of the node? */
bool mem_skill_is_release_field(struct mem_str name);

/* ---- comparing: version_compare.c --------------------------------------------- */

#define MEM_SKILL_AB_LEAST 20
#define MEM_SKILL_AB_P     .05

struct mem_skill_comparison {
	struct mem_str active, variant; /* releases; ARENA */
	double share;
	int64_t n[2][MEM_SKILL_OUTCOMES]; /* since it began: of the active release, of the variant */
	int64_t good[2], bad[2];
	int64_t missing[2];         /* outcomes that either still needs */
	double p;                   /* of the outcomes so far */
	int winner;                 /* 0, 1; -1: none yet */
};
/* Why there is no winner yet: "1.0.0 has 19 outcomes and 1.0.1 has 12, each needs 20; so far p = 0.3".  NULL: there is one.  ARENA. */
const char *mem_skill_comparison_reason(const struct mem_skill_comparison *c, struct mem_arena *a);
/* MEM_NOTFOUND: no comparison runs. */
enum mem_status mem_skill_compare(struct mem_skill_comparison *out, const struct mem_skill_releases *l, struct mem_arena *a, struct mem_err *err) MEM_CHECKED;

/* ---- changing: version_change.c ------------------------------------------------- */

enum mem_skill_change {
	MEM_SKILL_ACTIVATE,         /* `release` becomes the active one; a comparison ends */
	MEM_SKILL_ROLLBACK,         /* the one before the active one does */
	MEM_SKILL_AB_START,         /* `release` is compared with the active one */
	MEM_SKILL_AB_PROMOTE,       /* the winner becomes, or stays, the active one, and the comparison ends */
	MEM_SKILL_AB_STOP,
};
struct mem_skill_version_change {
	struct mem_str skill;       /* as mem_skill_find has it */
	enum mem_skill_change change;
	struct mem_str release;
	double share;               /* of sessions that draw the variant; clamped to [MEM_SKILL_AB_SHARE_MIN, MEM_SKILL_AB_SHARE_MAX] */
};
/*
 * One input, which is written when it returns.  Reasons of a refusal: not_found (the skill, the release, a comparison), ambiguous,
 * namespace_denied, state_conflict (the release is the active one; there is no winner yet, and the receipt's
 * `advice` says why; a comparison runs, and it says how that ends).
 */
enum mem_status mem_skill_version_change(struct mem_write_run *r, const struct mem_skill_version_change *q, struct mem_err *err) MEM_CHECKED;

#endif
