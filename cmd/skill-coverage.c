/* SPDX-License-Identifier: Apache-2.0 */
/* skill-coverage: who has which skills. */
#include "cli/cli.h"
#include "line_table.h"
#include "nodes.h"
#include "skill/coverage.h"
#include "skill/skill_activate.h"
#include "skill_task.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct skill_task task = SKILL_TASK_INIT;
static const char *wanted;

static struct mem_coverage *
read_coverage(struct mem_store *s)
{
	struct mem_coverage *coverage = NULL;
	struct mem_err err;
	if (mem_coverage_read(&coverage, s, &err) != MEM_OK)
		mem_die_err(&err);
	return coverage;
}

static void
print_coverage(void)
{
	static const struct mem_column columns[] = {
		{ .name = "TEAM", .min = 8 }, { .name = "CATEGORY", .min = 8 }, { .name = "SKILLS" }, { .name = "ASSIGNED" }, { .name = "SHARE" }, { 0 }
	};
	static const char *const members[] = { "team", "category", "skills", "assigned", "share" };
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_store *s = NULL;
	struct mem_buf lines = { 0 };
	struct mem_err err;
	if (mem_store_open(&s, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	struct mem_coverage *coverage = read_coverage(s);
	mem_coverage_put(&lines, coverage);
	mem_text_wanted(c.format) ? print_line_table(mem_buf_span(&lines), columns, members) : mem_out_str(mem_buf_span(&lines));
	mem_buf_release(&lines);
	mem_coverage_free(coverage);
	mem_store_close(s);
}

/* False: some of what the task asks for nobody has. */
static bool
print_task_team(void)
{
	char *operand = (char *)(uintptr_t)wanted;
	struct mem_skill_search_options o = { .search = &task.search, .seeds = true };
	struct mem_skill_hits hits;
	struct mem_buf line = { 0 };
	struct mem_err err;
	bool all;
	if (c.limit == 0)
		c.limit = 10;
	open_skill_task(&task, &c, 1, &operand);
	if (mem_skill_search(&hits, &task.searcher, &o, &err) != MEM_OK)
		mem_die_err(&err);
	warn_of_fallback(hits.found);
	struct mem_coverage *coverage = read_coverage(task.searcher.index.store);
	mem_coverage_put_team(&line, coverage, &hits, &all);
	print_whole_node((struct mem_str){ line.data, line.len - 1 }, mem_text_wanted(c.format));
	mem_buf_release(&line);
	mem_coverage_free(coverage);
	mem_skill_hits_release(&hits);
	close_skill_task(&task);
	return all;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c),
		{ 0, "task", "TEXT", "who has the skills that this task asks for", .str = &wanted },
		{ 'n', "limit", "N", "of the task, at most N skills (10)", .num = &c.limit, .min = 1 },
		MEM_OPT_AGENT(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-coverage [OPTION...] [--format FORMAT]\nskill-coverage [OPTION...] [-n N] [--format FORMAT] --task TEXT", "say who has which skills");
	if (argc > 0)
		mem_die(MEM_USAGE, "unexpected operand '%s'", argv[0]);
	if (wanted == NULL && c.limit > 0)
		mem_die(MEM_USAGE, "-n is for --task");
	if (wanted == NULL)
		print_coverage();
	return mem_finish(wanted == NULL || print_task_team() ? MEM_OK : MEM_NOTFOUND);
}
