/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the file of a skill: refused by a reason, or a record of one line whose front and content are the bytes, with a name that is
 * one, twice the same.  The orders of any text lie in it, one behind the other.
 */
#include <stdlib.h>
#include <string.h>

#include "skill/orders.h"
#include "skill/release.h"
#include "skill/skill_files.h"
#include "skill/skill_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_that(bool holds)
{
	if (!holds)
		abort();
}

/* ---- the record ----------------------------------------------------------- */

static void
check_relations(struct mem_arena *a, struct mem_json list)
{
	check_that(list.type == MEM_JSON_ARRAY);
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);) {
		struct mem_json weight = mem_json_member(it.value, "weight");
		double v;
		bool named = mem_json_there(mem_json_member(it.value, "name"));
		check_that(named != mem_json_there(mem_json_member(it.value, "path")));
		check_that(mem_json_text(a, mem_json_member(it.value, named ? "name" : "path")).n > 0);
		check_that(mem_json_there(mem_json_member(it.value, "edge")));
		check_that(!mem_json_there(weight) || (mem_json_num(weight, &v) && v >= 0 && v <= 1));
	}
}

static void
check_record(const struct skill_draft *d, struct mem_str bytes)
{
	struct mem_rec rec = { 0 };
	struct mem_arena a = { 0 };
	struct mem_buf file = { 0 };
	check_that(mem_rec_scan(&rec, mem_buf_span(&d->record), NULL) == MEM_OK);
	mem_buf_str(&file, mem_json_text(&a, mem_rec_value(&rec, "front")));
	mem_buf_str(&file, mem_json_text(&a, mem_rec_value(&rec, "content")));
	check_that(mem_str_eq(mem_buf_span(&file), bytes));
	check_that(mem_skill_name_valid(d->name) && mem_str_eq(mem_json_text(&a, mem_rec_value(&rec, "name")), d->name));
	check_that(d->release.n <= MEM_RELEASE_MAX && d->faults.len == 0);
	for (size_t i = 0; i < rec.nfields; i++)
		for (size_t k = 0; k < i; k++)
			check_that(!mem_str_eq(rec.fields[i].key, rec.fields[k].key));
	check_relations(&a, mem_rec_value(&rec, "relations"));
	mem_buf_release(&file);
	mem_arena_release(&a);
	mem_rec_release(&rec);
}

static void
read_file(struct skill_draft *d, struct mem_str bytes, bool loose)
{
	const struct skill_source source = { .path = MEM_STR("/skills/brew tea/SKILL.md"), .bytes = bytes, .loose = loose };
	struct mem_err err = { 0 };
	enum mem_status st = skill_draft_read(d, &source, &err);
	if (st == MEM_OK)
		check_record(d, bytes);
	else if (st == MEM_REFUSED)
		check_that(err.reason != NULL && err.offset <= bytes.n);
	else
		check_that(st == MEM_END && loose);
}

/* ---- orders ----------------------------------------------------------------- */

struct order_check {
	struct mem_str text;
	size_t at;
};

/* A mem_order_fn. */
static void
check_order(void *ctx, const struct mem_order *order)
{
	struct order_check *c = ctx;
	const size_t start = order->sentence.start, end = order->sentence.end;
	check_that(start < end && end <= c->text.n && start >= c->at && order->key.n > 0);
	check_that(mem_utf8_valid(c->text.p + start, end - start) == end - start);
	c->at = end;
}

static void
read_orders(struct mem_str bytes)
{
	static struct mem_analyser *english;
	struct order_check c = { .text = { bytes.p, mem_utf8_valid(bytes.p, bytes.n) } };
	if (english == NULL)
		check_that(mem_analyser_open(&english, "english", NULL) == MEM_OK);
	mem_orders_each(english, c.text, check_order, &c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct mem_str bytes = { (const char *)data, size };
	struct skill_draft first = { 0 }, again = { 0 };
	read_file(&first, bytes, false);
	read_file(&again, bytes, true);
	read_file(&again, bytes, false);
	check_that(mem_str_eq(mem_buf_span(&first.record), mem_buf_span(&again.record)));
	read_orders(bytes);
	skill_draft_release(&first);
	skill_draft_release(&again);
	return 0;
}
