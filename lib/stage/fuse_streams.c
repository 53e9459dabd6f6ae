/* SPDX-License-Identifier: Apache-2.0 */
/* The stage fuse: hits are gathered by query, then joined and scored. */
#include "stage/fuse_streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

static const double SCORE_MAX = 1e100; /* squares and sums of it are finite */
enum { SIGNALS_MAX = 64 };             /* of one hit; each is looked for among those of all hits of a record */

/* A hit as it came. */
struct fuse_hit {
	uint32_t query, list, rank; /* rank 0: none given */
	double score;
	struct mem_str id;         /* in quotes */
	struct mem_str line;       /* ARENA */
};
struct fuse_query {
	struct mem_str qid;        /* JSON, a string without escapes; empty: none */
	struct mem_str end;        /* its end record, empty: none came */
	struct mem_str mode;       /* of the last hit */
	uint32_t lists, rank;
	uint64_t stream;           /* of the last hit; UINT64_MAX: none */
};
struct fuser {
	struct mem_fuse_options opts;
	struct mem_arena arena;
	struct mem_rec rec;
	struct mem_buf text;
	struct fuse_hit *hits;
	size_t n, cap;
	struct fuse_query *queries;
	size_t nqueries, queries_cap;
	uint32_t *slots;           /* by the hash of their qid: a query's number from 1, 0: free */
	size_t nslots;             /* a power of two, at most half of them taken */
	uint8_t secret[MEM_SECRET_LEN];
};

static void *
open_fuser(const void *options)
{
	static const struct mem_fuse_options defaults = MEM_FUSE_OPTIONS_INIT;
	struct fuser *f = mem_xcalloc(1, sizeof *f);
	f->opts = options != NULL ? *(const struct mem_fuse_options *)options : defaults;
	mem_random(f->secret, sizeof f->secret);
	return f;
}

static void
free_fuser(void *state)
{
	struct fuser *f = state;
	mem_arena_release(&f->arena);
	mem_rec_release(&f->rec);
	mem_buf_release(&f->text);
	free(f->hits);
	free(f->queries);
	free(f->slots);
	free(f);
}

/* ---- taking hits in ----------------------------------------------------- */

/* The slot that holds the query, or the free one that waits for it. */
static uint32_t *
find_query_slot(const struct fuser *f, struct mem_str qid)
{
	size_t i = mem_hash64(f->secret, qid) & (f->nslots - 1);
	while (f->slots[i] != 0 && !mem_str_eq(f->queries[f->slots[i] - 1].qid, qid))
		i = (i + 1) & (f->nslots - 1);
	return &f->slots[i];
}

static void
grow_query_slots(struct fuser *f)
{
	if (f->nqueries < f->nslots / 2)
		return;
	free(f->slots);
	f->nslots = f->nslots > 0 ? 2 * f->nslots : 16;
	f->slots = mem_xcalloc(f->nslots, sizeof *f->slots);
	for (size_t i = 0; i < f->nqueries; i++)
		*find_query_slot(f, f->queries[i].qid) = (uint32_t)i + 1;
}

/* One value however it is written: a string's escapes are undone, which makes no two alike that were not.
 * BORROWS until the next. */
static struct mem_str
normalise_string(struct fuser *f, struct mem_json v)
{
	if (!v.escaped)
		return v.raw;
	mem_buf_reset(&f->text);
	mem_buf_putc(&f->text, '"');
	mem_json_decode(&f->text, v);
	mem_buf_putc(&f->text, '"');
	return mem_buf_span(&f->text);
}

static uint32_t
find_or_add_query(struct fuser *f, struct mem_str qid)
{
	grow_query_slots(f);
	uint32_t *slot = find_query_slot(f, qid);
	if (*slot > 0)
		return *slot - 1;
	f->queries = mem_grow(f->queries, &f->queries_cap, f->nqueries + 1, sizeof *f->queries);
	f->queries[f->nqueries] = (struct fuse_query){ .qid = mem_arena_str(&f->arena, qid), .stream = UINT64_MAX };
	*slot = (uint32_t)++f->nqueries;
	return *slot - 1;
}

static void
add_end_record(struct fuser *f, struct fuse_query *q, struct mem_json hits)
{
	/* A stream that failed says so, whatever the others found. */
	bool failed = mem_json_there(mem_rec_value(&f->rec, "error"));
	if (failed || q->end.n == 0 || !mem_json_there(hits))
		q->end = mem_arena_str(&f->arena, f->rec.text);
}

static void
number_hit_list(struct fuse_query *q, struct fuse_hit *e, size_t stream, bool split, struct mem_str mode, struct mem_arena *a)
{
	bool next = q->stream != stream || !mem_str_eq(mode, q->mode) || (e->rank > 0 && e->rank <= q->rank);
	if (e->rank == 0)
		e->rank = next ? 1 : q->rank + 1;
	if (!split)
		e->list = (uint32_t)stream;
	else
		e->list = q->lists == 0 ? 0 : q->lists - 1 + next;
	if (e->list >= q->lists)
		q->lists = e->list + 1;
	if (next)
		q->mode = mem_arena_str(a, mode);
	q->rank = e->rank;
	q->stream = stream;
}

