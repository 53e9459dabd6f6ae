/* SPDX-License-Identifier: Apache-2.0 */
/* A question: parsed, its vector, and what may be found in a snapshot of the store. */
#include "query/class.h"
#include "query/question_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- admission ----------------------------------------------------------- */

/* What of a node depends on its text. */
enum admission_demand { DEMAND_PHRASES, DEMAND_ANCHOR };

/* Of any status. */
static bool
is_still_there(const struct mem_attr *a, int64_t now)
{
	struct mem_attr active = *a;
	active.status = MEM_STATUS_ACTIVE;
	return mem_attr_live(&active, now);
}

static bool
admit_question_node(struct mem_question *q, uint32_t ord, enum admission_demand demand)
{
	const struct mem_attr *attr;
	struct mem_node node;
	if (q->admit_status != MEM_OK)
		return false;
	bool passes = true;
	enum mem_status st = mem_attr_at(q->t, ord, &attr, &q->admit_fault);
	if (st == MEM_OK)
		st = mem_filter_attr(&q->filter, q->t, attr, q->now, &passes, &q->admit_fault);
	if (st == MEM_OK && (!passes || !is_still_there(attr, q->now)))
		return false;
	bool phrases = demand == DEMAND_ANCHOR || q->parsed.nphrases > q->parsed.nanchors;
	if (st == MEM_OK && !phrases && q->filter.session.n == 0 && q->filter.categories.n == 0)
		return true;
	if (st == MEM_OK)
		st = mem_node_at(q->t, ord, &node, &q->admit_fault);
	if (st == MEM_OK)
		st = mem_rec_scan(&q->rec, node.json, &q->admit_fault);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(q->t, ord);
	if (st != MEM_OK) {
		/* Erased, damaged, or a text that cannot be read, which mem-check tells: it is no hit. */
		q->admit_status = st == MEM_NOTFOUND || st == MEM_REFUSED || st == MEM_DAMAGED ? MEM_OK : st;
		return false;
	}
	return mem_filter_session(&q->filter, &q->rec, &q->room) && mem_filter_category(&q->filter, &q->rec, &q->room) &&
	    (!phrases || (demand == DEMAND_ANCHOR ? query_match_anchor : query_match_phrases)(&q->parsed, &q->searcher->index, &q->rec));
}

static bool
admit_hit(void *ctx, uint32_t ord)
{
	return admit_question_node(ctx, ord, DEMAND_PHRASES);
}

static bool
admit_anchored_hit(void *ctx, uint32_t ord)
{
	return admit_question_node(ctx, ord, DEMAND_ANCHOR);
}

/* ---- a snapshot ---------------------------------------------------------- */

static enum mem_status
cut_query_words(struct mem_txn *t, struct query_parsed *q, const struct mem_ns *ns, size_t nns, struct mem_err *err)
{
	size_t scored = 0;
	for (size_t i = 0; i < q->n; i++)
		scored += q->clauses[i].scored;
	if (scored <= MEM_QUERY_WORDS_MAX)
		return MEM_OK;
	uint64_t *hashes = mem_xcalloc(q->n, sizeof *hashes);
	uint64_t *df = mem_xcalloc(q->n, sizeof *df);
	for (size_t i = 0; i < q->n; i++)
		hashes[i] = q->clauses[i].hash;
	enum mem_status st = mem_words_df(t, ns, nns, hashes, q->n, df, err);
	if (st == MEM_OK)
		query_cut_words(q, df, MEM_QUERY_WORDS_MAX);
	free(hashes);
	free(df);
	return st;
}

/* What min_match drops makes room for what comes behind it. */
static size_t
find_search_limit(const struct mem_search_options *o)
{
	size_t limit = (size_t)o->limit;
	return o->min_match > 0 && limit < o->candidates ? o->candidates : limit;
}

