/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of fitting share. */
#ifndef MEM_FIT_INT_H
#define MEM_FIT_INT_H

#include "stage/eval_int.h"
#include "stage/fit.h"

/* The value at x; its gradient goes into g. */
typedef double fit_value_fn(const void *ctx, const double *x, double *g);
/* x: where to begin, then where the value is least. */
void fit_minimise(double *x, size_t n, fit_value_fn *fn, const void *ctx);

#endif
