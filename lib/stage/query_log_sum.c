/* SPDX-License-Identifier: Apache-2.0 */
/* The query log in figures, by mode and class. */
#include "stage/query_log.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "query/query.h"
#include "record/record.h"


struct query_log_row {
	struct mem_str mode, class; /* ARENA; empty: the record has none */
	uint64_t count, empty, rejected, failed;
	double ms, scores;
	uint64_t timed, scored;     /* records that have a time, a mean score */
};
struct query_log_sum {
	struct query_log_row *rows;
	size_t n, cap;
	struct query_log_row all;
	struct mem_arena arena;
	struct mem_rec rec;
	int64_t since, until;
};

static struct query_log_row *
find_log_row(struct query_log_sum *s, struct mem_str mode, struct mem_str class)
{
	for (size_t i = 0; i < s->n; i++)
		if (mem_str_eq(s->rows[i].mode, mode) && mem_str_eq(s->rows[i].class, class))
			return &s->rows[i];
	s->rows = mem_grow(s->rows, &s->cap, s->n + 1, sizeof *s->rows);
	s->rows[s->n] = (struct query_log_row){ .mode = mem_arena_str(&s->arena, mode), .class = mem_arena_str(&s->arena, class) };
	return &s->rows[s->n++];
}

static void
add_to_log_row(struct query_log_row *row, const struct mem_rec *rec)
{
	double v;
	row->count++;
	if (mem_json_num(mem_rec_value(rec, "ms"), &v)) {
		row->ms += v;
		row->timed++;
	}
	if (mem_json_num(mem_rec_value(rec, "avg_score"), &v)) {
		row->scores += v;
		row->scored++;
	}
	struct mem_json outcome = mem_rec_value(rec, "outcome");
	row->empty += mem_json_is(outcome, "empty");
	row->rejected += mem_json_is(outcome, "rejected");
	row->failed += mem_json_is(outcome, "failed");
}

/* The word of a string as it is written; what has escapes is no word. */
static struct mem_str
read_log_key(struct mem_json v)
{
	if (v.type != MEM_JSON_STRING || v.escaped)
		return MEM_STR("");
	return (struct mem_str){ v.raw.p + 1, v.raw.n - 2 };
}

/* A mem_listing_line_fn; what does not read is passed over. */
static enum mem_status
add_log_record(void *ctx, struct mem_str line, struct mem_err *err)
{
	struct query_log_sum *s = ctx;
	struct mem_arena a = { 0 };
	int64_t at;
	(void)err;
	if (mem_rec_scan(&s->rec, line, NULL) == MEM_OK && mem_time_parse(mem_json_text(&a, mem_rec_value(&s->rec, "created_at")), &at) &&
	    at >= s->since && at < s->until) {
		add_to_log_row(find_log_row(s, read_log_key(mem_rec_value(&s->rec, "mode")), read_log_key(mem_rec_value(&s->rec, "class"))), &s->rec);
		add_to_log_row(&s->all, &s->rec);
	}
	mem_arena_release(&a);
	return MEM_OK;
}

static enum mem_status
read_query_log(struct query_log_sum *sum, struct mem_store *s, struct mem_err *err)
{
	struct mem_listing *l = NULL;
	struct mem_filter f = MEM_FILTER_INIT; /* owns nothing */
	mem_kind_set_add(&f.kinds, MEM_KIND_QUERY);
	f.live = true;
	enum mem_status st = mem_listing_open(&l, s, &f, NULL, err);
	if (st == MEM_OK)
		st = mem_listing_each(l, add_log_record, sum, err);
	mem_listing_free(l);
	return st;
}

static int
compare_log_rows(const void *a, const void *b)
{
	const struct query_log_row *x = a, *y = b;
	int c = mem_str_cmp(x->mode, y->mode);
	return c != 0 ? c : mem_str_cmp(x->class, y->class);
}

static double
divide_or_nan(double sum, uint64_t n)
{
	return n > 0 ? sum / (double)n : (double)NAN;
}

static void
put_log_figures(struct mem_buf *out, const struct query_log_row *row)
{
	mem_json_put_int(out, "count", (int64_t)row->count);
	mem_json_put_num(out, "ms", divide_or_nan(row->ms, row->timed));
	mem_json_put_num(out, "avg_score", divide_or_nan(row->scores, row->scored));
	mem_json_put_num(out, "empty", divide_or_nan((double)row->empty, row->count));
	mem_json_put_num(out, "rejected", divide_or_nan((double)row->rejected, row->count));
	mem_json_put_num(out, "failed", divide_or_nan((double)row->failed, row->count));
}

enum mem_status
mem_query_log_sum_up(struct mem_buf *out, struct mem_store *s, int64_t since, int64_t until, struct mem_err *err)
{
	struct query_log_sum sum = { .since = since, .until = until };
	enum mem_status st = read_query_log(&sum, s, err);
	mem_sort(sum.rows, sum.n, sizeof *sum.rows, compare_log_rows);
	mem_buf_puts(out, "{\"queries\":{");
	put_log_figures(out, &sum.all);
	mem_buf_puts(out, "},\"by\":[");
	for (size_t i = 0; i < sum.n; i++) {
		mem_buf_puts(out, i > 0 ? ",{" : "{");
		mem_json_put_text(out, "mode", sum.rows[i].mode);
		mem_json_put_text(out, "class", sum.rows[i].class);
		put_log_figures(out, &sum.rows[i]);
		mem_buf_putc(out, '}');
	}
	mem_buf_puts(out, "]}");
	free(sum.rows);
	mem_arena_release(&sum.arena);
	mem_rec_release(&sum.rec);
	return st;
}
