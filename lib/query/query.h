/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query: from a query to ranked hits, and lists.
 *
 *   filters              from options, fields and lines; what a store leaves of them
 *   the query language   words, "phrases", -not, field:value
 *   searching            what the caller may see, filtered, ranked, as records
 *   many queries         the records that mem-search --queries reads
 *   listing              nodes in the order of their commits
 *
 * The language.  Items are parted by white space.
 *
 *   word            ranks what holds it: any of the words is enough, rarer ones and
 *                   more of them count more (words.h has the formula), a repeated one as often as it comes
 *                   A day, month or year that the words name ranks episodes that were captured then, too (words.h)
 *   "some words"    must stand in one string of the record, in this order, side by side; stop words count
 *   -word -"a b"    must not stand there
 *   field:value     kind, role, ns, session, since, until: only such records.  speaker, tag, ref:
 *                   only such, and enough to ask for.  A value with spaces is quoted.  kind, role and ns
 *                   given twice mean either; speaker, tag and ref given twice mean both.  - turns kind,
 *                   role, ns, speaker, tag and ref round.
 *
 * Sentences.  A text that ends in ? (also the wide one, and that of Arabic script), or has more than eight words
 * besides quoted ones and fields, is a sentence: dashes and brackets are characters, and what is quoted is an anchor,
 * which ranks what holds it before all else and excludes nothing; its words count like the others.  Fields filter as
 * ever.  `strict` has operators in every text, `plain` in none.
 *
 * Anything else that looks like a field is a word (std:sort), a quote that nothing
 * closes is a plain character, two dashes do not negate (--queries), stop words are dropped unless quoted or
 * alone.  What asks for nothing (empty, punctuation, only filters, only -words) finds nothing.  Of over 64
 * different words the 64 rarest that stand anywhere are kept.
 */
#ifndef MEM_QUERY_H
#define MEM_QUERY_H

#include <math.h>

#include "base/base.h"
#include "embed/embed.h"
#include "query/fuse.h"
#include "store/store.h"
#include "words/words.h"

#define MEM_QUERY_WORDS_MAX 64

/* ---- filters: filter_parse.c, filter_apply.c -------------------------- */

/* Fields of a query; options and keys of a line of --queries have the same names. */
enum mem_filter_field {
	MEM_FILTER_KIND, MEM_FILTER_ROLE, MEM_FILTER_NS, MEM_FILTER_SPEAKER, MEM_FILTER_TAG, MEM_FILTER_REF,
	MEM_FILTER_SESSION, MEM_FILTER_SINCE, MEM_FILTER_UNTIL, MEM_FILTER_QUERY_FIELDS,
	/* Options of a listing; in a query they are words like any. */
	MEM_FILTER_STATUS = MEM_FILTER_QUERY_FIELDS, MEM_FILTER_TYPE, MEM_FILTER_NAME, MEM_FILTER_CATEGORY,
	/* Of a line of --queries, too (struct mem_filter_past). */
	MEM_FILTER_AS_OF, MEM_FILTER_KNOWN_AT, MEM_FILTER_FIELDS
};
const char *mem_filter_field_name(enum mem_filter_field field);
/*
 * One demand more: kinds, roles, namespaces, statuses, types, names and categories added to those that were named, of times the narrower, of
 * all else both.
 * `value` is borrowed.  `now`: what a duration goes back from.  MEM_USAGE: the value makes no sense, with
 * err->reason bad_value, bad_time or bad_utf8 and "FIELD: 'VALUE' is not ..." as the message.
 */
enum mem_status mem_filter_add(struct mem_filter *f, enum mem_filter_field field, struct mem_str value, bool negative,
    int64_t now, struct mem_err *err) MEM_CHECKED;
/* The same refusal, of a value that is not even of the right type. */
enum mem_status mem_filter_refuse(enum mem_filter_field field, struct mem_str value, struct mem_err *err);

