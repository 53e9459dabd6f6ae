/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_int.h"
#include "write/tidy.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

enum {
	BATCH_MS = 200,                  /* a live pipe is not held up longer */
	BATCH_BYTES = 8 << 20,           /* and memory stays bounded whatever the lines */
};

static void
capture_close(struct capture *c)
{
	mem_encoder_close(c->encoder);
	mem_index_close(&c->memory);
	mem_clean_free(c->clean);
	mem_findings_release(&c->findings);
	mem_arena_release(&c->arena);
	mem_rec_release(&c->rec);
	mem_rec_release(&c->cleaned);
	mem_buf_release(&c->scratch);
	mem_buf_release(&c->text);
	mem_buf_release(&c->node);
	free(c->items);
	free((char *)(uintptr_t)c->own_ns.p);
}

static enum mem_status
check_defaults(const struct capture *c, struct mem_err *err)
{
	const struct mem_capture_ask *a = c->ask;
	struct mem_ask to = { .access = MEM_WRITE, .ns = c->ns };
	if (a->role != NULL && mem_role_parse(mem_str(a->role)) == MEM_ROLE_NONE)
		return mem_err_set(err, MEM_USAGE, "no such role: %s", a->role);
	if (!mem_ns_valid(c->ns))
		return mem_err_set(err, MEM_USAGE, "no namespace: '%s'", c->ns.p);
	if (!mem_store_allows(c->memory.store, &to))
		return mem_err_set(err, MEM_DENIED, "%s may not write to %s",
		    mem_store_principal(c->memory.store)->agent, c->ns.p);
	return MEM_OK;
}

static enum mem_status
capture_open(struct capture *c, const struct mem_store_ask *store, const struct mem_capture_ask *ask,
    struct mem_err *err)
{
	*c = (struct capture){ .ask = ask };
	enum mem_status st = mem_index_open(&c->memory, store, err);
	if (st != MEM_OK)
		return st;
	const struct mem_conf *conf = mem_store_conf(c->memory.store);
	struct mem_buf own = { 0 };
	mem_buf_printf(&own, "agent:%s", mem_store_principal(c->memory.store)->agent);
	c->own_ns = mem_buf_span(&own); /* freed in capture_close */
	c->ns = ask->ns != NULL ? mem_str(ask->ns) : c->own_ns;
	c->commit_every = ask->commit_every > 0 ? ask->commit_every : mem_conf_int(conf, "capture.commit_every");
	c->max_bytes = ask->max_bytes > 0 ? ask->max_bytes : mem_conf_int(conf, "capture.max_bytes");
	c->trust_max = mem_conf_num(conf, "capture.trust_max");
	c->trust = mem_conf_num(conf, "capture.trust");
	if (c->trust > c->trust_max)
		c->trust = c->trust_max;
	st = check_defaults(c, err);
	if (st == MEM_OK)
		st = mem_write_cleaner(&c->clean, c->memory.store, ask->redact, ask->markers, err);
	if (st == MEM_OK && ask->embed == MEM_CAPTURE_EMBED_ALL) {
		st = capture_encoder(c, err);
		if (st == MEM_NONE)
			st = mem_err_set(err, MEM_FAIL, "%s", err->msg);
	}
	return st;
}

static void
take_line(struct capture *c, const struct mem_line *line)
{
	c->items = mem_grow(c->items, &c->cap, c->nitems + 1, sizeof *c->items);
	struct capture_item *item = &c->items[c->nitems++];
	*item = (struct capture_item){ .receipt.line = line->number };
	c->bytes += line->text.n;
	if (line->too_long) {
		item->refused = "too_long";
		item->receipt.offset = line->text.n;
	} else if (c->ask->form == MEM_CAPTURE_EVENTS) {
		capture_event(c, item, line->text);
	} else {
		capture_text(c, item, line->text);
	}
}

