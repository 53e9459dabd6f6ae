/* SPDX-License-Identifier: Apache-2.0 */
/* Receipts as JSON, and what they come to. */
#include "write/receipt.h"

#include "clean/clean_text.h"
#include "record/record.h"

#include <string.h>

static void
put_receipt_id(struct mem_buf *out, const char *name, const struct mem_id *id)
{
	char text[MEM_ID_LEN + 1];
	if (id == NULL) {
		mem_json_put_null(out, name);
		return;
	}
	mem_id_format(id, text);
	mem_json_put_field(out, name, mem_str(text));
}

bool
mem_receipts_drop(void *ctx, struct mem_str lines)
{
	(void)ctx;
	(void)lines;
	return true;
}

void
mem_receipt_put(struct mem_buf *out, const struct mem_receipt *r)
{
	static const char *const verdicts[] = {
		[MEM_NEW] = "new", [MEM_DUPLICATE] = "duplicate", [MEM_NEAR_DUPLICATE] = "near_duplicate",
		[MEM_REJECTED] = "rejected", [MEM_CHANGED] = "changed", [MEM_UNCHANGED] = "unchanged",
		[MEM_REMOVED] = "removed",
	};
	bool rejected = r->verdict == MEM_REJECTED;
	mem_buf_putc(out, '{');
	mem_json_put_int(out, "line", (int64_t)r->line);
	mem_json_put_field(out, "verdict", mem_str(verdicts[r->verdict]));
	put_receipt_id(out, "id", r->has_id ? &r->id : NULL);
	if (rejected) {
		mem_json_put_field(out, "reason", mem_str(r->reason));
		mem_json_put_int(out, "offset", (int64_t)r->offset);
	} else {
		mem_json_put_null(out, "reason");
		mem_json_put_null(out, "offset");
	}
	mem_json_put_text(out, "ns", r->ns);
	bool merged = r->verdict == MEM_CHANGED && r->has_near;
	put_receipt_id(out, "duplicate_of", r->verdict == MEM_NEAR_DUPLICATE || merged ? &r->near :
	    r->verdict == MEM_DUPLICATE && r->has_id ? &r->id : NULL);
	if (r->verdict == MEM_NEAR_DUPLICATE || (merged && r->score > 0))
		mem_json_put_num(out, "score", r->score);
	else
		mem_json_put_null(out, "score");
	mem_json_put_key(out, "redactions");
	mem_redactions_put(out, &r->found);
	mem_json_put_key(out, "injection_flags");
	mem_flags_put(out, &r->found);
	mem_buf_str(out, r->more);
	mem_buf_puts(out, "}\n");
}

static bool
is_denial(const char *reason)
{
	return strcmp(reason, "namespace_denied") == 0 || strcmp(reason, "rights_denied") == 0;
}

void
mem_receipt_count(struct mem_write_total *total, const struct mem_receipt *r)
{
	total->stored += r->verdict == MEM_NEW || r->verdict == MEM_NEAR_DUPLICATE || r->verdict == MEM_CHANGED ||
	    r->verdict == MEM_REMOVED;
	total->duplicates += r->verdict == MEM_DUPLICATE || r->verdict == MEM_UNCHANGED;
	total->rejected += r->verdict == MEM_REJECTED;
	total->denied += r->verdict == MEM_REJECTED && is_denial(r->reason);
}

enum mem_status
mem_write_outcome(const struct mem_write_total *total, struct mem_err *err)
{
	if (total->rejected == 0)
		return MEM_OK;
	return mem_err_set(err, MEM_REFUSED, "%llu of the input refused", (unsigned long long)total->rejected);
}
