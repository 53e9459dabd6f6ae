/* SPDX-License-Identifier: Apache-2.0 */
/* Skills as files. */
#include "skill/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/text_map.h"
#include "skill/skill.h"
#include "text/text.h"

#define SKILL_FILE "SKILL.md"

struct mem_skill_export {
	struct mem_store *store;
	struct mem_skill_export_options o;
	mem_emit_fn *emit;
	void *ctx;
	int dir;                   /* -1: a dry run without it */
	struct mem_text_map written; /* names of folders */
	struct mem_write_total total;
	uint64_t number;
};

/* A skill's file. */
struct skill_file {
	struct mem_arena arena;
	struct mem_id id;
	struct mem_str ns, name, folder;
	struct mem_buf bytes;
	bool exact;
};

enum mem_status
mem_skill_export_open(struct mem_skill_export **out, struct mem_store *s, const struct mem_skill_export_options *o, mem_emit_fn *emit, void *ctx,
    struct mem_err *err)
{
	struct mem_skill_export *x = mem_xcalloc(1, sizeof *x);
	*x = (struct mem_skill_export){ .store = s, .o = *o, .emit = emit, .ctx = ctx };
	bool made = o->dry_run || mem_folder_make(AT_FDCWD, o->dir, mem_user_mode(0777)) == 0 || errno == EEXIST;
	x->dir = made ? open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (x->dir < 0 && !(o->dry_run && errno == ENOENT)) {
		free(x);
		return mem_err_sys(err, MEM_FAIL, "cannot open the folder '%s'", o->dir);
	}
	*out = x;
	return MEM_OK;
}

void
mem_skill_export_free(struct mem_skill_export *x)
{
	if (x == NULL)
		return;
	if (x->dir >= 0)
		close(x->dir);
	mem_text_map_release(&x->written);
	free(x);
}

/* ---- the text --------------------------------------------------------- */

static struct mem_str
name_skill_folder(struct mem_arena *a, struct mem_str name)
{
	struct mem_buf b = { 0 };
	for (size_t at = 0, n; at < name.n && b.len < MEM_SKILL_NAME_MAX; at += n) {
		uint32_t c;
		n = mem_utf8_decode(name.p + at, name.n - at, &c);
		bool safe = c >= ' ' && c != '/' && c != '\\' && !mem_char_is_unseen(c) && !(c == '.' && at == 0);
		mem_buf_put(&b, safe ? name.p + at : "_", safe ? n : 1);
	}
	struct mem_str folder = b.len > 0 ? mem_arena_str(a, mem_buf_span(&b)) : MEM_STR("_");
	mem_buf_release(&b);
	return folder;
}

/* All of it, so that the snapshot ends before anything is written. */
static enum mem_status
copy_skill_file(struct skill_file *out, struct mem_store *s, const struct mem_id *id, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_skill skill;
	char sha256[65];
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_node_by_id(t, id, &node, err);
	if (st == MEM_OK)
		st = mem_skill_read(&skill, t, &node, &out->arena);
	if (st == MEM_OK) {
		out->name = skill.name;
		out->ns = skill.ns;
		mem_json_decode(&out->bytes, skill.front);
		mem_json_decode(&out->bytes, skill.content);
	}
	mem_txn_end(t);
	if (st != MEM_OK)
		return st;
	mem_digest_text(mem_buf_span(&out->bytes), sha256);
	out->exact = skill.sha256.n == 0 || mem_str_is(skill.sha256, sha256);
	out->folder = name_skill_folder(&out->arena, out->name);
	return MEM_OK;
}

/* ---- the file --------------------------------------------------------- */

