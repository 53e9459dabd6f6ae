/* SPDX-License-Identifier: Apache-2.0 */
/* The query language: query.h says what it means. */
#include "query/query_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "text/dates.h"

/* Of a date's clause beside its word's 1.  From 1.25 to 2 it makes no difference to conversations. */
#define DATE_WEIGHT 1.5

/* Bytes of the words. */
struct anchor_span {
	size_t start, end;
};

struct query_parser {
	struct query_parsed *q;
	struct mem_analyser *a;
	const uint8_t *secret;
	int64_t now;
	const char *p, *end;
	struct mem_buf words; /* all plain words, since together they show their language */
	struct anchor_span anchors[QUERY_ANCHORS_MAX]; /* in words */
	size_t nanchors;
};

void
query_release(struct query_parsed *q)
{
	free(q->clauses);
	free(q->hashes);
	free(q->positions);
	free(q->phrases);
	mem_filter_release(&q->filter);
	mem_buf_release(&q->encoder_text);
	mem_buf_release(&q->question);
	*q = (struct query_parsed){ 0 };
}

static void
add_query_clause(struct query_parsed *q, uint64_t hash, enum mem_occur occur, bool scored)
{
	q->clauses = mem_grow(q->clauses, &q->cap, q->n + 1, sizeof *q->clauses);
	q->clauses[q->n++] = (struct mem_search_clause){ .hash = hash, .occur = occur, .scored = scored, .weight = 1 };
	q->searchable = q->searchable || occur != MEM_MUST_NOT;
}

void
query_say_again(struct query_parsed *q, uint64_t hash, double weight, uint64_t of)
{
	add_query_clause(q, hash, MEM_SHOULD, true);
	q->clauses[q->n - 1].weight = weight;
	q->clauses[q->n - 1].of = of;
}

/* ---- words and phrases -------------------------------------------------- */

static uint64_t
hash_query_term(const struct query_parser *ps, const struct mem_term *t)
{
	return mem_term_word(ps->secret, t->text);
}

static void
add_position_hash(struct query_parsed *q, uint64_t hash)
{
	q->hashes = mem_grow(q->hashes, &q->hashes_cap, q->nhashes + 1, sizeof *q->hashes);
	q->hashes[q->nhashes++] = hash;
	q->positions[q->npositions - 1].n++;
}

static void
add_position(struct query_parsed *q)
{
	q->positions = mem_grow(q->positions, &q->positions_cap, q->npositions + 1, sizeof *q->positions);
	q->positions[q->npositions++] = (struct query_position){ .first = (uint32_t)q->nhashes };
}

/* Appends the positions of a text; whole forms are not among them. */
static void
add_positions(struct query_parser *ps, const struct mem_term *t, size_t n)
{
	struct query_parsed *q = ps->q;
	size_t first = q->npositions;
	for (size_t i = 0; i < n; i++) {
		if (t[i].extra && !t[i].alternative)
			continue;
		if (!t[i].alternative) {
			if (q->npositions - first == QUERY_PHRASE_MAX)
				return;
			add_position(q);
		}
		add_position_hash(q, hash_query_term(ps, &t[i]));
	}
}

static void
add_phrase(struct query_parser *ps, struct mem_str text, bool negative)
{
	struct query_parsed *q = ps->q;
	const struct mem_term *t;
	size_t n, first = q->npositions;
	mem_analyse_query(ps->a, text, &t, &n);
	add_positions(ps, t, n);
	size_t positions = q->npositions - first;
	bool single = positions == 1 && q->positions[first].n == 1;
	for (size_t i = first; i < q->npositions; i++) {
		const struct query_position *s = &q->positions[i];
		for (uint32_t k = 0; k < s->n; k++)
			if (!negative || positions == 1)
				add_query_clause(q, q->hashes[s->first + k],
				    negative ? MEM_MUST_NOT : s->n == 1 ? MEM_MUST : MEM_SHOULD, !negative);
	}
	for (size_t i = 0; i < n && !negative; i++)
		if (t[i].extra && !t[i].alternative)
			add_query_clause(q, hash_query_term(ps, &t[i]), MEM_SHOULD, true);
	if (single || positions == 0 || (negative && positions == 1))
		return;
	q->phrases = mem_grow(q->phrases, &q->phrases_cap, q->nphrases + 1, sizeof *q->phrases);
	q->phrases[q->nphrases++] = (struct query_phrase){ (uint32_t)first, (uint32_t)positions, negative, false };
}

