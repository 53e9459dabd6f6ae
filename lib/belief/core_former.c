/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts that a core block had before.  A block keeps its id, since prompts, attestations and people name it by that; so each
 * former text is a superseded node of kind core, with the time since when the block had it, and an edge superseded_by to the block.
 */
#include "belief/core_int.h"

#include "clean/clean_text.h"
#include "write/write.h"

/* ARENA of the batch. */
struct former {
	struct mem_id block;
	int64_t version;            /* of the block before the edit */
	struct mem_str ns, json;    /* the block as it was read */
};

enum { FORMER_FIELDS = 5 };

int64_t
core_text_since(struct mem_arena *a, const struct mem_rec *block)
{
	int64_t at = MEM_TIME_NONE;
	if (!mem_time_parse(mem_json_text(a, mem_rec_value(block, "edited_at")), &at))
		(void)mem_time_parse(mem_json_text(a, mem_rec_value(block, "created_at")), &at);
	return at;
}

static void
queue_former(struct mem_writer *w, const struct former *f, const struct mem_rec *rec)
{
	static const char *const names[FORMER_FIELDS] = { "content", "hash", "block_kind", "sensitivity", "edited_at" };
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_rec clean = { 0 };
	struct mem_clean_field *fields = mem_arena_alloc(a, FORMER_FIELDS * sizeof *fields), *last = mem_arena_alloc(a, 2 * sizeof *last);
	struct mem_clean_field *reason = mem_arena_alloc(a, sizeof *reason);
	struct mem_write_edge *edge = mem_arena_alloc(a, sizeof *edge);
	int64_t *at = mem_arena_alloc(a, sizeof *at);
	char id[MEM_ID_LEN + 1];
	mem_clean_restored(&clean, rec);
	mem_id_format(&f->block, id);
	for (size_t i = 0; i < FORMER_FIELDS; i++)
		fields[i] = (struct mem_clean_field){ names[i], mem_clean_value(&clean, names[i]) };
	last[0] = (struct mem_clean_field){ "superseded_by", mem_clean_id(a, &f->block) };
	last[1] = (struct mem_clean_field){ "superseded_at", mem_clean_time(a, mem_store_now(mem_writer_store(w))) };
	*reason = (struct mem_clean_field){ "reason", mem_clean_word(a, MEM_STR("edited")) };
	*edge = (struct mem_write_edge){ .kind = "superseded_by", .to.id = f->block, .fields = reason, .nfields = 1 };
	*at = core_text_since(a, rec);
	const struct mem_write_node node = {
		.kind = MEM_KIND_CORE, .status = MEM_STATUS_SUPERSEDED, .created_at = at, .fields = fields, .nfields = FORMER_FIELDS,
		.last = last, .nlast = 2, .edges = edge, .nedges = 1, .origin = mem_clean_value(&clean, "origin"),
		.id_of = mem_str(mem_arena_printf(a, "former%c%s%c%lld", 31, id, 31, (long long)f->version)),
		.memory = { .importance = mem_rec_num(rec, "importance", 1), .trust = mem_rec_num(rec, "trust", 1) },
	};
	const struct mem_write_input quiet = { .ns = f->ns, .quiet = true };
	mem_write_add(w, &quiet, &node);
}

/* Has the block, as it is now, the text of this very edit, or was that refused? */
static bool
was_edited(const struct former *f, struct mem_str json)
{
	struct mem_json now = mem_json_object(json), before = mem_json_object(f->json);
	return mem_write_version(now) == f->version + 1 &&
	    !mem_str_eq(mem_json_member(now, "content").raw, mem_json_member(before, "content").raw);
}

/* A mem_write_act_fn. */
static enum mem_status
write_former(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct former *f = ctx;
	struct mem_node block;
	struct mem_rec rec = { 0 };
	r->verdict = MEM_UNCHANGED;
	enum mem_status st = mem_write_node_find(t, &f->block, &block, err);
	if (st != MEM_OK || !was_edited(f, block.json))
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = mem_rec_scan(&rec, f->json, err);
	const struct mem_write_nested mark = mem_write_nested_begin(w);
	if (st == MEM_OK)
		queue_former(w, f, &rec);
	enum mem_status run = mem_write_nested_run(t, w, &mark, st == MEM_OK, err);
	mem_rec_release(&rec);
	return st == MEM_OK ? run : st;
}

void
core_keep_former(struct mem_writer *w, const struct mem_write_input *in, const struct mem_write_target *block)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct former *f = mem_arena_alloc(a, sizeof *f);
	const struct mem_write_input quiet = { .line = in->line, .ns = in->ns, .quiet = true };
	*f = (struct former){ .block = block->id, .version = block->version, .ns = mem_arena_str(a, block->ns),
		.json = mem_arena_str(a, block->rec.text) };
	mem_write_act(w, &quiet, write_former, f);
}
