/* SPDX-License-Identifier: Apache-2.0 */
/* Skills whose names stand in a text. */
#include "skill/skill_names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "skill/skill.h"
#include "text/names.h"

struct skill_name_search {
	struct mem_txn *t;
	struct mem_ns *ns;              /* OWNS; visible */
	size_t nns;
	struct mem_names *names;        /* those that skills have */
	struct mem_id *owners;          /* OWNS; by their numbers */
	size_t nowners, owners_cap;
	struct mem_arena arena;
};

/* ---- what may be a name --------------------------------------------------- */

struct text_word {
	size_t start, end;
};

static bool
is_between_words(char c)
{
	return strchr(" \t\r\n\v\f,;:!?\"'`()[]{}<>", c) != NULL;
}

/* Bytes of the quotation mark of more than one byte at `p`, of `n` that are left; 0: there is none. */
static size_t
measure_quotation_mark(const char *p, size_t n)
{
	if (n >= 3 && memcmp(p, "\xe2\x80", 2) == 0 && (unsigned char)p[2] >= 0x98 && (unsigned char)p[2] <= 0x9f)
		return 3;
	return n >= 2 && p[0] == '\xc2' && (p[1] == '\xab' || p[1] == '\xbb') ? 2 : 0;
}

static size_t
divide_words(struct text_word *words, size_t max, struct mem_str text)
{
	size_t n = 0;
	for (size_t i = 0; i < text.n && n < max; i++) {
		size_t mark = measure_quotation_mark(text.p + i, text.n - i), end = i;
		if (mark > 0 || text.p[i] == '/' || is_between_words(text.p[i])) {
			i += mark > 0 ? mark - 1 : 0;
			continue;
		}
		while (end < text.n && !is_between_words(text.p[end]) && measure_quotation_mark(text.p + end, text.n - end) == 0)
			end++;
		size_t last = end;
		while (last > i + 1 && text.p[last - 1] == '.')
			last--;
		words[n++] = (struct text_word){ i, last };
		i = end - 1;
	}
	return n;
}

static void
keep_name_owner(struct skill_name_search *s, struct mem_str name, const struct mem_id *id)
{
	uint32_t number = mem_names_add(s->names, name);
	if (number == MEM_NAME_NONE || number < s->nowners)
		return;
	s->owners = mem_grow(s->owners, &s->owners_cap, (size_t)number + 1, sizeof *s->owners);
	s->owners[s->nowners++] = *id;
}

/* `as`: how it stands in the text. */
static enum mem_status
look_up_name(struct skill_name_search *s, struct mem_str name, struct mem_str as, struct mem_err *err)
{
	for (size_t i = 0; i < s->nns; i++) {
		struct mem_skill skill;
		if (s->ns[i].compartment[0] != '\0')
			continue;
		enum mem_status st = mem_skill_by_name(&skill, s->t, mem_str(s->ns[i].name), name, &s->arena, err);
		if (st == MEM_OK && skill.live)
			keep_name_owner(s, as, &skill.id);
		if (st != MEM_OK && st != MEM_NOTFOUND && st != MEM_DAMAGED)
			return st;
	}
	return MEM_OK;
}

static enum mem_status
look_up_name_span(struct skill_name_search *s, struct mem_str span, struct mem_err *err)
{
	enum mem_status st = look_up_name(s, span, span, err);
	if (memchr(span.p, ' ', span.n) == NULL)
		return st;
	for (const char *joint = "-_"; *joint != '\0' && st == MEM_OK; joint++) {
		struct mem_str joined = mem_arena_str(&s->arena, span);
		for (char *p = (char *)(uintptr_t)joined.p; p < joined.p + joined.n; p++)
			*p = *p == ' ' ? *joint : *p;
		st = look_up_name(s, joined, span, err);
	}
	return st;
}

/* What the refs of all names that begin with the word begin with: its ASCII, as far as nothing behind it can change how that folds. */
static struct mem_str
find_ref_beginning(struct skill_name_search *s, struct mem_str word)
{
	size_t n = 0;
	while (n < word.n && (unsigned char)word.p[n] < 0x80)
		n++;
	n -= n > 0 && n < word.n;
	return mem_skill_ref(&s->arena, (struct mem_str){ word.p, n });
}

