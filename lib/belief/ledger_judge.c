/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that are worked out anew without a claim, and what they were before. */
#include "belief/ledger_calls_int.h"

enum mem_status
mem_ledger_judge(struct mem_ledger *l, const struct mem_id *fact, struct mem_err *err)
{
	static const struct mem_claim nothing = { .valid_from = MEM_TIME_NONE, .valid_to = MEM_TIME_NONE, .due = MEM_TIME_NONE };
	struct ledger_fact *f;
	enum mem_status st = ledger_fact_by_id(l, fact, &f, err);
	if (st != MEM_OK || f == NULL || f->frozen || f->value.subject.n == 0)
		return st;
	struct mem_fact_source *s = mem_arena_alloc(&l->arena, sizeof *s);
	*s = (struct mem_fact_source){ .ns = ledger_fact_text(l, f, "ns"), .captured_at = f->at, .created_at = f->created_at, .trust = f->trust };
	struct ledger_claim *c = ledger_claim_new(l, &nothing, s);
	c->at = f->at;
	c->value = f->value;
	c->predicate = l->rules != NULL ? mem_predicate_find(l->rules, f->value.predicate) : NULL;
	c->judges = f;
	return MEM_OK;
}

void
mem_ledger_merge(struct mem_ledger *l, const struct mem_id *merged)
{
	l->merges = true;
	l->merged = *merged;
}

const struct mem_id *
mem_ledger_judged(const struct mem_ledger *l, size_t *n)
{
	*n = l->njudged;
	return l->judged;
}

static void
note_judged_id(struct mem_ledger *l, const struct mem_id *id)
{
	for (size_t i = 0; i < l->njudged; i++)
		if (mem_id_cmp(&l->judged[i], id) == 0)
			return;
	l->judged = mem_grow(l->judged, &l->judged_cap, l->njudged + 1, sizeof *l->judged);
	l->judged[l->njudged++] = *id;
}

/* The fields of the list as they are: those that are there, and the names of the others. */
static void
put_fields_before(struct mem_ledger *l, const struct ledger_fact *f, const struct mem_clean_field *set, size_t n, struct mem_clean_object *o)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_rec whole = { 0 };
	struct mem_clean_object was = { 0 }, added = { 0 };
	mem_clean_restored(&whole, &f->rec);
	for (size_t i = 0; i <= n; i++) {
		const char *name = i < n ? set[i].name : "judged";
		struct mem_clean_text v = mem_clean_value(&whole, name);
		if (mem_clean_there(v))
			mem_clean_object_put(&was, name, v);
		else
			mem_clean_list_put(&added, mem_clean_word(a, mem_str(name)));
	}
	mem_clean_object_put(o, "was", mem_clean_object_end(&was, a));
	mem_clean_object_put(o, "added", mem_clean_list_end(&added, a));
}

size_t
ledger_put_judged(struct mem_ledger *l, const struct mem_id *id, const struct ledger_fact *f, struct mem_clean_field *set, size_t n)
{
	struct mem_arena *a = mem_writer_arena(l->w);
	struct mem_clean_object o = { 0 };
	int64_t version = 1;
	if (!l->merges)
		return n;
	note_judged_id(l, id);
	mem_clean_object_put(&o, "by", mem_clean_id(a, &l->merged));
	if (f != NULL) {
		if (!mem_json_int(mem_rec_value(&f->rec, "version"), &version))
			version = 1;
		mem_clean_object_put(&o, "version", mem_clean_int(a, version));
		put_fields_before(l, f, set, n, &o);
	}
	set[n] = (struct mem_clean_field){ "judged", mem_clean_object_end(&o, a) };
	return n + 1;
}
