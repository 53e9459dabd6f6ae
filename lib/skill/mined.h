/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proposals from evidence: sequences of tool calls (sequences.h) that succeeded again and again in the transcripts of one namespace
 * (traces.h), each as the draft of a skill.
 *
 *   id         made of the namespace and the steps, so that a sequence is proposed once, whatever became of that proposal
 *   topic      the three words that most of the runs' tasks have, where two tasks have one; else the steps
 *   content    by template: when to use it (sentences of the tasks), the steps with an example each, the runs.  What a transcript says
 *              stands in quotes and fences
 *   mined      {"steps":[…],"runs":N,"successes":N,"success_rate":X,"sessions":N}
 *   evidence   the last MEM_MINED_RUNS_TOLD runs: {"id" of the first call,"source":"transcripts","session","at","steps":[ids],"succeeded"}
 *   edges      derived_from to the calls and tasks that it quotes
 */
#ifndef MEM_MINED_H
#define MEM_MINED_H

#include "base/base.h"
#include "skill/propose.h"
#include "skill/traces.h"
#include "store/store.h"

#define MEM_MINED_RUNS_TOLD 20
#define MEM_MINED_LEAST 3       /* successes, unless asked otherwise */
#define MEM_MINED_DRAFTS 20     /* at once, the same */

struct mem_mined_draft {
	struct mem_proposal_new what;   /* without research */
	bool known;                     /* there is a proposal of it already */
};
/* Zero initialised it is empty; ARENA of its own. */
struct mem_mined {
	struct mem_arena arena;
	struct mem_mined_draft *v;  /* OWNS; the one that succeeded most first (sequences.h) */
	size_t n, cap;
	size_t left_out;            /* new ones over the limit */
	bool cut;                   /* as struct mem_traces */
};
struct mem_mined_options {
	struct mem_trace_options traces;
	size_t least;               /* successes */
	size_t limit;               /* new drafts; 0: all */
};
/* In short snapshots.  To be released also when it fails. */
enum mem_status mem_mine_drafts(struct mem_mined *out, struct mem_store *s, const struct mem_mined_options *o, struct mem_err *err) MEM_CHECKED;
void mem_mined_release(struct mem_mined *m);

#endif
