/* SPDX-License-Identifier: Apache-2.0 */
/* Passages: sentences packed up to a size, and sentences over it cut. */
#include "text/sentence_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* ---- measures ----------------------------------------------------------- */

size_t
mem_measure_characters(const void *ctx, struct mem_str text)
{
	(void)ctx;
	size_t n = 0;
	for (size_t i = 0; i < text.n; i++)
		n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
	return n;
}

size_t
mem_measure_words(const void *ctx, struct mem_str text)
{
	(void)ctx;
	size_t n = 0;
	bool inside = false;
	for (size_t at = 0; at < text.n;) {
		uint32_t c;
		at += text_read_char(text, at, text.n, &c);
		bool space = mem_char_is_space(c);
		n += !space && !inside;
		inside = !space;
	}
	return n;
}

/* ---- packing ------------------------------------------------------------ */

/*
 * Sizes are summed up over all passages, so that a sentence needs no other number than the sum before it when it
 * begins the next passage, too.
 */
struct piece {
	struct mem_span span;
	size_t size;
	size_t gap;             /* size of the white space before it, which counts unless the piece is first */
};
struct beginning {
	size_t start;           /* in the text */
	size_t sum;             /* before it */
};
struct packer {
	const struct mem_passage_options *o;
	struct mem_str text;
	bool open;              /* a passage has been begun: */
	struct beginning first;
	size_t end, sum;        /* its end, and the sum there */
	struct beginning *last; /* [last_from, last_to): its last sentences, at most `overlap` */
	size_t last_from, last_to, last_cap;
	bool broken;            /* a line break within a sentence over the limit, the last one: */
	struct beginning line;  /* what follows it */
	size_t line_end, line_sum; /* what is before it */
	struct mem_span *out;
	size_t passages, out_cap;
	bool full;              /* passages_max are there */
};

static size_t
measure_span(const struct packer *p, size_t start, size_t end)
{
	return start < end ? p->o->measure(p->o->ctx, (struct mem_str){ p->text.p + start, end - start }) : 0;
}

static void
put_passage(struct packer *p, size_t start, size_t end)
{
	if (p->full)
		return;
	p->out = mem_grow(p->out, &p->out_cap, p->passages + 1, sizeof *p->out);
	p->out[p->passages++] = (struct mem_span){ start, end };
	p->full = p->o->passages_max > 0 && p->passages == p->o->passages_max;
}

/* Has a passage that begins with `first` room for one more piece? */
static bool
has_room(const struct packer *p, const struct beginning *first, const struct piece *next)
{
	size_t used = p->sum - first->sum, limit = p->o->limit;
	return used <= limit && next->gap <= limit - used && next->size <= limit - used - next->gap;
}

static void
end_passage(struct packer *p)
{
	if (p->open)
		put_passage(p, p->first.start, p->end);
	p->open = p->broken = false;
	p->last_from = p->last_to = 0;
}

/* The same, but the next passage begins with as many of the last sentences as `next` leaves room for. */
static void
end_passage_for(struct packer *p, const struct piece *next)
{
	put_passage(p, p->first.start, p->end);
	for (; p->last_from < p->last_to; p->last_from++) {
		p->first = p->last[p->last_from];
		if (p->sum - p->first.sum <= p->o->limit / 2 && has_room(p, &p->first, next))
			return;
	}
	p->open = false;
}

static void
remember_beginning(struct packer *p, struct beginning b)
{
	if (p->o->overlap == 0)
		return;
	if (p->last_to - p->last_from == p->o->overlap)
		p->last_from++;
	if (p->last_to == p->last_cap && p->last_from > p->last_to / 2) {
		memmove(p->last, p->last + p->last_from, (p->last_to - p->last_from) * sizeof *p->last);
		p->last_to -= p->last_from;
		p->last_from = 0;
	}
	p->last = mem_grow(p->last, &p->last_cap, p->last_to + 1, sizeof *p->last);
	p->last[p->last_to++] = b;
}

/* Returns where the piece begins. */
static struct beginning
add_piece(struct packer *p, const struct piece *next)
{
	struct beginning b = { next->span.start, p->sum + (p->open ? next->gap : 0) };
	if (!p->open)
		p->first = b;
	p->open = true;
	p->sum = b.sum + next->size;
	p->end = next->span.end;
	return b;
}

/* ---- sentences over the limit ------------------------------------------- */

static size_t
find_word_end(struct mem_str text, size_t at, size_t end)
{
	uint32_t c;
	for (size_t n; (n = text_read_char(text, at, end, &c)) > 0 && !mem_char_is_space(c);)
		at += n;
	return at;
}

/* `count` characters on from `at`, at most to `end`. */
static size_t
skip_characters(struct mem_str text, size_t at, size_t end, size_t count)
{
	for (; at < end && count > 0; count--)
		for (at++; at < end && ((unsigned char)text.p[at] & 0xc0) == 0x80;)
			at++;
	return at;
}

