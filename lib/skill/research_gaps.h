/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: unanswered queries and failures that are like a topic. */
#ifndef MEM_RESEARCH_GAPS_H
#define MEM_RESEARCH_GAPS_H

#include "query/query.h"
#include "skill/research.h"

/* One finding more, of a text alone; research.c. */
void research_text_add(struct mem_research *r, enum mem_research_source s, const struct mem_id *id, struct mem_str text, double similarity);

/*
 * Adds the findings of source gaps, best first.  What was read and embedded is kept in *kept, NULL before, for the next topic of the same
 * searcher.  `vector` of the topic; NULL: by words.
 */
enum mem_status research_gaps_add(struct mem_research *r, struct mem_searcher *m, struct mem_research_gaps **kept, struct mem_str topic,
    const float *vector, struct mem_err *err) MEM_CHECKED;

#endif
