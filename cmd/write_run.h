/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that write by hand: operands, a run, its receipts. */
#ifndef MEM_CMD_WRITE_RUN_H
#define MEM_CMD_WRITE_RUN_H

#include <string.h>

#include "choice_bits.h"
#include "cli/cli.h"
#include "embed_waiting.h"
#include "write/run.h"

/* A text of several operands, with blanks between them; of "-" alone it is standard input, without the newline at its end. */
static inline void
read_operand_text(struct mem_buf *out, int n, char **words)
{
	for (int i = 0; i < n; i++)
		mem_buf_printf(out, "%s%s", i > 0 ? " " : "", words[i]);
	if (n != 1 || strcmp(words[0], "-") != 0)
		return;
	mem_buf_reset(out);
	mem_stdin_claim("the text");
	mem_stdin_read(out, MEM_LINE_MAX);
	while (out->len > 0 && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
}

/* Writes what is queued, says the sum of the receipts, frees the run.  *total, unless NULL: what it has written.  Returns the worst, for
 * mem_finish. */
static inline enum mem_status
finish_write_run(struct mem_write_run *r, const struct mem_receipts *receipts, struct mem_write_total *total)
{
	struct mem_err err;
	if (mem_write_run_commit(r, &err) != MEM_OK)
		mem_die_err(&err);
	mem_receipts_sum_up(receipts);
	(void)mem_warn_unembedded(r->total.unembedded.status, r->total.unembedded.msg);
	enum mem_status st = mem_write_run_outcome(r, &err);
	if (total != NULL)
		*total = r->total;
	mem_write_run_free(r);
	return st;
}

/* Queues what the operands say; ends the process on a failure. */
typedef void write_run_fn(struct mem_write_run *r, int argc, char **argv);

/* Opens the store, has it written, prints the receipts.  `embed`: new and changed text gets its vector at once; `more`: as struct mem_receipts has
 * it.  Returns the worst, for mem_finish. */
static inline enum mem_status
write_by_hand_with(const char *via, const struct mem_store_options *ask, const struct mem_common *c, bool embed,
    void (*more)(struct mem_str receipt), write_run_fn *write, int argc, char **argv)
{
	const struct mem_write_options writing = { .via = via, .audit_refusals = true, .dry_run = c->dry_run };
	struct mem_receipts receipts = { .quiet = c->quiet, .format = c->format, .more = more };
	struct mem_write_run *r = NULL;
	struct mem_err err;
	mem_interrupt_catch();
	enum mem_status st = mem_write_run_open(&r, ask, &writing, mem_receipts_print, &receipts, &err);
	if (st == MEM_OK && embed)
		st = mem_write_run_embed(r, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	write(r, argc, argv);
	struct mem_write_total total;
	st = finish_write_run(r, &receipts, &total);
	if (embed)
		embed_waiting_nodes(ask, total.waiting, total.first, total.last);
	return st;
}

static inline enum mem_status
write_by_hand(const char *via, const struct mem_store_options *ask, const struct mem_common *c, bool embed, write_run_fn *write, int argc,
    char **argv)
{
	return write_by_hand_with(via, ask, c, embed, NULL, write, argc, argv);
}

#endif
