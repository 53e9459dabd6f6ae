/* SPDX-License-Identifier: Apache-2.0 */
/* The least of a smooth convex function: L-BFGS (Nocedal and Wright, "Numerical Optimization", 2006, algorithms 7.4 and 7.5). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stage/fit_int.h"

enum { PAIRS = 10, STEPS_MAX = 500, HALVINGS_MAX = 40 };

static const double DECREASE = 1e-4, ENOUGH = 1e-6;

/* The last steps and what the gradient changed by them, a ring. */
struct minimiser {
	size_t n, pairs, next;
	double *s[PAIRS], *y[PAIRS];
	double rho[PAIRS];
	double *x, *g, *trial, *trial_g, *d;
};

static double
take_product(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void
add_scaled_vector(double *to, double by, const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += by * v[i];
}

/* d: minus the gradient times the inverse of the Hessian as the pairs tell it (two-loop recursion). */
static void
find_direction(struct minimiser *m)
{
	double alpha[PAIRS];
	for (size_t i = 0; i < m->n; i++)
		m->d[i] = -m->g[i];
	for (size_t k = 0; k < m->pairs; k++) {
		size_t at = (m->next + PAIRS - 1 - k) % PAIRS;
		alpha[at] = m->rho[at] * take_product(m->s[at], m->d, m->n);
		add_scaled_vector(m->d, -alpha[at], m->y[at], m->n);
	}
	if (m->pairs > 0) {
		size_t last = (m->next + PAIRS - 1) % PAIRS;
		double scale = 1 / (m->rho[last] * take_product(m->y[last], m->y[last], m->n));
		for (size_t i = 0; i < m->n; i++)
			m->d[i] *= scale;
	}
	for (size_t k = m->pairs; k-- > 0;) {
		size_t at = (m->next + PAIRS - 1 - k) % PAIRS;
		double beta = m->rho[at] * take_product(m->y[at], m->d, m->n);
		add_scaled_vector(m->d, alpha[at] - beta, m->s[at], m->n);
	}
}

/* Along d until the value falls enough; the new value is returned, NAN if none does. */
static double
search_line(struct minimiser *m, double value, fit_value_fn *fn, const void *ctx)
{
	double slope = take_product(m->g, m->d, m->n), step = 1;
	if (!(slope < 0))
		return (double)NAN;
	for (size_t i = 0; i < HALVINGS_MAX; i++) {
		memcpy(m->trial, m->x, m->n * sizeof *m->x);
		add_scaled_vector(m->trial, step, m->d, m->n);
		double v = fn(ctx, m->trial, m->trial_g);
		if (v <= value + DECREASE * step * slope)
			return v;
		step /= 2;
	}
	return (double)NAN;
}

/* Takes the step, and the pair that it gives where the curvature is positive. */
static void
take_step(struct minimiser *m)
{
	double *s = m->s[m->next], *y = m->y[m->next];
	for (size_t i = 0; i < m->n; i++) {
		s[i] = m->trial[i] - m->x[i];
		y[i] = m->trial_g[i] - m->g[i];
	}
	memcpy(m->x, m->trial, m->n * sizeof *m->x);
	memcpy(m->g, m->trial_g, m->n * sizeof *m->g);
	double sy = take_product(s, y, m->n);
	if (sy <= 1e-12)
		return;
	m->rho[m->next] = 1 / sy;
	m->next = (m->next + 1) % PAIRS;
	m->pairs += m->pairs < PAIRS;
}

void
fit_minimise(double *x, size_t n, fit_value_fn *fn, const void *ctx)
{
	double *room = mem_xcalloc((2 * PAIRS + 4) * n + 1, sizeof *room);
	struct minimiser m = { .n = n, .x = x, .g = room, .trial = room + n, .trial_g = room + 2 * n, .d = room + 3 * n };
	for (size_t i = 0; i < PAIRS; i++) {
		m.s[i] = room + (4 + 2 * i) * n;
		m.y[i] = room + (5 + 2 * i) * n;
	}
	double value = fn(ctx, x, m.g);
	for (size_t i = 0; i < STEPS_MAX && take_product(m.g, m.g, n) > ENOUGH * ENOUGH; i++) {
		find_direction(&m);
		double v = search_line(&m, value, fn, ctx);
		if (isnan(v))
			break;
		value = v;
		take_step(&m);
	}
	free(room);
}
