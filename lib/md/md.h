/* SPDX-License-Identifier: Apache-2.0 */
/*
 * md: Markdown pages (CommonMark; links and blocks: md_links.h), front matter, headings and the
 * sections under them.
 *
 * Text must be valid UTF-8 without U+0000.  Spans BORROW from it unless a line says
 * ARENA.
 */
#ifndef MEM_MD_H
#define MEM_MD_H

#include "base/base.h"
#include "conf/conf.h"

/* ---- text ------------------------------------------------------------- */

/* Are the bytes of a file such text, at most `max` bytes of it?  MEM_REFUSED, with its reason and place: too_long, bad_utf8, nul. */
enum mem_status mem_md_text_check(struct mem_str bytes, size_t max, struct mem_err *err) MEM_CHECKED;

/* ---- front matter ----------------------------------------------------- */

/*
 * A first line "---" and a later "---" or "..." enclose front matter, if a key with a colon stands between them or nothing
 * does; otherwise there is none and `body` is the whole text (but for a byte order mark).  `front` is the text between them.
 */
struct mem_md_page {
	struct mem_str text;    /* all of it */
	struct mem_str front;
	struct mem_str body;
	size_t body_line;       /* number of the body's first line, from 1 */
};
void mem_md_split(struct mem_md_page *out, struct mem_str text);
/*
 * The front matter as a map, NULL when there is none.  Lines of its members are those of the text that was split.  What is
 * no YAML costs its own key alone: a value on one line is then taken as it stands ("title: Re: lunch"), and of one that
 * opens a quotation or a list without an end, or is of several lines, `fault` is told and the key is left out.
 */
struct mem_md_fault {
	unsigned line;          /* of the text, from 1 */
	size_t offset;          /* of the line's first byte in the text */
	const char *msg;        /* ARENA */
};
typedef void mem_md_fault_fn(void *ctx, const struct mem_md_fault *f);
void mem_md_front(const struct mem_yaml **out, struct mem_arena *arena, const struct mem_md_page *page,
    mem_md_fault_fn *fault, void *ctx);
/* The text of a scalar without blanks around it.  Empty: there is none (NULL), it is no scalar, or it is YAML's null.  BORROWS. */
struct mem_str mem_md_scalar(const struct mem_yaml *y);

/* ---- headings --------------------------------------------------------- */

/*
 * A heading of the page itself (not one inside a quotation, a list or a comment), and the section
 * it opens: up to the next heading of any level.  Headings without text open none.
 */
struct mem_md_section {
	unsigned level;         /* 1 to 6; 0: the text before the first heading */
	struct mem_str title;   /* ARENA: the heading as plain text */
	struct mem_str anchor;  /* ARENA: see mem_md_anchor; made unique by "-1", "-2", … */
	struct mem_str text;    /* from the heading's line to the next heading */
	size_t body;            /* offset in text of what follows the heading */
	size_t start;           /* offset of text in the body given */
};
/*
 * All sections in order; the list is ARENA.  The first has level 0 and an empty anchor,
 * and is left out when there is no text before the first heading.  Linear in the text.  MEM_FAIL:
 * over 4 GiB, or out of memory.
 */
enum mem_status mem_md_sections(struct mem_md_section **out, size_t *n, struct mem_arena *arena,
    struct mem_str body, struct mem_err *err) MEM_CHECKED;

/*
 * The anchor of a heading's plain text, appended: ASCII letters in lower case, spaces as
 * '-', ASCII punctuation other than '-' and '_' dropped, all else kept as it is.
 */
void mem_md_anchor(struct mem_buf *out, struct mem_str title);
/* Appends a line without the tags and comments of HTML in it (CommonMark 0.30, §6.6). */
void mem_md_put_untagged(struct mem_buf *out, struct mem_str line);

/* ---- tables ----------------------------------------------------------- */

/*
 * A table of pipes (GitHub Flavored Markdown 0.29, §4.10), in place: nothing is copied, and \| in a cell stays as it is written.
 * A table of more columns than MEM_MD_CELLS_MAX is none.
 */
#define MEM_MD_CELLS_MAX 32
struct mem_md_table {
	struct mem_str header[MEM_MD_CELLS_MAX];
	size_t ncells;
	size_t start, rows, end;        /* bytes of the text: the header, the first row, behind the last */
};
/* Does a table begin with the line at `at`?  Costs that line and the next, and of a table all of its lines. */
bool mem_md_table_at(struct mem_str text, size_t at, struct mem_md_table *out);
/* for (size_t at = t.rows; mem_md_row_next(text, &t, &at, &row);) */
bool mem_md_row_next(struct mem_str text, const struct mem_md_table *t, size_t *at, struct mem_str *row);
/* The cells of a row, trimmed, at most `max`; returns how many it has. */
size_t mem_md_row_cells(struct mem_str row, struct mem_str *cells, size_t max);

#endif
