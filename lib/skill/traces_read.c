/* SPDX-License-Identifier: Apache-2.0 */
/* The episodes that traces are made of. */
#include "skill/traces.h"

#include <stdlib.h>

#include "query/query.h"
#include "record/record.h"
#include "skill/tool_step.h"
#include "store/edge.h"
#include "store/node.h"
#include "write/write.h"

enum { SNAPSHOT_RECORDS = 1000 };

/* ---- one episode ---------------------------------------------------------------- */

struct trace_reader {
	struct mem_traces *t;
	size_t seen;                /* episodes that were listed */
	struct mem_rec rec;
	struct mem_arena room;      /* of one episode */
	struct mem_buf name;
};

static void
add_trace_event(struct mem_traces *t, struct mem_trace_event e)
{
	t->events = mem_grow(t->events, &t->cap, t->n + 1, sizeof *t->events);
	e.order = (uint32_t)t->n;
	t->events[t->n++] = e;
}

static uint32_t
number_text(struct mem_text_map *map, struct mem_str text)
{
	bool made;
	return (uint32_t)mem_text_map_put(map, text, map->n, &made)->value;
}

static enum mem_trace_outcome
read_result_outcome(struct mem_json extra, struct mem_str content)
{
	int64_t code = 0;
	if (!mem_json_int(mem_json_member(extra, "exit_code"), &code) && !mem_trace_exit_code(content, &code))
		code = 0;
	return code != 0 || mem_json_member(extra, "is_error").type == MEM_JSON_TRUE ? MEM_TRACE_FAILED : MEM_TRACE_SUCCEEDED;
}

static uint64_t
hash_call(struct mem_str id)
{
	return id.n > 0 ? mem_hash_fast(id.p, id.n) | 1 : 0;
}

/* The results without text that the episode tells of, as if they stood before it. */
static void
add_answered_calls(struct trace_reader *r, const struct mem_trace_event *e)
{
	struct mem_trace_event result = { .id = e->id, .at = e->at, .session = e->session, .agent = MEM_TRACE_EVERY_AGENT, .what = MEM_TRACE_RESULT,
		.outcome = MEM_TRACE_SUCCEEDED };
	for (struct mem_json_iter it = mem_json_each(mem_json_member(mem_rec_value(&r->rec, "extra"), "answered")); mem_json_next(&it);)
		if ((result.call = hash_call(mem_json_text(&r->room, it.value))) != 0)
			add_trace_event(r->t, result);
}

/* What a tool was called with, or has answered; false: nothing says which tool it is. */
static bool
read_tool_event(struct trace_reader *r, struct mem_trace_event *e)
{
	struct mem_json extra = mem_rec_value(&r->rec, "extra"), part = mem_json_member(extra, "tool_part");
	struct mem_str tool = mem_json_text(&r->room, mem_json_member(extra, "tool")), call = mem_json_text(&r->room, mem_json_member(extra, "tool_call_id"));
	struct mem_str agent = mem_json_text(&r->room, mem_json_member(extra, "agent_id"));
	struct mem_str content = mem_json_text(&r->room, mem_rec_value(&r->rec, "content"));
	const bool result = mem_json_is(part, "result");
	e->what = result ? MEM_TRACE_RESULT : MEM_TRACE_CALL;
	e->call = hash_call(call);
	e->agent = agent.n > 0 ? number_text(&r->t->agents, agent) + 1 : 0;
	if (result || !mem_json_there(part))
		e->outcome = (uint8_t)read_result_outcome(extra, content);
	if (result)
		return true;
	mem_buf_reset(&r->name);
	mem_tool_step_put(&r->name, tool, content);
	e->name = number_text(&r->t->names, mem_buf_span(&r->name));
	return tool.n > 0;
}

/* A mem_listing_line_fn. */
static enum mem_status
read_trace_episode(void *ctx, struct mem_str line, struct mem_err *err)
{
	struct trace_reader *r = ctx;
	struct mem_traces *t = r->t;
	struct mem_trace_event e = { .what = MEM_TRACE_TASK };
	enum mem_status st = mem_rec_scan(&r->rec, line, err);
	if (st != MEM_OK)
		return st;
	r->seen++;
	mem_arena_reset(&r->room);
	struct mem_str session = mem_json_text(&r->room, mem_rec_value(&r->rec, "session_id"));
	if (session.n == 0 || !mem_json_id(mem_rec_value(&r->rec, "id"), &e.id) ||
	    !mem_time_parse(mem_json_text(&r->room, mem_rec_value(&r->rec, "captured_at")), &e.at))
		return MEM_OK;
	struct mem_json role = mem_rec_value(&r->rec, "role");
	bool step = mem_json_is(role, mem_role_name(MEM_ROLE_TOOL)) ? read_tool_event(r, &e) : mem_json_is(role, mem_role_name(MEM_ROLE_USER));
	e.session = number_text(&t->sessions, session);
	add_answered_calls(r, &e);
	if (step)
		add_trace_event(t, e);
	return MEM_OK;
}

/* ---- all of them ------------------------------------------------------------------ */

