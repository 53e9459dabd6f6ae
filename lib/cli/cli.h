/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli: what every command does alike.  Only cmd/ includes this header, so
 * nothing else in memkit can print or exit.
 *
 * A command reads like this:
 *
 *	int
 *	main(int argc, char **argv)
 *	{
 *		struct mem_common c = MEM_COMMON_INIT;
 *		const char *role = NULL;
 *		const struct mem_opt opts[] = {
 *			MEM_OPT_STORE(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c),
 *			{ 'r', "role", "ROLE", "only this role", .str = &role },
 *			MEM_OPT_END
 *		};
 *		mem_opts(&argc, &argv, opts, "mem-x [-S DIR] [-n N] [FILE...]",
 *		    "say in one line what it does");
 *
 *		struct mem_input in;
 *		struct mem_line line;
 *		mem_input_init(&in, argc, argv);
 *		while (mem_input_next(&in, &line))
 *			mem_out_line(line.text);
 *		return mem_finish(mem_input_status(&in));
 *	}
 *
 * The state behind these functions (program name, output buffer, clock) belongs to
 * the process; they are for its main thread.
 */
#ifndef MEM_CLI_H
#define MEM_CLI_H

#include "base/base.h"

/* ---- options ---------------------------------------------------------- */

/*
 * One row of a command's option table.  `arg` NULL makes a switch.  Exactly one
 * target is set; the last of a repeated option counts, except with `words`.
 */
struct mem_opt {
	char letter;            /* 0: none */
	const char *name;       /* without dashes; NULL: the letter only */
	const char *arg;        /* DIR, FILE, N, …; completions look at DIR and FILE */
	const char *help;       /* one line, lower case, no full stop */
	bool *flag;             /* becomes true */
	const char **str;       /* BORROWS from argv */
	int64_t *num;           /* within [min, max]; a switch sets it to `min` */
	int64_t min, max;       /* max 0: no upper limit */
	double *real;           /* within [low, high]; both 0: any finite number */
	double low, high;
	int64_t *duration;      /* milliseconds, from "15m" */
	int64_t *time;          /* milliseconds since 1970, from a time, a date or "24h" (ago) */
	struct mem_words *words; /* of a repeated option all; they live as long as the process */
	bool commas;            /* words: "a,b" is a and b */
	int *choice;            /* index into `choices` */
	const char *const *choices; /* NULL-terminated; with `words` only what completions offer */
};

/*
 * Starts the command: name, umask 077, descriptors 0 to 2 open, then reads the
 * options.  On return argc and argv hold the operands alone.  -h, -V and
 * --complete (the table for scripts/completions) print and exit 0; a fault prints and
 * exits 2.  Options may follow operands; `--` ends them; names are never abbreviated.
 *
 * `usage` is one line for each form, each beginning with the command's name; `about`
 * is the page's .Nd line.
 */
void mem_opts(int *argc, char ***argv, const struct mem_opt *opts,
    const char *usage, const char *about);

/* Shared options: the same letter, name and meaning in every command that has them. */
struct mem_common {
	const char *store;      /* NULL: the store room looks further */
	const char *agent;      /* NULL: likewise */
	bool quiet;             /* refusals only */
	bool dry_run;
	bool every_namespace;
	bool nul;               /* names end in NUL, not newline */
	int64_t limit;          /* 0: no limit; set the command's default before mem_opts */
	int64_t last;           /* 0: all */
	int64_t wait;           /* ms for a lock of another writer; -1: the setting store.wait */
	int64_t since, until;   /* captured_at in [since, until) */
	struct mem_words kinds, ns;
	int format;             /* enum mem_format */
};
#define MEM_COMMON_INIT { .wait = -1, .since = MEM_TIME_MIN, .until = MEM_TIME_MAX + 1 }

enum mem_format { MEM_FORMAT_AUTO, MEM_FORMAT_JSON, MEM_FORMAT_TEXT };
extern const char *const mem_format_words[];

