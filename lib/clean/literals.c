/* SPDX-License-Identifier: Apache-2.0 */
/* The table of literals by which rules are chosen that may match. */
#include "clean/clean_int.h"

#include <stdlib.h>
#include <string.h>

struct table_builder {
	uint8_t class[256];
	unsigned classes, states, states_max;
	uint16_t *next;          /* [states_max * classes], then [states * classes]; 0 is the root */
	uint16_t *fail;
	struct own_output *own;         /* outputs of the trie itself, a list by state */
	size_t nown, own_cap;
	uint32_t *own_first;     /* [states_max], + 1; 0: none */
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

/* The states by their depth, and below each by class: a text is mostly in the first ones, which are then close together. */
static uint16_t *
order_states(const struct table_builder *b)
{
	uint16_t *order = mem_xmalloc(b->states * sizeof *order);
	size_t tail = 1;
	order[0] = 0;
	for (size_t head = 0; head < tail; head++)
		for (unsigned c = 0; c < b->classes; c++)
			if (b->next[order[head] * b->classes + c] != 0)
				order[tail++] = b->next[order[head] * b->classes + c];
	return order;
}

/* Gives the states their numbers in that order; they are those of the trie yet. */
static void
renumber_states(struct table_builder *b, struct mem_arena *arena)
{
	uint16_t *order = order_states(b), *number = mem_xcalloc(b->states, sizeof *number);
	uint16_t *next = mem_arena_alloc(arena, (size_t)b->states * b->classes * sizeof *next);
	uint32_t *own_first = mem_xcalloc(b->states, sizeof *own_first);
	for (unsigned i = 0; i < b->states; i++)
		number[order[i]] = (uint16_t)i;
	for (unsigned i = 0; i < b->states; i++) {
		for (unsigned c = 0; c < b->classes; c++)
			next[i * b->classes + c] = number[b->next[order[i] * b->classes + c]];
		own_first[i] = b->own_first[order[i]];
	}
	free(order);
	free(number);
	free(b->next);
	free(b->own_first);
	b->next = next;
	b->own_first = own_first;
}

/* Breadth first, so that the state a failure leads to is finished before. */
static uint16_t *
make_table(struct table_builder *b)
{
	uint16_t *queue = mem_xmalloc((b->states + 1) * sizeof *queue);
	size_t head = 0, tail = 0;
	for (unsigned c = 0; c < b->classes; c++)
		if (b->next[c] != 0)
			queue[tail++] = b->next[c];
	while (head < tail) {
		unsigned s = queue[head++];
		for (unsigned c = 0; c < b->classes; c++) {
			uint16_t *to = &b->next[s * b->classes + c];
			uint16_t other = b->next[b->fail[s] * b->classes + c];
			if (*to == 0) {
				*to = other;
			} else {
				b->fail[*to] = other;
				queue[tail++] = *to;
			}
		}
	}
	return queue;
}

static void
make_outputs(struct table_builder *b, const uint16_t *order, struct clean_table *t, struct mem_arena *arena)
{
	uint32_t *count = mem_xcalloc(b->states + 1, sizeof *count);
	uint32_t *first = mem_arena_alloc(arena, (b->states + 1) * sizeof *first);
	for (unsigned i = 0; i + 1 < b->states; i++) {
		unsigned s = order[i];
		count[s] = count[b->fail[s]];
		for (uint32_t o = b->own_first[s]; o != 0; o = b->own[o - 1].next)
			count[s]++;
	}
	for (unsigned s = 0; s < b->states; s++)
		first[s + 1] = first[s] + count[s];
	struct clean_output *outputs = mem_arena_alloc(arena, (first[b->states] + 1) * sizeof *outputs);
	for (unsigned i = 0; i + 1 < b->states; i++) {
		unsigned s = order[i], f = b->fail[s];
		uint32_t n = first[s];
		for (uint32_t o = b->own_first[s]; o != 0; o = b->own[o - 1].next)
			outputs[n++] = b->own[o - 1].out;
		memcpy(outputs + n, outputs + first[f], count[f] * sizeof *outputs);
	}
	t->first = first;
	t->outputs = outputs;
	for (size_t i = 0; i < (size_t)b->states * b->classes; i++)
		if (count[b->next[i]] > 0)
			b->next[i] |= CLEAN_HIT;
	free(count);
}

enum mem_status
clean_table_build(struct clean_table *t, struct mem_arena *arena, const struct clean_rule *rules,
    size_t n, struct mem_err *err)
{
	struct table_builder b = { .states = 1 };
	bool fits = n <= UINT16_MAX;
	make_classes(&b, rules, n);
	b.next = mem_xcalloc((size_t)b.states_max * b.classes, sizeof *b.next);
	b.fail = mem_xcalloc(b.states_max, sizeof *b.fail);
	b.own_first = mem_xcalloc(b.states_max, sizeof *b.own_first);
	for (size_t i = 0; i < n && fits; i++)
		for (size_t k = 0; k < rules[i].nliterals && (fits = b.states + rules[i].literals[k].n < CLEAN_HIT); k++)
			insert_literal(&b, &rules[i], k, (uint16_t)i);
	if (!fits) {
		free(b.next);
		free(b.fail);
		free(b.own_first);
		free(b.own);
		return mem_err_set(err, MEM_FAIL, "the rules' literals are too many: %u states of their table", b.states);
	}
	renumber_states(&b, arena);
	uint16_t *order = make_table(&b);
	make_outputs(&b, order, t, arena);
	t->class = (const uint8_t *)mem_arena_dup(arena, b.class, sizeof b.class);
	t->next = b.next;
	t->classes = b.classes;
	t->states = b.states;
	free(order);
	free(b.fail);
	free(b.own_first);
	free(b.own);
	return MEM_OK;
}
