/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text through two cleaners, one of which tries its rules where literals are missing that each match has as well: both find
 * the same.  The first byte chooses groups and mode.
 */
#include <stdlib.h>
#include <string.h>

#include "clean/clean.h"
#include "clean/clean_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct found {
	struct mem_findings f;
	struct mem_buf out;
	struct mem_err err;
};

static void
require_that(bool good)
{
	if (!good)
		abort();
}

static struct mem_clean *
new_cleaner(unsigned which, bool eager)
{
	struct mem_clean *c = mem_clean_new(which & 7, which >= 8 ? MEM_MARKERS_STRICT : MEM_MARKERS_EXCISE);
	if (!eager)
		return c;
	struct clean_set *s = &c->sets[0];
	struct clean_rule *rules = mem_xmalloc(s->n * sizeof *rules);
	memcpy(rules, s->rules, s->n * sizeof *rules);
	for (size_t i = 0; i < s->n; i++)
		rules[i].nneeds = 0;
	s->rules = rules; /* as long as the process is */
	return c;
}

static void
find_all(struct found *x, struct mem_clean *c, struct mem_str text)
{
	mem_findings_begin(&x->f, c, text.n);
	(void)mem_clean_string(&x->f, "content", false, text, &x->out, &x->err);
}

static void
release_found(struct found *x)
{
	mem_findings_release(&x->f);
	mem_buf_release(&x->out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mem_clean *lazy[16], *eager[16];
	struct found a = { 0 }, b = { 0 };
	if (size < 1)
		return 0;
	unsigned which = data[0] & 15U;
	struct mem_str text = { (const char *)data + 1, size - 1 };
	text.n = mem_utf8_valid(text.p, text.n);
	if (lazy[which] == NULL) {
		lazy[which] = new_cleaner(which, false);
		eager[which] = new_cleaner(which, true);
	}
	find_all(&a, lazy[which], text);
	find_all(&b, eager[which], text);
	require_that(a.err.status == b.err.status && mem_str_eq(mem_buf_span(&a.out), mem_buf_span(&b.out)));
	require_that(a.f.nflags == b.f.nflags && a.f.nredactions == b.f.nredactions);
	for (size_t i = 0; i < a.f.nflags; i++)
		require_that(mem_str_eq(a.f.flags[i].marker, b.f.flags[i].marker) && a.f.flags[i].start == b.f.flags[i].start);
	release_found(&b);
	release_found(&a);
	return 0;
}
