/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed: which encoder a store has, the vector of a node or of a query, and what lies near it.
 *
 *   what is embedded   the text of a node, in passages
 *   for writing        the encoder that new vectors are made with
 *   for a query        the encoder that made the vectors that are there
 *   the record         which model a store says made its vectors
 *   near duplicates    what nearly says the same
 *   near search        what is like a text or a node
 */
#ifndef MEM_EMBED_H
#define MEM_EMBED_H

#include "base/base.h"
#include "model/model.h"
#include "record/record.h"
#include "store/store.h"
#include "text/passages.h"
#include "vectors/vectors.h"
#include "store/kind.h"

/* ---- what is embedded -------------------------------------------------- */

/*
 * The text of a node that its vector is made of, appended: of what somebody said "speaker: content", else the
 * content; of other kinds "title: …", "name: …" before content, statement and description; of these fields those that
 * its kind embeds, of a kind that has no vector, and of a record without one, all.  False: there is nothing in it but white space.
 */
bool mem_node_text(struct mem_buf *out, const struct mem_rec *node);

/* ---- passages: node_passages.c ------------------------------------------ */

/*
 * How texts are divided for an encoder: one of at most `whole` has one vector; a longer one is divided into passages of
 * passage.limit, which may be less: a vector of little text finds more of what the text says.
 *
 * Measured with e5 on Cranfield, whose abstracts are of one subject each (nDCG@10 of vectors / hybrid; half of the queries
 * kept back agrees): an abstract that the model reads whole is found best by one vector, so only what is longer is
 * divided.  All of up to 508 ids whole, longer ones cut: 51.4 / 56.8; longer ones in passages of 508: 51.3 / 56.8, of 256:
 * 51.3 / 56.7, of 128: 51.2 / 56.7.  Everything over 256 divided into passages of 256, with a sentence of overlap: 50.8 /
 * 56.8, without: 50.3 / 56.7.  Passages of 256 are what shows where in a long text an answer stands.
 */
struct mem_text_split {
	size_t whole;                   /* by the passage's measure */
	struct mem_passage_options passage;
};
/*
 * A node's text in passages.  A single one is the text as mem_node_text gives it.  Of several each is of one field, with the
 * head ("speaker: ", "title: ") before it.
 */
struct mem_node_passages {
	struct mem_str text;            /* BORROWS; all of it */
	size_t n;                       /* at least 1, at most MEM_VECTORS_PASSAGES */
	struct mem_str head, fields[MEM_TEXT_COUNT]; /* ARENA */
	struct mem_vectors_span *spans; /* ARENA; field: enum mem_text_field.  NULL: a single one */
};
/* `text` is what mem_node_text gave of the node, and lasts as long. */
void mem_node_passages_make(struct mem_node_passages *out, struct mem_arena *arena, const struct mem_rec *node, struct mem_str text,
    const struct mem_text_split *split);
struct mem_vectors_span mem_node_passage_span(const struct mem_node_passages *p, size_t i); /* zero: the whole */
void mem_node_passage_text(struct mem_buf *out, const struct mem_node_passages *p, size_t i); /* appended, with the head */
/* The same of a node and a span that is stored; of a zero one the whole text.  False: it is not in the node. */
bool mem_node_span_text(struct mem_buf *out, const struct mem_rec *node, const struct mem_vectors_span *span);

/* For this encoder: by its tokenizer's ids, for a remote route by bytes (embed.max_bytes).  BORROWS the encoder. */
#define MEM_PASSAGE_IDS 256             /* in a passage; fewer where the model takes fewer */
struct mem_text_split mem_encoder_text_split(const struct mem_encoder *e);

/* ---- for writing ------------------------------------------------------- */

/*
 * The encoder that vectors for this store are to be made with: `name` (a model, or a model's file), else what
 * embed.url and embed.model say, else the model of the vectors that are there, else the default.  OWNS.
 * MEM_ABSENT: it is not installed, or none is wanted.  MEM_FAIL: the store's vectors are another
 * model's; err names both and what mends it.  Of a remote route that shows only when its dimensions are known.
 */
enum mem_status mem_encoder_for_writing(struct mem_encoder **out, struct mem_store *s, const char *name,
    struct mem_err *err) MEM_CHECKED;
