/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a segment: every shape is checked before it is trusted. */
#include "segment/segment.h"
#include "vector/vector.h"

#include <assert.h>
#include <stdlib.h>

static const uint32_t elem_size[MEM_SEC_COUNT] = {
	[MEM_SEC_NSR] = MEM_NSR_SIZE, [MEM_SEC_ZONE] = MEM_ZONE_SIZE,
	[MEM_SEC_DICT] = MEM_DICT_SIZE, [MEM_SEC_SKIP] = MEM_SKIP_SIZE, [MEM_SEC_SUM] = MEM_SEC_SUM_SIZE,
};

/* Bytes of an element of an array; 0: it is a stream. */
static inline uint64_t
element_size_of(const struct mem_seg *s, enum mem_sec sec)
{
	if (sec == MEM_SEC_CODE || sec == MEM_SEC_FINE)
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

static bool
has_right_units(const struct mem_manifest *m)
{
	uint64_t sums = 0;
	for (int sec = 0; sec < MEM_SEC_SUM; sec++) {
		uint64_t parts = m->sec[sec].parts, units = m->sec[sec].units;
		if (units > parts * MEM_UNITS || (parts > 0 && units <= (parts - 1) * MEM_UNITS))
			return false;
		sums += units;
	}
	return m->sec[MEM_SEC_SUM].count == sums && m->sec[MEM_SEC_SUM].units == 0;
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
	return has_right_units(m) ? NULL : "count of checksums";
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
	uint64_t sums = 0;
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++) {
		s->sums[sec] = sums;
		sums += s->m.sec[sec].units;
		if (s->m.sec[sec].parts > 0)
			s->parts[sec] = mem_xcalloc(s->m.sec[sec].parts, sizeof *s->parts[sec]);
	}
	s->sound = mem_xcalloc(sums / 64 + 1, sizeof *s->sound);
	return MEM_OK;
}

void
mem_seg_close(struct mem_seg *s)
{
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++)
		free(s->parts[sec]);
	memset(s->parts, 0, sizeof s->parts);
	free(s->sound);
	free(s->tombs);
	free(s->dead);
	s->sound = NULL;
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

static size_t
unit_of(size_t at)
{
	return (at + MEM_UNIT_HEAD) / MEM_UNIT;
}

static size_t
count_part_units(size_t n)
{
	return unit_of(n - 1) + 1;
}

/* An array's parts are full but the last, so that an element's part is known to hold it. */
static bool
has_right_size(const struct mem_seg *s, enum mem_sec sec, uint32_t part, size_t n)
{
	if (n == 0 || n > MEM_PART_ROOM)
		return false;
	if (sec != MEM_SEC_SUM && part + 1 == s->m.sec[sec].parts && part * (uint64_t)MEM_UNITS + count_part_units(n) != s->m.sec[sec].units)
		return false;
	uint64_t size = element_size_of(s, sec);
	if (size == 0)
		return true;
	uint64_t per = MEM_PART_ROOM / size;
	uint64_t left = s->m.sec[sec].count - per * part;
	return n == (left < per ? left : per) * size;
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
	s->parts[sec][part] = v;
	return (const uint8_t *)v.p;
}

/* NULL: damage. */
static inline const struct mem_str *
get_part(struct mem_seg *s, enum mem_sec sec, uint32_t part)
{
	if (part >= s->m.sec[sec].parts)
		return mem_seg_damaged(s, "address");
	const struct mem_str *v = &s->parts[sec][part];
	return v->p != NULL || fetch_part(s, sec, part) != NULL ? v : NULL;
}

const uint8_t *
mem_seg_part(struct mem_seg *s, enum mem_sec sec, uint32_t part, size_t *n)
{
	const struct mem_str *v = get_part(s, sec, part);
	if (v == NULL)
		return NULL;
	*n = v->n;
	return (const uint8_t *)v->p;
}

/* ---- checksums ---------------------------------------------------------- */

/* Two threads may read one segment: what one has found, the other need not see. */
static inline bool
is_unit_sound(const struct mem_seg *s, uint64_t sum)
{
	return (__atomic_load_n(&s->sound[sum / 64], __ATOMIC_RELAXED) >> (sum % 64) & 1) != 0;
}

