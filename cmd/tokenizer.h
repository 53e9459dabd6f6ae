/* SPDX-License-Identifier: Apache-2.0 */
/* The tokenizer by which tokens are counted. */
#ifndef MEM_TOKENIZER_H
#define MEM_TOKENIZER_H

#include "cli/cli.h"
#include "model/model.h"

/* That of the encoder, which the settings name; NULL: there is none, and the estimate serves. */
static inline struct mem_tokenizer *
load_tokenizer(const struct mem_conf *conf)
{
	struct mem_tokenizer *t = NULL;
	struct mem_err err;
	enum mem_status st = mem_tokenizer_load(&t, conf, &err);
	if (st != MEM_OK && st != MEM_ABSENT)
		mem_warn("%s; tokens are estimated", err.msg);
	return st == MEM_OK ? t : NULL;
}

/* The person's settings; ends the process where they are wrong. */
static inline struct mem_conf *
load_person_settings(void)
{
	struct mem_conf *conf = NULL;
	struct mem_err err;
	if (mem_conf_load(&conf, -1, &err) != MEM_OK)
		mem_die_err(&err);
	return conf;
}

#endif
