/* SPDX-License-Identifier: Apache-2.0 */
/* Times, durations, numbers, ids, hashes, UTF-8 and files, each against values known from elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

static void
times_are_read_as_rfc_3339_says(void **state)
{
	static const struct { const char *text; int64_t ms; } good[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "1985-04-12T23:20:50.52Z", 482196050520 },       /* RFC 3339, 5.8 */
		{ "1996-12-19T16:39:57-08:00", 851042397000 },
		{ "1990-12-31T23:59:60Z", 662688000000 },
		{ "1937-01-01T12:00:27.87+00:20", -1041337172130 },
		{ "2000-02-29t00:00:00.1239z", 951782400123 },
		{ "0000-01-01T00:00:00Z", MEM_TIME_MIN },
		{ "9999-12-31 23:59:59.999Z", MEM_TIME_MAX },
	};
	static const char *const bad[] = { "", "2026-11-28", "2026-11-28T00:00:00", "1900-02-29T00:00:00Z",
		"2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-28T24:00:00Z", "2026-11-28T00:60:00Z",
		"2026-11-28T00:00:61Z", "2026-11-28T00:00:00.Z", "2026-11-28T00:00:00+24:00", "2026-11-28T00:00:00+0100",
		"2026-11-28T00:00:00Zx", " 2026-11-28T00:00:00Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59.999-00:01" };
	int64_t ms;
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(good); i++) {
		assert_true(mem_time_parse(mem_str(good[i].text), &ms));
		assert_true(ms == good[i].ms);
	}
	for (size_t i = 0; i < MEM_COUNT(bad); i++)
		if (mem_time_parse(mem_str(bad[i]), &ms))
			fail_msg("taken for a time: '%s'", bad[i]);
}

static void
every_day_of_the_calendar_comes_back(void **state)
{
	(void)state;
	for (int64_t day = MEM_TIME_MIN / 86400000; day <= MEM_TIME_MAX / 86400000; day += 13) {
		int64_t ms = day * 86400000 + 86399999, back;
		char text[MEM_TIME_LEN + 1];
		mem_time_format(ms, text);
		assert_int_equal(strlen(text), MEM_TIME_LEN);
		assert_true(mem_time_parse(mem_str(text), &back) && back == ms);
	}
	char text[MEM_TIME_LEN + 1];
	mem_time_format(-1, text);
	assert_string_equal(text, "1969-12-31T23:59:59.999Z");
	mem_time_format(MEM_TIME_NONE, text); /* what no year of four digits has is cut */
	assert_string_equal(text, "0000-01-01T00:00:00.000Z");
	mem_time_format(INT64_MAX, text);
	assert_string_equal(text, "9999-12-31T23:59:59.999Z");
}

static void
users_may_give_a_date_or_a_time_back(void **state)
{
	int64_t ms, now = 1790000000000;
	(void)state;
	assert_true(mem_time_parse_user(MEM_STR("2026-11-28"), now, &ms) && ms == 1795824000000);
	assert_true(mem_time_parse_user(MEM_STR("2d"), now, &ms) && ms == now - 2 * 86400000);
	assert_true(mem_time_parse_user(MEM_STR("1970-01-01T00:00:01Z"), now, &ms) && ms == 1000);
	assert_false(mem_time_parse_user(MEM_STR("2026-11-31"), now, &ms));
	assert_false(mem_time_parse_user(MEM_STR("9999999w"), now, &ms));
	assert_false(mem_time_parse_user(MEM_STR("-1d"), now, &ms));
	assert_false(mem_time_parse_user(MEM_STR("tomorrow"), now, &ms));
	assert_false(mem_time_parse_user(MEM_STR("Yesterday"), now, &ms));
}