/* Commits the batch, then hands out its receipts. */
static enum mem_status
commit(struct capture *c, mem_emit_fn *emit, void *ctx, struct mem_write_total *total,
    struct mem_err *err)
{
	struct mem_buf receipts = { 0 };
	enum mem_status st = MEM_OK;
	if (c->nitems == 0)
		return MEM_OK;
	capture_embed(c, total);
	st = mem_store_write(c->memory.store, capture_write, c, err);
	if (st != MEM_OK)
		return st;
	for (size_t i = 0; i < c->nitems; i++) {
		const struct capture_item *item = &c->items[i];
		mem_receipt_count(total, &item->receipt);
		mem_receipt_put(&receipts, &item->receipt);
	}
	c->nitems = 0;
	c->bytes = 0;
	mem_arena_reset(&c->arena);
	bool taken = emit(ctx, mem_buf_span(&receipts));
	mem_buf_release(&receipts);
	if (!taken)
		return mem_err_set(err, MEM_FAIL, "cannot write receipts");
	return mem_write_tidy(&c->memory, err);
}

static bool
full(const struct capture *c)
{
	return (int64_t)c->nitems >= c->commit_every || c->bytes >= BATCH_BYTES;
}

static enum mem_status
run_lines(struct capture *c, struct mem_lines *in, mem_emit_fn *emit, void *ctx,
    struct mem_write_total *total, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	int64_t until = 0;
	while (st == MEM_OK) {
		struct mem_line line;
		int64_t left = until - mem_clock_ms();
		if (c->nitems == 0 && !mem_lines_ready(in, BATCH_MS)) {
			mem_store_pause(c->memory.store);
			continue;
		}
		if (c->nitems > 0 && (left <= 0 || !mem_lines_ready(in, (int)left))) {
			st = commit(c, emit, ctx, total, err);
			continue;
		}
		st = mem_lines_next(in, &line, err);
		if (st != MEM_OK)
			break;
		if (c->nitems == 0)
			until = mem_clock_ms() + BATCH_MS;
		take_line(c, &line);
		if (full(c))
			st = commit(c, emit, ctx, total, err);
	}
	if (st == MEM_OK || st == MEM_NONE)
		st = commit(c, emit, ctx, total, err);
	return st;
}

static enum mem_status
run_whole(struct capture *c, struct mem_lines *in, mem_emit_fn *emit, void *ctx,
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
	if (st == MEM_NONE && lines > 0) {
		/* The newline that ends the input ends its last line; it is not content. */
		size_t n = text.len > 0 && text.data[text.len - 1] == '\n' ? text.len - 1 : text.len;
		struct mem_line whole = {
			.text = { text.data != NULL ? text.data : "", n }, .number = 1, .too_long = too_long,
		};
		take_line(c, &whole);
	}
	if (st == MEM_NONE)
		st = commit(c, emit, ctx, total, err);
	mem_buf_release(&text);
	return st;
}

enum mem_status
mem_capture_run(const struct mem_store_ask *store, const struct mem_capture_ask *ask, int fd,
    mem_emit_fn *emit, void *ctx, struct mem_write_total *total, struct mem_err *err)
{
	struct capture c;
	struct mem_lines in;
	mem_lines_init(&in, fd, MEM_LINE_MAX);
	in.stop_fd = ask->stop_fd;
	*total = (struct mem_write_total){ 0 };
	enum mem_status st = capture_open(&c, store, ask, err);
	if (st == MEM_OK && ask->form == MEM_CAPTURE_WHOLE)
		st = run_whole(&c, &in, emit, ctx, total, err);
	else if (st == MEM_OK)
		st = run_lines(&c, &in, emit, ctx, total, err);
	mem_lines_release(&in);
	capture_close(&c);
	if ((st == MEM_OK || st == MEM_NONE) && ask->embed == MEM_CAPTURE_EMBED_ALL && total->unembedded.status != MEM_OK) {
		*err = total->unembedded;
		return err->status;
	}
	if (st == MEM_OK && total->rejected > 0)
		return mem_err_set(err, MEM_NONE, "%llu of the input refused", (unsigned long long)total->rejected);
	return st;
}
