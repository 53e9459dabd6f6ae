/* SPDX-License-Identifier: Apache-2.0 */
/* Does a full stop, an ellipsis or another mark end a sentence?  The words before and after it decide. */
#include "text/sentence_int.h"

#include <string.h>
#include <utf8proc.h>

/* Bytes that are looked at before a mark and after it: no word that decides anything is longer. */
enum { LOOK_MAX = 64 };

/* ---- characters --------------------------------------------------------- */

enum letter_case { NO_LETTER, SMALL, CAPITAL, CASELESS, DIGIT };

static enum letter_case
find_case(uint32_t c)
{
	if (c < 0x80)
		return (unsigned)(c - 'a') < 26 ? SMALL : (unsigned)(c - 'A') < 26 ? CAPITAL :
		    (unsigned)(c - '0') < 10 ? DIGIT : NO_LETTER;
	switch (utf8proc_category((utf8proc_int32_t)c)) {
	case UTF8PROC_CATEGORY_LL:
		return SMALL;
	case UTF8PROC_CATEGORY_LU: case UTF8PROC_CATEGORY_LT:
		return CAPITAL;
	case UTF8PROC_CATEGORY_LM: case UTF8PROC_CATEGORY_LO: case UTF8PROC_CATEGORY_MN: case UTF8PROC_CATEGORY_MC:
		return CASELESS;
	case UTF8PROC_CATEGORY_ND:
		return DIGIT;
	default:
		return NO_LETTER;
	}
}

/* Letters of scripts that have initials: not those whose one character is a syllable or a word. */
static bool
may_be_initial(uint32_t c)
{
	return c < 0x0e00 || (c >= 0x10a0 && c < 0x1100) || (c >= 0x1e00 && c < 0x2000);
}

static bool
is_ascii_digit_byte(char c)
{
	return (unsigned)(c - '0') < 10;
}

/* ---- the marks themselves ----------------------------------------------- */

/* What stands between the last word of a sentence and the white space after it. */
struct ending {
	size_t start, end;      /* of all marks, and of what closes after them */
	unsigned marks;
	bool ellipsis;          /* several full stops */
	bool closed;            /* by a quote or bracket */
};

/* Reads marks of an end, and blanks with more of them after (". . ."). */
static size_t
read_marks(struct mem_str text, size_t at, struct ending *e)
{
	unsigned stops = 0;
	for (;;) {
		uint32_t c;
		size_t n = text_read_char(text, at, text.n, &c);
		unsigned marks = text_find_marks(c) & (TEXT_MARK_ENDS | TEXT_MARK_WIDE);
		if ((marks & TEXT_MARK_ENDS) != 0 || (c == ';' && stops == 0 && e->marks == 0)) {
			e->marks |= c == ';' ? TEXT_MARK_STRONG : marks;
			stops += c == '.';
			at += n;
			continue;
		}
		if (c != ' ' || at + 1 >= text.n || (text.p[at + 1] != '.' && text.p[at + 1] != '!' && text.p[at + 1] != '?'))
			break;
		text_read_char(text, at + 2, text.n, &c);
		if (c != 0 && !mem_char_is_space(c) && (text_find_marks(c) & (TEXT_MARK_ENDS | TEXT_MARK_CLOSES)) == 0)
			break;
		at++;
	}
	e->ellipsis = stops > 1 || (e->marks & TEXT_MARK_ELLIPSIS) != 0;
	return at;
}

/* "[12]" at `at`: its length. */
static size_t
find_footnote(struct mem_str text, size_t at)
{
	size_t i = at + 1;
	if (at >= text.n || text.p[at] != '[')
		return 0;
	while (i < text.n && i < at + LOOK_MAX && is_ascii_digit_byte(text.p[i]))
		i++;
	return i > at + 1 && i < text.n && text.p[i] == ']' ? i + 1 - at : 0;
}

/* French: a blank before the closing quote, and no word that it would open. */
static size_t
find_spaced_quote(struct mem_str text, size_t at)
{
	uint32_t blank, quote, next;
	size_t n = text_read_char(text, at, text.n, &blank);
	size_t m = text_read_char(text, at + n, text.n, &quote);
	if (n == 0 || blank == '\n' || !mem_char_is_space(blank) || quote != 0xbb)
		return 0;
	text_read_char(text, at + n + m, text.n, &next);
	return find_case(next) == NO_LETTER ? n + m : 0;
}

