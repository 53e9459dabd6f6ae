/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents that are added, changed and removed: whatever was flushed and merged in between, every answer is that of
 * an index made anew from what is left, to the digit.
 */
#include "index_world.h"
#include "store/node.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>

enum { TERMS = 24, VOCABULARY = 900, ORDS = 12000, ROLES = 4 };

/* ---- documents -------------------------------------------------------- */

struct made {
	struct mem_attr attr;
	struct mem_words_term terms[TERMS];
	size_t n;
	uint32_t length;
};

static uint64_t seed;

static uint64_t
roll_number(void)
{
	return mix(seed += 0x9e3779b97f4a7c15U);
}

static uint64_t
word_hash(uint64_t r)
{
	/* Few words are in many documents, many in few. */
	uint64_t word = r % VOCABULARY * (r >> 32 & 255) * (r >> 40 & 255) / 65536;
	return mix(word + 77);
}

static int
by_hash(const void *a, const void *b)
{
	const struct mem_words_term *x = a, *y = b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* What a node of that ord holds in that version (from 1); its namespace and id stay the same. */
static void
make_doc(uint32_t ord, uint32_t version, struct made *m)
{
	uint64_t r = mix((uint64_t)ord << 32 | version);
	memset(m, 0, sizeof *m);
	m->attr.ns = 1 + ord % 3;
	m->attr.kind = (uint8_t)(1 + r % 3);
	m->attr.role = (uint8_t)(1 + (r >> 8) % ROLES);
	m->attr.captured_at = (int64_t)(mix(r) % 1000000);
	m->attr.session = 1 + (uint32_t)(r >> 16 & 31);
	mem_be64(m->attr.id.b, ord * UINT64_C(3) + (ord % 7 == 0 ? 1000 : 0)); /* mostly rising */
	mem_be32(m->attr.id.b + 8, ord);
	size_t words = 1 + (r >> 24) % TERMS;
	for (size_t i = 0; i < words; i++)
		m->terms[i] = (struct mem_words_term){ word_hash(mix(r + i)), 1 + (mix(r + i) >> 60 == 0 ? 300U : (uint32_t)(mix(r + i) >> 62)) };
	qsort(m->terms, words, sizeof *m->terms, by_hash);
	for (size_t i = 0; i < words; i++) {
		m->length += m->terms[i].tf;
		if (m->n > 0 && m->terms[m->n - 1].hash == m->terms[i].hash)
			m->terms[m->n - 1].tf += m->terms[i].tf;
		else
			m->terms[m->n++] = m->terms[i];
	}
}

static uint32_t version[ORDS];  /* 0: not there */
static uint32_t nords;

static enum mem_status
put_doc(struct mem_txn *t, uint32_t ord)
{
	struct made m;
	uint8_t key[4];
	make_doc(ord, version[ord], &m);
	mem_be32(key, ord);
	struct mem_words_doc doc = { .ord = ord, .ns = m.attr.ns, .length = m.length, .terms = m.terms, .nterms = m.n,
		.attr = &m.attr };
	enum mem_status st = mem_tab_put(t, MEM_T_ATTR, mem_key(key, sizeof key),
	    (struct mem_str){ (const char *)&m.attr, sizeof m.attr }, &err);
	return st == MEM_OK ? mem_words_add(t, &doc, &err) : st;
}

static enum mem_status
remove_doc(struct mem_txn *t, uint32_t ord)
{
	uint8_t key[4];
	mem_be32(key, ord);
	enum mem_status st = mem_words_remove(t, 1 + ord % 3, ord, &err);
	return st == MEM_OK ? mem_tab_del(t, MEM_T_ATTR, mem_key(key, sizeof key), &err) : st;
}

/* One that is there; UINT32_MAX: none was found soon. */
static uint32_t
pick_live(void)
{
	for (int i = 0; i < 100 && nords > 0; i++) {
		uint32_t ord = (uint32_t)(roll_number() % nords);
		if (version[ord] > 0)
			return ord;
	}
	return UINT32_MAX;
}

static enum mem_status
do_one(struct mem_txn *t, unsigned adds)
{
	uint32_t ord = pick_live();
	uint64_t what = roll_number() % 100;
	if (ord == UINT32_MAX || what < adds) {
		version[nords] = 1;
		return put_doc(t, nords++);
	}
	enum mem_status st = remove_doc(t, ord);
	version[ord] = what % 2 == 0 ? 0 : version[ord] + 1;
	return st == MEM_OK && version[ord] > 0 ? put_doc(t, ord) : st;
}

struct batch {
	size_t n;
	unsigned adds;      /* of a hundred */
};

static enum mem_status
do_batch(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct batch *b = ctx;
	enum mem_status st = MEM_OK;
	(void)e;
	for (size_t i = 0; i < b->n && st == MEM_OK && nords < ORDS; i++)
		st = do_one(t, b->adds);
	return st;
}

static enum mem_status
clear_all(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	enum mem_status st = mem_segment_empty_table(t, MEM_T_ATTR, e);
	return st == MEM_OK ? mem_index_clear(t, e) : st;
}

static void
start_anew(uint64_t s)
{
	seed = s;
	nords = 0;
	memset(version, 0, sizeof version);
	ASSERT_OK(mem_store_write(store, clear_all, NULL, &err));
}

/* ---- an index made anew ------------------------------------------------ */

static struct mem_store *fresh;
static char fresh_at[90];

static void
open_fresh(void)
{
	struct mem_buf path = { 0 };
	enum mem_init_result r;
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	snprintf(fresh_at, sizeof fresh_at, "%s/fresh", dir);
	ASSERT_OK(mem_store_init(&(struct mem_init_options){ .dir = fresh_at, .agent = "alice" }, &path, &r, &err));
	mem_buf_release(&path);
	ask.dir = fresh_at;
	ask.write = true;
	ask.agent = "alice";
	ASSERT_OK(mem_store_open(&fresh, &ask, &err));
	ASSERT_OK(mem_store_write(fresh, make_namespaces, NULL, &err));
}

static enum mem_status
put_live(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	enum mem_status st = clear_all(t, ctx, e);
	for (uint32_t ord = 0; ord < nords && st == MEM_OK; ord++)
		if (version[ord] > 0)
			st = put_doc(t, ord);
	return st;
}

/* ---- comparing --------------------------------------------------------- */

static struct mem_ns spaces[2][3];

static void
read_spaces(struct mem_txn *const t[2])
{
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < 3; i++)
			ASSERT_OK(mem_ns_by_number(t[s], i + 1, &spaces[s][i], &err));
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(spaces[0][i].nodes, spaces[1][i].nodes);
		assert_int_equal(spaces[0][i].length, spaces[1][i].length);
	}
}

