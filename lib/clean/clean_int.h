/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clean, inside: rules as data, the scan for their literals, their matches.
 */
#ifndef MEM_CLEAN_INT_H
#define MEM_CLEAN_INT_H

#include "clean/clean.h"
#include "clean/literals_int.h"
#include "text/passages.h"
#include "text/pattern.h"

/* ---- rules ------------------------------------------------------------- */

/* What a match must pass besides its pattern; the names are those in the YAML. */
enum clean_check {
	CLEAN_CHECK_NONE,
	CLEAN_CHECK_CARD,      /* Luhn (ISO/IEC 7812-1), an issuer's prefix and length */
	CLEAN_CHECK_IBAN,      /* country's length, ISO 7064 mod 97-10 */
	CLEAN_CHECK_IPV4, CLEAN_CHECK_IPV6,
	CLEAN_CHECK_EMAIL,
	CLEAN_CHECK_PHONE,     /* 7 to 15 digits and no date */
	CLEAN_CHECK_PHONE_NATIONAL, /* 9 to 13 digits, no date */
	CLEAN_CHECK_PHONE_E164, /* 8 to 15 digits, separated or 10 and more */
	CLEAN_CHECK_VALUE,     /* no placeholder or variable */
	CLEAN_CHECK_SECRET,    /* the same, and no plain word */
	CLEAN_CHECK_PASSWORD,  /* the same, and like a password rather than prose or code */
	CLEAN_CHECK_TOKEN,     /* the same, and no plain word however it is written */
	CLEAN_CHECK_PASSWORD_SAID, /* after "is": like a password, not like a word */
	CLEAN_CHECK_SHAPED,    /* made as a secret is (clean_has_secret_shape) */
	CLEAN_CHECK_NAMED,     /* the same, or a word and a number of it, as somebody chose it, of eight characters or more */
	CLEAN_CHECK_CHOSEN,    /* letters and digits, as in a password that somebody chose */
	CLEAN_CHECK_KEY,       /* made by a service: no placeholder and no value of a documentation */
	CLEAN_CHECK_OWN,       /* no value of a documentation */
	CLEAN_CHECK_STEUER_ID, /* German tax number, ISO 7064 mod 11,10 */
	CLEAN_CHECK_DNI,       /* Spanish number of a citizen or foreigner, mod 23 */
	CLEAN_CHECK_NIR,       /* French number of a person, mod 97 */
	CLEAN_CHECK_ORDER,     /* a marker's verb: not told of, asked about or denied */
	CLEAN_CHECK_BARE,      /* of a marker: not in code, neither in backticks nor fenced */
	CLEAN_CHECK_COUNT,
};

struct clean_rule {
	struct mem_str name;
	struct mem_str kind;     /* of a redaction; empty for a marker */
	struct mem_str pattern;  /* marked (mem_pattern_mark) in a set that says so */
	unsigned group;          /* MEM_REDACT_*; 0 for a marker */
	unsigned before;         /* bytes before a literal in which a match may begin */
	unsigned line;           /* in its file */
	enum clean_check check;
	uint8_t capture;         /* the group that is the secret */
	bool caseless;
	bool everywhere;         /* has no literals: always tried, on all of the text */
	bool wrapped;            /* also looked for where a line's end or quotes stand in it */
	bool sentence;           /* a marker reaches to the end of its sentence */
	bool cut;                /* a marker whose text is taken out where the guard allows it */
	struct mem_str *literals;
	size_t nliterals;
	uint8_t *words;          /* clean_output.word of each literal; NULL: of none */
	const struct mem_pattern_start *start; /* built in; NULL: a match may begin anywhere */
	struct clean_need {
		uint16_t set;
		uint32_t reach;  /* bytes from where a match begins to where the literal ends, at most */
	} needs[MEM_PATTERN_NEEDS]; /* built in: sets of literals, of each of which a match has one; ... */
	uint8_t nneeds;          /* ... so many */
};

/*
 * The rules in a file.  A map of the lists `redact` and `markers` and of `words`,
 * named parts of patterns, put in for <<name>>.  All ARENA.
 */
enum mem_status clean_rules_read(struct clean_rule **rules, size_t *n, struct mem_arena *arena,
    struct mem_str yaml, const char *name, struct mem_err *err) MEM_CHECKED;

/* How its pattern is compiled (mem_pattern_new). */
static inline unsigned
clean_pattern_flags(const struct clean_rule *r)
{
	return MEM_PATTERN_LATE | (r->caseless ? MEM_PATTERN_CASELESS : 0u) | (r->everywhere ? 0u : MEM_PATTERN_WINDOWED);
}

