/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of each file: a new skill, another release, or a refusal; and of skills whose files are gone. */
#include "skill/ingest_int.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "skill/release.h"
#include "write/file_nodes.h"

/* ---- inputs ----------------------------------------------------------- */

/* The next input; its receipt has the path, and what else is known of the skill. */
static struct mem_write_input
next_skill_input(struct mem_skill_ingest *r, struct mem_str path, size_t bytes, struct mem_str name, struct mem_str release)
{
	struct mem_write_input in = mem_write_run_next(r->run, bytes);
	struct mem_buf more = { 0 };
	mem_buf_puts(&more, ",\"path\":");
	mem_json_put_string(&more, path);
	if (name.n > 0)
		mem_json_put_field(&more, "name", name);
	if (release.n > 0)
		mem_json_put_field(&more, "release", release);
	in.more = mem_arena_str(mem_writer_arena(r->run->writer), mem_buf_span(&more));
	in.ns = r->ns;
	mem_buf_release(&more);
	return in;
}

static void
add_receipt_member(struct mem_skill_ingest *r, struct mem_write_input *in, const char *name, struct mem_str text)
{
	struct mem_buf more = { 0 };
	mem_buf_str(&more, in->more);
	mem_buf_printf(&more, ",\"%s\":", name);
	mem_buf_str(&more, text);
	in->more = mem_arena_str(mem_writer_arena(r->run->writer), mem_buf_span(&more));
	mem_buf_release(&more);
}

/* Kinds of edges by which the front matter names the skill itself, each once. */
static void
put_own_relations(struct mem_buf *out, struct mem_skill_ingest *r, const struct skill_head *is)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_text_map kinds = { 0 };
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(r->hand->cleaned.rec, "relations")); mem_json_next(&it);) {
		struct mem_str kind = mem_json_text(a, mem_json_member(it.value, "edge")), name = mem_json_text(a, mem_json_member(it.value, "name"));
		bool made = false;
		if (mem_str_is(kind, "references") || name.n == 0 || !mem_str_eq(mem_skill_ref(a, name), is->ref))
			continue;
		mem_text_map_put(&kinds, kind, 0, &made);
		if (made)
			mem_buf_putc(out, out->len > 0 ? ',' : '['), mem_json_put_string(out, kind);
	}
	if (out->len > 0)
		mem_buf_putc(out, ']');
	mem_text_map_release(&kinds);
}

/*
 * The input of the file in hand, as a release; its receipt says where a name is from that the front matter does not give, and what names
 * the skill itself.
 */
static struct mem_write_input
next_release_input(struct mem_skill_ingest *r, const struct skill_head *is, struct mem_str release)
{
	struct mem_write_input in = next_skill_input(r, is->path, r->hand->bytes, is->name, release);
	struct mem_buf itself = { 0 };
	if (r->hand->named_by_place)
		add_receipt_member(r, &in, "named_by", MEM_STR("\"path\""));
	put_own_relations(&itself, r, is);
	if (itself.len > 0)
		add_receipt_member(r, &in, "itself", mem_buf_span(&itself));
	mem_buf_release(&itself);
	return in;
}

/* Its skill, if there is one, stays as it is. */
static enum mem_status
refuse_skill_file(struct mem_skill_ingest *r, const struct mem_skill_file *file, const struct mem_err *why, struct mem_err *err)
{
	struct mem_write_input in = next_skill_input(r, file->path, 0, MEM_STR(""), MEM_STR(""));
	bool made;
	mem_text_map_put(&r->listed, file->path, 1, &made)->value = 1;
	if (r->hand->faults.n > 0) {
		struct mem_buf list = { 0 };
		mem_buf_printf(&list, "[%s]", r->hand->faults.p);
		add_receipt_member(r, &in, "faults", mem_buf_span(&list));
		mem_buf_release(&list);
	}
	mem_write_refuse(r->run->writer, &in, why->reason != NULL ? why->reason : "bad_value", why->offset);
	return mem_write_run_end(r->run, err);
}

struct kept_skill {
	struct mem_id id;
	enum mem_verdict verdict;
};

/* A mem_write_act_fn: nothing is done. */
static enum mem_status
keep_skill(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	const struct kept_skill *k = ctx;
	(void)t, (void)w, (void)err;
	receipt->verdict = k->verdict;
	receipt->id = k->id;
	receipt->has_id = true;
	return MEM_OK;
}

static enum mem_status
queue_kept(struct mem_skill_ingest *r, struct mem_write_input *in, const struct mem_id *id, enum mem_verdict verdict, struct mem_err *err)
{
	struct kept_skill *k = mem_arena_alloc(mem_writer_arena(r->run->writer), sizeof *k);
	*k = (struct kept_skill){ *id, verdict };
	mem_write_act(r->run->writer, in, keep_skill, k);
	return mem_write_run_end(r->run, err);
}

/* ---- new skills ------------------------------------------------------- */

