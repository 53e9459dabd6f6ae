/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a segment: every shape is checked before it is trusted. */
#include "segment/segment.h"
#include "vector/vector.h"

#include <stdlib.h>

static const uint32_t elem_size[MEM_SEC_COUNT] = {
	[MEM_SEC_NSR] = MEM_NSR_SIZE, [MEM_SEC_ZONE] = MEM_ZONE_SIZE,
	[MEM_SEC_DICT] = MEM_DICT_SIZE, [MEM_SEC_SKIP] = MEM_SKIP_SIZE,
};

/* Bytes of an element of an array; 0: it is a stream. */
static inline uint64_t
element_size_of(const struct mem_seg *s, enum mem_sec sec)
{
	if (sec >= MEM_SEC_CODE)
		return sec == MEM_SEC_CODE ? s->code_size : s->fine_size;
	if (s->m.dims > 0 && sec == MEM_SEC_GROUP)
		return (s->m.dims + 1) * sizeof(float);
	if (s->m.dims > 0 && sec == MEM_SEC_SPAN)
		return MEM_SPAN_SIZE;
	return s->m.dims > 0 && sec == MEM_SEC_OF ? 2 * sizeof(uint16_t) : elem_size[sec];
}

void *
mem_seg_damaged(struct mem_seg *s, const char *what)
{
	if (s->status == MEM_OK)
		s->status = mem_err_set(s->err, MEM_FAIL,
		    "index segment %u is damaged (%s): run mem-check --repair", s->number, what);
	return NULL;
}

/* Does the manifest agree with itself, so that later reads need not ask again? */
static const char *
find_manifest_fault(const struct mem_seg *s)
{
	const struct mem_manifest *m = &s->m;
	if (m->magic != MEM_SEG_MAGIC || m->format != MEM_SEG_FORMAT)
		return "format";
	if (m->checksum != mem_hash_fast(m, offsetof(struct mem_manifest, checksum)))
		return "checksum of the manifest";
	if (m->docs == 0 || m->docs > MEM_SEG_DOCS || m->level >= MEM_SEG_LEVELS)
		return "count of documents";
	if (m->sec[MEM_SEC_ZONE].count != (m->docs + (uint64_t)MEM_ZONE_DOCS - 1) / MEM_ZONE_DOCS
	    || m->sec[MEM_SEC_NSR].count == 0 || m->sec[MEM_SEC_NSR].count > m->docs)
		return "count of zones";
	if (m->dims > 4096 || m->dims % 8 != 0 || m->sec[MEM_SEC_FINE].count != (m->dims > 0 ? m->docs : 0)
	    || m->sec[MEM_SEC_CODE].count != (m->dims > 0 ? (m->docs + MEM_CODE_BLOCK - 1) / MEM_CODE_BLOCK : 0))
		return "count of codes";
	if (m->dims > 0 && m->sec[MEM_SEC_SPAN].count > m->docs)
		return "count of spans";
	if (m->dims > 0 && m->sec[MEM_SEC_GROUP].count > 0 && (m->sec[MEM_SEC_GROUP].count >= UINT16_MAX
	    || m->sec[MEM_SEC_OF].count != m->sec[MEM_SEC_CODE].count))
		return "count of groups";
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++) {
		uint64_t size = element_size_of(s, (enum mem_sec)sec), per = size > 0 ? MEM_PART_ROOM / size : 0;
		if (m->sec[sec].parts > 1U << 24)
			return "count of parts";
		if (per > 0 && m->sec[sec].parts != (m->sec[sec].count + per - 1) / per)
			return "count of elements";
	}
	return NULL;
}

