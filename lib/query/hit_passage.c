/* SPDX-License-Identifier: Apache-2.0 */
/* Which passage of a long text answers best: the nearest by vector, else the one that holds the rarest of the query's words. */
#include "query/query_int.h"
#include "query/signal_int.h"
#include "base/order.h"
#include "store/node.h"
#include "text/passages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Characters of a text that has no vectors: from WHOLE on it is divided, into passages of EACH. */
enum { WHOLE = 2000, EACH = 1000 };

struct ranked_word {
	uint64_t hash, df;
	size_t place;           /* in the query */
};

/* Of equally rare ones the query's first: a hash differs from store to store. */
static int
compare_words_by_rarity(const void *a, const void *b)
{
	const struct ranked_word *x = a, *y = b;
	if (x->df != y->df)
		return x->df < y->df ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

void
query_passages_init(struct query_passages *p, const struct mem_search_query *iq, const float *vector, uint32_t dims)
{
	*p = (struct query_passages){ .dims = dims, .nclauses = iq->nclauses, .nns = iq->nns };
	p->clauses = mem_xcalloc(iq->nclauses + 1, sizeof *p->clauses);
	p->ns = mem_xcalloc(iq->nns + 1, sizeof *p->ns);
	if (iq->nclauses > 0)
		memcpy(p->clauses, iq->clauses, iq->nclauses * sizeof *p->clauses);
	if (iq->nns > 0)
		memcpy(p->ns, iq->ns, iq->nns * sizeof *p->ns);
	if (vector != NULL)
		p->vector = memcpy(mem_xmalloc(dims * sizeof *vector), vector, dims * sizeof *vector);
}

void
query_passages_release(struct query_passages *p)
{
	free(p->clauses);
	free(p->ns);
	free(p->vector);
}

static bool
is_ranked(const struct query_passages *p, uint64_t hash)
{
	size_t i = 0;
	while (i < p->nrare && p->rare[i] != hash)
		i++;
	return i < p->nrare;
}

static enum mem_status
rank_query_words(struct query_passages *p, struct mem_txn *t, struct mem_err *err)
{
	if (p->ranked)
		return MEM_OK;
	struct ranked_word *words = mem_xcalloc(p->nclauses + 1, sizeof *words);
	uint64_t *hashes = mem_xcalloc(p->nclauses + 1, sizeof *hashes), *df = mem_xcalloc(p->nclauses + 1, sizeof *df);
	size_t n = 0;
	for (size_t i = 0; i < p->nclauses; i++)
		if (p->clauses[i].scored)
			hashes[n++] = p->clauses[i].hash;
	enum mem_status st = mem_words_df(t, p->ns, p->nns, hashes, n, df, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		words[i] = (struct ranked_word){ hashes[i], df[i], i };
	mem_sort(words, n, sizeof *words, compare_words_by_rarity);
	for (size_t i = 0; i < n && st == MEM_OK && p->nrare < MEM_QUERY_WORDS_MAX; i++)
		if (words[i].df > 0 && !is_ranked(p, words[i].hash))
			p->rare[p->nrare++] = words[i].hash;
	p->ranked = st == MEM_OK;
	free(words);
	free(hashes);
	free(df);
	return st;
}

/* Which of the words stand in the text: the rarest in the highest bit. */
static uint64_t
find_rare_words(const struct query_passages *p, struct mem_index *m, struct mem_str text)
{
	const struct mem_term *terms;
	const uint8_t *secret = mem_store_secret(m->store);
	uint64_t found = 0;
	size_t n;
	mem_analyse(m->analyser, text, &terms, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t hash = mem_term_word(secret, terms[i].text);
		for (size_t k = 0; k < p->nrare; k++)
			if (p->rare[k] == hash)
				found |= UINT64_C(1) << (63 - k);
	}
	return found;
}

/* The best so far, of passages that come in order. */
struct passage_choice {
	uint64_t words;
	struct mem_vectors_span span;
};

static void
offer_passage(struct passage_choice *c, const struct query_passages *p, struct mem_index *m, struct mem_str field,
    struct mem_vectors_span span)
{
	uint64_t words = find_rare_words(p, m, (struct mem_str){ field.p + span.start, span.end - span.start });
	if (c->span.end == 0 || words > c->words)
		*c = (struct passage_choice){ words, span };
}

/* The passages that have vectors. */
static enum mem_status
choose_stored_passage(struct passage_choice *c, const struct query_passages *p, struct mem_index *m, struct mem_txn *t,
    uint32_t ord, const struct mem_rec *node, struct mem_err *err)
{
	struct mem_buf field = { 0 };
	uint32_t decoded = MEM_TEXT_COUNT;
	enum mem_status st = MEM_OK;
	for (uint32_t i = 0; st == MEM_OK && i < MEM_VECTORS_PASSAGES; i++) {
		struct mem_vectors_span span;
		st = mem_vectors_span_get(t, ord, i, &span, err);
		if (st != MEM_OK || span.field >= MEM_TEXT_COUNT)
			break;
		if (span.field != decoded) {
			mem_buf_reset(&field);
			mem_json_decode(&field, mem_rec_value(node, mem_text_field_name((enum mem_text_field)span.field)));
			decoded = span.field;
		}
		if (span.start < span.end && span.end <= field.len)
			offer_passage(c, p, m, mem_buf_span(&field), span);
	}
	mem_buf_release(&field);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* Of a text without vectors, as long as one that would have several. */
static void
choose_divided_passage(struct passage_choice *c, const struct query_passages *p, struct mem_index *m, const struct mem_rec *node)
{
	static const enum mem_text_field fields[] = { MEM_TEXT_CONTENT, MEM_TEXT_STATEMENT, MEM_TEXT_DESCRIPTION };
	const struct mem_passage_options o = { .limit = EACH, .overlap = MEM_PASSAGE_OVERLAP, .measure = mem_measure_characters };
	for (size_t i = 0; i < MEM_COUNT(fields); i++) {
		struct mem_buf field = { 0 };
		struct mem_span *spans = NULL;
		mem_json_decode(&field, mem_rec_value(node, mem_text_field_name(fields[i])));
		size_t n = field.len > WHOLE ? mem_passages_make(&spans, mem_buf_span(&field), &o) : 0;
		for (size_t k = 0; k < n && n > 1; k++)
			offer_passage(c, p, m, mem_buf_span(&field),
			    (struct mem_vectors_span){ (uint32_t)spans[k].start, (uint32_t)spans[k].end, fields[i] });
		free(spans);
		mem_buf_release(&field);
	}
}

enum mem_status
query_choose_passage(struct mem_vectors_span *out, struct query_passages *p, struct mem_index *m, struct mem_txn *t, uint32_t ord,
    const struct mem_rec *node, struct mem_err *err)
{
	struct passage_choice c = { 0 };
	struct mem_vectors_product best;
	struct mem_vectors_model model;
	*out = (struct mem_vectors_span){ 0 };
	enum mem_status st = mem_vectors_span_get(t, ord, 0, out, err);
	bool vectors = st == MEM_OK, several = vectors && out->end > 0;
	*out = (struct mem_vectors_span){ 0 };
	if (st != MEM_NOTFOUND && !several)
		return st;
	if (several && p->vector != NULL) {
		st = mem_vectors_model_get(t, &model, err);
		if (st != MEM_OK || model.dims != p->dims) /* another one since the search: not known */
			return st;
		st = mem_vectors_products(t, p->vector, &ord, 1, &best, err);
		return st == MEM_OK ? mem_vectors_span_get(t, ord, best.passage, out, err) : st;
	}
	if (!several && node->text.n <= WHOLE)
		return MEM_OK;
	st = rank_query_words(p, t, err);
	if (st == MEM_OK && several)
		st = choose_stored_passage(&c, p, m, t, ord, node, err);
	else if (st == MEM_OK)
		choose_divided_passage(&c, p, m, node);
	*out = c.span;
	return st;
}
