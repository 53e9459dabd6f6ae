/* SPDX-License-Identifier: Apache-2.0 */
/* A process that must not hold up the one that started it: it ends after a time, or goes on in the background. */
#include "base/base_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

/* What the caller waits for the end of, in the process that works; -1: nobody waits. */
static int waited_for = -1;

static void
end_late_process(int signal_number)
{
	(void)signal_number;
	if (base_child_group > 0)
		kill(-base_child_group, SIGKILL);
	_exit(0);
}

void
mem_watchdog_start(int64_t ms)
{
	const struct itimerval end = { .it_value = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 } };
	const struct sigaction late = { .sa_handler = end_late_process };
	sigset_t alarms;
	sigaction(SIGALRM, &late, NULL);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	setitimer(ITIMER_REAL, &end, NULL);
}

/* Whoever waits for the end of our output must not wait for this process. */
static void
leave_caller(int keep)
{
	setsid();
	int null = open("/dev/null", O_RDWR);
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	if (keep > 3)
		close_range(3, (unsigned)keep - 1, 0);
	close_range((unsigned)keep + 1, ~0U, 0);
	waited_for = keep;
}

void
mem_background_release(void)
{
	if (waited_for >= 0)
		close(waited_for);
	waited_for = -1;
}

/* Until nobody holds the other end, or the time is over. */
static void
wait_for_end(int fd, int64_t wait_ms)
{
	const int64_t end = mem_clock_ms() + wait_ms;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	for (int64_t left = wait_ms; left > 0 && poll(&p, 1, (int)left) < 0 && errno == EINTR;)
		left = end - mem_clock_ms();
}

enum mem_status
mem_background_run(void (*work)(void *ctx), void *ctx, int64_t wait_ms, struct mem_err *err)
{
	int ends[2] = { -1, -1 };
	if (!base_pipe_open(ends))
		return mem_err_sys(err, MEM_FAIL, "cannot make a pipe");
	pid_t pid = fork();
	if (pid == 0) {
		leave_caller(ends[1]);
		work(ctx);
		_exit(0);
	}
	if (pid < 0)
		mem_err_sys(err, MEM_FAIL, "cannot start a process");
	close(ends[1]);
	if (pid > 0)
		wait_for_end(ends[0], wait_ms);
	close(ends[0]);
	return pid > 0 ? MEM_OK : MEM_FAIL;
}
