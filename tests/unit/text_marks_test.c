/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of texts and questions, and the list of words that they are read by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "text/marks_int.h"

extern const unsigned char mem_data_text_mark_words[];
extern const size_t mem_data_text_mark_words_len;

static struct mem_analyser *
open_auto(void)
{
	struct mem_analyser *a;
	assert_int_equal(mem_analyser_open(&a, "auto", NULL), MEM_OK);
	return a;
}

/* "q" has a question mark, "e" ends with one, "t" time word, "n" number word, then how many capitals. */
static void
check_marks(const char *text, const char *want)
{
	struct mem_analyser *a = open_auto();
	struct mem_str names[] = { MEM_STR("Caroline"), MEM_STR("Mel Byrne") };
	struct mem_text_marks m;
	mem_text_mark(&m, a, mem_str(text), names, MEM_COUNT(names), MEM_TIME_NONE);
	char is[8];
	snprintf(is, sizeof is, "%s%s%s%s%d", m.has_question ? "q" : "", m.ends_question ? "e" : "", m.time_word ? "t" : "",
	    m.number_word ? "n" : "", m.capitals);
	if (strcmp(is, want) != 0)
		print_message("%s\n", text);
	assert_string_equal(is, want);
	mem_analyser_close(a);
}

static void
test_question_marks(void **state)
{
	(void)state;
	check_marks("", "0");
	check_marks("How are you?", "qe0");
	check_marks("How are you? I am well.", "q0");
	check_marks("\"How are you?\" ", "qe0");
	check_marks("(really?)", "qe0");
	check_marks("What is this? [image: a photo of a dog]", "qe0");
	check_marks("this is it [image: why?]", "q0");
	check_marks("[image: why?]", "qe0");
	check_marks("see https://x.org/find?name=a for it", "0");
	check_marks("\xe5\x85\x83\xe6\xb0\x97\xef\xbc\x9f", "qe0");
	check_marks("\xd9\x83\xd9\x8a\xd9\x81\xd8\x9f", "qe0");
	check_marks("]", "0");
	check_marks("?", "qe0");
}

static void
test_words_of_time_and_number(void **state)
{
	(void)state;
	check_marks("I went there yesterday.", "t0");
	check_marks("we met two weeks ago", "tn0");
	check_marks("this morning it was cold", "t0");
	check_marks("this is the morning", "0");
	check_marks("we may go there", "0");
	check_marks("we go there in May", "t1");
	check_marks("it was the 5th of it", "tn0");
	check_marks("she has several of them", "n0");
	check_marks("he came at 3pm", "n0");
	check_marks("wir waren gestern dort", "t0");
	check_marks("wir sind am Morgen dort", "0");
	check_marks("wir sind morgen dort", "t0");
	check_marks("er kam letzte Woche mit drei Leuten", "tn0");
	check_marks("el lunes pasado fuimos con los dos a la casa", "tn0");
	check_marks("nous l'avons vu la semaine derni\xc3\xa8re avec une amie", "t0");
	check_marks("je suis all\xc3\xa9 au cin\xc3\xa9ma hier avec elle", "t0");
	/* Words of another language count for nothing, nor do any in a language without a list. */
	check_marks("the old man had a mars bar and a six pack of it", "n0");
	check_marks("il treno per la citt\xc3\xa0 \xc3\xa8 in ritardo, ma non troppo, last week", "0");
	check_marks("\xe6\x98\xa8\xe6\x97\xa5\xe3\x80\x81" "3 \xe4\xba\xba", "tn0");
}

static void
test_capitals(void **state)
{
	(void)state;
	check_marks("She went to Paris with Ann and Bob and Tom.", "3");
	check_marks("Paris is nice. Paris is old! London? Rome", "q0");
	check_marks("She saw Paris, then Paris again", "1");
	check_marks("I told Caroline and Byrne of it", "0");
	check_marks("that was Caroline's idea", "0");
	check_marks("Hey Ann, I and you", "0");
	check_marks("thanks, Ann, for it", "0");
	check_marks("That is cool, Ann! and so on", "0");
	check_marks("they like Paris, Rome.", "2");
	check_marks("they like Oslo, Rome and Bonn.", "3");
	check_marks("we know that \xc3\x89mile is here", "1");
	check_marks("die Frau hat den Hund und das Haus mit dem BMW von der GmbH", "2");
}

/* "w" when, "l" how long, "i" first person, "u" second person, "x" identifier, then the number of words. */
static void
check_question(const char *text, const char *want)
{
	struct mem_analyser *a = open_auto();
	struct mem_question_marks m;
	mem_question_mark(&m, a, mem_str(text));
	char is[16];
	snprintf(is, sizeof is, "%s%s%s%s%s%u", m.asks_when ? "w" : "", m.asks_how_long ? "l" : "", m.first_person ? "i" : "",
	    m.second_person ? "u" : "", m.identifier ? "x" : "", (unsigned)m.words);
	if (strcmp(is, want) != 0)
		print_message("%s\n", text);
	assert_string_equal(is, want);
	mem_analyser_close(a);
}

