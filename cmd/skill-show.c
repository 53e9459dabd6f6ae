/* SPDX-License-Identifier: Apache-2.0 */
/* skill-show: skills with their edges and releases. */
#include "cli/cli.h"
#include "nodes.h"
#include "ns_option.h"
#include "skill/manage.h"
#include "skill/skill.h"
#include "skill_page.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_store *store;
static enum mem_status worst;
static const char *ns;

/* The record is made in a snapshot that ends before anything is printed. */
static enum mem_status
read_shown_skill(struct mem_buf *line, struct mem_str operand, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	struct mem_skill skill;
	enum mem_status st = mem_txn_read(&t, store, err);
	if (st == MEM_OK)
		st = mem_skill_find(&skill, t, mem_str(ns != NULL ? ns : ""), operand, &a, err);
	if (st == MEM_OK)
		st = mem_skill_show(line, t, &skill, &a, err);
	mem_txn_end(t);
	mem_arena_release(&a);
	mem_store_pause(store);
	return st;
}

static void
print_shown_skill(struct mem_str record)
{
	static bool more;
	struct mem_buf page = { 0 };
	struct mem_rec rec = { 0 };
	if (!mem_text_wanted(c.format)) {
		mem_out_line(record);
		return;
	}
	if (mem_rec_scan(&rec, record, NULL) == MEM_OK)
		put_skill_page(&page, &rec);
	mem_out_printf("%s", more ? "\n" : "");
	mem_out_str(mem_buf_span(&page));
	more = true;
	mem_rec_release(&rec);
	mem_buf_release(&page);
}

static void
show_skill(struct mem_str operand)
{
	struct mem_buf line = { 0 };
	struct mem_err err;
	enum mem_status st = read_shown_skill(&line, operand, &err);
	if (st == MEM_OK)
		print_shown_skill(mem_buf_span(&line));
	else if (st == MEM_NOTFOUND || st == MEM_REFUSED)
		mem_warn("%s", err.msg);
	else if (st == MEM_DAMAGED)
		mem_warn_damage(NULL, err.msg); /* the others can be read */
	else
		mem_die_err(&err);
	worst = mem_status_worse(worst, st);
	mem_buf_release(&line);
}

/* Waiting must not hold up a compaction. */
static void
pause_skill_reading(void)
{
	mem_store_pause(store);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "ns", "NS", "skills of this namespace", .str = &ns },
		MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "skill-show [-0z] [-S DIR] [--agent ID] [--ns NS] [--format FORMAT] [--every-namespace] [--now TIME] SKILL...",
	    "print skills with their edges and releases");
	struct mem_err err;
	if (argc == 0)
		mem_die(MEM_USAGE, "a SKILL is wanted, or - for those of standard input: skill-list prints them all");
	check_ns_option(ns);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	worst = mem_status_worse(worst, take_operand_ids(argc, argv, show_skill, c.nul, 0, pause_skill_reading));
	mem_store_close(store);
	return mem_finish(worst);
}
