/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of belief as they are read, and the words that say which of them to try.  extract_int.h has the sentences that they are
 * tried on.
 */
#ifndef MEM_BELIEF_INT_H
#define MEM_BELIEF_INT_H

#include "base/text_map.h"
#include "belief/extract.h"
#include "belief/structured_int.h"
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
	BELIEF_GIVEN,           /* the name of a person, who is no place and no organisation: Alice */
	BELIEF_RECURS,          /* before a date that comes again and again, which is no date of the claim: every */
	BELIEF_TITLE,           /* before a person's name, so that a full stop behind it ends no sentence: Dr */
	BELIEF_ASKS_LAST,       /* a sentence that ends with it is a question: right, don't you */
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
	bool due;               /* a date ahead is when it is due */
	bool list;              /* objects may stand in a list */
	struct mem_str says, says_not; /* {s}, {o}, {d}; empty: no such form */
};
struct belief_vocabulary;
struct belief_vocabulary_list {
	struct belief_vocabulary **v;
	size_t n;
};
/* Does a rule read only subjects that are known to be persons, or only others? */
enum belief_subject_is { BELIEF_SUBJECT_ANY, BELIEF_SUBJECT_PERSON, BELIEF_SUBJECT_THING };
struct belief_rule {
	struct mem_str name, label; /* NAME@VERSION */
	const struct belief_file *file;
	unsigned line;
	struct mem_str source, predicate_name;
	const struct belief_predicate *predicate; /* NULL: the statement alone */
	struct mem_str type, subject_type, object_type, object; /* empty: not given */
	struct mem_str reads;   /* instead of a claim: the sentence that a match is read as, "{s} is {o}", which ends with {o}; empty: none */
	enum belief_effect effect; /* instead of a claim: what the match does to its sentence or clause; BELIEF_EFFECTS: none */
	enum belief_subject_is subject_is;
	struct belief_limit *limit; /* of its objects; NULL: none */
	struct belief_vocabulary_list in[BELIEF_GROUPS], not_in[BELIEF_GROUPS]; /* in one of which a group must be, and in none of which; n 0: no matter */
	double confidence;      /* 0: that of the predicate */
	enum mem_veracity veracity; /* COUNT: not given */
	bool negated, corrects, caseless, also, off, single;
	bool ahead;             /* a date without a year, which is the object, is the next one */
	const struct mem_str *words, *until;
	size_t nwords, nuntil;
	struct mem_pattern *pattern; /* OWNS; NULL: not compiled yet */
	bool broken;            /* it does not compile, and that was told */
	bool told;              /* that it used up its steps */
	int groups[BELIEF_GROUPS]; /* numbers; 0: the pattern has no such group */
};
/* What the objects of a predicate are in texts of the file's language: patterns that they have to match, and must not. */
struct belief_limit {
	struct mem_str predicate;
	const struct belief_file *file;
	unsigned line;
	struct mem_str is, is_not;  /* empty: not given */
	struct belief_vocabulary_list in, not_in; /* one of `in` does instead of `is` */
	struct mem_pattern *is_pattern, *is_not_pattern; /* OWNS; NULL: not compiled yet */
	bool broken;            /* one does not compile, and that was told */
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
	struct belief_limit *limits;
	size_t nlimits, limits_cap;
	struct belief_vocabulary **vocabularies; /* ARENA each */
	size_t nvocabularies, vocabularies_cap;
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

/* ---- vocabularies (rule_vocabulary.c) ------------------------------------------ */

#define BELIEF_VOCABULARY_LIST "vocabularies"
extern const struct mem_rule_field belief_vocabulary_fields[];
extern const size_t belief_vocabulary_nfields;
/* What an entry stands for: a whole name, its first or last word, the end of its last word; the fields of the list in their order. */
struct belief_vocabulary_entry {
	struct mem_str text;
	int kind;
};
struct belief_vocabulary {
	struct mem_str name;
	struct mem_str type;    /* of the entities that its names mean; empty: not given */
	struct belief_vocabulary_entry *entries; /* OWNS; of all files */
	size_t nentries, entries_cap;
	struct mem_text_map table; /* of folded entries, once `ready` */
	bool ready;
};
/* Adds what an item of the list has to the vocabulary of its name; MEM_FAIL: it has nothing, with file, line and name in err. */
enum mem_status belief_vocabulary_read(struct mem_belief_rules *r, const struct mem_rule *item, const struct belief_file *file,
    struct mem_err *err) MEM_CHECKED;
void belief_vocabulary_release(struct belief_vocabulary *v);
/* The vocabularies that a value of the item names, ARENA; MEM_FAIL: there is none of a name, with file, line and name in err. */
enum mem_status belief_vocabularies_find(struct mem_belief_rules *r, const struct mem_rule *item, const struct mem_rule_value *value,
    const struct belief_file *file, struct belief_vocabulary_list *out, struct mem_err *err) MEM_CHECKED;
/* The type that a vocabulary gives the term: the first of the n `wanted` ones, or of the vocabularies; n 0: none has it. */
struct mem_str belief_vocabulary_type(const struct mem_belief_rules *r, struct mem_str term, const struct mem_str *wanted, size_t n);
/* Is the term, without its article, in one of them?  Case, accents, hyphens and full stops make no difference. */
bool belief_vocabularies_have(const struct belief_vocabulary_list *l, struct mem_str term);

/* ---- what objects are (rule_limits.c) ------------------------------------------ */

#define BELIEF_LIMIT_LIST "objects"
extern const struct mem_rule_field belief_limit_fields[];
extern const size_t belief_limit_nfields;
/* Adds the limit that an item of the list says; MEM_FAIL: it says none, with file, line and name in err. */
enum mem_status belief_limit_read(struct mem_belief_rules *r, const struct mem_rule *item, const struct belief_file *file,
    struct mem_err *err) MEM_CHECKED;
/* The limit of a rule's objects, once all files are read; NULL: there is none. */
struct belief_limit *belief_limit_of(const struct mem_belief_rules *r, const struct belief_rule *rule);
/* Is the text an object that the limit leaves?  What takes too many steps is none. */
bool belief_limit_allows(const struct mem_belief_rules *r, struct belief_limit *limit, struct mem_matcher *m, struct mem_str object);
void belief_limit_release(struct belief_limit *limit);

#endif
