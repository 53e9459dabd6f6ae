/* SPDX-License-Identifier: Apache-2.0 */
/* Events: what they are made of, and how they are written. */
#include "adapt/adapt_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- refs seen -------------------------------------------------------- */

static bool
find_ref_slot(const struct mem_hash *table, size_t cap, const struct mem_hash *h, size_t *at)
{
	static const struct mem_hash none;
	size_t i = (size_t)mem_be64_get(h->b) & (cap - 1);
	while (memcmp(&table[i], &none, sizeof none) != 0) {
		if (memcmp(&table[i], h, sizeof *h) == 0)
			return true;
		i = (i + 1) & (cap - 1);
	}
	*at = i;
	return false;
}

static void
grow_seen_refs(struct adapt_seen *s)
{
	size_t cap = s->cap > 0 ? 2 * s->cap : 1024, at;
	struct mem_hash *t = mem_xcalloc(cap, sizeof *t);
	static const struct mem_hash none;
	for (size_t i = 0; i < s->cap; i++)
		if (memcmp(&s->now[i], &none, sizeof none) != 0 && !find_ref_slot(t, cap, &s->now[i], &at))
			t[at] = s->now[i];
	free(s->now);
	s->now = t;
	s->cap = cap;
}

bool
adapt_add_seen_ref(struct adapt_seen *s, struct mem_str ref)
{
	struct mem_hash h = mem_hash128(NULL, &ref, 1);
	size_t at;
	if (s->before != NULL && find_ref_slot(s->before, 2 * (size_t)ADAPT_SEEN_MAX, &h, &at))
		return false;
	if (2 * (s->n + 1) > s->cap)
		grow_seen_refs(s);
	if (find_ref_slot(s->now, s->cap, &h, &at))
		return false;
	s->now[at] = h;
	if (++s->n == ADAPT_SEEN_MAX) {
		free(s->before);
		s->before = s->now;
		s->now = NULL;
		s->n = s->cap = 0;
	}
	return true;
}

void
adapt_release_seen_refs(struct adapt_seen *s)
{
	free(s->now);
	free(s->before);
}

/* ---- making one ------------------------------------------------------- */

struct adapt_event *
adapt_begin_event(struct mem_adapt_input *in, enum adapt_act act)
{
	struct adapt_event *ev = &in->ev;
	mem_buf_reset(&ev->text);
	mem_buf_reset(&ev->ref);
	mem_buf_reset(&ev->extra);
	mem_buf_reset(&ev->tags);
	mem_buf_putc(&ev->extra, '{');
	*ev = (struct adapt_event){
		.act = act,
		.text = ev->text,
		.ref = ev->ref,
		.extra = ev->extra,
		.tags = ev->tags,
	};
	return ev;
}

bool
adapt_read_time(struct mem_adapt_input *in, struct mem_json v, int64_t *ms)
{
	double number;
	bool zoned;
	if (!mem_json_there(v))
		return false;
	if (v.type == MEM_JSON_NUMBER)
		return mem_json_num(v, &number) && mem_time_from_unix(number, ms);
	return v.type == MEM_JSON_STRING && mem_time_read(adapt_decode_string(in, v), ms, &zoned);
}

void
adapt_set_time(struct mem_adapt_input *in, struct mem_json v)
{
	struct adapt_event *ev = &in->ev;
	bool said = mem_json_there(v) && v.type != MEM_JSON_NULL && !(v.type == MEM_JSON_STRING && v.raw.n <= 2);
	if (!said)
		return;
	ev->timed = adapt_read_time(in, v, &ev->at);
	/* The events of a record share its time: it is told once. */
	if (!ev->timed && (in->bad_time != v.raw.p || in->bad_time_at != in->unit_offset))
		adapt_report_bad_time(in, in->unit_line, v.raw);
	if (!ev->timed) {
		in->bad_time = v.raw.p;
		in->bad_time_at = in->unit_offset;
	}
}

void
adapt_report_bad_time(struct mem_adapt_input *in, uint64_t line, struct mem_str text)
{
	int n = (int)(text.n < 60 ? mem_utf8_cut(text, text.n) : mem_utf8_cut(text, 60));
	adapt_report_fault(in, line, in->unit_offset, "bad_time",
	    mem_arena_printf(&in->arena, "no time that can be read: %.*s", n, text.p));
}

