/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a run over the files of a vault. */
#ifndef MEM_VAULT_INT_H
#define MEM_VAULT_INT_H

#include "base/base.h"
#include "link/ignore.h"
#include "link/page_edges.h"
#include "link/page_int.h"
#include "base/text_map.h"
#include "link/vault.h"
#include "write/run.h"

/* A page that goes on under another path. */
struct moved_page {
	struct page_head head;     /* as it was */
	bool taken;                /* its new file was put */
};

#define VAULT_MARK_NAME 48
struct mem_vault_run {
	struct mem_write_run *run;
	struct mem_vault_options o;
	struct mem_str ns, vault;
	struct mem_arena arena;    /* as long as the run */
	char mark_name[VAULT_MARK_NAME];
	struct mem_str home;       /* of its files, as it will be kept */
	bool has_home;             /* which is not the one that is kept */

	/* What was told of files. */
	struct mem_text_map moves; /* by the new path: number in moved */
	struct moved_page *moved;
	size_t nmoved, moved_cap;
	struct mem_text_map left;  /* the old paths */
	struct mem_text_map queued; /* paths that the batch in hand is about: a look at the store does not tell of them yet */

	/* Files whose front matter has another id than the page that they would be: they wait for what all others are. */
	struct deferred_page *deferred;
	size_t ndeferred, deferred_cap;
	struct mem_text_map deferred_paths;
	struct mem_text_map free_pages; /* ids of pages without a file so far: retired in this run, or of a file that waits; value 1: not any more */

	/* Whose links have to be resolved again. */
	struct mem_text_map keys;  /* of pages that came, went or took other names */
	struct mem_id *touched;    /* pages whose own links are other ones */
	size_t ntouched, touched_cap;
	bool all;                  /* an earlier run was broken off: all pages of the vault */
	uint64_t log_seen;         /* the last row of the log whose entities the links are resolved with */
	bool has_log_seen;         /* which is to be kept by itself */
	struct mem_id *entities;   /* that changed since then */
	size_t nentities, entities_cap;
	struct mem_text_map tags;  /* that are queued or there */

	/* Resolving them. */
	uint32_t *sources;
	size_t nsources, sources_cap;
	size_t next, done;         /* written before this transaction, and with it */
	bool gathered;             /* sources are listed */
	struct page_table table;
	struct page_tags left_tags;
	struct mem_vault_waiting waiting;

	struct mem_ignore *ignore;
	struct mem_str mark;       /* to be written with the last transaction */
	bool has_mark;

	/* The file in hand. */
	struct mem_arena file;
	struct mem_buf record, faults;
	struct mem_rec rec;
	struct mem_clean_rec cleaned;
};

/* ---- pages that go: vault_put.c ------------------------------------------------- */

/* Queues what retires the page, with a receipt. */
enum mem_status vault_queue_gone(struct mem_vault_run *r, const struct page_head *was, struct mem_err *err) MEM_CHECKED;

/* Queues what the file is, a change of `was` or a new page (NULL).  `settled`: it is known to be that one; else it may have to wait. */
enum mem_status vault_queue_page(struct mem_vault_run *r, const struct page_source *source, const struct page_head *was, bool settled,
    struct mem_err *err) MEM_CHECKED;

/* ---- ids in front matter: vault_ids.c --------------------------------------------- */

/* The page has no file any more. */
void vault_page_went(struct mem_vault_run *r, const struct mem_id *id);
/* Does the file wait, since its id (empty: it has none) is not that of `was` (NULL: there is no such page)? */
enum mem_status vault_page_defer(struct mem_vault_run *r, const struct page_source *source, struct mem_str note, const struct page_head *was,
    bool *waits, struct mem_err *err) MEM_CHECKED;
/* Does the file at this path wait, or what its page will be?  What is told of it next comes after that is settled. */
bool vault_page_waits(const struct mem_vault_run *r, struct mem_str path);
/* Queues all files that wait: first by their ids, then by their paths. */
enum mem_status vault_settle_deferred(struct mem_vault_run *r, struct mem_err *err) MEM_CHECKED;
void vault_deferred_release(struct mem_vault_run *r);

/* ---- edges to entities: vault_entities.c ------------------------------------------ */

/* Reads the log from r->log_seen on: the entities in it are noted, and the log is seen up to its end. */
enum mem_status vault_read_entities(struct mem_vault_run *r, struct mem_err *err) MEM_CHECKED;
/* Adds the pages that have a name of such an entity for a title, and those that have an edge to it. */
enum mem_status vault_add_entity_sources(struct mem_vault_run *r, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;

/* ---- links again: vault_links.c ------------------------------------------------ */

/* The page's own links are resolved, and where its names are others those that ask for them; `was` and `is` may be NULL. */
void vault_note_change(struct mem_vault_run *r, const struct mem_id *id, const struct page_head *was, const struct page_head *is);
void vault_add_source(struct mem_vault_run *r, uint32_t ord); /* a page whose links are resolved again */
/* Queues what resolves a part of the sources; false: there are no more. */
bool vault_queue_links(struct mem_vault_run *r);
/* Is all resolved once this transaction is kept? */
bool vault_links_done(const struct mem_vault_run *r);
void vault_links_reset(struct mem_vault_run *r);            /* nothing is to be resolved */

#endif
