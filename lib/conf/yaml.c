/* SPDX-License-Identifier: Apache-2.0 */
/* YAML, of which only maps, lists and scalars are taken. */
#include "conf/conf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/order.h"

#define SIZE_MAX_YAML ((size_t)1 << 20)
#define DEPTH_MAX     32
#define ANCHORS_MAX   1000

/* What aliases may stand for; the last of a name counts. */
struct yaml_anchor {
	struct mem_str name;       /* ARENA */
	const struct mem_yaml *node;
};
struct document_reader {
	yaml_parser_t parser;
	yaml_event_t event;
	bool have_event;
	struct mem_arena *arena;
	const char *name;
	struct mem_err *err;
	bool aliased;              /* anchors and aliases are read */
	struct yaml_anchor *anchors;
	size_t nanchors, anchors_cap, ncopies;
};

static enum mem_status
refuse_document(struct document_reader *r, yaml_mark_t at, const char *what)
{
	(void)mem_err_set(r->err, MEM_FAIL, "%s:%zu:%zu: %s", r->name, at.line + 1, at.column + 1, what);
	if (r->err != NULL)
		r->err->offset = at.index;
	return MEM_FAIL;
}

static enum mem_status
refuse_unparsed_document(struct document_reader *r)
{
	const yaml_parser_t *p = &r->parser;
	const char *what = p->problem != NULL ? p->problem : "not YAML";
	yaml_mark_t at = p->problem_mark;
	if (p->error == YAML_MEMORY_ERROR)
		what = "out of memory";
	if (p->error == YAML_READER_ERROR)
		at = p->mark; /* the reader knows no mark of its own: where scanning stood */
	return refuse_document(r, at, what);
}

static enum mem_status
read_yaml_event(struct document_reader *r)
{
	if (r->have_event)
		yaml_event_delete(&r->event);
	r->have_event = yaml_parser_parse(&r->parser, &r->event) == 1;
	return r->have_event ? MEM_OK : refuse_unparsed_document(r);
}

static struct mem_yaml *
new_yaml_node(struct document_reader *r, enum mem_yaml_type type)
{
	struct mem_yaml *y = mem_arena_alloc(r->arena, sizeof *y);
	y->type = type;
	y->line = (unsigned)r->event.start_mark.line + 1;
	y->column = (unsigned)r->event.start_mark.column + 1;
	return y;
}

/* ---- anchors and aliases ---------------------------------------------- */

/* The anchor of the current event; empty: it has none. */
static enum mem_status
read_yaml_anchor(struct document_reader *r, struct mem_str *out)
{
	const yaml_event_t *e = &r->event;
	const yaml_char_t *anchor = e->type == YAML_SCALAR_EVENT ? e->data.scalar.anchor :
	    e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.anchor : e->data.mapping_start.anchor;
	*out = MEM_STR("");
	if (anchor == NULL)
		return MEM_OK;
	if (!r->aliased)
		return refuse_document(r, e->start_mark, "anchors are not allowed");
	if (r->nanchors == ANCHORS_MAX)
		return refuse_document(r, e->start_mark, "more than 1000 anchors");
	*out = mem_arena_str(r->arena, mem_str((const char *)anchor));
	return MEM_OK;
}

/* Once the node is read, so that it holds no alias of itself. */
static void
add_yaml_anchor(struct document_reader *r, struct mem_str name, const struct mem_yaml *node)
{
	if (name.n == 0)
		return;
	r->anchors = mem_grow(r->anchors, &r->anchors_cap, r->nanchors + 1, sizeof *r->anchors);
	r->anchors[r->nanchors++] = (struct yaml_anchor){ name, node };
}

