/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of mem-search --queries, and what people read of a hit. */
#include "query/query_int.h"

static enum mem_status
refuse_query_field(struct mem_err *err, const char *reason, const char *name)
{
	return mem_err_record(err, reason, 0, "'%s' has a value that makes no sense", name);
}

/* One string, or one of several. */
static enum mem_status
add_filter_value(struct mem_filter *f, enum mem_filter_field field, struct mem_arena *arena, struct mem_json v, int64_t now,
    struct mem_err *err)
{
	struct mem_str value = mem_json_text(arena, v);
	return value.p != NULL ? mem_filter_add(f, field, value, false, now, err) : mem_filter_refuse(field, v.raw, err);
}

/* It counts instead of what the options say. */
static void
drop_filter_option(struct mem_filter *f, enum mem_filter_field field)
{
	switch (field) {
	case MEM_FILTER_KIND: f->kinds = (struct mem_kind_set){ 0 }; break;
	case MEM_FILTER_NS: f->ns.n = 0; break;
	case MEM_FILTER_SESSION: f->session.n = 0; break;
	case MEM_FILTER_SINCE: f->since = MEM_TIME_NONE; break;
	case MEM_FILTER_UNTIL: f->until = MEM_TIME_NONE; break;
	default: break;
	}
}

/* Of `kind` and `ns` several, in an array that is not empty. */
static enum mem_status
read_filter_field(struct mem_filter *f, enum mem_filter_field field, struct mem_arena *arena, struct mem_json v, int64_t now,
    struct mem_err *err)
{
	bool several = v.type == MEM_JSON_ARRAY && (field == MEM_FILTER_KIND || field == MEM_FILTER_NS);
	struct mem_json_iter it = mem_json_each(v);
	drop_filter_option(f, field);
	if (!several || !mem_json_next(&it))
		return add_filter_value(f, field, arena, v, now, err);
	enum mem_status st;
	do
		st = add_filter_value(f, field, arena, it.value, now, err);
	while (st == MEM_OK && mem_json_next(&it));
	return st;
}

static enum mem_status
read_query_field(struct mem_search_options *options, struct mem_filter *f, struct mem_arena *arena, const struct mem_field *field,
    int64_t now, struct mem_err *err)
{
	static const enum mem_filter_field filters[] = {
		MEM_FILTER_NS, MEM_FILTER_SESSION, MEM_FILTER_SINCE, MEM_FILTER_UNTIL, MEM_FILTER_KIND, MEM_FILTER_AS_OF,
		MEM_FILTER_KNOWN_AT,
	};
	struct mem_json v = field->value;
	int64_t n;
	if (v.type == MEM_JSON_NULL)
		return MEM_OK; /* the same as not there */
	if (mem_str_is(field->key, "query")) {
		options->query = mem_json_text(arena, v);
		return options->query.p != NULL ? MEM_OK : refuse_query_field(err, "bad_value", "query");
	}
	if (mem_str_is(field->key, "n")) {
		if (!mem_json_int(v, &n) || n < 1)
			return refuse_query_field(err, "bad_value", "n");
		options->limit = n, options->candidates_alone = false;
	}
	if (mem_str_is(field->key, "include_superseded")) {
		if (v.type != MEM_JSON_TRUE && v.type != MEM_JSON_FALSE)
			return refuse_query_field(err, "bad_value", "include_superseded");
		f->past.superseded = v.type == MEM_JSON_TRUE;
	}
	for (size_t i = 0; i < MEM_COUNT(filters); i++)
		if (mem_str_is(field->key, mem_filter_field_name(filters[i])))
			return read_filter_field(f, filters[i], arena, v, now, err);
	return MEM_OK;
}

static enum mem_status
read_query_record(struct mem_search_options *options, struct mem_filter *f, struct mem_arena *arena, const struct mem_rec *r,
    int64_t now, struct mem_err *err)
{
	const struct mem_field *qid = mem_rec_find(r, "qid");
	if (qid != NULL && (qid->value.type == MEM_JSON_STRING || qid->value.type == MEM_JSON_NUMBER))
		options->qid = mem_arena_str(arena, qid->value.raw);
	else if (qid != NULL && qid->value.type != MEM_JSON_NULL)
		return refuse_query_field(err, "bad_value", "qid");
	options->query = (struct mem_str){ NULL, 0 };
	for (size_t i = 0; i < r->nfields; i++) {
		enum mem_status st = read_query_field(options, f, arena, &r->fields[i], now, err);
		if (st != MEM_OK)
			return st;
	}
	return options->query.p != NULL ? MEM_OK : refuse_query_field(err, "bad_value", "query");
}

enum mem_status
mem_query_line_read(struct mem_search_options *options, struct mem_filter *f, struct mem_arena *arena, const struct mem_line *line,
    int64_t now, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	options->qid = mem_str(mem_arena_printf(arena, "%llu", (unsigned long long)line->number));
	if (line->too_long)
		return mem_err_record(err, "too_long", line->text.n, "the line is too long");
	enum mem_status st = mem_rec_scan(&r, line->text, err);
	if (st == MEM_OK)
		st = read_query_record(options, f, arena, &r, now, err);
	mem_rec_release(&r);
	return st == MEM_USAGE ? MEM_REFUSED : st; /* the line's fault, not the caller's */
}

void
query_put_end_record(struct mem_buf *out, struct mem_str qid, size_t hits, const char *reason)
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
mem_search_query_line(struct mem_hits **out, struct mem_buf *end, struct mem_searcher *m,
    const struct mem_search_options *base, const struct mem_line *line, struct mem_err *err)
{
	struct mem_search_options options = *base;
	struct mem_arena arena = { 0 };
	struct mem_filter filter = MEM_FILTER_INIT;
	struct mem_err fault;
	*out = NULL;
	if (base->filter != NULL)
		mem_filter_copy(&filter, base->filter);
	options.filter = &filter;
	enum mem_status st = mem_query_line_read(&options, &filter, &arena, line, mem_store_now(m->index.store), &fault);
	if (st == MEM_OK)
		st = mem_search_query(out, m, &options, &fault);
	if (st == MEM_USAGE)
		st = MEM_REFUSED; /* the query's fault, not the caller's */
	if (st == MEM_OK) {
		query_put_end_record(end, options.qid, mem_hits_count(*out), NULL);
		query_hits_keep(*out, &arena, &filter);
	}
	if (st == MEM_REFUSED)
		query_put_end_record(end, options.qid, 0, fault.reason);
	if (st != MEM_OK && err != NULL)
		*err = fault;
	mem_filter_release(&filter);
	mem_arena_release(&arena);
	return st;
}
