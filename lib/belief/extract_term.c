/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects and objects: where they end, whom pronouns mean, and what makes no sense. */
#include "belief/extract_int.h"

#include <string.h>

#define TERM_BYTES_MAX   80
#define PERSON_WORDS_MAX 3  /* of a name that looks like a person's */
#define ENTITY_WORDS_MAX 6
#define VALUE_WORDS_MAX  12
#define ITEM_WORDS_MAX   3  /* of one in a list; longer ones are too often no list */

/* A piece of the sentence. */
struct term_piece {
	size_t start, end;
};

static struct mem_str
piece_text(const struct belief_sentence *s, struct term_piece p)
{
	return (struct mem_str){ s->text.p + p.start, p.end - p.start };
}

static size_t
count_words(const struct belief_sentence *s, struct term_piece p)
{
	return belief_token_at(s, p.end > p.start ? p.end - 1 : p.end) - belief_token_at(s, p.start) + (p.end > p.start);
}

/* ---- ends ------------------------------------------------------------------------ */

/* White space, marks and quotation marks at both ends; a pair that stands inside stays. */
static struct term_piece
trim_marks(const struct belief_sentence *s, struct term_piece p)
{
	static const char *const wide[] = { "\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x99", "\xe2\x80\x98", "\xe2\x80\xa6", "\xe2\x80\x93", "\xe2\x80\x94" };
	const char *t = s->text.p;
	for (bool again = true; again && p.start < p.end;) {
		again = false;
		if (strchr(" \t\n\r\"'`*_,.;:!?-~", t[p.start]) != NULL) {
			p.start++;
			again = true;
		}
		if (p.start < p.end && strchr(" \t\n\r\"'`*_,.;:!?-~", t[p.end - 1]) != NULL) {
			p.end--;
			again = true;
		}
		for (size_t i = 0; i < MEM_COUNT(wide); i++) {
			if (p.end - p.start >= 3 && memcmp(t + p.start, wide[i], 3) == 0) {
				p.start += 3;
				again = true;
			}
			if (p.end - p.start >= 3 && memcmp(t + p.end - 3, wide[i], 3) == 0) {
				p.end -= 3;
				again = true;
			}
		}
	}
	return p;
}

/* Without words that are no part of a term at its end. */
static struct term_piece
trim_tail(const struct belief_sentence *s, struct term_piece p)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < s->nmarks; i++) {
			const struct belief_mark *k = &s->marks[i];
			size_t start = s->tokens[k->first].start, end = s->tokens[k->last - 1].end;
			if (k->effect != BELIEF_TRIMS || end != p.end || start <= p.start)
				continue;
			p = trim_marks(s, (struct term_piece){ p.start, start });
			again = true;
		}
	}
	return p;
}

/* Without articles. */
static struct term_piece
trim_leads(const struct belief_sentence *s, struct term_piece p)
{
	for (size_t t = belief_token_at(s, p.start); t < s->ntokens && s->tokens[t].start < p.end; t = belief_token_at(s, p.start)) {
		const struct belief_mark *k = belief_mark_at(s, t, BELIEF_LEADS);
		if (k == NULL || k->last >= s->ntokens || s->tokens[k->last].start >= p.end)
			break;
		p.start = s->tokens[k->last].start;
	}
	return trim_marks(s, p);
}

/* ---- what makes sense ---------------------------------------------------------------- */

/* Code, marks of markup, or a quotation that was cut off: no name has them. */
static bool
has_code(struct mem_str t)
{
	static const char *const code[] = { "`", "::", "=>", "->", "{", "}", "(", ")", "<", ">", "[", "]", "http:", "https:", "\n\n" };
	size_t quotes = 0;
	for (size_t i = 0; i < MEM_COUNT(code); i++)
		if (memmem(t.p, t.n, code[i], strlen(code[i])) != NULL)
			return true;
	for (size_t i = 0; i < t.n; i++)
		quotes += t.p[i] == '"';
	return quotes % 2 != 0;
}

