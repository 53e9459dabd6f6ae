/* SPDX-License-Identifier: Apache-2.0 */
/* skill-find: find the skills that a task asks for. */
#include "cli/cli.h"
#include "skill_hint.h"
#include "skill_task.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct skill_task task = SKILL_TASK_INIT;

static void
add_skill_row(struct mem_grid *g, struct mem_arena *a, const struct mem_skill_hit *hit, size_t rank)
{
	struct mem_json skill = mem_json_object(hit->line);
	mem_grid_cell(g, mem_str(mem_arena_printf(a, "%zu", rank)));
	mem_grid_cell(g, mem_str(mem_arena_printf(a, "%.2f", hit->score)));
	mem_grid_cell(g, mem_json_text(a, mem_json_member(skill, "category")));
	mem_grid_cell(g, mem_json_text(a, mem_json_member(skill, "name")));
	mem_grid_cell(g, mem_json_text(a, mem_json_member(skill, "description")));
}

static void
print_skill_table(struct mem_skill_hits *hits)
{
	static const struct mem_column columns[] = {
		{ .name = "RANK", .leave_out = 1 }, { .name = "SCORE", .right = true, .leave_out = 2 }, { .name = "CATEGORY", .min = 8, .leave_out = 3 },
		{ .name = "SKILL", .min = 20 }, { .name = "WHAT", .min = 20, .want = 40 }, { 0 }
	};
	struct mem_grid g = { 0 };
	struct mem_arena a = { 0 };
	mem_grid_begin(&g, columns);
	for (size_t i = 0; i < hits->n && mem_out_ok(); i++)
		add_skill_row(&g, &a, &hits->v[i], i + 1);
	mem_grid_end(&g);
	mem_arena_release(&a);
}

static void
print_skill_records(struct mem_skill_hits *hits)
{
	struct mem_buf line = { 0 };
	for (size_t i = 0; i < hits->n && mem_out_ok(); i++) {
		mem_buf_reset(&line);
		mem_skill_hit_put(&line, hits, i);
		if (line.len > 0)
			mem_out_line((struct mem_str){ line.data, line.len - 1 });
	}
	mem_buf_release(&line);
}

static enum mem_status
print_found_skills(void)
{
	const struct mem_skill_search_options o = { .search = &task.search };
	struct mem_skill_hits hits;
	struct mem_err err;
	if (mem_skill_search(&hits, &task.searcher, &o, &err) != MEM_OK)
		mem_die_err(&err);
	warn_of_fallback(hits.found);
	warn_of_cuts(hits.found, "");
	mem_store_pause(task.searcher.index.store); /* a slow reader must not hold up a compaction */
	(mem_text_wanted(c.format) ? print_skill_table : print_skill_records)(&hits);
	enum mem_status st = hits.n > 0 ? MEM_OK : MEM_NOTFOUND;
	if (st == MEM_NOTFOUND)
		hint_at_categories(&task.named.categories);
	task.answer.rejected = hits.n > 0 && hits.answers == 0;
	if (task.answer.rejected)
		mem_notice("nothing fits well");
	note_skill_answer(&task, "skill-find", &hits, task.answer.rejected ? 0 : hits.n);
	mem_skill_hits_release(&hits);
	return st;
}

int
main(int argc, char **argv)
{
	c.limit = 10;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_SKILLS(c, task),
		{ 0, "status", "STATUS", "skills of these states in place of active ones", .words = &task.named.statuses, .commas = true },
		MEM_OPT_FORMAT(c), MEM_OPT_AGENT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-find [OPTION...] [--category CATEGORY] [--tag TAG] [--status STATUS] [-n N | --all] TASK", "find the skills that a task asks for");
	open_skill_task(&task, &c, argc, argv);
	enum mem_status st = print_found_skills();
	close_skill_task(&task);
	return mem_finish(st);
}
