/* SPDX-License-Identifier: Apache-2.0 */
/* Texts to terms: rules 1 to 4 put together. */
#include "text/marks_int.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include <unistring/version.h>

/* Raised when the same text or node would give other terms. */
enum { RULES = 7 };
/* Raised when it would have other marks. */
enum { MARKS = 3 };

struct mem_analyser {
	enum text_lang lang;   /* of all words, unless automatic */
	enum text_lang latin;  /* under `auto`: of this text's Latin words */
	bool automatic, alternatives, counting;
	struct text_stems *stems;
	struct text_word_list words;
	struct text_spans pieces, parts;
	struct text_terms list;
	struct text_chunks *chunks; /* NULL: no more than a few were met so far */
	size_t nchunks;
	struct mem_buf scratch;
	struct text_tokens tokens; /* of marks.h */
	uint32_t counts[TEXT_LANG_LATIN_COUNT];
};

enum mem_status
mem_analyser_open(struct mem_analyser **out, const char *language, struct mem_err *err)
{
	bool automatic = strcmp(language, "auto") == 0;
	enum text_lang lang = automatic ? TEXT_LANG_NONE : text_parse_language(language);
	*out = NULL;
	if (lang == TEXT_LANG_COUNT)
		return mem_err_set(err, MEM_USAGE, "unknown language '%.60s'", language);
	struct mem_analyser *a = mem_xcalloc(1, sizeof *a);
	a->lang = lang;
	a->automatic = automatic;
	a->stems = text_stems_new();
	*out = a;
	return MEM_OK;
}

void
mem_analyser_close(struct mem_analyser *a)
{
	if (a == NULL)
		return;
	text_stems_free(a->stems);
	free(a->words.words.v);
	free(a->words.breaks);
	free(a->pieces.v);
	free(a->parts.v);
	free(a->list.v);
	text_chunks_free(a->chunks);
	free(a->tokens.v);
	mem_buf_release(&a->list.text);
	mem_buf_release(&a->scratch);
	free(a);
}

uint64_t
mem_analyser_hash(const struct mem_analyser *a)
{
	struct mem_buf b = { 0 };
	mem_buf_printf(&b, "%d %d %s %s %x", RULES, MARKS,
	    a->automatic ? "auto" : text_languages[a->lang].name,
	    utf8proc_unicode_version(), (unsigned)_libunistring_version);
	uint64_t h = mem_hash_fast(b.data, b.len);
	mem_buf_release(&b);
	return h;
}

struct text_stems *
text_analyser_stems(struct mem_analyser *a)
{
	return a->stems;
}

struct text_tokens *
text_analyser_tokens(struct mem_analyser *a)
{
	return &a->tokens;
}

enum text_lang
text_analyser_language(const struct mem_analyser *a)
{
	return a->automatic ? TEXT_LANG_COUNT : a->lang;
}

void
text_segment_by_unicode(struct mem_analyser *a, bool on)
{
	a->words.by_unicode = on;
}

/* ---- terms -------------------------------------------------------------- */

/*
 * A term whose text is what a->list.text has grown by since `at`.  Until the end the text pointer holds the
 * offset, since the buffer may move.  Nothing left of a text of invisible characters is no term.
 */
static void
add_term(struct mem_analyser *a, size_t at, struct text_span span, bool stop, bool extra)
{
	if (a->list.text.len == at)
		return;
	a->list.v = mem_grow(a->list.v, &a->list.cap, a->list.n + 1, sizeof *a->list.v);
	a->list.v[a->list.n++] = (struct mem_term){
		.text = { NULL, a->list.text.len - at },
		.start = span.start,
		.end = span.end,
		.position = a->list.position,
		.stop = stop,
		.extra = extra,
	};
	if (!extra)
		a->list.position++;
}

static enum text_lang
choose_word_language(const struct mem_analyser *a, struct mem_str raw, bool *latin)
{
	*latin = false;
	if (!a->automatic)
		return a->lang;
	for (size_t i = 0; i < raw.n;) {
		uint32_t c;
		i += mem_utf8_decode(raw.p + i, raw.n - i, &c);
		if (!text_is_letter(c))
			continue;
		enum text_lang lang = text_find_script_language(c, latin);
		return *latin ? a->latin : lang;
	}
	return TEXT_LANG_NONE;
}

