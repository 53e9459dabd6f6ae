/* SPDX-License-Identifier: Apache-2.0 */
/* Forgetting by hand: a person's word is enough. */
#include "care/care_int.h"
#include "clean/clean_text.h"

static enum mem_status
revise_forgotten(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	bool force = *(const bool *)ctx;
	(void)rec;
	(void)err;
	if (!mem_kind_info(node->attr->kind)->forgettable)
		*refused = "bad_value";
	else if (node->attr->expired_at == MEM_TIME_NONE && node->attr->pinned && !force)
		*refused = "state_conflict";
	if (*refused != NULL || node->attr->expired_at != MEM_TIME_NONE)
		return MEM_OK;
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "expired_at", mem_clean_time(a, mem_txn_now(t)) };
	*edit = (struct mem_write_edit){ .set = set, .n = 1, .mark = true, .op = "forgotten", .undoable = true,
		.audit = { "forget", "manual", mem_clean_empty_object() } };
	return MEM_OK;
}

enum mem_status
mem_care_forget(struct mem_care_run *r, struct mem_str id, bool force, struct mem_err *err)
{
	return care_revise(r, id, revise_forgotten, &force, sizeof force, true, err);
}
