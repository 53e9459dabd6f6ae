/* SPDX-License-Identifier: Apache-2.0 */
/* What people read of a hit, and which place of its text. */
#include "query/query_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_BYTES = 40, WORDS_MAX = 64 };

/* A word of the query that stands in the text. */
struct found_word {
	uint32_t start;
	unsigned word;          /* which of the query's */
};

/* The query's word of this hash; MEM_QUERY_WORDS_MAX or more: none. */
static size_t
find_query_word(const struct query_passages *p, uint64_t hash)
{
	size_t n = p->nclauses < WORDS_MAX ? p->nclauses : WORDS_MAX;
	for (size_t i = 0; i < n; i++)
		if (p->clauses[i].scored && p->clauses[i].hash == hash)
			return i;
	return WORDS_MAX;
}

static size_t
count_words_from(const struct found_word *v, size_t n, size_t first)
{
	uint64_t seen = 0;
	for (size_t i = first; i < n && v[i].start < v[first].start + NEAR_BYTES; i++)
		seen |= UINT64_C(1) << v[i].word;
	return (size_t)__builtin_popcountll(seen);
}

/* The byte where most of the query's words begin to stand together, the first such place; 0: none stands there. */
static size_t
find_word_place(const struct query_passages *p, struct mem_index *m, struct mem_str text)
{
	const struct mem_term *terms;
	const uint8_t *secret = mem_store_secret(m->store);
	size_t n, nfound = 0, most = 0, place = 0;
	mem_analyse(m->analyser, text, &terms, &n);
	struct found_word *found = mem_xcalloc(n + 1, sizeof *found);
	for (size_t i = 0; i < n; i++) {
		size_t word = find_query_word(p, mem_term_word(secret, terms[i].text));
		if (word < WORDS_MAX)
			found[nfound++] = (struct found_word){ terms[i].start, (unsigned)word };
	}
	for (size_t i = 0; i < nfound; i++) {
		size_t count = count_words_from(found, nfound, i);
		if (count > most) {
			most = count;
			place = found[i].start;
		}
	}
	free(found);
	return place;
}

/* The passage that the hit names, in the text of its field. */
static bool
find_hit_passage(struct mem_arena *a, const struct mem_rec *hit, struct mem_str *text, size_t *start, size_t *end)
{
	struct mem_json passage = mem_rec_value(hit, "passage");
	int64_t from, to;
	struct mem_str field = mem_json_text(a, mem_json_member(passage, "field"));
	if (passage.type != MEM_JSON_OBJECT || field.n == 0 || !mem_json_int(mem_json_member(passage, "start"), &from)
	    || !mem_json_int(mem_json_member(passage, "end"), &to))
		return false;
	*text = mem_json_text(a, mem_rec_value(hit, field.p));
	*start = (size_t)from;
	*end = (size_t)to;
	return from >= 0 && from <= to && (size_t)to <= text->n;
}

/* The first of these fields that has a value, as text. */
static struct mem_str
find_hit_text(struct mem_arena *arena, const struct mem_rec *hit, const char *const *names)
{
	for (; *names != NULL; names++) {
		const struct mem_field *f = mem_rec_find(hit, *names);
		if (f == NULL || f->value.type == MEM_JSON_NULL || mem_str_is(f->value.raw, "\"\""))
			continue;
		struct mem_str text = mem_json_text(arena, f->value);
		return text.p != NULL ? text : f->value.raw;
	}
	return MEM_STR("");
}

/* Of a text without passages its beginning is enough: from 2,000 bytes on it has some. */
static void
find_hit_place(struct mem_hit_row *row, struct mem_hits *h, struct mem_arena *a, const struct mem_rec *hit)
{
	enum { ENOUGH = 16384 };
	static const char *const names[] = { "content", "statement", "title", "name", "description", NULL };
	size_t start = 0, end = 0;
	if (!find_hit_passage(a, hit, &row->text, &start, &end)) {
		row->text = find_hit_text(a, hit, names);
		start = 0;
		end = row->text.n;
	}
	struct mem_str shown = { row->text.p + start, end - start };
	shown.n = mem_utf8_cut(shown, shown.n < ENOUGH ? shown.n : ENOUGH);
	row->focus = start + find_word_place(query_hit_words(h), query_hit_index(h), shown);
}

void
mem_hit_row_read(struct mem_hit_row *row, struct mem_hits *h, struct mem_arena *a, struct mem_str hit)
{
	static const char *const when[] = { "captured_at", "created_at", NULL }, *const who[] = { "speaker", "role", "kind", NULL };
	struct mem_rec r = { 0 };
	*row = (struct mem_hit_row){ .text = hit, .score = (double)NAN };
	if (mem_rec_scan(&r, hit, NULL) == MEM_OK) {
		mem_json_int(mem_rec_value(&r, "rank"), &row->rank);
		mem_json_num(mem_rec_value(&r, "score"), &row->score);
		row->id = mem_json_text(a, mem_rec_value(&r, "id"));
		row->when = find_hit_text(a, &r, when);
		row->who = find_hit_text(a, &r, who);
		struct mem_str validity = mem_json_text(a, mem_rec_value(&r, "validity"));
		if (validity.n > 0)
			row->who = mem_str(mem_arena_printf(a, "%.*s, %s", (int)row->who.n, row->who.p, validity.p));
		find_hit_place(row, h, a, &r);
	}
	mem_rec_release(&r);
}
