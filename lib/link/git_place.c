/* SPDX-License-Identifier: Apache-2.0 */
/* git's command, run so that nothing in the repository's settings runs; where a repository is. */
#include "link/git_int.h"

#include <stdlib.h>

extern char **environ;

enum { ARGUMENTS_MAX = 32 };
#define OUT_MAX ((size_t)1 << 30)

/* ---- calling it -------------------------------------------------------------------- */

static bool
may_setting_stay(const char *setting, const struct mem_git *g)
{
	static const char *const stays[] = { "GIT_DIR=", "GIT_WORK_TREE=", "GIT_COMMON_DIR=", "GIT_INDEX_FILE=" };
	for (size_t i = 0; g->folder == NULL && i < MEM_COUNT(stays); i++)
		if (strncmp(setting, stays[i], strlen(stays[i])) == 0)
			return true;
	return strncmp(setting, "GIT_", 4) != 0;
}

/* What mem_child takes for env: the names that are removed, and what is set.  The arena owns it. */
static const char **
make_repository_env(struct mem_arena *a, const struct mem_git *g)
{
	/* A partial clone asks its server for what it lacks, by a command that its settings name; an empty list allows no transport. */
	static const char *const set[] = { "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=",
		"LC_ALL=C" };
	size_t n = 0;
	for (char **e = environ; *e != NULL; e++)
		n++;
	const char **env = mem_arena_alloc(a, (n + MEM_COUNT(set) + 1) * sizeof(*env));
	n = 0;
	for (char **e = environ; *e != NULL; e++)
		if (!may_setting_stay(*e, g))
			env[n++] = mem_arena_dup(a, *e, strcspn(*e, "="));
	for (size_t i = 0; i < MEM_COUNT(set); i++)
		env[n++] = set[i];
	return env;
}

/* What every call begins with; but where the folder of hooks is asked for it is not to be another. */
static void
start_arguments(const char **argv, const char *const *arguments)
{
	static const char *const safe[] = { "git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null" };
	bool asks_place = strcmp(arguments[0], "rev-parse") == 0;
	size_t n = 0;
	for (; n < MEM_COUNT(safe) - (asks_place ? 2 : 0); n++)
		argv[n] = safe[n];
	for (size_t i = 0; arguments[i] != NULL && n + 1 < ARGUMENTS_MAX; i++)
		argv[n++] = arguments[i];
	argv[n] = NULL;
}

enum mem_status
git_call_run(struct mem_child_end *end, const struct mem_git *g, const struct git_call *call, struct mem_err *err)
{
	const char *argv[ARGUMENTS_MAX];
	struct mem_arena a = { 0 };
	start_arguments(argv, call->arguments);
	const struct mem_child c = { .argv = argv, .env = make_repository_env(&a, g), .dir = g->folder, .input = call->input,
		.out_max = call->out_max, .timeout_ms = g->timeout_ms, .stop_fd = -1, .no_grace = true };
	enum mem_status st = mem_child_run(end, &c, err);
	mem_arena_release(&a);
	return st;
}

enum mem_status
git_call_failed(const struct mem_child_end *end, const char *command, struct mem_err *err)
{
	size_t n = end->errors.len > 0 ? strcspn(end->errors.data, "\n") : 0;
	return mem_err_set(err, MEM_FAIL, "git %s ended with %d: %.*s", command, end->code, (int)n, n > 0 ? end->errors.data : "");
}

enum mem_status
mem_git_run(struct mem_buf *out, const struct mem_git *g, const char *const *arguments, struct mem_err *err)
{
	const struct git_call call = { .arguments = arguments, .out_max = OUT_MAX };
	struct mem_child_end end;
	enum mem_status st = git_call_run(&end, g, &call, err);
	if (st == MEM_OK && end.code != 0)
		st = git_call_failed(&end, arguments[0], err);
	if (st == MEM_OK)
		mem_buf_str(out, mem_buf_span(&end.out));
	mem_child_release(&end);
	return st;
}

bool
mem_git_piece(const char **p, const char *end, struct mem_str *out)
{
	if (*p == NULL || *p >= end)
		return false;
	const char *nul = memchr(*p, '\0', (size_t)(end - *p));
	*out = (struct mem_str){ *p, (size_t)((nul != NULL ? nul : end) - *p) };
	*p = nul != NULL ? nul + 1 : end;
	return true;
}

bool
mem_git_id_read(struct mem_git_id *out, struct mem_str hex)
{
	if (hex.n != 40 && hex.n != MEM_GIT_ID_MAX)
		return false;
	for (size_t i = 0; i < hex.n; i++)
		if (mem_hex_digit(hex.p[i]) < 0)
			return false;
	memcpy(out->hex, hex.p, hex.n);
	out->hex[hex.n] = '\0';
	return true;
}

/* ---- where it is --------------------------------------------------------------------- */

/* A path may hold a line break itself: only git's own, at the end, is taken off. */
static struct mem_str
drop_line_break(const struct mem_buf *b)
{
	struct mem_str s = mem_buf_span(b);
	if (s.n > 0 && s.p[s.n - 1] == '\n')
		s.n--;
	return s;
}

/* What rev-parse answers, without its line break.  MEM_NOTFOUND: under -q there is no such revision. */
static enum mem_status
ask_rev_parse(struct mem_buf *out, const struct mem_git *g, const char *const *arguments, struct mem_err *err)
{
	const struct git_call call = { .arguments = arguments, .out_max = OUT_MAX };
	struct mem_child_end end;
	enum mem_status st = git_call_run(&end, g, &call, err);
	if (st == MEM_OK && end.code != 0)
		st = end.code == 1 ? MEM_NOTFOUND : git_call_failed(&end, arguments[0], err);
	if (st == MEM_OK)
		mem_buf_str(out, drop_line_break(&end.out));
	mem_child_release(&end);
	return st;
}

