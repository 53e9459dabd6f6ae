/* SPDX-License-Identifier: Apache-2.0 */
/* A run of capture: lines in, batches out. */
#include "capture/capture_int.h"

#include <string.h>

enum {
	BATCH_MS = 200,              /* a live pipe is not held up longer */
	KEY_LINE_MAX = 1024,         /* bytes of a line of a private key */
	KEY_MAX = 64 << 10,          /* bytes of one */
	SILENCE_MS = 1000,           /* under a given present a batch ends after so long without a line */
};

static void
close_capture(struct capture_run *c)
{
	mem_writer_free(c->writer);
	mem_rec_release(&c->rec);
	mem_clean_rec_release(&c->cleaned);
	mem_buf_release(&c->scratch);
	mem_buf_release(&c->text);
	mem_buf_release(&c->key);
}

static enum mem_status
check_capture_defaults(const struct capture_run *c, struct mem_err *err)
{
	struct mem_store *s = mem_writer_store(c->writer);
	const struct mem_capture_options *o = c->options;
	struct mem_access_request to = { .access = MEM_WRITE, .ns = c->ns };
	if (o->role != NULL && mem_role_parse(mem_str(o->role)) == MEM_ROLE_NONE)
		return mem_err_set(err, MEM_USAGE, "no such role: %s", o->role);
	if (!mem_ns_valid(c->ns))
		return mem_err_set(err, MEM_USAGE, "no namespace: '%s'", c->ns.p);
	if (!mem_store_allows(s, &to))
		return mem_err_set(err, MEM_DENIED, "%s may not write to %s", mem_store_principal(s)->agent, c->ns.p);
	return MEM_OK;
}

static enum mem_status
open_capture(struct capture_run *c, const struct mem_store_options *store, const struct mem_capture_options *o,
    struct mem_err *err)
{
	const struct mem_write_options writing = { .via = "mem-capture", .audit_refusals = true, .decide = capture_decide_node,
		.batch_max = o->commit_every };
	*c = (struct capture_run){ .options = o, .now_given = store->now != MEM_TIME_NONE };
	enum mem_status st = mem_writer_open(&c->writer, store, &writing, err);
	if (st != MEM_OK)
		return st;
	struct mem_store *s = mem_writer_store(c->writer);
	const struct mem_conf *conf = mem_store_conf(s);
	c->ns = o->ns != NULL ? mem_str(o->ns) : mem_writer_ns(c->writer);
	c->max_bytes = o->max_bytes > 0 ? o->max_bytes : mem_conf_int(conf, "capture.max_bytes");
	c->trust_max = mem_store_principal(s)->is_operator ? 1 : mem_conf_num(conf, "capture.trust_max");
	c->trust = mem_conf_num(conf, "capture.trust");
	if (c->trust > c->trust_max)
		c->trust = c->trust_max;
	st = check_capture_defaults(c, err);
	if (st == MEM_OK)
		st = mem_writer_sanitise(c->writer, o->redact, o->markers, err);
	/* Zero: this store leaves vectors to maintenance. */
	bool later = o->embed == MEM_WRITE_EMBED_FEW && mem_conf_int(conf, "embed.seconds") == 0;
	return st == MEM_OK ? mem_writer_embed(c->writer, later ? MEM_WRITE_EMBED_NONE : o->embed, err) : st;
}

/* The lines of a key that were held, as one event. */
static void
queue_held_key(struct capture_run *c)
{
	struct mem_buf key = c->key;
	c->key = (struct mem_buf){ 0 };
	if (key.len > 0)
		capture_queue_text(c, c->key_line, mem_buf_span(&key));
	mem_buf_release(&key);
}

/*
 * Of lines that are an event each: the lines of a private key are held, since each of them alone is told by nothing, and become one
 * event.  True: the line is part of it.
 */
static bool
hold_key_line(struct capture_run *c, const struct mem_line *line)
{
	enum mem_clean_key_line part = line->too_long || line->text.n > KEY_LINE_MAX ? MEM_CLEAN_KEY_NONE : mem_clean_key_line(line->text);
	bool open = c->key.len > 0 && c->key.len < KEY_MAX;
	if (part == MEM_CLEAN_KEY_BEGIN || !open || part == MEM_CLEAN_KEY_NONE)
		queue_held_key(c);
	if (part == MEM_CLEAN_KEY_NONE || (part != MEM_CLEAN_KEY_BEGIN && !open))
		return false;
	if (part == MEM_CLEAN_KEY_BEGIN)
		c->key_line = line->number;
	else
		mem_buf_putc(&c->key, '\n');
	mem_buf_str(&c->key, line->text);
	if (part == MEM_CLEAN_KEY_END)
		queue_held_key(c);
	return true;
}