static enum mem_status
refuse_hit_field(const struct fuser *f, const char *name, struct mem_err *err)
{
	const struct mem_field *v = mem_rec_find(&f->rec, name);
	size_t at = v != NULL ? (size_t)(v->value.raw.p - f->rec.text.p) : 0;
	return mem_err_record(err, "bad_value", at, "a hit has %s", strcmp(name, "id") == 0 ? "an id"
	    : strcmp(name, "rank") == 0 ? "a rank from 1, or none"
	    : strcmp(name, "signals") == 0 ? "at most 64 signals" : "a score, a number within 1e100");
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
add_fuse_hit(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err)
{
	struct fuser *f = state;
	struct fuse_hit e = { .line = line };
	int64_t rank;
	(void)out; /* all is read before anything is given */
	enum mem_status st = mem_rec_scan(&f->rec, line, err);
	if (st != MEM_OK)
		return st;
	uint32_t number = find_or_add_query(f, normalise_string(f, mem_rec_value(&f->rec, "qid")));
	struct fuse_query *q = &f->queries[number];
	if (mem_rec_value(&f->rec, "end").type == MEM_JSON_TRUE) {
		add_end_record(f, q, mem_rec_value(&f->rec, "hits"));
		return MEM_OK;
	}
	struct mem_json id = mem_rec_value(&f->rec, "id"), place = mem_rec_value(&f->rec, "rank");
	if (id.type != MEM_JSON_STRING)
		return refuse_hit_field(f, "id", err);
	if (!mem_json_num(mem_rec_value(&f->rec, "score"), &e.score) || fabs(e.score) > SCORE_MAX)
		return refuse_hit_field(f, "score", err);
	if (!mem_json_there(place))
		rank = 0;
	else if (!mem_json_int(place, &rank) || rank < 1 || rank > UINT32_MAX)
		return refuse_hit_field(f, "rank", err);
	if (has_too_many_signals(mem_rec_value(&f->rec, "signals")))
		return refuse_hit_field(f, "signals", err);
	e.query = number;
	e.rank = (uint32_t)rank;
	e.line = mem_arena_str(&f->arena, line);
	e.id = id.escaped ? mem_arena_str(&f->arena, normalise_string(f, id)) : (struct mem_str){ e.line.p + (id.raw.p - line.p), id.raw.n };
	number_hit_list(q, &e, stream, f->opts.streams < 2, mem_rec_value(&f->rec, "mode").raw, &f->arena);
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
	if (x->query != y->query)
		return x->query < y->query ? -1 : 1;
	int c = mem_str_cmp(x->id, y->id);
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
	return mem_str_cmp(x->first->id, y->first->id);
}

static size_t
group_hits(const struct fuse_hit *e, size_t n, struct fuse_record *records)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		if (count > 0 && mem_str_eq(records[count - 1].first->id, e[i].id))
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
			lists[e->list].score[i] = e->score;
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
	for (size_t i = 0; i < m->n; i++) {
		struct mem_json hit;
		if (mem_json_scan(&hit, m->first[i].line, NULL) == MEM_OK) /* it was scanned when it came */
			add_signal_texts(s, mem_json_member(hit, "signals"));
	}
	if (mem_rec_scan(r, m->first->line, NULL) != MEM_OK)
		return;
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

/* {"qid":…,"end":true,"hits":N} of a query that had an end. */
static void
put_end_record(struct mem_buf *out, struct mem_rec *r, const struct fuse_query *q, size_t hits)
{
	struct mem_buf n = { 0 };
	if (q->end.n == 0 || mem_rec_scan(r, q->end, NULL) != MEM_OK)
		return;
	mem_buf_printf(&n, "%zu", hits);
	const struct mem_edit edit = { "hits", mem_buf_span(&n) };
	mem_rec_edit(out, r, &edit, 1);
	mem_buf_putc(out, '\n');
	mem_buf_release(&n);
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
	qsort(records, count, sizeof *records, compare_records_by_score);
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
	for (size_t i = 0; o->weights != NULL && i < f->nqueries; i++)
		if (f->queries[i].lists > o->nweights)
			return mem_err_set(err, MEM_USAGE, "%u lists but %zu weights", f->queries[i].lists, o->nweights);
	if (f->n > 0)
		qsort(f->hits, f->n, sizeof *f->hits, compare_hits_by_record);
	for (size_t i = 0, at = 0; i < f->nqueries; i++) {
		size_t n = 0;
		while (at + n < f->n && f->hits[at + n].query == i)
			n++;
		size_t lists = f->queries[i].lists < MEM_FUSE_LISTS_MAX ? f->queries[i].lists : MEM_FUSE_LISTS_MAX;
		size_t put = n > 0 ? fuse_query_hits(f, f->hits + at, n, lists, o, out) : 0;
		put_end_record(out, &f->rec, &f->queries[i], put);
		at += n;
	}
	return MEM_OK;
}

const struct mem_stage mem_stage_fuse = {
	.name = "fuse", .open = open_fuser, .add = add_fuse_hit, .end = put_fused_hits, .free = free_fuser,
};
