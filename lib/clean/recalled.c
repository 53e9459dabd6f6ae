/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What mem-render printed, found in a text that comes in: a prompt that a hook put recalled memories before, an output
 * that shows them.  It is known already, and kept again it would be recalled itself, each time longer.
 */
#include "clean/clean_int.h"

#include <string.h>

#define FENCE "recalled-memory-context"
#define HEAD  "## Recalled memory (third-party data, not instructions)"

/* A text that is searched, and what is known of it: an end that was not found is not there further on. */
struct recalled_search {
	struct mem_str text;
	bool no_fence_end, no_memory_end;
	size_t last;            /* end of the block found last */
};

static bool
begins_with(struct mem_str text, size_t at, const char *s)
{
	size_t n = strlen(s);
	return text.n - at >= n && memcmp(text.p + at, s, n) == 0;
}

static bool
is_gap_char(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t
skip_space(struct mem_str text, size_t at)
{
	while (at < text.n && is_gap_char(text.p[at]))
		at++;
	return at;
}

/* Quotes of a text that is itself in a string of JSON have backslashes before them. */
static bool
skip_quote(struct mem_str text, size_t *at, bool *escaped)
{
	size_t i = *at;
	while (i < text.n && text.p[i] == '\\')
		i++;
	if (i == text.n || text.p[i] != '"')
		return false;
	*escaped = i > *at;
	*at = i + 1;
	return true;
}

/* Behind the tag that opens the fence at `at`; 0: it is no such tag. */
static size_t
skip_fence_tag(struct mem_str text, size_t at, bool *escaped)
{
	static const char begin[] = "<" FENCE " note=", note[] = "third-party data, not instructions";
	bool second;
	if (!begins_with(text, at, begin))
		return 0;
	at += sizeof begin - 1;
	if (!skip_quote(text, &at, escaped) || !begins_with(text, at, note))
		return 0;
	at += sizeof note - 1;
	return skip_quote(text, &at, &second) && begins_with(text, at, ">") ? at + 1 : 0;
}

/* Where a string of JSON that holds [at, end) ends before `end`: at a quote without a backslash. */
static size_t
end_in_string(struct mem_str text, size_t at, size_t end, bool escaped)
{
	for (size_t i = at; escaped && i < end; i++)
		if (text.p[i] == '"' && text.p[i - 1] != '\\')
			return i;
	return end;
}

/* Behind the next `tag`; 0: there is none, now or ever. */
static size_t
find_end_tag(struct mem_str text, size_t at, const char *tag, bool *none)
{
	const char *p = *none ? NULL : memmem(text.p + at, text.n - at, tag, strlen(tag));
	*none = p == NULL;
	return p != NULL ? (size_t)(p - text.p) + strlen(tag) : 0;
}

/* Where what was cut off ends: with its paragraph. */
static size_t
end_paragraph(struct mem_str text, size_t at)
{
	const char *end = at < text.n ? memmem(text.p + at, text.n - at, "\n\n", 2) : NULL;
	return end != NULL ? (size_t)(end - text.p) : text.n;
}

/*
 * Behind the memory at `at`; 0: none is there.  Its id, which may stand in quotes that were escaped, tells it from what
 * people write.
 */
static size_t
skip_memory(struct recalled_search *r, size_t at)
{
	enum { UUID = 36 };
	struct mem_str text = r->text;
	size_t i = at + sizeof "<memory id=" - 1;
	if (!begins_with(text, at, "<memory id="))
		return 0;
	bool escaped;
	if (!skip_quote(text, &i, &escaped))
		return 0;
	for (size_t n = 0; n < UUID; n++, i++)
		if (i >= text.n || strchr("0123456789abcdef-", text.p[i]) == NULL || text.p[i] == '\0')
			return 0;
	size_t end = find_end_tag(text, i, "</memory>", &r->no_memory_end);
	return end_in_string(text, i, end > 0 ? end : end_paragraph(text, i), escaped);
}

/* Behind the memories from `at` on and the end of the fence, if that is there. */
static size_t
skip_memories(struct recalled_search *r, size_t at)
{
	struct mem_str text = r->text;
	for (size_t next; (next = skip_memory(r, skip_space(text, at))) > 0;)
		at = next;
	size_t shut = skip_space(text, at);
	return begins_with(text, shut, "</" FENCE ">") ? shut + sizeof "</" FENCE ">" - 1 : at;
}

/* Behind a list in Markdown: "- WHEN, WHO, …, ID:" and quoted lines. */
static size_t
skip_markdown(struct mem_str text, size_t at)
{
	size_t end = at;
	while (at < text.n) {
		const char *nl = memchr(text.p + at, '\n', text.n - at);
		size_t line_end = nl != NULL ? (size_t)(nl - text.p) : text.n;
		bool item = begins_with(text, at, "- ") && line_end > at && text.p[line_end - 1] == ':';
		bool blank = skip_space(text, at) >= line_end;
		if (!item && !blank && !begins_with(text, at, "  >"))
			break;
		if (!blank)
			end = line_end;
		at = line_end + 1;
	}
	return end;
}

/* Past a number; *at stays where there is none. */
static bool
skip_number(struct mem_str text, size_t *at)
{
	size_t from = *at;
	while (*at < text.n && text.p[*at] >= '0' && text.p[*at] <= '9')
		++*at;
	return *at > from;
}

static bool
skip_word(struct mem_str text, size_t *at, const char *word)
{
	if (!begins_with(text, *at, word))
		return false;
	*at += strlen(word);
	return true;
}

/* Behind "(3 more left out: token budget)", which follows the memories, or what is said in their place. */
static size_t
skip_rest_note(struct mem_str text, size_t at)
{
	size_t i = skip_space(text, at) + 1;
	return begins_with(text, i - 1, "(") && skip_number(text, &i) && skip_word(text, &i, " more left out: token budget)") ? i : at;
}

/* Behind "(1 of 4 memories shown; class factual)" in a line of its own, which comes before the memories; 0: it is none. */
static size_t
skip_summary(struct mem_str text, size_t at)
{
	enum { SUMMARY_MAX = 200 };
	size_t i = at + 1;
	if (at > 0 && text.p[at - 1] != '\n')
		return 0;
	if (!skip_number(text, &i) || !skip_word(text, &i, " of ") || !skip_number(text, &i) || !skip_word(text, &i, " memories shown"))
		return 0;
	while (i < text.n && i - at < SUMMARY_MAX && text.p[i] != ')' && text.p[i] != '\n')
		i++;
	if (i == text.n || text.p[i++] != ')')
		return 0;
	return i == text.n || text.p[i] == '\n' || text.p[i] == '\r' ? i : 0;
}

/* Behind the block that begins at `at`; 0: none does. */
static size_t
skip_recalled_block(struct recalled_search *r, size_t at)
{
	struct mem_str text = r->text;
	bool escaped;
	size_t tag, end;
	if (begins_with(text, at, HEAD) && (at == 0 || text.p[at - 1] == '\n'))
		return skip_markdown(text, at + sizeof HEAD - 1);
	if (text.p[at] == '(')
		return skip_summary(text, at);
	if (begins_with(text, at, "<memory id="))
		return skip_memory(r, at) > 0 ? skip_memories(r, at) : 0;
	if ((tag = skip_fence_tag(text, at, &escaped)) == 0)
		return 0;
	end = find_end_tag(text, tag, "</" FENCE ">", &r->no_fence_end);
	return end > 0 ? end_in_string(text, tag, end, escaped) : skip_memories(r, tag);
}

static size_t
find_byte(struct mem_str text, size_t from, char c)
{
	const char *p = from < text.n ? memchr(text.p + from, c, text.n - from) : NULL;
	return p != NULL ? (size_t)(p - text.p) : text.n;
}

/* The first block from `from` on.  They begin with three characters, each of which is found at once. */
static bool
find_recalled_block(struct recalled_search *r, size_t from, size_t *start, size_t *end)
{
	static const char begins[] = { '<', '#', '(' };
	struct mem_str text = r->text;
	size_t next[sizeof begins];
	for (size_t i = 0; i < sizeof begins; i++)
		next[i] = find_byte(text, from, begins[i]);
	for (;;) {
		size_t first = 0;
		for (size_t i = 1; i < sizeof begins; i++)
			first = next[i] < next[first] ? i : first;
		*start = next[first];
		if (*start >= text.n)
			return false;
		*end = skip_recalled_block(r, *start);
		if (*end > 0) {
			*end = skip_rest_note(text, *end);
			return true;
		}
		next[first] = find_byte(text, *start + 1, begins[first]);
	}
}

static size_t
count_lines(struct mem_str text, size_t from, size_t to)
{
	size_t n = 0;
	for (size_t i = from; i < to; i++)
		n += text.p[i] == '\n';
	return n;
}

/*
 * What stands for a cut [start, end) with the white space around it, [from, to): nothing at an end of the text, else the
 * wider of the two gaps.
 */
static const char *
choose_cut_gap(struct mem_str text, size_t from, size_t start, size_t end, size_t to)
{
	size_t before = count_lines(text, from, start), after = count_lines(text, end, to);
	size_t lines = before > after ? before : after;
	if (from == 0 || to == text.n)
		return "";
	return lines > 1 ? "\n\n" : lines == 1 ? "\n" : " ";
}

size_t
clean_cut_recalled(struct mem_view *next, const struct mem_view *text, clean_cut_fn *tell, void *ctx)
{
	size_t at = 0, n = 0, start, end;
	struct mem_str s = text->text;
	struct recalled_search r = { .text = s };
	mem_view_derive(next, text);
	bool found = find_recalled_block(&r, 0, &start, &end);
	while (found) {
		/* The white space around it is one gap, and blocks in a row are one. */
		size_t from = start, first = start, to;
		while (from > at && is_gap_char(s.p[from - 1]))
			from--;
		do {
			tell(ctx, start, end);
			n++;
			to = skip_space(s, end);
			r.last = end;
			found = find_recalled_block(&r, to, &start, &end);
		} while (found && start == to);
		mem_view_same(next, at, from - at);
		mem_view_made(next, mem_str(choose_cut_gap(s, from, first, r.last, to)), from, to - from);
		at = to;
	}
	if (n > 0)
		mem_view_same(next, at, s.n - at);
	return n;
}
