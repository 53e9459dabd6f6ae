/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrappers: what programs put into a person's text.  The list is data (wrappers.yaml); here it is found and cut.
 */
#ifndef MEM_ADAPT_WRAPPER_H
#define MEM_ADAPT_WRAPPER_H

#include "base/base.h"

enum adapt_becomes {
	ADAPT_CUT,
	ADAPT_WORDS,     /* the tags are cut, what they enclose stays */
	ADAPT_COMMAND,   /* the name of a slash command */
	ADAPT_ARGUMENTS, /* what was typed behind it */
	ADAPT_SHELL,     /* a command of the shell mode */
	ADAPT_OUTPUT,    /* what it printed */
	ADAPT_ERRORS,
};
struct adapt_wrapper_element {
	struct mem_str name;
	bool open_end;          /* `name` is the beginning of one */
	enum adapt_becomes becomes;
	struct mem_str head, attribute; /* n 0: none */
	size_t rule;
};
struct adapt_wrapper_sentence {
	struct mem_str text;
	size_t rule;
};
struct adapt_wrapper_block {
	struct mem_str from, to;
	size_t rule;
};
/* Those that count in one format.  Zero initialise; all is in the arena. */
struct adapt_wrappers {
	struct mem_arena arena;
	struct mem_str *names;  /* of rules, for counts */
	size_t nrules;
	struct adapt_wrapper_element *elements;
	size_t nelements;
	struct adapt_wrapper_sentence *sentences;
	size_t nsentences;
	struct adapt_wrapper_block *blocks;
	size_t nblocks;
	struct adapt_wrapper_sentence *refusals; /* beginnings of a refused call's result, up to what the person said */
	size_t nrefusals;
};
/* MEM_FAIL: the list is wrong, which a test would have seen. */
enum mem_status adapt_read_wrappers(struct adapt_wrappers *w, const char *format, struct mem_err *err) MEM_CHECKED;

/*
 * How many bytes at the start of `text` the pattern takes: with a `*` inside as few as possible, with one at its
 * end the rest of the line.  0: it does not match.
 */
size_t adapt_match_sentence(struct mem_str pattern, struct mem_str text);

/* What cutting one text gave.  Zero initialise; reusable. */
struct adapt_cut_text {
	struct mem_buf text;             /* what is left */
	struct mem_buf output, errors;   /* what a command of the shell mode printed */
	struct mem_buf spare;
	size_t *rules;                   /* of the wrappers that were cut, one each */
	size_t n, cap;
};
/* True: at least one was cut.  `text` may not be part of `out`. */
bool adapt_cut_wrappers(struct adapt_cut_text *out, const struct adapt_wrappers *w, struct mem_str text);
void adapt_release_cut_text(struct adapt_cut_text *out);

#endif
