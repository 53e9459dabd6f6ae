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
 * over a step for every 4 bytes, over all patterns that share the budget.  A marked
 * pattern draws on it in fewer places (mem_pattern_mark).
 *
 * Text must be valid UTF-8 (mem_utf8_valid): JIT does not check it again.
 * Nothing here is safe to share between threads.
 */
#ifndef MEM_PATTERN_H
#define MEM_PATTERN_H

#include "base/base.h"

#define MEM_PATTERN_GROUPS 10   /* capture groups that a match reports, 0 included */
#define MEM_PATTERN_MAX ((size_t)16 << 10) /* bytes of a pattern's source */

/* ---- patterns ---------------------------------------------------------- */

struct mem_pattern;

enum {
	MEM_PATTERN_CASELESS = 1,
	MEM_PATTERN_EXTENDED = 2,   /* white space and #remarks in the source are skipped */
	/*
	 * For mem_pattern_find over small ranges of a long text: PCRE2 then does not run
	 * ahead, past `last`, to where a match might begin.
	 */
	MEM_PATTERN_WINDOWED = 4,
	/*
	 * For many patterns of which few are tried, on short texts: it is interpreted, and translated to machine code once it was
	 * tried for as long as that takes, or over a wide range.  Finding it is for one thread at a time then.
	 */
	MEM_PATTERN_LATE = 8,
	MEM_PATTERN_MARKED = 16,    /* the source is one that mem_pattern_mark wrote */
};

/*
 * Appends `source` with (?C) where the step budget must be drawn on, in few places: matched with MEM_PATTERN_MARKED it finds
 * the same in less time, for no more steps.  For patterns that are known while building; MEM_USAGE as mem_pattern_new, or
 * for \Q.
 */
enum mem_status mem_pattern_mark(struct mem_buf *to, struct mem_str source, unsigned flags, struct mem_err *err) MEM_CHECKED;

/* MEM_USAGE with PCRE2's message and the byte offset when it does not compile.  OWNS. */
enum mem_status mem_pattern_new(struct mem_pattern **out, struct mem_str source,
    unsigned flags, struct mem_err *err) MEM_CHECKED;
void mem_pattern_free(struct mem_pattern *p);
/* The number of the group (?<name>…), the first of that name; 0: there is none. */
unsigned mem_pattern_group(const struct mem_pattern *p, const char *name);

/* What matches of a pattern begin with. */
struct mem_pattern_start {
	uint8_t bytes[32];          /* bit b & 7 of byte b >> 3: with byte b */
	bool at_word;               /* with the first character of a word, where they begin with a letter, a digit or _ of ASCII */
};
/* Of a source that is not marked.  False: a match may begin with any byte, or with none, or the source is no pattern. */
bool mem_pattern_begins(struct mem_pattern_start *out, struct mem_str source, unsigned flags);
/*
 * The first place in [from, last], or last + 1, where a match may begin: mem_pattern_find of these places alone, with each
 * as `from` and `last`, finds what it finds in the whole range.
 */
size_t mem_pattern_next_start(const struct mem_pattern_start *s, struct mem_str text, size_t from, size_t last);

/*
 * Sets of literals, of each of which every match has one, within it or in what it looks ahead for: where one is missing behind
 * the place, the pattern need not be tried.  ASCII case and white space may differ, and digits stand for any; U+017F and
 * U+212A may stand for s and k.
 */
#define MEM_PATTERN_NEEDS 3
#define MEM_PATTERN_NEEDS_ENDLESS ((size_t)1 << 30)
struct mem_pattern_literal {
	struct mem_str text;
	bool begins_word, ends_word; /* no letter, digit or _ stands before it, or behind it */
};
struct mem_pattern_need {
	struct mem_pattern_literal *literals;
	size_t n;
	size_t reach; /* bytes from where the match begins to where the literal ends, at most; MEM_PATTERN_NEEDS_ENDLESS or more: any */
};
/* Of a source that is not marked: how many sets there are, the rarest first.  Literals are ARENA. */
size_t mem_pattern_needs(struct mem_pattern_need out[MEM_PATTERN_NEEDS], struct mem_arena *arena, struct mem_str source);

