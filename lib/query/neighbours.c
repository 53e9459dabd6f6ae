/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step neighbours: a linear score of what a turn and the turns around it say.
 *
 * Each signal is relative to the best of all candidates and divided by a constant, about its deviation over the turns of a
 * conversation, so that a value means the same however many candidates there are:
 *
 *   l       (s - max s) / LEXICAL_UNIT, s = BM25 score / (its greatest possible value: (k1 + 1) Σ idf of the question's words)
 *   d       (cosine - max cosine) / the model's constant
 *           (without a model of the score by 4-grams)
 *   m       how well the question's word pieces meet those of the turn (vectors.h), relative to the best and divided by
 *           PIECES_UNIT; of a turn without codes .4 l + .6 d; msw2: the same of the turn and the four around it together
 *   F       .4 l + .6 d + 3, with pieces .2 l + .3 d + .5 m + 3, without a model .5 each: about 0 of a turn that has nothing
 *           to do with the question, which is what counts for a turn that is not there
 *   P1 N1   F of the turns before and behind it in its session; P2 N2 of those next to them
 *   G       F + .3 (P1 + N1) + .21 (P2 + N2)
 *   smax2   the greatest G of the turns of its session that are looked at
 *   spk     1 if the question names exactly one speaker and he says it; of a question without names, asked by "I", of a
 *           turn of the role user, asked by "you", of the role assistant
 *   hasq    1 if it has a question mark; isq: it ends with one; prevq: the turn before it has one; P1q: P1 if it has, else 0: who
 *           answers what is asked about as the question asks has the answer
 *   tw nw   1 if it has a word of time, of a number; when_tw: tw where the question asks for a time; dur_tw: tw or nw where
 *           it asks how long
 *   caps    its words with capitals, from 0 to 3
 *   cov     Σ idf of the question's words that stand in it, over Σ idf of all its words, each counted once, names of
 *           speakers left out; covw: of those that stand in it or one of the four turns around it
 *   dmatch  how well the day of its capture, or the days that its words mean, fit the dates that the question names, 0 to 1
 *
 * The score is the sum of weight times feature; with vectors, and a word in the question that stands in no record, it has besides
 * GRAMS_WEIGHT (s - max s) / GRAMS_UNIT, s the score by 4-grams: both as they are without a model.  Looked at are the best CENTRES candidates by F and the two turns on each
 * side of them.  Twice as many cost a millisecond at a million turns, and find no more where a conversation is asked alone (recall@10
 * 87.4 both); of three conversations asked as one store 86.7 where 50 find 86.5.
 */
#include "query/question_int.h"
#include "query/ranker.h"
#include "query/turn_pieces.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

enum { CENTRES = 50 };

static const double LEXICAL_UNIT = .0403, GRAMS_UNIT = .0232, GRAMS_WEIGHT = .13, PIECES_UNIT = .0515, NEUTRAL = 3, NEAR_WEIGHT = .3, NEAR2_WEIGHT = .21;

/* ---- signals ------------------------------------------------------------- */

/* How a signal is scaled: by what the candidates had before their neighbours came. */
struct signal_scale {
	double missing, greatest, unit; /* missing: of one that has no score: by words the least, by meaning, as in fusion, the mean */
};

struct ranker {
	struct mem_question *q;
	struct mem_candidates *c;
	struct query_turns turns;
	const struct query_ranker *model;
	struct query_ranker set; /* with what the settings say, once *model is this */
	struct signal_scale scale[MEM_SIGNALS];
	double unknown;          /* F of a turn that was not looked at */
	struct query_turn_pieces pieces;
	double *m, *msw2;        /* OWNS; [turns.n]; NULL: without pieces */
	uint64_t *masks;         /* OWNS; [turns.n]: which of the question's words stand in it */
	double *f;               /* OWNS; [turns.n] */
	double *g;               /* OWNS; [turns.n] */
	double *smax2;           /* OWNS; [turns.n] */
};

static struct signal_scale
find_signal_scale(const struct mem_candidates *c, enum mem_signal signal, double unit)
{
	double least = HUGE_VAL, greatest = -HUGE_VAL, sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		double score = c->v[i].signal[signal].score;
		if (isnan(score))
			continue;
		least = fmin(least, score);
		greatest = fmax(greatest, score);
		sum += score;
		n++;
	}
	return (struct signal_scale){ signal == MEM_SIGNAL_DENSE && n > 0 ? sum / (double)n : least, greatest, unit };
}

static double
scale_signal(const struct signal_scale *s, double score)
{
	if (!(s->greatest > -HUGE_VAL) || !(s->unit > 0))
		return 0;
	return ((isnan(score) ? s->missing : score) - s->greatest) / s->unit;
}

