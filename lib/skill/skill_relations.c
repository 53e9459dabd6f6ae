/* SPDX-License-Identifier: Apache-2.0 */
/* What a skill's front matter and body name: the skills that it needs, betters, is made of or follows, and what its text links to. */
#include "skill/skill_int.h"

#include <string.h>

#include "md/md_links.h"
#include "text/text.h"
#include "write/file_nodes.h"

/* Names that a skill has at most; more are left out, as a page has a limit for its links. */
enum { RELATIONS_MAX = 2000 };

/* Keys of front matter, the edges that they mean, and the weight of those that give none (NULL: 1). */
static const struct relation_key {
	const char *key, *edge, *weight;
} relation_keys[] = {
	{ "dependencies", "requires", NULL },
	{ "requires", "requires", NULL },
	{ "enhances", "enhances", NULL },
	{ "composes", "composes", NULL },
	{ "succeeds", "succeeds", NULL },
	{ "correlations", "enhances", "0.8" },
};

struct relation_list {
	struct mem_buf *out;
	size_t n;
};

/* One more, which the caller ends by '}'. */
static bool
open_relation(struct relation_list *l, const char *edge, const char *field, struct mem_str value)
{
	if (value.n == 0 || l->n >= RELATIONS_MAX)
		return false;
	mem_buf_puts(l->out, l->n++ > 0 ? ",{" : "{");
	mem_json_put_field(l->out, "edge", mem_str(edge));
	mem_json_put_field(l->out, field, value);
	return true;
}

/* ---- front matter ----------------------------------------------------- */

/* "tea@1.2", "tea >= 1.2": the version begins where a sign of comparison does. */
static struct mem_str
split_version(struct mem_str *name)
{
	size_t at = 1;
	while (at < name->n && strchr("@<>=~^", name->p[at]) == NULL)
		at++;
	struct mem_str version = { 0 };
	if (at < name->n)
		version = mem_str_trim((struct mem_str){ name->p + at + (name->p[at] == '@'), name->n - at - (name->p[at] == '@') });
	name->n = at < name->n ? at : name->n;
	*name = mem_str_trim(*name);
	return version;
}

/* As a JSON number; false: it is none from 0 to 1. */
static bool
read_relation_weight(struct mem_buf *json, struct mem_str s)
{
	struct mem_json v;
	double weight;
	mem_buf_reset(json);
	return mem_yaml_number_put(json, s) && mem_json_scan(&v, mem_buf_span(json), NULL) == MEM_OK && mem_json_num(v, &weight) && weight >= 0 &&
	    weight <= 1;
}

static void
put_relation(struct relation_list *l, const struct relation_key *key, struct mem_str name, struct mem_str weight, struct mem_str version)
{
	struct mem_buf number = { 0 };
	if (!open_relation(l, key->edge, "name", name))
		return;
	bool given = read_relation_weight(&number, weight);
	if (given || key->weight != NULL)
		mem_json_put_raw(l->out, "weight", given ? mem_buf_span(&number) : mem_str(key->weight));
	mem_buf_release(&number);
	if (version.n > 0)
		mem_json_put_field(l->out, "version", version);
	mem_buf_putc(l->out, '}');
}

/* Names, parted by commas. */
static void
put_relation_text(struct relation_list *l, const struct relation_key *key, struct mem_str text)
{
	for (size_t from = 0; from <= text.n;) {
		const char *comma = from < text.n ? memchr(text.p + from, ',', text.n - from) : NULL;
		size_t end = comma != NULL ? (size_t)(comma - text.p) : text.n;
		struct mem_str name = mem_str_trim((struct mem_str){ text.p + from, end - from });
		struct mem_str version = name.n > 0 ? split_version(&name) : MEM_STR("");
		put_relation(l, key, name, MEM_STR(""), version);
		from = end + 1;
	}
}

static struct mem_str
relation_member(const struct mem_yaml *map, const char *key)
{
	for (const struct mem_yaml *y = map->child; y != NULL; y = y->next)
		if (mem_str_is(y->key, key) && y->type == MEM_YAML_SCALAR)
			return mem_md_scalar(y);
	return MEM_STR("");
}

