/* SPDX-License-Identifier: Apache-2.0 */
/* The tokenizer of an installed model. */
#include "model/model_int.h"

enum mem_status
model_open_tokenizer(struct mem_tokenizer **out, const struct mem_model *m, struct mem_err *err)
{
	struct mem_err why;
	const struct mem_model_spec *spec = mem_model_spec(m);
	enum mem_status st = mem_tokenizer_open(out, spec->tokens, model_vocab(m), &why);
	return st == MEM_OK ? st : mem_err_set(err, st, "cannot use the model %s: %s; install it again", spec->name, why.msg);
}

static void
close_model(void *m)
{
	mem_model_close(m);
}

enum mem_status
mem_tokenizer_load(struct mem_tokenizer **out, const struct mem_conf *conf, struct mem_err *err)
{
	struct mem_model *m;
	*out = NULL;
	if (mem_conf_str(conf, "embed.url").n > 0)
		return mem_err_set(err, MEM_ABSENT, "the tokenizer is the server's");
	enum mem_status st = model_open_named(&m, mem_conf_str(conf, "embed.model").p, err);
	if (st == MEM_OK)
		st = model_open_tokenizer(out, m, err);
	if (st == MEM_OK)
		mem_tokenizer_keep(*out, m, close_model);
	else
		mem_model_close(m);
	return st;
}
