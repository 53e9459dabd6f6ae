/* SPDX-License-Identifier: Apache-2.0 */
/* Options, usage, tables, colour and exit statuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

/* ---- a command in a process of its own -------------------------------- */

static struct {
	char out[256 * 1024], err[4096];
	size_t nout, nerr;
	int status;             /* as waitpid gave it */
} got;

static const char *device; /* where standard output goes instead */

static size_t
slurp(int fd, char *to, size_t room)
{
	size_t n = 0;
	ssize_t r;
	while (n + 1 < room && (r = read(fd, to + n, room - 1 - n)) > 0)
		n += (size_t)r;
	to[n] = '\0';
	close(fd);
	return n;
}

/* Runs fn with args[0] as standard input and the rest as arguments; output is gathered
 * through files, so that neither side waits for the other. */
static void
run_at(int (*fn)(int, char **), const char *const *args)
{
	const char *in = args[0];
	char *argv[40] = { (char[]){ "mem-x" } };
	int argc = 1, fds[3];
	char names[3][32];
	for (int i = 0; i < 3; i++) {
		snprintf(names[i], sizeof(names[i]), "/tmp/cli_test.XXXXXX");
		fds[i] = mkstemp(names[i]);
		assert_true(fds[i] >= 0);
		unlink(names[i]);
	}
	for (; args[argc] != NULL; argc++)
		argv[argc] = strdup(args[argc]);
	assert_int_equal(write(fds[0], in, strlen(in)), (ssize_t)strlen(in));
	lseek(fds[0], 0, SEEK_SET);
	pid_t pid = fork();
	if (pid == 0) {
		int out = device != NULL ? open(device, O_WRONLY) : fds[1];
		dup2(fds[0], 0);
		dup2(out, 1);
		dup2(fds[2], 2);
		exit(fn(argc, argv));
	}
	assert_int_equal(waitpid(pid, &got.status, 0), pid);
	lseek(fds[1], 0, SEEK_SET);
	lseek(fds[2], 0, SEEK_SET);
	got.nout = slurp(fds[1], got.out, sizeof(got.out));
	got.nerr = slurp(fds[2], got.err, sizeof(got.err));
	close(fds[0]);
	while (argc > 1)
		free(argv[--argc]);
}

#define RUN(fn, ...) run_at(fn, (const char *const[]){ __VA_ARGS__, NULL })
#define EXITED(n) do { \
		if (!WIFEXITED(got.status)) \
			print_error("ended by signal %d\n", WTERMSIG(got.status)); \
		assert_true(WIFEXITED(got.status)); \
		assert_int_equal(WEXITSTATUS(got.status), n); \
	} while (0)

/* Prints all that the table took in, then the operands. */
static int
show_main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	const char *text = "-";
	bool on = false;
	double real = 0, unnamed = -1;
	int choice = 0;
	int64_t span = 0;
	struct mem_words tags = { 0 };
	static const char *const words[] = { "fence", "plain", NULL };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_KIND(c),
		MEM_OPT_SINCE(c), MEM_OPT_NOW, MEM_OPT_FORMAT(c), MEM_OPT_NUL(c),
		{ 't', "text", "TEXT", "some text", .str = &text },
		{ 'f', "flag", NULL, "switch it on", .flag = &on },
		{ 0, "score", "X", "a score", .real = &real, .low = -1, .high = 1 },
		{ 0, "share", "X", "a share", .real = &unnamed, .low = 0, .high = 1 },
		{ 0, "shape", "SHAPE", "fence or plain", .choice = &choice, .choices = words },
		{ 0, "span", "TIME", "how long", .duration = &span },
		{ 0, "tag", "TAG", "a tag", .words = &tags },
		MEM_OPT_END
	};
	c.limit = 10;
	mem_opts(&argc, &argv, opts, "mem-x [-S DIR] [FILE...]\nmem-x --other", "show what it got");
	mem_out_printf("S=%s n=%lld text=%s on=%d real=%g shape=%s span=%lld since=%lld now=%lld nul=%d\n",
	    c.store != NULL ? c.store : "none", (long long)c.limit, text, on, real, words[choice],
	    (long long)span, (long long)c.since, (long long)mem_now(), c.nul);
	for (size_t i = 0; i < c.kinds.n; i++)
		mem_out_printf("kind %s\n", c.kinds.v[i]);
	for (size_t i = 0; i < tags.n; i++)
		mem_out_printf("tag %s\n", tags.v[i]);
	for (int i = 0; i < argc; i++)
		mem_out_printf("operand %s\n", argv[i]);
	return mem_finish(MEM_OK);
}

