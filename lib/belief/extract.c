/* SPDX-License-Identifier: Apache-2.0 */
/* One content: its structured parts, then its sentences one by one. */
#include "belief/extract_int.h"
#include "text/passages.h"

#include <stdlib.h>
#include <string.h>

#define SENTENCE_MAX  1024 /* bytes; a longer one is no sentence, but a list or a dump */
#define WRAPPED_MIN   40   /* bytes of a line that was wrapped: what is shorter was ended by hand */
#define STEPS_MIN     ((uint64_t)32768)
#define STEPS_OF_BYTE 128
#define DATE_BYTES    16   /* of the content, for each date that is read */

struct belief_work *
belief_work_new(const struct mem_belief_rules *r)
{
	struct belief_work *w = mem_xcalloc(1, sizeof *w);
	w->matcher = mem_matcher_new();
	w->candidates = mem_xcalloc(r->nrules + 1, sizeof *w->candidates);
	w->seen = mem_xcalloc(r->nrules + 1, sizeof *w->seen);
	w->left = mem_xcalloc(r->nrules + 1, sizeof *w->left);
	return w;
}

void
belief_work_free(struct belief_work *w)
{
	if (w == NULL)
		return;
	mem_matcher_free(w->matcher);
	mem_analyser_close(w->analyser);
	free(w->tokens);
	free(w->marks);
	free(w->matches);
	free(w->candidates);
	free(w->seen);
	free(w->left);
	free(w->dates);
	free(w);
}

/* ---- sentences ---------------------------------------------------------------- */

/* Without the mark of a list's item. */
static struct mem_span
skip_item_mark(struct mem_str text, struct mem_span p)
{
	size_t at = p.start;
	if (at + 1 < p.end && strchr("-*+", text.p[at]) != NULL && text.p[at + 1] == ' ')
		at += 2;
	else {
		while (at < p.end && text.p[at] >= '0' && text.p[at] <= '9')
			at++;
		if (at == p.start || at + 1 >= p.end || (text.p[at] != '.' && text.p[at] != ')') || text.p[at + 1] != ' ')
			return p;
		at += 2;
	}
	while (at < p.end && text.p[at] == ' ')
		at++;
	return (struct mem_span){ at, p.end };
}

/* Up to a bracket, behind which captions and remarks stand. */
static struct mem_span
cut_brackets(struct mem_str text, struct mem_span p)
{
	const char *open = memmem(text.p + p.start, p.end - p.start, " [", 2);
	if (open != NULL)
		p.end = (size_t)(open - text.p);
	return p;
}

/* Is it prose, and no line of code, of a table or of what others wrote? */
static bool
is_readable(struct mem_str text, struct mem_span p)
{
	static const char *const marks[] = { "// ", "/* ", "$ ", "% ", "-- " }, *const code[] = { "==", "!=", "&&", "||", "();", "=>" };
	const char *from = text.p + p.start;
	size_t n = p.end > p.start ? p.end - p.start : 0;
	if (n == 0 || n > SENTENCE_MAX || strchr(">|#[<{", *from) != NULL)
		return false;
	for (size_t i = 0; i < MEM_COUNT(marks); i++)
		if (n > strlen(marks[i]) && memcmp(from, marks[i], strlen(marks[i])) == 0)
			return false;
	for (size_t i = 0; i < MEM_COUNT(code); i++)
		if (memmem(from, n, code[i], strlen(code[i])) != NULL)
			return false;
	return true;
}

/* Lines of prose that an editor or a mail program has wrapped: so long a line, and a small letter begins the next. */
static bool
is_wrapped_at(struct mem_str text, size_t newline, size_t line)
{
	return newline - line >= WRAPPED_MIN && newline + 1 < text.n && text.p[newline + 1] >= 'a' && text.p[newline + 1] <= 'z';
}

