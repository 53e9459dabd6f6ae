/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes are repeats. */
#include "belief/dedupe.h"

struct mem_kind_set
mem_dedupe_kinds(void)
{
	struct mem_kind_set s = mem_kind_set_of(MEM_KIND_FACT);
	mem_kind_set_add(&s, MEM_KIND_ENTITY);
	mem_kind_set_add(&s, MEM_KIND_NOTE);
	mem_kind_set_add(&s, MEM_KIND_LEARNING);
	return s;
}
