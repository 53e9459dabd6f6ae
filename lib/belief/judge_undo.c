/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a merge changed of facts by judging them anew, taken back.  The fact itself has it, in its field `judged`: of which merge,
 * the version before, the fields that were others (was) and those that were not there (added).  Without a version the merge has made it.
 */
#include "belief/fact_check.h"
#include "belief/judge_int.h"
#include "belief/ledger_calls_int.h"

#include <stdlib.h>

/* ---- edges ------------------------------------------------------------------ */

static bool
was_changed(const struct judged *d, const char *field)
{
	return mem_json_there(mem_json_member(d->was, field)) || join_list_has_word(d->added, field);
}

enum mem_status
judged_unlink(struct judged *d, uint32_t from, uint32_t to, const char *kind)
{
	enum mem_status st = mem_write_unlink_at(d->j->t, from, to, kind, d->j->err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
judged_link(struct judged *d, uint32_t from, uint32_t to, const char *kind, const struct mem_clean_field *fields, size_t n)
{
	const struct mem_write_edge edge = { .kind = kind, .fields = fields, .nfields = n };
	enum mem_verdict verdict;
	return mem_write_link_at(d->j->t, d->j->w, from, to, &edge, &verdict, d->j->err);
}

/* What took its place by the merge does so no more. */
static enum mem_status
unlink_ender(struct judged *d, const struct mem_id *ender)
{
	uint32_t end;
	bool there;
	enum mem_status st = join_end_find(d->j, ender, &end, &there);
	if (st == MEM_OK && there)
		st = judged_unlink(d, d->ord, end, "superseded_by");
	return st == MEM_OK ? join_remove_conflict(d->j, &d->rec, &d->id, ender) : st;
}

/* What took its place, by the merge and before. */
static enum mem_status
restore_ender(struct judged *d)
{
	struct mem_id is, was;
	uint32_t end;
	bool there;
	enum mem_status st = MEM_OK;
	if (!was_changed(d, "superseded_by"))
		return MEM_OK;
	if (mem_json_id(mem_rec_value(&d->rec, "superseded_by"), &is))
		st = unlink_ender(d, &is);
	if (st != MEM_OK || !mem_json_id(mem_json_member(d->was, "superseded_by"), &was))
		return st;
	st = join_end_find(d->j, &was, &end, &there);
	if (st != MEM_OK || !there)
		return st;
	struct mem_json reason = mem_json_member(d->was, "superseded_reason");
	struct mem_json at = mem_json_member(d->was, "superseded_at");
	const struct mem_clean_field fields[] = {
		{ "reason", mem_json_there(reason) ? mem_clean_part(&d->clean, reason) : mem_clean_value(&d->clean, "superseded_reason") },
		{ "created_at", mem_json_there(at) ? mem_clean_part(&d->clean, at) : mem_clean_value(&d->clean, "superseded_at") },
	};
	return judged_link(d, d->ord, end, "superseded_by", fields, MEM_COUNT(fields));
}

/* Edges about have the validity; `to` absent: it is open. */
static enum mem_status
write_validity(struct judged *d, struct mem_clean_text to)
{
	static const char *const ends[] = { "subject", "object" };
	const struct mem_clean_field fields[] = { { "valid_from", mem_clean_value(&d->clean, "valid_from") }, { "valid_to", to } };
	struct mem_id id;
	uint32_t end;
	bool there;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(ends) && st == MEM_OK; i++) {
		if (!mem_json_id(mem_json_member(mem_rec_value(&d->rec, ends[i]), "id"), &id))
			continue;
		st = join_end_find(d->j, &id, &end, &there);
		if (st == MEM_OK && there)
			st = judged_link(d, d->ord, end, "about", fields, MEM_COUNT(fields));
	}
	return st;
}

static enum mem_status
restore_validity(struct judged *d)
{
	struct mem_json to = mem_json_member(d->was, "valid_to");
	if (!was_changed(d, "valid_to"))
		return MEM_OK;
	return write_validity(d, to.type == MEM_JSON_STRING ? mem_clean_part(&d->clean, to) : mem_clean_absent());
}

/* ---- fields ------------------------------------------------------------------- */

/* Is it one of the fields that say what became of the fact? */
static bool
is_end_field(struct mem_str name)
{
	static const char *const names[] = { "status", "superseded_by", "superseded_at", "superseded_reason", "valid_to" };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (mem_str_is(name, names[i]))
			return true;
	return false;
}

/* Did somebody put it aside since?  So it stays. */
static bool
is_put_aside(const struct judged *d)
{
	static const char *const by_rules[] = { "active", "superseded", "quarantined", NULL };
	return !mem_json_among(mem_rec_value(&d->rec, "status"), by_rules, NULL) ||
	    mem_json_is(mem_rec_value(&d->rec, "superseded_reason"), MEM_FACT_BY_HAND);
}

enum { JUDGED_FIELDS_MAX = 32 };

/* The fields as they were; `keeps` the end: without those of that. */
static size_t
list_judged_fields(struct judged *d, bool keeps, struct mem_clean_field *set)
{
	struct mem_arena *a = &d->j->arena;
	size_t n = 0;
	for (struct mem_json_iter it = mem_json_each(d->was); n + 3 < JUDGED_FIELDS_MAX && mem_json_next(&it);)
		if (!keeps || !is_end_field(it.key))
			set[n++] = (struct mem_clean_field){ mem_arena_dup(a, it.key.p, it.key.n), mem_clean_part(&d->clean, it.value) };
	for (struct mem_json_iter it = mem_json_each(d->added); n + 3 < JUDGED_FIELDS_MAX && mem_json_next(&it);) {
		struct mem_str name = mem_json_text(a, it.value);
		if (!keeps || !is_end_field(name))
			set[n++] = (struct mem_clean_field){ mem_arena_dup(a, name.p, name.n), mem_clean_absent() };
	}
	return n;
}

static enum mem_status
restore_end(struct judged *d)
{
	enum mem_status st = restore_ender(d);
	return st == MEM_OK ? restore_validity(d) : st;
}

static enum mem_status
restore_judged(struct judged *d)
{
	struct mem_clean_field set[JUDGED_FIELDS_MAX];
	const struct mem_write_edit edit = { .set = set, .n = list_judged_fields(d, false, set), .op = "changed", .version = d->version };
	struct mem_json was = mem_json_member(d->was, "sources");
	enum mem_status st = mem_json_there(was) ? judged_turn_sources(d, mem_rec_value(&d->rec, "sources"), was) : MEM_OK;
	if (st == MEM_OK)
		st = restore_end(d);
	return st == MEM_OK ? mem_write_change_at(d->j->t, d->j->w, d->ord, &edit, NULL, d->j->err) : st;
}

/* ---- what was changed since -------------------------------------------------------- */

/* Mentions that it has besides its sources, of which there is room for some only. */
static int64_t
count_hidden_mentions(const struct judged *d)
{
	int64_t n;
	if (!mem_json_int(mem_json_member(d->was, "mentions"), &n))
		return 0;
	n -= (int64_t)judged_count_own(d);
	return n > 0 ? n : 0;
}

static void
set_judged_field(struct mem_clean_field *set, size_t *n, const char *name, struct mem_clean_text value)
{
	for (size_t i = 0; i < *n; i++)
		if (mem_str_is(mem_str(set[i].name), name)) {
			set[i].value = value;
			return;
		}
	set[(*n)++] = (struct mem_clean_field){ name, value };
}

/* Corrections go where their sources go: the ledger sees to that. */
static void
keep_judged_corrections(struct judged *d, struct mem_clean_field *set, size_t *n)
{
	struct mem_clean_text is = mem_clean_value(&d->clean, "corrects");
	if (mem_clean_there(is) && !d->edited)
		set_judged_field(set, n, "corrects", is);
}

/* The sources that the merge gave and took go back; what others did to it since stays. */
static enum mem_status
give_back(struct judged *d)
{
	struct mem_clean_field set[JUDGED_FIELDS_MAX];
	const bool keeps = is_put_aside(d);
	struct mem_write_edit edit = { .set = set, .n = list_judged_fields(d, keeps, set), .op = "changed" };
	struct mem_json is = mem_rec_value(&d->rec, "sources"), wanted = d->sources.value;
	enum mem_status st = MEM_OK;
	if (!mem_str_eq(is.raw, wanted.raw)) {
		st = judged_turn_sources(d, is, wanted);
		set_judged_field(set, &edit.n, "sources", d->sources);
		set_judged_field(set, &edit.n, "mentions", mem_clean_int(&d->j->arena, (int64_t)d->nsources + count_hidden_mentions(d)));
	}
	keep_judged_corrections(d, set, &edit.n);
	if (st == MEM_OK && !keeps)
		st = restore_end(d);
	if (st == MEM_OK && edit.n > 0)
		st = mem_write_change_at(d->j->t, d->j->w, d->ord, &edit, NULL, d->j->err);
	join_add_changed(d->j, &d->id);
	return st;
}

/* By a fact that was made since, while it kept its sources in the merge. */
static bool
is_absorbed_since(const struct judged *d)
{
	return !mem_json_there(mem_json_member(d->was, "sources")) && mem_str_is(mem_rec_value(&d->rec, "sources").raw, "[]") &&
	    mem_json_is(mem_rec_value(&d->rec, "superseded_reason"), MEM_FACT_RESTATED);
}

static enum mem_status
take_back(struct judged *d, bool *whole)
{
	const struct mem_write_removal removal = { .op = "removed" };
	const struct mem_clean_field none = { "judged", mem_clean_absent() };
	const struct mem_write_edit forget = { .set = &none, .n = 1, .op = "changed" };
	const int64_t is = join_version(&d->rec);
	if (d->mine && d->made && is == 1)
		return mem_write_remove_at(d->j->t, d->j->w, d->ord, &removal, d->j->err);
	if (d->mine && !d->made && is == d->version + 1 && !d->gains)
		return restore_judged(d);
	*whole = false;
	/* What is a part of another fact by now, which has its sources, has them again when that is found to be apart (join_free_fact). */
	if (d->mine && (d->made || is_absorbed_since(d)))
		return mem_write_change_at(d->j->t, d->j->w, d->ord, &forget, NULL, d->j->err);
	return d->mine || d->edited != NULL ? give_back(d) : MEM_OK; /* else a merge that is taken back itself has judged it since */
}

/* ---- the facts ------------------------------------------------------------------------ */

enum mem_status
judged_read(struct judged *d, bool *there)
{
	struct mem_node node;
	enum mem_status st = mem_node_by_id(d->j->t, &d->id, &node, d->j->err);
	*there = st == MEM_OK;
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	d->ord = node.ord;
	st = mem_rec_scan(&d->rec, mem_arena_str(&d->j->arena, node.json), d->j->err);
	mem_clean_restored(&d->clean, &d->rec);
	return st;
}

/* To the list, where it is there.  *out NULL: it is not. */
static enum mem_status
add_judged(struct join *j, struct judged_list *l, const struct mem_id *id, const struct judged *edited, struct judged **out)
{
	struct judged *d = mem_arena_alloc(&j->arena, sizeof *d);
	struct mem_id by;
	bool there;
	*d = (struct judged){ .j = j, .id = *id, .edited = edited };
	*out = NULL;
	enum mem_status st = judged_read(d, &there);
	if (st != MEM_OK || !there) {
		mem_rec_release(&d->rec);
		return st;
	}
	const struct mem_json judged = mem_rec_value(&d->rec, "judged");
	d->mine = edited == NULL && mem_json_id(mem_json_member(judged, "by"), &by) && mem_id_cmp(&by, &j->other.id) == 0;
	d->made = d->mine && !mem_json_int(mem_json_member(judged, "version"), &d->version);
	if (d->mine) {
		d->was = mem_json_member(judged, "was");
		d->added = mem_json_member(judged, "added");
	}
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = *out = d;
	return MEM_OK;
}

/* The version that mem-edit(1) made of a fact, and that stands in its place.  *there false: none. */
static enum mem_status
find_edited_version(struct join *j, const struct mem_rec *fact, struct mem_id *id, bool *there)
{
	struct mem_node node;
	struct mem_id from, self;
	*there = mem_json_id(mem_rec_value(fact, "superseded_by"), id) && mem_json_id(mem_rec_value(fact, "id"), &self);
	enum mem_status st = *there ? mem_node_by_id(j->t, id, &node, j->err) : MEM_OK;
	*there = *there && st == MEM_OK && mem_json_id(mem_json_path(mem_json_object(node.json), "edited.from"), &from) && mem_id_cmp(&from, &self) == 0;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* The fact, and the versions that somebody made of it since. */
static enum mem_status
add_judged_versions(struct join *j, struct judged_list *l, const struct mem_id *id, const struct join_ids *gone_over)
{
	struct judged *d = NULL;
	struct mem_id next;
	bool more;
	enum mem_status st = add_judged(j, l, id, NULL, &d);
	if (st == MEM_OK && d != NULL)
		d->gone_over = join_ids_have(gone_over, id);
	bool mine = d != NULL && d->mine;
	while (st == MEM_OK && mine && d != NULL) {
		st = find_edited_version(j, &d->rec, &next, &more);
		if (st != MEM_OK || !more)
			break;
		st = add_judged(j, l, &next, d, &d);
	}
	return st;
}

enum mem_status
join_unjudge(struct join *j, const struct join_ids *judged, const struct join_ids *gone_over, bool *whole)
{
	struct judged_list l = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < judged->n && st == MEM_OK; i++)
		st = add_judged_versions(j, &l, &judged->v[i], gone_over);
	if (st == MEM_OK)
		st = judged_sort_sources(&l);
	for (size_t i = 0; i < l.n && st == MEM_OK; i++)
		st = take_back(l.v[i], whole);
	for (size_t i = 0; i < l.n; i++)
		mem_rec_release(&l.v[i]->rec);
	free(l.v);
	return st;
}

/* ---- versions made since ---------------------------------------------------------- */

static bool
names_entity(const struct mem_rec *fact, const struct mem_id *entity)
{
	struct mem_id id;
	return (mem_json_id(mem_json_member(mem_rec_value(fact, "subject"), "id"), &id) && mem_id_cmp(&id, entity) == 0) ||
	    (mem_json_id(mem_json_member(mem_rec_value(fact, "object"), "id"), &id) && mem_id_cmp(&id, entity) == 0);
}

/* Its edges about, after its ends. */
static enum mem_status
part_about(struct judged *d)
{
	bool there;
	enum mem_status st = judged_read(d, &there);
	if (st != MEM_OK || !there)
		return st;
	struct mem_clean_text to = mem_clean_value(&d->clean, "valid_to");
	if (!names_entity(&d->rec, &d->j->keep.id))
		st = judged_unlink(d, d->ord, d->j->keep.ord, "about");
	if (st == MEM_OK)
		st = write_validity(d, to.value.type == MEM_JSON_STRING ? to : mem_clean_absent());
	mem_rec_release(&d->rec);
	join_add_fact(d->j, &d->id);
	join_ids_add(&d->j->touched, &d->id);
	return st;
}

/* Of the fact with this number the version in its place, with these ends; *ord its number, UINT32_MAX: there is none. */
static enum mem_status
part_version(struct join *j, uint32_t fact, unsigned ends, uint32_t *ord)
{
	struct judged d = { .j = j };
	struct mem_node node;
	struct mem_rec rec = { 0 };
	unsigned renamed = 0;
	bool there = false, allowed = false;
	*ord = UINT32_MAX;
	enum mem_status st = mem_node_at(j->t, fact, &node, j->err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, j->err);
	if (st == MEM_OK)
		st = find_edited_version(j, &rec, &d.id, &there);
	mem_rec_release(&rec);
	if (st == MEM_OK && there)
		st = join_end_find(j, &d.id, &d.ord, &there);
	if (st == MEM_OK && there)
		st = mem_write_allowed_at(j->t, j->w, d.ord, &allowed, j->err);
	if (st == MEM_OK && allowed)
		st = join_fact_rename(j, d.ord, &j->keep.id, &j->other.id, ends, 0, &renamed);
	if (st != MEM_OK || renamed == 0)
		return st;
	*ord = d.ord;
	return part_about(&d);
}

enum mem_status
join_part_versions(struct join *j, uint32_t fact, unsigned ends)
{
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && fact != UINT32_MAX)
		st = part_version(j, fact, ends, &fact);
	return st;
}

