/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner: what it takes, what it refuses, where and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

#define CASES "tests/data/jsontestsuite/cases.ndjson"

/* In memory of exactly its size, so that a read past the end is seen. */
static char *
exact(struct mem_str s)
{
	char *p = malloc(s.n > 0 ? s.n : 1);
	assert_non_null(p);
	if (s.n > 0)
		memcpy(p, s.p, s.n);
	return p;
}

static enum mem_status
scan_value(struct mem_str s, struct mem_json *v, struct mem_err *err)
{
	char *p = exact(s);
	enum mem_status st = mem_json_scan(v, (struct mem_str){ p, s.n }, err);
	if (st == MEM_OK)
		v->raw.p = s.p + (v->raw.p - p);
	free(p);
	return st;
}

static void
assert_refused(struct mem_str s, const char *reason, size_t offset)
{
	struct mem_json v;
	struct mem_err err = { 0 };
	if (scan_value(s, &v, &err) != MEM_REFUSED)
		fail_msg("taken: %.*s", (int)s.n, s.p);
	if (strcmp(err.reason, reason) != 0 || err.offset != offset)
		fail_msg("%.*s: %s at %zu, not %s at %zu", (int)s.n, s.p, err.reason,
		    err.offset, reason, offset);
	assert_int_equal(v.raw.n, 0);
	assert_true(err.msg[0] != '\0');
}

static void
refusals(void **state)
{
	static const struct {
		struct mem_str text;
		const char *reason;
		size_t offset;
	} t[] = {
		{ MEM_STR_INIT(""), "bad_json", 0 },
		{ MEM_STR_INIT("  "), "bad_json", 2 },
		{ MEM_STR_INIT("{\"a\":1} x"), "bad_json", 8 },
		{ MEM_STR_INIT("{\"a\":1,}"), "bad_json", 7 },
		{ MEM_STR_INIT("{\"a\" 1}"), "bad_json", 5 },
		{ MEM_STR_INIT("{\"a\":}"), "bad_json", 5 },
		{ MEM_STR_INIT("{\"a\":1"), "bad_json", 6 },
		{ MEM_STR_INIT("{a:1}"), "bad_json", 1 },
		{ MEM_STR_INIT("[1,]"), "bad_json", 3 },
		{ MEM_STR_INIT("[1 2]"), "bad_json", 3 },
		{ MEM_STR_INIT("[1}"), "bad_json", 2 },
		{ MEM_STR_INIT("{\"a\":1]"), "bad_json", 6 },
		{ MEM_STR_INIT("]"), "bad_json", 0 },
		{ MEM_STR_INIT("NaN"), "bad_json", 0 },
		{ MEM_STR_INIT("[-Infinity]"), "bad_json", 2 },
		{ MEM_STR_INIT("[tru]"), "bad_json", 1 },
		{ MEM_STR_INIT("nul"), "bad_json", 0 },
		{ MEM_STR_INIT("01"), "bad_json", 0 },
		{ MEM_STR_INIT("-"), "bad_json", 1 },
		{ MEM_STR_INIT("1."), "bad_json", 2 },
		{ MEM_STR_INIT("1e+"), "bad_json", 3 },
		{ MEM_STR_INIT("+1"), "bad_json", 0 },
		{ MEM_STR_INIT(".5"), "bad_json", 0 },
		{ MEM_STR_INIT("\"ab"), "bad_json", 3 },
		{ MEM_STR_INIT("\"ab\\"), "bad_json", 4 },
		{ MEM_STR_INIT("\"\\x\""), "bad_json", 1 },
		{ MEM_STR_INIT("\"\\u12g4\""), "bad_json", 1 },
		{ MEM_STR_INIT("\"\\u12"), "bad_json", 1 },
		{ MEM_STR_INIT("\"a\nb\""), "bad_json", 2 },
		{ MEM_STR_INIT("\"a\0b\""), "nul", 2 },
		{ MEM_STR_INIT("\"\\ud800\""), "bad_json", 1 },
		{ MEM_STR_INIT("\"x\\ude00\""), "bad_json", 2 },
		{ MEM_STR_INIT("\"\\ud83d\\ud83d\""), "bad_json", 1 },
		{ MEM_STR_INIT("\"\\ud83d\\n12345678\""), "bad_json", 1 },
		{ MEM_STR_INIT("\"\xff\""), "bad_utf8", 1 },
		{ MEM_STR_INIT("\"\xc3\""), "bad_utf8", 1 },
		{ MEM_STR_INIT("\"\xc0\xaf\""), "bad_utf8", 1 },
		{ MEM_STR_INIT("\"ok \xed\xa0\x80\""), "bad_utf8", 4 },
		{ MEM_STR_INIT("\"\xe2\x82\xac\xe0\x80\x80\""), "bad_utf8", 4 },
		{ MEM_STR_INIT("\"\xf4\x90\x80\x80\""), "bad_utf8", 1 },
		{ MEM_STR_INIT("\"\xf0\x8f\xbf\xbf\""), "bad_utf8", 1 },
		{ MEM_STR_INIT("\"\xe2\x82"), "bad_utf8", 1 },
		{ MEM_STR_INIT("\xef\xbb\xbf{}"), "bad_json", 0 },
		{ MEM_STR_INIT("{\"a\":1,\"a\":2}"), "duplicate_key", 7 },
		{ MEM_STR_INIT("{\"a\":1,\"\\u0061\":2}"), "duplicate_key", 7 },
		{ MEM_STR_INIT("{\"\\/\":1,\"/\":2}"), "duplicate_key", 8 },
		{ MEM_STR_INIT("{\"\":1,\"\":2}"), "duplicate_key", 6 },
		{ MEM_STR_INIT("[[{\"x\":[{\"b\":1,\"c\":2,\"b\":3}]}]]"), "duplicate_key", 21 },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(t); i++)
		assert_refused(t[i].text, t[i].reason, t[i].offset);
}

