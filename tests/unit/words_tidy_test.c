/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flushes and merges beside writers and readers, killed and overtaken ones, and what damage does.  What document n
 * holds follows from n, so that whoever sees n documents knows what a search must give.
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

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { WORDS = 3 };

struct made {
	struct mem_attr attr;
	struct mem_words_term terms[WORDS];
	size_t n;
	uint32_t ns, length;
};

static int
by_hash(const void *a, const void *b)
{
	const struct mem_words_term *x = a, *y = b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static void
make_doc(uint32_t ord, struct made *m)
{
	uint64_t r = mix(ord + 1);
	memset(m, 0, sizeof *m);
	m->ns = 1 + (uint32_t)(r % 3);
	m->length = 1 + (uint32_t)(r >> 8 & 31);
	m->n = WORDS;
	for (uint32_t i = 0; i < WORDS; i++) {
		/* One of 8, one of 64, one of 4,096 words. */
		uint64_t word = (uint64_t)(i + 1) << 32 | (r >> (16 + 12 * i) & ((8U << 3 * i << (i / 2 * 3)) - 1));
		m->terms[i] = (struct mem_words_term){ mix(word), 1 + (uint32_t)(r >> 60 & (i + 1)) };
	}
	qsort(m->terms, m->n, sizeof *m->terms, by_hash);
	m->attr.ns = m->ns;
	m->attr.kind = MEM_KIND_EPISODE;
	m->attr.role = MEM_ROLE_USER;
	m->attr.captured_at = (int64_t)ord * 1000;
	m->attr.session = ord / 50 + 1;
	mem_be64(m->attr.id.b, ord);
}

struct add {
	uint32_t from, to;
};

static enum mem_status
add_docs(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct add *a = ctx;
	enum mem_status st = MEM_OK;
	for (uint32_t ord = a->from; ord < a->to && st == MEM_OK; ord++) {
		struct made m;
		uint8_t key[4];
		make_doc(ord, &m);
		mem_be32(key, ord);
		struct mem_words_doc doc = { .ord = ord, .ns = m.ns, .length = m.length,
			.terms = m.terms, .nterms = m.n, .attr = &m.attr };
		st = mem_tab_put(t, MEM_T_ATTR, mem_key(key, sizeof key),
		    (struct mem_str){ (const char *)&m.attr, sizeof m.attr }, e);
		if (st == MEM_OK)
			st = mem_words_add(t, &doc, e);
	}
	return st;
}

static enum mem_status
clear_all(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	return mem_index_clear(t, e);
}

static void
fresh_start(uint32_t docs)
{
	struct add a = { 0, docs };
	ASSERT_OK(mem_store_write(store, clear_all, NULL, &err));
	ASSERT_OK(mem_store_write(store, add_docs, &a, &err));
}

/* ---- what must be there ----------------------------------------------- */

struct count {
	uint8_t *met;
	uint32_t docs, n;
	bool right;
};

static bool
count_doc(void *ctx, const struct mem_words_doc *doc)
{
	struct count *c = ctx;
	struct made m;
	make_doc(doc->ord, &m);
	c->right &= doc->ord < c->docs && c->met[doc->ord]++ == 0 && doc->ns == m.ns
	    && doc->length == m.length && doc->nterms == m.n
	    && doc->attr->captured_at == m.attr.captured_at
	    && doc->attr->session == m.attr.session;
	for (size_t i = 0; i < m.n && c->right; i++)
		c->right = doc->terms[i].hash == m.terms[i].hash && doc->terms[i].tf == m.terms[i].tf;
	c->n++;
	return c->right;
}

static void
assert_holds(uint32_t docs)
{
	struct count c = { mem_xcalloc(docs + 1, 1), docs, 0, true };
	struct mem_txn *t = NULL;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_words_each_doc(t, count_doc, &c, &err));
	mem_txn_end(t);
	assert_true(c.right);
	assert_int_equal(c.n, docs);
	free(c.met);
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

/* Every part belongs to a published segment. */
static void
assert_swept(void)
{
	struct mem_txn *t = NULL;
	struct mem_cursor *c = NULL;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_cursor_open(&c, t, MEM_T_SEG, &err));
	enum mem_status st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, &err);
	for (; st == MEM_OK; st = mem_cursor_next(c, &err)) {
		struct mem_str v, key = mem_cursor_key(c);
		ASSERT_OK(mem_tab_get(t, MEM_T_SEGS, (struct mem_str){ key.p, 4 }, &v, &err));
	}
	assert_int_equal(st, MEM_END);
	mem_cursor_close(c);
	mem_txn_end(t);
}

