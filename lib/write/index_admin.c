/* SPDX-License-Identifier: Apache-2.0 */
/* The index as a whole: its size, and clearing it. */
#include "write/tidy.h"

#include <stdlib.h>
#include <string.h>

#include "segment/segment_write.h"
#include "vectors/vectors.h"
#include "words/words.h"

enum mem_status
mem_index_stat(struct mem_txn *t, struct mem_index_stat *out, struct mem_err *err)
{
	struct mem_segment_info *segs = NULL;
	size_t n = 0;
	*out = (struct mem_index_stat){ 0 };
	enum mem_status st = mem_words_tail_size(t, &out->tail, &out->bytes, err);
	for (int vectors = 0; vectors < 2 && st == MEM_OK; vectors++) {
		st = mem_segment_list(t, vectors, &segs, &n, err);
		for (size_t i = 0; i < n && st == MEM_OK; i++) {
			uint32_t *tombs = NULL;
			size_t dead = 0;
			if (vectors)
				st = mem_tombs_read(t, segs[i].number, &tombs, &dead, err);
			out->bytes += segs[i].m.bytes + sizeof segs[i].m;
			out->vectors += vectors ? segs[i].m.docs - dead : 0;
			free(tombs);
		}
		out->segments += n;
		free(segs);
		segs = NULL;
	}
	if (st == MEM_OK)
		st = mem_vectors_tail_size(t, &out->vector_tail, &out->bytes, err);
	out->vectors += out->vector_tail;
	return st;
}

/* mem_words_add counts every document again. */
static enum mem_status
clear_ns_counts(struct mem_txn *t, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_NS, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ NULL, 0 }, err);
	while (st == MEM_OK) {
		struct mem_str key = mem_cursor_key(c);
		struct mem_ns ns;
		if (key.n != 5 || key.p[0] != '\0')
			break;
		uint32_t number = mem_be32_get((const uint8_t *)key.p + 1);
		st = mem_ns_by_number(t, number, &ns, err);
		if (st == MEM_OK)
			st = mem_ns_count(t, number, -(int64_t)ns.nodes, -(int64_t)ns.length, err);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
mem_index_clear(struct mem_txn *t, struct mem_err *err)
{
	static const enum mem_table tabs[] = { MEM_T_SEG, MEM_T_SEGS, MEM_T_TAIL, MEM_T_CODE, MEM_T_TOMB };
	uint64_t epoch;
	enum mem_status st = mem_segment_epoch(t, &epoch, err);
	epoch++;
	if (st == MEM_OK)
		st = mem_tab_put(t, MEM_T_META, MEM_STR("index"),
		    (struct mem_str){ (const char *)&epoch, sizeof epoch }, err);
	for (size_t i = 0; i < MEM_COUNT(tabs) && st == MEM_OK; i++)
		st = mem_segment_empty_table(t, tabs[i], err);
	return st == MEM_OK ? clear_ns_counts(t, err) : st;
}
