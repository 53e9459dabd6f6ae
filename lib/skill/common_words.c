/* SPDX-License-Identifier: Apache-2.0 */
/* The words that texts have in common, by their stems. */
#include "skill/common_words.h"

#include <stdlib.h>

#include "base/order.h"

static void
count_common_word(struct common_words *w, const struct mem_term *term, struct mem_str text, size_t times, struct mem_arena *a)
{
	bool made;
	const struct mem_text_entry *e = mem_text_map_put(&w->stems, term->text, w->n, &made);
	if (made) {
		w->v = mem_grow(w->v, &w->cap, w->n + 1, sizeof *w->v);
		w->v[w->n] = (struct common_word){ .text = mem_text_folded(a, (struct mem_str){ text.p + term->start, term->end - term->start }), .order = w->n };
		w->n++;
	}
	struct common_word *word = &w->v[e->value];
	word->times += word->last != w->texts ? times : 0;
	word->last = w->texts;
}

void
common_words_read(struct common_words *w, struct mem_analyser *analyser, struct mem_str text, size_t times, common_word_fn *counts,
    struct mem_arena *a)
{
	const struct mem_term *terms;
	size_t n;
	w->texts++;
	mem_analyse(analyser, text, &terms, &n);
	for (size_t i = 0; i < n; i++)
		if (counts(&terms[i], (struct mem_str){ text.p + terms[i].start, terms[i].end - terms[i].start }))
			count_common_word(w, &terms[i], text, times, a);
}

static int
compare_common_words(const void *a, const void *b)
{
	const struct common_word *x = a, *y = b;
	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void
common_words_sort(struct common_words *w)
{
	mem_sort(w->v, w->n, sizeof *w->v, compare_common_words);
}

void
common_words_release(struct common_words *w)
{
	mem_text_map_release(&w->stems);
	free(w->v);
}