static void
values(void **state)
{
	static const struct {
		const char *text;
		enum mem_json_type type;
	} t[] = {
		{ "null", MEM_JSON_NULL }, { " true\r\n", MEM_JSON_TRUE }, { "false", MEM_JSON_FALSE },
		{ "0", MEM_JSON_NUMBER }, { "-0.0e-0", MEM_JSON_NUMBER },
		{ "1e400", MEM_JSON_NUMBER }, { "123456789012345678901234567890", MEM_JSON_NUMBER },
		{ "\"\"", MEM_JSON_STRING }, { "\"\\ud83d\\ude00\\u0000\"", MEM_JSON_STRING },
		{ "\"16 bytes and more, \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 then ASCII again\"", MEM_JSON_STRING },
		{ "[]", MEM_JSON_ARRAY }, { "[ 1 , [ ] , { } ]", MEM_JSON_ARRAY },
		{ "{ }", MEM_JSON_OBJECT }, { "{\"a\":{\"a\":{\"a\":[{\"a\":1}]}}}", MEM_JSON_OBJECT },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(t); i++) {
		struct mem_json v;
		struct mem_err err = { 0 };
		if (scan_value(mem_str(t[i].text), &v, &err) != MEM_OK)
			fail_msg("%s: %s", t[i].text, err.msg);
		assert_int_equal(v.type, t[i].type);
	}
}

static void
fields(void **state)
{
	struct mem_rec r = { 0 };
	struct mem_err err;
	(void)state;
	struct mem_str line = MEM_STR(" {\"a\" : 1e400 , \"\\u0062\":\"x\\ny\",\"c\":{\"d\":[1]}, \"e\":null }\t");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(mem_rec_scan(&r, line, &err), MEM_OK);
		assert_int_equal(r.nfields, 4);
		assert_int_equal(r.text.p - line.p, 1);
		assert_int_equal(r.text.n, line.n - 2);
		assert_true(mem_str_is(r.fields[0].value.raw, "1e400"));
		assert_true(r.fields[1].key_escaped && r.fields[1].value.escaped);
		assert_true(mem_str_is(mem_rec_find(&r, "b")->value.raw, "\"x\\ny\""));
		assert_true(mem_str_is(mem_rec_value(&r, "c").raw, "{\"d\":[1]}"));
		assert_int_equal(mem_rec_value(&r, "c").type, MEM_JSON_OBJECT);
		assert_int_equal(mem_rec_value(&r, "e").type, MEM_JSON_NULL);
		assert_null(mem_rec_find(&r, "d"));
		assert_false(mem_json_there(mem_rec_value(&r, "zz")));
	}
	assert_int_equal(mem_rec_scan(&r, MEM_STR(" [1]"), &err), MEM_REFUSED);
	assert_string_equal(err.reason, "not_an_object");
	assert_int_equal(err.offset, 1);
	assert_int_equal(r.nfields, 0);
	/* Broken inside: that is said first. */
	assert_int_equal(mem_rec_scan(&r, MEM_STR("[1"), &err), MEM_REFUSED);
	assert_string_equal(err.reason, "bad_json");
	mem_rec_release(&r);
}

