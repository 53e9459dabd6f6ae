/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: what reads links, from lines to blocks to spans.  Offsets are bytes of the page's text. */
#ifndef MEM_MD_INT_H
#define MEM_MD_INT_H

#include "base/base.h"
#include "md/md_links.h"

/* ---- what is found ------------------------------------------------------ */

/* A stretch of text that is read by itself: a paragraph, a heading, a cell of a table. */
struct md_leaf {
	uint32_t start, end;
	uint32_t first_gap;     /* the gaps up to the next leaf's first one are its own */
	bool in_table;
};
/* What stands between the lines of a leaf and is no white space: the marks of quotations. */
struct md_gap {
	uint32_t start, end;
};
/* "[label]: target"; the label is folded.  Sorted by label, then by place. */
struct md_definition {
	struct mem_str label;   /* ARENA */
	struct mem_md_link link;
	bool page, file;        /* the path of one */
	bool here;              /* a place of the page itself */
};
/* A heading that no container holds. */
struct md_heading {
	uint32_t start, end;    /* its text, without marks */
	uint32_t title_end;     /* the end of it without a block id; start: there is nothing else */
	uint32_t behind;        /* the line behind it */
	unsigned level;
};

/* Lists grow by mem_grow and are released by md_reading_release. */
struct md_reading {
	struct mem_arena *arena;
	struct mem_str text;
	struct md_leaf *leaves;
	size_t nleaves, leaves_cap;
	struct md_gap *gaps;
	size_t ngaps, gaps_cap;
	struct md_definition *definitions;
	size_t ndefinitions, definitions_cap;
	struct mem_md_block *blocks;
	size_t nblocks, blocks_cap;
	struct mem_md_link *links;
	size_t nlinks, links_cap;
	struct mem_md_link *files;
	size_t nfiles, files_cap;
	struct mem_md_link *places;
	size_t nplaces, places_cap;
	struct mem_md_tag *tags;
	size_t ntags, tags_cap;
	struct mem_md_range *ranges;
	size_t nranges, ranges_cap;
	size_t not_counted;
	struct md_heading *headings;
	size_t nheadings, headings_cap;
	bool wants_prose;
};
/* Reads the blocks of a page.  MEM_FAIL: over 4 GiB.  To be released in any case. */
enum mem_status md_reading_begin(struct md_reading *r, struct mem_arena *arena, const struct mem_md_page *page,
    struct mem_err *err) MEM_CHECKED;
void md_reading_release(struct md_reading *r);
size_t md_body_start(const struct mem_md_page *page);
/* What a reading says, each once: links last, which reads the spans; sections of text[from, …), where the body begins. */
void md_fields_front(struct mem_md_fields *out, struct mem_arena *arena, const struct mem_md_page *page, mem_md_fault_fn *fault, void *ctx);
const struct md_heading *md_title_heading(const struct md_reading *r); /* the first of level 1; NULL: there is none with a text */
enum mem_status md_fields_title(struct mem_md_fields *out, const struct md_reading *r, struct mem_err *err) MEM_CHECKED; /* where there is none yet */
enum mem_status md_sections_take(struct mem_md_section **out, size_t *n, const struct md_reading *r, size_t from,
    struct mem_err *err) MEM_CHECKED;
void md_links_take(struct mem_md_links *out, struct md_reading *r);
/* Sorts links by their starts and gives them their places. */
void md_links_place(struct mem_str text, struct mem_md_link *links, size_t n);

/* ---- blocks: md_blocks.c, md_containers.c, md_leaves.c -------------------- */

/* The leaves of text[from, …), its definitions and block ids; counts [[…]] in code and comments. */
void md_blocks_read(struct md_reading *r, size_t from);

/* A line, behind what its containers took of it. */
struct md_line {
	size_t start, at, end;  /* end: without its line break */
	size_t next;            /* the line behind it */
	unsigned column;        /* of `at` */
	unsigned pad;           /* columns of a tab that was cut in two */
	size_t no_rule;         /* what begins before this place is no thematic break */
};
/* The columns of white space at the line's beginning; *first: behind them. */
unsigned md_line_indent(struct mem_str text, const struct md_line *l, size_t *first);
void md_line_skip(struct mem_str text, struct md_line *l, unsigned columns);

#define MD_DEPTH_MAX 100
struct md_container {
	char mark;              /* '>', or of a list's item '-' '+' '*' '.' ')' */
	bool empty;             /* an item of which only the mark has been seen */
	unsigned indent;        /* columns that a line of the item begins with */
};
enum md_leaf_kind { MD_NO_LEAF, MD_PARAGRAPH, MD_TABLE, MD_FENCED, MD_INDENTED, MD_HTML };
struct md_block_walk {
	struct md_reading *r;
	struct mem_str text;
	struct md_container stack[MD_DEPTH_MAX];
	size_t depth;
	enum md_leaf_kind leaf;
	/* The paragraph that is open: all of it, its last line, the end of the line before that, its first gap. */
	size_t start, end, last_start, before_end, first_gap;
	char fence;             /* '`' or '~', and how many */
	size_t fence_n;
	int html;               /* which of the seven kinds of HTML blocks */
	/* The top-level block before: what a lone ^id names. */
	size_t top_start, top_end;
	char top_mark;
	bool no_comment, no_html_comment, no_maths; /* none of these marks follows */
};
/* How many containers the line continues. */
size_t md_containers_match(struct md_block_walk *w, struct md_line *l);
/* Opens those that begin on the line, within the first `matched`; how many are then open.  May close the leaf. */
size_t md_containers_open(struct md_block_walk *w, struct md_line *l, size_t matched);
bool md_is_rule(struct mem_str text, struct md_line *l, size_t first);
bool md_is_underline(struct mem_str text, const struct md_line *l, size_t first);

