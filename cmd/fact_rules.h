/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of belief that facts by hand go by. */
#ifndef MEM_FACT_RULES_H
#define MEM_FACT_RULES_H

#include <fcntl.h>
#include <unistd.h>

#include "belief/fact_run.h"
#include "belief/rules.h"
#include "cli/cli.h"
#include "store/store.h"

static inline struct mem_belief_rules *
load_fact_rules(struct mem_fact_run *run, struct mem_words files)
{
	struct mem_belief_rules *r = NULL;
	struct mem_err err;
	struct mem_store *s = mem_fact_run_store(run);
	int folder = open(mem_store_path(s), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct mem_belief_options o = { .conf = mem_store_conf(s), .dirfd = folder, .files = files.v, .nfiles = files.n,
		.warn = mem_warn_message };
	if (mem_belief_rules_load(&r, &o, &err) != MEM_OK || mem_fact_run_rules(run, r, &err) != MEM_OK)
		mem_die_err(&err);
	if (folder >= 0)
		close(folder);
	return r;
}

#endif