static void
durations_and_numbers_do_not_overflow(void **state)
{
	int64_t v;
	(void)state;
	assert_true(mem_duration_parse(MEM_STR("250ms"), &v) && v == 250);
	assert_true(mem_duration_parse(MEM_STR("15m"), &v) && v == 900000);
	assert_true(mem_duration_parse(MEM_STR("2w"), &v) && v == 1209600000);
	assert_true(mem_duration_parse(MEM_STR("7"), &v) && v == 7000);
	assert_true(mem_duration_parse(MEM_STR("36525d"), &v) && v == MEM_DURATION_MAX);
	assert_false(mem_duration_parse(MEM_STR("3155760000001ms"), &v));
	assert_false(mem_duration_parse(MEM_STR("9223372036854775807ms"), &v));
	assert_false(mem_duration_parse(MEM_STR("9223372036854775807s"), &v));
	assert_false(mem_duration_parse(MEM_STR("h"), &v));
	assert_false(mem_duration_parse(MEM_STR(""), &v));
	assert_false(mem_duration_parse(MEM_STR("1 h"), &v));
	assert_false(mem_duration_parse(MEM_STR("1.5h"), &v));
	assert_true(mem_number_parse(MEM_STR("-9223372036854775808"), INT64_MIN, INT64_MAX, &v) && v == INT64_MIN);
	assert_false(mem_number_parse(MEM_STR("9223372036854775808"), INT64_MIN, INT64_MAX, &v));
	assert_false(mem_number_parse(MEM_STR("-9223372036854775809"), INT64_MIN, INT64_MAX, &v));
	assert_false(mem_number_parse(MEM_STR("11"), 1, 10, &v));
	assert_false(mem_number_parse(MEM_STR("-"), INT64_MIN, INT64_MAX, &v));
	assert_false(mem_number_parse(MEM_STR("+1"), INT64_MIN, INT64_MAX, &v));
}

static void
ids_carry_their_version_and_rise(void **state)
{
	static const char canonical[] = "0198f3c2-7d4e-7b1a-9c3d-0000000000ff";
	struct mem_id id, before = { { 0 } };
	char text[MEM_ID_LEN + 1];
	(void)state;
	assert_true(mem_id_parse(MEM_STR("0198F3C2-7D4E-7B1A-9C3D-0000000000FF"), &id));
	mem_id_format(&id, text);
	assert_string_equal(text, canonical);
	assert_false(mem_id_parse(MEM_STR("0198f3c2-7d4e-7b1a-9c3d-0000000000f"), &id));
	assert_false(mem_id_parse(MEM_STR("0198f3c27d4e-7b1a-9c3d-0000000000fff"), &id));
	assert_false(mem_id_parse(MEM_STR("0198f3c2-7d4e-7b1a-9c3d-0000000000fg"), &id));
	for (uint16_t i = 0; i < 0x1000; i++) {
		id = mem_id_v7(0x0123456789ab, i, 77 - i);
		assert_true(id.b[6] >> 4 == 7 && id.b[8] >> 6 == 2);
		assert_true(i == 0 || mem_id_cmp(&before, &id) < 0);
		before = id;
	}
	mem_id_format(&id, text);
	assert_memory_equal(text, "01234567-89ab-7fff-", 19);
	id = mem_id_v7(0x0123456789ac, 0, 0);
	assert_true(mem_id_cmp(&before, &id) < 0);
	/* Ids by content are stored, so they stay: these were computed by Python's hashlib. */
	struct mem_buf cafe = { 0 };
	for (int i = 0; i < 100; i++)
		mem_buf_puts(&cafe, "caf\xc3\xa9");
	const struct { struct mem_str ns, content; const char *id; } by_content[] = {
		{ MEM_STR("agent:ada"), MEM_STR("tea is hot"), "db9dfd41-17fe-8875-9ecb-61c94b4f6317" },
		{ MEM_STR("agent:ad"), MEM_STR("atea is hot"), "af2eef09-838e-8299-9196-510fb19acab1" },
		{ MEM_STR("team:red"), mem_buf_span(&cafe), "cdf8b0c8-1bda-891c-b6fa-3c96a68ffdc5" },
		{ MEM_STR(""), MEM_STR(""), "463be1d5-8a72-8961-8ea5-9884367c4358" },
	};
	for (size_t i = 0; i < MEM_COUNT(by_content); i++) {
		id = mem_id_v8(by_content[i].ns, by_content[i].content);
		mem_id_format(&id, text);
		assert_string_equal(text, by_content[i].id);
	}
	mem_buf_release(&cafe);
	struct mem_id a = mem_id_v8(MEM_STR("ab"), MEM_STR("c")), b = mem_id_v8(MEM_STR("a"), MEM_STR("bc"));
	struct mem_id again = mem_id_v8(MEM_STR("ab"), MEM_STR("c"));
	assert_true(a.b[6] >> 4 == 8 && a.b[8] >> 6 == 2);
	assert_true(mem_id_cmp(&a, &again) == 0 && mem_id_cmp(&a, &b) != 0);
}

