/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs put in order, looked at by their times, and run. */
#include "upkeep/upkeep_int.h"
#include "store/job.h"

#include <stdio.h>

/* ---- the plan ---------------------------------------------------------- */

static size_t
find_planned_job(const struct mem_job_plan *p, const char *name)
{
	size_t i = 0;
	while (i < p->n && strcmp(p->job[i]->name, name) != 0)
		i++;
	return i;
}

/* The first thing that is wrong with the rows taken one by one. */
static enum mem_status
check_job_table(const struct mem_job *const *table, size_t n, struct mem_err *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct mem_job *job = table[i];
		if (job->reach == 0)
			return mem_err_set(err, MEM_FAIL, "the job %s does not say what it covers", job->name);
		for (size_t k = 0; k < i; k++)
			if (strcmp(table[k]->name, job->name) == 0)
				return mem_err_set(err, MEM_FAIL, "two jobs are called %s", job->name);
		for (size_t a = 0; a < MEM_JOB_AFTER_MAX && job->after[a] != NULL; a++) {
			size_t k = 0;
			while (k < n && strcmp(table[k]->name, job->after[a]) != 0)
				k++;
			if (k == n)
				return mem_err_set(err, MEM_FAIL, "the job %s is after %s, which is none", job->name, job->after[a]);
		}
	}
	return MEM_OK;
}

/* Is all that it is after in the plan? */
static bool
may_follow_plan(const struct mem_job_plan *p, const struct mem_job *job)
{
	for (size_t a = 0; a < MEM_JOB_AFTER_MAX && job->after[a] != NULL; a++)
		if (find_planned_job(p, job->after[a]) == p->n)
			return false;
	return true;
}

/* The first of the table that is not there and may follow; NULL: none may. */
static const struct mem_job *
choose_next_job(const struct mem_job_plan *p, const struct mem_job *const *table, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (find_planned_job(p, table[i]->name) == p->n && may_follow_plan(p, table[i]))
			return table[i];
	return NULL;
}

enum mem_status
mem_job_plan_make(struct mem_job_plan *out, const struct mem_job *const *table, struct mem_err *err)
{
	size_t n = 0;
	*out = (struct mem_job_plan){ 0 };
	while (table[n] != NULL)
		n++;
	if (n > MEM_JOBS_MAX)
		return mem_err_set(err, MEM_FAIL, "there are %zu jobs, and room for %d", n, MEM_JOBS_MAX);
	enum mem_status st = check_job_table(table, n, err);
	while (st == MEM_OK && out->n < n) {
		const struct mem_job *job = choose_next_job(out, table, n);
		if (job == NULL)
			return mem_err_set(err, MEM_FAIL, "some jobs are after each other: %zu of %zu can be put in order", out->n, n);
		if (job->at != NULL && !mem_schedule_parse(mem_str(job->at), &out->at[out->n]))
			return mem_err_set(err, MEM_FAIL, "the job %s has no good time: '%s'", job->name, job->at);
		out->job[out->n++] = job;
	}
	return st;
}

void
mem_job_plan_apply_settings(struct mem_job_plan *p, const struct mem_conf *conf)
{
	for (size_t i = 0; i < p->n; i++) {
		struct mem_schedule at;
		if (mem_conf_schedule(conf, "maintain", p->job[i]->name, &at))
			p->at[i] = at;
	}
}

bool
mem_job_plan_name(struct mem_job_plan *p, const char *name)
{
	size_t i = find_planned_job(p, name);
	if (i == p->n)
		return false;
	p->nnamed += !p->named[i];
	p->named[i] = true;
	return true;
}

enum mem_status
mem_job_plan_tell(struct mem_job_plan *p, const char *name, bool due, uint64_t amount, struct mem_err *err)
{
	size_t i = find_planned_job(p, name);
	if (i == p->n)
		return mem_err_set(err, MEM_FAIL, "there is no job %s", name);
	p->is_told[i] = true;
	p->told[i] = (struct mem_job_state){ .due = due, .when = MEM_TIME_NONE, .amount = amount };
	return MEM_OK;
}

