/* SPDX-License-Identifier: Apache-2.0 */
/* mem-backup: a compacted copy of a live store. */
#include "cli/cli.h"
#include "record/record.h"
#include "store/store.h"

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	bool replace = false;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_QUIET(c), MEM_OPT_WAIT(c),
		{ 0, "replace", NULL, "put the copy in the place of an older one", .flag = &replace },
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-backup [-q] [--replace] [-S DIR] [--wait TIME] NEWDIR",
	    "copy a store while it is in use");
	if (argc != 1)
		mem_die(MEM_USAGE, "one folder to make is expected");

	struct mem_store_options ask = { .dir = c.store, .scan = true, .wait_ms = c.wait, .now = MEM_TIME_NONE,
		.damage = mem_warn_damage };
	struct mem_store *s = NULL;
	struct mem_buf path = { 0 }, line = { 0 };
	struct mem_err err;
	uint64_t bytes = 0;
	enum mem_status st = mem_store_open(&s, &ask, &err);
	if (st == MEM_OK)
		st = mem_store_backup(s, argv[0], replace, &path, &bytes, &err);
	if (st != MEM_OK) {
		mem_warn("%s", err.msg);
	} else if (!c.quiet) {
		mem_buf_putc(&line, '{');
		mem_json_put_field(&line, "store", mem_buf_span(&path));
		mem_json_put_int(&line, "bytes", (int64_t)bytes);
		mem_buf_putc(&line, '}');
		mem_out_line(mem_buf_span(&line));
	}
	/* The copy stands, and is what the store is. */
	if (st == MEM_OK && (st = mem_store_check_repair(s, &err)) != MEM_OK)
		mem_warn("%s", err.msg);
	mem_store_close(s);
	mem_buf_release(&path);
	mem_buf_release(&line);
	return mem_finish(st);
}