static void
nul_is_noted(void **state)
{
	struct mem_rec r = { 0 };
	struct mem_err err;
	(void)state;
	assert_int_equal(mem_rec_scan(&r, MEM_STR("{\"a\":[\"b\\u0000\\u0000\"]}"), &err), MEM_OK);
	assert_int_equal(mem_rec_refuse_nul(&r, &err), MEM_REFUSED);
	assert_string_equal(err.reason, "nul");
	assert_int_equal(err.offset, 8);
	assert_int_equal(mem_rec_scan(&r, MEM_STR("{\"a\":\"\\\\u0000\"}"), &err), MEM_OK);
	assert_int_equal(mem_rec_refuse_nul(&r, &err), MEM_OK);
	mem_rec_release(&r);
}

/* Every valid text, cut anywhere, is refused without a look past its end. */
static void
cut_anywhere(void **state)
{
	struct mem_str t = MEM_STR("{\"key\":[true,false,null,-1.5e+3,\"\\u00e4\\ud83d\\ude00 \xc3\xa4"
	    "\xe2\x82\xac\xf0\x9f\x98\x80 and some more than sixteen bytes\"],\"o\":{\"\\n\":{}}}");
	(void)state;
	for (size_t n = 0; n < t.n; n++) {
		struct mem_json v;
		struct mem_err err = { 0 };
		assert_int_equal(scan_value((struct mem_str){ t.p, n }, &v, &err), MEM_REFUSED);
		assert_true(err.offset <= n);
	}
}

/* ---- limits ----------------------------------------------------------- */

static void
depth(void **state)
{
	struct mem_buf b = { 0 };
	(void)state;
	for (size_t n = 511; n <= 513; n++) {
		mem_buf_reset(&b);
		for (size_t i = 0; i < n; i++)
			mem_buf_puts(&b, i % 2 == 0 ? "{\"k\":" : "[");
		mem_buf_puts(&b, "1");
		for (size_t i = n; i-- > 0;)
			mem_buf_putc(&b, i % 2 == 0 ? '}' : ']');
		struct mem_json v;
		struct mem_err err = { 0 };
		assert_int_equal(scan_value(mem_buf_span(&b), &v, &err), n <= 512 ? MEM_OK : MEM_REFUSED);
		if (n == 513) {
			assert_string_equal(err.reason, "too_deep");
			assert_int_equal(err.offset, 256 * 6);
		}
	}
	mem_buf_reset(&b);
	for (size_t i = 0; i < 100000; i++)
		mem_buf_putc(&b, '[');
	assert_refused(mem_buf_span(&b), "too_deep", 512);
	mem_buf_release(&b);
}

static void
fill_key(struct mem_buf *b, size_t n)
{
	mem_buf_reset(b);
	mem_buf_puts(b, "{\"");
	for (size_t i = 0; i < n; i++)
		mem_buf_putc(b, 'k');
	mem_buf_puts(b, "\":1}");
}

static void
long_keys(void **state)
{
	struct mem_buf b = { 0 };
	struct mem_json v;
	struct mem_err err;
	(void)state;
	fill_key(&b, MEM_JSON_KEY_MAX);
	assert_int_equal(scan_value(mem_buf_span(&b), &v, &err), MEM_OK);
	fill_key(&b, MEM_JSON_KEY_MAX + 1);
	assert_refused(mem_buf_span(&b), "key_too_long", 1);
	fill_key(&b, (size_t)10 << 20);
	assert_refused(mem_buf_span(&b), "key_too_long", 1);
	mem_buf_release(&b);
}

/* Many keys: all different, then the first again, plain and with an escape. */
static void
many_keys(void **state)
{
	static const size_t counts[] = { 2, 31, 32, 33, 64, 128, 129, 300, 100000 };
	struct mem_buf b = { 0 };
	(void)state;
	for (size_t c = 0; c < MEM_COUNT(counts); c++) {
		mem_buf_reset(&b);
		mem_buf_puts(&b, "[{\"o\":{\"k0\":1},");
		for (size_t i = 0; i < counts[c]; i++)
			mem_buf_printf(&b, "%s\"k%zu\":{\"k0\":%zu}", i > 0 ? "," : "", i, i);
		size_t at = b.len;
		mem_buf_puts(&b, "}]");
		struct mem_json v;
		struct mem_err err;
		assert_int_equal(scan_value(mem_buf_span(&b), &v, &err), MEM_OK);
		b.len = at;
		mem_buf_puts(&b, ",\"k0\":1}]");
		assert_refused(mem_buf_span(&b), "duplicate_key", at + 1);
		b.len = at;
		mem_buf_puts(&b, ",\"\\u006b1\":1}]");
		assert_refused(mem_buf_span(&b), "duplicate_key", at + 1);
	}
	mem_buf_release(&b);
}

