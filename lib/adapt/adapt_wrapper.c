/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers found in a text, and cut. */
#include "adapt/adapt_int.h"
#include "adapt/adapt_wrapper.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

enum {
	STACK = 32,             /* elements inside of each other */
	TAG_MAX = 2000,         /* bytes of a tag */
	WILD_MAX = 200,         /* bytes that a `*` of a sentence stands for */
	LONG_SENTENCE = 60,     /* from here on nobody says it by chance */
};

struct wrapper_span {
	size_t start, end, inner, inner_end;
	const struct adapt_wrapper_element *element; /* NULL: no element */
	size_t rule;
	bool tag;               /* only one of the tags of an element whose words stay */
};
struct wrapper_spans {
	struct wrapper_span *v;
	size_t n, cap;
	struct mem_str text;
	size_t *fences;         /* closed ones: where they begin and end, by turns */
	size_t nfences, fences_cap;
};

/* ---- quotations ------------------------------------------------------- */

static void
find_closed_fences(struct wrapper_spans *s)
{
	struct adapt_fence fence = { 0 };
	size_t opened = 0;
	for (size_t at = 0; at < s->text.n;) {
		const char *p = s->text.p + at, *nl = memchr(p, '\n', s->text.n - at);
		size_t n = nl != NULL ? (size_t)(nl - p) : s->text.n - at;
		bool was_open = fence.n > 0;
		adapt_track_fence(&fence, (struct mem_str){ p, n });
		if (!was_open && fence.n > 0)
			opened = at;
		if (was_open && fence.n == 0) {
			s->fences = mem_grow(s->fences, &s->fences_cap, s->nfences + 2, sizeof *s->fences);
			s->fences[s->nfences++] = opened;
			s->fences[s->nfences++] = at + n;
		}
		at += n + 1;
	}
}

static bool
is_code_span(struct mem_str text, size_t start, size_t end)
{
	return start > 0 && end < text.n && text.p[start - 1] == '`' && text.p[end] == '`';
}

/* In a code span, or inside of a fence that is closed: somebody shows it. */
static bool
is_quoted(const struct wrapper_spans *s, size_t start, size_t end)
{
	if (is_code_span(s->text, start, end))
		return true;
	size_t lo = 0, hi = s->nfences / 2;
	while (lo < hi) { /* the last fence that begins before `start` */
		size_t mid = (lo + hi + 1) / 2;
		if (s->fences[2 * (mid - 1)] <= start)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo > 0 && end <= s->fences[2 * lo - 1];
}

static void
begin_spans(struct wrapper_spans *s, struct mem_str text)
{
	s->text = text;
	s->n = s->nfences = 0;
	if (text.n > 0 && (memmem(text.p, text.n, "```", 3) != NULL || memmem(text.p, text.n, "~~~", 3) != NULL))
		find_closed_fences(s);
}

static void
add_span(struct wrapper_spans *s, struct wrapper_span span)
{
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *s->v);
	s->v[s->n++] = span;
}

/* ---- sentences -------------------------------------------------------- */

size_t
adapt_match_sentence(struct mem_str pattern, struct mem_str text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, from = 0;
	while (p < pattern.n) {
		if (pattern.p[p] == '*') {
			star = ++p;
			from = t;
			continue;
		}
		if (t < text.n && pattern.p[p] == text.p[t]) {
			p++;
			t++;
			continue;
		}
		/* The last `*` takes a byte more: those before it are settled. */
		if (star == SIZE_MAX || from >= text.n || text.p[from] == '\n')
			return 0;
		p = star;
		t = ++from;
	}
	if (pattern.n > 0 && pattern.p[pattern.n - 1] == '*')
		while (t < text.n && text.p[t] != '\n')
			t++;
	return t;
}

static bool
is_text_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
begins_line(struct mem_str text, size_t at)
{
	while (at > 0 && (text.p[at - 1] == ' ' || text.p[at - 1] == '\t'))
		at--;
	return at == 0 || text.p[at - 1] == '\n';
}

static bool
ends_line(struct mem_str text, size_t at)
{
	while (at < text.n && (text.p[at] == ' ' || text.p[at] == '\t' || text.p[at] == '\r'))
		at++;
	return at == text.n || text.p[at] == '\n';
}

/* How much of a sentence is fixed before its first `*`. */
static size_t
fixed_length(struct mem_str pattern)
{
	const char *star = memchr(pattern.p, '*', pattern.n);
	return star != NULL ? (size_t)(star - pattern.p) : pattern.n;
}

