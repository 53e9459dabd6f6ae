/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a test's own, for fields of nodes that it writes. */
#ifndef OWN_VALUES_H
#define OWN_VALUES_H

#include "own_store.h"

#include "clean/clean_text.h"
#include "record/record.h"

/* JSON, taken as it stands.  It lives as long as the arena. */
static inline struct mem_clean_text
clean_value(struct mem_arena *a, const char *json)
{
	struct mem_clean_rec clean = { 0 };
	struct mem_rec rec = { 0 };
	assert_int_equal(mem_rec_scan(&rec, mem_str(mem_arena_printf(a, "{\"v\":%s}", json)), &err), MEM_OK);
	mem_clean_restored(&clean, &rec);
	struct mem_clean_text t = mem_clean_value(&clean, "v");
	mem_rec_release(&rec);
	return t;
}

#endif
