/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors in a real store against a naive walk over all of them: rows that come in any order, again or late;
 * nearest ones under every filter; the other signal of known hits.
 */
#include "index_world.h"

#include <math.h>

#include "vector/vector_int.h"
#include "segment/filter.h"
#include "segment/segment.h"
#include "store/node.h"
#include "store/store.h"
#include "vectors/vectors.h"
#include "words/words.h"
#include "write/tidy.h"

enum { DIMS = 384, NODES = 6000 };

/* What node `ord` is follows from its number, and the vector also from how often it was put. */
struct made {
	struct mem_attr attr;
	uint64_t word;
	float v[DIMS];
};

static uint8_t versions[NODES]; /* 0: it has no vector */
static uint8_t live[NODES];

static float
uniform(uint64_t x)
{
	return (float)(mix(x) >> 40) / (float)(1 << 23) - 1;
}

static void
make_vector(uint64_t seed, float *v, uint32_t dims)
{
	for (uint32_t i = 0; i < dims; i++)
		v[i] = uniform(seed << 16 | i);
	assert_true(mem_normalise(v, dims));
}

static void
make_node(uint32_t ord, struct made *m)
{
	uint64_t r = mix(ord + 1);
	memset(m, 0, sizeof *m);
	m->attr.ns = 1 + (uint32_t)(r % 3);
	m->attr.kind = (r >> 8 & 7) == 0 ? MEM_KIND_FACT : MEM_KIND_EPISODE;
	m->attr.role = 1 + (uint8_t)(r >> 16 & 1);
	m->attr.captured_at = (int64_t)ord * 1000;
	m->attr.session = (uint32_t)(r >> 24 & 63) + 1;
	mem_be64(m->attr.id.b, ord);
	m->word = mix(r >> 32 & 15);
	make_vector((uint64_t)ord * 256 + versions[ord], m->v, DIMS);
}

static enum mem_status
add_nodes(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	enum mem_status st = MEM_OK;
	(void)ctx;
	for (uint32_t ord = 0; ord < NODES && st == MEM_OK; ord++) {
		struct made m;
		uint8_t key[4];
		make_node(ord, &m);
		mem_be32(key, ord);
		struct mem_words_term term = { m.word, 1 };
		struct mem_words_doc doc = { .ord = ord, .ns = m.attr.ns, .length = 1, .terms = &term,
			.nterms = 1, .attr = &m.attr };
		live[ord] = mix(ord + 7) % 16 != 0;
		st = mem_tab_put(t, MEM_T_ATTR, mem_key(key, sizeof key),
		    (struct mem_str){ (const char *)&m.attr, sizeof m.attr }, e);
		if (st == MEM_OK)
			st = mem_words_add(t, &doc, e);
		if (st == MEM_OK)
			st = mem_vectors_pend(t, ord, e);
	}
	return st;
}

static struct mem_vectors_model model = { .name = "test", .sha256 = "aa", .dims = DIMS, .near = .9F, .weight = .6 };

static enum mem_status
put_model(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	return mem_vectors_model_put(t, ctx != NULL ? ctx : &model, e);
}

static enum mem_status
clear_vectors(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	return mem_vectors_clear(t, e);
}

struct puts {
	const uint32_t *ords;
	size_t n;
};

static enum mem_status
put_vectors(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct puts *p = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->n && st == MEM_OK; i++) {
		struct made m;
		make_node(p->ords[i], &m);
		st = mem_vectors_put(t, p->ords[i], &(struct mem_vectors_passage){ .v = m.v }, 1, e);
	}
	return st;
}

static void
give_vectors(const uint32_t *ords, size_t n)
{
	for (size_t i = 0; i < n; i++)
		versions[ords[i]]++;
	for (size_t from = 0; from < n; from += 500) {
		struct puts p = { ords + from, n - from < 500 ? n - from : 500 };
		ASSERT_OK(mem_store_write(store, put_vectors, &p, &err));
	}
}

static void
start(void)
{
	ASSERT_OK(mem_store_write(store, clear_vectors, NULL, &err));
	ASSERT_OK(mem_store_write(store, put_model, NULL, &err));
	memset(versions, 0, sizeof versions);
}

/* ---- what must be there ----------------------------------------------- */

