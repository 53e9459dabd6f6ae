/* SPDX-License-Identifier: Apache-2.0 */
/* The analyser's own parts: languages, folding, stems and their cache, spans. */
#ifndef MEM_TEXT_INT_H
#define MEM_TEXT_INT_H

#include "text/text.h"

/* ---- languages (language.c, stop.c) ------------------------------------ */

/* Snowball's, those that `auto` tries on Latin script first and in its order of preference. */
enum mem_lang {
	MEM_LANG_ENGLISH, MEM_LANG_GERMAN, MEM_LANG_FRENCH, MEM_LANG_SPANISH, MEM_LANG_ITALIAN,
	MEM_LANG_PORTUGUESE, MEM_LANG_DUTCH, MEM_LANG_SWEDISH, MEM_LANG_DANISH,
	MEM_LANG_NORWEGIAN, MEM_LANG_FINNISH, MEM_LANG_TURKISH, MEM_LANG_HUNGARIAN,
	MEM_LANG_ROMANIAN, MEM_LANG_LATIN_COUNT,
	MEM_LANG_RUSSIAN = MEM_LANG_LATIN_COUNT, MEM_LANG_GREEK, MEM_LANG_ARABIC,
	MEM_LANG_HINDI, MEM_LANG_TAMIL, MEM_LANG_ARMENIAN, MEM_LANG_BASQUE, MEM_LANG_CATALAN,
	MEM_LANG_INDONESIAN, MEM_LANG_IRISH, MEM_LANG_LITHUANIAN, MEM_LANG_NEPALI,
	MEM_LANG_SERBIAN, MEM_LANG_YIDDISH, MEM_LANG_PORTER, MEM_LANG_NONE, MEM_LANG_COUNT
};
struct mem_language {
	const char *name;
	const char *stops; /* each between spaces, folded and stripped; NULL: none */
	bool strip_first;  /* marks go before stemming */
	bool elides;       /* an apostrophe cuts a word */
};
extern const struct mem_language mem_languages[MEM_LANG_COUNT];

/* By name; MEM_LANG_COUNT: unknown. */
enum mem_lang mem_lang_parse(const char *name);
/* `auto`'s language for a word that starts with letter c; MEM_LANG_LATIN_COUNT is returned as
 * *latin true instead, since the text decides that. */
enum mem_lang mem_lang_of_script(uint32_t c, bool *latin);
/* Is the word (folded, stripped, unstemmed) a stop word of the language? */
bool mem_lang_stop(enum mem_lang lang, struct mem_str word);
/* Bits 1 << language of the Latin languages that have it as a stop word. */
uint32_t mem_lang_stop_mask(struct mem_str word);

/* ---- folding (fold.c) -------------------------------------------------- */

/* Rule 5, appended. */
void mem_fold(struct mem_buf *out, struct mem_str raw, bool turkish);
/* The stripping of rule 6, appended. */
void mem_fold_strip(struct mem_buf *out, struct mem_str folded);

/* ---- stems (stem.c) ---------------------------------------------------- */

struct mem_stems;
struct mem_stems *mem_stems_new(void);
void mem_stems_free(struct mem_stems *s);
/* Appends rules 5 to 7 of one part of a word; returns whether it is a stop word. */
bool mem_stems_put(struct mem_stems *s, enum mem_lang lang, struct mem_str raw, struct mem_buf *out);
/* mem_lang_stop_mask of a raw word, remembered. */
uint32_t mem_stems_stop_mask(struct mem_stems *s, struct mem_str raw);

/* ---- words (words.c) --------------------------------------------------- */

struct mem_span {
	uint32_t start, end;
};
struct mem_spans {
	struct mem_span *v;
	size_t n, cap;
};
/* Where words may be cut; one reusable. */
struct mem_word_list {
	struct mem_spans words;
	char *breaks;
	size_t cap;
	bool by_unicode; /* tests: never take the ASCII path */
};
/* Words of text[start, end), which holds no space: rule 2. */
void mem_words_find(struct mem_word_list *w, struct mem_str text, size_t start, size_t end, bool ascii);
/* End of the run (rule 1) that starts at `at`; `at` itself when there is none. */
size_t mem_run_end(struct mem_str text, size_t at, size_t end);
/* End of the grapheme cluster that starts at `at`. */
size_t mem_cluster_end(struct mem_str text, size_t at, size_t end);
/* Pieces of a word between what rule 4 cuts at.  *compound: something other than an apostrophe cut it. */
void mem_pieces_find(struct mem_spans *out, struct mem_str text, struct mem_span word,
    bool elides, bool *compound);
/* Parts of a piece by case: one when nothing cuts it. */
void mem_parts_find(struct mem_spans *out, struct mem_str text, struct mem_span piece);
void mem_spans_add(struct mem_spans *s, size_t start, size_t end);
/* The longest prefix of at most `max` bytes that ends at a character. */
size_t mem_utf8_cut(struct mem_str s, size_t max);

/* Letter or digit (categories L, N)? */
bool mem_char_wordy(uint32_t c);
bool mem_char_letter(uint32_t c);

/* The analyser's words without its ASCII path: for tests. */
void mem_analyser_by_unicode(struct mem_analyser *a, bool on);

#endif
