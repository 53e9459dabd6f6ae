/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults that come of damaged pages.  LMDB believes what stands in them: a reader is led behind the end of the file
 * (SIGBUS), a writer moves bytes by lengths that are none.  Here is told which addresses these are, to whoever handles the
 * signals (mem_mapped_catch).
 */
#include <string.h>

#include "store/lmdb_format.h"
#include "store/store_int.h"

/*
 * Calls in which LMDB goes by what stands in pages and touches memory of its own: any fault in one is damage.  LMDB does not
 * say where its map is before the first value was read, so opening is one.
 */
static _Thread_local volatile int lmdb_calls;

void
store_enter_lmdb(void)
{
	lmdb_calls++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* a read may not be moved out from between the two */
}

void
store_leave_lmdb(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lmdb_calls--;
}

/* Async-signal-safe; touches nothing of the map, which may have lost its pages. */
static bool
owns_fault(const struct mem_mapped *m, const void *at)
{
	return lmdb_calls > 0 || (m->at != NULL && (uintptr_t)at >= (uintptr_t)m->at && (uintptr_t)at - (uintptr_t)m->at < m->n);
}

static void
handle_lmdb_assertion(MDB_env *env, const char *text)
{
	const struct mem_mapped *m = mdb_env_get_userctx(env);
	(void)text; /* a line of LMDB's source, which helps nobody */
	mem_mapped_end(m);
}

void
store_watch_faults(struct mem_store *s)
{
	s->map = (struct mem_mapped){ .owns = owns_fault, .path = s->path,
		.word = "the store is damaged: run mem-check, or restore a backup" };
	mem_mapped_add(&s->map);
}

void
store_watch_assertions(struct mem_store *s)
{
	mdb_env_set_userctx(s->env, &s->map);
	mdb_env_set_assert(s->env, handle_lmdb_assertion);
}

/*
 * The map begins where the number that the page holds says (mdb.c: struct MDB_page), if a meta page is there.  A page whose
 * number is damaged leaves what may belong to the map at the most.
 */
void
store_note_map(struct mem_store *s, const void *at)
{
	MDB_envinfo info;
	const uintptr_t page = (uintptr_t)at & ~(uintptr_t)(s->page_size - 1);
	uint64_t number;
	uint32_t magic = 0;
	s->map.at = s->map_start = NULL;
	if (s->page_size == 0 || mdb_env_info(s->env, &info) != 0)
		return;
	memcpy(&number, (const char *)at - ((uintptr_t)at - page), sizeof number);
	size_t file = (info.me_last_pgno + 1) * s->page_size, before = number <= info.me_last_pgno ? number * s->page_size : file;
	const char *start = (const char *)at - ((uintptr_t)at - page) - before;
	store_enter_lmdb();
	if (before < file)
		memcpy(&magic, start + LMDB_PAGE_HEAD, sizeof magic);
	store_leave_lmdb();
	if (magic != LMDB_MAGIC)
		start = (const char *)at - file;
	s->map.n = info.me_mapsize + (magic == LMDB_MAGIC ? 0 : file);
	s->map.at = start;
	s->map_start = magic == LMDB_MAGIC ? start : NULL;
}
