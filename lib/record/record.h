/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record: a JSON line to a record and back (RFC 8259, one value a line).
 *
 * A record is scanned in place, strictly, and never rebuilt: fields that nobody
 * edits pass through byte for byte, numbers that no double holds included.
 * A refusal is MEM_REFUSED with its word and the byte offset in the text
 * (mem-records(5)): bad_json, duplicate_key (at any depth, compared decoded), bad_utf8,
 * nul (a NUL byte in a key or string), too_deep (over 512), key_too_long (over 64 KiB as
 * written), not_an_object.  Lone surrogate escapes, NaN, an empty text and trailing bytes
 * are bad_json.  The escape \u0000 is valid JSON and passes; who cannot store it asks
 * mem_rec_refuse_nul.
 *
 * Cost: one pass, no recursion; time grows with the length alone, whatever the keys are.
 * Memory: the list of fields, and 16 bytes for each key of the objects that are open.
 *
 * Everything BORROWS from the scanned text.
 */
#ifndef MEM_RECORD_H
#define MEM_RECORD_H

#include "base/base.h"

#define MEM_JSON_DEPTH_MAX 512
#define MEM_JSON_KEY_MAX   ((size_t)64 << 10)

enum mem_json_type {
	MEM_JSON_NULL, MEM_JSON_FALSE, MEM_JSON_TRUE, MEM_JSON_NUMBER,
	MEM_JSON_STRING, MEM_JSON_ARRAY, MEM_JSON_OBJECT,
};

/* A value in place: its raw text without white space around it. */
struct mem_json {
	struct mem_str raw;
	enum mem_json_type type;
	bool escaped;           /* a string that holds a backslash */
};

struct mem_field {
	struct mem_str key;     /* between the quotes, as written */
	bool key_escaped;
	struct mem_json value;
};

/* ---- records ---------------------------------------------------------- */

/* Reusable: scan again into the same one; zero initialised is empty. */
struct mem_rec {
	struct mem_str text;    /* the object, white space around it cut */
	struct mem_field *fields;
	size_t nfields, cap;
	bool nul;               /* a string or key somewhere inside holds \u0000, */
	size_t nul_at;          /* the first at this byte of the line */
};

/* Checks the whole line and lists the top-level fields; none after a refusal. */
enum mem_status mem_rec_scan(struct mem_rec *r, struct mem_str line,
    struct mem_err *err) MEM_CHECKED;
/* Lists the top-level fields of an object that was checked before, seven times as fast as a scan; `nul` stays false. */
void mem_rec_look(struct mem_rec *r, struct mem_str text);
/* Any single JSON value, checked alike. */
enum mem_status mem_json_scan(struct mem_json *out, struct mem_str text,
    struct mem_err *err) MEM_CHECKED;
/* MEM_REFUSED and reason nul for a record that holds \u0000. */
enum mem_status mem_rec_refuse_nul(const struct mem_rec *r, struct mem_err *err) MEM_CHECKED;
const struct mem_field *mem_rec_find(const struct mem_rec *r, const char *name);
/* Its value; raw.n 0 when it is not there. */
struct mem_json mem_rec_value(const struct mem_rec *r, const char *name);
double mem_rec_num(const struct mem_rec *r, const char *name, double otherwise); /* `otherwise`: it has no such number */
struct mem_json mem_rec_json(const struct mem_rec *r);     /* the record as a value */
void mem_rec_release(struct mem_rec *r);

/* ---- looking inside a checked value ----------------------------------- */

/* The text of a record that was checked when it was written, as a value. */
static inline struct mem_json mem_json_object(struct mem_str text) { return (struct mem_json){ text, MEM_JSON_OBJECT, false }; }
/* Member `name` of an object; a type of NULL and raw.n 0 when it is not there. */
struct mem_json mem_json_member(struct mem_json object, const char *name);
/* "message.content" through objects; a number names an array's element. */
struct mem_json mem_json_path(struct mem_json v, const char *path);
static inline bool mem_json_there(struct mem_json v) { return v.raw.n > 0; }

/* for (it = mem_json_each(v); mem_json_next(&it);) … it.key, it.value
 * Steps through an object or array; nothing at all for another type. */
struct mem_json_iter {
	const char *p, *end;
	bool object;
	struct mem_str key;     /* as written; empty in an array */
	bool key_escaped;
	struct mem_json value;
};
struct mem_json_iter mem_json_each(struct mem_json v);
bool mem_json_next(struct mem_json_iter *it);
/* Has the list a value that is written in these bytes? */
bool mem_json_list_has(struct mem_json list, struct mem_str raw);

