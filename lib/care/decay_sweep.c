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

static enum mem_status
judge_decay(struct mem_txn *t, const struct care_rules *r, uint32_t ord, const struct mem_attr *a, int64_t now,
    struct care_judgement *out, struct mem_err *err)
{
	double importance;
	bool read = a->last_access != MEM_TIME_NONE;
	*out = (struct care_judgement){ .fate = CARE_NOT_JUDGED, .age = now - a->captured_at, .idle = -1 };
	if (!may_fade(a, now))
		return MEM_OK;
	if (read)
		out->idle = now > a->last_access ? now - a->last_access : 0;
	enum mem_status st = care_importance(t, ord, a, &importance, err);
	if (st != MEM_OK)
		return st;
	double staleness = mem_care_staleness((double)out->age / DAY_MS, read ? (double)out->idle / DAY_MS : -1, importance);
	out->staleness = round(staleness * 1e6) / 1e6;
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
