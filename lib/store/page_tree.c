/* SPDX-License-Identifier: Apache-2.0 */
/* A row of a table, and walks over its rows, from the pages in the map. */
#include "store/page_tree.h"

#include <stdlib.h>

#include "store/edge_int.h"
#include "store/lmdb_format.h"
#include "store/store_int.h"

/* ---- pages ----------------------------------------------------------------- */

static int
compare_any_keys(struct mem_str a, struct mem_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n > 0 ? memcmp(a.p, b.p, n) : 0;
	return c != 0 ? c : a.n < b.n ? -1 : a.n > b.n;
}

/* Most keys are a number of four bytes; those of edges have ten bytes. */
static inline int
compare_row_keys(struct mem_str a, struct mem_str b)
{
	if (a.n == sizeof(uint32_t) && b.n == sizeof(uint32_t)) {
		uint32_t x = __builtin_bswap32(mem_ld32(a.p)), y = __builtin_bswap32(mem_ld32(b.p));
		return x < y ? -1 : x > y;
	}
	if (a.n != STORE_EDGE_KEY || b.n != STORE_EDGE_KEY)
		return compare_any_keys(a, b);
	uint64_t x = __builtin_bswap64(mem_ld64(a.p)), y = __builtin_bswap64(mem_ld64(b.p));
	if (x != y)
		return x < y ? -1 : 1;
	return (int)__builtin_bswap16(mem_ld16(a.p + sizeof x)) - (int)__builtin_bswap16(mem_ld16(b.p + sizeof x));
}

static enum mem_status
blame_tree_page(const struct mem_txn *t, enum mem_table tab, uint64_t number, struct mem_err *err)
{
	return mem_err_set(err, MEM_DAMAGED, "'%s': page %llu of table %s is damaged: run mem-check", t->s->path, (unsigned long long)number,
	    tab < MEM_T_COUNT ? store_table_names[tab] : "(tables)");
}

static bool
is_tree_page_number(const struct mem_txn *t, uint64_t number)
{
	return number >= 2 && number < t->page_count;
}

static const uint8_t *
mapped_tree_page(const struct mem_txn *t, uint64_t number)
{
	return (const uint8_t *)t->pages + number * t->s->page_size;
}

/* What stands at `p` as the page of a level, if its header can be right. */
static bool
take_tree_page(const struct mem_txn *t, struct store_level *l, const uint8_t *p, bool leaf)
{
	size_t lower = mem_ld16(p + 12), upper = mem_ld16(p + 14);
	l->page = p;
	l->slots = (lower - LMDB_PAGE_HEAD) / 2;
	return mem_ld64(p) == l->number && mem_ld16(p + 10) == (leaf ? LMDB_LEAF : LMDB_BRANCH) && lower % 2 == 0
	    && lower >= LMDB_PAGE_HEAD + (leaf ? 2 : 4) && lower <= upper && upper <= t->s->page_size;
}

/* The page of a level by its number, from the map. */
static bool
open_tree_page(const struct mem_txn *t, struct store_level *l, bool leaf)
{
	return is_tree_page_number(t, l->number) && take_tree_page(t, l, mapped_tree_page(t, l->number), leaf);
}

/* The node behind a slot, if it and its key are in the page; NULL: they are not. */
static const uint8_t *
find_tree_node(const struct mem_txn *t, const struct store_level *l, size_t slot, bool leaf)
{
	const size_t psize = t->s->page_size, at = mem_ld16(l->page + LMDB_PAGE_HEAD + 2 * slot);
	if ((at & 1) != 0 || at < mem_ld16(l->page + 14) || at > psize - LMDB_NODE_HEAD)
		return NULL;
	const uint8_t *node = l->page + at;
	const size_t key = mem_ld16(node + 6), room = psize - at - LMDB_NODE_HEAD;
	bool first = !leaf && slot == 0; /* counts as lower than all, whatever it is */
	return key <= room && (first || (key > 0 && key <= LMDB_KEY_MAX)) ? node : NULL;
}

static struct mem_str
tree_key(const uint8_t *node)
{
	return (struct mem_str){ (const char *)node + LMDB_NODE_HEAD, mem_ld16(node + 6) };
}

/*
 * A value that is not where it says has no bytes: of the tables with checksums it is damaged, of the others too short to be
 * read.  What stands at the beginning of pages of its own is looked at with the value (store_value_has_room).
 */
