/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces: what agents did with their tools, from the episodes of one namespace that mem-adapt(1) made of transcripts.
 *
 *   a step     an episode of role tool with extra.tool, and extra.tool_part "call" or none; named as tool_step.h has it
 *   a trace    the steps of a session from one message of the user to the next, in order of captured_at; those of a sub-agent
 *              (extra.agent_id) are traces of their own
 *   its task   that message
 *   success    the step's result is there (extra.tool_part "result", the same tool_call_id; without ids the next result) and tells of no
 *              failure: neither is_error, nor an exit_code other than 0, nor an exit code other than 0 in the head of its text.  Of a
 *              result without text a later episode of the session, whoever spoke, has the id in extra.answered.  A step without
 *              extra.tool_part is its own result.  In a session of which skill-record(1) tells a failure and no success, in any
 *              namespace that the caller may read, no step succeeded
 *
 * Episodes without a session, forgotten and expired ones do not count; of many the newest MEM_TRACE_EVENTS_MAX do.  No text is kept but the
 * names of steps and sessions: memory is some 100 bytes for each episode.
 */
#ifndef MEM_TRACES_H
#define MEM_TRACES_H

#include "base/base.h"
#include "base/text_map.h"
#include "skill/sequences.h"
#include "store/store.h"

#define MEM_TRACE_EVENTS_MAX 250000

enum mem_trace_what { MEM_TRACE_TASK, MEM_TRACE_CALL, MEM_TRACE_RESULT };
#define MEM_TRACE_EVERY_AGENT UINT32_MAX /* of a result that an episode of any agent tells of */
enum mem_trace_outcome { MEM_TRACE_OPEN, MEM_TRACE_SUCCEEDED, MEM_TRACE_FAILED };

struct mem_trace_event {
	struct mem_id id;
	int64_t at;                 /* captured_at */
	uint64_t call;              /* hash of tool_call_id; 0: none */
	uint32_t order;             /* of its commit */
	uint32_t session, agent, name; /* numbers in the maps; agent 0: no sub-agent */
	uint32_t task;              /* of a call: 1 + the number of the event that asked for it; 0: nobody did */
	uint8_t what, outcome;      /* enums */
};
/* Zero initialised it is empty. */
struct mem_traces {
	struct mem_trace_event *events; /* OWNS; by session, then by time */
	size_t n, cap;
	struct mem_step *steps;     /* OWNS; without repeats; `event` is a number in events */
	size_t nsteps;
	struct mem_text_map sessions, agents, names;
	bool cut;                   /* there are older episodes that did not count */
};
struct mem_trace_options {
	struct mem_str ns;
	const char *session;        /* NULL: all */
	int64_t since;              /* MEM_TIME_MIN: from the beginning */
};
/* Reads in short snapshots.  To be released also when it fails. */
enum mem_status mem_traces_read(struct mem_traces *out, struct mem_store *s, const struct mem_trace_options *o, struct mem_err *err) MEM_CHECKED;
void mem_traces_release(struct mem_traces *t);

/* ---- parts of it, without a store: traces_build.c -------------------------------- */

/* From the events the steps: sorts them, finds results, names tasks. */
void mem_traces_build(struct mem_traces *t);
/* The exit code in the head of a result ("Exit code: 1", "Process exited with code 1"); false: it has none. */
bool mem_trace_exit_code(struct mem_str result, int64_t *code);

#endif
