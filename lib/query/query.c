/* SPDX-License-Identifier: Apache-2.0 */
/* The query language: recall.h says what it means. */
#include "query/query_int.h"

#include <stdlib.h>
#include <string.h>

struct parser {
	struct mem_query *q;
	struct mem_analyser *a;
	const uint8_t *secret;
	int64_t now;
	const char *p, *end;
	struct mem_buf words; /* all plain words, since together they show their language */
};

void
mem_query_release(struct mem_query *q)
{
	free(q->clauses);
	free(q->hashes);
	free(q->slots);
	free(q->phrases);
	mem_filter_release(&q->filter);
	mem_buf_release(&q->meaning);
	*q = (struct mem_query){ 0 };
}

static void
add_clause(struct mem_query *q, uint64_t hash, enum mem_occur occur, bool scored)
{
	q->clauses = mem_grow(q->clauses, &q->cap, q->n + 1, sizeof *q->clauses);
	q->clauses[q->n++] = (struct mem_search_clause){ hash, occur, scored, 1 };
	q->asks = q->asks || occur != MEM_MUST_NOT;
}

/* ---- words and phrases -------------------------------------------------- */

static uint64_t
hash_of(const struct parser *ps, const struct mem_term *t)
{
	return mem_term_word(ps->secret, t->text);
}

static void
add_hash(struct mem_query *q, uint64_t hash)
{
	q->hashes = mem_grow(q->hashes, &q->hashes_cap, q->nhashes + 1, sizeof *q->hashes);
	q->hashes[q->nhashes++] = hash;
	q->slots[q->nslots - 1].n++;
}

static void
add_slot(struct mem_query *q)
{
	q->slots = mem_grow(q->slots, &q->slots_cap, q->nslots + 1, sizeof *q->slots);
	q->slots[q->nslots++] = (struct mem_slot){ .first = (uint32_t)q->nhashes };
}

/* The positions of a text as slots from q->nslots on; whole forms are not among them. */
static void
add_slots(struct parser *ps, const struct mem_term *t, size_t n)
{
	struct mem_query *q = ps->q;
	size_t first = q->nslots;
	for (size_t i = 0; i < n; i++) {
		if (t[i].extra && !t[i].alternative)
			continue;
		if (!t[i].alternative) {
			if (q->nslots - first == MEM_PHRASE_MAX)
				return;
			add_slot(q);
		}
		add_hash(q, hash_of(ps, &t[i]));
	}
}

static void
add_phrase(struct parser *ps, struct mem_str text, bool negative)
{
	struct mem_query *q = ps->q;
	const struct mem_term *t;
	size_t n, first = q->nslots;
	mem_analyse_query(ps->a, text, &t, &n);
	add_slots(ps, t, n);
	size_t slots = q->nslots - first;
	bool single = slots == 1 && q->slots[first].n == 1;
	for (size_t i = first; i < q->nslots; i++) {
		const struct mem_slot *s = &q->slots[i];
		for (uint32_t k = 0; k < s->n; k++)
			if (!negative || slots == 1)
				add_clause(q, q->hashes[s->first + k],
				    negative ? MEM_MUST_NOT : s->n == 1 ? MEM_MUST : MEM_SHOULD, !negative);
	}
	for (size_t i = 0; i < n && !negative; i++)
		if (t[i].extra && !t[i].alternative)
			add_clause(q, hash_of(ps, &t[i]), MEM_SHOULD, true);
	if (single || slots == 0 || (negative && slots == 1))
		return;
	q->phrases = mem_grow(q->phrases, &q->phrases_cap, q->nphrases + 1, sizeof *q->phrases);
	q->phrases[q->nphrases++] = (struct mem_phrase){ (uint32_t)first, (uint32_t)slots, negative };
}