/* Fields, phrases that must stand there, words that must not. */
static bool
has_operators(const struct query_parsed *p)
{
	bool demands = p->filtered || p->nphrases > p->nanchors;
	for (size_t i = 0; i < p->n; i++)
		demands |= p->clauses[i].occur != MEM_SHOULD;
	return demands;
}

/* A word that nothing holds is misspelt, or a part of a longer one: then 4-grams count, however short the question is. */
static enum mem_status
look_for_unknown_words(struct mem_question *q, struct mem_err *err)
{
	const enum mem_search_mode mode = q->options->mode;
	struct query_ranking *r = &q->ranking;
	if (mode == MEM_MODE_KEYWORD || mode == MEM_MODE_VECTOR || mode == MEM_MODE_GRAPH || q->marks.identifier || has_operators(&q->parsed))
		return MEM_OK;
	enum mem_status st = query_grams_look(&q->iq, q->t, &r->misspelt, err);
	if (r->misspelt) {
		q->by_grams = true;
		r->mode = r->mode == MEM_MODE_KEYWORD ? MEM_MODE_AUTO : r->mode;
		st = query_add_near_words(q, err);
		q->iq.clauses = q->parsed.clauses;
		q->iq.nclauses = q->parsed.n;
	}
	return st;
}

enum mem_status
query_question_look(struct mem_question *q, struct mem_err *err)
{
	const struct mem_search_options *options = q->options;
	struct mem_store *store = q->searcher->index.store;
	size_t nns = 0;
	mem_filter_copy(&q->filter, &q->parsed.filter);
	if (options->filter != NULL)
		mem_filter_narrow(&q->filter, options->filter);
	q->filter.live = q->filter.statuses == 0;
	mem_filter_prepare(&q->filter, store, mem_kinds_searched());
	q->now = mem_store_now(store);
	q->iq = (struct mem_search_query){
		.filter = &q->filter,
		.min_score = options->min_score,
		.limit = options->limit <= 0 ? SIZE_MAX : find_search_limit(options),
		.admit = admit_hit,
		.ctx = q,
		.alone = options->alone,
	};
	q->ranking.iq = &q->iq;
	enum mem_status st = mem_txn_read(&q->t, store, err);
	if (st == MEM_OK)
		st = mem_filter_visible(&q->filter, q->t, &q->ns, &nns, err);
	if (st == MEM_OK && nns > 0)
		st = cut_query_words(q->t, &q->parsed, q->ns, nns, err);
	if (st != MEM_OK)
		return st;
	q->iq.clauses = q->parsed.clauses;
	q->iq.nclauses = q->parsed.n;
	q->iq.ns = q->ns;
	q->iq.nns = nns;
	query_anchors_init(&q->anchors, &q->parsed, &q->iq, admit_anchored_hit);
	q->ranking.anchors = &q->anchors;
	return look_for_unknown_words(q, err);
}

static enum mem_status
check_query_utf8(struct mem_str query, struct mem_err *err)
{
	size_t valid = mem_utf8_valid(query.p, query.n);
	if (valid == query.n)
		return MEM_OK;
	mem_err_set(err, MEM_USAGE, "the query is not UTF-8 at byte %zu", valid);
	if (err != NULL)
		err->reason = "bad_utf8";
	return MEM_USAGE;
}

/* ---- what the question means --------------------------------------------- */

static bool
is_latin_alone(struct mem_query_encoder *q)
{
	struct mem_encoder *e;
	return mem_encoder_for_query(q, &e, NULL) == MEM_OK && mem_encoder_info(e)->latin_alone;
}

/* The answer that somebody supposed, else the question. */
static struct mem_str
text_to_embed(const struct mem_question *q)
{
	return mem_buf_span(q->hyde.text.len > 0 ? &q->hyde.text : &q->parsed.encoder_text);
}

