/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of several passages against a naive walk over all of them: each counts once, by its best passage, in the tail
 * and in segments, before and after merges and groups; rows that are damaged are never served.
 */
#include "index_world.h"

#include <math.h>

#include "segment/filter.h"
#include "store/node.h"
#include "vectors/vectors_int.h"
#include "write/tidy.h"

enum { DIMS = 64, NODES = 2000, LONG = 2300, LIMIT = 12 };

/* What node `ord` holds follows from its number and from how often it was put. */
static uint16_t counts[NODES]; /* passages; 0: none */
static uint8_t versions[NODES];

static float
uniform(uint64_t x)
{
	return (float)(mix(x) >> 40) / (float)(1 << 23) - 1;
}

/* Around one of forty centres, as passages of texts are.  Some passages of a node are the same. */
static void
make_passage(uint32_t ord, uint32_t passage, float *v)
{
	uint64_t seed = mix((uint64_t)ord * 65536 + (passage % 7 == 6 ? passage - 3 : passage)) + versions[ord];
	uint64_t centre = mix(ord + passage / 50) % 40 + 777;
	for (uint32_t i = 0; i < DIMS; i++)
		v[i] = uniform(centre << 16 | i) + .35F * uniform(seed << 16 | i);
	assert_true(mem_normalise(v, DIMS));
}

static void
make_query(uint64_t number, float *v)
{
	for (uint32_t i = 0; i < DIMS; i++)
		v[i] = uniform((mix(number) % 40 + 777) << 16 | i) + .3F * uniform(number << 32 | i);
	assert_true(mem_normalise(v, DIMS));
}

static struct mem_attr
make_attr(uint32_t ord)
{
	struct mem_attr a = { .ns = 1 + ord % 2, .kind = MEM_KIND_EPISODE, .role = 1 + (uint8_t)(ord % 3 == 0),
		.session = 1 + ord / 500, .captured_at = ord };
	mem_be32(a.id.b, ord);
	return a;
}

static uint16_t
choose_count(uint32_t ord)
{
	uint64_t r = mix(ord + 99);
	return ord == 1234 ? LONG : r % 8 < 5 ? 1 : (uint16_t)(2 + (r >> 8) % 30);
}

static struct mem_vectors_span
span_of(uint32_t ord, uint32_t passage)
{
	return (struct mem_vectors_span){ passage * 100 + ord, passage * 100 + ord + 90, passage % 3 };
}

static enum mem_status
put_node_vectors(struct mem_txn *t, uint32_t ord, struct mem_err *e)
{
	float *v = mem_xmalloc((size_t)counts[ord] * DIMS * sizeof *v);
	struct mem_vectors_passage *p = mem_xcalloc(counts[ord], sizeof *p);
	for (uint32_t i = 0; i < counts[ord]; i++) {
		make_passage(ord, i, v + (size_t)i * DIMS);
		p[i] = (struct mem_vectors_passage){ .span = span_of(ord, i), .v = v + (size_t)i * DIMS };
	}
	enum mem_status st = mem_vectors_put(t, ord, p, counts[ord], e);
	free(v);
	free(p);
	return st;
}

struct nodes {
	uint32_t from, to, step;
};

static enum mem_status
put_nodes(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct nodes *n = ctx;
	enum mem_status st = MEM_OK;
	for (uint32_t ord = n->from; ord < n->to && st == MEM_OK; ord += n->step) {
		struct mem_attr a = make_attr(ord);
		uint8_t key[4];
		mem_be32(key, ord);
		st = mem_tab_put(t, MEM_T_ATTR, mem_key(key, sizeof key), (struct mem_str){ (const char *)&a, sizeof a }, e);
		if (st == MEM_OK)
			st = put_node_vectors(t, ord, e);
	}
	return st;
}

static void
put_node_range(uint32_t from, uint32_t to, uint32_t step)
{
	struct nodes n = { from, to, step };
	ASSERT_OK(mem_store_write(store, put_nodes, &n, &err));
}

static enum mem_status
drop_nodes(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct nodes *n = ctx;
	enum mem_status st = MEM_OK;
	for (uint32_t ord = n->from; ord < n->to && st == MEM_OK; ord += n->step)
		st = mem_vectors_drop(t, ord, e);
	return st;
}

