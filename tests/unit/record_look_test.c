/* SPDX-License-Identifier: Apache-2.0 */
/* Navigation, decoding, writing, splicing, rewriting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

static struct mem_json
value(const char *text)
{
	struct mem_json v;
	struct mem_err err;
	if (mem_json_scan(&v, mem_str(text), &err) != MEM_OK)
		fail_msg("%s: %s", text, err.msg);
	return v;
}

static void
assert_buf(struct mem_buf *b, const char *expected)
{
	assert_string_equal(b->data != NULL ? b->data : "", expected);
	mem_buf_release(b);
}

static void
paths(void **state)
{
	struct mem_json v = value("{\"a\":{\"b.c\":1,\"b\":[10,{\"x\":\"\\u00e4\"},[]]},\"\\u0065\":2, \"7\" : 3}");
	(void)state;
	assert_true(mem_str_is(mem_json_path(v, "a.b.0").raw, "10"));
	assert_true(mem_str_is(mem_json_path(v, "a.b.1.x").raw, "\"\\u00e4\""));
	assert_true(mem_str_is(mem_json_path(v, "a.b.2").raw, "[]"));
	assert_true(mem_str_is(mem_json_path(v, "e").raw, "2"));
	assert_true(mem_str_is(mem_json_path(v, "7").raw, "3"));
	assert_true(mem_str_eq(mem_json_path(v, "").raw, v.raw));
	assert_false(mem_json_there(mem_json_path(v, "a.b.3")));
	assert_false(mem_json_there(mem_json_path(v, "a.b.x")));
	assert_false(mem_json_there(mem_json_path(v, "a.b.-1")));
	assert_false(mem_json_there(mem_json_path(v, "e.f")));
	assert_true(mem_str_is(mem_json_member(v, "e").raw, "2"));
	assert_false(mem_json_there(mem_json_member(value("[1]"), "0")));
}

static void
fields_of_what_was_checked(void **state)
{
	static const char *const texts[] = { "{}", "{\"a\":1}", "{\"a\":\"x\\\"}\",\"b\":[{\"a\":2},\"]\"],\"\\u0065\":null,\"c\":{\"d\":{}},\"t\":true}" };
	struct mem_rec scanned = { 0 }, looked = { 0 };
	struct mem_err err;
	(void)state;
	for (size_t i = MEM_COUNT(texts); i-- > 0;) { /* the one with most fields first: they go with the next */
		assert_int_equal(mem_rec_scan(&scanned, mem_str(texts[i]), &err), MEM_OK);
		mem_rec_look(&looked, mem_str(texts[i]));
		assert_int_equal(looked.nfields, scanned.nfields);
		for (size_t k = 0; k < scanned.nfields; k++) {
			assert_true(looked.fields[k].key.p == scanned.fields[k].key.p && looked.fields[k].key.n == scanned.fields[k].key.n);
			assert_true(looked.fields[k].value.raw.p == scanned.fields[k].value.raw.p);
			assert_int_equal(looked.fields[k].value.raw.n, scanned.fields[k].value.raw.n);
			assert_int_equal(looked.fields[k].value.type, scanned.fields[k].value.type);
			assert_int_equal(looked.fields[k].value.escaped, scanned.fields[k].value.escaped);
			assert_int_equal(looked.fields[k].key_escaped, scanned.fields[k].key_escaped);
		}
	}
	mem_rec_look(&looked, MEM_STR(""));
	assert_int_equal(looked.nfields, 0);
	mem_rec_look(&looked, MEM_STR("[1]"));
	assert_int_equal(looked.nfields, 0);
	mem_rec_release(&scanned);
	mem_rec_release(&looked);
}

