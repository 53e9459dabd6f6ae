/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: names and targets in the forms that are compared. */
#ifndef MEM_TARGETS_INT_H
#define MEM_TARGETS_INT_H

#include "base/base.h"
#include "link/targets.h"

/* A name three times, ARENA: its bytes, NFC of them, and case and compatibility forms folded. */
enum target_form { TARGET_BYTES, TARGET_NFC, TARGET_FOLDED, TARGET_FORMS };
struct target_name {
	struct mem_str form[TARGET_FORMS];
};
struct target_name target_name_make(struct mem_arena *a, struct mem_str name);

/* A page, ready to be compared; ARENA. */
struct target_page {
	struct target_name path, title;
	struct mem_str stem[TARGET_FORMS]; /* of the path, without its extension; BORROWS from it */
	struct target_name *aliases;
	size_t naliases;
	struct mem_str title_slug, file_slug; /* empty: they lost a letter, or there is nothing left */
	size_t depth;              /* folders above it */
};
void target_page_make(struct target_page *out, struct mem_arena *a, const struct mem_target_page *p);

/* Appends the key of a name as it is written: mem_page_key of the folded name. */
void target_key_put(struct mem_buf *out, struct mem_str name);

/* The slug of a name; empty where it lost a letter, or nothing is left.  ARENA. */
struct mem_str target_slug(struct mem_arena *a, struct mem_str name);

/* A target, ready to be compared; ARENA. */
struct target_ask {
	struct target_name path;   /* without "." and ".." */
	struct target_name text;
	struct mem_str slug;       /* as of a page */
	struct mem_str folder;     /* of the page that has the link */
	bool rooted;               /* the path alone counts, from the root */
	bool suffix;               /* it has a '/' */
	bool outside;              /* of the vault: it means nothing */
};
void target_ask_make(struct target_ask *out, struct mem_arena *a, const struct mem_target *target);
size_t target_ask_keys(struct mem_arena *a, const struct target_ask *ask, struct mem_str keys[MEM_TARGET_KEYS]); /* mem_target_keys */
/* How well the page is meant; smaller is better, and pages of one rank are told apart by nothing.  TARGET_UNMEANT: not at all. */
#define TARGET_UNMEANT UINT32_MAX
uint32_t target_rank(const struct target_ask *ask, const struct target_page *p);
/* That of a page whose file has the name that is asked for, in the same bytes. */
uint32_t target_file_rank(bool elsewhere, size_t depth);

/* The best so far. */
struct target_best {
	uint32_t rank;             /* TARGET_UNMEANT to begin */
	struct mem_target_answer answer;
};
void target_best_offer(struct target_best *best, uint32_t rank, size_t number);
void target_best_end(const struct target_best *best, struct mem_target_answer *out);

#endif
