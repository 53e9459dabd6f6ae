/* SPDX-License-Identifier: Apache-2.0 */
/* The two passes of the Leiden algorithm over one graph: moving nodes, and refining what came of it. */
#include "graph/leiden_int.h"

#include <stdlib.h>
#include <string.h>

/* A gain below this share of all strength is rounding. */
#define LEAST_GAIN 1e-12

/* The strengths from v to the groups of its neighbours that are `within` the same community (NULL: all). */
static void
sum_strengths(const struct leiden_graph *g, uint32_t v, const uint32_t *group, const uint32_t *within, struct leiden_sums *s)
{
	s->nmet = 0;
	for (size_t i = g->first[v]; i < g->first[v + 1]; i++) {
		uint32_t u = g->to[i];
		if (within != NULL && within[u] != within[v])
			continue;
		if (s->to[group[u]] == 0)
			s->met[s->nmet++] = group[u];
		s->to[group[u]] += g->strength[i];
	}
}

static void
clear_strengths(struct leiden_sums *s)
{
	for (size_t i = 0; i < s->nmet; i++)
		s->to[s->met[i]] = 0;
	s->nmet = 0;
}

/* Fisher and Yates's shuffle by splitmix64 (Steele, Lea and Flood 2014), from the number of the round on. */
uint32_t *
leiden_order(uint32_t n, unsigned round)
{
	uint32_t *order = mem_xmalloc(((size_t)n + 1) * sizeof *order);
	uint64_t state = round;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; i > 1 && round > 0; i--) {
		uint64_t z = state += 0x9e3779b97f4a7c15U;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
		z = (z ^ z >> 27) * 0x94d049bb133111ebU;
		uint32_t k = (uint32_t)(((z ^ z >> 31) >> 32) * i >> 32), swap = order[i - 1];
		order[i - 1] = order[k];
		order[k] = swap;
	}
	return order;
}

/* ---- moving --------------------------------------------------------------- */

struct leiden_moving {
	const struct leiden_graph *g;
	uint32_t *community;
	double *total;             /* by community: degrees of its nodes */
	uint32_t *size;            /* by community: nodes */
	uint32_t *empty;           /* communities without nodes; nempty of them */
	size_t nempty;
	uint32_t *queue;           /* a ring of n nodes */
	bool *queued;
	size_t head, count;
	struct leiden_sums sums;
};

static void
queue_node(struct leiden_moving *m, uint32_t v)
{
	if (m->queued[v])
		return;
	m->queued[v] = true;
	m->queue[(m->head + m->count++) % m->g->n] = v;
}

static void
begin_moving(struct leiden_moving *m, const struct leiden_graph *g, const uint32_t *order, uint32_t *community)
{
	size_t n = (size_t)g->n + 1;
	*m = (struct leiden_moving){ .g = g, .community = community, .total = mem_xcalloc(n, sizeof *m->total),
		.size = mem_xcalloc(n, sizeof *m->size), .empty = mem_xmalloc(n * sizeof *m->empty), .queue = mem_xmalloc(n * sizeof *m->queue),
		.queued = mem_xcalloc(n, sizeof *m->queued) };
	leiden_sums_init(&m->sums, g->n);
	for (uint32_t v = 0; v < g->n; v++) {
		m->total[community[v]] += g->degree[v];
		m->size[community[v]]++;
		queue_node(m, order[v]);
	}
	for (uint32_t c = g->n; c-- > 0;)
		if (m->size[c] == 0)
			m->empty[m->nempty++] = c;
}

static void
end_moving(struct leiden_moving *m)
{
	free(m->total);
	free(m->size);
	free(m->empty);
	free(m->queue);
	free(m->queued);
	leiden_sums_release(&m->sums);
}

/* The community in which v, which is in none now, gains most; `own` is the one it was in. */
static uint32_t
choose_community(const struct leiden_moving *m, uint32_t v, uint32_t own)
{
	double scale = m->g->degree[v] / m->g->total, least = LEAST_GAIN * m->g->total;
	double best = m->sums.to[own] - scale * m->total[own];
	uint32_t chosen = own;
	for (size_t i = 0; i < m->sums.nmet; i++) {
		uint32_t c = m->sums.met[i];
		double gain = m->sums.to[c] - scale * m->total[c];
		if (gain > best + least) {
			best = gain;
			chosen = c;
		}
	}
	return best < -least && m->nempty > 0 ? m->empty[m->nempty - 1] : chosen;
}

