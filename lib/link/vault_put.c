/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is told of files: moved, gone, there; and their contents. */
#include "link/vault_files.h"
#include "link/vault_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"
#include "store/page_keys.h"
#include "text/text.h"
#include "write/file_nodes.h"

enum { PATH_BYTES_MAX = 4096 };

/* All fields that come from a file, in the order that page_int.h says. */
static const char *const page_fields[] = {
	"ref", "title", "slug", "aliases", "path", "tags", "sha256", "note_id", "permalink", "headings", "blocks", "not_counted", "links",
	"links_cut", "truncated", "content",
};

/* ---- inputs ---------------------------------------------------------------------- */

/* The next input; its receipt has the path. */
static struct mem_write_input
next_page_input(struct mem_vault_run *r, struct mem_str path, size_t bytes)
{
	struct mem_write_input in = mem_write_run_next(r->run, bytes);
	struct mem_buf more = { 0 };
	mem_buf_puts(&more, ",\"path\":");
	mem_json_put_string(&more, path);
	if (r->faults.len > 0)
		mem_buf_printf(&more, ",\"faults\":[%s]", r->faults.data);
	in.more = mem_arena_str(mem_writer_arena(r->run->writer), mem_buf_span(&more));
	in.ns = r->ns;
	mem_buf_release(&more);
	return in;
}

/* A mem_write_act_fn: the page is as its file is. */
static enum mem_status
leave_page(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	const struct mem_id *id = ctx;
	(void)t, (void)w, (void)err;
	receipt->verdict = MEM_UNCHANGED;
	receipt->id = *id;
	receipt->has_id = true;
	return MEM_OK;
}

static struct mem_id *
keep_id(struct mem_vault_run *r, const struct mem_id *id)
{
	struct mem_id *kept = mem_arena_alloc(mem_writer_arena(r->run->writer), sizeof *kept);
	*kept = *id;
	return kept;
}

/* ---- what is queued --------------------------------------------------------------- */

static void
note_queued(struct mem_vault_run *r, struct mem_str path)
{
	bool made;
	mem_text_map_put(&r->queued, path, 0, &made);
}

/* Is it one of the batch in hand?  Then that is written, so that a look at the store tells of it. */
static enum mem_status
write_queued(struct mem_vault_run *r, struct mem_str path, struct mem_err *err)
{
	if (mem_text_map_find(&r->queued, path) == NULL)
		return MEM_OK;
	mem_text_map_release(&r->queued);
	return mem_write_run_commit(r->run, err);
}

/* ---- which page a file is ---------------------------------------------------------- */

static struct moved_page *
find_move(struct mem_vault_run *r, struct mem_str path)
{
	struct mem_text_entry *e = mem_text_map_find(&r->moves, path);
	return e != NULL && !r->moved[e->value].taken ? &r->moved[e->value] : NULL;
}

static enum mem_status
find_page(struct mem_vault_run *r, struct mem_str path, struct mem_arena *a, struct page_head *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = vault_page_waits(r, path) ? vault_settle_deferred(r, err) : MEM_OK;
	if (st == MEM_OK)
		st = write_queued(r, path, err);
	if (st == MEM_OK)
		st = mem_txn_read(&t, mem_vault_store(r), err);
	if (st == MEM_OK)
		st = page_by_ref(t, r->ns, page_ref_make(a, r->vault, path), a, out, err);
	mem_txn_end(t);
	return st;
}

/* The id of a new page: of its first path; a number is added where a page that moved away has it. */
static enum mem_status
choose_page_id(struct mem_vault_run *r, struct mem_str path, struct mem_str *id_of, struct mem_id *id, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_buf b = { 0 };
	struct mem_txn *t = NULL;
	struct mem_node there;
	enum mem_status st = mem_txn_read(&t, mem_vault_store(r), err);
	for (unsigned n = 1; st == MEM_OK; n++) {
		mem_buf_reset(&b);
		mem_buf_puts(&b, "page");
		mem_buf_putc(&b, '\0');
		mem_buf_str(&b, r->vault);
		mem_buf_putc(&b, '\0');
		mem_buf_str(&b, path);
		if (n > 1)
			mem_buf_printf(&b, "%c%u", '\0', n);
		*id = mem_id_v8(r->ns, mem_buf_span(&b));
		st = mem_node_by_id(t, id, &there, err);
	}
	mem_txn_end(t);
	*id_of = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* ---- what goes ----------------------------------------------------------------------- */

enum mem_status
vault_queue_gone(struct mem_vault_run *r, const struct page_head *was, struct mem_err *err)
{
	mem_buf_reset(&r->faults);
	struct mem_write_input in = next_page_input(r, was->path, 0);
	note_queued(r, was->path);
	vault_page_went(r, &was->id);
	vault_note_change(r, &was->id, was, NULL);
	mem_write_act(r->run->writer, &in, mem_gone_file_retire, keep_id(r, &was->id));
	return mem_write_run_end(r->run, err);
}

/* ---- tags -------------------------------------------------------------------------- */

/* A node for each tag, which is there or queued but once. */
static void
queue_tags(struct mem_vault_run *r, const struct mem_write_input *in)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(r->cleaned.rec, "links")); mem_json_next(&it);) {
		bool made = false;
		struct mem_json target = mem_json_member(it.value, "target");
		struct mem_str name = mem_json_text(a, target);
		if (!mem_json_is(mem_json_member(it.value, "form"), "tag") || name.n == 0)
			continue;
		struct mem_str id_of = mem_write_identity(a, MEM_KIND_TAG, MEM_STR("tag"), name);
		mem_text_map_put(&r->tags, id_of, 0, &made);
		if (!made)
			continue;
		mem_tag_queue(r->run->writer, in, id_of, mem_clean_part(&r->cleaned, target));
	}
}

