/* SPDX-License-Identifier: Apache-2.0 */
/* Reading orders: what makes a sentence one, its verb and its object. */
#include "skill/orders.h"

#include <string.h>

enum {
	READ_MAX = 160,             /* bytes of a sentence that are looked at */
	LABEL_MAX = 32,             /* "Important:" */
	WORD_MAX = 24,              /* letters of a word that is listed */
	OBJECT_WORDS = 4,
};

/* What a word at the beginning of a sentence says of it. */
enum order_cue {
	CUE_NONE,
	CUE_SKIP,                   /* nothing: please, also */
	CUE_DO,                     /* it is an order: always */
	CUE_MODAL,                  /* an order, maybe with "not": must */
	CUE_DO_VERB,                /* do, which may have "not" behind it */
	CUE_FORBID,                 /* never, don't */
	CUE_AVOID,                  /* avoid: a noun or a verb with -ing follows */
	CUE_OTHER,                  /* no order begins so: the, when */
};
static const struct {
	enum order_cue cue;
	const char *words;          /* each between blanks */
} cue_words[] = {
	{ CUE_SKIP, " please also just simply instead then first finally and but so you we " },
	{ CUE_DO, " always " },
	{ CUE_MODAL, " must should shall " },
	{ CUE_DO_VERB, " do " },
	{ CUE_FORBID, " never don't dont mustn't shouldn't " },
	{ CUE_AVOID, " avoid " },
	{ CUE_OTHER, " the a an this that these those it its they there their he she i my your our what when where which who why how if in on at"
		" for from of to as by is are was were be been has have had can could may might will would not no all any each every some"
		" most many more other another one two after before while because since with without or yes e i.e e.g " },
};
static const char use_verbs[] = " use using prefer preferring choose choosing adopt adopting ";
/* A clause ends before one of them. */
static const char clause_words[] = " when if unless because since for in to with without before after until while that which as and or but by"
	" from on at into than instead via so where during between across over under about rather like through ";

static bool
is_order_word(const char *words, const char *word)
{
	char padded[WORD_MAX + 3];
	size_t n = strlen(word);
	padded[0] = ' ';
	memcpy(padded + 1, word, n);
	memcpy(padded + n + 1, " ", 2);
	return strstr(words, padded) != NULL;
}

static enum order_cue
find_cue(const char *word)
{
	for (size_t i = 0; i < MEM_COUNT(cue_words); i++)
		if (is_order_word(cue_words[i].words, word))
			return cue_words[i].cue;
	return CUE_NONE;
}

/* ---- words ---------------------------------------------------------------- */

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters of the word at `at`, in lower case, with ' for the apostrophe of print; returns its end.  A long one is cut. */
static size_t
read_lower_word(struct mem_str s, size_t at, char out[WORD_MAX + 1])
{
	size_t n = 0;
	while (at < s.n) {
		bool curly = s.n - at >= 3 && memcmp(s.p + at, "\xe2\x80\x99", 3) == 0;
		char c = curly ? '\'' : s.p[at];
		if (!is_letter(c) && !(c == '\'' && n > 0))
			break;
		if (n < WORD_MAX)
			out[n++] = c == '\'' ? c : (char)(c | 0x20);
		at += curly ? 3 : 1;
	}
	out[n] = '\0';
	return at;
}

static size_t
skip_to_letter(struct mem_str s, size_t at)
{
	while (at < s.n && !is_letter(s.p[at]))
		at++;
	return at;
}

/* Where the order begins in a sentence: behind list marks, emphasis and a label; s.n: nowhere. */
static size_t
skip_label(struct mem_str s)
{
	size_t at = skip_to_letter(s, 0);
	size_t limit = s.n < at + LABEL_MAX ? s.n : at + LABEL_MAX;
	const char *colon = at < limit ? memchr(s.p + at, ':', limit - at) : NULL;
	char word[WORD_MAX + 1];
	if (colon == NULL)
		return at;
	size_t end = (size_t)(colon - s.p);
	read_lower_word(s, at, word);
	enum order_cue cue = find_cue(word);
	bool plain = cue == CUE_NONE || cue == CUE_SKIP || cue == CUE_OTHER;
	bool address = end + 1 < s.n && (s.p[end + 1] == '/' || s.p[end + 1] == ':');
	return plain && !address ? skip_to_letter(s, end) : at;
}

/* ---- an order ------------------------------------------------------------- */

