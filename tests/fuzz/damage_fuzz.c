/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store's segment whose bytes were changed, with checksums that agree, is searched in every way there is and
 * taken apart into its documents: damage is told or gives wrong results, but touches no memory that is not its own, and
 * it ends.  The first byte chooses the segment, every further four change one byte of it: section
 * (0 to 9; 10: the manifest), offset u16, value.
 */
#include "fuzz_store.h"

#include <string.h>

#include "segment/segment_write.h"
#include "segment_sums.h"
#include "vectors/vectors.h"
#include "words/words_int.h"
#include "write/tidy.h"
#include "store/node.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MODELS = 3, TERMS = 24, MANIFEST = MEM_SEC_CODE };

static const uint32_t model_docs[MODELS] = { 3, 700, MEM_ZONE_DOCS + 300 };
static struct mem_segw models[MODELS];
static struct mem_store *store;

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

/* Term i stands in every (i * i / 2 + 1)th document: lists, runs and single ones. */
static uint32_t
step_of(uint32_t term)
{
	return term * term / 2 + 1;
}

static void
make_model(struct mem_segw *w, uint32_t docs)
{
	struct mem_err err;
	mem_segw_init(w, 0);
	for (uint32_t i = 0; i < docs; i++) {
		struct mem_segment_doc row = { .captured_at = 1700000000000 + i * 77, .ord = 2 * i + 1, .ns = 1 + i * 3 / docs,
			.length = 1 + (uint32_t)(mix(i) % 300), .session = i % 7 == 0 ? 0 : (uint32_t)mix(i % 50),
			.kind = (uint16_t)(1 + i % 2), .role = i % 4, .rises = true };
		mem_be64(row.id_min.b, i);
		row.id_max = row.id_min;
		mem_segw_doc(w, &row);
	}
	mem_segw_docs_end(w);
	for (uint32_t term = 0; term < TERMS; term++) {
		uint32_t step = step_of(term), df = (docs + step - 1) / step;
		mem_segw_term(w, (uint64_t)term << 58 | 5, df);
		for (uint32_t d = 0; d < docs; d += step) {
			uint32_t tf = 1 + (uint32_t)(mix(d + term) % (term % 3 == 0 ? 300 : 2));
			mem_segw_post(w, &d, &tf, 1);
		}
	}
	MUST(mem_segw_finish(w, &err) == MEM_OK && w->ndone <= MANIFEST + 1);
}

/* What ids and their order are looked up in. */
static enum mem_status
put_attrs(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	(void)ctx;
	for (uint32_t ord = 0; ord < 2 * model_docs[MODELS - 1] && st == MEM_OK; ord++) {
		struct mem_attr attr = { .ns = 1, .kind = 1, .role = 1, .captured_at = 1700000000000 };
		uint8_t key[4];
		mem_be32(key, ord);
		mem_be64(attr.id.b, ord / 2);
		st = mem_tab_put(t, MEM_T_ATTR, mem_key(key, 4), (struct mem_str){ (const char *)&attr, sizeof attr }, err);
	}
	return st;
}

static void
begin(void)
{
	static char path[100];
	struct mem_err err;
	fuzz_dir_make();
	fuzz_store_init("s", path, sizeof path);
	struct mem_store_options ask = fuzz_store_ask(path);
	MUST(mem_store_open(&store, &ask, &err) == MEM_OK);
	MUST(mem_store_write(store, put_attrs, NULL, &err) == MEM_OK);
	for (int i = 0; i < MODELS; i++)
		make_model(&models[i], model_docs[i]);
}

/* ---- a damaged copy ---------------------------------------------------- */

struct copy {
	struct mem_manifest m;
	struct { uint8_t *data; size_t n; } part[MEM_SEC_COUNT]; /* in exact allocations */
};