static double
compute_feature_l(const struct ranker *r, const struct mem_candidate *c)
{
	return scale_signal(&r->scale[MEM_SIGNAL_LEXICAL], c->signal[MEM_SIGNAL_LEXICAL].score);
}

static double
compute_feature_d(const struct ranker *r, const struct mem_candidate *c)
{
	return scale_signal(&r->scale[r->model->second], c->signal[r->model->second].score);
}

/* Of the two signals alone, which a candidate has before it is looked at. */
static double
compute_base_score(const struct ranker *r, const struct mem_candidate *c)
{
	const struct query_ranker *m = r->model;
	return (m->lexical * compute_feature_l(r, c) + m->dense * compute_feature_d(r, c)) / (m->lexical + m->dense) + NEUTRAL;
}

/* By the greatest BM25 score that a text could have, and by the model's constant. */
static void
scale_signals(struct ranker *r)
{
	const struct mem_search_query *iq = &r->q->iq;
	r->scale[MEM_SIGNAL_LEXICAL] = find_signal_scale(r->c, MEM_SIGNAL_LEXICAL,
	    LEXICAL_UNIT * r->q->words.most * mem_words_top_gain(iq->ns, iq->nns));
	r->scale[r->model->second] = find_signal_scale(r->c, r->model->second, r->model->dense_unit);
	if (r->model->second == MEM_SIGNAL_DENSE && r->q->ranking.misspelt)
		r->scale[MEM_SIGNAL_GRAMS] = find_signal_scale(r->c, MEM_SIGNAL_GRAMS, GRAMS_UNIT);
}

/* ---- candidates ---------------------------------------------------------- */

/* Best first by their own signals. */
static void
sort_by_base_score(struct ranker *r)
{
	for (size_t i = 0; i < r->c->n; i++)
		r->c->v[i].score = mem_score_round(compute_base_score(r, &r->c->v[i]));
	mem_candidates_sort(r->c);
}

/* One signal of the turns that came, from place `from` on.  What a relative one needs of the others is read again where no
 * search has left it. */
static enum mem_status
complete_turn_signal(struct ranker *r, enum mem_signal signal, const uint32_t *ords, size_t from, double *scores, struct mem_err *err)
{
	const struct query_signal *s = query_signals[signal];
	void *kept = s->relative ? query_ranking_kept(&r->q->ranking, signal) : NULL, *own = NULL;
	enum mem_status st = MEM_OK;
	if (s->relative && kept == NULL)
		st = s->read_ahead(&own, &r->q->ranking, r->q->t, ords, from, err);
	if (st == MEM_OK)
		st = s->complete(&r->q->ranking, r->q->t, kept != NULL ? kept : own, ords + from, r->c->n - from, scores, err);
	if (own != NULL)
		s->free_kept(own);
	return st;
}

static enum mem_status
complete_turns(struct ranker *r, size_t from, struct mem_err *err)
{
	struct mem_candidates *c = r->c;
	uint32_t *ords = mem_xcalloc(c->n + 1, sizeof *ords);
	double *scores = mem_xcalloc(c->n - from + 1, sizeof *scores);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < c->n; i++)
		ords[i] = c->v[i].ord;
	for (enum mem_signal s = 0; s < MEM_SIGNALS && st == MEM_OK && from < c->n; s++) {
		if (!query_ranking_counts(&r->q->ranking, s))
			continue;
		st = complete_turn_signal(r, s, ords, from, scores, err);
		for (size_t i = from; i < c->n && st == MEM_OK; i++)
			c->v[i].signal[s].score = scores[i - from];
	}
	free(ords);
	free(scores);
	return st;
}

/* ---- the turns around ---------------------------------------------------- */

/* F of a turn around; 0: there is none.  Of one that was not looked at it is no more than that of the last centre. */
static double
find_near_base(const struct ranker *r, const struct query_turn *turn, enum query_near near)
{
	return turn->near[near] != UINT32_MAX ? r->f[turn->near[near]] : turn->centre ? 0 : r->unknown;
}

static int
compare_turns_by_session(const void *a, const void *b)
{
	const struct query_turn *x = *(const struct query_turn *const *)a, *y = *(const struct query_turn *const *)b;
	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return x->ord < y->ord ? -1 : x->ord > y->ord;
}

