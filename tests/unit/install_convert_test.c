/* SPDX-License-Identifier: Apache-2.0 */
/* From weights to an installed model: each number comes to its place, whichever form it came in. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "model/model.h"
#include "vector/vector.h"
#include "install_files.h"
#include "model/model_int.h"
#include "install/install.h"
#include "token/token.h"

#define DIMS  MEM_MODEL_DIMS
#define INNER MEM_MODEL_INNER
#define WORDS 30522
#define LAYERS 6

static struct mem_err err;
static char folder[] = "/tmp/memkit-convert-XXXXXX";

/* ---- made-up weights -------------------------------------------------- */

/* Element i of the tensor `seed`, one that a half float holds. */
static float
value(uint32_t seed, uint32_t i)
{
	uint32_t h = (i + seed * 97003u) * 2654435761u;
	return (float)((int)(h >> 16 & 2047) - 1023) / 1024;
}

enum { WORD = 1, POSITION, TYPE, NORM, NORM_BIAS, LAYER = 100 }; /* and so many seeds a layer */

struct tensor {
	char name[80];
	uint32_t seed, rows, cols; /* cols 0: a vector */
	bool matrix;
};

/* In the order of the publisher's files; returns how many. */
static size_t
list(struct tensor *t)
{
	static const struct { const char *name; uint32_t rows, cols; } parts[] = {
		{ "attention.self.query", DIMS, DIMS }, { "attention.self.key", DIMS, DIMS }, { "attention.self.value", DIMS, DIMS },
		{ "attention.output.dense", DIMS, DIMS }, { "intermediate.dense", INNER, DIMS }, { "output.dense", DIMS, INNER },
		{ "attention.output.LayerNorm", DIMS, 0 }, { "output.LayerNorm", DIMS, 0 },
	};
	size_t n = 0;
	t[n++] = (struct tensor){ "embeddings.word_embeddings.weight", WORD, WORDS, DIMS, false };
	t[n++] = (struct tensor){ "embeddings.position_embeddings.weight", POSITION, MEM_MODEL_PLACES, DIMS, false };
	t[n++] = (struct tensor){ "embeddings.token_type_embeddings.weight", TYPE, 2, DIMS, false };
	t[n++] = (struct tensor){ "embeddings.LayerNorm.weight", NORM, DIMS, 0, false };
	t[n++] = (struct tensor){ "embeddings.LayerNorm.bias", NORM_BIAS, DIMS, 0, false };
	for (uint32_t l = 0; l < LAYERS; l++) {
		for (uint32_t p = 0; p < MEM_COUNT(parts); p++) {
			for (uint32_t bias = 0; bias < 2; bias++) {
				struct tensor *to = &t[n++];
				*to = (struct tensor){ .seed = LAYER * (l + 1) + 2 * p + bias, .rows = parts[p].rows,
					.cols = bias ? 0 : parts[p].cols, .matrix = !bias && parts[p].cols > 0 };
				snprintf(to->name, sizeof to->name, "encoder.layer.%u.%s.%s", l, parts[p].name, bias ? "bias" : "weight");
			}
		}
	}
	return n;
}

static uint16_t *
numbers(const struct tensor *t, bool turned, size_t *n)
{
	uint32_t cols = t->cols > 0 ? t->cols : 1;
	*n = (size_t)t->rows * cols;
	uint16_t *h = mem_xcalloc(*n, sizeof *h);
	for (uint32_t r = 0; r < t->rows; r++)
		for (uint32_t c = 0; c < cols; c++)
			h[turned ? (size_t)c * t->rows + r : (size_t)r * cols + c] = mem_half_put(value(t->seed, r * cols + c));
	return h;
}

static void
save(const char *path, const struct mem_buf *b)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(mem_fd_write(fd, b->data, b->len, &err), MEM_OK);
	close(fd);
}

static void
save_safetensors(const char *path)
{
	struct tensor t[128];
	struct st_file f = { 0 };
	struct mem_buf out = { 0 };
	size_t n = list(t), count;
	for (size_t i = 0; i < n; i++) {
		char shape[32];
		uint16_t *h = numbers(&t[i], false, &count);
		snprintf(shape, sizeof shape, t[i].cols > 0 ? "[%u,%u]" : "[%u]", t[i].rows, t[i].cols);
		st_add(&f, t[i].name, "F16", shape, h, count * sizeof *h);
		free(h);
	}
	st_end(&out, &f);
	save(path, &out);
	mem_buf_release(&out);
}

