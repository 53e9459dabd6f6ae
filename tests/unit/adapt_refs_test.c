/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The promise of the adapters: a transcript cut anywhere, adapted, continued and adapted
 * again gives the refs of the whole file, each once and each with the same event.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/adapt.h"
#include "record/record.h"

struct sample {
	const char *format, *path;
	bool shared;      /* path is in MEMKIT_DATA, not in the project */
	bool loose;       /* the text of the last event of a cut may be shorter than at last */
	bool thinking;
};

static const struct sample samples[] = {
	{ .format = "claude-code", .path = "claude-code.jsonl", .thinking = true },
	{ .format = "claude-code", .path = "claude-history.jsonl" },
	{ .format = "claude-code", .path = "../sample/session.jsonl", .thinking = true },
	{ .format = "codex", .path = "codex.jsonl", .thinking = true },
	{ .format = "codex", .path = "codex-legacy.jsonl", .thinking = true },
	{ .format = "codex", .path = "codex-history.jsonl" },
	{ .format = "gemini", .path = "gemini.jsonl" },
	{ .format = "gemini", .path = "gemini.jsonl", .thinking = true },
	{ .format = "gemini", .path = "gemini.json" },
	{ .format = "gemini", .path = "gemini-logs.json" },
	{ .format = "openai", .path = "openai.jsonl", .thinking = true },
	{ .format = "openai", .path = "openai-conversations.jsonl" },
	{ .format = "chatgpt", .path = "chatgpt.json", .thinking = true },
	{ .format = "jsonl", .path = "generic.jsonl" },
	{ .format = "aider", .path = "aider.md", .loose = true },
	{ .format = "cursor", .path = "cursor-export.md", .loose = true },
	{ .format = "cursor", .path = "cursor-specstory.md", .loose = true, .thinking = true },
	{ .format = "claude-code", .path = "claude-code/sample.jsonl", .shared = true, .thinking = true },
	{ .format = "claude-code", .path = "claude-code/edge.jsonl", .shared = true },
	{ .format = "claude-code", .path = "claude-code/history.jsonl", .shared = true },
	{ .format = "claude-code", .path = "claude-code/subagents/agent-a1b2c3d.jsonl", .shared = true },
	{ .format = "codex", .path = "codex/sample.jsonl", .shared = true },
	{ .format = "codex", .path = "codex/legacy.jsonl", .shared = true },
	{ .format = "codex", .path = "codex/history.jsonl", .shared = true },
	{ .format = "gemini", .path = "gemini-cli/sample.jsonl", .shared = true },
	{ .format = "gemini", .path = "gemini-cli/session.json", .shared = true },
	{ .format = "gemini", .path = "gemini-cli/logs.json", .shared = true },
	{ .format = "openai", .path = "openai/messages.jsonl", .shared = true },
	{ .format = "openai", .path = "openai/conversations.jsonl", .shared = true },
	{ .format = "chatgpt", .path = "chatgpt/conversations.json", .shared = true },
	{ .format = "jsonl", .path = "generic/sample.jsonl", .shared = true },
	{ .format = "aider", .path = "aider/chat.history.md", .shared = true, .loose = true },
	{ .format = "cursor", .path = "cursor/export.md", .shared = true, .loose = true },
	{ .format = "cursor", .path = "cursor/specstory.md", .shared = true, .loose = true },
};

static const char *const maps[] = { "content=msg.body", "captured_at=ts", "speaker=who" };

/* ---- events ----------------------------------------------------------- */

struct got {
	struct event {
		char *line, *ref, *role, *text;
	} *v;
	size_t n, cap;
	size_t faults;
};

static char *
text_of(const struct mem_rec *r, const char *name)
{
	struct mem_buf b = { 0 };
	const struct mem_field *f = mem_rec_find(r, name);
	assert_non_null(f);
	assert_true(mem_json_decode(&b, f->value));
	mem_buf_putc(&b, '\0');
	return b.data;
}

static bool
keep_event(void *ctx, struct mem_str json)
{
	struct got *g = ctx;
	struct mem_rec r = { 0 };
	struct mem_err err;
	if (mem_rec_scan(&r, json, &err) != MEM_OK)
		fail_msg("no record: %s: %.*s", err.msg, (int)json.n, json.p);
	g->v = mem_grow(g->v, &g->cap, g->n + 1, sizeof *g->v);
	struct event *e = &g->v[g->n++];
	e->ref = text_of(&r, "ref");
	e->role = text_of(&r, "role");
	e->text = text_of(&r, "content");
	free(text_of(&r, "speaker"));
	e->line = mem_xmalloc(json.n + 1);
	memcpy(e->line, json.p, json.n);
	e->line[json.n] = '\0';
	mem_rec_release(&r);
	return true;
}

