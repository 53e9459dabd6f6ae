/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base: what every other room stands on.
 *
 *   status and errors   enum mem_status, struct mem_err
 *   memory              mem_xmalloc, struct mem_buf, struct mem_arena
 *   text spans          struct mem_str
 *   input lines         struct mem_lines
 *   time                milliseconds since 1970-01-01T00:00:00Z, RFC 3339; times that come again
 *   ids                 UUID version 7 and 8 (RFC 9562)
 *   hashes              keyed BLAKE2b-128 (RFC 7693), SipHash-2-4, XXH3, SHA-256
 *   half floats         IEEE 754 binary16
 *   files               whole reads and writes, barriers
 *   children            other programs, and commands of the user's: bounded, timed, in a group of their own
 *   not holding others  ends after a time, goes on in the background
 *   one more thread     for what a second processor can do meanwhile
 *   files behind maps   what to say when their bytes cannot be read
 *
 * Ownership is said in three words.  OWNS: the caller releases it with the
 * function that pairs with the one that made it.  BORROWS: valid as long as
 * the thing it was taken from.  ARENA: lives until the arena is reset.
 *
 * Nothing here prints or exits, with one exception: a small allocation that
 * fails ends the process with status 3, since a filter can do no better and
 * the store survives it.  Sizes that come from input use mem_try_malloc.
 */
#ifndef MEM_BASE_H
#define MEM_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MEM_VERSION "0.1.0"

#define MEM_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define MEM_CHECKED      __attribute__((warn_unused_result))
#define MEM_COUNT(a)     (sizeof(a) / sizeof((a)[0]))

/* ---- status and errors ------------------------------------------------ */

enum mem_status {
	MEM_OK = 0,
	/* Answers: nothing broke. */
	MEM_END,     /* there are no more, or there is nothing to do */
	MEM_NOTFOUND, /* what was asked for by key, id or name is not there */
	MEM_EXISTS,  /* it is there already */
	MEM_REFUSED, /* the input, or some of it, is not taken: err->reason */
	MEM_STOPPED, /* interrupted by stop_fd */
	MEM_STALE,   /* what it was worked out from has changed meanwhile */
	MEM_ABSENT,  /* a model, library or setting that is not installed or not wanted */
	/* Breakdowns. */
	MEM_USAGE,   /* the caller asked for something that makes no sense   */
	MEM_FAIL,    /* it broke: I/O, a damaged store, a missing file       */
	MEM_DAMAGED, /* one stored value is not what was written; the others can be read */
	MEM_DENIED,  /* not allowed: authority or trust                      */
	MEM_BUSY,    /* somebody else holds it; trying again may work        */
};

/*
 * Filled by whoever returns something other than MEM_OK.  `reason` is one of
 * the fixed words of mem-records(5) ("bad_json", "too_deep", …) where the
 * fault is in a record, else NULL; `offset` is the byte it was found at.
 */
struct mem_err {
	enum mem_status status;
	const char *reason; /* static storage */
	size_t offset;
	char msg[400];
};

/* Fill *err (which may be NULL) and return `status`. */
enum mem_status mem_err_set(struct mem_err *err, enum mem_status status,
    const char *fmt, ...) MEM_PRINTF(3, 4);
/* The same; ": " and the text of errno are appended.  ENOSPC and
 * EDQUOT read "disk full". */
enum mem_status mem_err_sys(struct mem_err *err, enum mem_status status,
    const char *fmt, ...) MEM_PRINTF(3, 4);
/* A fault in a record: MEM_REFUSED with its word and byte offset. */
enum mem_status mem_err_record(struct mem_err *err, const char *reason,
    size_t offset, const char *fmt, ...) MEM_PRINTF(4, 5);