/* ---- pages ------------------------------------------------------------------------- */

/* The names of the record in hand. */
static void
read_record_head(struct mem_vault_run *r, struct mem_arena *a, struct page_head *out)
{
	*out = (struct page_head){ .live = true };
	page_names_read(out, a, mem_rec_json(r->cleaned.rec));
}

static size_t
gather_page_fields(struct mem_vault_run *r, struct mem_clean_field *fields, bool absent_too)
{
	size_t n = 0;
	for (size_t i = 0; i < MEM_COUNT(page_fields); i++) {
		struct mem_clean_text v = mem_clean_value(&r->cleaned, page_fields[i]);
		if (absent_too || mem_clean_there(v))
			fields[n++] = (struct mem_clean_field){ page_fields[i], v };
	}
	return n;
}

static enum mem_status
queue_new_page(struct mem_vault_run *r, const struct mem_write_input *in, struct mem_str path, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_clean_field fields[MEM_COUNT(page_fields)];
	struct mem_write_node node = { .kind = MEM_KIND_PAGE, .fields = fields, .audit.word = "node_added" };
	struct page_head is;
	struct mem_id id;
	enum mem_status st = choose_page_id(r, path, &node.id_of, &id, err);
	if (st != MEM_OK)
		return st;
	node.nfields = gather_page_fields(r, fields, false);
	mem_write_add(r->run->writer, in, &node);
	read_record_head(r, a, &is);
	note_queued(r, path);
	vault_note_change(r, &id, NULL, &is);
	return MEM_OK;
}

static enum mem_status
queue_page_change(struct mem_vault_run *r, const struct mem_write_input *in, const struct page_head *was, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->run->writer);
	struct mem_clean_field *fields = mem_arena_alloc(a, (MEM_COUNT(page_fields) + 3) * sizeof *fields);
	size_t n = gather_page_fields(r, fields, true);
	struct page_head is;
	fields[n++] = (struct mem_clean_field){ "redactions", mem_clean_redactions(a, &in->found) };
	fields[n++] = (struct mem_clean_field){ "injection_flags", mem_clean_flags(a, &in->found) };
	if (was->retired)
		fields[n++] = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("active")) };
	const struct mem_write_edit edit = { .set = fields, .n = n, .op = "changed",
		.audit = { .word = "node_changed", .detail = mem_clean_counts(a, &in->found) } };
	read_record_head(r, a, &is);
	note_queued(r, was->path);
	note_queued(r, is.path);
	vault_note_change(r, &was->id, was, &is);
	return mem_write_change(r->run->writer, in, &was->id, 0, &edit, err);
}

/* The record of a file, cleaned.  MEM_REFUSED: the input is, with err's reason. */
static enum mem_status
make_page_record(struct mem_vault_run *r, const struct page_source *source, struct mem_finding_list *found, struct mem_err *err)
{
	mem_buf_reset(&r->record);
	mem_buf_reset(&r->faults);
	enum mem_status st = page_record_put(&r->record, &r->faults, source, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&r->rec, mem_arena_str(mem_writer_arena(r->run->writer), mem_buf_span(&r->record)), err);
	if (st == MEM_OK)
		st = mem_write_clean(r->run->writer, &r->cleaned, &r->rec, found, err);
	if (st != MEM_OK)
		return st;
	/* A page is found by its path again, so that it must be the file's. */
	bool same = mem_str_eq(mem_rec_value(&r->rec, "path").raw, mem_rec_value(r->cleaned.rec, "path").raw) &&
	    mem_str_eq(mem_rec_value(&r->rec, "ref").raw, mem_rec_value(r->cleaned.rec, "ref").raw);
	return same ? MEM_OK : mem_err_record(err, "residue", 0, "the sanitiser would change the path");
}

static bool
is_vault_path(struct mem_str path)
{
	return path.n <= PATH_BYTES_MAX && mem_page_path_valid(path) && mem_utf8_valid(path.p, path.n) == path.n;
}

static enum mem_status
refuse_page(struct mem_vault_run *r, struct mem_str path, size_t bytes, const char *reason, size_t offset, struct mem_err *err)
{
	struct mem_write_input in = next_page_input(r, path, bytes);
	mem_write_refuse(r->run->writer, &in, reason, offset);
	return mem_write_run_end(r->run, err);
}

