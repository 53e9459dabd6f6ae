/* SPDX-License-Identifier: Apache-2.0 */
/*
 * items: what mining counts, as users write it: transactions from records, names that are one, sets and rules as records.
 *
 * An item is a string, or a number, which is what its digits are: 1, 1.0 and "1" are three.  A name is a string, too, and those
 * that differ by case and accents alone are one item, as they are one node (mem_write_identity).  In a set numbers go first, by
 * value, then strings, by their bytes; sets of one size by their first items.
 */
#ifndef MEM_ITEMS_H
#define MEM_ITEMS_H

#include "base/base.h"
#include "graph/mine.h"

struct mem_items;
struct mem_items *mem_items_new(void);      /* OWNS */
void mem_items_free(struct mem_items *t);   /* NULL is fine */

/*
 * Names that are one item, from a rule file (conf.h): list `joins`, in which a rule has `names` and, unless its own name is
 * it, the `item` that they are.  Names are compared folded (text.h), strings and numbers alike.  MEM_FAIL: the file
 * cannot be read, or is not such a file; a name is that of two items.
 */
enum mem_status mem_items_join(struct mem_items *t, const char *file, struct mem_err *err) MEM_CHECKED;

/* The number of a name's item: those of new ones count up from 0.  It is written as it was most often, then as goes first by its
 * bytes; what a rule joins as the rule says. */
uint32_t mem_items_number(struct mem_items *t, struct mem_str name);

/* A transaction {"items":[…]} with whatever else.  MEM_REFUSED: no such record. */
enum mem_status mem_items_read(struct mem_items *t, struct mem_transactions *to, struct mem_str line, struct mem_err *err) MEM_CHECKED;

/* Numbers all items in the order of sets; once.  Nothing is read afterwards. */
void mem_items_sort(struct mem_items *t);
/* After that: the new numbers, in transactions that were read before. */
void mem_items_renumber(const struct mem_items *t, struct mem_transactions *of);
/* After that: {"items":[…],"count":N,"owners":N}, without owners where they are -1, and {"antecedent":[…],"consequent":[…],"count":N,"support":X,"confidence":X,"lift":X}, appended. */
void mem_items_put_set(struct mem_buf *out, const struct mem_items *t, const struct mem_mine_set *set, int64_t owners);
void mem_items_put_rule(struct mem_buf *out, const struct mem_items *t, const struct mem_mine_rule *rule);

#endif
