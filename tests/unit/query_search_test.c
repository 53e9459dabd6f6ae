/* SPDX-License-Identifier: Apache-2.0 */
/* From captured events to hits, in a store of the test's own. */
#include "own_events.h"

#include "query/question_int.h"
#include "store/node.h"

/* By words as such: no other signal, no turns around. */
#define WORDS_ALONE { .mode = MEM_MODE_KEYWORD, .min_score = -HUGE_VAL, .limit = 10, .candidates = MEM_SEARCH_CANDIDATES, .steps = ~0U, .class = -1 }

static struct mem_searcher m;
static struct mem_store_options where = MEM_STORE_OPTIONS_INIT;

static void
capture_events(const char *agent, const char *events)
{
	struct mem_store_options as = where;
	as.agent = agent;
	own_events_capture(as, events);
}

static int
setup(void **state)
{
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	mem_time_parse(MEM_STR("2026-11-28T09:00:00Z"), &where.now);
	where.dir = at;
	where.agent = "ada";
	capture_events("ada",
	    "{\"ref\":\"a\",\"content\":\"The big dog sleeps\",\"speaker\":\"Jo Ann\",\"role\":\"user\",\"session_id\":\"s1\",\"tags\":[\"pets\",\"Home\"],\"captured_at\":\"2026-01-01T00:00:00Z\"}\n"
	    "{\"ref\":\"b\",\"content\":\"A dog, big as a house\",\"role\":\"assistant\",\"session_id\":\"s1\",\"tags\":[\"pets\"],\"captured_at\":\"2026-01-02T00:00:00Z\"}\n"
	    "{\"ref\":\"c\",\"content\":\"fooBar_baz in a/b/c.py\",\"role\":\"tool\",\"session_id\":\"s2\",\"captured_at\":\"2026-01-03T00:00:00Z\"}\n"
	    "{\"ref\":\"d\",\"content\":\"dog dog dog\",\"role\":\"user\",\"session_id\":\"s2\",\"captured_at\":\"2026-01-04T00:00:00Z\"}\n"
	    "{\"ref\":\"e\",\"content\":\"a dog that is gone\",\"role\":\"user\",\"expires_at\":\"2026-02-01T00:00:00Z\",\"captured_at\":\"2026-01-05T00:00:00Z\"}\n");
	capture_events("bob", "{\"ref\":\"x\",\"content\":\"secret dog of bob\",\"role\":\"user\"}\n");
	return mem_searcher_open(&m, &where, &err) == MEM_OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	mem_searcher_close(&m);
	return own_store_remove();
}

/* The refs of the hits, in rank order, as one word. */
static void
expect_options_refs(const struct mem_search_options *ask, const char *refs)
{
	struct mem_hits *hits;
	struct mem_str line;
	struct mem_buf got = { 0 };
	struct mem_rec r = { 0 };
	int64_t rank = 0, there;
	if (mem_search_query(&hits, &m, ask, &err) != MEM_OK)
		fail_msg("'%s': %s", ask->query.p, err.msg);
	mem_buf_reserve(&got, 1);
	enum mem_status st;
	while ((st = mem_hits_next(hits, &line, &err)) == MEM_OK) {
		assert_int_equal(mem_rec_scan(&r, line, &err), MEM_OK);
		mem_json_decode(&got, mem_rec_find(&r, "ref")->value);
		assert_true(mem_json_int(mem_rec_find(&r, "rank")->value, &there));
		assert_int_equal(there, ++rank);
	}
	assert_int_equal(st, MEM_END);
	assert_int_equal(mem_hits_count(hits), rank);
	mem_buf_putc(&got, '\0');
	if (strcmp(got.data, refs) != 0)
		fail_msg("'%.*s' found '%s', not '%s'", (int)ask->query.n, ask->query.p, got.data, refs);
	mem_hits_free(hits);
	mem_rec_release(&r);
	mem_buf_release(&got);
}

static void
expect_refs(const char *query, const char *refs)
{
	struct mem_search_options ask = WORDS_ALONE;
	ask.query = mem_str(query);
	expect_options_refs(&ask, refs);
}

