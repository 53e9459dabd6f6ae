/* SPDX-License-Identifier: Apache-2.0 */
/* The model recorded in the store; no encoder code, so that commands that only read link without it. */
#include "embed/embed.h"

#include <stdlib.h>
#include <string.h>

static const char *
describe_maker(const char sha256[65])
{
	return sha256[0] != '\0' ? sha256 : "remote";
}

static enum mem_status
compare_with_record(const struct mem_vectors_model *there, const struct mem_encoder_info *info, struct mem_err *err)
{
	bool same = strcmp(there->name, info->name) == 0 && strcmp(there->sha256, info->sha256) == 0;
	if (same && (info->dims == 0 || info->dims == there->dims))
		return MEM_OK;
	if (same)
		return mem_err_set(err, MEM_STALE, "the store's vectors by %s have %u dimensions, and now it gives %u: "
		    "run mem-embed --rebuild", there->name, there->dims, info->dims);
	return mem_err_set(err, MEM_STALE, "the store's vectors were made by %s (%.12s), not by %s (%.12s): "
	    "run mem-embed --rebuild, or name that model by embed.model", there->name, describe_maker(there->sha256),
	    info->name, describe_maker(info->sha256));
}

enum mem_status
mem_model_record_compare(struct mem_txn *t, const struct mem_encoder_info *info, struct mem_err *err)
{
	struct mem_vectors_model there;
	enum mem_status st = mem_vectors_model_get(t, &there, err);
	if (st == MEM_OK)
		return compare_with_record(&there, info, err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
mem_model_record_unknown(const char *name, struct mem_err *err)
{
	return mem_err_set(err, MEM_FAIL, "the vectors of this store were made by %s, which is not known here: "
	    "run mem-embed --rebuild", name);
}

enum mem_status
mem_encoder_dims_check(const struct mem_encoder_info *info, struct mem_err *err)
{
	if (mem_vectors_dims_fit(info->dims))
		return MEM_OK;
	return mem_err_set(err, MEM_FAIL, "vectors of %u numbers, as %s gives them, cannot be kept: a multiple of 8 can, "
	    "of at most 4096", info->dims, info->name);
}

enum mem_status
mem_model_record_put(struct mem_txn *t, const struct mem_encoder_info *info, struct mem_err *err)
{
	struct mem_vectors_model there, m = { .dims = info->dims, .near = info->near, .weight = info->weight, .mean = info->mean };
	enum mem_status st = mem_vectors_model_get(t, &there, err);
	if (st == MEM_OK)
		return compare_with_record(&there, info, err);
	if (st == MEM_NOTFOUND)
		st = mem_encoder_dims_check(info, err);
	if (st != MEM_OK)
		return st;
	memcpy(m.name, info->name, sizeof m.name);
	memcpy(m.sha256, info->sha256, sizeof m.sha256);
	return mem_vectors_model_put(t, &m, err);
}

/* Is there a row, and is it a vector? */
static enum mem_vector_state
read_row_state(struct mem_txn *t, uint32_t ord)
{
	struct mem_vectors_model m;
	struct mem_err why;
	enum mem_status st = mem_vectors_model_get(t, &m, &why);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_VECTOR_NONE : MEM_VECTOR_BAD;
	float *v = mem_xcalloc(m.dims, sizeof *v);
	bool any = false, sound = true;
	for (uint32_t passage = 0; st == MEM_OK && sound && passage < MEM_VECTORS_PASSAGES; passage++) {
		st = mem_vectors_get(t, ord, passage, v, &why);
		any |= st != MEM_NOTFOUND;
		sound = st == MEM_NOTFOUND || (st == MEM_OK && mem_vectors_is_unit(v, m.dims));
	}
	free(v);
	return !any ? MEM_VECTOR_NONE : sound ? MEM_VECTOR_THERE : MEM_VECTOR_BAD;
}

enum mem_status
mem_vector_state_get(struct mem_txn *t, uint32_t ord, enum mem_vector_state *out, struct mem_err *err)
{
	uint8_t key[4];
	struct mem_str v;
	mem_be32(key, ord);
	enum mem_status st = mem_tab_get(t, MEM_T_PEND, (struct mem_str){ (const char *)key, sizeof key }, &v, err);
	if (st != MEM_OK && st != MEM_NOTFOUND && st != MEM_DAMAGED)
		return st;
	enum mem_vector_state row = read_row_state(t, ord);
	/* What waits will be replaced, however bad it is. */
	*out = st == MEM_NOTFOUND ? row : row == MEM_VECTOR_THERE ? MEM_VECTOR_BOTH : MEM_VECTOR_WAITS;
	return MEM_OK;
}
