/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fact that a person erased is not derived again from the episodes that it came of, by no run of consolidation; said in another
 * episode, or by hand, it is a new one.  What an episode claims is known by
 *
 *   its lane    subject, predicate, object and whether it is negated; without a triple domain, topic and statement
 *   its place   the bytes of the sentence, and the predicate, which stay when entities are merged or rules get better
 *
 * of which store/erased_claims.h keeps hashes.
 */
#ifndef MEM_ERASED_CLAIM_H
#define MEM_ERASED_CLAIM_H

#include "base/base.h"
#include "record/record.h"
#include "store/fact_keys.h"
#include "store/store.h"

struct mem_claim_place {
	uint32_t episode;           /* its ord */
	int64_t start, end;         /* bytes; end 0: it has no place */
};
/* The episode claims what the fact, a record, says: it is not to do so again. */
enum mem_status mem_claim_erase(struct mem_txn *t, const struct mem_claim_place *place, struct mem_json fact, struct mem_err *err) MEM_CHECKED;
/* Was a fact of this claim of the episode's erased? */
bool mem_claim_is_erased(struct mem_txn *t, const struct mem_claim_place *place, const struct mem_fact_terms *terms);

#endif
