/* SPDX-License-Identifier: Apache-2.0 */
/* Dates: the days that texts mean, those that questions ask for, and how well they fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "text/dates.h"
#include "text/marks.h"

static struct mem_analyser *analyser;

static int
open_analyser(void **state)
{
	(void)state;
	return mem_analyser_open(&analyser, "auto", NULL) == MEM_OK ? 0 : -1;
}

static int
close_analyser(void **state)
{
	(void)state;
	mem_analyser_close(analyser);
	return 0;
}

static int64_t
read_time(const char *s)
{
	int64_t ms;
	assert_true(mem_time_parse_user(mem_str(s), 0, &ms));
	return ms;
}

static void
put_day(struct mem_buf *b, int32_t days)
{
	int year, month, day;
	mem_date_from_days(days, &year, &month, &day);
	mem_buf_printf(b, "%d-%02d-%02d", year, month, day);
}

static void
put_span(struct mem_buf *b, struct mem_day_span s)
{
	put_day(b, s.first);
	if (s.last != s.first) {
		mem_buf_puts(b, "..");
		put_day(b, s.last);
	}
}

static void
compare_shown(struct mem_buf *is, const char *want, const char *text)
{
	mem_buf_putc(is, '\0');
	if (strcmp(is->data, want) != 0)
		print_message("%s\n", text);
	assert_string_equal(is->data, want);
	mem_buf_release(is);
}

/* The spans of a text said on Wednesday, 13 November 2024. */
static void
check_days(const char *text, const char *want)
{
	struct mem_text_marks m;
	struct mem_buf is = { 0 };
	mem_text_mark(&m, analyser, mem_str(text), NULL, 0, read_time("2024-11-13"));
	for (size_t i = 0; i < MEM_TEXT_DAYS && m.days[i].first <= m.days[i].last; i++) {
		if (i > 0)
			mem_buf_putc(&is, ' ');
		put_span(&is, m.days[i]);
	}
	compare_shown(&is, want, text);
}

static void
test_texts(void **state)
{
	(void)state;
	check_days("", "");
	check_days("we went there and it was nice", "");
	check_days("I saw her yesterday", "2024-11-12");
	check_days("we met the day before yesterday", "2024-11-11");
	check_days("last night it rained", "2024-11-12");
	check_days("today and tomorrow", "2024-11-13 2024-11-14");
	check_days("three days ago", "2024-11-10");
	check_days("a couple of weeks ago", "2024-10-27..2024-11-02");
	check_days("two months ago we went", "2024-08-30..2024-09-29");
	check_days("10 years ago", "2014-05-18..2015-05-13");
	check_days("last week was good", "2024-11-03..2024-11-09");
	check_days("next month we will", "2024-11-28..2024-12-28");
	check_days("this year", "2024-05-17..2025-05-12");
	check_days("last weekend", "2024-11-09..2024-11-10");
	check_days("last Friday", "2024-11-08");
	check_days("next Wednesday", "2024-11-20");
	check_days("this Friday", "2024-11-15");
	check_days("this morning", "2024-11-13");
	check_days("it was on 2024-03-05, not 2024-03-06T10:00:00Z", "2024-03-05 2024-03-06");
	check_days("on May 5 we met", "2024-05-05");
	check_days("on the 3rd of January", "2025-01-03");
	check_days("back in March 2021", "2021-03-01..2021-03-31");
	check_days("it was in March", "");
	check_days("yesterday, yesterday and yesterday", "2024-11-12");
	check_days("yesterday, today, tomorrow, last week", "2024-11-12 2024-11-13 2024-11-14");
	check_days("the last thing. Week after week", "");
	check_days("wir waren gestern und vorgestern da", "2024-11-12 2024-11-11");
	check_days("das war vor zwei Wochen und nicht letzte Woche", "2024-10-27..2024-11-02 2024-11-03..2024-11-09");
	check_days("heute Morgen war ich dort, morgen nicht", "2024-11-13 2024-11-14");
	check_days("am 5. M\xc3\xa4rz 2024 war das so", "2024-03-05");
	check_days("fuimos ayer y anteayer a la playa", "2024-11-12 2024-11-11");
	check_days("la semana pasada y hace dos d\xc3\xad" "as", "2024-11-03..2024-11-09 2024-11-11");
	check_days("el lunes pasado por la ma\xc3\xb1" "ana, y pasado ma\xc3\xb1" "ana", "2024-11-11 2024-11-15");
	check_days("el fin de semana pasado y la semana que viene", "2024-11-09..2024-11-10 2024-11-17..2024-11-23");
	check_days("hier et avant-hier nous avons vu le film", "2024-11-12 2024-11-11");
	check_days("il y a trois semaines, et lundi prochain avec elle", "2024-10-20..2024-10-26 2024-11-18");
	check_days("il a deux ans et elle est ici", "");
}

