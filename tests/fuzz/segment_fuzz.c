/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged index values: a sound small segment is made, the input changes bytes of its parts, and
 * everything that a search reads of it is read.  It must end in an answer or MEM_FAIL.
 *
 *   first byte 0      the rest is a value of the tail
 *   first byte 1      the rest is a packed block, then a run
 *   else              edits of four bytes: part u8, offset u16, value u8; then a search
 */
#include <stdlib.h>
#include <string.h>

#include "segment/segment_write.h"
#include "segment_sums.h"
#include "vectors/vectors.h"
#include "words/words_int.h"
#include "write/tidy.h"
#include "store/node.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DOCS = 5000, TERMS = 40, PARTS = 24 };

static struct {
	struct mem_segment_part parts[PARTS];
	size_t n;
	struct mem_manifest m;
} sound;

/* A store in which every document that is asked for stands. */
enum mem_status
mem_attr_at(struct mem_txn *t, uint32_t ord, const struct mem_attr **out, struct mem_err *err)
{
	static struct mem_attr attr;
	(void)t;
	(void)err;
	mem_be32(attr.id.b, ord);
	*out = &attr;
	return MEM_OK;
}

static uint64_t
term_of(uint32_t i)
{
	return (uint64_t)(i + 1) * 0x9e3779b97f4a7c15U;
}

static int
by_term(const void *a, const void *b)
{
	uint64_t x = mem_ld64(a), y = mem_ld64(b);
	return x < y ? -1 : x > y;
}

/* Term i stands in every (i² + 1)th document, so that all forms of lists come up. */
static void
make_sound(void)
{
	static struct mem_segw w;
	struct mem_err err;
	uint64_t terms[TERMS];
	mem_segw_init(&w, 0);
	for (uint32_t d = 0; d < DOCS; d++) {
		struct mem_segment_doc row = { .captured_at = d * 60000, .ord = 2 * d, .ns = 1 + d / 4000,
			.length = 1 + d % 300, .session = d / 40, .kind = (uint16_t)(d % 97 == 0 ? 40 : 1 + d % 2), .role = d % 4,
			.rises = true };
		mem_be32(row.id_min.b, 2 * d);
		row.id_max = row.id_min;
		mem_segw_doc(&w, &row);
	}
	mem_segw_docs_end(&w);
	for (uint32_t i = 0; i < TERMS; i++)
		terms[i] = term_of(i);
	qsort(terms, TERMS, sizeof *terms, by_term);
	for (uint32_t k = 0; k < TERMS; k++) {
		uint32_t i = 0;
		while (term_of(i) != terms[k])
			i++;
		mem_segw_term(&w, terms[k], (DOCS - 1) / (i * i + 1) + 1);
		for (uint32_t d = 0; d < DOCS; d += i * i + 1)
			mem_segw_post(&w, &d, &(uint32_t){ 1 + d % 3 * (i % 2) }, 1);
	}
	if (mem_segw_finish(&w, &err) != MEM_OK || w.ndone > PARTS)
		abort();
	memcpy(sound.parts, w.done, w.ndone * sizeof *w.done);
	sound.n = w.ndone;
	sound.m = w.m;
}

struct copy {
	uint8_t *data[PARTS];
};

static enum mem_status
get_part(void *ctx, uint32_t segment, enum mem_sec sec, uint32_t part, struct mem_str *value,
    struct mem_err *err)
{
	struct copy *c = ctx;
	(void)segment;
	(void)err;
	for (size_t i = 0; i < sound.n; i++)
		if (sound.parts[i].sec == sec && sound.parts[i].part == part) {
			*value = (struct mem_str){ (const char *)c->data[i], sound.parts[i].n };
			return MEM_OK;
		}
	return MEM_NOTFOUND;
}

static void
read_lists(struct mem_seg *s)
{
	struct mem_postings l = { 0 };
	uint64_t ref;
	for (uint32_t i = 0; i < TERMS && s->status == MEM_OK; i++) {
		if (!mem_seg_find(s, term_of(i), &ref) || !mem_postings_open(&l, s, ref, i % 2 == 0))
			continue;
		mem_postings_rank(&l, i * 100);
		for (uint32_t b = 0; b < l.nblocks; b++)
			if (!mem_postings_load(&l, b) || !mem_postings_tfs(&l))
				break;
	}
	mem_postings_release(&l);
}

