/* SPDX-License-Identifier: Apache-2.0 */
/* What is damaged: named by what is left of it, and told once its reader has passed over it. */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"
#include "record/record.h"
#include "store/log.h"
#include "store/node.h"

/* What is left of a node. */
struct node_trace {
	enum mem_status text, attr; /* MEM_OK, MEM_DAMAGED, MEM_NOTFOUND */
	bool has_id, has_ns;
	struct mem_id id;
	uint32_t ns;
};

static struct mem_str
trace_key(uint8_t key[4], uint32_t ord)
{
	mem_be32(key, ord);
	return (struct mem_str){ (const char *)key, 4 };
}

static void
trace_by_attr(struct mem_txn *t, uint32_t ord, struct node_trace *n)
{
	uint8_t key[4];
	struct mem_str v;
	struct mem_attr a;
	n->attr = mem_tab_get(t, MEM_T_ATTR, trace_key(key, ord), &v, NULL);
	if (n->attr == MEM_OK && v.n != sizeof a)
		n->attr = MEM_DAMAGED;
	if (n->attr != MEM_OK)
		return;
	memcpy(&a, v.p, sizeof a);
	n->has_id = n->has_ns = true;
	n->id = a.id;
	n->ns = a.ns;
}

static void
trace_by_text(struct mem_txn *t, uint32_t ord, struct node_trace *n)
{
	uint8_t key[4];
	struct mem_str v;
	struct mem_rec rec = { 0 };
	struct mem_node_keys d;
	n->text = mem_tab_get(t, MEM_T_NODE, trace_key(key, ord), &v, NULL);
	if (n->text != MEM_OK || n->has_id)
		return;
	if (mem_rec_scan(&rec, v, NULL) == MEM_OK && mem_node_keys_make(&d, t->s, &rec, MEM_FILL_NOTHING, NULL, NULL, NULL) == MEM_OK) {
		n->has_id = true;
		n->id = d.attr.id;
		n->has_ns = mem_node_keys_number(t, &d, false, NULL) == MEM_OK;
		n->ns = d.attr.ns;
	}
	mem_rec_release(&rec);
}

/* By the other way round: which id leads to it?  All ids are looked at, which only damage calls for. */
static void
trace_by_id(struct mem_txn *t, uint32_t ord, struct node_trace *n)
{
	uint8_t key[4];
	struct mem_str want = trace_key(key, ord);
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ID, NULL);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR(""), NULL);
	for (; st == MEM_OK && !n->has_id; st = mem_cursor_next(c, NULL)) {
		struct mem_str k = mem_cursor_key(c);
		n->has_id = k.n == sizeof n->id.b && mem_str_eq(mem_cursor_value(c), want);
		if (n->has_id)
			memcpy(n->id.b, k.p, sizeof n->id.b);
	}
	mem_cursor_close(c);
	if (n->has_id)
		n->has_ns = store_log_find_ns(t, &n->id, &n->ns) == MEM_OK;
}

static void
trace_node(struct mem_txn *t, uint32_t ord, struct node_trace *n)
{
	*n = (struct node_trace){ 0 };
	trace_by_attr(t, ord, n);
	trace_by_text(t, ord, n);
	if (!n->has_id)
		trace_by_id(t, ord, n);
}

/* "its text is damaged and its attributes are missing" */
static void
put_node_fault(struct mem_buf *b, const struct node_trace *n)
{
	const struct { const char *subject, *verb; enum mem_status st; } parts[] = {
		{ "its text", "is", n->text }, { "its attributes", "are", n->attr },
	};
	size_t told = 0;
	for (size_t i = 0; i < MEM_COUNT(parts); i++)
		if (parts[i].st != MEM_OK)
			mem_buf_printf(b, "%s%s %s %s", told++ > 0 ? " and " : "", parts[i].subject, parts[i].verb,
			    parts[i].st == MEM_NOTFOUND ? "missing" : "damaged");
	if (told == 0)
		mem_buf_puts(b, "another id leads to it");
}

/* `part` NULL: of its own rows. */
static void
put_node_damage(struct mem_buf *b, const struct mem_txn *t, uint32_t ord, const struct node_trace *n, const char *part)
{
	char id[MEM_ID_LEN + 1];
	mem_buf_printf(b, "'%s': node ", t->s->path);
	if (n->has_id) {
		mem_id_format(&n->id, id);
		mem_buf_puts(b, id);
	} else
		mem_buf_printf(b, "number %u", ord);
	mem_buf_puts(b, " is damaged: ");
	if (part != NULL)
		mem_buf_printf(b, "%s is not what was written", part);
	else
		put_node_fault(b, n);
	mem_buf_puts(b, ": run mem-check");
}

void
store_describe_damage(struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct node_trace n;
	struct mem_buf b = { 0 };
	if (err == NULL)
		return;
	trace_node(t, ord, &n);
	put_node_damage(&b, t, ord, &n, NULL);
	mem_err_set(err, MEM_DAMAGED, "%s", b.data);
	mem_buf_release(&b);
}