/* Matrices are [in][out] there, and have numbers for names. */
static void
save_onnx(const char *path)
{
	struct tensor t[128];
	struct mem_buf graph = { 0 }, out = { 0 };
	size_t n = list(t), count;
	for (size_t i = 0; i < n; i++) {
		char name[40], node[128] = "/", *p = node + 1;
		if (!t[i].matrix)
			continue;
		snprintf(name, sizeof name, "onnx::MatMul_%zu", i);
		for (const char *s = t[i].name; strcmp(s, ".weight") != 0; s++)
			*p++ = *s == '.' && s != t[i].name + strlen("encoder.layer") ? '/' : *s; /* layer.0 keeps its dot */
		memcpy(p, "/MatMul", sizeof "/MatMul");
		onnx_node(&graph, "MatMul", node, "x", name);
	}
	for (size_t i = 0; i < n; i++) {
		char name[40];
		uint16_t *h = numbers(&t[i], t[i].matrix, &count);
		snprintf(name, sizeof name, "onnx::MatMul_%zu", i);
		onnx_tensor(&graph, t[i].matrix ? name : t[i].name, t[i].matrix ? t[i].cols : t[i].rows, t[i].matrix ? t[i].rows : t[i].cols, 10, h,
		    count * sizeof *h, i % 2 == 0);
		free(h);
	}
	onnx_end(&out, &graph);
	save(path, &out);
	mem_buf_release(&out);
}

static void
save_words(const char *path)
{
	static const struct { int id; const char *word; } marks[] = {
		{ 0, "[PAD]" }, { 100, "[UNK]" }, { 101, "[CLS]" }, { 102, "[SEP]" }, { 103, "[MASK]" },
	};
	struct mem_buf out = { 0 };
	for (int i = 0; i < WORDS; i++) {
		const char *mark = NULL;
		for (size_t k = 0; k < MEM_COUNT(marks); k++)
			if (marks[k].id == i)
				mark = marks[k].word;
		if (mark != NULL)
			mem_buf_printf(&out, "%s\n", mark);
		else
			mem_buf_printf(&out, "%c%c%c%c\n", 'a' + i / 17576 % 26, 'a' + i / 676 % 26, 'a' + i / 26 % 26, 'a' + i % 26);
	}
	save(path, &out);
	mem_buf_release(&out);
}

/* ---- what must come of them ------------------------------------------- */

static void
expect_vector(const float *got, uint32_t seed, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		assert_true(got[i] == value(seed, i));
}

/* Columns from `column` on hold the matrix `seed`, [out][in] in the publisher's file, and its bias. */
static void
expect_linear(const struct model_linear *l, uint32_t column, uint32_t out, uint32_t seed)
{
	uint32_t in = l->w.in;
	float *x = mem_xcalloc((size_t)in * in, sizeof *x), *y = mem_xcalloc((size_t)in * l->w.out, sizeof *y);
	for (uint32_t i = 0; i < in; i++)
		x[i * in + i] = 1;
	mem_mat_mul(&l->w, l->bias, x, in, y);
	for (uint32_t i = 0; i < in; i++)
		for (uint32_t o = 0; o < out; o++)
			if (y[i * l->w.out + column + o] != value(seed, o * in + i) + value(seed + 1, o))
				fail_msg("seed %u: weight %u, %u", seed, o, i);
	expect_vector(l->bias + column, seed + 1, out);
	free(x);
	free(y);
}

static void
expect_model(const struct mem_model *m)
{
	const struct model_weights *w = model_weights(m);
	float row[DIMS];
	for (uint32_t i = 0; i < WORDS; i += 499) {
		model_read_row(&w->word, i, row);
		for (uint32_t k = 0; k < DIMS; k++)
			assert_true(row[k] == value(WORD, i * DIMS + k));
	}
	for (uint32_t i = 0; i < MEM_MODEL_PLACES * DIMS; i++)
		assert_true(w->position[i] == value(POSITION, i) + value(TYPE, i % DIMS));
	expect_vector(w->norm.weight, NORM, DIMS);
	expect_vector(w->norm.bias, NORM_BIAS, DIMS);
	for (uint32_t l = 0; l < LAYERS; l += LAYERS - 1) {
		const struct model_block *b = &w->block[l];
		uint32_t seed = LAYER * (l + 1);
		for (uint32_t k = 0; k < 3; k++)
			expect_linear(&b->qkv, k * DIMS, DIMS, seed + 2 * k);
		expect_linear(&b->mix, 0, DIMS, seed + 6);
		expect_linear(&b->inner, 0, INNER, seed + 8);
		expect_linear(&b->outer, 0, DIMS, seed + 10);
		expect_vector(b->mix_norm.weight, seed + 12, DIMS);
		expect_vector(b->mix_norm.bias, seed + 13, DIMS);
		expect_vector(b->norm.weight, seed + 14, DIMS);
		expect_vector(b->norm.bias, seed + 15, DIMS);
	}
}

static size_t
files_here(void)
{
	DIR *d = opendir(".");
	size_t n = 0;
	assert_non_null(d);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2;
}

