/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vocabulary section, and the tokenizer that reads it in place: a head, the trie, and for
 * Unigram scores, rewritten code points, and the pages and blocks that lead to them.  To open one costs
 * nothing but a look at the head, since every index is checked where it is used.
 */
#include "token/token_int.h"

#include <stdlib.h>
#include <string.h>

struct vocab_head {
	uint32_t magic;         /* of this machine's byte order, too */
	uint32_t n;
	uint32_t unknown, first, last;
	uint32_t longest;
	uint32_t nunits, nmap, nblocks;
	float unknown_score;
};
static const uint32_t magics[] = {
	[MEM_TOKENS_WORDPIECE] = 0x3157564d,    /* MVW1 */
	[MEM_TOKENS_UNIGRAM] = 0x3155564d,      /* MVU1 */
};
enum { MAP_MAX = 65536 };

/* ---- making it -------------------------------------------------------- */

static enum mem_status
find_longest_word(uint32_t *longest, const struct mem_str *words, size_t n, struct mem_err *err)
{
	if (n == 0 || n >= INT32_MAX)
		return mem_err_set(err, MEM_FAIL, "vocabulary: %zu words", n);
	*longest = 0;
	for (size_t i = 0; i < n; i++) {
		if (words[i].n > MEM_WORD_BYTES)
			return mem_err_set(err, MEM_FAIL, "vocabulary: word %zu has %zu bytes", i, words[i].n);
		if (words[i].n > *longest)
			*longest = (uint32_t)words[i].n;
	}
	return MEM_OK;
}

/* The head at `at` of the section, and how many units follow it. */
static void
put_vocab_head(struct mem_buf *out, size_t at, struct vocab_head *h)
{
	h->nunits = (uint32_t)((out->len - at - sizeof *h) / sizeof(struct token_trie_unit));
	memcpy(out->data + at, h, sizeof *h);
}

static enum mem_status
find_marker_word(uint32_t *id, const char *word, const struct mem_str *words, size_t n, struct mem_err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (mem_str_is(words[i], word)) {
			*id = (uint32_t)i;
			return MEM_OK;
		}
	}
	return mem_err_set(err, MEM_FAIL, "vocabulary: no %s", word);
}

enum mem_status
mem_wordpiece_pack(struct mem_buf *out, const struct mem_str *words, size_t n, struct mem_err *err)
{
	size_t at = out->len;
	struct vocab_head h = { .magic = magics[MEM_TOKENS_WORDPIECE], .n = (uint32_t)n };
	enum mem_status st = find_longest_word(&h.longest, words, n, err);
	if (st == MEM_OK)
		st = find_marker_word(&h.unknown, "[UNK]", words, n, err);
	if (st == MEM_OK)
		st = find_marker_word(&h.first, "[CLS]", words, n, err);
	if (st == MEM_OK)
		st = find_marker_word(&h.last, "[SEP]", words, n, err);
	if (st != MEM_OK)
		return st;
	mem_buf_put(out, &h, sizeof h);
	st = token_trie_pack(out, words, NULL, n, err);
	if (st == MEM_OK)
		put_vocab_head(out, at, &h);
	else
		out->len = at;
	return st;
}

/* The tables that lead from a code point to what replaces it. */
struct vocab_map {
	uint16_t page[TOKEN_POINT_PAGES];
	uint16_t (*block)[128];
	size_t nblocks, cap;
	struct mem_buf to;      /* uint32_t */
};

static uint16_t *
find_map_entry(struct vocab_map *m, uint32_t c)
{
	uint16_t *page = &m->page[c >> 7];
	if (*page == 0) {
		m->block = mem_grow(m->block, &m->cap, m->nblocks + 1, sizeof *m->block);
		memset(m->block[m->nblocks], 0, sizeof *m->block);
		*page = (uint16_t)m->nblocks++;
	}
	return &m->block[*page][c & 127];
}

static enum mem_status
build_map(struct vocab_map *m, const struct mem_unigram_parts *u, struct mem_err *err)
{
	uint32_t none = 0;
	m->block = mem_grow(NULL, &m->cap, 1, sizeof *m->block);
	memset(m->block[0], 0, sizeof *m->block);       /* of pages without any */
	m->nblocks = 1;
	mem_buf_put(&m->to, &none, sizeof none);        /* 0: stays as it is */
	for (size_t i = 0; i < u->nmap; i++) {
		uint32_t c = u->map_from[i], from = u->map_at[i], n = u->map_at[i + 1] - from;
		size_t at = m->to.len / sizeof c;
		if (c >= 0x110000 || n > MEM_WORD_BYTES || at + 1 + n > MAP_MAX)
			return mem_err_set(err, MEM_FAIL, "vocabulary: code point %#x cannot be rewritten", (unsigned)c);
		*find_map_entry(m, c) = (uint16_t)at;
		mem_buf_put(&m->to, &n, sizeof n);
		mem_buf_put(&m->to, u->map_to + from, n * sizeof *u->map_to);
	}
	return MEM_OK;
}

