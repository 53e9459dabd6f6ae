/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories of skills that memkit knows.  The list is open: a skill may have any category (mem_skill_category); these are completed on
 * the command line, and a word that is like one of them is hinted at.
 */
#ifndef MEM_SKILL_CATEGORIES_H
#define MEM_SKILL_CATEGORIES_H

#include "base/base.h"

extern const char *const mem_skill_categories[]; /* NULL at the end */
#define MEM_SKILL_CATEGORY_DEFAULT "analysis"    /* of a proposal about which nothing is known */
#define MEM_SKILL_CATEGORY_LIKE    .5            /* likeness (text/text.h) of a word and the category that it may be meant for */

/* The category that an unknown one may be meant for, the one that is most like it.  NULL: it is known, or like none. */
const char *mem_skill_category_hint(struct mem_str category);

#endif
