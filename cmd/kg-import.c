/* SPDX-License-Identifier: Apache-2.0 */
/* kg-import: a graph from the files of other programs. */
#include "cli/cli.h"
#include "link/graph_files.h"
#include "link_input.h"
#include "model/model.h"

#include <fcntl.h>
#include <stdlib.h>
#include <strings.h>

enum { STEP = 1000 };              /* nodes and edges between two looks for an interrupt */

static struct mem_common c = MEM_COMMON_INIT;
static struct mem_link_options o = { .via = "kg-import", .audit_batch = "import" };
static const char *const format_words[] = { "taxonomy", "json", "graphml", "csv", NULL }; /* in the order of enum mem_graph_format */
static int format = -1;

/* Of a file that --format says nothing of, by how its name ends. */
static enum mem_graph_format
find_format(const char *name)
{
	const char *dot = strrchr(name, '.');
	for (int i = MEM_GRAPH_JSON; format < 0 && dot != NULL && format_words[i] != NULL; i++)
		if (strcasecmp(dot + 1, format_words[i]) == 0)
			return (enum mem_graph_format)i;
	if (format < 0)
		mem_die(MEM_USAGE, "'%s': --format says what it is: taxonomy, json, graphml or csv", name);
	return (enum mem_graph_format)format;
}

/* A whole file, "-" for standard input. */
static enum mem_status
read_graph_file(struct mem_graph_import *g, const char *name, struct mem_buf *text)
{
	struct mem_err err;
	enum mem_graph_format file_format = find_format(name);
	bool from_stdin = strcmp(name, "-") == 0;
	enum mem_status st = MEM_OK;
	if (from_stdin) {
		mem_stdin_claim("the graph");
		st = mem_stdin_try(text, MEM_GRAPH_FILE_MAX, &err);
	} else {
		st = mem_file_read(AT_FDCWD, name, MEM_GRAPH_FILE_MAX, text, &err);
		mem_text_unify(text);
	}
	if (st == MEM_OK)
		mem_graph_import_read(g, file_format, mem_buf_span(text));
	else
		mem_warn("%s", err.msg);
	return st;
}

static enum mem_status
write_graph(struct mem_graph_import *g)
{
	struct mem_err err;
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && !mem_interrupted())
		st = mem_graph_import_write(g, STEP, &err);
	if (st != MEM_OK && st != MEM_END)
		mem_die_err(&err);
	return MEM_OK;
}

static enum mem_status
import_files(struct mem_link_run *run, int n, char **names)
{
	struct mem_buf *texts = mem_xcalloc((size_t)n, sizeof *texts);
	struct mem_graph_import *g = mem_graph_import_new(run);
	enum mem_status worst = MEM_OK;
	for (int i = 0; i < n; i++)
		worst = mem_status_worse(worst, read_graph_file(g, names[i], &texts[i]));
	worst = mem_status_worse(worst, write_graph(g));
	struct mem_str ignored = mem_graph_import_ignored(g);
	if (ignored.n > 0)
		mem_warn("'%.*s' is neither nodes nor edges: it is not taken", (int)(ignored.n < 80 ? ignored.n : 80), ignored.p);
	mem_graph_import_free(g);
	for (int i = 0; i < n; i++)
		mem_buf_release(&texts[i]);
	free(texts);
	return worst;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "format", "FORMAT", "what the files are: taxonomy, json, graphml or csv", .choice = &format, .choices = format_words },
		{ 0, "ns", "NS", "write to this namespace", .words = &c.ns },
		MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "kg-import [-q] [--dry-run] [--ns NS] [-S DIR] [--agent ID] [--wait TIME] [--now TIME] [--format FORMAT] [FILE...]",
	    "take in a graph from the files of other programs");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	static char dash[] = "-";
	char *standard_input[] = { dash };
	struct mem_receipts receipts = { .quiet = c.quiet };
	struct mem_link_run *run = NULL;
	struct mem_err err;
	for (int i = 0; i < argc || (argc == 0 && i == 0); i++)
		(void)find_format(argc > 0 ? argv[i] : dash); /* before anything is read */
	if (c.ns.n > 1)
		mem_die(MEM_USAGE, "--ns: a node lies in one namespace");
	o.ns = c.ns.n > 0 ? c.ns.v[0] : NULL;
	o.dry_run = c.dry_run;
	mem_link_curl_and_blas();
	mem_interrupt_catch();
	enum mem_status st = mem_link_run_open(&run, &ask, &o, mem_receipts_print, &receipts, &err);
	if (st == MEM_OK)
		st = mem_link_run_embed(run, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	st = import_files(run, argc > 0 ? argc : 1, argc > 0 ? argv : standard_input);
	return mem_finish(end_link_run(run, &receipts, st, &ask));
}