/* The stems that other languages would give a word, after its own. */
static void
add_stem_alternatives(struct mem_analyser *a, struct mem_str raw, struct text_span span,
    uint32_t position, bool extra)
{
	size_t first = a->list.n - 1, first_at = a->list.text.len - a->list.v[first].text.n;
	for (int i = 0; i < TEXT_LANG_LATIN_COUNT; i++) {
		size_t at = a->list.text.len, other = first_at;
		(void)text_put_stem(a->stems, (enum text_lang)i, raw, &a->list.text);
		struct mem_str stem = { a->list.text.data + at, a->list.text.len - at };
		bool known = stem.n == 0;
		for (size_t k = first; k < a->list.n && !known; other += a->list.v[k++].text.n)
			known = mem_str_eq(stem, (struct mem_str){ a->list.text.data + other, a->list.v[k].text.n });
		if (known) {
			a->list.text.len = at;
			continue;
		}
		add_term(a, at, span, false, true);
		a->list.v[a->list.n - 1].position = position;
		a->list.v[a->list.n - 1].alternative = !extra;
	}
}

static void
count_stop_word(struct mem_analyser *a, struct mem_str raw)
{
	struct text_word_facts facts;
	text_look_up_word(a->stems, raw, &facts);
	for (uint32_t m = facts.stops; m != 0; m &= m - 1)
		a->counts[__builtin_ctz(m)]++;
}

/* `name`: a part of a compound or of a word cut by case, where no word is without meaning. */
static void
add_word_term(struct mem_analyser *a, struct mem_str raw, struct text_span span, bool extra, bool name)
{
	bool latin;
	enum text_lang lang = choose_word_language(a, raw, &latin);
	if (a->counting) {
		if (latin && !extra)
			count_stop_word(a, raw);
		return;
	}
	size_t at = a->list.text.len;
	uint32_t position = a->list.position;
	mem_buf_reserve(&a->list.text, 1);
	bool stop = text_put_stem(a->stems, lang, raw, &a->list.text);
	bool empty = a->list.text.len == at;
	add_term(a, at, span, stop && !name, extra);
	if (a->alternatives && latin && !empty)
		add_stem_alternatives(a, raw, span, position, extra);
}

static struct mem_str
slice_text(struct mem_str text, struct text_span s)
{
	return (struct mem_str){ text.p + s.start, s.end - s.start };
}

static void
add_part_term(struct mem_analyser *a, struct mem_str text, struct text_span span, bool extra, bool name)
{
	add_word_term(a, slice_text(text, span), span, extra, name);
}

static void
add_folded_term(struct mem_analyser *a, struct mem_str text, struct text_span span, const char *tail,
    bool extra)
{
	size_t at = a->list.text.len;
	if (a->counting)
		return;
	mem_buf_reset(&a->scratch);
	text_fold_case(&a->scratch, slice_text(text, span), false);
	text_strip_marks(&a->list.text, mem_buf_span(&a->scratch));
	mem_buf_puts(&a->list.text, tail);
	span.end += (uint32_t)strlen(tail);
	add_term(a, at, span, false, extra);
}

/* ---- runs --------------------------------------------------------------- */

static bool
is_han_at(struct mem_str text, size_t at)
{
	uint32_t c;
	mem_utf8_decode(text.p + at, text.n - at, &c);
	return (c >= 0x3400 && c <= 0x9fff && (c < 0x4dc0 || c >= 0x4e00)) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0x20000 && c <= 0x3ffff);
}

/* A word of one Han character, which kana part from others: the one from `at` to `next`, in a run to `end`. */
static void
add_lone_han_term(struct mem_analyser *a, struct mem_str text, bool han_before, size_t at, size_t next, size_t end)
{
	if (is_han_at(text, at) && !han_before && !(next < end && is_han_at(text, next)))
		add_folded_term(a, text, (struct text_span){ (uint32_t)at, (uint32_t)next }, "", true);
}

static void
add_run_terms(struct mem_analyser *a, struct mem_str text, size_t start, size_t end)
{
	size_t mid = text_find_cluster_end(text, start, end);
	bool han_before = false;
	if (mid == end)
		add_folded_term(a, text, (struct text_span){ (uint32_t)start, (uint32_t)end }, "", false);
	while (mid < end) {
		size_t next = text_find_cluster_end(text, mid, end);
		add_lone_han_term(a, text, han_before, start, mid, end);
		han_before = is_han_at(text, start);
		if (next == end)
			add_lone_han_term(a, text, han_before, mid, end, end);
		add_folded_term(a, text, (struct text_span){ (uint32_t)start, (uint32_t)next }, "", false);
		start = mid;
		mid = next;
	}
}

