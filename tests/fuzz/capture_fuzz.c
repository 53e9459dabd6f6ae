/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a batch of events or of texts; the first byte chooses the form and the settings.  All of it goes
 * through the writing transaction too, which is then dropped, so that the store never changes.
 */
#include "fuzz_store.h"

#include <string.h>

#include "capture/capture_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 16 };

static struct mem_index memory;
static struct mem_clean *cleaners[4];

static void
begin(void)
{
	static const char *const groups[] = { "secrets,personal", "all" };
	static const char *const modes[] = { "excise", "flag" };
	static char path[100];
	struct mem_err err;
	fuzz_dir_make();
	fuzz_store_init("s", path, sizeof path);
	struct mem_store_ask ask = fuzz_store_ask(path);
	MUST(mem_index_open(&memory, &ask, &err) == MEM_OK);
	for (size_t i = 0; i < MEM_COUNT(cleaners); i++)
		MUST(mem_write_cleaner(&cleaners[i], memory.store, groups[i % 2], modes[i / 2], &err) == MEM_OK);
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
	for (size_t i = 0; i < r->nredactions; i++)
		MUST(r->redactions[i].start < r->redactions[i].end && (events || r->redactions[i].end <= line.n));
	for (size_t i = 0; i < r->nflags; i++)
		MUST(r->flags[i].start < r->flags[i].end && (events || r->flags[i].end <= line.n));
	mem_rec_release(&rec);
	mem_buf_release(&out);
}

static enum mem_status
write_and_drop(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	MUST(capture_write(t, ctx, err) == MEM_OK);
	return mem_err_set(err, MEM_NONE, "dropped");
}

/* The lines become items; returns how many. */
static size_t
take(struct capture *c, struct mem_str lines[LINES_MAX], struct mem_str rest)
{
	size_t n = 0;
	while (n < LINES_MAX && rest.n > 0) {
		const char *nl = memchr(rest.p, '\n', rest.n);
		lines[n] = (struct mem_str){ rest.p, nl != NULL ? (size_t)(nl - rest.p) : rest.n };
		rest.p += lines[n].n + (nl != NULL);
		rest.n -= lines[n].n + (nl != NULL);
		c->items[n] = (struct capture_item){ .receipt.line = n + 1 };
		if (c->ask->form == MEM_CAPTURE_EVENTS)
			capture_event(c, &c->items[n], lines[n]);
		else
			capture_text(c, &c->items[n], lines[n]);
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
	struct mem_capture_ask ask = { .stop_fd = -1, .form = (data[0] & 1) != 0 ? MEM_CAPTURE_LINES : MEM_CAPTURE_EVENTS };
	if ((data[0] & 2) != 0) {
		ask.role = "tool";
		ask.session = "s";
		ask.speaker = "a \"b\"";
		ask.tags = tags;
		ask.ntags = MEM_COUNT(tags);
	}
	struct mem_str own = MEM_STR("agent:ada"), lines[LINES_MAX];
	struct capture_item items[LINES_MAX];
	struct capture c = { .ask = &ask, .memory = memory, .clean = cleaners[data[0] >> 2 & 3], .ns = own, .own_ns = own,
		.commit_every = 256, .max_bytes = (data[0] & 16) != 0 ? 40 : 1 << 20, .trust = 0.5, .trust_max = 0.9, .items = items };
	struct mem_err err;
	c.nitems = take(&c, lines, (struct mem_str){ (const char *)data + 1, size - 1 });
	MUST(mem_store_write(memory.store, write_and_drop, &c, &err) == MEM_NONE);
	for (size_t i = 0; i < c.nitems; i++)
		check_receipt(&items[i].receipt, lines[i], ask.form == MEM_CAPTURE_EVENTS);
	mem_findings_release(&c.findings);
	mem_arena_release(&c.arena);
	mem_rec_release(&c.rec);
	mem_rec_release(&c.cleaned);
	mem_buf_release(&c.scratch);
	mem_buf_release(&c.text);
	mem_buf_release(&c.node);
	return 0;
}