/* Pieces that text never gives: the markers. */
static bool *
find_markers(const struct mem_unigram_parts *u)
{
	bool *skip = mem_xcalloc(u->n, sizeof *skip);
	for (size_t i = 0; i < u->n; i++)
		skip[i] = i == u->bos || i == u->eos || i == u->pad || i == u->unk ||
		    mem_str_is(u->pieces[i], "<mask>");
	return skip;
}

enum mem_status
mem_unigram_pack(struct mem_buf *out, const struct mem_unigram_parts *u, struct mem_err *err)
{
	size_t at = out->len;
	struct vocab_map map = { 0 };
	bool *skip = NULL;
	struct vocab_head h = { .magic = magics[MEM_TOKENS_UNIGRAM], .n = (uint32_t)u->n,
		.unknown = u->unk, .first = u->bos, .last = u->eos };
	enum mem_status st = find_longest_word(&h.longest, u->pieces, u->n, err);
	if (st != MEM_OK)
		goto out;
	if (u->bos >= u->n || u->eos >= u->n || u->pad >= u->n || u->unk >= u->n) {
		st = mem_err_set(err, MEM_FAIL, "vocabulary: a marker is none of its pieces");
		goto out;
	}
	for (size_t i = 0; i < u->n; i++)
		if (i == 0 || u->scores[i] < h.unknown_score)
			h.unknown_score = u->scores[i];
	h.unknown_score -= 10.0f;       /* SentencePiece: kUnkPenalty */
	skip = find_markers(u);
	mem_buf_put(out, &h, sizeof h);
	st = token_trie_pack(out, u->pieces, skip, u->n, err);
	if (st == MEM_OK)
		st = build_map(&map, u, err);
	if (st != MEM_OK)
		goto out;
	h.nmap = (uint32_t)(map.to.len / sizeof(uint32_t));
	h.nblocks = (uint32_t)map.nblocks;
	put_vocab_head(out, at, &h);
	mem_buf_put(out, u->scores, u->n * sizeof *u->scores);
	mem_buf_str(out, mem_buf_span(&map.to));
	mem_buf_put(out, map.page, sizeof map.page);
	mem_buf_put(out, map.block, map.nblocks * sizeof *map.block);
out:
	if (st != MEM_OK)
		out->len = at;
	free(skip);
	free(map.block);
	mem_buf_release(&map.to);
	return st;
}

/* ---- reading it ------------------------------------------------------- */

static uint64_t
count_vocab_bytes(const struct vocab_head *h, enum mem_tokens_kind kind)
{
	uint64_t n = sizeof *h + (uint64_t)h->nunits * sizeof(struct token_trie_unit);
	if (kind == MEM_TOKENS_UNIGRAM)
		n += ((uint64_t)h->n + h->nmap) * 4 + TOKEN_POINT_PAGES * 2 + (uint64_t)h->nblocks * 256;
	return n;
}

static enum mem_status
check_vocab_head(const struct vocab_head *h, enum mem_tokens_kind kind, size_t n, struct mem_err *err)
{
	if (h->magic != magics[kind])
		return mem_err_set(err, MEM_FAIL, "vocabulary: of another kind, version or byte order");
	if (n != count_vocab_bytes(h, kind))
		return mem_err_set(err, MEM_FAIL, "vocabulary: %zu bytes, but its head says %llu", n,
		    (unsigned long long)count_vocab_bytes(h, kind));
	if (h->unknown >= h->n || h->first >= h->n || h->last >= h->n || h->nunits == 0 ||
	    h->longest == 0 || h->longest > MEM_WORD_BYTES)
		return mem_err_set(err, MEM_FAIL, "vocabulary: its head is damaged");
	if (kind == MEM_TOKENS_UNIGRAM && (h->nblocks == 0 || h->nmap == 0))
		return mem_err_set(err, MEM_FAIL, "vocabulary: its head is damaged");
	return MEM_OK;
}

