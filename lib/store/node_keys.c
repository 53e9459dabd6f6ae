/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is derived from a node's text: attributes and keys. */
#include <string.h>

#include "store/store_int.h"
#include "record/record.h"
#include "store/node.h"

enum node_field {
	F_ID, F_KIND, F_NS, F_CREATED_AT, F_CAPTURED_AT, F_EXPIRED_AT, F_EXPIRES_AT, F_VALID_FROM, F_VALID_TO,
	F_LAST_ACCESS, F_SUPERSEDED_AT, F_SESSION_ID, F_REF, F_ROLE, F_STATUS, F_ACCESS_COUNT, F_IMPORTANCE, F_TRUST, F_CONFIDENCE,
	F_PINNED, F_CONTENT, F_TYPE, F_NAME, F_VERSION, F_INJECTION_FLAGS, F_TAGS, F_ALIASES, F_TITLE, F_SLUG, F_PATH, F_SPEAKER, F_LISTENER,
	F_BLOCK_KIND, F_COUNT
};
#define NAME(s) MEM_STR_INIT(s)
static const struct mem_str field_names[F_COUNT] = {
	NAME("id"), NAME("kind"), NAME("ns"), NAME("created_at"), NAME("captured_at"), NAME("expired_at"),
	NAME("expires_at"), NAME("valid_from"), NAME("valid_to"), NAME("last_access"), NAME("superseded_at"), NAME("session_id"), NAME("ref"),
	NAME("role"), NAME("status"), NAME("access_count"), NAME("importance"), NAME("trust"), NAME("confidence"),
	NAME("pinned"), NAME("content"), NAME("type"), NAME("name"),
	NAME("version"), NAME("injection_flags"), NAME("tags"), NAME("aliases"),
	NAME("title"), NAME("slug"), NAME("path"), NAME("speaker"), NAME("listener"), NAME("block_kind"),
};

struct node_reader {
	const struct mem_store *s;
	const struct mem_rec *rec;
	struct mem_json v[F_COUNT];
	struct mem_arena arena; /* of strings that had escapes */
	enum mem_status st;
	struct mem_err *err;
};

static void
find_node_fields(struct node_reader *r)
{
	for (size_t i = 0; i < r->rec->nfields; i++) {
		const struct mem_field *f = &r->rec->fields[i];
		for (int k = 0; k < F_COUNT; k++)
			if (mem_str_eq(f->key, field_names[k]) && f->value.type != MEM_JSON_NULL)
				r->v[k] = f->value;
	}
}

static void
refuse_node_field(struct node_reader *r, enum node_field f, const char *reason, const char *want)
{
	if (r->st != MEM_OK)
		return;
	size_t at = mem_json_there(r->v[f]) ? (size_t)(r->v[f].raw.p - r->rec->text.p) : 0;
	r->st = mem_err_record(r->err, reason, at, "%s must be %s", field_names[f].p, want);
}

/* The characters of a string; empty when the field is not there. */
static struct mem_str
node_field_text(struct node_reader *r, enum node_field f)
{
	struct mem_json v = r->v[f];
	if (!mem_json_there(v))
		return (struct mem_str){ "", 0 };
	if (v.type != MEM_JSON_STRING) {
		refuse_node_field(r, f, "bad_value", "a string");
		return (struct mem_str){ "", 0 };
	}
	return v.escaped ? mem_json_text(&r->arena, v) : (struct mem_str){ v.raw.p + 1, v.raw.n - 2 };
}

static int64_t
node_field_time(struct node_reader *r, enum node_field f)
{
	int64_t ms = MEM_TIME_NONE;
	if (mem_json_there(r->v[f]) && !mem_time_parse(node_field_text(r, f), &ms))
		refuse_node_field(r, f, "bad_time", "a time (RFC 3339)");
	return ms;
}

/* From 0 to 1: importance and its like. */
static float
node_field_share(struct node_reader *r, enum node_field f)
{
	double d = 0;
	if (mem_json_there(r->v[f]) && (!mem_json_num(r->v[f], &d) || !(d >= 0 && d <= 1)))
		refuse_node_field(r, f, "bad_value", "a number from 0 to 1");
	return (float)d;
}

