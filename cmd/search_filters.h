/* SPDX-License-Identifier: Apache-2.0 */
/* Which records a question may find, and how it is read: options that mem-search has, and filters behind it in a pipe. */
#ifndef MEM_SEARCH_FILTERS_H
#define MEM_SEARCH_FILTERS_H

#include "belief/known.h"
#include "cli/cli.h"
#include "query/query.h"

/* c: struct mem_common, f: struct mem_filter_options. */
#define MEM_OPT_FILTERS(c, f) \
	MEM_OPT_KIND(c), MEM_OPT_NS(c), \
	{ 0, "session", "ID", "only this session", .str = &(f).session }, \
	{ 0, "role", "ROLE", "only these roles", .words = &(f).roles, .commas = true }, \
	{ 0, "tag", "TAG", "only what has this tag; given twice, both", .words = &(f).tags }, \
	{ 0, "flagged", NULL, "only what is flagged as an instruction to its reader", .flag = &(f).flagged }, \
	MEM_OPT_SINCE(c), MEM_OPT_UNTIL(c)
/* p: struct mem_filter_past. */
#define MEM_OPT_PAST(p) \
	{ 0, "as-of", "TIME", "facts as they were true at TIME", .time = &(p).as_of }, \
	{ 0, "known-at", "TIME", "only what was known at TIME", .time = &(p).known_at }, \
	{ 0, "include-superseded", NULL, "also what was superseded", .flag = &(p).superseded }
#define MEM_OPT_SYNTAX(o) \
	{ 0, "strict", NULL, "operators even in a sentence", .flag = &(o).strict }, \
	{ 0, "plain", NULL, "no operators: the query is text", .flag = &(o).plain }

/* OWNS *filter: mem_filter_release. */
static inline void
read_search_filters(struct mem_filter *filter, struct mem_filter_options *named, const struct mem_common *c)
{
	struct mem_err err;
	named->kinds = c->kinds, named->ns = c->ns, named->since = c->since, named->until = c->until;
	if (mem_filter_read(filter, named, &err) != MEM_OK)
		mem_die_err(&err);
}

#endif