enum mem_status
mem_tokenizer_open(struct mem_tokenizer **out, enum mem_tokens_kind kind, struct mem_str vocab,
    struct mem_err *err)
{
	struct vocab_head h;
	*out = NULL;
	if (vocab.n < sizeof h || (uintptr_t)vocab.p % sizeof(uint32_t) != 0)
		return mem_err_set(err, MEM_FAIL, "vocabulary: cut short");
	memcpy(&h, vocab.p, sizeof h);
	enum mem_status st = check_vocab_head(&h, kind, vocab.n, err);
	if (st != MEM_OK)
		return st;
	struct mem_tokenizer *t = mem_xcalloc(1, sizeof *t);
	*t = (struct mem_tokenizer){ .kind = kind, .n = h.n, .unknown = h.unknown, .first = h.first,
		.last = h.last, .longest = h.longest, .unknown_score = h.unknown_score,
		.nmap = h.nmap, .nblocks = h.nblocks };
	t->trie = (struct token_trie){ (const void *)(vocab.p + sizeof h), h.nunits };
	if (kind == MEM_TOKENS_UNIGRAM) {
		t->scores = (const void *)(t->trie.units + h.nunits);
		t->map = (const void *)(t->scores + h.n);
		t->page = (const void *)(t->map + h.nmap);
		t->block = t->page + TOKEN_POINT_PAGES;
	} else {
		t->rest = token_trie_step(&t->trie, 0, '#');
		t->rest = t->rest != 0 ? token_trie_step(&t->trie, t->rest, '#') : 0;
	}
	*out = t;
	return MEM_OK;
}

void
mem_tokenizer_keep(struct mem_tokenizer *t, void *holder, void (*release)(void *))
{
	t->holder = holder;
	t->release = release;
}

void
mem_tokenizer_close(struct mem_tokenizer *t)
{
	if (t == NULL)
		return;
	if (t->release != NULL)
		t->release(t->holder);
	free(t);
}

/* ---- ids -------------------------------------------------------------- */

static void
encode_parts(const struct mem_tokenizer *t, const struct mem_str *parts, size_t n, struct token_ids *to)
{
	if (t->kind == MEM_TOKENS_UNIGRAM)
		token_encode_unigram(t, parts, n, to);
	else
		token_encode_wordpiece(t, parts, n, to);
}

/* Ids with the markers around them; to->ids and to->at, where they are wanted, have room for max_ids. */
static size_t
encode_marked(const struct mem_tokenizer *t, const struct mem_str parts[2], struct token_ids *to, size_t max_ids)
{
	uint32_t *ids = to->ids;
	to->full = true;
	if (max_ids < 2)                /* there is no room for the markers alone */
		return 0;
	to->full = false;
	to->ids++;
	to->at += to->at != NULL;
	to->room = max_ids - 2;
	encode_parts(t, parts, 2, to);
	ids[0] = t->first;
	ids[to->n + 1] = t->last;
	return to->n + 2;
}

size_t
mem_tokenize(const struct mem_tokenizer *t, struct mem_str prefix, struct mem_str text,
    uint32_t *ids, size_t max_ids, bool *cut)
{
	const struct mem_str parts[] = { prefix, text };
	struct token_ids to = { .ids = ids };
	size_t n = encode_marked(t, parts, &to, max_ids);
	if (cut != NULL)
		*cut = to.full;
	return n;
}

/* Ids of the prefix with the marker before it; a blank at its end belongs to what follows. */
static size_t
count_before_text(const struct mem_tokenizer *t, struct mem_str prefix)
{
	while (prefix.n > 0 && prefix.p[prefix.n - 1] == ' ')
		prefix.n--;
	return 1 + (prefix.n > 0 ? mem_tokens_count(t, prefix, NULL) : 0);
}

size_t
mem_tokenize_places(const struct mem_tokenizer *t, struct mem_str prefix, struct mem_str text,
    uint32_t *ids, size_t max_ids, bool *cut, struct mem_token_places *places)
{
	const struct mem_str parts[] = { prefix, text };
	struct token_ids to = { .ids = ids, .at = places->at, .read = &places->buf };
	mem_buf_reset(&places->buf);
	size_t n = encode_marked(t, parts, &to, max_ids), before = count_before_text(t, prefix);
	places->last = n > 0 ? n - 1 : 0;
	places->first = before < places->last ? before : places->last;
	places->read = t->kind == MEM_TOKENS_UNIGRAM ? mem_buf_span(&places->buf) : text;
	if (cut != NULL)
		*cut = to.full;
	return n;
}

size_t
mem_tokens_count(const struct mem_tokenizer *t, struct mem_str text, bool *lossy)
{
	struct token_ids to = { .room = SIZE_MAX };
	encode_parts(t, &text, 1, &to);
	if (lossy != NULL)
		*lossy = to.lossy;
	return to.n;
}

size_t
mem_tokens_measure(const void *tokenizer, struct mem_str text)
{
	return mem_tokens_count(tokenizer, text, NULL);
}
