/* SPDX-License-Identifier: Apache-2.0 */
/* A run over one transcript: bytes in, events out. */
#include "adapt/adapt_int.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct adapt_format *const formats[] = {
	&adapt_claude, &adapt_codex, &adapt_openai, &adapt_chatgpt, &adapt_gemini,
	&adapt_aider, &adapt_cursor, &adapt_markdown, &adapt_jsonl,
};

const char *const mem_adapt_formats[] = {
	"claude-code", "codex", "openai", "chatgpt", "gemini",
	"aider", "cursor", "markdown", "jsonl", NULL,
};

static enum mem_status
check_adapt_options(const struct mem_adapt_opts *o, const struct adapt_format *f, struct mem_err *err)
{
	if (o->nmaps > 0 && f != &adapt_jsonl)
		return mem_err_set(err, MEM_USAGE, "--map is for format jsonl");
	if (o->every_branch && f != &adapt_chatgpt)
		return mem_err_set(err, MEM_USAGE, "--branches is for format chatgpt");
	if (o->split_headings && f != &adapt_markdown)
		return mem_err_set(err, MEM_USAGE, "--split is for format markdown");
	if (o->thinking && !f->thinks)
		return mem_err_set(err, MEM_USAGE, "format %s holds no thinking", f->name);
	if (o->session != NULL && !f->no_session)
		return mem_err_set(err, MEM_USAGE, "--session is for formats openai and jsonl");
	for (size_t i = 0; i < o->nmaps; i++) {
		enum mem_status st = adapt_check_map(o->maps[i], err);
		if (st != MEM_OK)
			return st;
	}
	return MEM_OK;
}

static enum mem_status
refuse_format(const char *name, struct mem_err *err)
{
	struct mem_buf known = { 0 };
	for (size_t i = 0; i < MEM_COUNT(formats); i++)
		mem_buf_printf(&known, "%s%s", i > 0 ? ", " : "", formats[i]->name);
	mem_err_set(err, MEM_USAGE, "'%s' is not one of the formats %s", name, known.data);
	mem_buf_release(&known);
	return MEM_USAGE;
}

enum mem_status
mem_adapt_open(struct mem_adapt **out, const struct mem_adapt_opts *o,
    const struct mem_adapt_sink *sink, struct mem_err *err)
{
	const struct adapt_format *f = NULL;
	*out = NULL;
	for (size_t i = 0; i < MEM_COUNT(formats); i++)
		if (strcmp(o->format, formats[i]->name) == 0)
			f = formats[i];
	if (f == NULL)
		return refuse_format(o->format, err);
	enum mem_status st = check_adapt_options(o, f, err);
	if (st != MEM_OK)
		return st;
	struct mem_adapt *a = mem_xcalloc(1, sizeof *a);
	a->f = f;
	a->o = *o;
	a->sink = *sink;
	st = adapt_read_wrappers(&a->wrappers, f->name, err);
	if (st == MEM_OK)
		*out = a;
	else
		mem_adapt_close(a);
	return st;
}

void
mem_adapt_close(struct mem_adapt *a)
{
	if (a == NULL)
		return;
	adapt_release_seen_refs(&a->seen);
	mem_arena_release(&a->wrappers.arena);
	mem_buf_release(&a->out);
	free(a);
}

const struct mem_adapt_counts *
mem_adapt_counts(const struct mem_adapt *a)
{
	return &a->counts;
}

bool
mem_adapt_stopped(const struct mem_adapt *a)
{
	return a->stopped;
}

struct mem_adapt_input *
mem_adapt_input_new(struct mem_adapt *a, const char *name)
{
	struct mem_adapt_input *in = mem_xcalloc(1, sizeof *in);
	in->a = a;
	in->f = a->f;
	in->name = mem_xstrdup(name);
	in->shape = a->f->shape;
	in->line = 1;
	if (a->f->state_size > 0)
		in->state = mem_xcalloc(1, a->f->state_size);
	return in;
}

void
mem_adapt_input_free(struct mem_adapt_input *in)
{
	if (in == NULL)
		return;
	if (in->f->release != NULL)
		in->f->release(in);
	free(in->state);
	free(in->tools);
	free(in->name);
	mem_buf_release(&in->buf);
	mem_buf_release(&in->fixed);
	mem_buf_release(&in->answered.session);
	mem_buf_release(&in->answered.calls);
	mem_buf_release(&in->ev.text);
	mem_buf_release(&in->ev.ref);
	mem_buf_release(&in->ev.extra);
	mem_buf_release(&in->ev.tags);
	adapt_release_cut_text(&in->cut);
	mem_rec_release(&in->rec);
	mem_arena_release(&in->arena);
	free(in);
}

void
mem_adapt_feed(struct mem_adapt_input *in, const void *p, size_t n)
{
	adapt_split_bytes(in, p, n);
}

void
mem_adapt_settle(struct mem_adapt_input *in)
{
	if (in->f->settle != NULL && !in->a->stopped)
		in->f->settle(in);
	mem_arena_reset(&in->arena);
}

void
mem_adapt_end(struct mem_adapt_input *in)
{
	uint64_t held = in->a->counts.held;
	adapt_end_splitting(in, in->a->o.ended);
	if (in->f->end != NULL && !in->a->stopped)
		in->f->end(in);
	if (in->seen && !in->given && held == in->a->counts.held && !in->a->stopped && in->a->sink.nothing != NULL)
		in->a->sink.nothing(in->a->sink.ctx, in->name);
	mem_arena_reset(&in->arena);
}

/* Waits for input; false when w->stop_fd became readable instead. */
static bool
wait_for_input(struct mem_adapt *a, int fd, const struct mem_adapt_wait *w)
{
	struct pollfd p[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = w->stop_fd, .events = POLLIN },
	};
	int n = poll(p, MEM_COUNT(p), 0);
	if (n == 0) {
		if (a->sink.idle != NULL)
			a->sink.idle(a->sink.ctx);
		/* A signal that ends the wait has made stop_fd readable: to read now would wait for ever. */
		do
			n = poll(p, MEM_COUNT(p), -1);
		while (n < 0 && errno == EINTR);
	}
	/* A fault shows again when reading. */
	return n < 0 || p[1].revents == 0;
}

enum mem_status
mem_adapt_fd(struct mem_adapt *a, int fd, const char *name, const struct mem_adapt_wait *w,
    struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	enum { CHUNK = 64 * 1024 };
	char *chunk = mem_xmalloc(CHUNK);
	struct mem_adapt_input *in = mem_adapt_input_new(a, name);
	bool more = true;
	while (!a->stopped && (more = wait_for_input(a, fd, w))) {
		ssize_t n = read(fd, chunk, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			st = mem_err_sys(err, MEM_FAIL, "cannot read '%s'", name);
		if (n <= 0)
			break;
		mem_adapt_feed(in, chunk, (size_t)n);
	}
	/* What was read before a fault is whole records still.  A page or a value that was stopped halfway is none. */
	if (more || (in->shape != ADAPT_PAGE && in->shape != ADAPT_JSON))
		mem_adapt_end(in);
	mem_adapt_input_free(in);
	free(chunk);
	return st;
}
