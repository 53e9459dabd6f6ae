/* SPDX-License-Identifier: Apache-2.0 */
/* skill-propose: drafts of skills from what the store knows of a topic. */
#include <stdlib.h>

#include "cli/cli.h"
#include "model/model.h"
#include "record/record.h"
#include "skill/propose.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static bool submit;

/* A topic or a record, with what is known of it. */
struct proposed {
	struct mem_proposal_new what;
	struct mem_research research;
	struct mem_arena arena;      /* of its text */
	const char *refused;         /* why; NULL: it is not */
	uint64_t offset;
};
static struct proposed *list;
static size_t count, room;

/* ---- reading ------------------------------------------------------------- */

static struct proposed *
add_proposed(void)
{
	list = mem_grow(list, &room, count + 1, sizeof *list);
	list[count] = (struct proposed){ 0 };
	return &list[count++];
}

static void
read_proposed_record(const struct mem_line *line)
{
	struct proposed *p = add_proposed();
	struct mem_rec rec = { 0 };
	struct mem_err err = { 0 };
	enum mem_status st = line->too_long ? mem_err_record(&err, "too_long", line->text.n, "a line of over 16 MiB")
	    : mem_rec_scan(&rec, mem_arena_str(&p->arena, line->text), &err);
	if (st == MEM_OK)
		st = mem_rec_refuse_nul(&rec, &err);
	if (st == MEM_OK)
		st = mem_proposal_read(&p->what, &p->arena, &rec, &err);
	if (st != MEM_OK) {
		p->refused = err.reason != NULL ? err.reason : "bad_value";
		p->offset = err.offset;
	}
	mem_rec_release(&rec);
}

static enum mem_status
read_topics(int argc, char **argv)
{
	struct mem_input in;
	struct mem_line line;
	if (argc != 1 || argv[0][0] != '-' || argv[0][1] != '\0') {
		struct mem_buf text = { 0 };
		struct proposed *p = add_proposed();
		read_operand_text(&text, argc, argv);
		p->what.topic = mem_arena_str(&p->arena, mem_buf_span(&text));
		p->refused = text.len == 0 ? "empty" : NULL;
		mem_buf_release(&text);
		return MEM_OK;
	}
	mem_input_init(&in, argc, argv);
	while (mem_input_next(&in, &line))
		read_proposed_record(&line);
	return mem_input_status(&in);
}

/* Before anything is written: what is proposed in one run knows nothing of each other. */
static void
research_topics(const struct mem_store_options *ask)
{
	struct mem_searcher searcher = { 0 };
	struct mem_store_options reading = *ask;
	struct mem_err err;
	reading.write = false;
	if (mem_searcher_open(&searcher, &reading, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < count && !mem_interrupted(); i++)
		if (list[i].refused == NULL && mem_research_topic(&list[i].research, &searcher, list[i].what.topic, &err) != MEM_OK)
			mem_die_err(&err);
	mem_searcher_close(&searcher);
}

/* ---- writing ------------------------------------------------------------- */

static void
write_drafts(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	struct mem_str ns;
	(void)argc, (void)argv;
	if (mem_write_run_ns(r, c.ns.n > 0 ? c.ns.v[0] : NULL, &ns, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < count; i++) {
		struct proposed *p = &list[i];
		p->what.ns = ns, p->what.research = &p->research;
		enum mem_status st = p->refused != NULL ? mem_propose_refuse(r, p->refused, p->offset, &err) : mem_propose_add(r, &p->what, &err);
		if (st != MEM_OK)
			mem_die_err(&err);
	}
}

static void
submit_drafts(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_err err;
	for (int i = 0; i < argc; i++)
		if (mem_propose_submit(r, mem_str(argv[i]), &err) != MEM_OK)
			mem_die_err(&err);
}

static void
release_topics(void)
{
	for (size_t i = 0; i < count; i++) {
		mem_research_release(&list[i].research);
		mem_arena_release(&list[i].arena);
	}
	free(list);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "ns", "NS", "write the draft to NS, not to the caller's own", .words = &c.ns, .commas = true },
		{ 0, "submit", NULL, "submit these drafts to those who review", .flag = &submit },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "skill-propose [OPTION...] [-q] [--dry-run] [--ns NS] TOPIC...\n"
	    "skill-propose [OPTION...] [-q] [--dry-run] [--ns NS] -\n"
	    "skill-propose [OPTION...] [-q] [--dry-run] --submit ID...", "draft a skill from what the store knows of a topic");
	if (argc == 0)
		mem_die(MEM_USAGE, submit ? "--submit needs the id of a draft" : "what about? a TOPIC, or - for records");
	if (c.ns.n > 1 || (submit && c.ns.n > 0))
		mem_die(MEM_USAGE, "--ns: a draft lies in one namespace, where it was made");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	enum mem_status worst = MEM_OK;
	mem_interrupt_catch();
	mem_link_curl_and_blas();
	if (!submit) {
		worst = read_topics(argc, argv);
		research_topics(&ask);
	}
	worst = mem_status_worse(worst, write_by_hand("skill-propose", &ask, &c, false, submit ? submit_drafts : write_drafts, argc, argv));
	release_topics();
	return mem_finish(worst);
}
