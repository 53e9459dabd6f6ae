/* SPDX-License-Identifier: Apache-2.0 */
/* A changed file: its text becomes the active release, and what was active before a release beside it. */
#include "skill/ingest_int.h"

#include <string.h>

#include "skill/release.h"
#include "skill/version.h"

/* ---- numbers ---------------------------------------------------------- */

/* Has no release of the skill the number?  One that came by import has another id than it would get here. */
static enum mem_status
is_release_free(struct mem_skill_ingest *r, struct mem_txn *t, const struct skill_head *was, struct mem_str release, bool *out, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	const struct mem_id id = mem_id_v8(r->ns, mem_skill_release_ref(a, was->name, release));
	const struct mem_skill skill = { .id = was->id, .ns = r->ns, .name = was->name };
	struct mem_node node;
	struct mem_skill there;
	*out = false;
	if (mem_str_eq(release, was->release))
		return MEM_OK;
	enum mem_status st = mem_node_by_id(t, &id, &node, err);
	if (st == MEM_NOTFOUND)
		st = mem_skill_release_find(&there, t, &skill, release, a, err);
	*out = st == MEM_NOTFOUND;
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* A draft that has the text of the file in hand. */
static enum mem_status
find_same_draft(struct mem_skill_ingest *r, struct mem_txn *t, const struct skill_head *was, struct skill_release *out, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_skill_releases l = { 0 };
	char id[MEM_ID_LEN + 1];
	mem_id_format(&was->id, id);
	enum mem_status st = mem_skill_releases_read(&l, t, mem_str(id), a, err);
	for (size_t i = 0; i < l.n && st == MEM_OK && !out->there; i++)
		if (l.v[i].status == MEM_STATUS_DRAFT && mem_str_is(l.v[i].sha256, r->hand->sha256))
			*out = (struct skill_release){ mem_arena_str(a, l.v[i].release), true, l.v[i].id };
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* The version that the file gives, where that is new; else the first one behind it, or behind the active release, that is free. */
static enum mem_status
choose_number(struct mem_skill_ingest *r, struct mem_txn *t, const struct skill_head *was, struct mem_str *out, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_str said = r->hand->release;
	bool unused = false;
	enum mem_status st;
	*out = said.n > 0 ? mem_arena_str(a, said) : mem_release_next(a, was->release, r->o.change);
	while ((st = is_release_free(r, t, was, *out, &unused, err)) == MEM_OK && !unused)
		*out = mem_release_next(a, *out, r->o.change);
	return st;
}

/* A file that moved is what it was read as, also where another release is active by now. */
enum mem_status
skill_release_choose(struct mem_skill_ingest *r, const struct skill_head *was, struct skill_release *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	bool moved = r->o.skill == NULL && mem_str_is(was->file_sha256, r->hand->sha256);
	*out = (struct skill_release){ was->release, moved || mem_str_is(was->sha256, r->hand->sha256), was->id };
	if (out->there)
		return MEM_OK;
	enum mem_status st = mem_txn_read(&t, mem_skill_ingest_store(r), err);
	if (st == MEM_OK && r->o.change == MEM_RELEASE_EXPERIMENTAL)
		st = find_same_draft(r, t, was, out, err);
	if (st == MEM_OK && !out->there)
		st = choose_number(r, t, was, &out->number, err);
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

/* The fields of the file in hand: those of a release, and where its place is told too all. */
static size_t
gather_file_fields(struct mem_skill_ingest *r, struct mem_clean_field *fields, bool place)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	const struct mem_rec *rec = r->hand->cleaned.rec;
	size_t n = 0;
	for (size_t i = 0; i < rec->nfields; i++)
		if (place || mem_skill_is_release_field(rec->fields[i].key))
			fields[n++] = (struct mem_clean_field){ mem_arena_dup(a, rec->fields[i].key.p, rec->fields[i].key.n),
				mem_clean_part(&r->hand->cleaned, rec->fields[i].value) };
	return n;
}

/* Is the file the one that the skill is read from? */
static bool
is_skill_place(const struct mem_skill_ingest *r, const struct skill_head *was)
{
	return r->o.skill == NULL || mem_str_eq(was->path, r->hand->file->path);
}

/* What the skill is from now on: all that the file says, and nothing for what the last one alone said or what came of using that. */
static size_t
gather_new_fields(struct mem_skill_ingest *r, struct mem_clean_field *fields, const struct mem_rec *old, struct mem_str release, bool place)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	size_t n = gather_file_fields(r, fields, place);
	fields[n++] = (struct mem_clean_field){ "release", skill_release_clean(r, release) };
	fields[n++] = (struct mem_clean_field){ "redactions", mem_clean_redactions(a, &r->hand->found) };
	fields[n++] = (struct mem_clean_field){ "injection_flags", mem_clean_flags(a, &r->hand->found) };
	const size_t set = n;
	for (size_t i = 0; i < old->nfields; i++) {
		const char *key = mem_arena_dup(a, old->fields[i].key.p, old->fields[i].key.n);
		if (!old->fields[i].key_escaped && mem_skill_is_release_field(old->fields[i].key) && !is_set(fields, set, key))
			fields[n++] = (struct mem_clean_field){ key, mem_clean_absent() };
	}
	fields[n++] = (struct mem_clean_field){ "ab", mem_clean_absent() }; /* the comparison was with the release that was active */
	return n;
}

/* Its place alone; `text`: the file has the text that the skill's relations are of. */
static size_t
gather_place_fields(struct mem_skill_ingest *r, struct mem_clean_field *fields, bool text)
{
	static const char *const names[] = { "path", "file_sha256", "relations" };
	size_t n = MEM_COUNT(names) - !text;
	for (size_t i = 0; i < n; i++)
		fields[i] = (struct mem_clean_field){ names[i], mem_clean_value(&r->hand->cleaned, names[i]) };
	return n;
}

/* ---- queueing --------------------------------------------------------- */

/* What the skill itself becomes.  A file that is there again makes a retired skill active. */
static enum mem_status
queue_skill_fields(struct mem_skill_ingest *r, const struct mem_write_input *in, const struct skill_head *was, struct mem_clean_field *fields, size_t n,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	if (was->status == MEM_STATUS_RETIRED && is_skill_place(r, was))
		fields[n++] = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("active")) };
	const struct mem_write_edit edit = { .set = fields, .n = n, .op = "changed",
		.audit = { .word = "node_changed", .detail = mem_clean_counts(a, &in->found) } };
	return n > 0 ? mem_write_change(r->run->writer, in, &was->id, was->version, &edit, err) : MEM_OK;
}

