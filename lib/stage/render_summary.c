/* SPDX-License-Identifier: Apache-2.0 */
/* The line before a block: how much of what was found is shown, and how it was found.  It stands outside the fence, so only
 * words that memkit knows get into it. */
#include "query/class.h"
#include "stage/render_int.h"

static const char *const modes[] = { "keyword", "vector", "hybrid", NULL };
static const char *const grades[] = { "correct", "ambiguous", "incorrect", NULL };
static const struct {
	const char *field;
	const char *const *words;
} facts[RENDER_FACTS] = { { "class", mem_class_names }, { "mode", modes }, { "grade", grades } };

void
render_note_hit(struct renderer *r)
{
	if (mem_rec_value(&r->rec, "end").type == MEM_JSON_TRUE)
		return;
	for (size_t i = 0; i < RENDER_FACTS; i++) {
		size_t at;
		const char *word = mem_json_among(mem_rec_value(&r->rec, facts[i].field), facts[i].words, &at) ? facts[i].words[at] : NULL;
		r->differs[i] |= r->considered > 0 && word != r->fact[i];
		r->fact[i] = word;
	}
	r->considered++;
}

void
render_put_summary(const struct renderer *r, struct mem_buf *out, size_t shown)
{
	if (!r->opts.summary || r->considered == 0)
		return;
	mem_buf_printf(out, "(%zu of %zu memories shown", shown, r->considered);
	for (size_t i = 0; i < RENDER_FACTS; i++)
		if (r->fact[i] != NULL && !r->differs[i])
			mem_buf_printf(out, "; %s %s", facts[i].field, r->fact[i]);
	mem_buf_puts(out, ")\n");
}
