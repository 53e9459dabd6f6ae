/* SPDX-License-Identifier: Apache-2.0 */
/* Repositories as git makes them: where they are, their files, what changed, bytes; and settings that would run something. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "link/git.h"

static char dir[64], repository[80];
static struct mem_git here = { .folder = repository };
static struct mem_err err;

/* In the repository; the script ends at the first command that fails. */
static void
sh(const char *script)
{
	struct mem_buf b = { 0 };
	mem_buf_printf(&b, "set -e; unset GIT_DIR; cd '%s'\n%s", repository, script);
	const char *argv[] = { "sh", "-c", b.data, NULL };
	struct mem_child_end end;
	const struct mem_child c = { .argv = argv, .out_max = 1 << 20, .stop_fd = -1 };
	assert_int_equal(mem_child_run(&end, &c, &err), MEM_OK);
	if (end.code != 0)
		fail_msg("%s", end.errors.len > 0 ? end.errors.data : script);
	mem_child_release(&end);
	mem_buf_release(&b);
}

static int
make_repository(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/memkit-unit-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(repository, sizeof repository, "%s/a vault", dir);
	setenv("HOME", dir, 1);
	setenv("GIT_DIR", "/nonexistent", 1); /* of another repository: never handed on to this one */
	if (mkdir(repository, 0700) != 0)
		return -1;
	sh("git init -q -b main; git config user.name a; git config user.email a@b\n"
	   "mkdir sub; echo one >one.md; echo two >sub/two.md; printf 'x\\n\\n' >'- q\"\n.md'; : >empty.md; echo t >other.txt; ln -s one.md link.md\n"
	   "git add .; git commit -qm first; git tag first");
	return 0;
}

static int
remove_repository(void **state)
{
	(void)state;
	char cmd[80];
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", dir);
	return system(cmd);
}

static struct mem_git_id
commit_of(const char *rev)
{
	struct mem_git_id id;
	assert_int_equal(mem_git_commit(&id, &here, rev, &err), MEM_OK);
	return id;
}

/* "path" for a file, "path<old" for one that was moved, "path!" for one that is gone, a space behind each. */
static void
assert_files(struct mem_git_files *f, const char *wanted)
{
	struct mem_buf b = { 0 };
	mem_buf_puts(&b, "");
	for (size_t i = 0; i < f->n; i++) {
		mem_buf_str(&b, f->v[i].path);
		mem_buf_puts(&b, f->v[i].gone ? "!" : f->v[i].moved_from.n > 0 ? "<" : "");
		mem_buf_str(&b, f->v[i].moved_from);
		mem_buf_putc(&b, ' ');
	}
	assert_string_equal(b.len > 0 ? b.data : "", wanted);
	mem_buf_release(&b);
	mem_git_files_release(f);
}

static void
assert_changes(const char *from, const char *to, const char *wanted)
{
	static const char *const notes[] = { ":(icase)*.md", NULL };
	struct mem_git_files f = { 0 };
	const struct mem_git_id a = commit_of(from), b = commit_of(to);
	assert_int_equal(mem_git_changes(&f, &here, &a, &b, notes, &err), MEM_OK);
	assert_files(&f, wanted);
}

/* ---- where it is ------------------------------------------------------------------- */

static void
finds_the_top_and_the_folder_of_hooks_from_below_and_in_a_worktree(void **state)
{
	(void)state;
	char below[96], other[96], wanted[128];
	struct mem_buf b = { 0 };
	struct mem_git_id id;
	snprintf(below, sizeof below, "%s/sub", repository);
	snprintf(other, sizeof other, "%s/other", dir);
	sh("git worktree add -q ../other -b other");
	assert_int_equal(mem_git_top(&b, &(struct mem_git){ .folder = below }, &err), MEM_OK);
	assert_string_equal(b.data, repository);
	mem_buf_reset(&b);
	assert_int_equal(mem_git_top(&b, &(struct mem_git){ .folder = other }, &err), MEM_OK);
	assert_string_equal(b.data, other);
	mem_buf_reset(&b);
	assert_int_equal(mem_git_home(&b, &(struct mem_git){ .folder = other }, &err), MEM_OK);
	assert_string_equal(b.data, repository);
	mem_buf_reset(&b);
	assert_int_equal(mem_git_head(&id, &b, &(struct mem_git){ .folder = other }, &err), MEM_OK);
	assert_string_equal(b.data, repository);
	mem_buf_reset(&b);
	snprintf(wanted, sizeof wanted, "%s/.git/hooks", repository);
	assert_int_equal(mem_git_hooks(&b, &(struct mem_git){ .folder = other }, &err), MEM_OK);
	assert_string_equal(b.data, wanted);
	mem_buf_reset(&b);
	sh("git config core.hooksPath .shared/hooks");
	snprintf(wanted, sizeof wanted, "%s/.shared/hooks", repository);
	assert_int_equal(mem_git_hooks(&b, &(struct mem_git){ .folder = below }, &err), MEM_OK);
	assert_string_equal(b.data, wanted);
	mem_buf_release(&b);
	sh("git config --unset core.hooksPath; git worktree remove ../other");
}

