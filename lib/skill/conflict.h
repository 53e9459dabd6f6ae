/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conflicts of skills: what is wrong with one skill, between two, or in a circle of them.
 *
 *   kinds      types, their severities, how urgent one is
 */
#ifndef MEM_SKILL_CONFLICT_H
#define MEM_SKILL_CONFLICT_H

#include "base/base.h"

enum mem_conflict_type {
	MEM_CONFLICT_DUPLICATE,
	MEM_CONFLICT_OVERLAP,
	MEM_CONFLICT_CONTRADICTION,
	MEM_CONFLICT_DEPENDENCY,
	MEM_CONFLICT_CIRCULAR,
	MEM_CONFLICT_VERSION_MISMATCH,
	MEM_CONFLICT_NAMING,
	MEM_CONFLICT_STALE,
	MEM_CONFLICT_ORPHAN,
	MEM_CONFLICT_TYPES,
};
extern const char *const mem_conflict_types[];  /* their words; NULL at the end */
bool mem_conflict_type_parse(struct mem_str word, enum mem_conflict_type *out);

enum mem_severity { MEM_SEVERITY_LOW, MEM_SEVERITY_MEDIUM, MEM_SEVERITY_HIGH, MEM_SEVERITY_CRITICAL, MEM_SEVERITIES };
extern const char *const mem_severities[];      /* their words; NULL at the end */
enum mem_severity mem_conflict_severity(enum mem_conflict_type type);
double mem_severity_weight(enum mem_severity s); /* 1, 2, 4, 8 */

/*
 * weight of the severity · days / 30, within [1, 3] · (1 + similarity), to six decimals.  `days` since it was detected; similarity
 * NAN: it has none, and that counts as 0.
 */
double mem_conflict_priority(enum mem_severity s, double days, double similarity);

#endif