static void
test_words(void **state)
{
	(void)state;
	expect_refs("dog", "dba"); /* e is gone, x is Bob's */
	expect_refs("dogs sleeping", "adb");
	expect_refs("zebra", "");
	expect_refs("house the", "b");
	expect_refs("foobar", "c");
	expect_refs("c.py", "c");
	expect_refs("ann", "a"); /* the speaker's name counts */
	expect_refs("", "");
	expect_refs("the", "a");
	expect_refs("secret", "");
}

static void
test_operators(void **state)
{
	(void)state;
	expect_refs("\"big dog\"", "a");
	expect_refs("\"dog big\"", "b");
	expect_refs("dog -big", "d");
	expect_refs("dog -\"big dog\"", "db");
	expect_refs("-dog", "");
	expect_refs("\"a/b/c.py\"", "c");
	expect_refs("\"big dog\" house", "a");
	expect_refs("tag:pets", "ab");
	expect_refs("tag:pets tag:home", "a");
	expect_refs("big tag:pets", "ba");
	expect_refs("sleeps tag:pets", "a"); /* a filter takes away, and brings nothing of its own */
	expect_refs("zebra tag:pets", "");
	expect_refs("zebra sleeps speaker:\"jo ann\"", "a");
	expect_refs("dog -tag:home", "db");
	expect_refs("speaker:\"jo ann\"", "a");
	expect_refs("ref:d", "d");
	expect_refs("dog role:user", "da");
	expect_refs("dog -role:user", "b");
	expect_refs("dog session:s2", "d");
	expect_refs("dog since:2026-01-02 until:2026-01-04", "b");
	expect_refs("dog kind:fact", "");
	expect_refs("dog -kind:episode", "");
	expect_refs("dog ns:agent:ada", "dba");
	expect_refs("dog ns:agent:bob", "");
	expect_refs("dog -ns:agent:ada", "");
	expect_refs("dog session:s1 session:s2", "");
}

static void
test_anchors(void **state)
{
	(void)state;
	expect_refs("which dog is that?", "dba");
	expect_refs("which dog is a \"big dog\"?", "abd");
	expect_refs("which dog is \"as a\" dog?", "bda");
	expect_refs("which dog is not -big?", "bad");
	expect_refs("which dog is that -role:user?", "b");
	expect_refs("which \"dog is\"?", "dba");
	expect_refs("which \"secret dog\"?", "dba");
	expect_refs("\"secret dog\" or \"as a\" or \"foo bar\" dog?", "cbda");
	expect_refs("dog dog dog \"as a\" role:user?", "da");
	expect_refs("\"as a\"?", "bac");
	expect_refs("dog \"as a\"", "b");
	struct mem_search_options ask = WORDS_ALONE;
	ask.query = MEM_STR("dog dog dog \"as a\"?");
	ask.limit = 1;
	expect_options_refs(&ask, "b");
	ask.plain = true;
	expect_options_refs(&ask, "d");
	ask.plain = false;
	ask.strict = true;
	ask.query = MEM_STR("dog -big?");
	expect_options_refs(&ask, "d");
}

/* By when it was captured; e has expired, and what is quoted or negated means texts. */
static void
test_dates(void **state)
{
	(void)state;
	expect_refs("3 January", "cdba");
	expect_refs("dog 2026-01-02", "bdac");
	expect_refs("zebra January 2026", "dbac");
	expect_refs("zebra May 2026", "dbac");
	expect_refs("zebra May 2025", "");
	expect_refs("\"January\"", "");
	expect_refs("\"January 2026\"", "");
	expect_refs("dog -January -2026", "dba");
}

