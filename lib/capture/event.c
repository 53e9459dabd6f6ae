/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_int.h"
#include "store/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An event's fields, as JSON in the cleaned line; a raw of length 0 is not there. */
struct event {
	struct mem_str content, role, speaker, listener, session, ref, tags; /* raw */
	struct mem_str id;                   /* raw; becomes the ref */
	int64_t captured_at, expires_at;
	double trust;
	struct mem_buf extra;                /* members, with commas between */
	int64_t parts_left_out;
	enum mem_role role_value;
};

/* A fault in one field: its reason, or NULL. */
typedef const char *field_fn(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v);

static const char *
field_content(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)item;
	e->content = v.raw;
	return v.type == MEM_JSON_STRING && mem_json_decode(&c->text, v) ? NULL : "bad_value";
}

static const char *
field_role(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)item;
	mem_buf_reset(&c->scratch);
	if (!mem_json_decode(&c->scratch, v))
		return "bad_value";
	e->role_value = mem_role_parse(mem_buf_span(&c->scratch));
	if (e->role_value == MEM_ROLE_NONE)
		return "bad_value";
	e->role = v.raw;
	return NULL;
}

/* A string; an empty one counts as not there. */
static const char *
take_string(struct mem_str *to, struct mem_json v)
{
	if (v.type != MEM_JSON_STRING)
		return "bad_value";
	if (v.raw.n > 2)
		*to = v.raw;
	return NULL;
}

static const char *
field_speaker(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)c, (void)item;
	return take_string(&e->speaker, v);
}

static const char *
field_listener(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)c, (void)item;
	return take_string(&e->listener, v);
}

static const char *
field_session(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)c, (void)item;
	return take_string(&e->session, v);
}

static const char *
field_ref(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)c, (void)item;
	return take_string(&e->ref, v);
}

/* A foreign id is the caller's own name for the thing; a number keeps its digits. */
static const char *
field_id(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)item;
	if (v.type != MEM_JSON_NUMBER)
		return take_string(&e->id, v);
	e->id = mem_str(mem_arena_printf(&c->arena, "\"%.*s\"", (int)v.raw.n, v.raw.p));
	return NULL;
}

static const char *
take_time(struct capture *c, int64_t *to, struct mem_json v)
{
	mem_buf_reset(&c->scratch);
	return mem_json_decode(&c->scratch, v) && mem_time_parse(mem_buf_span(&c->scratch), to) ? NULL : "bad_time";
}

static const char *
field_captured_at(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)item;
	return take_time(c, &e->captured_at, v);
}

static const char *
field_expires_at(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)item;
	return take_time(c, &e->expires_at, v);
}

static const char *
field_trust(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	double d;
	(void)item;
	if (!mem_json_num(v, &d) || d < 0 || d > 1)
		return "bad_value";
	e->trust = d < c->trust_max ? d : c->trust_max;
	return NULL;
}

static const char *
field_ns(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)e;
	if (v.type != MEM_JSON_STRING)
		return "bad_value";
	item->receipt.ns = mem_json_text(&c->arena, v);
	return NULL;
}

static const char *
field_supersedes(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)e;
	if (v.type != MEM_JSON_STRING)
		return "bad_value";
	item->has_supersedes = true;
	if (!mem_id_parse(mem_json_text(&c->arena, v), &item->supersedes))
		return "supersedes_not_found";
	return NULL;
}

static const char *
field_tags(struct capture *c, struct capture_item *item, struct event *e, struct mem_json v)
{
	(void)c, (void)item;
	if (v.type != MEM_JSON_ARRAY)
		return "bad_value";
	for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
		if (it.value.type != MEM_JSON_STRING)
			return "bad_value";
	e->tags = v.raw;
	return NULL;
}

