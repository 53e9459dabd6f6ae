/* SPDX-License-Identifier: Apache-2.0 */
/* mem-grade: is there an answer among the hits? */
#include <math.h>

#include "cli/cli.h"
#include "conf/conf.h"
#include "query/query.h"
#include "run_stage.h"
#include "search_filters.h"
#include "stage/grade.h"
#include "stage_questions.h"
#include "store/store.h"
#include "upkeep/upkeep.h"
#include "vectors/vectors.h"
#include "write/review.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_grade_options o;
static struct mem_searcher searcher;
static struct mem_search_options search = MEM_SEARCH_OPTIONS_INIT; /* how questions are read, and what they may find */
static struct mem_filter_past past = MEM_FILTER_PAST_INIT;
static struct mem_filter_options named = { .past = &past };
static bool escalate;
static enum mem_status worst;

/* ---- what nothing answers goes to a person --------------------------------- */

/* A receipt goes to people here, since hits are what is printed.  A mem_emit_fn. */
static bool
tell_of_review(void *ctx, struct mem_str lines)
{
	struct mem_rec r = { 0 };
	struct mem_arena a = { 0 };
	(void)ctx;
	while (lines.n > 0 && lines.p[lines.n - 1] == '\n')
		lines.n--;
	if (mem_rec_scan(&r, lines, NULL) == MEM_OK && mem_rec_value(&r, "id").type == MEM_JSON_STRING)
		mem_warn("a person %s asked: review %s", mem_json_is(mem_rec_value(&r, "verdict"), "duplicate") ? "was" : "is",
		    mem_json_text(&a, mem_rec_value(&r, "id")).p);
	mem_arena_release(&a);
	mem_rec_release(&r);
	return true;
}

static void
put_review(const char *question, const char *text)
{
	const struct mem_review_run_options asks = { .decision = MEM_REVIEW_CHANGES_ASKED, .question = true, .asks = MEM_ASKS_ESCALATION,
		.note = text, .once = question };
	const struct mem_store_options where = { .dir = c.store, .agent = c.agent, .write = true, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	struct mem_review_run *run = NULL;
	struct mem_err err;
	enum mem_status st = mem_review_run_open(&run, &where, &asks, tell_of_review, NULL, &err);
	if (st == MEM_OK)
		st = mem_review_run_add(run, NULL, &err);
	if (st == MEM_OK)
		st = mem_review_run_commit(run, &err);
	if (st == MEM_OK)
		st = mem_review_run_outcome(run, &err);
	if (st != MEM_OK)
		mem_warn("nobody could be asked: %s", err.msg);
	worst = mem_status_worse(worst, st);
	mem_review_run_free(run);
}

static void
take_grade(void *ctx, enum mem_grade grade, struct mem_str qid, struct mem_str question, double best)
{
	struct mem_buf text = { 0 }, asked = { 0 };
	(void)ctx;
	if (grade == MEM_GRADE_INCORRECT)
		worst = mem_status_worse(worst, MEM_NOTFOUND);
	if (!escalate || grade == MEM_GRADE_CORRECT)
		return;
	if (question.n == 0) {
		mem_warn("%.*s%snobody is asked, since the question is not known", (int)qid.n, qid.p, qid.n > 0 ? ": " : "");
		return;
	}
	mem_buf_str(&asked, question);
	mem_buf_str(&text, question);
	mem_buf_printf(&text, "\n(%s in memory", grade == MEM_GRADE_INCORRECT ? "no answer" : "no certain answer");
	if (!isnan(best))
		mem_buf_printf(&text, "; the best match is %.6f", best);
	mem_buf_puts(&text, ")");
	put_review(asked.data, text.data);
	mem_buf_release(&asked);
	mem_buf_release(&text);
}

/* ---- all -------------------------------------------------------------------- */

/* The model of the store's vectors, where a store is named, and the settings. */
static void
read_grade_store(struct mem_vectors_model *model)
{
	static struct mem_conf *conf; /* what it holds is pointed to */
	const struct mem_store_options where = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_txn *t = NULL;
	struct mem_err err;
	if (c.store != NULL ? mem_searcher_open(&searcher, &where, &err) : mem_conf_load(&conf, -1, &err))
		mem_die_err(&err);
	struct mem_str command = mem_conf_str(c.store != NULL ? mem_store_conf(searcher.index.store) : conf, "grade.fallback_with");
	if (o.fallback_with == NULL && command.n > 0)
		o.fallback_with = command.p;
	if (c.store == NULL)
		return;
	enum mem_status st = mem_txn_read(&t, searcher.index.store, &err);
	if (st == MEM_OK)
		st = mem_vectors_model_get(t, model, &err);
	mem_txn_end(t);
	if (st != MEM_OK && st != MEM_NOTFOUND && st != MEM_ABSENT)
		mem_die_err(&err);
	o.model = st == MEM_OK ? model->name : NULL;
	o.searcher = &searcher;
	mem_store_pause(searcher.index.store); /* the hits may be long in coming */
}

int
main(int argc, char **argv)
{
	struct mem_vectors_model model = { 0 };
	struct mem_filter filter = MEM_FILTER_INIT;
	const char *query = NULL, *queries = NULL;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c),
		MEM_OPT_QUESTIONS(query, queries),
		MEM_OPT_FILTERS(c, named), MEM_OPT_PAST(past), MEM_OPT_SYNTAX(search),
		{ 0, "fallback-with", "CMD", "let this command find more hits for what is ambiguous: hits in, hits out", .str = &o.fallback_with },
		{ 0, "escalate", NULL, "ask a person what has no certain answer (mem-review)", .flag = &escalate },
		{ 0, "again", NULL, "grade also what was graded before", .flag = &o.again },
		MEM_OPT_AGENT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-grade [OPTION...] [FILE...]", "tell whether there is an answer among hits");
	if (escalate && query == NULL && queries == NULL)
		mem_die(MEM_USAGE, "--escalate needs --query or --queries");
	if (search.plain && search.strict)
		mem_die(MEM_USAGE, "--plain or --strict, not both");
	past.then = mem_known_facts_open();
	read_search_filters(&filter, &named, &c);
	search.filter = &filter;
	read_grade_store(&model);
	struct mem_questions *questions = read_stage_questions(query, queries, &worst);
	o.questions = questions;
	o.search = &search;
	o.tell = warn_of_stage;
	o.graded = take_grade;
	enum mem_status st = run_stage(&mem_stage_grade, &o, argc, argv);
	mem_questions_close(questions);
	mem_searcher_close(&searcher);
	mem_filter_release(&filter);
	return mem_finish(mem_status_worse(st, worst));
}
