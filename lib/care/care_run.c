/* SPDX-License-Identifier: Apache-2.0 */
/* A run: ids in, batches written, receipts out. */
#include "care/care_int.h"
#include "belief/fact.h"
#include "write/undo.h"

#include <stdlib.h>
#include <string.h>

enum mem_status
mem_care_run_open(struct mem_care_run **out, const struct mem_store_options *store, const struct mem_care_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err)
{
	const struct mem_write_options writing = { .via = o->via, .audit_refusals = true, .dry_run = o->dry_run };
	struct mem_care_run *r = mem_xcalloc(1, sizeof *r);
	*r = (struct mem_care_run){ .run = { .emit = emit, .ctx = ctx }, .o = *o };
	enum mem_status st = mem_writer_open(&r->run.writer, store, &writing, err);
	if (st == MEM_OK)
		*out = r;
	else
		mem_care_run_free(r);
	return st;
}

void
mem_care_run_free(struct mem_care_run *r)
{
	if (r == NULL)
		return;
	mem_writer_free(r->run.writer);
	free(r);
}

struct mem_store *
mem_care_run_store(const struct mem_care_run *r)
{
	return mem_writer_store(r->run.writer);
}

enum mem_status
mem_care_run_commit(struct mem_care_run *r, struct mem_err *err)
{
	return mem_write_run_commit(&r->run, err);
}

const struct mem_write_total *
mem_care_run_total(const struct mem_care_run *r)
{
	return &r->run.total;
}

enum mem_status
mem_care_run_outcome(const struct mem_care_run *r, struct mem_err *err)
{
	return mem_write_run_outcome(&r->run, err);
}

enum mem_status
care_revise(struct mem_care_run *r, struct mem_str text, mem_write_revise_fn *revise, const void *ctx, size_t n, bool judges,
    struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(&r->run, text.n);
	struct mem_writer *w = r->run.writer;
	struct mem_id id;
	enum mem_status st = mem_write_run_id(&r->run, &in, text, &id, err);
	if (st == MEM_OK)
		mem_write_revise(w, &in, &id, r->o.if_version, revise, mem_arena_dup(mem_writer_arena(w), ctx, n));
	if (st == MEM_OK && judges)
		st = care_judge_behind(w, &in, &id, err);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(&r->run, err) : st;
}

enum mem_status
care_judge_behind(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(w), err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, id, &node, err);
	bool is_fact = st == MEM_OK && node.attr->kind == MEM_KIND_FACT;
	mem_txn_end(t);
	if (is_fact)
		return mem_fact_judge_queue(w, in, id, err);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

bool
care_is_forgotten(const struct mem_attr *a, int64_t now)
{
	return a->expired_at != MEM_TIME_NONE || (a->expires_at != MEM_TIME_NONE && a->expires_at <= now);
}

/* ---- undoing ----------------------------------------------------------- */

struct change_row {
	const char *words[3];
	const char *op;
	bool read;                  /* taken back it counts as read */
	bool judges;                /* taken back of a fact, those beside it are judged anew */
};
static const struct change_row changes[MEM_CARE_CHANGES] = {
	[MEM_CARE_PIN] = { { "pin", "unpin" }, "changed", false, false }, [MEM_CARE_BOOST] = { { "boost" }, "changed", false, false },
	[MEM_CARE_FORGET] = { { "forget" }, "unforgotten", true, true }, [MEM_CARE_ARCHIVE] = { { "archive" }, "changed", true, false },
	[MEM_CARE_EDIT] = { { "edit" }, "changed", false, true },
};

/* A mark of fields that are memkit's own.  ARENA of the batch. */
static const struct mem_write_edit *
make_mark(struct mem_arena *a, const char *name, struct mem_clean_text value, const char *op, const char *word)
{
	struct mem_write_edit *edit = mem_arena_alloc(a, sizeof *edit);
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ name, value };
	*edit = (struct mem_write_edit){ .set = set, .n = 1, .mark = true, .op = op, .audit = { .word = word, .detail = mem_clean_empty_object() } };
	return edit;
}

/* What an import or an older program forgot has no row to undo.  One whose time to live is over would be forgotten again. */
static enum mem_status
may_just_clear(struct mem_store *s, const struct mem_id *id, bool *may, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, id, &node, err);
	*may = st == MEM_OK && node.attr->expired_at != MEM_TIME_NONE &&
	    (node.attr->expires_at == MEM_TIME_NONE || node.attr->expires_at > mem_store_now(s));
	mem_txn_end(t);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
queue_undo(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, enum mem_care_change change, struct mem_err *err)
{
	const struct change_row *row = &changes[change];
	struct mem_undo_request request = { .subject = *id, .words = row->words, .op = row->op };
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_store *s = mem_writer_store(w);
	bool clear = false, draft = false, may = true;
	enum mem_status st = change == MEM_CARE_FORGET ? may_just_clear(s, id, &clear, err) : MEM_OK;
	if (st == MEM_OK && change == MEM_CARE_EDIT)
		st = edit_undo_draft(w, in, id, &draft, err);
	if (draft)
		return st;
	if (st == MEM_OK && change == MEM_CARE_EDIT)
		st = edit_may_undo(w, id, &may, err);
	if (st == MEM_OK && !may) {
		mem_write_refuse(w, in, "state_conflict", 0);
		return MEM_OK;
	}
	if (clear)
		request.otherwise = make_mark(a, "expired_at", mem_clean_absent(), row->op, "unforget");
	if (row->read)
		request.also = make_mark(a, "last_access", mem_clean_time(a, mem_store_now(s)), "touched", NULL);
	if (st == MEM_OK)
		st = mem_write_undo(w, in, &request, err);
	if (st == MEM_OK && change == MEM_CARE_EDIT)
		edit_queue_undone(w, in, id);
	return st == MEM_OK && row->judges ? care_judge_behind(w, in, id, err) : st;
}

enum mem_status
mem_care_undo(struct mem_care_run *r, struct mem_str text, enum mem_care_change change, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(&r->run, text.n);
	struct mem_id id;
	enum mem_status st = mem_write_run_id(&r->run, &in, text, &id, err);
	if (st == MEM_OK)
		st = queue_undo(r->run.writer, &in, &id, change, err);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(&r->run, err) : st;
}
