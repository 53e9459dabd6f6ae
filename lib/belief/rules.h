/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of belief: the predicates that facts have, and the patterns that find claims in texts.
 *
 * Rules are data: rules_*.yaml, which are built in, then the files of the setting belief.rules, then those of --rules.  A
 * predicate or rule of a later file replaces that of the same name.  mem-config(5), "Rules of belief", describes the form.
 */
#ifndef MEM_RULES_H
#define MEM_RULES_H

#include "base/base.h"
#include "conf/conf.h"

struct mem_belief_rules;

/* A rule or predicate that is left out, "FILE:LINE: rule NAME: why", or one that used up its steps on a text (once for each rule). */
typedef void mem_belief_warn_fn(void *ctx, const char *message);

/* Zero initialised: the built-in rules, nobody is warned. */
struct mem_belief_options {
	const struct mem_conf *conf;     /* NULL: no settings */
	int dirfd;                       /* that the paths of belief.rules are relative to: the store's folder; used only with conf */
	const char *const *files;        /* --rules, relative to the working folder */
	size_t nfiles;
	bool bare;                       /* without the built-in rules; their predicates stay */
	mem_belief_warn_fn *warn;
	void *ctx;
};
/*
 * OWNS.  One broken rule or predicate is told through `warn` and left out, the others work.  MEM_FAIL: a file cannot be
 * read, or is not YAML or no map of rules.  Not to be shared between threads.
 */
enum mem_status mem_belief_rules_load(struct mem_belief_rules **out, const struct mem_belief_options *options,
    struct mem_err *err) MEM_CHECKED;
/* The same of one text instead of all files; what stands in the built-in rules is known, too. */
enum mem_status mem_belief_rules_parse(struct mem_belief_rules **out, const struct mem_belief_options *options, struct mem_str yaml,
    const char *name, struct mem_err *err) MEM_CHECKED;
void mem_belief_rules_free(struct mem_belief_rules *r);

/* ---- predicates ---------------------------------------------------------- */

struct mem_predicate {
	struct mem_str name;
	const struct mem_str *subject_types, *object_types; /* the first is that of a term of unknown type */
	size_t nsubject_types, nobject_types;
	bool object_is_value;            /* not an entity; object_types are then text, number, version, date, day, bool */
	bool functional;                 /* one object at a time: a later one ends the earlier */
	const struct mem_str *exclusive; /* [nexclusive] objects that exclude each other, though others may stand beside them */
	size_t nexclusive;
	struct mem_str opposite;         /* the predicate that ends this one for the same object; empty: none */
	struct mem_str inverse;          /* parent_of of child_of; empty: none */
	bool symmetric;                  /* the same with subject and object exchanged */
	bool additive;                   /* a further object corrects none that stands, nor does another version of it */
	bool detail;                     /* a number at an end of the object is its detail: a version of it */
	struct mem_str memory_type;      /* fact if the file does not say */
	struct mem_str domain;           /* empty: none */
	double confidence;               /* of a plain statement */
};
/* NULL: unknown, to be taken for many-valued, without exclusions.  BORROWS from the rules. */
const struct mem_predicate *mem_predicate_find(const struct mem_belief_rules *r, struct mem_str name);
/* All of them in order of their names; i >= n: NULL. */
const struct mem_predicate *mem_predicate_at(const struct mem_belief_rules *r, size_t i);

#endif
