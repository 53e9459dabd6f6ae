/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a pattern draws on the step budget.
 *
 * PCRE2 can stop at each item, which costs more than to match most of them.  A stop is needed only before what would be
 * without bound otherwise: at the start, at the start of each branch of a group, and behind whatever can be tried in more
 * than one way.  Between two stops then stand no more steps than the pattern has items, and one run of a repeated item,
 * whose length the next stop sees.  PCRE2 itself tells where the items are.
 */
#include "text/pattern.h"
#include "text/text_int.h"

#include <stdlib.h>
#include <string.h>

enum item_kind { ITEM_PLAIN, ITEM_OPEN, ITEM_CLOSE, ITEM_BAR, ITEM_OTHER };

struct pattern_item {
	size_t at, length;
	enum item_kind kind;
};

struct item_list {
	struct mem_str source;
	struct pattern_item *items;
	size_t n, cap;
};

/* One character, one class or one escape that stands for one of them or for a place; it has no quantifier. */
static bool
is_plain_item(struct mem_str s)
{
	char first = s.p[0], last = s.p[s.n - 1];
	if (first == '[')
		return last == ']';
	if (first == '\\')
		return s.n == 2 && !(last >= '0' && last <= '9') && last != 'K' && last != 'X' && last != 'R';
	return s.n == 1 || ((unsigned char)last & 0x80) != 0;
}

static enum item_kind
tell_item_kind(struct mem_str s)
{
	if (s.n == 0)
		return ITEM_OTHER; /* the end */
	if (s.p[0] == '(')
		return memchr(s.p, ')', s.n) != NULL ? ITEM_OTHER : ITEM_OPEN; /* "(?1)" and "(*FAIL)" are whole */
	if (s.p[0] == ')')
		return ITEM_CLOSE;
	if (s.p[0] == '|')
		return ITEM_BAR;
	return is_plain_item(s) ? ITEM_PLAIN : ITEM_OTHER;
}

static void
add_pattern_item(void *ctx, size_t at, size_t length)
{
	struct item_list *l = ctx;
	l->items = mem_grow(l->items, &l->cap, l->n + 1, sizeof *l->items);
	l->items[l->n++] = (struct pattern_item){ at, length, tell_item_kind((struct mem_str){ l->source.p + at, length }) };
}

static int
compare_items_by_place(const void *a, const void *b)
{
	const struct pattern_item *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* By their place; what is in a group that is repeated stands more than once in what PCRE2 makes of it. */
static void
list_pattern_items(struct item_list *l, const struct mem_pattern *p, struct mem_str source)
{
	size_t n = 0;
	*l = (struct item_list){ .source = source };
	text_pattern_items(p, add_pattern_item, l);
	qsort(l->items, l->n, sizeof *l->items, compare_items_by_place);
	for (size_t i = 0; i < l->n; i++)
		if (n == 0 || l->items[n - 1].at != l->items[i].at)
			l->items[n++] = l->items[i];
	l->n = n;
}

/* The end of a group of plain items and bars that begins at item i and is not repeated; 0: it is none. */
static size_t
find_plain_group_end(const struct item_list *l, size_t i, bool *choice)
{
	*choice = false;
	for (i++; i < l->n && (l->items[i].kind == ITEM_PLAIN || l->items[i].kind == ITEM_BAR); i++)
		*choice |= l->items[i].kind == ITEM_BAR;
	return i < l->n && l->items[i].kind == ITEM_CLOSE && l->items[i].length == 1 ? i : 0;
}

/* Nothing goes back into an assertion. */
static bool
is_assertion(const struct item_list *l, const struct pattern_item *item)
{
	const char *p = l->source.p + item->at;
	return (item->length == 3 && (p[2] == '=' || p[2] == '!')) || (item->length == 4 && p[2] == '<' && (p[3] == '=' || p[3] == '!'));
}

static void
write_marked_pattern(struct mem_buf *to, const struct item_list *l)
{
	size_t done = 0, end;
	bool counted = false, choice; /* a stop stands before, and since then nothing that can be tried again */
	for (size_t i = 0; i < l->n; i++) {
		const struct pattern_item *item = &l->items[i];
		bool group = item->kind == ITEM_OPEN && (end = find_plain_group_end(l, i, &choice)) != 0;
		if (!counted && (item->kind != ITEM_OPEN || group)) {
			mem_buf_put(to, l->source.p + done, item->at - done);
			mem_buf_puts(to, "(?C)");
			done = item->at;
			counted = true;
		}
		if (group) {
			counted = !choice || is_assertion(l, item);
			i = end;
		} else if (item->kind != ITEM_PLAIN) {
			counted = false;
		}
	}
	mem_buf_put(to, l->source.p + done, l->source.n - done);
}

enum mem_status
mem_pattern_mark(struct mem_buf *to, struct mem_str source, unsigned flags, struct mem_err *err)
{
	struct mem_pattern *p;
	struct item_list l;
	if (memmem(source.p, source.n, "\\Q", 2) != NULL)
		return mem_err_set(err, MEM_USAGE, "\\Q cannot be marked");
	enum mem_status st = mem_pattern_new(&p, source, flags, err);
	if (st != MEM_OK)
		return st;
	list_pattern_items(&l, p, source);
	write_marked_pattern(to, &l);
	free(l.items);
	mem_pattern_free(p);
	return MEM_OK;
}

bool
text_pattern_has_branches(const struct mem_pattern *p, struct mem_str source)
{
	struct item_list l;
	long depth = 0;
	bool found = false;
	list_pattern_items(&l, p, source);
	for (size_t i = 0; i < l.n; i++) {
		found |= l.items[i].kind == ITEM_BAR && depth <= 0;
		depth += (l.items[i].kind == ITEM_OPEN) - (l.items[i].kind == ITEM_CLOSE);
	}
	free(l.items);
	return found || depth != 0;
}
