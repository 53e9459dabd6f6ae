/* SPDX-License-Identifier: Apache-2.0 */
/* skill-review: the part of the queue of reviews that asks for skills. */
#include "reviews.h"
#include "skill/propose.h"

/* ---- operands are proposals, or their reviews -------------------------------- */

static void
show_proposal(struct mem_str operand)
{
	char id[MEM_ID_LEN + 1];
	show_review(mem_proposal_review(store, operand, id));
}

/* What was approved, each with a zero byte behind it. */
static struct mem_buf approved;

static void
decide_proposal(struct mem_str operand)
{
	char id[MEM_ID_LEN + 1];
	if (deciding.decision == MEM_REVIEW_APPROVED && !deciding.dry_run && !c.quiet) {
		mem_buf_str(&approved, operand);
		mem_buf_putc(&approved, '\0');
	}
	write_review(mem_proposal_review(mem_review_run_store(run), operand, id));
}

/* A mem_proposal_missing_fn. */
static void
tell_missing_skill(void *ctx, struct mem_str skill, struct mem_str name)
{
	(void)ctx;
	mem_warn("%.*s needs a skill that is not there: %.*s", (int)skill.n, skill.p, (int)name.n, name.p);
}

static void
tell_missing_skills(struct mem_store_options ask)
{
	ask.write = false;
	if (approved.len > 0 && mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t at = 0; at < approved.len && !mem_interrupted(); at += strlen(approved.data + at) + 1)
		if (mem_proposal_missing(store, mem_str(approved.data + at), tell_missing_skill, NULL, &err) != MEM_OK)
			mem_die_err(&err);
	mem_buf_release(&approved);
}

/* ---- taking up ---------------------------------------------------------------- */

static struct mem_write_run *taking;

static void
take_proposal(struct mem_str operand)
{
	if (mem_propose_take(taking, operand, &err) != MEM_OK)
		mem_die_err(&err);
}

static void
commit_taken(void)
{
	if (mem_write_run_commit(taking, &err) != MEM_OK)
		mem_die_err(&err);
}

static void
take_proposals(const struct mem_store_options *ask, int argc, char **argv)
{
	const struct mem_write_options writing = { .via = "skill-review", .audit_refusals = true, .dry_run = deciding.dry_run };
	receipts = (struct mem_receipts){ .quiet = c.quiet, .format = c.format };
	mem_interrupt_catch();
	if (mem_write_run_open(&taking, ask, &writing, emit_receipts, &receipts, &err) != MEM_OK)
		mem_die_err(&err);
	worst = take_operand_ids(argc, argv, take_proposal, c.nul, 200, commit_taken);
	commit_taken();
	worst = mem_status_worse(mem_write_run_outcome(taking, &err), worst);
	mem_write_run_free(taking);
}

enum { LIST, SHOW, TAKE, APPROVE, REJECT, ASK };
static const char *const verb_words[] = { "list", "show", "take", "approve", "reject", "ask", NULL };
static const struct mem_verb verbs[] = {
	{ "list", "state ns limit all format", 0, 0 }, { "show", "format 0 z", 1, -1 }, { "take", "format 0 z quiet wait dry-run", 1, -1 },
	{ "approve", "note format 0 z quiet wait dry-run", 1, -1 }, { "reject", "note format 0 z quiet wait dry-run", 1, -1 },
	{ "ask", "note format 0 z quiet wait dry-run", 1, -1 }, { NULL, NULL, 0, 0 },
};

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c),
		{ 0, "state", "STATE", "only reviews in this state", .choice = &wanted.state, .choices = mem_review_state_words },
		{ 0, "note", "TEXT", "say why, or what is to change", .str = &deciding.note },
		MEM_OPT_DRYRUN(deciding),
		MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c),
		MEM_OPT_NOW, MEM_OPT_OPERANDS("VERB", verb_words), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "skill-review [OPTION...] [--state STATE] [--ns NS] [-n N] [--all] [--format FORMAT] list\n"
	    "skill-review [OPTION...] [-0z] [--format FORMAT] show ID...\n"
	    "skill-review [OPTION...] [-0qz] [--dry-run] [--format FORMAT] take ID...\n"
	    "skill-review [OPTION...] [-0qz] [--dry-run] [--format FORMAT] [--note TEXT] approve ID...\n"
	    "skill-review [OPTION...] [-0qz] [--dry-run] [--format FORMAT] --note TEXT reject ID...\n"
	    "skill-review [OPTION...] [-0qz] [--dry-run] [--format FORMAT] --note TEXT ask ID...",
	    "decide on skills that were proposed");
	static const enum mem_review_state decisions[] = { [APPROVE] = MEM_REVIEW_APPROVED, [REJECT] = MEM_REVIEW_REJECTED,
		[ASK] = MEM_REVIEW_CHANGES_ASKED };
	int verb = (int)(mem_verb_take(&argc, &argv, verbs) - verbs);
	if ((verb == REJECT || verb == ASK) && deciding.note == NULL)
		mem_die(MEM_USAGE, "%s: say with --note why", verb_words[verb]);
	wanted.ns = c.ns, wanted.asks = MEM_ASKS_PROPOSAL;
	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = verb >= TAKE, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	if (verb == TAKE)
		take_proposals(&ask, argc, argv);
	else if (ask.write) {
		deciding.decision = decisions[verb];
		write_reviews(&ask, argc, argv, decide_proposal);
		tell_missing_skills(ask);
	} else if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	else if (verb == SHOW)
		worst = mem_status_worse(worst, take_operand_ids(argc, argv, show_proposal, c.nul, 0, commit_before_wait));
	else
		list_reviews();
	mem_store_close(store);
	return mem_finish(worst);
}
