/* SPDX-License-Identifier: Apache-2.0 */
/* The words that tasks have in common. */
#include <stdlib.h>

#include "base/text_map.h"
#include "skill/mined_int.h"

enum { WORD_LEAST = 3, TASKS_LEAST = 2 }; /* bytes of a word; tasks that have it */

struct task_word {
	struct mem_str text;        /* folded, as it came first */
	size_t tasks, last;         /* how many have it; 1 + the last one */
	size_t order;
};

static bool
is_topic_word(const struct mem_term *t)
{
	if (t->stop || t->extra || t->text.n < WORD_LEAST)
		return false;
	for (size_t i = 0; i < t->text.n; i++)
		if (t->text.p[i] >= '0' && t->text.p[i] <= '9')
			return false;
	return true;
}

static int
compare_task_words(const void *a, const void *b)
{
	const struct task_word *x = a, *y = b;
	if (x->tasks != y->tasks)
		return x->tasks > y->tasks ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int
compare_word_orders(const void *a, const void *b)
{
	const struct task_word *x = a, *y = b;
	return x->order < y->order ? -1 : x->order > y->order;
}

struct word_count {
	struct mem_text_map stems;
	struct task_word *v;        /* OWNS */
	size_t n, cap;
};

static void
count_task_word(struct word_count *c, const struct mem_term *term, const struct mined_sequence *m, size_t task, struct mem_arena *a)
{
	bool made;
	const struct mem_text_entry *e = mem_text_map_put(&c->stems, term->text, c->n, &made);
	if (made) {
		c->v = mem_grow(c->v, &c->cap, c->n + 1, sizeof *c->v);
		c->v[c->n] = (struct task_word){ .text = mem_text_folded(a, (struct mem_str){ m->tasks[task].p + term->start, term->end - term->start }), .order = c->n };
		c->n++;
	}
	struct task_word *w = &c->v[e->value];
	w->tasks += w->last != task + 1 ? m->task_times[task] : 0;
	w->last = task + 1;
}

void
mined_find_words(struct mined_sequence *m, struct mem_analyser *analyser, struct mem_arena *a)
{
	struct word_count c = { 0 };
	for (size_t i = 0; i < m->ntasks; i++) {
		const struct mem_term *terms;
		size_t n;
		mem_analyse(analyser, m->tasks[i], &terms, &n);
		for (size_t k = 0; k < n; k++)
			if (is_topic_word(&terms[k]))
				count_task_word(&c, &terms[k], m, i, a);
	}
	if (c.n > 1)
		qsort(c.v, c.n, sizeof *c.v, compare_task_words);
	m->nwords = 0;
	while (m->nwords < MINED_WORDS && m->nwords < c.n && c.v[m->nwords].tasks >= TASKS_LEAST)
		m->nwords++;
	if (m->nwords > 1)
		qsort(c.v, m->nwords, sizeof *c.v, compare_word_orders);
	for (size_t i = 0; i < m->nwords; i++)
		m->words[i] = c.v[i].text;
	mem_text_map_release(&c.stems);
	free(c.v);
}