/* As the command line has them; they are borrowed. */
struct mem_filter_options {
	struct mem_words kinds, roles, ns, tags, statuses, types, names, categories;
	const char *session;               /* NULL or empty: any */
	int64_t since, until;              /* MEM_TIME_MIN and over MEM_TIME_MAX: open */
	bool live, flagged;                /* of live nodes alone where a moment of the past is asked about */
	const struct mem_filter_past *past; /* NULL: the present */
};
/* OWNS: mem_filter_release.  MEM_USAGE as above, with the option's name. */
enum mem_status mem_filter_read(struct mem_filter *f, const struct mem_filter_options *o, struct mem_err *err) MEM_CHECKED;

/* Before it is applied: settles it (segment/filter.h) and fills in what depends on the store, session and terms. */
void mem_filter_prepare(struct mem_filter *f, const struct mem_store *s, struct mem_kind_set kinds);
/* The visible namespaces that it leaves.  OWNS: free(). */
enum mem_status mem_filter_visible(const struct mem_filter *f, struct mem_txn *t, struct mem_ns **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;
/* By the node's text.  attr keeps 32 bits of a session's hash, so that a rare stranger may share its number ... */
bool mem_filter_session(const struct mem_filter *f, const struct mem_rec *node, struct mem_buf *room);
/* ... and so it does not keep every type ... */
bool mem_filter_type(const struct mem_filter *f, const struct mem_rec *node, struct mem_buf *room);
/* ... nor any category ... */
bool mem_filter_category(const struct mem_filter *f, const struct mem_rec *node, struct mem_buf *room);
/* ... and the index finds terms, but a listing has the text alone. */
bool mem_filter_terms(const struct mem_filter *f, const uint8_t *secret, const struct mem_rec *node);

/* ---- a filter of single nodes: node_filter.c ---------------------------- */

struct mem_node_filter;
/* OWNS; BORROWS what the values of *f are borrowed from.  All kinds pass where none is named. */
struct mem_node_filter *mem_node_filter_new(const struct mem_filter *f, const struct mem_store *s);
void mem_node_filter_free(struct mem_node_filter *f); /* NULL is fine */
/* *passes: does the filter leave the node, of which `node` is the text?  Visibility is not asked.  f NULL: yes. */
struct mem_attr;
enum mem_status mem_node_filter_pass(const struct mem_node_filter *f, struct mem_txn *t, const struct mem_attr *a,
    const struct mem_rec *node, bool *passes, struct mem_err *err) MEM_CHECKED;
/* What a question demands of what it finds, by its options and its own fields.  OWNS *out; BORROWS from the options.
 * Fails as mem_search_query does of a question. */
struct mem_searcher;
struct mem_search_options;
enum mem_status mem_search_node_filter(struct mem_node_filter **out, struct mem_searcher *m, const struct mem_search_options *options,
    struct mem_err *err) MEM_CHECKED;

/* ---- searching ---------------------------------------------------------- */

/*
 * By words, by meaning, or by both.  AUTO and HYBRID search by both if the store has vectors and the model that made
 * them is installed, else by words.  If the model or the vectors are broken, AUTO searches by words and HYBRID fails.
 * mem_hits_fallback says why a search was by words alone.
 */
/*
 * GRAPH: the five entities or pages nearest the question, by a similarity (vectors.h) of .5 and more, or where there are none by
 * their words, or where there are none by a similarity of .25 and more, and what their edges reach in two hops.  A node's score is
 * the similarity of the one that it is reached from (.5 where that was found by words) times the weights of the edges times .85 for
 * each; of several ways the best counts.
 * What the filter demands holds of what is reached, not of where it is reached from.
 */
enum mem_search_mode { MEM_MODE_AUTO, MEM_MODE_KEYWORD, MEM_MODE_VECTOR, MEM_MODE_HYBRID, MEM_MODE_GRAPH };

#define MEM_SEARCH_WITHOUT 2
struct mem_search_options {
	struct mem_str query;
	enum mem_search_mode mode;
	enum mem_fusion fusion;     /* of both: how */
	bool plain;                 /* no operators: every character is text */
	bool strict;                /* operators even in a sentence; plain wins */
	const struct mem_filter *filter; /* not ready yet; what the query demands comes to it; NULL: none */
	double min_score;           /* -INFINITY: all */
	double min_match;           /* only hits whose match (match.h) is at least this; 0: all, also those without one */
	int64_t limit;              /* 0: all */
	bool alone;                 /* no second thread: others are at work already */
	bool count_unembedded;      /* for mem_hits_notes */
	bool explain;               /* each signal's rank beside its score; null: not in its list */
	bool vectors;               /* each hit has its vector, of several passages that of the first */
	const char *without[MEM_SEARCH_WITHOUT]; /* fields of nodes that hits are given without; behind the last one NULL */
	bool no_passage;            /* hits do not say which passage of a long text answers, for which the text must be read */
	size_t candidates;          /* how many of each list enter the union; more where more hits are wanted, */
	bool candidates_alone;      /* unless nobody said how many: limit is a default */
	unsigned steps;             /* that rank the union: bits 1 << enum mem_rank_step (rank.h), fuse among them */
	bool steps_named;           /* also where the mode is one signal alone, which else ranks by its score */
	bool whole;                 /* all of the union that has min_score: limit only says how much of each list that takes */
	int class;                  /* enum mem_class (class.h); -1: by the question's words */
	bool unranked;              /* all of the union, in order of id, without rank and score, with each signal's rank */
	struct mem_str qid;         /* JSON put on every hit; empty: none */
	/* A hypothetical answer, with which vectors search in place of the query, encoded as a stored text is (HyDE: Gao, Ma, Lin and
	 * Callan, "Precise zero-shot dense retrieval without relevance labels", ACL 2023).  Hits say whether it was so: hyde. */
	struct mem_str hypothetical; /* p NULL: none is given */
	const char *hyde_with;      /* the command that gives it for the query, if none is given; NULL: none */
};
#define MEM_SEARCH_CANDIDATES 500
#define MEM_SEARCH_OPTIONS_INIT { .min_score = -HUGE_VAL, .limit = 10, .candidates = MEM_SEARCH_CANDIDATES, .steps = ~0U, .class = -1 }

/*
 * Hits of one query, best first.  Each is the node's record with rank, score, mode, signals
 * and, when asked, qid at its end.  Those of a long result are read when their turn comes; what
 * was erased meanwhile is left out.
 */
struct mem_hits;
/* What a search needs open. */
struct mem_searcher {
	struct mem_index index;
	struct mem_query_encoder encoder;  /* that of the store's vectors, once a query needs it */
};
enum mem_status mem_searcher_open(struct mem_searcher *s, const struct mem_store_options *options, struct mem_err *err) MEM_CHECKED;
void mem_searcher_close(struct mem_searcher *s); /* zero again; a zero one is fine */
/*
 * MEM_FAIL for MEM_MODE_VECTOR without vectors or model, and for vectors of a model that is not the one at hand.
 * MEM_USAGE: the query is not UTF-8, or a field in it has a value that makes no sense (err->reason
 * is bad_utf8, bad_time or bad_value).  No hits is MEM_OK.  Where no kind is named, mem_kinds_searched() are; where statuses are named,
 * nodes of these are found in place of live ones, but not those that were forgotten or that expired.
 */
enum mem_status mem_search_query(struct mem_hits **out, struct mem_searcher *m,
    const struct mem_search_options *options, struct mem_err *err) MEM_CHECKED;
size_t mem_hits_count(const struct mem_hits *h);
/* What was asked: of a line of --queries, what it and its options ask.  BORROWS the hits and what options pointed to. */
const struct mem_search_options *mem_hits_options(const struct mem_hits *h);
/* The vector of what was asked; NULL: the search was by words alone.  BORROWS. */
const float *mem_hits_vector(const struct mem_hits *h, uint32_t *dims);
/* By which mode they were found, not MEM_MODE_AUTO; and the question's class, an enum mem_class (class.h). */
enum mem_search_mode mem_hits_mode(const struct mem_hits *h);
int mem_hits_class(const struct mem_hits *h);
/* The greatest score by words that a text could have for what was asked (words.h); 0: no word was asked for. */
double mem_hits_words_most(const struct mem_hits *h);
/* Words that were left out because there were too many; 0: none. */
size_t mem_hits_words_cut(const struct mem_hits *h);
/* Why it was by words alone though more would have been possible: MEM_ABSENT, the store has no vectors or their
 * model is not installed; another status, it broke.  MEM_OK: it was as asked. */
enum mem_status mem_hits_fallback(const struct mem_hits *h, const char **why);
/* What a person should know of a search beside its hits. */
struct mem_search_notes {
	bool filters_alone;         /* the query has fields but nothing to search for */
	struct mem_str unknown_field; /* the first word that looks like a field and is none: "rol" of "rol:user"; empty: none does */
	const char *hyde_failed;    /* why there was no hypothetical answer to search with; NULL: there was, or none was asked for */
	bool nothing_fits;          /* no hit, or none that min_match would leave, is likely to answer (match.h) */
	bool dash_is_text;          /* the query is a sentence, and a dash in it would negate a word elsewhere */
	bool query_cut;             /* the model read the beginning alone: the query is longer than it takes */
	uint64_t unembedded;        /* if asked for, and the search was by meaning: nodes that it could find but for want of a vector */
};
const struct mem_search_notes *mem_hits_notes(const struct mem_hits *h); /* BORROWED */
/* The next record, BORROWED until the next call; MEM_END: there are no more. */
enum mem_status mem_hits_next(struct mem_hits *h, struct mem_str *record,
    struct mem_err *err) MEM_CHECKED;
void mem_hits_free(struct mem_hits *h);

/* What people read of a hit.  Strings are in the arena, or BORROWED from the record. */
struct mem_hit_row {
	int64_t rank;
	double score;           /* NAN: it has none */
	struct mem_str id, when, who, text;
	size_t focus;           /* the byte of the text where the query's words are, in the passage that answers */
};
void mem_hit_row_read(struct mem_hit_row *row, struct mem_hits *h, struct mem_arena *arena, struct mem_str hit);

/* ---- many queries ----------------------------------------------------- */

/*
 * One line of --queries: {"query":…,"qid"?:…,"n"?:…,"ns"?:…,"session"?:…,"since"?:…,"until"?:…,"kind"?:…,"as_of"?:…,
 * "known_at"?:…,"include_superseded"?:true|false}.  What it
 * holds counts instead of what *base says; ns and kind are a string or several; the qid is by
 * default the number of the line.  MEM_OK with its hits, and its end record
 * {"qid":…,"end":true,"hits":N} in `end`.  MEM_REFUSED for a line that is no query, without hits (NULL): the end record
 * has "error":reason.
 *
 * mem_query_line_read gives what the line asks, over what *options and *f say, without searching; what they then point to is
 * in the arena.  The qid is set even of a line that is MEM_REFUSED.
 */
enum mem_status mem_query_line_read(struct mem_search_options *options, struct mem_filter *f, struct mem_arena *arena,
    const struct mem_line *line, int64_t now, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_search_query_line(struct mem_hits **out, struct mem_buf *end, struct mem_searcher *m,
    const struct mem_search_options *base, const struct mem_line *line, struct mem_err *err) MEM_CHECKED;

/* ---- listing ---------------------------------------------------------- */

/* Nodes in commit order, a piece a snapshot; those of a name are found by table name, so that no other node is read.  `after` NULL: from the beginning; MEM_NOTFOUND: the principal
 * sees no such node.  BORROWS what the filter does. */
struct mem_listing;
enum mem_status mem_listing_open(struct mem_listing **out, struct mem_store *s, const struct mem_filter *f,
    const struct mem_id *after, struct mem_err *err) MEM_CHECKED;
/* Of what it has not printed yet it leaves the last n alone.  Reads from the end on, no more than it must. */
enum mem_status mem_listing_skip_to_last(struct mem_listing *l, uint64_t n, struct mem_err *err) MEM_CHECKED;
/* Appends at most `max` (and at most 1,000) nodes as lines; *n may be 0 before the end.  MEM_END: that was all. */
enum mem_status mem_listing_next(struct mem_listing *l, size_t max, struct mem_buf *lines, size_t *n,
    struct mem_err *err) MEM_CHECKED;
/* Gives fn each line that is left, without its end; no snapshot is open while fn runs.  A failure of fn ends it.  MEM_OK: that was all. */
typedef enum mem_status mem_listing_line_fn(void *ctx, struct mem_str line, struct mem_err *err);
enum mem_status mem_listing_each(struct mem_listing *l, mem_listing_line_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;
void mem_listing_free(struct mem_listing *l);

#endif