static bool
is_plausible(const struct belief_sentence *s, struct term_piece p, size_t words_max)
{
	size_t t = belief_token_at(s, p.start);
	return p.end > p.start && p.end - p.start <= TERM_BYTES_MAX && t < s->ntokens && s->tokens[t].start < p.end &&
	    count_words(s, p) <= words_max && !belief_has_effect(s, t, BELIEF_NOBODY) && !belief_has_effect(s, t, BELIEF_ENDS) && !has_code(piece_text(s, p));
}

static bool
is_capital_at(struct mem_str text, size_t at)
{
	uint32_t c = 0;
	mem_utf8_decode(text.p + at, text.n - at, &c);
	return (c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7);
}

/* ---- persons --------------------------------------------------------------------------- */

static bool
is_role_word(struct mem_str name)
{
	static const char *const words[] = { "user", "assistant", "tool", "event", "system", "human" };
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (name.n == strlen(words[i]) && strncasecmp(name.p, words[i], name.n) == 0)
			return true;
	return name.n == 0;
}

/* A type whose predicates tell it by themselves: who lives somewhere is a person, where he lives a place. */
static bool
is_named_being(struct mem_str type)
{
	return mem_str_is(type, "person") || mem_str_is(type, "place") || mem_str_is(type, "organisation");
}

/* The kind that a term's last word tells; n 0: none. */
static struct mem_str
find_kind(const struct belief_sentence *s, struct term_piece p)
{
	for (size_t i = 0; i < s->nmarks; i++) {
		const struct belief_mark *k = &s->marks[i];
		if (s->tokens[k->last - 1].end != p.end || s->tokens[k->first].start < p.start)
			continue;
		if (k->effect == BELIEF_KIND)
			return k->type;
		if (k->effect == BELIEF_KIN)
			return MEM_STR("person");
	}
	return (struct mem_str){ NULL, 0 };
}

/* "sister Anna" is Anna. */
static bool
find_named_kin(const struct belief_sentence *s, struct term_piece *p)
{
	size_t t = belief_token_at(s, p->start), first = t;
	while (t < s->ntokens && s->tokens[t].start < p->end && !is_capital_at(s->text, s->tokens[t].start))
		t++;
	if (t == first || t >= s->ntokens || s->tokens[t].start >= p->end)
		return false;
	p->start = s->tokens[t].start;
	return true;
}

/* What is somebody's: "Alice's sister". */
static void
own_term(const struct belief_sentence *s, struct term_piece p, struct mem_str owner, struct mem_claim_term *out)
{
	struct mem_str rest = piece_text(s, p);
	out->text = mem_str(mem_arena_printf(s->out->arena, "%.*s's %.*s", (int)owner.n, owner.p, (int)rest.n, rest.p));
}

enum person { PERSON_NONE, PERSON_NAMED, PERSON_UNKNOWN };
/*
 * Pronouns and what is said to be somebody's.  NONE: it is no such thing; UNKNOWN: it is, and whose is not known.  `keep`: "my car" is
 * the speaker's; else the car.
 */
static enum person
resolve_person(const struct belief_sentence *s, struct term_piece *p, bool keep, struct mem_claim_term *out)
{
	static const struct {
		enum belief_effect self, owns;
	} persons[] = { { BELIEF_SPEAKER, BELIEF_SPEAKER_OWNS }, { BELIEF_LISTENER, BELIEF_LISTENER_OWNS } };
	size_t t = belief_token_at(s, p->start);
	for (size_t i = 0; i < MEM_COUNT(persons); i++) {
		struct mem_str name = i == 0 ? s->source->speaker : s->source->listener;
		const struct belief_mark *self = belief_mark_at(s, t, persons[i].self), *owns = belief_mark_at(s, t, persons[i].owns);
		bool alone = owns != NULL && s->tokens[owns->last - 1].end >= p->end;
		if ((self != NULL && s->tokens[self->last - 1].end >= p->end) || alone) {
			out->text = name;
			out->type = MEM_STR("person");
			return is_role_word(name) ? PERSON_UNKNOWN : PERSON_NAMED;
		}
		if (owns == NULL || owns->last >= s->ntokens || s->tokens[owns->last].start >= p->end)
			continue;
		p->start = s->tokens[owns->last].start;
		struct mem_str kind = find_kind(s, *p);
		if (kind.n > 0)
			out->type = kind;
		if (find_named_kin(s, p)) {
			out->text = piece_text(s, *p);
			return PERSON_NAMED;
		}
		if (!keep && !mem_str_is(kind, "person"))
			return i == 0 ? PERSON_NONE : PERSON_UNKNOWN;
		own_term(s, *p, name, out);
		return is_role_word(name) ? PERSON_UNKNOWN : PERSON_NAMED;
	}
	return PERSON_NONE;
}

