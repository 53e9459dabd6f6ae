/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs mining and tiers: patterns that several owners have, and those that have waited long enough. */
#include "conf/conf.h"
#include "link/tier.h"

static bool
is_job_wanted(const struct mem_store *s, const char *setting)
{
	return mem_str_is(mem_conf_str(mem_store_conf(s), setting), "on");
}

/* Where no session was ever learned from there are no active tags; else it is known by doing it alone. */
static enum mem_status
look_tier_job(struct mem_txn *t, const char *setting, struct mem_job_state *out, struct mem_err *err)
{
	struct mem_str mark;
	enum mem_status st = mem_job_mark_get(t, "activation", &mark, err);
	out->due = st == MEM_OK && mark.n > 0 && is_job_wanted(mem_txn_store(t), setting);
	return st;
}

static enum mem_status
look_mining(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	(void)m;
	return look_tier_job(t, "mine.patterns", out, err);
}

static enum mem_status
look_tiers(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	(void)m;
	return look_tier_job(t, "tier.share", out, err);
}

static enum mem_status
run_tier_job(struct mem_index *m, const char *setting, enum mem_status (*work)(struct mem_write_run *r, struct mem_err *err), uint64_t *done,
    struct mem_err *err)
{
	struct mem_write_run r = { .writer = mem_writer_new(m, &(struct mem_write_options){ .via = "mem-maintain", .keeps = true }),
		.emit = mem_receipts_drop };
	bool wanted = is_job_wanted(mem_writer_store(r.writer), setting);
	enum mem_status st = wanted ? mem_writer_sanitise(r.writer, NULL, NULL, err) : MEM_OK;
	if (st == MEM_OK && wanted)
		st = work(&r, err);
	*done += r.total.stored;
	mem_writer_free(r.writer);
	return st;
}

static enum mem_status
run_mining(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	return run_tier_job(m, "mine.patterns", mem_tier_mine, done, err);
}

static enum mem_status
run_sharing(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	return run_tier_job(m, "tier.share", mem_tier_share, done, err);
}

const struct mem_job mem_job_mining = {
	.name = "mining", .unit = "patterns", .reach = MEM_JOB_OF_OPERATORS, .look = look_mining, .run = run_mining,
	.after = { "upgrade", "tags" }, .at = "03:00",
};
const struct mem_job mem_job_tiers = {
	.name = "tiers", .unit = "patterns", .reach = MEM_JOB_OF_OPERATORS, .look = look_tiers, .run = run_sharing,
	.after = { "upgrade", "mining" }, .at = "03:30",
};
