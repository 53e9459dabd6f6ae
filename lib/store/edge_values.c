/* SPDX-License-Identifier: Apache-2.0 */
/* What tables out and in keep of an edge, read from its text; kinds of edges. */
#include <math.h>
#include <string.h>

#include "store/store_int.h"
#include "store/edge_int.h"
#include "store/edge.h"

#define HOUR_MS 3600000
#define DAY_MS  (24. * HOUR_MS)

static enum mem_status
refuse_edge_field(const struct mem_rec *edge, struct mem_json v, const char *reason, const char *name, const char *want,
    struct mem_err *err)
{
	size_t at = edge->text.p != NULL ? (size_t)(v.raw.p - edge->text.p) : 0;
	return mem_err_record(err, reason, at, "%s of an edge must be %s", name, want);
}

/* The field's value; not there where it is null. */
static struct mem_json
find_edge_field(const struct mem_rec *edge, const char *name)
{
	struct mem_json v = mem_rec_value(edge, name);
	return v.type == MEM_JSON_NULL ? (struct mem_json){ 0 } : v;
}

static enum mem_status
read_edge_share(const struct mem_rec *edge, const char *name, float *out, struct mem_err *err)
{
	struct mem_json v = find_edge_field(edge, name);
	double d = 1;
	if (mem_json_there(v) && (!mem_json_num(v, &d) || d < 0 || d > 1))
		return refuse_edge_field(edge, v, "bad_value", name, "a number from 0 to 1", err);
	*out = (float)d;
	return MEM_OK;
}

static enum mem_status
read_edge_time(const struct mem_rec *edge, const char *name, int64_t *out, struct mem_err *err)
{
	struct mem_json v = find_edge_field(edge, name);
	*out = MEM_TIME_NONE;
	if (!mem_json_there(v))
		return MEM_OK;
	/* No time holds a character that must be escaped. */
	if (v.type != MEM_JSON_STRING || !mem_time_parse((struct mem_str){ v.raw.p + 1, v.raw.n - 2 }, out))
		return refuse_edge_field(edge, v, "bad_time", name, "a time (RFC 3339)", err);
	return MEM_OK;
}

static enum mem_status
read_edge_flags(const struct mem_rec *edge, uint32_t *flags, struct mem_err *err)
{
	struct mem_json v = find_edge_field(edge, "bidirectional");
	if (mem_json_there(v) && v.type != MEM_JSON_TRUE && v.type != MEM_JSON_FALSE)
		return refuse_edge_field(edge, v, "bad_value", "bidirectional", "true or false", err);
	*flags = mem_json_there(v) && v.type == MEM_JSON_TRUE ? MEM_EDGE_BIDIRECTIONAL : 0;
	return MEM_OK;
}

static void
put_reinforced(struct mem_edge_values *v, int64_t at)
{
	v->reinforced = (uint32_t)(at / HOUR_MS);
	v->flags |= (uint32_t)(at % HOUR_MS) << MEM_EDGE_MS_SHIFT;
}

enum mem_status
mem_edge_values_read(struct mem_edge_values *out, const struct mem_rec *edge, struct mem_err *err)
{
	int64_t reinforced = MEM_TIME_NONE, created;
	*out = (struct mem_edge_values){ 0 };
	enum mem_status st = read_edge_share(edge, "weight", &out->weight, err);
	if (st == MEM_OK)
		st = read_edge_share(edge, "confidence", &out->confidence, err);
	if (st == MEM_OK)
		st = read_edge_flags(edge, &out->flags, err);
	if (st == MEM_OK)
		st = read_edge_time(edge, "created_at", &created, err); /* for its form alone */
	if (st == MEM_OK)
		st = read_edge_time(edge, "valid_from", &out->valid_from, err);
	if (st == MEM_OK)
		st = read_edge_time(edge, "valid_to", &out->valid_to, err);
	if (st == MEM_OK)
		st = read_edge_time(edge, "reinforced_at", &reinforced, err);
	if (st != MEM_OK)
		return st;
	if (out->valid_from != MEM_TIME_NONE || out->valid_to != MEM_TIME_NONE)
		out->flags |= MEM_EDGE_TIMED;
	if (reinforced != MEM_TIME_NONE)
		put_reinforced(out, reinforced < HOUR_MS ? HOUR_MS : reinforced);
	return MEM_OK;
}

int64_t
mem_edge_idle(uint32_t reinforced, uint32_t flags, int64_t at)
{
	return reinforced == 0 ? 0 : at - (int64_t)reinforced * HOUR_MS - (int64_t)(flags >> MEM_EDGE_MS_SHIFT);
}

bool
mem_edge_valid(const struct mem_edge_values *v, int64_t at)
{
	return (v->valid_from == MEM_TIME_NONE || v->valid_from <= at) && (v->valid_to == MEM_TIME_NONE || at < v->valid_to);
}

double
mem_edge_decay(const struct mem_store *s)
{
	return mem_conf_num(mem_store_conf(s), "hebb.decay");
}

double
mem_weight_fade(double weight, double per_day, int64_t ms)
{
	return ms > 0 ? weight * pow(per_day, (double)ms / DAY_MS) : weight;
}

/* ---- kinds ------------------------------------------------------------- */

bool
mem_edge_kind_valid(struct mem_str kind)
{
	for (size_t i = 0; i < kind.n; i++)
		if ((kind.p[i] < 'a' || kind.p[i] > 'z') && kind.p[i] != '_')
			return false;
	return kind.n > 0 && kind.n <= 64;
}

bool
mem_edge_kind_rights(struct mem_str kind)
{
	static const char *const rights[] = { "attested_by", "promoted_to", "demoted_from", "member_of" };
	for (size_t i = 0; i < MEM_COUNT(rights); i++)
		if (mem_str_is(kind, rights[i]))
			return true;
	return false;
}

/* ---- rows -------------------------------------------------------------- */

struct mem_str
store_edge_key(uint8_t key[STORE_EDGE_KEY], uint32_t a, uint16_t kind, uint32_t b)
{
	mem_be32(key, a);
	key[4] = (uint8_t)(kind >> 8);
	key[5] = (uint8_t)kind;
	mem_be32(key + 6, b);
	return (struct mem_str){ (const char *)key, STORE_EDGE_KEY };
}

struct store_out_head
store_out_head_make(uint64_t seq, const struct mem_edge_values *v)
{
	return (struct store_out_head){ .seq = seq, .weight = v->weight, .confidence = v->confidence, .valid_from = v->valid_from,
		.valid_to = v->valid_to, .reinforced = v->reinforced, .flags = v->flags };
}

struct store_in_row
store_in_row_make(const struct store_out_head *head)
{
	return (struct store_in_row){ head->weight, head->reinforced, head->flags };
}

void
store_out_row_read(struct mem_edge *e, struct mem_str value)
{
	struct store_out_head h;
	memcpy(&h, value.p, sizeof h);
	e->seq = h.seq;
	e->v = (struct mem_edge_values){ h.weight, h.confidence, h.valid_from, h.valid_to, h.reinforced, h.flags };
	e->json = (struct mem_str){ value.p + sizeof h, value.n - sizeof h };
}
