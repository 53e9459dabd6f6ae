/* SPDX-License-Identifier: Apache-2.0 */
/* skill-record: what came of using a skill. */
#include "cli/cli.h"
#include "model/model.h"
#include "skill/outcome.h"
#include "write_run.h"

/* A live pipe is not held up longer. */
#define USE_WAIT_MS 200

static struct mem_common c = MEM_COMMON_INIT;
static const char *text, *session, *release;
static int64_t latency = -1;
static enum mem_status read_status = MEM_OK;

static void
record_operands(struct mem_write_run *r, char **argv)
{
	struct mem_err err;
	int outcome = find_word(argv[1], mem_skill_outcomes);
	if (outcome < 0)
		mem_die(MEM_USAGE, "'%s' is not success, failure or partial", argv[1]);
	if (text != NULL && outcome != MEM_SKILL_FAILURE)
		mem_die(MEM_USAGE, "--text says what a failure was; the outcome is %s", argv[1]);
	const struct mem_skill_use use = { .skill = mem_str(argv[0]), .outcome = (enum mem_skill_outcome)outcome, .latency_ms = (double)latency,
		.text = mem_str(text != NULL ? text : ""), .session = mem_str(session != NULL ? session : ""),
		.release = mem_str(release != NULL ? release : "") };
	if (mem_skill_use_record(r, &use, &err) != MEM_OK)
		mem_die_err(&err);
}

static void
record_lines(struct mem_write_run *r, int argc, char **argv)
{
	struct mem_input in;
	struct mem_line line;
	struct mem_err err;
	mem_input_init(&in, argc, argv);
	for (;;) {
		if (!mem_input_ready(&in, USE_WAIT_MS)) {
			if (mem_write_run_commit(r, &err) != MEM_OK)
				mem_die_err(&err);
			mem_store_pause(mem_writer_store(r->writer));
		}
		if (!mem_input_next(&in, &line))
			break;
		if (mem_skill_use_line(r, line.text, &err) != MEM_OK)
			mem_die_err(&err);
	}
	read_status = mem_input_status(&in);
}

/* A write_run_fn. */
static void
record_outcomes(struct mem_write_run *r, int argc, char **argv)
{
	if (argc == 2)
		record_operands(r, argv);
	else
		record_lines(r, argc, argv);
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "latency", "TIME", "it took so long: 250ms, 3s", .duration = &latency },
		{ 0, "text", "TEXT", "what a failure was; kept as a bad_pattern", .str = &text },
		{ 0, "session", "ID", "it was used in this session", .str = &session },
		{ 0, "release", "R", "this release was served", .str = &release },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "skill-record [OPTION...] [-q] [--dry-run] [--latency TIME] [--text TEXT] [--session ID] [--release R] SKILL OUTCOME\n"
	    "skill-record [OPTION...] [-q] [--dry-run] -",
	    "note what came of using a skill");
	bool lines = argc == 1 && strcmp(argv[0], "-") == 0;
	if (argc != 2 && !lines)
		mem_die(MEM_USAGE, "a SKILL and success, failure or partial are wanted; records of standard input at -");
	if (lines && (text != NULL || session != NULL || release != NULL || latency >= 0))
		mem_die(MEM_USAGE, "records of standard input say themselves what --latency, --text, --session and --release say");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	mem_link_curl_and_blas();
	enum mem_status st = write_by_hand("skill-record", &ask, &c, true, record_outcomes, argc, argv);
	return mem_finish(mem_status_worse(st, read_status));
}
