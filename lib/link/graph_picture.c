/* SPDX-License-Identifier: Apache-2.0 */
/* The graph as a picture: copied, laid out, drawn. */
#include "link/graph_picture_int.h"

#include <stdlib.h>

static enum mem_status
draw_copy(struct mem_buf *out, struct graph_picture *p, graph_draw_fn *draw, struct mem_err *err)
{
	if (p->copy->nnodes > MEM_GRAPH_PICTURE_MAX)
		return mem_err_set(err, MEM_REFUSED, "%zu nodes are too many for a picture, which may have %d: --kind, --edge and --ns leave some out",
		    p->copy->nnodes, MEM_GRAPH_PICTURE_MAX);
	mem_graph_links_make(&p->links, p->copy);
	p->places = mem_xcalloc(p->copy->nnodes + 1, sizeof *p->places);
	mem_communities_find(&p->communities, &p->links);
	mem_layout_find(p->places, &p->links, p->communities.of);
	return draw(out, p, err);
}

enum mem_status
mem_graph_export_picture(struct mem_store *s, enum mem_graph_format format, const struct mem_graph_copy_options *o, mem_emit_fn *emit,
    void *ctx, struct mem_err *err)
{
	struct graph_picture p = { .s = s };
	struct mem_graph_copy *copy = NULL;
	struct mem_buf out = { 0 };
	enum mem_status st = mem_graph_copy_make(&copy, s, o, err);
	p.copy = copy;
	if (st == MEM_OK)
		st = draw_copy(&out, &p, format == MEM_GRAPH_SVG ? graph_svg_put : graph_page_put, err);
	mem_store_pause(s); /* a slow reader must not hold up a compaction */
	if (st == MEM_OK && !emit(ctx, mem_buf_span(&out)))
		st = mem_err_set(err, MEM_FAIL, "cannot write the picture");
	mem_communities_release(&p.communities);
	mem_graph_links_release(&p.links);
	mem_graph_copy_free(copy);
	mem_buf_release(&out);
	free(p.places);
	return st;
}
