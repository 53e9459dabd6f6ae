/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of old rows of log and audit.
 *
 * A row is some 60 bytes when it stands alone, most of which its neighbours hold, too.  In a block each field is a column,
 * words are numbers of a list, and an id stands once.  What is left are the random bits of ids, which no compression
 * makes smaller; so there is no other than that.
 *
 *   form (1 byte, 1), number of rows
 *   number of words; of each its length, then its bytes
 *   columns of a number for each row: seq less the seq before and 1; time less the time before; namespace; kind; id: 0 a
 *     new one, 1 a new one whose first half is told by a difference, else how many new ones ago it came, and 1; four words
 *   a column for each id of which the column of ids says 1: its first half less that of the last one
 *   of each new id 16 bytes, or its second half
 *
 * A number is in groups of seven bits, the lowest first, with the eighth bit set in all but the last byte; a difference
 * that may be negative has its sign in the lowest bit.  A column is in runs: a number that is even says how many values
 * follow (half of it), one that is odd how often the one value that follows stands there.
 */
#include <stdlib.h>
#include <string.h>

#include "store/row_pack.h"
#include "store/store_int.h"

enum { BLOCK_FORM = 1, RUN_MIN = 3, UUID_BY_TIME = 7 };
enum { ID_WHOLE, ID_BY_TIME, ID_BEFORE };
enum column { COL_SEQ, COL_AT, COL_NS, COL_KIND, COL_ID, COL_WORDS, COL_COUNT = COL_WORDS + STORE_ROW_WORDS };

static uint64_t
fold_sign(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)-(int64_t)(difference >> 63);
}

static uint64_t
unfold_sign(uint64_t folded)
{
	return folded >> 1 ^ (uint64_t)-(int64_t)(folded & 1);
}

/* ---- making ------------------------------------------------------------- */

static void
put_block_number(struct mem_buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		mem_buf_putc(out, (char)(v | 0x80));
	mem_buf_putc(out, (char)v);
}

static size_t
run_length(const uint64_t *v, size_t n)
{
	size_t k = 1;
	while (k < n && v[k] == v[0])
		k++;
	return k;
}

static void
put_block_column(struct mem_buf *out, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t run = run_length(v + i, n - i), k = 0;
		if (run >= RUN_MIN) {
			put_block_number(out, (uint64_t)run << 1 | 1);
			put_block_number(out, v[i]);
			i += run;
			continue;
		}
		while (i + k < n && (run = run_length(v + i + k, n - i - k)) < RUN_MIN)
			k += run;
		put_block_number(out, (uint64_t)k << 1);
		for (; k > 0; k--)
			put_block_number(out, v[i++]);
	}
}

/* What was met, in that order.  Whoever chooses words or ids so that they collide makes one block slow. */
struct met_list {
	enum { PLACES = 4 * STORE_BLOCK_ROWS_MAX * STORE_ROW_WORDS } places_max; /* a power of two */
	uint16_t place[PLACES];   /* in `met`, and 1; 0: free */
	struct mem_str met[STORE_BLOCK_ROWS_MAX * STORE_ROW_WORDS];
	size_t n;
};

/* Its number in the list; *fresh: it was not there. */
static size_t
meet_bytes(struct met_list *l, struct mem_str s, bool *fresh)
{
	size_t at = mem_hash_fast(s.p, s.n) & (PLACES - 1);
	while (l->place[at] != 0 && !mem_str_eq(l->met[l->place[at] - 1], s))
		at = (at + 1) & (PLACES - 1);
	*fresh = l->place[at] == 0;
	if (*fresh) {
		l->met[l->n++] = s;
		l->place[at] = (uint16_t)l->n;
	}
	return l->place[at] - 1U;
}

static uint64_t
id_half(const struct mem_id *id)
{
	return mem_be64_get(id->b);
}

static bool
is_id_by_time(const struct mem_id *id)
{
	return id->b[6] >> 4 == UUID_BY_TIME;
}

