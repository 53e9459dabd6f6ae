/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clean: what every text passes before it is kept, and before it reaches a prompt.
 *
 *   on the way in    mem_clean_string: secrets and personal data are replaced by
 *                    [redacted:KIND]; what reads like an order to the model is flagged, and
 *                    plain attempts to cancel its instructions become [cut]; clean_text.h
 *                    gives what has passed it a type of its own
 *   on the way out   mem_escape_*: the fence of a prompt block cannot be closed by
 *                    what stands inside; characters that nobody sees go
 *
 * Rules are data: lib/clean/redact.yaml and lib/clean/markers.yaml, turned into
 * tables when memkit is built, and the user's own files (settings redact.rules and
 * markers.rules).  mem-config(5) describes their form.  Cues, lib/clean/cues.yaml, are words that
 * only flag, by a sum of weights.  One pass over the text for
 * the literals of all rules decides which of them are tried at all, and where; a
 * built-in rule is compiled when it is first tried.
 */
#ifndef MEM_CLEAN_H
#define MEM_CLEAN_H

#include "base/base.h"

/* ---- what to look for -------------------------------------------------- */

/* Groups of redaction kinds (mem-records(5) lists the kinds). */
enum {
	MEM_REDACT_SECRETS = 1,
	MEM_REDACT_PERSONAL = 2,
	MEM_REDACT_NETWORK = 4,
	MEM_REDACT_DEFAULT = MEM_REDACT_SECRETS | MEM_REDACT_PERSONAL,
	MEM_REDACT_ALL = 7,
};
/* "secrets,network", "all", "none".  MEM_USAGE names the word that is none of them. */
enum mem_status mem_redact_parse(struct mem_str s, unsigned *groups,
    struct mem_err *err) MEM_CHECKED;

enum mem_marker_mode {
	MEM_MARKERS_EXCISE, /* flag; cut what a rule with the action cut finds, unless it is quoted or told of */
	MEM_MARKERS_FLAG,   /* flag, cut nothing: for operators */
	MEM_MARKERS_STRICT, /* cut all that is flagged, but what goes over the end of a string in a text that is JSON */
};

struct mem_clean;

/* OWNS; cheap: nothing is compiled yet.  Not to be shared between threads. */
struct mem_clean *mem_clean_new(unsigned groups, enum mem_marker_mode mode);
void mem_clean_free(struct mem_clean *c);

/*
 * Add the rules of a user's file; both kinds of rules may stand in one.  A rule that
 * does not compile, has no name, or names an unknown field, group or validator is
 * refused: MEM_FAIL, with file, line, the rule's name and PCRE2's own message.
 */
enum mem_status mem_clean_load(struct mem_clean *c, int dirfd, const char *path,
    struct mem_err *err) MEM_CHECKED;
enum mem_status mem_clean_add(struct mem_clean *c, struct mem_str yaml,
    const char *name, struct mem_err *err) MEM_CHECKED;

/* ---- cleaning one input ------------------------------------------------ */

struct mem_redaction {
	struct mem_str field;   /* path of the string: "content", "extra.a.0" */
	struct mem_str kind;    /* "github_token" */
	bool in_key;            /* in the key of that field, not in its value */
	size_t start, end;      /* bytes of the string as it came in, decoded */
};

struct mem_flag {
	struct mem_str field;
	struct mem_str marker;  /* name of the rule: "ignore_instructions" */
	size_t start, end;
	struct mem_hash hash;   /* mem_hash128, unkeyed, of these bytes */
	bool cut;               /* false: the text is kept */
};

/*
 * Stands where something was cut out, so that what stood around it does not join.  What is split by it is looked
 * for as if it were not there.
 */
#define MEM_CLEAN_CUT "[cut]"

/*
 * What was found in one input, which is all strings of one event.  Zero initialise;
 * begin before each input; spans come string by string in the order of cleaning, by
 * start inside a string, where one may lie in another; those that two strings of a record share stand last.  All BORROWS from it, until the next begin or release.
 */
