/* SPDX-License-Identifier: Apache-2.0 */
/* The stage fuse: hits are gathered by query, then joined and scored. */
#include "stage/fuse_streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "stage/hits_int.h"

enum { SIGNALS_MAX = 64 };             /* of one hit; each is looked for among those of all hits of a record */

/* A hit as it came, and its place. */
struct fuse_hit {
	struct stage_hit hit;
	uint32_t list, rank;       /* rank 0: none given */
};
/* The lists of one query. */
struct fuse_lists {
	struct mem_str mode;       /* of the last hit */
	uint32_t n, rank;
	uint64_t stream;           /* of the last hit; UINT64_MAX: none */
};
struct fuser {
	struct mem_fuse_options opts;
	struct stage_queries queries;
	struct fuse_lists *lists;  /* [queries.qids.n] */
	size_t nlists, lists_cap;
	struct mem_rec rec;
	struct fuse_hit *hits;
	size_t n, cap;
};

static void *
open_fuser(const void *options)
{
	static const struct mem_fuse_options defaults = MEM_FUSE_OPTIONS_INIT;
	struct fuser *f = mem_xcalloc(1, sizeof *f);
	f->opts = options != NULL ? *(const struct mem_fuse_options *)options : defaults;
	return f;
}

static void
free_fuser(void *state)
{
	struct fuser *f = state;
	stage_queries_release(&f->queries);
	mem_rec_release(&f->rec);
	free(f->hits);
	free(f->lists);
	free(f);
}

/* ---- taking hits in ----------------------------------------------------- */

static struct fuse_lists *
find_query_lists(struct fuser *f, uint32_t number)
{
	f->lists = mem_grow(f->lists, &f->lists_cap, (size_t)number + 1, sizeof *f->lists);
	while (f->nlists <= number)
		f->lists[f->nlists++] = (struct fuse_lists){ .stream = UINT64_MAX };
	return &f->lists[number];
}

static void
number_hit_list(struct fuse_lists *q, struct fuse_hit *e, size_t stream, bool split, struct mem_str mode, struct mem_arena *a)
{
	bool next = q->stream != stream || !mem_str_eq(mode, q->mode) || (e->rank > 0 && e->rank <= q->rank);
	if (e->rank == 0)
		e->rank = next ? 1 : q->rank + 1;
	if (!split)
		e->list = (uint32_t)stream;
	else
		e->list = q->n == 0 ? 0 : q->n - 1 + next;
	if (e->list >= q->n)
		q->n = e->list + 1;
	if (next)
		q->mode = mem_arena_str(a, mode);
	q->rank = e->rank;
	q->stream = stream;
}

static bool
has_too_many_signals(struct mem_json signals)
{
	size_t n = 0;
	for (struct mem_json_iter it = mem_json_each(signals); n <= SIGNALS_MAX && mem_json_next(&it);)
		n++;
	return n > SIGNALS_MAX;
}

static enum mem_status
read_hit_rank(const struct mem_rec *r, uint32_t *rank, struct mem_err *err)
{
	struct mem_json place = mem_rec_value(r, "rank");
	int64_t v = 0;
	if (mem_json_there(place) && (!mem_json_int(place, &v) || v < 1 || v > UINT32_MAX))
		return stage_refuse_field(r, "rank", "a rank from 1, or none", err);
	*rank = (uint32_t)v;
	return MEM_OK;
}