static void
copy_make(struct copy *c, const uint8_t *data, size_t size)
{
	const struct mem_segw *w = &models[data[0] % MODELS];
	memset(c, 0, sizeof *c);
	c->m = w->m;
	for (size_t i = 0; i < w->ndone; i++) {
		const struct mem_segment_part *p = &w->done[i];
		c->part[p->sec].data = mem_xmalloc(p->n);
		c->part[p->sec].n = p->n;
		memcpy(c->part[p->sec].data, p->data, p->n);
	}
	for (size_t at = 1; at + 4 <= size; at += 4) {
		unsigned sec = data[at] % (MANIFEST + 1);
		size_t offset = data[at + 1] | (size_t)data[at + 2] << 8;
		uint8_t *p = sec == MANIFEST ? (uint8_t *)&c->m : c->part[sec].data;
		size_t n = sec == MANIFEST ? sizeof c->m : c->part[sec].n;
		if (p != NULL)
			p[offset % n] = data[at + 3];
	}
	for (int sec = 0; sec < MEM_SEC_CODE; sec++) {
		if (c->part[sec].n > 0)
			put_unit_sums(c->part[MEM_SEC_SUM].data, c->part[MEM_SEC_SUM].n, &w->m, (enum mem_sec)sec, 0, c->part[sec].data, c->part[sec].n);
	}
	c->m.checksum = mem_hash_fast(&c->m, offsetof(struct mem_manifest, checksum));
}

/* ---- searching --------------------------------------------------------- */

static bool
admit(void *ctx, uint32_t ord)
{
	(void)ctx;
	return ord % 5 != 0;
}

static bool
see_doc(void *ctx, const struct mem_words_doc *doc)
{
	uint64_t *sum = ctx;
	for (size_t i = 0; i < doc->nterms; i++)
		*sum += doc->terms[i].hash ^ doc->terms[i].tf;
	return true;
}

static void
search(struct mem_txn *t, unsigned form)
{
	struct mem_search_clause clauses[4] = { { .scored = true, .weight = 1 }, { .scored = true, .weight = 2 }, { .scored = true, .weight = 1 } };
	struct mem_ns ns[2] = { { .number = 1, .nodes = 200, .length = 9000 }, { .number = 3, .nodes = 200, .length = 9000 } };
	struct mem_filter f = MEM_FILTER_INIT;
	struct mem_search_query q = { .clauses = clauses, .nclauses = MEM_COUNT(clauses), .ns = ns, .nns = 1 + form % 2,
		.filter = &f, .min_score = -1e9, .limit = form % 3 == 0 ? SIZE_MAX : 10 };
	struct mem_search_hit *hits;
	struct mem_err err;
	size_t n;
	for (uint32_t i = 0; i < MEM_COUNT(clauses); i++)
		clauses[i].hash = (uint64_t)((form + i * i) % TERMS) << 58 | 5;
	clauses[1].occur = form % 4 == 1 ? MEM_MUST : MEM_SHOULD;
	clauses[3].occur = form % 5 == 1 ? MEM_MUST_NOT : MEM_SHOULD;
	if (form % 2 == 1)
		q.admit = admit;
	if (form % 7 == 2) {
		f.roles = 6;
		f.session_number = (uint32_t)mix(3);
	}
	if (mem_words_search(t, &q, &hits, &n, &err) == MEM_OK) {
		for (size_t i = 1; i < n; i++)
			MUST(hits[i - 1].score >= hits[i].score);
		free(hits);
	}
}

static enum mem_status
put_and_search(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct copy *c = ctx;
	uint8_t key[8];
	uint64_t sum = 0;
	mem_be32(key, 1);
	MUST(mem_tab_put(t, MEM_T_SEGS, mem_key(key, 4), (struct mem_str){ (const char *)&c->m, sizeof c->m }, err) == MEM_OK);
	for (uint32_t sec = 0; sec < MEM_SEC_COUNT; sec++) {
		mem_be32(key + 4, sec << 24);
		struct mem_str part = { (const char *)c->part[sec].data, c->part[sec].n };
		if (part.n > 0)
			MUST(mem_tab_put(t, MEM_T_SEG, mem_key(key, 8), part, err) == MEM_OK);
	}
	for (unsigned form = 0; form < 12; form++)
		search(t, form);
	if (mem_words_each_doc(t, see_doc, &sum, err) == MEM_OK)
		sum++;
	return mem_err_set(err, MEM_REFUSED, "dropped %llu", (unsigned long long)sum);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct copy c;
	struct mem_err err;
	if (store == NULL)
		begin();
	if (size == 0)
		return 0;
	copy_make(&c, data, size);
	MUST(mem_store_write(store, put_and_search, &c, &err) == MEM_REFUSED);
	for (int sec = 0; sec < MEM_SEC_COUNT; sec++)
		free(c.part[sec].data);
	return 0;
}
