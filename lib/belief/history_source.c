/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence of a version: who said it, when, and in which words. */
#include <math.h>

#include "base/order.h"
#include "belief/history_int.h"

enum { OWNER_DEPTH = 8 }; /* beliefs from the version to an episode, at most */

/* The version itself (depth 0), or a belief that it was made of. */
struct history_owner {
	uint32_t ord;
	unsigned depth;
	const struct mem_rec *rec;
	bool is_copy;               /* whoever copied it did not write it */
};

/* What a node says of one of its sources.  All zero: of one by hand. */
struct source_place {
	struct mem_id episode;
	size_t start, end;          /* of its content; end 0: not known */
	int64_t at, captured_at;
	double confidence;
	struct mem_str veracity;
};

static struct mem_str
read_source_text(struct history_walk *w, struct mem_json v)
{
	struct mem_str s = mem_json_text(&w->h->arena, v);
	return s.p != NULL ? s : MEM_STR("");
}

static const struct source_place no_place = { .at = MEM_TIME_NONE, .captured_at = MEM_TIME_NONE, .confidence = (double)NAN, .veracity = { "", 0 } };

static int64_t
read_place_time(struct history_walk *w, struct mem_json source, const char *name)
{
	int64_t at;
	return mem_time_parse(read_source_text(w, mem_json_member(source, name)), &at) ? at : MEM_TIME_NONE;
}

/* False: it is neither an id nor an object. */
static bool
read_source_place(struct history_walk *w, struct mem_json source, struct source_place *p)
{
	int64_t start, end;
	*p = no_place;
	if (source.type == MEM_JSON_STRING)
		return mem_id_parse(read_source_text(w, source), &p->episode);
	if (source.type != MEM_JSON_OBJECT)
		return false;
	struct mem_json episode = mem_json_member(source, "episode");
	if (episode.type == MEM_JSON_STRING && !mem_id_parse(read_source_text(w, episode), &p->episode))
		return false;
	if (mem_json_int(mem_json_member(source, "start"), &start) && mem_json_int(mem_json_member(source, "end"), &end) && start >= 0 && end > start) {
		p->start = (size_t)start;
		p->end = (size_t)end;
	}
	p->at = read_place_time(w, source, "at");
	p->captured_at = read_place_time(w, source, "captured_at");
	p->veracity = read_source_text(w, mem_json_member(source, "veracity"));
	if (!mem_json_num(mem_json_member(source, "confidence"), &p->confidence))
		p->confidence = (double)NAN;
	return true;
}

/* At most MEM_HISTORY_EXCERPT_MAX bytes of the place; of a place that is not in the text, of its beginning. */
static struct mem_str
cut_excerpt(struct mem_str text, const struct source_place *p)
{
	bool known = p->end > p->start && p->end <= text.n && mem_utf8_valid(text.p + p->start, p->end - p->start) == p->end - p->start;
	struct mem_str place = known ? (struct mem_str){ text.p + p->start, p->end - p->start } : text;
	place.n = mem_utf8_cut(place, MEM_HISTORY_EXCERPT_MAX);
	return place;
}

static struct mem_str
find_agent(struct history_walk *w, const struct mem_rec *rec)
{
	return read_source_text(w, mem_json_member(mem_rec_value(rec, "origin"), "agent"));
}

static struct mem_str
find_speaker(struct history_walk *w, const struct mem_rec *rec)
{
	static const char *const names[] = { "speaker", "role" };
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		struct mem_str s = read_source_text(w, mem_rec_value(rec, names[i]));
		if (s.n > 0)
			return s;
	}
	return find_agent(w, rec);
}

static struct mem_str
find_excerpt(struct history_walk *w, const struct mem_rec *rec, const struct source_place *p)
{
	static const char *const texts[] = { "content", "statement", "name", "title" };
	struct mem_str s = MEM_STR("");
	for (size_t i = 0; i < MEM_COUNT(texts) && s.n == 0; i++)
		s = cut_excerpt(read_source_text(w, mem_rec_value(rec, texts[i])), p);
	return s;
}

