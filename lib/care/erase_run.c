/* SPDX-License-Identifier: Apache-2.0 */
/* Carrying out a plan of erasing: what stays is mended, what goes is removed, all in the transaction of the caller's. */
#include "belief/erased_claim.h"
#include "belief/fact_check.h"
#include "care/erase_int.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/erased_claims.h"

#include <stdlib.h>

/* ---- what stays ---------------------------------------------------------- */

static enum mem_status
mend_spared(struct erase_plan *p, struct mem_writer *w, uint32_t ord, struct mem_err *err)
{
	struct mem_write_edit edit = { 0 };
	struct mem_node node;
	enum mem_status st = mem_node_at(p->t, ord, &node, err);
	if (st == MEM_OK)
		st = erase_mend_sources(p, w, &node, &edit, err);
	return st == MEM_OK && edit.n > 0 ? mem_write_change_at(p->t, w, ord, &edit, NULL, err) : st;
}

/* ---- what was superseded -------------------------------------------------- */

/* What stands in a fact's place once those that go are gone: the first behind it that stays. */
static enum mem_status
find_successor(struct erase_plan *p, uint32_t ord, struct mem_node *out, bool *found, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*found = false;
	for (size_t step = 0; st == MEM_OK && step <= p->n; step++) {
		struct mem_json v;
		struct mem_id id;
		st = mem_node_at(p->t, ord, out, err);
		if (st != MEM_OK)
			break;
		v = mem_json_member(mem_json_object(out->json), "superseded_by");
		if (!mem_json_id(v, &id))
			return MEM_OK;
		st = mem_node_by_id(p->t, &id, out, err);
		if (st == MEM_NOTFOUND)
			return MEM_OK;
		ord = out->ord;
		if (st == MEM_OK && !erase_plan_takes(p, ord)) {
			*found = true;
			return MEM_OK;
		}
	}
	return st;
}

/* Nothing ends it any more: it stands again. */
static enum mem_status
revive_fact(struct erase_plan *p, struct mem_writer *w, uint32_t ord, struct mem_err *err)
{
	const struct mem_clean_field set[] = {
		{ "status", mem_clean_word(mem_writer_arena(w), MEM_STR("active")) }, { "superseded_by", mem_clean_absent() },
		{ "superseded_at", mem_clean_absent() }, { "superseded_reason", mem_clean_absent() }, { "valid_to", mem_clean_absent() },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "changed" };
	return mem_write_change_at(p->t, w, ord, &edit, NULL, err);
}

static enum mem_status
relink_fact(struct erase_plan *p, struct mem_writer *w, uint32_t ord, const struct mem_node *by, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	const struct mem_clean_field set[] = {
		{ "superseded_by", mem_clean_id(a, &by->attr->id) },
		{ "valid_to", by->attr->valid_from != MEM_TIME_NONE ? mem_clean_time(a, by->attr->valid_from) : mem_clean_absent() },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "superseded" };
	const struct mem_clean_field reason = { "reason", mem_clean_word(a, MEM_STR("erased")) };
	const struct mem_write_edge edge = { .kind = "superseded_by", .fields = &reason, .nfields = 1 };
	enum mem_verdict verdict;
	uint32_t to = by->ord;
	enum mem_status st = mem_write_change_at(p->t, w, ord, &edit, NULL, err);
	return st == MEM_OK ? mem_write_link_at(p->t, w, ord, to, &edge, &verdict, err) : st;
}

/* A fact that one that goes has ended. */
static enum mem_status
mend_superseded(struct erase_plan *p, struct mem_writer *w, uint32_t ord, struct mem_err *err)
{
	struct mem_node fact, by;
	bool found = false;
	enum mem_status st = mem_node_at(p->t, ord, &fact, err);
	if (st != MEM_OK || fact.attr->kind != MEM_KIND_FACT || erase_plan_takes(p, ord))
		return st;
	if (mem_fact_is_ended_by_rules(mem_json_object(fact.json))) {
		p->freed = mem_grow(p->freed, &p->freed_cap, p->nfreed + 1, sizeof *p->freed);
		p->freed[p->nfreed++] = fact.attr->id;
		return MEM_OK;
	}
	if (fact.attr->status != MEM_STATUS_SUPERSEDED)
		return MEM_OK;
	st = find_successor(p, ord, &by, &found, err);
	if (st != MEM_OK)
		return st;
	return found ? relink_fact(p, w, ord, &by, err) : revive_fact(p, w, ord, err);
}

