/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sources of a node, and which of them its words are of.  Words stay where a source that stays says them: they are the place in
 * it, or those of no source's place, and of the source that is first.
 */
#include "care/erase_int.h"
#include "clean/clean_text.h"
#include "record/record.h"

#include <stdlib.h>


static struct mem_str
read_plain(struct mem_json of, const char *name)
{
	struct mem_json v = mem_json_member(of, name);
	return mem_json_there(v) && v.type == MEM_JSON_STRING && !v.escaped ? (struct mem_str){ v.raw.p + 1, v.raw.n - 2 } : MEM_STR("");
}

static int64_t
read_time_of(struct mem_json of, const char *name)
{
	int64_t ms;
	return mem_time_parse(read_plain(of, name), &ms) ? ms : MEM_TIME_NONE;
}

static double
read_share_of(struct mem_json of, const char *name)
{
	double d;
	return mem_json_num(mem_json_member(of, name), &d) ? d : -1;
}

/* An element of `sources`: an object of a fact, an id of others. */
static void
read_mended_source(struct erase_source *s, struct mem_json v)
{
	struct mem_str id = v.type == MEM_JSON_OBJECT ? read_plain(v, "episode") :
	    v.type == MEM_JSON_STRING && v.raw.n >= 2 ? (struct mem_str){ v.raw.p + 1, v.raw.n - 2 } : MEM_STR("");
	*s = (struct erase_source){ .json = v, .at = MEM_TIME_NONE, .captured_at = MEM_TIME_NONE, .confidence = -1, .trust = -1,
		.veracity = MEM_VERACITY_UNKNOWN };
	s->has_episode = mem_id_parse(id, &s->episode);
	if (v.type != MEM_JSON_OBJECT)
		return;
	s->at = read_time_of(v, "at");
	s->captured_at = read_time_of(v, "captured_at");
	s->confidence = read_share_of(v, "confidence");
	s->trust = read_share_of(v, "trust");
	if (!mem_veracity_parse(read_plain(v, "veracity"), &s->veracity))
		s->veracity = MEM_VERACITY_UNKNOWN;
}

enum mem_status
erase_sources_read(const struct erase_plan *p, struct mem_arena *a, struct mem_json list, struct erase_sources *out, struct mem_err *err)
{
	size_t cap = 0;
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		cap++;
	*out = (struct erase_sources){ .v = mem_arena_alloc(a, (cap + 1) * sizeof *out->v) };
	for (struct mem_json_iter it = mem_json_each(list); st == MEM_OK && mem_json_next(&it);) {
		struct erase_source *s = &out->v[out->n++];
		struct mem_node node;
		read_mended_source(s, it.value);
		st = s->has_episode ? mem_node_by_id(p->t, &s->episode, &node, err) : MEM_NOTFOUND;
		s->goes = st == MEM_OK && erase_plan_takes(p, node.ord);
		st = st == MEM_NOTFOUND ? MEM_OK : st;
		out->kept += !s->goes;
	}
	return st;
}

/* ---- words ------------------------------------------------------------------- */

struct mem_clean_text
erase_restore_words(struct mem_arena *a, struct mem_str words)
{
	struct mem_rec rec = { 0 };
	struct mem_clean_rec clean = { 0 };
	struct mem_buf line = { 0 };
	mem_buf_putc(&line, '{');
	mem_json_put_field(&line, "v", words);
	mem_buf_putc(&line, '}');
	bool read = mem_rec_scan(&rec, mem_arena_str(a, mem_buf_span(&line)), NULL) == MEM_OK;
	mem_clean_restored(&clean, &rec);
	struct mem_clean_text t = read ? mem_clean_value(&clean, "v") : mem_clean_absent();
	mem_rec_release(&rec);
	mem_buf_release(&line);
	return t;
}