static void
count_fault(void *ctx, const struct mem_adapt_fault *f)
{
	struct got *g = ctx;
	assert_non_null(f->reason);
	g->faults++;
}

static void
got_free(struct got *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->v[i].line);
		free(g->v[i].ref);
		free(g->v[i].role);
		free(g->v[i].text);
	}
	free(g->v);
	*g = (struct got){ 0 };
}

static const struct event *
find(const struct got *g, const char *ref)
{
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->v[i].ref, ref) == 0)
			return &g->v[i];
	return NULL;
}

static struct mem_adapt *
open_adapt(const struct sample *s, struct got *g)
{
	struct mem_adapt *a;
	struct mem_err err;
	struct mem_adapt_opts o = { .format = s->format, .thinking = s->thinking };
	const struct mem_adapt_sink sink = { .ctx = g, .event = keep_event, .fault = count_fault };
	if (strcmp(s->format, "jsonl") == 0) {
		o.maps = maps;
		o.nmaps = MEM_COUNT(maps);
	}
	if (mem_adapt_open(&a, &o, &sink, &err) != MEM_OK)
		fail_msg("%s", err.msg);
	return a;
}

/* One input from its start to `n`, in portions of `step` bytes. */
static void
feed(struct mem_adapt *a, const char *p, size_t n, size_t step, bool end)
{
	struct mem_adapt_input *in = mem_adapt_input_new(a, "x");
	for (size_t i = 0; i < n; i += step)
		mem_adapt_feed(in, p + i, i + step < n ? step : n - i);
	if (end)
		mem_adapt_end(in);
	else
		mem_adapt_settle(in);
	mem_adapt_input_free(in);
}

static void
adapt(struct got *g, const struct sample *s, struct mem_str text, size_t step)
{
	struct mem_adapt *a = open_adapt(s, g);
	feed(a, text.p, text.n, step, true);
	mem_adapt_close(a);
}

static bool
load(const struct sample *s, struct mem_buf *out)
{
	struct mem_buf path = { 0 };
	struct mem_err err;
	const char *data = getenv("MEMKIT_DATA");
	if (s->shared && data == NULL)
		return false;
	if (s->shared)
		mem_buf_printf(&path, "%s/transcripts/%s", data, s->path);
	else
		mem_buf_printf(&path, "tests/data/transcripts/%s", s->path);
	enum mem_status st = mem_file_read(AT_FDCWD, path.data, (size_t)1 << 20, out, &err);
	mem_buf_release(&path);
	if (st != MEM_OK && !s->shared)
		fail_msg("%s", err.msg);
	return st == MEM_OK;
}

/* ---- the promise ------------------------------------------------------ */

static void
same_lists(const char *path, const struct got *a, const struct got *b)
{
	if (a->n != b->n)
		fail_msg("%s: %zu events, then %zu", path, a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		assert_string_equal(a->v[i].line, b->v[i].line);
}

static void
check_cut(const struct sample *s, struct mem_str text, size_t cut, const struct got *whole)
{
	struct got part = { 0 }, both = { 0 };
	adapt(&part, s, (struct mem_str){ text.p, cut }, cut > 0 ? cut : 1);
	for (size_t i = 0; i < part.n; i++) {
		const struct event *e = find(whole, part.v[i].ref);
		if (e == NULL)
			fail_msg("%s cut at %zu: ref %s is not of the whole file", s->path, cut, part.v[i].ref);
		assert_string_equal(e->role, part.v[i].role);
		bool last = i + 1 == part.n;
		if (!(s->loose && last) && strcmp(e->line, part.v[i].line) != 0)
			fail_msg("%s cut at %zu: %s became %s", s->path, cut, part.v[i].line, e->line);
	}
	/* The same in one run: what was given before the cut is not given again. */
	struct mem_adapt *a = open_adapt(s, &both);
	feed(a, text.p, cut, 4096, cut % 2 == 0);
	feed(a, text.p, text.n, 4096, true);
	mem_adapt_close(a);
	if (both.n != whole->n)
		fail_msg("%s cut at %zu: %zu events instead of %zu", s->path, cut, both.n, whole->n);
	for (size_t i = 0; i < whole->n; i++)
		assert_non_null(find(&both, whole->v[i].ref));
	got_free(&part);
	got_free(&both);
}

static void
check_sample(const struct sample *s, size_t *skipped)
{
	struct mem_buf b = { 0 };
	struct got whole = { 0 }, again = { 0 };
	if (!load(s, &b)) {
		(*skipped)++;
		return;
	}
	struct mem_str text = mem_buf_span(&b);
	adapt(&whole, s, text, text.n);
	if (whole.n == 0)
		fail_msg("%s: no events", s->path);
	for (size_t i = 0; i < whole.n; i++)
		assert_ptr_equal(find(&whole, whole.v[i].ref), &whole.v[i]);
	adapt(&again, s, text, 1);
	same_lists(s->path, &whole, &again);
	/* At every record's border, one byte on either side, and here and there inside. */
	for (size_t cut = 0; cut <= text.n; cut++) {
		bool border = cut == 0 || text.p[cut - 1] == '\n' || (cut < text.n && text.p[cut] == '\n');
		bool near = cut > 1 && text.p[cut - 2] == '\n';
		if (border || near || cut % 97 == 0)
			check_cut(s, text, cut, &whole);
	}
	got_free(&whole);
	got_free(&again);
	mem_buf_release(&b);
}

static void
own_samples(void **state)
{
	size_t skipped = 0;
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(samples); i++)
		if (!samples[i].shared)
			check_sample(&samples[i], &skipped);
	assert_int_equal(skipped, 0);
}

