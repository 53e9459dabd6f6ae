/* SPDX-License-Identifier: Apache-2.0 */
/* Signals: what a ranking goes by, and one ranking from one or several of them. */
#ifndef QUERY_SIGNAL_INT_H
#define QUERY_SIGNAL_INT_H

#include "base/base.h"
#include "query/fuse.h"
#include "query/query.h"
#include "query/rank.h"
#include "segment/filter.h"
#include "store/store.h"

struct mem_question_dates;
struct query_ranking;
struct query_signal {
	unsigned modes;                  /* bits 1 << enum mem_search_mode: it finds and counts there, and hits show it.  Each mode needs one
	                                    that finds.  0: hits show it where somebody asks */
	bool needs_vector;               /* of the question; what does not is found while an encoder works that out, on another
	                                    thread, so it must not look at the blend's vector and weight */
	/* The best by this signal among what passes iq.  OWNS *hits.  NULL: it only scores what others find. */
	enum mem_status (*find)(const struct query_ranking *r, struct mem_txn *t, const struct mem_search_query *iq,
	    struct mem_search_hit **hits, size_t *n, struct mem_err *err);
	/* Reads, before the question's vector is known, what `complete` will need of these nodes; of a signal that is `relative` again
	 * with those that the vector found.  OWNS *kept, also where it fails; it may stay NULL.  NULL: there is nothing to read. */
	enum mem_status (*read_ahead)(void **kept, const struct query_ranking *r, struct mem_txn *t, const uint32_t *ords, size_t n,
	    struct mem_err *err);
	void (*free_kept)(void *kept);
	/* Scores of nodes that other signals have found, NAN where there is none.  `kept` (NULL: nothing) may be of other
	 * nodes; of a signal that is `relative` it is of those asked for before, which these join: a score depends on all. */
	bool relative;
	enum mem_status (*complete)(const struct query_ranking *r, struct mem_txn *t, void *kept, const uint32_t *ords,
	    size_t n, double *scores, struct mem_err *err);
	/* In a fused score, beside those of the others; ranks (rrf) count alike. */
	double (*weight)(const struct query_ranking *r);
};
#define QUERY_SIGNAL_DECLARE(upper, lower) extern const struct query_signal query_signal_##lower;
MEM_SIGNAL_NAMES(QUERY_SIGNAL_DECLARE)
#undef QUERY_SIGNAL_DECLARE
extern const struct query_signal *const query_signals[MEM_SIGNALS];


/* Does it find and count in that mode? */
static inline bool
query_signal_in_mode(enum mem_signal i, enum mem_search_mode mode)
{
	return (query_signals[i]->modes >> mode & 1) != 0;
}

/*
 * What one query finds: by the one signal of the mode its list; by several the best of each list (500, or all that are
 * wanted, if that is more) joined, each with the scores that the other signals would have given it, and fused.  Where words
 * count, what holds an anchor is among it.
 */
struct query_anchors;
struct query_ranking {
	struct mem_store *store;
	const struct mem_search_query *iq;
	const struct query_anchors *anchors; /* of the same snapshot as iq; NULL: none */
	enum mem_search_mode mode;       /* MEM_MODE_AUTO: by words and 4-grams, since no vector is at hand */
	struct mem_str text;             /* BORROWS; of the question */
	const float *vector;             /* of the question */
	enum mem_fusion fusion;
	double weight;                   /* of the vectors; the words have the rest */
	uint64_t foreign;                /* mem_term_foreign of the store */
	bool latin_alone;                /* the model reads Latin script alone, */
	bool mutes;                      /* and there are texts in others, which have no dense score in a hybrid search */
	bool misspelt;                   /* a word of the question stands in no record: 4-grams count beside a vector, too */
	double added[MEM_SIGNALS];       /* what the question's class adds to each signal's weight */
	unsigned extras;                 /* bits of signals that do not count in the mode, but are wanted */
	const struct mem_question_dates *dates; /* that the question names; NULL: none */
	bool phrased;                    /* a phrase that is no anchor must stand in every hit */
	int64_t now;
	size_t candidates;               /* of each list; more where more hits are wanted; 0: MEM_SEARCH_CANDIDATES */
	bool candidates_alone;           /* no more where more hits are wanted */
	bool fused;                      /* a union, and its step fuse, also where one signal counts */
	bool whole, unranked;            /* struct mem_search_options */
	struct query_ranking_job *job;   /* OWNS; what query_ranking_begin began */
};
/* Does it count in r->mode, for this question? */
bool query_ranking_counts(const struct query_ranking *r, enum mem_signal signal);
/* Bits: the signals that hits show, since they count or somebody asked for them. */
unsigned query_ranking_shown(const struct query_ranking *r);
/*
 * Begins a fused ranking on a second thread, in the mode that is expected: the signals that need no vector are
 * searched while the caller works out the vector of the question.  Until query_ranking_run or query_ranking_release
 * nobody else may use the snapshot, what iq points to, nor what iq's callback looks at.
 */
