/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is always there, strings, buffers and arenas. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_SEPARATE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_SEPARATE 1
#endif
#endif
#ifndef ARENA_SEPARATE
#define ARENA_SEPARATE 0
#endif

static void
die_of_memory(void)
{
	static const char msg[] = "memkit: out of memory\n";
	ssize_t n = write(STDERR_FILENO, msg, sizeof msg - 1);
	(void)n;
	_exit(3);
}

void *
mem_xmalloc(size_t n)
{
	void *p = malloc(n > 0 ? n : 1);
	if (p == NULL)
		die_of_memory();
	return p;
}

void *
mem_xcalloc(size_t n, size_t size)
{
	void *p = calloc(n > 0 ? n : 1, size > 0 ? size : 1);
	if (p == NULL)
		die_of_memory();
	return p;
}

void *
mem_xrealloc(void *p, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		die_of_memory();
	void *q = realloc(p, bytes > 0 ? bytes : 1);
	if (q == NULL)
		die_of_memory();
	return q;
}

char *
mem_xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;
	return memcpy(mem_xmalloc(n), s, n);
}

void *
mem_try_malloc(size_t n)
{
	return malloc(n > 0 ? n : 1);
}

void *
mem_grow_more(void *p, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap > 0 ? *cap : 8;
	while (want < need) {
		if (__builtin_mul_overflow(want, (size_t)2, &want))
			die_of_memory();
	}
	p = mem_xrealloc(p, want, size);
	*cap = want;
	return p;
}

struct mem_str
mem_str(const char *s)
{
	return (struct mem_str){ s, s != NULL ? strlen(s) : 0 };
}

bool
mem_str_eq(struct mem_str a, struct mem_str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool
mem_str_is(struct mem_str a, const char *s)
{
	return mem_str_eq(a, mem_str(s));
}

bool
mem_str_among(struct mem_str s, const char *const *words)
{
	while (*words != NULL && !mem_str_is(s, *words))
		words++;
	return *words != NULL;
}

int
mem_str_cmp(struct mem_str a, struct mem_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n > 0 ? memcmp(a.p, b.p, n) : 0;
	if (c != 0)
		return c;
	return a.n < b.n ? -1 : a.n > b.n;
}

static bool
is_blank_byte(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct mem_str
mem_str_trim(struct mem_str s)
{
	for (; s.n > 0 && is_blank_byte(s.p[0]); s.n--)
		s.p++;
	while (s.n > 0 && is_blank_byte(s.p[s.n - 1]))
		s.n--;
	return s;
}

void
mem_buf_reserve(struct mem_buf *b, size_t extra)
{
	size_t need;
	if (__builtin_add_overflow(b->len, extra, &need) ||
	    __builtin_add_overflow(need, (size_t)1, &need))
		die_of_memory();
	b->data = mem_grow(b->data, &b->cap, need, 1);
	b->data[b->len] = '\0'; /* also for those who then put nothing */
}

void
mem_buf_put(struct mem_buf *b, const void *p, size_t n)
{
	if (b->cap - b->len <= n)
		mem_buf_reserve(b, n);
	if (n > 0)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void
mem_buf_puts(struct mem_buf *b, const char *s)
{
	mem_buf_put(b, s, strlen(s));
}

void
mem_buf_vprintf(struct mem_buf *b, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	mem_buf_reserve(b, 64);
	int n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
	if (n < 0)
		die_of_memory();
	if ((size_t)n >= b->cap - b->len) {
		mem_buf_reserve(b, (size_t)n);
		vsnprintf(b->data + b->len, b->cap - b->len, fmt, again);
	}
	va_end(again);
	b->len += (size_t)n;
}

void
mem_buf_printf(struct mem_buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	mem_buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void
mem_buf_reset(struct mem_buf *b)
{
	b->len = 0;
	if (b->data != NULL)
		b->data[0] = '\0';
}

void
mem_buf_release(struct mem_buf *b)
{
	free(b->data);
	*b = (struct mem_buf){ 0 };
}

struct mem_str
mem_buf_span(const struct mem_buf *b)
{
	return (struct mem_str){ b->data != NULL ? b->data : "", b->len };
}

/* A block and, behind it, `size` bytes of which `used` are taken. */
struct mem_arena_block {
	struct mem_arena_block *next;
	size_t size, used;
	_Alignas(16) unsigned char bytes[];
};

/* Blocks double from the first to the last size: most arenas of a command hold a few words,
 * and pages of the heap that nobody needs are a good part of a cold start. */
enum { ARENA_FIRST = 1024 - 64, ARENA_LAST = 64 * 1024 - 64 };

static struct mem_arena_block *
add_arena_block(struct mem_arena *a, size_t n)
{
	size_t bytes;
	if (__builtin_add_overflow(n, sizeof(struct mem_arena_block), &bytes))
		die_of_memory();
	struct mem_arena_block *blk = mem_xmalloc(bytes);
	blk->size = n;
	blk->used = 0;
	blk->next = a->head;
	a->head = blk;
	return blk;
}

void *
mem_arena_alloc(struct mem_arena *a, size_t n)
{
	size_t want = n > 0 ? n : 1;
	if (!ARENA_SEPARATE) {
		if (__builtin_add_overflow(want, (size_t)15, &want))
			die_of_memory();
		want &= ~(size_t)15;
	}
	struct mem_arena_block *blk = a->head;
	if (ARENA_SEPARATE || blk == NULL || blk->size - blk->used < want) {
		size_t plain = blk == NULL ? ARENA_FIRST : blk->size < ARENA_LAST / 2 ? 2 * blk->size : ARENA_LAST;
		blk = add_arena_block(a, ARENA_SEPARATE || want > plain ? want : plain);
	}
	void *p = blk->bytes + blk->used;
	blk->used += want;
	return memset(p, 0, want);
}

char *
mem_arena_dup(struct mem_arena *a, const void *p, size_t n)
{
	size_t bytes;
	if (__builtin_add_overflow(n, (size_t)1, &bytes))
		die_of_memory();
	char *q = mem_arena_alloc(a, bytes);
	if (n > 0)
		memcpy(q, p, n);
	return q;
}

struct mem_str
mem_arena_str(struct mem_arena *a, struct mem_str s)
{
	return (struct mem_str){ mem_arena_dup(a, s.p, s.n), s.n };
}

char *
mem_arena_printf(struct mem_arena *a, const char *fmt, ...)
{
	struct mem_buf b = { 0 };
	va_list ap;
	va_start(ap, fmt);
	mem_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	char *s = mem_arena_dup(a, b.data, b.len);
	mem_buf_release(&b);
	return s;
}

/* Keeps the newest block of a plain size, so that a loop over records allocates nothing. */
void
mem_arena_reset(struct mem_arena *a)
{
	struct mem_arena_block *keep = NULL;
	for (struct mem_arena_block *blk = a->head, *next; blk != NULL; blk = next) {
		next = blk->next;
		if (!ARENA_SEPARATE && keep == NULL && blk->size <= ARENA_LAST)
			keep = blk;
		else
			free(blk);
	}
	if (keep != NULL) {
		keep->next = NULL;
		keep->used = 0;
	}
	a->head = keep;
}

void
mem_arena_release(struct mem_arena *a)
{
	for (struct mem_arena_block *blk = a->head, *next; blk != NULL; blk = next) {
		next = blk->next;
		free(blk);
	}
	a->head = NULL;
}