static void
told(void *ctx, const struct mem_breach *b)
{
	print_message("%s: %s\n", b->check, b->message);
	(*(int *)ctx)++;
}

static void
assert_clean(void)
{
	struct mem_txn *t = NULL;
	int breaches = 0;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_vectors_check(t, told, &breaches, &err));
	mem_txn_end(t);
	assert_int_equal(breaches, 0);
}

static void
assert_rows(void)
{
	struct mem_txn *t = NULL;
	uint64_t pending = 0;
	struct made m;
	float got[DIMS];
	ASSERT_OK(mem_txn_read(&t, store, &err));
	for (uint32_t ord = 0; ord < NODES; ord++) {
		enum mem_status st = mem_vectors_get(t, ord, 0, got, &err);
		assert_int_equal(st, versions[ord] > 0 ? MEM_OK : MEM_NOTFOUND);
		pending += versions[ord] == 0;
		if (st == MEM_OK) {
			make_node(ord, &m);
			assert_memory_equal(got, m.v, sizeof got);
		}
	}
	assert_int_equal(mem_vectors_pending_count(t), pending);
	mem_txn_end(t);
	assert_clean();
}

static bool
is_live(void *ctx, uint32_t ord)
{
	(void)ctx;
	return live[ord] != 0;
}

static bool
matches_query(const struct mem_search_query *q, uint32_t ord, const struct made *m)
{
	bool seen = false;
	for (size_t i = 0; i < q->nns; i++)
		seen |= q->ns[i].number == m->attr.ns;
	for (size_t i = 0; i < q->nclauses; i++) {
		bool has = q->clauses[i].hash == m->word;
		if ((q->clauses[i].occur == MEM_MUST && !has) || (q->clauses[i].occur == MEM_MUST_NOT && has))
			return false;
	}
	const struct mem_filter *f = q->filter;
	return seen && versions[ord] > 0 && live[ord]
	    && (mem_kind_set_empty(&f->kinds) || mem_kind_set_has(&f->kinds, m->attr.kind))
	    && (f->roles == 0 || (f->roles >> m->attr.role & 1) != 0)
	    && (f->session_number == 0 || f->session_number == m->attr.session)
	    && m->attr.captured_at >= f->since
	    && (f->until == MEM_TIME_NONE || m->attr.captured_at < f->until);
}

static int
best_first(const void *a, const void *b)
{
	const struct mem_search_hit *x = a, *y = b;
	if (x->score < y->score || x->score > y->score)
		return x->score < y->score ? 1 : -1;
	return mem_id_cmp(&x->id, &y->id);
}

static size_t
find_naively(const struct mem_search_query *q, const float *v, struct mem_search_hit *out)
{
	struct made m;
	size_t n = 0;
	for (uint32_t ord = 0; ord < NODES; ord++) {
		make_node(ord, &m);
		if (!matches_query(q, ord, &m))
			continue;
		double score = nearbyint((double)mem_dot(v, m.v, DIMS) * 1e6) / 1e6;
		if (score >= q->min_score)
			out[n++] = (struct mem_search_hit){ ord, score, m.attr.id, 0 };
	}
	qsort(out, n, sizeof *out, best_first);
	return n < q->limit ? n : q->limit;
}

static void
assert_nearest(struct mem_search_query *q, uint64_t seed)
{
	static struct mem_search_hit want[NODES];
	struct mem_search_hit *hits = NULL;
	struct mem_txn *t = NULL;
	float v[DIMS];
	size_t n = 0;
	make_vector(seed << 32, v, DIMS);
	uint64_t *nodes = NULL;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_words_filter_bitmap(t, q, &nodes, &q->nnodes, &err));
	q->nodes = nodes;
	ASSERT_OK(mem_vectors_nearest(t, q, v, &hits, &n, &err));
	mem_txn_end(t);
	q->nodes = NULL;
	free(nodes);
	assert_int_equal(n, find_naively(q, v, want));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(hits[i].ord, want[i].ord);
		assert_true(!(hits[i].score < want[i].score) && !(hits[i].score > want[i].score));
		assert_memory_equal(&hits[i].id, &want[i].id, sizeof want[i].id);
	}
	free(hits);
}

