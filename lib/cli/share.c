/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that several processes answer.  Each has a pipe on which lines come, what is known of each before its text, and one to which it
 * prints; '\0' and the status end an answer, since no answer holds a zero byte.
 */
#include "cli/cli_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALONE     4         /* lines that the first process answers, since few are not worth another one */
#define MOST      8         /* processes */
#define WAITING   8         /* lines that wait for one process, so that it need not wait for us; */
#define WAITING_BYTES 32768 /* they fit in its pipe, so that writing them never blocks */
#define HELD      (1 << 20) /* bytes of an answer that is not due yet; its process may have to wait */

struct worker {
	pid_t pid;
	int to, from;
	uint64_t first[WAITING + 1]; /* which answers it owes: a ring */
	size_t bytes[WAITING + 1];   /* of their lines */
	size_t owed, at, waiting;
	struct mem_buf got;
};

struct share {
	const struct mem_answers *a;
	struct worker w[MOST];
	size_t n;
	uint64_t asked, answered;
	enum mem_status worst;
};

/* ---- the one that answers ---------------------------------------------- */

static bool
read_all(int fd, void *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = read(fd, (char *)p + done, n - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static bool
is_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	return poll(&p, 1, 0) > 0;
}

_Noreturn static void
answer_requests(const struct mem_answers *a, int from)
{
	struct mem_line line;
	struct mem_buf text = { 0 };
	a->open(true);
	while (read_all(from, &line, sizeof line)) {
		mem_buf_reset(&text);
		mem_buf_reserve(&text, line.text.n + 1);
		if (!read_all(from, text.data, line.text.n))
			break;
		line.text.p = text.data;
		const char end[2] = { '\0', (char)a->answer(&line) };
		mem_out(end, sizeof end);
		mem_out_flush();
		if (!is_ready(from))
			a->leave(false);
	}
	a->leave(true);
	mem_buf_release(&text);
	exit(mem_finish(MEM_OK));
}

static void
start_worker(struct share *s)
{
	int to[2], from[2];
	struct worker *w = &s->w[s->n];
	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0 || (w->pid = fork()) < 0)
		mem_die(MEM_FAIL, "cannot start a process: %s", strerror(errno));
	if (w->pid == 0) {
		for (size_t i = 0; i < s->n; i++) { /* they would keep the others' pipes open */
			close(s->w[i].to);
			close(s->w[i].from);
		}
		close(to[1]);
		close(from[0]);
		if (dup2(from[1], STDOUT_FILENO) < 0)
			mem_die(MEM_FAIL, "cannot print: %s", strerror(errno));
		close(from[1]);
		answer_requests(s->a, to[0]);
	}
	close(to[0]);
	close(from[1]);
	w->to = to[1];
	w->from = from[0];
	s->n++;
}

/* ---- the one that shares out ------------------------------------------- */

/* It said why. */
_Noreturn static void
worker_died(struct worker *w)
{
	int status = 0;
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	mem_out_flush();
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		exit(WEXITSTATUS(status));
	mem_die(MEM_FAIL, "a process that was to answer ended early");
}

static struct worker *
idlest(struct share *s, size_t bytes)
{
	struct worker *best = NULL;
	for (size_t i = 0; i < s->n; i++) {
		struct worker *w = &s->w[i];
		bool room = w->owed == 0 || (w->owed < WAITING && w->waiting + bytes + sizeof(struct mem_line) <= WAITING_BYTES);
		if (room && (best == NULL || w->owed < best->owed))
			best = w;
	}
	return best;
}

static void
ask(struct share *s, struct worker *w, const struct mem_line *line)
{
	struct mem_err err;
	size_t k = (w->at + w->owed++) % MEM_COUNT(w->first);
	w->first[k] = s->asked++;
	w->bytes[k] = line->text.n + sizeof *line;
	w->waiting += w->bytes[k];
	if (mem_fd_write(w->to, line, sizeof *line, &err) != MEM_OK || mem_fd_write(w->to, line->text.p, line->text.n, &err) != MEM_OK)
		worker_died(w);
}

static void
receive(struct worker *w)
{
	mem_buf_reserve(&w->got, 64 * 1024);
	ssize_t n = read(w->from, w->got.data + w->got.len, 64 * 1024);
	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0)
		worker_died(w);
	w->got.len += (size_t)n;
}

