/* SPDX-License-Identifier: Apache-2.0 */
/* How well the word pieces of a question meet those of turns. */
#ifndef QUERY_TURN_PIECES_H
#define QUERY_TURN_PIECES_H

#include "query/around.h"

/* Agreements by turn, from -1 to 1; NAN: it has no codes of pieces. */
struct query_turn_pieces {
	double *turn, *window;   /* OWNS; [turns]: of the turn, of it and those around it; both NULL: no turn has codes */
};
/* Of the turns that are looked at.  The question's words are weighed. */
enum mem_status query_turn_pieces_match(struct query_turn_pieces *out, const struct mem_question *q, const struct query_turns *turns,
    struct mem_err *err) MEM_CHECKED;
void query_turn_pieces_release(struct query_turn_pieces *p);

#endif