/* The analyser sees one file at a time; this is what it must know of the three. */
#ifdef __clang_analyzer__
#define mem_err_set(err, status, ...) (mem_err_set(err, status, __VA_ARGS__), (status))
#define mem_err_sys(err, status, ...) (mem_err_sys(err, status, __VA_ARGS__), (status))
#define mem_err_record(err, ...) (mem_err_record(err, __VA_ARGS__), MEM_REFUSED)
#endif
/* The worse of two: MEM_FAIL, MEM_DAMAGED, MEM_BUSY, MEM_DENIED, MEM_USAGE, any answer, MEM_OK.  Of two answers the first. */
enum mem_status mem_status_worse(enum mem_status a, enum mem_status b);

/* ---- memory ----------------------------------------------------------- */

void *mem_xmalloc(size_t n);
void *mem_xcalloc(size_t n, size_t size);
void *mem_xrealloc(void *p, size_t n, size_t size); /* n * size, checked */
char *mem_xstrdup(const char *s);
void *mem_try_malloc(size_t n) MEM_CHECKED;         /* NULL when it fails */
/* A process that touches some megabytes for a moment: from now on its heap grows by pages of 2 MB where the system has them (540 small
 * ones take 1.8 ms on a virtual machine, two large ones .8).  Before other threads begin; again it does nothing. */
void mem_heap_use_large_pages(void);

/* Grow array `p` (elements of `size`) so that it holds `need`; *cap is updated. */
void *mem_grow_more(void *p, size_t *cap, size_t need, size_t size); /* where it does not yet */
static inline void *
mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	return need <= *cap ? p : mem_grow_more(p, cap, need, size);
}

/* A span of bytes that somebody else holds.  Not NUL-terminated. */
struct mem_str {
	const char *p;
	size_t n;
};
#define MEM_STR(lit)  ((struct mem_str){ "" lit, sizeof(lit) - 1 })
#define MEM_STR_INIT(lit) { "" lit, sizeof(lit) - 1 }
struct mem_str mem_str(const char *s);              /* NULL gives { NULL, 0 } */
bool mem_str_eq(struct mem_str a, struct mem_str b);
bool mem_str_is(struct mem_str a, const char *s);
bool mem_str_among(struct mem_str s, const char *const *words); /* is it one of the words?  NULL ends them */
int mem_str_cmp(struct mem_str a, struct mem_str b); /* memcmp, shorter first */
struct mem_str mem_str_trim(struct mem_str s);      /* without blanks, tabs and line ends around it */

/* Words that somebody else holds, in order. */
struct mem_words {
	const char **v;
	size_t n;
};

/*
 * A byte buffer that grows.  `data` is never NULL after the first put and is
 * always followed by a NUL that `len` does not count.  Zero initialised is empty.
 */
struct mem_buf {
	char *data;
	size_t len, cap;
};
void mem_buf_reserve(struct mem_buf *b, size_t extra);
void mem_buf_put(struct mem_buf *b, const void *p, size_t n);
void mem_buf_puts(struct mem_buf *b, const char *s);
static inline void
mem_buf_putc(struct mem_buf *b, char c)
{
	if (b->cap - b->len < 2) /* for it and the NUL */
		mem_buf_reserve(b, 1);
	b->data[b->len++] = c;
	b->data[b->len] = '\0';
}
static inline void
mem_buf_str(struct mem_buf *b, struct mem_str s)
{
	mem_buf_put(b, s.p, s.n);
}
void mem_buf_printf(struct mem_buf *b, const char *fmt, ...) MEM_PRINTF(2, 3);
void mem_buf_vprintf(struct mem_buf *b, const char *fmt, va_list ap) MEM_PRINTF(2, 0);
void mem_buf_base64(struct mem_buf *b, const void *p, size_t n); /* RFC 4648 §4, padded */
/* Append the bytes that `s` encodes.  False, and nothing is appended: `s` is not exactly what
 * mem_buf_base64 writes (a line break, no padding and bits behind the last byte are refused, too). */
bool mem_buf_base64_decode(struct mem_buf *b, struct mem_str s) MEM_CHECKED;
void mem_buf_reset(struct mem_buf *b);   /* len 0, keeps the memory */
void mem_buf_release(struct mem_buf *b); /* frees, zero again */
struct mem_str mem_buf_span(const struct mem_buf *b); /* BORROWS */

