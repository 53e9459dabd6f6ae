/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in any portions to lines, JSON values or a page. */
#include "adapt/adapt_int.h"

#include <string.h>

#include "base/foreign.h"

static bool
is_json_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- records ---------------------------------------------------------- */

static bool
parse_hex4(const char *p, unsigned *out)
{
	unsigned v = 0;
	for (int i = 0; i < 4; i++) {
		int d = mem_hex_digit(p[i]);
		if (d < 0)
			return false;
		v = v << 4 | (unsigned)d;
	}
	*out = v;
	return true;
}

static bool
is_escape_between(const char *p, size_t n, unsigned lo, unsigned hi)
{
	unsigned v;
	return n >= 6 && p[0] == '\\' && p[1] == 'u' && parse_hex4(p + 2, &v) && v >= lo && v <= hi;
}

/*
 * Programs in JavaScript write strings that were cut inside a character, and what
 * binary tools print, as escapes of lone surrogates and of U+0000.  Neither is text;
 * the record is.  So these escapes become U+FFFD, of the same length.
 */
static bool
repair_record_text(struct mem_buf *out, struct mem_str s)
{
	bool changed = false;
	mem_buf_reset(out);
	mem_buf_str(out, s);
	for (size_t i = 0; i + 1 < s.n; i++) {
		const char *p = s.p + i;
		size_t left = s.n - i;
		if (*p != '\\')
			continue;
		if (is_escape_between(p, left, 0xd800, 0xdbff) && is_escape_between(p + 6, left - 6, 0xdc00, 0xdfff)) {
			i += 11;
		} else if (is_escape_between(p, left, 0xd800, 0xdfff) || is_escape_between(p, left, 0, 0)) {
			memcpy(out->data + i, "\\ufffd", 6);
			changed = true;
			i += 5;
		} else {
			i++;
		}
	}
	return changed;
}

static bool
scan_record(struct mem_adapt_input *in, struct mem_str text, struct mem_err *err)
{
	/* U+0000 is JSON, but no text: capture would refuse the record. */
	if (mem_rec_scan(&in->rec, text, err) == MEM_OK && mem_rec_refuse_nul(&in->rec, err) == MEM_OK)
		return true;
	struct mem_err again;
	return err->reason != NULL &&
	    (strcmp(err->reason, "nul") == 0 || strcmp(err->reason, "bad_json") == 0) &&
	    repair_record_text(&in->fixed, text) && mem_rec_scan(&in->rec, mem_buf_span(&in->fixed), &again) == MEM_OK;
}

/* Is `s` one JSON value that is over, by its brackets alone? */
static bool
is_balanced_json(struct mem_str s)
{
	size_t depth = 0;
	bool string = false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (string && c == '\\')
			i++;
		else if (c == '"')
			string = !string;
		else if (!string && (c == '{' || c == '['))
			depth++;
		else if (!string && (c == '}' || c == ']') && depth > 0)
			depth--;
	}
	return depth == 0 && !string;
}

static void
give_record(struct mem_adapt_input *in, struct mem_str text, bool unended)
{
	struct mem_err err = { 0 };
	if (adapt_is_blank_text(text) || in->a->stopped)
		return;
	in->records++;
	in->seen = true;
	if (scan_record(in, text, &err))
		in->f->record(in, &in->rec);
	else if (unended && text.p[0] == '{' && !is_balanced_json(text)) /* what is closed, or is no object, will be none */
		in->a->counts.held++;
	else
		adapt_report_fault(in, in->unit_line, in->unit_offset + err.offset,
		    err.reason != NULL ? err.reason : "bad_json", err.msg);
	mem_arena_reset(&in->arena);
}

/* ---- Markdown --------------------------------------------------------- */

