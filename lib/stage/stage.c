/* SPDX-License-Identifier: Apache-2.0 */
/* The table of stages. */
#include "stage/stage.h"

#define STAGE_ADDRESS(name) &mem_stage_##name,
const struct mem_stage *const mem_stages[] = { MEM_STAGE_TABLE(STAGE_ADDRESS) NULL };