/* What an event may say.  A field without a function is reserved to the store. */
static const struct known {
	const char *name;
	field_fn *fn;
} known[] = {
	{ "content", field_content }, { "role", field_role }, { "speaker", field_speaker },
	{ "listener", field_listener }, { "session_id", field_session },
	{ "captured_at", field_captured_at }, { "expires_at", field_expires_at },
	{ "trust", field_trust }, { "ns", field_ns }, { "supersedes", field_supersedes },
	{ "ref", field_ref }, { "id", field_id }, { "tags", field_tags },
	{ "kind", NULL }, { "status", NULL }, { "version", NULL }, { "origin", NULL },
	{ "created_at", NULL }, { "expired_at", NULL }, { "importance", NULL },
	{ "pinned", NULL }, { "access_count", NULL }, { "last_access", NULL },
	{ "signals", NULL }, { "rank", NULL }, { "score", NULL },
};

static const struct known *
known_find(struct capture *c, const struct mem_field *f)
{
	struct mem_str name = f->key;
	if (f->key_escaped) {
		struct mem_json key = { { f->key.p - 1, f->key.n + 2 }, MEM_JSON_STRING, true };
		name = mem_json_text(&c->arena, key);
	}
	for (size_t i = 0; i < MEM_COUNT(known); i++)
		if (mem_str_is(name, known[i].name))
			return &known[i];
	return NULL;
}

static void
refuse(struct capture_item *item, const char *reason, size_t offset)
{
	item->refused = reason;
	item->receipt.offset = offset;
}

/* Where in the line, of which c->rec has not been rewritten yet. */
static size_t
offset_of(const struct capture *c, const char *p)
{
	return (size_t)(p - c->line.p);
}

/* Steps that need no cleaning: reserved names, and roles that are never captured. */
static bool
check_shape(struct capture *c, struct capture_item *item)
{
	const struct mem_field *role = mem_rec_find(&c->rec, "role");
	if (role != NULL && (mem_json_is(role->value, "system") || mem_json_is(role->value, "developer"))) {
		refuse(item, "system_role", offset_of(c, role->value.raw.p));
		return false;
	}
	for (size_t i = 0; i < c->rec.nfields; i++) {
		const struct known *k = known_find(c, &c->rec.fields[i]);
		if (k != NULL && k->fn == NULL) {
			refuse(item, "reserved_field", offset_of(c, c->rec.fields[i].key.p - 1));
			return false;
		}
	}
	return true;
}

/* The content's text before anything is cleaned: what max_bytes is about. */
static void
original_text(struct capture *c, struct event *e, struct mem_buf *out)
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
		if (out->len > 0)
			mem_buf_puts(out, "\n\n");
		mem_json_decode(out, text);
	}
}

/*
 * Parts become the one string that is kept before it is cleaned: what is split between
 * two of them, a secret or an order, is whole again in it.
 */
static void
join_parts(struct capture *c, struct mem_str text)
{
	struct mem_err err;
	struct mem_buf raw = { 0 }, line = { 0 };
	if (mem_rec_value(&c->rec, "content").type != MEM_JSON_ARRAY)
		return;
	mem_json_put_string(&raw, text);
	mem_rec_edit(&line, &c->rec, &(struct mem_edit){ "content", mem_buf_span(&raw) }, 1);
	/* As with the defaults, this cannot break the record. */
	enum mem_status st = mem_rec_scan(&c->rec, mem_arena_str(&c->arena, mem_buf_span(&line)), &err);
	(void)st;
	mem_buf_release(&raw);
	mem_buf_release(&line);
}

/* Every string of the line through the sanitiser; the result is scanned into c->cleaned. */
static bool
clean_line(struct capture *c, struct capture_item *item)
{
	struct mem_err err = { 0 };
	struct mem_buf out = { 0 };
	struct mem_json whole = { c->rec.text, MEM_JSON_OBJECT, false };
	mem_findings_begin(&c->findings, c->clean, c->rec.text.n);
	enum mem_status st = mem_json_map(&out, whole, mem_clean_string, &c->findings, &err);
	if (st == MEM_OK) {
		struct mem_str text = mem_arena_str(&c->arena, mem_buf_span(&out));
		st = mem_rec_scan(&c->cleaned, text, &err);
	}
	mem_buf_release(&out);
	if (st != MEM_OK) {
		refuse(item, err.reason != NULL ? err.reason : "budget", 0);
		return false;
	}
	return true;
}

