/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentences and passages keep the promises of passages.h on any valid UTF-8.  The first two bytes choose the limit,
 * the overlap and the measure.
 */
#include <stdlib.h>
#include <string.h>

#include "text/sentence_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t measured;

static size_t
count_words(const void *ctx, struct mem_str text)
{
	measured += text.n;
	return mem_measure_words(ctx, text);
}

static size_t
count_characters(const void *ctx, struct mem_str text)
{
	measured += text.n;
	return mem_measure_characters(ctx, text);
}

/* Another unit: white space weighs nothing, a character as many as its bytes. */
static size_t
count_ink(const void *ctx, struct mem_str text)
{
	(void)ctx;
	size_t n = 0;
	measured += text.n;
	for (size_t at = 0; at < text.n;) {
		uint32_t c;
		size_t k = text_read_char(text, at, text.n, &c);
		n += mem_char_is_space(c) ? 0 : k;
		at += k;
	}
	return n;
}

static bool
is_blank(struct mem_str text, size_t start, size_t end)
{
	return text_skip_white_space((struct mem_str){ text.p, end }, start) == end;
}

/* A span of whole characters, with none of white space at its ends. */
static void
check_span(struct mem_str text, struct mem_span s)
{
	uint32_t first, last;
	if (s.start >= s.end || s.end > text.n)
		abort();
	if (((unsigned char)text.p[s.start] & 0xc0) == 0x80)
		abort();
	if (s.end < text.n && ((unsigned char)text.p[s.end] & 0xc0) == 0x80)
		abort();
	text_read_char(text, s.start, s.end, &first);
	text_read_char_before(text, s.start, s.end, &last);
	if (mem_char_is_space(first) || mem_char_is_space(last))
		abort();
}

static size_t
check_sentences(struct mem_str text)
{
	struct mem_sentences all = { .text = text }, again = { .text = text };
	struct mem_sentence s, t;
	size_t end = 0, n = 0;
	for (; mem_sentences_next(&all, &s); end = s.span.end, n++) {
		check_span(text, s.span);
		if (s.span.start < end || !is_blank(text, end, s.span.start))
			abort();
		if (!mem_sentences_next(&again, &t) || s.span.start != t.span.start || s.span.end != t.span.end || s.code != t.code)
			abort();
	}
	if (!is_blank(text, end, text.n))
		abort();
	return n;
}

static void
check_passages(struct mem_str text, const struct mem_passage_options *o, size_t sentences)
{
	struct mem_span *spans, *again, none = { 0 };
	measured = 0;
	size_t n = mem_passages_make(&spans, text, o), end = 0;
	if (measured > 40 * text.n)
		abort();
	for (size_t i = 0; i < n; i++) {
		struct mem_span before = i > 0 ? spans[i - 1] : none;
		check_span(text, spans[i]);
		if (i > 0 && (spans[i].start <= before.start || spans[i].end <= before.end || (o->overlap == 0 && spans[i].start < end)))
			abort();
		if (spans[i].start > end && !is_blank(text, end, spans[i].start))
			abort();
		struct mem_str passage = { text.p + spans[i].start, spans[i].end - spans[i].start };
		uint32_t c;
		if (o->measure(o->ctx, passage) > o->limit && text_read_char(passage, 0, passage.n, &c) != passage.n)
			abort();
		end = spans[i].end;
	}
	if (!is_blank(text, end, text.n) || (n == 0) != (sentences == 0))
		abort();
	struct mem_passage_options few = *o;
	few.passages_max = 2;
	size_t m = mem_passages_make(&again, text, &few);
	if (m != (n < 2 ? n : 2) || (m > 0 && memcmp(spans, again, m * sizeof *again) != 0))
		abort();
	free(spans);
	free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static mem_measure_fn *const measures[] = { count_characters, count_words, count_ink };
	if (size < 2)
		return 0;
	struct mem_str text = { (const char *)data + 2, mem_utf8_valid((const char *)data + 2, size - 2) };
	struct mem_passage_options o = {
		.limit = data[0] % 128u + 1, .overlap = data[1] % 4, .measure = measures[data[1] / 4 % MEM_COUNT(measures)]
	};
	check_passages(text, &o, check_sentences(text));
	return 0;
}
