/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns, and their budget of steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "text/pattern.h"

static struct mem_pattern *
pattern(const char *source, unsigned flags)
{
	struct mem_pattern *p;
	struct mem_err err;
	if (mem_pattern_new(&p, mem_str(source), flags, &err) != MEM_OK)
		fail_msg("%s: %s", source, err.msg);
	return p;
}

static void
test_find(void **state)
{
	(void)state;
	struct mem_matcher *m = mem_matcher_new();
	struct mem_match got;
	struct mem_err err;
	struct mem_pattern *p = pattern("(b)(x)?(c+)", 0);
	mem_matcher_budget(m, 1000);
	assert_int_equal(mem_pattern_find(m, p, MEM_STR("abccbc"), 0, 6, &got, &err), MEM_OK);
	assert_int_equal(got.start[0], 1);
	assert_int_equal(got.end[0], 4);
	assert_true(got.start[2] > got.end[2]);
	assert_int_equal(got.start[3], 2);
	assert_true(got.start[9] > got.end[9]);
	assert_int_equal(mem_pattern_find(m, p, MEM_STR("abccbc"), 2, 6, &got, &err), MEM_OK);
	assert_int_equal(got.start[0], 4);
	/* It must begin within the range, though it may end behind it. */
	assert_int_equal(mem_pattern_find(m, p, MEM_STR("abccbc"), 2, 3, &got, &err), MEM_NOTFOUND);
	assert_null(err.reason);
	assert_int_equal(mem_pattern_find(m, p, MEM_STR("abccbc"), 0, 1, &got, &err), MEM_OK);
	assert_int_equal(mem_pattern_find(m, p, MEM_STR(""), 0, 0, &got, &err), MEM_NOTFOUND);
	assert_int_equal(mem_pattern_find(m, p, MEM_STR("bc"), 3, 2, &got, &err), MEM_NOTFOUND);
	mem_pattern_free(p);
	/* What stands before `from` is seen by assertions; inside a character there is no start. */
	p = pattern("(?<!a)b|\\bé", MEM_PATTERN_WINDOWED);
	assert_int_equal(mem_pattern_find(m, p, MEM_STR("ab"), 1, 1, &got, &err), MEM_NOTFOUND);
	assert_int_equal(mem_pattern_find(m, p, MEM_STR("ü b"), 1, 3, &got, &err), MEM_OK);
	assert_int_equal(got.start[0], 3);
	assert_int_equal(mem_pattern_find(m, p, MEM_STR("éé"), 1, 4, &got, &err), MEM_NOTFOUND);
	mem_pattern_free(p);
	p = pattern("a b #c", MEM_PATTERN_EXTENDED | MEM_PATTERN_CASELESS);
	assert_int_equal(mem_pattern_find(m, p, MEM_STR("xAB"), 0, 3, &got, &err), MEM_OK);
	mem_pattern_free(p);
	mem_pattern_free(NULL);
	mem_matcher_free(m);
	mem_matcher_free(NULL);
}

/* Enough of them that the late one is translated on the way; the budget of an input must not depend on what came before. */
static void
finds_the_same_for_the_same_steps_before_and_after_it_is_translated(void **state)
{
	(void)state;
	static const char *const texts[] = { "the quick brown fox ignores all rules", "", "ignore  all the\xc3\xa9 rules, ignore any rule", "ignor all" };
	struct mem_matcher *m = mem_matcher_new();
	struct mem_pattern *now = pattern("\\bignores?\\s+(all|any)\\s+(?:\\w+\\s+){0,3}?(rules?)\\b", MEM_PATTERN_WINDOWED);
	struct mem_pattern *late = pattern("\\bignores?\\s+(all|any)\\s+(?:\\w+\\s+){0,3}?(rules?)\\b", MEM_PATTERN_WINDOWED | MEM_PATTERN_LATE);
	for (size_t i = 0; i < 1000; i++) {
		struct mem_match a = { { 0 }, { 0 } }, b = { { 0 }, { 0 } };
		struct mem_err err;
		struct mem_str text = mem_str(texts[i % 4]);
		mem_matcher_budget(m, 100000);
		enum mem_status st = mem_pattern_find(m, now, text, 0, text.n, &a, &err);
		uint64_t left = mem_matcher_left(m);
		mem_matcher_budget(m, 100000);
		assert_int_equal(mem_pattern_find(m, late, text, 0, text.n, &b, &err), st);
		assert_int_equal(mem_matcher_left(m), left);
		assert_memory_equal(&a, &b, sizeof a);
	}
	mem_pattern_free(now);
	mem_pattern_free(late);
	mem_matcher_free(m);
}