/*
 * Many small things that die together.  Zero initialised is empty; one per
 * record, reset in the loop.  Under AddressSanitizer each block is a malloc of
 * its own, so that an overrun is seen.
 */
struct mem_arena {
	struct mem_arena_block *head;
};
void *mem_arena_alloc(struct mem_arena *a, size_t n); /* aligned to 16, zeroed */
char *mem_arena_dup(struct mem_arena *a, const void *p, size_t n); /* + NUL */
struct mem_str mem_arena_str(struct mem_arena *a, struct mem_str s);
char *mem_arena_printf(struct mem_arena *a, const char *fmt, ...) MEM_PRINTF(2, 3);
void mem_arena_reset(struct mem_arena *a);
void mem_arena_release(struct mem_arena *a);

/* Told by long work now and then; `total` 0: not known. */
typedef void mem_progress_fn(void *ctx, uint64_t done, uint64_t total);

/* ---- input lines ------------------------------------------------------ */

#define MEM_LINE_MAX ((size_t)16 << 20) /* 16 MiB: one record on the wire */

/*
 * Lines from a descriptor, in bounded memory.  A line longer than `max` is
 * handed out once with `too_long` set and its first bytes; the rest of it is
 * read and dropped.  The last line need not end in '\n'.  With `sep` 0 lines end in NUL.
 *
 * Files come as programs leave them: a byte order mark of UTF-8 at the start of a line (files
 * are joined, too) and the CR of a line end "\r\n" belong to no line.  What begins like
 * UTF-16 or UTF-32 is not read.
 */
struct mem_lines {
	int fd;
	int stop_fd;     /* -1; once it is readable, next reads no more and returns MEM_END */
	char sep;
	size_t max;
	struct mem_buf buf;
	size_t pos;      /* first byte not handed out */
	size_t scanned;  /* bytes from pos known to hold no separator */
	bool eof, dropping;
	uint64_t number; /* of the line handed out last, from 1 */
	uint64_t offset; /* of the next line's first byte in the stream */
};
struct mem_line {
	struct mem_str text; /* BORROWS, until the next call; no separator */
	uint64_t number;
	uint64_t offset;     /* of its first byte in the stream, behind a byte order mark */
	bool too_long;
	bool unended;        /* the last line, and no separator behind it */
};
void mem_lines_init(struct mem_lines *l, int fd, size_t max);
/* MEM_END: the end of the input, or stop_fd.  MEM_FAIL: reading failed, or the input is UTF-16 or UTF-32. */
enum mem_status mem_lines_next(struct mem_lines *l, struct mem_line *out,
    struct mem_err *err) MEM_CHECKED;
/* Would next answer (a line, the end, or an error) within `timeout_ms`? */
bool mem_lines_ready(struct mem_lines *l, int timeout_ms);
void mem_lines_release(struct mem_lines *l);

/* The same for those who split lines or read texts by themselves. */
/* How many bytes of a byte order mark of UTF-8 a line begins with: 0 or 3. */
size_t mem_line_mark(struct mem_str line);
/* The line without the CR of its end. */
struct mem_str mem_line_bare(struct mem_str line);
/* "UTF-16" or "UTF-32" where the first four bytes of an input (or all, if it has fewer) are of such a text; else NULL. */
const char *mem_text_wide(struct mem_str start);
#define MEM_TEXT_WIDE_HELP "the input is %s, not UTF-8: convert it first (iconv -f %s -t UTF-8)"
/* A whole text, in place: without byte order marks, and with "\n" for each "\r\n". */
void mem_text_unify(struct mem_buf *text);

/* ---- time ------------------------------------------------------------- */

#define MEM_TIME_MIN ((int64_t)-62167219200000) /* 0000-01-01T00:00:00Z */
#define MEM_TIME_MAX ((int64_t)253402300799999) /* 9999-12-31T23:59:59.999Z */
#define MEM_TIME_NONE INT64_MIN                /* no time at all */
#define MEM_TIME_LEN 24                         /* 2026-11-28T00:39:24.123Z */

