/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vaults: folders of markdown files, whose pages are nodes of kind page and whose links are edges.  Vectors are left for later.
 *
 *   a run     the files that are there, moved and gone; then their contents; then a commit
 *   marks     whose files a vault has, and up to where in their history it was read
 *   counts    what there is of a vault
 *
 * A page's `ref` is VAULT/path.  After each commit the edges references, embeds, tagged and about that leave the pages of a
 * vault are those of a store that was made anew from the same files: a page that comes, goes, moves or takes other names
 * makes the links be resolved again that ask for one of its names (link/targets.h, store/page_keys.h), and an entity that did so since the
 * last commit those of the pages whose title it has (vault_entities.c).  One process at a time links.
 *
 * Paths are relative to the vault's root, with '/' and without "." and "..".
 */
#ifndef MEM_VAULT_H
#define MEM_VAULT_H

#include "base/base.h"
#include "store/store.h"
#include "write/receipt.h"

/* ---- a run ------------------------------------------------------------ */

#define MEM_VAULT_NAME_MAX 64          /* bytes */
/* The name of a vault: what is given, else the setting vault.name, else that of its top folder.  BORROWS.  MEM_USAGE: it is none. */
enum mem_status mem_vault_name_choose(struct mem_str *out, const struct mem_conf *conf, struct mem_str given, struct mem_str folder,
    struct mem_err *err) MEM_CHECKED;
struct mem_vault_options {
	const char *via;            /* origin.via of new nodes: the command's name */
	struct mem_str vault;       /* its name: 1 to MEM_VAULT_NAME_MAX bytes of UTF-8 without '/' and control characters; or empty, */
	struct mem_str folder;      /* and the name of its top folder: mem_vault_name_choose */
	struct mem_str home;        /* whose files these are: mem_vault_place; empty: whoever runs this vouches for it */
	bool moved;                 /* the vault's files are at `home` from now on */
	const char *ns;             /* where its pages go; NULL: the setting vault.ns, else the caller's own */
	bool dry_run;               /* receipts say what would be, and nothing is kept */
};

/*
 * The widest of the folders at or around `folder`, an absolute path, that the store has as a vault without git, of the name that `o` gives or
 * that it has by its place.  BORROWS from folder; empty: there is none.
 */
enum mem_status mem_vault_around(struct mem_str *home, struct mem_store *s, const struct mem_vault_options *o, struct mem_str folder,
    struct mem_err *err) MEM_CHECKED;

struct mem_vault_run;
/*
 * OWNS.  Fails as mem_store_open does.  MEM_USAGE: vault is no name, or that of files which have another home; ns is no namespace.  MEM_DENIED: the caller may not write there.
 * MEM_BUSY: another process links, past store->wait_ms.
 */
enum mem_status mem_vault_open(struct mem_vault_run **out, const struct mem_store_options *store, const struct mem_vault_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err) MEM_CHECKED;
void mem_vault_free(struct mem_vault_run *r);               /* NULL is fine; what was not committed is lost */
struct mem_store *mem_vault_store(const struct mem_vault_run *r);
/* The patterns of the setting vault.ignore; BORROWED. */
struct mem_ignore;
const struct mem_ignore *mem_vault_ignore(const struct mem_vault_run *r);

/*
 * Each gives a receipt: verdict new, changed, unchanged, removed or rejected, with the path.  A refusal is no failure.  A full
 * batch of pages is committed; their edges come with the last one.  What moved or went is told before what is put.  A file whose
 * front matter has the `id` of a page that has no file any more, or of one whose path another note took, is that page: where ids and paths
 * differ, files wait for the commit, and then ids count before paths.
 */
/* The file goes on under another path: the page keeps its id, and is retired where the file is refused there.  Where there is no page at
 * `from` nothing is done and no receipt given. */
