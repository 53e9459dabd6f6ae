/* SPDX-License-Identifier: Apache-2.0 */
/* For which of its fields a claim is residue. */
#include "belief/claim_residue.h"

#include <string.h>

/* Is the path that of this top-level field, or of a part of it? */
static bool
is_path_of(struct mem_str path, const char *field)
{
	size_t n = strlen(field);
	return path.n >= n && memcmp(path.p, field, n) == 0 && (path.n == n || path.p[n] == '.');
}

static bool
has_finding(const struct mem_finding_list *found, const char *field)
{
	bool any = false;
	for (size_t i = 0; i < found->nredactions && !any; i++)
		any = is_path_of(found->redactions[i].field, field);
	for (size_t i = 0; i < found->nflags && !any; i++)
		any = is_path_of(found->flags[i].field, field);
	return any;
}

static bool
is_text_residue(struct mem_arena *a, const struct mem_rec *came, const struct mem_rec *cleaned, const char *field)
{
	struct mem_str before = mem_json_text(a, mem_rec_value(came, field)), after = mem_json_text(a, mem_rec_value(cleaned, field));
	return before.p != NULL && !mem_str_eq(before, after) && mem_clean_residue(before, after);
}

const char *
claim_residue_field(struct mem_arena *a, const struct mem_rec *came, const struct mem_rec *cleaned, const struct mem_finding_list *found)
{
	static const char *const names[] = { "subject", "object", "was" }, *const texts[] = { "statement", "detail", "domain", "topic" };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (has_finding(found, names[i]))
			return names[i];
	for (size_t i = 0; i < MEM_COUNT(texts) && mem_flags_cut(found->flags, found->nflags); i++)
		if (is_text_residue(a, came, cleaned, texts[i]))
			return texts[i];
	return NULL;
}