int64_t mem_time_now(void);
/* For waits and limits: ms that only rise, from no particular start (CLOCK_MONOTONIC). */
int64_t mem_clock_ms(void);
/* RFC 3339 §5.6 with any offset; digits past milliseconds are cut.  False: not a time. */
bool mem_time_parse(struct mem_str s, int64_t *ms);
/*
 * What programs write: besides RFC 3339 dates and times with gaps ("2026-08-01 10:00"), RFC 5322, ctime(3), dates with names of
 * months in English, clocks of twelve hours, names of zones that mean one thing, Unix times as text; a date alone is
 * its first instant.  Without a zone (*zoned false) the time is taken for UTC.  False: not a time, or one that means
 * two things (3/4/2026, unless AM, PM or a zone of the USA is said).
 */
bool mem_time_read(struct mem_str s, int64_t *ms, bool *zoned);
/* Of a Unix time in seconds, milli-, micro- or nanoseconds, which its size tells.  False: out of range. */
bool mem_time_from_unix(double v, int64_t *ms);
/* What users type: RFC 3339, a date alone (its first instant, UTC), a duration back from `now` ("24h"), or words: now;
 * today, yesterday, this or last week, month or year, last Monday (before today), which are the first instant of that day, week (from
 * Monday on), month or year in UTC; 3 days (weeks, months, years) ago, the first instant of that day, in a shorter month its last; 3
 * hours (minutes) ago, to the millisecond. */
bool mem_time_parse_user(struct mem_str s, int64_t now, int64_t *ms);
#define MEM_TIME_WANTED \
	"a time like 2026-11-28T09:00:00Z, 2026-11-28, 24h, yesterday, last week (month, year, Monday) or 3 days ago" /* what a message says of another */
void mem_time_format(int64_t ms, char out[MEM_TIME_LEN + 1]);
/*
 * "250ms", "15m", "24h", "30d", "2w"; a bare number is seconds.  False: not a duration, or longer than a hundred years, so that one can be
 * added to any time and counted in nanoseconds.
 */
#define MEM_DURATION_MAX (36525 * INT64_C(86400000))
#define MEM_DURATION_WANTED "a duration like 500ms, 15m, 24h or 30d, up to 100 years"
bool mem_duration_parse(struct mem_str s, int64_t *ms);
/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar, and the date of such a day; the days of a month. */
int64_t mem_date_to_days(int year, int month, int day);
void mem_date_from_days(int64_t days, int *year, int *month, int *day);
int mem_month_days(int year, int month);

/* Days since 1970, both of them within; first > last: none. */
struct mem_day_span {
	int32_t first, last;
};
#define MEM_DAY_SPAN_NONE ((struct mem_day_span){ 1, 0 })

/* Times that come again and again, in UTC; zero initialised: none. */
enum mem_schedule_form {
	MEM_SCHEDULE_NONE,
	MEM_SCHEDULE_OFF,     /* "off": never */
	MEM_SCHEDULE_EVERY,   /* "90m": so long after the last time */
	MEM_SCHEDULE_DAILY,   /* "03:00" */
	MEM_SCHEDULE_WEEKLY,  /* "sun 03:00" */
	MEM_SCHEDULE_MONTHLY, /* "1 03:00", "31 03:00": a month that has no such day has it on its last one */
};
struct mem_schedule {
	enum mem_schedule_form form;
	int64_t ms;           /* EVERY: between two times, above 0; else since midnight */
	int day;              /* WEEKLY: from 0, Monday; MONTHLY: from 1 */
};
#define MEM_SCHEDULE_WANTED "off, a time like 03:00, sun 03:00 or 1 03:00, or a duration like 12h"
bool mem_schedule_parse(struct mem_str s, struct mem_schedule *out);
/* The first of its times after `after`, which counts as MEM_TIME_MIN if it is before that; MEM_TIME_NONE: there is none
 * up to MEM_TIME_MAX. */
