/* SPDX-License-Identifier: Apache-2.0 */
/* What a command around one stage does: the lines of its files in, what the stage gives out. */
#ifndef MEM_RUN_STAGE_H
#define MEM_RUN_STAGE_H

#include <string.h>

#include "cli/cli.h"
#include "stage/stage.h"

/* What a stage tells though its answer comes. */
static inline void
warn_of_stage(const char *message)
{
	mem_warn("%s", message);
}

/* Records are shown as other commands show them; a text is clean already. */
static inline void
print_stage_output(struct mem_buf *out, bool text)
{
	struct mem_str left = mem_buf_span(out);
	while (!text && left.n > 0) {
		size_t n = (size_t)((const char *)memchr(left.p, '\n', left.n) - left.p);
		mem_out_line((struct mem_str){ left.p, n });
		left = (struct mem_str){ left.p + n + 1, left.n - n - 1 };
	}
	if (left.n > 0)
		mem_out_str(left);
	mem_buf_reset(out);
}

/* Of the files named, else of standard input.  Lines that the stage refuses are told; the worst of all is returned, for
 * mem_finish. */
static inline enum mem_status
run_stage(const struct mem_stage *stage, const void *options, int argc, char **argv)
{
	void *state = stage->open(options);
	bool text = stage->is_text != NULL && stage->is_text(state);
	enum mem_status worst = MEM_OK;
	struct mem_buf out = { 0 };
	struct mem_input in;
	struct mem_line line;
	struct mem_err err;
	mem_input_init(&in, argc, argv);
	while (mem_input_next(&in, &line)) {
		enum mem_status st = line.too_long
		    ? mem_err_record(&err, "too_long", line.text.n, "a line of over 16 MiB")
		    : stage->add(state, (size_t)in.at - 1, line.text, &out, &err);
		if (st != MEM_OK)
			mem_input_refused(&in, &line, &err);
		worst = mem_status_worse(worst, st);
		print_stage_output(&out, text);
	}
	if (stage->end(state, &out, &err) != MEM_OK)
		mem_die_err(&err);
	print_stage_output(&out, text);
	stage->free(state);
	mem_buf_release(&out);
	return mem_status_worse(worst, mem_input_status(&in));
}

#endif