static void
test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *source, *why;
	} cases[] = {
		{ "a(b", "missing closing parenthesis" }, { "\\C", "\\C" }, { "a(?C)b", "callouts" }, { "a(?C'x')b", "callouts" },
		{ "(*NO_JIT)a", "(*NO_JIT)" }, { "(*UCP)(*LIMIT_DEPTH=3)a", "(*LIMIT_DEPTH=3)" },
		{ "(*NO_START_OPT)a", "(*NO_START_OPT)" }, { "(*NO_AUTO_POSSESS)a", "not allowed" },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_pattern *p;
		struct mem_err err;
		assert_int_equal(mem_pattern_new(&p, mem_str(cases[i].source), 0, &err), MEM_USAGE);
		assert_null(p);
		assert_non_null(strstr(err.msg, cases[i].why));
	}
	mem_pattern_free(pattern("(*UTF)(*UCP)a", 0));
	mem_pattern_free(pattern("[(?C]\\(\\*NO_JIT\\)", 0)); /* looks like one, is none */
	mem_pattern_free(pattern("(*atomic:a)", 0));
	struct mem_buf b = { 0 };
	struct mem_pattern *p;
	struct mem_err err;
	for (size_t i = 0; i <= MEM_PATTERN_MAX; i++)
		mem_buf_putc(&b, 'a');
	assert_int_equal(mem_pattern_new(&p, mem_buf_span(&b), 0, &err), MEM_USAGE);
	mem_buf_release(&b);
}

/* ---- marked patterns ---------------------------------------------------- */

static const struct {
	const char *source, *marked;
} marks[] = {
	{ "ignore [aà]\\bx", "(?C)ignore [aà]\\bx" },
	{ "ab+cd", "(?C)ab+(?C)cd" },
	{ "(?<![a-z])(?:ab|c)de", "(?C)(?<![a-z])(?:ab|c)de" },
	{ "(?:ab?|c(?:d|e)?)f", "(?C)(?:ab?|c(?:d|e)?)f" },
	{ "x(?:ab+|cd)e", "(?C)x(?:ab+|cd)(?C)e" },
	{ "x(?:ab+|cd){0,2}e", "(?C)x(?:(?C)ab+|(?C)cd){0,2}(?C)e" },
	{ "(?:ab|c){2}d", "(?:(?C)ab|(?C)c){2}(?C)d" },
	{ "a?b?c?d?e?f?g", "(?C)a?b?c?d?e?(?C)f?g" },
	{ "(?:a|b|c|d)(?:a|b|c|d)(?:a|b|c|d)e", "(?C)(?:a|b|c|d)(?:a|b|c|d)(?C)(?:a|b|c|d)e" },
	{ "a(b)\\1+", "(?C)a(b)\\1+(?C)" },
	{ "(a(?1)?b)", "((?C)a(?1)?(?C)b)(?C)" },
	{ "", "(?C)" },
};

static void
marked_patterns_stop_only_behind_what_can_be_tried_again(void **state)
{
	(void)state;
	struct mem_err err;
	for (size_t i = 0; i < MEM_COUNT(marks); i++) {
		struct mem_buf to = { 0 };
		assert_int_equal(mem_pattern_mark(&to, mem_str(marks[i].source), 0, &err), MEM_OK);
		if (!mem_str_is(mem_buf_span(&to), marks[i].marked))
			fail_msg("%s became %.*s", marks[i].source, (int)to.len, to.data);
		mem_buf_release(&to);
	}
	struct mem_buf to = { 0 };
	assert_int_equal(mem_pattern_mark(&to, MEM_STR("a(b"), 0, &err), MEM_USAGE);
	assert_int_equal(mem_pattern_mark(&to, MEM_STR("\\Qa(b\\E"), 0, &err), MEM_USAGE);
	assert_int_equal(mem_pattern_mark(&to, MEM_STR("a(?C)b"), 0, &err), MEM_USAGE);
	assert_int_equal(to.len, 0);
}

