/* SPDX-License-Identifier: Apache-2.0 */
/* Boosting: a person's or an agent's word that a memory matters more, or less. */
#include "care/care_int.h"
#include "clean/clean_text.h"

#include <math.h>

/* In millionths, so that what was added can be taken away again. */
static double
add_importance(double importance, double by)
{
	double sum = round((importance + by) * 1e6) / 1e6;
	return sum < 0 ? 0 : sum > 1 ? 1 : sum;
}

static enum mem_status
revise_importance(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	double by = *(const double *)ctx, was = mem_rec_num(rec, "importance", .5), is = add_importance(was, by);
	(void)err;
	if (!mem_kind_info(node->attr->kind)->memory)
		*refused = "bad_value";
	else if (care_is_forgotten(node->attr, mem_txn_now(t)))
		*refused = "state_conflict";
	if (*refused != NULL || is == was)
		return MEM_OK;
	struct mem_clean_object detail = { 0 };
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "importance", mem_clean_num(a, is) };
	mem_clean_object_put(&detail, "by", mem_clean_num(a, by));
	*edit = (struct mem_write_edit){ .set = set, .n = 1, .op = "changed", .undoable = true,
		.audit = { .word = "boost", .detail = mem_clean_object_end(&detail, a) } };
	return MEM_OK;
}

enum mem_status
mem_care_boost(struct mem_care_run *r, struct mem_str id, double by, struct mem_err *err)
{
	return care_revise(r, id, revise_importance, &by, sizeof by, false, err);
}