static void
iteration(void **state)
{
	struct mem_buf b = { 0 };
	(void)state;
	for (struct mem_json_iter it = mem_json_each(value("[1, \"]\\\"\" ,{\"a\":[{}]},[[\"}\"]],null]"));
	    mem_json_next(&it);)
		mem_buf_printf(&b, "%d=%.*s;", (int)it.value.type, (int)it.value.raw.n, it.value.raw.p);
	assert_buf(&b, "3=1;4=\"]\\\"\";6={\"a\":[{}]};5=[[\"}\"]];0=null;");
	b = (struct mem_buf){ 0 };
	for (struct mem_json_iter it = mem_json_each(value("{ \"a\" : \"x\" , \"\\\"\":true}")); mem_json_next(&it);)
		mem_buf_printf(&b, "%.*s%d=%.*s;", (int)it.key.n, it.key.p, it.key_escaped,
		    (int)it.value.raw.n, it.value.raw.p);
	assert_buf(&b, "a0=\"x\";\\\"1=true;");
	struct mem_json_iter none = mem_json_each(value("\"[1]\""));
	assert_false(mem_json_next(&none));
	none = mem_json_each(value(" [ ] "));
	assert_false(mem_json_next(&none));
	none = mem_json_each((struct mem_json){ 0 });
	assert_false(mem_json_next(&none));
}

static void
decoding(void **state)
{
	struct mem_buf b = { 0 };
	struct mem_arena a = { 0 };
	(void)state;
	assert_true(mem_json_decode(&b, value("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\u20AC\\ud83d\\ude00.\"")));
	assert_buf(&b, "\"\\/\b\f\n\r\t\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80.");
	b = (struct mem_buf){ 0 };
	assert_true(mem_json_decode(&b, value("\"a\\u0000b\"")));
	assert_int_equal(b.len, 3);
	mem_buf_release(&b);
	assert_false(mem_json_decode(&b, value("1")));
	assert_true(mem_str_is(mem_json_text(&a, value("\"plain\"")), "plain"));
	assert_true(mem_str_is(mem_json_text(&a, value("\"e\\u006e\"")), "en"));
	assert_int_equal(mem_json_text(&a, value("\"\"")).n, 0);
	assert_non_null(mem_json_text(&a, value("\"\"")).p);
	assert_null(mem_json_text(&a, value("[]")).p);
	assert_null(mem_json_text(&a, (struct mem_json){ 0 }).p);
	assert_true(mem_json_is(value("\"us\\u0065r\""), "user"));
	assert_false(mem_json_is(value("\"user\""), "use"));
	assert_false(mem_json_is(value("true"), "true"));
	mem_arena_release(&a);
}

static void
numbers(void **state)
{
	int64_t i = 0;
	double d = 0;
	struct mem_buf b = { 0 };
	(void)state;
	assert_true(mem_json_int(value("-9223372036854775808"), &i));
	assert_true(i == INT64_MIN);
	assert_false(mem_json_int(value("9223372036854775808"), &i));
	assert_false(mem_json_int(value("1.0"), &i));
	assert_false(mem_json_int(value("\"1\""), &i));
	assert_true(mem_json_num(value("-1.25e2"), &d));
	assert_true(d == -125.0);
	assert_false(mem_json_num(value("1e400"), &d));
	assert_false(mem_json_num(value("\"1\""), &d));
	mem_buf_puts(&b, "0.");
	for (int k = 0; k < 1000; k++)
		mem_buf_putc(&b, '3');
	assert_true(mem_json_num(value(b.data), &d));
	assert_true(fabs(d - 1.0 / 3) < 1e-15);
	mem_buf_release(&b);
}

