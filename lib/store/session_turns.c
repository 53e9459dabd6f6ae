/* SPDX-License-Identifier: Apache-2.0 */
/* The turns of a session around one of them. */
#include "store/store_int.h"
#include "store/node.h"

#include <stdlib.h>

enum { TURN_KEY = 24 }; /* root namespace, hash of the session, captured_at, ord */

/* attr has half of a session's hash; all of it comes from a text, once for each session. */
struct session_hash {
	uint32_t root, number;
	uint64_t hash;
};

struct mem_turns {
	struct mem_txn *t;
	struct mem_cursor *c;
	struct session_hash *hashes; /* OWNS */
	size_t n, cap;
	uint8_t key[TURN_KEY];       /* of the turn sought */
};

enum mem_status
mem_turns_open(struct mem_turns **out, struct mem_txn *t, struct mem_err *err)
{
	struct mem_turns *w = mem_xcalloc(1, sizeof *w);
	*out = NULL;
	w->t = t;
	enum mem_status st = mem_cursor_open(&w->c, t, MEM_T_SESS, err);
	if (st == MEM_OK)
		*out = w;
	else
		free(w);
	return st;
}

void
mem_turns_close(struct mem_turns *w)
{
	if (w == NULL)
		return;
	mem_cursor_close(w->c);
	free(w->hashes);
	free(w);
}

static enum mem_status
read_session_hash(struct mem_turns *w, uint32_t ord, uint64_t *hash, struct mem_err *err)
{
	struct mem_str json;
	struct mem_rec r = { 0 };
	struct mem_buf id = { 0 };
	enum mem_status st = mem_node_text_at(w->t, ord, &json, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&r, json, err);
	if (st == MEM_OK && !mem_json_decode(&id, mem_rec_value(&r, "session_id")))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		*hash = store_session_hash(w->t->s, mem_buf_span(&id));
	mem_buf_release(&id);
	mem_rec_release(&r);
	return st;
}

static enum mem_status
seek_turn(struct mem_turns *w, uint32_t root, uint64_t hash, const struct mem_attr *a, uint32_t ord, struct mem_err *err)
{
	mem_be32(w->key, root);
	mem_be64(w->key + 4, hash);
	store_put_key_time(w->key + 12, a->captured_at);
	mem_be32(w->key + 20, ord);
	const struct mem_str want = { (const char *)w->key, TURN_KEY };
	enum mem_status st = mem_cursor_seek(w->c, want, err);
	if (st == MEM_OK && !mem_str_eq(mem_cursor_key(w->c), want))
		st = MEM_NOTFOUND;
	return st == MEM_END ? MEM_NOTFOUND : st;
}

enum mem_status
mem_turns_seek(struct mem_turns *w, uint32_t root, uint32_t ord, const struct mem_attr *a, struct mem_err *err)
{
	size_t i = 0;
	uint64_t hash;
	enum mem_status st = MEM_NOTFOUND;
	if (a->session == 0)
		return MEM_NOTFOUND;
	while (i < w->n && (w->hashes[i].root != root || w->hashes[i].number != a->session))
		i++;
	if (i < w->n)
		st = seek_turn(w, root, w->hashes[i].hash, a, ord, err);
	if (st != MEM_NOTFOUND)
		return st;
	/* The first of its session, or of another one with the same number. */
	st = read_session_hash(w, ord, &hash, err);
	if (st != MEM_OK)
		return st;
	if (i == w->n) {
		w->hashes = mem_grow(w->hashes, &w->cap, w->n + 1, sizeof *w->hashes);
		w->hashes[w->n++] = (struct session_hash){ root, a->session, hash };
	}
	st = seek_turn(w, root, hash, a, ord, err);
	if (st == MEM_NOTFOUND)
		mem_node_part_damage_note(w->t, ord, "its row of table sess");
	return st;
}

enum mem_status
mem_turns_step(struct mem_turns *w, bool backwards, uint32_t *ord, struct mem_err *err)
{
	enum { SESSION = 12 };
	enum mem_status st;
	do
		st = backwards ? mem_cursor_prev(w->c, err) : mem_cursor_next(w->c, err);
	while (st == MEM_OK && !mem_turn_row_fits(w->t, mem_cursor_key(w->c)));
	if (st != MEM_OK)
		return st;
	struct mem_str key = mem_cursor_key(w->c);
	if (key.n != TURN_KEY || memcmp(key.p, w->key, SESSION) != 0)
		return MEM_END;
	*ord = mem_be32_get((const uint8_t *)key.p + TURN_KEY - 4);
	return MEM_OK;
}
