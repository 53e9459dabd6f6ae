/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the parts of a search for what would make skills better. */
#ifndef MEM_EVOLVE_INT_H
#define MEM_EVOLVE_INT_H

#include "record/record.h"
#include "skill/evolve.h"
#include "skill/skill.h"

/* A live skill.  Texts are in the arena of the suggestions. */
struct evolve_skill {
	uint32_t ord;
	struct mem_id id;
	struct mem_str name, category, release;
	bool wanted;                /* suggestions are made about it */
	int64_t outcomes;
	double good;                /* successes, and half of the partial ones */
	struct mem_str *tools;      /* that it allows, without what stands in brackets behind them */
	size_t ntools;
};
struct evolve_search {
	struct mem_store *store;
	const struct mem_evolve_options *o;
	struct mem_evolve_list *out;
	struct evolve_skill *v;     /* OWNS; in the order of commits */
	size_t n, cap;
};

/* ---- suggestions: evolve_put.c ---------------------------------------- */

bool evolve_is_wanted(const struct evolve_search *e, size_t skill, enum mem_evolve_kind kind);
/* `numbers`: members of the record, with commas between them. */
void evolve_suggest(struct evolve_search *e, size_t skill, enum mem_evolve_kind kind, struct mem_str numbers, const char *why, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- one skill: evolve_read.c ------------------------------------------- */

/* Adds it, and what its own text suggests. */
void evolve_take_skill(struct evolve_search *e, const struct mem_skill *skill);

/* ---- how it went: evolve_rates.c, evolve_sessions.c --------------------- */

void evolve_compare_rates(struct evolve_search *e);
enum mem_status evolve_compare_releases(struct evolve_search *e, struct mem_err *err) MEM_CHECKED;
enum mem_status evolve_look_at_sessions(struct evolve_search *e, struct mem_err *err) MEM_CHECKED;

#endif
