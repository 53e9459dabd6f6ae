/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the undoing of merges: facts that a merge has judged anew. */
#ifndef MEM_JUDGE_INT_H
#define MEM_JUDGE_INT_H

#include "belief/join_int.h"

struct judged {
	struct join *j;
	uint32_t ord;
	struct mem_id id;
	struct mem_rec rec;          /* the fact as it is; OWNS its list of fields */
	struct mem_clean_rec clean;
	struct mem_json was, added;
	bool mine;                   /* it was judged last by the merge that is taken back, */
	bool made;                   /* which has made it, */
	int64_t version;             /* or has found this one */
	bool gone_over;              /* it is about the other one again */
	const struct judged *edited; /* it is a version of this one, which somebody has made since; NULL: it is none */
	bool gains;                  /* what was said since goes to it */
	struct mem_clean_text sources; /* those it gets where it was changed since */
	size_t nsources;
};
/* ARENA of the join. */
struct judged_list {
	struct judged **v;
	size_t n, cap;
};

/* ---- judge_undo.c --------------------------------------------------------------- */

enum mem_status judged_link(struct judged *d, uint32_t from, uint32_t to, const char *kind, const struct mem_clean_field *fields, size_t n);
enum mem_status judged_unlink(struct judged *d, uint32_t from, uint32_t to, const char *kind);
enum mem_status judged_read(struct judged *d, bool *there); /* by its id.  *there false: it was erased */

/* ---- judge_sources.c -------------------------------------------------------------- */

/*
 * What each of the list has as sources once the merge is taken back, be it changed since or not: those it had before; those that
 * came since, but of a fact that goes over to the other entity they stay with the kept one, where that has such a fact.
 */
enum mem_status judged_sort_sources(struct judged_list *l);
size_t judged_count_own(const struct judged *d); /* sources before the merge */
/* The edges of its sources follow from those of one list to those of the other. */
enum mem_status judged_turn_sources(struct judged *d, struct mem_json is, struct mem_json wanted);
/* Of a fact that became part of this one since the merge, which has its sources: they are its own again. */
enum mem_status judged_take_back_sources(struct judged *d, const struct mem_id *by);

#endif
