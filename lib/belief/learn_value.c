/* SPDX-License-Identifier: Apache-2.0 */
/* What a learning is worth at a time. */
#include "belief/learn.h"

#include <math.h>

#include "store/decay.h"

const char *const mem_learn_categories[] = {
	"pattern", "anti_pattern", "best_practice", "discovery", "fact", "failure_mode", "review_finding", "performance_insight", "reflexion", NULL,
};
const char *const mem_learn_states[] = { "open", "verified", "disproven", NULL };

static int64_t
read_count(struct mem_json effectiveness, const char *name)
{
	int64_t n;
	return mem_json_int(mem_json_member(effectiveness, name), &n) && n > 0 ? n : 0;
}

void
mem_learn_value_read(struct mem_learn_value *out, const struct mem_rec *learning, int64_t now)
{
	struct mem_json e = mem_rec_value(learning, "effectiveness");
	out->importance = round(mem_rec_num(learning, "importance", .5) * mem_decay_record(learning, now) * 1e6) / 1e6;
	out->confidence = mem_rec_num(learning, "confidence", .5);
	out->positive = read_count(e, "positive");
	out->negative = read_count(e, "negative");
	out->uses = read_count(e, "uses");
	out->effectiveness = out->uses >= MEM_LEARN_USES_LEAST ? (double)out->positive / (double)out->uses : MEM_LEARN_UNKNOWN;
	out->effective = out->importance;
	if (out->uses >= 5)
		out->effective = round((.3 * out->importance + .7 * ((double)out->positive + 2) / ((double)out->uses + 4)) * 1e4) / 1e4;
}
