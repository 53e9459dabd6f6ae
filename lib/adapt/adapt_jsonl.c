/* SPDX-License-Identifier: Apache-2.0 */
/* Any other JSON lines, by a map of fields. */
#include "adapt/adapt_int.h"

#include <stdlib.h>
#include <string.h>

struct jsonl_state {
	char first[17];             /* hash of the first record: what the input is known by */
};

/* Fields of an event that a map may fill; all others are extra. */
static const char *const known[] = {
	"content", "role", "speaker", "listener", "session_id", "captured_at", "ref", "tags",
	"ns", "trust", "expires_at", "supersedes",
};
/* Taken from the field of the same name where no map says otherwise: the first eight. */
enum { IMPLIED = 8 };

static bool
is_known_field(struct mem_str name)
{
	for (size_t i = 0; i < MEM_COUNT(known); i++)
		if (mem_str_is(name, known[i]))
			return true;
	return false;
}

static bool
is_field_name(struct mem_str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    c == '_' || c == '-' || c == '.';
		if (!ok)
			return false;
	}
	return name.n > 0 && name.n <= 64;
}

enum mem_status
adapt_check_map(const char *map, struct mem_err *err)
{
	const char *eq = strchr(map, '=');
	struct mem_str name = { map, eq != NULL ? (size_t)(eq - map) : 0 };
	if (eq == NULL || !is_field_name(name) || eq[1] == '\0')
		return mem_err_set(err, MEM_USAGE, "--map takes FIELD=PATH or FIELD==TEXT, not '%s'", map);
	if (mem_str_is(name, "source") || mem_str_is(name, "tool_part"))
		return mem_err_set(err, MEM_USAGE, "--map cannot set '%.*s'", (int)name.n, name.p);
	return MEM_OK;
}

/* ---- values ----------------------------------------------------------- */

/* The last map of a name counts. */
static const char *
find_field_map(const struct mem_adapt_opts *o, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = o->nmaps; i-- > 0;)
		if (strncmp(o->maps[i], name, n) == 0 && o->maps[i][n] == '=')
			return o->maps[i] + n + 1;
	return NULL;
}

/* "=text" is that text, everything else a path into the record. */
static struct mem_json
read_mapped_value(struct mem_adapt_input *in, const struct mem_rec *r, const char *path)
{
	if (path[0] != '=')
		return mem_json_path(mem_rec_json(r), path);
	struct mem_buf b = { 0 };
	mem_json_put_string(&b, mem_str(path + 1));
	struct mem_json v = {
		.raw = mem_arena_str(&in->arena, mem_buf_span(&b)),
		.type = MEM_JSON_STRING,
		.escaped = memchr(b.data, '\\', b.len) != NULL,
	};
	mem_buf_release(&b);
	return v;
}

static struct mem_json
read_field_value(struct mem_adapt_input *in, const struct mem_rec *r, size_t field)
{
	const char *path = find_field_map(&in->a->o, known[field]);
	if (path == NULL && field >= IMPLIED)
		return (struct mem_json){ 0 };
	return path != NULL ? read_mapped_value(in, r, path) : mem_rec_value(r, known[field]);
}

static struct mem_json
read_named_field(struct mem_adapt_input *in, const struct mem_rec *r, const char *name)
{
	for (size_t i = 0; i < MEM_COUNT(known); i++)
		if (strcmp(known[i], name) == 0)
			return read_field_value(in, r, i);
	return (struct mem_json){ 0 };
}

/* A string's text, a number's digits. */
static struct mem_str
read_plain_text(struct mem_adapt_input *in, struct mem_json v)
{
	if (mem_json_there(v) && v.type == MEM_JSON_NUMBER)
		return mem_arena_str(&in->arena, v.raw);
	return adapt_decode_string(in, v);
}

static enum adapt_act
choose_act(struct mem_adapt_input *in, struct mem_str role, struct mem_str name)
{
	static const struct {
		const char *word;
		enum adapt_act act;
	} words[] = {
		{ "user", ADAPT_USER }, { "human", ADAPT_USER }, { "assistant", ADAPT_AGENT },
		{ "ai", ADAPT_AGENT }, { "agent", ADAPT_AGENT }, { "bot", ADAPT_AGENT },
		{ "model", ADAPT_AGENT }, { "tool", ADAPT_RESULT }, { "function", ADAPT_RESULT },
	};
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (adapt_is_word(role, words[i].word))
			return words[i].act;
	const char *agent = in->a->o.agent_name;
	return agent != NULL && mem_str_is(name, agent) ? ADAPT_AGENT : ADAPT_USER;
}

/* ---- a record --------------------------------------------------------- */

static void
put_jsonl_content(struct mem_adapt_input *in, struct mem_buf *out, struct mem_json v)
{
	if (!mem_json_there(v) || v.type == MEM_JSON_NULL)
		return;
	uint64_t unknown = in->a->counts.unknown.all;
	adapt_put_content(in, out, v, "\n\n");
	if (out->len == 0 && unknown == in->a->counts.unknown.all && v.type != MEM_JSON_STRING && v.raw.n > 2)
		adapt_put_compact_json(out, v);
}

