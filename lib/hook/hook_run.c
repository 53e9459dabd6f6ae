/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hooks do when they are called: recalled memory for a prompt, a transcript captured, a commit captured.  The caller
 * waits for us, so there is an end to everything.
 */
#include "hook/hook_int.h"
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	WHOLE_MS = 1900,                /* of the process: under the 2 s that are promised */
	CALLS_MS = 1700,                /* of all that it calls, so that there is time to say what took too long */
	SESSION_WAIT_MS = 1000,         /* for a session to be captured; after that it goes on in the background */
	SESSION_MS = 600000,            /* there */
	PROMPT_MAX = 16 << 10,          /* bytes of a prompt that are searched for */
	BLOCK_MAX = 1 << 20,
	EVENTS_MAX = 512 << 20,
	LOG_MAX = 256 << 10,
};
static const char tokens[] = "1500", hits[] = "10"; /* what an agent takes in whole: Claude Code takes 10,000 characters */

struct hook_call {
	const char *program, *event;
	const struct mem_hook_options *o;
	int64_t end;                    /* of its calls, on mem_clock_ms */
	struct mem_buf folder;          /* where memkit's commands are */
};

/* ---- the log -------------------------------------------------------------------------- */

bool
mem_hook_log(struct mem_buf *out)
{
	return mem_xdg_path(out, "XDG_STATE_HOME", ".local/state", "memkit/hook.log");
}

static void
put_log_line(struct mem_buf *out, const char *program, const char *event, const char *message)
{
	char at[MEM_TIME_LEN + 1];
	mem_time_format(mem_time_now(), at);
	mem_buf_printf(out, "%s %s %s: ", at, program, event);
	for (const char *p = message; *p != '\0'; p++)
		mem_buf_putc(out, (unsigned char)*p < ' ' ? ' ' : *p);
	mem_buf_putc(out, '\n');
}

/* Nobody can be told that this failed. */
void
hook_log_failure(const char *program, const char *event, const char *message)
{
	struct mem_buf path = { 0 }, line = { 0 }, old = { 0 };
	struct stat st;
	put_log_line(&line, program, event, message);
	if (mem_hook_log(&path)) {
		char *slash = strrchr(path.data, '/');
		*slash = '\0';
		(void)!mem_dir_make(path.data, 0700, NULL);
		*slash = '/';
		mem_buf_printf(&old, "%s.1", path.data);
		if (stat(path.data, &st) == 0 && st.st_size > LOG_MAX)
			rename(path.data, old.data);
		int fd = open(path.data, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd >= 0) {
			(void)!mem_fd_write(fd, line.data, line.len, NULL);
			close(fd);
		}
	}
	mem_buf_release(&path);
	mem_buf_release(&line);
	mem_buf_release(&old);
}