static void
put_date(struct mem_buf *b, const struct mem_named_date *d)
{
	if (d->year == 0 && d->months == 0)
		put_span(b, d->span);
	else
		mem_buf_printf(b, "%d/%d/%d", d->year, d->month, d->day);
	if (d->months > 1)
		mem_buf_printf(b, "+%d", d->months - 1);
	if (d->near)
		mem_buf_putc(b, '~');
}

/* The dates of a question asked on Wednesday, 13 November 2024. */
static void
check_dates(const char *text, const char *want)
{
	struct mem_question_dates q;
	struct mem_buf is = { 0 };
	mem_question_dates_read(&q, analyser, mem_str(text), read_time("2024-11-13T15:00:00Z"));
	for (size_t i = 0; i < q.n; i++) {
		if (i > 0)
			mem_buf_putc(&is, ' ');
		put_date(&is, &q.v[i]);
	}
	compare_shown(&is, want, text);
}

static void
test_dates_by_parts(void **state)
{
	(void)state;
	check_dates("", "");
	check_dates("what did she say to me", "");
	check_dates("What happened on 5 May 2023?", "2023/5/5");
	check_dates("on May 5th, 2023", "2023/5/5");
	check_dates("on the 31st of August", "0/8/31");
	check_dates("in March 2024", "2024/3/0");
	check_dates("march 2024", "2024/3/0");
	check_dates("in march", "0/3/0");
	check_dates("we march on", "");
	check_dates("what may 2024 bring", "2024/0/0");
	check_dates("May I go there?", "");
	check_dates("what did May say", "0/5/0");
	check_dates("on 2024-03-05", "2024/3/5");
	check_dates("in 2024-03", "2024/3/0");
	check_dates("2024-03-05T10:00:00Z", "2024/3/5");
	check_dates("on 2024/03/05", "2024/3/5");
	check_dates("in 2024", "2024/0/0");
	check_dates("between March and May 2023", "0/3/0 2023/5/0");
	check_dates("on 25/12/2023", "2023/12/25");
	check_dates("on 3/4/2023", "2023/4/3 2023/3/4");
	check_dates("autumn 2024", "2024-09-01..2024-11-30");
	check_dates("in the fall of 2023", "2023-09-01..2023-11-30");
	check_dates("in winter 2023", "2023-12-01..2024-02-29 2023/1/0+1");
	check_dates("in summer", "0/6/0+2");
	check_dates("in the fall", "0/9/0+2");
	check_dates("plans for the summer", "");
	check_dates("why did he fall", "");
	check_dates("port 1.2024.3 or 3:2024 or $2024", "");
	check_dates("am 5. M\xc3\xa4rz 2024", "2024/3/5");
	check_dates("M\xc3\xa4rz 2024", "2024/3/0");
	check_dates("Was war am 05.03.2024?", "2024/3/5");
	check_dates("im Herbst 2023", "2023-09-01..2023-11-30");
	check_dates("el 5 de marzo de 2024", "2024/3/5");
	check_dates("\xc2\xbfqu\xc3\xa9 hice en oto\xc3\xb1o de 2023?", "2023-09-01..2023-11-30");
	check_dates("el 3/4/2023 con la familia", "2023/4/3");
	check_dates("le 1er mars 2024", "2024/3/1");
	check_dates("en ao\xc3\xbbt 2024", "2024/8/0");
	check_dates("au printemps 2022", "2022-03-01..2022-05-31");
}