/* "Maya's" is Maya. */
static struct mem_str
cut_genitive(struct mem_str name)
{
	static const char *const ends[] = { "'s", "\xe2\x80\x99s" };
	for (size_t i = 0; i < MEM_COUNT(ends); i++) {
		size_t n = strlen(ends[i]);
		if (name.n > n && memcmp(name.p + name.n - n, ends[i], n) == 0)
			name.n -= n;
	}
	return name;
}

static bool
is_given_name(const struct belief_sentence *s, size_t token)
{
	struct mem_str word = { s->text.p + s->tokens[token].start, s->tokens[token].end - s->tokens[token].start };
	return is_capital_at(s->text, s->tokens[token].start) && belief_word_has_effect(s, cut_genitive(word), BELIEF_GIVEN);
}

/* Is it the name of one who talks, or a given name and nothing else? */
static bool
is_person_name(const struct belief_sentence *s, struct term_piece p)
{
	struct mem_str name = cut_genitive(piece_text(s, p));
	if ((mem_str_eq(name, s->source->speaker) || mem_str_eq(name, s->source->listener)) && !is_role_word(name))
		return true;
	return count_words(s, p) == 1 && is_given_name(s, belief_token_at(s, p.start));
}

/* Is the subject what the rule reads: a person, or no person? */
static bool
is_wanted_subject(const struct belief_sentence *s, const struct belief_rule *rule, struct term_piece p, const struct mem_claim_term *subject,
    enum person person)
{
	bool known = person == PERSON_NAMED ? mem_str_is(subject->type, "person") :
	    is_person_name(s, p) || (mem_str_is(subject->type, "person") && is_given_name(s, belief_token_at(s, p.start)));
	return rule->subject_is == BELIEF_SUBJECT_ANY || known == (rule->subject_is == BELIEF_SUBJECT_PERSON);
}

/* Do the rule's vocabularies have the term, as they must, and have it not? */
static bool
vocabularies_agree(const struct belief_match *m, enum belief_group group, struct mem_str term)
{
	const struct belief_vocabulary_list *in = &m->rule->in[group], *not_in = &m->rule->not_in[group];
	return (in->n == 0 || belief_vocabularies_have(in, term)) && (not_in->n == 0 || !belief_vocabularies_have(not_in, term));
}

/* ---- types --------------------------------------------------------------------------------- */

/* The kind that a name's first word tells: "Project Heron", "University of Oslo"; n 0: none. */
static struct mem_str
find_leading_kind(const struct belief_sentence *s, struct term_piece p)
{
	size_t t = belief_token_at(s, p.start);
	const struct belief_mark *k = belief_mark_at(s, t, BELIEF_KIND);
	if (k == NULL || k->last >= s->ntokens || s->tokens[k->last].start >= p.end || !is_capital_at(s->text, s->tokens[t].start))
		return (struct mem_str){ NULL, 0 };
	return k->type;
}