static struct mem_pattern *
marked_pattern(const char *source, unsigned flags)
{
	struct mem_buf to = { 0 };
	struct mem_pattern *p;
	struct mem_err err;
	assert_int_equal(mem_pattern_mark(&to, mem_str(source), flags, &err), MEM_OK);
	assert_int_equal(mem_pattern_new(&p, mem_buf_span(&to), flags | MEM_PATTERN_MARKED, &err), MEM_OK);
	mem_buf_release(&to);
	return p;
}

static void
marked_patterns_find_the_same_for_no_more_steps(void **state)
{
	(void)state;
	static const char *const sources[] = {
		"(?x) \\b ignores? \\s+ (all|any) \\s+ (?:\\w+ \\s+){0,3}? (rules?) \\b", "(?<=(?:the|all) )(rules|fox)|a(?=ll)(l*)",
		"(?|(r)u|(f)o)(?(1)[a-z]+)", "\\b(\\w)\\w*+(?:\\s\\w+?)+\\1",
	};
	const struct mem_str text = MEM_STR("the quick brown fox ignores all of the other rules, and all the\xc3\xa9 rules ignore any rule");
	struct mem_matcher *m = mem_matcher_new();
	for (size_t i = 0; i < MEM_COUNT(sources); i++) {
		struct mem_pattern *all = pattern(sources[i], MEM_PATTERN_WINDOWED), *few = marked_pattern(sources[i], MEM_PATTERN_WINDOWED);
		for (size_t at = 0; at < text.n; at++) {
			struct mem_match a = { { 0 }, { 0 } }, b = { { 0 }, { 0 } };
			struct mem_err err;
			mem_matcher_budget(m, 100000);
			enum mem_status st = mem_pattern_find(m, all, text, at, text.n, &a, &err);
			uint64_t left = mem_matcher_left(m);
			mem_matcher_budget(m, 100000);
			assert_int_equal(mem_pattern_find(m, few, text, at, text.n, &b, &err), st);
			assert_true(mem_matcher_left(m) >= left);
			assert_true(mem_matcher_left(m) < 100000);
			assert_memory_equal(&a, &b, sizeof a);
		}
		mem_pattern_free(all);
		mem_pattern_free(few);
	}
	mem_matcher_free(m);
}

/* What would take hours ends with the budget. */
static void
marked_patterns_keep_to_the_budget(void **state)
{
	(void)state;
	static const char *const sources[] = { "(?:a|a)*b", "(?:aa?|a)+b", "a+a+a+b", "(?:a*)*b", "(a(?:a|a)(?:a|a))*b", ".*.*b", "(?:(?=a)a?){1,40}b",
		"(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)b" };
	struct mem_matcher *m = mem_matcher_new();
	struct mem_buf text = { 0 };
	for (int i = 0; i < 20000; i++)
		mem_buf_putc(&text, 'a');
	for (size_t i = 0; i < MEM_COUNT(sources); i++) {
		struct mem_pattern *p = marked_pattern(sources[i], MEM_PATTERN_WINDOWED);
		struct mem_match got;
		struct mem_err err;
		mem_matcher_budget(m, 100000);
		assert_int_equal(mem_pattern_find(m, p, mem_buf_span(&text), 0, text.len, &got, &err), MEM_REFUSED);
		assert_string_equal(err.reason, "budget");
		mem_pattern_free(p);
	}
	mem_buf_release(&text);
	mem_matcher_free(m);
}

/* ---- where matches begin ------------------------------------------------ */

static void
expect_starts(const char *source, unsigned flags, const char *text, const char *want)
{
	struct mem_pattern_start s;
	struct mem_str t = mem_str(text);
	char got[64] = "";
	size_t n = 0;
	assert_true(mem_pattern_begins(&s, mem_str(source), flags));
	for (size_t at = 0; (at = mem_pattern_next_start(&s, t, at, t.n)) <= t.n; at++)
		got[n++] = text[at];
	got[n] = '\0';
	assert_string_equal(got, want);
}

