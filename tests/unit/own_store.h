/* SPDX-License-Identifier: Apache-2.0 */
/* A store in a folder of the test's own, which is also its home. */
#ifndef OWN_STORE_H
#define OWN_STORE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"

static char dir[64], at[80]; /* the home, and the store in it */
static struct mem_err err;

/* Below `base`, where `agent` may do all; 0 as cmocka's set-ups say it. */
static inline int
own_store_make(const char *base, const char *agent)
{
	static const char *const vars[] = { "MEM_STORE", "MEM_AGENT", "MEM_TEAMS", "MEM_TASKS", "XDG_CONFIG_HOME",
		"XDG_STATE_HOME", "XDG_DATA_HOME" };
	struct mem_buf path = { 0 };
	enum mem_init_result r;
	snprintf(dir, sizeof dir, "%s/memkit-unit-XXXXXX", base);
	if (mkdtemp(dir) == NULL || setenv("HOME", dir, 1) != 0)
		return -1;
	for (size_t i = 0; i < MEM_COUNT(vars); i++)
		unsetenv(vars[i]);
	snprintf(at, sizeof at, "%s/s", dir);
	struct mem_init_options ask = { .dir = at, .agent = agent };
	enum mem_status st = mem_store_init(&ask, &path, &r, &err);
	mem_buf_release(&path);
	return st == MEM_OK && r == MEM_INIT_NEW ? 0 : -1;
}

static inline int
own_store_remove(void)
{
	char cmd[100];
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", dir);
	return system(cmd);
}

#endif
