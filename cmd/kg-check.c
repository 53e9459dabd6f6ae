/* SPDX-License-Identifier: Apache-2.0 */
/* kg-check: check the links of markdown files. */
#include "check_output.h"
#include "check_source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct mem_common c = MEM_COMMON_INIT;
static struct check_source source;
static struct mem_words kinds, patterns;

/* ---- what is told --------------------------------------------------------------------- */

/* A mem_check_found_fn. */
static void
print_finding(void *ctx, const struct mem_check_finding *f)
{
	struct check_output *o = ctx;
	if (!o->wanted[f->kind] || !is_asked_for(o, f->path))
		return;
	o->found = true;
	if (c.format == MEM_FORMAT_JSON)
		print_finding_record(f);
	else
		print_finding_text(o, f);
}

/* A mem_check_there_fn. */
static bool
is_source_file(void *ctx, struct mem_str path)
{
	(void)ctx;
	return has_source_file(&source, path);
}

static void
choose_kinds(struct check_output *o)
{
	for (size_t k = 0; k < MEM_CHECK_KINDS; k++)
		o->wanted[k] = kinds.n == 0;
	for (size_t i = 0; i < kinds.n; i++) {
		size_t k = 0;
		while (mem_check_kind_names[k] != NULL && strcmp(kinds.v[i], mem_check_kind_names[k]) != 0)
			k++;
		if (k < MEM_CHECK_KINDS)
			o->wanted[k] = true;
		else
			mem_die(MEM_USAGE, "--only: '%s' is none of broken, ambiguous, heading, block, orphan, unread", kinds.v[i]);
	}
}

/* ---- which vault ------------------------------------------------------------------------ */

/* OWNS; exits where there is no such file. */
static char *
find_whole_path(const char *path)
{
	char *whole = realpath(path, NULL);
	if (whole == NULL)
		mem_die(MEM_FAIL, "cannot open '%s'", path);
	return whole;
}

/* Exits where it cannot be told.  A file belongs to the vault of the working folder, if it is below it. */
static void
find_check_root(struct mem_buf *root, struct check_output *o, int argc, char **argv)
{
	struct mem_err err;
	struct stat about;
	char *here = find_whole_path(".");
	bool file = argc > 0 && stat(argv[0], &about) == 0 && !S_ISDIR(about.st_mode);
	if (mem_vault_root(root, argc > 0 && !file ? argv[0] : ".", &err) != MEM_OK)
		mem_die_err(&err);
	for (int i = 0; i < argc; i++) {
		char *whole = find_whole_path(argv[i]);
		if (strncmp(whole, root->data, root->len) != 0 || (whole[root->len] != '/' && whole[root->len] != '\0'))
			mem_die(MEM_USAGE, "'%s' is not in the vault '%s'", argv[i], root->data);
		o->only.v = mem_xrealloc(o->only.v, o->only.n + 1, sizeof(*o->only.v));
		o->only.v[o->only.n++] = mem_xstrdup(whole[root->len] == '/' ? whole + root->len + 1 : "");
		free(whole);
	}
	const char *way = argc > 0 && o->only.v[0][0] == '\0' ? argv[0] : root->data;
	if (strncmp(here, root->data, root->len) == 0 && here[root->len] == '/')
		mem_buf_printf(&o->here, "%s/", here + root->len + 1);
	else if (strcmp(here, root->data) != 0)
		mem_buf_printf(&o->shown, "%s%s", way, way[strlen(way) - 1] == '/' ? "" : "/");
	free(here);
}

static void
release_check_output(struct check_output *o)
{
	for (size_t i = 0; i < o->only.n; i++)
		free((void *)(uintptr_t)o->only.v[i]);
	free(o->only.v);
	mem_buf_release(&o->shown);
	mem_buf_release(&o->here);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		{ 0, "staged", NULL, "check what is staged for the next commit", .flag = &source.staged },
		{ 0, "rev", "REV", "check the files of this commit", .str = &source.rev },
		{ 0, "only", "CHECK", "only broken, ambiguous, heading, block, orphan, unread", .words = &kinds, .commas = true },
		{ 0, "ignore", "PATTERN", "leave out paths that it fits, as in .gitignore", .words = &patterns },
		MEM_OPT_FORMAT(c), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "kg-check [--staged | --rev REV] [--only CHECK] [--ignore PATTERN] [--format FORMAT] [PATH...]",
	    "check the links of markdown files");
	struct check_output o = { .found = false };
	struct mem_buf root = { 0 };
	struct mem_err err;
	if (source.staged && source.rev != NULL)
		mem_die(MEM_USAGE, "--staged and --rev exclude each other");
	choose_kinds(&o);
	mem_buf_puts(&o.shown, "");
	find_check_root(&root, &o, argc, argv);
	source.root = root.data;
	source.ignore = mem_ignore_new();
	for (size_t i = 0; i < patterns.n; i++)
		mem_ignore_add(source.ignore, MEM_STR(""), mem_str(patterns.v[i]));
	struct mem_link_check *check = mem_link_check_new();
	enum mem_status st = source.staged || source.rev != NULL ? add_git_pages(check, &source, &err) : add_folder_pages(check, &source, &err);
	if (st != MEM_OK)
		mem_die(MEM_FAIL, "%s", err.msg); /* an unknown commit is no answer */
	mem_link_check_run(check, is_source_file, print_finding, &o);
	mem_link_check_free(check);
	mem_ignore_free(source.ignore);
	release_check_output(&o);
	mem_buf_release(&root);
	return mem_finish(o.found ? MEM_NOTFOUND : MEM_OK);
}
