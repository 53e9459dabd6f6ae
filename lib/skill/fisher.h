/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fisher: do two releases succeed at different rates?
 *
 * Fisher's exact test of a table of two rows and two columns (R. A. Fisher, "On the interpretation of χ² from contingency tables, and
 * the calculation of P", Journal of the Royal Statistical Society 85, 1922).  With the sums of rows and columns held, the first cell
 * is hypergeometric:
 *
 *	p(x) = (r1 over x) (r2 over c1 - x) / (n over c1),	(n over k) = exp(lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1))
 *
 * The two-sided p-value is the sum of all p(x) that are at most p(observed), with a relative tolerance of 1e-7, as fisher.test of R
 * has it.
 */
#ifndef MEM_SKILL_FISHER_H
#define MEM_SKILL_FISHER_H

#include <stdint.h>

#define MEM_FISHER_MAX ((int64_t)1000000000) /* of a cell; more counts as so many */

/* {successes, failures} of either side.  The two-sided p-value in [0, 1]; 1 where a row or a column is empty. */
double mem_fisher_two_sided(const int64_t first[2], const int64_t second[2]);

#endif