static enum mem_node_status
node_field_status(struct node_reader *r)
{
	enum mem_node_status status = MEM_STATUS_ACTIVE;
	if (mem_json_there(r->v[F_STATUS]) && !mem_node_status_parse(node_field_text(r, F_STATUS), &status))
		refuse_node_field(r, F_STATUS, "bad_value", "a status of mem-records(5)");
	return status;
}

/* Is it there, and a list of strings?  Another value is refused. */
static bool
check_string_list(struct node_reader *r, enum node_field f)
{
	struct mem_json v = r->v[f];
	if (!mem_json_there(v))
		return false;
	bool strings = v.type == MEM_JSON_ARRAY;
	for (struct mem_json_iter it = mem_json_each(v); strings && mem_json_next(&it);)
		strings = it.value.type == MEM_JSON_STRING;
	if (!strings)
		refuse_node_field(r, f, "bad_value", "a list of strings");
	return strings;
}

/* The inside of a string of exactly n characters, to be written over. */
static char *
find_placeholder(struct node_reader *r, enum node_field f, size_t n)
{
	struct mem_json v = r->v[f];
	if (v.type == MEM_JSON_STRING && v.raw.n == n + 2)
		return (char *)(uintptr_t)(v.raw.p + 1);
	r->st = mem_err_set(r->err, MEM_FAIL, "a new node's %s has no room of %zu characters", field_names[f].p, n);
	return NULL;
}

static void
read_node_identity(struct mem_node_keys *d, struct node_reader *r, enum mem_node_fill fill)
{
	if (fill == MEM_FILL_ID_AND_TIME)
		d->fill_id = find_placeholder(r, F_ID, MEM_ID_LEN);
	else if (!mem_id_parse(node_field_text(r, F_ID), &d->attr.id))
		refuse_node_field(r, F_ID, "bad_value", "a UUID");
	if (fill != MEM_FILL_NOTHING) {
		d->fill_created = find_placeholder(r, F_CREATED_AT, MEM_TIME_LEN);
		d->attr.created_at = MEM_TIME_NONE;
	} else {
		d->attr.created_at = node_field_time(r, F_CREATED_AT);
		if (d->attr.created_at == MEM_TIME_NONE)
			refuse_node_field(r, F_CREATED_AT, "bad_time", "a time (RFC 3339)");
	}
	d->attr.kind = (uint16_t)mem_kind_parse(node_field_text(r, F_KIND));
	if (d->attr.kind == MEM_KIND_NONE)
		refuse_node_field(r, F_KIND, "bad_value", "a kind of node");
	d->ns = node_field_text(r, F_NS);
	if (!mem_ns_valid(d->ns) || r->v[F_NS].escaped)
		refuse_node_field(r, F_NS, "bad_value", "a namespace");
}

/* The one compartment that its kind may have and its text names. */
static void
read_node_compartment(struct mem_node_keys *d, struct node_reader *r)
{
	unsigned forms = mem_kind_info(d->attr.kind)->compartments;
	for (int i = 0; i < MEM_COMPARTMENT_COUNT && r->st == MEM_OK; i++) {
		const char *word = mem_compartment_word((enum mem_compartment)i);
		struct mem_json v = (forms >> i & 1) != 0 ? mem_rec_value(r->rec, word) : (struct mem_json){ 0 };
		if (!mem_json_there(v) || v.type == MEM_JSON_NULL)
			continue;
		size_t n = strlen(word);
		bool fits = v.type == MEM_JSON_STRING && v.raw.n >= 2 && n + 1 + v.raw.n - 2 < sizeof d->compartment;
		bool second = d->compartment[0] != '\0';
		if (fits && !second) {
			memcpy(d->compartment, word, n);
			d->compartment[n] = ':';
			memcpy(d->compartment + n + 1, v.raw.p + 1, v.raw.n - 2);
			fits = mem_compartment_valid(mem_str(d->compartment));
		}
		if (!fits || second)
			r->st = mem_err_record(r->err, "bad_value", (size_t)(v.raw.p - r->rec->text.p), "%s must be %s", word,
			    second ? "left out: a node is in one compartment" : "a slug or an id");
	}
}

static bool
is_list_with_elements(struct mem_json v)
{
	struct mem_json_iter it = mem_json_each(v);
	return mem_json_there(v) && v.type == MEM_JSON_ARRAY && mem_json_next(&it);
}