/* The same also when the store's vectors are another model's. */
enum mem_status mem_encoder_for_rebuild(struct mem_encoder **out, struct mem_store *s, const char *name,
    struct mem_err *err) MEM_CHECKED;
/* MEM_FAIL: a server gives vectors of a length that no store keeps.  Known once it has given one. */
enum mem_status mem_encoder_dims_check(const struct mem_encoder_info *info, struct mem_err *err) MEM_CHECKED;

/* ---- for a query ------------------------------------------------------- */

/* Zero but for `store`, until the first call. */
struct mem_query_encoder {
	struct mem_store *store;       /* BORROWS */
	struct mem_encoder *encoder;   /* opened at first need, */
	void (*encoder_close)(struct mem_encoder *); /* so that a program that never needs it is linked without it */
	struct mem_vectors_model model;  /* of the store's vectors, once the encoder is open; without its mean */
	bool tried;
	struct mem_err open_err;       /* what opening it gave */
	int64_t retry_at;              /* a server that has failed: not before then, in ms of the monotonic clock */
	struct mem_err server_err;     /* how it failed */
};
void mem_query_encoder_close(struct mem_query_encoder *q); /* a zero one is fine */
/*
 * The encoder that made the store's vectors, opened once; BORROWS.  MEM_ABSENT: the store has none, or
 * the model is not installed; MEM_FAIL: the one at hand is another, or broken.  err says what to do.
 */
enum mem_status mem_encoder_for_query(struct mem_query_encoder *q, struct mem_encoder **out, struct mem_err *err) MEM_CHECKED;
/*
 * A query's vector by it, and the model's weight beside words; the same answers.  *cut: the model read its beginning
 * alone, since it is longer than that takes (what a server does is not known).  *out OWNS: free().
 *
 * *pieces, if not NULL: the query's word pieces, from the same run of the model; they are to be released also when it fails.
 * None (n 0) where search.pieces is off, or the model has none.
 *
 * The agreement of a node or a window of nodes with them: mem_vectors_pieces_match, mem_vectors_pieces_agreement.  A piece weighs
 * best as model.h says: the idf of its word (words[i].term; mem_term_word gives the index's hash of it) divided by
 * words[i].parts.  Of what is encoded as a text words is NULL.
 */
enum mem_status mem_embed_query(struct mem_query_encoder *q, enum mem_encode_as as, struct mem_str text, float **out,
    double *weight, bool *cut, struct mem_text_pieces *pieces, struct mem_err *err) MEM_CHECKED;

/*
 * The vector of a text as it would be stored, less the mean of the store's: for mem_vectors_similarity with what
 * mem_vectors_centred_read gives.  In a short snapshot of its own.  MEM_STALE: the store's model changed meanwhile.  *out OWNS: free().
 */
enum mem_status mem_embed_centred(struct mem_query_encoder *q, struct mem_str text, float **out, struct mem_err *err) MEM_CHECKED;

/* ---- word pieces: node_pieces.c ------------------------------------------ */

/* Are the codes of nodes' word pieces to be kept: by search.pieces, by a model that has them? */
bool mem_pieces_wanted(const struct mem_conf *conf, const struct mem_encoder *e);
uint64_t mem_pieces_limit(const struct mem_conf *conf); /* bytes of them: search.pieces_bytes */

/* ---- the record of the model: model_record.c ---------------------------- */

/* Inside a write: records which model makes the store's vectors.  MEM_STALE: another one is recorded, or other dimensions. */
enum mem_status mem_model_record_put(struct mem_txn *t, const struct mem_encoder_info *info, struct mem_err *err) MEM_CHECKED;
/* The same without recording anything; MEM_OK also when no model is recorded. */
enum mem_status mem_model_record_compare(struct mem_txn *t, const struct mem_encoder_info *info,
    struct mem_err *err) MEM_CHECKED;
/* MEM_FAIL: the store names a model that another version of memkit knows, or its record is damaged. */
enum mem_status mem_model_record_unknown(const char *name, struct mem_err *err) MEM_CHECKED;

