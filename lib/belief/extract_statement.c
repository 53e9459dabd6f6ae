/* SPDX-License-Identifier: Apache-2.0 */
/* What a fact says: the sentence, or the form that its predicate has. */
#include "belief/extract_int.h"

#include <string.h>

#define VERB_STEM 4 /* bytes by which verbs are told apart */

bool
belief_names_persons(const struct belief_sentence *s)
{
	for (size_t i = 0; i < s->nmarks; i++)
		if (s->marks[i].effect >= BELIEF_SPEAKER && s->marks[i].effect <= BELIEF_LISTENER_OWNS)
			return true;
	return false;
}

/* Does a word of the sentence begin as the form's verb, "works" of "{s} works at {o}", does?  Short verbs are in all. */
static bool
says_verb_of_form(const struct belief_sentence *s, struct mem_str form)
{
	static const char subject[] = "{s} ";
	size_t lead = sizeof subject - 1;
	if (form.n < lead + VERB_STEM || memcmp(form.p, subject, lead) != 0 || memchr(form.p + lead, ' ', VERB_STEM) != NULL)
		return true;
	for (size_t t = 0; t < s->ntokens; t++)
		if (s->tokens[t].end - s->tokens[t].start >= VERB_STEM && strncasecmp(s->text.p + s->tokens[t].start, form.p + lead, VERB_STEM) == 0)
			return true;
	return false;
}

/* "PostgreSQL 15" has the detail that was split off it. */
static bool
ends_with(struct mem_str object, struct mem_str detail)
{
	return detail.n < object.n && object.p[object.n - detail.n - 1] == ' ' && memcmp(object.p + object.n - detail.n, detail.p, detail.n) == 0;
}

/*
 * The sentence, unless it says "I" or "you" and the predicate has a form of its own; of what has one value at a time the form, too,
 * where the sentence says it by another verb: who asks where Alice works finds "Alice works at Acme", not "Alice is back at Acme".
 */
struct mem_str
belief_statement_make(const struct belief_sentence *s, const struct belief_match *m, const struct mem_claim *c, struct mem_str object)
{
	const struct belief_predicate *p = m->rule->predicate;
	struct mem_str form = p == NULL ? (struct mem_str){ NULL, 0 } : c->negated ? p->says_not : p->says;
	bool same = m->groups[BELIEF_SAME].p != NULL;
	if (form.n == 0)
		return s->text;
	bool plain = !p->shown.functional || says_verb_of_form(s, form);
	if (plain && !same && !belief_names_persons(s))
		return s->text;
	return belief_statement(s->out->arena, form, c->subject.text, object, ends_with(object, c->detail) ? MEM_STR("") : c->detail);
}
