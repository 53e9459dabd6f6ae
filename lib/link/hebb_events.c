/* SPDX-License-Identifier: Apache-2.0 */
/* When a session counts for a tag or a pair. */
#include "link/hebb_int.h"

#include <stdlib.h>

#include "base/order.h"

#define NEVER INT64_MIN

/* A count of a pair of items of the session; of a tag both are it. */
struct count {
	uint16_t a, b;
	int64_t at;
};
struct counting {
	const struct hebb_session *session;
	int64_t window;
	bool pairs;
	int64_t last[HEBB_ITEMS_MAX]; /* occurrence of the item */
	int64_t *counted;           /* by pair, a · items + b: when it last counted */
	struct count *v;            /* by time */
	size_t n, cap;
};

static bool
is_within_window(int64_t earlier, int64_t at, int64_t window)
{
	return earlier != NEVER && at - earlier <= window;
}

static void
count_pair(struct counting *c, size_t a, size_t b, int64_t at)
{
	size_t low = a < b ? a : b, high = a < b ? b : a;
	int64_t *counted = &c->counted[low * c->session->nitems + high];
	if (is_within_window(*counted, at, c->window))
		return;
	*counted = at;
	c->v = mem_grow(c->v, &c->cap, c->n + 1, sizeof *c->v);
	c->v[c->n++] = (struct count){ (uint16_t)low, (uint16_t)high, at };
}

/* What counts by all occurrences, or by those alone that were known before: the first counts are the same in both. */
static void
count_session(struct counting *c, bool known)
{
	const struct hebb_session *s = c->session;
	c->n = 0;
	for (size_t i = 0; i < s->nitems; i++)
		c->last[i] = NEVER;
	for (size_t i = 0; i < s->nitems * s->nitems; i++)
		c->counted[i] = NEVER;
	for (const struct hebb_occurrence *o = s->v; o < s->v + s->n; o++) {
		if (known && !o->known)
			continue;
		c->last[o->item] = o->at;
		if (!c->pairs)
			count_pair(c, o->item, o->item, o->at);
		for (size_t i = 0; c->pairs && i < s->nitems; i++)
			if (i != o->item && is_within_window(c->last[i], o->at, c->window))
				count_pair(c, o->item, i, o->at);
	}
}

static void
add_event(struct hebb_events *e, const struct hebb_session *s, uint32_t space, const struct count *c, bool first)
{
	const struct hebb_item *a = &s->items[c->a], *b = &s->items[c->b];
	bool swap = mem_id_cmp(&a->id, &b->id) > 0;
	e->v = mem_grow(e->v, &e->cap, e->n + 1, sizeof *e->v);
	e->v[e->n++] = (struct hebb_event){ space, swap ? b->id : a->id, swap ? a->id : b->id, a->name, c->at, first };
}

void
hebb_events_add(struct hebb_events *e, const struct hebb_session *s, uint32_t space, int64_t window, bool pairs)
{
	struct counting c = { .session = s, .window = window, .pairs = pairs };
	const size_t places = s->nitems * s->nitems + 1;
	uint32_t *had = mem_xcalloc(places, sizeof *had), *has = mem_xcalloc(places, sizeof *has);
	c.counted = mem_xcalloc(places, sizeof *c.counted);
	count_session(&c, true);
	for (size_t i = 0; i < c.n; i++)
		had[c.v[i].a * s->nitems + c.v[i].b]++;
	count_session(&c, false);
	for (size_t i = 0; i < c.n; i++) {
		size_t place = c.v[i].a * s->nitems + c.v[i].b;
		bool is_tag = s->items[c.v[i].a].name.n > 0;
		if (++has[place] > had[place] && (pairs || is_tag))
			add_event(e, s, space, &c.v[i], has[place] == 1);
	}
	free(had);
	free(has);
	free(c.counted);
	free(c.v);
}

static int
compare_events(const void *a, const void *b)
{
	const struct hebb_event *x = a, *y = b;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	int side = mem_id_cmp(&x->a, &y->a);
	if (side == 0)
		side = mem_id_cmp(&x->b, &y->b);
	return side != 0 ? side : (x->at > y->at) - (x->at < y->at);
}

void
hebb_events_sort(struct hebb_events *e)
{
	mem_sort(e->v, e->n, sizeof *e->v, compare_events);
}
