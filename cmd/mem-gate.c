/* SPDX-License-Identifier: Apache-2.0 */
/* mem-gate: the hits that say most, within a budget. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "run_stage.h"
#include "stage/gate.h"
#include "tokenizer.h"

/* Before anything is read, so that a name that cannot be written costs no work. */
static int
open_report(const char *file)
{
	int fd = file != NULL ? open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (file != NULL && fd < 0)
		mem_die(MEM_FAIL, "cannot open '%s': %s", file, strerror(errno));
	return fd;
}

static enum mem_status
write_report(int fd, const char *file, const struct mem_buf *report)
{
	struct mem_err err = { .msg = "" };
	if (fd < 0)
		return MEM_OK;
	enum mem_status st = mem_fd_write(fd, report->data, report->len, &err);
	if (close(fd) != 0 && st == MEM_OK)
		st = mem_err_sys(&err, MEM_FAIL, "cannot write");
	if (st != MEM_OK)
		mem_warn("'%s': %s", file, err.msg);
	return st;
}

int
main(int argc, char **argv)
{
	struct mem_buf report = { 0 };
	struct mem_gate_options o = MEM_GATE_OPTIONS_INIT;
	int64_t tokens = 0;
	const char *file = NULL;
	const struct mem_opt opts[] = {
		{ 0, "tokens", "N", "keep at most N tokens, as mem-render counts them (default 4000)", .num = &tokens, .min = 1 },
		{ 0, "report", "FILE", "write to FILE what went, and why", .str = &file },
		{ 0, "again", NULL, "gate also what was gated before", .flag = &o.again },
		MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-gate [--tokens N] [--report FILE] [--again] [FILE...]",
	    "keep the hits that say most, within a budget of tokens");

	struct mem_conf *conf = load_person_settings();
	struct mem_tokenizer *tokenizer = load_tokenizer(conf);
	int fd = open_report(file);
	o.tokens = (size_t)(tokens > 0 ? tokens : mem_conf_int(conf, "gate.tokens"));
	o.tokenizer = tokenizer;
	o.tell = warn_of_stage;
	o.report = file != NULL ? &report : NULL;
	enum mem_status st = run_stage(&mem_stage_gate, &o, argc, argv);
	st = mem_status_worse(st, write_report(fd, file, &report));
	mem_buf_release(&report);
	mem_tokenizer_close(tokenizer);
	mem_conf_free(conf);
	return mem_finish(st);
}