/* A string's characters, appended; false when it is not a string. */
bool mem_json_decode(struct mem_buf *out, struct mem_json v);
/* The same into an arena: { NULL, 0 } when it is not a string. */
struct mem_str mem_json_text(struct mem_arena *a, struct mem_json v);
bool mem_json_is(struct mem_json v, const char *s);       /* a string equal to s */
/* Is it a string equal to one of the words, which NULL ends?  *at, if not NULL: which. */
bool mem_json_among(struct mem_json v, const char *const *words, size_t *at);
bool mem_json_id(struct mem_json v, struct mem_id *out);  /* a string that is an id, and nothing else */
/* A number written without fraction or exponent that fits. */
bool mem_json_int(struct mem_json v, int64_t *out);
bool mem_json_num(struct mem_json v, double *out);        /* finite */

/* ---- writing ---------------------------------------------------------- */

/* Quoted; the fewest escapes RFC 8259 §7 asks for, so that text stays readable.
 * A byte that is not UTF-8 becomes U+FFFD: what is written is always valid. */
void mem_json_put_string(struct mem_buf *out, struct mem_str s);
/* `"name":` with a comma before it unless it follows '{' or '[' or nothing. */
void mem_json_put_key(struct mem_buf *out, const char *name);
void mem_json_put_field(struct mem_buf *out, const char *name, struct mem_str s);
void mem_json_put_text(struct mem_buf *out, const char *name, struct mem_str s);   /* the same; null where s is empty */
void mem_json_put_int(struct mem_buf *out, const char *name, int64_t v);
/* Six decimals, trailing zeros cut, never an exponent, never "-0"; null if not finite.  The first: the value alone. */
void mem_json_put_number(struct mem_buf *out, double v);
/* A number from 0 to 1 that is kept, by six digits that count, so that a small one does not become 0. */
void mem_json_put_share(struct mem_buf *out, double v);
void mem_json_put_num(struct mem_buf *out, const char *name, double v);
void mem_json_put_bool(struct mem_buf *out, const char *name, bool v);
void mem_json_put_time(struct mem_buf *out, const char *name, int64_t ms);   /* MEM_TIME_NONE: null */
void mem_json_put_null(struct mem_buf *out, const char *name);
void mem_json_put_raw(struct mem_buf *out, const char *name, struct mem_str raw);
/* Field `name` of a record as it stands there; null where it is no string. */
void mem_rec_put_text(struct mem_buf *out, const struct mem_rec *rec, const char *name);

/* ---- building --------------------------------------------------------- */

/* A field of a record to be: a name without anything to escape, and a checked value (raw.n 0: it is left out). */
struct mem_rec_part {
	const char *name;
	struct mem_json value;
};
/*
 * The record of these parts in this order, each name once: its text, in the arena and writable, and in *r what
 * mem_rec_scan would find in that text, without the scan.  The values hold no NUL.  MEM_REFUSED: too_deep.
 */
enum mem_status mem_rec_build(struct mem_rec *r, struct mem_arena *a, const struct mem_rec_part *parts, size_t n,
    struct mem_err *err) MEM_CHECKED;

/* ---- editing by splicing ---------------------------------------------- */

/*
 * Append to `out` the record with fields set or (raw.n 0) left out; a name that is not
 * there is added at the end in the order given.  All other bytes stay as they were.
 * Each name is given once.
 */
struct mem_edit {
	const char *name;
	struct mem_str raw;     /* the new value as JSON */
};
void mem_rec_edit(struct mem_buf *out, const struct mem_rec *r,
    const struct mem_edit *edits, size_t n);
/* Would that be another text? */
bool mem_rec_edit_changes(const struct mem_rec *r, const struct mem_edit *edits, size_t n);

/*
 * Rewrites every string and number of a checked value, keys too, in order.  `fn` gets the
 * decoded text, of a number its digits as they stand, with its path ("extra.a.0.b"; for a key is_key is true and the path is that of the
 * object it is in), and returns true when it appended a replacement to `to`, which makes a string of a number.  Paths name
 * keys as rewritten: what was taken out of a key shows in no path.  Strings it leaves
 * alone keep their bytes.  Of keys that become equal the later get "~2", "~3" appended.
 * MEM_OK, or what fn put into err by returning false with err->status set; then what was
 * appended to `out` is not a whole value.
 */
typedef bool mem_json_map_fn(void *ctx, const char *path, bool is_key,
    struct mem_str text, struct mem_buf *to, struct mem_err *err);
enum mem_status mem_json_map(struct mem_buf *out, struct mem_json v,
    mem_json_map_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;

#endif