static void
test_dates_seen_from_now(void **state)
{
	(void)state;
	check_dates("what did I do yesterday", "2024-11-12~");
	check_dates("last week", "2024-11-04..2024-11-10~");
	check_dates("this month", "2024-11-01..2024-11-30");
	check_dates("last month", "2024-10-01..2024-10-31");
	check_dates("last year", "2023-01-01..2023-12-31");
	check_dates("last weekend", "2024-11-09..2024-11-10~");
	check_dates("last Friday", "2024-11-08~");
	check_dates("last March", "2024-03-01..2024-03-31");
	check_dates("last november", "2023-11-01..2023-11-30");
	check_dates("last December", "2023-12-01..2023-12-31");
	check_dates("next January", "2025-01-01..2025-01-31");
	check_dates("last autumn", "2023-09-01..2023-11-30");
	check_dates("last summer", "2024-06-01..2024-08-31");
	check_dates("this summer", "2024-06-01..2024-08-31");
	check_dates("last winter", "2023-12-01..2024-02-29");
	check_dates("next spring", "2025-03-01..2025-05-31");
	check_dates("two weeks ago", "2024-10-27..2024-11-02~");
	check_dates("in the last two weeks", "2024-10-27..2024-11-13");
	check_dates("a month ago", "2024-09-29..2024-10-29");
	check_dates("in den letzten drei Tagen", "2024-11-10..2024-11-13~");
	check_dates("Was habe ich letzten Monat gesagt?", "2024-10-01..2024-10-31");
	check_dates("letzten M\xc3\xa4rz", "2024-03-01..2024-03-31");
	check_dates("vor drei Tagen", "2024-11-10~");
	check_dates("\xc2\xbfqu\xc3\xa9 dije el mes pasado?", "2024-10-01..2024-10-31");
	check_dates("las dos \xc3\xbaltimas semanas", "2024-10-27..2024-11-13");
	check_dates("hace tres d\xc3\xad" "as", "2024-11-10~");
	check_dates("marzo pasado en la oficina", "2024-03-01..2024-03-31");
	check_dates("la semaine derni\xc3\xa8re", "2024-11-04..2024-11-10~");
	check_dates("qu'ai-je dit en mars dernier ?", "2024-03-01..2024-03-31");
	check_dates("il y a trois jours", "2024-11-10~");
}

static void
check_match(const char *question, const char *said, const char *text, double want)
{
	struct mem_question_dates q;
	struct mem_text_marks m;
	mem_question_dates_read(&q, analyser, mem_str(question), read_time("2024-11-13"));
	mem_text_mark(&m, analyser, mem_str(text), NULL, 0, read_time(said));
	double is = mem_day_match(&q, read_time(said), m.days, MEM_TEXT_DAYS);
	if (is < want - 1e-9 || is > want + 1e-9)
		fail_msg("%s: %s on %s: %g, not %g", question, text, said, is, want);
}

/* The first and the last years that a record may have. */
static void
test_edges(void **state)
{
	(void)state;
	static const char *const ends[] = { "0000-01-01", "0001-03-01", "9999-12-31" };
	for (size_t i = 0; i < MEM_COUNT(ends); i++) {
		check_match("on 5 May or in winter", ends[i], "we met on May 9, last month, last winter, ten years ago", 1);
		check_match("in March", ends[i], "it was so", i == 1);
	}
}

static void
test_matches(void **state)
{
	(void)state;
	check_match("what did she say", "2024-05-05", "it was so", 0);
	check_match("on 5 May 2024", "2024-05-05", "it was so", 1);
	check_match("on 5 May 2024", "2024-05-08", "it was so", .7);
	check_match("on 5 May 2024", "2024-05-15", "it was so", 0);
	/* The month must be touched, however near the day. */
	check_match("on 1 May 2024", "2024-04-30", "it was so", 0);
	check_match("on 5 May", "2021-05-06", "it was so", .9);
	check_match("on 5 May 2024", "2023-05-05", "it was so", 0);
	check_match("in May 2024", "2024-05-31", "it was so", 1);
	check_match("in May 2024", "2024-06-01", "it was so", 0);
	check_match("in May 2024", "2024-06-01", "we met yesterday", 1);
	check_match("in May 2024", "2024-06-10", "we met last month", 1);
	check_match("in May", "2023-05-02", "it was so", 1);
	check_match("in 2023", "2024-05-02", "it was last year", 1);
	check_match("in 2023", "2024-05-02", "it was so", 0);
	check_match("on 29 May 2024", "2024-06-01", "three days ago she came", 1);
	check_match("in autumn 2024", "2024-11-30", "it was so", 1);
	check_match("in winter 2023", "2024-02-29", "it was so", 1);
	check_match("in winter 2023", "2023-01-05", "it was so", 1);
	check_match("in winter", "2021-01-05", "it was so", 1);
	check_match("in winter", "2021-12-05", "it was so", 1);
	check_match("in winter", "2021-11-30", "it was so", 0);
	check_match("yesterday", "2024-11-10", "it was so", .8);
	check_match("last week", "2024-11-06", "it was so", 1);
	check_match("last week", "2024-11-12", "it was so", .8);
	check_match("last month", "2024-11-01", "it was so", 0);
	check_match("last March", "2024-03-31", "it was so", 1);
	check_match("last March", "2023-03-31", "it was so", 0);
	/* The best of several dates and days. */
	check_match("on 5 May 2024 or 9 June 2024", "2024-06-09", "it was so", 1);
	check_match("on 5 May 2024", "2024-05-09", "it was yesterday or four days ago", 1);
}

