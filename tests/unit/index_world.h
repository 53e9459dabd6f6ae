/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of words and vectors share: a store in a folder of its own, with namespaces 1 to 6. */
#ifndef INDEX_WORLD_H
#define INDEX_WORLD_H

#include "own_store.h"

#include "segment/segment_write.h"
#include "vectors/vectors.h"
#include "words/words_int.h"
#include "write/tidy.h"

#define NAMESPACES 6

#define ASSERT_OK(call) do { \
	enum mem_status st_ = (call); \
	if (st_ != MEM_OK) \
		fail_msg("%s: status %d: %s", #call, (int)st_, err.msg); \
} while (0)

static struct mem_store *store;

static inline uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

static inline void
world_open(void)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	ask.write = true;
	ask.agent = "alice";
	ask.wait_ms = 600000; /* longer than any load of a machine lasts */
	ASSERT_OK(mem_store_open(&store, &ask, &err));
}

/* Rows of table ns as tables.txt has them. */
static inline enum mem_status
make_namespaces(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	enum mem_status st = MEM_OK;
	for (uint32_t ns = 1; ns <= NAMESPACES && st == MEM_OK; ns++) {
		struct { uint32_t number, zero; uint64_t nodes, length; } row = { ns, 0, 0, 0 };
		char name[] = "team:t0";
		uint8_t key[5] = { 0 };
		name[6] = (char)('0' + ns);
		mem_be32(key + 1, ns);
		st = mem_tab_put(t, MEM_T_NS, mem_key(key, sizeof key), mem_str(name), e);
		if (st == MEM_OK)
			st = mem_tab_put(t, MEM_T_NS, mem_str(name),
			    (struct mem_str){ (const char *)&row, sizeof row }, e);
	}
	return st;
}

static inline int
world_setup(void **state)
{
	(void)state;
	/* Hundreds of small transactions: in memory, where nothing waits for a disk. */
	if (own_store_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", "alice") != 0)
		return -1;
	world_open();
	ASSERT_OK(mem_store_write(store, make_namespaces, NULL, &err));
	return 0;
}

/* No vectors; those that come are of a model of so many dimensions as the uint32_t that is ctx. */
static inline enum mem_status
world_start_vectors(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct mem_vectors_model m = { .name = "test", .dims = *(const uint32_t *)ctx };
	enum mem_status st = mem_vectors_clear(t, e);
	return st == MEM_OK ? mem_vectors_model_put(t, &m, e) : st;
}

static inline int
world_teardown(void **state)
{
	(void)state;
	mem_store_close(store);
	return own_store_remove();
}

#endif