/* Valid text without U+0000: what is not becomes U+FFFD, and is reported once for its line. */
static struct mem_str
replace_bad_bytes(struct mem_adapt_input *in, struct mem_str s)
{
	size_t ok = mem_utf8_valid(s.p, s.n);
	const char *nul = s.n > 0 ? memchr(s.p, 0, s.n) : NULL;
	if (ok == s.n && nul == NULL)
		return s;
	size_t at = nul != NULL && (size_t)(nul - s.p) < ok ? (size_t)(nul - s.p) : ok;
	adapt_report_fault(in, in->unit_line, in->unit_offset + at, at < ok ? "nul" : "bad_utf8",
	    at < ok ? "a NUL byte was replaced" : "invalid UTF-8 was replaced");
	mem_buf_reset(&in->fixed);
	for (size_t i = 0; i < s.n;) {
		size_t n = mem_utf8_valid(s.p + i, s.n - i);
		nul = n > 0 ? memchr(s.p + i, 0, n) : NULL;
		if (nul != NULL)
			n = (size_t)(nul - (s.p + i));
		mem_buf_put(&in->fixed, s.p + i, n);
		i += n;
		if (i < s.n) {
			mem_buf_utf8(&in->fixed, 0xfffd);
			i++;
		}
	}
	return mem_buf_span(&in->fixed);
}

static void
give_text(struct mem_adapt_input *in, struct mem_str text)
{
	if (in->a->stopped)
		return;
	text = replace_bad_bytes(in, text);
	in->seen = in->seen || !adapt_is_blank_text(text);
	if (in->shape == ADAPT_PAGE)
		in->f->page(in, text);
	else
		in->f->line(in, text);
	mem_arena_reset(&in->arena);
}

/* ---- lines ------------------------------------------------------------ */

static void
give_line(struct mem_adapt_input *in, struct mem_str text, bool unended)
{
	size_t mark = mem_line_mark(text);
	text = (struct mem_str){ text.p + mark, text.n - mark };
	in->unit_offset += mark;
	text = mem_line_bare(text);
	if (in->shape == ADAPT_LINES)
		give_record(in, text, unended);
	else
		give_text(in, text);
}

static void
drop_long_input_line(struct mem_adapt_input *in)
{
	adapt_report_fault(in, in->unit_line, in->unit_offset, "too_long", "the line is longer than 16 MiB");
	in->dropping = true;
	mem_buf_reset(&in->buf);
}

/* One line, or the rest of what is here: returns how many bytes it took. */
static size_t
take_input_line(struct mem_adapt_input *in, const char *p, size_t n)
{
	const char *nl = memchr(p, '\n', n);
	size_t len = nl != NULL ? (size_t)(nl - p) : n;
	size_t taken = nl != NULL ? len + 1 : len;
	bool fresh = in->buf.len == 0 && !in->dropping;
	if (fresh) {
		in->unit_line = in->line;
		in->unit_offset = in->offset;
	}
	in->offset += taken;
	if (!in->dropping && in->buf.len + len > MEM_LINE_MAX)
		drop_long_input_line(in);
	if (!in->dropping && !(fresh && nl != NULL))
		mem_buf_put(&in->buf, p, len);
	if (nl == NULL)
		return taken;
	in->line++;
	if (!in->dropping)
		give_line(in, fresh ? (struct mem_str){ p, len } : mem_buf_span(&in->buf), false);
	in->dropping = false;
	mem_buf_reset(&in->buf);
	return taken;
}

/* ---- JSON values ------------------------------------------------------ */

static void
open_json_value(struct mem_adapt_input *in)
{
	in->json.open = true;
	in->json.depth = 0;
	in->json.string = in->json.escape = in->json.scalar = false;
	in->unit_line = in->line;
	in->unit_offset = in->offset;
}

static void
close_json_value(struct mem_adapt_input *in)
{
	in->json.open = false;
	if (!in->dropping)
		give_record(in, mem_buf_span(&in->buf), false);
	in->dropping = false;
	mem_buf_reset(&in->buf);
}

/* One character between values.  True when c begins a value. */
static bool
step_between_values(struct mem_adapt_input *in, char c)
{
	if (is_json_space(c))
		return false;
	if (in->json.closed) {
		if (!in->json.reported)
			adapt_report_fault(in, in->line, in->offset, "bad_json", "text behind the JSON value");
		in->json.reported = true;
		return false;
	}
	if (in->json.array && c == ',')
		return false;
	if (in->json.array && c == ']') {
		in->json.closed = true;
		return false;
	}
	if (!in->json.array && in->records == 0 && c == '[') {
		in->json.array = true;
		return false;
	}
	return true;
}

