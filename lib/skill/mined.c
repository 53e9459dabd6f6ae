/* SPDX-License-Identifier: Apache-2.0 */
/* From traces to drafts: the sequences, which of them are known, what their episodes say. */
#include "skill/mined.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "record/record.h"
#include "skill/mined_int.h"
#include "skill/sequences.h"
#include "skill/tool_step.h"
#include "store/node.h"
#include "text/passages.h"
#include "write/write.h"

enum { EXAMPLE_MAX = 300, SENTENCE_MAX = 300 }; /* bytes */

struct miner {
	struct mem_mined *out;
	struct mem_store *store;
	struct mem_traces traces;
	struct mem_analyser *analyser;
	struct mem_arena room;      /* of one episode */
	struct mem_str ns;
};

/* ---- what episodes say ------------------------------------------------------------ */

/* In one line, cut at a character; what was cut is marked. */
static struct mem_str
make_one_line(struct mem_arena *a, struct mem_str s, size_t max)
{
	const bool cut = s.n > max;
	char *text = mem_arena_printf(a, "%.*s%s", (int)mem_utf8_cut(s, max), s.p, cut ? " …" : "");
	for (char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	return mem_str_trim(mem_str(text));
}

static bool
is_flagged(struct mem_str node)
{
	return mem_json_member(mem_json_object(node), "injection_flags").type == MEM_JSON_ARRAY;
}

/* Its record; absent: it was forgotten or erased since, or an order was found in it, which no draft repeats.  BORROWS the snapshot. */
static enum mem_status
read_quotable_episode(struct mem_txn *t, const struct mem_id *id, struct mem_json *out, struct mem_err *err)
{
	struct mem_node node;
	*out = (struct mem_json){ 0 };
	enum mem_status st = mem_node_by_id(t, id, &node, err);
	if (st == MEM_OK && mem_attr_live(node.attr, mem_txn_now(t)) && !is_flagged(node.json))
		*out = mem_json_object(node.json);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static struct mem_str
find_first_sentence(struct mem_str text)
{
	struct mem_sentences all = { .text = text };
	struct mem_sentence s;
	return mem_sentences_next(&all, &s) ? (struct mem_str){ text.p + s.span.start, s.span.end - s.span.start } : (struct mem_str){ 0 };
}

/* ---- a sequence -------------------------------------------------------------------- */

const struct mem_trace_event *
mined_step_event(const struct mined_sequence *m, size_t run, size_t step)
{
	return &m->traces->events[m->traces->steps[m->sequence->runs[run] + step].event];
}

bool
mined_run_succeeded(const struct mined_sequence *m, size_t run)
{
	bool all = true;
	for (size_t i = 0; i < m->sequence->length; i++)
		all &= m->traces->steps[m->sequence->runs[run] + i].succeeded;
	return all;
}

/* Of the last run that succeeded. */
static enum mem_status
read_examples(struct miner *mi, struct mem_txn *t, struct mined_sequence *m, struct mem_err *err)
{
	size_t run = m->sequence->nruns;
	enum mem_status st = MEM_OK;
	while (run-- > 0 && !mined_run_succeeded(m, run))
		;
	for (size_t i = 0; i < m->sequence->length && st == MEM_OK; i++) {
		const struct mem_trace_event *e = mined_step_event(m, run, i);
		struct mem_json episode;
		mem_arena_reset(&mi->room);
		st = read_quotable_episode(t, &e->id, &episode, err);
		struct mem_str tool = mem_json_text(&mi->room, mem_json_member(mem_json_member(episode, "extra"), "tool"));
		struct mem_str arguments = mem_tool_arguments(tool, mem_json_text(&mi->room, mem_json_member(episode, "content")));
		if (st != MEM_OK || arguments.n == 0)
			continue;
		m->examples[i] = make_one_line(&mi->out->arena, arguments, EXAMPLE_MAX);
		m->sources[m->nsources++] = e->id;
	}
	return st;
}

/* Counts one that was seen before. */
static bool
is_known_task(struct mined_sequence *m, struct mem_str sentence)
{
	for (size_t i = 0; i < m->ntasks; i++)
		if (mem_str_eq(m->tasks[i], sentence)) {
			m->task_times[i]++;
			return true;
		}
	return false;
}

/* Of the runs that succeeded, from the last one back. */
static enum mem_status
read_tasks(struct miner *mi, struct mem_txn *t, struct mined_sequence *m, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	uint32_t before = 0;
	for (size_t run = m->sequence->nruns, seen = 0; run-- > 0 && seen < MINED_TASKS && st == MEM_OK;) {
		const struct mem_trace_event *e = mined_step_event(m, run, 0);
		struct mem_json episode;
		if (e->task == 0 || e->task == before || !mined_run_succeeded(m, run))
			continue;
		before = e->task;
		seen++;
		mem_arena_reset(&mi->room);
		st = read_quotable_episode(t, &m->traces->events[e->task - 1].id, &episode, err);
		struct mem_str text = mem_json_text(&mi->room, mem_json_member(episode, "content"));
		struct mem_str sentence = make_one_line(&mi->out->arena, find_first_sentence(text), SENTENCE_MAX);
		if (st != MEM_OK || sentence.n == 0 || is_known_task(m, sentence))
			continue;
		if (m->ntasks < MINED_QUOTED)
			m->sources[m->nsources++] = m->traces->events[e->task - 1].id;
		m->task_times[m->ntasks] = 1;
		m->tasks[m->ntasks++] = sentence;
	}
	return st;
}

static size_t
count_run_sessions(const struct mined_sequence *m)
{
	uint32_t *v = mem_xcalloc(m->sequence->nruns + 1, sizeof *v);
	for (size_t i = 0; i < m->sequence->nruns; i++)
		v[i] = mined_step_event(m, i, 0)->session;
	size_t n = mem_numbers_sort_unique(v, m->sequence->nruns);
	free(v);
	return n;
}

/* ---- drafts -------------------------------------------------------------------------- */

static void
name_steps(struct mined_sequence *m)
{
	for (size_t i = 0; i < m->sequence->length; i++)
		m->steps[i] = m->traces->names.entries[m->traces->steps[m->sequence->runs[0] + i].name].text;
}

/* Its steps, each behind its length, so that no other sequence has the same text. */
static struct mem_str
make_sequence_identity(struct mem_arena *a, const struct mined_sequence *m)
{
	struct mem_buf b = { 0 };
	mem_buf_puts(&b, "mined sequence");
	for (size_t i = 0; i < m->sequence->length; i++) {
		mem_buf_printf(&b, "\n%zu ", m->steps[i].n);
		mem_buf_str(&b, m->steps[i]);
	}
	struct mem_str s = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

static enum mem_status
draft_sequence(struct miner *mi, struct mem_txn *t, struct mined_sequence *m, struct mem_proposal_new *what, struct mem_err *err)
{
	enum mem_status st = read_examples(mi, t, m, err);
	if (st == MEM_OK)
		st = read_tasks(mi, t, m, err);
	if (st != MEM_OK)
		return st;
	m->sessions = count_run_sessions(m);
	mined_find_words(m, mi->analyser, &mi->out->arena);
	mined_write_draft(what, m, &mi->out->arena);
	return MEM_OK;
}

static enum mem_status
add_mined_sequence(struct miner *mi, const struct mem_sequence *sequence, size_t limit, size_t *drafted, struct mem_err *err)
{
	struct mem_mined *out = mi->out;
	struct mined_sequence m = { .traces = &mi->traces, .sequence = sequence };
	struct mem_mined_draft d = { .what = { .ns = mi->ns } };
	struct mem_txn *t = NULL;
	struct mem_node node;
	name_steps(&m);
	d.what.id_of = make_sequence_identity(&out->arena, &m);
	const struct mem_id id = mem_id_v8(mi->ns, d.what.id_of);
	enum mem_status st = mem_txn_read(&t, mi->store, err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, &id, &node, err);
	d.known = st == MEM_OK || st == MEM_DAMAGED;
	if (st == MEM_NOTFOUND && limit > 0 && *drafted >= limit)
		out->left_out++;
	else if (st == MEM_NOTFOUND || d.known) {
		st = draft_sequence(mi, t, &m, &d.what, err);
		*drafted += !d.known;
		out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof *out->v);
		out->v[out->n++] = d;
	}
	mem_txn_end(t);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
mem_mine_drafts(struct mem_mined *out, struct mem_store *s, const struct mem_mined_options *o, struct mem_err *err)
{
	struct miner mi = { .out = out, .store = s };
	struct mem_sequences found = { 0 };
	size_t drafted = 0;
	*out = (struct mem_mined){ 0 };
	mi.ns = mem_arena_str(&out->arena, o->traces.ns);
	enum mem_status st = mem_analyser_open(&mi.analyser, "auto", err);
	if (st == MEM_OK)
		st = mem_traces_read(&mi.traces, s, &o->traces, err);
	if (st == MEM_OK)
		mem_sequences_find(&found, mi.traces.steps, mi.traces.nsteps, o->least);
	for (size_t i = 0; i < found.n && st == MEM_OK; i++)
		st = add_mined_sequence(&mi, &found.v[i], o->limit, &drafted, err);
	out->cut = mi.traces.cut;
	mem_sequences_release(&found);
	mem_traces_release(&mi.traces);
	mem_analyser_close(mi.analyser);
	mem_arena_release(&mi.room);
	return st;
}

void
mem_mined_release(struct mem_mined *m)
{
	mem_arena_release(&m->arena);
	free(m->v);
	*m = (struct mem_mined){ 0 };
}
