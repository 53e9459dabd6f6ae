/* SPDX-License-Identifier: Apache-2.0 */
/* One sentence: whether it says anything, and what the rules that its words call for find in it and in its clauses. */
#include "belief/extract_int.h"

#include <stdlib.h>
#include <string.h>

#define MATCHES_OF_RULE 6 /* in one sentence */

/* ---- sentences that give nothing --------------------------------------------------- */

/* A question mark, behind which only marks follow. */
static bool
is_question(struct mem_str text)
{
	size_t n = text.n;
	while (n > 0 && ((unsigned char)text.p[n - 1] >= 0x80 || strchr(" \t\r\n\"')]*_!.:;<>/", text.p[n - 1]) != NULL)) {
		if (n >= 3 && memcmp(text.p + n - 3, "\xef\xbc\x9f", 3) == 0)
			return true;
		n--;
	}
	return n > 0 && text.p[n - 1] == '?';
}

/* Does a cue of that effect end the sentence? */
static bool
ends_with_effect(const struct belief_sentence *s, enum belief_effect e)
{
	for (size_t i = 0; i < s->nmarks; i++)
		if (s->marks[i].effect == e && s->marks[i].last == s->ntokens)
			return true;
	return false;
}

static bool
says_nothing(struct belief_sentence *s)
{
	if (is_question(s->text) || belief_has_effect(s, 0, BELIEF_ASKS) || ends_with_effect(s, BELIEF_ASKS_LAST))
		return true;
	struct belief_range all = { 0, s->ntokens };
	if (belief_has_effect_within(s, all, BELIEF_NOTHING))
		return true;
	s->hedged = s->hedged_around || belief_has_effect_within(s, all, BELIEF_HEDGES);
	s->told = s->told_around || belief_has_effect_within(s, all, BELIEF_TELLS);
	s->corrected = belief_has_effect(s, 0, BELIEF_CORRECTS);
	return false;
}

/* Does the byte lie between quotation marks or backticks of the sentence? */
static bool
is_inside_quotes(struct mem_str text, size_t at)
{
	bool plain = false, tick = false;
	int depth = 0;
	for (size_t i = 0; i < at; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c == '"' && !tick)
			plain = !plain;
		else if (c == '`')
			tick = !tick;
		else if (c == 0xe2 && at - i >= 3 && memcmp(text.p + i, "\xe2\x80\x9c", 3) == 0)
			depth++;
		else if (c == 0xe2 && at - i >= 3 && memcmp(text.p + i, "\xe2\x80\x9d", 3) == 0)
			depth--;
		else if (c == 0xc2 && at - i >= 2 && (unsigned char)text.p[i + 1] == 0xab)
			depth++;
		else if (c == 0xc2 && at - i >= 2 && (unsigned char)text.p[i + 1] == 0xbb)
			depth--;
	}
	return plain || tick || depth > 0;
}

/* ---- matches --------------------------------------------------------------------------- */

static struct belief_match
match_from_groups(const struct belief_sentence *s, size_t order, const struct mem_match *found)
{
	struct belief_rule *rule = &s->rules->rules[order];
	struct belief_match m = { .rule = rule, .order = order, .start = found->start[0], .end = found->end[0] };
	for (size_t i = 0; i < BELIEF_GROUPS; i++) {
		int g = rule->groups[i];
		if (g > 0 && found->start[g] <= found->end[g])
			m.groups[i] = (struct mem_str){ s->text.p + found->start[g], found->end[g] - found->start[g] };
	}
	/* What stands before the subject, a comma or an "and", is no part of the claim. */
	if (m.groups[BELIEF_SUBJECT].p != NULL)
		m.start = (size_t)(m.groups[BELIEF_SUBJECT].p - s->text.p);
	return m;
}

static void
note_budget(const struct belief_sentence *s, struct belief_rule *rule)
{
	s->out->over_budget++;
	if (!rule->told)
		belief_warn_of_rule(s->rules, rule, "it took too many steps on a text, and found nothing in the rest of it");
	rule->told = true;
}

