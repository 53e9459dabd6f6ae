/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes most like a text or a node, against comparing all: by similarity, of nodes of one passage and of several. */
#include "index_world.h"

#include <math.h>

#include "embed/embed.h"
#include "store/node.h"
#include "vector/vector.h"

enum { DIMS = 64, NODES = 10000, MANY = 18000, EACH = 5 };

static float mean[DIMS];
static float (*vectors)[DIMS];  /* centred, of each node */

static float
uniform(uint64_t x)
{
	return (float)(mix(x) >> 40) / (float)(1 << 23) - 1;
}

/* All lie in the direction of the mean, as those of an encoder do. */
static void
make_vector(uint64_t number, float *v)
{
	for (uint32_t i = 0; i < DIMS; i++)
		v[i] = mean[i] + .08F * uniform(mix(number % 97) << 16 | i) + .05F * uniform(number << 20 | i);
	assert_true(mem_normalise(v, DIMS));
}

static uint32_t
count_passages(uint32_t ord)
{
	return ord % 7 == 3 ? EACH : 1;
}

static struct mem_attr
make_attr(uint32_t ord)
{
	struct mem_attr a = { .ns = 1 + ord % 3, .kind = ord % 4 == 0 ? MEM_KIND_ENTITY : MEM_KIND_FACT, .role = 1,
		.captured_at = ord, .expired_at = ord % 11 == 0 ? 5 : MEM_TIME_NONE, .expires_at = MEM_TIME_NONE };
	mem_be32(a.id.b, ~ord); /* ids fall, so that ties show by what they are broken */
	return a;
}

static enum mem_status
put_node(struct mem_txn *t, uint32_t ord, struct mem_err *e)
{
	struct mem_attr a = make_attr(ord);
	float v[EACH][DIMS];
	struct mem_vectors_passage p[EACH];
	uint8_t key[4];
	uint32_t n = count_passages(ord);
	for (uint32_t i = 0; i < n; i++) {
		/* Two in a hundred are the same. */
		make_vector((uint64_t)(ord % 50 == 1 ? ord - 1 : ord) * EACH + i, v[i]);
		p[i] = (struct mem_vectors_passage){ .span = { i, i + 1, 0 }, .v = v[i] };
	}
	mem_be32(key, ord);
	enum mem_status st = mem_tab_put(t, MEM_T_ATTR, mem_key(key, sizeof key),
	    (struct mem_str){ (const char *)&a, sizeof a }, e);
	return st == MEM_OK ? mem_vectors_put(t, ord, p, n, e) : st;
}

struct range {
	uint32_t from, to;
};

static enum mem_status
put_nodes(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct range *r = ctx;
	const struct mem_vectors_model m = { .name = "test", .dims = DIMS, .mean = mean };
	enum mem_status st = r->from == 0 ? mem_vectors_model_put(t, &m, e) : MEM_OK;
	for (uint32_t ord = r->from; ord < r->to && st == MEM_OK; ord++)
		st = put_node(t, ord, e);
	return st;
}

static void
put_node_range(uint32_t from, uint32_t to)
{
	for (; from < to; from += 1000) {
		struct range r = { from, from + 1000 < to ? from + 1000 : to };
		ASSERT_OK(mem_store_write(store, put_nodes, &r, &err));
	}
	for (bool did = true; did;)
		ASSERT_OK(mem_index_tidy(store, UINT32_MAX, &did, &err));
}

/* As DESIGN says it, in doubles. */
static void
centre_naively(const double *sum, float *out)
{
	double v[DIMS], square = 0;
	for (uint32_t i = 0; i < DIMS; i++) {
		v[i] = (double)(float)sum[i] - (double)mean[i];
		square += v[i] * v[i];
	}
	for (uint32_t i = 0; i < DIMS; i++)
		out[i] = (float)(v[i] / sqrt(square));
}

static void
make_centred(uint32_t nodes)
{
	for (uint32_t ord = 0; ord < nodes; ord++) {
		double sum[DIMS] = { 0 };
		uint32_t n = count_passages(ord);
		for (uint32_t i = 0; i < n; i++) {
			float v[DIMS];
			make_vector((uint64_t)(ord % 50 == 1 ? ord - 1 : ord) * EACH + i, v);
			for (uint32_t k = 0; k < DIMS; k++)
				sum[k] += (double)v[k] / n;
		}
		centre_naively(sum, vectors[ord]);
	}
}

static int
best_first(const void *a, const void *b)
{
	const struct mem_near *x = a, *y = b;
	if (x->score < y->score || x->score > y->score)
		return x->score < y->score ? 1 : -1;
	return mem_id_cmp(&x->id, &y->id);
}

static size_t
find_naively(const struct mem_near_query *q, const float *v, uint32_t nodes, struct mem_near *out)
{
	size_t n = 0;
	for (uint32_t ord = 0; ord < nodes; ord++) {
		struct mem_attr a = make_attr(ord);
		bool seen = false;
		for (size_t i = 0; i < q->nns; i++)
			seen |= q->ns[i].number == a.ns;
		if (!seen || (q->vector == NULL && ord == q->ord) || a.expired_at != MEM_TIME_NONE
		    || (!mem_kind_set_empty(&q->kinds) && !mem_kind_set_has(&q->kinds, a.kind)))
			continue;
		double s = nearbyint((double)mem_dot(v, vectors[ord], DIMS) * 1e6) / 1e6;
		s = s > 0 ? s : 0;
		if (s >= q->least)
			out[n++] = (struct mem_near){ ord, a.id, s };
	}
	qsort(out, n, sizeof *out, best_first);
	return n < q->limit ? n : q->limit;
}

