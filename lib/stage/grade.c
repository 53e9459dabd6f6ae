/* SPDX-License-Identifier: Apache-2.0 */
/* The stage grade: hits that answer, and queries that nothing answers. */
#include "stage/grade_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "query/match.h"
#include "query/query.h"
#include "stage/hits_int.h"

const char *const mem_grade_words[] = { "incorrect", "ambiguous", "correct", NULL };

static const double HIGH_SHARE = .85, MEDIUM_SHARE = .5;

struct graded_hit {
	struct mem_str line;
	double match, v;           /* NAN: none */
	enum mem_grade grade;
	bool joined;               /* from the fallback */
	bool other_speaker;
};
struct grader {
	struct mem_grade_options opts;
	struct stage_hits hits;
	struct mem_arena arena;    /* of one query */
	struct mem_rec rec;
	struct mem_buf text;
	bool told;                 /* of a model without cuts */
	/* Of one query: */
	struct graded_hit *v;      /* OWNS */
	size_t n, cap;
	double best;               /* the greatest match; NAN: there is none */
	enum mem_grade grade;
	const char *fallback;      /* JSON; NULL: it was not asked */
};

static void *
open_grader(const void *options)
{
	static const struct mem_grade_options defaults = { .model = NULL };
	struct grader *g = mem_xcalloc(1, sizeof *g);
	g->opts = options != NULL ? *(const struct mem_grade_options *)options : defaults;
	g->hits.unscored = true;
	return g;
}

static void
note_rejection(void *ctx, enum mem_grade grade, struct mem_str qid, struct mem_str question, double best)
{
	bool *rejected = ctx;
	(void)qid;
	(void)question;
	(void)best;
	*rejected |= grade == MEM_GRADE_INCORRECT;
}

static enum mem_status
open_search_grader(void **state, const struct mem_stage_search *with, struct mem_err *err)
{
	struct mem_str command = mem_conf_str(with->conf, "grade.fallback_with");
	const struct mem_grade_options o = { .model = with->searcher->encoder.model.name, .query = with->options->query, .searcher = with->searcher,
		.search = with->options, .tell = with->tell,
		.fallback_with = command.n > 0 ? command.p : NULL,
		.graded = with->rejected != NULL ? note_rejection : NULL, .ctx = with->rejected };
	(void)err;
	*state = open_grader(&o);
	return MEM_OK;
}

static void
free_grader(void *state)
{
	struct grader *g = state;
	stage_hits_release(&g->hits);
	mem_arena_release(&g->arena);
	mem_rec_release(&g->rec);
	mem_buf_release(&g->text);
	free(g->v);
	free(g);
}

/* NAN: it is null, or not there. */
static enum mem_status
read_match(const struct mem_rec *r, double *match, struct mem_err *err)
{
	struct mem_json v = mem_rec_value(r, "match");
	*match = (double)NAN;
	if (v.type == MEM_JSON_NULL || !mem_json_there(v))
		return MEM_OK;
	return mem_json_num(v, match) && *match >= 0 && *match <= 1 ? MEM_OK
	    : stage_refuse_field(r, "match", "a match from 0 to 1, as mem-search gives it", err);
}

static enum mem_status
add_grade_hit(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err)
{
	struct grader *g = state;
	struct stage_hit *hit;
	double match;
	(void)stream;
	(void)out; /* all is read before anything is given */
	enum mem_status st = stage_hits_add(&g->hits, line, &hit, err);
	if (st != MEM_OK || hit == NULL)
		return st;
	st = read_match(&g->hits.rec, &match, err);
	if (st != MEM_OK)
		g->hits.n--; /* it was the last */
	return st;
}

/* ---- grades ----------------------------------------------------------------- */

static const struct mem_match_model *
choose_model(struct grader *g, const struct mem_rec *r)
{
	double product;
	struct mem_json dense = mem_json_member(mem_json_member(mem_rec_value(r, "signals"), "dense"), "score");
	if (!mem_json_num(dense, &product))
		return mem_match_model_find(NULL);
	const struct mem_match_model *m = g->opts.model != NULL ? mem_match_model_find(g->opts.model) : mem_match_model_default();
	if (m->name == NULL && !g->told && g->opts.tell != NULL) {
		mem_buf_reset(&g->text);
		mem_buf_printf(&g->text, "the products of model %s were never measured: hits are graded by words alone", g->opts.model);
		g->opts.tell(g->text.data);
		g->told = true;
	}
	return m;
}

