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

/* A rule that reads what it has read itself. */
static void
note_loop(const struct belief_sentence *s, struct belief_rule *rule)
{
	if (!rule->told)
		belief_warn_of_rule(s->rules, rule, "it loops: it reads as a sentence what it made of one itself");
	rule->told = true;
}

void
belief_clause_add(struct belief_clauses *all, const struct belief_sentence *s, const struct belief_match *m)
{
	struct mem_str object = m->groups[BELIEF_OBJECT], subject = m->groups[BELIEF_SUBJECT];
	if (object.n == 0)
		return;
	if ((size_t)(object.p - s->text.p) < s->lead) {
		if (s->reader == m->rule)
			note_loop(s, m->rule);
		return;
	}
	if (all->n == BELIEF_CLAUSES_MAX)
		return;
	struct belief_sentence one = *s;
	const struct mem_str part = object.p == s->text.p ? lower_first_letter(s->out->arena, object) : object;
	one.text = belief_statement(s->out->arena, m->rule->reads, subject, part, (struct mem_str){ NULL, 0 });
	one.at = s->at + (size_t)(object.p - s->text.p) - s->lead;
	one.lead = one.text.n - part.n;
	one.hedged_around = s->hedged;
	one.told_around = s->told;
	one.reader = m->rule;
	if (mem_str_eq(s->text, one.text))
		note_loop(s, m->rule);
	for (size_t i = 0; i < all->n; i++)
		if (mem_str_eq(all->v[i].text, one.text))
			return;
	all->v[all->n++] = one;
}
