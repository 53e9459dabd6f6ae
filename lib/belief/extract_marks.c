/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a sentence: what they mark, the rules that they call for, and the clauses that they part. */
#include "belief/extract_int.h"
#include "base/numbers.h"
#include "base/order.h"

#include <string.h>

/* ---- words and marks --------------------------------------------------------- */

void
belief_tokens_read(struct belief_sentence *s, struct belief_work *w)
{
	struct belief_token t;
	s->ntokens = 0;
	for (size_t at = 0; belief_token_next(s->text, at, s->text.n, &t); at = t.end) {
		t.word = belief_word_find(&s->rules->words, (struct mem_str){ s->text.p + t.start, t.end - t.start });
		w->tokens = mem_grow(w->tokens, &w->tokens_cap, s->ntokens + 1, sizeof *w->tokens);
		w->tokens[s->ntokens++] = t;
	}
	s->tokens = w->tokens;
}

static bool
is_phrase_at(const struct belief_sentence *s, const struct belief_phrase *p, size_t token)
{
	if (p->n > s->ntokens - token)
		return false;
	for (size_t i = 1; i < p->n; i++)
		if (s->tokens[token + i].word != p->words[i])
			return false;
	return true;
}

bool
belief_is_of_language(const struct belief_sentence *s, const struct belief_file *f)
{
	return f->language.n == 0 || mem_str_eq(f->language, s->language);
}

static void
take_phrase(struct belief_sentence *s, struct belief_work *w, const struct belief_phrase *p, size_t token)
{
	const struct mem_belief_rules *r = s->rules;
	if (!p->of_rule) {
		const struct belief_cue *cue = &r->cues[p->owner];
		if (!belief_is_of_language(s, cue->file))
			return;
		w->marks = mem_grow(w->marks, &w->marks_cap, s->nmarks + 1, sizeof *w->marks);
		w->marks[s->nmarks++] = (struct belief_mark){
			.first = (uint32_t)token, .last = (uint32_t)token + p->n, .effect = cue->effect, .type = cue->type,
		};
	} else if (w->seen[p->owner] != w->sentence && belief_is_of_language(s, r->rules[p->owner].file)) {
		w->seen[p->owner] = w->sentence;
		w->candidates[w->ncandidates++] = p->owner;
	}
}

/* Of the cues that begin at one word the longest alone counts, but for those that say who is meant. */
static bool
is_covered(const struct belief_sentence *s, const struct belief_work *w, const struct belief_phrase *p, size_t token)
{
	enum belief_effect e = p->of_rule ? BELIEF_EFFECTS : s->rules->cues[p->owner].effect;
	if (p->of_rule || (e >= BELIEF_SPEAKER && e <= BELIEF_LISTENER_OWNS))
		return false;
	for (size_t i = s->nmarks; i > 0 && w->marks[i - 1].first == token; i--)
		if (w->marks[i - 1].last > token + p->n)
			return true;
	return false;
}

void
belief_marks_read(struct belief_sentence *s, struct belief_work *w)
{
	const struct belief_words *words = &s->rules->words;
	s->nmarks = 0;
	w->ncandidates = 0;
	w->sentence++;
	for (size_t i = 0; i < s->ntokens; i++) {
		uint32_t word = s->tokens[i].word;
		for (uint32_t k = word != 0 ? words->first[word] : 0; word != 0 && k < words->first[word + 1]; k++)
			if (is_phrase_at(s, &words->phrases[k], i) && !is_covered(s, w, &words->phrases[k], i))
				take_phrase(s, w, &words->phrases[k], i);
	}
	for (size_t i = 0; i < s->rules->nrules; i++) {
		const struct belief_rule *rule = &s->rules->rules[i];
		if (rule->nwords == 0 && !rule->off && belief_is_of_language(s, rule->file))
			w->candidates[w->ncandidates++] = (uint32_t)i;
	}
	s->marks = w->marks;
	mem_sort(w->candidates, w->ncandidates, sizeof *w->candidates, mem_number_compare);
}

