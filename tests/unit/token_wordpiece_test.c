/* SPDX-License-Identifier: Apache-2.0 */
/* WordPiece over a few words, and its tables against the file they are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/passages.h"
#include "token/token_int.h"

static const char *const words[] = {
	"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un", "##aff", "##able", "able", "the",
	"cafe", "!", "[", "]", "sep", "東", "##京", "i", "##i", "a", "##a", "strasse", "##ße", "stra", "\xe1\x84\x92",
	"##\xe1\x85\xa1", "##\xe1\x86\xab", "aff", "$", "##s",
};
enum { UNK = 1, CLS = 2, SEP = 3 };

static struct mem_buf section;
static struct mem_tokenizer *tokens;

static int
setup(void **state)
{
	(void)state;
	struct mem_str v[MEM_COUNT(words)];
	struct mem_err err;
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		v[i] = mem_str(words[i]);
	if (mem_wordpiece_pack(&section, v, MEM_COUNT(v), &err) != MEM_OK)
		return -1;
	return mem_tokenizer_open(&tokens, MEM_TOKENS_WORDPIECE, mem_buf_span(&section), &err) == MEM_OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	mem_tokenizer_close(tokens);
	mem_buf_release(&section);
	return 0;
}

static uint32_t
id(const char *word)
{
	for (uint32_t i = 0; i < MEM_COUNT(words); i++)
		if (strcmp(words[i], word) == 0)
			return i;
	fail_msg("no word %s", word);
	return 0;
}

/* The words between the markers, each followed by a blank. */
static void
check(struct mem_str text, const char *want)
{
	uint32_t ids[512];
	bool cut = true;
	struct mem_buf got = { 0 };
	size_t n = mem_tokenize(tokens, (struct mem_str){ 0 }, text, ids, MEM_COUNT(ids), &cut);
	assert_true(n >= 2 && !cut);
	assert_int_equal(ids[0], CLS);
	assert_int_equal(ids[n - 1], SEP);
	for (size_t i = 1; i + 1 < n; i++) {
		mem_buf_puts(&got, words[ids[i]]);
		mem_buf_putc(&got, ' ');
	}
	mem_buf_puts(&got, "");
	assert_string_equal(got.data != NULL ? got.data : "", want);
	assert_int_equal(mem_tokens_count(tokens, text, NULL), n - 2);
	mem_buf_release(&got);
}

static void
test_pieces(void **state)
{
	(void)state;
	check(MEM_STR(""), "");
	check(MEM_STR(" \t\n "), "");
	check(MEM_STR("unaffable"), "un ##aff ##able ");
	check(MEM_STR("The  able\tthe"), "the able the ");
	check(MEM_STR("unaffabl"), "[UNK] ");           /* all of the word, not its end */
	check(MEM_STR("un the"), "un the ");
	check(MEM_STR("##aff"), "[UNK] [UNK] aff ");    /* a number sign is a word */
	check(MEM_STR("UNAFFABLE!!"), "un ##aff ##able ! ! ");
}

static void
test_characters(void **state)
{
	(void)state;
	check(MEM_STR("Café CAFE\xcc\x81"), "cafe cafe ");
	check(MEM_STR("ca\xc2\xad" "fe the\x01\xe2\x80\x8bthe"), "cafe [UNK] ");  /* soft hyphen, control, zero width */
	check(MEM_STR("the\xc2\xa0the\xe3\x80\x80the"), "the the the ");
	check(MEM_STR("東京"), "東 [UNK] ");             /* an ideograph is a word, so 京 is not ##京 */
	check(MEM_STR("a東a"), "a 東 a ");
	check(MEM_STR("İi I"), "i ##i i ");
	check(MEM_STR("Straße"), "stra ##ße ");
	check(MEM_STR("한"), "\xe1\x84\x92 ##\xe1\x85\xa1 ##\xe1\x86\xab ");
	check(MEM_STR("a$a"), "a $ a ");
	check(MEM_STR("a\xe2\x82\xac" "a"), "[UNK] ");    /* the euro sign splits nothing */
	check(MEM_STR("the\0the"), "[UNK] ");
	check(MEM_STR("[SEP]"), "[ sep ] ");            /* no marker */
	check(MEM_STR("a\xcd\xbe" "a"), "a [UNK] a ");    /* Greek question mark, which becomes a semicolon */
	check(MEM_STR("th\xff" "e \xc3"), "the ");         /* bad bytes are U+FFFD, which is dropped */
}

