/* SPDX-License-Identifier: Apache-2.0 */
/* The table of literals by which rules are chosen that may match. */
#include "clean/clean_int.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 6             /* of a deep state that are its own; with more it has a row of all */

/* States have the numbers in which they were made, 0 the root, until number_states gives them those of the table. */
struct table_builder {
	uint8_t class[256];
	unsigned classes, states, states_max;
	uint16_t *next;          /* [states_max * classes]: of the trie; make_automaton adds the failures' */
	uint16_t *fail;          /* [states_max] */
	uint16_t *order;         /* [states_max]: by depth, and below each by class */
	unsigned shallow;        /* how many are of two bytes or fewer: the first ones of `order` */
	struct own_output *own;  /* outputs of the trie itself, a list by state */
	size_t nown, own_cap;
	uint32_t *own_first;     /* [states_max], + 1; 0: none */
	uint32_t *count;         /* [states_max]: outputs of its own and of its failures */
	uint16_t *number;        /* [states_max]: in the table */
};
struct own_output {
	struct clean_output out;
	uint32_t next;
};

/* What the automaton takes for the same byte. */
static uint8_t
fold_literal_byte(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint8_t)(c | 32);
	if (c >= '0' && c <= '9')
		return '0';
	return c == ' ' || (c >= '\t' && c <= '\r') ? ' ' : c;
}

/* Bytes as texts have them, the frequent ones first. */
static const char by_frequency[] = " etaonisrhldcumfpgwybvk0.,-\"'()/_:=<>*`#xjqz";

static void
make_classes(struct table_builder *b, const struct clean_rule *rules, size_t n)
{
	bool used[256] = { false };
	uint8_t number[256] = { 0 };
	b->classes = 1; /* class 0: every byte that is in no literal */
	b->states_max = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < rules[i].nliterals; k++) {
			struct mem_str l = rules[i].literals[k];
			b->states_max += (unsigned)l.n;
			for (size_t j = 0; j < l.n; j++)
				used[fold_literal_byte((uint8_t)l.p[j])] = true;
		}
	/* A row of the table is read at few places, which are then close together. */
	for (const char *f = by_frequency; *f != '\0'; f++)
		if (used[(uint8_t)*f])
			number[(uint8_t)*f] = (uint8_t)b->classes++;
	for (unsigned c = 0; c < 256; c++)
		if (used[c] && number[c] == 0)
			number[c] = (uint8_t)b->classes++;
	for (unsigned c = 0; c < 256; c++)
		b->class[c] = number[fold_literal_byte((uint8_t)c)];
}

static void
insert_literal(struct table_builder *b, const struct clean_rule *r, size_t which, uint16_t rule)
{
	struct mem_str l = r->literals[which];
	unsigned s = 0;
	for (size_t j = 0; j < l.n; j++) {
		uint16_t *to = &b->next[s * b->classes + b->class[(uint8_t)l.p[j]]];
		if (*to == 0)
			*to = (uint16_t)b->states++;
		s = *to;
	}
	b->own = mem_grow(b->own, &b->own_cap, b->nown + 1, sizeof *b->own);
	b->own[b->nown] = (struct own_output){ { rule, (uint8_t)l.n, r->words != NULL ? r->words[which] : 0 }, b->own_first[s] };
	b->own_first[s] = (uint32_t)++b->nown;
}

/* Breadth first, so that the state a failure leads to is finished before. */
static void
make_automaton(struct table_builder *b)
{
	unsigned tail = 1, depth = 0;
	for (unsigned head = 0, end = 1; head < tail; head++) {
		if (head == end) {
			end = tail;
			depth++;
		}
		b->shallow += depth <= 2;
		unsigned s = b->order[head], f = b->fail[s];
		for (uint32_t o = b->own_first[s]; o != 0; o = b->own[o - 1].next)
			b->count[s]++;
		b->count[s] += s != 0 ? b->count[f] : 0;
		for (unsigned c = 0; c < b->classes; c++) {
			uint16_t *to = &b->next[(size_t)s * b->classes + c];
			uint16_t other = s != 0 ? b->next[(size_t)f * b->classes + c] : 0;
			if (*to == 0) {
				*to = other;
			} else {
				b->fail[*to] = other;
				b->order[tail++] = *to;
			}
		}
	}
}

/* From `at` on, the states of `order` that have outputs, or those that have none. */
static unsigned
number_some(struct table_builder *b, unsigned from, unsigned to, bool outputs, unsigned at)
{
	for (unsigned i = from; i < to; i++)
		if ((b->count[b->order[i]] > 0) == outputs)
			b->number[b->order[i]] = (uint16_t)at++;
	return at;
}

/* A text is mostly in the first states of `order`, which are close together. */
static void
number_states(struct table_builder *b, struct clean_table *t)
{
	t->shallow = b->shallow;
	t->shallow_hits = number_some(b, 0, b->shallow, false, 0);
	number_some(b, 0, b->shallow, true, t->shallow_hits);
	t->deep_hits = number_some(b, b->shallow, b->states, false, b->shallow);
	number_some(b, b->shallow, b->states, true, t->deep_hits);
	uint16_t *order = mem_xmalloc(b->states * sizeof *order);
	for (unsigned s = 0; s < b->states; s++)
		order[b->number[s]] = (uint16_t)s;
	free(b->order);
	b->order = order;
}