enum mem_status
mem_seg_open(struct mem_seg *s, uint32_t number, struct mem_str manifest,
    mem_segment_part_fn *get, void *ctx, struct mem_err *err)
{
	memset(s, 0, sizeof *s);
	s->number = number;
	s->err = err;
	s->get = get;
	s->ctx = ctx;
	const char *fault = "size of the manifest";
	if (manifest.n == sizeof s->m) {
		memcpy(&s->m, manifest.p, sizeof s->m);
		if (s->m.dims > 0 && s->m.dims <= 4096) {
			s->code_size = (uint32_t)mem_code_block_bytes(s->m.dims);
			s->fine_size = (uint32_t)mem_code_fine_bytes(s->m.dims);
		}
		fault = find_manifest_fault(s);
	}
	if (fault != NULL) {
		mem_seg_damaged(s, fault);
		return s->status;
	}
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++)
		if (s->m.sec[sec].parts > 0)
			s->parts[sec] = mem_xcalloc(s->m.sec[sec].parts, sizeof *s->parts[sec]);
	return MEM_OK;
}

void
mem_seg_close(struct mem_seg *s)
{
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++)
		free(s->parts[sec]);
	memset(s->parts, 0, sizeof s->parts);
	free(s->tombs);
	free(s->dead);
	s->tombs = NULL;
	s->ntombs = 0;
	s->dead = NULL;
}

void
mem_seg_forget(struct mem_seg *s)
{
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++)
		if (s->parts[sec] != NULL)
			memset(s->parts[sec], 0, s->m.sec[sec].parts * sizeof *s->parts[sec]);
}

/* An array's parts are full but the last, so that an element's part is known to hold it. */
static bool
has_right_size(const struct mem_seg *s, enum mem_sec sec, uint32_t part, size_t n)
{
	if (n <= sizeof(uint64_t) || n > MEM_PART_ROOM + sizeof(uint64_t))
		return false;
	uint64_t size = element_size_of(s, sec);
	if (size == 0)
		return true;
	uint64_t per = MEM_PART_ROOM / size;
	uint64_t left = s->m.sec[sec].count - per * part;
	return n - sizeof(uint64_t) == (left < per ? left : per) * size;
}

static const uint8_t *
fetch_part(struct mem_seg *s, enum mem_sec sec, uint32_t part)
{
	struct mem_str v;
	if (s->status != MEM_OK)
		return NULL;
	enum mem_status st = s->get(s->ctx, s->number, sec, part, &v, s->err);
	if (st == MEM_NOTFOUND)
		return mem_seg_damaged(s, "a part is missing");
	if (st != MEM_OK) {
		s->status = st;
		return NULL;
	}
	if (!has_right_size(s, sec, part, v.n))
		return mem_seg_damaged(s, "size of a part");
	v.n -= sizeof(uint64_t);
	if (s->verify && mem_hash_fast(v.p, v.n) != mem_ld64(v.p + v.n))
		return mem_seg_damaged(s, "checksum of a part");
	s->parts[sec][part] = v;
	return (const uint8_t *)v.p;
}

const uint8_t *
mem_seg_part(struct mem_seg *s, enum mem_sec sec, uint32_t part, size_t *n)
{
	if (part >= s->m.sec[sec].parts)
		return mem_seg_damaged(s, "address");
	const uint8_t *p = (const uint8_t *)s->parts[sec][part].p;
	if (p == NULL && (p = fetch_part(s, sec, part)) == NULL)
		return NULL;
	*n = s->parts[sec][part].n;
	return p;
}

const uint8_t *
mem_seg_elem(struct mem_seg *s, enum mem_sec sec, uint64_t i)
{
	uint64_t size = element_size_of(s, sec), per = MEM_PART_ROOM / size;
	size_t n;
	if (i >= s->m.sec[sec].count)
		return mem_seg_damaged(s, "index of an element");
	const uint8_t *p = mem_seg_part(s, sec, (uint32_t)(i / per), &n);
	return p != NULL ? p + i % per * size : NULL;
}

