/* SPDX-License-Identifier: Apache-2.0 */
/* Repair: all that is derived from the texts of nodes is built anew; then what the rules of belief have ended wrongly is judged anew. */
#include "belief/fact_check.h"
#include "store/node.h"
#include "upkeep/upkeep_int.h"
#include "write/entry.h"
#include "write/tidy.h"

#include <stdlib.h>

enum { REPAIR_NODES = 4000 };

struct repair {
	struct mem_index *m;
	struct mem_arena arena;
	struct mem_entry *entries;
	uint32_t *ords;
	size_t n;
	uint32_t next;                 /* first ord not looked at */
	bool end;
};

static enum mem_status
begin_repair(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct repair *r = ctx;
	enum mem_status st = mem_store_rebuild_begin(t, err);
	if (st == MEM_OK)
		st = mem_index_clear(t, err);
	if (st == MEM_OK)
		st = mem_vectors_mend(t, err);
	return st == MEM_OK ? mem_index_rules_put(t, r->m->analyser, err) : st;
}

/* Reads and analyses the next nodes.  Other writers are kept out, so their texts stay what they are. */
static enum mem_status
gather_repair_nodes(struct repair *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_cursor *c = NULL;
	uint8_t key[4];
	enum mem_status st = mem_txn_read(&t, r->m->store, err);
	if (st != MEM_OK)
		return st;
	mem_arena_reset(&r->arena);
	r->n = 0;
	mem_be32(key, r->next);
	st = mem_cursor_open(&c, t, MEM_T_NODE, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)key, sizeof key }, err);
	for (; st == MEM_OK && r->n < REPAIR_NODES; st = mem_cursor_next(c, err)) {
		struct mem_str k = mem_cursor_key(c);
		struct mem_err why;
		if (k.n != 4)
			continue;
		uint32_t ord = mem_be32_get((const uint8_t *)k.p);
		r->next = ord + 1;
		struct mem_str v;
		if (mem_cursor_read(c, &v, &why) != MEM_OK)
			continue; /* mem-check goes on telling it as checksum */
		struct mem_str json = mem_arena_str(&r->arena, v);
		if (mem_entry_make(&r->entries[r->n], r->m, &r->arena, json, MEM_FILL_NOTHING, &why) != MEM_OK)
			continue; /* mem-check goes on telling it as node_bad */
		r->ords[r->n++] = ord;
	}
	r->end = st == MEM_END;
	mem_cursor_close(c);
	mem_txn_end(t);
	return st == MEM_END ? MEM_OK : st;
}

/* A vector is not derived from the text here: who has none waits for it. */
static enum mem_status
restore_node_vector(struct mem_txn *t, const struct mem_entry *e, uint32_t ord, struct mem_err *err)
{
	enum mem_vector_state v;
	enum mem_status st = mem_vector_state_get(t, ord, &v, err);
	if (st == MEM_OK && v == MEM_VECTOR_THERE) {
		st = mem_vectors_restore(t, ord, err);
		if (st != MEM_NOTFOUND)
			return st;
		st = MEM_OK; /* of several passages: they are made anew */
	}
	return st == MEM_OK && e->embeds ? mem_vectors_pend(t, ord, err) : st;
}

static enum mem_status
put_repaired_nodes(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct repair *r = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < r->n && st == MEM_OK; i++) {
		struct mem_entry *e = &r->entries[i];
		st = mem_store_rebuild_node(t, r->ords[i], &e->draft, err);
		e->doc.ord = r->ords[i];
		e->doc.ns = e->draft.attr.ns;
		e->doc.attr = &e->draft.attr;
		if (st == MEM_OK && e->indexed)
			st = mem_words_add(t, &e->doc, err);
		if (st == MEM_OK)
			st = restore_node_vector(t, e, r->ords[i], err);
	}
	return st;
}

static enum mem_status
end_repair(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	(void)ctx;
	(void)err;
	mem_store_rebuild_end(t);
	return MEM_OK;
}

/* All of it, on the copy. */
static enum mem_status
repair_data(struct repair *r, mem_progress_fn *progress, void *pctx, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	uint64_t done = 0, total = 0;
	enum mem_status st = mem_txn_read(&t, r->m->store, err);
	if (st != MEM_OK)
		return st;
	total = mem_tab_count(t, MEM_T_NODE);
	mem_txn_end(t);
	st = mem_store_write(r->m->store, begin_repair, r, err);
	while (st == MEM_OK && !r->end) {
		st = gather_repair_nodes(r, err);
		if (st == MEM_OK && r->n > 0)
			st = mem_store_write(r->m->store, put_repaired_nodes, r, err);
		if (st == MEM_OK)
			st = mem_write_tidy(r->m, err);
		done += r->n;
		if (progress != NULL)
			progress(pctx, done, total);
	}
	return st == MEM_OK ? mem_store_write(r->m->store, end_repair, r, err) : st;
}

enum mem_status
mem_upkeep_repair(struct mem_index *m, mem_progress_fn *progress, void *pctx, struct mem_err *err)
{
	struct repair r = { .m = m };
	struct mem_err why;
	const struct mem_principal *who = mem_store_principal(m->store);
	if (!who->is_operator)
		return mem_err_set(err, MEM_DENIED, "a repair is for operators, and '%s' is none (operators: in config.yaml)", who->agent);
	bool begun = mem_store_is_aside(m->store); /* since pages are damaged */
	enum mem_status st = begun ? MEM_OK : mem_store_lock(m->store, MEM_LOCK_WRITERS, -1, err);
	if (st != MEM_OK)
		return st;
	st = begun ? MEM_OK : mem_store_aside_begin(m->store, err);
	if (st == MEM_OK) {
		r.entries = mem_xcalloc(REPAIR_NODES, sizeof *r.entries);
		r.ords = mem_xcalloc(REPAIR_NODES, sizeof *r.ords);
		st = repair_data(&r, progress, pctx, err);
		enum mem_status ended = mem_store_aside_end(m->store, st == MEM_OK, st == MEM_OK ? err : &why);
		st = st == MEM_OK ? ended : st;
	}
	mem_store_unlock(m->store, MEM_LOCK_WRITERS);
	if (st == MEM_OK)
		st = mem_facts_mend(m, err);
	if (progress != NULL)
		progress(pctx, 1, 1);
	mem_arena_release(&r.arena);
	free(r.entries);
	free(r.ords);
	return st;
}
