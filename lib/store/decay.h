/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decay: what is left of a node's importance at a time.  It is a function of the node and the time alone; nothing of it is
 * stored, so that looking twice a day takes nothing away.
 *
 *   age      hours from captured_at, of a node without one from created_at, to `now`
 *   factor   e^(-(age / eta)^k), the survival function of Weibull's distribution (Weibull, "A statistical distribution
 *            function of wide applicability", Journal of Applied Mechanics 18, 1951); k and eta are those of the type
 *            (kind.h).  An episode halves in 7 days whatever its type, another memory whose type has no curve in 365 days
 *   learnings lose .3 percent a day in place of that, each whole day since somebody last changed them, but not below an
 *            importance of .05; as attributes, which do not tell that time, since created_at
 *   1        of what is pinned, what is still to come, and of kinds that do not decay by type (kind.h): core memory does not
 *            decay, and tags, entries and skills have a rate or steps of their own
 */
#ifndef MEM_DECAY_H
#define MEM_DECAY_H

#include "record/record.h"
#include "store/node.h"

/* From 0 to 1, to six decimals. */
double mem_decay_factor(const struct mem_attr *a, int64_t now);
/* importance times the factor, to six decimals; a node without importance has 0. */
double mem_decay_importance(const struct mem_attr *a, int64_t now);
/* The factor of a node as a record, by its kind, type, pinned, importance, captured_at, created_at and, of a learning, changed_at.  Of one without a time, or that
 * is no node: 1. */
double mem_decay_record(const struct mem_rec *node, int64_t now);

#endif