static void
read_node_attributes(struct mem_node_keys *d, struct node_reader *r)
{
	struct mem_attr *a = &d->attr;
	int64_t count = 0, version = 1;
	a->captured_at = node_field_time(r, F_CAPTURED_AT);
	d->has_captured = a->captured_at != MEM_TIME_NONE;
	if (!d->has_captured)
		a->captured_at = a->created_at;
	a->expired_at = node_field_time(r, F_EXPIRED_AT);
	a->expires_at = node_field_time(r, F_EXPIRES_AT);
	if (!mem_kind_info(a->kind)->expires)
		a->expires_at = MEM_TIME_NONE;
	a->valid_from = node_field_time(r, F_VALID_FROM);
	a->valid_to = node_field_time(r, F_VALID_TO);
	a->last_access = node_field_time(r, F_LAST_ACCESS);
	a->superseded_at = node_field_time(r, F_SUPERSEDED_AT);
	a->importance = node_field_share(r, F_IMPORTANCE);
	a->trust = node_field_share(r, F_TRUST);
	a->confidence = node_field_share(r, F_CONFIDENCE);
	if (mem_json_there(r->v[F_ACCESS_COUNT]) &&
	    (!mem_json_int(r->v[F_ACCESS_COUNT], &count) || count < 0 || count > UINT32_MAX))
		refuse_node_field(r, F_ACCESS_COUNT, "bad_value", "a count");
	a->access_count = (uint32_t)count;
	if (mem_json_there(r->v[F_VERSION]) && (!mem_json_int(r->v[F_VERSION], &version) || version < 1))
		refuse_node_field(r, F_VERSION, "bad_value", "a whole number from 1 on");
	a->role = (uint8_t)mem_role_parse(node_field_text(r, F_ROLE));
	a->status = (uint8_t)node_field_status(r);
	if (mem_json_there(r->v[F_PINNED]) && r->v[F_PINNED].type != MEM_JSON_TRUE && r->v[F_PINNED].type != MEM_JSON_FALSE)
		refuse_node_field(r, F_PINNED, "bad_value", "true or false");
	a->pinned = r->v[F_PINNED].type == MEM_JSON_TRUE && mem_json_there(r->v[F_PINNED]);
	a->type = (uint8_t)mem_memory_type_parse(node_field_text(r, F_TYPE));
	check_string_list(r, F_TAGS);
	a->flags = is_list_with_elements(r->v[F_INJECTION_FLAGS]) ? MEM_ATTR_FLAGGED : 0;
	for (size_t i = 0; i < MEM_ATTR_DAYS; i++)
		a->days[i] = MEM_DAY_SPAN_NONE;
	d->due = a->expired_at == MEM_TIME_NONE ? a->expires_at : MEM_TIME_NONE;
}

const struct mem_kind_info *
mem_node_kind_info(const struct mem_rec *node)
{
	struct mem_json v = mem_rec_value(node, field_names[F_KIND].p);
	struct mem_arena arena = { 0 };
	enum mem_kind k = MEM_KIND_NONE;
	if (mem_json_there(v) && v.type == MEM_JSON_STRING)
		k = mem_kind_parse(v.escaped ? mem_json_text(&arena, v) : (struct mem_str){ v.raw.p + 1, v.raw.n - 2 });
	mem_arena_release(&arena);
	return mem_kind_info(k);
}

/* ---- keys -------------------------------------------------------------- */

uint32_t
mem_session_number(const struct mem_store *s, struct mem_str session_id)
{
	uint32_t low = (uint32_t)mem_hash64(s->secret, session_id);
	return low != 0 ? low : 1;
}

uint64_t
store_session_hash(const struct mem_store *s, struct mem_str session_id)
{
	uint64_t h = mem_hash64(s->secret, session_id);
	return h != 0 ? h : 1;
}

uint16_t
store_ref_key(const struct mem_store *s, struct mem_str ref, uint8_t key[MEM_REF_KEY_MAX])
{
	size_t n = ref.n < MEM_REF_PREFIX ? ref.n : MEM_REF_PREFIX;
	memcpy(key, ref.p, n);
	mem_be64(key + n, mem_hash64(s->secret, ref));
	return (uint16_t)(n + 8);
}

