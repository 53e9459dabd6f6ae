/* SPDX-License-Identifier: Apache-2.0 */
/* The query language. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/query_int.h"
#include "store/node.h"

static const uint8_t secret[MEM_SECRET_LEN] = { 1, 2, 3 };
static const int64_t now = 1764288000000;
static struct mem_analyser *english, *automatic;

static int
setup(void **state)
{
	(void)state;
	struct mem_err err;
	return mem_analyser_open(&english, "english", &err) == MEM_OK &&
	    mem_analyser_open(&automatic, "auto", &err) == MEM_OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	mem_analyser_close(english);
	mem_analyser_close(automatic);
	return 0;
}

static struct query_parsed
parse_query(const char *text, enum query_syntax syntax)
{
	struct query_parsed q;
	struct mem_err err;
	assert_int_equal(query_parse_text(&q, english, secret, mem_str(text), syntax, now, &err), MEM_OK);
	return q;
}

/* Is the filter's next term this one, "tag=x"? */
static bool
is_term(const struct query_parsed *q, size_t k, char *word, bool negative)
{
	char *eq = strchr(word, '=');
	*eq = '\0';
	enum mem_field_term field = strcmp(word, "tag") == 0 ? MEM_TERM_TAG : strcmp(word, "ref") == 0 ? MEM_TERM_REF : MEM_TERM_SPEAKER;
	return k < q->filter.nterms && q->filter.terms[k].field == field && q->filter.terms[k].negative == negative &&
	    mem_str_is(q->filter.terms[k].value, eq + 1);
}

/* The number behind a *, cut off: 1 where there is none. */
static double
take_weight(char *word)
{
	char *star = strchr(word, '*');
	if (star == NULL)
		return 1;
	*star = '\0';
	return atof(star + 1);
}

/* Of "d8", "m5", "y2023". */
static uint64_t
hash_date(const char *text)
{
	if (*text == 'n')
		return mem_term_day(secret, atoi(text + 1));
	const struct mem_date_part part = { .kind = *text == 'd' ? MEM_DATE_DAY : *text == 'm' ? MEM_DATE_MONTH : MEM_DATE_YEAR,
		.value = atoi(text + 1) };
	return mem_term_date(secret, &part);
}

