/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who says the name of an entity: an episode that mentions the entity and has the name in its text, and what is about the entity in
 * words of its own: a fact's statement, and the triple of what a person stated.  A fact that loses a source says nothing else,
 * since its text may be that of the source.
 *
 * A name is said as whole words (text/names.h), alone or with the "s" of a genitive ("Anna's", "Annas Bruder").  It is not said
 * where it is a part of a longer one: of a compound ("Joanna-Bar", "joanna.example"), or of a longer name of capital words that
 * the entity has, or another one that the same text mentions ("Joanna Kraus").  "Eve's sister", which consolidation makes of "my
 * sister", is said where Eve speaks, or is spoken to, of a sister.
 */
#include "care/erase_int.h"
#include "record/record.h"
#include "text/names.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- a name that is looked for ----------------------------------------------- */

struct erase_spoken {
	struct erase_plan *p;
	uint32_t entity;
	struct mem_str name;        /* folded */
	struct mem_arena arena;     /* of one node */
};

static bool
is_capital_word(struct mem_str word)
{
	struct mem_buf folded = { 0 };
	uint32_t c;
	size_t n = mem_utf8_decode(word.p, word.n, &c);
	mem_text_fold_letters(&folded, (struct mem_str){ word.p, n });
	bool capital = (c >= '0' && c <= '9') || !mem_str_eq(mem_buf_span(&folded), (struct mem_str){ word.p, n });
	mem_buf_release(&folded);
	return capital;
}

/* Is it a proper name, and no phrase that a name stands in ("tea with Anna", "University of Oslo")? */
static bool
is_capital_name(struct mem_str name)
{
	bool begins = true;
	for (size_t i = 0; i < name.n; i++) {
		if (begins && name.p[i] != ' ' && !is_capital_word((struct mem_str){ name.p + i, name.n - i }))
			return false;
		begins = name.p[i] == ' ';
	}
	return name.n > 0;
}

static void
add_longer_name(const struct erase_spoken *s, struct mem_names *names, struct mem_json v)
{
	struct mem_arena a = { 0 };
	struct mem_str text = mem_json_text(&a, v);
	if (text.n > s->name.n && is_capital_name(text))
		(void)mem_names_add(names, text);
	mem_arena_release(&a);
}

static enum mem_status
add_names_of(const struct erase_spoken *s, struct mem_names *names, uint32_t entity, struct mem_err *err)
{
	struct mem_str json;
	enum mem_status st = mem_node_text_at(s->p->t, entity, &json, err);
	if (st != MEM_OK)
		return st;
	add_longer_name(s, names, mem_json_member(mem_json_object(json), "name"));
	for (struct mem_json_iter it = mem_json_each(mem_json_member(mem_json_object(json), "aliases")); mem_json_next(&it);)
		add_longer_name(s, names, it.value);
	return MEM_OK;
}

/* The longer names of the entity, and of all else that a node mentions or is about. */
static enum mem_status
add_longer_names(const struct erase_spoken *s, struct mem_names *names, uint32_t ord, struct mem_err *err)
{
	static const char *const kinds[] = { "mentions", "about" };
	enum mem_status st = add_names_of(s, names, s->entity, err);
	for (size_t i = 0; i < MEM_COUNT(kinds) && st == MEM_OK; i++) {
		struct mem_edge_cursor *c = NULL;
		struct mem_edge_row row;
		uint16_t number;
		st = mem_edge_cursor_open_at(&c, s->p->t, ord, kinds[i], true, &number, err);
		while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
			st = row.other != s->entity ? add_names_of(s, names, row.other, err) : MEM_OK;
		mem_edge_cursor_close(c);
		st = st == MEM_END ? MEM_OK : st;
	}
	return st;
}

/* ---- texts --------------------------------------------------------------------- */

/* The texts in which a node says something, decoded; at most `max`.  ARENA of `s`. */
enum { SPOKEN_MAX = 64 };

static size_t
list_spoken(struct erase_spoken *s, struct mem_json rec, const char *const *fields, struct mem_str *out)
{
	size_t n = 0;
	for (; *fields != NULL; fields++) {
		struct mem_json v = mem_json_path(rec, *fields);
		struct mem_str text = mem_json_text(&s->arena, v);
		if (text.n > 0 && n < SPOKEN_MAX)
			out[n++] = text;
		for (struct mem_json_iter it = mem_json_each(v); v.type == MEM_JSON_ARRAY && n < SPOKEN_MAX && mem_json_next(&it);)
			if ((text = mem_json_text(&s->arena, it.value)).n > 0)
				out[n++] = text;
	}
	return n;
}

