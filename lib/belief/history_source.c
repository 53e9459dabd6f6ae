/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence of a version: who said it, when, and in which words. */
#include <math.h>

#include "base/order.h"
#include "belief/history_int.h"

static struct mem_str
read_source_text(struct history_walk *w, struct mem_json v)
{
	struct mem_str s = mem_json_text(&w->h->arena, v);
	return s.p != NULL ? s : MEM_STR("");
}

/* At most MEM_HISTORY_EXCERPT_MAX bytes of the place; of a place that is not in the text, of its beginning. */
static struct mem_str
cut_excerpt(struct mem_str text, const struct history_place *p)
{
	bool known = p->end > p->start && p->end <= text.n && mem_utf8_valid(text.p + p->start, p->end - p->start) == p->end - p->start;
	struct mem_str place = known ? (struct mem_str){ text.p + p->start, p->end - p->start } : text;
	place.n = mem_utf8_cut(place, MEM_HISTORY_EXCERPT_MAX);
	return place;
}

static struct mem_str
find_speaker(struct history_walk *w)
{
	static const char *const names[] = { "speaker", "role" };
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		struct mem_str s = read_source_text(w, mem_rec_value(&w->source, names[i]));
		if (s.n > 0)
			return s;
	}
	return read_source_text(w, mem_json_member(mem_rec_value(&w->source, "origin"), "agent"));
}

/* False: it is gone, damaged, or not the caller's to see. */
static bool
read_source_episode(struct history_walk *w, struct mem_history_source *s, const struct history_place *p)
{
	static const char *const texts[] = { "content", "statement", "name", "title" };
	struct mem_node node;
	if (mem_node_by_id(w->t, &p->episode, &node, NULL) != MEM_OK || !mem_node_readable(w->t, node.attr) ||
	    mem_rec_scan(&w->source, node.json, NULL) != MEM_OK)
		return false;
	s->captured_at = node.attr->captured_at;
	s->who = find_speaker(w);
	for (size_t i = 0; i < MEM_COUNT(texts) && s->excerpt.n == 0; i++)
		s->excerpt = cut_excerpt(read_source_text(w, mem_rec_value(&w->source, texts[i])), p);
	return true;
}

void
history_add_source(struct history_walk *w, struct mem_history_version *v, const struct history_place *p)
{
	static const struct mem_id none;
	struct mem_history_source s = { .episode = p->episode, .at = p->at, .captured_at = p->captured_at, .confidence = p->confidence,
		.veracity = p->veracity, .who = MEM_STR(""), .excerpt = MEM_STR("") };
	const bool by_hand = mem_id_cmp(&p->episode, &none) == 0;
	if (v->nsources >= MEM_HISTORY_SOURCES_MAX)
		return;
	if (by_hand)
		s.who = v->agent;
	else
		s.has_episode = read_source_episode(w, &s, p);
	if (!by_hand && !s.has_episode)
		return;
	v->sources = mem_xrealloc(v->sources, v->nsources + 1, sizeof *v->sources);
	v->sources[v->nsources++] = s;
}

static int64_t
read_place_time(struct history_walk *w, struct mem_json source, const char *name)
{
	int64_t at;
	return mem_time_parse(read_source_text(w, mem_json_member(source, name)), &at) ? at : MEM_TIME_NONE;
}

/* False: it is neither an id nor an object. */
static bool
read_source_place(struct history_walk *w, struct mem_json source, struct history_place *p)
{
	int64_t start, end;
	*p = (struct history_place){ .at = MEM_TIME_NONE, .captured_at = MEM_TIME_NONE, .confidence = (double)NAN, .veracity = MEM_STR("") };
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

static int
compare_sources(const void *x, const void *y)
{
	const struct mem_history_source *a = x, *b = y;
	int c = (a->captured_at > b->captured_at) - (a->captured_at < b->captured_at);
	return c != 0 ? c : mem_id_cmp(&a->episode, &b->episode);
}

void
history_read_sources(struct history_walk *w, struct mem_history_version *v)
{
	struct mem_json list = mem_rec_value(&w->rec, "sources");
	if (list.type != MEM_JSON_ARRAY)
		return;
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);) {
		struct history_place p;
		if (read_source_place(w, it.value, &p))
			history_add_source(w, v, &p);
	}
	mem_sort(v->sources, v->nsources, sizeof *v->sources, compare_sources);
}
