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
 * They mean what they mean to npm (docs.npmjs.com/cli/configuring-npm/package-json#dependencies, node-semver).  So a prerelease is
 * in a range only if one of the conditions that it fulfils together names a prerelease of the same three numbers: 1.2.4-rc.2 is in
 * ^1.2.4-rc.1, and neither in ^1.2.3 nor in *.  npm refuses what is lenient here: commas, leading zeros, "V1".
 */
#ifndef MEM_SKILL_RELEASE_RANGE_H
#define MEM_SKILL_RELEASE_RANGE_H

#include "base/base.h"

enum mem_release_fit {
	MEM_RELEASE_OUTSIDE,
	MEM_RELEASE_WITHIN,
	MEM_RELEASE_UNKNOWN,        /* the range is none of the above */
};
/* A range that is empty holds all releases, but no prerelease.  A release is in the range of the same text, also if both are words;
 * a word that is another ("latest", "next") is unknown, and a release that is a word is in no range of numbers. */
enum mem_release_fit mem_release_fits(struct mem_str release, struct mem_str range);

#endif
