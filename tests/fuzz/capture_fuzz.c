/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a batch of events or of texts; the first byte chooses the form and the settings.  All of it goes
 * through the writing transaction too, which is then dropped, so that the store never changes.
 */
#include "fuzz_store.h"

#include <string.h>

#include "capture/capture_int.h"
#include "write/write_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 16 };

/* One for each way to sanitise, over one open store. */
static struct mem_index memory;
static struct mem_writer *writers[4];

static void
begin(void)
{
	static const char *const groups[] = { "secrets,personal", "all" };
	static const char *const modes[] = { "excise", "flag" };
	static char path[100];
	struct mem_err err;
	fuzz_dir_make();
	fuzz_store_init("s", path, sizeof path);
	struct mem_store_options ask = fuzz_store_ask(path);
	MUST(mem_index_open(&memory, &ask, &err) == MEM_OK);
	const struct mem_write_options o = { .via = "fuzz", .audit_refusals = true, .decide = capture_decide_node };
	for (size_t i = 0; i < MEM_COUNT(writers); i++) {
		writers[i] = mem_writer_new(&memory, &o);
		MUST(mem_writer_sanitise(writers[i], groups[i % 2], modes[i / 2], &err) == MEM_OK);
	}
}

/* What is in the receipt must be what is in the line. */
static void
check_receipt(const struct mem_receipt *r, struct mem_str line, bool events)
{
	struct mem_buf out = { 0 };
	struct mem_rec rec = { 0 };
	struct mem_err err;
	mem_receipt_put(&out, r);
	struct mem_str text = mem_buf_span(&out);
	MUST(text.n > 0 && text.p[text.n - 1] == '\n');
	text.n--;
	MUST(memchr(text.p, '\n', text.n) == NULL && mem_rec_scan(&rec, text, &err) == MEM_OK);
	MUST((r->verdict == MEM_REJECTED) == (r->reason != NULL));
	MUST(r->offset <= line.n);
	const struct mem_finding_list *f = &r->found;
	for (size_t i = 0; i < f->nredactions; i++)
		MUST(f->redactions[i].start < f->redactions[i].end && (events || f->redactions[i].end <= line.n));
	for (size_t i = 0; i < f->nflags; i++)
		MUST(f->flags[i].start < f->flags[i].end && (events || f->flags[i].end <= line.n));
	mem_rec_release(&rec);
	mem_buf_release(&out);
}

static enum mem_status
write_and_drop(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	MUST(write_batch_run(t, ctx, err) == MEM_OK);
	return mem_err_set(err, MEM_STOPPED, "dropped");
}

/* The lines become items; returns how many. */
static size_t
queue_lines(struct capture_run *c, struct mem_str lines[LINES_MAX], struct mem_str rest)
{
	size_t n = 0;
	while (n < LINES_MAX && rest.n > 0) {
		const char *nl = memchr(rest.p, '\n', rest.n);
		lines[n] = (struct mem_str){ rest.p, nl != NULL ? (size_t)(nl - rest.p) : rest.n };
		rest.p += lines[n].n + (nl != NULL);
		rest.n -= lines[n].n + (nl != NULL);
		if (c->options->form == MEM_CAPTURE_EVENTS)
			capture_queue_event(c, n + 1, lines[n]);
		else
			capture_queue_text(c, n + 1, lines[n]);
		n++;
	}
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const tags[] = { "one", "two" };
	if (memory.store == NULL)
		begin();
	if (size == 0)
		return 0;
	struct mem_capture_options ask = { .stop_fd = -1, .form = (data[0] & 1) != 0 ? MEM_CAPTURE_LINES : MEM_CAPTURE_EVENTS };
	if ((data[0] & 2) != 0) {
		ask.role = "tool";
		ask.session = "s";
		ask.speaker = "a \"b\"";
		ask.tags = tags;
		ask.ntags = MEM_COUNT(tags);
	}
	struct mem_str lines[LINES_MAX];
	struct mem_writer *w = writers[data[0] >> 2 & 3];
	struct capture_run c = { .options = &ask, .writer = w, .ns = mem_writer_ns(w),
		.max_bytes = (data[0] & 16) != 0 ? 40 : 1 << 20, .trust = 0.5, .trust_max = 0.9 };
	struct mem_err err;
	size_t n = queue_lines(&c, lines, (struct mem_str){ (const char *)data + 1, size - 1 });
	MUST(w->nitems == n);
	MUST(mem_store_write(memory.store, write_and_drop, w, &err) == MEM_STOPPED);
	for (size_t i = 0; i < n; i++)
		check_receipt(&w->items[i]->receipt, lines[i], ask.form == MEM_CAPTURE_EVENTS);
	w->nitems = w->bytes = 0;
	mem_arena_reset(&w->arena);
	mem_rec_release(&c.rec);
	mem_clean_rec_release(&c.cleaned);
	mem_buf_release(&c.scratch);
	mem_buf_release(&c.text);
	return 0;
}
