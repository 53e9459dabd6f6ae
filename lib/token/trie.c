/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making the trie of a vocabulary.  The sorted words that share a beginning are a stretch of the
 * array; each node is one, and its children are the stretches within.  Nodes are placed breadth
 * first, so that the first bytes of all words, which every look-up goes through, lie together.
 */
#include "token/token_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

enum { TRIES = 256, BASE_MAX = 1 << 24 };

struct trie_word {
	struct mem_str text;
	uint32_t id;
};
struct trie_node {
	uint32_t from, to;      /* of the words */
	uint32_t depth;         /* bytes */
	uint32_t unit;
};

struct trie_slot;
struct trie_build {
	struct trie_word *words;
	size_t nwords;
	struct trie_node *queue;
	size_t queued, queue_cap;
	struct token_trie_unit *units;
	struct trie_slot *slots;
	size_t n, cap, slots_cap;
};
/* What is known of a unit: free ones are a ring by way of unit 0, in order. */
struct trie_slot {
	uint32_t next, prev;
	bool taken;
	bool base;              /* some node has this number */
};

static int
compare_words_by_text(const void *x, const void *y)
{
	const struct trie_word *a = x, *b = y;
	int c = mem_str_cmp(a->text, b->text);
	return c != 0 ? c : (a->id > b->id) - (a->id < b->id);
}

static void
grow_units(struct trie_build *b, size_t n)
{
	n = (n + 255) & ~(size_t)255;
	if (n <= b->n)
		return;
	b->units = mem_grow(b->units, &b->cap, n, sizeof *b->units);
	b->slots = mem_grow(b->slots, &b->slots_cap, n, sizeof *b->slots);
	memset(b->units + b->n, 0, (n - b->n) * sizeof *b->units);
	memset(b->slots + b->n, 0, (n - b->n) * sizeof *b->slots);
	for (size_t i = b->n > 0 ? b->n : 1; i < n; i++) {
		uint32_t last = b->slots[0].prev;
		b->slots[i].prev = last;
		b->slots[last].next = (uint32_t)i;
		b->slots[0].prev = (uint32_t)i;
	}
	b->n = n;
	b->slots[0].taken = true;
}

static bool
has_free_units(const struct trie_build *b, size_t base, const unsigned char *labels, size_t n)
{
	if (base == 0 || b->slots[base].base)
		return false;
	for (size_t i = 0; i < n; i++)
		if (b->slots[base ^ labels[i]].taken)
			return false;
	return true;
}

/* A number whose units for these labels are free: among the first free ones, else behind the last. */
static size_t
find_base(struct trie_build *b, const unsigned char *labels, size_t n)
{
	size_t at = b->slots[0].next;
	for (size_t i = 0; i < TRIES && at != 0; i++) {
		if (has_free_units(b, at ^ labels[0], labels, n))
			return at ^ labels[0];
		at = b->slots[at].next;
	}
	size_t base = b->n;
	grow_units(b, base + 1);
	return base;
}

static void
take_unit(struct trie_build *b, size_t unit)
{
	struct trie_slot *s = &b->slots[unit];
	s->taken = true;
	b->slots[s->prev].next = s->next;
	b->slots[s->next].prev = s->prev;
}

static void
enqueue_node(struct trie_build *b, struct trie_node node)
{
	b->queue = mem_grow(b->queue, &b->queue_cap, b->queued + 1, sizeof *b->queue);
	b->queue[b->queued++] = node;
}

/* Gives the node its value and its children their units. */
static bool
place_children(struct trie_build *b, struct trie_node node)
{
	unsigned char labels[256];
	struct trie_node child[256];
	size_t n = 0;
	uint32_t at = node.from;
	if (b->words[at].text.n == node.depth)
		b->units[node.unit].value = b->words[at++].id + 1;
	while (at < node.to) {
		unsigned char c = (unsigned char)b->words[at].text.p[node.depth];
		labels[n] = c;
		child[n] = (struct trie_node){ .from = at, .depth = node.depth + 1 };
		while (at < node.to && (unsigned char)b->words[at].text.p[node.depth] == c)
			at++;
		child[n++].to = at;
	}
	if (n == 0)
		return true;
	size_t base = find_base(b, labels, n);
	if (base >= BASE_MAX)
		return false;
	b->slots[base].base = true;
	b->units[node.unit].place |= (uint32_t)base << 8;
	for (size_t i = 0; i < n; i++) {
		child[i].unit = (uint32_t)base ^ labels[i];
		b->units[child[i].unit].place = labels[i];
		take_unit(b, child[i].unit);
		enqueue_node(b, child[i]);
	}
	return true;
}

static enum mem_status
sort_words(struct trie_build *b, const struct mem_str *words, const bool *skip, size_t n, struct mem_err *err)
{
	b->words = mem_xmalloc((n > 0 ? n : 1) * sizeof *b->words);
	for (size_t i = 0; i < n; i++) {
		if (words[i].n == 0)
			return mem_err_set(err, MEM_FAIL, "vocabulary: word %zu is empty", i);
		if (memchr(words[i].p, '\0', words[i].n) != NULL)
			return mem_err_set(err, MEM_FAIL, "vocabulary: word %zu has a NUL", i);
		if (skip == NULL || !skip[i])
			b->words[b->nwords++] = (struct trie_word){ words[i], (uint32_t)i };
	}
	mem_sort(b->words, b->nwords, sizeof *b->words, compare_words_by_text);
	for (size_t i = 1; i < b->nwords; i++)
		if (mem_str_eq(b->words[i - 1].text, b->words[i].text))
			return mem_err_set(err, MEM_FAIL, "vocabulary: words %u and %u are the same",
			    (unsigned)b->words[i - 1].id, (unsigned)b->words[i].id);
	return MEM_OK;
}

enum mem_status
token_trie_pack(struct mem_buf *out, const struct mem_str *words, const bool *skip, size_t n,
    struct mem_err *err)
{
	struct trie_build b = { 0 };
	enum mem_status st = sort_words(&b, words, skip, n, err);
	if (st != MEM_OK)
		goto out;
	grow_units(&b, 1);
	if (b.nwords > 0)
		enqueue_node(&b, (struct trie_node){ .to = (uint32_t)b.nwords });
	for (size_t i = 0; i < b.queued; i++) {
		if (!place_children(&b, b.queue[i])) {
			st = mem_err_set(err, MEM_FAIL, "vocabulary: too many words");
			goto out;
		}
	}
	mem_buf_put(out, b.units, b.n * sizeof *b.units);
out:
	free(b.words);
	free(b.queue);
	free(b.units);
	free(b.slots);
	return st;
}
