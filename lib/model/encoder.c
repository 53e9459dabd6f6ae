/* SPDX-License-Identifier: Apache-2.0 */
/* One handle for a local model and for a remote route. */
#include "model/model_int.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* One of the two. */
struct mem_encoder {
	struct model_local *local;
	struct model_remote *remote;
};

enum mem_status
mem_encoder_open(struct mem_encoder **out, const struct mem_conf *conf, const char *name, struct mem_err *err)
{
	struct mem_encoder e = { 0 };
	enum mem_status st = MEM_ABSENT;
	*out = NULL;
	bool settled = name == NULL;
	if (settled) {
		name = mem_conf_str(conf, "embed.model").p;
		if (strcmp(name, "none") != 0)
			st = model_remote_open(&e.remote, conf, err);
	}
	if (strcmp(name, "none") == 0)
		return mem_err_set(err, MEM_ABSENT, "embed.model: none");
	if (st == MEM_ABSENT)
		st = model_local_open(&e.local, name, mem_conf_str(conf, "search.language").p, err);
	if (st == MEM_USAGE && settled) /* nobody has used this command wrongly */
		st = mem_err_set(err, MEM_FAIL, "embed.model: there is no model '%s': mem-model list shows them", name);
	if (st != MEM_OK)
		return st;
	*out = mem_xmalloc(sizeof **out);
	**out = e;
	mem_encoder_set_threads(*out, (unsigned)mem_conf_int(conf, "embed.threads"));
	return MEM_OK;
}

void
mem_encoder_close(struct mem_encoder *e)
{
	if (e == NULL)
		return;
	model_local_close(e->local);
	model_remote_close(e->remote);
	free(e);
}

const struct mem_encoder_info *
mem_encoder_info(const struct mem_encoder *e)
{
	return e->remote != NULL ? model_remote_info(e->remote) : model_local_info(e->local);
}

void
mem_encoder_set_threads(struct mem_encoder *e, unsigned n)
{
	if (e->local != NULL)
		model_local_set_threads(e->local, n);
}

void
mem_encoder_set_until(struct mem_encoder *e, int64_t until)
{
	if (e->remote != NULL)
		model_remote_set_until(e->remote, until);
}

enum mem_status
mem_encode_pieces(struct mem_encoder *e, enum mem_encode_as as, const struct mem_str *texts, size_t n, float **out, bool *cut,
    struct mem_text_pieces *pieces, struct mem_err *err)
{
	if (pieces != NULL)
		memset(pieces, 0, n * sizeof *pieces);
	if (e->remote != NULL)
		return model_remote_encode(e->remote, as, texts, n, out, cut, err);
	return model_local_encode(e->local, as, texts, n, out, cut, pieces, err);
}

enum mem_status
mem_encode(struct mem_encoder *e, enum mem_encode_as as, const struct mem_str *texts, size_t n, float **out, bool *cut,
    struct mem_err *err)
{
	return mem_encode_pieces(e, as, texts, n, out, cut, NULL, err);
}

bool
mem_encoder_has_pieces(const struct mem_encoder *e)
{
	return e->local != NULL && model_local_has_pieces(e->local);
}

const struct mem_tokenizer *
mem_encoder_tokenizer(const struct mem_encoder *e)
{
	return e->local != NULL ? model_local_tokenizer(e->local) : NULL; /* a server keeps its own */
}

bool
mem_encoder_needs_child(const struct mem_encoder *e)
{
	return e->remote != NULL && !model_is_curl_linked();
}
