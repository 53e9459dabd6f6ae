/* SPDX-License-Identifier: Apache-2.0 */
/* Folding, terms and languages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "text/text_int.h"

/* "term" each, "+" behind an extra one, "!" behind a stop word, "~" behind an alternative. */
static void
show(struct mem_buf *out, const struct mem_term *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			mem_buf_putc(out, ' ');
		mem_buf_str(out, t[i].text);
		mem_buf_puts(out, t[i].alternative ? "~" : t[i].extra ? "+" : "");
		mem_buf_puts(out, t[i].stop ? "!" : "");
	}
	mem_buf_puts(out, "");
}

static struct mem_analyser *
opened(const char *language)
{
	struct mem_analyser *a;
	struct mem_err err;
	assert_int_equal(mem_analyser_open(&a, language, &err), MEM_OK);
	return a;
}

static void
expect(const char *language, const char *text, const char *terms)
{
	struct mem_analyser *a = opened(language);
	const struct mem_term *t;
	size_t n;
	struct mem_buf b = { 0 };
	mem_buf_reserve(&b, 1);
	mem_analyse(a, mem_str(text), &t, &n);
	show(&b, t, n);
	assert_string_equal(b.data, terms);
	mem_buf_release(&b);
	mem_analyser_close(a);
}

static void
test_words(void **state)
{
	(void)state;
	expect("english", "", "");
	expect("english", " \t\n", "");
	expect("english", "... -- _ __ ?!", "");
	expect("english", "Caroline's kids don't run", "carolin kid don't! run");
	expect("english", "the end.Next", "the! end.next+ end next");
	expect("english", "Hello,world (again)", "hello world again!");
	expect("english", "one\xc2\xa0two\xe3\x80\x80three", "one two three");
	expect("english", "it\xe2\x80\x99s o\xe2\x80\x99""clock", "it! oclock");
	expect("none", "Running the Kids", "running the kids");
}

static void
test_identifiers(void **state)
{
	(void)state;
	expect("english", "fooBar_baz", "foobar_baz+ foobar+ foo bar baz");
	expect("english", "a/b/c.py", "a/b/c.py+ a b c py");
	expect("english", "v1.2.3", "1.2.3+ 1 2 3");
	expect("english", "ERR_CONN", "err_conn+ err conn");
	expect("english", "__init__", "init");
	expect("english", "joe.doe@example.com", "joe.doe@example.com+ joe doe exampl com");
	expect("english", "https://x.org/a/", "https x.org/a+ x org a");
	expect("english", "/usr/bin/env", "usr/bin/env+ usr bin env");
	expect("english", "follow-up -- up", "followup+ follow up up!");
	expect("english", "Wi-Fi wifi WiFi", "wifi+ wi fi wifi wifi+ wi fi");
	expect("english", "T-shirts A-4 x-y_z", "tshirt+ t shirt a-4+ a 4 x-y_z+ x y z");
	expect("english", "O'Brien D\xe2\x80\x99""Angelo's don't we'll", "obrien d'angelo don't! we'll!");
	expect("french", "l'arbre", "l! arbre");
	expect("turkish", "Ankara'daki", "ankara'");
	expect("english", "3f2a9bc04d 3F2A9BC 12345678 3f2a9bc0-11", "3f2a9bc+ 3f2a9bc04d 3f2a9bc 12345678 3f2a9bc0-11+ 3f2a9bc+ 3f2a9bc0 11");
	expect("english", "std::sort a::::b", "std::sort+ std sort a! b");
	expect("english", "1,500.25 10:30", "1,500.25+ 1 500 25 10:30+ 10 30");
	expect("english", "HTTPServer sha256Sum", "httpserver+ http server sha256sum+ sha256 sum");
	expect("english", "URLs IDs APIs", "url id api");
	expect("english", "AngularJS angularjs", "angularj+ angular js angularj");
	expect("english", "U.S.A. USA e.g.", "u.s.a+ usa usa e.g+ eg");
	expect("english", "C++ c# C++17 C#x", "c+++ c c#+ c c+++ c 17 c#x+ c x");
	expect("english", "R&D x=1", "r&d+ r d x=1+ x 1");
	expect("english", "\xc3\x9c""berGro\xc3\x9f", "ubergross+ uber gross");
}

