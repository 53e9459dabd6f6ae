/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-consolidate --dedupe does: repeats are merged, or parted again. */
#ifndef MEM_DEDUPE_OUTPUT_H
#define MEM_DEDUPE_OUTPUT_H

#include "belief/dedupe.h"
#include "cli/cli.h"
#include "store/store.h"
#include "words/words.h"

#include <stdlib.h>

static inline enum mem_status
write_repeats(struct mem_index *m, const struct mem_dedupe_options *o, struct mem_receipts *receipts, int argc, char **argv)
{
	struct mem_write_total total = { 0 };
	struct mem_str *ids = mem_xcalloc((size_t)argc + 1, sizeof *ids);
	struct mem_err err;
	for (int i = 0; i < argc; i++)
		ids[i] = mem_str(argv[i]);
	enum mem_status st = argc > 0 ? mem_dedupe_undo(m, o, ids, (size_t)argc, mem_receipts_print, receipts, &total, &err)
	    : mem_dedupe_run(m, o, mem_receipts_print, receipts, &total, &err);
	free(ids);
	if (st != MEM_OK)
		mem_die_err(&err);
	mem_progress_end();
	mem_receipts_sum_up(receipts);
	return total.denied > 0 ? MEM_DENIED : total.rejected > 0 ? MEM_REFUSED : MEM_OK;
}

/* argc 0: looks for repeats and merges them; else takes back what merged these nodes. */
static inline enum mem_status
dedupe_store(const struct mem_store_options *store, const struct mem_dedupe_options *o, int64_t wait_ms,
    struct mem_receipts *receipts, int argc, char **argv)
{
	struct mem_index m = { 0 };
	struct mem_err err;
	enum mem_status st = mem_index_open(&m, store, &err);
	if (st == MEM_OK)
		st = mem_store_lock(m.store, MEM_LOCK_MAINTENANCE, wait_ms >= 0 ? wait_ms : 0, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	st = write_repeats(&m, o, receipts, argc, argv);
	mem_index_close(&m);
	return st;
}

#endif
