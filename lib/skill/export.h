/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing skills to files: FOLDER/NAME/SKILL.md with the text that is kept, byte for byte.
 *
 * Nothing is written outside of the folder: a name's '/', '\' and unseen characters and a '.' at its beginning become '_', and no symbolic
 * link is followed below it.  A file that is there with another content stays unless it is to be replaced; it keeps its mode.
 */
#ifndef MEM_SKILL_EXPORT_H
#define MEM_SKILL_EXPORT_H

#include "base/base.h"
#include "store/store.h"
#include "write/receipt.h"

struct mem_skill_export_options {
	const char *dir;            /* made where it is not there */
	bool replace;               /* files of another content */
	bool dry_run;               /* receipts say what would be, and nothing is written */
};
struct mem_skill_export;
/* OWNS; BORROWS s.  MEM_FAIL: the folder cannot be made or opened. */
enum mem_status mem_skill_export_open(struct mem_skill_export **out, struct mem_store *s, const struct mem_skill_export_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err) MEM_CHECKED;
void mem_skill_export_free(struct mem_skill_export *x);     /* NULL is fine */
/*
 * One skill, with a receipt: verdict new, changed, unchanged or rejected, `path`, `name`, and `exact`, whether these are the bytes that were
 * read (false where the sanitiser took something out).  Reasons of a refusal: not_found; exists, a file of another content or of another skill
 * of this run; outside, what lies there is a link or no file; unwritable.
 */
enum mem_status mem_skill_export_put(struct mem_skill_export *x, const struct mem_id *id, struct mem_err *err) MEM_CHECKED;
/* After the last one.  MEM_REFUSED: some were refused. */
enum mem_status mem_skill_export_outcome(const struct mem_skill_export *x, struct mem_err *err) MEM_CHECKED;

#endif