static void
test_bounds(void **state)
{
	(void)state;
	struct mem_analyser *a = opened("english");
	const struct mem_term *t;
	size_t n;
	static char text[100000];
	memset(text, 'z', sizeof text);
	mem_analyse(a, (struct mem_str){ text, sizeof text }, &t, &n);
	assert_int_equal(n, 1);
	assert_int_equal(t[0].text.n, MEM_WORD_MAX);
	for (size_t i = 1; i < sizeof text; i += 2)
		text[i] = 'Z';
	mem_analyse(a, (struct mem_str){ text, sizeof text }, &t, &n);
	assert_int_equal(n, 1); /* too many parts to be a name */
	for (size_t i = 1; i < sizeof text; i += 2)
		text[i] = '/';
	mem_analyse(a, (struct mem_str){ text, sizeof text }, &t, &n);
	assert_int_equal(n, 1 + sizeof text / 2);
	assert_true(t[0].extra);
	assert_int_equal(t[0].text.n, MEM_WHOLE_MAX);
	/* Cut between characters: 3 bytes each. */
	for (size_t i = 0; i + 3 <= sizeof text; i += 3)
		memcpy(text + i, "\xe1\xba\xa1", 3);
	mem_analyse(a, (struct mem_str){ text, sizeof text / 3 * 3 }, &t, &n);
	assert_int_equal(n, 1);
	assert_int_equal(t[0].end - t[0].start, MEM_WORD_MAX / 3 * 3);
	mem_analyser_close(a);
}

