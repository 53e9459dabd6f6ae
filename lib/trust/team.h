/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams of agents as the store has them: a node of kind team, and an edge member_of from each member's node to it.  They say who
 * works together and give no rights: those come from config.yaml and the environment.
 *
 * A team that is made here, and the nodes of its members, lie in global, so that all read who is in it.  `kg-node sync` makes such
 * nodes of teams and agents in their own namespaces.
 */
#ifndef MEM_TEAM_H
#define MEM_TEAM_H

#include "base/base.h"
#include "store/store.h"
#include "write/run.h"

struct mem_write_node;
/* Each namespace has at most one of a team. */
struct mem_id mem_team_node_id(struct mem_arena *a, struct mem_str ns, struct mem_str team); /* ARENA for what it is made of */
const struct mem_write_node *mem_team_node(struct mem_arena *a, struct mem_str team); /* a new one; ARENA */

/*
 * Each queues one input.  Reasons of a refusal: bad_value (a name is not 1 to 64 of [A-Za-z0-9._-]), state_conflict (the team or the
 * agent is there and not live), and of removing not_found (no such team, or the agent is not in it).  MEM_DENIED: the caller may not
 * write to global.  Receipts have the team's id, and the members `team` and `agent` (or null) besides.
 */
/* The team alone; one that is there is a duplicate. */
enum mem_status mem_team_make(struct mem_write_run *r, struct mem_str team, struct mem_err *err) MEM_CHECKED;
/* The agent as a member of the team, whose nodes are made where they are not there yet. */
enum mem_status mem_team_add(struct mem_write_run *r, struct mem_str team, struct mem_str agent, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_team_remove(struct mem_write_run *r, struct mem_str team, struct mem_str agent, struct mem_err *err) MEM_CHECKED;

/* The names of the live teams that an agent is in, as far as the principal may read; each once, in the order of their bytes.  ARENA. */
enum mem_status mem_teams_of(struct mem_str **names, size_t *n, struct mem_txn *t, struct mem_str agent, struct mem_arena *a,
    struct mem_err *err) MEM_CHECKED;

/*
 * Appends the teams that the principal may read, live ones, a line each: the team's node with the field `members`, the names of its
 * live members in the order of their bytes.  `names` leaves those teams alone (folded; empty: all).  At most `max` of them.
 */
enum mem_status mem_teams_list(struct mem_store *s, const struct mem_words *names, uint64_t max, struct mem_buf *lines,
    struct mem_err *err) MEM_CHECKED;

#endif
