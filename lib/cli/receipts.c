/* SPDX-License-Identifier: Apache-2.0 */
/* Receipts on standard output, in words on a terminal, and what they come to. */
#include "cli/cli_int.h"

#include <stdlib.h>
#include <string.h>

/*
 * Where `"name":` has its value in a line that memkit made, NULL: nowhere.  Such a line has no white space, and quotes
 * in its strings are escaped, so that no text can pass for a name.
 */
static const char *
find_receipt_value(struct mem_str line, const char *name)
{
	const char *p = memmem(line.p, line.n, name, strlen(name));
	return p != NULL ? p + strlen(name) : NULL;
}

/* A string of a receipt, which has no escapes in it; empty: null or not there. */
static struct mem_str
read_receipt_word(struct mem_str line, const char *name)
{
	const char *p = find_receipt_value(line, name), *end;
	if (p == NULL || *p != '"' || (end = memchr(p + 1, '"', (size_t)(line.p + line.n - p - 1))) == NULL)
		return (struct mem_str){ "", 0 };
	return (struct mem_str){ p + 1, (size_t)(end - p - 1) };
}

static uint64_t
read_receipt_number(struct mem_str line, const char *name)
{
	const char *p = find_receipt_value(line, name);
	uint64_t n = 0;
	for (; p != NULL && p < line.p + line.n && *p >= '0' && *p <= '9'; p++)
		n = 10 * n + (uint64_t)(*p - '0');
	return n;
}

/* The part of a receipt that lists what was redacted. */
static struct mem_str
cut_redactions(struct mem_str line)
{
	const char *from = find_receipt_value(line, "\"redactions\":[");
	const char *to = find_receipt_value(line, "\"injection_flags\":[");
	if (from == NULL || to == NULL || to < from)
		return (struct mem_str){ "", 0 };
	return (struct mem_str){ from, (size_t)(to - from) };
}

/* The next kind in a list of redactions, which moves behind it; empty: there are no more. */
static struct mem_str
take_redaction_kind(struct mem_str *list)
{
	struct mem_str kind = read_receipt_word(*list, "\"kind\":");
	const char *end = kind.n > 0 ? kind.p + kind.n : list->p + list->n;
	*list = (struct mem_str){ end, (size_t)(list->p + list->n - end) };
	return kind;
}

static bool
has_injection_flags(struct mem_str line)
{
	const char *p = find_receipt_value(line, "\"injection_flags\":[");
	return p != NULL && *p != ']';
}

static void
count_receipt(struct mem_receipts *r, struct mem_str line, struct mem_str verdict)
{
	struct mem_str list = cut_redactions(line), kind = take_redaction_kind(&list);
	r->lines++;
	r->refused += mem_str_is(verdict, "rejected");
	r->known += mem_str_is(verdict, "duplicate");
	r->near += mem_str_is(verdict, "near_duplicate");
	r->added += mem_str_is(verdict, "new") || mem_str_is(verdict, "near_duplicate");
	r->changed += mem_str_is(verdict, "changed");
	r->unchanged += mem_str_is(verdict, "unchanged");
	r->removed += mem_str_is(verdict, "removed");
	r->redacted += kind.n > 0;
	r->flagged += has_injection_flags(line);
	for (; kind.n > 0; kind = take_redaction_kind(&list)) {
		r->emails += mem_str_is(kind, "email");
		r->phones += mem_str_is(kind, "phone");
	}
}

/* ---- one receipt -------------------------------------------------------- */

/* "line 3: new ID, redacted email, github_token" */
static void
print_receipt_words(struct mem_str line, struct mem_str verdict)
{
	struct mem_str list = cut_redactions(line), id = read_receipt_word(line, "\"id\":");
	struct mem_str known = mem_str_is(verdict, "duplicate") ? MEM_STR("known") : verdict;
	struct mem_buf text = { 0 };
	mem_buf_printf(&text, "line %llu: ", (unsigned long long)read_receipt_number(line, "\"line\":"));
	if (mem_str_is(verdict, "near_duplicate"))
		mem_buf_printf(&text, "new %.*s, nearly the same as %.*s", (int)id.n, id.p,
		    (int)read_receipt_word(line, "\"duplicate_of\":").n, read_receipt_word(line, "\"duplicate_of\":").p);
	else
		mem_buf_printf(&text, "%.*s%s%.*s", (int)known.n, known.p, id.n > 0 ? " " : "", (int)id.n, id.p);
	const char *before = ", redacted ";
	for (struct mem_str kind; (kind = take_redaction_kind(&list)).n > 0; before = ", ")
		mem_buf_printf(&text, "%s%.*s", before, (int)kind.n, kind.p);
	if (has_injection_flags(line))
		mem_buf_puts(&text, ", holds an order to its reader");
	mem_out_line(mem_buf_span(&text));
	mem_buf_release(&text);
}

