/* SPDX-License-Identifier: Apache-2.0 */
/* An event's fields checked and cleaned, and the episode that they make. */
#include "capture/capture_int.h"

#include <stdio.h>
#include <string.h>

/* An event on its way: its fields as they stand in the cleaned line, and its refusal. */
struct event {
	struct mem_write_input in;
	const char *refused;                 /* NULL: not */
	size_t offset;                       /* in the line, of what it is refused for */
	struct mem_clean_text content, speaker, listener, session, ref, tags;
	struct mem_clean_text id;            /* becomes the ref */
	struct mem_clean_text model_family, model_version, request_id, signature; /* go to origin */
	int64_t captured_at, expires_at;
	double trust;
	bool has_supersedes;
	struct mem_id supersedes;
	struct mem_clean_object extra;
	int64_t parts_left_out;
	enum mem_role role;
};

/* A fault in one field: its reason, or NULL. */
typedef const char *event_field_fn(struct capture_run *c, struct event *e, struct mem_json v);

static const char *
read_event_content(struct capture_run *c, struct event *e, struct mem_json v)
{
	e->content = mem_clean_part(&c->cleaned, v);
	return v.type == MEM_JSON_STRING && mem_json_decode(&c->text, v) ? NULL : "bad_value";
}

/* The characters of a string into c->scratch; empty for another type. */
static struct mem_str
decode_string(struct capture_run *c, struct mem_json v)
{
	mem_buf_reset(&c->scratch);
	mem_json_decode(&c->scratch, v);
	return mem_buf_span(&c->scratch);
}

static const char *
read_event_role(struct capture_run *c, struct event *e, struct mem_json v)
{
	e->role = mem_role_parse(decode_string(c, v));
	return e->role != MEM_ROLE_NONE ? NULL : "bad_value";
}

/* A string that is not empty. */
static const char *
take_string_field(const struct capture_run *c, struct mem_clean_text *to, struct mem_json v)
{
	if (v.type != MEM_JSON_STRING)
		return "bad_value";
	*to = mem_clean_part(&c->cleaned, v);
	return NULL;
}

static const char *
read_event_speaker(struct capture_run *c, struct event *e, struct mem_json v)
{
	return take_string_field(c, &e->speaker, v);
}

static const char *
read_event_listener(struct capture_run *c, struct event *e, struct mem_json v)
{
	return take_string_field(c, &e->listener, v);
}

static const char *
read_event_session(struct capture_run *c, struct event *e, struct mem_json v)
{
	return take_string_field(c, &e->session, v);
}

static const char *
read_event_ref(struct capture_run *c, struct event *e, struct mem_json v)
{
	return take_string_field(c, &e->ref, v);
}

/* A foreign id is the caller's own name for the thing; a number keeps its digits. */
static const char *
read_event_id(struct capture_run *c, struct event *e, struct mem_json v)
{
	if (v.type != MEM_JSON_NUMBER)
		return take_string_field(c, &e->id, v);
	e->id = mem_clean_digits(&c->cleaned, v, mem_writer_arena(c->writer));
	return NULL;
}

static const char *
read_event_captured_at(struct capture_run *c, struct event *e, struct mem_json v)
{
	return mem_time_parse(decode_string(c, v), &e->captured_at) ? NULL : "bad_time";
}

static const char *
read_event_expires_at(struct capture_run *c, struct event *e, struct mem_json v)
{
	return mem_time_parse(decode_string(c, v), &e->expires_at) ? NULL : "bad_time";
}

static const char *
read_event_trust(struct capture_run *c, struct event *e, struct mem_json v)
{
	double d;
	if (!mem_json_num(v, &d) || d < 0 || d > 1)
		return "bad_value";
	e->trust = d < c->trust_max ? d : c->trust_max;
	return NULL;
}

static const char *
read_event_ns(struct capture_run *c, struct event *e, struct mem_json v)
{
	if (v.type != MEM_JSON_STRING)
		return "bad_value";
	e->in.ns = mem_json_text(mem_writer_arena(c->writer), v);
	return NULL;
}

static const char *
read_event_supersedes(struct capture_run *c, struct event *e, struct mem_json v)
{
	if (v.type != MEM_JSON_STRING)
		return "bad_value";
	e->has_supersedes = true;
	return mem_id_parse(decode_string(c, v), &e->supersedes) ? NULL : "supersedes_not_found";
}

