/* SPDX-License-Identifier: Apache-2.0 */
/* Frequent sequences, the longest first. */
#include "skill/sequences.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/order.h"
#include "base/text_map.h"

/* ---- repeats ----------------------------------------------------------------- */

/* Do the last two blocks of so many steps say the same? */
static bool
ends_with_repeat(const struct mem_step *steps, size_t n, size_t block)
{
	if (n < 2 * block || steps[n - 2 * block].trace != steps[n - 1].trace)
		return false;
	for (size_t i = n - block; i < n; i++)
		if (steps[i].name != steps[i - block].name)
			return false;
	return true;
}

size_t
mem_steps_merge_repeats(struct mem_step *steps, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		steps[kept++] = steps[i];
		for (size_t block = 1; block <= MEM_STEP_BLOCK_MAX; block++)
			if (ends_with_repeat(steps, kept, block)) {
				kept -= block;
				memmove(&steps[kept - block], &steps[kept], block * sizeof *steps);
				block = 0; /* a shorter one may have come about */
			}
	}
	return kept;
}

/* ---- windows of one length --------------------------------------------------- */

/* A window's text: the names of its steps. */
struct step_window {
	size_t first, successes;    /* the first place; how many windows succeeded */
};
struct sequence_search {
	struct mem_sequences *out;
	const struct mem_step *steps;
	size_t n, least;
	bool *taken;                /* steps that belong to a run */
	size_t *next;               /* the next place of the same window; SIZE_MAX: none */
	struct step_window *windows;
	size_t nwindows, cap;
	size_t nruns, runs_cap;
};

static bool
is_free_window(const struct sequence_search *s, size_t at, size_t length)
{
	for (size_t i = at; i < at + length; i++)
		if (s->taken[i])
			return false;
	return true;
}

static bool
window_succeeded(const struct sequence_search *s, size_t at, size_t length)
{
	for (size_t i = at; i < at + length; i++)
		if (!s->steps[i].succeeded)
			return false;
	return true;
}

static void
add_step_window(struct sequence_search *s, struct mem_text_map *map, size_t at, size_t length)
{
	uint32_t names[MEM_SEQUENCE_MAX];
	bool made;
	for (size_t i = 0; i < length; i++)
		names[i] = s->steps[at + i].name;
	const struct mem_text_entry *e = mem_text_map_put(map, (struct mem_str){ (const char *)names, length * sizeof *names }, s->nwindows, &made);
	if (made) {
		s->windows = mem_grow(s->windows, &s->cap, s->nwindows + 1, sizeof *s->windows);
		s->windows[s->nwindows++] = (struct step_window){ .first = SIZE_MAX };
	}
	struct step_window *w = &s->windows[e->value];
	s->next[at] = w->first;
	w->first = at;
	w->successes += window_succeeded(s, at, length);
}

/* From the right, so that the places of a window are linked from the left. */
static void
gather_windows(struct sequence_search *s, size_t length)
{
	struct mem_text_map map = { 0 };
	s->nwindows = 0;
	for (size_t at = s->n - length + 1; at-- > 0;)
		if (s->steps[at].trace == s->steps[at + length - 1].trace && is_free_window(s, at, length))
			add_step_window(s, &map, at, length);
	mem_text_map_release(&map);
}

static int
compare_windows(const void *a, const void *b)
{
	const struct step_window *x = a, *y = b;
	if (x->successes != y->successes)
		return x->successes > y->successes ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* ---- sequences --------------------------------------------------------------- */

/* Its runs, at the end of the list; those that overlap one before, or what another sequence has taken by now, are none. */
static size_t
gather_runs(struct sequence_search *s, const struct step_window *w, size_t length, size_t *successes)
{
	size_t n = 0, end = 0;
	*successes = 0;
	for (size_t at = w->first; at != SIZE_MAX; at = s->next[at]) {
		if (at < end || !is_free_window(s, at, length))
			continue;
		end = at + length;
		s->out->runs = mem_grow(s->out->runs, &s->runs_cap, s->nruns + n + 1, sizeof *s->out->runs);
		s->out->runs[s->nruns + n++] = at;
		*successes += window_succeeded(s, at, length);
	}
	return n;
}

static void
add_sequence(struct sequence_search *s, const struct step_window *w, size_t length)
{
	size_t successes, n = gather_runs(s, w, length, &successes);
	if (successes < s->least)
		return;
	struct mem_sequences *out = s->out;
	out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof *out->v);
	out->v[out->n++] = (struct mem_sequence){ .length = length, .nruns = n, .successes = successes };
	for (size_t i = 0; i < n; i++)
		memset(&s->taken[out->runs[s->nruns + i]], true, length * sizeof *s->taken);
	s->nruns += n;
}

static int
compare_sequences(const void *a, const void *b)
{
	const struct mem_sequence *x = a, *y = b;
	size_t wx = x->successes * x->length, wy = y->successes * y->length;
	if (wx != wy)
		return wx > wy ? -1 : 1;
	return x->runs[0] < y->runs[0] ? -1 : x->runs[0] > y->runs[0];
}

/* The list of runs does not move any more. */
static void
point_at_runs(struct mem_sequences *s)
{
	size_t at = 0;
	for (size_t i = 0; i < s->n; i++) {
		s->v[i].runs = &s->runs[at];
		at += s->v[i].nruns;
	}
}

void
mem_sequences_find(struct mem_sequences *out, const struct mem_step *steps, size_t n, size_t least)
{
	struct sequence_search s = { .out = out, .steps = steps, .n = n, .least = least > 0 ? least : 1 };
	*out = (struct mem_sequences){ 0 };
	s.taken = mem_xcalloc(n + 1, sizeof *s.taken);
	s.next = mem_xcalloc(n + 1, sizeof *s.next);
	for (size_t length = MEM_SEQUENCE_MAX; length >= 2; length--) {
		if (n < length)
			continue;
		gather_windows(&s, length);
		mem_sort(s.windows, s.nwindows, sizeof *s.windows, compare_windows);
		for (size_t i = 0; i < s.nwindows && s.windows[i].successes >= s.least; i++)
			add_sequence(&s, &s.windows[i], length);
	}
	free(s.taken);
	free(s.next);
	free(s.windows);
	point_at_runs(out);
	mem_sort(out->v, out->n, sizeof *out->v, compare_sequences);
}

void
mem_sequences_release(struct mem_sequences *s)
{
	free(s->v);
	free(s->runs);
	*s = (struct mem_sequences){ 0 };
}
