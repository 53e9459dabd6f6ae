/* SPDX-License-Identifier: Apache-2.0 */
/* skill-evolve: what would make skills better. */
#include <stdlib.h>

#include "choice_bits.h"
#include "cli/cli.h"
#include "skill/evolve.h"
#include "skill/skill.h"
#include "skill/skill_activate.h"
#include "tokenizer.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_words wanted;
static int64_t tokens = MEM_SKILL_TOKENS;
static struct mem_id *skills;
static size_t nskills;

static unsigned
read_wanted_kinds(void)
{
	return read_choice_bits(&wanted, mem_evolve_words, "suggest", "skill-evolve(1)");
}

/* Of operands that name a skill; MEM_NOTFOUND or MEM_REFUSED: some name none, or several. */
static enum mem_status
find_named_skills(struct mem_store *s, int argc, char **argv)
{
	struct mem_arena a = { 0 };
	struct mem_txn *t = NULL;
	struct mem_skill skill;
	struct mem_err err;
	enum mem_status worst = MEM_OK;
	skills = mem_xcalloc((size_t)argc + 1, sizeof *skills);
	if (mem_txn_read(&t, s, &err) != MEM_OK)
		mem_die_err(&err);
	for (int i = 0; i < argc; i++) {
		enum mem_status st = mem_skill_find(&skill, t, MEM_STR(""), mem_str(argv[i]), &a, &err);
		if (st == MEM_OK)
			skills[nskills++] = skill.is_release ? skill.release_of : skill.id;
		else if (st == MEM_NOTFOUND || st == MEM_REFUSED)
			mem_warn("%s", err.msg);
		else
			mem_die_err(&err);
		worst = mem_status_worse(worst, st);
	}
	mem_txn_end(t);
	mem_arena_release(&a);
	return worst;
}

static void
print_suggestions(const struct mem_evolve_list *l)
{
	static const struct mem_column columns[] = { { .name = "SKILL", .min = 12 }, { .name = "SUGGEST" }, { .name = "WHY", .min = 20, .want = 40 }, { 0 } };
	struct mem_grid grid = { 0 };
	size_t n = c.limit > 0 && (uint64_t)c.limit < l->n ? (size_t)c.limit : l->n;
	bool text = mem_text_wanted(c.format);
	if (text)
		mem_grid_begin(&grid, columns);
	for (size_t i = 0; i < n && mem_out_ok(); i++) {
		if (!text) {
			mem_out_line(l->v[i].line);
			continue;
		}
		mem_grid_cell(&grid, l->v[i].name);
		mem_grid_cell(&grid, mem_str(mem_evolve_words[l->v[i].kind]));
		mem_grid_cell(&grid, l->v[i].why);
	}
	mem_grid_end(&grid);
}

static enum mem_status
suggest_changes(struct mem_store *s, int argc, char **argv)
{
	struct mem_evolve_list found = { 0 };
	struct mem_err err;
	enum mem_status st = find_named_skills(s, argc, argv);
	if (argc > 0 && nskills == 0)
		return st;
	struct mem_tokenizer *tokenizer = load_tokenizer(mem_store_conf(s));
	const struct mem_evolve_options o = { .skills = skills, .nskills = nskills, .kinds = read_wanted_kinds(),
		.tokens = (size_t)tokens, .tokenizer = tokenizer };
	if (mem_evolve_find(&found, s, &o, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_pause(s); /* a slow reader must not hold up a compaction */
	print_suggestions(&found);
	mem_evolve_release(&found);
	mem_tokenizer_close(tokenizer);
	return st;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "suggest", "WORD", "only suggestions of these kinds", .words = &wanted, .commas = true, .choices = mem_evolve_words },
		{ 0, "tokens", "N", "the budget of a body, as skill-activate has it", .num = &tokens, .min = 1 },
		MEM_OPT_LIMIT(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-evolve [OPTION...] [--suggest WORD] [--tokens N] [-n N] [--format FORMAT] [SKILL...]",
	    "suggest what would make skills better");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_store *s = NULL;
	struct mem_err err;
	read_wanted_kinds();
	if (mem_store_open(&s, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	enum mem_status st = suggest_changes(s, argc, argv);
	free(skills);
	mem_store_close(s);
	return mem_finish(st);
}
