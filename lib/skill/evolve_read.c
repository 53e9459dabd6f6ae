/* SPDX-License-Identifier: Apache-2.0 */
/* What a skill's own text suggests. */
#include "skill/evolve_int.h"

#include <string.h>

#include "skill/uses.h"
#include "stage/render.h"
#include "text/passages.h"

/* ---- tools ---------------------------------------------------------------- */

/* "Bash(git:*)" is Bash. */
static void
add_tool(struct evolve_skill *s, struct mem_arena *a, struct mem_str tool)
{
	const char *bracket = tool.n > 0 ? memchr(tool.p, '(', tool.n) : NULL;
	tool.n = bracket != NULL ? (size_t)(bracket - tool.p) : tool.n;
	tool = mem_str_trim(tool);
	for (size_t i = 0; i < s->ntools; i++)
		if (mem_str_eq(s->tools[i], tool))
			return;
	if (tool.n > 0)
		s->tools[s->ntools++] = mem_arena_str(a, tool);
}

/* "Read, Bash(git add:*) Grep": between commas and blanks, but not in brackets. */
static void
split_tools(struct evolve_skill *s, struct mem_arena *a, struct mem_str text)
{
	size_t start = 0, depth = 0;
	for (size_t i = 0; i <= text.n; i++) {
		char c = i < text.n ? text.p[i] : ',';
		depth += c == '(';
		depth -= c == ')' && depth > 0;
		if (i == text.n || (depth == 0 && strchr(", \t\n", c) != NULL)) {
			add_tool(s, a, (struct mem_str){ text.p + start, i - start });
			start = i + 1;
		}
	}
}

static void
read_tools(struct evolve_skill *s, struct mem_arena *a, struct mem_json allowed)
{
	struct mem_arena room = { 0 };
	if (allowed.type == MEM_JSON_STRING) {
		struct mem_str text = mem_json_text(&room, allowed);
		s->tools = mem_arena_alloc(a, (text.n / 2 + 1) * sizeof *s->tools);
		split_tools(s, a, text);
	} else if (allowed.type == MEM_JSON_ARRAY) {
		s->tools = mem_arena_alloc(a, (allowed.raw.n / 2 + 1) * sizeof *s->tools);
		for (struct mem_json_iter it = mem_json_each(allowed); mem_json_next(&it);)
			add_tool(s, a, mem_json_text(&room, it.value));
	}
	mem_arena_release(&room);
}

/* ---- text ------------------------------------------------------------------ */

static void
check_description(struct evolve_search *e, size_t at, const struct mem_skill *skill)
{
	struct mem_buf numbers = { 0 };
	size_t n = mem_measure_characters(NULL, skill->description);
	if (n >= MEM_EVOLVE_SHORT && n <= MEM_EVOLVE_LONG)
		return;
	mem_json_put_int(&numbers, "characters", (int64_t)n);
	mem_json_put_int(&numbers, "least", MEM_EVOLVE_SHORT);
	mem_json_put_int(&numbers, "most", MEM_EVOLVE_LONG);
	evolve_suggest(e, at, MEM_EVOLVE_DESCRIPTION, mem_buf_span(&numbers), "the description has %zu characters: %s", n,
	    n < MEM_EVOLVE_SHORT ? "too few to be found by" : "more than say when to use it");
	mem_buf_release(&numbers);
}

static void
check_tags(struct evolve_search *e, size_t at, const struct mem_skill *skill)
{
	struct mem_json_iter it = mem_json_each(skill->tags);
	if (skill->tags.type == MEM_JSON_ARRAY && mem_json_next(&it))
		return;
	evolve_suggest(e, at, MEM_EVOLVE_TAGS, MEM_STR("\"tags\":0"), "it has no tags");
}

static void
check_body(struct evolve_search *e, size_t at, const struct mem_skill *skill)
{
	struct mem_arena room = { 0 };
	struct mem_buf numbers = { 0 };
	size_t n = mem_json_there(skill->content) ? mem_measure_tokens(e->o->tokenizer, mem_json_text(&room, skill->content)) : 0;
	if (n > e->o->tokens) {
		mem_json_put_int(&numbers, "tokens", (int64_t)n);
		mem_json_put_int(&numbers, "budget", (int64_t)e->o->tokens);
		evolve_suggest(e, at, MEM_EVOLVE_BODY, mem_buf_span(&numbers), "the body has %zu tokens, and the budget is %zu", n, e->o->tokens);
	}
	mem_buf_release(&numbers);
	mem_arena_release(&room);
}

/* ---- the skill --------------------------------------------------------------- */

static bool
is_asked_for(const struct evolve_search *e, const struct mem_id *id)
{
	bool found = e->o->nskills == 0;
	for (size_t i = 0; i < e->o->nskills && !found; i++)
		found = mem_id_cmp(&e->o->skills[i], id) == 0;
	return found;
}

void
evolve_take_skill(struct evolve_search *e, const struct mem_skill *skill)
{
	struct mem_arena *a = &e->out->arena;
	struct mem_skill_uses uses;
	size_t at = e->n++;
	mem_skill_uses_read(&uses, skill->node);
	e->v = mem_grow(e->v, &e->cap, e->n, sizeof *e->v);
	e->v[at] = (struct evolve_skill){ .ord = skill->ord, .id = skill->id, .name = mem_arena_str(a, skill->name),
		.category = mem_arena_str(a, skill->category), .release = mem_arena_str(a, skill->release), .wanted = is_asked_for(e, &skill->id),
		.outcomes = mem_skill_uses_sum(&uses), .good = (double)uses.n[MEM_SKILL_SUCCESS] + (double)uses.n[MEM_SKILL_PARTIAL] / 2 };
	if (evolve_is_wanted(e, at, MEM_EVOLVE_TOOL))
		read_tools(&e->v[at], a, mem_json_member(skill->node, "allowed-tools"));
	if (evolve_is_wanted(e, at, MEM_EVOLVE_DESCRIPTION))
		check_description(e, at, skill);
	if (evolve_is_wanted(e, at, MEM_EVOLVE_TAGS))
		check_tags(e, at, skill);
	if (evolve_is_wanted(e, at, MEM_EVOLVE_BODY))
		check_body(e, at, skill);
}
