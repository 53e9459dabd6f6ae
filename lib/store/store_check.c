/* SPDX-License-Identifier: Apache-2.0 */
/* Every invariant among the tables of this room. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/row_pack.h"
#include "store/store_int.h"
#include "store/edge_int.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"

/* What is known of an ord. */
enum { HAS_NODE = 1, HAS_ATTR = 2, GOOD = 4, BORN = 8, AUDITED = 16, IMPORTED = 32 };

struct table_check {
	struct mem_txn *t;
	mem_breach_fn *fn;
	void *ctx;
	struct mem_err *err;
	uint8_t *seen;                     /* bits by ord */
	size_t nseen, cap;
	uint64_t expected[MEM_T_COUNT];    /* rows that nodes call for and that are there */
	struct mem_rec rec;
	const struct mem_word_reader *words;
	struct mem_arena arena;            /* of the keys of the node at hand */
	uint32_t ns_max;                   /* highest number of a namespace */
	struct mem_buf told;               /* namespaces told as missing, each between newlines */
};

static void
report_store_breach(struct table_check *c, const char *check, enum mem_table tab, struct mem_str key, const char *message)
{
	struct mem_breach b = { check, store_table_names[tab], key, message };
	c->fn(c->ctx, &b);
}

/* "ref" and "_missing" to "ref_missing". */
static void
report_table_breach(struct table_check *c, enum mem_table tab, const char *what, struct mem_str key, const char *message)
{
	char name[32];
	snprintf(name, sizeof name, "%s_%s", store_table_names[tab], what);
	report_store_breach(c, name, tab, key, message);
}

static unsigned
ord_bits(const struct table_check *c, uint32_t ord)
{
	return ord < c->nseen ? c->seen[ord] : 0;
}

static bool
is_known_ord(const struct table_check *c, uint32_t ord)
{
	return (ord_bits(c, ord) & (HAS_NODE | HAS_ATTR)) != 0;
}

static void
mark_ord(struct table_check *c, uint32_t ord, unsigned bit)
{
	if (ord >= c->nseen) {
		size_t n = (size_t)ord + 1;
		c->seen = mem_grow(c->seen, &c->cap, n, 1);
		memset(c->seen + c->nseen, 0, n - c->nseen);
		c->nseen = n;
	}
	c->seen[ord] = (uint8_t)(c->seen[ord] | bit);
}

/* Calls fn for each row of a table; fn may stop it by a status.  A damaged value has no address. */
typedef enum mem_status check_row_fn(struct table_check *c, struct mem_str key, struct mem_str value);

static bool
is_damaged_value(struct mem_str value)
{
	return value.p == NULL;
}

static void
report_damaged_value(struct table_check *c, enum mem_table tab, struct mem_str key)
{
	report_store_breach(c, "checksum", tab, key, "a value is not what was written");
}

static enum mem_status
check_table(struct table_check *c, enum mem_table tab, check_row_fn *fn)
{
	struct mem_cursor *cur = NULL;
	enum mem_status st = mem_cursor_open(&cur, c->t, tab, c->err);
	if (st == MEM_OK)
		st = mem_cursor_seek(cur, MEM_STR(""), c->err);
	while (st == MEM_OK) {
		struct mem_str value;
		st = mem_cursor_read(cur, &value, NULL);
		if (st == MEM_OK || st == MEM_DAMAGED)
			st = fn(c, mem_cursor_key(cur), st == MEM_OK ? value : (struct mem_str){ NULL, 0 });
		if (st == MEM_OK)
			st = mem_cursor_next(cur, c->err);
	}
	mem_cursor_close(cur);
	return st == MEM_END ? MEM_OK : st;
}

static struct mem_str
put_ord_key(uint8_t key[4], uint32_t ord)
{
	mem_be32(key, ord);
	return (struct mem_str){ (const char *)key, 4 };
}

static uint32_t
key_last_ord(struct mem_str key)
{
	return key.n >= 4 ? mem_be32_get((const uint8_t *)key.p + key.n - 4) : UINT32_MAX;
}

