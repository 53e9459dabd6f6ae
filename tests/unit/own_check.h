/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a test wrote, the store and its index belong together. */
#ifndef OWN_CHECK_H
#define OWN_CHECK_H

#include "own_store.h"
#include "upkeep/upkeep.h"

/* A mem_breach_fn. */
static inline void
fail_on_breach(void *ctx, const struct mem_breach *b)
{
	(void)ctx;
	fail_msg("mem-check: %s in %s: %s", b->check, b->table, b->message);
}

static inline enum mem_status
own_store_check(struct mem_index *m)
{
	return mem_upkeep_check(m, fail_on_breach, NULL, NULL, NULL, &err);
}

#endif
