/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of a question that stand nowhere: a word of the newest texts that is written like one (text/near_word.h) says it again, as a
 * date does its words, so that it is looked for in all texts, ranks and covers as the word itself would.
 */
#include "query/question_int.h"
#include "query/signal_int.h"
#include "text/near_word.h"

#include <stdlib.h>

enum { WORDS_MAX = 4, TEXT_MAX = 2048 }; /* words that are looked for; bytes of a text */

struct unknown_word {
	uint64_t hash;
	struct mem_near_words *near; /* OWNS */
};
struct unknown_words {
	struct mem_txn *t;
	struct unknown_word v[WORDS_MAX];
	size_t n;
	struct mem_rec rec;          /* room */
	struct mem_buf text;
};

static bool
is_clause(const struct query_parsed *p, uint64_t hash)
{
	size_t i = 0;
	while (i < p->n && p->clauses[i].hash != hash)
		i++;
	return i < p->n;
}

/* Does none of the forms of the term at `first` stand anywhere?  *next: behind them. */
static bool
is_unknown_term(const struct mem_term *terms, const uint64_t *df, size_t n, size_t first, size_t *next)
{
	bool unknown = true;
	for (*next = first; *next < n && terms[*next].position == terms[first].position; ++*next)
		unknown &= df[*next] == 0;
	return unknown;
}

static void
add_unknown_word(struct unknown_words *u, uint64_t hash, struct mem_str word)
{
	mem_buf_reset(&u->text);
	mem_text_fold(&u->text, word);
	struct mem_near_words *near = mem_near_words_new(mem_buf_span(&u->text));
	if (near != NULL)
		u->v[u->n++] = (struct unknown_word){ hash, near };
}

static enum mem_status
list_unknown_words(struct unknown_words *u, struct mem_question *q, struct mem_err *err)
{
	const struct mem_str text = mem_buf_span(&q->parsed.encoder_text);
	const struct mem_term *terms;
	size_t n, next;
	mem_analyse_query(q->searcher->index.analyser, text, &terms, &n);
	uint64_t *hashes = mem_xcalloc(n + 1, sizeof *hashes), *df = mem_xcalloc(n + 1, sizeof *df);
	for (size_t i = 0; i < n; i++)
		hashes[i] = mem_term_word(mem_store_secret(q->searcher->index.store), terms[i].text);
	enum mem_status st = mem_words_df(q->t, q->iq.ns, q->iq.nns, hashes, n, df, err);
	for (size_t i = 0; st == MEM_OK && i < n && u->n < WORDS_MAX; i = next)
		if (is_unknown_term(terms, df, n, i, &next) && is_clause(&q->parsed, hashes[i]))
			add_unknown_word(u, hashes[i], (struct mem_str){ text.p + terms[i].start, terms[i].end - terms[i].start });
	free(hashes);
	free(df);
	return st;
}

/* A query_node_fn. */
static enum mem_status
look_for_near_words(void *ctx, uint32_t ord, const struct mem_id *id, struct mem_err *err)
{
	struct unknown_words *u = ctx;
	(void)id;
	enum mem_status st = query_node_text(u->t, ord, &u->rec, &u->text, err);
	struct mem_str text = mem_buf_span(&u->text);
	text.n = mem_utf8_cut(text, TEXT_MAX);
	for (size_t i = 0; i < u->n && st == MEM_OK; i++)
		mem_near_words_read(u->v[i].near, text);
	return st;
}

static void
add_near_word(struct mem_question *q, const struct unknown_word *w)
{
	double likeness;
	const struct mem_str word = mem_near_words_best(w->near, &likeness);
	const struct mem_term *terms;
	size_t n;
	mem_analyse(q->searcher->index.analyser, word, &terms, &n);
	if (n > 0)
		query_say_again(&q->parsed, mem_term_word(mem_store_secret(q->searcher->index.store), terms[0].text), likeness, w->hash);
}

enum mem_status
query_add_near_words(struct mem_question *q, struct mem_err *err)
{
	struct unknown_words u = { .t = q->t };
	enum mem_status st = list_unknown_words(&u, q, err);
	if (st == MEM_OK && u.n > 0)
		st = query_visit_newest(q->t, &q->iq, look_for_near_words, &u, err);
	for (size_t i = 0; i < u.n; i++) {
		if (st == MEM_OK)
			add_near_word(q, &u.v[i]);
		mem_near_words_free(u.v[i].near);
	}
	mem_rec_release(&u.rec);
	mem_buf_release(&u.text);
	return st;
}
