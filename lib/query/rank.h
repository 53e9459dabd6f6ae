/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank: the candidates of one question, and the steps that rank them.
 *
 * A candidate is a node with what each signal says of it.  A search fills the array from the lists of its signals, a
 * filter in a pipe from hits; both call the same steps, in the order of MEM_RANK_STEP_TABLE.  A step reads the signals
 * as they are printed, to six decimals, and sets `score` to its result, rounded likewise.  So a pipe of single steps
 * gives the digits that a search gives.
 */
#ifndef MEM_RANK_H
#define MEM_RANK_H

#include "base/base.h"
#include "conf/conf.h"
#include "conf/signal_names.h"
#include "query/fuse.h"
#include "query/match.h"
#include "query/query.h"

/*
 * The signals.  To add one: a line in conf/signal_names.h, signal_NAME.c with what struct query_signal (signal_int.h) says
 * of it, and a line of mem-records(5).
 */
const char *mem_signal_name(enum mem_signal signal); /* in hits */
bool mem_signal_find(struct mem_str name, enum mem_signal *out); /* false: no signal has the name */

/* The steps, each with a field of its own beside the signals of a hit. */
#define MEM_RANK_STEP_TABLE(LINE) \
	LINE(FUSE, fuse) \
	LINE(NEIGHBOURS, neighbours) \
	LINE(RM3, rm3) \
	/* here */

enum mem_rank_step {
#define MEM_RANK_STEP_NUMBER(upper, lower) MEM_RANK_##upper,
	MEM_RANK_STEP_TABLE(MEM_RANK_STEP_NUMBER)
#undef MEM_RANK_STEP_NUMBER
	MEM_RANK_STEPS
};
const char *mem_rank_step_name(enum mem_rank_step step);

/* What the step neighbours knows of a candidate (neighbours.c says what each is), in the order of its weights. */
#define MEM_RANK_FEATURE_TABLE(LINE) \
	LINE(L, l) LINE(D, d) LINE(M, m) LINE(MSW2, msw2) LINE(P1, P1) LINE(N1, N1) LINE(P2, P2) LINE(N2, N2) LINE(SMAX2, smax2) LINE(SPK, spk) \
	LINE(HASQ, hasq) LINE(ISQ, isq) LINE(PREVQ, prevq) LINE(P1Q, P1q) LINE(TW, tw) LINE(NW, nw) LINE(WHEN_TW, when_tw) \
	LINE(DUR_TW, dur_tw) LINE(CAPS, caps) LINE(COV, cov) LINE(COVW, covw) LINE(DMATCH, dmatch) \
	/* here */

enum mem_rank_feature {
#define MEM_RANK_FEATURE_NUMBER(upper, lower) MEM_FEATURE_##upper,
	MEM_RANK_FEATURE_TABLE(MEM_RANK_FEATURE_NUMBER)
#undef MEM_RANK_FEATURE_NUMBER
	MEM_FEATURES
};
const char *mem_rank_feature_name(enum mem_rank_feature feature);
struct mem_rank_features {
	double v[MEM_FEATURES];
};

struct mem_signal_score {
	double score;                    /* NAN: it has none, or nobody has looked */
	uint32_t rank;                   /* in the signal's own list, from 1; 0: not in it */
};
struct mem_candidate {
	uint32_t ord;
	struct mem_id id;
	double score;                    /* of the last step; NAN: of none */
	bool anchor;                     /* what the question, a sentence, has in quotes stands in it (anchors.c) */
	double words;                    /* the share of the question's words that stand in it, by idf; NAN: nobody has looked */
	struct mem_signal_score signal[MEM_SIGNALS];
	struct mem_hit_match match;          /* NAN: nobody has looked, or nothing is asked for */
	double step[MEM_RANK_STEPS];     /* what each step gave it; NAN: it has not been applied */
	uint32_t features;               /* its place in mem_candidates.features, from 1; 0: there are none */
};
/* Each node once. */
struct mem_candidates {
	struct mem_candidate *v;         /* OWNS */
	size_t n, cap;
	struct mem_rank_features *features; /* OWNS; NULL: nobody asked (options.explain), or the step was not applied */
};
void mem_candidates_release(struct mem_candidates *c);
/* Appends one without any score; BORROWED until the next one. */
struct mem_candidate *mem_candidates_add(struct mem_candidates *c, uint32_t ord, const struct mem_id *id);
/* Those that hold an anchor first, then by score, best first, ties by id; those without a score last. */
void mem_candidates_sort(struct mem_candidates *c);
void mem_candidates_sort_by_id(struct mem_candidates *c);

/* ---- a question: question.c --------------------------------------------- */

