/* SPDX-License-Identifier: Apache-2.0 */
/* Which sources facts have once a merge is taken back. */
#include "belief/fact.h"
#include "belief/judge_int.h"

/* ---- edges ------------------------------------------------------------------ */

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
	enum mem_status st = judged_link(d, episode, d->ord, "supports", fields, 2);
	return st == MEM_OK ? judged_link(d, d->ord, episode, "derived_from", fields + 1, 1) : st;
}

static enum mem_status
unlink_source(struct judged *d, uint32_t episode)
{
	enum mem_status st = judged_unlink(d, episode, d->ord, "supports");
	return st == MEM_OK ? judged_unlink(d, d->ord, episode, "derived_from") : st;
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

enum mem_status
judged_turn_sources(struct judged *d, struct mem_json is, struct mem_json wanted)
{
	enum mem_status st = turn_sources(d, is, wanted, false);
	return st == MEM_OK ? turn_sources(d, wanted, is, true) : st;
}

/* ---- of facts that were judged ------------------------------------------------------ */

static const struct judged *
find_first_version(const struct judged *d)
{
	while (d->edited != NULL)
		d = d->edited;
	return d;
}

/* Those before the merge. */
static struct mem_json
list_own_sources(const struct judged *d)
{
	d = find_first_version(d);
	struct mem_json was = mem_json_member(d->was, "sources");
	return mem_json_there(was) ? was : mem_rec_value(&d->rec, "sources");
}

size_t
judged_count_own(const struct judged *d)
{
	size_t n = 0;
	for (struct mem_json_iter it = mem_json_each(list_own_sources(d)); mem_json_next(&it);)
		n++;
	return n;
}

static bool
is_own_source(const struct judged *d, struct mem_json source)
{
	return mem_json_list_has(list_own_sources(d), source.raw);
}

/* Had any fact of the list the source before the merge? */
static bool
is_known_source(const struct judged_list *l, struct mem_json source)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i]->edited == NULL && l->v[i]->mine && !l->v[i]->made && is_own_source(l->v[i], source))
			return true;
	return false;
}

/* The fact about the kept entity whose sources this one, which goes over, was given; NULL: it does not go over, or there is none. */
static struct judged *
find_heir(const struct judged_list *l, const struct judged *d)
{
	d = find_first_version(d);
	for (size_t i = 0; i < l->n && d->gone_over; i++) {
		struct judged *o = l->v[i];
		if (o == d || o->edited != NULL || o->gone_over || !o->mine || o->made)
			continue;
		for (struct mem_json_iter it = mem_json_each(mem_rec_value(&d->rec, "sources")); mem_json_next(&it);)
			if (is_own_source(o, it.value) && !is_own_source(d, it.value))
				return o;
	}
	return NULL;
}

/* An episode that was erased is the source of nothing. */
static enum mem_status
is_source_there(const struct judged *d, struct mem_json source, bool *there)
{
	struct mem_id episode;
	uint32_t ord;
	*there = true;
	return mem_json_id(mem_json_member(source, "episode"), &episode) ? join_end_find(d->j, &episode, &ord, there) : MEM_OK;
}

static void
put_source(struct judged *d, struct mem_clean_object *list, const struct mem_clean_rec *of, struct mem_json source)
{
	mem_clean_list_put(list, mem_clean_part(of, source));
	d->nsources++;
}

/* Of those that it has: its own, and what came since. */
static void
keep_sources(const struct judged_list *l, struct judged *d, const struct judged *heir, struct mem_clean_object *list)
{
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&d->rec, "sources")); mem_json_next(&it);)
		if (is_own_source(d, it.value) || (heir == NULL && !is_known_source(l, it.value)))
			put_source(d, list, &d->clean, it.value);
}

/* Of those that it has lost. */
static enum mem_status
regain_sources(struct judged *d, struct mem_clean_object *list)
{
	const struct judged *first = find_first_version(d);
	struct mem_json is = mem_rec_value(&d->rec, "sources");
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(list_own_sources(d)); st == MEM_OK && mem_json_next(&it);) {
		bool there = false;
		if (mem_json_list_has(is, it.value.raw))
			continue;
		st = is_source_there(d, it.value, &there);
		if (st == MEM_OK && there)
			put_source(d, list, &first->clean, it.value);
	}
	return st;
}

/* What came since to facts that go over. */
static void
inherit_sources(const struct judged_list *l, struct judged *d, struct mem_clean_object *list)
{
	struct mem_json is = mem_rec_value(&d->rec, "sources");
	for (size_t i = 0; i < l->n; i++) {
		const struct judged *o = l->v[i];
		if (o == d || d->edited != NULL || find_heir(l, o) != d)
			continue;
		for (struct mem_json_iter it = mem_json_each(mem_rec_value(&o->rec, "sources")); mem_json_next(&it);) {
			if (is_known_source(l, it.value) || mem_json_list_has(is, it.value.raw))
				continue;
			put_source(d, list, &o->clean, it.value);
			d->gains = true;
		}
	}
}

