/* SPDX-License-Identifier: Apache-2.0 */
/* The job expire: nodes whose expires_at has passed are marked as forgotten; those of a log are removed.  Amount: nodes. */
#include "upkeep/upkeep_int.h"
#include "clean/clean_text.h"
#include "store/job.h"
#include "store/node.h"
#include "write/write.h"

enum { EXPIRE_BATCH = 500 };

struct expire {
	int64_t now;
	uint32_t ords[EXPIRE_BATCH];
	size_t n;
	size_t passed;         /* damaged nodes that earlier transactions left: they stay due, before all others */
	size_t damaged;        /* those of this one */
	int64_t next;          /* the first time in the table that has not come */
	struct mem_writer *writer;
	struct mem_arena arena;
};

/* What has fallen due, oldest first. */
static enum mem_status
gather_due_nodes(struct expire *x, struct mem_txn *t, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	size_t seen = 0;
	x->n = 0;
	x->next = MEM_TIME_NONE;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_DUE, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), err);
	for (; st == MEM_OK && x->n < EXPIRE_BATCH; st = mem_cursor_next(c, err)) {
		int64_t when;
		uint32_t ord;
		if (!mem_due_parse(mem_cursor_key(c), &when, &ord)) {
			st = mem_err_set(err, MEM_FAIL, "table due is damaged: run mem-check");
			break;
		}
		if (when > x->now) {
			x->next = when;
			break;
		}
		if (seen++ >= x->passed)
			x->ords[x->n++] = ord;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
end_node(struct expire *x, struct mem_txn *t, uint32_t ord, const struct mem_attr *a, struct mem_err *err)
{
	static const struct mem_write_removal removal = { .op = "removed" };
	if (mem_kind_info(a->kind)->removed)
		return mem_write_remove_at(t, x->writer, ord, &removal, err);
	bool changed = false;
	/* The time comes from the node, so that running late changes nothing. */
	const struct mem_clean_field when = { "expired_at", mem_clean_time(&x->arena, a->expires_at) };
	const struct mem_write_edit edit = { .set = &when, .n = 1, .mark = true, .op = "expired",
		.audit = { "forget", "expired", mem_clean_empty_object() } };
	enum mem_status st = mem_write_change_at(t, x->writer, ord, &edit, &changed, err);
	if (st == MEM_OK && !changed)
		return mem_err_set(err, MEM_FAIL, "table due names a node that has expired already: run mem-check");
	return st;
}

static enum mem_status
expire_node(struct expire *x, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	if (st == MEM_OK && (a->expires_at == MEM_TIME_NONE || a->expires_at > x->now)) {
		/* The row has no checksum, and would end a node before its time. */
		mem_node_part_damage_note(t, ord, "its row of table due");
		x->damaged++;
		return MEM_OK;
	}
	if (st == MEM_OK)
		st = end_node(x, t, ord, a, err);
	if (st == MEM_DAMAGED) {
		mem_node_damage_note(t, ord);
		x->damaged++;
		return MEM_OK;
	}
	if (st == MEM_NOTFOUND)
		return mem_err_set(err, MEM_FAIL, "table due names a node that is not there: run mem-check");
	return st;
}

static enum mem_status
expire_due_nodes(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct expire *x = ctx;
	mem_arena_reset(&x->arena);
	x->damaged = 0;
	enum mem_status st = gather_due_nodes(x, t, err);
	for (size_t i = 0; i < x->n && st == MEM_OK; i++)
		st = expire_node(x, t, x->ords[i], err);
	return st;
}

static void
release_expiry(struct expire *x)
{
	mem_writer_free(x->writer);
	mem_arena_release(&x->arena);
}

static enum mem_status
look_expire(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	struct expire x = { .now = mem_job_now(m->store) };
	enum mem_status st = gather_due_nodes(&x, t, err);
	out->due = x.n > 0;
	out->amount = x.n;
	out->when = x.next;
	release_expiry(&x);
	return st;
}

static enum mem_status
run_expire(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	struct expire x = { .now = mem_job_now(m->store) };
	struct mem_job_state state;
	enum mem_status st = upkeep_job_look(m, look_expire, &state, err);
	if (st != MEM_OK || !state.due)
		return st;
	x.writer = mem_writer_new(m, &(struct mem_write_options){ .via = "mem-maintain" });
	do {
		st = mem_store_write(m->store, expire_due_nodes, &x, err);
		*done += st == MEM_OK ? x.n - x.damaged : 0;
		x.passed += x.damaged;
	} while (st == MEM_OK && x.n == EXPIRE_BATCH);
	release_expiry(&x);
	return st;
}

const struct mem_job mem_job_expire = {
	.name = "expire", .unit = "nodes", .reach = MEM_JOB_OF_STORE, .look = look_expire, .run = run_expire, .after = { "upgrade" },
};
