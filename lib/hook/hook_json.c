/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks in settings that are JSON:
 *
 *	{ "hooks": { EVENT: [ { "hooks": [ { "type": "command", "command": …, "timeout": … } ] } ] } }
 *
 * What is put in is one span, behind the last item of an object or array, or right behind the bracket that opens an
 * empty one; so what is taken out can be just that span.  A container that was put in with its item begins with white space, one that
 * was empty before does not: that tells which of them go with it.
 */
#include "hook/hook_int.h"
#include "record/record.h"

/* An item of an object or array, as bytes of the text. */
struct json_item {
	size_t begin, end;      /* with its key */
	size_t before_end;      /* end of the item before it; 0: it is the first */
	size_t next_begin;      /* of the item behind it; 0: it is the last */
	size_t opener;          /* behind the bracket that opens its container */
	size_t count;           /* items of the container */
};

/* Where our command stands: the handler in "hooks" of a group, in an array of groups, in "hooks" of the settings. */
enum { DEPTH_EVENT, DEPTH_GROUP, DEPTH_HANDLER, DEPTHS };
struct json_way {
	struct mem_json hooks, groups;       /* of the settings; of the event.  Not there: raw.n 0 */
	struct json_item member;             /* "hooks" in the settings */
	struct json_item item[DEPTHS];
	struct mem_json command;             /* its value */
	bool found;
};

/* ---- looking ------------------------------------------------------------------- */

static struct json_item
locate_item(const char *text, struct mem_json container, struct mem_json value)
{
	struct json_item item = { .opener = (size_t)(container.raw.p - text) + 1 };
	size_t last_end = 0;
	bool seen = false;
	for (struct mem_json_iter it = mem_json_each(container); mem_json_next(&it); item.count++) {
		size_t begin = (size_t)((it.object ? it.key.p - 1 : it.value.raw.p) - text);
		size_t end = (size_t)(it.value.raw.p - text) + it.value.raw.n;
		if (it.value.raw.p == value.raw.p) {
			item.begin = begin;
			item.end = end;
			item.before_end = last_end;
			seen = true;
		} else if (seen && item.next_begin == 0)
			item.next_begin = begin;
		last_end = end;
	}
	return item;
}

static bool
is_our_handler(struct mem_json handler, const char *program, const struct hook_event *event)
{
	struct mem_buf command = { 0 }, tool = { 0 }, store = { 0 };
	bool ours = mem_json_decode(&command, mem_json_member(handler, "command")) &&
	    hook_read_command(mem_buf_span(&command), program, event->ours, &tool, &store);
	mem_buf_release(&command);
	mem_buf_release(&tool);
	mem_buf_release(&store);
	return ours;
}

static void
find_handler(struct json_way *w, const char *text, const char *program, const struct hook_event *event)
{
	for (struct mem_json_iter g = mem_json_each(w->groups); !w->found && mem_json_next(&g);) {
		struct mem_json handlers = mem_json_member(g.value, "hooks");
		for (struct mem_json_iter h = mem_json_each(handlers); !w->found && mem_json_next(&h);) {
			if (!is_our_handler(h.value, program, event))
				continue;
			w->found = true;
			w->command = mem_json_member(h.value, "command");
			w->item[DEPTH_EVENT] = locate_item(text, w->hooks, w->groups);
			w->item[DEPTH_GROUP] = locate_item(text, w->groups, g.value);
			w->item[DEPTH_HANDLER] = locate_item(text, handlers, h.value);
		}
	}
}

/* Says where the JSON ends to be one, and of what people write into it as if it were JavaScript, what. */
static enum mem_status
explain_bad_settings(struct mem_str text, const struct mem_err *why, struct mem_err *err)
{
	size_t at = why->offset < text.n ? why->offset : text.n, line = 1, before = at;
	for (size_t i = 0; i < at; i++)
		line += text.p[i] == '\n';
	while (at < text.n && strchr(" \t\r\n", text.p[at]) != NULL)
		at++;
	while (before > 0 && strchr(" \t\r\n", text.p[before - 1]) != NULL)
		before--;
	bool comment = at + 1 < text.n && text.p[at] == '/' && (text.p[at + 1] == '/' || text.p[at + 1] == '*');
	bool comma = at < text.n && (text.p[at] == '}' || text.p[at] == ']') && before > 0 && text.p[before - 1] == ',';
	return mem_err_set(err, MEM_FAIL, "it is no JSON object (%s at byte %zu, line %zu)%s", why->reason, why->offset, line,
	    comment ? ": JSON has no comments" : comma ? ": JSON has no comma behind the last item" : "");
}

