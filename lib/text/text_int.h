/* SPDX-License-Identifier: Apache-2.0 */
/* The analyser's own parts: languages, folding, stems and their cache, spans. */
#ifndef MEM_TEXT_INT_H
#define MEM_TEXT_INT_H

#include "text/text.h"

/* ---- languages (language.c) -------------------------------------------- */

/* Snowball's, those that `auto` tries on Latin script first and in its order of preference. */
enum text_lang {
	TEXT_LANG_ENGLISH, TEXT_LANG_GERMAN, TEXT_LANG_FRENCH, TEXT_LANG_SPANISH, TEXT_LANG_ITALIAN,
	TEXT_LANG_PORTUGUESE, TEXT_LANG_DUTCH, TEXT_LANG_SWEDISH, TEXT_LANG_DANISH,
	TEXT_LANG_NORWEGIAN, TEXT_LANG_FINNISH, TEXT_LANG_TURKISH, TEXT_LANG_HUNGARIAN,
	TEXT_LANG_ROMANIAN, TEXT_LANG_LATIN_COUNT,
	TEXT_LANG_RUSSIAN = TEXT_LANG_LATIN_COUNT, TEXT_LANG_GREEK, TEXT_LANG_ARABIC,
	TEXT_LANG_HINDI, TEXT_LANG_TAMIL, TEXT_LANG_ARMENIAN, TEXT_LANG_BASQUE, TEXT_LANG_CATALAN,
	TEXT_LANG_INDONESIAN, TEXT_LANG_IRISH, TEXT_LANG_LITHUANIAN, TEXT_LANG_NEPALI,
	TEXT_LANG_SERBIAN, TEXT_LANG_YIDDISH, TEXT_LANG_PORTER, TEXT_LANG_NONE, TEXT_LANG_COUNT
};
struct text_language {
	const char *name;
	const char *stops; /* each between spaces, folded and stripped; NULL: none */
	bool strip_first;  /* marks go before stemming */
	bool elides;       /* an apostrophe cuts a word */
};
extern const struct text_language text_languages[TEXT_LANG_COUNT];

/* By name; TEXT_LANG_COUNT: unknown. */
enum text_lang text_parse_language(const char *name);
/* The language that `auto` gives a word that starts with letter c.  *latin true: c is Latin, so the text decides
 * and the returned language says nothing. */
enum text_lang text_find_script_language(uint32_t c, bool *latin);
/* Is the word (folded, stripped, unstemmed) a stop word of the language? */
bool text_is_stop_word(enum text_lang lang, struct mem_str word);
/* Bits 1 << language of the Latin languages that have it as a stop word. */
uint32_t text_stop_word_mask(struct mem_str word);

/* ---- folding (fold.c) -------------------------------------------------- */

/* Rule 5, appended. */
void text_fold_case(struct mem_buf *out, struct mem_str raw, bool turkish);
/* The stripping of rule 6, appended. */
void text_strip_marks(struct mem_buf *out, struct mem_str folded);

/* ---- irregular forms (irregular.c) ------------------------------------- */

/* The word that an irregular English form is one of (went: go, children's: child); any other word itself.  Folded and
 * stripped. */
struct mem_str text_find_base(enum text_lang lang, struct mem_str word);

/* ---- stems (stem.c) ---------------------------------------------------- */

struct text_stems;
struct text_stems *text_stems_new(void);
void text_stems_free(struct text_stems *s);
/* Appends rules 5 to 7 of one part of a word; returns whether it is a stop word. */
bool text_put_stem(struct text_stems *s, enum text_lang lang, struct mem_str raw, struct mem_buf *out);
/* What is listed of a raw word, from the cache where it is there. */
#define TEXT_MARK_LANGS 4 /* the first of enum text_lang: those of mark_words.txt */
struct text_word_facts {
	uint32_t stops;                     /* text_stop_word_mask */
	uint16_t classes[TEXT_MARK_LANGS];  /* text_find_mark_word */
};
void text_look_up_word(struct text_stems *s, struct mem_str raw, struct text_word_facts *out);
/* Of a word and the same folded and stripped: its classes in each language (marks_int.h); 0: it is not listed. */
void text_find_mark_word(struct mem_str folded, struct mem_str raw, uint16_t classes[TEXT_MARK_LANGS]);

/* ---- terms, and those of chunks (chunk_terms.c) ---------------------------- */