static void
tidy_all(uint32_t max_docs)
{
	bool did = true;
	while (did)
		ASSERT_OK(mem_index_tidy(store, max_docs, &did, &err));
}

/* Ten best by a plain walk over the first `docs` documents of namespaces 1 and 2. */
static size_t
naive_best(uint32_t docs, const uint64_t *words, struct mem_search_hit *best)
{
	double n = 0, length = 0, df[2] = { 0 };
	struct made m;
	size_t have = 0;
	for (uint32_t ord = 0; ord < docs; ord++) {
		make_doc(ord, &m);
		if (m.ns > 2)
			continue;
		n++;
		length += m.length;
		for (size_t i = 0; i < m.n; i++)
			for (int w = 0; w < 2; w++)
				df[w] += m.terms[i].hash == words[w];
	}
	for (uint32_t ord = 0; ord < docs; ord++) {
		double score = 0;
		bool any = false;
		make_doc(ord, &m);
		for (int w = 0; w < 2 && m.ns <= 2; w++)
			for (size_t i = 0; i < m.n; i++)
				if (m.terms[i].hash == words[w]) {
					double norm = .9 * ((1 - .4) + .4 * m.length / (length / n));
					double idf = log(1 + (n - df[w] + .5) / (df[w] + .5));
					score += idf * (.9 + 1) * (1 / (1 + norm / m.terms[i].tf));
					any = true;
				}
		score = nearbyint(score * 1e6) / 1e6;
		if (!any || (have == 10 && score <= best[9].score)) /* ids rise */
			continue;
		size_t place = have < 10 ? have++ : 9;
		for (; place > 0 && best[place - 1].score < score; place--)
			best[place] = best[place - 1];
		best[place] = (struct mem_search_hit){ .ord = ord, .score = score };
	}
	return have;
}

enum answer { RIGHT, WRONG, REFUSED };

/* Searches whatever the store holds now. */
static enum answer
ask_search(struct mem_store *s, uint64_t round, uint32_t *docs)
{
	struct mem_txn *t = NULL;
	struct mem_ns ns[3];
	struct mem_search_hit *hits = NULL, want[10];
	struct made m;
	size_t n = 0;
	make_doc((uint32_t)(mix(round) % 5000), &m);
	struct mem_search_clause clauses[2] = {
		{ .hash = m.terms[0].hash, .occur = MEM_SHOULD, .scored = true, .weight = 1 }, { .hash = m.terms[2].hash, .occur = MEM_SHOULD, .scored = true, .weight = 1 },
	};
	struct mem_search_query q = { .clauses = clauses, .nclauses = 2, .ns = ns, .nns = 2, .limit = 10 };
	enum mem_status st = mem_txn_read(&t, s, &err);
	for (uint32_t i = 0; i < 3 && st == MEM_OK; i++)
		st = mem_ns_by_number(t, i + 1, &ns[i], &err);
	if (st == MEM_OK)
		st = mem_words_search(t, &q, &hits, &n, &err);
	mem_txn_end(t);
	if (st != MEM_OK) {
		print_message("search: %s\n", err.msg);
		return REFUSED;
	}
	*docs = (uint32_t)(ns[0].nodes + ns[1].nodes + ns[2].nodes);
	uint64_t words[2] = { clauses[0].hash, clauses[1].hash };
	bool right = naive_best(*docs, words, want) == n;
	for (size_t i = 0; i < n && right; i++)
		right = want[i].ord == hits[i].ord && !(want[i].score < hits[i].score)
		    && !(want[i].score > hits[i].score);
	free(hits);
	return right ? RIGHT : WRONG;
}