/* ---- words and compounds ------------------------------------------------ */

static bool
is_joined_pair(struct mem_str text, struct text_span left, struct text_span right)
{
	static const bool joins[UCHAR_MAX + 1] = { ['.'] = true, ['-'] = true, ['/'] = true, ['\\'] = true, [':'] = true, ['@'] = true,
		['+'] = true, ['='] = true, ['&'] = true, ['#'] = true };
	size_t n = right.start - left.end;
	const char *p = text.p + left.end;
	if (n == 1)
		return joins[(unsigned char)*p];
	return n == 2 && p[0] == ':' && p[1] == ':';
}

static bool
is_one_letter(struct mem_str text, struct text_span s)
{
	uint32_t c;
	size_t n = mem_utf8_decode(text.p + s.start, s.end - s.start, &c);
	return n == s.end - s.start && text_is_letter(c);
}

static bool
is_acronym(const struct mem_analyser *a, struct mem_str text)
{
	for (size_t i = 0; i < a->pieces.n; i++) {
		struct text_span s = a->pieces.v[i];
		if (!is_one_letter(text, s))
			return false;
		if (i + 1 < a->pieces.n &&
		    (a->pieces.v[i + 1].start != s.end + 1 || text.p[s.end] != '.'))
			return false;
	}
	return true;
}

/* The pieces as one word: an acronym's letters, or Wi-Fi. */
static void
add_joined_term(struct mem_analyser *a, struct mem_str text, struct text_span whole, bool extra)
{
	char letters[MEM_WORD_MAX];
	size_t n = 0;
	for (size_t i = 0; i < a->pieces.n; i++) {
		struct mem_str s = slice_text(text, a->pieces.v[i]);
		if (n + s.n > sizeof letters)
			break;
		memcpy(letters + n, s.p, s.n);
		n += s.n;
	}
	add_word_term(a, (struct mem_str){ letters, n }, whole, extra, true);
}

/* Words of letters alone with a hyphen between each two. */
static bool
is_hyphened_word(const struct mem_analyser *a, struct mem_str text)
{
	for (size_t i = 0; i < a->pieces.n; i++) {
		struct text_span s = a->pieces.v[i];
		if (!text_is_all_letters(slice_text(text, s)))
			return false;
		if (i + 1 < a->pieces.n && (a->pieces.v[i + 1].start != s.end + 1 || text.p[s.end] != '-'))
			return false;
	}
	return a->pieces.n > 1;
}

/* A name without its apostrophe, which in Turkish parts it from its endings: false where there is none. */
static bool
add_apostrophe_term(struct mem_analyser *a, struct mem_str text, struct text_span piece, bool name)
{
	struct text_span mark;
	char letters[MEM_WORD_MAX];
	if ((a->automatic ? a->latin : a->lang) == TEXT_LANG_TURKISH || !text_find_name_apostrophe(text, piece, &mark))
		return false;
	size_t before = mark.start - piece.start, behind = piece.end - mark.end;
	memcpy(letters, text.p + piece.start, before);
	memcpy(letters + before, text.p + mark.end, behind);
	add_word_term(a, (struct mem_str){ letters, before + behind }, piece, false, name);
	return true;
}

/* The v of v1.2.3. */
static bool
is_version_letter(struct mem_str text, struct text_span s)
{
	return s.end - s.start > 1 && (text.p[s.start] | 0x20) == 'v' && text.p[s.start + 1] >= '0' && text.p[s.start + 1] <= '9';
}

static void
add_piece_terms(struct mem_analyser *a, struct mem_str text, struct text_span piece, bool compound)
{
	piece.start += compound && is_version_letter(text, piece);
	piece.end = piece.start + (uint32_t)mem_utf8_cut(slice_text(text, piece), MEM_WORD_MAX);
	if (text_is_hash(slice_text(text, piece)))
		add_folded_term(a, text, (struct text_span){ piece.start, piece.start + TEXT_HASH_LEAST }, "", true);
	if (add_apostrophe_term(a, text, piece, compound))
		return;
	a->parts.n = 0;
	text_find_parts(&a->parts, text, piece);
	if (a->parts.n == 1) {
		add_part_term(a, text, piece, false, compound);
		return;
	}
	add_part_term(a, text, piece, true, true);
	for (size_t i = 0; i < a->parts.n; i++)
		add_part_term(a, text, a->parts.v[i], false, true);
}