static void
read_columns(struct mem_seg *s, const struct mem_filter *f)
{
	struct mem_cols c;
	uint64_t bits[MEM_ZONE_DOCS / 64], sum = 0;
	uint32_t lo, hi;
	for (uint32_t ns = 0; ns < 4; ns++)
		if (!mem_seg_range(s, ns, &lo, &hi))
			return;
	for (uint32_t z = 0; z * MEM_ZONE_DOCS < DOCS; z++) {
		if (!mem_cols_load(&c, s, z, MEM_COLS_ALL))
			return;
		if (mem_filter_zone(f, &c) == MEM_PASS_SOME)
			mem_filter_bits(f, &c, bits);
		for (uint32_t i = 0; i < c.n; i += 7)
			sum += mem_cols_ord(&c, i) + (uint64_t)mem_cols_time(&c, i)
			    + mem_cols_length(&c, i) + mem_filter_doc(f, &c, i);
	}
	if (sum == 42) /* so that it is not thought idle */
		abort();
}

static void
search(struct mem_seg *seg, const uint8_t *pick, bool must, bool filter)
{
	struct mem_search_clause cs[3];
	struct words_clause clauses[3];
	uint64_t refs[3];
	struct mem_doc_span spans[] = { { 0, 1000 }, { 1500, DOCS } };
	struct mem_err err;
	struct mem_filter f = MEM_FILTER_INIT;
	struct mem_search_query q = { .filter = &f };
	if (filter) {
		f.session_number = 1 + pick[0] % 100U;
		f.kinds.w[0] = 2;
		f.since = 1000000;
	}
	struct words_search *s = calloc(1, sizeof *s);
	struct mem_search_hit *hits = NULL;
	size_t n;
	if (s == NULL)
		abort();
	s->q = &q;
	s->n = 3;
	s->clauses = clauses;
	s->err = &err;
	words_bm25_init(&s->bm25, DOCS, DOCS * 50);
	s->filter = filter ? &f : NULL;
	for (size_t i = 0; i < 3; i++) {
		bool bare = must && i == 0 && pick[0] >= 128;
		cs[i] = (struct mem_search_clause){ .hash = term_of(pick[i] % TERMS), .scored = !bare,
			.occur = must && i == 0 ? MEM_MUST : i == 2 && must ? MEM_MUST_NOT : MEM_SHOULD };
		clauses[i] = (struct words_clause){ .c = &cs[i], .brings = !bare && cs[i].occur != MEM_MUST_NOT, .df = 100,
			.top = bare ? 0 : 1.5 - .25 * (double)i };
		if (!mem_seg_find(seg, cs[i].hash, &refs[i]))
			refs[i] = UINT64_MAX;
	}
	s->topk.limit = 5;
	s->topk.err = &err;
	struct mem_search_seg g = { .seg = *seg, .spans = spans, .nspans = 2, .refs = refs };
	struct words_eval *e = words_eval_new(s);
	if (seg->status == MEM_OK && words_eval_segment(e, &g) == MEM_OK)
		mem_topk_finish(&s->topk, 5, &hits, &n);
	words_eval_free(e);
	free(hits);
	free(s->topk.v);
	free(s);
}

static void
renew_sums(struct copy *c)
{
	size_t sums = 0;
	while (sound.parts[sums].sec != MEM_SEC_SUM)
		sums++;
	for (size_t i = 0; i < sound.n; i++)
		if (i != sums)
			put_unit_sums(c->data[sums], sound.parts[sums].n, &sound.m, sound.parts[i].sec, sound.parts[i].part, c->data[i],
			    sound.parts[i].n);
}