/* NULL: it was refused. */
static struct mem_yaml *
copy_yaml_node(struct document_reader *r, const struct mem_yaml *of, unsigned depth)
{
	const char *fault = depth > DEPTH_MAX ? "nested deeper than 32 levels" : r->ncopies++ == MEM_YAML_COPIES ? "aliases stand for too much" : NULL;
	if (fault != NULL) {
		(void)refuse_document(r, r->event.start_mark, fault);
		return NULL;
	}
	struct mem_yaml *y = mem_arena_alloc(r->arena, sizeof *y);
	*y = *of;
	y->child = y->next = NULL;
	struct mem_yaml **tail = &y->child;
	for (const struct mem_yaml *c = of->child; c != NULL; c = c->next) {
		struct mem_yaml *copy = copy_yaml_node(r, c, depth + 1);
		if (copy == NULL)
			return NULL;
		*tail = copy;
		tail = &copy->next;
	}
	return y;
}

static enum mem_status
read_yaml_alias(struct document_reader *r, struct mem_yaml **out, unsigned depth)
{
	yaml_mark_t at = r->event.start_mark;
	struct mem_str name = mem_str((const char *)r->event.data.alias.anchor);
	if (!r->aliased)
		return refuse_document(r, at, "aliases are not allowed");
	for (size_t i = r->nanchors; i-- > 0;) {
		if (!mem_str_eq(r->anchors[i].name, name))
			continue;
		struct mem_yaml *copy = copy_yaml_node(r, r->anchors[i].node, depth);
		if (copy == NULL)
			return MEM_FAIL;
		copy->key = MEM_STR("");
		copy->line = (unsigned)at.line + 1;
		copy->column = (unsigned)at.column + 1;
		*out = copy;
		return MEM_OK;
	}
	return refuse_document(r, at, MEM_YAML_NO_ANCHOR);
}

/* ---- nodes ------------------------------------------------------------- */

/* The current event's scalar, copied; tags and NUL are refused. */
static enum mem_status
copy_yaml_scalar(struct document_reader *r, struct mem_str *out)
{
	size_t n = r->event.data.scalar.length;
	const char *p = (const char *)r->event.data.scalar.value;
	if (r->event.data.scalar.tag != NULL)
		return refuse_document(r, r->event.start_mark, "tags are not allowed");
	if (memchr(p, '\0', n) != NULL)
		return refuse_document(r, r->event.start_mark, "a NUL character is not allowed");
	out->p = mem_arena_dup(r->arena, p, n);
	out->n = n;
	return MEM_OK;
}

static int
compare_members_by_key(const void *a, const void *b)
{
	const struct mem_yaml *x = *(struct mem_yaml *const *)a, *y = *(struct mem_yaml *const *)b;
	int c = mem_str_cmp(x->key, y->key);
	if (c != 0)
		return c;
	return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->column < y->column ? -1 : 1;
}

/* Sorted, since a quadratic search would let one file of 1 MiB take minutes. */
static enum mem_status
refuse_duplicate_keys(struct document_reader *r, const struct mem_yaml *map, size_t n)
{
	enum mem_status st = MEM_OK;
	struct mem_yaml **all = mem_xmalloc((n + 1) * sizeof *all);
	size_t i = 0;
	for (struct mem_yaml *m = map->child; m != NULL; m = m->next)
		all[i++] = m;
	mem_sort(all, n, sizeof *all, compare_members_by_key);
	for (i = 1; i < n && st == MEM_OK; i++)
		if (mem_str_eq(all[i - 1]->key, all[i]->key))
			st = mem_err_set(r->err, MEM_FAIL, "%s:%u:%u: duplicate key '%.100s'",
			    r->name, all[i]->line, all[i]->column, all[i]->key.p);
	free(all);
	return st;
}

static enum mem_status read_yaml_node(struct document_reader *r, struct mem_yaml **out, unsigned depth);

static enum mem_status
read_yaml_sequence(struct document_reader *r, struct mem_yaml *seq, unsigned depth)
{
	struct mem_yaml **tail = &seq->child;
	for (;;) {
		enum mem_status st = read_yaml_event(r);
		if (st != MEM_OK || r->event.type == YAML_SEQUENCE_END_EVENT)
			return st;
		if ((st = read_yaml_node(r, tail, depth + 1)) != MEM_OK)
			return st;
		tail = &(*tail)->next;
	}
}

