/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table ns holds two rows for each namespace and each compartment: its key -> struct store_ns_row, and a zero byte with
 * the number -> its key.  The key is the name, of a compartment the name, 0x1f and the compartment, so that
 * those of a namespace lie together.  A transaction keeps those it met and writes the changed ones at its end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "store/node.h"
#include "store/store_int.h"

#define NS_BETWEEN '\x1f'      /* in no name */
#define NS_PLACES_MAX (1U << 22) /* a higher number, of a foreign file, is looked for one by one */

void
store_ns_key_put(struct mem_buf *out, struct mem_str name, struct mem_str compartment)
{
	mem_buf_str(out, name);
	if (compartment.n == 0)
		return;
	mem_buf_putc(out, NS_BETWEEN);
	mem_buf_str(out, compartment);
}

bool
store_ns_key_parse(struct mem_str key, struct mem_str *name, struct mem_str *compartment)
{
	const char *between = key.n > 0 ? memchr(key.p, NS_BETWEEN, key.n) : NULL;
	*name = key;
	*compartment = MEM_STR("");
	if (between != NULL) {
		name->n = (size_t)(between - key.p);
		*compartment = (struct mem_str){ between + 1, key.n - name->n - 1 };
	}
	return mem_ns_valid(*name) && (between == NULL || mem_compartment_valid(*compartment));
}

/* ---- what a transaction knows ---------------------------------------------- */

static void
note_ns_place(struct mem_txn *t, uint32_t number, size_t place)
{
	if (number >= NS_PLACES_MAX)
		return;
	if (number >= t->ns_places_n) {
		size_t n = (size_t)number + 1;
		t->ns_places = mem_grow(t->ns_places, &t->ns_places_cap, n, sizeof *t->ns_places);
		memset(t->ns_places + t->ns_places_n, 0, (n - t->ns_places_n) * sizeof *t->ns_places);
		t->ns_places_n = n;
	}
	t->ns_places[number] = (uint32_t)place + 1;
}

static struct store_ns_entry *
find_known_number(struct mem_txn *t, uint32_t number)
{
	if (number < t->ns_places_n && t->ns_places[number] != 0)
		return t->ns[t->ns_last = t->ns_places[number] - 1];
	for (size_t i = 0; number >= NS_PLACES_MAX && i < t->nns; i++)
		if (t->ns[i]->ns.number == number)
			return t->ns[t->ns_last = i];
	return NULL;
}

static bool
is_ns_named(const struct store_ns_entry *e, struct mem_str name, struct mem_str compartment)
{
	return mem_str_is(compartment, e->ns.compartment) && mem_str_is(name, e->ns.name);
}

/* Among the last and the first few; a look into the table finds the others as fast. */
static struct store_ns_entry *
find_known_key(struct mem_txn *t, struct mem_str name, struct mem_str compartment)
{
	enum { FEW = 8 };
	if (t->nns > 0 && is_ns_named(t->ns[t->ns_last], name, compartment))
		return t->ns[t->ns_last];
	for (size_t i = 0; i < t->nns && i < FEW; i++)
		if (is_ns_named(t->ns[i], name, compartment))
			return t->ns[t->ns_last = i];
	return NULL;
}

static void
fill_ns(struct mem_ns *ns, struct mem_str name, struct mem_str compartment, const struct store_ns_row *row)
{
	*ns = (struct mem_ns){ .number = row->number, .root = row->root != 0 ? row->root : row->number, .nodes = row->nodes,
		.length = row->length };
	memcpy(ns->name, name.p, name.n);
	memcpy(ns->compartment, compartment.p, compartment.n);
}

static bool
is_ns_readable(const struct mem_txn *t, struct mem_str name, struct mem_str compartment)
{
	const struct mem_access_request request = { .access = MEM_READ, .ns = name, .compartment = compartment };
	return mem_store_allows(t->s, &request);
}

static struct store_ns_entry *
add_ns_entry(struct mem_txn *t, struct mem_str name, struct mem_str compartment, const struct store_ns_row *row)
{
	struct store_ns_entry *e = mem_xcalloc(1, sizeof *e);
	fill_ns(&e->ns, name, compartment, row);
	e->readable = is_ns_readable(t, name, compartment);
	t->ns = mem_grow(t->ns, &t->ns_cap, t->nns + 1, sizeof *t->ns);
	t->ns[t->nns] = e;
	note_ns_place(t, row->number, t->nns);
	t->ns_last = t->nns++;
	return e;
}

void
store_ns_release(struct mem_txn *t)
{
	for (size_t i = 0; i < t->nns; i++)
		free(t->ns[i]);
	free(t->ns);
	free(t->ns_places);
}

/* ---- one ------------------------------------------------------------------- */

static enum mem_status
refuse_damaged_ns(struct mem_txn *t, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "'%s': the table of namespaces is damaged: run mem-check", t->s->path);
}

static enum mem_status
refuse_ns_name(struct mem_str name, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "'%.*s' is no namespace", (int)(name.n < 80 ? name.n : 80), name.p);
}

