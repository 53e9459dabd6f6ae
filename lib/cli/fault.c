/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault in a file behind a map (a damaged store, a model that was cut short) ends the command with a word and status 3.
 * All other faults keep what they do: a core.
 */
#include "cli/cli_int.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STATUS_DAMAGED = 3, WORD_MAX = 1024 };

static const int fault_signals[] = { SIGBUS, SIGSEGV };
static int ending; /* one thread ends the process, others that come to the same wait for it */

/* A path may hold what a terminal would obey: control characters, in UTF-8 those of 0x80 to 0x9f, too. */
static size_t
append_shown(char *line, size_t n, const char *text)
{
	for (unsigned char last = 0; *text != '\0' && n < WORD_MAX - 1; last = (unsigned char)*text++) {
		unsigned char c = (unsigned char)*text;
		bool control = c < 0x20 || c == 0x7f || (last == 0xc2 && c >= 0x80 && c < 0xa0);
		line[n++] = control ? '?' : (char)c;
	}
	return n;
}

/* All of it is async-signal-safe. */
_Noreturn static void
end_by_fault(const struct mem_mapped *m)
{
	char line[WORD_MAX];
	const char *const parts[] = { cli_command_name(), ": '", m->path, "': ", m->word };
	size_t n = 0;
	if (__atomic_exchange_n(&ending, 1, __ATOMIC_ACQ_REL) != 0)
		for (;;)
			pause();
	if (syscall(SYS_gettid) == getpid())
		cli_rescue_output();
	cli_wipe_progress();
	for (size_t i = 0; i < MEM_COUNT(parts); i++)
		n = append_shown(line, n, parts[i]);
	line[n++] = '\n';
	(void)!write(STDERR_FILENO, line, n);
	_exit(STATUS_DAMAGED);
}

/* Who returns from here meets the same fault once more, and what it does by default. */
static void
handle_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	const struct mem_mapped *m = info->si_code > 0 ? mem_mapped_find(info->si_addr) : NULL;
	if (m != NULL)
		end_by_fault(m);
	signal(sig, SIG_DFL);
	if (info->si_code <= 0) /* by kill, which comes once */
		raise(sig);
}

/* Stacks have no part in these faults, so the handler needs none of its own. */
static void
arm_fault_handler(void)
{
	for (size_t i = 0; i < MEM_COUNT(fault_signals); i++) {
		const struct sigaction act = { .sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO };
		sigaction(fault_signals[i], &act, NULL);
	}
}

void
cli_catch_faults(void)
{
	mem_mapped_catch(arm_fault_handler, end_by_fault);
}
