/* SPDX-License-Identifier: Apache-2.0 */
/* One handle for a local model and for a remote route. */
#include "model/model_int.h"

#include <stdlib.h>
#include <string.h>

struct mem_encoder {
	struct mem_remote *remote;
};

enum mem_status
mem_encoder_open(struct mem_encoder **out, const struct mem_conf *conf, const char *name, struct mem_err *err)
{
	struct mem_remote *remote = NULL;
	enum mem_status st = MEM_NONE;
	if (name == NULL)
		name = mem_conf_str(conf, "embed.model").p;
	else
		conf = NULL;
	if (strcmp(name, "none") == 0)
		return mem_err_set(err, MEM_NONE, "embed.model: none");
	if (conf != NULL)
		st = mem_remote_open(&remote, conf, err);
	if (st == MEM_NONE)
		return mem_err_set(err, MEM_NONE, "no model is installed: run mem-model install %s",
		    name[0] != '\0' ? name : MEM_MODEL_DEFAULT);
	if (st != MEM_OK)
		return st;
	*out = mem_xcalloc(1, sizeof **out);
	(*out)->remote = remote;
	return MEM_OK;
}

void
mem_encoder_close(struct mem_encoder *e)
{
	if (e == NULL)
		return;
	mem_remote_close(e->remote);
	free(e);
}

const struct mem_encoder_info *
mem_encoder_info(const struct mem_encoder *e)
{
	return mem_remote_info(e->remote);
}

enum mem_status
mem_encode(struct mem_encoder *e, enum mem_encode_as as, const struct mem_str *texts, size_t n, float **out, bool *cut,
    struct mem_err *err)
{
	return mem_remote_encode(e->remote, as, texts, n, out, cut, err);
}

const struct mem_tokenizer *
mem_encoder_tokenizer(const struct mem_encoder *e)
{
	(void)e; /* a server keeps its own */
	return NULL;
}

bool
mem_encoder_elsewhere(const struct mem_encoder *e)
{
	return e->remote != NULL && !mem_remote_linked();
}
