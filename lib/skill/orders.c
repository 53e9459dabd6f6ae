/* SPDX-License-Identifier: Apache-2.0 */
/* Reading orders: what makes a sentence one, its verb and its object. */
#include "skill/orders.h"

#include <string.h>

#include "base/order.h"

enum {
	READ_MAX = 160,             /* bytes of a sentence that are looked at */
	FIRST_READ = 48,            /* of them, and so on to a blank, those that most orders end in */
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
/* Of both tables the words are in the order of their bytes. */
static const struct order_cue_word {
	const char *word;
	enum order_cue cue;
} cue_words[] = {
	{ "a", CUE_OTHER }, { "after", CUE_OTHER }, { "all", CUE_OTHER }, { "also", CUE_SKIP }, { "always", CUE_DO }, { "an", CUE_OTHER },
	{ "and", CUE_SKIP }, { "another", CUE_OTHER }, { "any", CUE_OTHER }, { "are", CUE_OTHER }, { "as", CUE_OTHER },
	{ "at", CUE_OTHER }, { "avoid", CUE_AVOID }, { "be", CUE_OTHER }, { "because", CUE_OTHER }, { "been", CUE_OTHER },
	{ "before", CUE_OTHER }, { "but", CUE_SKIP }, { "by", CUE_OTHER }, { "can", CUE_OTHER }, { "could", CUE_OTHER },
	{ "do", CUE_DO_VERB }, { "don't", CUE_FORBID }, { "dont", CUE_FORBID }, { "e", CUE_OTHER }, { "each", CUE_OTHER },
	{ "every", CUE_OTHER }, { "finally", CUE_SKIP }, { "first", CUE_SKIP }, { "for", CUE_OTHER }, { "from", CUE_OTHER },
	{ "had", CUE_OTHER }, { "has", CUE_OTHER }, { "have", CUE_OTHER }, { "he", CUE_OTHER }, { "how", CUE_OTHER }, { "i", CUE_OTHER },
	{ "if", CUE_OTHER }, { "in", CUE_OTHER }, { "instead", CUE_SKIP }, { "is", CUE_OTHER }, { "it", CUE_OTHER }, { "its", CUE_OTHER },
	{ "just", CUE_SKIP }, { "many", CUE_OTHER }, { "may", CUE_OTHER }, { "might", CUE_OTHER }, { "more", CUE_OTHER },
	{ "most", CUE_OTHER }, { "must", CUE_MODAL }, { "mustn't", CUE_FORBID }, { "my", CUE_OTHER }, { "never", CUE_FORBID },
	{ "no", CUE_OTHER }, { "not", CUE_OTHER }, { "of", CUE_OTHER }, { "on", CUE_OTHER }, { "one", CUE_OTHER }, { "or", CUE_OTHER },
	{ "other", CUE_OTHER }, { "our", CUE_OTHER }, { "please", CUE_SKIP }, { "shall", CUE_MODAL }, { "she", CUE_OTHER },
	{ "should", CUE_MODAL }, { "shouldn't", CUE_FORBID }, { "simply", CUE_SKIP }, { "since", CUE_OTHER }, { "so", CUE_SKIP },
	{ "some", CUE_OTHER }, { "that", CUE_OTHER }, { "the", CUE_OTHER }, { "their", CUE_OTHER }, { "then", CUE_SKIP },
	{ "there", CUE_OTHER }, { "these", CUE_OTHER }, { "they", CUE_OTHER }, { "this", CUE_OTHER }, { "those", CUE_OTHER },
	{ "to", CUE_OTHER }, { "two", CUE_OTHER }, { "was", CUE_OTHER }, { "we", CUE_SKIP }, { "were", CUE_OTHER }, { "what", CUE_OTHER },
	{ "when", CUE_OTHER }, { "where", CUE_OTHER }, { "which", CUE_OTHER }, { "while", CUE_OTHER }, { "who", CUE_OTHER },
	{ "why", CUE_OTHER }, { "will", CUE_OTHER }, { "with", CUE_OTHER }, { "without", CUE_OTHER }, { "would", CUE_OTHER },
	{ "yes", CUE_OTHER }, { "you", CUE_SKIP }, { "your", CUE_OTHER },
};
/* A clause ends before one of them. */
static const char *const clause_words[] = {
	"about", "across", "after", "and", "as", "at", "because", "before", "between", "but", "by", "during", "for", "from", "if", "in",
	"instead", "into", "like", "on", "or", "over", "rather", "since", "so", "than", "that", "through", "to", "under", "unless",
	"until", "via", "when", "where", "which", "while", "with", "without",
};
static const char *const use_verbs[] = { "use", "using", "prefer", "preferring", "choose", "choosing", "adopt", "adopting" };

static int
compare_with_cue_word(const void *key, const void *member)
{
	return strcmp(key, ((const struct order_cue_word *)member)->word);
}

static enum order_cue
find_cue(const char *word)
{
	const struct order_cue_word *w = mem_sorted_find(word, cue_words, MEM_COUNT(cue_words), sizeof *cue_words, compare_with_cue_word);
	return w != NULL ? w->cue : CUE_NONE;
}

static int
compare_with_clause_word(const void *key, const void *member)
{
	return strcmp(key, *(const char *const *)member);
}

static bool
is_clause_word(const char *word)
{
	return mem_sorted_find(word, clause_words, MEM_COUNT(clause_words), sizeof *clause_words, compare_with_clause_word) != NULL;
}

static bool
is_use_verb(const char *word)
{
	for (size_t i = 0; i < MEM_COUNT(use_verbs); i++)
		if (strcmp(word, use_verbs[i]) == 0)
			return true;
	return false;
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
	bool use = is_use_verb(word), acts = n > 5 && strcmp(word + n - 3, "ing") == 0;
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
	if (is_clause_word(word))
		return r->words == 0; /* rely on, write to */
	if (term->stop)
		return true;
	put_key_word(r, term->text);
	return ++r->words < OBJECT_WORDS;
}

/* The verb and the object of a text that begins with the verb.  False: the object goes on to its end. */
static bool
read_order_object(struct order_reader *r, struct mem_str text)
{
	const struct mem_term *terms;
	size_t n, before = 0;
	bool verb = false;
	r->words = 0;
	mem_buf_reset(&r->key);
	mem_analyse(r->a, text, &terms, &n);
	for (size_t i = 0; i < n; i++) {
		char word[WORD_MAX + 1];
		if (terms[i].extra || terms[i].start < before)
			continue;
		if (i > 0 && clause_ends((struct mem_str){ text.p + before, terms[i].start - before }))
			return true;
		before = terms[i].end;
		read_lower_word((struct mem_str){ text.p, terms[i].end }, terms[i].start, word);
		bool is_verb = !verb && put_verb(r, word, terms[i].text);
		verb = true;
		if (!is_verb && !put_object_word(r, word, &terms[i]))
			return true;
	}
	return false;
}

/* Most objects end soon, and words are read alike whatever follows behind the next blank. */
static void
read_order(struct order_reader *r)
{
	struct mem_str rest = { r->text.p + r->verb, r->text.n - r->verb };
	size_t n = rest.n < FIRST_READ ? rest.n : FIRST_READ;
	while (n < rest.n && rest.p[n] != ' ')
		n++;
	if (!read_order_object(r, (struct mem_str){ rest.p, n }) && n < rest.n)
		(void)read_order_object(r, rest);
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
		read_order(&r);
		const struct mem_order order = { { s.span.start + begin, s.span.end }, mem_buf_span(&r.key), r.forbids };
		if (r.words > 0)
			fn(ctx, &order);
	}
	mem_buf_release(&r.key);
}
