/* SPDX-License-Identifier: Apache-2.0 */
/* What of a node its vector is made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "embed/embed.h"
#include "store/node.h"

static const char *
text_of(const char *json)
{
	static struct mem_buf b;
	struct mem_rec r = { 0 };
	struct mem_err err;
	mem_buf_reset(&b);
	mem_buf_puts(&b, "kept|");
	assert_int_equal(mem_rec_scan(&r, mem_str(json), &err), MEM_OK);
	bool any = mem_node_text(&b, &r);
	mem_rec_release(&r);
	/* Nothing is appended, or something. */
	assert_int_equal(any, b.len > 5);
	assert_int_equal(strlen(b.data), b.len);
	return b.data + 5;
}

static void
each_kind_has_its_text(void **state)
{
	static const struct { const char *json, *text; } cases[] = {
		{ "{\"content\":\"tea\"}", "tea" },
		{ "{\"content\":\"a \\\"b\\\"\\n\\u00e9\",\"speaker\":\"Mina\"}", "Mina: a \"b\"\n\303\251" },
		{ "{\"content\":\"tea\",\"speaker\":null,\"listener\":\"Bo\"}", "tea" },
		{ "{\"content\":\"tea\",\"speaker\":\"\"}", "tea" },
		{ "{\"kind\":\"fact\",\"statement\":\"Tea is hot.\",\"title\":null}", "Tea is hot." },
		{ "{\"name\":\"Mina\",\"description\":\"A friend.\"}", "Mina: A friend." },
		{ "{\"title\":\"Tea\",\"name\":\"tea\",\"content\":\"Leaves.\",\"description\":\"About it.\"}", "Tea: Leaves.\nAbout it." },
		{ "{\"name\":\"Mina\"}", "Mina" },
		{ "{\"title\":\"Tea\",\"content\":\"\"}", "Tea" },
		/* Nothing that says anything. */
		{ "{}", "" }, { "{\"content\":\"\"}", "" }, { "{\"content\":\" \\n\\t\\u0001\\u007f\"}", "" },
		{ "{\"content\":7}", "" }, { "{\"content\":[\"tea\"]}", "" },
		{ "{\"speaker\":\"Mina\"}", "" }, { "{\"speaker\":\"Mina\",\"content\":\" \"}", "" }, { "{\"ref\":\"x\",\"tags\":[\"y\"]}", "" },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		assert_string_equal(text_of(cases[i].json), cases[i].text);
}

static void
what_is_searched_has_vectors(void **state)
{
	(void)state;
	const struct mem_kind_set searched = mem_kinds_searched();
	for (unsigned k = 0; k < MEM_KIND_COUNT; k++)
		assert_true(!mem_kind_set_has(&searched, k) || mem_kind_info(k)->embedded);
	static const enum mem_kind without[] = { MEM_KIND_NONE, MEM_KIND_TAG, MEM_KIND_KB, MEM_KIND_GRANT, MEM_KIND_AGENT,
		MEM_KIND_SESSION, MEM_KIND_CONFLICT };
	for (size_t i = 0; i < MEM_COUNT(without); i++)
		assert_false(mem_kind_info(without[i])->embedded);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_has_its_text),
		cmocka_unit_test(what_is_searched_has_vectors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