const uint8_t *
mem_seg_at(struct mem_seg *s, enum mem_sec sec, uint64_t address, size_t n, size_t *room)
{
	size_t have, at = address & ((1 << 20) - 1);
	if (address >> 20 >= s->m.sec[sec].parts)
		return mem_seg_damaged(s, "address");
	const uint8_t *p = mem_seg_part(s, sec, (uint32_t)(address >> 20), &have);
	if (p == NULL)
		return NULL;
	if (at >= have || have - at < n)
		return mem_seg_damaged(s, "address");
	*room = have - at;
	return p + at;
}

/* Terms are hashes and so spread evenly: where one should stand is where it nearly is.  Each guess
 * looks on both sides of it; after a few of them halving takes over, whatever the terms are. */
bool
mem_seg_find(struct mem_seg *s, uint64_t term, uint64_t *ref)
{
	uint64_t lo = 0, hi = s->m.sec[MEM_SEC_DICT].count;
	uint64_t low = 0, high = UINT64_MAX; /* terms in [lo, hi) are in [low, high] */
	for (int guess = 0; lo < hi; guess++) {
		uint64_t mid = lo + (hi - lo) / 2;
		if (guess < 6 && high > low)
			mid = lo + (uint64_t)((double)(term - low) / (double)(high - low)
			    * (double)(hi - lo - 1));
		const uint8_t *p = mem_seg_elem(s, MEM_SEC_DICT, mid);
		if (p == NULL)
			return false;
		uint64_t at = mem_ld64(p);
		if (at == term) {
			*ref = mem_ld64(p + 8);
			return true;
		}
		if (at < term) {
			lo = mid + 1;
			low = at + 1;
		} else {
			hi = mid;
			high = at - 1;
		}
		if (term < low || term > high)
			return false;
	}
	return false;
}

