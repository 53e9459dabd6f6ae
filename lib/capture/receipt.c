/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_int.h"

#include <string.h>

void
capture_put_findings(struct mem_buf *out, const struct capture_item *item, bool always)
{
	if (always || item->nredactions > 0) {
		mem_json_put_key(out, "redactions");
		mem_buf_putc(out, '[');
		for (size_t i = 0; i < item->nredactions; i++) {
			const struct mem_redaction *r = &item->redactions[i];
			mem_buf_puts(out, i > 0 ? ",{" : "{");
			mem_json_put_field(out, "field", r->field);
			mem_json_put_field(out, "kind", r->kind);
			mem_json_put_int(out, "start", (int64_t)r->start);
			mem_json_put_int(out, "end", (int64_t)r->end);
			if (r->in_key)
				mem_json_put_raw(out, "in_key", MEM_STR("true"));
			mem_buf_putc(out, '}');
		}
		mem_buf_putc(out, ']');
	}
	if (always || item->nflags > 0) {
		mem_json_put_key(out, "injection_flags");
		mem_buf_putc(out, '[');
		for (size_t i = 0; i < item->nflags; i++) {
			const struct mem_flag *f = &item->flags[i];
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
capture_receipt(struct mem_buf *out, const struct capture_item *item)
{
	static const char *const verdicts[] = {
		[VERDICT_NEW] = "new", [VERDICT_DUPLICATE] = "duplicate", [VERDICT_REJECTED] = "rejected",
	};
	bool rejected = item->verdict == VERDICT_REJECTED;
	mem_buf_putc(out, '{');
	mem_json_put_int(out, "line", (int64_t)item->line);
	mem_json_put_field(out, "verdict", mem_str(verdicts[item->verdict]));
	put_id(out, "id", rejected ? NULL : &item->id);
	if (rejected) {
		mem_json_put_field(out, "reason", mem_str(item->reason));
		mem_json_put_int(out, "offset", (int64_t)item->offset);
	} else {
		mem_json_put_raw(out, "reason", MEM_STR("null"));
		mem_json_put_raw(out, "offset", MEM_STR("null"));
	}
	if (item->ns.n > 0)
		mem_json_put_field(out, "ns", item->ns);
	else
		mem_json_put_raw(out, "ns", MEM_STR("null"));
	put_id(out, "duplicate_of", item->verdict == VERDICT_DUPLICATE ? &item->id : NULL);
	mem_json_put_raw(out, "score", MEM_STR("null"));
	capture_put_findings(out, item, true);
	mem_buf_puts(out, "}\n");
}