static void
try_segment(const uint8_t *data, size_t size)
{
	struct copy c;
	struct mem_seg s;
	struct mem_err err;
	struct mem_filter f = { .kinds = { { 2 } }, .roles = 5, .session_number = 3, .since = 5, .until = 200000000, .past = MEM_FILTER_PAST_INIT };
	if (sound.n == 0)
		make_sound();
	for (size_t i = 0; i < sound.n; i++) {
		c.data[i] = malloc(sound.parts[i].n);
		if (c.data[i] == NULL)
			abort();
		memcpy(c.data[i], sound.parts[i].data, sound.parts[i].n);
	}
	struct mem_manifest m = sound.m;
	for (size_t i = 4; i + 4 <= size && i < 400; i += 4) {
		size_t part = data[i] % (sound.n + 1), at = mem_ld16(data + i + 1);
		if (part < sound.n)
			c.data[part][at % sound.parts[part].n] = data[i + 3];
		else
			((uint8_t *)&m)[at % offsetof(struct mem_manifest, checksum)] = data[i + 3];
	}
	if ((data[0] & 8) == 0)
		renew_sums(&c);
	m.checksum = mem_hash_fast(&m, offsetof(struct mem_manifest, checksum));
	struct mem_str manifest = { (const char *)&m, sizeof m };
	if (mem_seg_open(&s, 1, manifest, get_part, &c, &err) == MEM_OK && s.m.docs == DOCS) {
		search(&s, data + 1, (data[0] & 2) != 0, (data[0] & 4) != 0);
		read_lists(&s);
		read_columns(&s, &f);
	}
	mem_seg_close(&s);
	for (size_t i = 0; i < sound.n; i++)
		free(c.data[i]);
}

/* Gives a value of the right shape checksums that agree.  False: it has another shape. */
static bool
seal_row(struct words_tail_batch *b, uint8_t *value, struct mem_str whole)
{
	struct words_tail_row row;
	struct words_tail_head head;
	struct mem_err err;
	const uint8_t key[4] = { 0 };
	if (whole.n < sizeof head || b->docs == NULL)
		return false;
	words_tail_first(b, &row);
	do {
		row.doc.rest = words_tail_rest_sum(&row);
		memcpy(value + sizeof head + row.i * sizeof row.doc, &row.doc, sizeof row.doc);
	} while (words_tail_next(b, &row));
	memcpy(&head, value, sizeof head);
	head.sum = words_tail_sum(b->docs, head.docs, b->terms);
	memcpy(value, &head, sizeof head);
	return words_tail_parse_all(b, mem_key(key, 4), whole, &err) == MEM_OK;
}

static void
try_row(const uint8_t *data, size_t size)
{
	struct words_tail_batch b = { .docs = NULL };
	struct words_tail_row row;
	struct mem_err err;
	const uint8_t key[4] = { 0 };
	uint8_t *copy = mem_xmalloc(size); /* in an exact allocation */
	struct mem_str value = { (const char *)copy, size };
	bool sound_rest = true;
	memcpy(copy, data, size);
	if (words_tail_parse(&b, mem_key(key, 4), value, &err) == MEM_OK || seal_row(&b, copy, value)) {
		words_tail_first(&b, &row);
		do {
			for (uint32_t i = 0; i < row.doc.terms; i++)
				words_tail_find(&row, words_tail_term(&row, i) + (i & 1), &sound_rest);
			words_tail_find(&row, UINT64_MAX, &sound_rest);
		} while (words_tail_next(&b, &row));
	}
	free(copy);
}

static void
try_codec(const uint8_t *data, size_t size)
{
	uint32_t docs[MEM_BLOCK], tfs[MEM_BLOCK];
	if (mem_block_docs(data, size, 7, docs) && !mem_block_tfs(data, size, tfs))
		abort(); /* they ask the same of its size */
	for (size_t n = 1; n <= MEM_BLOCK; n *= 2)
		if (mem_run_unpack(data, size, n, 7, docs, tfs) > size)
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 4)
		return 0;
	if (data[0] == 0)
		try_row(data + 1, size - 1);
	else if (data[0] == 1)
		try_codec(data + 1, size - 1);
	else
		try_segment(data, size);
	return 0;
}
