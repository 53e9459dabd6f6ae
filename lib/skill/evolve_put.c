/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions as records, and the search for them. */
#include "skill/evolve_int.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

const char *const mem_evolve_words[] = { [MEM_EVOLVE_DESCRIPTION] = "description", [MEM_EVOLVE_TAGS] = "tags", [MEM_EVOLVE_TOOL] = "tool",
	[MEM_EVOLVE_DEPENDENCY] = "dependency", [MEM_EVOLVE_SUCCESS_RATE] = "success_rate", [MEM_EVOLVE_BODY] = "body",
	[MEM_EVOLVE_TREND] = "trend", NULL };

bool
evolve_is_wanted(const struct evolve_search *e, size_t skill, enum mem_evolve_kind kind)
{
	return e->v[skill].wanted && (e->o->kinds == 0 || (e->o->kinds >> kind & 1) != 0);
}

static void
put_suggestion(struct mem_buf *out, const struct evolve_skill *s, enum mem_evolve_kind kind, struct mem_str numbers, struct mem_str why)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(&s->id, id);
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "id", mem_str(id));
	mem_json_put_field(out, "name", s->name);
	mem_json_put_text(out, "category", s->category);
	mem_json_put_field(out, "release", s->release);
	mem_json_put_field(out, "suggest", mem_str(mem_evolve_words[kind]));
	mem_json_put_field(out, "why", why);
	mem_buf_putc(out, ',');
	mem_buf_str(out, numbers);
	mem_buf_putc(out, '}');
}

void
evolve_suggest(struct evolve_search *e, size_t skill, enum mem_evolve_kind kind, struct mem_str numbers, const char *why, ...)
{
	const struct evolve_skill *s = &e->v[skill];
	struct mem_evolve_list *l = e->out;
	struct mem_buf line = { 0 };
	va_list args;
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	struct mem_evolve_suggestion *x = &l->v[l->n++];
	*x = (struct mem_evolve_suggestion){ .kind = kind, .skill = skill, .name = s->name };
	va_start(args, why);
	mem_buf_vprintf(&line, why, args);
	va_end(args);
	x->why = mem_arena_str(&l->arena, mem_buf_span(&line));
	mem_buf_reset(&line);
	put_suggestion(&line, s, kind, numbers, x->why);
	x->line = mem_arena_str(&l->arena, mem_buf_span(&line));
	mem_buf_release(&line);
}

/* ---- all ---------------------------------------------------------------- */

/* A mem_skill_fn. */
static enum mem_status
take_evolve_skill(void *ctx, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err)
{
	(void)t, (void)err;
	evolve_take_skill(ctx, skill);
	return MEM_OK;
}

/* Of one skill and kind by their records. */
static int
compare_evolve_suggestions(const void *a, const void *b)
{
	const struct mem_evolve_suggestion *x = a, *y = b;
	if (x->skill != y->skill)
		return x->skill < y->skill ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return mem_str_cmp(x->line, y->line);
}

enum mem_status
mem_evolve_find(struct mem_evolve_list *out, struct mem_store *s, const struct mem_evolve_options *o, struct mem_err *err)
{
	struct evolve_search e = { .store = s, .o = o, .out = out };
	const struct mem_skill_filter live = { 0 };
	enum mem_status st = mem_skills_each(s, &live, take_evolve_skill, &e, err);
	if (st == MEM_OK) {
		evolve_compare_rates(&e);
		st = evolve_compare_releases(&e, err);
	}
	if (st == MEM_OK)
		st = evolve_look_at_sessions(&e, err);
	mem_sort(out->v, out->n, sizeof *out->v, compare_evolve_suggestions);
	free(e.v);
	return st;
}

void
mem_evolve_release(struct mem_evolve_list *l)
{
	free(l->v);
	mem_arena_release(&l->arena);
	*l = (struct mem_evolve_list){ 0 };
}