/* False: it stays. */
static bool
move_node(struct leiden_moving *m, uint32_t v)
{
	const struct leiden_graph *g = m->g;
	uint32_t own = m->community[v];
	sum_strengths(g, v, m->community, NULL, &m->sums);
	m->total[own] -= g->degree[v];
	uint32_t to = choose_community(m, v, own);
	clear_strengths(&m->sums);
	m->total[to] += g->degree[v];
	if (to == own)
		return false;
	if (m->nempty > 0 && to == m->empty[m->nempty - 1])
		m->nempty--;
	if (--m->size[own] == 0) {
		m->total[own] = 0;
		m->empty[m->nempty++] = own;
	}
	m->size[to]++;
	m->community[v] = to;
	for (size_t i = g->first[v]; i < g->first[v + 1]; i++)
		if (m->community[g->to[i]] != to)
			queue_node(m, g->to[i]);
	return true;
}

bool
leiden_move_nodes(const struct leiden_graph *g, const uint32_t *order, uint32_t *community)
{
	struct leiden_moving m;
	bool moved = false;
	begin_moving(&m, g, order, community);
	while (m.count > 0) {
		uint32_t v = m.queue[m.head];
		m.head = (m.head + 1) % g->n;
		m.count--;
		m.queued[v] = false;
		moved = move_node(&m, v) || moved;
	}
	end_moving(&m);
	return moved;
}

/* ---- refining ------------------------------------------------------------- */

struct leiden_refining {
	const struct leiden_graph *g;
	const uint32_t *community;
	double *total;             /* by community: degrees of its nodes */
	uint32_t *group;
	double *group_total;       /* by group */
	double *leaving;           /* by group: strength of edges to the rest of its community */
	uint32_t *group_size;
	struct leiden_sums sums;
};

/* Is it joined to the rest of its community at least as well as chance would have it? */
static bool
is_well_connected(const struct leiden_refining *r, double leaving, double total, double community_total)
{
	return leaving >= total * (community_total - total) / r->g->total;
}

/* Joins a node that is alone to the group within its community where it gains most, if it gains at all. */
static void
join_group(struct leiden_refining *r, uint32_t v)
{
	double all = r->total[r->community[v]], best = LEAST_GAIN * r->g->total;
	uint32_t own = r->group[v], chosen = own;
	sum_strengths(r->g, v, r->group, r->community, &r->sums);
	for (size_t i = 0; i < r->sums.nmet; i++) {
		uint32_t t = r->sums.met[i];
		double gain = r->sums.to[t] - r->g->degree[v] * r->group_total[t] / r->g->total;
		if (t != own && gain > best && is_well_connected(r, r->leaving[t], r->group_total[t], all)) {
			best = gain;
			chosen = t;
		}
	}
	if (chosen != own) {
		r->leaving[chosen] += r->leaving[own] - 2 * r->sums.to[chosen];
		r->group_total[chosen] += r->group_total[own];
		r->group_size[chosen]++;
		r->group_size[own] = 0;
		r->group[v] = chosen;
	}
	clear_strengths(&r->sums);
}

static void
begin_refining(struct leiden_refining *r, const struct leiden_graph *g, const uint32_t *community, uint32_t *group)
{
	size_t n = (size_t)g->n + 1;
	*r = (struct leiden_refining){ .g = g, .community = community, .group = group, .total = mem_xcalloc(n, sizeof *r->total),
		.group_total = mem_xmalloc(n * sizeof *r->group_total), .leaving = mem_xcalloc(n, sizeof *r->leaving),
		.group_size = mem_xmalloc(n * sizeof *r->group_size) };
	leiden_sums_init(&r->sums, g->n);
	for (uint32_t v = 0; v < g->n; v++) {
		r->total[community[v]] += g->degree[v];
		group[v] = v;
		r->group_total[v] = g->degree[v];
		r->group_size[v] = 1;
		for (size_t i = g->first[v]; i < g->first[v + 1]; i++)
			if (community[g->to[i]] == community[v])
				r->leaving[v] += g->strength[i];
	}
}

/* Groups are numbered in the order of their first nodes. */
static uint32_t
number_groups(uint32_t *group, uint32_t n)
{
	uint32_t *number = mem_xmalloc(((size_t)n + 1) * sizeof *number), next = 0;
	memset(number, 0xff, ((size_t)n + 1) * sizeof *number); /* LEIDEN_NONE */
	for (uint32_t v = 0; v < n; v++) {
		if (number[group[v]] == LEIDEN_NONE)
			number[group[v]] = next++;
		group[v] = number[group[v]];
	}
	free(number);
	return next;
}

uint32_t
leiden_refine(const struct leiden_graph *g, const uint32_t *order, const uint32_t *community, uint32_t *group)
{
	struct leiden_refining r;
	begin_refining(&r, g, community, group);
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t v = order[i];
		if (group[v] == v && r.group_size[v] == 1 && is_well_connected(&r, r.leaving[v], g->degree[v], r.total[community[v]]))
			join_group(&r, v);
	}
	free(r.total);
	free(r.group_total);
	free(r.leaving);
	free(r.group_size);
	leiden_sums_release(&r.sums);
	return number_groups(group, g->n);
}