static enum mem_status
read_yaml_map(struct document_reader *r, struct mem_yaml *map, unsigned depth)
{
	struct mem_yaml **tail = &map->child;
	for (size_t n = 0;; n++) {
		enum mem_status st = read_yaml_event(r);
		if (st != MEM_OK)
			return st;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			return refuse_duplicate_keys(r, map, n);
		if (r->event.type == YAML_ALIAS_EVENT)
			return refuse_document(r, r->event.start_mark, "aliases are not allowed");
		if (r->event.type != YAML_SCALAR_EVENT)
			return refuse_document(r, r->event.start_mark, "a key must be a scalar");
		yaml_mark_t at = r->event.start_mark;
		struct mem_str key, anchor;
		if ((st = read_yaml_anchor(r, &anchor)) != MEM_OK)
			return st;
		if (anchor.n > 0)
			return refuse_document(r, at, "an anchor at a key");
		if ((st = copy_yaml_scalar(r, &key)) != MEM_OK || (st = read_yaml_event(r)) != MEM_OK ||
		    (st = read_yaml_node(r, tail, depth + 1)) != MEM_OK)
			return st;
		(*tail)->key = key;
		(*tail)->line = (unsigned)at.line + 1;
		(*tail)->column = (unsigned)at.column + 1;
		tail = &(*tail)->next;
	}
}

/* The node that the current event begins. */
static enum mem_status
read_yaml_node(struct document_reader *r, struct mem_yaml **out, unsigned depth)
{
	const yaml_event_t *e = &r->event;
	struct mem_str anchor;
	if (e->type == YAML_ALIAS_EVENT)
		return read_yaml_alias(r, out, depth);
	enum mem_status st = read_yaml_anchor(r, &anchor);
	if (st != MEM_OK)
		return st;
	if (e->type == YAML_SCALAR_EVENT) {
		*out = new_yaml_node(r, MEM_YAML_SCALAR);
		(*out)->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		st = copy_yaml_scalar(r, &(*out)->scalar);
		add_yaml_anchor(r, anchor, *out);
		return st;
	}
	bool seq = e->type == YAML_SEQUENCE_START_EVENT;
	if (depth >= DEPTH_MAX)
		return refuse_document(r, e->start_mark, "nested deeper than 32 levels");
	if ((seq ? e->data.sequence_start.tag : e->data.mapping_start.tag) != NULL)
		return refuse_document(r, e->start_mark, "tags are not allowed");
	*out = new_yaml_node(r, seq ? MEM_YAML_SEQ : MEM_YAML_MAP);
	st = seq ? read_yaml_sequence(r, *out, depth) : read_yaml_map(r, *out, depth);
	add_yaml_anchor(r, anchor, *out);
	return st;
}

static enum mem_status
read_yaml_document(struct document_reader *r, struct mem_yaml **out)
{
	enum mem_status st = read_yaml_event(r); /* the stream's start */
	if (st == MEM_OK)
		st = read_yaml_event(r);
	if (st != MEM_OK)
		return st;
	if (r->event.type == YAML_STREAM_END_EVENT) {
		*out = new_yaml_node(r, MEM_YAML_MAP);
		return MEM_OK;
	}
	if (r->event.data.document_start.tag_directives.start !=
	    r->event.data.document_start.tag_directives.end)
		return refuse_document(r, r->event.start_mark, "tags are not allowed");
	if ((st = read_yaml_event(r)) != MEM_OK || (st = read_yaml_node(r, out, 0)) != MEM_OK ||
	    (st = read_yaml_event(r)) != MEM_OK || /* the document's end */
	    (st = read_yaml_event(r)) != MEM_OK)
		return st;
	if (r->event.type != YAML_STREAM_END_EVENT)
		return refuse_document(r, r->event.start_mark, "a second document is not allowed");
	assert(*out != NULL);
	if ((*out)->type == MEM_YAML_SCALAR && (*out)->plain && (*out)->scalar.n == 0)
		(*out)->type = MEM_YAML_MAP; /* "---" alone */
	return MEM_OK;
}