static enum mem_status
add_fuse_hit(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err)
{
	struct fuser *f = state;
	struct fuse_hit e = { 0 };
	(void)out; /* all is read before anything is given */
	enum mem_status st = mem_rec_scan(&f->rec, line, err);
	if (st != MEM_OK)
		return st;
	e.hit.query = stage_queries_number(&f->queries, &f->rec);
	struct fuse_lists *q = find_query_lists(f, e.hit.query);
	if (stage_queries_take_end(&f->queries, e.hit.query, &f->rec))
		return MEM_OK;
	st = stage_read_hit(&f->queries, &f->rec, false, &e.hit, err);
	if (st == MEM_OK)
		st = read_hit_rank(&f->rec, &e.rank, err);
	if (st == MEM_OK && has_too_many_signals(mem_rec_value(&f->rec, "signals")))
		st = stage_refuse_field(&f->rec, "signals", "at most 64 signals", err);
	if (st != MEM_OK)
		return st;
	number_hit_list(q, &e, stream, f->opts.streams < 2, mem_rec_value(&f->rec, "mode").raw, &f->queries.qids.arena);
	if (e.list >= MEM_FUSE_LISTS_MAX)
		return mem_err_record(err, "bad_value", 0, "more than %d lists of one query", MEM_FUSE_LISTS_MAX);
	f->hits = mem_grow(f->hits, &f->cap, f->n + 1, sizeof *f->hits);
	f->hits[f->n++] = e;
	return MEM_OK;
}

/* ---- one query ---------------------------------------------------------- */

/* A record: its hits are first .. first + n, one for each list, by list. */
struct fuse_record {
	const struct fuse_hit *first;
	size_t n;
	double score;
};

static int
compare_hits_by_record(const void *a, const void *b)
{
	const struct fuse_hit *x = a, *y = b;
	if (x->hit.query != y->hit.query)
		return x->hit.query < y->hit.query ? -1 : 1;
	int c = mem_str_cmp(x->hit.id, y->hit.id);
	if (c != 0)
		return c;
	if (x->list != y->list)
		return x->list < y->list ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int
compare_records_by_score(const void *a, const void *b)
{
	const struct fuse_record *x = a, *y = b;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return mem_str_cmp(x->first->hit.id, y->first->hit.id);
}

static size_t
group_hits(const struct fuse_hit *e, size_t n, struct fuse_record *records)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		if (count > 0 && mem_str_eq(records[count - 1].first->hit.id, e[i].hit.id))
			records[count - 1].n++;
		else
			records[count++] = (struct fuse_record){ .first = &e[i], .n = 1 };
	}
	return count;
}

/* Scores and ranks by list, then fused. */
static void
score_records(struct fuse_record *records, size_t n, size_t nlists, const struct mem_fuse_options *o)
{
	struct mem_fuse_list *lists = mem_xcalloc(nlists, sizeof *lists);
	double *cells = mem_xcalloc(n * (nlists + 1), sizeof *cells);
	uint32_t *ranks = mem_xcalloc(n * nlists, sizeof *ranks);
	double *fused = cells + n * nlists;
	for (size_t l = 0; l < nlists; l++)
		lists[l] = (struct mem_fuse_list){ cells + l * n, ranks + l * n, o->weights != NULL ? o->weights[l] : 1 };
	for (size_t i = 0; i < n; i++) {
		for (size_t l = 0; l < nlists; l++)
			lists[l].score[i] = (double)NAN;
		for (size_t j = records[i].n; j-- > 0;) { /* of two in one list the better ranked one */
			const struct fuse_hit *e = &records[i].first[j];
			lists[e->list].score[i] = e->hit.score;
			lists[e->list].rank[i] = e->rank;
		}
	}
	mem_fuse_scores(o->how, lists, nlists, n, fused);
	for (size_t i = 0; i < n; i++)
		records[i].score = round(fused[i] * 1e6) / 1e6 + 0.0;
	free(lists);
	free(cells);
	free(ranks);
}

/* Signals by name; both BORROW from a hit's line. */
struct signal_list {
	struct signal_text {
		struct mem_str key, raw;
	} *v;
	size_t n, cap;
};

/* Of one name the first. */
static void
add_signal_texts(struct signal_list *s, struct mem_json object)
{
	for (struct mem_json_iter it = mem_json_each(object); it.object && mem_json_next(&it);) {
		size_t i = 0;
		while (i < s->n && !mem_str_eq(s->v[i].key, it.key))
			i++;
		if (i < s->n)
			continue;
		s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *s->v);
		s->v[s->n++] = (struct signal_text){ it.key, it.value.raw };
	}
}

