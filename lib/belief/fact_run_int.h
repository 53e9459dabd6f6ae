/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a run of facts by hand, and a record on its way. */
#ifndef MEM_FACT_RUN_INT_H
#define MEM_FACT_RUN_INT_H

#include "base/base.h"
#include "belief/claim.h"
#include "belief/entity.h"
#include "belief/fact.h"
#include "belief/fact_run.h"
#include "belief/rules.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/store.h"
#include "write/write.h"

/* A record; it is read anew for each round. */
struct hand_fact {
	struct mem_str line;        /* in the arena of the run */
	bool too_long;
	struct mem_write_input in;
	const char *refused;        /* NULL: not */
	size_t offset;              /* in the line, of what it is refused for */
	struct mem_claim claim;     /* strings in the arena of the round */
	struct mem_fact_source source;
	struct mem_id ends, subject, object, was; /* what the record names by ids; source says which there are */
	struct mem_str subject_type, object_type; /* as the record has them; empty: not given */
	size_t number;              /* of the claim in the ledger */
	enum mem_verdict verdict;
	struct mem_id id;           /* of the receipt */
};
struct mem_fact_run {
	struct mem_fact_run_options o;
	mem_emit_fn *emit;
	void *ctx;
	struct mem_writer *writer;
	struct mem_entities *entities;
	struct mem_ledger *ledger;
	const struct mem_belief_rules *rules;
	struct mem_write_total total;
	struct mem_str ns;
	double trust;               /* of what the caller says */
	uint64_t number;            /* of the last input */
	struct mem_arena arena;     /* of the batch: its lines */
	struct mem_arena round;
	struct hand_fact *v;        /* OWNS */
	size_t n, cap;
	int64_t now;                /* of the round */
	struct mem_rec came;
	struct mem_clean_rec cleaned;
};

/* Reads the record of f->line into claim and source; a refusal is in f. */
enum mem_status hand_fact_read(struct mem_fact_run *r, struct hand_fact *f, struct mem_err *err) MEM_CHECKED;

#endif
