/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of releases. */
#include "skill/release.h"

#include <string.h>

#define EXPERIMENTAL "experimental"
#define PART_MAX     999999999   /* a longer number is none */

const char *const mem_release_changes[] = { "major", "minor", "patch", "hotfix", EXPERIMENTAL, NULL };

/* A number at the beginning of *s, which moves behind it. */
static bool
take_release_part(struct mem_str *s, int64_t *out)
{
	size_t n = 0;
	while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	bool fits = n > 0 && mem_number_parse((struct mem_str){ s->p, n }, 0, PART_MAX, out);
	s->p += fits ? n : 0, s->n -= fits ? n : 0;
	return fits;
}

bool
mem_release_read(struct mem_release_number *out, struct mem_str s)
{
	*out = (struct mem_release_number){ .pre = MEM_STR("") };
	if (s.n > 0 && (s.p[0] == 'v' || s.p[0] == 'V'))
		s.p++, s.n--;
	if (!take_release_part(&s, &out->part[0]))
		return false;
	for (int i = 1; i < 3 && s.n > 0 && s.p[0] == '.'; i++) {
		s.p++, s.n--;
		if (!take_release_part(&s, &out->part[i]))
			return false;
	}
	if (s.n > 0 && s.p[0] == '-') {
		const char *plus = memchr(s.p, '+', s.n);
		out->pre = (struct mem_str){ s.p + 1, (plus != NULL ? (size_t)(plus - s.p) : s.n) - 1 };
		return out->pre.n > 0;
	}
	return s.n == 0 || s.p[0] == '+';
}

/* ---- the next one ------------------------------------------------------------ */

/* The number behind "experimental.", else 0. */
static int64_t
read_experiment(struct mem_str pre)
{
	static const size_t n = sizeof EXPERIMENTAL "." - 1;
	int64_t number;
	if (pre.n <= n || memcmp(pre.p, EXPERIMENTAL ".", n) != 0)
		return 0;
	return mem_number_parse((struct mem_str){ pre.p + n, pre.n - n }, 1, PART_MAX, &number) ? number : 0;
}

static struct mem_str
raise_last_word(struct mem_arena *a, struct mem_str now)
{
	const char *dot = memrchr(now.p, '.', now.n);
	size_t head = dot != NULL ? (size_t)(dot - now.p) : now.n;
	int64_t number = 0;
	if (dot == NULL || !mem_number_parse((struct mem_str){ dot + 1, now.n - head - 1 }, 0, PART_MAX, &number))
		head = now.n, number = 0;
	return mem_str(mem_arena_printf(a, "%.*s.%lld", (int)head, now.p, (long long)number + 1));
}

struct mem_str
mem_release_next(struct mem_arena *a, struct mem_str now, enum mem_release_change change)
{
	struct mem_release_number r;
	if (now.n == 0)
		return MEM_STR(MEM_RELEASE_FIRST);
	if (!mem_release_read(&r, now))
		return raise_last_word(a, now);
	int64_t experiment = read_experiment(r.pre);
	if (change == MEM_RELEASE_MAJOR)
		r.part[0]++, r.part[1] = r.part[2] = 0;
	else if (change == MEM_RELEASE_MINOR)
		r.part[1]++, r.part[2] = 0;
	else if (r.pre.n == 0 || (change == MEM_RELEASE_EXPERIMENTAL && experiment == 0)) /* "rc.1" would come after an experiment */
		r.part[2]++;
	if (change != MEM_RELEASE_EXPERIMENTAL)
		return mem_str(mem_arena_printf(a, "%lld.%lld.%lld", (long long)r.part[0], (long long)r.part[1], (long long)r.part[2]));
	return mem_str(mem_arena_printf(a, "%lld.%lld.%lld-" EXPERIMENTAL ".%lld", (long long)r.part[0], (long long)r.part[1],
	    (long long)r.part[2], (long long)experiment + 1));
}

/* ---- their order ------------------------------------------------------------- */

/* Cuts the identifier up to the next point off *s. */
static struct mem_str
take_identifier(struct mem_str *s)
{
	const char *dot = memchr(s->p, '.', s->n);
	struct mem_str word = { s->p, dot != NULL ? (size_t)(dot - s->p) : s->n };
	size_t past = word.n + (dot != NULL);
	s->p += past, s->n -= past;
	return word;
}

/* Numbers by value and before words; of equal beginnings the shorter is first. */
static int
compare_identifiers(struct mem_str x, struct mem_str y)
{
	while (x.n > 0 && y.n > 0) {
		struct mem_str a = take_identifier(&x), b = take_identifier(&y);
		int64_t n = 0, m = 0;
		bool first = mem_number_parse(a, 0, PART_MAX, &n), second = mem_number_parse(b, 0, PART_MAX, &m);
		int c = first && second ? (n > m) - (n < m) : first != second ? (first ? -1 : 1) : mem_str_cmp(a, b);
		if (c != 0)
			return c;
	}
	return (x.n > 0) - (y.n > 0);
}

int
mem_release_compare_numbers(const struct mem_release_number *x, const struct mem_release_number *y)
{
	for (int i = 0; i < 3; i++)
		if (x->part[i] != y->part[i])
			return x->part[i] < y->part[i] ? -1 : 1;
	/* a release comes after its experiments */
	if (x->pre.n == 0 || y->pre.n == 0)
		return (x->pre.n == 0) - (y->pre.n == 0);
	return compare_identifiers(x->pre, y->pre);
}

int
mem_release_compare(struct mem_str x, struct mem_str y)
{
	struct mem_release_number a, b;
	bool first = mem_release_read(&a, x), second = mem_release_read(&b, y);
	if (!first || !second)
		return first != second ? (first ? 1 : -1) : compare_identifiers(x, y);
	return mem_release_compare_numbers(&a, &b);
}
