/* SPDX-License-Identifier: Apache-2.0 */
/* A run over files of skills, as skill-ingest and skill-version make it: read, written, and what is missing told. */
#ifndef MEM_CMD_SKILL_FILES_RUN_H
#define MEM_CMD_SKILL_FILES_RUN_H

#include "cli/cli.h"
#include "skill/ingest.h"
#include "embed_waiting.h"
#include "file_receipts.h"

enum { MISSING_TOLD = 10 };

struct skill_files_run {
	const struct mem_common *c;
	const struct mem_skill_ingest_options *o;
	struct file_receipts receipts;
	bool no_embed;
	uint64_t missing;
};

static inline void
check_ingest(enum mem_status st, const struct mem_err *err)
{
	if (st != MEM_OK)
		mem_die_err(err);
}

/* A mem_skill_missing_fn. */
static inline void
tell_missing_skill(void *ctx, struct mem_str skill, struct mem_str name, bool forgotten)
{
	struct skill_files_run *f = ctx;
	if (f->missing++ < MISSING_TOLD && !f->c->quiet)
		mem_warn("%.*s names a skill that %s: %.*s", (int)skill.n, skill.p, forgotten ? "was forgotten" : "is not there", (int)name.n,
		    name.p);
}

static inline void
put_skill_files(struct mem_skill_ingest *run, const struct mem_skill_files *files)
{
	struct mem_err err;
	mem_skill_ingest_files(run, files);
	for (size_t i = 0; i < files->n && !mem_interrupted(); i++) {
		mem_progress((void *)(uintptr_t)"reading", i, files->n);
		check_ingest(mem_skill_ingest_put(run, &files->v[i], &err), &err);
	}
	mem_progress_end();
	if (!mem_interrupted()) /* what was not looked at is not gone */
		check_ingest(mem_skill_ingest_retire(run, &err), &err);
	check_ingest(mem_skill_ingest_commit(run, &err), &err);
}

/* Which files: added to *f; MEM_REFUSED: some are not there, which was told. */
typedef enum mem_status list_skill_files_fn(struct mem_skill_files *f, const struct mem_conf *conf, int argc, char **argv, bool nul);

/* Opens the store, reads the files, prints the receipts.  Returns the worst, for mem_finish. */
static inline enum mem_status
run_skill_files(struct skill_files_run *f, const struct mem_store_options *ask, list_skill_files_fn *list, int argc, char **argv)
{
	struct mem_skill_files files = { 0 };
	struct mem_skill_ingest *run = NULL;
	struct mem_err err;
	f->receipts = (struct file_receipts){ .quiet = f->c->quiet, .format = f->c->format };
	mem_interrupt_catch();
	check_ingest(mem_skill_ingest_open(&run, ask, f->o, print_file_receipts, &f->receipts, &err), &err);
	enum mem_status st = list(&files, mem_store_conf(mem_skill_ingest_store(run)), argc, argv, f->c->nul);
	put_skill_files(run, &files);
	st = mem_status_worse(st, mem_skill_ingest_outcome(run, &err));
	if (!f->c->dry_run)
		check_ingest(mem_skill_ingest_missing(run, tell_missing_skill, f, &err), &err);
	if (f->missing > MISSING_TOLD && !f->c->quiet)
		mem_warn("and %ju more names", (uintmax_t)(f->missing - MISSING_TOLD));
	const struct mem_write_total waiting = *mem_skill_ingest_total(run);
	mem_skill_ingest_free(run);
	mem_skill_files_release(&files);
	if (!f->no_embed && !f->c->dry_run)
		embed_waiting_nodes(ask, waiting.waiting, waiting.first, waiting.last);
	sum_up_files(&f->receipts);
	return st;
}

#endif