/* A date is covered where its word or the time of capture is, and counts once. */
static void
test_date_coverage(void **state)
{
	(void)state;
	struct query_parsed q;
	struct mem_txn *t;
	struct mem_ns *ns;
	uint32_t ords[] = { 0, 1, 2, 3, 4 };
	uint64_t masks[5], df[5];
	double idf[5];
	size_t nns;
	assert_int_equal(query_parse_text(&q, m.index.analyser, mem_store_secret(m.index.store), MEM_STR("dog 3 January"), QUERY_SYNTAX_AUTO, 0, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, m.index.store, &err), MEM_OK);
	assert_int_equal(mem_ns_visible(t, &ns, &nns, &err), MEM_OK);
	const struct mem_search_query iq = { .clauses = q.clauses, .nclauses = q.n, .ns = ns, .nns = nns };
	const struct mem_words_coverage out = { .masks = masks, .df = df, .idf = idf };
	assert_int_equal(q.n, 5); /* dog 3 january, month, day */
	assert_int_equal(mem_words_cover(t, &iq, ords, 5, &out, &err), MEM_OK);
	static const uint64_t want[] = { 5, 5, 6, 5, 5 }, want_df[] = { 4, 1, 5, 5, 1 };
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(masks[i], want[i]);
		assert_int_equal(df[i], want_df[i]);
		assert_true(i < 3 ? idf[i] > 0 : fabs(idf[i]) < 1e-12);
	}
	mem_txn_end(t);
	query_release(&q);
	free(ns);
}

/* With one option beside the query. */
static void
expect_filtered(const char *query, enum mem_filter_field field, const char *value, const char *refs)
{
	struct mem_search_options ask = WORDS_ALONE;
	struct mem_filter f = MEM_FILTER_INIT;
	assert_int_equal(mem_filter_add(&f, field, mem_str(value), false, where.now, &err), MEM_OK);
	ask.query = mem_str(query);
	ask.filter = &f;
	expect_options_refs(&ask, refs);
	mem_filter_release(&f);
}

static void
test_options(void **state)
{
	(void)state;
	struct mem_search_options ask = WORDS_ALONE, base;
	ask.query = MEM_STR("dog");
	base = ask;
	ask.limit = 1;
	expect_options_refs(&ask, "d");
	ask = base;
	expect_filtered("dog", MEM_FILTER_ROLE, "assistant", "b");
	expect_filtered("dog", MEM_FILTER_SESSION, "s1", "ba");
	expect_filtered("dog", MEM_FILTER_SESSION, "nowhere", "");
	expect_filtered("dog tag:HOME", MEM_FILTER_TAG, "PETS", "a");
	expect_filtered("dog", MEM_FILTER_SPEAKER, "jo ann", "a");
	expect_filtered("dog", MEM_FILTER_REF, "d", "d");
	expect_filtered("dog", MEM_FILTER_NS, "agent:ada", "dba");
	expect_filtered("dog", MEM_FILTER_NS, "agent:bob", "");
	expect_filtered("dog", MEM_FILTER_KIND, "fact", "");
	expect_filtered("dog", MEM_FILTER_SINCE, "2026-01-02", "db");
	expect_filtered("dog", MEM_FILTER_UNTIL, "2026-01-02", "a");
	/* Of an option and a field both must hold. */
	expect_filtered("dog role:user", MEM_FILTER_SESSION, "s1", "a");
	expect_filtered("dog session:s2", MEM_FILTER_SESSION, "s1", "");
	expect_filtered("dog kind:episode", MEM_FILTER_KIND, "fact", "");
	expect_filtered("dog -role:user", MEM_FILTER_ROLE, "user", "");
	expect_filtered("dog -ns:agent:ada", MEM_FILTER_NS, "agent:ada", "");
	expect_filtered("dog until:2026-01-02", MEM_FILTER_SINCE, "2026-01-02", "");
	ask.query = MEM_STR("\"big dog\" -sleeps");
	expect_options_refs(&ask, "");
	ask.plain = true;
	expect_options_refs(&ask, "abd");
	ask = base;
	ask.min_score = 100;
	expect_options_refs(&ask, "");
}

