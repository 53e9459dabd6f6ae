/* SPDX-License-Identifier: Apache-2.0 */
/* Terms for the exact values of a node's speaker, tags and ref, by which filters find it. */
#include "words/words.h"

#include <stdio.h>

/* U+001F: the unit separator, which the analyser never leaves in a term. */
enum { FIELD_MARK = 0x1f };

static const struct {
	const char *term, *field;  /* how the term begins; of a node */
	bool folded;
} fields[] = {
	[MEM_TERM_SPEAKER] = { "speaker", "speaker", true },
	[MEM_TERM_TAG] = { "tag", "tags", true },
	[MEM_TERM_REF] = { "ref", "ref", false },
};

uint64_t
mem_term_field(const uint8_t *secret, enum mem_field_term field, struct mem_str value)
{
	struct mem_buf b = { 0 };
	mem_buf_puts(&b, fields[field].term);
	mem_buf_putc(&b, FIELD_MARK);
	if (fields[field].folded)
		mem_text_fold(&b, value);
	else
		mem_buf_str(&b, value);
	uint64_t h = mem_hash64(secret, mem_buf_span(&b));
	mem_buf_release(&b);
	return h;
}

uint64_t
mem_term_date(const uint8_t *secret, const struct mem_date_part *part)
{
	char text[32];
	snprintf(text, sizeof text, "date%c%c%d", FIELD_MARK, "dmy"[part->kind], part->value);
	return mem_hash64(secret, mem_str(text));
}

uint64_t
mem_term_day(const uint8_t *secret, int32_t day)
{
	char text[32];
	snprintf(text, sizeof text, "day%c%d", FIELD_MARK, (int)day);
	return mem_hash64(secret, mem_str(text));
}

uint64_t
mem_term_foreign(const uint8_t *secret)
{
	static const char text[] = { 'l', 'e', 't', 't', 'e', 'r', 's', FIELD_MARK };
	return mem_hash64(secret, (struct mem_str){ text, sizeof text });
}

/* One string; most are written without escapes. */
static void
give_string_term(const uint8_t *secret, enum mem_field_term field, struct mem_json v, mem_field_fn *fn, void *ctx)
{
	struct mem_buf text = { 0 };
	struct mem_str value = { v.raw.p + 1, v.raw.n - 2 };
	if (v.escaped) {
		mem_json_decode(&text, v);
		value = mem_buf_span(&text);
	}
	fn(ctx, mem_term_field(secret, field, value));
	mem_buf_release(&text);
}

void
mem_node_field(const uint8_t *secret, const struct mem_rec *node, enum mem_field_term field, mem_field_fn *fn, void *ctx)
{
	struct mem_json v = mem_rec_value(node, fields[field].field);
	if (v.type == MEM_JSON_STRING)
		give_string_term(secret, field, v, fn, ctx);
	for (struct mem_json_iter it = mem_json_each(v); v.type == MEM_JSON_ARRAY && mem_json_next(&it);)
		if (it.value.type == MEM_JSON_STRING)
			give_string_term(secret, field, it.value, fn, ctx);
}
