/* SPDX-License-Identifier: Apache-2.0 */
/* The job reembed: a store with skills is changed over to the model that the settings name now.  All vectors of a store are one model's,
 * so that skills cannot be embedded anew alone.  Amount: nodes that have a vector. */
#include "upkeep/upkeep_int.h"
#include "conf/conf.h"
#include "embed/embed.h"
#include "skill/skill.h"
#include "store/job.h"
#include "vectors/vectors.h"

/* Do the settings name a model?  Without one new vectors are made by the model of those that are there. */
static bool
is_model_named(const struct mem_conf *conf)
{
	return mem_conf_str(conf, "embed.url").n > 0 || mem_conf_str(conf, "embed.model").n > 0;
}

/* Is it another one than that of the store's vectors?  A model that cannot be opened is a matter of the job embed. */
static bool
is_other_model(struct mem_store *s, struct mem_txn *t)
{
	struct mem_encoder *e = NULL;
	enum mem_status st = mem_encoder_for_rebuild(&e, s, NULL, NULL);
	bool other = st == MEM_OK && mem_model_record_compare(t, mem_encoder_info(e), NULL) == MEM_STALE;
	mem_encoder_close(e);
	return other;
}

static enum mem_status
look_reembed(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	struct mem_vectors_model there;
	uint64_t skills = 0;
	if (!is_model_named(mem_store_conf(m->store)) || mem_vectors_model_get(t, &there, NULL) != MEM_OK)
		return MEM_OK;
	enum mem_status st = mem_skills_count(t, &skills, err);
	bool other = st == MEM_OK && skills > 0 && is_other_model(m->store, t);
	out->due = other;
	out->amount = other ? mem_tab_count(t, MEM_T_NODE) - mem_vectors_pending_count(t) : 0;
	return st;
}

/* MEM_ABSENT: no model is installed. */
static enum mem_status
run_reembed(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	const struct mem_pending_options options = { .stop_fd = -1, .progress = m->progress, .ctx = m->progress_ctx };
	struct mem_pending_done d = { 0 };
	enum mem_status st = mem_rebuild_run(m, &options, &d, err);
	*done += d.embedded;
	return st;
}

const struct mem_job mem_job_reembed = {
	.name = "reembed", .unit = "nodes", .reach = MEM_JOB_OF_STORE, .look = look_reembed, .run = run_reembed,
	.after = { "upgrade" }, .at = "mon 05:00",
};
