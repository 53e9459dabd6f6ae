/* SPDX-License-Identifier: Apache-2.0 */
/* Unigram over a few pieces, against a Viterbi of the whole text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "token/token_int.h"

#define BAR "\xe2\x96\x81"
static const char *const pieces[] = {
	"<s>", "<pad>", "</s>", "<unk>", BAR, "a", "b", "ab", "ba", "aba", BAR "a", BAR "ab", "abab", "é",
	"e", "日", "日本", "本", "日本日", "c", "<mask>", "<", ">", "s", "s>", "abababababababababababab", "1",
};
static const float scores[] = {
	0, 0, 0, 0, -2.5f, -3.1f, -3.3f, -4.0f, -4.0f, -6.5f, -3.2f, -4.75f, -8.0f, -5,
	-4, -6, -9.5f, -6.25f, -15, -3, 0, -8, -8, -4, -9, -45, -6.5f,
};
enum { BOS = 0, PAD = 1, EOS = 2, UNK = 3, NPIECES = MEM_COUNT(pieces) };

/* What is rewritten: TAB to a blank, U+0001 to nothing, ª to a, ㍐ to b ab, a blank of its own, 1. */
static const uint32_t map_from[] = { 1, 9, 0xaa, 0x2460, 0x3000, 0x3350, 0x10ffff };
static const uint32_t map_at[] = { 0, 0, 1, 2, 3, 4, 8, 10 };
static const uint32_t map_to[] = { ' ', 'a', '1', ' ', 'b', ' ', 'a', 'b', ' ', ' ' };

static struct mem_str words[NPIECES];
static struct mem_buf section;
static struct mem_tokenizer *tokens;

static struct mem_unigram_parts
parts(void)
{
	for (size_t i = 0; i < NPIECES; i++)
		words[i] = mem_str(pieces[i]);
	return (struct mem_unigram_parts){ .pieces = words, .scores = scores, .n = NPIECES, .bos = BOS, .eos = EOS,
		.pad = PAD, .unk = UNK, .map_from = map_from, .map_at = map_at, .map_to = map_to,
		.nmap = MEM_COUNT(map_from) };
}

static int
setup(void **state)
{
	(void)state;
	struct mem_unigram_parts u = parts();
	struct mem_err err;
	if (mem_unigram_pack(&section, &u, &err) != MEM_OK)
		return -1;
	return mem_tokenizer_open(&tokens, MEM_TOKENS_UNIGRAM, mem_buf_span(&section), &err) == MEM_OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	mem_tokenizer_close(tokens);
	mem_buf_release(&section);
	return 0;
}

static void
check(struct mem_str text, const char *want)
{
	uint32_t ids[512];
	bool cut = true;
	struct mem_buf got = { 0 };
	size_t n = mem_tokenize(tokens, (struct mem_str){ 0 }, text, ids, MEM_COUNT(ids), &cut);
	assert_true(n >= 2 && !cut);
	assert_int_equal(ids[0], BOS);
	assert_int_equal(ids[n - 1], EOS);
	for (size_t i = 1; i + 1 < n; i++)
		mem_buf_printf(&got, "%s%s", i > 1 ? " " : "", pieces[ids[i]]);
	assert_string_equal(got.data, want);
	assert_int_equal(mem_tokens_count(tokens, text, NULL), n - 2);
	mem_buf_release(&got);
}

static void
test_pieces(void **state)
{
	(void)state;
	check(MEM_STR(""), BAR);
	check(MEM_STR("   "), BAR);
	check(MEM_STR("a"), BAR "a");
	check(MEM_STR(" a"), BAR "a");
	check(MEM_STR("ab  ab "), BAR "ab " BAR "ab " BAR);
	check(MEM_STR("aba"), BAR "a ba");              /* -7.2, before ▁ab a, -7.85 */
	check(MEM_STR("日本"), BAR " 日本");
	check(MEM_STR("xx"), BAR " <unk> <unk>");       /* each by itself */
	check(MEM_STR("<mask><s>"), BAR " < <unk> a s <unk> > < s>");  /* no markers */
}

static void
test_rewriting(void **state)
{
	(void)state;
	check(MEM_STR("\ta\x01\tb"), BAR "a " BAR " b");
	check(MEM_STR("a\0b"), BAR "ab");
	check(MEM_STR("\xc2\xaa"), BAR "a");
	check(MEM_STR("e\xcc\x81 é"), BAR " é " BAR " é");
	check(MEM_STR("\xe3\x8d\x90"), BAR " b " BAR "ab");
	check(MEM_STR("a\xf4\x8f\xbf\xbf \xe3\x80\x80" "a"), BAR "a " BAR "a");
	check(MEM_STR("①"), BAR " 1");
	check(MEM_STR("a\xff"), BAR "a <unk>");         /* a bad byte is U+FFFD */
}