/* Does a term of unknown words look like a person's name: one to three words, each a capital and small letters? */
static bool
looks_like_person_name(const struct belief_sentence *s, struct term_piece p)
{
	size_t t = belief_token_at(s, p.start);
	for (; t < s->ntokens && s->tokens[t].start < p.end; t++) {
		if (!is_capital_at(s->text, s->tokens[t].start) || s->tokens[t].end - s->tokens[t].start < 2)
			return false;
		for (size_t i = s->tokens[t].start + 1; i < s->tokens[t].end; i++)
			if ((s->text.p[i] >= 'A' && s->text.p[i] <= 'Z') || (s->text.p[i] >= '0' && s->text.p[i] <= '9'))
				return false;
	}
	return count_words(s, p) <= PERSON_WORDS_MAX;
}

/*
 * What the term is, by its words: the kind that its last or first word tells, a person's name, a vocabulary that has it; else by the
 * predicate, whose person is taken only for what looks like a person's name, and else is a thing.
 */
static struct mem_str
find_term_type(const struct belief_sentence *s, struct term_piece p, const struct mem_str *types, size_t n)
{
	struct mem_str kind = find_kind(s, p);
	if (kind.n == 0)
		kind = find_leading_kind(s, p);
	if (kind.n == 0 && n == 1 && is_named_being(types[0]))
		return types[0];
	if (kind.n == 0 && is_person_name(s, p))
		kind = MEM_STR("person");
	if (kind.n == 0)
		kind = belief_vocabulary_type(s->rules, piece_text(s, p), types, n);
	if (kind.n > 0)
		return kind;
	bool other = n > 1 && mem_str_is(types[0], "person") && !is_given_name(s, belief_token_at(s, p.start)) && !looks_like_person_name(s, p);
	return other ? MEM_STR("thing") : types[0];
}

/* ---- subjects -------------------------------------------------------------------------------- */

bool
belief_subject_read(const struct belief_sentence *s, const struct belief_match *m, struct mem_claim_term *out)
{
	const struct mem_predicate *p = &m->rule->predicate->shown;
	struct mem_str group = m->groups[BELIEF_SUBJECT];
	struct mem_str type = m->rule->subject_type;
	*out = (struct mem_claim_term){ .kind = MEM_TERM_ENTITY, .type = type.n > 0 ? type : p->subject_types[0] };
	if (group.p == NULL && m->groups[BELIEF_SAME].p != NULL && m->start == 0) {
		out->text = s->source->speaker;
		out->type = MEM_STR("person");
		return !is_role_word(out->text);
	}
	if (group.p == NULL)
		return false;
	size_t start = (size_t)(group.p - s->text.p);
	struct term_piece q = trim_marks(s, (struct term_piece){ start, start + group.n });
	enum person person = q.end > q.start ? resolve_person(s, &q, true, out) : PERSON_UNKNOWN;
	if (person != PERSON_NONE)
		return person == PERSON_NAMED && count_words(s, q) <= ENTITY_WORDS_MAX && is_wanted_subject(s, m->rule, q, out, person) &&
		    vocabularies_agree(m, BELIEF_SUBJECT, out->text);
	q = trim_leads(s, q);
	if (!is_plausible(s, q, ENTITY_WORDS_MAX))
		return false;
	if (type.n == 0)
		out->type = find_term_type(s, q, p->subject_types, p->nsubject_types);
	out->text = piece_text(s, q);
	return is_wanted_subject(s, m->rule, q, out, person) && vocabularies_agree(m, BELIEF_SUBJECT, out->text);
}

/* ---- objects ----------------------------------------------------------------------------------- */

/* Does the rule say that its object ends before this word? */
static bool
is_until_word(const struct belief_sentence *s, const struct belief_rule *rule, size_t token)
{
	struct mem_str word = { s->text.p + s->tokens[token].start, s->tokens[token].end - s->tokens[token].start };
	for (size_t i = 0; i < rule->nuntil; i++)
		if (word.n == rule->until[i].n && strncasecmp(word.p, rule->until[i].p, word.n) == 0)
			return true;
	return false;
}