static void
each_number_comes_to_its_place(void **state)
{
	(void)state;
	const struct mem_model_spec *spec = mem_model_find(MEM_STR("minilm"));
	struct mem_model *m, *other;
	save_safetensors("a.safetensors");
	save_words("vocab.txt");
	assert_int_equal(mem_model_convert(spec, MEM_F32, "a.safetensors", "vocab.txt", "a.model", &err), MEM_OK);
	assert_int_equal(files_here(), 3);
	assert_int_equal(mem_model_open(&m, "a.model", true, &err), MEM_OK);
	expect_model(m);
	struct mem_tokenizer *t;
	uint32_t ids[16];
	bool cut;
	assert_int_equal(mem_tokenizer_open(&t, MEM_TOKENS_WORDPIECE, model_vocab(m), &err), MEM_OK);
	assert_int_equal(mem_tokenize(t, MEM_STR(""), MEM_STR("aaaz aaab"), ids, 16, &cut), 4);
	assert_int_equal(ids[0], 101);
	assert_int_equal(ids[1], 25);
	assert_int_equal(ids[2], 1);
	assert_int_equal(ids[3], 102);
	mem_tokenizer_close(t);

	save_onnx("a.onnx");
	assert_int_equal(mem_model_convert(spec, MEM_F32, "a.onnx", NULL, "b.model", &err), MEM_OK); /* vocab.txt lies beside it */
	assert_int_equal(mem_model_open(&other, "b.model", true, &err), MEM_OK);
	assert_int_equal(mem_model_info(m)->bytes, mem_model_info(other)->bytes);
	assert_string_not_equal(mem_model_info(m)->sha256, mem_model_info(other)->sha256);
	const char *a = model_vocab(m).p, *b = model_vocab(other).p;
	const char *end = (const char *)model_weights(m)->block[LAYERS - 1].outer.w.packed + mem_mat_bytes(MEM_F32, INNER, DIMS);
	assert_memory_equal(a, b, (size_t)(end - a));
	mem_model_close(m);
	mem_model_close(other);
}

/* Smaller precisions hold nearly the same: here halves lose nothing. */
static void
smaller_precisions_are_near(void **state)
{
	(void)state;
	const struct mem_model_spec *spec = mem_model_find(MEM_STR("minilm"));
	struct mem_model *m;
	assert_int_equal(mem_model_convert(spec, MEM_F16, "a.safetensors", "vocab.txt", "a.model", &err), MEM_OK);
	assert_int_equal(mem_model_open(&m, "a.model", true, &err), MEM_OK);
	expect_model(m);
	mem_model_close(m);
	assert_int_equal(mem_model_convert(spec, MEM_I8, "a.safetensors", "vocab.txt", "a.model", &err), MEM_OK);
	assert_int_equal(mem_model_open(&m, "a.model", true, &err), MEM_OK);
	float row[DIMS];
	model_read_row(&model_weights(m)->word, WORDS - 1, row);
	for (uint32_t k = 0; k < DIMS; k++)
		assert_true(fabsf(row[k] - value(WORD, (WORDS - 1) * DIMS + k)) <= 1.0f / 254);
	mem_model_close(m);
}

static void
what_is_refused_leaves_nothing(void **state)
{
	(void)state;
	const struct mem_model_spec *spec = mem_model_find(MEM_STR("minilm"));
	size_t before = files_here();
	assert_int_equal(mem_model_convert(mem_model_find(MEM_STR("bge")), MEM_I8, "a.onnx", NULL, "c.model", &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "encoder.layer.6"));
	assert_int_equal(mem_model_convert(spec, MEM_I8, "vocab.txt", NULL, "c.model", &err), MEM_FAIL);
	assert_int_equal(mem_model_convert(spec, MEM_I8, "a.onnx", "a.onnx", "c.model", &err), MEM_FAIL);
	assert_int_equal(mem_model_convert(spec, MEM_I8, "a.onnx", NULL, "no/such/folder.model", &err), MEM_FAIL);
	int p[2];
	struct mem_model_info info;
	struct install_make_options make = { .spec = spec, .precision = MEM_I8, .weights = "a.onnx", .to = "c.model", .unverified = true };
	assert_int_equal(pipe(p), 0);
	assert_int_equal(write(p[1], "", 1), 1);
	make.stop_fd = p[0];
	assert_int_equal(install_make_model(&info, &make, &err), MEM_STOPPED);
	make.stop_fd = -1;
	make.unverified = false;
	assert_int_equal(install_make_model(&info, &make, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "not what the publisher"));
	close(p[0]);
	close(p[1]);
	assert_int_equal(files_here(), before);
}

static int
begin(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL ? -1 : chdir(folder);
}

static int
end(void **state)
{
	(void)state;
	static const char *const made[] = { "a.safetensors", "a.onnx", "vocab.txt", "a.model", "b.model" };
	for (size_t i = 0; i < MEM_COUNT(made); i++)
		unlink(made[i]);
	return chdir("/") != 0 ? -1 : rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_comes_to_its_place),
		cmocka_unit_test(smaller_precisions_are_near),
		cmocka_unit_test(what_is_refused_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
