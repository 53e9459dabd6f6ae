/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Needs: sets of literals, of each of which every match of a rule has one (mem_pattern_needs).
 *
 * The automaton finds them with the literals by which rules are chosen.  Where one is missing within reach of a window the
 * rule is not tried there, and its pattern, which may be the first time, not compiled.
 */
#include "clean/need_int.h"

#include <string.h>

/*
 * Bytes within which the ends of literals are one entry, as if there were one at each byte between them: of millions of digits
 * each fourth, or eighth, would have its own.  A rule is then tried in vain at a few places more.
 */
#define NEAR 64

void
clean_needs_begin(struct mem_clean *c)
{
	if (c->nneed_hits > 0)
		memset(c->needs, 0, c->sets[0].nneeds * sizeof *c->needs);
	c->nneed_hits = 0;
}

/* A letter, a digit or _ of ASCII. */
static bool
is_word_part(char c)
{
	return clean_is_lower(c) || clean_is_upper(c) || clean_is_digit(c) || c == '_';
}

/* Does a word that goes on make it another one?  Beyond ASCII any character may be none of a word. */
static bool
is_joined_literal(const struct clean_output *o, struct mem_str text, size_t end)
{
	size_t start = end - o->length;
	return ((o->word & CLEAN_BEGINS_WORD) != 0 && start > 0 && is_word_part(text.p[start - 1])) ||
	    ((o->word & CLEAN_ENDS_WORD) != 0 && end < text.n && is_word_part(text.p[end]));
}

void
clean_need_add(struct mem_clean *c, const struct clean_set *set, const struct clean_output *o, struct mem_str text, size_t end)
{
	if (is_joined_literal(o, text, end))
		return;
	struct clean_chain *chain = &c->needs[o->rule - set->n - 2 * set->ncues];
	if (chain->last != 0 && end - c->need_hits[chain->last - 1].last <= NEAR) {
		c->need_hits[chain->last - 1].last = (uint32_t)end;
		return;
	}
	c->need_hits = mem_grow(c->need_hits, &c->need_hits_cap, c->nneed_hits + 1, sizeof *c->need_hits);
	c->need_hits[c->nneed_hits++] = (struct clean_need_hit){ (uint32_t)end, (uint32_t)end, 0 };
	if (chain->first == 0)
		chain->first = (uint32_t)c->nneed_hits;
	else
		c->need_hits[chain->last - 1].next = (uint32_t)c->nneed_hits;
	chain->last = (uint32_t)c->nneed_hits;
}

struct clean_need_walk
clean_need_walk_begin(const struct mem_clean *c, const struct clean_rule *rule)
{
	struct clean_need_walk w = { .from = 0 };
	for (unsigned i = 0; i < rule->nneeds; i++)
		w.hits[i] = c->needs[rule->needs[i].set].first;
	return w;
}

bool
clean_needs_met(const struct mem_clean *c, const struct clean_rule *rule, const struct clean_window *w, struct clean_need_walk *walk)
{
	if (w->from < walk->from)
		*walk = clean_need_walk_begin(c, rule);
	walk->from = w->from;
	for (unsigned i = 0; i < rule->nneeds && c->needs[CLEAN_NEED_ODD].first == 0; i++) {
		uint32_t *hit = &walk->hits[i];
		while (*hit != 0 && c->need_hits[*hit - 1].last <= w->from)
			*hit = c->need_hits[*hit - 1].next;
		if (*hit == 0 || c->need_hits[*hit - 1].first > (uint64_t)w->last + rule->needs[i].reach)
			return false;
	}
	return true;
}
