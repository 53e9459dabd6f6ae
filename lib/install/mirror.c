/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mirror that stands in for Maven's central repository, out of settings.xml (maven.apache.org, "Using
 * Mirrors for Repositories").  mvn reads it itself; this is for where mvn is not there.  Only elements
 * without attributes are looked for, as the schema has them.
 */
#include "install/install_int.h"

#include <stdio.h>

/* The text between <tag> and </tag> from *at on, which then stands behind it. */
static bool
element(struct mem_str *out, struct mem_str s, size_t *at, const char *tag)
{
	char open[32], close[32];
	snprintf(open, sizeof open, "<%s>", tag);
	snprintf(close, sizeof close, "</%s>", tag);
	const char *from = memmem(s.p + *at, s.n - *at, open, strlen(open));
	if (from == NULL)
		return false;
	from += strlen(open);
	const char *to = memmem(from, (size_t)(s.p + s.n - from), close, strlen(close));
	if (to == NULL)
		return false;
	*out = (struct mem_str){ from, (size_t)(to - from) };
	*at = (size_t)(to - s.p) + strlen(close);
	return true;
}

static struct mem_str
trim(struct mem_str s)
{
	while (s.n > 0 && strchr(" \t\r\n", s.p[0]) != NULL)
		s = (struct mem_str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && strchr(" \t\r\n", s.p[s.n - 1]) != NULL)
		s.n--;
	return s;
}

static void
put_unescaped(struct mem_buf *out, struct mem_str s)
{
	static const struct { const char *name; char c; } entities[] = {
		{ "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&apos;", '\'' },
	};
	for (size_t i = 0; i < s.n;) {
		size_t k = 0;
		while (k < MEM_COUNT(entities) && (s.n - i < strlen(entities[k].name) ||
		    memcmp(s.p + i, entities[k].name, strlen(entities[k].name)) != 0))
			k++;
		mem_buf_putc(out, k < MEM_COUNT(entities) ? entities[k].c : s.p[i]);
		i += k < MEM_COUNT(entities) ? strlen(entities[k].name) : 1;
	}
}

/* "central", "*", "external:*", "a,b", "*,!central" */
static bool
covers_central(struct mem_str of)
{
	bool yes = false;
	for (size_t i = 0; i <= of.n;) {
		const char *comma = memchr(of.p + i, ',', of.n - i);
		size_t end = comma != NULL ? (size_t)(comma - of.p) : of.n;
		struct mem_str one = trim((struct mem_str){ of.p + i, end - i });
		if (mem_str_is(one, "!central"))
			return false;
		yes = yes || mem_str_is(one, "central") || mem_str_is(one, "*") || mem_str_is(one, "external:*");
		i = end + 1;
	}
	return yes;
}

static void
without_comments(struct mem_buf *out, struct mem_str s)
{
	size_t i = 0;
	while (i < s.n) {
		const char *from = memmem(s.p + i, s.n - i, "<!--", 4);
		size_t until = from != NULL ? (size_t)(from - s.p) : s.n;
		mem_buf_put(out, s.p + i, until - i);
		const char *to = from != NULL ? memmem(from, s.n - until, "-->", 3) : NULL;
		i = to != NULL ? (size_t)(to - s.p) + 3 : s.n;
	}
}

/* Of several the one that names "central" alone comes first, then the first that covers it. */
bool
mem_maven_mirror(struct mem_buf *url, struct mem_str settings)
{
	struct mem_buf text = { 0 };
	struct mem_str mirrors, one, of, at, found = { 0 };
	without_comments(&text, settings);
	size_t pos = 0, next = 0;
	bool exact = false;
	if (text.len == 0 || !element(&mirrors, mem_buf_span(&text), &pos, "mirrors"))
		goto out;
	while (!exact && element(&one, mirrors, &next, "mirror")) {
		size_t a = 0, b = 0;
		if (!element(&of, one, &a, "mirrorOf") || !element(&at, one, &b, "url"))
			continue;
		exact = mem_str_is(trim(of), "central");
		if (exact || (found.n == 0 && covers_central(of)))
			found = trim(at);
	}
	put_unescaped(url, found);
out:
	mem_buf_release(&text);
	return found.n > 0;
}
