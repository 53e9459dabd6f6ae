/* SPDX-License-Identifier: Apache-2.0 */
/* mem-log: the changes of a store, and following them. */
#include "cli/cli.h"
#include "last_rows.h"
#include "log_output.h"
#include "query/query.h"
#include "store/store.h"
#include "store/log.h"

#define ROWS_AT_ONCE 1000
#define LOOK_MS      1000 /* a follower looks this often, whether it was told of a commit or not */

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_store *store;
static struct mem_filter filter;
static struct mem_grid grid;
static uint64_t left = UINT64_MAX;

/* Does the row pass the filter?  *ns is its namespace. */
static bool
is_wanted_change(struct mem_txn *t, const struct mem_log_row *r, struct mem_ns *ns, enum mem_status *st, struct mem_err *err)
{
	if (!mem_filter_kind(&filter, r->kind))
		return false;
	*st = mem_ns_by_number(t, r->ns, ns, err);
	return *st == MEM_OK && mem_filter_ns(&filter, ns->name);
}

/* A find_rows_fn. */
static enum mem_status
find_wanted_changes(uint64_t *after, struct row_numbers *wanted, struct mem_err *err)
{
	static struct mem_log_row rows[ROWS_AT_ONCE];
	struct mem_txn *t = NULL;
	struct mem_ns ns;
	size_t n = 0;
	enum mem_status st = mem_txn_read(&t, store, err);
	if (st == MEM_OK)
		st = mem_log_read(t, after, rows, ROWS_AT_ONCE, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		if (is_wanted_change(t, &rows[i], &ns, &st, err))
			add_row_number(wanted, rows[i].seq);
	mem_txn_end(t);
	return st;
}

/* Where to begin: behind --after, and at the newest --last of those. */
static enum mem_status
find_first_change(uint64_t *after, bool from_now, struct mem_err *err)
{
	uint64_t newest;
	enum mem_status st = read_newest_row_number(&newest, store, mem_txn_seq, err);
	if (st == MEM_OK && from_now)
		*after = newest;
	return st == MEM_OK && c.last > 0 ? skip_to_last_rows(after, newest, (uint64_t)c.last, find_wanted_changes, err) : st;
}

/* One piece of the log behind *after, as lines; MEM_END: there was no more. */
static enum mem_status
read_log_rows(struct mem_buf *lines, uint64_t *after, struct mem_err *err)
{
	static struct mem_log_row rows[ROWS_AT_ONCE];
	struct mem_txn *t = NULL;
	size_t n = 0;
	uint64_t from = *after;
	enum mem_status st = mem_txn_read(&t, store, err);
	if (st == MEM_OK)
		st = mem_log_read(t, after, rows, ROWS_AT_ONCE, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK && left > 0; i++) {
		struct mem_ns ns;
		if (!is_wanted_change(t, &rows[i], &ns, &st, err))
			continue;
		put_log_row(&grid, lines, t, &rows[i], ns.name);
		left--;
	}
	mem_txn_end(t);
	return st == MEM_OK && *after == from ? MEM_END : st;
}

static enum mem_status
print_new_rows(uint64_t *after, struct mem_err *err)
{
	struct mem_buf lines = { 0 };
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && left > 0 && mem_out_ok() && !mem_interrupted()) {
		mem_buf_reset(&lines);
		st = read_log_rows(&lines, after, err);
		/* Output may be slow, and so may the next commit: neither must hold up a compaction. */
		mem_store_pause(store);
		mem_out_str(mem_buf_span(&lines));
		mem_grid_flush(&grid);
	}
	mem_buf_release(&lines);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
follow_log(uint64_t *after, struct mem_err *err)
{
	struct mem_watch *w = mem_watch_new(store);
	enum mem_status st = MEM_OK;
	mem_interrupt_catch();
	while (st == MEM_OK && left > 0 && mem_out_ok() && !mem_interrupted()) {
		st = print_new_rows(after, err);
		mem_out_flush();
		if (st == MEM_BUSY)
			st = MEM_OK; /* a long compaction or a restore: it passes */
		if (st == MEM_OK && left > 0)
			mem_watch_wait(w, LOOK_MS, mem_interrupt_fd());
	}
	mem_watch_free(w);
	return st;
}

int
main(int argc, char **argv)
{
	bool following = false;
	const char *behind = "0";
	int64_t after = 0;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 'f', "follow", NULL, "wait for further changes and print them", .flag = &following },
		{ 0, "after", "SEQ", "only changes behind this one; now: only those to come", .str = &behind },
		MEM_OPT_LAST(c),
		MEM_OPT_KIND(c), MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-log [-f] [-S DIR] [--agent ID] [--after SEQ] [--last N] [--kind KIND] [--ns NS] [-n N] [--all] [--format FORMAT] [--every-namespace]",
	    "print the changes of a store, and follow them");
	struct mem_err err;
	if (argc > 0)
		mem_die(MEM_USAGE, "no operand expected");
	bool from_now = strcmp(behind, "now") == 0;
	if (!from_now && !mem_number_parse(mem_str(behind), 0, INT64_MAX, &after))
		mem_die(MEM_USAGE, "--after: '%s' is not the number of a change, or now", behind);
	const struct mem_filter_options o = { .kinds = c.kinds, .ns = c.ns, .since = c.since, .until = c.until };
	if (mem_filter_read(&filter, &o, &err) != MEM_OK)
		mem_die_err(&err);
	if (mem_text_wanted(c.format))
		begin_log_table(&grid);
	left = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	if (!following && c.last > 0 && (uint64_t)c.last < left)
		left = (uint64_t)c.last; /* what is committed meanwhile is not of them */

	uint64_t at = (uint64_t)after;
	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = MEM_TIME_NONE, .damage = mem_warn_damage };
	if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	if (find_first_change(&at, from_now, &err) != MEM_OK)
		mem_die_err(&err);
	if ((following ? follow_log(&at, &err) : print_new_rows(&at, &err)) != MEM_OK)
		mem_die_err(&err);
	mem_grid_end(&grid);
	mem_store_close(store);
	mem_filter_release(&filter);
	return mem_finish(MEM_OK);
}
