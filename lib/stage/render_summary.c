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

static const char *
find_summary_word(struct mem_json v, const char *const *words)
{
	size_t at;
	return mem_json_among(v, words, &at) ? words[at] : NULL;
}

/* A set of hits has one grade, that of its best; each hit's own stands beside it. */
static const char *
read_summary_fact(const struct mem_rec *rec, size_t i)
{
	struct mem_json signal = mem_json_member(mem_rec_value(rec, "signals"), facts[i].field);
	const char *of_set = find_summary_word(mem_json_member(signal, "query"), facts[i].words);
	return of_set != NULL ? of_set : find_summary_word(mem_rec_value(rec, facts[i].field), facts[i].words);
}

void
render_note_hit(struct renderer *r)
{
	if (mem_rec_value(&r->rec, "end").type == MEM_JSON_TRUE)
		return;
	for (size_t i = 0; i < RENDER_FACTS; i++) {
		const char *word = read_summary_fact(&r->rec, i);
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