/* Does a word begin here that is joined to the one before it?  Behind a full stop a capital begins a sentence. */
static bool
is_joined_word(struct mem_str text, size_t at, bool full_stop)
{
	struct mem_str rest = { text.p + at, text.n - at };
	uint32_t c;
	return mem_utf8_decode(rest.p, rest.n, &c) > 0 && mem_char_is_word(c) && !(full_stop && is_capital_word(rest));
}

/* Is a name of letters a part of a compound at this place? */
static bool
is_in_compound(struct mem_str text, const struct mem_name_hit *hit)
{
	static const char *const joints[] = { "-", ".", "@", "\xe2\x80\x90", "\xe2\x80\x91" };
	for (size_t i = 0; i < MEM_COUNT(joints); i++) {
		const size_t n = strlen(joints[i]), after = hit->end + n;
		const bool full_stop = joints[i][0] == '.';
		size_t before = hit->start > n ? hit->start - n : 0;
		if (after < text.n && memcmp(text.p + hit->end, joints[i], n) == 0 && is_joined_word(text, after, full_stop))
			return true;
		if (before == 0 || memcmp(text.p + before, joints[i], n) != 0 || (full_stop && !is_joined_word(text, hit->start, true)))
			continue;
		do
			before--;
		while (before > 0 && ((unsigned char)text.p[before] & 0xc0) == 0x80);
		if (is_joined_word(text, before, false))
			return true;
	}
	return false;
}

/* Could the text have the name?  The word that a name begins with stands in it somehow. */
static bool
may_have_name(struct mem_str text, struct mem_str name)
{
	struct mem_buf folded = { 0 };
	size_t n = 0;
	while (n < name.n && name.p[n] != ' ')
		n++;
	mem_text_fold(&folded, text);
	bool may = folded.len > 0 && n > 0 && memmem(folded.data, folded.len, name.p, n) != NULL;
	mem_buf_release(&folded);
	return may;
}

static enum mem_status
find_spoken_name(struct erase_spoken *s, uint32_t ord, const struct mem_str *texts, size_t n, struct mem_str name, bool *says,
    struct mem_err *err)
{
	struct mem_names *names = mem_names_new();
	struct mem_buf genitive = { 0 };
	mem_buf_put(&genitive, name.p, name.n);
	mem_buf_putc(&genitive, 's');
	const uint32_t plain = mem_names_add(names, name), owner = mem_names_add(names, mem_buf_span(&genitive));
	enum mem_status st = add_longer_names(s, names, ord, err);
	for (size_t i = 0; i < n && st == MEM_OK && !*says; i++) {
		const struct mem_name_hit *hits;
		size_t nhits = plain != MEM_NAME_NONE ? mem_names_find(names, texts[i], &hits) : 0;
		*says = plain == MEM_NAME_NONE && may_have_name(texts[i], name); /* of marks alone: an emoji */
		for (size_t h = 0; h < nhits && !*says; h++)
			*says = (hits[h].name == plain || hits[h].name == owner) && !is_in_compound(texts[i], &hits[h]);
	}
	mem_buf_release(&genitive);
	mem_names_free(names);
	return st;
}

static enum mem_status
do_texts_say(struct erase_spoken *s, uint32_t ord, const struct mem_str *texts, size_t n, struct mem_str name, bool *says, struct mem_err *err)
{
	bool may = false;
	for (size_t i = 0; i < n && !may; i++)
		may = may_have_name(texts[i], name);
	return may ? find_spoken_name(s, ord, texts, n, name, says, err) : MEM_OK;
}

/* ---- nodes ---------------------------------------------------------------------- */

/* Of a name "Eve's sister": what is Eve's, if Eve speaks in the episode, or is spoken to; else the name. */
static struct mem_str
find_owned(struct erase_spoken *s, struct mem_json rec)
{
	static const char *const talk[] = { "speaker", "listener" };
	const char *mark = memmem(s->name.p, s->name.n, "'s ", 3);
	for (size_t i = 0; i < MEM_COUNT(talk) && mark != NULL; i++) {
		struct mem_str who = mem_json_text(&s->arena, mem_json_member(rec, talk[i]));
		if (who.n > 0 && mem_str_eq(mem_text_folded(&s->arena, who), (struct mem_str){ s->name.p, (size_t)(mark - s->name.p) }))
			return (struct mem_str){ mark + 3, (size_t)(s->name.p + s->name.n - mark - 3) };
	}
	return s->name;
}

