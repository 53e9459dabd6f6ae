/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that ask for the end, held back until the batch at hand is done. */
#include "cli/cli_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int held_signals[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t caught;
static int pipe_fd[2] = { -1, -1 };
static unsigned patience;                  /* seconds; 0: no end */

/* The pipe wakes a poll that was entered between the look at `caught` and the wait. */
static void
hold_back_signal(int sig)
{
	int saved = errno;
	if (caught != 0)
		_exit(128 + sig);
	caught = sig;
	if (patience > 0)
		alarm(patience);
	(void)!write(pipe_fd[1], "", 1);
	errno = saved;
}

void
mem_interrupt_catch(void)
{
	if (pipe_fd[0] >= 0)
		return;
	if (pipe2(pipe_fd, O_CLOEXEC | O_NONBLOCK) != 0)
		mem_die(MEM_FAIL, "cannot make a pipe: %s", strerror(errno));
	for (size_t i = 0; i < MEM_COUNT(held_signals); i++) {
		struct sigaction old, act = { .sa_handler = hold_back_signal, .sa_flags = SA_RESTART };
		/* nohup and background jobs of a shell without job control ignore them. */
		if (sigaction(held_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(held_signals[i], &act, NULL);
	}
}

/* The handler of SIGALRM. */
static void
end_late(int sig)
{
	(void)sig;
	cli_raise_interrupt();
}

void
mem_interrupt_catch_for(unsigned seconds)
{
	const struct sigaction late = { .sa_handler = end_late };
	mem_interrupt_catch();
	sigaction(SIGALRM, &late, NULL);
	patience = seconds;
}

bool
mem_interrupted(void)
{
	return caught != 0;
}

int
mem_interrupt_fd(void)
{
	return pipe_fd[0];
}

void
cli_raise_interrupt(void)
{
	if (caught == 0)
		return;
	signal(caught, SIG_DFL);
	raise(caught);
}
