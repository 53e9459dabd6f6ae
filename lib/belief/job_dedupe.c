/* SPDX-License-Identifier: Apache-2.0 */
/* The job dedupe: repeats among the nodes that came since it last ran are joined.  Amount: nodes joined. */
#include "belief/dedupe.h"

#include <stdlib.h>

#include "store/job.h"
#include "store/node.h"
#include "store/store.h"
#include "words/words.h"

bool
mem_dedupe_is_due(const struct mem_count *counts, size_t n)
{
	const struct mem_kind_set kinds = mem_dedupe_kinds();
	for (size_t i = 0; i < n; i++)
		if (mem_kind_set_has(&kinds, counts[i].kind) && counts[i].nodes > 1)
			return true;
	return false;
}

static enum mem_status
look_dedupe(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	struct mem_count *counts = NULL;
	size_t n = 0;
	(void)t;
	enum mem_status st = mem_node_counts(m->store, NULL, NULL, &counts, &n, err);
	out->due = st == MEM_OK && mem_dedupe_is_due(counts, n);
	free(counts);
	return st;
}

static enum mem_status
run_dedupe_job(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	const struct mem_dedupe_options o = { .via = "mem-maintain", .stop_fd = -1 };
	struct mem_write_total total = { 0 };
	enum mem_status st = mem_dedupe_run(m, &o, mem_receipts_drop, NULL, &total, err);
	*done += total.stored;
	return st;
}

/* Behind what makes vectors: repeats are found by them. */
const struct mem_job mem_job_dedupe = {
	.name = "dedupe", .unit = "nodes", .reach = MEM_JOB_OF_WRITABLE, .look = look_dedupe, .run = run_dedupe_job,
	.after = { "upgrade", "embed" }, .at = "04:15",
};
