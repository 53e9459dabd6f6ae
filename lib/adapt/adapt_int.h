/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the adapters share.  A format is a row of functions over records, lines or a
 * page; the input splits bytes for it; the event builder writes what it says.
 */
#ifndef MEM_ADAPT_INT_H
#define MEM_ADAPT_INT_H

#include "adapt/adapt.h"
#include "adapt/adapt_wrapper.h"
#include "base/base.h"
#include "record/record.h"

enum adapt_shape {
	ADAPT_LINES,  /* a JSON object a line */
	ADAPT_JSON,   /* one JSON value, or an array whose elements are the records */
	ADAPT_EITHER, /* one of the two: the first line tells */
	ADAPT_TEXT,   /* lines of Markdown */
	ADAPT_PAGE,   /* all of it at once */
};

struct adapt_format {
	const char *name;
	const char *agent;  /* speaker when nobody says otherwise */
	enum adapt_shape shape;
	bool no_follow;
	bool thinks;        /* may hold the model's thinking */
	bool no_session;    /* its sessions have no id of their own */
	bool first_broken;  /* ADAPT_EITHER: a first line that breaks off is a broken record, unless it is a bracket alone */
	bool pages;         /* its texts are no prompts: "/word" is one like any other */
	size_t state_size;  /* of what `in->state` points to, zeroed */
	void (*record)(struct mem_adapt_input *in, const struct mem_rec *r);
	void (*line)(struct mem_adapt_input *in, struct mem_str line); /* no line end */
	void (*page)(struct mem_adapt_input *in, struct mem_str text);
	void (*settle)(struct mem_adapt_input *in); /* these three may be NULL */
	void (*end)(struct mem_adapt_input *in);
	void (*release)(struct mem_adapt_input *in);
};

extern const struct adapt_format adapt_claude, adapt_codex, adapt_openai, adapt_chatgpt,
    adapt_gemini, adapt_aider, adapt_cursor, adapt_markdown, adapt_jsonl;

/* ---- events ----------------------------------------------------------- */

/* Who does what.  The last two have role "tool": the agent calls, the tool answers. */
enum adapt_act { ADAPT_USER, ADAPT_AGENT, ADAPT_CALL, ADAPT_RESULT };

struct adapt_event {
	enum adapt_act act;
	struct mem_buf text;      /* content */
	struct mem_buf ref;
	struct mem_buf extra;     /* "{" and fields beyond those of events */
	struct mem_buf tags;      /* a JSON array, or empty */
	struct mem_str name;      /* speaker as the file knows it */
	bool name_wins;           /* over the names of the options */
	struct mem_str listener;
	struct mem_str session;
	struct mem_str fields;    /* more event fields as JSON, `"ns":"…","trust":1`, or empty */
	const char *role;         /* instead of the act's */
	struct mem_str call;      /* id of the tool's call; empty: none */
	bool failed;              /* a result that tells of a failure */
	bool private_talk;        /* agents among themselves: no listener is guessed */
	bool by_agent;            /* a prompt that an agent wrote, for a sub-agent: it becomes ADAPT_AGENT */
	bool timed;
	int64_t at;
};

/* A fresh event, valid until the next one of this input. */
struct adapt_event *adapt_begin_event(struct mem_adapt_input *in, enum adapt_act act);
/*
 * Hands the event to the sink.  False: it was not, since it has no text, its ref came before, or the sink wants no more.
 * A result without text is noted (adapt_note_answered).
 * Marks of citations are cut first, and of an ADAPT_USER's text the wrappers (adapt_wrapper.h); in->cut tells of them.
 */
bool adapt_send_event(struct mem_adapt_input *in);
/*
 * Cuts marks of citations, in characters of private use (U+E200 to U+E206).  The words that a reader sees of one stay; they are
 * never longer than it.  One that is not closed is left but for its characters.
 */