static void
sixteen_mebibytes(void **state)
{
	struct mem_buf b = { 0 };
	struct mem_rec r = { 0 };
	struct mem_err err;
	(void)state;
	mem_buf_puts(&b, "{\"content\":\"");
	while (b.len < MEM_LINE_MAX - 6)
		mem_buf_puts(&b, "\xc3\xa4 b\\n");
	mem_buf_puts(&b, "\"}");
	assert_int_equal(mem_rec_scan(&r, mem_buf_span(&b), &err), MEM_OK);
	b.data[b.len - 4] = '\x01';
	assert_int_equal(mem_rec_scan(&r, mem_buf_span(&b), &err), MEM_REFUSED);
	assert_int_equal(err.offset, b.len - 4);
	mem_buf_reset(&b);
	mem_buf_putc(&b, '{');
	for (size_t i = 0; b.len < MEM_LINE_MAX - 32; i++)
		mem_buf_printf(&b, "%s\"%zx\":%zu", i > 0 ? "," : "", i, i % 10);
	mem_buf_putc(&b, '}');
	assert_int_equal(mem_rec_scan(&r, mem_buf_span(&b), &err), MEM_OK);
	assert_true(r.nfields > 1000000);
	mem_rec_release(&r);
	mem_buf_release(&b);
}

/* ---- the suite of strangers' cases ------------------------------------ */

static bool
has_duplicate_keys(struct mem_json name)
{
	return mem_json_is(name, "y_object_duplicated_key.json") ||
	    mem_json_is(name, "y_object_duplicated_key_and_value.json");
}

static void
suite_case(struct mem_json name, struct mem_json expect, struct mem_str text, size_t *taken)
{
	struct mem_json v;
	struct mem_rec r = { 0 };
	struct mem_err err = { 0 };
	char *p = exact(text);
	struct mem_str own = { p, text.n };
	enum mem_status st = mem_json_scan(&v, own, &err);
	bool wanted = mem_json_is(expect, "i") ? st == MEM_OK
	    : mem_json_is(expect, "y") && !has_duplicate_keys(name);
	if ((st == MEM_OK) != wanted)
		fail_msg("%.*s: %s", (int)name.raw.n, name.raw.p, st == MEM_OK ? "taken" : err.msg);
	if (st != MEM_OK)
		assert_true(err.reason != NULL && err.offset <= text.n);
	if (has_duplicate_keys(name))
		assert_string_equal(err.reason, "duplicate_key");
	enum mem_status object = mem_rec_scan(&r, own, &err);
	if (st == MEM_OK && v.type == MEM_JSON_OBJECT) {
		struct mem_buf b = { 0 };
		assert_int_equal(object, MEM_OK);
		mem_rec_edit(&b, &r, NULL, 0);
		assert_true(mem_str_eq(mem_buf_span(&b), r.text));
		mem_buf_release(&b);
	} else {
		assert_int_equal(object, MEM_REFUSED);
		if (st == MEM_OK)
			assert_string_equal(err.reason, "not_an_object");
	}
	*taken += st == MEM_OK;
	mem_rec_release(&r);
	free(p);
}

static void
json_test_suite(void **state)
{
	struct mem_buf file = { 0 }, text = { 0 };
	struct mem_err err;
	struct mem_rec r = { 0 };
	size_t n = 0, taken = 0;
	(void)state;
	if (mem_file_read(-100, CASES, (size_t)16 << 20, &file, &err) != MEM_OK)
		fail_msg("%s", err.msg);
	for (char *p = file.data, *nl; (nl = strchr(p, '\n')) != NULL; p = nl + 1, n++) {
		struct mem_arena a = { 0 };
		assert_int_equal(mem_rec_scan(&r, (struct mem_str){ p, (size_t)(nl - p) }, &err), MEM_OK);
		mem_buf_reset(&text);
		assert_true(mem_buf_base64_decode(&text, mem_json_text(&a, mem_rec_value(&r, "base64"))));
		suite_case(mem_rec_value(&r, "name"), mem_rec_value(&r, "expect"),
		    mem_buf_span(&text), &taken);
		mem_arena_release(&a);
	}
	assert_int_equal(n, 318);
	assert_true(taken >= 93);
	mem_rec_release(&r);
	mem_buf_release(&text);
	mem_buf_release(&file);
}

