/* SPDX-License-Identifier: Apache-2.0 */
/* Why a node is believed, as mem-audit prints it. */
#ifndef MEM_WHY_OUTPUT_H
#define MEM_WHY_OUTPUT_H

#include "belief/history.h"
#include "cli/cli.h"
#include "record/record.h"
#include "store/node.h"

/* The paragraph, as a record or as text. */
static inline void
print_why(struct mem_store *store, const char *name, int format)
{
	struct mem_txn *t = NULL;
	struct mem_buf why = { 0 }, shown = { 0 };
	char text[MEM_ID_LEN + 1];
	struct mem_id id;
	struct mem_err err;
	if (mem_id_find(store, mem_str(name), &id, &err) != MEM_OK)
		mem_die(err.status, "--why: %s", err.msg);
	enum mem_status st = mem_txn_read(&t, store, &err);
	if (st == MEM_OK)
		st = mem_history_explain(&why, t, &id, &err);
	mem_txn_end(t);
	if (st == MEM_NOTFOUND)
		mem_die(st, "--why: no such node: %s", name);
	if (st != MEM_OK)
		mem_die_err(&err);
	mem_store_pause(store);
	if (format == MEM_FORMAT_JSON) {
		mem_id_format(&id, text);
		mem_buf_putc(&shown, '{');
		mem_json_put_field(&shown, "id", mem_str(text));
		mem_json_put_field(&shown, "why", mem_buf_span(&why));
		mem_buf_putc(&shown, '}');
	} else {
		mem_show(&shown, mem_buf_span(&why), false);
	}
	mem_out_line(mem_buf_span(&shown));
	mem_buf_release(&shown);
	mem_buf_release(&why);
}

#endif