/* What others said, or somebody wrote down; all else speaks for itself. */
static bool
is_made_of_sources(const struct mem_attr *a)
{
	return a->kind == MEM_KIND_FACT || a->kind == MEM_KIND_NOTE || a->kind == MEM_KIND_LEARNING;
}

static bool
has_source_of(const struct mem_history_version *v, const struct mem_id *episode)
{
	for (size_t i = 0; i < v->nsources; i++)
		if (v->sources[i].has_episode && mem_id_cmp(&v->sources[i].episode, episode) == 0)
			return true;
	return false;
}

/* How sure one is of a belief says nothing of how sure one is of what was made of it. */
static void
append_source(struct history_walk *w, struct mem_history_version *v, const struct source_place *p, struct mem_history_source s)
{
	if (v->nsources >= MEM_HISTORY_SOURCES_MAX)
		return;
	s.at = p->at, s.veracity = p->veracity;
	s.confidence = w->owner->depth == 0 ? p->confidence : (double)NAN;
	v->sources = mem_xrealloc(v->sources, v->nsources + 1, sizeof *v->sources);
	v->sources[v->nsources++] = s;
}

/* By hand: whoever wrote the owner says what that says. */
static void
add_hand_source(struct history_walk *w, struct mem_history_version *v, const struct source_place *p)
{
	const struct history_owner *o = w->owner;
	append_source(w, v, p, (struct mem_history_source){ .captured_at = p->captured_at, .who = o->is_copy ? MEM_STR("") : find_agent(w, o->rec),
		.excerpt = o->depth > 0 ? find_excerpt(w, o->rec, p) : MEM_STR("") });
}

static void add_sources_of(struct history_walk *w, struct mem_history_version *v, const struct mem_node *node, const struct mem_rec *rec);

/* One that is gone, damaged, or not the caller's to see is left out. */
static void
add_node_source(struct history_walk *w, struct mem_history_version *v, const struct source_place *p)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	if (mem_node_by_id(w->t, &p->episode, &node, NULL) != MEM_OK || !mem_node_readable(w->t, node.attr) ||
	    mem_rec_scan(&rec, node.json, NULL) != MEM_OK) {
		mem_rec_release(&rec);
		return;
	}
	if (is_made_of_sources(node.attr))
		add_sources_of(w, v, &node, &rec);
	else if (w->owner->depth == 0 || !has_source_of(v, &p->episode))
		append_source(w, v, p, (struct mem_history_source){ .episode = p->episode, .has_episode = true, .captured_at = node.attr->captured_at,
			.who = find_speaker(w, &rec), .excerpt = find_excerpt(w, &rec, p) });
	mem_rec_release(&rec);
}

static void
add_place_source(struct history_walk *w, struct mem_history_version *v, const struct source_place *p)
{
	static const struct mem_id none;
	if (mem_id_cmp(&p->episode, &none) == 0)
		add_hand_source(w, v, p);
	else
		add_node_source(w, v, p);
}

/* A history_edge_fn. */
static bool
note_source(struct history_walk *w, struct mem_history_version *v, const struct mem_id *other, struct mem_str edge)
{
	struct source_place p = no_place;
	(void)edge;
	p.episode = *other;
	add_place_source(w, v, &p);
	return v->nsources < MEM_HISTORY_SOURCES_MAX;
}

/* Those that it names; a node that names none has edges to them.  *named: it does. */
static enum mem_status
read_owner_sources(struct history_walk *w, struct mem_history_version *v, const struct history_owner *o, bool *named, struct mem_err *err)
{
	const struct history_owner *above = w->owner;
	const struct mem_json list = mem_rec_value(o->rec, "sources");
	const size_t before = v->nsources;
	enum mem_status st = MEM_OK;
	*named = false;
	w->owner = o;
	if (list.type == MEM_JSON_ARRAY) {
		for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);) {
			struct source_place p;
			if (!read_source_place(w, it.value, &p))
				continue;
			*named = true;
			add_place_source(w, v, &p);
		}
	}
	if (v->nsources == before)
		st = history_visit_edges(w, v, o->ord, true, "derived_from", note_source, err);
	if (st == MEM_OK && v->nsources == before)
		st = history_visit_edges(w, v, o->ord, false, "supports", note_source, err);
	w->owner = above;
	return st;
}

