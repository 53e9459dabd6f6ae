/* SPDX-License-Identifier: Apache-2.0 */
/* Files behind maps: whose bytes are they that cannot be read? */
#include "base/base.h"

/* A store, a model and some to spare: one that finds no room is watched by nobody. */
#define MAPPED_MAX 8

static struct mem_mapped *watched[MAPPED_MAX];
static mem_mapped_arm_fn *arm_fn;
static mem_mapped_end_fn *end_fn;

void
mem_mapped_catch(mem_mapped_arm_fn *arm, mem_mapped_end_fn *end)
{
	arm_fn = arm;
	end_fn = end;
}

void
mem_mapped_add(struct mem_mapped *m)
{
	mem_mapped_arm_fn *arm = arm_fn;
	arm_fn = NULL;
	if (arm != NULL)
		arm();
	mem_mapped_drop(m);
	for (size_t i = 0; i < MAPPED_MAX; i++)
		if (watched[i] == NULL) {
			__atomic_store_n(&watched[i], m, __ATOMIC_RELEASE);
			return;
		}
}

void
mem_mapped_drop(struct mem_mapped *m)
{
	for (size_t i = 0; i < MAPPED_MAX; i++)
		if (watched[i] == m)
			__atomic_store_n(&watched[i], NULL, __ATOMIC_RELEASE);
}

static bool
owns_address(const struct mem_mapped *m, const void *at)
{
	uintptr_t a = (uintptr_t)at, from = (uintptr_t)m->at;
	return m->owns != NULL ? m->owns(m, at) : a >= from && a - from < m->n;
}

const struct mem_mapped *
mem_mapped_find(const void *at)
{
	for (size_t i = 0; i < MAPPED_MAX; i++) {
		const struct mem_mapped *m = __atomic_load_n(&watched[i], __ATOMIC_ACQUIRE);
		if (m != NULL && owns_address(m, at))
			return m;
	}
	return NULL;
}

void
mem_mapped_end(const struct mem_mapped *m)
{
	if (end_fn != NULL)
		end_fn(m);
}
