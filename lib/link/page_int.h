/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the room: a page as its node has it.
 *
 * Of a node of kind page, in this order: ref, title, slug, aliases, path, tags, sha256, note_id, permalink, headings, blocks,
 * not_counted, links, truncated, content.  What a resolution needs stands before the content, so that it is found without a
 * look at that.  mem-records(5) says what each is.
 */
#ifndef MEM_PAGE_INT_H
#define MEM_PAGE_INT_H

#include "base/base.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/node.h"
#include "write/write.h"

/* ---- reading a file: page_read.c, page_links.c ------------------------------ */

#define PAGE_CONTENT_MAX ((size_t)1 << 20)  /* bytes of text that are kept */
#define PAGE_LINKS_MAX   ((size_t)6 << 20)  /* bytes of list `links` */
#define PAGE_LISTED_MAX  ((size_t)1 << 20)  /* bytes of each of the other lists */
#define PAGE_EXCERPT_MAX ((size_t)1000)     /* bytes of a link's text or heading */

/* A file, and where it lies. */
struct page_source {
	struct mem_str vault, path, bytes;
	char sha256[65];           /* of the bytes */
};
/* What it says as a record, appended, before it is cleaned; and what of its front matter could not be read, as list `faults` of a
 * receipt (empty: nothing).  MEM_REFUSED, with its reason: too_long, nul, bad_utf8. */
enum mem_status page_record_put(struct mem_buf *record, struct mem_buf *faults, const struct page_source *source, struct mem_err *err) MEM_CHECKED;

/* The title of a page that names none. */
struct mem_str page_file_title(struct mem_str path);

/* Appends field `links`: an object for each different target and form, in the order of the text. */
struct mem_md_links;
struct mem_md_fields;
void page_links_put(struct mem_buf *record, struct mem_str text, const struct mem_md_links *links, const struct mem_md_fields *fields);

/* ---- reading a node: page_node.c --------------------------------------------- */

/* What tells pages apart and what they are named.  ARENA. */
struct page_head {
	uint32_t ord;
	struct mem_id id;
	bool live;                 /* as mem_attr_live */
	bool retired;
	struct mem_str ref, title, path, sha256;
	struct mem_str *aliases;
	size_t naliases;
};
/* What its record says: ref, title, path, sha256, aliases. */
void page_names_read(struct page_head *out, struct mem_arena *a, struct mem_json page);
/* MEM_NOTFOUND: the node is no page, or not readable to the principal. */
enum mem_status page_head_read(struct mem_txn *t, uint32_t ord, struct mem_arena *a, struct page_head *out, struct mem_err *err) MEM_CHECKED;
/* All of a namespace's pages of a vault.  ARENA. */
struct page_heads {
	struct page_head *v;       /* OWNS: free() */
	size_t n, cap;
};
enum mem_status page_heads_read(struct mem_txn *t, struct mem_str ns, struct mem_str vault, struct mem_arena *a, struct page_heads *out,
    struct mem_err *err) MEM_CHECKED;
/* The page of a ref, a live one first, then the newest.  MEM_NOTFOUND: there is none. */
enum mem_status page_by_ref(struct mem_txn *t, struct mem_str ns, struct mem_str ref, struct mem_arena *a, struct page_head *out,
    struct mem_err *err) MEM_CHECKED;
struct mem_str page_ref_make(struct mem_arena *a, struct mem_str vault, struct mem_str path);
/* Is it a page of the vault?  `start` is VAULT/, as page_ref_make gives it without a path. */
bool page_ref_begins(struct mem_str ref, struct mem_str start);

#endif