/* Of each state, those of its failures behind its own. */
static void
make_outputs(const struct table_builder *b, struct clean_table *t, struct mem_arena *arena)
{
	uint32_t *first = mem_arena_alloc(arena, (b->states + 1) * sizeof *first);
	first[0] = 0;
	for (unsigned i = 0; i < b->states; i++)
		first[i + 1] = first[i] + b->count[b->order[i]];
	struct clean_output *outputs = mem_arena_alloc(arena, (first[b->states] + 1) * sizeof *outputs);
	for (unsigned i = 0; i < b->states; i++) {
		uint32_t n = first[i];
		for (unsigned s = b->order[i]; s != 0; s = b->fail[s])
			for (uint32_t o = b->own_first[s]; o != 0; o = b->own[o - 1].next)
				outputs[n++] = b->own[o - 1].out;
	}
	t->first = first;
	t->outputs = outputs;
}

/* A deep state steps as the shallow one that its failures lead to, but for few steps. */
struct table_packer {
	const struct table_builder *b;
	uint16_t *rows, *targets;
	uint8_t *labels;
	size_t nrows, nsteps;
};

static void
add_table_row(struct table_packer *p, unsigned s)
{
	for (unsigned c = 0; c < p->b->classes; c++)
		p->rows[p->nrows * p->b->classes + c] = p->b->number[p->b->next[(size_t)s * p->b->classes + c]];
	p->nrows++;
}

static void
pack_state(struct table_packer *p, unsigned s, struct clean_deep *deep)
{
	const struct table_builder *b = p->b;
	const uint16_t *own = b->next + (size_t)s * b->classes;
	const size_t more = p->nsteps;
	unsigned base = b->fail[s];
	while (b->number[base] >= b->shallow)
		base = b->fail[base];
	*deep = (struct clean_deep){ .row = b->number[base] * b->classes, .more = (uint32_t)more, .label = CLEAN_NO_CLASS };
	for (unsigned c = 0; c < b->classes; c++) {
		if (own[c] == b->next[(size_t)base * b->classes + c])
			continue;
		if (deep->label == CLEAN_NO_CLASS) {
			deep->label = (uint8_t)c;
			deep->target = b->number[own[c]];
			continue;
		}
		p->labels[p->nsteps] = (uint8_t)c;
		p->targets[p->nsteps++] = b->number[own[c]];
	}
	deep->nmore = (uint8_t)(p->nsteps - more);
	if (p->nsteps - more >= STEPS_MAX) {
		p->nsteps = more;
		*deep = (struct clean_deep){ .row = (uint32_t)(p->nrows * b->classes), .label = CLEAN_NO_CLASS };
		add_table_row(p, s);
	}
}

static void
pack_automaton(struct clean_table *t, const struct table_builder *b, struct mem_arena *arena)
{
	const size_t cells = (size_t)b->states * b->classes;
	struct clean_deep *deep = mem_arena_alloc(arena, (b->states - b->shallow + 1) * sizeof *deep);
	struct table_packer p = { .b = b, .rows = mem_xmalloc(cells * sizeof *p.rows), .targets = mem_xmalloc(cells * sizeof *p.targets),
		.labels = mem_xmalloc(cells) };
	for (unsigned i = 0; i < b->shallow; i++)
		add_table_row(&p, b->order[i]);
	for (unsigned i = b->shallow; i < b->states; i++)
		pack_state(&p, b->order[i], &deep[i - b->shallow]);
	t->deep = deep;
	t->rows = (const uint16_t *)mem_arena_dup(arena, p.rows, p.nrows * b->classes * sizeof *p.rows);
	t->targets = (const uint16_t *)mem_arena_dup(arena, p.targets, (p.nsteps + 1) * sizeof *p.targets);
	t->labels = (const uint8_t *)mem_arena_dup(arena, p.labels, p.nsteps + 1);
	t->nrows = (unsigned)p.nrows;
	t->nsteps = (unsigned)p.nsteps;
	free(p.rows);
	free(p.targets);
	free(p.labels);
}

static struct table_builder
begin_table(const struct clean_rule *rules, size_t n)
{
	struct table_builder b = { .states = 1 };
	make_classes(&b, rules, n);
	b.next = mem_xcalloc((size_t)b.states_max * b.classes, sizeof *b.next);
	b.fail = mem_xcalloc(b.states_max, sizeof *b.fail);
	b.order = mem_xcalloc(b.states_max, sizeof *b.order);
	b.own_first = mem_xcalloc(b.states_max, sizeof *b.own_first);
	b.count = mem_xcalloc(b.states_max, sizeof *b.count);
	b.number = mem_xcalloc(b.states_max, sizeof *b.number);
	return b;
}

static void
end_table(struct table_builder *b)
{
	free(b->next);
	free(b->fail);
	free(b->order);
	free(b->own);
	free(b->own_first);
	free(b->count);
	free(b->number);
}

enum mem_status
clean_table_build(struct clean_table *t, struct mem_arena *arena, const struct clean_rule *rules,
    size_t n, struct mem_err *err)
{
	struct table_builder b = begin_table(rules, n);
	bool fits = n <= UINT16_MAX;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && fits; i++)
		for (size_t k = 0; k < rules[i].nliterals && (fits = b.states + rules[i].literals[k].n <= UINT16_MAX); k++)
			insert_literal(&b, &rules[i], k, (uint16_t)i);
	if (fits) {
		make_automaton(&b);
		number_states(&b, t);
		make_outputs(&b, t, arena);
		t->class = (const uint8_t *)mem_arena_dup(arena, b.class, sizeof b.class);
		t->classes = b.classes;
		t->states = b.states;
		pack_automaton(t, &b, arena);
	} else {
		st = mem_err_set(err, MEM_FAIL, "the rules' literals are too many: %u states of their table", b.states);
	}
	end_table(&b);
	return st;
}
