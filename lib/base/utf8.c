/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: is it valid, and code points in and out. */
#include "base/base.h"

#include <string.h>

/*
 * Length of the well-formed sequence at p, or 0.  The ranges are those of
 * Unicode table 3-7: no overlong forms, no surrogates, nothing over U+10FFFF.
 */
static size_t
utf8_sequence_length(const unsigned char *p, size_t n)
{
	unsigned char c = p[0];
	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	size_t len = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (len > n)
		return 0;
	unsigned char lo = 0x80, hi = 0xbf;
	if (c == 0xe0)
		lo = 0xa0;
	else if (c == 0xed)
		hi = 0x9f;
	else if (c == 0xf0)
		lo = 0x90;
	else if (c == 0xf4)
		hi = 0x8f;
	if (p[1] < lo || p[1] > hi)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

size_t
mem_utf8_valid(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t i = 0;
	while (i < n) {
		uint64_t word;
		while (i + sizeof word <= n) {
			memcpy(&word, p + i, sizeof word);
			if ((word & 0x8080808080808080u) != 0)
				break;
			i += sizeof word;
		}
		if (i == n)
			break;
		size_t len = utf8_sequence_length(p + i, n - i);
		if (len == 0)
			break;
		i += len;
	}
	return i;
}

size_t
mem_utf8_put(unsigned char *s, uint32_t c)
{
	size_t n = 0;
	if (c < 0x80) {
		s[n++] = (unsigned char)c;
		return n;
	}
	if (c < 0x800) {
		s[n++] = (unsigned char)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		s[n++] = (unsigned char)(0xe0 | c >> 12);
		s[n++] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
	} else {
		s[n++] = (unsigned char)(0xf0 | c >> 18);
		s[n++] = (unsigned char)(0x80 | (c >> 12 & 0x3f));
		s[n++] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
	}
	s[n++] = (unsigned char)(0x80 | (c & 0x3f));
	return n;
}

void
mem_buf_utf8(struct mem_buf *b, uint32_t c)
{
	unsigned char s[4];
	mem_buf_put(b, s, mem_utf8_put(s, c));
}

size_t
mem_utf8_decode(const char *s, size_t n, uint32_t *c)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t len = n > 0 ? utf8_sequence_length(p, n) : 0;
	if (len <= 1) {
		*c = len == 1 ? p[0] : 0xfffd;
		return 1;
	}
	uint32_t v = p[0] & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++)
		v = v << 6 | (p[i] & 0x3f);
	*c = v;
	return len;
}

size_t
mem_utf8_cut(struct mem_str s, size_t max)
{
	if (s.n <= max)
		return s.n;
	while (max > 0 && ((unsigned char)s.p[max] & 0xc0) == 0x80)
		max--;
	return max;
}
