/* SPDX-License-Identifier: Apache-2.0 */
/* kg-rename: renames a page and rewrites the links to it. */
#include "link/rename.h"
#include "store/page_keys.h"
#include "vault_edits.h"

static bool write_files, quiet;
static struct mem_words patterns;
static struct mem_buf root, old_path, new_path;
static struct mem_vault_files files;
static struct mem_page_rename *renaming;
static struct changed_files changes;
static enum mem_status worst;

/* ---- which page, and where to --------------------------------------------- */

/* Into a folder the file goes under its own name; without an extension of pages it keeps the one that it has. */
static void
complete_new_path(bool folder)
{
	struct mem_buf whole = { 0 };
	struct stat about;
	const char *old_name = strrchr(old_path.data, '/') != NULL ? strrchr(old_path.data, '/') + 1 : old_path.data;
	put_whole_path(&whole, root.data, mem_buf_span(&new_path));
	if (folder || (lstat(whole.data, &about) == 0 && S_ISDIR(about.st_mode)))
		mem_buf_printf(&new_path, "%s%s", new_path.len > 0 ? "/" : "", old_name);
	if (mem_page_stem(mem_buf_span(&new_path)).n == new_path.len)
		mem_buf_puts(&new_path, strrchr(old_name, '.'));
	if (!mem_vault_has_page(mem_buf_span(&new_path), NULL))
		mem_die(MEM_USAGE, "'%s' would be no page: a name on its path begins with a dot", new_path.data);
	put_whole_path(&whole, root.data, mem_buf_span(&new_path));
	if (lstat(whole.data, &about) == 0)
		mem_die(MEM_FAIL, "'%s' is there already", whole.data);
	mem_buf_release(&whole);
}

static void
find_paths(const char *from, const char *to)
{
	struct mem_ignore *ignore = mem_ignore_new();
	struct mem_err err;
	find_vault_of(&root, from);
	if (!put_path_in_vault(&old_path, root.data, from) || old_path.len == 0)
		mem_die(MEM_USAGE, "'%s' is no page", from);
	for (size_t i = 0; i < patterns.n; i++)
		mem_ignore_add(ignore, MEM_STR(""), mem_str(patterns.v[i]));
	if (mem_vault_files_read(&files, root.data, ignore, &err) != MEM_OK)
		mem_die_err(&err);
	mem_ignore_free(ignore);
	if (!has_vault_page(&files, mem_buf_span(&old_path)))
		mem_die(MEM_NOTFOUND, "'%s' is no page of the vault '%s'", from, root.data);
	if (!put_path_in_vault(&new_path, root.data, to))
		mem_die(MEM_USAGE, "'%s' is not in the vault '%s'", to, root.data);
	complete_new_path(*to != '\0' && to[strlen(to) - 1] == '/');
}

/* ---- what changes ------------------------------------------------------------ */

/* What cannot be read, be it the second time, is told once. */
static bool
read_page(struct mem_buf *out, struct mem_vault_file *f)
{
	if (read_vault_page(out, root.data, f, &worst))
		return true;
	f->unread = "";
	return false;
}

static void
read_names(void)
{
	struct mem_buf bytes = { 0 };
	struct mem_err err;
	for (size_t i = 0; i < files.n; i++)
		if (read_page(&bytes, &files.v[i]) && mem_page_rename_names(renaming, files.v[i].path, mem_buf_span(&bytes), &err) != MEM_OK)
			mem_die_err(&err);
	mem_buf_release(&bytes);
}

static void
put_page_change(struct changed_file *f, struct mem_file_edits *edits)
{
	struct mem_str path = f->from;
	struct mem_err err;
	enum mem_status st = mem_page_rename_edits(renaming, path, mem_buf_span(&f->before), is_vault_file, root.data, edits, &err);
	if (st == MEM_REFUSED)
		mem_warn("'%.*s' %s: its links stay as they are", (int)path.n, path.p,
		    memchr(f->before.data, '\0', f->before.len) != NULL ? "holds a NUL byte" : "is no text in UTF-8");
	else if (st != MEM_OK) {
		mem_warn("'%.*s': %s: its links stay as they are", (int)path.n, path.p, err.msg);
		worst = mem_status_worse(worst, st);
	}
	mem_file_edits_apply(edits, mem_buf_span(&f->before), &f->after);
}

static void
change_page(struct mem_vault_file *page)
{
	struct changed_file f = { .from = page->path, .to = page->path };
	struct mem_file_edits edits = { 0 };
	bool moves = mem_str_eq(page->path, mem_buf_span(&old_path));
	if (!read_page(&f.before, page)) {
		mem_buf_release(&f.before);
		return;
	}
	put_page_change(&f, &edits);
	if (moves)
		f.to = mem_buf_span(&new_path);
	if (moves || edits.n > 0)
		add_changed_file(&changes, &f);
	else {
		mem_buf_release(&f.before);
		mem_buf_release(&f.after);
	}
	mem_file_edits_release(&edits);
}

/* A page that was not read may have links to it. */
static enum mem_status
write_renamed(void)
{
	bool read = worst == MEM_OK;
	if (read && can_write_changes(&changes))
		return write_changes(&changes);
	mem_warn("'%s' keeps its name and nothing is written%s", old_path.data, read ? "" : ": not all pages could be read; --ignore leaves out those "
	    "that need not be");
	return MEM_FAIL;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		{ 0, "write", NULL, "rename the file and write the links", .flag = &write_files },
		{ 0, "ignore", "PATTERN", "leave out paths that it fits, as in .gitignore", .words = &patterns },
		{ 'q', "quiet", NULL, "print no diff", .flag = &quiet },
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "kg-rename [-q] [--write] [--ignore PATTERN] OLD NEW", "rename a page and rewrite the links to it");
	struct mem_err err;
	if (argc != 2)
		mem_die(MEM_USAGE, "two operands expected: OLD and NEW");
	find_paths(argv[0], argv[1]);
	if (mem_page_rename_new(&renaming, mem_buf_span(&old_path), mem_buf_span(&new_path), &err) != MEM_OK)
		mem_die_err(&err);
	read_names();
	changes.root = root.data;
	for (size_t i = 0; i < files.n; i++)
		if (files.v[i].unread == NULL)
			change_page(&files.v[i]);
	for (size_t i = 0; i < changes.n && !quiet; i++)
		print_diff(&changes.v[i]);
	if (write_files)
		worst = mem_status_worse(worst, write_renamed());
	free_changed_files(&changes);
	mem_page_rename_free(renaming);
	mem_vault_files_release(&files);
	return mem_finish(worst);
}