static const char *
read_event_tags(struct capture_run *c, struct event *e, struct mem_json v)
{
	if (v.type != MEM_JSON_ARRAY)
		return "bad_value";
	for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
		if (it.value.type != MEM_JSON_STRING)
			return "bad_value";
	e->tags = mem_clean_part(&c->cleaned, v);
	return NULL;
}

static const char *
read_event_model_family(struct capture_run *c, struct event *e, struct mem_json v)
{
	return take_string_field(c, &e->model_family, v);
}

static const char *
read_event_model_version(struct capture_run *c, struct event *e, struct mem_json v)
{
	return take_string_field(c, &e->model_version, v);
}

static const char *
read_event_request_id(struct capture_run *c, struct event *e, struct mem_json v)
{
	return take_string_field(c, &e->request_id, v);
}

/* What an event may say.  A field without a function is reserved to the store. */
#define NAME(s) MEM_STR_INIT(s)
static const struct event_field {
	struct mem_str name;
	event_field_fn *fn;
} known[] = {
	{ NAME("content"), read_event_content }, { NAME("role"), read_event_role }, { NAME("speaker"), read_event_speaker },
	{ NAME("listener"), read_event_listener }, { NAME("session_id"), read_event_session },
	{ NAME("captured_at"), read_event_captured_at }, { NAME("expires_at"), read_event_expires_at },
	{ NAME("trust"), read_event_trust }, { NAME("ns"), read_event_ns }, { NAME("supersedes"), read_event_supersedes },
	{ NAME("ref"), read_event_ref }, { NAME("id"), read_event_id }, { NAME("tags"), read_event_tags },
	{ NAME("model_family"), read_event_model_family }, { NAME("model_version"), read_event_model_version },
	{ NAME("request_id"), read_event_request_id },
	{ NAME("kind"), NULL }, { NAME("status"), NULL }, { NAME("version"), NULL }, { NAME("origin"), NULL },
	{ NAME("created_at"), NULL }, { NAME("expired_at"), NULL }, { NAME("importance"), NULL },
	{ NAME("pinned"), NULL }, { NAME("access_count"), NULL }, { NAME("last_access"), NULL },
	{ NAME("signals"), NULL }, { NAME("rank"), NULL }, { NAME("score"), NULL },
};

static const struct event_field *
find_event_field(struct capture_run *c, const struct mem_field *f)
{
	struct mem_str name = f->key;
	if (f->key_escaped)
		name = decode_string(c, (struct mem_json){ { f->key.p - 1, f->key.n + 2 }, MEM_JSON_STRING, true });
	for (size_t i = 0; i < MEM_COUNT(known); i++)
		if (mem_str_eq(name, known[i].name))
			return &known[i];
	return NULL;
}

static void
refuse_event(struct event *e, const char *reason, size_t offset)
{
	e->refused = reason;
	e->offset = offset;
}

/* Where in the line, of which c->rec has not been rewritten yet. */
static size_t
offset_in_line(const struct capture_run *c, const char *p)
{
	return (size_t)(p - c->line.p);
}

/* Steps that need no cleaning: reserved names, and roles that are never captured. */
static bool
check_event_shape(struct capture_run *c, struct event *e)
{
	const struct mem_field *role = mem_rec_find(&c->rec, "role");
	if (role != NULL && (mem_json_is(role->value, "system") || mem_json_is(role->value, "developer"))) {
		refuse_event(e, "system_role", offset_in_line(c, role->value.raw.p));
		return false;
	}
	for (size_t i = 0; i < c->rec.nfields; i++) {
		const struct event_field *k = find_event_field(c, &c->rec.fields[i]);
		if (k != NULL && k->fn == NULL) {
			refuse_event(e, "reserved_field", offset_in_line(c, c->rec.fields[i].key.p - 1));
			return false;
		}
	}
	return true;
}

/* null and the empty string count as not there. */
static bool
is_empty_value(struct mem_json v)
{
	return !mem_json_there(v) || v.type == MEM_JSON_NULL || mem_json_is(v, "");
}

