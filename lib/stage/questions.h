/* SPDX-License-Identifier: Apache-2.0 */
/* The questions that hits answer, for the stages that need them: one for all, or by qid. */
#ifndef MEM_QUESTIONS_H
#define MEM_QUESTIONS_H

#include "base/base.h"

struct mem_questions;
/* OWNS.  `query`, which is copied, is the question of each qid that has none of its own; empty: none. */
struct mem_questions *mem_questions_open(struct mem_str query);
void mem_questions_close(struct mem_questions *q); /* NULL is fine */
/* A line of what mem-search --queries reads: {"query":…,"qid"?:…}, other fields do not count; `number` stands in for the qid.
 * MEM_REFUSED: it is no record, or has no query. */
enum mem_status mem_questions_add(struct mem_questions *q, struct mem_str line, uint64_t number, struct mem_err *err);
/* `qid`: JSON, of a string without escapes; empty: that of hits without one.  BORROWS; empty: none is known. */
struct mem_str mem_questions_find(const struct mem_questions *q, struct mem_str qid);
/* The whole line of that qid, with what else it asks; empty: it has none of its own. */
struct mem_str mem_questions_find_line(const struct mem_questions *q, struct mem_str qid);

#endif
