/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stems, and a small table of those made last: text repeats its words, and Snowball
 * takes far longer than looking.  Raw bytes are the key, so that a word that is found there is
 * not even folded.
 */
#include "text/text_int.h"

#include <libstemmer.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLOTS_FEW = 64, SLOTS = 4096, SLOTS_MANY = 32768, /* powers of two */
	KEY_MAX = 28,
	STEM_MAX = 32,
	LANG_MASK = TEXT_LANG_COUNT, /* the slot holds struct text_word_facts, not a stem */
};

/* Of a slot that is not the word's only the beginning is read. */
struct stem_slot {
	uint8_t keylen, stemlen, lang, stop; /* keylen 0: free */
	char key[KEY_MAX];
	char stem[STEM_MAX];
};

_Static_assert(sizeof(struct text_word_facts) <= STEM_MAX, "facts stand where a stem does");

struct text_stems {
	struct stem_slot *slots;
	size_t nslots, sets;
	struct text_word_table *words; /* NULL while there are few slots */
	struct sb_stemmer *by_lang[TEXT_LANG_COUNT];
	struct mem_buf folded, stripped;
};

struct text_stems *
text_stems_new(void)
{
	struct text_stems *s = mem_xcalloc(1, sizeof *s);
	s->nslots = SLOTS_FEW;
	s->slots = mem_xcalloc(s->nslots, sizeof *s->slots);
	return s;
}

void
text_stems_free(struct text_stems *s)
{
	if (s == NULL)
		return;
	for (int i = 0; i < TEXT_LANG_COUNT; i++)
		if (s->by_lang[i] != NULL)
			sb_stemmer_delete(s->by_lang[i]);
	free(s->slots);
	free(s->words);
	mem_buf_release(&s->folded);
	mem_buf_release(&s->stripped);
	free(s);
}

static struct stem_slot *
find_stem_slot(struct text_stems *s, unsigned lang, struct mem_str raw)
{
	uint64_t h = mem_hash_fast(raw.p, raw.n) + (uint64_t)lang * 0x9e3779b97f4a7c15u;
	return &s->slots[(h ^ h >> 32) & (s->nslots - 1)];
}

static bool
has_slot_word(const struct stem_slot *e, unsigned lang, struct mem_str raw)
{
	return e->keylen == raw.n && e->lang == lang && memcmp(e->key, raw.p, raw.n) == 0;
}

/* A query has a few words, for which the whole table is too much to map, and that of words to fill; who comes with more
 * of them loses what the smaller one held. */
static void
grow_stem_table(struct text_stems *s, size_t nslots)
{
	free(s->slots);
	s->nslots = nslots;
	s->slots = mem_xcalloc(s->nslots, sizeof *s->slots);
	if (s->words != NULL)
		return;
	s->words = mem_xcalloc(1, sizeof *s->words);
	text_word_table_fill(s->words);
}

static void
set_stem_slot(struct text_stems *s, unsigned lang, struct mem_str raw, struct mem_str stem, bool stop)
{
	if (raw.n > KEY_MAX || stem.n > STEM_MAX)
		return;
	s->sets++;
	if (s->sets == SLOTS_FEW + 1)
		grow_stem_table(s, SLOTS);
	else if (s->sets == 2 * SLOTS)
		grow_stem_table(s, SLOTS_MANY);
	struct stem_slot *e = find_stem_slot(s, lang, raw);
	memcpy(e->key, raw.p, raw.n);
	if (stem.n > 0)
		memcpy(e->stem, stem.p, stem.n);
	e->keylen = (uint8_t)raw.n;
	e->stemlen = (uint8_t)stem.n;
	e->lang = (uint8_t)lang;
	e->stop = stop;
}

/* The stem of a folded word; the word itself where there is no stemmer or nothing is left. */
static struct mem_str
stem_by_snowball(struct text_stems *s, enum text_lang lang, struct mem_str word)
{
	if (lang == TEXT_LANG_NONE)
		return word;
	struct sb_stemmer *sb = s->by_lang[lang];
	if (sb == NULL)
		sb = s->by_lang[lang] = sb_stemmer_new(text_languages[lang].name, NULL);
	const sb_symbol *p = sb != NULL ?
	    sb_stemmer_stem(sb, (const sb_symbol *)word.p, (int)word.n) : NULL;
	if (p == NULL || sb_stemmer_length(sb) == 0)
		return word;
	return (struct mem_str){ (const char *)p, (size_t)sb_stemmer_length(sb) };
}

/* Rules 5 to 7 without memory of words: the stem is appended to out. */
static bool
make_stem(struct text_stems *s, enum text_lang lang, struct mem_str raw, struct mem_buf *out)
{
	mem_buf_reset(&s->folded);
	mem_buf_reset(&s->stripped);
	text_fold_case(&s->folded, raw, lang == TEXT_LANG_TURKISH);
	text_strip_marks(&s->stripped, mem_buf_span(&s->folded));
	struct mem_str plain = mem_buf_span(&s->stripped);
	if (text_languages[lang].strip_first)
		mem_buf_str(out, stem_by_snowball(s, lang, text_find_base(lang, plain)));
	else
		text_strip_marks(out, stem_by_snowball(s, lang, mem_buf_span(&s->folded)));
	return s->words != NULL && lang < TEXT_LANG_LATIN_COUNT ?
	    (text_word_table_find(s->words, plain).stops >> lang & 1) != 0 : text_is_stop_word(lang, plain);
}

bool
text_put_stem(struct text_stems *s, enum text_lang lang, struct mem_str raw, struct mem_buf *out)
{
	const struct stem_slot *e = find_stem_slot(s, lang, raw);
	if (has_slot_word(e, lang, raw)) {
		mem_buf_put(out, e->stem, e->stemlen);
		return e->stop;
	}
	size_t at = out->len;
	bool stop = make_stem(s, lang, raw, out);
	set_stem_slot(s, lang, raw, (struct mem_str){ out->data + at, out->len - at }, stop);
	return stop;
}

void
text_look_up_word(struct text_stems *s, struct mem_str raw, struct text_word_facts *out)
{
	const struct stem_slot *e = find_stem_slot(s, LANG_MASK, raw);
	if (has_slot_word(e, LANG_MASK, raw)) {
		memcpy(out, e->stem, sizeof *out);
		return;
	}
	mem_buf_reset(&s->stripped);
	mem_text_fold(&s->stripped, raw);
	struct mem_str folded = mem_buf_span(&s->stripped);
	struct text_word_entry there = { .listed = true };
	if (s->words != NULL)
		there = text_word_table_find(s->words, folded);
	*out = (struct text_word_facts){ .stops = s->words != NULL ? there.stops : text_stop_word_mask(folded) };
	if (there.listed)
		text_find_mark_word(folded, raw, out->classes);
	set_stem_slot(s, LANG_MASK, raw, (struct mem_str){ (const char *)out, sizeof *out }, false);
}
