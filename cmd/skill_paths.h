/* SPDX-License-Identifier: Apache-2.0 */
/* Where skills are read from: operands, names on standard input, or the folders that agents keep them in. */
#ifndef MEM_CMD_SKILL_PATHS_H
#define MEM_CMD_SKILL_PATHS_H

#include <stdlib.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "conf/conf.h"
#include "skill/skill_files.h"

static inline enum mem_status
add_named_skills(struct mem_skill_files *f, const char *path)
{
	struct mem_err err;
	if (mem_skill_files_add(f, path, &err) == MEM_OK)
		return MEM_OK;
	mem_warn("%s", err.msg);
	return MEM_REFUSED;
}

/* A folder that need not be there; "~/" is the home. */
static inline enum mem_status
add_usual_skills(struct mem_skill_files *f, struct mem_str path)
{
	struct mem_buf whole = { 0 };
	struct stat about;
	const char *home = getenv("HOME");
	bool in_home = path.n >= 2 && path.p[0] == '~' && path.p[1] == '/';
	if (in_home)
		mem_buf_puts(&whole, home != NULL ? home : "/nonexistent");
	mem_buf_put(&whole, path.p + in_home, path.n - in_home);
	enum mem_status st = stat(whole.data, &about) == 0 ? add_named_skills(f, whole.data) : MEM_OK;
	mem_buf_release(&whole);
	return st;
}

static inline enum mem_status
list_usual_skills(struct mem_skill_files *f, const struct mem_conf *conf)
{
	static const char *const usual[] = { "~/.claude/skills", ".claude/skills", ".agents/skills" };
	const struct mem_yaml *set = mem_conf_node(conf, "skills.paths");
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(usual); i++)
		st = mem_status_worse(st, add_usual_skills(f, mem_str(usual[i])));
	for (const struct mem_yaml *y = set != NULL ? set->child : NULL; y != NULL; y = y->next)
		st = mem_status_worse(st, add_usual_skills(f, y->scalar));
	if (f->nroots > 0 || f->n > 0 || st != MEM_OK)
		return st;
	mem_warn("no folder of skills: there is neither ~/.claude/skills nor .claude/skills nor .agents/skills; name one");
	return MEM_REFUSED;
}

static inline enum mem_status
list_input_skills(struct mem_skill_files *f, bool nul)
{
	struct mem_input in;
	struct mem_line line;
	struct mem_arena a = { 0 };
	char *std[] = { (char[]){ "-" } };
	enum mem_status st = MEM_OK;
	mem_input_init(&in, 1, std);
	in.sep = nul ? '\0' : '\n';
	while (mem_input_next(&in, &line))
		if (line.text.n > 0)
			st = mem_status_worse(st, add_named_skills(f, mem_arena_dup(&a, line.text.p, line.text.n)));
	mem_arena_release(&a);
	return mem_status_worse(st, mem_input_status(&in));
}

/* MEM_REFUSED: some are not there, which was told. */
static inline enum mem_status
list_skill_files(struct mem_skill_files *f, const struct mem_conf *conf, int argc, char **argv, bool nul)
{
	enum mem_status st = MEM_OK;
	if (nul || (argc == 1 && strcmp(argv[0], "-") == 0))
		st = list_input_skills(f, nul);
	else if (argc == 0)
		st = list_usual_skills(f, conf);
	else
		for (int i = 0; i < argc; i++)
			st = mem_status_worse(st, add_named_skills(f, argv[i]));
	mem_skill_files_sort(f);
	return st;
}

#endif