static uint32_t
naive_crc32c(uint32_t crc, const uint8_t *p, size_t n)
{
	for (; n > 0; n--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0x82f63b78U & -(crc & 1));
	}
	return crc;
}

static void
each_flipped_bit_changes_a_crc(void **state)
{
	uint8_t text[1500];
	(void)state;
	/* RFC 3720, B.4 has others; this one is of the catalogue of parametrised CRCs. */
	assert_int_equal(naive_crc32c(UINT32_MAX, (const uint8_t *)"123456789", 9) ^ UINT32_MAX, 0xe3069283U);
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (uint8_t)(i * 7 + i / 256);
	for (size_t n = 0; n <= sizeof text; n++) {
		uint32_t lanes[4];
		size_t lane = n / 32 * 8;
		for (uint32_t i = 0; i < 4; i++)
			lanes[i] = htole32(naive_crc32c(UINT32_MAX - i, text + i * lane, lane));
		uint32_t want = naive_crc32c(naive_crc32c(UINT32_MAX, (const uint8_t *)lanes, sizeof lanes), text + 4 * lane, n - 4 * lane);
		assert_int_equal(mem_crc32c_lanes(text, n), want);
	}
	uint32_t sound = mem_crc32c_lanes(text, 1024);
	for (size_t bit = 0; bit < 8 * 1024; bit++) {
		text[bit / 8] ^= (uint8_t)(1U << bit % 8);
		assert_int_not_equal(mem_crc32c_lanes(text, 1024), sound);
		text[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
}

static void
hashes_are_those_of_their_papers(void **state)
{
	uint8_t key[MEM_SECRET_LEN], text[15], sum[8];
	char hex[17];
	(void)state;
	for (uint8_t i = 0; i < sizeof key; i++)
		key[i] = i;
	for (uint8_t i = 0; i < sizeof text; i++)
		text[i] = i;
	/* Aumasson and Bernstein, "SipHash", appendix A; the output's bytes in order. */
	mem_be64(sum, mem_hash64(key, (struct mem_str){ (const char *)text, sizeof text }));
	mem_hash_hex(sum, sizeof sum, hex);
	assert_string_equal(hex, "e545be4961ca29a1");
	/* XXH3-64 of nothing with seed 0, of the xxHash test vectors. */
	assert_true(mem_hash_fast("", 0) == 0x2d06800538d394c2U);
	const struct mem_str parts[] = { MEM_STR_INIT("ab"), MEM_STR_INIT("c"), MEM_STR_INIT("a"), MEM_STR_INIT("bc") };
	struct mem_hash a = mem_hash128(NULL, parts, 2), b = mem_hash128(NULL, parts + 2, 2), c = mem_hash128(key, parts, 2);
	assert_memory_not_equal(a.b, b.b, sizeof a.b);
	assert_memory_not_equal(a.b, c.b, sizeof a.b);
	assert_true(mem_be64_get(sum) == 0xe545be4961ca29a1U && mem_be32_get(sum) == 0xe545be49U);
}

static void
utf8_is_that_of_rfc_3629(void **state)
{
	static const struct { const char *text; size_t valid; } cases[] = {
		{ "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10 }, { "a\xc0\x80", 1 }, { "a\xc1\xbf", 1 }, { "\xe0\x9f\xbf", 0 },
		{ "\xed\x9f\xbf\xed\xa0\x80", 3 }, { "\xee\x80\x80", 3 }, { "\xf0\x8f\xbf\xbf", 0 }, { "\xf4\x8f\xbf\xbf", 4 },
		{ "\xf4\x90\x80\x80", 0 }, { "\xf5\x80\x80\x80", 0 }, { "ab\xe2\x82", 2 }, { "\x80", 0 }, { "\xef\xbf\xbf", 3 },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		assert_int_equal(mem_utf8_valid(cases[i].text, strlen(cases[i].text)), cases[i].valid);
	for (uint32_t c = 0; c < 0x110000; c += c < 0x3000 ? 1 : 251) {
		struct mem_buf b = { 0 };
		uint32_t back;
		if (c >= 0xd800 && c < 0xe000)
			continue;
		mem_buf_utf8(&b, c);
		assert_int_equal(mem_utf8_valid(b.data, b.len), b.len);
		assert_int_equal(mem_utf8_decode(b.data, b.len, &back), b.len);
		assert_int_equal(back, c);
		mem_buf_release(&b);
	}
}

static void
a_file_is_replaced_whole_or_not(void **state)
{
	char dir[] = "/tmp/memkit-base-XXXXXX", path[64];
	struct mem_buf b = { 0 };
	struct mem_err err;
	struct stat st;
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/a/b/c", dir);
	assert_int_equal(mem_dir_make(path, 0700, &err), MEM_OK);
	assert_int_equal(mem_dir_make(path, 0700, &err), MEM_OK);
	int at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mem_file_replace(at, "f", "one", 3, 0600, &err), MEM_OK);
	assert_int_equal(mem_file_replace(at, "f", "second", 6, 0640, &err), MEM_OK);
	assert_int_equal(mem_file_read(at, "f", 6, &b, &err), MEM_OK);
	assert_string_equal(b.data, "second");
	assert_int_equal(mem_file_read(at, "f", 5, &b, &err), MEM_FAIL);
	assert_true(fstatat(at, "f", &st, 0) == 0 && (st.st_mode & 0777) == 0640);
	/* A folder cannot be replaced, and nothing is left behind. */
	assert_int_equal(mkdirat(at, "d", 0700), 0);
	assert_int_equal(mem_file_replace(at, "d", "x", 1, 0600, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "cannot replace 'd': "));
	assert_int_equal(unlinkat(at, "d", AT_REMOVEDIR) | unlinkat(at, "f", 0), 0);
	assert_int_equal(rmdir(path), 0);
	close(at);
	snprintf(path, sizeof path, "rm -r '%s'", dir);
	assert_int_equal(system(path), 0);
	mem_buf_release(&b);
}

/* An escape that drops all of a text reserves room and puts nothing. */
static void
a_buffer_ends_in_nul_from_the_first_reserve(void **state)
{
	struct mem_buf b = { 0 };
	(void)state;
	mallopt(M_PERTURB, 0x55); /* memory is not zero by chance; sanitizers see to that themselves */
	mem_buf_reserve(&b, 100);
	assert_non_null(b.data);
	assert_int_equal(b.data[0], '\0');
	mem_buf_puts(&b, "kept");
	mem_buf_reserve(&b, 5000);
	assert_string_equal(b.data, "kept");
	mem_buf_release(&b);
	mallopt(M_PERTURB, 0);
}

static void
errors_say_what_the_system_said(void **state)
{
	struct mem_err err;
	(void)state;
	errno = ENOSPC;
	assert_int_equal(mem_err_sys(&err, MEM_FAIL, "cannot write '%s'", "x"), MEM_FAIL);
	assert_string_equal(err.msg, "cannot write 'x': disk full");
	errno = ENOENT;
	assert_int_equal(mem_err_sys(NULL, MEM_BUSY, "no one hears"), MEM_BUSY);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(mem_err_set(&err, MEM_FAIL, "%s, again", err.msg), MEM_FAIL);
	assert_string_equal(err.msg, "cannot write 'x': disk full, again");
	static const enum mem_status answers[] = { MEM_END, MEM_NOTFOUND, MEM_EXISTS, MEM_REFUSED, MEM_STOPPED, MEM_STALE, MEM_ABSENT };
	for (size_t i = 0; i < MEM_COUNT(answers); i++) {
		assert_int_equal(mem_status_worse(answers[i], MEM_USAGE), MEM_USAGE);
		assert_int_equal(mem_status_worse(MEM_OK, answers[i]), answers[i]);
		assert_int_equal(mem_status_worse(answers[i], MEM_END), answers[i]);
	}
	assert_int_equal(mem_status_worse(MEM_USAGE, MEM_DENIED), MEM_DENIED);
	assert_int_equal(mem_status_worse(MEM_BUSY, MEM_DENIED), MEM_BUSY);
	assert_int_equal(mem_status_worse(MEM_FAIL, MEM_BUSY), MEM_FAIL);
}

static void
base64_is_that_of_rfc_4648(void **state)
{
	static const char *const want[] = { "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" }; /* its §10 */
	struct mem_buf b = { 0 };
	(void)state;
	for (size_t n = 0; n < MEM_COUNT(want); n++) {
		mem_buf_reset(&b);
		mem_buf_putc(&b, '"');
		mem_buf_base64(&b, "foobar", n);
		assert_string_equal(b.data + 1, want[n]);
		assert_int_equal(b.len, 1 + strlen(want[n]));
	}
	mem_buf_release(&b);
}

static void
base64_of_every_length_and_byte_is_decoded(void **state)
{
	struct mem_buf text = { 0 }, back = { 0 };
	unsigned char bytes[300];
	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 7);
	for (size_t n = 0; n <= sizeof bytes; n++) {
		mem_buf_reset(&text);
		mem_buf_base64(&text, bytes, n);
		mem_buf_reset(&back);
		mem_buf_puts(&back, "kept");
		assert_true(mem_buf_base64_decode(&back, mem_buf_span(&text)));
		assert_int_equal(back.len, 4 + n);
		assert_memory_equal(back.data, "kept", 4);
		assert_memory_equal(back.data + 4, bytes, n);
		assert_int_equal(back.data[back.len], 0);
	}
	mem_buf_release(&text);
	mem_buf_release(&back);
}

static void
base64_with_a_fault_is_refused(void **state)
{
	static const char *const faults[] = { "Z", "Zg", "Zg=", "Zg===", "=", "Zm9v=", "Zh==", "Zm9=", "Zm9vY===",
		"Zm 9v", "Zm9v\n", "Zm9v\nYmFy", "Zm9-", "Zm9_", "\"Zm9v\"", "Zg==Zg==" };
	struct mem_buf b = { 0 };
	(void)state;
	mem_buf_puts(&b, "kept");
	for (size_t i = 0; i < MEM_COUNT(faults); i++) {
		assert_false(mem_buf_base64_decode(&b, mem_str(faults[i])));
		assert_int_equal(b.len, 4);
		assert_string_equal(b.data, "kept");
	}
	assert_false(mem_buf_base64_decode(&b, (struct mem_str){ "Zm9\0", 4 }));
	assert_false(mem_buf_base64_decode(&b, (struct mem_str){ "Zm9vYmFy", 7 })); /* looks at no byte behind */
	assert_string_equal(b.data, "kept");
	mem_buf_release(&b);
}

static void
test_utf8_cut(void **state)
{
	(void)state;
	assert_int_equal(mem_utf8_cut(MEM_STR(""), 5), 0);
	assert_int_equal(mem_utf8_cut(MEM_STR("tea"), 5), 3);
	assert_int_equal(mem_utf8_cut(MEM_STR("tea"), 2), 2);
	assert_int_equal(mem_utf8_cut(MEM_STR("t\u00e9a"), 2), 1);
	assert_int_equal(mem_utf8_cut(MEM_STR("t\u00e9a"), 3), 3);
	assert_int_equal(mem_utf8_cut(MEM_STR("\U0001F375"), 3), 0);
}

static void
words_for_times(void **state)
{
	static const struct {
		const char *now, *word, *expected;
	} t[] = {
		/* 2026-11-28 is a Saturday. */
		{ "2026-11-28T09:00:00.000Z", "now", "2026-11-28T09:00:00.000Z" }, { "2026-11-28T09:00:00.000Z", "today", "2026-11-28T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "yesterday", "2026-11-27T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "this week", "2026-11-23T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "last week", "2026-11-16T00:00:00.000Z" },
		{ "2026-11-29T23:59:59.999Z", "last week", "2026-11-16T00:00:00.000Z" },
		{ "2026-11-30T00:00:00.000Z", "last week", "2026-11-23T00:00:00.000Z" },
		{ "2026-11-30T00:00:00.000Z", "this week", "2026-11-30T00:00:00.000Z" },
		{ "2026-11-30T00:00:00.000Z", "yesterday", "2026-11-29T00:00:00.000Z" },
		{ "2027-01-01T00:00:00.001Z", "last week", "2026-12-21T00:00:00.000Z" },
		{ "1969-12-31T23:59:59.999Z", "today", "1969-12-31T00:00:00.000Z" },
		{ "1969-12-31T23:59:59.999Z", "this week", "1969-12-29T00:00:00.000Z" },
		{ "1960-02-29T12:00:00.000Z", "last week", "1960-02-22T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "this month", "2026-11-01T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "last month", "2026-10-01T00:00:00.000Z" },
		{ "2026-01-31T09:00:00.000Z", "last month", "2025-12-01T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "this year", "2026-01-01T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "last year", "2025-01-01T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "last Monday", "2026-11-23T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "last friday", "2026-11-27T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "last Saturday", "2026-11-21T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "last Sunday", "2026-11-22T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "0 days ago", "2026-11-28T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "1 day ago", "2026-11-27T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "3 days ago", "2026-11-25T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.000Z", "2 weeks ago", "2026-11-14T00:00:00.000Z" },
		{ "2026-03-31T09:00:00.000Z", "1 month ago", "2026-02-28T00:00:00.000Z" },
		{ "2026-03-31T09:00:00.000Z", "15 months ago", "2024-12-31T00:00:00.000Z" },
		{ "2024-02-29T09:00:00.000Z", "1 year ago", "2023-02-28T00:00:00.000Z" },
		{ "2026-11-28T09:00:00.123Z", "36 hours ago", "2026-11-26T21:00:00.123Z" },
		{ "2026-11-28T09:00:00.000Z", "1 minute ago", "2026-11-28T08:59:00.000Z" },
		{ "1969-12-31T23:59:59.999Z", "last Monday", "1969-12-29T00:00:00.000Z" },
	};
	static const char *const none[] = { "last", "last ", "last decade", "next week", "monday", "this Monday", "days ago", "3 days", "3 ago",
		"3 days  ago", "-3 days ago", "3 days agoo", " 3 days ago", "3days ago", "100001 years ago", "9000 years ago", "99999999999999999999 days ago",
		"last weekk", "Last year", "yesterdayy", "last month ago" };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(t); i++) {
		int64_t now, ms;
		char at[MEM_TIME_LEN + 1];
		assert_true(mem_time_parse(mem_str(t[i].now), &now));
		assert_true(mem_time_parse_user(mem_str(t[i].word), now, &ms));
		mem_time_format(ms, at);
		assert_string_equal(at, t[i].expected);
	}
	for (size_t i = 0; i < MEM_COUNT(none); i++) {
		int64_t ms;
		if (mem_time_parse_user(mem_str(none[i]), INT64_C(1795856400000), &ms))
			fail_msg("'%s' is a time", none[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_for_times),
		cmocka_unit_test(base64_is_that_of_rfc_4648),
		cmocka_unit_test(base64_of_every_length_and_byte_is_decoded),
		cmocka_unit_test(base64_with_a_fault_is_refused),
		cmocka_unit_test(times_are_read_as_rfc_3339_says),
		cmocka_unit_test(every_day_of_the_calendar_comes_back),
		cmocka_unit_test(users_may_give_a_date_or_a_time_back),
		cmocka_unit_test(durations_and_numbers_do_not_overflow),
		cmocka_unit_test(each_flipped_bit_changes_a_crc),
		cmocka_unit_test(ids_carry_their_version_and_rise),
		cmocka_unit_test(hashes_are_those_of_their_papers),
		cmocka_unit_test(utf8_is_that_of_rfc_3629),
		cmocka_unit_test(a_file_is_replaced_whole_or_not),
		cmocka_unit_test(a_buffer_ends_in_nul_from_the_first_reserve),
		cmocka_unit_test(errors_say_what_the_system_said),
		cmocka_unit_test(test_utf8_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