/* The column of ids; halves get the first halves of those that are by time, tails all else of new ids. */
static void
gather_ids(const struct store_row *rows, size_t n, uint64_t *column, uint64_t *halves, size_t *nhalves, struct mem_buf *tails)
{
	struct met_list *met = mem_xcalloc(1, sizeof *met);
	uint64_t before = 0;
	*nhalves = 0;
	for (size_t i = 0; i < n; i++) {
		const struct mem_id *id = &rows[i].id;
		bool fresh, by_time = is_id_by_time(id);
		size_t number = meet_bytes(met, (struct mem_str){ (const char *)id->b, sizeof id->b }, &fresh);
		column[i] = !fresh ? ID_BEFORE + (met->n - 1 - number) : by_time ? ID_BY_TIME : ID_WHOLE;
		if (!fresh)
			continue;
		if (by_time) {
			halves[(*nhalves)++] = fold_sign(id_half(id) - before);
			before = id_half(id);
		}
		mem_buf_put(tails, id->b + (by_time ? 8 : 0), by_time ? 8 : 16);
	}
	free(met);
}

static void
gather_words(const struct store_row *rows, size_t n, uint64_t *columns, size_t stride, struct mem_buf *out)
{
	struct met_list *met = mem_xcalloc(1, sizeof *met);
	bool fresh;
	for (size_t k = 0; k < STORE_ROW_WORDS; k++)
		for (size_t i = 0; i < n; i++)
			columns[k * stride + i] = meet_bytes(met, rows[i].words[k], &fresh);
	put_block_number(out, met->n);
	for (size_t i = 0; i < met->n; i++) {
		put_block_number(out, met->met[i].n);
		mem_buf_str(out, met->met[i]);
	}
	free(met);
}

void
store_block_make(struct mem_buf *out, const struct store_row *rows, size_t n)
{
	uint64_t *v = mem_xcalloc(n * (COL_COUNT + 1), sizeof *v), *halves = v + n * COL_COUNT;
	struct mem_buf tails = { 0 };
	size_t nhalves;
	for (size_t i = 0; i < n; i++) {
		const struct store_row *r = &rows[i];
		v[COL_SEQ * n + i] = r->seq - (i > 0 ? r[-1].seq : 0) - 1;
		v[COL_AT * n + i] = fold_sign((uint64_t)r->at - (i > 0 ? (uint64_t)r[-1].at : 0));
		v[COL_NS * n + i] = r->ns;
		v[COL_KIND * n + i] = r->kind;
	}
	gather_ids(rows, n, v + COL_ID * n, halves, &nhalves, &tails);
	mem_buf_putc(out, BLOCK_FORM);
	put_block_number(out, n);
	gather_words(rows, n, v + COL_WORDS * n, n, out);
	for (size_t c = 0; c < COL_COUNT; c++)
		put_block_column(out, v + c * n, n);
	put_block_column(out, halves, nhalves);
	mem_buf_str(out, mem_buf_span(&tails));
	mem_buf_release(&tails);
	free(v);
}

/* ---- reading ------------------------------------------------------------ */

struct block_bytes {
	const char *p, *end;
};

static bool
take_block_number(struct block_bytes *b, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; b->p < b->end && shift < 64; shift += 7) {
		uint64_t c = (uint8_t)*b->p++;
		if (shift == 63 && c > 1)
			return false;
		*v |= (c & 0x7f) << shift;
		if (c < 0x80)
			return true;
	}
	return false;
}

static bool
take_block_bytes(struct block_bytes *b, size_t n, const char **p)
{
	if ((size_t)(b->end - b->p) < n)
		return false;
	*p = b->p;
	b->p += n;
	return true;
}

static bool
take_block_column(struct block_bytes *b, uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint64_t head, value;
		if (!take_block_number(b, &head) || head >> 1 == 0 || head >> 1 > n - i)
			return false;
		bool run = (head & 1) != 0;
		if (run && !take_block_number(b, &value))
			return false;
		for (size_t end = i + (size_t)(head >> 1); i < end; i++)
			if (run)
				v[i] = value;
			else if (!take_block_number(b, &v[i]))
				return false;
	}
	return true;
}

