/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that are no text yet. */
#ifndef MEM_BASE_FOREIGN_H
#define MEM_BASE_FOREIGN_H

#include "base/base.h"

/*
 * Looks at the first four bytes of an input (or all, if it has fewer).  MEM_FAIL: it is UTF-16 or UTF-32, or was packed by gzip,
 * zstd, xz or zip; err says what to do.
 */
enum mem_status mem_text_check(struct mem_str start, struct mem_err *err) MEM_CHECKED;

#endif
