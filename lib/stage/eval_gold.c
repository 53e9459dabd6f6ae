/* SPDX-License-Identifier: Apache-2.0 */
/* Judging: judgements and the lines of runs are read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stage/eval_int.h"

enum { GRADE_MAX = 30, GRADE_MIN = -1000 }; /* 2^30 - 1 is exact, and sums of it are */
static const double MS_MAX = 1e12, FEATURE_MAX = 1e6;

static void
name_measures(struct mem_eval *e)
{
	static const char *const at[] = { "recall", "hit", "ndcg" };
	static const char *const single[EVAL_SINGLE_MEASURES] = { "mrr", "false_rejection", "rejection", "ms" };
	const struct mem_eval_options *o = &e->opts;
	e->nmeasures = 3 * o->nat + EVAL_SINGLE_MEASURES;
	e->measures = mem_xcalloc(e->nmeasures, sizeof *e->measures);
	for (size_t i = 0; i < 3 * o->nat; i++)
		snprintf(e->measures[i], sizeof e->measures[i], "%s_%u", at[i / o->nat], o->at[i % o->nat]);
	for (size_t i = 0; i < EVAL_SINGLE_MEASURES; i++)
		snprintf(e->measures[3 * o->nat + i], sizeof e->measures[i], "%s", single[i]);
}

struct mem_eval *
mem_eval_new(const struct mem_eval_options *o)
{
	struct mem_eval *e = mem_xcalloc(1, sizeof *e);
	e->opts = *o;
	name_measures(e);
	return e;
}

void
mem_eval_free(struct mem_eval *e)
{
	if (e == NULL)
		return;
	for (size_t i = 0; i < e->nruns; i++) {
		free(e->runs[i].hits);
		free(e->runs[i].answers);
		free(e->runs[i].values);
		free(e->runs[i].features);
	}
	stage_release_names(&e->qids);
	stage_release_names(&e->documents);
	stage_release_names(&e->groups);
	stage_release_names(&e->features);
	free(e->document_gold);
	free(e->questions);
	free(e->golds);
	free(e->runs);
	free(e->measures);
	mem_rec_release(&e->rec);
	mem_buf_release(&e->text);
	mem_buf_release(&e->key);
	free(e);
}

/* ---- questions and documents --------------------------------------------- */

static uint32_t
find_or_add_question(struct mem_eval *e, struct mem_str qid)
{
	size_t known = e->qids.n;
	uint32_t q = stage_add_name(&e->qids, qid);
	e->questions = mem_grow(e->questions, &e->questions_cap, e->qids.n, sizeof *e->questions);
	if (e->qids.n > known)
		e->questions[q] = (struct eval_question){ 0 };
	return q;
}

/* The text of a string or the digits of a number.  False: it is neither.  BORROWS until the next. */
static bool
read_name(struct mem_eval *e, struct mem_json v, struct mem_str *out)
{
	mem_buf_reset(&e->text);
	if (v.type == MEM_JSON_NUMBER)
		*out = v.raw;
	else if (mem_json_decode(&e->text, v))
		*out = mem_buf_span(&e->text);
	else
		return false;
	return true;
}

/* A question's number by its qid, a new one where it is not known; STAGE_NO_NAME: the value is neither string nor number. */
static uint32_t
take_question(struct mem_eval *e, struct mem_json qid)
{
	struct mem_str name;
	return mem_json_there(qid) && read_name(e, qid, &name) ? find_or_add_question(e, name) : STAGE_NO_NAME;
}

/* A document of a question: kind 'i' is an id, 'r' a ref.  BORROWS until the next. */
static struct mem_str
make_document_key(struct mem_eval *e, uint32_t question, char kind, struct mem_str name)
{
	mem_buf_reset(&e->key);
	mem_buf_put(&e->key, &question, sizeof question);
	mem_buf_putc(&e->key, kind);
	mem_buf_str(&e->key, name);
	return mem_buf_span(&e->key);
}

