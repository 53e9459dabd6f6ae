/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random corpora in a real store, searched in the tail, in segments and after merges, against a
 * naive BM25 that reads every document.  Ids, scores (to the last bit) and order must be the same each time.
 */
#include "index_world.h"
#include "base/base.h"
#include "segment/filter.h"
#include "segment/segment.h"
#include "segment/segment_write.h"
#include "store/node.h"
#include "store/store.h"
#include "words/words.h"
#include "write/tidy.h"

#include <math.h>

static uint64_t seed = 0x9e3779b97f4a7c15U;

static uint32_t
draw(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return below == 0 ? 0 : (uint32_t)((seed >> 11) % below);
}

/* ---- a world of documents --------------------------------------------- */

#define TERMS_MAX  40

struct doc {
	struct mem_attr attr;
	uint32_t ord, ns, length;
	struct mem_words_term terms[TERMS_MAX];
	size_t nterms;
	bool live;
};

struct world {
	struct doc *docs;
	size_t n, cap;
	size_t added;       /* to the index */
	uint32_t next_ord;
	/* How this one's documents are drawn. */
	uint32_t vocabulary, lengths, times, sessions, namespaces, tf_mode, hash_mode;
	uint64_t batch;     /* upper half of the ids of what is imported together */
	bool rising_ids, dense_ords, all_live;
};

static uint64_t
hash_of(const struct world *w, uint32_t word)
{
	switch (w->hash_mode) {
	case 0: return word;                       /* all at the low end */
	case 1: return UINT64_MAX - word;
	case 2: return (uint64_t)word << 32 | 7;   /* lower halves all the same */
	default: return mix(word + 1);
	}
}

static uint32_t
draw_tf(const struct world *w)
{
	if (w->tf_mode == 0)
		return 1;
	if (w->tf_mode == 1 || draw(50) > 0)
		return 1 + draw(4) * draw(3);
	return draw(4) == 0 ? UINT32_MAX - draw(3) : 1 + draw(600);
}