/* A node for each tag, which is there or queued but once. */
static void
queue_skill_tags(struct mem_skill_ingest *r, const struct mem_write_input *in)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(r->hand->cleaned.rec, "tags")); mem_json_next(&it);) {
		bool made = false;
		struct mem_str name = mem_json_text(a, it.value);
		struct mem_str id_of = mem_write_identity(a, MEM_KIND_TAG, MEM_STR("tag"), name);
		mem_text_map_put(&r->tags, id_of, 0, &made);
		if (!made || name.n == 0)
			continue;
		mem_tag_queue(r->run->writer, in, id_of, mem_clean_part(&r->hand->cleaned, it.value));
	}
}

static bool
has_relations(const struct mem_clean_rec *rec)
{
	return !mem_str_is(mem_rec_value(rec->rec, "relations").raw, "[]") || !mem_str_is(mem_rec_value(rec->rec, "tags").raw, "[]");
}

/* The fields of the record, and the release behind the tags. */
static size_t
gather_first_fields(struct mem_skill_ingest *r, struct mem_clean_field *fields, struct mem_str release)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	const struct mem_rec *rec = r->hand->cleaned.rec;
	size_t n = 0;
	for (size_t i = 0; i < rec->nfields; i++) {
		const struct mem_field *f = &rec->fields[i];
		fields[n++] = (struct mem_clean_field){ mem_arena_dup(a, f->key.p, f->key.n), mem_clean_part(&r->hand->cleaned, f->value) };
		if (mem_str_is(f->key, "tags"))
			fields[n++] = (struct mem_clean_field){ "release", skill_release_clean(r, release) };
	}
	return n;
}

static void
queue_new_skill(struct mem_skill_ingest *r, const struct mem_write_input *in, struct skill_head *is)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_clean_field *fields = mem_arena_alloc(a, (r->hand->cleaned.rec->nfields + 1) * sizeof *fields);
	struct mem_write_node node = { .kind = MEM_KIND_SKILL, .id_of = mem_skill_identity(a, is->name), .fields = fields,
		.memory = { .importance = .5, .trust = r->run->trust, .confidence = mem_clean_num(a, .5) }, .audit.word = "node_added" };
	node.nfields = gather_first_fields(r, fields, is->release);
	is->id = mem_id_v8(r->ns, node.id_of);
	is->seen = true;
	mem_write_add(r->run->writer, in, &node);
	size_t number = skill_head_add(r, is);
	if (has_relations(&r->hand->cleaned))
		skill_head_touch(r, number);
	skill_wants_touch(r, is->ref);
	skill_wants_touch(r, is->path);
}

/* ---- changed skills --------------------------------------------------- */