void
adapt_put_extra(struct adapt_event *ev, const char *name, struct mem_json v)
{
	bool has_value = mem_json_there(v) && v.type != MEM_JSON_NULL &&
	    !(v.type == MEM_JSON_STRING && v.raw.n <= 2);
	if (has_value)
		mem_json_put_raw(&ev->extra, name, v.raw);
}

void
adapt_put_extra_text(struct adapt_event *ev, const char *name, struct mem_str s)
{
	if (s.n > 0)
		mem_json_put_field(&ev->extra, name, s);
}

void
adapt_put_own_ref(struct mem_adapt_input *in, struct mem_str session, struct mem_str id)
{
	enum { OWN = 20, OWN_MAX = 200 };
	if (id.n >= OWN && id.n <= OWN_MAX)
		mem_buf_str(&in->ev.ref, id);
	else
		adapt_put_ref(in, session, id);
}

void
adapt_put_ref(struct mem_adapt_input *in, struct mem_str session, struct mem_str id)
{
	struct adapt_event *ev = &in->ev;
	enum { PART_MAX = 200 };
	const struct mem_str parts[] = { session, id };
	for (size_t i = 0; i < 2; i++) {
		if (i == 1)
			mem_buf_putc(&ev->ref, '/');
		if (parts[i].n <= PART_MAX) {
			mem_buf_str(&ev->ref, parts[i]);
			continue;
		}
		mem_buf_str(&ev->ref, adapt_hash_parts(in, &parts[i], 1));
	}
}

/* ---- tools ------------------------------------------------------------ */

void
adapt_keep_tool_name(struct mem_adapt_input *in, struct mem_str id, struct mem_str name)
{
	if (id.n == 0 || name.n == 0 || name.n >= ADAPT_TOOL_NAME)
		return;
	if (in->tools == NULL)
		in->tools = mem_xcalloc(ADAPT_TOOLS, sizeof *in->tools);
	struct mem_hash h = mem_hash128(NULL, &id, 1);
	struct adapt_tool_name *t = &in->tools[in->ntools++ % ADAPT_TOOLS];
	t->id = mem_be64_get(h.b);
	memcpy(t->name, name.p, name.n);
	t->name[name.n] = '\0';
}

struct mem_str
adapt_find_tool_name(struct mem_adapt_input *in, struct mem_str id)
{
	size_t have = in->ntools < ADAPT_TOOLS ? in->ntools : ADAPT_TOOLS;
	struct mem_hash h = mem_hash128(NULL, &id, 1);
	for (size_t i = 1; i <= have; i++) {
		const struct adapt_tool_name *t = &in->tools[(in->ntools - i) % ADAPT_TOOLS];
		if (t->id == mem_be64_get(h.b))
			return mem_str(t->name);
	}
	return (struct mem_str){ 0 };
}

void
adapt_set_tool(struct mem_adapt_input *in, struct adapt_event *ev, struct mem_str id, struct mem_str name)
{
	if (ev->act == ADAPT_CALL)
		adapt_keep_tool_name(in, id, name);
	else if (name.n == 0)
		name = mem_arena_str(&in->arena, adapt_find_tool_name(in, id));
	if (ev->act == ADAPT_RESULT)
		ev->name = name;
	ev->call = id;
	adapt_put_extra_text(ev, "tool", name);
	adapt_put_extra_text(ev, "tool_call_id", id);
}

void
adapt_set_outcome(struct adapt_event *ev, bool error, struct mem_json exit_code)
{
	int64_t code;
	ev->failed = error || (mem_json_int(exit_code, &code) && code != 0);
	if (ev->failed)
		mem_json_put_raw(&ev->extra, "is_error", MEM_STR("true"));
	adapt_put_extra(ev, "exit_code", exit_code);
}

void
adapt_note_answered(struct mem_adapt_input *in)
{
	const struct adapt_event *ev = &in->ev;
	struct mem_buf *calls = &in->answered.calls;
	if (ev->failed || ev->call.n == 0 || !adapt_add_seen_ref(&in->a->seen, mem_buf_span(&ev->ref)))
		return;
	if (!mem_str_eq(mem_buf_span(&in->answered.session), ev->session)) {
		mem_buf_reset(calls);
		mem_buf_reset(&in->answered.session);
		mem_buf_str(&in->answered.session, ev->session);
	}
	if (calls->len + ev->call.n > ADAPT_ANSWERED)
		return;
	mem_buf_putc(calls, calls->len == 0 ? '[' : ',');
	mem_json_put_string(calls, ev->call);
}