/* All nodes, the later half before the first. */
static void
start(void)
{
	ASSERT_OK(mem_store_write(store, world_start_vectors, &(uint32_t){ DIMS }, &err));
	memset(versions, 0, sizeof versions);
	for (uint32_t ord = 0; ord < NODES; ord++)
		counts[ord] = choose_count(ord);
	for (uint32_t ord = NODES / 2; ord < NODES; ord += 250)
		put_node_range(ord, ord + 250, 1);
	for (uint32_t ord = 0; ord < NODES / 2; ord += 250)
		put_node_range(ord, ord + 250, 1);
}

/* ---- against the naive walk ------------------------------------------- */

struct best {
	uint32_t ord;
	struct mem_vectors_product p;
};

static struct mem_vectors_product
best_passage(uint32_t ord, const float *q)
{
	struct mem_vectors_product best = { (double)NAN, 0 };
	float v[DIMS];
	for (uint32_t i = 0; i < counts[ord]; i++) {
		make_passage(ord, i, v);
		double score = nearbyint((double)mem_dot(q, v, DIMS) * 1e6) / 1e6;
		if (i == 0 || score > best.score)
			best = (struct mem_vectors_product){ score, (uint16_t)i };
	}
	return best;
}

static int
best_first(const void *a, const void *b)
{
	const struct best *x = a, *y = b;
	if (x->p.score < y->p.score || x->p.score > y->p.score)
		return x->p.score < y->p.score ? 1 : -1;
	return x->ord < y->ord ? -1 : x->ord > y->ord;
}

static bool
is_admitted(void *ctx, uint32_t ord)
{
	(void)ctx;
	return ord % 5 != 0;
}

/* *vectors: how many pass. */
static size_t
find_naively(const struct mem_search_query *q, const float *v, struct best *out, size_t *vectors)
{
	size_t n = 0;
	*vectors = 0;
	for (uint32_t ord = 0; ord < NODES; ord++) {
		struct mem_attr a = make_attr(ord);
		bool seen = a.ns == q->ns[0].number || (q->nns > 1 && a.ns == q->ns[1].number);
		if (!seen || counts[ord] == 0 || (q->admit != NULL && !is_admitted(NULL, ord))
		    || (q->filter->roles != 0 && (q->filter->roles >> a.role & 1) == 0)
		    || (q->filter->session_number != 0 && q->filter->session_number != a.session))
			continue;
		*vectors += counts[ord];
		out[n] = (struct best){ ord, best_passage(ord, v) };
		n += out[n].p.score >= q->min_score;
	}
	qsort(out, n, sizeof *out, best_first);
	return n < q->limit ? n : q->limit;
}

static void
assert_span(struct mem_txn *t, uint32_t ord, uint32_t passage)
{
	struct mem_vectors_span got, want = counts[ord] > 1 ? span_of(ord, passage) : (struct mem_vectors_span){ 0 };
	ASSERT_OK(mem_vectors_span_get(t, ord, passage, &got, &err));
	assert_memory_equal(&got, &want, sizeof want);
}

/* How many of the best are among the hits. */
static size_t
count_found(const struct mem_search_hit *hits, const struct best *want, size_t n)
{
	size_t found = 0;
	for (size_t i = 0; i < n; i++)
		found += hits[i].score >= want[n - 1].p.score;
	return found;
}

static void
assert_nearest(struct mem_txn *t, const struct mem_search_query *q, uint64_t number)
{
	static struct best want[NODES];
	struct mem_search_hit *hits = NULL;
	float v[DIMS];
	size_t n = 0, vectors;
	make_query(number, v);
	ASSERT_OK(mem_vectors_nearest(t, q, v, &hits, &n, &err));
	assert_int_equal(n, find_naively(q, v, want, &vectors));
	bool all = vectors <= VECTORS_POOL_KEEP || q->limit == SIZE_MAX;
	for (size_t i = 0; i < n && all; i++) {
		assert_int_equal(hits[i].ord, want[i].ord);
		assert_int_equal(hits[i].passage, want[i].p.passage);
		assert_true(!(hits[i].score < want[i].p.score) && !(hits[i].score > want[i].p.score));
		if (i < LIMIT)
			assert_span(t, hits[i].ord, hits[i].passage);
	}
	if (!all) /* of more not every one is sure */
		assert_true(count_found(hits, want, n) * 100 >= n * 97);
	free(hits);
}

