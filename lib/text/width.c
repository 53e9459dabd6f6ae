/* SPDX-License-Identifier: Apache-2.0 */
/* How many columns a terminal needs for a text. */
#include "text/width.h"

#include <utf8proc.h>

static size_t
find_code_width(uint32_t c)
{
	if (c >= 0x20 && c < 0x7f)
		return 1;
	int w = utf8proc_charwidth((utf8proc_int32_t)c);
	return w > 0 ? (size_t)w : 0;
}

/* One cluster, from `at` on: its end, and its width. */
static size_t
read_cluster(struct mem_str s, size_t at, size_t *width)
{
	uint32_t c, next;
	utf8proc_int32_t state = 0;
	size_t end = at + mem_utf8_decode(s.p + at, s.n - at, &c);
	*width = find_code_width(c);
	while (end < s.n) {
		/* Between two of these there is a boundary but in a line break. */
		if (c >= 0x20 && c < 0x7f && s.p[end] >= 0x20 && s.p[end] < 0x7f)
			break;
		size_t n = mem_utf8_decode(s.p + end, s.n - end, &next);
		if (utf8proc_grapheme_break_stateful((utf8proc_int32_t)c, (utf8proc_int32_t)next, &state))
			break;
		*width += find_code_width(next);
		end += n;
		c = next;
	}
	return end;
}

size_t
mem_text_cut_to_width(struct mem_str s, size_t columns, size_t *width)
{
	size_t i = 0;
	*width = 0;
	while (i < s.n) {
		size_t w, end = read_cluster(s, i, &w);
		if (*width + w > columns)
			break;
		*width += w;
		i = end;
	}
	return i;
}

size_t
mem_text_width(struct mem_str s)
{
	size_t width = 0;
	for (size_t i = 0; i < s.n;) {
		uint32_t c;
		i += mem_utf8_decode(s.p + i, s.n - i, &c);
		width += find_code_width(c);
	}
	return width;
}

size_t
mem_text_cluster_start(struct mem_str s, size_t at)
{
	/* A cluster of more bytes than this is no writing of anybody's. */
	enum { BACK = 256 };
	size_t i = at > BACK ? mem_utf8_cut(s, at - BACK) : 0, w;
	while (i < at && i < s.n)
		i = read_cluster(s, i, &w);
	return i;
}
