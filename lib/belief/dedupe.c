/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes are repeats: what their texts say. */
#include "belief/dedupe.h"

#include <string.h>

#include "belief/entity.h"
#include "record/record.h"
#include "text/text.h"

struct mem_kind_set
mem_dedupe_kinds(void)
{
	struct mem_kind_set s = mem_kind_set_of(MEM_KIND_FACT);
	mem_kind_set_add(&s, MEM_KIND_ENTITY);
	mem_kind_set_add(&s, MEM_KIND_NOTE);
	mem_kind_set_add(&s, MEM_KIND_LEARNING);
	return s;
}

/* ---- words --------------------------------------------------------------------- */

/* The next word of a folded text from *i on: letters, digits and what is not ASCII. */
static struct mem_str
next_text_word(struct mem_str s, size_t *i)
{
	while (*i < s.n && (unsigned char)s.p[*i] < 0x80 && !((s.p[*i] >= 'a' && s.p[*i] <= 'z') || (s.p[*i] >= '0' && s.p[*i] <= '9')))
		++*i;
	size_t start = *i;
	while (*i < s.n && ((unsigned char)s.p[*i] >= 0x80 || (s.p[*i] >= 'a' && s.p[*i] <= 'z') || (s.p[*i] >= '0' && s.p[*i] <= '9')))
		++*i;
	return (struct mem_str){ s.p + start, *i - start };
}

/* Words without which a text says the same.  Not among them: those of negation, of time, of place and of the past. */
static bool
is_light_word(struct mem_str w)
{
	static const char *const light[] = { "a", "an", "the", "is", "are", "be", "am", "has", "have", "that", "very", "also", "just", "really",
		"der", "die", "das", "ein", "eine", "ist", "sind" };
	for (size_t i = 0; i < MEM_COUNT(light); i++)
		if (mem_str_is(w, light[i]))
			return true;
	return false;
}

static struct mem_str
next_weighty_word(struct mem_str s, size_t *i)
{
	struct mem_str w = next_text_word(s, i);
	while (w.n > 0 && is_light_word(w))
		w = next_text_word(s, i);
	return w;
}

/* What a verb in the present or the plural of a noun may end in; the past is another word. */
static bool
is_ending(struct mem_str end, char last)
{
	static const char *const endings[] = { "", "s", "es", "e", "ing" };
	for (size_t i = 0; i < MEM_COUNT(endings); i++)
		if (mem_str_is(end, endings[i]))
			return true;
	return end.n == 4 && end.p[0] == last && memcmp(end.p + 1, "ing", 3) == 0; /* run, running */
}

static bool
is_same_word(struct mem_str a, struct mem_str b)
{
	size_t n = 0;
	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	if (n == a.n && n == b.n)
		return true;
	struct mem_str x = { a.p + n, a.n - n }, y = { b.p + n, b.n - n };
	return n >= 3 && is_ending(x, a.p[n - 1]) && is_ending(y, b.p[n - 1]);
}

/* The same words in the same order, but for light ones and endings? */
static bool
says_same_words(struct mem_str a, struct mem_str b)
{
	struct mem_buf x = { 0 }, y = { 0 };
	size_t i = 0, k = 0;
	bool same = true;
	mem_text_fold(&x, a);
	mem_text_fold(&y, b);
	for (struct mem_str v, w; same;) {
		v = next_weighty_word(mem_buf_span(&x), &i);
		w = next_weighty_word(mem_buf_span(&y), &k);
		if (v.n == 0 && w.n == 0)
			break;
		same = v.n > 0 && w.n > 0 && is_same_word(v, w);
	}
	mem_buf_release(&x);
	mem_buf_release(&y);
	return same;
}

/* ---- records ------------------------------------------------------------------- */

/* The text by which a node is known.  ARENA. */
static struct mem_str
read_own_text(struct mem_arena *a, const struct mem_rec *rec)
{
	static const char *const fields[] = { "statement", "content", "name" };
	for (size_t i = 0; i < MEM_COUNT(fields); i++) {
		struct mem_json v = mem_rec_value(rec, fields[i]);
		if (mem_json_there(v) && v.type == MEM_JSON_STRING)
			return mem_json_text(a, v);
	}
	return MEM_STR("");
}

static struct mem_str
read_raw(const struct mem_rec *rec, const char *name, const char *member)
{
	struct mem_json v = mem_rec_value(rec, name);
	if (member != NULL)
		v = v.type == MEM_JSON_OBJECT ? mem_json_member(v, member) : (struct mem_json){ 0 };
	return !mem_json_there(v) || v.type == MEM_JSON_NULL ? MEM_STR("") : v.raw;
}

/* Fields in which repeats do not differ, as they are written. */
static bool
has_same_claim(const struct mem_rec *a, const struct mem_rec *b)
{
	static const struct { const char *name, *member; } same[] = {
		{ "kind", NULL }, { "type", NULL }, { "negated", NULL }, { "predicate", NULL }, { "subject", "id" }, { "object", "id" },
		{ "valid_to", NULL }, { "due", NULL }, { "domain", NULL }, { "category", NULL }, { "state", NULL },
	};
	for (size_t i = 0; i < MEM_COUNT(same); i++)
		if (!mem_str_eq(read_raw(a, same[i].name, same[i].member), read_raw(b, same[i].name, same[i].member)))
			return false;
	return true;
}

bool
mem_dedupe_says_same(struct mem_str a, struct mem_str b)
{
	struct mem_rec x = { 0 }, y = { 0 };
	struct mem_arena arena = { 0 };
	bool same = mem_rec_scan(&x, a, NULL) == MEM_OK && mem_rec_scan(&y, b, NULL) == MEM_OK && has_same_claim(&x, &y);
	if (same) {
		struct mem_str s = read_own_text(&arena, &x), t = read_own_text(&arena, &y);
		same = s.n > 0 && says_same_words(s, t) && mem_entity_same_numbers(s, t) && mem_text_likeness(s, t) >= MEM_DEDUPE_LIKENESS;
	}
	mem_rec_release(&x);
	mem_rec_release(&y);
	mem_arena_release(&arena);
	return same;
}
