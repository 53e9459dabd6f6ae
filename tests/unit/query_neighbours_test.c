/* SPDX-License-Identifier: Apache-2.0 */
/* What the turns around lend, by hand, in a store of the test's own. */
#include "own_events.h"

#include <math.h>

#include "query/question_int.h"
#include "query/ranker.h"

enum { DIMS = 64 };

static struct mem_searcher m;
static struct mem_store_options where = MEM_STORE_OPTIONS_INIT;

static void
capture_events(const char *agent, const char *events)
{
	struct mem_store_options as = where;
	as.agent = agent;
	own_events_capture(as, events);
}

#define TURN(session, second, text, more) \
	"{\"content\":\"" text "\",\"session_id\":\"" session "\",\"captured_at\":\"2026-01-01T00:00:" second "Z\"" more "}\n"

/* Captured out of order, so that ords and turns differ.  Comments: ord. */
static const char ada_turns[] =
    TURN("s1", "03", "the green boat is mine", ",\"role\":\"user\"")          /* 0 */
    TURN("s1", "01", "hello again", ",\"role\":\"user\"")                     /* 1 */
    TURN("s1", "02", "what about it", ",\"role\":\"assistant\"")              /* 2 */
    TURN("s2", "01", "a boat", ",\"role\":\"user\"")                          /* 3 */
    TURN("s1", "05", "let us see", ",\"role\":\"user\"")                      /* 4 */
    TURN("s1", "04", "gone by now", ",\"role\":\"user\",\"expires_at\":\"2026-02-01T00:00:00Z\"") /* 5 */
    TURN("s1", "06", "good night", ",\"role\":\"assistant\"")                 /* 6 */
    "{\"content\":\"a green boat in no session\"}\n";                         /* 7 */

static const char talk[] =
    TURN("s3", "01", "When do we meet?", ",\"role\":\"user\",\"speaker\":\"Ann\"")       /* 9 */
    TURN("s3", "02", "On Monday I saw Carla and Dora there, two of us", ",\"role\":\"assistant\",\"speaker\":\"Ben Lee\"") /* 10 */
    TURN("s3", "03", "the violin of Oslo is old", ",\"role\":\"user\",\"speaker\":\"Ann\"") /* 11 */
    TURN("s3", "04", "play it", ",\"role\":\"assistant\",\"speaker\":\"Ben Lee\"")          /* 12 */
    TURN("s3", "05", "so be it", ",\"role\":\"user\",\"speaker\":\"Ann\"")                 /* 13 */
    TURN("s3", "06", "yes", ",\"role\":\"assistant\",\"speaker\":\"Ben Lee\"");             /* 14 */

static const char boats[] =
    TURN("s4", "01", "a boat came in", ",\"role\":\"user\"")             /* 15 */
    TURN("s4", "02", "it was green", ",\"role\":\"user\"")               /* 16 */
    TURN("s4", "03", "that boat is sold", ",\"role\":\"user\"");         /* 17 */

/* The product with the question's vector, (1, 0, …). */
static const float products[] = { .9f, .7f, .75f, .85f, .6f, .99f, .65f, .8f, .95f, .5f, .5f, .5f, .5f, .5f, .5f, .7f, .8f, .6f };

static enum mem_status
put_vectors(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct mem_vectors_model model = { .name = "hand", .sha256 = "0", .dims = DIMS, .near = .9f, .weight = .6 };
	enum mem_status st = mem_vectors_model_put(t, &model, e);
	for (uint32_t i = 0; i < *(const uint32_t *)ctx && st == MEM_OK; i++) {
		const float v[DIMS] = { products[i], sqrtf(1 - products[i] * products[i]) };
		/* 11 and 12 have one word piece each, whose signs are opposite. */
		const uint8_t codes[2][DIMS / 8] = { { 0 }, { 255, 255, 255, 255, 255, 255, 255, 255 } };
		st = mem_vectors_put(t, i, &(struct mem_vectors_passage){ .v = v, .pieces = i == 11 || i == 12 ? codes[i - 11] : NULL,
			.npieces = i == 11 || i == 12 }, 1, e);
	}
	return st;
}

