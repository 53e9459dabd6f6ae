/* SPDX-License-Identifier: Apache-2.0 */
/* Skills as nodes: read, found by what people type, listed. */
#include "own_store.h"

#include "record/record.h"
#include "skill/categories.h"
#include "skill/skill.h"
#include "store/node.h"

static struct mem_store *store;
static const int64_t now = 1790000000000;

#define ID_FOLD "0192aaaa-0000-7000-8000-000000000001"
#define ID_OLD  "0192bbbb-0000-7000-8000-000000000002"
#define ID_OWN  "0192cccc-0000-7000-8000-000000000003"
#define ID_OFF  "0192dddd-0000-7000-8000-000000000004"

static const char *const nodes[] = {
	"{\"id\":\"" ID_FOLD "\",\"kind\":\"skill\",\"ns\":\"global\",\"created_at\":\"2026-01-01T00:00:00.000Z\",\"version\":3,\"status\":\"active\","
	"\"ref\":\"skill/fold laundry\",\"name\":\"Fold Laundry\",\"description\":\"How it is folded\",\"category\":\"home\",\"tags\":[\"a\",\"b\"],"
	"\"release\":\"1.1.0\",\"sha256\":\"00ff\",\"path\":\"/x/SKILL.md\",\"front\":\"---\\nname: Fold Laundry\\n---\\n\",\"content\":\"Fold.\\n\"}",
	"{\"id\":\"" ID_OLD "\",\"kind\":\"skill\",\"ns\":\"global\",\"created_at\":\"2026-01-01T00:00:00.000Z\",\"status\":\"superseded\","
	"\"ref\":\"skill-release/fold laundry/1.0.0\",\"release_of\":\"" ID_FOLD "\",\"name\":\"Fold Laundry\",\"release\":\"1.0.0\"}",
	"{\"id\":\"" ID_OWN "\",\"kind\":\"skill\",\"ns\":\"agent:bob\",\"created_at\":\"2026-01-01T00:00:00.000Z\",\"status\":\"active\","
	"\"ref\":\"skill/boil eggs\",\"name\":\"boil eggs\"}",
	"{\"id\":\"" ID_OFF "\",\"kind\":\"skill\",\"ns\":\"global\",\"created_at\":\"2026-01-01T00:00:00.000Z\",\"status\":\"deprecated\","
	"\"ref\":\"skill/beef\",\"name\":\"beef\"}",
};

static enum mem_status
put_nodes(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct mem_rec rec = { 0 };
	enum mem_status st = MEM_OK;
	(void)ctx;
	for (size_t i = 0; i < MEM_COUNT(nodes) && st == MEM_OK; i++) {
		struct mem_node_keys keys;
		uint32_t ord;
		st = mem_rec_scan(&rec, mem_str(nodes[i]), e);
		if (st == MEM_OK)
			st = mem_node_keys_make(&keys, store, &rec, MEM_FILL_NOTHING, NULL, NULL, e);
		if (st == MEM_OK)
			st = mem_node_add(t, &keys, "new", &ord, e);
	}
	mem_rec_release(&rec);
	return st;
}

static struct mem_store *
open_for(const char *agent)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	struct mem_store *s;
	ask.dir = at;
	ask.write = true;
	ask.agent = agent;
	ask.now = now;
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	return s;
}