static bool
search_is_right(struct mem_store *s, uint64_t round, uint32_t *docs)
{
	return ask_search(s, round, docs) == RIGHT;
}

/* ---- the tests -------------------------------------------------------- */

static void
tidying_makes_levels_and_loses_nothing(void **state)
{
	(void)state;
	uint32_t dummy;
	fresh_start(70000);
	tidy_all(32768);
	struct mem_index_stat s = stat_now();
	/* 17 flushes of 4,096: two merges of eight, one left, and 368 in the tail */
	assert_int_equal(s.segments, 3);
	assert_int_equal(s.tail, 368);
	assert_holds(70000);
	assert_swept();
	assert_true(search_is_right(store, 1, &dummy));
	tidy_all(32768);
	struct mem_index_stat again = stat_now();
	assert_int_equal(again.segments, 3);
	assert_true(again.bytes == s.bytes);
}

static void
writers_merge_no_further_than_asked(void **state)
{
	(void)state;
	fresh_start(33000);
	tidy_all(32767);
	assert_int_equal(stat_now().segments, 8);
	tidy_all(32768);
	assert_int_equal(stat_now().segments, 1);
	assert_holds(33000);
}

static void
add_more(uint32_t from, uint32_t to)
{
	struct add a = { from, to };
	ASSERT_OK(mem_store_write(store, add_docs, &a, &err));
	tidy_all(UINT32_MAX);
}

/* No segment may stand that is not larger than all that came after it. */
static void
maintenance_leaves_few_segments(void **state)
{
	(void)state;
	fresh_start(20000);
	tidy_all(UINT32_MAX);
	assert_int_equal(stat_now().segments, 1);
	add_more(20000, 29000); /* 9,000: not half of it */
	assert_int_equal(stat_now().segments, 2);
	add_more(29000, 38000);
	assert_int_equal(stat_now().segments, 2);
	add_more(38000, 40001); /* 20,001 now */
	assert_int_equal(stat_now().segments, 1);
	for (uint32_t docs = 40001; docs < 52000; docs += 300)
		add_more(docs, docs + 300); /* each a flush, more than there are levels */
	assert_true(stat_now().segments <= 6);
	assert_int_equal(stat_now().tail, 0);
	assert_holds(52001);
	assert_swept();
}

static enum mem_status
put_orphans(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	enum mem_status st = MEM_OK;
	for (uint32_t i = 0; i < 600 && st == MEM_OK; i++) {
		uint8_t key[8];
		mem_be32(key, 7000 + i / 300);
		mem_be32(key + 4, i % 300);
		st = mem_tab_put(t, MEM_T_SEG, mem_key(key, sizeof key), MEM_STR("left behind"), e);
	}
	return st;
}

static void
what_a_killed_builder_left_is_swept(void **state)
{
	(void)state;
	fresh_start(5000);
	ASSERT_OK(mem_store_write(store, put_orphans, NULL, &err));
	tidy_all(32768);
	assert_swept();
	assert_holds(5000);
}

static void
list_segments(struct mem_segment_info **segs, size_t *n, uint64_t *epoch)
{
	struct mem_txn *t = NULL;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_segment_list(t, false, segs, n, &err));
	ASSERT_OK(mem_segment_epoch(t, epoch, &err));
	mem_txn_end(t);
}

static void
a_merge_that_comes_too_late_changes_nothing(void **state)
{
	(void)state;
	struct mem_segment_info *segs = NULL;
	size_t n;
	uint64_t epoch;
	fresh_start(20000);
	tidy_all(4096);
	list_segments(&segs, &n, &epoch);
	assert_int_equal(n, 4);
	/* another has merged two of them */
	ASSERT_OK(mem_words_merge(store, segs + 1, 2, epoch, &err));
	assert_int_equal(mem_words_merge(store, segs, n, epoch, &err), MEM_STALE);
	assert_int_equal(stat_now().segments, 3);
	assert_holds(20000);
	/* the index was cleared and filled again meanwhile: the same numbers, other segments */
	fresh_start(20000);
	tidy_all(4096);
	assert_int_equal(mem_words_merge(store, segs, 2, epoch, &err), MEM_STALE);
	assert_int_equal(stat_now().segments, 4);
	assert_holds(20000);
	bool did;
	ASSERT_OK(mem_index_tidy(store, 4096, &did, &err));
	assert_swept();
	free(segs);
}