/* Most words begin no skill's name, which one look tells for all spans from there on. */
static enum mem_status
begins_skill_name(bool *begins, struct skill_name_search *s, struct mem_str word, struct mem_err *err)
{
	const struct mem_str start = find_ref_beginning(s, word);
	enum mem_status st = MEM_OK;
	*begins = false;
	for (size_t i = 0; i < s->nns && !*begins && st == MEM_OK; i++)
		if (s->ns[i].compartment[0] == '\0')
			st = mem_node_ref_begins(s->t, s->ns[i].number, start, begins, err);
	*begins |= st == MEM_DAMAGED; /* it cannot be told so */
	return st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
look_up_spans(struct skill_name_search *s, struct mem_str text, struct mem_err *err)
{
	struct text_word words[MEM_SKILL_TASK_WORDS];
	size_t n = divide_words(words, MEM_COUNT(words), text);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		bool begins;
		st = begins_skill_name(&begins, s, (struct mem_str){ text.p + words[i].start, words[i].end - words[i].start }, err);
		for (size_t k = i; begins && k < n && k < i + MEM_SKILL_NAME_WORDS && st == MEM_OK; k++) {
			struct mem_str span = { text.p + words[i].start, words[k].end - words[i].start };
			if (span.n <= MEM_SKILL_NAME_MAX)
				st = look_up_name_span(s, span, err);
		}
	}
	return st;
}

/* ---- those that stand there -------------------------------------------------- */

static bool
is_ordinary_word(struct mem_str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
		if (!letter)
			return false;
	}
	return true;
}

static bool
is_text_word(struct mem_str text, size_t from, size_t end, const char *word)
{
	size_t n = strlen(word);
	return end - from == n && strncasecmp(text.p + from, word, n) == 0;
}

/* "use X", "skill X" */
static bool
has_word_before(struct mem_str text, size_t at, const char *word)
{
	size_t end = at;
	while (end > 0 && text.p[end - 1] == ' ')
		end--;
	size_t from = end;
	while (from > 0 && !is_between_words(text.p[from - 1]))
		from--;
	return end < at && is_text_word(text, from, end, word);
}

/* "X skill" */
static bool
has_word_behind(struct mem_str text, size_t at, const char *word)
{
	size_t from = at;
	while (from < text.n && text.p[from] == ' ')
		from++;
	size_t end = from;
	while (end < text.n && !is_between_words(text.p[end]) && text.p[end] != '.')
		end++;
	return from > at && is_text_word(text, from, end, word);
}

static bool
is_name_quoted(struct mem_str text, size_t start, size_t end)
{
	static const struct { const char *open, *close; } pairs[] = { { "\"", "\"" }, { "'", "'" }, { "`", "`" }, { "\xe2\x80\x9c", "\xe2\x80\x9d" },
		{ "\xe2\x80\x98", "\xe2\x80\x99" }, { "\xe2\x80\x9e", "\xe2\x80\x9c" }, { "\xc2\xab", "\xc2\xbb" } };
	for (size_t i = 0; i < MEM_COUNT(pairs); i++) {
		size_t o = strlen(pairs[i].open), c = strlen(pairs[i].close);
		if (start >= o && text.n - end >= c && memcmp(text.p + start - o, pairs[i].open, o) == 0 && memcmp(text.p + end, pairs[i].close, c) == 0)
			return true;
	}
	return false;
}

static bool
is_marked_name(struct mem_str text, const struct mem_name_hit *h)
{
	bool slash = h->start > 0 && text.p[h->start - 1] == '/' && (h->start == 1 || is_between_words(text.p[h->start - 2]));
	return !is_ordinary_word((struct mem_str){ text.p + h->start, h->end - h->start }) || slash || is_name_quoted(text, h->start, h->end) ||
	    has_word_before(text, h->start, "use") || has_word_before(text, h->start, "skill") || has_word_behind(text, h->end, "skill");
}

static void
keep_found_skill(struct skill_name_list *out, const struct mem_id *id, bool marked)
{
	for (size_t i = 0; i < out->n; i++)
		if (memcmp(&out->v[i].id, id, sizeof *id) == 0) {
			out->v[i].marked = out->v[i].marked || marked;
			return;
		}
	out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof *out->v);
	out->v[out->n++] = (struct skill_name_found){ *id, marked };
}

enum mem_status
skill_names_find(struct skill_name_list *out, struct mem_txn *t, struct mem_str text, struct mem_err *err)
{
	struct skill_name_search s = { .t = t, .names = mem_names_new() };
	const struct mem_name_hit *hits;
	*out = (struct skill_name_list){ 0 };
	enum mem_status st = mem_ns_visible(t, &s.ns, &s.nns, err);
	if (st == MEM_OK)
		st = look_up_spans(&s, text, err);
	size_t n = st == MEM_OK && s.nowners > 0 ? mem_names_find(s.names, text, &hits) : 0;
	for (size_t i = 0; i < n; i++)
		keep_found_skill(out, &s.owners[hits[i].name], is_marked_name(text, &hits[i]));
	mem_names_free(s.names);
	free(s.owners);
	free(s.ns);
	mem_arena_release(&s.arena);
	return st;
}
