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
	free(q->ns);
	free(q->not_ns);
	mem_buf_release(&q->meaning);
	*q = (struct mem_query){ 0 };
}

static void
add_clause(struct mem_query *q, uint64_t hash, enum mem_occur occur, bool scored)
{
	q->clauses = mem_grow(q->clauses, &q->cap, q->n + 1, sizeof *q->clauses);
	q->clauses[q->n++] = (struct mem_index_clause){ hash, occur, scored, 1 };
	q->asks = q->asks || occur != MEM_MUST_NOT;
}

void
mem_query_filter(struct mem_query *q, const uint8_t *secret, enum mem_field_term field,
    struct mem_str value, bool negative)
{
	bool asks = q->asks;
	add_clause(q, mem_term_field(secret, field, value), negative ? MEM_MUST_NOT : MEM_MUST, false);
	q->asks = asks;
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

/* ---- fields ------------------------------------------------------------- */

enum field { F_KIND, F_ROLE, F_NS, F_SPEAKER, F_TAG, F_REF, F_SESSION, F_SINCE, F_UNTIL, F_COUNT };
static const char *const field_names[F_COUNT] = {
	"kind", "role", "ns", "speaker", "tag", "ref", "session", "since", "until",
};

static enum mem_status
bad_field(struct mem_err *err, const char *reason, enum field f, struct mem_str value, const char *why)
{
	int n = value.n < 60 ? (int)value.n : 60;
	mem_err_set(err, MEM_USAGE, "%s:%.*s: %s", field_names[f], n, value.p, why);
	if (err != NULL)
		err->reason = reason;
	return MEM_USAGE;
}

static void
add_ns(struct mem_query *q, struct mem_str value, bool negative)
{
	if (negative) {
		q->not_ns = mem_grow(q->not_ns, &q->not_ns_cap, q->nnot_ns + 1, sizeof *q->not_ns);
		q->not_ns[q->nnot_ns++] = value;
	} else {
		q->ns = mem_grow(q->ns, &q->ns_cap, q->nns + 1, sizeof *q->ns);
		q->ns[q->nns++] = value;
	}
}

static enum mem_status
add_time(struct parser *ps, enum field f, struct mem_str value, struct mem_err *err)
{
	int64_t ms, *since = &ps->q->since, *until = &ps->q->until;
	if (!mem_time_parse_user(value, ps->now, &ms))
		return bad_field(err, "bad_time", f, value, "not a time, a date or a duration");
	if (f == F_SINCE && (*since == MEM_TIME_NONE || ms > *since))
		*since = ms;
	if (f == F_UNTIL && (*until == MEM_TIME_NONE || ms < *until))
		*until = ms;
	return MEM_OK;
}

static enum mem_status
add_field(struct parser *ps, enum field f, struct mem_str value, bool negative, struct mem_err *err)
{
	static const enum mem_field_term terms[] = {
		[F_SPEAKER] = MEM_TERM_SPEAKER, [F_TAG] = MEM_TERM_TAG, [F_REF] = MEM_TERM_REF,
	};
	struct mem_query *q = ps->q;
	if (negative && f >= F_SESSION)
		return bad_field(err, "bad_value", f, value, "this field takes no '-'");
	switch (f) {
	case F_KIND:
		if (!mem_query_kind(negative ? &q->not_kinds : &q->kinds, value))
			return bad_field(err, "bad_value", f, value, "no such kind");
		return MEM_OK;
	case F_ROLE:
		if (!mem_query_role(negative ? &q->not_roles : &q->roles, value))
			return bad_field(err, "bad_value", f, value, "no such role");
		return MEM_OK;
	case F_NS:
		if (!mem_ns_valid(value))
			return bad_field(err, "bad_value", f, value, "not a namespace");
		add_ns(q, value, negative);
		return MEM_OK;
	case F_SESSION:
		q->nothing = q->nothing || (q->session.n > 0 && !mem_str_eq(q->session, value));
		q->session = value;
		return MEM_OK;
	case F_SINCE: case F_UNTIL:
		return add_time(ps, f, value, err);
	default:
		mem_query_filter(q, ps->secret, terms[f], value, negative);
		q->asks = q->asks || !negative;
		return MEM_OK;
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
field_at(struct parser *ps, const char **p, enum field *f, struct mem_str *value)
{
	for (int i = 0; i < F_COUNT; i++) {
		size_t n = strlen(field_names[i]);
		if ((size_t)(ps->end - *p) <= n || memcmp(*p, field_names[i], n) != 0 || (*p)[n] != ':')
			continue;
		const char *at = *p + n + 1;
		if (!quoted(ps, &at, value)) {
			*value = until_space(ps, at);
			at += value->n;
		}
		if (value->n == 0)
			return false;
		*f = (enum field)i;
		*p = at;
		return true;
	}
	return false;
}

static enum mem_status
read_item(struct parser *ps, struct mem_err *err)
{
	struct mem_str text;
	enum field f;
	const char *p = ps->p;
	bool negative = *p == '-' && ps->end - p > 1 && p[1] != '-' && !space(p[1]);
	p += negative;
	if (field_at(ps, &p, &f, &text)) {
		ps->p = p;
		return add_field(ps, f, text, negative, err);
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
	*q = (struct mem_query){ .since = MEM_TIME_NONE, .until = MEM_TIME_NONE };
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
		struct mem_index_clause *kept = &q->clauses[v[first].at];
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
		const struct mem_index_clause *c = &q->clauses[i];
		/* A word that stands nowhere changes nothing, unless it must stand there. */
		if (c->scored && (df[i] > 0 || c->occur == MEM_MUST))
			v[n++] = (struct place){ .df = df[i], .at = (uint32_t)i };
		keep[i] = !c->scored;
	}
	qsort(v, n, sizeof *v, by_rarity);
	for (size_t i = 0; i < n; i++) {
		const struct mem_index_clause *c = &q->clauses[v[i].at];
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
