/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of sessions and of who wrote them, and the edges between. */
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"
#include "trust/trust.h"
#include "upkeep/sync_int.h"
#include "write/write.h"

#include <string.h>

enum { SESSIONS = 250 }; /* of one transaction */

struct sync_run {
	struct mem_sync_done *done;
	struct mem_store *store;
	struct mem_writer *writer;
	struct sync_scan scan;
	size_t from, to;            /* parts of the batch: whole sessions */
	uint64_t added, widened, edges; /* nodes and edges of the batch */
};

/* ---- what is made of a name ----------------------------------------------------- */

static bool
is_of_form(const struct mem_turn_space *space, const char *form, struct mem_str *name)
{
	const size_t head = strlen(form);
	if (strncmp(space->name, form, head) != 0)
		return false;
	*name = mem_str(space->name + head);
	return true;
}

/* Of a team, a task or a session. */
static struct mem_id
make_synced_id(struct mem_arena *a, const struct mem_turn_space *space, enum mem_kind kind, struct mem_str name)
{
	return mem_id_v8(mem_str(space->name), mem_write_identity(a, kind, MEM_STR(""), name));
}

/* ---- nodes, before the lock ------------------------------------------------------- */

/* MEM_NOTFOUND: there is none, so that it is queued. */
static enum mem_status
queue_if_new(struct sync_run *r, struct mem_txn *t, struct mem_str ns, const struct mem_id *id, const struct mem_write_node *node, struct mem_err *err)
{
	const struct mem_write_input in = { .ns = ns, .quiet = true };
	struct mem_node there;
	enum mem_status st = mem_node_by_id(t, id, &there, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, there.ord);
	if (st != MEM_NOTFOUND)
		return st == MEM_DAMAGED ? MEM_OK : st;
	mem_write_add(r->writer, &in, node);
	r->added++;
	return MEM_OK;
}

/* A team or a task, as kg-node writes one. */
static enum mem_status
queue_group(struct sync_run *r, struct mem_txn *t, const struct mem_turn_space *space, enum mem_kind kind, struct mem_str name, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field *fields = mem_arena_alloc(a, 2 * sizeof *fields);
	const struct mem_id id = make_synced_id(a, space, kind, name);
	fields[0] = (struct mem_clean_field){ "name", mem_clean_word(a, name) };
	fields[1] = (struct mem_clean_field){ "type", mem_clean_null() };
	const struct mem_write_node node = { .kind = kind, .id_of = mem_write_identity(a, kind, MEM_STR(""), name), .fields = fields,
		.nfields = kind == MEM_KIND_TASK ? 2 : 1 };
	return queue_if_new(r, t, mem_str(space->name), &id, &node, err);
}

/* A team or a task; false: the namespace is neither. */
static bool
is_group_space(const struct mem_turn_space *space, enum mem_kind *kind, struct mem_str *name)
{
	*kind = is_of_form(space, "team:", name) ? MEM_KIND_TEAM : MEM_KIND_TASK;
	return *kind == MEM_KIND_TEAM || is_of_form(space, "task:", name);
}

static enum mem_status
queue_groups(struct sync_run *r, struct mem_txn *t, struct mem_err *err)
{
	const struct sync_scan *s = &r->scan;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < s->nmembers && st == MEM_OK; i++) {
		const struct mem_turn_space *space = &s->log.spaces[s->members[i].space];
		enum mem_kind kind;
		struct mem_str name;
		bool again = i > 0 && s->members[i - 1].space == s->members[i].space;
		if (!again && is_group_space(space, &kind, &name))
			st = queue_group(r, t, space, kind, name, err);
	}
	return st;
}

/* The session whose first part this is, from its first turn to its last. */
static struct sync_part
join_session_parts(const struct sync_scan *s, size_t i)
{
	struct sync_part x = s->v[i];
	for (size_t end = sync_session_end(s, i); ++i < end;) {
		x.first = s->v[i].first < x.first ? s->v[i].first : x.first;
		x.last = s->v[i].last > x.last ? s->v[i].last : x.last;
	}
	return x;
}

