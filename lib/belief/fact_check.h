/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a ledger has ended, checked from outside: it ends a fact only by one about the same subject, and a denial, an opposite and a
 * repeat only by one about the same object, too.  What a person ended may be about anything.
 */
#ifndef MEM_FACT_CHECK_H
#define MEM_FACT_CHECK_H

#include "base/base.h"
#include "record/record.h"
#include "store/store.h"

struct mem_index;

/* Records of a fact and of the one that took its place: are they about different things by now? */
bool mem_facts_are_apart(struct mem_json loser, struct mem_json winner);
/* The same of an edge contradicts between two facts, which has this reason; what a person linked is never apart. */
bool mem_contradiction_is_apart(struct mem_json loser, struct mem_json winner, struct mem_json reason);
/* Tells each fact that is so, as fact_ender.  What is damaged others tell. */
enum mem_status mem_facts_check(struct mem_txn *t, mem_breach_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;

/* Those stand again, and are judged with what is beside them by the rules of belief (fact_mend.c); of what the caller may write to. */
enum mem_status mem_facts_mend(struct mem_index *m, struct mem_err *err) MEM_CHECKED;
/* Did the rules of belief end the fact, a triple?  They say what becomes of it without what ended it. */
bool mem_fact_is_ended_by_rules(struct mem_json fact);
/* Inside a write: the same of these facts, whose successors are gone; each of them ended by the rules. */
struct mem_txn;
struct mem_writer;
enum mem_status mem_facts_stand_again(struct mem_txn *t, struct mem_writer *w, const struct mem_id *facts, size_t n,
    struct mem_err *err) MEM_CHECKED;

#endif
