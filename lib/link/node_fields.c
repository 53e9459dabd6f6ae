/* SPDX-License-Identifier: Apache-2.0 */
/* What a record may say of an entity, a tag or a task. */
#include "link/link_int.h"

#include <string.h>


#define KIND_BIT(constant) (1U << LINK_##constant)
enum { LINK_ENTITY, LINK_TAG, LINK_TASK, LINK_KINDS };
static const enum mem_kind kinds[LINK_KINDS] = { MEM_KIND_ENTITY, MEM_KIND_TAG, MEM_KIND_TASK };
#define ALL_KINDS (KIND_BIT(ENTITY) | KIND_BIT(TAG) | KIND_BIT(TASK))

/* Types that a tag may have; the first one where it names none. */
static const char *const tag_types[] = { "tag", "category", "super_concept", "site", "pattern" };

struct mem_kind_set
mem_link_node_kinds(void)
{
	struct mem_kind_set set = { 0 };
	for (size_t i = 0; i < LINK_KINDS; i++)
		mem_kind_set_add(&set, kinds[i]);
	return set;
}

/* ---- values -------------------------------------------------------------- */

/* A fault in a value: its reason, or NULL. */
typedef const char *node_value_fn(struct mem_link_run *r, struct link_node_fields *f, struct mem_json v, struct mem_clean_text *out);

/* A string with something to see in it. */
static bool
read_seen_text(struct mem_link_run *r, struct mem_json v, struct mem_str *text)
{
	*text = mem_json_text(mem_writer_arena(r->writer), v);
	for (size_t i = 0; i < text->n; i++)
		if (strchr(" \t\r\n\v\f", text->p[i]) == NULL)
			return true;
	return false;
}

static const char *
read_node_name(struct mem_link_run *r, struct link_node_fields *f, struct mem_json v, struct mem_clean_text *out)
{
	if (v.type != MEM_JSON_STRING)
		return "bad_value";
	f->name = mem_clean_trimmed(&r->cleaned, v, mem_writer_arena(r->writer));
	*out = mem_clean_absent();
	bool seen = read_seen_text(r, v, &f->name_text);
	f->name_text = mem_str_trim(f->name_text);
	return seen ? NULL : "empty";
}

static const char *
read_node_type(struct mem_link_run *r, struct link_node_fields *f, struct mem_json v, struct mem_clean_text *out)
{
	f->type = mem_clean_part(&r->cleaned, v);
	*out = mem_clean_absent();
	if (v.type != MEM_JSON_STRING || !read_seen_text(r, v, &f->type_text))
		return "bad_value";
	bool known = f->kind != MEM_KIND_TAG;
	for (size_t i = 0; i < MEM_COUNT(tag_types) && !known; i++)
		known = mem_str_is(f->type_text, tag_types[i]);
	return known ? NULL : "bad_value";
}

static const char *
read_node_string(struct mem_link_run *r, struct link_node_fields *f, struct mem_json v, struct mem_clean_text *out)
{
	(void)f;
	*out = mem_clean_part(&r->cleaned, v);
	return v.type == MEM_JSON_STRING ? NULL : "bad_value";
}

static const char *
read_node_text_list(struct mem_link_run *r, struct link_node_fields *f, struct mem_json v, struct mem_clean_text *out)
{
	(void)f;
	*out = mem_clean_part(&r->cleaned, v);
	if (v.type != MEM_JSON_ARRAY)
		return "bad_value";
	for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
		if (it.value.type != MEM_JSON_STRING)
			return "bad_value";
	return NULL;
}

static const char *
read_node_object(struct mem_link_run *r, struct link_node_fields *f, struct mem_json v, struct mem_clean_text *out)
{
	(void)f;
	*out = mem_clean_part(&r->cleaned, v);
	return v.type == MEM_JSON_OBJECT ? NULL : "bad_value";
}

static const char *
read_node_unit_value(struct mem_link_run *r, struct link_node_fields *f, struct mem_json v, struct mem_clean_text *out)
{
	(void)f;
	return link_unit_read(r, v, out);
}

static const char *
read_node_confidence(struct mem_link_run *r, struct link_node_fields *f, struct mem_json v, struct mem_clean_text *out)
{
	const char *reason = read_node_unit_value(r, f, v, out);
	f->confidence = *out;
	return reason;
}