static enum mem_status
replace_nothing(struct mem_segment_build *b, struct mem_txn *t, struct mem_err *e)
{
	(void)b;
	(void)t;
	(void)e;
	return MEM_OK;
}

static void
a_segment_begun_before_a_clear_is_not_published(void **state)
{
	(void)state;
	struct mem_segment_doc row = { .ord = 5, .ns = 1, .length = 1, .kind = 1 };
	for (int cleared = 0; cleared < 2; cleared++) {
		struct mem_segment_build b = { .s = store, .replace = replace_nothing };
		struct mem_txn *t = NULL;
		fresh_start(0);
		ASSERT_OK(mem_txn_read(&t, store, &err));
		ASSERT_OK(mem_segment_epoch(t, &b.epoch, &err));
		mem_txn_end(t);
		mem_segw_init(&b.w, 0);
		mem_segw_doc(&b.w, &row);
		mem_segw_docs_end(&b.w);
		if (cleared)
			fresh_start(0);
		assert_int_equal(mem_segment_build_publish(&b, &err), cleared ? MEM_STALE : MEM_OK);
		assert_int_equal(stat_now().segments, cleared ? 0 : 1);
		mem_segw_release(&b.w);
	}
}

static void
only_one_tidies_at_a_time(void **state)
{
	(void)state;
	bool did = true;
	fresh_start(5000);
	ASSERT_OK(mem_store_lock(store, MEM_LOCK_INDEX, 0, &err));
	ASSERT_OK(mem_index_tidy(store, 32768, &did, &err));
	assert_false(did);
	assert_int_equal(stat_now().segments, 0);
	mem_store_unlock(store, MEM_LOCK_INDEX);
	ASSERT_OK(mem_index_tidy(store, 32768, &did, &err));
	assert_true(did);
	assert_int_equal(stat_now().segments, 1);
}

static bool
due_now(uint32_t max_docs)
{
	struct mem_txn *t = NULL;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	bool due = mem_index_tidy_due(t, max_docs);
	mem_txn_end(t);
	return due;
}

static void
maintenance_is_due_for_small_tails_and_large_merges(void **state)
{
	(void)state;
	fresh_start(255);
	assert_false(due_now(UINT32_MAX));
	fresh_start(256);
	assert_true(due_now(UINT32_MAX));
	assert_false(due_now(32768));
	tidy_all(UINT32_MAX);
	assert_int_equal(stat_now().tail, 0);
	fresh_start(8 * 4096);
	tidy_all(4096);
	assert_true(due_now(UINT32_MAX)); /* the merge, with nothing in the tail */
	assert_true(due_now(32768));
	assert_false(due_now(32767));
	tidy_all(UINT32_MAX);
	assert_false(due_now(UINT32_MAX));
}

/* In a child: tidies over and over until it is killed. */
static void
tidy_forever(void)
{
	world_open();
	for (;;) {
		bool did;
		if (mem_index_tidy(store, UINT32_MAX, &did, &err) != MEM_OK) {
			print_message("tidy: %s\n", err.msg);
			_exit(1);
		}
		if (!did)
			nanosleep(&(struct timespec){ 0, 500000 }, NULL);
	}
}

static pid_t
start(void (*job)(void))
{
	mem_store_pause(store); /* a child must not inherit an open environment */
	pid_t p = fork();
	assert_true(p >= 0);
	if (p == 0)
		job();
	return p;
}