static bool
stands_alone(struct mem_str text, size_t start, size_t end)
{
	if (end - start < LONG_SENTENCE)
		return begins_line(text, start) && ends_line(text, end);
	return (start == 0 || is_text_space(text.p[start - 1])) && (end == text.n || is_text_space(text.p[end]));
}

static void
find_sentence(struct wrapper_spans *s, const struct adapt_wrapper_sentence *sentence)
{
	struct mem_str pattern = sentence->text;
	size_t fixed = fixed_length(pattern);
	for (size_t at = 0; at < s->text.n;) {
		const char *p = memmem(s->text.p + at, s->text.n - at, pattern.p, fixed);
		if (p == NULL)
			return;
		size_t start = (size_t)(p - s->text.p);
		size_t left = s->text.n - start, most = pattern.n + WILD_MAX;
		size_t n = adapt_match_sentence(pattern, (struct mem_str){ p, left < most ? left : most });
		at = start + 1;
		if (n == 0 || !stands_alone(s->text, start, start + n) || is_quoted(s, start, start + n))
			continue;
		add_span(s, (struct wrapper_span){ .start = start, .end = start + n, .rule = sentence->rule });
		at = start + n;
	}
}

/* ---- blocks ----------------------------------------------------------- */

/* The line of `text` at or behind `at` that the pattern matches as a whole; false: none. */
static bool
find_line(struct mem_str text, size_t at, struct mem_str pattern, size_t *start, size_t *end)
{
	while (at < text.n) {
		const char *nl = memchr(text.p + at, '\n', text.n - at);
		size_t line_end = nl != NULL ? (size_t)(nl - text.p) : text.n;
		struct mem_str line = mem_str_trim((struct mem_str){ text.p + at, line_end - at });
		if (line.n > 0 && adapt_match_sentence(pattern, line) == line.n) {
			*start = at;
			*end = line_end;
			return true;
		}
		at = line_end + 1;
	}
	return false;
}

static bool
begins_span(const struct wrapper_spans *s, size_t start)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].start == start)
			return true;
	return false;
}

static void
find_block(struct wrapper_spans *s, const struct adapt_wrapper_block *block)
{
	size_t start, end, last_start, last_end = s->text.n;
	bool to_end = mem_str_is(block->to, "end");
	if (memmem(s->text.p, s->text.n, block->from.p, fixed_length(block->from)) == NULL)
		return;
	for (size_t at = 0; find_line(s->text, at, block->from, &start, &end); at = last_end) {
		/* A block of the list that stands before it may have found its end. */
		if (to_end && (!adapt_is_blank_text((struct mem_str){ s->text.p, start }) || begins_span(s, start)))
			return;
		if (!to_end && !find_line(s->text, end, block->to, &last_start, &last_end))
			return;
		if (!is_quoted(s, start, last_end))
			add_span(s, (struct wrapper_span){ .start = start, .end = last_end, .rule = block->rule });
	}
}

/* ---- elements --------------------------------------------------------- */

struct open_element {
	const struct adapt_wrapper_element *element;
	struct mem_str name;    /* as it is written */
	size_t start, inner;
};
struct tag {
	struct mem_str name, attributes;
	bool closing, alone;    /* </x>; <x/> */
	size_t end;
};

static bool
is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':';
}

/* The tag at `at`, which is a '<'.  A '>' between quotes does not end it. */
static bool
read_tag(struct mem_str text, size_t at, struct tag *tag)
{
	size_t i = at + 1, limit = text.n - at > TAG_MAX ? at + TAG_MAX : text.n;
	*tag = (struct tag){ .closing = i < limit && text.p[i] == '/' };
	i += tag->closing;
	size_t from = i;
	while (i < limit && is_name_char(text.p[i]))
		i++;
	tag->name = (struct mem_str){ text.p + from, i - from };
	if (tag->name.n == 0 || i == limit || (text.p[i] != '>' && text.p[i] != '/' && !is_text_space(text.p[i])))
		return false;
	from = i;
	for (char quote = '\0'; i < limit; i++) {
		char c = text.p[i];
		if (quote != '\0')
			quote = c == quote ? '\0' : quote;
		else if (c == '"' && !tag->closing)
			quote = c;
		else if (c == '>' || c == '<')
			break;
	}
	if (i == limit || text.p[i] != '>')
		return false;
	tag->attributes = (struct mem_str){ text.p + from, i - from };
	tag->alone = i > from && text.p[i - 1] == '/';
	tag->end = i + 1;
	return true;
}

