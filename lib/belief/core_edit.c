/* SPDX-License-Identifier: Apache-2.0 */
/* Core blocks: adding, editing and retiring them. */
#include "belief/core.h"
#include "belief/core_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/node.h"

void
mem_core_hash(struct mem_str content, char out[65])
{
	mem_digest_text(content, out);
}

bool
mem_core_sensitivity_valid(const char *word)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t n = strlen(word);
	return n >= 1 && n <= 32 && strspn(word, allowed) == n;
}

/* May the caller write core blocks there?  Else the input is refused. */
static bool
check_core_rights(struct mem_write_run *r, const struct mem_write_input *in, struct mem_str ns)
{
	struct mem_store *s = mem_writer_store(r->writer);
	if (mem_str_eq(ns, mem_writer_ns(r->writer)) || mem_store_principal(s)->is_operator)
		return true;
	mem_write_refuse(r->writer, in, "rights_denied", 0);
	return false;
}

/* The audit of a block says what was done to which kind of block, never its text. */
static struct mem_write_audit
make_core_audit(struct mem_arena *a, const char *change, struct mem_str kind)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "change", mem_clean_word(a, mem_str(change)));
	if (kind.n > 0)
		mem_clean_object_put(&o, "block_kind", mem_clean_word(a, kind));
	return (struct mem_write_audit){ "core_edit", NULL, mem_clean_object_end(&o, a) };
}

/* A kind that an import brought may be any text. */
static struct mem_str
read_block_kind(const struct mem_rec *rec)
{
	for (size_t i = 0; mem_core_kinds[i] != NULL; i++)
		if (mem_json_is(mem_rec_value(rec, "block_kind"), mem_core_kinds[i]))
			return mem_str(mem_core_kinds[i]);
	return MEM_STR("");
}

static struct mem_clean_text
make_hash_value(struct mem_arena *a, struct mem_json content)
{
	char hash[65];
	mem_core_hash(mem_json_text(a, content), hash);
	return mem_clean_word(a, mem_str(mem_arena_dup(a, hash, 64)));
}

/* ---- adding -------------------------------------------------------------- */

/* A live block of this kind with this very text; MEM_NOTFOUND: there is none. */
static enum mem_status
find_same_block(struct mem_txn *t, struct mem_arena *a, struct mem_str ns, const char *kind, struct mem_str content, struct mem_id *id,
    struct mem_err *err)
{
	struct mem_core_block *v;
	struct mem_rec rec = { 0 };
	size_t n;
	bool same = false;
	enum mem_status st = mem_core_blocks(t, a, ns, &v, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK && !same; i++) {
		st = mem_rec_scan(&rec, v[i].json, err);
		same = st == MEM_OK && mem_json_is(mem_rec_value(&rec, "block_kind"), kind) &&
		    mem_str_eq(mem_json_text(a, mem_rec_value(&rec, "content")), content);
		*id = v[i].id;
	}
	mem_rec_release(&rec);
	return st == MEM_OK && !same ? MEM_NOTFOUND : st;
}

/* What the id of a new block is made of: its kind and text, and how many with these there were before, edited or retired by now. */
static enum mem_status
choose_block_identity(struct mem_txn *t, struct mem_arena *a, struct mem_str ns, const char *kind, struct mem_str content, struct mem_str *out,
    struct mem_err *err)
{
	struct mem_node there;
	for (unsigned i = 0;; i++) {
		*out = mem_str(mem_arena_printf(a, "core%c%s%c%u%c%.*s", 31, kind, 31, i, 31, (int)content.n, content.p));
		struct mem_id id = mem_id_v8(ns, *out);
		enum mem_status st = mem_node_by_id(t, &id, &there, err);
		if (st == MEM_NOTFOUND)
			return MEM_OK;
		if (st != MEM_OK && st != MEM_DAMAGED)
			return st;
	}
}