static struct mem_ns
namespace_now(uint32_t number)
{
	struct mem_txn *t = NULL;
	struct mem_ns ns;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_ns_by_number(t, number, &ns, &err));
	mem_txn_end(t);
	return ns;
}

/* Every kind of filter, alone and together. */
static void
assert_searches(void)
{
	struct mem_ns ns[2] = { namespace_now(1), namespace_now(2) };
	struct mem_search_clause clauses[2] = { { .hash = mix(3), .occur = MEM_MUST, .scored = false, .weight = 1 }, { .hash = mix(5), .occur = MEM_SHOULD, .scored = true, .weight = 1 } };
	for (uint64_t i = 0; i < 24; i++) {
		struct mem_filter f = MEM_FILTER_INIT;
		struct mem_search_query q = { .ns = ns, .nns = 1 + i % 2, .filter = &f,
			.limit = i % 5 == 4 ? SIZE_MAX : 10, .min_score = -2, .admit = is_live };
		if (i & 1)
			f.roles = 1U << MEM_ROLE_USER;
		if (i & 2)
			f.kinds = mem_kind_set_of(MEM_KIND_FACT);
		if (i & 4)
			f.session_number = 7;
		if (i & 8) {
			f.since = NODES / 4 * 1000;
			f.until = NODES / 2 * 1000;
		}
		if (i >= 16) {
			q.clauses = clauses;
			q.nclauses = 2;
			clauses[0].occur = i & 1 ? MEM_MUST : MEM_MUST_NOT;
		}
		if (i % 7 == 6)
			q.min_score = .05;
		assert_nearest(&q, i);
	}
}

/* ---- the tests -------------------------------------------------------- */

static void
rows_come_back_in_whatever_order_they_came(void **state)
{
	(void)state;
	static uint32_t ords[NODES];
	for (int order = 0; order < 4; order++) {
		size_t n = 0;
		start();
		for (uint32_t i = 0; i < NODES; i++) {
			uint32_t ord = order == 1 ? NODES - 1 - i : order == 2 ? i * 2 % NODES + (i * 2 >= NODES) : i;
			if (order != 3 || mix(ord) % 3 != 0)
				ords[n++] = ord;
		}
		give_vectors(ords, n);
		assert_rows();
		/* the late ones, some again, in no order */
		n = 0;
		for (uint32_t i = 0; i < 400; i++) {
			uint32_t ord = (uint32_t)(mix(i) % NODES);
			if (order == 3 || i % 8 == 0)
				ords[n++] = ord;
		}
		give_vectors(ords, n);
		assert_rows();
	}
}

static enum mem_status
drop_vectors(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct puts *p = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->n && st == MEM_OK; i++) {
		st = mem_vectors_drop(t, p->ords[i], e);
		if (st == MEM_OK)
			st = mem_vectors_pend(t, p->ords[i], e);
	}
	return st;
}

/* Flushes and merges whatever can be. */
static void
tidy(void)
{
	for (bool did = true; did;)
		ASSERT_OK(mem_index_tidy(store, UINT32_MAX, &did, &err));
}

static struct mem_index_stat
stat_now(void)
{
	struct mem_txn *t = NULL;
	struct mem_index_stat s;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_index_stat(t, &s, &err));
	mem_txn_end(t);
	return s;
}

static void
the_nearest_are_found_under_every_filter(void **state)
{
	(void)state;
	static uint32_t ords[NODES], more[NODES];
	size_t n = 0, nmore = 0;
	start();
	for (uint32_t ord = 0; ord < NODES; ord++) {
		if (mix(ord) % 10 != 0)
			ords[n++] = ord;
		else if (ord % 2 == 0)
			more[nmore++] = ord;
	}
	give_vectors(ords, n);
	assert_searches();
	tidy();
	assert_int_equal(stat_now().vectors, n);
	assert_int_equal(stat_now().vector_tail, 0);
	assert_searches();
	/* late ones, others instead of some, and some that go: in the tail, in segments, in both */
	give_vectors(more, nmore);
	give_vectors(ords + 100, 100);
	assert_searches();
	struct puts gone = { ords + 150, 100 };
	ASSERT_OK(mem_store_write(store, drop_vectors, &gone, &err));
	for (size_t i = 0; i < gone.n; i++)
		versions[gone.ords[i]] = 0;
	assert_rows();
	assert_searches();
	assert_int_equal(stat_now().vectors, n + nmore - 100);
	tidy();
	assert_rows();
	assert_searches();
	assert_int_equal(stat_now().vectors, n + nmore - 100);
	give_vectors(ords + 140, 20);
	tidy();
	assert_rows();
	assert_searches();
	assert_int_equal(stat_now().vectors, n + nmore - 90);
}

