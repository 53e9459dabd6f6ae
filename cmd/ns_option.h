/* SPDX-License-Identifier: Apache-2.0 */
/* The option --ns where it names one namespace, or several one by one. */
#ifndef MEM_CMD_NS_OPTION_H
#define MEM_CMD_NS_OPTION_H

#include "cli/cli.h"
#include "store/store.h"

/* NULL: it is not given. */
static inline void
check_ns_option(const char *ns)
{
	if (ns != NULL && !mem_ns_valid(mem_str(ns)))
		mem_die(MEM_USAGE, "--ns: '%s' is not a namespace: agent:ID, team:ID, task:ID, global or system", ns);
}

#endif