/* The dates of a text said on Wednesday, 13 November 2024, or nobody knows when: "WORDS=DAYS", "WORDS=DAYS|AHEAD" where they differ. */
static void
check_places(const char *text, const char *said, size_t max, const char *want)
{
	struct mem_date_place v[8];
	struct mem_buf is = { 0 };
	size_t n = mem_text_date_places(v, max, analyser, mem_str(text), said != NULL ? read_time(said) : MEM_TIME_NONE, NULL);
	for (size_t i = 0; i < n; i++) {
		assert_true(v[i].start < v[i].end && v[i].end <= strlen(text));
		mem_buf_printf(&is, "%s%.*s=", i > 0 ? "; " : "", (int)(v[i].end - v[i].start), text + v[i].start);
		put_span(&is, v[i].back);
		if (v[i].ahead.first == v[i].back.first && v[i].ahead.last == v[i].back.last)
			continue;
		mem_buf_putc(&is, '|');
		put_span(&is, v[i].ahead);
	}
	compare_shown(&is, want, text);
}

static void
test_places(void **state)
{
	static const char said[] = "2024-11-13T15:00:00Z";
	const char *language = NULL;
	struct mem_date_place one;
	(void)state;
	check_places("", said, 8, "");
	check_places("nothing of the kind", said, 8, "");
	check_places("due on 3 May 2024, or since 2023-01-02", said, 8, "3 May 2024=2024-05-03; 2023-01-02=2023-01-02");
	check_places("since March, until March", said, 8, "March=2024-03-01..2024-03-31|2025-03-01..2025-03-31; March=2024-03-01..2024-03-31|2025-03-01..2025-03-31");
	check_places("in two weeks", said, 8, "in two weeks=2024-11-24..2024-11-30");
	check_places("by Friday", said, 8, "Friday=2024-11-08|2024-11-15");
	check_places("yesterday and tomorrow", said, 8, "yesterday=2024-11-12; tomorrow=2024-11-14");
	/* Nobody knows when it is said: what has a year is found. */
	check_places("by Friday, in May, since March 2023", NULL, 8, "March 2023=2023-03-01..2023-03-31");
	/* No more than were asked for. */
	check_places("2024-01-01 2024-01-02 2024-01-03", said, 2, "2024-01-01=2024-01-01; 2024-01-02=2024-01-02");
	check_places("2024-01-01", said, 0, "");
	assert_int_equal(mem_text_date_places(&one, 1, analyser, MEM_STR("wir treffen uns gestern und nicht heute"), read_time(said), &language), 1);
	assert_string_equal(language, "german");
}

static void
check_whole_dates(const char *text, size_t max, const char *want)
{
	struct mem_whole_date v[8];
	struct mem_buf is = { 0 };
	size_t n = mem_text_whole_dates(v, max, analyser, mem_str(text));
	for (size_t i = 0; i < n; i++) {
		mem_buf_printf(&is, "%s%.*s=", i > 0 ? "; " : "", (int)(v[i].end - v[i].start), text + v[i].start);
		put_span(&is, (struct mem_day_span){ v[i].day, v[i].day });
	}
	compare_shown(&is, want, text);
}

static void
test_whole_dates(void **state)
{
	(void)state;
	check_whole_dates("", 8, "");
	check_whole_dates("in March 2024, on 3 May, not 2025, 2024-05", 8, "");
	check_whole_dates("due on 3 May 2024, or since 2023-01-02", 8, "3 May 2024=2024-05-03; 2023-01-02=2023-01-02");
	check_whole_dates("May 3rd, 2024 is 2024-05-03T10:00:00Z and 3.5.2024", 8, "May 3rd, 2024=2024-05-03");
	check_whole_dates("am 6. Oktober 2025 und nicht am 7. Oktober", 8, "6. Oktober 2025=2025-10-06");
	check_whole_dates("el 7 de octubre de 2025", 8, "7 de octubre de 2025=2025-10-07");
	/* Month and day, or day and month. */
	check_whole_dates("paid on 10/7/2025", 8, "10/7/2025=2025-07-10; 10/7/2025=2025-10-07");
	/* No such day, or none of those years. */
	check_whole_dates("31 February 2024, 2023-02-29, 1 May 1850, 12024-05-03", 8, "");
	check_whole_dates("2024-01-01 2024-01-02 2024-01-03", 2, "2024-01-01=2024-01-01; 2024-01-02=2024-01-02");
	check_whole_dates("2024-01-01", 0, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_dates_by_parts),
		cmocka_unit_test(test_dates_seen_from_now),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_whole_dates),
	};
	return cmocka_run_group_tests(tests, open_analyser, close_analyser);
}