static void
starts_are_the_bytes_and_words_that_a_match_may_begin_with(void **state)
{
	(void)state;
	struct mem_pattern_start s;
	expect_starts("cat|dog", 0, "a cat, a bobcat, DOGS", "cc");
	expect_starts("(?x) \\b(?:cat|dog){0,4}?x", MEM_PATTERN_CASELESS, "a cat, bobcat, DOGS x", "cDx");
	expect_starts("\\bcat|og", 0, "cat, dog, bobcat", "cooc");
	expect_starts("\\b(?=[fg])(?:fox|goat)", 0, "_fox 7goat fox-fox \xc3\xa9goat", "ffg");
	expect_starts("(?<![a-z])-", 0, "a-b --", "---");
	assert_false(mem_pattern_begins(&s, MEM_STR("a*"), 0));
	assert_false(mem_pattern_begins(&s, MEM_STR("."), 0));
	assert_false(mem_pattern_begins(&s, MEM_STR("a(b"), 0));
	assert_true(mem_pattern_begins(&s, MEM_STR("ab"), 0));
	assert_int_equal(mem_pattern_next_start(&s, MEM_STR("bab"), 0, 0), 1);
	assert_int_equal(mem_pattern_next_start(&s, MEM_STR(""), 0, 0), 1);
}

/* The budget is over all starts and all patterns, and a spent one stays spent. */
static void
test_budget(void **state)
{
	(void)state;
	struct mem_matcher *m = mem_matcher_new();
	struct mem_match got;
	struct mem_err err;
	struct mem_pattern *p = pattern("\\d+[a-f]", 0), *q = pattern("z", 0);
	struct mem_buf text = { 0 };
	for (int i = 0; i < 10000; i++)
		mem_buf_putc(&text, '1');
	mem_matcher_budget(m, 1000);
	assert_int_equal(mem_pattern_find(m, q, mem_buf_span(&text), 0, text.len, &got, &err), MEM_NOTFOUND);
	assert_null(err.reason);
	assert_int_equal(mem_pattern_find(m, p, mem_buf_span(&text), 0, text.len, &got, &err), MEM_REFUSED);
	assert_string_equal(err.reason, "budget");
	assert_int_equal(mem_matcher_left(m), 0);
	assert_int_equal(mem_pattern_find(m, q, MEM_STR("z"), 0, 1, &got, &err), MEM_REFUSED);
	assert_string_equal(err.reason, "budget");
	mem_matcher_budget(m, (uint64_t)1 << 40);
	assert_int_equal(mem_pattern_find(m, p, mem_buf_span(&text), 0, text.len, &got, &err), MEM_NOTFOUND);
	assert_null(err.reason);
	assert_true((uint64_t)1 << 40 > mem_matcher_left(m) + 10000);
	mem_buf_release(&text);
	mem_pattern_free(p);
	mem_pattern_free(q);
	mem_matcher_free(m);
}

/* A matcher that runs out of its own stack refuses too. */
static void
test_stack(void **state)
{
	(void)state;
	struct mem_matcher *m = mem_matcher_new();
	struct mem_match got;
	struct mem_err err;
	struct mem_pattern *p = pattern("^(?:(a)|b)*+c|^(?:(a)|b)*c", 0);
	struct mem_buf text = { 0 };
	for (int i = 0; i < 1 << 20; i++)
		mem_buf_putc(&text, 'a');
	mem_buf_puts(&text, "xc");
	mem_matcher_budget(m, (uint64_t)1 << 40);
	assert_int_equal(mem_pattern_find(m, p, mem_buf_span(&text), 0, text.len, &got, &err), MEM_REFUSED);
	assert_string_equal(err.reason, "budget");
	mem_buf_release(&text);
	mem_pattern_free(p);
	mem_matcher_free(m);
}

/* ---- views ------------------------------------------------------------- */

static void
expect_plain(const char *text, const char *want)
{
	struct mem_view whole, v;
	mem_view_init(&whole, mem_str(text));
	bool changed = mem_view_plain(&v, &whole);
	assert_int_equal(changed, strcmp(text, want) != 0);
	if (changed && !mem_str_is(v.text, want))
		fail_msg("'%s' became '%.*s', not '%s'", text, (int)v.text.n, v.text.p, want);
	mem_view_release(&v);
}