/* The words between the quotes, stop words too, by the language of the whole. */
static void
add_anchors(struct query_parser *ps, const struct mem_term *t, size_t n)
{
	struct query_parsed *q = ps->q;
	for (size_t i = 0; i < ps->nanchors; i++) {
		size_t from = 0, first = q->npositions;
		while (from < n && t[from].start < ps->anchors[i].start)
			from++;
		size_t to = from;
		while (to < n && t[to].end <= ps->anchors[i].end)
			to++;
		add_positions(ps, t + from, to - from);
		if (q->npositions == first)
			continue;
		q->phrases = mem_grow(q->phrases, &q->phrases_cap, q->nphrases + 1, sizeof *q->phrases);
		q->phrases[q->nphrases++] = (struct query_phrase){ (uint32_t)first, (uint32_t)(q->npositions - first), false, true };
		q->nanchors++;
	}
}

static uint64_t
hash_date_word(const struct query_parser *ps, const struct mem_term *t, size_t n, const struct mem_date_part *part)
{
	size_t k = 0;
	while (k < n && (t[k].extra || t[k].start != part->start))
		k++;
	return k < n ? hash_query_term(ps, &t[k]) : 0;
}

/* Of a day that is written as one word, 2025-10-07, that word; else the word with which it begins. */
static uint64_t
hash_whole_date(const struct query_parser *ps, const struct mem_term *t, size_t n, const struct mem_whole_date *d)
{
	uint64_t first = 0;
	for (size_t i = 0; i < n; i++) {
		if (t[i].start == d->start && t[i].end == d->end)
			return hash_query_term(ps, &t[i]);
		if (first == 0 && t[i].start == d->start && !t[i].extra)
			first = hash_query_term(ps, &t[i]);
	}
	return first;
}

/* A day that is named in full asks for texts that name it, in whatever form. */
static void
add_whole_dates(struct query_parser *ps, const struct mem_term *t, size_t n)
{
	struct mem_whole_date days[QUERY_DATES_MAX];
	size_t ndays = mem_text_whole_dates(days, QUERY_DATES_MAX, ps->a, mem_buf_span(&ps->words));
	for (size_t i = 0; i < ndays; i++)
		query_say_again(ps->q, mem_term_day(ps->secret, days[i].day), DATE_WEIGHT, hash_whole_date(ps, t, n, &days[i]));
}

/* A date that the words name asks for what was captured then, too. */
static void
add_dates(struct query_parser *ps, const struct mem_term *t, size_t n)
{
	struct query_parsed *q = ps->q;
	struct mem_date_part parts[QUERY_DATES_MAX];
	size_t nparts = mem_text_date_parts(ps->a, mem_buf_span(&ps->words), parts, QUERY_DATES_MAX);
	for (size_t i = 0; i < nparts; i++)
		query_say_again(q, mem_term_date(ps->secret, &parts[i]), DATE_WEIGHT, hash_date_word(ps, t, n, &parts[i]));
}

static void
add_plain_words(struct query_parser *ps)
{
	const struct mem_term *t;
	size_t n;
	bool alone = !ps->q->searchable, stop = false;
	mem_analyse_query(ps->a, mem_buf_span(&ps->words), &t, &n);
	add_anchors(ps, t, n);
	for (size_t i = 0; i < n; i++)
		alone = alone && (t[i].stop || t[i].alternative);
	for (size_t i = 0; i < n; i++) {
		if (!t[i].extra)
			stop = t[i].stop; /* and so are its alternatives behind it */
		else if (!t[i].alternative)
			stop = false;
		if (!stop || alone)
			add_query_clause(ps->q, hash_query_term(ps, &t[i]), MEM_SHOULD, true);
	}
	add_dates(ps, t, n);
	add_whole_dates(ps, t, n);
}

/* ---- reading ------------------------------------------------------------ */

/* A word, or a phrase without its quotes; `item`: with them. */
static void
put_query_text(struct query_parser *ps, struct mem_str text, struct mem_str item)
{
	mem_buf_str(&ps->q->encoder_text, text);
	mem_buf_putc(&ps->q->encoder_text, ' ');
	mem_buf_str(&ps->q->question, item);
	mem_buf_putc(&ps->q->question, ' ');
}