static void
add_graded_hit(struct grader *g, struct mem_str line, bool joined)
{
	struct graded_hit h = { .line = line, .grade = MEM_GRADE_AMBIGUOUS, .v = (double)NAN, .joined = joined };
	mem_rec_look(&g->rec, line);
	if (read_match(&g->rec, &h.match, NULL) != MEM_OK)
		h.match = (double)NAN;
	if (!isnan(h.match)) {
		const struct mem_match_model *m = choose_model(g, &g->rec);
		h.v = mem_match_undo(h.match, m);
		h.grade = h.v < m->incorrect ? MEM_GRADE_INCORRECT : h.v < m->ambiguous ? MEM_GRADE_AMBIGUOUS : MEM_GRADE_CORRECT;
	}
	g->v = mem_grow(g->v, &g->cap, g->n + 1, sizeof *g->v);
	g->v[g->n++] = h;
}

/* That of the best hit; of equal ones the better grade, of none with a match ambiguous. */
static void
grade_query(struct grader *g)
{
	g->best = (double)NAN;
	g->grade = MEM_GRADE_AMBIGUOUS;
	for (size_t i = 0; i < g->n; i++) {
		const struct graded_hit *h = &g->v[i];
		if (isnan(h->match) || h->match < g->best)
			continue;
		if (isnan(g->best) || h->match > g->best || h->grade > g->grade)
			g->grade = h->grade;
		g->best = h->match;
	}
}

static const char *
name_band(const struct grader *g, double match)
{
	return match >= HIGH_SHARE * g->best ? "\"high\"" : match >= MEDIUM_SHARE * g->best ? "\"medium\"" : "\"low\"";
}

/* ---- the fallback ------------------------------------------------------------- */

static struct mem_str
find_grade_question(const struct grader *g, struct mem_str qid)
{
	return g->opts.questions != NULL ? mem_questions_find(g->opts.questions, qid) : g->opts.query;
}

/* Was it not there yet? */
static bool
add_id(struct stage_names *ids, struct mem_str id)
{
	size_t known = ids->n;
	(void)stage_add_name(ids, id);
	return ids->n > known;
}

/* Those of the query's hits. */
static void
collect_hit_ids(struct grader *g, struct stage_names *ids)
{
	for (size_t i = 0; i < g->n; i++)
		(void)add_id(ids, mem_json_text(&g->arena, mem_json_member(mem_json_object(g->v[i].line), "id")));
}

/* All lines are read before any joins. */
static enum mem_status
read_fallback(struct grader *g, struct mem_str out, bool join, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	struct stage_hit hit;
	struct stage_names ids = { 0 };
	size_t number = 0;
	double match;
	if (join)
		collect_hit_ids(g, &ids);
	while (out.n > 0 && st == MEM_OK) {
		const char *nl = memchr(out.p, '\n', out.n);
		struct mem_str line = { out.p, nl != NULL ? (size_t)(nl - out.p) : out.n };
		out = (struct mem_str){ line.p + line.n + (nl != NULL), out.n - line.n - (nl != NULL) };
		number++;
		st = mem_rec_scan(&g->rec, line, err);
		if (st == MEM_OK && mem_rec_value(&g->rec, "end").type == MEM_JSON_TRUE)
			continue;
		if (st == MEM_OK)
			st = stage_read_hit(&g->hits.queries, &g->rec, true, &hit, err);
		if (st == MEM_OK)
			st = read_match(&g->rec, &match, err);
		if (st == MEM_OK && join && add_id(&ids, mem_json_text(&g->arena, mem_rec_value(&g->rec, "id"))))
			add_graded_hit(g, hit.line, true);
	}
	stage_release_names(&ids);
	if (st != MEM_OK)
		mem_command_blame(err, g->opts.fallback_with, number);
	return st;
}

static void
put_fallback_input(struct mem_buf *in, struct grader *g, struct mem_str question)
{
	struct mem_buf query = { 0 };
	mem_json_put_string(&query, question);
	const struct mem_edit edit = { "query", mem_buf_span(&query) };
	for (size_t i = 0; i < g->n; i++) {
		mem_rec_look(&g->rec, g->v[i].line);
		mem_rec_edit(in, &g->rec, &edit, question.n > 0);
		mem_buf_putc(in, '\n');
	}
	mem_buf_release(&query);
}

static void
ask_fallback(struct grader *g, struct mem_str question)
{
	struct mem_buf in = { 0 }, out = { 0 };
	struct mem_err why = { .msg = "" };
	put_fallback_input(&in, g, question);
	enum mem_status st = mem_command_run(&out, g->opts.fallback_with, mem_buf_span(&in), &why);
	if (st == MEM_OK)
		st = read_fallback(g, mem_buf_span(&out), false, &why);
	if (st == MEM_OK)
		st = read_fallback(g, mem_buf_span(&out), true, &why);
	g->fallback = st == MEM_OK ? "true" : "false";
	if (st != MEM_OK && g->opts.tell != NULL) {
		mem_buf_reset(&g->text);
		mem_buf_printf(&g->text, "hits are graded without the fallback: %s", why.msg);
		g->opts.tell(g->text.data);
	}
	mem_buf_release(&in);
	mem_buf_release(&out);
}