/* The best of a session; of what has none its own. */
static void
find_session_best(struct ranker *r)
{
	const struct query_turns *t = &r->turns;
	const struct query_turn **sorted = mem_xcalloc(t->n + 1, sizeof *sorted);
	for (size_t i = 0; i < t->n; i++)
		sorted[i] = &t->v[i];
	mem_sort(sorted, t->n, sizeof *sorted, compare_turns_by_session);
	for (size_t i = 0; i < t->n;) {
		size_t end = i + 1;
		double best = r->g[sorted[i] - t->v];
		while (sorted[i]->session != 0 && end < t->n && sorted[end]->session == sorted[i]->session && sorted[end]->root == sorted[i]->root)
			best = fmax(best, r->g[sorted[end++] - t->v]);
		while (i < end)
			r->smax2[sorted[i++] - t->v] = best;
	}
	free(sorted);
}

static void
find_context(struct ranker *r)
{
	const struct query_turns *t = &r->turns;
	for (size_t i = 0; i < t->n; i++) {
		double base = compute_base_score(r, &r->c->v[t->v[i].candidate]) - NEUTRAL;
		r->f[i] = (1 - r->model->match) * base + r->model->match * (r->m != NULL ? r->m[i] : 0) + NEUTRAL;
	}
	for (size_t i = 0; i < t->n; i++)
		r->g[i] = r->f[i] + NEAR_WEIGHT * (find_near_base(r, &t->v[i], QUERY_BEFORE) + find_near_base(r, &t->v[i], QUERY_BEHIND)) +
		    NEAR2_WEIGHT * (find_near_base(r, &t->v[i], QUERY_BEFORE2) + find_near_base(r, &t->v[i], QUERY_BEHIND2));
	find_session_best(r);
}

/* ---- word pieces --------------------------------------------------------- */

/* The greatest of all that have one. */
static double
find_greatest(const double *v, size_t n)
{
	double greatest = -HUGE_VAL;
	for (size_t i = 0; i < n; i++)
		greatest = isnan(v[i]) ? greatest : fmax(greatest, v[i]);
	return greatest;
}

/* A turn without codes counts as what its two signals say, so that nothing jumps where some have none. */
static enum mem_status
find_piece_features(struct ranker *r, struct mem_err *err)
{
	const struct query_turns *t = &r->turns;
	enum mem_status st = query_turn_pieces_match(&r->pieces, r->q, t, err);
	if (st != MEM_OK || r->pieces.turn == NULL)
		return st;
	const double best = find_greatest(r->pieces.turn, t->n), best_window = find_greatest(r->pieces.window, t->n);
	r->m = mem_xcalloc(t->n, sizeof *r->m);
	r->msw2 = mem_xcalloc(t->n, sizeof *r->msw2);
	for (size_t i = 0; i < t->n; i++) {
		double agreement = r->pieces.turn[i];
		r->m[i] = isnan(agreement) ? compute_base_score(r, &r->c->v[t->v[i].candidate]) - NEUTRAL : (agreement - best) / PIECES_UNIT;
	}
	for (size_t i = 0; i < t->n; i++) {
		double agreement = r->pieces.window[i];
		r->msw2[i] = isnan(agreement) ? r->m[i] : (agreement - best_window) / PIECES_UNIT;
		for (size_t k = 0; k <= QUERY_NEAR; k++) {
			const uint32_t at = k < QUERY_NEAR ? t->v[i].near[k] : (uint32_t)i;
			if (at != UINT32_MAX && isnan(r->pieces.turn[at]))
				r->msw2[i] = fmax(r->msw2[i], r->m[at]);
		}
	}
	return MEM_OK;
}

/* ---- words --------------------------------------------------------------- */

/* Of the turns that are looked at. */
static enum mem_status
find_masks(struct ranker *r, struct mem_err *err)
{
	const struct query_turns *t = &r->turns;
	uint32_t *ords = mem_xcalloc(t->n + 1, sizeof *ords);
	uint64_t *masks = mem_xcalloc(t->n + 1, sizeof *masks);
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].looked)
			ords[n++] = t->v[i].ord;
	enum mem_status st = query_words_find_masks(&r->q->words, r->q->t, &r->q->iq, ords, n, masks, err);
	n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].looked)
			r->masks[i] = masks[n++];
	free(ords);
	free(masks);
	return st;
}

/* Of the turn and those around it. */
static uint64_t
find_window_mask(const struct ranker *r, size_t i)
{
	uint64_t mask = r->masks[i];
	for (size_t k = 0; k < QUERY_NEAR; k++)
		if (r->turns.v[i].near[k] != UINT32_MAX)
			mask |= r->masks[r->turns.v[i].near[k]];
	return mask;
}