struct order_reader {
	struct mem_analyser *a;
	struct mem_str text;        /* of the sentence, from where the order begins */
	size_t verb;                /* where its verb begins */
	bool forbids, avoids;
	struct mem_buf key;
	size_t words;               /* of the object */
};

/* Reads what makes it an order.  False: it is none. */
static bool
read_cues(struct order_reader *r)
{
	char word[WORD_MAX + 1];
	bool modal = false;
	for (size_t at = 0; (at = skip_to_letter(r->text, at)) < r->text.n;) {
		size_t end = read_lower_word(r->text, at, word);
		enum order_cue cue = find_cue(word);
		bool negated = modal && strcmp(word, "not") == 0;
		if (cue == CUE_NONE || (cue == CUE_OTHER && !negated)) {
			r->verb = at;
			return cue == CUE_NONE;
		}
		r->forbids = r->forbids || negated || cue == CUE_FORBID || cue == CUE_AVOID;
		r->avoids = r->avoids || cue == CUE_AVOID;
		modal = cue == CUE_MODAL || cue == CUE_DO_VERB;
		at = end;
	}
	return false;
}

static void
put_key_word(struct order_reader *r, struct mem_str stem)
{
	if (r->key.len > 0)
		mem_buf_putc(&r->key, ' ');
	mem_buf_str(&r->key, stem);
}

/* True: the word is the verb.  What is to be avoided, and is no verb, is the object of "use". */
static bool
put_verb(struct order_reader *r, const char *word, struct mem_str stem)
{
	size_t n = strlen(word);
	bool use = is_order_word(use_verbs, word), acts = n > 5 && strcmp(word + n - 3, "ing") == 0;
	bool is_verb = !r->avoids || use || acts;
	put_key_word(r, use || !is_verb ? MEM_STR("use") : stem);
	return is_verb;
}

/* Does a clause end between two words? */
static bool
clause_ends(struct mem_str between)
{
	for (size_t i = 0; i < between.n; i++)
		if (strchr(",;:.!?()", between.p[i]) != NULL || (unsigned char)between.p[i] == 0xe2) /* a dash, or another mark of print */
			return true;
	return false;
}

/* One word of the object.  False: the object ends before it. */
static bool
put_object_word(struct order_reader *r, const char *word, const struct mem_term *term)
{
	if (is_order_word(clause_words, word))
		return r->words == 0; /* rely on, write to */
	if (term->stop)
		return true;
	put_key_word(r, term->text);
	return ++r->words < OBJECT_WORDS;
}

/* The verb and the object of the text from its verb on. */
static void
read_order_object(struct order_reader *r)
{
	struct mem_str rest = { r->text.p + r->verb, r->text.n - r->verb };
	const struct mem_term *terms;
	size_t n, before = 0;
	bool verb = false;
	r->words = 0;
	mem_buf_reset(&r->key);
	mem_analyse(r->a, rest, &terms, &n);
	for (size_t i = 0; i < n; i++) {
		char word[WORD_MAX + 1];
		if (terms[i].extra || terms[i].start < before)
			continue;
		if (i > 0 && clause_ends((struct mem_str){ rest.p + before, terms[i].start - before }))
			break;
		before = terms[i].end;
		read_lower_word((struct mem_str){ rest.p, terms[i].end }, terms[i].start, word);
		bool is_verb = !verb && put_verb(r, word, terms[i].text);
		verb = true;
		if (!is_verb && !put_object_word(r, word, &terms[i]))
			break;
	}
}

void
mem_orders_each(struct mem_analyser *a, struct mem_str text, mem_order_fn *fn, void *ctx)
{
	struct order_reader r = { .a = a };
	struct mem_sentences all = { .text = text };
	for (struct mem_sentence s; mem_sentences_next(&all, &s);) {
		struct mem_str whole = { text.p + s.span.start, s.span.end - s.span.start };
		size_t begin = s.code ? whole.n : skip_label(whole);
		size_t left = whole.n - begin;
		r.text = (struct mem_str){ whole.p + begin, left < READ_MAX ? left : READ_MAX };
		while (r.text.n < left && r.text.n > 0 && ((unsigned char)r.text.p[r.text.n] & 0xc0) == 0x80)
			r.text.n--; /* at the beginning of a character */
		r.forbids = r.avoids = false;
		if (!read_cues(&r))
			continue;
		read_order_object(&r);
		const struct mem_order order = { { s.span.start + begin, s.span.end }, mem_buf_span(&r.key), r.forbids };
		if (r.words > 0)
			fn(ctx, &order);
	}
	mem_buf_release(&r.key);
}