/* Calls of the event's session whose results had no text. */
static void
put_answered(struct mem_adapt_input *in, struct mem_buf *out)
{
	struct mem_buf *calls = &in->answered.calls;
	if (calls->len == 0 || !mem_str_eq(mem_buf_span(&in->answered.session), in->ev.session))
		return;
	mem_buf_putc(calls, ']');
	mem_json_put_raw(out, "answered", mem_buf_span(calls));
	mem_buf_reset(calls);
}

/* ---- writing ---------------------------------------------------------- */

static struct mem_str
choose_name(const char *given, struct mem_str known, const char *otherwise)
{
	if (given != NULL)
		return mem_str(given);
	return known.n > 0 ? known : mem_str(otherwise);
}

static struct mem_str
choose_speaker(const struct mem_adapt_input *in, const struct adapt_event *ev)
{
	const struct mem_adapt_opts *o = &in->a->o;
	if (ev->name_wins && ev->name.n > 0)
		return ev->name;
	if (ev->act == ADAPT_USER)
		return choose_name(o->user_name, ev->name, "user");
	if (ev->act == ADAPT_RESULT)
		return choose_name(NULL, ev->name, "tool");
	return choose_name(o->agent_name, ev->name, in->f->agent);
}

/* Between a person and an agent the other one listens, where it has a name. */
static struct mem_str
choose_listener(const struct mem_adapt_input *in, const struct adapt_event *ev)
{
	const struct mem_adapt_opts *o = &in->a->o;
	if (ev->listener.n > 0 || ev->private_talk)
		return ev->listener;
	if (ev->act == ADAPT_USER)
		return mem_str(o->agent_name);
	return ev->act == ADAPT_AGENT ? mem_str(o->user_name) : (struct mem_str){ 0 };
}

/* A tool may print more than anybody will want to remember, or capture will take. */
static void
cut_tool_text(struct adapt_event *ev)
{
	if (ev->act < ADAPT_CALL || ev->text.len <= MEM_ADAPT_TOOL_MAX)
		return;
	size_t whole = ev->text.len, n = mem_utf8_cut(mem_buf_span(&ev->text), MEM_ADAPT_TOOL_MAX);
	ev->text.len = n;
	mem_buf_printf(&ev->text, "\n[%zu more bytes left out]", whole - n);
}

static void
write_event(struct mem_adapt_input *in, struct mem_buf *out)
{
	static const char *const roles[] = { "user", "assistant", "tool", "tool" };
	struct adapt_event *ev = &in->ev;
	struct mem_str listener = choose_listener(in, ev);
	mem_buf_reset(out);
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "content", mem_buf_span(&ev->text));
	mem_json_put_field(out, "role", mem_str(ev->role != NULL ? ev->role : roles[ev->act]));
	mem_json_put_field(out, "speaker", choose_speaker(in, ev));
	if (listener.n > 0)
		mem_json_put_field(out, "listener", listener);
	if (ev->session.n > 0)
		mem_json_put_field(out, "session_id", ev->session);
	if (ev->timed)
		mem_json_put_time(out, "captured_at", ev->at);
	mem_json_put_field(out, "ref", mem_buf_span(&ev->ref));
	if (ev->tags.len > 0)
		mem_json_put_raw(out, "tags", mem_buf_span(&ev->tags));
	if (ev->fields.n > 0) {
		mem_buf_putc(out, ',');
		mem_buf_str(out, ev->fields);
	}
	mem_json_put_field(out, "source", mem_str(in->f->name));
	if (ev->act >= ADAPT_CALL)
		mem_json_put_field(out, "tool_part", mem_str(ev->act == ADAPT_CALL ? "call" : "result"));
	if (ev->extra.len > 1) {
		mem_buf_putc(out, ',');
		mem_buf_put(out, ev->extra.data + 1, ev->extra.len - 1);
	}
	put_answered(in, out);
	mem_buf_putc(out, '}');
}

/* ---- a person's text -------------------------------------------------- */