static enum mem_status
queue_session(struct sync_run *r, struct mem_txn *t, const struct sync_part *x, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field *fields = mem_arena_alloc(a, 3 * sizeof *fields);
	const struct mem_turn_space *space = &r->scan.log.spaces[x->space];
	const struct mem_id id = make_synced_id(a, space, MEM_KIND_SESSION, x->name);
	struct mem_buf text = { 0 };
	struct mem_clean_rec clean = { 0 };
	struct mem_rec rec = { 0 };
	mem_buf_putc(&text, '{');
	mem_json_put_field(&text, "name", x->name);
	mem_buf_putc(&text, '}');
	enum mem_status st = mem_rec_scan(&rec, mem_arena_str(a, mem_buf_span(&text)), err);
	if (st == MEM_OK) {
		mem_clean_restored(&clean, &rec); /* it stands in a turn that was cleaned */
		fields[0] = (struct mem_clean_field){ "name", mem_clean_value(&clean, "name") };
		fields[1] = (struct mem_clean_field){ "first_at", mem_clean_time(a, x->first) };
		fields[2] = (struct mem_clean_field){ "last_at", mem_clean_time(a, x->last) };
		const struct mem_write_node node = { .kind = MEM_KIND_SESSION, .id_of = mem_write_identity(a, MEM_KIND_SESSION, MEM_STR(""), x->name),
			.fields = fields, .nfields = 3 };
		st = queue_if_new(r, t, mem_str(space->name), &id, &node, err);
	}
	mem_clean_rec_release(&clean);
	mem_rec_release(&rec);
	mem_buf_release(&text);
	return st;
}

static enum mem_status
queue_agents(struct sync_run *r, struct mem_txn *t, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	enum mem_status st = MEM_OK;
	for (uint32_t i = 0; i < r->scan.nwriters && st == MEM_OK; i++) {
		const struct sync_writer *w = &r->scan.writers[i];
		st = queue_if_new(r, t, w->ns, &w->id, mem_agent_node(a, w->agent), err);
	}
	return st;
}

/* Teams and tasks come with the first batch; so do the agents, which each looks for: a dry run keeps nothing. */
static enum mem_status
queue_nodes(struct sync_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	if (st == MEM_OK)
		st = queue_agents(r, t, err);
	if (r->from > 0)
		r->added = 0;
	else if (st == MEM_OK)
		st = queue_groups(r, t, err);
	for (size_t i = r->from; i < r->to && st == MEM_OK; i = sync_session_end(&r->scan, i)) {
		const struct sync_part session = join_session_parts(&r->scan, i);
		st = queue_session(r, t, &session, err);
	}
	mem_txn_end(t);
	return st;
}

/* ---- edges, under the lock ----------------------------------------------------------- */

/* A live node.  MEM_NOTFOUND: there is none. */
static enum mem_status
find_live(struct mem_txn *t, const struct mem_id *id, struct mem_node *out, struct mem_err *err)
{
	enum mem_status st = mem_node_by_id(t, id, out, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, out->ord);
	return st == MEM_DAMAGED || (st == MEM_OK && !mem_attr_live(out->attr, mem_txn_now(t))) ? MEM_NOTFOUND : st;
}

/* From the agent; an edge that is there stays as it is. */
static enum mem_status
link_agent(struct sync_run *r, struct mem_txn *t, uint32_t writer, const char *kind, const struct mem_id *to, struct mem_err *err)
{
	struct mem_node agent, other;
	struct mem_edge e;
	enum mem_verdict verdict;
	const struct mem_write_edge edge = { .kind = kind };
	enum mem_status st = find_live(t, &r->scan.writers[writer].id, &agent, err);
	const uint32_t from = agent.ord;
	if (st == MEM_OK)
		st = find_live(t, to, &other, err);
	if (st == MEM_OK)
		st = mem_edge_find(t, kind, from, other.ord, &e, err);
	else
		return st == MEM_NOTFOUND ? MEM_OK : st;
	if (st != MEM_NOTFOUND)
		return st;
	r->edges++;
	return mem_write_link_at(t, r->writer, from, other.ord, &edge, &verdict, err);
}

static enum mem_status
link_groups(struct sync_run *r, struct mem_txn *t, struct mem_err *err)
{
	const struct sync_scan *s = &r->scan;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < s->nmembers && st == MEM_OK; i++) {
		const struct mem_turn_space *space = &s->log.spaces[s->members[i].space];
		enum mem_kind kind;
		struct mem_str name;
		if (!is_group_space(space, &kind, &name))
			continue;
		struct mem_id id = make_synced_id(mem_writer_arena(r->writer), space, kind, name);
		st = link_agent(r, t, s->members[i].writer, kind == MEM_KIND_TEAM ? "member_of" : "works_on", &id, err);
	}
	return st;
}

