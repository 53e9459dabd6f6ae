/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text through the cleaner and the escapes.  The first byte chooses groups and mode.
 * Spans lie in the text in order, what comes out is UTF-8 and clean (to clean it again changes
 * nothing, of a string and of a record), a JSON text stays one, and no escape lets a tag through.
 */
#include <stdlib.h>
#include <string.h>

#include "clean/clean.h"
#include "clean/clean_text.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mem_clean *cleaners[24];

static void
require_that(bool good)
{
	if (!good)
		abort();
}

static void
check_spans(const struct mem_findings *f, struct mem_str text)
{
	size_t at = 0;
	for (size_t i = 0; i < f->nredactions; i++) {
		require_that(f->redactions[i].start >= at && f->redactions[i].start < f->redactions[i].end);
		require_that(f->redactions[i].end <= text.n);
		at = f->redactions[i].start;
	}
	at = 0;
	for (size_t i = 0; i < f->nflags; i++) {
		require_that(f->flags[i].start >= at && f->flags[i].start < f->flags[i].end && f->flags[i].end <= text.n);
		struct mem_str part = { text.p + f->flags[i].start, f->flags[i].end - f->flags[i].start };
		struct mem_hash hash = mem_hash128(NULL, &part, 1);
		require_that(memcmp(&hash, &f->flags[i].hash, sizeof hash) == 0);
		at = f->flags[i].start;
	}
}

static void
check_escapes(struct mem_str text)
{
	struct mem_buf out = { 0 };
	mem_escape_attr(&out, text);
	require_that(out.len == 0 || (strpbrk(out.data, "<>\"'\n\x1b") == NULL && strlen(out.data) == out.len));
	mem_buf_reset(&out);
	mem_escape_text(&out, text);
	require_that(mem_utf8_valid(out.data, out.len) == out.len && memchr(out.data != NULL ? out.data : "", '<', out.len) == NULL);
	mem_buf_release(&out);
}

static bool
is_json(struct mem_str text)
{
	struct mem_json v;
	struct mem_err err;
	return mem_json_scan(&v, text, &err) == MEM_OK && v.type >= MEM_JSON_STRING;
}

static void
check_clean_string(struct mem_clean *c, const char *path, bool is_key, struct mem_str text)
{
	struct mem_findings f = { 0 };
	struct mem_buf out = { 0 };
	struct mem_err err;
	mem_findings_begin(&f, c, text.n);
	require_that(!mem_clean_string(&f, path, is_key, text, &out, &err));
	require_that(err.status == MEM_OK && f.nredactions == 0);
	mem_findings_release(&f);
	mem_buf_release(&out);
}

/* A record that was cleaned, once more. */
static void
check_clean_record(struct mem_clean *c, struct mem_str text)
{
	struct mem_findings f = { 0 };
	struct mem_clean_rec once = { 0 }, twice = { 0 };
	struct mem_rec rec = { 0 };
	struct mem_arena a = { 0 };
	struct mem_err err;
	if (mem_rec_scan(&rec, text, &err) == MEM_OK && mem_clean_record(&once, &f, c, &rec, &a, &err) == MEM_OK) {
		require_that(mem_clean_record(&twice, &f, c, once.rec, &a, &err) == MEM_OK);
		require_that(mem_str_eq(once.rec->text, twice.rec->text) && f.nredactions == 0);
	}
	mem_clean_rec_release(&twice);
	mem_clean_rec_release(&once);
	mem_rec_release(&rec);
	mem_arena_release(&a);
	mem_findings_release(&f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_findings f = { 0 };
	struct mem_buf out = { 0 };
	struct mem_err err;
	if (size < 1)
		return 0;
	struct mem_str text = { (const char *)data + 1, size - 1 };
	check_escapes(text);
	text.n = mem_utf8_valid(text.p, text.n);
	unsigned which = (data[0] & 15U) + ((data[0] & 72) == 64 ? 16U : 0U);
	if (cleaners[which] == NULL)
		cleaners[which] = mem_clean_new(which & 7, which >= 16 ? MEM_MARKERS_STRICT : which < 8 ? MEM_MARKERS_EXCISE : MEM_MARKERS_FLAG);
	mem_findings_begin(&f, cleaners[which], text.n);
	bool named = (data[0] & 16) != 0; /* the whole value may be the secret */
	const char *path = named ? "a.token" : "content";
	bool is_key = (data[0] & 32) != 0;
	bool changed = mem_clean_string(&f, path, is_key, text, &out, &err);
	if (err.status != MEM_OK) { /* nested too deep; no input here is long enough to use up the budget */
		require_that(!changed && strcmp(err.reason, "residue") == 0);
		mem_findings_release(&f);
		return 0;
	}
	require_that(changed == (f.nredactions > 0 || mem_flags_cut(f.flags, f.nflags)));
	check_spans(&f, text);
	for (size_t i = 0; i < f.nflags; i++)
		require_that(which >= 16 ? f.flags[i].cut || memchr(text.p + f.flags[i].start, '"', f.flags[i].end - f.flags[i].start) != NULL
		    : which < 8 || !f.flags[i].cut);
	if (changed) {
		require_that(mem_utf8_valid(out.data, out.len) == out.len);
		if (!named && is_json(text))
			require_that(is_json(mem_buf_span(&out)));
		check_clean_string(cleaners[which], path, is_key, mem_buf_span(&out));
	}
	check_clean_record(cleaners[which], text);
	(void)mem_clean_residue(text, mem_buf_span(&out));
	mem_findings_release(&f);
	mem_buf_release(&out);
	return 0;
}
