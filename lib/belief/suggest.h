/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entities that may be one, to be merged by a person.
 *
 * Pairs are looked for where names have a word in common, stand beside each other in the order of letters, or are near by
 * their vectors; of a word that many names have only neighbours are compared, so that the time grows with the number of
 * entities.  Each pair lies in one namespace, and in one type unless one has none.  Evidence, from 0 to 1:
 *
 *   name       written likeness, or, of a short name, the share of the longer one's words; 0 where numbers differ
 *   alias      1: a name of the one is an alias of the other
 *   vector     similarity (vectors.h); not known without vectors
 *   neighbour  of all nodes beside either, those beside both; not known where one has none
 *
 * A pair is suggested by an alias, a name of MEM_SUGGEST_NAME, a vector of MEM_SUGGEST_VECTOR with a name of
 * MEM_SUGGEST_NAME_WITH, or a short name with common neighbours.  The score is the mean of what is known: the better of name and
 * alias weighs .5, vector .3, neighbour .2.
 */
#ifndef MEM_SUGGEST_H
#define MEM_SUGGEST_H

#include "base/base.h"
#include "store/store.h"
#include "write/write.h"

#define MEM_SUGGEST_NAME      .7
#define MEM_SUGGEST_VECTOR    .88
#define MEM_SUGGEST_NAME_WITH .3

struct mem_suggest_options {
	const char *const *ns;       /* only in these; nns 0: all that the principal may write to */
	size_t nns;
	double least;                /* score */
	size_t limit;                /* the best; 0: all */
};
struct mem_suggested_end {
	struct mem_id id;
	struct mem_str name, type;   /* BORROWED from the list */
	int64_t mentions;
};
struct mem_suggestion {
	struct mem_suggested_end keep, other; /* the one with more mentions is kept, of equal ones the older */
	struct mem_str ns;
	double name, alias, vector, neighbour; /* NAN: not known */
	double score;
};
/* Best first, ties by id; pairs that a reviewer has rejected are not among them. */
struct mem_suggestions {
	struct mem_suggestion *v;    /* OWNS */
	size_t n;
	struct mem_arena arena;
};
enum mem_status mem_suggest(struct mem_suggestions *out, struct mem_store *s, const struct mem_suggest_options *o,
    struct mem_err *err) MEM_CHECKED;
void mem_suggestions_release(struct mem_suggestions *l);

/* Appends it as a record, without a newline. */
void mem_suggestion_put(struct mem_buf *out, const struct mem_suggestion *s);
/* Queues the question whether the two are one; asked before it is a duplicate (write/review.h). */
enum mem_status mem_suggestion_ask(struct mem_writer *w, const struct mem_write_input *in, const struct mem_suggestion *s,
    struct mem_err *err) MEM_CHECKED;

#endif