/* Is it said by whom the question asks about?  Who names nobody asks by "I" about the person, by "you" about the agent. */
static bool
is_of_speaker(const struct ranker *r, size_t i)
{
	const struct query_turn *turn = &r->turns.v[i];
	const struct mem_question *q = r->q;
	if (q->words.nnames > 0)
		return q->words.speaker && (r->masks[i] & 1) != 0;
	if (q->marks.first_person)
		return turn->role == MEM_ROLE_USER;
	return q->marks.second_person && turn->role == MEM_ROLE_ASSISTANT;
}

static double
match_dates(const struct ranker *r, const struct query_turn *turn)
{
	return turn->looked ? mem_day_match(&r->q->dates, turn->captured_at, turn->days, MEM_ATTR_DAYS) : 0;
}

/* ---- the score ----------------------------------------------------------- */

/* What attr keeps of the text's own words, some of it only where the question asks for such. */
static void
compute_mark_features(const struct ranker *r, const struct query_turn *turn, struct mem_rank_features *out)
{
	const struct mem_question_marks *asks = &r->q->marks;
	const uint32_t before = turn->near[QUERY_BEFORE];
	const bool time = (turn->flags & MEM_ATTR_TIME_WORD) != 0, number = (turn->flags & MEM_ATTR_NUMBER_WORD) != 0;
	out->v[MEM_FEATURE_HASQ] = (turn->flags & MEM_ATTR_HAS_QUESTION) != 0;
	out->v[MEM_FEATURE_ISQ] = (turn->flags & MEM_ATTR_ENDS_QUESTION) != 0;
	out->v[MEM_FEATURE_PREVQ] = before != UINT32_MAX && (r->turns.v[before].flags & MEM_ATTR_HAS_QUESTION) != 0;
	out->v[MEM_FEATURE_TW] = time;
	out->v[MEM_FEATURE_NW] = number;
	out->v[MEM_FEATURE_WHEN_TW] = asks->asks_when && time;
	out->v[MEM_FEATURE_DUR_TW] = asks->asks_how_long && (time || number);
	out->v[MEM_FEATURE_CAPS] = (turn->flags & MEM_ATTR_CAPITALS) >> MEM_ATTR_CAPITALS_SHIFT;
}

static void
compute_features(const struct ranker *r, size_t i, struct mem_rank_features *out)
{
	const struct query_turn *turn = &r->turns.v[i];
	const struct mem_candidate *c = &r->c->v[turn->candidate];
	*out = (struct mem_rank_features){ { 0 } };
	out->v[MEM_FEATURE_L] = compute_feature_l(r, c);
	out->v[MEM_FEATURE_D] = compute_feature_d(r, c);
	out->v[MEM_FEATURE_M] = r->m != NULL ? r->m[i] : 0;
	out->v[MEM_FEATURE_MSW2] = r->msw2 != NULL ? r->msw2[i] : 0;
	out->v[MEM_FEATURE_P1] = find_near_base(r, turn, QUERY_BEFORE);
	out->v[MEM_FEATURE_N1] = find_near_base(r, turn, QUERY_BEHIND);
	out->v[MEM_FEATURE_P2] = find_near_base(r, turn, QUERY_BEFORE2);
	out->v[MEM_FEATURE_N2] = find_near_base(r, turn, QUERY_BEHIND2);
	out->v[MEM_FEATURE_SMAX2] = r->smax2[i];
	compute_mark_features(r, turn, out);
	out->v[MEM_FEATURE_P1Q] = out->v[MEM_FEATURE_PREVQ] * out->v[MEM_FEATURE_P1];
	out->v[MEM_FEATURE_SPK] = is_of_speaker(r, i);
	out->v[MEM_FEATURE_DMATCH] = match_dates(r, turn);
	out->v[MEM_FEATURE_COV] = query_words_share(&r->q->words, r->masks[i]);
	out->v[MEM_FEATURE_COVW] = query_words_share(&r->q->words, find_window_mask(r, i));
}

/* What 4-grams add beside vectors, if a word of the question stands in no record: as much as they count without a model. */
static double
weigh_third_signal(const struct ranker *r, const struct mem_candidate *c)
{
	if (r->model->second != MEM_SIGNAL_DENSE)
		return 0;
	return GRAMS_WEIGHT * scale_signal(&r->scale[MEM_SIGNAL_GRAMS], c->signal[MEM_SIGNAL_GRAMS].score);
}

/* What the question's class adds (search.class.NAME). */
static double
weigh_class(const struct ranker *r, const struct mem_candidate *c, const struct mem_rank_features *f)
{
	const double *added = r->q->ranking.added;
	double sum = added[MEM_SIGNAL_LEXICAL] * f->v[MEM_FEATURE_L] + added[MEM_SIGNAL_DENSE] * f->v[MEM_FEATURE_D];
	for (enum mem_signal s = 0; s < MEM_SIGNALS; s++)
		if (query_signals[s]->modes == 0 && added[s] != 0 && !isnan(c->signal[s].score))
			sum += added[s] * c->signal[s].score;
	return sum;
}

