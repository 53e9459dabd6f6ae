/* SPDX-License-Identifier: Apache-2.0 */
/* What matches of a pattern begin with, so that most places need not be tried. */
#include "text/pattern.h"
#include "text/text_int.h"

#include <string.h>

/* ---- of a pattern -------------------------------------------------------- */

/* Does the source begin with \b, behind (?x) and white space? */
static bool
begins_with_boundary(struct mem_str source)
{
	static const char extended[] = "(?x)";
	size_t n = sizeof extended - 1;
	if (source.n >= n && memcmp(source.p, extended, n) == 0)
		while (n < source.n && (source.p[n] == ' ' || source.p[n] == '\n'))
			n++;
	else
		n = 0;
	return source.n - n >= 2 && memcmp(source.p + n, "\\b", 2) == 0;
}

bool
mem_pattern_begins(struct mem_pattern_start *out, struct mem_str source, unsigned flags)
{
	struct mem_pattern *p;
	*out = (struct mem_pattern_start){ .at_word = false };
	if (mem_pattern_new(&p, source, flags & ~(unsigned)MEM_PATTERN_WINDOWED, NULL) != MEM_OK)
		return false;
	bool known = text_pattern_first_bytes(p, out->bytes);
	out->at_word = begins_with_boundary(source) && !text_pattern_has_branches(p, source);
	mem_pattern_free(p);
	return known;
}

/* ---- in a text ----------------------------------------------------------- */

/* Beyond ASCII the pattern itself sees where a word begins. */
static bool
may_start(const struct mem_pattern_start *s, const unsigned char *p, size_t at)
{
	if ((s->bytes[p[at] >> 3] >> (p[at] & 7) & 1) == 0)
		return false;
	return !s->at_word || at == 0 || !text_is_ascii_word((char)p[at]) || !text_is_ascii_word((char)p[at - 1]);
}

size_t
mem_pattern_next_start(const struct mem_pattern_start *s, struct mem_str text, size_t from, size_t last)
{
	const unsigned char *p = (const unsigned char *)text.p;
	size_t end = last < text.n ? last + 1 : text.n;
	while (from < end && !may_start(s, p, from))
		from++;
	return from < end ? from : last + 1;
}