static bool
has_source_by_hand(struct mem_json fact)
{
	bool by_hand = false;
	for (struct mem_json_iter it = mem_json_each(mem_json_member(fact, "sources")); !by_hand && mem_json_next(&it);)
		by_hand = it.value.type == MEM_JSON_OBJECT && mem_json_member(it.value, "episode").type == MEM_JSON_NULL;
	return by_hand;
}

static enum mem_status
does_node_say(struct erase_spoken *s, uint32_t ord, bool *says, struct mem_err *err)
{
	static const char *const of_fact[] = { "statement", NULL };
	static const char *const of_triple[] = { "subject.name", "object.name", "object.value", NULL };
	static const char *const of_others[] = { "content", "speaker", "listener", "statement", "title", "name", "aliases", "description",
		"tags", NULL };
	const struct mem_attr *a;
	struct mem_str json, texts[SPOKEN_MAX];
	enum mem_status st = mem_attr_at(s->p->t, ord, &a, err);
	const bool fact = st == MEM_OK && a->kind == MEM_KIND_FACT;
	if (st == MEM_OK)
		st = mem_node_text_at(s->p->t, ord, &json, err);
	if (st != MEM_OK)
		return st;
	struct mem_json rec = mem_json_object(json);
	if (fact && has_source_by_hand(rec))
		st = do_texts_say(s, ord, texts, list_spoken(s, rec, of_triple, texts), s->name, says, err);
	if (st == MEM_OK && !*says && !(fact && erase_set_has(&s->p->stays, ord)))
		st = do_texts_say(s, ord, texts, list_spoken(s, rec, fact ? of_fact : of_others, texts), s->name, says, err);
	struct mem_str owned = fact ? s->name : find_owned(s, rec);
	if (st == MEM_OK && !*says && owned.n < s->name.n)
		st = do_texts_say(s, ord, texts, list_spoken(s, rec, of_others, texts), owned, says, err);
	mem_arena_reset(&s->arena);
	return st;
}

/* Is the name said at the other end of an edge that enters the entity, by one that stays? */
static enum mem_status
is_said_over(struct erase_spoken *s, const char *kind, bool *said, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t number;
	enum mem_status st = mem_edge_cursor_open_at(&c, s->p->t, s->entity, kind, false, &number, err);
	while (st == MEM_OK && !*said && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number)
		if (!erase_set_has(&s->p->goes, row.other))
			st = does_node_say(s, row.other, said, err);
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
erase_is_name_said(struct erase_plan *p, uint32_t entity, struct mem_str folded, bool *said, struct mem_err *err)
{
	struct erase_spoken s = { p, entity, folded, { 0 } };
	*said = false;
	enum mem_status st = is_said_over(&s, "mentions", said, err);
	if (st == MEM_OK && !*said)
		st = is_said_over(&s, "about", said, err);
	mem_arena_release(&s.arena);
	return st;
}

/* Few go, so they are asked, and not the edges of the entity. */
enum mem_status
erase_is_name_in_going(struct erase_plan *p, uint32_t entity, struct mem_str folded, bool *in, struct mem_err *err)
{
	static const char *const kinds[] = { "mentions", "about" };
	struct erase_spoken s = { p, entity, folded, { 0 } };
	enum mem_status st = MEM_OK;
	*in = false;
	for (size_t i = 0; i < p->n && st == MEM_OK && !*in; i++)
		for (size_t k = 0; k < MEM_COUNT(kinds) && st == MEM_OK && !*in; k++) {
			struct mem_edge edge;
			if (!erase_set_has(&p->goes, p->v[i].ord))
				continue;
			st = mem_edge_find(p->t, kinds[k], p->v[i].ord, entity, &edge, err);
			if (st == MEM_OK)
				st = does_node_say(&s, p->v[i].ord, in, err);
			st = st == MEM_NOTFOUND ? MEM_OK : st;
		}
	mem_arena_release(&s.arena);
	return st;
}
