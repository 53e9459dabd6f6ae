/* SPDX-License-Identifier: Apache-2.0 */
/* The table of stages. */
#include "stage/stage.h"

#define STAGE_ADDRESS(name) &mem_stage_##name,
const struct mem_stage *const mem_stages[] = { MEM_STAGE_TABLE(STAGE_ADDRESS) NULL };

const struct mem_stage *
mem_stage_find(struct mem_str name)
{
	for (size_t i = 0; mem_stages[i] != NULL; i++)
		if (mem_str_is(name, mem_stages[i]->name))
			return mem_stages[i];
	return NULL;
}
