/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns: times commands of several lanes in turns, a fresh process each.
 *
 *   turns [-n ROUNDS] [-w WARM] [-c] [-o RAW] LANE...
 *
 * A lane is a file.  Its first line holds, tab between them, its name and then, in any number,
 * <FILE (standard input) and !FILE (a data file: read whole once before all runs, or with -c
 * dropped from the page cache before each), and | (timed runs write to a pipe, and the time ends where its reader sees the
 * end, whatever the command then does).  Every other line is one command, its arguments with tabs between them.
 * Round i runs command i (modulo their number) of each lane once, so that what else
 * the machine does falls on all lanes alike.
 *
 * Before that, WARM rounds are run untimed, with standard output into a scratch file: a lane whose
 * command fails or prints nothing there ends the run with 3, for its times would mean
 * nothing (name it ~NAME where silence is right).  Timed runs write to /dev/null.
 *
 * Prints for each lane: name, runs, median, p95, least, most, in microseconds, how many runs ended
 * with a status other than 0, and the median of the processor time, which says more
 * than the clock on a busy machine (a server's share is not in it).  RAW gets every time.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LANES_MAX = 128, ARGS_MAX = 256, FILES_MAX = 8 };

extern char **environ;

struct lane {
	const char *name;
	bool silent; /* printing nothing is right */
	bool piped;
	const char *input, *drop[FILES_MAX];
	size_t ndrop;
	char **cases; /* one line each, tabs inside */
	size_t ncases;
	uint64_t *ns, *cpu_ns;
	size_t failed;
};

static _Noreturn void
die(const char *what, const char *which)
{
	fprintf(stderr, "turns: %s %s: %s\n", what, which, strerror(errno));
	exit(3);
}

static void *
need(void *p)
{
	if (p == NULL)
		die("no", "memory");
	return p;
}

static uint64_t
now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void
read_head(struct lane *l, char *line)
{
	char *save = NULL;
	l->name = need(strtok_r(line, "\t", &save));
	l->silent = l->name[0] == '~';
	l->name += l->silent;
	l->input = "/dev/null";
	for (char *f; (f = strtok_r(NULL, "\t", &save)) != NULL;) {
		if (*f == '<')
			l->input = f + 1;
		else if (*f == '|')
			l->piped = true;
		else if (*f == '!' && l->ndrop < FILES_MAX)
			l->drop[l->ndrop++] = f + 1;
	}
}

static void
read_lane(struct lane *l, const char *path, size_t rounds)
{
	FILE *f = fopen(path, "r");
	if (f == NULL)
		die("cannot open", path);
	char *line = NULL;
	size_t cap = 0, room = 0;
	for (ssize_t n; (n = getline(&line, &cap, f)) > 0;) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		char *copy = need(strdup(line));
		if (l->name == NULL) {
			read_head(l, copy);
			continue;
		}
		if (l->ncases == room) {
			room = room > 0 ? 2 * room : 64;
			l->cases = need(realloc(l->cases, room * sizeof *l->cases));
		}
		l->cases[l->ncases++] = copy;
	}
	free(line);
	fclose(f);
	errno = EINVAL;
	if (l->ncases == 0)
		die("no commands in", path);
	l->ns = need(calloc(rounds, sizeof *l->ns));
	l->cpu_ns = need(calloc(rounds, sizeof *l->cpu_ns));
}