/* Of the first n. */
static bool
write_vectors(uint32_t n)
{
	struct mem_store_options as = where;
	struct mem_index writer;
	as.write = true;
	if (mem_index_open(&writer, &as, &err) != MEM_OK)
		return false;
	enum mem_status st = mem_store_write(writer.store, put_vectors, &n, &err);
	mem_index_close(&writer);
	return st == MEM_OK;
}

static int
make_own(void **state)
{
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	mem_time_parse(MEM_STR("2026-11-28T09:00:00Z"), &where.now);
	where.dir = at;
	where.agent = "ada";
	capture_events("ada", ada_turns);
	capture_events("bob", TURN("s1", "03", "a green boat of bob", "")); /* 8: the same session id, another's */
	capture_events("ada", talk);
	return write_vectors(15) && mem_searcher_open(&m, &where, &err) == MEM_OK ? 0 : -1;
}

static int
remove_own(void **state)
{
	(void)state;
	mem_searcher_close(&m);
	return own_store_remove();
}

/* ---- one question -------------------------------------------------------- */

struct answer {
	struct mem_question q;
	struct mem_candidates c;
	bool applied;
};

static const float question_vector[DIMS] = { 1 };

/* By words and by the vector (1, 0, …), as if a model had made it. */
static void
open_answer(struct answer *a, const struct mem_search_options *options)
{
	*a = (struct answer){ .applied = true };
	assert_int_equal(query_question_parse(&a->q, &m, options, &err), MEM_OK);
	assert_int_equal(query_question_look(&a->q, &err), MEM_OK);
	a->q.ranking.mode = MEM_MODE_HYBRID;
	a->q.ranking.weight = .6;
	a->q.ranking.vector = question_vector;
	assert_int_equal(query_ranking_run(&a->q.ranking, a->q.t, &a->c, &err), MEM_OK);
}

static void
find_answer(struct answer *a, const struct mem_search_options *options)
{
	open_answer(a, options);
	assert_int_equal(mem_rank_neighbours(&a->c, &a->q, &a->applied, &err), MEM_OK);
	for (size_t i = 0; i < a->c.n; i++)
		assert_true(isfinite(a->c.v[i].score));
}

static void
release_answer(struct answer *a)
{
	mem_candidates_release(&a->c);
	query_question_release(&a->q);
}

static const struct mem_candidate *
find_candidate(const struct answer *a, uint32_t ord)
{
	for (size_t i = 0; i < a->c.n; i++)
		if (a->c.v[i].ord == ord)
			return &a->c.v[i];
	return NULL;
}

static double
read_feature(const struct answer *a, uint32_t ord, enum mem_rank_feature f)
{
	const struct mem_candidate *c = find_candidate(a, ord);
	assert_non_null(c);
	assert_true(c->features > 0);
	return a->c.features[c->features - 1].v[f];
}

#define EXPECT_NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-9)

static const struct mem_search_options green_boat = { .query = { "Where is the green boat?", 24 }, .min_score = -HUGE_VAL, .limit = 10,
	.explain = true };

/* F of a candidate, anew. */
static double
compute_base(const struct answer *a, uint32_t ord)
{
	double unit = 0, best = 0, idf;
	const struct mem_words_coverage cover = { .idf = &idf };
	for (size_t i = 0; i < a->q.iq.nclauses; i++) {
		struct mem_search_query one = a->q.iq;
		one.clauses = &a->q.iq.clauses[i];
		one.nclauses = 1;
		assert_int_equal(mem_words_cover(a->q.t, &one, NULL, 0, &cover, &err), MEM_OK);
		unit += idf * 1.9 * .0403;
	}
	for (size_t i = 0; i < a->c.n; i++)
		best = fmax(best, a->c.v[i].signal[MEM_SIGNAL_LEXICAL].score);
	const struct mem_candidate *c = find_candidate(a, ord);
	return .4 * (c->signal[MEM_SIGNAL_LEXICAL].score - best) / unit + .6 * (c->signal[MEM_SIGNAL_DENSE].score - .9) / .0306 + 3;
}

