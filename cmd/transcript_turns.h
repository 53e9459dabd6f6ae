/* SPDX-License-Identifier: Apache-2.0 */
/* The last turns of a transcript, as a question. */
#ifndef MEM_TRANSCRIPT_TURNS_H
#define MEM_TRANSCRIPT_TURNS_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "adapt/adapt.h"
#include "cli/cli.h"
#include "prompt/context.h"

struct transcript_turns {
	struct mem_context_turns last;
	bool foreign;               /* something is in the file, and nothing that the format knows */
};

static inline bool
take_turn(void *ctx, struct mem_str json)
{
	struct transcript_turns *t = ctx;
	mem_context_turns_add(&t->last, json);
	return true;
}

/* What cannot be read of a transcript is no reason to have no context: mem-adapt tells of it. */
static inline void
pass_over_fault(void *ctx, const struct mem_adapt_fault *fault)
{
	(void)ctx;
	(void)fault;
}

static inline void
note_nothing_read(void *ctx, const char *input)
{
	struct transcript_turns *t = ctx;
	(void)input;
	t->foreign = true;
}

/* Is all of it refused, or of types that the format does not have? */
static inline bool
is_all_foreign(const struct mem_adapt_counts *n)
{
	return n->events + n->repeated + n->program + n->empty == 0 && n->faults + n->unknown.all > 0;
}

/* Ends the process where the file cannot be opened or read. */
static inline void
read_transcript_turns(struct mem_buf *out, const char *path, const char *format, size_t turns)
{
	struct transcript_turns t = { .foreign = false };
	mem_context_turns_init(&t.last, turns);
	const struct mem_adapt_opts o = { .format = format, .ended = true };
	const struct mem_adapt_sink sink = { .ctx = &t, .event = take_turn, .fault = pass_over_fault, .nothing = note_nothing_read };
	const struct mem_adapt_wait wait = { .stop_fd = -1, .out_fd = -1 };
	struct mem_adapt *a;
	struct mem_err err;
	bool std = strcmp(path, "-") == 0;
	if (mem_adapt_open(&a, &o, &sink, &err) != MEM_OK)
		mem_die_err(&err);
	if (std)
		mem_stdin_claim("the transcript");
	int fd = std ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		mem_die(MEM_FAIL, "cannot open '%s': %s", path, strerror(errno));
	if (mem_adapt_fd(a, fd, path, &wait, &err) != MEM_OK)
		mem_die_err(&err);
	if (!std)
		close(fd);
	if (t.foreign || is_all_foreign(mem_adapt_counts(a)))
		mem_die(MEM_FAIL, "'%s' cannot be read as a transcript of the format %s: is --from right?", path, format);
	mem_adapt_close(a);
	mem_context_turns_put(&t.last, out);
	mem_context_turns_release(&t.last);
}

#endif