void adapt_cut_citations(struct mem_adapt_input *in, struct mem_buf *text);
/* True: the text is nothing but wrappers, which are counted. */
bool adapt_skip_program_text(struct mem_adapt_input *in, struct mem_str text);

/* The event's time: text in any form of mem_time_read (UTC where it has no zone), or a Unix time as a number.  One that
 * is there and cannot be read is a fault, and the event has none. */
void adapt_set_time(struct mem_adapt_input *in, struct mem_json time);
bool adapt_read_time(struct mem_adapt_input *in, struct mem_json time, int64_t *ms);
void adapt_report_bad_time(struct mem_adapt_input *in, uint64_t line, struct mem_str text);
/* A field of `extra`: strings that are not empty, numbers, true and false as they stand. */
void adapt_put_extra(struct adapt_event *ev, const char *name, struct mem_json v);
void adapt_put_extra_text(struct adapt_event *ev, const char *name, struct mem_str s);
/* `session/id` into the ref; a part of over 200 bytes is replaced by its hash. */
void adapt_put_ref(struct mem_adapt_input *in, struct mem_str session, struct mem_str id);
/* The same of an id that the program gave: from 20 bytes on nothing else has it, so it is the ref alone, and what the
 * program copies into another session keeps its ref. */
void adapt_put_own_ref(struct mem_adapt_input *in, struct mem_str session, struct mem_str id);

/*
 * Appends the text of a content: a string, or parts joined by `glue`.  Pictures and
 * other things that are not text leave a marker, "[image: image/png]".  Thoughts, and parts of a type that is not
 * known, leave nothing; these are counted.
 */
void adapt_put_content(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json v, const char *glue);
/* Appends the marker of a part that is no text; nothing when the part has neither a type nor a name. */
void adapt_put_marker(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json part);

/* Tool names by call id, the last few hundred. */
void adapt_keep_tool_name(struct mem_adapt_input *in, struct mem_str id, struct mem_str name);
struct mem_str adapt_find_tool_name(struct mem_adapt_input *in, struct mem_str id);
/* Sets name, tool and tool_call_id of a call or a result. */
void adapt_set_tool(struct mem_adapt_input *in, struct adapt_event *ev, struct mem_str id,
    struct mem_str name);
/* Of a result: what the program says of its outcome.  An exit code of 0, as one that is not there, tells of no failure. */
void adapt_set_outcome(struct adapt_event *ev, bool error, struct mem_json exit_code);
/* A line `question answer`, the answer a string, a list of such, or {"answers":[...]}; nothing where none was given. */
void adapt_put_answer(struct mem_adapt_input *in, struct mem_buf *out, struct mem_str question, struct mem_json answer);
/* Such words are the text of the event at hand, an ADAPT_USER with the ref of the call, which goes to the sink. */
void adapt_send_words(struct mem_adapt_input *in, struct mem_str words);
/* What the person said when refusing a tool's call, in its result: the end of `text`.  n 0: it is no such result, or says
 * nothing of a person's. */
struct mem_str adapt_find_refusal_words(struct mem_adapt_input *in, struct mem_str text);
/* The event at hand, a result that tells of no failure, has no text and is not given: the next event of its session says
 * in field `answered` that the call had its result. */
void adapt_note_answered(struct mem_adapt_input *in);

/* ---- counting --------------------------------------------------------- */

void adapt_count_unknown_type(struct mem_adapt_input *in, struct mem_str type);
void adapt_count_undated(struct mem_adapt_input *in, struct mem_str time);
void adapt_report_fault(struct mem_adapt_input *in, uint64_t line, uint64_t offset,
    const char *reason, const char *msg);

/* ---- small things ----------------------------------------------------- */