/* Kills a child that should run for ever; false: it had ended by itself. */
static bool
stop(pid_t p)
{
	int status;
	kill(p, SIGKILL);
	while (waitpid(p, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void
killed_tidiers_lose_nothing(void **state)
{
	(void)state;
	struct add a = { 0, 0 };
	fresh_start(0);
	for (int i = 0; i < 25; i++) {
		a.to = a.from + 3000;
		ASSERT_OK(mem_store_write(store, add_docs, &a, &err));
		a.from = a.to;
		pid_t p = start(tidy_forever);
		nanosleep(&(struct timespec){ 0, (long)(mix((uint64_t)i) % 25000000) }, NULL);
		assert_true(stop(p));
	}
	assert_holds(a.to);
	tidy_all(UINT32_MAX);
	assert_holds(a.to);
	assert_swept();
}

static void
write_forever(void)
{
	world_open();
	struct add a = { 0, 0 };
	for (uint64_t i = 0; a.from < 60000; i++) {
		a.to = a.from + 1 + (uint32_t)(mix(i) % 700);
		if (mem_store_write(store, add_docs, &a, &err) != MEM_OK) {
			print_message("add: %s\n", err.msg);
			_exit(1);
		}
		a.from = a.to;
	}
	for (;;)
		pause();
}

static void
searches_are_right_beside_writers_and_tidiers(void **state)
{
	(void)state;
	uint32_t docs = 0, last = 0;
	fresh_start(0);
	pid_t children[3] = { start(write_forever), start(tidy_forever), start(tidy_forever) };
	/* Early rounds are quick, and who writes may have to wait for the disk: time is the bound, not rounds. */
	time_t begun = time(NULL);
	for (uint64_t round = 0; docs < 60000 && time(NULL) - begun < 1200; round++) {
		assert_true(search_is_right(store, round, &docs));
		assert_true(docs >= last);
		last = docs;
	}
	for (size_t i = 0; i < MEM_COUNT(children); i++)
		assert_true(stop(children[i]));
	assert_true(docs >= 60000);
	tidy_all(UINT32_MAX);
	assert_true(search_is_right(store, 1, &last));
	assert_holds(docs);
	assert_swept();
}

/* ---- damage ----------------------------------------------------------- */

struct harm {
	enum mem_table tab;
	size_t entry;      /* counted from the table's first */
	size_t at;         /* byte */
	uint8_t flip;
};

static enum mem_status
do_harm(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct harm *h = ctx;
	struct mem_cursor *c = NULL;
	struct mem_buf key = { 0 }, value = { 0 };
	enum mem_status st = mem_cursor_open(&c, t, h->tab, e);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, e);
	for (size_t i = 0; i < h->entry && st == MEM_OK; i++)
		st = mem_cursor_next(c, e);
	if (st == MEM_OK) {
		mem_buf_str(&key, mem_cursor_key(c));
		mem_buf_str(&value, mem_cursor_value(c));
		value.data[h->at % value.len] ^= (char)h->flip;
	}
	mem_cursor_close(c);
	if (st == MEM_OK)
		st = mem_tab_put(t, h->tab, mem_buf_span(&key), mem_buf_span(&value), e);
	mem_buf_release(&key);
	mem_buf_release(&value);
	return st;
}

static bool
see_doc(void *ctx, const struct mem_words_doc *doc)
{
	(void)ctx;
	(void)doc;
	return true;
}

static enum mem_status
each_now(void)
{
	struct mem_txn *t = NULL;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	enum mem_status st = mem_words_each_doc(t, see_doc, NULL, &err);
	mem_txn_end(t);
	return st;
}

/* One bit anywhere in a segment is noticed by a check and refused by a merge; a search that reads it refuses, too. */
static void
a_flipped_bit_is_noticed(void **state)
{
	(void)state;
	uint32_t docs;
	fresh_start(9000);
	tidy_all(4096);
	struct mem_segment_info *segs = NULL;
	size_t n, parts;
	uint64_t epoch;
	list_segments(&segs, &n, &epoch);
	struct mem_txn *t = NULL;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	parts = mem_tab_count(t, MEM_T_SEG);
	mem_txn_end(t);
	assert_int_equal(n, 2);
	for (uint64_t i = 0; i < 120; i++) {
		struct harm h = { MEM_T_SEG, i % parts, mix(i), (uint8_t)(1U << (i % 8)) };
		if (i % 10 == 0)
			h = (struct harm){ MEM_T_SEGS, i % 2, mix(i), 4 };
		ASSERT_OK(mem_store_write(store, do_harm, &h, &err));
		assert_int_equal(each_now(), MEM_FAIL);
		enum mem_status st = mem_words_merge(store, segs, n, epoch, &err);
		assert_true(h.tab == MEM_T_SEGS ? st == MEM_STALE : st == MEM_FAIL);
		assert_int_not_equal(ask_search(store, i, &docs), WRONG);
		ASSERT_OK(mem_store_write(store, do_harm, &h, &err)); /* and back */
	}
	assert_int_equal(each_now(), MEM_OK);
	assert_true(search_is_right(store, 1, &docs));
	free(segs);
}

static enum mem_status
drop_part(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	return mem_tab_del(t, MEM_T_SEG, *(struct mem_str *)ctx, e);
}

static void
a_missing_part_is_noticed(void **state)
{
	(void)state;
	uint32_t docs;
	struct mem_segment_info *segs = NULL;
	size_t n;
	uint64_t epoch;
	fresh_start(5000);
	tidy_all(4096);
	list_segments(&segs, &n, &epoch);
	uint8_t key[8];
	mem_be32(key, segs[0].number);
	mem_be32(key + 4, (uint32_t)MEM_SEC_POST << 24);
	struct mem_str name = mem_key(key, sizeof key);
	ASSERT_OK(mem_store_write(store, drop_part, &name, &err));
	assert_int_equal(each_now(), MEM_FAIL);
	assert_false(search_is_right(store, 1, &docs));
	free(segs);
}

static void
a_damaged_tail_row_is_noticed(void **state)
{
	(void)state;
	uint32_t docs;
	fresh_start(100);
	/* the count of terms no longer fits the row's size */
	struct harm h = { MEM_T_TAIL, 50,
		sizeof(struct words_tail_head) + offsetof(struct words_tail_doc, terms), 16 };
	ASSERT_OK(mem_store_write(store, do_harm, &h, &err));
	assert_int_equal(each_now(), MEM_FAIL);
	assert_false(search_is_right(store, 1, &docs));
	assert_int_equal(mem_words_flush(store, &err), MEM_FAIL);
}

/* One document a value, and many. */
static void
a_flipped_bit_of_the_tail_is_noticed(void **state)
{
	(void)state;
	uint32_t docs;
	fresh_start(500);
	for (uint64_t i = 0; i < 200; i++) {
		struct harm h = { MEM_T_TAIL, i % 200, mix(i), (uint8_t)(1U << (i % 8)) };
		ASSERT_OK(mem_store_write(store, do_harm, &h, &err));
		assert_int_equal(each_now(), MEM_FAIL);
		assert_int_equal(mem_words_flush(store, &err), MEM_FAIL);
		for (uint64_t round = i; round < i + 4; round++)
			assert_int_not_equal(ask_search(store, round, &docs), WRONG);
		ASSERT_OK(mem_store_write(store, do_harm, &h, &err)); /* and back */
	}
	assert_int_equal(each_now(), MEM_OK);
	assert_true(search_is_right(store, 1, &docs));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tidying_makes_levels_and_loses_nothing),
		cmocka_unit_test(writers_merge_no_further_than_asked),
		cmocka_unit_test(maintenance_leaves_few_segments),
		cmocka_unit_test(what_a_killed_builder_left_is_swept),
		cmocka_unit_test(a_merge_that_comes_too_late_changes_nothing),
		cmocka_unit_test(a_segment_begun_before_a_clear_is_not_published),
		cmocka_unit_test(only_one_tidies_at_a_time),
		cmocka_unit_test(maintenance_is_due_for_small_tails_and_large_merges),
		cmocka_unit_test(killed_tidiers_lose_nothing),
		cmocka_unit_test(searches_are_right_beside_writers_and_tidiers),
		cmocka_unit_test(a_flipped_bit_is_noticed),
		cmocka_unit_test(a_missing_part_is_noticed),
		cmocka_unit_test(a_damaged_tail_row_is_noticed),
		cmocka_unit_test(a_flipped_bit_of_the_tail_is_noticed),
	};
	return cmocka_run_group_tests_name("words_tidy", tests, world_setup, world_teardown);
}
