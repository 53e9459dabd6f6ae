/* SPDX-License-Identifier: Apache-2.0 */
/* agent-team: which agents work together. */
#include <stdlib.h>

#include "cli/cli.h"
#include "listed_nodes.h"
#include "trust/team.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;

static void
add_members(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	if (argc == 1 && mem_team_make(r, mem_str(argv[0]), &err) != MEM_OK)
		mem_die_err(&err);
	for (int i = 1; i < argc; i++)
		if (mem_team_add(r, mem_str(argv[0]), mem_str(argv[i]), &err) != MEM_OK)
			mem_die_err(&err);
}

static void
remove_members(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	for (int i = 1; i < argc; i++)
		if (mem_team_remove(r, mem_str(argv[0]), mem_str(argv[i]), &err) != MEM_OK)
			mem_die_err(&err);
}

/* ---- listing -------------------------------------------------------------- */

static const struct mem_column columns[] = {
	{ .name = "ID", .leave_out = 2 }, { .name = "TEAM" }, { .name = "NS", .min = 8, .leave_out = 1 }, { .name = "MEMBERS", .min = 12, .want = 20 }, { 0 }
};

/* "ada, bob" */
static struct mem_str
join_member_names(struct mem_arena *a, struct mem_json members)
{
	struct mem_buf b = { 0 };
	for (struct mem_json_iter it = mem_json_each(members); mem_json_next(&it);) {
		mem_buf_puts(&b, b.len > 0 ? ", " : "");
		mem_buf_str(&b, mem_json_text(a, it.value));
	}
	struct mem_str joined = b.len > 0 ? mem_arena_str(a, mem_buf_span(&b)) : MEM_STR("-");
	mem_buf_release(&b);
	return joined;
}

static void
add_team_row(struct mem_grid *g, struct mem_txn *t, struct mem_str line)
{
	struct mem_rec rec = { 0 };
	struct mem_arena a = { 0 };
	if (mem_rec_scan(&rec, line, NULL) == MEM_OK) {
		put_id_cell(g, t, mem_json_text(&a, mem_rec_value(&rec, "id")));
		mem_grid_cell(g, mem_json_text(&a, mem_rec_value(&rec, "name")));
		mem_grid_cell(g, mem_json_text(&a, mem_rec_value(&rec, "ns")));
		mem_grid_cell(g, join_member_names(&a, mem_rec_value(&rec, "members")));
	}
	mem_arena_release(&a);
	mem_rec_release(&rec);
}

/* Says which of the names no team has: MEM_NOTFOUND. */
static enum mem_status
tell_missing_teams(struct mem_store *s, int argc, char **argv)
{
	enum mem_status worst = MEM_OK;
	struct mem_err err;
	for (int i = 0; i < argc; i++) {
		const char *name = argv[i];
		const struct mem_words one = { .v = &name, .n = 1 };
		struct mem_buf line = { 0 };
		if (mem_teams_list(s, &one, 1, &line, &err) != MEM_OK)
			mem_die_err(&err);
		if (line.len == 0) {
			mem_warn("no such team: %s", argv[i]);
			worst = MEM_NOTFOUND;
		}
		mem_buf_release(&line);
	}
	return worst;
}

static enum mem_status
list_teams(const struct mem_store_options *ask, int argc, char **argv)
{
	const struct mem_words names = { .v = mem_xmalloc(((size_t)argc + 1) * sizeof *names.v), .n = (size_t)argc };
	struct mem_store *s = NULL;
	struct mem_buf lines = { 0 };
	struct mem_grid grid = { 0 };
	struct mem_err err;
	for (int i = 0; i < argc; i++)
		names.v[i] = argv[i];
	if (mem_store_open(&s, ask, &err) != MEM_OK ||
	    mem_teams_list(s, &names, c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX, &lines, &err) != MEM_OK)
		mem_die_err(&err);
	bool text = mem_text_wanted(c.format);
	if (text)
		mem_grid_begin(&grid, columns);
	struct mem_txn *t = text ? begin_id_cells(s) : NULL;
	for (struct mem_str rest = mem_buf_span(&lines); rest.n > 0;)
		if (text)
			add_team_row(&grid, t, cut_first_line(&rest));
		else
			mem_out_line(cut_first_line(&rest));
	end_id_cells(s, t);
	mem_grid_end(&grid);
	mem_buf_release(&lines);
	free(names.v);
	enum mem_status worst = tell_missing_teams(s, argc, argv);
	mem_store_close(s);
	return worst;
}

enum { ADD, REMOVE, LIST };
static const char *const verb_words[] = { "add", "remove", "list", NULL };
static const struct mem_verb verbs[] = {
	{ "add", "quiet dry-run wait", 1, -1 }, { "remove", "quiet dry-run wait", 2, -1 }, { "list", "limit all every-namespace", 0, -1 },
	{ NULL, NULL, 0, 0 },
};

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c),
		MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_OPERANDS("VERB", verb_words), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "agent-team [OPTION...] [-q] [--dry-run] add TEAM [AGENT...]\n"
	    "agent-team [OPTION...] [-q] [--dry-run] remove TEAM AGENT...\n"
	    "agent-team [OPTION...] [-n N] list [TEAM...]",
	    "keep which agents work together in a team");
	int verb = (int)(mem_verb_take(&argc, &argv, verbs) - verbs);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = verb != LIST, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	return mem_finish(verb == LIST ? list_teams(&ask, argc, argv)
	    : write_by_hand("agent-team", &ask, &c, false, verb == ADD ? add_members : remove_members, argc, argv));
}