/* The content's text before anything is cleaned: what max_bytes is about. */
static void
join_original_text(struct capture_run *c, struct event *e, struct mem_buf *out)
{
	struct mem_json v = mem_rec_value(&c->rec, "content");
	if (v.type == MEM_JSON_STRING)
		mem_json_decode(out, v);
	if (v.type != MEM_JSON_ARRAY)
		return;
	for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);) {
		struct mem_json text = it.value.type == MEM_JSON_OBJECT ? mem_json_member(it.value, "text") : it.value;
		if (text.type != MEM_JSON_STRING || !mem_json_there(text)) {
			e->parts_left_out++; /* a picture, a file: not text */
			continue;
		}
		if (out->len > 0 && !is_empty_value(text))
			mem_buf_puts(out, "\n\n");
		mem_json_decode(out, text);
	}
}

/*
 * Parts become the one string that is kept before it is cleaned: what is split between
 * two of them, a secret or an order, is whole again in it.
 */
static void
join_content_parts(struct capture_run *c, struct mem_str text)
{
	struct mem_err err;
	struct mem_buf raw = { 0 }, line = { 0 };
	if (mem_rec_value(&c->rec, "content").type != MEM_JSON_ARRAY)
		return;
	mem_json_put_string(&raw, text);
	mem_rec_edit(&line, &c->rec, &(struct mem_edit){ "content", mem_buf_span(&raw) }, 1);
	/* As with the defaults, this cannot break the record. */
	enum mem_status st = mem_rec_scan(&c->rec, mem_arena_str(mem_writer_arena(c->writer), mem_buf_span(&line)), &err);
	(void)st;
	mem_buf_release(&raw);
	mem_buf_release(&line);
}

/*
 * The offset in the line as it came of a field that was found faulty once cleaned; 0 when it does
 * not stand there.  Reads the line anew, since joining parts moved what is behind them.
 */
static size_t
find_field_offset(struct capture_run *c, struct mem_str key)
{
	struct mem_err err;
	if (mem_rec_scan(&c->rec, c->line, &err) != MEM_OK)
		return 0;
	for (size_t i = 0; i < c->rec.nfields; i++)
		if (mem_str_eq(c->rec.fields[i].key, key))
			return (size_t)(c->rec.fields[i].value.raw.p - c->line.p);
	return 0;
}

static bool
read_event_fields(struct capture_run *c, struct event *e)
{
	const struct mem_rec *rec = c->cleaned.rec;
	mem_buf_reset(&c->text);
	for (size_t i = 0; i < rec->nfields; i++) {
		const struct mem_field *f = &rec->fields[i];
		const struct event_field *k = find_event_field(c, f);
		if (k == NULL) {
			mem_clean_object_keep(&e->extra, &c->cleaned, f);
			continue;
		}
		if (is_empty_value(f->value))
			continue;
		/* A key that only cleaning turned into a reserved one has no function. */
		const char *reason = k->fn != NULL ? k->fn(c, e, f->value) : "reserved_field";
		if (reason != NULL) {
			refuse_event(e, reason, find_field_offset(c, f->key));
			return false;
		}
	}
	if (mem_clean_there(e->id) && mem_clean_there(e->ref)) {
		refuse_event(e, "reserved_field", 0);
		return false;
	}
	if (mem_clean_there(e->id))
		e->ref = e->id;
	return true;
}

bool
capture_text_blank(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr(" \t\r\n\v\f", s.p[i]) == NULL)
			return false;
	return true;
}

/* Is there a text worth keeping? */
static bool
check_event_text(struct capture_run *c, struct event *e, struct mem_str original)
{
	struct mem_str text = mem_buf_span(&c->text);
	bool cut = mem_flags_cut(e->in.found.flags, e->in.found.nflags);
	if (cut && mem_clean_residue(original, text))
		refuse_event(e, "residue", 0);
	else if (capture_text_blank(text))
		refuse_event(e, cut || e->in.found.nredactions > 0 ? "residue" : "empty", 0);
	return e->refused == NULL;
}

/* ---- the episode -------------------------------------------------------- */

/* A count of ours, under a name that the event has not used. */
static void
put_parts_left_out(struct capture_run *c, struct event *e)
{
	char name[40] = "parts_left_out";
	for (unsigned n = 2; mem_rec_find(c->cleaned.rec, name) != NULL; n++)
		snprintf(name, sizeof name, "parts_left_out~%u", n);
	mem_clean_object_put(&e->extra, name, mem_clean_int(mem_writer_arena(c->writer), e->parts_left_out));
}