static void
assert_searches(void)
{
	struct mem_txn *t = NULL;
	struct mem_ns ns[2];
	ASSERT_OK(mem_txn_read(&t, store, &err));
	for (uint32_t i = 0; i < 2; i++)
		ASSERT_OK(mem_ns_by_number(t, i + 1, &ns[i], &err));
	for (uint64_t i = 0; i < 16; i++) {
		struct mem_filter f = MEM_FILTER_INIT;
		struct mem_search_query q = { .ns = ns, .nns = 1 + i % 2, .filter = &f, .min_score = -2,
			.limit = i % 8 == 7 ? SIZE_MAX : i % 8 == 3 ? 400 : LIMIT, .admit = i % 3 == 2 ? is_admitted : NULL };
		f.roles = (i & 2) != 0 ? 1U << 1 : 0;
		f.session_number = (i & 4) != 0 ? 3 : 0;
		assert_nearest(t, &q, i);
	}
	mem_txn_end(t);
}

/* The other ways to a node's product give the same. */
static void
assert_products(void)
{
	static uint32_t ords[NODES];
	static struct mem_vectors_product products[NODES];
	struct mem_vectors_rows rows, few;
	struct mem_txn *t = NULL;
	float v[DIMS];
	make_query(5, v);
	for (uint32_t i = 0; i < NODES; i++)
		ords[i] = NODES - 1 - i;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_vectors_products(t, v, ords, NODES, products, &err));
	ASSERT_OK(mem_vectors_rows_read(&rows, t, ords, NODES, SIZE_MAX, &err));
	ASSERT_OK(mem_vectors_rows_read(&few, t, ords, NODES, 2000, &err));
	assert_true(few.n <= 2000 && few.n > 1900);
	for (uint32_t i = 0; i < NODES; i++) {
		struct mem_vectors_product want = best_passage(ords[i], v), got = mem_vectors_rows_product(&rows, ords[i], v);
		assert_true(isnan(want.score) ? isnan(products[i].score) && isnan(got.score)
		    : !(want.score < got.score) && !(want.score > got.score) && !(want.score < products[i].score)
		    && !(want.score > products[i].score));
		assert_int_equal(got.passage, want.passage);
		assert_int_equal(products[i].passage, want.passage);
		if (mem_vectors_rows_find(&few, ords[i]) < few.n)
			assert_int_equal(mem_vectors_rows_product(&few, ords[i], v).passage, want.passage);
	}
	assert_int_equal(mem_vectors_rows_find(&few, 1234), few.n);
	mem_vectors_rows_release(&rows);
	mem_vectors_rows_release(&few);
	mem_txn_end(t);
}

/* ---- what must be there ----------------------------------------------- */

static const char *told_last;

static void
told(void *ctx, const struct mem_breach *b)
{
	static char name[64];
	snprintf(name, sizeof name, "%s", b->check);
	told_last = name;
	if (++*(int *)ctx <= 3)
		print_message("%s: %s\n", b->check, b->message);
}

static int
count_breaches(void)
{
	struct mem_txn *t = NULL;
	int breaches = 0;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_vectors_check(t, told, &breaches, &err));
	mem_txn_end(t);
	return breaches;
}

static void
assert_rows(void)
{
	struct mem_txn *t = NULL;
	struct mem_index_stat stat;
	uint64_t vectors = 0;
	float want[DIMS], got[DIMS];
	assert_int_equal(count_breaches(), 0);
	ASSERT_OK(mem_txn_read(&t, store, &err));
	for (uint32_t ord = 0; ord < NODES; ord++) {
		for (uint32_t i = 0; i < counts[ord]; i++) {
			make_passage(ord, i, want);
			ASSERT_OK(mem_vectors_get(t, ord, i, got, &err));
			assert_memory_equal(got, want, sizeof want);
		}
		assert_int_equal(mem_vectors_get(t, ord, counts[ord], got, &err), MEM_NOTFOUND);
		vectors += counts[ord];
	}
	ASSERT_OK(mem_index_stat(t, &stat, &err));
	assert_int_equal(stat.vectors, vectors);
	mem_txn_end(t);
}

