/* SPDX-License-Identifier: Apache-2.0 */
/* The episodes of a batch, and what they claim: read in a snapshot, worked out without one. */
#include "belief/consolidate_int.h"

#include <string.h>

/* ---- reading ------------------------------------------------------------- */

static struct mem_str
episode_text(struct consolidate_run *r, const char *field)
{
	const struct mem_str s = mem_json_text(&r->arena, mem_rec_value(&r->rec, field));
	return s.p != NULL ? s : MEM_STR("");
}

/* What its claims come from, for facts and for entities. */
static void
set_sources(struct consolidate_run *r, struct consolidate_episode *e, const struct mem_attr *a, struct mem_str ns)
{
	const double trust = mem_rec_num(&r->rec, "trust", (double)a->trust), importance = mem_rec_num(&r->rec, "importance", (double)a->importance);
	const bool replaces = mem_id_parse(episode_text(r, "supersedes"), &e->supersedes);
	e->entities = (struct mem_entity_source){ .episode = e->id, .has_episode = true, .ord = e->ord, .ns = ns,
		.created_at = e->created_at, .trust = trust, .importance = importance };
	e->facts = (struct mem_fact_source){ .episode = e->id, .has_episode = true, .ord = e->ord, .ns = ns,
		.created_at = e->created_at, .captured_at = a->captured_at, .trust = trust, .importance = importance,
		.supersedes = replaces ? &e->supersedes : NULL, .via = MEM_STR("mem-consolidate") };
}

bool
consolidate_is_heard(const struct mem_attr *a, int64_t now)
{
	struct mem_attr then = *a;
	if (then.status == MEM_STATUS_SUPERSEDED)
		then.status = MEM_STATUS_ACTIVE;
	return mem_attr_live(&then, now);
}

static enum mem_status
read_episode(struct consolidate_run *r, struct mem_txn *t, struct consolidate_episode *e, struct mem_err *err)
{
	struct mem_str json;
	struct mem_ns ns;
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, e->ord, &a, err);
	if (st != MEM_OK)
		return st;
	e->id = a->id, e->ns = a->ns, e->created_at = a->created_at;
	e->passed = !consolidate_is_heard(a, mem_txn_now(t));
	st = mem_ns_by_number(t, a->ns, &ns, err);
	if (st == MEM_OK)
		st = mem_node_text_at(t, e->ord, &json, err);
	if (st != MEM_OK)
		return st;
	json = mem_arena_str(&r->arena, json);
	st = mem_rec_scan(&r->rec, json, err);
	if (st != MEM_OK)
		return st;
	e->text = (struct mem_extract_source){ .content = episode_text(r, "content"), .speaker = episode_text(r, "speaker"),
		.listener = episode_text(r, "listener"), .session_id = episode_text(r, "session_id"), .role = (enum mem_role)a->role,
		.captured_at = a->captured_at };
	set_sources(r, e, a, mem_arena_str(&r->arena, mem_str(ns.name)));
	return MEM_OK;
}

/* One that was erased meanwhile is passed over; one that is damaged has failed. */
static enum mem_status
read_episodes(struct consolidate_run *r, const uint32_t *ords, size_t n, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct consolidate_episode *e = &r->v[r->n];
		struct mem_claim_list claims = e->claims;
		mem_claims_reset(&claims);
		*e = (struct consolidate_episode){ .ord = ords[i], .line = r->line + 1, .claims = claims };
		st = read_episode(r, t, e, err);
		if (st == MEM_DAMAGED || st == MEM_REFUSED)
			e->unread = st == MEM_DAMAGED ? "damaged" : err->reason;
		if (st == MEM_DAMAGED)
			mem_store_damage_note(r->store, err);
		if (st != MEM_NOTFOUND)
			r->n++, r->line++;
		st = st == MEM_NOTFOUND || e->unread != NULL ? MEM_OK : st;
	}
	mem_txn_end(t);
	return st;
}

/* ---- claims ------------------------------------------------------------- */

static enum mem_status
extract_by_rules(struct consolidate_run *r, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < r->n && st == MEM_OK; i++) {
		struct consolidate_episode *e = &r->v[i];
		e->claims.arena = &r->arena;
		if (!e->passed && e->unread == NULL)
			st = mem_extract(&e->claims, r->rules, &e->text, err);
		e->nrules = e->claims.n;
	}
	return st;
}

/* The claims of an extractor behind those of the rules, each with a source of its own, since in each another thing was cleaned. */
static void
take_claims_of_extractor(struct consolidate_run *r, const size_t *places, const struct mem_with_answer *answer)
{
	for (size_t i = 0; i < answer->n;) {
		struct consolidate_episode *e = &r->v[places[answer->v[i].episode]];
		size_t n = 1;
		while (i + n < answer->n && answer->v[i + n].episode == answer->v[i].episode)
			n++;
		e->with = mem_arena_alloc(&r->arena, n * sizeof *e->with);
		for (size_t k = 0; k < n; k++) {
			*mem_claim_add(&e->claims) = answer->v[i + k].claim;
			e->with[k] = e->facts;
			e->with[k].via = answer->via;
			e->with[k].found = &answer->v[i + k].found;
		}
		i += n;
	}
}

static void
extract_by_command(struct consolidate_run *r)
{
	struct mem_with_answer answer;
	struct mem_with_episode *given = mem_arena_alloc(&r->arena, (r->n + 1) * sizeof *given);
	size_t *places = mem_arena_alloc(&r->arena, (r->n + 1) * sizeof *places), n = 0;
	for (size_t i = 0; i < r->n; i++)
		if (!r->v[i].passed && r->v[i].unread == NULL) {
			given[n] = (struct mem_with_episode){ r->v[i].id, r->v[i].text };
			places[n++] = i;
		}
	const struct mem_with_options o = { .command = r->with, .timeout_ms = r->with_ms, .rules = r->rules, .clean = r->clean,
		.tell = r->o.tell, .ctx = r->o.tell_ctx };
	mem_extract_with(&answer, &r->arena, &o, given, n);
	take_claims_of_extractor(r, places, &answer);
}

enum mem_status
consolidate_read(struct consolidate_run *r, const uint32_t *ords, size_t n, struct mem_err *err)
{
	mem_arena_reset(&r->arena);
	r->n = 0;
	enum mem_status st = read_episodes(r, ords, n, err);
	if (st == MEM_OK)
		st = extract_by_rules(r, err);
	if (st == MEM_OK && r->with != NULL)
		extract_by_command(r);
	return st;
}
