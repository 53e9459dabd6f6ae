/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page points at: links and embeds, tags, block ids, and the fields of its front matter.
 *
 * Text is valid UTF-8 without U+0000, at most 4 GiB.  All is read in one pass that is linear in the text, whatever it holds;
 * offsets are bytes of page->text.
 *
 * Blocks are those of CommonMark 0.30 (containers deeper than 100 are text) and tables of GFM 0.29.  No links are: code
 * (fenced, indented, inline), HTML (blocks, tags, comments), comments (%%…%%), maths ($…$, $$…$$), what a backslash escapes.
 * A comment, and maths that stand alone on their line, end at the next such mark, across blank lines; without one they are text.  So does a
 * comment of HTML that begins within a line, unless a backtick stands before it there.
 */
#ifndef MEM_MD_LINKS_H
#define MEM_MD_LINKS_H

#include "base/base.h"
#include "md/md.h"

/* ---- links ------------------------------------------------------------ */

enum mem_md_link_form {
	MEM_MD_WIKILINK,        /* [[x]] */
	MEM_MD_EMBED,           /* ![[x]] */
	MEM_MD_INLINE,          /* [t](x.md), ![t](x.md) */
	MEM_MD_REFERENCE,       /* [t][r], [r][], [r] with a definition "[r]: x.md" */
};

/* Of the text that was given, from 1; column in characters (code points; a byte order mark is none). */
struct mem_md_place {
	size_t line, column;
};

struct mem_md_link {
	enum mem_md_link_form form;
	size_t start, end;      /* from the first bracket (of an embed the '!') to behind the last one */
	/* The target as it is written, without '#…' and label: what a rename replaces.  Of a reference it stands in its definition. */
	size_t target_start, target_end;
	struct mem_md_place place; /* of start */
	struct mem_str target;  /* ARENA or BORROWS: decoded (escapes, %20, \| in tables), without its fragment; empty: this page */
	struct mem_str heading, block, label; /* ARENA or BORROWS; empty: none.  Of [[x#a#b]] the heading is "a#b" */
	/* The target ends in a full stop and 2 to 8 ASCII letters and digits, a letter among them, that are neither md nor markdown. */
	bool attachment;
	/* Inline and reference: a path from the page's folder, or with '/' first from the vault's root, that ends in .md or .markdown.
	 * Links of these forms to anything else are not listed. */
	bool relative;
	bool angled;            /* the target stands between < and > */
	bool in_table;          /* a '|' within it is written "\|" */
};

/* ---- tags and block ids ------------------------------------------------- */

/* #a/b is one tag: letters, digits, marks, emoji, '_', '-', '/' behind a space or a line's or cell's start; not digits alone. */
struct mem_md_tag {
	struct mem_str name;    /* BORROWS: without '#' and without '/' at its end */
	size_t start, end;      /* with '#' */
	struct mem_md_place place;
};

/* " ^id" at the end of a paragraph or heading; alone in its paragraph it names the block before. */
struct mem_md_block {
	struct mem_str id;      /* BORROWS: of ASCII letters, digits and '-' */
	size_t start, end;      /* the block's text */
};

struct mem_md_links {
	struct mem_md_link *links; /* ARENA: in the order of their starts */
	size_t nlinks;
	struct mem_md_tag *tags; /* ARENA: those in the body; those of front matter are fields */
	size_t ntags;
	struct mem_md_block *blocks; /* ARENA */
	size_t nblocks;
	/* Definitions "[label]: x.md" as links of form REFERENCE, whether they are used or not; start and end are the whole of them. */
	struct mem_md_link *definitions; /* ARENA */
	size_t ndefinitions;
	/* Links and definitions of these two forms to paths of other files, which move with the page: `attachment`, no definition twice. */
	struct mem_md_link *files; /* ARENA: in the order of their starts */
	size_t nfiles;
	/* Links of these two forms to a place of the page itself, "#heading"; the target is empty. */
	struct mem_md_link *places; /* ARENA: in the order of their starts */
	size_t nplaces;
	size_t not_counted;     /* occurrences of [[…]] in code, comments (also of HTML) and maths */
};
/* Of the body; links in front matter are in the fields.  MEM_FAIL: over 4 GiB. */
enum mem_status mem_md_links_read(struct mem_md_links *out, struct mem_arena *arena, const struct mem_md_page *page,
    struct mem_err *err) MEM_CHECKED;

/* ---- fields of a page --------------------------------------------------- */

struct mem_md_fields {
	struct mem_str title;   /* ARENA: of front matter, else the first level-1 heading as plain text, else empty */
	struct mem_str id, permalink; /* ARENA; empty: none */
	/* ARENA: of the keys aliases and alias, tags and tag, as lists or as one text (aliases parted by commas, tags by commas and
	 * spaces); tags without '#'.  What is no text in a list is left out. */
	struct mem_str *aliases, *tags;
	size_t naliases, ntags;
	struct mem_md_link *properties; /* ARENA: [[links]] in the values of front matter */
	size_t nproperties;
};
/* `fault` is told as mem_md_front does.  MEM_FAIL: over 4 GiB. */
enum mem_status mem_md_fields_read(struct mem_md_fields *out, struct mem_arena *arena, const struct mem_md_page *page,
    mem_md_fault_fn *fault, void *ctx, struct mem_err *err) MEM_CHECKED;

/* ---- all of a page -------------------------------------------------------- */

struct mem_md_whole {
	struct mem_md_fields fields;
	struct mem_md_links links;
	struct mem_md_section *sections; /* of page->body, as mem_md_sections gives them */
	size_t nsections;
};
/* The same as by one after the other, but the blocks are read once. */
enum mem_status mem_md_whole_read(struct mem_md_whole *out, struct mem_arena *arena, const struct mem_md_page *page, mem_md_fault_fn *fault,
    void *ctx, struct mem_err *err) MEM_CHECKED;

/* ---- prose -------------------------------------------------------------- */

/* A stretch of a line of the body that is plain text: no link or its label, code, HTML, comment, maths, address, tag or block id. */
struct mem_md_range {
	size_t start, end;
	bool in_table;
	bool title;             /* it is of the first level-1 heading */
};
/* In the order of the text; *out is ARENA.  MEM_FAIL: over 4 GiB. */
enum mem_status mem_md_prose(struct mem_md_range **out, size_t *n, struct mem_arena *arena, const struct mem_md_page *page,
    struct mem_err *err) MEM_CHECKED;

#endif