/* The last boundary of grapheme clusters in (start, cut]; `cut` where there is none. */
static size_t
find_cluster_boundary(struct mem_str text, size_t start, size_t cut)
{
	uint32_t c, next;
	utf8proc_int32_t state = 0;
	size_t last = cut, at = start + text_read_char(text, start, text.n, &c);
	while (at <= cut && at < text.n) {
		size_t n = text_read_char(text, at, text.n, &next);
		if (utf8proc_grapheme_break_stateful((utf8proc_int32_t)c, (utf8proc_int32_t)next, &state))
			last = at;
		c = next;
		at += n;
	}
	return last;
}

/*
 * The end of the longest beginning of [start, end), found by doubling and then halving, that has at most the limit; at
 * least a character.  *size is that of what is returned.  A slow measure must not see the rest of a long text, and
 * the last sixteenth is not worth looking for.
 */
static size_t
find_fitting_end(const struct packer *p, size_t start, size_t end, size_t *size)
{
	size_t limit = p->o->limit, fits = start, over, step = limit;
	for (;;) {
		over = skip_characters(p->text, fits, end, step);
		size_t s = measure_span(p, start, over);
		if (s > limit)
			break;
		*size = s;
		fits = over;
		if (fits == end)
			return end;
		step = fits - start;
	}
	size_t one = skip_characters(p->text, start, end, 1);
	while (over > one && (fits == start || over - fits > (fits - start) / 16)) {
		size_t mid = fits + (over - fits) / 2;
		while (mid > fits && ((unsigned char)p->text.p[mid] & 0xc0) == 0x80)
			mid--;
		if (mid == fits)
			mid = skip_characters(p->text, fits, end, 1);
		if (mid >= over)
			break;
		size_t s = measure_span(p, start, mid);
		if (s > limit)
			over = mid;
		else {
			*size = s;
			fits = mid;
		}
	}
	if (fits == start) {
		*size = measure_span(p, start, one);
		return one;
	}
	size_t cut = find_cluster_boundary(p->text, start, fits);
	if (cut < fits)
		*size = measure_span(p, start, cut);
	return cut;
}

/* Where a word has no room: the passage ends at the last line break, if that is in its second half, else before the word. */
static void
make_room(struct packer *p, const struct piece *word)
{
	if (p->open && p->broken && p->line_sum - p->first.sum > p->o->limit / 2 && !has_room(p, &p->first, word)) {
		put_passage(p, p->first.start, p->line_end);
		p->first = p->line;
		p->broken = false;
	}
	if (p->open && !has_room(p, &p->first, word))
		end_passage(p);
}

static void
add_word(struct packer *p, struct piece *word, bool breaks)
{
	size_t end = word->span.end, line_end = p->end, line_sum = p->sum;
	for (;;) {
		word->span.end = find_fitting_end(p, word->span.start, end, &word->size);
		make_room(p, word);
		if (word->span.end == end)
			break;
		end_passage(p);
		put_passage(p, word->span.start, word->span.end);
		word->span.start = word->span.end;
	}
	bool inside = p->open;
	struct beginning b = add_piece(p, word);
	if (!inside || !breaks)
		return;
	p->broken = true;
	p->line = b;
	p->line_end = line_end;
	p->line_sum = line_sum;
}

static void
cut_sentence(struct packer *p, struct mem_span sentence)
{
	end_passage(p);
	for (size_t at = sentence.start, before = at; at < sentence.end && !p->full;) {
		struct piece word = { .span = { at, find_word_end(p->text, at, sentence.end) } };
		bool breaks = at > before && memchr(p->text.p + before, '\n', at - before) != NULL;
		word.gap = measure_span(p, before, at);
		before = word.span.end;
		add_word(p, &word, breaks);
		at = text_skip_white_space(p->text, before);
	}
	/* The rest of it is one sentence, that more may follow. */
	p->broken = false;
	if (p->open)
		remember_beginning(p, p->first);
}

/* ---- all of it ---------------------------------------------------------- */

static void
add_sentence(struct packer *p, struct mem_span span, size_t gap)
{
	struct piece next = { span, measure_span(p, span.start, span.end), gap };
	if (next.size > p->o->limit) {
		cut_sentence(p, span);
		return;
	}
	if (p->open && !has_room(p, &p->first, &next))
		end_passage_for(p, &next);
	remember_beginning(p, add_piece(p, &next));
}

size_t
mem_passages_make(struct mem_span **out, struct mem_str text, const struct mem_passage_options *options)
{
	struct packer p = { .o = options, .text = text };
	struct mem_sentences all = { .text = text };
	assert(options->limit > 0);
	size_t before = 0;
	for (struct mem_sentence s; !p.full && mem_sentences_next(&all, &s); before = s.span.end)
		add_sentence(&p, s.span, p.open ? measure_span(&p, before, s.span.start) : 0);
	end_passage(&p);
	free(p.last);
	*out = p.out;
	return p.passages;
}
