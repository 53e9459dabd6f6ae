/* SPDX-License-Identifier: Apache-2.0 */
/* aider's .aider.chat.history.md. */
#include "adapt/adapt_int.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * The file is written block by block: a prompt ("#### …"), a reply, the program's
 * output ("> …", line by line).  Lines of the person and of the program end in two spaces,
 * which tells them from headings and quotations that the model wrote.  A block's ref is
 * its number in its session; its text is known when another block begins.
 */
enum aider_block { NOTHING, PROMPT, REPLY, OUTPUT };

enum { HEAD_TIME = 63 };        /* bytes of a session's time: "2026-02-14 08:30:11" */

struct aider_state {
	struct mem_buf session, model;
	bool timed;
	int64_t at;
	uint64_t number;            /* of the block at hand in its session */
	bool spoken;                /* something was asked or answered in the session */
	bool begun, trimmed;        /* its first line was seen; no line ends in spaces, an editor took them */
	enum aider_block block;
	struct mem_buf text;
	struct adapt_fence fence;   /* in a reply */
	bool after_blank;
	bool torn;                  /* a last line without its end: of no known kind yet */
	/* A session's head inside a fence is one only if the program speaks next. */
	bool doubt;
	size_t doubt_at;            /* of that head in text */
	char doubt_time[HEAD_TIME + 1];
};

/* ---- blocks ----------------------------------------------------------- */

static void
send_aider_block(struct mem_adapt_input *in, enum adapt_act act, struct mem_str text)
{
	struct aider_state *d = in->state;
	struct adapt_event *ev = adapt_begin_event(in, act);
	ev->session = mem_buf_span(&d->session);
	ev->timed = d->timed;
	ev->at = d->at;
	adapt_put_ref(in, ev->session, mem_str(mem_arena_printf(&in->arena, "%llu", (unsigned long long)d->number)));
	if (act == ADAPT_RESULT)
		adapt_set_tool(in, ev, (struct mem_str){ 0 }, MEM_STR("aider"));
	else if (act == ADAPT_AGENT)
		adapt_put_extra_text(ev, "model", mem_buf_span(&d->model));
	mem_buf_str(&ev->text, text);
	adapt_send_event(in);
}

/* The banner of a session names the model: "Main model: NAME with …". */
static void
read_banner(struct aider_state *d, struct mem_str text)
{
	static const char key[] = "Main model: ", older[] = "Model: ";
	const char *p = memmem(text.p, text.n, key, sizeof key - 1);
	size_t skip = sizeof key - 1;
	if (p == NULL) {
		p = memmem(text.p, text.n, older, sizeof older - 1);
		skip = sizeof older - 1;
	}
	if (p == NULL)
		return;
	const char *end = text.p + text.n;
	size_t n = 0;
	for (p += skip; p + n < end && p[n] != ' ' && p[n] != '\n' && n < 200; n++)
		;
	mem_buf_reset(&d->model);
	mem_buf_put(&d->model, p, n);
}

/* The command line stands before it, and warnings do. */
static bool
has_banner_line(struct mem_str text)
{
	static const char mark[] = "\nAider v";
	return adapt_has_prefix(text, mark + 1) || (text.n > 0 && memmem(text.p, text.n, mark, sizeof mark - 1) != NULL);
}

static void
close_aider_block(struct mem_adapt_input *in)
{
	struct aider_state *d = in->state;
	struct mem_str text = mem_str_trim(mem_buf_span(&d->text));
	if (d->block == OUTPUT && !d->spoken && has_banner_line(text)) {
		read_banner(d, text);
		in->a->counts.program++;
	} else if (d->block != NOTHING && text.n > 0) {
		d->spoken |= d->block != OUTPUT;
		send_aider_block(in, d->block == PROMPT ? ADAPT_USER : d->block == REPLY ? ADAPT_AGENT : ADAPT_RESULT, text);
	}
	d->block = NOTHING;
	d->fence = (struct adapt_fence){ 0 };
	d->doubt = false;
	mem_buf_reset(&d->text);
}

