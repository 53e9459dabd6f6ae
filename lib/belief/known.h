/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What facts were by what was known at a moment of the past.
 *
 * A fact's end moves when something is said later of a time between, so that its own text says only how it ends today.  What it was
 * then is what a ledger makes of the sources and corrections that were there by then: its lane is swept again without the others.
 * Nothing is stored for it, and nothing is written.  A lane to which nothing came since is as it stands.
 */
#ifndef MEM_KNOWN_H
#define MEM_KNOWN_H

#include "base/base.h"
#include "store/store.h"
#include "store/then.h"

struct mem_ledger;

/* A reader for struct mem_filter_past, which lives as long as the process.  One serves any number of snapshots, one after the other;
 * rules are loaded when the first fact is read, by the settings of its store. */
const struct mem_then_reader *mem_known_facts_open(void);

/* The same by a ledger, which may be without a writer: ledger_judge.c.  It begins a round of its own; *out comes as a mem_then_reader
 * has it. */
enum mem_status mem_ledger_known(struct mem_ledger *l, struct mem_txn *t, const struct mem_attr *a, int64_t known_at, struct mem_then *out,
    struct mem_err *err) MEM_CHECKED;

#endif
