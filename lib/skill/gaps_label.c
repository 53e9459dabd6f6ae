/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a gap: those that most of its members have. */
#include "skill/common_words.h"
#include "skill/gaps_int.h"

enum { MEMBERS_READ = 100, TERM_LEAST = 2 }; /* members that are nearest to the topic; bytes of a word */

/* A common_word_fn. */
static bool
is_label_word(const struct mem_term *t, struct mem_str word)
{
	(void)word;
	return !t->stop && !t->extra && t->text.n >= TERM_LEAST;
}

enum mem_status
gap_label(struct mem_gap *gap, struct mem_arena *a, struct mem_err *err)
{
	struct mem_analyser *analyser = NULL;
	struct common_words w = { 0 };
	enum mem_status st = mem_analyser_open(&analyser, "auto", err);
	for (size_t i = 0; i < gap->n && i < MEMBERS_READ && st == MEM_OK; i++)
		common_words_read(&w, analyser, gap->members[i].text, 1, is_label_word, a);
	common_words_sort(&w);
	for (; gap->nlabels < w.n && gap->nlabels < MEM_GAP_LABELS; gap->nlabels++)
		gap->labels[gap->nlabels] = w.v[gap->nlabels].text;
	common_words_release(&w);
	mem_analyser_close(analyser);
	return st;
}