int64_t mem_schedule_next(const struct mem_schedule *s, int64_t after);
/* A whole number within [min, max], nothing else around it. */
bool mem_number_parse(struct mem_str s, int64_t min, int64_t max, int64_t *out);

/* ---- ids -------------------------------------------------------------- */

struct mem_id {
	uint8_t b[16];
};
#define MEM_ID_LEN 36
bool mem_id_parse(struct mem_str s, struct mem_id *out); /* canonical form, any case */
void mem_id_format(const struct mem_id *id, char out[MEM_ID_LEN + 1]);
int mem_id_cmp(const struct mem_id *a, const struct mem_id *b);
/* RFC 9562 §5.7: 48 bits of `ms`, `counter` (12 bits), the rest from a hash of `seq`. */
struct mem_id mem_id_v7(int64_t ms, uint16_t counter, uint64_t seq);
/* RFC 9562 §5.8: mem_hash128, unkeyed, of the parts ns and content. */
struct mem_id mem_id_v8(struct mem_str ns, struct mem_str content);

/* ---- hashes ----------------------------------------------------------- */

#define MEM_SECRET_LEN 32
struct mem_hash {
	uint8_t b[16];
};
/* BLAKE2b-128 of the parts, each preceded by its length as 8 bytes, so that
 * ("ab","c") and ("a","bc") differ.  `key` NULL or MEM_SECRET_LEN bytes. */
struct mem_hash mem_hash128(const uint8_t *key, const struct mem_str *parts, size_t n);
/* SipHash-2-4 under the first 16 bytes of `key`: short strings that strangers choose. */
uint64_t mem_hash64(const uint8_t *key, struct mem_str s);
/* XXH3-64: tables in memory whose keys no stranger chooses, checksums against accident. */
uint64_t mem_hash_fast(const void *p, size_t n);
/*
 * For bits that turn over: CRC-32C of four quarters of the bytes (of whole eights), and of these four and the bytes that are left.  All that
 * differs in three bits at most, or in 32 that follow one another, gives another number.  Of 1 KB it is a third of the
 * instructions of XXH3, which Debian's library has for SSE2.
 */
uint32_t mem_crc32c_lanes(const void *p, size_t n);
void mem_hash_hex(const void *p, size_t n, char *out); /* 2n characters and NUL */
/* SHA-256 (FIPS 180-4): files of others, whose publishers name them by it. */
struct mem_sha256 {
	uint64_t state[13];
};
void mem_sha256_init(struct mem_sha256 *h);
void mem_sha256_add(struct mem_sha256 *h, const void *p, size_t n);
void mem_sha256_hex(struct mem_sha256 *h, char out[65]); /* ends it */
/* The value of a hexadecimal digit of either case; -1: it is none. */
static inline int
mem_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}
/* n bytes from 2n such digits; false: they are not. */
bool mem_hex_read(struct mem_str s, uint8_t *out, size_t n);
/* Ed25519 (RFC 8032): is it a signature of the message by the key?  Refuses what is not canonical, and keys of small order. */
#define MEM_SIGN_KEY_LEN  32
#define MEM_SIGNATURE_LEN 64
/* Can it be somebody's key: a point of the curve in its main subgroup (RFC 8032), and none of small order, for which anybody can sign? */
bool mem_sign_key_valid(const uint8_t key[MEM_SIGN_KEY_LEN]);
bool mem_sign_verify(const uint8_t key[MEM_SIGN_KEY_LEN], struct mem_str message, const uint8_t signature[MEM_SIGNATURE_LEN]);
void mem_random(void *p, size_t n);                    /* the kernel's generator */

/* Big-endian numbers in keys: memcmp order is number order. */
void mem_be32(uint8_t *p, uint32_t v);
void mem_be64(uint8_t *p, uint64_t v);
uint32_t mem_be32_get(const uint8_t *p);
uint64_t mem_be64_get(const uint8_t *p);

