/* SPDX-License-Identifier: Apache-2.0 */
/* The model that made a store's vectors. */
#include "memory/memory.h"

#include <string.h>

/* The encoder at hand must be the one that made the vectors. */
static enum mem_status
compare(const struct mem_encoder_info *have, const struct mem_index_model *made, struct mem_err *err)
{
	if (strcmp(have->name, made->name) == 0 && strcmp(have->sha256, made->sha256) == 0)
		return MEM_OK;
	return mem_err_set(err, MEM_FAIL, "the vectors of this store were made by %s (%.12s), and the model at hand is "
	    "%s (%.12s): run mem-embed --rebuild", made->name, made->sha256[0] != '\0' ? made->sha256 : "remote",
	    have->name, have->sha256[0] != '\0' ? have->sha256 : "remote");
}

static enum mem_status
open_encoder(struct mem_memory *m, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_index_model made = { 0 };
	enum mem_status st = mem_txn_read(&t, m->store, err);
	if (st != MEM_OK)
		return st;
	st = mem_index_model_get(t, &made, err);
	mem_txn_end(t);
	made.mean = NULL; /* the snapshot has ended */
	m->model = made;
	if (st == MEM_NONE)
		return mem_err_set(err, MEM_NONE, "the store has no vectors: run mem-embed --pending");
	/* What a remote route calls its model is no name of an installed one. */
	if (st == MEM_OK)
		st = mem_encoder_open(&m->encoder, mem_store_conf(m->store), made.sha256[0] != '\0' ? made.name : NULL, err);
	if (st == MEM_NONE)
		return mem_err_set(err, MEM_NONE, "the vectors of this store were made by %s, which is not installed: "
		    "run mem-model install %s", made.name, made.name);
	return st == MEM_OK ? compare(mem_encoder_info(m->encoder), &made, err) : st;
}

enum mem_status
mem_memory_encoder(struct mem_memory *m, struct mem_encoder **out, struct mem_err *err)
{
	if (!m->encoder_tried) {
		m->encoder_tried = true;
		m->encoder_err = (struct mem_err){ 0 };
		m->encoder_err.status = open_encoder(m, &m->encoder_err);
	}
	if (m->encoder_err.status != MEM_OK && err != NULL)
		*err = m->encoder_err;
	*out = m->encoder;
	return m->encoder_err.status;
}
