/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns that a terminal needs for a text.
 *
 * The width of a text is the sum of the widths of its code points, as utf8proc_charwidth gives them (Unicode Standard
 * Annex 11): 2 for wide ones and emoji, 0 for marks that stand on the character before them, else 1.  Terminals that know
 * more join some sequences of emoji in fewer columns; none needs more.  Control characters count 0 and are to be escaped
 * before.  A byte that is not UTF-8 counts as U+FFFD.
 */
#ifndef MEM_WIDTH_H
#define MEM_WIDTH_H

#include "base/base.h"

size_t mem_text_width(struct mem_str s);
/*
 * Bytes of the longest beginning of s that is at most `columns` wide and ends between grapheme clusters (UAX #29 §3);
 * *width gets its width.
 */
size_t mem_text_cut_to_width(struct mem_str s, size_t columns, size_t *width);
/* The first byte at or after `at` where a grapheme cluster begins. */
size_t mem_text_cluster_start(struct mem_str s, size_t at);

#endif
