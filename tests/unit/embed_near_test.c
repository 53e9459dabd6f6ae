/* SPDX-License-Identifier: Apache-2.0 */
/* Near duplicates of a batch: the window gives what comparing each text with the 256 before it gives, to the digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "embed/embed.h"
#include "vector/vector.h"

enum { DIMS = 64, TEXTS = 1100, FOUND_MAX = 300000 };

static const struct mem_encoder_info info = { .dims = DIMS, .near = .9F };

static float rows[TEXTS][DIMS];
static char texts[TEXTS][80];

/* What was found, in the order in which it was told. */
struct found {
	size_t i, j;
	double score;
};
static struct found seen[FOUND_MAX], wanted[FOUND_MAX];
static size_t nseen, nwanted;

/* -1 to 1, the same on all machines. */
static float
next_number(void)
{
	static uint64_t state = 12345;
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (float)(state >> 40) / (float)(1 << 23) - 1;
}

static void
make_texts(void)
{
	for (size_t i = 0; i < TEXTS; i++) {
		for (size_t k = 0; k < DIMS; k++)
			rows[i][k] = next_number();
		assert_true(mem_normalise(rows[i], DIMS));
		for (size_t k = 0; k < 40; k++)
			texts[i][k] = (char)('a' + (int)((next_number() + 1) * 12.9F));
		texts[i][40] = '\0';
	}
}

/* Text i nearly says what text j says; `noise` of each number. */
static void
make_copy(size_t i, size_t j, float noise)
{
	for (size_t k = 0; k < DIMS; k++)
		rows[i][k] = rows[j][k] + noise * next_number() / 8;
	assert_true(mem_normalise(rows[i], DIMS));
	memcpy(texts[i], texts[j], 40);
	texts[i][20] = '.';
}

static struct mem_embedding
embedding_at(size_t i)
{
	return (struct mem_embedding){ mem_str(texts[i]), rows[i] };
}

static void
note_hits(void *ctx, void *item, const struct mem_near_hit *hits, size_t n)
{
	assert_ptr_equal(ctx, &nseen);
	assert_true(n > 0 && n <= MEM_NEAR_BEFORE);
	for (size_t k = 0; k < n; k++) {
		assert_true(nseen < FOUND_MAX);
		seen[nseen++] = (struct found){ (size_t)((float (*)[DIMS])item - rows), (size_t)((float (*)[DIMS])hits[k].item - rows),
			hits[k].score };
	}
}

static void
run_plainly(size_t n)
{
	nwanted = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i > MEM_NEAR_BEFORE ? i - MEM_NEAR_BEFORE : 0; j < i; j++) {
			double score = mem_near_score(mem_dot(rows[i], rows[j], DIMS), mem_str(texts[i]), mem_str(texts[j]), &info);
			if (score > 0)
				wanted[nwanted++] = (struct found){ i, j, score };
		}
}

/* `every`: flushed after so many; 0: only at the end. */
static void
run_window(size_t n, size_t every)
{
	struct mem_near_window *w = mem_near_window_new(&info, note_hits, &nseen);
	nseen = 0;
	for (size_t i = 0; i < n; i++) {
		const struct mem_embedding e = embedding_at(i);
		mem_near_window_add(w, &e, rows[i]);
		if (every > 0 && (i + 1) % every == 0)
			mem_near_window_flush(w);
	}
	mem_near_window_flush(w);
	mem_near_window_flush(w); /* nothing comes twice */
	mem_near_window_free(w);
}

static void
assert_same(size_t n)
{
	static const size_t flushes[] = { 0, 1, 128, 255, 256, 257, 300 };
	run_plainly(n);
	for (size_t k = 0; k < MEM_COUNT(flushes); k++) {
		run_window(n, flushes[k]);
		assert_int_equal(nseen, nwanted);
		for (size_t i = 0; i < nseen; i++) {
			assert_int_equal(seen[i].i, wanted[i].i);
			assert_int_equal(seen[i].j, wanted[i].j);
			assert_true(seen[i].score == wanted[i].score);
		}
	}
}

static bool
was_found(size_t i, size_t j)
{
	for (size_t k = 0; k < nseen; k++)
		if (seen[k].i == i && seen[k].j == j)
			return true;
	return false;
}

static void
copies_far_apart(void **state)
{
	(void)state;
	make_texts();
	for (size_t from = 0; from < 810; from += 3) {
		make_copy(from + 255, from, .01F);
		make_copy(from + 257, from + 1, .01F);
		make_copy(from + 259, from + 2, .01F);
	}
	make_copy(1090, 1089, .01F);
	assert_same(TEXTS);
	for (size_t from = 0; from < 810; from += 3) {
		assert_true(was_found(from + 255, from));
		assert_true(was_found(from + 257, from + 1));
		assert_false(was_found(from + 259, from + 2));
	}
	assert_true(was_found(1090, 1089));
	assert_int_equal(nseen, 2 * 810 / 3 + 1);
	assert_same(2);
	assert_same(1);
	assert_same(0);
}

/* Products all about the threshold: which are above it is decided by mem_dot alone. */
static void
copies_about_the_threshold(void **state)
{
	(void)state;
	make_texts();
	for (size_t i = 1; i < 600; i++)
		make_copy(i, i - 1, .83F);
	run_plainly(600);
	size_t close = 0, pairs = nwanted;
	for (size_t i = 1; i < 600; i++) {
		double score = (double)mem_dot(rows[i], rows[i - 1], DIMS);
		close += score > .88 && score < .92;
	}
	assert_in_range(close, 100, 599);
	assert_in_range(pairs, 50, 598);
	assert_same(600);
}

static void
all_alike(void **state)
{
	(void)state;
	make_texts();
	for (size_t i = 1; i < 700; i++)
		make_copy(i, 0, 0);
	assert_same(700);
	assert_int_equal(nseen, (size_t)MEM_NEAR_BEFORE * (700 - MEM_NEAR_BEFORE) + (size_t)MEM_NEAR_BEFORE * (MEM_NEAR_BEFORE - 1) / 2);
}

/* Near vectors whose texts are written otherwise are no near duplicates, nor is what is no number. */
static void
what_is_none(void **state)
{
	(void)state;
	make_texts();
	make_copy(1, 0, 0);
	memset(texts[1], 'z', 40);
	make_copy(3, 2, 0);
	rows[3][5] = nanf("");
	make_copy(5, 4, 0);
	assert_same(6);
	assert_int_equal(nseen, 1);
	assert_true(was_found(5, 4));
	mem_near_window_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_far_apart), cmocka_unit_test(copies_about_the_threshold), cmocka_unit_test(all_alike),
		cmocka_unit_test(what_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
