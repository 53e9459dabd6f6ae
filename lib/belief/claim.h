/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A claim: what one place of a text says, before it is anybody's fact.
 *
 * Persons.  "I", "me", "we" and "us" are the speaker, "you" is the listener, by name; where that name is not known there is
 * no claim.  "My sister Anna" is Anna, "my sister" is "Alice's sister".  He, she, it and they are nobody: their antecedent
 * is not looked for.  Terms stand without articles, without adverbs of time and without marks at their ends.
 */
#ifndef MEM_CLAIM_H
#define MEM_CLAIM_H

#include "base/base.h"

enum mem_claim_term_kind {
	MEM_TERM_NONE,
	MEM_TERM_ENTITY,        /* a thing that has a name or stands for one */
	MEM_TERM_VALUE,
};
struct mem_claim_term {
	enum mem_claim_term_kind kind;
	struct mem_str text;
	struct mem_str type;    /* of an entity: person, place, organisation, project, tool, product, topic, event, thing; of a value: text,
	                         * number, version, date, bool */
};

/* Is it a name that a predicate may have, as names in rules are: 1 to 64 of a-z, 0-9 and _? */
bool mem_claim_predicate_valid(struct mem_str name);
/* Is it a type of values? */
bool mem_claim_is_value_type(struct mem_str type);

/* How a claim came to be known.  Words of records: stated, inferred, tool, imported, unknown. */
enum mem_veracity {
	MEM_VERACITY_STATED,    /* said plainly */
	MEM_VERACITY_INFERRED,  /* hedged, or told by somebody else */
	MEM_VERACITY_TOOL,
	MEM_VERACITY_IMPORTED,
	MEM_VERACITY_UNKNOWN,
	MEM_VERACITY_COUNT
};
extern const char *const mem_veracity_names[MEM_VERACITY_COUNT + 1]; /* in this order, NULL at the end */
const char *mem_veracity_name(enum mem_veracity v);
bool mem_veracity_parse(struct mem_str s, enum mem_veracity *out);
/* How much one more mention of that kind counts, in the order of the enumeration: 1, .7, .5, .6, .8. */
double mem_veracity_weight(enum mem_veracity v);

/* Strings are ARENA of the list, or BORROWED from the text and the rules. */
struct mem_claim {
	struct mem_str statement;        /* the sentence; "I work at Acme" of Alice, and "Alice is back at Acme", as "Alice works at Acme" */
	struct mem_claim_term subject, object; /* subject NONE: the statement alone, and no object */
	struct mem_str predicate;        /* empty: subject is NONE */
	bool negated;                    /* the statement denies the triple */
	bool corrects;                   /* what stood before ends at valid_from, also of predicates that are not functional */
	struct mem_str was;              /* of a correction the former value, if it is named; empty: whatever stood */
	struct mem_str detail;           /* "15" of "uses PostgreSQL 15"; empty: none */
	struct mem_str domain, topic;    /* empty: none */
	struct mem_str type;             /* memory type: fact, preference, decision, … */
	double confidence;               /* (0, 1] */
	enum mem_veracity veracity;
	bool own_confidence, own_veracity; /* by hand: they were said, and not taken for granted */
	int64_t valid_from, valid_to, due; /* ms; MEM_TIME_NONE: not said */
	size_t start, end;               /* bytes of the sentence or line in the content */
	struct mem_str rule;             /* NAME@VERSION */
};

/* Zero initialise, and set `arena`; `v` OWNS until the release. */
struct mem_claim_list {
	struct mem_claim *v;
	size_t n, cap;
	struct mem_arena *arena;
	size_t over_budget;              /* rules that used up their steps: what they would have found is not there */
};
/* A claim at the end of the list, all zero but for its times, which are MEM_TIME_NONE.  BORROWS, until the next. */
struct mem_claim *mem_claim_add(struct mem_claim_list *l);
void mem_claims_reset(struct mem_claim_list *l);        /* n 0; keeps the memory, leaves the arena alone */
void mem_claims_release(struct mem_claim_list *l);

#endif
