/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a conflict's state. */
#include "skill/conflict_int.h"

#include <string.h>

/* From an open state to any other; what was decided goes back to detected alone, by a scan. */
static bool
may_change_state(enum mem_conflict_state from, const struct conflict_change *change)
{
	return mem_conflict_is_open(from) ? change->state != MEM_CONFLICT_DETECTED : change->state == MEM_CONFLICT_DETECTED;
}

static void
fill_state_edit(struct mem_txn *t, struct mem_writer *w, const struct mem_conflict *is, const struct conflict_change *change,
    struct mem_write_edit *edit)
{
	struct mem_arena *a = mem_writer_arena(w);
	const size_t of_found = 2; /* the last fields are set only where it is found again */
	bool decided = !mem_conflict_is_open(change->state), found = change->state == MEM_CONFLICT_DETECTED;
	struct mem_clean_object o = { 0 };
	struct mem_clean_text now = mem_clean_time(a, mem_txn_now(t));
	struct mem_str agent = mem_str(mem_store_principal(mem_writer_store(w))->agent);
	const struct mem_clean_field fields[] = {
		{ "reason", mem_clean_or_null(change->reason) },
		{ "state", mem_clean_word(a, mem_str(mem_conflict_states[change->state])) },
		{ "decided_at", decided ? now : mem_clean_absent() },
		{ "decided_by", decided && change->by_person ? mem_clean_word(a, agent) : mem_clean_absent() },
		{ "detected_at", now },
		{ "repair", mem_clean_absent() },
	};
	const size_t n = MEM_COUNT(fields) - (found ? 0 : of_found);
	struct mem_clean_field *kept = mem_arena_alloc(a, sizeof fields + change->nfound * sizeof *kept);
	memcpy(kept, fields, sizeof fields);
	if (change->nfound > 0)
		memcpy(kept + n, change->found, change->nfound * sizeof *kept);
	mem_clean_object_put(&o, "type", mem_clean_word(a, mem_str(mem_conflict_types[is->type])));
	mem_clean_object_put(&o, "from", mem_clean_word(a, mem_str(mem_conflict_states[is->state])));
	mem_clean_object_put(&o, "to", mem_clean_word(a, mem_str(mem_conflict_states[change->state])));
	*edit = (struct mem_write_edit){ .set = kept, .n = n + change->nfound, .op = "changed",
		.audit = { .word = "conflict", .detail = mem_clean_object_end(&o, a) } };
}

/* One that is open still, with what was found of it now. */
static void
fill_found_edit(struct mem_writer *w, const struct mem_conflict *is, const struct conflict_change *change, struct mem_write_edit *edit)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "type", mem_clean_word(mem_writer_arena(w), mem_str(mem_conflict_types[is->type])));
	mem_clean_object_put(&o, "to", mem_clean_word(mem_writer_arena(w), mem_str(mem_conflict_states[is->state])));
	*edit = (struct mem_write_edit){ .set = change->found, .n = change->nfound, .op = "changed",
		.audit = { .word = "conflict", .detail = mem_clean_object_end(&o, mem_writer_arena(w)) } };
}

/* A mem_write_revise_fn. */
static enum mem_status
revise_conflict(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	const struct conflict_change *change = ctx;
	struct mem_conflict is;
	(void)err;
	if (!mem_conflict_read(&is, rec))
		*refused = "bad_value";
	else if (!mem_attr_live(node->attr, mem_txn_now(t)))
		*refused = "state_conflict";
	else if (mem_conflict_is_open(is.state) && change->nfound > 0)
		fill_found_edit(w, &is, change, edit);
	else if (is.state == change->state)
		return MEM_OK; /* unchanged */
	else if (!may_change_state(is.state, change))
		*refused = "state_conflict";
	else
		fill_state_edit(t, w, &is, change, edit);
	return MEM_OK;
}

void
conflict_queue_change(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, const struct conflict_change *change)
{
	struct conflict_change *kept = mem_arena_alloc(mem_writer_arena(w), sizeof *kept);
	*kept = *change;
	mem_write_revise(w, in, id, 0, revise_conflict, kept);
}

void
mem_conflict_decide(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, enum mem_conflict_state state,
    struct mem_clean_text reason)
{
	const struct conflict_change change = { .state = state, .reason = reason, .by_person = true };
	conflict_queue_change(w, in, id, &change);
}
