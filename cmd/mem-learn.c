/* SPDX-License-Identifier: Apache-2.0 */
/* mem-learn: what proved useful, or did not. */
#include <stdlib.h>
#include <string.h>

#include "belief/learn.h"
#include "cli/cli.h"
#include "learn_output.h"
#include "model/model.h"
#include "refused_id.h"
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
	for (int i = 0; i < argc; i++) {
		explain_refused_id(mem_writer_store(r->writer), mem_str(argv[i]));
		if (mem_learn_change_one(r, mem_str(argv[i]), change, &err) != MEM_OK)
			mem_die_err(&err);
	}
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
		return mem_finish(list_learnings(&c, &(struct learn_wanted){ category, state, archived }, &ask));
	mem_link_curl_and_blas();
	return mem_finish(write_by_hand("mem-learn", &ask, &c, verb == ADD, writing[verb], argc, argv));
}