static void
test_questions(void **state)
{
	(void)state;
	check_question("", "0");
	check_question("When did she go?", "w4");
	check_question("what date was it", "w4");
	check_question("In which month did they meet?", "w6");
	check_question("what week was it", "4");
	check_question("how long did it take", "l5");
	check_question("how long ago was it", "wl5");
	check_question("what did I tell you about my cat", "iu8");
	check_question("I'm sure it's yours", "iu6");
	check_question("Wann war ich mit dir in Berlin?", "wiu7");
	check_question("In welchem Jahr war das?", "w5");
	check_question("Wie lange hat es gedauert und war es gut?", "l9");
	check_question("\xc2\xbf" "Cu\xc3\xa1ndo fui yo a la playa con mi hermano?", "wi9");
	check_question("\xc2\xbfHace cu\xc3\xa1nto tiempo que lo compr\xc3\xb3 de ella?", "wl8");
	check_question("Quand est-ce que tu es all\xc3\xa9 \xc3\xa0 la plage avec moi ?", "wiu12");
	check_question("Il y a combien de temps que nous sommes dans la maison ?", "wl12");
	check_question("Combien de temps est-ce qu'il a pour le faire ?", "l11");
	check_question("\xe6\x9e\x97\xe5\xa8\x9c\xe6\x90\xac\xe5\x88\xb0\xe5\x93\xaa\xe4\xb8\xaa\xe5\x9f\x8e\xe5\xb8\x82\xe4\xba\x86\xef\xbc\x9f", "5"); /* nine Han characters */
}

static void
test_identifiers(void **state)
{
	(void)state;
	static const char *const are[] = {
		"error E1234 in the log", "sha256 of it", "fix 3f2a9bc now", "src/main.c", "look at /etc/passwd", "a\\b", "notes.md",
		"version 1.2.3", "10.0.0.1", "snake_case", "std::sort", "ann@example.org", "https://x.org", "getUserName of it",
		"issue #123", "~/notes", "key=value", "v2 of it",
	};
	static const char *const are_not[] = {
		"what did she say", "on the 5th of May", "at 3pm or 10am", "a 5K run", "in the 90s", "it costs 3.14 of them", "2024-03-05",
		"05.03.2024", "e.g. this", "the U.S. and us", "end.Next one", "and/or", "iPhone or eBay", "YouTube", "10:30", "1/2",
		"C++", "well-known", "1,500 of them", "yes. no", "1er mai",
	};
	struct mem_analyser *a = open_auto();
	struct mem_question_marks m;
	for (size_t i = 0; i < MEM_COUNT(are) + MEM_COUNT(are_not); i++) {
		bool want = i < MEM_COUNT(are);
		const char *text = want ? are[i] : are_not[i - MEM_COUNT(are)];
		mem_question_mark(&m, a, mem_str(text));
		if (m.identifier != want)
			print_message("%s\n", text);
		assert_int_equal(m.identifier, want);
	}
	mem_analyser_close(a);
}

/* The language is the text's own, whatever terms are made by; that decides where the text does not. */
static void
test_language(void **state)
{
	(void)state;
	static const struct { const char *language, *text; bool time; } cases[] = {
		{ "english", "das war gestern", true }, { "german", "it was yesterday", true }, { "none", "it was yesterday", true },
		{ "english", "once", true }, { "spanish", "once", false }, { "russian", "once", true },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_analyser *a;
		struct mem_text_marks m;
		assert_int_equal(mem_analyser_open(&a, cases[i].language, NULL), MEM_OK);
		mem_text_mark(&m, a, mem_str(cases[i].text), NULL, 0, MEM_TIME_NONE);
		assert_int_equal(i < 3 ? m.time_word : m.number_word, cases[i].time);
		mem_analyser_close(a);
	}
}

/* Each line is found by its word, so they are sorted, and every class is known. */
static void
test_list(void **state)
{
	(void)state;
	struct mem_str all = { (const char *)mem_data_text_mark_words, mem_data_text_mark_words_len };
	size_t lines = 0;
	for (size_t at = 0, next; at < all.n; at = next) {
		const char *p = all.p + at, *end = memchr(p, '\n', all.n - at), *blank = memchr(p, ' ', all.n - at);
		next = (size_t)(end - all.p) + 1;
		if (*p == '#')
			continue;
		struct mem_str word = { p, (size_t)(blank - p) };
		struct mem_buf folded = { 0 };
		mem_text_fold(&folded, word);
		assert_true(mem_str_eq(mem_buf_span(&folded), word));
		uint16_t classes[TEXT_MARK_LANGS], big[TEXT_MARK_LANGS];
		text_find_mark_word(word, word, classes);
		text_find_mark_word(word, MEM_STR("A"), big);
		unsigned there = 0, listed = 0;
		for (size_t i = 0; i < TEXT_MARK_LANGS; i++)
			there += (classes[i] | big[i]) != 0;
		for (const char *c = blank; c < end; c++)
			listed += *c == ':';
		if (there != listed)
			print_message("%.*s\n", (int)word.n, word.p);
		assert_int_equal(there, listed);
		mem_buf_release(&folded);
		lines++;
	}
	assert_true(lines > 400);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_question_marks),
		cmocka_unit_test(test_words_of_time_and_number),
		cmocka_unit_test(test_capitals),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_identifiers),
		cmocka_unit_test(test_language),
		cmocka_unit_test(test_list),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
