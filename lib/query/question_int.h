/* SPDX-License-Identifier: Apache-2.0 */
/* A question in one snapshot, as the files that search share it. */
#ifndef QUERY_QUESTION_INT_H
#define QUERY_QUESTION_INT_H

#include "query/query_int.h"
#include "query/question_words.h"
#include "query/rank.h"
#include "query/signal_int.h"
#include "store/node.h"
#include "text/dates.h"
#include "text/marks.h"

/* Options, and what they point to. */
struct query_own_options {
	struct mem_search_options options;
	struct mem_arena arena;                  /* OWNS */
	struct mem_filter filter;                /* OWNS */
};
/* Zero but for what query_question_parse sets, until the other two have run. */
/* The hypothetical answer of a question. */
struct query_hyde {
	bool asked;
	struct mem_buf text;                     /* OWNS; empty: there is none */
	struct mem_err failure;                  /* why there is none; MEM_OK: there is, or none was asked for */
};
struct mem_question {
	struct mem_searcher *searcher;           /* BORROWS, and the options */
	const struct mem_search_options *options;
	struct query_parsed parsed;
	struct mem_question_marks marks;
	bool by_grams;                           /* without a vector 4-grams count beside the words: it is in words, without operators */
	struct mem_question_dates dates;         /* that it names */
	enum mem_class class;
	struct query_words words;                /* weighed where the step neighbours wants them */
	struct query_hyde hyde;
	float *vector;                           /* OWNS; NULL: it goes by words */
	float *asked_vector;                     /* OWNS; the question's own, where `vector` is that of a supposed answer; else NULL */
	struct mem_text_pieces pieces;           /* OWNS; the question's word pieces; n 0: none */
	bool vector_cut;                         /* the model read its beginning alone */
	struct mem_err fallback;                 /* why it goes by words; MEM_OK: as asked */
	struct mem_txn *t;
	int64_t now;
	struct mem_filter filter;                /* what options and query leave */
	struct mem_ns *ns;                       /* OWNS */
	struct mem_search_query iq;              /* nns 0: nothing can be found */
	struct query_anchors anchors;            /* OWNS; what is searched for beside iq */
	struct query_ranking ranking;
	struct query_own_options *own;           /* OWNS; of mem_question_open_line, what `options` is then */
	struct query_passages passages;          /* once a hit is put (mem_question_put_hit) */
	bool passages_ready;
	/* Of iq.admit: room, and the first failure. */
	struct mem_rec rec;
	struct mem_buf room;
	struct mem_buf known;                    /* a record as it was known then */
	enum mem_status admit_status;
	struct mem_err admit_fault;
};
/* Release also after a failure. */
enum mem_status query_question_parse(struct mem_question *q, struct mem_searcher *m, const struct mem_search_options *options,
    struct mem_err *err) MEM_CHECKED;
void query_question_release(struct mem_question *q);
/* Fills q->hyde, as the options say; no transaction is open, since a command may run.  Not of a search by words. */
void query_question_suppose(struct mem_question *q);
/* Fills the vector and the ranking's mode.  Without a vector it is by words, when that will do; q->fallback tells why. */
enum mem_status query_question_embed(struct mem_question *q, struct mem_err *err) MEM_CHECKED;
/* Is there something for words to do while a model here works out what the question means? */
bool query_question_waits_beside(struct mem_question *q);
/* Opens the snapshot: the namespaces, and what filters say. */
enum mem_status query_question_look(struct mem_question *q, struct mem_err *err) MEM_CHECKED;
/* ---- misspelt.c ---- */
/* Adds what words of the newest texts say again of those that stand nowhere.  Once the words are known to be unknown. */
enum mem_status query_add_near_words(struct mem_question *q, struct mem_err *err) MEM_CHECKED;
/* words_share.c: fills `words` of each candidate. */
enum mem_status query_fill_words_share(const struct mem_question *q, struct mem_candidates *c, struct mem_err *err) MEM_CHECKED;
/* Has it three words or more, and no identifier?  What turns say to it is more than its words alone. */
bool query_question_is_in_words(const struct mem_question *q);
/* match.c: fills `match` of each candidate; their dense scores are there, if the mode has them. */
enum mem_status query_fill_match(struct mem_question *q, struct mem_candidates *c, struct mem_err *err) MEM_CHECKED;
/* Is the node in a namespace that is searched, and does the filter leave it, as far as its attributes tell? */
bool query_question_sees(struct mem_question *q, const struct mem_attr *attr);
/* ---- hit_record.c ---- */

/* What hits of one question are made with. */
struct query_hit_form {
	struct mem_index *index;
	const struct mem_candidates *c;
	enum mem_search_mode mode;
	enum mem_class class;
	unsigned signals;         /* bits: those that are shown, since they count or somebody asked for them */
	bool explain;
	bool vectors;             /* the node's vector, too */
	const char *const *without; /* [MEM_SEARCH_WITHOUT]: fields that are left out, as the options have them; NULL: none */
	struct mem_str qid;       /* JSON; empty: none */
	const char *hyde;         /* the value of the field; NULL: none */
	struct query_passages *passages; /* NULL: hits have no `passage` */
	const struct mem_str *ways; /* JSON by candidate: what stands under the signal graph; NULL: its score */
};
/* Candidate i, whose node is given, as a line; rank 0: null. */
enum mem_status query_put_hit(struct mem_buf *out, const struct query_hit_form *f, struct mem_txn *t, struct mem_str node, size_t i, size_t rank,
    struct mem_err *err) MEM_CHECKED;

/* ---- graph_named.c ---- */

/* Stands a word that the question asks for in the node's name, its title or one of its aliases? */
bool query_names_node(const struct mem_question *q, struct mem_json node);

/* ---- graph_search.c ---- */

/* Of a question that was looked up: all that its filter leaves, by score, as MEM_MODE_GRAPH has it.  OWNS *ways, in the arena. */
enum mem_status query_search_graph(struct mem_question *q, struct mem_candidates *out, struct mem_str **ways, struct mem_arena *a,
    struct mem_err *err) MEM_CHECKED;

#endif
