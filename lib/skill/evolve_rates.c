/* SPDX-License-Identifier: Apache-2.0 */
/* Success rates: of a skill beside its category, of a release beside the one before. */
#include "skill/evolve_int.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "skill/uses.h"
#include "skill/version.h"

static double
round_rate(double rate)
{
	return round(rate * 1e4) / 1e4;
}

/* ---- beside the category ------------------------------------------------------ */

struct category_sum {
	struct mem_str category;
	int64_t outcomes;
	double good;
};

static int
compare_categories_of(const void *a, const void *b)
{
	const struct category_sum *x = a, *y = b;
	return mem_str_cmp(x->category, y->category);
}

/* One for each category, by name; OWNS. */
static struct category_sum *
add_up_categories(const struct evolve_search *e, size_t *n)
{
	struct category_sum *v = mem_xcalloc(e->n + 1, sizeof *v);
	for (size_t i = 0; i < e->n; i++)
		v[i] = (struct category_sum){ e->v[i].category, e->v[i].outcomes, e->v[i].good };
	mem_sort(v, e->n, sizeof *v, compare_categories_of);
	*n = 0;
	for (size_t i = 0; i < e->n; i++) {
		if (*n == 0 || !mem_str_eq(v[*n - 1].category, v[i].category)) {
			v[(*n)++] = v[i];
			continue;
		}
		v[*n - 1].outcomes += v[i].outcomes;
		v[*n - 1].good += v[i].good;
	}
	return v;
}

static void
compare_with_category(struct evolve_search *e, size_t at, const struct category_sum *all)
{
	const struct evolve_skill *s = &e->v[at];
	struct mem_buf numbers = { 0 };
	int64_t outcomes = all->outcomes - s->outcomes;
	if (outcomes < MEM_SKILL_USES_LEAST)
		return;
	double rate = round_rate(s->good / (double)s->outcomes), others = round_rate((all->good - s->good) / (double)outcomes);
	if (round_rate(others - rate) < MEM_EVOLVE_RATE)
		return;
	mem_json_put_num(&numbers, "rate", rate);
	mem_json_put_int(&numbers, "outcomes", s->outcomes);
	mem_json_put_num(&numbers, "category_rate", others);
	mem_json_put_int(&numbers, "category_outcomes", outcomes);
	evolve_suggest(e, at, MEM_EVOLVE_SUCCESS_RATE, mem_buf_span(&numbers),
	    "%.0f percent of its uses succeed, of those of others of its category %.0f percent", 100 * rate, 100 * others);
	mem_buf_release(&numbers);
}

void
evolve_compare_rates(struct evolve_search *e)
{
	size_t n;
	struct category_sum *sums = add_up_categories(e, &n);
	for (size_t i = 0; i < e->n; i++) {
		const struct category_sum key = { .category = e->v[i].category };
		if (evolve_is_wanted(e, i, MEM_EVOLVE_SUCCESS_RATE) && key.category.n > 0 && e->v[i].outcomes >= MEM_SKILL_USES_LEAST)
			compare_with_category(e, i, mem_sorted_find(&key, sums, n, sizeof *sums, compare_categories_of));
	}
	free(sums);
}

/* ---- by release ----------------------------------------------------------------- */

struct release_rate {
	struct mem_str release;
	int64_t outcomes;
	double rate;
};

static void
put_release_rate(struct mem_buf *out, const struct release_rate *r)
{
	mem_buf_puts(out, out->data[out->len - 1] == '[' ? "{" : ",{");
	mem_json_put_field(out, "release", r->release);
	mem_json_put_int(out, "outcomes", r->outcomes);
	mem_json_put_num(out, "rate", r->rate);
	mem_buf_putc(out, '}');
}

/* All releases that have outcomes enough are listed; the last two say where it goes. */
static void
suggest_by_releases(struct evolve_search *e, size_t at, const struct mem_skill_releases *l)
{
	struct mem_buf numbers = { 0 };
	struct release_rate last = { 0 }, before = { 0 };
	size_t n = 0;
	mem_json_put_raw(&numbers, "releases", MEM_STR("["));
	for (size_t i = 0; i < l->n; i++) {
		struct mem_skill_uses uses;
		mem_skill_uses_read(&uses, l->v[i].node);
		if (mem_skill_uses_sum(&uses) < MEM_SKILL_USES_LEAST)
			continue;
		before = last;
		last = (struct release_rate){ l->v[i].release, mem_skill_uses_sum(&uses), round_rate(mem_skill_success_rate(&uses)) };
		put_release_rate(&numbers, &last);
		n++;
	}
	mem_buf_putc(&numbers, ']');
	const char *trend = mem_skill_trend_word(round_rate(last.rate - before.rate));
	mem_json_put_field(&numbers, "trend", mem_str(trend));
	if (n >= 2)
		evolve_suggest(e, at, MEM_EVOLVE_TREND, mem_buf_span(&numbers),
		    "%s: %.0f percent of the uses succeeded with %.*s, and %.0f percent with %.*s", trend,
		    100 * before.rate, (int)before.release.n, before.release.p, 100 * last.rate, (int)last.release.n, last.release.p);
	mem_buf_release(&numbers);
}

static enum mem_status
compare_releases_of(struct evolve_search *e, size_t at, struct mem_err *err)
{
	struct mem_skill_releases l = { 0 };
	struct mem_arena a = { 0 };
	struct mem_txn *t = NULL;
	char id[MEM_ID_LEN + 1];
	mem_id_format(&e->v[at].id, id);
	enum mem_status st = mem_txn_read(&t, e->store, err);
	if (st == MEM_OK)
		st = mem_skill_releases_read(&l, t, mem_str(id), &a, err);
	if (st == MEM_OK)
		suggest_by_releases(e, at, &l);
	mem_txn_end(t);
	mem_arena_release(&a);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
evolve_compare_releases(struct evolve_search *e, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < e->n && st == MEM_OK; i++)
		if (evolve_is_wanted(e, i, MEM_EVOLVE_TREND))
			st = compare_releases_of(e, i, err);
	return st;
}
