/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a segment, zone by zone. */
#include "segment/segment_write.h"

#include <assert.h>

#include "base/order.h"

/* ---- writing ---------------------------------------------------------- */

static uint8_t
column_width_for(uint64_t range)
{
	return range == 0 ? 0 : range < 1 << 8 ? 1 : range < 1 << 16 ? 2
	    : range <= UINT32_MAX ? 4 : 8;
}

static void
put_column_value(uint8_t *p, uint8_t width, size_t i, uint64_t v)
{
	switch (width) {
	case 1: p[i] = (uint8_t)v; break;
	case 2: memcpy(p + 2 * i, &(uint16_t){ (uint16_t)v }, 2); break;
	case 4: memcpy(p + 4 * i, &(uint32_t){ (uint32_t)v }, 4); break;
	case 8: memcpy(p + 8 * i, &v, 8); break;
	default: break;
	}
}

static void
put_column(struct mem_segw *w, struct mem_zone *z, enum mem_col col, const uint64_t *values,
    size_t n, uint64_t base, uint64_t range)
{
	uint8_t width = column_width_for(range);
	z->width[col] = width;
	if (width == 0)
		return;
	uint8_t *p = mem_segw_room(w, (enum mem_sec)(MEM_SEC_ORD + col), width * n, 1, &z->at[col]);
	for (size_t i = 0; i < n; i++)
		put_column_value(p, width, i, values[i] - base);
}

static int
compare_sessions_by_number(const void *a, const void *b)
{
	uint32_t x = mem_ld32(a), y = mem_ld32(b);
	return x < y ? -1 : x > y;
}

/* The zone's distinct sessions, sorted; returns how many. */
static uint32_t
list_distinct_sessions(const struct mem_segw *w, uint32_t *out)
{
	for (size_t i = 0; i < w->nzone; i++)
		out[i] = w->zone[i].session;
	mem_sort(out, w->nzone, sizeof *out, compare_sessions_by_number);
	uint32_t n = 1;
	for (size_t i = 1; i < w->nzone; i++)
		if (out[i] != out[n - 1])
			out[n++] = out[i];
	return n;
}

static size_t
index_of_session(const uint32_t *sorted, size_t n, uint32_t v)
{
	size_t lo = 0;
	while (n > 1) {
		size_t half = n / 2;
		if (sorted[lo + half] <= v)
			lo += half;
		n -= half;
	}
	return lo;
}

static void
put_sessions(struct mem_segw *w, struct mem_zone *z)
{
	uint32_t sessions[MEM_ZONE_DOCS];
	uint32_t n = list_distinct_sessions(w, sessions);
	uint8_t width = column_width_for(n - 1);
	z->sessions = n;
	z->width[MEM_COL_SESS] = width;
	uint8_t *p = mem_segw_room(w, MEM_SEC_SESS, n * sizeof *sessions + width * w->nzone, 1,
	    &z->at[MEM_COL_SESS]);
	memcpy(p, sessions, n * sizeof *sessions);
	p += n * sizeof *sessions;
	for (size_t i = 0; i < w->nzone; i++)
		put_column_value(p, width, i, index_of_session(sessions, n, w->zone[i].session));
}

/* What is known of the zone as a whole, without its columns. */
static void
summarise_zone(const struct mem_segw *w, struct mem_zone *z, uint32_t *ord_max, uint32_t *len_max,
    bool *one_kind)
{
	const struct mem_segment_doc *r = w->zone;
	z->time_min = z->time_max = r->captured_at;
	z->id_min = r->id_min;
	z->id_max = r->id_max;
	z->ord_min = *ord_max = r->ord;
	z->len_min = *len_max = r->length;
	z->rising = 1;
	*one_kind = true;
	for (size_t i = 0; i < w->nzone; i++, r++) {
		if (r->captured_at < z->time_min)
			z->time_min = r->captured_at;
		if (r->captured_at > z->time_max)
			z->time_max = r->captured_at;
		if (mem_id_cmp(&r->id_min, &z->id_min) < 0)
			z->id_min = r->id_min;
		if (mem_id_cmp(&r->id_max, &z->id_max) > 0)
			z->id_max = r->id_max;
		z->ord_min = r->ord < z->ord_min ? r->ord : z->ord_min;
		*ord_max = r->ord > *ord_max ? r->ord : *ord_max;
		z->len_min = r->length < z->len_min ? r->length : z->len_min;
		*len_max = r->length > *len_max ? r->length : *len_max;
		z->rising &= i == 0 || r->rises;
		mem_kind_set_add(&z->kinds, r->kind);
		z->roles |= (uint8_t)(1U << r->role);
		*one_kind &= r->kind == w->zone->kind && r->role == w->zone->role;
	}
}

void
mem_segw_zone(struct mem_segw *w)
{
	struct mem_zone z = { 0 };
	uint64_t v[MEM_ZONE_DOCS];
	const struct mem_segment_doc *rows = w->zone;
	const size_t n = w->nzone;
	uint32_t ord_max, len_max;
	uint16_t kind_max = 0;
	bool one_kind;
	assert(n > 0);
	summarise_zone(w, &z, &ord_max, &len_max, &one_kind);
	for (size_t i = 0; i < n; i++)
		v[i] = rows[i].ord;
	put_column(w, &z, MEM_COL_ORD, v, n, z.ord_min, ord_max - z.ord_min);
	for (size_t i = 0; i < n; i++)
		v[i] = rows[i].length;
	put_column(w, &z, MEM_COL_LEN, v, n, 0, z.len_min == len_max ? 0 : len_max);
	for (size_t i = 0; i < n; i++)
		v[i] = (uint64_t)rows[i].captured_at;
	put_column(w, &z, MEM_COL_TIME, v, n, (uint64_t)z.time_min,
	    (uint64_t)z.time_max - (uint64_t)z.time_min);
	put_sessions(w, &z);
	for (size_t i = 0; i < n; i++) {
		uint16_t both = mem_kind_role(rows[i].kind, rows[i].role);
		kind_max = both > kind_max ? both : kind_max;
		v[i] = both;
	}
	z.kind = (uint16_t)v[0];
	put_column(w, &z, MEM_COL_KIND, v, n, 0, one_kind ? 0 : kind_max);
	mem_segw_elem(w, MEM_SEC_ZONE, &z, sizeof z);
	w->nzone = 0;
}

