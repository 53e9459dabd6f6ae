/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust: whose word it is.
 *
 *   keys         the public keys of agents: nodes of kind agent in global, which operators write
 *   nodes        of agents, in other namespaces
 *   signatures   what is signed, and whether a signature is good
 */
#ifndef MEM_TRUST_H
#define MEM_TRUST_H

#include "base/base.h"
#include "store/store.h"
#include "write/run.h"

/* ---- keys: agent_keys.c --------------------------------------------------- */

/*
 * An agent may have several keys at a time; each is valid from `from` to `to`, half-open.  Each function queues one input.
 * Reasons of a refusal: bad_value (the name is no agent's, the key is not 64 hexadecimal digits, or no point that can be a key), not_found (no such agent),
 * state_conflict (it is retired).  MEM_DENIED: the caller may not write to global.
 */
/* A key, of a new agent or one that is there; one that it has already is unchanged. */
enum mem_status mem_agent_key_add(struct mem_write_run *r, struct mem_str agent, struct mem_str key, struct mem_err *err) MEM_CHECKED;
/* The key takes the place of all others, which end now.  Audited as key_rotation. */
enum mem_status mem_agent_key_rotate(struct mem_write_run *r, struct mem_str agent, struct mem_str key, struct mem_err *err) MEM_CHECKED;
/* All keys end now, and the agent gets no other.  Audited as agent_retired. */
enum mem_status mem_agent_key_retire(struct mem_write_run *r, struct mem_str agent, struct mem_err *err) MEM_CHECKED;

/* ---- their nodes: agent_keys.c ------------------------------------------- */

struct mem_write_node;
/* Each namespace has at most one of an agent.  Those outside of global have no keys, and give no right. */
struct mem_id mem_agent_node_id(struct mem_arena *a, struct mem_str ns, struct mem_str agent); /* ARENA for what it is made of */
const struct mem_write_node *mem_agent_node(struct mem_arena *a, struct mem_str agent); /* a new one, without keys; ARENA */

/* ---- signatures: signature.c ------------------------------------------------ */

/*
 * Is `signature`, 128 hexadecimal digits, one of the fields by a key that the principal has at the time `at`, and is that time within
 * sign.skew of now?  What is signed are the fields as netstrings (Bernstein, "Netstrings", 1997): of each its length in bytes, a
 * colon, the bytes, a comma.  NULL: yes; else the reason of a refusal: bad_signature, also where the agent is unknown, retired or
 * has no key, or cannot be read; or clock_skew.
 */
const char *mem_trust_verify(struct mem_store *s, int64_t at, const struct mem_str *fields, size_t n, struct mem_str signature);
/* What the audit tells of such a refusal: claimed, the agent whose signature it was to be, and skew_seconds, how far ahead of now the
 * time is that was signed (behind: below 0; MEM_TIME_NONE: null).  ARENA. */
struct mem_clean_text mem_trust_refusal(struct mem_store *s, struct mem_arena *a, int64_t at);
/* The setting sign.require. */
bool mem_trust_required(const struct mem_store *s);

#endif