struct clean_cue;
struct clean_together;
/* Rules with their table, and what was compiled of them so far. */
struct clean_set {
	const struct clean_rule *rules;
	size_t n;
	bool marked;                   /* its patterns are */
	bool any_everywhere;           /* one of them is tried everywhere */
	struct clean_table table;      /* its outputs name rules, from n on those of clean_cues_append, and behind them needs */
	const struct clean_cue *cues;
	size_t ncues;
	const struct clean_together *together;
	size_t ntogether;
	size_t nneeds;                 /* sets of literals that matches have; that of CLEAN_NEED_ODD first */
	int threshold;                 /* hundredths; 0: no cues */
	struct mem_pattern **patterns; /* OWNS each; NULL: not yet */
};
#define CLEAN_NEED_ODD 0         /* U+017F and U+212A: where they stand for s and k, literals tell nothing */
#define CLEAN_NEEDS_MAX 1024
/* The rules that memkit is built with: scripts/rules-table.c makes them of the YAML. */
extern const struct clean_set clean_builtin;

/* ---- matches ----------------------------------------------------------- */

/* Bytes [start, end) of the original string; `order` is the rule's, for ties. */
struct clean_span {
	size_t start, end;
	size_t length;           /* of the match in the view where it was found */
	size_t match_end;        /* before it was made to reach to the end of its sentence */
	const struct clean_rule *rule;
	size_t order;
	bool cut;                /* a marker that is taken out: set when all spans are known */
};
/* A word of a class of cues, in the view that is searched. */
struct clean_cue_hit {
	uint32_t start, end;
	unsigned class;
};
#define CLEAN_END_MAX 16         /* bytes: the beginnings of tokens are shorter */
/* A literal in the view that is searched. */
struct clean_place {
	uint32_t start, end;
};
struct clean_window {
	uint32_t from, last;
	uint32_t next;           /* + 1, of the same rule; 0: none */
};
struct clean_chain {
	uint32_t first, last;    /* + 1 into windows; 0: none */
};
/* Literals of a set that matches need, which end near each other. */
struct clean_need_hit {
	uint32_t first, last;    /* ends */
	uint32_t next;           /* + 1, of the same set; 0: none */
};

struct mem_clean {
	unsigned groups;
	enum mem_marker_mode mode;
	struct mem_matcher *matcher;
	struct clean_set sets[2];      /* built in, the user's */
	struct mem_arena arena;        /* the user's rules */
	struct clean_rule *user;
	size_t nuser, user_cap;

	struct clean_known_string *known; /* OWNS; NULL: none yet */
	size_t nsearched;              /* strings of those that may be known, up to the first */

	/* For one string, kept from one to the next. */
	const struct mem_view *inner;  /* of the view that is searched */
	/* What it holds: a text as it stands; broken tokens or pieces of two strings, for rules that are `wrapped`. */
	enum { CLEAN_WHOLE, CLEAN_BROKEN, CLEAN_SPLIT } scope;
	bool open_end;                 /* a string of this input may end with the beginning of a token */
	char end[CLEAN_END_MAX];       /* of the strings of this input so far, as far as a token may reach */
	size_t nend;
	bool decoded;                  /* it is what base64 or hexadecimal digits stand for: markers become clean_encoded_rule */
	struct clean_window *windows;
	size_t nwindows, windows_cap;
	struct clean_chain *chains;    /* by rule */
	size_t chains_cap;
	uint32_t *touched;             /* rules whose chain is not empty */
	size_t ntouched, touched_cap;
	struct clean_span *spans;
	size_t nspans, spans_cap;
	size_t code_at;                /* of CLEAN_CHECK_BARE: fences up to here are counted, */
	bool code_open;                /* and one is open */
	struct clean_place *glued;     /* literals of tokens within words, in the view that was searched last */
	size_t nglued, glued_cap;
	struct clean_place *names;     /* literals of rules for passwords, in the same */
	size_t nnames, names_cap;
	struct clean_cue_hit *cues;    /* by their ends */
	size_t ncues, cues_cap;
	struct clean_need_hit *need_hits;
	size_t nneed_hits, need_hits_cap;
	struct clean_chain needs[CLEAN_NEEDS_MAX]; /* by set, into need_hits */
};

/*
 * All matches in a view, as spans of the original, appended to c->spans.  `inner`, which may
 * be NULL, is the same text with escapes undone: what begins or ends within an escape is
 * left to it.  MEM_REFUSED: budget, with its reason.
 */
