/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table ns holds two rows for each namespace: name -> struct store_ns_row, and a zero byte with the
 * number -> name.  A transaction keeps those it met and writes the changed ones at its end.
 */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

static struct store_ns_entry *
add_ns_entry(struct mem_txn *t, struct mem_str name, const struct store_ns_row *row)
{
	struct mem_access_request request = { .access = MEM_READ, .ns = name };
	t->ns = mem_grow(t->ns, &t->ns_cap, t->nns + 1, sizeof *t->ns);
	struct store_ns_entry *e = &t->ns[t->nns];
	*e = (struct store_ns_entry){ .ns = { .number = row->number, .nodes = row->nodes, .length = row->length },
		.readable = mem_store_allows(t->s, &request) };
	memcpy(e->ns.name, name.p, name.n);
	t->ns_last = t->nns++;
	return e;
}

static enum mem_status
refuse_damaged_ns(struct mem_txn *t, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "'%s': the table of namespaces is damaged: run mem-check", t->s->path);
}

static void
put_ns_number_key(char key[5], uint32_t number)
{
	key[0] = '\0';
	mem_be32((uint8_t *)key + 1, number);
}

static enum mem_status
make_ns(struct mem_txn *t, struct mem_str name, struct store_ns_entry **out, struct mem_err *err)
{
	struct store_ns_row row = { .number = t->c.next_ns };
	char key[5];
	if (!mem_ns_valid(name))
		return mem_err_set(err, MEM_FAIL, "'%.*s' is no namespace", (int)(name.n < 80 ? name.n : 80), name.p);
	t->c.next_ns++;
	t->counters_dirty = true;
	put_ns_number_key(key, row.number);
	enum mem_status st = mem_tab_put(t, MEM_T_NS, (struct mem_str){ key, sizeof key }, name, err);
	if (st != MEM_OK)
		return st;
	*out = add_ns_entry(t, name, &row);
	(*out)->dirty = true;
	return MEM_OK;
}

enum mem_status
store_ns_by_name(struct mem_txn *t, struct mem_str name, bool make, struct store_ns_entry **out, struct mem_err *err)
{
	struct mem_str v;
	struct store_ns_row row;
	if (t->nns > 0 && mem_str_is(name, t->ns[t->ns_last].ns.name)) {
		*out = &t->ns[t->ns_last];
		return MEM_OK;
	}
	for (size_t i = 0; i < t->nns; i++)
		if (mem_str_is(name, t->ns[i].ns.name)) {
			t->ns_last = i;
			*out = &t->ns[i];
			return MEM_OK;
		}
	if (name.n == 0 || name.n >= sizeof (*out)->ns.name || name.p[0] == '\0')
		return make ? mem_err_set(err, MEM_FAIL, "'%.*s' is no namespace", (int)(name.n < 80 ? name.n : 80), name.p) : MEM_NOTFOUND;
	enum mem_status st = mem_tab_get(t, MEM_T_NS, name, &v, err);
	if (st == MEM_NOTFOUND && make)
		return make_ns(t, name, out, err);
	if (st == MEM_DAMAGED || (st == MEM_OK && v.n != sizeof row))
		return refuse_damaged_ns(t, err);
	if (st != MEM_OK)
		return st;
	memcpy(&row, v.p, sizeof row);
	*out = add_ns_entry(t, name, &row);
	return MEM_OK;
}

enum mem_status
store_ns_by_number(struct mem_txn *t, uint32_t number, struct store_ns_entry **out, struct mem_err *err)
{
	struct mem_str name;
	char key[5];
	if (t->nns > 0 && t->ns[t->ns_last].ns.number == number) {
		*out = &t->ns[t->ns_last];
		return MEM_OK;
	}
	for (size_t i = 0; i < t->nns; i++)
		if (t->ns[i].ns.number == number) {
			t->ns_last = i;
			*out = &t->ns[i];
			return MEM_OK;
		}
	put_ns_number_key(key, number);
	enum mem_status st = mem_tab_get(t, MEM_T_NS, (struct mem_str){ key, sizeof key }, &name, err);
	if (st == MEM_OK)
		st = store_ns_by_name(t, name, false, out, err);
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED || (st == MEM_OK && (*out)->ns.number != number))
		return refuse_damaged_ns(t, err);
	return st;
}

