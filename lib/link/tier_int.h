/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: patterns as they stand in namespace system. */
#ifndef MEM_TIER_INT_H
#define MEM_TIER_INT_H

#include "link/tier.h"
#include "record/record.h"

enum tier_state { TIER_WAITING, TIER_APPROVED, TIER_SHARED, TIER_HELD, TIER_STATES };
extern const char *const tier_state_words[];

struct tier_pattern {
	struct mem_id id;
	enum tier_state state;
	int64_t nights, seen_at, count, owners;
	struct mem_str name, items; /* ARENA: the values in JSON */
	bool found;                 /* by the run in hand */
};
/* All that are live, by id. */
struct tier_patterns {
	struct tier_pattern *v;     /* OWNS */
	size_t n, cap;
	struct mem_arena arena;
};
enum mem_status tier_patterns_read(struct tier_patterns *out, struct mem_store *s, struct mem_err *err) MEM_CHECKED;
void tier_patterns_release(struct tier_patterns *p);
struct tier_pattern *tier_patterns_find(const struct tier_patterns *p, const struct mem_id *id); /* NULL: it is not there */
/* Is this record a pattern?  Then it is in *out; id is that of the record. */
bool tier_pattern_read(struct tier_pattern *out, struct mem_arena *a, struct mem_str json);

/* What the ids of a pattern are made of: its items as mem_text_fold_name has them, so that it stays the same however they are written.  ARENA. */
struct mem_str tier_pattern_identity(struct mem_arena *a, struct mem_str items);
struct mem_id tier_pattern_id(const char *ns, struct mem_str items);

/* The next input, about this pattern in namespace `ns`: with what its receipt has besides. */
struct mem_write_input tier_pattern_input(struct mem_write_run *r, const char *ns, const struct tier_pattern *p);
enum { TIER_FIELDS = 10 };
/* The TIER_FIELDS of a pattern as it is in system; in global the last three are not there.  ARENA of the batch.
 * MEM_REFUSED: its names together are what the sanitiser refuses. */
enum mem_status tier_pattern_fields(struct mem_write_run *r, const struct tier_pattern *p, struct mem_clean_field **out,
    struct mem_err *err) MEM_CHECKED;
/* A row of the audit. */
struct mem_write_audit tier_pattern_audit(struct mem_arena *a, const struct tier_pattern *p, const char *reason);
/* Sets its state, without a receipt. */
enum mem_status tier_state_queue(struct mem_write_run *r, const struct mem_id *id, enum tier_state state, struct mem_err *err) MEM_CHECKED;
enum mem_status tier_check_rights(const struct mem_write_run *r, struct mem_err *err) MEM_CHECKED;

#endif
