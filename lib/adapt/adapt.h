/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapt: transcripts that agents write, as events for capture.
 *
 * A transcript goes in as bytes, in any portions; events (interfaces of
 * mem-records(5)) come out as JSON texts, one call of `event` each, as soon as their
 * records are complete.  mem-adapt(1) says for each format which records
 * become events, what they say, and how their refs are built.
 *
 *   claude-code  codex  gemini  openai  jsonl   JSON lines (gemini and openai also as
 *                                               one JSON value)
 *   chatgpt                                     one JSON value, read an element at a time
 *   aider  cursor                               Markdown read line by line
 *   markdown                                    a whole file
 *
 * The promise that everything here serves: a ref depends only on its own record and
 * those before it, never on what is appended later.  So a transcript that is
 * adapted, grows, and is adapted again gives the same refs again and the new ones.
 *
 * Inputs are strangers' files: memory is bounded by the largest record (a line of
 * MEM_LINE_MAX, a JSON value of MEM_ADAPT_VALUE_MAX, a page of MEM_ADAPT_PAGE_MAX).
 */
#ifndef MEM_ADAPT_H
#define MEM_ADAPT_H

#include "base/base.h"

#define MEM_ADAPT_VALUE_MAX ((size_t)1 << 30)
#define MEM_ADAPT_PAGE_MAX  ((size_t)64 << 20)
#define MEM_ADAPT_TOOL_MAX  ((size_t)256 << 10) /* bytes kept of one tool text */

struct mem_adapt_opts {
	const char *format;
	const char *user_name;  /* NULL: the name in the file, else "user" */
	const char *agent_name; /* NULL: the name in the file, else the format's */
	const char *session;    /* session_id where the format has none */
	bool thinking;          /* the model's thinking too */
	bool every_branch;      /* chatgpt: every node, not only the shown path */
	bool split_headings;    /* markdown: an event for each heading */
	bool ended;             /* nothing will be appended: take the tail as it is */
	const char *const *maps; /* jsonl: "FIELD=PATH" or "FIELD==TEXT" */
	size_t nmaps;
};

/* A record that was refused; the records after it are still read. */
struct mem_adapt_fault {
	const char *input;      /* its name */
	uint64_t line;          /* from 1 */
	uint64_t offset;        /* of the faulty byte in the input */
	const char *reason;     /* a word of mem-records(5) */
	const char *msg;
};

struct mem_adapt_sink {
	void *ctx;
	/* One event, BORROWED, no newline.  False: want no more. */
	bool (*event)(void *ctx, struct mem_str json);
	void (*fault)(void *ctx, const struct mem_adapt_fault *f);
	/* The input ended, had something in it, and gave no event, fault or record of unknown type.  May be NULL. */
	void (*nothing)(void *ctx, const char *input);
	/* All that is there was given, and now more is waited for.  May be NULL. */
	void (*idle)(void *ctx);
};

#define MEM_ADAPT_TYPES_MAX 16
struct mem_adapt_tally {
	uint64_t all;
	struct {
		char name[48];
		uint64_t n;
	} types[MEM_ADAPT_TYPES_MAX]; /* those past the last share it as "other" */
	size_t ntypes;
};
struct mem_adapt_counts {
	uint64_t events;
	uint64_t repeated;      /* a ref that came before */
	uint64_t program;       /* known records that nobody said */
	uint64_t empty;         /* records of a kind that speaks, without text */
	uint64_t held;          /* tails left for the next time */
	uint64_t faults;
	uint64_t unclaimed;     /* refusals of calls that the input does not hold: a server may have written what the person said */
	struct mem_adapt_tally unknown;  /* records and parts of a type this version does not know */
	struct mem_adapt_tally undated;  /* times of exports that cannot be read, or mean two things (3/4/2026): their turns have none */
	struct mem_adapt_tally wrappers; /* what was cut from a person's text, by rules of wrappers.yaml */
};

/* The formats' names in the order of the page, NULL-terminated. */
extern const char *const mem_adapt_formats[];

/* ---- one conversion --------------------------------------------------- */

/* Refs seen (the last million or so), options, counts: shared by all its inputs. */
struct mem_adapt;

/* MEM_USAGE: no such format, a map that makes no sense, an option the format does not
 * have.  Strings in `o` must outlive it. */
enum mem_status mem_adapt_open(struct mem_adapt **out, const struct mem_adapt_opts *o,
    const struct mem_adapt_sink *sink, struct mem_err *err) MEM_CHECKED;
void mem_adapt_close(struct mem_adapt *a);
const struct mem_adapt_counts *mem_adapt_counts(const struct mem_adapt *a);
/* True once `event` returned false: reading on gives nothing. */
bool mem_adapt_stopped(const struct mem_adapt *a);

/* ---- inputs ----------------------------------------------------------- */

/* One file, or what arrives on a pipe.  Several may be open beside each other. */
struct mem_adapt_input;

/* `name` is for messages; format markdown builds its refs from it. */
struct mem_adapt_input *mem_adapt_input_new(struct mem_adapt *a, const char *name);
void mem_adapt_input_free(struct mem_adapt_input *in);
void mem_adapt_feed(struct mem_adapt_input *in, const void *p, size_t n);
/* All there is for now was fed and more may come: gives what is whole by then. */
void mem_adapt_settle(struct mem_adapt_input *in);
/* The end was reached.  A half-written last record counts as held, no fault. */
void mem_adapt_end(struct mem_adapt_input *in);

/* ---- reading ---------------------------------------------------------- */

/* What ends a wait; zero descriptors are none, so say -1. */
struct mem_adapt_wait {
	int stop_fd;            /* readable: end */
	int out_fd;             /* its reader went away: end (following only) */
	int poll_ms;            /* follow: looks at least so often; 0: a second */
};

/* Feeds a descriptor to its end, or until a descriptor of `w` ends it.  MEM_FAIL when it cannot be read. */
enum mem_status mem_adapt_fd(struct mem_adapt *a, int fd, const char *name,
    const struct mem_adapt_wait *w, struct mem_err *err) MEM_CHECKED;

/*
 * Gives what is in the files, then what is appended (inotify, and a look each poll_ms
 * for file systems that tell nothing).  A file that shrank, or was replaced by another
 * of its name, is read from its start again: refs given before are not repeated.  A
 * file that goes away is waited for.  Returns MEM_OK when `w` or the sink ended it; MEM_FAIL when
 * a file cannot be opened at first; MEM_USAGE when the format cannot be followed.
 */
enum mem_status mem_adapt_follow(struct mem_adapt *a, const char *const *paths, size_t n,
    const struct mem_adapt_wait *w, struct mem_err *err) MEM_CHECKED;

#endif