static enum mem_status
read_trace_events(struct mem_traces *t, struct mem_store *s, const struct mem_trace_options *o, struct mem_err *err)
{
	const char *kinds[] = { mem_kind_name(MEM_KIND_EPISODE) };
	const char *roles[] = { mem_role_name(MEM_ROLE_USER), mem_role_name(MEM_ROLE_ASSISTANT), mem_role_name(MEM_ROLE_TOOL) };
	struct trace_reader r = { .t = t };
	struct mem_arena room = { 0 };
	const char *ns[] = { mem_arena_dup(&room, o->ns.p, o->ns.n) };
	const struct mem_filter_options fo = { .kinds = { kinds, 1 }, .roles = { roles, MEM_COUNT(roles) }, .ns = { ns, 1 }, .session = o->session,
		.since = o->since, .until = MEM_TIME_MAX + 1, .live = true };
	struct mem_filter f;
	struct mem_listing *list = NULL;
	enum mem_status st = mem_filter_read(&f, &fo, err);
	if (st == MEM_OK)
		st = mem_listing_open(&list, s, &f, NULL, err);
	if (st == MEM_OK)
		st = mem_listing_skip_to_last(list, MEM_TRACE_EVENTS_MAX, err);
	if (st == MEM_OK)
		st = mem_listing_each(list, read_trace_episode, &r, err);
	t->cut = r.seen >= MEM_TRACE_EVENTS_MAX;
	mem_listing_free(list);
	mem_filter_release(&f);
	mem_rec_release(&r.rec);
	mem_buf_release(&r.name);
	mem_arena_release(&r.room);
	mem_arena_release(&room);
	return st;
}

/* ---- sessions that failed ----------------------------------------------------------- */

struct session_outcome {
	uint16_t used;              /* number of the kind of edge */
	bool worked, failed;
};

/* A mem_edge_fn. */
static bool
note_session_use(void *ctx, const struct mem_edge *e)
{
	struct session_outcome *o = ctx;
	if (e->kind != o->used)
		return true;
	o->worked |= mem_json_there(mem_json_member(mem_json_object(e->json), "worked"));
	o->failed |= mem_json_there(mem_json_member(mem_json_object(e->json), "failed"));
	return true;
}

/* Adds what the session's node in this namespace tells of. */
static enum mem_status
read_session_outcome(struct mem_txn *t, struct mem_str ns, struct mem_str identity, struct session_outcome *o, struct mem_err *err)
{
	struct mem_node node;
	const struct mem_id id = mem_id_v8(ns, identity);
	enum mem_status st = mem_node_by_id(t, &id, &node, err);
	if (st == MEM_OK)
		st = mem_edge_each(t, node.ord, true, note_session_use, o, err);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* skill-record keeps a session where the caller writes, which need not be where its turns are. */
static enum mem_status
is_session_failed(struct mem_txn *t, const struct mem_ns *ns, size_t nns, struct mem_str session, struct session_outcome *o, bool *failed,
    struct mem_err *err)
{
	struct mem_arena a = { 0 };
	const struct mem_str identity = mem_write_identity(&a, MEM_KIND_SESSION, MEM_STR(""), session);
	enum mem_status st = MEM_OK;
	o->worked = o->failed = false;
	for (size_t i = 0; i < nns && st == MEM_OK; i++)
		if (ns[i].root == ns[i].number)
			st = read_session_outcome(t, mem_str(ns[i].name), identity, o, err);
	mem_arena_release(&a);
	*failed = o->failed && !o->worked;
	return st;
}

/* Of sessions [from, to), in a snapshot of its own. */
static enum mem_status
mark_failed_sessions(const struct mem_traces *t, struct mem_store *s, size_t from, size_t to, bool *failed, struct mem_err *err)
{
	struct mem_txn *txn = NULL;
	struct mem_ns *ns = NULL;
	size_t nns = 0;
	struct session_outcome o = { 0 };
	enum mem_status st = mem_txn_read(&txn, s, err);
	if (st == MEM_OK)
		st = mem_edge_kind_find(txn, "used", &o.used, err);
	if (st == MEM_OK)
		st = mem_ns_visible(txn, &ns, &nns, err);
	for (size_t i = from; i < to && st == MEM_OK; i++)
		st = is_session_failed(txn, ns, nns, t->sessions.entries[i].text, &o, &failed[i], err);
	mem_txn_end(txn);
	free(ns);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
judge_sessions(struct mem_traces *t, struct mem_store *s, struct mem_err *err)
{
	bool *failed = mem_xcalloc(t->sessions.n + 1, sizeof *failed);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < t->sessions.n && st == MEM_OK; i += SNAPSHOT_RECORDS) {
		size_t to = i + SNAPSHOT_RECORDS < t->sessions.n ? i + SNAPSHOT_RECORDS : t->sessions.n;
		st = mark_failed_sessions(t, s, i, to, failed, err);
	}
	for (size_t i = 0; i < t->nsteps && st == MEM_OK; i++)
		if (failed[t->events[t->steps[i].event].session])
			t->steps[i].succeeded = false;
	free(failed);
	return st;
}

enum mem_status
mem_traces_read(struct mem_traces *out, struct mem_store *s, const struct mem_trace_options *o, struct mem_err *err)
{
	*out = (struct mem_traces){ 0 };
	enum mem_status st = read_trace_events(out, s, o, err);
	if (st != MEM_OK)
		return st;
	mem_traces_build(out);
	return judge_sessions(out, s, err);
}