static size_t
read_closers(struct mem_str text, size_t at, struct ending *e)
{
	for (;;) {
		uint32_t c;
		size_t n = text_read_char(text, at, text.n, &c), more;
		unsigned marks = text_find_marks(c);
		if ((marks & (TEXT_MARK_CLOSES | TEXT_MARK_PICTURE)) != 0) {
			e->closed = e->closed || (marks & TEXT_MARK_CLOSES) != 0;
			at += n;
		} else if ((more = find_footnote(text, at)) > 0) {
			at += more;
		} else if ((more = find_spaced_quote(text, at)) > 0) {
			e->closed = true;
			at += more;
		} else
			return at;
	}
}

/* ":)" and its kin, with nothing but white space after: their length. */
static size_t
find_smiley(struct mem_str text, size_t at)
{
	size_t i = at;
	uint32_t c;
	if (i >= text.n || strchr(":;=", text.p[i]) == NULL || text.p[i] == '\0')
		return 0;
	i++;
	i += i < text.n && text.p[i] == '-';
	if (i >= text.n || strchr(")(DPp/|*", text.p[i]) == NULL || text.p[i] == '\0')
		return 0;
	i++;
	text_read_char(text, i, text.n, &c);
	return c == 0 || mem_char_is_space(c) ? i - at : 0;
}

/* Over blanks, pictures and smileys that a sentence takes along. */
static size_t
read_pictures(struct mem_str text, size_t end)
{
	size_t at = end;
	for (;;) {
		uint32_t c;
		size_t n = text_read_char(text, at, text.n, &c);
		if (c == ' ')
			at += n;
		else if ((text_find_marks(c) & TEXT_MARK_PICTURE) != 0)
			end = at += n;
		else if ((n = find_smiley(text, at)) > 0)
			end = at += n;
		else
			return end;
	}
}

/* ---- the word after ---------------------------------------------------- */

struct next_word {
	size_t at;              /* of its first letter */
	enum letter_case letter;
	bool joins;             /* a comma or the like instead */
	bool opened;            /* by a quote or bracket before it */
	bool none;              /* the text ends */
	struct mem_str word;    /* up to what is no letter, at most LOOK_MAX bytes */
	uint32_t follower;      /* the character after it */
	bool elided;            /* which is an apostrophe before a capital */
};

static struct next_word
look_at_next(struct mem_str text, size_t at)
{
	struct next_word w = { .at = text_skip_white_space(text, at) };
	uint32_t c;
	size_t n = text_read_char(text, w.at, text.n, &c), limit = w.at + LOOK_MAX;
	w.none = n == 0;
	w.joins = (text_find_marks(c) & TEXT_MARK_JOINS) != 0 || c == ')' || c == ']';
	while (w.at < limit && (text_find_marks(c) & TEXT_MARK_OPENS) != 0) {
		w.opened = true;
		w.at += n;
		n = text_read_char(text, w.at, text.n, &c);
	}
	w.letter = find_case(c);
	w.word = (struct mem_str){ text.p + w.at, 0 };
	while (w.word.n < LOOK_MAX && find_case(c) != NO_LETTER) {
		w.word.n += n;
		n = text_read_char(text, w.at + w.word.n, text.n, &c);
	}
	w.follower = c;
	text_read_char(text, w.at + w.word.n + n, text.n, &c);
	w.elided = (w.follower == '\'' || w.follower == 0x2019) && find_case(c) == CAPITAL;
	return w;
}

/* mem-rank, map_size, x2, getName, a/b: something before the next white space that words have not. */
static bool
is_name_of_code(struct mem_str text, size_t at)
{
	for (size_t i = at; i < text.n && i < at + LOOK_MAX && (unsigned char)text.p[i] > ' '; i++)
		if (strchr("-_/=(", text.p[i]) != NULL || is_ascii_digit_byte(text.p[i]) || (unsigned)(text.p[i] - 'A') < 26)
			return true;
	return false;
}

