/* SPDX-License-Identifier: Apache-2.0 */
/* A node's text in passages: what each is made of, and where it lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "embed/embed.h"

static struct mem_arena arena;
static struct mem_rec rec;
static struct mem_buf text;

static struct mem_text_split
by_words(size_t whole, size_t limit)
{
	return (struct mem_text_split){ whole, { .limit = limit, .measure = mem_measure_words, .passages_max = MEM_VECTORS_PASSAGES } };
}

static struct mem_node_passages
divide_node(const char *node, const struct mem_text_split *split)
{
	struct mem_node_passages p;
	struct mem_err err;
	mem_buf_reset(&text);
	mem_arena_reset(&arena);
	assert_int_equal(mem_rec_scan(&rec, mem_str(node), &err), MEM_OK);
	assert_true(mem_node_text(&text, &rec));
	mem_node_passages_make(&p, &arena, &rec, mem_buf_span(&text), split);
	return p;
}

static void
assert_passage(const struct mem_node_passages *p, size_t i, const char *want, const char *field, const char *whole)
{
	struct mem_buf b = { 0 }, again = { 0 };
	mem_node_passage_text(&b, p, i);
	assert_string_equal(b.data, want);
	struct mem_vectors_span span = mem_node_passage_span(p, i);
	if (field == NULL) {
		assert_true(span.start == 0 && span.end == 0);
	} else {
		assert_string_equal(mem_text_field_name((enum mem_text_field)span.field), field);
		/* What a hit says of it is a piece of the field's string. */
		assert_true(strlen(whole) >= span.end);
		assert_memory_equal(whole + span.start, want + strlen(want) - (span.end - span.start), span.end - span.start);
	}
	assert_true(mem_node_span_text(&again, &rec, &span));
	assert_string_equal(again.data, want);
	mem_buf_release(&b);
	mem_buf_release(&again);
}

static void
a_text_that_fits_is_as_it_was(void **state)
{
	(void)state;
	struct mem_text_split s = by_words(6, 3);
	struct mem_node_passages p = divide_node("{\"kind\":\"episode\",\"speaker\":\"Ada\",\"content\":\"One two. Three four.\"}", &s);
	assert_int_equal(p.n, 1);
	assert_passage(&p, 0, "Ada: One two. Three four.", NULL, NULL);
}

static void
a_longer_one_is_divided_with_the_head_before_each(void **state)
{
	(void)state;
	struct mem_text_split s = by_words(4, 4);
	const char content[] = "One two.  Three \"four\". Five s\xc3\xa9x seven.";
	struct mem_node_passages p = divide_node("{\"kind\":\"episode\",\"speaker\":\"Ada\",\"content\":\"One two.  Three \\\"four\\\". Five s\\u00e9x seven.\"}", &s);
	assert_int_equal(p.n, 3);
	assert_passage(&p, 0, "Ada: One two.", "content", content);
	assert_passage(&p, 1, "Ada: Three \"four\".", "content", content);
	assert_passage(&p, 2, "Ada: Five s\xc3\xa9x seven.", "content", content);
}

static void
each_field_is_divided_by_itself(void **state)
{
	(void)state;
	struct mem_text_split s = by_words(4, 4);
	struct mem_node_passages p = divide_node("{\"kind\":\"entity\",\"name\":\"Tea\",\"description\":\"How it is made. Well.\",\"content\":\"Boil water. Wait long.\"}", &s);
	assert_int_equal(p.n, 4);
	assert_passage(&p, 0, "Tea: Boil water.", "content", "Boil water. Wait long.");
	assert_passage(&p, 1, "Tea: Wait long.", "content", "Boil water. Wait long.");
	assert_passage(&p, 2, "Tea: How it is", "description", "How it is made. Well.");
	assert_passage(&p, 3, "Tea: made. Well.", "description", "How it is made. Well.");
}

static void
the_body_of_a_skill_has_no_vector(void **state)
{
	(void)state;
	struct mem_text_split s = by_words(4, 4);
	struct mem_node_passages p = divide_node("{\"kind\":\"skill\",\"name\":\"Tea\",\"description\":\"How it is made. Well.\",\"content\":\"Boil water. Wait long.\"}", &s);
	assert_int_equal(p.n, 2);
	assert_passage(&p, 0, "Tea: How it is", "description", "How it is made. Well.");
	assert_passage(&p, 1, "Tea: made. Well.", "description", "How it is made. Well.");
}

static void
a_head_alone_or_a_long_one_is_no_way_out(void **state)
{
	(void)state;
	struct mem_text_split s = by_words(4, 4);
	struct mem_node_passages p = divide_node("{\"kind\":\"entity\",\"name\":\"One two. Three four. Five six.\"}", &s);
	assert_int_equal(p.n, 2);
	assert_passage(&p, 0, "One two. Three four.", "name", "One two. Three four. Five six.");
	p = divide_node("{\"kind\":\"episode\",\"speaker\":\"a b c d e f\",\"content\":\"One two. Three four.\"}", &s);
	assert_int_equal(p.n, 2);
	struct mem_buf b = { 0 };
	mem_node_passage_text(&b, &p, 1);
	assert_string_equal(b.data, "a b: Three four."); /* no more of it than half */
	mem_buf_release(&b);
}

static void
a_span_that_is_not_there_is_told(void **state)
{
	(void)state;
	struct mem_text_split s = by_words(9, 9);
	struct mem_buf b = { 0 };
	divide_node("{\"kind\":\"episode\",\"content\":\"One two.\"}", &s);
	static const struct mem_vectors_span bad[] = { { 3, 9, MEM_TEXT_CONTENT }, { 0, 3, MEM_TEXT_STATEMENT }, { 0, 3, 77 } };
	for (size_t i = 0; i < MEM_COUNT(bad); i++)
		assert_false(mem_node_span_text(&b, &rec, &bad[i]));
	mem_buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_that_fits_is_as_it_was),
		cmocka_unit_test(a_longer_one_is_divided_with_the_head_before_each),
		cmocka_unit_test(each_field_is_divided_by_itself),
		cmocka_unit_test(the_body_of_a_skill_has_no_vector),
		cmocka_unit_test(a_head_alone_or_a_long_one_is_no_way_out),
		cmocka_unit_test(a_span_that_is_not_there_is_told),
	};
	int rc = cmocka_run_group_tests_name("embed_passages", tests, NULL, NULL);
	mem_rec_release(&rec);
	mem_buf_release(&text);
	mem_arena_release(&arena);
	return rc;
}
