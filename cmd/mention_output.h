/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a mention. */
#ifndef MEM_MENTION_OUTPUT_H
#define MEM_MENTION_OUTPUT_H

#include "link/mention_finder.h"
#include "mention_pages.h"
#include "record/record.h"

static inline void
put_mention_record(struct mem_buf *out, const struct mem_mention_finder *names, const struct page_record *p, const struct mem_mention *x)
{
	const struct mem_named_page *page = mem_mention_finder_page(names, x->page);
	char id[MEM_ID_LEN + 1];
	mem_buf_putc(out, '{');
	mem_id_format(&p->page.id, id);
	mem_json_put_field(out, "id", mem_str(id));
	mem_json_put_field(out, "title", p->page.title);
	mem_rec_put_text(out, &p->rec, "slug");
	mem_json_put_field(out, "path", p->page.path);
	mem_json_put_field(out, "type", MEM_STR("page"));
	mem_json_put_field(out, "excerpt", mem_mention_excerpt(p->content, x));
	mem_json_put_int(out, "line", (int64_t)x->place.line);
	mem_json_put_int(out, "column", (int64_t)x->place.column);
	mem_json_put_field(out, "name", (struct mem_str){ p->content.p + x->start, x->end - x->start });
	mem_id_format(&page->id, id);
	mem_json_put_field(out, "page", mem_str(id));
	mem_json_put_field(out, "page_title", page->title);
	mem_buf_puts(out, "}\n");
}

#endif