bool
hook_last_error(struct mem_buf *out, const char *program, const char *event)
{
	struct mem_buf path = { 0 }, text = { 0 }, mark = { 0 };
	bool cron = strcmp(program, "cron") == 0, found = false;
	mem_buf_printf(&mark, " %s %s: ", program, event);
	if ((cron ? mem_xdg_path(&path, "XDG_STATE_HOME", ".local/state", "memkit/cron.log") : mem_hook_log(&path)) &&
	    mem_file_read(AT_FDCWD, path.data, HOOK_FILE_MAX, &text, NULL) == MEM_OK) {
		char *save = NULL;
		for (char *line = strtok_r(text.data, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
			if (!cron && strncmp(line + strcspn(line, " "), mark.data, mark.len) != 0)
				continue;
			mem_buf_reset(out);
			mem_buf_puts(out, line);
			found = true;
		}
	}
	mem_buf_release(&path);
	mem_buf_release(&text);
	mem_buf_release(&mark);
	return found;
}

/* ---- calling memkit's commands ----------------------------------------------------------- */

/*
 * Calls `name` of memkit; *out gets what it printed.  Exit 1 is an answer (nothing found, some refused).  MEM_FAIL has the last line
 * of what it said.
 */
static enum mem_status
call_command(const struct hook_call *h, const char *name, const char *const *arguments, struct mem_str input, size_t out_max,
    struct mem_buf *out, struct mem_err *err)
{
	struct mem_buf path = { 0 };
	const char *argv[12] = { NULL };
	struct mem_child_end end;
	int64_t left = h->end - mem_clock_ms();
	mem_buf_printf(&path, "%s/%s", h->folder.data, name);
	argv[0] = path.data;
	for (size_t i = 0; arguments[i] != NULL; i++)
		argv[1 + i] = arguments[i];
	const struct mem_child c = { .argv = argv, .input = input, .out_max = out_max, .timeout_ms = left > 0 ? left : 1, .stop_fd = -1,
		.no_grace = true };
	enum mem_status st = mem_child_run(&end, &c, err);
	if (st == MEM_OK && end.code > 1) {
		mem_buf_putc(&end.errors, '\n');
		const char *line = end.errors.data;
		st = mem_err_set(err, MEM_FAIL, "%s ended with %d: %.*s", name, end.code, (int)strcspn(line, "\n"), line);
	}
	if (st == MEM_OK)
		mem_buf_str(out, mem_buf_span(&end.out));
	mem_child_release(&end);
	mem_buf_release(&path);
	return st;
}

/* Arguments that name the store and who asks, at the end of argv, which has room. */
static void
add_store_arguments(const struct hook_call *h, const char **argv)
{
	size_t n = 0;
	while (argv[n] != NULL)
		n++;
	if (h->o->store != NULL) {
		argv[n++] = "-S";
		argv[n++] = h->o->store;
	}
	if (h->o->agent != NULL) {
		argv[n++] = "--agent";
		argv[n++] = h->o->agent;
	}
}

static enum mem_status
capture_events(const struct hook_call *h, struct mem_str events, struct mem_err *err)
{
	const char *argv[12] = { "-q", "--no-embed" };
	struct mem_buf receipts = { 0 };
	add_store_arguments(h, argv);
	enum mem_status st = call_command(h, "mem-capture", argv, events, EVENTS_MAX, &receipts, err);
	mem_buf_release(&receipts);
	return st;
}

/* ---- a prompt ------------------------------------------------------------------------------- */

static enum mem_status
recall_for_prompt(const struct hook_call *h, struct mem_buf *out, const struct mem_rec *r, struct mem_err *err)
{
	const char *search[12] = { "--plain", "-n", hits }, *const render[] = { "--tokens", tokens, NULL };
	struct mem_buf prompt = { 0 }, found = { 0 }, block = { 0 };
	enum mem_status st = MEM_OK;
	if (!mem_json_decode(&prompt, mem_rec_value(r, "prompt")))
		st = mem_err_set(err, MEM_FAIL, "the record has no prompt");
	prompt.len = mem_utf8_cut(mem_buf_span(&prompt), PROMPT_MAX);
	if (st == MEM_OK && prompt.len > 0 && strspn(prompt.data, " \t\r\n") < prompt.len) {
		add_store_arguments(h, search);
		size_t n = 0;
		while (search[n] != NULL)
			n++;
		search[n] = "-";
		st = call_command(h, "mem-search", search, mem_buf_span(&prompt), BLOCK_MAX * 64, &found, err);
	}
	if (st == MEM_OK && found.len > 0)
		st = call_command(h, "mem-render", render, mem_buf_span(&found), BLOCK_MAX, &block, err);
	if (st == MEM_OK)
		mem_buf_str(out, mem_buf_span(&block));
	mem_buf_release(&prompt);
	mem_buf_release(&found);
	mem_buf_release(&block);
	return st;
}

/* ---- the end of a session --------------------------------------------------------------------- */

static enum mem_status
capture_transcript(const struct hook_call *h, const char *adapter, const char *path, struct mem_err *err)
{
	const char *const adapt[] = { adapter, path, NULL };
	struct mem_buf events = { 0 };
	enum mem_status st = call_command(h, "mem-adapt", adapt, (struct mem_str){ 0 }, EVENTS_MAX, &events, err);
	if (st == MEM_OK && events.len > 0)
		st = capture_events(h, mem_buf_span(&events), err);
	mem_buf_release(&events);
	return st;
}

struct session_work {
	struct hook_call *h;
	const char *path;
};

static void
capture_in_background(void *ctx)
{
	const struct session_work *w = ctx;
	struct mem_err err = { 0 };
	mem_watchdog_start(SESSION_MS + 1000);
	w->h->end = mem_clock_ms() + SESSION_MS;
	if (capture_transcript(w->h, hook_find_program(w->h->program)->adapter, w->path, &err) != MEM_OK)
		hook_log_failure(w->h->program, w->h->event, err.msg);
}

/* A pipe or a device has no end that one could wait for; what is not there is told by whoever opens it. */
static enum mem_status
check_transcript(const char *path, struct mem_err *err)
{
	struct stat about;
	if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
		return mem_err_set(err, MEM_FAIL, "the transcript '%s' is no regular file", path);
	return MEM_OK;
}

/* A long session takes longer than an agent that ends waits, so what is not done by then goes on without it. */
static enum mem_status
capture_session(struct hook_call *h, const struct mem_rec *r, struct mem_err *err)
{
	struct mem_json value = mem_rec_value(r, "transcript_path");
	struct mem_buf path = { 0 };
	enum mem_status st = MEM_OK;
	if (strcmp(h->event, "turn") == 0)
		st = hook_find_thread(&path, r, err);
	else if (value.type == MEM_JSON_NULL && mem_json_there(value))
		st = MEM_END; /* a session of which the agent keeps nothing */
	else if (!mem_json_decode(&path, value) || path.len == 0 || path.data[0] != '/')
		st = mem_err_set(err, MEM_FAIL, "the record has no transcript_path");
	if (st == MEM_OK)
		st = check_transcript(path.data, err);
	if (st == MEM_OK)
		st = mem_background_run(capture_in_background, &(struct session_work){ h, path.data }, SESSION_WAIT_MS, err);
	mem_buf_release(&path);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- a commit ------------------------------------------------------------------------------------ */

static enum mem_status
capture_commit(const struct hook_call *h, struct mem_err *err)
{
	struct mem_buf event = { 0 };
	enum mem_status st = hook_put_commit(&event, err);
	if (st == MEM_OK)
		st = capture_events(h, mem_buf_span(&event), err);
	mem_buf_release(&event);
	return st;
}

/* ---- all of them ------------------------------------------------------------------------------- */

/* All of a descriptor, as long as there is time. */
static enum mem_status
read_record(int fd, int64_t end, struct mem_buf *out, struct mem_err *err)
{
	char chunk[16384];
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = end - mem_clock_ms();
		int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready == 0)
			return mem_err_set(err, MEM_FAIL, "the record did not come to its end in time");
		ssize_t n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return mem_err_sys(err, MEM_FAIL, "cannot read the record");
		if (n == 0)
			return MEM_OK;
		mem_buf_put(out, chunk, (size_t)n);
		if (out->len > MEM_LINE_MAX)
			return mem_err_set(err, MEM_FAIL, "the record is longer than %zu bytes", MEM_LINE_MAX);
	}
}

