/* SPDX-License-Identifier: Apache-2.0 */
/* Entities: which node a name means, and what is written of it. */
#include "own_check.h"
#include "own_store.h"

#include "belief/entity.h"
#include "store/edge.h"
#include "store/log.h"
#include "store/node.h"
#include "words/words.h"

#define NOW INT64_C(1790000000000)
#define NS MEM_STR("global")
#define ASSERT_OK(call) do { \
	enum mem_status st_ = (call); \
	if (st_ != MEM_OK) \
		fail_msg("%s: status %d: %s", #call, (int)st_, err.msg); \
} while (0)

static struct mem_index open_index;
static struct mem_writer *w;
static struct mem_entities *entities;
static struct mem_write_total total;
static struct mem_txn *txn;
static struct mem_id episodes[3];
static struct mem_entity_source sources[3];

static bool
no_lines(void *ctx, struct mem_str lines)
{
	(void)ctx;
	fail_msg("a receipt of a quiet item: %.*s", (int)lines.n, lines.p);
	return true;
}

static bool
keep_no_lines(void *ctx, struct mem_str lines)
{
	(void)ctx;
	(void)lines;
	return true;
}

/* An episode to be the source of names. */
static void
add_episode(size_t i)
{
	static const struct mem_write_input in = { .line = 1, .ns = MEM_STR_INIT("global") };
	const char *const contents[] = { "one", "two", "three" };
	const struct mem_clean_field content = { "content", mem_clean_word(mem_writer_arena(w), mem_str(contents[i])) };
	const int64_t at_ms = NOW - 1000;
	const struct mem_write_node node = { .kind = MEM_KIND_EPISODE, .id_of = mem_str(contents[i]), .created_at = &at_ms, .fields = &content,
		.nfields = 1, .memory = { .importance = .5, .trust = .4 }, .audit.word = "capture" };
	struct mem_node there;
	mem_write_add(w, &in, &node);
	ASSERT_OK(mem_write_commit(w, keep_no_lines, NULL, &total, &err));
	episodes[i] = mem_id_v8(NS, mem_str(contents[i]));
	ASSERT_OK(mem_txn_read(&txn, open_index.store, &err));
	ASSERT_OK(mem_node_by_id(txn, &episodes[i], &there, &err));
	sources[i] = (struct mem_entity_source){ .episode = episodes[i], .has_episode = true, .ord = there.ord, .ns = NS,
		.created_at = at_ms + (int64_t)i, .trust = .4, .importance = .5 };
	mem_txn_end(txn);
}

static void
open_as(const char *agent)
{
	static const struct mem_write_options plain = { .via = "test" };
	struct mem_store_options ask = { .dir = at, .agent = agent, .write = true, .wait_ms = -1, .now = NOW };
	static const struct mem_entities_options o = { .similar = false };
	mem_entities_free(entities);
	mem_writer_free(w);
	mem_index_close(&open_index);
	ASSERT_OK(mem_index_open(&open_index, &ask, &err));
	w = mem_writer_new(&open_index, &plain);
	ASSERT_OK(mem_writer_sanitise(w, NULL, NULL, &err));
	ASSERT_OK(mem_entities_new(&entities, w, &o, &err));
}

static int
setup(void **state)
{
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	open_as("ada");
	for (size_t i = 0; i < 3; i++)
		add_episode(i);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	if (own_store_check(&open_index) != MEM_OK)
		return -1;
	mem_entities_free(entities);
	entities = NULL;
	mem_writer_free(w);
	w = NULL;
	mem_index_close(&open_index);
	return own_store_remove();
}

/* ---- rounds --------------------------------------------------------------- */

static void
begin_round(void)
{
	ASSERT_OK(mem_txn_read(&txn, open_index.store, &err));
	mem_entities_snapshot(entities, txn);
}

static size_t
end_round(void)
{
	ASSERT_OK(mem_entities_queue(entities, &err));
	mem_txn_end(txn);
	size_t n = mem_write_queued(w);
	ASSERT_OK(mem_write_commit(w, no_lines, NULL, &total, &err));
	return n;
}

static struct mem_entity_ref
resolve(const char *type, const char *name)
{
	struct mem_entity_ref out = { 0 };
	const struct mem_claim_term t = { MEM_TERM_ENTITY, mem_str(name), mem_str(type) };
	ASSERT_OK(mem_entity_resolve(entities, &t, &out, &err));
	ASSERT_OK(mem_entity_mention(entities, &out, &err));
	return out;
}

/* Names of one type that an episode says, all subjects; resolved as said. */
static void
say(size_t episode, const char *type, const char *const *names, size_t n, struct mem_entity_ref *out)
{
	struct mem_arena a = { 0 };
	struct mem_claim_list l = { .arena = &a };
	for (size_t i = 0; i < n; i++)
		mem_claim_add(&l)->subject = (struct mem_claim_term){ MEM_TERM_ENTITY, mem_str(names[i]), mem_str(type) };
	mem_entities_episode(entities, &sources[episode], &l);
	for (size_t i = 0; i < n; i++)
		out[i] = resolve(type, names[i]);
	mem_claims_release(&l);
	mem_arena_release(&a);
}

