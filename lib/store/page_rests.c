/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left behind large values.  LMDB gives each value of half a page or more pages of its own, writes the value
 * and leaves what was in memory behind it, which may be a piece of something that was removed since; and copies whole
 * pages when it compacts.  (Of other pages it copies what is in use.)
 *
 * The page format is that of LMDB 0.9 on a 64-bit machine (mdb.c: struct MDB_page, MDB_node).
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store_int.h"

enum { HEADER = 16, NODE_HEADER = 8, P_LEAF = 2, P_OVERFLOW = 4, P_LEAF2 = 0x20, F_BIGDATA = 1 };

struct rests {
	int fd;
	uint32_t psize;
	uint64_t pages;
	uint8_t *page, *rest;      /* OWNS; psize each */
	struct mem_err *err;
};

static uint16_t
rests_u16(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static enum mem_status
fail_copy(const struct rests *r)
{
	return mem_err_sys(r->err, MEM_FAIL, "cannot read or write the copy");
}

static enum mem_status
blame_copy(const struct rests *r)
{
	return mem_err_set(r->err, MEM_FAIL, "the copy has a page that LMDB would not write");
}

static enum mem_status
read_bytes(const struct rests *r, uint64_t at, void *to, size_t n)
{
	return pread(r->fd, to, n, (off_t)at) == (ssize_t)n ? MEM_OK : fail_copy(r);
}

/* Pages of the run that begins there; 0: none does. */
static enum mem_status
read_run_length(const struct rests *r, uint64_t page, uint32_t *n)
{
	uint8_t head[HEADER];
	enum mem_status st = read_bytes(r, page * r->psize, head, sizeof head);
	memcpy(n, head + 12, sizeof *n);
	if (st == MEM_OK && ((rests_u16(head + 10) & P_OVERFLOW) == 0 || *n > r->pages - page))
		*n = 0;
	return st;
}

static enum mem_status
wipe_bytes(const struct rests *r, uint64_t at, uint64_t end)
{
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && at < end) {
		size_t n = end - at < r->psize ? (size_t)(end - at) : r->psize;
		bool any = false;
		st = read_bytes(r, at, r->rest, n);
		for (size_t i = 0; i < n; i++)
			any |= r->rest[i] != 0;
		memset(r->rest, 0, n);
		if (st == MEM_OK && any && pwrite(r->fd, r->rest, n, (off_t)at) != (ssize_t)n)
			st = fail_copy(r);
		at += n;
	}
	return st;
}

/* Behind the value of a leaf's entry, if it lies in pages of its own. */
static enum mem_status
wipe_behind_value(const struct rests *r, uint32_t at)
{
	uint64_t page;
	uint32_t run = 0;
	if (at < HEADER || at > r->psize - NODE_HEADER)
		return blame_copy(r);
	const uint8_t *node = r->page + at;
	if ((rests_u16(node + 4) & F_BIGDATA) == 0)
		return MEM_OK;
	uint64_t size = rests_u16(node) | (uint64_t)rests_u16(node + 2) << 16;
	uint32_t data = at + NODE_HEADER + rests_u16(node + 6);
	if (data > r->psize - sizeof page)
		return blame_copy(r);
	memcpy(&page, r->page + data, sizeof page);
	if (page >= r->pages)
		return blame_copy(r);
	enum mem_status st = read_run_length(r, page, &run);
	if (st == MEM_OK && HEADER + size > (uint64_t)run * r->psize)
		st = blame_copy(r);
	return st == MEM_OK ? wipe_bytes(r, page * r->psize + HEADER + size, (page + run) * r->psize) : st;
}

static enum mem_status
wipe_behind_leaf(const struct rests *r)
{
	enum mem_status st = MEM_OK;
	uint32_t lower = rests_u16(r->page + 12);
	if (lower < HEADER || lower > r->psize)
		return blame_copy(r);
	for (uint32_t at = HEADER; at + 2 <= lower && st == MEM_OK; at += 2)
		st = wipe_behind_value(r, rests_u16(r->page + at));
	return st;
}

enum mem_status
store_wipe_page_rests(int fd, uint32_t psize, uint64_t bytes, struct mem_err *err)
{
	struct rests r = { .fd = fd, .psize = psize, .pages = bytes / psize, .err = err };
	enum mem_status st = MEM_OK;
	r.page = mem_xmalloc(psize);
	r.rest = mem_xmalloc(psize);
	for (uint64_t page = 2; page < r.pages && st == MEM_OK;) { /* the first two say where the tables begin */
		uint32_t run = 0;
		st = read_bytes(&r, page * psize, r.page, psize);
		uint16_t flags = rests_u16(r.page + 10);
		if (st == MEM_OK && (flags & P_OVERFLOW) != 0)
			st = read_run_length(&r, page, &run);
		else if (st == MEM_OK && (flags & (P_LEAF | P_LEAF2)) == P_LEAF)
			st = wipe_behind_leaf(&r);
		page += run > 1 ? run : 1;
	}
	free(r.page);
	free(r.rest);
	if (st == MEM_OK && fsync(fd) != 0)
		st = fail_copy(&r);
	return st;
}