/* What the marks between two words say: an end, a comma, or nothing. */
enum gap { GAP_NONE, GAP_COMMA, GAP_END };
static enum gap
read_gap(struct mem_str text, size_t from, size_t to)
{
	enum gap gap = GAP_NONE;
	for (size_t i = from; i < to; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (strchr(";:()[]!?<>|=\n", c) != NULL || (c == '-' && i > from && text.p[i - 1] == ' ') || (c == '.' && i + 1 < to && text.p[i + 1] == ' ') ||
		    (c == '.' && i + 1 < to && text.p[i + 1] == '.'))
			return GAP_END;
		if (to - i >= 3 && c == 0xe2 && text.p[i + 1] == '\x80' && (text.p[i + 2] == '\x93' || text.p[i + 2] == '\x94' || text.p[i + 2] == '\xa6'))
			return GAP_END;
		if (to - i >= 2 && c == 0xf0)
			return GAP_END;
		if (c == ',')
			gap = i + 1 < text.n && text.p[i + 1] == ' ' ? GAP_COMMA : gap;
	}
	return gap;
}

/* May an item of a list begin at this word?  Not where another clause does. */
static bool
is_item(const struct belief_sentence *s, struct term_piece p)
{
	static const enum belief_effect never[] = { BELIEF_SPEAKER, BELIEF_LISTENER, BELIEF_NOBODY, BELIEF_ENDS, BELIEF_UNREAL, BELIEF_NEGATES,
		BELIEF_FUTURE, BELIEF_HEDGES, BELIEF_TELLS };
	size_t t = belief_token_at(s, p.start);
	if (count_words(s, trim_leads(s, p)) > ITEM_WORDS_MAX)
		return false;
	for (; t < s->ntokens && s->tokens[t].start < p.end; t++) {
		for (size_t i = 0; i < MEM_COUNT(never); i++)
			if (belief_has_effect(s, t, never[i]))
				return false;
		/* A name may be a word of rules, too: "German". */
		const struct belief_words *w = &s->rules->words;
		uint32_t word = is_capital_at(s->text, s->tokens[t].start) ? 0 : s->tokens[t].word;
		for (uint32_t k = word != 0 ? w->first[word] : 0; word != 0 && k < w->first[word + 1]; k++)
			if (w->phrases[k].of_rule)
				return false;
	}
	return true;
}

/* The pieces between commas and "and" in [start, end); one if it is no list, whose items a word like "and" joins at last. */
static size_t
split_object(const struct belief_sentence *s, const struct belief_rule *rule, size_t start, size_t end, struct term_piece out[BELIEF_OBJECTS_MAX])
{
	bool list = rule->predicate != NULL && rule->predicate->list && !rule->single;
	size_t n = 0, joined = 0;
	size_t first = belief_token_at(s, start), t = first;
	struct term_piece now = { start, end };
	for (; t < s->ntokens && s->tokens[t].start < end; t++) {
		bool joins = t > first && belief_has_effect(s, t, BELIEF_JOINS);
		enum gap gap = t > first && !belief_has_effect(s, t - 1, BELIEF_TITLE) ? read_gap(s->text, s->tokens[t - 1].end, s->tokens[t].start) : GAP_NONE;
		bool names = joins && t + 1 < s->ntokens && is_capital_at(s->text, s->tokens[t - 1].start) && is_capital_at(s->text, s->tokens[t + 1].start);
		bool hyphen = t > first && s->text.p[s->tokens[t].start - 1] == '-' && s->tokens[t].start == s->tokens[t - 1].end + 1;
		bool stops = t > first && !hyphen && (gap == GAP_END || belief_has_effect(s, t, BELIEF_ENDS) || is_until_word(s, rule, t) ||
		    (belief_has_effect(s, t, BELIEF_BREAKS) && !joins));
		if (!stops && !joins && gap != GAP_COMMA)
			continue;
		if (!stops && !list && names && gap == GAP_NONE)
			continue;
		now.end = s->tokens[t - 1].end;
		if (n == BELIEF_OBJECTS_MAX)
			return joined;
		out[n++] = now;
		if (joined > 0)
			joined = n;
		if (stops || !list || joined > 0)
			return joined > 0 ? joined : 1;
		if (joins)
			joined = n;
		now = (struct term_piece){ joins ? s->tokens[t].end : s->tokens[t].start, end };
	}
	if (now.start < end && n < BELIEF_OBJECTS_MAX) {
		now.end = end;
		out[n++] = now;
		if (joined > 0 || n == 1)
			joined = n;
	}
	return joined > 0 ? joined : 1;
}

