/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that write nodes and edges from records. */
#ifndef MEM_LINK_INPUT_H
#define MEM_LINK_INPUT_H

#include "cli/cli.h"
#include "embed_waiting.h"
#include "link/link.h"

/* A live pipe is not held up longer. */
#define LINK_WAIT_MS 200

/* Those of the files named, else of standard input.  Returns what went wrong with reading them. */
static inline enum mem_status
write_link_lines(struct mem_link_run *run, mem_link_line_fn *write, int argc, char **argv)
{
	struct mem_input in;
	struct mem_line line;
	struct mem_err err;
	mem_input_init(&in, argc, argv);
	for (;;) {
		if (!mem_input_ready(&in, LINK_WAIT_MS)) {
			if (mem_link_run_commit(run, &err) != MEM_OK)
				mem_die_err(&err);
			mem_store_pause(mem_link_run_store(run));
		}
		if (!mem_input_next(&in, &line))
			return mem_input_status(&in);
		if (write(run, &line, &err) != MEM_OK)
			mem_die_err(&err);
	}
}

/* Writes the rest.  `embed`: what waits for vectors gets them, where it is little; NULL: it is left to mem-maintain.  Returns the worst of
 * all, for mem_finish. */
static inline enum mem_status
end_link_run(struct mem_link_run *run, struct mem_receipts *receipts, enum mem_status worst, const struct mem_store_options *embed)
{
	struct mem_err err;
	if (mem_link_run_commit(run, &err) != MEM_OK)
		mem_die_err(&err);
	mem_receipts_sum_up(receipts);
	const struct mem_write_total total = *mem_link_run_total(run);
	worst = mem_status_worse(mem_link_run_outcome(run, &err), worst);
	mem_link_run_free(run);
	if (mem_warn_unembedded(total.unembedded.status, total.unembedded.msg) || total.waiting == 0)
		return worst;
	if (embed == NULL || !embed_waiting_nodes(embed, total.waiting, total.first, total.last))
		mem_notice("%llu of %llu wait for vectors: mem-maintain makes them", (unsigned long long)total.waiting,
		    (unsigned long long)total.stored);
	return worst;
}

#endif
