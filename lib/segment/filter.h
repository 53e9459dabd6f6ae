/* SPDX-License-Identifier: Apache-2.0 */
/* Filters, the query that a search takes, the namespaces that it sees, and its best hits so far. */
#ifndef MEM_FILTER_H
#define MEM_FILTER_H

#include "base/base.h"
#include "segment/segment.h"
#include "store/kind.h"
#include "store/store.h"

/* ---- a filter: filter.c ----------------------------------------------- */

/* Fields whose exact values the index keeps as terms (words.h says in what form). */
enum mem_field_term { MEM_TERM_SPEAKER, MEM_TERM_TAG, MEM_TERM_REF };

/* One value that a node must have in the field, or must not have. */
struct mem_filter_term {
	enum mem_field_term field;
	bool negative;
	struct mem_str value;               /* BORROWS */
	uint64_t hash;                      /* of the term; from mem_filter_prepare on */
};
struct mem_filter_names {
	struct mem_str *v;                  /* OWNS the array, BORROWS the names */
	size_t n, cap;
};
/*
 * Which moment of the past is asked about; MEM_TIME_NONE: the present.  Nodes of it are live but for that they may have been
 * superseded since; one that was forgotten does not come back.
 *   as_of       facts that were true then: valid_from <= t < valid_to; of one that was superseded without an end, until
 *               superseded_at.  Other kinds as ever
 *   known_at    nodes that the store had then, and that nothing had superseded yet: created_at <= t < superseded_at
 *   both        what as_of would have found at known_at, bitemporally: created_at <= known_at, and a validity, as it was known
 *               then, around as_of.  What was superseded because it was wrong ends when it begins, and is not found from then on
 *
 * With known_at status, valid_to and superseded_at are those of then (store/then.h).
 */
struct mem_then_reader;
struct mem_filter_past {
	int64_t as_of, known_at;
	bool superseded;                    /* what was superseded comes back, by known_at, too */
	const struct mem_then_reader *then; /* BORROWS; NULL: facts are taken as other nodes */
};
#define MEM_FILTER_PAST_INIT { .as_of = MEM_TIME_NONE, .known_at = MEM_TIME_NONE }

/*
 * Which nodes may be listed or found.  Each part is a demand, and a node passes when it meets all of them; what is
 * zero, empty or MEM_TIME_NONE demands nothing.  The query room reads it from options, from fields of a query and from lines
 * of --queries (mem_filter_add), and fills in what depends on the store (mem_filter_prepare).
 */
struct mem_filter {
	struct mem_kind_set kinds, not_kinds;
	uint32_t roles, not_roles;          /* bits 1 << role */
	uint32_t statuses;                  /* bits 1 << status; like types and names demanded of listings alone */
	struct mem_filter_names types;      /* one of these */
	uint32_t type_numbers;              /* bits of their numbers, the highest of all OTHER; from mem_filter_settle on */
	struct mem_filter_names names;      /* one of these, folded, is a name of it */
	struct mem_filter_names categories; /* one of these, as it is written, is its category */
	struct mem_filter_names ns, not_ns; /* one of these, and none of those */
	struct mem_str session;             /* session_id; BORROWS */
	uint32_t session_number;            /* mem_attr.session; from mem_filter_prepare on */
	int64_t since, until;               /* captured_at in [since, until) */
	struct mem_filter_term *terms;      /* OWNS; each of them */
	size_t nterms, terms_cap;
	struct mem_filter_past past;
	bool live;                          /* mem_attr_stands, with known_at mem_attr_live; but for what `past` brings back */
	bool flagged;                       /* has injection_flags */
	bool nothing;                       /* two demands exclude each other */
};
#define MEM_FILTER_INIT { .since = MEM_TIME_NONE, .until = MEM_TIME_NONE, .past = MEM_FILTER_PAST_INIT }
void mem_filter_release(struct mem_filter *f);
/* The arrays anew, what they borrow from as before. */
void mem_filter_copy(struct mem_filter *out, const struct mem_filter *f);
/* Adds the demands of `other`. */
void mem_filter_narrow(struct mem_filter *f, const struct mem_filter *other);
/* Folds not_kinds and not_roles into kinds and roles, and looks up types.  `kinds`: what counts where no kind is named; empty: all. */
void mem_filter_settle(struct mem_filter *f, struct mem_kind_set kinds);

/* Of a settled one.  Is the namespace among those wanted, the kind? */
bool mem_filter_ns(const struct mem_filter *f, const char *name);
bool mem_filter_kind(const struct mem_filter *f, unsigned kind);
/* What attr holds of a node, but for its namespace, in this snapshot.  One whose type is OTHER may be of another than is wanted.
 * Fails as past.then does. */
struct mem_attr;
enum mem_status mem_filter_attr(const struct mem_filter *f, struct mem_txn *t, const struct mem_attr *a, int64_t now, bool *passes,
    struct mem_err *err) MEM_CHECKED;

/* ---- by columns: filter_columns.c ------------------------------------- */

/* Columns that it reads, as bits 1 << column; 0 (of NULL, too): columns have nothing to say. */
unsigned mem_filter_columns(const struct mem_filter *f);
bool mem_filter_row(const struct mem_filter *f, uint16_t kind, uint8_t role, uint32_t session,
    int64_t captured_at);