#define MEM_OPT_STORE(c)  { 'S', "store", "DIR", "use the store in DIR", .str = &(c).store }
#define MEM_OPT_AGENT(c)  { 0, "agent", "ID", "act as this agent", .str = &(c).agent }
#define MEM_OPT_QUIET(c)  { 'q', "quiet", NULL, "print refusals only", .flag = &(c).quiet }
#define MEM_OPT_LIMIT(c)  { 'n', "limit", "N", "print at most N records", .num = &(c).limit, .min = 1 }
#define MEM_OPT_LAST(c)   { 0, "last", "N", "only the newest N of what the other options leave", .num = &(c).last, .min = 1 }
#define MEM_OPT_ALL(c)    { 0, "all", NULL, "print all, without a limit", .num = &(c).limit }
#define MEM_OPT_KIND(c)   { 0, "kind", "KIND", "only these kinds", .words = &(c).kinds, .commas = true }
#define MEM_OPT_NS(c)     { 0, "ns", "NS", "only these namespaces", .words = &(c).ns, .commas = true }
#define MEM_OPT_SINCE(c)  { 0, "since", "TIME", "only what was captured at TIME or later", .time = &(c).since }
#define MEM_OPT_UNTIL(c)  { 0, "until", "TIME", "only what was captured before TIME", .time = &(c).until }
#define MEM_OPT_EVERY(c)  { 0, "every-namespace", NULL, "all namespaces (operators)", .flag = &(c).every_namespace }
#define MEM_OPT_DRYRUN(c) { 0, "dry-run", NULL, "show what would be done, change nothing", .flag = &(c).dry_run }
#define MEM_OPT_WAIT(c)   { 0, "wait", "TIME", "wait so long for another writer (default 10s)", .duration = &(c).wait }
#define MEM_OPT_FORMAT(c) { 0, "format", "FORMAT", "auto, json or text", .choice = &(c).format, .choices = mem_format_words }
#define MEM_OPT_NUL(c)    { '0', NULL, NULL, "names end in NUL instead of newline", .flag = &(c).nul }, \
			  { 'z', NULL, NULL, "the same as -0", .flag = &(c).nul }
/* Read by mem_now(); the environment's MEM_NOW stands in when it is not given. */
#define MEM_OPT_NOW       { 0, "now", "TIME", "take TIME for the present", .time = NULL }
/* Words that may stand as operands (NULL-terminated), for completions alone; just before the end. */
#define MEM_OPT_OPERANDS(name, list) { .arg = (name), .choices = (list) }
#define MEM_OPT_END       { 0 }

/* A command that does several things has a verb as its first operand. */
struct mem_verb {
	const char *name;       /* NULL: the end of a list */
	const char *options;    /* its own: names, or letters of those without, with spaces between.  What no verb names is for all */
	int min, max;           /* operands behind it; max -1: any number */
};
/* Takes the verb from the operands; exits on another word, on an option that only other verbs have, and on too few or too many operands. */
const struct mem_verb *mem_verb_take(int *argc, char ***argv, const struct mem_verb *verbs);

/* --now, else MEM_NOW, else the clock as it is at this call. */
int64_t mem_now(void);
/* The same, but MEM_TIME_NONE for the clock: what struct mem_store_options wants. */
int64_t mem_now_given(void);

/* ---- messages and the end --------------------------------------------- */

/* 0, 1, 2, 3, 4, 75 for OK, NONE, USAGE, FAIL, DENIED, BUSY. */
int mem_exit_code(enum mem_status status);
/* "mem-x: …" on standard error; control characters are shown escaped. */
void mem_warn(const char *fmt, ...) MEM_PRINTF(1, 2);
/* The same, but only to a person: when standard error is a terminal. */
void mem_notice(const char *fmt, ...) MEM_PRINTF(1, 2);
/* A callback with a message that says all: of rules that are left out, of an extractor's lines that are refused. */
void mem_warn_message(void *ctx, const char *message);
/* Says why texts got no vectors, unless there is no model or somebody else is making them.  Was it said? */
bool mem_warn_unembedded(enum mem_status status, const char *why);
/* Warns of a damaged value that was passed over; mem_finish then ends with 3.  A mem_damage_fn. */
void mem_warn_damage(void *ctx, const char *message);
/* As mem_warn, after what was printed is flushed, then exit. */
_Noreturn void mem_die(enum mem_status status, const char *fmt, ...) MEM_PRINTF(2, 3);
_Noreturn void mem_die_err(const struct mem_err *err);
/*
 * The last statement of main: flushes, ends with 3 when any write failed, raises a
 * SIGINT or SIGTERM that was held back, else returns the exit status.  Gather what
 * went wrong on the way with mem_status_worse.
 */
int mem_finish(enum mem_status status);

/* ---- standard output -------------------------------------------------- */

/*
 * Buffered.  A failed write is remembered and reported once, by mem_finish; mem_out_ok
 * lets a loop stop early.  A closed pipe ends the process by SIGPIPE, quietly.
 */
