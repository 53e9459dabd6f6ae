/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a gap: those that most of its members have. */
#include "skill/gaps_int.h"

#include <stdlib.h>

#include "text/text.h"

enum { MEMBERS_READ = 100, TERM_LEAST = 2 }; /* members that are nearest to the topic; bytes of a word */

struct label_word {
	struct mem_str term, word;  /* the stem, and how it is written where it comes first */
	size_t members, last, first; /* how many have it, the last one that was counted, and its place */
};
struct label_words {
	struct label_word *v;
	size_t n, cap;
	struct mem_arena *a;
};

static struct label_word *
find_label_word(struct label_words *l, const struct mem_term *term, struct mem_str text)
{
	for (size_t i = 0; i < l->n; i++)
		if (mem_str_eq(l->v[i].term, term->text))
			return &l->v[i];
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	struct mem_str written = { text.p + term->start, term->end - term->start };
	l->v[l->n] = (struct label_word){ mem_arena_str(l->a, term->text), mem_text_folded(l->a, written), 0, SIZE_MAX, l->n };
	return &l->v[l->n++];
}

static void
count_label_words(struct label_words *l, struct mem_analyser *analyser, struct mem_str text, size_t member)
{
	const struct mem_term *terms;
	size_t n;
	mem_analyse(analyser, text, &terms, &n);
	for (size_t i = 0; i < n; i++) {
		if (terms[i].stop || terms[i].extra || terms[i].text.n < TERM_LEAST)
			continue;
		struct label_word *w = find_label_word(l, &terms[i], text);
		w->members += w->last != member;
		w->last = member;
	}
}

static int
compare_label_words(const void *a, const void *b)
{
	const struct label_word *x = a, *y = b;
	if (x->members != y->members)
		return x->members > y->members ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

enum mem_status
gap_label(struct mem_gap *gap, struct mem_arena *a, struct mem_err *err)
{
	struct mem_analyser *analyser = NULL;
	struct label_words l = { .a = a };
	enum mem_status st = mem_analyser_open(&analyser, "auto", err);
	for (size_t i = 0; i < gap->n && i < MEMBERS_READ && st == MEM_OK; i++)
		count_label_words(&l, analyser, gap->members[i].text, i);
	if (l.n > 1)
		qsort(l.v, l.n, sizeof *l.v, compare_label_words);
	for (; gap->nlabels < l.n && gap->nlabels < MEM_GAP_LABELS; gap->nlabels++)
		gap->labels[gap->nlabels] = l.v[gap->nlabels].word;
	free(l.v);
	mem_analyser_close(analyser);
	return st;
}
