/* SPDX-License-Identifier: Apache-2.0 */
/* Destinations of links in round brackets and of definitions (CommonMark 0.30, §6.3): where they end, and what they mean. */
#include "md/md_int.h"

#include <string.h>

static bool
is_target_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool
is_punctuation(char c)
{
	return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* ---- where they end --------------------------------------------------------- */

static size_t
scan_angled_target(struct mem_str s, size_t at, struct md_target *out)
{
	for (size_t i = at + 1; i < s.n && s.p[i] != '\n' && s.p[i] != '<'; i++) {
		if (s.p[i] == '\\' && i + 1 < s.n && is_punctuation(s.p[i + 1]))
			i++;
		else if (s.p[i] == '>') {
			*out = (struct md_target){ at + 1, i, true };
			return i + 1;
		}
	}
	return 0;
}

size_t
md_target_scan(struct mem_str s, size_t at, struct md_target *out)
{
	size_t i = at, depth = 0;
	if (at < s.n && s.p[at] == '<')
		return scan_angled_target(s, at, out);
	for (; i < s.n && (unsigned char)s.p[i] > ' ' && s.p[i] != 0x7f; i++) {
		if (s.p[i] == '\\' && i + 1 < s.n && is_punctuation(s.p[i + 1]))
			i++;
		else if (s.p[i] == '(' && ++depth > 32)
			return 0;
		else if (s.p[i] == ')' && depth-- == 0)
			break;
	}
	*out = (struct md_target){ at, i, false };
	return i > at && (i == s.n || depth == 0 || s.p[i] == ')') ? i : 0;
}

size_t
md_title_scan(struct mem_str s, size_t at)
{
	if (at == s.n || strchr("\"'(", s.p[at]) == NULL)
		return 0;
	char end = s.p[at] == '(' ? ')' : s.p[at];
	for (size_t i = at + 1; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (s.p[i] == end)
			return i + 1;
		else if (s.p[i] == '(' && end == ')')
			return 0;
	}
	return 0;
}

/* ---- what they mean ----------------------------------------------------------- */

/* The length of "&name;" or "&#1;" at the beginning; 0: none. */
static size_t
measure_entity(struct mem_str s)
{
	for (size_t i = 1; i < s.n && i < 40; i++) {
		if (s.p[i] == ';')
			return i > 1 ? i + 1 : 0;
		if (is_punctuation(s.p[i]) && s.p[i] != '#')
			return 0;
	}
	return 0;
}

/* Where the fragment begins; NULL: there is none.  The '#' of "&#120;" begins none. */
static const char *
find_fragment(struct mem_str s)
{
	const char *end = s.p + s.n;
	for (const char *p = s.p; s.n > 0 && (p = memchr(p, '#', (size_t)(end - p))) != NULL; p++)
		if (p == s.p || p[-1] != '&' || measure_entity((struct mem_str){ p - 1, (size_t)(end - p + 1) }) == 0)
			return p;
	return NULL;
}

/* Escapes and entities. */
static void
put_unescaped(struct mem_buf *out, struct mem_str s)
{
	for (size_t i = 0; i < s.n;) {
		size_t n = s.p[i] == '&' ? measure_entity((struct mem_str){ s.p + i, s.n - i }) : 0;
		if (n > 0) {
			md_put_entity(out, (struct mem_str){ s.p + i, n });
			i += n;
			continue;
		}
		i += s.p[i] == '\\' && i + 1 < s.n && is_punctuation(s.p[i + 1]);
		mem_buf_putc(out, s.p[i++]);
	}
}

/* %20; what would give no text stays as it is written. */
static void
put_percent_decoded(struct mem_buf *out, struct mem_str s)
{
	size_t from = out->len;
	for (size_t i = 0; i < s.n; i++) {
		int high = s.p[i] == '%' && i + 2 < s.n ? mem_hex_digit(s.p[i + 1]) : -1;
		int low = high >= 0 ? mem_hex_digit(s.p[i + 2]) : -1;
		if (low >= 0)
			i += 2;
		mem_buf_putc(out, low >= 0 ? (char)(high * 16 + low) : s.p[i]);
	}
	size_t n = out->len - from;
	if (n == 0 || (mem_utf8_valid(out->data + from, n) == n && memchr(out->data + from, '\0', n) == NULL))
		return;
	out->len = from;
	mem_buf_str(out, s);
}

static struct mem_str
decode_target(struct mem_arena *arena, struct mem_str s)
{
	struct mem_buf plain = { 0 }, decoded = { 0 };
	if (s.n == 0 || (memchr(s.p, '\\', s.n) == NULL && memchr(s.p, '&', s.n) == NULL && memchr(s.p, '%', s.n) == NULL))
		return s;
	put_unescaped(&plain, s);
	put_percent_decoded(&decoded, mem_buf_span(&plain));
	struct mem_str out = mem_arena_str(arena, mem_buf_span(&decoded));
	mem_buf_release(&plain);
	mem_buf_release(&decoded);
	return out;
}

/* "https:", "mailto:"; a letter with a colon is none. */
static bool
has_scheme(struct mem_str s)
{
	size_t i = 0;
	while (i < s.n && i < 32 && (((s.p[i] | 0x20) >= 'a' && (s.p[i] | 0x20) <= 'z') ||
	    (i > 0 && ((s.p[i] >= '0' && s.p[i] <= '9') || strchr("+.-", s.p[i]) != NULL))))
		i++;
	return i > 1 && i < s.n && s.p[i] == ':';
}

bool
md_target_link(struct mem_arena *arena, struct mem_str text, const struct md_target *t, struct mem_md_link *out)
{
	struct mem_str raw = { text.p + t->start, t->end - t->start };
	const char *hash = find_fragment(raw);
	struct mem_str path = { raw.p, hash != NULL ? (size_t)(hash - raw.p) : raw.n };
	bool here = path.n == 0 && raw.n > 1;
	if ((path.n == 0 && !here) || has_scheme(path) || (path.n > 1 && path.p[0] == '/' && path.p[1] == '/'))
		return false;
	out->target = decode_target(arena, path);
	if (!here && is_target_space(out->target.p[0]))
		return false;
	out->attachment = !here && !md_names_page(out->target);
	out->target_start = t->start;
	out->target_end = t->start + path.n;
	out->angled = t->angled;
	out->relative = true;
	if (hash != NULL)
		md_link_set_fragment(out, decode_target(arena, (struct mem_str){ hash + 1, raw.n - path.n - 1 }));
	return true;
}