static int
by_hash(const void *a, const void *b)
{
	const struct mem_words_term *x = a, *y = b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static void
draw_terms(const struct world *w, struct doc *d)
{
	size_t n = draw(TERMS_MAX);
	struct mem_words_term all[TERMS_MAX];
	for (size_t i = 0; i < n; i++) {
		/* low numbers are the frequent words */
		uint32_t word = draw(draw(w->vocabulary) + 1);
		all[i] = (struct mem_words_term){ hash_of(w, word), draw_tf(w) };
	}
	qsort(all, n, sizeof *all, by_hash);
	for (size_t i = 0; i < n; i++)
		if (d->nterms == 0 || d->terms[d->nterms - 1].hash != all[i].hash)
			d->terms[d->nterms++] = all[i];
}

static void
draw_doc(struct world *w)
{
	w->docs = mem_grow(w->docs, &w->cap, w->n + 1, sizeof *w->docs);
	struct doc *d = &w->docs[w->n];
	memset(d, 0, sizeof *d);
	w->next_ord += w->dense_ords ? 1 : 1 + draw(3) * draw(300);
	d->ord = w->next_ord;
	d->ns = 1 + draw(w->namespaces);
	d->length = 1 + (w->lengths == 0 ? 0 : draw(w->lengths));
	d->live = w->all_live || draw(4) > 0;
	draw_terms(w, d);
	d->attr.ns = d->ns;
	d->attr.kind = (uint16_t)(draw(10) > 0 ? MEM_KIND_EPISODE : draw(draw(4) == 0 ? MEM_KIND_LIMIT : 32));
	d->attr.role = (uint8_t)draw(5);
	d->attr.captured_at = 1700000000000 + (w->times == 0 ? (int64_t)d->ord * 1000
	    : (int64_t)draw(w->times) * (draw(100) == 0 ? -1000003 : 1));
	d->attr.session = w->sessions == 0 ? 0
	    : draw(w->sessions) == 0 ? 0 : (uint32_t)mix(draw(w->sessions));
	uint64_t id = w->rising_ids ? w->batch << 32 | w->n : mix(w->n ^ seed);
	mem_be64(d->attr.id.b, id);
	w->n++;
}

static void
draw_world(struct world *w)
{
	static const uint32_t lengths[] = { 0, 3, 40, 200, 300, 70000, 1 << 30 };
	static const uint32_t sessions[] = { 0, 1, 3, 200, 5000 };
	memset(w, 0, sizeof *w);
	w->vocabulary = 1 + draw(draw(2) == 0 ? 12 : 300);
	w->lengths = lengths[draw(MEM_COUNT(lengths))];
	w->times = draw(2) * draw(1U << 31);
	w->sessions = sessions[draw(MEM_COUNT(sessions))];
	w->namespaces = draw(2) == 0 ? 1 : 1 + draw(NAMESPACES);
	w->tf_mode = draw(3);
	w->hash_mode = draw(6);
	w->rising_ids = draw(2) == 0;
	w->dense_ords = draw(2) == 0;
	w->all_live = draw(2) == 0;
}

/* ---- into the store --------------------------------------------------- */

static enum mem_status
add_rest(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct world *w = ctx;
	enum mem_status st = MEM_OK;
	for (size_t i = w->added; i < w->n && st == MEM_OK; i++) {
		const struct doc *d = &w->docs[i];
		struct mem_words_doc in = { .ord = d->ord, .ns = d->ns, .length = d->length,
			.terms = d->terms, .nterms = d->nterms, .attr = &d->attr };
		uint8_t key[4];
		mem_be32(key, d->ord);
		st = mem_tab_put(t, MEM_T_ATTR, mem_key(key, sizeof key),
		    (struct mem_str){ (const char *)&d->attr, sizeof d->attr }, e);
		if (st == MEM_OK)
			st = mem_words_add(t, &in, e);
	}
	return st;
}

static void
add(struct world *w, size_t n)
{
	if (draw(4) == 0)
		w->batch = draw(100);
	while (n-- > 0)
		draw_doc(w);
	ASSERT_OK(mem_store_write(store, add_rest, w, &err));
	w->added = w->n;
}

static enum mem_status
clear(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	return mem_index_clear(t, e);
}

static void
merge_first(size_t n)
{
	struct mem_txn *t = NULL;
	struct mem_segment_info *segs = NULL;
	size_t have;
	uint64_t epoch;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_segment_list(t, false, &segs, &have, &err));
	ASSERT_OK(mem_segment_epoch(t, &epoch, &err));
	mem_txn_end(t);
	size_t from = have > n ? draw((uint32_t)(have - n + 1)) : 0;
	if (have > 1)
		ASSERT_OK(mem_words_merge(store, segs + from, have < n ? have : n, epoch, &err));
	free(segs);
}

/* ---- the naive twin --------------------------------------------------- */

struct ask {
	struct mem_search_query q;
	struct mem_filter f;
	struct mem_filter_term terms[2];
	struct mem_search_clause clauses[8];
	struct mem_ns ns[NAMESPACES];
	const struct world *w;
	size_t asked;      /* times that admit was called */
};

static const struct doc *
doc_at(const struct world *w, uint32_t ord)
{
	size_t lo = 0, hi = w->n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (w->docs[mid].ord < ord)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &w->docs[lo];
}

static bool
admit_live(void *ctx, uint32_t ord)
{
	struct ask *a = ctx;
	a->asked++;
	return doc_at(a->w, ord)->live;
}

static uint32_t
tf_in(const struct doc *d, uint64_t hash)
{
	for (size_t i = 0; i < d->nterms; i++)
		if (d->terms[i].hash == hash)
			return d->terms[i].tf;
	return 0;
}

static bool
seen(const struct ask *a, uint32_t ns)
{
	for (size_t i = 0; i < a->q.nns; i++)
		if (a->ns[i].number == ns)
			return true;
	return false;
}

static bool
passes_filter(const struct mem_filter *f, const struct doc *d)
{
	const struct mem_attr *a = &d->attr;
	for (size_t i = 0; i < f->nterms; i++)
		if ((tf_in(d, f->terms[i].hash) > 0) == f->terms[i].negative)
			return false;
	return (mem_kind_set_empty(&f->kinds) || mem_kind_set_has(&f->kinds, a->kind))
	    && (f->roles == 0 || (f->roles >> a->role & 1) != 0)
	    && (f->session_number == 0 || f->session_number == a->session)
	    && (f->since == MEM_TIME_NONE || a->captured_at >= f->since)
	    && (f->until == MEM_TIME_NONE || a->captured_at < f->until);
}