void md_leaf_close(struct md_block_walk *w);
/* The paragraph with this underline is a heading. */
void md_underline_add(struct md_block_walk *w, const struct md_line *l, unsigned level);
void md_paragraph_add(struct md_block_walk *w, const struct md_line *l, size_t first);
void md_heading_add(struct md_block_walk *w, const struct md_line *l, size_t first, unsigned level);
/* Does a table begin with the paragraph's last line, of which this is the delimiter row?  Then it has begun. */
bool md_table_begin(struct md_block_walk *w, const struct md_line *l, size_t first);
void md_row_add(struct md_block_walk *w, size_t start, size_t end);
/* A line of code, or of HTML of kind w->html. */
void md_code_add(struct md_block_walk *w, size_t start, size_t end);
void md_html_add(struct md_block_walk *w, size_t start, size_t end);

/* ---- HTML: md_html.c ------------------------------------------------------ */

/* Which kind of HTML block (CommonMark §4.6) begins with this text; 0: none. */
#define MD_HTML_COMMENT 2
int md_html_block(struct mem_str line, bool in_paragraph);
/* How much of a line of a comment is within it, its end mark included. */
size_t md_html_comment_length(struct mem_str line);
bool md_html_ends(int kind, struct mem_str line);
/* Kinds of marks that were looked for in vain up to a text's end. */
struct md_missing {
	bool comment, instruction, cdata, declaration, percent, display, maths;
};
/* The length of the tag, comment or address in angle brackets that the text begins with; 0: none. */
size_t md_angle_length(struct mem_str s, struct md_missing *m);

/* ---- links: md_wikilink.c, md_target.c ------------------------------------ */

/* [[…]] with offsets of the text that was given. */
struct md_wikilink {
	size_t end;             /* behind the last bracket */
	size_t name_end;        /* of target and fragment */
	size_t label_start;     /* 0: none */
	size_t stop;            /* behind the label */
};
/*
 * Is text[at, …) of the form [[…]]?  `code_end` finds the end of the code that begins at a place, 0: none does.
 * Costs at most the text up to the next "[[".
 */
typedef size_t md_code_end_fn(void *ctx, size_t at);
bool md_wikilink_scan(struct mem_str text, size_t at, struct md_wikilink *out, md_code_end_fn *code_end, void *ctx);
/* The link at text[at, …) of which this was found; BORROWS from `text`.  False: it names nothing. */
bool md_wikilink_link(struct mem_str text, size_t at, const struct md_wikilink *w, struct mem_md_link *out);
/* How many of them stand in code or in what else has none. */
size_t md_wikilinks_count(struct mem_str s);
bool md_names_page(struct mem_str path); /* ends in .md or .markdown */
void md_link_set_fragment(struct mem_md_link *l, struct mem_str fragment); /* "heading", "^block" */
void md_link_classify(struct mem_md_link *l); /* sets `attachment` */

/* Where a destination stands. */
struct md_target {
	size_t start, end;      /* without angle brackets */
	bool angled;
};
/* CommonMark §6.3: a link destination at `at`; returns the place behind it, 0: there is none. */
size_t md_target_scan(struct mem_str s, size_t at, struct md_target *out);
/* A title at `at`; 0: none. */
size_t md_title_scan(struct mem_str s, size_t at);
/* Fills in target, heading, block, relative, angled, and for another file than a page attachment, from a destination in `text`; of
 * "#heading" the target is empty.  False: it is no path. */
bool md_target_link(struct mem_arena *arena, struct mem_str text, const struct md_target *t, struct mem_md_link *out);

/* ---- definitions: md_definitions.c ------------------------------------------ */

/* The label in brackets at `at`; returns the place behind it, 0: there is none. */
size_t md_label_scan(struct mem_str s, size_t at, struct mem_str *label);
/* Takes the definitions that text[start, end) begins with; returns where the rest begins. */
size_t md_definitions_take(struct md_reading *r, size_t start, size_t end);
void md_definitions_sort(struct md_reading *r);
const struct md_definition *md_definition_find(const struct md_reading *r, struct mem_str label);

/* ---- the plain text of headings: md_titles.c ---------------------------------- */

/* Appends a heading's text to a document that md_titles_read takes. */
void md_title_put(struct mem_buf *doc, struct mem_str title);
/* Behind the last one: labels that have a definition, so that [text] with one of them is a link. */
void md_title_labels_put(struct mem_buf *doc, const struct md_reading *r);
/* The plain text of the n titles of the document, ARENA; p NULL: one has none.  MEM_FAIL: over 4 GiB, or out of memory. */
enum mem_status md_titles_read(struct mem_str *titles, size_t n, struct mem_arena *arena, const struct mem_buf *doc, struct mem_err *err) MEM_CHECKED;
/* Appends what "&amp;", "&#8217;" stand for; names that are not known here stay as they are written. */
void md_put_entity(struct mem_buf *out, struct mem_str e);

/* ---- spans: md_spans.c, md_brackets.c ---------------------------------------- */

void md_spans_read(struct md_reading *r);

#endif
