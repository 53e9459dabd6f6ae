/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which page the target of a link means.
 *
 * The rules, the first that finds a page counting:
 *
 *   1  path       the target is the page's path from the root of the vault
 *   2  suffix     it has a '/', and is the end of the path, in whole components
 *   3  file       it is the file's name
 *   4  title
 *   5  alias
 *   6  slug       its slug is that of the title or the file's name.  A slug that lost a letter (é, 日) is nobody's.
 *
 * Of several pages that one rule finds: those in the folder of the page that has the link; then those with the fewest
 * folders above them; then those whose name is spelled as the target is (the same bytes; else the same but for Unicode's
 * composition, UAX #15; else but for case and compatibility forms).  Of rule 1 the spelling comes first: a whole path means the
 * page that has just that.  If several are left the target is ambiguous.
 *
 * The extension .md or .markdown may be left out.  "./x", "../x" and the targets of markdown links ([t](x.md)) are paths
 * from the page's folder, "/x" is a path from the root: rule 1 alone finds their pages.  "_" and a space are two characters.
 */
#ifndef MEM_TARGETS_H
#define MEM_TARGETS_H

#include "base/base.h"

/* A page as the rules see it: the path from the vault's root, without a '/' before it; the title is the file's name where
 * the page names none. */
struct mem_target_page {
	struct mem_str path, title;
	const struct mem_str *aliases;
	size_t naliases;
};
/* What is asked for. */
struct mem_target {
	struct mem_str from;       /* path of the page that has the link */
	struct mem_str text;       /* decoded, without '#…' and label; empty: the page itself */
	bool relative;             /* of a markdown link: a path from the page's folder */
};

enum mem_target_found { MEM_TARGET_NONE, MEM_TARGET_ONE, MEM_TARGET_AMBIGUOUS };
#define MEM_TARGET_OTHERS 8
struct mem_target_answer {
	enum mem_target_found found;
	size_t page;               /* ONE: number of the page */
	size_t others[MEM_TARGET_OTHERS]; /* AMBIGUOUS: some of those that are left */
	size_t nothers;            /* all that are left, also those for which there is no room */
};

/* ---- among pages in memory ------------------------------------------------ */

struct mem_target_table;
struct mem_target_table *mem_target_table_new(void);        /* OWNS */
void mem_target_table_free(struct mem_target_table *t);     /* NULL is fine */
/* Returns the page's number: 0, 1, 2 …  What the page says is copied. */
size_t mem_target_table_add(struct mem_target_table *t, const struct mem_target_page *p);
void mem_target_resolve(const struct mem_target_table *t, const struct mem_target *target, struct mem_target_answer *out);

/* ---- among candidates that are found elsewhere ----------------------------- */

/*
 * The same over candidates in any order: all pages that have one of the keys (store/page_keys.h) that mem_target_keys gives are
 * tried.
 */
struct mem_target_choice;
struct mem_target_choice *mem_target_choice_new(const struct mem_target *target); /* OWNS */
void mem_target_choice_free(struct mem_target_choice *c);   /* NULL is fine */
void mem_target_choice_try(struct mem_target_choice *c, const struct mem_target_page *p, size_t number);
void mem_target_choice_end(const struct mem_target_choice *c, struct mem_target_answer *out);
/* The keys that a target asks for.  ARENA; returns how many there are, at least one. */
#define MEM_TARGET_KEYS 2
size_t mem_target_keys(struct mem_arena *a, const struct mem_target *target, struct mem_str keys[MEM_TARGET_KEYS]);

/* The slug of a name, appended: of its composed form (NFC) a-z, 0-9 and '-' are kept, letters in lower case, each run of spaces is one '-'. */
void mem_page_slug(struct mem_buf *out, struct mem_str name);
#endif
