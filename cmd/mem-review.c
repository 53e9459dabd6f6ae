/* SPDX-License-Identifier: Apache-2.0 */
/* mem-review: the queue of what waits for the decision of a person. */
#include "cli/cli.h"
#include "nodes.h"
#include "review_output.h"
#include "store/store.h"
#include "upkeep/upkeep.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_review_filter wanted = { .state = -1, .asks = -1 };
static struct mem_review_run_options deciding = { .expires = -1 }; /* for ever */
static struct mem_store *store;
static struct mem_review_run *run;
static enum mem_status worst;
static struct mem_err err;

static void
list_reviews(void)
{
	uint64_t left = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	struct mem_grid grid = { 0 };
	struct mem_review_listing *l = NULL;
	struct mem_buf lines = { 0 };
	if (mem_text_wanted(c.format))
		begin_review_table(&grid);
	enum mem_status st = mem_review_listing_open(&l, store, &wanted, &err);
	while (st == MEM_OK && left > 0 && mem_out_ok()) {
		size_t n;
		mem_buf_reset(&lines);
		st = mem_review_listing_next(l, left < SIZE_MAX ? (size_t)left : SIZE_MAX, &lines, &n, &err);
		left -= n;
		mem_store_pause(store); /* a slow reader must not hold up a compaction */
		print_review_lines(store, mem_buf_span(&lines), &grid);
	}
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	mem_grid_end(&grid);
	mem_review_listing_free(l);
	mem_buf_release(&lines);
}

static void
show_review(struct mem_str id)
{
	struct mem_found_nodes found;
	enum mem_status st = mem_review_find(store, id, &found, &err);
	if (st == MEM_NOTFOUND)
		mem_warn("no such review: %.*s", (int)(id.n < 200 ? id.n : 200), id.p);
	else if (st == MEM_REFUSED)
		mem_warn("%s", err.msg);
	else if (st == MEM_DAMAGED)
		mem_warn_damage(NULL, err.msg); /* the others can be read */
	else if (st != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < found.n; i++)
		print_whole_node(found.json[i], mem_text_wanted(c.format));
	worst = mem_status_worse(worst, st);
	mem_found_nodes_release(&found);
}

static void
write_review(struct mem_str id)
{
	struct mem_id found;
	/* The receipt has a word for it; which ids those are is said here. */
	if (mem_id_find(mem_review_run_store(run), id, &found, &err) == MEM_REFUSED)
		mem_warn("%s", err.msg);
	if (mem_review_run_add(run, &id, &err) != MEM_OK)
		mem_die_err(&err);
}

/* Waiting must neither hold up a compaction nor what was asked for. */
static void
commit_before_wait(void)
{
	if (run != NULL && mem_review_run_commit(run, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_pause(run != NULL ? mem_review_run_store(run) : store);
}

static void
write_reviews(const struct mem_store_options *ask, int argc, char **argv)
{
	mem_interrupt_catch();
	enum mem_status st = mem_review_run_open(&run, ask, &deciding, emit_receipts, &c.quiet, &err);
	if (st == MEM_OK && argc == 0)
		st = mem_review_run_add(run, NULL, &err);
	if (st == MEM_OK)
		worst = take_operand_ids(argc, argv, write_review, c.nul, 200, commit_before_wait);
	if (st == MEM_OK)
		st = mem_review_run_commit(run, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	worst = mem_status_worse(mem_review_run_outcome(run, &err), worst);
	mem_review_run_free(run);
}

enum { LIST, SHOW, APPROVE, REJECT, ASK };
static const char *const verb_words[] = { "list", "show", "approve", "reject", "ask", NULL };
static const struct mem_verb verbs[] = {
	{ "list", "state asks ns limit all format", 0, 0 }, { "show", "format 0 z", 1, -1 },
	{ "approve", "note 0 z quiet wait dry-run", 1, -1 }, { "reject", "note 0 z quiet wait dry-run", 1, -1 },
	{ "ask", "note 0 z quiet wait dry-run asks expires", 0, -1 }, { NULL, NULL, 0, 0 },
};

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c),
		{ 0, "state", "STATE", "only reviews in this state", .choice = &wanted.state, .choices = mem_review_state_words },
		{ 0, "asks", "WORD", "only reviews that ask for this; of ask: what it asks for", .choice = &wanted.asks, .choices = mem_review_asks_words },
		{ 0, "note", "TEXT", "say why, or what is to change; of a question: ask this", .str = &deciding.note },
		MEM_OPT_DRYRUN(deciding),
		{ 0, "expires", "TIME", "a question is open for so long", .duration = &deciding.expires },
		MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c),
		MEM_OPT_NOW, MEM_OPT_OPERANDS("VERB", verb_words), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-review [OPTION...] [--state STATE] [--asks WORD] [--ns NS] [-n N] [--all] [--format FORMAT] list\n"
	    "mem-review [OPTION...] [-0z] [--format FORMAT] show ID...\n"
	    "mem-review [OPTION...] [-0qz] [--dry-run] [--note TEXT] approve ID...\n"
	    "mem-review [OPTION...] [-0qz] [--dry-run] [--note TEXT] reject ID...\n"
	    "mem-review [OPTION...] [-0qz] [--dry-run] [--note TEXT] [--asks WORD] [--expires TIME] ask [ID...]",
	    "decide what waits for a person");
	static const enum mem_review_state decisions[] = { [APPROVE] = MEM_REVIEW_APPROVED, [REJECT] = MEM_REVIEW_REJECTED,
		[ASK] = MEM_REVIEW_CHANGES_ASKED };
	int verb = (int)(mem_verb_take(&argc, &argv, verbs) - verbs);
	if (verb == ASK && argc == 0 && deciding.note == NULL)
		mem_die(MEM_USAGE, "ask: say with --note what you ask, or name the review that needs changes");
	if (deciding.expires == 0)
		mem_die(MEM_USAGE, "--expires: nobody can answer a question that is open for no time");
	deciding.decision = decisions[verb];
	deciding.question = verb == ASK && (wanted.asks >= 0 || deciding.expires > 0);
	deciding.asks = deciding.question && wanted.asks >= 0 ? (enum mem_review_asks)wanted.asks : MEM_ASKS_ESCALATION;
	wanted.ns = c.ns;
	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = verb >= APPROVE,
		.every_namespace = c.every_namespace, .wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	if (ask.write)
		write_reviews(&ask, argc, argv);
	else if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	else if (verb == SHOW)
		worst = mem_status_worse(worst, take_operand_ids(argc, argv, show_review, c.nul, 0, commit_before_wait));
	else
		list_reviews();
	mem_store_close(store);
	return mem_finish(worst);
}