static int
make_skills(void **state)
{
	(void)state;
	if (own_store_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", "alice") != 0)
		return -1;
	store = open_for("bob");
	return mem_store_write(store, put_nodes, NULL, &err) == MEM_OK ? 0 : -1;
}

static int
remove_skills(void **state)
{
	(void)state;
	mem_store_close(store);
	return own_store_remove();
}

/* The id of what an operand means, or the status in words. */
static const char *
find_as(struct mem_store *s, const char *ns, const char *operand)
{
	static char text[MEM_ID_LEN + 1];
	struct mem_arena a = { 0 };
	struct mem_txn *t;
	struct mem_skill skill;
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	enum mem_status st = mem_skill_find(&skill, t, mem_str(ns), mem_str(operand), &a, &err);
	mem_txn_end(t);
	if (st == MEM_OK)
		mem_id_format(&skill.id, text);
	mem_arena_release(&a);
	return st == MEM_OK ? text : st == MEM_NOTFOUND ? "none" : st == MEM_REFUSED ? err.reason : "?";
}

static void
a_skill_has_its_fields(void **state)
{
	struct mem_arena a = { 0 };
	struct mem_txn *t;
	struct mem_skill s;
	(void)state;
	assert_int_equal(mem_txn_read(&t, store, &err), MEM_OK);
	assert_int_equal(mem_skill_by_name(&s, t, MEM_STR("global"), MEM_STR("FOLD laundry"), &a, &err), MEM_OK);
	assert_true(mem_str_is(s.name, "Fold Laundry") && mem_str_is(s.description, "How it is folded") && mem_str_is(s.category, "home"));
	assert_true(mem_str_is(s.release, "1.1.0") && mem_str_is(s.sha256, "00ff") && mem_str_is(s.path, "/x/SKILL.md") && mem_str_is(s.ns, "global"));
	assert_true(mem_str_is(mem_json_text(&a, s.front), "---\nname: Fold Laundry\n---\n") && mem_str_is(mem_json_text(&a, s.content), "Fold.\n"));
	assert_true(mem_str_is(s.tags.raw, "[\"a\",\"b\"]"));
	assert_true(s.live && !s.is_release && s.status == MEM_STATUS_ACTIVE);
	mem_txn_end(t);
	mem_arena_release(&a);
}

static void
a_skill_is_found_by_name_ref_and_id(void **state)
{
	(void)state;
	assert_string_equal(find_as(store, "", "fold laundry"), ID_FOLD);
	assert_string_equal(find_as(store, "", "skill/Fold Laundry"), ID_FOLD);
	assert_string_equal(find_as(store, "", ID_FOLD), ID_FOLD);
	assert_string_equal(find_as(store, "", "0192aa"), ID_FOLD);
	assert_string_equal(find_as(store, "", ID_OLD), ID_OLD);
	assert_string_equal(find_as(store, "", "boil eggs"), ID_OWN);
	assert_string_equal(find_as(store, "global", "boil eggs"), "none");
	assert_string_equal(find_as(store, "", "beef"), ID_OFF); /* a name goes before the beginning of an id */
	assert_string_equal(find_as(store, "", "0192"), "ambiguous");
	assert_string_equal(find_as(store, "", "no such thing"), "none");
	assert_string_equal(find_as(store, "", ""), "none");
	assert_string_equal(find_as(store, "", "skill/"), "none");
}

static void
others_skills_are_unknown(void **state)
{
	(void)state;
	mem_store_close(store);
	store = open_for("carol");
	assert_string_equal(find_as(store, "", "boil eggs"), "none");
	assert_string_equal(find_as(store, "", ID_OWN), "none");
	mem_store_close(store);
	store = open_for("bob");
}

static enum mem_status
note_skill(void *ctx, struct mem_txn *t, const struct mem_skill *s, struct mem_err *e)
{
	(void)t, (void)e;
	mem_buf_str(ctx, s->name);
	mem_buf_str(ctx, s->release);
	mem_buf_puts(ctx, ";");
	return MEM_OK;
}

static void
list_is(const struct mem_skill_filter *f, const char *expected)
{
	struct mem_buf names = { 0 };
	mem_buf_puts(&names, "");
	assert_int_equal(mem_skills_each(store, f, note_skill, &names, &err), MEM_OK);
	assert_string_equal(names.data != NULL ? names.data : "", expected);
	mem_buf_release(&names);
}

static void
skills_are_listed_by_status(void **state)
{
	(void)state;
	list_is(&(struct mem_skill_filter){ 0 }, "Fold Laundry1.1.0;boil eggs;");
	list_is(&(struct mem_skill_filter){ .ns = MEM_STR("global") }, "Fold Laundry1.1.0;");
	list_is(&(struct mem_skill_filter){ .statuses = MEM_SKILL_STATUS(DEPRECATED) }, "beef;");
	list_is(&(struct mem_skill_filter){ .statuses = MEM_SKILL_STATUS(SUPERSEDED) }, "");
	list_is(&(struct mem_skill_filter){ .statuses = MEM_SKILL_STATUS(SUPERSEDED) | MEM_SKILL_STATUS(ACTIVE), .releases = true },
	    "Fold Laundry1.1.0;Fold Laundry1.0.0;boil eggs;");
}

static void
names_that_are_none(void **state)
{
	char longest[MEM_SKILL_NAME_MAX + 2];
	(void)state;
	assert_true(mem_skill_name_valid(MEM_STR("fold-laundry")) && mem_skill_name_valid(MEM_STR("Wäsche falten")));
	static const char *const wrong[] = { "", ".", "..", "../x", "a/b", "a\\b", "a\nb", "a\tb", "a\x7f", "a\xe2\x80\xae", "-", "a\xff" };
	for (size_t i = 0; i < MEM_COUNT(wrong); i++)
		assert_false(mem_skill_name_valid(mem_str(wrong[i])));
	memset(longest, 'a', sizeof longest);
	assert_true(mem_skill_name_valid((struct mem_str){ longest, MEM_SKILL_NAME_MAX }));
	assert_false(mem_skill_name_valid((struct mem_str){ longest, MEM_SKILL_NAME_MAX + 1 }));
}

static void
a_category_is_a_word(void **state)
{
	struct mem_arena a = { 0 };
	(void)state;
	assert_true(mem_str_is(mem_skill_category(&a, MEM_STR(" Code  Review ")), "code_review"));
	assert_true(mem_str_is(mem_skill_category(&a, MEM_STR("dev-ops/2")), "dev_ops_2"));
	assert_true(mem_skill_category(&a, MEM_STR(" - ")).n == 0);
	mem_arena_release(&a);
}

static void
an_unknown_category_may_be_meant_for_a_known_one(void **state)
{
	(void)state;
	assert_null(mem_skill_category_hint(MEM_STR("code_review")));
	assert_string_equal(mem_skill_category_hint(MEM_STR("code_reviews")), "code_review");
	assert_string_equal(mem_skill_category_hint(MEM_STR("debuging")), "debugging");
	assert_string_equal(mem_skill_category_hint(MEM_STR("dev_ops")), "devops");
	assert_string_equal(mem_skill_category_hint(MEM_STR("documentations")), "documentation");
	assert_null(mem_skill_category_hint(MEM_STR("kitchen")));
	assert_null(mem_skill_category_hint(MEM_STR("")));
	size_t n = 0;
	while (mem_skill_categories[n] != NULL)
		n++;
	assert_int_equal(n, 21);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_skill_has_its_fields),
		cmocka_unit_test(a_skill_is_found_by_name_ref_and_id),
		cmocka_unit_test(others_skills_are_unknown),
		cmocka_unit_test(skills_are_listed_by_status),
		cmocka_unit_test(names_that_are_none),
		cmocka_unit_test(a_category_is_a_word),
		cmocka_unit_test(an_unknown_category_may_be_meant_for_a_known_one),
	};
	return cmocka_run_group_tests_name("skills", tests, make_skills, remove_skills);
}