static uint64_t
of_timeval(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

/* Until its writers have closed the pipe. */
static void
read_pipe(int fd)
{
	char room[1 << 16];
	ssize_t n;
	while ((n = read(fd, room, sizeof room)) > 0 || (n < 0 && errno == EINTR))
		continue;
	close(fd);
}

/* Runs case i with standard output to `out`; returns the status and the times. */
static int
run(const struct lane *l, size_t i, const char *out, uint64_t *ns, uint64_t *cpu_ns)
{
	char *line = need(strdup(l->cases[i % l->ncases])), *save = NULL;
	char *argv[ARGS_MAX];
	size_t n = 0;
	for (char *a = strtok_r(line, "\t", &save); a != NULL && n + 1 < ARGS_MAX; a = strtok_r(NULL, "\t", &save))
		argv[n++] = a;
	argv[n] = NULL;
	posix_spawn_file_actions_t fa;
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, l->input, O_RDONLY, 0);
	int ends[2] = { -1, -1 };
	bool piped = l->piped && strcmp(out, "/dev/null") == 0;
	if (piped && pipe2(ends, O_CLOEXEC) != 0)
		die("no", "pipe");
	if (piped)
		posix_spawn_file_actions_adddup2(&fa, ends[1], 1);
	else
		posix_spawn_file_actions_addopen(&fa, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	pid_t pid;
	int status;
	struct rusage ru;
	uint64_t from = now_ns();
	errno = posix_spawnp(&pid, argv[0], &fa, NULL, argv, environ);
	if (errno != 0)
		die("cannot run", argv[0]);
	if (piped) {
		close(ends[1]);
		read_pipe(ends[0]);
		*ns = now_ns() - from;
	}
	while (wait4(pid, &status, 0, &ru) < 0 && errno == EINTR)
		continue;
	if (!piped)
		*ns = now_ns() - from;
	*cpu_ns = of_timeval(ru.ru_utime) + of_timeval(ru.ru_stime);
	posix_spawn_file_actions_destroy(&fa);
	free(line);
	return status;
}

static void
drop_files(const struct lane *l)
{
	for (size_t i = 0; i < l->ndrop; i++) {
		int fd = open(l->drop[i], O_RDONLY);
		if (fd < 0)
			die("cannot open", l->drop[i]);
		fsync(fd);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
	}
}

static void
read_files(const struct lane *l)
{
	static char buf[1 << 20];
	for (size_t i = 0; i < l->ndrop; i++) {
		int fd = open(l->drop[i], O_RDONLY);
		if (fd < 0)
			die("cannot open", l->drop[i]);
		while (read(fd, buf, sizeof buf) > 0)
			continue;
		close(fd);
	}
}

static void
warm_up(struct lane *lanes, size_t n, size_t rounds)
{
	char scratch[] = "/tmp/turns-XXXXXX";
	int fd = mkstemp(scratch);
	if (fd < 0)
		die("cannot make", scratch);
	for (size_t i = 0; i < rounds; i++) {
		for (size_t k = 0; k < n; k++) {
			uint64_t ns, cpu_ns;
			struct stat st;
			int status = run(&lanes[k], i, scratch, &ns, &cpu_ns);
			if (status != 0 || fstat(fd, &st) != 0 || (st.st_size == 0 && !lanes[k].silent)) {
				fprintf(stderr, "turns: %s: status %d, nothing to time: %s\n",
				    lanes[k].name, status, lanes[k].cases[i % lanes[k].ncases]);
				unlink(scratch);
				exit(3);
			}
		}
	}
	close(fd);
	unlink(scratch);
}

static int
by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static void
report(struct lane *l, size_t rounds, FILE *raw)
{
	for (size_t i = 0; i < rounds && raw != NULL; i++)
		fprintf(raw, "%s\t%zu\t%.1f\n", l->name, i, (double)l->ns[i] / 1e3);
	qsort(l->ns, rounds, sizeof *l->ns, by_size);
	qsort(l->cpu_ns, rounds, sizeof *l->cpu_ns, by_size);
	size_t p95 = (rounds * 95 + 99) / 100 - 1;
	printf("%s\t%zu\t%.1f\t%.1f\t%.1f\t%.1f\t%zu\t%.1f\n", l->name, rounds,
	    (double)l->ns[rounds / 2] / 1e3, (double)l->ns[p95] / 1e3, (double)l->ns[0] / 1e3,
	    (double)l->ns[rounds - 1] / 1e3, l->failed, (double)l->cpu_ns[rounds / 2] / 1e3);
}

static void
take_turns(struct lane *lanes, size_t n, size_t rounds, bool cold)
{
	for (size_t i = 0; i < rounds; i++) {
		for (size_t k = 0; k < n; k++) {
			if (cold)
				drop_files(&lanes[k]);
			lanes[k].failed += run(&lanes[k], i, "/dev/null", &lanes[k].ns[i], &lanes[k].cpu_ns[i]) != 0;
		}
	}
}

int
main(int argc, char **argv)
{
	size_t rounds = 100, warm = 10;
	bool cold = false;
	FILE *raw = NULL;
	for (int o; (o = getopt(argc, argv, "n:w:co:")) != -1;) {
		if (o == 'n')
			rounds = strtoul(optarg, NULL, 10);
		else if (o == 'w')
			warm = strtoul(optarg, NULL, 10);
		else if (o == 'c')
			cold = true;
		else if (o != 'o' || (raw = fopen(optarg, "w")) == NULL)
			return 2;
	}
	size_t n = (size_t)(argc - optind);
	if (n == 0 || n > LANES_MAX || rounds == 0) {
		fputs("usage: turns [-n ROUNDS] [-w WARM] [-c] [-o RAW] LANE...\n", stderr);
		return 2;
	}
	struct lane lanes[LANES_MAX] = { 0 };
	for (size_t k = 0; k < n; k++)
		read_lane(&lanes[k], argv[optind + (int)k], rounds);
	for (size_t k = 0; k < n && !cold; k++)
		read_files(&lanes[k]);
	warm_up(lanes, n, warm);
	take_turns(lanes, n, rounds, cold);
	for (size_t k = 0; k < n; k++)
		report(&lanes[k], rounds, raw);
	return 0;
}
