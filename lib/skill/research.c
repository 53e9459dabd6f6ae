/* SPDX-License-Identifier: Apache-2.0 */
/* Research for proposals: the sources, asked by meaning or by words. */
#include "skill/research.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "skill/categories.h"
#include "skill/proposal_score.h"
#include "skill/research_gaps.h"
#include "store/node.h"

enum { LINE_MAX_BYTES = 400, LOOKED_AT = 50 }; /* nodes that are near, of which those that fit are kept */

struct source_row {
	const char *word;
	enum mem_kind kinds[2];     /* MEM_KIND_NONE: one less */
	size_t limit;               /* 0: research_gaps.c asks it */
};
static const struct source_row sources[MEM_RESEARCH_SOURCES] = {
	[MEM_RESEARCH_SKILLS] = { "skills", { MEM_KIND_SKILL }, MEM_RESEARCH_OVERLAPS },
	[MEM_RESEARCH_MEMORIES] = { "memories", { MEM_KIND_EPISODE, MEM_KIND_FACT }, MEM_RESEARCH_FINDINGS },
	[MEM_RESEARCH_NOTES] = { "notes", { MEM_KIND_NOTE, MEM_KIND_PAGE }, MEM_RESEARCH_FINDINGS },
	[MEM_RESEARCH_LEARNINGS] = { "learnings", { MEM_KIND_LEARNING }, MEM_RESEARCH_FINDINGS },
	[MEM_RESEARCH_TOOLS] = { "tools", { MEM_KIND_ENTITY }, MEM_RESEARCH_FINDINGS },
	[MEM_RESEARCH_GAPS] = { "gaps", { MEM_KIND_NONE }, 0 },
};

const char *
mem_research_source_word(enum mem_research_source s)
{
	return sources[s].word;
}

static struct mem_kind_set
source_kinds(enum mem_research_source s)
{
	struct mem_kind_set set = mem_kind_set_of(sources[s].kinds[0]);
	mem_kind_set_add(&set, sources[s].kinds[1]);
	return set;
}

/* ---- a finding -------------------------------------------------------------- */

/* Does the node belong to the source beyond its kind? */
static bool
fits_source(enum mem_research_source s, const struct mem_rec *rec)
{
	return s != MEM_RESEARCH_TOOLS || mem_json_is(mem_rec_value(rec, "type"), "tool");
}

static struct mem_str
first_line(struct mem_str s)
{
	while (s.n > 0 && (*s.p == '\n' || *s.p == ' ' || *s.p == '#'))
		s.p++, s.n--;
	const char *end = s.n > 0 ? memchr(s.p, '\n', s.n) : NULL;
	if (end != NULL)
		s.n = (size_t)(end - s.p);
	if (s.n > LINE_MAX_BYTES)
		s.n = mem_utf8_cut(s, LINE_MAX_BYTES);
	return s;
}

/* The first of the fields that there is, up to the end of its line. */
static struct mem_str
read_first_line(struct mem_arena *a, const struct mem_rec *rec, const char *const *fields)
{
	struct mem_str s = { 0 };
	for (; *fields != NULL && s.n == 0; fields++)
		if (mem_rec_value(rec, *fields).type == MEM_JSON_STRING)
			s = mem_json_text(a, mem_rec_value(rec, *fields));
	return first_line(s);
}

static void
add_finding(struct mem_research *r, enum mem_research_source s, const struct mem_rec *rec, const struct mem_id *id, double similarity)
{
	static const char *const names[] = { "name", "title", NULL };
	static const char *const texts[] = { "description", "statement", "content", NULL };
	static const char *const categories[] = { "category", NULL };
	r->v = mem_grow(r->v, &r->cap, r->n + 1, sizeof *r->v);
	r->v[r->n++] = (struct mem_finding){
		.source = s, .id = *id, .similarity = similarity,
		.name = mem_arena_str(&r->arena, read_first_line(&r->arena, rec, names)),
		.text = mem_arena_str(&r->arena, read_first_line(&r->arena, rec, texts)),
		.category = s == MEM_RESEARCH_SKILLS ? mem_arena_str(&r->arena, read_first_line(&r->arena, rec, categories)) : (struct mem_str){ 0 },
	};
	r->nskills += s == MEM_RESEARCH_SKILLS;
}

void
research_text_add(struct mem_research *r, enum mem_research_source s, const struct mem_id *id, struct mem_str text, double similarity)
{
	r->v = mem_grow(r->v, &r->cap, r->n + 1, sizeof *r->v);
	r->v[r->n++] = (struct mem_finding){ .source = s, .id = *id, .similarity = similarity, .text = mem_arena_str(&r->arena, first_line(text)) };
}

static size_t
count_source(const struct mem_research *r, enum mem_research_source s)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += r->v[i].source == s;
	return n;
}

/* ---- by meaning ------------------------------------------------------------- */

static enum mem_status
add_near_nodes(struct mem_research *r, struct mem_txn *t, enum mem_research_source s, const struct mem_near *near, size_t n,
    struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0, kept = 0; i < n && kept < sources[s].limit && st == MEM_OK; i++) {
		struct mem_node node;
		struct mem_rec rec = { 0 };
		st = mem_node_at(t, near[i].ord, &node, err);
		if (st == MEM_OK)
			st = mem_rec_scan(&rec, node.json, err);
		if (st == MEM_OK && fits_source(s, &rec)) {
			add_finding(r, s, &rec, &near[i].id, near[i].score);
			kept++;
		}
		mem_rec_release(&rec);
	}
	return st;
}

