/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stays says no more of what goes: a fact loses the source, with the mention, the confidence and the trust that it gave; if its
 * words were those of the source, it has those of the next one from now on.  An entity loses mentions, and names that came with what
 * was merged into it.
 */
#include "base/order.h"
#include "belief/claim.h"
#include "belief/fact.h"
#include "care/erase_int.h"
#include "clean/clean_text.h"
#include "record/record.h"

#include <math.h>
#include <string.h>

/* ---- sources -------------------------------------------------------------- */

struct source {
	struct mem_json json;
	struct mem_id episode;
	bool has_episode, goes;
	int64_t at, captured_at;    /* MEM_TIME_NONE: not said */
	double confidence, trust;   /* < 0: not said */
	enum mem_veracity veracity;
};
struct sources {
	struct source *v;           /* ARENA */
	size_t n, kept;
};

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
read_mended_source(struct source *s, struct mem_json v)
{
	struct mem_str id = v.type == MEM_JSON_OBJECT ? read_plain(v, "episode") :
	    v.type == MEM_JSON_STRING && v.raw.n >= 2 ? (struct mem_str){ v.raw.p + 1, v.raw.n - 2 } : MEM_STR("");
	*s = (struct source){ .json = v, .at = MEM_TIME_NONE, .captured_at = MEM_TIME_NONE, .confidence = -1, .trust = -1,
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

static enum mem_status
read_sources(const struct erase_plan *p, struct mem_arena *a, const struct mem_rec *rec, struct sources *out, struct mem_err *err)
{
	struct mem_json list = mem_rec_value(rec, "sources");
	size_t cap = 0;
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		cap++;
	*out = (struct sources){ .v = mem_arena_alloc(a, (cap + 1) * sizeof *out->v) };
	for (struct mem_json_iter it = mem_json_each(list); st == MEM_OK && mem_json_next(&it);) {
		struct source *s = &out->v[out->n++];
		struct mem_node node;
		read_mended_source(s, it.value);
		st = s->has_episode ? mem_node_by_id(p->t, &s->episode, &node, err) : MEM_NOTFOUND;
		s->goes = st == MEM_OK && erase_plan_takes(p, node.ord);
		st = st == MEM_NOTFOUND ? MEM_OK : st;
		out->kept += !s->goes;
	}
	return st;
}

static int
compare_mended_sources(const void *a, const void *b)
{
	const struct source *x = a, *y = b;
	if (x->captured_at != y->captured_at)
		return x->captured_at < y->captured_at ? -1 : 1;
	return mem_id_cmp(&x->episode, &y->episode);
}

/* What the sources that stay come to, in the order of their capture; < 0: they do not say. */
static double
fold_confidence(struct mem_arena *a, const struct sources *s)
{
	struct source *v = mem_arena_alloc(a, (s->kept + 1) * sizeof *v);
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (!s->v[i].goes)
			v[n++] = s->v[i];
	if (n == 0 || v[0].confidence < 0)
		return -1;
	mem_sort(v, n, sizeof *v, compare_mended_sources);
	double c = v[0].confidence;
	for (size_t i = 1; i < n; i++)
		c = mem_fact_confirm(c, v[i].veracity);
	return c;
}

static double
find_trust(const struct sources *s)
{
	double trust = -1;
	for (size_t i = 0; i < s->n; i++)
		if (!s->v[i].goes && s->v[i].trust > trust)
			trust = s->v[i].trust;
	return trust;
}

/* The source that the fact's words and its beginning are of: the first in time. */
static const struct source *
find_first(const struct sources *s, bool also_going)
{
	const struct source *first = NULL;
	for (size_t i = 0; i < s->n; i++)
		if ((also_going || !s->v[i].goes) && (first == NULL || s->v[i].at < first->at))
			first = &s->v[i];
	return first;
}

/* ---- words ------------------------------------------------------------------- */

/* Words that were in the store, and so were cleaned, as a value. */
static struct mem_clean_text
restore_words(struct mem_arena *a, struct mem_str words)
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

/* The place in the episode that a source is about, as a value.  Absent: it cannot be read. */
static struct mem_clean_text
quote_source(const struct erase_plan *p, struct mem_arena *a, const struct source *s)
{
	struct mem_node node;
	int64_t start, end;
	bool placed = mem_json_int(mem_json_member(s->json, "start"), &start) && mem_json_int(mem_json_member(s->json, "end"), &end) &&
	    start >= 0 && start < end && s->has_episode && mem_node_by_id(p->t, &s->episode, &node, NULL) == MEM_OK;
	if (!placed)
		return mem_clean_absent();
	struct mem_json v = mem_json_member(mem_json_object(node.json), "content");
	struct mem_str content = mem_json_text(a, v);
	if (content.p == NULL || (uint64_t)end > content.n || mem_utf8_valid(content.p + start, (size_t)(end - start)) != (size_t)(end - start))
		return mem_clean_absent();
	return restore_words(a, (struct mem_str){ content.p + start, (size_t)(end - start) });
}

/*
 * What somebody stated by hand is no place in a text: the triple, as mem_fact_run has it where no sentence is given.  Absent: there
 * is none, and the sentence was stated by both.
 */
static struct mem_clean_text
say_triple(struct mem_arena *a, const struct mem_rec *fact)
{
	struct mem_json object = mem_rec_value(fact, "object");
	struct mem_json last = object.type == MEM_JSON_OBJECT && mem_json_there(mem_json_member(object, "name")) ? mem_json_member(object, "name")
	    : object.type == MEM_JSON_OBJECT ? mem_json_member(object, "value") : object;
	struct mem_str subject = mem_json_text(a, mem_json_member(mem_rec_value(fact, "subject"), "name"));
	struct mem_str predicate = mem_json_text(a, mem_rec_value(fact, "predicate")), text = mem_json_text(a, last);
	struct mem_str detail = mem_json_text(a, mem_rec_value(fact, "detail"));
	struct mem_buf words = { 0 };
	if (subject.n == 0 || predicate.n == 0 || text.n == 0)
		return mem_clean_absent();
	mem_buf_str(&words, subject);
	mem_buf_puts(&words, mem_rec_value(fact, "negated").type == MEM_JSON_TRUE ? " not " : " ");
	for (size_t i = 0; i < predicate.n; i++)
		mem_buf_putc(&words, predicate.p[i] == '_' ? ' ' : predicate.p[i]);
	mem_buf_printf(&words, " %.*s%s%.*s", (int)text.n, text.p, detail.n > 0 ? " " : "", (int)detail.n, detail.n > 0 ? detail.p : "");
	struct mem_clean_text t = restore_words(a, mem_buf_span(&words));
	mem_buf_release(&words);
	return t;
}

/* ---- edits -------------------------------------------------------------------- */

static void
put_edit(struct mem_write_edit *e, struct mem_clean_field *set, const char *name, struct mem_clean_text value)
{
	set[e->n++] = (struct mem_clean_field){ name, value };
}

static struct mem_clean_text
list_kept(const struct sources *s, struct mem_arena *a, const struct mem_rec *rec)
{
	struct mem_clean_object list = { 0 };
	struct mem_clean_rec clean = { 0 };
	mem_clean_restored(&clean, rec);
	for (size_t i = 0; i < s->n; i++)
		if (!s->v[i].goes)
			mem_clean_list_put(&list, mem_clean_part(&clean, s->v[i].json));
	return mem_clean_list_end(&list, a);
}

static void
mend_fact(const struct erase_plan *p, struct mem_arena *a, const struct mem_rec *rec, const struct sources *s, struct mem_write_edit *e, struct mem_clean_field *set)
{
	const struct source *was = find_first(s, true), *is = find_first(s, false);
	double confidence = fold_confidence(a, s), trust = find_trust(s);
	if (confidence >= 0)
		put_edit(e, set, "confidence", mem_clean_num(a, round(confidence * 1e6) / 1e6));
	if (trust >= 0)
		put_edit(e, set, "trust", mem_clean_num(a, trust));
	if (is == NULL || was == is)
		return;
	struct mem_clean_text words = is->has_episode ? quote_source(p, a, is) : say_triple(a, rec);
	if (mem_clean_there(words))
		put_edit(e, set, "statement", words);
	if (is->at != MEM_TIME_NONE)
		put_edit(e, set, "valid_from", mem_clean_time(a, is->at));
}

/* How many of those that go mention it. */
static enum mem_status
count_lost_mentions(const struct erase_plan *p, uint32_t ord, int64_t *n, struct mem_err *err)
{
	struct mem_edge there;
	*n = 0;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->n && st == MEM_OK; i++) {
		if (p->v[i].kind != MEM_KIND_EPISODE || !erase_plan_takes(p, p->v[i].ord))
			continue;
		st = mem_edge_find(p->t, "mentions", p->v[i].ord, ord, &there, err);
		*n += st == MEM_OK;
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	return st;
}

static void
mend_mentions(struct mem_arena *a, const struct mem_rec *rec, int64_t lost, struct mem_write_edit *e, struct mem_clean_field *set)
{
	int64_t mentions;
	if (lost > 0 && mem_json_int(mem_rec_value(rec, "mentions"), &mentions))
		put_edit(e, set, "mentions", mem_clean_int(a, mentions > lost ? mentions - lost : 0));
}

enum mem_status
erase_mend_sources(const struct erase_plan *p, struct mem_writer *w, const struct mem_node *node, struct mem_write_edit *out, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_field *set = mem_arena_alloc(a, 7 * sizeof *set);
	struct mem_rec *rec = mem_arena_alloc(a, sizeof *rec);
	struct sources s = { 0 };
	int64_t lost = 0;
	bool entity = node->attr->kind == MEM_KIND_ENTITY;
	*rec = (struct mem_rec){ 0 };
	*out = (struct mem_write_edit){ .set = set, .op = "changed", .mark = entity };
	enum mem_status st = entity ? count_lost_mentions(p, node->ord, &lost, err) : MEM_OK;
	if (st == MEM_OK)
		st = mem_rec_scan(rec, mem_arena_str(a, node->json), err);
	if (st == MEM_OK)
		st = read_sources(p, a, rec, &s, err);
	if (st == MEM_OK && s.kept < s.n) {
		put_edit(out, set, "sources", list_kept(&s, a, rec));
		if (node->attr->kind == MEM_KIND_FACT)
			mend_fact(p, a, rec, &s, out, set);
		lost += (int64_t)(s.n - s.kept);
	}
	if (st == MEM_OK && entity) {
		struct mem_clean_text aliases = erase_list_aliases(p, a, &node->attr->id, rec);
		if (mem_clean_there(aliases))
			put_edit(out, set, "aliases", aliases);
	}
	if (st == MEM_OK)
		mend_mentions(a, rec, lost, out, set);
	mem_rec_release(rec);
	return st;
}