static enum mem_status
read_settings(struct json_way *w, struct mem_rec *r, struct mem_str text, const char *program, const struct hook_event *event,
    struct mem_err *err)
{
	struct mem_err why;
	*w = (struct json_way){ 0 };
	if (mem_rec_scan(r, text, &why) != MEM_OK)
		return explain_bad_settings(text, &why, err);
	w->hooks = mem_rec_value(r, "hooks");
	if (!mem_json_there(w->hooks))
		return MEM_OK;
	if (w->hooks.type != MEM_JSON_OBJECT)
		return mem_err_set(err, MEM_FAIL, "its member \"hooks\" is no object");
	w->member = locate_item(text.p, mem_rec_json(r), w->hooks);
	w->groups = mem_json_member(w->hooks, event->theirs);
	if (mem_json_there(w->groups) && w->groups.type != MEM_JSON_ARRAY)
		return mem_err_set(err, MEM_FAIL, "its member \"hooks.%s\" is no array", event->theirs);
	find_handler(w, text.p, program, event);
	return MEM_OK;
}

bool
hook_json_find(struct mem_str text, const char *program, const struct hook_event *event, struct mem_buf *command)
{
	struct json_way w;
	struct mem_rec r = { 0 };
	bool found = read_settings(&w, &r, text, program, event, NULL) == MEM_OK && w.found && mem_json_decode(command, w.command);
	mem_rec_release(&r);
	return found;
}

/* ---- putting in ----------------------------------------------------------------- */

/* How the text is laid out: its line break, and by what a level is indented. */
struct json_layout {
	const char *newline;
	struct mem_str indent;
};

static struct json_layout
read_layout(struct mem_str text)
{
	struct json_layout l = { "\n", MEM_STR("  ") };
	const char *nl = text.n > 0 ? memchr(text.p, '\n', text.n) : NULL;
	if (nl == NULL)
		return l;
	if (nl > text.p && nl[-1] == '\r')
		l.newline = "\r\n";
	size_t n = 0, room = text.n - (size_t)(nl + 1 - text.p);
	while (n < room && (nl[1 + n] == ' ' || nl[1 + n] == '\t'))
		n++;
	if (n > 0 && n < room && nl[1 + n] == '"')
		l.indent = (struct mem_str){ nl + 1, n };
	return l;
}

static void
start_line(struct mem_buf *out, const struct json_layout *l, int depth)
{
	mem_buf_puts(out, l->newline);
	for (int i = 0; i < depth; i++)
		mem_buf_str(out, l->indent);
}

static void
put_group(struct mem_buf *out, const struct json_layout *l, int depth, const struct hook_event *event, struct mem_str command)
{
	mem_buf_putc(out, '{');
	start_line(out, l, depth + 1);
	mem_buf_puts(out, "\"hooks\": [");
	start_line(out, l, depth + 2);
	mem_buf_putc(out, '{');
	start_line(out, l, depth + 3);
	mem_buf_puts(out, "\"type\": \"command\",");
	start_line(out, l, depth + 3);
	mem_buf_puts(out, "\"command\": ");
	mem_json_put_string(out, command);
	if (event->timeout_s > 0) {
		mem_buf_putc(out, ',');
		start_line(out, l, depth + 3);
		mem_buf_printf(out, "\"timeout\": %d", event->timeout_s);
	}
	start_line(out, l, depth + 2);
	mem_buf_putc(out, '}');
	start_line(out, l, depth + 1);
	mem_buf_putc(out, ']');
	start_line(out, l, depth);
	mem_buf_putc(out, '}');
}

static void
put_event(struct mem_buf *out, const struct json_layout *l, int depth, const struct hook_event *event, struct mem_str command)
{
	mem_json_put_string(out, mem_str(event->theirs));
	mem_buf_puts(out, ": [");
	start_line(out, l, depth + 1);
	put_group(out, l, depth + 1, event, command);
	start_line(out, l, depth);
	mem_buf_putc(out, ']');
}

static void
put_hooks(struct mem_buf *out, const struct json_layout *l, const struct hook_event *event, struct mem_str command)
{
	mem_buf_puts(out, "\"hooks\": {");
	start_line(out, l, 2);
	put_event(out, l, 2, event, command);
	start_line(out, l, 1);
	mem_buf_putc(out, '}');
}

static void
splice_text(struct mem_buf *text, size_t from, size_t to, struct mem_str with)
{
	struct mem_buf out = { 0 };
	mem_buf_put(&out, text->data, from);
	mem_buf_str(&out, with);
	mem_buf_put(&out, text->data + to, text->len - to);
	mem_buf_release(text);
	*text = out;
}