/* A type's name for a message: what a stranger wrote is cut and made printable. */
static void
copy_type_name(char out[48], struct mem_str type)
{
	size_t n = 0;
	for (size_t i = 0; i < type.n && n < 47; i++) {
		unsigned char c = (unsigned char)type.p[i];
		out[n++] = c >= ' ' && c < 0x7f ? (char)c : '?';
	}
	out[n] = '\0';
	if (n == 0)
		memcpy(out, "none", 5);
}

static void
add_to_tally(struct mem_adapt_tally *t, struct mem_str name)
{
	char copy[sizeof t->types[0].name];
	copy_type_name(copy, name);
	t->all++;
	size_t i = 0;
	while (i < t->ntypes && strcmp(t->types[i].name, copy) != 0)
		i++;
	if (i == t->ntypes && i == MEM_ADAPT_TYPES_MAX) {
		i--;
		memcpy(t->types[i].name, "other", sizeof "other");
	} else if (i == t->ntypes) {
		memcpy(t->types[t->ntypes++].name, copy, sizeof copy);
	}
	t->types[i].n++;
}

static void
count_cut_wrappers(struct mem_adapt_input *in)
{
	struct mem_adapt *a = in->a;
	for (size_t i = 0; i < in->cut.n; i++)
		add_to_tally(&a->counts.wrappers, a->wrappers.names[in->cut.rules[i]]);
}

bool
adapt_skip_program_text(struct mem_adapt_input *in, struct mem_str text)
{
	bool all = adapt_cut_wrappers(&in->cut, &in->a->wrappers, text) && in->cut.text.len == 0 &&
	    in->cut.output.len == 0 && in->cut.errors.len == 0;
	if (all)
		count_cut_wrappers(in);
	return all;
}

/* Cuts what programs put into it.  False: nothing of a person's is left. */
static bool
keep_person_words(struct mem_adapt_input *in)
{
	struct adapt_event *ev = &in->ev;
	if (adapt_cut_wrappers(&in->cut, &in->a->wrappers, mem_buf_span(&ev->text))) {
		count_cut_wrappers(in);
		mem_buf_reset(&ev->text);
		mem_buf_str(&ev->text, mem_buf_span(&in->cut.text));
		if (ev->text.len == 0)
			return false;
	}
	return in->f->pages || !adapt_is_bare_command(mem_buf_span(&ev->text));
}

bool
adapt_send_event(struct mem_adapt_input *in)
{
	struct mem_adapt *a = in->a;
	struct adapt_event *ev = &in->ev;
	if (a->stopped)
		return false;
	adapt_cut_citations(in, &ev->text);
	if (ev->act == ADAPT_USER && !keep_person_words(in)) {
		a->counts.program += in->cut.output.len == 0 && in->cut.errors.len == 0;
		return false;
	}
	if (ev->act == ADAPT_USER && ev->by_agent) {
		ev->act = ADAPT_AGENT;
		ev->private_talk = true;
	}
	if (adapt_is_blank_text(mem_buf_span(&ev->text))) {
		a->counts.empty++;
		if (ev->act == ADAPT_RESULT)
			adapt_note_answered(in);
		return false;
	}
	in->given = true;
	if (!adapt_add_seen_ref(&a->seen, mem_buf_span(&ev->ref))) {
		a->counts.repeated++;
		return false;
	}
	cut_tool_text(ev);
	write_event(in, &a->out);
	a->counts.events++;
	a->stopped = !a->sink.event(a->sink.ctx, mem_buf_span(&a->out));
	return true;
}

/* ---- counting --------------------------------------------------------- */

void
adapt_count_unknown_type(struct mem_adapt_input *in, struct mem_str type)
{
	in->given = true;
	add_to_tally(&in->a->counts.unknown, type);
}

void
adapt_count_undated(struct mem_adapt_input *in, struct mem_str time)
{
	add_to_tally(&in->a->counts.undated, time);
}

void
adapt_report_fault(struct mem_adapt_input *in, uint64_t line, uint64_t offset, const char *reason, const char *msg)
{
	const struct mem_adapt_fault f = {
		.input = in->name, .line = line, .offset = offset, .reason = reason, .msg = msg,
	};
	in->given = true;
	in->a->counts.faults++;
	if (in->a->sink.fault != NULL)
		in->a->sink.fault(in->a->sink.ctx, &f);
}