/* However many words were read before. */
static void
test_many_words(void **state)
{
	struct mem_analyser *a = opened("english");
	struct mem_buf b = { 0 };
	const struct mem_term *t;
	size_t n;
	(void)state;
	for (int i = 0; i < 26 * 26 * 26; i++) {
		char word[32];
		snprintf(word, sizeof word, "running the waqs%c%c%cocks", 'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676);
		mem_analyse(a, mem_str(word), &t, &n);
		mem_buf_reset(&b);
		show(&b, t, n);
		word[strlen(word) - 1] = '\0';
		assert_string_equal(b.data + strlen("run the! "), word + strlen("running the "));
		assert_int_equal(strncmp(b.data, "run the! ", 9), 0);
	}
	mem_buf_release(&b);
	mem_analyser_close(a);
}

static void
test_runs(void **state)
{
	(void)state;
	expect("english", "東京都", "東京 京都");
	expect("english", "東 京", "東 京");
	expect("english", "日本語のテスト。はい", "日本 本語 語の のテ テス スト はい");
	expect("english", "iPhone手机2台", "iphon+ i phone 手机 2 台");
	expect("english", "API를 안녕하세요", "api 를 안녕 녕하 하세 세요");
	/* Half-width and decomposed forms meet the usual ones. */
	expect("english", "ｶﾞｷﾞ か\xe3\x82\x99き", "ガギ がき");
	expect("english", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab\xe1\x84\x80\xe1\x85\xb3\xe1\x86\xaf", "한글");
	expect("english", "ครับ", "ครั รับ");
	/* One Han character between others is a word. */
	expect("english", "猫の薬", "猫+ 猫の 薬+ の薬");
	expect("english", "犬と猫が", "犬+ 犬と と猫 猫+ 猫が");
	expect("english", "猫、お茶", "猫 茶+ お茶");
}

static void
test_folding(void **state)
{
	(void)state;
	expect("english", "r\xc3\xa9sum\xc3\xa9s resume\xcc\x81s resumes", "resum resum resum");
	expect("english", "ＡＢＣ ﬁne na\xc2\xadïve", "abc fine naiv");
	expect("german", "Häuser HÄUSER Hauser", "haus haus haus");
	expect("german", "Straße STRASSE Strasse", "strass strass strass");
	expect("german", "über", "uber!");
	expect("swedish", "får far", "far far");
	expect("danish", "smørrebrød", "smorrebrod");
	expect("turkish", "ISPARTA ısparta İstanbul istanbul", "ispar ispar istanbul istanbul");
	expect("greek", "ΛΌΓΟΣ λόγος", "λογ λογ");
	expect("russian", "Ёлка елка", "елк елк");
	expect("arabic", "كِتَابٌ كتاب", "كتاب كتاب");
	expect("none", "किताब", "किताब");
	expect("none", "łódź ŁÓDŹ", "lodz lodz");
	expect("english", "\xe2\x80\x8d\xc2\xad", "");
}

static void
test_irregular_forms(void **state)
{
	(void)state;
	expect("english", "Went gone goes mice MOUSE children's child", "go go goe mous mous child child");
	expect("english", "bought a womanly women's wolves' leaves", "buy a! woman woman wolf leav");
	expect("english", "was had did ran_away", "was! had! did! ran_away+ run away");
	expect("porter", "taught", "teach");
	expect("none", "went", "went");
	expect("german", "went men", "went men");
	expect("auto", "the men went and der Mann", "the! man go and! der mann");
	/* Sorted, else some are not found: each has another stem than it would have by itself. */
	static const char *const forms[] = { "arose", "bred", "children", "fought", "men", "people", "stood", "written", "wrote", "wives" };
	for (size_t i = 0; i < MEM_COUNT(forms); i++)
		assert_false(mem_str_is(text_find_base(TEXT_LANG_ENGLISH, mem_str(forms[i])), forms[i]));
	assert_true(mem_str_is(text_find_base(TEXT_LANG_ENGLISH, MEM_STR("")), ""));
}

/* "d8 m5 y2023" with the texts of the parts behind = */
static void
expect_dates(const char *language, const char *text, const char *want)
{
	struct mem_analyser *a = opened(language);
	struct mem_date_part parts[4];
	struct mem_buf b = { 0 };
	mem_buf_reserve(&b, 1);
	size_t n = mem_text_date_parts(a, mem_str(text), parts, MEM_COUNT(parts));
	for (size_t i = 0; i < n; i++)
		mem_buf_printf(&b, "%s%c%d=%.*s", i > 0 ? " " : "", "dmy"[parts[i].kind], parts[i].value, (int)(parts[i].end - parts[i].start),
		    text + parts[i].start);
	mem_buf_puts(&b, "");
	assert_string_equal(b.data, want);
	mem_buf_release(&b);
	mem_analyser_close(a);
}

static void
test_date_parts(void **state)
{
	(void)state;
	expect_dates("english", "on 8 May 2023?", "m5=May d8=8 y2023=2023");
	expect_dates("english", "May 8th, 2023", "m5=May d8=8th y2023=2023");
	expect_dates("english", "the 21st of March", "m3=March d21=21st");
	expect_dates("english", "she may go; may 2023; 8 may", "m5=may y2023=2023 m5=may d8=8");
	expect_dates("english", "2023-05-08, 2023-11; 2023-13", "y2023=2023 m5=05 d8=08 y2023=2023");
	expect_dates("english", "8 dogs of 1850, 32 March", "m3=March");
	expect_dates("german", "am 8. M\xc3\xa4rz", "m3=M\xc3\xa4rz d8=8");
	expect_dates("spanish", "el 8 de mayo de 2023", "m5=mayo d8=8 y2023=2023");
	expect_dates("french", "8 ao\xc3\xbbt", "m8=ao\xc3\xbbt d8=8");
	expect_dates("italian", "8 maggio 2023", "y2023=2023");
	expect_dates("english", "1991 1992 1993 1994 1995", "y1991=1991 y1992=1992 y1993=1993 y1994=1994");
	expect_dates("english", "", "");
	struct mem_date_part parts[MEM_DATE_PARTS];
	int64_t at;
	assert_true(mem_time_parse(MEM_STR("2023-12-31T23:59:59.999Z"), &at));
	assert_int_equal(mem_date_parts_of(at, parts), 3);
	assert_true(parts[0].value == 31 && parts[1].value == 12 && parts[2].value == 2023);
	mem_date_parts_of(at + 1, parts);
	assert_true(parts[0].value == 1 && parts[1].value == 1 && parts[2].value == 2024);
}

static void
expect_foreign(const char *text, bool foreign)
{
	static const char *const langs[] = { "english", "auto", "none" };
	for (size_t i = 0; i < MEM_COUNT(langs); i++) {
		struct mem_analyser *a = opened(langs[i]);
		const struct mem_term *t;
		size_t n;
		struct mem_letters letters = { 0 };
		mem_analyse(a, mem_str(text), &t, &n);
		mem_letters_count(&letters, t, n);
		if (mem_letters_are_foreign(&letters) != foreign)
			fail_msg("%s: '%s' has %d letters of Latin script and %d others", langs[i], text, (int)letters.latin, (int)letters.other);
		mem_analyser_close(a);
	}
}

static void
test_letters(void **state)
{
	(void)state;
	static const char *const latin[] = { "", "123 !?", "Where is the cat?", "Die Kühlschränke in Łódź", "x = y ? z : (a & b);", "9f86d081 v1.2.3 ERR_CONN",
		"Tôi đã đi chợ", "We met Ольга in the old town", "the wifi at 上海 is slow today", "\xf0\x9f\x98\x80 ok" };
	static const char *const other[] = { "车", "林娜搬到哪个城市了？", "昨日は雨でした", "Где спит кошка?", "أين القطة؟", "मुझे आम पसंद है", "어제 서울에 갔어요",
		"Χθες πήγα", "เมื่อวานฉันไปตลาด", "אתמול הלכתי", "我用 Python 写了一个解析器", "Сервер backup7 стоит в подвале" };
	for (size_t i = 0; i < MEM_COUNT(latin); i++)
		expect_foreign(latin[i], false);
	for (size_t i = 0; i < MEM_COUNT(other); i++)
		expect_foreign(other[i], true);
}

static void
test_elision(void **state)
{
	(void)state;
	expect("french", "l'arbre d\xe2\x80\x99\xc3\xa9t\xc3\xa9", "l! arbre d! ete!");
	expect("italian", "dell'acqua", "dell! acqua");
	expect("catalan", "col\xc2\xb7lega", "colleg");
	expect("english", "l'arbre", "larbr");
}

static void
test_auto(void **state)
{
	(void)state;
	expect("auto", "The running dogs", "the! run dog");
	expect("auto", "Die Häuser sind alt und die Bücher auch", "die! haus sind! alt und! die! buch auch!");
	expect("auto", "книгами running λόγος", "книг run λογ");
	expect("auto", "l'arbre est dans le jardin", "l! arbre est! dan! le! jardin");
	struct mem_analyser *a = opened("auto");
	const struct mem_term *t;
	size_t n;
	struct mem_buf b = { 0 };
	mem_analyse_query(a, MEM_STR("Häuser"), &t, &n);
	show(&b, t, n);
	assert_string_equal(b.data, "hauser haus~");
	assert_int_equal(t[1].position, 0);
	mem_buf_release(&b);
	mem_analyser_close(a);
}

static void
test_positions(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint32_t start, end, position;
		bool extra;
	} want[] = {
		{ "foobar_baz", 2, 12, 1, true }, { "foobar", 2, 8, 1, true },
		{ "foo", 2, 5, 1, false }, { "bar", 5, 8, 2, false }, { "baz", 9, 12, 3, false },
		{ "東京", 13, 19, 4, false }, { "京都", 16, 22, 5, false }, { "c++", 23, 26, 6, true },
		{ "c", 23, 24, 6, false },
	};
	struct mem_analyser *a = opened("english");
	const struct mem_term *t;
	size_t n;
	mem_analyse(a, MEM_STR("x fooBar_baz 東京都 C++"), &t, &n);
	assert_int_equal(n, MEM_COUNT(want) + 1);
	for (size_t i = 0; i < MEM_COUNT(want); i++) {
		assert_true(mem_str_is(t[i + 1].text, want[i].text));
		assert_int_equal(t[i + 1].start, want[i].start);
		assert_int_equal(t[i + 1].end, want[i].end);
		assert_int_equal(t[i + 1].position, want[i].position);
		assert_int_equal(t[i + 1].extra, want[i].extra);
	}
	mem_analyser_close(a);
}

static void
expect_query_stops(const char *language, const char *text, const char *want)
{
	struct mem_analyser *a = opened(language);
	struct mem_buf is = { 0 };
	const struct mem_term *t;
	size_t n;
	mem_analyse_query(a, mem_str(text), &t, &n);
	for (size_t i = 0; i < n; i++)
		if (t[i].stop && !t[i].extra) {
			mem_buf_str(&is, t[i].text);
			mem_buf_putc(&is, ' ');
		}
	mem_buf_putc(&is, '\0');
	assert_string_equal(is.data, want);
	mem_buf_release(&is);
	mem_analyser_close(a);
}

/* A question in another language than the terms are made by. */
static void
test_stops_of_questions(void **state)
{
	(void)state;
	expect_query_stops("english", "Where is the key to our house?", "where is the to our ");
	expect_query_stops("english", "Wo ist der Schl\xc3\xbcssel zum Haus?", "wo ist der zum ");
	expect_query_stops("english", "\xc2\xbf" "D\xc3\xb3nde est\xc3\xa1 la llave de la casa?", "dond esta la de la ");
	expect_query_stops("german", "Where is the key to our house?", "wher is the to our ");
	/* As many of each: the store's. */
	expect_query_stops("english", "the man in a war of men", "the in a of ");
	expect_query_stops("english", "dog, big dog, cat", "");
	expect_query_stops("english", "man war dog", "");
	expect_query_stops("none", "Wo ist der Schl\xc3\xbcssel zum Haus?", "");
}

static void
test_open(void **state)
{
	(void)state;
	struct mem_analyser *a, *b;
	struct mem_err err;
	assert_int_equal(mem_analyser_open(&a, "klingon", &err), MEM_USAGE);
	assert_null(a);
	for (int i = 0; i < TEXT_LANG_COUNT; i++) {
		const struct mem_term *t;
		size_t n;
		a = opened(text_languages[i].name);
		mem_analyse(a, MEM_STR("word Wörter слова λόγος كتاب"), &t, &n);
		assert_int_equal(n, 5);
		mem_analyser_close(a);
	}
	a = opened("english");
	b = opened("german");
	assert_int_not_equal(mem_analyser_hash(a), mem_analyser_hash(b));
	mem_analyser_close(b);
	b = opened("english");
	assert_int_equal(mem_analyser_hash(a), mem_analyser_hash(b));
	mem_analyser_close(a);
	mem_analyser_close(b);
	mem_analyser_close(NULL);
}

/* A list entry that is not as rule 7 compares it would never be found. */
static void
test_stop_lists(void **state)
{
	(void)state;
	for (int i = 0; i < TEXT_LANG_COUNT; i++) {
		const char *list = text_languages[i].stops;
		if (list == NULL)
			continue;
		assert_int_equal(list[0], ' ');
		assert_int_equal(list[strlen(list) - 1], ' ');
		for (const char *p = list + 1, *end; *p != '\0'; p = end + 1) {
			end = strchr(p, ' ');
			struct mem_str w = { p, (size_t)(end - p) };
			struct mem_buf folded = { 0 };
			mem_text_fold(&folded, w);
			if (!mem_str_eq(mem_buf_span(&folded), w) || !text_is_stop_word((enum text_lang)i, w))
				fail_msg("%s: '%.*s'", text_languages[i].name, (int)w.n, w.p);
			mem_buf_release(&folded);
		}
	}
	assert_true(text_is_stop_word(TEXT_LANG_ENGLISH, MEM_STR("what's")));
	assert_false(text_is_stop_word(TEXT_LANG_ENGLISH, MEM_STR("the a")));
	assert_false(text_is_stop_word(TEXT_LANG_ENGLISH, MEM_STR("")));
}

/* A change of the rules must come with another RULES number, and then another digest here. */
static void
test_rules_number(void **state)
{
	(void)state;
	static const char *const langs[] = { "english", "german", "french", "russian", "auto", "none" };
	struct mem_buf b = { 0 };
	for (size_t i = 0; i < MEM_COUNT(langs); i++) {
		struct mem_analyser *a = opened(langs[i]);
		const struct mem_term *t;
		size_t n;
		mem_analyse(a, MEM_STR("The résumés of fooBar_baz at https://x.org/a?b=C#d cost $1,500: l'été, "
		    "Häuser, книгами; v1.2.3 東京都 U.S.A. C++ HTTPServer went; 2 mice"), &t, &n);
		show(&b, t, n);
		mem_analyser_close(a);
	}
	assert_int_equal(mem_hash_fast(b.data, b.len), 0xfbb9e20e5ec5aff4u);
	mem_buf_release(&b);
}

static void
test_likeness(void **state)
{
	(void)state;
	/* " ab" "abc" "bc " of one, " ab" "abd" "bd " of the other. */
	assert_true(mem_text_likeness(MEM_STR("abc"), MEM_STR("abd")) == 2. / 6);
	assert_true(mem_text_likeness(MEM_STR("Tea at four!"), MEM_STR("tea, at FOUR")) == 1);
	assert_true(mem_text_likeness(MEM_STR("tea"), MEM_STR("milk")) == 0);
	assert_true(mem_text_likeness(MEM_STR("\xd8\xb4\xd8\xa7\xd9\x8a"), MEM_STR("\xd8\xb4\xd8\xa7\xd9\x8a")) == 1);
	assert_true(mem_text_likeness(MEM_STR(""), MEM_STR("")) == 1);
	assert_true(mem_text_likeness(MEM_STR("!"), MEM_STR("?")) == 0);
	assert_true(mem_text_likeness(MEM_STR("a"), MEM_STR("")) == 0);
	/* Of long ones the beginnings. */
	struct mem_buf a = { 0 }, b = { 0 };
	for (int i = 0; i < 100000; i++) {
		mem_buf_printf(&a, "w%d ", i);
		mem_buf_printf(&b, "w%d ", i);
	}
	mem_buf_puts(&b, "another end");
	assert_true(mem_text_likeness(mem_buf_span(&a), mem_buf_span(&b)) == 1);
	mem_buf_release(&a);
	mem_buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_identifiers),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_many_words),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_folding),
		cmocka_unit_test(test_irregular_forms),
		cmocka_unit_test(test_date_parts),
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_elision),
		cmocka_unit_test(test_auto),
		cmocka_unit_test(test_positions),
		cmocka_unit_test(test_stops_of_questions),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_stop_lists),
		cmocka_unit_test(test_rules_number),
		cmocka_unit_test(test_likeness),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
