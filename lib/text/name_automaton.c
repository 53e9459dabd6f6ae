/* SPDX-License-Identifier: Apache-2.0 */
/* The automaton of names: their words, last one first. */
#include "text/name_words_int.h"

#include <stdlib.h>
#include <string.h>

struct name_state {
	uint32_t parent, word;  /* the way to it */
	uint32_t fail;          /* the state of the longest way that ends this one */
	uint32_t best;          /* this state, or the next one by `fail`, at which a name ends; 0: none */
	uint32_t depth;
	uint32_t name;          /* that ends here; MEM_NAME_NONE: none */
};
struct name_step {
	uint32_t state, word, to; /* to 0: a free place */
};
struct mem_names {
	struct name_lexicon *lexicon;
	struct name_state *states; /* 0: the root */
	size_t nstates, states_cap;
	struct name_step *steps; /* a power of two, at most half full */
	size_t steps_size;
	uint32_t nnames;
	bool built;
	struct name_words words;
	struct mem_name_hit *hits;
	size_t nhits, hits_cap;
	uint32_t *at;           /* of each word of a text: `best` of what begins with it */
	size_t at_cap;
};

struct mem_names *
mem_names_new(void)
{
	struct mem_names *n = mem_xcalloc(1, sizeof *n);
	n->lexicon = name_lexicon_new();
	n->states = mem_grow(NULL, &n->states_cap, 1, sizeof *n->states);
	n->states[n->nstates++] = (struct name_state){ .name = MEM_NAME_NONE };
	n->steps_size = 64;
	n->steps = mem_xcalloc(n->steps_size, sizeof *n->steps);
	return n;
}

void
mem_names_free(struct mem_names *n)
{
	if (n == NULL)
		return;
	name_lexicon_free(n->lexicon);
	free(n->states);
	free(n->steps);
	free(n->words.v);
	free(n->hits);
	free(n->at);
	free(n);
}

/* ---- steps ---------------------------------------------------------------- */

static struct name_step *
find_name_step(struct name_step *steps, size_t size, uint32_t state, uint32_t word)
{
	/* Fibonacci hashing: numbers that follow each other are spread by the golden ratio. */
	uint64_t h = ((uint64_t)state << 32 | word) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32) & (size - 1);
	while (steps[i].to != 0 && (steps[i].state != state || steps[i].word != word))
		i = (i + 1) & (size - 1);
	return &steps[i];
}

static void
grow_name_steps(struct mem_names *n)
{
	size_t size = n->steps_size * 2;
	struct name_step *steps = mem_xcalloc(size, sizeof *steps);
	for (size_t i = 0; i < n->steps_size; i++)
		if (n->steps[i].to != 0)
			*find_name_step(steps, size, n->steps[i].state, n->steps[i].word) = n->steps[i];
	free(n->steps);
	n->steps = steps;
	n->steps_size = size;
}

static uint32_t
go_or_add_step(struct mem_names *n, uint32_t state, uint32_t word)
{
	struct name_step *s = find_name_step(n->steps, n->steps_size, state, word);
	if (s->to != 0)
		return s->to;
	uint32_t to = (uint32_t)n->nstates;
	*s = (struct name_step){ state, word, to };
	n->states = mem_grow(n->states, &n->states_cap, n->nstates + 1, sizeof *n->states);
	n->states[n->nstates++] = (struct name_state){
		.parent = state, .word = word, .depth = n->states[state].depth + 1, .name = MEM_NAME_NONE
	};
	if (n->nstates * 2 > n->steps_size)
		grow_name_steps(n);
	return to;
}

uint32_t
mem_names_add(struct mem_names *n, struct mem_str name)
{
	bool letters = false;
	uint32_t state = 0;
	name_words_read(n->lexicon, &n->words, name, true);
	for (size_t i = n->words.n; i-- > 0;) {
		const struct name_word *w = &n->words.v[i];
		letters |= w->letters && w->number != 0;
		if (w->number != 0)
			state = go_or_add_step(n, state, w->number);
	}
	if (!letters)
		return MEM_NAME_NONE;
	n->built = false;
	if (n->states[state].name == MEM_NAME_NONE)
		n->states[state].name = n->nnames++;
	return n->states[state].name;
}

/* ---- the automaton ------------------------------------------------------------ */

static uint32_t
follow_name_word(const struct mem_names *n, uint32_t state, uint32_t word)
{
	if (word == 0)
		return 0;
	for (;; state = n->states[state].fail) {
		uint32_t to = find_name_step(n->steps, n->steps_size, state, word)->to;
		if (to != 0 || state == 0)
			return to;
	}
}

/* The states by their depths. */
static uint32_t *
sort_states(const struct mem_names *n)
{
	uint32_t deepest = 0;
	for (size_t i = 0; i < n->nstates; i++)
		deepest = n->states[i].depth > deepest ? n->states[i].depth : deepest;
	size_t *first = mem_xcalloc((size_t)deepest + 2, sizeof *first);
	uint32_t *order = mem_xcalloc(n->nstates, sizeof *order);
	for (size_t i = 0; i < n->nstates; i++)
		first[n->states[i].depth + 1]++;
	for (size_t d = 1; d <= deepest; d++)
		first[d] += first[d - 1];
	for (size_t i = 0; i < n->nstates; i++)
		order[first[n->states[i].depth]++] = (uint32_t)i;
	free(first);
	return order;
}

static void
build_automaton(struct mem_names *n)
{
	uint32_t *order = sort_states(n);
	for (size_t i = 1; i < n->nstates; i++) {
		struct name_state *s = &n->states[order[i]];
		s->fail = s->parent == 0 ? 0 : follow_name_word(n, n->states[s->parent].fail, s->word);
		s->best = s->name != MEM_NAME_NONE ? order[i] : n->states[s->fail].best;
	}
	free(order);
	n->built = true;
}

/* ---- looking -------------------------------------------------------------------- */

/* Is a single character of a script without spaces within a run of such? */
static bool
is_within_run(const struct name_words *w, size_t at)
{
	const struct name_word *v = &w->v[at];
	return v->run && ((at > 0 && v[-1].run && v[-1].end == v->start) || (at + 1 < w->n && v[1].run && v[1].start == v->end));
}

static void
add_name_hit(struct mem_names *n, size_t first, const struct name_state *s)
{
	n->hits = mem_grow(n->hits, &n->hits_cap, n->nhits + 1, sizeof *n->hits);
	n->hits[n->nhits++] = (struct mem_name_hit){
		.start = n->words.v[first].start, .end = n->words.v[first + s->depth - 1].end, .name = s->name
	};
}

size_t
mem_names_find(struct mem_names *n, struct mem_str text, const struct mem_name_hit **hits)
{
	uint32_t state = 0;
	if (!n->built)
		build_automaton(n);
	name_words_read(n->lexicon, &n->words, text, false);
	n->at = mem_grow(n->at, &n->at_cap, n->words.n, sizeof *n->at);
	for (size_t i = n->words.n; i-- > 0;) {
		state = follow_name_word(n, state, n->words.v[i].number);
		n->at[i] = n->states[state].best;
	}
	n->nhits = 0;
	for (size_t i = 0; i < n->words.n;) {
		const struct name_state *s = &n->states[n->at[i]];
		if (n->at[i] == 0 || (s->depth == 1 && is_within_run(&n->words, i))) {
			i++;
			continue;
		}
		add_name_hit(n, i, s);
		i += s->depth;
	}
	*hits = n->hits;
	return n->nhits;
}
