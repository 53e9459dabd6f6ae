/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts in table name: lanes, each the facts that may end one another, in order of the time since when they are true.
 *
 *   says    of a subject with a predicate
 *   claim   of a subject with a predicate and an object, positive ones, or negated ones; without a triple of a domain, a
 *           topic and a statement.  A fact that corrects another object (field corrects) is in the positive lane of that one,
 *           too, at the time of the correction; one that corrects whatever stood in the lane of MEM_FACT_ANY_OBJECT
 *   topic   without a triple: of a domain and a topic, unless there is neither
 *
 * A fact that was never true, valid_to not after valid_from, is in the lane of its topic alone, but for one whose
 * superseded_reason is less_trusted or tie: it is in all of its lanes, since it is true again once what was trusted more is
 * not, and since what else is said of its instant is judged against it.
 */
#ifndef MEM_FACT_KEYS_H
#define MEM_FACT_KEYS_H

#include "base/base.h"
#include "store/store.h"

enum mem_fact_lane { MEM_FACT_SAYS, MEM_FACT_CLAIM, MEM_FACT_TOPIC };
#define MEM_FACT_ANY_OBJECT "*"

/* What a lane is named by; what the lane does not need is not looked at. */
struct mem_fact_terms {
	struct mem_str subject;    /* the id of its entity; empty: there is no triple */
	struct mem_str predicate;
	struct mem_str object;     /* as mem_fact_put_object writes it, or MEM_FACT_ANY_OBJECT */
	bool negated;
	struct mem_str domain, topic, statement;
};
/* Appends an entity's id, or a value's type and folded text.  Of an entity `type` is empty. */
void mem_fact_put_object(struct mem_buf *out, mem_fold_fn *fold, struct mem_str type, struct mem_str text);
/* Appends the name of a lane.  Long parts are cut, with a hash keyed by the store's secret. */
void mem_fact_put_lane(struct mem_buf *out, const struct mem_store *s, mem_fold_fn *fold, enum mem_fact_lane lane,
    const struct mem_fact_terms *terms);
/*
 * The next fact of a lane behind (*at, *ord), or before it, which become its own; MEM_TIME_NONE and 0 begin,
 * backwards MEM_TIME_MAX and UINT32_MAX.  MEM_END: there are no more.
 */
enum mem_status mem_fact_in_lane(struct mem_txn *t, struct mem_str ns, enum mem_fact_lane lane, struct mem_str name, bool backwards,
    int64_t *at, uint32_t *ord, struct mem_err *err) MEM_CHECKED;

#endif