/* "B." of "z. B." */
static bool
is_single_letter(const struct next_word *w)
{
	uint32_t c;
	return w->follower == '.' && text_read_char(w->word, 0, w->word.n, &c) == w->word.n;
}

/* Does a sentence rather than a name begin here?  O'Neil is none. */
static bool
starts_sentences(const struct next_word *w)
{
	unsigned wanted = w->letter == SMALL ? TEXT_WORD_STARTS_SMALL : TEXT_WORD_STARTS;
	return !w->elided && !is_single_letter(w) && (text_find_listed_word(w->word) & wanted) != 0;
}

/* ---- the word before ---------------------------------------------------- */

struct last_word {
	size_t start;           /* after what opens */
	struct mem_str word;    /* n 0: none, or something that is no word */
	bool first;             /* the first of the sentence */
	bool second;            /* the one after it */
};

/* The word that ends at `end`, by white space. */
static size_t
find_spaced_word_start(struct mem_str text, size_t start, size_t end)
{
	size_t at = end, floor = end > LOOK_MAX && end - LOOK_MAX > start ? end - LOOK_MAX : start;
	uint32_t c;
	for (size_t n; (n = text_read_char_before(text, floor, at, &c)) > 0 && !mem_char_is_space(c);)
		at -= n;
	while (at < end) {
		size_t n = text_read_char(text, at, end, &c);
		if (find_case(c) != NO_LETTER)
			break;
		at += n;
	}
	return at;
}

static struct mem_str
find_spaced_word_before(struct mem_str text, size_t start, size_t at)
{
	size_t floor = at > LOOK_MAX && at - LOOK_MAX > start ? at - LOOK_MAX : start;
	size_t end = text_trim_end(text, floor, at), from = find_spaced_word_start(text, floor, end);
	return (struct mem_str){ text.p + from, end - from };
}

static bool
holds_no_letters(struct mem_str text, size_t start, size_t end)
{
	uint32_t c;
	if (end - start > LOOK_MAX)
		return false;
	for (size_t at = start; at < end;) {
		at += text_read_char(text, at, end, &c);
		if (find_case(c) != NO_LETTER)
			return false;
	}
	return true;
}

static struct last_word
look_at_last(struct mem_str text, size_t start, size_t end)
{
	struct last_word w = { .start = end };
	uint32_t c;
	text_read_char_before(text, start, end, &c);
	if (find_case(c) == NO_LETTER)
		return w;
	w.start = find_spaced_word_start(text, start, end);
	w.word = (struct mem_str){ text.p + w.start, end - w.start };
	w.first = holds_no_letters(text, start, w.start);
	if (!w.first) {
		struct mem_str before = find_spaced_word_before(text, start, w.start);
		size_t at = (size_t)(before.p - text.p);
		w.second = before.n > 0 && find_case((unsigned char)before.p[0]) != DIGIT && holds_no_letters(text, start, at) &&
		    holds_no_letters(text, at + before.n, w.start);
	}
	return w;
}

/* ---- what may follow a full stop without a new sentence ------------------ */

enum { BEFORE_NAME = TEXT_BEFORE_SMALL | TEXT_BEFORE_DIGIT | TEXT_BEFORE_CAPITAL };

/* Digits, with . , : between them; *groups: how many. */
static bool
is_number(struct mem_str word, unsigned *groups)
{
	*groups = 1;
	for (size_t i = 0; i < word.n; i++) {
		bool digit = is_ascii_digit_byte(word.p[i]);
		if (!digit && strchr(".,:", word.p[i]) == NULL)
			return false;
		*groups += !digit;
	}
	return word.n > 0;
}

static unsigned
judge_number(struct mem_str text, size_t start, const struct last_word *last, unsigned groups, const struct next_word *next)
{
	if (groups == 1 && last->word.n <= 3) {
		uint32_t c;
		text_read_char_before(text, start, text_trim_end(text, start, last->start), &c);
		if (last->first || last->second || c == ':')
			return BEFORE_NAME | TEXT_BEFORE_ANY;
		if ((text_find_listed_word(next->word) & TEXT_WORD_MONTH) != 0)
			return BEFORE_NAME;
		struct mem_str before = find_spaced_word_before(text, start, last->start);
		if ((text_find_listed_word(before) & TEXT_WORD_ORDINAL) != 0)
			return TEXT_BEFORE_SMALL | TEXT_BEFORE_CAPITAL;
	}
	return starts_sentences(next) ? 0 : TEXT_BEFORE_SMALL;
}