static void
the_other_signal_is_that_of_a_search(void **state)
{
	(void)state;
	static uint32_t ords[NODES];
	struct mem_ns ns[2] = { namespace_now(1), namespace_now(2) };
	struct mem_search_clause clauses[2] = { { .hash = mix(3), .occur = MEM_SHOULD, .scored = true, .weight = 1 }, { .hash = mix(5), .occur = MEM_SHOULD, .scored = true, .weight = 2 } };
	struct mem_search_query q = { .clauses = clauses, .nclauses = 2, .ns = ns, .nns = 2, .limit = SIZE_MAX };
	struct mem_search_hit *hits = NULL;
	struct mem_txn *t = NULL;
	struct made m;
	static double scores[NODES], want[NODES];
	float v[DIMS];
	size_t n = 0;
	make_vector(99, v, DIMS);
	for (uint32_t ord = 0; ord < NODES; ord++)
		ords[ord] = NODES - 1 - ord;
	for (int segments = 0; segments < 2; segments++) {
		ASSERT_OK(mem_txn_read(&t, store, &err));
		ASSERT_OK(mem_words_search(t, &q, &hits, &n, &err));
		assert_true(n > 0);
		memset(want, 0, sizeof want);
		for (size_t i = 0; i < n; i++)
			want[hits[i].ord] = hits[i].score;
		free(hits);
		ASSERT_OK(mem_words_scores(t, &q, ords, NODES, scores, &err));
		for (size_t i = 0; i < NODES; i++)
			assert_true(!(scores[i] < want[ords[i]]) && !(scores[i] > want[ords[i]]));
		struct mem_vectors_rows rows;
		ASSERT_OK(mem_vectors_rows_read(&rows, t, ords, NODES, SIZE_MAX, &err));
		for (size_t i = 0; i < NODES; i++) {
			make_node(ords[i], &m);
			double is = nearbyint((double)mem_dot(v, m.v, DIMS) * 1e6) / 1e6;
			double product = mem_vectors_rows_product(&rows, ords[i], v).score;
			assert_true(versions[ords[i]] == 0 ? isnan(product) : !(product < is) && !(product > is));
		}
		mem_vectors_rows_release(&rows);
		mem_txn_end(t);
		bool did;
		ASSERT_OK(mem_index_tidy(store, UINT32_MAX, &did, &err));
		assert_true(did || segments);
	}
}

static void
pending_ones_are_listed_and_models_do_not_mix(void **state)
{
	(void)state;
	uint32_t some[] = { 0, 5, NODES - 1 }, ords[100];
	struct mem_txn *t = NULL;
	struct mem_vectors_model got;
	size_t n;
	start();
	give_vectors(some, 3);
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_vectors_pending(t, ords, 100, UINT32_MAX, &n, &err));
	assert_int_equal(n, 100);
	assert_true(ords[0] == 1 && ords[3] == 4 && ords[4] == 6);
	ASSERT_OK(mem_vectors_pending(t, ords, 100, NODES - 3, &n, &err));
	assert_true(n == 1 && ords[0] == NODES - 2);
	ASSERT_OK(mem_vectors_model_get(t, &got, &err));
	assert_string_equal(got.name, "test");
	assert_int_equal(got.dims, DIMS);
	for (int i = 0; i < DIMS; i++)
		assert_false(got.mean[i] < 0 || got.mean[i] > 0);
	mem_txn_end(t);
	struct mem_vectors_model other = model;
	float mean[DIMS] = { .5F };
	other.near = .8F; /* its threshold may change */
	ASSERT_OK(mem_store_write(store, put_model, &other, &err));
	other.mean = mean;
	assert_int_equal(mem_store_write(store, put_model, &other, &err), MEM_FAIL);
	other = model;
	strcpy(other.sha256, "bb");
	assert_int_equal(mem_store_write(store, put_model, &other, &err), MEM_FAIL);
	other.dims = 12;
	assert_int_equal(mem_store_write(store, put_model, &other, &err), MEM_USAGE);
	ASSERT_OK(mem_store_write(store, clear_vectors, NULL, &err));
	other.dims = 16;
	other.mean = mean;
	ASSERT_OK(mem_store_write(store, put_model, &other, &err));
	ASSERT_OK(mem_txn_read(&t, store, &err));
	assert_int_equal(mem_vectors_pending_count(t), NODES);
	ASSERT_OK(mem_vectors_model_get(t, &got, &err));
	assert_memory_equal(got.mean, mean, 16 * sizeof *mean);
	assert_int_equal(mem_vectors_get(t, 5, 0, mean, &err), MEM_NOTFOUND);
	mem_txn_end(t);
}

