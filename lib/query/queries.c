/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of mem-search --queries, and names of kinds and roles. */
#include "query/query_int.h"
#include "store/node.h"

bool
mem_query_kind(uint32_t *kinds, struct mem_str name)
{
	enum mem_kind k = mem_kind_parse(name);
	*kinds |= k != MEM_KIND_NONE ? UINT32_C(1) << k : 0;
	return k != MEM_KIND_NONE;
}

bool
mem_query_role(uint32_t *roles, struct mem_str name)
{
	enum mem_role r = mem_role_parse(name);
	*roles |= r != MEM_ROLE_NONE ? UINT32_C(1) << r : 0;
	return r != MEM_ROLE_NONE;
}

enum mem_status
mem_recall_kinds(uint32_t *kinds, const char *const *names, size_t n, struct mem_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (!mem_query_kind(kinds, mem_str(names[i])))
			return mem_err_set(err, MEM_USAGE, "no such kind: '%.60s'", names[i]);
	return MEM_OK;
}

enum mem_status
mem_recall_roles(uint32_t *roles, const char *const *names, size_t n, struct mem_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (!mem_query_role(roles, mem_str(names[i])))
			return mem_err_set(err, MEM_USAGE, "no such role: '%.60s'", names[i]);
	return MEM_OK;
}

static enum mem_status
bad(struct mem_err *err, const char *reason, const char *name)
{
	return mem_err_record(err, reason, 0, "'%s' has a value that makes no sense", name);
}

static enum mem_status
take_time(int64_t *ms, const char *name, struct mem_str s, int64_t now, struct mem_err *err)
{
	return s.p != NULL && mem_time_parse_user(s, now, ms) ? MEM_OK : bad(err, "bad_time", name);
}

/* A string, or an array of strings; *n 0 when it is neither. */
static const char *const *
take_list(struct mem_arena *arena, struct mem_json v, size_t *n)
{
	size_t count = 0;
	*n = 0;
	for (struct mem_json_iter it = mem_json_each(v); v.type == MEM_JSON_ARRAY && mem_json_next(&it);)
		count++;
	const char **list = mem_arena_alloc(arena, (count + 1) * sizeof *list);
	if (v.type != MEM_JSON_ARRAY) {
		list[0] = mem_json_text(arena, v).p;
		*n = list[0] != NULL;
		return list;
	}
	for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);) {
		list[*n] = mem_json_text(arena, it.value).p;
		if (list[(*n)++] == NULL) {
			*n = 0;
			break;
		}
	}
	return list;
}

static enum mem_status
take_kinds(struct mem_recall_ask *ask, struct mem_arena *arena, struct mem_json v, struct mem_err *err)
{
	size_t n;
	const char *const *list = take_list(arena, v, &n);
	ask->kinds = 0;
	return n > 0 && mem_recall_kinds(&ask->kinds, list, n, NULL) == MEM_OK ? MEM_OK :
	    bad(err, "bad_value", "kind");
}

static enum mem_status
take_ns(struct mem_recall_ask *ask, struct mem_arena *arena, struct mem_json v, struct mem_err *err)
{
	ask->ns = take_list(arena, v, &ask->nns);
	return ask->nns > 0 ? MEM_OK : bad(err, "bad_value", "ns");
}

static enum mem_status
take_field(struct mem_recall_ask *ask, struct mem_arena *arena, const struct mem_field *f,
    int64_t now, struct mem_err *err)
{
	struct mem_json v = f->value;
	int64_t n;
	if (v.type == MEM_JSON_NULL)
		return MEM_OK; /* the same as not there */
	if (mem_str_is(f->key, "query")) {
		ask->query = mem_json_text(arena, v);
		return ask->query.p != NULL ? MEM_OK : bad(err, "bad_value", "query");
	}
	if (mem_str_is(f->key, "n")) {
		if (!mem_json_int(v, &n) || n < 1)
			return bad(err, "bad_value", "n");
		ask->limit = n;
	} else if (mem_str_is(f->key, "session")) {
		ask->session = mem_json_text(arena, v).p;
		if (ask->session == NULL)
			return bad(err, "bad_value", "session");
	} else if (mem_str_is(f->key, "since")) {
		return take_time(&ask->since, "since", mem_json_text(arena, v), now, err);
	} else if (mem_str_is(f->key, "until")) {
		return take_time(&ask->until, "until", mem_json_text(arena, v), now, err);
	} else if (mem_str_is(f->key, "ns")) {
		return take_ns(ask, arena, v, err);
	} else if (mem_str_is(f->key, "kind")) {
		return take_kinds(ask, arena, v, err);
	}
	return MEM_OK;
}