static void
writing(void **state)
{
	struct mem_buf b = { 0 };
	(void)state;
	mem_buf_putc(&b, '{');
	mem_json_put_field(&b, "s", MEM_STR("a\"b\\c\n\t\x01\x7f/\xc3\xa4 {"));
	mem_json_put_int(&b, "i", -5);
	mem_json_put_num(&b, "half", 0.5);
	mem_json_put_num(&b, "six", 1.0 / 3);
	mem_json_put_num(&b, "hundred", 100.0);
	mem_json_put_num(&b, "small", -0.0000001);
	mem_json_put_num(&b, "big", 1e21);
	mem_json_put_num(&b, "nan", nan(""));
	mem_json_put_bool(&b, "yes", true);
	mem_json_put_time(&b, "t", 0);
	mem_json_put_raw(&b, "a", MEM_STR("[1e400]"));
	mem_buf_putc(&b, '}');
	assert_buf(&b, "{\"s\":\"a\\\"b\\\\c\\n\\t\\u0001\x7f/\xc3\xa4 {\",\"i\":-5,\"half\":0.5,\"six\":0.333333,"
	    "\"hundred\":100,\"small\":0,\"big\":1000000000000000000000,\"nan\":null,\"yes\":true,"
	    "\"t\":\"1970-01-01T00:00:00.000Z\",\"a\":[1e400]}");
	b = (struct mem_buf){ 0 };
	mem_json_put_string(&b, MEM_STR("\xff\xc3"));
	assert_buf(&b, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	b = (struct mem_buf){ 0 };
	mem_json_put_string(&b, (struct mem_str){ 0 });
	assert_buf(&b, "\"\"");
}

/* Text that is not there, a time that is none and a field that is no string are null. */
static void
writing_of_nothing(void **state)
{
	struct mem_buf b = { 0 };
	struct mem_rec rec = { 0 };
	(void)state;
	assert_int_equal(mem_rec_scan(&rec, MEM_STR("{\"title\":\"a\\u00e4\",\"line\":3}"), NULL), MEM_OK);
	mem_buf_putc(&b, '{');
	mem_json_put_text(&b, "s", MEM_STR("x"));
	mem_json_put_text(&b, "none", (struct mem_str){ 0 });
	mem_json_put_null(&b, "null");
	mem_json_put_time(&b, "never", MEM_TIME_NONE);
	mem_rec_put_text(&b, &rec, "title");
	mem_rec_put_text(&b, &rec, "line");
	mem_rec_put_text(&b, &rec, "slug");
	mem_buf_putc(&b, '}');
	assert_buf(&b, "{\"s\":\"x\",\"none\":null,\"null\":null,\"never\":null,\"title\":\"a\\u00e4\",\"line\":null,\"slug\":null}");
	mem_rec_release(&rec);
}

/* The short way to write a number gives the digits of the long one. */
static void
numbers_are_printed_alike(void **state)
{
	static const double odd[] = { 0, 1e-6, 1.5e-6, 9e-7, 1e-7, .1, .7, .3 - .1, 1.0 / 3, .9999995, .9999994999, 999999.999999, 1e6, 123456.789,
		1000000.5, 0.0000005, 2.5e-6, 3.5e-6, 8.0 / 7, 100, 120, 1e15 };
	uint32_t seed = 1;
	struct mem_buf b = { 0 };
	(void)state;
	for (size_t i = 0; i < 20000 + MEM_COUNT(odd); i++) {
		char want[64];
		seed = seed * 1664525 + 1013904223;
		/* Of whole numbers of millionths, and of what lies beside them. */
		double v = i < MEM_COUNT(odd) ? odd[i] : (double)(seed % 2000003) / 1e6 + (i % 3 == 0 ? 1e-10 * (double)(i % 100) : 0);
		snprintf(want, sizeof want, "%.6f", v);
		char *end = want + strlen(want);
		while (end[-1] == '0')
			*--end = '\0';
		if (end[-1] == '.')
			*--end = '\0';
		mem_buf_reset(&b);
		mem_json_put_number(&b, v);
		assert_string_equal(b.data, want);
	}
	mem_buf_release(&b);
}

static void
edited(const char *text, const struct mem_edit *e, size_t n, const char *expected)
{
	struct mem_rec r = { 0 };
	struct mem_err err;
	struct mem_buf b = { 0 };
	assert_int_equal(mem_rec_scan(&r, mem_str(text), &err), MEM_OK);
	mem_rec_edit(&b, &r, e, n);
	assert_int_equal(mem_rec_scan(&r, mem_buf_span(&b), &err), MEM_OK);
	mem_rec_release(&r);
	assert_buf(&b, expected);
}

static void
editing(void **state)
{
	static const struct mem_edit set[] = {
		{ "b", MEM_STR_INIT("9") }, { "new", MEM_STR_INIT("[]") }, { "gone", { NULL, 0 } },
	};
	static const struct mem_edit drop_a[] = { { "a", { NULL, 0 } } };
	static const struct mem_edit drop_ac[] = { { "c", { NULL, 0 } }, { "a", { NULL, 0 } } };
	static const struct mem_edit all[] = {
		{ "a", { NULL, 0 } }, { "b", { NULL, 0 } }, { "c", { NULL, 0 } }, { "d", MEM_STR_INIT("1") },
	};
	const char *text = " { \"a\" : 1e400,  \"\\u0062\":2 , \"c\": 3 } ";
	(void)state;
	edited(text, NULL, 0, "{ \"a\" : 1e400,  \"\\u0062\":2 , \"c\": 3 }");
	edited(text, set, 3, "{ \"a\" : 1e400,  \"\\u0062\":9 , \"c\": 3,\"new\":[] }");
	edited(text, drop_a, 1, "{ \"\\u0062\":2 , \"c\": 3 }");
	edited(text, drop_ac, 2, "{ \"\\u0062\":2 }");
	edited(text, all, 3, "{  }");
	edited(text, all, 4, "{ \"d\":1 }");
	edited("{ }", set, 3, "{\"b\":9,\"new\":[] }");
	edited("{}", NULL, 0, "{}");
}

/* Of each field's value another one, of each third none, and a field that is not there. */
static void
editing_many_fields(void **state)
{
	enum { FIELDS = 60 };
	struct mem_edit e[FIELDS + 1];
	char names[FIELDS][8];
	struct mem_buf text = { 0 }, expected = { 0 };
	(void)state;
	for (int i = 0; i < FIELDS; i++) {
		mem_buf_printf(&text, "%s\"%s%d\":%d", i > 0 ? "," : "{", i % 2 == 0 ? "f" : "\\u0066", i, i);
		if (i % 3 != 0)
			mem_buf_printf(&expected, "%s\"%s%d\":[]", expected.len > 0 ? "," : "{", i % 2 == 0 ? "f" : "\\u0066", i);
		snprintf(names[i], sizeof names[i], "f%d", i);
		e[FIELDS - i] = (struct mem_edit){ names[i], i % 3 != 0 ? MEM_STR("[]") : MEM_STR("") };
	}
	e[0] = (struct mem_edit){ "new", MEM_STR("true") };
	mem_buf_puts(&text, "}");
	mem_buf_puts(&expected, ",\"new\":true}");
	edited(text.data, e, FIELDS + 1, expected.data);
	mem_buf_release(&text);
	mem_buf_release(&expected);
}

static void
edits_that_change_nothing(void **state)
{
	static const struct mem_edit edits[] = {
		{ "gone", { NULL, 0 } }, { "b", MEM_STR_INIT("2") }, { "a", MEM_STR_INIT("1.0") }, { "new", MEM_STR_INIT("0") },
		{ "a", { NULL, 0 } },
	};
	struct mem_rec r = { 0 };
	struct mem_err err;
	(void)state;
	assert_int_equal(mem_rec_scan(&r, MEM_STR("{\"a\":1,\"\\u0062\":2}"), &err), MEM_OK);
	assert_false(mem_rec_edit_changes(&r, edits, 0));
	assert_false(mem_rec_edit_changes(&r, edits, 2));
	for (size_t i = 2; i < MEM_COUNT(edits); i++)
		assert_true(mem_rec_edit_changes(&r, &edits[i], 1));
	mem_rec_release(&r);
}

/* ---- rewriting -------------------------------------------------------- */

struct map_log {
	struct mem_buf seen;
	const char *stop;       /* fail at this text */
};

/* Upper-case words are secrets, and so are numbers from -9. */
static bool
hide_upper(void *ctx, const char *path, bool is_key, struct mem_str text, struct mem_buf *to,
    struct mem_err *err)
{
	struct map_log *log = ctx;
	mem_buf_printf(&log->seen, "%s%s=%.*s;", path, is_key ? "!" : "", (int)text.n, text.p);
	if (log->stop != NULL && mem_str_is(text, log->stop)) {
		(void)!mem_err_record(err, "budget", 0, "too much");
		return false;
	}
	bool number = text.n > 1 && text.p[0] == '-' && text.p[1] == '9';
	if (!number && (text.n == 0 || text.p[0] < 'A' || text.p[0] > 'Z'))
		return false;
	mem_buf_puts(to, "[X]");
	return true;
}

static void
mapped(const char *text, const char *expected, const char *seen)
{
	struct map_log log = { 0 };
	struct mem_buf b = { 0 };
	struct mem_err err;
	assert_int_equal(mem_json_map(&b, value(text), hide_upper, &log, &err), MEM_OK);
	struct mem_json v;
	assert_int_equal(mem_json_scan(&v, mem_buf_span(&b), &err), MEM_OK);
	assert_buf(&b, expected);
	if (seen != NULL)
		assert_string_equal(log.seen.data, seen);
	mem_buf_release(&log.seen);
}

static void
rewriting(void **state)
{
	(void)state;
	mapped("{ \"a\" : [1e400, \"B\", {\"c\":[\"\\u0044\",\"\\u0065\"]}], \"f\":\"G\" }",
	    "{ \"a\" : [1e400, \"[X]\", {\"c\":[\"[X]\",\"\\u0065\"]}], \"f\":\"[X]\" }",
	    "!=a;a.0=1e400;a.1=B;a.2!=c;a.2.c.0=D;a.2.c.1=e;!=f;f=G;");
	mapped("{\"SECRET\":{\"a\":\"v\"},\"b\":\"x\"}", "{\"[X]\":{\"a\":\"v\"},\"b\":\"x\"}",
	    "!=SECRET;[X]!=a;[X].a=v;!=b;b=x;");
	mapped("\"A\"", "\"[X]\"", "=A;");
	mapped("[[\"A\"],\"A\",[[\"A\"]]]", "[[\"[X]\"],\"[X]\",[[\"[X]\"]]]", "0.0=A;1=A;2.0.0=A;");
	mapped(" 12 ", "12", NULL);
	mapped("[-9.5E+3,{\"a\":-9},true,0,-8]", "[\"[X]\",{\"a\":\"[X]\"},true,0,-8]",
	    "0=-9.5E+3;1!=a;1.a=-9;3=0;4=-8;");
}

static void
keys_that_meet(void **state)
{
	(void)state;
	mapped("{\"A\":1,\"B\":2,\"C\":3}", "{\"[X]\":1,\"[X]~2\":2,\"[X]~3\":3}", NULL);
	mapped("{\"\\u005bX]\":1,\"B\":{\"B\":1,\"C\":2},\"C\":3}",
	    "{\"\\u005bX]\":1,\"[X]~2\":{\"[X]\":1,\"[X]~2\":2},\"[X]~3\":3}", NULL);
	mapped("{\"A\":1,\"[X]\":2}", "{\"[X]\":1,\"[X]~2\":2}", NULL);
	mapped("{\"[X]~2\":0,\"A\":1,\"B\":2}", "{\"[X]~2\":0,\"[X]\":1,\"[X]~3\":2}", NULL);
	struct mem_buf b = { 0 }, out = { 0 };
	struct map_log log = { 0 };
	struct mem_err err;
	mem_buf_putc(&b, '{');
	for (int i = 0; i < 100000; i++)
		mem_buf_printf(&b, "%s\"K%d\":1", i > 0 ? "," : "", i);
	mem_buf_putc(&b, '}');
	assert_int_equal(mem_json_map(&out, value(b.data), hide_upper, &log, &err), MEM_OK);
	assert_non_null(strstr(out.data, "\"[X]~100000\":1}"));
	mem_buf_release(&log.seen);
	mem_buf_release(&out);
	mem_buf_release(&b);
}

static void
rewriting_can_fail(void **state)
{
	struct map_log log = { .stop = "stop" };
	struct mem_buf out = { 0 };
	struct mem_err err = { 0 };
	(void)state;
	assert_int_equal(mem_json_map(&out, value("{\"A\":[{\"B\":\"stop\"},\"x\"]}"), hide_upper, &log, &err),
	    MEM_REFUSED);
	assert_string_equal(err.reason, "budget");
	assert_null(strstr(log.seen.data, "=x;"));
	mem_buf_release(&log.seen);
	mem_buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(fields_of_what_was_checked),
		cmocka_unit_test(iteration),
		cmocka_unit_test(decoding),
		cmocka_unit_test(numbers),
		cmocka_unit_test(writing),
		cmocka_unit_test(writing_of_nothing),
		cmocka_unit_test(numbers_are_printed_alike),
		cmocka_unit_test(editing),
		cmocka_unit_test(editing_many_fields),
		cmocka_unit_test(edits_that_change_nothing),
		cmocka_unit_test(rewriting),
		cmocka_unit_test(keys_that_meet),
		cmocka_unit_test(rewriting_can_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