static void
add_words(struct parser *ps)
{
	const struct mem_term *t;
	size_t n;
	bool alone = !ps->q->asks, stop = false;
	mem_analyse_query(ps->a, mem_buf_span(&ps->words), &t, &n);
	for (size_t i = 0; i < n; i++)
		alone = alone && (t[i].stop || t[i].alternative);
	for (size_t i = 0; i < n; i++) {
		if (!t[i].extra)
			stop = t[i].stop; /* and so are its alternatives behind it */
		else if (!t[i].alternative)
			stop = false;
		if (!stop || alone)
			add_clause(ps->q, hash_of(ps, &t[i]), MEM_SHOULD, true);
	}
}

/* ---- reading ------------------------------------------------------------ */

static bool
space(char c)
{
	return (unsigned char)c <= ' ';
}

/* What stands between the quote at p and the next one; p moves behind that.  False: none closes it. */
static bool
quoted(struct parser *ps, const char **p, struct mem_str *text)
{
	if (*p == ps->end || **p != '"')
		return false;
	const char *from = *p + 1;
	const char *to = memchr(from, '"', (size_t)(ps->end - from));
	if (to == NULL)
		return false;
	*text = (struct mem_str){ from, (size_t)(to - from) };
	*p = to + 1;
	return true;
}

static struct mem_str
until_space(const struct parser *ps, const char *p)
{
	const char *from = p;
	while (p < ps->end && !space(*p))
		p++;
	return (struct mem_str){ from, (size_t)(p - from) };
}

/* field:value at p; p moves behind it.  An empty value is none: "ref:" alone is a word. */
static bool
field_at(struct parser *ps, const char **p, enum mem_filter_field *f, struct mem_str *value)
{
	for (int i = 0; i < MEM_FILTER_FIELDS; i++) {
		const char *name = mem_filter_field_name((enum mem_filter_field)i);
		size_t n = strlen(name);
		if ((size_t)(ps->end - *p) <= n || memcmp(*p, name, n) != 0 || (*p)[n] != ':')
			continue;
		const char *at = *p + n + 1;
		if (!quoted(ps, &at, value)) {
			*value = until_space(ps, at);
			at += value->n;
		}
		if (value->n == 0)
			return false;
		*f = (enum mem_filter_field)i;
		*p = at;
		return true;
	}
	return false;
}

static enum mem_status
read_item(struct parser *ps, struct mem_err *err)
{
	struct mem_str text;
	enum mem_filter_field f;
	const char *p = ps->p;
	bool negative = *p == '-' && ps->end - p > 1 && p[1] != '-' && !space(p[1]);
	p += negative;
	if (field_at(ps, &p, &f, &text)) {
		size_t terms = ps->q->filter.nterms;
		ps->p = p;
		enum mem_status st = mem_filter_add(&ps->q->filter, f, text, negative, ps->now, err);
		ps->q->asks = ps->q->asks || (ps->q->filter.nterms > terms && !negative);
		return st;
	}
	bool phrase = quoted(ps, &p, &text);
	if (!phrase) {
		text = until_space(ps, p);
		p += text.n;
	}
	ps->p = p;
	if (!negative) {
		mem_buf_str(&ps->q->meaning, text);
		mem_buf_putc(&ps->q->meaning, ' ');
	}
	if (phrase || negative) {
		add_phrase(ps, text, negative);
	} else {
		mem_buf_str(&ps->words, text);
		mem_buf_putc(&ps->words, ' ');
	}
	return MEM_OK;
}