/* In a script that the store's model does not read; -m vector asks it all the same.  *why says so. */
static bool
is_foreign_to_model(struct mem_question *q, struct mem_err *why)
{
	struct mem_encoder *e;
	struct mem_letters letters = { 0 };
	const struct mem_term *terms;
	size_t n;
	if (q->options->mode == MEM_MODE_VECTOR || !is_latin_alone(&q->searcher->encoder) ||
	    mem_encoder_for_query(&q->searcher->encoder, &e, NULL) != MEM_OK)
		return false;
	mem_analyse(q->searcher->index.analyser, text_to_embed(q), &terms, &n);
	mem_letters_count(&letters, terms, n);
	if (!mem_letters_are_foreign(&letters))
		return false;
	(void)mem_err_set(why, MEM_ABSENT, "the model %s reads Latin script alone; %s reads others: mem-model install %s, then mem-embed "
	    "--rebuild --model %s", mem_encoder_info(e)->name, MEM_MODEL_ALL_SCRIPTS, MEM_MODEL_ALL_SCRIPTS, MEM_MODEL_ALL_SCRIPTS);
	return true;
}

/* The vector that is searched with, and, where that is of a supposed answer, the question's own. */
static enum mem_status
embed_question_texts(struct mem_question *q, struct mem_err *err)
{
	struct mem_query_encoder *e = &q->searcher->encoder;
	const struct mem_str asked = mem_buf_span(&q->parsed.encoder_text);
	bool cut;
	if (q->hyde.text.len == 0)
		return mem_embed_query(e, MEM_AS_QUERY, asked, &q->vector, &q->ranking.weight, &q->vector_cut, &q->pieces, err);
	enum mem_status st = mem_embed_query(e, MEM_AS_TEXT, mem_buf_span(&q->hyde.text), &q->vector, &q->ranking.weight, &q->vector_cut,
	    NULL, err);
	return st == MEM_OK ? mem_embed_query(e, MEM_AS_QUERY, asked, &q->asked_vector, &q->ranking.weight, &cut, NULL, err) : st;
}

enum mem_status
query_question_embed(struct mem_question *q, struct mem_err *err)
{
	const enum mem_search_mode mode = q->options->mode;
	struct mem_err fault = { 0 };
	if (mode == MEM_MODE_KEYWORD || q->parsed.encoder_text.len == 0 || is_foreign_to_model(q, &q->fallback))
		return MEM_OK;
	enum mem_status st = embed_question_texts(q, &fault);
	if (st == MEM_OK) {
		q->ranking.mode = mode == MEM_MODE_VECTOR ? MEM_MODE_VECTOR : MEM_MODE_HYBRID;
		q->ranking.vector = q->vector;
		q->ranking.latin_alone = is_latin_alone(&q->searcher->encoder);
		return MEM_OK;
	}
	if (mode == MEM_MODE_VECTOR || (mode == MEM_MODE_HYBRID && st != MEM_ABSENT)) {
		*err = fault;
		return st == MEM_ABSENT ? mem_err_set(err, MEM_FAIL, "%s", fault.msg) : st;
	}
	q->fallback = fault;
	return MEM_OK;
}

bool
query_question_waits_beside(struct mem_question *q)
{
	struct mem_encoder *e;
	const enum mem_search_mode mode = q->options->mode;
	return mode != MEM_MODE_KEYWORD && mode != MEM_MODE_VECTOR && q->parsed.encoder_text.len > 0 &&
	    mem_encoder_for_query(&q->searcher->encoder, &e, NULL) == MEM_OK && !mem_encoder_needs_child(e) &&
	    !is_foreign_to_model(q, NULL);
}

/* ---- the whole ----------------------------------------------------------- */

bool
query_question_is_in_words(const struct mem_question *q)
{
	enum { WORDS_ENOUGH = 3 };
	return q->marks.words >= WORDS_ENOUGH && !q->marks.identifier;
}

