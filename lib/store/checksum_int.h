/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums at the ends of values: tables.txt. */
#ifndef MEM_STORE_CHECKSUM_INT_H
#define MEM_STORE_CHECKSUM_INT_H

#include "store/store.h"

bool store_has_checksums(enum mem_table tab);
/* The row of meta without one: each memkit must read which schema a store has. */
bool store_is_format_key(struct mem_str key);
/* Of a value of a table that has them. */
uint64_t store_value_sum(enum mem_table tab, struct mem_str key, struct mem_str value);
/* Takes it off a value; false: it is none of this key and value. */
bool store_cut_value_sum(enum mem_table tab, struct mem_str key, struct mem_str *value);

#endif