static void
switch_aider_block(struct mem_adapt_input *in, enum aider_block block)
{
	struct aider_state *d = in->state;
	if (d->block == block)
		return;
	close_aider_block(in);
	d->block = block;
	d->number++;
}

/* ---- sessions --------------------------------------------------------- */

/* The time of a session's head: what begins like a number, or is one. */
static bool
read_head_time(struct mem_str line, char out[HEAD_TIME + 1])
{
	static const char head[] = "# aider chat started at ";
	line = mem_str_trim(line);
	if (!adapt_has_prefix(line, head))
		return false;
	line = mem_str_trim((struct mem_str){ line.p + sizeof head - 1, line.n - (sizeof head - 1) });
	int64_t ms;
	bool zoned;
	if (line.n == 0 || line.n > HEAD_TIME || ((line.p[0] < '0' || line.p[0] > '9') && !mem_time_read(line, &ms, &zoned)))
		return false;
	memcpy(out, line.p, line.n);
	out[line.n] = '\0';
	return true;
}

/* The head has no zone: it is this machine's time (TZ). */
static bool
parse_local_time(const char *s, int64_t *ms)
{
	struct tm tm;
	bool zoned;
	if (!mem_time_read(mem_str(s), ms, &zoned))
		return false;
	if (zoned)
		return true;
	time_t t = (time_t)(*ms / 1000);
	if (gmtime_r(&t, &tm) == NULL)
		return false;
	tm.tm_isdst = -1;
	t = mktime(&tm);
	*ms = (int64_t)t * 1000;
	return t != (time_t)-1 && *ms >= MEM_TIME_MIN && *ms <= MEM_TIME_MAX;
}

/* "aider-2026-02-14T08:30:11". */
static void
put_session_name(struct mem_buf *name, const char *time)
{
	mem_buf_puts(name, "aider-");
	for (size_t i = 0; time[i] != '\0'; i++)
		mem_buf_putc(name, time[i] != ' ' ? time[i] : i == 10 ? 'T' : '_');
}

static void
begin_aider_session(struct mem_adapt_input *in, const char *time)
{
	struct aider_state *d = in->state;
	struct mem_buf name = { 0 };
	close_aider_block(in);
	put_session_name(&name, time);
	/* Two starts in one second go on counting. */
	if (!mem_str_eq(mem_buf_span(&name), mem_buf_span(&d->session)))
		d->number = 0;
	mem_buf_release(&d->session);
	mem_buf_reset(&d->model);
	d->session = name;
	d->spoken = d->begun = d->trimmed = false;
	d->timed = parse_local_time(time, &d->at);
	if (!d->timed)
		adapt_report_bad_time(in, in->unit_line, mem_str(time));
}

/* ---- lines ------------------------------------------------------------ */

static bool
ends_in_two_spaces(struct mem_str line)
{
	return line.n >= 2 && line.p[line.n - 1] == ' ' && line.p[line.n - 2] == ' ';
}

static void
append_aider_line(struct aider_state *d, struct mem_str line)
{
	if (d->text.len > 0)
		mem_buf_putc(&d->text, '\n');
	mem_buf_str(&d->text, line);
}

/* The text after the mark, without the two spaces at its end. */
static struct mem_str
text_after_mark(struct mem_str line, size_t mark)
{
	line.n -= ends_in_two_spaces(line) ? 2 : 0;
	size_t n = mark < line.n ? mark : line.n;
	return (struct mem_str){ line.p + n, line.n - n };
}

