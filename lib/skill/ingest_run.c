/* SPDX-License-Identifier: Apache-2.0 */
/* A run over the files of skills: opening, edges, committing. */
#include "skill/ingest_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "skill/version.h"
#include "store/job.h"

enum {
	ITEMS_A_BATCH = 4 * SKILL_FILES_A_GROUP, /* a skill has some tags */
	EDGES_A_BATCH = 256,       /* skills whose edges one transaction writes */
};

/* The mark of a namespace: are the edges those of the skills? */
#define MARK_DONE   "."
#define MARK_BROKEN "w"

static bool
are_edges_done(const struct mem_skill_ingest *r)
{
	return r->done == r->ntouched;
}

/* A mem_write_fn, inside each transaction behind all else. */
static enum mem_status
put_skills_mark(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct mem_skill_ingest *r = ctx;
	struct mem_str was, is = mem_str(are_edges_done(r) ? MARK_DONE : MARK_BROKEN);
	enum mem_status st = mem_job_mark_get(t, r->mark_name, &was, err);
	return st == MEM_OK && !mem_str_eq(was, is) ? mem_job_mark_put(t, r->mark_name, is, err) : st;
}

/* After a run that was broken off all skills have their edges made again. */
static enum mem_status
read_skills_mark(struct mem_skill_ingest *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_str was = { 0 };
	enum mem_status st = mem_txn_read(&t, mem_skill_ingest_store(r), err);
	if (st == MEM_OK)
		st = mem_job_mark_get(t, r->mark_name, &was, err);
	bool broken = st == MEM_OK && mem_str_is(was, MARK_BROKEN);
	mem_txn_end(t);
	for (size_t i = 0; i < r->nheads && broken; i++)
		skill_head_touch(r, i);
	return st;
}

static void
name_skills_mark(struct mem_skill_ingest *r)
{
	struct mem_hash h = mem_hash128(NULL, &r->ns, 1);
	char hex[2 * sizeof h.b + 1];
	mem_hash_hex(h.b, sizeof h.b, hex);
	snprintf(r->mark_name, sizeof r->mark_name, "skills:%s", hex);
}

/* The one that all files are of. */
static enum mem_status
find_skill_of_run(struct mem_skill_ingest *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_skill_releases l = { 0 };
	enum mem_status st = mem_txn_read(&t, mem_skill_ingest_store(r), err);
	if (st == MEM_OK)
		st = mem_skill_releases_read(&l, t, mem_str(r->o.skill), &r->arena, err);
	if (st == MEM_OK && l.v[l.active].forgotten)
		st = mem_err_set(err, MEM_NOTFOUND, "%s was forgotten: mem-forget --undo brings it back", r->o.skill);
	if (st == MEM_OK) {
		const struct mem_skill *s = &l.v[l.active];
		r->into = (struct mem_skill){ .id = s->id, .name = mem_arena_str(&r->arena, s->name), .ref = mem_arena_str(&r->arena, s->ref),
			.ns = mem_arena_str(&r->arena, s->ns) };
		r->o.ns = r->into.ns.p;
	}
	mem_txn_end(t);
	return st;
}

static enum mem_status
prepare_ingest(struct mem_skill_ingest *r, const struct mem_store_options *store, struct mem_err *err)
{
	const struct mem_conf *conf = mem_store_conf(mem_skill_ingest_store(r));
	struct mem_str redact = mem_conf_str(conf, "skills.redact");
	enum mem_status st = r->o.skill != NULL ? find_skill_of_run(r, err) : MEM_OK;
	if (st == MEM_OK)
		st = mem_write_run_ns(r->run, mem_skill_ns(conf, r->o.ns), &r->ns, err);
	if (st == MEM_OK)
		st = mem_writer_sanitise(r->run->writer, redact.p, NULL, err);
	if (st == MEM_OK)
		st = skill_reader_open(&r->reader, r, redact.p, err);
	if (st == MEM_OK)
		st = mem_store_lock(mem_skill_ingest_store(r), MEM_LOCK_LINKS, store->wait_ms, err);
	if (st != MEM_OK)
		return st;
	r->ns = mem_arena_str(&r->arena, r->ns);
	name_skills_mark(r);
	st = skill_heads_read(r, err);
	return st == MEM_OK ? read_skills_mark(r, err) : st;
}

