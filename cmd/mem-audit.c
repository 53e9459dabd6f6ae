/* SPDX-License-Identifier: Apache-2.0 */
/* mem-audit: what was done, by whom and why. */
#include <stdlib.h>

#include "audit_output.h"
#include "cli/cli.h"
#include "last_rows.h"
#include "nodes.h"
#include "ns_option.h"
#include "store/store.h"
#include "store/log.h"
#include "why_output.h"

#define ROWS_AT_ONCE 1000

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_words kinds, actors, subjects;
static struct mem_id *subject_ids; /* of subjects, in the same order */
static struct mem_store *store;

static bool
is_wanted_row(const struct mem_audit_row *r)
{
	bool subject = subjects.n == 0;
	for (size_t i = 0; i < subjects.n; i++)
		subject = subject || mem_id_cmp(&subject_ids[i], &r->subject) == 0;
	return subject && has_word(&kinds, r->kind) && has_word(&actors, r->actor) && has_word(&c.ns, r->ns) &&
	    r->at >= c.since && r->at < c.until;
}

static void
find_subjects(void)
{
	struct mem_err err;
	subject_ids = mem_xcalloc(subjects.n + 1, sizeof *subject_ids);
	for (size_t i = 0; i < subjects.n; i++)
		if (mem_id_find(store, mem_str(subjects.v[i]), &subject_ids[i], &err) != MEM_OK)
			mem_die(err.status, "--subject: %s", err.msg);
}

/* A find_rows_fn. */
static enum mem_status
find_wanted_audit_rows(uint64_t *after, struct row_numbers *wanted, struct mem_err *err)
{
	static struct mem_audit_row rows[ROWS_AT_ONCE];
	struct mem_arena arena = { 0 };
	struct mem_txn *t = NULL;
	size_t n = 0;
	enum mem_status st = mem_txn_read(&t, store, err);
	if (st == MEM_OK)
		st = mem_audit_read(t, after, &arena, rows, ROWS_AT_ONCE, &n, err);
	mem_txn_end(t);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		if (is_wanted_row(&rows[i]))
			add_row_number(wanted, rows[i].seq);
	mem_arena_release(&arena);
	return st;
}

/* Behind --after, and at the newest --last of those. */
static enum mem_status
find_first_audit_row(uint64_t *after, struct mem_err *err)
{
	uint64_t newest;
	if (c.last == 0)
		return MEM_OK;
	enum mem_status st = read_newest_row_number(&newest, store, mem_audit_seq, err);
	return st == MEM_OK ? skip_to_last_rows(after, newest, (uint64_t)c.last, find_wanted_audit_rows, err) : st;
}

static enum mem_status
print_audit_rows(uint64_t after, struct mem_err *err)
{
	static struct mem_audit_row rows[ROWS_AT_ONCE];
	struct mem_arena arena = { 0 };
	struct mem_grid g = { 0 };
	enum mem_status st = MEM_OK;
	bool text = mem_text_wanted(c.format);
	int64_t printed = 0;
	if (text)
		begin_audit_table(&g);
	for (uint64_t from = UINT64_MAX; st == MEM_OK && after != from && mem_out_ok() && !(c.limit > 0 && printed == c.limit);) {
		struct mem_txn *t = NULL;
		size_t n = 0;
		from = after;
		mem_arena_reset(&arena);
		st = mem_txn_read(&t, store, err);
		if (st == MEM_OK)
			st = mem_audit_read(t, &after, &arena, rows, ROWS_AT_ONCE, &n, err);
		mem_txn_end(t);
		mem_store_pause(store); /* slow output must not hold up a compaction */
		t = text ? begin_id_cells(store) : NULL;
		for (size_t i = 0; i < n && (c.limit == 0 || printed < c.limit); i++) {
			if (!is_wanted_row(&rows[i]))
				continue;
			print_audit_row(&g, t, &rows[i]);
			printed++;
		}
		end_id_cells(store, t);
		mem_grid_flush(&g);
	}
	mem_grid_end(&g);
	mem_arena_release(&arena);
	return st;
}

static void
check_row_options(bool why)
{
	if (why && (subjects.n > 0 || kinds.n > 0 || actors.n > 0 || c.ns.n > 0 || c.last > 0))
		mem_die(MEM_USAGE, "--why stands alone: the others are for rows");
	for (size_t i = 0; i < c.ns.n; i++)
		check_ns_option(c.ns.v[i]);
}

int
main(int argc, char **argv)
{
	const char *why = NULL;
	int64_t after = 0;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "subject", "ID", "only what happened to this node", .words = &subjects, .commas = true },
		{ 0, "kind", "KIND", "only these kinds of events", .words = &kinds, .commas = true },
		{ 0, "actor", "ID", "only what this agent did", .words = &actors, .commas = true },
		MEM_OPT_NS(c),
		{ 0, "since", "TIME", "only what happened at TIME or later", .time = &c.since },
		{ 0, "until", "TIME", "only what happened before TIME", .time = &c.until },
		{ 0, "after", "SEQ", "only rows behind this one", .num = &after, .min = 0 },
		MEM_OPT_LAST(c),
		{ 0, "why", "ID", "say in a paragraph why this node is believed, instead of rows", .str = &why },
		MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-audit [-S DIR] [--agent ID] [--subject ID] [--kind KIND] [--actor ID] [--ns NS] [--since TIME] [--until TIME] "
	    "[--after SEQ] [--last N] [-n N] [--all] [--format FORMAT] [--every-namespace] [--now TIME]\n"
	    "mem-audit [-S DIR] [--agent ID] [--format FORMAT] [--every-namespace] [--now TIME] --why ID",
	    "print what was done, by whom and why");
	struct mem_err err;
	if (argc > 0)
		mem_die(MEM_USAGE, "no operand expected: a node goes to --subject or --why");
	check_row_options(why != NULL);
	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	if (why != NULL) {
		print_why(store, why, c.format);
		return mem_finish(MEM_OK);
	}
	find_subjects();
	uint64_t from = (uint64_t)after;
	if (c.last > 0 && (c.limit == 0 || c.last < c.limit))
		c.limit = c.last; /* what is committed meanwhile is not of them */
	if (find_first_audit_row(&from, &err) != MEM_OK || print_audit_rows(from, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_close(store);
	free(subject_ids);
	return mem_finish(MEM_OK);
}
