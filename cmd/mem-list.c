/* SPDX-License-Identifier: Apache-2.0 */
/* mem-list: nodes in the order of their commits. */
#include "cli/cli.h"
#include "nodes.h"
#include "query/query.h"
#include "store/store.h"

/* The first of these fields (NULL-terminated) that is a string. */
static struct mem_str
find_text(const struct mem_rec *r, struct mem_arena *a, const char *const *names)
{
	for (; *names != NULL; names++) {
		struct mem_str s = mem_json_text(a, mem_rec_value(r, *names));
		if (s.n > 0)
			return s;
	}
	return MEM_STR("-");
}

static void
add_listed_node(struct mem_grid *g, struct mem_txn *t, struct mem_str line)
{
	static const char *const id[] = { "id", NULL }, *const kind[] = { "kind", NULL }, *const ns[] = { "ns", NULL },
	    *const when[] = { "captured_at", "created_at", NULL }, *const who[] = { "speaker", "role", NULL },
	    *const what[] = { "content", "statement", "title", "name", "description", NULL };
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	if (mem_rec_scan(&rec, line, NULL) == MEM_OK) {
		put_id_cell(g, t, find_text(&rec, &arena, id));
		mem_grid_cell(g, find_text(&rec, &arena, kind));
		mem_grid_cell(g, find_text(&rec, &arena, ns));
		mem_grid_time_text(g, find_text(&rec, &arena, when));
		mem_grid_cell(g, find_text(&rec, &arena, who));
		mem_grid_cell(g, find_text(&rec, &arena, what));
	}
	mem_arena_release(&arena);
	mem_rec_release(&rec);
}

/* As records, or for people what fits on a line. */
static void
print_listed_nodes(struct mem_store *s, struct mem_str lines, struct mem_grid *g)
{
	struct mem_txn *t = g->columns != NULL ? begin_id_cells(s) : NULL;
	while (lines.n > 0)
		if (g->columns != NULL)
			add_listed_node(g, t, cut_first_line(&lines));
		else
			mem_out_line(cut_first_line(&lines));
	end_id_cells(s, t);
	mem_grid_flush(g);
}

static enum mem_status
print_listing(struct mem_store *s, const struct mem_filter *f, const struct mem_id *after, const struct mem_common *c,
    struct mem_err *err)
{
	struct mem_listing *l = NULL;
	struct mem_buf lines = { 0 };
	uint64_t left = c->limit > 0 ? (uint64_t)c->limit : UINT64_MAX;
	if (c->last > 0 && (uint64_t)c->last < left)
		left = (uint64_t)c->last; /* what is committed meanwhile is not of them */
	static const struct mem_column columns[] = {
		{ .name = "ID" }, { .name = "KIND", .leave_out = 2 }, { .name = "NS", .min = 8, .leave_out = 1 },
		{ .name = "WHEN", .leave_out = 4 }, { .name = "WHO", .min = 5, .leave_out = 3 }, { .name = "WHAT", .min = 20, .want = 30 }, { 0 }
	};
	struct mem_grid grid = { 0 };
	if (mem_text_wanted(c->format))
		mem_grid_begin(&grid, columns);
	enum mem_status st = mem_listing_open(&l, s, f, after, err);
	if (st == MEM_NOTFOUND)
		return mem_err_set(err, MEM_NOTFOUND, "--after: no such node");
	if (st == MEM_OK && c->last > 0)
		st = mem_listing_skip_to_last(l, (uint64_t)c->last, err);
	while (st == MEM_OK && left > 0 && mem_out_ok()) {
		size_t n;
		mem_buf_reset(&lines);
		st = mem_listing_next(l, left < SIZE_MAX ? (size_t)left : SIZE_MAX, &lines, &n, err);
		left -= n;
		if (n == 0)
			continue;
		/* A slow reader must not hold up a compaction. */
		mem_store_pause(s);
		print_listed_nodes(s, mem_buf_span(&lines), &grid);
	}
	mem_grid_end(&grid);
	mem_listing_free(l);
	mem_buf_release(&lines);
	return st == MEM_END ? MEM_OK : st;
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_words roles = { 0 }, tags = { 0 }, statuses = { 0 }, types = { 0 }, names = { 0 };
	const char *session = NULL, *after = NULL;
	bool live = false;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_KIND(c), MEM_OPT_NS(c),
		{ 0, "session", "ID", "only this session", .str = &session },
		{ 0, "role", "ROLE", "only these roles", .words = &roles, .commas = true },
		{ 0, "tag", "TAG", "only with this tag; given twice, with both", .words = &tags },
		{ 0, "status", "WORD", "only of these statuses", .words = &statuses, .commas = true },
		{ 0, "type", "WORD", "only of these types", .words = &types, .commas = true },
		{ 0, "name", "NAME", "only what has this name, alias, title, slug or path; given twice, either", .words = &names },
		MEM_OPT_SINCE(c), MEM_OPT_UNTIL(c),
		{ 0, "live", NULL, "only what is not forgotten, expired, superseded or archived", .flag = &live },
		{ 0, "after", "ID", "begin behind this node", .str = &after },
		MEM_OPT_LAST(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-list [-S DIR] [--agent ID] [--kind KIND] [--ns NS] [--session ID] [--role ROLE] [--tag TAG] [--status WORD] "
	    "[--type WORD] [--name NAME] [--since TIME] [--until TIME] [--live] [--after ID] [--last N] [-n N] [--all] [--format FORMAT] "
	    "[--every-namespace] [--now TIME]",
	    "list nodes in the order of their commits");
	struct mem_err err;
	struct mem_id id;
	if (argc > 0)
		mem_die(MEM_USAGE, "no operand expected: ids go to mem-get");
	struct mem_filter f;
	const struct mem_filter_options o = { .kinds = c.kinds, .roles = roles, .ns = c.ns, .tags = tags, .statuses = statuses,
		.types = types, .names = names, .session = session, .since = c.since, .until = c.until, .live = live };
	if (mem_filter_read(&f, &o, &err) != MEM_OK)
		mem_die_err(&err);

	struct mem_store *s = NULL;
	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	if (mem_store_open(&s, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	if (after != NULL && mem_id_find(s, mem_str(after), &id, &err) != MEM_OK)
		mem_die(err.status, "--after: %s", err.msg);
	if (print_listing(s, &f, after != NULL ? &id : NULL, &c, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_close(s);
	mem_filter_release(&f);
	return mem_finish(MEM_OK);
}
