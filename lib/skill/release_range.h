/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of releases, as dependencies ask for them.
 *
 *	1.2        1.2.0, 1.2.7: the numbers that are given are the same; 1.x and 1.2.* say so, too
 *	^1.2       at least 1.2.0, below 2.0.0; ^0.2 is below 0.3.0, ^0.0.3 below 0.0.4, ^0 below 1.0.0
 *	~1.2       at least 1.2.0, below 1.3.0
 *	>=1.2 <2   both; also >, <, <=, =, and commas between; >1.2 begins with 1.3.0, <=1.2 ends before it
 *	1.2 - 1.5  at least 1.2.0, below 1.6.0
 *	^1 || ^3   either
 *
 * The signs are those of npm (docs.npmjs.com, semver), releases compare as mem_release_compare says.
 */
#ifndef MEM_SKILL_RELEASE_RANGE_H
#define MEM_SKILL_RELEASE_RANGE_H

#include "base/base.h"

enum mem_release_fit {
	MEM_RELEASE_OUTSIDE,
	MEM_RELEASE_WITHIN,
	MEM_RELEASE_UNKNOWN,        /* the range is none of the above */
};
/* A range that is empty holds all releases; one that is a word, as a release may be, holds the release of the same text. */
enum mem_release_fit mem_release_fits(struct mem_str release, struct mem_str range);

#endif