/* What it means that git, asked for the top, failed so: its words for a bare repository, or inside .git, and for none at all are not told
 * apart by status. */
static enum mem_status
explain_no_top(enum mem_status st, const struct mem_git *g, struct mem_err *err)
{
	static const char *const bare[] = { "rev-parse", "--is-bare-repository", NULL };
	struct mem_buf answer = { 0 };
	if (ask_rev_parse(&answer, g, bare, NULL) == MEM_OK)
		st = mem_err_set(err, MEM_ABSENT, "the repository has no worktree here");
	else if (st == MEM_FAIL && err != NULL && strstr(err->msg, "not a git repository") != NULL)
		st = err->status = MEM_NOTFOUND;
	mem_buf_release(&answer);
	return st;
}

enum mem_status
mem_git_top(struct mem_buf *out, const struct mem_git *g, struct mem_err *err)
{
	static const char *const top[] = { "rev-parse", "--show-toplevel", NULL };
	enum mem_status st = ask_rev_parse(out, g, top, err);
	return st == MEM_OK ? MEM_OK : explain_no_top(st, g, err);
}

enum mem_status
mem_git_hooks(struct mem_buf *out, const struct mem_git *g, struct mem_err *err)
{
	static const char *const hooks[] = { "rev-parse", "--path-format=absolute", "--git-path", "hooks", NULL };
	return ask_rev_parse(out, g, hooks, err);
}

enum mem_status
mem_git_exclude(struct mem_buf *out, const struct mem_git *g, struct mem_err *err)
{
	static const char *const exclude[] = { "rev-parse", "--path-format=absolute", "--git-path", "info/exclude", NULL };
	return ask_rev_parse(out, g, exclude, err);
}

static void
put_folder_around(struct mem_buf *out, struct mem_str common)
{
	static const struct mem_str git = MEM_STR_INIT("/.git");
	if (common.n > git.n && memcmp(common.p + common.n - git.n, git.p, git.n) == 0)
		common.n -= git.n;
	mem_buf_str(out, common);
}

enum mem_status
mem_git_home(struct mem_buf *out, const struct mem_git *g, struct mem_err *err)
{
	static const char *const ask[] = { "rev-parse", "--path-format=absolute", "--git-common-dir", NULL };
	struct mem_buf answer = { 0 };
	enum mem_status st = ask_rev_parse(&answer, g, ask, err);
	if (st == MEM_OK)
		put_folder_around(out, mem_buf_span(&answer));
	mem_buf_release(&answer);
	return st;
}

enum mem_status
mem_git_place(struct mem_buf *top, struct mem_buf *home, const struct mem_git *g, struct mem_err *err)
{
	static const char *const ask[] = { "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir", NULL };
	struct mem_buf answer = { 0 };
	enum mem_status st = ask_rev_parse(&answer, g, ask, err);
	struct mem_str text = mem_buf_span(&answer);
	const char *end = text.n > 0 ? memchr(text.p, '\n', text.n) : NULL;
	struct mem_str rest = end != NULL ? (struct mem_str){ end + 1, text.n - (size_t)(end + 1 - text.p) } : MEM_STR("");
	if (st != MEM_OK) {
		st = explain_no_top(st, g, err);
	} else if (rest.n > 0 && memchr(rest.p, '\n', rest.n) == NULL) {
		mem_buf_str(top, (struct mem_str){ text.p, (size_t)(end - text.p) });
		put_folder_around(home, rest);
	} else { /* a path with a line break */
		st = mem_git_top(top, g, err);
		st = st == MEM_OK ? mem_git_home(home, g, err) : st;
	}
	mem_buf_release(&answer);
	return st;
}

enum mem_status
mem_git_head(struct mem_git_id *out, struct mem_buf *home, const struct mem_git *g, struct mem_err *err)
{
	static const char *const ask[] = { "rev-parse", "--path-format=absolute", "--git-common-dir", "--verify", "-q", "--end-of-options",
		"HEAD^{commit}", NULL };
	struct mem_buf answer = { 0 };
	enum mem_status st = ask_rev_parse(&answer, g, ask, err);
	struct mem_str folder = mem_buf_span(&answer);
	while (folder.n > 0 && folder.p[folder.n - 1] != '\n')
		folder.n--;
	if (st == MEM_OK && !mem_git_id_read(out, (struct mem_str){ folder.p + folder.n, answer.len - folder.n }))
		st = mem_err_set(err, MEM_FAIL, "git rev-parse gave no name of a commit");
	if (st == MEM_OK)
		put_folder_around(home, (struct mem_str){ folder.p, folder.n - 1 });
	mem_buf_release(&answer);
	return st;
}

enum mem_status
mem_git_commit(struct mem_git_id *out, const struct mem_git *g, const char *rev, struct mem_err *err)
{
	struct mem_buf wanted = { 0 }, id = { 0 };
	mem_buf_printf(&wanted, "%s^{commit}", rev);
	const char *const ask[] = { "rev-parse", "--verify", "-q", "--end-of-options", wanted.data, NULL };
	enum mem_status st = ask_rev_parse(&id, g, ask, err);
	if (st == MEM_NOTFOUND)
		mem_err_set(err, st, "there is no commit '%s'", rev);
	if (st == MEM_OK && !mem_git_id_read(out, mem_buf_span(&id)))
		st = mem_err_set(err, MEM_FAIL, "git rev-parse gave no name of a commit");
	mem_buf_release(&wanted);
	mem_buf_release(&id);
	return st;
}
