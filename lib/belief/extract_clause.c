/* SPDX-License-Identifier: Apache-2.0 */
/* Clauses that rules read as sentences of their own: "Tom, who works at Acme, …" as "Tom works at Acme". */
#include "belief/extract_int.h"

#include <string.h>

/* The first letter of a sentence that something is put before: "Moved to Graz" in "I moved to Graz". */
static struct mem_str
lower_first_letter(struct mem_arena *a, struct mem_str text)
{
	if (text.n < 2 || text.p[0] < 'A' || text.p[0] > 'Z' || (text.p[1] >= 'A' && text.p[1] <= 'Z'))
		return text;
	char *copy = mem_arena_dup(a, text.p, text.n);
	copy[0] = (char)(copy[0] - 'A' + 'a');
	return (struct mem_str){ copy, text.n };
}

void
belief_clause_add(struct belief_clauses *all, const struct belief_sentence *s, const struct belief_match *m)
{
	struct mem_str object = m->groups[BELIEF_OBJECT], subject = m->groups[BELIEF_SUBJECT];
	if (object.n == 0 || all->n == BELIEF_CLAUSES_MAX || (size_t)(object.p - s->text.p) < s->lead)
		return;
	struct belief_sentence one = *s;
	const struct mem_str part = object.p == s->text.p ? lower_first_letter(s->out->arena, object) : object;
	one.text = belief_statement(s->out->arena, m->rule->reads, subject, part, (struct mem_str){ NULL, 0 });
	one.at = s->at + (size_t)(object.p - s->text.p) - s->lead;
	one.lead = one.text.n - part.n;
	one.hedged_around = s->hedged;
	one.told_around = s->told;
	for (size_t i = 0; i < all->n; i++)
		if (mem_str_eq(all->v[i].text, one.text))
			return;
	all->v[all->n++] = one;
}
