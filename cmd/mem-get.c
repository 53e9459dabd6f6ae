/* SPDX-License-Identifier: Apache-2.0 */
/* mem-get: nodes by id or ref. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "record/record.h"
#include "store/store.h"
#include "store/node.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_store *store;
static enum mem_status worst;
static int64_t printed;

/* For people: a field a line, what is empty left out. */
static void
print_node_text(struct mem_str json)
{
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	struct mem_buf b = { 0 };
	if (mem_rec_scan(&rec, json, NULL) != MEM_OK)
		mem_show(&b, json, true);
	for (size_t i = 0; i < rec.nfields; i++) {
		const struct mem_field *f = &rec.fields[i];
		struct mem_str v = f->value.type == MEM_JSON_STRING ? mem_json_text(&arena, f->value) : f->value.raw;
		if (f->value.type == MEM_JSON_NULL || v.n == 0 || mem_str_is(v, "[]"))
			continue;
		mem_show_field(&b, f->key, v);
	}
	mem_out_printf("%s%s", printed > 0 ? "\n" : "", b.data != NULL ? b.data : "");
	mem_buf_release(&b);
	mem_arena_release(&arena);
	mem_rec_release(&rec);
}

static void
print_node(struct mem_str json)
{
	if (c.limit > 0 && printed >= c.limit)
		return;
	if (mem_text_wanted(c.format))
		print_node_text(json);
	else
		mem_out_line(json);
	printed++;
}

static void
warn_of_missing_node(struct mem_str name)
{
	mem_warn("no such node: %.*s", (int)(name.n < 200 ? name.n : 200), name.p);
	worst = mem_status_worse(worst, MEM_NOTFOUND);
}

/* A copy of each node is made in a snapshot that ends before anything is printed. */
static void
get_nodes(struct mem_str name, bool by_ref)
{
	struct mem_found_nodes found = { 0 };
	struct mem_err err;
	enum mem_status st = by_ref ? mem_nodes_by_ref(store, name, c.ns.v, c.ns.n, &found, &err) :
	    mem_nodes_by_id(store, name, &found, &err);
	if (st == MEM_NOTFOUND)
		warn_of_missing_node(name);
	else if (st != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < found.n; i++)
		print_node(found.json[i]);
	mem_found_nodes_release(&found);
}

/* An id a line, or a record that has one, such as a hit. */
static void
get_nodes_of_line(struct mem_str line)
{
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	struct mem_str id = line;
	if (line.n > 0 && line.p[0] == '{' && mem_rec_scan(&rec, line, NULL) == MEM_OK) {
		const struct mem_field *f = mem_rec_find(&rec, "id");
		id = f != NULL && f->value.type == MEM_JSON_STRING ? mem_json_text(&arena, f->value) : id;
	}
	get_nodes(id, false);
	mem_arena_release(&arena);
	mem_rec_release(&rec);
}

static void
get_nodes_of_stdin(void)
{
	struct mem_input in;
	struct mem_line line;
	mem_input_init(&in, 0, NULL);
	in.sep = c.nul ? '\0' : '\n';
	for (;;) {
		if (!mem_input_ready(&in, 0))
			mem_store_pause(store); /* waiting must not hold up a compaction */
		if (!mem_input_next(&in, &line))
			break;
		get_nodes_of_line(line.text);
	}
	worst = mem_status_worse(worst, mem_input_status(&in));
}

int
main(int argc, char **argv)
{
	struct mem_words refs = { 0 };
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 'r', "ref", "REF", "the nodes with this ref, live ones first, newest first", .words = &refs },
		MEM_OPT_NS(c), MEM_OPT_LIMIT(c), MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-get [-0z] [-S DIR] [--agent ID] [-r REF] [--ns NS] [-n N] [--format FORMAT] [--every-namespace] [--now TIME] [ID...]",
	    "print nodes by id or ref");
	if (argc == 0 && refs.n == 0)
		mem_die(MEM_USAGE, "an id, a dash for ids from standard input, or -r REF");

	struct mem_err err;
	struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .every_namespace = c.every_namespace, .wait_ms = -1,
		.now = mem_now_given() };
	if (mem_store_open(&store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < refs.n; i++)
		get_nodes(mem_str(refs.v[i]), true);
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "-") == 0)
			get_nodes_of_stdin();
		else
			get_nodes(mem_str(argv[i]), false);
	mem_store_close(store);
	return mem_finish(worst);
}