static void
test_record(void **state)
{
	(void)state;
	struct mem_search_options ask = WORDS_ALONE;
	struct mem_hits *hits;
	struct mem_str line;
	struct mem_rec r = { 0 };
	ask.query = MEM_STR("zebra dog");
	ask.qid = MEM_STR("\"q\"");
	ask.explain = true;
	assert_int_equal(mem_search_query(&hits, &m, &ask, &err), MEM_OK);
	assert_int_equal(mem_hits_next(hits, &line, &err), MEM_OK);
	assert_int_equal(mem_rec_scan(&r, line, &err), MEM_OK);
	assert_true(mem_json_is(mem_rec_find(&r, "mode")->value, "keyword"));
	assert_true(mem_json_is(mem_rec_find(&r, "qid")->value, "q"));
	struct mem_json score = mem_json_path(mem_rec_find(&r, "signals")->value, "lexical.score");
	struct mem_json rank = mem_json_path(mem_rec_find(&r, "signals")->value, "lexical.rank");
	assert_true(mem_str_eq(score.raw, mem_rec_find(&r, "score")->value.raw));
	assert_true(mem_str_is(rank.raw, "1"));
	mem_rec_release(&r);
	mem_hits_free(hits);
}

static void
test_bad(void **state)
{
	(void)state;
	struct mem_search_options ask = MEM_SEARCH_OPTIONS_INIT;
	struct mem_hits *hits;
	ask.query = MEM_STR("dog \xff");
	assert_int_equal(mem_search_query(&hits, &m, &ask, &err), MEM_USAGE);
	assert_string_equal(err.reason, "bad_utf8");
	assert_null(hits);
	ask.query = MEM_STR("dog kind:king");
	assert_int_equal(mem_search_query(&hits, &m, &ask, &err), MEM_USAGE);
	assert_string_equal(err.reason, "bad_value");
	static const struct {
		enum mem_filter_field field;
		const char *value, *reason, *message;
	} bad[] = {
		{ MEM_FILTER_KIND, "king", "bad_value", "kind: 'king' is not a kind of node" },
		{ MEM_FILTER_ROLE, "king", "bad_value", "role: 'king' is not one of user, assistant, tool, event" },
		{ MEM_FILTER_NS, "x", "bad_value", "ns: 'x' is not a namespace: agent:ID, team:ID, task:ID, global or system" },
		{ MEM_FILTER_TAG, "", "bad_value", "tag: '' is not a tag" },
		{ MEM_FILTER_SESSION, "\xff", "bad_utf8", "session: '\xff' is not UTF-8" },
		{ MEM_FILTER_UNTIL, "soon", "bad_time", "until: 'soon' is not a time like 2026-11-28T09:00:00Z, 2026-11-28, 24h, yesterday, last week (month, year, Monday) or 3 days ago" },
	};
	for (size_t i = 0; i < MEM_COUNT(bad); i++) {
		struct mem_filter f = MEM_FILTER_INIT;
		assert_int_equal(mem_filter_add(&f, bad[i].field, mem_str(bad[i].value), false, where.now, &err), MEM_USAGE);
		assert_string_equal(err.reason, bad[i].reason);
		assert_string_equal(err.msg, bad[i].message);
		mem_filter_release(&f);
	}
}

/* More words than are looked for: the rare ones that stand anywhere decide. */
static void
test_many_words(void **state)
{
	(void)state;
	struct mem_buf b = { 0 };
	for (int i = 0; i < 500; i++)
		mem_buf_printf(&b, "nowhere%d ", i);
	mem_buf_puts(&b, "dog house \"big\"");
	struct mem_search_options ask = WORDS_ALONE;
	ask.query = mem_buf_span(&b);
	ask.strict = true;
	expect_options_refs(&ask, "ba");
	ask.strict = false;
	expect_options_refs(&ask, "bad"); /* a sentence: what is in quotes need not be there */
	mem_buf_release(&b);
}

