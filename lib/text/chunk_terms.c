/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terms of chunks that were met before: what stands between two spaces is mostly a word that the text, or the text before
 * it, had already, and no rule looks across spaces.
 */
#include "text/text_int.h"

#include <stdlib.h>
#include <string.h>

enum {
	SLOTS_FEW = 256, SLOTS = 4096, SLOTS_MANY = 32768, /* powers of two */
	/* A slot has the size of a line of the processor's cache. */
	CHUNK_MAX = 20,                     /* bytes of a chunk, ... */
	TERMS_MAX = 3,                      /* ... its terms, ... */
	TEXT_MAX = 22,                      /* ... and bytes of their texts */
};

/* Places count from the chunk's beginning. */
struct kept_term {
	uint8_t length, start, end, position;
	bool stop, extra;
};
struct chunk_slot {
	uint8_t chunk_n, lang, n, text_n; /* chunk_n 0: free */
	struct kept_term terms[TERMS_MAX];
	char chunk[CHUNK_MAX], text[TEXT_MAX];
};
struct text_chunks {
	struct chunk_slot *slots;
	size_t nslots, sets;
};

struct text_chunks *
text_chunks_new(void)
{
	struct text_chunks *c = mem_xcalloc(1, sizeof *c);
	c->nslots = SLOTS_FEW;
	c->slots = mem_xcalloc(c->nslots, sizeof *c->slots);
	return c;
}

void
text_chunks_free(struct text_chunks *c)
{
	if (c == NULL)
		return;
	free(c->slots);
	free(c);
}

static struct chunk_slot *
find_chunk_slot(const struct text_chunks *c, struct mem_str chunk)
{
	uint64_t h = mem_hash_fast(chunk.p, chunk.n);
	return &c->slots[(h ^ h >> 32) & (c->nslots - 1)];
}

bool
text_chunk_find(struct text_terms *out, const struct text_chunks *c, struct mem_str chunk, enum text_lang lang, uint32_t start)
{
	if (chunk.n > CHUNK_MAX)
		return false;
	const struct chunk_slot *s = find_chunk_slot(c, chunk);
	if (s->chunk_n != chunk.n || s->lang != lang || memcmp(s->chunk, chunk.p, chunk.n) != 0)
		return false;
	out->v = mem_grow(out->v, &out->cap, out->n + s->n, sizeof *out->v);
	mem_buf_put(&out->text, s->text, s->text_n);
	for (size_t i = 0; i < s->n; i++) {
		const struct kept_term *k = &s->terms[i];
		out->v[out->n++] = (struct mem_term){ .text = { NULL, k->length }, .start = start + k->start, .end = start + k->end,
			.position = out->position + k->position, .stop = k->stop, .extra = k->extra };
	}
	for (size_t i = 0; i < s->n; i++)
		out->position += !s->terms[i].extra;
	return true;
}

/* A table that many chunks do not fit in is replaced by a larger one, without what the smaller held. */
static void
grow_chunk_table(struct text_chunks *c)
{
	free(c->slots);
	c->nslots = c->nslots == SLOTS_FEW ? SLOTS : SLOTS_MANY;
	c->slots = mem_xcalloc(c->nslots, sizeof *c->slots);
}

void
text_chunk_keep(struct text_chunks *c, const struct text_terms *of, struct mem_str chunk, enum text_lang lang, uint32_t start,
    const struct text_terms_mark *before)
{
	size_t n = of->n - before->n, text_n = of->text.len - before->text_n;
	if (chunk.n > CHUNK_MAX || n > TERMS_MAX || text_n > TEXT_MAX)
		return;
	if (++c->sets > 2 * c->nslots && c->nslots < SLOTS_MANY)
		grow_chunk_table(c);
	struct chunk_slot *s = find_chunk_slot(c, chunk);
	*s = (struct chunk_slot){ .chunk_n = (uint8_t)chunk.n, .lang = (uint8_t)lang, .n = (uint8_t)n, .text_n = (uint8_t)text_n };
	memcpy(s->chunk, chunk.p, chunk.n);
	if (text_n > 0)
		memcpy(s->text, of->text.data + before->text_n, text_n);
	for (size_t i = 0; i < n; i++) {
		const struct mem_term *t = &of->v[before->n + i];
		s->terms[i] = (struct kept_term){ (uint8_t)t->text.n, (uint8_t)(t->start - start), (uint8_t)(t->end - start),
			(uint8_t)(t->position - before->position), t->stop, t->extra };
	}
}