/* Numbers in host byte order, from any address. */
static inline uint16_t
mem_ld16(const void *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint32_t
mem_ld32(const void *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint64_t
mem_ld64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

/* ---- half floats ------------------------------------------------------ */

/* IEEE 754 binary16.  What is not finite has no meaning here: get makes 65536 and more of it. */
static inline float
mem_half_get(uint16_t h)
{
	/* The exponent moved to its place in binary32 is 112 too small, for subnormals too. */
	uint32_t bits = (uint32_t)(h & 0x7fff) << 13;
	float f;
	memcpy(&f, &bits, sizeof f);
	f *= 0x1p112f;
	return (h & 0x8000) != 0 ? -f : f;
}
/* The nearest, ties to even; from 65520 on infinity (0x7c00). */
uint16_t mem_half_put(float f);

/* ---- UTF-8 ------------------------------------------------------------ */

/* Length of the longest valid prefix (RFC 3629): equals n when all is valid. */
size_t mem_utf8_valid(const char *p, size_t n);
/* How many bytes, at most `max`, of a text hold whole characters. */
size_t mem_utf8_cut(struct mem_str s, size_t max);
/* Encode code point `c` (< 0x110000, no surrogate) into room for 4 bytes; returns how many it took. */
size_t mem_utf8_put(unsigned char *to, uint32_t c);
/* Append it. */
void mem_buf_utf8(struct mem_buf *b, uint32_t c);
/* Decode one code point at p; returns its length in bytes.  A byte that begins none is U+FFFD. */
size_t mem_utf8_decode(const char *p, size_t n, uint32_t *c);

/* ---- files ------------------------------------------------------------ */

/* The whole file, at most `max` bytes (more is MEM_FAIL); appended to *out. */
enum mem_status mem_file_read(int dirfd, const char *path, size_t max,
    struct mem_buf *out, struct mem_err *err) MEM_CHECKED;
/* The same of what nobody else may have made: MEM_DENIED as mem_fd_check_owner. */
enum mem_status mem_file_read_own(int dirfd, const char *path, size_t max,
    struct mem_buf *out, struct mem_err *err) MEM_CHECKED;
/* The caller's effective user, as the kernel gave it when the program began: without a system call. */
unsigned mem_user_id(void);
/* MEM_DENIED: what is open belongs neither to the caller nor to root, or others may write it. */
enum mem_status mem_fd_check_owner(int fd, const char *path, struct mem_err *err) MEM_CHECKED;
/* Replace it atomically and durably: temporary, fsync, rename, fsync of the folder.  `mode` counts as it is, whatever umask. */
enum mem_status mem_file_replace(int dirfd, const char *path, const void *p,
    size_t n, unsigned mode, struct mem_err *err) MEM_CHECKED;
/* Its last step alone, for a file that has been written and synced: rename, fsync of the folder. */
enum mem_status mem_file_move(int dirfd, const char *from, const char *to, struct mem_err *err) MEM_CHECKED;
/* All bytes to a descriptor, through short writes and EINTR. */
enum mem_status mem_fd_write(int fd, const void *p, size_t n, struct mem_err *err) MEM_CHECKED;
/*
 * memkit's own files are private, so a command sets umask 077 when it begins.  Files that go into a user's own tree (a skill, a hook of git,
 * a folder of a vault) have the mode that any other program would give them: mem_user_mode is what the umask that the process was started
 * with leaves of `mode`; without mem_umask_close that is the umask as it is.  Not for two threads at once.
 */
void mem_umask_close(void);
unsigned mem_user_mode(unsigned mode);
/* mkdirat(2), but `mode` counts whatever the umask; what a folder above hands down (set-group-ID) stays.  -1 with errno. */
int mem_folder_make(int dirfd, const char *name, unsigned mode);
/* mkdir -p, by mem_folder_make. */
enum mem_status mem_dir_make(const char *path, unsigned mode, struct mem_err *err) MEM_CHECKED;
/* `$VAR/tail`, else `$HOME/fallback/tail` (/etc/passwd's when HOME is unset),
 * else false: XDG Base Directory Specification 0.8. */
bool mem_xdg_path(struct mem_buf *out, const char *var, const char *fallback, const char *tail);

/* ---- children --------------------------------------------------------- */

/*
 * Another program, without a shell, in a process group of its own.  It gets `input` on
 * standard input and nothing else that is open here.  When it ends, and when it is given up,
 * what is left of its group is killed.
 */
struct mem_child {
	const char *const *argv;        /* NULL-terminated; argv[0] is looked for in PATH */
	const char *const *env;         /* "NAME=value" sets, "NAME" removes; NULL-terminated; may be NULL */
	const char *dir;                /* working folder; NULL: this one's */
	struct mem_str input;
	size_t out_max;                 /* bytes of standard output; more ends it */
	int64_t timeout_ms;             /* 0: none */
	int stop_fd;                    /* once readable, it is given up; -1 */
	bool no_grace;                  /* given up, it is killed at once: it gets no time to end by itself */
	void (*tick)(void *ctx);        /* about ten times a second; may be NULL */
	void *ctx;
};
struct mem_child_end {
	int code;                       /* exit status; 128 + the signal that ended it */
	struct mem_buf out;             /* OWNS, both; of standard error the last 4 KiB */
	struct mem_buf errors;
};
/*
 * MEM_OK: it ended by itself, with whatever code.  MEM_STOPPED: stop_fd.  MEM_FAIL: it could not be
 * started, took too long or said too much.  `end` is to be released in any case.
 */
enum mem_status mem_child_run(struct mem_child_end *end, const struct mem_child *c, struct mem_err *err) MEM_CHECKED;
void mem_child_release(struct mem_child_end *end);
/* Of what it printed the last line that has anything in it; BORROWS.  Empty: there is none. */
struct mem_str mem_child_last_line(const struct mem_buf *printed);
/*
 * A command of the user's own, a filter: /bin/sh -c gets it, and it gets `input` on standard input, in a process group of its
 * own, and no other data.  What it prints is appended to *out.  No transaction is open meanwhile.
 *
 * MEM_FAIL, and *out is as it was: it could not be started, took longer than MEM_COMMAND_MS, printed more than
 * MEM_COMMAND_MAX bytes, or ended with another status than 0; err says which of these, with the last line of its standard error.
 */
#define MEM_COMMAND_MS  10000
#define MEM_COMMAND_MAX ((size_t)16 << 20)
enum mem_status mem_command_run(struct mem_buf *out, const char *command, struct mem_str input, struct mem_err *err) MEM_CHECKED;
/* The same with another time, of ms; 0: MEM_COMMAND_MS. */
enum mem_status mem_command_run_within(struct mem_buf *out, const char *command, struct mem_str input, int64_t timeout_ms,
    struct mem_err *err) MEM_CHECKED;
/* Of a fault in what it printed: err's message gets 'COMMAND': line N: in front of it, without the line if that is 0; the rest stays. */
void mem_command_blame(struct mem_err *err, const char *command, size_t line);
/* What a command may call itself, and its version: 1 to MEM_COMMAND_WORD_MAX letters, digits, `.`, `_` and `-`. */
#define MEM_COMMAND_WORD_MAX 64
bool mem_command_word_valid(struct mem_str s);
/* What it is called as long as it says nothing: "/home/ada/bin/gist --fast" is gist; "command" if that is no such word.  BORROWS. */
struct mem_str mem_command_name(const char *command);
/* Is there an executable file of this name in PATH? */
bool mem_child_there(const char *program);
/* Appends `s` as one word of a command for sh, in quotes where it needs them. */
void mem_buf_shell_word(struct mem_buf *out, const char *s);
/* Appends the folder that this program was started from.  False: /proc does not tell. */
bool mem_program_folder(struct mem_buf *out);

/* ---- not holding others up ---------------------------------------------- */

/* Ends this process with status 0 once `ms` are over, whatever it does, and kills the group of a child that then runs.  Who
 * starts it again moves the end. */
void mem_watchdog_start(int64_t ms);
/*
 * Does `work` in a second process, which belongs to no session of this one's caller, has nothing open, outlives this one and ends
 * with the work.  Returns as soon as that is done, or says that nobody need wait any longer, or `wait_ms` are over.  No other thread
 * runs, and nothing is open that one process only may use.
 */
enum mem_status mem_background_run(void (*work)(void *ctx), void *ctx, int64_t wait_ms, struct mem_err *err) MEM_CHECKED;
/* In the work: who started it goes on. */
void mem_background_release(void);

/*
 * Starts the program at `path`, without arguments, in a session of its own, and does not wait for it: `input` is its standard input, its
 * output goes nowhere, and nothing else that is open here is open there.
 */
enum mem_status mem_sibling_start(const char *path, struct mem_str input, struct mem_err *err) MEM_CHECKED;
/* The same, and waits for its end.  *exit_status: of one that a signal ended 128 and its number. */
enum mem_status mem_sibling_run(const char *path, struct mem_str input, int *exit_status, struct mem_err *err) MEM_CHECKED;

/* ---- one more thread --------------------------------------------------- */

/*
 * A search waits for memory most of the time, so a second processor all but halves it.  Where this process may use only
 * one (or there are no threads) start gives NULL, and what is given to NULL is done at once.
 */
struct mem_worker;
typedef void mem_worker_fn(void *ctx);
struct mem_worker *mem_worker_start(void);
/* The last one must have been waited for. */
void mem_worker_give(struct mem_worker *w, mem_worker_fn *fn, void *ctx);
/* Until what was given is done. */
void mem_worker_wait(struct mem_worker *w);
/* There is nothing more for it: it ends by itself, so that mem_worker_end need not wait. */
void mem_worker_detach(struct mem_worker *w);
void mem_worker_end(struct mem_worker *w);

/* ---- files behind maps -------------------------------------------------- */

/*
 * A file that is mapped and cut short, or whose own numbers lead out of it, ends its reader by SIGBUS or SIGSEGV.  Who maps
 * one says so here, and whoever handles these signals (cli) finds the words for it.
 */
struct mem_mapped {
	/* Does the address belong to it?  Called by a signal handler.  NULL: it is one of the n bytes at `at`. */
	bool (*owns)(const struct mem_mapped *m, const void *at);
	const void *at;
	size_t n;
	const char *path, *word; /* BORROWS: the file, and what is to be said */
};
/* Not from two threads at once.  `m` stays where it is until it is dropped; one that was never added is fine. */
void mem_mapped_add(struct mem_mapped *m);
void mem_mapped_drop(struct mem_mapped *m);
/* Async-signal-safe.  NULL: it belongs to none. */
const struct mem_mapped *mem_mapped_find(const void *at);
/* Ends the process with the word of `m`, for a library that has found the file's bytes wrong and cannot go on; returns where
 * nobody catches. */
void mem_mapped_end(const struct mem_mapped *m);
/* `arm` is called at the first mem_mapped_add, so that who maps nothing pays nothing; `end`, which does not return, by mem_mapped_end. */
typedef void mem_mapped_arm_fn(void);
typedef void mem_mapped_end_fn(const struct mem_mapped *m);
void mem_mapped_catch(mem_mapped_arm_fn *arm, mem_mapped_end_fn *end);

/* ---- libraries opened at need ------------------------------------------ */

/* A function or variable of a library, and the pointer that is to hold its address. */
struct mem_symbol {
	const char *name;
	void **to;
	bool optional;          /* NULL where the library does not have it; else that is MEM_FAIL */
};
/*
 * Opens the first of `names` (NULL behind the last) that is there, and fills in n symbols.  *out OWNS.  MEM_ABSENT: none is
 * there; err has the loader's words.  Whoever calls it cannot be linked statically.
 */
enum mem_status mem_library_open(void **out, const char *const *names, const struct mem_symbol *symbols, size_t n,
    struct mem_err *err) MEM_CHECKED;
void mem_library_close(void *lib);      /* NULL is fine */

#endif
