/* SPDX-License-Identifier: Apache-2.0 */
/* Marginal relevance, and the counts of words it stands on, against their definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stage/rerank_int.h"

/* Always the same. */
static unsigned
draw_number(uint64_t *state, unsigned below)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)(*state >> 33) % below;
}

enum { TEXTS = 120, VOCABULARY = 400 };

/* Bit k of word i: has text i word k?  Some words are in most texts, most are in few. */
static void
draw_texts(bool has[TEXTS][VOCABULARY])
{
	uint64_t state = 7;
	for (size_t i = 0; i < TEXTS; i++)
		for (unsigned k = 0; k < VOCABULARY; k++)
			has[i][k] = draw_number(&state, 2 + k / 4) == 0;
	memset(has[5], 0, sizeof has[5]);
	memset(has[6], 1, sizeof has[6]);
	memset(has[7], 1, sizeof has[7]);
}

static void
put_text(struct mem_buf *out, const bool *has)
{
	mem_buf_reset(out);
	mem_buf_puts(out, "");
	for (unsigned k = VOCABULARY; k-- > 0;)
		if (has[k])
			mem_buf_printf(out, "w%u. W%u ", k, k); /* twice: once as another form */
}

static size_t
count_common(const bool *a, const bool *b)
{
	size_t n = 0;
	for (unsigned k = 0; k < VOCABULARY; k++)
		n += a[k] && b[k];
	return n;
}

static void
words_in_common_are_counted(void **unused)
{
	static bool has[TEXTS][VOCABULARY];
	struct rerank_words *w = rerank_words_open(TEXTS);
	struct mem_buf text = { 0 };
	(void)unused;
	draw_texts(has);
	for (size_t i = 0; i < TEXTS; i++) {
		put_text(&text, has[i]);
		rerank_words_add(w, i, mem_buf_span(&text));
	}
	rerank_words_ready(w);
	for (size_t i = 0; i < TEXTS; i++) {
		struct rerank_common c = rerank_words_common(w, i);
		assert_int_equal(rerank_words_count(w, i), count_common(has[i], has[i]));
		for (size_t j = 0; j < TEXTS; j++) {
			size_t common = count_common(has[i], has[j]);
			/* Alone in having a word, a text needs no list of it. */
			if (i != j)
				assert_int_equal(c.counts[j] + c.more[j], common);
		}
	}
	rerank_words_free(w);
	mem_buf_release(&text);
}

static void
a_long_text_counts_by_its_first_words(void **unused)
{
	struct rerank_words *w = rerank_words_open(2);
	struct mem_buf text = { 0 };
	(void)unused;
	for (unsigned k = 0; k < 5000; k++)
		mem_buf_printf(&text, "w%u ", k);
	for (size_t i = 0; i < 2; i++)
		rerank_words_add(w, i, mem_buf_span(&text));
	rerank_words_ready(w);
	struct rerank_common c = rerank_words_common(w, 0);
	assert_int_equal(rerank_words_count(w, 0), 4096);
	assert_int_equal(c.counts[1] + c.more[1], 4096);
	rerank_words_free(w);
	mem_buf_release(&text);
}

/* ---- the order ---------------------------------------------------------- */

struct naive_hit {
	unsigned number;
	double scaled, score, similarity;
	bool taken;
};

static double
find_naive_similarity(const bool *a, const bool *b)
{
	size_t common = count_common(a, b), all = count_common(a, a) + count_common(b, b) - common;
	return all > 0 ? rerank_round((double)common / (double)all) : 0;
}

/* By the definition, each pair for itself. */
static void
rank_naively(bool has[TEXTS][VOCABULARY], struct naive_hit *v, size_t n, double lambda, struct naive_hit *out)
{
	for (size_t k = 0; k < n; k++) {
		struct naive_hit *best = NULL;
		for (size_t i = 0; i < n; i++) {
			if (v[i].taken)
				continue;
			v[i].similarity = 0;
			for (size_t j = 0; j < k; j++)
				v[i].similarity = fmax(v[i].similarity, find_naive_similarity(has[v[i].number], has[out[j].number]));
			v[i].score = rerank_round(lambda * v[i].scaled - (1 - lambda) * v[i].similarity);
			if (best == NULL || v[i].score > best->score)
				best = &v[i];
		}
		best->taken = true;
		out[k] = *best;
	}
}

static struct mem_str
read_output_line(struct mem_str *out, struct mem_rec *r)
{
	const char *nl = memchr(out->p, '\n', out->n);
	assert_non_null(nl);
	struct mem_str line = { out->p, (size_t)(nl - out->p) };
	*out = (struct mem_str){ nl + 1, out->n - line.n - 1 };
	assert_int_equal(mem_rec_scan(r, line, NULL), MEM_OK);
	return line;
}

static void
the_order_is_that_of_the_definition(void **unused)
{
	static bool has[TEXTS][VOCABULARY];
	static struct naive_hit v[TEXTS], want[TEXTS];
	const struct mem_rerank_options o = MEM_RERANK_OPTIONS_INIT;
	struct mem_buf text = { 0 }, line = { 0 }, out = { 0 };
	struct mem_rec r = { 0 };
	struct mem_err err;
	void *state = mem_stage_rerank.open(&o);
	(void)unused;
	draw_texts(has);
	for (unsigned i = 0; i < TEXTS; i++) {
		put_text(&text, has[i]);
		mem_buf_reset(&line);
		mem_buf_printf(&line, "{\"id\":\"%03u\",\"score\":%u,\"content\":\"%s\"}", i, 1000 - i / 3, text.data);
		assert_int_equal(mem_stage_rerank.add(state, 0, mem_buf_span(&line), &out, &err), MEM_OK);
		v[i] = (struct naive_hit){ .number = i, .scaled = 1 - (double)(i / 3) / ((TEXTS - 1) / 3) };
	}
	assert_int_equal(mem_stage_rerank.end(state, &out, &err), MEM_OK);
	rank_naively(has, v, TEXTS, o.lambda, want);
	struct mem_str left = mem_buf_span(&out);
	double last = HUGE_VAL;
	for (size_t i = 0; i < TEXTS; i++) {
		char id[16];
		double score, similarity;
		read_output_line(&left, &r);
		snprintf(id, sizeof id, "%03u", want[i].number);
		assert_true(mem_json_is(mem_rec_value(&r, "id"), id));
		assert_true(mem_json_num(mem_rec_value(&r, "score"), &score));
		assert_true(mem_json_num(mem_json_path(mem_rec_json(&r), "signals.mmr.similarity"), &similarity));
		assert_true(fabs(score - want[i].score) < 1e-9 && fabs(similarity - want[i].similarity) < 1e-9);
		assert_true(score <= last);
		last = score;
	}
	assert_int_equal(left.n, 0);
	mem_stage_rerank.free(state);
	mem_buf_release(&text);
	mem_buf_release(&line);
	mem_buf_release(&out);
	mem_rec_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_in_common_are_counted),
		cmocka_unit_test(a_long_text_counts_by_its_first_words),
		cmocka_unit_test(the_order_is_that_of_the_definition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
