/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: which files that came are files that went, under another path. */
#ifndef MEM_LINK_PAGE_MOVES_H
#define MEM_LINK_PAGE_MOVES_H

#include "base/base.h"

#define MOVES_LIKE_MAX 1000                    /* files on either side of which texts are compared: git's default, too */
#define MOVES_BYTES_MAX ((size_t)64 << 20)     /* of texts on either side */

/* A text in pieces, lines of at most 64 bytes, as git's diffcore-rename counts them. */
struct text_piece {
	uint64_t hash;
	uint32_t bytes;
};
struct moved_text {
	struct text_piece *v;      /* OWNS; by hash, each once */
	size_t n, cap, bytes;
};
/* On one side.  Zero initialised but for what is given. */
struct moved_file {
	struct mem_str path;
	char sha256[65];           /* empty: it was not read */
	size_t bytes;
	bool has_text;
	struct moved_text text;
	size_t other;              /* the number of the file on the other side, plus 1; 0: none */
};

void moved_file_set_text(struct moved_file *f, struct mem_str text);
void moved_files_release(struct moved_file *f, size_t n);
/*
 * Files of the same bytes are one, of several that of the same name, but empty ones only if they have the same name.  Then, of those that
 * have their texts, the pairs that share most, and at least half of the longer one.
 */
void moved_files_match(struct moved_file *went, size_t nwent, struct moved_file *came, size_t ncame);

#endif
