/* SPDX-License-Identifier: Apache-2.0 */
#include "upkeep/upkeep_int.h"
#include "write/tidy.h"
#include "store/log.h"
#include "store/node.h"

#include <stdio.h>
#include <string.h>

enum { EXPIRE_BATCH = 500 };

#define COMPACT_FREE_MIN ((uint64_t)16 << 20)

const char *
mem_task_name(enum mem_task task)
{
	static const char *const names[] = {
		[MEM_TASK_UPGRADE] = "upgrade", [MEM_TASK_EXPIRE] = "expire", [MEM_TASK_EMBED] = "embed",
		[MEM_TASK_INDEX] = "index", [MEM_TASK_COMPACT] = "compact",
	};
	return task < MEM_TASK_COUNT ? names[task] : NULL;
}

/* ---- expire ----------------------------------------------------------- */

struct expire {
	struct mem_index *m;
	int64_t now;
	uint32_t ords[EXPIRE_BATCH];
	size_t n;
	int64_t next;          /* the first time in the table that has not come */
	struct mem_arena arena;
	struct mem_rec rec;
	struct mem_buf text;
};

/* What has fallen due, oldest first. */
static enum mem_status
gather_due(struct expire *x, struct mem_txn *t, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
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
		x->ords[x->n++] = ord;
	}
	mem_cursor_close(c);
	return st == MEM_NONE ? MEM_OK : st;
}

static enum mem_status
expire_one(struct expire *x, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns ns;
	char when[MEM_TIME_LEN + 1], quoted[MEM_TIME_LEN + 3];
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st != MEM_OK)
		return st == MEM_NONE ? mem_err_set(err, MEM_FAIL, "table due names a node that is not there: run mem-check") : st;
	struct mem_id id = node.attr->id;
	int64_t expires = node.attr->expires_at;
	st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&x->rec, mem_arena_str(&x->arena, node.json), err);
	if (st != MEM_OK)
		return st;
	/* The time comes from the node, so that running late changes nothing. */
	mem_time_format(expires, when);
	snprintf(quoted, sizeof quoted, "\"%s\"", when);
	const struct mem_edit edit = { "expired_at", mem_str(quoted) };
	mem_buf_reset(&x->text);
	mem_rec_edit(&x->text, &x->rec, &edit, 1);
	st = mem_node_replace(t, ord, mem_buf_span(&x->text), "expired", err);
	struct mem_audit_row row = {
		.kind = MEM_STR("forget"), .reason = MEM_STR("expired"), .ns = mem_str(ns.name), .subject = id,
		.actor = mem_str(mem_store_principal(x->m->store)->agent), .detail = MEM_STR("{}"),
	};
	return st == MEM_OK ? mem_audit_put(t, &row, err) : st;
}

static enum mem_status
expire_batch(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct expire *x = ctx;
	mem_arena_reset(&x->arena);
	enum mem_status st = gather_due(x, t, err);
	for (size_t i = 0; i < x->n && st == MEM_OK; i++)
		st = expire_one(x, t, x->ords[i], err);
	return st;
}

static void
expire_release(struct expire *x)
{
	mem_arena_release(&x->arena);
	mem_rec_release(&x->rec);
	mem_buf_release(&x->text);
}

static enum mem_status
expire(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	struct expire x = { .m = m, .now = mem_store_now(m->store) };
	struct mem_task_state state;
	enum mem_status st = mem_task_look(m, MEM_TASK_EXPIRE, &state, err);
	if (st != MEM_OK || !state.due)
		return st;
	do {
		st = mem_store_write(m->store, expire_batch, &x, err);
		*done += st == MEM_OK ? x.n : 0;
	} while (st == MEM_OK && x.n == EXPIRE_BATCH);
	expire_release(&x);
	return st;
}

static enum mem_status
look_expire(struct mem_index *m, struct mem_txn *t, struct mem_task_state *out, struct mem_err *err)
{
	struct expire x = { .m = m, .now = mem_store_now(m->store) };
	enum mem_status st = gather_due(&x, t, err);
	out->due = x.n > 0;
	out->amount = x.n;
	out->when = x.next;
	expire_release(&x);
	return st;
}

/* ---- embed ------------------------------------------------------------- */

