/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts by hand: records in, a receipt for each out.
 *
 * A record has a statement, a triple (subject, predicate, object) or both; mem-fact(1) lists the fields.  Without a statement
 * it is made of the triple.  The types of terms that say none are those that the rules have for the predicate.
 */
#ifndef MEM_FACT_RUN_H
#define MEM_FACT_RUN_H

#include "base/base.h"
#include "store/store.h"
#include "write/receipt.h"

struct mem_belief_rules;

struct mem_fact_run_options {
	const char *via;            /* origin.via: the command's name */
	const char *ns;             /* of records that name none; NULL: the caller's own */
	bool dry_run;               /* receipts say what would be, and nothing is kept */
};
struct mem_fact_run;
/*
 * Opens the store for writing.  OWNS.  Fails as mem_store_open does; MEM_USAGE: ns is no namespace; MEM_DENIED: the caller may
 * not write there.
 */
enum mem_status mem_fact_run_open(struct mem_fact_run **out, const struct mem_store_options *store, const struct mem_fact_run_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err) MEM_CHECKED;
void mem_fact_run_free(struct mem_fact_run *r);  /* NULL is fine; what was not committed is lost */
struct mem_store *mem_fact_run_store(const struct mem_fact_run *r);
/* The rules of predicates, before the first record: BORROWED until the end. */
enum mem_status mem_fact_run_rules(struct mem_fact_run *r, const struct mem_belief_rules *rules, struct mem_err *err) MEM_CHECKED;
/* New facts get their vectors at once where an encoder is installed and the batch is small. */
enum mem_status mem_fact_run_embed(struct mem_fact_run *r, struct mem_err *err) MEM_CHECKED;
/* A refusal of the line is in its receipt and is no failure.  A full batch is committed. */
enum mem_status mem_fact_run_add(struct mem_fact_run *r, const struct mem_line *line, struct mem_err *err) MEM_CHECKED;
/* Writes what was added; the receipts are out when it returns. */
enum mem_status mem_fact_run_commit(struct mem_fact_run *r, struct mem_err *err) MEM_CHECKED;
const struct mem_write_total *mem_fact_run_total(const struct mem_fact_run *r);
/* After the last commit.  MEM_DENIED: of some of the input the caller had no right; MEM_REFUSED: some of it was refused. */
enum mem_status mem_fact_run_outcome(const struct mem_fact_run *r, struct mem_err *err) MEM_CHECKED;

#endif
