/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequences of steps that come again and again in traces.
 *
 * A trace is what was done for one task, step by step; a sequence is two to MEM_SEQUENCE_MAX steps that follow each other in a trace
 * without a gap.  Each place where it stands is a run, which succeeded if all its steps did.
 *
 *   repeats     what is repeated at once, a step or a block of two to four, is one in the trace, with the outcome of the last time;
 *               so no sequence is a repetition of a shorter one, and a tool that is called 10,000 times in a row is one step
 *   counting    runs of one sequence do not overlap: from the left, as many as there are
 *   which       the longest first, of equal length the one that succeeded most often, then the one that comes first; a step belongs to
 *               the runs of one sequence alone, so that a shorter one counts only where it is no part of a longer one
 *   order       by successes times length, then by where the first run is
 *
 * Of n steps: time n log n, some 60 bytes for each.
 */
#ifndef MEM_SEQUENCES_H
#define MEM_SEQUENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEM_SEQUENCE_MAX 8
#define MEM_STEP_BLOCK_MAX (MEM_SEQUENCE_MAX / 2)

struct mem_step {
	uint32_t name;              /* a number for each name */
	uint32_t trace;             /* the steps of a trace follow each other */
	bool succeeded;
	size_t event;               /* the caller's own */
};
/* Leaves out what is repeated; returns how many steps are left. */
size_t mem_steps_merge_repeats(struct mem_step *steps, size_t n);

struct mem_sequence {
	size_t length, nruns, successes;
	const size_t *runs;         /* numbers of the steps with which they begin, rising */
};
/* Zero initialised it is empty. */
struct mem_sequences {
	struct mem_sequence *v;     /* OWNS, both */
	size_t n, cap;
	size_t *runs;
};
/* Those with at least `least` successes (0 counts as 1) of steps without repeats. */
void mem_sequences_find(struct mem_sequences *out, const struct mem_step *steps, size_t n, size_t least);
void mem_sequences_release(struct mem_sequences *s);

#endif
