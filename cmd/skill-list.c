/* SPDX-License-Identifier: Apache-2.0 */
/* skill-list: skills in the order of their commits. */
#include "cli/cli.h"
#include "graph_nodes.h"
#include "query/noted_nodes.h"
#include "query/query.h"
#include "skill/categories.h"
#include "skill/manage.h"
#include "skill_hint.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_words statuses, tags;
static struct mem_skill_choice choice;
static bool live;

static const struct mem_column columns[] = {
	{ .name = "ID", .leave_out = 2 }, { .name = "NAME", .min = 12 }, { .name = "STATUS" }, { .name = "RELEASE", .leave_out = 3 },
	{ .name = "CATEGORY", .min = 8, .leave_out = 4 }, { .name = "USES", .leave_out = 1, .right = true },
	{ .name = "DESCRIPTION", .min = 20, .want = 30 }, { 0 }
};
static const char *const *const fields[] = {
	(const char *const[]){ "id", NULL }, (const char *const[]){ "name", NULL }, (const char *const[]){ "status", NULL },
	(const char *const[]){ "release", NULL }, (const char *const[]){ "category", NULL }, (const char *const[]){ "uses", NULL },
	(const char *const[]){ "description", NULL },
};
static const struct node_table table = { columns, fields, 0 };

/* A mem_note_fn: lines are the nodes' own. */
static void
note_nothing(void *ctx, size_t i, uint64_t rank, struct mem_edit *notes, struct mem_arena *a)
{
	(void)ctx;
	(void)i;
	(void)rank;
	(void)notes;
	(void)a;
}

/* What the options say of skills as of any nodes. */
static void
read_skill_filter(struct mem_filter *f)
{
	struct mem_err err;
	const struct mem_filter_options wanted = { .ns = c.ns, .tags = tags, .statuses = statuses, .live = live, .since = c.since,
		.until = c.until };
	if (mem_filter_read(f, &wanted, &err) != MEM_OK)
		mem_die_err(&err);
	f->kinds = mem_kind_set_of(MEM_KIND_SKILL);
}

static void
list_skills(struct mem_store *s, const struct mem_filter *f)
{
	static const char *const no_notes[] = { NULL };
	struct mem_skill_ords chosen = { 0 };
	struct mem_grid grid = { 0 };
	struct mem_err err;
	uint64_t left = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	if (mem_skills_choose(&chosen, s, &choice, &err) != MEM_OK)
		mem_die_err(&err);
	struct mem_node_filter *filter = mem_node_filter_new(f, s);
	struct mem_noted_nodes x = { .store = s, .filter = filter, .ords = chosen.v, .n = chosen.n, .notes = no_notes, .note = note_nothing };
	if (mem_text_wanted(c.format))
		mem_grid_begin(&grid, table.columns);
	print_noted_nodes(&x, &left, &grid, &table);
	mem_grid_end(&grid);
	if (x.passed == 0)
		hint_at_categories(&choice.categories);
	mem_node_filter_free(filter);
	mem_skill_ords_release(&chosen);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_NS(c),
		{ 0, "category", "WORD", "only of these categories", .words = &choice.categories, .commas = true, .choices = mem_skill_categories },
		{ 0, "tag", "TAG", "only with this tag; given twice, with both", .words = &tags },
		{ 0, "status", "WORD", "only of these statuses", .words = &statuses, .commas = true },
		{ 0, "live", NULL, "only what is not forgotten, expired, superseded or archived", .flag = &live },
		{ 0, "assigned", "NAME", "only what is assigned to one of these agents, or to a team of --team", .words = &choice.agents, .commas = true },
		{ 0, "team", "NAME", "only what is assigned to one of these teams, or to an agent of --assigned", .words = &choice.teams, .commas = true },
		{ 0, "releases", NULL, "releases, too", .flag = &choice.releases },
		MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "skill-list [-S DIR] [--agent ID] [--ns NS] [--category WORD] [--tag TAG] [--status WORD] [--live] [--assigned NAME] [--team NAME] "
	    "[--releases] [-n N] [--all] [--format FORMAT] [--every-namespace] [--now TIME]",
	    "list skills in the order of their commits");
	struct mem_store *s = NULL;
	struct mem_filter f;
	struct mem_err err;
	if (argc > 0)
		mem_die(MEM_USAGE, "no operand expected: skill-show prints a skill by name");
	read_skill_filter(&f);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	if (mem_store_open(&s, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	list_skills(s, &f);
	mem_filter_release(&f);
	mem_store_close(s);
	return mem_finish(MEM_OK);
}
