/* SPDX-License-Identifier: Apache-2.0 */
/* mem-adapt: transcripts of agents to events. */
#include "adapt/adapt.h"
#include "cli/cli.h"
#include "adapt_output.h"

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
	print_counts(mem_adapt_counts(a), command.verbose);
	if (mem_adapt_counts(a)->faults > 0)
		st = mem_status_worse(st, MEM_REFUSED);
	mem_adapt_close(a);
	return mem_finish(st);
}
