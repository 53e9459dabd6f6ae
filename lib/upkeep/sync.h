/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync: who wrote where, as nodes and edges, from the turns that came since the last run.
 *
 *   agent    of the caller, in agent:NAME                      name, keys, state: as where it attests
 *   team     each of the caller's in which there are turns, in team:NAME    name        agent member_of team
 *   task     each in which the caller captured, in task:NAME                name, type  agent works_on task
 *   session  each, in the namespace of its turns               name, first_at, last_at  agent took_part in session
 *
 * Where the caller, an operator, sees every namespace, each agent that captured a turn is joined so, as the caller is else: a member of
 * the teams in which it captured.
 *
 * Turns have no edges to these: the session's turns are found by its id (mem_turns_open).  Memberships come from the settings and
 * MEM_TEAMS; the edge says what they were and gives no right.  How far a caller has come in each namespace, as a place in the log,
 * stands in the mark "sync:AGENT"; of who sees every namespace in the mark "sync".
 */
#ifndef MEM_SYNC_H
#define MEM_SYNC_H

#include "base/base.h"

struct mem_index;
struct mem_sync_done {
	uint64_t turns;             /* that came */
	uint64_t nodes, edges;      /* that are new or were changed */
};
/* In the namespaces that the caller may write to.  via: the command's name.  Adds to *done. */
enum mem_status mem_sync_run(struct mem_index *m, const char *via, bool dry_run, struct mem_sync_done *done, struct mem_err *err) MEM_CHECKED;

#endif
