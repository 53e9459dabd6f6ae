/* SPDX-License-Identifier: Apache-2.0 */
/* Stages by name, and hits through several of them. */
#include "stage/pipeline.h"
#include "query/rank.h"
#include "record/record.h"

#include <stdio.h>
#include <string.h>

#define STAGE_ADDRESS(name) &mem_stage_##name,
static const struct mem_stage *const search_stages[] = { MEM_SEARCH_STAGE_TABLE(STAGE_ADDRESS) NULL };

/* ---- a list of names ------------------------------------------------------- */

static enum mem_status
refuse_stage_list(struct mem_str name, const char *why, struct mem_err *err)
{
	struct mem_buf names = { 0 };
	for (enum mem_rank_step i = 0; i < MEM_RANK_STEPS; i++)
		mem_buf_printf(&names, "%s%s", i > 0 ? ", " : "", mem_rank_step_name(i));
	for (size_t i = 0; search_stages[i] != NULL; i++)
		mem_buf_printf(&names, ", %s", search_stages[i]->name);
	mem_err_set(err, MEM_USAGE, "'%.*s' %s; stages are, in this order: %s; or none", (int)(name.n < 80 ? name.n : 80), name.p, why, names.data);
	mem_buf_release(&names);
	return MEM_USAGE;
}

static enum mem_rank_step
find_rank_step(struct mem_str name)
{
	enum mem_rank_step i = 0;
	while (i < MEM_RANK_STEPS && !mem_str_is(name, mem_rank_step_name(i)))
		i++;
	return i;
}

static enum mem_status
add_rank_step(struct mem_pipeline *p, enum mem_rank_step step, struct mem_str name, struct mem_err *err)
{
	if ((p->steps >> step & 1) != 0)
		return refuse_stage_list(name, "is named twice", err);
	if (p->nstages > 0 || p->steps >> step != 0)
		return refuse_stage_list(name, "stands too late", err);
	if (step > 0 && (p->steps & 1) == 0)
		return refuse_stage_list(name, "stands before fuse", err);
	p->steps |= 1U << step;
	return MEM_OK;
}

static enum mem_status
add_search_stage(struct mem_pipeline *p, struct mem_str name, struct mem_err *err)
{
	size_t i = 0;
	while (search_stages[i] != NULL && !mem_str_is(name, search_stages[i]->name))
		i++;
	if (search_stages[i] == NULL)
		return refuse_stage_list(name, "is no stage", err);
	for (size_t k = 0; k < p->nstages; k++)
		if (p->stages[k] == search_stages[i])
			return refuse_stage_list(name, "is named twice", err);
	if ((p->steps & 1) == 0)
		return refuse_stage_list(name, "stands before fuse", err);
	p->stages[p->nstages++] = search_stages[i];
	return MEM_OK;
}

enum mem_status
mem_pipeline_parse(struct mem_pipeline *out, struct mem_str list, struct mem_err *err)
{
	_Static_assert(MEM_COUNT(search_stages) <= MEM_PIPELINE_MAX, "a pipeline holds all stages");
	enum mem_status st = MEM_OK;
	*out = (struct mem_pipeline){ .unranked = mem_str_is(list, "none") };
	for (size_t at = 0; at <= list.n && st == MEM_OK && !out->unranked;) {
		const char *comma = memchr(list.p + at, ',', list.n - at);
		struct mem_str name = { list.p + at, comma != NULL ? (size_t)(comma - list.p) - at : list.n - at };
		enum mem_rank_step step = find_rank_step(name);
		st = step < MEM_RANK_STEPS ? add_rank_step(out, step, name, err) : add_search_stage(out, name, err);
		at += name.n + 1;
	}
	return st;
}

/* ---- hits through stages ---------------------------------------------------- */

struct stage_run {
	const struct mem_pipeline *p;
	void *state[MEM_PIPELINE_MAX];           /* OWNS */
	struct mem_buf out[MEM_PIPELINE_MAX];    /* what each has given and the next has not taken */
};

