/* SPDX-License-Identifier: Apache-2.0 */
/* The graph as a page: page_frame.html with page_style.css, page_script.js and the data in it. */
#include "link/graph_picture_int.h"

#include <stdlib.h>

#include "base/digest.h"
#include "store/kind.h"

enum {
	EXCERPT_MAX = 400,         /* bytes of a note's head */
	NAMED_MAX = 11,            /* communities that the page lists; GROUPS in page_script.js */
};

extern const unsigned char mem_data_link_page_frame[], mem_data_link_page_style[], mem_data_link_page_script[];
extern const size_t mem_data_link_page_frame_len, mem_data_link_page_style_len, mem_data_link_page_script_len;

struct page {
	struct mem_buf *out;       /* JSON */
	const struct graph_picture *picture;
	uint8_t kind_index[256];   /* of each kind in the list of those that are there */
	size_t *number;            /* of each node among those that are still there; SIZE_MAX: it is not */
	size_t n;
	size_t middle[NAMED_MAX];  /* of each community the node with the strongest links inside, and its name; ARENA */
	struct mem_str names[NAMED_MAX];
	struct mem_arena arena;
};

/* ---- data ---------------------------------------------------------------------- */

/* The kinds of the nodes that there are, in order. */
static void
put_page_kinds(struct page *p)
{
	const struct mem_graph_copy *c = p->picture->copy;
	bool there[256] = { false };
	uint8_t n = 0;
	for (size_t v = 0; v < c->nnodes; v++)
		there[c->kinds[v]] = true;
	mem_json_put_key(p->out, "kinds");
	mem_buf_putc(p->out, '[');
	for (unsigned k = 0; k < MEM_KIND_COUNT; k++)
		if (there[k]) {
			if (n > 0)
				mem_buf_putc(p->out, ',');
			mem_json_put_string(p->out, mem_str(mem_kind_name((enum mem_kind)k)));
			p->kind_index[k] = n++;
		}
	mem_buf_putc(p->out, ']');
}

/* A page's front matter says nothing to a reader of its head. */
static struct mem_str
skip_front_matter(struct mem_str text)
{
	static const char mark[] = "\n---\n";
	if (text.n < 4 || memcmp(text.p, "---\n", 4) != 0)
		return text;
	const char *end = memmem(text.p + 3, text.n - 3, mark, sizeof mark - 1);
	size_t head = end != NULL ? (size_t)(end - text.p) + sizeof mark - 1 : 0;
	return (struct mem_str){ text.p + head, text.n - head };
}

/* The beginning of what it says, where that is not its label already. */
static void
put_page_excerpt(struct page *p, struct mem_arena *a, const struct mem_rec *node, struct mem_str label)
{
	static const char *const names[] = { "content", "statement", "description" };
	struct mem_str text = { NULL, 0 };
	for (size_t i = 0; i < MEM_COUNT(names) && text.n == 0; i++)
		text = skip_front_matter(mem_json_text(a, mem_rec_value(node, names[i])));
	if (text.n == 0 || mem_str_eq(text, label))
		return;
	bool cut = text.n > EXCERPT_MAX;
	char *excerpt = mem_arena_printf(a, "%.*s%s", (int)mem_utf8_cut(text, EXCERPT_MAX), text.p, cut ? "\xe2\x80\xa6" : "");
	mem_json_put_field(p->out, "e", mem_str(excerpt));
}

static void
put_page_text(struct page *p, struct mem_arena *a, const struct mem_rec *node, const char *name, const char *field)
{
	struct mem_str text = mem_json_text(a, mem_rec_value(node, field));
	text.n = mem_utf8_cut(text, EXCERPT_MAX);
	if (text.n > 0)
		mem_json_put_field(p->out, name, text);
}

/* A graph_node_fn. */
static void
put_page_node(void *ctx, size_t v, const struct mem_rec *node)
{
	struct page *p = ctx;
	const struct mem_layout_place *place = &p->picture->places[v];
	struct mem_arena a = { 0 };
	struct mem_str label = graph_node_label(&a, node);
	mem_buf_puts(p->out, p->n > 0 ? ",\n{" : "\n{");
	p->number[v] = p->n++;
	put_page_text(p, &a, node, "i", "id");
	mem_json_put_field(p->out, "l", label);
	mem_json_put_int(p->out, "k", p->kind_index[p->picture->copy->kinds[v]]);
	put_page_text(p, &a, node, "t", "type");
	put_page_text(p, &a, node, "n", "ns");
	put_page_text(p, &a, node, "p", "path");
	put_page_excerpt(p, &a, node, label);
	uint32_t community = p->picture->communities.of[v];
	mem_json_put_int(p->out, "c", community);
	if (community < NAMED_MAX && p->middle[community] == v)
		p->names[community] = mem_arena_str(&p->arena, label);
	mem_json_put_num(p->out, "x", (double)(int64_t)(place->x * 100) / 100);
	mem_json_put_num(p->out, "y", (double)(int64_t)(place->y * 100) / 100);
	mem_buf_putc(p->out, '}');
	mem_arena_release(&a);
}

static void
find_middle_nodes(struct page *p)
{
	const struct mem_communities *all = &p->picture->communities;
	for (size_t i = 0; i < NAMED_MAX; i++)
		p->middle[i] = SIZE_MAX;
	for (size_t v = 0; v < p->picture->copy->nnodes; v++) {
		uint32_t c = all->of[v];
		if (c < NAMED_MAX && (p->middle[c] == SIZE_MAX || all->inside[v] > all->inside[p->middle[c]]))
			p->middle[c] = v;
	}
}

