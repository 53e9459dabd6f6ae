/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of sessions: those that are candidates, and the turns around them. */
#ifndef QUERY_AROUND_H
#define QUERY_AROUND_H

#include "query/rank.h"
#include "store/store.h"

/* The turns around: the one before, the one behind, and those next to them. */
enum query_near { QUERY_BEFORE, QUERY_BEHIND, QUERY_BEFORE2, QUERY_BEHIND2, QUERY_NEAR };

struct query_turn {
	uint32_t ord, candidate;   /* its place among the candidates */
	uint32_t root, session;    /* number of its namespace, and attr's of its session; session 0: it stands alone */
	bool looked;               /* it is a centre or around one: what follows is known */
	uint8_t role, flags;       /* as attr has them, and these */
	int64_t captured_at;
	struct mem_day_span days[MEM_ATTR_DAYS];
	bool centre;               /* all turns around it are known; of another one maybe some */
	uint32_t near[QUERY_NEAR]; /* places among the turns; UINT32_MAX: none is known */
};
/* Rising by ord. */
struct query_turns {
	struct query_turn *v;      /* OWNS */
	size_t n;
};
/*
 * The first `count` candidates and the turns around them, as far as the principal sees them and the filter leaves them; others
 * do not count, as if they were not there.  Turns that are no candidates yet are appended to *c, without scores.
 */
enum mem_status query_turns_find(struct query_turns *out, struct mem_question *q, struct mem_candidates *c, size_t count,
    struct mem_err *err) MEM_CHECKED;
/* Takes turns away, and their candidates: drop[i] is of candidate i.  For those around them they are not there. */
void query_turns_drop(struct query_turns *t, struct mem_candidates *c, const bool *drop);
/* Of the turns that came, which are the candidates from place `from` on, only those stay that meet what the query demands of its
 * hits (turn_demands.c). */
enum mem_status query_turns_drop_unwanted(struct query_turns *t, struct mem_question *q, struct mem_candidates *c, size_t from,
    struct mem_err *err) MEM_CHECKED;
void query_turns_release(struct query_turns *t);

#endif