static void
test_lengths(void **state)
{
	(void)state;
	char long_word[102];
	memset(long_word, 'a', sizeof long_word);
	struct mem_str text = { long_word, 100 };
	assert_int_equal(mem_tokens_count(tokens, text, NULL), 100);
	text.n = 101;
	check(text, "[UNK] ");
	/* Marks do not count, and letters of more bytes do not count more. */
	struct mem_buf b = { 0 };
	for (int i = 0; i < 100; i++)
		mem_buf_puts(&b, "a\xcc\x81");
	assert_int_equal(mem_tokens_count(tokens, mem_buf_span(&b), NULL), 100);
	mem_buf_reset(&b);
	for (int i = 0; i < 100; i++)
		mem_buf_puts(&b, "\xf0\x90\x90\x80");   /* a letter of four bytes that has a small one */
	check(mem_buf_span(&b), "[UNK] ");
	mem_buf_puts(&b, "\xf0\x90\x90\x80 the");
	check(mem_buf_span(&b), "[UNK] the ");
	mem_buf_release(&b);
}

static void
test_limit(void **state)
{
	(void)state;
	uint32_t ids[6] = { 0, 0, 0, 0, 0, 77 };
	bool cut;
	struct mem_str prefix = MEM_STR("a "), three = MEM_STR("the able");
	assert_int_equal(mem_tokenize(tokens, prefix, three, ids, 5, &cut), 5);
	assert_false(cut);
	const uint32_t whole[] = { CLS, id("a"), id("the"), id("able"), SEP };
	assert_memory_equal(ids, whole, sizeof whole);
	assert_int_equal(mem_tokenize(tokens, prefix, MEM_STR("the unaffable"), ids, 5, &cut), 5);
	assert_true(cut);
	const uint32_t within[] = { CLS, id("a"), id("the"), id("un"), SEP };
	assert_memory_equal(ids, within, sizeof within);
	/* The piece that does not fit still decides what the word is. */
	assert_int_equal(mem_tokenize(tokens, prefix, MEM_STR("the unaffabl"), ids, 5, &cut), 5);
	assert_false(cut);
	assert_int_equal(ids[3], UNK);
	assert_int_equal(mem_tokenize(tokens, prefix, three, ids, 2, &cut), 2);
	assert_true(cut);
	assert_int_equal(mem_tokenize(tokens, prefix, three, ids, 1, &cut), 0);
	assert_true(cut);
	assert_int_equal(ids[5], 77);
	/* Prefix and text are one text. */
	assert_int_equal(mem_tokenize(tokens, MEM_STR("un"), MEM_STR("able"), ids, 6, NULL), 4);
	assert_int_equal(ids[2], id("##able"));
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
	assert_false(is_lossy(MEM_STR("The\tunaffable Café!\n")));
	assert_true(is_lossy(MEM_STR("the unknown")));
	assert_true(is_lossy(MEM_STR("cafe\xcc\x81")));         /* the mark */
	assert_true(is_lossy(MEM_STR("the\x01")));
	assert_true(is_lossy(MEM_STR("the\xff")));
}

/* ---- the vocabulary --------------------------------------------------- */

static void
refuse_pack(const struct mem_str *v, size_t n, const char *why)
{
	struct mem_buf out = { 0 };
	struct mem_err err;
	mem_buf_puts(&out, "before");
	assert_int_equal(mem_wordpiece_pack(&out, v, n, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, why));
	assert_int_equal(out.len, 6);
	mem_buf_release(&out);
}

