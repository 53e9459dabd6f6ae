/* SPDX-License-Identifier: Apache-2.0 */
/* The words that tasks have in common. */
#include "skill/common_words.h"
#include "skill/mined_int.h"

#include <string.h>
#include <strings.h>

#include "base/order.h"

enum { WORD_LEAST = 3, TASKS_LEAST = 2 }; /* bytes of a word; tasks that have it */

/* Who asks for something greets, says please and thanks, and that it is wanted: that says nothing of what was done. */
static const char *const courtesies[] = {
	"please", "pls", "plz", "kindly", "thank", "thanks", "thx", "hello", "hey", "dear", "sorry", "want", "wants", "wanted", "need", "needs",
	"needed", "bitte", "danke", "hallo", "merci", "bonjour", "gracias", "hola", "prego", "grazie", "obrigado", "obrigada",
};

static bool
is_courtesy(struct mem_str word)
{
	for (size_t i = 0; i < MEM_COUNT(courtesies); i++)
		if (strlen(courtesies[i]) == word.n && strncasecmp(courtesies[i], word.p, word.n) == 0)
			return true;
	return false;
}

/* A common_word_fn. */
static bool
is_topic_word(const struct mem_term *t, struct mem_str word)
{
	if (t->stop || t->extra || t->text.n < WORD_LEAST || is_courtesy(word))
		return false;
	for (size_t i = 0; i < t->text.n; i++)
		if (t->text.p[i] >= '0' && t->text.p[i] <= '9')
			return false;
	return true;
}

static int
compare_word_orders(const void *a, const void *b)
{
	const struct common_word *x = a, *y = b;
	return x->order < y->order ? -1 : x->order > y->order;
}

void
mined_find_words(struct mined_sequence *m, struct mem_analyser *analyser, struct mem_arena *a)
{
	struct common_words w = { 0 };
	for (size_t i = 0; i < m->ntasks; i++)
		common_words_read(&w, analyser, m->tasks[i], m->task_times[i], is_topic_word, a);
	common_words_sort(&w);
	m->nwords = 0;
	while (m->nwords < MINED_WORDS && m->nwords < w.n && w.v[m->nwords].times >= TASKS_LEAST)
		m->nwords++;
	mem_sort(w.v, m->nwords, sizeof *w.v, compare_word_orders);
	for (size_t i = 0; i < m->nwords; i++)
		m->words[i] = w.v[i].text;
	common_words_release(&w);
}
