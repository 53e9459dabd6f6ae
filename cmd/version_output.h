/* SPDX-License-Identifier: Apache-2.0 */
/* What skill-version prints: releases, what differs between two, and how a comparison stands. */
#ifndef MEM_CMD_VERSION_OUTPUT_H
#define MEM_CMD_VERSION_OUTPUT_H

#include "cli/cli.h"
#include "line_table.h"
#include "nodes.h"
#include "record/record.h"
#include "skill/version.h"

/* One line for each release. */
static inline void
put_releases(struct mem_buf *out, const struct mem_skill_releases *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct mem_skill *s = &l->v[i];
		char id[MEM_ID_LEN + 1];
		struct mem_skill_uses u;
		struct mem_json effectiveness = mem_json_member(s->node, "effectiveness");
		mem_skill_uses_read(&u, s->node);
		mem_id_format(&s->id, id);
		mem_buf_puts(out, "{\"release\":");
		mem_json_put_string(out, s->release);
		mem_json_put_field(out, "id", mem_str(id));
		mem_json_put_bool(out, "active", i == l->active);
		mem_json_put_raw(out, "status", mem_json_member(s->node, "status").raw.n > 0 ? mem_json_member(s->node, "status").raw : MEM_STR("\"active\""));
		mem_json_put_raw(out, "sha256", s->sha256.n > 0 ? mem_json_member(s->node, "sha256").raw : MEM_STR("null"));
		mem_json_put_int(out, "uses", mem_skill_uses_sum(&u));
		for (int j = 0; j < MEM_SKILL_OUTCOMES; j++)
			mem_json_put_int(out, mem_skill_counters[j], u.n[j]);
		mem_json_put_raw(out, "effectiveness", mem_json_there(effectiveness) ? effectiveness.raw : MEM_STR("null"));
		mem_buf_puts(out, "}\n");
	}
}

static inline void
put_difference(struct mem_buf *out, struct mem_str name, struct mem_json before, struct mem_json after)
{
	mem_buf_puts(out, "{\"field\":");
	mem_json_put_string(out, name);
	mem_json_put_raw(out, "before", mem_json_there(before) ? before.raw : MEM_STR("null"));
	mem_json_put_raw(out, "after", mem_json_there(after) ? after.raw : MEM_STR("null"));
	mem_buf_puts(out, "}\n");
}

/* Is it text of the release, and no count? */
static inline bool
is_compared_field(struct mem_str name)
{
	static const char *const counts[] = { "uses", "successes", "failures", "partials", "latency_ms", "latencies", "latency_total_us",
		"alpha", "beta", "days", "effectiveness", "release", "missing" };
	for (size_t i = 0; i < MEM_COUNT(counts); i++)
		if (mem_str_is(name, counts[i]))
			return false;
	return mem_skill_is_release_field(name);
}

static inline struct mem_json
member_of_key(struct mem_json object, struct mem_str key)
{
	for (struct mem_json_iter it = mem_json_each(object); mem_json_next(&it);)
		if (mem_str_eq(it.key, key))
			return it.value;
	return (struct mem_json){ 0 };
}

/* Fields whose values differ, those of the first, then what the second has alone. */
static inline void
put_differences(struct mem_buf *out, struct mem_json first, struct mem_json second)
{
	for (struct mem_json_iter it = mem_json_each(first); mem_json_next(&it);) {
		struct mem_json other = member_of_key(second, it.key);
		if (is_compared_field(it.key) && !mem_str_eq(it.value.raw, other.raw))
			put_difference(out, it.key, it.value, other);
	}
	for (struct mem_json_iter it = mem_json_each(second); mem_json_next(&it);)
		if (is_compared_field(it.key) && !mem_json_there(member_of_key(first, it.key)))
			put_difference(out, it.key, (struct mem_json){ 0 }, it.value);
}

static inline void
put_compared_release(struct mem_buf *out, const struct mem_skill_comparison *c, int side)
{
	mem_buf_puts(out, "{\"release\":");
	mem_json_put_string(out, side == 0 ? c->active : c->variant);
	mem_json_put_int(out, "uses", c->good[side] + c->bad[side]);
	for (int j = 0; j < MEM_SKILL_OUTCOMES; j++)
		mem_json_put_int(out, mem_skill_counters[j], c->n[side][j]);
	mem_json_put_int(out, "missing", c->missing[side]);
	mem_buf_putc(out, '}');
}

static inline void
put_comparison(struct mem_buf *out, const struct mem_skill_comparison *c, struct mem_arena *a)
{
	struct mem_buf side = { 0 };
	mem_buf_puts(out, "{\"winner\":");
	if (c->winner < 0)
		mem_buf_puts(out, "null");
	else
		mem_json_put_string(out, c->winner == 0 ? c->active : c->variant);
	mem_json_put_text(out, "reason", mem_str(mem_skill_comparison_reason(c, a)));
	mem_buf_printf(&side, "%.6g", c->p);
	mem_json_put_raw(out, "p", mem_buf_span(&side));
	mem_buf_reset(&side);
	mem_json_put_num(out, "share", c->share);
	put_compared_release(&side, c, 0);
	mem_json_put_raw(out, "active", mem_buf_span(&side));
	mem_buf_reset(&side);
	put_compared_release(&side, c, 1);
	mem_json_put_raw(out, "variant", mem_buf_span(&side));
	mem_buf_puts(out, "}\n");
	mem_buf_release(&side);
}

/* As records, or for people a table; how a comparison stands is one record. */
enum read_lines { READ_HISTORY, READ_DIFF, READ_COMPARISON };
static inline void
print_read_lines(struct mem_str lines, bool text, enum read_lines what)
{
	static const struct mem_column of_history[] = {
		{ .name = "RELEASE" }, { .name = "ACTIVE" }, { .name = "STATUS" }, { .name = "USES" }, { .name = "SUCCESSES", .leave_out = 1 },
		{ .name = "FAILURES", .leave_out = 1 }, { .name = "PARTIALS", .leave_out = 1 }, { .name = "EFFECTIVENESS" }, { 0 }
	};
	static const struct mem_column of_diff[] = { { .name = "FIELD" }, { .name = "BEFORE", .min = 16 }, { .name = "AFTER", .min = 16 }, { 0 } };
	static const char *const releases[] = { "release", "active", "status", "uses", "successes", "failures", "partials", "effectiveness" };
	static const char *const differences[] = { "field", "before", "after" };
	if (!text)
		mem_out_str(lines);
	else if (what == READ_COMPARISON && lines.n > 0)
		print_whole_node((struct mem_str){ lines.p, lines.n - 1 }, true);
	else if (lines.n > 0)
		print_line_table(lines, what == READ_HISTORY ? of_history : of_diff, what == READ_HISTORY ? releases : differences);
}

#endif