/* Absent where the event says nothing of where it comes from: then the writer's own serves. */
static struct mem_clean_text
make_event_origin(struct capture_run *c, const struct event *e)
{
	struct mem_arena *a = mem_writer_arena(c->writer);
	struct mem_clean_object o = { 0 };
	if (!mem_clean_there(e->model_family) && !mem_clean_there(e->model_version) && !mem_clean_there(e->request_id) &&
	    !mem_clean_there(e->signature))
		return mem_clean_absent();
	mem_clean_object_put(&o, "agent", mem_clean_word(a, mem_str(mem_store_principal(mem_writer_store(c->writer))->agent)));
	mem_clean_object_put(&o, "via", mem_clean_word(a, MEM_STR("mem-capture")));
	mem_clean_object_put(&o, "model_family", mem_clean_or_null(e->model_family));
	mem_clean_object_put(&o, "model_version", mem_clean_or_null(e->model_version));
	mem_clean_object_put(&o, "signature", mem_clean_or_null(e->signature));
	if (mem_clean_there(e->request_id))
		mem_clean_object_put(&o, "request_id", e->request_id);
	return mem_clean_object_end(&o, a);
}

static void
queue_episode(struct capture_run *c, struct event *e)
{
	struct mem_arena *a = mem_writer_arena(c->writer);
	if (e->parts_left_out > 0)
		put_parts_left_out(c, e);
	if (e->in.ns.n == 0)
		e->in.ns = c->ns;
	const struct mem_clean_field fields[] = {
		{ "role", mem_clean_word(a, mem_str(mem_role_name(e->role))) },
		{ "speaker", mem_clean_or_null(e->speaker) },
		{ "listener", e->listener },
		{ "session_id", mem_clean_or_null(e->session) },
		{ "captured_at", mem_clean_time(a, e->captured_at) },
		{ "expires_at", e->expires_at != MEM_TIME_NONE ? mem_clean_time(a, e->expires_at) : mem_clean_absent() },
		{ "content", e->content },
		{ "ref", mem_clean_or_null(e->ref) },
		{ "tags", mem_clean_there(e->tags) ? e->tags : mem_clean_empty_list() },
		{ "supersedes", e->has_supersedes ? mem_clean_id(a, &e->supersedes) : mem_clean_absent() },
	};
	const struct mem_clean_field extra = { "extra", e->extra.n > 0 ? mem_clean_object_end(&e->extra, a) : mem_clean_absent() };
	const struct mem_write_node node = {
		.kind = MEM_KIND_EPISODE, .fields = fields, .nfields = MEM_COUNT(fields), .last = &extra, .nlast = 1,
		.memory = { .importance = 0.5, .trust = e->trust }, .origin = make_event_origin(c, e),
		.supersedes = e->has_supersedes ? &e->supersedes : NULL, .supersedes_reason = "writer_hint",
		.audit.word = "capture",
	};
	mem_write_add(c->writer, &e->in, &node);
}

