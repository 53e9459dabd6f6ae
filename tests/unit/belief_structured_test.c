/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of structured texts: front matter, lists, tables, JSON; and texts that only look like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "belief/extract.h"

static struct mem_err err;
static struct mem_arena arena;
static struct mem_belief_rules *rules;
static struct mem_claim_list list;

static int
load_rules(void **state)
{
	const struct mem_belief_options options = { .dirfd = -1 };
	(void)state;
	list.arena = &arena;
	return mem_belief_rules_load(&rules, &options, &err) == MEM_OK ? 0 : -1;
}

static int
free_rules(void **state)
{
	(void)state;
	mem_belief_rules_free(rules);
	mem_claims_release(&list);
	mem_arena_release(&arena);
	return 0;
}

static void
extract_claims(struct mem_str content, enum mem_role role)
{
	const struct mem_extract_source s = { .content = content, .role = role, .captured_at = 1700000000000 };
	mem_claims_reset(&list);
	assert_int_equal(mem_extract(&list, rules, &s, &err), MEM_OK);
	for (size_t i = 0; i < list.n; i++)
		assert_true(list.v[i].start < list.v[i].end && list.v[i].end <= content.n);
}

/* The claims as "SUBJECT predicate OBJECT (DETAIL)" lines in their order. */
static const char *
claims_of(const char *content, enum mem_role role)
{
	struct mem_buf b = { 0 };
	extract_claims(mem_str(content), role);
	for (size_t i = 0; i < list.n; i++) {
		const struct mem_claim *c = &list.v[i];
		mem_buf_printf(&b, "%.*s %.*s %.*s", (int)c->subject.text.n, c->subject.text.p, (int)c->predicate.n, c->predicate.p,
		    (int)c->object.text.n, c->object.text.p);
		if (c->detail.n > 0)
			mem_buf_printf(&b, " (%.*s)", (int)c->detail.n, c->detail.p);
		mem_buf_putc(&b, '\n');
	}
	const char *text = mem_arena_dup(&arena, b.len > 0 ? b.data : "", b.len);
	mem_buf_release(&b);
	return text;
}
#define CHECK(content, want) assert_string_equal(claims_of(content, MEM_ROLE_EVENT), want)

/* ---- front matter, lists, tables -------------------------------------------- */

static void
front_matter(void **state)
{
	(void)state;
	CHECK("---\ntitle: Atlas\nstatus: in progress\nversion: 2.1\nauthor: [Mara Lind, Ken Oduya]\ndue: 2025-06-01\ndraft: no\n---\n",
	    "Atlas has_status in progress\nAtlas has_version 2.1\nAtlas made_by Mara Lind\nAtlas made_by Ken Oduya\nAtlas due_on 2025-06-01\n");
	const char *text = "---\ntitle: Atlas\nstatus: done\n---\nbody\n";
	extract_claims(mem_str(text), MEM_ROLE_EVENT);
	assert_true(list.n >= 1);
	assert_memory_equal(text + list.v[0].start, "status: done", 12);
	assert_int_equal(list.v[0].end - list.v[0].start, 12);
	/* No subject, no claim. */
	CHECK("---\nstatus: done\n---\n", "");
}

static void
lists_of_keys(void **state)
{
	(void)state;
	CHECK("# Atlas\n\n- **Status**: blocked\n- Depends on: libpng, zlib\n- Blocked by: the audit\n- Deadline: -\n",
	    "Atlas has_status blocked\nAtlas depends_on libpng\nAtlas depends_on zlib\nAtlas blocked_by the audit\n");
	CHECK("Name: Ines Duarte\nJob title: nurse\nEmployer: St. Olav\nBirthday: 1984-05-03\nLanguages: Portuguese, Norwegian\n",
	    "Ines Duarte has_role nurse\nInes Duarte works_at St. Olav\nInes Duarte born_on 1984-05-03\nInes Duarte speaks Portuguese\n"
	    "Ines Duarte speaks Norwegian\n");
	CHECK("Service: billing\nOwner: Greta\nRegion: eu-west-1\n", "billing located_in eu-west-1\nGreta owns billing\n");
}

