/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals of the record itself: what stands in it word for word, of which days it is, and how new, important, trusted and relevant it is.
 *
 *   anchor      1 where a phrase that the question quotes stands in it, else 0
 *   time        how well the day of captured_at, or the days that its words mean, fit the dates that the question names (text/dates.h)
 *   recency     .5^(days since captured_at / 30), 1 for what is still to come
 *   importance  as the record says, times what decay has left of it (store/decay.h); none where it says none
 *   trust       as the record says; none where it says none
 *   relevance   importance (none: .5) · confidence (none: 1) · e^(-decay_rate · days since last_access), to four decimals.
 *               decay_rate is the record's, a rate a day, else 0; one that was never read has not decayed
 */
#include "query/signal_int.h"
#include "record/record.h"
#include "store/decay.h"
#include "store/node.h"
#include "text/dates.h"

#include <math.h>

static const double HALF_LIFE_DAYS = 30;

#define RECORD_SIGNALS(LINE) LINE(anchor) LINE(time) LINE(recency) LINE(importance) LINE(trust) LINE(relevance)
/* They find nothing, count in no mode by themselves, and are read in one pass. */
#define RECORD_SIGNAL(name) const struct query_signal query_signal_##name = { .modes = 0 };
RECORD_SIGNALS(RECORD_SIGNAL)

static double
count_days_since(int64_t then, int64_t now)
{
	double days = ((double)now - (double)then) / 86400e3;
	return days > 0 ? days : 0;
}

/* A number from 0 to 1, else `missing`. */
static double
read_record_share(const struct mem_rec *r, const char *name, double missing)
{
	double v;
	return mem_json_num(mem_rec_value(r, name), &v) && v >= 0 && v <= 1 ? v : missing;
}

static double
score_relevance(const struct mem_rec *r, const struct mem_attr *attr, int64_t now)
{
	double rate, decay = 1;
	if (attr->last_access != MEM_TIME_NONE && mem_json_num(mem_rec_value(r, "decay_rate"), &rate) && rate > 0)
		decay = exp(-rate * count_days_since(attr->last_access, now));
	return round(read_record_share(r, "importance", .5) * read_record_share(r, "confidence", 1) * decay * 1e4) / 1e4;
}

static double
score_time(const struct mem_question_dates *dates, const struct mem_attr *attr)
{
	struct mem_day_span days[MEM_ATTR_DAYS]; /* a copy: they lie unaligned in the node */
	if (dates == NULL)
		return 0;
	memcpy(days, attr->days, sizeof days);
	return mem_score_round(mem_day_match(dates, attr->captured_at, days, MEM_ATTR_DAYS));
}

/* Only the record of a learning tells when it was changed. */
static double
read_decay_factor(const struct mem_rec *rec, const struct mem_attr *a, int64_t now)
{
	return a->kind == MEM_KIND_LEARNING ? mem_decay_record(rec, now) : mem_decay_factor(a, now);
}

static enum mem_status
read_record_signals(struct mem_candidate *c, struct mem_txn *t, const struct query_ranking *r, struct mem_rec *rec, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(t, c->ord, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(rec, node.json, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, c->ord);
	if (st != MEM_OK) /* erased or damaged since: nobody will print it */
		return st == MEM_NOTFOUND || st == MEM_DAMAGED || st == MEM_REFUSED ? MEM_OK : st;
	c->signal[MEM_SIGNAL_ANCHOR].score = c->anchor || r->phrased;
	c->signal[MEM_SIGNAL_TIME].score = score_time(r->dates, node.attr);
	c->signal[MEM_SIGNAL_RECENCY].score = mem_score_round(exp2(-count_days_since(node.attr->captured_at, r->now) / HALF_LIFE_DAYS));
	c->signal[MEM_SIGNAL_IMPORTANCE].score = mem_score_round(read_record_share(rec, "importance", (double)NAN) * read_decay_factor(rec, node.attr, r->now));
	c->signal[MEM_SIGNAL_TRUST].score = read_record_share(rec, "trust", (double)NAN);
	c->signal[MEM_SIGNAL_RELEVANCE].score = score_relevance(rec, node.attr, r->now);
	return MEM_OK;
}

enum mem_status
query_read_record_signals(const struct query_ranking *r, struct mem_txn *t, struct mem_candidates *c, struct mem_err *err)
{
	struct mem_rec rec = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < c->n && st == MEM_OK; i++)
		if (isnan(c->v[i].signal[MEM_SIGNAL_RECENCY].score))
			st = read_record_signals(&c->v[i], t, r, &rec, err);
	mem_rec_release(&rec);
	return st;
}