enum mem_status
capture_decide_node(struct mem_txn *t, struct mem_writer *w, void *ctx, const struct mem_node_keys *d, struct mem_receipt *r,
    struct mem_err *err)
{
	struct mem_node there;
	(void)w, (void)ctx;
	enum mem_status st = mem_node_duplicate(t, d, &there, err);
	if (st == MEM_NOTFOUND)
		st = mem_node_copied(t, d, &there, err);
	if (st == MEM_OK) {
		r->verdict = MEM_DUPLICATE;
		r->has_id = true;
		r->id = there.attr->id;
	}
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* ---- all of it ---------------------------------------------------------- */

/* What the command line says for events that do not. */
static void
apply_event_defaults(struct capture_run *c)
{
	const struct mem_capture_options *o = c->options;
	struct mem_arena *arena = mem_writer_arena(c->writer);
	struct mem_edit edits[4];
	size_t n = 0;
	struct mem_buf raw = { 0 }, line = { 0 };
	const struct { const char *name, *value; } plain[] = {
		{ "session_id", o->session }, { "speaker", o->speaker }, { "role", o->role },
	};
	for (size_t i = 0; i < MEM_COUNT(plain); i++) {
		if (plain[i].value == NULL || !is_empty_value(mem_rec_value(&c->rec, plain[i].name)))
			continue;
		mem_buf_reset(&raw);
		mem_json_put_string(&raw, mem_str(plain[i].value));
		edits[n++] = (struct mem_edit){ plain[i].name, mem_arena_str(arena, mem_buf_span(&raw)) };
	}
	if (o->ntags > 0 && is_empty_value(mem_rec_value(&c->rec, "tags"))) {
		mem_buf_reset(&raw);
		for (size_t i = 0; i < o->ntags; i++) {
			mem_buf_putc(&raw, i == 0 ? '[' : ',');
			mem_json_put_string(&raw, mem_str(o->tags[i]));
		}
		mem_buf_putc(&raw, ']');
		edits[n++] = (struct mem_edit){ "tags", mem_arena_str(arena, mem_buf_span(&raw)) };
	}
	if (n > 0) {
		struct mem_err err;
		mem_rec_edit(&line, &c->rec, edits, n);
		/* Splicing checked values into a checked record cannot break it. */
		enum mem_status st = mem_rec_scan(&c->rec, mem_arena_str(arena, mem_buf_span(&line)), &err);
		(void)st;
	}
	mem_buf_release(&raw);
	mem_buf_release(&line);
}

/* False: it is refused. */
static bool
clean_event(struct capture_run *c, struct event *e, struct mem_str original)
{
	struct mem_err err = { 0 };
	if (original.n > (size_t)c->max_bytes) {
		refuse_event(e, "too_long", 0);
		return false;
	}
	if (mem_write_clean(c->writer, &c->cleaned, &c->rec, &e->in.found, &err) != MEM_OK) {
		refuse_event(e, err.reason != NULL ? err.reason : "budget", 0);
		return false;
	}
	return read_event_fields(c, e) && check_event_text(c, e, original);
}

static void
read_event(struct capture_run *c, struct event *e)
{
	struct mem_err err = { 0 };
	/* U+0000 is JSON, but nothing that is kept may hold it. */
	if (mem_rec_scan(&c->rec, c->line, &err) != MEM_OK || mem_rec_refuse_nul(&c->rec, &err) != MEM_OK) {
		refuse_event(e, err.reason, err.offset);
		return;
	}
	if (!check_event_shape(c, e))
		return;
	struct mem_buf original = { 0 };
	apply_event_defaults(c);
	join_original_text(c, e, &original);
	join_content_parts(c, mem_buf_span(&original));
	const char *refused = capture_check_signature(c, mem_buf_span(&original), &e->signature, &e->in.refusal);
	if (refused != NULL)
		refuse_event(e, refused, 0);
	else if (clean_event(c, e, mem_buf_span(&original)))
		queue_episode(c, e);
	mem_buf_release(&original);
}

/* Queues the refusal, if it is one. */
static void
end_event(struct capture_run *c, struct event *e)
{
	if (e->refused != NULL)
		mem_write_refuse(c->writer, &e->in, e->refused, e->offset);
	mem_clean_object_release(&e->extra);
}

static struct event
make_event(const struct capture_run *c, uint64_t number, size_t bytes)
{
	return (struct event){
		.in = { .line = number, .bytes = bytes }, .captured_at = mem_store_now(mem_writer_store(c->writer)),
		.expires_at = MEM_TIME_NONE, .trust = c->trust, .role = MEM_ROLE_USER,
	};
}

void
capture_queue_event(struct capture_run *c, uint64_t number, struct mem_str line)
{
	struct event e = make_event(c, number, line.n);
	c->line = line;
	read_event(c, &e);
	end_event(c, &e);
}

void
capture_queue_text(struct capture_run *c, uint64_t number, struct mem_str text)
{
	struct event e = make_event(c, number, text.n);
	struct mem_buf event = { 0 };
	size_t valid = mem_utf8_valid(text.p, text.n);
	const char *nul = text.n > 0 ? memchr(text.p, '\0', text.n) : NULL;
	if (nul != NULL && (size_t)(nul - text.p) < valid)
		refuse_event(&e, "nul", (size_t)(nul - text.p));
	else if (valid < text.n)
		refuse_event(&e, "bad_utf8", valid);
	else if (text.n > (size_t)c->max_bytes)
		refuse_event(&e, "too_long", (size_t)c->max_bytes);
	if (e.refused == NULL) {
		mem_buf_putc(&event, '{');
		mem_json_put_field(&event, "content", text);
		mem_buf_putc(&event, '}');
		c->line = mem_buf_span(&event);
		read_event(c, &e);
		e.offset = 0; /* of the JSON around the text, which nobody wrote */
	}
	end_event(c, &e);
	mem_buf_release(&event);
}