/* More hits than are read at a time, and more words than 64 that all stand somewhere. */
static void
test_long_results(void **state)
{
	(void)state;
	struct mem_buf b = { 0 }, q = { 0 };
	for (int i = 0; i < 700; i++)
		mem_buf_printf(&b, "{\"ref\":\"%d\",\"content\":\"common w%d\",\"role\":\"event\"}\n", i, i % 100);
	capture_events("ada", b.data);
	for (int i = 0; i < 100; i++)
		mem_buf_printf(&q, "w%d ", i);
	struct mem_search_options ask = MEM_SEARCH_OPTIONS_INIT;
	struct mem_hits *hits;
	struct mem_str line;
	size_t n = 0;
	ask.limit = 0;
	ask.query = MEM_STR("common");
	assert_int_equal(mem_search_query(&hits, &m, &ask, &err), MEM_OK);
	assert_int_equal(mem_hits_count(hits), 700);
	while (mem_hits_next(hits, &line, &err) == MEM_OK)
		n++;
	assert_int_equal(n, 700);
	mem_hits_free(hits);
	ask.query = mem_buf_span(&q);
	assert_int_equal(mem_search_query(&hits, &m, &ask, &err), MEM_OK);
	assert_int_equal(mem_hits_words_cut(hits), 100 - MEM_QUERY_WORDS_MAX);
	assert_int_equal(mem_hits_count(hits), 7 * MEM_QUERY_WORDS_MAX);
	mem_hits_free(hits);
	mem_buf_release(&b);
	mem_buf_release(&q);
}

static void
test_lines(void **state)
{
	(void)state;
	static const struct {
		const char *line, *reason, *qid;
	} cases[] = {
		{ "{\"query\":\"dog\"}", NULL, "7" },
		{ "{\"query\":\"dog\",\"qid\":\"a\",\"n\":2,\"ns\":\"agent:ada\",\"kind\":[\"episode\",\"fact\"],\"session\":\"s1\",\"since\":\"24h\",\"until\":\"2026-01-01\"}", NULL, "\"a\"" },
		{ "{\"query\":\"dog\",\"qid\":5,\"ns\":null}", NULL, "5" },
		{ "{\"qid\":5}", "bad_value", "5" },
		{ "{\"query\":5}", "bad_value", "7" },
		{ "{\"query\":\"x\",\"qid\":{}}", "bad_value", "7" },
		{ "{\"query\":\"x\",\"n\":0}", "bad_value", "7" },
		{ "{\"query\":\"x\",\"ns\":[]}", "bad_value", "7" },
		{ "{\"query\":\"x\",\"ns\":[1]}", "bad_value", "7" },
		{ "{\"query\":\"x\",\"kind\":\"king\"}", "bad_value", "7" },
		{ "{\"query\":\"x\",\"since\":\"whenever\"}", "bad_time", "7" },
		{ "{\"query\":\"x\",\"until\":5}", "bad_time", "7" },
		{ "[]", "not_an_object", "7" },
		{ "{", "bad_json", "7" },
	};
	struct mem_arena arena = { 0 };
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_search_options ask = MEM_SEARCH_OPTIONS_INIT;
		struct mem_filter f = MEM_FILTER_INIT;
		const struct mem_line line = { .text = mem_str(cases[i].line), .number = 7 };
		enum mem_status st = mem_query_line_read(&ask, &f, &arena, &line, where.now, &err);
		assert_int_equal(st, cases[i].reason == NULL ? MEM_OK : MEM_REFUSED);
		assert_true(mem_str_is(ask.qid, cases[i].qid));
		if (cases[i].reason != NULL)
			assert_string_equal(err.reason, cases[i].reason);
		mem_filter_release(&f);
	}
	struct mem_buf end = { 0 };
	query_put_end_record(&end, MEM_STR("\"a\""), 3, NULL);
	assert_string_equal(end.data, "{\"qid\":\"a\",\"end\":true,\"hits\":3}");
	mem_buf_reset(&end);
	query_put_end_record(&end, MEM_STR("7"), 0, "bad_json");
	assert_string_equal(end.data, "{\"qid\":7,\"end\":true,\"hits\":0,\"error\":\"bad_json\"}");
	mem_buf_release(&end);
	mem_arena_release(&arena);
}

/* ---- both signals ------------------------------------------------------- */

enum { DIMS = 8 };

/* In commit order: a b c d e, and Bob's x, which lies where the question does. */
static const float vectors[][DIMS] = { { .6f, .8f }, { .8f, .6f }, { 1 }, { 0, 1 }, { 1 }, { 1 } };

