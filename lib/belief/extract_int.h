/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of extraction: a sentence with the marks of its words, the terms of a match, the times beside it.
 */
#ifndef MEM_EXTRACT_INT_H
#define MEM_EXTRACT_INT_H

#include "belief/belief_int.h"
#include "text/dates.h"

/* ---- a sentence and its words (extract_marks.c) -------------------------------- */

struct belief_mark {
	uint32_t first, last;   /* tokens [first, last) */
	enum belief_effect effect;
	struct mem_str type;    /* of BELIEF_KIND */
};
struct belief_match {
	struct belief_rule *rule;
	size_t order;
	size_t start, end;
	struct mem_str groups[BELIEF_GROUPS]; /* p NULL: took no part */
};
/* All offsets are of `text`, which is the sentence. */
struct belief_sentence {
	const struct mem_belief_rules *rules;
	const struct mem_extract_source *source;
	struct mem_str text, language;
	size_t at;              /* of the text in the content, */
	size_t lead;            /* but for so many bytes that a rule put before it */
	size_t start, end;      /* in the content: of the sentence that the text is or is a part of */
	struct belief_token *tokens;
	size_t ntokens;
	struct belief_mark *marks;
	size_t nmarks;
	const struct mem_date_place *dates; /* of the whole content */
	size_t ndates;
	struct mem_claim_list *out;
	bool hedged, told, corrected;
	bool hedged_around, told_around; /* the sentence that it is a part of */
	const struct belief_rule *reader; /* that made this sentence of a clause; NULL: none did */
};
struct belief_work {
	struct mem_matcher *matcher;
	struct mem_analyser *analyser;
	struct belief_token *tokens;
	size_t tokens_cap;
	struct belief_mark *marks;
	size_t marks_cap;
	struct belief_match *matches;
	size_t nmatches, matches_cap;
	uint32_t *candidates;   /* [nrules] */
	size_t ncandidates;
	uint32_t *seen;         /* [nrules]: the number of the sentence that it is a candidate of */
	uint64_t *left;         /* [nrules]: steps that are left for this content */
	uint32_t sentence;
	struct mem_date_place *dates;
	size_t dates_cap;
};
struct belief_work *belief_work_new(const struct mem_belief_rules *r);
void belief_work_free(struct belief_work *w);

/* Are rules and cues of the file for the language that the sentence is read in? */
bool belief_is_of_language(const struct belief_sentence *s, const struct belief_file *f);
/* The words of a sentence, which are the same in each language. */
void belief_tokens_read(struct belief_sentence *s, struct belief_work *w);
/* What the words mark, and which rules they call for: w->candidates, in their order. */
void belief_marks_read(struct belief_sentence *s, struct belief_work *w);
/* The mark of a rule that has an effect on the words in the bytes [start, end), beside those that the words themselves make. */
void belief_mark_add(struct belief_sentence *s, struct belief_work *w, const struct belief_rule *rule, size_t start, size_t end);
bool belief_has_effect(const struct belief_sentence *s, size_t token, enum belief_effect e);
/* The first mark of that effect which begins at this token; NULL: none. */
const struct belief_mark *belief_mark_at(const struct belief_sentence *s, size_t token, enum belief_effect e);
/* Does this word alone, which need not stand in the sentence, have the effect? */
bool belief_word_has_effect(const struct belief_sentence *s, struct mem_str word, enum belief_effect e);
/* The first token that ends behind `at`; ntokens: none. */
size_t belief_token_at(const struct belief_sentence *s, size_t at);
/* The tokens [start, end) of the clauses that the bytes [start, end) lie in. */
struct belief_range {
	size_t start, end;
};
struct belief_range belief_clauses_around(const struct belief_sentence *s, size_t start, size_t end);
bool belief_has_effect_within(const struct belief_sentence *s, struct belief_range tokens, enum belief_effect e);

/* ---- what it claims (extract_sentence.c) ---------------------------------------- */

/* Appends the claims of a sentence in s->language, and of its clauses, to s->out; `s` has all but marks. */
void belief_sentence_read(struct belief_sentence *s, struct belief_work *w);

/* ---- statements (extract_statement.c) ------------------------------------------ */

/* Does the sentence say "I", "you", or whose something is? */
bool belief_names_persons(const struct belief_sentence *s);
/* The statement of a claim that has all else; `object` with its article. */
struct mem_str belief_statement_make(const struct belief_sentence *s, const struct belief_match *m, const struct mem_claim *c,
    struct mem_str object);

/* ---- clauses that are sentences of their own (extract_clause.c) ------------------- */

#define BELIEF_CLAUSES_MAX 10
struct belief_clauses {
	struct belief_sentence v[BELIEF_CLAUSES_MAX]; /* [0] is the sentence */
	size_t n;
};
/* Adds the sentence that a rule with `reads` makes of its match, ARENA, unless it is there. */
void belief_clause_add(struct belief_clauses *all, const struct belief_sentence *s, const struct belief_match *m);

/* ---- terms (extract_term.c) --------------------------------------------------- */

#define BELIEF_OBJECTS_MAX 8
/* Reads the subject of a match; false: it means nobody. */
bool belief_subject_read(const struct belief_sentence *s, const struct belief_match *m, struct mem_claim_term *out);
struct belief_object {
	struct mem_claim_term term;
	struct mem_str detail;
	struct mem_str said;    /* with its article, for the statement */
	size_t end;             /* in the sentence */
};
/* Reads the objects of a match, several of a list; returns how many, 0: none that makes sense. */
size_t belief_objects_read(const struct belief_sentence *s, const struct belief_match *m, struct belief_object *out);
/* The same of a former value. */
struct mem_str belief_former_read(const struct belief_sentence *s, const struct belief_match *m);
/* Is the former value in the vocabularies that the rule wants it in, and in none that it does not? */
bool belief_former_fits(const struct belief_sentence *s, const struct belief_match *m);
/* Of a rule that claims the statement alone: is the object, if the pattern has one, a name that the rule's vocabularies allow? */
bool belief_statement_object_fits(const struct belief_sentence *s, const struct belief_match *m);

/* ---- times (extract_time.c) --------------------------------------------------- */

/* Where the first date in [start, end) begins, its preposition included; end: there is none. */
size_t belief_date_start(const struct belief_sentence *s, size_t start, size_t end);
/* May the word stand before a date: "in", "since", "the"? */
bool belief_leads_date(const struct belief_sentence *s, size_t token);
/* Does a date begin right there? */
bool belief_has_date_at(const struct belief_sentence *s, size_t start);
/* Reads validity and due date from the clauses of the claim at [start, end). */
void belief_times_read(const struct belief_sentence *s, const struct belief_predicate *p, size_t start, size_t end, struct mem_claim *c);
/* The date in [start, end) as YYYY-MM-DD, ARENA; n 0: there is none. */
struct mem_str belief_date_text(const struct belief_sentence *s, bool ahead, size_t start, size_t end);
/* The day of any year in [start, end) as MM-DD, ARENA; n 0: there is none, a month or a weekday alone. */
struct mem_str belief_day_text(const struct belief_sentence *s, size_t start, size_t end);

#endif
