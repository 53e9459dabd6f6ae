/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core: what an agent always goes by: who it is (persona), what it promised (commitment), what it never does (redline).
 *
 * A block is a node of kind core, which never decays and cannot be forgotten.  In one's own namespace one writes them
 * oneself; elsewhere operators do.
 *
 *   writing   add, edit, retire
 *   reading   the live blocks that the caller may read
 *   drift     whether what happens moves away from a block
 */
#ifndef MEM_CORE_H
#define MEM_CORE_H

#include "base/base.h"
#include "record/record.h"
#include "store/store.h"
#include "write/run.h"

/* ---- writing: core_edit.c ------------------------------------------------ */

extern const char *const mem_core_kinds[];      /* persona, commitment, redline; NULL at the end */
#define MEM_CORE_TEXT_MAX 16384                 /* bytes of a block: all of it is in every prompt */

/* Of a text as 64 hexadecimal digits: what edit compares.  SHA-256 of its bytes. */
void mem_core_hash(struct mem_str content, char out[65]);

/*
 * Each queues one input.  A refusal is in its receipt: rights_denied (the namespace is another's, and the caller is no
 * operator), empty, too_long, residue, not_found, ambiguous, bad_value (it is no core block), state_conflict (it is retired),
 * conflict, exists (another live block of its kind has the text of an edit already: same_as), unattested (the setting core.attest names the block's sensitivity, and no other agent vouched for this very edit, or
 * for an empty text before a block is retired: attest.h).  Audited as core_edit.
 */

/* `kind` is one of mem_core_kinds.  The same text of the same kind, live in that namespace: unchanged. */
enum mem_status mem_core_add(struct mem_write_run *r, struct mem_str ns, const char *kind, struct mem_str content, const char *sensitivity,
    struct mem_err *err) MEM_CHECKED;
/* Another text.  if_hash: only if the text that is there has this hash, else conflict; NULL: only if nobody else changes it
 * meanwhile. */
enum mem_status mem_core_edit(struct mem_write_run *r, struct mem_str id, struct mem_str content, const char *if_hash,
    struct mem_err *err) MEM_CHECKED;
/* It is in no prompt any more, and stays readable. */
enum mem_status mem_core_retire(struct mem_write_run *r, struct mem_str id, struct mem_err *err) MEM_CHECKED;
/* Does the setting core.attest name this sensitivity of a block? */
bool mem_core_needs_attestation(const struct mem_store *s, struct mem_json sensitivity);
/* Is it a word of 1 to 32 of [A-Za-z0-9._-]? */
bool mem_core_sensitivity_valid(const char *word);

/* ---- reading: core_read.c ------------------------------------------------ */

struct mem_core_block {
	struct mem_id id;
	uint32_t ord;
	struct mem_str ns, json;    /* ARENA */
};
/* All live blocks that the principal may read, of one namespace if `ns` names one, in the order of their ids.  ARENA.  Their number
 * alone decides what it costs. */
enum mem_status mem_core_blocks(struct mem_txn *t, struct mem_arena *a, struct mem_str ns, struct mem_core_block **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;

/* ---- drift: core_drift.c --------------------------------------------------- */

/*
 * drift = min(1, max(0, s(before, block) - s(now, block))), where s is the similarity (vectors.h) and `before` and `now` are the
 * means of the vectors of episodes in the block's namespace: the newest MEM_CORE_DRIFT_SAMPLE captured in the
 * MEM_CORE_DRIFT_WINDOW before the block's text was set (where those are too few, the oldest of the window behind it), and
 * of the window that ends now.
 */
#define MEM_CORE_DRIFT_LIMIT  0.15
#define MEM_CORE_DRIFT_WINDOW ((int64_t)7 * 24 * 3600 * 1000) /* ms */
#define MEM_CORE_DRIFT_SAMPLE 256
#define MEM_CORE_DRIFT_LEAST  8                 /* with fewer episodes on one side nothing is said */

struct mem_core_drift {
	struct mem_core_block block;
	bool known;                 /* else drift is 0: too few episodes, or no vectors */
	double drift;               /* six decimals */
	size_t before, now;         /* episodes in the samples */
};
/* The drift of each block of mem_core_blocks.  ARENA. */
enum mem_status mem_core_drift_measure(struct mem_store *s, struct mem_arena *a, struct mem_core_drift **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;
/*
 * Keeps a drift over the limit at the block, as a mark `drift`, with a row drift_warning in the audit, and takes away one that is over.  The
 * same drift again writes nothing.  Of blocks that the caller may not write, nothing is queued.
 */
enum mem_status mem_core_drift_keep(struct mem_write_run *r, const struct mem_core_drift *d, struct mem_err *err) MEM_CHECKED;

#endif
