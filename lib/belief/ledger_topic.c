/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements without a triple: one run for each set of words.  Of two of one domain and topic that have MEM_FACT_JACCARD of
 * their words in common the one of more weight stands: confidence times the weight of its veracity, then the later one.
 */
#include <stdlib.h>

#include "base/order.h"
#include "belief/ledger_calls_int.h"

/* A run with what it is weighed by. */
struct weighed {
	struct ledger_run *run;
	struct mem_str text;        /* the folded statement, at the end of its key */
	double weight;
	bool weak;                  /* all of it comes from a user's extractor */
};

static struct mem_str
find_statement(struct mem_str key)
{
	size_t i = key.n;
	while (i > 0 && key.p[i - 1] != 0x1f)
		i--;
	return (struct mem_str){ key.p + i, key.n - i };
}

static struct ledger_run *
find_same_statement(const struct ledger_lane *lane, struct mem_str key)
{
	bool by_words = lane->domain.n > 0 || lane->topic.n > 0;
	for (size_t i = 0; i < lane->nruns; i++) {
		struct mem_str k = lane->runs[i]->value->key;
		if (mem_str_eq(k, key) || (by_words && mem_fact_jaccard(find_statement(k), find_statement(key)) >= 1))
			return lane->runs[i];
	}
	return NULL;
}

static int
compare_weights(const void *x, const void *y)
{
	const struct weighed *a = x, *b = y;
	int c = (b->weight > a->weight) - (b->weight < a->weight);
	if (c == 0)
		c = (b->run->at > a->run->at) - (b->run->at < a->run->at);
	return c != 0 ? c : mem_str_cmp(a->run->value->key, b->run->value->key);
}

/* Of a run that stands, or has to give way to one that stands. */
static void
decide_run(struct weighed *v, size_t i)
{
	struct ledger_run *r = v[i].run;
	for (size_t k = 0; k < i; k++) {
		struct ledger_run *o = v[k].run;
		if (!o->open || mem_fact_jaccard(v[k].text, v[i].text) < MEM_FACT_JACCARD)
			continue;
		r->open = false;
		r->end = o->at > r->at ? o->at : r->at;
		r->ender = o;
		r->reason = MEM_FACT_OUTWEIGHED;
		return;
	}
}

/* What is weak goes behind all that is trusted more. */
static double
weigh_run(const struct ledger_run *r, bool *weak)
{
	const struct ledger_assertion *base;
	double confidence = ledger_run_confidence(r, &base);
	*weak = true;
	for (size_t i = 0; i < r->n; i++)
		*weak = *weak && r->v[i]->of_extractor;
	return confidence * mem_veracity_weight(base->veracity) - (*weak ? 1 : 0);
}

void
ledger_sweep_statements(struct mem_ledger *l, struct ledger_lane *lane)
{
	ledger_assertions_sort(lane);
	for (size_t i = 0; i < lane->n; i++) {
		struct ledger_run *r = find_same_statement(lane, lane->v[i]->value->key);
		if (r == NULL)
			ledger_run_new(l, lane, lane->v[i]);
		else
			ledger_run_join(l, r, lane->v[i]);
	}
	struct weighed *v = mem_xcalloc(lane->nruns + 1, sizeof *v);
	for (size_t i = 0; i < lane->nruns; i++) {
		v[i] = (struct weighed){ .run = lane->runs[i], .text = find_statement(lane->runs[i]->value->key) };
		v[i].weight = weigh_run(v[i].run, &v[i].weak);
	}
	mem_sort(v, lane->nruns, sizeof *v, compare_weights);
	for (size_t i = 0; i < lane->nruns && (lane->domain.n > 0 || lane->topic.n > 0); i++)
		decide_run(v, i);
	free(v);
	for (size_t i = 0; i < lane->nruns; i++)
		if (lane->runs[i]->open && lane->runs[i]->to != MEM_TIME_NONE)
			lane->runs[i]->end = lane->runs[i]->to;
}
