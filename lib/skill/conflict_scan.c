/* SPDX-License-Identifier: Apache-2.0 */
/* The scan for conflicts: one namespace after the other. */
#include "skill/conflict_int.h"

#include <stdlib.h>
#include <string.h>

#include "skill/deps.h"
#include "text/text.h"

/* May the scan write what it finds there? */
static bool
may_scan(const struct mem_store *s, const char *ns)
{
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_str(ns) };
	return mem_store_allows(s, &to);
}

/* The namespaces to scan, copied; OWNS the list, ARENA its words. */
static enum mem_status
list_scan_namespaces(struct mem_store *s, const struct mem_words *wanted, struct mem_arena *a, const char ***out, size_t *n, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_ns *seen = NULL;
	size_t nseen = 0;
	*n = 0;
	for (size_t i = 0; i < wanted->n; i++)
		if (!may_scan(s, wanted->v[i]))
			return mem_err_set(err, MEM_DENIED, "you may not write to %s", wanted->v[i]);
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_ns_visible(t, &seen, &nseen, err);
	*out = mem_xcalloc(nseen + 1, sizeof **out);
	for (size_t i = 0; i < nseen && st == MEM_OK; i++) {
		bool asked = wanted->n == 0;
		for (size_t k = 0; k < wanted->n; k++)
			asked = asked || strcmp(wanted->v[k], seen[i].name) == 0;
		if (asked && seen[i].root == seen[i].number && may_scan(s, seen[i].name))
			(*out)[(*n)++] = mem_arena_dup(a, seen[i].name, strlen(seen[i].name));
	}
	free(seen);
	mem_txn_end(t);
	return st;
}

static enum mem_status
copy_skill_graph(struct mem_graph_copy **out, struct mem_store *s, struct mem_err *err)
{
	static const char *circles[] = MEM_SKILL_NEED_EDGES;
	struct mem_graph_copy_options o = MEM_GRAPH_COPY_OPTIONS_INIT;
	o.edges_of = (struct mem_words){ circles, MEM_COUNT(circles) };
	o.kinds = mem_kind_set_of(MEM_KIND_SKILL);
	return mem_graph_copy_make(out, s, &o, err);
}

static void
add_scan_sums(struct mem_conflict_scan *sum, const struct conflict_scan *c)
{
	sum->skills += c->nskills;
	sum->found += c->nfound;
	sum->left_out += c->left_out;
	sum->orders_left_out += c->orders_left_out;
	if (sum->ranges_unknown == 0)
		memcpy(sum->unknown_range, c->unknown_range, sizeof sum->unknown_range);
	sum->ranges_unknown += c->ranges_unknown;
	sum->without_vectors = sum->without_vectors || c->without_vectors;
	sum->without_encoder = sum->without_encoder || (c->without_encoder && c->nskills > 0);
}

static enum mem_status
scan_namespace(struct conflict_scan *c, struct mem_write_run *r, struct mem_conflict_scan *sum, struct mem_err *err)
{
	enum mem_status st = conflict_gather_skills(c, err);
	if (st == MEM_OK)
		st = conflict_find_pairs(c, err);
	if (st == MEM_OK)
		st = conflict_find_contradictions(c, err);
	if (st == MEM_OK) {
		conflict_check_graph(c, mem_store_now(c->store));
		add_scan_sums(sum, c);
		st = conflict_write_findings(c, r, sum, err);
	}
	free(c->skills);
	free(c->orders);
	free(c->found);
	mem_arena_release(&c->arena);
	return st;
}

enum mem_status
mem_conflicts_scan(struct mem_conflict_scan *out, struct mem_write_run *r, const struct mem_words *ns, struct mem_err *err)
{
	struct mem_store *s = mem_writer_store(r->writer);
	struct mem_arena a = { 0 };
	struct mem_graph_copy *graph = NULL;
	struct mem_analyser *words = NULL;
	const char **namespaces = NULL;
	size_t n = 0;
	*out = (struct mem_conflict_scan){ 0 };
	enum mem_status st = list_scan_namespaces(s, ns, &a, &namespaces, &n, err);
	if (st == MEM_OK)
		st = copy_skill_graph(&graph, s, err);
	if (st == MEM_OK)
		st = mem_analyser_open(&words, "english", err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct conflict_scan c = { .store = s, .ns = namespaces[i], .graph = graph, .words = words };
		st = scan_namespace(&c, r, out, err);
	}
	mem_analyser_close(words);
	mem_graph_copy_free(graph);
	free(namespaces);
	mem_arena_release(&a);
	return st;
}
