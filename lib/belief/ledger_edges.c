/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of facts, into the batch. */
#include <string.h>

#include "belief/ledger_calls_int.h"

struct mem_write_input
ledger_quiet_input(const struct ledger_lane *lane)
{
	return (struct mem_write_input){ .ns = lane->ns, .quiet = true };
}

/* An edge on its way.  An end that is not there any more, one that was erased or removed, takes the edge with it. */
struct edge_act {
	bool remove;
	struct mem_id from, to;
	struct mem_write_edge edge;
};

static enum mem_status
run_edge_act(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct edge_act *act = ctx;
	struct mem_node node;
	uint32_t from = 0, to = 0;
	enum mem_verdict verdict;
	enum mem_status st = mem_write_node_find(t, &act->from, &node, err);
	r->verdict = MEM_UNCHANGED;
	if (st == MEM_OK) {
		from = node.ord;
		st = mem_write_node_find(t, &act->to, &node, err);
		to = node.ord;
	}
	if (st == MEM_OK && act->remove)
		st = mem_write_unlink_at(t, from, to, act->edge.kind, err);
	else if (st == MEM_OK)
		st = mem_write_link_at(t, w, from, to, &act->edge, &verdict, err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static void
queue_edge_act(struct mem_ledger *l, const struct ledger_lane *lane, bool remove, const char *kind, const struct mem_id *from,
    const struct mem_id *to, const struct mem_clean_field *fields, size_t n)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_write_input in = ledger_quiet_input(lane);
	struct mem_clean_field *copy = mem_arena_alloc(a, (n + 1) * sizeof *copy);
	struct edge_act *act = mem_arena_alloc(a, sizeof *act);
	if (n > 0)
		memcpy(copy, fields, n * sizeof *copy);
	*act = (struct edge_act){ .remove = remove, .from = *from, .to = *to, .edge = { .kind = kind, .fields = copy, .nfields = n } };
	mem_write_act(l->w, &in, run_edge_act, act);
}

void
ledger_queue_edge(struct mem_ledger *l, const struct ledger_lane *lane, const char *kind, const struct mem_id *from, const struct mem_id *to,
    const struct mem_clean_field *fields, size_t n)
{
	queue_edge_act(l, lane, false, kind, from, to, fields, n);
}

void
ledger_queue_unlink(struct mem_ledger *l, const struct ledger_lane *lane, const char *kind, const struct mem_id *from, const struct mem_id *to)
{
	queue_edge_act(l, lane, true, kind, from, to, NULL, 0);
}

/* To what it is about; the validity of the fact is on them, too. */
void
ledger_queue_about(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_run *r, const struct mem_id *fact)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	const struct mem_clean_field fields[] = {
		{ "valid_from", mem_clean_time(a, r->at) },
		{ "valid_to", r->end != MEM_TIME_NONE ? mem_clean_time(a, r->end) : mem_clean_absent() },
	};
	struct mem_id subject, object;
	bool has = mem_id_parse(r->value->subject, &subject);
	if (has)
		ledger_queue_edge(l, lane, "about", fact, &subject, fields, MEM_COUNT(fields));
	if (mem_id_parse(r->value->object, &object) && !(has && mem_id_cmp(&subject, &object) == 0))
		ledger_queue_edge(l, lane, "about", fact, &object, fields, MEM_COUNT(fields));
}

static bool
is_episode(const struct mem_id *id)
{
	static const struct mem_id none;
	return mem_id_cmp(id, &none) != 0;
}

/* Is the episode among the first `n` sources of the run? */
static bool
run_has_episode(const struct ledger_run *r, size_t n, const struct mem_id *episode)
{
	for (size_t i = 0; i < n; i++)
		if (mem_id_cmp(&r->v[i]->episode, episode) == 0)
			return true;
	return false;
}

/*
 * From each episode that the fact did not have before, and back to it.  They have the time of the source, which they keep when it
 * goes to another fact: when entities are merged and taken apart.
 */
void
ledger_queue_sources(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_run *r)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	for (size_t i = 0; i < r->n; i++) {
		const struct ledger_assertion *s = r->v[i];
		if (!is_episode(&s->episode) || (s->fact != NULL && s->fact == r->fact) || run_has_episode(r, i, &s->episode))
			continue;
		const struct mem_clean_field fields[] = {
			{ "weight", mem_clean_num(a, s->confidence) },
			{ "created_at", mem_clean_time(a, s->created_at) },
		};
		ledger_queue_edge(l, lane, "supports", &s->episode, &r->id, fields, 2);
		ledger_queue_edge(l, lane, "derived_from", &r->id, &s->episode, fields + 1, 1);
	}
}

/* Of a stored fact: its sources that belong to another run by now. */
void
ledger_queue_lost_sources(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_fact *f)
{
	for (size_t i = 0; i < lane->n; i++) {
		const struct ledger_assertion *s = lane->v[i];
		if (s->fact != f || !is_episode(&s->episode) || (f->run != NULL && run_has_episode(f->run, f->run->n, &s->episode)))
			continue;
		bool again = false;
		for (size_t k = 0; k < i && !again; k++)
			again = lane->v[k]->fact == f && mem_id_cmp(&lane->v[k]->episode, &s->episode) == 0;
		if (again)
			continue;
		ledger_queue_unlink(l, lane, "supports", &s->episode, &f->id);
		ledger_queue_unlink(l, lane, "derived_from", &f->id, &s->episode);
	}
}
