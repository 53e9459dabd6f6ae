/* SPDX-License-Identifier: Apache-2.0 */
/* Activation: what a search finds, what the task names, and what these lead to. */
#include "skill/skill_activate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "graph/spread.h"
#include "skill/manage.h"
#include "skill/skill.h"
#include "skill/skill_names.h"
#include "store/node.h"
#include "trust/team.h"

const char *const mem_skill_edges[4] = { "requires", "enhances", "composes", "succeeds" };

static struct mem_active_skill *
find_active_skill(struct mem_active_skills *a, const struct mem_id *id)
{
	for (size_t i = 0; i < a->n; i++)
		if (memcmp(&a->v[i].id, id, sizeof *id) == 0)
			return &a->v[i];
	return NULL;
}

/* With one reason more. */
static void
add_active_skill(struct mem_active_skills *a, const struct mem_id *id, double score, const char *why)
{
	struct mem_active_skill *s = find_active_skill(a, id);
	if (s == NULL) {
		a->v = mem_grow(a->v, &a->cap, a->n + 1, sizeof *a->v);
		s = &a->v[a->n++];
		*s = (struct mem_active_skill){ .id = *id };
	}
	s->score = fmax(s->score, score);
	s->why = s->why == NULL ? why : mem_arena_printf(&a->arena, "%s; %s", s->why, why);
}

/* ---- by the search, by name ------------------------------------------------------ */

/* Where the similarity alone would not do, what the words say stands beside it. */
static const char *
describe_evidence(struct mem_active_skills *a, const struct mem_skill_hit *h)
{
	if (isnan(h->similarity))
		return mem_arena_printf(&a->arena, "words %.2f", h->words);
	return h->similarity >= MEM_SKILL_SEED ? mem_arena_printf(&a->arena, "similarity %.2f", h->similarity)
	    : mem_arena_printf(&a->arena, "similarity %.2f, words %.2f", h->similarity, h->words);
}

static void
add_found_skills(struct mem_active_skills *a)
{
	for (size_t i = 0; i < a->hits.n; i++) {
		const struct mem_skill_hit *h = &a->hits.v[i];
		add_active_skill(a, &h->id, h->score, describe_evidence(a, h));
	}
}

/* An ordinary word that happens to be a name says nothing of its own: it is one reason more for what is found anyway. */
static enum mem_status
add_named_skills(struct mem_active_skills *a, struct mem_txn *t, struct mem_str task, struct mem_err *err)
{
	struct skill_name_list named;
	enum mem_status st = skill_names_find(&named, t, task, err);
	for (size_t i = 0; i < named.n; i++)
		if (named.v[i].marked || find_active_skill(a, &named.v[i].id) != NULL)
			add_active_skill(a, &named.v[i].id, named.v[i].marked ? 1 : 0, "named in the task");
	free(named.v);
	return st;
}

/* ---- along edges ----------------------------------------------------------------- */

/* "deploy requires it" */
static enum mem_status
describe_way(const char **why, struct mem_active_skills *a, struct mem_txn *t, const struct mem_spread_path *path, struct mem_err *err)
{
	struct mem_node node;
	struct mem_skill before;
	enum mem_status st = mem_node_by_id(t, &path->links[path->n - 2].id, &node, err);
	if (st == MEM_OK)
		st = mem_skill_read(&before, t, &node, &a->arena);
	if (st == MEM_OK)
		*why = mem_arena_printf(&a->arena, "%.*s %s it", (int)before.name.n, before.name.p, path->links[path->n - 1].kind);
	return st;
}

