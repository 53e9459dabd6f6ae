/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as releases, one a line: their order is one, what follows a release comes after it, and ranges answer the same twice. */
#include <stdlib.h>
#include <string.h>

#include "skill/release.h"
#include "skill/release_range.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RELEASES_MAX = 12, CHANGES = MEM_RELEASE_EXPERIMENTAL + 1 };

static void
check_that(bool holds)
{
	if (!holds)
		abort();
}

static int
compare_both_ways(struct mem_str x, struct mem_str y)
{
	int c = mem_release_compare(x, y), back = mem_release_compare(y, x);
	check_that((c < 0) == (back > 0) && (c == 0) == (back == 0));
	return c;
}

static void
check_order(const struct mem_str *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		check_that(compare_both_ways(v[i], v[i]) == 0);
		for (size_t j = 0; j < n; j++)
			for (size_t k = 0; k < n; k++)
				check_that(!(compare_both_ways(v[i], v[j]) <= 0 && compare_both_ways(v[j], v[k]) <= 0) || compare_both_ways(v[i], v[k]) <= 0);
	}
}

/* Front matter gives none with a NUL, and behind the greatest number there is none. */
static bool
has_next(struct mem_str release)
{
	return memchr(release.p, '\0', release.n) == NULL && memmem(release.p, release.n, "999999999", 9) == NULL;
}

static void
check_next(struct mem_str release)
{
	struct mem_arena a = { 0 };
	if (release.n == 0 || !has_next(release))
		return;
	for (int change = 0; change < CHANGES; change++) {
		struct mem_str next = mem_release_next(&a, release, (enum mem_release_change)change);
		check_that(next.n > 0 && compare_both_ways(release, next) < 0);
	}
	mem_arena_release(&a);
}

static void
check_ranges(struct mem_str release, struct mem_str range)
{
	check_that(mem_release_fits(release, MEM_STR("")) == mem_release_fits(release, MEM_STR("*")));
	check_that(release.n == 0 || mem_release_fits(release, release) == MEM_RELEASE_WITHIN);
	check_that(mem_release_fits(release, range) == mem_release_fits(release, range));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_str v[RELEASES_MAX], text = { (const char *)data, size };
	size_t n = 0;
	while (n < RELEASES_MAX && text.n > 0) {
		const char *nl = memchr(text.p, '\n', text.n);
		v[n++] = (struct mem_str){ text.p, nl != NULL ? (size_t)(nl - text.p) : text.n };
		size_t past = v[n - 1].n + (nl != NULL);
		text.p += past, text.n -= past;
	}
	check_order(v, n);
	for (size_t i = 0; i < n; i++) {
		check_next(v[i]);
		for (size_t j = 0; j < n; j++)
			check_ranges(v[i], v[j]);
	}
	return 0;
}
