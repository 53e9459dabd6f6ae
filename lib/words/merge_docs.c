/* SPDX-License-Identifier: Apache-2.0 */
/* A merge: the documents of its inputs that count, by (ns, ord). */
#include "words/merge_int.h"
#include "store/node.h"

/* A node's id from its attributes, where the zone it comes from tells too little; one that is gone or damaged keeps its bounds. */
static void
look_up_id(struct words_merge *m, uint32_t ord, struct mem_id *min, struct mem_id *max)
{
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(m->t, ord, &a, m->err);
	if (st == MEM_OK) {
		memcpy(min, &a->id, sizeof *min);
		*max = *min;
	} else if (st == MEM_DAMAGED) {
		mem_node_damage_note(m->t, ord);
	} else if (st != MEM_NOTFOUND) {
		m->status = st;
	}
}

/*
 * Is the id known to be above that of the document before?  Inside a zone of rising ids, and where two zones do not
 * reach into each other, it is.  Zones of changed nodes among others reach far: of those the ids are looked up, or
 * bounds would only ever widen from merge to merge.
 */
static bool
find_id_order(struct words_merge *m, const struct words_merge_input *in, struct mem_segment_doc *row)
{
	struct words_merged_doc *last = &m->last;
	const struct mem_zone *z = &in->cols.z;
	struct mem_id min;
	if (m->overlap && z->rising == 0)
		look_up_id(m, row->ord, &row->id_min, &row->id_max);
	if (last->in == NULL)
		return false;
	if (last->in == in && last->zone == in->cols.zone && z->rising != 0)
		return true;
	if (m->overlap && mem_id_cmp(&last->id_max, &row->id_min) >= 0) {
		look_up_id(m, last->ord, &min, &last->id_max);
		look_up_id(m, row->ord, &row->id_min, &row->id_max);
	}
	return mem_id_cmp(&last->id_max, &row->id_min) < 0;
}

static void
put_merged_doc(struct words_merge *m, const struct words_merge_input *in, uint32_t ns)
{
	const struct mem_cols *c = &in->cols;
	uint32_t i = in->doc - c->first;
	struct mem_segment_doc row = {
		.captured_at = mem_cols_time(c, i), .ord = in->ord, .ns = ns,
		.length = mem_cols_length(c, i), .session = mem_cols_session(c, i),
		.kind = mem_cols_kind(c, i), .role = mem_cols_role(c, i),
		.id_min = c->z.id_min, .id_max = c->z.id_max,
	};
	row.rises = find_id_order(m, in, &row);
	m->last = (struct words_merged_doc){ in, c->zone, row.ord, row.id_max };
	mem_segw_doc(&m->build.w, &row);
}

/* The next document that counts, with its zone and ord; false: the namespace has no more, or damage. */
static bool
find_live_doc(struct words_merge_input *in)
{
	for (; in->doc < in->hi && mem_seg_is_dead(&in->seg, in->doc); in->doc++)
		words_merge_map_add(&in->map, in->doc + 1, 0, true);
	if (in->doc == in->hi || (in->cols.zone != in->doc / MEM_ZONE_DOCS
	    && !mem_cols_load(&in->cols, &in->seg, in->doc / MEM_ZONE_DOCS, MEM_COLS_ALL)))
		return false;
	in->ord = mem_cols_ord(&in->cols, in->doc - in->cols.first);
	return true;
}

/* Puts documents of one input up to the next one's ord; at least one. */
static void
put_doc_run(struct words_merge *m, struct words_merge_input *in, uint32_t ns, uint32_t limit)
{
	do {
		words_merge_map_add(&in->map, in->doc + 1, m->build.w.m.docs - in->doc, false);
		put_merged_doc(m, in, ns);
		in->doc++;
		if (in->doc % MEM_ZONE_DOCS == 0 && !words_merge_drain(m))
			return;
	} while (find_live_doc(in) && in->ord < limit);
}

/* The documents of the namespace that the inputs stand at. */
static void
put_namespace_docs(struct words_merge *m, uint32_t ns)
{
	while (!words_merge_failed(m)) {
		struct words_merge_input *least = NULL;
		uint32_t limit = UINT32_MAX;
		for (size_t i = 0; i < m->n; i++) {
			struct words_merge_input *in = &m->in[i];
			if (!find_live_doc(in))
				continue;
			if (least == NULL || in->ord < least->ord) {
				limit = least != NULL ? least->ord : limit;
				least = in;
			} else if (in->ord < limit) {
				limit = in->ord;
			}
		}
		if (least == NULL || words_merge_failed(m))
			return;
		put_doc_run(m, least, ns, limit);
	}
}

/* The input's next namespace and its documents.  False: no more, or damage. */
static bool
peek_namespace(struct words_merge_input *in, uint32_t *ns, uint32_t *lo, uint32_t *hi)
{
	if (in->range == in->nranges)
		return false;
	const uint8_t *p = mem_seg_elem(&in->seg, MEM_SEC_NSR, in->range);
	if (p == NULL)
		return false;
	*ns = mem_ld32(p);
	*lo = mem_ld32(p + 4);
	*hi = in->seg.m.docs;
	if (in->range + 1 < in->nranges) {
		p = mem_seg_elem(&in->seg, MEM_SEC_NSR, in->range + 1);
		*hi = p != NULL ? mem_ld32(p + 4) : 0;
	}
	if (*lo != words_merge_map_end(&in->map) || *hi <= *lo || *hi > in->seg.m.docs)
		return mem_seg_damaged(&in->seg, "range of a namespace") != NULL;
	return true;
}

void
words_merge_put_docs(struct words_merge *m)
{
	for (;;) {
		uint32_t lowest = 0, ns, lo, hi;
		bool any = false;
		for (size_t i = 0; i < m->n; i++)
			if (peek_namespace(&m->in[i], &ns, &lo, &hi) && (!any || ns < lowest)) {
				any = true;
				lowest = ns;
			}
		if (!any || words_merge_failed(m))
			break;
		for (size_t i = 0; i < m->n; i++) {
			struct words_merge_input *in = &m->in[i];
			if (!peek_namespace(in, &ns, &lo, &hi) || ns != lowest)
				continue;
			in->doc = lo;
			in->hi = hi;
			in->range++;
		}
		put_namespace_docs(m, lowest);
	}
	if (!words_merge_failed(m))
		mem_segw_docs_end(&m->build.w);
}