static void
statements_of_mappings(void **state)
{
	static const char *const want[] = { "Ines Duarte was born on 1984-05-03", "Ines Duarte is 41 years old", "Ines Duarte is from Porto" };
	(void)state;
	extract_claims(MEM_STR("Name: Ines Duarte\nBirthday: 1984-05-03\nAge: 41\nHometown: Porto\n"), MEM_ROLE_EVENT);
	assert_int_equal(list.n, MEM_COUNT(want));
	for (size_t i = 0; i < list.n; i++) {
		size_t found = 0;
		while (found < MEM_COUNT(want) && !mem_str_is(list.v[i].statement, want[found]))
			found++;
		if (found == MEM_COUNT(want))
			fail_msg("%.*s", (int)list.v[i].statement.n, list.v[i].statement.p);
	}
	extract_claims(MEM_STR("{\"name\":\"tidepool\",\"dependencies\":{\"ws\":\"8\"}}"), MEM_ROLE_TOOL);
	assert_int_equal(list.n, 1);
	assert_true(mem_str_is(list.v[0].statement, "tidepool depends on ws (8)"));
}

static void
texts_that_are_no_lists(void **state)
{
	(void)state;
	/* One line alone, a heading that is too far away, addresses, code, prose with a colon. */
	CHECK("Status: done\n", "");
	CHECK("# Atlas\n\nSome words here.\n\nStatus: done\nVersion: 2\n", "");
	CHECK("# Atlas\n\n```\nstatus: done\nversion: 2\n```\n", "");
	CHECK("see:http://x.org/status:done\nand:more\n", "");
	CHECK("This is a long line which ends in a remark about it: nothing\nAnd another of those lines that never end: nothing\n", "");
}

static void
tables_of_pipes(void **state)
{
	(void)state;
	CHECK("| Service | Version | Status | Owner |\n|---|---|---|---|\n| billing | 2.4 | live | Omar |\n| search | n/a | **down** | |\n",
	    "billing has_status live\nbilling has_version 2.4\nOmar owns billing\nsearch has_status down\n");
	CHECK("| a | b |\n| c | d |\n", "");
	CHECK("```\n| Service | Status |\n|---|---|\n| billing | live |\n```\n", "");
}

/* ---- JSON -------------------------------------------------------------------- */

#define TOOL(content, want) assert_string_equal(claims_of(content, MEM_ROLE_TOOL), want)

static void
json_of_packages(void **state)
{
	(void)state;
	TOOL("{\"name\":\"tidepool\",\"version\":\"3.1.0\",\"author\":{\"name\":\"Ana Reis\"},\"dependencies\":{\"left-pad\":\"^1.3.0\",\"ws\":\"8\"}}",
	    "tidepool has_version 3.1.0\ntidepool depends_on left-pad (^1.3.0)\ntidepool depends_on ws (8)\ntidepool made_by Ana Reis\n");
	TOOL("[{\"name\":\"pip\",\"version\":\"23.0\"},{\"name\":\"wheel\",\"version\":\"0.38\"}]\n", "pip has_version 23.0\nwheel has_version 0.38\n");
	assert_int_equal(list.v[0].veracity, MEM_VERACITY_TOOL);
}