static void
score_turns(struct ranker *r)
{
	struct mem_rank_features f;
	struct mem_candidates *c = r->c;
	free(c->features);
	c->features = r->q->options->explain ? mem_xcalloc(r->turns.n + 1, sizeof *c->features) : NULL;
	for (size_t i = 0; i < r->turns.n; i++) {
		struct mem_candidate *v = &c->v[r->turns.v[i].candidate];
		double sum = 0;
		compute_features(r, i, &f);
		for (size_t k = 0; k < MEM_FEATURES; k++)
			sum += r->model->weight[k] * f.v[k];
		sum += weigh_class(r, v, &f) + weigh_third_signal(r, v);
		v->score = v->step[MEM_RANK_NEIGHBOURS] = mem_score_round(sum);
		v->features = c->features != NULL ? (uint32_t)i + 1 : 0;
		if (c->features != NULL)
			c->features[i] = f;
	}
}

/* ---- the whole ----------------------------------------------------------- */

/* Is a turn in a session, or of a day that the question names? */
static bool
is_any_to_rank(const struct ranker *r)
{
	const struct query_turns *t = &r->turns;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].session != 0 || match_dates(r, &t->v[i]) > 0)
			return true;
	return false;
}

/* Takes the candidates from place `from` on away again, and the scores back. */
static void
restore_candidates(struct mem_candidates *c, size_t from)
{
	c->n = from;
	for (size_t i = 0; i < c->n; i++)
		c->v[i].score = c->v[i].step[MEM_RANK_FUSE];
}

/* All signals are there: masks, pieces, what the turns around say, and the sum. */
static enum mem_status
score_found_turns(struct ranker *r, struct mem_err *err)
{
	r->f = mem_xcalloc(r->turns.n + 1, sizeof *r->f);
	r->g = mem_xcalloc(r->turns.n + 1, sizeof *r->g);
	r->smax2 = mem_xcalloc(r->turns.n + 1, sizeof *r->smax2);
	r->masks = mem_xcalloc(r->turns.n + 1, sizeof *r->masks);
	enum mem_status st = find_masks(r, err);
	if (st == MEM_OK)
		st = find_piece_features(r, err);
	if (st != MEM_OK)
		return st;
	r->set = *query_ranker_find(r->q, r->m != NULL);
	st = query_ranker_take_setting(&r->set, mem_store_conf(r->q->searcher->index.store), err);
	if (st != MEM_OK)
		return st;
	r->model = &r->set;
	find_context(r);
	score_turns(r);
	return MEM_OK;
}

static enum mem_status
rank_turns(struct ranker *r, bool *applied, struct mem_err *err)
{
	const size_t before = r->c->n;
	enum mem_status st = query_words_weigh(&r->q->words, r->q->t, &r->q->iq, err);
	if (st != MEM_OK)
		return st;
	scale_signals(r);
	sort_by_base_score(r);
	r->unknown = r->c->n > CENTRES ? fmin(r->c->v[CENTRES - 1].score, 0) : 0;
	st = query_turns_find(&r->turns, r->q, r->c, CENTRES, err);
	*applied = st == MEM_OK && is_any_to_rank(r);
	if (!*applied) {
		restore_candidates(r->c, before);
		return st;
	}
	st = query_turns_drop_unwanted(&r->turns, r->q, r->c, before, err);
	if (st == MEM_OK)
		st = complete_turns(r, before, err);
	if (st == MEM_OK)
		query_ranking_mark_anchors(&r->q->ranking, r->c, before);
	if (st == MEM_OK && r->q->ranking.extras != 0)
		st = query_read_record_signals(&r->q->ranking, r->q->t, r->c, err);
	if (st != MEM_OK)
		return st;
	return score_found_turns(r, err);
}

enum mem_status
mem_rank_neighbours(struct mem_candidates *c, struct mem_question *q, bool *applied, struct mem_err *err)
{
	struct ranker r = { .q = q, .c = c, .model = query_ranker_find(q, false) };
	*applied = false;
	if (r.model == NULL || c->n == 0 || !query_question_is_in_words(q))
		return MEM_OK;
	enum mem_status st = rank_turns(&r, applied, err);
	query_turns_release(&r.turns);
	query_turn_pieces_release(&r.pieces);
	free(r.m);
	free(r.msw2);
	free(r.f);
	free(r.g);
	free(r.smax2);
	free(r.masks);
	return st;
}