/* The group of a question: that of its first judgement, "" where this has none. */
static void
keep_group(struct mem_eval *e, uint32_t question)
{
	struct eval_question *q = &e->questions[question];
	struct mem_str name = e->qids.v[question];
	if (e->opts.group == NULL || q->judged)
		return;
	if (strcmp(e->opts.group, "prefix") == 0) {
		const char *colon = memchr(name.p, ':', name.n);
		name.n = colon != NULL ? (size_t)(colon - name.p) : name.n;
	} else if (!read_name(e, mem_rec_value(&e->rec, e->opts.group), &name))
		name = MEM_STR("");
	q->group = stage_add_name(&e->groups, name);
}

/* ---- judgements ---------------------------------------------------------- */

/* The judgement of the document; STAGE_NO_NAME: there is none. */
static uint32_t
find_document_gold(struct mem_eval *e, uint32_t question, char kind, struct mem_str name)
{
	uint32_t d = stage_find_name(&e->documents, make_document_key(e, question, kind, name));
	return d != STAGE_NO_NAME ? e->document_gold[d] : STAGE_NO_NAME;
}

/* Enters the document under the number of its judgement, unless it has one. */
static void
link_document(struct mem_eval *e, uint32_t question, char kind, struct mem_str name, uint32_t gold)
{
	size_t known = e->documents.n;
	uint32_t d = stage_add_name(&e->documents, make_document_key(e, question, kind, name));
	e->document_gold = mem_grow(e->document_gold, &e->documents_cap, e->documents.n, sizeof *e->document_gold);
	if (e->documents.n > known)
		e->document_gold[d] = gold;
}

static enum mem_status
refuse_judgement(struct mem_err *err, size_t at, const char *why)
{
	return mem_err_record(err, "bad_value", at, "%s", why);
}

static enum mem_status
add_none(struct mem_eval *e, uint32_t question, struct mem_err *err)
{
	struct eval_question *q = &e->questions[question];
	if (q->judged && !q->none)
		return refuse_judgement(err, 0, "the question has records that are judged: it cannot have none");
	q->judged = q->none = true;
	return MEM_OK;
}

/* `kinds`: under which of id and ref a run may name the document. */
static enum mem_status
add_judgement(struct mem_eval *e, uint32_t question, const char *kinds, struct mem_str name, int64_t grade, struct mem_err *err)
{
	if (grade < GRADE_MIN || grade > GRADE_MAX)
		return refuse_judgement(err, 0, "a grade is a whole number up to 30");
	if (e->questions[question].none)
		return refuse_judgement(err, 0, "the question is marked none: no record can be right");
	uint32_t gold = STAGE_NO_NAME;
	for (const char *k = kinds; *k != '\0'; k++) {
		uint32_t before = find_document_gold(e, question, *k, name);
		if (before != STAGE_NO_NAME && e->golds[before].grade != grade)
			return refuse_judgement(err, 0, "the record has another grade already");
		gold = before != STAGE_NO_NAME ? before : gold;
	}
	e->questions[question].judged = true;
	if (gold == STAGE_NO_NAME) {
		gold = (uint32_t)e->ngolds;
		e->golds = mem_grow(e->golds, &e->golds_cap, e->ngolds + 1, sizeof *e->golds);
		e->golds[e->ngolds++] = (struct eval_gold){ question, (int)grade };
		e->questions[question].relevant += grade > 0;
	}
	for (; *kinds != '\0'; kinds++)
		link_document(e, question, *kinds, name, gold);
	return MEM_OK;
}

