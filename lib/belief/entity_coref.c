/* SPDX-License-Identifier: Apache-2.0 */
/* Short names of an episode, and the long ones that they stand for. */
#include "belief/entity_int.h"

#include <string.h>

#include "text/text.h"

/*
 * Only where people use to shorten names: "Alice" beside "Alice Smith", "Acme" beside "Acme Corp".  York and New York, Java and
 * Java EE in one text are two.
 */
static bool
is_type_shortened(struct mem_str type)
{
	return mem_str_is(type, "person") || mem_str_is(type, "organisation") || mem_str_is(type, "project");
}

/* The next word of a folded name, whose words are divided by blanks. */
static struct mem_str
next_name_word(struct mem_str s, size_t *i)
{
	while (*i < s.n && s.p[*i] == ' ')
		++*i;
	size_t start = *i;
	while (*i < s.n && s.p[*i] != ' ')
		++*i;
	return (struct mem_str){ s.p + start, *i - start };
}

static bool
has_folded_word(struct mem_str s, struct mem_str word)
{
	size_t i = 0;
	for (struct mem_str w; (w = next_name_word(s, &i)).n > 0;)
		if (mem_str_eq(w, word))
			return true;
	return false;
}

/* Are all words of one name in a longer one? */
static bool
has_all_words(struct mem_str part, struct mem_str whole)
{
	size_t i = 0;
	if (part.n >= whole.n)
		return false;
	for (struct mem_str w; (w = next_name_word(part, &i)).n > 0;)
		if (!has_folded_word(whole, w))
			return false;
	return true;
}

static void
hear_term(struct mem_entities *e, const struct mem_claim_term *t)
{
	if (t->kind != MEM_TERM_ENTITY || e->nnames >= ENTITY_HEARD_MAX || t->text.n > MEM_ENTITY_NAME_MAX || !is_type_shortened(t->type))
		return;
	struct mem_str folded = mem_text_folded(&e->arena, t->text);
	for (size_t i = 0; i < e->nnames; i++)
		if (mem_str_eq(e->names[i].folded, folded) && mem_str_eq(e->names[i].type, t->type))
			return;
	e->names = mem_grow(e->names, &e->names_cap, e->nnames + 1, sizeof *e->names);
	e->names[e->nnames++] = (struct entity_heard){ t->text, t->type, folded, SIZE_MAX };
}

/* The one name that has all words of this one and of whatever else has them; SIZE_MAX: none, or there are several. */
static size_t
find_longer_name(const struct mem_entities *e, size_t of)
{
	const struct entity_heard *names = e->names;
	size_t longest = SIZE_MAX;
	for (size_t i = 0; i < e->nnames; i++)
		if (mem_str_eq(names[i].type, names[of].type) && has_all_words(names[of].folded, names[i].folded) &&
		    (longest == SIZE_MAX || names[i].folded.n > names[longest].folded.n))
			longest = i;
	for (size_t i = 0; i < e->nnames && longest != SIZE_MAX; i++)
		if (i != longest && mem_str_eq(names[i].type, names[of].type) && has_all_words(names[of].folded, names[i].folded) &&
		    !has_all_words(names[i].folded, names[longest].folded))
			longest = SIZE_MAX;
	return longest;
}

static void
hear_episode(struct mem_entities *e)
{
	e->heard = true;
	e->nnames = 0;
	for (size_t i = 0; e->claims != NULL && i < e->claims->n; i++) {
		hear_term(e, &e->claims->v[i].subject);
		hear_term(e, &e->claims->v[i].object);
	}
	for (size_t i = 0; i < e->nnames; i++)
		e->names[i].longer = find_longer_name(e, i);
}

struct mem_claim_term
entity_coref(struct mem_entities *e, const struct mem_claim_term *t, bool *found)
{
	*found = false;
	if (!is_type_shortened(t->type))
		return *t;
	if (!e->heard)
		hear_episode(e);
	struct mem_str folded = mem_text_folded(&e->arena, t->text);
	for (size_t i = 0; i < e->nnames; i++) {
		const struct entity_heard *h = &e->names[i];
		if (h->longer == SIZE_MAX || !mem_str_eq(h->folded, folded) || !mem_str_eq(h->type, t->type))
			continue;
		*found = true;
		return (struct mem_claim_term){ MEM_TERM_ENTITY, e->names[h->longer].text, t->type };
	}
	return *t;
}