/* "++", or "#" with no letter or digit after it: the tail of a name such as C++ and C#. */
static const char *
find_name_tail(struct mem_str text, size_t at)
{
	if (at + 1 < text.n && text.p[at] == '+' && text.p[at + 1] == '+')
		return "++";
	if (at >= text.n || text.p[at] != '#')
		return "";
	uint32_t c = ' ';
	if (at + 1 < text.n)
		mem_utf8_decode(text.p + at + 1, text.n - at - 1, &c);
	return text_is_letter_or_digit(c) ? "" : "#";
}

/* Two or more ASCII letters, none but the first a capital: nothing to cut.  Most words are. */
static bool
is_plain_word(struct mem_str text, struct text_span s)
{
	const unsigned char *p = (const unsigned char *)text.p;
	if (s.end - s.start < 2 || s.end - s.start > MEM_WORD_MAX ||
	    (unsigned)((p[s.start] | 0x20) - 'a') >= 26)
		return false;
	for (uint32_t i = s.start + 1; i < s.end; i++)
		if ((unsigned)(p[i] - 'a') >= 26)
			return false;
	return true;
}

/* Words i to j of the chunk, joined: rule 3. */
static void
add_compound_terms(struct mem_analyser *a, struct mem_str text, size_t i, size_t j)
{
	const struct text_span *w = a->words.words.v;
	struct text_span whole = { w[i].start, w[j].end };
	if (i == j && is_plain_word(text, whole)) {
		add_part_term(a, text, whole, false, false);
		return;
	}
	bool compound = j > i, elides = text_languages[a->automatic ? a->latin : a->lang].elides;
	a->pieces.n = 0;
	for (; i <= j; i++)
		text_find_pieces(&a->pieces, text, w[i], elides, &compound);
	bool joins = compound && is_acronym(a, text);
	if (compound && !joins && is_hyphened_word(a, text)) {
		add_joined_term(a, text, whole, true);
	} else if (compound) {
		struct text_span cut = whole;
		cut.start += is_version_letter(text, whole);
		cut.end = cut.start + (uint32_t)mem_utf8_cut(slice_text(text, cut), MEM_WHOLE_MAX);
		add_folded_term(a, text, cut, "", true);
	}
	if (joins) {
		add_joined_term(a, text, whole, false);
		return;
	}
	for (size_t k = 0; k < a->pieces.n; k++) {
		struct text_span p = a->pieces.v[k];
		if (k + 1 == a->pieces.n && p.end == whole.end && is_one_letter(text, p)) {
			const char *tail = find_name_tail(text, p.end);
			if (tail[0] != '\0')
				add_folded_term(a, text, p, tail, true);
		}
		add_piece_terms(a, text, p, compound);
	}
}

static void
add_compounds(struct mem_analyser *a, struct mem_str text, size_t start, size_t end, bool ascii)
{
	text_find_words(&a->words, text, start, end, ascii);
	const struct text_spans *w = &a->words.words;
	for (size_t i = 0, j; i < w->n; i = j + 1) {
		for (j = i; j + 1 < w->n && is_joined_pair(text, w->v[j], w->v[j + 1]);)
			j++;
		add_compound_terms(a, text, i, j);
	}
}

/* ---- texts -------------------------------------------------------------- */

/* Between two spaces, where no rule looks across: runs, and what lies between them. */
static void
add_chunk_terms(struct mem_analyser *a, struct mem_str text, size_t start, size_t end)
{
	size_t from = start;
	for (size_t i = start; i < end;) {
		size_t run = text_find_run_end(text, i, end);
		if (run == i) {
			uint32_t c;
			i += mem_utf8_decode(text.p + i, end - i, &c);
			continue;
		}
		add_compounds(a, text, from, i, false);
		add_run_terms(a, text, i, run);
		from = i = run;
	}
	add_compounds(a, text, from, end, false);
}

/* Chunks are remembered once there are more of them than a question has: a table costs more than it gives to fewer. */
enum { CHUNKS_FEW = 256 };