static enum mem_status
add_gold_record(struct mem_eval *e, struct mem_str line, struct mem_err *err)
{
	struct mem_str name;
	int64_t grade = 1;
	enum mem_status st = mem_rec_scan(&e->rec, line, err);
	if (st != MEM_OK)
		return st;
	uint32_t question = take_question(e, mem_rec_value(&e->rec, "qid"));
	if (question == STAGE_NO_NAME)
		return refuse_judgement(err, 0, "a judgement has a qid");
	keep_group(e, question);
	struct mem_json id = mem_rec_value(&e->rec, "id"), ref = mem_rec_value(&e->rec, "ref"), g = mem_rec_value(&e->rec, "grade");
	if (mem_rec_value(&e->rec, "none").type == MEM_JSON_TRUE)
		return id.type != MEM_JSON_STRING && ref.type != MEM_JSON_STRING ? add_none(e, question, err)
		    : refuse_judgement(err, 0, "a judgement has none, or the record that is right");
	if (mem_json_there(g) && !mem_json_int(g, &grade))
		return refuse_judgement(err, (size_t)(g.raw.p - line.p), "a grade is a whole number up to 30");
	if (id.type == MEM_JSON_STRING && read_name(e, id, &name))
		return add_judgement(e, question, "i", name, grade, err);
	if (ref.type == MEM_JSON_STRING && read_name(e, ref, &name))
		return add_judgement(e, question, "r", name, grade, err);
	return refuse_judgement(err, 0, "a judgement has an id, a ref or none");
}

/* The next word of a line, which becomes its rest. */
static struct mem_str
cut_word(struct mem_str *line)
{
	static const char blank[] = " \t\r";
	size_t n = 0;
	while (line->n > 0 && memchr(blank, *line->p, 3) != NULL)
		*line = (struct mem_str){ line->p + 1, line->n - 1 };
	while (n < line->n && memchr(blank, line->p[n], 3) == NULL)
		n++;
	struct mem_str word = { line->p, n };
	*line = (struct mem_str){ line->p + n, line->n - n };
	return word;
}

/* "QID 0 DOCUMENT GRADE", as trec_eval reads it. */
static enum mem_status
add_qrels_line(struct mem_eval *e, struct mem_str line, struct mem_err *err)
{
	struct mem_str word[5];
	int64_t grade;
	for (size_t i = 0; i < MEM_COUNT(word); i++)
		word[i] = cut_word(&line);
	if (word[3].n == 0 || word[4].n > 0)
		return mem_err_record(err, "bad_json", 0, "a judgement is a record, or a line of TREC: QID 0 DOCUMENT GRADE");
	if (!mem_number_parse(word[3], GRADE_MIN, GRADE_MAX, &grade))
		return refuse_judgement(err, (size_t)(word[3].p - word[0].p), "a grade is a whole number up to 30");
	uint32_t question = find_or_add_question(e, word[0]);
	e->rec.nfields = 0;
	keep_group(e, question);
	return add_judgement(e, question, "ir", word[2], grade, err);
}

enum mem_status
mem_eval_add_gold(struct mem_eval *e, struct mem_str line, struct mem_err *err)
{
	struct mem_str rest = line, word = cut_word(&rest);
	if (word.n == 0)
		return MEM_OK;
	return *word.p == '{' ? add_gold_record(e, line, err) : add_qrels_line(e, line, err);
}

/* ---- runs ---------------------------------------------------------------- */

size_t
mem_eval_begin_run(struct mem_eval *e)
{
	e->runs = mem_grow(e->runs, &e->runs_cap, e->nruns + 1, sizeof *e->runs);
	e->runs[e->nruns] = (struct eval_run){ 0 };
	return e->nruns++;
}

static struct eval_answer *
find_run_answer(struct eval_run *r, uint32_t question)
{
	r->answers = mem_grow(r->answers, &r->answers_cap, (size_t)question + 1, sizeof *r->answers);
	for (; r->nanswers <= question; r->nanswers++)
		r->answers[r->nanswers] = (struct eval_answer){ .ms = (double)NAN };
	return &r->answers[question];
}

/* The judgement that a hit meets. */
static uint32_t
find_hit_gold(struct mem_eval *e, uint32_t question)
{
	static const struct {
		char kind;
		const char *field;
	} names[] = { { 'i', "id" }, { 'r', "ref" } };
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		struct mem_str name;
		struct mem_json v = mem_rec_value(&e->rec, names[i].field);
		if (!mem_json_there(v) || !read_name(e, v, &name))
			continue;
		uint32_t gold = find_document_gold(e, question, names[i].kind, name);
		if (gold != STAGE_NO_NAME)
			return gold;
	}
	return STAGE_NO_NAME;
}