static MDB_val
read_tree_value(const struct mem_txn *t, const struct store_level *l, const uint8_t *node)
{
	const uint8_t *at = node + LMDB_NODE_HEAD + mem_ld16(node + 6);
	const size_t room = t->s->page_size - (size_t)(at - l->page), n = mem_ld32(node), flags = mem_ld16(node + 4);
	union { const void *c; void *v; } data = { .c = at };
	if (flags != LMDB_BIG)
		return flags > LMDB_TABLE || n > room ? (MDB_val){ 0, NULL } : (MDB_val){ n, data.v };
	uint64_t number = room >= sizeof number ? mem_ld64(at) : 0;
	if (number < 2 || number >= t->page_count || LMDB_PAGE_HEAD + n > (t->page_count - number) * t->s->page_size)
		return (MDB_val){ 0, NULL };
	data.c = t->pages + number * t->s->page_size + LMDB_PAGE_HEAD;
	return (MDB_val){ n, data.v };
}

enum { GUESSES = 4 };

/*
 * Where between `low`, which stands at slot `base` or before it, and `high`, at slot `to`, the key should stand if keys lay evenly
 * (Peterson, "Addressing for random-access storage", 1957).  Most of ours are consecutive numbers, or as good as random: each
 * guess that is right saves the cache misses of half a page.
 */
static size_t
guess_slot(struct mem_str low, struct mem_str high, struct mem_str key, size_t base, size_t to)
{
	uint32_t lo, hi, k;
	if (low.n < sizeof lo || high.n < sizeof hi || key.n < sizeof k)
		return base + (to - base) / 2;
	lo = __builtin_bswap32(mem_ld32(low.p));
	hi = __builtin_bswap32(mem_ld32(high.p));
	k = __builtin_bswap32(mem_ld32(key.p));
	if (lo >= hi)
		return base + (to - base) / 2;
	return k <= lo ? base : k >= hi ? to : base + (size_t)((uint64_t)(k - lo) * (to - base) / (hi - lo));
}

/*
 * The first slot whose key is at least `key`, from 1 on in a branch, whose first key counts as lower than all; l->slots: none.
 * Each key that is looked at has to lie between those that were, else the page is damaged (false).
 */
static bool
search_tree_page(const struct mem_txn *t, const struct store_level *l, bool leaf, struct mem_str key, size_t *slot, bool *same)
{
	size_t from = leaf ? 0 : 1, to = l->slots, base = 0;
	struct mem_str low = l->low, high = l->high;
	*same = false;
	for (int guesses = GUESSES; from < to && !*same; guesses--) {
		size_t middle = guesses > 0 ? guess_slot(low, high, key, base, to) : from + (to - from) / 2;
		middle = middle < from ? from : middle < to ? middle : to - 1;
		const uint8_t *node = find_tree_node(t, l, middle, leaf);
		if (node == NULL)
			return false;
		struct mem_str k = tree_key(node);
		if ((low.n > 0 && compare_row_keys(k, low) < 0) || (high.n > 0 && compare_row_keys(k, high) >= 0))
			return false;
		int c = compare_row_keys(key, k);
		if (c > 0) {
			low = k;
			base = middle;
			from = middle + 1;
		} else {
			high = k;
			to = middle;
			*same = c == 0;
		}
	}
	*slot = to;
	return true;
}

/* Which page is behind a slot of a branch, and what may stand in it. */
static bool
find_tree_child(const struct mem_txn *t, const struct store_level *l, struct store_level *child)
{
	const uint8_t *node = find_tree_node(t, l, l->slot, false), *next = NULL;
	if (node == NULL)
		return false;
	if (l->slot + 1 < l->slots && (next = find_tree_node(t, l, l->slot + 1, false)) == NULL)
		return false;
	child->number = lmdb_child(node);
	child->low = l->slot > 0 ? tree_key(node) : l->low;
	child->high = next != NULL ? tree_key(next) : l->high;
	return child->low.n == 0 || child->high.n == 0 || compare_row_keys(child->low, child->high) < 0;
}

/* To the page behind a slot of a branch. */
static bool
enter_tree_child(const struct mem_txn *t, const struct store_level *l, struct store_level *child, bool leaf)
{
	return find_tree_child(t, l, child) && open_tree_page(t, child, leaf);
}

