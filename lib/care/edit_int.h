/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: an edit on its way. */
#ifndef MEM_EDIT_INT_H
#define MEM_EDIT_INT_H

#include "base/base.h"
#include "care/care.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/node.h"
#include "write/run.h"
#include "write/write.h"

struct edit {
	struct mem_write_run *run;
	const struct mem_care_edit *asked;
	struct mem_write_input in;
	struct mem_id id;
	const char *refused;        /* reason */
	size_t offset;

	/* The node as it stood in a snapshot; ARENA of the batch. */
	struct mem_attr attr;
	struct mem_rec was;
	int64_t version;
	bool live;

	/* New values, cleaned, of fields in `record`. */
	struct mem_rec record;
	struct mem_clean_rec clean;
	struct mem_clean_text why;
};

static inline struct mem_arena *
edit_arena(const struct edit *e)
{
	return mem_writer_arena(e->run->writer);
}

bool edit_makes_version(enum mem_kind kind);
/* The tags of the node with those asked for, as a JSON list; false: they are as they were. */
bool edit_list_tags(struct mem_buf *out, const struct edit *e);
/* Queues a new version; a refusal is in e->refused. */
enum mem_status edit_queue_version(struct edit *e, struct mem_err *err) MEM_CHECKED;
/* The edges of what a version comes from and of what supports it, to another one. */
enum mem_status edit_copy_evidence(struct mem_txn *t, struct mem_writer *w, uint32_t from, uint32_t to, struct mem_err *err) MEM_CHECKED;
/* Drafts, whose fields are changed in place. */
bool edit_is_in_place(enum mem_kind kind);
const char *edit_refuse_draft_field(const struct mem_field *f); /* the reason; NULL: it is edited so */
/* Queues the change; a refusal is in e->refused. */
enum mem_status edit_queue_draft(struct edit *e, struct mem_err *err) MEM_CHECKED;
/* Queues edges to tags. */
enum mem_status edit_queue_tags(struct edit *e, struct mem_err *err) MEM_CHECKED;

#endif
