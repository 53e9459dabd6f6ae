/* SPDX-License-Identifier: Apache-2.0 */
/* How alike two texts are written. */
#include "text/text_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* Distinct triples of a text's characters, each as one number, rising. */
struct char_triples {
	size_t n;
	uint64_t v[TEXT_TRIPLES_MAX];
};

static bool
is_word_char(uint32_t c)
{
	return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int
compare_triples_by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

size_t
text_list_triples(uint64_t *out, struct mem_str folded)
{
	uint64_t last = ' ';            /* the characters before, 21 bits each */
	uint32_t before = ' ';
	size_t n = 0;
	for (size_t i = 0; i <= folded.n && n < TEXT_TRIPLES_MAX;) {
		uint32_t c = i < folded.n ? (unsigned char)folded.p[i] : ' ';
		if (c >= 0x80)
			i += mem_utf8_decode(folded.p + i, folded.n - i, &c);
		else
			i++;
		c = is_word_char(c) ? c : ' ';
		if (c == ' ' && before == ' ')
			continue;
		before = c;
		last = (last << 21 | c) & (((uint64_t)1 << 63) - 1);
		if (last >> 42 != 0)
			out[n++] = last;
	}
	return n;
}

size_t
text_list_different_triples(uint64_t *out, struct mem_str folded)
{
	size_t n = text_list_triples(out, folded);
	if (n < 2)
		return n;
	mem_sort(out, n, sizeof *out, compare_triples_by_value);
	size_t kept = 1;
	for (size_t i = 1; i < n; i++)
		if (out[i] != out[kept - 1])
			out[kept++] = out[i];
	return kept;
}

double
mem_text_likeness(struct mem_str a, struct mem_str b)
{
	struct mem_buf folded = { 0 };
	struct char_triples *t = mem_xmalloc(2 * sizeof *t), *x = t, *y = t + 1;
	size_t i = 0, k = 0, both = 0;
	mem_text_fold(&folded, a);
	x->n = text_list_different_triples(x->v, mem_buf_span(&folded));
	mem_buf_reset(&folded);
	mem_text_fold(&folded, b);
	y->n = text_list_different_triples(y->v, mem_buf_span(&folded));
	while (i < x->n && k < y->n) {
		both += x->v[i] == y->v[k];
		uint64_t at = x->v[i];
		i += at <= y->v[k];
		k += y->v[k] <= at;
	}
	double like = x->n + y->n > 0 ? 2 * (double)both / (double)(x->n + y->n) : mem_str_eq(a, b);
	mem_buf_release(&folded);
	free(t);
	return like;
}