/* Nodes fill what is theirs in a leaf: then none is missing. */
static bool
is_leaf_whole(const struct mem_txn *t, const struct store_level *l)
{
	size_t sum = mem_ld16(l->page + 14);
	for (size_t i = 0; i < l->slots; i++) {
		const uint8_t *node = find_tree_node(t, l, i, true);
		if (node == NULL)
			return false;
		size_t n = LMDB_NODE_HEAD + (size_t)mem_ld16(node + 6) + (mem_ld16(node + 4) == LMDB_BIG ? sizeof(uint64_t) : mem_ld32(node));
		sum += n + (n & 1);
	}
	return sum == t->s->page_size;
}

/* ---- one row ------------------------------------------------------------------ */

/* The row in its leaf. */
static enum mem_status
get_leaf_row(struct mem_txn *t, enum mem_table tab, struct store_level *l, struct mem_str key, MDB_val *value, struct mem_err *err)
{
	bool same;
	if (!search_tree_page(t, l, true, key, &l->slot, &same))
		return blame_tree_page(t, tab, l->number, err);
	if (!same) /* or it is not found since the page is damaged */
		return is_leaf_whole(t, l) ? MEM_NOTFOUND : blame_tree_page(t, tab, l->number, err);
	const uint8_t *node = find_tree_node(t, l, l->slot, true);
	if (node == NULL)
		return blame_tree_page(t, tab, l->number, err);
	*value = read_tree_value(t, l, node);
	return MEM_OK;
}

bool
store_tree_has_place(const struct store_level *l, struct mem_str key)
{
	return l->page != NULL && (l->low.n == 0 || compare_row_keys(l->low, key) <= 0) && (l->high.n == 0 || compare_row_keys(key, l->high) < 0);
}

/* To the leaf where the key would stand; MEM_NOTFOUND: the table has no rows. */
static enum mem_status
find_tree_leaf(struct mem_txn *t, enum mem_table tab, struct store_tree *tree, struct mem_str key, struct mem_err *err)
{
	struct store_level *last = &tree->leaf;
	if (store_tree_has_place(last, key))
		return MEM_OK;
	struct store_level two[2] = { { .number = tree->root }, { .number = 0 } };
	size_t depth = 1;
	if (store_tree_has_place(&tree->parent, key)) {
		depth = tree->depth - 1U;
		two[(depth - 1) % 2] = tree->parent;
	}
	for (; depth <= tree->depth; depth++) {
		struct store_level *l = &two[(depth - 1) % 2], *child = &two[depth % 2];
		bool leaf = depth == tree->depth, same;
		if (depth == 1 && !open_tree_page(t, l, leaf))
			return blame_tree_page(t, tab, l->number, err);
		if (leaf) {
			*last = *l;
			return MEM_OK;
		}
		if (depth + 1 == tree->depth)
			tree->parent = *l;
		if (!search_tree_page(t, l, leaf, key, &l->slot, &same))
			return blame_tree_page(t, tab, l->number, err);
		l->slot -= same ? 0 : 1;
		if (!enter_tree_child(t, l, child, depth + 1 == tree->depth))
			return blame_tree_page(t, tab, l->number, err);
	}
	return MEM_NOTFOUND;
}

static enum mem_status
get_tree_row(struct mem_txn *t, enum mem_table tab, struct store_tree *tree, struct mem_str key, MDB_val *value, struct mem_err *err)
{
	enum mem_status st = find_tree_leaf(t, tab, tree, key, err);
	return st == MEM_OK ? get_leaf_row(t, tab, &tree->leaf, key, value, err) : st;
}

/* ---- tables ------------------------------------------------------------------- */

/* From the commit of this number on. */
static void
begin_tree_at(struct mem_txn *t, uint64_t txnid)
{
	struct lmdb_meta m, again;
	const struct mem_store *s = t->s;
	const char *meta = s->map_start + (txnid % 2) * s->page_size + LMDB_PAGE_HEAD;
	memcpy(&m, meta, sizeof m);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	memcpy(&again, meta, sizeof again); /* a commit may be writing it */
	if (m.magic != LMDB_MAGIC || m.txnid != txnid || m.dbs[1].depth > LMDB_DEPTH_MAX || memcmp(&m, &again, sizeof m) != 0)
		return; /* two commits have come since: LMDB knows where its tables are */
	t->page_count = m.last_page + 1;
	t->tables = (struct store_tree){ .root = m.dbs[1].root, .depth = m.dbs[1].depth, .known = true };
	t->free_list = (struct store_tree){ .root = m.dbs[0].root, .depth = m.dbs[0].depth, .known = true };
	memset(t->trees, 0, sizeof t->trees);
	t->pages = s->map_start;
}

