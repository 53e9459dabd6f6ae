/* SPDX-License-Identifier: Apache-2.0 */
/* The table of types of conflicts. */
#include "skill/conflict.h"

#include <math.h>

const char *const mem_conflict_types[] = {
	[MEM_CONFLICT_DUPLICATE] = "duplicate",
	[MEM_CONFLICT_OVERLAP] = "overlap",
	[MEM_CONFLICT_CONTRADICTION] = "contradiction",
	[MEM_CONFLICT_DEPENDENCY] = "dependency",
	[MEM_CONFLICT_CIRCULAR] = "circular",
	[MEM_CONFLICT_VERSION_MISMATCH] = "version_mismatch",
	[MEM_CONFLICT_NAMING] = "naming",
	[MEM_CONFLICT_STALE] = "stale",
	[MEM_CONFLICT_ORPHAN] = "orphan",
	[MEM_CONFLICT_TYPES] = NULL,
};
static const enum mem_severity type_severities[MEM_CONFLICT_TYPES] = {
	[MEM_CONFLICT_DUPLICATE] = MEM_SEVERITY_CRITICAL,
	[MEM_CONFLICT_OVERLAP] = MEM_SEVERITY_MEDIUM,
	[MEM_CONFLICT_CONTRADICTION] = MEM_SEVERITY_MEDIUM,
	[MEM_CONFLICT_DEPENDENCY] = MEM_SEVERITY_HIGH,
	[MEM_CONFLICT_CIRCULAR] = MEM_SEVERITY_HIGH,
	[MEM_CONFLICT_VERSION_MISMATCH] = MEM_SEVERITY_MEDIUM,
	[MEM_CONFLICT_NAMING] = MEM_SEVERITY_LOW,
	[MEM_CONFLICT_STALE] = MEM_SEVERITY_LOW,
	[MEM_CONFLICT_ORPHAN] = MEM_SEVERITY_LOW,
};
const char *const mem_severities[] = {
	[MEM_SEVERITY_LOW] = "low",
	[MEM_SEVERITY_MEDIUM] = "medium",
	[MEM_SEVERITY_HIGH] = "high",
	[MEM_SEVERITY_CRITICAL] = "critical",
	[MEM_SEVERITIES] = NULL,
};
const char *const mem_conflict_states[] = {
	[MEM_CONFLICT_DETECTED] = "detected",
	[MEM_CONFLICT_ACKNOWLEDGED] = "acknowledged",
	[MEM_CONFLICT_RESOLVED] = "resolved",
	[MEM_CONFLICT_DISMISSED] = "dismissed",
	[MEM_CONFLICT_STATES] = NULL,
};
static const double severity_weights[MEM_SEVERITIES] = { 1, 2, 4, 8 };

/* The time in which a conflict gets urgent, and how much it may count. */
static const double URGENT_DAYS = 30, URGENT_MOST = 3;

bool
mem_conflict_type_parse(struct mem_str word, enum mem_conflict_type *out)
{
	for (size_t i = 0; i < MEM_CONFLICT_TYPES; i++)
		if (mem_str_is(word, mem_conflict_types[i])) {
			*out = (enum mem_conflict_type)i;
			return true;
		}
	return false;
}

enum mem_severity
mem_conflict_severity(enum mem_conflict_type type)
{
	return type_severities[type];
}

double
mem_severity_weight(enum mem_severity s)
{
	return severity_weights[s];
}

double
mem_conflict_priority(enum mem_severity s, double days, double similarity)
{
	double age = fmin(fmax(days / URGENT_DAYS, 1), URGENT_MOST);
	double priority = severity_weights[s] * age * (1 + (isnan(similarity) ? 0 : similarity));
	return round(priority * 1e6) / 1e6;
}
