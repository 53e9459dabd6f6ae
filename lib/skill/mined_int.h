/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: what a draft is made of, and its texts. */
#ifndef MEM_MINED_INT_H
#define MEM_MINED_INT_H

#include "skill/mined.h"
#include "text/text.h"

#define MINED_TASKS 50          /* of whose words the topic is made */
#define MINED_QUOTED 5          /* of which a sentence is quoted */
#define MINED_WORDS 3

/* A sequence with what its episodes say.  ARENA, all of it. */
struct mined_sequence {
	const struct mem_traces *traces;
	const struct mem_sequence *sequence;
	struct mem_str steps[MEM_SEQUENCE_MAX];    /* names */
	struct mem_str examples[MEM_SEQUENCE_MAX]; /* arguments of the last run that succeeded; empty: none */
	struct mem_str tasks[MINED_TASKS];         /* first sentences, each once, from the last one back */
	size_t task_times[MINED_TASKS];            /* in how many of the runs looked at */
	size_t ntasks;
	struct mem_str words[MINED_WORDS];
	size_t nwords;
	size_t sessions;
	struct mem_id sources[MEM_SEQUENCE_MAX + MINED_QUOTED]; /* of the examples and of the tasks that are quoted */
	size_t nsources;
};
/* The call of a step in a run; did all of the run succeed? */
const struct mem_trace_event *mined_step_event(const struct mined_sequence *m, size_t run, size_t step);
bool mined_run_succeeded(const struct mined_sequence *m, size_t run);
/* The words that most tasks have. */
void mined_find_words(struct mined_sequence *m, struct mem_analyser *analyser, struct mem_arena *a);
/* The draft but for its namespace and id. */
void mined_write_draft(struct mem_proposal_new *out, const struct mined_sequence *m, struct mem_arena *a);

#endif