void query_ranking_begin(struct query_ranking *r, enum mem_search_mode mode, struct mem_txn *t);
void query_ranking_release(struct query_ranking *r);
/* What the job has of a signal that was read ahead; NULL: nothing. */
void *query_ranking_kept(const struct query_ranking *r, enum mem_signal signal);
/* What each signal counts in a fused score; 0: it does not count in this mode. */
void query_ranking_weights(const struct query_ranking *r, double weights[MEM_SIGNALS]);
/* Fills r->mutes, once mode and latin_alone are known. */
enum mem_status query_ranking_find_foreign(struct query_ranking *r, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/* OWNS *out, also after a failure.  In no order; of several signals all that were found. */
enum mem_status query_ranking_run(struct query_ranking *r, struct mem_txn *t, struct mem_candidates *out, struct mem_err *err) MEM_CHECKED;
/* Best first, as many and as good as iq's limit and min_score want. */
void query_ranking_cut(const struct query_ranking *r, struct mem_candidates *c);
/* The step fuse, with what the question's class adds. */
void query_ranking_fuse(const struct query_ranking *r, struct mem_candidates *f);
/* Which candidates, from place `from` on, hold an anchor, also those that its list does not reach. */
void query_ranking_mark_anchors(const struct query_ranking *r, struct mem_candidates *c, size_t from);
/* ---- 4-grams: signal_grams.c, grams_find.c ---- */
struct mem_grams;
/* The text of one node; one that was erased or is damaged has none.  `rec` is room. */
enum mem_status query_node_text(struct mem_txn *t, uint32_t ord, struct mem_rec *rec, struct mem_buf *text, struct mem_err *err) MEM_CHECKED;
/* The same, as the next of *g. */
enum mem_status query_grams_read(struct mem_grams *g, struct mem_txn *t, uint32_t ord, struct mem_rec *rec, struct mem_buf *text,
    struct mem_err *err) MEM_CHECKED;
/* Has the question, of words alone, one that stands in none of the namespaces, and does the filter ask for no field? */
enum mem_status query_grams_look(const struct mem_search_query *iq, struct mem_txn *t, bool *unknown, struct mem_err *err) MEM_CHECKED;
/* Of the newest those that are like the question, without scores: only if r->misspelt.  OWNS *hits. */
enum mem_status query_grams_find(const struct query_ranking *r, struct mem_txn *t, const struct mem_search_query *iq,
    struct mem_search_hit **hits, size_t *n, struct mem_err *err) MEM_CHECKED;
/* ---- newest.c ---- */
#define QUERY_NEWEST_MAX 500 /* as many as a list has */
typedef enum mem_status query_node_fn(void *ctx, uint32_t ord, const struct mem_id *id, struct mem_err *err);
/* The newest nodes that the search may find, at most so many, and not from further back than some thousand nodes of any kind. */
enum mem_status query_visit_newest(struct mem_txn *t, const struct mem_search_query *iq, query_node_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;
/* ---- signal_record.c ---- */
/* Of candidates that have none of these signals yet. */
enum mem_status query_read_record_signals(const struct query_ranking *r, struct mem_txn *t, struct mem_candidates *c, struct mem_err *err) MEM_CHECKED;
/* ---- signal_graph.c ---- */
/* Of candidates of which one has it not yet; they have their ranks in the lists.  Takes snapshots of its own. */
enum mem_status query_read_graph_signal(const struct query_ranking *r, struct mem_candidates *c, struct mem_err *err) MEM_CHECKED;
/* ---- signal_support.c ---- */
/* Of candidates of which one has it not yet. */
enum mem_status query_read_support_signal(const struct query_ranking *r, struct mem_txn *t, struct mem_candidates *c, struct mem_err *err) MEM_CHECKED;

#endif