/* What the store has of a node in place of a vector. */
enum mem_vector_state {
	MEM_VECTOR_NONE, MEM_VECTOR_WAITS, MEM_VECTOR_THERE,
	MEM_VECTOR_BOTH,        /* it waits for what is there */
	MEM_VECTOR_BAD,         /* not of length 1, or not readable */
};
enum mem_status mem_vector_state_get(struct mem_txn *t, uint32_t ord, enum mem_vector_state *out,
    struct mem_err *err) MEM_CHECKED;

/* ---- near duplicates ---------------------------------------------------- */

struct mem_embedding {
	struct mem_str text;   /* what was embedded: of a long text its first passage */
	const float *vector;   /* NULL: it waits */
};
/* A node that is near: by its product as a near duplicate (score 0: there is none), or by its similarity. */
struct mem_near {
	uint32_t ord;
	struct mem_id id;
	double score;
};
/*
 * A near duplicate lies near, by the model's threshold, and is written alike: an English model sees all Arabic texts
 * near each other, and thanks and good-byes are near each other in any.  model_specs.c has the numbers.  Of texts with several
 * passages the first ones are compared.
 *
 * mem_near_score: of two texts with this product of their vectors by mem_dot, the product rounded to six decimals; 0: they
 * are no near duplicates, as below a product of mem_near_least (with all that rounding gives or takes) none are.
 */
double mem_near_score(float product, struct mem_str a, struct mem_str b, const struct mem_encoder_info *info);
float mem_near_least(const struct mem_encoder_info *info);
/* The nearest live node of `kind` in the n namespaces that is one, among the 16 nearest; else score 0. */
enum mem_status mem_near_find(struct mem_txn *t, const struct mem_ns *ns, size_t nns, enum mem_kind kind,
    const struct mem_embedding *embedding, const struct mem_encoder_info *info, struct mem_near *out,
    struct mem_err *err) MEM_CHECKED;

/* ---- near search: near_search.c ------------------------------------------ */

/*
 * The nearest live nodes by similarity (vectors.h) to a text or to a node.  Where up to 16,384 nodes are of the kinds and
 * namespaces, all of them are compared; of more those that the index says are nearest, four times as many as wanted
 * and at least 512.
 */
struct mem_near_query {
	const struct mem_ns *ns;            /* to search, by number: from mem_ns_visible or mem_ns_family */
	size_t nns;
	struct mem_kind_set kinds;          /* empty: all */
	const float *vector;                /* of a text, by the model of the store's vectors; NULL: of node `ord`, */
	uint32_t ord;                       /* which is not among the hits */
	double least;                       /* similarity */
	size_t limit;
	bool by_index;                      /* only those that the index says are nearest: of a store of a million nodes the
	                                     * others need not be looked at to know how many they are */
};
/* Best first, ties by id.  OWNS *out: free().  MEM_NOTFOUND: node `ord` has no vector.  A store without vectors has no hits. */
enum mem_status mem_near_search(struct mem_txn *t, const struct mem_near_query *q, struct mem_near **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;

/* ---- near duplicates of a batch: near_window.c --------------------------- */

/*
 * Near duplicates among texts that come one after the other: each is compared with the MEM_NEAR_BEFORE before it.
 * Several are multiplied at once, so that what is found of a text comes later, but in the order of the texts.
 */
#define MEM_NEAR_BEFORE 256
struct mem_near_hit {
	void *item;                 /* of the one before */
	double score;               /* mem_near_score */
};
/* `hits`: n > 0 near duplicates of item, oldest first; BORROWED for the call. */
typedef void mem_near_fn(void *ctx, void *item, const struct mem_near_hit *hits, size_t n);
struct mem_near_window;
/* OWNS; BORROWS info, whose dims are known. */
struct mem_near_window *mem_near_window_new(const struct mem_encoder_info *info, mem_near_fn *fn, void *ctx);
void mem_near_window_free(struct mem_near_window *w); /* NULL is fine */
/* The text is BORROWED as long as the window lives, the vector for the call.  `item`: what fn gets. */
void mem_near_window_add(struct mem_near_window *w, const struct mem_embedding *e, void *item);
/* Calls fn for what has been added and not compared yet. */
void mem_near_window_flush(struct mem_near_window *w);

#endif