/* Name and aliases under the node's type, the others each under one of its own; of a core block its kind, so that the blocks of a
 * namespace are found without a look at anything else, and of a learning its text. */
static void
derive_name_keys(struct mem_node_keys *d, struct node_reader *r, mem_fold_fn *fold, struct mem_arena *arena)
{
	static const struct { enum node_field field; struct mem_str type; } others[] = {
		{ F_TITLE, NAME("=title") }, { F_SLUG, NAME("=slug") }, { F_PATH, NAME("=path") },
	};
	struct store_name_list list = { .s = r->s, .fold = fold, .arena = arena };
	struct mem_str type = node_field_text(r, F_TYPE);
	store_name_add(&list, type, node_field_text(r, F_NAME));
	if (check_string_list(r, F_ALIASES))
		for (struct mem_json_iter it = mem_json_each(r->v[F_ALIASES]); mem_json_next(&it);)
			store_name_add(&list, type, mem_json_text(&r->arena, it.value));
	for (size_t i = 0; i < MEM_COUNT(others); i++)
		store_name_add(&list, others[i].type, node_field_text(r, others[i].field));
	if (d->attr.kind == MEM_KIND_FACT)
		store_fact_names(&list, r->rec, &d->attr);
	if (d->attr.kind == MEM_KIND_PAGE)
		store_page_names(&list, r->rec);
	if (d->attr.kind == MEM_KIND_CORE && d->attr.status != MEM_STATUS_SUPERSEDED) /* a former text costs those that count nothing */
		store_name_add(&list, MEM_STR("=core"), node_field_text(r, F_BLOCK_KIND));
	store_about_names(&list, r->rec, &d->attr);
	if (d->attr.kind == MEM_KIND_LEARNING)
		store_name_add(&list, MEM_STR("=learning"), node_field_text(r, F_CONTENT));
	store_names_end(&list, d);
}

static void
derive_node_keys(struct mem_node_keys *d, struct node_reader *r)
{
	const struct mem_store *s = r->s;
	struct mem_str session = node_field_text(r, F_SESSION_ID), ref = node_field_text(r, F_REF);
	if (session.n > 0) {
		d->session = store_session_hash(s, session);
		d->attr.session = mem_session_number(s, session);
	}
	if (ref.n > 0)
		d->ref_len = store_ref_key(s, ref, d->ref_key);
	d->has_dup = d->attr.kind == MEM_KIND_EPISODE;
	if (d->has_dup) {
		struct mem_str parts[] = { d->ns, session, mem_str(mem_role_name(d->attr.role)), ref, node_field_text(r, F_CONTENT) };
		d->dup = mem_hash128(s->secret, parts, MEM_COUNT(parts));
	}
}

/* A speaker or listener that is no string is no name; the others are refused elsewhere. */
static struct mem_str
node_field_name(struct node_reader *r, enum node_field f)
{
	struct mem_json v = r->v[f];
	return mem_json_there(v) && v.type == MEM_JSON_STRING ? node_field_text(r, f) : (struct mem_str){ "", 0 };
}

static void
derive_node_marks(struct mem_node_keys *d, struct node_reader *r, const struct mem_word_reader *words)
{
	struct mem_word_marks m = { 0 };
	for (size_t i = 0; i < MEM_ATTR_DAYS; i++)
		m.days[i] = MEM_DAY_SPAN_NONE;
	words->mark(words->ctx, &m, node_field_text(r, F_CONTENT), node_field_name(r, F_SPEAKER), node_field_name(r, F_LISTENER),
	    d->has_captured ? d->attr.captured_at : MEM_TIME_NONE);
	d->attr.flags |= m.flags;
	memcpy(d->attr.days, m.days, sizeof d->attr.days);
}

