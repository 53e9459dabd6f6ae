/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps: from what was needed to the stars that recommend a skill. */
#include "skill/gaps_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "record/record.h"

/* ---- one gap ---------------------------------------------------------------- */

/* White space as one blank, and no longer than a topic is. */
static struct mem_str
make_topic(struct mem_arena *a, struct mem_str text)
{
	struct mem_buf b = { 0 };
	for (size_t i = 0; i < text.n && b.len <= MEM_GAP_TOPIC_MAX; i++)
		if (strchr(" \t\r\n", text.p[i]) == NULL)
			mem_buf_putc(&b, text.p[i]);
		else if (b.len > 0 && b.data[b.len - 1] != ' ')
			mem_buf_putc(&b, ' ');
	if (b.len > MEM_GAP_TOPIC_MAX)
		b.len = mem_utf8_cut(mem_buf_span(&b), MEM_GAP_TOPIC_MAX);
	struct mem_str topic = mem_arena_str(a, mem_str_trim(mem_buf_span(&b)));
	mem_buf_release(&b);
	return topic;
}

static int
compare_gap_members(const void *a, const void *b)
{
	const struct mem_gap_member *x = a, *y = b;
	if (x->near < y->near || x->near > y->near)
		return x->near > y->near ? -1 : 1;
	return mem_id_cmp(&x->id, &y->id);
}

/* Of the items whose numbers these are, the centre first. */
static enum mem_status
add_gap(struct mem_gaps *out, size_t *cap, const struct gap_space *sp, const struct gap_items *items, const size_t *numbers, size_t n,
    struct mem_err *err)
{
	out->v = mem_grow(out->v, cap, out->n + 1, sizeof *out->v);
	struct mem_gap *g = &out->v[out->n++];
	*g = (struct mem_gap){ .n = n, .members = mem_arena_alloc(&out->arena, n * sizeof *g->members) };
	for (size_t i = 0; i < n; i++) {
		g->members[i] = items->v[numbers[i]];
		g->members[i].near = gap_space_near(sp, items, numbers[0], numbers[i]);
		g->count += g->members[i].times;
	}
	mem_sort(g->members + 1, n - 1, sizeof *g->members, compare_gap_members);
	g->topic = make_topic(&out->arena, g->members[0].text);
	size_t skill = gap_space_best_skill(sp, items, numbers[0], &g->skill_near);
	g->has_skill = skill != SIZE_MAX;
	if (g->has_skill) {
		g->skill = sp->skills[skill].id;
		g->skill_name = sp->skills[skill].name;
	}
	return gap_label(g, &out->arena, err);
}

/* ---- all ---------------------------------------------------------------------- */

static int
compare_gaps(const void *a, const void *b)
{
	const struct mem_gap *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return mem_id_cmp(&x->members[0].id, &y->members[0].id);
}

static enum mem_status
gather_stars(struct mem_gaps *out, const struct gap_space *sp, const struct gap_items *items, struct mem_err *err)
{
	struct gap_stars stars;
	size_t *members = mem_xmalloc((items->n + 1) * sizeof *members), n, cap = 0;
	enum mem_status st = MEM_OK;
	gap_stars_begin(&stars, items->n);
	for (size_t i = 0; i < items->n; i++)
		stars.weights[i] = items->v[i].times;
	gap_space_join(sp, items, &stars);
	gap_stars_weigh(&stars);
	while (st == MEM_OK && (n = gap_stars_next(&stars, MEM_GAP_LEAST, members)) > 0)
		st = add_gap(out, &cap, sp, items, members, n, err);
	mem_sort(out->v, out->n, sizeof *out->v, compare_gaps);
	gap_stars_release(&stars);
	free(members);
	return st;
}

enum mem_status
mem_gaps_find(struct mem_gaps *out, struct mem_query_encoder *encoder, int64_t since, struct mem_err *err)
{
	struct gap_evidence e = { .arena = &out->arena };
	struct gap_space sp = { .store = encoder->store, .encoder = encoder, .arena = &out->arena };
	enum mem_status st = gap_evidence_gather(&e, encoder->store, &(struct gap_evidence_options){ .since = since }, err);
	if (st == MEM_OK && e.needs.n + e.learnings.n > 0)
		st = gap_space_open(&sp, err);
	if (st == MEM_OK)
		st = gap_space_drop_learned(&sp, &e.learnings, err);
	for (size_t i = 0; i < e.learnings.n; i++)
		gap_items_add(&e.needs, &e.learnings.v[i]);
	out->hashed = e.hashed, out->by_words = sp.by_words;
	out->left_out = e.left_out + gap_items_keep_last(&e.needs, MEM_GAP_ITEMS);
	if (st == MEM_OK)
		st = gap_space_read_items(&sp, &e.needs, err);
	if (st == MEM_OK)
		st = gather_stars(out, &sp, &e.needs, err);
	gap_space_release(&sp);
	gap_evidence_release(&e);
	return st;
}

void
mem_gaps_release(struct mem_gaps *g)
{
	free(g->v);
	mem_arena_release(&g->arena);
	*g = (struct mem_gaps){ 0 };
}

/* ---- the record ----------------------------------------------------------------- */

static void
put_gap_member(struct mem_buf *out, const struct mem_gap_member *m, const char *measure)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(&m->id, id);
	mem_buf_puts(out, out->data[out->len - 1] == '[' ? "{" : ",{");
	mem_json_put_field(out, "id", mem_str(id));
	mem_json_put_field(out, "kind", mem_str(mem_kind_name(m->kind)));
	mem_json_put_field(out, "text", m->text);
	mem_json_put_int(out, "times", m->times);
	mem_json_put_time(out, "at", m->at);
	mem_json_put_num(out, measure, m->near);
	mem_buf_putc(out, '}');
}

static void
put_gap_skill(struct mem_buf *out, const struct mem_gap *g, const char *measure)
{
	char id[MEM_ID_LEN + 1];
	mem_json_put_raw(out, "best_skill", g->has_skill ? MEM_STR("{") : MEM_STR("null"));
	if (!g->has_skill)
		return;
	mem_id_format(&g->skill, id);
	mem_json_put_field(out, "id", mem_str(id));
	mem_json_put_field(out, "name", g->skill_name);
	mem_json_put_num(out, measure, g->skill_near);
	mem_buf_putc(out, '}');
}

void
mem_gap_put(struct mem_buf *out, const struct mem_gaps *gaps, size_t at)
{
	const struct mem_gap *g = &gaps->v[at];
	const char *measure = gaps->by_words ? "likeness" : "similarity";
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "topic", g->topic);
	mem_json_put_raw(out, "labels", MEM_STR("["));
	for (size_t i = 0; i < g->nlabels; i++) {
		mem_buf_puts(out, i > 0 ? "," : "");
		mem_json_put_string(out, g->labels[i]);
	}
	mem_buf_putc(out, ']');
	mem_json_put_int(out, "count", g->count);
	put_gap_skill(out, g, measure);
	mem_json_put_raw(out, "members", MEM_STR("["));
	for (size_t i = 0; i < g->n; i++)
		put_gap_member(out, &g->members[i], measure);
	mem_buf_puts(out, "]}");
}