enum mem_status
mem_skill_ingest_open(struct mem_skill_ingest **out, const struct mem_store_options *store, const struct mem_skill_ingest_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err)
{
	struct mem_skill_ingest *r = mem_xcalloc(1, sizeof *r);
	r->o = *o;
	const struct mem_write_options writing = { .via = o->via, .audit_refusals = true, .dry_run = o->dry_run, .batch_max = ITEMS_A_BATCH,
		.then = put_skills_mark, .ctx = r };
	enum mem_status st = mem_write_run_open(&r->run, store, &writing, emit, ctx, err);
	if (st == MEM_OK)
		st = prepare_ingest(r, store, err);
	if (st == MEM_OK)
		*out = r;
	else
		mem_skill_ingest_free(r);
	return st;
}

void
mem_skill_ingest_free(struct mem_skill_ingest *r)
{
	if (r == NULL)
		return;
	skill_reader_free(r->reader);
	mem_write_run_free(r->run);
	struct mem_text_map *maps[] = { &r->by_ref, &r->by_path, &r->listed, &r->tags, &r->wanted, &r->is_touched };
	for (size_t i = 0; i < MEM_COUNT(maps); i++)
		mem_text_map_release(maps[i]);
	mem_arena_release(&r->arena);
	free(r->heads);
	free(r->wants);
	free(r->touched);
	free(r);
}

struct mem_store *
mem_skill_ingest_store(const struct mem_skill_ingest *r)
{
	return mem_writer_store(r->run->writer);
}

void
mem_skill_ingest_files(struct mem_skill_ingest *r, const struct mem_skill_files *files)
{
	bool made;
	r->files = files;
	for (size_t i = 0; i < files->n; i++)
		mem_text_map_put(&r->listed, files->v[i].path, 0, &made);
}

/* ---- edges ------------------------------------------------------------ */

/* A mem_write_act_fn: the next skills. */
static enum mem_status
write_skills_edges(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	struct mem_skill_ingest *r = ctx;
	enum mem_status st = MEM_OK;
	(void)receipt;
	r->done = r->next;
	while (st == MEM_OK && r->done < r->ntouched && r->done < r->next + EDGES_A_BATCH) {
		struct mem_node node;
		st = mem_node_by_id(t, &r->heads[r->touched[r->done++]].id, &node, err);
		if (st == MEM_OK)
			st = skill_edges_write(t, w, node.ord, err);
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	return st;
}

static bool
queue_skills_edges(struct mem_skill_ingest *r)
{
	static const struct mem_write_input quiet = { .quiet = true };
	if (are_edges_done(r))
		return false;
	r->next = r->done;
	mem_write_act(r->run->writer, &quiet, write_skills_edges, r);
	return true;
}

/* ---- the end ---------------------------------------------------------- */

static enum mem_status
tell_stale(enum mem_status st, struct mem_err *err)
{
	return st == MEM_STALE ? mem_err_set(err, MEM_BUSY, "busy: another process changed one of the skills; nothing of this part was written") : st;
}

enum mem_status
mem_skill_ingest_commit(struct mem_skill_ingest *r, struct mem_err *err)
{
	enum mem_status st = tell_stale(mem_write_run_commit(r->run, err), err);
	while (st == MEM_OK && !r->o.dry_run && queue_skills_edges(r))
		st = mem_write_run_commit(r->run, err);
	return st;
}

const struct mem_write_total *
mem_skill_ingest_total(const struct mem_skill_ingest *r)
{
	return &r->run->total;
}

enum mem_status
mem_skill_ingest_outcome(const struct mem_skill_ingest *r, struct mem_err *err)
{
	return mem_write_run_outcome(r->run, err);
}

/* One skill's, in a snapshot of its own. */
static enum mem_status
tell_missing(struct mem_skill_ingest *r, const struct mem_id *id, mem_skill_missing_fn *fn, void *ctx, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	struct mem_node node;
	struct mem_skill skill;
	struct mem_str name = MEM_STR(""), missing = MEM_STR("[]");
	enum mem_status st = mem_txn_read(&t, mem_skill_ingest_store(r), err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, id, &node, err);
	if (st == MEM_OK)
		st = mem_skill_read(&skill, t, &node, &a);
	if (st == MEM_OK && mem_json_there(skill.missing)) {
		name = skill.name;
		missing = mem_arena_str(&a, skill.missing.raw);
	}
	mem_txn_end(t);
	const struct mem_json list = { missing, MEM_JSON_ARRAY, false };
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);) {
		struct mem_str end = mem_json_text(&a, it.value);
		const struct skill_head *there = skill_head_find(r, &r->by_ref, mem_skill_ref(&a, end));
		fn(ctx, name, end, there != NULL && there->forgotten);
	}
	mem_arena_release(&a);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
mem_skill_ingest_missing(struct mem_skill_ingest *r, mem_skill_missing_fn *fn, void *ctx, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < r->ntouched && st == MEM_OK; i++)
		st = tell_missing(r, &r->heads[r->touched[i]].id, fn, ctx, err);
	return st;
}
