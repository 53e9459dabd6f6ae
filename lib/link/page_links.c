/* SPDX-License-Identifier: Apache-2.0 */
/* What a page links to, as its node keeps it: one entry for each different target and form. */
#include "link/page_int.h"

#include <stdlib.h>

#include "base/text_map.h"
#include "md/md_links.h"

/* How an entry is written. */
static const char *const form_names[] = {
	[MEM_MD_WIKILINK] = "wikilink", [MEM_MD_EMBED] = "embed", [MEM_MD_INLINE] = "link", [MEM_MD_REFERENCE] = "link",
};
#define FORM_PROPERTY "property"
#define FORM_TAG      "tag"

/* A link or tag of the page. */
struct page_mention {
	const char *form;
	struct mem_str target, text, heading, block;
	struct mem_md_place place;  /* line 0: none */
	bool attachment;
	size_t next;                /* of the same entry; SIZE_MAX: none */
};

struct mention_list {
	struct mem_text_map groups; /* by form and target; value: the first mention */
	struct page_mention *v;
	size_t *last;               /* of each group */
	size_t n, cap, last_cap;
	struct mem_buf key;
};

static void
add_mention(struct mention_list *l, const struct page_mention *m)
{
	bool made;
	mem_buf_reset(&l->key);
	mem_buf_puts(&l->key, m->form);
	mem_buf_putc(&l->key, ' ');
	mem_buf_str(&l->key, m->target);
	struct mem_text_entry *group = mem_text_map_put(&l->groups, mem_buf_span(&l->key), l->n, &made);
	size_t number = (size_t)(group - l->groups.entries);
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->last = mem_grow(l->last, &l->last_cap, number + 1, sizeof *l->last);
	l->v[l->n] = *m;
	l->v[l->n].next = SIZE_MAX;
	if (!made)
		l->v[l->last[number]].next = l->n;
	l->last[number] = l->n++;
}

static void
add_link_mention(struct mention_list *l, struct mem_str text, const struct mem_md_link *link, const char *form)
{
	const struct page_mention m = { .form = form, .target = link->target, .text = { text.p + link->start, link->end - link->start },
		.heading = link->heading, .block = link->block, .place = link->place, .attachment = link->attachment };
	add_mention(l, &m);
}

static void
put_excerpt(struct mem_buf *out, const char *name, struct mem_str s)
{
	s.n = mem_utf8_cut(s, PAGE_EXCERPT_MAX);
	mem_json_put_field(out, name, s);
}

static void
put_occurrence(struct mem_buf *out, const struct page_mention *m)
{
	mem_buf_putc(out, '{');
	mem_json_put_int(out, "line", (int64_t)m->place.line);
	mem_json_put_int(out, "column", (int64_t)m->place.column);
	if (m->heading.n > 0)
		put_excerpt(out, "heading", m->heading);
	if (m->block.n > 0)
		put_excerpt(out, "block", m->block);
	mem_buf_putc(out, '}');
}

/* The places of an entry, as far as they end before `limit`; all are counted. */
static int64_t
put_occurrences(struct mem_buf *out, const struct mention_list *l, const struct page_mention *first, size_t limit, bool *cut)
{
	int64_t n = 0;
	mem_json_put_raw(out, "occurrences", MEM_STR("["));
	for (const struct page_mention *m = first; m != NULL; m = m->next != SIZE_MAX ? &l->v[m->next] : NULL) {
		if (m->place.line == 0)
			continue;
		*cut = *cut || out->len > limit;
		if (!*cut) {
			mem_buf_puts(out, n > 0 ? "," : "");
			put_occurrence(out, m);
		}
		n++;
	}
	mem_buf_putc(out, ']');
	return n;
}

static void
put_link_entry(struct mem_buf *out, const struct mention_list *l, const struct page_mention *first, size_t limit)
{
	bool cut = false;
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "form", mem_str(first->form));
	mem_json_put_field(out, "target", first->target);
	if (first->attachment)
		mem_json_put_bool(out, "attachment", true);
	put_excerpt(out, "text", first->text);
	int64_t n = put_occurrences(out, l, first, limit, &cut);
	if (cut)
		mem_json_put_int(out, "count", n);
	mem_buf_putc(out, '}');
}

static void
release_mentions(struct mention_list *l)
{
	mem_text_map_release(&l->groups);
	free(l->v);
	free(l->last);
	mem_buf_release(&l->key);
}

void
page_links_put(struct mem_buf *record, struct mem_str text, const struct mem_md_links *links, const struct mem_md_fields *fields)
{
	struct mention_list l = { 0 };
	for (size_t i = 0; i < fields->nproperties; i++)
		add_link_mention(&l, text, &fields->properties[i], FORM_PROPERTY);
	for (size_t i = 0; i < fields->ntags; i++)
		add_mention(&l, &(struct page_mention){ .form = FORM_TAG, .target = fields->tags[i], .text = fields->tags[i] });
	for (size_t i = 0; i < links->nlinks; i++)
		add_link_mention(&l, text, &links->links[i], form_names[links->links[i].form]);
	for (size_t i = 0; i < links->ntags; i++) {
		const struct mem_md_tag *tag = &links->tags[i];
		add_mention(&l, &(struct page_mention){ .form = FORM_TAG, .target = tag->name,
			.text = { text.p + tag->start, tag->end - tag->start }, .place = tag->place });
	}
	mem_json_put_raw(record, "links", MEM_STR("["));
	const size_t limit = record->len + PAGE_LINKS_MAX;
	bool cut = false;
	for (size_t i = 0; i < l.groups.n && !cut; i++) {
		cut = record->len > limit;
		if (cut)
			break;
		mem_buf_puts(record, i > 0 ? "," : "");
		put_link_entry(record, &l, &l.v[l.groups.entries[i].value], limit);
	}
	mem_buf_putc(record, ']');
	if (cut)
		mem_json_put_bool(record, "links_cut", true);
	release_mentions(&l);
}
