/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values written to a buffer. */
#include "record/record_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void
put_json_escape(struct mem_buf *out, unsigned char c)
{
	switch (c) {
	case '"': mem_buf_puts(out, "\\\""); break;
	case '\\': mem_buf_puts(out, "\\\\"); break;
	case '\b': mem_buf_puts(out, "\\b"); break;
	case '\f': mem_buf_puts(out, "\\f"); break;
	case '\n': mem_buf_puts(out, "\\n"); break;
	case '\r': mem_buf_puts(out, "\\r"); break;
	case '\t': mem_buf_puts(out, "\\t"); break;
	default: mem_buf_printf(out, "\\u%04x", c); break;
	}
}

/* A string of which all stays as it is.  There is room for it. */
static void
put_plain_string(struct mem_buf *out, struct mem_str s)
{
	char *to = out->data + out->len;
	to[0] = to[s.n + 1] = '"';
	to[s.n + 2] = '\0';
	if (s.n > 0)
		memcpy(to + 1, s.p, s.n);
	out->len += s.n + 2;
}

void
mem_json_put_string(struct mem_buf *out, struct mem_str s)
{
	const char *p = s.p, *end = s.n > 0 ? p + s.n : p;
	mem_buf_reserve(out, s.n + 2);
	if (s.n == 0 || json_skip_plain(p, end) == end) {
		put_plain_string(out, s);
		return;
	}
	mem_buf_putc(out, '"');
	while (p < end) {
		const char *odd = json_skip_plain(p, end);
		mem_buf_put(out, p, (size_t)(odd - p));
		p = odd;
		if (p == end)
			break;
		if ((unsigned char)*p < 0x80) {
			put_json_escape(out, (unsigned char)*p++);
			continue;
		}
		uint32_t c;
		size_t n = mem_utf8_decode(p, (size_t)(end - p), &c);
		if (n == 1)
			mem_buf_utf8(out, 0xfffd);
		else
			mem_buf_put(out, p, n);
		p += n;
	}
	mem_buf_putc(out, '"');
}

void
mem_json_put_key(struct mem_buf *out, const char *name)
{
	char before = out->len > 0 ? out->data[out->len - 1] : '{';
	if (before != '{' && before != '[')
		mem_buf_putc(out, ',');
	mem_json_put_string(out, mem_str(name));
	mem_buf_putc(out, ':');
}

void
mem_json_put_field(struct mem_buf *out, const char *name, struct mem_str s)
{
	mem_json_put_key(out, name);
	mem_json_put_string(out, s);
}

void
mem_json_put_text(struct mem_buf *out, const char *name, struct mem_str s)
{
	if (s.n > 0)
		mem_json_put_field(out, name, s);
	else
		mem_json_put_null(out, name);
}

void
mem_json_put_int(struct mem_buf *out, const char *name, int64_t v)
{
	char digits[24];
	size_t at = sizeof digits;
	uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	do
		digits[--at] = (char)('0' + left % 10);
	while ((left /= 10) > 0);
	if (v < 0)
		digits[--at] = '-';
	mem_json_put_key(out, name);
	mem_buf_put(out, digits + at, sizeof digits - at);
}

/*
 * Of a number whose decimals end with the sixth, as most here: the digits that printf would give.  A product below 2^40
 * that comes out whole is off by less than 2^-13, so that no other six decimals are nearer.
 */
static bool
put_short_number(struct mem_buf *out, double v)
{
	static const double LEAST = 1e-6, MOST = 1e6, MILLIONTHS = 1e6;
	double scaled = v * MILLIONTHS;
	if (!(v == 0 || (v >= LEAST && v < MOST)) || signbit(v) || scaled != floor(scaled))
		return false;
	uint64_t n = (uint64_t)scaled;
	char text[24], *end = text + sizeof text, *p = end;
	int decimals = 6;
	for (; decimals > 0 && n % 10 == 0; decimals--)
		n /= 10;
	for (int i = 0; i < decimals; i++, n /= 10)
		*--p = (char)('0' + n % 10);
	if (decimals > 0)
		*--p = '.';
	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	mem_buf_put(out, p, (size_t)(end - p));
	return true;
}

static void
put_decimals(struct mem_buf *out, double v, int decimals)
{
	size_t from = out->len;
	mem_buf_printf(out, "%.*f", decimals, v);
	while (out->data[out->len - 1] == '0')
		out->len--;
	if (out->data[out->len - 1] == '.')
		out->len--;
	out->data[out->len] = '\0';
	if (strcmp(out->data + from, "-0") == 0) {
		out->len = from;
		mem_buf_putc(out, '0');
	}
}

void
mem_json_put_number(struct mem_buf *out, double v)
{
	if (!isfinite(v))
		mem_buf_puts(out, "null");
	else if (!put_short_number(out, v))
		put_decimals(out, v, 6);
}

void
mem_json_put_share(struct mem_buf *out, double v)
{
	enum { DIGITS = 6 };
	static const double LEAST = 1e-45; /* of a float */
	if (v >= LEAST && v < 0.1)
		put_decimals(out, v, DIGITS - 1 - (int)floor(log10(v)));
	else
		mem_json_put_number(out, v);
}

void
mem_json_put_num(struct mem_buf *out, const char *name, double v)
{
	mem_json_put_key(out, name);
	mem_json_put_number(out, v);
}

void
mem_json_put_bool(struct mem_buf *out, const char *name, bool v)
{
	mem_json_put_raw(out, name, v ? MEM_STR("true") : MEM_STR("false"));
}

void
mem_json_put_time(struct mem_buf *out, const char *name, int64_t ms)
{
	char text[MEM_TIME_LEN + 1];
	if (ms == MEM_TIME_NONE) {
		mem_json_put_null(out, name);
		return;
	}
	mem_time_format(ms, text);
	mem_json_put_field(out, name, mem_str(text));
}

void
mem_json_put_null(struct mem_buf *out, const char *name)
{
	mem_json_put_raw(out, name, MEM_STR("null"));
}

void
mem_json_put_raw(struct mem_buf *out, const char *name, struct mem_str raw)
{
	mem_json_put_key(out, name);
	mem_buf_str(out, raw);
}

void
mem_rec_put_text(struct mem_buf *out, const struct mem_rec *rec, const char *name)
{
	struct mem_json v = mem_rec_value(rec, name);
	mem_json_put_raw(out, name, v.type == MEM_JSON_STRING ? v.raw : MEM_STR("null"));
}