/* ---- looking ------------------------------------------------------------ */

static const char job_done[] = "done", job_idle[] = "nothing", job_failed[] = "failed";

/* Of a job with times of its own: has one of them come? */
static bool
has_time_come(const struct mem_schedule *at, const struct mem_job_last *last, int64_t now)
{
	if (at->form == MEM_SCHEDULE_OFF)
		return false;
	bool ended_well = strcmp(last->outcome, job_done) == 0 || strcmp(last->outcome, job_idle) == 0;
	if (last->at == MEM_TIME_NONE || last->at > now || !ended_well)
		return true;
	int64_t next = mem_schedule_next(at, last->at);
	return next != MEM_TIME_NONE && next <= now;
}

/* ---- whose it is ---------------------------------------------------------- */

/* Are there jobs of this kind for the caller? */
static bool
is_callers_job(const struct mem_index *m, const struct mem_job *job)
{
	return job->reach != MEM_JOB_OF_OPERATORS || mem_store_principal(m->store)->is_operator;
}

/* Whose clock a run keeps: that of the store where it covers all that the job is about, else the caller's, so that nobody's run
 * uses up the time of what only others can do. */
static const char *
find_job_clock(const struct mem_index *m, const struct mem_job *job)
{
	const struct mem_principal *who = mem_store_principal(m->store);
	bool covers_all = job->reach == MEM_JOB_OF_STORE || (who->is_operator && job->reach != MEM_JOB_OF_CALLER);
	return covers_all ? NULL : who->agent;
}

/* What mem_store_see_every gives, to be given back to it. */
static bool
widen_for_job(struct mem_index *m, const struct mem_job *job)
{
	bool every = job->reach == MEM_JOB_OF_WRITABLE || job->reach == MEM_JOB_OF_OPERATORS;
	return every ? mem_store_see_every(m->store, true) : mem_store_sees_every(m->store);
}

static enum mem_status
look_in_snapshot(struct mem_index *m, const struct mem_job_plan *p, size_t i, struct mem_job_state *out, struct mem_job_last *last,
    struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, m->store, err);
	if (st == MEM_OK)
		st = mem_job_last_get(t, p->job[i]->name, find_job_clock(m, p->job[i]), last, err);
	if (p->is_told[i])
		*out = p->told[i];
	else if (st == MEM_OK)
		st = p->job[i]->look(m, t, out, err);
	mem_txn_end(t);
	return st;
}

enum mem_status
mem_job_plan_look(struct mem_index *m, const struct mem_job_plan *p, size_t i, struct mem_job_state *out,
    struct mem_job_last *last, struct mem_err *err)
{
	const struct mem_schedule *at = &p->at[i];
	int64_t now = mem_store_now(m->store);
	*out = (struct mem_job_state){ .when = MEM_TIME_NONE };
	*last = (struct mem_job_last){ .at = MEM_TIME_NONE };
	if (!is_callers_job(m, p->job[i]))
		return MEM_OK;
	bool saw = widen_for_job(m, p->job[i]);
	enum mem_status st = look_in_snapshot(m, p, i, out, last, err);
	mem_store_see_every(m->store, saw);
	if (st != MEM_OK || at->form == MEM_SCHEDULE_NONE)
		return st;
	bool come = has_time_come(at, last, now);
	out->due = out->due && come;
	out->when = mem_schedule_next(at, come ? now : last->at);
	return MEM_OK;
}

/* ---- running ------------------------------------------------------------ */

struct job_ending {
	const char *name, *clock;
	struct mem_job_last last;
};

static enum mem_status
put_job_ending(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	const struct job_ending *e = ctx;
	return mem_job_last_put(t, e->name, e->clock, &e->last, err);
}

static enum mem_status
keep_job_ending(struct mem_index *m, const struct mem_job *job, int64_t began, const char *outcome, struct mem_err *err)
{
	struct job_ending e = { .name = job->name, .clock = find_job_clock(m, job), .last = { .at = began } };
	snprintf(e.last.outcome, sizeof e.last.outcome, "%s", outcome);
	return mem_store_write(m->store, put_job_ending, &e, err);
}