static size_t
open_namespaces(struct mem_txn *t, struct mem_ns *ns)
{
	for (uint32_t i = 0; i < 3; i++)
		ASSERT_OK(mem_ns_by_number(t, i + 1, &ns[i], &err));
	return 3;
}

static void
the_nearest_are_those_of_a_walk_over_all(void **state)
{
	(void)state;
	static struct mem_near want[NODES];
	struct mem_txn *t = NULL;
	struct mem_ns ns[3];
	put_node_range(0, NODES);
	make_centred(NODES);
	ASSERT_OK(mem_txn_read(&t, store, &err));
	open_namespaces(t, ns);
	for (uint32_t i = 0; i < 24; i++) {
		float raw[DIMS], v[DIMS];
		double sum[DIMS];
		struct mem_near *hits = NULL;
		size_t n = 0;
		struct mem_near_query q = { .ns = ns + i % 2, .nns = 1 + i % 2, .ord = i * 101 + 3, .limit = i % 5 == 4 ? SIZE_MAX : 10,
			.least = i % 3 == 2 ? .4 : 0 };
		if (i % 4 == 1)
			q.kinds = mem_kind_set_of(MEM_KIND_ENTITY);
		make_vector(1000000 + i, raw);
		for (uint32_t k = 0; k < DIMS; k++)
			sum[k] = (double)raw[k];
		centre_naively(sum, v);
		q.vector = i % 2 == 0 ? raw : NULL;
		ASSERT_OK(mem_near_search(t, &q, &hits, &n, &err));
		size_t wanted = find_naively(&q, q.vector != NULL ? v : vectors[q.ord], NODES, want);
		/* Floats that were summed in another order: the last digit may be another, and so the order of neighbours. */
		assert_true(q.least > 0 ? n + 2 >= wanted && n <= wanted + 2 : n == wanted);
		assert_true(n >= 10);
		for (size_t k = 0; k < n && k < wanted; k++) {
			assert_true(fabs(hits[k].score - want[k].score) <= 1.1e-6);
			assert_true(k == 0 || hits[k].score < hits[k - 1].score
			    || (hits[k].score <= hits[k - 1].score && mem_id_cmp(&hits[k].id, &hits[k - 1].id) > 0));
			struct mem_attr a = make_attr(hits[k].ord);
			assert_memory_equal(&hits[k].id, &a.id, sizeof a.id);
		}
		free(hits);
	}
	mem_txn_end(t);
}

struct pairs {
	size_t n;
	double last;
};

static bool
count_pair(void *ctx, size_t i, size_t j, double similarity)
{
	struct pairs *p = ctx;
	(void)i;
	(void)j;
	p->n++;
	p->last = similarity;
	return true;
}

static void
all_pairs_at_once_are_the_same_as_one_by_one(void **state)
{
	(void)state;
	enum { N = 400 };
	struct mem_txn *t = NULL;
	uint32_t ords[N];
	struct pairs pairs = { 0 };
	size_t want = 0;
	float *rows = mem_xmalloc(N * DIMS * sizeof *rows);
	for (uint32_t i = 0; i < N; i++)
		ords[i] = (i * 37) % NODES;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_vectors_centred_read(t, ords, N, rows, &err));
	mem_txn_end(t);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++)
			want += mem_vectors_similarity(rows + i * DIMS, rows + j * DIMS, DIMS) >= .5;
	assert_true(mem_vectors_similar_each(rows, N, rows, N, DIMS, .5, count_pair, &pairs));
	assert_int_equal(pairs.n, want);
	assert_true(want > N);
	assert_true(pairs.last > .9999 && pairs.last <= 1.000001); /* the last one with itself */
	free(rows);
}

/* More than are compared one by one: nearly the same, by the index. */
static void
of_many_nodes_the_index_names_the_nearest(void **state)
{
	(void)state;
	static struct mem_near want[MANY];
	struct mem_txn *t = NULL;
	struct mem_ns ns[3];
	size_t found = 0, asked = 0;
	put_node_range(NODES, MANY);
	make_centred(MANY);
	ASSERT_OK(mem_txn_read(&t, store, &err));
	size_t nns = open_namespaces(t, ns);
	for (uint32_t i = 0; i < 10; i++) {
		struct mem_near *hits = NULL;
		size_t n = 0;
		/* Of single passages: others are found by their best one, which need not be like their mean. */
		struct mem_near_query q = { .ns = ns, .nns = nns, .ord = i * 707 + 1, .limit = 10 };
		ASSERT_OK(mem_near_search(t, &q, &hits, &n, &err));
		assert_int_equal(n, 10);
		assert_int_equal(find_naively(&q, vectors[q.ord], MANY, want), 10);
		for (size_t k = 0; k < n; k++)
			found += hits[k].score >= want[9].score - 1.1e-6;
		asked += n;
		free(hits);
	}
	assert_true(found * 100 >= asked * 95);
	struct mem_near_query q = { .ns = ns, .nns = nns, .ord = MANY + 5, .limit = 10 };
	struct mem_near *hits = NULL;
	size_t n;
	assert_int_equal(mem_near_search(t, &q, &hits, &n, &err), MEM_NOTFOUND);
	mem_txn_end(t);
}

static int
setup(void **state)
{
	vectors = mem_xmalloc(MANY * sizeof *vectors);
	for (uint32_t i = 0; i < DIMS; i++)
		mean[i] = uniform(42 << 8 | i) / 5;
	return world_setup(state);
}

static int
teardown(void **state)
{
	free(vectors);
	return world_teardown(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_are_those_of_a_walk_over_all),
		cmocka_unit_test(all_pairs_at_once_are_the_same_as_one_by_one),
		cmocka_unit_test(of_many_nodes_the_index_names_the_nearest),
	};
	return cmocka_run_group_tests_name("embed_near_search", tests, setup, teardown);
}
