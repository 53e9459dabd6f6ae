/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the stage render: one entry (render.c), a text that is cut (render_cut.c), the choice (render_choice.c). */
#ifndef MEM_RENDER_INT_H
#define MEM_RENDER_INT_H

#include "record/record.h"
#include "stage/render.h"
#include "text/passages.h"

/* No byte of a text is more tokens than this: the worst is a character of three bytes that stands for eighteen letters. */
enum { RENDER_TOKENS_OF_BYTE = 8 };

struct render_entry {
	struct mem_str id;
	struct mem_str text;    /* as it will be printed, newline included */
	struct mem_str line;    /* the hit, where its entry alone may be over the budget; else { NULL, 0 } */
	double score;
	size_t tokens;          /* once they are measured: of those alone that the choice comes to */
	bool measured;
	size_t order;           /* of input */
	bool core;
	bool chosen;
};

/* What is shown of the hit at hand.  Offsets are those of the decoded string of `field`. */
struct render_shown {
	struct mem_buf field;
	size_t start, end;      /* bytes [start, end); the passage, or all */
	bool passage;
	size_t cut_start, cut_end; /* [cut_start, cut_end) was left out behind it; equal: nothing */
};

enum { RENDER_FACTS = 3 };      /* that a summary tells of the hits */

struct renderer {
	struct mem_render_options opts;
	struct mem_rec rec;
	struct mem_arena arena; /* texts, ids and lines of the entries */
	struct mem_buf text, piece, raw;
	struct render_shown shown;
	char part[64], cut[64]; /* "START-END" of the passage that is shown, and of what is left out behind it; or empty */
	struct render_entry *entries;
	size_t n, cap;
	bool core_over;         /* core memories that are kept are over the budget by themselves */
	bool no_line;           /* they leave no room to say what is left out */
	size_t considered;      /* hits that came, */
	const char *fact[RENDER_FACTS]; /* what the last of them says; NULL: nothing that is known */
	bool differs[RENDER_FACTS];     /* they do not all say the same */
};

/* Frees what it holds; zero again. */
void render_release(struct renderer *r);
/* Finds what is shown of r->rec: r->shown, and the field's string in r->raw.  False: there is nothing to show. */
bool render_find_shown(struct renderer *r);
/* The entry of r->rec, whose line is `line`, in r->text; of its text bytes [r->shown.start, end). */
void render_put_entry(struct renderer *r, struct mem_str line, size_t end);
/* `s` as the format writes the text of an entry, appended; indentation is not there. */
void render_clean_text(const struct renderer *r, struct mem_buf *out, struct mem_str s);
/* What begins each line of a text but perhaps the first. */
const char *render_indent(const struct renderer *r);
/* Shortens an entry that has its line to `room` tokens; false: no sentence or word of it fits, and it is as it was. */
bool render_cut_entry(struct renderer *r, struct render_entry *e, size_t room);
/* Counts the hit r->rec for the summary. */
void render_note_hit(struct renderer *r);
/* Appends the summary, if it is wanted and a hit came. */
void render_put_summary(const struct renderer *r, struct mem_buf *out, size_t shown);
/* The stage's end: chooses entries and appends the block. */
enum mem_status render_put_block(void *state, struct mem_buf *out, struct mem_err *err);

#endif
