/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a learning by somebody: worked out under the lock, so that two at a time both count. */
#include "belief/learn.h"

#include <string.h>

#include "clean/clean_text.h"
#include "store/node.h"

/* What each change does. */
static const struct learn_step {
	const char *word;           /* in the audit */
	double importance, confidence; /* added; of `set` they are the new values */
	bool set;
	const char *state;          /* NULL: it stays */
	int positive, negative;
} steps[] = {
	[MEM_LEARN_VERIFY] = { "verified", .15, .1, false, "verified", 0, 0 },
	[MEM_LEARN_DISPROVE] = { "disproven", .05, .1, true, "disproven", 0, 0 },
	[MEM_LEARN_REINFORCE] = { "reinforced", .05, 0, false, NULL, 0, 0 },
	[MEM_LEARN_POSITIVE] = { "positive", 0, 0, false, NULL, 1, 0 },
	[MEM_LEARN_NEGATIVE] = { "negative", 0, 0, false, NULL, 0, 1 },
	[MEM_LEARN_REPEAT] = { "repeated", .03, .02, false, NULL, 0, 0 },
};

/* A change on its way; in the batch's arena. */
struct learn_request {
	enum mem_learn_change change;
	const struct mem_id *sources;
	size_t nsources;
	struct mem_clean_text category; /* absent: it stays */
};

static double
cap_share(double v)
{
	return v < 1 ? v : 1;
}

static struct mem_clean_text
make_effectiveness(struct mem_arena *a, const struct mem_learn_value *v, const struct learn_step *step)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "positive", mem_clean_int(a, v->positive + step->positive));
	mem_clean_object_put(&o, "negative", mem_clean_int(a, v->negative + step->negative));
	mem_clean_object_put(&o, "uses", mem_clean_int(a, v->uses + step->positive + step->negative));
	return mem_clean_object_end(&o, a);
}

/* The sources that there are, and those of the request that are not among them. */
static struct mem_clean_text
join_sources(struct mem_arena *a, const struct mem_rec *rec, const struct learn_request *q)
{
	struct mem_clean_object list = { 0 };
	struct mem_clean_rec there = { 0 };
	mem_clean_restored(&there, rec);
	struct mem_json old = mem_rec_value(rec, "sources");
	for (struct mem_json_iter it = mem_json_each(old); mem_json_next(&it);)
		mem_clean_list_put(&list, mem_clean_part(&there, it.value));
	for (size_t i = 0; i < q->nsources; i++) {
		char id[MEM_ID_LEN + 1];
		bool known = false;
		mem_id_format(&q->sources[i], id);
		for (struct mem_json_iter it = mem_json_each(old); mem_json_next(&it);)
			known = known || mem_json_is(it.value, id);
		if (!known)
			mem_clean_list_put(&list, mem_clean_id(a, &q->sources[i]));
	}
	return mem_clean_list_end(&list, a);
}

/* The latest word on what kind of learning it is counts; what it was stands in the audit. */
static size_t
put_category(const struct mem_rec *rec, const struct learn_request *q, struct mem_clean_field *set, struct mem_clean_object *detail)
{
	struct mem_clean_rec there = { 0 };
	mem_clean_restored(&there, rec);
	struct mem_clean_text was = mem_clean_value(&there, "category");
	if (!mem_clean_there(q->category) || (mem_clean_there(was) && mem_str_eq(was.value.raw, q->category.value.raw)))
		return 0;
	*set = (struct mem_clean_field){ "category", q->category };
	mem_clean_object_put(detail, "category", mem_clean_or_null(was));
	return 1;
}

static const char *
judge_change(struct mem_txn *t, const struct mem_node *node, enum mem_learn_change change)
{
	if (node->attr->kind != MEM_KIND_LEARNING)
		return "bad_value";
	bool comes_back = change == MEM_LEARN_REPEAT && node->attr->status == MEM_STATUS_ARCHIVED;
	return mem_attr_live(node->attr, mem_txn_now(t)) || comes_back ? NULL : "state_conflict";
}

/* A mem_write_revise_fn. */
static enum mem_status
revise_learning(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	const struct learn_request *q = ctx;
	const struct learn_step *step = &steps[q->change];
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_learn_value v;
	struct mem_clean_object o = { 0 };
	struct mem_clean_field *set = mem_arena_alloc(a, 8 * sizeof *set);
	size_t n = 0;
	(void)err;
	*refused = judge_change(t, node, q->change);
	if (*refused != NULL)
		return MEM_OK;
	mem_learn_value_read(&v, rec, mem_txn_now(t));
	set[n++] = (struct mem_clean_field){ "importance", mem_clean_num(a, step->set ? step->importance : cap_share(v.importance + step->importance)) };
	set[n++] = (struct mem_clean_field){ "confidence", mem_clean_num(a, step->set ? step->confidence : cap_share(v.confidence + step->confidence)) };
	set[n++] = (struct mem_clean_field){ "changed_at", mem_clean_time(a, mem_txn_now(t)) };
	if (step->state != NULL)
		set[n++] = (struct mem_clean_field){ "state", mem_clean_word(a, mem_str(step->state)) };
	if (step->positive + step->negative > 0)
		set[n++] = (struct mem_clean_field){ "effectiveness", make_effectiveness(a, &v, step) };
	if (q->nsources > 0)
		set[n++] = (struct mem_clean_field){ "sources", join_sources(a, rec, q) };
	if (node->attr->status == MEM_STATUS_ARCHIVED)
		set[n++] = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("active")) };
	mem_clean_object_put(&o, "change", mem_clean_word(a, mem_str(step->word)));
	n += put_category(rec, q, set + n, &o);
	*edit = (struct mem_write_edit){ .set = set, .n = n, .op = "changed", .audit = { "learn", NULL, mem_clean_object_end(&o, a) } };
	return MEM_OK;
}

void
mem_learn_queue_change(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_id *id, enum mem_learn_change change,
    const char *category, const struct mem_id *sources, size_t nsources)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct learn_request *q = mem_arena_alloc(a, sizeof *q);
	struct mem_id *own = mem_arena_alloc(a, (nsources + 1) * sizeof *own);
	for (size_t i = 0; i < nsources; i++)
		own[i] = sources[i];
	*q = (struct learn_request){ change, own, nsources, category != NULL ? mem_clean_word(a, mem_str(category)) : mem_clean_absent() };
	mem_write_revise(r->writer, in, id, 0, revise_learning, q);
}

enum mem_status
mem_learn_change_one(struct mem_write_run *r, struct mem_str text, enum mem_learn_change change, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(r, text.n);
	struct mem_id id;
	enum mem_status st = mem_write_run_id(r, &in, text, &id, err);
	if (st == MEM_OK && mem_write_run_names(r, &id))
		st = mem_write_run_unchanged(r, &in, &id, err);
	else if (st == MEM_OK)
		mem_learn_queue_change(r, &in, &id, change, NULL, NULL, 0);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
}
