/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipeline: the stages of a search, one behind the other in one process.
 *
 * The first are the steps of the room query (rank.h), which work on arrays of candidates; what they leave runs as lines
 * through those of MEM_SEARCH_STAGE_TABLE that are named.  Each has the options that settings named after it hold
 * (rerank.lambda), and gives what its command gives in a pipe.
 */
#ifndef MEM_PIPELINE_H
#define MEM_PIPELINE_H

#include "query/query.h"
#include "stage/stage.h"

#define MEM_PIPELINE_MAX 16

struct mem_pipeline {
	bool unranked;            /* "none": all candidates as they were found */
	unsigned steps;           /* bits 1 << enum mem_rank_step */
	const struct mem_stage *stages[MEM_PIPELINE_MAX]; /* in the order in which they were named */
	size_t nstages;
};
/*
 * "none", or names with commas between them: steps in the order of their table, then stages in any.  MEM_USAGE: a name
 * is unknown or comes twice, or a stage stands before a step; err lists the names there are.
 */
enum mem_status mem_pipeline_parse(struct mem_pipeline *out, struct mem_str list, struct mem_err *err) MEM_CHECKED;

/*
 * Runs a question's hits, all of them, through the stages, and appends what the last one leaves, each with '\n': at
 * most `limit` hits (0: all), then the end record `end` (empty: none) with their number.  *count: how many hits.
 */
enum mem_status mem_pipeline_run(const struct mem_pipeline *p, const struct mem_stage_search *with, struct mem_hits *hits,
    struct mem_str end, size_t limit, struct mem_buf *out, size_t *count, struct mem_err *err) MEM_CHECKED;

#endif
