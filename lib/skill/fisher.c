/* SPDX-License-Identifier: Apache-2.0 */
/* Fisher's exact test: p-values from one term, by the ratio of each term to the next. */
#include "skill/fisher.h"

#include <math.h>

#define TIES     (1 + 1e-7)
#define TOO_LITTLE 1e-18        /* of the largest term: less than the last digit of the sum */

/* The first cell within what the sums of rows and columns allow. */
struct fisher_table {
	double row1, row2, column1;
	double low, high;
};

static double
log_choose(double n, double k)
{
	int sign;
	return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign);
}

/* p(x + 1) / p(x) */
static double
rise_at(const struct fisher_table *t, double x)
{
	return (t->row1 - x) * (t->column1 - x) / ((x + 1) * (t->row2 - t->column1 + x + 1));
}

static double
probability_at(const struct fisher_table *t, double x)
{
	return exp(log_choose(t->row1, x) + log_choose(t->row2, t->column1 - x) - log_choose(t->row1 + t->row2, t->column1));
}

/* The terms from x to the end on one side (step 1 or -1), where they only fall.  `first` is that at x. */
static double
sum_falling_terms(const struct fisher_table *t, double x, double first, int step)
{
	double sum = 0, term = first;
	while (x >= t->low && x <= t->high && term > first * TOO_LITTLE) {
		sum += term;
		term = step > 0 ? term * rise_at(t, x) : x > t->low ? term / rise_at(t, x - 1) : 0;
		x += step;
	}
	return sum;
}

/* Beyond the mode, in the direction of `step`: where terms are at most `bound` again, by halving; they fall all the way to the end.  Past
 * the end: there are none. */
static double
find_other_tail(const struct fisher_table *t, double mode, int step, double bound)
{
	double inside = mode, outside = step > 0 ? t->high : t->low;
	if (probability_at(t, outside) > bound)
		return outside + step;
	while (fabs(outside - inside) > 1) {
		double half = floor((inside + outside) / 2);
		if (probability_at(t, half) <= bound)
			outside = half;
		else
			inside = half;
	}
	return outside;
}

static double
cap_cell(int64_t v)
{
	return (double)(v < 0 ? 0 : v < MEM_FISHER_MAX ? v : MEM_FISHER_MAX);
}

double
mem_fisher_two_sided(const int64_t first[2], const int64_t second[2])
{
	double a = cap_cell(first[0]), b = cap_cell(first[1]), c = cap_cell(second[0]), d = cap_cell(second[1]);
	struct fisher_table t = { .row1 = a + b, .row2 = c + d, .column1 = a + c };
	t.low = fmax(0, t.column1 - t.row2), t.high = fmin(t.row1, t.column1);
	if (t.low >= t.high)
		return 1;
	double mode = floor((t.row1 + 1) * (t.column1 + 1) / (t.row1 + t.row2 + 2));
	double seen = probability_at(&t, a), bound = seen * TIES;
	mode = fmin(fmax(mode, t.low), t.high);
	if (probability_at(&t, mode) <= bound)
		return 1;
	int step = a > mode ? 1 : -1;
	double other = find_other_tail(&t, mode, -step, bound);
	double p = sum_falling_terms(&t, a, seen, step);
	if (other >= t.low && other <= t.high)
		p += sum_falling_terms(&t, other, probability_at(&t, other), -step);
	return fmin(p, 1);
}
