/* SPDX-License-Identifier: Apache-2.0 */
/* The block of skills for a prompt. */
#include "prompt/skill_block.h"

#include <string.h>

#include "clean/clean.h"
#include "record/record.h"
#include "skill/ab.h"
#include "skill/skill.h"
#include "skill/skill_neighbours.h"
#include "store/node.h"

struct block_maker {
	struct mem_skill_block *out;
	const struct mem_skill_block_options *o;
	struct mem_buf lines;       /* records of what is shown */
	size_t tokens;              /* of their entries */
	struct mem_arena arena;
};

/* ---- one skill as a record ----------------------------------------------------- */

static void
put_entry_line(struct mem_buf *out, const struct block_maker *k, const struct mem_skill *s, const struct mem_active_skill *a, const char *shown,
    struct mem_str text)
{
	struct mem_json flags = mem_json_member(s->node, "injection_flags");
	char id[MEM_ID_LEN + 1];
	mem_id_format(&s->id, id);
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "id", mem_str(id));
	mem_json_put_field(out, "kind", MEM_STR("skill"));
	mem_json_put_field(out, "ns", s->ns);
	mem_json_put_field(out, "name", s->name);
	mem_json_put_int(out, "rank", (int64_t)k->out->shown + 1);
	/* A text is printed in the order of the activation, and by score where there is one. */
	mem_json_put_num(out, "score", k->o->format == MEM_RENDER_JSON ? a->score : -(double)k->out->shown);
	mem_json_put_field(out, "release", s->release);
	mem_json_put_field(out, "why", mem_str(a->why));
	mem_json_put_field(out, "shown", mem_str(shown));
	mem_json_put_field(out, "content", text);
	if (mem_json_there(flags))
		mem_json_put_raw(out, "injection_flags", flags.raw);
	mem_buf_puts(out, "}\n");
}

static struct mem_str
whole_text(struct block_maker *k, const struct mem_skill *s)
{
	struct mem_buf text = { 0 };
	mem_json_decode(&text, s->front);
	mem_json_decode(&text, s->content);
	struct mem_str kept = mem_arena_str(&k->arena, mem_buf_span(&text));
	mem_buf_release(&text);
	return kept;
}

static struct mem_str
short_text(struct block_maker *k, const struct mem_skill *s)
{
	return mem_str(mem_arena_printf(&k->arena, "%.*s: %.*s", (int)s->name.n, s->name.p, (int)s->description.n,
	    s->description.n > 0 ? s->description.p : ""));
}

static enum mem_status
manifest_text(struct mem_str *text, struct block_maker *k, struct mem_txn *t, const struct mem_skill *s, struct mem_err *err)
{
	struct mem_buf lines = { 0 };
	uint64_t edges;
	enum mem_status st = mem_skill_neighbours_put(&lines, t, s->ord, MEM_SKILL_NEIGHBOURS, &edges, err);
	const char *mark = edges == 0 ? " [isolated]" : edges >= MEM_SKILL_HUB ? " [hub]" : "";
	*text = mem_str(mem_arena_printf(&k->arena, "%.*s%s%s%s", (int)s->name.n, s->name.p, mark, edges > 0 ? "\n" : "", edges > 0 ? lines.data : ""));
	while (text->n > 0 && text->p[text->n - 1] == '\n')
		text->n--;
	mem_buf_release(&lines);
	return st;
}

/* ---- what fits ------------------------------------------------------------------- */

static enum mem_status
render_lines(struct mem_buf *out, enum mem_render_format format, struct mem_str lines, struct mem_err *err)
{
	const struct mem_render_options render = { .format = format, .order = MEM_RENDER_ORDER_RANK };
	struct mem_buf at_once = { 0 };
	void *state = mem_stage_render.open(&render);
	enum mem_status st = MEM_OK;
	while (lines.n > 0 && st == MEM_OK) {
		size_t n = (size_t)((const char *)memchr(lines.p, '\n', lines.n) - lines.p);
		st = mem_stage_render.add(state, 0, (struct mem_str){ lines.p, n }, &at_once, err);
		lines = (struct mem_str){ lines.p + n + 1, lines.n - n - 1 };
	}
	if (st == MEM_OK)
		st = mem_stage_render.end(state, out, err);
	mem_stage_render.free(state);
	mem_buf_release(&at_once);
	return st;
}

/* Of a fenced block: its first and last line, and what stands between, as far as that may fit; tokens of lines add up. */
static void
measure_block(const struct block_maker *k, struct mem_str block, size_t *fence, size_t *entry)
{
	size_t head = (size_t)((const char *)memchr(block.p, '\n', block.n) - block.p) + 1, foot = block.n - 1;
	while (foot > head && block.p[foot - 1] != '\n')
		foot--;
	*fence = mem_measure_tokens(k->o->tokenizer, (struct mem_str){ block.p, head }) +
	    mem_measure_tokens(k->o->tokenizer, (struct mem_str){ block.p + foot, block.n - foot });
	*entry = mem_measure_tokens_up_to(k->o->tokenizer, (struct mem_str){ block.p + head, foot - head }, k->o->tokens);
}