/* Where the words end that make the match what it is: at the object, which may hold other matches. */
static size_t
find_core_end(const struct belief_sentence *s, const struct belief_match *m)
{
	struct mem_str o = m->groups[BELIEF_OBJECT];
	size_t end = o.p != NULL ? (size_t)(o.p - s->text.p) : m->end;
	return end > m->start ? end : m->end;
}

/* The next match of a rule at or behind `from`; false: there is none, or its steps are used up. */
static bool
find_next_match(const struct belief_sentence *s, struct belief_work *w, size_t order, size_t from, struct mem_match *found)
{
	struct belief_rule *rule = &s->rules->rules[order];
	struct mem_err err;
	if (from >= s->text.n || w->left[order] == 0 || !belief_rule_compile(s->rules, rule))
		return false;
	mem_matcher_budget(w->matcher, w->left[order]);
	enum mem_status st = mem_pattern_find(w->matcher, rule->pattern, s->text, from, s->text.n, found, &err);
	w->left[order] = mem_matcher_left(w->matcher);
	if (st == MEM_REFUSED)
		note_budget(s, rule);
	return st == MEM_OK;
}

static void
try_rule(const struct belief_sentence *s, struct belief_work *w, size_t order)
{
	struct mem_match found;
	size_t from = 0;
	for (int i = 0; i < MATCHES_OF_RULE && find_next_match(s, w, order, from, &found); i++) {
		w->matches = mem_grow(w->matches, &w->matches_cap, w->nmatches + 1, sizeof *w->matches);
		w->matches[w->nmatches] = match_from_groups(s, order, &found);
		size_t next = find_core_end(s, &w->matches[w->nmatches++]);
		from = next > from ? next : from + 1;
	}
}

/* Rules that mark words instead of claiming anything; returns how many of the candidates do not. */
static size_t
apply_effect_rules(struct belief_sentence *s, struct belief_work *w)
{
	struct mem_match found;
	size_t others = 0;
	for (size_t i = 0; i < w->ncandidates; i++) {
		size_t order = w->candidates[i], from = 0;
		const struct belief_rule *rule = &s->rules->rules[order];
		bool marks = rule->effect != BELIEF_EFFECTS;
		if (!marks)
			w->candidates[others++] = (uint32_t)order;
		for (int k = 0; marks && k < MATCHES_OF_RULE && find_next_match(s, w, order, from, &found); k++) {
			belief_mark_add(s, w, rule, found.start[0], found.end[0]);
			from = found.end[0] > from ? found.end[0] : from + 1;
		}
	}
	return others;
}

/* Rules that read a clause as a sentence of its own; returns how many of the candidates claim something. */
static size_t
apply_reading_rules(const struct belief_sentence *s, struct belief_work *w, struct belief_clauses *clauses)
{
	struct mem_match found;
	size_t claiming = 0;
	for (size_t i = 0; i < w->ncandidates; i++) {
		size_t order = w->candidates[i], from = 0;
		bool reads = s->rules->rules[order].reads.n > 0;
		if (!reads)
			w->candidates[claiming++] = (uint32_t)order;
		for (int k = 0; reads && k < MATCHES_OF_RULE && find_next_match(s, w, order, from, &found); k++) {
			const struct belief_match m = match_from_groups(s, order, &found);
			size_t next = find_core_end(s, &m);
			from = next > from ? next : from + 1;
			if (!is_inside_quotes(s->text, next))
				belief_clause_add(clauses, s, &m);
		}
	}
	return claiming;
}