static void
queue_line(struct capture_run *c, const struct mem_line *line)
{
	const struct mem_write_input in = { .line = line->number, .bytes = line->text.n };
	if (c->options->form == MEM_CAPTURE_LINES && hold_key_line(c, line))
		return;
	if (c->options->form == MEM_CAPTURE_LINES && !line->too_long && capture_text_blank(line->text))
		return; /* between paragraphs: nothing was said */
	if (line->too_long)
		mem_write_refuse(c->writer, &in, "too_long", line->text.n);
	else if (c->options->form == MEM_CAPTURE_EVENTS)
		capture_queue_event(c, line->number, line->text);
	else
		capture_queue_text(c, line->number, line->text);
}

/*
 * How long the batch at hand waits for a line; zero or less: it is over.  Which lines share a batch decides which get vectors at
 * once, so under a given present it hangs on what is read and not on how fast this machine is.
 */
static int64_t
time_for_next_line(const struct capture_run *c, int64_t until)
{
	return c->now_given ? SILENCE_MS : until - mem_clock_ms();
}

static enum mem_status
capture_lines(struct capture_run *c, struct mem_lines *in, mem_emit_fn *emit, void *ctx,
    struct mem_write_total *total, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	int64_t until = 0;
	while (st == MEM_OK) {
		struct mem_line line;
		int64_t left = time_for_next_line(c, until);
		if (mem_write_queued(c->writer) == 0 && !mem_lines_ready(in, BATCH_MS)) {
			mem_store_pause(mem_writer_store(c->writer));
			continue;
		}
		if (mem_write_queued(c->writer) > 0 && (left <= 0 || !mem_lines_ready(in, (int)left))) {
			st = mem_write_commit(c->writer, emit, ctx, total, err);
			continue;
		}
		st = mem_lines_next(in, &line, err);
		if (st != MEM_OK)
			break;
		if (mem_write_queued(c->writer) == 0)
			until = mem_clock_ms() + BATCH_MS;
		queue_line(c, &line);
		if (mem_write_full(c->writer))
			st = mem_write_commit(c->writer, emit, ctx, total, err);
	}
	if (st == MEM_END)
		queue_held_key(c);
	if (st == MEM_END)
		st = mem_write_commit(c->writer, emit, ctx, total, err);
	return st;
}

static enum mem_status
capture_whole_input(struct capture_run *c, struct mem_lines *in, mem_emit_fn *emit, void *ctx,
    struct mem_write_total *total, struct mem_err *err)
{
	struct mem_buf text = { 0 };
	struct mem_line line;
	enum mem_status st;
	uint64_t lines = 0;
	size_t limit = MEM_LINE_MAX;
	bool too_long = false;
	while ((st = mem_lines_next(in, &line, err)) == MEM_OK) {
		lines++;
		too_long = too_long || line.too_long || text.len > limit;
		if (too_long)
			continue;
		mem_buf_str(&text, line.text);
		if (!line.unended)
			mem_buf_putc(&text, '\n');
	}
	if (st == MEM_END && lines > 0) {
		/* The newline that ends the input ends its last line; it is not content. */
		size_t n = text.len > 0 && text.data[text.len - 1] == '\n' ? text.len - 1 : text.len;
		struct mem_line whole = {
			.text = { mem_buf_span(&text).p, n }, .number = 1, .too_long = too_long,
		};
		queue_line(c, &whole);
	}
	if (st == MEM_END)
		st = mem_write_commit(c->writer, emit, ctx, total, err);
	mem_buf_release(&text);
	return st;
}

enum mem_status
mem_capture_run(const struct mem_store_options *store, const struct mem_capture_options *o, int fd,
    mem_emit_fn *emit, void *ctx, struct mem_write_total *total, struct mem_err *err)
{
	struct capture_run c;
	struct mem_lines in;
	mem_lines_init(&in, fd, MEM_LINE_MAX);
	in.stop_fd = o->stop_fd;
	*total = (struct mem_write_total){ 0 };
	enum mem_status st = open_capture(&c, store, o, err);
	if (st == MEM_OK && o->form == MEM_CAPTURE_WHOLE)
		st = capture_whole_input(&c, &in, emit, ctx, total, err);
	else if (st == MEM_OK)
		st = capture_lines(&c, &in, emit, ctx, total, err);
	mem_lines_release(&in);
	close_capture(&c);
	if (st == MEM_OK && o->embed == MEM_WRITE_EMBED_ALL && total->unembedded.status != MEM_OK) {
		*err = total->unembedded;
		return err->status;
	}
	return st == MEM_OK ? mem_write_outcome(total, err) : st;
}
