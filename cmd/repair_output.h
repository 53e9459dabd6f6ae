/* SPDX-License-Identifier: Apache-2.0 */
/* Receipts of repairs: on a terminal with what was done, and the advice. */
#ifndef MEM_REPAIR_OUTPUT_H
#define MEM_REPAIR_OUTPUT_H

#include "cli/cli.h"
#include "record/record.h"

/* Of a receipt in words: "circular: edge_removed", then the advice. */
static inline void
print_repair_words(struct mem_str line)
{
	struct mem_arena a = { 0 };
	struct mem_buf text = { 0 };
	struct mem_json receipt = mem_json_object(line);
	struct mem_str type = mem_json_text(&a, mem_json_member(receipt, "type"));
	struct mem_str action = mem_json_text(&a, mem_json_path(receipt, "repair.action"));
	struct mem_str advice = mem_json_text(&a, mem_json_member(receipt, "advice"));
	if (type.n > 0) {
		mem_buf_printf(&text, "  %.*s: %.*s", (int)type.n, type.p, (int)action.n, action.n > 0 ? action.p : "");
		mem_buf_printf(&text, "%s%.*s", action.n > 0 && advice.n > 0 ? "; " : "", (int)advice.n, advice.n > 0 ? advice.p : "");
		mem_out_line(mem_buf_span(&text));
	}
	mem_buf_release(&text);
	mem_arena_release(&a);
}

/* A mem_emit_fn, of a struct mem_receipts. */
static inline bool
print_repairs(void *receipts, struct mem_str lines)
{
	const struct mem_receipts *r = receipts;
	bool words = mem_text_wanted(r->format) && !r->quiet, good = true;
	for (size_t from = 0; from < lines.n && good;) {
		const char *p = lines.p + from;
		const char *nl = memchr(p, '\n', lines.n - from);
		struct mem_str line = { p, nl != NULL ? (size_t)(nl - p) : lines.n - from };
		good = mem_receipts_print(receipts, line);
		if (words)
			print_repair_words(line);
		from += line.n + 1;
	}
	return good;
}

#endif
