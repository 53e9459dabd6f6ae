/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook: makes agents, git and cron call memkit by themselves.
 *
 * A program that calls others has a file that says when and whom: settings, a script, a crontab.  Here that file is
 * edited in place, so that every byte that is not memkit's stays as it was and a removal leaves no trace; and here is what
 * the hooks do when they are called.
 */
#ifndef MEM_HOOK_H
#define MEM_HOOK_H

#include "base/base.h"

/* The programs, by name: mem-hook(1) has a paragraph for each.  NULL behind the last. */
extern const char *const mem_hook_names[];

/* ---- writing them --------------------------------------------------------- */

struct mem_hook_options {
	const char *store;      /* absolute; NULL: not known, which does for removing */
	const char *agent;      /* who the hooks act as; NULL: whoever calls them */
	bool project;           /* the settings of the project in the working folder, not those of the person */
};

enum mem_hook_verdict { MEM_HOOK_NEW, MEM_HOOK_CHANGED, MEM_HOOK_UNCHANGED, MEM_HOOK_REMOVED };
extern const char *const mem_hook_verdicts[];

struct mem_hook_program;
/* What a file is and what it is to be. */
struct mem_hook_change {
	const struct mem_hook_program *program;
	enum mem_hook_verdict verdict;
	struct mem_buf path;            /* of the file itself: links are followed */
	struct mem_buf before, after;
	struct mem_buf aside;           /* where what was there goes, or comes back from, as it is; empty: nowhere */
	bool was_there, stays;          /* is there such a file, and is there to be one? */
	bool folder_stays;              /* where the file goes */
	unsigned mode;
};
/* MEM_USAGE: there is no such program, or it has no settings of a project. */
enum mem_status mem_hook_check(const char *name, const struct mem_hook_options *o, struct mem_err *err) MEM_CHECKED;
/*
 * Works out a change and does nothing.  `name` is one of mem_hook_names.  *out is to be released in any case.  MEM_USAGE:
 * as of mem_hook_check; MEM_FAIL: the file cannot be read or is not understood, or the hook
 * that is there is somebody else's; err names it.
 */
enum mem_status mem_hook_plan(struct mem_hook_change *out, const char *name, bool install, const struct mem_hook_options *o,
    struct mem_err *err) MEM_CHECKED;
/* Does it, whole or not at all.  MEM_BUSY: the file has changed since it was read. */
enum mem_status mem_hook_apply(const struct mem_hook_change *c, struct mem_err *err) MEM_CHECKED;
/* Appends the change as a unified diff; nothing where there is none. */
void mem_hook_put_diff(struct mem_buf *out, const struct mem_hook_change *c);
void mem_hook_change_release(struct mem_hook_change *c);

/* ---- hooks of a vault's repository ------------------------------------------ */

/* What git calls after it has changed the files of a vault: post-commit, post-merge, post-checkout, post-rewrite.  NULL behind the last. */
extern const char *const mem_vault_hook_names[];
struct mem_vault_hook_options {
	const char *store;      /* absolute; NULL: not known, which does for removing */
	const char *agent;      /* as of struct mem_hook_options */
	const char *vault;      /* its name; NULL likewise */
};
/*
 * Works out the change of one of these hooks of the repository of the working folder, for mem_hook_apply, as mem_hook_plan
 * does.  A hook that is there runs behind memkit's; one that is no script of a shell, or that git does not run, is put aside first.
 */
enum mem_status mem_vault_hook_plan(struct mem_hook_change *out, const char *hook, bool install, const struct mem_vault_hook_options *o,
    struct mem_err *err) MEM_CHECKED;
/* Appends a record for each of them, as kg-hooks(1) describes it. */
enum mem_status mem_vault_hook_put_status(struct mem_buf *lines, const char *agent, struct mem_err *err) MEM_CHECKED;
/* A line of mem_hook_log about a hook that git called. */
void mem_vault_hook_log(const char *hook, const char *message);

/* ---- looking at them ------------------------------------------------------ */

/* Appends a record for each hook of a program, a line each, as mem-hook(1) describes them.  Fails as mem_hook_plan does. */
enum mem_status mem_hook_put_status(struct mem_buf *lines, const char *name, const struct mem_hook_options *o,
    struct mem_err *err) MEM_CHECKED;

/* ---- being called --------------------------------------------------------- */

/*
 * What a hook does: `event` of `program`, with the caller's record, which is `record` or, where that is NULL, on descriptor `fd`.  Appends to `out` what the caller is
 * to be told.  It never takes longer than 2 s, from its start on, and never fails: what goes wrong is a line of
 * mem_hook_log.  It may end the process, with status 0.
 */
void mem_hook_run(struct mem_buf *out, const char *program, const char *event, const char *record, int fd,
    const struct mem_hook_options *o);
/* $XDG_STATE_HOME/memkit/hook.log, appended; false: there is no home. */
bool mem_hook_log(struct mem_buf *out);

#endif
