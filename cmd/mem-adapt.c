/* SPDX-License-Identifier: Apache-2.0 */
/* mem-adapt: transcripts of agents to events. */
#include "adapt/adapt.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct adapt_command {
	struct mem_adapt_opts adapt;
	struct mem_words maps;
	bool follow, verbose;
	int branches, split;
};

static const char *const branch_words[] = { "shown", "all", NULL };
static const char *const split_words[] = { "file", "heading", NULL };

static bool
print_event(void *ctx, struct mem_str json)
{
	(void)ctx;
	mem_out_line(json);
	return mem_out_ok();
}

static void
print_fault(void *ctx, const struct mem_adapt_fault *f)
{
	const struct mem_refusal refusal = { f->input, f->line, f->offset, mem_str(f->reason), f->msg };
	(void)ctx;
	if (mem_refusal_notice(&refusal))
		return;
	mem_warn("%s:%llu: byte %llu: %s: %s", f->input, (unsigned long long)f->line,
	    (unsigned long long)f->offset, f->reason, f->msg);
}

static bool quiet;
static const char *format;

static void
print_nothing(void *ctx, const char *input)
{
	(void)ctx;
	if (!quiet)
		mem_warn("%s: nothing in it is what a person, an agent or a tool said in format %s", input, format);
}

static void
flush_output(void *ctx)
{
	(void)ctx;
	mem_out_flush();
}

/* "A 2, B 1". */
static void
put_tally(struct mem_buf *b, const struct mem_adapt_tally *t)
{
	for (size_t i = 0; i < t->ntypes; i++)
		mem_buf_printf(b, "%s%s %llu", i > 0 ? ", " : "", t->types[i].name, (unsigned long long)t->types[i].n);
}

static void
print_counts(const struct mem_adapt_counts *c, const struct adapt_command *command)
{
	struct mem_buf b = { 0 };
	if (c->unknown.all > 0 && !quiet) {
		put_tally(&b, &c->unknown);
		mem_warn("%llu record%s of unknown type skipped (%s)", (unsigned long long)c->unknown.all,
		    c->unknown.all == 1 ? "" : "s", b.data);
	}
	if (command->verbose)
		mem_warn("%llu events; %llu records of the program's own, %llu without text, "
		    "%llu repeated, %llu left for the next time",
		    (unsigned long long)c->events, (unsigned long long)c->program,
		    (unsigned long long)c->empty, (unsigned long long)c->repeated,
		    (unsigned long long)c->held);
	mem_buf_reset(&b);
	if (c->wrappers.all > 0 && command->verbose) {
		put_tally(&b, &c->wrappers);
		mem_warn("%llu wrapper%s cut from what people said (%s)", (unsigned long long)c->wrappers.all,
		    c->wrappers.all == 1 ? "" : "s", b.data);
	}
	mem_buf_release(&b);
}

static enum mem_status
read_transcript(struct mem_adapt *a, const char *name, const struct mem_adapt_wait *wait)
{
	struct mem_err err;
	bool std = strcmp(name, "-") == 0;
	/* A pipe that nobody writes to yet is waited for where a signal is heard. */
	int fd = std ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && !std)
		fcntl(fd, F_SETFL, 0);
	if (fd < 0) {
		mem_warn("cannot open '%s': %s", name, strerror(errno));
		return MEM_FAIL;
	}
	enum mem_status st = mem_adapt_fd(a, fd, name, wait, &err);
	if (st != MEM_OK)
		mem_warn("%s", err.msg);
	if (!std)
		close(fd);
	return st;
}

static enum mem_status
read_transcripts(struct mem_adapt *a, char **names, int n, bool follow)
{
	enum mem_status st = MEM_OK;
	struct mem_err err;
	mem_interrupt_catch();
	const struct mem_adapt_wait wait = { .stop_fd = mem_interrupt_fd(), .out_fd = STDOUT_FILENO };
	if (follow) {
		st = mem_adapt_follow(a, (const char *const *)names, (size_t)n, &wait, &err);
		if (st != MEM_OK)
			mem_warn("%s", err.msg);
		return st;
	}
	for (int i = 0; i < n && !mem_interrupted() && !mem_adapt_stopped(a); i++)
		st = mem_status_worse(st, read_transcript(a, names[i], &wait));
	return st;
}

int
main(int argc, char **argv)
{
	struct adapt_command command = { 0 };
	struct mem_adapt_opts *o = &command.adapt;
	const struct mem_opt opts[] = {
		{ 'f', "follow", NULL, "go on with what is appended", .flag = &command.follow },
		{ 0, "user-name", "NAME", "speaker of the person's events", .str = &o->user_name },
		{ 0, "agent-name", "NAME", "speaker of the agent's events", .str = &o->agent_name },
		{ 0, "session", "ID", "session_id where the format has none", .str = &o->session },
		{ 0, "thinking", NULL, "take the model's thinking too", .flag = &o->thinking },
		{ 0, "branches", "WHICH", "chatgpt: shown or all", .choice = &command.branches, .choices = branch_words },
		{ 0, "split", "HOW", "markdown: an event for each file or heading", .choice = &command.split,
		    .choices = split_words },
		{ 0, "map", "FIELD=PATH", "jsonl: take FIELD from PATH", .words = &command.maps },
		{ 0, "ended", NULL, "nothing will be appended: take the tail as it is", .flag = &o->ended },
		{ 'q', "quiet", NULL, "do not tell of unknown record types, or of files without events", .flag = &quiet },
		{ 'v', "verbose", NULL, "tell how many records became what", .flag = &command.verbose },
		MEM_OPT_END
	};
	const struct mem_adapt_sink sink = { .event = print_event, .fault = print_fault, .nothing = print_nothing, .idle = flush_output };
	struct mem_adapt *a;
	struct mem_err err;
	char *std[] = { (char[]){ "-" } };
	mem_opts(&argc, &argv, opts, "mem-adapt [OPTION...] FORMAT [FILE...]\n"
	    "mem-adapt -f [OPTION...] FORMAT FILE...", "turn transcripts of agents into events");
	if (argc < 1)
		mem_die(MEM_USAGE, "a FORMAT is needed: claude-code, codex, openai, chatgpt, gemini, aider, "
		    "cursor, markdown or jsonl");
	if (command.follow && argc < 2)
		mem_die(MEM_USAGE, "-f needs a FILE");
	o->format = format = argv[0];
	o->every_branch = command.branches == 1;
	o->split_headings = command.split == 1;
	o->maps = command.maps.v;
	o->nmaps = command.maps.n;
	enum mem_status st = mem_adapt_open(&a, o, &sink, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	st = argc > 1 ? read_transcripts(a, argv + 1, argc - 1, command.follow) : read_transcripts(a, std, 1, false);
	print_counts(mem_adapt_counts(a), &command);
	if (mem_adapt_counts(a)->faults > 0)
		st = mem_status_worse(st, MEM_REFUSED);
	mem_adapt_close(a);
	return mem_finish(st);
}
