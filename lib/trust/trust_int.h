/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room. */
#ifndef MEM_TRUST_INT_H
#define MEM_TRUST_INT_H

#include "base/base.h"
#include "clean/clean_text.h"
#include "record/record.h"

/* The id of an agent's node in a namespace; ARENA for what it is made of. */
struct mem_str trust_agent_identity(struct mem_arena *a, struct mem_str agent);
/* Is it 1 to 64 of [A-Za-z0-9._-]? */
bool trust_agent_valid(struct mem_str name);

/* The fields of an agent that is new, with these keys. */
void trust_agent_fields(struct mem_clean_field out[3], struct mem_arena *a, struct mem_str agent, struct mem_clean_text keys);

/* One of an agent's keys, as its record has it. */
struct trust_key {
	uint8_t public[MEM_SIGN_KEY_LEN];
	int64_t from, to;           /* MEM_TIME_NONE: open */
};
/* False: it is not one that can be read. */
bool trust_key_read(struct trust_key *out, struct mem_json key, struct mem_arena *a);

#endif
