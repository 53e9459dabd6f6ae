/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of extraction: rules as they are read, the words that say which of them to try, a sentence with what stands in it.
 */
#ifndef MEM_BELIEF_INT_H
#define MEM_BELIEF_INT_H

#include "belief/extract.h"
#include "belief/structured_int.h"
#include "text/dates.h"
#include "text/pattern.h"

/* ---- rules (rules_read.c) ------------------------------------------------- */

/* Named groups of patterns. */
enum belief_group {
	BELIEF_SUBJECT, BELIEF_OBJECT, BELIEF_DETAIL, BELIEF_WAS, BELIEF_NOT,
	BELIEF_SAME,            /* "and" in the place of a subject: it is that of the words before */
	BELIEF_GROUPS
};
/* What a cue says of the sentence, the clause or the term that it stands in. */
enum belief_effect {
	BELIEF_NOTHING,         /* the sentence gives nothing: if, imagine */
	BELIEF_ASKS,            /* the same of a sentence that begins with it: do you, please */
	BELIEF_UNREAL,          /* the clause gives nothing: would, wish */
	BELIEF_NEGATES,         /* the clause gives nothing but what a rule reads as negated: not, never */
	BELIEF_HEDGES,          /* less certain: I think, maybe */
	BELIEF_TELLS,           /* told by somebody else: said that, according to */
	BELIEF_STOPS,           /* a denial ends what stood: no longer, anymore */
	BELIEF_CORRECTS,        /* a sentence that begins with it: actually, correction */
	BELIEF_FUTURE,          /* dates in the clause lie ahead: will, going to */
	BELIEF_BREAKS,          /* a clause begins: and, but */
	BELIEF_ENDS,            /* a term ends before it: because, which */
	BELIEF_JOINS,           /* between the last two of a list: and, or */
	BELIEF_TRIMS,           /* no part of a term at its end: too, lately */
	BELIEF_LEADS,           /* no part of a term at its beginning: a, the, some */
	BELIEF_NOBODY,          /* a term that begins with it means nothing by itself: this, she, because */
	BELIEF_SPEAKER, BELIEF_LISTENER, BELIEF_SPEAKER_OWNS, BELIEF_LISTENER_OWNS,
	BELIEF_KIN,             /* a person by his relation: sister, boss */
	BELIEF_SINCE, BELIEF_UNTIL, BELIEF_BY, BELIEF_AT, /* before a date */
	BELIEF_PLAIN,           /* nothing, though a shorter cue begins it: can't wait */
	BELIEF_KIND,            /* a term that ends with it is of the cue's type: team, city */
	BELIEF_EFFECTS
};

struct belief_file {
	struct mem_str name;    /* for messages; NUL-terminated */
	struct mem_str version, language; /* language empty: any */
	struct mem_str leader;  /* a pattern whose subject is that of a sentence */
	struct mem_pattern *leader_pattern; /* OWNS; NULL: not compiled yet, or none */
	int leader_group;
	bool builtin;
};
struct belief_predicate {
	struct mem_predicate shown;
	bool additive;          /* a further object corrects none that stands */
	bool due;               /* a date ahead is when it is due */
	bool detail;            /* a number at an end of the object is its detail */
	bool list;              /* objects may stand in a list */
	struct mem_str says, says_not; /* {s}, {o}, {d}; empty: no such form */
};
struct belief_rule {
	struct mem_str name, label; /* NAME@VERSION */
	const struct belief_file *file;
	unsigned line;
	struct mem_str source, predicate_name;
	const struct belief_predicate *predicate; /* NULL: the statement alone */
	struct mem_str type, subject_type, object_type, object; /* empty: not given */
	double confidence;      /* 0: that of the predicate */
	enum mem_veracity veracity; /* COUNT: not given */
	bool negated, corrects, caseless, also, off, single;
	const struct mem_str *words, *until;
	size_t nwords, nuntil;
	struct mem_pattern *pattern; /* OWNS; NULL: not compiled yet */
	bool broken;            /* it does not compile, and that was told */
	bool told;              /* that it used up its steps */
	int groups[BELIEF_GROUPS]; /* numbers; 0: the pattern has no such group */
};
struct belief_cue {
	struct mem_str name, type;
	enum belief_effect effect;
	const struct mem_str *words;
	size_t nwords;
	const struct belief_file *file;
};

/* ---- words (rule_words.c) --------------------------------------------------- */