struct question {
	struct mem_search_clause clauses[4];
	struct mem_filter filter;
	struct mem_filter_term term;
	struct mem_search_query q;
};

static void
make_question(struct question *k)
{
	memset(k, 0, sizeof *k);
	k->filter = (struct mem_filter)MEM_FILTER_INIT;
	k->q.clauses = k->clauses;
	k->q.nclauses = 1 + roll_number() % 4;
	for (size_t i = 0; i < k->q.nclauses; i++) {
		uint64_t r = roll_number() % 16;
		k->clauses[i] = (struct mem_search_clause){ .hash = word_hash(roll_number()),
			.occur = r < 12 ? MEM_SHOULD : r < 15 ? MEM_MUST : MEM_MUST_NOT, .scored = r % 5 != 0 || r < 12,
			.weight = (double)(1 + roll_number() % 3) };
	}
	k->q.limit = roll_number() % 4 == 0 ? SIZE_MAX : 10;
	if (roll_number() % 2 == 0)
		return;
	k->q.filter = &k->filter;
	if (roll_number() % 2 == 0)
		k->filter.kinds = mem_kind_set_of((enum mem_kind)(1 + roll_number() % 3));
	if (roll_number() % 3 == 0)
		k->filter.roles = 1U << (1 + roll_number() % ROLES);
	if (roll_number() % 3 == 0)
		k->filter.since = (int64_t)(roll_number() % 500000);
	if (roll_number() % 3 == 0) {
		k->term = (struct mem_filter_term){ .field = MEM_TERM_TAG, .negative = roll_number() % 2, .hash = word_hash(roll_number()) };
		k->filter.terms = &k->term;
		k->filter.nterms = 1;
	}
}

