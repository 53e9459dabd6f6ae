/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of cleaning share: a cleaner with what it found, and the labelled texts. */
#ifndef CLEAN_FIXTURE_H
#define CLEAN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clean/clean.h"
#include "record/record.h"

struct fixture {
	struct mem_clean *clean;
	struct mem_findings found;
	struct mem_buf out;
	struct mem_err err;
};

static inline struct fixture
fixture(unsigned groups, enum mem_marker_mode mode)
{
	struct fixture x = { .clean = mem_clean_new(groups, mode) };
	mem_buf_puts(&x.out, "");
	return x;
}

static inline void
drop(struct fixture *x)
{
	mem_findings_release(&x->found);
	mem_buf_release(&x->out);
	mem_clean_free(x->clean);
}

/* The string at `path` cleaned, or the text itself where nothing was to change. */
static inline const char *
cleaned_at(struct fixture *x, const char *path, struct mem_str text)
{
	mem_findings_begin(&x->found, x->clean, text.n);
	mem_buf_reset(&x->out);
	if (!mem_clean_string(&x->found, path, false, text, &x->out, &x->err)) {
		assert_int_equal(x->err.status, MEM_OK);
		mem_buf_str(&x->out, text);
	}
	return x->out.data;
}

static inline const char *
cleaned(struct fixture *x, struct mem_str text)
{
	return cleaned_at(x, "content", text);
}

/* Take the « » out of `marked`; where they stood are spans. */
static inline size_t
unmark(const char *marked, struct mem_buf *text, size_t spans[][2])
{
	size_t n = 0;
	for (const char *p = marked; *p != '\0';) {
		if (memcmp(p, "«", 2) == 0) {
			spans[n][0] = text->len;
			p += 2;
		} else if (memcmp(p, "»", 2) == 0) {
			spans[n++][1] = text->len;
			p += 2;
		} else {
			mem_buf_putc(text, *p++);
		}
	}
	return n;
}

/* Of all groups: what stands between « » goes, the first of it as a `kind`, and nothing else. */
static inline bool
marked_goes(const char *marked, const char *kind)
{
	struct fixture x = fixture(MEM_REDACT_ALL, MEM_MARKERS_EXCISE);
	struct mem_buf text = { 0 };
	size_t spans[8][2], n = unmark(marked, &text, spans);
	cleaned(&x, mem_buf_span(&text));
	bool same = x.found.nredactions == n && (n == 0 || mem_str_is(x.found.redactions[0].kind, kind));
	for (size_t k = 0; same && k < n; k++)
		same = x.found.redactions[k].start == spans[k][0] && x.found.redactions[k].end == spans[k][1] &&
		    mem_str_is(x.found.redactions[k].field, "content");
	if (!same)
		print_message("%s\n  -> %s\n", marked, x.out.data);
	mem_buf_release(&text);
	drop(&x);
	return same;
}

/* Of all groups, nothing of it goes. */
static inline bool
stays(const char *text)
{
	struct fixture x = fixture(MEM_REDACT_ALL, MEM_MARKERS_EXCISE);
	bool same = strcmp(cleaned(&x, mem_str(text)), text) == 0 && x.found.nredactions == 0;
	if (!same)
		print_message("%s\n  -> %s\n", text, x.out.data);
	drop(&x);
	return same;
}

/* Cleans the `text` of each record of a file and has `look` compare; skips the test where the file cannot be opened. */
static inline void
each_text(const char *path, struct fixture *x, void (*look)(void *ctx, const struct fixture *x, const struct mem_rec *rec), void *ctx)
{
	struct mem_lines lines;
	struct mem_line line;
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		drop(x);
		skip();
	}
	mem_lines_init(&lines, fd, MEM_LINE_MAX);
	while (mem_lines_next(&lines, &line, &x->err) == MEM_OK) {
		assert_int_equal(mem_rec_scan(&rec, line.text, &x->err), MEM_OK);
		cleaned(x, mem_json_text(&arena, mem_rec_find(&rec, "text")->value));
		look(ctx, x, &rec);
	}
	mem_lines_release(&lines);
	mem_rec_release(&rec);
	mem_arena_release(&arena);
	close(fd);
}

/* The same of SET/dev.ndjson below $MEMKIT_DATA. */
static inline void
each_labelled(const char *set, struct fixture *x,
    void (*look)(void *ctx, const struct fixture *x, const struct mem_rec *rec), void *ctx)
{
	const char *data = getenv("MEMKIT_DATA");
	char path[4096];
	snprintf(path, sizeof path, "%s/%s/dev.ndjson", data != NULL ? data : "", set);
	each_text(path, x, look, ctx);
}

#endif
