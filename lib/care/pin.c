/* SPDX-License-Identifier: Apache-2.0 */
/* Pinning: a memory that neither decays nor is forgotten by a sweep. */
#include "care/care_int.h"
#include "clean/clean_text.h"

static enum mem_status
revise_pin(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	bool on = *(const bool *)ctx;
	(void)rec;
	(void)err;
	if (!mem_kind_info(node->attr->kind)->memory)
		*refused = "bad_value";
	else if (on && care_is_forgotten(node->attr, mem_txn_now(t)))
		*refused = "state_conflict";
	if (*refused != NULL || (node->attr->pinned != 0) == on)
		return MEM_OK;
	struct mem_clean_field *set = mem_arena_alloc(mem_writer_arena(w), sizeof *set);
	*set = (struct mem_clean_field){ "pinned", mem_clean_bool(on) };
	*edit = (struct mem_write_edit){ .set = set, .n = 1, .op = "changed", .undoable = true,
		.audit = { .word = on ? "pin" : "unpin", .detail = mem_clean_empty_object() } };
	return MEM_OK;
}

enum mem_status
mem_care_pin(struct mem_care_run *r, struct mem_str id, bool on, struct mem_err *err)
{
	return care_revise(r, id, revise_pin, &on, sizeof on, false, err);
}