/* What its class, --explain and --stages none ask for beside the signals of the mode. */
static void
classify_question(struct mem_question *q)
{
	struct query_ranking *r = &q->ranking;
	const struct mem_search_options *o = q->options;
	q->class = o->class >= 0 ? (enum mem_class)o->class : mem_class_find(mem_buf_span(&q->parsed.question));
	r->now = mem_store_now(q->searcher->index.store);
	for (size_t i = 0; i < q->parsed.nphrases; i++)
		r->phrased |= !q->parsed.phrases[i].anchor && !q->parsed.phrases[i].negative;
	mem_class_weights(q->class, mem_store_conf(q->searcher->index.store), r->added);
	for (enum mem_signal s = 0; s < MEM_SIGNALS; s++)
		if (query_signals[s]->modes == 0 && (o->explain || o->unranked || r->added[s] != 0))
			r->extras |= 1U << s;
}

/* A mode of one signal that is named has its scores, unless stages are named too. */
static bool
is_fused(const struct mem_search_options *o)
{
	return o->mode == MEM_MODE_AUTO || o->mode == MEM_MODE_HYBRID || o->steps_named || o->unranked;
}

enum mem_status
query_question_parse(struct mem_question *q, struct mem_searcher *m, const struct mem_search_options *options, struct mem_err *err)
{
	*q = (struct mem_question){ .searcher = m, .options = options,
		.ranking = { .store = m->index.store, .mode = MEM_MODE_KEYWORD, .fusion = options->fusion, .candidates = options->candidates,
		    .foreign = mem_term_foreign(mem_store_secret(m->index.store)),
		    .candidates_alone = options->candidates_alone, .fused = is_fused(options), .whole = options->whole, .unranked = options->unranked } };
	const enum query_syntax syntax = options->plain ? QUERY_SYNTAX_PLAIN : options->strict ? QUERY_SYNTAX_STRICT : QUERY_SYNTAX_AUTO;
	enum mem_status st = check_query_utf8(options->query, err);
	if (st != MEM_OK)
		return st;
	st = query_parse_text(&q->parsed, m->index.analyser, mem_store_secret(m->index.store), options->query, syntax,
	    mem_store_now(m->index.store), err);
	if (st != MEM_OK)
		return st;
	const struct mem_str asked = mem_buf_span(&q->parsed.question);
	mem_question_mark(&q->marks, m->index.analyser, asked);
	mem_question_dates_read(&q->dates, m->index.analyser, asked, mem_store_now(m->index.store));
	query_words_read(&q->words, m->index.analyser, mem_store_secret(m->index.store), asked);
	q->ranking.text = mem_buf_span(&q->parsed.encoder_text);
	q->ranking.dates = &q->dates;
	q->by_grams = query_question_is_in_words(q) && !has_operators(&q->parsed);
	if (options->mode != MEM_MODE_KEYWORD && q->by_grams)
		q->ranking.mode = MEM_MODE_AUTO;
	classify_question(q);
	return MEM_OK;
}

static void
release_own_options(struct query_own_options *own)
{
	if (own == NULL)
		return;
	mem_filter_release(&own->filter);
	mem_arena_release(&own->arena);
	free(own);
}

void
query_question_release(struct mem_question *q)
{
	mem_buf_release(&q->hyde.text);
	query_ranking_release(&q->ranking);
	query_anchors_release(&q->anchors);
	query_words_release(&q->words);
	mem_text_pieces_release(&q->pieces, 1);
	free(q->ns);
	free(q->vector);
	free(q->asked_vector);
	mem_filter_release(&q->filter);
	query_release(&q->parsed);
	if (q->passages_ready)
		query_passages_release(&q->passages);
	release_own_options(q->own);
	mem_rec_release(&q->rec);
	mem_buf_release(&q->room);
	mem_buf_release(&q->known);
	mem_txn_end(q->t);
}

enum mem_status
mem_question_open(struct mem_question **out, struct mem_searcher *m, const struct mem_search_options *options, struct mem_err *err)
{
	struct mem_question *q = mem_xcalloc(1, sizeof *q);
	*out = NULL;
	enum mem_status st = query_question_parse(q, m, options, err);
	if (st == MEM_OK)
		st = query_question_embed(q, err);
	if (st == MEM_OK)
		st = query_question_look(q, err);
	if (st == MEM_OK)
		st = query_ranking_find_foreign(&q->ranking, q->t, err);
	if (st == MEM_OK)
		*out = q;
	else
		mem_question_close(q);
	return st;
}