static bool
matches_query(const struct mem_search_query *q, const struct doc *d)
{
	bool any = false, asks = false;
	for (size_t i = 0; i < q->nclauses; i++) {
		const struct mem_search_clause *c = &q->clauses[i];
		bool here = tf_in(d, c->hash) > 0, filter = c->occur == MEM_MUST_NOT || (c->occur == MEM_MUST && !c->scored);
		if (here ? c->occur == MEM_MUST_NOT : c->occur == MEM_MUST)
			return false;
		asks |= !filter;
		any |= here && !filter;
	}
	return any || !asks;
}

static int
naive_order(const void *a, const void *b)
{
	const struct mem_search_hit *x = a, *y = b;
	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return mem_id_cmp(&x->id, &y->id);
}

static void
naive_weights(const struct ask *a, double *idf, double *mean)
{
	double docs = 0, length = 0;
	for (size_t i = 0; i < a->w->n; i++)
		if (seen(a, a->w->docs[i].ns)) {
			docs += 1;
			length += a->w->docs[i].length;
		}
	*mean = length / docs;
	for (size_t k = 0; k < a->q.nclauses; k++) {
		double df = 0;
		for (size_t i = 0; i < a->w->n; i++)
			df += seen(a, a->w->docs[i].ns) && tf_in(&a->w->docs[i], a->clauses[k].hash) > 0;
		idf[k] = log(1 + (docs - df + .5) / (df + .5));
	}
}

static size_t
naive_search(const struct ask *a, struct mem_search_hit *out)
{
	double idf[8], mean;
	size_t n = 0;
	naive_weights(a, idf, &mean);
	double k1 = mean < 60 ? .9 : 1.2, b = mean < 60 ? .4 : .75;
	for (size_t i = 0; i < a->w->n; i++) {
		const struct doc *d = &a->w->docs[i];
		if (!seen(a, d->ns) || !passes_filter(&a->f, d) || !matches_query(&a->q, d)
		    || (a->q.admit != NULL && !d->live))
			continue;
		double score = 0;
		for (size_t k = 0; k < a->q.nclauses; k++) {
			uint32_t tf = tf_in(d, a->clauses[k].hash);
			double norm = k1 * ((1 - b) + b * fmin(d->length / mean, 4));
			if (tf > 0 && a->clauses[k].scored)
				score += a->clauses[k].weight * idf[k] * (k1 + 1) * (1 / (1 + norm / tf));
		}
		score = nearbyint(score * 1e6) / 1e6;
		if (score >= a->q.min_score)
			out[n++] = (struct mem_search_hit){ d->ord, score, d->attr.id, 0 };
	}
	if (n > 0)
		qsort(out, n, sizeof *out, naive_order);
	return n < a->q.limit ? n : a->q.limit;
}

/* ---- questions -------------------------------------------------------- */

static void
draw_filter(struct ask *a)
{
	const struct doc *d = &a->w->docs[draw((uint32_t)a->w->n)];
	a->f = (struct mem_filter)MEM_FILTER_INIT;
	a->q.filter = &a->f;
	a->f.terms = a->terms;
	if (draw(4) == 0)
		a->f.nterms = 1 + draw(2);
	for (size_t i = 0; i < a->f.nterms; i++)
		a->terms[i] = (struct mem_filter_term){ .hash = hash_of(a->w, draw(a->w->vocabulary / 8 + 1)), .negative = draw(2) == 0 };
	switch (draw(8)) {
	case 0: mem_kind_set_add(&a->f.kinds, d->attr.kind); break;
	case 1: a->f.roles = 1U << d->attr.role; break;
	case 2: a->f.session_number = d->attr.session; break;
	case 3: a->f.since = d->attr.captured_at; break;
	case 4: a->f.until = d->attr.captured_at + 1; break;
	case 5:
		a->f.since = d->attr.captured_at - (int64_t)draw(1 << 20);
		a->f.until = d->attr.captured_at + (int64_t)draw(1 << 20);
		a->f.roles = 1U << d->attr.role | 1U << draw(8);
		if (draw(2) != 0)
			a->f.kinds = mem_kind_set_all();
		mem_kind_set_add(&a->f.kinds, d->attr.kind);
		break;
	default:
		if (a->f.nterms == 0)
			a->q.filter = NULL;
		break;
	}
}