enum mem_status clean_search_view(struct mem_clean *c, const struct mem_view *view,
    const struct mem_view *inner, bool markers, struct mem_err *err) MEM_CHECKED;

/* Does a literal of a rule stand in it? */
bool clean_has_literal(const struct clean_set *set, struct mem_str text);
/*
 * What several strings of a record hold of one token: `cleaned` without it is appended, or nothing where there is none.  *f
 * gets what was found, with the places of `original`.  Both are JSON objects of the same strings.
 */
enum mem_status clean_split_fields(struct mem_buf *out, struct mem_findings *f, struct mem_str original, struct mem_str cleaned,
    struct mem_err *err) MEM_CHECKED;

/* ---- checks ------------------------------------------------------------- */

/* Does the match in [*start, *end) of `text` pass?  It may be made shorter, or longer. */
bool clean_check_match(enum clean_check check, struct mem_str text, size_t *start, size_t *end);
/* CLEAN_CHECK_VALUE, CLEAN_CHECK_SECRET, CLEAN_CHECK_PASSWORD, CLEAN_CHECK_TOKEN, CLEAN_CHECK_PASSWORD_SAID. */
bool clean_check_secret(enum clean_check check, struct mem_str text, size_t *start, size_t *end);
/*
 * Is it made as a secret is: letters and digits in many turns and hardly a word among them, or all kinds of characters?  No
 * name, version, path or number of a thing is.
 */
bool clean_has_secret_shape(struct mem_str s);
/* CLEAN_CHECK_KEY, CLEAN_CHECK_OWN, CLEAN_CHECK_STEUER_ID, CLEAN_CHECK_DNI, CLEAN_CHECK_NIR. */
bool clean_check_number(enum clean_check check, struct mem_str match);
/* Does the word, of one byte or more, stand in it, whatever its ASCII case? */
bool clean_holds(struct mem_str s, const char *word);
/* Does it hold a value that a service's documentation uses? */
bool clean_is_documented(struct mem_str s);
/* CLEAN_CHECK_ORDER. */
bool clean_check_order(struct mem_str text, size_t at);

/* ---- the guard of cuts: order_guard.c ------------------------------------ */

/* The quotation marks of a line that are open at a byte. */
struct clean_quotes {
	bool outer, json, inner, tick, single;
	int depth;
};
/* Where the search for sentences, lines and quotation marks is, so that all cuts of a text cost one walk through it. */
struct clean_guard {
	struct mem_sentences walk;
	struct mem_sentence before, now;
	size_t line, line_at;                   /* where the line of line_at begins */
	struct clean_quotes quotes;             /* at quotes_at, counted from quotes_from on */
	size_t quotes_from, quotes_at;
	struct mem_buf room;
};
void clean_guard_begin(struct clean_guard *g, struct mem_str text);
void clean_guard_release(struct clean_guard *g);
/* May the marker's text be cut out?  Spans come by their start. */
bool clean_guard_allows(struct clean_guard *g, const struct clean_span *s);
/* Does what stands behind an order that ends at `at` make it something that people say to each other (order_rest.c)? */
bool clean_is_harmless_rest(struct mem_str text, size_t at, struct mem_buf *room);

/* The next word of a folded text: letters, digits and all beyond ASCII, joined by one of '-.@ (an address is one word); false: there
 * are no more. */
bool clean_take_word(struct mem_str s, size_t *at, struct mem_str *word);
/* Is it one of the list?  In the list "*" at the end stands for any ending. */
bool clean_matches_list(struct mem_str word, const char *const *list, size_t n);

/* ---- what was recalled -------------------------------------------------- */

/*
 * Builds `next`, `text` without the blocks that mem-render printed, whole ones and pieces; tells each, in bytes of `text`.
 * Returns how many there were; 0: `next` is of no use.  It is to be released either way.
 */
typedef void clean_cut_fn(void *ctx, size_t start, size_t end);
size_t clean_cut_recalled(struct mem_view *next, const struct mem_view *text, clean_cut_fn *tell, void *ctx);

/* ---- characters, for checks --------------------------------------------- */

static inline bool
clean_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
clean_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool
clean_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* Only characters of `set`, and one at least. */
bool clean_has_only(struct mem_str s, const char *set);
/* Equal to one of `words` but for ASCII case. */
bool clean_is_one_of(struct mem_str s, const char *const *words, size_t n);
/* Is `at` in the part between "://" and "@" of a URL, or where that part would be? */
bool clean_is_in_userinfo(struct mem_str text, size_t at);

#endif