static void
tidy(uint32_t max)
{
	for (bool did = true; did;)
		ASSERT_OK(mem_index_tidy(store, max, &did, &err));
}

static void
merge_all(bool group)
{
	struct mem_txn *t = NULL;
	struct mem_segment_info *segs = NULL;
	uint64_t epoch;
	size_t n = 0;
	tidy(UINT32_MAX);
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_segment_list(t, true, &segs, &n, &err));
	ASSERT_OK(mem_segment_epoch(t, &epoch, &err));
	mem_txn_end(t);
	ASSERT_OK(mem_vectors_merge(store, segs, n, epoch, group, &err));
	free(segs);
}

/* More passages than before, fewer, one, none. */
static void
change_nodes(void)
{
	struct nodes gone = { 7, NODES, 111 };
	for (uint32_t ord = 0; ord < NODES; ord += 37) {
		versions[ord]++;
		counts[ord] = (uint16_t)(1 + mix(ord + versions[ord]) % 20);
		put_node_range(ord, ord + 1, 1);
	}
	ASSERT_OK(mem_store_write(store, drop_nodes, &gone, &err));
	for (uint32_t ord = gone.from; ord < gone.to; ord += gone.step)
		counts[ord] = 0;
}

/* ---- the tests -------------------------------------------------------- */

static void
a_node_counts_once_by_its_best_passage(void **state)
{
	(void)state;
	start();
	assert_rows();
	assert_searches();
	assert_products();
	tidy(4096);
	assert_searches();
	change_nodes();
	assert_rows();
	assert_searches();
	assert_products();
	tidy(UINT32_MAX);
	assert_rows();
	assert_searches();
	merge_all(false);
	assert_rows();
	assert_searches();
	for (uint32_t ord = 7; ord < NODES; ord += 111)
		counts[ord] = 3;
	put_node_range(7, NODES, 111);
	change_nodes();
	assert_rows();
	assert_searches();
}

static void
groups_leave_no_passage_out(void **state)
{
	(void)state;
	struct mem_txn *t = NULL;
	struct mem_segment_info *segs = NULL;
	size_t n = 0;
	start();
	for (uint32_t ord = 0; ord < NODES; ord++) /* enough for groups */
		if (ord % 60 == 0)
			counts[ord] = 700;
	put_node_range(0, NODES, 60);
	merge_all(true);
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_segment_list(t, true, &segs, &n, &err));
	mem_txn_end(t);
	assert_true(n == 1 && segs[0].m.sec[MEM_SEC_GROUP].count > 10);
	free(segs);
	assert_rows();
	assert_searches();
	change_nodes();
	put_node_range(60, 120, 60);
	assert_rows();
	assert_searches();
	merge_all(true);
	assert_rows();
	assert_searches();
}

enum { MANY = 30000 };

static enum mem_status
put_long_text(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	return mem_vectors_put(t, 1, ctx, MANY, e);
}