/* ---- nodes ------------------------------------------------------------- */

static enum mem_status
mark_node_row(struct table_check *c, struct mem_str key, struct mem_str value)
{
	if (key.n != 4) {
		report_table_breach(c, MEM_T_NODE, "bad", key, "a key that is no number");
		return MEM_OK;
	}
	mark_ord(c, key_last_ord(key), HAS_NODE);
	if (is_damaged_value(value))
		report_damaged_value(c, MEM_T_NODE, key);
	return MEM_OK;
}

static enum mem_status
mark_attr_row(struct table_check *c, struct mem_str key, struct mem_str value)
{
	if (key.n == 4 && (is_damaged_value(value) || value.n == sizeof(struct mem_attr)))
		mark_ord(c, key_last_ord(key), HAS_ATTR);
	else
		report_table_breach(c, MEM_T_ATTR, "bad", key, "a row of the wrong size");
	if (key.n == 4 && is_damaged_value(value))
		report_damaged_value(c, MEM_T_ATTR, key);
	return MEM_OK;
}

/* Once for each name, however many nodes are in it. */
static void
report_missing_ns(struct table_check *c, struct mem_str name, struct mem_str compartment)
{
	struct mem_buf line = { 0 }, key = { 0 };
	store_ns_key_put(&key, name, compartment);
	mem_buf_printf(&line, "\n%s\n", key.data);
	if (c->told.data == NULL || memmem(c->told.data, c->told.len, line.data, line.len) == NULL) {
		mem_buf_str(&c->told, mem_buf_span(&line));
		report_table_breach(c, MEM_T_NS, "missing", mem_buf_span(&key), "a namespace that nodes are in has no number");
	}
	mem_buf_release(&key);
	mem_buf_release(&line);
}

/* What is derived from a node's text, with its namespace's number.  MEM_REFUSED: nothing can be; with `tell` that is reported. */
static enum mem_status
read_checked_node(struct table_check *c, struct mem_str key, struct mem_str json, struct mem_node_keys *d, bool tell)
{
	struct mem_err why = { 0 };
	mem_arena_reset(&c->arena);
	enum mem_status st = mem_rec_scan(&c->rec, json, &why);
	if (st == MEM_OK)
		st = mem_node_keys_make(d, c->t->s, &c->rec, MEM_FILL_NOTHING, c->words, &c->arena, &why);
	if (st != MEM_OK) {
		if (tell)
			report_table_breach(c, MEM_T_NODE, "bad", key, why.msg);
		return MEM_REFUSED;
	}
	st = mem_node_keys_number(c->t, d, false, c->err);
	if (st == MEM_NOTFOUND && tell)
		report_missing_ns(c, d->ns, mem_str(d->compartment));
	return st == MEM_NOTFOUND || st == MEM_FAIL ? MEM_REFUSED : st; /* a failure is told as ns_bad */
}

static enum mem_status
check_node_id(struct table_check *c, uint32_t ord, const struct mem_node_keys *d)
{
	struct mem_str v, key = { (const char *)d->attr.id.b, sizeof d->attr.id.b };
	enum mem_status st = mem_tab_get(c->t, MEM_T_ID, key, &v, c->err);
	if (st == MEM_NOTFOUND) {
		report_table_breach(c, MEM_T_ID, "missing", key, "a node cannot be found by its id");
		return MEM_OK;
	}
	if (st != MEM_OK)
		return st;
	c->expected[MEM_T_ID]++;
	if (v.n != 4 || mem_be32_get((const uint8_t *)v.p) != ord)
		report_table_breach(c, MEM_T_ID, "differs", key, "an id leads to another node");
	return MEM_OK;
}