static int
setup(void **state)
{
	int rc = world_setup(state);
	if (rc == 0)
		ASSERT_OK(mem_store_write(store, add_nodes, NULL, &err));
	return rc;
}

/* ---- rows of nodes that lose theirs -------------------------------------- */

static enum mem_status
drop_some(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct puts *p = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < p->n && st == MEM_OK; i++)
		st = mem_vectors_drop(t, p->ords[i], e);
	return st;
}

static uint64_t
bytes_of_rows(void)
{
	struct mem_txn *t = NULL;
	struct mem_cursor *c = NULL;
	uint64_t bytes = 0;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_cursor_open(&c, t, MEM_T_ROW, &err));
	for (enum mem_status st = mem_cursor_seek(c, MEM_STR(""), &err); st == MEM_OK; st = mem_cursor_next(c, &err))
		bytes += mem_cursor_value(c).n;
	mem_cursor_close(c);
	mem_txn_end(t);
	return bytes;
}

/* Blocks become smaller with the vectors in them, and go with the last. */
static void
rows_that_are_dropped_take_no_room(void **state)
{
	enum { MANY = 2000 };
	static uint32_t ords[MANY];
	float v[DIMS];
	(void)state;
	ASSERT_OK(mem_store_write(store, clear_vectors, NULL, &err));
	ASSERT_OK(mem_store_write(store, put_model, NULL, &err));
	for (uint32_t i = 0; i < MANY; i++)
		ords[i] = i;
	ASSERT_OK(mem_store_write(store, put_vectors, &(struct puts){ ords, MANY }, &err));
	uint64_t all = bytes_of_rows();
	for (uint32_t i = MANY - 1; i > 0; i--) {
		uint32_t k = (uint32_t)(mix(i) % (i + 1)), swap = ords[i];
		ords[i] = ords[k];
		ords[k] = swap;
	}
	for (uint32_t done = 0; done < MANY; done += MANY / 10) {
		struct mem_txn *t = NULL;
		ASSERT_OK(mem_store_write(store, drop_some, &(struct puts){ ords + done, MANY / 10 }, &err));
		uint64_t left = MANY - done - MANY / 10;
		assert_true(bytes_of_rows() <= 2 * all * left / MANY + all / 20);
		ASSERT_OK(mem_txn_read(&t, store, &err));
		for (uint32_t i = 0; i < MANY; i += 7) {
			struct made m;
			enum mem_status st = mem_vectors_get(t, ords[i], 0, v, &err);
			make_node(ords[i], &m);
			assert_int_equal(st, i < MANY - left ? MEM_NOTFOUND : MEM_OK);
			if (st == MEM_OK)
				assert_memory_equal(v, m.v, sizeof v);
		}
		mem_txn_end(t);
	}
	assert_int_equal(bytes_of_rows(), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back_in_whatever_order_they_came),
		cmocka_unit_test(the_other_signal_is_that_of_a_search),
		cmocka_unit_test(the_nearest_are_found_under_every_filter),
		cmocka_unit_test(pending_ones_are_listed_and_models_do_not_mix),
		cmocka_unit_test(rows_that_are_dropped_take_no_room),
	};
	return cmocka_run_group_tests_name("vectors", tests, setup, world_teardown);
}
