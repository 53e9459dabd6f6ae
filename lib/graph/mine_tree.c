/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of mining: of all transactions, and of the paths that lead to an item. */
#include "graph/mine_int.h"
#include "base/numbers.h"
#include "base/order.h"

#include <stdlib.h>

/* Bits of a number, well spread (splitmix64 of Steele, Lea, Flood 2014). */
static uint64_t
spread_bits(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

uint64_t
mine_transaction_trace(size_t transaction)
{
	return spread_bits(transaction);
}

/* ---- children ------------------------------------------------------------ */

static struct mine_slot *
find_child_slot(const struct mine_forest *f, uint64_t key)
{
	size_t at = (size_t)spread_bits(key) & (f->nslots - 1);
	while (f->slots[at].tree == f->number && f->slots[at].key != key)
		at = (at + 1) & (f->nslots - 1);
	return &f->slots[at];
}

static void
grow_child_slots(struct mine_forest *f)
{
	struct mine_slot *old = f->slots;
	size_t n = f->nslots;
	f->nslots = n > 0 ? 2 * n : 256;
	f->slots = mem_xcalloc(f->nslots, sizeof *f->slots);
	for (size_t i = 0; i < n; i++)
		if (old[i].tree == f->number)
			*find_child_slot(f, old[i].key) = old[i];
	free(old);
}

/* The node below `parent` for an item of the tree that is being made. */
static uint32_t
child_node(struct mine_forest *f, const struct mine_tree *t, uint32_t parent, uint32_t item)
{
	if (2 * (f->nchildren + 1) > f->nslots)
		grow_child_slots(f);
	struct mine_slot *slot = find_child_slot(f, (uint64_t)parent << 32 | item);
	if (slot->tree == f->number)
		return slot->node;
	struct mine_item *of = &f->items[t->item + item];
	f->nodes = mem_grow(f->nodes, &f->nodes_cap, f->nnodes + 1, sizeof *f->nodes);
	f->nodes[f->nnodes] = (struct mine_node){ .parent = parent, .item = item, .next = of->head };
	of->head = (uint32_t)f->nnodes++;
	*slot = (struct mine_slot){ (uint64_t)parent << 32 | item, of->head, f->number };
	f->nchildren++;
	return of->head;
}

/* ---- a tree ---------------------------------------------------------------- */

/* Numbers of trees are used up: nothing may pass for the tree of one that comes again. */
static void
restart_numbers(struct mine_forest *f)
{
	for (size_t i = 0; i < f->nslots; i++)
		f->slots[i].tree = 0;
	for (size_t i = 0; i < f->nnodes; i++)
		f->nodes[i].copied_in = 0;
	f->number = 1;
}

static void
begin_tree(struct mine_forest *f, struct mine_tree *t)
{
	*t = (struct mine_tree){ .item = f->nitems, .node = f->nnodes };
	if (++f->number == 0)
		restart_numbers(f);
	f->nchildren = 0;
	f->nfull = 0;
}

static void
add_item(struct mine_forest *f, struct mine_tree *t, uint32_t rank, uint32_t count)
{
	f->items = mem_grow(f->items, &f->items_cap, f->nitems + 1, sizeof *f->items);
	f->items[f->nitems++] = (struct mine_item){ rank, MINE_NONE, count };
	t->nitems++;
}

static void
add_weight(struct mine_forest *f, uint32_t node, uint32_t count, uint64_t trace)
{
	if (node == MINE_NONE)
		return;
	f->nodes[node].count += count;
	f->nodes[node].trace += trace;
}

/* Nodes counted what ends at them; now they count what passes, too.  A parent stands before its children. */
static void
sum_up_tree(struct mine_forest *f, const struct mine_tree *t)
{
	for (size_t i = f->nnodes; i-- > t->node;)
		add_weight(f, f->nodes[i].parent, f->nodes[i].count, f->nodes[i].trace);
}

void
mine_tree_drop(struct mine_forest *f, const struct mine_tree *t)
{
	f->nitems = t->item;
	f->nnodes = t->node;
}

uint64_t
mine_item_trace(const struct mine_forest *f, const struct mine_tree *t, size_t item)
{
	uint64_t sum = 0;
	for (uint32_t v = f->items[t->item + item].head; v != MINE_NONE; v = f->nodes[v].next)
		sum += f->nodes[v].trace;
	return sum;
}

/* ---- projection -------------------------------------------------------------- */

/* How often each item stands on the paths above the nodes of one, by their counts; lists the items that do. */
static void
count_paths(struct mine_forest *f, uint32_t head)
{
	f->nmet = 0;
	for (uint32_t v = head; v != MINE_NONE; v = f->nodes[v].next)
		for (uint32_t a = f->nodes[v].parent; a != MINE_NONE; a = f->nodes[a].parent) {
			uint32_t item = f->nodes[a].item;
			if (f->sums[item] == 0)
				f->met[f->nmet++] = item;
			f->sums[item] += f->nodes[v].count;
		}
}

/* The items met in their order.  All before `item` are looked at where that costs less than sorting. */
static void
order_met(struct mine_forest *f, size_t item)
{
	if (8 * f->nmet < item) {
		mem_sort(f->met, f->nmet, sizeof *f->met, mem_number_compare);
		return;
	}
	f->nmet = 0;
	for (size_t i = 0; i < item; i++)
		if (f->sums[i] > 0)
			f->met[f->nmet++] = (uint32_t)i;
}

/* The node that stands for `above` in the new tree, made with all above it; MINE_NONE where no item of that is kept. */
static uint32_t
copy_path(struct mine_forest *f, const struct mine_tree *t, uint32_t above)
{
	size_t n = 0;
	uint32_t a = above;
	for (; a != MINE_NONE && f->nodes[a].copied_in != f->number; a = f->nodes[a].parent)
		f->path[n++] = a;
	uint32_t at = a == MINE_NONE ? MINE_NONE : f->nodes[a].copy;
	while (n-- > 0) {
		uint32_t place = f->places[f->nodes[f->path[n]].item];
		if (place != MINE_NONE)
			at = child_node(f, t, at, place);
		f->nodes[f->path[n]].copy = at;
		f->nodes[f->path[n]].copied_in = f->number;
	}
	return at;
}

void
mine_tree_project(struct mine_forest *f, const struct mine_tree *from, size_t item, bool full, struct mine_tree *out)
{
	uint32_t head = f->items[from->item + item].head, count = f->items[from->item + item].count;
	begin_tree(f, out);
	count_paths(f, head);
	order_met(f, item);
	for (size_t k = 0; k < f->nmet; k++) {
		uint32_t i = f->met[k];
		bool is_full = full && f->sums[i] == count, kept = !is_full && f->sums[i] >= f->least;
		if (is_full)
			f->full[f->nfull++] = f->items[from->item + i].rank;
		f->places[i] = kept ? (uint32_t)out->nitems : MINE_NONE;
		if (kept)
			add_item(f, out, f->items[from->item + i].rank, f->sums[i]);
		f->sums[i] = 0;
	}
	/* Nothing is projected from a first item, so one alone needs no nodes but for their traces. */
	if (out->nitems == 0 || (out->nitems == 1 && !full))
		return;
	for (uint32_t v = head; v != MINE_NONE; v = f->nodes[v].next)
		add_weight(f, copy_path(f, out, f->nodes[v].parent), f->nodes[v].count, f->nodes[v].trace);
	sum_up_tree(f, out);
}

/* ---- all transactions ---------------------------------------------------------- */

struct mine_frequency {
	uint32_t number, count;
};

static int
compare_frequencies(const void *a, const void *b)
{
	const struct mine_frequency *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The frequent items, the most frequent first. */
static struct mine_frequency *
rank_items(const struct mem_transactions *t, uint64_t least, size_t *n)
{
	struct mine_frequency *v = mem_xcalloc(t->kinds + 1, sizeof *v);
	for (size_t i = 0; i < t->kinds; i++)
		v[i].number = (uint32_t)i;
	for (size_t i = 0; i < t->nitems; i++)
		v[t->items[i]].count++;
	*n = 0;
	for (size_t i = 0; i < t->kinds; i++)
		if (v[i].count >= least)
			v[(*n)++] = v[i];
	mem_sort(v, *n, sizeof *v, compare_frequencies);
	return v;
}

static void
add_transaction(struct mine_forest *f, const struct mine_tree *t, const struct mem_transactions *of, size_t i, const uint32_t *place_of)
{
	size_t n = 0;
	uint32_t at = MINE_NONE;
	for (size_t k = i > 0 ? of->ends[i - 1] : 0; k < of->ends[i]; k++)
		if (place_of[of->items[k]] != MINE_NONE)
			f->path[n++] = place_of[of->items[k]];
	mem_sort(f->path, n, sizeof *f->path, mem_number_compare);
	for (size_t k = 0; k < n; k++)
		at = child_node(f, t, at, f->path[k]);
	add_weight(f, at, 1, mine_transaction_trace(i));
}

void
mine_forest_init(struct mine_forest *f, const struct mem_transactions *t, uint64_t least, bool full, struct mine_tree *out)
{
	*f = (struct mine_forest){ .least = least };
	struct mine_frequency *ranked = rank_items(t, least, &f->nranks);
	uint32_t *place_of = mem_xcalloc(t->kinds + 1, sizeof *place_of);
	f->numbers = mem_xcalloc(f->nranks + 1, sizeof *f->numbers);
	f->sums = mem_xcalloc(f->nranks + 1, sizeof *f->sums);
	f->places = mem_xcalloc(f->nranks + 1, sizeof *f->places);
	f->met = mem_xcalloc(f->nranks + 1, sizeof *f->met);
	f->path = mem_xcalloc(f->nranks + 1, sizeof *f->path);
	f->full = mem_xcalloc(f->nranks + 1, sizeof *f->full);
	for (size_t i = 0; i < t->kinds; i++)
		place_of[i] = MINE_NONE;
	begin_tree(f, out);
	for (size_t rank = 0; rank < f->nranks; rank++) {
		f->numbers[rank] = ranked[rank].number;
		if (full && ranked[rank].count == t->n) {
			f->full[f->nfull++] = (uint32_t)rank;
			continue;
		}
		place_of[ranked[rank].number] = (uint32_t)out->nitems;
		add_item(f, out, (uint32_t)rank, ranked[rank].count);
	}
	for (size_t i = 0; i < t->n; i++)
		add_transaction(f, out, t, i, place_of);
	sum_up_tree(f, out);
	free(place_of);
	free(ranked);
}

void
mine_forest_release(struct mine_forest *f)
{
	free(f->nodes);
	free(f->items);
	free(f->slots);
	free(f->sums);
	free(f->places);
	free(f->met);
	free(f->path);
	free(f->numbers);
	free(f->full);
	*f = (struct mine_forest){ 0 };
}