static enum mem_status
check_node_attr(struct table_check *c, struct mem_str key, const struct mem_node_keys *d)
{
	struct mem_str v;
	enum mem_status st = mem_tab_get(c->t, MEM_T_ATTR, key, &v, c->err);
	if (st == MEM_NOTFOUND) {
		report_table_breach(c, MEM_T_ATTR, "missing", key, "a node has no attributes");
		return MEM_OK;
	}
	/* Node keys start from zero, so the bytes behind the last member agree too. */
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
	if (st == MEM_OK && v.n == sizeof d->attr && memcmp(v.p, &d->attr, sizeof d->attr) != 0)
		report_table_breach(c, MEM_T_ATTR, "differs", key, "attributes differ from the node's text");
	return st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
check_node_rows(struct table_check *c, uint32_t ord, const struct mem_node_keys *d)
{
	struct mem_node_keys_row row = { 0 };
	enum mem_status st = MEM_OK;
	while ((st == MEM_OK || st == MEM_NOTFOUND || st == MEM_DAMAGED) && mem_node_keys_next(d, ord, &row)) {
		struct mem_str v, key = { (const char *)row.key, row.len };
		st = mem_tab_get(c->t, row.table, key, &v, c->err);
		if (st == MEM_NOTFOUND)
			report_table_breach(c, row.table, "missing", key, "a node's row in this table is absent");
		else
			c->expected[row.table]++;
		if (st == MEM_DAMAGED || (st == MEM_OK && !mem_str_eq(v, row.value)))
			report_table_breach(c, row.table, "differs", key, "a row holds something else than its node calls for");
	}
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
check_node(struct table_check *c, struct mem_str key, struct mem_str json)
{
	struct mem_node_keys d;
	if (key.n != 4 || is_damaged_value(json))
		return MEM_OK;
	uint32_t ord = key_last_ord(key);
	enum mem_status st = read_checked_node(c, key, json, &d, true);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? MEM_OK : st;
	mark_ord(c, ord, GOOD);
	st = check_node_attr(c, key, &d);
	if (st == MEM_OK)
		st = check_node_id(c, ord, &d);
	return st == MEM_OK ? check_node_rows(c, ord, &d) : st;
}

/* ---- rows that belong to nothing --------------------------------------- */

static enum mem_status
check_stray_row(struct table_check *c, enum mem_table tab, struct mem_str key, struct mem_str value)
{
	uint8_t k[4];
	struct mem_str json;
	struct mem_node_keys d;
	uint32_t ord = tab == MEM_T_ID ? key_last_ord(value) : key_last_ord(key);
	unsigned b = ord_bits(c, ord);
	if ((b & HAS_NODE) != 0 && (b & GOOD) == 0)
		return MEM_OK; /* its text is told as bad: what it calls for is not known */
	if ((b & HAS_NODE) == 0 && (b & HAS_ATTR) != 0)
		return MEM_OK; /* told as node_missing */
	if ((b & GOOD) != 0) {
		enum mem_status st = mem_tab_get(c->t, MEM_T_NODE, put_ord_key(k, ord), &json, c->err);
		if (st == MEM_OK)
			st = read_checked_node(c, key, json, &d, false);
		if (st != MEM_OK)
			return st == MEM_REFUSED ? MEM_OK : st;
		if (tab == MEM_T_ID && key.n == sizeof d.attr.id.b && memcmp(key.p, d.attr.id.b, key.n) == 0)
			return MEM_OK;
		struct mem_node_keys_row row = { 0 };
		while (mem_node_keys_next(&d, ord, &row))
			if (row.table == tab && mem_str_eq(key, (struct mem_str){ (const char *)row.key, row.len }))
				return MEM_OK;
	}
	report_table_breach(c, tab, "stray", key, "a row that belongs to no node");
	return MEM_OK;
}

#define STRAY(name, tab) \
	static enum mem_status name(struct table_check *c, struct mem_str key, struct mem_str value) \
	{ return check_stray_row(c, tab, key, value); }
STRAY(check_stray_id, MEM_T_ID)
STRAY(check_stray_ref, MEM_T_REF)
STRAY(check_stray_dup, MEM_T_DUP)
STRAY(check_stray_name, MEM_T_NAME)
STRAY(check_stray_sess, MEM_T_SESS)
STRAY(check_stray_due, MEM_T_DUE)

/* Looked for row by row only where there are more rows than nodes call for. */
static enum mem_status
check_stray_tables(struct table_check *c)
{
	static const struct {
		enum mem_table tab;
		check_row_fn *fn;
	} tables[] = {
		{ MEM_T_ID, check_stray_id }, { MEM_T_REF, check_stray_ref }, { MEM_T_DUP, check_stray_dup },
		{ MEM_T_NAME, check_stray_name }, { MEM_T_SESS, check_stray_sess }, { MEM_T_DUE, check_stray_due },
	};
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(tables) && st == MEM_OK; i++)
		if (mem_tab_count(c->t, tables[i].tab) != c->expected[tables[i].tab])
			st = check_table(c, tables[i].tab, tables[i].fn);
	return st;
}

static enum mem_status
check_pend_row(struct table_check *c, struct mem_str key, struct mem_str value)
{
	if (is_damaged_value(value))
		report_damaged_value(c, MEM_T_PEND, key);
	else if (!is_known_ord(c, key_last_ord(key)))
		report_table_breach(c, MEM_T_PEND, "stray", key, "no node waits for this vector");
	return MEM_OK;
}

/* ---- namespaces and edges ---------------------------------------------- */

/* Does it belong to the namespace in whose name it stands? */
static enum mem_status
check_compartment(struct table_check *c, struct mem_str key, const struct store_ns_row *row)
{
	struct mem_str name, compartment, v = { 0 };
	struct store_ns_row root = { 0 };
	enum mem_status st = MEM_OK;
	if (!store_ns_key_parse(key, &name, &compartment)) {
		report_table_breach(c, MEM_T_NS, "bad", key, "a key that is no namespace and no compartment");
		return MEM_OK;
	}
	if (compartment.n > 0)
		st = mem_tab_get(c->t, MEM_T_NS, name, &v, NULL);
	if (compartment.n > 0 && st == MEM_OK && v.n == sizeof root)
		memcpy(&root, v.p, sizeof root);
	if (st != MEM_DAMAGED && root.number != row->root)
		report_table_breach(c, MEM_T_NS, "stray", key, "a compartment that does not belong to its namespace");
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
check_ns_row(struct table_check *c, struct mem_str key, struct mem_str value)
{
	struct store_ns_row row;
	struct mem_str v;
	char back[5] = "";
	if (is_damaged_value(value)) {
		report_damaged_value(c, MEM_T_NS, key);
		return MEM_OK;
	}
	if (key.n == 5 && key.p[0] == '\0') {
		enum mem_status st = mem_tab_get(c->t, MEM_T_NS, value, &v, c->err);
		/* A missing name is told as ns_missing where a node or the log is in it. */
		if (st == MEM_OK && v.n == sizeof row) {
			memcpy(&row, v.p, sizeof row);
			if (row.number != mem_be32_get((const uint8_t *)key.p + 1))
				report_table_breach(c, MEM_T_NS, "differs", key, "a namespace's number leads to another");
		}
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	if (value.n != sizeof row) {
		report_table_breach(c, MEM_T_NS, "bad", key, "a row of the wrong size");
		return MEM_OK;
	}
	memcpy(&row, value.p, sizeof row);
	enum mem_status st = check_compartment(c, key, &row);
	if (st != MEM_OK)
		return st;
	mem_be32((uint8_t *)back + 1, row.number);
	st = mem_tab_get(c->t, MEM_T_NS, (struct mem_str){ back, sizeof back }, &v, c->err);
	if (st == MEM_NOTFOUND)
		report_table_breach(c, MEM_T_NS, "number", key, "a namespace's number leads nowhere");
	if (row.number > c->ns_max)
		c->ns_max = row.number;
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* Does c->rec, an edge's text, name these ends and this kind? */
static bool
edge_text_fits(struct table_check *c, uint32_t from, uint16_t kind, uint32_t to)
{
	struct mem_err why;
	const struct mem_attr *a;
	struct mem_str name;
	struct mem_id id;
	const struct { const char *field; uint32_t ord; } ends[] = { { "from", from }, { "to", to } };
	for (size_t i = 0; i < MEM_COUNT(ends); i++) {
		const struct mem_field *f = mem_rec_find(&c->rec, ends[i].field);
		if (f == NULL || f->value.type != MEM_JSON_STRING ||
		    !mem_id_parse((struct mem_str){ f->value.raw.p + 1, f->value.raw.n - 2 }, &id))
			return false;
		if (mem_attr_at(c->t, ends[i].ord, &a, &why) == MEM_OK && mem_id_cmp(&a->id, &id) != 0)
			return false;
	}
	const struct mem_field *f = mem_rec_find(&c->rec, "edge");
	return f != NULL && mem_edge_kind_name(c->t, kind, &name, &why) == MEM_OK &&
	    f->value.type == MEM_JSON_STRING && mem_str_eq((struct mem_str){ f->value.raw.p + 1, f->value.raw.n - 2 }, name);
}

/* A row of out, and the row of in that leads back (in.n 0: it is told already), against the edge's text. */
/* A row of an older program has no ms past the hour. */
static void
drop_unkept_ms(struct store_out_head *want, struct mem_str out)
{
	struct store_out_head head;
	memcpy(&head, out.p, sizeof head);
	if (head.flags >> MEM_EDGE_MS_SHIFT == 0)
		want->flags &= (1U << MEM_EDGE_MS_SHIFT) - 1;
}

static void
check_edge_text(struct table_check *c, struct mem_str key, struct mem_str out, struct mem_str in_key, struct mem_str in)
{
	uint32_t from, to;
	uint16_t kind;
	struct mem_edge e;
	struct mem_edge_values v;
	struct mem_err why;
	struct store_out_head head;
	memcpy(&head, out.p, sizeof head);
	store_out_row_read(&e, out);
	store_edge_key_parse(key.p, &from, &kind, &to);
	if (!is_known_ord(c, from) || !is_known_ord(c, to)) {
		report_store_breach(c, "edge_end", MEM_T_OUT, key, "an edge's end is not there");
		return;
	}
	bool read = mem_rec_scan(&c->rec, e.json, &why) == MEM_OK;
	if (!read || !edge_text_fits(c, from, kind, to))
		report_store_breach(c, "edge_differs", MEM_T_OUT, key, "an edge's text names other ends or another kind");
	read = read && mem_edge_values_read(&v, &c->rec, &why) == MEM_OK;
	if (read) {
		head = store_out_head_make(head.seq, &v);
		drop_unkept_ms(&head, out);
		/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bytes that were written against bytes to be written */
		if (memcmp(&head, out.p, sizeof head) != 0)
			report_table_breach(c, MEM_T_OUT, "differs", key, "weight, confidence, times or direction differ from the edge's text");
	}
	struct store_in_row want = store_in_row_make(&head);
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
	if (in.n == sizeof want && memcmp(in.p, &want, sizeof want) != 0)
		report_table_breach(c, MEM_T_IN, "differs", in_key, "weight, time or direction differ from the edge's text");
}

/* One row of out or in; its counterpart has the two ords changed over. */
static enum mem_status
check_edge_row(struct table_check *c, enum mem_table tab, struct mem_str key, struct mem_str value)
{
	uint8_t k[STORE_EDGE_KEY];
	uint32_t a, b;
	uint16_t kind;
	struct mem_str v = { "", 0 };
	bool out = tab == MEM_T_OUT;
	enum mem_table other = out ? MEM_T_IN : MEM_T_OUT;
	if (is_damaged_value(value)) {
		report_damaged_value(c, tab, key);
		return MEM_OK;
	}
	if (key.n != sizeof k || (out ? value.n < sizeof(struct store_out_head) : value.n != sizeof(struct store_in_row))) {
		report_table_breach(c, tab, "bad", key, "a row of the wrong size");
		return MEM_OK;
	}
	store_edge_key_parse(key.p, &a, &kind, &b);
	struct mem_str back = store_edge_key(k, b, kind, a);
	enum mem_status st = mem_tab_get(c->t, other, back, &v, c->err);
	if (st == MEM_NOTFOUND)
		report_table_breach(c, other, "missing", back, "an edge stands in one direction only");
	if (st != MEM_OK && st != MEM_NOTFOUND && st != MEM_DAMAGED)
		return st;
	if (out)
		check_edge_text(c, key, value, back, v);
	return MEM_OK;
}

static enum mem_status
check_out_row(struct table_check *c, struct mem_str key, struct mem_str value)
{
	return check_edge_row(c, MEM_T_OUT, key, value);
}

static enum mem_status
check_in_row(struct table_check *c, struct mem_str key, struct mem_str value)
{
	return check_edge_row(c, MEM_T_IN, key, value);
}

/* ---- log, audit, counters ---------------------------------------------- */

/* The node with this id, if it is there. */
static enum mem_status
find_ord_of_id(struct table_check *c, const struct mem_id *id, uint32_t *ord)
{
	struct mem_str v;
	enum mem_status st = mem_tab_get(c->t, MEM_T_ID, (struct mem_str){ (const char *)id->b, sizeof id->b }, &v, c->err);
	*ord = st == MEM_OK ? key_last_ord(v) : UINT32_MAX;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* A row of log or audit that can be read says something of a node. */
typedef enum mem_status check_told_row_fn(struct table_check *c, const struct store_row *row);

static enum mem_status
check_log_row(struct table_check *c, const struct store_row *row)
{
	uint32_t ord;
	enum mem_status st = find_ord_of_id(c, &row->id, &ord);
	bool import = mem_str_is(row->words[0], "import");
	if (st == MEM_OK && ord != UINT32_MAX && (import || mem_str_is(row->words[0], "new")))
		mark_ord(c, ord, BORN | (import ? IMPORTED : 0));
	return st;
}

static enum mem_status
check_audit_row(struct table_check *c, const struct store_row *row)
{
	uint32_t ord;
	enum mem_status st = find_ord_of_id(c, &row->id, &ord);
	if (st == MEM_OK && ord != UINT32_MAX)
		mark_ord(c, ord, AUDITED);
	return st;
}

/* A row, or a block of them, that cannot be read: is it another's bytes, or ours in a form that there is not? */
static enum mem_status
report_lost_rows(struct table_check *c, const struct store_row_reader *r)
{
	uint8_t k[8];
	struct mem_str v;
	enum mem_table tab = r->from_block ? store_block_table(r->tab) : r->tab;
	struct mem_str key = { (const char *)k, sizeof k };
	mem_be64(k, r->last);
	enum mem_status st = mem_tab_get(c->t, tab, key, &v, NULL);
	if (st == MEM_DAMAGED)
		report_damaged_value(c, tab, key);
	else
		report_table_breach(c, tab, "bad", key, r->from_block ? "a block that holds no rows up to its number" : "a row of the wrong size");
	return MEM_OK;
}

/* Rows 1 to `last`, in blocks or not, none left out, none twice, none behind.  *whole when that is so. */
static enum mem_status
check_told_rows(struct table_check *c, enum mem_table tab, uint64_t last, check_told_row_fn *fn, bool *whole)
{
	struct store_row_reader r;
	struct store_row row;
	uint8_t k[8];
	const struct mem_str key = { (const char *)k, sizeof k };
	uint64_t want = 1;
	enum mem_status st = store_rows_begin(&r, c->t, tab, 0, c->err);
	*whole = true;
	while (st == MEM_OK && (st = store_rows_next(&r, &row, c->err)) != MEM_END) {
		bool lost = st == MEM_DAMAGED;
		mem_be64(k, row.seq);
		if (lost)
			st = report_lost_rows(c, &r);
		else if (st == MEM_OK)
			st = fn(c, &row);
		if (r.twice)
			report_table_breach(c, tab, "twice", key, "a row that is in a block, too");
		/* In a block that cannot be read are those before it, as far as is known. */
		if (!(lost && r.from_block) && row.seq != want) {
			report_table_breach(c, tab, "gap", key, "rows before this one are not there");
			*whole = false;
		}
		*whole = *whole && !lost;
		want = row.seq + 1;
	}
	store_rows_end(&r);
	if (st == MEM_END && want != last + 1) {
		report_store_breach(c, tab == MEM_T_LOG ? "counter_seq" : "counter_audit", MEM_T_META, MEM_STR("counters"),
		    "the last row's number and the counter differ");
		*whole = false;
	}
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
check_node_births(struct table_check *c, bool log_whole, bool audit_whole)
{
	for (uint32_t ord = 0; ord < c->nseen; ord++) {
		uint8_t k[4];
		const struct mem_attr *a;
		unsigned b = c->seen[ord];
		if ((b & HAS_NODE) == 0 && (b & HAS_ATTR) != 0)
			report_table_breach(c, MEM_T_NODE, "missing", put_ord_key(k, ord), "attributes without a node");
		if ((b & (GOOD | HAS_ATTR)) != (GOOD | HAS_ATTR))
			continue;
		uint32_t found;
		enum mem_status st = mem_attr_at(c->t, ord, &a, c->err);
		if (st == MEM_DAMAGED)
			continue;
		if (st == MEM_OK)
			st = find_ord_of_id(c, &a->id, &found);
		if (st != MEM_OK)
			return st;
		if (found != ord)
			continue; /* told as id_missing or id_differs */
		if (log_whole && (b & BORN) == 0)
			report_table_breach(c, MEM_T_LOG, "missing", put_ord_key(k, ord), "the log does not tell that this node came");
		if (log_whole && audit_whole && a->kind == MEM_KIND_EPISODE && (b & BORN) != 0 && (b & (IMPORTED | AUDITED)) == 0)
			report_table_breach(c, MEM_T_AUDIT, "missing", put_ord_key(k, ord), "no audit row tells how this episode came");
	}
	if (c->ns_max >= c->t->c.next_ns)
		report_store_breach(c, "counter_ns", MEM_T_META, MEM_STR("counters"), "the next namespace would take a number in use");
	if (c->t->c.repairing != 0)
		report_store_breach(c, "counter_repair", MEM_T_META, MEM_STR("counters"), "a repair was broken off");
	if (c->nseen > c->t->c.next_ord)
		report_store_breach(c, "counter_ord", MEM_T_META, MEM_STR("counters"), "the next node would take a number in use");
	return MEM_OK;
}

enum mem_status
mem_store_check(struct mem_txn *t, const struct mem_word_reader *words, mem_breach_fn *fn, void *ctx, struct mem_err *err)
{
	struct table_check c = { .t = t, .words = words, .fn = fn, .ctx = ctx, .err = err };
	bool log_whole = true, audit_whole = true;
	static const struct {
		enum mem_table tab;
		check_row_fn *fn;
	} passes[] = {
		{ MEM_T_NODE, mark_node_row }, { MEM_T_ATTR, mark_attr_row }, { MEM_T_NODE, check_node },
		{ MEM_T_NS, check_ns_row }, { MEM_T_OUT, check_out_row }, { MEM_T_IN, check_in_row },
		{ MEM_T_PEND, check_pend_row },
	};
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(passes) && st == MEM_OK; i++)
		st = check_table(&c, passes[i].tab, passes[i].fn);
	if (st == MEM_OK)
		st = store_check_meta(t, fn, ctx, err);
	if (st == MEM_OK)
		st = check_stray_tables(&c);
	if (st == MEM_OK)
		st = check_told_rows(&c, MEM_T_LOG, t->c.seq, check_log_row, &log_whole);
	if (st == MEM_OK)
		st = check_told_rows(&c, MEM_T_AUDIT, t->c.audit_seq, check_audit_row, &audit_whole);
	if (st == MEM_OK)
		st = check_node_births(&c, log_whole, audit_whole);
	mem_rec_release(&c.rec);
	mem_arena_release(&c.arena);
	mem_buf_release(&c.told);
	free(c.seen);
	return st;
}
