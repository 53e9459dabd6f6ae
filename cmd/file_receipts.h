/* SPDX-License-Identifier: Apache-2.0 */
/* Receipts of files: on standard output, in words with the path and the line on a terminal, and what they come to. */
#ifndef MEM_CMD_FILE_RECEIPTS_H
#define MEM_CMD_FILE_RECEIPTS_H

#include "cli/cli.h"
#include "record/record.h"

/* Receipts of files, counted.  Set the first three; the rest begins at zero. */
struct file_receipts {
	bool quiet;             /* refusals only */
	bool summary;           /* the output is a summary: what a person should know is a message */
	int format;             /* enum mem_format */
	uint64_t files, fresh, changed, removed, unchanged, refused, redacted, flagged;
};

/* What is looked at in each receipt, found in one walk. */
struct file_receipt {
	struct mem_json whole, verdict, path, redactions, flags;
};

static inline struct file_receipt
read_file_receipt(struct mem_str line)
{
	struct file_receipt r = { .whole = mem_json_object(line) };
	const struct { struct mem_str name; struct mem_json *value; } members[] = { { MEM_STR("verdict"), &r.verdict }, { MEM_STR("path"), &r.path },
		{ MEM_STR("redactions"), &r.redactions }, { MEM_STR("injection_flags"), &r.flags } };
	for (struct mem_json_iter it = mem_json_each(r.whole); mem_json_next(&it);)
		for (size_t i = 0; i < MEM_COUNT(members); i++)
			if (mem_str_eq(it.key, members[i].name))
				*members[i].value = it.value;
	return r;
}

static inline void
count_file_receipt(struct file_receipts *r, const struct file_receipt *receipt)
{
	struct mem_json_iter redactions = mem_json_each(receipt->redactions), flags = mem_json_each(receipt->flags);
	r->files++;
	r->fresh += mem_json_is(receipt->verdict, "new");
	r->changed += mem_json_is(receipt->verdict, "changed");
	r->removed += mem_json_is(receipt->verdict, "removed");
	r->unchanged += mem_json_is(receipt->verdict, "unchanged");
	r->refused += mem_json_is(receipt->verdict, "rejected");
	r->redacted += mem_json_next(&redactions);
	r->flagged += mem_json_next(&flags);
}

/* On standard error where that is read, or standard output is for something else; else among the receipts. */
static inline void
tell_of_file(const struct file_receipts *r, struct mem_str text)
{
	if (mem_out_tty())
		mem_out_flush(); /* both are read on the same screen */
	if (r->summary || mem_err_tty())
		mem_warn("%.*s", (int)text.n, text.p);
	else
		mem_out_line(text);
}

static inline void
tell_file_refusal(const struct file_receipts *r, struct mem_json receipt, struct mem_str path)
{
	struct mem_arena a = { 0 };
	struct mem_buf text = { 0 };
	int64_t offset = 0;
	(void)mem_json_int(mem_json_member(receipt, "offset"), &offset);
	const struct mem_refusal refusal = { .input = mem_arena_dup(&a, path.p, path.n), .offset = (uint64_t)offset,
		.reason = mem_json_text(&a, mem_json_member(receipt, "reason")) };
	if (r->summary || !mem_refusal_notice(&refusal)) {
		mem_refusal_describe(&text, &refusal);
		tell_of_file(r, mem_buf_span(&text));
	}
	mem_buf_release(&text);
	mem_arena_release(&a);
}

/* "a.md:2: front matter: ..."; false: there are none. */
static inline bool
tell_file_faults(const struct file_receipts *r, struct mem_json receipt, struct mem_str path)
{
	struct mem_arena a = { 0 };
	struct mem_buf text = { 0 };
	bool any = false;
	for (struct mem_json_iter it = mem_json_each(mem_json_member(receipt, "faults")); mem_json_next(&it); any = true) {
		int64_t line = 0;
		(void)mem_json_int(mem_json_member(it.value, "line"), &line);
		mem_buf_reset(&text);
		mem_show(&text, path, false);
		mem_buf_printf(&text, ":%lld: front matter: ", (long long)line);
		mem_show(&text, mem_json_text(&a, mem_json_member(it.value, "message")), false);
		tell_of_file(r, mem_buf_span(&text));
	}
	mem_buf_release(&text);
	mem_arena_release(&a);
	return any;
}

