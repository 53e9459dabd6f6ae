/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of nodes with notes. */
#include "query/noted_nodes.h"

#include "graph/mentions.h"
#include "store/node.h"

enum { SNAPSHOT_NODES = 1000 };

/* What is used again from node to node. */
struct note_room {
	struct mem_rec rec;
	struct mem_arena arena;
	struct mem_mention_counter *counter;
	bool page;                 /* the node in hand is one */
	uint32_t ord;
};

/* How often a page is linked to, where that is wanted. */
static enum mem_status
note_mentions(const struct mem_noted_nodes *x, struct mem_txn *t, struct note_room *room, struct mem_edit *out, struct mem_err *err)
{
	int64_t n = 0;
	*out = (struct mem_edit){ .name = MEM_MENTIONS_FIELD };
	if (!x->mentions || !room->page)
		return MEM_OK;
	enum mem_status st = room->counter != NULL ? MEM_OK : mem_mention_counter_open(&room->counter, t, err);
	if (st == MEM_OK)
		st = mem_mentions_count(room->counter, room->ord, &n, err);
	if (st == MEM_OK)
		out->raw = mem_str(mem_arena_printf(&room->arena, "%lld", (long long)n));
	return st;
}

static enum mem_status
append_noted_line(struct mem_noted_nodes *x, size_t i, struct mem_txn *t, struct note_room *room, struct mem_buf *lines, struct mem_err *err)
{
	struct mem_edit edits[MEM_NOTES_MAX + 1] = { 0 };
	size_t n = 0;
	for (; n < MEM_NOTES_MAX && x->notes[n] != NULL; n++)
		edits[n].name = x->notes[n];
	x->note(x->ctx, i, x->passed, edits, &room->arena);
	enum mem_status st = note_mentions(x, t, room, &edits[n], err);
	n += edits[n].raw.n > 0;
	mem_rec_edit(lines, &room->rec, edits, n);
	mem_buf_putc(lines, '\n');
	return st;
}

/* Is it there still, and does the filter leave it?  Then its record is in the room. */
static enum mem_status
read_noted_node(struct mem_noted_nodes *x, struct mem_txn *t, uint32_t ord, struct note_room *room, bool *pass, struct mem_err *err)
{
	struct mem_node node;
	*pass = false;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	if (st == MEM_DAMAGED || st == MEM_NOTFOUND)
		return MEM_OK;
	if (st != MEM_OK || !mem_node_readable(t, node.attr))
		return st;
	if (mem_rec_scan(&room->rec, node.json, err) != MEM_OK)
		return mem_err_set(err, MEM_FAIL, "'%s': a node's text cannot be read: run mem-check", mem_store_path(x->store));
	*pass = true;
	room->page = node.attr->kind == MEM_KIND_PAGE;
	room->ord = ord;
	return x->filter != NULL ? mem_node_filter_pass(x->filter, t, node.attr, &room->rec, pass, err) : MEM_OK;
}

enum mem_status
mem_noted_nodes_next(struct mem_noted_nodes *x, size_t max, struct mem_buf *lines, size_t *n, struct mem_err *err)
{
	struct note_room room = { 0 };
	struct mem_txn *t = NULL;
	size_t end = x->n - x->at > SNAPSHOT_NODES ? x->at + SNAPSHOT_NODES : x->n;
	*n = 0;
	if (x->at == x->n)
		return MEM_END;
	enum mem_status st = mem_txn_read(&t, x->store, err);
	for (; st == MEM_OK && *n < max && x->at < end; x->at++) {
		bool pass;
		st = read_noted_node(x, t, x->ords[x->at], &room, &pass, err);
		if (st != MEM_OK || !pass)
			continue;
		x->passed++;
		++*n;
		st = append_noted_line(x, x->at, t, &room, lines, err);
		mem_arena_reset(&room.arena);
	}
	mem_mention_counter_free(room.counter);
	mem_txn_end(t);
	mem_rec_release(&room.rec);
	mem_arena_release(&room.arena);
	return st;
}
