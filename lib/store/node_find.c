/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes by what else they are found by: ref, name, session, and the same words. */
#include <string.h>

#include "record/record.h"
#include "store/node.h"
#include "store/row_owner_int.h"
#include "store/store_int.h"

/*
 * The next row before (`back`) or after `key`, which ends in ord; MEM_END when its first `prefix` bytes differ.  In a damaged
 * table the next key may be one that was passed, from which its reader would come back here for ever.
 */
static enum mem_status
step_to_row(struct mem_txn *t, enum mem_table tab, const uint8_t *key, size_t len, size_t prefix, bool back,
    struct mem_str *found, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	struct mem_str want = { (const char *)key, len };
	enum mem_status st = mem_cursor_open(&c, t, tab, err);
	if (st != MEM_OK)
		return st;
	st = store_rows_seek(t, tab, c, want, back, err);
	if (st == MEM_OK && !back && mem_str_eq(mem_cursor_key(c), want))
		st = store_rows_step(t, tab, c, false, err);
	if (st == MEM_OK) {
		*found = mem_cursor_key(c);
		if (found->n != len || memcmp(found->p, key, prefix) != 0)
			st = MEM_END;
		else if (back ? memcmp(found->p, key, len) >= 0 : memcmp(found->p, key, len) <= 0)
			st = mem_err_set(err, MEM_DAMAGED, "'%s': keys of table %s are out of order: run mem-check", t->s->path, store_table_names[tab]);
	}
	mem_cursor_close(c);
	return st;
}

static uint32_t
key_end_ord(struct mem_str key)
{
	return mem_be32_get((const uint8_t *)key.p + key.n - 4);
}

/* Keys begin with it.  MEM_END: nothing is in a namespace that there is not. */
static enum mem_status
put_ns_number(struct mem_txn *t, struct mem_str ns, uint8_t *key, struct mem_err *err)
{
	struct store_ns_entry *e;
	enum mem_status st = store_ns_by_name(t, ns, false, &e, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_END : st;
	mem_be32(key, e->ns.number);
	return MEM_OK;
}

/* The newest row before *ord in a table whose keys are ns, `mid`, ord; MEM_END: no more. */
static enum mem_status
find_node_before(struct mem_txn *t, enum mem_table tab, struct mem_str ns, const uint8_t *mid, size_t n, uint32_t *ord,
    struct mem_err *err)
{
	uint8_t key[4 + MEM_NAME_KEY_MAX + 4];
	struct mem_str found;
	enum mem_status st = put_ns_number(t, ns, key, err);
	if (st != MEM_OK)
		return st;
	memcpy(key + 4, mid, n);
	mem_be32(key + 4 + n, *ord);
	st = step_to_row(t, tab, key, 4 + n + 4, 4 + n, true, &found, err);
	if (st == MEM_OK)
		*ord = key_end_ord(found);
	return st;
}

enum mem_status
mem_node_by_ref(struct mem_txn *t, struct mem_str ns, struct mem_str ref, uint32_t *ord, struct mem_err *err)
{
	uint8_t mid[MEM_REF_KEY_MAX];
	return find_node_before(t, MEM_T_REF, ns, mid, store_ref_key(t->s, ref, mid), ord, err);
}

enum mem_status
mem_node_by_name(struct mem_txn *t, struct mem_str ns, struct mem_str type, struct mem_str name, uint32_t *ord,
    struct mem_err *err)
{
	uint8_t mid[MEM_NAME_KEY_MAX];
	return find_node_before(t, MEM_T_NAME, ns, mid, store_name_key(t->s, type, name, mid), ord, err);
}

enum mem_status
mem_node_in_session(struct mem_txn *t, struct mem_str ns, struct mem_str session_id, bool backwards, int64_t *at,
    uint32_t *ord, struct mem_err *err)
{
	uint8_t key[24];
	struct mem_str found;
	enum mem_status st = put_ns_number(t, ns, key, err);
	if (st != MEM_OK)
		return st;
	mem_be64(key + 4, store_session_hash(t->s, session_id));
	store_put_key_time(key + 12, *at);
	mem_be32(key + 20, *ord);
	st = step_to_row(t, MEM_T_SESS, key, sizeof key, 12, backwards, &found, err);
	if (st == MEM_OK) {
		*at = store_get_key_time((const uint8_t *)found.p + 12);
		*ord = key_end_ord(found);
	}
	return st;
}

/* Have both the same role, ref and text? */
static bool
has_same_words(struct mem_str a, struct mem_str b)
{
	static const char *const names[] = { "role", "ref", "content" };
	struct mem_rec x = { 0 }, y = { 0 };
	bool same = mem_rec_scan(&x, a, NULL) == MEM_OK && mem_rec_scan(&y, b, NULL) == MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(names) && same; i++)
		same = mem_str_eq(mem_rec_value(&x, names[i]).raw, mem_rec_value(&y, names[i]).raw);
	mem_rec_release(&x);
	mem_rec_release(&y);
	return same;
}