/* ---- tests --------------------------------------------------------------- */

static void
test_turns_around(void **state)
{
	struct answer a;
	(void)state;
	find_answer(&a, &green_boat);
	assert_true(a.applied);
	assert_int_equal(a.c.n, 13); /* neither the one that has expired nor Bob's */
	/* In time: 1, 2, 0, (5 is gone), 4, 6. */
	double f[8];
	for (uint32_t ord = 0; ord < 8; ord++)
		f[ord] = ord == 5 ? 0 : compute_base(&a, ord);
	EXPECT_NEAR(read_feature(&a, 0, MEM_FEATURE_P1), f[2]);
	EXPECT_NEAR(read_feature(&a, 0, MEM_FEATURE_P2), f[1]);
	EXPECT_NEAR(read_feature(&a, 0, MEM_FEATURE_N1), f[4]);
	EXPECT_NEAR(read_feature(&a, 0, MEM_FEATURE_N2), f[6]);
	EXPECT_NEAR(read_feature(&a, 1, MEM_FEATURE_P1), 0);
	EXPECT_NEAR(read_feature(&a, 1, MEM_FEATURE_P2), 0);
	EXPECT_NEAR(read_feature(&a, 1, MEM_FEATURE_N1), f[2]);
	EXPECT_NEAR(read_feature(&a, 1, MEM_FEATURE_N2), f[0]);
	EXPECT_NEAR(read_feature(&a, 6, MEM_FEATURE_N1), 0);
	const double g[] = { f[0] + .3 * (f[2] + f[4]) + .21 * (f[1] + f[6]), f[1] + .3 * f[2] + .21 * f[0],
		f[2] + .3 * (f[1] + f[0]) + .21 * f[4] };
	double best = fmax(g[0], fmax(g[1], g[2]));
	EXPECT_NEAR(read_feature(&a, 6, MEM_FEATURE_SMAX2), best);
	EXPECT_NEAR(read_feature(&a, 3, MEM_FEATURE_SMAX2), f[3]);
	/* What is in no session stands alone. */
	EXPECT_NEAR(read_feature(&a, 7, MEM_FEATURE_P1), 0);
	EXPECT_NEAR(read_feature(&a, 7, MEM_FEATURE_SMAX2), f[7]);
	release_answer(&a);
}

/* The score is the sum of weights and features, to six decimals, and what the step keeps. */
static void
test_score(void **state)
{
	struct answer a;
	(void)state;
	find_answer(&a, &green_boat);
	const struct query_ranker *r = query_ranker_find(&a.q, false);
	for (size_t i = 0; i < a.c.n; i++) {
		double sum = 0;
		for (size_t k = 0; k < MEM_FEATURES; k++)
			sum += r->weight[k] * a.c.features[a.c.v[i].features - 1].v[k];
		assert_true(fabs(a.c.v[i].score - sum) <= 5.1e-7);
		EXPECT_NEAR(a.c.v[i].score, a.c.v[i].step[MEM_RANK_NEIGHBOURS]);
		assert_true(isfinite(a.c.v[i].signal[MEM_SIGNAL_LEXICAL].score));
		assert_true(isfinite(a.c.v[i].signal[MEM_SIGNAL_DENSE].score));
	}
	release_answer(&a);
}

/* me5 ranks by the weights of e5's vectors, with pieces by its own; a model that nobody measured by the fixed ones. */
static void
test_models(void **state)
{
	struct answer a;
	(void)state;
	find_answer(&a, &green_boat);
	char *name = a.q.searcher->encoder.model.name, was[sizeof a.q.searcher->encoder.model.name];
	memcpy(was, name, sizeof was);
	memcpy(name, "e5", sizeof "e5");
	const double *e5 = query_ranker_find(&a.q, false)->weight;
	memcpy(name, "me5", sizeof "me5");
	assert_memory_equal(query_ranker_find(&a.q, false)->weight, e5, MEM_FEATURES * sizeof *e5);
	assert_memory_not_equal(query_ranker_find(&a.q, true)->weight, e5, MEM_FEATURES * sizeof *e5);
	assert_true(query_ranker_find(&a.q, true)->weight[MEM_FEATURE_MSW2] > 0);
	memcpy(name, "minilm", sizeof "minilm");
	assert_memory_not_equal(query_ranker_find(&a.q, false)->weight, e5, MEM_FEATURES * sizeof *e5);
	memcpy(name, was, sizeof was);
	release_answer(&a);
}

