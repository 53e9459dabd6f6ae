/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are the pages of the file what LMDB takes them for?  LMDB believes each number that stands in one; so all pages of a
 * snapshot are read here first, without it and by numbers that are looked at before they are used: the tables' trees from
 * their roots on, the runs of large values, the list of free pages.  No page is read twice, so that it ends.
 *
 * Not looked at: what nobody reads.  That is the pad of a header, what lies between slots and nodes, the odd byte behind a
 * node, what is behind a value in its last page, the key of a branch's first node, and pages that are free.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/lmdb_format.h"
#include "store/store_int.h"

enum { FREE_TABLE, TABLE_OF_TABLES };

/* A page on the way down, and where its keys may lie: from `low` to below `high`, as lengths with bytes; n 0: no end. */
struct page_level {
	uint8_t *page;             /* OWNS */
	uint64_t number;
	size_t slot, slots;
	struct mem_str low, high;  /* BORROWS from pages above */
};

struct page_walk {
	int fd;
	uint32_t psize;
	uint64_t pages;            /* numbers of pages are below */
	uint8_t *used;             /* OWNS; bits */
	uint8_t *starts;           /* OWNS; bits by half the place: nodes of the page at hand */
	struct page_level levels[LMDB_DEPTH_MAX];
	const char *table;         /* at hand */
	bool integer_keys;
	struct lmdb_db found;      /* what was counted of it */
	struct lmdb_db *tables;    /* OWNS; of those that the table of tables names */
	char (*names)[32];         /* OWNS */
	size_t ntables, tables_cap, names_cap;
	bool noted, lost;          /* of the table at hand: something was told, rows cannot be read */
	size_t breaches;
	mem_breach_fn *fn;
	void *ctx;
};

/* What is told leaves the table's rows readable. */
static void
note_page(struct page_walk *w, uint64_t number, const char *message)
{
	char key[32];
	int n = snprintf(key, sizeof key, "page %llu", (unsigned long long)number);
	struct mem_breach b = { "page", w->table, { key, (size_t)n }, message };
	w->noted = true;
	w->breaches++;
	w->fn(w->ctx, &b);
}

/* What is told takes rows along. */
static bool
blame_page(struct page_walk *w, uint64_t number, const char *message)
{
	note_page(w, number, message);
	w->lost = true;
	return false;
}

static bool
read_bytes_at(const struct page_walk *w, uint64_t page, size_t offset, void *to, size_t n)
{
	return pread(w->fd, to, n, (off_t)(page * w->psize + offset)) == (ssize_t)n;
}

/* Takes n pages from `number` on for what is at hand; false: one of them is not there, or in use already. */
static bool
take_pages(struct page_walk *w, uint64_t number, uint64_t n)
{
	if (number < 2 || number >= w->pages || n > w->pages - number)
		return blame_page(w, number, "a page that is not there is called for");
	for (uint64_t i = number; i < number + n; i++) {
		if ((w->used[i / 8] >> (i % 8) & 1) != 0)
			return blame_page(w, i, "a page is used twice");
		w->used[i / 8] = (uint8_t)(w->used[i / 8] | 1U << (i % 8));
	}
	return true;
}

/* ---- nodes of a page ------------------------------------------------------ */

static struct mem_str
node_key(const uint8_t *node)
{
	return (struct mem_str){ (const char *)node + LMDB_NODE_HEAD, mem_ld16(node + 6) };
}

static size_t
find_node_size(const uint8_t *node, bool leaf)
{
	size_t n = LMDB_NODE_HEAD + (size_t)mem_ld16(node + 6);
	if (leaf)
		n += (mem_ld16(node + 4) & LMDB_BIG) != 0 ? sizeof(uint64_t) : mem_ld32(node);
	return n + (n & 1);
}

/* As LMDB orders them: bytes, then lengths; of free pages numbers. */
static int
compare_keys(const struct page_walk *w, struct mem_str a, struct mem_str b)
{
	if (w->integer_keys) {
		uint64_t x = mem_ld64((const uint8_t *)a.p), y = mem_ld64((const uint8_t *)b.p);
		return x < y ? -1 : x > y;
	}
	int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
	return c != 0 ? c : a.n < b.n ? -1 : a.n > b.n;
}