/* Once for each. */
static bool
may_read_owner(struct history_walk *w, const struct history_owner *o)
{
	for (size_t i = 0; i < w->nowners; i++)
		if (w->owners[i] == o->ord)
			return false;
	if (o->depth > OWNER_DEPTH || w->nowners >= HISTORY_OWNERS_MAX)
		return false;
	w->owners[w->nowners++] = o->ord;
	return true;
}

/* In the place of a belief its own sources; one that has none was written by hand. */
static void
add_sources_of(struct history_walk *w, struct mem_history_version *v, const struct mem_node *node, const struct mem_rec *rec)
{
	const struct history_owner o = { .ord = node->ord, .depth = w->owner->depth + 1, .rec = rec }, *above = w->owner;
	const size_t before = v->nsources;
	bool named;
	if (!may_read_owner(w, &o) || read_owner_sources(w, v, &o, &named, NULL) != MEM_OK || named || v->nsources > before)
		return;
	struct source_place p = no_place;
	p.captured_at = node->attr->captured_at;
	w->owner = &o;
	add_hand_source(w, v, &p);
	w->owner = above;
}

static int
compare_sources(const void *x, const void *y)
{
	const struct mem_history_source *a = x, *b = y;
	int c = (a->captured_at > b->captured_at) - (a->captured_at < b->captured_at);
	return c != 0 ? c : mem_id_cmp(&a->episode, &b->episode);
}

/* The command and the job make facts of all by the gate alone. */
static bool
is_made_by_gate(const struct mem_history_version *v)
{
	return mem_str_is(v->ns, "global") && (mem_str_is(v->via, "mem-promote") || mem_str_is(v->via, "mem-maintain"));
}

/* Sets v->promoted. */
static enum mem_status
find_promoted_fact(struct history_walk *w, struct mem_history_version *v, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row = { 0 };
	const struct mem_attr *a = NULL;
	uint16_t kind;
	enum mem_status st = mem_edge_cursor_open_at(&c, w->t, v->ord, "promoted_to", false, &kind, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_next(c, &row, err);
	if (st == MEM_OK && row.kind == kind)
		st = mem_attr_at(w->t, row.other, &a, err);
	if (st == MEM_OK && a != NULL)
		v->promoted = true, v->promoted_from = a->id;
	mem_edge_cursor_close(c);
	v->promoted = v->promoted || is_made_by_gate(v); /* of a fact that was erased */
	return st == MEM_END || st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* A copy has the sources of its fact, which knows who wrote it. */
static enum mem_status
read_version_sources(struct history_walk *w, struct mem_history_version *v, struct mem_err *err)
{
	struct history_owner o = { .ord = v->ord, .rec = &w->rec };
	struct mem_rec rec = { 0 };
	struct mem_node fact;
	bool named;
	enum mem_status st = v->kind == MEM_KIND_FACT ? find_promoted_fact(w, v, err) : MEM_OK;
	if (st == MEM_OK && v->promoted) {
		o.is_copy = mem_node_by_id(w->t, &v->promoted_from, &fact, NULL) != MEM_OK || !mem_node_readable(w->t, fact.attr) ||
		    mem_rec_scan(&rec, fact.json, NULL) != MEM_OK;
		if (!o.is_copy)
			o.ord = fact.ord, o.rec = &rec;
	}
	if (st == MEM_OK)
		st = read_owner_sources(w, v, &o, &named, err);
	mem_rec_release(&rec);
	return st;
}

enum mem_status
history_read_sources(struct history_walk *w, struct mem_history_version *v, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	w->owners[0] = v->ord;
	w->nowners = 1;
	if (v->kind == MEM_KIND_EPISODE) {
		const struct history_owner o = { .ord = v->ord, .rec = &w->rec };
		struct source_place p = no_place;
		p.episode = v->id;
		w->owner = &o;
		add_place_source(w, v, &p);
		w->owner = NULL;
	} else {
		st = read_version_sources(w, v, err);
	}
	mem_sort(v->sources, v->nsources, sizeof *v->sources, compare_sources);
	return st;
}
