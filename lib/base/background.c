/* SPDX-License-Identifier: Apache-2.0 */
/* A process that must not hold up the one that started it: it ends after a time, or goes on in the background. */
#include "base/base_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 5

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
leave_caller(void)
{
	setsid();
	int null = open("/dev/null", O_RDWR);
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	close_range(3, ~0U, 0);
}

enum mem_status
mem_background_run(void (*work)(void *ctx), void *ctx, int64_t wait_ms, struct mem_err *err)
{
	int64_t begun = mem_clock_ms();
	pid_t pid = fork();
	if (pid < 0)
		return mem_err_sys(err, MEM_FAIL, "cannot start a process");
	if (pid == 0) {
		leave_caller();
		work(ctx);
		_exit(0);
	}
	while (waitpid(pid, NULL, WNOHANG) == 0 && mem_clock_ms() - begun < wait_ms)
		poll(NULL, 0, LOOK_MS);
	return MEM_OK;
}