static bool
is_start(const struct page_walk *w, size_t at)
{
	return at == w->psize || (w->starts[at / 16] >> (at / 2 % 8) & 1) != 0;
}

/*
 * Nodes fill what is between upper and the end of the page, each once: they begin at places of their own, the lowest at
 * upper, each ends where another begins or the page ends, and together they are as long as that room.
 */
static bool
check_page_nodes(struct page_walk *w, const struct page_level *l, bool leaf)
{
	const uint8_t *p = l->page;
	size_t upper = mem_ld16(p + 14), sum = 0, lowest = w->psize;
	memset(w->starts, 0, w->psize / 16 + 1);
	for (size_t i = 0; i < l->slots; i++) {
		size_t at = mem_ld16(p + LMDB_PAGE_HEAD + 2 * i);
		if ((at & 1) != 0 || at < upper || at > w->psize - LMDB_NODE_HEAD || is_start(w, at))
			return blame_page(w, l->number, "a slot leads to no place of a node");
		size_t n = find_node_size(p + at, leaf);
		if (n > w->psize - at)
			return blame_page(w, l->number, "a node leads out of its page");
		w->starts[at / 16] = (uint8_t)(w->starts[at / 16] | 1U << (at / 2 % 8));
		sum += n;
		lowest = at < lowest ? at : lowest;
	}
	bool fills = lowest == upper && sum == w->psize - upper;
	for (size_t i = 0; i < l->slots && fills; i++) {
		size_t at = mem_ld16(p + LMDB_PAGE_HEAD + 2 * i);
		fills = is_start(w, at + find_node_size(p + at, leaf));
	}
	return fills || blame_page(w, l->number, "its nodes do not fill the room that is theirs");
}

static bool
check_page_keys(struct page_walk *w, const struct page_level *l, bool leaf)
{
	struct mem_str last = l->low;
	for (size_t i = leaf ? 0 : 1; i < l->slots; i++) {
		struct mem_str k = node_key(l->page + mem_ld16(l->page + LMDB_PAGE_HEAD + 2 * i));
		if (k.n == 0 || k.n > LMDB_KEY_MAX || (w->integer_keys && k.n != sizeof(uint64_t)))
			return blame_page(w, l->number, "a key of a length that none has");
		if (last.n > 0) {
			int c = compare_keys(w, last, k);
			if (c > 0 || (c == 0 && (i > 0 || !leaf)))
				return blame_page(w, l->number, "its keys do not rise");
		}
		last = k;
	}
	if (last.n > 0 && l->high.n > 0 && l->slots > 0 && compare_keys(w, last, l->high) >= 0)
		return blame_page(w, l->number, "its keys are not below those of the next page");
	return true;
}

/* Reads and checks a page but for what its nodes lead to. */
static bool
open_level(struct page_walk *w, struct page_level *l, bool leaf)
{
	const uint8_t *p = l->page;
	if (!take_pages(w, l->number, 1))
		return false;
	if (!read_bytes_at(w, l->number, 0, l->page, w->psize))
		return blame_page(w, l->number, "a page cannot be read");
	if (mem_ld64(p) != l->number)
		note_page(w, l->number, "a page has another's number");
	if (mem_ld16(p + 10) != (leaf ? LMDB_LEAF : LMDB_BRANCH))
		return blame_page(w, l->number, leaf ? "a page is no leaf where one belongs" : "a page is no branch where one belongs");
	size_t lower = mem_ld16(p + 12), upper = mem_ld16(p + 14);
	/* A branch of one node trips LMDB, but in the list of free pages. */
	size_t least = leaf || w->integer_keys ? 1 : 2;
	if (lower % 2 != 0 || lower < LMDB_PAGE_HEAD + 2 * least || lower > upper || upper > w->psize)
		return blame_page(w, l->number, "the bounds in a page's header are none");
	l->slot = 0;
	l->slots = (lower - LMDB_PAGE_HEAD) / 2;
	if (check_page_nodes(w, l, leaf) && check_page_keys(w, l, leaf))
		return true;
	w->used[l->number / 8] = (uint8_t)(w->used[l->number / 8] & ~(1U << (l->number % 8))); /* it may be another's */
	return false;
}