enum mem_status
judged_sort_sources(struct judged_list *l)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < l->n && st == MEM_OK; i++) {
		struct judged *d = l->v[i];
		struct mem_clean_object list = { 0 };
		keep_sources(l, d, find_heir(l, d), &list);
		st = regain_sources(d, &list);
		inherit_sources(l, d, &list);
		d->sources = mem_clean_list_end(&list, &d->j->arena);
	}
	return st;
}

/* ---- what was said of the kept one since ---------------------------------------------- */

static enum mem_status does_mention(struct join *j, uint32_t episode, const struct mem_id *entity, bool *does);

enum mem_status
join_source_speaks(struct join *j, struct mem_json source, const struct mem_id *of, const struct mem_id *not_of, bool *does)
{
	struct mem_id episode;
	uint32_t ord;
	bool there, other = false;
	*does = false;
	if (!mem_json_id(mem_json_member(source, "episode"), &episode))
		return MEM_OK;
	enum mem_status st = join_end_find(j, &episode, &ord, &there);
	if (st == MEM_OK && there)
		st = does_mention(j, ord, of, does);
	if (st == MEM_OK && there && *does)
		st = does_mention(j, ord, not_of, &other);
	*does = *does && !other;
	return st;
}

/* Was it captured since the two were one? */
static bool
is_since_merge(struct join *j, struct mem_json source)
{
	struct mem_str merged = mem_json_text(&j->arena, mem_rec_value(&j->other.rec, "superseded_at"));
	struct mem_str said = mem_json_text(&j->arena, mem_json_member(source, "created_at"));
	int64_t at, created;
	return merged.p != NULL && said.p != NULL && mem_time_parse(merged, &at) && mem_time_parse(said, &created) && created >= at;
}

/* Such sources of a fact that is the other one's again leave it; consolidation finds anew what their episodes say of the kept one. */
static enum mem_status
leave_sources_to_kept(struct judged *d)
{
	struct join_ids *again = &d->j->again;
	struct mem_arena *a = &d->j->arena;
	struct mem_clean_object list = { 0 };
	struct mem_json is = mem_rec_value(&d->rec, "sources");
	const size_t before = again->n;
	int64_t stay = 0, mentions = join_count(&d->rec, "mentions");
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(is); st == MEM_OK && mem_json_next(&it);) {
		struct mem_id episode;
		bool leaves;
		st = join_source_speaks(d->j, it.value, &d->j->keep.id, &d->j->other.id, &leaves);
		if (!leaves || !is_since_merge(d->j, it.value)) {
			mem_clean_list_put(&list, mem_clean_part(&d->clean, it.value));
			stay++;
		} else if (mem_json_id(mem_json_member(it.value, "episode"), &episode)) {
			join_ids_add(again, &episode);
		}
	}
	struct mem_clean_text wanted = mem_clean_list_end(&list, a);
	const int64_t left = (int64_t)(again->n - before);
	if (st != MEM_OK || left == 0 || stay == 0) {
		again->n = before;
		return st;
	}
	const struct mem_clean_field set[] = { { "sources", wanted }, { "mentions", mem_clean_int(a, mentions > left ? mentions - left : stay) } };
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "changed" };
	st = judged_turn_sources(d, is, wanted.value);
	join_add_changed(d->j, &d->id);
	d->j->changed = true;
	return st == MEM_OK ? mem_write_change_at(d->j->t, d->j->w, d->ord, &edit, NULL, d->j->err) : st;
}

enum mem_status
join_part_sources(struct join *j)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < j->touched.n && st == MEM_OK; i++) {
		struct judged d = { .j = j, .id = j->touched.v[i] };
		bool there;
		st = judged_read(&d, &there);
		if (st == MEM_OK && there)
			st = leave_sources_to_kept(&d);
		mem_rec_release(&d.rec);
	}
	return st;
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
	enum mem_status st = judged_turn_sources(d, is, list.value);
	join_add_changed(d->j, &d->id);
	return st == MEM_OK ? mem_write_change_at(d->j->t, d->j->w, d->ord, &edit, NULL, d->j->err) : st;
}

/* Both are judged by what they have then. */
enum mem_status
judged_take_back_sources(struct judged *d, const struct mem_id *by)
{
	struct absorbed x = { .d = d, .by = { .j = d->j, .id = *by } };
	bool there = mem_json_is(mem_rec_value(&d->rec, "superseded_reason"), MEM_FACT_RESTATED) &&
	    mem_str_is(mem_rec_value(&d->rec, "sources").raw, "[]");
	enum mem_status st = there ? judged_read(&x.by, &there) : MEM_OK;
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
