/* SPDX-License-Identifier: Apache-2.0 */
/* A file as a release of a skill, as skill-version has it. */
#ifndef MEM_CMD_RELEASE_FILE_H
#define MEM_CMD_RELEASE_FILE_H

#include "skill_files_run.h"
#include "skill_paths.h"

/* A list_skill_files_fn. */
static inline enum mem_status
list_release_file(struct mem_skill_files *f, const struct mem_conf *conf, int argc, char **argv, bool nul)
{
	(void)conf, (void)argc, (void)nul;
	enum mem_status st = add_named_skills(f, argv[0]);
	mem_skill_files_sort(f);
	if (f->nroots > 0)
		mem_die(MEM_USAGE, "--file: %s is a folder", argv[0]);
	return st;
}

/* `change`, an enum mem_release_change; below 0: none was said.  Returns the worst, for mem_finish. */
static inline enum mem_status
put_release_file(const struct mem_store_options *ask, const struct mem_common *c, const char *skill, const char *file, int change)
{
	const struct mem_skill_ingest_options o = { .via = "skill-version", .skill = skill, .dry_run = c->dry_run,
		.change = change >= 0 ? (enum mem_release_change)change : MEM_RELEASE_PATCH };
	struct skill_files_run run = { .c = c, .o = &o };
	char *name = (char *)(uintptr_t)file;
	return run_skill_files(&run, ask, list_release_file, 1, &name);
}

#endif
