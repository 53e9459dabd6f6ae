/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text, patterns: PCRE2 patterns that strangers' text is matched against.
 *
 * A pattern is compiled in UTF mode with Unicode classes and with JIT.  What would
 * reach below the text or around the limits is refused: \C, callouts, and the start
 * items that switch off JIT, change limits or start optimisations ("(*NO_JIT)",
 * "(*LIMIT_MATCH=1)").
 *
 * Every match draws on a step budget.  PCRE2's own match limit begins anew at every
 * start position, with JIT and without, so it does not bound the work on a long
 * text; here each item that is tried costs one step, and text that an item runs
 * over a step for every 16 bytes, over all patterns that share the budget.
 *
 * Text must be valid UTF-8 (mem_utf8_valid): JIT does not check it again.
 * Nothing here is safe to share between threads.
 */
#ifndef MEM_PATTERN_H
#define MEM_PATTERN_H

#include "base/base.h"

#define MEM_PATTERN_GROUPS 10   /* capture groups that a match reports, 0 included */
#define MEM_PATTERN_MAX ((size_t)16 << 10) /* bytes of a pattern's source */

struct mem_pattern;

enum { MEM_PATTERN_CASELESS = 1, MEM_PATTERN_EXTENDED = 2 };

/* MEM_USAGE with PCRE2's message and the byte offset when it does not compile.  OWNS. */
enum mem_status mem_pattern_new(struct mem_pattern **out, struct mem_str source,
    unsigned flags, struct mem_err *err) MEM_CHECKED;
void mem_pattern_free(struct mem_pattern *p);

struct mem_match {
	size_t start[MEM_PATTERN_GROUPS];
	size_t end[MEM_PATTERN_GROUPS]; /* start > end: the group took no part */
};

/* Counts down; at 0 it stays spent.  One for each input. */
struct mem_steps {
	uint64_t left;
	bool spent;
};

/*
 * The first match that starts within [from, last], last <= text.n: MEM_OK, MEM_NONE
 * when there is none (err untouched), MEM_FAIL when the budget is used up (reason
 * "budget") or the matcher ran out of its own memory (the same).
 */
enum mem_status mem_pattern_find(const struct mem_pattern *p, struct mem_str text,
    size_t from, size_t last, struct mem_steps *steps, struct mem_match *m,
    struct mem_err *err) MEM_CHECKED;

#endif
