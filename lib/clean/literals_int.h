/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clean, inside: the table of literals by which rules are chosen.
 */
#ifndef MEM_CLEAN_LITERALS_INT_H
#define MEM_CLEAN_LITERALS_INT_H

#include "base/base.h"

struct clean_rule;

/*
 * An automaton (Aho and Corasick 1975) over bytes folded to classes: ASCII case is ignored, a 0 stands for any digit, and white
 * space is one class.  Its first states, of two bytes or fewer, in which a text mostly is, have a row of all their steps; a
 * deeper one steps as one of these but for few steps of its own (default transitions: Dencker, Duerre and Heuft 1984), which
 * makes the whole eight times smaller, so that a process maps fewer pages of it.
 */
struct clean_output {
	uint16_t rule;
	uint8_t length;          /* of the literal that ends here */
	uint8_t word;            /* CLEAN_BEGINS_WORD, CLEAN_ENDS_WORD: only where no letter, digit or _ stands before it, behind it */
};
enum { CLEAN_BEGINS_WORD = 1, CLEAN_ENDS_WORD = 2 };
struct clean_deep {
	uint32_t row;            /* where in rows the steps are that are not its own */
	uint32_t more;           /* its own steps behind the first: where they begin, ... */
	uint16_t target;         /* the first's next state */
	uint8_t label;           /* the first's class; CLEAN_NO_CLASS: it has none */
	uint8_t nmore;           /* ... and how many */
};
#define CLEAN_NO_CLASS 255
struct clean_table {
	const uint8_t *class;    /* [256] */
	const uint16_t *rows;    /* [row * classes + class]: the next state */
	const struct clean_deep *deep; /* [state - shallow] */
	const uint8_t *labels;   /* classes of steps */
	const uint16_t *targets; /* the next states, as in rows */
	const uint32_t *first;   /* [states + 1]: outputs of a state */
	const struct clean_output *outputs;
	unsigned classes, states, nrows, nsteps;
	unsigned shallow;        /* states with a row of their own; those with outputs ... */
	unsigned shallow_hits;   /* ... begin here, ... */
	unsigned deep_hits;      /* ... and of the other states here */
};

/* The state behind `state` and a byte. */
static inline unsigned
clean_next_state(const struct clean_table *t, unsigned state, char byte)
{
	const unsigned c = t->class[(uint8_t)byte];
	if (state < t->shallow)
		return t->rows[state * t->classes + c];
	const struct clean_deep *d = &t->deep[state - t->shallow];
	if (d->label == c)
		return d->target;
	for (uint32_t i = d->more, end = i + d->nmore; i < end; i++)
		if (t->labels[i] == c)
			return t->targets[i];
	return t->rows[d->row + c];
}

static inline bool
clean_has_outputs(const struct clean_table *t, unsigned state)
{
	return state < t->shallow ? state >= t->shallow_hits : state >= t->deep_hits;
}

/* ARENA.  MEM_FAIL when there are too many literals for it. */
enum mem_status clean_table_build(struct clean_table *t, struct mem_arena *arena,
    const struct clean_rule *rules, size_t n, struct mem_err *err) MEM_CHECKED;

#endif
