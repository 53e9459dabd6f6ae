/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a question, and the speakers that it names. */
#include "query/question_words.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------- */

/* Without the 's of "Ann's". */
static struct mem_str
cut_possessive(struct mem_str name)
{
	static const char *const endings[] = { "'s", "\xe2\x80\x99s", "'", "\xe2\x80\x99" };
	for (size_t i = 0; i < MEM_COUNT(endings); i++) {
		size_t n = strlen(endings[i]);
		if (name.n > n && memcmp(name.p + name.n - n, endings[i], n) == 0)
			return (struct mem_str){ name.p, name.n - n };
	}
	return name;
}

static void
add_name(struct query_words *w, const uint8_t *secret, struct mem_str question, const struct mem_term *const *words, uint32_t first, uint32_t n)
{
	if (w->nnames == QUERY_NAMES_MAX)
		return;
	struct query_name *name = &w->names[w->nnames++];
	struct mem_str text = { question.p + words[first]->start, words[first + n - 1]->end - words[first]->start };
	*name = (struct query_name){ .field = mem_term_field(secret, MEM_TERM_SPEAKER, cut_possessive(text)), .n = n, .first = first };
	for (uint32_t i = 0; i < n; i++)
		name->words[i] = mem_term_word(secret, words[first + i]->text);
}

void
query_words_read(struct query_words *w, struct mem_analyser *a, const uint8_t *secret, struct mem_str question)
{
	enum { WORDS_MAX = 64 };
	const struct mem_term *terms, *words[WORDS_MAX];
	size_t nterms;
	uint32_t n = 0;
	mem_analyse(a, question, &terms, &nterms);
	for (size_t i = 0; i < nterms && n < WORDS_MAX; i++)
		if (!terms[i].extra)
			words[n++] = &terms[i];
	/* The longest first, so that of two that overlap it is the one. */
	for (uint32_t length = QUERY_NAME_WORDS; length > 0; length--)
		for (uint32_t i = 0; i + length <= n; i++) {
			bool stop = false;
			for (uint32_t k = 0; k < length; k++)
				stop |= words[i + k]->stop;
			if (!stop)
				add_name(w, secret, question, words, i, length);
		}
}

/* ---- weights -------------------------------------------------------------- */

static bool
is_name_word(const struct query_name *name, uint64_t hash)
{
	for (uint32_t i = 0; i < name->n; i++)
		if (name->words[i] == hash)
			return true;
	return false;
}

static bool
overlap_names(const struct query_name *a, const struct query_name *b)
{
	return a->first < b->first + b->n && b->first < a->first + a->n;
}

/* Keeps the names that are speakers', of those that share a word the longest.  df[i]: of the field of name i. */
static void
keep_speakers(struct query_words *w, const uint64_t *df)
{
	size_t kept = 0;
	for (size_t i = 0; i < w->nnames; i++) {
		bool again = df[i] == 0;
		for (size_t k = 0; k < kept; k++)
			again |= overlap_names(&w->names[k], &w->names[i]) || w->names[k].field == w->names[i].field;
		if (!again)
			w->names[kept++] = w->names[i];
	}
	w->nnames = kept;
	w->speaker = kept == 1;
}

/* A named speaker's words, demands and what is not scored do not count in shares. */
static void
weigh_query_words(struct query_words *w, const struct mem_search_query *iq, const double *idf, const uint64_t *df)
{
	double all = 0, unknown = 0;
	for (size_t i = 0; i < iq->nclauses; i++) {
		const struct mem_search_clause *c = &iq->clauses[i];
		const size_t bit = i + w->speaker;
		bool name = false;
		if (!c->scored || c->occur == MEM_MUST_NOT)
			continue;
		w->most += c->weight * idf[i];
		all += idf[i];
		unknown += df[i] == 0 ? idf[i] : 0;
		for (size_t k = 0; k < w->nnames; k++)
			name |= is_name_word(&w->names[k], c->hash);
		if (name || bit >= MEM_WORDS_MASK)
			continue;
		w->asked |= UINT64_C(1) << bit;
		w->total += idf[i];
	}
	w->unknown = all > 0 ? unknown / all : 0;
}

