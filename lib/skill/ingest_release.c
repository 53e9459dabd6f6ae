/* SPDX-License-Identifier: Apache-2.0 */
/* A changed file: its text becomes the active release, and what was active before a release beside it. */
#include "skill/ingest_int.h"

#include <string.h>

#include "skill/release.h"
#include "skill/version.h"

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

/* The skill as it stands, whose text is in the batch's arena. */
static enum mem_status
read_changed_skill(struct mem_skill_ingest *r, const struct mem_id *id, struct mem_skill *out, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, mem_skill_ingest_store(r), err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, id, &node, err);
	if (st == MEM_OK) {
		node.json = mem_arena_str(a, node.json);
		st = mem_skill_read(out, t, &node, a);
	}
	mem_txn_end(t);
	if (st == MEM_DAMAGED || st == MEM_NOTFOUND)
		return mem_err_record(err, st == MEM_DAMAGED ? "damaged" : "not_found", 0, "the skill cannot be read");
	return st;
}

/* ---- fields ----------------------------------------------------------- */

struct mem_clean_text
skill_release_clean(struct mem_skill_ingest *r, struct mem_str release)
{
	struct mem_finding_list found = { 0 };
	struct mem_clean_text text;
	enum mem_status st = mem_write_clean_text(r->run->writer, &text, "release", release, &found, NULL);
	bool same = st == MEM_OK && mem_str_eq(mem_json_text(mem_writer_arena(r->run->writer), text.value), release);
	return same ? text : mem_clean_absent();
}

static bool
is_set(const struct mem_clean_field *fields, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(fields[i].name, name) == 0)
			return true;
	return false;
}

/* What the skill is from now on: all that the file says, and nothing for what the last one alone said or what came of using that. */
static size_t
gather_new_fields(struct mem_skill_ingest *r, struct mem_clean_field *fields, const struct mem_rec *old, const struct mem_finding_list *found,
    struct mem_str release)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	const struct mem_rec *rec = r->hand->cleaned.rec;
	size_t n = 0;
	for (size_t i = 0; i < rec->nfields; i++)
		fields[n++] = (struct mem_clean_field){ mem_arena_dup(a, rec->fields[i].key.p, rec->fields[i].key.n),
			mem_clean_part(&r->hand->cleaned, rec->fields[i].value) };
	fields[n++] = (struct mem_clean_field){ "release", skill_release_clean(r, release) };
	fields[n++] = (struct mem_clean_field){ "redactions", mem_clean_redactions(a, found) };
	fields[n++] = (struct mem_clean_field){ "injection_flags", mem_clean_flags(a, found) };
	const size_t set = n;
	for (size_t i = 0; i < old->nfields; i++) {
		const char *key = mem_arena_dup(a, old->fields[i].key.p, old->fields[i].key.n);
		if (!old->fields[i].key_escaped && mem_skill_is_release_field(old->fields[i].key) && !is_set(fields, set, key))
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
		fields[i] = (struct mem_clean_field){ names[i], mem_clean_value(&r->hand->cleaned, names[i]) };
	return MEM_COUNT(names);
}

static enum mem_status
queue_skill_change(struct mem_skill_ingest *r, const struct mem_write_input *in, const struct skill_head *was, struct mem_str release,
    const struct mem_rec *old, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	size_t most = old->nfields + r->hand->cleaned.rec->nfields + 8;
	struct mem_clean_field *fields = mem_arena_alloc(a, most * sizeof *fields);
	struct skill_change *change = mem_arena_alloc(a, sizeof *change);
	size_t n = release.n > 0 ? gather_new_fields(r, fields, old, &in->found, release) : gather_place_fields(r, fields);
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
	struct mem_rec old = { 0 };
	struct mem_skill skill;
	enum mem_status st = read_changed_skill(r, &was->id, &skill, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&old, skill.node.raw, err);
	if (st == MEM_OK && release.n > 0)
		st = skill_release_keep(r->run, in, &skill, err);
	if (st == MEM_OK)
		st = queue_skill_change(r, in, was, release, &old, err);
	mem_rec_release(&old);
	return st;
}
