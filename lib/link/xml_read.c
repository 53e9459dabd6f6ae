/* SPDX-License-Identifier: Apache-2.0 */
/* A strict reader of XML. */
#include "link/xml_int.h"

static enum xml_event
find_fault(struct xml_reader *r, const char *reason)
{
	r->fault = reason;
	return XML_FAULT;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void
skip_xml_space(struct xml_reader *r)
{
	while (r->at < r->text.n && is_space(r->text.p[r->at]))
		r->at++;
}

/* Is this what comes next?  Then it is read. */
static bool
read_literal(struct xml_reader *r, const char *literal)
{
	size_t n = strlen(literal);
	if (r->text.n - r->at < n || memcmp(r->text.p + r->at, literal, n) != 0)
		return false;
	r->at += n;
	return true;
}

/* Reads on to behind the mark; false: it does not come. */
static bool
skip_to_mark(struct xml_reader *r, const char *mark)
{
	const char *found = memmem(r->text.p + r->at, r->text.n - r->at, mark, strlen(mark));
	if (found == NULL)
		return false;
	r->at = (size_t)(found - r->text.p) + strlen(mark);
	return true;
}

static bool
is_xml_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' || c == '-' || c == '.' ||
	    (unsigned char)c >= 0x80;
}

/* Empty: there is none. */
static struct mem_str
read_xml_name(struct xml_reader *r)
{
	size_t begin = r->at;
	while (r->at < r->text.n && is_xml_name_char(r->text.p[r->at]))
		r->at++;
	struct mem_str name = { r->text.p + begin, r->at - begin };
	bool starts = name.n > 0 && (name.p[0] < '0' || name.p[0] > '9') && name.p[0] != '-' && name.p[0] != '.';
	return starts ? name : (struct mem_str){ name.p, 0 };
}

static struct mem_str
cut_prefix(struct mem_str name)
{
	const char *colon = memchr(name.p, ':', name.n);
	size_t head = colon != NULL ? (size_t)(colon - name.p) + 1 : 0;
	return (struct mem_str){ name.p + head, name.n - head };
}

/* ---- characters -------------------------------------------------------------- */

static bool
is_allowed_char(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= ' ' && c < 0xd800) || (c > 0xdfff && c < 0xfffe) || (c > 0xffff && c < 0x110000);
}

/* A number between "&#" and ';'. */
static bool
read_number_reference(struct mem_str digits, uint32_t *c)
{
	uint32_t base = digits.n > 0 && digits.p[0] == 'x' ? 16 : 10;
	*c = 0;
	if (digits.n - (base == 16) == 0 || digits.n > 8)
		return false;
	for (size_t i = base == 16; i < digits.n; i++) {
		int digit = mem_hex_digit(digits.p[i]);
		if (digit < 0 || (uint32_t)digit >= base)
			return false;
		*c = *c * base + (uint32_t)digit;
	}
	return is_allowed_char(*c);
}

/* What stands between '&' and ';'. */
static bool
put_reference(struct mem_buf *out, struct mem_str name)
{
	static const struct { const char *name; char c; } entities[] = { { "amp", '&' }, { "lt", '<' }, { "gt", '>' }, { "quot", '"' }, { "apos", '\'' } };
	uint32_t c;
	if (name.n > 0 && name.p[0] == '#') {
		if (!read_number_reference((struct mem_str){ name.p + 1, name.n - 1 }, &c))
			return false;
		mem_buf_utf8(out, c);
		return true;
	}
	for (size_t i = 0; i < MEM_COUNT(entities); i++)
		if (mem_str_is(name, entities[i].name)) {
			mem_buf_putc(out, entities[i].c);
			return true;
		}
	return false;
}

/* White space in an attribute is a blank. */
static bool
put_decoded(struct mem_buf *out, struct mem_str raw, bool attribute)
{
	enum { REFERENCE_MAX = 12 };
	for (size_t i = 0; i < raw.n; i++) {
		char c = raw.p[i];
		if (c == '&') {
			size_t left = raw.n - i - 1;
			const char *end = memchr(raw.p + i + 1, ';', left < REFERENCE_MAX ? left : REFERENCE_MAX);
			if (end == NULL || !put_reference(out, (struct mem_str){ raw.p + i + 1, (size_t)(end - raw.p) - i - 1 }))
				return false;
			i = (size_t)(end - raw.p);
			continue;
		}
		if ((unsigned char)c < ' ' && !is_space(c))
			return false;
		mem_buf_putc(out, attribute && is_space(c) ? ' ' : c);
	}
	return true;
}

/* ---- tags ------------------------------------------------------------------------ */

