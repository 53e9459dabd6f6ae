/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the parts of a search for gaps. */
#ifndef MEM_GAPS_INT_H
#define MEM_GAPS_INT_H

#include "embed/embed.h"
#include "skill/gaps.h"

/* ---- what may be a gap: gaps_gather.c -------------------------------- */

struct gap_items {
	struct mem_gap_member *v;   /* OWNS */
	size_t n, cap;
};
void gap_items_add(struct gap_items *items, const struct mem_gap_member *item);
/* Keeps the last `max`, by id.  Returns how many went. */
size_t gap_items_keep_last(struct gap_items *items, size_t max);

/* Texts are in the arena. */
struct gap_evidence {
	struct gap_items needs;     /* queries and failures */
	struct gap_items learnings; /* whose importance is enough, whatever skills there are; by id */
	uint64_t hashed, left_out;
	struct mem_arena *arena;
};
struct gap_evidence_options {
	int64_t since;
	uint64_t last;              /* queries and failures of the last so many records alone; 0: all, and learnings */
};
enum mem_status gap_evidence_gather(struct gap_evidence *out, struct mem_store *s, const struct gap_evidence_options *o,
    struct mem_err *err) MEM_CHECKED;
void gap_evidence_release(struct gap_evidence *e);

/* ---- stars: gaps_star.c ----------------------------------------------- */

struct gap_stars {
	size_t n, words;            /* items, and 64 bits each of a row */
	uint64_t *near;             /* OWNS; [n][words]: a bit for each item that is near */
	uint64_t *left;             /* OWNS; [words]: items in no star yet */
	int64_t *weights;           /* OWNS; of each item */
	int64_t *stars;             /* OWNS; the weight of the star around it */
	size_t *list;               /* OWNS; [n]: room for what is near one */
};
void gap_stars_begin(struct gap_stars *s, size_t n);
void gap_stars_release(struct gap_stars *s);
/* Two different items are near. */
void gap_stars_join(struct gap_stars *s, size_t i, size_t j);
/* Once all are joined, whose weights are set. */
void gap_stars_weigh(struct gap_stars *s);
/* The heaviest star of what is left, of equal ones that of the first item: its items, the centre first; they are left no more.
 * 0: none has a weight of `least`.  members holds n. */
size_t gap_stars_next(struct gap_stars *s, int64_t least, size_t *members);

/* ---- how near: gaps_near.c -------------------------------------------- */

struct gap_skill {
	uint32_t ord;
	struct mem_id id;
	struct mem_str name, text;  /* text: "name: description" */
};
/* Skills and items, to be compared by meaning (vectors centred) or by words. */
struct gap_space {
	struct mem_store *store;
	struct gap_skill *skills;   /* in the order of their commits */
	size_t nskills, skills_cap;
	struct mem_query_encoder *encoder; /* BORROWED */
	bool by_words;
	uint32_t dims;
	float *skill_rows, *item_rows;
	struct mem_arena *arena;
};
enum mem_status gap_space_open(struct gap_space *sp, struct mem_err *err) MEM_CHECKED; /* the skills */
void gap_space_release(struct gap_space *sp);
/* Leaves those that no skill is near enough to. */
enum mem_status gap_space_drop_learned(struct gap_space *sp, struct gap_items *learnings, struct mem_err *err) MEM_CHECKED;
/* A snapshot whose vectors are of the model that the space has. */
enum mem_status gap_space_begin_rows(struct mem_txn **t, const struct gap_space *sp, struct mem_vectors_model *m, struct mem_err *err) MEM_CHECKED;
/* What the functions below compare. */
enum mem_status gap_space_read_items(struct gap_space *sp, const struct gap_items *items, struct mem_err *err) MEM_CHECKED;
void gap_space_join(const struct gap_space *sp, const struct gap_items *items, struct gap_stars *stars);
double gap_space_near(const struct gap_space *sp, const struct gap_items *items, size_t i, size_t j);
/* The skill nearest to an item, of equal ones the first; SIZE_MAX: none is like it. */
size_t gap_space_best_skill(const struct gap_space *sp, const struct gap_items *items, size_t i, double *near);

/* ---- words: gaps_label.c ---------------------------------------------- */

enum mem_status gap_label(struct mem_gap *gap, struct mem_arena *a, struct mem_err *err) MEM_CHECKED;

#endif