static void
options_reach_their_targets(void **state)
{
	(void)state;
	RUN(show_main, "", "one", "-n", "5", "--text=a b", "-f", "--score", "-0.5", "--shape", "plain",
	    "--span", "15m", "--kind", "fact,core", "--kind=note", "--tag", "a,b", "--tag", "c",
	    "--", "-x");
	EXITED(0);
	assert_non_null(strstr(got.out, "S=none n=5 text=a b on=1 real=-0.5 shape=plain span=900000"));
	assert_non_null(strstr(got.out, "kind fact\nkind core\nkind note\ntag a,b\ntag c\n"));
	assert_non_null(strstr(got.out, "operand one\noperand -x\n"));
	RUN(show_main, "", "-n3", "--all", "-z");
	assert_non_null(strstr(got.out, " n=0 "));
	assert_non_null(strstr(got.out, "nul=1"));
	RUN(show_main, "", "--all", "-n3");
	assert_non_null(strstr(got.out, " n=3 "));
}

static void
times_are_told_from_now(void **state)
{
	(void)state;
	RUN(show_main, "", "--since", "24h", "--now", "2026-11-28T00:00:00Z");
	EXITED(0);
	assert_non_null(strstr(got.out, "since=1795737600000 now=1795824000000"));
	setenv("MEM_NOW", "2026-11-28T00:00:00Z", 1);
	RUN(show_main, "", "--since", "1d");
	assert_non_null(strstr(got.out, "since=1795737600000 now=1795824000000"));
	RUN(show_main, "", "--since", "yesterday", "--now", "2026-11-29T12:00:00Z");
	assert_non_null(strstr(got.out, "since=1795824000000"));
	RUN(show_main, "", "--now", "2026-11-29");
	assert_non_null(strstr(got.out, "now=1795910400000"));
	setenv("MEM_NOW", "noon", 1);
	RUN(show_main, "");
	EXITED(2);
	unsetenv("MEM_NOW");
}

static void
refused(const char *message, const char *a, const char *b)
{
	RUN(show_main, "", a, b);
	EXITED(2);
	assert_string_equal(got.out, "");
	if (strstr(got.err, message) == NULL)
		fail_msg("%s %s: expected '%s', got '%s'", a, b != NULL ? b : "", message, got.err);
	assert_memory_equal(got.err, "mem-x: ", 7);
}

static void
faults_are_usage(void **state)
{
	(void)state;
	refused("unknown option '--nope'; see mem-x --help", "--nope", NULL);
	refused("unknown option '--nope'", "--nope=3", NULL);
	refused("unknown option '-y'", "-y", NULL);
	refused("unknown option '-y'", "-fy", NULL);
	refused("unknown option '--lim'", "--lim", "3");
	refused("unknown option '--lim'", "--lim=3", NULL);
	refused("unknown option '--s'", "--s", "3");
	refused("--text needs a value", "--text", NULL);
	refused("-t needs a value", "-t", NULL);
	refused("--flag takes no value", "--flag=1", NULL);
	refused("--limit: '0' is not a whole number of at least 1", "-n", "0");
	refused("--limit: '3x'", "-n", "3x");
	refused("--limit: '99999999999999999999'", "-n", "99999999999999999999");
	refused("--score: 'nan' is not a number", "--score", "nan");
	refused("--score: '2' is not a number from -1 to 1", "--score", "2");
	refused("--score: '' is not a number", "--score", "");
	refused("one of fence, plain", "--shape", "round");
	refused("--span: 'soon'", "--span", "soon");
	refused("--since: 'noon'", "--since", "noon");
	refused("--kind: 'a,,b' is not a list", "--kind", "a,,b");
	refused("--now: 'x'", "--now", "x");
}

