/* SPDX-License-Identifier: Apache-2.0 */
/* The encoder that new vectors of a store are made with.  Apart from the rest, so that most commands link without encoders. */
#include "embed/embed.h"

#include <stdlib.h>
#include <string.h>

static enum mem_status
open_store_encoder(struct mem_encoder **out, struct mem_store *s, const char *name, bool any, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_vectors_model there;
	const struct mem_conf *conf = mem_store_conf(s);
	bool settled = name != NULL || mem_conf_str(conf, "embed.url").n > 0 || mem_conf_str(conf, "embed.model").n > 0;
	*out = NULL;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st != MEM_OK)
		return st;
	st = mem_vectors_model_get(t, &there, err);
	/* What a remote route calls its model names nothing that is installed. */
	bool known = st == MEM_OK && mem_model_find(mem_str(there.name)) != NULL;
	if (st == MEM_OK && !settled && there.sha256[0] != '\0' && (known || !any))
		name = there.name;
	if (st == MEM_OK || st == MEM_NOTFOUND)
		st = mem_encoder_open(out, conf, name, err);
	if (st == MEM_USAGE && name == there.name)
		st = mem_model_record_unknown(name, err);
	if (st == MEM_OK && !any) {
		st = mem_model_record_compare(t, mem_encoder_info(*out), err);
		if (st == MEM_STALE)
			st = mem_err_set(err, MEM_FAIL, "%s", err->msg);
	}
	mem_txn_end(t);
	if (st != MEM_OK) {
		mem_encoder_close(*out);
		*out = NULL;
	}
	return st;
}

static size_t
measure_bytes(const void *ctx, struct mem_str text)
{
	(void)ctx;
	return text.n;
}

struct mem_text_split
mem_encoder_text_split(const struct mem_encoder *e)
{
	const struct mem_encoder_info *info = mem_encoder_info(e);
	size_t most = info->text_max > 0 ? info->text_max : 1;
	struct mem_passage_options o = { .limit = most, .overlap = MEM_PASSAGE_OVERLAP, .passages_max = MEM_VECTORS_PASSAGES,
		.measure = measure_bytes };
	if (!info->remote) {
		o.limit = most < MEM_PASSAGE_IDS ? most : MEM_PASSAGE_IDS;
		o.measure = mem_tokens_measure;
		o.ctx = mem_encoder_tokenizer(e);
	}
	return (struct mem_text_split){ most, o };
}

enum mem_status
mem_encoder_for_writing(struct mem_encoder **out, struct mem_store *s, const char *name, struct mem_err *err)
{
	return open_store_encoder(out, s, name, false, err);
}

enum mem_status
mem_encoder_for_rebuild(struct mem_encoder **out, struct mem_store *s, const char *name, struct mem_err *err)
{
	return open_store_encoder(out, s, name, true, err);
}
