/* SPDX-License-Identifier: Apache-2.0 */
/* Cursor's chats as Markdown: its own export, and SpecStory's. */
#include "adapt/adapt_int.h"

#include <stdlib.h>
#include <string.h>

/*
 * Both are turns under a head line.  A turn is given piece by piece: runs of text, tool
 * uses, thinking; a piece's ref is its number in the chat, counted alike whatever
 * options are given.
 */
enum cursor_piece { NOTHING, TEXT, TOOL, THINKING };

struct cursor_state {
	struct mem_buf session, title;
	struct mem_buf model;
	bool specstory;
	bool person;                /* whose turn it is */
	bool sidechain;             /* of a sub-agent: the prompt is another agent's */
	bool in_turn;
	bool timed;
	int64_t at;
	uint64_t number;            /* of the piece at hand */
	enum cursor_piece piece;
	struct mem_buf text, tool;
	struct adapt_fence fence;
	bool ruled;                 /* the last line with text was "---" */
};

/* ---- pieces ----------------------------------------------------------- */

/* Own exports have no id: the title and the first prompt stay what they are. */
static void
name_cursor_session(struct mem_adapt_input *in, struct cursor_state *c, struct mem_str text)
{
	if (c->session.len > 0)
		return;
	const struct mem_str parts[] = { mem_buf_span(&c->title), text };
	mem_buf_printf(&c->session, "cursor-%s", adapt_hash_parts(in, parts, 2).p);
}

static void
send_cursor_piece(struct mem_adapt_input *in, enum adapt_act act, struct mem_str text)
{
	struct cursor_state *c = in->state;
	name_cursor_session(in, c, text);
	struct adapt_event *ev = adapt_begin_event(in, act);
	ev->session = mem_buf_span(&c->session);
	ev->by_agent = ev->private_talk = c->sidechain;
	ev->timed = c->timed;
	ev->at = c->at;
	adapt_put_ref(in, ev->session, mem_str(mem_arena_printf(&in->arena, "%llu", (unsigned long long)c->number)));
	adapt_put_extra_text(ev, "title", mem_buf_span(&c->title));
	if (act == ADAPT_RESULT)
		adapt_set_tool(in, ev, (struct mem_str){ 0 }, mem_buf_span(&c->tool));
	if (act != ADAPT_USER)
		adapt_put_extra_text(ev, "model", mem_buf_span(&c->model));
	if (c->piece == THINKING)
		mem_json_put_raw(&ev->extra, "thinking", MEM_STR("true"));
	mem_buf_str(&ev->text, text);
	adapt_send_event(in);
}

/* A turn ends with a rule that belongs to the page, not to the answer. */
static struct mem_str
strip_page_rule(struct mem_str text)
{
	text = mem_str_trim(text);
	bool rule = text.n >= 3 && memcmp(text.p + text.n - 3, "---", 3) == 0 &&
	    (text.n == 3 || text.p[text.n - 4] == '\n');
	return rule ? mem_str_trim((struct mem_str){ text.p, text.n - 3 }) : text;
}

static void
close_cursor_piece(struct mem_adapt_input *in, bool turn_ends)
{
	struct cursor_state *c = in->state;
	struct mem_str text = mem_buf_span(&c->text);
	text = turn_ends && c->piece == TEXT ? strip_page_rule(text) : mem_str_trim(text);
	if (text.n > 0 && c->piece != NOTHING) {
		c->number++;
		if (c->piece == TOOL)
			send_cursor_piece(in, ADAPT_RESULT, text);
		else if (c->piece == TEXT)
			send_cursor_piece(in, c->person ? ADAPT_USER : ADAPT_AGENT, text);
		else if (in->a->o.thinking)
			send_cursor_piece(in, ADAPT_AGENT, text);
		else
			in->a->counts.program++;
	}
	c->piece = NOTHING;
	c->fence = (struct adapt_fence){ 0 };
	mem_buf_reset(&c->text);
}

/* ---- heads ------------------------------------------------------------ */

static bool
strip_wrapping(struct mem_str *s, const char *open, const char *shut)
{
	size_t a = strlen(open), b = strlen(shut);
	if (s->n < a + b || memcmp(s->p, open, a) != 0 || memcmp(s->p + s->n - b, shut, b) != 0)
		return false;
	*s = (struct mem_str){ s->p + a, s->n - a - b };
	return true;
}

/* A time at the end of s, behind a model's name or alone; s keeps the text before it. */
static bool
cut_head_time(struct mem_str *s, int64_t *ms)
{
	bool zoned;
	for (size_t i = 0; i < s->n; i++) {
		struct mem_str rest = { s->p + i, s->n - i };
		bool begins = i == 0 || s->p[i - 1] == ' ';
		/* A number in the name of a model is no year. */
		if (!begins || (i > 0 && memchr(rest.p, ':', rest.n) == NULL) || !mem_time_read(rest, ms, &zoned))
			continue;
		*s = mem_str_trim((struct mem_str){ s->p, i });
		return true;
	}
	return false;
}

