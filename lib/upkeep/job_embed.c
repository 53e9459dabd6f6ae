/* SPDX-License-Identifier: Apache-2.0 */
/* The job embed: nodes that wait for a vector, or for the codes of its word pieces, get them, where an encoder is installed.
 * Amount: nodes; of those that may lack codes all that have to be looked at. */
#include "upkeep/upkeep_int.h"
#include "embed/embed.h"
#include "store/job.h"
#include "vectors/vectors.h"

/* Due only where somebody can do it; that the store's vectors are another model's is worth a word of run_embed. */
static enum mem_status
look_embed(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	const struct mem_conf *conf = mem_store_conf(m->store);
	struct mem_vectors_pieces_info pieces;
	struct mem_encoder *e = NULL;
	enum mem_status st = mem_vectors_pieces_stat(t, &pieces, err);
	if (st != MEM_OK)
		return st;
	uint64_t lack = pieces.bytes < mem_pieces_limit(conf) ? pieces.waiting + pieces.lack : 0;
	out->amount = mem_vectors_pending_count(t);
	if (out->amount + lack == 0)
		return MEM_OK;
	st = mem_encoder_for_writing(&e, m->store, NULL, err);
	if (st == MEM_OK && mem_pieces_wanted(conf, e))
		out->amount += lack;
	out->due = st != MEM_ABSENT && out->amount > 0;
	mem_encoder_close(e);
	return MEM_OK;
}

/* MEM_ABSENT: no model is installed. */
static enum mem_status
run_embed(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	const struct mem_pending_options options = { .stop_fd = -1, .progress = m->progress, .ctx = m->progress_ctx };
	struct mem_pending_done d;
	enum mem_status st = mem_pending_run(m, &options, &d, err);
	*done += d.embedded;
	return st;
}

const struct mem_job mem_job_embed = {
	.name = "embed", .unit = "nodes", .reach = MEM_JOB_OF_STORE, .look = look_embed, .run = run_embed, .after = { "upgrade" },
};
