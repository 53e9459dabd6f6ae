/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool of processes that answer lines.  Each worker reads its lines from one pipe, struct mem_line before the text,
 * and prints its answers to another; '\0' and the status end an answer, since no answer holds a zero byte.
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

#define LINES_ALONE   4         /* lines that the first process answers, since a few are not worth starting another one */
#define WORKERS_MAX   8         /* processes */
#define LINES_WAITING 8         /* lines sent to one worker and not answered, so that it need not wait for us; */
#define BYTES_WAITING 32768     /* they fit in its pipe, so that writing them never blocks */
#define LINGER_MS     20        /* a worker keeps the store so long for the next line, since opening it again costs a hundred page
                                   faults and more; nobody who waits for the store alone notices */
#define BYTES_HELD    (1 << 20) /* bytes kept of an answer that is not due yet; then its worker has to wait */

struct pool_worker {
	pid_t pid;
	int to, from;
	uint64_t first[LINES_WAITING + 1]; /* which answers it owes: a ring */
	size_t bytes[LINES_WAITING + 1];   /* of their lines */
	size_t owed, at, waiting;
	struct mem_buf got;
};

struct worker_pool {
	const struct mem_worker_ops *ops;
	void *ctx;
	struct pool_worker w[WORKERS_MAX];
	size_t n;
	uint64_t asked, answered;
	enum mem_status worst;
};

/* ---- a worker ---------------------------------------------------------- */

static bool
read_request_bytes(int fd, void *p, size_t n)
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
has_request(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	return poll(&p, 1, LINGER_MS) > 0;
}

_Noreturn static void
answer_requests(const struct worker_pool *pool, int from)
{
	struct mem_line line;
	struct mem_buf text = { 0 };
	pool->ops->open(pool->ctx, true);
	while (read_request_bytes(from, &line, sizeof line)) {
		mem_buf_reset(&text);
		mem_buf_reserve(&text, line.text.n + 1);
		if (!read_request_bytes(from, text.data, line.text.n))
			break;
		line.text.p = text.data;
		const char end[2] = { '\0', (char)pool->ops->answer(pool->ctx, &line) };
		mem_out(end, sizeof end);
		mem_out_flush();
		if (!has_request(from))
			pool->ops->leave(pool->ctx, false);
	}
	pool->ops->leave(pool->ctx, true);
	mem_buf_release(&text);
	exit(mem_finish(MEM_OK));
}

static void
start_worker(struct worker_pool *pool)
{
	int to[2], from[2];
	struct pool_worker *w = &pool->w[pool->n];
	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0 || (w->pid = fork()) < 0)
		mem_die(MEM_FAIL, "cannot start a process: %s", strerror(errno));
	if (w->pid == 0) {
		for (size_t i = 0; i < pool->n; i++) { /* they would keep the others' pipes open */
			close(pool->w[i].to);
			close(pool->w[i].from);
		}
		close(to[1]);
		close(from[0]);
		if (dup2(from[1], STDOUT_FILENO) < 0)
			mem_die(MEM_FAIL, "cannot print: %s", strerror(errno));
		close(from[1]);
		answer_requests(pool, to[0]);
	}
	close(to[0]);
	close(from[1]);
	w->to = to[1];
	w->from = from[0];
	pool->n++;
}

/* ---- the pool ----------------------------------------------------------- */

/* Ends this process with the status of the worker, which has printed why. */
_Noreturn static void
end_with_worker(struct pool_worker *w)
{
	int status = 0;
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	mem_out_flush();
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		exit(WEXITSTATUS(status));
	mem_die(MEM_FAIL, "a process that was to answer ended early");
}

static struct pool_worker *
find_idlest_worker(struct worker_pool *pool, size_t bytes)
{
	struct pool_worker *best = NULL;
	for (size_t i = 0; i < pool->n; i++) {
		struct pool_worker *w = &pool->w[i];
		bool room = w->owed == 0 || (w->owed < LINES_WAITING && w->waiting + bytes + sizeof(struct mem_line) <= BYTES_WAITING);
		if (room && (best == NULL || w->owed < best->owed))
			best = w;
	}
	return best;
}

static void
send_line(struct worker_pool *pool, struct pool_worker *w, const struct mem_line *line)
{
	struct mem_err err;
	size_t k = (w->at + w->owed++) % MEM_COUNT(w->first);
	w->first[k] = pool->asked++;
	w->bytes[k] = line->text.n + sizeof *line;
	w->waiting += w->bytes[k];
	if (mem_fd_write(w->to, line, sizeof *line, &err) != MEM_OK || mem_fd_write(w->to, line->text.p, line->text.n, &err) != MEM_OK)
		end_with_worker(w);
}

static void
receive_answers(struct pool_worker *w)
{
	mem_buf_reserve(&w->got, 64 * 1024);
	ssize_t n = read(w->from, w->got.data + w->got.len, 64 * 1024);
	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0)
		end_with_worker(w);
	w->got.len += (size_t)n;
}