static bool
is_feature_name(struct mem_str key)
{
	if (key.n == 0 || key.n > 32)
		return false;
	for (size_t i = 0; i < key.n; i++)
		if (!(key.p[i] == '_' || (key.p[i] >= '0' && key.p[i] <= '9') || ((key.p[i] | 32) >= 'a' && (key.p[i] | 32) <= 'z')))
			return false;
	return true;
}

/* The row of the hit's features: 0 if it has none. */
static uint32_t
keep_features(struct mem_eval *e, struct eval_run *r)
{
	struct mem_json features = mem_json_path(mem_rec_value(&e->rec, "signals"), "neighbours.features");
	if (!e->opts.features || features.type != MEM_JSON_OBJECT)
		return 0;
	r->features = mem_grow(r->features, &r->rows_cap, r->nrows + 1, EVAL_FEATURES_MAX * sizeof *r->features);
	double *row = r->features + r->nrows * EVAL_FEATURES_MAX;
	memset(row, 0, EVAL_FEATURES_MAX * sizeof *row);
	for (struct mem_json_iter it = mem_json_each(features); mem_json_next(&it);) {
		double v;
		if (!is_feature_name(it.key) || !mem_json_num(it.value, &v) || fabs(v) > FEATURE_MAX)
			continue;
		uint32_t f = stage_find_name(&e->features, it.key);
		if (f == STAGE_NO_NAME && e->features.n < EVAL_FEATURES_MAX)
			f = stage_add_name(&e->features, it.key);
		if (f != STAGE_NO_NAME)
			row[f] = v;
		r->pieces = r->pieces || (mem_str_is(it.key, "m") && v != 0);
	}
	r->hybrid = r->hybrid || mem_json_is(mem_rec_value(&e->rec, "mode"), "hybrid");
	return (uint32_t)++r->nrows;
}

static enum mem_status
take_end_record(struct mem_eval *e, struct eval_answer *a, struct mem_err *err)
{
	struct mem_json v = mem_rec_value(&e->rec, "ms");
	double ms = a->ms;
	if (mem_json_there(v) && v.type != MEM_JSON_NULL && (!mem_json_num(v, &ms) || ms < 0 || ms > MS_MAX))
		return mem_err_record(err, "bad_value", (size_t)(v.raw.p - e->rec.text.p), "ms is a number of milliseconds");
	a->ms = ms;
	a->failed = a->failed || mem_json_there(mem_rec_value(&e->rec, "error"));
	return MEM_OK;
}

enum mem_status
mem_eval_add_hit(struct mem_eval *e, struct mem_str line, struct mem_err *err)
{
	struct eval_run *r = &e->runs[e->nruns - 1];
	enum mem_status st = mem_rec_scan(&e->rec, line, err);
	if (st != MEM_OK)
		return st;
	uint32_t question = take_question(e, mem_rec_value(&e->rec, "qid"));
	if (question == STAGE_NO_NAME)
		return mem_err_record(err, "bad_value", 0, "a hit of a run has a qid (mem-search --queries gives one)");
	struct eval_answer *a = find_run_answer(r, question);
	if (mem_rec_value(&e->rec, "end").type == MEM_JSON_TRUE)
		return take_end_record(e, a, err);
	struct mem_json rank = mem_rec_value(&e->rec, "rank");
	int64_t place = (int64_t)a->hits + 1;
	if (mem_json_there(rank) && rank.type != MEM_JSON_NULL && (!mem_json_int(rank, &place) || place < 1))
		return mem_err_record(err, "bad_value", (size_t)(rank.raw.p - e->rec.text.p), "a hit has a rank from 1, or none");
	if (!mem_json_there(mem_rec_value(&e->rec, "id")) && !mem_json_there(mem_rec_value(&e->rec, "ref")))
		return mem_err_record(err, "bad_value", 0, "a hit has an id or a ref");
	r->hits = mem_grow(r->hits, &r->cap, r->n + 1, sizeof *r->hits);
	r->hits[r->n++] = (struct eval_hit){ question, a->hits++, place, find_hit_gold(e, question), keep_features(e, r) };
	return MEM_OK;
}
