/* SPDX-License-Identifier: Apache-2.0 */
/* What may be meant by a category of which there is no skill. */
#ifndef MEM_SKILL_HINT_H
#define MEM_SKILL_HINT_H

#include "cli/cli.h"
#include "skill/categories.h"
#include "skill/skill.h"

static inline void
hint_at_categories(const struct mem_words *words)
{
	struct mem_arena a = { 0 };
	for (size_t i = 0; i < words->n; i++) {
		const char *meant = mem_skill_category_hint(mem_skill_category(&a, mem_str(words->v[i])));
		if (meant != NULL)
			mem_warn("--category: no skill of '%s'; do you mean %s?", words->v[i], meant);
	}
	mem_arena_release(&a);
}

#endif