/* A turn that neither signal found enters beside one that was found, with the scores that a search would give it. */
static void
test_entering(void **state)
{
	struct answer all, few;
	(void)state;
	find_answer(&all, &green_boat);
	open_answer(&few, &green_boat);
	size_t kept = 0;
	for (size_t i = 0; i < few.c.n; i++)
		if (few.c.v[i].ord == 0)
			few.c.v[kept++] = few.c.v[i];
	few.c.n = kept;
	assert_int_equal(kept, 1);
	assert_int_equal(mem_rank_neighbours(&few.c, &few.q, &few.applied, &err), MEM_OK);
	assert_true(few.applied);
	assert_int_equal(few.c.n, 5);
	for (size_t i = 0; i < few.c.n; i++) {
		const struct mem_candidate *c = find_candidate(&all, few.c.v[i].ord);
		assert_non_null(c);
		for (enum mem_signal s = MEM_SIGNAL_LEXICAL; s <= MEM_SIGNAL_DENSE; s++)
			EXPECT_NEAR(few.c.v[i].signal[s].score, c->signal[s].score);
	}
	release_answer(&all);
	release_answer(&few);
}

/* Candidates in another order, as a pipe may bring them, get the same digits. */
static void
test_order_of_candidates(void **state)
{
	struct answer a, b;
	(void)state;
	find_answer(&a, &green_boat);
	open_answer(&b, &green_boat);
	for (size_t i = 0; i < b.c.n / 2; i++) {
		struct mem_candidate c = b.c.v[i];
		b.c.v[i] = b.c.v[b.c.n - 1 - i];
		b.c.v[b.c.n - 1 - i] = c;
	}
	assert_int_equal(mem_rank_neighbours(&b.c, &b.q, &b.applied, &err), MEM_OK);
	assert_int_equal(a.c.n, b.c.n);
	mem_candidates_sort(&a.c);
	mem_candidates_sort(&b.c);
	for (size_t i = 0; i < a.c.n; i++) {
		assert_int_equal(a.c.v[i].ord, b.c.v[i].ord);
		assert_true(a.c.v[i].score >= b.c.v[i].score && a.c.v[i].score <= b.c.v[i].score);
	}
	release_answer(&a);
	release_answer(&b);
}

/* What the filter takes away lends nothing: the next one that it leaves is the neighbour. */
static void
test_filter(void **state)
{
	struct answer a;
	struct mem_filter filter;
	const char *roles[] = { "user" };
	const struct mem_filter_options named = { .roles = { .v = roles, .n = 1 }, .since = MEM_TIME_MIN, .until = MEM_TIME_MAX + 1 };
	struct mem_search_options options = green_boat;
	(void)state;
	assert_int_equal(mem_filter_read(&filter, &named, &err), MEM_OK);
	options.filter = &filter;
	find_answer(&a, &options);
	assert_int_equal(a.c.n, 8); /* 1, 0, 4, 3, 7 and Ann's */
	EXPECT_NEAR(read_feature(&a, 0, MEM_FEATURE_P1), compute_base(&a, 1));
	EXPECT_NEAR(read_feature(&a, 0, MEM_FEATURE_P2), 0);
	EXPECT_NEAR(read_feature(&a, 0, MEM_FEATURE_N1), compute_base(&a, 4));
	EXPECT_NEAR(read_feature(&a, 0, MEM_FEATURE_N2), 0);
	release_answer(&a);
	mem_filter_release(&filter);
}