static void
help_version_complete(void **state)
{
	(void)state;
	RUN(show_main, "", "-h", "--nope");
	EXITED(0);
	assert_memory_equal(got.out, "usage: mem-x [-S DIR] [FILE...]\n       mem-x --other\n", 53);
	assert_non_null(strstr(got.out, "\n  -n, --limit N           print at most N records (default 10)\n"));
	assert_non_null(strstr(got.out, "\n      --score X           a score (default 0)\n"));
	/* A value that could not be given means "not named" and is none to show. */
	assert_non_null(strstr(got.out, "\n      --share X           a share\n"));
	assert_non_null(strstr(got.out, "\n      --now TIME "));
	assert_non_null(strstr(got.out, "\n  -0  "));
	RUN(show_main, "", "--version");
	assert_string_equal(got.out, "mem-x (memkit) " MEM_VERSION "\n");
	RUN(show_main, "", "--complete");
	EXITED(0);
	assert_non_null(strstr(got.out, "about\tshow what it got\nusage\tmem-x [-S DIR] [FILE...]\n"));
	assert_non_null(strstr(got.out, "option\tS\tstore\tDIR\t-\tuse the store in DIR\n"));
	assert_non_null(strstr(got.out, "option\t-\tshape\tSHAPE\tfence plain\t"));
}

/* ---- output ----------------------------------------------------------- */

static const struct mem_opt none[] = { MEM_OPT_END };

static void
start(int *argc, char ***argv)
{
	mem_opts(argc, argv, none, "mem-x", "nothing");
}

static int
cat_main(int argc, char **argv)
{
	struct mem_input in;
	struct mem_line line;
	start(&argc, &argv);
	mem_input_init(&in, argc, argv);
	while (mem_input_next(&in, &line))
		mem_out_line(line.text);
	return mem_finish(mem_input_status(&in));
}

static void
input_is_files_or_stdin(void **state)
{
	(void)state;
	RUN(cat_main, "a\nb");
	EXITED(0);
	assert_string_equal(got.out, "a\nb\n");
	RUN(cat_main, "s\n", "/dev/null", "-");
	assert_string_equal(got.out, "s\n");
	RUN(cat_main, "s\n", "/nowhere/at\nall", "-");
	EXITED(3);
	assert_string_equal(got.out, "s\n");
	assert_string_equal(got.err,
	    "mem-x: cannot open '/nowhere/at\\nall': No such file or directory\n");
	RUN(cat_main, "", "-", "-");
	EXITED(2);
	RUN(cat_main, "", "/");
	EXITED(3);
}

static void
full_device_is_a_failure(void **state)
{
	(void)state;
	device = "/dev/full";
	RUN(cat_main, "a\n");
	device = NULL;
	EXITED(3);
	assert_string_equal(got.err, "mem-x: cannot write standard output: disk full\n");
}

static int
closed_main(int argc, char **argv)
{
	close(1);
	close(0);
	return cat_main(argc, argv);
}

static int
closed_write_main(int argc, char **argv)
{
	close(1);
	start(&argc, &argv);
	mem_out_printf("text\n");
	return mem_finish(MEM_OK);
}

static void
closed_descriptors_are_not_reused(void **state)
{
	(void)state;
	RUN(closed_main, "a\n");
	EXITED(3);
	RUN(closed_write_main, "a\n");
	EXITED(3);
	assert_non_null(strstr(got.err, "cannot write standard output: Bad file descriptor"));
}

static int
pipe_main(int argc, char **argv)
{
	int fd[2];
	signal(SIGPIPE, SIG_IGN);
	if (pipe(fd) != 0)
		return 99;
	close(fd[0]);
	dup2(fd[1], 1);
	return cat_main(argc, argv);
}

static void
closed_pipe_is_quiet(void **state)
{
	(void)state;
	RUN(pipe_main, "a\n");
	assert_true(WIFSIGNALED(got.status));
	assert_int_equal(WTERMSIG(got.status), SIGPIPE);
	assert_string_equal(got.err, "");
}

/* The output of what is there comes before the wait for more. */
static void
live_pipe_is_not_held_up(void **state)
{
	int in[2], out[2];
	char text[8] = "";
	(void)state;
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char *argv[] = { (char[]){ "mem-x" }, NULL };
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		alarm(600);
		exit(cat_main(1, argv));
	}
	close(out[1]);
	assert_int_equal(write(in[1], "a\n", 2), 2);
	assert_int_equal(read(out[0], text, sizeof(text)), 2);
	assert_string_equal(text, "a\n");
	close(in[1]);
	close(in[0]);
	close(out[0]);
	assert_int_equal(waitpid(pid, &got.status, 0), pid);
	EXITED(0);
}

