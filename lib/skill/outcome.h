/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome: what came of using a skill, written to its node (uses.h) and to what surrounds it.
 *
 *   the release      the one that is named; else, where a comparison runs (ab.h), the one that the session draws; else the active one
 *   a failure's text a bad_pattern, to which an edge has_failure leads from the skill; the same text (folded, white space alike) is one node, which counts
 *   effectiveness    uses.h; learnings are those with an edge to the skill, or to the tag of its name
 *   a session        a node of kind session in the caller's namespace, with an edge `used` to each skill
 *   co-use           with the first good outcome (success, partial) of a skill in a session, the edges between it and each other skill of
 *                    the session grow by .05, with the first failure they lose as much; a weight has faded before as kg-hebb has it,
 *                    and stays in [.1, 1].  Edges are requires, enhances, composes, succeeds and co_occurs in either direction; where
 *                    there is none, a good outcome makes co_occurs of weight .1
 *
 * Counting raises no `version`.  Each outcome is audited as skill_used.
 */
#ifndef MEM_SKILL_OUTCOME_H
#define MEM_SKILL_OUTCOME_H

#include "base/base.h"
#include "skill/uses.h"
#include "write/run.h"

#define MEM_SKILL_PATTERN_MAX 16384    /* bytes of a failure's text */
#define MEM_SKILL_SESSION_MAX 1024     /* of a session's name */
#define MEM_SKILL_CO_USES_MAX 256      /* skills of a session that count */

struct mem_skill_use {
	struct mem_str skill;       /* as mem_skill_find has it */
	enum mem_skill_outcome outcome;
	double latency_ms;          /* below 0: not measured */
	struct mem_str text;        /* of a failure; empty: none */
	struct mem_str session;     /* empty: none */
	struct mem_str release;     /* that was served; empty: see above */
};
/*
 * Queues it; texts are copied.  Reasons of a refusal: not_found (the skill, or its release), ambiguous, namespace_denied; too_long,
 * residue, empty, bad_utf8 of a text.  The receipt has `release`, `uses`, `effectiveness` (that of the release from now on; null: not known) and `trend` besides.
 */
enum mem_status mem_skill_use_record(struct mem_write_run *r, const struct mem_skill_use *use, struct mem_err *err) MEM_CHECKED;
/* The same of a record {"skill", "outcome", "latency_ms"?, "text"?, "session_id"?, "release"?}; other members are not looked at.  Refused
 * too as no record; as bad_value, with its place, where a member is missing or of another type, or a text stands with a success. */
enum mem_status mem_skill_use_line(struct mem_write_run *r, struct mem_str line, struct mem_err *err) MEM_CHECKED;

#endif
