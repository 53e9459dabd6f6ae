/* SPDX-License-Identifier: Apache-2.0 */
/* skill-propose: drafts of skills from what the store knows of a topic, or from what was done with tools again and again. */
#include "cli/cli.h"
#include "model/model.h"
#include "proposed.h"
#include "skill/propose.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static bool submit, mine;
static const char *session, *with;
static char *command; /* OWNS; of the settings */
static int64_t least, limit;
static struct proposed_list list;

/* ---- gathering ------------------------------------------------------------- */

static enum mem_status
gather_proposed(const struct mem_store_options *ask, int argc, char **argv)
{
	struct mem_searcher searcher = { 0 };
	struct mem_store_options reading = *ask;
	struct mem_err err;
	struct mem_mined_options o = { .traces = { .ns = mem_str(c.ns.n > 0 ? c.ns.v[0] : ""), .session = session, .since = c.since },
		.least = least > 0 ? (size_t)least : MEM_MINED_LEAST, .limit = limit > 0 ? (size_t)limit : MEM_MINED_DRAFTS };
	enum mem_status worst = mine ? MEM_OK : read_topics(&list, argc, argv);
	reading.write = false;
	if (mem_searcher_open(&searcher, &reading, &err) != MEM_OK)
		mem_die_err(&err);
	if (mine)
		mine_transcripts(&list, searcher.index.store, &o);
	research_proposed(&list, &searcher, mine);
	if (with == NULL)
		with = command = mem_xstrdup(mem_conf_str(mem_store_conf(searcher.index.store), "skills.with").p);
	mem_searcher_close(&searcher);
	draft_proposed_with(&list, with);
	return worst;
}

/* ---- writing ------------------------------------------------------------- */

static void
write_drafts(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	struct mem_str ns;
	(void)argc, (void)argv;
	if (mem_write_run_ns(r, c.ns.n > 0 ? c.ns.v[0] : NULL, &ns, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < list.n; i++) {
		struct proposed *p = &list.v[i];
		p->what.ns = ns;
		p->what.told = c.dry_run && !p->known;
		enum mem_status st = p->refused != NULL ? mem_propose_refuse(r, p->refused, p->offset, &err) : mem_propose_add(r, &p->what, &err);
		if (st != MEM_OK)
			mem_die_err(&err);
	}
}

static void
submit_drafts(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	for (int i = 0; i < argc; i++)
		if (mem_propose_submit(r, mem_str(argv[i]), &err) != MEM_OK)
			mem_die_err(&err);
}

static void
check_usage(int argc)
{
	if (submit && mine)
		mem_die(MEM_USAGE, "--mine makes drafts, --submit takes their ids: two runs");
	if (mine && argc > 0)
		mem_die(MEM_USAGE, "--mine takes no operand");
	if (!mine && argc == 0)
		mem_die(MEM_USAGE, submit ? "--submit needs the id of a draft" : "what about? a TOPIC, - for records, or --mine");
	if (!mine && (session != NULL || c.since != MEM_TIME_MIN || least > 0 || limit > 0))
		mem_die(MEM_USAGE, "--session, --since, --min-count and -n are for --mine");
	if (submit && with != NULL)
		mem_die(MEM_USAGE, "--with is for drafts");
	if (c.ns.n > 1 || (submit && c.ns.n > 0))
		mem_die(MEM_USAGE, "--ns: a draft lies in one namespace, where it was made");
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "ns", "NS", "write the draft to NS, not to the caller's own; with --mine, of transcripts in NS", .words = &c.ns, .commas = true },
		{ 0, "mine", NULL, "draft what was done with tools again and again in captured transcripts", .flag = &mine },
		{ 0, "min-count", "N", "with --mine: what succeeded at least so often (default 3)", .num = &least, .min = 2 },
		{ 0, "session", "ID", "with --mine: of this session alone", .str = &session },
		MEM_OPT_SINCE(c),
		{ 'n', "limit", "N", "with --mine: at most N new drafts (default 20)", .num = &limit, .min = 1 },
		{ 0, "with", "CMD", "let this command write the drafts: a draft in, a record out", .str = &with },
		{ 0, "submit", NULL, "submit these drafts to those who review", .flag = &submit },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-propose [OPTION...] [-q] [--dry-run] [--ns NS] [--with CMD] TOPIC...\n"
	    "skill-propose [OPTION...] [-q] [--dry-run] [--ns NS] [--with CMD] -\n"
	    "skill-propose [OPTION...] [-q] [--dry-run] [--ns NS] --mine [--min-count N] [--session ID] [--since TIME] [-n N] [--with CMD]\n"
	    "skill-propose [OPTION...] [-q] [--dry-run] --submit ID...", "draft a skill from what the store knows of a topic, or from transcripts");
	check_usage(argc);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	mem_interrupt_catch();
	mem_link_curl_and_blas();
	enum mem_status worst = submit ? MEM_OK : gather_proposed(&ask, argc, argv);
	worst = mem_status_worse(worst, write_by_hand_with("skill-propose", &ask, &c, false, print_draft, submit ? submit_drafts : write_drafts, argc, argv));
	release_proposed(&list);
	free(command);
	return mem_finish(worst);
}
