/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clean, inside: what a text hides from rules, as views of it, and the characters and beginnings of tokens.
 */
#ifndef MEM_CLEAN_HIDDEN_INT_H
#define MEM_CLEAN_HIDDEN_INT_H

#include "clean/clean_int.h"

/* ---- views ------------------------------------------------------------- */

/* What the base64 in `parent` stands for, where that is text, each piece behind a newline.  False: there is none. */
bool clean_view_decode(struct mem_view *v, const struct mem_view *parent);
/* The same of base64 that goes on over lines, whole lines of it. */
bool clean_view_decode_lines(struct mem_view *v, const struct mem_view *parent);
/* The same of hexadecimal digits: in a row, parted by blanks, or behind \x or % each. */
bool clean_view_unhex(struct mem_view *v, const struct mem_view *parent);
/* `parent` with %5F, &#95; and &#x5f; as the characters that they are, and + between letters as a blank.  False: there is none. */
bool clean_view_unnumber(struct mem_view *v, const struct mem_view *parent);
/* `parent` without tags and comments of HTML between two letters of a word.  False: there are none. */
bool clean_view_untag(struct mem_view *v, const struct mem_view *parent);
/* The lines of `parent` that have emphasis of Markdown, or tags of HTML within a line, without these.  False: there is none. */
bool clean_view_unmark(struct mem_view *v, const struct mem_view *parent);
/* The tokens of `parent` that a line's end, with or without a backslash, the quotes of two strings or a tag break, whole and each
 * behind a space.  False: there is none. */
bool clean_view_unwrap(struct mem_view *v, const struct mem_view *parent);

/*
 * Behind the quote at `at`, where a string ends and goes on in another as in "a" + "b" or 'a''b': where the other one's
 * characters begin, and *end where its quote stands.  0: it does not.
 */
size_t clean_find_joined_string(struct mem_str s, size_t at, size_t *end);

/* Each run of a token's characters that a token written backwards may be, forwards and between blanks.  False: there is none. */
bool clean_view_reverse(struct mem_view *v, const struct mem_view *parent, const struct clean_set sets[2]);
/* Cells of tables that look like secrets below or behind a word for one, as rules are to read them.  False: there is none. */
bool clean_view_tables(struct mem_view *v, const struct mem_view *parent, const struct mem_clean *c);
/* Tokens whose characters stand in groups of one length, or one by one, parted by blanks, line ends or dashes, whole.  False: there
 * is none. */
bool clean_view_ungroup(struct mem_view *v, const struct mem_view *parent, const struct clean_set sets[2]);
/* Tokens that begin within a word or another token, each from its beginning on and between blanks.  False: there is none. */
bool clean_view_nested(struct mem_view *v, const struct mem_view *parent, const struct mem_clean *c);

/* ---- tokens and their beginnings ---------------------------------------- */

/* Letters, digits and _-.+/=: */
extern const bool clean_token_chars[256];
/* May it be part of a token? */
static inline bool
clean_is_token_char(char c)
{
	return clean_token_chars[(unsigned char)c];
}
/* Behind blanks. */
size_t clean_skip_blanks(struct mem_str s, size_t at);
/* Behind a line's end: indentation, with the mark of a quoted mail, a table or a remark. */
size_t clean_skip_line_head(struct mem_str s, size_t at);
/* Does a literal of a rule for broken tokens stand in it, and begin before `before` and behind nothing of a word? */
bool clean_has_token_start(const struct clean_set sets[2], struct mem_str text, size_t before);
/* Does such a literal, wherever it begins, go over `at`? */
bool clean_has_token_over(const struct clean_set sets[2], struct mem_str text, size_t at);
/* Is the byte part of a text? */
static inline bool
clean_is_text_byte(unsigned char b)
{
	return b >= 0x20 ? b != 0x7f : b == '\n' || b == '\t' || b == '\r';
}

#endif