/* Clauses and terms against a list such as "@y2023 for a year, @n0 for a whole day, +must word*2 -not +tag=x". */
static void
expect_parsed(struct query_parsed *q, const char *want)
{
	size_t i = 0, terms = 0;
	char *copy = mem_xstrdup(want), *save = NULL;
	for (char *w = strtok_r(copy, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
		int occur = *w == '+' ? MEM_MUST : *w == '-' ? MEM_MUST_NOT : MEM_SHOULD;
		w += *w == '+' || *w == '-';
		if (strchr(w, '=') != NULL) {
			if (!is_term(q, terms++, w, occur == MEM_MUST_NOT))
				fail_msg("term %zu is not '%s' of '%s'", terms, w, want);
			continue;
		}
		double weight = take_weight(w);
		uint64_t hash = *w == '@' ? hash_date(w + 1) : mem_term_word(secret, mem_str(w));
		if (i >= q->n)
			fail_msg("no clause for %s of '%s'", w, want);
		if (q->clauses[i].hash != hash || (int)q->clauses[i].occur != occur ||
		    q->clauses[i].scored != (occur != MEM_MUST_NOT))
			fail_msg("clause %zu is not '%s' of '%s'", i, w, want);
		if (fabs(q->clauses[i].weight - weight) > 1e-12)
			fail_msg("'%s' weighs %g of '%s'", w, q->clauses[i].weight, want);
		i++;
	}
	assert_int_equal(q->n, i);
	assert_int_equal(q->filter.nterms, terms);
	free(copy);
}

static void
expect_clauses(const char *text, const char *want)
{
	struct query_parsed q = parse_query(text, QUERY_SYNTAX_AUTO);
	expect_parsed(&q, want);
	query_release(&q);
}

static void
expect_plain_clauses(const char *text, const char *want)
{
	struct query_parsed q = parse_query(text, QUERY_SYNTAX_PLAIN);
	expect_parsed(&q, want);
	query_release(&q);
}

static void
test_words(void **state)
{
	(void)state;
	expect_clauses("painted a sunrise", "paint sunris");
	expect_clauses("painted painting", "paint*2");
	expect_clauses("to be or not to be", "to*2 be*2 or not");
	expect_clauses("dog cat dog bird cat dogs", "dog*3 cat*2 bird");
	expect_clauses("1.1.1 v1", "1.1.1 1*3 v1");
	expect_clauses("the", "the");
	expect_clauses("fooBar_baz", "foobar_baz foobar foo bar baz");
	expect_clauses("std:sort", "std:sort std sort");
	expect_clauses("--queries", "queri");
	expect_clauses("a - b", "b");
	expect_clauses("\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd", "\xe6\x9d\xb1\xe4\xba\xac \xe4\xba\xac\xe9\x83\xbd");
}

static void
test_nothing(void **state)
{
	(void)state;
	static const char *const texts[] = { "", " \t\n", "... !? --", "-dog", "-\"big dog\"", "\"\"", "\"", "-",
		"kind:fact", "role:user since:2026-01-01", "-tag:x", "-speaker:Jo" };
	for (size_t i = 0; i < MEM_COUNT(texts); i++) {
		struct query_parsed q = parse_query(texts[i], QUERY_SYNTAX_AUTO);
		assert_false(q.searchable);
		query_release(&q);
	}
}

static void
test_quotes(void **state)
{
	(void)state;
	expect_clauses("\"the dog\" cat", "+the +dog cat");
	expect_clauses("\"the\" the cat", "+the cat");
	expect_clauses("unbalanced \"quote here", "unbalanc quot");
	expect_clauses("5\"disk", "5 disk");
	expect_clauses("dog \"dogs\"", "+dog*2");
	expect_clauses("\"a/b\"", "+a +b a/b");
	expect_clauses("-\"one\" two", "-one two");
	expect_clauses("-\"one two\" three", "three");
	struct query_parsed q = parse_query("\"one two\" -\"three four\" -\"five\"", QUERY_SYNTAX_AUTO);
	assert_int_equal(q.nphrases, 2);
	assert_false(q.phrases[0].negative);
	assert_true(q.phrases[1].negative);
	query_release(&q);
}

static void
test_negative(void **state)
{
	(void)state;
	expect_clauses("dog -cat", "-cat dog");
	expect_clauses("dog -dog", "-dog dog");
	expect_clauses("dog -the", "-the dog");
	struct query_parsed q = parse_query("dog -foo_bar", QUERY_SYNTAX_AUTO);
	expect_parsed(&q, "dog");
	assert_int_equal(q.nphrases, 1);
	assert_int_equal(q.phrases[0].n, 2);
	query_release(&q);
}

static void
test_fields(void **state)
{
	(void)state;
	expect_clauses("speaker:Caroline", "+speaker=Caroline");
	struct query_parsed snow = parse_query("speaker:\"Jon Snow\" x", QUERY_SYNTAX_AUTO);
	assert_int_equal(snow.n, 1);
	assert_true(snow.filter.nterms == 1 && mem_str_is(snow.filter.terms[0].value, "Jon Snow"));
	query_release(&snow);
	expect_clauses("tag:a tag:b -tag:c dog", "+tag=a +tag=b -tag=c dog");
	expect_clauses("ref:file.md#x", "+ref=file.md#x");
	expect_clauses("ref: dog", "ref dog");
	expect_clauses("unknown:thing", "unknown:thing unknown thing");
	expect_clauses("status:draft", "status:draft status draft"); /* an option of mem-list alone */
	struct query_parsed q = parse_query("dog kind:fact kind:note -kind:episode role:user -role:tool ns:team:x -ns:global "
	    "session:s1 since:2026-01-02 until:2026-02-03T00:00:00Z", QUERY_SYNTAX_AUTO);
	const struct mem_kind_set kinds = mem_kind_set_union(mem_kind_set_of(MEM_KIND_FACT), mem_kind_set_of(MEM_KIND_NOTE));
	const struct mem_kind_set not_kinds = mem_kind_set_of(MEM_KIND_EPISODE);
	assert_memory_equal(&q.filter.kinds, &kinds, sizeof kinds);
	assert_memory_equal(&q.filter.not_kinds, &not_kinds, sizeof not_kinds);
	assert_int_equal(q.filter.roles, 1u << MEM_ROLE_USER);
	assert_int_equal(q.filter.not_roles, 1u << MEM_ROLE_TOOL);
	assert_true(q.filter.ns.n == 1 && mem_str_is(q.filter.ns.v[0], "team:x"));
	assert_true(q.filter.not_ns.n == 1 && mem_str_is(q.filter.not_ns.v[0], "global"));
	assert_true(mem_str_is(q.filter.session, "s1"));
	int64_t since, until;
	assert_true(mem_time_parse(MEM_STR("2026-01-02T00:00:00Z"), &since));
	assert_true(mem_time_parse(MEM_STR("2026-02-03T00:00:00Z"), &until));
	assert_true(q.filter.since == since && q.filter.until == until);
	assert_false(q.filter.nothing);
	query_release(&q);
	q = parse_query("dog session:a session:b", QUERY_SYNTAX_AUTO);
	assert_true(q.filter.nothing);
	query_release(&q);
}

static void
test_bad_fields(void **state)
{
	(void)state;
	static const struct {
		const char *text, *reason;
	} bad[] = {
		{ "kind:nonsense x", "bad_value" }, { "role:king", "bad_value" }, { "ns:x/y", "bad_value" },
		{ "since:whenever", "bad_time" }, { "-since:2026-01-01", "bad_value" }, { "-session:x", "bad_value" },
	};
	for (size_t i = 0; i < MEM_COUNT(bad); i++) {
		struct query_parsed q;
		struct mem_err err;
		assert_int_equal(query_parse_text(&q, english, secret, mem_str(bad[i].text), QUERY_SYNTAX_AUTO, now, &err), MEM_USAGE);
		assert_string_equal(err.reason, bad[i].reason);
		query_release(&q);
	}
}

static void
test_plain(void **state)
{
	(void)state;
	expect_plain_clauses("\"big dog\" -cat kind:nonsense", "big dog cat kind:nonsense kind nonsens");
	expect_plain_clauses("\xe2\x80\x9cthe\xe2\x80\x9d", "the");
}

static void
test_dates(void **state)
{
	(void)state;
	expect_clauses("trip in May 2023", "trip may 2023 @m5*1.5 @y2023*1.5");
	expect_clauses("trip on 8 may", "trip 8 may @m5*1.5 @d8*1.5");
	expect_clauses("she may trip", "may trip");
	expect_clauses("8 dogs", "8 dog");
	expect_clauses("\"May 2023\" trip -2024", "+may +2023 -2024 trip");
	expect_clauses("May May", "may*2 @m5*3");
	expect_plain_clauses("2023-05-08", "2023-05-08 2023 05 08 @y2023*1.5 @m5*1.5 @d8*1.5 @n19485*1.5");
	struct query_parsed q = parse_query("the 8th of May", QUERY_SYNTAX_AUTO);
	expect_parsed(&q, "8th may @m5*1.5 @d8*1.5");
	assert_true(q.clauses[2].of == q.clauses[1].hash && q.clauses[3].of == q.clauses[0].hash && q.clauses[0].of == 0);
	query_release(&q);
	/* A whole day is asked for in all its forms; it says again the word that it is, or that it begins with. */
	q = parse_query("2023-05-08", QUERY_SYNTAX_PLAIN);
	assert_true(q.clauses[7].of == q.clauses[0].hash);
	query_release(&q);
	q = parse_query("7 October 2025", QUERY_SYNTAX_AUTO);
	expect_parsed(&q, "7 octob 2025 @m10*1.5 @d7*1.5 @y2025*1.5 @n20368*1.5");
	assert_true(q.clauses[6].of == q.clauses[0].hash);
	query_release(&q);
}

static bool
is_sentence(const char *text)
{
	return query_is_sentence(mem_str(text));
}

static void
test_sentences(void **state)
{
	(void)state;
	static const char *const sentences[] = { "dog?", "who -is it?", "who -is it?!", "who -is it!?", "\"dog\"?", "\xe8\xb0\x81\xef\xbc\x9f", "\xd9\x85\xd9\x86\xd8\x9f",
		"one two three four five six seven eight nine", "one two three four five six seven eight -nine",
		"one two three four five six seven eight ab\"c d\"", "why role:user?" };
	static const char *const queries[] = { "", "dog", "dog -cat", "what did she say about -cats", "\"is it late?\"", "? dog", "dog -cat!",
		"one two three four five six seven eight", "one two three four five six seven eight \"nine ten\"",
		"one two three four five six seven eight \"nine ten\" - ... -\"x y\"",
		"one two three four five six seven eight role:user -tag:x speaker:\"Jon Snow\"" };
	for (size_t i = 0; i < MEM_COUNT(sentences); i++)
		if (!is_sentence(sentences[i]))
			fail_msg("'%s' is a sentence", sentences[i]);
	for (size_t i = 0; i < MEM_COUNT(queries); i++)
		if (is_sentence(queries[i]))
			fail_msg("'%s' is none", queries[i]);
}

static void
expect_anchors(const char *text, size_t anchors, const char *want, const char *encoder_text)
{
	struct query_parsed q = parse_query(text, QUERY_SYNTAX_AUTO);
	expect_parsed(&q, want);
	assert_int_equal(q.nanchors, anchors);
	assert_int_equal(q.nphrases, anchors);
	for (size_t i = 0; i < q.nphrases; i++)
		assert_true(q.phrases[i].anchor && !q.phrases[i].negative);
	if (!mem_str_is(mem_buf_span(&q.encoder_text), encoder_text))
		fail_msg("an encoder reads '%.*s' of '%s'", (int)q.encoder_text.len, q.encoder_text.data, text);
	query_release(&q);
}

static void
test_anchors(void **state)
{
	(void)state;
	expect_anchors("dog -cat (bird)?", 0, "dog cat bird", "dog -cat (bird)?");
	expect_anchors("who said \"the big dog\" twice?", 1, "say big dog twice", "who said \"the big dog\" twice?");
	expect_anchors("[\"one\"] or \"two three\"?", 2, "one two three", "[\"one\"] or \"two three\"?");
	expect_anchors("a 5\" disk and 3\" disk?", 0, "5 disk*2 3", "a 5\" disk and 3\" disk?");
	expect_anchors("not -\"big dog\" but \"\" or \"!\"?", 0, "big dog", "not -\"big dog\" but \"\" or \"!\"?");
	expect_anchors("what did Jo say speaker:Jo?", 0, "jo say +speaker=Jo", "what did Jo say");
	expect_anchors("what did Jo say speaker:Jo? \n", 0, "jo say +speaker=Jo", "what did Jo say");
	expect_anchors("what did Jo say speaker:Jo?!", 0, "jo say +speaker=Jo", "what did Jo say");
	expect_anchors("is the dog -big? ", 0, "dog big", "is the dog -big?");
	expect_anchors("-tag:a? dog", 0, "dog -tag=a?", "dog");
	expect_anchors("dog -tag:a?", 0, "dog -tag=a", "dog");
	struct query_parsed q = parse_query("is it a well-known - dog --x -role:user?", QUERY_SYNTAX_AUTO);
	assert_false(q.dash_is_text);
	query_release(&q);
	q = parse_query("is it a -dog?", QUERY_SYNTAX_AUTO);
	assert_true(q.dash_is_text);
	query_release(&q);
	q = parse_query("dog tag:\"a b?\"", QUERY_SYNTAX_STRICT);
	assert_true(q.filter.nterms == 1 && mem_str_is(q.filter.terms[0].value, "a b?"));
	query_release(&q);
	q = parse_query("is dog tag:\"a b?\" ?", QUERY_SYNTAX_AUTO);
	assert_true(q.filter.nterms == 1 && mem_str_is(q.filter.terms[0].value, "a b?"));
	query_release(&q);
	q = parse_query("who has \"the big-dog\"?", QUERY_SYNTAX_AUTO);
	assert_int_equal(q.phrases[0].n, 3);
	query_release(&q);
	q = parse_query("is \"big dog\" -cat?", QUERY_SYNTAX_STRICT);
	expect_parsed(&q, "+big +dog -cat");
	assert_int_equal(q.nanchors, 0);
	query_release(&q);
}

static void
test_auto(void **state)
{
	(void)state;
	struct query_parsed q;
	struct mem_err err;
	assert_int_equal(query_parse_text(&q, automatic, secret, MEM_STR("\"H\xc3\xa4user kaufen\" -B\xc3\xbc""cher"),
	    QUERY_SYNTAX_AUTO, now, &err), MEM_OK);
	assert_int_equal(q.nphrases, 1);
	assert_true(q.positions[0].n >= 2);
	for (size_t i = 0; i < q.n; i++)
		assert_true(q.clauses[i].occur != MEM_MUST);
	query_release(&q);
}

static bool
has_phrase(const char *phrase, const char *text)
{
	struct query_parsed q = parse_query(phrase, QUERY_SYNTAX_AUTO);
	const struct mem_term *t;
	size_t n, nwords = 0;
	uint64_t words[64];
	mem_analyse(english, mem_str(text), &t, &n);
	for (size_t i = 0; i < n; i++)
		if (!t[i].extra)
			words[nwords++] = mem_term_word(secret, t[i].text);
	assert_int_equal(q.nphrases, 1);
	bool found = query_has_phrase(&q, &q.phrases[0], words, nwords);
	query_release(&q);
	return found;
}

static void
test_phrases(void **state)
{
	(void)state;
	assert_true(has_phrase("\"big dog\"", "a big dog barks"));
	assert_true(has_phrase("\"big dog\"", "big big dogs"));
	assert_false(has_phrase("\"big dog\"", "dog big"));
	assert_false(has_phrase("\"big dog\"", "big bad dog"));
	assert_false(has_phrase("\"big dog\"", "big"));
	assert_true(has_phrase("\"foo bar\"", "call fooBar now"));
	assert_true(has_phrase("\"a/b/c.py\"", "see a/b/c.py"));
	assert_true(has_phrase("\"\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd\"", "\xe3\x81\xae\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd\xe3\x81\xab"));
}

static void
test_cut(void **state)
{
	(void)state;
	struct query_parsed q = parse_query("one two three four five \"six\" \"seven\" -eight", QUERY_SYNTAX_AUTO);
	uint64_t df[8];
	assert_int_equal(q.n, 8);
	/* Clauses: six seven -eight one two three four five. */
	static const uint64_t of[] = { 50, 1, 0, 9, 0, 7, 8, 3 };
	memcpy(df, of, sizeof df);
	query_cut_words(&q, df, 3);
	/* seven (1), five (3), three (7) stay; six must still stand in the text; two stands nowhere. */
	expect_parsed(&q, "+seven -eight three five");
	assert_int_equal(q.words_cut, 2);
	assert_int_equal(q.nphrases, 1);
	assert_true(q.hashes[q.positions[q.phrases[0].first].first] == mem_term_word(secret, MEM_STR("six")));
	query_release(&q);
}

/* A megabyte of words, quotes and dashes is an answer in linear time, not a crash. */
static void
test_huge(void **state)
{
	(void)state;
	struct mem_buf b = { 0 };
	for (int i = 0; b.len < 1000000; i++)
		mem_buf_printf(&b, "w%d \"p%d \" -n%d ", i, i % 7, i % 5);
	struct query_parsed q;
	struct mem_err err;
	assert_int_equal(query_parse_text(&q, english, secret, mem_buf_span(&b), QUERY_SYNTAX_STRICT, now, &err), MEM_OK);
	assert_true(q.n > 10000);
	query_release(&q);
	assert_int_equal(query_parse_text(&q, english, secret, mem_buf_span(&b), QUERY_SYNTAX_AUTO, now, &err), MEM_OK);
	assert_true(q.n > 10000 && q.nanchors == QUERY_ANCHORS_MAX);
	query_release(&q);
	mem_buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_quotes),
		cmocka_unit_test(test_negative),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_bad_fields),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_anchors),
		cmocka_unit_test(test_auto),
		cmocka_unit_test(test_phrases),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_huge),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
