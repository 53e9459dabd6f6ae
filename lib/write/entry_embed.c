/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of new entries, and which older ones they nearly say again. */
#include "write/write.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 128 };           /* texts encoded together; a snapshot lasts no longer */

/* Marks the node's text as cut, and makes the entry anew from it. */
static enum mem_status
mark_cut(struct mem_index *m, struct mem_entry *e, struct mem_arena *arena, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	struct mem_buf out = { 0 };
	const struct mem_edit edit = { "truncated", MEM_STR_INIT("true") };
	enum mem_status st = mem_rec_scan(&r, e->draft.json, err);
	if (st == MEM_OK) {
		mem_rec_edit(&out, &r, &edit, 1);
		st = mem_entry_make(e, m, arena, mem_arena_str(arena, mem_buf_span(&out)), e->draft.fill_id != NULL, err);
	}
	mem_rec_release(&r);
	mem_buf_release(&out);
	return st;
}

/* The entries that want a vector, and their texts. */
static enum mem_status
gather(struct mem_txn *t, struct mem_entry **entries, size_t n, struct mem_entry **want, struct mem_str *texts,
    size_t *wanted, struct mem_arena *arena, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	struct mem_buf text = { 0 };
	struct mem_node there;
	enum mem_status st = MEM_OK;
	*wanted = 0;
	for (size_t i = 0; i < n; i++) {
		if (!entries[i]->embeds)
			continue;
		st = mem_node_duplicate(t, &entries[i]->draft, &there, err);
		if (st == MEM_OK)
			continue;
		if (st == MEM_NONE)
			st = mem_rec_scan(&r, entries[i]->draft.json, err);
		if (st != MEM_OK)
			break;
		mem_buf_reset(&text);
		if (!mem_node_text(&text, &r))
			continue;
		want[*wanted] = entries[i];
		texts[(*wanted)++] = mem_arena_str(arena, mem_buf_span(&text));
	}
	mem_rec_release(&r);
	mem_buf_release(&text);
	return st;
}

static enum mem_status
read_and_gather(struct mem_index *m, struct mem_entry **entries, size_t n, struct mem_entry **want, struct mem_str *texts,
    size_t *wanted, struct mem_arena *arena, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, m->store, err);
	if (st == MEM_OK)
		st = gather(t, entries, n, want, texts, wanted, arena, err);
	mem_txn_end(t);
	return st;
}

/* The namespace among those that are read; MEM_NONE: there is nothing in it. */
static enum mem_status
find_ns(struct mem_txn *t, struct mem_str name, struct mem_ns *out, struct mem_err *err)
{
	struct mem_ns *all = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_visible(t, &all, &n, err), found = MEM_NONE;
	for (size_t i = 0; i < n && st == MEM_OK && found != MEM_OK; i++)
		if (mem_str_is(name, all[i].name)) {
			*out = all[i];
			found = MEM_OK;
		}
	free(all);
	return st == MEM_OK ? found : st;
}

/* Who stands nearest to each; a store whose vectors are another model's has no such thing. */
static enum mem_status
look_around(struct mem_index *m, const struct mem_encoder_info *info, struct mem_entry **want, size_t n, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, m->store, err);
	if (st != MEM_OK)
		return st;
	st = mem_model_record_compare(t, info, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct mem_entry *e = want[i];
		struct mem_ns ns;
		st = find_ns(t, e->draft.ns, &ns, err);
		if (st == MEM_OK)
			st = mem_near_find(t, &ns, (enum mem_kind)e->draft.attr.kind, &e->said, info, &e->near, err);
		else if (st == MEM_NONE)
			st = MEM_OK;
	}
	mem_txn_end(t);
	return st == MEM_NONE ? MEM_OK : st;
}

/* Of one chunk, which may be behind others: `last` is the last entry before that has a vector. */
static enum mem_status
embed_chunk(struct mem_index *m, struct mem_encoder *encoder, struct mem_entry **entries, size_t n,
    struct mem_entry **last, struct mem_arena *arena, struct mem_err *err)
{
	struct mem_entry *want[CHUNK];
	struct mem_str texts[CHUNK];
	bool cut[CHUNK] = { false };
	float *v = NULL;
	size_t k = 0;
	const struct mem_encoder_info *info = mem_encoder_info(encoder);
	enum mem_status st = read_and_gather(m, entries, n, want, texts, &k, arena, err);
	if (info->remote)
		mem_store_pause(m->store); /* nobody waits for a server with us */
	if (st == MEM_OK && k > 0)
		st = mem_encode(encoder, MEM_AS_TEXT, texts, k, &v, cut, err);
	/* Inside the write it would cost the node, too. */
	if (st == MEM_OK && k > 0)
		st = mem_encoder_dims_check(info, err);
	for (size_t i = 0; i < k && st == MEM_OK; i++) {
		float *kept = mem_arena_alloc(arena, info->dims * sizeof *kept);
		if (cut[i])
			st = mark_cut(m, want[i], arena, err);
		memcpy(kept, v + i * info->dims, info->dims * sizeof *kept);
		want[i]->said = (struct mem_embedding){ texts[i], kept };
		want[i]->by = info;
		want[i]->before = *last;
		*last = want[i];
	}
	if (st == MEM_OK && k > 0)
		st = look_around(m, info, want, k, err);
	free(v);
	return st;
}

enum mem_status
mem_entries_embed(struct mem_index *m, struct mem_encoder *encoder, struct mem_entry **entries, size_t n,
    struct mem_arena *arena, struct mem_err *err)
{
	struct mem_entry *last = NULL;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i += CHUNK)
		st = embed_chunk(m, encoder, entries + i, n - i < CHUNK ? n - i : CHUNK, &last, arena, err);
	for (size_t i = 0; i < n && st != MEM_OK; i++)
		entries[i]->said.vector = NULL;
	return st;
}

/* ---- near duplicates ---------------------------------------------------- */

enum { BATCH_LOOK = 256 };

enum mem_status
mem_entry_near(struct mem_txn *t, const struct mem_entry *e, const struct mem_id *but, struct mem_near *out,
    struct mem_err *err)
{
	const struct mem_attr *a;
	*out = (struct mem_near){ 0 };
	if (e->said.vector == NULL)
		return MEM_NONE;
	/* It was looked for before the lock was taken. */
	if (e->near.score > 0 && (but == NULL || mem_id_cmp(but, &e->near.id) != 0)) {
		enum mem_status st = mem_attr_at(t, e->near.ord, &a, err);
		if (st != MEM_OK && st != MEM_NONE)
			return st;
		if (st == MEM_OK && mem_id_cmp(&a->id, &e->near.id) == 0 && mem_attr_live(a, mem_txn_now(t)))
			*out = e->near;
	}
	/* The lock is held: of a huge batch only the last ones. */
	int left = BATCH_LOOK;
	for (const struct mem_entry *b = e->before; b != NULL && left > 0; b = b->before, left--) {
		if (!b->put || b->draft.attr.ns != e->draft.attr.ns || b->draft.attr.kind != e->draft.attr.kind)
			continue;
		double score = mem_near_score(&e->said, &b->said, e->by);
		/* Of equal ones the oldest. */
		if (score >= out->score && (but == NULL || mem_id_cmp(but, &b->draft.attr.id) != 0) &&
		    (score > out->score || b->ord < out->ord))
			*out = (struct mem_near){ b->ord, b->draft.attr.id, score };
	}
	return out->score > 0 ? MEM_OK : MEM_NONE;
}
