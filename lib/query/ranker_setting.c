/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of the ranker that config.yaml sets: "l=.2,d=1.1,P1=.3". */
#include "query/ranker.h"

#include <math.h>
#include <stdlib.h>

#include "conf/conf.h"

static const double WEIGHT_MAX = 1e6;

/* The features' count: there is none of that name. */
static size_t
find_feature(struct mem_str name)
{
	size_t f = 0;
	while (f < MEM_FEATURES && !mem_str_is(name, mem_rank_feature_name((enum mem_rank_feature)f)))
		f++;
	return f;
}

static bool
read_weight(struct mem_str text, double *out)
{
	char number[64], *end;
	if (text.n == 0 || text.n >= sizeof number)
		return false;
	memcpy(number, text.p, text.n);
	number[text.n] = '\0';
	*out = strtod(number, &end);
	return *end == '\0' && fabs(*out) <= WEIGHT_MAX;
}

/* One "name=number". */
static enum mem_status
set_weight(struct query_ranker *r, struct mem_str item, struct mem_err *err)
{
	const char *is = memchr(item.p, '=', item.n);
	size_t n = is != NULL ? (size_t)(is - item.p) : item.n;
	size_t f = find_feature((struct mem_str){ item.p, n });
	if (f == MEM_FEATURES)
		return mem_err_set(err, MEM_FAIL, "%s: '%.*s' is no feature of the ranker", r->setting, (int)(n < 40 ? n : 40), item.p);
	if (is == NULL || !read_weight((struct mem_str){ is + 1, item.n - n - 1 }, &r->weight[f]))
		return mem_err_set(err, MEM_FAIL, "%s: the weight of %.*s is not a number within 1000000", r->setting, (int)n, item.p);
	return MEM_OK;
}

enum mem_status
query_ranker_take_setting(struct query_ranker *r, const struct mem_conf *conf, struct mem_err *err)
{
	struct mem_str left = mem_conf_str(conf, r->setting);
	if (left.n == 0)
		return MEM_OK;
	memset(r->weight, 0, sizeof r->weight);
	for (bool more = true; more;) {
		const char *comma = memchr(left.p, ',', left.n);
		size_t n = comma != NULL ? (size_t)(comma - left.p) : left.n;
		enum mem_status st = set_weight(r, (struct mem_str){ left.p, n }, err);
		if (st != MEM_OK)
			return st;
		more = comma != NULL;
		left = (struct mem_str){ left.p + n + more, left.n - n - more };
	}
	return MEM_OK;
}