static void
count_namespaces(struct ask *a)
{
	for (size_t i = 0; i < a->q.nns; i++) {
		a->ns[i].nodes = a->ns[i].length = 0;
		for (size_t k = 0; k < a->w->n; k++)
			if (a->w->docs[k].ns == a->ns[i].number) {
				a->ns[i].nodes++;
				a->ns[i].length += a->w->docs[k].length;
			}
	}
}

static void
draw_ask(struct ask *a, const struct world *w)
{
	static const size_t limits[] = { 1, 2, 10, 10, 100, SIZE_MAX };
	memset(a, 0, sizeof *a);
	a->w = w;
	a->q.clauses = a->clauses;
	a->q.ns = a->ns;
	for (uint32_t ns = NAMESPACES; ns > 0; ns--) /* not in order */
		if (draw(3) > 0 || (ns == 1 && a->q.nns == 0))
			a->ns[a->q.nns++].number = ns;
	a->q.nclauses = 1 + draw(draw(3) == 0 ? 8 : 3);
	for (size_t i = 0; i < a->q.nclauses; i++) {
		uint32_t occur = draw(8);
		a->clauses[i] = (struct mem_search_clause){
			.hash = hash_of(w, draw(w->vocabulary + 1)),
			.occur = occur == 0 ? MEM_MUST : occur == 1 ? MEM_MUST_NOT : MEM_SHOULD,
			.scored = occur == 0 ? draw(2) == 0 : draw(8) > 0,
			.weight = draw(4) > 0 ? 1 : draw(1000) / 100.0,
		};
	}
	a->q.limit = limits[draw(MEM_COUNT(limits))];
	draw_filter(a);
	a->q.admit = draw(2) == 0 ? admit_live : NULL;
	a->q.ctx = a;
	count_namespaces(a);
	bool positive = false;
	for (size_t i = 0; i < a->q.nclauses; i++)
		positive |= a->clauses[i].occur != MEM_MUST_NOT;
	if (!positive)
		a->clauses[0].occur = MEM_SHOULD;
}

static void
fail_with(const struct ask *a, const char *where, size_t i, const struct mem_search_hit *want,
    size_t nwant, const struct mem_search_hit *got, size_t ngot)
{
	for (size_t k = 0; k < a->q.nclauses; k++)
		print_message("clause %zu: hash %016llx occur %d scored %d weight %g\n", k,
		    (unsigned long long)a->clauses[k].hash, (int)a->clauses[k].occur,
		    a->clauses[k].scored, a->clauses[k].weight);
	for (size_t k = 0; k < a->f.nterms; k++)
		print_message("term %llx negative %d\n", (unsigned long long)a->terms[k].hash, a->terms[k].negative);
	print_message("kinds %llx %llx roles %x session %x since %lld until %lld limit %zd min %.9g admit %d\n",
	    (unsigned long long)a->f.kinds.w[0], (unsigned long long)a->f.kinds.w[1], a->f.roles, a->f.session_number, (long long)a->f.since, (long long)a->f.until,
	    (ssize_t)a->q.limit, a->q.min_score, a->q.admit != NULL);
	if (i < nwant)
		print_message("want ord %u score %.17g\n", want[i].ord, want[i].score);
	if (i < ngot)
		print_message("got ord %u score %.17g\n", got[i].ord, got[i].score);
	fail_msg("%s: hit %zu differs: %zu wanted, %zu found", where, i, nwant, ngot);
}

static void
compare_hits(struct ask *a, const char *where, const struct mem_search_hit *want, size_t nwant)
{
	struct mem_txn *t = NULL;
	struct mem_search_hit *got = NULL;
	size_t n;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_words_search(t, &a->q, &got, &n, &err));
	mem_txn_end(t);
	for (size_t i = 0; i < nwant || i < n; i++)
		if (i >= nwant || i >= n || want[i].ord != got[i].ord
		    || memcmp(&want[i].score, &got[i].score, sizeof want[i].score) != 0
		    || mem_id_cmp(&want[i].id, &got[i].id) != 0)
			fail_with(a, where, i, want, nwant, got, n);
	free(got);
}

