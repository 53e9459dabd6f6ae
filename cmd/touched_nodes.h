/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that count the reads of what they print: option --touch. */
#ifndef MEM_TOUCHED_NODES_H
#define MEM_TOUCHED_NODES_H

#include <stdlib.h>

#include "cli/cli.h"
#include "record/record.h"
#include "write/touch.h"

struct touched_nodes {
	bool wanted;
	struct mem_id *ids;
	size_t n, cap;
};

#define MEM_OPT_TOUCH(t) { 0, "touch", NULL, "count for each node printed that it was read", .flag = &(t).wanted }

/* A record that was printed. */
static inline void
add_touched_node(struct touched_nodes *t, struct mem_str record)
{
	struct mem_json v;
	struct mem_buf id = { 0 };
	if (!t->wanted || mem_json_scan(&v, record, NULL) != MEM_OK)
		return;
	t->ids = mem_grow(t->ids, &t->cap, t->n + 1, sizeof *t->ids);
	t->n += mem_json_decode(&id, mem_json_member(v, "id")) && mem_id_parse(mem_buf_span(&id), &t->ids[t->n]);
	mem_buf_release(&id);
}

/* Once all is printed: who reads that does not wait.  That it cannot be counted is worth a word, and changes no answer. */
static inline void
count_touched_nodes(struct touched_nodes *t, const struct mem_store *s)
{
	struct mem_err err;
	if (t->n > 0) {
		mem_out_close();
		if (mem_touch_run(s, t->ids, t->n, &err) != MEM_OK)
			mem_warn("the reads are not counted: %s", err.msg);
	}
	free(t->ids);
	*t = (struct touched_nodes){ 0 };
}

#endif
