/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a YAML file: a tree within the limits, or a refusal that names the place. */
#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct mem_yaml *y, unsigned depth)
{
	if (depth > 32 || y->line < 1 || y->column < 1)
		abort();
	if (y->type == MEM_YAML_SCALAR && (y->child != NULL || strlen(y->scalar.p) != y->scalar.n))
		abort();
	for (const struct mem_yaml *m = y->child; m != NULL; m = m->next) {
		if (y->type == MEM_YAML_MAP && strlen(m->key.p) != m->key.n)
			abort();
		check(m, depth + 1);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_arena arena = { 0 };
	struct mem_err err = { 0 };
	struct mem_yaml *y;
	struct mem_str text = { (const char *)data, size };
	if (mem_yaml_parse(&y, &arena, text, "fuzz", &err) == MEM_OK) {
		check(y, 0);
		(void)mem_yaml_get(y, "a.b.c");
	} else if (strncmp(err.msg, "fuzz:", 5) != 0) {
		abort();
	}
	mem_arena_release(&arena);
	return 0;
}
