/* SPDX-License-Identifier: Apache-2.0 */
/* The graph as a still picture. */
#include "link/graph_picture_int.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

#define SIZE   1200
#define MARGIN 40

/* Of kinds, in the order of their numbers. */
static const char *const colours[] = { "#4c6ef5", "#e8590c", "#2b8a3e", "#ae3ec9", "#0c8599", "#c2255c", "#b08900", "#5f3dc4", "#868e96", "#846358" };
enum { NAMES_MAX = 60 };           /* of the nodes with most links */

struct svg {
	struct mem_buf *out;
	struct mem_buf names;      /* written behind all nodes, so that none covers them.  OWNS */
	const struct graph_picture *picture;
	double named_from;         /* links that a node has at least whose name stands beside it */
};

static double
place_on_page(double coordinate)
{
	return SIZE / 2.0 + coordinate * (SIZE / 2.0 - MARGIN) / 1000;
}

static size_t
count_node_links(const struct graph_picture *p, size_t v)
{
	return p->links.first[v + 1] - p->links.first[v];
}

static void
put_svg_edges(struct svg *s)
{
	const struct graph_picture *p = s->picture;
	mem_buf_puts(s->out, "<g stroke=\"#767a83\" stroke-opacity=\".35\" stroke-width=\".8\">\n");
	for (size_t v = 0; v < p->copy->nnodes; v++)
		for (size_t k = p->links.first[v]; k < p->links.first[v + 1]; k++)
			if (p->links.to[k] > v)
				mem_buf_printf(s->out, "<path d=\"M%.1f %.1fL%.1f %.1f\"/>\n", place_on_page(p->places[v].x), place_on_page(p->places[v].y),
				    place_on_page(p->places[p->links.to[k]].x), place_on_page(p->places[p->links.to[k]].y));
	mem_buf_puts(s->out, "</g>\n");
}

/* A graph_node_fn. */
static void
put_svg_node(void *ctx, size_t v, const struct mem_rec *node)
{
	struct svg *s = ctx;
	const struct graph_picture *p = s->picture;
	struct mem_arena a = { 0 };
	struct mem_str label = graph_node_label(&a, node);
	double x = place_on_page(p->places[v].x), y = place_on_page(p->places[v].y);
	double links = (double)count_node_links(p, v), radius = 2 + fmin(8, sqrt(links));
	mem_buf_printf(s->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"><title>", x, y, radius, colours[p->copy->kinds[v] % MEM_COUNT(colours)]);
	graph_put_xml_text(s->out, label, false);
	mem_buf_puts(s->out, "</title></circle>\n");
	if (links >= s->named_from) {
		mem_buf_printf(&s->names, "<text x=\"%.1f\" y=\"%.1f\">", x + radius + 3, y + 4);
		graph_put_xml_text(&s->names, label, false);
		mem_buf_puts(&s->names, "</text>\n");
	}
	mem_arena_release(&a);
}

static int
compare_link_counts(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x < y) - (x > y);
}

/* So many links that about NAMES_MAX nodes have as many. */
static double
find_named_from(const struct graph_picture *p)
{
	size_t n = p->copy->nnodes, *counts = mem_xmalloc((n + 1) * sizeof *counts);
	for (size_t v = 0; v < n; v++)
		counts[v] = count_node_links(p, v);
	mem_sort(counts, n, sizeof *counts, compare_link_counts);
	double from = n <= NAMES_MAX ? 0 : (double)counts[NAMES_MAX] + 1;
	free(counts);
	return from;
}

enum mem_status
graph_svg_put(struct mem_buf *out, const struct graph_picture *p, struct mem_err *err)
{
	struct svg s = { .out = out, .picture = p, .named_from = find_named_from(p) };
	mem_buf_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"system-ui, sans-serif\" font-size=\"11\" fill=\"#24262b\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fbfaf7\"/>\n", SIZE, SIZE);
	put_svg_edges(&s);
	mem_buf_puts(out, "<g stroke=\"#fbfaf7\" stroke-width=\"3\" paint-order=\"stroke\" stroke-linejoin=\"round\">\n");
	enum mem_status st = graph_nodes_read(p->s, p->copy, put_svg_node, &s, err);
	mem_buf_str(out, mem_buf_span(&s.names));
	mem_buf_puts(out, "</g>\n</svg>\n");
	mem_buf_release(&s.names);
	return st;
}
