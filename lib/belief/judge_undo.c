/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a merge changed of facts by judging them anew, taken back.  The fact itself has it, in its field `judged`: of which merge,
 * the version before, the fields that were others (was) and those that were not there (added).  Without a version the merge has made it.
 */
#include "belief/fact_check.h"
#include "belief/join_int.h"
#include "belief/ledger_calls_int.h"

struct judged {
	struct join *j;
	uint32_t ord;
	struct mem_id id;
	struct mem_rec rec;          /* the fact as it is; OWNS its list of fields */
	struct mem_clean_rec clean;
	struct mem_json was, added;
};

/* ---- edges ------------------------------------------------------------------ */

static bool
was_changed(const struct judged *d, const char *field)
{
	return mem_json_there(mem_json_member(d->was, field)) || join_list_has_word(d->added, field);
}

static enum mem_status
unlink_judged(struct judged *d, uint32_t from, uint32_t to, const char *kind)
{
	enum mem_status st = mem_write_unlink_at(d->j->t, from, to, kind, d->j->err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
link_judged(struct judged *d, uint32_t from, uint32_t to, const char *kind, const struct mem_clean_field *fields, size_t n)
{
	const struct mem_write_edge edge = { .kind = kind, .fields = fields, .nfields = n };
	enum mem_verdict verdict;
	return mem_write_link_at(d->j->t, d->j->w, from, to, &edge, &verdict, d->j->err);
}

static bool
names_episode(struct mem_json sources, const struct mem_id *episode)
{
	struct mem_id id;
	for (struct mem_json_iter it = mem_json_each(sources); mem_json_next(&it);)
		if (mem_json_id(mem_json_member(it.value, "episode"), &id) && mem_id_cmp(&id, episode) == 0)
			return true;
	return false;
}

static enum mem_status
link_source(struct judged *d, uint32_t episode, struct mem_json source)
{
	double confidence;
	if (!mem_json_num(mem_json_member(source, "confidence"), &confidence))
		confidence = 1;
	int64_t at;
	bool timed = mem_time_parse(mem_json_text(&d->j->arena, mem_json_member(source, "created_at")), &at);
	const struct mem_clean_field fields[] = {
		{ "weight", mem_clean_num(&d->j->arena, confidence) },
		{ "created_at", timed ? mem_clean_time(&d->j->arena, at) : mem_clean_absent() },
	};
	enum mem_status st = link_judged(d, episode, d->ord, "supports", fields, 2);
	return st == MEM_OK ? link_judged(d, d->ord, episode, "derived_from", fields + 1, 1) : st;
}

static enum mem_status
unlink_source(struct judged *d, uint32_t episode)
{
	enum mem_status st = unlink_judged(d, episode, d->ord, "supports");
	return st == MEM_OK ? unlink_judged(d, d->ord, episode, "derived_from") : st;
}

/* The edges of the sources that one list has and the other has not: made, or taken away. */
static enum mem_status
turn_sources(struct judged *d, struct mem_json of, struct mem_json without, bool make)
{
	struct mem_id episode;
	uint32_t end;
	bool there;
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(of); st == MEM_OK && mem_json_next(&it);) {
		if (!mem_json_id(mem_json_member(it.value, "episode"), &episode) || names_episode(without, &episode))
			continue;
		st = join_end_find(d->j, &episode, &end, &there);
		if (st == MEM_OK && there)
			st = make ? link_source(d, end, it.value) : unlink_source(d, end);
	}
	return st;
}

static enum mem_status
restore_sources(struct judged *d)
{
	struct mem_json was = mem_json_member(d->was, "sources"), is = mem_rec_value(&d->rec, "sources");
	if (!mem_json_there(was))
		return MEM_OK;
	enum mem_status st = turn_sources(d, is, was, false);
	return st == MEM_OK ? turn_sources(d, was, is, true) : st;
}

/* What took its place by the merge does so no more. */
static enum mem_status
unlink_ender(struct judged *d, const struct mem_id *ender)
{
	uint32_t end;
	bool there;
	enum mem_status st = join_end_find(d->j, ender, &end, &there);
	if (st == MEM_OK && there)
		st = unlink_judged(d, d->ord, end, "superseded_by");
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
	const struct mem_clean_field why = { "reason", mem_json_there(reason) ? mem_clean_part(&d->clean, reason) :
	    mem_clean_value(&d->clean, "superseded_reason") };
	return link_judged(d, d->ord, end, "superseded_by", &why, 1);
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
			st = link_judged(d, d->ord, end, "about", fields, MEM_COUNT(fields));
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

static size_t
list_judged_fields(struct judged *d, struct mem_clean_field *set, size_t max)
{
	struct mem_arena *a = &d->j->arena;
	size_t n = 0;
	for (struct mem_json_iter it = mem_json_each(d->was); n + 1 < max && mem_json_next(&it);)
		set[n++] = (struct mem_clean_field){ mem_arena_dup(a, it.key.p, it.key.n), mem_clean_part(&d->clean, it.value) };
	for (struct mem_json_iter it = mem_json_each(d->added); n + 1 < max && mem_json_next(&it);) {
		struct mem_str name = mem_json_text(a, it.value);
		set[n++] = (struct mem_clean_field){ mem_arena_dup(a, name.p, name.n), mem_clean_absent() };
	}
	return n;
}

static enum mem_status
restore_judged(struct judged *d, int64_t version)
{
	enum { FIELDS_MAX = 32 };
	struct mem_clean_field set[FIELDS_MAX];
	const struct mem_write_edit edit = { .set = set, .n = list_judged_fields(d, set, FIELDS_MAX), .op = "changed", .version = version };
	enum mem_status st = restore_sources(d);
	if (st == MEM_OK)
		st = restore_ender(d);
	if (st == MEM_OK)
		st = restore_validity(d);
	return st == MEM_OK ? mem_write_change_at(d->j->t, d->j->w, d->ord, &edit, NULL, d->j->err) : st;
}

/* Whoever changed it since then keeps what he did: it is judged anew instead. */
static enum mem_status
take_back(struct judged *d, bool *whole)
{
	const struct mem_json judged = mem_rec_value(&d->rec, "judged");
	const struct mem_write_removal removal = { .op = "removed" };
	const struct mem_clean_field none = { "judged", mem_clean_absent() };
	const struct mem_write_edit forget = { .set = &none, .n = 1, .op = "changed" };
	struct mem_id by;
	int64_t version = 0, is = join_version(&d->rec);
	if (!mem_json_id(mem_json_member(judged, "by"), &by) || mem_id_cmp(&by, &d->j->other.id) != 0) {
		*whole = false; /* another merge has judged it since, or taken back what this one did */
		return MEM_OK;
	}
	bool made = !mem_json_int(mem_json_member(judged, "version"), &version);
	d->was = mem_json_member(judged, "was");
	d->added = mem_json_member(judged, "added");
	if (made && is == 1)
		return mem_write_remove_at(d->j->t, d->j->w, d->ord, &removal, d->j->err);
	if (!made && is == version + 1)
		return restore_judged(d, version);
	*whole = false;
	return mem_write_change_at(d->j->t, d->j->w, d->ord, &forget, NULL, d->j->err);
}

/* *there false: it was erased. */
static enum mem_status
read_judged(struct judged *d, bool *there)
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

enum mem_status
join_unjudge(struct join *j, struct mem_json ids, bool *whole)
{
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(ids); st == MEM_OK && mem_json_next(&it);) {
		struct judged d = { .j = j };
		bool there;
		if (!mem_json_id(it.value, &d.id))
			continue;
		st = read_judged(&d, &there);
		if (st == MEM_OK && there)
			st = take_back(&d, whole);
		mem_rec_release(&d.rec);
	}
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

/* ---- sources of what became part of another ----------------------------------------- */

/*
 * A fact that became part of an earlier one, be it after the merge, has none of its sources; the other has them.  They are those of
 * episodes that mention what it is about, and not what the other is about; of an episode that mentions both, what it began with.
 */
struct absorbed {
	struct judged *d, by;
	struct mem_id about, apart;  /* the entity that it is about, and that of the other one in its place */
	struct mem_clean_text its, others; /* sources */
	int64_t nits, nothers;
};

static bool
find_apart_ends(struct absorbed *x)
{
	static const char *const ends[] = { "subject", "object" };
	for (size_t i = 0; i < MEM_COUNT(ends); i++)
		if (mem_json_id(mem_json_member(mem_rec_value(&x->d->rec, ends[i]), "id"), &x->about) &&
		    mem_json_id(mem_json_member(mem_rec_value(&x->by.rec, ends[i]), "id"), &x->apart) && mem_id_cmp(&x->about, &x->apart) != 0)
			return true;
	return false;
}

static enum mem_status
does_mention(struct join *j, uint32_t episode, const struct mem_id *entity, bool *does)
{
	struct mem_edge edge;
	uint32_t ord;
	bool there;
	*does = false;
	enum mem_status st = join_end_find(j, entity, &ord, &there);
	if (st == MEM_OK && there) {
		st = mem_edge_find(j->t, "mentions", episode, ord, &edge, j->err);
		*does = st == MEM_OK;
	}
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
is_source_its(struct absorbed *x, struct mem_json source, bool *its)
{
	struct mem_id episode;
	uint32_t ord;
	bool there, both;
	*its = false;
	if (!mem_json_id(mem_json_member(source, "episode"), &episode))
		return MEM_OK;
	enum mem_status st = join_end_find(x->d->j, &episode, &ord, &there);
	if (st == MEM_OK && there)
		st = does_mention(x->d->j, ord, &x->about, its);
	if (st == MEM_OK && there && *its)
		st = does_mention(x->d->j, ord, &x->apart, &both);
	if (st == MEM_OK && there && *its && both)
		*its = mem_str_eq(mem_json_member(source, "at").raw, mem_rec_value(&x->d->rec, "valid_from").raw);
	return st;
}

static enum mem_status
split_sources(struct absorbed *x)
{
	struct mem_clean_object its = { 0 }, others = { 0 };
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&x->by.rec, "sources")); st == MEM_OK && mem_json_next(&it);) {
		bool is_its;
		st = is_source_its(x, it.value, &is_its);
		mem_clean_list_put(is_its ? &its : &others, mem_clean_part(&x->by.clean, it.value));
		x->nits += is_its;
		x->nothers += !is_its;
	}
	x->its = mem_clean_list_end(&its, &x->d->j->arena);
	x->others = mem_clean_list_end(&others, &x->d->j->arena);
	return st;
}