/* A demand of the query is one of each turn: what does not meet it neither lends nor enters. */
static void
test_demands(void **state)
{
	static const char *const queries[] = { "where is \"boat\" now", "where is the boat -hello -see -about -night", "where is \"green boat\" now" };
	static const size_t found[] = { 3, 8, 2 };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(queries); i++) {
		struct answer a;
		struct mem_search_options options = green_boat;
		options.query = mem_str(queries[i]);
		find_answer(&a, &options);
		assert_true(a.applied);
		assert_int_equal(a.c.n, found[i]);
		EXPECT_NEAR(read_feature(&a, 0, MEM_FEATURE_P1), 0);
		EXPECT_NEAR(read_feature(&a, 0, MEM_FEATURE_N1), 0);
		release_answer(&a);
	}
}

/* idf of a word among what Ada sees. */
static double
read_idf(const struct answer *a, const char *word)
{
	double idf;
	const struct mem_search_clause clause = { .hash = mem_term_word(mem_store_secret(m.index.store), mem_str(word)), .scored = true, .weight = 1 };
	const struct mem_words_coverage cover = { .idf = &idf };
	struct mem_search_query one = a->q.iq;
	one.clauses = &clause;
	one.nclauses = 1;
	assert_int_equal(mem_words_cover(a->q.t, &one, NULL, 0, &cover, &err), MEM_OK);
	return idf;
}

static void
find_talk(struct answer *a, const char *query)
{
	struct mem_search_options options = green_boat;
	options.query = mem_str(query);
	find_answer(a, &options);
}

/* Who says it, by the name that the question has, or by I and you where it has none. */
static void
test_speaker(void **state)
{
	static const struct {
		const char *query;
		double ann, ben;
	} cases[] = {
		{ "What did Ann say of the violin?", 1, 0 },
		{ "what was ann's old violin like?", 1, 0 },
		{ "What did Ben Lee say of the violin?", 0, 1 },
		{ "What did Ben say of the violin?", 0, 0 },          /* nobody's name */
		{ "Did Ann or Ben Lee have the violin?", 0, 0 },      /* two */
		{ "Where did I leave the violin?", 1, 0 },
		{ "What did you say of the violin?", 0, 1 },
		{ "What did you say about my violin?", 1, 0 },
		{ "Did you tell Ann of the violin?", 1, 0 },
		{ "Where is the old violin now?", 0, 0 },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct answer a;
		find_talk(&a, cases[i].query);
		assert_true(a.applied);
		if (fabs(read_feature(&a, 11, MEM_FEATURE_SPK) - cases[i].ann) > 0 || fabs(read_feature(&a, 12, MEM_FEATURE_SPK) - cases[i].ben) > 0)
			fail_msg("'%s': %g %g", cases[i].query, read_feature(&a, 11, MEM_FEATURE_SPK), read_feature(&a, 12, MEM_FEATURE_SPK));
		release_answer(&a);
	}
}

/* Shares of the question's words by idf, in the turn and in those around it; the speaker's name does not count. */
static void
test_coverage(void **state)
{
	struct answer a;
	(void)state;
	find_talk(&a, "When did Ann play the old zither and the violin?");
	const double play = read_idf(&a, "play"), old = read_idf(&a, "old"), zither = read_idf(&a, "zither"), violin = read_idf(&a, "violin");
	const double all = play + old + zither + violin;
	EXPECT_NEAR(read_feature(&a, 11, MEM_FEATURE_COV), (old + violin) / all);
	EXPECT_NEAR(read_feature(&a, 12, MEM_FEATURE_COV), play / all);
	EXPECT_NEAR(read_feature(&a, 12, MEM_FEATURE_COVW), (play + old + violin) / all);
	EXPECT_NEAR(read_feature(&a, 9, MEM_FEATURE_COV), 0);
	EXPECT_NEAR(read_feature(&a, 9, MEM_FEATURE_COVW), (old + violin) / all);
	EXPECT_NEAR(read_feature(&a, 14, MEM_FEATURE_COVW), play / all);
	EXPECT_NEAR(read_feature(&a, 7, MEM_FEATURE_COVW), 0);
	EXPECT_NEAR(a.q.words.unknown, zither / (all + read_idf(&a, "ann")));
	release_answer(&a);
}