/* "PostgreSQL 15": the number is a detail. */
static void
split_detail(const struct belief_sentence *s, struct term_piece *p, struct mem_str *detail)
{
	size_t last = p->end;
	while (last > p->start && s->text.p[last - 1] != ' ')
		last--;
	size_t i = last + (last < p->end && s->text.p[last] == 'v');
	size_t digits = i;
	while (i < p->end && ((s->text.p[i] >= '0' && s->text.p[i] <= '9') || (s->text.p[i] == '.' && i > digits)))
		i++;
	if (last == p->start || i == digits || i < p->end)
		return;
	*detail = (struct mem_str){ s->text.p + last, p->end - last };
	*p = trim_marks(s, (struct term_piece){ p->start, last - 1 });
}

static bool
has_digit(struct mem_str t)
{
	for (size_t i = 0; i < t.n; i++)
		if (t.p[i] >= '0' && t.p[i] <= '9')
			return true;
	return false;
}

static bool
is_number_type(struct mem_str type)
{
	return mem_str_is(type, "number") || mem_str_is(type, "version");
}

/* Is it an object that the predicate can have?  A person is no place, and a thing no person. */
static bool
is_wanted_object(const struct belief_sentence *s, const struct belief_match *m, struct term_piece p, const struct mem_claim_term *object)
{
	const struct mem_predicate *shown = &m->rule->predicate->shown;
	bool talks = mem_str_eq(object->text, s->source->speaker) || mem_str_eq(object->text, s->source->listener);
	bool house = mem_str_is(object->type, "place") || mem_str_is(object->type, "organisation");
	if (house && is_person_name(s, p))
		return false;
	if (shown->nobject_types == 1 && mem_str_is(shown->object_types[0], "person") && !talks &&
	    !is_capital_at(s->text, p.start) && !mem_str_is(find_kind(s, p), "person"))
		return false;
	return vocabularies_agree(m, BELIEF_OBJECT, object->text) &&
	    (m->rule->limit == NULL || belief_limit_allows(s->rules, m->rule->limit, s->rules->work->matcher, object->text));
}

static bool
read_term_object(const struct belief_sentence *s, const struct belief_match *m, struct term_piece p, struct belief_object *out)
{
	const struct belief_predicate *predicate = m->rule->predicate;
	bool value = predicate->shown.object_is_value;
	struct mem_str type = m->rule->object_type.n > 0 ? m->rule->object_type : predicate->shown.object_types[0];
	*out = (struct belief_object){ .term = { .kind = value ? MEM_TERM_VALUE : MEM_TERM_ENTITY, .type = type } };
	bool day = mem_str_is(type, "day");
	if (day || mem_str_is(type, "date")) {
		out->end = p.end;
		out->term.text = out->said = day ? belief_day_text(s, p.start, p.end) :
		    belief_date_text(s, predicate->due || m->rule->ahead, p.start, p.end);
		return out->term.text.n > 0;
	}
	p.end = belief_date_start(s, p.start, p.end);
	p = trim_tail(s, trim_marks(s, p));
	struct term_piece whole = p;
	if (p.end <= p.start)
		return false;
	enum person person = resolve_person(s, &p, mem_str_is(type, "person"), &out->term);
	if (person == PERSON_UNKNOWN)
		return false;
	p = trim_leads(s, p);
	if (predicate->shown.detail)
		split_detail(s, &p, &out->detail);
	if (person == PERSON_NONE && !is_plausible(s, p, value ? VALUE_WORDS_MAX : ENTITY_WORDS_MAX))
		return false;
	if (!value && person == PERSON_NONE && m->rule->object_type.n == 0)
		out->term.type = find_term_type(s, p, predicate->shown.object_types, predicate->shown.nobject_types);
	if (person == PERSON_NONE)
		out->term.text = piece_text(s, p);
	bool owned = person == PERSON_NAMED || belief_has_effect(s, belief_token_at(s, whole.start), BELIEF_SPEAKER_OWNS);
	out->said = owned ? out->term.text : piece_text(s, whole);
	out->end = whole.end;
	return (!is_number_type(type) || has_digit(out->term.text)) && is_wanted_object(s, m, p, &out->term);
}

