/* SPDX-License-Identifier: Apache-2.0 */
/* mem-learn: what proved useful, or did not. */
#include <stdlib.h>
#include <string.h>

#include "belief/learn.h"
#include "cli/cli.h"
#include "listed_nodes.h"
#include "model/model.h"
#include "query/query.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_words sources;
static int category = -1, state = -1;
static bool archived;

/* ---- writing ------------------------------------------------------------- */

static void
read_source_ids(struct mem_write_run *r, struct mem_id *ids)
{
	struct mem_err err;
	for (size_t i = 0; i < sources.n; i++)
		if (mem_id_find(mem_writer_store(r->writer), mem_str(sources.v[i]), &ids[i], &err) != MEM_OK)
			mem_die(err.status == MEM_NOTFOUND || err.status == MEM_REFUSED ? MEM_USAGE : err.status, "--source: %s", err.msg);
}

static void
add_learning(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_learn_new what = { .nsources = sources.n };
	struct mem_query_encoder encoder = { .store = mem_writer_store(r->writer) };
	struct mem_id *ids = mem_xcalloc(sources.n + 1, sizeof *ids);
	struct mem_buf text = { 0 };
	struct mem_err err;
	int place = find_word(argv[0], mem_learn_categories);
	if (place < 0)
		mem_die(MEM_USAGE, "add: '%s' is no category: pattern, anti_pattern, best_practice, discovery, fact, failure_mode, "
		    "review_finding, performance_insight or reflexion", argv[0]);
	if (mem_write_run_ns(r, c.ns.n > 0 ? c.ns.v[0] : NULL, &what.ns, &err) != MEM_OK)
		mem_die_err(&err);
	read_source_ids(r, ids);
	read_operand_text(&text, argc - 1, argv + 1);
	what.category = mem_learn_categories[place], what.content = mem_buf_span(&text), what.sources = ids;
	if (mem_learn_add(r, &encoder, &what, &err) != MEM_OK)
		mem_die_err(&err);
	mem_query_encoder_close(&encoder);
	mem_buf_release(&text);
	free(ids);
}

static void
change_learnings(struct mem_write_run *r, int argc, char **argv, enum mem_learn_change change)
{
	struct mem_err err;
	for (int i = 0; i < argc; i++)
		if (mem_learn_change_one(r, mem_str(argv[i]), change, &err) != MEM_OK)
			mem_die_err(&err);
}

static void
verify_learnings(struct mem_write_run *r, int argc, char **argv)
{
	change_learnings(r, argc, argv, MEM_LEARN_VERIFY);
}

static void
disprove_learnings(struct mem_write_run *r, int argc, char **argv)
{
	change_learnings(r, argc, argv, MEM_LEARN_DISPROVE);
}

static void
reinforce_learnings(struct mem_write_run *r, int argc, char **argv)
{
	change_learnings(r, argc, argv, MEM_LEARN_REINFORCE);
}

static void
note_outcome(struct mem_write_run *r, int argc, char **argv)
{
	static const char *const outcomes[] = { "positive", "negative", NULL };
	int outcome = find_word(argv[argc - 1], outcomes);
	if (outcome < 0)
		mem_die(MEM_USAGE, "outcome: '%s' is not positive or negative", argv[argc - 1]);
	change_learnings(r, argc - 1, argv, outcome == 0 ? MEM_LEARN_POSITIVE : MEM_LEARN_NEGATIVE);
}

/* ---- listing ------------------------------------------------------------- */

static const struct mem_column columns[] = {
	{ .name = "ID" }, { .name = "CATEGORY", .leave_out = 3 }, { .name = "STATE", .leave_out = 2 }, { .name = "NS", .min = 8, .leave_out = 1 },
	{ .name = "VALUE", .right = true }, { .name = "TEXT", .min = 12, .want = 40 }, { 0 }
};

static void
add_learning_row(struct mem_grid *g, struct mem_txn *t, const struct mem_rec *rec, double value)
{
	static const char *const names[] = { "category", "state", "ns" };
	put_id_cell(g, t, mem_json_text(&g->arena, mem_rec_value(rec, "id")));
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		mem_grid_cell(g, mem_json_text(&g->arena, mem_rec_value(rec, names[i])));
	mem_grid_cell(g, mem_str(mem_arena_printf(&g->arena, "%.2f", value)));
	mem_grid_cell(g, mem_json_text(&g->arena, mem_rec_value(rec, "content")));
}

/* The record with what it is worth now behind it. */
static void
print_learning(const struct mem_rec *rec, double value)
{
	struct mem_buf line = { 0 }, number = { 0 };
	mem_json_put_number(&number, value);
	const struct mem_edit edit = { "effective_importance", mem_buf_span(&number) };
	mem_rec_edit(&line, rec, &edit, 1);
	mem_out_line(mem_buf_span(&line));
	mem_buf_release(&line);
	mem_buf_release(&number);
}

static bool
is_state_listed(const struct mem_rec *rec)
{
	return (category < 0 || mem_json_is(mem_rec_value(rec, "category"), mem_learn_categories[category])) &&
	    (state < 0 || mem_json_is(mem_rec_value(rec, "state"), mem_learn_states[state]));
}

