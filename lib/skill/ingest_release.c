/* SPDX-License-Identifier: Apache-2.0 */
/* A changed file: its text becomes the active release, and what was active before a release beside it. */
#include "skill/ingest_int.h"

#include <stdlib.h>

#include "md/md.h"
#include "skill/release.h"
#include "skill/uses.h"

/* ---- numbers ---------------------------------------------------------- */

static enum mem_status
is_release_free(struct mem_skill_ingest *r, struct mem_txn *t, const struct skill_head *was, struct mem_str release, bool *out, struct mem_err *err)
{
	struct mem_str ref = mem_skill_release_ref(mem_writer_arena(r->run->writer), was->name, release);
	const struct mem_id id = mem_id_v8(r->ns, ref);
	struct mem_node node;
	enum mem_status st = mem_node_by_id(t, &id, &node, err);
	*out = st == MEM_NOTFOUND && !mem_str_eq(release, was->release);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* The version that the file gives, where that is new; else the first one behind it, or behind the active release, that is free. */
enum mem_status
skill_release_choose(struct mem_skill_ingest *r, const struct skill_head *was, struct mem_str said, struct mem_str *out, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_txn *t = NULL;
	bool unused = false;
	enum mem_status st = mem_txn_read(&t, mem_skill_ingest_store(r), err);
	*out = said.n > 0 ? mem_arena_str(a, said) : mem_release_next(a, was->release, r->o.change);
	while (st == MEM_OK && (st = is_release_free(r, t, was, *out, &unused, err)) == MEM_OK && !unused)
		*out = mem_release_next(a, *out, r->o.change);
	mem_txn_end(t);
	return st;
}

/* ---- the change ------------------------------------------------------- */

struct skill_change {
	struct mem_id id;
	int64_t version;
};

/* A mem_write_check_fn: is the skill still what the release was made of? */
static enum mem_status
check_skill_version(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	const struct skill_change *c = ctx;
	struct mem_node node;
	enum mem_status st = mem_write_node_find(t, &c->id, &node, err);
	if (st == MEM_OK && mem_write_version(mem_json_object(node.json)) == c->version)
		return MEM_OK;
	return st == MEM_OK || st == MEM_NOTFOUND ? MEM_STALE : st;
}

/* The node as it stands, in the batch's arena. */
static enum mem_status
copy_skill_node(struct mem_skill_ingest *r, const struct mem_id *id, struct mem_str *json, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, mem_skill_ingest_store(r), err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, id, &node, err);
	if (st == MEM_OK)
		*json = mem_arena_str(mem_writer_arena(r->run->writer), node.json);
	mem_txn_end(t);
	if (st == MEM_DAMAGED || st == MEM_NOTFOUND)
		return mem_err_record(err, st == MEM_DAMAGED ? "damaged" : "not_found", 0, "the skill cannot be read");
	return st;
}

/* Fields of the node that are the release's: memkit's own of a file, those of the front matter that it has, and what came of using it. */
static bool
is_release_field(struct mem_str key, const struct mem_yaml *front)
{
	if (mem_skill_uses_is_field(key))
		return true;
	for (size_t i = 0; i < skill_own_fields_n; i++)
		if (mem_str_is(key, skill_own_fields[i]))
			return true;
	for (const struct mem_yaml *y = front != NULL ? front->child : NULL; y != NULL; y = y->next)
		if (mem_str_eq(key, y->key))
			return skill_front_is_field(key);
	return false;
}

/* What the skill was, as a node beside it. */
static enum mem_status
queue_old_release(struct mem_skill_ingest *r, uint64_t line, const struct skill_head *was, const struct mem_clean_rec *old,
    const struct mem_yaml *front, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_clean_field *fields = mem_arena_alloc(a, (old->rec->nfields + 2) * sizeof *fields);
	struct mem_str ref = mem_skill_release_ref(a, was->name, was->release);
	struct mem_finding_list found = { 0 };
	size_t n = 0;
	fields[n].name = "ref";
	enum mem_status st = mem_write_clean_text(r->run->writer, &fields[n++].value, "ref", ref, &found, err);
	if (st != MEM_OK)
		return st;
	fields[n++] = (struct mem_clean_field){ "release_of", mem_clean_id(a, &was->id) };
	for (size_t i = 0; i < old->rec->nfields; i++) {
		const struct mem_field *f = &old->rec->fields[i];
		if (!f->key_escaped && is_release_field(f->key, front) && !mem_str_is(f->key, "ref"))
			fields[n++] = (struct mem_clean_field){ mem_arena_dup(a, f->key.p, f->key.n), mem_clean_part(old, f->value) };
	}
	const struct mem_write_input quiet = { .line = line, .ns = r->ns, .quiet = true };
	const struct mem_write_node node = { .kind = MEM_KIND_SKILL, .status = MEM_STATUS_SUPERSEDED, .id_of = ref, .fields = fields, .nfields = n,
		.memory = { .importance = .5, .trust = r->run->trust }, .audit.word = "node_added" };
	mem_write_add(r->run->writer, &quiet, &node);
	return MEM_OK;
}