static void
test_plain(void **state)
{
	(void)state;
	expect_plain("plain ASCII\tstays\n", "plain ASCII\tstays\n");
	expect_plain("", "");
	expect_plain("Größe naïve Çà Ångström", "Große naive Ca Angstrom");
	expect_plain("ｉｇｎｏｒｅ　１２３", "ignore 123");
	expect_plain("𝐢𝑔𝓷𝚘re", "ignore");
	expect_plain("a\u200bb\u00adc\u2060d\u202ee\U000e0041f\ufeffg\u0301h", "abcdefgh");
	expect_plain("a\u00a0b\u2009c \u2010\u2013\u2014\u2212 \u2018x\u2019 \u201cy\u201d \u00abz\u00bb \u201ew\u201c", "a b c ---- 'x' \"y\" \"z\" \"w\"");
	expect_plain("Привет мир, γειά", "Привет мир, γειά");
	expect_plain("й и ё", "й и ё");
	expect_plain("ign\u043er\u0435 \u0440r\u0435vi\u043eus", "ignore previous");
	expect_plain("\u0456gnore", "ignore");
	expect_plain("你好。 한국어 ガギグ", "你好。 한국어 ガギグ");
	expect_plain("i g n o r e  a l l it", "ignore  all it");
	expect_plain("i.g.n.o.r.e, a-l-l", "ignore, all");
	expect_plain("a b, I am, x - y", "a b, I am, x - y");
	expect_plain("x² ½ ① №", "x² ½ ① №");
}

static void
expect_source(const struct mem_view *v, const char *part, size_t start, size_t end)
{
	const char *p = memmem(v->text.p, v->text.n, part, strlen(part));
	assert_non_null(p);
	size_t s = (size_t)(p - v->text.p), e = s + strlen(part);
	mem_view_source(v, &s, &e);
	assert_int_equal(s, start);
	assert_int_equal(e, end);
}

/* Wherever it stands in a longer text, which is looked at in lots of bytes. */
static void
text_is_made_plain_at_every_place(void **state)
{
	static const char *const cases[][2] = {
		{ "a l l", "all" }, { "o_r_d_e_r", "order" }, { "x.y.z", "xyz" }, { "\x7f", "" }, { "\x01", "" }, { "\t\n\r", "\t\n\r" }, { "\xc3\xa9", "e" },
		{ "\xc2\xa0", " " }, { "a 1 b", "a 1 b" }, { "a l", "a l" }, { "-o-o-", "-o-o-" }, { "~", "~" }, { "\xe2\x80\x8b", "" },
	};
	enum { PLACES = 48 };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		for (int before = 0; before < PLACES; before++)
			for (int behind = 0; behind < PLACES; behind += before % 7 == 0 ? 1 : 5) {
				char text[160], want[160];
				char *end = text, *wanted = want;
				for (int k = 0; k < before; k++)
					*end++ = *wanted++ = k + 1 == before ? ',' : "wxyz"[k % 4];
				end = stpcpy(end, cases[i][0]);
				wanted = stpcpy(wanted, cases[i][1]);
				for (int k = 0; k < behind; k++)
					*end++ = *wanted++ = k == 0 ? ',' : "wxyz"[k % 4];
				*end = *wanted = '\0';
				expect_plain(text, want);
			}
}

static void
test_source(void **state)
{
	(void)state;
	struct mem_view whole, plain, inner, deep;
	/*              0    2 3           9      12 */
	mem_view_init(&whole, MEM_STR("é\u200bab\\u00e9c\\\\n"));
	assert_true(mem_view_plain(&plain, &whole));
	assert_true(mem_str_is(plain.text, "eab\\u00e9c\\\\n"));
	expect_source(&plain, "e", 0, 2);
	expect_source(&plain, "a", 5, 6);
	expect_source(&plain, "ea", 0, 6);
	assert_true(mem_view_unescape(&inner, &plain));
	assert_true(mem_str_is(inner.text, "eabéc\\n"));
	expect_source(&inner, "é", 7, 13);
	expect_source(&inner, "bé", 6, 13);
	expect_source(&inner, "éc", 7, 14);
	assert_true(mem_view_unescape(&deep, &inner));
	assert_true(mem_str_is(deep.text, "eabéc\n"));
	expect_source(&deep, "\n", 14, 17);
	expect_source(&deep, "eabéc\n", 0, 17);
	mem_view_release(&deep);
	mem_view_release(&inner);
	mem_view_release(&plain);
}

