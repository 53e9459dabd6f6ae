/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text: from characters to index terms.
 *
 * The same analyser makes the terms of a text and of a query, so its rules are part
 * of the store: mem_analyser_hash goes into table meta, and another hash means the
 * index has to be built again, and the marks of texts (marks.h) with it.  The rules, in full:
 *
 * 1. Runs.  Text falls into runs of scripts that are written without spaces or glue their
 *    particles on (Han, Hiragana, Katakana, Bopomofo, Hangul, Thai, Lao, Khmer, Myanmar) and the
 *    rest.  Such a run gives overlapping bigrams of its characters (grapheme clusters, UAX #29
 *    §3), each folded (rule 5): 東京都 gives 東京, 京都.  A run of one character gives itself.
 *    So does, as an extra, a Han character with none beside it in its run: 猫の薬 gives 猫の, の薬 and 猫, 薬.
 *
 * 2. Words.  The rest falls into words at UAX #29 §4 boundaries (libunistring).  What holds
 *    no letter or digit (categories L, N) is no word; underscores at a word's ends are cut.
 *
 * 3. Compounds.  Words with exactly one of  . - / \ : @ + = & #  or one  ::  between them, and
 *    nothing else, are one compound.  Its whole form is an extra term: the text from its first to its
 *    last word, cut to 256 bytes at a character, folded, never stemmed, marks stripped.
 *    a/b/c.py gives "a/b/c.py" and a, b, c, py; a word that has parts by rule 4's first
 *    sentence (foo_bar, 3.14, 1,500) is a compound too.
 *    - Of words of letters alone with hyphens the whole form is what they make together, stemmed like any
 *      word: Wi-Fi gives wifi and wi, fi, as WiFi does, and T-shirts tshirt and t, shirt.
 *    - Single letters with only full stops between them are an acronym: U.S.A. gives the extra "u.s.a"
 *      and one term, usa, as USA does.
 *    - A "v" before a digit at the start of a compound or of a part of it is cut: v1.2.3 gives
 *      "1.2.3" and 1, 2, 3, as 1.2.3 does.
 *    - One letter at the end of a compound, or by itself, that is followed by "++", or by "#" and then no
 *      letter or digit, has an extra term: C++ gives "c++" and c, C++17 "c++", c and 17, c# "c#" and c.
 *    - A scheme with "://" is a word by itself: https://x.org/a gives https, "x.org/a", x, org, a.
 *
 * 4. Parts.  A word is cut wherever something stands in it that is not a letter, digit, mark or
 *    invisible character (Cf), with two exceptions: an apostrophe (' U+2019 U+02BC U+FF07) stays, and a middle
 *    dot stays and is dropped (col·lega: collega).  In French, Italian and Catalan an apostrophe cuts too
 *    (l'arbre: l, arbre); in all others but Turkish the only one of a word is dropped where three or more letters stand
 *    behind it (O'Brien: obrien).  More than seven hexadecimal digits, letters among them, have the
 *    first seven as an extra term, by which commits are called: 3f2a9bc04d gives "3f2a9bc" and itself.
 *    What is left, each cut off after 128 bytes at a character, is cut again at changes of case: lower|Upper,
 *    UPPER|Upper-lower, digit|Upper-lower (fooBar, HTTP|Server, sha256|Sum), marks looked
 *    through.  Not where that gives over 8 parts (keys, base64), and not before the last "s" of a
 *    plural (URLs, IDs).  A part that was cut by case keeps its undivided form as an
 *    extra term, stemmed like any word, so that JavaScript meets javascript.
 *
 * 5. Folding.  NFKC, full case folding (C + F), default ignorable code points dropped
 *    (utf8proc); every apostrophe becomes '.  In Turkish I folds to ı and İ to i first.
 *
 * 6. Stems.  Snowball (libstemmer) in the language of the text.  Its rules for most languages
 *    look at marks (ä, é, й), so marks are stripped after stemming; for English, whose rules know
 *    a to z alone, before it (résumés: resum, as resumes).  Stripping: canonical decomposition; nonspacing
 *    marks below U+0900 and in the general blocks (U+0300–036F, 1AB0–1AFF, 1DC0–1DFF, 20D0–20FF, FE20–FE2F)
 *    go; the vowel signs of Indic scripts and the voicing marks of kana stay; then ø o, ł l, đ d, ð d, ħ h,
 *    ı i, æ ae, œ oe, þ th; then NFC.  A stem that came out empty leaves the word as it was.  An irregular form of
 *    English (irregular.c) has the stem of its word: went that of go, children that of child.
 *
 * 7. Stop words.  Per language, compared folded and stripped but unstemmed, without an ending 's.
 *    Parts of a compound and of a word cut by case are none (getUserName, x.org/a).  Every word is
 *    indexed; the flag is for queries.
 *
 * `auto`: words of each script get one language.  Cyrillic Russian, Greek Greek, Arabic Arabic,
 * Devanagari Hindi, Tamil Tamil, Armenian Armenian; Latin the language (english german french spanish italian
 * portuguese dutch swedish danish norwegian finnish turkish hungarian romanian) most of whose stop words stand
 * in the text, the first in this order when some are equal, English when there is none;
 * everything else none.  A word belongs to the script of its first letter.
 */
#ifndef MEM_TEXT_H
#define MEM_TEXT_H

#include "base/base.h"

#define MEM_WORD_MAX  128 /* bytes of text that a part's term is made of */
#define MEM_WHOLE_MAX 256 /* bytes of text that a compound's whole form is made of */

struct mem_analyser;

/* `language`: a Snowball name ("english", "german", …), "none" (no stems, no stop words), or
 * "auto".  MEM_USAGE: unknown.  Cheap: stemmers are made at first need. */
enum mem_status mem_analyser_open(struct mem_analyser **out, const char *language,
    struct mem_err *err) MEM_CHECKED;
void mem_analyser_close(struct mem_analyser *a);
/* Of rules and language: changes whenever the same text would give other terms or marks. */
uint64_t mem_analyser_hash(const struct mem_analyser *a);

/* One term and where it came from. */
struct mem_term {
	struct mem_str text;    /* BORROWS, until the next mem_analyse with this analyser */
	uint32_t start, end;    /* bytes in the analysed text */
	uint32_t position;      /* from 0; an extra whole form has that of the part after it */
	bool stop;              /* a stop word of its language: queries may drop it */
	bool extra;             /* not counted in a text's length: a whole form, or alternative */
	bool alternative;       /* mem_analyse_query: a stem of another language */
};
/*
 * The terms of valid UTF-8 (under 4 GiB) in order; the array BORROWS from the analyser.  The
 * length of a document is the number of terms that are not `extra`.
 */
void mem_analyse(struct mem_analyser *a, struct mem_str text,
    const struct mem_term **terms, size_t *n);

/*
 * The same for a query.  Under `auto` the language of a few words is a guess, so the other stems
 * that a Latin word has in the languages above follow it, with its position, as extra
 * alternatives.  With one of these languages a query of four to 64 terms that has more stop words of another one, and
 * at least two, has those flagged, too; otherwise this is mem_analyse.
 */
void mem_analyse_query(struct mem_analyser *a, struct mem_str text,
    const struct mem_term **terms, size_t *n);

/*
 * What a text names of dates: years from 1900 to 2099, months by name, and the day beside one (8 May, May 8th, 8 de
 * mayo); and all of 2023-05-08 and 2023-05.  Names are those of the text's language where that is English, German, French or
 * Spanish.  Returns how many there are in `out`, at most max.
 */
enum mem_date_kind { MEM_DATE_DAY, MEM_DATE_MONTH, MEM_DATE_YEAR };
struct mem_date_part {
	enum mem_date_kind kind;
	int value;                     /* from 1 */
	uint32_t start, end;           /* bytes of the text; 0: of none */
};
size_t mem_text_date_parts(struct mem_analyser *a, struct mem_str text, struct mem_date_part *out, size_t max);
/* The three of a time's day in UTC. */
#define MEM_DATE_PARTS 3
size_t mem_date_parts_of(int64_t at, struct mem_date_part out[MEM_DATE_PARTS]);

/*
 * Letters of texts: of Latin script, and of all others.  Of runs (rule 1) a letter counts in each of its bigrams, since one of
 * those scripts says more.  Foreign: most are of other scripts, which English models do not read (model.h).
 */
struct mem_letters {
	uint64_t latin, other;
};
void mem_letters_count(struct mem_letters *sum, const struct mem_term *terms, size_t n); /* adds those of the terms */
bool mem_letters_are_foreign(const struct mem_letters *l);

/* Folded and stripped as words are, unstemmed, appended: for names, tags and exact fields. */
void mem_text_fold(struct mem_buf *out, struct mem_str text);
struct mem_str mem_text_folded(struct mem_arena *a, struct mem_str text); /* the same, ARENA */
/* What tells names apart, appended: the folded text, and of marks alone the text itself, without the blanks around it. */
void mem_text_fold_name(struct mem_buf *out, struct mem_str name);
/* Folded by rule 5 alone, so that accents stay; appended. */
void mem_text_fold_letters(struct mem_buf *out, struct mem_str text);
/* Is the character one of words: a letter, digit or mark (categories L, N, M)? */
bool mem_char_is_word(uint32_t c);
/* Is it white space (Unicode's White_Space)? */
bool mem_char_is_space(uint32_t c);

/*
 * Does nobody see the character?  Controls but tab and line ends; format characters but the few that are drawn (bidi
 * controls, zero-width characters, soft hyphen, byte order mark, tags …); all other Default_Ignorable_Code_Point of
 * Unicode (variation selectors, fillers, the blocks kept for such); noncharacters; and what has no ink besides.
 * Spaces are seen.
 */
bool mem_char_is_unseen(uint32_t c);
/*
 * The length of what a terminal obeys instead of showing it, which begins with the ESC or U+009B at `at` (ECMA-48): at least that character.
 */
size_t mem_terminal_sequence(struct mem_str s, size_t at);
/*
 * Of one that nobody sees: does it shape what stands beside it, as joiners do in Persian, Hindi and emoji, one
 * variation selector behind what has several forms, and the controls of some scripts behind their letters?  `before`
 * is the character before it that was kept, `after` the next one; 0: none.  Of several in a row at most a selector
 * and a joiner do, so that little can be hidden in them.
 */
bool mem_char_is_shaping(uint32_t before, uint32_t c, uint32_t after);

/*
 * How alike two texts are written, from 0 to 1: twice the different triples of characters that both have, over
 * those of both (Dice, "Measures of the Amount of Ecologic Association Between Species", Ecology 26, 1945).  Texts are folded,
 * and what is no word counts as one blank; of long ones the first 4,096 characters are looked at.
 */
double mem_text_likeness(struct mem_str a, struct mem_str b);
/*
 * Calls fn for each pair of n texts whose likeness is at least `least`, above 0: text i with one before it, j < i; by i, then by j.
 * Most pairs are never looked at.  A text without a word is like none.  False: fn ended it.
 */
typedef bool mem_likeness_fn(void *ctx, size_t i, size_t j, double likeness);
bool mem_likeness_pairs(const struct mem_str *texts, size_t n, double least, mem_likeness_fn *fn, void *ctx);

/*
 * Which of many texts repeat one before: whose likeness to it is at least .9.  Most pairs are never looked at: sets of triples that
 * differ in so few have a part in common, if all triples are divided into more parts than that (Arasu, Ganti and Kaushik,
 * "Efficient exact set-similarity joins", VLDB 2006).
 */
#define MEM_REPEAT_LIKENESS .9
struct mem_repeats;
struct mem_repeats *mem_repeats_open(void);     /* OWNS */
void mem_repeats_close(struct mem_repeats *r);
/* Does `text` repeat one that was kept?  It is BORROWED until the close. */
bool mem_repeats_find(struct mem_repeats *r, struct mem_str text);
/* Keeps the text that was looked for last. */
void mem_repeats_keep(struct mem_repeats *r);

/*
 * NFC (Unicode Standard Annex #15), code point by code point: put one, then take what is settled by
 * it, which may be none or several; at the end finish, and take the rest.  What is put is buffered only
 * as long as marks may follow.
 */
struct mem_nfc;
struct mem_nfc *mem_nfc_new(void);      /* OWNS */
void mem_nfc_free(struct mem_nfc *n);
void mem_nfc_put(struct mem_nfc *n, uint32_t c);
void mem_nfc_finish(struct mem_nfc *n);
bool mem_nfc_take(struct mem_nfc *n, uint32_t *c);
/* NFC of a whole text, appended. */
void mem_text_nfc(struct mem_buf *out, struct mem_str text);

#endif
