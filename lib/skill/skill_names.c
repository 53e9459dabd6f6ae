/* SPDX-License-Identifier: Apache-2.0 */
/* Skills whose names stand in a text. */
#include "skill/skill_names.h"

#include <stdlib.h>
#include <string.h>

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

static size_t
divide_words(struct text_word *words, size_t max, struct mem_str text)
{
	size_t n = 0;
	for (size_t i = 0; i < text.n && n < max; i++) {
		if (is_between_words(text.p[i]))
			continue;
		size_t end = i;
		while (end < text.n && !is_between_words(text.p[end]))
			end++;
		size_t last = end;
		while (last > i + 1 && text.p[last - 1] == '.')
			last--;
		words[n++] = (struct text_word){ i, last };
		i = end;
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

static enum mem_status
look_up_spans(struct skill_name_search *s, struct mem_str text, struct mem_err *err)
{
	struct text_word words[MEM_SKILL_TASK_WORDS];
	size_t n = divide_words(words, MEM_COUNT(words), text);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n && k < i + MEM_SKILL_NAME_WORDS && st == MEM_OK; k++) {
			struct mem_str span = { text.p + words[i].start, words[k].end - words[i].start };
			if (span.n <= MEM_SKILL_NAME_MAX)
				st = look_up_name_span(s, span, err);
		}
	return st;
}

/* ---- those that stand there -------------------------------------------------- */

static void
keep_found_skill(struct skill_name_list *out, const struct mem_id *id)
{
	for (size_t i = 0; i < out->n; i++)
		if (memcmp(&out->v[i], id, sizeof *id) == 0)
			return;
	out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof *out->v);
	out->v[out->n++] = *id;
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
		keep_found_skill(out, &s.owners[hits[i].name]);
	mem_names_free(s.names);
	free(s.owners);
	free(s.ns);
	mem_arena_release(&s.arena);
	return st;
}
