/* SPDX-License-Identifier: Apache-2.0 */
/* What passes a filter by the columns of an index: a row of its tail, or a zone of a segment. */
#include "segment/filter.h"

static bool
has_kind_demand(const struct mem_filter *f)
{
	return !mem_kind_set_empty(&f->kinds) || f->roles != 0;
}

unsigned
mem_filter_columns(const struct mem_filter *f)
{
	if (f == NULL)
		return 0;
	return (has_kind_demand(f) ? 1U << MEM_COL_KIND : 0)
	    | (f->session_number != 0 ? 1U << MEM_COL_SESS : 0)
	    | (f->since != MEM_TIME_NONE || f->until != MEM_TIME_NONE ? 1U << MEM_COL_TIME : 0);
}

/* A number that no set has a bit for comes of damage, which mem-check tells. */
static bool
has_wanted_kind(const struct mem_filter *f, unsigned kind, unsigned role)
{
	return (mem_kind_set_empty(&f->kinds) || mem_kind_set_has(&f->kinds, kind))
	    && (f->roles == 0 || (role < 32 && (f->roles >> role & 1) != 0));
}

static bool
has_wanted_time(const struct mem_filter *f, int64_t at)
{
	return at >= f->since && (f->until == MEM_TIME_NONE || at < f->until);
}

bool
mem_filter_row(const struct mem_filter *f, uint16_t kind, uint8_t role, uint32_t session,
    int64_t captured_at)
{
	return has_wanted_kind(f, kind, role) && has_wanted_time(f, captured_at)
	    && (f->session_number == 0 || f->session_number == session);
}

/* Place of the session among the zone's, or -1. */
static int
find_session_place(const struct mem_cols *c, uint32_t session)
{
	uint32_t lo = 0, n = c->z.sessions;
	while (n > 1) {
		uint32_t half = n / 2;
		if (mem_ld32(c->sessions + 4 * (size_t)(lo + half)) <= session)
			lo += half;
		n -= half;
	}
	return mem_ld32(c->sessions + 4 * (size_t)lo) == session ? (int)lo : -1;
}

static bool
has_unwanted_kind(const struct mem_filter *f, const struct mem_zone *z)
{
	return !mem_kind_set_empty(&f->kinds) && !mem_kind_set_within(&z->kinds, &f->kinds);
}

enum mem_pass
mem_filter_zone(const struct mem_filter *f, const struct mem_cols *c)
{
	const struct mem_zone *z = &c->z;
	enum mem_pass pass = MEM_PASS_ALL;
	if (has_unwanted_kind(f, z))
		pass = mem_kind_set_meets(&z->kinds, &f->kinds) ? MEM_PASS_SOME : MEM_PASS_NONE;
	if (pass != MEM_PASS_NONE && f->roles != 0 && (z->roles & ~f->roles) != 0)
		pass = (z->roles & f->roles) != 0 ? MEM_PASS_SOME : MEM_PASS_NONE;
	if (pass == MEM_PASS_NONE || z->time_max < f->since
	    || (f->until != MEM_TIME_NONE && z->time_min >= f->until))
		return MEM_PASS_NONE;
	if (z->time_min < f->since || (f->until != MEM_TIME_NONE && z->time_max >= f->until))
		pass = MEM_PASS_SOME;
	if (f->session_number != 0) {
		if (find_session_place(c, f->session_number) < 0)
			return MEM_PASS_NONE;
		if (z->sessions > 1)
			pass = MEM_PASS_SOME;
	}
	return pass;
}

bool
mem_filter_doc(const struct mem_filter *f, const struct mem_cols *c, uint32_t i)
{
	return (!has_kind_demand(f) || has_wanted_kind(f, mem_cols_kind(c, i), mem_cols_role(c, i)))
	    && (f->session_number == 0 || mem_cols_session(c, i) == f->session_number)
	    && ((f->since == MEM_TIME_NONE && f->until == MEM_TIME_NONE)
	    || has_wanted_time(f, mem_cols_time(c, i)));
}

typedef uint8_t v16b __attribute__((vector_size(16)));
typedef char v16c __attribute__((vector_size(16)));

/* The lowest bit of each of 16 bytes that are 0 or 255. */
static inline uint64_t
pack_byte_bits(v16b v)
{
#ifdef __SSE2__
	return (uint64_t)(unsigned)__builtin_ia32_pmovmskb128((v16c)v);
#else
	uint64_t half[2];
	v &= 1;
	memcpy(half, &v, sizeof half);
	return half[0] * 0x0102040810204080U >> 56 | (half[1] * 0x0102040810204080U >> 56) << 8;
#endif
}