enum mem_status
mem_node_duplicate(struct mem_txn *t, const struct mem_node_keys *d, struct mem_node *out, struct mem_err *err)
{
	uint8_t mid[8 + sizeof d->dup.b];
	uint32_t ord = UINT32_MAX;
	const struct mem_attr *a;
	enum mem_status st;
	if (!d->has_dup)
		return MEM_NOTFOUND;
	mem_be64(mid, d->session);
	memcpy(mid + 8, d->dup.b, sizeof d->dup.b);
	while ((st = find_node_before(t, MEM_T_DUP, d->ns, mid, sizeof mid, &ord, err)) == MEM_OK) {
		st = mem_attr_at(t, ord, &a, NULL);
		if (st == MEM_OK && !mem_attr_live(a, t->now))
			continue;
		if (st == MEM_OK)
			st = mem_node_at(t, ord, out, NULL);
		if (st != MEM_NOTFOUND && st != MEM_DAMAGED)
			return st;
		/* Whether it says the same cannot be known: better to have it twice than not at all. */
		mem_node_damage_note(t, ord);
	}
	return st == MEM_END ? MEM_NOTFOUND : st;
}

/* A bit for each kind of character; 0: it is neither letter nor digit. */
static unsigned
find_id_kind(char c)
{
	if (c >= 'a' && c <= 'z')
		return 1;
	if (c >= 'A' && c <= 'Z')
		return 2;
	return c >= '0' && c <= '9' ? 4 : 0;
}

/* Letters, digits, - and _ with 16 letters and digits or more in a row that are not all small, all capital or all digits. */
static bool
is_drawn_id(struct mem_str s)
{
	enum { RUN = 16 };
	bool drawn = false;
	unsigned kinds = 0;
	for (size_t i = 0, run = 0; i < s.n; i++) {
		unsigned kind = find_id_kind(s.p[i]);
		if (kind == 0 && s.p[i] != '-' && s.p[i] != '_')
			return false;
		run = kind != 0 ? run + 1 : 0;
		kinds = kind != 0 ? kinds | kind : 0;
		drawn = drawn || (run >= RUN && (kinds & (kinds - 1)) != 0);
	}
	return drawn;
}

/* Is the ref an id that a program drew, and nothing else has?  What it puts behind '#' is a part of the record. */
static bool
has_drawn_ref(struct mem_str json)
{
	struct mem_rec r = { 0 };
	mem_rec_look(&r, json);
	struct mem_json ref = mem_rec_value(&r, "ref");
	bool drawn = false;
	if (ref.type == MEM_JSON_STRING && ref.raw.n > 2) {
		struct mem_str s = { ref.raw.p + 1, ref.raw.n - 2 };
		const char *part = memchr(s.p, '#', s.n);
		struct mem_id id;
		s.n = part != NULL ? (size_t)(part - s.p) : s.n;
		drawn = mem_id_parse(s, &id) || is_drawn_id(s);
	}
	mem_rec_release(&r);
	return drawn;
}

enum mem_status
mem_node_copied(struct mem_txn *t, const struct mem_node_keys *d, struct mem_node *out, struct mem_err *err)
{
	enum { LOOK = 8 };
	uint32_t ord = UINT32_MAX;
	const struct mem_attr *a;
	enum mem_status st = MEM_END;
	if (!d->has_dup || d->ref_len < MEM_REF_OWN)
		return MEM_NOTFOUND;
	bool drawn = false;
	for (int i = 0; i < LOOK; i++) {
		st = find_node_before(t, MEM_T_REF, d->ns, d->ref_key, d->ref_len, &ord, err);
		if (st != MEM_OK)
			break;
		if (i == 0)
			drawn = has_drawn_ref(d->json); /* asked only where the ref is there */
		if (!drawn && (!d->has_captured || d->attr.captured_at == t->now))
			return MEM_NOTFOUND;
		if (mem_attr_at(t, ord, &a, NULL) != MEM_OK || !mem_attr_live(a, t->now) || a->kind != d->attr.kind ||
		    (!drawn && a->captured_at != d->attr.captured_at))
			continue;
		st = mem_node_at(t, ord, out, NULL);
		if (st == MEM_OK && has_same_words(out->json, d->json))
			return MEM_OK;
	}
	return st == MEM_OK || st == MEM_END || st == MEM_DAMAGED ? MEM_NOTFOUND : st;
}
