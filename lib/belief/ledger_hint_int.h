/* SPDX-License-Identifier: Apache-2.0 */
/* Hints: an episode that is to replace another ends what that one alone has said.  ledger_hint.c says how. */
#ifndef MEM_LEDGER_HINT_INT_H
#define MEM_LEDGER_HINT_INT_H

#include "belief/ledger_int.h"

/* An episode is to replace another, and says something: that ends what the other alone has said of this subject and predicate. */
struct ledger_hint {
	struct mem_id of;            /* the episode that is replaced */
	struct mem_id by;            /* the one that replaces it */
	int64_t at, known_at;        /* known_at: not of a claim's */
	const struct ledger_value *value; /* what it says, since `at` */
	const struct mem_predicate *predicate;
	struct mem_str ns;
	struct ledger_claim *claim;  /* that says so; or */
	struct ledger_fact *fact;    /* the stored one, and */
	struct mem_json entry;       /* what that has of it */
	double trust;
	struct ledger_standing standing;
	struct ledger_place *places; /* ARENA; the lanes that it is about, its own first; NULL: not looked for yet */
	size_t nplaces;
	bool joined;                 /* they are one lane by now */
	const struct ledger_assertion *assertion; /* in the lane; NULL: it has no room in the text of its fact */
	struct ledger_run *refused_by; /* the strongest that is trusted more, after a sweep; NULL: none */
};
/* What an episode supports. */
struct ledger_supported {
	struct mem_id episode;
	struct ledger_fact **facts;  /* ARENA */
	size_t nfacts, facts_cap;
};
/* A lane, and the stored fact for which it is looked at; NULL: it is one of claims. */
struct ledger_place {
	struct mem_str lane;
	enum ledger_rule rule;
	struct ledger_fact *fact;
};

/* Each once. */
void ledger_hint_add(struct mem_ledger *l, const struct ledger_hint *h);
/* The hint of a claim whose source is to replace another. */
void ledger_hint_claim(struct mem_ledger *l, struct ledger_claim *c);
/* Is it a claim whose source may replace what another one says of its predicate? */
bool ledger_hint_made(const struct ledger_claim *c);
/* Lanes whose facts replace each other are one. */
enum mem_status ledger_hints_join(struct mem_ledger *l, struct mem_err *err) MEM_CHECKED;
/* Finds the assertions of the hints of a lane; without one a claim's is known already, and is dropped. */
void ledger_hints_place(struct ledger_lane *lane);

/* ---- ledger_read.c ---------------------------------------------------------------- */

void ledger_fact_hints(struct mem_ledger *l, struct ledger_fact *f); /* notes all of them */
/* The facts that an episode supports, up to MEM_FACT_CLAIMS_MAX. */
enum mem_status ledger_supported(struct mem_ledger *l, const struct mem_id *episode, uint32_t *ords, size_t *n,
    struct mem_err *err) MEM_CHECKED;

#endif