/* Between two spaces, ASCII alone. */
static void
add_ascii_chunk(struct mem_analyser *a, struct mem_str text, size_t start, size_t end)
{
	if (a->counting || a->alternatives || ++a->nchunks <= CHUNKS_FEW) {
		add_compounds(a, text, start, end, true);
		return;
	}
	if (a->chunks == NULL)
		a->chunks = text_chunks_new();
	const struct mem_str chunk = { text.p + start, end - start };
	const struct text_terms_mark before = { a->list.n, a->list.text.len, a->list.position };
	if (text_chunk_find(&a->list, a->chunks, chunk, a->latin, (uint32_t)start))
		return;
	add_compounds(a, text, start, end, true);
	text_chunk_keep(a->chunks, &a->list, chunk, a->latin, (uint32_t)start, &before);
}

static void
analyse_text(struct mem_analyser *a, struct mem_str text)
{
	const unsigned char *p = (const unsigned char *)text.p;
	a->list.n = 0;
	a->list.position = 0;
	mem_buf_reset(&a->list.text);
	for (size_t i = 0; i < text.n;) {
		unsigned char any = 0;
		while (i < text.n && p[i] <= ' ')
			i++;
		size_t start = i;
		for (; i < text.n && p[i] > ' '; i++)
			any |= p[i];
		if (any >= 0x80)
			add_chunk_terms(a, text, start, i);
		else if (i > start)
			add_ascii_chunk(a, text, start, i);
	}
	const char *at = a->list.text.data;
	for (size_t i = 0; i < a->list.n; at += a->list.v[i++].text.n)
		a->list.v[i].text.p = at;
}

/* Under `auto`: counts each Latin language's stop words in the text. */
static void
choose_latin_language(struct mem_analyser *a, struct mem_str text)
{
	a->latin = TEXT_LANG_ENGLISH;
	memset(a->counts, 0, sizeof a->counts);
	a->counting = true;
	analyse_text(a, text);
	a->counting = false;
	for (int i = 1; i < TEXT_LANG_LATIN_COUNT; i++)
		if (a->counts[i] > a->counts[a->latin])
			a->latin = (enum text_lang)i;
}

void
mem_analyse(struct mem_analyser *a, struct mem_str text, const struct mem_term **terms, size_t *n)
{
	if (a->automatic)
		choose_latin_language(a, text);
	analyse_text(a, text);
	*terms = a->list.v;
	*n = a->list.n;
}

/* The Latin languages that have a term's word as a stop word. */
static uint32_t
find_stop_languages(struct mem_analyser *a, struct mem_str text, const struct mem_term *t)
{
	struct text_word_facts facts = { 0 };
	if (!t->extra && t->end - t->start <= MEM_WORD_MAX)
		text_look_up_word(a->stems, (struct mem_str){ text.p + t->start, t->end - t->start }, &facts);
	return facts.stops;
}

/* Of each term once. */
static bool
is_term_before(const struct mem_analyser *a, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (mem_str_eq(a->list.v[k].text, a->list.v[i].text))
			return true;
	return false;
}

/* A question in another language than the store's: its stop words are those of its own.  One word tells no language
 * (dog is a stop word in Danish, man and war are in German), nor do three. */
static void
mark_foreign_stop_words(struct mem_analyser *a, struct mem_str text)
{
	enum { WORDS_LEAST = 4, WORDS_MOST = 64, STOPS_LEAST = 2 };
	enum text_lang best = a->lang;
	if (a->list.n < WORDS_LEAST || a->list.n > WORDS_MOST)
		return;
	memset(a->counts, 0, sizeof a->counts);
	for (size_t i = 0; i < a->list.n; i++)
		for (uint32_t m = is_term_before(a, i) ? 0 : find_stop_languages(a, text, &a->list.v[i]); m != 0; m &= m - 1)
			a->counts[__builtin_ctz(m)]++;
	for (int i = 0; i < TEXT_LANG_LATIN_COUNT; i++)
		if (a->counts[i] >= STOPS_LEAST && a->counts[i] > a->counts[best])
			best = (enum text_lang)i;
	for (size_t i = 0; best != a->lang && i < a->list.n; i++)
		if ((find_stop_languages(a, text, &a->list.v[i]) >> best & 1) != 0)
			a->list.v[i].stop = true;
}

void
mem_analyse_query(struct mem_analyser *a, struct mem_str text, const struct mem_term **terms,
    size_t *n)
{
	a->alternatives = a->automatic;
	mem_analyse(a, text, terms, n);
	a->alternatives = false;
	if (!a->automatic && a->lang < TEXT_LANG_LATIN_COUNT)
		mark_foreign_stop_words(a, text);
}
