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
add_want(struct mem_skill_ingest *r, const struct skill_want *want, struct mem_str text)
{
	bool made;
	struct mem_text_entry *e = mem_text_map_put(&r->wanted, text, SIZE_MAX, &made);
	r->wants = mem_grow(r->wants, &r->wants_cap, r->nwants + 1, sizeof *r->wants);
	r->wants[r->nwants] = *want;
	r->wants[r->nwants].next = e->value;
	e->value = r->nwants++;
}

void
skill_wants_touch(struct mem_skill_ingest *r, struct mem_str text)
{
	struct mem_text_entry *e = mem_text_map_find(&r->wanted, text);
	for (size_t i = e != NULL ? e->value : SIZE_MAX; i != SIZE_MAX; i = r->wants[i].next)
		skill_head_touch(r, r->wants[i].head);
}

/* Has a page the name of a link, where no skill has it? */
static enum mem_status
find_wanted_page(struct mem_txn *t, const struct skill_want *want, bool *there, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	uint32_t page;
	enum mem_status st = want->link.n > 0 && !*there ? skill_link_page_find(t, want->link, &a, &page, err) : MEM_NOTFOUND;
	mem_arena_release(&a);
	*there |= st == MEM_OK;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* Is what they want there, while it is kept as missing, or the other way round?  Others than a run of files make and take away skills and
 * pages, too. */
static enum mem_status
touch_changed_wants(struct mem_skill_ingest *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, mem_skill_ingest_store(r), err);
	for (size_t i = 0; i < r->wanted.n && st == MEM_OK; i++) {
		const struct mem_text_entry *e = &r->wanted.entries[i];
		const struct skill_head *ref = skill_head_find(r, &r->by_ref, e->text), *path = skill_head_find(r, &r->by_path, e->text);
		for (size_t k = e->value; k != SIZE_MAX && st == MEM_OK; k = r->wants[k].next) {
			bool there = (ref != NULL && !ref->forgotten) || (path != NULL && !path->forgotten);
			if (!r->wants[k].untold)
				st = find_wanted_page(t, &r->wants[k], &there, err);
			if (!r->wants[k].untold && there == r->wants[k].missing)
				skill_head_touch(r, r->wants[k].head);
		}
	}
	mem_txn_end(t);
	return st;
}

/* ---- reading ---------------------------------------------------------- */

static bool
is_kept_as_missing(const struct mem_skill *s, struct mem_json end)
{
	for (struct mem_json_iter it = mem_json_each(s->missing); mem_json_next(&it);)
		if (mem_str_eq(it.value.raw, end.raw))
			return true;
	return false;
}

static void
take_relation(struct mem_skill_ingest *r, const struct mem_skill *s, size_t number, struct mem_json relation, struct mem_arena *a)
{
	struct mem_json end = skill_relation_end(relation, a), name = mem_json_member(relation, "name");
	struct skill_want want = { .head = number };
	want.missing = mem_json_there(end) && is_kept_as_missing(s, end);
	want.untold = !mem_json_there(end);
	if (mem_json_there(name) && mem_json_is(mem_json_member(relation, "edge"), SKILL_LINK))
		want.link = mem_json_text(&r->arena, name);
	add_want(r, &want, mem_json_there(name) ? mem_skill_ref(a, mem_json_text(a, name)) :
	    mem_json_text(a, mem_json_member(relation, "path")));
}

/* A mem_skill_fn. */
static enum mem_status
take_skill_head(void *ctx, struct mem_txn *t, const struct mem_skill *s, struct mem_err *err)
{
	struct mem_skill_ingest *r = ctx;
	struct mem_arena a = { 0 };
	(void)t, (void)err;
	const struct skill_head head = { .id = s->id, .status = s->status, .forgotten = s->forgotten, .version = mem_write_version(s->node),
		.name = s->name, .ref = s->ref, .path = s->path, .release = s->release, .sha256 = s->sha256,
		.file_sha256 = s->file_sha256.n > 0 ? s->file_sha256 : s->sha256 };
	size_t number = skill_head_add(r, &head);
	for (struct mem_json_iter it = mem_json_each(s->relations); mem_json_next(&it);)
		take_relation(r, s, number, it.value, &a);
	mem_arena_release(&a);
	return MEM_OK;
}

enum mem_status
skill_heads_read(struct mem_skill_ingest *r, struct mem_err *err)
{
	const struct mem_skill_filter all = { .ns = r->ns, .statuses = UINT32_MAX };
	enum mem_status st = mem_skills_each(mem_skill_ingest_store(r), &all, take_skill_head, r, err);
	return st == MEM_OK ? touch_changed_wants(r, err) : st;
}
