/* SPDX-License-Identifier: Apache-2.0 */
/* Which texts repeat others: what comparing all pairs says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "text/text.h"

enum { TEXTS = 600 };

/* Always the same. */
static unsigned
draw_number(uint64_t *state, unsigned below)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)(*state >> 33) % below;
}

/* A new text of `words` words, of few letters where `few`. */
static void
draw_text(struct mem_buf *out, uint64_t *state, unsigned words, bool few)
{
	for (unsigned i = 0; i < words; i++) {
		for (unsigned k = 2 + draw_number(state, 6); k > 0; k--)
			mem_buf_putc(out, (char)('a' + draw_number(state, few ? 4 : 26)));
		mem_buf_putc(out, ' ');
	}
}

/* The text with `changes` letters changed: near the threshold, on both sides of it. */
static void
change_text(struct mem_buf *out, uint64_t *state, struct mem_str text, unsigned changes)
{
	mem_buf_str(out, text);
	for (unsigned i = 0; i < changes; i++)
		out->data[draw_number(state, (unsigned)out->len)] = (char)('a' + draw_number(state, 26));
}

static void
compare_with_pairs(uint64_t seed, unsigned words, bool few)
{
	static struct mem_buf texts[TEXTS];
	size_t kept[TEXTS], nkept = 0, repeats = 0;
	struct mem_repeats *r = mem_repeats_open();
	uint64_t state = seed;
	for (size_t i = 0; i < TEXTS; i++) {
		mem_buf_reset(&texts[i]);
		mem_buf_puts(&texts[i], "");
		if (i == 0 || draw_number(&state, 3) == 0)
			draw_text(&texts[i], &state, 1 + draw_number(&state, words), few);
		else
			change_text(&texts[i], &state, mem_buf_span(&texts[draw_number(&state, (unsigned)i)]), draw_number(&state, 2 + words / 3));
		struct mem_str text = mem_buf_span(&texts[i]);
		bool like = false;
		for (size_t k = 0; k < nkept && !like; k++)
			like = mem_text_likeness(mem_buf_span(&texts[kept[k]]), text) >= MEM_REPEAT_LIKENESS;
		assert_int_equal(mem_repeats_find(r, text), like);
		repeats += like;
		if (like)
			continue;
		mem_repeats_keep(r);
		kept[nkept++] = i;
	}
	mem_repeats_close(r);
	assert_true(repeats > TEXTS / 20 && nkept > TEXTS / 20);
	for (size_t i = 0; i < TEXTS; i++)
		mem_buf_release(&texts[i]);
}

static void
repeats_are_those_of_all_pairs(void **unused)
{
	(void)unused;
	compare_with_pairs(1, 3, false);
	compare_with_pairs(2, 12, true);
	compare_with_pairs(3, 40, false);
	compare_with_pairs(4, 40, true);
	compare_with_pairs(5, 120, false);
}

static bool
is_repeat(const char *kept, const char *text)
{
	struct mem_repeats *r = mem_repeats_open();
	assert_false(mem_repeats_find(r, mem_str(kept)));
	mem_repeats_keep(r);
	bool found = mem_repeats_find(r, mem_str(text));
	mem_repeats_close(r);
	return found;
}

static void
texts_without_words_repeat_themselves_alone(void **unused)
{
	(void)unused;
	assert_true(is_repeat("!!!", "!!!"));
	assert_false(is_repeat("!!!", "!!"));
	assert_false(is_repeat("!!!", "a"));
	assert_true(is_repeat("A", "a!"));
	assert_true(is_repeat("\xe6\x9d\xb1\xe4\xba\xac\xe3\x81\xae", "\xe6\x9d\xb1\xe4\xba\xac\xe3\x81\xae."));
}

static void
long_texts_are_compared_by_their_beginning(void **unused)
{
	struct mem_buf a = { 0 }, b = { 0 };
	uint64_t state = 9;
	(void)unused;
	draw_text(&a, &state, 3000, false);
	mem_buf_str(&b, mem_buf_span(&a));
	draw_text(&b, &state, 3000, false);
	assert_true(is_repeat(a.data, b.data));
	mem_buf_release(&a);
	mem_buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeats_are_those_of_all_pairs),
		cmocka_unit_test(texts_without_words_repeat_themselves_alone),
		cmocka_unit_test(long_texts_are_compared_by_their_beginning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
