/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment: what the rooms words and vectors share: immutable segments (their form and how one is read are here,
 * writing is in segment_write.h), posting lists (postings.h), and what a search may see and wants (filter.h).
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
 * A segment of vectors has one document for each vector, sorted by (ns, ord, passage), and of these columns alone: LEN
 * is the passage.  Besides it has
 *   CODE     blocks of 32 sign codes (vector.h), the last one filled up with zeros
 *   FINE     their fine parts, one for each document
 *   SPAN     {document, start, end, field u32} of those that are one of several passages, by document; searches look at
 *            those of hits alone
 * Maintenance gathers those of a large one in groups of neighbours (vectors_groups.c): then every 32,768 documents are
 * sorted by (ns, group, ord, passage), and there are
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
#ifndef MEM_SEGMENT_H
#define MEM_SEGMENT_H

#include <string.h>

#include "base/base.h"
#include "store/kind.h"
#include "store/store.h"

/* Raised when tables tail, seg, segs, code or tomb keep an index in another form, or table name has other rows of the
 * same nodes, as the hash of the analyser is when its terms are others: what is derived is made anew. */
#define MEM_INDEX_FORMAT 6

static inline struct mem_str
mem_key(const uint8_t *key, size_t n)
{
	return (struct mem_str){ (const char *)key, n };
}