static enum mem_status
put_vectors(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct mem_vectors_model model = { .name = "hand", .sha256 = "0", .dims = DIMS, .near = .9f, .weight = .6 };
	(void)ctx;
	enum mem_status st = mem_vectors_model_put(t, &model, e);
	for (uint32_t i = 0; i < MEM_COUNT(vectors) && st == MEM_OK; i++)
		st = mem_vectors_put(t, i, &(struct mem_vectors_passage){ .v = vectors[i] }, 1, e);
	return st;
}

/* What a ranking makes of a text and the vector (1, 0, …). */
static void
rank_text(const char *text, enum mem_search_mode mode, enum mem_fusion fusion, struct mem_candidate **hits, size_t *n)
{
	static const float question[DIMS] = { 1 };
	struct mem_txn *t;
	struct query_parsed q;
	struct mem_ns *ns;
	size_t nns;
	assert_int_equal(query_parse_text(&q, m.index.analyser, mem_store_secret(m.index.store), mem_str(text), QUERY_SYNTAX_AUTO, 0, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, m.index.store, &err), MEM_OK);
	assert_int_equal(mem_ns_visible(t, &ns, &nns, &err), MEM_OK);
	const struct mem_search_query iq = { .clauses = q.clauses, .nclauses = q.n, .ns = ns, .nns = nns,
		.min_score = -HUGE_VAL, .limit = 10 };
	struct query_anchors anchors;
	query_anchors_init(&anchors, &q, &iq, NULL);
	struct query_ranking b = { .iq = &iq, .anchors = &anchors, .mode = mode, .vector = question, .fusion = fusion, .weight = .6 };
	struct mem_candidates found;
	assert_int_equal(query_ranking_run(&b, t, &found, &err), MEM_OK);
	query_ranking_cut(&b, &found);
	*hits = found.v;
	*n = found.n;
	query_ranking_release(&b);
	query_anchors_release(&anchors);
	mem_txn_end(t);
	query_release(&q);
	free(ns);
}

static void
rank_by_mode(enum mem_search_mode mode, enum mem_fusion fusion, struct mem_candidate **hits, size_t *n)
{
	rank_text("dog", mode, fusion, hits, n);
}

/* The same hits with the same scores; what holds the words in quotes comes first. */
static void
expect_anchor_first(enum mem_search_mode mode)
{
	enum { B = 1 };
	struct mem_candidate *plain, *anchored;
	size_t nplain, n;
	rank_text("dog", mode, MEM_FUSE_ZSCORE, &plain, &nplain);
	rank_text("dog \"as a\"?", mode, MEM_FUSE_ZSCORE, &anchored, &n);
	assert_int_equal(n, nplain);
	assert_true(plain[0].ord != B && anchored[0].ord == B && anchored[0].anchor);
	for (size_t i = 0, k = 1; i < n; i++) {
		const struct mem_candidate *same = plain[i].ord == B ? &anchored[0] : &anchored[k++];
		assert_int_equal(same->ord, plain[i].ord);
		assert_int_equal(same->anchor, same->ord == B);
		assert_memory_equal(&same->score, &plain[i].score, sizeof(double));
		assert_memory_equal(&same->signal, &plain[i].signal, sizeof same->signal);
	}
	free(plain);
	free(anchored);
}

