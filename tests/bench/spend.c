/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spend: what one command spends.
 *
 *   spend [-a] OUT COMMAND...
 *
 * Appends to file OUT one line: wall, user and system seconds, the largest resident
 * size in KiB, bytes given to write calls (wchar of /proc/PID/io, proc(5): standard output
 * among them; write_bytes beside it counts whole large folios on newer kernels, a hundred
 * times what a page cost), the largest RssAnon in KiB (-1 without -a), the status, page faults.
 *
 * -a stops the process at each system call that can shrink its anonymous memory
 * (munmap, brk, madvise, mremap, mmap over a mapping, exit) and reads RssAnon there: between them it
 * only grows, so the largest reading is the true peak.  Times mean nothing then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void
die(const char *what)
{
	fprintf(stderr, "spend: %s: %s\n", what, strerror(errno));
	exit(3);
}

/* The number behind `key` in /proc/PID/FILE, or -1. */
static long long
proc_number(pid_t pid, const char *file, const char *key)
{
	char path[64], line[256];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	FILE *f = fopen(path, "r");
	long long n = -1;
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			n = strtoll(line + strlen(key), NULL, 10);
	if (f != NULL)
		fclose(f);
	return n;
}

static bool
shrinks(unsigned long long call)
{
	return call == SYS_munmap || call == SYS_brk || call == SYS_madvise || call == SYS_mremap ||
	    call == SYS_mmap || call == SYS_exit_group || call == SYS_exit;
}

/* Follows the stopped child to its end; the peak of RssAnon in KiB. */
static long long
follow(pid_t pid)
{
	long long peak = 0;
	int status, pass = 0;
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		die("the command does not start");
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD);
	for (;;) {
		siginfo_t si;
		if (ptrace(PTRACE_SYSCALL, pid, NULL, pass) != 0)
			return peak;
		if (waitid(P_PID, (id_t)pid, &si, WEXITED | WSTOPPED | WNOWAIT) != 0)
			die("waitid");
		if (si.si_code == CLD_EXITED || si.si_code == CLD_KILLED || si.si_code == CLD_DUMPED)
			return peak;
		waitpid(pid, &status, 0);
		pass = 0;
		struct __ptrace_syscall_info info;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
			if (WSTOPSIG(status) != SIGTRAP)
				pass = WSTOPSIG(status);
			continue;
		}
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0 &&
		    info.op == PTRACE_SYSCALL_INFO_ENTRY && shrinks(info.entry.nr)) {
			long long kib = proc_number(pid, "status", "RssAnon:");
			if (kib > peak)
				peak = kib;
		}
	}
}

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int
main(int argc, char **argv)
{
	bool anon = argc > 1 && strcmp(argv[1], "-a") == 0;
	if (argc < 3 + anon) {
		fputs("usage: spend [-a] OUT COMMAND...\n", stderr);
		return 2;
	}
	char **command = argv + 2 + anon;
	struct timespec from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid_t pid = fork();
	if (pid == 0) {
		if (anon)
			ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0)
		die("fork");
	long long peak = anon ? follow(pid) : -1;
	siginfo_t si;
	if (waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT) != 0)
		die("waitid");
	clock_gettime(CLOCK_MONOTONIC, &to);
	long long written = proc_number(pid, "io", "wchar:");
	int status;
	struct rusage ru;
	if (wait4(pid, &status, 0, &ru) != pid)
		die("wait4");
	FILE *out = fopen(argv[1 + anon], "a");
	if (out == NULL)
		die(argv[1 + anon]);
	double wall = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	fprintf(out, "%.3f\t%.3f\t%.3f\t%ld\t%lld\t%lld\t%d\t%ld\n", wall, seconds(ru.ru_utime),
	    seconds(ru.ru_stime), ru.ru_maxrss, written, peak, code, ru.ru_minflt + ru.ru_majflt);
	return fclose(out) == 0 ? code : 3;
}
