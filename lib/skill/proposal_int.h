/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: what the files about proposals share. */
#ifndef MEM_PROPOSAL_INT_H
#define MEM_PROPOSAL_INT_H

#include "clean/clean_text.h"
#include "record/record.h"
#include "skill/propose.h"
#include "store/node.h"

/* The field expires_at of what becomes a draft or is submitted now; null: it never expires. */
struct mem_clean_field proposal_expiry(struct mem_writer *w);
/* What the id of its review is made of, in its namespace: it has one, also when it is submitted again.  ARENA. */
struct mem_str proposal_review_identity(struct mem_arena *a, const struct mem_id *proposal);
/* The skill of the proposal's name in `ns`, if it is the one that was made of it: another may have come first, also in the same batch. */
bool proposal_find_skill(struct mem_node *skill, struct mem_txn *t, struct mem_str ns, const struct mem_node *proposal, struct mem_arena *a);

/* *own: the principal drafted, edited or submitted it, so that others review it. */
enum mem_status proposal_is_own(struct mem_txn *t, const struct mem_node *proposal, bool *own, struct mem_err *err) MEM_CHECKED;

/*
 * A dependency: the name of a skill, or an object with its `id` or `name`, and optional relation (a kind of mem_skill_edges) and
 * similarity, weight, confidence, from 0 to 1.  What follows is of one that is valid.
 */
bool proposal_dependency_valid(struct mem_json d);
struct mem_json proposal_dependency_name(struct mem_json d); /* its id where it has no name */
const char *proposal_dependency_relation(struct mem_json d); /* requires where it has none */
double proposal_dependency_share(struct mem_json d, const char *name, double otherwise);
double proposal_dependency_weight(struct mem_json d);        /* its weight, else its confidence, else .7 */

#endif