static int
die_main(int argc, char **argv)
{
	start(&argc, &argv);
	mem_out_printf("before\n");
	mem_die(MEM_BUSY, "held by %d: \033[31m", 42);
}

static void
messages_and_status(void **state)
{
	(void)state;
	RUN(die_main, "");
	EXITED(75);
	assert_string_equal(got.out, "before\n");
	assert_string_equal(got.err, "mem-x: held by 42: \\u001b[31m\n");
	assert_int_equal(mem_exit_code(MEM_OK), 0);
	for (int st = MEM_END; st < (int)MEM_USAGE; st++)
		assert_int_equal(mem_exit_code((enum mem_status)st), 1);
	assert_int_equal(mem_exit_code(MEM_USAGE), 2);
	assert_int_equal(mem_exit_code(MEM_FAIL), 3);
	assert_int_equal(mem_exit_code(MEM_DENIED), 4);
}

/* ---- interrupts ------------------------------------------------------- */

static int
patient_main(int argc, char **argv)
{
	struct mem_input in;
	struct mem_line line;
	start(&argc, &argv);
	mem_interrupt_catch();
	mem_out_printf("ready\n");
	mem_out_flush();
	mem_input_init(&in, argc, argv);
	while (mem_input_next(&in, &line))
		mem_out_line(line.text);
	mem_out_printf("done\n");
	return mem_finish(mem_input_status(&in));
}

static void
interrupt_finishes_then_raises(void **state)
{
	int in[2], out[2];
	char text[64] = "";
	(void)state;
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char *argv[] = { (char[]){ "mem-x" }, NULL };
		dup2(in[0], 0);
		dup2(out[1], 1);
		signal(SIGINT, SIG_DFL); /* a shell starts what runs behind it with it ignored */
		alarm(600);
		exit(patient_main(1, argv));
	}
	close(out[1]);
	assert_int_equal(read(out[0], text, sizeof(text)), 6);
	/* Half a line is no line: it must not come out as one. */
	assert_int_equal(write(in[1], "half", 4), 4);
	usleep(20000);
	kill(pid, SIGINT);
	memset(text, 0, sizeof(text));
	assert_int_equal(read(out[0], text, sizeof(text)), 5);
	assert_string_equal(text, "done\n");
	assert_int_equal(waitpid(pid, &got.status, 0), pid);
	assert_true(WIFSIGNALED(got.status));
	assert_int_equal(WTERMSIG(got.status), SIGINT);
	close(in[0]);
	close(in[1]);
	close(out[0]);
}

/* ---- what is shown ---------------------------------------------------- */

static void
shown(const char *in, const char *expected, bool multiline)
{
	struct mem_buf b = { 0 };
	mem_buf_puts(&b, "");
	mem_show(&b, mem_str(in), multiline);
	assert_string_equal(b.data, expected);
	mem_buf_release(&b);
}

static void
hidden_characters_are_escaped(void **state)
{
	(void)state;
	shown("plain ä 日本 🙂", "plain ä 日本 🙂", false);
	shown("a\tb\nc\r", "a\\tb\\nc\\u000d", false);
	shown("a\tb\nc\r", "a\tb\nc\\u000d", true);
	shown("\033[2J\x7f\xc2\x9b", "\\u001b[2J\\u007f\\u009b", true);
	shown("\u202e\u2066\u200b\ufeff", "\\u202e\\u2066\\u200b\\ufeff", false);
	shown("\U000e0041", "\\udb40\\udc41", false);
	shown("a\u200cb\u00ad\u3164\U000e0fff", "a\\u200cb\\u00ad\\u3164\\udb43\\udfff", false);
	shown("می\u200cخواهم \u2764\ufe0f\u200d\U0001f525", "می\u200cخواهم \u2764\ufe0f\u200d\U0001f525", false);
	shown("a\xff\xe2\x80", "a\\ufffd\\ufffd\\ufffd", false);
}

static const struct mem_column two_columns[] = { { .name = "id" }, { .name = "text", .min = 10 }, { 0 } };

