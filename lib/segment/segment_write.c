/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a segment, part by part. */
#include "segment/segment_write.h"
#include "vector/vector.h"

#include <assert.h>
#include <stdlib.h>

void
mem_segw_init(struct mem_segw *w, uint16_t level)
{
	memset(w, 0, sizeof *w);
	w->m.magic = MEM_SEG_MAGIC;
	w->m.format = MEM_SEG_FORMAT;
	w->m.level = level;
	w->m.ord_min = UINT32_MAX;
	w->zone = mem_xmalloc(MEM_ZONE_DOCS * sizeof *w->zone);
}

void
mem_segw_drop_done(struct mem_segw *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		w->done_bytes -= w->done[i].n;
		free(w->done[i].data);
	}
	w->ndone -= n;
	if (w->ndone > 0)
		memmove(w->done, w->done + n, w->ndone * sizeof *w->done);
}

void
mem_segw_release(struct mem_segw *w)
{
	mem_segw_drop_done(w, w->ndone);
	free(w->done);
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++)
		free(w->open[sec].data);
	for (int sec = 0; sec < MEM_SEC_SUM; sec++)
		free(w->sums[sec].v);
	free(w->codes);
	free(w->zone);
	free(w->block);
	memset(w, 0, sizeof *w);
}

uint32_t
mem_segw_unit_sums(uint32_t *sums, const uint8_t *data, size_t n)
{
	uint32_t units = 0;
	for (size_t at = 0, size; at < n; at += size) {
		size = at == 0 ? MEM_UNIT - MEM_UNIT_HEAD : MEM_UNIT;
		size = size < n - at ? size : n - at;
		sums[units++] = mem_crc32c_lanes(data + at, size);
	}
	return units;
}

/* Units that the part before had no bytes for have a checksum of 0. */
static void
sum_part(struct mem_segw *w, enum mem_sec sec, const uint8_t *data, size_t n)
{
	uint32_t from = w->m.sec[sec].parts * MEM_UNITS, units = w->m.sec[sec].units;
	w->sums[sec].v = mem_grow(w->sums[sec].v, &w->sums[sec].cap, from + (size_t)MEM_UNITS, sizeof *w->sums[sec].v);
	memset(w->sums[sec].v + units, 0, (from - units) * sizeof *w->sums[sec].v);
	w->m.sec[sec].units = from + mem_segw_unit_sums(w->sums[sec].v + from, data, n);
}

static void
close_part(struct mem_segw *w, enum mem_sec sec)
{
	size_t n = w->open[sec].n;
	if (n == 0)
		return;
	uint8_t *data = w->open[sec].data;
	if (sec != MEM_SEC_SUM)
		sum_part(w, sec, data, n);
	w->done = mem_grow(w->done, &w->done_cap, w->ndone + 1, sizeof *w->done);
	w->done[w->ndone++] = (struct mem_segment_part){ data, n, sec, w->open[sec].part };
	w->done_bytes += n;
	w->m.bytes += n;
	w->m.sec[sec].parts++;
	if ((sec == MEM_SEC_POST && w->m.dims == 0) || (sec >= MEM_SEC_ORD && sec <= MEM_SEC_KIND))
		w->m.sec[sec].count += w->open[sec].n;
	w->open[sec].data = NULL;
	w->open[sec].n = 0;
	w->open[sec].part++;
}

uint8_t *
mem_segw_room(struct mem_segw *w, enum mem_sec sec, size_t n, size_t align, uint64_t *address)
{
	size_t at = (w->open[sec].n + align - 1) & ~(align - 1);
	if (at + n > MEM_PART_ROOM) {
		close_part(w, sec);
		at = 0;
	}
	if (w->open[sec].data == NULL)
		w->open[sec].data = mem_xmalloc(MEM_PART_ROOM);
	memset(w->open[sec].data + w->open[sec].n, 0, at - w->open[sec].n);
	w->open[sec].n = at + n;
	*address = (uint64_t)w->open[sec].part << 20 | at;
	if (w->open[sec].part >= 1 << 14) /* SKIP has 34 bits for an address */
		w->failed = true;
	return w->open[sec].data + at;
}

void
mem_segw_elem(struct mem_segw *w, enum mem_sec sec, const void *p, size_t size)
{
	/* Parts of an array hold as many as fit, so that an index says where an element is. */
	uint64_t address;
	memcpy(mem_segw_room(w, sec, size, 1, &address), p, size);
	w->m.sec[sec].count++;
}

void
mem_segw_doc(struct mem_segw *w, const struct mem_segment_doc *row)
{
	uint32_t doc = w->m.docs++;
	if (doc == 0 || row->ns != w->ns) {
		uint32_t range[2] = { row->ns, doc };
		mem_segw_elem(w, MEM_SEC_NSR, range, sizeof range);
		w->ns = row->ns;
	}
	if (row->ord < w->m.ord_min)
		w->m.ord_min = row->ord;
	if (row->ord > w->m.ord_max)
		w->m.ord_max = row->ord;
	w->codes = mem_grow(w->codes, &w->codes_cap, (size_t)doc + 1, 1);
	w->codes[doc] = mem_len_code(row->length);
	w->zone[w->nzone++] = *row;
	if (w->nzone == MEM_ZONE_DOCS)
		mem_segw_zone(w);
}

void
mem_segw_docs_end(struct mem_segw *w)
{
	if (w->nzone > 0)
		mem_segw_zone(w);
	free(w->zone);
	w->zone = NULL;
	mem_front_clear(&w->whole);
}

