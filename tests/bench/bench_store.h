/* SPDX-License-Identifier: Apache-2.0 */
/* What benches of single rooms share: they end on a failure, open a store, and draw numbers. */
#ifndef MEM_BENCH_STORE_H
#define MEM_BENCH_STORE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/store.h"

static struct mem_err err;

static inline void
must(enum mem_status st, const char *what)
{
	if (st == MEM_OK)
		return;
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, err.msg);
	exit(3);
}

static inline struct mem_store *
open_store(const char *dir, bool write)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	struct mem_store *s;
	ask.dir = dir;
	ask.write = write;
	ask.now = 1790000000000;
	must(mem_store_open(&s, &ask, &err), dir);
	return s;
}

/* A number drawn by x; the same x gives the same. */
static inline uint64_t
mix_bits(uint64_t x)
{
	x += 0x9e3779b97f4a7c15U;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

#endif
