/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of learning: tags that were used, what occurred together, and tags that have been used enough. */
#include "conf/conf.h"
#include "link/hebb_int.h"
#include "store/job.h"

static bool
learning_is_on(struct mem_txn *t)
{
	return mem_str_is(mem_conf_str(mem_store_conf(mem_txn_store(t)), "hebb.learn"), "on");
}

static enum mem_status
look_activation(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	(void)m;
	return learning_is_on(t) ? mem_turn_scan_waits(t, "activation", MEM_TURNS_OF_SESSIONS, &out->due, err) : MEM_OK;
}

static enum mem_status
look_cooccurrence(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	(void)m;
	return learning_is_on(t) ? mem_turn_scan_waits(t, "cooccurrence", MEM_TURNS_OF_SESSIONS, &out->due, err) : MEM_OK;
}

/* Where no tag was ever used there are no drafts; else it is known by doing it alone. */
static enum mem_status
look_tags(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	struct mem_str mark;
	(void)m;
	enum mem_status st = mem_job_mark_get(t, "activation", &mark, err);
	out->due = st == MEM_OK && mark.n > 0 && learning_is_on(t);
	return st;
}

static enum mem_status
run_activation(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	struct mem_hebb_done d = { 0 };
	enum mem_status st = mem_hebb_activate(m, NULL, &d, err);
	*done += d.tags;
	return st;
}

static enum mem_status
run_cooccurrence(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	struct mem_hebb_done d = { 0 };
	enum mem_status st = mem_hebb_link(m, NULL, &d, err);
	*done += d.edges;
	return st;
}

static enum mem_status
run_tags(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	struct mem_hebb_done d = { 0 };
	enum mem_status st = mem_hebb_settle(m, NULL, &d, err);
	*done += d.activated;
	return st;
}

const struct mem_job mem_job_activation = {
	.name = "activation", .unit = "tags", .reach = MEM_JOB_OF_WRITABLE, .look = look_activation, .run = run_activation,
	.after = { "upgrade" }, .at = "02:00",
};
const struct mem_job mem_job_cooccurrence = {
	.name = "cooccurrence", .unit = "edges", .reach = MEM_JOB_OF_WRITABLE, .look = look_cooccurrence, .run = run_cooccurrence,
	.after = { "upgrade", "activation" }, .at = "02:30",
};
const struct mem_job mem_job_tags = {
	.name = "tags", .unit = "tags", .reach = MEM_JOB_OF_WRITABLE, .look = look_tags, .run = run_tags,
	.after = { "upgrade", "cooccurrence" }, .at = "02:45",
};