/* A community is called after its middle. */
static void
put_community_names(struct page *p)
{
	mem_json_put_key(p->out, "communities");
	mem_buf_putc(p->out, '[');
	for (size_t i = 0; i < NAMED_MAX && i < p->picture->communities.n; i++) {
		if (i > 0)
			mem_buf_putc(p->out, ',');
		mem_json_put_string(p->out, p->names[i]);
	}
	mem_buf_putc(p->out, ']');
}

static void
put_page_edges(struct page *p)
{
	const struct mem_graph_copy *c = p->picture->copy;
	bool first = true;
	mem_json_put_key(p->out, "edgeKinds");
	mem_buf_putc(p->out, '[');
	for (size_t k = 0; k < c->nkinds; k++) {
		if (k > 0)
			mem_buf_putc(p->out, ',');
		mem_json_put_string(p->out, mem_str(c->kind_names[k]));
	}
	mem_buf_puts(p->out, "],\n\"edges\":[");
	for (size_t v = 0; v < c->nnodes; v++)
		for (size_t e = c->first[v]; e < c->first[v + 1]; e++) {
			if (p->number[v] == SIZE_MAX || p->number[c->to[e]] == SIZE_MAX)
				continue;
			mem_buf_printf(p->out, "%s%zu,%zu,%u,", first ? "" : ",\n", p->number[v], p->number[c->to[e]], (unsigned)c->kind[e]);
			mem_json_put_number(p->out, (double)c->weight[e]);
			first = false;
		}
	mem_buf_puts(p->out, "]");
}

static enum mem_status
put_page_data(struct mem_buf *json, const struct graph_picture *picture, struct mem_err *err)
{
	struct page p = { .out = json, .picture = picture };
	p.number = mem_xmalloc((picture->copy->nnodes + 1) * sizeof *p.number);
	for (size_t v = 0; v < picture->copy->nnodes; v++)
		p.number[v] = SIZE_MAX;
	find_middle_nodes(&p);
	mem_buf_putc(json, '{');
	put_page_kinds(&p);
	mem_buf_puts(json, ",\n\"nodes\":[");
	enum mem_status st = graph_nodes_read(picture->s, picture->copy, put_page_node, &p, err);
	mem_buf_putc(json, ']');
	put_community_names(&p);
	put_page_edges(&p);
	mem_buf_putc(json, '}');
	mem_arena_release(&p.arena);
	free(p.number);
	return st;
}

/* ---- the page --------------------------------------------------------------------- */

/* JSON as it may stand in a script element: these stand in its strings alone, and nothing there can end the element or a line. */
static void
put_embedded_json(struct mem_buf *out, struct mem_str json)
{
	for (size_t i = 0; i < json.n; i++) {
		unsigned char c = (unsigned char)json.p[i];
		bool separator = c == 0xe2 && json.n - i > 2 && (unsigned char)json.p[i + 1] == 0x80 && ((unsigned char)json.p[i + 2] & 0xfe) == 0xa8;
		if (separator) {
			mem_buf_printf(out, "\\u20%02x", (unsigned)(unsigned char)json.p[i + 2] - 0x80);
			i += 2;
		} else if (c == '<' || c == '>' || c == '&') {
			mem_buf_printf(out, "\\u%04x", (unsigned)c);
		} else {
			mem_buf_putc(out, (char)c);
		}
	}
}

/* What a Content-Security-Policy names an element's text by. */
static void
put_content_hash(struct mem_buf *out, struct mem_str text)
{
	char hex[65];
	uint8_t bytes[32];
	mem_digest_text(text, hex);
	(void)mem_hex_read((struct mem_str){ hex, 64 }, bytes, sizeof bytes);
	mem_buf_puts(out, "'sha256-");
	mem_buf_base64(out, bytes, sizeof bytes);
	mem_buf_puts(out, "'");
}

enum mem_status
graph_page_put(struct mem_buf *out, const struct graph_picture *p, struct mem_err *err)
{
	const struct mem_str frame = { (const char *)mem_data_link_page_frame, mem_data_link_page_frame_len };
	const struct mem_str style = { (const char *)mem_data_link_page_style, mem_data_link_page_style_len };
	const struct mem_str script = { (const char *)mem_data_link_page_script, mem_data_link_page_script_len };
	struct mem_buf json = { 0 };
	enum mem_status st = put_page_data(&json, p, err);
	mem_buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; script-src ");
	put_content_hash(out, script);
	mem_buf_puts(out, "; style-src ");
	put_content_hash(out, style);
	mem_buf_puts(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>memkit: graph</title>\n<style>");
	mem_buf_str(out, style);
	mem_buf_puts(out, "</style>\n</head>\n<body>\n");
	mem_buf_str(out, frame);
	mem_buf_puts(out, "<noscript>The picture is drawn by a script of this page, which is switched off.</noscript>\n"
	    "<script type=\"application/json\" id=\"graph\">\n");
	put_embedded_json(out, mem_buf_span(&json));
	mem_buf_puts(out, "\n</script>\n<script>");
	mem_buf_str(out, script);
	mem_buf_puts(out, "</script>\n</body>\n</html>\n");
	mem_buf_release(&json);
	return st;
}