static void
tells_no_repository_from_a_bare_one_and_a_commit_that_is_not_there(void **state)
{
	(void)state;
	char bare[96];
	struct mem_buf b = { 0 };
	struct mem_git_id id;
	snprintf(bare, sizeof bare, "%s/bare", dir);
	sh("git init -q --bare ../bare");
	assert_int_equal(mem_git_top(&b, &(struct mem_git){ .folder = dir }, &err), MEM_NOTFOUND);
	assert_int_equal(mem_git_top(&b, &(struct mem_git){ .folder = bare }, &err), MEM_ABSENT);
	assert_int_equal(mem_git_hooks(&b, &(struct mem_git){ .folder = dir }, &err), MEM_FAIL);
	assert_int_equal(mem_git_head(&id, &b, &(struct mem_git){ .folder = bare }, &err), MEM_NOTFOUND);
	assert_int_equal(b.len, 0);
	assert_int_equal(mem_git_home(&b, &(struct mem_git){ .folder = bare }, &err), MEM_OK);
	assert_string_equal(b.data, bare);
	assert_int_equal(mem_git_commit(&id, &(struct mem_git){ .folder = dir }, "HEAD", &err), MEM_FAIL);
	static const char *const none[] = { "nowhere", "--all", "HEAD:one.md", "", "1111111111111111111111111111111111111111", NULL };
	for (size_t i = 0; none[i] != NULL; i++)
		assert_int_equal(mem_git_commit(&id, &here, none[i], &err), MEM_NOTFOUND);
	mem_buf_release(&b);
}

/* ---- files ---------------------------------------------------------------------------- */

static void
lists_regular_files_of_a_commit_and_of_the_index(void **state)
{
	(void)state;
	struct mem_git_files f = { 0 };
	struct mem_git_id first = commit_of("first");
	assert_int_equal(mem_git_tree(&f, &here, &first, &err), MEM_OK);
	assert_files(&f, "- q\"\n.md empty.md one.md other.txt sub/two.md ");
	sh("echo n >new.md; git add new.md; git rm -q --cached one.md");
	assert_int_equal(mem_git_staged(&f, &here, &err), MEM_OK);
	assert_files(&f, "- q\"\n.md empty.md new.md other.txt sub/two.md ");
	sh("git reset -q --hard first; rm -f new.md");
}

static void
finds_what_changed_moves_included(void **state)
{
	(void)state;
	struct mem_git_files f = { 0 };
	struct mem_git_id first = commit_of("first"), gone;
	static const char *const all[] = { NULL };
	sh("git checkout -q -b changes first\n"
	   "for i in 1 2 3 4 5 6 7 8 9; do echo \"a line of it $i\"; done >long.md; git add .; git commit -qm long; git tag long\n"
	   "git mv long.md sub/LONG.MD; echo more >>sub/LONG.MD; git rm -q sub/two.md; rm link.md; echo page >link.md; echo u >other.txt\n"
	   "git add .; git commit -qm moved; git tag moved\n"
	   "rm one.md; ln -s empty.md one.md; git add .; git commit -qm link; git checkout -q main");
	assert_changes("first", "first", "");
	assert_changes("long", "moved", "link.md sub/LONG.MD<long.md sub/two.md! ");
	assert_changes("moved", "changes", "one.md! ");
	assert_int_equal(mem_git_changes(&f, &here, &first, &(struct mem_git_id){ "1111111111111111111111111111111111111111" }, all, &err),
	    MEM_NOTFOUND);
	mem_git_files_release(&f);
	/* A commit that nothing names any more is taken away by gc. */
	sh("git checkout -q --detach; echo z >z.md; git add z.md; git commit -qm lost; git checkout -q main");
	gone = commit_of("HEAD@{1}");
	sh("git reflog expire --expire=now --all; git gc -q --prune=now");
	assert_int_equal(mem_git_changes(&f, &here, &gone, &first, all, &err), MEM_NOTFOUND);
	mem_git_files_release(&f);
}

/* ---- bytes ------------------------------------------------------------------------------- */

struct blobs {
	struct mem_buf all;
	size_t missing;
};

static enum mem_status
take_blob(void *ctx, const struct mem_git_file *f, const struct mem_str *bytes, struct mem_err *e)
{
	struct blobs *b = ctx;
	(void)f;
	(void)e;
	if (bytes == NULL)
		b->missing++;
	else
		mem_buf_str(&b->all, *bytes);
	mem_buf_putc(&b->all, '|');
	return MEM_OK;
}

static void
gives_bytes_of_files_in_order_and_tells_what_is_missing(void **state)
{
	(void)state;
	struct mem_git_files f = { 0 };
	struct blobs b = { 0 };
	struct mem_git_id first = commit_of("first");
	assert_int_equal(mem_git_tree(&f, &here, &first, &err), MEM_OK);
	memset(f.v[2].id.hex, '1', 40);
	f.v[3].gone = true;
	assert_int_equal(mem_git_blobs(&here, f.v, f.n, take_blob, &b, &err), MEM_OK);
	assert_string_equal(b.all.data, "x\n\n|||two\n|");
	assert_int_equal(b.missing, 1);
	mem_buf_release(&b.all);
	mem_git_files_release(&f);
}