static const struct adapt_wrapper_element *
find_element(const struct adapt_wrappers *w, struct mem_str name)
{
	for (size_t i = 0; i < w->nelements; i++) {
		const struct adapt_wrapper_element *e = &w->elements[i];
		bool same = e->open_end ? name.n > e->name.n && memcmp(name.p, e->name.p, e->name.n) == 0 : mem_str_eq(name, e->name);
		if (same)
			return e;
	}
	return NULL;
}

/* The start of the head's line before `start`, blank lines between; false: it is not there. */
static bool
find_head(struct mem_str text, struct mem_str head, size_t *start)
{
	size_t end = *start;
	while (end > 0 && is_text_space(text.p[end - 1]))
		end--;
	size_t from = end;
	while (from > 0 && end - from < TAG_MAX && text.p[from - 1] != '\n')
		from--;
	struct mem_str line = mem_str_trim((struct mem_str){ text.p + from, end - from });
	if (line.n == 0 || adapt_match_sentence(head, line) != line.n)
		return false;
	*start = from;
	return true;
}

static void
close_element(struct wrapper_spans *s, const struct open_element *open, size_t inner_end, size_t end)
{
	const struct adapt_wrapper_element *e = open->element;
	size_t start = open->start;
	if (is_quoted(s, start, end) || (e->head.n > 0 && !find_head(s->text, e->head, &start)))
		return;
	struct wrapper_span span = { .start = start, .end = end, .inner = open->inner, .inner_end = inner_end, .element = e, .rule = e->rule };
	if (e->becomes == ADAPT_WORDS) {
		add_span(s, (struct wrapper_span){ .start = start, .end = open->inner, .rule = e->rule, .tag = true });
		add_span(s, (struct wrapper_span){ .start = inner_end, .end = end, .rule = e->rule });
		return;
	}
	/* What was found inside of it goes with it: it was found last. */
	while (s->n > 0 && s->v[s->n - 1].start >= start)
		s->n--;
	add_span(s, span);
}

/* Of more than there is room for, the outermost are taken for words. */
static size_t
push_element(struct open_element stack[STACK], size_t depth, const struct open_element *open)
{
	if (depth == STACK)
		memmove(stack, stack + 1, --depth * sizeof *stack);
	stack[depth] = *open;
	return depth + 1;
}

static void
find_elements(struct wrapper_spans *s, const struct adapt_wrappers *w)
{
	struct open_element stack[STACK];
	size_t depth = 0;
	struct tag tag;
	for (size_t at = 0; at < s->text.n;) {
		const char *p = memchr(s->text.p + at, '<', s->text.n - at);
		if (p == NULL)
			return;
		size_t start = (size_t)(p - s->text.p);
		at = start + 1;
		/* A tag that is shown alone opens and closes nothing. */
		if (!read_tag(s->text, start, &tag) || is_code_span(s->text, start, tag.end))
			continue;
		const struct adapt_wrapper_element *e = find_element(w, tag.name);
		if (e == NULL)
			continue;
		at = tag.end;
		bool counts = tag.closing || e->attribute.n == 0 ||
		    memmem(tag.attributes.p, tag.attributes.n, e->attribute.p, e->attribute.n) != NULL;
		struct open_element open = { .element = e, .name = tag.name, .start = start, .inner = tag.end };
		if (!tag.closing && counts && tag.alone)
			close_element(s, &open, tag.end, tag.end);
		else if (!tag.closing && counts)
			depth = push_element(stack, depth, &open);
		size_t i = tag.closing ? depth : 0;
		while (i > 0 && !mem_str_eq(stack[i - 1].name, tag.name))
			i--;
		if (i > 0) {
			depth = i - 1;
			close_element(s, &stack[depth], start, tag.end);
		}
	}
}

/* ---- cutting ---------------------------------------------------------- */