void mem_out(const void *p, size_t n);
void mem_out_str(struct mem_str s);
void mem_out_printf(const char *fmt, ...) MEM_PRINTF(1, 2);
/* A record and '\n'; on a terminal, hidden characters inside are shown as \u escapes. */
void mem_out_line(struct mem_str record);
void mem_out_flush(void);
bool mem_out_ok(void);
/* All is printed: flushes and lets go of the descriptor, so that a reader comes to its end while the command goes on. */
void mem_out_close(void);
/* Receipts that are durable, whole lines, straight to the descriptor; with *(bool *)quiet
 * refusals only.  False: the output failed.  It is what memory's writers call. */
bool mem_out_receipts(void *quiet, struct mem_str lines);

/* ---- receipts and refusals in words: receipts.c, refusals.c -------------- */

/* A line that was refused. */
struct mem_refusal {
	const char *input;      /* NULL or "-": standard input */
	uint64_t line, offset;  /* line 0: it is the input as a whole; offset 0: the fault has no place, or is at the start */
	struct mem_str reason;  /* a word of mem-records(5) */
	const char *detail;     /* NULL or a message that says more */
	struct mem_str advice;  /* of the receipt: it is said in place of what the reason comes to; empty: none */
};
/* Appends "line 3 is no JSON at byte 17: for plain text use --lines or --whole". */
void mem_refusal_describe(struct mem_buf *out, const struct mem_refusal *r);
/* The same as a message, if standard error is a terminal; else false and nothing.  Of refusals in a row for the same
 * input and reason the first five are shown, then one message says that there are more. */
bool mem_refusal_notice(const struct mem_refusal *r);

/* Receipts of a command, counted.  Set `quiet` and `format`; the rest begins at zero. */
struct mem_receipts {
	bool quiet;             /* refusals only */
	int format;             /* enum mem_format */
	void (*more)(struct mem_str receipt); /* in text, behind the words of one that is no refusal: prints what else it has; NULL: nothing */
	bool captures;          /* lines become nodes: what is new, known, redacted and refused is summed up even where that is none */
	uint64_t lines, added, known, changed, unchanged, removed, refused;
	uint64_t near;          /* of those added: near duplicates */
	uint64_t redacted, flagged; /* lines */
	uint64_t emails, phones; /* redactions */
};
/* A mem_emit_fn like mem_out_receipts, of a struct mem_receipts: prints records, in text sentences.  On a terminal
 * standard error says of each refusal what is wrong and what to do. */
bool mem_receipts_print(void *receipts, struct mem_str lines);
/* At a terminal: "28 lines: 3 new, 25 known, 1 redacted, 0 refused" where lines are captured; of others what there is: "3 lines: 2 changed,
 * 1 unchanged". */
void mem_receipts_sum_up(const struct mem_receipts *r);

/* ---- standard input and files ----------------------------------------- */

/*
 * Lines of the named files one after the other, of standard input when none is named
 * or at "-".  A file that cannot be read is reported, remembered in the status, and skipped.
 * When no more input is ready, output is flushed first, so that a live pipe is not held up.  Ends early when the
 * output failed or the command was interrupted.
 */
struct mem_input {
	char **names;
	int nnames, at;
	const char *name;        /* of the current file, "-" for standard input */
	char sep;                /* '\n'; set 0 after init for NUL */
	size_t max;              /* longest line; MEM_LINE_MAX */
	bool open, keep_open;
	struct mem_lines lines;
	enum mem_status status;
};
void mem_input_init(struct mem_input *in, int argc, char **argv);
bool mem_input_next(struct mem_input *in, struct mem_line *line);
/* Would next answer within timeout_ms?  -1 waits.  True between files. */
bool mem_input_ready(struct mem_input *in, int timeout_ms);
/* Releases; what went wrong, MEM_OK when nothing did. */
enum mem_status mem_input_status(struct mem_input *in);
/*
 * What a worker does.  Each worker is a process of its own and opens what it needs for itself; what `answer` prints
 * holds no zero byte.
 */
struct mem_worker_ops {
	void (*open)(void *ctx, bool shared);    /* shared: other workers run beside this one */
	enum mem_status (*answer)(void *ctx, const struct mem_line *line);
	void (*leave)(void *ctx, bool for_good); /* false: only until the next line, which may be long in coming */
};
/*
 * Answers each line of a file ("-": standard input) and prints the answers in the order of the lines: the first few in
 * this process, the others in as many workers as processors may be used.  `ctx` is passed on; each worker has its
 * own copy.  Returns the worst status of all answers and of reading the file.  When a worker ends early, this process
 * ends with its status.
 */
