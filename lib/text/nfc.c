/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unicode's NFC, code point by code point.  libunistring's filter does the work, but it costs some 100 ns a code
 * point.  Most text is of letters that are never changed, neither by what is before them nor, as long as that
 * is such a letter again, by what follows: they go around the filter.
 */
#include "text/text.h"

#include <stdlib.h>
#include <uninorm.h>

struct mem_nfc {
	uninorm_t form;
	struct uninorm_filter *filter;  /* made at first need */
	uint32_t held;                  /* a plain one: what follows decides whether it goes through the filter */
	bool holds, filtering;
	uint32_t *out;                  /* settled, [from, n) */
	size_t from, n, cap;
};

static int
keep_settled_code_point(void *nfc, ucs4_t c)
{
	struct mem_nfc *n = nfc;
	n->out = mem_grow(n->out, &n->cap, n->n + 1, sizeof *n->out);
	n->out[n->n++] = c;
	return 0;
}

struct mem_nfc *
mem_nfc_new(void)
{
	struct mem_nfc *n = mem_xcalloc(1, sizeof *n);
	n->form = UNINORM_NFC;
	return n;
}

void
mem_nfc_free(struct mem_nfc *n)
{
	if (n == NULL)
		return;
	if (n->filter != NULL)
		uninorm_filter_free(n->filter);
	free(n->out);
	free(n);
}

/*
 * Starters that NFC keeps and that no composition has as its second part: Latin, Greek, Cyrillic,
 * Hebrew and Arabic letters, Devanagari and Thai ones, kana, ideographs, Hangul syllables, and
 * what is between them in the code charts.
 */
static bool
is_plain_starter(uint32_t c)
{
	return c < 0x300 || (c >= 0x388 && c < 0x483) || (c >= 0x48a && c < 0x530) ||
	    (c >= 0x5d0 && c < 0x5eb) || (c >= 0x620 && c < 0x64b) || (c >= 0x660 && c < 0x670) ||
	    (c >= 0x904 && c < 0x93a) || (c >= 0xe01 && c < 0xe38) || (c >= 0x2010 && c < 0x20d0) ||
	    (c >= 0x3001 && c < 0x302a) || (c >= 0x3041 && c < 0x3097) || (c >= 0x30a1 && c < 0x30ff) ||
	    (c >= 0x3400 && c < 0xa000) || (c >= 0xac00 && c < 0xd7a4) || (c >= 0xff01 && c < 0xfff0);
}

/* The library fails for want of memory alone: then the code point stays as it is. */
static void
filter_code_point(struct mem_nfc *n, uint32_t c)
{
	if (n->filter == NULL)
		n->filter = uninorm_filter_create(n->form, keep_settled_code_point, n);
	if (n->filter == NULL || uninorm_filter_write(n->filter, c) < 0)
		keep_settled_code_point(n, c);
	n->filtering = true;
}

static void
flush_nfc_filter(struct mem_nfc *n)
{
	if (n->filtering && n->filter != NULL)
		uninorm_filter_flush(n->filter);
	n->filtering = false;
}

void
mem_nfc_put(struct mem_nfc *n, uint32_t c)
{
	if (is_plain_starter(c)) {
		flush_nfc_filter(n);
		if (n->holds)
			keep_settled_code_point(n, n->held);
		n->held = c;
		n->holds = true;
		return;
	}
	if (n->holds)
		filter_code_point(n, n->held);
	n->holds = false;
	filter_code_point(n, c);
}

void
mem_nfc_finish(struct mem_nfc *n)
{
	flush_nfc_filter(n);
	if (n->holds)
		keep_settled_code_point(n, n->held);
	n->holds = false;
}

bool
mem_nfc_take(struct mem_nfc *n, uint32_t *c)
{
	if (n->from == n->n) {
		n->from = n->n = 0;
		return false;
	}
	*c = n->out[n->from++];
	return true;
}

static void
take_settled_text(struct mem_buf *out, struct mem_nfc *n)
{
	uint32_t c;
	while (mem_nfc_take(n, &c))
		mem_buf_utf8(out, c);
}

void
mem_text_nfc(struct mem_buf *out, struct mem_str text)
{
	struct mem_nfc *n = mem_nfc_new();
	for (size_t i = 0; i < text.n;) {
		uint32_t c;
		i += mem_utf8_decode(text.p + i, text.n - i, &c);
		mem_nfc_put(n, c);
		take_settled_text(out, n);
	}
	mem_nfc_finish(n);
	take_settled_text(out, n);
	mem_nfc_free(n);
}
