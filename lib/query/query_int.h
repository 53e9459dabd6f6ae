/* SPDX-License-Identifier: Apache-2.0 */
/* A query as parsed, before the store is asked. */
#ifndef MEM_QUERY_INT_H
#define MEM_QUERY_INT_H

#include "query/query.h"

enum { QUERY_PHRASE_MAX = 256 }; /* words of a phrase that are checked */
enum { QUERY_DATES_MAX = 32 };   /* days, months and years that are looked for */
enum { QUERY_ANCHORS_MAX = 8 };  /* of a sentence; further quotes are plain characters */

/* Hashes that may stand at one position: several under `auto`. */
struct query_position {
	uint32_t first, n; /* in query_parsed.hashes */
};
struct query_phrase {
	uint32_t first, n; /* in query_parsed.positions */
	bool negative;
	bool anchor;       /* ranks what holds it first, and excludes nothing */
};
struct query_parsed {
	struct mem_search_clause *clauses;
	size_t n, cap;
	uint64_t *hashes;
	size_t nhashes, hashes_cap;
	struct query_position *positions;
	size_t npositions, positions_cap;
	struct query_phrase *phrases;
	size_t nphrases, phrases_cap;
	size_t nanchors;               /* so many of them are anchors */
	struct mem_filter filter;      /* by its fields; BORROWS from the query's text */
	struct mem_buf encoder_text;  /* words and phrases as they stand: what an encoder reads */
	struct mem_buf question;      /* the same with the quotes of phrases: what is asked, without fields and what must not be there */
	bool searchable;              /* there is something to find */
	bool filtered;                /* a field demands something */
	bool dash_is_text;            /* in a sentence stands what would negate elsewhere */
	struct mem_str unknown_field; /* the first word that looks like a field and is none; BORROWS from the query's text */
	size_t words_cut;
};

enum query_syntax {
	QUERY_SYNTAX_AUTO,             /* operators, unless the text is a sentence */
	QUERY_SYNTAX_STRICT,           /* operators in any text */
	QUERY_SYNTAX_PLAIN             /* in none */
};
/* Text that is valid UTF-8.  Release also after a failure. */
enum mem_status query_parse_text(struct query_parsed *q, struct mem_analyser *a, const uint8_t *secret,
    struct mem_str text, enum query_syntax syntax, int64_t now, struct mem_err *err) MEM_CHECKED;
void query_release(struct query_parsed *q);
/* Another term that a word's clause is met by, beside its 1; of 0: of none. */
void query_say_again(struct query_parsed *q, uint64_t hash, double weight, uint64_t of);
/* Each word once, in the order of its first coming, with the weight of all its comings. */
void query_unify_words(struct query_parsed *q);
/* Keeps the `max` rarest scored words by df (one for each clause). */
void query_cut_words(struct query_parsed *q, const uint64_t *df, size_t max);

/* ---- query_items.c ---- */

bool query_is_separator(char c);
/* "some words" at *p, which moves behind them.  False: none stand there, or no quote closes them. */
bool query_read_quotes(const char **p, const char *end, struct mem_str *text);
/* What stands at p, up to a separator. */
struct mem_str query_read_word(const char *p, const char *end);
/* field:value at *p, which moves behind it.  An empty value is none: "ref:" alone is a word. */
bool query_read_field(const char **p, const char *end, enum mem_filter_field *f, struct mem_str *value);
/* A dash that negates what follows it. */
bool query_is_negative(const char *p, const char *end);
/* Does it end in a question mark (nothing behind it), or have more than eight words besides quoted ones and fields? */
bool query_is_sentence(struct mem_str text);
/* Without question marks at its end, with ! among them or without. */
struct mem_str query_cut_question_marks(struct mem_str text);

/* {"qid":…,"end":true,"hits":N}, with "error":reason when there is one. */
void query_put_end_record(struct mem_buf *out, struct mem_str qid, size_t hits, const char *reason);

/* Is it among the namespaces that mem_filter_visible has left?  filter_apply.c */
bool query_searches_ns(const struct mem_search_query *iq, uint32_t ns);

/* ---- search_notes.c ---- */

/* "rol" of "rol:user"; empty: the word does not look like a field. */
struct mem_str query_find_unknown_field(struct mem_str word);
/* Nodes that the search may find and that wait for their vectors. */
enum mem_status query_count_unembedded(uint64_t *out, struct mem_txn *t, const struct mem_search_query *iq, int64_t now,
    struct mem_err *err) MEM_CHECKED;

/* ---- phrase.c, anchors.c ---- */

/* Do the node's words hold every phrase and none of the negative ones?  Anchors do not matter. */
bool query_match_phrases(const struct query_parsed *q, struct mem_index *m, const struct mem_rec *node);
/* Does one of the anchors stand in the node's words? */
bool query_match_anchor(const struct query_parsed *q, struct mem_index *m, const struct mem_rec *node);

/* Searches for what holds an anchor, one for each: their hits have the scores that the query itself gives. */
struct query_anchors {
	struct mem_search_query v[QUERY_ANCHORS_MAX];
	struct mem_search_clause *clauses[QUERY_ANCHORS_MAX]; /* OWNS */
	size_t n;
};
/* As iq, whose clauses are those of q, with `admit` in place of its own. */
void query_anchors_init(struct query_anchors *a, const struct query_parsed *q, const struct mem_search_query *iq,
    bool (*admit)(void *ctx, uint32_t ord));
void query_anchors_release(struct query_anchors *a);

/* ---- where a hit answers: hit_passage.c ---- */

/* What of a query says which passage answers, kept as long as its hits. */
struct query_passages {
	float *vector;                /* OWNS; of the query, [dims]; NULL: it goes by words */
	uint32_t dims;
	struct mem_search_clause *clauses; /* OWNS */
	struct mem_ns *ns;            /* OWNS; that are searched */
	size_t nclauses, nns;
	uint64_t rare[MEM_QUERY_WORDS_MAX]; /* scored words, the rarest first, once the first hit asks for them */
	size_t nrare;
	bool ranked;
};
/* Copies what it needs; `vector` NULL as above. */
void query_passages_init(struct query_passages *p, const struct mem_search_query *iq, const float *vector, uint32_t dims);
void query_passages_release(struct query_passages *p);
/*
 * The passage of a long text that answers best: of equal ones the first.  A zero span: the text is not long, or has one
 * vector.
 */
enum mem_status query_choose_passage(struct mem_vectors_span *out, struct query_passages *p, struct mem_index *m, struct mem_txn *t,
    uint32_t ord, const struct mem_rec *node, struct mem_err *err) MEM_CHECKED;

/* The hits own what their options point to: the arena and the filter are empty then. */
void query_hits_keep(struct mem_hits *h, struct mem_arena *arena, struct mem_filter *filter);
/* What an answer was searched by and in: for what people read of its hits. */
const struct query_passages *query_hit_words(const struct mem_hits *h);
struct mem_index *query_hit_index(const struct mem_hits *h);

/* Does the phrase stand in the words? */
bool query_has_phrase(const struct query_parsed *q, const struct query_phrase *p, const uint64_t *words, size_t n);

#endif