bool
mem_seg_range(struct mem_seg *s, uint32_t ns, uint32_t *lo, uint32_t *hi)
{
	uint64_t from = 0, n = s->m.sec[MEM_SEC_NSR].count;
	*lo = *hi = 0;
	while (n > 0) { /* first entry whose namespace is >= ns */
		const uint8_t *p = mem_seg_elem(s, MEM_SEC_NSR, from + n / 2);
		if (p == NULL)
			return false;
		if (mem_ld32(p) < ns) {
			from += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	if (from == s->m.sec[MEM_SEC_NSR].count)
		return true;
	const uint8_t *p = mem_seg_elem(s, MEM_SEC_NSR, from);
	if (p == NULL || mem_ld32(p) != ns)
		return p != NULL;
	uint32_t end = s->m.docs;
	const uint8_t *next = from + 1 < s->m.sec[MEM_SEC_NSR].count
	    ? mem_seg_elem(s, MEM_SEC_NSR, from + 1) : NULL;
	if (next != NULL)
		end = mem_ld32(next + 4);
	*lo = mem_ld32(p + 4);
	*hi = end;
	if (*lo >= end || end > s->m.docs)
		return mem_seg_damaged(s, "range of a namespace") != NULL;
	return s->status == MEM_OK;
}

uint32_t
mem_seg_ns(struct mem_seg *s, uint32_t doc)
{
	uint64_t lo = 0, n = s->m.sec[MEM_SEC_NSR].count;
	while (n > 0) {
		uint64_t half = n / 2;
		const uint8_t *p = mem_seg_elem(s, MEM_SEC_NSR, lo + half);
		if (p == NULL)
			return 0;
		if (mem_ld32(p + 4) <= doc) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	const uint8_t *p = lo > 0 ? mem_seg_elem(s, MEM_SEC_NSR, lo - 1) : NULL;
	return p != NULL ? mem_ld32(p) : 0;
}

/* Inside a zone they are not in order; but a zone's column says how far it can reach. */
static bool
find_doc_in_groups(struct mem_seg *s, struct mem_cols *c, uint32_t lo, uint32_t hi, uint32_t ord, uint32_t *doc)
{
	for (; lo < hi; lo = c->first + c->n) {
		if (!mem_cols_load(c, s, lo / MEM_ZONE_DOCS, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
			return false;
		uint8_t width = c->z.width[MEM_COL_ORD];
		if (ord < c->z.ord_min || (width < 4 && (ord - c->z.ord_min) >> (8 * width) != 0))
			continue;
		uint32_t end = c->first + c->n < hi ? c->first + c->n : hi;
		for (uint32_t d = lo; d < end; d++)
			if (mem_cols_ord(c, d - c->first) == ord) {
				*doc = d;
				return true;
			}
	}
	return false;
}

bool
mem_seg_doc(struct mem_seg *s, struct mem_cols *c, uint32_t ns, uint32_t ord, uint32_t *doc)
{
	uint32_t lo, hi;
	if (ord < s->m.ord_min || ord > s->m.ord_max || !mem_seg_range(s, ns, &lo, &hi))
		return false;
	if (s->m.dims > 0 && s->m.sec[MEM_SEC_GROUP].count > 0)
		return find_doc_in_groups(s, c, lo, hi, ord, doc);
	/* Ords mostly follow one another, so where one should stand is where it nearly is. */
	uint32_t low = s->m.ord_min, high = s->m.ord_max;
	for (int guess = 0; lo < hi && ord >= low && ord <= high; guess++) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (guess < 3 && high > low)
			mid = lo + (uint32_t)((uint64_t)(ord - low) * (hi - lo - 1) / (high - low));
		if (c->zone != mid / MEM_ZONE_DOCS
		    && !mem_cols_load(c, s, mid / MEM_ZONE_DOCS, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
			return false;
		uint32_t at = mem_cols_ord(c, mid - c->first);
		if (at == ord) {
			*doc = mid;
			return true;
		}
		if (at < ord) {
			lo = mid + 1;
			low = at + 1;
		} else {
			hi = mid;
			high = at - 1; /* ord is lower, so at is not 0 */
		}
	}
	return false;
}

struct doc_list {
	uint32_t *v;
	size_t n, cap;
};

static void
add_found_doc(struct doc_list *l, uint32_t doc)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = doc;
}

/* Documents of the node in [lo, hi), as far as one behind the other is its. */
static bool
collect_doc_run(struct mem_seg *s, struct mem_cols *c, uint32_t lo, uint32_t hi, uint32_t ord, struct doc_list *l)
{
	for (uint32_t d = lo; d < hi; d++) {
		if (c->zone != d / MEM_ZONE_DOCS && !mem_cols_load(c, s, d / MEM_ZONE_DOCS, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
			return false;
		if (mem_cols_ord(c, d - c->first) != ord)
			break;
		add_found_doc(l, d);
	}
	return true;
}

/* The first of the node's documents, of which `doc` is one. */
static bool
find_first_doc(struct mem_seg *s, struct mem_cols *c, uint32_t lo, uint32_t ord, uint32_t *doc)
{
	for (uint32_t d = *doc; d > lo; *doc = d) {
		d--;
		if (c->zone != d / MEM_ZONE_DOCS && !mem_cols_load(c, s, d / MEM_ZONE_DOCS, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
			return false;
		if (mem_cols_ord(c, d - c->first) != ord)
			break;
	}
	return true;
}

bool
mem_seg_docs(struct mem_seg *s, struct mem_cols *c, uint32_t ns, uint32_t ord, uint32_t **docs, size_t *n)
{
	struct doc_list l = { 0 };
	uint32_t lo, hi, doc;
	bool grouped = s->m.sec[MEM_SEC_GROUP].count > 0, sound = mem_seg_range(s, ns, &lo, &hi);
	if (sound && grouped)
		for (; lo < hi && sound && find_doc_in_groups(s, c, lo, hi, ord, &doc); lo = doc + 1)
			add_found_doc(&l, doc);
	else if (sound && mem_seg_doc(s, c, ns, ord, &doc))
		(void)(find_first_doc(s, c, lo, ord, &doc) && collect_doc_run(s, c, doc, hi, ord, &l));
	*docs = l.v;
	*n = l.n;
	return s->status == MEM_OK;
}
