/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is data.mdb cut short?  LMDB maps the file and would die of SIGBUS on a page that is not
 * there.  A file that ends before its last page number is not cut for certain, though: pages taken and
 * given back within one transaction are counted and never written.  Those stand in the list
 * of free pages; so when the file is short, that list is read here with pread, and every missing page must be in it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/lmdb_format.h"
#include "store/store_int.h"

struct truncation {
	int fd;
	uint32_t psize;
	uint64_t pages;     /* whole ones in the file */
	uint64_t missing;   /* page numbers from `pages` to the last that are not yet found free */
	uint64_t last;
	uint8_t *seen;      /* of the missing */
	unsigned depth;
	uint64_t visits;    /* pages that were walked: none is twice in a tree */
};

static bool
read_lmdb_page(const struct truncation *s, uint64_t page, uint64_t n, uint8_t *to)
{
	uint64_t size = n * s->psize;
	return page < s->pages && n <= s->pages - page &&
	    pread(s->fd, to, size, (off_t)(page * s->psize)) == (ssize_t)size;
}

/* A list of free page numbers: their count, then they. */
static bool
mark_free_pages(struct truncation *s, const uint8_t *p, uint64_t size)
{
	if (size < 8 || mem_ld64(p) > size / 8 - 1)
		return false;
	for (uint64_t i = 1; i <= mem_ld64(p); i++) {
		uint64_t page = mem_ld64(p + 8 * i);
		if (page < s->pages || page > s->last)
			continue;
		uint64_t bit = page - s->pages;
		s->missing -= (s->seen[bit / 8] >> (bit % 8) & 1) == 0;
		s->seen[bit / 8] |= (uint8_t)(1 << (bit % 8));
	}
	return true;
}

static bool
read_leaf_node(struct truncation *s, const uint8_t *node, const uint8_t *end)
{
	uint64_t size = mem_ld32(node);
	const uint8_t *data = node + 8 + mem_ld16(node + 6);
	if (data > end)
		return false;
	if ((mem_ld16(node + 4) & LMDB_BIG) == 0)
		return size <= (uint64_t)(end - data) && mark_free_pages(s, data, size);
	if (end - data < 8)
		return false;
	uint64_t n = (LMDB_PAGE_HEAD + size + s->psize - 1) / s->psize;
	if (n > s->pages)
		return false;
	uint8_t *big = mem_xmalloc(n * s->psize);
	bool ok = read_lmdb_page(s, mem_ld64(data), n, big) && mark_free_pages(s, big + LMDB_PAGE_HEAD, size);
	free(big);
	return ok;
}

static bool
walk_free_tree(struct truncation *s, uint64_t page)
{
	uint8_t *p = mem_xmalloc(s->psize);
	bool ok = s->depth++ < LMDB_DEPTH_MAX && s->visits++ < s->pages && read_lmdb_page(s, page, 1, p);
	unsigned flags = ok ? mem_ld16(p + 10) : 0;
	size_t keys = ok ? (size_t)(mem_ld16(p + 12) - LMDB_PAGE_HEAD) / 2 : 0;
	ok = ok && (flags & (LMDB_BRANCH | LMDB_LEAF)) != 0 && LMDB_PAGE_HEAD + 2 * keys <= s->psize;
	for (size_t i = 0; ok && i < keys; i++) {
		size_t at = mem_ld16(p + LMDB_PAGE_HEAD + 2 * i);
		ok = at >= LMDB_PAGE_HEAD && at + 8 <= s->psize;
		if (!ok)
			break;
		const uint8_t *node = p + at;
		if ((flags & LMDB_LEAF) != 0)
			ok = read_leaf_node(s, node, p + s->psize);
		else
			ok = walk_free_tree(s, lmdb_child(node));
	}
	s->depth--;
	free(p);
	return ok;
}

/* The newer of the two meta pages; false when neither can be read. */
static bool
read_newest_meta(const struct truncation *s, struct lmdb_meta *out)
{
	bool found = false;
	uint8_t page[LMDB_PAGE_HEAD + sizeof *out];
	for (uint64_t i = 0; i < 2; i++) {
		struct lmdb_meta m;
		if (pread(s->fd, page, sizeof page, (off_t)(i * s->psize)) != (ssize_t)sizeof page || (mem_ld16(page + 10) & LMDB_META) == 0)
			continue;
		memcpy(&m, page + LMDB_PAGE_HEAD, sizeof m);
		if (!found || m.txnid > out->txnid)
			*out = m;
		found = true;
	}
	return found;
}

enum mem_status
store_check_truncation(MDB_env *env, const char *path, struct mem_err *err)
{
	MDB_stat stat;
	MDB_envinfo info;
	struct stat st;
	struct truncation s = { 0 };
	struct lmdb_meta meta = { 0 };
	mdb_env_stat(env, &stat);
	mdb_env_info(env, &info);
	if (mdb_env_get_fd(env, &s.fd) != 0 || fstat(s.fd, &st) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot look at '%s/" STORE_DATA_FILE "'", path);
	s.psize = stat.ms_psize;
	s.pages = (uint64_t)st.st_size / s.psize;
	if (info.me_last_pgno < s.pages)
		return MEM_OK;
	/* A writer may have moved on since LMDB looked: the newest meta page first, then the length. */
	bool ok = read_newest_meta(&s, &meta) && fstat(s.fd, &st) == 0;
	s.pages = (uint64_t)st.st_size / s.psize;
	s.last = ok ? meta.last_page : info.me_last_pgno;
	if (ok && s.last < s.pages)
		return MEM_OK;
	s.missing = s.last - s.pages + 1;
	/* Each of them is a number of eight bytes in the file. */
	ok = ok && s.missing <= (uint64_t)st.st_size / sizeof(uint64_t);
	s.seen = ok && meta.dbs[0].root != UINT64_MAX ? mem_try_malloc(s.missing / 8 + 1) : NULL;
	ok = s.seen != NULL;
	if (ok) {
		memset(s.seen, 0, s.missing / 8 + 1);
		ok = walk_free_tree(&s, meta.dbs[0].root) && s.missing == 0;
	}
	free(s.seen);
	if (!ok)
		return mem_err_set(err, MEM_FAIL, "'%s/" STORE_DATA_FILE "' is cut short: %llu bytes where %llu belong; restore a backup", path,
		    (unsigned long long)st.st_size, (unsigned long long)((s.last + 1) * s.psize));
	return MEM_OK;
}
