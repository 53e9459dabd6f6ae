/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of the golden texts, by the models that are installed ($MEMKIT_MODELS, else where
 * mem-model puts them) and by the random model, which is always there, under each kernel: one at a time, in
 * batches, by several threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/model_int.h"
#include "random_model.h"
#include "record/record.h"
#include "vector/vector_int.h"
#include "install/install.h"

enum { D = MEM_MODEL_DIMS, LINES = 64, BATCH = 32 };

/* A sanitizer takes ten times as long, so that it gets some of the lines, the one that is cut among them. */
#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
enum { EVERY = SANITIZED ? 13 : 1 };

struct golden {
	struct model_local *local;
	enum mem_precision precision;
	size_t n;
	struct mem_str texts[LINES];    /* OWNS */
	enum mem_encode_as as[LINES];
	uint32_t ids[LINES][MEM_MODEL_PLACES];
	size_t nids[LINES];
	float want[LINES][D], alone[LINES][D];
	bool cut[LINES];
};

/* How near a vector must be: by cosine, and for float32 by component. */
static const double cosine_min[] = { [MEM_F32] = 0.99999, [MEM_F16] = 0.9999, [MEM_I8] = 0.999 };

/* ---- reading ------------------------------------------------------------ */

/* Where the installed model of that name would be; false: nowhere. */
static bool
installed_path(struct mem_buf *path, const char *name)
{
	const char *dir = getenv("MEMKIT_MODELS");
	if (dir == NULL || dir[0] == '\0')
		return mem_model_path(path, mem_str(name));
	mem_buf_printf(path, "%s/%s.model", dir, name);
	return true;
}

static bool
open_model(struct golden *g, const char *path)
{
	struct mem_model *m;
	struct mem_err err;
	enum mem_status st = model_local_open(&g->local, path, "english", &err);
	if (st == MEM_OK) {
		assert_int_equal(mem_model_open(&m, path, true, &err), MEM_OK);
		g->precision = mem_model_info(m)->precision;
		mem_model_close(m);
	} else if (st != MEM_ABSENT) {
		fail_msg("%s", err.msg);
	}
	return st == MEM_OK;
}

static void
read_line(struct golden *g, struct mem_rec *rec, struct mem_str line)
{
	struct mem_buf text = { 0 };
	double v;
	size_t i = 0;
	assert_true(g->n < LINES);
	assert_int_equal(mem_rec_scan(rec, line, NULL), MEM_OK);
	mem_buf_puts(&text, "");
	assert_true(mem_json_decode(&text, mem_rec_value(rec, "text")));
	g->texts[g->n] = mem_buf_span(&text);
	g->as[g->n] = mem_json_is(mem_rec_value(rec, "kind"), "query") ? MEM_AS_QUERY : MEM_AS_TEXT;
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(rec, "vector")); mem_json_next(&it); i++) {
		assert_true(i < D && mem_json_num(it.value, &v));
		g->want[g->n][i] = (float)v;
	}
	assert_int_equal(i, D);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(rec, "token_ids")); mem_json_next(&it);) {
		assert_true(g->nids[g->n] < MEM_MODEL_PLACES && mem_json_num(it.value, &v));
		g->ids[g->n][g->nids[g->n]++] = (uint32_t)v;
	}
	g->n++;
}

/* NULL: the model is not there. */
static struct golden *
open_golden(const char *model, const char *lines)
{
	struct golden *g = mem_xcalloc(1, sizeof *g);
	struct mem_rec rec = { 0 };
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	if (!open_model(g, model)) {
		free(g);
		return NULL;
	}
	FILE *f = fopen(lines, "r");
	assert_non_null(f);
	for (size_t i = 0; (n = getline(&line, &cap, f)) > 0; i++)
		if (i % EVERY == 0)
			read_line(g, &rec, (struct mem_str){ line, (size_t)n - 1 });
	fclose(f);
	free(line);
	mem_rec_release(&rec);
	return g;
}

static void
close_golden(struct golden *g)
{
	for (size_t i = 0; i < g->n; i++)
		free((char *)(uintptr_t)g->texts[i].p);
	model_local_close(g->local);
	free(g);
}

/* ---- comparing ---------------------------------------------------------- */