static bool
read_attribute(struct xml_reader *r)
{
	struct xml_attribute *a = &r->attributes[r->nattributes];
	a->name = read_xml_name(r);
	if (a->name.n == 0 || xml_attribute_value(r, mem_arena_dup(r->arena, a->name.p, a->name.n)).p != NULL)
		return false;
	skip_xml_space(r);
	if (!read_literal(r, "="))
		return false;
	skip_xml_space(r);
	if (r->at == r->text.n || (r->text.p[r->at] != '"' && r->text.p[r->at] != '\''))
		return false;
	const char *begin = r->text.p + r->at + 1, *end = memchr(begin, begin[-1], r->text.n - r->at - 1);
	if (end == NULL || memchr(begin, '<', (size_t)(end - begin)) != NULL)
		return false;
	mem_buf_reset(&r->content);
	if (!put_decoded(&r->content, (struct mem_str){ begin, (size_t)(end - begin) }, true))
		return false;
	a->value = (struct mem_str){ mem_arena_dup(r->arena, r->content.data, r->content.len), r->content.len };
	r->at = (size_t)(end - r->text.p) + 1;
	r->nattributes++;
	return true;
}

static enum xml_event
read_start(struct xml_reader *r)
{
	struct mem_str name = read_xml_name(r);
	r->nattributes = 0;
	if (name.n == 0 || (r->depth == 0 && r->rooted))
		return find_fault(r, "bad_value");
	if (r->depth == XML_DEPTH_MAX)
		return find_fault(r, "too_deep");
	r->rooted = true;
	for (;;) {
		size_t before = r->at;
		skip_xml_space(r);
		r->empty = read_literal(r, "/>");
		if (r->empty || read_literal(r, ">"))
			break;
		if (before == r->at || r->nattributes == XML_ATTRIBUTES_MAX || !read_attribute(r))
			return find_fault(r, "bad_value");
	}
	r->open[r->depth++] = name;
	r->name = cut_prefix(name);
	return XML_START;
}

static enum xml_event
read_end(struct xml_reader *r)
{
	struct mem_str name = read_xml_name(r);
	skip_xml_space(r);
	if (r->depth == 0 || !mem_str_eq(name, r->open[r->depth - 1]) || !read_literal(r, ">"))
		return find_fault(r, "bad_value");
	r->depth--;
	r->name = cut_prefix(name);
	return XML_END;
}

/* ---- what comes next ---------------------------------------------------------------- */

static enum xml_event
read_xml_text(struct xml_reader *r)
{
	const char *begin = r->text.p + r->at, *end = memchr(begin, '<', r->text.n - r->at);
	size_t n = end != NULL ? (size_t)(end - begin) : r->text.n - r->at;
	mem_buf_reset(&r->content);
	r->at += n;
	if (!put_decoded(&r->content, (struct mem_str){ begin, n }, false))
		return find_fault(r, "bad_value");
	bool blank = true;
	for (size_t i = 0; i < n && blank; i++)
		blank = is_space(begin[i]);
	return r->depth == 0 && !blank ? find_fault(r, "bad_value") : XML_TEXT;
}

static enum xml_event
read_character_data(struct xml_reader *r)
{
	size_t begin = r->at;
	if (r->depth == 0 || !skip_to_mark(r, "]]>"))
		return find_fault(r, "bad_value");
	mem_buf_reset(&r->content);
	mem_buf_put(&r->content, r->text.p + begin, r->at - begin - strlen("]]>"));
	return XML_TEXT;
}

enum xml_event
xml_next(struct xml_reader *r)
{
	if (r->empty) {
		r->empty = false;
		r->name = cut_prefix(r->open[--r->depth]);
		return XML_END;
	}
	for (;;) {
		r->begin = r->at;
		if (r->at == r->text.n)
			return r->depth == 0 && r->rooted ? XML_DONE : find_fault(r, "bad_value");
		if (r->text.p[r->at] != '<')
			return read_xml_text(r);
		if (read_literal(r, "</"))
			return read_end(r);
		if (read_literal(r, "<![CDATA["))
			return read_character_data(r);
		bool comment = read_literal(r, "<!--"), instruction = !comment && read_literal(r, "<?");
		if (!comment && !instruction)
			break;
		if (!skip_to_mark(r, comment ? "-->" : "?>"))
			return find_fault(r, "bad_value");
	}
	(void)read_literal(r, "<");
	return read_start(r); /* of "<!DOCTYPE" there is no name */
}

struct mem_str
xml_attribute_value(const struct xml_reader *r, const char *name)
{
	for (size_t i = 0; i < r->nattributes; i++)
		if (mem_str_is(r->attributes[i].name, name))
			return r->attributes[i].value;
	return (struct mem_str){ NULL, 0 };
}