/* Bits of the bytes that equal one of `values`, one at least; for up to n documents. */
static void
set_equal_byte_bits(const uint8_t *p, size_t n, const uint8_t *values, size_t nvalues, uint64_t *bits)
{
	v16b want[256];
	size_t i = 0;
	for (size_t k = 0; k < nvalues; k++)
		want[k] = (v16b){ 0 } + values[k];
	for (; i + 16 <= n; i += 16) {
		v16b v;
		memcpy(&v, p + i, sizeof v);
		v16b hit = (v16b)(v == want[0]);
		for (size_t k = 1; k < nvalues; k++)
			hit |= (v16b)(v == want[k]);
		bits[i / 64] |= pack_byte_bits(hit) << (i % 64);
	}
	for (; i < n; i++)
		for (size_t k = 0; k < nvalues; k++)
			bits[i / 64] |= (uint64_t)(p[i] == values[k]) << (i % 64);
}

static void
set_kind_bits(const struct mem_filter *f, const struct mem_cols *c, uint64_t *bits)
{
	uint8_t values[256];
	size_t n = 0;
	if (c->z.width[MEM_COL_KIND] > 1) { /* a kind from 32 on is in the zone */
		for (uint32_t i = 0; i < c->n; i++)
			bits[i / 64] |= (uint64_t)has_wanted_kind(f, mem_cols_kind(c, i), mem_cols_role(c, i)) << (i % 64);
		return;
	}
	for (unsigned v = 0; v < 256; v++)
		if (mem_kind_set_has(&c->z.kinds, v >> 3) && (c->z.roles >> (v & 7) & 1) != 0
		    && has_wanted_kind(f, v >> 3, v & 7))
			values[n++] = (uint8_t)v;
	if (n > 0)
		set_equal_byte_bits(c->col[MEM_COL_KIND], c->n, values, n, bits);
}

static void
set_session_bits(const struct mem_filter *f, const struct mem_cols *c, uint64_t *bits)
{
	int place = find_session_place(c, f->session_number);
	const uint8_t *p = c->col[MEM_COL_SESS];
	if (place < 0)
		return;
	if (c->z.width[MEM_COL_SESS] == 1) {
		set_equal_byte_bits(p, c->n, &(uint8_t){ (uint8_t)place }, 1, bits);
		return;
	}
	for (size_t i = 0; i < c->n; i++)
		bits[i / 64] |= (uint64_t)(mem_col_value(p, c->z.width[MEM_COL_SESS], i)
		    == (uint64_t)place) << (i % 64);
}

static void
set_time_bits(const struct mem_filter *f, const struct mem_cols *c, uint64_t *bits)
{
	for (uint32_t i = 0; i < c->n; i++)
		bits[i / 64] |= (uint64_t)has_wanted_time(f, mem_cols_time(c, i)) << (i % 64);
}

static void
and_column_bits(uint64_t *bits, const struct mem_filter *f, const struct mem_cols *c,
    void (*set_bits)(const struct mem_filter *, const struct mem_cols *, uint64_t *))
{
	uint64_t more[MEM_ZONE_DOCS / 64] = { 0 };
	set_bits(f, c, more);
	for (size_t i = 0; i < MEM_ZONE_DOCS / 64; i++)
		bits[i] &= more[i];
}

void
mem_filter_bits(const struct mem_filter *f, const struct mem_cols *c,
    uint64_t bits[MEM_ZONE_DOCS / 64])
{
	memset(bits, 255, MEM_ZONE_DOCS / 8);
	for (uint32_t i = c->n; i < MEM_ZONE_DOCS; i++)
		bits[i / 64] &= ~((uint64_t)1 << (i % 64));
	/* Where all kinds and roles of the zone pass there is nothing to look at.  A column of
	 * width 0 has one value, which mem_filter_zone has let pass. */
	bool mixed = has_unwanted_kind(f, &c->z)
	    || (f->roles != 0 && (c->z.roles & ~f->roles) != 0);
	if (mixed && c->z.width[MEM_COL_KIND] > 0)
		and_column_bits(bits, f, c, set_kind_bits);
	if (f->session_number != 0 && c->z.width[MEM_COL_SESS] > 0)
		and_column_bits(bits, f, c, set_session_bits);
	if (f->since != MEM_TIME_NONE || f->until != MEM_TIME_NONE)
		and_column_bits(bits, f, c, set_time_bits);
}