/* On standard error if a person reads it there, else on standard output. */
static void
print_refusal_words(struct mem_str line)
{
	const struct mem_refusal refusal = {
		.line = read_receipt_number(line, "\"line\":"), .offset = read_receipt_number(line, "\"offset\":"),
		.reason = read_receipt_word(line, "\"reason\":"), .advice = read_receipt_word(line, "\"advice\":"),
	};
	struct mem_buf text = { 0 };
	if (mem_out_tty())
		mem_out_flush(); /* both are read on the same screen */
	if (mem_refusal_notice(&refusal))
		return;
	mem_refusal_describe(&text, &refusal);
	mem_out_line(mem_buf_span(&text));
	mem_buf_release(&text);
}

static void
print_receipt(struct mem_receipts *r, struct mem_str line)
{
	struct mem_str verdict = read_receipt_word(line, "\"verdict\":");
	bool refused = mem_str_is(verdict, "rejected"), text = mem_text_wanted(r->format);
	count_receipt(r, line, verdict);
	if (refused && (text || mem_err_tty()))
		print_refusal_words(line);
	if (text && !refused && !r->quiet) {
		print_receipt_words(line, verdict);
		if (r->more != NULL)
			r->more(line);
	} else if (!text && (refused || !r->quiet))
		mem_out_line(line);
}

bool
mem_receipts_print(void *receipts, struct mem_str lines)
{
	for (size_t from = 0; from < lines.n;) {
		const char *p = lines.p + from;
		const char *nl = memchr(p, '\n', lines.n - from);
		struct mem_str line = { p, nl != NULL ? (size_t)(nl - p) : lines.n - from };
		print_receipt(receipts, line);
		from += line.n + 1;
	}
	mem_out_flush();
	return mem_out_ok();
}

/* ---- all of them -------------------------------------------------------- */

static void
put_count(struct mem_buf *out, const char *before, uint64_t n, const char *one, const char *many)
{
	mem_buf_printf(out, "%s%llu %s", before, (unsigned long long)n, n == 1 ? one : many);
}

void
mem_receipts_sum_up(const struct mem_receipts *r)
{
	struct mem_buf text = { 0 };
	if (r->quiet || !mem_err_tty())
		return;
	put_count(&text, "", r->lines, "line", "lines");
	const char *before = ": ";
	const struct { uint64_t n; const char *word; bool always; } counts[] = {
		{ r->added, "new", r->captures }, { r->known, "known", r->captures }, { r->changed, "changed", false },
		{ r->unchanged, "unchanged", false }, { r->removed, "removed", false }, { r->redacted, "redacted", r->captures },
		{ r->refused, "refused", r->captures },
	};
	for (size_t i = 0; i < MEM_COUNT(counts); i++)
		if (counts[i].n > 0 || counts[i].always) {
			put_count(&text, before, counts[i].n, counts[i].word, counts[i].word);
			before = ", ";
		}
	if (r->near > 0)
		put_count(&text, "; of the new ", r->near, "says nearly what is there", "say nearly what is there");
	if (r->flagged > 0)
		put_count(&text, "; ", r->flagged, "holds an order to its reader", "hold orders to their reader");
	if (r->emails > 0)
		put_count(&text, "; personal: ", r->emails, "e-mail address", "e-mail addresses");
	if (r->phones > 0)
		put_count(&text, r->emails > 0 ? ", " : "; personal: ", r->phones, "phone number", "phone numbers");
	mem_warn("%s", text.data);
	mem_buf_release(&text);
}