static void
check_vector(const struct golden *g, size_t i, const float *v, const char *kernel)
{
	const float *want = g->want[i];
	double dot = 0, a = 0, b = 0, most = 0;
	for (size_t d = 0; d < D; d++) {
		dot += (double)v[d] * (double)want[d];
		a += (double)v[d] * (double)v[d];
		b += (double)want[d] * (double)want[d];
		most = fmax(most, fabs((double)v[d] - (double)want[d]));
	}
	assert_true(fabs(a - 1) < 1e-5);
	if (!(dot / sqrt(a * b) >= cosine_min[g->precision]))
		fail_msg("line %zu, %s, %s: cosine %.7f", i * EVERY + 1, kernel, mem_precision_name(g->precision), dot / sqrt(a * b));
	if (g->precision == MEM_F32 && !(most <= 1e-5))
		fail_msg("line %zu, %s: a component is off by %g", i * EVERY + 1, kernel, most);
}

static void
check_same(const float *a, const float *b, size_t line)
{
	for (size_t d = 0; d < D; d++)
		if (!(fabsf(a[d] - b[d]) <= 1e-6f))
			fail_msg("line %zu: %g alone, %g among others", line, (double)a[d], (double)b[d]);
}

static void
encode_alone(struct golden *g, const char *kernel)
{
	struct mem_err err;
	for (size_t i = 0; i < g->n; i++) {
		float *v;
		assert_int_equal(model_local_encode(g->local, g->as[i], &g->texts[i], 1, &v, &g->cut[i], NULL, &err), MEM_OK);
		memcpy(g->alone[i], v, sizeof g->alone[i]);
		free(v);
		check_vector(g, i, g->alone[i], kernel);
	}
}

/* Lines of one kind and of less than `bytes`, `n` at a time. */
static void
encode_together(struct golden *g, enum mem_encode_as as, size_t n, size_t bytes)
{
	struct mem_err err;
	struct mem_str texts[LINES];
	size_t lines[LINES], have = 0;
	bool cut[LINES];
	for (size_t i = 0; i <= g->n; i++) {
		if (i < g->n && g->as[i] == as && g->texts[i].n < bytes) {
			texts[have] = g->texts[i];
			lines[have++] = i;
		}
		if (have == 0 || (have < n && i < g->n))
			continue;
		float *v;
		assert_int_equal(model_local_encode(g->local, as, texts, have, &v, cut, NULL, &err), MEM_OK);
		for (size_t k = 0; k < have; k++) {
			check_same(g->alone[lines[k]], v + k * D, lines[k] * EVERY + 1);
			assert_int_equal(cut[k], g->cut[lines[k]]);
		}
		free(v);
		have = 0;
	}
}

/* Codes of pieces come with the same vectors, and are the same alone and among others. */
static void
check_pieces(struct golden *g)
{
	struct mem_err err;
	struct mem_str texts[LINES];
	struct mem_text_pieces alone = { 0 }, all[LINES] = { { 0 } };
	size_t n = 0, some = 0;
	float *v, *with;
	for (size_t i = 0; i < g->n; i++)
		if (g->as[i] == MEM_AS_TEXT)
			texts[n++] = g->texts[i];
	assert_true(model_local_has_pieces(g->local));
	assert_int_equal(model_local_encode(g->local, MEM_AS_TEXT, texts, n, &v, NULL, NULL, &err), MEM_OK);
	assert_int_equal(model_local_encode(g->local, MEM_AS_TEXT, texts, n, &with, NULL, all, &err), MEM_OK);
	assert_memory_equal(v, with, n * D * sizeof *v);
	free(v);
	for (size_t i = 0; i < n; i++, free(v)) {
		assert_int_equal(model_local_encode(g->local, MEM_AS_TEXT, &texts[i], 1, &v, NULL, &alone, &err), MEM_OK);
		assert_int_equal(alone.n, all[i].n);
		assert_memory_equal(alone.codes, all[i].codes, alone.n * mem_piece_bytes(D));
		assert_null(alone.words);
		some += alone.n;
		mem_text_pieces_release(&alone, 1);
	}
	assert_true(some > n);
	free(with);
	mem_text_pieces_release(all, n);
}

/* By the kernel that this machine would choose. */
static void
check_threads(struct golden *g)
{
	size_t cut = 0;
	model_local_set_threads(g->local, 3);
	encode_alone(g, "threads");
	encode_together(g, MEM_AS_TEXT, LINES, SIZE_MAX);
	check_pieces(g);
	model_local_set_threads(g->local, 1);
	for (size_t i = 0; i < g->n; i++)
		cut += g->cut[i];
	assert_int_equal(cut, 1);
}