static enum aider_block
classify_aider_line(const struct aider_state *d, struct mem_str line)
{
	/* In the middle of the model's code, or of a reply without those spaces, only what follows an empty line can be ours. */
	bool inside = d->fence.n > 0 || (d->trimmed && d->block == REPLY);
	if ((!ends_in_two_spaces(line) && !d->trimmed) || (inside && !d->after_blank))
		return REPLY;
	if (adapt_has_prefix(line, "#### ") || (d->trimmed && mem_str_is(line, "####")))
		return PROMPT;
	return adapt_has_prefix(line, "> ") || (d->trimmed && mem_str_is(line, ">")) ? OUTPUT : REPLY;
}

/* The first line with text after a doubtful head decides whether it was one. */
static void
settle_doubtful_head(struct mem_adapt_input *in, struct mem_str line)
{
	struct aider_state *d = in->state;
	if (!d->doubt || adapt_is_blank_text(line))
		return;
	d->doubt = false;
	if (!adapt_has_prefix(line, "> ") || !ends_in_two_spaces(line))
		return;
	char time[HEAD_TIME + 1];
	memcpy(time, d->doubt_time, sizeof time);
	d->text.len = d->doubt_at;
	begin_aider_session(in, time);
}

static bool
take_session_head(struct mem_adapt_input *in, struct mem_str line)
{
	struct aider_state *d = in->state;
	char time[HEAD_TIME + 1];
	if (!read_head_time(line, time))
		return false;
	if (d->fence.n > 0) {
		d->doubt = true;
		d->doubt_at = d->text.len;
		memcpy(d->doubt_time, time, sizeof time);
		return false;
	}
	begin_aider_session(in, time);
	return true;
}

static void
take_aider_line(struct mem_adapt_input *in, struct mem_str text)
{
	struct aider_state *d = in->state;
	bool blank = adapt_is_blank_text(text);
	if (in->unended && !in->a->o.ended) {
		d->torn = !blank && (d->session.len > 0 || text.p[0] == '#'); /* else it becomes no head */
		return;
	}
	settle_doubtful_head(in, text);
	if (take_session_head(in, text)) {
		d->after_blank = false;
		return;
	}
	if (d->session.len == 0)
		return; /* any other Markdown */
	/* A session begins with a line of the program's or a prompt: without its spaces no line has them. */
	if (!blank && !d->begun) {
		d->begun = true;
		d->trimmed = !ends_in_two_spaces(text) && (adapt_has_prefix(text, "> ") || adapt_has_prefix(text, "#### "));
	}
	enum aider_block kind = classify_aider_line(d, text);
	if (blank && d->block != REPLY) {
		close_aider_block(in);
	} else if (kind == REPLY) {
		switch_aider_block(in, REPLY);
		append_aider_line(d, text);
		adapt_track_fence(&d->fence, text);
	} else {
		switch_aider_block(in, kind);
		append_aider_line(d, text_after_mark(text, kind == PROMPT ? 5 : 2));
	}
	d->after_blank = blank;
	if (d->text.len > MEM_LINE_MAX) {
		adapt_report_fault(in, in->unit_line, in->unit_offset, "too_long", "a block is longer than 16 MiB");
		mem_buf_reset(&d->text);
	}
}

/*
 * Prompts and replies are written at once, output line by line: output at the very end
 * may go on, and so does a reply that ends inside its code.
 */
static void
end_aider_input(struct mem_adapt_input *in)
{
	struct aider_state *d = in->state;
	bool unsure = d->torn || d->block == OUTPUT || (d->block == REPLY && d->fence.n > 0);
	if (unsure && !in->a->o.ended)
		in->a->counts.held += d->block != NOTHING || d->torn;
	else
		close_aider_block(in);
}

static void
release_aider_state(struct mem_adapt_input *in)
{
	struct aider_state *d = in->state;
	mem_buf_release(&d->session);
	mem_buf_release(&d->model);
	mem_buf_release(&d->text);
}

const struct adapt_format adapt_aider = {
	.name = "aider", .agent = "aider", .shape = ADAPT_TEXT, .state_size = sizeof(struct aider_state),
	.line = take_aider_line, .end = end_aider_input, .release = release_aider_state,
};