size_t
belief_objects_read(const struct belief_sentence *s, const struct belief_match *m, struct belief_object *out)
{
	const struct belief_rule *rule = m->rule;
	struct mem_str group = m->groups[BELIEF_OBJECT];
	if (rule->object.n > 0) {
		bool value = rule->predicate->shown.object_is_value;
		*out = (struct belief_object){ .term = { value ? MEM_TERM_VALUE : MEM_TERM_ENTITY, rule->object,
			rule->object_type.n > 0 ? rule->object_type : rule->predicate->shown.object_types[0] }, .said = rule->object, .end = m->end };
		return 1;
	}
	if (group.p == NULL)
		return 0;
	struct term_piece pieces[BELIEF_OBJECTS_MAX] = { 0 };
	size_t start = (size_t)(group.p - s->text.p), n = 0;
	size_t pieces_n = split_object(s, rule, start, start + group.n, pieces);
	if (pieces_n > 1 && count_words(s, trim_leads(s, pieces[0])) > ITEM_WORDS_MAX)
		pieces_n = 1;
	for (size_t i = 0; i < pieces_n; i++) {
		if (i > 0 && !is_item(s, pieces[i]))
			break;
		if (!read_term_object(s, m, pieces[i], &out[n]))
			break;
		n++;
	}
	if (n == 1 && m->groups[BELIEF_DETAIL].p != NULL)
		out->detail = m->groups[BELIEF_DETAIL];
	return n;
}

bool
belief_statement_object_fits(const struct belief_sentence *s, const struct belief_match *m)
{
	struct mem_str group = m->groups[BELIEF_OBJECT];
	if (group.p == NULL)
		return true;
	struct term_piece piece[BELIEF_OBJECTS_MAX] = { 0 };
	size_t start = (size_t)(group.p - s->text.p);
	split_object(s, m->rule, start, start + group.n, piece);
	struct term_piece p = { piece[0].start, belief_date_start(s, piece[0].start, piece[0].end) };
	p = trim_leads(s, trim_tail(s, trim_marks(s, p)));
	return is_plausible(s, p, ENTITY_WORDS_MAX) && !is_person_name(s, p) && vocabularies_agree(m, BELIEF_OBJECT, piece_text(s, p));
}

struct mem_str
belief_former_read(const struct belief_sentence *s, const struct belief_match *m)
{
	struct mem_str group = m->groups[BELIEF_WAS];
	if (group.p == NULL)
		return group;
	size_t start = (size_t)(group.p - s->text.p);
	struct term_piece p = trim_leads(s, trim_tail(s, trim_marks(s, (struct term_piece){ start, start + group.n })));
	return is_plausible(s, p, ENTITY_WORDS_MAX) ? piece_text(s, p) : (struct mem_str){ NULL, 0 };
}

bool
belief_former_fits(const struct belief_sentence *s, const struct belief_match *m)
{
	if (m->rule->in[BELIEF_WAS].n + m->rule->not_in[BELIEF_WAS].n == 0)
		return true;
	struct mem_str was = belief_former_read(s, m);
	return was.p == NULL ? m->rule->in[BELIEF_WAS].n == 0 : vocabularies_agree(m, BELIEF_WAS, was);
}
