/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading tables of a snapshot straight from their pages in the map (lmdb_format.h), in place of LMDB, which believes all that
 * stands in one.  Here no number of a page is used before it is known to stay within the page or the file; keys have to rise,
 * and to lie between those that lead to their page; so no walk is led astray or round in circles, and what cannot be right
 * is told as damage and passed over, never served.  Inside a write LMDB reads: its tree is in memory.
 */
#ifndef MEM_PAGE_TREE_H
#define MEM_PAGE_TREE_H

#include <lmdb.h>

#include "store/store.h"

/* A page on the way down, and where its keys may lie: from `low` to below `high`; n 0: no end. */
struct store_level {
	const uint8_t *page;
	uint64_t number;
	size_t slot, slots;
	struct mem_str low, high; /* BORROWS from pages above */
};
/* Where a table's rows begin. */
struct store_tree {
	uint64_t root;
	uint16_t depth;
	bool known;
	struct store_level parent, leaf; /* where the last row was looked for, since the next one is often near; page NULL: nowhere */
};
/* A place in a table. */
struct store_walk {
	struct mem_txn *t;
	enum mem_table tab;
	size_t depth;             /* levels; 0: the table has no rows */
	struct store_level *levels; /* OWNS */
	struct mem_str key;       /* of the row at hand; n 0: none */
	uint64_t bad_page;        /* the last that was noted; 0: none */
};

/* Looks for the tables of a snapshot; t->pages stays NULL where they cannot be read so, and LMDB reads. */
void store_tree_begin(struct mem_txn *t);
/* MEM_NOTFOUND; MEM_DAMAGED: a page on the way is not what was written. */
enum mem_status store_tree_get(struct mem_txn *t, enum mem_table tab, struct mem_str key, MDB_val *value, struct mem_err *err) MEM_CHECKED;

/* Would the key stand in this page?  Of a level without a page: no. */
bool store_tree_has_place(const struct store_level *l, struct mem_str key);
/*
 * The leaf where the key would stand, read from the file into `page` (a page's bytes, which *leaf BORROWS), so that the map need not
 * bring it.  False, and leaf->page NULL: there is none above which a branch stands, or it cannot be right.
 */
bool store_tree_read_leaf(struct mem_txn *t, enum mem_table tab, struct mem_str key, uint8_t *page, struct store_level *leaf);
/* A row of a leaf; *value lies in its page.  As store_tree_get fails. */
enum mem_status store_tree_leaf_row(struct mem_txn *t, enum mem_table tab, struct store_level *leaf, struct mem_str key,
    MDB_val *value) MEM_CHECKED;

/*
 * Before a write.  LMDB copies a page that it changes into memory, and moves about in it what the page says: a bound or a length
 * that a bit made larger overwrites what lies behind.  So the page where a row goes, as it was committed, and the ends of the
 * list of free pages are looked at first.  MEM_FAIL: they are damaged.
 */
enum mem_status store_tree_begin_write(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
enum mem_status store_tree_check_place(struct mem_txn *t, enum mem_table tab, struct mem_str key, struct mem_err *err) MEM_CHECKED;
/* The table has been emptied in this write. */
void store_tree_forget(struct mem_txn *t, enum mem_table tab);

enum mem_status store_walk_begin(struct store_walk *w, struct mem_txn *t, enum mem_table tab, struct mem_err *err) MEM_CHECKED;
void store_walk_release(struct store_walk *w);
/* To the first row whose key is at least `key` (n 0: the first of all); to the next; to the one before; to the last.
 * MEM_END: there is none.  A page that is damaged is noted (mem_store_damage_note) and passed over. */
enum mem_status store_walk_seek(struct store_walk *w, struct mem_str key, MDB_val *value) MEM_CHECKED;
enum mem_status store_walk_step(struct store_walk *w, bool back, MDB_val *value) MEM_CHECKED;
enum mem_status store_walk_last(struct store_walk *w, MDB_val *value) MEM_CHECKED;

#endif
