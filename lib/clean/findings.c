/* SPDX-License-Identifier: Apache-2.0 */
/* What was found in an input: kept beyond it, and as JSON. */
#include "clean/clean_text.h"

void
mem_findings_keep(struct mem_finding_list *out, const struct mem_findings *f, struct mem_arena *a)
{
	*out = (struct mem_finding_list){ 0 };
	if (f->nredactions > 0) {
		struct mem_redaction *to = mem_arena_alloc(a, f->nredactions * sizeof *to);
		for (size_t i = 0; i < f->nredactions; i++) {
			to[i] = f->redactions[i];
			to[i].field = mem_arena_str(a, to[i].field);
			to[i].kind = mem_arena_str(a, to[i].kind);
		}
		out->redactions = to;
		out->nredactions = f->nredactions;
	}
	if (f->nflags > 0) {
		struct mem_flag *to = mem_arena_alloc(a, f->nflags * sizeof *to);
		for (size_t i = 0; i < f->nflags; i++) {
			to[i] = f->flags[i];
			to[i].field = mem_arena_str(a, to[i].field);
			to[i].marker = mem_arena_str(a, to[i].marker);
		}
		out->flags = to;
		out->nflags = f->nflags;
	}
}

bool
mem_flags_cut(const struct mem_flag *flags, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (flags[i].cut)
			return true;
	return false;
}

void
mem_redactions_put(struct mem_buf *out, const struct mem_finding_list *l)
{
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < l->nredactions; i++) {
		const struct mem_redaction *r = &l->redactions[i];
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

void
mem_flags_put(struct mem_buf *out, const struct mem_finding_list *l)
{
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < l->nflags; i++) {
		const struct mem_flag *f = &l->flags[i];
		char hash[2 * sizeof f->hash.b + 1];
		mem_hash_hex(f->hash.b, sizeof f->hash.b, hash);
		mem_buf_puts(out, i > 0 ? ",{" : "{");
		mem_json_put_field(out, "marker", f->marker);
		mem_json_put_field(out, "action", f->cut ? MEM_STR("cut") : MEM_STR("flag"));
		mem_json_put_field(out, "field", f->field);
		mem_json_put_int(out, "start", (int64_t)f->start);
		mem_json_put_int(out, "end", (int64_t)f->end);
		mem_json_put_field(out, "hash", mem_str(hash));
		mem_buf_putc(out, '}');
	}
	mem_buf_putc(out, ']');
}

/* What was written, in the arena; the buffer is released. */
static struct mem_clean_text
take_written_text(struct mem_arena *a, struct mem_buf *text, enum mem_json_type type)
{
	struct mem_clean_text t = { MEM_CLEAN_OWN, { mem_arena_str(a, mem_buf_span(text)), type, false } };
	mem_buf_release(text);
	return t;
}

struct mem_clean_text
mem_clean_redactions(struct mem_arena *a, const struct mem_finding_list *l)
{
	struct mem_buf text = { 0 };
	if (l->nredactions == 0)
		return mem_clean_absent();
	mem_redactions_put(&text, l);
	return take_written_text(a, &text, MEM_JSON_ARRAY);
}

struct mem_clean_text
mem_clean_flags(struct mem_arena *a, const struct mem_finding_list *l)
{
	struct mem_buf text = { 0 };
	if (l->nflags == 0)
		return mem_clean_absent();
	mem_flags_put(&text, l);
	return take_written_text(a, &text, MEM_JSON_ARRAY);
}

struct mem_clean_text
mem_clean_counts(struct mem_arena *a, const struct mem_finding_list *l)
{
	struct mem_buf text = { 0 };
	if (l->nredactions == 0 && l->nflags == 0)
		return (struct mem_clean_text){ MEM_CLEAN_OWN,
			{ MEM_STR("{\"redactions\":0,\"injection_flags\":[]}"), MEM_JSON_OBJECT, false } };
	mem_buf_putc(&text, '{');
	mem_json_put_int(&text, "redactions", (int64_t)l->nredactions);
	mem_json_put_key(&text, "injection_flags");
	mem_buf_putc(&text, '[');
	for (size_t i = 0; i < l->nflags; i++) {
		if (i > 0)
			mem_buf_putc(&text, ',');
		mem_json_put_string(&text, l->flags[i].marker);
	}
	mem_buf_puts(&text, "]}");
	return take_written_text(a, &text, MEM_JSON_OBJECT);
}