static void
reads_files_that_one_call_cannot_give(void **state)
{
	(void)state;
	struct mem_git_files f = { 0 };
	struct blobs b = { 0 };
	sh("git checkout -q --orphan large; git rm -q -rf .; for i in 1 2 3; do head -c 30000000 /dev/zero >$i.md; echo $i >>$i.md; done\n"
	   "head -c 70000000 /dev/zero >4.md; git add .; git commit -qm large; git checkout -q main");
	struct mem_git_id large = commit_of("large");
	assert_int_equal(mem_git_tree(&f, &here, &large, &err), MEM_OK);
	assert_int_equal(mem_git_blobs(&here, f.v, f.n, take_blob, &b, &err), MEM_OK);
	assert_int_equal(b.missing, 1);
	assert_int_equal(b.all.len, 3 * 30000003 + 1);
	mem_buf_release(&b.all);
	mem_git_files_release(&f);
}

/* ---- settings of strangers -------------------------------------------------------------------- */

/* Each setting that may name a program names one that leaves a file. */
static void
runs_nothing_that_the_settings_of_the_repository_name(void **state)
{
	(void)state;
	static const char *const all[] = { NULL };
	struct mem_git_files f = { 0 };
	struct blobs b = { 0 };
	struct mem_buf place = { 0 };
	char ran[80];
	struct stat about;
	snprintf(ran, sizeof ran, "%s/ran", dir);
	sh("printf '#!/bin/sh\\necho \"$0 $*\" >>\"%s\"\\nexec true' \"$PWD/../ran\" >../evil; chmod +x ../evil; evil=$(cd ..; pwd)/evil\n"
	   "echo '* filter=e diff=e' >.git/info/attributes; mkdir ../evilhooks; cp ../evil ../evilhooks/post-index-change; cp ../evil ../evilhooks/post-checkout\n"
	   "for key in core.fsmonitor core.sshCommand core.pager core.editor core.askPass core.alternateRefsCommand core.gitProxy diff.external \\\n"
	   "diff.e.textconv diff.e.command filter.e.clean filter.e.smudge filter.e.process pager.rev-parse pager.ls-tree pager.diff-tree pager.cat-file \\\n"
	   "pager.ls-files gpg.program credential.helper interactive.diffFilter sequence.editor uploadpack.packObjectsHook remote.origin.uploadpack; do\n"
	   "git config $key \"$evil\"; done\n"
	   "for name in rev-parse ls-tree diff-tree cat-file ls-files; do git config alias.$name \"!$evil\"; done\n"
	   "git config core.hooksPath \"$PWD/../evilhooks\"; git config core.repositoryformatversion 1; git config extensions.partialClone origin\n"
	   "git config remote.origin.promisor true; git config remote.origin.url \"ext::$evil\"; git config protocol.ext.allow always\n"
	   "touch one.md; rm -f ../ran");
	const struct mem_git_id first = commit_of("first"), changed = commit_of("changes");
	assert_int_equal(mem_git_top(&place, &here, &err), MEM_OK);
	assert_int_equal(mem_git_hooks(&place, &here, &err), MEM_OK);
	assert_int_equal(mem_git_staged(&f, &here, &err), MEM_OK);
	mem_git_files_release(&f);
	assert_int_equal(mem_git_changes(&f, &here, &first, &changed, all, &err), MEM_OK);
	mem_git_files_release(&f);
	assert_int_equal(mem_git_tree(&f, &here, &first, &err), MEM_OK);
	memset(f.v[0].id.hex, '1', 40); /* which a partial clone would fetch */
	enum mem_status st = mem_git_blobs(&here, f.v, f.n, take_blob, &b, &err);
	assert_true(st == MEM_OK || st == MEM_FAIL);
	assert_int_not_equal(stat(ran, &about), 0);
	/* They do run where nobody takes care. */
	sh("git cat-file --batch-check </dev/null; echo 1111111111111111111111111111111111111111 | git cat-file --batch || true; test -e ../ran");
	mem_buf_release(&b.all);
	mem_buf_release(&place);
	mem_git_files_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_top_and_the_folder_of_hooks_from_below_and_in_a_worktree),
		cmocka_unit_test(tells_no_repository_from_a_bare_one_and_a_commit_that_is_not_there),
		cmocka_unit_test(lists_regular_files_of_a_commit_and_of_the_index),
		cmocka_unit_test(finds_what_changed_moves_included),
		cmocka_unit_test(gives_bytes_of_files_in_order_and_tells_what_is_missing),
		cmocka_unit_test(reads_files_that_one_call_cannot_give),
		cmocka_unit_test(runs_nothing_that_the_settings_of_the_repository_name),
	};
	return cmocka_run_group_tests(tests, make_repository, remove_repository);
}