static const char *
outcome_word(enum mem_status st)
{
	switch (st) {
	case MEM_OK: return job_done;
	case MEM_BUSY: return "busy";
	case MEM_DENIED: return "denied";
	default: return job_failed;
	}
}

/* Is it to run though nobody asks for it?  What cannot be looked at says why when it runs. */
static enum mem_status
decide_by_look(struct mem_index *m, const struct mem_job_plan *p, size_t i, bool *run, struct mem_err *err)
{
	struct mem_job_state state;
	struct mem_job_last last;
	const struct mem_schedule *at = &p->at[i];
	int64_t now = mem_store_now(m->store);
	*run = false;
	if (at->form == MEM_SCHEDULE_OFF || !is_callers_job(m, p->job[i]))
		return MEM_OK;
	*run = mem_job_plan_look(m, p, i, &state, &last, err) != MEM_OK || state.due;
	/* Its time has been used: what turns up before the next one waits for that. */
	if (!*run && at->form != MEM_SCHEDULE_NONE && has_time_come(at, &last, now))
		return keep_job_ending(m, p->job[i], now, job_idle, err);
	return MEM_OK;
}

static enum mem_status
run_planned_job(struct mem_index *m, const struct mem_job *job, mem_job_done_fn *fn, void *ctx)
{
	struct mem_err err = { 0 }, unkept;
	uint64_t done = 0;
	int64_t began = mem_store_now(m->store);
	bool saw = widen_for_job(m, job);
	enum mem_status st = job->run(m, &done, &err);
	mem_store_see_every(m->store, saw);
	/* Of two failures the job's own is told. */
	enum mem_status kept = keep_job_ending(m, job, began, outcome_word(st), &unkept);
	if (st == MEM_OK && kept != MEM_OK) {
		st = kept;
		err = unkept;
	}
	fn(ctx, job, st, done, &err);
	return st == MEM_ABSENT ? MEM_FAIL : st;
}

/* Of one that is named: it does nothing, which is no fault. */
static void
tell_whose_job_it_is(const struct mem_index *m, const struct mem_job *job, mem_job_done_fn *fn, void *ctx)
{
	struct mem_err err = { 0 };
	fn(ctx, job, mem_err_set(&err, MEM_DENIED, "%s is for operators, and '%s' is none", job->name, mem_store_principal(m->store)->agent),
	    0, &err);
}

static bool
is_after_failed(const struct mem_job_plan *p, const bool *failed, size_t i)
{
	for (size_t a = 0; a < MEM_JOB_AFTER_MAX && p->job[i]->after[a] != NULL; a++)
		if (failed[find_planned_job(p, p->job[i]->after[a])])
			return true;
	return false;
}

enum mem_status
mem_job_plan_run(struct mem_index *m, const struct mem_job_plan *p, mem_job_done_fn *fn, void *ctx)
{
	bool failed[MEM_JOBS_MAX] = { false };
	enum mem_status worst = MEM_OK;
	for (size_t i = 0; i < p->n; i++) {
		struct mem_err err = { 0 };
		bool run = p->named[i];
		enum mem_status st = MEM_OK;
		failed[i] = is_after_failed(p, failed, i);
		if (failed[i]) {
			if (run || p->nnamed == 0)
				fn(ctx, p->job[i], MEM_STALE, 0, NULL);
			continue;
		}
		if (p->nnamed == 0) {
			st = decide_by_look(m, p, i, &run, &err);
			if (st != MEM_OK)
				fn(ctx, p->job[i], st, 0, &err);
		}
		if (run && !is_callers_job(m, p->job[i]))
			tell_whose_job_it_is(m, p->job[i], fn, ctx);
		else if (run)
			st = run_planned_job(m, p->job[i], fn, ctx);
		failed[i] = st != MEM_OK;
		worst = mem_status_worse(worst, st);
	}
	return worst;
}