void
store_tree_begin(struct mem_txn *t)
{
	t->pages = NULL;
	if (!t->write && t->s->map_start != NULL)
		begin_tree_at(t, mdb_txn_id(t->txn));
}

/* What is known of a table. */
static enum mem_status
find_tree(struct mem_txn *t, enum mem_table tab, struct store_tree **out, struct mem_err *err)
{
	struct lmdb_db db;
	MDB_val v;
	if (!t->trees[tab].known) {
		enum mem_status st = get_tree_row(t, MEM_T_COUNT, &t->tables, mem_str(store_table_names[tab]), &v, err);
		if (st != MEM_OK)
			return st;
		if (v.mv_size != sizeof db)
			return blame_tree_page(t, MEM_T_COUNT, t->tables.root, err);
		memcpy(&db, v.mv_data, sizeof db);
		if (db.depth > LMDB_DEPTH_MAX || (db.depth == 0) != (db.root == LMDB_NO_PAGE) || db.flags != 0)
			return blame_tree_page(t, MEM_T_COUNT, t->tables.root, err);
		t->trees[tab] = (struct store_tree){ .root = db.root, .depth = db.depth, .known = true };
	}
	*out = &t->trees[tab];
	return MEM_OK;
}

/* To the branch above the leaf where the key would stand, and its slot there. */
static bool
find_leaf_parent(struct mem_txn *t, struct store_tree *tree, struct mem_str key)
{
	struct store_level at = { .number = tree->root }, child;
	bool same;
	if (!store_tree_has_place(&tree->parent, key)) {
		if (!open_tree_page(t, &at, false))
			return false;
		for (size_t depth = 1; depth + 1 < tree->depth; depth++) {
			if (!search_tree_page(t, &at, false, key, &at.slot, &same))
				return false;
			at.slot -= same ? 0 : 1;
			child = (struct store_level){ .number = 0 };
			if (!enter_tree_child(t, &at, &child, false))
				return false;
			at = child;
		}
		tree->parent = at;
	}
	if (!search_tree_page(t, &tree->parent, false, key, &tree->parent.slot, &same))
		return false;
	tree->parent.slot -= same ? 0 : 1;
	return true;
}

bool
store_tree_read_leaf(struct mem_txn *t, enum mem_table tab, struct mem_str key, uint8_t *page, struct store_level *leaf)
{
	struct store_tree *tree;
	*leaf = (struct store_level){ .page = NULL };
	if (find_tree(t, tab, &tree, NULL) != MEM_OK || tree->depth < 2 || !find_leaf_parent(t, tree, key) ||
	    !find_tree_child(t, &tree->parent, leaf) || !is_tree_page_number(t, leaf->number) ||
	    mem_txn_pread(t, mapped_tree_page(t, leaf->number), page, t->s->page_size, NULL) != MEM_OK)
		return false;
	if (take_tree_page(t, leaf, page, true))
		return true;
	leaf->page = NULL;
	return false;
}

enum mem_status
store_tree_leaf_row(struct mem_txn *t, enum mem_table tab, struct store_level *leaf, struct mem_str key, MDB_val *value)
{
	return get_leaf_row(t, tab, leaf, key, value, NULL);
}

enum mem_status
store_tree_get(struct mem_txn *t, enum mem_table tab, struct mem_str key, MDB_val *value, struct mem_err *err)
{
	struct store_tree *tree;
	enum mem_status st = find_tree(t, tab, &tree, err);
	return st == MEM_OK ? get_tree_row(t, tab, tree, key, value, err) : st;
}

/* ---- before a write ------------------------------------------------------------ */

/* What was committed before a write. */
struct store_before {
	struct mem_txn t;
	uint64_t good[256]; /* pages that were found good, each at its number's low bits */
};

/* LMDB takes free pages from the beginning of their list, and adds some at its end. */
static enum mem_status
check_free_list(struct mem_txn *t, bool end, struct mem_err *err)
{
	struct store_level l = { .number = t->free_list.root };
	for (size_t depth = t->free_list.depth; depth > 0; depth--) {
		const uint8_t *node;
		if (!open_tree_page(t, &l, depth == 1) || (depth == 1 && !is_leaf_whole(t, &l)) ||
		    (node = find_tree_node(t, &l, end ? l.slots - 1 : 0, depth == 1)) == NULL)
			return mem_err_set(err, MEM_FAIL, "'%s': page %llu of the free pages is damaged: run mem-check", t->s->path,
			    (unsigned long long)l.number);
		l.number = lmdb_child(node);
	}
	return MEM_OK;
}