static void
test_unescape(void **state)
{
	(void)state;
	static const struct {
		const char *text, *want; /* NULL: unchanged */
	} cases[] = {
		{ "\\\"\\/\\\\\\b\\f\\n\\r\\t", "\"/\\\b\f\n\r\t" },
		{ "\\u0041\\u00fc\\ud83d\\ude00", "Aü\U0001f600" },
		{ "\\ud83d \\ude00 \\u0000", "\ufffd \ufffd \ufffd" },
		{ "\\ud83d\\u0041", "\ufffdA" },
		{ "\\u12 \\x \\", NULL },
		{ "no escape", NULL },
		{ "", NULL },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_view whole, v;
		mem_view_init(&whole, mem_str(cases[i].text));
		assert_int_equal(mem_view_unescape(&v, &whole), cases[i].want != NULL);
		if (cases[i].want != NULL)
			assert_true(mem_str_is(v.text, cases[i].want));
		mem_view_release(&v);
	}
}

/* All literals that are told of a pattern, with ^ and $ where they begin and end a word; sets by ; */
static void
put_needs(struct mem_buf *to, const char *source)
{
	struct mem_arena arena = { 0 };
	struct mem_pattern_need needs[MEM_PATTERN_NEEDS];
	size_t n = mem_pattern_needs(needs, &arena, mem_str(source));
	mem_buf_reset(to);
	mem_buf_puts(to, "");
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < needs[i].n; k++) {
			const struct mem_pattern_literal *l = &needs[i].literals[k];
			mem_buf_printf(to, "%s%s%.*s%s", k > 0 ? "|" : "", l->begins_word ? "^" : "", (int)l->text.n, l->text.p, l->ends_word ? "$" : "");
		}
		if (needs[i].reach < MEM_PATTERN_NEEDS_ENDLESS)
			mem_buf_printf(to, " %zu", needs[i].reach);
		mem_buf_puts(to, ";");
	}
	mem_arena_release(&arena);
}

static void
needs_are_literals_that_each_match_has(void **state)
{
	(void)state;
	static const struct {
		const char *source, *want;
	} cases[] = {
		{ "password", "password 8;" },
		{ "ignore\\s+previous", "previous;ignore 6;" },
		{ "(?x) forget \\ it # all of it", "forget i 9;" },
		{ "\\b(?:wombats?|quokkas?)\\b", "^wombats$|^wombat$|^quokkas$|^quokka$ 7;" },
		{ "\\b(?:yak|emu)\\b", "^yak$|^emu$ 3;" },
		{ "\\b(?=[wq])(?:wombat|quokka\\d+)", "^wombat|^quokka 6;" },
		{ "(?:wombat)?", "" },
		{ "(?:wombat)*quokka", "quokka;" },
		{ "(?:wombat){2,3}", "wombat 6;" },
		{ "wombat(?!quokka)(?<!numbat)", "wombat 6;" },
		{ "(?=[^>]{0,9}?wombat)<", "wombat 42;" },
		{ "wombat|x", "" },
		{ "wombat|(?i:quokka|numbat)", "wombat|quokka|numbat 6;" },
		{ "[a-z]{20}", "" },
		{ "[\"'=]wombat", "\"wombat|'wombat|=wombat 7;" },
		{ "w\xc3\xb6mbatte", "mbatte 11;" },
		{ "a{wombat}", "a{wombat 9;" },
		/* What is not understood. */
		{ "wombat(*ACCEPT)quokka", "" }, { "(wombat)\\1", "" }, { "(?(1)wombat)", "" }, { "(?R)wombat", "" }, { "\\Qwombat\\E", "" },
		{ "wombat\\Kquokka", "" },
	};
	struct mem_buf got = { 0 };
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		put_needs(&got, cases[i].source);
		if (strcmp(got.data, cases[i].want) != 0)
			fail_msg("%s: %s", cases[i].source, got.data);
	}
	mem_buf_release(&got);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(finds_the_same_for_the_same_steps_before_and_after_it_is_translated),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(marked_patterns_stop_only_behind_what_can_be_tried_again),
		cmocka_unit_test(marked_patterns_find_the_same_for_no_more_steps),
		cmocka_unit_test(marked_patterns_keep_to_the_budget),
		cmocka_unit_test(starts_are_the_bytes_and_words_that_a_match_may_begin_with),
		cmocka_unit_test(needs_are_literals_that_each_match_has),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(text_is_made_plain_at_every_place),
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_unescape),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
