/* SPDX-License-Identifier: Apache-2.0 */
/* From episodes to traces. */
#include "skill/traces.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* ---- outcomes ----------------------------------------------------------------- */

enum { HEAD_LINES = 6, OPEN_CALLS = 256 };

bool
mem_trace_exit_code(struct mem_str result, int64_t *code)
{
	static const char *const heads[] = { "Exit code: ", "Exit code ", "Process exited with code " };
	for (unsigned line = 0; line < HEAD_LINES && result.n > 0; line++) {
		const char *end = memchr(result.p, '\n', result.n);
		struct mem_str s = { result.p, end != NULL ? (size_t)(end - result.p) : result.n };
		result = end != NULL ? (struct mem_str){ end + 1, result.n - s.n - 1 } : (struct mem_str){ 0 };
		if (mem_str_is(s, "Output:"))
			return false;
		for (size_t i = 0; i < MEM_COUNT(heads); i++) {
			size_t n = strlen(heads[i]);
			if (s.n > n && memcmp(s.p, heads[i], n) == 0)
				return mem_number_parse((struct mem_str){ s.p + n, s.n - n }, INT32_MIN, INT32_MAX, code);
		}
	}
	return false;
}

/* Calls of a session that wait for their results, the last few hundred. */
struct open_calls {
	size_t v[OPEN_CALLS];       /* numbers of events; SIZE_MAX: none */
	size_t n;
};

static void
give_result(struct mem_traces *t, struct open_calls *open, const struct mem_trace_event *result)
{
	size_t have = open->n < OPEN_CALLS ? open->n : OPEN_CALLS;
	for (size_t i = 1; i <= have; i++) {
		size_t *place = &open->v[(open->n - i) % OPEN_CALLS];
		bool agent = *place != SIZE_MAX && (result->agent == MEM_TRACE_EVERY_AGENT || t->events[*place].agent == result->agent);
		if (!agent || t->events[*place].call != result->call)
			continue;
		t->events[*place].outcome = result->outcome;
		*place = SIZE_MAX;
		return;
	}
}

/* ---- order ---------------------------------------------------------------------- */

static int
compare_trace_events(const void *a, const void *b)
{
	const struct mem_trace_event *x = a, *y = b;
	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Steps stand by session and agent, then as their events do, which are in order. */
static int
compare_steps(const void *a, const void *b, void *ctx)
{
	const struct mem_step *x = a, *y = b;
	const struct mem_trace_event *events = ctx, *ex = &events[x->event], *ey = &events[y->event];
	if (ex->session != ey->session)
		return ex->session < ey->session ? -1 : 1;
	if (ex->agent != ey->agent)
		return ex->agent < ey->agent ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* ---- traces --------------------------------------------------------------------- */

/* Of all sessions: which task a call serves, and what came of it. */
static void
follow_sessions(struct mem_traces *t)
{
	struct open_calls open = { .n = 0 };
	uint32_t task = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct mem_trace_event *e = &t->events[i];
		if (i > 0 && e->session != t->events[i - 1].session) {
			task = 0;
			open.n = 0;
		}
		if (e->what == MEM_TRACE_TASK)
			task = (uint32_t)i + 1;
		else if (e->what == MEM_TRACE_RESULT)
			give_result(t, &open, e);
		else {
			e->task = task;
			open.v[open.n++ % OPEN_CALLS] = e->outcome == MEM_TRACE_OPEN ? i : SIZE_MAX;
		}
	}
}

static void
number_traces(struct mem_traces *t)
{
	for (size_t i = 0; i < t->nsteps; i++) {
		const struct mem_trace_event *e = &t->events[t->steps[i].event], *before = i > 0 ? &t->events[t->steps[i - 1].event] : NULL;
		bool same = before != NULL && before->session == e->session && before->agent == e->agent && before->task == e->task;
		t->steps[i].trace = i == 0 ? 0 : t->steps[i - 1].trace + !same;
	}
}

void
mem_traces_build(struct mem_traces *t)
{
	mem_sort(t->events, t->n, sizeof *t->events, compare_trace_events);
	follow_sessions(t);
	t->steps = mem_xcalloc(t->n + 1, sizeof *t->steps);
	t->nsteps = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->events[i].what == MEM_TRACE_CALL)
			t->steps[t->nsteps++] = (struct mem_step){ .name = t->events[i].name, .event = i,
				.succeeded = t->events[i].outcome == MEM_TRACE_SUCCEEDED };
	qsort_r(t->steps, t->nsteps, sizeof *t->steps, compare_steps, t->events);
	number_traces(t);
	t->nsteps = mem_steps_merge_repeats(t->steps, t->nsteps);
}

void
mem_traces_release(struct mem_traces *t)
{
	free(t->events);
	free(t->steps);
	mem_text_map_release(&t->sessions);
	mem_text_map_release(&t->agents);
	mem_text_map_release(&t->names);
	*t = (struct mem_traces){ 0 };
}