/* One character inside a value.  True when the value ends with c; *again: c belongs to what follows. */
static bool
step_inside_value(struct mem_adapt_input *in, char c, bool *again)
{
	*again = false;
	if (in->json.string) {
		if (in->json.escape)
			in->json.escape = false;
		else if (c == '\\')
			in->json.escape = true;
		else if (c == '"')
			in->json.string = false;
		return !in->json.string && in->json.depth == 0;
	}
	if (c == '"') {
		in->json.string = true;
	} else if (c == '{' || c == '[') {
		in->json.depth++;
	} else if (c == '}' || c == ']') {
		*again = in->json.depth == 0;
		if (in->json.depth > 0)
			in->json.depth--;
		return in->json.depth == 0;
	} else if (in->json.depth == 0) {
		*again = in->json.scalar && (c == ',' || is_json_space(c));
		in->json.scalar = true;
		return *again;
	}
	return false;
}

static void
keep_value_bytes(struct mem_adapt_input *in, const char *p, size_t n)
{
	if (in->dropping || n == 0)
		return;
	if (in->buf.len + n > MEM_ADAPT_VALUE_MAX) {
		adapt_report_fault(in, in->unit_line, in->unit_offset, "too_long", "the value is longer than 1 GiB");
		in->dropping = true;
		mem_buf_reset(&in->buf);
		return;
	}
	mem_buf_put(&in->buf, p, n);
}

static void
take_json_bytes(struct mem_adapt_input *in, const char *p, size_t n)
{
	size_t from = 0;
	for (size_t i = 0; i < n; i++) {
		bool again = false;
		if (!in->json.open && step_between_values(in, p[i])) {
			open_json_value(in);
			from = i;
		}
		if (in->json.open && step_inside_value(in, p[i], &again)) {
			keep_value_bytes(in, p + from, again ? i - from : i - from + 1);
			/* A stray bracket at the very start is a value of one byte, and a bad one. */
			if (again && in->buf.len == 0 && !in->dropping) {
				keep_value_bytes(in, p + i, 1);
				again = false;
			}
			close_json_value(in);
			if (again)
				step_between_values(in, p[i]);
		}
		in->offset++;
		if (p[i] == '\n')
			in->line++;
	}
	if (in->json.open)
		keep_value_bytes(in, p + from, n - from);
}

/* ---- which of the two ------------------------------------------------- */

/*
 * Gathers the first line that is not blank.  JSON lines begin with an object that ends
 * where the line does; anything else is one value, spread over lines or very long.
 */
static size_t
take_first_line(struct mem_adapt_input *in, const char *p, size_t n)
{
	const char *nl = memchr(p, '\n', n);
	size_t len = nl != NULL ? (size_t)(nl - p) + 1 : n;
	mem_buf_put(&in->buf, p, len);
	struct mem_str s = mem_str_trim(mem_buf_span(&in->buf));
	if ((nl == NULL || s.n == 0) && in->buf.len <= MEM_LINE_MAX)
		return len;
	struct mem_buf first = in->buf;
	in->buf = (struct mem_buf){ 0 };
	bool lines = is_balanced_json(s) || (in->f->first_broken && s.n > 1);
	in->shape = nl != NULL && s.p[0] != '[' && lines ? ADAPT_LINES : ADAPT_JSON;
	adapt_split_bytes(in, first.data, first.len);
	mem_buf_release(&first);
	return len;
}

/*
 * The first bytes are kept until there are four: they tell a byte order mark, and what is no UTF-8 at all.
 * Returns how many bytes of p it took.
 */
static size_t
take_first_bytes(struct mem_adapt_input *in, const char *p, size_t n)
{
	size_t take = sizeof in->head - in->nhead;
	take = n < take ? n : take;
	memcpy(in->head + in->nhead, p, take);
	in->nhead += take;
	return take;
}

