/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a transcript; the first byte chooses the format and its options.  Each
 * event must be a record that capture can take, each ref be given once, and the events
 * must not depend on the portions in which the bytes arrive.
 */
#include "adapt/adapt.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct mem_buf all;     /* the events, a line each */
	struct mem_str *refs;
	size_t n, cap;
	struct mem_arena arena;
};

static void
must(bool ok)
{
	if (!ok)
		abort();
}

static bool
event(void *ctx, struct mem_str json)
{
	struct seen *s = ctx;
	struct mem_rec r = { 0 };
	struct mem_err err;
	must(mem_rec_scan(&r, json, &err) == MEM_OK);
	must(memchr(json.p, '\n', json.n) == NULL);
	struct mem_str ref = mem_json_text(&s->arena, mem_rec_value(&r, "ref"));
	struct mem_str text = mem_json_text(&s->arena, mem_rec_value(&r, "content"));
	must(ref.n > 0 && text.n > 0);
	must(mem_rec_value(&r, "role").type == MEM_JSON_STRING && mem_rec_find(&r, "role") != NULL);
	must(mem_rec_find(&r, "speaker") != NULL);
	for (size_t i = 0; i < s->n; i++)
		must(!mem_str_eq(s->refs[i], ref));
	s->refs = mem_grow(s->refs, &s->cap, s->n + 1, sizeof *s->refs);
	s->refs[s->n++] = ref;
	mem_buf_str(&s->all, json);
	mem_buf_putc(&s->all, '\n');
	mem_rec_release(&r);
	/* Enough of them to see that they differ; comparing is quadratic. */
	return s->n < 2000;
}

static void
fault(void *ctx, const struct mem_adapt_fault *f)
{
	(void)ctx;
	must(f->reason != NULL && f->msg != NULL && f->line > 0);
}

static void
run(struct seen *s, const struct mem_adapt_opts *o, const char *p, size_t n, size_t step)
{
	const struct mem_adapt_sink sink = { .ctx = s, .event = event, .fault = fault };
	struct mem_adapt *a;
	struct mem_err err;
	must(mem_adapt_open(&a, o, &sink, &err) == MEM_OK);
	struct mem_adapt_input *in = mem_adapt_input_new(a, "fuzz.md");
	for (size_t i = 0; i < n; i += step)
		mem_adapt_feed(in, p + i, i + step < n ? step : n - i);
	mem_adapt_end(in);
	mem_adapt_input_free(in);
	mem_adapt_close(a);
}

static void
seen_release(struct seen *s)
{
	mem_buf_release(&s->all);
	mem_arena_release(&s->arena);
	free(s->refs);
}

static void
choose(struct mem_adapt_opts *o, uint8_t byte)
{
	static const char *const maps[] = { "content=m.0", "captured_at=t", "x=y.z", "ns==n" };
	enum { FORMATS = 9 };
	bool more = (byte / FORMATS) % 2 == 1;
	o->format = mem_adapt_formats[byte % FORMATS];
	o->ended = (byte / (2 * FORMATS)) % 2 == 1;
	bool text = strcmp(o->format, "aider") == 0;
	if (strcmp(o->format, "jsonl") == 0) {
		o->maps = maps;
		o->nmaps = more ? MEM_COUNT(maps) : 0;
	} else if (strcmp(o->format, "markdown") == 0) {
		o->split_headings = more;
	} else if (!text) {
		o->thinking = more;
	}
	o->every_branch = more && strcmp(o->format, "chatgpt") == 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_adapt_opts o = { 0 };
	struct seen whole = { 0 }, parts = { 0 };
	if (size == 0)
		return 0;
	choose(&o, data[0]);
	const char *p = (const char *)data + 1;
	run(&whole, &o, p, size - 1, size);
	run(&parts, &o, p, size - 1, 7);
	must(mem_str_eq(mem_buf_span(&whole.all), mem_buf_span(&parts.all)));
	seen_release(&whole);
	seen_release(&parts);
	return 0;
}