static void
test_no_vocabulary(void **state)
{
	(void)state;
	char long_word[300];
	memset(long_word, 'x', sizeof long_word);
	struct mem_str v[] = { MEM_STR("[UNK]"), MEM_STR("[CLS]"), MEM_STR("[SEP]"), MEM_STR("a"), MEM_STR("b") };
	refuse_pack(v, 0, "0 words");
	refuse_pack(v, 2, "no [SEP]");
	refuse_pack(v + 1, 4, "no [UNK]");
	v[4] = MEM_STR("a");
	refuse_pack(v, 5, "words 3 and 4 are the same");
	v[4] = MEM_STR("");
	refuse_pack(v, 5, "word 4 is empty");
	v[4] = MEM_STR("a\0b");
	refuse_pack(v, 5, "word 4 has a NUL");
	v[4] = (struct mem_str){ long_word, sizeof long_word };
	refuse_pack(v, 5, "word 4 has 300 bytes");
}

static void
refuse_open(struct mem_str vocab, enum mem_tokens_kind kind, const char *why)
{
	struct mem_tokenizer *t;
	struct mem_err err;
	assert_int_equal(mem_tokenizer_open(&t, kind, vocab, &err), MEM_FAIL);
	assert_null(t);
	assert_non_null(strstr(err.msg, why));
}

static void
test_damage(void **state)
{
	(void)state;
	struct mem_buf b = { 0 };
	refuse_open(mem_buf_span(&section), MEM_TOKENS_UNIGRAM, "another kind");
	for (size_t n = 0; n < section.len; n++)
		refuse_open((struct mem_str){ section.data, n }, MEM_TOKENS_WORDPIECE, "vocabulary: ");
	refuse_open((struct mem_str){ section.data + 1, section.len - 1 }, MEM_TOKENS_WORDPIECE, "cut short");
	mem_buf_str(&b, mem_buf_span(&section));
	mem_buf_putc(&b, '\0');
	refuse_open(mem_buf_span(&b), MEM_TOKENS_WORDPIECE, "its head says");
	b.len--;
	b.data[0] ^= 1;
	refuse_open(mem_buf_span(&b), MEM_TOKENS_WORDPIECE, "another kind");
	b.data[0] ^= 1;
	b.data[11] = 1;                 /* the unknown word's id */
	refuse_open(mem_buf_span(&b), MEM_TOKENS_WORDPIECE, "damaged");
	mem_buf_release(&b);
}

/* Whatever the units say, ids are words of the vocabulary. */
static void
test_damaged_units(void **state)
{
	(void)state;
	const struct mem_str text = MEM_STR("unaffable the café 東京 Straße [SEP] !!!");
	struct mem_buf b = { 0 };
	uint32_t seed = 1, ids[64];
	for (int round = 0; round < 5000; round++) {
		struct mem_tokenizer *t;
		struct mem_err err;
		mem_buf_reset(&b);
		mem_buf_str(&b, mem_buf_span(&section));
		for (int i = 0; i < 40; i++) {
			seed = seed * 1664525u + 1013904223u;
			size_t at = 40 + (seed >> 4) % (b.len - 40);
			b.data[at] = (char)(seed >> 24);
		}
		assert_int_equal(mem_tokenizer_open(&t, MEM_TOKENS_WORDPIECE, mem_buf_span(&b), &err), MEM_OK);
		size_t n = mem_tokenize(t, text, text, ids, 64, NULL);
		assert_true(n >= 2 && n <= 64);
		for (size_t i = 0; i < n; i++)
			assert_true(ids[i] < MEM_COUNT(words));
		mem_tokenizer_close(t);
	}
	mem_buf_release(&b);
}

/* ---- the tables ------------------------------------------------------- */

struct point {
	char is;                        /* R S J P, or 0 */
	unsigned n;
	uint32_t to[4];
};

static void
read_point_line(struct point *points, const char *line)
{
	unsigned v[5];
	int n = sscanf(line + 1, "%x %x %x %x %x", &v[0], &v[1], &v[2], &v[3], &v[4]);
	assert_true(n >= 2);
	if (line[0] == 'M') {
		points[v[0]].n = (unsigned)n - 1;
		for (int i = 1; i < n; i++)
			points[v[0]].to[i - 1] = v[i];
		return;
	}
	for (unsigned c = v[0]; c <= v[1]; c++)
		points[c].is = line[0];
}