static void
put_ns_number_key(char key[5], uint32_t number)
{
	key[0] = '\0';
	mem_be32((uint8_t *)key + 1, number);
}

static enum mem_status
make_ns(struct mem_txn *t, struct mem_str name, struct mem_str compartment, struct mem_str row_key, struct store_ns_entry **out,
    struct mem_err *err)
{
	struct store_ns_row row = { 0 };
	struct store_ns_entry *root = NULL;
	char key[5];
	if (!mem_ns_valid(name) || (compartment.n > 0 && !mem_compartment_valid(compartment)))
		return refuse_ns_name(row_key, err);
	enum mem_status st = compartment.n > 0 ? store_ns_by_name(t, name, true, &root, err) : MEM_OK;
	if (st != MEM_OK)
		return st;
	row.number = t->c.next_ns++;
	row.root = root != NULL ? root->ns.number : 0;
	t->counters_dirty = true;
	put_ns_number_key(key, row.number);
	st = mem_tab_put(t, MEM_T_NS, (struct mem_str){ key, sizeof key }, row_key, err);
	if (st == MEM_OK)
		st = mem_tab_put(t, MEM_T_NS, row_key, (struct mem_str){ (const char *)&row, sizeof row }, err);
	if (st == MEM_OK)
		*out = add_ns_entry(t, name, compartment, &row);
	return st;
}

/* The row under a key; its namespace's number is there if and only if it is a compartment. */
static enum mem_status
read_ns_row(struct mem_txn *t, struct mem_str value, struct mem_str compartment, struct store_ns_row *row, struct mem_err *err)
{
	if (value.n != sizeof *row)
		return refuse_damaged_ns(t, err);
	memcpy(row, value.p, sizeof *row);
	return (row->root != 0) == (compartment.n > 0) ? MEM_OK : refuse_damaged_ns(t, err);
}

static enum mem_status
look_up_ns(struct mem_txn *t, struct mem_str name, struct mem_str compartment, struct mem_str row_key, bool make,
    struct store_ns_entry **out, struct mem_err *err)
{
	struct mem_str v;
	struct store_ns_row row;
	enum mem_status st = mem_tab_get(t, MEM_T_NS, row_key, &v, err);
	if (st == MEM_NOTFOUND && make)
		return make_ns(t, name, compartment, row_key, out, err);
	if (st == MEM_OK)
		st = read_ns_row(t, v, compartment, &row, err);
	if (st != MEM_OK)
		return st == MEM_DAMAGED ? refuse_damaged_ns(t, err) : st;
	*out = find_known_number(t, row.number);
	if (*out == NULL)
		*out = add_ns_entry(t, name, compartment, &row);
	/* Two keys with one number. */
	return is_ns_named(*out, name, compartment) ? MEM_OK : refuse_damaged_ns(t, err);
}

enum mem_status
store_ns_by_key(struct mem_txn *t, struct mem_str name, struct mem_str compartment, bool make, struct store_ns_entry **out,
    struct mem_err *err)
{
	struct mem_buf row_key = { 0 };
	*out = find_known_key(t, name, compartment);
	if (*out != NULL)
		return MEM_OK;
	if (name.n == 0 || name.n >= sizeof (*out)->ns.name || name.p[0] == '\0' || compartment.n > MEM_COMPARTMENT_MAX)
		return make ? refuse_ns_name(name, err) : MEM_NOTFOUND;
	store_ns_key_put(&row_key, name, compartment);
	enum mem_status st = look_up_ns(t, name, compartment, mem_buf_span(&row_key), make, out, err);
	mem_buf_release(&row_key);
	return st;
}

enum mem_status
store_ns_by_name(struct mem_txn *t, struct mem_str name, bool make, struct store_ns_entry **out, struct mem_err *err)
{
	return store_ns_by_key(t, name, MEM_STR(""), make, out, err);
}

enum mem_status
store_ns_by_number(struct mem_txn *t, uint32_t number, struct store_ns_entry **out, struct mem_err *err)
{
	struct mem_str row_key, name, compartment;
	char key[5];
	*out = find_known_number(t, number);
	if (*out != NULL)
		return MEM_OK;
	put_ns_number_key(key, number);
	enum mem_status st = mem_tab_get(t, MEM_T_NS, (struct mem_str){ key, sizeof key }, &row_key, err);
	if (st == MEM_OK && !store_ns_key_parse(row_key, &name, &compartment))
		return refuse_damaged_ns(t, err);
	if (st == MEM_OK)
		st = store_ns_by_key(t, name, compartment, false, out, err);
	if (st == MEM_NOTFOUND || st == MEM_DAMAGED || (st == MEM_OK && (*out)->ns.number != number))
		return refuse_damaged_ns(t, err);
	return st;
}