enum mem_status
mem_question_open_line(struct mem_question **out, struct mem_searcher *m, const struct mem_search_options *options, struct mem_str line,
    struct mem_err *err)
{
	struct query_own_options *own = mem_xcalloc(1, sizeof *own);
	const struct mem_line as_read = { .text = line, .number = 1 };
	enum mem_status st = MEM_OK;
	*out = NULL;
	own->options = *options;
	own->filter = (struct mem_filter)MEM_FILTER_INIT;
	if (options->filter != NULL)
		mem_filter_copy(&own->filter, options->filter);
	own->options.filter = &own->filter;
	if (line.n > 0)
		st = mem_query_line_read(&own->options, &own->filter, &own->arena, &as_read, mem_store_now(m->index.store), err);
	own->options.qid = options->qid;
	if (st == MEM_OK)
		st = mem_question_open(out, m, &own->options, err);
	if (st == MEM_OK)
		(*out)->own = own;
	else
		release_own_options(own);
	return st;
}

void
mem_question_close(struct mem_question *q)
{
	if (q == NULL)
		return;
	query_question_release(q);
	free(q);
}

enum mem_search_mode
mem_question_mode(const struct mem_question *q)
{
	return q->ranking.mode;
}

void
mem_question_weights(const struct mem_question *q, double weights[MEM_SIGNALS])
{
	query_ranking_weights(&q->ranking, weights);
}

enum mem_status
mem_rank_step_apply(struct mem_candidates *c, enum mem_rank_step step, struct mem_question *q, bool *applied, struct mem_err *err)
{
	static enum mem_status (*const steps[MEM_RANK_STEPS])(struct mem_candidates *, struct mem_question *, bool *, struct mem_err *) = {
		[MEM_RANK_NEIGHBOURS] = mem_rank_neighbours,
		[MEM_RANK_RM3] = mem_rank_rm3,
	};
	enum mem_status st = steps[step](c, q, applied, err);
	if (st == MEM_OK && *applied && q->options->explain)
		st = query_fill_words_share(q, c, err); /* of those that came in */
	return st;
}

/* ---- hits that came through a pipe ---------------------------------------- */

bool
query_question_sees(struct mem_question *q, const struct mem_attr *attr)
{
	bool passes = q->admit_status == MEM_OK && query_searches_ns(&q->iq, attr->ns);
	if (passes)
		q->admit_status = mem_filter_attr(&q->filter, q->t, attr, q->now, &passes, &q->admit_fault);
	return passes;
}

/* Of a node that is damaged, or was erased since, nothing is known. */
static enum mem_status
locate_candidate(struct mem_question *q, struct mem_candidate *c, bool *found, struct mem_err *err)
{
	struct mem_node node;
	*found = false;
	enum mem_status st = mem_node_by_id(q->t, &c->id, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(q->t, node.ord);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	c->ord = node.ord;
	*found = query_question_sees(q, node.attr) && admit_hit(q, node.ord);
	c->anchor = *found && q->parsed.nanchors > 0 && q->ranking.mode != MEM_MODE_VECTOR && admit_anchored_hit(q, node.ord);
	return MEM_OK;
}

enum mem_status
mem_question_locate(struct mem_question *q, struct mem_candidates *c, struct mem_err *err)
{
	size_t kept = 0;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < c->n && st == MEM_OK; i++) {
		bool found;
		st = locate_candidate(q, &c->v[i], &found, err);
		if (st == MEM_OK && found)
			c->v[kept++] = c->v[i];
	}
	c->n = kept;
	if (st == MEM_OK && q->admit_status != MEM_OK) {
		*err = q->admit_fault;
		st = q->admit_status;
	}
	return st;
}