/* Does it have a clock in it, or nothing else to say? */
static bool
should_be_time(struct mem_str s, bool person)
{
	for (size_t i = 1; i + 1 < s.n; i++)
		if (s.p[i] == ':' && s.p[i - 1] >= '0' && s.p[i - 1] <= '9' && s.p[i + 1] >= '0' && s.p[i + 1] <= '9')
			return true;
	return person && s.n > 0;
}

static void
begin_cursor_turn(struct mem_adapt_input *in, bool person)
{
	struct cursor_state *c = in->state;
	close_cursor_piece(in, true);
	c->person = person;
	c->in_turn = true;
	c->sidechain = false;
}

/* "_**User (date)**_", "_**Agent (model date)**_", "_**User (sidechain)**_"; a repeated head has no date. */
static bool
take_specstory_head(struct mem_adapt_input *in, struct mem_str line)
{
	struct cursor_state *c = in->state;
	struct mem_str inside = { 0 };
	if (!strip_wrapping(&line, "_**", "**_"))
		return false;
	bool sidechain = memmem(line.p, line.n, "sidechain", 9) != NULL;
	const char *open = memchr(line.p, '(', line.n);
	if (open != NULL && line.p[line.n - 1] == ')') {
		const char *shut = memchr(open, ')', (size_t)(line.p + line.n - open));
		inside = (struct mem_str){ open + 1, (size_t)(shut - (open + 1)) };
		line.n = (size_t)(open - line.p);
	}
	line = mem_str_trim(line);
	if (sidechain && adapt_has_suffix(line, "- sidechain"))
		line = mem_str_trim((struct mem_str){ line.p, line.n - (sizeof "- sidechain" - 1) });
	if (mem_str_is(inside, "sidechain"))
		inside.n = 0;
	bool person = mem_str_is(line, "User");
	if (!person && !mem_str_is(line, "Agent") && !mem_str_is(line, "Assistant"))
		return false;
	begin_cursor_turn(in, person);
	c->sidechain = sidechain;
	int64_t at;
	if (cut_head_time(&inside, &at)) {
		c->timed = true;
		c->at = at;
	} else if (should_be_time(inside, person)) {
		c->timed = false;
		adapt_report_bad_time(in, in->unit_line, inside);
	}
	mem_buf_reset(&c->model);
	if (!person)
		mem_buf_str(&c->model, inside);
	return true;
}

static bool
take_export_head(struct mem_adapt_input *in, struct mem_str line)
{
	const struct cursor_state *c = in->state;
	bool person = mem_str_is(line, "**User**");
	if (c->specstory || !c->ruled || (!person && !mem_str_is(line, "**Cursor**")))
		return false;
	begin_cursor_turn(in, person);
	return true;
}

/* "_Exported on DATE at TIME ZONE from Cursor (VERSION)_": an export has no other time, so all its turns have this one. */
static void
take_export_time(struct mem_adapt_input *in, struct mem_str line)
{
	static const char mark[] = " from Cursor";
	struct cursor_state *c = in->state;
	bool zoned;
	const char *end;
	if (!strip_wrapping(&line, "_Exported on ", "_") || (end = memmem(line.p, line.n, mark, sizeof mark - 1)) == NULL)
		return;
	line.n = (size_t)(end - line.p);
	c->timed = mem_time_read(line, &c->at, &zoned);
	if (!c->timed)
		adapt_count_undated(in, line);
}

/* Lines before the first turn. */
static void
take_preface_line(struct mem_adapt_input *in, struct mem_str line)
{
	struct cursor_state *c = in->state;
	static const char mark[] = " Session ";
	if (adapt_has_prefix(line, "# ") && c->title.len == 0 && !c->specstory)
		mem_buf_str(&c->title, mem_str_trim((struct mem_str){ line.p + 2, line.n - 2 }));
	take_export_time(in, line);
	if (!strip_wrapping(&line, "<!--", "-->"))
		return;
	if (memmem(line.p, line.n, "SpecStory", 9) != NULL)
		c->specstory = true;
	const char *p = memmem(line.p, line.n, mark, sizeof mark - 1);
	if (p == NULL || c->session.len > 0)
		return;
	struct mem_str id = { p + sizeof mark - 1, (size_t)(line.p + line.n - p) - (sizeof mark - 1) };
	size_t n = 0;
	while (n < id.n && id.p[n] != ' ')
		n++;
	mem_buf_put(&c->session, id.p, n);
	c->specstory = true;
	/* "(2026-01-25 11:14Z)": of turns whose heads have no time. */
	struct mem_str time = mem_str_trim((struct mem_str){ id.p + n, id.n - n });
	bool zoned;
	if (strip_wrapping(&time, "(", ")"))
		c->timed = mem_time_read(time, &c->at, &zoned);
}