static bool
is_traced_node_readable(struct mem_txn *t, const struct node_trace *n, bool unknown)
{
	struct store_ns_entry *e;
	return n->has_ns && store_ns_by_number(t, n->ns, &e, NULL) == MEM_OK ? e->readable : unknown;
}

bool
mem_node_damage_readable(struct mem_txn *t, uint32_t ord, bool unknown)
{
	struct node_trace n;
	trace_node(t, ord, &n);
	return is_traced_node_readable(t, &n, unknown);
}

bool
store_damaged_id(struct mem_txn *t, uint32_t ord, struct mem_id *id)
{
	struct node_trace n;
	trace_node(t, ord, &n);
	*id = n.id;
	return n.has_id;
}

/* ---- telling --------------------------------------------------------------- */

static void
queue_damage(struct mem_store *s, struct mem_str message)
{
	s->damage.count++;
	mem_buf_str(&s->damage.lines, message);
	mem_buf_putc(&s->damage.lines, '\0');
}

/* Is this the first time that the bit is asked for? */
static bool
mark_damage_told(struct store_damage *d, uint32_t ord)
{
	size_t byte = ord / 8;
	if (byte >= d->ntold) {
		d->told = mem_grow(d->told, &d->told_cap, byte + 1, 1);
		memset(d->told + d->ntold, 0, byte + 1 - d->ntold);
		d->ntold = byte + 1;
	}
	bool first = (d->told[byte] >> (ord & 7) & 1) == 0;
	d->told[byte] = (uint8_t)(d->told[byte] | 1U << (ord & 7));
	return first;
}

void
mem_node_damage_note(struct mem_txn *t, uint32_t ord)
{
	mem_node_part_damage_note(t, ord, NULL);
}

void
mem_node_part_damage_note(struct mem_txn *t, uint32_t ord, const char *part)
{
	struct node_trace n;
	struct mem_buf b = { 0 };
	if (!mark_damage_told(&t->s->damage, ord))
		return;
	trace_node(t, ord, &n);
	if (!is_traced_node_readable(t, &n, true))
		return;
	put_node_damage(&b, t, ord, &n, part);
	queue_damage(t->s, mem_buf_span(&b));
	mem_buf_release(&b);
}

void
mem_store_damage_note(struct mem_store *s, const struct mem_err *err)
{
	struct mem_str message = mem_str(err->msg);
	if (s->damage.lines.len == 0 || memmem(s->damage.lines.data, s->damage.lines.len, message.p, message.n) == NULL)
		queue_damage(s, message);
}

void
store_note_row_damage(struct mem_txn *t, enum mem_table tab, struct mem_str key)
{
	struct mem_buf b = { 0 };
	mem_buf_printf(&b, "'%s': ", t->s->path);
	if (key.n == 8)
		mem_buf_printf(&b, "row %llu of table %s", (unsigned long long)mem_be64_get((const uint8_t *)key.p), store_table_names[tab]);
	else
		mem_buf_printf(&b, "a row of table %s", store_table_names[tab]);
	mem_buf_puts(&b, " is damaged: run mem-check");
	queue_damage(t->s, mem_buf_span(&b));
	mem_buf_release(&b);
}

void
store_note_block_damage(struct mem_txn *t, enum mem_table tab, uint64_t first, uint64_t last)
{
	struct mem_buf b = { 0 };
	mem_buf_printf(&b, "'%s': rows %llu to %llu of table %s are damaged: run mem-check", t->s->path, (unsigned long long)first,
	    (unsigned long long)last, store_table_names[tab]);
	queue_damage(t->s, mem_buf_span(&b));
	mem_buf_release(&b);
}

void
store_note_ns_damage(struct mem_txn *t, uint32_t number)
{
	struct mem_buf b = { 0 };
	if (t->s->damage.ns_told)
		return;
	t->s->damage.ns_told = true;
	mem_buf_printf(&b, "'%s': what is in namespace number %u is passed over: table ns is damaged: run mem-check", t->s->path, number);
	queue_damage(t->s, mem_buf_span(&b));
	mem_buf_release(&b);
}

void
store_note_open_repair(struct mem_store *s)
{
	struct mem_buf b = { 0 };
	if (s->damage.repair_told)
		return;
	s->damage.repair_told = true;
	mem_buf_printf(&b, "'%s': not all is found: a repair is under way or was broken off: run mem-check --repair", s->path);
	queue_damage(s, mem_buf_span(&b));
	mem_buf_release(&b);
}

uint64_t
mem_store_damage_count(const struct mem_store *s)
{
	return s->damage.count;
}

/* Never inside a transaction, since whoever is told may print. */
void
store_tell_damage(struct mem_store *s)
{
	struct store_damage *d = &s->damage;
	if (d->lines.len == 0 || s->snapshots > 0 || s->writing)
		return;
	for (size_t at = 0; d->fn != NULL && at < d->lines.len; at += strlen(d->lines.data + at) + 1)
		d->fn(d->ctx, d->lines.data + at);
	mem_buf_reset(&d->lines);
}