static int
table_main(int argc, char **argv)
{
	struct mem_grid t = { 0 };
	start(&argc, &argv);
	mem_grid_begin(&t, two_columns);
	mem_grid_cell(&t, MEM_STR("日本"));
	mem_grid_cell(&t, MEM_STR("0123456789012345678901234567890"));
	mem_grid_cell(&t, MEM_STR("x"));
	mem_grid_cell(&t, MEM_STR("a\nb"));
	mem_grid_end(&t);
	return mem_finish(MEM_OK);
}

static void
tables_align_and_cut(void **state)
{
	(void)state;
	setenv("COLUMNS", "30", 1);
	RUN(table_main, "");
	EXITED(0);
	assert_string_equal(got.out, "id    text\n日本  01234567890123456789012…\nx     a\\nb\n");
	unsetenv("COLUMNS");
}

static const struct mem_column many_columns[] = {
	{ .name = "N", .right = true, .leave_out = 1 }, { .name = "NS", .min = 4, .leave_out = 2 }, { .name = "ID" }, { .name = "WHAT", .min = 12 }, { 0 }
};

static void
add_row(struct mem_grid *t, const char *n, const char *ns, const char *id, const char *what, const char *focus)
{
	mem_grid_cell(t, mem_str(n));
	mem_grid_cell(t, mem_str(ns));
	mem_grid_cell(t, mem_str(id));
	mem_grid_cell_at(t, mem_str(what), focus != NULL ? (size_t)(strstr(what, focus) - what) : 0);
}

static int
narrow_main(int argc, char **argv)
{
	struct mem_grid t = { 0 };
	start(&argc, &argv);
	mem_grid_begin(&t, many_columns);
	add_row(&t, "1", "agent:ada", "abc", "all of this is in the way, and then the ring file comes at last", "ring");
	add_row(&t, "10", "team:日本日本", "de", "✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅", NULL);
	mem_grid_flush(&t);
	add_row(&t, "11", "a", "abcdefgh", "short", NULL);
	mem_grid_end(&t);
	mem_grid_begin(&t, many_columns); /* without a row: nothing */
	mem_grid_end(&t);
	return mem_finish(MEM_OK);
}

static void
assert_narrow(const char *columns, const char *expected)
{
	setenv("COLUMNS", columns, 1);
	RUN(narrow_main, "");
	EXITED(0);
	assert_string_equal(got.out, expected);
	unsetenv("COLUMNS");
}

static void
tables_fit_every_width(void **state)
{
	(void)state;
	assert_narrow("60", " N  NS             ID   WHAT\n"
	    " 1  agent:ada      abc  …nd then the ring file comes at last\n"
	    "10  team:日本日本  de   ✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅…\n"
	    "11  a              abcdefgh  short\n");
	assert_narrow("30", " N  NS       ID   WHAT\n"
	    " 1  agent:…  abc  …ring file …\n"
	    "10  team:…   de   ✅✅✅✅✅…\n"
	    "11  a     abcdefgh  short\n");
	assert_narrow("24", "NS     ID   WHAT\n"
	    "agen…  abc  …ring file …\n"
	    "team…  de   ✅✅✅✅✅…\n"
	    "a     abcdefgh  short\n");
	assert_narrow("6", "ID   …\nabc  …\nde   …\nabcdef\n");
}

static int
times_main(int argc, char **argv)
{
	struct mem_grid t = { 0 };
	static const struct mem_column columns[] = { { .name = "A" }, { .name = "B" }, { .name = "C" }, { 0 } };
	static const char *const times[] = { "2026-11-28T23:59:59.999Z", "2026-11-27T23:59:59.999Z", "2026-11-28T23:00:00-05:00", "soon" };
	start(&argc, &argv);
	mem_grid_begin(&t, columns);
	for (size_t i = 0; i < MEM_COUNT(times); i++) {
		int64_t ms = MEM_TIME_NONE;
		mem_time_parse(mem_str(times[i]), &ms);
		mem_grid_time(&t, ms);
		mem_grid_time_text(&t, mem_str(times[i]));
		mem_grid_due(&t, mem_str(times[i]));
	}
	mem_grid_end(&t);
	return mem_finish(MEM_OK);
}