static void
check_kernels(struct golden *g)
{
	for (int k = MEM_KERNEL_OPENBLAS; k >= MEM_KERNEL_PLAIN; k--) {
		const char *kernel = mem_kernel_name((enum mem_kernel)k);
		if (!vector_force_kernel((enum mem_kernel)k)) {
			print_message("# no %s here\n", kernel);
			continue;
		}
		encode_alone(g, kernel);
		/* The long line was among the others above. */
		encode_together(g, MEM_AS_TEXT, BATCH, 1000);
		encode_together(g, MEM_AS_QUERY, BATCH, 1000);
	}
}

static void
check_golden(const char *name)
{
	struct mem_buf model = { 0 };
	char lines[64];
	snprintf(lines, sizeof lines, "tests/data/encoder-golden/%s.ndjson", name);
	struct golden *g = installed_path(&model, name) ? open_golden(model.data, lines) : NULL;
	mem_buf_release(&model);
	if (g == NULL)
		skip();
	assert_true(g->n >= 40 / EVERY);
	const float *mean = model_local_info(g->local)->mean;
	assert_non_null(mean);
	assert_true(mem_dot(mean, g->want[0], D) > 0);
	check_threads(g);
	check_kernels(g);
	close_golden(g);
}

static void test_e5(void **state) { (void)state; check_golden("e5"); }
static void test_bge(void **state) { (void)state; check_golden("bge"); }
static void test_minilm(void **state) { (void)state; check_golden("minilm"); }
static void test_me5(void **state) { (void)state; check_golden("me5"); }

/* ---- the random model ---------------------------------------------------- */

static char folder[] = "/tmp/memkit-encode-XXXXXX";

/* As mem-model does it; *path is the installed file's. */
static void
install_random(struct mem_buf *path, enum mem_precision precision)
{
	struct mem_model_info info;
	struct mem_err err;
	char weights[64];
	snprintf(weights, sizeof weights, "%s/random.safetensors", folder);
	struct mem_install_options ask = { .what = weights, .spec = mem_model_find(MEM_STR("minilm")), .precision = precision,
		.unverified = true, .stop_fd = -1 };
	if (mem_model_install(&info, &ask, &err) != MEM_OK)
		fail_msg("%s", err.msg);
	assert_int_equal(info.precision, precision);
	mem_buf_reset(path);
	assert_true(mem_model_path(path, MEM_STR("minilm")));
}

static void
check_ids(const struct golden *g)
{
	uint32_t ids[256];
	bool cut;
	for (size_t i = 0; i < g->n; i++) {
		size_t n = mem_tokenize(model_local_tokenizer(g->local), MEM_STR(""), g->texts[i], ids, MEM_COUNT(ids), &cut);
		assert_int_equal(n, g->nids[i]);
		assert_memory_equal(ids, g->ids[i], n * sizeof *ids);
	}
}

static void
test_random(void **state)
{
	(void)state;
	struct mem_buf path = { 0 };
	char *home = getenv("XDG_DATA_HOME");
	home = home != NULL ? strdup(home) : NULL;
	setenv("XDG_DATA_HOME", folder, 1);
	for (int p = MEM_F32; p <= MEM_I8; p++) {
		install_random(&path, (enum mem_precision)p);
		struct golden *g = open_golden(path.data, "tests/data/random-model/vectors.ndjson");
		assert_non_null(g);
		assert_int_equal(g->precision, p);
		assert_int_equal(g->n, (23 + EVERY - 1) / EVERY);
		check_ids(g);
		check_threads(g);
		if (p != MEM_F16) /* of this one the chosen kernel is enough: the slow ones take their time */
			check_kernels(g);
		close_golden(g);
	}
	mem_buf_release(&path);
	if (home != NULL)
		setenv("XDG_DATA_HOME", home, 1);
	else
		unsetenv("XDG_DATA_HOME");
	free(home);
}

static int
begin_random(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	char path[64];
	snprintf(path, sizeof path, "%s/random.safetensors", folder);
	int failed = random_write_weights(path);
	snprintf(path, sizeof path, "%s/vocab.txt", folder);
	return failed != 0 ? failed : random_write_words(path);
}

static int
end_random(void **state)
{
	(void)state;
	static const char *const made[] = { "random.safetensors", "vocab.txt", "memkit/models/minilm.model", "memkit/models",
		"memkit", "" };
	int failed = 0;
	for (size_t i = 0; i < MEM_COUNT(made); i++) {
		char path[64];
		snprintf(path, sizeof path, "%s/%s", folder, made[i]);
		failed = remove(path);
	}
	return failed;
}

/* ---- a model of our own making ------------------------------------------- */

/* Two blocks whose weights are noise. */
struct world {
	struct model_weights w;
	float *all;
	void *packed;
};

