/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of the step neighbours, by model. */
#ifndef QUERY_RANKER_H
#define QUERY_RANKER_H

#include "query/rank.h"

struct mem_conf;

struct query_ranker {
	enum mem_search_mode mode;
	bool pieces;             /* turns have codes of word pieces */
	const char *model;       /* of the store's vectors; NULL: any other, or none */
	enum mem_signal second;  /* that counts beside the words */
	double lexical, dense, match; /* in F: of the words, of the second, of the pieces */
	double dense_unit;       /* of the second: about its deviation over the turns of a conversation */
	double weight[MEM_FEATURES];
	const char *setting;     /* of config.yaml, whose weights stand in for these */
};
/* NULL: a question by one signal alone. */
const struct query_ranker *query_ranker_find(const struct mem_question *q, bool pieces);
/* Puts the weights of its setting into *r, where there is one: a feature that it does not name has 0.  MEM_FAIL: it names what is no
 * feature, or a weight is no number. */
enum mem_status query_ranker_take_setting(struct query_ranker *r, const struct mem_conf *conf, struct mem_err *err) MEM_CHECKED;

#endif