static void
put_jsonl_tags(struct mem_buf *out, struct mem_json v)
{
	struct mem_json_iter it = mem_json_each(v);
	if (!mem_json_there(v))
		return;
	if (v.type == MEM_JSON_STRING && v.raw.n > 2) {
		mem_buf_printf(out, "[%.*s]", (int)v.raw.n, v.raw.p);
		return;
	}
	mem_buf_putc(out, '[');
	while (v.type == MEM_JSON_ARRAY && mem_json_next(&it)) {
		if (it.value.type != MEM_JSON_STRING)
			continue;
		if (out->len > 1)
			mem_buf_putc(out, ',');
		mem_buf_str(out, it.value.raw);
	}
	mem_buf_putc(out, ']');
	if (out->len == 2)
		mem_buf_reset(out);
}

/* ns, trust and the like go through as they are: capture judges them. */
static struct mem_str
format_event_fields(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct mem_buf b = { 0 };
	mem_buf_putc(&b, '{');
	for (size_t i = IMPLIED; i < MEM_COUNT(known); i++) {
		struct mem_json v = read_field_value(in, r, i);
		int64_t at;
		if (!mem_json_there(v) || v.type == MEM_JSON_NULL)
			continue;
		if (strcmp(known[i], "expires_at") == 0 && adapt_read_time(in, v, &at))
			mem_json_put_time(&b, known[i], at);
		else
			mem_json_put_raw(&b, known[i], v.raw);
	}
	struct mem_str s = mem_arena_str(&in->arena, (struct mem_str){ b.data + 1, b.len - 1 });
	mem_buf_release(&b);
	return s;
}

static void
put_mapped_extras(struct mem_adapt_input *in, const struct mem_rec *r, struct adapt_event *ev)
{
	const struct mem_adapt_opts *o = &in->a->o;
	for (size_t i = 0; i < o->nmaps; i++) {
		size_t n = strcspn(o->maps[i], "=");
		const char *name = mem_arena_dup(&in->arena, o->maps[i], n);
		/* The same name twice: the last one counts. */
		if (!is_known_field(mem_str(name)) && find_field_map(o, name) == o->maps[i] + n + 1)
			adapt_put_extra(ev, name, read_mapped_value(in, r, o->maps[i] + n + 1));
	}
}

/* A time makes a record unlike all others; without one only its place does. */
static void
make_jsonl_ref(struct mem_adapt_input *in, const struct mem_rec *r, struct adapt_event *ev)
{
	const struct jsonl_state *j = in->state;
	struct mem_str given = read_plain_text(in, read_named_field(in, r, "ref"));
	if (given.n > 0) {
		mem_buf_str(&ev->ref, given);
		return;
	}
	struct mem_str base = ev->session.n > 0 ? ev->session :
	    mem_str(mem_arena_printf(&in->arena, "jsonl-%s", j->first));
	if (ev->timed)
		adapt_put_ref(in, base, adapt_hash_parts(in, &r->text, 1));
	else
		adapt_put_ref(in, base, mem_str(mem_arena_printf(&in->arena, "%s-%llu", j->first,
		    (unsigned long long)in->records)));
}

static void
take_jsonl_record(struct mem_adapt_input *in, const struct mem_rec *r)
{
	struct jsonl_state *j = in->state;
	if (j->first[0] == '\0')
		memcpy(j->first, adapt_hash_parts(in, &r->text, 1).p, sizeof j->first);
	struct mem_str name = read_plain_text(in, read_named_field(in, r, "speaker"));
	struct mem_str role = read_plain_text(in, read_named_field(in, r, "role"));
	if (adapt_is_word(role, "system") || adapt_is_word(role, "developer")) {
		in->a->counts.program++;
		return;
	}
	enum adapt_act act = choose_act(in, role, name);
	struct adapt_event *ev = adapt_begin_event(in, act);
	ev->name = name;
	ev->name_wins = true;
	ev->private_talk = true;
	ev->listener = read_plain_text(in, read_named_field(in, r, "listener"));
	ev->session = read_plain_text(in, read_named_field(in, r, "session_id"));
	if (ev->session.n == 0)
		ev->session = mem_str(in->a->o.session);
	adapt_set_time(in, read_named_field(in, r, "captured_at"));
	put_jsonl_tags(&ev->tags, read_named_field(in, r, "tags"));
	ev->fields = format_event_fields(in, r);
	put_mapped_extras(in, r, ev);
	make_jsonl_ref(in, r, ev);
	put_jsonl_content(in, &ev->text, read_named_field(in, r, "content"));
	adapt_send_event(in);
}

const struct adapt_format adapt_jsonl = {
	.name = "jsonl", .agent = "assistant", .pages = true, .no_session = true, .shape = ADAPT_LINES,
	.state_size = sizeof(struct jsonl_state), .record = take_jsonl_record,
};