/* One text with more passages than estimates are kept, and all of them nearer than any other node. */
static void
one_long_text_leaves_room_for_others(void **state)
{
	(void)state;
	struct mem_txn *t = NULL;
	struct mem_ns ns;
	struct mem_search_hit *hits = NULL;
	struct mem_filter f = MEM_FILTER_INIT;
	size_t n = 0, vectors;
	float v[DIMS], *rows = mem_xmalloc(MANY * DIMS * sizeof *rows);
	struct mem_vectors_passage *p = mem_xcalloc(MANY, sizeof *p);
	static struct best want[NODES];
	start();
	make_query(3, v);
	for (uint32_t i = 0; i < MANY; i++) {
		for (uint32_t k = 0; k < DIMS; k++)
			rows[i * DIMS + k] = v[k] + .02F * uniform((uint64_t)i << 20 | k);
		assert_true(mem_normalise(rows + i * DIMS, DIMS));
		p[i] = (struct mem_vectors_passage){ .span = { i, i + 1, 0 }, .v = rows + i * DIMS };
	}
	ASSERT_OK(mem_store_write(store, put_long_text, p, &err));
	counts[1] = 0; /* the naive walk goes without */
	for (int segments = 0; segments < 2; segments++) {
		ASSERT_OK(mem_txn_read(&t, store, &err));
		ASSERT_OK(mem_ns_by_number(t, 2, &ns, &err));
		const struct mem_search_query q = { .ns = &ns, .nns = 1, .filter = &f, .limit = LIMIT, .min_score = -2 };
		ASSERT_OK(mem_vectors_nearest(t, &q, v, &hits, &n, &err));
		assert_int_equal(n, LIMIT);
		assert_int_equal(find_naively(&q, v, want, &vectors), LIMIT);
		assert_int_equal(hits[0].ord, 1);
		for (size_t i = 1; i < n; i++)
			assert_int_equal(hits[i].ord, want[i - 1].ord);
		mem_txn_end(t);
		free(hits);
		tidy(UINT32_MAX);
	}
	free(rows);
	free(p);
}

/* ---- damage ------------------------------------------------------------- */

struct flip {
	uint32_t ord, passage;
	int from_end;              /* byte of the value, from its end, or of the row */
};

static enum mem_status
flip_bit(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct flip *f = ctx;
	struct mem_cursor *c = NULL;
	struct vectors_row_block r = { 0 };
	size_t i = 0;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ROW, e);
	if (st == MEM_OK)
		st = vectors_rows_find(c, DIMS, vectors_place(f->ord, f->passage), &r, &i, e);
	if (st != MEM_OK)
		return st;
	struct mem_str key = mem_cursor_key(c), value = mem_cursor_value(c);
	char *copy = memcpy(mem_xmalloc(value.n), value.p, value.n), k[16];
	size_t kn = key.n;
	memcpy(k, key.p, key.n);
	size_t place = f->from_end > 0 ? value.n - (size_t)f->from_end : i * r.stride + 5;
	mem_cursor_close(c);
	copy[place] ^= 4;
	st = mem_tab_put(t, MEM_T_ROW, (struct mem_str){ k, kn }, (struct mem_str){ copy, value.n }, e);
	free(copy);
	return st;
}

/* Among many it is passed over, as if there were none; who asks for it alone gets an error. */
static void
assert_damage(uint32_t ord, uint32_t passage)
{
	struct mem_txn *t = NULL;
	struct mem_ns ns;
	struct mem_search_hit *hits = NULL;
	struct mem_filter f = MEM_FILTER_INIT;
	struct mem_vectors_product p;
	struct mem_vectors_rows rows;
	float v[DIMS];
	size_t n;
	make_passage(ord, passage, v);
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_ns_by_number(t, 1 + ord % 2, &ns, &err));
	const struct mem_search_query q = { .ns = &ns, .nns = 1, .filter = &f, .limit = LIMIT, .min_score = -2 };
	assert_int_equal(mem_vectors_nearest(t, &q, v, &hits, &n, &err), MEM_OK);
	for (size_t i = 0; i < n; i++)
		assert_false(hits[i].ord == ord && hits[i].passage == passage);
	free(hits);
	ASSERT_OK(mem_vectors_products(t, v, &ord, 1, &p, &err));
	assert_int_equal(mem_vectors_get(t, ord, passage, v, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "run mem-check --repair"));
	ASSERT_OK(mem_vectors_rows_read(&rows, t, &ord, 1, SIZE_MAX, &err));
	mem_vectors_rows_release(&rows);
	mem_txn_end(t);
}