/* The sentence with a blank where a line was wrapped, byte for byte; else as it is.  ARENA. */
static struct mem_str
unwrap_lines(struct mem_arena *a, struct mem_str text)
{
	char *copy = NULL;
	size_t line = 0;
	for (const char *p = text.p; (p = memchr(p, '\n', (size_t)(text.p + text.n - p))) != NULL; p++) {
		size_t at = (size_t)(p - text.p);
		if (is_wrapped_at(text, at, line)) {
			copy = copy != NULL ? copy : mem_arena_dup(a, text.p, text.n);
			copy[at] = ' ';
		}
		line = at + 1;
	}
	return copy != NULL ? (struct mem_str){ copy, text.n } : text;
}

static bool
is_within_ranges(const struct structured_ranges *taken, size_t *next, struct mem_span p)
{
	while (*next < taken->n && taken->v[*next].end <= p.start)
		++*next;
	return *next < taken->n && taken->v[*next].start < p.end;
}

static enum mem_status
begin_content(struct belief_work *w, const struct mem_belief_rules *r, const struct mem_extract_source *s, struct belief_sentence *out,
    struct mem_err *err)
{
	const char *language = NULL;
	if (w->analyser == NULL) {
		enum mem_status st = mem_analyser_open(&w->analyser, "auto", err);
		if (st != MEM_OK)
			return st;
	}
	w->dates = mem_grow(w->dates, &w->dates_cap, s->content.n / DATE_BYTES + 8, sizeof *w->dates);
	out->ndates = mem_text_date_places(w->dates, w->dates_cap, w->analyser, s->content, s->captured_at, &language);
	out->dates = w->dates;
	out->language = mem_str(language);
	for (size_t i = 0; i < r->nrules; i++)
		w->left[i] = STEPS_MIN + STEPS_OF_BYTE * s->content.n;
	return MEM_OK;
}

/*
 * A sentence in the language of its text, and if it says nothing in that one in those of the other files: of a few words the
 * guess is weak, and words of one language's rules are rare in another's texts.
 */
static void
read_in_languages(struct belief_sentence *s, struct mem_str guessed)
{
	const struct mem_belief_rules *r = s->rules;
	size_t before = s->out->n;
	belief_tokens_read(s, r->work);
	s->language = guessed;
	belief_sentence_read(s, r->work);
	for (size_t i = 0; i < r->nfiles && s->out->n == before; i++) {
		struct mem_str other = r->files[i]->language;
		bool again = other.n == 0 || mem_str_eq(other, guessed);
		for (size_t k = 0; k < i && !again; k++)
			again = mem_str_eq(other, r->files[k]->language);
		if (again)
			continue;
		s->language = other;
		belief_sentence_read(s, r->work);
	}
}

static enum mem_status
read_sentences(struct mem_claim_list *out, const struct mem_belief_rules *rules, const struct structured_ranges *taken,
    const struct mem_extract_source *s, struct mem_err *err)
{
	struct belief_sentence one = { .rules = rules, .source = s, .out = out };
	struct mem_sentences all = { .text = s->content };
	size_t next = 0;
	enum mem_status st = begin_content(rules->work, rules, s, &one, err);
	const struct mem_str guessed = one.language;
	for (struct mem_sentence k; st == MEM_OK && mem_sentences_next(&all, &k);) {
		struct mem_span p = skip_item_mark(s->content, cut_brackets(s->content, k.span));
		if (k.code || is_within_ranges(taken, &next, k.span) || !is_readable(s->content, p))
			continue;
		one.at = p.start;
		one.start = p.start;
		one.end = p.end;
		one.text = unwrap_lines(out->arena, (struct mem_str){ s->content.p + p.start, p.end - p.start });
		read_in_languages(&one, guessed);
	}
	return st;
}

enum mem_status
mem_extract(struct mem_claim_list *out, const struct mem_belief_rules *rules, const struct mem_extract_source *s, struct mem_err *err)
{
	struct structured_ranges taken = { 0 };
	const struct belief_mappings mappings = { rules->mappings, rules->nmappings };
	if (s->content.n >= UINT32_MAX)
		return mem_err_set(err, MEM_REFUSED, "a content of over 4 GiB");
	structured_read(out, &taken, rules, &mappings, s);
	/* What tools print is no prose that anybody said. */
	enum mem_status st = s->role == MEM_ROLE_TOOL ? MEM_OK : read_sentences(out, rules, &taken, s, err);
	free(taken.v);
	return st;
}