/* A word of a text: letters, digits and bytes over 0x7f, with apostrophes between them. */
struct belief_token {
	uint32_t start, end;
	uint32_t word;          /* 0: in no rule */
};
/* Some words that belong to a rule or a cue. */
struct belief_phrase {
	const uint32_t *words;
	uint32_t n;
	bool of_rule;
	uint32_t owner;         /* place among rules or cues */
};
struct belief_words {
	struct mem_str *v;      /* from 1 */
	size_t n, cap;
	uint32_t *slots;        /* open addressing, a power of two; 0: free */
	size_t nslots;
	struct belief_phrase *phrases; /* by their first word */
	size_t nphrases, phrases_cap;
	uint32_t *first;        /* [n + 2]: phrases whose first word is this one */
};
/* Small letters (ASCII), ’ as ', at most BELIEF_WORD_MAX bytes. */
#define BELIEF_WORD_MAX 48
uint32_t belief_word_find(const struct belief_words *w, struct mem_str raw);
uint32_t belief_word_add(struct belief_words *w, struct mem_arena *a, struct mem_str raw);
void belief_phrase_add(struct belief_words *w, struct mem_arena *a, struct mem_str text, bool of_rule, uint32_t owner);
/* After the last phrase. */
void belief_words_index(struct belief_words *w);
void belief_words_release(struct belief_words *w);
/* The first word at or behind `at`, before `end`; false: there is none. */
bool belief_token_next(struct mem_str text, size_t at, size_t end, struct belief_token *out);

/* ---- a set of rules (rules.c) ------------------------------------------------ */

struct belief_work;
struct mem_belief_rules {
	struct mem_arena arena;
	struct belief_file **files;
	size_t nfiles, files_cap;
	struct belief_predicate *predicates; /* by name, once all are read */
	size_t npredicates, predicates_cap;
	struct belief_rule *rules;
	size_t nrules, rules_cap;
	struct belief_cue *cues;
	size_t ncues, cues_cap;
	struct belief_mapping *mappings;
	size_t nmappings, mappings_cap;
	struct belief_words words;
	mem_belief_warn_fn *warn;
	void *ctx;
	struct belief_work *work; /* OWNS: what extraction reuses from text to text */
};
/* Adds the rules of one file; bare: its predicates alone. */
enum mem_status belief_rules_read(struct mem_belief_rules *r, struct mem_str yaml, const char *name, bool builtin, bool bare,
    struct mem_err *err) MEM_CHECKED;
void belief_warn(const struct mem_belief_rules *r, const char *message);
void belief_warn_of_rule(const struct mem_belief_rules *r, const struct belief_rule *rule, const char *why);
/* False: it does not compile, which was told. */
bool belief_rule_compile(const struct mem_belief_rules *r, struct belief_rule *rule);

/* ---- a sentence (extract_sentence.c) ----------------------------------------- */

struct belief_mark {
	uint32_t first, last;   /* tokens [first, last) */
	enum belief_effect effect;
	uint32_t cue;
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
	size_t at;              /* of the sentence in the content */
	struct belief_token *tokens;
	size_t ntokens;
	struct belief_mark *marks;
	size_t nmarks;
	const struct mem_date_place *dates; /* of the whole content */
	size_t ndates;
	struct mem_claim_list *out;
	bool hedged, told, corrected;
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

/* The words of a sentence, which are the same in each language. */
void belief_tokens_read(struct belief_sentence *s, struct belief_work *w);
/* Appends the claims of a sentence in s->language to s->out; `s` has all but marks. */
void belief_sentence_read(struct belief_sentence *s, struct belief_work *w);
bool belief_has_effect(const struct belief_sentence *s, size_t token, enum belief_effect e);
/* The first mark of that effect which begins at this token; NULL: none. */
const struct belief_mark *belief_mark_at(const struct belief_sentence *s, size_t token, enum belief_effect e);
/* The first token that ends behind `at`; ntokens: none. */
size_t belief_token_at(const struct belief_sentence *s, size_t at);
/* The tokens [start, end) of the clauses that the bytes [start, end) lie in. */
struct belief_range {
	size_t start, end;
};
struct belief_range belief_clauses_around(const struct belief_sentence *s, size_t start, size_t end);
bool belief_has_effect_within(const struct belief_sentence *s, struct belief_range tokens, enum belief_effect e);

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

/* ---- times (extract_time.c) --------------------------------------------------- */

/* Where the first date in [start, end) begins, its preposition included; end: there is none. */
size_t belief_date_start(const struct belief_sentence *s, size_t start, size_t end);
/* Reads validity and due date from the clauses of the claim at [start, end). */
void belief_times_read(const struct belief_sentence *s, const struct belief_predicate *p, size_t start, size_t end, struct mem_claim *c);
/* The date in [start, end) as YYYY-MM-DD, ARENA; n 0: there is none. */
struct mem_str belief_date_text(const struct belief_sentence *s, bool ahead, size_t start, size_t end);

#endif
