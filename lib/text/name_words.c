/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as numbered words: those that occur in names have a number. */
#include "text/name_words_int.h"
#include "text/text_int.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_SIZE 8192 /* raw words that were looked up last; 256 KiB */
#define CACHED_MAX 23   /* bytes of one */

struct lexicon_entry {
	uint64_t hash;
	struct mem_str word;    /* ARENA; p NULL: a free place */
	uint32_t number;
};
struct cached_word {
	uint32_t number;
	uint8_t n;              /* 0: a free place */
	char raw[CACHED_MAX];
};
struct name_lexicon {
	struct lexicon_entry *v;
	size_t n, size;         /* a power of two, at most half full */
	uint8_t key[MEM_SECRET_LEN];
	struct mem_arena arena;
	struct mem_buf folded;
	struct cached_word cache[CACHE_SIZE];
	bool cached;            /* something is in it */
};

struct name_lexicon *
name_lexicon_new(void)
{
	struct name_lexicon *l = mem_xcalloc(1, sizeof *l);
	l->size = 64;
	l->v = mem_xcalloc(l->size, sizeof *l->v);
	mem_random(l->key, sizeof l->key);
	return l;
}

void
name_lexicon_free(struct name_lexicon *l)
{
	if (l == NULL)
		return;
	free(l->v);
	mem_arena_release(&l->arena);
	mem_buf_release(&l->folded);
	free(l);
}

/* ---- numbers -------------------------------------------------------------- */

static struct lexicon_entry *
find_lexicon_entry(struct lexicon_entry *v, size_t size, uint64_t hash, struct mem_str word)
{
	size_t i = (size_t)hash & (size - 1);
	while (v[i].word.p != NULL && !(v[i].hash == hash && mem_str_eq(v[i].word, word)))
		i = (i + 1) & (size - 1);
	return &v[i];
}

static void
grow_lexicon(struct name_lexicon *l)
{
	size_t size = l->size * 2;
	struct lexicon_entry *v = mem_xcalloc(size, sizeof *v);
	for (size_t i = 0; i < l->size; i++)
		if (l->v[i].word.p != NULL)
			*find_lexicon_entry(v, size, l->v[i].hash, l->v[i].word) = l->v[i];
	free(l->v);
	l->v = v;
	l->size = size;
}

static uint32_t
number_folded_word(struct name_lexicon *l, struct mem_str word, bool add)
{
	uint64_t hash = mem_hash64(l->key, word);
	struct lexicon_entry *e = find_lexicon_entry(l->v, l->size, hash, word);
	if (e->word.p != NULL || !add)
		return e->number;
	*e = (struct lexicon_entry){ hash, mem_arena_str(&l->arena, word), (uint32_t)++l->n };
	uint32_t number = e->number;
	if (l->n * 2 > l->size)
		grow_lexicon(l);
	return number;
}

/* A word that folds to nothing has no number. */
static uint32_t
number_word(struct name_lexicon *l, struct mem_str raw, bool add)
{
	struct cached_word *c = NULL;
	if (raw.n <= CACHED_MAX && !add) {
		c = &l->cache[mem_hash_fast(raw.p, raw.n) % CACHE_SIZE];
		if (c->n == raw.n && memcmp(c->raw, raw.p, raw.n) == 0)
			return c->number;
	}
	mem_buf_reset(&l->folded);
	mem_text_fold(&l->folded, raw);
	uint32_t number = l->folded.len > 0 ? number_folded_word(l, mem_buf_span(&l->folded), add) : 0;
	if (c != NULL) {
		c->number = number;
		c->n = (uint8_t)raw.n;
		memcpy(c->raw, raw.p, raw.n);
	}
	return number;
}

/* ---- words ------------------------------------------------------------------ */

static bool
is_ascii_word_char(unsigned char c)
{
	return (unsigned)((c | 0x20) - 'a') < 26 || (unsigned)(c - '0') < 10 || c == '_';
}

/* Does the character go on a word?  What nobody sees does. */
static bool
goes_on_word(uint32_t c)
{
	return mem_char_is_word(c) || mem_char_is_unseen(c);
}

/* The end of the word at `at`; `at`: none begins there. */
static size_t
find_name_word_end(struct mem_str text, size_t at)
{
	size_t i = at;
	while (i < text.n) {
		uint32_t c;
		if ((unsigned char)text.p[i] < 0x80) {
			if (!is_ascii_word_char((unsigned char)text.p[i]))
				break;
			i++;
			continue;
		}
		size_t n = mem_utf8_decode(text.p + i, text.n - i, &c);
		if (!goes_on_word(c) || text_find_run_end(text, i, i + n) > i)
			break;
		i += n;
	}
	while (i > at && text.p[i - 1] == '_')
		i--;
	return i;
}

static bool
is_name_space(struct mem_str text, size_t at, size_t *n)
{
	uint32_t c;
	*n = mem_utf8_decode(text.p + at, text.n - at, &c);
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0 || c == 0x3000 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f;
}

/* The next word; false: there is none. */
static bool
read_name_word(struct mem_str text, size_t at, struct name_word *w)
{
	size_t n = 0;
	while (at < text.n && is_name_space(text, at, &n))
		at += n;
	if (at == text.n)
		return false;
	size_t end = text.p[at] == '_' ? at : find_name_word_end(text, at);
	*w = (struct name_word){ .start = (uint32_t)at, .letters = true };
	if (end == at && (unsigned char)text.p[at] >= 0x80) {
		w->run = text_find_run_end(text, at, at + n) > at;
		end = w->run ? text_find_cluster_end(text, at, text.n) : at;
	}
	if (end == at) {
		w->letters = false;
		end = at + n;
	}
	w->end = (uint32_t)end;
	return true;
}

void
name_words_read(struct name_lexicon *l, struct name_words *out, struct mem_str text, bool add)
{
	struct name_word w;
	out->n = 0;
	if (add && l->cached)
		memset(l->cache, 0, sizeof l->cache);
	l->cached = !add;
	for (size_t at = 0; read_name_word(text, at, &w); at = w.end) {
		w.number = number_word(l, (struct mem_str){ text.p + w.start, w.end - w.start }, add);
		out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof w);
		out->v[out->n++] = w;
	}
}
