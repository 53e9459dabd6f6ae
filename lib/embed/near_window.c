/* SPDX-License-Identifier: Apache-2.0 */
/* Near duplicates among texts that come one after the other, each compared with those shortly before it. */
#include "embed/embed.h"

#include <stdlib.h>
#include <string.h>

#include "vector/vector.h"

struct mem_near_window {
	const struct mem_encoder_info *info;
	mem_near_fn *fn;
	void *ctx;
	size_t nold, nnew;              /* rows that were compared; rows behind them that were not */
	void *items[2 * MEM_NEAR_BEFORE];
	struct mem_str texts[2 * MEM_NEAR_BEFORE];
	float *rows;                    /* [2 * MEM_NEAR_BEFORE][dims] */
	size_t row, nhits;              /* the row at hand, and what has been found of it */
	struct mem_near_hit hits[MEM_NEAR_BEFORE];
};

struct mem_near_window *
mem_near_window_new(const struct mem_encoder_info *info, mem_near_fn *fn, void *ctx)
{
	struct mem_near_window *w = mem_xcalloc(1, sizeof *w);
	w->info = info;
	w->fn = fn;
	w->ctx = ctx;
	w->rows = mem_xmalloc(MEM_COUNT(w->items) * info->dims * sizeof *w->rows);
	return w;
}

void
mem_near_window_free(struct mem_near_window *w)
{
	if (w != NULL)
		free(w->rows);
	free(w);
}

static void
report_near_hits(struct mem_near_window *w)
{
	if (w->nhits > 0)
		w->fn(w->ctx, w->items[w->row], w->hits, w->nhits);
	w->nhits = 0;
}

/* A mem_similar_fn: row i of the new ones with row j of all.  A row also meets itself and those behind it. */
static bool
take_row_pair(void *ctx, size_t i, size_t j, float product)
{
	struct mem_near_window *w = ctx;
	size_t row = w->nold + i;
	if (row != w->row) {
		report_near_hits(w);
		w->row = row;
	}
	if (j >= row || row - j > MEM_NEAR_BEFORE)
		return true;
	double score = mem_near_score(product, w->texts[row], w->texts[j], w->info);
	if (score > 0)
		w->hits[w->nhits++] = (struct mem_near_hit){ w->items[j], score };
	return true;
}

/* The last rows become the first, as the old ones. */
static void
slide_window_rows(struct mem_near_window *w)
{
	size_t n = w->nold + w->nnew, kept = n < MEM_NEAR_BEFORE ? n : MEM_NEAR_BEFORE, from = n - kept;
	memmove(w->items, w->items + from, kept * sizeof *w->items);
	memmove(w->texts, w->texts + from, kept * sizeof *w->texts);
	memmove(w->rows, w->rows + from * w->info->dims, kept * w->info->dims * sizeof *w->rows);
	w->nold = kept;
	w->nnew = 0;
}

void
mem_near_window_flush(struct mem_near_window *w)
{
	size_t dims = w->info->dims, n = w->nold + w->nnew;
	if (n > 1)
		mem_similar_each(w->rows + w->nold * dims, w->nnew, w->rows, n, dims, mem_near_least(w->info), take_row_pair, w);
	report_near_hits(w);
	slide_window_rows(w);
}

void
mem_near_window_add(struct mem_near_window *w, const struct mem_embedding *e, void *item)
{
	size_t at = w->nold + w->nnew++;
	w->items[at] = item;
	w->texts[at] = e->text;
	memcpy(w->rows + at * w->info->dims, e->vector, w->info->dims * sizeof *w->rows);
	if (w->nnew == MEM_NEAR_BEFORE)
		mem_near_window_flush(w);
}
