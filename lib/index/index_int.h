/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the index room share: the form of a segment on disk.
 *
 * A segment is a manifest (table segs) and parts (table seg, key: segment u32, section u8 << 24 |
 * part).  A part is at most 1 MiB - 16, which with LMDB's page header fills 256 pages
 * exactly: its payload, then XXH3-64 of the payload.  Searches trust the checks of shape
 * that every read makes; merges and mem-check also compare the checksums.  Numbers are in
 * host order (meta records it) and at any alignment, so they are read through mem_ld*.
 *
 *   section  payload
 *   NSR      {ns u32, first document u32}, by ns: documents are sorted by (ns, ord)
 *   ZONE     struct mem_zone, one for 4,096 documents
 *   ORD LEN TIME SESS KIND
 *            one column each; a zone's share of it lies in one piece
 *   DICT     {term u64, ref u64}, by term
 *   SKIP     for each list of over 128 documents: {df u32, 0 u32, pairs} and then for each block
 *            {last document u32, address >> 2 u32, pairs}
 *   POST     blocks and runs, see below; none straddles two parts
 *
 * A segment of vectors has columns alone (LEN is 0), of documents that have one, and
 *   CODE     blocks of 32 sign codes (vector.h), the last one filled up with zeros
 *   FINE     their fine parts, one for each document
 * Maintenance gathers those of a large one in groups of neighbours (vec_group.c): then every 32,768 documents are
 * sorted by (ns, group, ord), and there are
 *   GROUP    {centre as dims floats, radius as a float}
 *   OF       {lowest, highest group u16} for each block of codes; the number of groups stands for none
 *
 * An address in a column or in POST is part << 20 | offset.  A ref has its form in the top two bits:
 *   ONE   document in bits 0-31, tf in bits 32-61
 *   RUN   address in bits 0-39, df (2 to 128) in bits 40-61
 *   LIST  index of the list's first SKIP record in bits 0-39
 *
 * Pairs are up to four (tf, length code) such that every posting of the block has a pair
 * whose tf is at least and whose length is at most its own: with the visible set's statistics they
 * give the block's highest score exactly enough to skip it (Ding and Suel, "Faster top-k document
 * retrieval using block-max indexes", 2011, keep a score; a pair outlives a change of statistics).
 */
#ifndef MEM_INDEX_INT_H
#define MEM_INDEX_INT_H

#include "index/index.h"
#include "vector/vector.h"

#include <string.h>