/* ---- what nodes lead to --------------------------------------------------- */

/* Free pages of one commit: how many, then their numbers, falling. */
static void
check_free_pages(struct page_walk *w, uint64_t page, const uint8_t *list, size_t size)
{
	uint64_t n = size >= sizeof n ? mem_ld64(list) : 0, last = UINT64_MAX;
	if (size < sizeof n || n != size / sizeof n - 1) {
		blame_page(w, page, "a list of free pages has another length than it says");
		return;
	}
	for (uint64_t i = 1; i <= n; i++) {
		uint64_t number = mem_ld64(list + 8 * i);
		if (number >= last) {
			blame_page(w, page, "a list of free pages does not fall");
			return;
		}
		if (!take_pages(w, number, 1))
			return;
		last = number;
	}
}

static void
keep_table(struct page_walk *w, uint64_t page, struct mem_str key, const uint8_t *value, size_t size)
{
	if (size != sizeof *w->tables || key.n >= sizeof *w->names) {
		blame_page(w, page, "what is known of a table has another length");
		return;
	}
	w->tables = mem_grow(w->tables, &w->tables_cap, w->ntables + 1, sizeof *w->tables);
	w->names = mem_grow(w->names, &w->names_cap, w->ntables + 1, sizeof *w->names);
	memcpy(&w->tables[w->ntables], value, size);
	memset(w->names[w->ntables], 0, sizeof *w->names);
	memcpy(w->names[w->ntables++], key.p, key.n);
}

/* The run of pages of a large value; a list of free pages is read, since the caller needs it. */
static void
check_large_value(struct page_walk *w, uint64_t page, const uint8_t *at, size_t size)
{
	uint8_t head[LMDB_PAGE_HEAD];
	uint64_t number = mem_ld64(at);
	if (number >= w->pages || !read_bytes_at(w, number, 0, head, sizeof head)) {
		blame_page(w, page, "a value lies in a page that is not there");
		return;
	}
	const uint64_t least = (size + LMDB_PAGE_HEAD + w->psize - 1) / w->psize;
	uint64_t run = mem_ld32(head + 12);
	if (mem_ld64(head) != number || mem_ld16(head + 10) != LMDB_OVERFLOW || run < least || run >= w->pages) {
		note_page(w, number, "the first page of a value has a header that is none");
		run = least;
	}
	if (!take_pages(w, number, run))
		return;
	w->found.overflow += run;
	if (!w->integer_keys)
		return;
	uint8_t *list = mem_try_malloc(size + 1);
	if (list != NULL && read_bytes_at(w, number, LMDB_PAGE_HEAD, list, size))
		check_free_pages(w, number, list, size);
	else
		blame_page(w, number, "a page cannot be read");
	free(list);
}

static void
check_leaf_values(struct page_walk *w, const struct page_level *l, int table)
{
	w->found.leaf++;
	w->found.entries += l->slots;
	for (size_t i = 0; i < l->slots; i++) {
		const uint8_t *node = l->page + mem_ld16(l->page + LMDB_PAGE_HEAD + 2 * i);
		unsigned flags = mem_ld16(node + 4);
		const uint8_t *value = node + LMDB_NODE_HEAD + mem_ld16(node + 6);
		if (flags != (table == TABLE_OF_TABLES ? LMDB_TABLE : flags & LMDB_BIG))
			blame_page(w, l->number, "a node has flags that none has");
		else if (flags == LMDB_TABLE)
			keep_table(w, l->number, node_key(node), value, mem_ld32(node));
		else if (flags == LMDB_BIG)
			check_large_value(w, l->number, value, mem_ld32(node));
		else if (table == FREE_TABLE)
			check_free_pages(w, l->number, value, mem_ld32(node));
	}
}