/* Prints what has come of the answer that is due.  True when that was all of it. */
static bool
print_due_answer(struct worker_pool *pool, struct pool_worker *w)
{
	const char *end = memchr(w->got.data, '\0', w->got.len);
	size_t n = end != NULL ? (size_t)(end - w->got.data) : w->got.len, drop = n;
	mem_out(w->got.data, n);
	bool ended = end != NULL && n + 1 < w->got.len;
	if (ended) {
		pool->worst = mem_status_worse(pool->worst, (enum mem_status)w->got.data[n + 1]);
		drop = n + 2;
		w->waiting -= w->bytes[w->at];
		w->at = (w->at + 1) % MEM_COUNT(w->first);
		w->owed--;
		pool->answered++;
	}
	w->got.len -= drop;
	memmove(w->got.data, w->got.data + drop, w->got.len);
	return ended;
}

static struct pool_worker *
find_due_worker(struct worker_pool *pool)
{
	for (size_t i = 0; i < pool->n; i++)
		if (pool->w[i].owed > 0 && pool->w[i].first[pool->w[i].at] == pool->answered)
			return &pool->w[i];
	return NULL;
}

static void
print_due_answers(struct worker_pool *pool)
{
	for (struct pool_worker *w; (w = find_due_worker(pool)) != NULL && w->got.len > 0 && print_due_answer(pool, w);)
		;
}

/* Waits until an answer has come or, with `in`, there is input. */
static void
wait_for_answers(struct worker_pool *pool, const struct mem_input *in)
{
	struct pollfd p[WORKERS_MAX + 1];
	const struct pool_worker *due = find_due_worker(pool);
	for (size_t i = 0; i < pool->n; i++)
		p[i] = (struct pollfd){ .fd = &pool->w[i] == due || pool->w[i].got.len < BYTES_HELD ? pool->w[i].from : -1, .events = POLLIN };
	p[pool->n] = (struct pollfd){ .fd = in != NULL ? in->lines.fd : -1, .events = POLLIN };
	if (poll(p, (nfds_t)pool->n + 1, -1) > 0)
		for (size_t i = 0; i < pool->n; i++)
			if (p[i].revents != 0)
				receive_answers(&pool->w[i]);
	print_due_answers(pool);
}

static void
hand_out_lines(struct worker_pool *pool, struct mem_input *in)
{
	struct mem_line line;
	bool more = true, have = false;
	while (more || pool->answered < pool->asked) {
		struct pool_worker *w;
		bool ready = more && !have && mem_input_ready(in, 0);
		if (ready || (more && !have && pool->answered == pool->asked))
			more = have = mem_input_next(in, &line);
		else if (have && (w = find_idlest_worker(pool, line.text.n)) != NULL) {
			send_line(pool, w, &line);
			have = false;
		} else {
			if (!have)
				mem_out_flush();
			wait_for_answers(pool, more && !have ? in : NULL);
		}
	}
}

static void
end_workers(struct worker_pool *pool)
{
	for (size_t i = 0; i < pool->n; i++)
		close(pool->w[i].to);
	for (size_t i = 0; i < pool->n; i++) {
		int status = 0;
		while (waitpid(pool->w[i].pid, &status, 0) < 0 && errno == EINTR)
			;
		if (status != 0)
			pool->worst = mem_status_worse(pool->worst, MEM_FAIL);
		close(pool->w[i].from);
		mem_buf_release(&pool->w[i].got);
	}
}

/* ---- the run ----------------------------------------------------------- */

/* Processes that may run at once.  On a terminal nobody waits for thousands of answers. */
static size_t
count_processors(void)
{
	cpu_set_t may;
	if (mem_out_tty() || sched_getaffinity(0, sizeof may, &may) != 0)
		return 1;
	size_t n = (size_t)CPU_COUNT(&may);
	return n < WORKERS_MAX ? n : WORKERS_MAX;
}

enum mem_status
mem_worker_pool_run(const char *file, const struct mem_worker_ops *ops, void *ctx)
{
	static struct worker_pool pool;
	char *names[] = { (char *)(uintptr_t)file };
	struct mem_input in;
	struct mem_line line;
	const size_t n = count_processors();
	bool share = false;
	pool = (struct worker_pool){ .ops = ops, .ctx = ctx };
	mem_input_init(&in, 1, names);
	ops->open(ctx, false);
	for (size_t alone = 1; !share && mem_input_next(&in, &line); alone++) {
		pool.worst = mem_status_worse(pool.worst, ops->answer(ctx, &line));
		if (!mem_input_ready(&in, 0))
			ops->leave(ctx, false);
		else
			share = n > 1 && alone >= LINES_ALONE;
	}
	ops->leave(ctx, true);
	if (share) {
		mem_out_flush();
		while (pool.n < n)
			start_worker(&pool);
		signal(SIGPIPE, SIG_IGN); /* of theirs; what is printed to a closed pipe ends this process all the same */
		hand_out_lines(&pool, &in);
		end_workers(&pool);
	}
	return mem_status_worse(pool.worst, mem_input_status(&in));
}