bool adapt_has_prefix(struct mem_str s, const char *prefix);
bool adapt_has_suffix(struct mem_str s, const char *suffix);
bool adapt_is_word(struct mem_str s, const char *word); /* letters of ASCII in either case */
bool adapt_is_blank_text(struct mem_str s);
/* A checked value without the white space between its parts. */
void adapt_put_compact_json(struct mem_buf *out, struct mem_json v);
struct mem_str adapt_decode_string(struct mem_adapt_input *in, struct mem_json v); /* ARENA of the record */
/* "/quit": a word after a slash and nothing more, which only steers the program. */
bool adapt_is_bare_command(struct mem_str text);
/* 64 bits of a hash as 16 letters from a to p, ARENA: among digits, one hash in some ten
 * thousand would be taken for a card's number and be redacted by capture. */
struct mem_str adapt_spell_hash(struct mem_arena *arena, const struct mem_hash *h);
/* The same of the parts' hash, ARENA of the record. */
struct mem_str adapt_hash_parts(struct mem_adapt_input *in, const struct mem_str *parts, size_t n);
/* The fence (``` or ~~~, CommonMark §4.5) that is open after the lines so far; zero: none. */
struct adapt_fence {
	char c;
	size_t n;
};
void adapt_track_fence(struct adapt_fence *f, struct mem_str line);

/* ---- inputs ----------------------------------------------------------- */

enum { ADAPT_TOOLS = 512, ADAPT_TOOL_NAME = 136, ADAPT_ANSWERED = 64 << 10 };

struct adapt_tool_name {
	uint64_t id;
	char name[ADAPT_TOOL_NAME];
};

struct mem_adapt_input {
	struct mem_adapt *a;
	const struct adapt_format *f;
	char *name;
	enum adapt_shape shape;
	char head[4];            /* the first bytes, until they are split */
	size_t nhead;
	bool begun, refused;     /* the first bytes were split; they are of no text that can be read */
	struct mem_buf buf;      /* of a line or value that is not whole yet */
	uint64_t line, offset;   /* of the next byte */
	uint64_t unit_line, unit_offset;
	bool seen, given;        /* it has something in it; something of it was given, or told */
	uint64_t records;        /* number of the record at hand, from 1, blank lines left out */
	bool unended;            /* the line at hand is the last and has no end */
	bool dropping;           /* a line or value over the limit */
	struct {
		bool array, closed, open, string, escape, scalar, reported;
		size_t depth;
	} json;
	struct mem_buf fixed;    /* a repaired copy of the record */
	struct mem_rec rec;
	struct mem_arena arena;  /* reset after each record */
	struct adapt_event ev;
	const char *bad_time;    /* the value that was told last, and where */
	uint64_t bad_time_at;
	struct adapt_cut_text cut;
	struct adapt_tool_name *tools;
	size_t ntools;
	struct {
		struct mem_buf session, calls; /* ids as a list without its end, of at most ADAPT_ANSWERED bytes; empty: none */
	} answered;
	void *state;
};

/* Splits bytes into the units of the format, and calls the format's function with each unit that is complete. */
void adapt_split_bytes(struct mem_adapt_input *in, const char *p, size_t n);
void adapt_end_splitting(struct mem_adapt_input *in, bool ended);

/* ---- the conversion --------------------------------------------------- */

/* The refs given so far: two generations, so that memory stays bounded. */
enum { ADAPT_SEEN_MAX = 1 << 19 };
struct adapt_seen {
	struct mem_hash *now, *before;
	size_t n, cap;
};
/* False when it was there already. */
bool adapt_add_seen_ref(struct adapt_seen *s, struct mem_str ref);
void adapt_release_seen_refs(struct adapt_seen *s);

struct mem_adapt {
	const struct adapt_format *f;
	struct mem_adapt_opts o;
	struct mem_adapt_sink sink;
	struct mem_adapt_counts counts;
	struct adapt_seen seen;
	struct adapt_wrappers wrappers;
	struct mem_buf out;
	bool stopped;
};

/* jsonl: MEM_USAGE when this is no map FIELD=PATH or FIELD==TEXT. */
enum mem_status adapt_check_map(const char *map, struct mem_err *err) MEM_CHECKED;

#endif