/* The next page below a branch, and between which keys its own lie. */
static void
point_to_child(const struct page_level *l, struct page_level *child)
{
	const uint8_t *node = l->page + mem_ld16(l->page + LMDB_PAGE_HEAD + 2 * l->slot);
	child->number = lmdb_child(node);
	child->low = l->slot > 0 ? node_key(node) : l->low;
	child->high = l->slot + 1 < l->slots ? node_key(l->page + mem_ld16(l->page + LMDB_PAGE_HEAD + 2 * (l->slot + 1))) : l->high;
}

/* ---- tables ---------------------------------------------------------------- */

static void
check_tree(struct page_walk *w, const struct lmdb_db *db, int table)
{
	size_t depth = 0, bottom = (size_t)db->depth - 1;
	w->levels[0].number = db->root;
	w->levels[0].low = w->levels[0].high = (struct mem_str){ NULL, 0 };
	if (!open_level(w, &w->levels[0], bottom == 0))
		return;
	w->found.branch += bottom > 0;
	if (bottom == 0)
		check_leaf_values(w, &w->levels[0], table);
	while (bottom > 0) {
		struct page_level *l = &w->levels[depth];
		if (l->slot >= l->slots) {
			if (depth-- == 0)
				return;
			continue;
		}
		struct page_level *child = &w->levels[depth + 1];
		point_to_child(l, child);
		l->slot++;
		bool leaf = depth + 1 == bottom;
		if (!open_level(w, child, leaf))
			continue;
		if (leaf)
			check_leaf_values(w, child, table);
		else {
			w->found.branch++;
			depth++;
		}
	}
}

/* A table by what is known of it; `home`: the page where that stands. */
static void
check_lmdb_table(struct page_walk *w, const struct lmdb_db *db, const char *name, int table, uint64_t home)
{
	const unsigned flags = table == FREE_TABLE ? LMDB_INTEGER_KEYS : 0;
	w->table = name;
	w->integer_keys = table == FREE_TABLE;
	w->found = (struct lmdb_db){ 0 };
	w->noted = w->lost = false;
	/* LMDB keeps how a file was first opened with the flags of the free pages. */
	if ((table == FREE_TABLE ? db->flags & ~(unsigned)MDB_NOSUBDIR : db->flags) != flags || db->depth > LMDB_DEPTH_MAX || (db->depth == 0) != (db->root == LMDB_NO_PAGE)) {
		blame_page(w, home, "what is known of a table is none");
		return;
	}
	if (db->depth > 0)
		check_tree(w, db, table);
	if (!w->noted && (w->found.branch != db->branch || w->found.leaf != db->leaf || w->found.overflow != db->overflow
	    || w->found.entries != db->entries))
		note_page(w, home, "a table has other pages or rows than are counted");
}

/* The commit that a snapshot sees.  Commits take the two places in turn, so the other one is that before. */
static bool
read_commit(struct page_walk *w, uint64_t txnid, struct lmdb_meta *out)
{
	uint8_t page[LMDB_PAGE_HEAD + sizeof *out];
	struct lmdb_meta m[2];
	bool good = true;
	for (uint64_t i = 0; i < 2; i++) {
		if (!read_bytes_at(w, i, 0, page, sizeof page))
			return false;
		memcpy(&m[i], page + LMDB_PAGE_HEAD, sizeof m[i]);
		good = good && mem_ld64(page) == i && mem_ld16(page + 10) == LMDB_META && m[i].magic == LMDB_MAGIC && m[i].version == m[0].version
		    && (m[i].txnid == 0 || m[i].txnid % 2 == i);
	}
	*out = m[txnid % 2];
	uint64_t other = m[1 - txnid % 2].txnid;
	return good && out->txnid == txnid && (other + 1 == txnid || other == txnid + 1 || (txnid <= 1 && other == 0))
	    && out->dbs[FREE_TABLE].pad == w->psize;
}

static int
find_table_name(const char *name)
{
	int i = 0;
	while (i < MEM_T_COUNT && strcmp(store_table_names[i], name) != 0)
		i++;
	return i;
}