struct mem_findings {
	struct mem_clean *clean;
	struct mem_redaction *redactions;
	size_t nredactions, redactions_cap;
	struct mem_flag *flags;
	size_t nflags, flags_cap;
	size_t at;              /* strings, keys and numbers of the record so far */
	struct clean_named *named; /* its strings that something beside them names, by their place */
	size_t nnamed, named_cap, named_at;
	uint64_t steps_left;    /* of the input's budget */
	uint64_t again_left;    /* of as much for texts that were changed and are searched again */
	struct mem_arena arena;
};

/*
 * The budget: 2^26 steps (mem-config(5) says what a step is), or 64 for each of
 * `bytes`, the size of the whole input, where that is more; and as much again for what was
 * changed and is searched once more.
 */
#define MEM_CLEAN_STEPS ((uint64_t)1 << 26)
void mem_findings_begin(struct mem_findings *f, struct mem_clean *c, size_t bytes);
void mem_findings_release(struct mem_findings *f);

/* Was a text cut out?  Flags alone change nothing. */
bool mem_flags_cut(const struct mem_flag *flags, size_t n);

/* The same of an input that is done with.  ARENA. */
struct mem_finding_list {
	const struct mem_redaction *redactions;
	size_t nredactions;
	const struct mem_flag *flags;
	size_t nflags;
};
void mem_findings_keep(struct mem_finding_list *out, const struct mem_findings *f, struct mem_arena *a);

/*
 * Clean one string, valid UTF-8.  The signature is that of mem_json_map_fn (record),
 * so that a whole event is cleaned by
 *
 *	mem_findings_begin(&f, clean, line.n);
 *	st = mem_json_map(&out, value, mem_clean_string, &f, err);
 *
 * `ctx` is the struct mem_findings.  `path` is the field's path; a value whose own
 * name says that it is a secret ("password") is taken for one.  Markers are not looked
 * for in keys.  A string whose text is itself JSON, or
 * a log line with JSON in it, is searched with its escapes undone as well; spans are
 * those of the text as given, and the JSON inside stays valid.
 *
 * Cleaned text is clean: to clean it again changes nothing.  What was taken out may have kept
 * a secret or an order apart, so the text is searched again until nothing changes; spans are
 * always those of the text as it came.
 *
 * True: the cleaned text was appended to *to.  False: nothing to change, or, with
 * err->status set (it is set to MEM_OK first), MEM_REFUSED: reason "budget", it is used up, or "residue",
 * after eight rounds there was still something.  Nothing of such an input may be kept.
 */
bool mem_clean_string(void *ctx, const char *path, bool is_key, struct mem_str text,
    struct mem_buf *to, struct mem_err *err);

/*
 * What a line is to a private key in text (RFC 7468, RFC 4716): where lines come one by one, all from BEGIN on to END belong together,
 * and without END as many as may stand in one.
 */
enum mem_clean_key_line {
	MEM_CLEAN_KEY_NONE,  /* part of none, or all of one */
	MEM_CLEAN_KEY_BEGIN,
	MEM_CLEAN_KEY_BODY,  /* base64, a head or blank: part of one that has begun */
	MEM_CLEAN_KEY_END,
};
enum mem_clean_key_line mem_clean_key_line(struct mem_str line);

/*
 * Of a text of which markers were cut out: is what is left of it not worth keeping?  Fewer than 24
 * letters and digits are left beside the marks of cuts, and they are less than half of those there were, or none at
 * all.  The event is then refused, reason "residue".
 */
bool mem_clean_residue(struct mem_str before, struct mem_str after);

/* ---- on the way out ---------------------------------------------------- */

/*
 * All append, take any bytes (what is not UTF-8 becomes U+FFFD), and drop what no
 * reader sees but a model reads (mem_char_is_unseen), unless it shapes what is seen
 * (mem_char_is_shaping: joiners in Persian and emoji).  CR LF and CR become a newline,
 * so do U+0085, U+2028 and U+2029.
 */
/* Nothing more: for plain text and markdown. */
void mem_escape_strip(struct mem_buf *out, struct mem_str text);
/* The same of a name in a line of such: tab and newline become a space. */
void mem_escape_line(struct mem_buf *out, struct mem_str text);
/* `&`, `<` and `>` become entities, and so do their full-width and small forms. */
void mem_escape_text(struct mem_buf *out, struct mem_str text);
/* Inside "…": the quotes as well; tab and newline become a space. */
void mem_escape_attr(struct mem_buf *out, struct mem_str text);

#endif