enum mem_status mem_worker_pool_run(const char *file, const struct mem_worker_ops *ops, void *ctx);
/* Says that the line was refused: file, line, byte, reason; at a terminal in words. */
void mem_input_refused(const struct mem_input *in, const struct mem_line *line, const struct mem_err *err);
/* Standard input can serve one purpose: the second claim ends with 2. */
void mem_stdin_claim(const char *what);
/* All of standard input, at most `max` bytes, for operands given as "-"; byte order marks and CRs are gone. */
void mem_stdin_read(struct mem_buf *out, size_t max);
/* The same, but for who can do without: MEM_USAGE when there is more. */
enum mem_status mem_stdin_try(struct mem_buf *out, size_t max, struct mem_err *err) MEM_CHECKED;

/* ---- interrupts ------------------------------------------------------- */

/* From here SIGINT, SIGTERM and SIGHUP are held back: the batch at hand is finished,
 * mem_finish raises the signal again.  A second one ends at once. */
void mem_interrupt_catch(void);
/* Instead of mem_interrupt_catch, where one piece may take long: so many seconds after the signal the process ends by it, whatever it does.
 * What was not committed is lost. */
void mem_interrupt_catch_for(unsigned seconds);
bool mem_interrupted(void);
int mem_interrupt_fd(void); /* readable once interrupted, for poll; -1 before catch */

/* ---- terminals -------------------------------------------------------- */

bool mem_out_tty(void);
bool mem_err_tty(void);     /* a person reads the messages */
bool mem_colour(void);      /* standard output is a terminal and NO_COLOR is not set */
bool mem_text_wanted(int format); /* AUTO: on a terminal */
/*
 * Appends s with control, bidi, tag and other invisible characters as JSON escapes
 * (\u001b, \u202e, \udb40\udc41), invalid bytes as \ufffd.  `multiline` keeps newline
 * and tab; otherwise they are escaped too.
 */
void mem_show(struct mem_buf *out, struct mem_str s, bool multiline);
/* A line of a name and a value, both shown so.  Later lines of the value stand under its first,
 * so that none can pass for another name. */
void mem_show_field(struct mem_buf *out, struct mem_str name, struct mem_str value);

/*
 * A table for people, two spaces between columns.  No line is wider than the screen (COLUMNS, else the terminal's; what is
 * no terminal has no width): first the columns that may be cut are, then those that may be left out are, and the last
 * column has what is left.  What is cut is marked with "…", and no grapheme cluster is divided.  Columns keep the widths that
 * rows printed before them had.
 */
struct mem_column {
	const char *name;       /* NULL: the end */
	size_t min;             /* it may be cut to so many columns; 0: it is never cut.  Of the last one: what others are left out for */
	size_t want;            /* of the last one: what others are cut for; at least min */
	int leave_out;          /* 0: never; else the lowest number goes first */
	bool right;             /* numbers end at the same place */
};
struct mem_grid_cell {
	struct mem_str text;    /* as shown */
	size_t focus;           /* the byte that is to be seen where the text is cut */
};
struct mem_grid {
	const struct mem_column *columns;       /* BORROWED */
	size_t ncols;
	struct mem_grid_cell *cells;
	size_t ncells, cap;
	size_t *widths;         /* of each column; 0: it is left out */
	bool begun;             /* the head was printed */
	struct mem_arena arena;
};
void mem_grid_begin(struct mem_grid *t, const struct mem_column *columns);
void mem_grid_cell(struct mem_grid *t, struct mem_str s);
/* The last column's: where it is cut, what stands at byte `focus` is seen. */
void mem_grid_cell_at(struct mem_grid *t, struct mem_str s, size_t focus);
/* A time as a table has it, in UTC: of today (see mem_now) "09:12", else the date.  MEM_TIME_NONE: "-". */
void mem_grid_time(struct mem_grid *t, int64_t ms);
/* Such a time as RFC 3339 writes it; what is none is shown as it is. */
void mem_grid_time_text(struct mem_grid *t, struct mem_str s);
/* A time that is waited for: a date has the time of day behind it. */
void mem_grid_due(struct mem_grid *t, struct mem_str s);
void mem_grid_flush(struct mem_grid *t); /* prints the rows that are there, before the first of all the head */
void mem_grid_end(struct mem_grid *t);   /* flushes and releases; without mem_grid_begin nothing */

/* ---- progress --------------------------------------------------------- */

/* A bar on standard error once the work has taken a second, only on a terminal.  ctx is
 * the label.  `total` 0: unknown; done == total wipes it.  A mem_progress_fn. */
void mem_progress(void *ctx, uint64_t done, uint64_t total);
void mem_progress_end(void);

#endif