static const char *
read_node_trust(struct mem_link_run *r, struct link_node_fields *f, struct mem_json v, struct mem_clean_text *out)
{
	double d;
	if (!mem_json_num(v, &d) || d < 0 || d > 1)
		return "bad_value";
	f->has_trust = true;
	f->trust = d < r->trust_max ? d : r->trust_max;
	*out = mem_clean_num(mem_writer_arena(r->writer), f->trust);
	return NULL;
}

static const char *
read_node_time(struct mem_link_run *r, struct link_node_fields *f, struct mem_json v, struct mem_clean_text *out)
{
	(void)f;
	return link_time_read(r, v, out);
}

/* ---- fields -------------------------------------------------------------- */

/* What stands for a value that is taken away. */
enum node_blank { BLANK_NEVER, BLANK_LEFT_OUT, BLANK_LIST, BLANK_NULL };
static const struct node_field {
	const char *name;
	unsigned kinds;
	node_value_fn *read;
	enum node_blank blank;
} known[] = {
	{ "name", ALL_KINDS, read_node_name, BLANK_NEVER },
	{ "type", ALL_KINDS, read_node_type, BLANK_NULL },
	{ "aliases", KIND_BIT(ENTITY), read_node_text_list, BLANK_LIST },
	{ "aliases", KIND_BIT(TAG), read_node_text_list, BLANK_LEFT_OUT },
	{ "weight", KIND_BIT(TAG), read_node_unit_value, BLANK_NEVER },
	{ "reinforced_at", KIND_BIT(TAG), read_node_time, BLANK_NULL },
	{ "items", KIND_BIT(TAG), read_node_text_list, BLANK_LEFT_OUT },
	{ "description", ALL_KINDS, read_node_string, BLANK_LEFT_OUT },
	{ "attributes", ALL_KINDS, read_node_object, BLANK_LEFT_OUT },
	{ "ref", ALL_KINDS, read_node_string, BLANK_LEFT_OUT },
	{ "tags", ALL_KINDS, read_node_text_list, BLANK_LEFT_OUT },
	{ "valid_from", ALL_KINDS, read_node_time, BLANK_LEFT_OUT },
	{ "valid_to", ALL_KINDS, read_node_time, BLANK_LEFT_OUT },
	{ "expires_at", ALL_KINDS, read_node_time, BLANK_LEFT_OUT },
	{ "trust", KIND_BIT(ENTITY), read_node_trust, BLANK_NEVER },
	{ "confidence", KIND_BIT(ENTITY), read_node_confidence, BLANK_NULL },
};

/* What memkit sets itself, and what would make another thing of the node. */
static const char *const reserved[] = {
	"created_at", "version", "status", "origin", "expired_at", "supersedes", "superseded_by", "superseded_at", "near_duplicate_of",
	"redactions", "injection_flags", "truncated", "importance", "pinned", "access_count", "last_access", "mentions", "role", "speaker",
	"listener", "session_id", "captured_at", "edge", "from", "to", "rank", "score", "mode", "signals", "match", "qid", "passage",
};

bool
link_node_field_reserved(struct mem_str name)
{
	for (size_t i = 0; i < MEM_COUNT(reserved); i++)
		if (mem_str_is(name, reserved[i]))
			return true;
	return false;
}

bool
link_node_field_same(const struct link_node_fields *f, struct mem_str name, struct mem_json value)
{
	for (struct mem_json_iter it = mem_json_each(f->now); mem_json_next(&it);)
		if (mem_str_eq(it.key, name))
			return mem_str_eq(it.value.raw, value.raw);
	return false;
}

static bool
has_node_field(const struct node_field *field, enum mem_kind kind)
{
	for (size_t i = 0; i < LINK_KINDS; i++)
		if (kinds[i] == kind)
			return (field->kinds & 1U << i) != 0;
	return false;
}

/* What is known of a field of this kind, else of the name with another kind. */
static const struct node_field *
find_node_field(struct mem_str name, enum mem_kind kind)
{
	const struct node_field *found = NULL;
	for (size_t i = 0; i < MEM_COUNT(known); i++)
		if (mem_str_is(name, known[i].name) && (found == NULL || has_node_field(&known[i], kind)))
			found = &known[i];
	return found;
}

/* null and, of what memkit knows, the empty string. */
static bool
is_blank_value(const struct node_field *field, struct mem_json v)
{
	return v.type == MEM_JSON_NULL || (field != NULL && field->blank != BLANK_NEVER && mem_json_is(v, ""));
}

