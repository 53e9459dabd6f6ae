/* SPDX-License-Identifier: Apache-2.0 */
/* Items of transactions: their numbers, their order, their records. */
#include "base/text_map.h"
#include "conf/conf.h"
#include "link/items.h"
#include "record/record.h"
#include "text/text.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>

#define JOIN_FILE_MAX ((size_t)1 << 20) /* as of all YAML (conf.h) */
#define ITEM_PAD 16   /* bytes behind the text of an item that may be read */
#define ITEM_MAX 1024 /* bytes of a name in a rule file */

/* An item: what it is written as, and what tells it from others. */
struct item {
	struct mem_str text;        /* decoded; of a number its digits */
	struct mem_str json;        /* with a comma before it; once all is sorted */
	double value;
	bool number, given;         /* given: by a rule, so that it is written as there */
	size_t uses;                /* of a name: how often it was written so */
};
/* From a text to a number: of items under what they are, of names that are joined under their folded text. */
struct item_slots {
	struct item_slot {
		struct mem_str key;
		uint32_t value;
	} *v;
	size_t n, cap;
};
struct mem_items {
	struct item *items;
	size_t n, items_cap;
	struct item_slots by_text, joined;
	struct mem_text_map spellings; /* of names: how often each was there */
	uint32_t *sorted;           /* by number: the place in the order; once all is sorted */
	uint8_t secret[MEM_SECRET_LEN];
	uint32_t *numbers;          /* of a line */
	size_t numbers_cap;
	struct mem_rec rec;
	struct mem_buf text, key;   /* of an item */
	struct mem_arena arena;
};

struct mem_items *
mem_items_new(void)
{
	struct mem_items *t = mem_xcalloc(1, sizeof *t);
	mem_random(t->secret, sizeof t->secret);
	return t;
}

void
mem_items_free(struct mem_items *t)
{
	if (t == NULL)
		return;
	free(t->items);
	free(t->by_text.v);
	free(t->joined.v);
	mem_text_map_release(&t->spellings);
	free(t->sorted);
	free(t->numbers);
	mem_rec_release(&t->rec);
	mem_buf_release(&t->text);
	mem_buf_release(&t->key);
	mem_arena_release(&t->arena);
	free(t);
}

/* ---- texts to numbers --------------------------------------------------------- */

static struct item_slot *
find_item_slot(const struct mem_items *t, const struct item_slots *s, struct mem_str key)
{
	size_t at = (size_t)mem_hash64(t->secret, key) & (s->cap - 1);
	while (s->v[at].key.p != NULL && !mem_str_eq(s->v[at].key, key))
		at = (at + 1) & (s->cap - 1);
	return &s->v[at];
}

/* The slot of a text, which may be a free one. */
static struct item_slot *
reserve_item_slot(struct mem_items *t, struct item_slots *s, struct mem_str key)
{
	if (2 * (s->n + 1) > s->cap) {
		struct item_slots old = *s;
		s->cap = old.cap > 0 ? 2 * old.cap : 64;
		s->v = mem_xcalloc(s->cap, sizeof *s->v);
		for (size_t i = 0; i < old.cap; i++)
			if (old.v[i].key.p != NULL)
				*find_item_slot(t, s, old.v[i].key) = old.v[i];
		free(old.v);
	}
	return find_item_slot(t, s, key);
}

static void
fill_item_slot(struct mem_items *t, struct item_slots *s, struct item_slot *slot, struct mem_str key, uint32_t value)
{
	slot->key = mem_arena_str(&t->arena, key);
	slot->value = value;
	s->n++;
}

/* A number and a string of the same digits are two: what stands before the text tells. */
static uint32_t
own_number(struct mem_items *t, const struct item *item)
{
	mem_buf_reset(&t->key);
	mem_buf_putc(&t->key, item->number ? '1' : '"');
	mem_buf_str(&t->key, item->text);
	struct item_slot *slot = reserve_item_slot(t, &t->by_text, mem_buf_span(&t->key));
	if (slot->key.p != NULL)
		return slot->value;
	fill_item_slot(t, &t->by_text, slot, mem_buf_span(&t->key), (uint32_t)t->n);
	t->items = mem_grow(t->items, &t->items_cap, t->n + 1, sizeof *t->items);
	t->items[t->n] = *item;
	t->items[t->n].text = (struct mem_str){ slot->key.p + 1, slot->key.n - 1 };
	return (uint32_t)t->n++;
}

static uint32_t
item_number(struct mem_items *t, const struct item *item)
{
	if (t->joined.n == 0)
		return own_number(t, item);
	mem_buf_reset(&t->key);
	mem_text_fold_name(&t->key, item->text);
	const struct item_slot *slot = find_item_slot(t, &t->joined, mem_buf_span(&t->key));
	return slot->key.p != NULL ? slot->value : own_number(t, item);
}

