/* SPDX-License-Identifier: Apache-2.0 */
/* The last turns of a transcript. */
#include "prompt/context.h"

#include <stdlib.h>
#include <string.h>

#include "record/record.h"

void
mem_context_turns_init(struct mem_context_turns *t, size_t max)
{
	*t = (struct mem_context_turns){ .max = max, .v = mem_xcalloc(max, sizeof *t->v) };
}

/* Is it what a person or an agent said? */
static bool
is_said(const struct mem_rec *r)
{
	struct mem_json role = mem_rec_value(r, "role");
	return !mem_json_there(role) || mem_json_is(role, "user") || mem_json_is(role, "assistant");
}

void
mem_context_turns_add(struct mem_context_turns *t, struct mem_str event)
{
	struct mem_rec r = { 0 };
	mem_buf_reset(&t->text);
	if (mem_rec_scan(&r, event, NULL) == MEM_OK && is_said(&r) && mem_json_decode(&t->text, mem_rec_value(&r, "content")) && t->text.len > 0) {
		struct mem_str *to = &t->v[t->n++ % t->max];
		size_t n = mem_utf8_cut(mem_buf_span(&t->text), MEM_CONTEXT_TURN_MAX);
		char *copy = mem_xmalloc(n + 1);
		memcpy(copy, t->text.data, n);
		free((void *)(uintptr_t)to->p);
		*to = (struct mem_str){ copy, n };
	}
	mem_rec_release(&r);
}

void
mem_context_turns_put(struct mem_context_turns *t, struct mem_buf *out)
{
	size_t kept = t->n < t->max ? t->n : t->max;
	for (size_t i = 0; i < kept; i++) {
		if (i > 0)
			mem_buf_putc(out, '\n');
		mem_buf_str(out, t->v[(t->n - 1 - i) % t->max]);
	}
}

void
mem_context_turns_release(struct mem_context_turns *t)
{
	for (size_t i = 0; i < t->max; i++)
		free((void *)(uintptr_t)t->v[i].p);
	free(t->v);
	mem_buf_release(&t->text);
	*t = (struct mem_context_turns){ 0 };
}
