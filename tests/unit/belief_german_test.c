/* SPDX-License-Identifier: Apache-2.0 */
/* The second language: rules of German sentences, beside those of English. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "belief/extract.h"

static struct mem_err err;
static struct mem_arena arena;
static struct mem_belief_rules *rules;
static struct mem_claim_list list;

static void
no_warning(void *ctx, const char *message)
{
	(void)ctx;
	fail_msg("%s", message);
}

static int
load_rules(void **state)
{
	const struct mem_belief_options options = { .dirfd = -1, .warn = no_warning };
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

/* The claims of a sentence of Jana's to Tim, "SUBJECT predicate OBJECT" each, `!` before what is denied. */
static const char *
claims_of(const char *content)
{
	const struct mem_extract_source s = { .content = mem_str(content), .speaker = MEM_STR("Jana"), .listener = MEM_STR("Tim"),
		.role = MEM_ROLE_USER, .captured_at = 1700000000000 };
	struct mem_buf b = { 0 };
	mem_claims_reset(&list);
	assert_int_equal(mem_extract(&list, rules, &s, &err), MEM_OK);
	for (size_t i = 0; i < list.n; i++) {
		const struct mem_claim *c = &list.v[i];
		mem_buf_printf(&b, "%s%.*s %s%.*s %.*s", i > 0 ? "; " : "", (int)c->subject.text.n, c->subject.text.p, c->negated ? "!" : "",
		    (int)c->predicate.n, c->predicate.p, (int)c->object.text.n, c->object.text.p);
	}
	const char *text = mem_arena_dup(&arena, b.len > 0 ? b.data : "", b.len);
	mem_buf_release(&b);
	return text;
}
#define CHECK(content, want) assert_string_equal(claims_of(content), want)

static void
persons_of_sentences(void **state)
{
	(void)state;
	CHECK("Ich wohne in Bremen.", "Jana lives_in Bremen");
	CHECK("Wir arbeiten bei der Post.", "Jana works_at Post");
	CHECK("Du magst keinen Tee, aber ich mag Tee.", "Jana likes Tee");
	CHECK("Sabine kommt aus Basel.", "Sabine from Basel");
	CHECK("Nora ist meine Schwester.", "Nora sibling_of Jana");
}

static void
what_is_denied(void **state)
{
	(void)state;
	CHECK("Ich wohne nicht in Bremen.", "Jana !lives_in Bremen");
	CHECK("Ich arbeite nicht mehr bei Bosch.", "Jana !works_at Bosch");
	assert_true(list.v[0].corrects);
	CHECK("Sabine mag keinen Kaffee.", "Sabine !likes Kaffee");
	CHECK("Das Backend verwendet kein Redis.", "Backend !uses Redis");
}

static void
what_says_nothing(void **state)
{
	(void)state;
	CHECK("Wohnst du in Bremen?", "");
	CHECK("Wenn ich in Bremen wohne, fahre ich Rad.", "");
	CHECK("Ich würde gern in Bremen wohnen.", "");
	CHECK("Er sagte: \"Ich wohne in Bremen.\"", "");
	CHECK("Schick mir bitte die Akte.", "");
	CHECK("Das war ein langer Tag.", "");
}

static void
what_is_less_certain(void **state)
{
	(void)state;
	CHECK("Sabine wohnt in Ulm.", "Sabine lives_in Ulm");
	double plain = list.v[0].confidence;
	CHECK("Vielleicht wohnt Sabine in Ulm. Ich glaube, Sabine wohnt in Ulm.", "Sabine lives_in Ulm");
	assert_true(list.v[0].confidence < plain);
	assert_int_equal(list.v[0].veracity, MEM_VERACITY_INFERRED);
}

/* Words that both languages have mean what they mean in the text's own. */
static void
english_stays_english(void **state)
{
	(void)state;
	CHECK("I live in Bremen and I was in a war museum when the man came.", "Jana lives_in Bremen");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(persons_of_sentences),
		cmocka_unit_test(what_is_denied),
		cmocka_unit_test(what_says_nothing),
		cmocka_unit_test(what_is_less_certain),
		cmocka_unit_test(english_stays_english),
	};
	return cmocka_run_group_tests_name("belief_german", tests, load_rules, free_rules);
}