/* Each fact that this one has ended.  They are listed first: mending writes edges, which the cursor may or may not give. */
static enum mem_status
mend_predecessors(struct erase_plan *p, struct mem_writer *w, uint32_t ord, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint32_t *before = NULL;
	size_t n = 0, cap = 0;
	uint16_t kind;
	enum mem_status st = mem_edge_cursor_open_at(&c, p->t, ord, "superseded_by", false, &kind, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == kind) {
		before = mem_grow(before, &cap, n + 1, sizeof *before);
		before[n++] = row.other;
	}
	mem_edge_cursor_close(c);
	st = st == MEM_END ? MEM_OK : st;
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		st = mend_superseded(p, w, before[i], err);
	free(before);
	return st;
}

/* ---- what episodes claimed ------------------------------------------------- */

/* Episodes that stay are not to say it again. */
static enum mem_status
erase_claims(struct erase_plan *p, uint32_t ord, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct erase_sources sources = { 0 };
	struct mem_node fact, episode;
	enum mem_status st = mem_node_at(p->t, ord, &fact, err);
	const struct mem_json rec = mem_json_object(st == MEM_OK ? mem_arena_str(&a, fact.json) : MEM_STR("{}"));
	if (st == MEM_OK)
		st = erase_sources_read(p, &a, mem_json_member(rec, "sources"), &sources, err);
	for (size_t i = 0; i < sources.n && st == MEM_OK; i++) {
		const struct erase_source *s = &sources.v[i];
		struct mem_claim_place place = { 0 };
		st = s->has_episode && !s->goes ? mem_node_by_id(p->t, &s->episode, &episode, err) : MEM_NOTFOUND;
		if (st == MEM_OK && episode.attr->kind == MEM_KIND_EPISODE) {
			place.episode = episode.ord;
			if (!mem_json_int(mem_json_member(s->json, "start"), &place.start) || !mem_json_int(mem_json_member(s->json, "end"), &place.end))
				place.end = 0;
			st = mem_claim_erase(p->t, &place, rec, err);
		}
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	mem_arena_release(&a);
	return st;
}

/* ---- all of it -------------------------------------------------------------- */

/* What stays of what one that goes was beside. */
static enum mem_status
mend_around(struct erase_plan *p, struct mem_writer *w, const struct erase_node *n, struct mem_err *err)
{
	if (n->kind == MEM_KIND_EPISODE)
		return mem_erased_claims_clear(p->t, n->ord, err);
	if (n->kind != MEM_KIND_FACT)
		return MEM_OK;
	enum mem_status st = erase_claims(p, n->ord, err);
	return st == MEM_OK ? mend_predecessors(p, w, n->ord, err) : st;
}

enum mem_status
erase_plan_run(struct erase_plan *p, struct mem_writer *w, struct mem_err *err)
{
	static const struct mem_write_removal removal = { .op = "erased" };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->n && st == MEM_OK; i++)
		if (p->v[i].why == ERASE_SPARED)
			st = mend_spared(p, w, p->v[i].ord, err);
		else if (erase_plan_takes(p, p->v[i].ord))
			st = mend_around(p, w, &p->v[i], err);
	for (size_t i = p->n; i-- > 0 && st == MEM_OK;)
		if (erase_plan_takes(p, p->v[i].ord))
			st = mem_write_remove_at(p->t, w, p->v[i].ord, &removal, err);
	return st == MEM_OK && p->nfreed > 0 ? mem_facts_stand_again(p->t, w, p->freed, p->nfreed, err) : st;
}
