/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stays says no more of what goes: a fact loses the source, with the mention, the confidence, the trust and the corrections that
 * it gave; if its words were those of the source, it has those of the next one from now on.  An entity loses mentions, and names
 * that came with what was merged into it, or that nobody who stays calls it by.
 */
#include "base/order.h"
#include "belief/fact.h"
#include "care/erase_int.h"
#include "clean/clean_text.h"
#include "record/record.h"

#include <math.h>
#include <string.h>

/* ---- what sources come to ----------------------------------------------------- */

static int
compare_mended_sources(const void *a, const void *b)
{
	const struct erase_source *x = a, *y = b;
	if (x->captured_at != y->captured_at)
		return x->captured_at < y->captured_at ? -1 : 1;
	return mem_id_cmp(&x->episode, &y->episode);
}

/* What the sources that stay come to, in the order of their capture; < 0: they do not say. */
static double
fold_confidence(struct mem_arena *a, const struct erase_sources *s)
{
	struct erase_source *v = mem_arena_alloc(a, (s->kept + 1) * sizeof *v);
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
find_trust(const struct erase_sources *s)
{
	double trust = -1;
	for (size_t i = 0; i < s->n; i++)
		if (!s->v[i].goes && s->v[i].trust > trust)
			trust = s->v[i].trust;
	return trust;
}

/* ---- words ------------------------------------------------------------------- */

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
	struct mem_clean_text t = erase_restore_words(a, mem_buf_span(&words));
	mem_buf_release(&words);
	return t;
}

/* ---- edits -------------------------------------------------------------------- */

static void
put_edit(struct mem_write_edit *e, struct mem_clean_field *set, const char *name, struct mem_clean_text value)
{
	set[e->n++] = (struct mem_clean_field){ name, value };
}

/* A list of what episodes gave, without what those gave that go.  `whole` is the record that it stands in. */
static struct mem_clean_text
list_kept(const struct erase_sources *s, struct mem_arena *a, const struct mem_clean_rec *whole)
{
	struct mem_clean_object list = { 0 };
	for (size_t i = 0; i < s->n; i++)
		if (!s->v[i].goes)
			mem_clean_list_put(&list, mem_clean_part(whole, s->v[i].json));
	return mem_clean_list_end(&list, a);
}

/* The same as a field of `of`; *changed false: nothing of it goes. */
static enum mem_status
filter_given(const struct erase_plan *p, struct mem_arena *a, const struct mem_clean_rec *of, const char *name, struct mem_clean_text *out,
    bool *changed, struct mem_err *err)
{
	struct erase_sources s;
	enum mem_status st = erase_sources_read(p, a, mem_clean_value(of, name).value, &s, err);
	*changed = st == MEM_OK && s.kept < s.n;
	if (*changed)
		*out = list_kept(&s, a, of);
	return st;
}

static bool
is_given_list(struct mem_str key)
{
	return mem_str_is(key, "sources") || mem_str_is(key, "corrects");
}

/* What it was before it was judged anew. */
static enum mem_status
mend_was(const struct erase_plan *p, struct mem_arena *a, struct mem_str was, struct mem_clean_text *out, bool *changed, struct mem_err *err)
{
	struct mem_rec *rec = mem_arena_alloc(a, sizeof *rec);
	struct mem_clean_rec clean = { 0 };
	struct mem_clean_object o = { 0 };
	*rec = (struct mem_rec){ 0 };
	enum mem_status st = mem_rec_scan(rec, was, err);
	mem_clean_restored(&clean, rec);
	for (size_t i = 0; i < rec->nfields && st == MEM_OK; i++) {
		const struct mem_field *f = &rec->fields[i];
		struct mem_clean_text list = mem_clean_absent();
		bool less = false;
		if (is_given_list(f->key))
			st = filter_given(p, a, &clean, mem_arena_str(a, f->key).p, &list, &less, err);
		if (st == MEM_OK && less)
			mem_clean_object_put(&o, mem_arena_str(a, f->key).p, list);
		else
			mem_clean_object_keep(&o, &clean, f);
		*changed = *changed || less;
	}
	*out = mem_clean_object_end(&o, a);
	mem_rec_release(rec);
	return st;
}

static enum mem_status
mend_judged(const struct erase_plan *p, struct mem_arena *a, const struct mem_rec *fact, struct mem_write_edit *e, struct mem_clean_field *set,
    struct mem_err *err)
{
	struct mem_rec *judged = mem_arena_alloc(a, sizeof *judged);
	struct mem_json v = mem_rec_value(fact, "judged"), was = mem_json_member(v, "was");
	struct mem_clean_rec clean = { 0 };
	struct mem_clean_object o = { 0 };
	struct mem_clean_text mended = mem_clean_absent();
	bool changed = false;
	if (was.type != MEM_JSON_OBJECT)
		return MEM_OK;
	*judged = (struct mem_rec){ 0 };
	enum mem_status st = mend_was(p, a, was.raw, &mended, &changed, err);
	if (st == MEM_OK && changed)
		st = mem_rec_scan(judged, v.raw, err);
	if (st == MEM_OK && changed) {
		mem_clean_restored(&clean, judged);
		for (size_t i = 0; i < judged->nfields; i++)
			if (mem_str_is(judged->fields[i].key, "was"))
				mem_clean_object_put(&o, "was", mended);
			else
				mem_clean_object_keep(&o, &clean, &judged->fields[i]);
		put_edit(e, set, "judged", mem_clean_object_end(&o, a));
	}
	mem_rec_release(judged);
	return st;
}

