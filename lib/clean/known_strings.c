/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short strings in which nothing was found: the names of fields, kinds, targets of links come again and again, in a record and
 * from one to the next, and to search one takes thousands of steps however short it is.
 */
#include "clean/known_int.h"

#include <stdlib.h>
#include <string.h>

enum {
	STRING_MAX = 42,   /* bytes */
	SLOTS = 2048,      /* a power of two */
	SEARCHED_LEAST = 64, /* a record or two have fewer strings than a table pays for */
};

/* The length, and whether it is a field's name, tell strings apart with the bytes. */
struct clean_known_string {
	uint32_t steps;    /* of the budget, that searching it took */
	uint8_t n;         /* 0: free */
	bool is_key;
	char text[STRING_MAX];
};

static struct clean_known_string *
find_known_slot(const struct mem_clean *c, struct mem_str text, bool is_key)
{
	uint64_t h = mem_hash_fast(text.p, text.n) + is_key;
	return &c->known[(h ^ h >> 32) & (SLOTS - 1)];
}

bool
clean_known_take(const struct mem_clean *c, struct mem_str text, bool is_key, uint64_t *steps_left)
{
	if (c->known == NULL || text.n > STRING_MAX)
		return false;
	const struct clean_known_string *s = find_known_slot(c, text, is_key);
	if (s->n != text.n || s->is_key != is_key || s->steps > *steps_left || memcmp(s->text, text.p, text.n) != 0)
		return false;
	*steps_left -= s->steps;
	return true;
}

void
clean_known_keep(struct mem_clean *c, struct mem_str text, bool is_key, uint64_t steps)
{
	if (text.n > STRING_MAX || steps > UINT32_MAX || ++c->nsearched < SEARCHED_LEAST)
		return;
	if (c->known == NULL)
		c->known = mem_xcalloc(SLOTS, sizeof *c->known);
	struct clean_known_string *s = find_known_slot(c, text, is_key);
	*s = (struct clean_known_string){ .steps = (uint32_t)steps, .n = (uint8_t)text.n, .is_key = is_key };
	memcpy(s->text, text.p, text.n);
}

void
clean_known_forget(struct mem_clean *c)
{
	free(c->known);
	c->known = NULL;
	c->nsearched = 0;
}