enum mem_pass { MEM_PASS_NONE, MEM_PASS_SOME, MEM_PASS_ALL };
/* What is known from the zone's record. */
enum mem_pass mem_filter_zone(const struct mem_filter *f, const struct mem_cols *c);
bool mem_filter_doc(const struct mem_filter *f, const struct mem_cols *c, uint32_t i);
/* Bit i: document i of the zone passes. */
void mem_filter_bits(const struct mem_filter *f, const struct mem_cols *c,
    uint64_t bits[MEM_ZONE_DOCS / 64]);

/* ---- a query ---------------------------------------------------------- */

struct mem_search_clause {
	uint64_t hash;
	enum mem_occur { MEM_SHOULD, MEM_MUST, MEM_MUST_NOT } occur;
	bool scored;                        /* false: it only filters */
	double weight;                      /* times idf; of a word: how often the query has it */
	uint64_t of;                        /* hash of the clause whose word it says again, as a date does; 0: of none */
};
/* A clause that asks for a filter's term. */
struct mem_search_clause mem_filter_clause(const struct mem_filter_term *term);

/* A document matches when every MUST and no MUST_NOT stands in it and, where no MUST is scored but there
 * is a SHOULD, one of those does.  The filter's terms are such clauses, too.  Filter and admit only take away; they
 * change no score. */
struct mem_search_query {
	const struct mem_search_clause *clauses;
	size_t nclauses;
	const struct mem_ns *ns;            /* to search: from mem_ns_visible, narrowed by --ns */
	size_t nns;
	const struct mem_filter *filter;    /* settled; its namespaces and live are the caller's affair; NULL: none */
	double min_score;
	size_t limit;                       /* SIZE_MAX: all that match */
	size_t reads;                       /* of mem_vectors_nearest: rows of the best estimates to rank by; 0: until the hits are right */
	/* Is it live, does the phrase stand in its text?  Asked for what is about to enter the result,
	 * in no order and maybe twice, so it must not depend on what it was asked before.  NULL: all enter. */
	bool (*admit)(void *ctx, uint32_t ord);
	void *ctx;
	const uint64_t *nodes;              /* only these, a bit for each ord; NULL: all.  Read by mem_vectors_nearest alone */
	size_t nnodes;                      /* bits in it */
	struct mem_worker *helper;          /* BORROWS; NULL: mem_vectors_nearest starts one where that pays, */
	bool alone;                         /* unless this says that none is wanted */
};
struct mem_search_hit {
	uint32_t ord;
	double score;                       /* rounded to six decimals: ranked as printed */
	struct mem_id id;                   /* ties are broken by it */
	uint16_t passage;                   /* of mem_vectors_nearest: the one that is nearest */
};

/* ---- what is visible: search_scope.c ---------------------------------- */

/* The namespaces to search, sorted, and what ranking needs to know of them. */
struct mem_scope {
	uint32_t *ns;
	size_t nns;
	uint64_t docs, length;
};
void mem_scope_init(struct mem_scope *s, const struct mem_ns *ns, size_t nns);
void mem_scope_release(struct mem_scope *s);
bool mem_scope_sees(const struct mem_scope *s, uint32_t ns);

struct mem_doc_span {
	uint32_t lo, hi;
};
struct mem_search_seg {
	struct mem_seg seg;
	struct mem_doc_span *spans;          /* visible documents, ascending */
	size_t nspans;
	uint64_t *refs;                  /* of each clause; UINT64_MAX: not there */
};
/* The visible documents of g->seg: g->spans. */
bool mem_scope_spans(const struct mem_scope *s, struct mem_search_seg *g);

/* ---- the best: topk.c ------------------------------------------------- */

/* To six decimals. */
double mem_score_round(double score);
/* A candidate.  Its ord and id are looked up only when they decide something: each costs a
 * page of table attr. */
struct mem_topk_candidate {
	double score;                    /* rounded */
	struct mem_seg *seg;             /* NULL: in the tail, or a vector: ord is known */
	uint32_t doc;                    /* in seg; of a vector, how many were read before it */
	uint32_t ord;                    /* once it is exact */
	bool exact;                      /* id_min and id_max are its id */
	bool rising;                     /* in its zone ids rise with documents */
	uint16_t passage;                /* of a vector */
	struct mem_id id_min, id_max;
};
/*
 * The best so far: a heap with the worst on top, or, while there are fewer than `limit`, a
 * list.  Admission costs a look into the store or even into a text, so only what comes
 * out at the end is asked for, with some spare for those refused; where that does not do, all
 * is done again with `eager` set, which asks before anything is taken.
 */
struct mem_topk {
	struct mem_topk_candidate *v;
	size_t n, cap, limit;
	double min_score;
	uint64_t changes;
	bool eager;
	bool ahead;           /* what is admitted at the end has its attributes read ahead (mem_attrs_read_ahead) */
	bool (*admit)(void *ctx, uint32_t ord);
	void *ctx;
	struct mem_txn *t;
	struct mem_err *err;
	enum mem_status status;
	struct mem_cols cols;
	struct mem_seg *cols_of;
};
/* Lowest unrounded score that may still enter; `after` is an id that no candidate to come
 * is below (NULL: nothing is known), so that mere ties lose. */
double mem_topk_cut(const struct mem_topk *t, const struct mem_id *after);
void mem_topk_offer(struct mem_topk *t, struct mem_topk_candidate *top);
/* Raises the score of a node that is among them, where the passage is a better one; false: it is not among them. */
bool mem_topk_raise(struct mem_topk *t, uint32_t ord, double score, uint16_t passage);
/* Best first.  False: too many were refused, it has to be done again. */
bool mem_topk_finish(struct mem_topk *t, size_t limit, struct mem_search_hit **hits, size_t *n);

#endif
