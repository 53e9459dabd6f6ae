/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a segment, and publishing it in place of what it was made from. */
#ifndef MEM_SEGMENT_WRITE_H
#define MEM_SEGMENT_WRITE_H

#include "segment/postings.h"
#include "segment/segment.h"

/* ---- writing a segment: segment_write.c, segment_column.c ------------- */

/* What the columns keep of a document. */
struct mem_segment_doc {
	int64_t captured_at;
	uint32_t ord, ns, length, session; /* length: of vectors, the passage */
	uint16_t kind;
	uint8_t role;
	bool rises;                      /* its id is known to be above the one before */
	struct mem_id id_min, id_max;    /* the id, or what is known of it */
};

struct mem_segment_part {
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
	struct mem_segment_part *done;
	size_t ndone, done_cap, done_bytes;
	struct {
		uint8_t *data;
		size_t n;
		uint32_t part;
	} open[MEM_SEC_COUNT];
	struct {
		uint32_t *v;             /* OWNS; of the units of closed parts */
		size_t cap;
	} sums[MEM_SEC_SUM];
	struct mem_manifest m;
	uint8_t *codes;                  /* length codes of the documents */
	size_t codes_cap;
	struct mem_segment_doc *zone;
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
void mem_segw_doc(struct mem_segw *w, const struct mem_segment_doc *row);
void mem_segw_docs_end(struct mem_segw *w);
/* The code of the document that mem_segw_doc was given last; dims is set in the manifest.  `group` where w->grouped is set. */
void mem_segw_code(struct mem_segw *w, const uint8_t *code, uint16_t group);
/* Where it lies in its node's text, if it is one of several passages. */
void mem_segw_span(struct mem_segw *w, uint32_t start, uint32_t end, uint32_t field);
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
/* Of a part's units, MEM_UNITS at most; returns how many. */
uint32_t mem_segw_unit_sums(uint32_t *sums, const uint8_t *data, size_t n);
/* segment_column.c: the zone gathered in w->zone. */
void mem_segw_zone(struct mem_segw *w);

/* ---- publishing: segment_build.c -------------------------------------- */

#define MEM_TXN_BYTES ((size_t)4 << 20) /* of parts in one transaction */

/* A segment in the making: its writer, and what of it is stored under a number that no
 * manifest names yet. */
struct mem_segment_build {
	struct mem_store *s;
	uint64_t epoch;            /* how often the index had been cleared when it began */
	uint32_t number;           /* 0: nothing is stored yet */
	size_t stored;             /* parts of w.done that the last transaction took */
	struct mem_segw w;
	/* Inside the publishing transaction: takes away what the segment replaces.  MEM_STALE: that is
	 * no longer there as it was read. */
	enum mem_status (*replace)(struct mem_segment_build *b, struct mem_txn *t, struct mem_err *err);
};
enum mem_status mem_segment_epoch(struct mem_txn *t, uint64_t *epoch, struct mem_err *err) MEM_CHECKED;
/* Stores finished parts while there are more than `keep` bytes of them.  MEM_STALE: the index was
 * cleared since it began. */
enum mem_status mem_segment_build_store(struct mem_segment_build *b, size_t keep, struct mem_err *err) MEM_CHECKED;
/* The rest, the manifest and the replacement in one transaction.  MEM_STALE: the index was cleared, or
 * what the segment replaces is gone or changed; nothing is published. */
enum mem_status mem_segment_build_publish(struct mem_segment_build *b, struct mem_err *err) MEM_CHECKED;

#define MEM_LEVEL_DOCS 4096             /* documents of level 0, at most: what a flush takes */
#define MEM_MERGE      8                /* segments of a level that writers make one, of the next */
/* The level of a segment with so many documents. */
uint16_t mem_segment_level(uint64_t docs);
/* MEM_STALE: an input is gone or is another, or the index was cleared. */
enum mem_status mem_segment_build_inputs_there(const struct mem_segment_build *b, struct mem_txn *t,
    const struct mem_segment_info *inputs, size_t n, struct mem_err *err) MEM_CHECKED;
/* Takes their manifests away.  MEM_STALE as above. */
enum mem_status mem_segment_build_inputs_remove(const struct mem_segment_build *b, struct mem_txn *t,
    const struct mem_segment_info *inputs, size_t n, struct mem_err *err) MEM_CHECKED;
#endif
