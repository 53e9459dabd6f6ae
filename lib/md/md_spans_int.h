/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the files that read a leaf's spans.  Places are bytes of the leaf. */
#ifndef MEM_MD_SPANS_INT_H
#define MEM_MD_SPANS_INT_H

#include "md/md_int.h"

struct md_bracket {
	size_t at;              /* of '[', of an image of its '!' */
	bool image;
	bool holds_bracket;     /* another '[' follows it */
};
struct md_hidden {
	size_t start, end;
};
#define MD_TICKS_MAX 80 /* longer runs of backticks are text */
struct md_span_walk {
	struct md_reading *r;
	struct mem_str text;    /* the leaf, with spaces for the marks of its lines */
	size_t base;            /* its place in r->text */
	bool in_table;
	struct md_bracket *brackets; /* that are open */
	size_t nbrackets, brackets_cap, ninactive; /* the first of them, but for images, begin no link */
	struct md_hidden *hidden; /* what is no prose, in order, none within another */
	size_t nhidden, hidden_cap;
	struct md_missing missing;
	size_t tag_from; /* behind a tag or HTML another tag may begin without a space; 0: none was read */
	/* Of runs of backticks that were passed over: the last place of each length.  All of the leaf has been, if ticks_read. */
	size_t ticks[MD_TICKS_MAX + 1];
	bool ticks_begun, ticks_read;
	struct mem_buf unmarked;
};

/* Hides a stretch from prose; what is hidden within it already is taken together with it. */
void md_hide(struct md_span_walk *w, size_t start, size_t end);
void md_link_add(struct md_span_walk *w, const struct mem_md_link *l);
void md_bracket_open(struct md_span_walk *w, size_t at, bool image);
/* A ']' at `at`; the place where reading goes on. */
size_t md_bracket_close(struct md_span_walk *w, size_t at);

#endif