static enum mem_status
add_reached_skill(struct mem_active_skills *a, struct mem_txn *t, const struct mem_spread_node *node, size_t nseeds, struct mem_err *err)
{
	const struct mem_spread_path *path = node->paths;
	const char *why;
	const struct mem_active_skill *seed = node->npaths > 0 ? find_active_skill(a, &path->links[0].id) : NULL;
	if (!node->fires || node->hops == 0 || node->kind != MEM_KIND_SKILL || seed == NULL || (size_t)(seed - a->v) >= nseeds)
		return MEM_OK;
	enum mem_status st = describe_way(&why, a, t, path, err);
	if (st == MEM_OK)
		add_active_skill(a, &node->id, rint(seed->score * fmin(path->signal, 1) * 1e6) / 1e6, why);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
add_reached_skills(struct mem_active_skills *a, struct mem_store *s, struct mem_err *err)
{
	struct mem_spread_options o = MEM_SPREAD_OPTIONS_INIT;
	const char *kinds[MEM_COUNT(mem_skill_edges)];
	struct mem_spread spread = { 0 };
	struct mem_txn *t = NULL;
	const size_t nseeds = a->n;
	struct mem_id *seeds = mem_xcalloc(nseeds + 1, sizeof *seeds);
	memcpy(kinds, mem_skill_edges, sizeof kinds);
	o.edges_of = (struct mem_words){ kinds, MEM_COUNT(kinds) };
	o.paths = true;
	for (size_t i = 0; i < nseeds; i++)
		seeds[i] = a->v[i].id;
	enum mem_status st = nseeds > 0 ? mem_spread_run(&spread, s, &o, seeds, nseeds, err) : MEM_OK;
	if (st == MEM_OK)
		st = mem_txn_read(&t, s, err);
	for (size_t i = 0; i < spread.n && st == MEM_OK; i++)
		st = add_reached_skill(a, t, &spread.nodes[i], nseeds, err);
	mem_txn_end(t);
	mem_spread_release(&spread);
	free(seeds);
	return st;
}

/* ---- whose they are ---------------------------------------------------------------- */

static enum mem_status
mark_assigned(struct mem_active_skills *a, struct mem_txn *t, bool team, struct mem_str name, struct mem_err *err)
{
	struct mem_skill_ords list = { 0 };
	enum mem_status st = mem_skills_assigned(&list, t, team, name, err);
	for (size_t i = 0; i < a->n && list.n > 0 && st == MEM_OK; i++) {
		struct mem_node node;
		if (mem_node_by_id(t, &a->v[i].id, &node, NULL) != MEM_OK || !mem_skill_ords_have(&list, node.ord))
			continue;
		a->v[i].assigned = true;
		a->v[i].why = mem_arena_printf(&a->arena, "assigned to %.*s; %s", (int)name.n, name.p, a->v[i].why);
	}
	mem_skill_ords_release(&list);
	return st;
}

static bool
is_own_team(const struct mem_principal *p, struct mem_str team)
{
	for (size_t i = 0; i < p->nteams; i++)
		if (mem_str_is(team, p->teams[i]))
			return true;
	return false;
}

/* Teams of the principal, and those that the store has it in. */
static enum mem_status
mark_all_assigned(struct mem_active_skills *a, struct mem_store *s, struct mem_err *err)
{
	const struct mem_principal *p = mem_store_principal(s);
	struct mem_txn *t = NULL;
	struct mem_str *teams = NULL;
	size_t n = 0;
	enum mem_status st = mem_txn_read(&t, s, err);
	for (size_t i = 0; i < p->nteams && st == MEM_OK; i++)
		st = mark_assigned(a, t, true, mem_str(p->teams[i]), err);
	if (st == MEM_OK)
		st = mem_teams_of(&teams, &n, t, mem_str(p->agent), &a->arena, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		if (!is_own_team(p, teams[i]))
			st = mark_assigned(a, t, true, teams[i], err);
	if (st == MEM_OK)
		st = mark_assigned(a, t, false, mem_str(p->agent), err);
	mem_txn_end(t);
	return st;
}

/* ---- all of it ------------------------------------------------------------------------ */

static int
compare_active_skills(const void *a, const void *b)
{
	const struct mem_active_skill *x = a, *y = b;
	if (x->assigned != y->assigned)
		return x->assigned ? -1 : 1;
	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	return memcmp(&x->id, &y->id, sizeof x->id);
}

enum mem_status
mem_skill_activate(struct mem_active_skills *out, struct mem_searcher *m, const struct mem_search_options *search, struct mem_err *err)
{
	const struct mem_skill_search_options o = { .search = search, .seeds = true };
	struct mem_store *s = m->index.store;
	struct mem_txn *t = NULL;
	*out = (struct mem_active_skills){ 0 };
	enum mem_status st = mem_skill_search(&out->hits, m, &o, err);
	if (st == MEM_OK)
		st = mem_txn_read(&t, s, err);
	if (st == MEM_OK) {
		add_found_skills(out);
		st = add_named_skills(out, t, search->query, err);
	}
	mem_txn_end(t);
	if (st == MEM_OK)
		st = add_reached_skills(out, s, err);
	if (st == MEM_OK)
		st = mark_all_assigned(out, s, err);
	if (st == MEM_OK)
		mem_sort(out->v, out->n, sizeof *out->v, compare_active_skills);
	return st;
}

void
mem_active_skills_release(struct mem_active_skills *a)
{
	free(a->v);
	mem_skill_hits_release(&a->hits);
	mem_arena_release(&a->arena);
	*a = (struct mem_active_skills){ 0 };
}