/* What nodes are scored by on request is what the search gave them. */
static void
compare_hit_scores(struct mem_txn *t, struct question *k, const struct mem_search_hit *hits, size_t n)
{
	uint32_t *ords = mem_xcalloc(n + 1, sizeof *ords);
	double *scores = mem_xcalloc(n + 1, sizeof *scores);
	for (size_t i = 0; i < n; i++)
		ords[i] = hits[i].ord;
	k->q.ns = spaces[0];
	ASSERT_OK(mem_words_scores(t, &k->q, ords, n, scores, &err));
	for (size_t i = 0; i < n; i++)
		assert_memory_equal(&scores[i], &hits[i].score, sizeof scores[i]);
	free(ords);
	free(scores);
}

static void
compare_hits(struct mem_txn *const t[2], struct question *k)
{
	struct mem_search_hit *hits[2];
	size_t n[2];
	for (int s = 0; s < 2; s++) {
		k->q.ns = spaces[s];
		ASSERT_OK(mem_words_search(t[s], &k->q, &hits[s], &n[s], &err));
	}
	assert_int_equal(n[0], n[1]);
	for (size_t i = 0; i < n[0]; i++) {
		assert_int_equal(hits[0][i].ord, hits[1][i].ord);
		assert_memory_equal(&hits[0][i].score, &hits[1][i].score, sizeof(double));
		assert_memory_equal(&hits[0][i].id, &hits[1][i].id, sizeof(struct mem_id));
	}
	compare_hit_scores(t[0], k, hits[0], n[0]);
	free(hits[0]);
	free(hits[1]);
}

/* The scores of some nodes, also of such as are gone, and in how many documents the words stand. */
static void
compare_scores(struct mem_txn *const t[2], struct question *k)
{
	enum { SOME = 60 };
	uint32_t ords[SOME];
	uint64_t hashes[4], df[2][4];
	double scores[2][SOME];
	for (size_t i = 0; i < SOME; i++)
		ords[i] = (uint32_t)(roll_number() % nords);
	for (size_t i = 0; i < 4; i++)
		hashes[i] = k->clauses[i].hash;
	for (int s = 0; s < 2; s++) {
		k->q.ns = spaces[s];
		ASSERT_OK(mem_words_scores(t[s], &k->q, ords, SOME, scores[s], &err));
		ASSERT_OK(mem_words_df(t[s], spaces[s], k->q.nns, hashes, k->q.nclauses, df[s], &err));
	}
	for (size_t i = 0; i < SOME; i++)
		if (version[ords[i]] > 0)
			assert_memory_equal(&scores[0][i], &scores[1][i], sizeof(double));
		else
			assert_true(scores[0][i] < 1e-12 && scores[0][i] > -1e-12);
	assert_memory_equal(df[0], df[1], k->q.nclauses * sizeof **df);
}

/* The clauses that the node's own terms show. */
static uint64_t
mask_of(const struct question *k, uint32_t ord)
{
	struct made m;
	uint64_t mask = 0;
	if (version[ord] == 0)
		return 0;
	make_doc(ord, version[ord], &m);
	for (size_t c = 0; c < k->q.nclauses && m.attr.ns <= k->q.nns; c++)
		for (size_t i = 0; i < m.n; i++)
			if (m.terms[i].hash == k->clauses[c].hash)
				mask |= UINT64_C(1) << c;
	return mask;
}

static void
check_coverage(struct mem_txn *t, struct question *k)
{
	enum { SOME = 60 };
	uint32_t ords[SOME];
	uint64_t masks[SOME], hashes[4], df[4], want_df[4], docs = 0;
	double scores[SOME], want_scores[SOME], idf[4];
	const struct mem_words_coverage out = { scores, masks, df, idf };
	for (size_t i = 0; i < SOME; i++)
		ords[i] = (uint32_t)(roll_number() % nords);
	for (size_t i = 0; i < 4; i++)
		hashes[i] = k->clauses[i].hash;
	k->q.ns = spaces[0];
	ASSERT_OK(mem_words_cover(t, &k->q, ords, SOME, &out, &err));
	ASSERT_OK(mem_words_scores(t, &k->q, ords, SOME, want_scores, &err));
	ASSERT_OK(mem_words_df(t, spaces[0], k->q.nns, hashes, k->q.nclauses, want_df, &err));
	assert_memory_equal(scores, want_scores, sizeof scores);
	for (size_t i = 0; i < SOME; i++)
		assert_int_equal(masks[i], mask_of(k, ords[i]));
	for (size_t i = 0; i < k->q.nns; i++)
		docs += spaces[0][i].nodes;
	for (size_t i = 0; i < k->q.nclauses; i++) {
		double want = log(1 + ((double)docs - (double)want_df[i] + .5) / ((double)want_df[i] + .5));
		assert_int_equal(df[i], want_df[i]);
		assert_true(fabs(idf[i] - want) < 1e-12);
	}
}

