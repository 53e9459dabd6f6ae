/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drafts that a user's command writes.
 *
 * It gets the draft as the template has it, one record (mem-records(5), "Proposals", before it is cleaned), and prints one record:
 *
 *   {"name"?,"description"?,"content"?,"drafter"?,"version"?}
 *
 * drafter and version say who wrote it, words of letters, digits, . _ and -; without them it is called as its program is, version 0.
 * What is left out stays as the template has it; other members are not looked at.  The proposal's field `drafter` is DRAFTER@VERSION.
 *
 * Whatever goes wrong, the template stays, and the field `drafter_failed` says why:
 *
 *   failed      the command could not be started, took longer or printed more than mem_command_run lets it, or ended with another
 *               status than 0
 *   bad_json, not_an_object, duplicate_key, bad_utf8, nul, too_deep   what it printed is no record, or more than one
 *   bad_value   a member has another type, a name is none that a skill can have, or nothing is drafted
 *   too_long    a name over MEM_PROPOSAL_NAME_MAX, a description over MEM_DRAFT_DESCRIPTION_MAX or a content over MEM_PROPOSAL_BODY_MAX
 *
 * What the answer says is cleaned as all that is proposed.
 */
#ifndef MEM_DRAFT_WITH_H
#define MEM_DRAFT_WITH_H

#include "base/base.h"
#include "skill/propose.h"

#define MEM_DRAFT_DESCRIPTION_MAX ((size_t)4096)

/* Puts the answer into *what, which has its research; ARENA.  No transaction is open.  False: it went wrong, and *why says how. */
bool mem_draft_with(struct mem_proposal_new *what, struct mem_arena *a, const char *command, struct mem_err *why);

#endif