static void
put_code_block(struct mem_segw *w)
{
	size_t size = mem_code_block_bytes(w->m.dims);
	mem_segw_elem(w, MEM_SEC_CODE, w->block, size);
	if (w->grouped)
		mem_segw_elem(w, MEM_SEC_OF, w->groups, sizeof w->groups);
	memset(w->block, 0, size);
	w->nblock = 0;
}

void
mem_segw_code(struct mem_segw *w, const uint8_t *code, uint16_t group)
{
	uint32_t dims = w->m.dims;
	if (w->block == NULL)
		w->block = mem_xcalloc(1, mem_code_block_bytes(dims));
	if (w->nblock == 0 || group < w->groups[0])
		w->groups[0] = group;
	if (w->nblock == 0 || group > w->groups[1])
		w->groups[1] = group;
	mem_code_block_set(w->block, dims, w->nblock++, code);
	mem_segw_elem(w, MEM_SEC_FINE, mem_code_fine_part(code, dims), mem_code_fine_bytes(dims));
	if (w->nblock == MEM_CODE_BLOCK)
		put_code_block(w);
}

void
mem_segw_span(struct mem_segw *w, uint32_t start, uint32_t end, uint32_t field)
{
	const uint32_t span[] = { w->m.docs - 1, start, end, field };
	mem_segw_elem(w, MEM_SEC_SPAN, span, sizeof span);
}

void
mem_segw_term(struct mem_segw *w, uint64_t term, uint32_t df)
{
	w->term = term;
	w->df = df;
	w->written = w->n = w->base = 0;
	w->m.postings += df;
	if (df > MEM_BLOCK)
		mem_front_clear(&w->whole);
}

static void
put_dict_entry(struct mem_segw *w, uint32_t form, uint64_t rest)
{
	uint64_t entry[2] = { w->term, (uint64_t)form << 62 | rest };
	mem_segw_elem(w, MEM_SEC_DICT, entry, sizeof entry);
}

/* Packs what is gathered; returns its address. */
static uint64_t
put_posting_block(struct mem_segw *w, size_t align)
{
	uint8_t bytes[MEM_BLOCK_MAX];
	size_t n = w->n == MEM_BLOCK ? mem_block_pack(bytes, w->docs, w->tfs, w->base)
	    : mem_run_pack(bytes, w->docs, w->tfs, w->n, w->base);
	uint64_t address;
	memcpy(mem_segw_room(w, MEM_SEC_POST, n, align, &address), bytes, n);
	w->base = w->docs[w->n - 1] + 1;
	w->written += w->n;
	w->n = 0;
	return address;
}

/* A block of a LIST with its skip record, and after the last the record of the list. */
static void
put_list_block(struct mem_segw *w)
{
	struct mem_front f;
	struct { uint32_t a, b; struct mem_pairs pairs; } skip;
	mem_front_clear(&f);
	for (uint32_t i = 0; i < w->n; i++) {
		assert(w->docs[i] < w->m.docs);
		mem_front_add(&f, w->tfs[i], w->codes[w->docs[i]]);
	}
	mem_front_join(&w->whole, &f);
	mem_front_pairs(&f, &skip.pairs);
	skip.a = w->docs[w->n - 1];
	skip.b = (uint32_t)(put_posting_block(w, 4) >> 2);
	mem_segw_elem(w, MEM_SEC_SKIP, &skip, sizeof skip);
	if (w->written < w->df)
		return;
	skip.a = w->df;
	skip.b = 0;
	mem_front_pairs(&w->whole, &skip.pairs);
	put_dict_entry(w, MEM_REF_LIST, w->m.sec[MEM_SEC_SKIP].count);
	mem_segw_elem(w, MEM_SEC_SKIP, &skip, sizeof skip);
}

static void
put_gathered_postings(struct mem_segw *w)
{
	if (w->df > MEM_BLOCK) {
		put_list_block(w);
	} else if (w->df == 1 && w->tfs[0] < 1U << 30) {
		put_dict_entry(w, MEM_REF_ONE, (uint64_t)w->tfs[0] << 32 | w->docs[0]);
		w->written = 1;
	} else {
		uint64_t df = w->df;
		put_dict_entry(w, MEM_REF_RUN, df << 40 | put_posting_block(w, 1));
	}
}

void
mem_segw_post(struct mem_segw *w, const uint32_t *docs, const uint32_t *tfs, size_t n)
{
	while (n > 0) {
		size_t fit = MEM_BLOCK - w->n;
		if (fit > n)
			fit = n;
		memcpy(w->docs + w->n, docs, fit * sizeof *docs);
		memcpy(w->tfs + w->n, tfs, fit * sizeof *tfs);
		w->n += (uint32_t)fit;
		docs += fit;
		tfs += fit;
		n -= fit;
		if (w->n == MEM_BLOCK || w->written + w->n == w->df)
			put_gathered_postings(w);
	}
}

enum mem_status
mem_segw_finish(struct mem_segw *w, struct mem_err *err)
{
	if (w->failed)
		return mem_err_set(err, MEM_FAIL, "an index segment would be over 16 GiB");
	if (w->nblock > 0)
		put_code_block(w);
	for (int sec = 0; sec < MEM_SEC_SUM; sec++)
		close_part(w, (enum mem_sec)sec);
	for (int sec = 0; sec < MEM_SEC_SUM; sec++)
		for (uint32_t unit = 0; unit < w->m.sec[sec].units; unit++)
			mem_segw_elem(w, MEM_SEC_SUM, &w->sums[sec].v[unit], MEM_SEC_SUM_SIZE);
	close_part(w, MEM_SEC_SUM);
	w->m.checksum = mem_hash_fast(&w->m, offsetof(struct mem_manifest, checksum));
	return MEM_OK;
}