/* ---- fields ----------------------------------------------------------- */

/* What the skill is from now on: all that the file says, and nothing for what the last one alone said or what came of using that. */
static size_t
gather_new_fields(struct mem_skill_ingest *r, struct mem_clean_field *fields, const struct mem_rec *old, const struct mem_yaml *front)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	const struct mem_rec *rec = r->cleaned.rec;
	size_t n = 0;
	for (size_t i = 0; i < rec->nfields; i++)
		fields[n++] = (struct mem_clean_field){ mem_arena_dup(a, rec->fields[i].key.p, rec->fields[i].key.n),
			mem_clean_part(&r->cleaned, rec->fields[i].value) };
	for (size_t i = 0; i < old->nfields; i++) {
		const char *key = mem_arena_dup(a, old->fields[i].key.p, old->fields[i].key.n);
		if (!old->fields[i].key_escaped && !mem_str_is(old->fields[i].key, "release") && is_release_field(old->fields[i].key, front) &&
		    mem_rec_find(rec, key) == NULL)
			fields[n++] = (struct mem_clean_field){ key, mem_clean_absent() };
	}
	return n;
}

/* Its place alone. */
static size_t
gather_place_fields(struct mem_skill_ingest *r, struct mem_clean_field *fields)
{
	static const char *const names[] = { "path", "relations", "file_sha256" };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		fields[i] = (struct mem_clean_field){ names[i], mem_clean_value(&r->cleaned, names[i]) };
	return MEM_COUNT(names);
}

static enum mem_status
queue_skill_change(struct mem_skill_ingest *r, const struct mem_write_input *in, const struct skill_head *was, struct mem_str release,
    const struct mem_clean_rec *old, const struct mem_yaml *front, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	size_t most = old->rec->nfields + r->cleaned.rec->nfields + 8;
	struct mem_clean_field *fields = mem_arena_alloc(a, most * sizeof *fields);
	struct skill_change *change = mem_arena_alloc(a, sizeof *change);
	size_t n = release.n > 0 ? gather_new_fields(r, fields, old->rec, front) : gather_place_fields(r, fields);
	if (release.n > 0) {
		fields[n++] = (struct mem_clean_field){ "release", mem_clean_word(a, release) };
		fields[n++] = (struct mem_clean_field){ "redactions", mem_clean_redactions(a, &in->found) };
		fields[n++] = (struct mem_clean_field){ "injection_flags", mem_clean_flags(a, &in->found) };
	}
	if (was->status == MEM_STATUS_RETIRED)
		fields[n++] = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("active")) };
	const struct mem_write_edit edit = { .set = fields, .n = n, .op = "changed",
		.audit = { .word = "node_changed", .detail = mem_clean_counts(a, &in->found) } };
	*change = (struct skill_change){ was->id, was->version };
	mem_write_check(r->run->writer, check_skill_version, change);
	return mem_write_change(r->run->writer, in, &was->id, was->version, &edit, err);
}

enum mem_status
skill_change_queue(struct mem_skill_ingest *r, const struct mem_write_input *in, const struct skill_head *was, struct mem_str release,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_rec rec = { 0 };
	struct mem_clean_rec old = { 0 };
	struct mem_md_page page = { 0 };
	const struct mem_yaml *front = NULL;
	struct mem_str json;
	enum mem_status st = copy_skill_node(r, &was->id, &json, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, json, err);
	if (st == MEM_OK) {
		mem_clean_restored(&old, &rec);
		mem_md_split(&page, mem_json_text(a, mem_rec_value(&rec, "front")));
		mem_md_front(&front, a, &page, NULL, NULL);
		if (release.n > 0)
			st = queue_old_release(r, in->line, was, &old, front, err);
	}
	if (st == MEM_OK)
		st = queue_skill_change(r, in, was, release, &old, front, err);
	mem_clean_rec_release(&old);
	mem_rec_release(&rec);
	return st;
}
