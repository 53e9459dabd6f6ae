/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes of a skill: counted by day, and what follows from them. */
#include "skill/uses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS      ((int64_t)24 * 3600 * 1000)
#define TREND_DAYS  7
#define US_PER_MS   1e3
#define US_MAX      9e18         /* fits in 63 bits */

const char *const mem_skill_outcomes[] = { "success", "failure", "partial", NULL };
const char *const mem_skill_counters[MEM_SKILL_OUTCOMES] = { "successes", "failures", "partials" };
static const char *const day_counters[MEM_SKILL_OUTCOMES] = { "s", "f", "p" };

static int32_t
day_of(int64_t ms)
{
	return (int32_t)(ms >= 0 ? ms / DAY_MS : -((DAY_MS - 1 - ms) / DAY_MS));
}

static double
round_to(double v, double digits)
{
	return round(v * digits) / digits;
}

/* ---- reading ----------------------------------------------------------------- */

static int64_t
read_outcomes(struct mem_json object, const char *name)
{
	int64_t n;
	if (!mem_json_int(mem_json_member(object, name), &n) || n < 0)
		return 0;
	return n < MEM_SKILL_COUNT_MAX ? n : MEM_SKILL_COUNT_MAX;
}

static bool
read_use_time(struct mem_json v, int64_t *ms)
{
	struct mem_buf b = { 0 };
	bool good = v.type == MEM_JSON_STRING && mem_json_decode(&b, v) && mem_time_parse(mem_buf_span(&b), ms);
	mem_buf_release(&b);
	return good;
}

static bool
read_outcome_date(struct mem_json v, int32_t *day)
{
	struct mem_buf b = { 0 };
	int64_t ms;
	if (v.type != MEM_JSON_STRING || !mem_json_decode(&b, v))
		mem_buf_reset(&b);
	mem_buf_puts(&b, "T00:00:00Z");
	bool good = mem_time_parse(mem_buf_span(&b), &ms);
	mem_buf_release(&b);
	if (good)
		*day = day_of(ms);
	return good;
}

/* The days must rise, as this file writes them: what does not is left out. */
static void
read_outcome_days(struct mem_skill_uses *out, struct mem_json days)
{
	for (struct mem_json_iter it = mem_json_each(days); mem_json_next(&it);) {
		struct mem_skill_day d = { 0 };
		if (out->ndays == MEM_SKILL_DAYS || !read_outcome_date(mem_json_member(it.value, "d"), &d.day) ||
		    (out->ndays > 0 && d.day <= out->days[out->ndays - 1].day))
			continue;
		for (int i = 0; i < MEM_SKILL_OUTCOMES; i++)
			d.n[i] = read_outcomes(it.value, day_counters[i]);
		out->days[out->ndays++] = d;
	}
}

/* A record from before the sum was kept has the mean alone. */
static void
read_latencies(struct mem_skill_uses *out, struct mem_json node)
{
	double mean;
	int64_t n = read_outcomes(node, "latencies"), sum;
	if (!mem_json_int(mem_json_member(node, "latency_total_us"), &sum)) {
		bool known = mem_json_num(mem_json_member(node, "latency_ms"), &mean) && mean >= 0 && mean * (double)n * US_PER_MS < US_MAX;
		sum = known ? llround(mean * (double)n * US_PER_MS) : -1;
	}
	if (sum >= 0)
		out->latencies = n, out->latency_us = sum;
}

void
mem_skill_uses_read(struct mem_skill_uses *out, struct mem_json node)
{
	struct mem_json days = mem_json_member(node, "days");
	*out = (struct mem_skill_uses){ .last_used = MEM_TIME_NONE };
	for (int i = 0; i < MEM_SKILL_OUTCOMES; i++)
		out->n[i] = read_outcomes(node, mem_skill_counters[i]);
	read_latencies(out, node);
	if (!read_use_time(mem_json_member(node, "last_used"), &out->last_used))
		out->last_used = MEM_TIME_NONE;
	if (days.type == MEM_JSON_ARRAY)
		read_outcome_days(out, days);
}

/* ---- counting ---------------------------------------------------------------- */

