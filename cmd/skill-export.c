/* SPDX-License-Identifier: Apache-2.0 */
/* skill-export: skills to files. */
#include <stdlib.h>

#include "cli/cli.h"
#include "ns_option.h"
#include "skill/export.h"
#include "skill/skill.h"
#include "store/node.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_skill_export_options o;
static struct mem_receipts receipts;
static const char *ns;

struct skill_ids {
	struct mem_id *v;
	size_t n, cap;
};

static void
add_skill_id(struct skill_ids *l, const struct mem_id *id)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = *id;
}

/* A mem_skill_fn. */
static enum mem_status
take_skill_id(void *ctx, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err)
{
	(void)t, (void)err;
	add_skill_id(ctx, &skill->id);
	return MEM_OK;
}

static void
list_all_skills(struct skill_ids *l, struct mem_store *s)
{
	const struct mem_skill_filter active = { .ns = mem_str(ns != NULL ? ns : "") };
	struct mem_err err;
	if (mem_skills_each(s, &active, take_skill_id, l, &err) != MEM_OK)
		mem_die_err(&err);
}

/* MEM_REFUSED: it is not there, which was told. */
static enum mem_status
add_named_skill(struct skill_ids *l, struct mem_store *s, const char *name)
{
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	struct mem_skill skill;
	struct mem_err err;
	enum mem_status st = mem_txn_read(&t, s, &err);
	if (st == MEM_OK)
		st = mem_skill_find(&skill, t, mem_str(ns != NULL ? ns : ""), mem_str(name), &a, &err);
	mem_txn_end(t);
	if (st == MEM_OK)
		add_skill_id(l, &skill.id);
	else if (st == MEM_NOTFOUND || st == MEM_REFUSED)
		mem_warn("%s", err.msg);
	else
		mem_die_err(&err);
	mem_arena_release(&a);
	return st == MEM_OK ? MEM_OK : MEM_REFUSED;
}

static enum mem_status
export_skills(struct mem_store *s, const struct skill_ids *l)
{
	struct mem_skill_export *x = NULL;
	struct mem_err err;
	enum mem_status st = mem_skill_export_open(&x, s, &o, mem_receipts_print, &receipts, &err);
	for (size_t i = 0; i < l->n && st == MEM_OK && !mem_interrupted(); i++)
		st = mem_skill_export_put(x, &l->v[i], &err);
	if (st == MEM_OK)
		st = mem_skill_export_outcome(x, &err);
	if (st == MEM_FAIL)
		mem_die_err(&err);
	mem_skill_export_free(x);
	return st;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "force", NULL, "replace files of another content", .flag = &o.replace },
		{ 0, "ns", "NS", "skills of NS alone (default: all that you read)", .str = &ns },
		MEM_OPT_FORMAT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-export [OPTION...] [-q] [--dry-run] [--force] [--ns NS] DIR [SKILL...]", "write skills to files");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .now = mem_now_given(), .damage = mem_warn_damage };
	struct skill_ids l = { 0 };
	struct mem_store *s = NULL;
	struct mem_err err;
	if (argc == 0)
		mem_die(MEM_USAGE, "name the folder that skills are written to");
	check_ns_option(ns);
	receipts = (struct mem_receipts){ .quiet = c.quiet, .format = c.format };
	o.dir = argv[0];
	o.dry_run = c.dry_run;
	mem_interrupt_catch();
	if (mem_store_open(&s, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	enum mem_status st = MEM_OK;
	for (int i = 1; i < argc; i++)
		st = mem_status_worse(st, add_named_skill(&l, s, argv[i]));
	if (argc == 1)
		list_all_skills(&l, s);
	st = mem_status_worse(st, export_skills(s, &l));
	free(l.v);
	mem_store_close(s);
	mem_receipts_sum_up(&receipts);
	return mem_finish(st);
}