static enum mem_status
write_split_sources(struct judged *d, struct mem_clean_text list, int64_t n)
{
	struct mem_arena *a = &d->j->arena;
	struct mem_json is = mem_rec_value(&d->rec, "sources");
	const struct mem_clean_field set[] = { { "sources", list }, { "mentions", mem_clean_int(a, n) } };
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "changed" };
	enum mem_status st = turn_sources(d, is, list.value, false);
	if (st == MEM_OK)
		st = turn_sources(d, list.value, is, true);
	join_add_fact(d->j, &d->id);
	return st == MEM_OK ? mem_write_change_at(d->j->t, d->j->w, d->ord, &edit, NULL, d->j->err) : st;
}

/* Both are judged by what they have then. */
static enum mem_status
take_sources_back(struct judged *d, const struct mem_id *by)
{
	struct absorbed x = { .d = d, .by = { .j = d->j, .id = *by } };
	bool there = mem_json_is(mem_rec_value(&d->rec, "superseded_reason"), MEM_FACT_RESTATED) &&
	    mem_str_is(mem_rec_value(&d->rec, "sources").raw, "[]");
	enum mem_status st = there ? read_judged(&x.by, &there) : MEM_OK;
	if (st == MEM_OK && there && find_apart_ends(&x))
		st = split_sources(&x);
	if (st == MEM_OK && x.nits > 0 && x.nothers > 0) {
		st = write_split_sources(&x.by, x.others, x.nothers);
		if (st == MEM_OK)
			st = write_split_sources(d, x.its, x.nits);
	}
	mem_rec_release(&x.by.rec);
	return st;
}

enum mem_status
join_stand_again(struct join *j, const struct mem_id *id)
{
	struct judged d = { .j = j, .id = *id };
	struct mem_id ender;
	bool there;
	enum mem_status st = read_judged(&d, &there);
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
	enum mem_status st = read_judged(&d, &there);
	if (st == MEM_OK && there && mem_json_id(mem_rec_value(&d.rec, "superseded_by"), &ender)) {
		st = mem_node_by_id(j->t, &ender, &winner, j->err);
		if (st == MEM_NOTFOUND)
			st = MEM_OK;
		else if (st == MEM_OK && mem_facts_are_apart(mem_rec_json(&d.rec), mem_json_object(winner.json))) {
			*freed = true;
			st = take_sources_back(&d, &ender);
			if (st == MEM_OK)
				st = let_stand(&d, &ender);
		}
	}
	mem_rec_release(&d.rec);
	return st;
}