/* The place of a day, which is made where it is not there; NULL: it is too old. */
static struct mem_skill_day *
take_day(struct mem_skill_uses *u, int32_t day)
{
	int32_t newest = u->ndays > 0 && u->days[u->ndays - 1].day > day ? u->days[u->ndays - 1].day : day;
	size_t gone = 0, at;
	while (gone < u->ndays && u->days[gone].day <= newest - MEM_SKILL_DAYS)
		gone++;
	memmove(u->days, u->days + gone, (u->ndays - gone) * sizeof *u->days);
	u->ndays -= gone;
	if (day <= newest - MEM_SKILL_DAYS)
		return NULL;
	for (at = u->ndays; at > 0 && u->days[at - 1].day >= day; at--)
		if (u->days[at - 1].day == day)
			return &u->days[at - 1];
	memmove(u->days + at + 1, u->days + at, (u->ndays - at) * sizeof *u->days);
	u->days[at] = (struct mem_skill_day){ .day = day };
	u->ndays++;
	return &u->days[at];
}

void
mem_skill_uses_add(struct mem_skill_uses *u, enum mem_skill_outcome outcome, int64_t at, double latency_ms)
{
	struct mem_skill_day *day = take_day(u, day_of(at));
	u->n[outcome] += u->n[outcome] < MEM_SKILL_COUNT_MAX;
	if (day != NULL)
		day->n[outcome] += day->n[outcome] < MEM_SKILL_COUNT_MAX;
	if (latency_ms >= 0 && u->latencies < MEM_SKILL_COUNT_MAX && (double)u->latency_us + latency_ms * US_PER_MS < US_MAX) {
		u->latencies++;
		u->latency_us += llround(latency_ms * US_PER_MS);
	}
	if (u->last_used == MEM_TIME_NONE || u->last_used < at)
		u->last_used = at;
}

/* ---- what follows ------------------------------------------------------------- */

static int64_t
sum_outcomes(const int64_t n[MEM_SKILL_OUTCOMES])
{
	return n[MEM_SKILL_SUCCESS] + n[MEM_SKILL_FAILURE] + n[MEM_SKILL_PARTIAL];
}

static double
count_good(const int64_t n[MEM_SKILL_OUTCOMES])
{
	return (double)n[MEM_SKILL_SUCCESS] + .5 * (double)n[MEM_SKILL_PARTIAL];
}

static double
rate_of(const int64_t n[MEM_SKILL_OUTCOMES])
{
	int64_t sum = sum_outcomes(n);
	return sum > 0 ? count_good(n) / (double)sum : MEM_SKILL_UNKNOWN;
}

int64_t
mem_skill_uses_sum(const struct mem_skill_uses *u)
{
	return sum_outcomes(u->n);
}

double
mem_skill_uses_alpha(const struct mem_skill_uses *u)
{
	return 1 + count_good(u->n);
}

double
mem_skill_uses_beta(const struct mem_skill_uses *u)
{
	return 1 + (double)sum_outcomes(u->n) - count_good(u->n);
}

double
mem_skill_uses_latency(const struct mem_skill_uses *u)
{
	return u->latencies > 0 ? round_to((double)u->latency_us / (double)u->latencies / US_PER_MS, 1e3) : (double)NAN;
}

double
mem_skill_success_rate(const struct mem_skill_uses *u)
{
	return rate_of(u->n);
}

bool
mem_skill_effectiveness(const struct mem_skill_uses *u, double confidence, double learnings, double *out)
{
	if (sum_outcomes(u->n) < MEM_SKILL_USES_LEAST)
		return false;
	*out = round_to(.3 * confidence + .5 * rate_of(u->n) + .2 * learnings, 1e4);
	return true;
}

/* ---- rest ---------------------------------------------------------------------- */

bool
mem_skill_base_read(struct mem_json node, double *out)
{
	struct mem_json base = mem_json_member(node, MEM_SKILL_BASE);
	bool known = mem_json_num(mem_json_there(base) ? base : mem_json_member(node, "effectiveness"), out);
	if (!known)
		*out = MEM_SKILL_UNKNOWN;
	return known;
}

double
mem_skill_rest_loss(int64_t last_used, int64_t now)
{
	if (last_used == MEM_TIME_NONE || now - last_used <= MEM_SKILL_REST_DAYS * DAY_MS)
		return 0;
	const int64_t week = 7 * DAY_MS, over = now - last_used - MEM_SKILL_REST_DAYS * DAY_MS;
	const int64_t begun = (over + week - 1) / week;
	return MEM_SKILL_REST_STEP * (double)begun;
}

