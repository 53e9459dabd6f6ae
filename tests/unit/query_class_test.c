/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of questions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "query/class.h"

static void
each_question_has_its_class(void **unused)
{
	static const struct {
		enum mem_class class;
		const char *question;
	} cases[] = {
		{ MEM_CLASS_QUOTE, "who said \"milk and honey\" yesterday" },
		{ MEM_CLASS_QUOTE, "who said \xe2\x80\x9cmilk\xe2\x80\x9d" },
		{ MEM_CLASS_QUOTE, "what does src/conf.c do" },
		{ MEM_CLASS_QUOTE, "what is in notes.md?" },
		{ MEM_CLASS_QUOTE, "/etc/hosts" },
		{ MEM_CLASS_QUOTE, "why does foo_bar call baz_qux" },
		{ MEM_CLASS_TEMPORAL, "When did we move?" },
		{ MEM_CLASS_TEMPORAL, "what happened in 2019" },
		{ MEM_CLASS_TEMPORAL, "what happened on 2019-03-07 there" },
		{ MEM_CLASS_TEMPORAL, "the budget as of now" },
		{ MEM_CLASS_TEMPORAL, "what did Ann say last week" },
		{ MEM_CLASS_ENTITY, "Berlin" },
		{ MEM_CLASS_ENTITY, "Ann Smith?" },
		{ MEM_CLASS_ENTITY, "\xc3\x89mile Zola" },
		{ MEM_CLASS_ENTITY, "Apollo 11" },
		{ MEM_CLASS_ENTITY, "42" },
		{ MEM_CLASS_ENTITY, "42 7" },
		{ MEM_CLASS_MULTI_HOP, "Why" },
		{ MEM_CLASS_MULTI_HOP, "how are Ann and Bob related" },
		{ MEM_CLASS_MULTI_HOP, "what led to the move" },
		{ MEM_CLASS_MULTI_HOP, "tea vs coffee" },
		{ MEM_CLASS_FACTUAL, "what does Ann like" },
		{ MEM_CLASS_FACTUAL, "milk and/or honey" },
		{ MEM_CLASS_FACTUAL, "one follow-up" },
		{ MEM_CLASS_FACTUAL, "an unclosed \" mark" },
		{ MEM_CLASS_FACTUAL, "the last one" },
		{ MEM_CLASS_FACTUAL, "e.g. at 3.14" },
		{ MEM_CLASS_FACTUAL, "" },
		{ MEM_CLASS_FACTUAL, " \t?! " },
	};
	(void)unused;
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		enum mem_class class = mem_class_find(mem_str(cases[i].question));
		if (class != cases[i].class)
			fail_msg("%s: %s, not %s", cases[i].question, mem_class_names[class], mem_class_names[cases[i].class]);
	}
}

/* A question may be a megabyte of anything. */
static void
long_questions_have_one(void **unused)
{
	enum { LONG = 1 << 20 };
	static const char *const pieces[] = { "a", "\"", ".", "/", "-_", "\xe2\x80\x9c", "ab ", " " };
	(void)unused;
	for (size_t i = 0; i < MEM_COUNT(pieces); i++) {
		struct mem_buf b = { 0 };
		while (b.len < LONG)
			mem_buf_puts(&b, pieces[i]);
		assert_true(mem_class_find(mem_buf_span(&b)) < MEM_CLASSES);
		mem_buf_release(&b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_question_has_its_class),
		cmocka_unit_test(long_questions_have_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