static void
make_world(struct world *w)
{
	static const uint32_t in[] = { 384, 384, 384, 1536 }, out[] = { 1152, 384, 1536, 384 };
	size_t most = 384 * 1536, floats = 100 * D + 512 * D + 1536 + most;
	uint32_t seed = 9;
	w->all = mem_xmalloc(floats * sizeof *w->all);
	for (size_t i = 0; i < floats; i++) {
		seed = seed * 1664525 + 1013904223;
		w->all[i] = (float)(int32_t)seed / 0x1p31f;
	}
	float *position = w->all + 100 * D, *bias = position + 512 * D, *plain = bias + 1536;
	w->w = (struct model_weights){ .word = { w->all, 100, MEM_ROWS_F32 }, .position = position,
		.norm = { bias, bias + D }, .nblocks = 2 };
	w->packed = aligned_alloc(64, 4 * mem_mat_bytes(MEM_F32, 384, 1536));
	char *at = w->packed;
	struct model_linear lin[4];
	for (size_t i = 0; i < 4; i++) {
		lin[i] = (struct model_linear){ { in[i], out[i], MEM_F32, at }, bias };
		assert_int_equal(mem_mat_pack(at, MEM_F32, plain, in[i], out[i], NULL), MEM_OK);
		at += mem_mat_bytes(MEM_F32, in[i], out[i]);
	}
	for (size_t b = 0; b < 2; b++)
		w->w.block[b] = (struct model_block){ lin[0], lin[1], w->w.norm, lin[2], lin[3], w->w.norm };
}

/* Texts of all lengths up to the limit: each alone as among the others. */
static void
lengths_do_not_mix(void **state)
{
	(void)state;
	enum { N = 40 };
	struct world w;
	uint32_t lengths[N], ids[N * 512], all = 0;
	static float together[N][D];
	float alone[D];
	make_world(&w);
	for (size_t i = 0; i < N; i++) {
		lengths[i] = i < 36 ? (uint32_t)i + 1 : (uint32_t)i * 13 + 5;
		for (size_t k = 0; k < lengths[i]; k++)
			ids[all + k] = (uint32_t)(i * 7 + k) % 100;
		all += lengths[i];
	}
	assert_int_equal(lengths[N - 1], MEM_MODEL_PLACES);
	for (int k = MEM_KERNEL_AVX512; k >= MEM_KERNEL_PLAIN; k--) {
		if (!vector_force_kernel((enum mem_kernel)k))
			continue;
		struct model_forward *f = model_forward_new(all);
		assert_int_equal(model_encode_ids(f, &w.w, MEM_POOLING_MEAN, ids, lengths, N, together[0]), N);
		model_forward_free(f);
		for (size_t i = 0, at = 0; i < N; at += lengths[i++]) {
			f = model_forward_new(lengths[i]);
			assert_int_equal(model_encode_ids(f, &w.w, MEM_POOLING_MEAN, ids + at, lengths + i, 1, alone), 1);
			model_forward_free(f);
			check_same(alone, together[i], i);
		}
	}
	free(w.all);
	free(w.packed);
}

static void
no_vector_is_said(void **state)
{
	(void)state;
	struct world w;
	uint32_t lengths[3] = { 2, 3, 4 }, ids[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	float out[3][D];
	make_world(&w);
	w.all[4 * D] = NAN;     /* of the second text */
	struct model_forward *f = model_forward_new(9);
	assert_int_equal(model_encode_ids(f, &w.w, MEM_POOLING_FIRST, ids, lengths, 3, out[0]), 1);
	model_forward_free(f);
	free(w.all);
	free(w.packed);
}

static void
names(void **state)
{
	(void)state;
	struct model_local *l;
	struct mem_err err;
	assert_int_equal(model_local_open(&l, "e6", "english", &err), MEM_USAGE);
	assert_non_null(strstr(err.msg, "'e6'"));
	assert_null(l);
	setenv("XDG_DATA_HOME", "/nowhere", 1);
	assert_int_equal(model_local_open(&l, "e5", "english", &err), MEM_ABSENT);
	assert_non_null(strstr(err.msg, "mem-model install e5"));
	assert_int_equal(model_local_open(&l, "/nowhere/x.model", "english", &err), MEM_ABSENT);
}

int
main(void)
{
	mem_link_blas();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_e5),
		cmocka_unit_test(test_bge),
		cmocka_unit_test(test_minilm),
		cmocka_unit_test(test_me5),
		cmocka_unit_test_setup_teardown(test_random, begin_random, end_random),
		cmocka_unit_test(lengths_do_not_mix),
		cmocka_unit_test(no_vector_is_said),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
