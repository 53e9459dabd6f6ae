/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of an object: is one there twice? */
#include "record/record_int.h"

#include <stdlib.h>

void
json_keys_init(struct json_keys *k, size_t expected)
{
	size_t slots = 64;
	while (slots < expected * 2)
		slots *= 2;
	*k = (struct json_keys){ .mask = slots - 1 };
	k->slots = mem_xcalloc(slots, sizeof *k->slots);
	mem_random(k->secret, sizeof k->secret);
}

void
json_keys_release(struct json_keys *k)
{
	free(k->slots);
	*k = (struct json_keys){ 0 };
}

static struct json_key_slot *
probe_key_slot(const struct json_keys *k, struct mem_str key)
{
	size_t i = (size_t)mem_hash64(k->secret, key) & k->mask;
	while (k->slots[i].used && !mem_str_eq(k->slots[i].key, key))
		i = (i + 1) & k->mask;
	return &k->slots[i];
}

static void
enlarge_key_table(struct json_keys *k)
{
	struct json_key_slot *old = k->slots;
	size_t n = k->mask + 1;
	k->mask = n * 2 - 1;
	k->slots = mem_xcalloc(n * 2, sizeof *k->slots);
	for (size_t i = 0; i < n; i++)
		if (old[i].used)
			*probe_key_slot(k, old[i].key) = old[i];
	free(old);
}

struct json_key_slot *
json_keys_add(struct json_keys *k, struct mem_str key, bool *fresh)
{
	if ((k->n + 1) * 2 > k->mask + 1)
		enlarge_key_table(k);
	struct json_key_slot *slot = probe_key_slot(k, key);
	*fresh = !slot->used;
	if (*fresh) {
		*slot = (struct json_key_slot){ .key = key, .next = 2, .used = true };
		k->n++;
	}
	return slot;
}