enum mem_status
mem_node_keys_number(struct mem_txn *t, struct mem_node_keys *d, bool make, struct mem_err *err)
{
	struct store_ns_entry *e = NULL;
	enum mem_status st = store_ns_by_key(t, d->ns, mem_str(d->compartment), make, &e, err);
	if (st == MEM_OK) {
		d->attr.ns = e->ns.number;
		d->root = e->ns.root;
	}
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

/* ---- several --------------------------------------------------------------- */

struct ns_list {
	struct mem_ns *list;
	size_t n, cap;
	bool all;              /* not only those that the principal may read */
};

static void
append_ns(struct ns_list *v, const struct mem_ns *ns)
{
	v->list = mem_grow(v->list, &v->cap, v->n + 1, sizeof *v->list);
	v->list[v->n++] = *ns;
}

/* One row behind a namespace's own; what this transaction counted is in its entry. */
static enum mem_status
add_compartment(struct mem_txn *t, struct ns_list *v, const struct mem_ns *root, const struct mem_cursor *c, struct mem_err *err)
{
	struct mem_str name, compartment, value;
	struct store_ns_row row;
	if (!store_ns_key_parse(mem_cursor_key(c), &name, &compartment) || mem_cursor_read(c, &value, NULL) != MEM_OK)
		return refuse_damaged_ns(t, err);
	enum mem_status st = read_ns_row(t, value, compartment, &row, err);
	if (st == MEM_OK && row.root != root->number)
		return refuse_damaged_ns(t, err);
	if (st != MEM_OK || (!v->all && !is_ns_readable(t, name, compartment)))
		return st;
	struct mem_ns ns;
	const struct store_ns_entry *known = row.number < t->ns_places_n && t->ns_places[row.number] != 0 ?
	    t->ns[t->ns_places[row.number] - 1] : NULL;
	fill_ns(&ns, name, compartment, &row);
	append_ns(v, known != NULL ? &known->ns : &ns);
	return MEM_OK;
}

static enum mem_status
add_compartments(struct mem_txn *t, struct ns_list *v, struct mem_ns root, struct mem_err *err)
{
	char prefix[sizeof root.name + 1];
	size_t n = strlen(root.name);
	struct mem_cursor *c = NULL;
	memcpy(prefix, root.name, n);
	prefix[n++] = NS_BETWEEN;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_NS, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ prefix, n }, err);
	while (st == MEM_OK && mem_cursor_key(c).n > n && memcmp(mem_cursor_key(c).p, prefix, n) == 0) {
		st = add_compartment(t, v, &root, c, err);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* A namespace and what is in it. */
static enum mem_status
add_ns_family(struct mem_txn *t, struct ns_list *v, struct mem_str name, struct mem_err *err)
{
	struct store_ns_entry *e;
	enum mem_status st = store_ns_by_name(t, name, false, &e, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	if (!v->all && !e->readable)
		return MEM_OK;
	append_ns(v, &e->ns);
	return add_compartments(t, v, e->ns, err);
}

static enum mem_status
add_named_ns(struct mem_txn *t, struct ns_list *v, const char *kind, const char *const *names, size_t n, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	struct mem_buf name = { 0 };
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		mem_buf_reset(&name);
		mem_buf_printf(&name, "%s:%s", kind, names[i]);
		st = add_ns_family(t, v, mem_buf_span(&name), err);
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
		struct mem_str key = mem_cursor_key(c);
		if (memchr(key.p, NS_BETWEEN, key.n) == NULL)
			st = add_ns_family(t, v, key, err);
		if (st != MEM_OK)
			break;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
add_visible_ns(struct mem_txn *t, struct ns_list *v, struct mem_err *err)
{
	const struct mem_principal *who = &t->s->who;
	const char *self = who->agent;
	if (t->s->every_namespace)
		return add_every_ns(t, v, err);
	enum mem_status st = add_named_ns(t, v, "agent", &self, 1, err);
	if (st == MEM_OK)
		st = add_named_ns(t, v, "team", who->teams, who->nteams, err);
	if (st == MEM_OK)
		st = add_named_ns(t, v, "task", who->tasks, who->ntasks, err);
	if (st == MEM_OK)
		st = add_ns_family(t, v, MEM_STR("global"), err);
	return st == MEM_OK ? add_ns_family(t, v, MEM_STR("system"), err) : st;
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
	enum mem_status st = add_visible_ns(t, &v, err);
	if (st != MEM_OK) {
		free(v.list);
		return st;
	}
	/* A team named twice in the settings is still one namespace. */
	mem_sort(v.list, v.n, sizeof *v.list, compare_ns_by_number);
	size_t kept = 0;
	for (size_t i = 0; i < v.n; i++)
		if (kept == 0 || v.list[kept - 1].number != v.list[i].number)
			v.list[kept++] = v.list[i];
	*out = v.list;
	*n = kept;
	return MEM_OK;
}

enum mem_status
mem_ns_family(struct mem_txn *t, uint32_t number, struct mem_ns **out, size_t *n, struct mem_err *err)
{
	struct ns_list v = { .all = true };
	struct store_ns_entry *e;
	enum mem_status st = store_ns_by_number(t, number, &e, err);
	if (st == MEM_OK)
		st = add_ns_family(t, &v, mem_str(e->ns.name), err);
	if (st != MEM_OK) {
		free(v.list);
		return st;
	}
	mem_sort(v.list, v.n, sizeof *v.list, compare_ns_by_number);
	*out = v.list;
	*n = v.n;
	return MEM_OK;
}
