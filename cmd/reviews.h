/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that list, show and decide reviews.  It is included by programs alone, once each. */
#ifndef MEM_CMD_REVIEWS_H
#define MEM_CMD_REVIEWS_H

#include "cli/cli.h"
#include "finish_vectors.h"
#include "model/model.h"
#include "nodes.h"
#include "refused_id.h"
#include "review_output.h"
#include "store/store.h"
#include "upkeep/upkeep.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_review_filter wanted = { .state = -1, .asks = -1 };
static struct mem_review_run_options deciding = { .expires = -1 }; /* for ever */
static struct mem_store *store;
static struct mem_review_run *run;
static enum mem_status worst;
static struct mem_err err;
static struct mem_receipts receipts;

static void
list_reviews(void)
{
	uint64_t left = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	struct mem_grid grid = { 0 };
	struct mem_review_listing *l = NULL;
	struct mem_buf lines = { 0 };
	if (mem_text_wanted(c.format))
		begin_review_table(&grid);
	enum mem_status st = mem_review_listing_open(&l, store, &wanted, &err);
	while (st == MEM_OK && left > 0 && mem_out_ok()) {
		size_t n;
		mem_buf_reset(&lines);
		st = mem_review_listing_next(l, left < SIZE_MAX ? (size_t)left : SIZE_MAX, &lines, &n, &err);
		left -= n;
		mem_store_pause(store); /* a slow reader must not hold up a compaction */
		print_review_lines(store, mem_buf_span(&lines), &grid);
	}
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_grid_end(&grid);
	mem_review_listing_free(l);
	mem_buf_release(&lines);
}

static void
show_review(struct mem_str id)
{
	struct mem_found_nodes found;
	err = (struct mem_err){ 0 };
	enum mem_status st = mem_review_find(store, id, &found, &err);
	if (st == MEM_NOTFOUND)
		warn_of_missing_id("review", id, &err);
	else if (st == MEM_REFUSED)
		mem_warn("%s", err.msg);
	else if (st == MEM_DAMAGED)
		mem_warn_damage(NULL, err.msg); /* the others can be read */
	else if (st != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < found.n; i++)
		print_whole_node(found.json[i], mem_text_wanted(c.format));
	worst = mem_status_worse(worst, st);
	mem_found_nodes_release(&found);
}

static void
write_review(struct mem_str id)
{
	explain_refused_id(mem_review_run_store(run), id);
	if (mem_review_run_add(run, &id, &err) != MEM_OK)
		mem_die_err(&err);
}

/* Waiting must neither hold up a compaction nor what was asked for. */
static void
commit_before_wait(void)
{
	if (run != NULL && mem_review_run_commit(run, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_pause(run != NULL ? mem_review_run_store(run) : store);
}

static void
write_reviews(const struct mem_store_options *ask, int argc, char **argv, take_id_fn *write)
{
	receipts = (struct mem_receipts){ .quiet = c.quiet, .format = c.format };
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	enum mem_status st = mem_review_run_open(&run, ask, &deciding, emit_receipts, &receipts, &err);
	if (st == MEM_OK && argc == 0)
		st = mem_review_run_add(run, NULL, &err);
	if (st == MEM_OK)
		worst = take_operand_ids(argc, argv, write, c.nul, 200, commit_before_wait);
	if (st == MEM_OK)
		st = mem_review_run_commit(run, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	worst = mem_status_worse(mem_review_run_outcome(run, &err), worst);
	const struct mem_write_total total = *mem_review_run_total(run);
	mem_review_run_free(run);
	finish_vectors(ask, &total, ask->now == MEM_TIME_NONE && !mem_interrupted()); /* of what approvals brought and merges made */
}

#endif