/* Findings outlive the input only in the batch's arena. */
static void
keep_findings(struct capture *c, struct mem_receipt *receipt)
{
	const struct mem_findings *f = &c->findings;
	struct mem_redaction *redactions = mem_arena_alloc(&c->arena, f->nredactions * sizeof *redactions);
	struct mem_flag *flags = mem_arena_alloc(&c->arena, f->nflags * sizeof *flags);
	for (size_t i = 0; i < f->nredactions; i++) {
		redactions[i] = f->redactions[i];
		redactions[i].field = mem_arena_str(&c->arena, f->redactions[i].field);
		redactions[i].kind = mem_arena_str(&c->arena, f->redactions[i].kind);
	}
	for (size_t i = 0; i < f->nflags; i++) {
		flags[i] = f->flags[i];
		flags[i].field = mem_arena_str(&c->arena, f->flags[i].field);
		flags[i].marker = mem_arena_str(&c->arena, f->flags[i].marker);
	}
	receipt->redactions = redactions;
	receipt->nredactions = f->nredactions;
	receipt->flags = flags;
	receipt->nflags = f->nflags;
}

static void
add_extra(struct event *e, const struct mem_field *f)
{
	if (e->extra.len > 0)
		mem_buf_putc(&e->extra, ',');
	mem_buf_put(&e->extra, f->key.p - 1, f->key.n + 2);
	mem_buf_putc(&e->extra, ':');
	mem_buf_str(&e->extra, f->value.raw);
}

/*
 * The offset in the line as it came of a field that was found faulty once cleaned; 0 when it does
 * not stand there.  Reads the line anew, since joining parts moved what is behind them.
 */
static size_t
field_offset(struct capture *c, const struct mem_field *f)
{
	struct mem_err err;
	if (mem_rec_scan(&c->rec, c->line, &err) != MEM_OK)
		return 0;
	for (size_t i = 0; i < c->rec.nfields; i++)
		if (mem_str_eq(c->rec.fields[i].key, f->key))
			return (size_t)(c->rec.fields[i].value.raw.p - c->line.p);
	return 0;
}

static bool
read_fields(struct capture *c, struct capture_item *item, struct event *e)
{
	mem_buf_reset(&c->text);
	for (size_t i = 0; i < c->cleaned.nfields; i++) {
		const struct mem_field *f = &c->cleaned.fields[i];
		const struct known *k = known_find(c, f);
		if (k == NULL) {
			add_extra(e, f);
			continue;
		}
		if (f->value.type == MEM_JSON_NULL)
			continue;
		/* A key that only cleaning turned into a reserved one has no function. */
		const char *reason = k->fn != NULL ? k->fn(c, item, e, f->value) : "reserved_field";
		if (reason != NULL) {
			refuse(item, reason, field_offset(c, f));
			return false;
		}
	}
	if (e->id.n > 0 && e->ref.n > 0) {
		refuse(item, "reserved_field", 0);
		return false;
	}
	if (e->id.n > 0)
		e->ref = e->id;
	return true;
}

static bool
is_blank(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr(" \t\r\n\v\f", s.p[i]) == NULL)
			return false;
	return true;
}

/* Is there a text worth keeping, in a place where the caller may put it? */
static bool
check_policy(struct capture *c, struct capture_item *item, struct mem_str original)
{
	struct mem_str text = mem_buf_span(&c->text);
	if (item->receipt.nflags > 0 && mem_clean_residue(original, text))
		refuse(item, "residue", 0);
	else if (is_blank(text))
		refuse(item, item->receipt.nflags > 0 ? "residue" : "empty", 0);
	if (item->refused != NULL)
		return false;
	if (item->receipt.ns.n == 0)
		item->receipt.ns = c->ns;
	struct mem_ask ask = { .access = MEM_WRITE, .ns = item->receipt.ns };
	if (!mem_ns_valid(item->receipt.ns) || !mem_store_allows(c->memory.store, &ask)) {
		refuse(item, "namespace_denied", 0);
		return false;
	}
	return true;
}

static void
put_or_null(struct mem_buf *out, const char *name, struct mem_str raw)
{
	mem_json_put_raw(out, name, raw.n > 0 ? raw : MEM_STR("null"));
}