static int
compare_spans(const void *a, const void *b)
{
	const struct wrapper_span *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Where the words before a cut ended, and what parts them from those behind it. */
struct joint {
	struct mem_str command; /* a slash command's name, until its arguments come */
	size_t lines;           /* as many line ends as the widest gap has */
};

static void
put_joined(struct adapt_cut_text *out, struct joint *j, struct mem_str words)
{
	if (out->text.len > 0)
		mem_buf_puts(&out->text, j->lines > 1 ? "\n\n" : j->lines == 1 ? "\n" : " ");
	mem_buf_str(&out->text, words);
	j->lines = 0;
}

static void
widen_gap(struct joint *j, const char *p, size_t n)
{
	size_t lines = 0;
	for (size_t i = 0; i < n; i++)
		lines += p[i] == '\n';
	if (lines > j->lines)
		j->lines = lines;
}

/* The words between two cuts. */
static void
put_words(struct adapt_cut_text *out, struct joint *j, struct mem_str words)
{
	struct mem_str bare = mem_str_trim(words);
	size_t lead = bare.n > 0 ? (size_t)(bare.p - words.p) : words.n;
	widen_gap(j, words.p, lead);
	if (bare.n == 0)
		return;
	put_joined(out, j, bare);
	widen_gap(j, bare.p + bare.n, words.n - lead - bare.n);
}

/* "/review lib", "! make": as they were typed. */
static void
put_typed_command(struct adapt_cut_text *out, struct joint *j, struct mem_str name, struct mem_str arguments)
{
	struct mem_buf typed = { 0 };
	if (name.n > 0 && name.p[0] != '/' && name.p[0] != '!')
		mem_buf_putc(&typed, '/');
	mem_buf_str(&typed, name);
	if (name.n > 0)
		mem_buf_putc(&typed, ' ');
	mem_buf_str(&typed, arguments);
	j->lines = 2;
	put_joined(out, j, mem_buf_span(&typed));
	j->lines = 2;
	mem_buf_release(&typed);
}

static void
keep_element_text(struct adapt_cut_text *out, struct joint *j, enum adapt_becomes becomes, struct mem_str inner)
{
	inner = mem_str_trim(inner);
	if (becomes == ADAPT_COMMAND)
		j->command = inner;
	else if ((becomes == ADAPT_ARGUMENTS || becomes == ADAPT_SHELL) && inner.n > 0)
		put_typed_command(out, j, becomes == ADAPT_SHELL ? MEM_STR("!") : j->command, inner);
	else if (becomes == ADAPT_OUTPUT || becomes == ADAPT_ERRORS)
		mem_buf_str(becomes == ADAPT_OUTPUT ? &out->output : &out->errors, inner);
	if (becomes == ADAPT_ARGUMENTS)
		j->command = (struct mem_str){ 0 };
}

static void
count_cut_rule(struct adapt_cut_text *out, size_t rule)
{
	out->rules = mem_grow(out->rules, &out->cap, out->n + 1, sizeof *out->rules);
	out->rules[out->n++] = rule;
}

/* The text without the spans, into out->text. */
static void
cut_spans(struct adapt_cut_text *out, struct wrapper_spans *s)
{
	struct joint joint = { 0 };
	size_t at = 0;
	mem_sort(s->v, s->n, sizeof *s->v, compare_spans);
	mem_buf_reset(&out->text);
	for (size_t i = 0; i < s->n; i++) {
		const struct wrapper_span *span = &s->v[i];
		if (span->start < at)
			continue; /* inside of the one before */
		put_words(out, &joint, (struct mem_str){ s->text.p + at, span->start - at });
		at = span->end;
		if (span->element != NULL)
			keep_element_text(out, &joint, span->element->becomes,
			    (struct mem_str){ s->text.p + span->inner, span->inner_end - span->inner });
		if (!span->tag)
			count_cut_rule(out, span->rule);
	}
	put_words(out, &joint, (struct mem_str){ s->text.p + at, s->text.n - at });
}

/* Each of them looks at what the one before left. */
static void
find_pass(struct wrapper_spans *s, const struct adapt_wrappers *w, int pass)
{
	if (pass == 0)
		find_elements(s, w);
	for (size_t i = 0; pass == 1 && i < w->nsentences; i++)
		find_sentence(s, &w->sentences[i]);
	for (size_t i = 0; pass == 2 && i < w->nblocks; i++)
		find_block(s, &w->blocks[i]);
}

bool
adapt_cut_wrappers(struct adapt_cut_text *out, const struct adapt_wrappers *w, struct mem_str text)
{
	struct wrapper_spans s = { 0 };
	out->n = 0;
	mem_buf_reset(&out->output);
	mem_buf_reset(&out->errors);
	mem_buf_reset(&out->text);
	for (int pass = 0; pass < 3 && text.n > 0; pass++) {
		begin_spans(&s, text);
		find_pass(&s, w, pass);
		if (s.n == 0)
			continue;
		cut_spans(out, &s);
		/* What is left is the next pass's text. */
		struct mem_buf left = out->text;
		out->text = out->spare;
		out->spare = left;
		text = mem_buf_span(&left);
	}
	if (out->n > 0) {
		struct mem_buf left = out->spare;
		out->spare = out->text;
		out->text = left;
	}
	free(s.v);
	free(s.fences);
	return out->n > 0;
}

void
adapt_release_cut_text(struct adapt_cut_text *out)
{
	mem_buf_release(&out->text);
	mem_buf_release(&out->output);
	mem_buf_release(&out->errors);
	mem_buf_release(&out->spare);
	free(out->rules);
}