static void
compare_bitmaps(struct mem_txn *const t[2], struct question *k)
{
	uint64_t *bits[2];
	size_t n[2];
	for (int s = 0; s < 2; s++)
		ASSERT_OK(mem_words_filter_bitmap(t[s], &k->q, &bits[s], &n[s], &err));
	assert_int_equal(bits[0] == NULL, bits[1] == NULL);
	for (uint32_t ord = 0; bits[0] != NULL && ord < nords; ord++)
		if (version[ord] > 0)
			assert_int_equal(bits[0][ord / 64] >> (ord % 64) & 1, bits[1][ord / 64] >> (ord % 64) & 1);
	free(bits[0]);
	free(bits[1]);
}

struct seen {
	uint8_t met[ORDS];
	uint32_t n;
	bool right;
};

static bool
see_doc(void *ctx, const struct mem_words_doc *doc)
{
	struct seen *c = ctx;
	struct made m;
	c->right = doc->ord < nords && version[doc->ord] > 0 && c->met[doc->ord]++ == 0;
	if (!c->right)
		return false;
	make_doc(doc->ord, version[doc->ord], &m);
	c->right = doc->ns == m.attr.ns && doc->length == m.length && doc->nterms == m.n && doc->attr->kind == m.attr.kind
	    && doc->attr->session == m.attr.session && doc->attr->captured_at == m.attr.captured_at;
	for (size_t i = 0; i < m.n && c->right; i++)
		c->right = doc->terms[i].hash == m.terms[i].hash && doc->terms[i].tf == m.terms[i].tf;
	c->n++;
	return c->right;
}

static void
compare_documents(struct mem_txn *t)
{
	struct seen *c = mem_xcalloc(1, sizeof *c);
	uint32_t live = 0;
	for (uint32_t ord = 0; ord < nords; ord++)
		live += version[ord] > 0;
	c->right = true;
	ASSERT_OK(mem_words_each_doc(t, see_doc, c, &err));
	assert_true(c->right);
	assert_int_equal(c->n, live);
	free(c);
}

static void
assert_like_new(void)
{
	struct mem_txn *t[2];
	struct question k;
	ASSERT_OK(mem_store_write(fresh, put_live, NULL, &err));
	if (roll_number() % 2 == 0)
		ASSERT_OK(mem_words_flush(fresh, &err));
	ASSERT_OK(mem_txn_read(&t[0], store, &err));
	ASSERT_OK(mem_txn_read(&t[1], fresh, &err));
	read_spaces(t);
	compare_documents(t[0]);
	for (int i = 0; i < 60; i++) {
		make_question(&k);
		k.q.nns = 1 + roll_number() % 3;
		compare_hits(t, &k);
		compare_scores(t, &k);
		check_coverage(t[0], &k);
		compare_bitmaps(t, &k);
	}
	mem_txn_end(t[0]);
	mem_txn_end(t[1]);
}

/* ---- what happens in between ------------------------------------------- */

/* Some segments, neighbours or not, or one. */
static void
merge_some(void)
{
	struct mem_segment_info *segs = NULL;
	struct mem_txn *t = NULL;
	size_t n, some = 0;
	uint64_t epoch;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_segment_list(t, false, &segs, &n, &err));
	ASSERT_OK(mem_segment_epoch(t, &epoch, &err));
	mem_txn_end(t);
	for (size_t i = 0; i < n; i++)
		if (roll_number() % 2 == 0)
			segs[some++] = segs[i];
	if (some > 0)
		ASSERT_OK(mem_words_merge(store, segs, some, epoch, &err));
	free(segs);
}

static void
flush_tail(void)
{
	enum mem_status st = mem_words_flush(store, &err);
	assert_true(st == MEM_OK || st == MEM_END);
}

