/* SPDX-License-Identifier: Apache-2.0 */
/* Ids by their beginnings, of a store that holds nodes of two agents. */
#include "own_store.h"
#include "store/node.h"

enum { NODES = 9 };
/* Mine and, from the sixth on, another's. */
static const char *const ids[NODES] = {
	"01a22161-fe80-7000-af37-f394a2dc4c24", "01a22161-fe80-7001-b44b-ea1a2406c3ca", "01a22161-fe80-7001-b44b-ea1a2406c3cb",
	"01a22162-0000-7000-8000-000000000000", "ffffffff-ffff-8fff-bfff-ffffffffffff",
	"01a22161-fe80-7000-af37-f394a2dc4c25", "01a22161-fe80-7000-af37-f394a2dc4c23", "0aaaaaaa-0000-7000-8000-000000000000",
	"00000000-0000-7000-8000-000000000000",
};
static const int mine = 5;

static enum mem_status
add_nodes(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	enum mem_status st = MEM_OK;
	for (int i = 0; i < NODES && st == MEM_OK; i++) {
		char json[300];
		struct mem_rec rec = { 0 };
		struct mem_node_keys d;
		uint32_t ord;
		snprintf(json, sizeof json, "{\"id\":\"%s\",\"kind\":\"note\",\"ns\":\"agent:%s\",\"created_at\":\"2026-11-28T09:00:00.000Z\"}",
		    ids[i], i < mine ? "ada" : "bob");
		st = mem_rec_scan(&rec, mem_str(json), e);
		if (st == MEM_OK)
			st = mem_node_keys_make(&d, ctx, &rec, MEM_FILL_NOTHING, NULL, NULL, e);
		if (st == MEM_OK)
			st = mem_node_add(t, &d, "import", &ord, e);
		mem_rec_release(&rec);
	}
	return st;
}

static struct mem_store *
open_store(const char *agent, bool write)
{
	struct mem_store *s = NULL;
	struct mem_store_options o = { .dir = at, .agent = agent, .write = write, .wait_ms = -1, .now = MEM_TIME_NONE };
	assert_int_equal(mem_store_open(&s, &o, &err), MEM_OK);
	return s;
}

static int
make_nodes(void **state)
{
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	struct mem_store *s = open_store("ada", true);
	enum mem_status st = mem_store_write(s, add_nodes, s, &err);
	mem_store_close(s);
	return st == MEM_OK ? 0 : -1;
}

static int
remove_nodes(void **state)
{
	(void)state;
	return own_store_remove();
}

static void
finds_prefixes(void **state)
{
	static const struct {
		const char *agent, *text;
		enum mem_status st;
		int which;
	} t[] = {
		{ "ada", "01a22161-fe80-7000-af37-f394a2dc4c24", MEM_OK, 0 }, { "ada", "01A22161-FE80-7000", MEM_OK, 0 },
		{ "ada", "01a22161-fe80-7000-", MEM_OK, 0 }, { "ada", "01a22161-fe80-7000-af37-f394a2dc4c2", MEM_OK, 0 },
		{ "ada", "01a22162", MEM_OK, 3 }, { "ada", "ffff", MEM_OK, 4 }, { "ada", "01a22161-fe80-7001-b44b-ea1a2406c3c", MEM_REFUSED, 0 },
		{ "ada", "01a2", MEM_REFUSED, 0 }, { "ada", "01a22161-fe80-7001", MEM_REFUSED, 0 },
		/* Only others have it: as good as unknown, and full ids are not looked at. */
		{ "ada", "0aaa", MEM_NOTFOUND, 0 }, { "ada", "0aaaaaaa-0000-7000-8000-00000000000", MEM_NOTFOUND, 0 }, { "ada", "0000", MEM_NOTFOUND, 0 },
		{ "bob", "0aaa", MEM_OK, 7 }, { "bob", "0000", MEM_OK, 8 }, { "bob", "ffff", MEM_NOTFOUND, 0 }, { "bob", "01a2", MEM_REFUSED, 0 },
		{ "bob", "01a22161-fe80-7001", MEM_NOTFOUND, 0 }, { "bob", "01a22162", MEM_NOTFOUND, 0 },
		{ "ada", "01a", MEM_USAGE, 0 }, { "ada", "", MEM_USAGE, 0 }, { "ada", "01a22161fe80", MEM_USAGE, 0 }, { "ada", "01a2g", MEM_USAGE, 0 },
		{ "ada", "01a22161-fe80-7000-af37-f394a2dc4c244", MEM_USAGE, 0 }, { "ada", "nonsense", MEM_USAGE, 0 },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(t); i++) {
		struct mem_store *s = open_store(t[i].agent, false);
		struct mem_id id;
		char text[MEM_ID_LEN + 1];
		enum mem_status st = mem_id_find(s, mem_str(t[i].text), &id, &err);
		if (st != t[i].st)
			fail_msg("%s, %s: %d", t[i].agent, t[i].text, (int)st);
		if (st == MEM_OK) {
			mem_id_format(&id, text);
			assert_string_equal(text, ids[t[i].which]);
		}
		mem_store_close(s);
	}
}

static void
names_candidates(void **state)
{
	struct mem_id id;
	(void)state;
	struct mem_store *s = open_store("ada", false);
	assert_int_equal(mem_id_find(s, MEM_STR("01a22161"), &id, &err), MEM_REFUSED);
	assert_string_equal(err.reason, "ambiguous");
	for (int i = 0; i < NODES; i++)
		assert_int_equal(strstr(err.msg, ids[i]) != NULL, i < 3);
	mem_store_close(s);
}

static void
assert_short(const char *agent, int which, const char *expected)
{
	struct mem_store *s = open_store(agent, false);
	struct mem_txn *t = NULL;
	struct mem_id id;
	char text[MEM_ID_LEN + 1];
	assert_true(mem_id_parse(mem_str(ids[which]), &id));
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	snprintf(text, sizeof text, "%.*s", (int)mem_id_short_length(t, &id), ids[which]);
	mem_txn_end(t);
	assert_string_equal(text, expected);
	/* What is shown is understood. */
	struct mem_id found;
	assert_int_equal(mem_id_find(s, mem_str(text), &found, &err), MEM_OK);
	assert_int_equal(mem_id_cmp(&id, &found), 0);
	mem_store_close(s);
}

static void
shortens_among_what_is_seen(void **state)
{
	(void)state;
	assert_short("ada", 0, "01a22161-fe80-7000");  /* bob's two beside it do not show */
	assert_short("ada", 1, ids[1]);
	assert_short("ada", 2, ids[2]);
	assert_short("ada", 3, "01a22162");
	assert_short("ada", 4, "ffffffff");
	assert_short("bob", 5, ids[5]);
	assert_short("bob", 6, ids[6]);
	assert_short("bob", 7, "0aaaaaaa");
}

static void
leaves_absent_ids_whole(void **state)
{
	struct mem_txn *t = NULL;
	struct mem_id id;
	(void)state;
	struct mem_store *s = open_store("ada", false);
	assert_true(mem_id_parse(MEM_STR("01a22161-fe80-7000-af37-f394a2dc4c26"), &id));
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_id_short_length(t, &id), MEM_ID_LEN);
	mem_txn_end(t);
	mem_store_close(s);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_prefixes),
		cmocka_unit_test(names_candidates),
		cmocka_unit_test(shortens_among_what_is_seen),
		cmocka_unit_test(leaves_absent_ids_whole),
	};
	return cmocka_run_group_tests(tests, make_nodes, remove_nodes);
}