static bool
same(const struct mem_entity_ref *a, const struct mem_entity_ref *b)
{
	return mem_id_cmp(&a->id, &b->id) == 0;
}

static struct mem_str
read_field(const struct mem_id *id, const char *name, struct mem_arena *a)
{
	struct mem_node node;
	ASSERT_OK(mem_txn_read(&txn, open_index.store, &err));
	ASSERT_OK(mem_node_by_id(txn, id, &node, &err));
	struct mem_str v = mem_arena_str(a, mem_json_member((struct mem_json){ node.json, MEM_JSON_OBJECT, false }, name).raw);
	mem_txn_end(txn);
	return v;
}

static void
set_fields(const struct mem_id *id, const struct mem_clean_field *set, size_t n)
{
	static const struct mem_write_input in = { .line = 1 };
	const struct mem_write_edit edit = { .set = set, .n = n, .op = "changed" };
	ASSERT_OK(mem_write_change(w, &in, id, 0, &edit, &err));
	ASSERT_OK(mem_write_commit(w, keep_no_lines, NULL, &total, &err));
}

/* ---- tests ----------------------------------------------------------------- */

static void
test_short_names_within_an_episode(void **state)
{
	static const char *const people[] = { "Alice", "Alice Smith", "Bob", "Bob Jones", "Bob Miller" };
	static const char *const places[] = { "York", "New York" };
	struct mem_entity_ref p[5], q[2];
	(void)state;
	begin_round();
	say(0, "person", people, 5, p);
	assert_true(same(&p[0], &p[1]));
	assert_int_equal(p[0].method, MEM_ENTITY_COREF);
	assert_false(same(&p[2], &p[3])); /* two fit */
	assert_false(same(&p[2], &p[4]));
	say(0, "place", places, 2, q);
	assert_false(same(&q[0], &q[1]));
	say(1, "person", people, 1, p + 4); /* in another episode it is a name of its own */
	assert_false(same(&p[0], &p[4]));
	end_round();
}

static void
test_what_stays_two(void **state)
{
	static const char *const pairs[][3] = {
		{ "place", "Berlin", "Munich" }, { "tool", "PostgreSQL", "MySQL" }, { "project", "project Atlas", "project Apollo" },
		{ "person", "Alice Smith", "Bob Jones" }, { "tool", "PostgreSQL 15", "PostgreSQL 16" },
	};
	(void)state;
	begin_round();
	for (size_t i = 0; i < MEM_COUNT(pairs); i++) {
		struct mem_entity_ref r[2];
		say(0, pairs[i][0], pairs[i] + 1, 2, r);
		assert_false(same(&r[0], &r[1]));
		assert_false(mem_entity_names_alike(mem_str(pairs[i][1]), mem_str(pairs[i][2])));
		assert_true(r[0].is_new && r[1].is_new);
	}
	end_round();
	assert_true(mem_entity_names_alike(MEM_STR("Alice Smith"), MEM_STR("alice smith")));
}

static void
test_new_ones_are_written_once(void **state)
{
	struct mem_arena a = { 0 };
	const char *const name = "Acme CORP";
	struct mem_entity_ref r[2];
	(void)state;
	begin_round();
	say(0, "organisation", &name, 1, r);
	say(1, "organisation", (const char *const[]){ "acme corp" }, 1, r + 1);
	assert_true(same(&r[0], &r[1]));
	assert_true(r[1].is_new);
	struct mem_id id = mem_id_v8(NS, mem_write_identity(&a, MEM_KIND_ENTITY, MEM_STR("organisation"), MEM_STR("acme corp")));
	assert_int_equal(mem_id_cmp(&id, &r[0].id), 0);
	assert_true(end_round() > 0);
	assert_true(mem_str_is(read_field(&id, "mentions", &a), "2"));
	assert_true(mem_str_is(read_field(&id, "trust", &a), "0.4"));
	assert_true(mem_str_is(read_field(&id, "name", &a), "\"Acme CORP\""));
	/* The same again writes nothing; another episode is one mention more. */
	begin_round();
	say(0, "organisation", &name, 1, r);
	assert_int_equal(r[0].method, MEM_ENTITY_ALIAS_EXACT);
	assert_int_equal(end_round(), 0);
	begin_round();
	say(2, "organisation", &name, 1, r);
	assert_true(end_round() > 0);
	assert_true(mem_str_is(read_field(&id, "mentions", &a), "3"));
	assert_true(mem_str_is(read_field(&id, "version", &a), "1"));
	mem_arena_release(&a);
}