static void
times_are_dates_or_of_today(void **state)
{
	(void)state;
	setenv("MEM_NOW", "2026-11-28T00:00:00Z", 1);
	RUN(times_main, "");
	unsetenv("MEM_NOW");
	EXITED(0);
	assert_string_equal(got.out, "A           B           C\n23:59       23:59       23:59\n"
	    "2026-11-27  2026-11-27  2026-11-27 23:59\n2026-11-29  2026-11-29  2026-11-29 04:00\n-           soon        soon\n");
}

/* ---- on a terminal ---------------------------------------------------- */

/* As RUN, but standard output and error are one terminal of 40 columns; the rest of what
 * run_at does does not apply.  What was seen is in got.out. */
static void
on_terminal(int (*fn)(int, char **))
{
	int master;
	struct winsize size = { .ws_row = 24, .ws_col = 40 };
	pid_t pid = forkpty(&master, NULL, NULL, &size);
	if (pid == 0) {
		char *argv[] = { (char[]){ "mem-x" }, NULL };
		exit(fn(1, argv));
	}
	got.nout = slurp(master, got.out, sizeof(got.out));
	assert_int_equal(waitpid(pid, &got.status, 0), pid);
	EXITED(0);
}

static int
tty_main(int argc, char **argv)
{
	struct mem_grid t = { 0 };
	start(&argc, &argv);
	mem_grid_begin(&t, two_columns);
	mem_grid_cell(&t, MEM_STR("1"));
	mem_grid_cell(&t, MEM_STR("0123456789012345678901234567890123456789"));
	mem_grid_end(&t);
	mem_out_line(MEM_STR("{\"a\":\"\u202e\033\"}"));
	mem_out_printf("%d %d %d\n", mem_text_wanted(MEM_FORMAT_AUTO), mem_text_wanted(MEM_FORMAT_JSON),
	    mem_colour());
	return mem_finish(MEM_OK);
}

static void
terminals_get_tables_colour_and_escapes(void **state)
{
	(void)state;
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	on_terminal(tty_main);
	assert_string_equal(got.out, "\033[1mid  text\033[0m\r\n"
	    "1   01234567890123456789012345678901234…\r\n{\"a\":\"\\u202e\\u001b\"}\r\n1 0 1\r\n");
	setenv("NO_COLOR", "1", 1);
	on_terminal(tty_main);
	assert_null(strchr(got.out, '\033'));
	unsetenv("NO_COLOR");
	RUN(tty_main, "");
	assert_non_null(strstr(got.out, "{\"a\":\"\u202e\033\"}\n0 0 0\n"));
}

static int
progress_main(int argc, char **argv)
{
	char label[] = "counting";
	start(&argc, &argv);
	mem_progress(label, 1, 4);
	usleep(1100 * 1000);
	mem_progress(label, 2, 4);
	mem_warn("halfway");
	mem_progress(label, 4, 4);
	return mem_finish(MEM_OK);
}

static void
progress_is_for_long_work_on_a_terminal(void **state)
{
	(void)state;
	on_terminal(progress_main);
	assert_string_equal(got.out,
	    "\rcounting [###############...............]  50%\r\033[Kmem-x: halfway\r\n");
	RUN(progress_main, "");
	assert_string_equal(got.err, "mem-x: halfway\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_reach_their_targets),
		cmocka_unit_test(times_are_told_from_now),
		cmocka_unit_test(faults_are_usage),
		cmocka_unit_test(help_version_complete),
		cmocka_unit_test(input_is_files_or_stdin),
		cmocka_unit_test(full_device_is_a_failure),
		cmocka_unit_test(closed_descriptors_are_not_reused),
		cmocka_unit_test(closed_pipe_is_quiet),
		cmocka_unit_test(live_pipe_is_not_held_up),
		cmocka_unit_test(messages_and_status),
		cmocka_unit_test(interrupt_finishes_then_raises),
		cmocka_unit_test(hidden_characters_are_escaped),
		cmocka_unit_test(tables_align_and_cut),
		cmocka_unit_test(tables_fit_every_width),
		cmocka_unit_test(times_are_dates_or_of_today),
		cmocka_unit_test(terminals_get_tables_colour_and_escapes),
		cmocka_unit_test(progress_is_for_long_work_on_a_terminal),
	};
	return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
