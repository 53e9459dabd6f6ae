/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run over files that are skills: new ones, changed ones, those that are gone; then their edges.  Vectors are left for later.
 *
 * A file whose bytes are those that were read last is unchanged.  Changed, it is the skill's active release from then on, and what was
 * that before is kept as a release.  Of an experimental change it is a release with status draft beside the active one, which stays.  Its
 * number is the version of the front matter, where no other release has that; else the patch number rises.  After a commit that ends
 * the edges that leave the skills are those that their files name; a name that no skill has is kept in field `missing` until one
 * comes.  One process at a time ingests.
 */
#ifndef MEM_SKILL_INGEST_H
#define MEM_SKILL_INGEST_H

#include "base/base.h"
#include "skill/release.h"
#include "skill/skill_files.h"
#include "store/store.h"
#include "write/receipt.h"

struct mem_skill_ingest_options {
	const char *via;            /* origin.via of new nodes: the command's name */
	const char *ns;             /* where skills go; NULL: the setting skills.ns, else the caller's own */
	enum mem_release_change change; /* how the number of a changed skill rises whose file gives none; experimental: as a draft */
	const char *skill;          /* as mem_skill_find has it: the file is a release of it, wherever it lies; NULL: of its name's */
	bool dry_run;               /* receipts say what would be, and nothing is kept */
};
struct mem_skill_ingest;
/* OWNS.  Fails as mem_store_open, and of `skill` as mem_skill_find.  MEM_USAGE: ns is no namespace.  MEM_DENIED: the caller may
 * not write there.  MEM_BUSY: another process ingests or links, past store->wait_ms. */
enum mem_status mem_skill_ingest_open(struct mem_skill_ingest **out, const struct mem_store_options *store,
    const struct mem_skill_ingest_options *o, mem_emit_fn *emit, void *ctx, struct mem_err *err) MEM_CHECKED;
void mem_skill_ingest_free(struct mem_skill_ingest *r);     /* NULL is fine; what was not committed is lost */
struct mem_store *mem_skill_ingest_store(const struct mem_skill_ingest *r);

/* All files of the run, before the first is put: sorted, and BORROWED until the run is freed. */
void mem_skill_ingest_files(struct mem_skill_ingest *r, const struct mem_skill_files *files);
/*
 * One of the files, with a receipt: verdict new, changed, unchanged, duplicate (another folder has the same file) or rejected, with the
 * path.  The id is that of a new draft, and else the skill's.  A loose file that is no skill has none.  Reasons of a refusal:
 * those of mem_skill_file_read and of mem_md_text_check; bad_value, of a name, also of another skill's than options->skill, or of
 * front matter; conflict, of a name that a skill in another folder has; outside; residue; budget.
 */
enum mem_status mem_skill_ingest_put(struct mem_skill_ingest *r, const struct mem_skill_file *file, struct mem_err *err) MEM_CHECKED;
/* All files were put: skills whose files are gone from the folders that were read are retired, verdict removed. */
enum mem_status mem_skill_ingest_retire(struct mem_skill_ingest *r, struct mem_err *err) MEM_CHECKED;
/* Writes what is left, and the edges.  The receipts are out when it returns.  MEM_BUSY: a skill was changed meanwhile; again. */
enum mem_status mem_skill_ingest_commit(struct mem_skill_ingest *r, struct mem_err *err) MEM_CHECKED;
/* After the commit: nodes that wait for their vectors, and how it ended. */
const struct mem_write_total *mem_skill_ingest_total(const struct mem_skill_ingest *r);
enum mem_status mem_skill_ingest_outcome(const struct mem_skill_ingest *r, struct mem_err *err) MEM_CHECKED;
/* What skills of this run name in their front matter and no skill is called, after the commit. */
typedef void mem_skill_missing_fn(void *ctx, struct mem_str skill, struct mem_str name, bool forgotten);
enum mem_status mem_skill_ingest_missing(struct mem_skill_ingest *r, mem_skill_missing_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;

#endif