static void
check_point(const struct point *p, uint32_t c)
{
	static const char classes[] = { 0, 'R', 'S', 'J', 'P' };
	unsigned entry = token_wordpiece_block[token_wordpiece_page[c >> 7]][c & 127];
	assert_int_equal(classes[entry & 7], p->is);
	assert_int_equal(entry >> 3 != 0, p->n > 0);
	const uint32_t *map = &token_wordpiece_map[entry >> 3];
	if (p->n > 0) {
		assert_int_equal(map[0] >> 24, p->n);
		assert_int_equal(map[0] & 0xffffff, p->to[0]);
		assert_memory_equal(map + 1, p->to + 1, (p->n - 1) * sizeof *map);
	}
	if (c < 128)
		assert_int_equal(token_wordpiece_ascii[c], p->is != 0 ? entry & 7 : p->n > 0 ? p->to[0] : c);
}

static void
test_tables(void **state)
{
	(void)state;
	struct point *points = mem_xcalloc(0x110000, sizeof *points);
	FILE *f = fopen("lib/token/wordpiece.tsv", "r");
	char line[256];
	assert_non_null(f);
	while (fgets(line, sizeof line, f) != NULL)
		if (line[0] != '#')
			read_point_line(points, line);
	fclose(f);
	assert_int_equal(points['A'].to[0], 'a');
	for (uint32_t c = 0; c < 0x110000; c++)
		check_point(&points[c], c);
	free(points);
}

/* Ids of passages are those of their sentences together: 4, 4 and 3 of this text. */
static void
test_measure(void **state)
{
	(void)state;
	struct mem_passage_options o = { .limit = 7, .measure = mem_tokens_measure, .ctx = tokens };
	struct mem_str text = MEM_STR("The able the. Unaffable! The cafe.");
	struct mem_span *spans;
	assert_int_equal(mem_passages_make(&spans, text, &o), 2);
	assert_int_equal(spans[0].end, 13);
	assert_int_equal(spans[1].start, 14);
	assert_int_equal(spans[1].end, text.n);
	assert_int_equal(mem_tokens_count(tokens, (struct mem_str){ text.p + 14, text.n - 14 }, NULL), 7);
	free(spans);
}

static void
places_are_those_of_words(void **state)
{
	(void)state;
	static const uint32_t want[] = { 0, 0, 0, 12, 13, 14, 15, 17, 20 };
	uint32_t ids[32], plain[32], at[32];
	struct mem_token_places p = { .at = at };
	const struct mem_str prefix = MEM_STR("the a: "), text = MEM_STR("unaffable\xc2\xad i's! \xe6\x9d\xb1\xe4\xba\xac");
	bool cut;
	size_t n = mem_tokenize_places(tokens, prefix, text, ids, MEM_COUNT(ids), &cut, &p);
	assert_false(cut);
	assert_int_equal(n, mem_tokenize(tokens, prefix, text, plain, MEM_COUNT(plain), NULL));
	assert_memory_equal(ids, plain, n * sizeof *ids);
	assert_int_equal(p.first, 4);
	assert_int_equal(p.last, n - 1);
	assert_int_equal(p.last - p.first, MEM_COUNT(want));
	assert_memory_equal(at + p.first, want, sizeof want);
	assert_true(p.read.p == text.p && p.read.n == text.n);
	/* where there is room for a part of the text, of the prefix, for nothing */
	for (size_t max = 0; max < n; max++) {
		size_t have = mem_tokenize_places(tokens, prefix, text, ids, max, &cut, &p);
		assert_true(cut);
		assert_int_equal(have, max < 2 ? 0 : max);
		assert_int_equal(p.last - p.first, max < 6 ? 0 : max - 5);
	}
	mem_buf_release(&p.buf);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_those_of_words),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_characters),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_lossy),
		cmocka_unit_test(test_measure),
		cmocka_unit_test(test_no_vocabulary),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_damaged_units),
		cmocka_unit_test(test_tables),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
