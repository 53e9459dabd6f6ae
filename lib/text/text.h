/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text: from characters to index terms.
 *
 * The same analyser makes the terms of a text and of a query, so its rules are part
 * of the store: mem_analyser_hash goes into table meta, and another hash means the
 * index has to be built again.
 *
 *   words        UAX #29 word boundaries (libunistring)
 *   folding      NFKC, case folding, combining marks stripped (utf8proc)
 *   stems        Snowball (libstemmer); `auto` picks the language of each text
 *   CJK          runs of Han, Hiragana, Katakana, Hangul as overlapping bigrams,
 *                a run of one character as itself
 *   identifiers  fooBar_baz, a/b/c.py, v1.2.3, ERR_CONN: whole (folded, never
 *                stemmed) and by part (folded and stemmed)
 */
#ifndef MEM_TEXT_H
#define MEM_TEXT_H

#include "base/base.h"

struct mem_analyser;

/* `language`: a Snowball name ("english", "german", …), "none", or "auto".  MEM_USAGE: unknown. */
enum mem_status mem_analyser_open(struct mem_analyser **out, const char *language,
    struct mem_err *err) MEM_CHECKED;
void mem_analyser_close(struct mem_analyser *a);
/* Of rules and language: changes whenever the same text would give other terms. */
uint64_t mem_analyser_hash(const struct mem_analyser *a);

/* One term and where it came from. */
struct mem_term {
	struct mem_str text;    /* BORROWS, until the next mem_analyse with this analyser */
	uint32_t start, end;    /* bytes in the analysed text */
	uint32_t position;      /* word number: parts of an identifier share or follow it */
	bool stop;              /* a stop word of its language: queries may drop it */
	bool extra;             /* the whole form of an identifier whose parts were given too */
};
/*
 * The terms of valid UTF-8 in order; the array BORROWS from the analyser.  The length of
 * a document is the number of terms that are not `extra`.
 */
void mem_analyse(struct mem_analyser *a, struct mem_str text,
    const struct mem_term **terms, size_t *n);

/* Folded as words are, unstemmed, appended: for names, tags and exact fields. */
void mem_text_fold(struct mem_buf *out, struct mem_str text);

#endif