/* Prints what is there of the answer that is due; false: not all of it, or it has no end yet. */
static bool
print_due(struct share *s, struct worker *w)
{
	const char *end = memchr(w->got.data, '\0', w->got.len);
	size_t n = end != NULL ? (size_t)(end - w->got.data) : w->got.len, drop = n;
	mem_out(w->got.data, n);
	bool ended = end != NULL && n + 1 < w->got.len;
	if (ended) {
		s->worst = mem_status_worse(s->worst, (enum mem_status)w->got.data[n + 1]);
		drop = n + 2;
		w->waiting -= w->bytes[w->at];
		w->at = (w->at + 1) % MEM_COUNT(w->first);
		w->owed--;
		s->answered++;
	}
	w->got.len -= drop;
	memmove(w->got.data, w->got.data + drop, w->got.len);
	return ended;
}

static struct worker *
whose_turn(struct share *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->w[i].owed > 0 && s->w[i].first[s->w[i].at] == s->answered)
			return &s->w[i];
	return NULL;
}

static void
print_all_due(struct share *s)
{
	for (struct worker *w; (w = whose_turn(s)) != NULL && w->got.len > 0 && print_due(s, w);)
		;
}

/* Waits until an answer has come or, with `in`, there is input. */
static void
wait_for_answers(struct share *s, const struct mem_input *in)
{
	struct pollfd p[MOST + 1];
	const struct worker *due = whose_turn(s);
	for (size_t i = 0; i < s->n; i++)
		p[i] = (struct pollfd){ .fd = &s->w[i] == due || s->w[i].got.len < HELD ? s->w[i].from : -1, .events = POLLIN };
	p[s->n] = (struct pollfd){ .fd = in != NULL ? in->lines.fd : -1, .events = POLLIN };
	if (poll(p, (nfds_t)s->n + 1, -1) > 0)
		for (size_t i = 0; i < s->n; i++)
			if (p[i].revents != 0)
				receive(&s->w[i]);
	print_all_due(s);
}

static void
share_out(struct share *s, struct mem_input *in)
{
	struct mem_line line;
	bool more = true, have = false;
	while (more || s->answered < s->asked) {
		struct worker *w;
		bool ready = more && !have && mem_input_ready(in, 0);
		if (ready || (more && !have && s->answered == s->asked))
			more = have = mem_input_next(in, &line);
		else if (have && (w = idlest(s, line.text.n)) != NULL) {
			ask(s, w, &line);
			have = false;
		} else {
			if (!have)
				mem_out_flush();
			wait_for_answers(s, more && !have ? in : NULL);
		}
	}
}

static void
end_workers(struct share *s)
{
	for (size_t i = 0; i < s->n; i++)
		close(s->w[i].to);
	for (size_t i = 0; i < s->n; i++) {
		int status = 0;
		while (waitpid(s->w[i].pid, &status, 0) < 0 && errno == EINTR)
			;
		if (status != 0)
			s->worst = mem_status_worse(s->worst, MEM_FAIL);
		close(s->w[i].from);
		mem_buf_release(&s->w[i].got);
	}
}

/* ---- both --------------------------------------------------------------- */

/* Processes that may run at once.  On a terminal nobody waits for thousands of answers. */
static size_t
processors(void)
{
	cpu_set_t may;
	if (mem_out_tty() || sched_getaffinity(0, sizeof may, &may) != 0)
		return 1;
	size_t n = (size_t)CPU_COUNT(&may);
	return n < MOST ? n : MOST;
}

enum mem_status
mem_answer_lines(const char *file, const struct mem_answers *a)
{
	static struct share s;
	char *names[] = { (char *)(uintptr_t)file };
	struct mem_input in;
	struct mem_line line;
	const size_t n = processors();
	bool share = false;
	s = (struct share){ .a = a };
	mem_input_init(&in, 1, names);
	a->open(false);
	for (size_t alone = 1; !share && mem_input_next(&in, &line); alone++) {
		s.worst = mem_status_worse(s.worst, a->answer(&line));
		if (!mem_input_ready(&in, 0))
			a->leave(false);
		else
			share = n > 1 && alone >= ALONE;
	}
	a->leave(true);
	if (share) {
		mem_out_flush();
		while (s.n < n)
			start_worker(&s);
		signal(SIGPIPE, SIG_IGN); /* of theirs; what is printed to a closed pipe ends this process all the same */
		share_out(&s, &in);
		end_workers(&s);
	}
	return mem_status_worse(s.worst, mem_input_status(&in));
}
