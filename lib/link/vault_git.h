/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of a vault as a commit of its repository has them, read from git without a checkout. */
#ifndef MEM_VAULT_GIT_H
#define MEM_VAULT_GIT_H

#include "base/base.h"
#include "link/git.h"
#include "link/vault.h"

/*
 * Tells the run what makes the vault that of the commit, and marks it.  From the commit that was marked last on, that is what has changed
 * since then, with git's moves; where none is marked, or it is no longer in the repository, it is all files.  Files whose bytes cannot
 * be read are refused and stay as they are.  The caller commits.  MEM_END: the commit is marked already, and nothing is to be done.
 */
enum mem_status mem_vault_put_commit(struct mem_vault_run *r, const struct mem_git *g, const struct mem_git_id *commit,
    struct mem_err *err) MEM_CHECKED;
/*
 * Makes the vault that of the commit HEAD, in a run of its own.  *read: the commit that it is known to be that of, or the empty name; set to
 * what was read.  To `refused` a sentence is appended where files were refused; their receipts go nowhere.  MEM_END: it is that already,
 * or there is no commit yet.
 */
enum mem_status mem_vault_catch_up(const struct mem_store_options *store, const struct mem_vault_options *o, const struct mem_git *g,
    struct mem_git_id *read, struct mem_buf *refused, struct mem_err *err) MEM_CHECKED;

#endif
