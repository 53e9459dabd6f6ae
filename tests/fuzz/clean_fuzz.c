/* SPDX-License-Identifier: Apache-2.0 */
/* Any text through the built-in rules and through each escape; the first byte chooses what is looked for. */
#include <stdlib.h>
#include <string.h>

#include "clean/clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x) do { if (!(x)) abort(); } while (0)

static void
check_spans(const struct mem_findings *f, size_t n)
{
	size_t start = 0, end = 0;
	for (size_t i = 0; i < f->nredactions; i++) { /* they may overlap */
		const struct mem_redaction *r = &f->redactions[i];
		MUST(r->start >= start && r->start < r->end && r->end > end && r->end <= n && r->kind.n > 0);
		start = r->start;
		end = r->end;
	}
	for (size_t i = 0; i < f->nflags; i++)
		MUST(f->flags[i].start < f->flags[i].end && f->flags[i].end <= n && f->flags[i].marker.n > 0);
}

static void
cleaned(struct mem_clean *c, struct mem_str text, bool is_key)
{
	struct mem_findings f = { 0 };
	struct mem_buf out = { 0 };
	struct mem_err err = { 0 };
	mem_findings_begin(&f, c, text.n);
	bool changed = mem_clean_string(&f, "content", is_key, text, &out, &err);
	if (changed) {
		MUST(f.nredactions > 0 || f.nflags > 0);
		MUST(mem_utf8_valid(out.data, out.len) == out.len);
		check_spans(&f, text.n);
	} else {
		MUST(out.len == 0);
		MUST(err.status == MEM_OK || (err.status == MEM_NONE && strcmp(err.reason, "budget") == 0));
	}
	if (is_key)
		MUST(f.nflags == 0);
	(void)mem_clean_residue(&f, text, changed ? mem_buf_span(&out) : text);
	mem_findings_release(&f);
	mem_buf_release(&out);
}

static void
escaped(struct mem_str any)
{
	struct mem_buf out = { 0 };
	mem_escape_strip(&out, any);
	MUST(out.len == 0 || mem_utf8_valid(out.data, out.len) == out.len);
	mem_buf_reset(&out);
	mem_escape_text(&out, any);
	MUST(out.len == 0 || (memchr(out.data, '<', out.len) == NULL && memchr(out.data, '>', out.len) == NULL));
	mem_buf_reset(&out);
	mem_escape_attr(&out, any);
	MUST(out.len == 0 || (memchr(out.data, '"', out.len) == NULL && memchr(out.data, '\n', out.len) == NULL &&
	    memchr(out.data, '<', out.len) == NULL));
	mem_buf_reset(&out);
	mem_escape_visible(&out, any, false);
	MUST(out.len == 0 || (mem_utf8_valid(out.data, out.len) == out.len && memchr(out.data, '\033', out.len) == NULL));
	mem_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mem_clean *cleaners[8];
	if (size == 0)
		return 0;
	uint8_t which = data[0] & 7;
	if (cleaners[which] == NULL) {
		static const unsigned groups[] = { MEM_REDACT_DEFAULT, MEM_REDACT_ALL, MEM_REDACT_SECRETS, 0 };
		cleaners[which] = mem_clean_new(groups[which & 3], which < 4 ? MEM_MARKERS_EXCISE : MEM_MARKERS_FLAG);
	}
	struct mem_str any = { (const char *)data + 1, size - 1 };
	struct mem_str text = { any.p, mem_utf8_valid(any.p, any.n) };
	cleaned(cleaners[which], text, (data[0] & 8) != 0);
	escaped(any);
	return 0;
}