static void
test_ranking(void **state)
{
	(void)state;
	struct mem_candidate *words, *near, *both, *ranks;
	size_t nwords, nnear, n, nranks;
	struct mem_index writer;
	struct mem_store_options as = where;
	as.write = true;
	assert_int_equal(mem_index_open(&writer, &as, &err), MEM_OK);
	assert_int_equal(mem_store_write(writer.store, put_vectors, NULL, &err), MEM_OK);
	mem_index_close(&writer);
	rank_by_mode(MEM_MODE_KEYWORD, MEM_FUSE_ZSCORE, &words, &nwords);
	rank_by_mode(MEM_MODE_VECTOR, MEM_FUSE_ZSCORE, &near, &nnear);
	rank_by_mode(MEM_MODE_HYBRID, MEM_FUSE_ZSCORE, &both, &n);
	rank_by_mode(MEM_MODE_HYBRID, MEM_FUSE_RRF, &ranks, &nranks);
	/* Nobody asked whether they live, so e is among them; x is Bob's. */
	assert_int_equal(nwords, 4);
	assert_int_equal(nnear, 5);
	assert_int_equal(n, 5);
	assert_int_equal(nranks, 5);
	double lexical[5] = { 0 }, sums[2] = { 0 }, squares[2] = { 0 };
	for (size_t i = 0; i < nwords; i++)
		lexical[words[i].ord] = words[i].score;
	for (size_t i = 0; i < 5; i++) {
		sums[0] += lexical[i];
		sums[1] += (double)vectors[i][0];
	}
	for (size_t i = 0; i < 5; i++) {
		squares[0] += pow(lexical[i] - sums[0] / 5, 2);
		squares[1] += pow((double)vectors[i][0] - sums[1] / 5, 2);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t ord = both[i].ord;
		double z = .4 * (lexical[ord] - sums[0] / 5) / sqrt(squares[0] / 5)
		    + .6 * ((double)vectors[ord][0] - sums[1] / 5) / sqrt(squares[1] / 5);
		assert_true(fabs(both[i].score - z) <= 2e-6);
		assert_true(fabs(both[i].signal[MEM_SIGNAL_LEXICAL].score - lexical[ord]) <= 0);
		assert_true(fabs(both[i].signal[MEM_SIGNAL_DENSE].score - (double)vectors[ord][0]) <= 1e-6);
		assert_true(i == 0 || both[i - 1].score >= both[i].score);
		assert_int_equal(both[i].signal[MEM_SIGNAL_LEXICAL].rank == 0, lexical[ord] == 0);
	}
	for (size_t i = 0; i < nranks; i++) {
		uint32_t words_rank = ranks[i].signal[MEM_SIGNAL_LEXICAL].rank;
		double r = words_rank > 0 ? 1. / (60 + words_rank) : 0;
		assert_true(fabs(ranks[i].score - (r + 1. / (60 + ranks[i].signal[MEM_SIGNAL_DENSE].rank))) <= 1e-6);
	}
	/* The step by itself, on candidates that came another way and in another order, gives the same digits. */
	struct mem_candidates piped = { 0 };
	for (size_t i = n; i-- > 0;) {
		struct mem_candidate *c = mem_candidates_add(&piped, both[i].ord, &both[i].id);
		memcpy(c->signal, both[i].signal, sizeof c->signal);
	}
	mem_rank_fuse(&piped, MEM_FUSE_ZSCORE, (const double[MEM_SIGNALS]){ [MEM_SIGNAL_LEXICAL] = .4, [MEM_SIGNAL_DENSE] = .6 });
	mem_candidates_sort(&piped);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(piped.v[i].ord, both[i].ord);
		assert_true(piped.v[i].score >= both[i].score && piped.v[i].score <= both[i].score);
	}
	free(piped.v);
	free(words);
	free(near);
	free(both);
	free(ranks);
}

/* Hits of a pipe keep what the principal and the filter let the question find: not Bob's, an expired one, another role's
 * or what nobody knows. */
static void
test_question_candidates(void **state)
{
	const char *roles[] = { "user" };
	const struct mem_filter_options named = { .roles = { .v = roles, .n = 1 }, .since = MEM_TIME_MIN, .until = MEM_TIME_MAX + 1 };
	struct mem_search_options options = MEM_SEARCH_OPTIONS_INIT;
	struct mem_filter filter;
	struct mem_question *q;
	struct mem_candidates c = { 0 };
	const struct mem_attr *attr;
	double weights[MEM_SIGNALS];
	(void)state;
	assert_int_equal(mem_filter_read(&filter, &named, &err), MEM_OK);
	options.query = MEM_STR("dog");
	options.mode = MEM_MODE_KEYWORD;
	options.filter = &filter;
	assert_int_equal(mem_question_open(&q, &m, &options, &err), MEM_OK);
	assert_int_equal(mem_question_mode(q), MEM_MODE_KEYWORD);
	mem_question_weights(q, weights);
	assert_true(weights[MEM_SIGNAL_LEXICAL] > 0);
	assert_true(weights[MEM_SIGNAL_DENSE] <= 0);
	for (uint32_t ord = 0; ord < 6; ord++) {
		assert_int_equal(mem_attr_at(q->t, ord, &attr, &err), MEM_OK);
		mem_candidates_add(&c, UINT32_MAX, &attr->id);
	}
	mem_candidates_add(&c, UINT32_MAX, &(struct mem_id){ { 1 } });
	assert_int_equal(mem_question_locate(q, &c, &err), MEM_OK);
	assert_int_equal(c.n, 2); /* a and d */
	assert_int_equal(c.v[0].ord, 0);
	assert_int_equal(c.v[1].ord, 3);
	mem_question_close(q);
	mem_filter_release(&filter);
	free(c.v);
}