enum mem_status
mem_query_parse(struct mem_query *q, struct mem_analyser *a, const uint8_t *secret,
    struct mem_str text, bool plain, int64_t now, struct mem_err *err)
{
	struct parser ps = { .q = q, .a = a, .secret = secret, .now = now };
	enum mem_status st = MEM_OK;
	*q = (struct mem_query){ .filter = MEM_FILTER_INIT };
	if (text.n == 0)
		return MEM_OK;
	ps.p = text.p;
	ps.end = text.p + text.n;
	if (plain) {
		mem_buf_str(&ps.words, text);
		mem_buf_str(&q->meaning, text);
	}
	while (!plain && st == MEM_OK && ps.p < ps.end) {
		if (space(*ps.p))
			ps.p++;
		else
			st = read_item(&ps, err);
	}
	while (q->meaning.len > 0 && space(q->meaning.data[q->meaning.len - 1]))
		q->meaning.len--;
	if (st == MEM_OK)
		add_words(&ps);
	mem_query_unify(q);
	mem_buf_release(&ps.words);
	return st;
}

/* ---- tidying ------------------------------------------------------------ */

/* A clause and its place, to sort by one and go back to the other. */
struct place {
	uint64_t hash, df;
	uint32_t at;
	bool not;
};

static int
by_hash(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->not != y->not)
		return x->not ? 1 : -1;
	return x->at < y->at ? -1 : 1;
}

static int
by_rarity(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->df != y->df)
		return x->df < y->df ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static void
keep_clauses(struct mem_query *q, const bool *keep)
{
	size_t o = 0;
	for (size_t i = 0; i < q->n; i++)
		if (keep[i])
			q->clauses[o++] = q->clauses[i];
	q->n = o;
}

void
mem_query_unify(struct mem_query *q)
{
	if (q->n < 2)
		return;
	struct place *v = mem_xcalloc(q->n, sizeof *v);
	bool *keep = mem_xcalloc(q->n, sizeof *keep);
	for (size_t i = 0; i < q->n; i++)
		v[i] = (struct place){ .hash = q->clauses[i].hash, .at = (uint32_t)i,
			.not = q->clauses[i].occur == MEM_MUST_NOT };
	qsort(v, q->n, sizeof *v, by_hash);
	for (size_t i = 0, first = 0; i < q->n; i++) {
		if (i == 0 || v[i].hash != v[first].hash || v[i].not != v[first].not) {
			first = i;
			keep[v[i].at] = true;
			continue;
		}
		struct mem_search_clause *kept = &q->clauses[v[first].at];
		if (q->clauses[v[i].at].occur == MEM_MUST)
			kept->occur = MEM_MUST;
		kept->scored = kept->scored || q->clauses[v[i].at].scored;
	}
	keep_clauses(q, keep);
	free(v);
	free(keep);
}

/* A word that must stand in the text, and is checked there instead of by the index. */
static void
move_to_phrases(struct mem_query *q, uint64_t hash)
{
	add_slot(q);
	add_hash(q, hash);
	q->phrases = mem_grow(q->phrases, &q->phrases_cap, q->nphrases + 1, sizeof *q->phrases);
	q->phrases[q->nphrases++] = (struct mem_phrase){ (uint32_t)(q->nslots - 1), 1, false };
}

void
mem_query_cut(struct mem_query *q, const uint64_t *df, size_t max)
{
	struct place *v = mem_xcalloc(q->n, sizeof *v);
	bool *keep = mem_xcalloc(q->n, sizeof *keep);
	size_t n = 0;
	for (size_t i = 0; i < q->n; i++) {
		const struct mem_search_clause *c = &q->clauses[i];
		/* A word that stands nowhere changes nothing, unless it must stand there. */
		if (c->scored && (df[i] > 0 || c->occur == MEM_MUST))
			v[n++] = (struct place){ .df = df[i], .at = (uint32_t)i };
		keep[i] = !c->scored;
	}
	qsort(v, n, sizeof *v, by_rarity);
	for (size_t i = 0; i < n; i++) {
		const struct mem_search_clause *c = &q->clauses[v[i].at];
		keep[v[i].at] = i < max;
		if (i >= max && c->occur == MEM_MUST)
			move_to_phrases(q, c->hash);
		else if (i >= max)
			q->words_cut++;
	}
	keep_clauses(q, keep);
	free(v);
	free(keep);
}