static void
put_relation_value(struct relation_list *l, const struct relation_key *key, const struct mem_yaml *y)
{
	if (y->type == MEM_YAML_SCALAR)
		put_relation_text(l, key, mem_md_scalar(y));
	else if (y->type == MEM_YAML_MAP) {
		struct mem_str name = relation_member(y, "name");
		put_relation(l, key, name.n > 0 ? name : relation_member(y, "skill"), relation_member(y, "weight"), relation_member(y, "version"));
	}
}

/* Calls for each value that the front matter names skills by. */
typedef void relation_value_fn(struct relation_list *l, const struct relation_key *key, const struct mem_yaml *y);
static void
each_relation_value(const struct mem_yaml *front, relation_value_fn *fn, struct relation_list *l)
{
	for (const struct mem_yaml *y = front != NULL ? front->child : NULL; y != NULL; y = y->next)
		for (size_t i = 0; i < MEM_COUNT(relation_keys); i++) {
			if (!mem_str_is(y->key, relation_keys[i].key))
				continue;
			if (y->type != MEM_YAML_SEQ)
				fn(l, &relation_keys[i], y);
			for (const struct mem_yaml *c = y->type == MEM_YAML_SEQ ? y->child : NULL; c != NULL; c = c->next)
				fn(l, &relation_keys[i], c);
		}
}

/* A weight that is given and is none must not become another one. */
static void
put_weight_fault(struct relation_list *l, const struct relation_key *key, const struct mem_yaml *y)
{
	struct mem_buf number = { 0 };
	(void)key;
	for (const struct mem_yaml *m = y->type == MEM_YAML_MAP ? y->child : NULL; m != NULL; m = m->next) {
		bool weight = mem_str_is(m->key, "weight");
		bool none = m->type == MEM_YAML_SCALAR && mem_md_scalar(m).n == 0;
		if (weight && !none && !read_relation_weight(&number, mem_md_scalar(m)))
			mem_file_fault_put(l->out, m->line, "weight: a number from 0 to 1 is wanted");
	}
	mem_buf_release(&number);
}

void
skill_relations_check(struct mem_buf *faults, const struct mem_yaml *front)
{
	struct relation_list l = { .out = faults };
	each_relation_value(front, put_weight_fault, &l);
}

/* ---- the body --------------------------------------------------------- */

/* A path from the file's folder, without "." and ".." in it; false: it leads above the root of all files. */
static bool
join_link_path(struct mem_buf *out, struct mem_str file, struct mem_str target)
{
	mem_buf_put(out, file.p, (size_t)((const char *)memrchr(file.p, '/', file.n) - file.p));
	for (size_t from = 0; from <= target.n;) {
		const char *slash = from < target.n ? memchr(target.p + from, '/', target.n - from) : NULL;
		size_t end = slash != NULL ? (size_t)(slash - target.p) : target.n;
		struct mem_str part = { target.p + from, end - from };
		from = end + 1;
		if (part.n == 0 || mem_str_is(part, "."))
			continue;
		if (!mem_str_is(part, "..")) {
			mem_buf_putc(out, '/');
			mem_buf_str(out, part);
			continue;
		}
		const char *up = out->len > 0 ? memrchr(out->data, '/', out->len) : NULL;
		if (up == NULL)
			return false;
		out->len = (size_t)(up - out->data);
	}
	return out->len > 0;
}

static void
put_body_relations(struct relation_list *l, const struct mem_md_links *links, struct mem_str path)
{
	struct mem_buf joined = { 0 };
	for (size_t i = 0; i < links->nlinks; i++) {
		const struct mem_md_link *link = &links->links[i];
		bool wiki = link->form == MEM_MD_WIKILINK || link->form == MEM_MD_EMBED, put = false;
		mem_buf_reset(&joined);
		if (wiki && !link->attachment)
			put = open_relation(l, "references", "name", link->target);
		else if (!wiki && link->relative && link->target.n > 0 && link->target.p[0] != '/' && join_link_path(&joined, path, link->target))
			put = open_relation(l, "references", "path", mem_buf_span(&joined));
		if (put)
			mem_buf_putc(l->out, '}');
	}
	mem_buf_release(&joined);
}

void
skill_relations_put(struct mem_buf *record, const struct mem_yaml *front, const struct mem_md_links *links, struct mem_str path)
{
	struct relation_list l = { .out = record };
	mem_json_put_raw(record, "relations", MEM_STR("["));
	each_relation_value(front, put_relation_value, &l);
	put_body_relations(&l, links, path);
	mem_buf_putc(record, ']');
}