static unsigned
judge_letter(struct mem_str text, size_t start, const struct last_word *last, uint32_t c, const struct next_word *next)
{
	uint32_t before;
	struct mem_str word;
	switch (find_case(c)) {
	case CAPITAL:
		word = find_spaced_word_before(text, start, last->start);
		text_read_char(word, 0, word.n, &before);
		return c == 'I' && find_case(before) == SMALL ? TEXT_BEFORE_SMALL : BEFORE_NAME;
	case SMALL:
		return c >= 0x80 || is_single_letter(next) ? BEFORE_NAME : TEXT_BEFORE_SMALL | TEXT_BEFORE_DIGIT;
	default:
		return may_be_initial(c) ? BEFORE_NAME : 0;
	}
}

/* Single letters with full stops between: U.S, e.g, т.е; as judged by the last. */
static unsigned
judge_acronym(struct mem_str word)
{
	uint32_t c = 0;
	for (size_t at = 0; at < word.n;) {
		at += text_read_char(word, at, word.n, &c);
		if ((find_case(c) != SMALL && find_case(c) != CAPITAL && find_case(c) != CASELESS) || !may_be_initial(c))
			return 0;
		if (at < word.n && word.p[at++] != '.')
			return 0;
	}
	return find_case(c) == SMALL ? BEFORE_NAME | TEXT_BEFORE_ANY : BEFORE_NAME;
}

static bool
is_roman_number(struct mem_str word)
{
	for (size_t i = 0; i < word.n; i++)
		if (strchr("IVXLC", word.p[i]) == NULL)
			return false;
	return word.n > 1;
}

/* A word that nothing is known of, before a lowercase letter: an abbreviation, or did a sentence begin small? */
static unsigned
judge_unknown(struct mem_str text, size_t start, const struct next_word *next)
{
	size_t limit = start + LOOK_MAX;
	uint32_t c = 0;
	for (size_t n; start < limit && (n = text_read_char(text, start, text.n, &c)) > 0 && find_case(c) == NO_LETTER;)
		start += n;
	bool begins = find_case(c) != CAPITAL || next->opened || is_name_of_code(text, next->at) || starts_sentences(next);
	return begins ? 0 : TEXT_BEFORE_SMALL;
}

/* Two or more capitals, and no full stop between. */
static bool
is_all_capitals(struct mem_str word)
{
	uint32_t c;
	size_t letters = 0;
	for (size_t at = 0; at < word.n; letters++) {
		at += text_read_char(word, at, word.n, &c);
		if (find_case(c) != CAPITAL)
			return false;
	}
	return letters > 1;
}

/* What is listed of a word.  Capitals are another word (MR, KB) unless all is written in them. */
static unsigned
judge_listed(struct mem_str word, const struct next_word *next)
{
	unsigned bits = text_find_listed_word(word) & (BEFORE_NAME | TEXT_BEFORE_ANY);
	bool capitals = is_all_capitals(next->word);
	if (bits == 0 || ((next->letter == CAPITAL || next->letter == SMALL) && !capitals && is_all_capitals(word)))
		return 0;
	/* Co. KG, 5 p.m. EST: what a short name in capitals goes on with. */
	if (capitals && next->word.n <= 4 && (bits & TEXT_BEFORE_SMALL) != 0)
		bits |= TEXT_BEFORE_CAPITAL;
	return bits;
}

static unsigned
judge_word(struct mem_str text, size_t start, const struct last_word *last, struct mem_str word,
    const struct next_word *next)
{
	unsigned groups;
	uint32_t c;
	if (is_number(word, &groups))
		return judge_number(text, start, last, groups, next);
	unsigned bits = judge_listed(word, next);
	if (text_read_char(word, 0, word.n, &c) == word.n)
		return bits | judge_letter(text, start, last, c, next);
	if (bits != 0)
		return bits;
	if (is_roman_number(word))
		return TEXT_BEFORE_SMALL;
	return judge_acronym(word);
}

