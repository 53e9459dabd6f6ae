/* SPDX-License-Identifier: Apache-2.0 */
/* HTML in Markdown: what begins and ends a block of it (CommonMark 0.30, §4.6), and what stands in angle brackets in a line (§6.5, §6.6). */
#include "md/md_int.h"

#include <string.h>
#include <strings.h>

#include "base/order.h"

static bool
is_html_letter(char c)
{
	return (unsigned char)((c | 0x20) - 'a') < 26;
}

static bool
is_html_name_char(char c)
{
	return is_html_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

static bool
is_html_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t
skip_html_space(struct mem_str s, size_t i)
{
	while (i < s.n && is_html_space(s.p[i]))
		i++;
	return i;
}

static bool
has_prefix(struct mem_str s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

/* ---- tags ---------------------------------------------------------------- */

/* The value behind "="; 0: it is none. */
static size_t
skip_attribute_value(struct mem_str s, size_t i)
{
	i = skip_html_space(s, i);
	if (i == s.n)
		return 0;
	if (s.p[i] == '"' || s.p[i] == '\'') {
		const char *end = memchr(s.p + i + 1, s.p[i], s.n - i - 1);
		return end != NULL ? (size_t)(end - s.p) + 1 : 0;
	}
	size_t from = i;
	while (i < s.n && !is_html_space(s.p[i]) && strchr("\"'=<>`", s.p[i]) == NULL)
		i++;
	return i > from ? i : 0;
}

/* An attribute at `i`; `i` itself: none; 0: a broken one. */
static size_t
skip_attribute(struct mem_str s, size_t i)
{
	size_t name = i;
	if (i == s.n || !(is_html_letter(s.p[i]) || s.p[i] == '_' || s.p[i] == ':'))
		return i;
	while (i < s.n && (is_html_name_char(s.p[i]) || strchr("_.:", s.p[i]) != NULL))
		i++;
	size_t equals = skip_html_space(s, i);
	if (i == name || equals == s.n || s.p[equals] != '=')
		return i;
	return skip_attribute_value(s, equals + 1);
}

/* The length of an opening or closing tag; 0: none. */
static size_t
measure_tag(struct mem_str s)
{
	bool closing = s.n > 1 && s.p[1] == '/';
	size_t i = closing ? 2 : 1;
	if (i >= s.n || !is_html_letter(s.p[i]))
		return 0;
	while (i < s.n && is_html_name_char(s.p[i]))
		i++;
	while (!closing && i > 0) {
		size_t at = skip_html_space(s, i), end = skip_attribute(s, at);
		if (end == at || at == i)
			break;
		i = end;
	}
	if (i == 0)
		return 0;
	i = skip_html_space(s, i);
	if (!closing && i < s.n && s.p[i] == '/')
		i++;
	return i < s.n && s.p[i] == '>' ? i + 1 : 0;
}

/* "<https://…>", "<name@place>". */
static size_t
measure_address(struct mem_str s)
{
	bool named = false;
	for (size_t i = 1; i < s.n && !is_html_space(s.p[i]) && s.p[i] != '<'; i++) {
		if (s.p[i] == '>')
			return named ? i + 1 : 0;
		named |= (s.p[i] == ':' && i > 2) || (s.p[i] == '@' && i > 1);
	}
	return 0;
}

/* Up to the mark that ends what begins with `from` bytes. */
static size_t
measure_to_mark(struct mem_str s, size_t from, const char *mark, bool *missing)
{
	size_t n = strlen(mark);
	const char *end = *missing || s.n < from ? NULL : memmem(s.p + from, s.n - from, mark, n);
	*missing |= end == NULL;
	return end != NULL ? (size_t)(end - s.p) + n : 0;
}

size_t
md_angle_length(struct mem_str s, struct md_missing *m)
{
	if (has_prefix(s, "<!--")) /* "<!-->" is one, too */
		return measure_to_mark(s, 2, "-->", &m->comment);
	if (has_prefix(s, "<?"))
		return measure_to_mark(s, 2, "?>", &m->instruction);
	if (has_prefix(s, "<![CDATA["))
		return measure_to_mark(s, 9, "]]>", &m->cdata);
	if (has_prefix(s, "<!") && s.n > 2 && is_html_letter(s.p[2]))
		return measure_to_mark(s, 2, ">", &m->declaration);
	size_t n = measure_tag(s);
	return n > 0 ? n : measure_address(s);
}

void
mem_md_put_untagged(struct mem_buf *out, struct mem_str line)
{
	bool missing = false;
	for (size_t i = 0; i < line.n;) {
		struct mem_str rest = { line.p + i, line.n - i };
		size_t n = 0;
		if (has_prefix(rest, "<!--"))
			n = measure_to_mark(rest, 2, "-->", &missing);
		else if (*rest.p == '<')
			n = measure_tag(rest);
		if (n == 0)
			mem_buf_putc(out, line.p[i++]);
		i += n;
	}
}

/* ---- blocks --------------------------------------------------------------- */

static int
compare_tag_names(const void *key, const void *entry)
{
	return strcmp(key, *(const char *const *)entry);
}

static bool
is_block_tag(const char *name)
{
	static const char *const names[] = {
		"address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup", "dd",
		"details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset",
		"h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link", "main", "menu",
		"menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "section", "source", "summary", "table", "tbody",
		"td", "tfoot", "th", "thead", "title", "tr", "track", "ul",
	};
	return mem_sorted_find(name, names, MEM_COUNT(names), sizeof names[0], compare_tag_names) != NULL;
}

/* Kinds 1 and 6, by the tag's name. */
static int
find_named_block(struct mem_str line)
{
	char name[16];
	bool closing = line.n > 1 && line.p[1] == '/';
	size_t i = closing ? 2 : 1, n = 0;
	for (; i < line.n && n + 1 < sizeof name && (is_html_letter(line.p[i]) || (line.p[i] >= '0' && line.p[i] <= '9')); i++)
		name[n++] = (char)(line.p[i] | 0x20);
	name[n] = '\0';
	bool ends = i == line.n || is_html_space(line.p[i]) || line.p[i] == '>';
	if (!closing && ends && (strcmp(name, "script") == 0 || strcmp(name, "pre") == 0 || strcmp(name, "style") == 0 || strcmp(name, "textarea") == 0))
		return 1;
	ends |= i + 1 < line.n && line.p[i] == '/' && line.p[i + 1] == '>';
	return ends && is_block_tag(name) ? 6 : 0;
}

int
md_html_block(struct mem_str line, bool in_paragraph)
{
	if (has_prefix(line, "<!--"))
		return MD_HTML_COMMENT;
	if (has_prefix(line, "<?"))
		return 3;
	if (has_prefix(line, "<![CDATA["))
		return 5;
	if (has_prefix(line, "<!") && line.n > 2 && is_html_letter(line.p[2]))
		return 4;
	int kind = find_named_block(line);
	if (kind > 0 || in_paragraph)
		return kind;
	size_t n = measure_tag(line);
	return n > 0 && skip_html_space(line, n) == line.n ? 7 : 0;
}

size_t
md_html_comment_length(struct mem_str line)
{
	const char *end = line.n > 0 ? memmem(line.p, line.n, "-->", 3) : NULL;
	return end != NULL ? (size_t)(end - line.p) + 3 : line.n;
}

static bool
holds_closing_tag(struct mem_str line)
{
	static const char *const tags[] = { "</script>", "</pre>", "</style>", "</textarea>" };
	for (const char *p = line.p, *end = line.p + line.n; (p = memmem(p, (size_t)(end - p), "</", 2)) != NULL; p++)
		for (size_t i = 0; i < MEM_COUNT(tags); i++)
			if ((size_t)(end - p) >= strlen(tags[i]) && strncasecmp(p, tags[i], strlen(tags[i])) == 0)
				return true;
	return false;
}

bool
md_html_ends(int kind, struct mem_str line)
{
	static const char *const marks[] = { "", "", "-->", "?>", ">", "]]>" };
	if (kind == 1)
		return holds_closing_tag(line);
	return kind < 6 && memmem(line.p, line.n, marks[kind], strlen(marks[kind])) != NULL;
}