enum mem_status
mem_ns_by_number(struct mem_txn *t, uint32_t number, struct mem_ns *out, struct mem_err *err)
{
	struct store_ns_entry *e;
	enum mem_status st = store_ns_by_number(t, number, &e, err);
	if (st == MEM_OK)
		*out = e->ns;
	return st;
}

enum mem_status
mem_ns_count(struct mem_txn *t, uint32_t number, int64_t nodes, int64_t length, struct mem_err *err)
{
	struct store_ns_entry *e;
	enum mem_status st = store_ns_by_number(t, number, &e, err);
	if (st != MEM_OK)
		return st;
	e->ns.nodes += (uint64_t)nodes;
	e->ns.length += (uint64_t)length;
	e->dirty = true;
	return MEM_OK;
}

/* ---- what the principal sees ------------------------------------------- */

struct ns_list {
	struct mem_ns *list;
	size_t n, cap;
};

static enum mem_status
add_visible_ns(struct mem_txn *t, struct ns_list *v, struct mem_str name, struct mem_err *err)
{
	struct store_ns_entry *e;
	enum mem_status st = store_ns_by_name(t, name, false, &e, err);
	if (st == MEM_NOTFOUND)
		return MEM_OK;
	if (st != MEM_OK || !e->readable)
		return st;
	v->list = mem_grow(v->list, &v->cap, v->n + 1, sizeof *v->list);
	v->list[v->n++] = e->ns;
	return MEM_OK;
}

static enum mem_status
add_named_ns(struct mem_txn *t, struct ns_list *v, const char *kind, const char *const *names, size_t n, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	struct mem_buf name = { 0 };
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		mem_buf_reset(&name);
		mem_buf_printf(&name, "%s:%s", kind, names[i]);
		st = add_visible_ns(t, v, mem_buf_span(&name), err);
	}
	mem_buf_release(&name);
	return st;
}

static enum mem_status
add_every_ns(struct mem_txn *t, struct ns_list *v, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_NS, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, MEM_STR("\x01"), err);
	for (; st == MEM_OK; st = mem_cursor_next(c, err)) {
		st = add_visible_ns(t, v, mem_cursor_key(c), err);
		if (st != MEM_OK)
			break;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static int
compare_ns_by_number(const void *a, const void *b)
{
	const struct mem_ns *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

enum mem_status
mem_ns_visible(struct mem_txn *t, struct mem_ns **out, size_t *n, struct mem_err *err)
{
	struct ns_list v = { 0 };
	const struct mem_principal *who = &t->s->who;
	enum mem_status st;
	if (t->s->every_namespace)
		st = add_every_ns(t, &v, err);
	else {
		const char *self = who->agent;
		st = add_named_ns(t, &v, "agent", &self, 1, err);
		if (st == MEM_OK)
			st = add_named_ns(t, &v, "team", who->teams, who->nteams, err);
		if (st == MEM_OK)
			st = add_named_ns(t, &v, "task", who->tasks, who->ntasks, err);
		if (st == MEM_OK)
			st = add_visible_ns(t, &v, MEM_STR("global"), err);
		if (st == MEM_OK)
			st = add_visible_ns(t, &v, MEM_STR("system"), err);
	}
	if (st != MEM_OK) {
		free(v.list);
		return st;
	}
	/* A team named twice in the settings is still one namespace. */
	if (v.n > 0)
		qsort(v.list, v.n, sizeof *v.list, compare_ns_by_number);
	size_t kept = 0;
	for (size_t i = 0; i < v.n; i++)
		if (kept == 0 || v.list[kept - 1].number != v.list[i].number)
			v.list[kept++] = v.list[i];
	*out = v.list;
	*n = kept;
	return MEM_OK;
}