/* The subject before `at`: that of the match before it, or of the sentence's beginning; at the beginning the speaker. */
static struct mem_str
find_subject_before(const struct belief_sentence *s, struct belief_work *w, const struct belief_match *m)
{
	struct mem_str best = { NULL, 0 };
	for (size_t i = 0; i < w->nmatches; i++) {
		const struct belief_match *k = &w->matches[i];
		if (k->groups[BELIEF_SUBJECT].p != NULL && k->start < m->start && (best.p == NULL || k->groups[BELIEF_SUBJECT].p > best.p))
			best = k->groups[BELIEF_SUBJECT];
	}
	struct belief_file *f = NULL;
	for (size_t i = 0; i < s->rules->nfiles; i++)
		if (s->rules->files[i]->leader_pattern != NULL && belief_is_of_language(s, s->rules->files[i]))
			f = s->rules->files[i];
	struct mem_match found;
	struct mem_err err;
	if (best.p != NULL || f == NULL || m->start == 0)
		return best;
	mem_matcher_budget(w->matcher, 1024 + 64 * s->text.n);
	if (mem_pattern_find(w->matcher, f->leader_pattern, s->text, 0, m->start, &found, &err) != MEM_OK)
		return best;
	return (struct mem_str){ s->text.p + found.start[f->leader_group], found.end[f->leader_group] - found.start[f->leader_group] };
}

/* ---- claims ------------------------------------------------------------------------------ */

/* May the clauses of the match be believed as the rule reads them?  A negation must be the one that it reads. */
static bool
is_believable(const struct belief_sentence *s, const struct belief_match *m, size_t end)
{
	struct belief_range clauses = belief_clauses_around(s, m->start, end);
	if (belief_has_effect_within(s, clauses, BELIEF_UNREAL) || is_inside_quotes(s->text, m->start))
		return false;
	size_t from = s->text.n, to = 0;
	if (m->groups[BELIEF_NOT].p != NULL) {
		from = (size_t)(m->groups[BELIEF_NOT].p - s->text.p);
		to = from + m->groups[BELIEF_NOT].n;
	} else if (m->rule->negated) {
		from = m->start;
		to = end;
	}
	for (size_t i = 0; i < s->nmarks; i++) {
		const struct belief_mark *k = &s->marks[i];
		if (k->effect == BELIEF_NEGATES && k->first >= clauses.start && k->first < clauses.end &&
		    !(s->tokens[k->first].start >= from && s->tokens[k->first].start < to))
			return false;
	}
	return true;
}

static struct mem_claim *
begin_claim(const struct belief_sentence *s, const struct belief_match *m)
{
	const struct belief_rule *rule = m->rule;
	const struct belief_predicate *p = rule->predicate;
	struct mem_claim *c = mem_claim_add(s->out);
	c->type = rule->type.n > 0 ? rule->type : p != NULL ? p->shown.memory_type : MEM_STR("fact");
	c->confidence = (rule->confidence > 0 ? rule->confidence : p != NULL ? p->shown.confidence : .7) *
	    (s->hedged || s->told ? MEM_HEDGE_FACTOR : 1);
	c->veracity = rule->veracity != MEM_VERACITY_COUNT ? rule->veracity : s->hedged || s->told ? MEM_VERACITY_INFERRED : MEM_VERACITY_STATED;
	c->start = s->start;
	c->end = s->end;
	c->rule = rule->label;
	c->statement = s->text;
	if (p != NULL)
		c->domain = p->shown.domain;
	return c;
}

static bool
has_claim(const struct belief_sentence *s, const struct mem_claim *c)
{
	/* Claims of one sentence stand together, and before this one. */
	for (size_t i = s->out->n - 1; i > 0 && s->out->v[i - 1].start == c->start; i--) {
		const struct mem_claim *k = &s->out->v[i - 1];
		if (mem_str_eq(k->predicate, c->predicate) && mem_str_eq(k->subject.text, c->subject.text) &&
		    mem_str_eq(k->object.text, c->object.text))
			return true;
	}
	return false;
}

static bool
stops_what_stood(const struct belief_sentence *s, const struct belief_match *m, size_t end)
{
	return belief_has_effect_within(s, belief_clauses_around(s, m->start, end), BELIEF_STOPS);
}

