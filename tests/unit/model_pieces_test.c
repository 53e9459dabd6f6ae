/* SPDX-License-Identifier: Apache-2.0 */
/* Which word pieces of a text are kept, and their codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "model/model_int.h"

enum { D = MEM_MODEL_DIMS };

static const char *const words[] = {
	"[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "##s", "don", "'", "t", "sleep", "!", ":", "ada", "run", "##ning", "it", "is",
};
static struct mem_buf section;
static struct mem_tokenizer *tokens;
static struct mem_analyser *analyser;

static int
open_all(void **state)
{
	(void)state;
	struct mem_str v[MEM_COUNT(words)];
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		v[i] = mem_str(words[i]);
	return mem_wordpiece_pack(&section, v, MEM_COUNT(v), NULL) == MEM_OK &&
	    mem_tokenizer_open(&tokens, MEM_TOKENS_WORDPIECE, mem_buf_span(&section), NULL) == MEM_OK &&
	    mem_analyser_open(&analyser, "english", NULL) == MEM_OK ? 0 : -1;
}

static int
close_all(void **state)
{
	(void)state;
	mem_analyser_close(analyser);
	mem_tokenizer_close(tokens);
	mem_buf_release(&section);
	return 0;
}

/* The pieces kept of a text, each with a blank behind it; of a question each with its term and the share of it. */
static void
check_kept(const char *text, bool question, const char *want)
{
	uint32_t ids[MEM_MODEL_PLACES], at[MEM_MODEL_PLACES], kept[MEM_MODEL_PLACES];
	struct mem_token_places places = { .at = at };
	struct mem_text_pieces pieces = { 0 };
	struct mem_buf got = { 0 };
	mem_tokenize_places(tokens, MEM_STR("it : "), mem_str(text), ids, MEM_MODEL_PLACES, NULL, &places);
	size_t n = model_choose_pieces(analyser, &places, question, kept, &pieces);
	assert_int_equal(pieces.words != NULL, question);
	for (size_t i = 0; i < n; i++) {
		mem_buf_printf(&got, "%s ", words[ids[kept[i]]]);
		if (question)
			mem_buf_printf(&got, "(%.*s/%u) ", (int)pieces.words[i].term.n, pieces.words[i].term.p, (unsigned)pieces.words[i].parts);
	}
	mem_buf_puts(&got, "");
	assert_string_equal(got.data, want);
	mem_text_pieces_release(&pieces, 1);
	mem_buf_release(&places.buf);
	mem_buf_release(&got);
}

static void
content_is_kept(void **state)
{
	(void)state;
	check_kept("Ada: the cats don't sleep!", false, "ada cat ##s sleep ");
	check_kept("It is", false, "it is ");                   /* nothing else is there */
	check_kept("!", false, "! ");
	check_kept("", false, "");
	check_kept("is zyx!", false, "[UNK] ");                 /* a word that the model does not know */
}

static void
words_of_a_question_are_known(void **state)
{
	(void)state;
	check_kept("is the cat running, cats!", true, "cat (cat/3) run (run/2) ##ning (run/2) cat (cat/3) ##s (cat/3) ");
	check_kept("is it!", true, "is (is/1) it (it/1) ! (/1) ");
	check_kept("", true, "");
}

static void
codes_are_signs_less_the_mean(void **state)
{
	(void)state;
	static float states[3][D], mean[D];
	uint8_t want[2][D / 8] = { { 0 } };
	static const uint32_t kept[] = { 2, 0 };
	for (size_t i = 0; i < D; i++) {
		mean[i] = i % 2 == 0 ? 1 : -1;
		states[2][i] = i % 5 == 0 ? mean[i] + 1 : mean[i] - 1;
		states[0][i] = i < 9 ? 2 : -2;
		want[0][i / 8] |= (uint8_t)((unsigned)(i % 5 == 0) << i % 8);
		want[1][i / 8] |= (uint8_t)((unsigned)(i < 9) << i % 8);
	}
	struct mem_text_pieces p = { 0 };
	model_make_piece_codes(states[0], mean, kept, 2, &p);
	assert_int_equal(p.n, 2);
	assert_memory_equal(p.codes, want, sizeof want);
	mem_text_pieces_release(&p, 1);
	assert_true(p.n == 0 && p.codes == NULL);
}

static void
every_model_has_a_mean(void **state)
{
	(void)state;
	const struct mem_model_spec *spec;
	float mean[D], other[D];
	for (size_t i = 0; (spec = mem_model_at(i)) != NULL; i++) {
		assert_true(model_read_mean(MODEL_MEAN_PIECE, spec->name, mean));
		assert_true(model_read_mean(MODEL_MEAN_TEXT, spec->name, other));
		assert_true(mem_normalise(mean, D) && mem_normalise(other, D));
		assert_true(mem_dot(mean, other, D) > .8F); /* texts are means of their pieces, nearly */
		assert_true(memcmp(mean, other, sizeof mean) != 0);
	}
	assert_false(model_read_mean(MODEL_MEAN_PIECE, "e", mean));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_is_kept),
		cmocka_unit_test(words_of_a_question_are_known),
		cmocka_unit_test(codes_are_signs_less_the_mean),
		cmocka_unit_test(every_model_has_a_mean),
	};
	return cmocka_run_group_tests_name("model_pieces", tests, open_all, close_all);
}