/*
 * A question as parsed, its vector, and a snapshot of what it may find: what the steps below ask of a store.  It holds a
 * read transaction, so it is closed before output, a wait or a child.  The same failures as of mem_search_query; BORROWS
 * the searcher, the options and what they point to.
 */
struct mem_question;
enum mem_status mem_question_open(struct mem_question **out, struct mem_searcher *m, const struct mem_search_options *options,
    struct mem_err *err) MEM_CHECKED;
/* The same of a line of mem-search --queries (query.h): what it asks counts instead of what the options say, but for `qid`,
 * which stays theirs; empty: the options alone.  MEM_REFUSED: the line makes no sense. */
enum mem_status mem_question_open_line(struct mem_question **out, struct mem_searcher *m, const struct mem_search_options *options,
    struct mem_str line, struct mem_err *err) MEM_CHECKED;
void mem_question_close(struct mem_question *q); /* NULL is fine */
/* How it is searched: MEM_MODE_AUTO by words and 4-grams, since no vector is at hand. */
enum mem_search_mode mem_question_mode(const struct mem_question *q);
/*
 * Finds the nodes of candidates that hits name: sets ord by id, and whether an anchor stands in them.  Candidates that the principal or the filter does not
 * let the question find are dropped, as unknown ones are.
 */
enum mem_status mem_question_locate(struct mem_question *q, struct mem_candidates *c, struct mem_err *err) MEM_CHECKED;
/*
 * Sets other[i] of the located episodes that somebody else says than the one speaker whom the question names, where these
 * have clearly more of it: the mean of the three greatest shares of the question's words (by idf, names left out) among his
 * is below that among the others' by more than a constant (speaker.c).
 */
enum mem_status mem_question_find_others(struct mem_question *q, const struct mem_candidates *c, bool *other, struct mem_err *err) MEM_CHECKED;
/* What each signal counts in a fused score of this question: 0 where it does not. */
void mem_question_weights(const struct mem_question *q, double weights[MEM_SIGNALS]);
/* What a class adds to the weights of signals (search.class.NAME). */
void mem_class_weights(enum mem_class class, const struct mem_conf *conf, double weights[MEM_SIGNALS]);

/* Appends candidate i with this rank as a line, the hit that a search gives of it.  MEM_NOTFOUND: it is erased or damaged,
 * and nothing is appended. */
enum mem_status mem_question_put_hit(struct mem_question *q, const struct mem_candidates *c, size_t i, size_t rank, struct mem_buf *out,
    struct mem_err *err) MEM_CHECKED;
/* {"score":…}, what a hit says of a step; of neighbours with "features" where they are there. */
void mem_rank_put_note(struct mem_buf *out, const struct mem_candidates *c, size_t i, enum mem_rank_step step);

/* ---- the steps ---------------------------------------------------------- */

/* The signals as one score (fuse.h); a dense score that is missing counts as the mean of the others.  Signals of weight 0 do not count.  The last bits of a sum depend on its order, so
 * candidates come sorted by id. */
void mem_rank_fuse(struct mem_candidates *c, enum mem_fusion how, const double weights[MEM_SIGNALS]);
/* Adds weight · value of each signal to what the step gave.  For signals whose values lie in [0, 1]; none adds nothing. */
void mem_rank_add(struct mem_candidates *c, enum mem_rank_step step, const double weights[MEM_SIGNALS]);

/*
 * The turns around: what they and the rest of a session hold lends score to a turn (neighbours.c has the formula), and a
 * turn next to a good one becomes a candidate.  Only turns lend or enter that the principal sees, the filter leaves and
 * that meet what the query demands.  The candidates need their ords and the signals of the question's mode; the best of
 * them by those signals are looked at.  *applied is false, and all scores are as before, where the question is by one signal
 * alone or asks for an identifier or in fewer than three words, or no candidate is a turn of a session.
 */
enum mem_status mem_rank_neighbours(struct mem_candidates *c, struct mem_question *q, bool *applied, struct mem_err *err) MEM_CHECKED;

/*
 * The question widened by words of its best ten hits (rm3.c).  *applied is false, and all is as before, where texts are
 * short, where a turn was ranked by its neighbours, or the question has fewer than three words or asks for an identifier.
 */
enum mem_status mem_rank_rm3(struct mem_candidates *c, struct mem_question *q, bool *applied, struct mem_err *err) MEM_CHECKED;

/* The step by its number; not fuse. */
enum mem_status mem_rank_step_apply(struct mem_candidates *c, enum mem_rank_step step, struct mem_question *q, bool *applied,
    struct mem_err *err) MEM_CHECKED;

#endif
