/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page format of LMDB 0.9 on a 64-bit machine (mdb.c: struct MDB_page, MDB_node, MDB_meta, MDB_db), for who reads the file
 * without LMDB.  Numbers are in host order.
 *
 *   page    number (8), two bytes that mean nothing here, flags (2), lower (2), upper (2); of a run of pages for one value its
 *           length in pages (4) in place of the last two.  Slots of two bytes lead from its beginning to its nodes; slots end at
 *           lower, nodes fill what is between upper and the end, each from an even place on
 *   node    of a leaf: length of the value (4), flags (2), length of the key (2), key, value, or with NODE_BIG the number of
 *           the first page of its run; of a branch: number of the page (6), length of the key (2), key
 */
#ifndef MEM_LMDB_FORMAT_H
#define MEM_LMDB_FORMAT_H

#include "base/base.h"

enum {
	LMDB_PAGE_HEAD = 16, LMDB_NODE_HEAD = 8,
	LMDB_BRANCH = 1, LMDB_LEAF = 2, LMDB_OVERFLOW = 4, LMDB_META = 8, /* flags of pages */
	LMDB_BIG = 1, LMDB_TABLE = 2,                                     /* flags of nodes */
	LMDB_INTEGER_KEYS = 8,                                            /* flag of a table */
	LMDB_DEPTH_MAX = 32, LMDB_KEY_MAX = 511,
};
#define LMDB_MAGIC   0xBEEFC0DE
#define LMDB_NO_PAGE UINT64_MAX

/* What is known of a table; it is the value of its name in the table of tables. */
struct lmdb_db {
	uint32_t pad;        /* of the table of free pages: size of a page */
	uint16_t flags, depth;
	uint64_t branch, leaf, overflow, entries, root;
};
/* Behind the header of pages 0 and 1: what commits with even and with odd numbers left. */
struct lmdb_meta {
	uint32_t magic, version;
	uint64_t address, mapsize;
	struct lmdb_db dbs[2]; /* free pages, the table of tables */
	uint64_t last_page, txnid;
};

/* The page that a node of a branch leads to. */
static inline uint64_t
lmdb_child(const uint8_t *node)
{
	return mem_ld32(node) | (uint64_t)mem_ld16(node + 4) << 32;
}

#endif