static void
check_all_tables(struct page_walk *w, const struct lmdb_meta *m, struct store_page_report *r)
{
	const uint64_t home = m->txnid % 2;
	check_lmdb_table(w, &m->dbs[TABLE_OF_TABLES], "(tables)", TABLE_OF_TABLES, home);
	r->tables_lost = w->lost;
	const uint64_t root = m->dbs[TABLE_OF_TABLES].root;
	/* What nothing else tells comes first, so that a table that leads astray into its pages is the one that is blamed. */
	for (size_t i = 0; i < 2 * w->ntables; i++) {
		int tab = find_table_name(w->names[i % w->ntables]);
		if (store_is_true_table(tab) != (i < w->ntables))
			continue;
		check_lmdb_table(w, &w->tables[i % w->ntables], w->names[i % w->ntables], TABLE_OF_TABLES + 1, root);
		if (tab == MEM_T_COUNT)
			note_page(w, root, "a table has a name that none has");
		else {
			r->there[tab] = true;
			r->lost[tab] = w->lost;
		}
	}
	w->table = "(tables)";
	for (int i = 0; i < MEM_T_COUNT && !r->tables_lost; i++)
		if (!r->there[i] && !store_comes_later((enum mem_table)i)) {
			note_page(w, root, "a table that every store has is not there");
			r->lost[i] = true;
		}
	/* Last: which pages are in use is known by now. */
	if (w->breaches == 0)
		check_lmdb_table(w, &m->dbs[FREE_TABLE], "(free)", FREE_TABLE, home);
}

/* Another may commit between the begin of a snapshot and the look at its commit, which then has gone: once more. */
static enum mem_status
find_commit(struct mem_store *s, struct page_walk *w, MDB_txn *txn, struct lmdb_meta *m, struct mem_err *err)
{
	const int tries = 8;
	for (int i = 0; i < tries; i++) {
		if (read_commit(w, mdb_txn_id(txn), m))
			return MEM_OK;
		mdb_txn_reset(txn);
		int rc = mdb_txn_renew(txn);
		if (rc != 0)
			return store_mdb_err(s, rc, "read", err);
	}
	w->table = "(tables)";
	blame_page(w, mdb_txn_id(txn) % 2, "the page that says where all tables begin is not what was written");
	return MEM_OK;
}

enum mem_status
store_check_pages(struct mem_store *s, MDB_txn *txn, mem_breach_fn *fn, void *ctx, struct store_page_report *report, struct mem_err *err)
{
	MDB_stat sizes = { 0 };
	mdb_env_stat(s->env, &sizes);
	struct store_page_report r = { 0 };
	struct page_walk w = { .psize = sizes.ms_psize, .fn = fn, .ctx = ctx };
	struct lmdb_meta m = { 0 };
	struct stat file;
	if (mdb_env_get_fd(s->env, &w.fd) != 0 || fstat(w.fd, &file) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot look at '%s/" STORE_DATA_FILE "'", s->path);
	enum mem_status st = find_commit(s, &w, txn, &m, err);
	r.tables_lost = w.breaches > 0;
	if (st == MEM_OK && w.breaches == 0) {
		/* Pages that were taken and given back within one commit lie behind the end of the file: store_check_truncation. */
		w.pages = m.last_page + 1;
		w.used = mem_try_malloc(w.pages / 8 + 1);
		if (w.used == NULL)
			return mem_err_set(err, MEM_FAIL, "no memory to check '%s'", s->path);
		memset(w.used, 0, w.pages / 8 + 1);
		w.starts = mem_xmalloc(w.psize / 16 + 1);
		for (size_t i = 0; i < LMDB_DEPTH_MAX; i++)
			w.levels[i].page = mem_xmalloc(w.psize);
		check_all_tables(&w, &m, &r);
	}
	for (size_t i = 0; i < LMDB_DEPTH_MAX; i++)
		free(w.levels[i].page);
	free(w.used);
	free(w.starts);
	free(w.tables);
	free(w.names);
	if (report != NULL)
		*report = r;
	return st == MEM_OK && w.breaches > 0 ? mem_err_set(err, MEM_REFUSED, "'%s' has damaged pages", s->path) : st;
}