/* "a.md: changed ID, redacted github_token" */
static inline void
print_file_words(struct mem_json receipt, struct mem_str path)
{
	struct mem_arena a = { 0 };
	struct mem_buf text = { 0 };
	struct mem_str verdict = mem_json_text(&a, mem_json_member(receipt, "verdict")), id = mem_json_text(&a, mem_json_member(receipt, "id"));
	struct mem_json_iter flags = mem_json_each(mem_json_member(receipt, "injection_flags"));
	const char *before = ", redacted ";
	mem_show(&text, path, false);
	mem_buf_printf(&text, ": %.*s %.*s", (int)verdict.n, verdict.p, (int)id.n, id.p);
	for (struct mem_json_iter it = mem_json_each(mem_json_member(receipt, "redactions")); mem_json_next(&it); before = ", ") {
		struct mem_str kind = mem_json_text(&a, mem_json_member(it.value, "kind"));
		mem_buf_printf(&text, "%s%.*s", before, (int)kind.n, kind.p);
	}
	if (mem_json_next(&flags))
		mem_buf_puts(&text, ", holds an order to its reader");
	if (mem_json_there(mem_json_member(receipt, "forgotten")))
		mem_buf_puts(&text, ", which was forgotten");
	mem_out_line(mem_buf_span(&text));
	mem_buf_release(&text);
	mem_arena_release(&a);
}

static inline void
print_file_receipt(struct file_receipts *r, struct mem_str line)
{
	struct mem_arena a = { 0 };
	const struct file_receipt receipt = read_file_receipt(line);
	bool refused = mem_json_is(receipt.verdict, "rejected"), text = mem_text_wanted(r->format), shown = refused || !r->quiet;
	count_file_receipt(r, &receipt);
	if (!text && !r->summary && shown)
		mem_out_line(line);
	if (shown && (text || r->summary || mem_err_tty())) {
		const struct mem_str path = mem_json_text(&a, receipt.path);
		if (text && !r->summary && !refused)
			print_file_words(receipt.whole, path);
		if (!tell_file_faults(r, receipt.whole, path) && refused)
			tell_file_refusal(r, receipt.whole, path);
	}
	mem_arena_release(&a);
}

/* A mem_emit_fn. */
static inline bool
print_file_receipts(void *receipts, struct mem_str lines)
{
	for (const char *end; lines.n > 0 && (end = memchr(lines.p, '\n', lines.n)) != NULL;) {
		print_file_receipt(receipts, (struct mem_str){ lines.p, (size_t)(end - lines.p) });
		lines.n -= (size_t)(end + 1 - lines.p);
		lines.p = end + 1;
	}
	mem_out_flush();
	return mem_out_ok();
}

/* At a terminal: "12 files: 3 new, 1 changed, 1 removed, 6 unchanged, 1 refused". */
static inline void
sum_up_files(const struct file_receipts *r)
{
	const struct { uint64_t n; const char *what; } counts[] = { { r->fresh, " new" }, { r->changed, " changed" }, { r->removed, " removed" },
		{ r->unchanged, " unchanged" }, { r->refused, " refused" }, { r->redacted, " redacted" }, { r->flagged, " with an order to the reader" } };
	struct mem_buf text = { 0 };
	if (r->quiet || r->summary || !mem_err_tty())
		return;
	mem_buf_printf(&text, "%llu %s", (unsigned long long)r->files, r->files == 1 ? "file" : "files");
	const char *before = ": ";
	for (size_t i = 0; i < MEM_COUNT(counts); i++) {
		if (counts[i].n == 0)
			continue;
		mem_buf_printf(&text, "%s%llu%s", before, (unsigned long long)counts[i].n, counts[i].what);
		before = ", ";
	}
	mem_warn("%s", text.data);
	mem_buf_release(&text);
}

#endif