double
mem_skill_rested(double base, int64_t last_used, int64_t now)
{
	return fmax(round_to(base - mem_skill_rest_loss(last_used, now), 1e4), 0);
}

size_t
mem_skill_wake_fields(struct mem_json node, struct mem_arena *a, struct mem_clean_field out[MEM_SKILL_WAKE_FIELDS])
{
	double base;
	if (!mem_json_there(mem_json_member(node, MEM_SKILL_BASE)))
		return 0;
	bool known = mem_skill_base_read(node, &base);
	out[0] = (struct mem_clean_field){ "effectiveness", known ? mem_clean_num(a, base) : mem_clean_absent() };
	out[1] = (struct mem_clean_field){ MEM_SKILL_BASE, mem_clean_absent() };
	return MEM_SKILL_WAKE_FIELDS;
}

/* ---- trend --------------------------------------------------------------------- */

/* The rate of the days in (last - TREND_DAYS, last]. */
static double
rate_of_week(const struct mem_skill_uses *u, int32_t last)
{
	int64_t n[MEM_SKILL_OUTCOMES] = { 0 };
	for (size_t i = 0; i < u->ndays; i++)
		for (int j = 0; j < MEM_SKILL_OUTCOMES && u->days[i].day > last - TREND_DAYS && u->days[i].day <= last; j++)
			n[j] += u->days[i].n[j];
	return rate_of(n);
}

double
mem_skill_trend(const struct mem_skill_uses *u, int64_t now)
{
	int32_t today = day_of(now);
	return round_to(rate_of_week(u, today) - rate_of_week(u, today - TREND_DAYS), 1e4);
}

const char *
mem_skill_trend_word(double trend)
{
	return trend >= MEM_SKILL_TREND_LEAST ? "improving" : trend <= -MEM_SKILL_TREND_LEAST ? "declining" : "stable";
}

/* ---- fields ------------------------------------------------------------------- */

static struct mem_clean_text
make_outcome_days(const struct mem_skill_uses *u, struct mem_arena *a)
{
	struct mem_clean_object list = { 0 };
	for (size_t i = 0; i < u->ndays; i++) {
		struct mem_clean_object o = { 0 };
		int year, month, day;
		mem_date_from_days(u->days[i].day, &year, &month, &day);
		mem_clean_object_put(&o, "d", mem_clean_word(a, mem_str(mem_arena_printf(a, "%04d-%02d-%02d", year, month, day))));
		for (int j = 0; j < MEM_SKILL_OUTCOMES; j++)
			mem_clean_object_put(&o, day_counters[j], mem_clean_int(a, u->days[i].n[j]));
		mem_clean_list_put(&list, mem_clean_object_end(&o, a));
	}
	return mem_clean_list_end(&list, a);
}

void
mem_skill_uses_fields(const struct mem_skill_uses *u, struct mem_arena *a, struct mem_clean_field out[MEM_SKILL_USES_FIELDS])
{
	size_t n = 0;
	out[n++] = (struct mem_clean_field){ "uses", mem_clean_int(a, sum_outcomes(u->n)) };
	for (int i = 0; i < MEM_SKILL_OUTCOMES; i++)
		out[n++] = (struct mem_clean_field){ mem_skill_counters[i], mem_clean_int(a, u->n[i]) };
	out[n++] = (struct mem_clean_field){ "latencies", mem_clean_int(a, u->latencies) };
	out[n++] = (struct mem_clean_field){ "latency_total_us", mem_clean_int(a, u->latency_us) };
	out[n++] = (struct mem_clean_field){ "latency_ms", mem_clean_num(a, mem_skill_uses_latency(u)) };
	out[n++] = (struct mem_clean_field){ "last_used", u->last_used != MEM_TIME_NONE ? mem_clean_time(a, u->last_used) : mem_clean_null() };
	out[n++] = (struct mem_clean_field){ "alpha", mem_clean_num(a, mem_skill_uses_alpha(u)) };
	out[n++] = (struct mem_clean_field){ "beta", mem_clean_num(a, mem_skill_uses_beta(u)) };
	out[n++] = (struct mem_clean_field){ "days", make_outcome_days(u, a) };
}