/* Prints those of some lines that are wanted; returns how many. */
static uint64_t
print_learnings(struct mem_store *s, struct mem_str lines, struct mem_grid *g, uint64_t left)
{
	struct mem_txn *t = g->columns != NULL ? begin_id_cells(s) : NULL;
	struct mem_rec rec = { 0 };
	struct mem_learn_value v;
	uint64_t n = 0;
	while (lines.n > 0 && n < left) {
		if (mem_rec_scan(&rec, cut_first_line(&lines), NULL) != MEM_OK || !is_state_listed(&rec))
			continue;
		mem_learn_value_read(&v, &rec, mem_store_now(s));
		if (g->columns != NULL)
			add_learning_row(g, t, &rec, v.effective);
		else
			print_learning(&rec, v.effective);
		n++;
	}
	end_id_cells(s, t);
	mem_grid_flush(g);
	mem_rec_release(&rec);
	return n;
}

static enum mem_status
list_learnings(const struct mem_store_options *ask)
{
	struct mem_store *s = NULL;
	struct mem_filter f;
	struct mem_listing *l = NULL;
	struct mem_buf lines = { 0 };
	struct mem_grid grid = { 0 };
	struct mem_err err;
	uint64_t left = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	const struct mem_filter_options wanted = { .ns = c.ns, .since = c.since, .until = c.until, .live = !archived };
	if (mem_store_open(&s, ask, &err) != MEM_OK || mem_filter_read(&f, &wanted, &err) != MEM_OK)
		mem_die_err(&err);
	f.kinds = mem_kind_set_of(MEM_KIND_LEARNING);
	if (mem_text_wanted(c.format))
		mem_grid_begin(&grid, columns);
	enum mem_status st = mem_listing_open(&l, s, &f, NULL, &err);
	while (st == MEM_OK && left > 0 && mem_out_ok()) {
		size_t n;
		mem_buf_reset(&lines);
		st = mem_listing_next(l, SIZE_MAX, &lines, &n, &err);
		mem_store_pause(s); /* a slow reader must not hold up a compaction */
		left -= print_learnings(s, mem_buf_span(&lines), &grid, left);
	}
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_grid_end(&grid);
	mem_listing_free(l);
	mem_buf_release(&lines);
	mem_filter_release(&f);
	mem_store_close(s);
	return MEM_OK;
}

enum { ADD, VERIFY, DISPROVE, REINFORCE, OUTCOME, LIST };
static const char *const verb_words[] = { "add", "verify", "disprove", "reinforce", "outcome", "list", NULL };
static const struct mem_verb verbs[] = {
	{ "add", "ns source quiet dry-run wait", 2, -1 }, { "verify", "quiet dry-run wait", 1, -1 }, { "disprove", "quiet dry-run wait", 1, -1 },
	{ "reinforce", "quiet dry-run wait", 1, -1 }, { "outcome", "quiet dry-run wait", 2, -1 },
	{ "list", "ns category state archived limit all every-namespace", 0, 0 }, { NULL, NULL, 0, 0 },
};

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "ns", "NS", "only these namespaces; of add: write to NS", .words = &c.ns, .commas = true },
		{ 0, "source", "ID", "it was learned from this record; may be given again", .words = &sources },
		{ 0, "category", "WORD", "only of this category", .choice = &category, .choices = mem_learn_categories },
		{ 0, "state", "WORD", "open, verified or disproven", .choice = &state, .choices = mem_learn_states },
		{ 0, "archived", NULL, "list what is not live, too", .flag = &archived },
		MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW,
		MEM_OPT_OPERANDS("VERB", verb_words), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-learn [OPTION...] [-q] [--dry-run] [--ns NS] [--source ID] add CATEGORY TEXT...\n"
	    "mem-learn [OPTION...] [-q] [--dry-run] verify ID...\n"
	    "mem-learn [OPTION...] [-q] [--dry-run] disprove ID...\n"
	    "mem-learn [OPTION...] [-q] [--dry-run] reinforce ID...\n"
	    "mem-learn [OPTION...] [-q] [--dry-run] outcome ID... positive|negative\n"
	    "mem-learn [OPTION...] [--ns NS] [--category WORD] [--state WORD] [--archived] [-n N] list",
	    "keep what proved useful, and what did not");
	static write_run_fn *const writing[] = { [ADD] = add_learning, [VERIFY] = verify_learnings, [DISPROVE] = disprove_learnings,
		[REINFORCE] = reinforce_learnings, [OUTCOME] = note_outcome };
	int verb = (int)(mem_verb_take(&argc, &argv, verbs) - verbs);
	if (verb == ADD && c.ns.n > 1)
		mem_die(MEM_USAGE, "--ns: a learning lies in one namespace");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = verb != LIST, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	if (verb == LIST)
		return mem_finish(list_learnings(&ask));
	mem_link_curl_and_blas();
	return mem_finish(write_by_hand("mem-learn", &ask, &c, verb == ADD, writing[verb], argc, argv));
}
