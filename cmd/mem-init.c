/* SPDX-License-Identifier: Apache-2.0 */
/* mem-init: make a store, or trust one. */
#include "cli/cli.h"
#include "record/record.h"
#include "store/store.h"

static const struct {
	const char *verdict, *text;
} result_words[] = {
	[MEM_INIT_NEW] = { "new", "made the store" },
	[MEM_INIT_NEW_UNLISTED] = { "new", "made the store" },
	[MEM_INIT_EXISTS] = { "unchanged", "there is a store already:" },
	[MEM_INIT_TRUSTED] = { "changed", "trusted:" },
};

static void
print_init_result(enum mem_init_result r, struct mem_str path, bool text)
{
	struct mem_buf b = { 0 };
	if (text) {
		mem_buf_printf(&b, "%s ", result_words[r].text);
		mem_show(&b, path, false);
		mem_buf_putc(&b, '\n');
		mem_out_str(mem_buf_span(&b));
	} else {
		mem_buf_putc(&b, '{');
		mem_json_put_field(&b, "verdict", mem_str(result_words[r].verdict));
		mem_json_put_field(&b, "store", path);
		mem_buf_putc(&b, '}');
		mem_out_line(mem_buf_span(&b));
	}
	mem_buf_release(&b);
}

int
main(int argc, char **argv)
{
	struct mem_common c = MEM_COMMON_INIT;
	struct mem_init_options ask = { 0 };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_FORMAT(c),
		{ 0, "user", NULL, "make the store that is used where no other is found", .flag = &ask.user },
		{ 0, "trust", NULL, "trust the store that is there, and its settings as they are", .flag = &ask.trust },
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-init [-q] [--user] [--trust] [--agent ID] [--format FORMAT] [-S DIR] [DIR]",
	    "make a store, or trust one");
	if (argc > 1 || (argc == 1 && (ask.user || c.store != NULL)) || (ask.user && c.store != NULL))
		mem_die(MEM_USAGE, "one folder, or --user");
	ask.dir = argc == 1 ? argv[0] : c.store;
	ask.agent = c.agent;

	struct mem_buf path = { 0 };
	struct mem_err err;
	enum mem_init_result r;
	if (mem_store_init(&ask, &path, &r, &err) != MEM_OK)
		mem_die_err(&err);
	if (r == MEM_INIT_NEW_UNLISTED)
		mem_warn("not listed as trusted: %s", err.msg);
	if (!c.quiet)
		print_init_result(r, mem_buf_span(&path), mem_text_wanted(c.format));
	mem_buf_release(&path);
	return mem_finish(MEM_OK);
}