static void
keep_word_clauses(struct query_words *w, const struct mem_search_query *iq, const double *idf)
{
	w->n = iq->nclauses + w->speaker;
	w->clauses = mem_xcalloc(w->n + 1, sizeof *w->clauses);
	w->idf = mem_xcalloc(w->n + 1, sizeof *w->idf);
	if (w->speaker)
		w->clauses[0] = (struct mem_search_clause){ .hash = w->names[0].field, .occur = MEM_SHOULD };
	for (size_t i = 0; i < iq->nclauses; i++) {
		w->clauses[w->speaker + i] = iq->clauses[i];
		w->idf[w->speaker + i] = idf[i];
	}
}

enum mem_status
query_words_weigh(struct query_words *w, struct mem_txn *t, const struct mem_search_query *iq, struct mem_err *err)
{
	if (w->clauses != NULL)
		return MEM_OK; /* of the same snapshot */
	const size_t n = iq->nclauses + w->nnames;
	struct mem_search_query asked = *iq;
	double *idf = mem_xcalloc(n + 1, sizeof *idf);
	uint64_t *df = mem_xcalloc(n + 1, sizeof *df);
	const struct mem_words_coverage cover = { .idf = idf, .df = df };
	struct mem_search_clause *clauses = mem_xcalloc(n + 1, sizeof *clauses);
	if (iq->nclauses > 0)
		memcpy(clauses, iq->clauses, iq->nclauses * sizeof *clauses);
	for (size_t i = 0; i < w->nnames; i++)
		clauses[iq->nclauses + i] = (struct mem_search_clause){ .hash = w->names[i].field, .occur = MEM_SHOULD };
	asked.clauses = clauses;
	asked.nclauses = n;
	enum mem_status st = mem_words_plan_open(&w->plan, t, &asked, err);
	if (st == MEM_OK)
		st = mem_words_plan_cover(w->plan, NULL, 0, &cover, err);
	if (st == MEM_OK) {
		keep_speakers(w, df + iq->nclauses);
		weigh_query_words(w, iq, idf, df);
		keep_word_clauses(w, iq, idf);
	}
	if (st != MEM_OK || w->speaker) { /* whose bit comes before those of the words */
		mem_words_plan_close(w->plan);
		w->plan = NULL;
	}
	free(clauses);
	free(idf);
	free(df);
	return st;
}

enum mem_status
query_words_find_masks(struct query_words *w, struct mem_txn *t, const struct mem_search_query *iq, const uint32_t *ords, size_t n,
    uint64_t *masks, struct mem_err *err)
{
	struct mem_search_query asked = *iq;
	const struct mem_words_coverage cover = { .masks = masks };
	asked.clauses = w->clauses;
	asked.nclauses = w->n;
	enum mem_status st = w->plan == NULL ? mem_words_plan_open(&w->plan, t, &asked, err) : MEM_OK;
	if (st == MEM_OK)
		st = mem_words_plan_cover(w->plan, ords, n, &cover, err);
	/* Names that are no speaker's stand behind the words in the plan that weighed both. */
	for (size_t i = 0; i < n && st == MEM_OK && w->n < MEM_WORDS_MASK; i++)
		masks[i] &= (UINT64_C(1) << w->n) - 1;
	return st;
}

void
query_words_release(struct query_words *w)
{
	mem_words_plan_close(w->plan);
	free(w->clauses);
	free(w->idf);
	*w = (struct query_words){ 0 };
}

double
query_words_idf(const struct query_words *w, uint64_t hash)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->clauses[i].scored && w->clauses[i].hash == hash)
			return w->idf[i];
	return 0;
}

double
query_words_share(const struct query_words *w, uint64_t mask)
{
	double sum = 0;
	for (uint64_t left = mask & w->asked; left != 0; left &= left - 1)
		sum += w->idf[__builtin_ctzll(left)];
	return w->total > 0 ? sum / w->total : 0;
}
