/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims of episodes of which a person erased the fact, so that no run derives it from the same episode again.  A claim is known by
 * a hash keyed by the store's secret alone: nothing of its text is kept.
 */
#ifndef MEM_ERASED_CLAIMS_H
#define MEM_ERASED_CLAIMS_H

#include "base/base.h"
#include "store/store.h"

/* `episode` is the ord. */
enum mem_status mem_erased_claim_put(struct mem_txn *t, uint32_t episode, const struct mem_hash *claim, struct mem_err *err) MEM_CHECKED;
bool mem_erased_claim_has(struct mem_txn *t, uint32_t episode, const struct mem_hash *claim);
/* All of the episode's, which goes. */
enum mem_status mem_erased_claims_clear(struct mem_txn *t, uint32_t episode, struct mem_err *err) MEM_CHECKED;

#endif