static void
add_claim(const struct belief_sentence *s, const struct belief_match *m, const struct mem_claim_term *subject, const struct belief_object *o)
{
	const struct belief_rule *rule = m->rule;
	struct mem_claim *c = begin_claim(s, m);
	c->subject = *subject;
	c->predicate = rule->predicate->shown.name;
	c->object = o->term;
	c->detail = o->detail;
	c->negated = rule->negated || m->groups[BELIEF_NOT].p != NULL;
	c->was = belief_former_read(s, m);
	c->corrects = rule->corrects || stops_what_stood(s, m, o->end) || (s->corrected && !rule->predicate->shown.additive) || c->was.n > 0;
	/* A day of any year, or one ahead, is not when the claim began to hold. */
	if (!mem_str_is(o->term.type, "day") && !(rule->ahead && !rule->predicate->due))
		belief_times_read(s, rule->predicate, m->start, o->end, c);
	c->statement = belief_statement_make(s, m, c, o->said);
	if (has_claim(s, c) || mem_str_eq(c->subject.text, c->object.text))
		s->out->n--;
}

static bool
take_match(const struct belief_sentence *s, const struct belief_match *m)
{
	struct mem_claim_term subject;
	struct belief_object objects[BELIEF_OBJECTS_MAX];
	if (m->rule->predicate == NULL) {
		if (!is_believable(s, m, m->end) || (belief_names_persons(s) && s->source->speaker.n == 0) || !belief_statement_object_fits(s, m))
			return false;
		struct mem_claim *c = begin_claim(s, m);
		belief_times_read(s, NULL, m->start, m->end, c);
		return true;
	}
	if (!belief_subject_read(s, m, &subject) || !belief_former_fits(s, m))
		return false;
	size_t n = belief_objects_read(s, m, objects);
	if (n == 0 || !is_believable(s, m, objects[n - 1].end))
		return false;
	for (size_t i = 0; i < n; i++)
		add_claim(s, m, &subject, &objects[i]);
	return true;
}

/* Is the core of a match that of an earlier rule's, too? */
static bool
is_taken(const struct belief_sentence *s, const struct belief_work *w, size_t i, const bool *taken)
{
	size_t start = w->matches[i].start, end = find_core_end(s, &w->matches[i]);
	for (size_t k = 0; k < i; k++)
		if (taken[k] && !w->matches[k].rule->also && start < find_core_end(s, &w->matches[k]) && w->matches[k].start < end)
			return true;
	return false;
}

static void
take_matches(const struct belief_sentence *s, struct belief_work *w)
{
	w->nmatches = 0;
	for (size_t i = 0; i < w->ncandidates; i++)
		try_rule(s, w, w->candidates[i]);
	if (w->nmatches == 0)
		return;
	bool *taken = mem_arena_alloc(s->out->arena, w->nmatches * sizeof *taken);
	for (size_t i = 0; i < w->nmatches; i++) {
		struct belief_match *m = &w->matches[i];
		if (m->groups[BELIEF_SUBJECT].p == NULL && m->groups[BELIEF_SAME].p != NULL)
			m->groups[BELIEF_SUBJECT] = find_subject_before(s, w, m);
		if (m->rule->also || !is_taken(s, w, i, taken))
			taken[i] = take_match(s, m);
	}
}

static void
read_clause(struct belief_sentence *s, struct belief_work *w, struct belief_clauses *clauses)
{
	belief_marks_read(s, w);
	if (w->ncandidates == 0 || says_nothing(s))
		return;
	w->ncandidates = apply_effect_rules(s, w);
	if (w->ncandidates == 0 || says_nothing(s))
		return;
	w->ncandidates = apply_reading_rules(s, w, clauses);
	take_matches(s, w);
}

void
belief_sentence_read(struct belief_sentence *s, struct belief_work *w)
{
	struct belief_clauses all;
	all.v[0] = *s;
	all.n = 1;
	for (size_t i = 0; i < all.n; i++) {
		if (i > 0)
			belief_tokens_read(&all.v[i], w);
		read_clause(&all.v[i], w, &all);
	}
	/* The words of the sentence itself, for the next language. */
	if (all.n > 1)
		belief_tokens_read(s, w);
}
