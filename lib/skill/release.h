/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release: the numbers of releases, as Semantic Versioning 2.0.0 (semver.org) orders and raises them.
 *
 *	major          1.2.3 → 2.0.0
 *	minor          1.2.3 → 1.3.0
 *	patch, hotfix  1.2.3 → 1.2.4, 1.2.4-experimental.2 → 1.2.4
 *	experimental   1.2.3 → 1.2.4-experimental.1 → 1.2.4-experimental.2, 1.2.4-rc.1 → 1.2.5-experimental.1
 *
 * "v1.2" counts as 1.2.0, and what stands behind the three numbers is left out.  A release that is no number ("draft-b") has the next
 * one behind a point ("draft-b.1", "draft-b.2"), whatever the change.
 */
#ifndef MEM_SKILL_RELEASE_H
#define MEM_SKILL_RELEASE_H

#include "base/base.h"

#define MEM_RELEASE_FIRST "1.0.0"
#define MEM_RELEASE_MAX   64           /* bytes of a release */

enum mem_release_change {
	MEM_RELEASE_MAJOR,
	MEM_RELEASE_MINOR,
	MEM_RELEASE_PATCH,
	MEM_RELEASE_HOTFIX,
	MEM_RELEASE_EXPERIMENTAL,
};
extern const char *const mem_release_changes[]; /* their words; NULL at the end */

/* A release that is a number. */
struct mem_release_number {
	int64_t part[3];
	struct mem_str pre;         /* what stands behind "-"; borrows the text */
};

/* false: the text is no such number. */
bool mem_release_read(struct mem_release_number *out, struct mem_str s);
/* Below 0, 0, above 0, by the precedence of semver.org. */
int mem_release_compare_numbers(const struct mem_release_number *x, const struct mem_release_number *y);

/* The release after `now`, which may be empty: then it is the first.  ARENA. */
struct mem_str mem_release_next(struct mem_arena *a, struct mem_str now, enum mem_release_change change);
/* Below 0, 0, above 0: x comes before, is, comes after y.  By the precedence of semver.org; releases that are no numbers
 * come first, and among themselves as the parts behind "-" do. */
int mem_release_compare(struct mem_str x, struct mem_str y);

#endif