static int64_t
read_session_time(struct mem_str json, const char *name, int64_t or)
{
	struct mem_arena a = { 0 };
	int64_t at;
	bool known = mem_time_parse(mem_json_text(&a, mem_json_member(mem_json_object(json), name)), &at);
	mem_arena_release(&a);
	return known ? at : or;
}

/* A session that is there reaches as far as its turns. */
static enum mem_status
widen_session(struct sync_run *r, struct mem_txn *t, const struct sync_part *x, const struct mem_id *id, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_node node;
	enum mem_status st = find_live(t, id, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	int64_t first = read_session_time(node.json, "first_at", x->first), last = read_session_time(node.json, "last_at", x->last);
	if (x->first >= first && x->last <= last)
		return MEM_OK;
	const struct mem_clean_field set[] = {
		{ "first_at", mem_clean_time(a, x->first < first ? x->first : first) },
		{ "last_at", mem_clean_time(a, x->last > last ? x->last : last) },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .mark = true, .op = "synced" };
	r->widened++;
	return mem_write_change_at(t, r->writer, node.ord, &edit, NULL, err);
}

static enum mem_status
put_session(struct sync_run *r, struct mem_txn *t, size_t i, struct mem_err *err)
{
	const struct sync_part session = join_session_parts(&r->scan, i);
	struct mem_id id = make_synced_id(mem_writer_arena(r->writer), &r->scan.log.spaces[session.space], MEM_KIND_SESSION, session.name);
	enum mem_status st = widen_session(r, t, &session, &id, err);
	for (size_t end = sync_session_end(&r->scan, i); i < end && st == MEM_OK; i++)
		if (r->scan.v[i].writer != SYNC_NOBODY)
			st = link_agent(r, t, r->scan.v[i].writer, "took_part", &id, err);
	return st;
}

/* A mem_write_act_fn; the nodes of the batch are there by now. */
static enum mem_status
put_batch(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	struct sync_run *r = ctx;
	enum mem_status st = MEM_OK;
	(void)w;
	r->widened = r->edges = 0; /* it may be called again */
	if (r->from == 0)
		st = link_groups(r, t, err);
	for (size_t i = r->from; i < r->to && st == MEM_OK; i = sync_session_end(&r->scan, i))
		st = put_session(r, t, i, err);
	receipt->verdict = r->widened + r->edges > 0 ? MEM_CHANGED : MEM_UNCHANGED;
	return st == MEM_OK && r->to == r->scan.n ? mem_turn_scan_mark(&r->scan.log, t, err) : st;
}

/* ---- a run ------------------------------------------------------------------------------ */

static enum mem_status
put_sync_mark(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	return mem_turn_scan_mark(ctx, t, err);
}

/* The mark goes into the last transaction: what was broken off is looked at again, and is there. */
static enum mem_status
write_batches(struct sync_run *r, struct mem_err *err)
{
	const struct mem_write_input in = { .quiet = true };
	struct mem_write_total total = { 0 };
	enum mem_status st = MEM_OK;
	do {
		r->added = 0;
		r->to = r->from;
		for (int n = 0; n < SESSIONS && r->to < r->scan.n; n++)
			r->to = sync_session_end(&r->scan, r->to);
		st = queue_nodes(r, err);
		if (st == MEM_OK) {
			mem_write_act(r->writer, &in, put_batch, r);
			st = mem_write_commit(r->writer, mem_receipts_drop, NULL, &total, err);
		}
		r->done->nodes += r->added + r->widened;
		r->done->edges += r->edges;
		r->from = r->to;
	} while (st == MEM_OK && r->from < r->scan.n);
	return st;
}

enum mem_status
mem_sync_run(struct mem_index *m, const char *via, bool dry_run, struct mem_sync_done *done, struct mem_err *err)
{
	const struct mem_write_options o = { .via = via, .audit_batch = "sync", .dry_run = dry_run };
	struct sync_run r = { .done = done };
	r.writer = mem_writer_new(m, &o);
	r.store = mem_writer_store(r.writer);
	enum mem_status st = sync_scan_log(&r.scan, r.store, err);
	done->turns += r.scan.log.fresh;
	if (st == MEM_OK && r.scan.log.fresh > 0)
		st = write_batches(&r, err);
	else if (st == MEM_OK && !dry_run && mem_turn_scan_moved(&r.scan.log))
		st = mem_store_write(r.store, put_sync_mark, &r.scan.log, err);
	sync_scan_release(&r.scan);
	mem_writer_free(r.writer);
	return st;
}
