/* SPDX-License-Identifier: Apache-2.0 */
/* Another program: its input, its output, its end, within a time limit. */
#include "base/base_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ERRORS_MAX 4096
#define TICK_MS    100
#define GRACE_MS   2000 /* between asking it to end and killing it */

volatile sig_atomic_t base_child_group;

enum { IN, OUT, ERRORS, STOP, NFDS };

struct running_child {
	const struct mem_child *c;
	struct mem_child_end *end;
	pid_t pid;
	struct pollfd fds[NFDS];
	size_t written;         /* of the input */
	int64_t begun;
};

bool
mem_child_there(const char *program)
{
	const char *path = getenv("PATH");
	struct mem_buf name = { 0 };
	bool found = false;
	if (strchr(program, '/') != NULL)
		return access(program, X_OK) == 0;
	for (const char *p = path; !found && p != NULL && *p != '\0'; p += strcspn(p, ":"), p += *p == ':') {
		size_t n = strcspn(p, ":");
		mem_buf_reset(&name);
		mem_buf_put(&name, p, n);
		mem_buf_printf(&name, "%s%s", n > 0 ? "/" : "", program);
		found = access(name.data, X_OK) == 0;
	}
	mem_buf_release(&name);
	return found;
}

void
mem_buf_shell_word(struct mem_buf *out, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@,+=-";
	if (*s != '\0' && s[strspn(s, plain)] == '\0') {
		mem_buf_puts(out, s);
		return;
	}
	mem_buf_putc(out, '\'');
	for (; *s != '\0'; s++)
		*s == '\'' ? mem_buf_puts(out, "'\\''") : mem_buf_putc(out, *s);
	mem_buf_putc(out, '\'');
}

bool
mem_program_folder(struct mem_buf *out)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);
	while (n > 0 && path[n - 1] != '/')
		n--;
	if (n < 1 || (size_t)n == sizeof path)
		return false;
	mem_buf_put(out, path, n > 1 ? (size_t)n - 1 : 1);
	return true;
}

/* ---- the child's side ------------------------------------------------- */

static void
set_child_env(const char *const *env)
{
	for (; env != NULL && *env != NULL; env++) {
		const char *eq = strchr(*env, '=');
		if (eq == NULL) {
			unsetenv(*env);
			continue;
		}
		char *name = mem_xstrdup(*env);
		name[eq - *env] = '\0';
		setenv(name, eq + 1, 1);
		free(name);
	}
}

/* Handlers end with exec, but what is ignored or blocked would be handed on. */
static void
reset_child_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

/* Never returns: what stopped it goes into `report` as an errno. */
_Noreturn static void
exec_child(const struct mem_child *c, const int fds[3], int report, pid_t parent)
{
	int code;
	setpgid(0, 0);
	reset_child_signals();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127); /* child */
	for (int i = 0; i < 3; i++)
		if (dup2(fds[i], i) < 0)
			goto fail;
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); /* also what memkit itself was handed */
	if (c->dir != NULL && chdir(c->dir) != 0)
		goto fail;
	set_child_env(c->env);
	/* exec does not write to them, but its type is older than const. */
	char *const *argv;
	memcpy(&argv, &c->argv, sizeof argv);
	execvp(argv[0], argv);
fail:
	code = errno;
	(void)!write(report, &code, sizeof code);
	_exit(127); /* child */
}

/* ---- starting it ------------------------------------------------------ */

static void
shut_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool
base_pipe_open(int ends[2])
{
	int low[2];
	if (pipe2(low, O_CLOEXEC) != 0)
		return false;
	for (int i = 0; i < 2; i++) {
		ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
		close(low[i]);
	}
	return ends[0] >= 0 && ends[1] >= 0;
}

static enum mem_status
launch_child(struct running_child *r, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	int pipes[4][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	int code = 0;
	pid_t parent = getpid();
	for (int i = 0; i < 4; i++) {
		if (!base_pipe_open(pipes[i])) {
			st = mem_err_sys(err, MEM_FAIL, "cannot make a pipe");
			goto out;
		}
	}
	r->pid = fork();
	if (r->pid < 0) {
		st = mem_err_sys(err, MEM_FAIL, "cannot start '%s'", r->c->argv[0]);
		goto out;
	}
	if (r->pid == 0)
		exec_child(r->c, (int[3]){ pipes[0][0], pipes[1][1], pipes[2][1] }, pipes[3][1], parent);
	base_child_group = r->pid;
	setpgid(r->pid, r->pid); /* by both, so that neither need wait for the other */
	shut_fd(&pipes[3][1]);
	ssize_t n;
	do
		n = read(pipes[3][0], &code, sizeof code);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		base_child_group = 0;
		waitpid(r->pid, NULL, 0);
		errno = code;
		st = mem_err_sys(err, MEM_FAIL, "cannot run '%s'", r->c->argv[0]);
		goto out;
	}
	r->fds[IN] = (struct pollfd){ .fd = pipes[0][1], .events = POLLOUT };
	r->fds[OUT] = (struct pollfd){ .fd = pipes[1][0], .events = POLLIN };
	r->fds[ERRORS] = (struct pollfd){ .fd = pipes[2][0], .events = POLLIN };
	r->fds[STOP] = (struct pollfd){ .fd = r->c->stop_fd, .events = POLLIN };
	fcntl(r->fds[IN].fd, F_SETFL, O_NONBLOCK);
	pipes[0][1] = pipes[1][0] = pipes[2][0] = -1;
out:
	for (int i = 0; i < 4; i++) {
		shut_fd(&pipes[i][0]);
		shut_fd(&pipes[i][1]);
	}
	return st;
}