/* They are there, or the input has no more of them. */
static void
split_first_bytes(struct mem_adapt_input *in)
{
	struct mem_str head = { in->head, in->nhead };
	struct mem_err err;
	in->begun = true;
	if (mem_text_check(head, &err) != MEM_OK) {
		adapt_report_fault(in, 1, 0, "bad_utf8", err.msg);
		in->refused = true;
		mem_arena_reset(&in->arena);
		return;
	}
	size_t mark = mem_line_mark(head);
	in->offset += mark;
	adapt_split_bytes(in, in->head + mark, in->nhead - mark);
}

void
adapt_split_bytes(struct mem_adapt_input *in, const char *p, size_t n)
{
	if (!in->begun) {
		size_t taken = take_first_bytes(in, p, n);
		p += taken;
		n -= taken;
		if (in->nhead < sizeof in->head)
			return;
		split_first_bytes(in);
	}
	while (n > 0 && !in->a->stopped && !in->refused) {
		size_t taken = n;
		if (in->shape == ADAPT_EITHER)
			taken = take_first_line(in, p, n);
		else if (in->shape == ADAPT_JSON)
			take_json_bytes(in, p, n);
		else if (in->shape != ADAPT_PAGE)
			taken = take_input_line(in, p, n);
		else if (!in->dropping && in->buf.len + n <= MEM_ADAPT_PAGE_MAX)
			mem_buf_put(&in->buf, p, n);
		else
			in->dropping = true;
		p += taken;
		n -= taken;
	}
}

static void
end_json_input(struct mem_adapt_input *in)
{
	if (in->json.open && in->json.scalar && in->json.depth == 0)
		close_json_value(in);
	if (in->json.open || (in->json.array && !in->json.closed))
		adapt_report_fault(in, in->line, in->offset, "bad_json", "the file ends inside a JSON value");
	in->json.open = false;
}

static void
end_page_input(struct mem_adapt_input *in)
{
	in->unit_line = 1;
	in->unit_offset = 0;
	if (in->dropping)
		adapt_report_fault(in, 1, 0, "too_long", "the page is longer than 64 MiB");
	else {
		mem_text_unify(&in->buf);
		give_text(in, mem_buf_span(&in->buf));
	}
}

/*
 * What stands behind the last LF.  Where there is no LF at all, CRs end the lines, as in files of old editors.
 */
static void
give_last_line(struct mem_adapt_input *in, bool unended)
{
	struct mem_str rest = mem_buf_span(&in->buf);
	const char *cr = in->line == 1 && rest.n > 0 ? memchr(rest.p, '\r', rest.n) : NULL;
	for (; cr != NULL; cr = rest.n > 0 ? memchr(rest.p, '\r', rest.n) : NULL) {
		size_t n = (size_t)(cr - rest.p);
		in->unit_line = in->line++;
		give_line(in, (struct mem_str){ rest.p, n }, false);
		rest = (struct mem_str){ cr + 1, rest.n - n - 1 };
		in->unit_offset = in->offset - rest.n;
	}
	in->unit_line = in->line;
	in->unended = true;
	if (rest.n > 0)
		give_line(in, rest, unended);
}

void
adapt_end_splitting(struct mem_adapt_input *in, bool ended)
{
	if (!in->begun)
		split_first_bytes(in);
	if (in->refused)
		return;
	/* All of it was one line: whole, or a first line that is still being written. */
	if (in->shape == ADAPT_EITHER && in->buf.len > 0) {
		struct mem_str s = mem_str_trim(mem_buf_span(&in->buf));
		struct mem_buf first = in->buf;
		in->buf = (struct mem_buf){ 0 };
		in->shape = s.n > 0 && s.p[0] == '[' ? ADAPT_JSON : ADAPT_LINES;
		adapt_split_bytes(in, first.data, first.len);
		mem_buf_release(&first);
	}
	if (in->shape == ADAPT_JSON)
		end_json_input(in);
	else if (in->shape == ADAPT_PAGE)
		end_page_input(in);
	else if (in->buf.len > 0 && !in->dropping)
		give_last_line(in, !ended);
	mem_buf_reset(&in->buf);
}