static bool
verify_unit(struct mem_seg *s, const struct mem_str *part, size_t unit, uint64_t sum)
{
	const uint32_t per = MEM_PART_ROOM / MEM_SEC_SUM_SIZE;
	size_t from = unit > 0 ? unit * MEM_UNIT - MEM_UNIT_HEAD : 0, to = (unit + 1) * MEM_UNIT - MEM_UNIT_HEAD;
	const struct mem_str *sums = get_part(s, MEM_SEC_SUM, (uint32_t)(sum / per));
	if (sums == NULL)
		return false;
	to = to < part->n ? to : part->n;
	if (mem_crc32c_lanes(part->p + from, to - from) != mem_ld32(sums->p + sum % per * MEM_SEC_SUM_SIZE))
		return mem_seg_damaged(s, "checksum") != NULL;
	(void)__atomic_fetch_or(&s->sound[sum / 64], UINT64_C(1) << (sum % 64), __ATOMIC_RELAXED);
	return true;
}

/* Bytes [at, at + n) of a part. */
static inline bool
verify_units(struct mem_seg *s, enum mem_sec sec, uint32_t number, const struct mem_str *part, size_t at, size_t n)
{
	if (sec == MEM_SEC_SUM)
		return true;
	uint64_t sums = s->sums[sec] + number * (uint64_t)MEM_UNITS;
	size_t unit = unit_of(at), last = unit_of(at + n - 1);
	do
		if (!is_unit_sound(s, sums + unit) && !verify_unit(s, part, unit, sums + unit))
			return false;
	while (++unit <= last);
	return true;
}

bool
mem_seg_verify_all(struct mem_seg *s)
{
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++)
		for (uint32_t number = 0; number < s->m.sec[sec].parts; number++) {
			const struct mem_str *part = get_part(s, (enum mem_sec)sec, number);
			if (part == NULL || !verify_units(s, (enum mem_sec)sec, number, part, 0, part->n))
				return false;
		}
	return true;
}

const uint8_t *
mem_seg_elems(struct mem_seg *s, enum mem_sec sec, uint64_t i, size_t n)
{
	uint64_t size = element_size_of(s, sec), per = MEM_PART_ROOM / size;
	if (i >= s->m.sec[sec].count || s->m.sec[sec].count - i < n)
		return mem_seg_damaged(s, "index of an element");
	uint32_t number = (uint32_t)(i / per);
	size_t at = (size_t)(i - number * per) * size;
	assert(at + n * size <= MEM_PART_ROOM);
	const struct mem_str *part = get_part(s, sec, number);
	return part != NULL && verify_units(s, sec, number, part, at, n * size) ? (const uint8_t *)part->p + at : NULL;
}

/* The part that an address is in, and where in it. */
static inline const struct mem_str *
find_address(struct mem_seg *s, enum mem_sec sec, uint64_t address, size_t *at)
{
	if (address >> 20 >= s->m.sec[sec].parts)
		return mem_seg_damaged(s, "address");
	const struct mem_str *part = get_part(s, sec, (uint32_t)(address >> 20));
	*at = address & ((1 << 20) - 1);
	if (part == NULL || *at >= part->n)
		return part != NULL ? mem_seg_damaged(s, "address") : NULL;
	return part;
}

const uint8_t *
mem_seg_look(struct mem_seg *s, enum mem_sec sec, uint64_t address, size_t *room)
{
	size_t at;
	const struct mem_str *part = find_address(s, sec, address, &at);
	if (part == NULL)
		return NULL;
	*room = part->n - at;
	return (const uint8_t *)part->p + at;
}

const uint8_t *
mem_seg_at(struct mem_seg *s, enum mem_sec sec, uint64_t address, size_t n)
{
	size_t at;
	const struct mem_str *part = find_address(s, sec, address, &at);
	if (part == NULL)
		return NULL;
	if (part->n - at < n)
		return mem_seg_damaged(s, "address");
	return verify_units(s, sec, (uint32_t)(address >> 20), part, at, n) ? (const uint8_t *)part->p + at : NULL;
}

/* ---- looking for something ---------------------------------------------- */

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
		if (!mem_cols_reach(c, s, lo / MEM_ZONE_DOCS, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
			return false;
		uint8_t width = c->z.width[MEM_COL_ORD];
		if (ord < c->z.ord_min || (width < 4 && (ord - c->z.ord_min) >> (8 * width) != 0))
			continue;
		uint32_t end = c->first + c->n < hi ? c->first + c->n : hi;
		if (!mem_cols_verify(c, s, 1U << MEM_COL_ORD, lo - c->first, end - lo))
			return false;
		for (uint32_t d = lo; d < end; d++)
			if (mem_cols_ord(c, d - c->first) == ord) {
				*doc = d;
				return mem_cols_verify(c, s, 1U << MEM_COL_LEN, d - c->first, 1);
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
		if (!mem_cols_reach_doc(c, s, mid, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
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
		if (!mem_cols_reach_doc(c, s, d, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
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
		if (!mem_cols_reach_doc(c, s, d, 1U << MEM_COL_ORD | 1U << MEM_COL_LEN))
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
