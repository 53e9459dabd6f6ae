/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that were made while two entities were one: taken apart, they are about the kept one, and speak of it alone. */
#include "belief/judge_int.h"
#include "store/log.h"

#include <stdlib.h>

enum { AUDIT_ROWS = 256 };      /* read at once */

/* ---- which facts ---------------------------------------------------------------- */

/* Facts that were made behind this row of the audit. */
static enum mem_status
list_facts_since(struct join *j, uint64_t row, struct join_ids *out)
{
	struct mem_audit_row rows[AUDIT_ROWS];
	struct mem_arena a = { 0 };
	size_t n = 1;
	enum mem_status st = MEM_OK;
	while (n > 0 && st == MEM_OK) {
		mem_arena_reset(&a);
		n = 0;
		st = mem_audit_read(j->t, &row, &a, rows, AUDIT_ROWS, &n, j->err);
		for (size_t i = 0; i < n && st == MEM_OK; i++)
			if (mem_str_is(rows[i].kind, "fact") && rows[i].detail.n > 0 &&
			    mem_json_is(mem_json_member(mem_json_object(rows[i].detail), "change"), "new"))
				join_ids_add(out, &rows[i].subject);
	}
	mem_arena_release(&a);
	return st;
}

static bool
is_about_kept(const struct judged *d)
{
	static const char *const ends[] = { "subject", "object" };
	struct mem_id id;
	bool is = false;
	for (size_t i = 0; i < MEM_COUNT(ends) && !is; i++)
		is = mem_json_id(mem_json_member(mem_rec_value(&d->rec, ends[i]), "id"), &id) && mem_id_cmp(&id, &d->j->keep.id) == 0;
	return is;
}

/* ---- what becomes of them ---------------------------------------------------------- */

/* Its sources: those of the other one, and the others. */
struct since_sources {
	struct mem_clean_text stay;
	int64_t nstay, nforeign;
	bool begins_foreign;         /* what it begins with is the other one's */
	bool by_hand;                /* a person said some of it */
};

/* Consolidation finds anew what the episode of a source says. */
static void
take_again(struct join *j, struct mem_json source)
{
	struct mem_id episode;
	if (mem_json_id(mem_json_member(source, "episode"), &episode) && !join_ids_have(&j->again, &episode))
		join_ids_add(&j->again, &episode);
}

/* What the other one's say is found anew, too: the fact that it belonged to may have been split. */
static enum mem_status
sort_since_sources(struct judged *d, struct since_sources *s)
{
	struct mem_clean_object stay = { 0 };
	struct mem_str begins = mem_rec_value(&d->rec, "valid_from").raw;
	enum mem_status st = MEM_OK;
	bool own_beginning = false;
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&d->rec, "sources")); st == MEM_OK && mem_json_next(&it);) {
		bool foreign;
		st = join_source_speaks(d->j, it.value, &d->j->other.id, &d->j->keep.id, &foreign);
		s->by_hand = s->by_hand || mem_json_member(it.value, "episode").type == MEM_JSON_NULL;
		s->nforeign += foreign;
		if (foreign) {
			take_again(d->j, it.value);
			continue;
		}
		own_beginning = own_beginning || mem_str_eq(mem_json_member(it.value, "at").raw, begins);
		mem_clean_list_put(&stay, mem_clean_part(&d->clean, it.value));
		s->nstay++;
	}
	s->begins_foreign = s->nforeign > 0 && !own_beginning;
	s->stay = mem_clean_list_end(&stay, &d->j->arena);
	return st;
}

/* It goes; what it had ended stands again, and what episodes say of the kept one is found anew. */
static enum mem_status
dissolve_fact(struct judged *d, const struct since_sources *s)
{
	const struct mem_write_removal removal = { .op = "removed" };
	struct join_ids ended = { 0 };
	for (struct mem_json_iter it = mem_json_each(s->stay.value); mem_json_next(&it);)
		take_again(d->j, it.value);
	enum mem_status st = join_list_superseded(d->j, d->ord, &ended);
	for (size_t i = 0; i < ended.n && st == MEM_OK; i++)
		st = join_stand_again(d->j, &ended.v[i]);
	if (st == MEM_OK)
		st = mem_write_remove_at(d->j->t, d->j->w, d->ord, &removal, d->j->err);
	free(ended.v);
	return st;
}

static enum mem_status
drop_foreign_sources(struct judged *d, const struct since_sources *s)
{
	struct mem_arena *a = &d->j->arena;
	const int64_t mentions = join_count(&d->rec, "mentions") - s->nforeign;
	const struct mem_clean_field set[] = { { "sources", s->stay }, { "mentions", mem_clean_int(a, mentions > s->nstay ? mentions : s->nstay) } };
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "changed" };
	enum mem_status st = judged_turn_sources(d, mem_rec_value(&d->rec, "sources"), s->stay.value);
	join_add_changed(d->j, &d->id);
	return st == MEM_OK ? mem_write_change_at(d->j->t, d->j->w, d->ord, &edit, NULL, d->j->err) : st;
}

static enum mem_status
part_fact_since(struct judged *d)
{
	struct since_sources s = { .nstay = 0 };
	enum mem_status st = sort_since_sources(d, &s);
	if (st != MEM_OK || s.nforeign == 0)
		return st;
	d->j->changed = true;
	return s.nstay == 0 || (s.begins_foreign && !s.by_hand) ? dissolve_fact(d, &s) : drop_foreign_sources(d, &s);
}

enum mem_status
join_part_since(struct join *j, uint64_t row)
{
	struct join_ids since = { 0 };
	enum mem_status st = list_facts_since(j, row, &since);
	for (size_t i = 0; i < since.n && st == MEM_OK; i++) {
		struct judged d = { .j = j, .id = since.v[i] };
		bool there;
		st = judged_read(&d, &there);
		if (st == MEM_OK && there && is_about_kept(&d))
			st = part_fact_since(&d);
		mem_rec_release(&d.rec);
	}
	free(since.v);
	return st;
}