/* Adds the record where its entry in the fence fits, whatever the format is. */
static enum mem_status
try_entry(bool *fits, struct block_maker *k, struct mem_str line, struct mem_err *err)
{
	struct mem_buf block = { 0 };
	size_t fence = 0, entry = 0;
	enum mem_status st = render_lines(&block, MEM_RENDER_FENCE, line, err);
	if (st == MEM_OK && block.len > 0)
		measure_block(k, mem_buf_span(&block), &fence, &entry);
	*fits = st == MEM_OK && block.len > 0 && fence + k->tokens + entry <= k->o->tokens;
	if (*fits) {
		k->tokens += entry;
		k->out->shown++;
		mem_buf_str(&k->lines, line);
	}
	mem_buf_release(&block);
	return st;
}

/* Is the text alone, as the fence has it, longer than what is left of the budget?  Cheaper than its entry: what comes after that is not read. */
static bool
is_text_too_long(const struct block_maker *k, struct mem_str text)
{
	struct mem_buf line = { 0 };
	size_t left = k->tokens < k->o->tokens ? k->o->tokens - k->tokens : 0, tokens = 0;
	while (text.n > 0 && tokens <= left) {
		const char *end = memchr(text.p, '\n', text.n);
		size_t n = end != NULL ? (size_t)(end - text.p) + 1 : text.n;
		mem_buf_reset(&line);
		mem_escape_text(&line, (struct mem_str){ text.p, n });
		tokens += mem_measure_tokens_up_to(k->o->tokenizer, mem_buf_span(&line), left);
		text = (struct mem_str){ text.p + n, text.n - n };
	}
	mem_buf_release(&line);
	return tokens > left;
}

static enum mem_status
try_text(bool *fits, struct block_maker *k, const struct mem_skill *s, const struct mem_active_skill *a, const char *shown, struct mem_str text,
    struct mem_err *err)
{
	struct mem_buf line = { 0 };
	*fits = false;
	if (text.n == 0 || is_text_too_long(k, text))
		return MEM_OK;
	put_entry_line(&line, k, s, a, shown, text);
	enum mem_status st = try_entry(fits, k, mem_buf_span(&line), err);
	mem_buf_release(&line);
	return st;
}

/* The texts of the release that the session draws, as those of the skill. */
static enum mem_status
serve_variant(struct mem_skill *skill, struct block_maker *k, struct mem_txn *t)
{
	struct mem_skill variant;
	enum mem_status st = mem_skill_ab_served(&variant, t, skill, k->o->session, &k->arena, NULL);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	skill->node = variant.node;
	skill->description = variant.description;
	skill->release = variant.release;
	skill->front = variant.front;
	skill->content = variant.content;
	return MEM_OK;
}

static enum mem_status
add_skill_entry(struct block_maker *k, struct mem_txn *t, const struct mem_active_skill *a, struct mem_err *err)
{
	struct mem_node node;
	struct mem_skill skill;
	struct mem_str text;
	bool fits = false;
	enum mem_status st = mem_node_by_id(t, &a->id, &node, err);
	if (st == MEM_OK)
		st = mem_skill_read(&skill, t, &node, &k->arena);
	if (st == MEM_OK)
		st = serve_variant(&skill, k, t);
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
		return MEM_OK;
	if (st == MEM_OK && k->o->manifest)
		st = manifest_text(&text, k, t, &skill, err);
	if (st == MEM_OK)
		st = try_text(&fits, k, &skill, a, k->o->manifest ? "manifest" : "body", k->o->manifest ? text : whole_text(k, &skill), err);
	if (st == MEM_OK && !fits && !k->o->manifest)
		st = try_text(&fits, k, &skill, a, "description", short_text(k, &skill), err);
	k->out->left_out += !fits;
	return st;
}

/* ---- the whole --------------------------------------------------------------------- */

enum mem_status
mem_skill_block_make(struct mem_skill_block *out, struct mem_store *s, const struct mem_active_skills *active,
    const struct mem_skill_block_options *o, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	*out = (struct mem_skill_block){ 0 };
	struct block_maker k = { .out = out, .o = o };
	enum mem_status st = mem_txn_read(&t, s, err);
	for (size_t i = 0; i < active->n && st == MEM_OK; i++) {
		st = add_skill_entry(&k, t, &active->v[i], err);
		mem_arena_reset(&k.arena);
	}
	mem_txn_end(t);
	if (st == MEM_OK && o->format == MEM_RENDER_JSON)
		mem_buf_str(&out->text, mem_buf_span(&k.lines));
	else if (st == MEM_OK)
		st = render_lines(&out->text, o->format, mem_buf_span(&k.lines), err);
	if (st == MEM_OK && out->left_out > 0 && o->format != MEM_RENDER_JSON)
		mem_buf_printf(&out->text, "(%zu more left out: token budget)\n", out->left_out);
	mem_buf_release(&k.lines);
	mem_arena_release(&k.arena);
	return st;
}

void
mem_skill_block_release(struct mem_skill_block *b)
{
	mem_buf_release(&b->text);
	*b = (struct mem_skill_block){ 0 };
}