static void
count_spelling(struct mem_items *t, uint32_t number, struct mem_str name)
{
	bool made;
	struct item *item = &t->items[number];
	struct mem_text_entry *e = mem_text_map_put(&t->spellings, name, 0, &made);
	e->value++;
	if (!item->given && (e->value > item->uses || (e->value == item->uses && mem_str_cmp(name, item->text) < 0))) {
		item->text = e->text;
		item->uses = e->value;
	}
}

uint32_t
mem_items_number(struct mem_items *t, struct mem_str name)
{
	mem_buf_reset(&t->text);
	mem_text_fold_name(&t->text, name);
	struct item_slot *slot = reserve_item_slot(t, &t->joined, mem_buf_span(&t->text));
	if (slot->key.p == NULL)
		fill_item_slot(t, &t->joined, slot, mem_buf_span(&t->text), own_number(t, &(struct item){ .text = name }));
	uint32_t number = slot->value;
	count_spelling(t, number, name);
	return number;
}

/* ---- names that are one --------------------------------------------------------- */

enum { JOIN_ITEM, JOIN_NAMES };
static const struct mem_rule_field join_fields[] = {
	[JOIN_ITEM] = { .name = "item", .type = MEM_RULE_TEXT, .max = ITEM_MAX },
	[JOIN_NAMES] = { .name = "names", .type = MEM_RULE_LIST, .required = true, .max = ITEM_MAX, .expected = "a name" },
};

static enum mem_status
join_name(struct mem_items *t, const char *file, const struct mem_rule *r, struct mem_str name, uint32_t number, struct mem_err *err)
{
	struct mem_buf folded = { 0 };
	enum mem_status st = MEM_OK;
	mem_text_fold_name(&folded, name);
	struct item_slot *slot = reserve_item_slot(t, &t->joined, mem_buf_span(&folded));
	if (slot->key.p == NULL)
		fill_item_slot(t, &t->joined, slot, mem_buf_span(&folded), number);
	else if (slot->value != number)
		st = mem_rule_refuse(err, file, r->line, r->name, "'%.*s' is a name of '%.*s', too", (int)name.n, name.p,
		    (int)t->items[slot->value].text.n, t->items[slot->value].text.p);
	mem_buf_release(&folded);
	return st;
}

static enum mem_status
join_rule(struct mem_items *t, const char *file, const struct mem_rule *r, struct mem_err *err)
{
	const struct item item = { .text = r->values[JOIN_ITEM].given ? r->values[JOIN_ITEM].text : r->name };
	uint32_t number = own_number(t, &item);
	t->items[number].given = true;
	enum mem_status st = join_name(t, file, r, item.text, number, err);
	for (size_t i = 0; st == MEM_OK && i < r->values[JOIN_NAMES].n; i++)
		st = join_name(t, file, r, r->values[JOIN_NAMES].list[i], number, err);
	return st;
}

enum mem_status
mem_items_join(struct mem_items *t, const char *file, struct mem_err *err)
{
	static const struct mem_rule_list lists[] = { { "joins", join_fields, MEM_COUNT(join_fields) } };
	struct mem_buf text = { 0 };
	struct mem_arena arena = { 0 };
	struct mem_rules rules;
	enum mem_status st = mem_file_read(AT_FDCWD, file, JOIN_FILE_MAX, &text, err);
	if (st == MEM_OK)
		st = mem_rules_read(&rules, &arena, lists, MEM_COUNT(lists), mem_buf_span(&text), file, err);
	for (size_t i = 0; st == MEM_OK && i < rules.n; i++)
		st = join_rule(t, file, &rules.rules[i], err);
	mem_arena_release(&arena);
	mem_buf_release(&text);
	return st;
}

/* ---- transactions ------------------------------------------------------------------ */

static enum mem_status
read_item(struct mem_items *t, struct mem_json v, struct mem_str line, uint32_t *number, struct mem_err *err)
{
	struct item item = { .text = v.raw, .number = v.type == MEM_JSON_NUMBER };
	mem_buf_reset(&t->text);
	if (!item.number && !mem_json_decode(&t->text, v))
		return mem_err_record(err, "bad_value", (size_t)(v.raw.p - line.p), "an item is neither a string nor a number");
	if (!item.number)
		item.text = mem_buf_span(&t->text);
	else if (!mem_json_num(v, &item.value)) /* no double holds it */
		item.value = v.raw.p[0] == '-' ? -HUGE_VAL : HUGE_VAL;
	*number = item_number(t, &item);
	return MEM_OK;
}