static void
change_at_random(size_t changes, unsigned adds)
{
	for (size_t done = 0; done < changes;) {
		struct batch b = { 1 + roll_number() % 80, adds };
		ASSERT_OK(mem_store_write(store, do_batch, &b, &err));
		done += b.n;
		uint64_t then = roll_number() % 20;
		if (then < 4)
			flush_tail();
		else if (then < 6)
			merge_some();
	}
}

static void
every_answer_is_that_of_an_index_made_anew(void **state)
{
	(void)state;
	start_anew(1);
	for (int round = 0; round < 14; round++) {
		change_at_random(800, round < 9 ? 60 : 5);
		assert_like_new();
		merge_some();
		assert_like_new();
	}
	flush_tail();
	struct mem_segment_info *segs = NULL;
	struct mem_txn *t = NULL;
	size_t n;
	uint64_t epoch;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_segment_list(t, false, &segs, &n, &err));
	ASSERT_OK(mem_segment_epoch(t, &epoch, &err));
	mem_txn_end(t);
	ASSERT_OK(mem_words_merge(store, segs, n, epoch, &err));
	free(segs);
	assert_like_new();
	ASSERT_OK(mem_txn_read(&t, store, &err));
	assert_int_equal(mem_tab_count(t, MEM_T_TOMB), 0);
	mem_txn_end(t);
}

static enum mem_status
remove_all(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	enum mem_status st = MEM_OK;
	(void)ctx;
	(void)e;
	for (uint32_t ord = 0; ord < nords && st == MEM_OK; ord++)
		if (version[ord] > 0) {
			st = remove_doc(t, ord);
			version[ord] = 0;
		}
	return st;
}

static void
an_index_may_become_empty(void **state)
{
	(void)state;
	start_anew(2);
	change_at_random(1200, 70);
	ASSERT_OK(mem_store_write(store, remove_all, NULL, &err));
	assert_like_new();
	struct mem_txn *t = NULL;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	assert_int_equal(mem_words_remove(t, 1, 0, &err), MEM_NOTFOUND);
	mem_txn_end(t);
	for (int i = 0; i < 40; i++)
		merge_some();
	change_at_random(600, 70);
	assert_like_new();
}

/* In a child, until it is killed. */
static void
tidy_forever(void)
{
	world_open();
	for (;;) {
		struct mem_segment_info *segs = NULL;
		struct mem_txn *t = NULL;
		size_t n = 0;
		uint64_t epoch;
		bool did;
		enum mem_status st = mem_index_tidy(store, UINT32_MAX, &did, &err);
		if (st == MEM_OK)
			st = mem_txn_read(&t, store, &err);
		if (st == MEM_OK)
			st = mem_segment_epoch(t, &epoch, &err);
		if (st == MEM_OK)
			st = mem_segment_list(t, false, &segs, &n, &err);
		mem_txn_end(t);
		if (st == MEM_OK && n > 0)
			st = mem_words_merge(store, segs, n, epoch, &err);
		free(segs);
		if (st != MEM_OK && st != MEM_STALE) {
			print_message("tidy: status %d: %s\n", (int)st, err.msg);
			_exit(1);
		}
	}
}

/* What goes while a merge is made does not come back with it. */
static void
removals_beside_a_tidier_are_kept(void **state)
{
	int status;
	(void)state;
	start_anew(3);
	mem_store_pause(store);
	mem_store_pause(fresh);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		tidy_forever();
	for (int round = 0; round < 400; round++) {
		struct batch b = { 1 + roll_number() % 20, round < 250 ? 80 : 20 };
		ASSERT_OK(mem_store_write(store, do_batch, &b, &err));
		if (round % 50 == 49)
			assert_like_new();
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_like_new();
}

static int
setup(void **state)
{
	int rc = world_setup(state);
	if (rc == 0)
		open_fresh();
	return rc;
}

static int
teardown(void **state)
{
	mem_store_close(fresh);
	return world_teardown(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_answer_is_that_of_an_index_made_anew),
		cmocka_unit_test(an_index_may_become_empty),
		cmocka_unit_test(removals_beside_a_tidier_are_kept),
	};
	return cmocka_run_group_tests_name("words_change", tests, setup, teardown);
}
