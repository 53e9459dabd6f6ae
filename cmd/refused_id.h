/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of an id that names no node. */
#ifndef MEM_CMD_REFUSED_ID_H
#define MEM_CMD_REFUSED_ID_H

#include "cli/cli.h"
#include "store/node.h"

/* A receipt has one word for it, not_found or ambiguous: which ids begin so is said here, or what an id must be. */
static inline void
explain_refused_id(struct mem_store *s, struct mem_str id)
{
	struct mem_id found;
	struct mem_err err;
	enum mem_status st = id.n > 0 ? mem_id_find(s, id, &found, &err) : MEM_OK;
	if (st == MEM_REFUSED || st == MEM_USAGE)
		mem_warn("%s", err.msg);
}

/* Of one that was looked up and not found: why it can be none, or that there is no such `what`. */
static inline void
warn_of_missing_id(const char *what, struct mem_str id, const struct mem_err *err)
{
	if (err->status == MEM_USAGE)
		mem_warn("%s", err->msg);
	else
		mem_warn("no such %s: %.*s", what, (int)(id.n < 200 ? id.n : 200), id.p);
}

#endif