/* What is built is what a scan of its text finds: places, types, escapes. */
static void
built_as_scanned(void **state)
{
	static const char *const values[] = { "null", "true", "-1.5e3", "\"a\"", "\"a\\n\\u00e9\"", "[]", "[\"]\",{\"b\":[1]}]",
		"{\"}\":\"{\"}", "", "\"\"" };
	struct mem_rec_part parts[MEM_COUNT(values)] = { 0 };
	char names[MEM_COUNT(values)][8];
	struct mem_rec built = { 0 }, scanned = { 0 };
	struct mem_arena a = { 0 };
	struct mem_err err;
	(void)state;
	for (size_t n = 0; n <= MEM_COUNT(values); n++) {
		for (size_t i = 0; i < n; i++) {
			snprintf(names[i], sizeof names[i], "f%zu", i);
			parts[i] = (struct mem_rec_part){ .name = names[i] };
			if (values[i][0] != '\0')
				assert_int_equal(mem_json_scan(&parts[i].value, mem_str(values[i]), &err), MEM_OK);
		}
		assert_int_equal(mem_rec_build(&built, &a, parts, n, &err), MEM_OK);
		assert_int_equal(mem_rec_scan(&scanned, built.text, &err), MEM_OK);
		assert_true(scanned.text.p == built.text.p && scanned.text.n == built.text.n);
		assert_int_equal(built.nfields, n > 8 ? n - 1 : n); /* the ninth is empty */
		assert_int_equal(built.nfields, scanned.nfields);
		for (size_t i = 0; i < built.nfields; i++) {
			const struct mem_field *b = &built.fields[i], *s = &scanned.fields[i];
			assert_true(b->key.p == s->key.p && b->key.n == s->key.n && b->key_escaped == s->key_escaped);
			assert_true(b->value.raw.p == s->value.raw.p && b->value.raw.n == s->value.raw.n);
			assert_true(b->value.type == s->value.type && b->value.escaped == s->value.escaped);
		}
	}
	mem_rec_release(&built);
	mem_rec_release(&scanned);
	mem_arena_release(&a);
}

/* A value of the greatest depth is too deep inside of a record. */
static void
built_too_deep(void **state)
{
	struct mem_rec r = { 0 };
	struct mem_arena a = { 0 };
	struct mem_err err = { 0 };
	(void)state;
	for (size_t depth = MEM_JSON_DEPTH_MAX - 1; depth <= MEM_JSON_DEPTH_MAX; depth++) {
		struct mem_buf b = { 0 };
		struct mem_rec_part part = { .name = "deep" };
		mem_buf_puts(&b, "{\"wide\":[[],[],\"[[[[\"],\"a\":");
		for (size_t i = 1; i < depth; i++)
			mem_buf_putc(&b, '[');
		for (size_t i = 1; i < depth; i++)
			mem_buf_putc(&b, ']');
		mem_buf_putc(&b, '}');
		assert_int_equal(mem_json_scan(&part.value, mem_buf_span(&b), &err), MEM_OK);
		enum mem_status want = depth < MEM_JSON_DEPTH_MAX ? MEM_OK : MEM_REFUSED;
		assert_int_equal(mem_rec_build(&r, &a, &part, 1, &err), want);
		if (want == MEM_OK)
			assert_int_equal(mem_rec_scan(&r, r.text, &err), MEM_OK);
		else
			assert_string_equal(err.reason, "too_deep");
		mem_buf_release(&b);
	}
	mem_rec_release(&r);
	mem_arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(built_as_scanned),
		cmocka_unit_test(built_too_deep),
		cmocka_unit_test(refusals),
		cmocka_unit_test(values),
		cmocka_unit_test(fields),
		cmocka_unit_test(nul_is_noted),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(depth),
		cmocka_unit_test(long_keys),
		cmocka_unit_test(many_keys),
		cmocka_unit_test(sixteen_mebibytes),
		cmocka_unit_test(json_test_suite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
