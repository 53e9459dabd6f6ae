/* SPDX-License-Identifier: Apache-2.0 */
/* skill-activate: make the block of skills that a task asks for. */
#include "cli/cli.h"
#include "prompt/skill_block.h"
#include "skill/skill_activate.h"
#include "skill_hint.h"
#include "skill_task.h"
#include "tokenizer.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct skill_task task = SKILL_TASK_INIT;
static int64_t tokens = MEM_SKILL_TOKENS;
static int format = MEM_RENDER_FENCE;
static bool manifest;
static const char *session;
static const char *const formats[] = { "fence", "markdown", "plain", "json", NULL };
static const struct mem_opt opts[] = {
	MEM_OPT_STORE(c),
	{ 0, "tokens", "N", "at most N tokens, as the encoder counts them", .num = &tokens, .min = 1 },
	{ 'n', "limit", "N", "search for at most N skills", .num = &c.limit, .min = 1 },
	{ 0, "manifest", NULL, "names and neighbours alone", .flag = &manifest },
	{ 0, "session", "ID", "serve the releases that this session draws", .str = &session },
	MEM_OPT_SKILLS(c, task),
	{ 0, "format", "FORMAT", "fence, markdown, plain or json", .choice = &format, .choices = formats },
	MEM_OPT_AGENT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
};

static enum mem_status
print_active_skills(void)
{
	struct mem_active_skills active;
	struct mem_skill_block block;
	struct mem_err err;
	if (mem_skill_activate(&active, &task.searcher, &task.search, &err) != MEM_OK)
		mem_die_err(&err);
	warn_of_fallback(active.hits.found);
	warn_of_cuts(active.hits.found, "");
	struct mem_tokenizer *tokenizer = load_tokenizer(mem_store_conf(task.searcher.index.store));
	const struct mem_skill_block_options o = { .format = (enum mem_render_format)format, .tokens = (size_t)tokens, .tokenizer = tokenizer,
		.manifest = manifest, .session = session != NULL ? mem_str(session) : (struct mem_str){ 0 } };
	if (mem_skill_block_make(&block, task.searcher.index.store, &active, &o, &err) != MEM_OK)
		mem_die_err(&err);
	mem_store_pause(task.searcher.index.store); /* a slow reader must not hold up a compaction */
	mem_out_str(mem_buf_span(&block.text));
	enum mem_status st = block.shown > 0 ? MEM_OK : MEM_NOTFOUND;
	if (st == MEM_NOTFOUND)
		hint_at_categories(&task.named.categories);
	note_skill_answer(&task, "skill-activate", &active.hits, block.shown);
	mem_skill_block_release(&block);
	mem_active_skills_release(&active);
	mem_tokenizer_close(tokenizer);
	return st;
}

int
main(int argc, char **argv)
{
	c.limit = 10;
	mem_opts(&argc, &argv, opts, "skill-activate [OPTION...] [--tokens N] [--manifest] TASK", "make the block of skills that a task asks for");
	open_skill_task(&task, &c, argc, argv);
	enum mem_status st = print_active_skills();
	close_skill_task(&task);
	return mem_finish(st);
}