static void
a_damaged_row_is_told_and_never_served(void **state)
{
	(void)state;
	struct mem_txn *t = NULL;
	float v[DIMS];
	static const struct flip flips[] = { { 1234, 2000, 0 }, { 1234, 17, 0 }, { 2, 0, 0 }, { NODES - 1, 0, 0 } };
	start();
	for (size_t i = 0; i < MEM_COUNT(flips); i++) {
		struct flip f = flips[i];
		ASSERT_OK(mem_store_write(store, flip_bit, &f, &err));
		assert_damage(f.ord, f.passage);
		ASSERT_OK(mem_store_write(store, flip_bit, &f, &err)); /* right again */
		assert_int_equal(count_breaches(), 0);
	}
	/* A place in the list: the row that is looked for is another's, or is not where it should be. */
	struct flip list = { 1234, 2000, 10 + 8 * 3 };
	ASSERT_OK(mem_store_write(store, flip_bit, &list, &err));
	assert_true(count_breaches() > 0);
	/* What is put instead is right, and its neighbours stay as they are. */
	ASSERT_OK(mem_store_write(store, flip_bit, &list, &err));
	struct flip one = { 1234, 17, 0 };
	ASSERT_OK(mem_store_write(store, flip_bit, &one, &err));
	put_node_range(1234, 1235, 1);
	assert_rows();
	struct flip two = { 1235, 0, 0 };
	ASSERT_OK(mem_store_write(store, flip_bit, &two, &err));
	put_node_range(1234, 1235, 1); /* its block is written anew */
	ASSERT_OK(mem_txn_read(&t, store, &err));
	assert_int_equal(mem_vectors_get(t, 1235, 0, v, &err), MEM_FAIL);
	mem_txn_end(t);
}

/* ---- what mem-check names ------------------------------------------------ */

static enum mem_status
break_span(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const uint32_t *ord = ctx;
	struct vectors_tail_head head;
	uint8_t key[VECTORS_TAIL_KEY];
	struct mem_str v;
	vectors_tail_key(key, *ord, 0);
	enum mem_status st = mem_tab_get(t, MEM_T_CODE, mem_key(key, sizeof key), &v, e);
	if (st != MEM_OK)
		return st;
	char *copy = memcpy(mem_xmalloc(v.n), v.p, v.n);
	memcpy(&head, copy, sizeof head);
	head.span = head.span.end > 0 ? (struct mem_vectors_span){ 0 } : (struct mem_vectors_span){ 1, 2, 0 };
	memcpy(copy, &head, sizeof head);
	st = mem_tab_put(t, MEM_T_CODE, mem_key(key, sizeof key), (struct mem_str){ copy, v.n }, e);
	free(copy);
	return st;
}

static enum mem_status
delete_row(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const uint64_t *place = ctx;
	uint8_t key[12];
	vectors_tail_key(key, vectors_place_ord(*place), vectors_place_passage(*place));
	memcpy(key + 6, key, 6);
	return mem_tab_del(t, MEM_T_ROW, mem_key(key, sizeof key), e);
}

static void
every_breach_has_its_name(void **state)
{
	(void)state;
	uint32_t whole = 0, several = 0;
	start();
	while (counts[whole] != 1)
		whole++;
	for (several = whole + 1; counts[several] < 3;)
		several++;
	uint32_t *const broken[] = { &whole, &several };
	for (size_t i = 0; i < MEM_COUNT(broken); i++) {
		ASSERT_OK(mem_store_write(store, break_span, broken[i], &err));
		assert_int_equal(count_breaches(), 1);
		assert_string_equal(told_last, "code_span");
		put_node_range(*broken[i], *broken[i] + 1, 1);
		assert_int_equal(count_breaches(), 0);
	}
	/* Loose rows, so that one can be taken away. */
	ASSERT_OK(mem_store_write(store, world_start_vectors, &(uint32_t){ DIMS }, &err));
	memset(counts, 0, sizeof counts);
	counts[10] = 4;
	put_node_range(10, 11, 1);
	uint64_t place = vectors_place(10, 1);
	ASSERT_OK(mem_store_write(store, delete_row, &place, &err));
	assert_true(count_breaches() >= 2); /* and its code is a stray one */
	put_node_range(10, 11, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_node_counts_once_by_its_best_passage),
		cmocka_unit_test(groups_leave_no_passage_out),
		cmocka_unit_test(one_long_text_leaves_room_for_others),
		cmocka_unit_test(a_damaged_row_is_told_and_never_served),
		cmocka_unit_test(every_breach_has_its_name),
	};
	return cmocka_run_group_tests_name("vectors_passages", tests, world_setup, world_teardown);
}