/* What a blank value makes of a field; false: it cannot be blank. */
static bool
make_blank_value(const struct node_field *field, struct mem_clean_text *out)
{
	enum node_blank blank = field != NULL ? field->blank : BLANK_LEFT_OUT;
	*out = blank == BLANK_LIST ? mem_clean_empty_list() : blank == BLANK_NULL ? mem_clean_null() : mem_clean_absent();
	return blank != BLANK_NEVER;
}

/* One field of the cleaned record.  False: the item is refused. */
static bool
read_node_field(struct mem_link_run *r, struct link_item *item, struct link_node_fields *f, const struct mem_field *from)
{
	struct mem_str name = link_field_name(r, from);
	const struct node_field *field = find_node_field(name, f->kind);
	struct mem_clean_text value = mem_clean_absent();
	const char *reason = NULL;
	if (link_node_field_reserved(name) && link_node_field_same(f, name, from->value))
		return true;
	if (link_node_field_reserved(name)) /* a key that only cleaning turned into one */
		return link_item_refuse(item, "reserved_field", link_key_offset(r, from->key));
	if (!link_name_plain(name) || (field != NULL && !has_node_field(field, f->kind)))
		return link_item_refuse(item, "bad_value", link_key_offset(r, from->key));
	bool blank = is_blank_value(field, from->value);
	if (blank && !f->set)
		return true;
	if (blank)
		reason = make_blank_value(field, &value) ? NULL : "bad_value";
	else if (field != NULL)
		reason = field->read(r, f, from->value, &value);
	else
		value = mem_clean_part(&r->cleaned, from->value);
	if (reason != NULL)
		return link_item_refuse(item, reason, link_value_offset(r, from->key));
	if (field == NULL || (field->read != read_node_name && field->read != read_node_type))
		f->v[f->n++] = (struct mem_clean_field){ name.p, value };
	return true;
}

bool
link_node_fields_read(struct mem_link_run *r, struct link_item *item, struct link_node_fields *f)
{
	const struct mem_rec *rec = r->cleaned.rec;
	f->v = mem_arena_alloc(mem_writer_arena(r->writer), rec->nfields * sizeof *f->v);
	for (size_t i = 0; i < rec->nfields; i++) {
		struct mem_str name = link_field_name(r, &rec->fields[i]);
		if (mem_str_is(name, "id") || mem_str_is(name, "kind") || mem_str_is(name, "ns"))
			continue;
		if (!read_node_field(r, item, f, &rec->fields[i]))
			return false;
	}
	return true;
}

/* The value that a record gives a field; absent: none. */
static struct mem_clean_text
find_node_value(const struct link_node_fields *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->v[i].name, name) == 0)
			return f->v[i].value;
	return mem_clean_absent();
}

/* What a new node has where the record says nothing. */
static struct mem_clean_text
make_default_value(struct mem_arena *a, const struct node_field *field)
{
	struct mem_clean_text blank;
	if (strcmp(field->name, "weight") == 0)
		return mem_clean_int(a, 1);
	make_blank_value(field, &blank);
	return blank;
}

struct mem_clean_field *
link_node_fields_arrange(struct mem_link_run *r, const struct link_node_fields *f, size_t *n)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field *out = mem_arena_alloc(a, (MEM_COUNT(known) + 1 + f->n) * sizeof *out);
	*n = 0;
	out[(*n)++] = (struct mem_clean_field){ "name", f->name };
	out[(*n)++] = (struct mem_clean_field){ "type", mem_clean_or_null(f->type) };
	for (const struct node_field *field = known + 2; field < known + MEM_COUNT(known); field++) {
		struct mem_clean_text given = find_node_value(f, field->name);
		bool memory = field->read == read_node_trust || field->read == read_node_confidence;
		if (has_node_field(field, f->kind) && !memory)
			out[(*n)++] = (struct mem_clean_field){ field->name, mem_clean_there(given) ? given : make_default_value(a, field) };
		if (f->kind == MEM_KIND_ENTITY && strcmp(field->name, "attributes") == 0)
			out[(*n)++] = (struct mem_clean_field){ "mentions", mem_clean_int(a, 0) };
	}
	for (size_t i = 0; i < f->n; i++)
		if (find_node_field(mem_str(f->v[i].name), f->kind) == NULL)
			out[(*n)++] = f->v[i];
	return out;
}

void
link_node_type_default(struct mem_link_run *r, struct link_node_fields *f)
{
	if (f->kind != MEM_KIND_TAG || mem_clean_there(f->type))
		return;
	f->type_text = mem_str(tag_types[0]);
	f->type = mem_clean_word(mem_writer_arena(r->writer), f->type_text);
}
