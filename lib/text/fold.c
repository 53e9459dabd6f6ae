/* SPDX-License-Identifier: Apache-2.0 */
/* Folding: case, accents and compatibility forms. */
#include "text/text_int.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { STACK_POINTS = 512 };

#define FOLD  (UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE)
#define SPLIT (UTF8PROC_STABLE | UTF8PROC_DECOMPOSE)
#define JOIN  (UTF8PROC_STABLE | UTF8PROC_COMPOSE)

/* Code points on the stack while they are few. */
struct code_points {
	utf8proc_int32_t few[STACK_POINTS];
	utf8proc_int32_t *v, *many;
	utf8proc_ssize_t n;
};

/* Eight bytes of ASCII at once; */
#define EACH_BYTE 0x0101010101010101U
#define HIGH_BITS (0x80 * EACH_BYTE)

static bool
is_ascii_text(struct mem_str s)
{
	size_t i = 0;
	uint64_t word;
	for (; s.n - i >= sizeof word; i += sizeof word) {
		memcpy(&word, s.p + i, sizeof word);
		if ((word & HIGH_BITS) != 0)
			return false;
	}
	for (; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

/* the high bit of a byte tells that it is A or more, or more than Z; shifted, it is the bit of a small letter. */
static uint64_t
lower_ascii_word(uint64_t word)
{
	uint64_t from_a = word + (0x80 - 'A') * EACH_BYTE, behind_z = word + (0x80 - 'Z' - 1) * EACH_BYTE;
	return word | ((from_a & ~behind_z & HIGH_BITS) >> 2);
}

/* Ideographs, kana and Hangul syllables, which make up most text of their languages, fold to
 * themselves as long as nothing else is among them. */
static bool
is_fold_stable(struct mem_str s)
{
	for (size_t i = 0; i < s.n;) {
		uint32_t c;
		i += mem_utf8_decode(s.p + i, s.n - i, &c);
		if (!((c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3041 && c <= 0x3096) ||
		    (c >= 0x30a1 && c <= 0x30fa) || c == 0x30fc || (c >= 0xac00 && c <= 0xd7a3)))
			return false;
	}
	return true;
}

/* The mappings that no option of utf8proc has.  U+00AD is ignorable, so it drops. */
static utf8proc_int32_t
remap_code_point(utf8proc_int32_t c, void *turkish)
{
	switch (c) {
	case 0x2019: case 0x02bc: case 0xff07:
		return '\'';
	case 0x00b7: case 0x0387:
		return 0x00ad;
	case 'I':
		return turkish != NULL ? 0x0131 : c;
	case 0x0130:
		return turkish != NULL ? 'i' : c;
	default:
		return c;
	}
}

/* False where utf8proc refuses the text, which valid UTF-8 never is. */
static bool
decompose_text(struct code_points *pt, struct mem_str s, utf8proc_option_t options,
    utf8proc_custom_func fn, void *ctx)
{
	const utf8proc_uint8_t *p = (const utf8proc_uint8_t *)s.p;
	pt->many = NULL;
	pt->v = pt->few;
	pt->n = utf8proc_decompose_custom(p, (utf8proc_ssize_t)s.n, pt->few, STACK_POINTS,
	    options, fn, ctx);
	if (pt->n > STACK_POINTS) {
		pt->many = mem_xrealloc(NULL, (size_t)pt->n + 1, sizeof *pt->many);
		pt->v = pt->many;
		pt->n = utf8proc_decompose_custom(p, (utf8proc_ssize_t)s.n, pt->many, pt->n,
		    options, fn, ctx);
	}
	return pt->n >= 0;
}

static void
compose_text(struct mem_buf *out, struct code_points *pt)
{
	utf8proc_ssize_t n = utf8proc_normalize_utf32(pt->v, pt->n, JOIN);
	for (utf8proc_ssize_t i = 0; i < n; i++)
		mem_buf_utf8(out, (uint32_t)pt->v[i]);
}

static void
put_lower_ascii(struct mem_buf *out, struct mem_str s)
{
	mem_buf_reserve(out, s.n);
	char *to = out->data + out->len;
	size_t i = 0;
	uint64_t word;
	for (; s.n - i >= sizeof word; i += sizeof word) {
		memcpy(&word, s.p + i, sizeof word);
		word = lower_ascii_word(word);
		memcpy(to + i, &word, sizeof word);
	}
	for (; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		to[i] = (char)(c | ((unsigned)(c - 'A') < 26) << 5);
	}
	out->len += s.n;
	out->data[out->len] = '\0';
}

void
text_fold_case(struct mem_buf *out, struct mem_str raw, bool turkish)
{
	if (is_ascii_text(raw) && !(turkish && raw.n > 0 && memchr(raw.p, 'I', raw.n) != NULL)) {
		put_lower_ascii(out, raw);
		return;
	}
	if (is_fold_stable(raw)) {
		mem_buf_str(out, raw);
		return;
	}
	struct code_points pt;
	if (decompose_text(&pt, raw, FOLD, remap_code_point, turkish ? &turkish : NULL))
		compose_text(out, &pt);
	else
		mem_buf_str(out, raw);
	free(pt.many);
}

static bool
is_stripped_mark(utf8proc_int32_t c)
{
	if (c < 0x300 || utf8proc_category(c) != UTF8PROC_CATEGORY_MN)
		return false;
	return c < 0x900 || (c >= 0x1ab0 && c <= 0x1aff) || (c >= 0x1dc0 && c <= 0x1dff) ||
	    (c >= 0x20d0 && c <= 0x20ff) || (c >= 0xfe20 && c <= 0xfe2f);
}

/* Letters that Unicode does not take apart, though keyboards without them do. */
static const char *
find_plain_letter(utf8proc_int32_t c)
{
	switch (c) {
	case 0x00e6: return "ae";
	case 0x00f0: return "d";
	case 0x00f8: return "o";
	case 0x00fe: return "th";
	case 0x0111: return "d";
	case 0x0127: return "h";
	case 0x0131: return "i";
	case 0x0142: return "l";
	case 0x0153: return "oe";
	default: return NULL;
	}
}

void
text_strip_marks(struct mem_buf *out, struct mem_str folded)
{
	if (is_ascii_text(folded) || is_fold_stable(folded)) {
		mem_buf_str(out, folded);
		return;
	}
	struct code_points pt;
	if (!decompose_text(&pt, folded, SPLIT, NULL, NULL)) {
		mem_buf_str(out, folded);
		free(pt.many);
		return;
	}
	struct mem_buf kept = { 0 };
	for (utf8proc_ssize_t i = 0; i < pt.n; i++) {
		const char *plain = find_plain_letter(pt.v[i]);
		if (plain != NULL)
			mem_buf_puts(&kept, plain);
		else if (!is_stripped_mark(pt.v[i]))
			mem_buf_utf8(&kept, (uint32_t)pt.v[i]);
	}
	free(pt.many);
	if (decompose_text(&pt, mem_buf_span(&kept), SPLIT, NULL, NULL))
		compose_text(out, &pt);
	free(pt.many);
	mem_buf_release(&kept);
}

void
mem_text_fold(struct mem_buf *out, struct mem_str text)
{
	struct mem_buf folded = { 0 };
	text_fold_case(&folded, text, false);
	text_strip_marks(out, mem_buf_span(&folded));
	mem_buf_release(&folded);
}

void
mem_text_fold_letters(struct mem_buf *out, struct mem_str text)
{
	text_fold_case(out, text, false);
}

void
mem_text_fold_name(struct mem_buf *out, struct mem_str name)
{
	size_t before = out->len;
	struct mem_str trimmed = mem_str_trim(name);
	mem_text_fold(out, trimmed);
	if (out->len == before)
		mem_buf_str(out, trimmed);
}

struct mem_str
mem_text_folded(struct mem_arena *a, struct mem_str text)
{
	struct mem_buf b = { 0 };
	mem_text_fold(&b, text);
	struct mem_str s = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}