/* Readers pass over MEM_DAMAGED; a write that cannot go on ends. */
static enum mem_status
fail_of_damage(struct mem_err *err)
{
	if (err != NULL)
		err->status = MEM_FAIL;
	return MEM_FAIL;
}

enum mem_status
store_tree_begin_write(struct mem_txn *t, struct mem_err *err)
{
	if (t->s->map_start == NULL)
		return MEM_OK;
	struct store_before *was = mem_xcalloc(1, sizeof *was);
	was->t.s = t->s;
	begin_tree_at(&was->t, mdb_txn_id(t->txn) - 1);
	if (was->t.pages == NULL || was->t.free_list.depth > LMDB_DEPTH_MAX) {
		free(was);
		return MEM_OK;
	}
	t->was = was;
	enum mem_status st = check_free_list(&was->t, false, err);
	return st == MEM_OK ? check_free_list(&was->t, true, err) : st;
}

/* Behind the last row nothing is moved, so there a row whose length is damaged costs no other. */
static bool
grows_at_end(enum mem_table tab)
{
	return tab == MEM_T_NODE || tab == MEM_T_ATTR || tab == MEM_T_ID || tab == MEM_T_LOG || tab == MEM_T_AUDIT;
}

static bool
are_nodes_in_page(const struct mem_txn *t, const struct store_level *l)
{
	size_t slot = 0;
	while (slot < l->slots && find_tree_node(t, l, slot, true) != NULL)
		slot++;
	return slot == l->slots;
}

static bool
is_leaf_known_good(struct store_before *was, enum mem_table tab, const struct store_level *l)
{
	uint64_t *known = &was->good[l->number % MEM_COUNT(was->good)];
	if (*known != l->number && (grows_at_end(tab) ? are_nodes_in_page(&was->t, l) : is_leaf_whole(&was->t, l)))
		*known = l->number;
	return *known == l->number;
}

enum mem_status
store_tree_check_place(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_err *err)
{
	struct store_before *was = t->was;
	struct store_tree *tree = NULL;
	if (was == NULL)
		return MEM_OK;
	enum mem_status st = find_tree(&was->t, tab, &tree, err);
	if (st == MEM_OK)
		st = find_tree_leaf(&was->t, tab, tree, key, err);
	if (st == MEM_OK && !is_leaf_known_good(was, tab, &tree->leaf))
		st = blame_tree_page(&was->t, tab, tree->leaf.number, err);
	return st == MEM_OK || st == MEM_NOTFOUND ? MEM_OK : fail_of_damage(err);
}

void
store_tree_forget(struct mem_txn *t, enum mem_table tab)
{
	if (t->was != NULL)
		t->was->t.trees[tab] = (struct store_tree){ .known = true };
}

/* ---- walks ---------------------------------------------------------------------- */

static void
note_tree_page(struct store_walk *w, uint64_t number)
{
	struct mem_err err;
	w->bad_page = number;
	if (blame_tree_page(w->t, w->tab, number, &err) == MEM_DAMAGED)
		mem_store_damage_note(w->t->s, &err);
}

enum mem_status
store_walk_begin(struct store_walk *w, struct mem_txn *t, enum mem_table tab, struct mem_err *err)
{
	struct store_tree *tree;
	*w = (struct store_walk){ .t = t, .tab = tab };
	enum mem_status st = find_tree(t, tab, &tree, err);
	if (st != MEM_OK)
		return st;
	w->depth = tree->depth;
	w->levels = mem_xcalloc(tree->depth + 1U, sizeof *w->levels);
	w->levels[0].number = tree->root;
	if (tree->depth > 0 && !open_tree_page(t, &w->levels[0], tree->depth == 1))
		return blame_tree_page(t, tab, tree->root, err);
	if (tree->depth == 1 && !is_leaf_whole(t, &w->levels[0]))
		note_tree_page(w, tree->root);
	return MEM_OK;
}

void
store_walk_release(struct store_walk *w)
{
	free(w->levels);
	w->levels = NULL;
}

/* Below the slot of a branch.  False: that page cannot be read.  In a leaf that is damaged single rows may be right. */
static bool
enter_walk_child(struct store_walk *w, size_t depth)
{
	struct store_level *l = &w->levels[depth], *child = l + 1;
	bool leaf = depth + 2 == w->depth;
	child->number = l->number;
	bool open = enter_tree_child(w->t, l, child, leaf);
	if (!open || (leaf && !is_leaf_whole(w->t, child)))
		note_tree_page(w, child->number);
	return open;
}