/* What a word is joined to the one before it with: the word after the last of these counts. */
static size_t
find_tail(struct mem_str word)
{
	size_t tail = 0;
	for (size_t at = 0; at < word.n;) {
		uint32_t c;
		at += text_read_char(word, at, word.n, &c);
		if (c == '-' || c == '/' || c == '\'' || c == '(' || c == 0x2019 || c == 0x2013 || c == 0x2014)
			tail = at;
	}
	return tail;
}

static unsigned
judge_last(struct mem_str text, size_t start, size_t end, const struct next_word *next)
{
	struct last_word last = look_at_last(text, start, end);
	unsigned bits = 0;
	if (last.word.n > 0 && last.word.n < LOOK_MAX) {
		bits = judge_word(text, start, &last, last.word, next);
		size_t tail = bits == 0 ? find_tail(last.word) : 0;
		if (tail > 0)
			bits = judge_word(text, start, &last, (struct mem_str){ last.word.p + tail, last.word.n - tail }, next);
	}
	if (next->letter == SMALL && (bits & TEXT_BEFORE_SMALL) == 0)
		bits |= judge_unknown(text, start, next);
	return bits;
}

/* ---- all of it ---------------------------------------------------------- */

/* Particles that go on with a sentence after a quote in Japanese. */
static bool
goes_on_in_japanese(struct mem_str text, size_t at)
{
	static const uint32_t particles[] = { 0x3068, 0x3063, 0x3092, 0x304c, 0x306f, 0x306b, 0x306e, 0x3082 };
	uint32_t c;
	text_read_char(text, at, text.n, &c);
	for (size_t i = 0; i < MEM_COUNT(particles); i++)
		if (c == particles[i])
			return true;
	return false;
}

static bool
goes_on_after_ellipsis(struct mem_str text, size_t start, const struct ending *e, const struct next_word *next)
{
	if (next->letter != CAPITAL)
		return next->letter != CASELESS;
	if (mem_str_is(next->word, "I"))
		return true;
	size_t end = text_trim_end(text, start, e->start);
	return holds_no_letters(text, start, find_spaced_word_start(text, start, end));
}

static bool
goes_on_after_stop(struct mem_str text, size_t start, const struct ending *e, const struct next_word *next)
{
	static const unsigned wanted[] = {
		[SMALL] = TEXT_BEFORE_SMALL, [DIGIT] = TEXT_BEFORE_DIGIT, [CAPITAL] = TEXT_BEFORE_CAPITAL,
		[CASELESS] = TEXT_BEFORE_CAPITAL, [NO_LETTER] = TEXT_BEFORE_ANY,
	};
	if (e->closed && next->letter == SMALL)
		return true;
	unsigned bits = judge_last(text, start, e->start, next);
	if (e->closed)
		bits &= TEXT_BEFORE_DIGIT;
	if ((bits & wanted[next->letter]) == 0)
		return false;
	return (bits & TEXT_BEFORE_ANY) != 0 || next->letter != CAPITAL || !starts_sentences(next);
}

static bool
goes_on(struct mem_str text, size_t start, const struct ending *e)
{
	uint32_t c;
	text_read_char(text, e->end, text.n, &c);
	bool wide = (e->marks & TEXT_MARK_WIDE) != 0;
	if (c != 0 && !mem_char_is_space(c)) {
		if (!wide || (text_find_marks(c) & TEXT_MARK_JOINS) != 0)
			return true;
		return e->closed && goes_on_in_japanese(text, e->end);
	}
	struct next_word next = look_at_next(text, read_pictures(text, e->end));
	if (next.none)
		return false;
	if (next.joins)
		return true;
	if (wide)
		return false;
	if ((e->marks & TEXT_MARK_STRONG) != 0)
		return e->closed && next.letter == SMALL;
	return e->ellipsis ? goes_on_after_ellipsis(text, start, e, &next) : goes_on_after_stop(text, start, e, &next);
}

bool
text_judge_end(struct mem_str text, size_t start, size_t at, size_t *after)
{
	struct ending e = { .start = at };
	e.end = read_closers(text, read_marks(text, at, &e), &e);
	*after = e.end;
	if (goes_on(text, start, &e))
		return false;
	*after = read_pictures(text, e.end);
	return true;
}
