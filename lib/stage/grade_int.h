/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the stage grade share. */
#ifndef STAGE_GRADE_INT_H
#define STAGE_GRADE_INT_H

#include "query/query.h"
#include "record/record.h"
#include "stage/grade.h"

/* Sets other[i] of the lines of a query's hits that somebody else said (query/rank.h); without a store or a question none. */
enum mem_status grade_find_others(bool *other, const struct mem_grade_options *o, struct mem_str qid, struct mem_str question,
    const struct mem_str *lines, size_t n, struct mem_err *err) MEM_CHECKED;

#endif
