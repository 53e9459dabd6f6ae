/* SPDX-License-Identifier: Apache-2.0 */
/* The categories of skills. */
#include "skill/categories.h"

#include "text/text.h"

/* What software agents do, from writing code to running it. */
const char *const mem_skill_categories[] = { "code_generation", "code_review", "testing", "debugging", "deployment", "documentation",
	MEM_SKILL_CATEGORY_DEFAULT, "communication", "planning", "research", "data_processing", "security", "monitoring", "optimization",
	"integration", "automation", "design", "architecture", "project_management", "devops", "operations", NULL };

const char *
mem_skill_category_hint(struct mem_str category)
{
	const char *best = NULL;
	double most = MEM_SKILL_CATEGORY_LIKE;
	for (const char *const *c = mem_skill_categories; *c != NULL; c++) {
		if (mem_str_is(category, *c))
			return NULL;
		double like = mem_text_likeness(category, mem_str(*c));
		if (like >= most && (best == NULL || like > most)) {
			best = *c;
			most = like;
		}
	}
	return best;
}