static void
test_marks(void **state)
{
	struct answer a;
	(void)state;
	find_talk(&a, "Where is the violin of Oslo now?");
	EXPECT_NEAR(read_feature(&a, 9, MEM_FEATURE_HASQ), 1);
	EXPECT_NEAR(read_feature(&a, 9, MEM_FEATURE_ISQ), 1);
	EXPECT_NEAR(read_feature(&a, 10, MEM_FEATURE_HASQ), 0);
	EXPECT_NEAR(read_feature(&a, 10, MEM_FEATURE_PREVQ), 1);
	EXPECT_NEAR(read_feature(&a, 11, MEM_FEATURE_PREVQ), 0);
	EXPECT_NEAR(read_feature(&a, 10, MEM_FEATURE_P1Q), read_feature(&a, 10, MEM_FEATURE_P1));
	EXPECT_NEAR(read_feature(&a, 11, MEM_FEATURE_P1Q), 0);
	EXPECT_NEAR(read_feature(&a, 10, MEM_FEATURE_TW), 1);
	EXPECT_NEAR(read_feature(&a, 10, MEM_FEATURE_NW), 1);
	EXPECT_NEAR(read_feature(&a, 11, MEM_FEATURE_TW), 0);
	EXPECT_NEAR(read_feature(&a, 11, MEM_FEATURE_CAPS), 1);
	EXPECT_NEAR(read_feature(&a, 10, MEM_FEATURE_WHEN_TW), 0);
	EXPECT_NEAR(read_feature(&a, 10, MEM_FEATURE_DUR_TW), 0);
	release_answer(&a);
	find_talk(&a, "When was the violin in Oslo?");
	EXPECT_NEAR(read_feature(&a, 10, MEM_FEATURE_WHEN_TW), 1);
	EXPECT_NEAR(read_feature(&a, 11, MEM_FEATURE_WHEN_TW), 0);
	release_answer(&a);
	find_talk(&a, "How long was the violin in Oslo?");
	EXPECT_NEAR(read_feature(&a, 10, MEM_FEATURE_DUR_TW), 1);
	EXPECT_NEAR(read_feature(&a, 11, MEM_FEATURE_DUR_TW), 0);
	release_answer(&a);
}

/* The day of capture against what the question names; the words of 10 mean a Monday. */
static void
test_dates(void **state)
{
	static const struct {
		const char *query;
		double match;
	} cases[] = {
		{ "What was the violin like in January 2026?", 1 },
		{ "What was the violin like on 4 January 2026?", .7 },
		{ "What was the violin like in March 2024?", 0 },
		{ "What was the violin like?", 0 },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct answer a;
		find_talk(&a, cases[i].query);
		EXPECT_NEAR(read_feature(&a, 11, MEM_FEATURE_DMATCH), cases[i].match);
		release_answer(&a);
	}
}

/* What a turn without codes has for them is what its two signals say. */
static void
test_pieces(void **state)
{
	struct answer a;
	struct mem_search_options options = green_boat;
	(void)state;
	options.query = MEM_STR("where is that old violin");
	open_answer(&a, &options);
	a.q.searcher->encoder.model.dims = DIMS;
	a.q.pieces = (struct mem_text_pieces){ .n = 1, .codes = mem_xcalloc(1, DIMS / 8), .words = mem_xcalloc(1, sizeof *a.q.pieces.words) };
	a.q.pieces.terms = strdup("violin");
	a.q.pieces.words[0] = (struct mem_piece_word){ mem_str(a.q.pieces.terms), 1 };
	assert_int_equal(mem_rank_neighbours(&a.c, &a.q, &a.applied, &err), MEM_OK);
	assert_true(a.applied);
	EXPECT_NEAR(read_feature(&a, 11, MEM_FEATURE_M), 0);
	EXPECT_NEAR(read_feature(&a, 12, MEM_FEATURE_M), -2 / .0515);
	EXPECT_NEAR(read_feature(&a, 12, MEM_FEATURE_MSW2), 0);
	EXPECT_NEAR(read_feature(&a, 13, MEM_FEATURE_M), .4 * read_feature(&a, 13, MEM_FEATURE_L) + .6 * read_feature(&a, 13, MEM_FEATURE_D));
	EXPECT_NEAR(read_feature(&a, 13, MEM_FEATURE_MSW2), 0);
	EXPECT_NEAR(read_feature(&a, 7, MEM_FEATURE_MSW2), read_feature(&a, 7, MEM_FEATURE_M));
	release_answer(&a);
}

