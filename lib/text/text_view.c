/* SPDX-License-Identifier: Apache-2.0 */
/* A text as rules see it, with the way back to where each byte came from. */
#include "text/pattern.h"

#include <stdlib.h>
#include <string.h>

/* A stretch of a view: bytes as in the parent (from SAME), or made of `from` bytes there. */
struct mem_view_seg {
	uint32_t view, at, from;
};
#define SAME UINT32_MAX

void
mem_view_init(struct mem_view *v, struct mem_str text)
{
	*v = (struct mem_view){ .text = text };
}

void
mem_view_derive(struct mem_view *v, const struct mem_view *parent)
{
	*v = (struct mem_view){ .parent = parent, .text = { "", 0 } };
}

void
mem_view_release(struct mem_view *v)
{
	free(v->segs);
	mem_buf_release(&v->buf);
	*v = (struct mem_view){ 0 };
}

static void
append_view_segment(struct mem_view *v, struct mem_str s, size_t at, size_t from)
{
	v->segs = mem_grow(v->segs, &v->segs_cap, v->nsegs + 1, sizeof *v->segs);
	v->segs[v->nsegs++] = (struct mem_view_seg){ (uint32_t)v->buf.len, (uint32_t)at, (uint32_t)from };
	mem_buf_str(&v->buf, s);
	v->text = mem_buf_span(&v->buf);
}

void
mem_view_same(struct mem_view *v, size_t at, size_t n)
{
	struct mem_str s = { v->parent->text.p + at, n };
	const struct mem_view_seg *seg = v->nsegs > 0 ? &v->segs[v->nsegs - 1] : NULL;
	if (n == 0)
		return;
	if (seg != NULL && seg->from == SAME && seg->at + (v->buf.len - seg->view) == at) {
		mem_buf_str(&v->buf, s);
		v->text = mem_buf_span(&v->buf);
		return;
	}
	append_view_segment(v, s, at, SAME);
}

void
mem_view_made(struct mem_view *v, struct mem_str text, size_t at, size_t from)
{
	if (text.n > 0)
		append_view_segment(v, text, at, from);
}

/* The stretch that byte `i` of the view lies in. */
static const struct mem_view_seg *
find_view_segment(const struct mem_view *v, size_t i)
{
	size_t lo = 0, hi = v->nsegs;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (v->segs[mid].view <= i)
			lo = mid;
		else
			hi = mid;
	}
	return &v->segs[lo];
}

void
mem_view_source(const struct mem_view *v, size_t *start, size_t *end)
{
	for (; v->parent != NULL; v = v->parent) {
		if (v->nsegs == 0) {
			*start = *end = 0;
			continue;
		}
		const struct mem_view_seg *a = find_view_segment(v, *start);
		const struct mem_view_seg *b = find_view_segment(v, *end > *start ? *end - 1 : *start);
		size_t e = b->from != SAME ? b->at + (size_t)b->from : b->at + (*end - b->view);
		*start = a->from != SAME ? a->at : a->at + (*start - a->view);
		*end = e < *start ? *start : e;
	}
}

bool
mem_view_splits(const struct mem_view *v, size_t at)
{
	size_t lo = 0, hi = v->nsegs; /* `at` rises from one to the next */
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (v->segs[mid].at <= at)
			lo = mid;
		else
			hi = mid;
	}
	return v->nsegs > 0 && v->segs[lo].from != SAME && at > v->segs[lo].at &&
	    at < (size_t)v->segs[lo].at + v->segs[lo].from;
}

/* ---- escapes of JSON strings ------------------------------------------- */

static bool
parse_hex_digits(const char *p, const char *end, uint32_t *out)
{
	uint32_t c = 0;
	if (end - p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int d = mem_hex_digit(p[i]);
		if (d < 0)
			return false;
		c = c << 4 | (uint32_t)d;
	}
	*out = c;
	return true;
}

/* The escape at p: its length, or 0 when it is none. */
static size_t
parse_json_escape(const char *p, const char *end, uint32_t *c)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	uint32_t low;
	size_t n = 6;
	if (end - p < 2 || p[0] != '\\' || p[1] == '\0')
		return 0;
	const char *l = strchr(letters, p[1]);
	if (l != NULL) {
		*c = (unsigned char)values[l - letters];
		return 2;
	}
	if (p[1] != 'u' || !parse_hex_digits(p + 2, end, c))
		return 0;
	if ((*c & 0xfc00) == 0xd800 && end - p >= 12 && p[6] == '\\' && p[7] == 'u' &&
	    parse_hex_digits(p + 8, end, &low) && (low & 0xfc00) == 0xdc00) {
		*c = 0x10000 + ((*c & 0x3ff) << 10) + (low & 0x3ff);
		n = 12;
	}
	if (*c == 0 || (*c & 0x1ff800) == 0xd800)
		*c = 0xfffd;
	return n;
}

bool
mem_view_unescape(struct mem_view *v, const struct mem_view *parent)
{
	const char *p = parent->text.p, *end = p + parent->text.n;
	size_t done = 0; /* bytes of the parent dealt with */
	struct mem_buf one = { 0 };
	mem_view_derive(v, parent);
	if (parent->text.n == 0)
		return false;
	for (const char *q = p; (q = memchr(q, '\\', (size_t)(end - q))) != NULL;) {
		uint32_t c;
		size_t n = parse_json_escape(q, end, &c);
		if (n > 0) {
			size_t at = (size_t)(q - p);
			mem_view_same(v, done, at - done);
			mem_buf_reset(&one);
			mem_buf_utf8(&one, c);
			mem_view_made(v, mem_buf_span(&one), at, n);
			done = at + n;
		}
		q += n > 0 ? n : 1;
	}
	mem_buf_release(&one);
	if (done == 0)
		return false;
	mem_view_same(v, done, parent->text.n - done);
	return true;
}