static enum mem_status
run_agent_event(struct hook_call *h, struct mem_buf *out, const char *record, int fd, struct mem_err *err)
{
	struct mem_buf text = { 0 };
	struct mem_rec r = { 0 };
	struct mem_err why;
	enum mem_status st = MEM_OK;
	if (record != NULL)
		mem_buf_puts(&text, record);
	else
		st = read_record(fd, h->end, &text, err);
	if (st == MEM_OK && mem_rec_scan(&r, mem_buf_span(&text), &why) != MEM_OK)
		st = mem_err_set(err, MEM_FAIL, "the record is no JSON object (%s at byte %zu)", why.reason, why.offset);
	if (st == MEM_OK)
		st = strcmp(h->event, "prompt") == 0 ? recall_for_prompt(h, out, &r, err) : capture_session(h, &r, err);
	mem_rec_release(&r);
	mem_buf_release(&text);
	return st;
}

static bool
has_program_event(const struct mem_hook_program *p, const char *event)
{
	for (size_t i = 0; p != NULL && i < p->nevents; i++)
		if (strcmp(p->events[i].ours, event) == 0)
			return true;
	return false;
}

void
mem_hook_run(struct mem_buf *out, const char *program, const char *event, const char *record, int fd,
    const struct mem_hook_options *o)
{
	struct hook_call h = { .program = program, .event = event, .o = o, .end = mem_clock_ms() + CALLS_MS };
	const struct mem_hook_program *p = hook_find_program(program);
	struct mem_err err = { 0 };
	enum mem_status st = MEM_OK;
	mem_watchdog_start(WHOLE_MS);
	if (!has_program_event(p, event) || p == &hook_cron)
		st = mem_err_set(&err, MEM_FAIL, "there is no such hook");
	else if (!mem_program_folder(&h.folder))
		st = mem_err_sys(&err, MEM_FAIL, "cannot tell where the commands of memkit are");
	else
		st = p == &hook_git ? capture_commit(&h, &err) : run_agent_event(&h, out, record, fd, &err);
	if (st != MEM_OK)
		hook_log_failure(program, event, err.msg);
	mem_buf_release(&h.folder);
}
