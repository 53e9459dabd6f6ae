/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structured parts of a text: front matter, lists of `key: value`, tables, JSON.
 *
 * Each becomes records: some keys, each with a value.  Mappings, which are rules of a file, say of a record which key names its
 * subject and what the others say of it.
 */
#ifndef MEM_STRUCTURED_INT_H
#define MEM_STRUCTURED_INT_H

#include "belief/extract.h"
#include "conf/conf.h"
#include "record/record.h"

/* What one content may give: a tool's answer of 1 MB must not fill a store. */
#define STRUCTURED_CLAIMS_MAX  256
#define STRUCTURED_RECORDS_MAX 1024
#define STRUCTURED_PAIRS_MAX   64      /* keys of one record; further ones are not looked at */
#define STRUCTURED_VALUE_MAX   200     /* bytes; a longer value is prose */
#define STRUCTURED_KEY_MAX     40

enum structured_form { STRUCTURED_FRONT, STRUCTURED_LIST, STRUCTURED_TABLE, STRUCTURED_JSON, STRUCTURED_FORMS };

/* One rule.  Texts are those of the file. */
struct belief_mapping {
	struct mem_str name, label;     /* NAME@VERSION */
	unsigned forms;                 /* bits of enum structured_form */
	const struct mem_str *has;      /* keys that the record must have */
	size_t nhas;
	const struct mem_str *subject;  /* keys, of JSON paths; the first that is there; "heading": the heading above */
	size_t nsubject;
	const struct mem_str *object;   /* the same */
	size_t nobject;
	struct mem_str predicate;
	struct mem_str subject_type, object_type; /* empty: of the predicate */
	struct mem_str type;            /* memory type; empty: of the predicate */
	bool list;                      /* "a, b" is two objects */
};
/* The form of a mapping in a file of rules, its list's name, and a rule read.  MEM_FAIL: a form that is none, named by line. */
#define BELIEF_MAPPING_LIST "mappings"
extern const struct mem_rule_field belief_mapping_fields[];
extern const size_t belief_mapping_nfields;
enum mem_status belief_mapping_read(struct belief_mapping *out, struct mem_arena *a, const struct mem_rule *rule, struct mem_str version,
    const char *file, struct mem_err *err) MEM_CHECKED;

struct belief_mappings {
	const struct belief_mapping *v;
	size_t n;
};

/* A key and its value.  The key is folded: small letters, `_` for blanks and dashes; of JSON as it is written. */
struct structured_pair {
	struct mem_str key, value;
	struct mem_json json;           /* of JSON, instead of the value */
	size_t start, end;              /* bytes of the content: the line or member */
};
struct structured_record {
	enum structured_form form;
	struct structured_pair pairs[STRUCTURED_PAIRS_MAX];
	size_t n;
	struct mem_str heading;
};

/* The reader of one content. */
struct structured {
	struct mem_claim_list *out;
	const struct mem_belief_rules *rules;
	const struct belief_mappings *mappings;
	const struct mem_extract_source *source;
	struct mem_arena *arena;
	struct structured_record record;
	size_t first;                   /* claims that were in the list before */
	size_t nrecords;
};
/* Room for more? */
bool structured_has_room(const struct structured *s);
/* Applies the mappings to s->record, and empties it. */
void structured_record_end(struct structured *s);
void structured_record_begin(struct structured *s, enum structured_form form);
/* Without these marks at both ends. */
struct mem_str structured_trim(struct mem_str s, const char *marks);
/* Adds a pair; values that are empty or say nothing ("-", "n/a", "none", "null", "unknown") and long ones are left out. */
void structured_pair_add(struct structured *s, struct mem_str key, struct mem_str value, size_t start, size_t end);

/* The form of a predicate's statement, "{s} works at {o}"; n 0: it has none.  And the statement: a detail stands in brackets.  ARENA. */
struct mem_str belief_statement_form(const struct mem_belief_rules *r, struct mem_str predicate);
struct mem_str belief_statement(struct mem_arena *a, struct mem_str form, struct mem_str subject, struct mem_str object, struct mem_str detail);

/* JSON: an object, a list of objects, or lines of them.  False: it is none. */
bool structured_json(struct structured *s, struct mem_str text);

/* Bytes of the content that are structured, for the reader of sentences to leave alone; in order. */
struct structured_range {
	size_t start, end;
};
struct structured_ranges {
	struct structured_range *v;     /* OWNS */
	size_t n, cap;
};
/*
 * Appends the claims of all structured parts of a content, and the places of the parts.  The time is proportional to its length.
 */
void structured_read(struct mem_claim_list *out, struct structured_ranges *taken, const struct mem_belief_rules *rules,
    const struct belief_mappings *mappings, const struct mem_extract_source *source);

#endif
