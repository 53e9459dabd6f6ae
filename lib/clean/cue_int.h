/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clean, inside: words that stand close together in orders to a model.
 */
#ifndef MEM_CLEAN_CUE_INT_H
#define MEM_CLEAN_CUE_INT_H

#include "clean/clean_int.h"

/* ---- reading them: rule_read.c --------------------------------------------- */

#define CLEAN_CUES_MAX 64        /* classes */
/*
 * A class of cues: words that orders have more of than other texts, and the classes that no ordinary text has close to it.
 * A word is a literal of the automaton.
 */
struct clean_cue {
	struct mem_str name;
	int weight;              /* hundredths; from cue_weights.tsv */
	struct mem_str *words;   /* "*" at the end: any ending */
	size_t nwords;
	uint64_t with;           /* bits of classes; both ways */
	bool paired_only;        /* it has no weight */
};
/*
 * Classes that tell by standing together, all of them in one sentence and in whatever order, as "send", "passwords" and
 * "https://" do.  The list `together` of cues.yaml; its name is the marker's.
 */
struct clean_together {
	struct clean_rule rule;  /* what stands for it in spans and flags: a name */
	uint64_t classes;        /* bits */
	uint64_t inner;          /* those of them that never come last */
};
/* The file cues.yaml: a map of the lists `cues` and `together`.  All ARENA. */
struct clean_cues {
	struct clean_cue *classes;
	size_t n;
	struct clean_together *together;
	size_t ntogether;
};
enum mem_status clean_cues_read(struct clean_cues *out, struct mem_arena *arena, struct mem_str yaml, const char *name,
    struct mem_err *err) MEM_CHECKED;
/*
 * Their words as rules behind `rules`, to be literals of the same table: two for each class, the first with its whole
 * words, the second with its beginnings of words.  ARENA.
 */
struct clean_rule *clean_cues_append(struct mem_arena *arena, const struct clean_rule *rules, size_t n,
    const struct clean_cue *cues, size_t ncues);

/* ---- looking for them: cue_search.c ----------------------------------------- */

#define CLEAN_CUE_WINDOW 240     /* characters */
#define CLEAN_PAIR_WINDOW 100    /* characters in which two classes stand `with` each other */
#define CLEAN_TOGETHER_WINDOW 180 /* and those that stand together */

/* The literal of an output from set->n on ends at `end`.  Keeps it if it is a word of its own. */
void clean_cue_add(struct mem_clean *c, const struct clean_set *set, const struct clean_output *out, struct mem_str text, size_t end);
/* The parts of the view whose cues reach the threshold or stand with each other, as spans of clean_cue_rule; the cues kept so far are spent. */
void clean_cues_flag(struct mem_clean *c, const struct clean_set *set, const struct mem_view *view);
/* What stands for cues in spans and flags. */
extern const struct clean_rule clean_cue_rule;
/* What stands for markers in a code. */
extern const struct clean_rule clean_encoded_rule;
/* The cue before cue i that stands with it, nearest first; `i`: there is none. */
size_t clean_cues_partner(const struct clean_cue_hit *hits, size_t i, struct mem_str text, const struct clean_cue *cues);
/* The largest sum of weights in a window of `text`, and the classes of it as bits. */
int clean_cues_sum(const struct clean_cue_hit *hits, size_t n, struct mem_str text, const struct clean_cue *cues, uint64_t *classes);

/* Is it the literal of a cue? */
static inline bool
clean_is_cue(const struct clean_set *s, const struct clean_output *o)
{
	return o->rule >= s->n && o->rule < s->n + 2 * s->ncues;
}

#endif