static void
json_of_containers(void **state)
{
	(void)state;
	TOOL("{\"Names\":\"web\",\"Image\":\"nginx:1.25\",\"State\":\"running\"}\n{\"Names\":\"db\",\"Image\":\"postgres:15\",\"Status\":\"Exited (0)\"}\n",
	    "web uses nginx:1.25\nweb has_status running\ndb uses postgres:15\ndb has_status Exited (0)\n");
	TOOL("{\"kind\":\"List\",\"items\":[{\"kind\":\"Pod\",\"metadata\":{\"name\":\"api-1\"},\"spec\":{\"nodeName\":\"node-3\",\"containers\":"
	     "[{\"image\":\"api:7\"},{\"image\":\"sidecar:1\"}]},\"status\":{\"phase\":\"Running\"}}]}",
	    "api-1 has_status Running\napi-1 uses api:7\napi-1 uses sidecar:1\napi-1 located_in node-3\napi-1 is_a Pod\n");
}

static void
json_of_issues(void **state)
{
	(void)state;
	TOOL("{\"number\":7,\"title\":\"Crash on start\",\"state\":\"open\",\"user\":{\"login\":\"mara\"},\"assignees\":[{\"login\":\"ken\"},{\"login\":\"omar\"}]}",
	    "Crash on start has_status open\nCrash on start made_by mara\nken works_on Crash on start\n");
	TOOL("{\"key\":\"OPS-12\",\"fields\":{\"status\":{\"name\":\"Done\"},\"assignee\":{\"displayName\":\"Greta Holm\"},\"duedate\":\"2025-04-01\"}}",
	    "OPS-12 has_status Done\nGreta Holm works_on OPS-12\nOPS-12 due_on 2025-04-01\n");
}

static void
json_that_says_nothing(void **state)
{
	(void)state;
	static const char *const none[] = { "{}", "[]", "{\"name\":\"a\"}", "{\"name\":null,\"version\":\"1\"}", "{\"name\":\"a\",\"version\":\"\"}",
		"{\"name\":\"a\",\"version\":", "[1,2,3]", "{\"name\":[\"a\"],\"version\":{\"x\":1}}", "{\"state\":\"open\",\"title\":\"-\"}",
		"{\"name\":\"same\",\"version\":\"same\"}" };
	for (size_t i = 0; i < MEM_COUNT(none); i++)
		TOOL(none[i], "");
}

/* ---- size -------------------------------------------------------------------- */

/* 1 MB of anything is read, and gives no more than a tool's answer may. */
static void
large_contents(void **state)
{
	static const struct { const char *begin, *repeated, *end; } cases[] = {
		{ "", "status: done\n", "" },
		{ "", "a: b\n\n", "" },
		{ "", "| a | b |\n", "" },
		{ "| name | status |\n|--|--|\n", "| x | done |\n", "" },
		{ "", "|--|--|\n", "" },
		{ "[", "{\"name\":\"a\",\"version\":\"1\"},", "{}]" },
		{ "{\"name\":\"a\",\"dependencies\":{", "\"b\":\"1\",", "\"c\":2}}" },
		{ "", "{\"name\":\"a\",\"status\":\"b\"}\n", "" },
		{ "", "[[", "" },
		{ "", "# a\n", "" },
		{ "---\n", "a: b\n", "---\n" },
		{ "", "```\n", "" },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_buf b = { 0 };
		mem_buf_puts(&b, cases[i].begin);
		while (b.len < (size_t)1 << 20)
			mem_buf_puts(&b, cases[i].repeated);
		mem_buf_puts(&b, cases[i].end);
		extract_claims(mem_buf_span(&b), MEM_ROLE_TOOL);
		assert_true(list.n <= 256);
		mem_buf_release(&b);
		mem_arena_reset(&arena);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(front_matter),
		cmocka_unit_test(lists_of_keys),
		cmocka_unit_test(statements_of_mappings),
		cmocka_unit_test(texts_that_are_no_lists),
		cmocka_unit_test(tables_of_pipes),
		cmocka_unit_test(json_of_packages),
		cmocka_unit_test(json_of_containers),
		cmocka_unit_test(json_of_issues),
		cmocka_unit_test(json_that_says_nothing),
		cmocka_unit_test(large_contents),
	};
	return cmocka_run_group_tests_name("belief_structured", tests, load_rules, free_rules);
}