void
belief_mark_add(struct belief_sentence *s, struct belief_work *w, const struct belief_rule *rule, size_t start, size_t end)
{
	size_t first = belief_token_at(s, start), last = belief_token_at(s, end > start ? end - 1 : end), i = s->nmarks;
	if (first >= s->ntokens)
		return;
	/* What is matched may go on behind the last word. */
	const struct belief_mark mark = { .first = (uint32_t)first, .last = (uint32_t)(last < s->ntokens ? last + 1 : last), .effect = rule->effect,
		.type = rule->type };
	w->marks = mem_grow(w->marks, &w->marks_cap, s->nmarks + 1, sizeof *w->marks);
	for (; i > 0 && w->marks[i - 1].first > mark.first; i--)
		w->marks[i] = w->marks[i - 1];
	w->marks[i] = mark;
	s->nmarks++;
	s->marks = w->marks;
}

const struct belief_mark *
belief_mark_at(const struct belief_sentence *s, size_t token, enum belief_effect e)
{
	for (size_t i = 0; i < s->nmarks && s->marks[i].first <= token; i++)
		if (s->marks[i].first == token && s->marks[i].effect == e)
			return &s->marks[i];
	return NULL;
}

bool
belief_has_effect(const struct belief_sentence *s, size_t token, enum belief_effect e)
{
	return belief_mark_at(s, token, e) != NULL;
}

bool
belief_word_has_effect(const struct belief_sentence *s, struct mem_str word, enum belief_effect e)
{
	const struct belief_words *words = &s->rules->words;
	uint32_t at = belief_word_find(words, word);
	for (uint32_t k = at != 0 ? words->first[at] : 0; at != 0 && k < words->first[at + 1]; k++) {
		const struct belief_phrase *p = &words->phrases[k];
		if (p->n == 1 && !p->of_rule && s->rules->cues[p->owner].effect == e && belief_is_of_language(s, s->rules->cues[p->owner].file))
			return true;
	}
	return false;
}

size_t
belief_token_at(const struct belief_sentence *s, size_t at)
{
	size_t low = 0, high = s->ntokens;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->tokens[middle].end > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* ---- clauses ------------------------------------------------------------------- */

/* Does a mark that parts clauses stand between two words? */
static bool
parts_clauses(const struct belief_sentence *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		char c = s->text.p[i];
		if (c == ';' || c == '(' || c == ')' || c == '\n' || ((c == ',' || c == ':') && i + 1 < s->text.n && s->text.p[i + 1] == ' '))
			return true;
		if (c == '-' && i > 0 && s->text.p[i - 1] == ' ')
			return true;
		if (to - i >= 3 && (memcmp(&s->text.p[i], "\xe2\x80\x94", 3) == 0 || memcmp(&s->text.p[i], "\xe2\x80\x93", 3) == 0))
			return true;
	}
	return false;
}

/* "since March", "until the 3rd of May": the date is that of the clause before, which goes on. */
static bool
leads_to_date(const struct belief_sentence *s, size_t token)
{
	if (!belief_has_effect(s, token, BELIEF_SINCE) && !belief_has_effect(s, token, BELIEF_UNTIL))
		return false;
	for (size_t t = token + 1; t < s->ntokens; t++) {
		if (belief_has_date_at(s, s->tokens[t].start))
			return true;
		if (t > token + 1 && !belief_leads_date(s, t))
			return false;
	}
	return false;
}

static bool
begins_new_clause(const struct belief_sentence *s, size_t token)
{
	return token == 0 || (belief_has_effect(s, token, BELIEF_BREAKS) && !leads_to_date(s, token)) ||
	    parts_clauses(s, s->tokens[token - 1].end, s->tokens[token].start);
}

struct belief_range
belief_clauses_around(const struct belief_sentence *s, size_t start, size_t end)
{
	size_t first = belief_token_at(s, start), last = belief_token_at(s, end);
	while (first > 0 && first < s->ntokens && !begins_new_clause(s, first))
		first--;
	while (last < s->ntokens && (s->tokens[last].start < end || !begins_new_clause(s, last)))
		last++;
	return (struct belief_range){ first, last };
}

bool
belief_has_effect_within(const struct belief_sentence *s, struct belief_range tokens, enum belief_effect e)
{
	for (size_t i = 0; i < s->nmarks; i++)
		if (s->marks[i].effect == e && s->marks[i].first >= tokens.start && s->marks[i].first < tokens.end)
			return true;
	return false;
}