static enum mem_status
add_field_demand(struct query_parser *ps, enum mem_filter_field f, struct mem_str value, bool negative, struct mem_err *err)
{
	struct query_parsed *q = ps->q;
	size_t terms = q->filter.nterms;
	q->filtered = true;
	enum mem_status st = mem_filter_add(&q->filter, f, value, negative, ps->now, err);
	q->searchable = q->searchable || (q->filter.nterms > terms && !negative);
	return st;
}

static void
note_unknown_field(struct query_parsed *q, struct mem_str word)
{
	if (q->unknown_field.n == 0)
		q->unknown_field = query_find_unknown_field(word);
}

static enum mem_status
read_query_item(struct query_parser *ps, struct mem_err *err)
{
	struct mem_str text;
	enum mem_filter_field f;
	bool negative = query_is_negative(ps->p, ps->end);
	ps->p += negative;
	if (query_read_field(&ps->p, ps->end, &f, &text))
		return add_field_demand(ps, f, text, negative, err);
	const char *from = ps->p;
	bool phrase = query_read_quotes(&ps->p, ps->end, &text);
	if (!phrase) {
		text = query_read_word(ps->p, ps->end);
		ps->p += text.n;
		note_unknown_field(ps->q, text);
	}
	if (!negative)
		put_query_text(ps, text, (struct mem_str){ from, (size_t)(ps->p - from) });
	if (phrase || negative) {
		add_phrase(ps, text, negative);
	} else {
		mem_buf_str(&ps->words, text);
		mem_buf_putc(&ps->words, ' ');
	}
	return MEM_OK;
}

/* ---- sentences ---------------------------------------------------------- */

/* Where in the words there was something in quotes. */
static void
add_anchor_span(struct query_parser *ps, size_t start, size_t end)
{
	if (ps->nanchors < QUERY_ANCHORS_MAX)
		ps->anchors[ps->nanchors++] = (struct anchor_span){ start, end };
}

/* Only fields are taken out, a dash before them included; at its end the mark of the question is none of the value. */
static enum mem_status
read_sentence_item(struct query_parser *ps, struct mem_err *err)
{
	struct mem_str text;
	enum mem_filter_field f;
	const char *from = ps->p, *p = ps->p + query_is_negative(ps->p, ps->end);
	if (query_read_field(&p, ps->end, &f, &text)) {
		if (p == ps->end && p[-1] != '"')
			text = query_cut_question_marks(text);
		ps->p = p;
		return add_field_demand(ps, f, text, *from == '-', err);
	}
	ps->q->dash_is_text |= query_is_negative(from, ps->end);
	for (p = from; p < ps->end && strchr("([{", *p) != NULL;)
		p++;
	const char *quote = p;
	bool quoted = query_read_quotes(&p, ps->end, &text);
	if (!quoted) {
		p += query_read_word(p, ps->end).n;
		note_unknown_field(ps->q, (struct mem_str){ from, (size_t)(p - from) });
	}
	if (quoted)
		add_anchor_span(ps, ps->words.len + (size_t)(quote - from), ps->words.len + (size_t)(p - from));
	mem_buf_str(&ps->words, (struct mem_str){ from, (size_t)(p - from) });
	ps->p = p;
	return MEM_OK;
}

/* ---- all of it ---------------------------------------------------------- */

static enum mem_status
read_query_items(struct query_parser *ps, bool sentence, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && ps->p < ps->end) {
		if (query_is_separator(*ps->p) && sentence)
			mem_buf_putc(&ps->words, *ps->p++);
		else if (query_is_separator(*ps->p))
			ps->p++;
		else
			st = sentence ? read_sentence_item(ps, err) : read_query_item(ps, err);
	}
	return st;
}

static void
trim_query_text(struct mem_buf *b)
{
	while (b->len > 0 && query_is_separator(b->data[b->len - 1]))
		b->len--;
}

enum mem_status
query_parse_text(struct query_parsed *q, struct mem_analyser *a, const uint8_t *secret,
    struct mem_str text, enum query_syntax syntax, int64_t now, struct mem_err *err)
{
	struct query_parser ps = { .q = q, .a = a, .secret = secret, .now = now };
	enum mem_status st = MEM_OK;
	*q = (struct query_parsed){ .filter = MEM_FILTER_INIT };
	while (text.n > 0 && query_is_separator(text.p[text.n - 1])) /* echo ends its text by a line's end */
		text.n--;
	if (text.n == 0)
		return MEM_OK;
	bool sentence = syntax == QUERY_SYNTAX_AUTO && query_is_sentence(text);
	ps.p = text.p;
	ps.end = text.p + text.n;
	if (syntax == QUERY_SYNTAX_PLAIN)
		mem_buf_str(&ps.words, text);
	else
		st = read_query_items(&ps, sentence, err);
	if (sentence || syntax == QUERY_SYNTAX_PLAIN) {
		mem_buf_str(&q->encoder_text, mem_buf_span(&ps.words));
		mem_buf_str(&q->question, mem_buf_span(&ps.words));
	}
	trim_query_text(&q->encoder_text);
	trim_query_text(&q->question);
	if (st == MEM_OK)
		add_plain_words(&ps);
	query_unify_words(q);
	mem_buf_release(&ps.words);
	return st;
}