/* ---- while it runs ---------------------------------------------------- */

static void
feed_child_input(struct running_child *r)
{
	struct mem_str in = r->c->input;
	if (r->written < in.n && (r->fds[IN].revents & POLLOUT) != 0) {
		ssize_t n = write(r->fds[IN].fd, in.p + r->written, in.n - r->written);
		if (n > 0)
			r->written += (size_t)n;
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			r->written = in.n; /* it does not want more */
	}
	if (r->written == in.n || (r->fds[IN].revents & POLLERR) != 0)
		shut_fd(&r->fds[IN].fd);
}

/* True once it is shut. */
static bool
drain_pipe(struct pollfd *fd, struct mem_buf *to)
{
	char chunk[16384];
	if (fd->fd < 0)
		return true;
	if (fd->revents == 0)
		return false;
	ssize_t n = read(fd->fd, chunk, sizeof chunk);
	if (n > 0)
		mem_buf_put(to, chunk, (size_t)n);
	else if (n == 0 || errno != EINTR)
		shut_fd(&fd->fd);
	return fd->fd < 0;
}

static void
keep_last_bytes(struct mem_buf *b, size_t max)
{
	if (b->len <= max)
		return;
	memmove(b->data, b->data + b->len - max, max + 1);
	b->len = max;
}

/* It stays a zombie until its group is killed, so that the group's number is nobody else's. */
static bool
has_child_ended(const struct running_child *r)
{
	siginfo_t info = { 0 };
	return waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == r->pid;
}

static enum mem_status
refuse_slow_child(const struct mem_child *c, struct mem_err *err)
{
	enum { SECOND = 1000 };
	bool seconds = c->timeout_ms % SECOND == 0;
	return mem_err_set(err, MEM_FAIL, "'%s' took longer than %lld %s", c->argv[0],
	    (long long)(seconds ? c->timeout_ms / SECOND : c->timeout_ms), seconds ? "s" : "ms");
}

/* Over when it has ended and its pipes are shut; a grandchild that keeps one open is not waited for. */
static enum mem_status
watch_child(struct running_child *r, struct mem_err *err)
{
	const struct mem_child *c = r->c;
	for (int64_t next = r->begun + TICK_MS;;) {
		int64_t now = mem_clock_ms();
		if (now >= next) {
			next = now + TICK_MS;
			if (c->tick != NULL)
				c->tick(c->ctx);
		}
		if (c->timeout_ms > 0 && now - r->begun > c->timeout_ms)
			return refuse_slow_child(c, err);
		bool ended = has_child_ended(r);
		if (poll(r->fds, NFDS, ended ? 0 : TICK_MS) < 0 && errno != EINTR)
			return mem_err_sys(err, MEM_FAIL, "cannot wait for '%s'", c->argv[0]);
		if (r->fds[STOP].revents != 0)
			return mem_err_set(err, MEM_STOPPED, "interrupted");
		if (r->fds[IN].fd >= 0)
			feed_child_input(r);
		bool quiet = r->fds[OUT].revents == 0 && r->fds[ERRORS].revents == 0;
		bool shut_out = drain_pipe(&r->fds[OUT], &r->end->out);
		bool shut_errors = drain_pipe(&r->fds[ERRORS], &r->end->errors);
		keep_last_bytes(&r->end->errors, ERRORS_MAX);
		if (r->end->out.len > c->out_max)
			return mem_err_set(err, MEM_FAIL, "'%s' printed more than %zu bytes", c->argv[0], c->out_max);
		if (ended && (quiet || (shut_out && shut_errors)))
			return MEM_OK;
	}
}

static void
stop_child_group(const struct running_child *r)
{
	kill(-r->pid, SIGTERM);
	for (int64_t t = mem_clock_ms(); !has_child_ended(r) && mem_clock_ms() - t < GRACE_MS;)
		poll(NULL, 0, 10);
}

enum mem_status
mem_child_run(struct mem_child_end *end, const struct mem_child *c, struct mem_err *err)
{
	struct running_child r = { .c = c, .end = end, .begun = mem_clock_ms() };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	*end = (struct mem_child_end){ 0 };
	for (int i = 0; i < NFDS; i++)
		r.fds[i].fd = -1;
	sigaction(SIGPIPE, &ignore, &old);
	enum mem_status st = launch_child(&r, err);
	if (st == MEM_OK) {
		st = watch_child(&r, err);
		if (st != MEM_OK && !c->no_grace)
			stop_child_group(&r);
		int status = 0;
		kill(-r.pid, SIGKILL);
		base_child_group = 0; /* soon its number may be another's */
		while (waitpid(r.pid, &status, 0) < 0 && errno == EINTR)
			continue;
		end->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	for (int i = 0; i < STOP; i++)
		shut_fd(&r.fds[i].fd);
	sigaction(SIGPIPE, &old, NULL);
	return st;
}

struct mem_str
mem_child_last_line(const struct mem_buf *b)
{
	size_t end = b->len;
	while (end > 0 && strchr(" \t\r\n", b->data[end - 1]) != NULL)
		end--;
	size_t from = end;
	while (from > 0 && b->data[from - 1] != '\n')
		from--;
	return end > 0 ? (struct mem_str){ b->data + from, end - from } : (struct mem_str){ NULL, 0 };
}

void
mem_child_release(struct mem_child_end *end)
{
	mem_buf_release(&end->out);
	mem_buf_release(&end->errors);
}