/* The file as a release of its own. */
static enum mem_status
queue_draft_release(struct mem_skill_ingest *r, const struct mem_write_input *in, const struct mem_skill *skill, struct mem_str release,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_clean_field *fields = mem_arena_alloc(a, (r->hand->cleaned.rec->nfields + SKILL_RELEASE_NAMES + 1) * sizeof *fields);
	struct mem_str ref = mem_skill_release_ref(a, skill->name, release);
	struct mem_write_node node = { .kind = MEM_KIND_SKILL, .status = MEM_STATUS_DRAFT, .id_of = ref, .fields = fields,
		.nfields = SKILL_RELEASE_NAMES, .memory = { .importance = .5, .trust = r->run->trust }, .audit.word = "node_added" };
	enum mem_status st = skill_release_names(r->run, skill, ref, fields, err);
	if (st != MEM_OK)
		return st;
	node.nfields += gather_file_fields(r, fields + node.nfields, false);
	fields[node.nfields++] = (struct mem_clean_field){ "release", skill_release_clean(r, release) };
	mem_write_add(r->run->writer, in, &node);
	return MEM_OK;
}

/* The place of a file whose text the skill itself does not get; `there`: some release has it. */
static enum mem_status
queue_skill_place(struct mem_skill_ingest *r, const struct mem_write_input *in, const struct skill_head *was, bool there, struct mem_err *err)
{
	struct mem_write_input to = { .line = in->line, .ns = in->ns, .quiet = true };
	struct mem_clean_field *fields = mem_arena_alloc(mem_writer_arena(r->run->writer), 4 * sizeof *fields);
	size_t n = is_skill_place(r, was) ? gather_place_fields(r, fields, mem_str_is(was->sha256, r->hand->sha256)) : 0;
	return queue_skill_fields(r, there ? in : &to, was, fields, n, err);
}

static enum mem_status
queue_active_text(struct mem_skill_ingest *r, const struct mem_write_input *in, const struct skill_head *was, struct mem_str release,
    const struct mem_skill *skill, struct mem_err *err)
{
	struct mem_rec old = { 0 };
	enum mem_status st = mem_rec_scan(&old, skill->node.raw, err);
	if (st == MEM_OK)
		st = skill_release_keep(r->run, in, skill, false, err);
	if (st == MEM_OK) {
		size_t most = old.nfields + r->hand->cleaned.rec->nfields + 8;
		struct mem_clean_field *fields = mem_arena_alloc(mem_writer_arena(r->run->writer), most * sizeof *fields);
		st = queue_skill_fields(r, in, was, fields, gather_new_fields(r, fields, &old, release, is_skill_place(r, was)), err);
	}
	mem_rec_release(&old);
	return st;
}

enum mem_status
skill_change_queue(struct mem_skill_ingest *r, const struct mem_write_input *in, const struct skill_head *was, const struct skill_release *release,
    struct mem_err *err)
{
	struct skill_change *change = mem_arena_alloc(mem_writer_arena(r->run->writer), sizeof *change);
	struct mem_skill skill;
	bool draft = r->o.change == MEM_RELEASE_EXPERIMENTAL;
	enum mem_status st = read_changed_skill(r, &was->id, &skill, err);
	if (st != MEM_OK)
		return st;
	*change = (struct skill_change){ was->id, was->version };
	mem_write_check(r->run->writer, check_skill_version, change);
	if (!release->there && !draft)
		return queue_active_text(r, in, was, release->number, &skill, err);
	st = release->there ? MEM_OK : queue_draft_release(r, in, &skill, release->number, err);
	return st == MEM_OK ? queue_skill_place(r, in, was, release->there, err) : st;
}
