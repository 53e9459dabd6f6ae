/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sweep of decay: a memory that is stale is archived, in no search from then on.  What fades is worked out from the node
 * as it is and the time (store/decay.h); nothing is taken off step by step, so that two runs on one day do what one does.
 */
#include "care/care_int.h"
#include "clean/clean_text.h"
#include "conf/conf.h"

#include <math.h>

#define DAY_MS (24 * 3600 * 1000.0)

/* Below this a memory is dormant: it is found, and counts for little. */
#define DORMANT .1

double
mem_care_staleness(double age, double idle, double importance)
{
	double unread = idle < 0 ? .8 : fmin(idle / 60, 1);
	return .4 * (1 - exp2(-fmax(age, 0) / 30)) + .3 * unread + .3 * (1 - importance);
}

static void
read_decay_rules(struct care_rules *out, const struct mem_conf *conf)
{
	*out = (struct care_rules){ .on = mem_str_is(mem_conf_str(conf, "decay.sweep"), "on"),
		.review = mem_conf_num(conf, "decay.review"), .archive = mem_conf_num(conf, "decay.archive") };
}

/* Learnings and skills have rules of their own, core memory does not fade. */
static bool
may_fade(const struct mem_attr *a, int64_t now)
{
	const struct mem_kind_info *info = mem_kind_info(a->kind);
	return info->memory && info->decay == MEM_DECAY_TYPE && a->kind != MEM_KIND_LEARNING && a->status == MEM_STATUS_ACTIVE &&
	    !care_is_forgotten(a, now);
}

/* When the latest source of a fact came; MEM_TIME_NONE: none tells. */
static int64_t
find_last_said(struct mem_json fact)
{
	struct mem_arena a = { 0 };
	int64_t last = MEM_TIME_NONE, at;
	for (struct mem_json_iter it = mem_json_each(mem_json_member(fact, "sources")); mem_json_next(&it);)
		if (mem_time_parse(mem_json_text(&a, mem_json_member(it.value, "created_at")), &at) && at > last)
			last = at;
	mem_arena_release(&a);
	return last;
}

static void
work_out_staleness(struct care_judgement *j, double importance)
{
	double staleness = mem_care_staleness((double)j->age / DAY_MS, j->idle < 0 ? -1 : (double)j->idle / DAY_MS, importance);
	j->staleness = round(staleness * 1e6) / 1e6;
}

/* What was said again is as old as that. */
static enum mem_status
renew_age(struct mem_txn *t, uint32_t ord, const struct mem_attr *a, int64_t now, double importance, struct care_judgement *j,
    struct mem_err *err)
{
	struct mem_str json;
	enum mem_status st = mem_node_text_at(t, ord, &json, err);
	int64_t said = st == MEM_OK ? find_last_said(mem_json_object(json)) : MEM_TIME_NONE;
	if (said > a->captured_at) {
		j->age = now - said;
		work_out_staleness(j, importance);
	}
	return st;
}

static enum mem_status
judge_decay(struct mem_txn *t, const struct care_rules *r, uint32_t ord, const struct mem_attr *a, int64_t now,
    struct care_judgement *out, struct mem_err *err)
{
	double importance;
	*out = (struct care_judgement){ .fate = CARE_NOT_JUDGED, .age = now - a->captured_at, .idle = -1 };
	if (!may_fade(a, now))
		return MEM_OK;
	if (a->last_access != MEM_TIME_NONE)
		out->idle = now > a->last_access ? now - a->last_access : 0;
	enum mem_status st = care_importance(t, ord, a, &importance, err);
	if (st != MEM_OK)
		return st;
	work_out_staleness(out, importance);
	if (a->kind == MEM_KIND_FACT && out->staleness >= fmin(r->review, r->archive))
		st = renew_age(t, ord, a, now, importance, out, err);
	if (st != MEM_OK)
		return st;
	out->importance = care_faded(a, importance, now);
	if (out->staleness >= r->review || out->staleness >= r->archive)
		out->fate = a->pinned ? CARE_SPARED : out->staleness >= r->archive ? CARE_GOES : CARE_REVIEW;
	out->reason = out->fate == CARE_SPARED ? "pinned" : NULL;
	return MEM_OK;
}

static struct mem_clean_text
make_days(struct mem_arena *a, int64_t ms)
{
	return ms < 0 ? mem_clean_null() : mem_clean_num(a, floor((double)ms / DAY_MS * 10) / 10);
}

static void
edit_decay(struct mem_writer *w, const struct care_rules *r, const struct mem_attr *attr, const struct care_judgement *j, int64_t now,
    struct mem_write_edit *out)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_object o = { 0 };
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	(void)r;
	(void)attr;
	(void)now;
	*set = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("archived")) };
	mem_clean_object_put(&o, "staleness", mem_clean_num(a, j->staleness));
	mem_clean_object_put(&o, "importance", mem_clean_num(a, j->importance));
	mem_clean_object_put(&o, "age_days", make_days(a, j->age));
	mem_clean_object_put(&o, "idle_days", make_days(a, j->idle));
	*out = (struct mem_write_edit){ .set = set, .n = 1, .op = "archived", .undoable = true,
		.audit = { "archive", NULL, mem_clean_object_end(&o, a) } };
}

static void
put_decay(struct mem_buf *out, const struct care_judgement *j)
{
	mem_json_put_num(out, "staleness", j->staleness);
	mem_json_put_num(out, "importance", j->importance);
	mem_json_put_raw(out, "dormant", j->importance < DORMANT ? MEM_STR("true") : MEM_STR("false"));
	mem_json_put_int(out, "age", j->age / 1000);
	if (j->idle < 0)
		mem_json_put_null(out, "idle");
	else
		mem_json_put_int(out, "idle", j->idle / 1000);
}

const struct care_sweep_kind care_decay_sweep = {
	.went = "archived", .read = read_decay_rules, .judge = judge_decay, .edit = edit_decay, .put = put_decay,
};