/* Few words, an identifier, one signal alone: the scores stay. */
static void
test_not_applied(void **state)
{
	static const char *const queries[] = { "boat", "green boat", "where is boat_house now", "what does lib/boat.c do", "the commit 3f2a9bc1 again",
		"where is 1.2.3 used", "what is boatHouse for" };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(queries); i++) {
		struct answer a;
		struct mem_search_options options = green_boat;
		options.query = mem_str(queries[i]);
		open_answer(&a, &options);
		size_t n = a.c.n;
		assert_int_equal(mem_rank_neighbours(&a.c, &a.q, &a.applied, &err), MEM_OK);
		assert_false(a.applied);
		assert_int_equal(a.c.n, n);
		for (size_t k = 0; k < n; k++) {
			EXPECT_NEAR(a.c.v[k].score, a.c.v[k].step[MEM_RANK_FUSE]);
			assert_true(!isfinite(a.c.v[k].step[MEM_RANK_NEIGHBOURS]));
		}
		release_answer(&a);
	}
}

/* Only records in no session: as before.  No candidate at all: nothing. */
static void
test_no_session(void **state)
{
	struct answer a;
	(void)state;
	open_answer(&a, &green_boat);
	size_t kept = 0;
	for (size_t i = 0; i < a.c.n; i++)
		if (a.c.v[i].ord == 7)
			a.c.v[kept++] = a.c.v[i];
	a.c.n = kept;
	assert_int_equal(kept, 1);
	double before = a.c.v[0].score;
	assert_int_equal(mem_rank_neighbours(&a.c, &a.q, &a.applied, &err), MEM_OK);
	assert_false(a.applied);
	EXPECT_NEAR(a.c.v[0].score, before);
	a.c.n = 0;
	assert_int_equal(mem_rank_neighbours(&a.c, &a.q, &a.applied, &err), MEM_OK);
	assert_false(a.applied);
	release_answer(&a);
}

static void
supersede_turn(const struct answer *a, uint32_t ord)
{
	const struct mem_attr *attr;
	char id[37], event[200];
	assert_int_equal(mem_attr_at(a->q.t, ord, &attr, &err), MEM_OK);
	mem_id_format(&attr->id, id);
	snprintf(event, sizeof event, "{\"content\":\"so it was\",\"supersedes\":\"%s\"}\n", id);
	capture_events("ada", event);
}

/* What another has taken the place of lends nothing: the one before it is the neighbour.  It adds to the store: the last test. */
static void
test_superseded(void **state)
{
	struct answer a;
	(void)state;
	capture_events("ada", boats);
	assert_true(write_vectors(MEM_COUNT(products)));
	find_answer(&a, &green_boat);
	EXPECT_NEAR(read_feature(&a, 17, MEM_FEATURE_P1), compute_base(&a, 16));
	EXPECT_NEAR(read_feature(&a, 17, MEM_FEATURE_P2), compute_base(&a, 15));
	supersede_turn(&a, 16);
	release_answer(&a);
	find_answer(&a, &green_boat);
	assert_null(find_candidate(&a, 16));
	EXPECT_NEAR(read_feature(&a, 17, MEM_FEATURE_P1), compute_base(&a, 15));
	EXPECT_NEAR(read_feature(&a, 17, MEM_FEATURE_P2), 0);
	release_answer(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns_around),
		cmocka_unit_test(test_score),
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_entering),
		cmocka_unit_test(test_order_of_candidates),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_demands),
		cmocka_unit_test(test_speaker),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_not_applied),
		cmocka_unit_test(test_no_session),
		cmocka_unit_test(test_superseded),
	};
	return cmocka_run_group_tests(tests, make_own, remove_own);
}