/* Hands what stage i has given to the next one, and so on; the last one's stays. */
static enum mem_status
pass_stage_output(struct stage_run *r, size_t i, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (; i + 1 < r->p->nstages && st == MEM_OK; i++) {
		struct mem_str left = mem_buf_span(&r->out[i]);
		while (left.n > 0 && st == MEM_OK) {
			size_t n = (size_t)((const char *)memchr(left.p, '\n', left.n) - left.p);
			st = r->p->stages[i + 1]->add(r->state[i + 1], 0, (struct mem_str){ left.p, n }, &r->out[i + 1], err);
			left = (struct mem_str){ left.p + n + 1, left.n - n - 1 };
		}
		mem_buf_reset(&r->out[i]);
	}
	return st;
}

static enum mem_status
add_stage_line(struct stage_run *r, struct mem_str line, struct mem_err *err)
{
	enum mem_status st = r->p->stages[0]->add(r->state[0], 0, line, &r->out[0], err);
	return st == MEM_OK ? pass_stage_output(r, 0, err) : st;
}

static enum mem_status
run_all_stages(struct stage_run *r, const struct mem_stage_search *with, struct mem_hits *hits, struct mem_str end, struct mem_err *err)
{
	struct mem_str hit;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < r->p->nstages && st == MEM_OK; i++)
		st = r->p->stages[i]->open_search(&r->state[i], with, err);
	while (st == MEM_OK && (st = mem_hits_next(hits, &hit, err)) == MEM_OK)
		st = add_stage_line(r, hit, err);
	if (st == MEM_END)
		st = end.n > 0 ? add_stage_line(r, end, err) : MEM_OK;
	for (size_t i = 0; i < r->p->nstages && st == MEM_OK; i++) {
		st = r->p->stages[i]->end(r->state[i], &r->out[i], err);
		if (st == MEM_OK)
			st = pass_stage_output(r, i, err);
	}
	return st;
}

/* The first `limit` hits, and the end record with their number. */
static enum mem_status
take_hits(struct mem_str left, size_t limit, struct mem_buf *out, size_t *count, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	enum mem_status st = MEM_OK;
	*count = 0;
	while (left.n > 0 && st == MEM_OK) {
		struct mem_str line = { left.p, (size_t)((const char *)memchr(left.p, '\n', left.n) - left.p) };
		left = (struct mem_str){ left.p + line.n + 1, left.n - line.n - 1 };
		st = mem_rec_scan(&r, line, err);
		bool end = st == MEM_OK && mem_rec_value(&r, "end").type == MEM_JSON_TRUE;
		if (st != MEM_OK || (!end && limit > 0 && *count >= limit))
			continue;
		char number[32];
		snprintf(number, sizeof number, "%zu", *count);
		const struct mem_edit edit = { "hits", mem_str(number) };
		mem_rec_edit(out, &r, &edit, end);
		mem_buf_putc(out, '\n');
		*count += !end;
	}
	mem_rec_release(&r);
	return st;
}

enum mem_status
mem_pipeline_run(const struct mem_pipeline *p, const struct mem_stage_search *with, struct mem_hits *hits, struct mem_str end,
    size_t limit, struct mem_buf *out, size_t *count, struct mem_err *err)
{
	struct stage_run r = { .p = p };
	enum mem_status st = run_all_stages(&r, with, hits, end, err);
	if (st == MEM_OK)
		st = take_hits(mem_buf_span(&r.out[p->nstages - 1]), limit, out, count, err);
	for (size_t i = 0; i < p->nstages; i++) {
		if (r.state[i] != NULL)
			p->stages[i]->free(r.state[i]);
		mem_buf_release(&r.out[i]);
	}
	return st == MEM_REFUSED ? mem_err_set(err, MEM_FAIL, "a stage refused a hit: %s", err->msg) : st;
}