static void
put_signal_list(struct mem_buf *out, const struct signal_list *s)
{
	mem_buf_putc(out, '{');
	for (size_t i = 0; i < s->n; i++) {
		mem_buf_puts(out, i > 0 ? ",\"" : "\"");
		mem_buf_str(out, s->v[i].key);
		mem_buf_puts(out, "\":");
		mem_buf_str(out, s->v[i].raw);
	}
	mem_buf_putc(out, '}');
}

static void
put_fused_record(struct mem_buf *out, struct mem_rec *r, const struct fuse_record *m, size_t rank, struct signal_list *s)
{
	struct mem_buf place = { 0 }, score = { 0 }, signals = { 0 };
	s->n = 0;
	for (size_t i = 0; i < m->n; i++)
		add_signal_texts(s, mem_json_member(mem_json_object(m->first[i].hit.line), "signals"));
	mem_rec_look(r, m->first->hit.line);
	mem_buf_printf(&place, "%zu", rank);
	mem_json_put_num(&score, "", m->score);
	put_signal_list(&signals, s);
	struct mem_str number = { score.data + strlen("\"\":"), score.len - strlen("\"\":") };
	struct mem_edit edits[] = {
		{ "rank", mem_buf_span(&place) }, { "score", number }, { "mode", MEM_STR("\"hybrid\"") },
		{ "signals", mem_buf_span(&signals) },
	};
	mem_rec_edit(out, r, edits, MEM_COUNT(edits) - (s->n == 0));
	mem_buf_putc(out, '\n');
	mem_buf_release(&place);
	mem_buf_release(&score);
	mem_buf_release(&signals);
}

/* One query's hits, sorted by record; returns how many hits were put. */
static size_t
fuse_query_hits(struct fuser *f, const struct fuse_hit *e, size_t n, size_t nlists, const struct mem_fuse_options *o,
    struct mem_buf *out)
{
	struct fuse_record *records = mem_xcalloc(n, sizeof *records);
	struct signal_list s = { 0 };
	size_t count = group_hits(e, n, records), put = 0;
	score_records(records, count, nlists, o);
	mem_sort(records, count, sizeof *records, compare_records_by_score);
	while (put < count && (o->limit == 0 || put < o->limit) && records[put].score >= o->min_score) {
		put_fused_record(out, &f->rec, &records[put], put + 1, &s);
		put++;
	}
	free(s.v);
	free(records);
	return put;
}

static enum mem_status
put_fused_hits(void *state, struct mem_buf *out, struct mem_err *err)
{
	struct fuser *f = state;
	const struct mem_fuse_options *o = &f->opts;
	for (size_t i = 0; o->weights != NULL && i < f->nlists; i++)
		if (f->lists[i].n > o->nweights)
			return mem_err_set(err, MEM_USAGE, "%u lists but %zu weights", f->lists[i].n, o->nweights);
	mem_sort(f->hits, f->n, sizeof *f->hits, compare_hits_by_record);
	for (size_t i = 0, at = 0; i < f->nlists; i++) {
		size_t n = 0;
		while (at + n < f->n && f->hits[at + n].hit.query == i)
			n++;
		size_t lists = f->lists[i].n < MEM_FUSE_LISTS_MAX ? f->lists[i].n : MEM_FUSE_LISTS_MAX;
		size_t put = n > 0 ? fuse_query_hits(f, f->hits + at, n, lists, o, out) : 0;
		stage_queries_put_end(out, &f->queries, (uint32_t)i, put, &f->rec);
		at += n;
	}
	return MEM_OK;
}

const struct mem_stage mem_stage_fuse = {
	.name = "fuse", .open = open_fuser, .add = add_fuse_hit, .end = put_fused_hits, .free = free_fuser,
};
