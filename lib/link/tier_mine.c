/* SPDX-License-Identifier: Apache-2.0 */
/* User to transitional: sets that sessions of several owners hold, into namespace system. */
#include "link/items.h"
#include "link/mine_store.h"
#include "link/tier_int.h"

#define DAY_MS INT64_C(86400000)

struct tier_mining {
	struct mem_write_run *run;
	struct mem_items *items;
	struct mem_mine_sessions sessions;
	struct mem_mine_sets sets;
	struct tier_patterns known;
	int64_t owners, least_items, now;
};

/* "tea + harbour", as JSON. */
static struct mem_str
make_pattern_name(struct mem_arena *a, struct mem_json items)
{
	struct mem_buf name = { 0 }, json = { 0 };
	for (struct mem_json_iter it = mem_json_each(items); mem_json_next(&it);) {
		mem_buf_puts(&name, name.len > 0 ? " + " : "");
		mem_json_decode(&name, it.value);
	}
	mem_json_put_string(&json, mem_buf_span(&name));
	struct mem_str out = mem_arena_str(a, mem_buf_span(&json));
	mem_buf_release(&name);
	mem_buf_release(&json);
	return out;
}

/* The set as a pattern that was never seen. */
static enum mem_status
make_set_pattern(struct tier_mining *m, const struct mem_mine_set *set, int64_t owners, struct tier_pattern *out, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(m->run->writer);
	struct mem_buf line = { 0 };
	struct mem_rec rec = { 0 };
	mem_items_put_set(&line, m->items, set, owners);
	enum mem_status st = mem_rec_scan(&rec, mem_buf_span(&line), err);
	if (st == MEM_OK) {
		struct mem_json items = mem_rec_value(&rec, "items");
		*out = (struct tier_pattern){ .state = TIER_WAITING, .nights = 1, .seen_at = m->now, .count = (int64_t)set->count, .owners = owners,
			.items = mem_arena_str(a, items.raw), .name = make_pattern_name(a, items) };
		out->id = tier_pattern_id("system", out->items);
	}
	mem_rec_release(&rec);
	mem_buf_release(&line);
	return st;
}

/* One that waits has lasted a night more, if it was last found on another day. */
static void
take_known_state(struct tier_mining *m, struct tier_pattern *p)
{
	struct tier_pattern *known = tier_patterns_find(&m->known, &p->id);
	if (known == NULL)
		return;
	known->found = true;
	bool fresh = known->state == TIER_WAITING && (known->seen_at == MEM_TIME_NONE || m->now / DAY_MS > known->seen_at / DAY_MS);
	p->state = known->state;
	p->nights = known->nights + fresh;
	p->seen_at = fresh ? m->now : known->seen_at;
}

static enum mem_status
queue_found_pattern(struct tier_mining *m, const struct tier_pattern *p, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(m->run->writer);
	struct mem_write_input in = tier_pattern_input(m->run, "system", p);
	struct mem_clean_field *fields;
	enum mem_status st = tier_pattern_fields(m->run, p, &fields, err);
	if (st == MEM_REFUSED)
		mem_write_refuse(m->run->writer, &in, err->reason != NULL ? err->reason : "residue", 0);
	else if (st != MEM_OK)
		return st;
	else {
		struct mem_write_edit *again = mem_arena_alloc(a, sizeof *again);
		*again = (struct mem_write_edit){ .set = fields, .n = TIER_FIELDS, .mark = true, .op = "changed" };
		const struct mem_write_node node = { .kind = MEM_KIND_TAG, .id_of = tier_pattern_identity(a, p->items), .again = again, .fields = fields,
			.nfields = TIER_FIELDS, .audit = tier_pattern_audit(a, p, "mined") };
		mem_write_add(m->run->writer, &in, &node);
	}
	return mem_write_run_end(m->run, err);
}

static enum mem_status
queue_frequent_sets(struct tier_mining *m, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < m->sets.n && st == MEM_OK; i++) {
		const struct mem_mine_set *set = &m->sets.sets[i];
		struct tier_pattern p;
		if ((int64_t)set->n < m->least_items)
			continue;
		int64_t owners = (int64_t)mem_mine_owners_count(&m->sessions, set);
		if (owners < m->owners)
			continue;
		st = make_set_pattern(m, set, owners, &p, err);
		if (st != MEM_OK)
			return st;
		take_known_state(m, &p);
		st = queue_found_pattern(m, &p, err);
	}
	return st;
}

/* What waited and does not occur so any more. */
static enum mem_status
queue_lost_patterns(struct tier_mining *m, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < m->known.n && st == MEM_OK; i++) {
		const struct tier_pattern *p = &m->known.v[i];
		if (p->found || p->state != TIER_WAITING)
			continue;
		struct mem_write_input in = tier_pattern_input(m->run, "system", p);
		struct mem_write_removal *removal = mem_arena_alloc(mem_writer_arena(m->run->writer), sizeof *removal);
		*removal = (struct mem_write_removal){ .op = "removed", .audit = tier_pattern_audit(mem_writer_arena(m->run->writer), p, "lost") };
		mem_write_remove(m->run->writer, &in, &p->id, 0, removal);
		st = mem_write_run_end(m->run, err);
	}
	return st;
}

static enum mem_status
find_frequent_sets(struct tier_mining *m, const struct mem_conf *conf, struct mem_err *err)
{
	int64_t count = mem_conf_int(conf, "mine.min_count");
	const struct mem_mine_options o = { .min_count = (uint64_t)(count > m->owners ? count : m->owners),
		.max_size = (size_t)mem_conf_int(conf, "tier.most_items"), .max_sets = (size_t)mem_conf_int(conf, "mine.max_sets") };
	enum mem_status st = mem_mine_sessions_read(&m->sessions, m->items, mem_writer_store(m->run->writer), true, err);
	if (st != MEM_OK)
		return st;
	mem_mine_sessions_sort(&m->sessions, m->items);
	st = mem_mine_run(&m->sets, &m->sessions.transactions, &o, err);
	return st == MEM_REFUSED ? mem_err_set(err, MEM_FAIL, "there are more than mine.max_sets sets: raise mine.min_count") : st;
}

enum mem_status
mem_tier_mine(struct mem_write_run *r, struct mem_err *err)
{
	struct mem_store *s = mem_writer_store(r->writer);
	struct tier_mining m = { .run = r, .items = mem_items_new(), .now = mem_store_now(s) };
	const struct mem_conf *conf = mem_store_conf(s);
	m.owners = mem_conf_int(conf, "tier.owners");
	m.least_items = mem_conf_int(conf, "tier.least_items");
	enum mem_status st = tier_check_rights(r, err);
	if (st == MEM_OK)
		st = find_frequent_sets(&m, conf, err);
	if (st == MEM_OK)
		st = tier_patterns_read(&m.known, s, err);
	if (st == MEM_OK)
		st = queue_frequent_sets(&m, err);
	if (st == MEM_OK)
		st = queue_lost_patterns(&m, err);
	if (st == MEM_OK)
		st = mem_write_run_commit(r, err);
	tier_patterns_release(&m.known);
	mem_mine_sets_release(&m.sets);
	mem_mine_sessions_release(&m.sessions);
	mem_items_free(m.items);
	return st;
}