/* How many of n rising numbers are below x: where it stands, or would. */
static inline size_t
mem_count_below(const uint32_t *rising, size_t n, uint32_t x)
{
	size_t lo = 0;
	while (n > 0) {
		size_t half = n / 2;
		if (rising[lo + half] < x) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

/* ---- the form on disk ------------------------------------------------- */

enum mem_sec {
	MEM_SEC_NSR, MEM_SEC_ZONE,
	MEM_SEC_ORD, MEM_SEC_LEN, MEM_SEC_TIME, MEM_SEC_SESS, MEM_SEC_KIND, /* as enum mem_col */
	MEM_SEC_DICT, MEM_SEC_SKIP, MEM_SEC_POST,
	MEM_SEC_CODE, MEM_SEC_FINE,
	MEM_SEC_SUM, /* of all units of the sections before, as MEM_SEC_SUM_SIZE says; the section has none itself */
	MEM_SEC_COUNT,
	MEM_SEC_GROUP = MEM_SEC_DICT, MEM_SEC_OF = MEM_SEC_SKIP, MEM_SEC_SPAN = MEM_SEC_POST /* of vectors */
};

/*
 * A part is read in units, each verified when it is first read.  Four of them are what lies in one page of the file, where LMDB
 * puts a header of 16 bytes before a large value.  So a search reads no page for a checksum that it would not read anyway,
 * but those of section SUM, which holds a thousand checksums in a page: mem_crc32c_lanes of each unit.
 */
#define MEM_UNIT       ((size_t)1024)
#define MEM_UNIT_HEAD  ((size_t)16)
#define MEM_UNITS      1024            /* in a part, at most */
#define MEM_PART_ROOM  (MEM_UNITS * MEM_UNIT - MEM_UNIT_HEAD)
#define MEM_SEG_MAGIC  0x67736b6dU
#define MEM_SEG_FORMAT 3
#define MEM_SEG_LEVELS 16
#define MEM_SEG_DOCS   ((uint32_t)1 << 31)

struct mem_manifest {
	uint32_t magic;
	uint16_t format, level;    /* 0: up to 4,096 documents, 1: up to eight times as many, … */
	uint32_t docs;
	uint32_t ord_min, ord_max; /* segments may overlap in ord: a changed node keeps its own */
	uint32_t dims;             /* of a segment of vectors; 0: of words */
	uint64_t postings;
	uint64_t bytes;            /* of all parts */
	struct {
		uint32_t units;    /* those of all parts but the last count as MEM_UNITS; of SUM 0 */
		uint32_t parts;    /* 0: the section is absent */
		uint64_t count;    /* elements; of columns and POST payload bytes */
	} sec[MEM_SEC_COUNT];
	uint64_t checksum;         /* of all before */
};

#define MEM_NSR_SIZE  8
#define MEM_ZONE_SIZE 128
#define MEM_DICT_SIZE 16
#define MEM_SKIP_SIZE 16
#define MEM_SPAN_SIZE 16
#define MEM_SEC_SUM_SIZE 4

#define MEM_ZONE_DOCS 4096
enum mem_col { MEM_COL_ORD, MEM_COL_LEN, MEM_COL_TIME, MEM_COL_SESS, MEM_COL_KIND, MEM_COL_COUNT };

/* One zone.  A column's values are differences from a base in `width` bytes each; width 0
 * means that all are equal and nothing is stored. */
struct mem_zone {
	uint64_t at[MEM_COL_COUNT];      /* addresses in the column */
	int64_t time_min, time_max;      /* base of TIME: time_min */
	struct mem_id id_min, id_max;    /* bounds, not always reached */
	struct mem_kind_set kinds;
	uint32_t ord_min;                /* base of ORD */
	uint32_t len_min;                /* base of LEN is 0 unless its width is 0 */
	uint32_t sessions;               /* SESS: so many u32, sorted, then an index for each document */
	uint8_t width[MEM_COL_COUNT];
	uint8_t roles;                   /* bits 1 << role */
	uint8_t rising;                  /* ids rise with documents */
	uint8_t zero1;
	uint16_t kind;                   /* base of KIND is 0 unless its width is 0: a mem_kind_role */
	uint16_t zero;
};
_Static_assert(sizeof(struct mem_zone) == MEM_ZONE_SIZE, "stored as it lies in memory");
_Static_assert(sizeof(struct mem_manifest) == 256, "stored as it lies in memory");

#define MEM_REF_ONE  0U
#define MEM_REF_RUN  1U
#define MEM_REF_LIST 2U
#define MEM_ADDRESS_MASK (((uint64_t)1 << 40) - 1)

/* ---- reading a segment: segment_read.c, segment_column.c -------------- */

/* Gives one part as stored, which stays where it is until the snapshot ends.  MEM_NOTFOUND: there is none. */
typedef enum mem_status mem_segment_part_fn(void *ctx, uint32_t segment, enum mem_sec sec,
    uint32_t part, struct mem_str *value, struct mem_err *err);

/*
 * Readers return NULL or false once something is wrong with a segment and leave
 * `status` and *err filled, so that loops may end first and ask later.
 */
struct mem_seg {
	uint32_t number;
	enum mem_status status;
	struct mem_err *err;
	struct mem_manifest m;
	uint32_t code_size, fine_size;   /* of vectors */
	mem_segment_part_fn *get;
	void *ctx;
	struct mem_str *parts[MEM_SEC_COUNT]; /* those fetched so far */
	uint64_t sums[MEM_SEC_COUNT];    /* where a section's checksums begin in SUM */
	uint64_t *sound;                 /* OWNS; a bit for each checksum: it was compared */
	uint32_t *tombs;                 /* OWNS; documents that count no more, rising; once they are loaded */
	size_t ntombs;
	uint64_t *dead;                  /* OWNS; the same as bits; NULL: there are none */
};
enum mem_status mem_seg_open(struct mem_seg *s, uint32_t number, struct mem_str manifest,
    mem_segment_part_fn *get, void *ctx, struct mem_err *err) MEM_CHECKED;
void mem_seg_close(struct mem_seg *s);
/* The snapshot has ended: fetch parts again. */
void mem_seg_forget(struct mem_seg *s);
/* "index segment N is damaged (WHAT)"; returns NULL for the caller to pass on. */
void *mem_seg_damaged(struct mem_seg *s, const char *what);
/* A part, nothing of which is verified yet. */
const uint8_t *mem_seg_part(struct mem_seg *s, enum mem_sec sec, uint32_t part, size_t *n);
/* `n` elements (at least one) of an array section from element i on, which lie in one part. */
const uint8_t *mem_seg_elems(struct mem_seg *s, enum mem_sec sec, uint64_t i, size_t n);
static inline const uint8_t *
mem_seg_elem(struct mem_seg *s, enum mem_sec sec, uint64_t i)
{
	return mem_seg_elems(s, sec, i, 1);
}
/* `n` bytes (at least one) at an address of a stream. */
const uint8_t *mem_seg_at(struct mem_seg *s, enum mem_sec sec, uint64_t address, size_t n);
/* The same without a look at the checksums, for who does not know yet how much it will read: *room gets what the part holds from
 * there.  What was read is verified before anything is believed. */
const uint8_t *mem_seg_look(struct mem_seg *s, enum mem_sec sec, uint64_t address, size_t *room);
static inline bool
mem_seg_verify(struct mem_seg *s, enum mem_sec sec, uint64_t address, size_t n)
{
	return mem_seg_at(s, sec, address, n) != NULL;
}
/* All of the segment, also what no reader looks at. */
bool mem_seg_verify_all(struct mem_seg *s);
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
/* `which`: bits 1 << column; the others are out of reach.  All of them is verified. */
bool mem_cols_load(struct mem_cols *c, struct mem_seg *s, uint32_t zone, unsigned which);
/* The same for who reads few of the zone's documents: what it reads is verified before, the list of sessions is at once. */
bool mem_cols_reach(struct mem_cols *c, struct mem_seg *s, uint32_t zone, unsigned which);
/* Verifies columns of documents [i, i + n) of the zone. */
bool mem_cols_verify(const struct mem_cols *c, struct mem_seg *s, unsigned which, uint32_t i, uint32_t n);
/* One document's columns, with its zone in reach. */
bool mem_cols_reach_doc(struct mem_cols *c, struct mem_seg *s, uint32_t doc, unsigned which);
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
/* Column KIND holds both of these as one, kind << 3 | role: a byte for kinds under 32. */
static inline uint16_t
mem_kind_role(unsigned kind, unsigned role)
{
	return (uint16_t)(kind << 3 | role);
}
uint16_t mem_cols_kind(const struct mem_cols *c, uint32_t i);
uint8_t mem_cols_role(const struct mem_cols *c, uint32_t i);

/* The document of a node, with its ORD and LEN in reach and verified; false: it is not here, or damage. */
bool mem_seg_doc(struct mem_seg *s, struct mem_cols *c, uint32_t ns, uint32_t ord, uint32_t *doc);
/* All documents of a node in a segment of vectors, rising.  OWNS *docs: free().  False: damage; *n 0: there are none. */
bool mem_seg_docs(struct mem_seg *s, struct mem_cols *c, uint32_t ns, uint32_t ord, uint32_t **docs, size_t *n);

/* Opens segment `number`, whose parts come from table seg. */
enum mem_status mem_seg_open_table(struct mem_seg *s, struct mem_txn *t, uint32_t number,
    struct mem_str manifest, struct mem_err *err) MEM_CHECKED;

/* All parts of a section, each fetched in one piece where it is not in memory.  False: damage. */
bool mem_seg_prefetch(struct mem_seg *s, struct mem_txn *t, enum mem_sec sec);

/* ---- documents that count no more: tombs.c ---------------------------- */

/*
 * Table tomb, {segment, document}: the document's node is gone or has another document by now.  Segments never
 * change, so searches pass over it, and the next merge of its segment leaves it out.
 */
/* Those of a segment, rising.  OWNS: free(). */
enum mem_status mem_tombs_read(struct mem_txn *t, uint32_t segment, uint32_t **docs, size_t *n,
    struct mem_err *err) MEM_CHECKED;
/* Has it at least so many? */
enum mem_status mem_tombs_reach(struct mem_txn *t, uint32_t segment, size_t least, bool *reach, struct mem_err *err) MEM_CHECKED;
/* MEM_EXISTS: it counts no more already. */
enum mem_status mem_tomb_put(struct mem_txn *t, uint32_t segment, uint32_t doc, struct mem_err *err) MEM_CHECKED;
/* MEM_NOTFOUND: the document has none. */
enum mem_status mem_tomb_find(struct mem_txn *t, uint32_t segment, uint32_t doc, struct mem_err *err) MEM_CHECKED;
/* Takes away all those of a segment that is no more. */
enum mem_status mem_tombs_drop(struct mem_txn *t, uint32_t segment, struct mem_err *err) MEM_CHECKED;

/* Loads those of an open segment; false: see s->status. */
bool mem_seg_tombs_load(struct mem_seg *s, struct mem_txn *t);
/* Of one whose tombs are loaded. */
static inline bool
mem_seg_is_dead(const struct mem_seg *s, uint32_t doc)
{
	return s->dead != NULL && (s->dead[doc / 64] >> (doc % 64) & 1) != 0;
}
size_t mem_seg_tombs_below(const struct mem_seg *s, uint32_t doc); /* how many of them are below doc */

/* ---- the segments of a store: segment_table.c ------------------------- */

struct mem_segment_info {
	uint32_t number;
	struct mem_manifest m;
};
/* Deletes all rows of a table. */
enum mem_status mem_segment_empty_table(struct mem_txn *t, enum mem_table tab, struct mem_err *err) MEM_CHECKED;
/* All published segments of words or of vectors, the highest level first, of a level by ord.  OWNS: free(). */
enum mem_status mem_segment_list(struct mem_txn *t, bool vectors, struct mem_segment_info **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;
#endif
