/* SPDX-License-Identifier: Apache-2.0 */
/* A skill's status, step by step. */
#include "skill/manage.h"

#include "clean/clean_text.h"
#include "record/record.h"
#include "skill/skill_int.h"
#include "store/node.h"

/* ---- which skill ---------------------------------------------------------- */

enum mem_status
skill_refuse_forgotten(struct mem_write_run *r, const struct mem_write_input *in)
{
	struct mem_write_input told = *in;
	told.more = MEM_STR(",\"advice\":\"it was forgotten: mem-forget --undo brings it back\"");
	mem_write_refuse(r->writer, &told, "state_conflict", 0);
	return MEM_REFUSED;
}

enum mem_status
mem_skill_target(struct mem_write_run *r, const struct mem_write_input *in, struct mem_str ns, struct mem_str operand, struct mem_id *out,
    struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	struct mem_skill skill;
	const char *reason = NULL;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st != MEM_OK)
		return st;
	st = mem_skill_find(&skill, t, ns, operand, &a, err);
	if (st == MEM_NOTFOUND)
		reason = "not_found";
	else if (st == MEM_REFUSED)
		reason = "ambiguous";
	else if (st == MEM_OK && skill.is_release)
		reason = "bad_value";
	*out = skill.id;
	const bool forgotten = st == MEM_OK && skill.forgotten;
	mem_txn_end(t);
	mem_arena_release(&a);
	if (forgotten)
		return skill_refuse_forgotten(r, in);
	if (reason != NULL)
		mem_write_refuse(r->writer, in, reason, 0);
	return reason != NULL ? MEM_REFUSED : st;
}

/* ---- steps ---------------------------------------------------------------- */

bool
mem_skill_move_allowed(enum mem_node_status from, enum mem_node_status to)
{
	static const struct { enum mem_node_status from, to; } steps[] = {
		{ MEM_STATUS_DRAFT, MEM_STATUS_ACTIVE }, { MEM_STATUS_ACTIVE, MEM_STATUS_DEPRECATED }, { MEM_STATUS_DEPRECATED, MEM_STATUS_ARCHIVED },
	};
	for (size_t i = 0; i < MEM_COUNT(steps); i++)
		if (steps[i].from == from && steps[i].to == to)
			return true;
	return from == to;
}

/* A change on its way, in the batch's arena. */
struct status_step {
	enum mem_node_status to;
	struct mem_clean_text reason; /* absent: none */
};

/* One change, as the node keeps it. */
static struct mem_clean_text
make_status_step(struct mem_txn *t, struct mem_writer *w, enum mem_node_status from, enum mem_node_status to, struct mem_clean_text reason)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "from", mem_clean_word(a, mem_str(mem_node_status_word(from))));
	mem_clean_object_put(&o, "to", mem_clean_word(a, mem_str(mem_node_status_word(to))));
	mem_clean_object_put(&o, "at", mem_clean_time(a, mem_txn_now(t)));
	mem_clean_object_put(&o, "by", mem_clean_word(a, mem_str(mem_store_principal(mem_writer_store(w))->agent)));
	if (mem_clean_there(reason))
		mem_clean_object_put(&o, "reason", reason);
	return mem_clean_object_end(&o, a);
}

struct mem_clean_text
skill_status_changes(struct mem_txn *t, struct mem_writer *w, const struct mem_rec *rec, enum mem_node_status from, enum mem_node_status to,
    struct mem_clean_text reason)
{
	struct mem_clean_object list = { 0 };
	struct mem_clean_rec stored = { 0 };
	mem_clean_restored(&stored, rec); /* it was cleaned when it came in */
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(rec, "status_changes")); mem_json_next(&it);)
		mem_clean_list_put(&list, mem_clean_part(&stored, it.value));
	mem_clean_list_put(&list, make_status_step(t, w, from, to, reason));
	mem_clean_rec_release(&stored);
	return mem_clean_list_end(&list, mem_writer_arena(w));
}

/* A mem_write_revise_fn. */
static enum mem_status
revise_skill_status(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	const struct status_step *q = ctx;
	struct mem_arena *a = mem_writer_arena(w);
	const enum mem_node_status from = node->attr->status;
	(void)err;
	if (!mem_skill_move_allowed(from, q->to))
		*refused = "state_conflict";
	if (*refused != NULL || from == q->to)
		return MEM_OK;
	struct mem_clean_field *set = mem_arena_alloc(a, 2 * sizeof *set);
	set[0] = (struct mem_clean_field){ "status", mem_clean_word(a, mem_str(mem_node_status_word(q->to))) };
	set[1] = (struct mem_clean_field){ "status_changes", skill_status_changes(t, w, rec, from, q->to, q->reason) };
	struct mem_clean_object detail = { 0 };
	mem_clean_object_put(&detail, "from", mem_clean_word(a, mem_str(mem_node_status_word(from))));
	mem_clean_object_put(&detail, "to", mem_clean_word(a, mem_str(mem_node_status_word(q->to))));
	/* The reason stands in the skill alone, so that it goes when the skill is erased. */
	*edit = (struct mem_write_edit){ .set = set, .n = 2, .op = "changed",
		.audit = { .word = "skill_status", .detail = mem_clean_object_end(&detail, a) } };
	return MEM_OK;
}

enum mem_status
mem_skill_set_status(struct mem_write_run *r, const struct mem_skill_status_change *c, struct mem_err *err)
{
	struct status_step *q = mem_arena_alloc(mem_writer_arena(r->writer), sizeof *q);
	struct mem_write_input in = mem_write_run_next(r, c->skill.n + c->reason.n);
	struct mem_id id;
	*q = (struct status_step){ .to = c->to };
	enum mem_status st = mem_skill_target(r, &in, c->ns, c->skill, &id, err);
	if (st == MEM_OK && c->reason.n > 0)
		st = mem_write_run_text(r, &in, "reason", c->reason, MEM_SKILL_REASON_MAX, &q->reason, err);
	if (st == MEM_OK)
		mem_write_revise(r->writer, &in, &id, 0, revise_skill_status, q);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
}
