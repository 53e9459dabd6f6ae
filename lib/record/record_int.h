/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared inside the record room: the inner loops of scanner, navigation and writer.
 * All of them read only bytes before `end`.
 */
#ifndef MEM_RECORD_INT_H
#define MEM_RECORD_INT_H

#include "record/record.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool
json_is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *
json_skip_space(const char *p, const char *end)
{
	while (p < end && json_is_space(*p))
		p++;
	return p;
}

/*
 * The first byte from p on that a string may not hold as it is, or that needs a look:
 * a quote, a backslash, a control character, anything that is not ASCII.
 */
static inline const char *
json_skip_plain(const char *p, const char *end)
{
#ifdef __SSE2__
	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const void *)p);
		/* As signed bytes, controls and bytes from 0x80 on are both below 0x20. */
		__m128i odd = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)),
		    _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
		    _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
		unsigned mask = (unsigned)_mm_movemask_epi8(odd);
		if (mask != 0)
			return p + __builtin_ctz(mask);
		p += 16;
	}
#endif
	while (p < end && *p != '"' && *p != '\\' && (signed char)*p >= 0x20)
		p++;
	return p;
}

/* The value of four hexadecimal digits, or -1. */
static inline int
json_hex4_value(const char *p, const char *end)
{
	if (end - p < 4)
		return -1;
	int v = 0;
	for (int i = 0; i < 4; i++) {
		int d = mem_hex_digit(p[i]);
		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

/* What type of value starts with this byte; MEM_JSON_NUMBER for what starts none. */
static inline enum mem_json_type
json_type_of_byte(char c)
{
	switch (c) {
	case '"': return MEM_JSON_STRING;
	case '{': return MEM_JSON_OBJECT;
	case '[': return MEM_JSON_ARRAY;
	case 't': return MEM_JSON_TRUE;
	case 'f': return MEM_JSON_FALSE;
	case 'n': return MEM_JSON_NULL;
	default: return MEM_JSON_NUMBER;
	}
}

/* In checked text: behind the closing quote of the string whose first byte is at p. */
const char *json_skip_string(const char *p, const char *end, bool *escaped);
/* In checked text: behind the value that starts at p. */
const char *json_skip_value(const char *p, const char *end, bool *escaped);
/* The characters between the quotes of a checked string, appended. */
void json_decode_string(struct mem_buf *out, struct mem_str inner);

/* ---- sets of keys (json_keys.c) --------------------------------------- */

/*
 * Keys come from strangers, so the table's hash is keyed anew each time: no choice of
 * keys makes it slow.  The spans are borrowed.
 */
struct json_key_slot {
	struct mem_str key;
	uint32_t next;          /* the number that the next equal key tries */
	bool used;
};
struct json_keys {
	struct json_key_slot *slots;
	size_t n, mask;
	uint8_t secret[16];
};
void json_keys_init(struct json_keys *k, size_t expected);
/* The slot of `key`, taken for it if there was none (*fresh); valid until the next add. */
struct json_key_slot *json_keys_add(struct json_keys *k, struct mem_str key, bool *fresh);
void json_keys_release(struct json_keys *k);

#endif
