/* SPDX-License-Identifier: Apache-2.0 */
/* Which node took another's place. */
#include "record/record.h"
#include "store/node.h"

enum { SURVIVOR_STEPS = 64 };       /* a chain of merges is not longer, nor a circle that damage made */

enum mem_status
mem_node_survivor(struct mem_txn *t, uint32_t *ord, bool superseded, struct mem_err *err)
{
	for (int i = 0; i < SURVIVOR_STEPS; i++) {
		struct mem_node node;
		struct mem_id next;
		enum mem_status st = mem_node_at(t, *ord, &node, err);
		if (st != MEM_OK)
			return st;
		bool gone = node.attr->status == MEM_STATUS_MERGED || (superseded && node.attr->status == MEM_STATUS_SUPERSEDED);
		uint16_t kind = node.attr->kind;
		if (!gone || !mem_json_id(mem_json_member(mem_json_object(node.json), "superseded_by"), &next))
			return MEM_OK;
		st = mem_node_by_id(t, &next, &node, err);
		if (st != MEM_OK || node.attr->kind != kind)
			return st == MEM_NOTFOUND ? MEM_OK : st; /* it was erased */
		*ord = node.ord;
	}
	return MEM_OK;
}