static inline uint16_t
mem_ld16(const void *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint32_t
mem_ld32(const void *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint64_t
mem_ld64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

/* ---- the form on disk ------------------------------------------------- */

enum mem_sec {
	MEM_SEC_NSR, MEM_SEC_ZONE,
	MEM_SEC_ORD, MEM_SEC_LEN, MEM_SEC_TIME, MEM_SEC_SESS, MEM_SEC_KIND, /* as enum mem_col */
	MEM_SEC_DICT, MEM_SEC_SKIP, MEM_SEC_POST,
	MEM_SEC_CODE, MEM_SEC_FINE, MEM_SEC_COUNT,
	MEM_SEC_GROUP = MEM_SEC_DICT, MEM_SEC_OF = MEM_SEC_SKIP /* of vectors */
};

#define MEM_PART_ROOM  ((size_t)(1 << 20) - 16 - 8) /* payload; the checksum follows */
#define MEM_SEG_MAGIC  0x67736b6dU
#define MEM_SEG_FORMAT 1
#define MEM_SEG_LEVELS 16
#define MEM_SEG_DOCS   ((uint32_t)1 << 31)

struct mem_manifest {
	uint32_t magic;
	uint16_t format, level;    /* 0: up to 4,096 documents, 1: up to eight times as many, … */
	uint32_t docs;
	uint32_t ord_min, ord_max; /* segments of words never overlap in ord */
	uint32_t dims;             /* of a segment of vectors; 0: of words */
	uint64_t postings;
	uint64_t bytes;            /* of all parts */
	struct {
		uint32_t version;  /* 0: the section is absent */
		uint32_t parts;
		uint64_t count;    /* elements; of columns and POST payload bytes */
	} sec[12];
	uint64_t checksum;         /* of all before */
};

#define MEM_NSR_SIZE  8
#define MEM_ZONE_SIZE 112
#define MEM_DICT_SIZE 16
#define MEM_SKIP_SIZE 16

#define MEM_ZONE_DOCS 4096
enum mem_col { MEM_COL_ORD, MEM_COL_LEN, MEM_COL_TIME, MEM_COL_SESS, MEM_COL_KIND, MEM_COL_COUNT };

/* One zone.  A column's values are differences from a base in `width` bytes each; width 0
 * means that all are equal and nothing is stored. */
struct mem_zone {
	uint64_t at[MEM_COL_COUNT];      /* addresses in the column */
	int64_t time_min, time_max;      /* base of TIME: time_min */
	struct mem_id id_min, id_max;    /* bounds, not always reached */
	uint32_t ord_min;                /* base of ORD */
	uint32_t len_min;                /* base of LEN is 0 unless its width is 0 */
	uint32_t sessions;               /* SESS: so many u32, sorted, then an index for each document */
	uint32_t kinds;                  /* bits 1 << kind */
	uint8_t width[MEM_COL_COUNT];
	uint8_t roles;                   /* bits 1 << role */
	uint8_t rising;                  /* ids rise with documents */
	uint8_t kind;                    /* base of KIND is 0 unless its width is 0: kind | role << 5 */
};
_Static_assert(sizeof(struct mem_zone) == MEM_ZONE_SIZE, "stored as it lies in memory");
_Static_assert(sizeof(struct mem_manifest) == 240, "stored as it lies in memory");

#define MEM_REF_ONE  0U
#define MEM_REF_RUN  1U
#define MEM_REF_LIST 2U
#define MEM_ADDRESS_MASK (((uint64_t)1 << 40) - 1)

/* ---- postings: post.c ------------------------------------------------- */

#define MEM_BLOCK     128  /* postings in a packed block */
#define MEM_BLOCK_MAX 1280 /* bytes that a block or a run of up to 128 can take */

/*
 * A packed block: gap width u8, tf width u8, then 128 gaps - 1 and 128 (tf - 1) in that many
 * bits, value 4i + l in lane l of four 32-bit lanes, so that four are unpacked at once.
 * `base` is the lowest document that may come (the last one before the block, plus 1).  Returns bytes.
 */
size_t mem_block_pack(uint8_t *out, const uint32_t *docs, const uint32_t *tfs, uint32_t base);
/* Bytes of the block at p, 0 when `room` bytes do not hold one. */
size_t mem_block_size(const uint8_t *p, size_t room);
/* False: not a block.  A damaged block may give documents out of order or range. */
bool mem_block_docs(const uint8_t *p, size_t room, uint32_t base, uint32_t *docs) MEM_CHECKED;
bool mem_block_tfs(const uint8_t *p, size_t room, uint32_t *tfs) MEM_CHECKED;

/* A run: for each posting (gap - 1) << 1 | (tf > 1), then tf - 2 where that bit is set, as
 * little-endian base 128 numbers. */
size_t mem_run_pack(uint8_t *out, const uint32_t *docs, const uint32_t *tfs, size_t n,
    uint32_t base);
/* Bytes read, 0 when it is not a run of n; its documents rise strictly. */
size_t mem_run_unpack(const uint8_t *p, size_t room, size_t n, uint32_t base,
    uint32_t *docs, uint32_t *tfs);

/* ---- bounds: bound.c -------------------------------------------------- */

/* Lengths in a byte: exact below 64, then three bits after the leading one; rounded down,
 * since a shorter document scores higher. */
uint8_t mem_len_code(uint32_t length);
uint32_t mem_len_floor(uint8_t code);

#define MEM_PAIRS  4
#define MEM_TF_ANY 255 /* in a pair: this tf or any higher */

struct mem_pairs {
	uint8_t tf[MEM_PAIRS]; /* 0: no pair */
	uint8_t len[MEM_PAIRS];
};
/* Collects the shortest length for each tf. */
struct mem_front {
	uint8_t least[256]; /* by min(tf, 255) */
	uint32_t top;       /* highest tf so far, at most 255 */
};
void mem_front_clear(struct mem_front *f);
static inline void
mem_front_add(struct mem_front *f, uint32_t tf, uint8_t code)
{
	uint32_t t = tf < MEM_TF_ANY ? tf : MEM_TF_ANY;
	if (t > f->top)
		f->top = t;
	if (code < f->least[t])
		f->least[t] = code;
}
void mem_front_join(struct mem_front *into, const struct mem_front *f);
void mem_front_pairs(const struct mem_front *f, struct mem_pairs *out);

/* ---- writing a segment: segwrite.c, column.c -------------------------- */

/* What the columns keep of a document. */
struct mem_row {
	int64_t captured_at;
	uint32_t ord, ns, length, session;
	uint8_t kind, role;
	bool rises;                      /* its id is known to be above the one before */
	struct mem_id id_min, id_max;    /* the id, or what is known of it */
};

struct mem_part {
	uint8_t *data;                   /* OWNS */
	size_t n;
	enum mem_sec sec;
	uint32_t part;
};
/*
 * Documents first, sorted by (ns, ord), then terms, sorted.  Finished parts queue up
 * in `done`; whoever drives the writer stores and drops them now and then, so that no more than
 * that and one open part for each section is in memory, besides one byte for each document.
 */
struct mem_segw {
	struct mem_part *done;
	size_t ndone, done_cap, done_bytes;
	struct {
		uint8_t *data;
		size_t n;
		uint32_t part;
	} open[MEM_SEC_COUNT];
	struct mem_manifest m;
	uint8_t *codes;                  /* length codes of the documents */
	size_t codes_cap;
	struct mem_row *zone;
	size_t nzone;
	uint32_t ns;
	bool failed;                     /* grew past what addresses reach */
	/* The list under way. */
	uint64_t term;
	uint32_t df, written, n, base;
	uint32_t docs[MEM_BLOCK], tfs[MEM_BLOCK];
	struct mem_front whole;
	uint8_t *block;                  /* of codes, under way */
	uint32_t nblock;
	uint16_t groups[2];              /* lowest and highest in it */
	bool grouped;
};
void mem_segw_init(struct mem_segw *w, uint16_t level);
void mem_segw_release(struct mem_segw *w);
void mem_segw_doc(struct mem_segw *w, const struct mem_row *row);
void mem_segw_docs_end(struct mem_segw *w);
/* The code of the document that mem_segw_doc was given last; dims is set in the manifest.  `group` where w->grouped is set. */
void mem_segw_code(struct mem_segw *w, const uint8_t *code, uint16_t group);
void mem_segw_term(struct mem_segw *w, uint64_t term, uint32_t df);
/* `docs` rise, also from one call to the next; df of them in all. */
void mem_segw_post(struct mem_segw *w, const uint32_t *docs, const uint32_t *tfs, size_t n);
/* Closes all parts and fills the manifest; MEM_FAIL: too large. */
enum mem_status mem_segw_finish(struct mem_segw *w, struct mem_err *err) MEM_CHECKED;
void mem_segw_drop_done(struct mem_segw *w, size_t n); /* the first n */
/* n bytes in one part of a stream, and their address. */
uint8_t *mem_segw_room(struct mem_segw *w, enum mem_sec sec, size_t n, size_t align,
    uint64_t *address);
void mem_segw_elem(struct mem_segw *w, enum mem_sec sec, const void *p, size_t size);
/* column.c: the zone gathered in w->zone. */
void mem_segw_zone(struct mem_segw *w);

/* ---- reading a segment: segread.c, column.c, list.c ------------------- */

/* Gives one part as stored.  It stays where it is until the snapshot ends. */
typedef enum mem_status mem_part_fn(void *ctx, uint32_t segment, enum mem_sec sec,
    uint32_t part, struct mem_str *value, struct mem_err *err);

/*
 * Readers return NULL or false once something is wrong with a segment and leave
 * `status` and *err filled, so that loops may end first and ask later.
 */
struct mem_seg {
	uint32_t number;
	bool verify;                     /* compare checksums of what is read */
	enum mem_status status;
	struct mem_err *err;
	struct mem_manifest m;
	uint32_t code_size, fine_size;   /* of vectors */
	mem_part_fn *get;
	void *ctx;
	struct mem_str *parts[MEM_SEC_COUNT]; /* payloads fetched so far */
};
enum mem_status mem_seg_open(struct mem_seg *s, uint32_t number, struct mem_str manifest,
    mem_part_fn *get, void *ctx, struct mem_err *err) MEM_CHECKED;
void mem_seg_close(struct mem_seg *s);
/* The snapshot has ended: fetch parts again. */
void mem_seg_forget(struct mem_seg *s);
/* "index segment N is damaged (WHAT)"; returns NULL for the caller to pass on. */
void *mem_seg_damaged(struct mem_seg *s, const char *what);
const uint8_t *mem_seg_part(struct mem_seg *s, enum mem_sec sec, uint32_t part, size_t *n);
/* Element i of an array section. */
const uint8_t *mem_seg_elem(struct mem_seg *s, enum mem_sec sec, uint64_t i);
/* `n` bytes (at least one) at an address of a stream; *room gets what the part holds from there. */
const uint8_t *mem_seg_at(struct mem_seg *s, enum mem_sec sec, uint64_t address, size_t n,
    size_t *room);
/* The term's ref; false when it is not there, or on damage. */
bool mem_seg_find(struct mem_seg *s, uint64_t term, uint64_t *ref);
/* Documents of one namespace; lo == hi when there are none. */
bool mem_seg_range(struct mem_seg *s, uint32_t ns, uint32_t *lo, uint32_t *hi);

/* The namespace of a document; 0: damage. */
uint32_t mem_seg_ns(struct mem_seg *s, uint32_t doc);

/* A zone with its columns in reach. */
struct mem_cols {
	uint32_t zone;                   /* UINT32_MAX: none yet */
	uint32_t first, n;
	struct mem_zone z;
	const uint8_t *col[MEM_COL_COUNT]; /* SESS: the indexes */
	const uint8_t *sessions;
};
#define MEM_COLS_ALL ((1U << MEM_COL_COUNT) - 1)
/* `which`: bits 1 << column; the others are out of reach. */
bool mem_cols_load(struct mem_cols *c, struct mem_seg *s, uint32_t zone, unsigned which);
static inline uint64_t
mem_col_value(const uint8_t *p, uint8_t width, size_t i)
{
	switch (width) {
	case 1: return p[i];
	case 2: return mem_ld16(p + 2 * i);
	case 4: return mem_ld32(p + 4 * i);
	case 8: return mem_ld64(p + 8 * i);
	default: return 0;
	}
}
static inline uint32_t
mem_cols_length(const struct mem_cols *c, uint32_t i)
{
	uint8_t w = c->z.width[MEM_COL_LEN];
	return w == 0 ? c->z.len_min : (uint32_t)mem_col_value(c->col[MEM_COL_LEN], w, i);
}
uint32_t mem_cols_ord(const struct mem_cols *c, uint32_t i);
int64_t mem_cols_time(const struct mem_cols *c, uint32_t i);
uint32_t mem_cols_session(const struct mem_cols *c, uint32_t i);
/* kind | role << 5 */
uint8_t mem_cols_kind(const struct mem_cols *c, uint32_t i);

/* The document of a node, with its zone loaded (ORD and LEN); false: it is not here, or damage. */
bool mem_seg_doc(struct mem_seg *s, struct mem_cols *c, uint32_t ns, uint32_t ord, uint32_t *doc);

/* A postings list, read block by block; ONE and RUN are one block. */
struct mem_list {
	struct mem_seg *seg;
	uint64_t ref;
	uint32_t df, nblocks;
	struct mem_pairs pairs;          /* of the whole; only for LIST */
	const uint8_t *skip;             /* LIST: nblocks records */
	uint8_t *copy;                   /* OWNS: they lay in two parts, or have to last */
	size_t copy_cap;
	uint32_t block;                  /* decoded, UINT32_MAX: none */
	uint32_t n;
	bool tfs_ready;
	const uint8_t *at;               /* the block, for its tfs */
	size_t room;
	uint32_t docs[MEM_BLOCK], tfs[MEM_BLOCK];
};
/* `lasting`: the skip records must outlive the snapshot. */
bool mem_list_open(struct mem_list *l, struct mem_seg *s, uint64_t ref, bool lasting);
void mem_list_release(struct mem_list *l);
bool mem_list_load(struct mem_list *l, uint32_t block);
bool mem_list_tfs_decode(struct mem_list *l);
static inline bool
mem_list_tfs(struct mem_list *l)
{
	return l->tfs_ready || mem_list_tfs_decode(l);
}
static inline bool
mem_list_skips(const struct mem_list *l)
{
	return l->skip != NULL;
}
static inline uint32_t
mem_list_last(const struct mem_list *l, uint32_t block)
{
	return mem_ld32(l->skip + MEM_SKIP_SIZE * (size_t)block);
}
/* First block at or after `from` whose last document is >= doc; nblocks when there is none.
 * Only for LIST. */
uint32_t mem_list_seek(const struct mem_list *l, uint32_t from, uint32_t doc);
/* How many postings are below doc. */
uint32_t mem_list_rank(struct mem_list *l, uint32_t doc);

/* ---- the tail: tail.c ------------------------------------------------- */

#define MEM_TAIL_DOCS  4096               /* a flush takes at most so many */
#define MEM_TAIL_BYTES ((uint64_t)4 << 20) /* or these; one document may be larger */
#define MEM_TAIL_BATCH 256

/*
 * Key: ord of the first document.  Value: a head, then for all its documents their
 * struct mem_tail_doc; their terms' upper halves, each document's rising; the lower halves; a byte for
 * each tf, 255 for those from 255 on; these as {term's place in its document u32, tf u32}.
 * Halves so that a scan compares four terms at once and mostly reads a third of the value.
 *
 * A document comes as a value of its own; 256 such are made one by the writer that adds
 * the last of them.  Values written one by one lie in pages all over the file, and each costs a search
 * a page fault; a batch lies in one piece.
 */
struct mem_tail_head {
	uint64_t sum;              /* bytes of this value and all since the tail was empty last */
	uint32_t count;            /* documents, likewise */
	uint32_t docs;             /* here */
	uint32_t loose;            /* values of one document that end here, if this is one */
	uint32_t zero;
};
struct mem_tail_doc {
	struct mem_id id;
	int64_t captured_at;
	uint32_t ord, ns, length, session, terms, wide;
	uint8_t kind, role;
	uint16_t zero;
	uint32_t zero2;
};
/* A value; BORROWS from it. */
struct mem_tail_batch {
	struct mem_tail_head head;
	size_t bytes;
	uint32_t terms, wide;      /* in all */
	const uint8_t *docs, *high, *low, *tf, *wides;
};
/* One of its documents. */
struct mem_tail_row {
	uint32_t i;
	struct mem_tail_doc doc;
	const uint8_t *high, *low, *tf, *wides;
};
/* MEM_FAIL: damaged. */
enum mem_status mem_tail_parse(struct mem_tail_batch *b, struct mem_str key,
    struct mem_str value, struct mem_err *err) MEM_CHECKED;
void mem_tail_first(const struct mem_tail_batch *b, struct mem_tail_row *row);
bool mem_tail_next(const struct mem_tail_batch *b, struct mem_tail_row *row);
uint64_t mem_tail_term(const struct mem_tail_row *row, uint32_t i);
uint32_t mem_tail_tf(const struct mem_tail_row *row, uint32_t i);
/* tf of a term in the row, 0: it is not there. */
uint32_t mem_tail_find(const struct mem_tail_row *row, uint64_t term);
/* Documents in the tail, and bytes of it. */
enum mem_status mem_tail_size(struct mem_txn *t, uint64_t *docs, uint64_t *bytes,
    struct mem_err *err) MEM_CHECKED;

/* ---- scores: score.c -------------------------------------------------- */

#define MEM_GAIN_TF  8
#define MEM_GAIN_LEN 256

/*
 * A clause adds top · gain(tf, length), top = weight · idf · (k1 + 1) and
 * gain = 1 / (1 + k1 · (1 - b + b · length / mean) / tf).  In this form every rounded step rises or
 * falls with its arguments, so that a pair's gain is never below one it stands for.
 */
struct mem_bm25 {
	double k1, b, mean;
	double gain[MEM_GAIN_TF][MEM_GAIN_LEN];
};
void mem_bm25_init(struct mem_bm25 *m, uint64_t docs, uint64_t length);
double mem_bm25_top(const struct mem_bm25 *m, uint64_t docs, uint64_t df, double weight);
double mem_bm25_work(const struct mem_bm25 *m, uint32_t tf, uint32_t length);
static inline double
mem_bm25_gain(const struct mem_bm25 *m, uint32_t tf, uint32_t length)
{
	return tf < MEM_GAIN_TF && length < MEM_GAIN_LEN ? m->gain[tf][length]
	    : mem_bm25_work(m, tf, length);
}
/* The highest gain of what the pairs stand for. */
double mem_bm25_bound(const struct mem_bm25 *m, const uint8_t *pairs);
/* To six decimals. */
double mem_score_round(double score);
/* The natural logarithm of a normal number: the same bits with every libm, and loading none
 * is a tenth of a millisecond less in each search. */
double mem_score_ln(double x);

/* ---- filters: filter.c ------------------------------------------------ */

struct mem_filter {
	bool on;
	uint32_t kinds, roles, session; /* 0: all */
	int64_t since, until;
};
enum mem_pass { MEM_PASS_NONE, MEM_PASS_SOME, MEM_PASS_ALL };
void mem_filter_init(struct mem_filter *f, const struct mem_index_query *q);
/* Columns that it reads. */
unsigned mem_filter_columns(const struct mem_filter *f);
bool mem_filter_row(const struct mem_filter *f, uint8_t kind, uint8_t role, uint32_t session,
    int64_t captured_at);
/* What is known from the zone's record. */
enum mem_pass mem_filter_zone(const struct mem_filter *f, const struct mem_cols *c);
bool mem_filter_doc(const struct mem_filter *f, const struct mem_cols *c, uint32_t i);
/* Bit i: document i of the zone passes. */
void mem_filter_bits(const struct mem_filter *f, const struct mem_cols *c,
    uint64_t bits[MEM_ZONE_DOCS / 64]);

/* ---- searching: search.c, eval.c, tops.c ------------------------------ */

/* A candidate.  Its ord and id are looked up only when they decide something: each costs a
 * page of table attr. */
struct mem_top {
	double score;                    /* rounded */
	struct mem_seg *seg;             /* NULL: in the tail, or a vector: ord is known */
	uint32_t doc;                    /* in seg; of a vector, how many were read before it */
	uint32_t ord;                    /* once it is exact */
	bool exact;                      /* id_min and id_max are its id */
	bool rising;                     /* in its zone ids rise with documents */
	struct mem_id id_min, id_max;
};
/*
 * The best so far: a heap with the worst on top, or, while there are fewer than `limit`, a
 * list.  Admission costs a look into the store or even into a text, so only what comes
 * out at the end is asked for, with some spare for those refused; where that does not do, all
 * is done again with `eager` set, which asks before anything is taken.
 */
struct mem_tops {
	struct mem_top *v;
	size_t n, cap, limit;
	double min_score;
	uint64_t changes;
	bool eager;
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
double mem_tops_cut(const struct mem_tops *t, const struct mem_id *after);
void mem_tops_offer(struct mem_tops *t, struct mem_top *top);
/* Best first.  False: too many were refused, it has to be done again. */
bool mem_tops_finish(struct mem_tops *t, size_t limit, struct mem_index_hit **hits, size_t *n);

struct mem_clause {
	const struct mem_index_clause *c;
	bool brings;                     /* candidates; what does not, only takes some away */
	uint64_t df;
	double top;                      /* 0 where it is not scored */
};
struct mem_span {
	uint32_t lo, hi;
};
struct mem_search_seg {
	struct mem_seg seg;
	struct mem_span *spans;          /* visible documents, ascending */
	size_t nspans;
	uint64_t *refs;                  /* of each clause; UINT64_MAX: not there */
};
struct mem_search {
	struct mem_txn *t;
	const struct mem_index_query *q;
	struct mem_err *err;
	struct mem_clause *clauses;
	size_t n;
	uint32_t *ns;                    /* visible namespaces, sorted */
	size_t nns;
	uint64_t docs, length;
	struct mem_bm25 bm25;
	struct mem_filter filter;
	struct mem_tops tops;
};
/* The visible documents of g->seg: g->spans. */
bool mem_search_spans(const struct mem_search *s, struct mem_search_seg *g);
/* s->ns, docs and length from the query. */
void mem_search_namespaces(struct mem_search *s);
bool mem_search_sees(const struct mem_search *s, uint32_t ns);

/* A document of the tail that holds a SHOULD or MUST and passes the filter. */
struct mem_tail_match {
	uint32_t ord, length;
	struct mem_id id;
};
/* What is known before the first score. */
struct mem_plan {
	struct mem_search s;
	struct mem_search_seg *segs;
	size_t nsegs, segs_cap;
	struct mem_tail_match *tail;    /* by ord */
	uint32_t *tail_tfs;             /* s.n for each match */
	size_t ntail, tail_cap, tfs_cap;
};
/* s.t, s.q and s.err are set. */
enum mem_status mem_plan_all(struct mem_plan *p) MEM_CHECKED;
/* False when nothing can match. */
bool mem_plan_weigh(struct mem_search *s);
void mem_plan_free(struct mem_plan *p);

/* The documents that clauses which must or must not be there leave: one bit for each ord; NULL: all. */
enum mem_status mem_clause_bits(struct mem_txn *t, const struct mem_index_query *q, uint64_t **bits,
    size_t *nbits, struct mem_err *err) MEM_CHECKED;

/* Opens segment `number`, whose parts come from table seg. */
enum mem_status mem_seg_open_table(struct mem_seg *s, struct mem_txn *t, uint32_t number,
    struct mem_str manifest, struct mem_err *err) MEM_CHECKED;
/* What the segments' evaluations have in common: one for a search. */
struct mem_eval;
struct mem_eval *mem_eval_new(struct mem_search *s);
void mem_eval_free(struct mem_eval *e);
enum mem_status mem_eval_seg(struct mem_eval *e, struct mem_search_seg *g);

/* ---- tidying: job.c, flush.c, merge.c, tidy.c -------------------------- */

#define MEM_TXN_BYTES ((size_t)4 << 20) /* of parts in one transaction */
#define MEM_MERGE     8                 /* segments of a level that writers make one */

/* A segment in the making: its writer, and what of it is stored under a number that no
 * manifest names yet. */
struct mem_job {
	struct mem_store *s;
	uint64_t epoch;            /* how often the index had been cleared when it began */
	uint32_t number;           /* 0: nothing is stored yet */
	size_t stored;             /* parts of w.done that the last transaction took */
	struct mem_segw w;
	/* Inside the publishing transaction: takes away what the segment replaces, MEM_NONE when that
	 * is no longer there. */
	enum mem_status (*replace)(struct mem_job *j, struct mem_txn *t, struct mem_err *err);
};
enum mem_status mem_index_epoch(struct mem_txn *t, uint64_t *epoch, struct mem_err *err) MEM_CHECKED;
/* Stores finished parts while there are more than `keep` bytes of them. */
enum mem_status mem_job_store(struct mem_job *j, size_t keep, struct mem_err *err) MEM_CHECKED;
/* The rest, the manifest and the replacement in one transaction; MEM_NONE: too late, nothing is
 * changed. */
enum mem_status mem_job_publish(struct mem_job *j, struct mem_err *err) MEM_CHECKED;

struct mem_tidy_seg {
	uint32_t number;
	struct mem_manifest m;
};
/* MEM_OK: a segment was made; MEM_NONE: there was nothing to do, or somebody else did it. */
enum mem_status mem_index_flush(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_index_merge(struct mem_store *s, const struct mem_tidy_seg *inputs,
    size_t n, uint64_t epoch, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_index_empty(struct mem_txn *t, enum mem_table tab, struct mem_err *err) MEM_CHECKED;
/* All published segments of words or of vectors, by ord, those of vectors by level before.  OWNS: free(). */
enum mem_status mem_index_segments(struct mem_txn *t, bool vectors, struct mem_tidy_seg **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;
/* The level of a segment with so many documents. */
uint16_t mem_job_level(uint64_t docs);
/* MEM_NONE: an input has gone, or the index was cleared. */
enum mem_status mem_job_inputs_there(const struct mem_job *j, struct mem_txn *t,
    const struct mem_tidy_seg *inputs, size_t n, struct mem_err *err) MEM_CHECKED;
/* Takes their manifests away; MEM_NONE as above. */
enum mem_status mem_job_inputs_remove(const struct mem_job *j, struct mem_txn *t,
    const struct mem_tidy_seg *inputs, size_t n, struct mem_err *err) MEM_CHECKED;
static inline struct mem_str
mem_key(const uint8_t *key, size_t n)
{
	return (struct mem_str){ (const char *)key, n };
}

#endif
