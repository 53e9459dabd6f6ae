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

#include "base/order.h"

#define WAYS_MAX 32

enum item_kind { ITEM_PLAIN, ITEM_OPTIONAL, ITEM_OPEN, ITEM_CLOSE, ITEM_BAR, ITEM_OTHER };

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

/* "x?", "x??" or "x?+". */
static bool
is_optional_item(struct mem_str s)
{
	if (s.n > 2 && s.p[s.n - 2] == '?' && (s.p[s.n - 1] == '?' || s.p[s.n - 1] == '+'))
		s.n--;
	return s.n > 1 && s.p[s.n - 1] == '?' && is_plain_item((struct mem_str){ s.p, s.n - 1 });
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
	return is_plain_item(s) ? ITEM_PLAIN : is_optional_item(s) ? ITEM_OPTIONAL : ITEM_OTHER;
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
	mem_sort(l->items, l->n, sizeof *l->items, compare_items_by_place);
	for (size_t i = 0; i < l->n; i++)
		if (n == 0 || l->items[n - 1].at != l->items[i].at)
			l->items[n++] = l->items[i];
	l->n = n;
}

/* Nothing goes back into an assertion. */
static bool
is_assertion(const struct item_list *l, const struct pattern_item *item)
{
	const char *p = l->source.p + item->at;
	return (item->length == 3 && (p[2] == '=' || p[2] == '!')) || (item->length == 4 && p[2] == '<' && (p[3] == '=' || p[3] == '!'));
}

/* Is the group that ends here matched once at most? */
static bool
is_single(const struct item_list *l, const struct pattern_item *close)
{
	return close->length == 1 || (close->length == 2 && l->source.p[close->at + 1] == '?');
}

/*
 * The end of a group that begins at item i and can be matched in few ways, with nothing repeated in it; *ways of them.  0: it
 * is none.
 */
static size_t
find_small_group_end(const struct item_list *l, size_t i, unsigned *ways)
{
	unsigned sum = 0, branch = 1, inner = 1;
	const size_t open = i;
	while (++i < l->n && branch <= WAYS_MAX) {
		const struct pattern_item *item = &l->items[i];
		if (item->kind == ITEM_OTHER || (item->kind == ITEM_OPEN && (i = find_small_group_end(l, i, &inner)) == 0))
			return 0;
		if (item->kind == ITEM_OPTIONAL || item->kind == ITEM_OPEN) {
			branch *= item->kind == ITEM_OPEN ? inner : 2;
		} else if (item->kind == ITEM_BAR || item->kind == ITEM_CLOSE) {
			sum += branch;
			branch = 1;
		}
		if (item->kind == ITEM_CLOSE) {
			*ways = is_assertion(l, &l->items[open]) ? 1 : sum + (unsigned)item->length - 1;
			return sum < WAYS_MAX && is_single(l, item) ? i : 0;
		}
	}
	return 0;
}

/* The ways to come to the branches of the group that begins at item i, to which `ways` lead; 0: they begin with a stop. */
static unsigned
enter_group(const struct item_list *l, size_t i, unsigned ways)
{
	unsigned branches = 1;
	for (size_t depth = 0; ++i < l->n;) {
		branches += depth == 0 && l->items[i].kind == ITEM_BAR;
		if (l->items[i].kind == ITEM_CLOSE && depth-- == 0)
			return is_single(l, &l->items[i]) && ways * branches <= WAYS_MAX ? ways * branches : 0;
		depth += l->items[i].kind == ITEM_OPEN;
	}
	return 0;
}

/* A pattern that is written with its stops. */
struct pattern_marker {
	struct item_list list;
	struct mem_buf *to;
	size_t done;             /* bytes of the source that are written */
};

/* Before `item`, which can be matched in `more` ways, 0: in any number; returns how many lead behind it from the stop before. */
static unsigned
pass_item(struct pattern_marker *m, const struct pattern_item *item, unsigned ways, unsigned more)
{
	if (ways == 0 || ways * more > WAYS_MAX) {
		mem_buf_put(m->to, m->list.source.p + m->done, item->at - m->done);
		mem_buf_puts(m->to, "(?C)");
		m->done = item->at;
		ways = 1;
	}
	return ways * more;
}

/* From item i on to the end of its group, each branch of which `enter` ways lead to; PCRE2 bounds the depth. */
static size_t
mark_branches(struct pattern_marker *m, size_t i, unsigned enter)
{
	const struct item_list *l = &m->list;
	unsigned ways = enter, more;
	for (; i < l->n && l->items[i].kind != ITEM_CLOSE; i++) {
		const struct pattern_item *item = &l->items[i];
		size_t end;
		if (item->kind == ITEM_BAR) {
			ways = enter;
		} else if (item->kind != ITEM_OPEN) {
			ways = pass_item(m, item, ways, item->kind == ITEM_PLAIN ? 1 : item->kind == ITEM_OPTIONAL ? 2 : 0);
		} else if ((end = find_small_group_end(l, i, &more)) != 0) {
			ways = pass_item(m, item, ways, more);
			i = end;
		} else {
			i = mark_branches(m, i + 1, enter_group(l, i, ways));
			ways = 0;
		}
	}
	return i;
}

static void
write_marked_pattern(struct mem_buf *to, const struct item_list *l)
{
	struct pattern_marker m = { .list = *l, .to = to };
	for (size_t i = 0; i < l->n; i++) /* a ')' whose group is unknown ends no more than its part */
		i = mark_branches(&m, i, 0);
	mem_buf_put(to, l->source.p + m.done, l->source.n - m.done);
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
