/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of gitignore(5).  Matching goes back to the last star alone, so that no pattern costs more than its length for each character. */
#include "link/ignore.h"

#include <stdlib.h>

#include "store/page_keys.h"

struct ignore_rule {
	struct mem_str folder, pattern;
	bool back;                 /* what it fits is not ignored */
	bool folders;              /* only folders */
	bool tied;                 /* to the folder; else to a name at any depth */
};
struct mem_ignore {
	struct mem_arena arena;
	struct ignore_rule *rules;
	size_t n, cap;
};

struct mem_ignore *
mem_ignore_new(void)
{
	return mem_xcalloc(1, sizeof(struct mem_ignore));
}

void
mem_ignore_free(struct mem_ignore *g)
{
	if (g == NULL)
		return;
	mem_arena_release(&g->arena);
	free(g->rules);
	free(g);
}

/* ---- patterns ------------------------------------------------------------------ */

/* Spaces at the end go unless a backslash is before them. */
static struct mem_str
trim_pattern(struct mem_str s)
{
	while (s.n > 0 && (s.p[s.n - 1] == '\r' || (s.p[s.n - 1] == ' ' && (s.n < 2 || s.p[s.n - 2] != '\\'))))
		s.n--;
	return s;
}

void
mem_ignore_add(struct mem_ignore *g, struct mem_str folder, struct mem_str pattern)
{
	struct ignore_rule r = { .folder = mem_arena_str(&g->arena, folder) };
	struct mem_str s = trim_pattern(pattern);
	if (s.n == 0 || s.p[0] == '#')
		return;
	if (s.p[0] == '!') {
		r.back = true;
		s = (struct mem_str){ s.p + 1, s.n - 1 };
	}
	if (s.n > 0 && s.p[s.n - 1] == '/') {
		r.folders = true;
		s.n--;
	}
	r.tied = s.n > 0 && memchr(s.p, '/', s.n) != NULL;
	if (s.n > 0 && s.p[0] == '/')
		s = (struct mem_str){ s.p + 1, s.n - 1 };
	if (s.n == 0)
		return;
	r.pattern = mem_arena_str(&g->arena, s);
	g->rules = mem_grow(g->rules, &g->cap, g->n + 1, sizeof *g->rules);
	g->rules[g->n++] = r;
}

void
mem_ignore_add_lines(struct mem_ignore *g, struct mem_str folder, struct mem_str text)
{
	for (size_t i = 0; i < text.n;) {
		size_t end = i;
		while (end < text.n && text.p[end] != '\n')
			end++;
		mem_ignore_add(g, folder, (struct mem_str){ text.p + i, end - i });
		i = end + 1;
	}
}

size_t
mem_ignore_count(const struct mem_ignore *g)
{
	return g->n;
}

void
mem_ignore_cut(struct mem_ignore *g, size_t count)
{
	g->n = count < g->n ? count : g->n;
}

/* ---- matching a component --------------------------------------------------------- */

/* The set at p.p[*i] == '[': does it have c?  *i gets behind it.  Without an end it is the character '['. */
static bool
set_has_byte(struct mem_str p, size_t *i, unsigned char c)
{
	size_t k = *i + 1, first;
	bool negated = k < p.n && (p.p[k] == '!' || p.p[k] == '^'), has = false;
	k += negated;
	for (first = k; k < p.n && (p.p[k] != ']' || k == first); k++) {
		unsigned char low = (unsigned char)p.p[k], high = low;
		if (k + 2 < p.n && p.p[k + 1] == '-' && p.p[k + 2] != ']') {
			high = (unsigned char)p.p[k + 2];
			k += 2;
		}
		has = has || (c >= low && c <= high);
	}
	if (k >= p.n) {
		++*i;
		return c == '[';
	}
	*i = k + 1;
	return has != negated;
}

/* Does what stands at p.p[*i], which is no star, fit the character?  *i gets behind it. */
static bool
fits_byte(struct mem_str p, size_t *i, unsigned char c)
{
	if (p.p[*i] == '[')
		return set_has_byte(p, i, c);
	if (p.p[*i] == '\\' && *i + 1 < p.n)
		++*i;
	else if (p.p[*i] == '?') {
		++*i;
		return true;
	}
	return (unsigned char)p.p[(*i)++] == c;
}

static bool
fits_component(struct mem_str p, struct mem_str s)
{
	size_t i = 0, k = 0, star = SIZE_MAX, from = 0;
	while (k < s.n) {
		size_t next = i;
		if (i < p.n && p.p[i] == '*') {
			star = i++;
			from = k;
		} else if (i < p.n && fits_byte(p, &next, (unsigned char)s.p[k])) {
			i = next;
			k++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			k = ++from;
		} else {
			return false;
		}
	}
	while (i < p.n && p.p[i] == '*')
		i++;
	return i == p.n;
}

/* ---- matching a path --------------------------------------------------------------- */

/* The component that begins at *at; *at gets behind the '/' after it. */
static struct mem_str
next_component(struct mem_str s, size_t *at)
{
	size_t start = *at, end = start;
	while (end < s.n && s.p[end] != '/')
		end++;
	*at = end + 1;
	return (struct mem_str){ s.p + start, end - start };
}

/* As a component is matched by its characters, with "**" for the star; at the end it needs something below. */
static bool
fits_path(struct mem_str p, struct mem_str s)
{
	size_t i = 0, k = 0, star = SIZE_MAX, from = 0;
	while (k <= s.n) {
		size_t next_i = i, next_k = k;
		struct mem_str part = i <= p.n ? next_component(p, &next_i) : MEM_STR("");
		if (i <= p.n && mem_str_is(part, "**")) {
			if (next_i > p.n)
				return true;
			star = i = next_i;
			from = k;
		} else if (i <= p.n && fits_component(part, next_component(s, &next_k))) {
			i = next_i;
			k = next_k;
		} else if (star != SIZE_MAX) {
			i = star;
			next_component(s, &from);
			k = from;
		} else {
			return false;
		}
	}
	return i > p.n;
}

static bool
rule_fits(const struct ignore_rule *r, struct mem_str path, bool folder)
{
	if (r->folders && !folder)
		return false;
	if (r->folder.n > 0) {
		if (path.n <= r->folder.n || path.p[r->folder.n] != '/' || memcmp(path.p, r->folder.p, r->folder.n) != 0)
			return false;
		path = (struct mem_str){ path.p + r->folder.n + 1, path.n - r->folder.n - 1 };
	}
	return r->tied ? fits_path(r->pattern, path) : fits_component(r->pattern, mem_page_file(path));
}

bool
mem_ignore_fits(const struct mem_ignore *g, struct mem_str path, bool folder)
{
	for (size_t i = g->n; i-- > 0;)
		if (rule_fits(&g->rules[i], path, folder))
			return !g->rules[i].back;
	return false;
}

bool
mem_ignore_has(const struct mem_ignore *g, struct mem_str path)
{
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '/' && mem_ignore_fits(g, (struct mem_str){ path.p, i }, true))
			return true;
	return mem_ignore_fits(g, path, false);
}
