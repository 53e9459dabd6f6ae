/* SPDX-License-Identifier: Apache-2.0 */
/* What every stage of the table keeps to, whatever it does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "record/record.h"
#include "stage/stage.h"

/* Numbers that no double holds, blanks and escapes: what an edit must leave as it is. */
#define KEPT "\"extra\" : { \"n\":1e400, \"s\":\"\\u00e9\" }"

static const char *const hits[] = {
	"{\"id\":\"a\",\"kind\":\"episode\",\"content\":\"tea\",\"rank\":1,\"score\":3,\"match\":0.5,\"mode\":\"keyword\","
	"\"signals\":{\"lexical\":{\"score\":3}}," KEPT "}",
	"{\"id\":\"b\",\"kind\":\"episode\",\"content\":\"milk\",\"rank\":2,\"score\":1,\"match\":null,\"mode\":\"keyword\"," KEPT "}",
};

/* Of the hits, with lines among them that are none. */
static struct mem_buf
run_stage_lines(const struct mem_stage *s, const char *const *lines, size_t n, bool refused)
{
	struct mem_buf out = { 0 };
	struct mem_err err;
	void *state = s->open(NULL);
	assert_non_null(state);
	for (size_t i = 0; i < n; i++) {
		size_t before = out.len;
		assert_int_equal(s->add(state, 0, mem_str(lines[i]), &out, &err), MEM_OK);
		if (refused) {
			before = out.len;
			assert_int_equal(s->add(state, 0, mem_str("[1]"), &out, &err), MEM_REFUSED);
			assert_string_equal(err.reason, "not_an_object");
			assert_int_equal(s->add(state, 0, mem_str("tea"), &out, &err), MEM_REFUSED);
			assert_string_equal(err.reason, "bad_json");
			assert_int_equal(out.len, before);
		}
		assert_true(out.len >= before);
	}
	assert_int_equal(s->end(state, &out, &err), MEM_OK);
	s->free(state);
	mem_buf_putc(&out, '\0');
	out.len--;
	return out;
}

/* Whole lines of records, each with what a stage has no business with as it came. */
static void
assert_records(struct mem_str out)
{
	struct mem_rec r = { 0 };
	size_t n = 0;
	for (; out.n > 0; n++) {
		const char *nl = memchr(out.p, '\n', out.n);
		assert_non_null(nl);
		struct mem_str line = { out.p, (size_t)(nl - out.p) };
		assert_int_equal(mem_rec_scan(&r, line, NULL), MEM_OK);
		assert_true(mem_json_there(mem_rec_value(&r, "id")));
		assert_non_null(memmem(line.p, line.n, KEPT, strlen(KEPT)));
		out = (struct mem_str){ nl + 1, out.n - line.n - 1 };
	}
	assert_true(n > 0);
	mem_rec_release(&r);
}

static void
each_stage_keeps_to_it(void **unused)
{
	(void)unused;
	for (size_t i = 0; mem_stages[i] != NULL; i++) {
		const struct mem_stage *s = mem_stages[i];
		struct mem_buf none = run_stage_lines(s, hits, 0, false), two = run_stage_lines(s, hits, 2, false), bad = run_stage_lines(s, hits, 2, true);
		print_message("stage %s\n", s->name);
		assert_int_equal(none.len, 0);
		assert_true(two.len > 0);
		/* Refused lines leave no trace. */
		assert_string_equal(two.data, bad.data);
		void *state = s->open(NULL);
		if (s->is_text == NULL || !s->is_text(state))
			assert_records(mem_buf_span(&two));
		s->free(state);
		mem_buf_release(&none);
		mem_buf_release(&two);
		mem_buf_release(&bad);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_stage_keeps_to_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