static void
shared_samples(void **state)
{
	size_t skipped = 0;
	(void)state;
	if (getenv("MEMKIT_DATA") == NULL)
		skip();
	for (size_t i = 0; i < MEM_COUNT(samples); i++)
		if (samples[i].shared)
			check_sample(&samples[i], &skipped);
	assert_int_equal(skipped, 0);
}

/* ---- streaming -------------------------------------------------------- */

/* A message that grows word by word, with all that Gemini may write between. */
static void
gemini_streams(void **state)
{
	static const struct sample s = { .format = "gemini", .path = "stream" };
	static const char text[] =
	    "{\"sessionId\":\"s\",\"projectHash\":\"h\"}\n"
	    "{\"id\":\"m\",\"type\":\"gemini\",\"content\":\"The\",\"tokens\":null}\n"
	    "{\"id\":\"m\",\"type\":\"gemini\",\"content\":\"The lamp\",\"tokens\":null}\n"
	    "{\"id\":\"m\",\"type\":\"gemini\",\"content\":\"The lamp is B.\",\"tokens\":null}\n"
	    "{\"$set\":{\"lastUpdated\":\"x\"}}\n"
	    "{\"id\":\"m\",\"type\":\"gemini\",\"content\":\"[masked]\",\"tokens\":{}}\n"
	    "{\"$rewindTo\":\"m\"}\n"
	    "{\"id\":\"m\",\"type\":\"gemini\",\"content\":\"Again.\",\"tokens\":{}}\n";
	struct got whole = { 0 };
	(void)state;
	adapt(&whole, &s, (struct mem_str){ text, sizeof text - 1 }, 1000);
	assert_int_equal(whole.n, 1);
	assert_string_equal(whole.v[0].text, "The lamp is B.");
	assert_string_equal(whole.v[0].ref, "s/m");
	for (size_t cut = 0; cut < sizeof text; cut++)
		check_cut(&s, (struct mem_str){ text, sizeof text - 1 }, cut, &whole);
	got_free(&whole);
}

static bool
count_event(void *ctx, struct mem_str json)
{
	(void)json;
	++*(size_t *)ctx;
	return true;
}

static void
say_number(struct mem_adapt_input *in, size_t i)
{
	char line[200];
	int n = snprintf(line, sizeof line, "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"%zu\","
	    "\"message\":{\"content\":\"x\"}}\n", i);
	mem_adapt_feed(in, line, (size_t)n);
}

/* The refs seen are bounded; the last half million are known for sure. */
static void
many_refs(void **state)
{
	enum { N = 700000, KNOWN = 1 << 19 };
	size_t events = 0;
	struct mem_adapt *a;
	struct mem_err err;
	const struct mem_adapt_opts o = { .format = "claude-code" };
	const struct mem_adapt_sink sink = { .ctx = &events, .event = count_event };
	(void)state;
	assert_int_equal(mem_adapt_open(&a, &o, &sink, &err), MEM_OK);
	struct mem_adapt_input *in = mem_adapt_input_new(a, "x");
	for (size_t i = 0; i < N; i++)
		say_number(in, i);
	assert_int_equal(events, N);
	for (size_t i = N - KNOWN; i < N; i++)
		say_number(in, i);
	assert_int_equal(events, N);
	assert_int_equal(mem_adapt_counts(a)->repeated, KNOWN);
	mem_adapt_input_free(in);
	mem_adapt_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_samples),
		cmocka_unit_test(shared_samples),
		cmocka_unit_test(gemini_streams),
		cmocka_unit_test(many_refs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
