/* SPDX-License-Identifier: Apache-2.0 */
/* mem-review: the queue of what waits for the decision of a person. */
#include "reviews.h"

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
		write_reviews(&ask, argc, argv, write_review);
	else if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	else if (verb == SHOW)
		worst = mem_status_worse(worst, take_operand_ids(argc, argv, show_review, c.nul, 0, commit_before_wait));
	else
		list_reviews();
	mem_store_close(store);
	return mem_finish(worst);
}
