/* SPDX-License-Identifier: Apache-2.0 */
/* Decay of importance by the curve of a node's type. */
#include "store/decay.h"

#include <math.h>

static const double HOUR_MS = 3600e3;
static const double LEARNING_RATE = .003, LEARNING_FLOOR = .05; /* a day; of importance */
static const double EPISODE_HALF_LIFE = 7 * 24, OTHER_HALF_LIFE = 365 * 24; /* hours */

/* So that figures are the same whichever way a machine's exp is made. */
static double
round_share(double x)
{
	return round(x * 1e6) / 1e6;
}

/* `kind` decays by type. */
static double
read_curve(unsigned kind, unsigned type, double hours)
{
	const struct mem_memory_type_info *curve = mem_memory_type_info(type);
	if (kind == MEM_KIND_EPISODE)
		return exp2(-hours / EPISODE_HALF_LIFE);
	if (curve->word == NULL)
		return exp2(-hours / OTHER_HALF_LIFE);
	return exp(-pow(hours / curve->scale, curve->shape));
}

/* A learning of so much importance. */
static double
read_learning_factor(double importance, double hours)
{
	if (!(importance > LEARNING_FLOOR))
		return 1;
	return fmax(pow(1 - LEARNING_RATE, floor(hours / 24)), LEARNING_FLOOR / importance);
}

double
mem_decay_factor(const struct mem_attr *a, int64_t now)
{
	double hours = ((double)now - (double)a->captured_at) / HOUR_MS;
	if (a->pinned || mem_kind_info(a->kind)->decay != MEM_DECAY_TYPE || !(hours > 0))
		return 1;
	if (a->kind == MEM_KIND_LEARNING)
		return round_share(read_learning_factor((double)a->importance, hours));
	return round_share(read_curve(a->kind, a->type, hours));
}

double
mem_decay_importance(const struct mem_attr *a, int64_t now)
{
	return round_share((double)a->importance * mem_decay_factor(a, now));
}

static struct mem_str
read_record_text(const struct mem_rec *r, const char *name, struct mem_buf *room)
{
	mem_buf_reset(room);
	return mem_json_decode(room, mem_rec_value(r, name)) ? mem_buf_span(room) : (struct mem_str){ "", 0 };
}

double
mem_decay_record(const struct mem_rec *node, int64_t now)
{
	struct mem_buf room = { 0 };
	struct mem_attr a = { .captured_at = MEM_TIME_NONE };
	a.kind = (uint16_t)mem_kind_parse(read_record_text(node, "kind", &room));
	a.type = (uint8_t)mem_memory_type_parse(read_record_text(node, "type", &room));
	a.pinned = mem_rec_value(node, "pinned").type == MEM_JSON_TRUE;
	double importance;
	if (mem_json_num(mem_rec_value(node, "importance"), &importance))
		a.importance = (float)importance;
	int64_t at;
	bool timed = (a.kind == MEM_KIND_LEARNING && mem_time_parse(read_record_text(node, "changed_at", &room), &at)) ||
	    mem_time_parse(read_record_text(node, "captured_at", &room), &at) ||
	    mem_time_parse(read_record_text(node, "created_at", &room), &at);
	mem_buf_release(&room);
	if (!timed)
		return 1;
	a.captured_at = at;
	return mem_decay_factor(&a, now);
}