enum mem_status mem_vault_move(struct mem_vault_run *r, struct mem_str from, struct mem_str to, struct mem_err *err) MEM_CHECKED;
/* The file is gone: its page is retired.  Where there is none that is live nothing is done and no receipt given. */
enum mem_status mem_vault_gone(struct mem_vault_run *r, struct mem_str path, struct mem_err *err) MEM_CHECKED;
/*
 * All files that the vault has, or one of its folders, also those that cannot be read: the pages of others are gone.  A file that is new and
 * one that is gone are one that moved if they have the same bytes, or share half of their lines, as git has it; unless there are both,
 * nothing is read.
 */
typedef void mem_vault_take_fn(void *ctx, size_t path, struct mem_str bytes);
/* Gives the bytes of n of the paths, by their numbers, that can be read. */
typedef enum mem_status mem_vault_read_fn(void *ctx, const size_t *paths, size_t n, mem_vault_take_fn *take, void *take_ctx, struct mem_err *err);
struct mem_vault_listing {
	const struct mem_str *paths;
	size_t n;
	struct mem_str under;       /* the folder; empty: all of the vault */
	const struct mem_str *unread; /* folders that could not be read: what is below them stays as it is */
	size_t nunread;
	mem_vault_read_fn *read;    /* NULL: nothing moved */
	void *ctx;
};
enum mem_status mem_vault_whole(struct mem_vault_run *r, const struct mem_vault_listing *l, struct mem_err *err) MEM_CHECKED;
/* The file's bytes as they are now.  Reasons of a refusal: bad_utf8, nul, too_long (64 MiB), residue, budget and those of a value. */
enum mem_status mem_vault_put(struct mem_vault_run *r, struct mem_str path, struct mem_str bytes, struct mem_err *err) MEM_CHECKED;
/* It is there and could not be read: a refusal with this reason, static; its page stays as it is. */
enum mem_status mem_vault_unread(struct mem_vault_run *r, struct mem_str path, const char *reason, struct mem_err *err) MEM_CHECKED;

/* Writes what is left, and the edges.  The receipts are out when it returns. */
enum mem_status mem_vault_commit(struct mem_vault_run *r, struct mem_err *err) MEM_CHECKED;
/* Pages that the last commit put or changed, with numbers (ord) from first to last: they wait for their vectors. */
struct mem_vault_waiting {
	uint64_t n;
	uint32_t first, last;
};
struct mem_vault_waiting mem_vault_waiting(const struct mem_vault_run *r);
/* After the commit.  MEM_DENIED: of some of the input the caller had no right; MEM_REFUSED: some of it was refused. */
enum mem_status mem_vault_outcome(const struct mem_vault_run *r, struct mem_err *err) MEM_CHECKED;

/* ---- marks ------------------------------------------------------------ */

/* How far the vault's history was read, in the caller's own form; written by the commit. */
void mem_vault_mark(struct mem_vault_run *r, struct mem_str mark);
/* What was marked last; empty: nothing.  ARENA. */
enum mem_status mem_vault_marked(struct mem_vault_run *r, struct mem_arena *a, struct mem_str *mark, struct mem_err *err) MEM_CHECKED;

/* ---- counts ----------------------------------------------------------- */

/* Of the live pages of a vault.  Occurrences, but for notes, edges and tags. */
struct mem_vault_summary {
	uint64_t notes;
	uint64_t wikilinks, embeds; /* [[x]] and ![[x]] outside front matter */
	uint64_t md_links;          /* relative links to .md files */
	uint64_t resolved, ambiguous, unresolved; /* of wikilinks and embeds those that mean no attachment */
	uint64_t attachments;
	uint64_t not_counted;       /* [[x]] in code, comments (also of HTML) and maths */
	uint64_t edges;             /* pairs of pages */
	uint64_t tags;              /* different ones */
};
enum mem_status mem_vault_summarise(struct mem_vault_run *r, struct mem_vault_summary *out, struct mem_err *err) MEM_CHECKED;

#endif