/* Two entities, the second one with an alias. */
static void
make_two(struct mem_entity_ref r[2], const char *alias)
{
	struct mem_arena a = { 0 };
	struct mem_clean_object list = { 0 };
	begin_round();
	say(0, "person", (const char *const[]){ "Alice Smith", "Bob Jones" }, 2, r);
	end_round();
	mem_clean_list_put(&list, mem_clean_word(&a, mem_str(alias)));
	const struct mem_clean_field set = { "aliases", mem_clean_list_end(&list, &a) };
	set_fields(&r[1].id, &set, 1);
	mem_arena_release(&a);
}

static void
test_aliases_and_survivors(void **state)
{
	struct mem_entity_ref r[2], found;
	struct mem_arena a = { 0 };
	(void)state;
	make_two(r, "Bobby");
	begin_round();
	say(1, "person", (const char *const[]){ "bobby" }, 1, &found);
	assert_true(same(&found, &r[1]));
	mem_txn_end(txn);
	const struct mem_clean_field set[] = { { "status", mem_clean_word(&a, MEM_STR("merged")) },
		{ "superseded_by", mem_clean_id(&a, &r[0].id) } };
	set_fields(&r[1].id, set, 2);
	begin_round();
	say(1, "person", (const char *const[]){ "Bob Jones" }, 1, &found);
	assert_true(same(&found, &r[0]));
	say(1, "person", (const char *const[]){ "Bobby" }, 1, &found);
	assert_true(same(&found, &r[0]));
	mem_txn_end(txn);
	mem_arena_release(&a);
}

/* A name that two have as an alias means neither. */
static void
test_alias_of_two(void **state)
{
	struct mem_entity_ref r[2], found;
	struct mem_arena a = { 0 };
	struct mem_clean_object list = { 0 };
	(void)state;
	make_two(r, "Al");
	mem_clean_list_put(&list, mem_clean_word(&a, MEM_STR("al")));
	const struct mem_clean_field set = { "aliases", mem_clean_list_end(&list, &a) };
	set_fields(&r[0].id, &set, 1);
	begin_round();
	say(1, "person", (const char *const[]){ "AL" }, 1, &found);
	assert_true(found.is_new);
	mem_txn_end(txn);
	mem_arena_release(&a);
}

static void
test_a_plan_that_does_not_hold(void **state)
{
	struct mem_entity_ref r[2];
	struct mem_txn *later = NULL;
	bool holds;
	(void)state;
	struct mem_arena a = { 0 };
	begin_round();
	say(0, "person", (const char *const[]){ "Alice Smith" }, 1, r);
	ASSERT_OK(mem_entities_hold(entities, txn, &holds, &err));
	assert_true(holds);
	end_round();
	begin_round();
	struct mem_txn *old = txn;
	say(1, "person", (const char *const[]){ "Alice Smith", "Bob Jones" }, 2, r);
	const struct mem_clean_field described = { "ref", mem_clean_word(&a, MEM_STR("x")) };
	set_fields(&r[0].id, &described, 1);
	ASSERT_OK(mem_txn_read(&later, open_index.store, &err));
	ASSERT_OK(mem_entities_hold(entities, later, &holds, &err));
	assert_false(holds);
	mem_txn_end(later);
	mem_txn_end(old);
	mem_arena_release(&a);
}

static void
test_refused_names(void **state)
{
	struct mem_entity_ref out;
	char long_name[MEM_ENTITY_NAME_MAX + 2];
	(void)state;
	memset(long_name, 'a', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	const struct mem_claim_term empty = { MEM_TERM_ENTITY, MEM_STR(" \t"), MEM_STR("person") };
	const struct mem_claim_term too_long = { MEM_TERM_ENTITY, mem_str(long_name), MEM_STR("person") };
	const struct mem_claim_term bob = { MEM_TERM_ENTITY, MEM_STR("Bob"), MEM_STR("person") };
	begin_round();
	mem_entities_episode(entities, &sources[0], NULL);
	assert_int_equal(mem_entity_resolve(entities, &empty, &out, &err), MEM_REFUSED);
	assert_string_equal(err.reason, "empty");
	assert_int_equal(mem_entity_resolve(entities, &too_long, &out, &err), MEM_REFUSED);
	assert_string_equal(err.reason, "too_long");
	mem_txn_end(txn);
	open_as("eve"); /* who may not write to global */
	begin_round();
	mem_entities_episode(entities, &sources[0], NULL);
	assert_int_equal(mem_entity_resolve(entities, &bob, &out, &err), MEM_REFUSED);
	assert_string_equal(err.reason, "namespace_denied");
	mem_txn_end(txn);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_short_names_within_an_episode, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_stays_two, setup, teardown),
		cmocka_unit_test_setup_teardown(test_new_ones_are_written_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_aliases_and_survivors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_alias_of_two, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_plan_that_does_not_hold, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_names, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
