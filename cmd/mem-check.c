/* SPDX-License-Identifier: Apache-2.0 */
/* mem-check: is the store what its own rules say? */
#include "cli/cli.h"
#include "upkeep/upkeep.h"

#include <stdlib.h>

/* A key is shown as text where it is text, else in hexadecimal; null: it is not the caller's to see. */
static void
put_key(struct mem_buf *out, struct mem_str key)
{
	if (key.p == NULL) {
		mem_json_put_null(out, "key");
		return;
	}
	bool text = mem_utf8_valid(key.p, key.n) == key.n;
	for (size_t i = 0; i < key.n && text; i++)
		text = (unsigned char)key.p[i] >= 0x20 && key.p[i] != 0x7f;
	if (text) {
		mem_json_put_field(out, "key", key);
		return;
	}
	char *hex = mem_xmalloc(2 * key.n + 1);
	mem_hash_hex(key.p, key.n, hex);
	mem_json_put_field(out, "key", mem_str(hex));
	free(hex);
}

static void
print_breach(void *ctx, const struct mem_breach *b)
{
	size_t *n = ctx;
	struct mem_buf line = { 0 };
	(*n)++;
	mem_buf_putc(&line, '{');
	mem_json_put_field(&line, "check", mem_str(b->check));
	mem_json_put_field(&line, "table", mem_str(b->table));
	put_key(&line, b->key);
	mem_json_put_field(&line, "message", mem_str(b->message));
	mem_buf_putc(&line, '}');
	mem_out_line(mem_buf_span(&line));
	mem_buf_release(&line);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	bool repair = false;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_WAIT(c),
		{ 0, "repair", NULL, "rebuild all that is derived, then check (operators)", .flag = &repair },
		MEM_OPT_EVERY(c),
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-check [--repair] [-S DIR] [--agent ID] [--wait TIME] [--every-namespace]",
	    "check a store against its own rules");
	if (argc > 0)
		mem_die(MEM_USAGE, "unexpected operand '%s'", argv[0]);

	size_t breaches = 0;
	struct mem_store_options ask = { .dir = c.store, .scan = true, .agent = c.agent, .write = repair, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = MEM_TIME_NONE, .pages = print_breach, .pages_ctx = &breaches, .mend = repair };
	struct mem_index m = { 0 };
	struct mem_err err;
	char label[] = "mem-check";
	enum mem_status st = repair ? mem_index_open_any(&m, &ask, &err) : mem_index_open(&m, &ask, &err);
	if (st == MEM_OK && repair)
		st = mem_upkeep_repair(&m, mem_progress, label, &err);
	if (st == MEM_OK)
		st = mem_upkeep_check(&m, print_breach, &breaches, mem_progress, label, &err);
	mem_progress_end();
	if (st != MEM_OK)
		mem_warn("%s", err.msg);
	else if (breaches == 0)
		mem_notice("sound");
	mem_index_close(&m);
	return mem_finish(st == MEM_OK && breaches > 0 ? MEM_REFUSED : st);
}
