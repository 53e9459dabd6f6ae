/* SPDX-License-Identifier: Apache-2.0 */
/* kg-hebb: what occurs together grows together. */
#include "cli/cli.h"
#include "link/hebb.h"
#include "words/words.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static int64_t window = -1;
static double delta = -1, decay = -1;

static void
read_hebb_options(struct mem_hebb_options *o, const struct mem_store *s)
{
	mem_hebb_options_read(o, mem_store_conf(s));
	o->window = window >= 0 ? window : o->window;
	o->delta = delta >= 0 ? delta : o->delta;
	o->decay = decay >= 0 ? decay : o->decay;
}

static void
print_learning(const struct mem_hebb_done *d)
{
	struct mem_buf line = { 0 };
	mem_buf_putc(&line, '{');
	mem_json_put_int(&line, "turns", (int64_t)d->turns);
	mem_json_put_int(&line, "tags", (int64_t)d->tags);
	mem_json_put_int(&line, "edges", (int64_t)d->edges);
	mem_json_put_int(&line, "activated", (int64_t)d->activated);
	mem_buf_putc(&line, '}');
	mem_out_line(mem_buf_span(&line));
	mem_buf_release(&line);
}

static enum mem_status
learn_from_turns(const struct mem_store_options *ask)
{
	struct mem_index m = { 0 };
	struct mem_hebb_options o;
	struct mem_hebb_done done = { 0 };
	struct mem_buf drafts = { 0 };
	struct mem_err err;
	enum mem_status st = mem_index_open(&m, ask, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	read_hebb_options(&o, m.store);
	if (c.dry_run)
		st = mem_hebb_foresee(&m, &o, &drafts, &err);
	else
		st = mem_hebb_activate(&m, &o, &done, &err);
	if (st == MEM_OK && !c.dry_run)
		st = mem_hebb_link(&m, &o, &done, &err);
	if (st == MEM_OK && !c.dry_run)
		st = mem_hebb_settle(&m, &o, &done, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	if (c.dry_run)
		mem_out_str(mem_buf_span(&drafts));
	else if (!c.quiet)
		print_learning(&done);
	mem_buf_release(&drafts);
	mem_index_close(&m);
	return MEM_OK;
}

static void
reinforce_nodes(struct mem_write_run *r, int argc, char **argv)
{
	static struct mem_hebb_options o; /* until the commit */
	struct mem_err err;
	read_hebb_options(&o, mem_writer_store(r->writer));
	for (int i = 0; i < argc; i++)
		if (mem_hebb_reinforce(r, &o, mem_str(argv[i]), &err) != MEM_OK)
			mem_die_err(&err);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "window", "TIME", "together is at most so far apart (default: hebb.window)", .duration = &window },
		{ 0, "delta", "X", "what a weight grows by (default: hebb.delta)", .real = &delta, .high = 1 },
		{ 0, "decay", "X", "what an edge keeps of its weight a day (default: hebb.decay)", .real = &decay, .high = 1 },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	static const struct mem_verb verbs[] = { { "learn", "window delta decay", 0, 0 }, { "reinforce", "", 1, -1 }, { 0 } };
	static char learn[] = "learn", *learning[] = { learn, NULL };
	mem_opts(&argc, &argv, opts,
	    "kg-hebb [OPTION...] [-q] [--dry-run] [--window TIME] [--delta X] [--decay X] [learn]\n"
	    "kg-hebb [OPTION...] [-q] [--dry-run] reinforce NODE...",
	    "strengthen what occurs together in sessions");
	if (argc == 0)
		argc = 1, argv = learning;
	const struct mem_verb *verb = mem_verb_take(&argc, &argv, verbs);
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	return mem_finish(verb == verbs ? learn_from_turns(&ask) : write_by_hand("kg-hebb", &ask, &c, false, reinforce_nodes, argc, argv));
}