/* Its folder: there already, or made; -1: it cannot be. */
static int
open_skill_folder(struct mem_skill_export *x, const struct skill_file *f)
{
	if (!x->o.dry_run && mem_folder_make(x->dir, f->folder.p, mem_user_mode(0777)) != 0 && errno != EEXIST)
		return -1;
	return openat(x->dir, f->folder.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* What lies there: nothing (MEM_NEW), the same, another text; or no file at all.  *mode: that of what will lie there. */
static enum mem_verdict
compare_skill_file(int folder, const struct skill_file *f, unsigned *mode, const char **reason)
{
	struct stat about;
	struct mem_buf there = { 0 };
	*mode = mem_user_mode(0666);
	if (fstatat(folder, SKILL_FILE, &about, AT_SYMLINK_NOFOLLOW) != 0) {
		*reason = errno == ENOENT ? NULL : "unwritable";
		return errno == ENOENT ? MEM_NEW : MEM_REJECTED;
	}
	if (!S_ISREG(about.st_mode)) {
		*reason = "outside";
		return MEM_REJECTED;
	}
	*mode = about.st_mode & 07777;
	bool same = (size_t)about.st_size == f->bytes.len && mem_file_read(folder, SKILL_FILE, f->bytes.len, &there, NULL) == MEM_OK &&
	    mem_str_eq(mem_buf_span(&there), mem_buf_span(&f->bytes));
	mem_buf_release(&there);
	return same ? MEM_UNCHANGED : MEM_CHANGED;
}

static enum mem_verdict
write_skill_file(struct mem_skill_export *x, const struct skill_file *f, const char **reason)
{
	bool made;
	mem_text_map_put(&x->written, f->folder, 0, &made);
	if (!made) {
		*reason = "exists";
		return MEM_REJECTED;
	}
	int folder = x->dir >= 0 ? open_skill_folder(x, f) : -1;
	if (folder < 0 && x->o.dry_run && (x->dir < 0 || errno == ENOENT))
		return MEM_NEW;
	if (folder < 0) {
		*reason = errno == ENOTDIR || errno == ELOOP ? "outside" : "unwritable";
		return MEM_REJECTED;
	}
	unsigned mode;
	enum mem_verdict v = compare_skill_file(folder, f, &mode, reason);
	if (v == MEM_CHANGED && !x->o.replace) {
		v = MEM_REJECTED;
		*reason = "exists";
	}
	if ((v == MEM_NEW || v == MEM_CHANGED) && !x->o.dry_run &&
	    mem_file_replace(folder, SKILL_FILE, f->bytes.data, f->bytes.len, mode, NULL) != MEM_OK) {
		v = MEM_REJECTED;
		*reason = "unwritable";
	}
	close(folder);
	return v;
}

/* ---- receipts --------------------------------------------------------- */

static enum mem_status
emit_export_receipt(struct mem_skill_export *x, const struct skill_file *f, struct mem_receipt *receipt, struct mem_err *err)
{
	struct mem_buf line = { 0 }, more = { 0 }, path = { 0 };
	receipt->line = ++x->number;
	receipt->id = f->id;
	receipt->has_id = true;
	receipt->ns = f->ns;
	if (f->name.n > 0) {
		mem_buf_printf(&path, "%s/%.*s/" SKILL_FILE, x->o.dir, (int)f->folder.n, f->folder.p);
		mem_buf_puts(&more, ",\"path\":");
		mem_json_put_string(&more, mem_buf_span(&path));
		mem_json_put_field(&more, "name", f->name);
		mem_json_put_bool(&more, "exact", f->exact);
	}
	receipt->more = mem_buf_span(&more);
	mem_receipt_put(&line, receipt);
	mem_receipt_count(&x->total, receipt);
	bool told = x->emit(x->ctx, mem_buf_span(&line));
	mem_buf_release(&line);
	mem_buf_release(&more);
	mem_buf_release(&path);
	return told ? MEM_OK : mem_err_set(err, MEM_STOPPED, "stopped");
}

enum mem_status
mem_skill_export_put(struct mem_skill_export *x, const struct mem_id *id, struct mem_err *err)
{
	struct skill_file f = { .id = *id };
	struct mem_receipt receipt = { .verdict = MEM_REJECTED, .reason = "not_found" };
	enum mem_status st = copy_skill_file(&f, x->store, id, err);
	if (st == MEM_OK) {
		receipt.reason = NULL;
		receipt.verdict = write_skill_file(x, &f, &receipt.reason);
	} else if (st == MEM_DAMAGED)
		receipt.reason = "damaged";
	if (st == MEM_OK || st == MEM_NOTFOUND || st == MEM_DAMAGED)
		st = emit_export_receipt(x, &f, &receipt, err);
	mem_buf_release(&f.bytes);
	mem_arena_release(&f.arena);
	return st;
}

enum mem_status
mem_skill_export_outcome(const struct mem_skill_export *x, struct mem_err *err)
{
	return mem_write_outcome(&x->total, err);
}