/* The skill's own file is no longer where it was. */
static bool
is_file_gone(struct mem_skill_ingest *r, const struct skill_head *h)
{
	struct stat about;
	return h->path.n > 0 && mem_text_map_find(&r->listed, h->path) == NULL && lstat(h->path.p, &about) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static enum mem_status
change_skill(struct mem_skill_ingest *r, size_t number, const struct skill_head *is, struct mem_err *err)
{
	struct skill_head was = r->heads[number];
	struct skill_release release;
	enum mem_status st = skill_release_choose(r, &was, &release, err);
	if (st != MEM_OK)
		return st;
	struct mem_write_input in = next_release_input(r, is, release.number);
	if (release.there && r->o.skill != NULL)
		return queue_kept(r, &in, &release.id, MEM_UNCHANGED, err);
	in.found = r->hand->found;
	if (was.forgotten)
		add_receipt_member(r, &in, "forgotten", MEM_STR("true"));
	if (!release.there && r->o.change == MEM_RELEASE_EXPERIMENTAL)
		add_receipt_member(r, &in, "release_of", mem_clean_id(mem_writer_arena(r->run->writer), &was.id).value.raw);
	queue_skill_tags(r, &in);
	st = skill_change_queue(r, &in, &was, &release, err);
	if (st != MEM_OK)
		return st;
	struct skill_head *h = &r->heads[number];
	h->seen = true;
	h->version++;
	h->status = was.status == MEM_STATUS_RETIRED ? MEM_STATUS_ACTIVE : was.status;
	skill_head_touch(r, number);
	if (!mem_str_eq(was.path, is->path)) /* which is its path by now */
		skill_wants_touch(r, is->path);
	return mem_write_run_end(r->run, err);
}

/* The file is a release of the run's one skill. */
static enum mem_status
change_skill_of_run(struct mem_skill_ingest *r, const struct skill_head *is, struct mem_err *err)
{
	const struct skill_head *there = skill_head_find(r, &r->by_ref, r->into.ref);
	if (!mem_str_eq(is->ref, r->into.ref))
		return mem_err_record(err, "bad_value", 0, "the file is another skill's: %.*s", (int)is->name.n, is->name.p);
	if (there == NULL || mem_id_cmp(&there->id, &r->into.id) != 0)
		return mem_err_record(err, "not_found", 0, "another skill has the name");
	return change_skill(r, (size_t)(there - r->heads), is, err);
}

/* Another folder's skill has the name. */
static enum mem_status
refuse_second_skill(struct mem_skill_ingest *r, const struct skill_head *there, const struct skill_head *is, struct mem_err *err)
{
	struct mem_write_input in = next_skill_input(r, is->path, 0, is->name, MEM_STR(""));
	struct mem_buf other = { 0 };
	bool made;
	mem_json_put_string(&other, there->path);
	add_receipt_member(r, &in, "other", mem_buf_span(&other));
	mem_buf_release(&other);
	if (mem_str_eq(there->file_sha256, is->file_sha256))
		return queue_kept(r, &in, &there->id, MEM_DUPLICATE, err);
	mem_text_map_put(&r->listed, is->path, 1, &made)->value = 1;
	mem_write_refuse(r->run->writer, &in, "conflict", 0);
	return mem_write_run_end(r->run, err);
}

/* ---- one file --------------------------------------------------------- */

static enum mem_status
put_skill_record(struct mem_skill_ingest *r, struct mem_err *err)
{
	const struct skill_reading *f = r->hand;
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct skill_head is = { .status = MEM_STATUS_ACTIVE, .name = f->name, .ref = mem_skill_ref(a, f->name), .path = f->file->path,
		.sha256 = mem_str(f->sha256), .file_sha256 = mem_str(f->sha256),
		.release = f->release.n > 0 ? f->release : MEM_STR(MEM_RELEASE_FIRST) };
	struct skill_head *there = skill_head_find(r, &r->by_ref, is.ref);
	if (r->o.skill != NULL)
		return change_skill_of_run(r, &is, err);
	if (there == NULL) {
		struct mem_write_input in = next_release_input(r, &is, is.release);
		in.found = f->found;
		queue_skill_tags(r, &in);
		queue_new_skill(r, &in, &is);
		return mem_write_run_end(r->run, err);
	}
	/* One that came from no file, of a proposal, is that of the first file of its name. */
	bool own = there->path.n == 0 || mem_str_eq(there->path, is.path) || there->status == MEM_STATUS_RETIRED || is_file_gone(r, there);
	if (there->seen || !own)
		return refuse_second_skill(r, there, &is, err);
	return change_skill(r, (size_t)(there - r->heads), &is, err);
}

/* Is the file what the skill that has its path was read from? */
static bool
is_skill_unchanged(const struct skill_head *h, const struct skill_reading *f)
{
	return f->read && h != NULL && h->status != MEM_STATUS_RETIRED && mem_str_is(h->file_sha256, f->sha256);
}

enum mem_status
mem_skill_ingest_put(struct mem_skill_ingest *r, const struct mem_skill_file *file, struct mem_err *err)
{
	struct skill_reading *f = r->hand = skill_reading_next(r->reader, file, err);
	if (f == NULL)
		return err->status;
	struct skill_head *h = skill_head_of_file(r, file->path);
	if (is_skill_unchanged(h, f)) {
		struct mem_write_input in = next_skill_input(r, file->path, f->bytes, h->name, h->release);
		if (h->forgotten)
			add_receipt_member(r, &in, "forgotten", MEM_STR("true"));
		h->seen = true;
		return queue_kept(r, &in, &h->id, MEM_UNCHANGED, err);
	}
	if (f->unchanged)
		skill_reading_again(r->reader, f);
	enum mem_status st = f->state;
	struct mem_err why = f->why;
	/* What tells its releases apart must be the file's, as its name must. */
	if (st == MEM_OK && f->release.n > 0 && !mem_clean_there(skill_release_clean(r, f->release)))
		st = mem_err_record(&why, "residue", 0, "the sanitiser would change the version");
	if (st == MEM_OK)
		st = put_skill_record(r, &why);
	if (st == MEM_END || (!f->read && file->loose))
		return MEM_OK;
	if (st == MEM_REFUSED)
		return refuse_skill_file(r, file, &why, err);
	if (st != MEM_OK)
		*err = why;
	return st;
}

/* ---- what is gone ----------------------------------------------------- */

/* Its folder was read, and the file was neither there nor refused.  One that is not active stays what it is: a file that comes back must
 * make active again what was active. */
static bool
is_skill_gone(struct mem_skill_ingest *r, const struct skill_head *h)
{
	if (h->seen || h->path.n == 0 || h->status != MEM_STATUS_ACTIVE || h->version == 0)
		return false;
	struct mem_text_entry *listed = mem_text_map_find(&r->listed, h->path);
	bool below = false;
	for (size_t i = 0; i < r->files->nroots && !below; i++)
		below = mem_skill_path_below(h->path, r->files->roots[i]);
	for (size_t i = 0; i < r->files->n && below; i++)
		below = !(r->files->v[i].folder && mem_skill_path_below(h->path, r->files->v[i].path));
	return below && (listed == NULL || listed->value == 0);
}

enum mem_status
mem_skill_ingest_retire(struct mem_skill_ingest *r, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < r->nheads && st == MEM_OK; i++) {
		const struct skill_head *h = &r->heads[i];
		if (!is_skill_gone(r, h))
			continue;
		struct mem_write_input in = next_skill_input(r, h->path, 0, h->name, h->release);
		mem_write_act(r->run->writer, &in, mem_gone_file_retire, (void *)(uintptr_t)&h->id);
		st = mem_write_run_end(r->run, err);
	}
	return st;
}
