/* SPDX-License-Identifier: Apache-2.0 */
/* A line of an export as if its namespaces and agents had other names. */
#include <string.h>

#include "base/order.h"
#include "upkeep/upkeep_int.h"

#define AGENT_PREFIX "agent:"

bool
mem_rename_parse(struct mem_rename *r, const char *text, struct mem_err *err)
{
	const char *equals = strchr(text, '=');
	*r = (struct mem_rename){ 0 };
	if (equals != NULL) {
		r->from = (struct mem_str){ text, (size_t)(equals - text) };
		r->to = mem_str(equals + 1);
	}
	if (equals != NULL && mem_ns_valid(r->from) && mem_ns_valid(r->to))
		return true;
	(void)mem_err_set(err, MEM_USAGE, "'%s' is not OLD=NEW of namespaces, like agent:ada=agent:bob", text);
	return false;
}

/* An agent's name in its namespace; empty: it is none's. */
static struct mem_str
agent_of_ns(struct mem_str ns)
{
	size_t n = sizeof AGENT_PREFIX - 1;
	if (ns.n <= n || memcmp(ns.p, AGENT_PREFIX, n) != 0)
		return (struct mem_str){ NULL, 0 };
	return (struct mem_str){ ns.p + n, ns.n - n };
}

/* A value of the line that gets another. */
struct value_change {
	struct mem_str raw;     /* as it stands in the line */
	struct mem_str to;
};
struct line_changes {
	struct value_change v[5];
	size_t n;
	bool used[MEM_RENAMES_MAX];
};

/* The rename of this value, by namespace or by the agent's name; each value is renamed once, whatever it becomes. */
static void
rename_value(struct line_changes *c, const struct mem_renames *r, struct mem_json v, bool agent)
{
	struct mem_buf text = { 0 };
	bool found = !mem_json_decode(&text, v);
	for (size_t i = 0; i < r->n && !found; i++) {
		struct mem_str from = r->v[i].from, to = r->v[i].to;
		if (agent) {
			from = agent_of_ns(from);
			to = agent_of_ns(to);
		}
		found = from.n > 0 && to.n > 0 && mem_str_eq(mem_buf_span(&text), from);
		if (found) {
			c->v[c->n++] = (struct value_change){ v.raw, to };
			c->used[i] = true;
		}
	}
	mem_buf_release(&text);
}

static int
compare_changes(const void *x, const void *y)
{
	const struct value_change *a = x, *b = y;
	return a->raw.p < b->raw.p ? -1 : a->raw.p > b->raw.p;
}

static void
put_changed_line(struct mem_buf *out, struct mem_str line, const struct line_changes *c)
{
	const char *at = line.p;
	for (size_t i = 0; i < c->n; i++) {
		mem_buf_put(out, at, (size_t)(c->v[i].raw.p - at));
		mem_json_put_string(out, c->v[i].to);
		at = c->v[i].raw.p + c->v[i].raw.n;
	}
	mem_buf_put(out, at, (size_t)(line.p + line.n - at));
}

bool
upkeep_import_rename(struct mem_renames *r, const struct mem_rec *rec, struct mem_buf *out)
{
	static const char *const agents[] = { "asked_by", "decided_by", "to" };
	struct line_changes c = { .n = 0 };
	rename_value(&c, r, mem_rec_value(rec, "ns"), false);
	rename_value(&c, r, mem_json_member(mem_rec_value(rec, "origin"), "agent"), true);
	/* An edge's "to" is an id. */
	for (size_t i = 0; i < MEM_COUNT(agents) && mem_rec_find(rec, "edge") == NULL; i++)
		rename_value(&c, r, mem_rec_value(rec, agents[i]), true);
	if (c.n == 0)
		return false;
	mem_sort(c.v, c.n, sizeof *c.v, compare_changes);
	put_changed_line(out, rec->text, &c);
	for (size_t i = 0; i < r->n; i++)
		r->v[i].lines += c.used[i];
	return true;
}
