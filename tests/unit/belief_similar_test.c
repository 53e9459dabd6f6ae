/* SPDX-License-Identifier: Apache-2.0 */
/* Step `similar` of entities by the real encoder: what it takes for one, and what stays two.  Skipped where e5 is not installed. */
#include "own_store.h"

#include <sys/stat.h>

#include "belief/entity.h"
#include "model/model.h"
#include "store/node.h"
#include "words/words.h"

#define NS MEM_STR("global")
#define ASSERT_OK(call) do { \
	enum mem_status st_ = (call); \
	if (st_ != MEM_OK) \
		fail_msg("%s: status %d: %s", #call, (int)st_, err.msg); \
} while (0)

static const char *const known[][2] = {
	{ "tool", "PostgreSQL" }, { "place", "Berlin" }, { "project", "project Atlas" }, { "person", "Alice Smith" }, { "person", "Christine" },
	{ "organisation", "Acme Corp" }, { "tool", "Python 3" },
};

static struct mem_index open_index;
static struct mem_writer *w;
static struct mem_entities *entities;
static bool installed;

static bool
drop_lines(void *ctx, struct mem_str lines)
{
	(void)ctx;
	(void)lines;
	return true;
}

/* The installed models in the home of the test. */
static bool
link_models(void)
{
	const char *models = getenv("MEMKIT_MODELS");
	char path[200];
	struct stat sb;
	snprintf(path, sizeof path, "%s/e5.model", models != NULL ? models : "/nonexistent");
	if (stat(path, &sb) != 0)
		return false;
	snprintf(path, sizeof path, "mkdir -p '%s/.local/share/memkit' && ln -s '%s' '%s/.local/share/memkit/models'", dir, models, dir);
	return system(path) == 0;
}

static void
add_known_entities(void)
{
	struct mem_write_total total = { 0 };
	for (size_t i = 0; i < MEM_COUNT(known); i++) {
		const struct mem_write_input in = { .line = i + 1, .ns = NS };
		struct mem_finding_list found = { 0 };
		struct mem_clean_text name;
		ASSERT_OK(mem_write_clean_text(w, &name, "name", mem_str(known[i][1]), &found, &err));
		const struct mem_clean_field fields[] = { { "name", name },
			{ "type", mem_clean_word(mem_writer_arena(w), mem_str(known[i][0])) }, { "aliases", mem_clean_empty_list() } };
		const struct mem_write_node node = { .kind = MEM_KIND_ENTITY, .fields = fields, .nfields = MEM_COUNT(fields),
			.id_of = mem_write_identity(mem_writer_arena(w), MEM_KIND_ENTITY, mem_str(known[i][0]), mem_str(known[i][1])) };
		mem_write_add(w, &in, &node);
	}
	ASSERT_OK(mem_write_commit(w, drop_lines, NULL, &total, &err));
	assert_int_equal(total.waiting, 0);
}

static int
setup(void **state)
{
	static const struct mem_write_options plain = { .via = "test" };
	static const struct mem_entities_options o = { .similar = true };
	struct mem_store_options ask = { .agent = "ada", .write = true, .wait_ms = -1, .now = INT64_C(1790000000000) };
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	installed = link_models();
	if (!installed)
		return 0;
	mem_link_curl_and_blas();
	ask.dir = at;
	ASSERT_OK(mem_index_open(&open_index, &ask, &err));
	w = mem_writer_new(&open_index, &plain);
	ASSERT_OK(mem_writer_sanitise(w, NULL, NULL, &err));
	ASSERT_OK(mem_writer_embed(w, MEM_WRITE_EMBED_ALL, &err));
	ASSERT_OK(mem_entities_new(&entities, w, &o, &err));
	add_known_entities();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	mem_entities_free(entities);
	mem_writer_free(w);
	mem_index_close(&open_index);
	return own_store_remove();
}

/* What a name means; prepared first if it is wanted so. */
static struct mem_entity_ref
resolve(const char *type, const char *name, bool prepare)
{
	static struct mem_arena arena;
	static struct mem_entity_source source;
	struct mem_claim_list l = { .arena = &arena };
	struct mem_entity_ref out = { 0 };
	struct mem_txn *t = NULL;
	source = (struct mem_entity_source){ .ns = NS, .created_at = 1, .trust = .5, .importance = .5 };
	mem_claim_add(&l)->subject = (struct mem_claim_term){ MEM_TERM_ENTITY, mem_str(name), mem_str(type) };
	if (prepare)
		ASSERT_OK(mem_entities_prepare(entities, NS, &l, &err));
	ASSERT_OK(mem_txn_read(&t, open_index.store, &err));
	mem_entities_snapshot(entities, t);
	mem_entities_episode(entities, &source, &l);
	ASSERT_OK(mem_entity_resolve(entities, &l.v[0].subject, &out, &err));
	mem_txn_end(t);
	mem_claims_release(&l);
	return out;
}

static void
test_similar_names(void **state)
{
	static const struct { const char *type, *name, *is; } names[] = {
		{ "tool", "Postgre SQL", "PostgreSQL" }, { "organisation", "Acme Corp's", "Acme Corp" }, { "project", "Atlas project", "project Atlas" },
		{ "tool", "MySQL", NULL }, { "place", "Munich", NULL }, { "project", "project Apollo", NULL }, { "person", "Bob Jones", NULL },
		{ "person", "Christina", NULL }, { "person", "Alice Jones", NULL }, { "tool", "Python 2", NULL },
		{ "person", "Postgre SQL", NULL }, /* of another type */
	};
	(void)state;
	if (!installed)
		skip();
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		struct mem_entity_ref r = resolve(names[i].type, names[i].name, true);
		if (names[i].is == NULL ? !r.is_new : r.method != MEM_ENTITY_SIMILAR_NAME || !mem_str_is(r.name, names[i].is))
			fail_msg("%s: %s, %.*s", names[i].name, mem_entity_method_word(r.method), (int)r.name.n, r.name.p);
		assert_true(names[i].is == NULL || r.confidence >= MEM_ENTITY_SIMILAR);
	}
	/* Without a vector of its own the name is new. */
	assert_true(resolve("tool", "PostgreSQLs", false).is_new);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(test_similar_names, setup, teardown) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
