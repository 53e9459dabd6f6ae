/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the reader of a user's extractor share; private to the room. */
#ifndef MEM_EXTRACT_WITH_INT_H
#define MEM_EXTRACT_WITH_INT_H

#include "belief/extract_with.h"
#include "clean/clean_text.h"
#include "record/record.h"

/* One line of the answer on its way to a claim. */
struct with_line {
	const struct mem_rec *rec;              /* cleaned */
	const struct mem_predicate *predicate;  /* NULL: none, or not known */
	struct mem_arena *arena;
	struct mem_with_claim *out;
};
/*
 * The claim of a line, all but `episode`, `rule` and the check of its span.  MEM_REFUSED with the reasons of extract_with.h.
 */
enum mem_status with_claim_read(struct with_line *l, const struct mem_belief_rules *rules, struct mem_err *err) MEM_CHECKED;
/* MEM_REFUSED, reserved_field: it sets a field that is memkit's own. */
enum mem_status with_fields_check(const struct mem_rec *rec, struct mem_err *err) MEM_CHECKED;

#endif