/* Does the row at the slot of the leaf go on from the one before, and the next one from it? */
static bool
fits_walk(const struct store_walk *w, const struct store_level *l, struct mem_str key, bool back)
{
	if ((l->low.n > 0 && compare_row_keys(key, l->low) < 0) || (l->high.n > 0 && compare_row_keys(key, l->high) >= 0))
		return false;
	int c = w->key.n > 0 ? compare_row_keys(key, w->key) : 0;
	if (w->key.n > 0 && (back ? c >= 0 : c <= 0))
		return false;
	const uint8_t *next = !back && l->slot + 1 < l->slots ? find_tree_node(w->t, l, l->slot + 1, true) : NULL;
	/* Of two that do not rise the first is wrong where the second goes on from what was before. */
	return next == NULL || compare_row_keys(key, tree_key(next)) < 0 || (w->key.n > 0 && compare_row_keys(w->key, tree_key(next)) >= 0);
}

/* The row at the slot of the leaf; false: it is not what was written, which is noted. */
static bool
take_walk_row(struct store_walk *w, bool back, MDB_val *value)
{
	struct store_level *l = &w->levels[w->depth - 1];
	const uint8_t *node = find_tree_node(w->t, l, l->slot, true);
	if (node == NULL || !fits_walk(w, l, tree_key(node), back)) {
		note_tree_page(w, l->number);
		return false;
	}
	w->key = tree_key(node);
	*value = read_tree_value(w->t, l, node);
	return true;
}

/*
 * From the slot of the level `depth` on, which may be one past its last (before its first: SIZE_MAX), to the nearest row.
 */
static enum mem_status
settle_walk(struct store_walk *w, size_t depth, bool back, MDB_val *value)
{
	for (;;) {
		struct store_level *l = &w->levels[depth];
		if (l->slot >= l->slots) {
			if (depth == 0) {
				w->key.n = 0;
				return MEM_END;
			}
			depth--;
			w->levels[depth].slot += back ? SIZE_MAX : 1;
		} else if (depth + 1 == w->depth) {
			if (take_walk_row(w, back, value))
				return MEM_OK;
			l->slot += back ? SIZE_MAX : 1;
		} else if (enter_walk_child(w, depth)) {
			depth++;
			w->levels[depth].slot = back ? w->levels[depth].slots - 1 : 0;
		} else
			l->slot += back ? SIZE_MAX : 1;
	}
}

/* Below a page in which nothing can be looked for: row by row. */
static enum mem_status
seek_through_page(struct store_walk *w, size_t depth, struct mem_str key, MDB_val *value)
{
	note_tree_page(w, w->levels[depth].number);
	w->levels[depth].slot = 0;
	enum mem_status st = settle_walk(w, depth, false, value);
	while (st == MEM_OK && compare_row_keys(w->key, key) < 0) {
		w->levels[w->depth - 1].slot++;
		st = settle_walk(w, w->depth - 1, false, value);
	}
	return st;
}

enum mem_status
store_walk_seek(struct store_walk *w, struct mem_str key, MDB_val *value)
{
	w->key.n = 0;
	for (size_t depth = 0; depth < w->depth; depth++) {
		struct store_level *l = &w->levels[depth];
		bool leaf = depth + 1 == w->depth, same = false;
		if (key.n == 0)
			l->slot = 0;
		else if (!search_tree_page(w->t, l, leaf, key, &l->slot, &same))
			return seek_through_page(w, depth, key, value);
		if (leaf)
			return settle_walk(w, depth, false, value);
		l->slot -= key.n == 0 || same ? 0 : 1;
		if (!enter_walk_child(w, depth)) {
			l->slot++;
			return settle_walk(w, depth, false, value);
		}
	}
	return MEM_END;
}

enum mem_status
store_walk_step(struct store_walk *w, bool back, MDB_val *value)
{
	if (w->depth == 0)
		return MEM_END;
	if (w->key.n == 0)
		return back ? store_walk_last(w, value) : store_walk_seek(w, (struct mem_str){ "", 0 }, value);
	w->levels[w->depth - 1].slot += back ? SIZE_MAX : 1;
	return settle_walk(w, w->depth - 1, back, value);
}

enum mem_status
store_walk_last(struct store_walk *w, MDB_val *value)
{
	w->key.n = 0;
	if (w->depth == 0)
		return MEM_END;
	w->levels[0].slot = w->levels[0].slots - 1;
	return settle_walk(w, 0, true, value);
}
