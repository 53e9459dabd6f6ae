/* SPDX-License-Identifier: Apache-2.0 */
/* The ASCII path against UAX #29 as libunistring does it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "text/text_int.h"

static struct mem_analyser *fast, *slow;

static int
setup(void **state)
{
	(void)state;
	struct mem_err err;
	if (mem_analyser_open(&fast, "english", &err) != MEM_OK ||
	    mem_analyser_open(&slow, "english", &err) != MEM_OK)
		return -1;
	text_segment_by_unicode(slow, true);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	mem_analyser_close(fast);
	mem_analyser_close(slow);
	return 0;
}

static void
compare_breaks(struct mem_str s)
{
	const struct mem_term *f, *u;
	size_t nf, nu;
	mem_analyse(fast, s, &f, &nf);
	mem_analyse(slow, s, &u, &nu);
	bool same = nf == nu;
	for (size_t i = 0; same && i < nf; i++)
		same = mem_str_eq(f[i].text, u[i].text) && f[i].start == u[i].start &&
		    f[i].end == u[i].end && f[i].extra == u[i].extra && f[i].stop == u[i].stop;
	if (!same)
		fail_msg("differs: '%.*s'", (int)s.n, s.p);
}

static uint32_t seed = 1;

static uint32_t
next(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

/* Every pair and triple of the characters that the rules tell apart. */
static void
test_all_short(void **state)
{
	(void)state;
	static const char chars[] = "aB1_.:',;-/\"+#@\t\x01\x7f$";
	size_t n = sizeof chars - 1;
	for (size_t i = 0; i < n * n * n * n; i++) {
		char s[4] = { chars[i % n], chars[i / n % n], chars[i / n / n % n], chars[i / n / n / n] };
		compare_breaks((struct mem_str){ s, 3 });
		compare_breaks((struct mem_str){ s, 4 });
	}
}

static void
test_random(void **state)
{
	(void)state;
	static const char likely[] = "abcABC019__..::'',;-/\\@+=&#  ";
	char s[80];
	for (int i = 0; i < 20000; i++) {
		size_t n = next(sizeof s);
		for (size_t k = 0; k < n; k++)
			s[k] = next(4) == 0 ? (char)next(128) : likely[next(sizeof likely - 1)];
		compare_breaks((struct mem_str){ s, n });
	}
}

/* A character outside ASCII in the same line must not change the words around it. */
static void
test_mixed(void **state)
{
	(void)state;
	char plain[200], mixed[220];
	static const char likely[] = "abcABC019_.:',;-/ ";
	for (int i = 0; i < 2000; i++) {
		size_t n = next(sizeof plain - 1) + 1;
		for (size_t k = 0; k < n; k++)
			plain[k] = likely[next(sizeof likely - 1)];
		memcpy(mixed, plain, n);
		memcpy(mixed + n, " \xe2\x80\x94 \xc3\xa9", 7);
		const struct mem_term *f, *u;
		size_t nf, nu;
		mem_analyse(fast, (struct mem_str){ plain, n }, &f, &nf);
		mem_analyse(slow, (struct mem_str){ mixed, n + 7 }, &u, &nu);
		assert_int_equal(nu, nf + 1);
		for (size_t k = 0; k < nf; k++)
			assert_true(mem_str_eq(f[k].text, u[k].text));
	}
}

static uint32_t
look_up_stops(struct text_stems *kept, const char *word)
{
	struct text_word_facts facts;
	text_look_up_word(kept, mem_str(word), &facts);
	return facts.stops;
}

/* What is remembered of a word is what is made anew. */
static void
test_memory_of_stems(void **state)
{
	(void)state;
	static const char *const words[] = { "running", "Running", "r\xc3\xa9sum\xc3\xa9s", "the", "The",
		"cities", "K\xc3\xb6nig" };
	struct text_stems *kept = text_stems_new();
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < MEM_COUNT(words); i++) {
			for (int lang = 0; lang < TEXT_LANG_COUNT; lang++) {
				struct mem_buf a = { 0 }, b = { 0 };
				struct text_stems *fresh = text_stems_new();
				bool sa = text_put_stem(kept, (enum text_lang)lang, mem_str(words[i]), &a);
				bool sb = text_put_stem(fresh, (enum text_lang)lang, mem_str(words[i]), &b);
				assert_int_equal(sa, sb);
				assert_string_equal(a.data, b.data);
				text_stems_free(fresh);
				mem_buf_release(&a);
				mem_buf_release(&b);
			}
			assert_int_equal(look_up_stops(kept, words[i]) & 1,
			    strcasecmp(words[i], "the") == 0);
		}
	}
	text_stems_free(kept);
}

/* Words, compounds, names, stop words of several languages; few enough that they come again. */
static void
draw_chunks(struct mem_buf *out)
{
	static const char *const parts[] = { "the", "The", "der", "und", "les", "running", "Wi", "Fi", "C", "c++", "v1", "2", "3", "l'eau",
		"don't", "O'Neill", "getHTTPUrl", "deadbeef01", "K\xc3\xb6nig" };
	static const char joints[] = "    .-/:_#,;";
	mem_buf_reset(out);
	for (uint32_t n = 1 + next(12); n > 0; n--) {
		mem_buf_puts(out, parts[next(MEM_COUNT(parts))]);
		mem_buf_putc(out, joints[next(sizeof joints - 1)]);
	}
}

/* What is remembered of what stands between spaces is what is made anew, in any language and at any place. */
static void
test_memory_of_chunks(void **state)
{
	(void)state;
	static const char *const languages[] = { "english", "auto", "turkish", "french" };
	struct mem_buf text = { 0 };
	struct mem_err err;
	for (size_t l = 0; l < MEM_COUNT(languages); l++) {
		struct mem_analyser *kept, *fresh;
		assert_int_equal(mem_analyser_open(&kept, languages[l], &err), MEM_OK);
		for (int i = 0; i < 4000; i++) {
			const struct mem_term *k, *f;
			size_t nk, nf;
			draw_chunks(&text);
			assert_int_equal(mem_analyser_open(&fresh, languages[l], &err), MEM_OK);
			mem_analyse(kept, mem_buf_span(&text), &k, &nk);
			mem_analyse(fresh, mem_buf_span(&text), &f, &nf);
			bool same = nk == nf;
			for (size_t t = 0; same && t < nk; t++)
				same = mem_str_eq(k[t].text, f[t].text) && k[t].start == f[t].start && k[t].end == f[t].end && k[t].position == f[t].position &&
				    k[t].stop == f[t].stop && k[t].extra == f[t].extra && k[t].alternative == f[t].alternative;
			if (!same)
				fail_msg("%s: differs: '%s'", languages[l], text.data);
			mem_analyser_close(fresh);
		}
		mem_analyser_close(kept);
	}
	mem_buf_release(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_short),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_memory_of_stems),
		cmocka_unit_test(test_memory_of_chunks),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
