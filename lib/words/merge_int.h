/* SPDX-License-Identifier: Apache-2.0 */
/* A merge under way: what words_merge.c and merge_docs.c share. */
#ifndef WORDS_MERGE_INT_H
#define WORDS_MERGE_INT_H

#include "words/words_int.h"

struct words_merge_input {
	struct mem_seg seg;        /* with the tombs that it had when the merge began */
	struct mem_cols cols;
	uint64_t range, nranges;   /* namespaces passed, in all */
	uint32_t doc, hi;          /* of the current namespace: next document, end */
	uint32_t ord;              /* of that document */
	struct words_merge_map map;
	uint64_t entry, nentries;  /* terms passed, in all */
	uint64_t term, ref;        /* the current one */
	/* Its list while it has the lowest term. */
	struct mem_postings list;
	uint32_t block, at;        /* next posting */
	uint32_t next;             /* that posting's document in the result */
};

/* The document that was put last, and what is known of its id. */
struct words_merged_doc {
	const struct words_merge_input *in;
	uint32_t zone, ord;
	struct mem_id id_max;
};

struct words_merge {
	struct mem_segment_build build;
	struct mem_txn *t;
	struct words_merge_input *in;
	const struct mem_segment_info *inputs;
	size_t n;
	bool overlap;                    /* inputs overlap in ord */
	struct words_merged_doc last;          /* in NULL: none yet */
	struct mem_err *err;
	struct words_merge_input **with;       /* inputs that have the term, in order of `next` */
	size_t nwith;
	enum mem_status status;
};

/* Has an input failed, or the merge? */
bool words_merge_failed(struct words_merge *m);
/* Once there is enough for a transaction, lets go of the snapshot and stores it.  False: it failed. */
bool words_merge_drain(struct words_merge *m);
/* Documents into the writer, and into each input's map where they go. */
void words_merge_put_docs(struct words_merge *m);

#endif