static void
test_limit(void **state)
{
	(void)state;
	uint32_t ids[8];
	bool cut;
	assert_int_equal(mem_tokenize(tokens, MEM_STR("a "), MEM_STR("a a"), ids, 5, &cut), 5);
	assert_false(cut);
	assert_int_equal(mem_tokenize(tokens, MEM_STR("a "), MEM_STR("a ac"), ids, 5, &cut), 5);
	assert_true(cut);
	const uint32_t want[] = { BOS, 10, 10, 10, EOS };
	assert_memory_equal(ids, want, sizeof want);
	/* A mark at the beginning belongs to the prefix, as in one text. */
	assert_int_equal(mem_tokenize(tokens, MEM_STR("e"), MEM_STR("\xcc\x81"), ids, 8, &cut), 4);
	assert_int_equal(ids[2], 13);
}

static bool
is_lossy(struct mem_str text)
{
	bool lossy = text.n % 2;
	mem_tokens_count(tokens, text, &lossy);
	return lossy;
}

static void
test_lossy(void **state)
{
	(void)state;
	assert_false(is_lossy(MEM_STR("")));
	assert_false(is_lossy(MEM_STR(" ab  aba\t日本 é ")));
	assert_true(is_lossy(MEM_STR("ab x")));
	assert_true(is_lossy(MEM_STR("ab\x01 ab")));
	assert_true(is_lossy(MEM_STR("ab\0 ab")));
}

/* ---- against all of the text at once ---------------------------------- */

struct best {
	float score;
	uint32_t id;
	size_t from;
	bool reached;
};

static void
better(struct best *b, float score, uint32_t id, size_t from)
{
	if (!b->reached || score > b->score)
		*b = (struct best){ score, id, from, true };
}

/* The ids, last first, of text that needs no rewriting; blanks are given as U+2581. */
static size_t
tokenize_naively(struct mem_str text, uint32_t *ids)
{
	struct best *best = mem_xcalloc(text.n + 1, sizeof *best);
	size_t n = 0, lengths[] = { 1, 2, 3, 4, 5, 6, 9, 24 };
	best[0].reached = true;
	for (size_t i = 0; i < text.n; i++) {
		if (!best[i].reached)
			continue;
		for (size_t k = 0; k < MEM_COUNT(lengths); k++)
			for (uint32_t id = 4; id < NPIECES; id++)
				if (words[id].n == lengths[k] && i + lengths[k] <= text.n && strcmp(pieces[id], "<mask>") != 0 &&
				    memcmp(text.p + i, words[id].p, words[id].n) == 0)
					better(&best[i + lengths[k]], best[i].score + scores[id], id, i);
		uint32_t c;
		better(&best[i + mem_utf8_decode(text.p + i, text.n - i, &c)], best[i].score + (-45.0f - 10.0f), UNK, i);
	}
	for (size_t i = text.n; i > 0; i = best[i].from)
		ids[n++] = best[i].id;
	free(best);
	return n;
}

static void
compare_tokens(struct mem_str text, size_t max)
{
	struct mem_buf b = { 0 };
	uint32_t *want = mem_xcalloc(text.n + 3, sizeof *want), *got = mem_xcalloc(max, sizeof *got);
	bool cut;
	if (text.p[0] != ' ')
		mem_buf_puts(&b, BAR);
	for (size_t i = 0; i < text.n; i++)
		mem_buf_put(&b, text.p[i] == ' ' ? BAR : text.p + i, text.p[i] == ' ' ? 3 : 1);
	size_t n = tokenize_naively(mem_buf_span(&b), want);
	assert_int_equal(mem_tokens_count(tokens, text, NULL), n);
	size_t have = mem_tokenize(tokens, (struct mem_str){ 0 }, text, got, max, &cut) - 2;
	assert_int_equal(have, n < max - 2 ? n : max - 2);
	assert_int_equal(cut, n > max - 2);
	for (size_t i = 0; i < have; i++)
		assert_int_equal(got[i + 1], want[n - 1 - i]);
	free(want);
	free(got);
	mem_buf_release(&b);
}

static uint32_t seed = 1;