static bool
take_block_words(struct block_bytes *in, struct store_block *b, size_t n, size_t *nwords)
{
	uint64_t count, length;
	if (!take_block_number(in, &count) || count > n * STORE_ROW_WORDS)
		return false;
	*nwords = (size_t)count;
	b->words = mem_grow(b->words, &b->words_cap, *nwords + 1, sizeof *b->words);
	for (size_t i = 0; i < *nwords; i++) {
		if (!take_block_number(in, &length) || length > SIZE_MAX || !take_block_bytes(in, (size_t)length, &b->words[i].p))
			return false;
		b->words[i].n = (size_t)length;
	}
	return true;
}

/* The columns of v but that of ids. */
static bool
fill_rows(struct store_block *b, const uint64_t *v, size_t n, size_t nwords)
{
	uint64_t seq = 0, at = 0;
	for (size_t i = 0; i < n; i++) {
		struct store_row *r = &b->rows[i];
		uint64_t step = v[COL_SEQ * n + i], ns = v[COL_NS * n + i], kind = v[COL_KIND * n + i];
		if (step >= UINT64_MAX - seq || ns > UINT32_MAX || kind > UINT16_MAX)
			return false;
		seq += step + 1;
		at += unfold_sign(v[COL_AT * n + i]);
		*r = (struct store_row){ .seq = seq, .at = (int64_t)at, .ns = (uint32_t)ns, .kind = (uint16_t)kind };
		for (size_t k = 0; k < STORE_ROW_WORDS; k++) {
			uint64_t word = v[(COL_WORDS + k) * n + i];
			if (word >= nwords)
				return false;
			r->words[k] = b->words[word];
		}
	}
	return true;
}

/* `ids` has room for n; halves for those that a difference tells. */
static bool
fill_ids(struct store_block *b, struct block_bytes *in, const uint64_t *column, size_t n, uint64_t *halves, struct mem_id *ids)
{
	size_t nhalves = 0, half = 0, met = 0;
	uint64_t before = 0;
	for (size_t i = 0; i < n; i++)
		nhalves += column[i] == ID_BY_TIME;
	if (!take_block_column(in, halves, nhalves))
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *p;
		bool by_time = column[i] == ID_BY_TIME;
		if (column[i] >= ID_BEFORE) {
			if (column[i] - ID_BEFORE >= met)
				return false;
			b->rows[i].id = ids[met - 1 - (column[i] - ID_BEFORE)];
			continue;
		}
		if (!take_block_bytes(in, by_time ? 8 : 16, &p))
			return false;
		if (by_time)
			mem_be64(ids[met].b, before += unfold_sign(halves[half++]));
		memcpy(ids[met].b + (by_time ? 8 : 0), p, by_time ? 8 : 16);
		b->rows[i].id = ids[met++];
	}
	return true;
}

static bool
read_block_rows(struct store_block *b, struct block_bytes *in, size_t n)
{
	uint64_t *v = mem_xcalloc(n * (COL_COUNT + 1), sizeof *v);
	struct mem_id *ids = mem_xcalloc(n, sizeof *ids);
	size_t nwords;
	bool good = take_block_words(in, b, n, &nwords);
	b->rows = mem_grow(b->rows, &b->cap, n, sizeof *b->rows);
	for (size_t c = 0; c < COL_COUNT && good; c++)
		good = take_block_column(in, v + c * n, n);
	good = good && fill_rows(b, v, n, nwords) && fill_ids(b, in, v + COL_ID * n, n, v + COL_COUNT * n, ids) && in->p == in->end;
	free(ids);
	free(v);
	return good;
}

bool
store_block_read(struct store_block *b, struct mem_str value, uint64_t last)
{
	struct block_bytes in = { value.p, value.p + value.n };
	uint64_t form, n;
	b->n = 0;
	if (!take_block_number(&in, &form) || form != BLOCK_FORM || !take_block_number(&in, &n) || n == 0 || n > STORE_BLOCK_ROWS_MAX)
		return false;
	if (!read_block_rows(b, &in, (size_t)n) || b->rows[n - 1].seq != last)
		return false;
	b->n = (size_t)n;
	return true;
}

bool
store_block_may_have(struct mem_str value, const struct mem_id *id)
{
	const size_t half = sizeof id->b / 2;
	return memmem(value.p, value.n, id->b + half, half) != NULL;
}

void
store_block_release(struct store_block *b)
{
	free(b->rows);
	free(b->words);
	*b = (struct store_block){ 0 };
}
