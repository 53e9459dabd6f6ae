/* SPDX-License-Identifier: Apache-2.0 */
/* The skills that a run finds in the store, by name and by path. */
#include "skill/ingest_int.h"

#include <stdlib.h>

struct skill_head *
skill_head_find(struct mem_skill_ingest *r, const struct mem_text_map *by, struct mem_str text)
{
	struct mem_text_entry *e = mem_text_map_find(by, text);
	return e != NULL ? &r->heads[e->value] : NULL;
}

struct skill_head *
skill_head_of_file(struct mem_skill_ingest *r, struct mem_str path)
{
	return r->o.skill == NULL ? skill_head_find(r, &r->by_path, path) : NULL;
}

/* Of several with one name or path a skill that is live goes before one that is not. */
static void
index_head(struct mem_skill_ingest *r, struct mem_text_map *by, struct mem_str text, size_t number)
{
	bool made;
	if (text.n == 0)
		return;
	struct mem_text_entry *e = mem_text_map_put(by, text, number, &made);
	if (!made && r->heads[e->value].status != MEM_STATUS_ACTIVE)
		e->value = number;
}

size_t
skill_head_add(struct mem_skill_ingest *r, const struct skill_head *head)
{
	size_t number = r->nheads++;
	r->heads = mem_grow(r->heads, &r->heads_cap, r->nheads, sizeof *r->heads);
	struct skill_head *h = &r->heads[number];
	*h = *head;
	h->name = mem_arena_str(&r->arena, head->name);
	h->ref = mem_arena_str(&r->arena, head->ref);
	h->path = mem_arena_str(&r->arena, head->path);
	h->release = mem_arena_str(&r->arena, head->release);
	h->sha256 = mem_arena_str(&r->arena, head->sha256);
	h->file_sha256 = mem_arena_str(&r->arena, head->file_sha256);
	index_head(r, &r->by_ref, h->ref, number);
	index_head(r, &r->by_path, h->path, number);
	return number;
}

void
skill_head_touch(struct mem_skill_ingest *r, size_t number)
{
	bool made;
	mem_text_map_put(&r->is_touched, (struct mem_str){ (const char *)r->heads[number].id.b, sizeof r->heads[number].id.b }, 0, &made);
	if (!made)
		return;
	r->touched = mem_grow(r->touched, &r->touched_cap, r->ntouched + 1, sizeof *r->touched);
	r->touched[r->ntouched++] = number;
}

/* ---- wants ------------------------------------------------------------ */

static void
add_want(struct mem_skill_ingest *r, size_t head, struct mem_str ref)
{
	bool made;
	struct mem_text_entry *e = mem_text_map_put(&r->wanted, ref, SIZE_MAX, &made);
	r->wants = mem_grow(r->wants, &r->wants_cap, r->nwants + 1, sizeof *r->wants);
	r->wants[r->nwants] = (struct skill_want){ head, e->value };
	e->value = r->nwants++;
}

void
skill_wants_touch(struct mem_skill_ingest *r, struct mem_str ref)
{
	struct mem_text_entry *e = mem_text_map_find(&r->wanted, ref);
	for (size_t i = e != NULL ? e->value : SIZE_MAX; i != SIZE_MAX; i = r->wants[i].next)
		skill_head_touch(r, r->wants[i].head);
}

/* ---- reading ---------------------------------------------------------- */

/* A mem_skill_fn. */
static enum mem_status
take_skill_head(void *ctx, struct mem_txn *t, const struct mem_skill *s, struct mem_err *err)
{
	struct mem_skill_ingest *r = ctx;
	struct mem_arena a = { 0 };
	(void)t, (void)err;
	const struct skill_head head = { .id = s->id, .status = s->status,.version = mem_write_version(s->node), .name = s->name,
		.ref = s->ref, .path = s->path, .release = s->release, .sha256 = s->sha256,
		.file_sha256 = s->file_sha256.n > 0 ? s->file_sha256 : s->sha256 };
	size_t number = skill_head_add(r, &head);
	for (struct mem_json_iter it = mem_json_each(s->missing); mem_json_next(&it);)
		add_want(r, number, mem_skill_ref(&a, mem_json_text(&a, it.value)));
	mem_arena_release(&a);
	return MEM_OK;
}

enum mem_status
skill_heads_read(struct mem_skill_ingest *r, struct mem_err *err)
{
	const struct mem_skill_filter all = { .ns = r->ns, .statuses = UINT32_MAX };
	return mem_skills_each(mem_skill_ingest_store(r), &all, take_skill_head, r, err);
}