static void
queue_new_block(struct mem_write_run *r, const struct mem_write_input *in, const char *kind, struct mem_clean_text content,
    const char *sensitivity, struct mem_str id_of)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	const struct mem_clean_field fields[] = {
		{ "content", content },
		{ "hash", make_hash_value(a, content.value) },
		{ "block_kind", mem_clean_word(a, mem_str(kind)) },
		{ "sensitivity", sensitivity != NULL ? mem_clean_word(a, mem_str(sensitivity)) : mem_clean_absent() },
	};
	const struct mem_write_node node = {
		.kind = MEM_KIND_CORE, .id_of = id_of, .fields = fields, .nfields = MEM_COUNT(fields),
		.memory = { .importance = 1, .trust = r->trust },
		.audit = make_core_audit(a, "added", mem_str(kind)),
	};
	mem_write_add(r->writer, in, &node);
}

enum mem_status
mem_core_add(struct mem_write_run *r, struct mem_str ns, const char *kind, struct mem_str content, const char *sensitivity,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_write_input in = mem_write_run_next(r, content.n);
	struct mem_clean_text text;
	struct mem_txn *t = NULL;
	struct mem_str id_of = MEM_STR("");
	struct mem_id same;
	in.ns = ns;
	if (!check_core_rights(r, &in, ns))
		return mem_write_run_end(r, err);
	enum mem_status st = mem_write_run_text(r, &in, "content", content, MEM_CORE_TEXT_MAX, &text, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
	struct mem_str cleaned = mem_json_text(a, text.value);
	st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = find_same_block(t, a, ns, kind, cleaned, &same, err);
	const bool found = st == MEM_OK;
	if (st == MEM_NOTFOUND)
		st = choose_block_identity(t, a, ns, kind, cleaned, &id_of, err);
	mem_txn_end(t);
	if (st == MEM_OK && found)
		st = mem_write_run_unchanged(r, &in, &same, err);
	else if (st == MEM_OK)
		queue_new_block(r, &in, kind, text, sensitivity, id_of);
	return st == MEM_OK ? mem_write_run_end(r, err) : st;
}

/* ---- editing, retiring ---------------------------------------------------- */

/* The block that an operand means, which the caller may change.  MEM_REFUSED: the input is refused. */
static enum mem_status
find_own_block(struct mem_write_run *r, const struct mem_write_input *in, struct mem_str id, struct mem_write_target *block, struct mem_err *err)
{
	enum mem_status st = mem_write_run_target(r, in, id, MEM_KIND_CORE, block, err);
	if (st == MEM_OK && !check_core_rights(r, in, block->ns)) {
		mem_write_target_release(block);
		st = MEM_REFUSED;
	}
	return st;
}

static const char *
judge_core_edit(struct mem_arena *a, const struct mem_write_target *block, const char *if_hash)
{
	char hash[65];
	if (!block->live)
		return "state_conflict";
	mem_core_hash(mem_json_text(a, mem_rec_value(&block->rec, "content")), hash);
	return if_hash != NULL && strcmp(if_hash, hash) != 0 ? "conflict" : NULL;
}

static enum mem_status
queue_core_edit(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_write_target *block, struct mem_clean_text text,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	if (mem_str_eq(text.value.raw, mem_rec_value(&block->rec, "content").raw)) {
		const struct mem_write_edit nothing = { .op = "changed" };
		return mem_write_change(r->writer, in, &block->id, block->version, &nothing, err);
	}
	struct mem_clean_field *set = mem_arena_alloc(a, 3 * sizeof *set);
	set[0] = (struct mem_clean_field){ "content", text };
	set[1] = (struct mem_clean_field){ "hash", make_hash_value(a, text.value) };
	set[2] = (struct mem_clean_field){ "edited_at", mem_clean_time(a, mem_store_now(mem_writer_store(r->writer))) };
	const struct mem_write_edit edit = { .set = set, .n = 3, .op = "changed",
		.audit = make_core_audit(a, "edited", read_block_kind(&block->rec)) };
	enum mem_status st = mem_write_change(r->writer, in, &block->id, block->version, &edit, err);
	if (st == MEM_OK)
		core_keep_former(r->writer, in, block);
	return st;
}

/* Of giving the block another text, or none: empty.  MEM_REFUSED: the setting asks for the word of another agent, and there is none. */
static enum mem_status
check_attestation_of_edit(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_write_target *block,
    struct mem_str text, struct mem_err *err)
{
	struct mem_store *s = mem_writer_store(r->writer);
	struct mem_str there = mem_json_text(mem_writer_arena(r->writer), mem_rec_value(&block->rec, "content"));
	char prior[65], hash[65];
	if (!mem_core_needs_attestation(s, mem_rec_value(&block->rec, "sensitivity")) || mem_str_eq(text, there))
		return MEM_OK;
	mem_core_hash(there, prior);
	mem_core_hash(text, hash);
	const struct core_edit edit = { block->ord, mem_store_principal(s)->agent, prior, hash };
	enum mem_status st = core_find_attestation(s, &edit, err);
	if (st != MEM_NOTFOUND)
		return st;
	mem_write_refuse(r->writer, in, "unattested", 0);
	return MEM_REFUSED;
}

/* Of this text for the block: another one that has it already, of the same kind in the same place, is enough.  MEM_REFUSED: there is one. */
static enum mem_status
check_other_block(struct mem_write_run *r, struct mem_write_input *in, const struct mem_write_target *block, struct mem_str text,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_txn *t = NULL;
	struct mem_id same;
	char id[MEM_ID_LEN + 1];
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = find_same_block(t, a, block->ns, read_block_kind(&block->rec).p, text, &same, err);
	mem_txn_end(t);
	if (st == MEM_NOTFOUND || (st == MEM_OK && mem_id_cmp(&same, &block->id) == 0))
		return MEM_OK;
	if (st != MEM_OK)
		return st;
	mem_id_format(&same, id);
	in->more = mem_str(mem_arena_printf(a, ",\"same_as\":\"%s\"", id));
	mem_write_refuse(r->writer, in, "exists", 0);
	return MEM_REFUSED;
}

enum mem_status
mem_core_edit(struct mem_write_run *r, struct mem_str id, struct mem_str content, const char *if_hash, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(r, content.n);
	struct mem_write_target block;
	struct mem_clean_text text;
	enum mem_status st = find_own_block(r, &in, id, &block, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
	const char *refused = judge_core_edit(mem_writer_arena(r->writer), &block, if_hash);
	if (refused != NULL)
		mem_write_refuse(r->writer, &in, refused, 0);
	else
		st = mem_write_run_text(r, &in, "content", content, MEM_CORE_TEXT_MAX, &text, err);
	if (refused == NULL && st == MEM_OK)
		st = check_other_block(r, &in, &block, mem_json_text(mem_writer_arena(r->writer), text.value), err);
	if (refused == NULL && st == MEM_OK)
		st = check_attestation_of_edit(r, &in, &block, mem_json_text(mem_writer_arena(r->writer), text.value), err);
	if (refused == NULL && st == MEM_OK)
		st = queue_core_edit(r, &in, &block, text, err);
	mem_write_target_release(&block);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
}

enum mem_status
mem_core_retire(struct mem_write_run *r, struct mem_str id, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_write_input in = mem_write_run_next(r, id.n);
	struct mem_write_target block;
	enum mem_status st = find_own_block(r, &in, id, &block, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("retired")) };
	const struct mem_write_edit edit = { .set = set, .n = 1, .op = "changed",
		.audit = make_core_audit(a, "retired", read_block_kind(&block.rec)) };
	bool again = mem_write_run_names(r, &block.id);
	if (block.live && !again) /* else a block that nobody vouched for could take its place */
		st = check_attestation_of_edit(r, &in, &block, MEM_STR(""), err);
	if (st == MEM_OK && again)
		st = mem_write_run_unchanged(r, &in, &block.id, err);
	else if (st == MEM_OK)
		st = mem_write_change(r->writer, &in, &block.id, block.version, &edit, err);
	mem_write_target_release(&block);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
}