/* ---- matching ---------------------------------------------------------- */

/* PCRE2's working memory and the step budget, for all patterns of one thread.  OWNS. */
struct mem_matcher;
struct mem_matcher *mem_matcher_new(void);
void mem_matcher_free(struct mem_matcher *m);
/* One budget for each input; what is left of it may be carried over. */
void mem_matcher_budget(struct mem_matcher *m, uint64_t steps);
uint64_t mem_matcher_left(const struct mem_matcher *m);

struct mem_match {
	size_t start[MEM_PATTERN_GROUPS];
	size_t end[MEM_PATTERN_GROUPS]; /* start > end: the group took no part */
};

/*
 * The first match that starts within [from, last], last <= text.n: MEM_OK, or MEM_NOTFOUND
 * when there is none: then err->reason is NULL, or "budget" when the steps were used
 * up or PCRE2 ran out of its own memory, and nothing can be said about the text.
 */
enum mem_status mem_pattern_find(struct mem_matcher *m, const struct mem_pattern *p,
    struct mem_str text, size_t from, size_t last, struct mem_match *match,
    struct mem_err *err) MEM_CHECKED;

/* ---- plain views of a text --------------------------------------------- */

/*
 * A text as a reader takes it, for matching, and the way back to the bytes it came
 * from.  Views can be made of views; release them from the last to the first.
 * Zero initialised is empty.
 */
struct mem_view_seg;
struct mem_view {
	struct mem_str text;            /* BORROWS from `buf`, or is the text itself */
	const struct mem_view *parent;  /* NULL: offsets are those of the text */
	struct mem_view_seg *segs;      /* none: offsets are those of the parent */
	size_t nsegs, segs_cap;
	struct mem_buf buf;
	bool dropped;                   /* characters that nobody sees were left out of the parent's text */
};

/* The text itself. */
void mem_view_init(struct mem_view *v, struct mem_str text);
/* Nothing yet, to be built of `parent`'s text. */
void mem_view_derive(struct mem_view *v, const struct mem_view *parent);
void mem_view_release(struct mem_view *v);

/*
 * `parent` without accents (canonical decomposition, marks stripped), with full-width,
 * half-width and mathematical letters as plain ones, every space as ' ', every dash as
 * '-', typographic quotes as ' and "; what nobody sees (mem_char_is_unseen), what no font has
 * (private use, unassigned) and marks that stand on any letter dropped; spaced letters ("a l l") closed up; letters of other
 * scripts that look Latin made Latin in words that mix both.  False, and `v` stays
 * empty, when that changes nothing.
 */
bool mem_view_plain(struct mem_view *v, const struct mem_view *parent);
/* `parent` without the characters that set `dropped`, and else as it is. */
void mem_view_seen(struct mem_view *v, const struct mem_view *parent);

/*
 * `parent` with the escapes of JSON strings (RFC 8259 §7) undone once; U+0000 and lone
 * surrogates become U+FFFD; what is no such escape stays.  False when there is none.
 */
bool mem_view_unescape(struct mem_view *v, const struct mem_view *parent);
/* Does byte `at` of the parent lie within something, not at its start, that the view has one
 * character for?  A cut there would leave half an escape. */
bool mem_view_splits(const struct mem_view *v, size_t at);

/* The bytes of the first text that [*start, *end) of the view came from. */
void mem_view_source(const struct mem_view *v, size_t *start, size_t *end);

/* To build a view by hand: append bytes [at, at + n) of the parent as they are, or a text
 * that stands for its bytes [at, at + from). */
void mem_view_same(struct mem_view *v, size_t at, size_t n);
void mem_view_made(struct mem_view *v, struct mem_str text, size_t at, size_t from);

#endif