static enum mem_status
parse_yaml(struct mem_yaml **out, struct mem_arena *arena, struct mem_str text, const char *name, bool aliased, struct mem_err *err)
{
	struct document_reader r = { .arena = arena, .name = name, .err = err, .aliased = aliased };
	*out = NULL;
	if (text.n > SIZE_MAX_YAML)
		return mem_err_set(err, MEM_FAIL, "%s: larger than 1 MiB", name);
	size_t valid = mem_utf8_valid(text.p, text.n);
	if (valid < text.n) {
		mem_err_set(err, MEM_FAIL, "%s: byte %zu is not UTF-8", name, valid);
		if (err != NULL)
			err->offset = valid;
		return MEM_FAIL;
	}
	if (yaml_parser_initialize(&r.parser) != 1)
		return mem_err_set(err, MEM_FAIL, "%s: out of memory", name);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text.n > 0 ? text.p : ""), text.n);
	enum mem_status st = read_yaml_document(&r, out);
	if (r.have_event)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	free(r.anchors);
	return st;
}

enum mem_status
mem_yaml_parse(struct mem_yaml **out, struct mem_arena *arena, struct mem_str text,
    const char *name, struct mem_err *err)
{
	return parse_yaml(out, arena, text, name, false, err);
}

enum mem_status
mem_yaml_parse_aliased(struct mem_yaml **out, struct mem_arena *arena, struct mem_str text,
    const char *name, struct mem_err *err)
{
	return parse_yaml(out, arena, text, name, true, err);
}

enum mem_status
mem_yaml_load(struct mem_yaml **out, struct mem_arena *arena, int dirfd, const char *path,
    struct mem_err *err)
{
	struct mem_buf text = { 0 };
	*out = NULL;
	enum mem_status st = mem_file_read_own(dirfd, path, SIZE_MAX_YAML, &text, err);
	if (st == MEM_OK)
		st = mem_yaml_parse(out, arena, mem_buf_span(&text), path, err);
	mem_buf_release(&text);
	return st;
}

static struct mem_str
take_digits(struct mem_str s, size_t *at)
{
	size_t from = *at;
	while (*at < s.n && s.p[*at] >= '0' && s.p[*at] <= '9')
		++*at;
	return (struct mem_str){ s.p + from, *at - from };
}

bool
mem_yaml_number_put(struct mem_buf *json, struct mem_str s)
{
	size_t at = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+');
	struct mem_str whole = take_digits(s, &at), part = { 0 };
	if (at < s.n && s.p[at] == '.') {
		at++;
		part = take_digits(s, &at);
	}
	bool number = whole.n + part.n > 0;
	size_t power = at;
	if (number && at < s.n && (s.p[at] == 'e' || s.p[at] == 'E')) {
		at++;
		at += at < s.n && (s.p[at] == '-' || s.p[at] == '+');
		number = take_digits(s, &at).n > 0;
	}
	if (!number || at < s.n)
		return false;
	while (whole.n > 1 && whole.p[0] == '0') /* JSON has none before another digit */
		whole.p++, whole.n--;
	mem_buf_puts(json, s.p[0] == '-' ? "-" : "");
	mem_buf_str(json, whole.n > 0 ? whole : MEM_STR("0"));
	mem_buf_puts(json, part.n > 0 ? "." : "");
	mem_buf_str(json, part);
	mem_buf_put(json, s.p + power, s.n - power);
	return true;
}

const struct mem_yaml *
mem_yaml_get(const struct mem_yaml *root, const char *path)
{
	while (root != NULL && *path != '\0') {
		size_t n = strcspn(path, ".");
		const struct mem_yaml *m = root->type == MEM_YAML_MAP ? root->child : NULL;
		while (m != NULL && !mem_str_eq(m->key, (struct mem_str){ path, n }))
			m = m->next;
		root = m;
		path += n + (path[n] == '.');
	}
	return root;
}