enum mem_status
mem_node_keys_make(struct mem_node_keys *d, const struct mem_store *s, const struct mem_rec *node, enum mem_node_fill fill,
    const struct mem_word_reader *words, struct mem_arena *arena, struct mem_err *err)
{
	struct node_reader r = { .s = s, .rec = node, .err = err };
	memset(d, 0, offsetof(struct mem_node_keys, ref_key));
	d->json = node->text;
	find_node_fields(&r);
	read_node_identity(d, &r, fill);
	read_node_compartment(d, &r);
	read_node_attributes(d, &r);
	derive_node_keys(d, &r);
	if (words != NULL && words->fold != NULL)
		derive_name_keys(d, &r, words->fold, arena);
	if (words != NULL && words->mark != NULL && d->attr.kind == MEM_KIND_EPISODE)
		derive_node_marks(d, &r, words);
	mem_arena_release(&r.arena);
	return r.st;
}

/* ---- rows -------------------------------------------------------------- */

void
store_put_key_time(uint8_t *p, int64_t ms)
{
	/* The sign bit turned over, so that what was before 1970 comes first. */
	mem_be64(p, (uint64_t)ms ^ (uint64_t)1 << 63);
}

int64_t
store_get_key_time(const uint8_t *p)
{
	return (int64_t)(mem_be64_get(p) ^ (uint64_t)1 << 63);
}

bool
mem_due_parse(struct mem_str key, int64_t *when, uint32_t *ord)
{
	if (key.n != 12)
		return false;
	*when = store_get_key_time((const uint8_t *)key.p);
	*ord = mem_be32_get((const uint8_t *)key.p + 8);
	return true;
}

static void
put_row_bytes(struct mem_node_keys_row *row, const void *p, size_t n)
{
	memcpy(row->key + row->len, p, n);
	row->len = (uint16_t)(row->len + n);
}

static void
put_row_u32(struct mem_node_keys_row *row, uint32_t v)
{
	uint8_t b[4];
	mem_be32(b, v);
	put_row_bytes(row, b, sizeof b);
}

static void
put_row_u64(struct mem_node_keys_row *row, uint64_t v)
{
	uint8_t b[8];
	mem_be64(b, v);
	put_row_bytes(row, b, sizeof b);
}

static void
put_row_time(struct mem_node_keys_row *row, int64_t ms)
{
	uint8_t b[8];
	store_put_key_time(b, ms);
	put_row_bytes(row, b, sizeof b);
}

static void
make_ref_row(const struct mem_node_keys *d, struct mem_node_keys_row *row)
{
	row->table = MEM_T_REF;
	put_row_u32(row, d->root);
	put_row_bytes(row, d->ref_key, d->ref_len);
}

static void
make_dup_row(const struct mem_node_keys *d, struct mem_node_keys_row *row)
{
	row->table = MEM_T_DUP;
	put_row_u32(row, d->root);
	put_row_u64(row, d->session);
	put_row_bytes(row, d->dup.b, sizeof d->dup.b);
}

static void
make_session_row(const struct mem_node_keys *d, struct mem_node_keys_row *row)
{
	row->table = MEM_T_SESS;
	put_row_u32(row, d->root);
	put_row_u64(row, d->session);
	put_row_time(row, d->attr.captured_at);
}

static void
make_due_row(const struct mem_node_keys *d, struct mem_node_keys_row *row)
{
	row->table = MEM_T_DUE;
	put_row_time(row, d->due);
	row->value = MEM_STR("expire");
}

static void
make_name_row(const struct mem_node_keys *d, size_t i, struct mem_node_keys_row *row)
{
	row->table = MEM_T_NAME;
	put_row_u32(row, d->root);
	put_row_bytes(row, d->names[i].p, d->names[i].n);
}

bool
mem_node_keys_next(const struct mem_node_keys *d, uint32_t ord, struct mem_node_keys_row *row)
{
	const struct {
		bool there;
		void (*make)(const struct mem_node_keys *, struct mem_node_keys_row *);
	} single[] = {
		{ d->ref_len > 0, make_ref_row }, { d->has_dup, make_dup_row }, { d->session != 0, make_session_row },
		{ d->due != MEM_TIME_NONE, make_due_row },
	};
	row->len = 0;
	row->value = (struct mem_str){ "", 0 };
	while (row->next < MEM_COUNT(single) && !single[row->next].there)
		row->next++;
	size_t i = row->next++;
	if (i >= MEM_COUNT(single) + d->nnames)
		return false;
	if (i < MEM_COUNT(single))
		single[i].make(d, row);
	else
		make_name_row(d, i - MEM_COUNT(single), row);
	put_row_u32(row, ord);
	return true;
}