static void
put_origin(struct capture *c, struct mem_buf *out)
{
	struct mem_buf o = { 0 };
	mem_buf_putc(&o, '{');
	mem_json_put_field(&o, "agent", mem_str(mem_store_principal(c->memory.store)->agent));
	mem_json_put_field(&o, "via", MEM_STR("mem-capture"));
	put_or_null(&o, "model_family", MEM_STR(""));
	put_or_null(&o, "model_version", MEM_STR(""));
	put_or_null(&o, "signature", MEM_STR(""));
	mem_buf_putc(&o, '}');
	mem_json_put_raw(out, "origin", mem_buf_span(&o));
	mem_buf_release(&o);
}

/* A count of ours, under a name that the event has not used. */
static void
put_left_out(struct capture *c, struct event *e)
{
	char name[40] = "parts_left_out";
	for (unsigned n = 2; mem_rec_find(&c->cleaned, name) != NULL; n++)
		snprintf(name, sizeof name, "parts_left_out~%u", n);
	if (e->extra.len > 0)
		mem_buf_putc(&e->extra, ',');
	mem_buf_printf(&e->extra, "\"%s\":%lld", name, (long long)e->parts_left_out);
}

static void
put_extra(struct capture *c, struct mem_buf *out, struct event *e)
{
	if (e->parts_left_out > 0)
		put_left_out(c, e);
	if (e->extra.len == 0)
		return;
	mem_json_put_key(out, "extra");
	mem_buf_putc(out, '{');
	mem_buf_str(out, mem_buf_span(&e->extra));
	mem_buf_putc(out, '}');
}

/* The episode's text; the id and created_at are placeholders until it is numbered. */
static void
build_node(struct capture *c, struct capture_item *item, struct event *e)
{
	static const char no_id[] = "00000000-0000-0000-0000-000000000000";
	struct mem_buf *n = &c->node;
	mem_buf_reset(n);
	mem_buf_putc(n, '{');
	mem_json_put_field(n, "id", mem_str(no_id));
	mem_json_put_field(n, "kind", MEM_STR("episode"));
	mem_json_put_field(n, "ns", item->receipt.ns);
	mem_json_put_time(n, "created_at", 0);
	mem_json_put_int(n, "version", 1);
	mem_json_put_field(n, "status", MEM_STR("active"));
	mem_json_put_field(n, "role", mem_str(mem_role_name(e->role_value)));
	put_or_null(n, "speaker", e->speaker);
	if (e->listener.n > 0)
		mem_json_put_raw(n, "listener", e->listener);
	put_or_null(n, "session_id", e->session);
	mem_json_put_time(n, "captured_at", e->captured_at);
	if (e->expires_at != MEM_TIME_NONE)
		mem_json_put_time(n, "expires_at", e->expires_at);
	mem_json_put_raw(n, "content", e->content);
	put_or_null(n, "ref", e->ref);
	mem_json_put_raw(n, "tags", e->tags.n > 0 ? e->tags : MEM_STR("[]"));
	if (item->has_supersedes) {
		char id[MEM_ID_LEN + 1];
		mem_id_format(&item->supersedes, id);
		mem_json_put_field(n, "supersedes", mem_str(id));
	}
	put_or_null(n, "type", MEM_STR(""));
	mem_json_put_num(n, "importance", 0.5);
	mem_json_put_num(n, "trust", e->trust);
	put_or_null(n, "confidence", MEM_STR(""));
	put_or_null(n, "last_access", MEM_STR(""));
	mem_json_put_int(n, "access_count", 0);
	mem_json_put_raw(n, "pinned", MEM_STR("false"));
	put_origin(c, n);
	mem_receipt_put_findings(n, &item->receipt, false);
	put_extra(c, n, e);
	mem_buf_putc(n, '}');
}

