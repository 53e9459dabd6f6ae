/* SPDX-License-Identifier: Apache-2.0 */
/* Signals: what a ranking goes by, and one ranking from one or several of them. */
#ifndef MEM_SIGNAL_INT_H
#define MEM_SIGNAL_INT_H

#include "base/base.h"
#include "query/fuse.h"
#include "query/query.h"
#include "segment/filter.h"
#include "store/store.h"

/*
 * The table of signals, in the order in which hits show them.  To add one: a line here, signal_NAME.c with what
 * struct mem_signal says of it, and a line of mem-records(5).
 */
#define MEM_SIGNAL_TABLE(LINE) \
	LINE(LEXICAL, lexical) \
	LINE(DENSE, dense) \
	/* here */

enum mem_signal_number {
#define MEM_SIGNAL_NUMBER(upper, lower) MEM_SIGNAL_##upper,
	MEM_SIGNAL_TABLE(MEM_SIGNAL_NUMBER)
#undef MEM_SIGNAL_NUMBER
	MEM_SIGNALS
};

struct mem_signal_score {
	double score;                    /* NAN: it has none, or nobody has looked */
	uint32_t rank;                   /* in the signal's own list, from 1; 0: not in it */
};
/* A hit by all its signals. */
struct mem_scored {
	uint32_t ord;
	struct mem_id id;
	double score;                    /* that ranks */
	struct mem_signal_score signal[MEM_SIGNALS];
};

struct mem_blend;
struct mem_signal {
	const char *name;                /* in hits */
	unsigned modes;                  /* bits 1 << enum mem_recall_mode: it counts there, and hits show it.  Each mode needs one
	                                    that finds */
	bool needs_vector;               /* of the question; what does not is found while an encoder works that out, on another
	                                    thread, so it must not look at the blend's vector and weight */
	/* The best by this signal among what passes iq.  OWNS *hits.  NULL: it only scores what others find. */
	enum mem_status (*find)(const struct mem_blend *b, struct mem_txn *t, const struct mem_search_query *iq,
	    struct mem_search_hit **hits, size_t *n, struct mem_err *err);
	/* Reads, before the question's vector is known, what `complete` will need of these nodes.  OWNS *kept, which
	 * may stay NULL.  NULL: there is nothing to read. */
	enum mem_status (*read_ahead)(void **kept, struct mem_txn *t, const uint32_t *ords, size_t n, struct mem_err *err);
	void (*free_kept)(void *kept);
	/* Scores of nodes that other signals have found, NAN where there is none.  `kept` (NULL: nothing) may be of other
	 * nodes. */
	enum mem_status (*complete)(const struct mem_blend *b, struct mem_txn *t, const void *kept, const uint32_t *ords,
	    size_t n, double *scores, struct mem_err *err);
	/* In a fused score, beside those of the others; ranks (rrf) count alike. */
	double (*weight)(const struct mem_blend *b);
};
#define MEM_SIGNAL_DECLARE(upper, lower) extern const struct mem_signal mem_signal_##lower;
MEM_SIGNAL_TABLE(MEM_SIGNAL_DECLARE)
#undef MEM_SIGNAL_DECLARE
extern const struct mem_signal *const mem_signals[MEM_SIGNALS];

/* Does it count in that mode? */
static inline bool
mem_signal_in(enum mem_signal_number i, enum mem_recall_mode mode)
{
	return (mem_signals[i]->modes >> mode & 1) != 0;
}

/*
 * The hits of one query, best first: by the one signal of the mode, or by several fused: then the best 500 of each list
 * (or all that are wanted, if that is more) are joined, and each gets the scores that the other signals would have
 * given it.  iq's limit and min_score are on the score that ranks.
 */
struct mem_blend {
	const struct mem_search_query *iq;
	enum mem_recall_mode mode;       /* not MEM_MODE_AUTO */
	const float *vector;             /* of the question */
	enum mem_fusion fusion;
	double weight;                   /* of the vectors; the words have the rest */
	struct mem_blend_job *job;       /* OWNS; what mem_blend_begin began */
};
/*
 * Begins a fused ranking, in the mode that is hoped for, with the signals that need no vector, on a second thread, while
 * the caller finds out what the question means.  Until mem_blend_run or mem_blend_release it has the snapshot, what iq holds and whom iq asks for itself.
 */
void mem_blend_begin(struct mem_blend *b, enum mem_recall_mode mode, struct mem_txn *t);
void mem_blend_release(struct mem_blend *b);
/* OWNS *out: free(). */
enum mem_status mem_blend_run(struct mem_blend *b, struct mem_txn *t, struct mem_scored **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;

#endif
