/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that was cleaned, as a type: what is kept comes to `write` as this and as nothing else, so that to forget the
 * sanitiser does not compile.  Only the functions here make it.
 *
 *   records      cleaned, found to be clean, or taken as they stand; values inside of them
 *   own values   what memkit makes itself: numbers, times, ids, words of its own lists
 *   objects      of such values
 *   findings     as JSON
 */
#ifndef MEM_CLEAN_TEXT_H
#define MEM_CLEAN_TEXT_H

#include "base/base.h"
#include "clean/clean.h"
#include "record/record.h"

/* One JSON value.  BORROWS from the record or arena that it was made from. */
struct mem_clean_text {
	/* Who vouches for it.  It comes first, so that neither a span nor a JSON value stands for the whole in a list of
	 * values in braces. */
	enum mem_clean_how { MEM_CLEAN_ABSENT, MEM_CLEAN_PASSED, MEM_CLEAN_RESTORED, MEM_CLEAN_OWN } how;
	struct mem_json value;  /* raw.n 0 where it is absent */
};
/* Of a record to be: what is not there is left out, or taken away.  The name has nothing to escape. */
struct mem_clean_field {
	const char *name;
	struct mem_clean_text value;
};
static inline bool mem_clean_there(struct mem_clean_text t) { return t.how != MEM_CLEAN_ABSENT; }
static inline struct mem_clean_text mem_clean_absent(void) { return (struct mem_clean_text){ 0 }; }

/* ---- records ---------------------------------------------------------- */

/* Zero initialise; reusable.  `rec` BORROWS from what it was made of, until the next one is made. */
struct mem_clean_rec {
	const struct mem_rec *rec;
	enum mem_clean_how how; /* MEM_CLEAN_PASSED or MEM_CLEAN_RESTORED */
	struct mem_rec own;     /* its list of fields, where cleaning changed the text */
};
/*
 * Cleans every string and key of a record that was scanned, and takes out what two strings of it hold of one token; *f tells what was
 * found.  Changed text is put into the arena.
 * MEM_REFUSED: refused, reason nul (mem_rec_refuse_nul), budget or residue (mem_clean_string), or what mem_rec_scan refuses in keys that
 * cleaning made longer.
 */
enum mem_status mem_clean_record(struct mem_clean_rec *out, struct mem_findings *f, struct mem_clean *c,
    const struct mem_rec *in, struct mem_arena *a, struct mem_err *err) MEM_CHECKED;
/* Takes a record that the sanitiser would leave as it is: nothing to redact or to cut, and if there is something to flag, it
 * has injection_flags already.  MEM_REFUSED: reason residue, or budget. */
enum mem_status mem_clean_verify(struct mem_clean_rec *out, struct mem_findings *f, struct mem_clean *c,
    const struct mem_rec *in, struct mem_err *err) MEM_CHECKED;
/* Takes a record as it stands: what an operator imports, so that a store that is restored is the same store. */
void mem_clean_restored(struct mem_clean_rec *out, const struct mem_rec *in);
void mem_clean_rec_release(struct mem_clean_rec *r);

/* A value that stands inside of the record. */
struct mem_clean_text mem_clean_part(const struct mem_clean_rec *r, struct mem_json v);
/* The same of a string, without the blanks around it.  ARENA. */
struct mem_clean_text mem_clean_trimmed(const struct mem_clean_rec *r, struct mem_json v, struct mem_arena *a);
struct mem_clean_text mem_clean_value(const struct mem_clean_rec *r, const char *name); /* that of a field */
/* A number inside of it as a string of the same characters.  ARENA. */
struct mem_clean_text mem_clean_digits(const struct mem_clean_rec *r, struct mem_json number, struct mem_arena *a);

/* ---- own values ------------------------------------------------------- */

struct mem_clean_text mem_clean_null(void);
struct mem_clean_text mem_clean_or_null(struct mem_clean_text t); /* null where it is not there */
struct mem_clean_text mem_clean_bool(bool v);
struct mem_clean_text mem_clean_empty_list(void);
struct mem_clean_text mem_clean_empty_object(void);
struct mem_clean_text mem_clean_int(struct mem_arena *a, int64_t v);
struct mem_clean_text mem_clean_num(struct mem_arena *a, double v); /* null if not finite */
struct mem_clean_text mem_clean_share(struct mem_arena *a, double v);   /* mem_json_put_share */
struct mem_clean_text mem_clean_time(struct mem_arena *a, int64_t ms);
struct mem_clean_text mem_clean_id(struct mem_arena *a, const struct mem_id *id);
/* A word of memkit's own: of a list, a name that it has checked (agent, namespace), a command's.  At least one of
 * [A-Za-z0-9._:@/-], and nothing else: another one is the caller's mistake. */
struct mem_clean_text mem_clean_word(struct mem_arena *a, struct mem_str word);

/* ---- objects ---------------------------------------------------------- */

/* Zero initialise; ended, it is empty again. */
struct mem_clean_object {
	struct mem_buf text;
	size_t n;               /* members */
};
void mem_clean_object_put(struct mem_clean_object *o, const char *name, struct mem_clean_text v);
/* A member of a clean record as it is written. */
void mem_clean_object_keep(struct mem_clean_object *o, const struct mem_clean_rec *r, const struct mem_field *f);
struct mem_clean_text mem_clean_object_end(struct mem_clean_object *o, struct mem_arena *a); /* ARENA */
void mem_clean_object_release(struct mem_clean_object *o); /* of one that is not ended */

/* A list is built in the same way, without names. */
void mem_clean_list_put(struct mem_clean_object *o, struct mem_clean_text v);
struct mem_clean_text mem_clean_list_end(struct mem_clean_object *o, struct mem_arena *a); /* ARENA */

/* ---- findings --------------------------------------------------------- */

/* Appends `[{"field":…,"kind":…,"start":…,"end":…},…]` and `[{"marker":…,…},…]`. */
void mem_redactions_put(struct mem_buf *out, const struct mem_finding_list *l);
void mem_flags_put(struct mem_buf *out, const struct mem_finding_list *l);
/* The same for a node: not there where the list is empty.  ARENA. */
struct mem_clean_text mem_clean_redactions(struct mem_arena *a, const struct mem_finding_list *l);
struct mem_clean_text mem_clean_flags(struct mem_arena *a, const struct mem_finding_list *l);
/* What the audit keeps of them: `{"redactions":2,"injection_flags":["ignore_instructions"]}`.  ARENA. */
struct mem_clean_text mem_clean_counts(struct mem_arena *a, const struct mem_finding_list *l);

#endif
