/* SPDX-License-Identifier: Apache-2.0 */
/* mem-history: what was believed before and after a node, and why. */
#include "belief/history.h"
#include "cli/cli.h"
#include "nodes.h"
#include "store/store.h"

static const struct mem_column columns[] = {
	{ .name = "FROM", .leave_out = 4 }, { .name = "UNTIL", .leave_out = 3 }, { .name = "STATUS", .leave_out = 5 }, { .name = "ID" },
	{ .name = "WHO", .min = 4, .leave_out = 2 }, { .name = "WHY", .leave_out = 1 }, { .name = "WHAT", .min = 20, .want = 40 }, { 0 }
};

static void
print_version(const struct mem_history_version *v)
{
	struct mem_buf b = { 0 };
	mem_history_put(&b, v);
	mem_out_line(mem_buf_span(&b));
	mem_buf_release(&b);
}

/* Names once each, in the order in which they said it. */
static void
put_speakers(struct mem_buf *out, const struct mem_history_version *v)
{
	for (size_t i = 0; i < v->nsources; i++) {
		bool again = v->sources[i].who.n == 0;
		for (size_t k = 0; k < i && !again; k++)
			again = mem_str_eq(v->sources[k].who, v->sources[i].who);
		if (again)
			continue;
		mem_buf_puts(out, out->len > 0 ? ", " : "");
		mem_buf_str(out, v->sources[i].who);
	}
	if (out->len == 0)
		mem_buf_puts(out, "-");
}

/* Its status, but for what is not true now although nothing took its place, and for what still is although something will. */
static struct mem_str
name_standing(const struct mem_history_version *v)
{
	if (v->stands && v->validity != MEM_VALID)
		return v->validity == MEM_VALID_FUTURE ? MEM_STR("future") : MEM_STR("past");
	return v->current && mem_str_is(v->status, "superseded") ? MEM_STR("current") : v->status;
}

static void
add_version_row(struct mem_grid *g, struct mem_txn *t, const struct mem_history_version *v)
{
	char id[MEM_ID_LEN + 1];
	struct mem_buf who = { 0 };
	mem_id_format(&v->id, id);
	put_speakers(&who, v);
	mem_grid_time(g, v->valid_from != MEM_TIME_NONE ? v->valid_from : v->known_from);
	mem_grid_time(g, v->valid_to != MEM_TIME_NONE ? v->valid_to : v->known_to);
	mem_grid_cell(g, name_standing(v));
	put_id_cell(g, t, mem_str(id));
	mem_grid_cell(g, mem_buf_span(&who));
	mem_grid_cell(g, v->reason.n > 0 ? v->reason : MEM_STR("-"));
	mem_grid_cell(g, v->text);
	mem_buf_release(&who);
}

static void
print_history(struct mem_store *s, const struct mem_history *h, bool text)
{
	struct mem_grid grid = { 0 };
	if (!text) {
		for (size_t i = 0; i < h->n && mem_out_ok(); i++)
			print_version(&h->v[i]);
		return;
	}
	mem_grid_begin(&grid, columns);
	struct mem_txn *t = begin_id_cells(s);
	for (size_t i = 0; i < h->n; i++)
		add_version_row(&grid, t, &h->v[i]);
	end_id_cells(s, t);
	mem_grid_flush(&grid);
	mem_grid_end(&grid);
}

static void
read_history(struct mem_history *out, struct mem_store *s, const char *name)
{
	struct mem_txn *t = NULL;
	struct mem_id id;
	struct mem_err err;
	if (mem_id_find(s, mem_str(name), &id, &err) != MEM_OK)
		mem_die(err.status, "%s", err.msg);
	enum mem_status st = mem_txn_read(&t, s, &err);
	if (st == MEM_OK)
		st = mem_history_read(out, t, &id, &err);
	mem_txn_end(t);
	if (st == MEM_NOTFOUND)
		mem_die(st, "no such node: %s", name);
	if (st != MEM_OK)
		mem_die_err(&err);
	mem_store_pause(s);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-history [-S DIR] [--agent ID] [--format FORMAT] [--every-namespace] [--now TIME] ID",
	    "print what was believed before and after a node, and why");
	if (argc != 1)
		mem_die(MEM_USAGE, "one ID is wanted");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_store *store = NULL;
	struct mem_history history;
	struct mem_err err;
	if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	read_history(&history, store, argv[0]);
	print_history(store, &history, mem_text_wanted(c.format));
	if (history.cut)
		mem_warn("there are more than %d versions: the others are left out", MEM_HISTORY_VERSIONS_MAX);
	mem_history_release(&history);
	mem_store_close(store);
	return mem_finish(MEM_OK);
}