/* Behind the last item, with the white space that stands before that one. */
static void
append_json_item(struct mem_buf *text, struct mem_json container, struct mem_str item)
{
	struct mem_json_iter it = mem_json_each(container), last = it;
	const char *gap = container.raw.p + 1, *begin = gap;
	struct mem_buf with = { 0 };
	bool any = false;
	size_t at = (size_t)(container.raw.p - text->data) + 1;
	while (mem_json_next(&it)) {
		gap = any ? last.value.raw.p + last.value.raw.n : container.raw.p + 1;
		begin = it.object ? it.key.p - 1 : it.value.raw.p;
		at = (size_t)(it.value.raw.p - text->data) + it.value.raw.n;
		last = it;
		any = true;
	}
	if (any) {
		while (gap < begin && *gap != ',' && gap != container.raw.p + 1)
			gap++;
		gap += gap < begin && *gap == ',';
		mem_buf_putc(&with, ',');
		mem_buf_put(&with, gap, (size_t)(begin - gap));
	}
	mem_buf_str(&with, item);
	splice_text(text, at, at, mem_buf_span(&with));
	mem_buf_release(&with);
}

static void
put_handler(struct mem_buf *text, const struct json_way *w, const struct mem_rec *r, const struct hook_event *event,
    struct mem_str command)
{
	struct json_layout l = read_layout(mem_buf_span(text));
	struct mem_buf item = { 0 };
	if (mem_json_there(w->groups)) {
		put_group(&item, &l, 3, event, command);
		append_json_item(text, w->groups, mem_buf_span(&item));
	} else if (mem_json_there(w->hooks)) {
		put_event(&item, &l, 2, event, command);
		append_json_item(text, w->hooks, mem_buf_span(&item));
	} else {
		put_hooks(&item, &l, event, command);
		append_json_item(text, mem_rec_json(r), mem_buf_span(&item));
	}
	mem_buf_release(&item);
}

static void
make_settings(struct mem_buf *text, const struct hook_event *event, struct mem_str command)
{
	struct json_layout l = read_layout(MEM_STR(""));
	mem_buf_putc(text, '{');
	start_line(text, &l, 1);
	put_hooks(text, &l, event, command);
	mem_buf_puts(text, "\n}\n");
}

enum mem_status
hook_json_put(struct mem_buf *text, const char *program, const struct hook_event *event, struct mem_str command,
    enum mem_hook_verdict *verdict, struct mem_err *err)
{
	struct json_way w;
	struct mem_rec r = { 0 };
	struct mem_buf value = { 0 };
	enum mem_status st = MEM_OK;
	*verdict = MEM_HOOK_NEW;
	if (text->len == 0) {
		make_settings(text, event, command);
		return MEM_OK;
	}
	st = read_settings(&w, &r, mem_buf_span(text), program, event, err);
	if (st == MEM_OK && w.found) {
		size_t at = (size_t)(w.command.raw.p - text->data);
		mem_json_put_string(&value, command);
		*verdict = mem_str_eq(w.command.raw, mem_buf_span(&value)) ? MEM_HOOK_UNCHANGED : MEM_HOOK_CHANGED;
		if (*verdict == MEM_HOOK_CHANGED)
			splice_text(text, at, at + w.command.raw.n, mem_buf_span(&value));
	} else if (st == MEM_OK)
		put_handler(text, &w, &r, event, command);
	mem_buf_release(&value);
	mem_rec_release(&r);
	return st;
}

/* ---- taking out ------------------------------------------------------------------ */

/* Takes the item out and says whether that was all; false: its container is to go, too. */
static bool
take_item(struct mem_buf *text, const struct json_item *item)
{
	if (item->count > 1 && item->before_end > 0)
		splice_text(text, item->before_end, item->end, MEM_STR(""));
	else if (item->count > 1)
		splice_text(text, item->begin, item->next_begin, MEM_STR(""));
	else if (item->begin == item->opener)
		splice_text(text, item->begin, item->end, MEM_STR(""));
	else
		return false;
	return true;
}

enum mem_status
hook_json_take(struct mem_buf *text, const char *program, const struct hook_event *event, enum mem_hook_verdict *verdict,
    struct mem_err *err)
{
	struct json_way w = { .found = true };
	struct mem_rec r = { 0 };
	enum mem_status st = MEM_OK;
	*verdict = MEM_HOOK_UNCHANGED;
	while (text->len > 0 && w.found && (st = read_settings(&w, &r, mem_buf_span(text), program, event, err)) == MEM_OK && w.found) {
		*verdict = MEM_HOOK_REMOVED;
		/* A group without a handler, or settings without anything, mean nothing. */
		bool alone = w.item[DEPTH_HANDLER].count == 1;
		if ((alone || !take_item(text, &w.item[DEPTH_HANDLER])) && !take_item(text, &w.item[DEPTH_GROUP]) &&
		    !take_item(text, &w.item[DEPTH_EVENT]) && !take_item(text, &w.member))
			mem_buf_reset(text);
	}
	mem_rec_release(&r);
	return st;
}