/* Due only where somebody can do it; that the store's vectors are another model's is worth a word from mem_task_run. */
static enum mem_status
look_embed(struct mem_index *m, struct mem_txn *t, struct mem_task_state *out, struct mem_err *err)
{
	struct mem_encoder *e = NULL;
	out->amount = mem_index_pending_count(t);
	if (out->amount == 0)
		return MEM_OK;
	out->due = mem_encoder_for_writing(&e, m->store, NULL, err) != MEM_NONE;
	mem_encoder_close(e);
	return MEM_OK;
}

static enum mem_status
embed(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	const struct mem_pending_ask ask = { .stop_fd = -1 };
	struct mem_pending_done d;
	enum mem_status st = mem_pending_run(m, &ask, &d, err);
	*done = d.embedded;
	return st;
}

/* ---- index and compact ------------------------------------------------- */

static enum mem_status
merge_all(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	bool did = true;
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && did) {
		st = mem_index_tidy(m->store, UINT32_MAX, &did, err);
		*done += st == MEM_OK && did;
	}
	return st;
}

static enum mem_status
look_index(struct mem_txn *t, struct mem_task_state *out, struct mem_err *err)
{
	struct mem_index_stat stat;
	enum mem_status st = mem_index_stat(t, &stat, err);
	out->due = st == MEM_OK && mem_index_tidy_due(t, UINT32_MAX);
	out->amount = st == MEM_OK ? stat.tail : 0;
	return st;
}

static enum mem_status
look_upgrade(struct mem_index *m, struct mem_txn *t, struct mem_task_state *out, struct mem_err *err)
{
	bool known;
	enum mem_status st = mem_index_rules_differ(t, m->analyser, &known, &out->due, err);
	out->amount = out->due ? mem_tab_count(t, MEM_T_NODE) : 0;
	return st;
}

static enum mem_status
upgrade(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	struct mem_task_state state;
	enum mem_status st = mem_task_look(m, MEM_TASK_UPGRADE, &state, err);
	if (st == MEM_OK && state.due)
		st = mem_upkeep_repair(m, NULL, NULL, err);
	*done = st == MEM_OK ? state.amount : 0;
	return st;
}

static enum mem_status
look_compact(struct mem_txn *t, struct mem_task_state *out, struct mem_err *err)
{
	struct mem_space space;
	enum mem_status st = mem_store_space(t, &space, err);
	out->amount = st == MEM_OK ? space.free : 0;
	out->due = st == MEM_OK && space.free >= COMPACT_FREE_MIN && space.free >= space.file / 3;
	return st;
}

enum mem_status
mem_task_look(struct mem_index *m, enum mem_task task, struct mem_task_state *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	*out = (struct mem_task_state){ .when = MEM_TIME_NONE };
	enum mem_status st = mem_txn_read(&t, m->store, err);
	if (st != MEM_OK)
		return st;
	if (task == MEM_TASK_UPGRADE)
		st = look_upgrade(m, t, out, err);
	else if (task == MEM_TASK_EXPIRE)
		st = look_expire(m, t, out, err);
	else if (task == MEM_TASK_EMBED)
		st = look_embed(m, t, out, err);
	else if (task == MEM_TASK_INDEX)
		st = look_index(t, out, err);
	else
		st = look_compact(t, out, err);
	mem_txn_end(t);
	return st;
}

enum mem_status
mem_task_run(struct mem_index *m, enum mem_task task, uint64_t *done, struct mem_err *err)
{
	uint64_t before, after;
	*done = 0;
	if (task == MEM_TASK_UPGRADE)
		return upgrade(m, done, err);
	if (task == MEM_TASK_EXPIRE)
		return expire(m, done, err);
	if (task == MEM_TASK_EMBED)
		return embed(m, done, err);
	if (task == MEM_TASK_INDEX)
		return merge_all(m, done, err);
	enum mem_status st = mem_store_compact(m->store, &before, &after, err);
	if (st == MEM_OK && before > after)
		*done = before - after;
	return st;
}

enum mem_status
mem_task_lock(struct mem_index *m, int64_t wait_ms, struct mem_err *err)
{
	return mem_store_lock_task(m->store, wait_ms, err);
}
