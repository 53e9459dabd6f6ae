/* SPDX-License-Identifier: Apache-2.0 */
/* The block for a prompt. */
#include "prompt/context.h"

#include <stdlib.h>
#include <string.h>

#include "belief/core.h"
#include "record/record.h"

struct context_maker {
	struct mem_context *out;
	struct mem_searcher *m;
	const struct mem_context_options *o;
	void *renderer;
	struct mem_buf ignored;     /* what the renderer gives before its end: nothing */
};

/* ---- into the block -------------------------------------------------------- */

static void
note_shown(void *ctx, struct mem_str text)
{
	struct mem_context *c = ctx;
	struct mem_id id;
	if (!mem_id_parse(text, &id))
		return;
	c->shown = mem_grow(c->shown, &c->cap, c->nshown + 1, sizeof *c->shown);
	c->shown[c->nshown++] = id;
}

static enum mem_status
add_block_line(struct context_maker *k, struct mem_str line, struct mem_err *err)
{
	return mem_stage_render.add(k->renderer, 0, line, &k->ignored, err);
}

/* A node that cannot be read is no reason to have no context. */
static enum mem_status
add_core_lines(struct context_maker *k, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_arena arena = { 0 };
	struct mem_core_block *v = NULL;
	size_t n = 0;
	enum mem_status st = mem_txn_read(&t, k->m->index.store, err);
	if (st == MEM_OK)
		st = mem_core_blocks(t, &arena, MEM_STR(""), &v, &n, err);
	mem_txn_end(t);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		st = add_block_line(k, v[i].json, err);
		st = st == MEM_REFUSED ? MEM_OK : st;
	}
	mem_arena_release(&arena);
	return st;
}

/* ---- what a search finds --------------------------------------------------- */

static enum mem_status
add_found_hits(struct context_maker *k, struct mem_hits *hits, struct mem_err *err)
{
	struct mem_str hit;
	enum mem_status st;
	while ((st = mem_hits_next(hits, &hit, err)) == MEM_OK)
		if ((st = add_block_line(k, hit, err)) != MEM_OK)
			return st;
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
add_staged_hits(struct context_maker *k, struct mem_hits *hits, struct mem_err *err)
{
	const struct mem_stage_search with = { mem_store_conf(k->m->index.store), k->m, mem_hits_options(hits), k->o->tell, NULL };
	struct mem_buf lines = { 0 };
	size_t count;
	enum mem_status st = mem_pipeline_run(k->o->pipeline, &with, hits, MEM_STR(""), (size_t)with.options->limit, &lines, &count, err);
	struct mem_str left = mem_buf_span(&lines);
	while (left.n > 0 && st == MEM_OK) {
		size_t n = (size_t)((const char *)memchr(left.p, '\n', left.n) - left.p);
		st = add_block_line(k, (struct mem_str){ left.p, n }, err);
		left = (struct mem_str){ left.p + n + 1, left.n - n - 1 };
	}
	mem_buf_release(&lines);
	return st;
}

static void
tell_fallback(const struct context_maker *k, const struct mem_hits *hits)
{
	const char *why;
	enum mem_status st = mem_hits_fallback(hits, &why);
	if (st != MEM_OK && st != MEM_ABSENT && k->o->tell != NULL)
		k->o->tell(why);
}

static enum mem_status
add_search_lines(struct context_maker *k, struct mem_err *err)
{
	struct mem_hits *hits = NULL;
	enum mem_status st = mem_search_query(&hits, k->m, k->o->search, err);
	if (st != MEM_OK)
		return st;
	tell_fallback(k, hits);
	st = k->o->pipeline->nstages > 0 ? add_staged_hits(k, hits, err) : add_found_hits(k, hits, err);
	mem_hits_free(hits);
	return st;
}

/* ---- the whole --------------------------------------------------------------- */

static bool
is_blank(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr(" \t\r\n\v\f", s.p[i]) == NULL)
			return false;
	return true;
}

enum mem_status
mem_context_make(struct mem_context *out, struct mem_searcher *m, const struct mem_context_options *o, struct mem_err *err)
{
	struct mem_render_options render = o->render;
	*out = (struct mem_context){ 0 };
	render.limit = 0;
	render.keep_core = true;
	render.shown = note_shown;
	render.shown_ctx = out;
	struct context_maker k = { .out = out, .m = m, .o = o, .renderer = mem_stage_render.open(&render) };
	enum mem_status st = add_core_lines(&k, err);
	if (st == MEM_OK && !is_blank(o->search->query))
		st = add_search_lines(&k, err);
	if (st == MEM_OK)
		st = mem_stage_render.end(k.renderer, &out->block, err);
	mem_stage_render.free(k.renderer);
	mem_buf_release(&k.ignored);
	return st;
}

void
mem_context_release(struct mem_context *c)
{
	mem_buf_release(&c->block);
	free(c->shown);
	*c = (struct mem_context){ 0 };
}
