/* SPDX-License-Identifier: Apache-2.0 */
/* kg-mine: what occurs together. */
#include "cli/cli.h"
#include "link/items.h"
#include "link/mine_store.h"

static struct mem_mine_options o = MEM_MINE_OPTIONS_INIT;
static struct mem_mine_rule_options of_rules;
static struct mem_items *items;
static struct mem_common c = MEM_COMMON_INIT;
static struct mem_mine_sessions sessions; /* of the store, where no file is named */
static int64_t min_owners;

static bool
has_only_blanks(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '\r')
			return false;
	return true;
}

/* Reads what it can.  Returns the worst, for mem_finish. */
static enum mem_status
read_transactions(struct mem_transactions *t, int argc, char **argv)
{
	enum mem_status worst = MEM_OK;
	struct mem_input in;
	struct mem_line line;
	struct mem_err err;
	mem_input_init(&in, argc, argv);
	while (mem_input_next(&in, &line)) {
		if (!line.too_long && has_only_blanks(line.text))
			continue;
		enum mem_status st = line.too_long
		    ? mem_err_record(&err, "too_long", line.text.n, "a line of over 16 MiB")
		    : mem_items_read(items, t, line.text, &err);
		if (st != MEM_OK)
			mem_input_refused(&in, &line, &err);
		worst = mem_status_worse(worst, st);
	}
	return mem_status_worse(worst, mem_input_status(&in));
}

static enum mem_status
read_store(void)
{
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_store *s = NULL;
	struct mem_err err;
	if (mem_store_open(&s, &ask, &err) != MEM_OK || mem_mine_sessions_read(&sessions, items, s, false, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_close(s);
	return MEM_OK;
}

static void
print_rule(void *ctx, const struct mem_mine_rule *rule)
{
	struct mem_buf *line = ctx;
	mem_buf_reset(line);
	mem_items_put_rule(line, items, rule);
	mem_out_line(mem_buf_span(line));
}

static void
print_sets(const struct mem_mine_sets *sets, bool of_store)
{
	struct mem_buf line = { 0 };
	for (size_t i = 0; i < sets->n && mem_out_ok(); i++) {
		int64_t owners = of_store ? (int64_t)mem_mine_owners_count(&sessions, &sets->sets[i]) : 0;
		if (owners < min_owners)
			continue;
		mem_buf_reset(&line);
		mem_items_put_set(&line, items, &sets->sets[i], of_store ? owners : -1);
		mem_out_line(mem_buf_span(&line));
	}
	mem_buf_release(&line);
}

static void
print_rules(const struct mem_mine_sets *sets)
{
	struct mem_buf line = { 0 };
	struct mem_err err;
	if (mem_mine_rules(sets, &of_rules, print_rule, &line, &err) != MEM_OK)
		mem_die_err(&err);
	mem_buf_release(&line);
}

/* What is mined does not depend on the order of the options, so all are looked at first. */
static void
check_mining_options(bool closed, bool maximal, bool rules, bool of_files)
{
	if (closed + maximal + rules > 1)
		mem_die(MEM_USAGE, "--closed, --maximal and --rules: one of them");
	if (min_owners > 0 && (rules || of_files))
		mem_die(MEM_USAGE, "--min-owners is for sets of the store");
	if (!rules && (of_rules.min_confidence > 0 || of_rules.min_lift > 0))
		mem_die(MEM_USAGE, "--min-confidence and --min-lift are for --rules");
	o.which = closed ? MEM_MINE_CLOSED : maximal ? MEM_MINE_MAXIMAL : MEM_MINE_ALL;
}

int
main(int argc, char **argv)
{
	int64_t min_count = 2, max_size = 0, max_sets = MEM_MINE_SETS_MAX;
	bool closed = false, maximal = false, rules = false;
	const char *map = NULL;
	const struct mem_opt opts[] = {
		{ 0, "min-count", "N", "only what at least N transactions hold", .num = &min_count, .min = 1 },
		{ 0, "min-support", "X", "only what at least this share of the transactions holds", .real = &o.min_support, .high = 1 },
		{ 0, "max-size", "N", "only sets of at most N items", .num = &max_size, .min = 1 },
		{ 0, "closed", NULL, "only sets whose larger ones are all rarer", .flag = &closed },
		{ 0, "maximal", NULL, "only sets without a frequent larger one", .flag = &maximal },
		{ 0, "rules", NULL, "the rules that follow from the sets", .flag = &rules },
		{ 0, "min-confidence", "X", "only rules with at least this confidence", .real = &of_rules.min_confidence, .high = 1 },
		{ 0, "min-lift", "X", "only rules with at least this lift", .real = &of_rules.min_lift, .high = 1e9 },
		{ 0, "map", "FILE", "names that are one item, a rule file", .str = &map },
		{ 0, "max-sets", "N", "give up when there are more sets", .num = &max_sets, .min = 1 },
		{ 0, "min-owners", "N", "only sets that sessions of at least N owners hold", .num = &min_owners, .min = 1 },
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	struct mem_transactions *t = &sessions.transactions;
	struct mem_mine_sets sets;
	struct mem_err err;
	mem_opts(&argc, &argv, opts, "kg-mine [OPTION...] [--closed | --maximal] [FILE...]\n"
	    "kg-mine [OPTION...] --rules [--min-confidence X] [--min-lift X] [FILE...]", "find what occurs together");
	check_mining_options(closed, maximal, rules, argc > 0);
	o.min_count = (uint64_t)min_count, o.max_size = (size_t)max_size, o.max_sets = (size_t)max_sets;
	items = mem_items_new();
	if (map != NULL && mem_items_join(items, map, &err) != MEM_OK)
		mem_die_err(&err);
	enum mem_status st = argc > 0 ? read_transactions(t, argc, argv) : read_store();
	mem_mine_sessions_sort(&sessions, items);
	if (mem_mine_run(&sets, t, &o, &err) != MEM_OK)
		mem_die(MEM_FAIL, "%s: raise --min-count or --min-support, or set --max-size", err.msg);
	if (rules)
		print_rules(&sets);
	else
		print_sets(&sets, argc == 0);
	mem_mine_sets_release(&sets);
	mem_mine_sessions_release(&sessions);
	mem_items_free(items);
	return mem_finish(st);
}