/* ---- tidying ------------------------------------------------------------ */

/* A clause and its place, to sort by one and go back to the other. */
struct clause_place {
	uint64_t hash, df;
	uint32_t at;
	bool not;
};

static int
compare_places_by_hash(const void *a, const void *b)
{
	const struct clause_place *x = a, *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->not != y->not)
		return x->not ? 1 : -1;
	return x->at < y->at ? -1 : 1;
}

static int
compare_places_by_rarity(const void *a, const void *b)
{
	const struct clause_place *x = a, *y = b;
	if (x->df != y->df)
		return x->df < y->df ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static void
keep_query_clauses(struct query_parsed *q, const bool *keep)
{
	size_t o = 0;
	for (size_t i = 0; i < q->n; i++)
		if (keep[i])
			q->clauses[o++] = q->clauses[i];
	q->n = o;
}

/* A word that comes again counts again, as often as the query repeats it. */
static void
join_clauses(struct mem_search_clause *kept, const struct mem_search_clause *again)
{
	if (again->occur == MEM_MUST)
		kept->occur = MEM_MUST;
	if (again->scored)
		kept->weight = kept->scored ? kept->weight + again->weight : again->weight;
	kept->scored = kept->scored || again->scored;
}

void
query_unify_words(struct query_parsed *q)
{
	if (q->n < 2)
		return;
	struct clause_place *v = mem_xcalloc(q->n, sizeof *v);
	bool *keep = mem_xcalloc(q->n, sizeof *keep);
	for (size_t i = 0; i < q->n; i++)
		v[i] = (struct clause_place){ .hash = q->clauses[i].hash, .at = (uint32_t)i,
			.not = q->clauses[i].occur == MEM_MUST_NOT };
	mem_sort(v, q->n, sizeof *v, compare_places_by_hash);
	for (size_t i = 0, first = 0; i < q->n; i++) {
		if (i == 0 || v[i].hash != v[first].hash || v[i].not != v[first].not) {
			first = i;
			keep[v[i].at] = true;
			continue;
		}
		join_clauses(&q->clauses[v[first].at], &q->clauses[v[i].at]);
	}
	keep_query_clauses(q, keep);
	free(v);
	free(keep);
}

/* A word that must stand in the text, and is checked there instead of by the index. */
static void
move_word_to_phrases(struct query_parsed *q, uint64_t hash)
{
	add_position(q);
	add_position_hash(q, hash);
	q->phrases = mem_grow(q->phrases, &q->phrases_cap, q->nphrases + 1, sizeof *q->phrases);
	q->phrases[q->nphrases++] = (struct query_phrase){ (uint32_t)(q->npositions - 1), 1, false, false };
}

void
query_cut_words(struct query_parsed *q, const uint64_t *df, size_t max)
{
	struct clause_place *v = mem_xcalloc(q->n, sizeof *v);
	bool *keep = mem_xcalloc(q->n, sizeof *keep);
	size_t n = 0;
	for (size_t i = 0; i < q->n; i++) {
		const struct mem_search_clause *c = &q->clauses[i];
		/* A word that stands nowhere changes nothing, unless it must stand there. */
		if (c->scored && (df[i] > 0 || c->occur == MEM_MUST))
			v[n++] = (struct clause_place){ .df = df[i], .at = (uint32_t)i };
		keep[i] = !c->scored;
	}
	mem_sort(v, n, sizeof *v, compare_places_by_rarity);
	for (size_t i = 0; i < n; i++) {
		const struct mem_search_clause *c = &q->clauses[v[i].at];
		keep[v[i].at] = i < max;
		if (i >= max && c->occur == MEM_MUST)
			move_word_to_phrases(q, c->hash);
		else if (i >= max)
			q->words_cut++;
	}
	keep_query_clauses(q, keep);
	free(v);
	free(keep);
}