/* ---- inside a turn ---------------------------------------------------- */

static void
read_tool_name(struct cursor_state *c, struct mem_str line)
{
	static const char key[] = "data-tool-name=\"";
	mem_buf_reset(&c->tool);
	const char *p = memmem(line.p, line.n, key, sizeof key - 1);
	if (p == NULL)
		return;
	p += sizeof key - 1;
	const char *end = memchr(p, '"', (size_t)(line.p + line.n - p));
	if (end != NULL)
		mem_buf_put(&c->tool, p, (size_t)(end - p));
}

static bool
open_cursor_piece(struct mem_adapt_input *in, struct mem_str line)
{
	struct cursor_state *c = in->state;
	bool tool = adapt_has_prefix(line, "<tool-use");
	if (c->person || !c->specstory || (!tool && !adapt_has_prefix(line, "<think>")))
		return false;
	close_cursor_piece(in, false);
	c->piece = tool ? TOOL : THINKING;
	if (tool)
		read_tool_name(c, line);
	return true;
}

static void
append_cursor_line(struct cursor_state *c, struct mem_str line)
{
	if (c->text.len > 0)
		mem_buf_putc(&c->text, '\n');
	mem_buf_str(&c->text, line);
}

/* A tool use or thinking: its frame of tags is left out. */
static void
take_framed_line(struct mem_adapt_input *in, struct mem_str line)
{
	struct cursor_state *c = in->state;
	bool last = adapt_has_suffix(line, c->piece == TOOL ? "</tool-use>" : "</think>");
	struct mem_str head = line;
	if (strip_wrapping(&head, "<summary>", "</summary>"))
		append_cursor_line(c, head);
	else if (!last && !adapt_has_prefix(line, "<details>"))
		append_cursor_line(c, line);
	if (last)
		close_cursor_piece(in, false);
}

/* The last line may be half of a head, of a tag or of a rule: then it says nothing yet. */
static bool
is_half_mark(struct mem_str line)
{
	size_t dashes = 0;
	while (dashes < line.n && line.p[dashes] == '-')
		dashes++;
	return dashes == line.n || adapt_has_prefix(line, "**") || adapt_has_prefix(line, "_**") ||
	    mem_str_is(line, "*") || mem_str_is(line, "_") || mem_str_is(line, "_*") || adapt_has_prefix(line, "<");
}

static void
take_cursor_line(struct mem_adapt_input *in, struct mem_str text)
{
	struct cursor_state *c = in->state;
	struct mem_str bare = mem_str_trim(text);
	if (in->unended && !in->a->o.ended && is_half_mark(bare)) {
		in->a->counts.held += bare.n > 0;
		return;
	}
	bool open = c->fence.n > 0;
	if (!open && (take_specstory_head(in, bare) || take_export_head(in, bare))) {
		c->ruled = false;
		return;
	}
	if (bare.n > 0)
		c->ruled = mem_str_is(bare, "---");
	if (!c->in_turn) {
		take_preface_line(in, bare);
		return;
	}
	if (!open && open_cursor_piece(in, bare))
		return;
	if (c->piece == NOTHING)
		c->piece = TEXT;
	adapt_track_fence(&c->fence, text);
	if (c->piece == TEXT || open || c->fence.n > 0)
		append_cursor_line(c, text);
	else
		take_framed_line(in, text);
	if (c->text.len > MEM_LINE_MAX) {
		adapt_report_fault(in, in->unit_line, in->unit_offset, "too_long", "a turn is longer than 16 MiB");
		mem_buf_reset(&c->text);
	}
}

/* The first turn of an export names the chat, so it has to be whole. */
static void
end_cursor_input(struct mem_adapt_input *in)
{
	struct cursor_state *c = in->state;
	bool whole = c->session.len > 0 || c->ruled || in->a->o.ended;
	if (whole || c->piece == NOTHING)
		close_cursor_piece(in, true);
	else
		in->a->counts.held++;
}

static void
release_cursor_state(struct mem_adapt_input *in)
{
	struct cursor_state *c = in->state;
	mem_buf_release(&c->session);
	mem_buf_release(&c->title);
	mem_buf_release(&c->model);
	mem_buf_release(&c->text);
	mem_buf_release(&c->tool);
}

const struct adapt_format adapt_cursor = {
	.name = "cursor", .agent = "Cursor", .thinks = true, .shape = ADAPT_TEXT,
	.state_size = sizeof(struct cursor_state), .line = take_cursor_line, .end = end_cursor_input, .release = release_cursor_state,
};
