/* SPDX-License-Identifier: Apache-2.0 */
/* Hits as candidates (query/rank.h): what a stage reads of `signals`, so that it ranks as a search does. */
#ifndef MEM_STAGE_SIGNALS_INT_H
#define MEM_STAGE_SIGNALS_INT_H

#include "query/rank.h"
#include "stage/hits_int.h"

/*
 * The score and rank of each signal and the score of each step that a record has under `signals`, where these are such
 * numbers; anchor is true where its signal says so.  All else of the candidate stays.  Returns bits: the signals that are
 * there, a score of null included.
 */
unsigned stage_read_signals(struct mem_candidate *c, const struct mem_rec *r);
/* Do its signals have ranks, as --explain shows them? */
bool stage_has_ranks(const struct mem_rec *r);
/* The class that the record names; false: none. */
bool stage_read_class(const struct mem_rec *r, enum mem_class *out);
/* {"score":S}, as a search notes a step. */
void stage_put_step_note(struct mem_buf *out, double score);

#endif