/* ---- reading ---------------------------------------------------------- */

static bool
load_column(struct mem_cols *c, struct mem_seg *s, enum mem_col col, size_t before)
{
	uint8_t width = c->z.width[col];
	size_t bytes = before + (size_t)width * c->n;
	if (width > 8 || (width & (width - 1)) != 0)
		return mem_seg_damaged(s, "width of a column") != NULL;
	c->col[col] = NULL;
	if (bytes == 0)
		return true;
	size_t room;
	const uint8_t *p = mem_seg_look(s, (enum mem_sec)(MEM_SEC_ORD + col), c->z.at[col], &room);
	if (p == NULL || room < bytes)
		return p != NULL && mem_seg_damaged(s, "address") != NULL;
	c->col[col] = p + before;
	return before == 0 || mem_seg_verify(s, (enum mem_sec)(MEM_SEC_ORD + col), c->z.at[col], before);
}

/* Bytes before the values of a column. */
static size_t
size_of_dictionary(const struct mem_zone *z, int col)
{
	return col == MEM_COL_SESS ? z->sessions * sizeof(uint32_t) : 0;
}

bool
mem_cols_verify(const struct mem_cols *c, struct mem_seg *s, unsigned which, uint32_t i, uint32_t n)
{
	for (; which != 0; which &= which - 1) {
		int col = __builtin_ctz(which);
		uint64_t width = c->z.width[col], at = c->z.at[col] + size_of_dictionary(&c->z, col) + width * i;
		if (width > 0 && !mem_seg_verify(s, (enum mem_sec)(MEM_SEC_ORD + col), at, width * n))
			return false;
	}
	return true;
}

bool
mem_cols_load(struct mem_cols *c, struct mem_seg *s, uint32_t zone, unsigned which)
{
	if (!mem_cols_reach(c, s, zone, which))
		return false;
	bool sound = mem_cols_verify(c, s, which, 0, c->n);
	if (!sound)
		c->zone = UINT32_MAX;
	return sound;
}

bool
mem_cols_reach_doc(struct mem_cols *c, struct mem_seg *s, uint32_t doc, unsigned which)
{
	uint32_t zone = doc / MEM_ZONE_DOCS;
	return (c->zone == zone || mem_cols_reach(c, s, zone, which)) && mem_cols_verify(c, s, which, doc - c->first, 1);
}

bool
mem_cols_reach(struct mem_cols *c, struct mem_seg *s, uint32_t zone, unsigned which)
{
	const uint8_t *p = mem_seg_elem(s, MEM_SEC_ZONE, zone);
	c->zone = UINT32_MAX;
	if (p == NULL)
		return false;
	memcpy(&c->z, p, sizeof c->z);
	c->first = zone * MEM_ZONE_DOCS;
	c->n = s->m.docs - c->first < MEM_ZONE_DOCS ? s->m.docs - c->first : MEM_ZONE_DOCS;
	if (c->z.sessions == 0 || c->z.sessions > MEM_ZONE_DOCS)
		return mem_seg_damaged(s, "sessions of a zone") != NULL;
	for (int col = 0; col < MEM_COL_COUNT; col++)
		if ((which >> col & 1) != 0 && !load_column(c, s, (enum mem_col)col, size_of_dictionary(&c->z, col)))
			return false;
	if ((which >> MEM_COL_SESS & 1) != 0)
		c->sessions = c->col[MEM_COL_SESS] - size_of_dictionary(&c->z, MEM_COL_SESS);
	c->zone = zone;
	return true;
}

uint32_t
mem_cols_ord(const struct mem_cols *c, uint32_t i)
{
	return c->z.ord_min
	    + (uint32_t)mem_col_value(c->col[MEM_COL_ORD], c->z.width[MEM_COL_ORD], i);
}

int64_t
mem_cols_time(const struct mem_cols *c, uint32_t i)
{
	return (int64_t)((uint64_t)c->z.time_min
	    + mem_col_value(c->col[MEM_COL_TIME], c->z.width[MEM_COL_TIME], i));
}

uint32_t
mem_cols_session(const struct mem_cols *c, uint32_t i)
{
	uint64_t at = mem_col_value(c->col[MEM_COL_SESS], c->z.width[MEM_COL_SESS], i);
	return at < c->z.sessions ? mem_ld32(c->sessions + 4 * at) : 0;
}

static uint16_t
get_kind_and_role(const struct mem_cols *c, uint32_t i)
{
	uint8_t w = c->z.width[MEM_COL_KIND];
	return w == 0 ? c->z.kind : (uint16_t)mem_col_value(c->col[MEM_COL_KIND], w, i);
}

uint16_t
mem_cols_kind(const struct mem_cols *c, uint32_t i)
{
	return get_kind_and_role(c, i) >> 3;
}

uint8_t
mem_cols_role(const struct mem_cols *c, uint32_t i)
{
	return get_kind_and_role(c, i) & 7;
}