static uint32_t
next(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static void
test_against_naive(void **state)
{
	(void)state;
	static const char *const letters[] = { "a", "b", "ab", "日", "本", "é", "c", "<", "s", "x", "a", " c" };
	struct mem_buf b = { 0 };
	for (int round = 0; round < 300; round++) {
		uint32_t kinds = 2 + next(MEM_COUNT(letters) - 1), n = 1 + next(round % 10 == 0 ? 6000 : 200);
		mem_buf_reset(&b);
		for (uint32_t i = 0; i < n; i++)
			mem_buf_puts(&b, letters[next(kinds)]);
		compare_tokens(mem_buf_span(&b), 3 + next(600));
	}
	mem_buf_release(&b);
}

/* Two ways to cut "abab…" stay equal up to its end, so that nothing is settled before. */
static void
test_never_settled(void **state)
{
	(void)state;
	struct mem_buf b = { 0 };
	for (int i = 0; i < 12000; i++)
		mem_buf_puts(&b, "ab");
	compare_tokens(mem_buf_span(&b), 512);
	mem_buf_putc(&b, 'a');
	compare_tokens(mem_buf_span(&b), 512);
	/* Past the window it is decided early: all of the text, in as many pieces but for one. */
	size_t half = mem_tokens_count(tokens, mem_buf_span(&b), NULL);
	for (int i = 0; i < 12000 * 3; i++)
		mem_buf_puts(&b, "ba");
	size_t all = mem_tokens_count(tokens, mem_buf_span(&b), NULL);
	assert_true(all >= 4 * half - 8 && all <= 4 * half + 8);
	uint32_t ids[512];
	bool cut;
	assert_int_equal(mem_tokenize(tokens, MEM_STR(""), mem_buf_span(&b), ids, 512, &cut), 512);
	assert_true(cut);
	mem_buf_release(&b);
}

/* ---- the vocabulary --------------------------------------------------- */

static void
refuse_pack(const struct mem_unigram_parts *u, const char *why)
{
	struct mem_buf out = { 0 };
	struct mem_err err;
	assert_int_equal(mem_unigram_pack(&out, u, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, why));
	assert_int_equal(out.len, 0);
	mem_buf_release(&out);
}

static void
test_no_vocabulary(void **state)
{
	(void)state;
	struct mem_unigram_parts u = parts();
	u.n = 0;
	refuse_pack(&u, "0 words");
	u = parts();
	u.unk = NPIECES;
	refuse_pack(&u, "marker");
	u = parts();
	words[5] = MEM_STR("b");
	refuse_pack(&u, "words 5 and 6 are the same");
	u = parts();
	const uint32_t far[] = { 0x110000 }, at[] = { 0, 0 };
	u.map_from = far;
	u.map_at = at;
	u.nmap = 1;
	refuse_pack(&u, "cannot be rewritten");
	parts();
}

static void
test_damage(void **state)
{
	(void)state;
	struct mem_tokenizer *t;
	struct mem_err err;
	for (size_t n = 0; n < section.len; n += n < 256 ? 1 : 97)
		assert_int_equal(mem_tokenizer_open(&t, MEM_TOKENS_UNIGRAM, (struct mem_str){ section.data, n }, &err), MEM_FAIL);
	assert_int_equal(mem_tokenizer_open(&t, MEM_TOKENS_WORDPIECE, mem_buf_span(&section), &err), MEM_FAIL);
}

static void
test_damaged_body(void **state)
{
	(void)state;
	const struct mem_str text = MEM_STR("abab 日本日 é <s> xx aba ab c 1 \xe3\x8d\x90 \xf4\x8f\xbf\xbf ªªª ba");
	struct mem_buf b = { 0 };
	uint32_t ids[64];
	for (int round = 0; round < 3000; round++) {
		struct mem_tokenizer *t;
		struct mem_err err;
		mem_buf_reset(&b);
		mem_buf_str(&b, mem_buf_span(&section));
		for (int i = 0; i < 60; i++) {
			/* Half of it where the units, the scores and the pages that are used lie. */
			size_t most = b.len - 40;
			b.data[40 + next(i % 2 ? 4096 : (uint32_t)most)] = (char)next(256);
		}
		assert_int_equal(mem_tokenizer_open(&t, MEM_TOKENS_UNIGRAM, mem_buf_span(&b), &err), MEM_OK);
		size_t n = mem_tokenize(t, text, text, ids, 64, NULL);
		assert_true(n >= 2 && n <= 64);
		for (size_t i = 0; i < n; i++)
			assert_true(ids[i] < NPIECES);
		mem_tokenizer_close(t);
	}
	mem_buf_release(&b);
}

static void
places_are_in_what_is_read(void **state)
{
	(void)state;
	uint32_t ids[32], at[32];
	struct mem_token_places p = { .at = at };
	/* the prefix is pieces 1 to 2; ª becomes a, and the blank before it a part of the piece */
	size_t n = mem_tokenize_places(tokens, MEM_STR("a b "), MEM_STR("\xc2\xaa" "b \xe6\x97\xa5x"), ids, MEM_COUNT(ids), NULL, &p);
	struct mem_buf got = { 0 };
	for (size_t i = p.first; i < p.last; i++)
		mem_buf_printf(&got, "[%.*s]", (int)((i + 1 < p.last ? at[i + 1] : p.read.n) - at[i]), p.read.p + at[i]);
	assert_int_equal(p.last, n - 1);
	assert_string_equal(got.data, "[" BAR "ab][" BAR "][\xe6\x97\xa5][x]");
	mem_buf_release(&got);
	mem_buf_release(&p.buf);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_in_what_is_read),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_rewriting),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_lossy),
		cmocka_unit_test(test_against_naive),
		cmocka_unit_test(test_never_settled),
		cmocka_unit_test(test_no_vocabulary),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_damaged_body),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
