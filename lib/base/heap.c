/* SPDX-License-Identifier: Apache-2.0 */
/* How the heap grows. */
#include "base/base.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE ((size_t)2 << 20)
#define HEAP_ROOM  (8 * LARGE_PAGE)  /* address space alone, until it is touched */
#define SPACER     ((size_t)1 << 20) /* more than a heap has left; likewise */
#define SMALL_PAGE ((size_t)4096)
#define TOP_PAD    (128 << 10)       /* malloc's own */

/* Sanitisers have a heap of their own. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_MOVE_HEAP
#endif

#ifdef CAN_MOVE_HEAP
/* Moves the break to `begin` if there is room behind it; as much again is left to whoever maps memory (setrlimit, RLIMIT_DATA). */
static bool
move_break(const char *end, uintptr_t begin)
{
	const intptr_t to = (intptr_t)(begin - (uintptr_t)end), room = (intptr_t)(2 * HEAP_ROOM);
	return sbrk(to + room) == end && sbrk(-room) != (void *)-1;
}
#endif

/*
 * All blocks, also big ones and those of other threads, then come from one piece that goes on from a large page.  The break is moved
 * behind malloc's back, which it allows for (malloc/malloc.c, sysmalloc: "foreign sbrk"): it goes on from the new one with the next
 * block for which the old piece has no room, a spacer up to where the large pages begin.  What malloc writes of its own thereby lies
 * before them, since a large page comes only where no small one has been touched.
 */
void
mem_heap_use_large_pages(void)
{
#ifdef CAN_MOVE_HEAP
	static void *spacer;
	char *end = sbrk(0);
	const uintptr_t large = ((uintptr_t)end + SPACER + SMALL_PAGE + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	const uintptr_t begin = large - SPACER - SMALL_PAGE;
	if (spacer != NULL || !move_break(end, begin))
		return;
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, (int)HEAP_ROOM);
	mallopt(M_TRIM_THRESHOLD, 2 * (int)HEAP_ROOM);
	mallopt(M_TOP_PAD, (int)HEAP_ROOM);
	spacer = mem_xmalloc(SPACER);
	mallopt(M_TOP_PAD, TOP_PAD);
	(void)madvise(end + (large - (uintptr_t)end), HEAP_ROOM - LARGE_PAGE, MADV_HUGEPAGE);
#endif
}