/* ---- what others have ended ------------------------------------------------------ */

/* As if nothing had ended it; what its sources say of its end the ledger finds again. */
static enum mem_status
let_stand(struct judged *d, const struct mem_id *ender)
{
	struct mem_arena *a = &d->j->arena;
	struct mem_clean_object detail = { 0 };
	mem_clean_object_put(&detail, "change", mem_clean_word(a, MEM_STR("revived")));
	const struct mem_clean_field set[] = {
		{ "status", mem_clean_word(a, MEM_STR("active")) }, { "superseded_by", mem_clean_absent() }, { "superseded_at", mem_clean_absent() },
		{ "superseded_reason", mem_clean_absent() }, { "valid_to", mem_clean_null() }, { "judged", mem_clean_absent() },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "changed",
		.audit = { "fact", NULL, mem_clean_object_end(&detail, a) } };
	enum mem_status st = unlink_ender(d, ender);
	if (st == MEM_OK)
		st = write_validity(d, mem_clean_absent());
	return st == MEM_OK ? mem_write_change_at(d->j->t, d->j->w, d->ord, &edit, NULL, d->j->err) : st;
}

enum mem_status
join_stand_again(struct join *j, const struct mem_id *id)
{
	struct judged d = { .j = j, .id = *id };
	struct mem_id ender;
	bool there;
	enum mem_status st = judged_read(&d, &there);
	if (st == MEM_OK && there && mem_json_id(mem_rec_value(&d.rec, "superseded_by"), &ender)) {
		st = let_stand(&d, &ender);
		join_add_fact(j, id);
	}
	mem_rec_release(&d.rec);
	return st;
}

enum mem_status
join_free_fact(struct join *j, const struct mem_id *id, bool *freed)
{
	struct judged d = { .j = j, .id = *id };
	struct mem_id ender;
	struct mem_node winner;
	bool there;
	*freed = false;
	enum mem_status st = judged_read(&d, &there);
	if (st == MEM_OK && there && mem_json_id(mem_rec_value(&d.rec, "superseded_by"), &ender)) {
		st = mem_node_by_id(j->t, &ender, &winner, j->err);
		if (st == MEM_NOTFOUND)
			st = MEM_OK;
		else if (st == MEM_OK && mem_facts_are_apart(mem_rec_json(&d.rec), mem_json_object(winner.json))) {
			*freed = true;
			st = judged_take_back_sources(&d, &ender);
			if (st == MEM_OK)
				st = let_stand(&d, &ender);
		}
	}
	mem_rec_release(&d.rec);
	return st;
}