enum mem_status
mem_items_read(struct mem_items *t, struct mem_transactions *to, struct mem_str line, struct mem_err *err)
{
	size_t n = 0;
	enum mem_status st = mem_rec_scan(&t->rec, line, err);
	if (st == MEM_OK)
		st = mem_rec_refuse_nul(&t->rec, err);
	if (st != MEM_OK)
		return st;
	struct mem_json items = mem_rec_value(&t->rec, "items");
	if (items.type != MEM_JSON_ARRAY)
		return mem_err_record(err, "bad_value", mem_json_there(items) ? (size_t)(items.raw.p - line.p) : 0, "items is no list");
	for (struct mem_json_iter it = mem_json_each(items); st == MEM_OK && mem_json_next(&it);) {
		t->numbers = mem_grow(t->numbers, &t->numbers_cap, n + 1, sizeof *t->numbers);
		st = read_item(t, it.value, line, &t->numbers[n++], err);
	}
	if (st == MEM_OK)
		mem_transactions_add(to, t->numbers, n);
	return st;
}

/* ---- order ------------------------------------------------------------------------- */

static int
compare_numbered_items(const void *a, const void *b, void *items)
{
	const struct item *x = (struct item *)items + *(const uint32_t *)a, *y = (struct item *)items + *(const uint32_t *)b;
	if (x->number != y->number)
		return x->number ? -1 : 1;
	if (x->number && (x->value < y->value || x->value > y->value))
		return x->value < y->value ? -1 : 1;
	return mem_str_cmp(x->text, y->text);
}

static struct mem_str
item_json(struct mem_items *t, const struct item *item)
{
	mem_buf_reset(&t->text);
	mem_buf_putc(&t->text, ',');
	if (item->number)
		mem_buf_str(&t->text, item->text);
	else
		mem_json_put_string(&t->text, item->text);
	size_t n = t->text.len;
	char *json = mem_arena_alloc(&t->arena, n + ITEM_PAD);
	memcpy(json, t->text.data, n);
	return (struct mem_str){ json, n };
}

void
mem_items_sort(struct mem_items *t)
{
	uint32_t *order = mem_xcalloc(t->n + 1, sizeof *order);
	t->sorted = mem_xcalloc(t->n + 1, sizeof *t->sorted);
	struct item *sorted = mem_xcalloc(t->n + 1, sizeof *sorted);
	for (size_t i = 0; i < t->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, t->n, sizeof *order, compare_numbered_items, t->items);
	for (size_t i = 0; i < t->n; i++) {
		t->sorted[order[i]] = (uint32_t)i;
		sorted[i] = t->items[order[i]];
		sorted[i].json = item_json(t, &sorted[i]);
	}
	free(t->items);
	t->items = sorted;
	free(order);
}

void
mem_items_renumber(const struct mem_items *t, struct mem_transactions *of)
{
	mem_transactions_renumber(of, t->sorted, t->n);
}

/* ---- records ------------------------------------------------------------------------- */

/* There may be millions of sets, of short items: those are copied with what stands behind them, which costs less than to call memcpy. */
static void
put_items(struct mem_buf *out, const char *key, const struct mem_items *t, const uint32_t *items, size_t n)
{
	size_t bytes = 1 + ITEM_PAD;
	mem_json_put_key(out, key);
	for (size_t i = 0; i < n; i++)
		bytes += t->items[items[i]].json.n;
	mem_buf_reserve(out, bytes);
	char *first = out->data + out->len, *p = first;
	for (size_t i = 0; i < n; i++) {
		struct mem_str json = t->items[items[i]].json;
		if (json.n <= ITEM_PAD)
			memcpy(p, json.p, ITEM_PAD);
		else
			memcpy(p, json.p, json.n);
		p += json.n;
	}
	*first = '['; /* in place of the comma */
	out->len += (size_t)(p - first);
	mem_buf_putc(out, ']');
}

void
mem_items_put_set(struct mem_buf *out, const struct mem_items *t, const struct mem_mine_set *set, int64_t owners)
{
	mem_buf_putc(out, '{');
	put_items(out, "items", t, set->items, set->n);
	mem_json_put_int(out, "count", (int64_t)set->count);
	if (owners >= 0)
		mem_json_put_int(out, "owners", owners);
	mem_buf_putc(out, '}');
}

void
mem_items_put_rule(struct mem_buf *out, const struct mem_items *t, const struct mem_mine_rule *rule)
{
	mem_buf_putc(out, '{');
	put_items(out, "antecedent", t, rule->antecedent, rule->nantecedent);
	put_items(out, "consequent", t, rule->consequent, rule->nconsequent);
	mem_json_put_int(out, "count", (int64_t)rule->count);
	mem_json_put_num(out, "support", rule->support);
	mem_json_put_num(out, "confidence", rule->confidence);
	mem_json_put_num(out, "lift", rule->lift);
	mem_buf_putc(out, '}');
}