/* Of words that go: those of the source that is first now.  What they had more of the object goes with them. */
static void
mend_words(const struct erase_plan *p, struct mem_arena *a, const struct mem_rec *rec, const struct erase_source *is, struct mem_write_edit *e,
    struct mem_clean_field *set)
{
	struct mem_str quote = MEM_STR(""), detail = mem_json_text(a, mem_rec_value(rec, "detail"));
	bool quoted = is->has_episode && erase_source_quote(p, a, is, &quote);
	struct mem_clean_text words = is->has_episode ? (quoted ? erase_restore_words(a, quote) : mem_clean_absent()) : say_triple(a, rec);
	if (mem_clean_there(words))
		put_edit(e, set, "statement", words);
	if (quoted && detail.n > 0 && memmem(quote.p, quote.n, detail.p, detail.n) == NULL)
		put_edit(e, set, "detail", mem_clean_absent());
}

static enum mem_status
mend_fact(const struct erase_plan *p, struct mem_arena *a, const struct mem_rec *rec, const struct erase_sources *s, struct mem_write_edit *e,
    struct mem_clean_field *set, struct mem_err *err)
{
	const struct erase_source *is = erase_sources_first(s);
	double confidence = fold_confidence(a, s), trust = find_trust(s);
	struct mem_clean_rec clean = { 0 };
	struct mem_clean_text corrects = mem_clean_absent();
	bool corrected;
	mem_clean_restored(&clean, rec);
	if (confidence >= 0)
		put_edit(e, set, "confidence", mem_clean_num(a, round(confidence * 1e6) / 1e6));
	if (trust >= 0)
		put_edit(e, set, "trust", mem_clean_num(a, trust));
	enum mem_status st = filter_given(p, a, &clean, "corrects", &corrects, &corrected, err);
	if (st == MEM_OK && corrected)
		put_edit(e, set, "corrects", mem_str_is(corrects.value.raw, "[]") ? mem_clean_absent() : corrects);
	if (st == MEM_OK)
		st = mend_judged(p, a, rec, e, set, err);
	if (st != MEM_OK || is == NULL)
		return st;
	if (!erase_words_stay(p, a, s, mem_json_text(a, mem_rec_value(rec, "statement"))))
		mend_words(p, a, rec, is, e, set);
	if (is->at != MEM_TIME_NONE && erase_sources_begin(s) < is->at)
		put_edit(e, set, "valid_from", mem_clean_time(a, is->at));
	return MEM_OK;
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

static enum mem_status
mend_fields(const struct erase_plan *p, struct mem_arena *a, const struct mem_node *node, const struct mem_rec *rec, struct mem_write_edit *e,
    struct mem_clean_field *set, struct mem_err *err)
{
	struct erase_sources s = { 0 };
	int64_t lost = 0;
	enum mem_status st = e->mark ? count_lost_mentions(p, node->ord, &lost, err) : MEM_OK;
	if (st == MEM_OK)
		st = erase_sources_read(p, a, mem_rec_value(rec, "sources"), &s, err);
	if (st == MEM_OK && s.kept < s.n) {
		struct mem_clean_rec clean = { 0 };
		mem_clean_restored(&clean, rec);
		put_edit(e, set, "sources", list_kept(&s, a, &clean));
		if (node->attr->kind == MEM_KIND_FACT)
			st = mend_fact(p, a, rec, &s, e, set, err);
		lost += (int64_t)(s.n - s.kept);
	}
	mend_mentions(a, rec, lost, e, set);
	return st;
}

enum mem_status
erase_mend_sources(const struct erase_plan *p, struct mem_writer *w, const struct mem_node *node, struct mem_write_edit *out, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_field *set = mem_arena_alloc(a, ERASE_FIELDS_MAX * sizeof *set);
	struct mem_rec *rec = mem_arena_alloc(a, sizeof *rec);
	*rec = (struct mem_rec){ 0 };
	*out = (struct mem_write_edit){ .set = set, .op = "changed", .mark = node->attr->kind == MEM_KIND_ENTITY };
	enum mem_status st = mem_rec_scan(rec, mem_arena_str(a, node->json), err);
	if (st == MEM_OK)
		st = mend_fields(p, a, node, rec, out, set, err);
	if (st == MEM_OK)
		out->n += erase_names_mend(p, a, node, rec, set + out->n);
	mem_rec_release(rec);
	return st;
}