bool
erase_source_quote(const struct erase_plan *p, struct mem_arena *a, const struct erase_source *s, struct mem_str *out)
{
	struct mem_node node;
	int64_t start, end;
	bool placed = mem_json_int(mem_json_member(s->json, "start"), &start) && mem_json_int(mem_json_member(s->json, "end"), &end) &&
	    start >= 0 && start < end && s->has_episode && mem_node_by_id(p->t, &s->episode, &node, NULL) == MEM_OK;
	if (!placed)
		return false;
	struct mem_str content = mem_json_text(a, mem_json_member(mem_json_object(node.json), "content"));
	if (content.p == NULL || (uint64_t)end > content.n || mem_utf8_valid(content.p + start, (size_t)(end - start)) != (size_t)(end - start))
		return false;
	*out = (struct mem_str){ content.p + start, (size_t)(end - start) };
	return true;
}

const struct erase_source *
erase_sources_first(const struct erase_sources *s)
{
	const struct erase_source *first = NULL;
	for (size_t i = 0; i < s->n; i++)
		if (!s->v[i].goes && (first == NULL || s->v[i].at < first->at))
			first = &s->v[i];
	return first;
}

int64_t
erase_sources_begin(const struct erase_sources *s)
{
	int64_t at = MEM_TIME_MAX;
	for (size_t i = 0; i < s->n; i++)
		at = s->v[i].at < at ? s->v[i].at : at;
	return at;
}

/* Is there one that goes and was first, alone or beside others?  Somebody who stays and wrote it may have found these words. */
static bool
does_first_go(const struct erase_sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->v[i].goes && mem_json_member(s->v[i].json, "episode").type == MEM_JSON_NULL)
			return false;
	const struct erase_source *first = erase_sources_first(s);
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].goes && (first == NULL || s->v[i].at <= first->at))
			return true;
	return false;
}

bool
erase_words_stay(const struct erase_plan *p, struct mem_arena *a, const struct erase_sources *s, struct mem_str words)
{
	bool quoted = false;
	for (size_t i = 0; i < s->n; i++) {
		struct mem_str quote;
		bool same = erase_source_quote(p, a, &s->v[i], &quote) && mem_str_eq(quote, words);
		if (same && !s->v[i].goes)
			return true;
		quoted = quoted || same;
	}
	return !quoted && !does_first_go(s);
}

/* ---- what tells of facts ------------------------------------------------------- */

/* Does a fact that stays say something else from now on? */
static enum mem_status
is_fact_rewritten(const struct erase_plan *p, struct mem_arena *a, const struct mem_node *fact, bool *is, struct mem_err *err)
{
	struct mem_json rec = mem_json_object(fact->json);
	struct erase_sources s;
	struct mem_id id;
	enum mem_status st = erase_sources_read(p, a, mem_json_member(rec, "sources"), &s, err);
	if (st == MEM_OK)
		*is = s.kept < s.n && !erase_words_stay(p, a, &s, mem_json_text(a, mem_json_member(rec, "statement")));
	for (size_t i = 0; i < p->nrenamed && !*is; i++)
		*is = (mem_json_id(mem_json_path(rec, "subject.id"), &id) && mem_id_cmp(&id, &p->renamed[i].id) == 0) ||
		    (mem_json_id(mem_json_path(rec, "object.id"), &id) && mem_id_cmp(&id, &p->renamed[i].id) == 0);
	return st;
}

/* An erase_judge_fn. */
static enum mem_status
take_told(struct erase_plan *p, uint32_t ord, uint32_t depth, struct mem_err *err)
{
	const struct mem_attr *attr;
	enum mem_status st = mem_attr_at(p->t, ord, &attr, err);
	return st == MEM_OK && erase_is_made_of_words(attr) ? erase_plan_take(p, ord, ERASE_DERIVED, depth, err) : st;
}

enum mem_status
erase_take_told(struct erase_plan *p, struct mem_err *err)
{
	size_t n;
	uint32_t *stays = erase_list_stays(p, &n);
	struct mem_arena a = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK && p->refused == NULL; i++) {
		struct mem_node node;
		bool rewritten = false;
		st = mem_node_at(p->t, stays[i], &node, err);
		if (st == MEM_OK && node.attr->kind == MEM_KIND_FACT)
			st = is_fact_rewritten(p, &a, &node, &rewritten, err);
		if (st == MEM_OK && rewritten)
			st = erase_follow_edges(p, stays[i], 1, "derived_from", false, take_told, err);
	}
	mem_arena_release(&a);
	free(stays);
	return st;
}