static enum mem_status
take_record(struct mem_recall_ask *ask, struct mem_arena *arena, const struct mem_rec *r,
    int64_t now, struct mem_err *err)
{
	const struct mem_field *qid = mem_rec_find(r, "qid");
	if (qid != NULL && (qid->value.type == MEM_JSON_STRING || qid->value.type == MEM_JSON_NUMBER))
		ask->qid = mem_arena_str(arena, qid->value.raw);
	else if (qid != NULL && qid->value.type != MEM_JSON_NULL)
		return bad(err, "bad_value", "qid");
	ask->query = (struct mem_str){ NULL, 0 };
	for (size_t i = 0; i < r->nfields; i++) {
		enum mem_status st = take_field(ask, arena, &r->fields[i], now, err);
		if (st != MEM_OK)
			return st;
	}
	return ask->query.p != NULL ? MEM_OK : bad(err, "bad_value", "query");
}

enum mem_status
mem_query_line(struct mem_recall_ask *ask, struct mem_arena *arena, const struct mem_line *line,
    int64_t now, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	ask->qid = mem_str(mem_arena_printf(arena, "%llu", (unsigned long long)line->number));
	if (line->too_long)
		return mem_err_record(err, "too_long", line->text.n, "the line is too long");
	enum mem_status st = mem_rec_scan(&r, line->text, err);
	if (st == MEM_OK)
		st = take_record(ask, arena, &r, now, err);
	mem_rec_release(&r);
	return st;
}

void
mem_query_put_end(struct mem_buf *out, struct mem_str qid, size_t hits, const char *reason)
{
	mem_buf_putc(out, '{');
	mem_json_put_raw(out, "qid", qid);
	mem_json_put_raw(out, "end", MEM_STR("true"));
	mem_json_put_int(out, "hits", (int64_t)hits);
	if (reason != NULL)
		mem_json_put_field(out, "error", mem_str(reason));
	mem_buf_putc(out, '}');
}

enum mem_status
mem_recall_line(struct mem_hits **out, struct mem_buf *end, struct mem_searcher *m,
    const struct mem_recall_ask *base, const struct mem_line *line, struct mem_err *err)
{
	struct mem_recall_ask ask = *base;
	struct mem_arena arena = { 0 };
	struct mem_err fault;
	*out = NULL;
	enum mem_status st = mem_query_line(&ask, &arena, line, mem_store_now(m->index.store), &fault);
	if (st == MEM_OK)
		st = mem_recall(out, m, &ask, &fault);
	if (st == MEM_USAGE)
		st = MEM_NONE; /* the query's fault, not the caller's */
	if (st == MEM_OK)
		mem_query_put_end(end, ask.qid, mem_hits_count(*out), NULL);
	else if (st == MEM_NONE)
		mem_query_put_end(end, ask.qid, 0, fault.reason);
	if (st != MEM_OK && err != NULL)
		*err = fault;
	mem_arena_release(&arena);
	return st;
}

/* The first of up to three fields that has a value, as text. */
static struct mem_str
cell_of(struct mem_arena *arena, const struct mem_rec *hit, const char *const names[3])
{
	for (size_t k = 0; k < 3 && names[k] != NULL; k++) {
		const struct mem_field *f = mem_rec_find(hit, names[k]);
		if (f == NULL || f->value.type == MEM_JSON_NULL)
			continue;
		struct mem_str text = mem_json_text(arena, f->value);
		return text.p != NULL ? text : f->value.raw;
	}
	return MEM_STR("");
}

size_t
mem_hit_row(struct mem_arena *arena, struct mem_str hit, struct mem_str cells[MEM_HIT_CELLS])
{
	static const char *const fields[MEM_HIT_CELLS][3] = {
		{ "rank" }, { "score" }, { "captured_at", "created_at" }, { "speaker", "role", "kind" },
		{ "content", "statement", "title" },
	};
	struct mem_rec r = { 0 };
	struct mem_err err;
	bool read = mem_rec_scan(&r, hit, &err) == MEM_OK;
	for (size_t i = 0; i < MEM_HIT_CELLS; i++)
		cells[i] = read ? cell_of(arena, &r, fields[i]) : hit;
	mem_rec_release(&r);
	return MEM_HIT_CELLS;
}
