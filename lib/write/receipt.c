/* SPDX-License-Identifier: Apache-2.0 */
#include "write/write.h"

#include <string.h>

void
mem_receipt_put_findings(struct mem_buf *out, const struct mem_receipt *r, bool always)
{
	if (always || r->nredactions > 0) {
		mem_json_put_key(out, "redactions");
		mem_buf_putc(out, '[');
		for (size_t i = 0; i < r->nredactions; i++) {
			const struct mem_redaction *x = &r->redactions[i];
			mem_buf_puts(out, i > 0 ? ",{" : "{");
			mem_json_put_field(out, "field", x->field);
			mem_json_put_field(out, "kind", x->kind);
			mem_json_put_int(out, "start", (int64_t)x->start);
			mem_json_put_int(out, "end", (int64_t)x->end);
			if (x->in_key)
				mem_json_put_raw(out, "in_key", MEM_STR("true"));
			mem_buf_putc(out, '}');
		}
		mem_buf_putc(out, ']');
	}
	if (always || r->nflags > 0) {
		mem_json_put_key(out, "injection_flags");
		mem_buf_putc(out, '[');
		for (size_t i = 0; i < r->nflags; i++) {
			const struct mem_flag *f = &r->flags[i];
			char hash[2 * sizeof f->hash.b + 1];
			mem_hash_hex(f->hash.b, sizeof f->hash.b, hash);
			mem_buf_puts(out, i > 0 ? ",{" : "{");
			mem_json_put_field(out, "marker", f->marker);
			mem_json_put_field(out, "field", f->field);
			mem_json_put_int(out, "start", (int64_t)f->start);
			mem_json_put_int(out, "end", (int64_t)f->end);
			mem_json_put_field(out, "hash", mem_str(hash));
			mem_buf_putc(out, '}');
		}
		mem_buf_putc(out, ']');
	}
}

static void
put_id(struct mem_buf *out, const char *name, const struct mem_id *id)
{
	char text[MEM_ID_LEN + 1];
	if (id == NULL) {
		mem_json_put_raw(out, name, MEM_STR("null"));
		return;
	}
	mem_id_format(id, text);
	mem_json_put_field(out, name, mem_str(text));
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
	put_id(out, "id", r->has_id ? &r->id : NULL);
	if (rejected) {
		mem_json_put_field(out, "reason", mem_str(r->reason));
		mem_json_put_int(out, "offset", (int64_t)r->offset);
	} else {
		mem_json_put_raw(out, "reason", MEM_STR("null"));
		mem_json_put_raw(out, "offset", MEM_STR("null"));
	}
	if (r->ns.n > 0)
		mem_json_put_field(out, "ns", r->ns);
	else
		mem_json_put_raw(out, "ns", MEM_STR("null"));
	put_id(out, "duplicate_of", r->verdict == MEM_NEAR_DUPLICATE ? &r->near.id :
	    r->verdict == MEM_DUPLICATE && r->has_id ? &r->id : NULL);
	if (r->verdict == MEM_NEAR_DUPLICATE)
		mem_json_put_num(out, "score", r->near.score);
	else
		mem_json_put_raw(out, "score", MEM_STR("null"));
	mem_receipt_put_findings(out, r, true);
	mem_buf_puts(out, "}\n");
}

void
mem_receipt_count(struct mem_write_total *total, const struct mem_receipt *r)
{
	total->stored += r->verdict == MEM_NEW || r->verdict == MEM_NEAR_DUPLICATE || r->verdict == MEM_CHANGED;
	total->duplicates += r->verdict == MEM_DUPLICATE || r->verdict == MEM_UNCHANGED;
	total->rejected += r->verdict == MEM_REJECTED;
}