/* A candidate without a dense score has nothing for or against it; one without a score of words has the lowest. */
static void
test_missing_score(void **state)
{
	static const double lexical[] = { 1, 2, 3 }, dense[] = { .9, (double)NAN, .5 };
	static const enum mem_fusion scaled[] = { MEM_FUSE_ZSCORE, MEM_FUSE_MINMAX };
	(void)state;
	for (size_t k = 0; k < MEM_COUNT(scaled); k++) {
		struct mem_candidates c = { 0 };
		for (uint32_t i = 0; i < 3; i++) {
			struct mem_candidate *v = mem_candidates_add(&c, i, &(struct mem_id){ { (uint8_t)i } });
			v->signal[MEM_SIGNAL_LEXICAL].score = lexical[i];
			v->signal[MEM_SIGNAL_DENSE].score = dense[i];
		}
		mem_rank_fuse(&c, scaled[k], (const double[MEM_SIGNALS]){ [MEM_SIGNAL_LEXICAL] = .4, [MEM_SIGNAL_DENSE] = .6 });
		assert_true(fabs(c.v[1].score - (c.v[0].score + c.v[2].score) / 2) < 2e-6);
		c.v[0].signal[MEM_SIGNAL_LEXICAL].score = (double)NAN;
		c.v[1].signal[MEM_SIGNAL_DENSE].score = dense[0];
		mem_rank_fuse(&c, scaled[k], (const double[MEM_SIGNALS]){ [MEM_SIGNAL_LEXICAL] = .4, [MEM_SIGNAL_DENSE] = .6 });
		assert_true(fabs(c.v[0].score - c.v[1].score) < 2e-6);
		free(c.v);
	}
}

static void
test_anchored_ranking(void **state)
{
	(void)state;
	expect_anchor_first(MEM_MODE_KEYWORD);
	expect_anchor_first(MEM_MODE_HYBRID);
}

/* Its vectors are by a model that nobody knows: by words, and told what mends it. */
static void
test_unknown_encoder(void **state)
{
	(void)state;
	struct mem_search_options ask = MEM_SEARCH_OPTIONS_INIT;
	struct mem_encoder *e;
	struct mem_hits *hits;
	const char *why;
	struct mem_searcher reader;
	assert_int_equal(mem_searcher_open(&reader, &where, &err), MEM_OK);
	ask.query = MEM_STR("dog");
	assert_int_equal(mem_search_query(&hits, &reader, &ask, &err), MEM_OK);
	assert_true(mem_hits_count(hits) > 0);
	assert_int_equal(mem_hits_fallback(hits, &why), MEM_FAIL);
	assert_string_equal(why, "the vectors of this store were made by hand, which is not known here: run mem-embed --rebuild");
	mem_hits_free(hits);
	assert_int_equal(mem_encoder_for_writing(&e, reader.index.store, NULL, &err), MEM_FAIL);
	ask.mode = MEM_MODE_VECTOR;
	assert_int_equal(mem_search_query(&hits, &reader, &ask, &err), MEM_FAIL);
	mem_searcher_close(&reader);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_ranking),
		cmocka_unit_test(test_question_candidates),
		cmocka_unit_test(test_anchored_ranking),
		cmocka_unit_test(test_missing_score),
		cmocka_unit_test(test_unknown_encoder),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_anchors),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_date_coverage),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_many_words),
		cmocka_unit_test(test_long_results),
		cmocka_unit_test(test_lines),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