/* As they are found, their texts one behind the other; a term's pointer is set at the end. */
struct text_terms {
	struct mem_term *v;
	size_t n, cap;
	struct mem_buf text;
	uint32_t position;  /* of the next one that is not extra */
};
struct text_terms_mark {
	size_t n, text_n;
	uint32_t position;
};
/* What the ASCII between two spaces gave when it was met last, of the shorter ones. */
struct text_chunks;
struct text_chunks *text_chunks_new(void);
void text_chunks_free(struct text_chunks *c); /* NULL is fine */
/* Appends the terms of a chunk whose Latin words are of this language, at byte `start` of the text; false: it is not known. */
bool text_chunk_find(struct text_terms *out, const struct text_chunks *c, struct mem_str chunk, enum text_lang lang, uint32_t start);
/* Its terms are those that came since `before`. */
void text_chunk_keep(struct text_chunks *c, const struct text_terms *of, struct mem_str chunk, enum text_lang lang, uint32_t start,
    const struct text_terms_mark *before);

/* ---- all listed words (listed_words.c) -------------------------------------- */

/* Open addressing, about half full; an empty hash is a free place. */
struct text_word_entry {
	uint64_t hash;
	uint32_t stops;   /* text_stop_word_mask */
	bool listed;      /* in mark_words.txt */
};
struct text_word_table {
	struct text_word_entry v[4096];
};
void text_word_table_fill(struct text_word_table *t); /* zero initialised; takes as long as looking for some twenty words without it */
/* Of a word that is folded and stripped. */
struct text_word_entry text_word_table_find(struct text_word_table *t, struct mem_str word);

/* ---- word breaks (word_breaks.c) ------------------------------------------ */

struct text_span {
	uint32_t start, end;
};
struct text_spans {
	struct text_span *v;
	size_t n, cap;
};
/* The words of one stretch of text; reusable, the caller frees words.v and breaks. */
struct text_word_list {
	struct text_spans words;
	char *breaks;
	size_t cap;
	bool by_unicode; /* tests: never take the ASCII path */
};
/* Words of text[start, end), which holds no space: rule 2. */
void text_find_words(struct text_word_list *w, struct mem_str text, size_t start, size_t end, bool ascii);
/* End of the run (rule 1) that starts at `at`; `at` itself when there is none. */
size_t text_find_run_end(struct mem_str text, size_t at, size_t end);
/* End of the grapheme cluster that starts at `at`. */
size_t text_find_cluster_end(struct mem_str text, size_t at, size_t end);
/* Pieces of a word between what rule 4 cuts at.  *compound: something other than an apostrophe cut it. */
void text_find_pieces(struct text_spans *out, struct mem_str text, struct text_span word,
    bool elides, bool *compound);
/* Parts of a piece by case: one when nothing cuts it. */
void text_find_parts(struct text_spans *out, struct mem_str text, struct text_span piece);
void text_add_span(struct text_spans *s, size_t start, size_t end);

/* Letter or digit (categories L, N)? */
bool text_is_letter_or_digit(uint32_t c);
bool text_is_letter(uint32_t c);
bool text_is_all_letters(struct mem_str s); /* false of none */
/* The one apostrophe of a word that has three or more letters behind it, as a name has and no contraction. */
bool text_find_name_apostrophe(struct mem_str text, struct text_span word, struct text_span *mark);
/* Hexadecimal digits and letters, more of them than git writes at least of a commit. */
#define TEXT_HASH_LEAST 7
bool text_is_hash(struct mem_str word);

/* The analyser's words without its ASCII path: for tests. */
void text_segment_by_unicode(struct mem_analyser *a, bool on);

/* Triples of a folded text's characters, in order, each as one number above 0; characters that are of no word count as one
 * blank, and the text begins and ends with one.  Of a long text the first. */
#define TEXT_TRIPLES_MAX 4096
size_t text_list_triples(uint64_t *out, struct mem_str folded);
/* Each of them once, rising. */
size_t text_list_different_triples(uint64_t *out, struct mem_str folded);

/* ---- patterns: for pattern_marks.c, pattern_needs.c and pattern_start.c ------------------- */

/* A letter, a digit or _ of ASCII. */
static inline bool
text_is_ascii_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
}

/* An item of a pattern's source: a quantifier belongs to what it repeats, and the end is an item of no length. */
typedef void text_item_fn(void *ctx, size_t at, size_t length);
struct mem_pattern;
/* All items of a pattern that is not marked, in the order of its code, where what is repeated may stand more than once. */
void text_pattern_items(const struct mem_pattern *p, text_item_fn *tell, void *ctx);

/* The bytes that a match may begin with, of a pattern that is not MEM_PATTERN_WINDOWED.  False: any may, or it may be empty. */
bool text_pattern_first_bytes(const struct mem_pattern *p, uint8_t bytes[32]);

/* Does one of its bars stand in no group, so that it begins as one of its branches does? */
bool text_pattern_has_branches(const struct mem_pattern *p, struct mem_str source);

#endif