/* The page that the file was until now: moved to this path, or at it.  MEM_NOTFOUND: none. */
static enum mem_status
find_page_before(struct mem_vault_run *r, const struct page_source *source, struct page_head *was, bool *moved, struct mem_err *err)
{
	struct moved_page *move = find_move(r, source->path);
	enum mem_status st = find_page(r, source->path, &r->file, was, err);
	*moved = move != NULL;
	if (move == NULL)
		return st;
	/* It takes the place of what was there, unless that moved on. */
	if (st == MEM_OK && was->live && mem_id_cmp(&was->id, &move->head.id) != 0 && mem_text_map_find(&r->left, was->path) == NULL)
		st = vault_queue_gone(r, was, err);
	*was = move->head;
	move->taken = true;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* What moved here is gone from where it was, and has no page at its new path. */
static enum mem_status
refuse_changed_page(struct mem_vault_run *r, const struct page_source *source, const struct page_head *was, const struct mem_err *why,
    struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (was != NULL && was->live && !mem_str_eq(was->path, source->path))
		st = vault_queue_gone(r, was, err);
	if (st == MEM_OK)
		st = refuse_page(r, source->path, source->bytes.n, why->reason != NULL ? why->reason : "bad_value", why->offset, err);
	return st;
}

enum mem_status
vault_queue_page(struct mem_vault_run *r, const struct page_source *source, const struct page_head *was, bool settled, struct mem_err *err)
{
	struct mem_finding_list found = { 0 };
	struct mem_err why = { 0 };
	bool waits = false;
	enum mem_status st = make_page_record(r, source, &found, &why);
	if (st == MEM_OK && !settled)
		st = vault_page_defer(r, source, mem_json_text(&r->file, mem_rec_value(r->cleaned.rec, "note_id")), was, &waits, &why);
	if (waits)
		return MEM_OK;
	if (st == MEM_REFUSED)
		return refuse_changed_page(r, source, was, &why, err);
	if (st != MEM_OK) {
		*err = why;
		return st;
	}
	struct mem_write_input in = next_page_input(r, source->path, source->bytes.n);
	in.found = found;
	queue_tags(r, &in);
	st = was != NULL ? queue_page_change(r, &in, was, err) : queue_new_page(r, &in, source->path, err);
	return st == MEM_OK ? mem_write_run_end(r->run, err) : st;
}

enum mem_status
mem_vault_put(struct mem_vault_run *r, struct mem_str path, struct mem_str bytes, struct mem_err *err)
{
	struct page_source source = { .vault = r->vault, .path = path, .bytes = bytes };
	struct page_head was;
	bool moved;
	mem_buf_reset(&r->faults);
	mem_arena_reset(&r->file);
	if (!is_vault_path(path))
		return refuse_page(r, path, bytes.n, "bad_value", 0, err);
	mem_digest_text(bytes, source.sha256);
	enum mem_status st = find_page_before(r, &source, &was, &moved, err);
	if (st != MEM_OK && st != MEM_NOTFOUND)
		return st;
	bool there = st == MEM_OK;
	if (!there || moved || !was.live || !mem_str_is(was.sha256, source.sha256))
		return vault_queue_page(r, &source, there ? &was : NULL, false, err);
	struct mem_write_input in = next_page_input(r, path, bytes.n);
	mem_write_act(r->run->writer, &in, leave_page, keep_id(r, &was.id));
	return mem_write_run_end(r->run, err);
}

enum mem_status
mem_vault_unread(struct mem_vault_run *r, struct mem_str path, const char *reason, struct mem_err *err)
{
	mem_buf_reset(&r->faults);
	return refuse_page(r, path, 0, reason, 0, err);
}

/* ---- what went and what moved -------------------------------------------------------- */

enum mem_status
mem_vault_gone(struct mem_vault_run *r, struct mem_str path, struct mem_err *err)
{
	struct page_head was;
	mem_arena_reset(&r->file);
	enum mem_status st = find_page(r, path, &r->file, &was, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	return was.live ? vault_queue_gone(r, &was, err) : MEM_OK;
}

enum mem_status
mem_vault_move(struct mem_vault_run *r, struct mem_str from, struct mem_str to, struct mem_err *err)
{
	struct page_head was;
	bool made;
	if (!is_vault_path(to)) /* which is refused when it is put */
		return mem_vault_gone(r, from, err);
	enum mem_status st = find_page(r, from, &r->arena, &was, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	struct mem_text_entry *e = mem_text_map_put(&r->moves, to, r->nmoved, &made);
	e->value = r->nmoved;
	mem_text_map_put(&r->left, was.path, 0, &made);
	r->moved = mem_grow(r->moved, &r->moved_cap, r->nmoved + 1, sizeof *r->moved);
	r->moved[r->nmoved++] = (struct moved_page){ was, false };
	return MEM_OK;
}