static void
ask_some(const struct world *w, size_t n, const char *where)
{
	struct mem_search_hit *want = mem_xcalloc(w->n, sizeof *want);
	struct ask *a = mem_xcalloc(1, sizeof *a);
	while (n-- > 0) {
		draw_ask(a, w);
		size_t k = naive_search(a, want);
		compare_hits(a, where, want, k);
		if (k > 0) { /* again with a bar that some pass */
			a->q.min_score = want[draw((uint32_t)k)].score;
			k = naive_search(a, want);
			compare_hits(a, where, want, k);
		}
	}
	free(a);
	free(want);
}

/* Every document comes back once, as it went in. */
struct visit {
	const struct world *w;
	uint8_t *met;
	size_t n;
};

static bool
visit(void *ctx, const struct mem_words_doc *doc)
{
	struct visit *v = ctx;
	const struct doc *d = doc_at(v->w, doc->ord);
	assert_int_equal(d->ord, doc->ord);
	assert_int_equal(v->met[d - v->w->docs]++, 0);
	assert_int_equal(d->ns, doc->ns);
	assert_int_equal(d->length, doc->length);
	assert_int_equal(d->nterms, doc->nterms);
	for (size_t i = 0; i < d->nterms; i++) {
		assert_true(d->terms[i].hash == doc->terms[i].hash);
		assert_int_equal(d->terms[i].tf, doc->terms[i].tf);
	}
	assert_int_equal(d->attr.kind, doc->attr->kind);
	assert_int_equal(d->attr.role, doc->attr->role);
	assert_int_equal(d->attr.session, doc->attr->session);
	assert_true(d->attr.captured_at == doc->attr->captured_at);
	v->n++;
	return true;
}

static void
visit_all(const struct world *w)
{
	struct visit v = { w, mem_xcalloc(w->n, 1), 0 };
	struct mem_txn *t = NULL;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_words_each_doc(t, visit, &v, &err));
	assert_int_equal(v.n, w->n);
	/* The counts of the namespaces agree, also after a clear. */
	for (uint32_t ns = 1; ns <= NAMESPACES; ns++) {
		struct mem_ns have;
		uint64_t nodes = 0;
		ASSERT_OK(mem_ns_by_number(t, ns, &have, &err));
		for (size_t i = 0; i < w->n; i++)
			nodes += w->docs[i].ns == ns;
		assert_int_equal(have.nodes, nodes);
	}
	mem_txn_end(t);
	free(v.met);
}

/* ---- the tests -------------------------------------------------------- */

static void
live_through(size_t first, size_t step, size_t asks)
{
	struct world w;
	draw_world(&w);
	ASSERT_OK(mem_store_write(store, clear, NULL, &err));
	add(&w, first);
	ask_some(&w, asks, "tail");
	for (uint32_t i = 0, n = 1 + draw(4); i < n; i++) {
		ASSERT_OK(mem_words_flush(store, &err));
		ask_some(&w, asks, "segments");
		add(&w, 1 + draw((uint32_t)step));
		ask_some(&w, asks / 2, "segments and tail");
	}
	merge_first(2 + draw(3));
	ask_some(&w, asks, "merged");
	merge_first(8);
	ask_some(&w, asks, "merged again");
	visit_all(&w);
	free(w.docs);
}

/* MEM_TEST_ROUNDS and MEM_TEST_SEED: longer runs, by hand. */
static long
rounds(long usual)
{
	const char *more = getenv("MEM_TEST_ROUNDS"), *other = getenv("MEM_TEST_SEED");
	if (other != NULL)
		seed = mix(strtoull(other, NULL, 10));
	return more != NULL ? atol(more) : usual;
}

static void
small_worlds_give_what_the_naive_twin_gives(void **state)
{
	(void)state;
	for (long i = 0, n = rounds(150); i < n; i++)
		live_through(1 + draw(60), 60, 10);
}

static void
middling_worlds_give_what_the_naive_twin_gives(void **state)
{
	(void)state;
	for (long i = 0, n = rounds(12); i < n; i++)
		live_through(1 + draw(4000), 3000, 12);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_worlds_give_what_the_naive_twin_gives),
		cmocka_unit_test(middling_worlds_give_what_the_naive_twin_gives),
	};
	return cmocka_run_group_tests_name("words_search", tests, world_setup, world_teardown);
}