/* What the command line says for events that do not. */
static void
apply_defaults(struct capture *c)
{
	const struct mem_capture_ask *a = c->ask;
	struct mem_edit edits[4];
	size_t n = 0;
	struct mem_buf raw = { 0 }, line = { 0 };
	const struct { const char *name, *value; } plain[] = {
		{ "session_id", a->session }, { "speaker", a->speaker }, { "role", a->role },
	};
	for (size_t i = 0; i < MEM_COUNT(plain); i++) {
		if (plain[i].value == NULL || mem_rec_find(&c->rec, plain[i].name) != NULL)
			continue;
		mem_buf_reset(&raw);
		mem_json_put_string(&raw, mem_str(plain[i].value));
		edits[n++] = (struct mem_edit){ plain[i].name, mem_arena_str(&c->arena, mem_buf_span(&raw)) };
	}
	if (a->ntags > 0 && mem_rec_find(&c->rec, "tags") == NULL) {
		mem_buf_reset(&raw);
		for (size_t i = 0; i < a->ntags; i++) {
			mem_buf_putc(&raw, i == 0 ? '[' : ',');
			mem_json_put_string(&raw, mem_str(a->tags[i]));
		}
		mem_buf_putc(&raw, ']');
		edits[n++] = (struct mem_edit){ "tags", mem_arena_str(&c->arena, mem_buf_span(&raw)) };
	}
	if (n > 0) {
		struct mem_err err;
		mem_rec_edit(&line, &c->rec, edits, n);
		/* Splicing checked values into a checked record cannot break it. */
		enum mem_status st = mem_rec_scan(&c->rec, mem_arena_str(&c->arena, mem_buf_span(&line)), &err);
		(void)st;
	}
	mem_buf_release(&raw);
	mem_buf_release(&line);
}

static void
take_event(struct capture *c, struct capture_item *item, struct event *e)
{
	struct mem_buf original = { 0 };
	struct mem_err err = { 0 };
	apply_defaults(c);
	original_text(c, e, &original);
	join_parts(c, mem_buf_span(&original));
	if (original.len > (size_t)c->max_bytes)
		refuse(item, "too_long", 0);
	else if (clean_line(c, item)) {
		keep_findings(c, &item->receipt);
		if (read_fields(c, item, e) && check_policy(c, item, mem_buf_span(&original))) {
			build_node(c, item, e);
			struct mem_str node = mem_arena_str(&c->arena, mem_buf_span(&c->node));
			if (mem_entry_make(&item->entry, &c->memory, &c->arena, node, true, &err) != MEM_OK)
				refuse(item, err.reason != NULL ? err.reason : "bad_value", 0);
		}
	}
	mem_buf_release(&original);
}

void
capture_event(struct capture *c, struct capture_item *item, struct mem_str line)
{
	struct mem_err err = { 0 };
	struct event e = {
		.captured_at = mem_store_now(c->memory.store), .expires_at = MEM_TIME_NONE,
		.trust = c->trust, .role_value = MEM_ROLE_USER,
	};
	/* U+0000 is JSON, but nothing that is kept may hold it. */
	if (mem_rec_scan(&c->rec, line, &err) != MEM_OK || mem_rec_refuse_nul(&c->rec, &err) != MEM_OK) {
		refuse(item, err.reason, err.offset);
	} else {
		c->line = line;
		if (check_shape(c, item))
			take_event(c, item, &e);
	}
	mem_buf_release(&e.extra);
}

void
capture_text(struct capture *c, struct capture_item *item, struct mem_str text)
{
	size_t valid = mem_utf8_valid(text.p, text.n);
	const char *nul = text.n > 0 ? memchr(text.p, '\0', text.n) : NULL;
	if (nul != NULL && (size_t)(nul - text.p) < valid)
		refuse(item, "nul", (size_t)(nul - text.p));
	else if (valid < text.n)
		refuse(item, "bad_utf8", valid);
	else if (text.n > (size_t)c->max_bytes)
		refuse(item, "too_long", (size_t)c->max_bytes);
	if (item->refused != NULL)
		return;
	struct mem_buf event = { 0 };
	mem_buf_putc(&event, '{');
	mem_json_put_field(&event, "content", text);
	mem_buf_putc(&event, '}');
	capture_event(c, item, mem_arena_str(&c->arena, mem_buf_span(&event)));
	item->receipt.offset = 0; /* of the JSON around the text, which nobody wrote */
	mem_buf_release(&event);
}