/* ---- what comes out ------------------------------------------------------------- */

static void
put_graded_hit(struct grader *g, const struct graded_hit *h, size_t rank, struct mem_str qid, struct mem_buf *out)
{
	struct mem_edit edits[5];
	struct mem_buf grade = { 0 }, line = { 0 }, place = { 0 };
	size_t n = 0;
	mem_buf_printf(&grade, "\"%s\"", mem_grade_words[h->grade]);
	mem_buf_printf(&place, "%zu", rank);
	if (h->joined)
		edits[n++] = (struct mem_edit){ "rank", mem_buf_span(&place) };
	if (h->joined && qid.n > 0)
		edits[n++] = (struct mem_edit){ "qid", qid };
	edits[n++] = (struct mem_edit){ "grade", mem_buf_span(&grade) };
	edits[n++] = (struct mem_edit){ "band", mem_str(name_band(g, h->match)) };
	if (h->other_speaker)
		edits[n++] = (struct mem_edit){ "other_speaker", MEM_STR("true") };
	mem_rec_look(&g->rec, h->line);
	mem_rec_edit(&line, &g->rec, edits, n);
	mem_buf_reset(&g->text);
	mem_buf_putc(&g->text, '{');
	mem_json_put_num(&g->text, "score", round(h->v * 1e6) / 1e6);
	mem_json_put_field(&g->text, "query", mem_str(mem_grade_words[g->grade]));
	if (g->fallback != NULL)
		mem_json_put_raw(&g->text, "fallback", mem_str(g->fallback));
	mem_buf_putc(&g->text, '}');
	const struct stage_note note = { "grade", mem_buf_span(&g->text) };
	stage_put_hit(out, &g->rec, mem_buf_span(&line), 0, 0, &note, 1);
	mem_buf_release(&grade);
	mem_buf_release(&line);
	mem_buf_release(&place);
}

static void
tell_of_rejection(struct grader *g, struct mem_str qid)
{
	mem_buf_reset(&g->text);
	mem_buf_printf(&g->text, "%.*s%snothing here answers the question: the best of %zu hits has a match of %.6f", (int)(qid.n < 80 ? qid.n : 80), qid.p,
	    qid.n > 0 ? ": " : "", g->n, g->best);
	if (g->opts.tell != NULL)
		g->opts.tell(g->text.data);
}

static enum mem_status
mark_speakers(struct grader *g, struct mem_str qid, struct mem_str question, struct mem_err *err)
{
	bool *other = mem_xcalloc(g->n, sizeof *other);
	struct mem_str *lines = mem_xcalloc(g->n, sizeof *lines);
	for (size_t i = 0; i < g->n; i++)
		lines[i] = g->v[i].line;
	enum mem_status st = grade_find_others(other, &g->opts, qid, question, lines, g->n, err);
	for (size_t i = 0; i < g->n; i++)
		g->v[i].other_speaker = other[i];
	free(other);
	free(lines);
	return st;
}

/* A stage_query_fn. */
static enum mem_status
grade_query_hits(void *ctx, const struct stage_hit *hits, size_t n, struct mem_buf *out, size_t *left, struct mem_err *err)
{
	struct grader *g = ctx;
	const struct mem_str qid = g->hits.queries.qids.v[hits->query], question = find_grade_question(g, qid);
	enum mem_status st = MEM_OK;
	if (!g->opts.again && stage_hits_have_note(hits, n, "grade")) {
		stage_pass_hits(out, hits, n);
		*left = n;
		return MEM_OK;
	}
	g->n = 0;
	g->fallback = NULL;
	for (size_t i = 0; i < n; i++)
		add_graded_hit(g, hits[i].line, false);
	grade_query(g);
	if (g->grade == MEM_GRADE_AMBIGUOUS && g->opts.fallback_with != NULL) {
		ask_fallback(g, question);
		grade_query(g);
	}
	*left = g->grade == MEM_GRADE_INCORRECT ? 0 : g->n;
	if (*left == 0)
		tell_of_rejection(g, qid);
	else
		st = mark_speakers(g, qid, question, err);
	for (size_t i = 0; i < *left && st == MEM_OK; i++)
		put_graded_hit(g, &g->v[i], i + 1, qid, out);
	if (g->opts.graded != NULL)
		g->opts.graded(g->opts.ctx, g->grade, qid, question, g->best);
	mem_arena_reset(&g->arena);
	return st;
}

static enum mem_status
put_graded_hits(void *state, struct mem_buf *out, struct mem_err *err)
{
	struct grader *g = state;
	return stage_hits_each(&g->hits, grade_query_hits, g, out, err);
}

const struct mem_stage mem_stage_grade = {
	.name = "grade", .open = open_grader, .open_search = open_search_grader, .add = add_grade_hit, .end = put_graded_hits, .free = free_grader,
};