static enum mem_status
ask_by_meaning(struct mem_research *r, struct mem_store *store, enum mem_research_source s, const float *vector, struct mem_err *err)
{
	struct mem_near_query q = { .kinds = source_kinds(s), .vector = vector, .least = MEM_PROPOSAL_RELATED, .limit = LOOKED_AT };
	struct mem_ns *ns = NULL;
	struct mem_near *near = NULL;
	struct mem_txn *t = NULL;
	size_t n = 0;
	enum mem_status st = mem_txn_read(&t, store, err);
	if (st == MEM_OK)
		st = mem_ns_visible(t, &ns, &q.nns, err);
	q.ns = ns;
	if (st == MEM_OK)
		st = mem_near_search(t, &q, &near, &n, err);
	if (st == MEM_OK)
		st = add_near_nodes(r, t, s, near, n, err);
	mem_txn_end(t);
	free(near);
	free(ns);
	return st;
}

/* ---- by words --------------------------------------------------------------- */

static enum mem_status
add_word_hits(struct mem_research *r, struct mem_hits *hits, enum mem_research_source s, struct mem_err *err)
{
	struct mem_str line;
	enum mem_status st = MEM_OK;
	while (count_source(r, s) < sources[s].limit && (st = mem_hits_next(hits, &line, err)) == MEM_OK) {
		struct mem_rec rec = { 0 };
		struct mem_id id;
		st = mem_rec_scan(&rec, line, err);
		if (st == MEM_OK && fits_source(s, &rec) && mem_id_parse(mem_json_text(&r->arena, mem_rec_value(&rec, "id")), &id))
			add_finding(r, s, &rec, &id, (double)NAN);
		mem_rec_release(&rec);
		if (st != MEM_OK)
			return st;
	}
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
ask_by_words(struct mem_research *r, struct mem_searcher *m, enum mem_research_source s, struct mem_str topic, struct mem_err *err)
{
	struct mem_filter filter = MEM_FILTER_INIT;
	struct mem_search_options o = MEM_SEARCH_OPTIONS_INIT;
	struct mem_hits *hits = NULL;
	filter.kinds = source_kinds(s);
	o.query = topic, o.mode = MEM_MODE_KEYWORD, o.plain = true, o.filter = &filter, o.limit = LOOKED_AT;
	enum mem_status st = mem_search_query(&hits, m, &o, err);
	if (st == MEM_OK)
		st = add_word_hits(r, hits, s, err);
	mem_hits_free(hits);
	mem_filter_release(&filter);
	return st;
}

/* ---- all -------------------------------------------------------------------- */

static enum mem_status
ask_source(struct mem_research *r, struct mem_searcher *m, enum mem_research_source s, struct mem_str topic, const float *vector, struct mem_err *err)
{
	return vector != NULL ? ask_by_meaning(r, m->index.store, s, vector, err) : ask_by_words(r, m, s, topic, err);
}

/* `g` NULL: skills alone. */
static enum mem_status
ask_sources(struct mem_research *out, struct mem_searcher *m, struct mem_research_gaps **g, struct mem_str topic, struct mem_err *err)
{
	const unsigned count = g != NULL ? MEM_RESEARCH_GAPS : MEM_RESEARCH_SKILLS + 1;
	float *vector = NULL;
	double weight;
	bool cut;
	enum mem_status st = mem_embed_query(&m->encoder, MEM_AS_TEXT, topic, &vector, &weight, &cut, NULL, err);
	if (st != MEM_OK && st != MEM_ABSENT)
		return st;
	out->by_words = vector == NULL;
	st = MEM_OK;
	for (unsigned s = 0; s < count && st == MEM_OK; s++)
		st = ask_source(out, m, s, topic, vector, err);
	if (st == MEM_OK && g != NULL)
		st = research_gaps_add(out, m, g, topic, vector, err);
	free(vector);
	return st;
}

enum mem_status
mem_research_topic(struct mem_research *out, struct mem_searcher *m, struct mem_research_gaps **g, struct mem_str topic, struct mem_err *err)
{
	return ask_sources(out, m, g, topic, err);
}

enum mem_status
mem_research_skills(struct mem_research *out, struct mem_searcher *m, struct mem_str topic, struct mem_err *err)
{
	return ask_sources(out, m, NULL, topic, err);
}

void
mem_research_release(struct mem_research *r)
{
	mem_arena_release(&r->arena);
	free(r->v);
	*r = (struct mem_research){ 0 };
}

size_t
mem_research_findings(const struct mem_research *r, size_t *given)
{
	size_t all = 0;
	*given = 0;
	for (unsigned s = 0; s < MEM_RESEARCH_SOURCES; s++) {
		size_t n = count_source(r, s);
		all += n < MEM_RESEARCH_FINDINGS ? n : MEM_RESEARCH_FINDINGS;
		*given += n > 0;
	}
	return all;
}

double
mem_research_overlap(const struct mem_research *r)
{
	return r->nskills > 0 && !isnan(r->v[0].similarity) ? r->v[0].similarity : 0;
}

struct mem_str
mem_research_category(const struct mem_research *r)
{
	struct mem_str best = MEM_STR(MEM_SKILL_CATEGORY_DEFAULT);
	size_t most = 0;
	for (size_t i = 0; i < r->nskills && i < MEM_RESEARCH_FINDINGS; i++) {
		size_t n = 0;
		for (size_t k = 0; k < r->nskills && k < MEM_RESEARCH_FINDINGS; k++)
			n += mem_str_eq(r->v[k].category, r->v[i].category);
		if (r->v[i].category.n > 0 && n > most) {
			most = n;
			best = r->v[i].category;
		}
	}
	return best;
}
