/* SPDX-License-Identifier: Apache-2.0 */
/* How far blocks have drifted from what they said, for mem-core. */
#ifndef MEM_CORE_DRIFT_H
#define MEM_CORE_DRIFT_H

#include <math.h>

#include "belief/core.h"
#include "cli/cli.h"
#include "model/model.h"

static inline void
print_drift(const struct mem_core_drift *d)
{
	struct mem_buf line = { 0 };
	char id[MEM_ID_LEN + 1];
	mem_id_format(&d->block.id, id);
	mem_buf_putc(&line, '{');
	mem_json_put_field(&line, "id", mem_str(id));
	mem_json_put_field(&line, "ns", d->block.ns);
	mem_json_put_num(&line, "drift", d->known ? d->drift : (double)NAN);
	mem_json_put_bool(&line, "warning", d->known && d->drift > MEM_CORE_DRIFT_LIMIT);
	mem_json_put_int(&line, "before", (int64_t)d->before);
	mem_json_put_int(&line, "now", (int64_t)d->now);
	mem_buf_putc(&line, '}');
	mem_out_line(mem_buf_span(&line));
	mem_buf_release(&line);
}

/* A line for each block; exit 1 when one has drifted. */
static inline enum mem_status
watch_drift(const struct mem_common *c, const struct mem_store_options *ask)
{
	const struct mem_write_options writing = { .via = "mem-core", .dry_run = c->dry_run };
	struct mem_write_run *r = NULL;
	struct mem_core_drift *v = NULL;
	struct mem_arena arena = { 0 };
	struct mem_err err;
	size_t n = 0;
	bool warned = false;
	enum mem_status st = mem_write_run_open(&r, ask, &writing, mem_receipts_drop, NULL, &err);
	if (st == MEM_OK)
		st = mem_core_drift_measure(mem_writer_store(r->writer), &arena, &v, &n, &err);
	for (size_t i = 0; st == MEM_OK && i < n; i++)
		st = mem_core_drift_keep(r, &v[i], &err);
	if (st == MEM_OK)
		st = mem_write_run_commit(r, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < n; i++) {
		bool over = v[i].known && v[i].drift > MEM_CORE_DRIFT_LIMIT;
		warned = warned || over;
		if (over || !c->quiet)
			print_drift(&v[i]);
	}
	mem_write_run_free(r);
	mem_arena_release(&arena);
	return warned ? MEM_NOTFOUND : MEM_OK;
}

#endif
