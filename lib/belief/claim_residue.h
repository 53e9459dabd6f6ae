/* SPDX-License-Identifier: Apache-2.0 */
/* What cleaning leaves of a claim that came as a record: by hand (fact_run.h), or of an extractor (extract_with.h). */
#ifndef MEM_CLAIM_RESIDUE_H
#define MEM_CLAIM_RESIDUE_H

#include "base/base.h"
#include "clean/clean.h"
#include "record/record.h"

/*
 * The field for which the claim is to be refused as residue; NULL: none.  What was redacted or found in a name (subject, object, was) is
 * the name of nothing; a text (statement, detail, domain, topic) of which nothing meaningful is left says nothing.
 */
const char *claim_residue_field(struct mem_arena *a, const struct mem_rec *came, const struct mem_rec *cleaned,
    const struct mem_finding_list *found);

#endif
