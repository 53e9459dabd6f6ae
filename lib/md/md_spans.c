/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a leaf's lines: code, HTML, comments, maths, links, tags; the rest is prose. */
#include "md/md_spans_int.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is found ------------------------------------------------------- */

void
md_hide(struct md_span_walk *w, size_t start, size_t end)
{
	if (!w->r->wants_prose)
		return;
	while (w->nhidden > 0 && w->hidden[w->nhidden - 1].start >= start)
		w->nhidden--;
	/* The scheme of an address may be the end of a tag. */
	if (w->nhidden > 0 && w->hidden[w->nhidden - 1].end > start)
		start = w->hidden[w->nhidden - 1].end;
	if (start >= end)
		return;
	w->hidden = mem_grow(w->hidden, &w->hidden_cap, w->nhidden + 1, sizeof *w->hidden);
	w->hidden[w->nhidden++] = (struct md_hidden){ start, end };
}

void
md_link_add(struct md_span_walk *w, const struct mem_md_link *l)
{
	struct md_reading *r = w->r;
	if (l->relative && l->target.n == 0) {
		r->places = mem_grow(r->places, &r->places_cap, r->nplaces + 1, sizeof *r->places);
		r->places[r->nplaces++] = *l;
		return;
	}
	if (l->relative && l->attachment) {
		r->files = mem_grow(r->files, &r->files_cap, r->nfiles + 1, sizeof *r->files);
		r->files[r->nfiles++] = *l;
		return;
	}
	r->links = mem_grow(r->links, &r->links_cap, r->nlinks + 1, sizeof *r->links);
	r->links[r->nlinks] = *l;
	r->links[r->nlinks++].in_table = w->in_table;
}

/* Code, comments and maths: hidden, and their [[…]] counted. */
static size_t
pass_opaque(struct md_span_walk *w, size_t start, size_t end)
{
	md_hide(w, start, end);
	w->r->not_counted += md_wikilinks_count((struct mem_str){ w->text.p + start, end - start });
	return end;
}

/* ---- code -------------------------------------------------------------------- */

static size_t
count_ticks(const struct md_span_walk *w, size_t at)
{
	size_t n = 0;
	while (at + n < w->text.n && w->text.p[at + n] == '`')
		n++;
	return n;
}

/* The place behind the next run of exactly n backticks from `at` on; 0: there is none.  Each part of a leaf is looked
 * through once in vain. */
static size_t
find_ticks(struct md_span_walk *w, size_t at, size_t n)
{
	if (n > MD_TICKS_MAX || (w->ticks_read && w->ticks[n] < at))
		return 0;
	if (!w->ticks_begun)
		memset(w->ticks, 0, sizeof w->ticks);
	w->ticks_begun = true;
	for (const char *p; at < w->text.n && (p = memchr(w->text.p + at, '`', w->text.n - at)) != NULL;) {
		at = (size_t)(p - w->text.p);
		size_t k = count_ticks(w, at);
		if (k <= MD_TICKS_MAX && w->ticks[k] < at)
			w->ticks[k] = at;
		at += k;
		if (k == n)
			return at;
	}
	w->ticks_read = true;
	return 0;
}

static size_t
find_code_end(void *ctx, size_t at)
{
	struct md_span_walk *w = ctx;
	size_t n = count_ticks(w, at);
	return find_ticks(w, at + n, n);
}

static size_t
read_ticks(struct md_span_walk *w, size_t at)
{
	size_t n = count_ticks(w, at), end = find_ticks(w, at + n, n);
	return end > 0 ? pass_opaque(w, at, end) : at + n;
}

/* ---- comments and maths ---------------------------------------------------- */

/* The place behind the next pair of the character at `at`; 0: none follows. */
static size_t
find_mark_pair(struct md_span_walk *w, size_t at, bool *missing)
{
	const char *from = w->text.p + at + 2;
	const char *end = *missing || w->text.n - at < 4 ? NULL : memmem(from, w->text.n - at - 2, w->text.p + at, 2);
	*missing |= end == NULL;
	return end != NULL ? (size_t)(end - w->text.p) + 2 : 0;
}

static bool
is_span_word(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9');
}

static bool
is_span_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* "$x$": inside of both marks stands no space, outside no letter or digit, so that sums of money are none. */
static size_t
find_maths_end(struct md_span_walk *w, size_t at)
{
	const struct mem_str s = w->text;
	if (w->missing.maths || at + 2 >= s.n || is_span_space(s.p[at + 1]) || (at > 0 && is_span_word(s.p[at - 1])))
		return 0;
	for (size_t i = at + 2; i < s.n; i++)
		if (s.p[i] == '$' && s.p[i - 1] != '\\' && !is_span_space(s.p[i - 1]) && (i + 1 == s.n || !is_span_word(s.p[i + 1])))
			return i + 1;
	w->missing.maths = true;
	return 0;
}

static size_t
read_pair(struct md_span_walk *w, size_t at)
{
	char c = w->text.p[at];
	bool twice = at + 1 < w->text.n && w->text.p[at + 1] == c;
	size_t end = 0;
	if (twice)
		end = find_mark_pair(w, at, c == '%' ? &w->missing.percent : &w->missing.display);
	else if (c == '$')
		end = find_maths_end(w, at);
	return end > 0 ? pass_opaque(w, at, end) : at + 1 + twice;
}

/* ---- tags ------------------------------------------------------------------------ */

static bool
is_tag_char(uint32_t c)
{
	return mem_char_is_word(c) || c == '_' || c == '-' || c == '/' || c == 0x200d || c == 0xfe0f || (c >= 0x2190 && c < 0x2c00) ||
	    (c >= 0x1f000 && c < 0x1fb00);
}

static bool
is_space_before(struct mem_str s, size_t at)
{
	size_t start = at - 1;
	uint32_t c;
	while (start > 0 && ((unsigned char)s.p[start] & 0xc0) == 0x80)
		start--;
	return mem_utf8_decode(s.p + start, at - start, &c) == at - start && mem_char_is_space(c);
}

/* "*#a*", "__#a__", "~~#a~~", "==#a==": marks of emphasis, struck out and highlighted text. */
static bool
is_emphasis_before(struct mem_str s, size_t at)
{
	char c = s.p[at - 1];
	return c == '*' || c == '_' || (at > 1 && (c == '~' || c == '=') && s.p[at - 2] == c);
}

/* Where Obsidian's index has tags: at the beginning, behind white space, and right behind another element of the line that is no
 * text.  All other marks and letters before it make it plain text: "(#a)", "x#a". */
static bool
may_begin_tag(const struct md_span_walk *w, size_t at)
{
	return at == 0 || at == w->tag_from || is_space_before(w->text, at) || is_emphasis_before(w->text, at);
}

/* Behind the name of a tag whose '#' stands at `at`; of "_#a_" and "__#a__" the last marks are none of it. */
static size_t
find_span_tag_end(struct mem_str s, size_t at)
{
	size_t end = at + 1;
	for (uint32_t c; end < s.n;) {
		size_t n = mem_utf8_decode(s.p + end, s.n - end, &c);
		if (!is_tag_char(c))
			break;
		end += n;
	}
	for (size_t before = at; before > 0 && s.p[before - 1] == '_' && end > at + 1 && s.p[end - 1] == '_'; before--)
		end--;
	return end;
}

static bool
has_only_digits(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((p[i] < '0' || p[i] > '9') && p[i] != '/')
			return false;
	return true;
}

static size_t
read_span_tag(struct md_span_walk *w, size_t at)
{
	struct md_reading *r = w->r;
	if (!may_begin_tag(w, at))
		return at + 1;
	size_t stop = find_span_tag_end(w->text, at), end = stop;
	while (w->text.p[end - 1] == '/')
		end--;
	if (has_only_digits(w->text.p + at + 1, end - at - 1))
		return stop;
	struct mem_md_tag t = { .start = w->base + at, .end = w->base + end };
	t.name = (struct mem_str){ r->text.p + t.start + 1, end - at - 1 };
	r->tags = mem_grow(r->tags, &r->tags_cap, r->ntags + 1, sizeof t);
	r->tags[r->ntags++] = t;
	md_hide(w, at, stop);
	return w->tag_from = stop;
}

/* ---- links -------------------------------------------------------------------------- */

/* [[…]] at `at`, of which an embed's '!' stands before; 0: none. */
static size_t
read_wikilink(struct md_span_walk *w, size_t at, bool embed)
{
	struct md_wikilink found;
	struct mem_md_link l = { .form = embed ? MEM_MD_EMBED : MEM_MD_WIKILINK };
	if (!md_wikilink_scan(w->text, at, &found, find_code_end, w))
		return 0;
	found.end += w->base;
	found.name_end += w->base;
	found.stop += w->base;
	found.label_start += found.label_start > 0 ? w->base : 0;
	if (!md_wikilink_link(w->r->text, w->base + at, &found, &l))
		return 0;
	l.start -= embed;
	md_link_add(w, &l);
	md_hide(w, at - embed, found.end - w->base);
	if (!embed)
		w->ninactive = w->nbrackets;
	return found.end - w->base;
}

static size_t
read_open_bracket(struct md_span_walk *w, size_t at)
{
	bool image = w->text.p[at] == '!';
	size_t bracket = at + image, end = 0;
	if (bracket + 1 < w->text.n && w->text.p[bracket + 1] == '[')
		end = read_wikilink(w, bracket, image);
	if (end > 0)
		return end;
	md_bracket_open(w, at, image);
	return bracket + 1;
}

/* ---- addresses ------------------------------------------------------------------------ */

/* "https://…" in plain text is no prose. */
static size_t
read_colon(struct md_span_walk *w, size_t at)
{
	size_t start = at, end = at + 3;
	if (w->text.n - at < 4 || w->text.p[at + 1] != '/' || w->text.p[at + 2] != '/')
		return at + 1;
	while (start > 0 && at - start < 32 && (is_span_word(w->text.p[start - 1]) || strchr("+.-", w->text.p[start - 1]) != NULL))
		start--;
	while (end < w->text.n && !is_span_space(w->text.p[end]) && strchr("<>[]()`|\\\"", w->text.p[end]) == NULL)
		end++;
	while (strchr(".,;:!?'", w->text.p[end - 1]) != NULL)
		end--;
	if (start == at || end <= at + 3)
		return at + 1;
	md_hide(w, start, end);
	return end;
}

static size_t
read_angle(struct md_span_walk *w, size_t at)
{
	size_t n = md_angle_length((struct mem_str){ w->text.p + at, w->text.n - at }, &w->missing);
	bool comment = n >= 4 && memcmp(w->text.p + at, "<!--", 4) == 0;
	if (n == 0)
		return at + 1;
	if (comment)
		pass_opaque(w, at, at + n);
	else
		md_hide(w, at, at + n);
	return w->tag_from = at + n;
}

/* ---- a leaf ------------------------------------------------------------------------------ */

/* What begins something; all else is passed over. */
static const bool marks[256] = {
	['\\'] = true, ['`'] = true, ['['] = true, [']'] = true, ['!'] = true, ['<'] = true, ['%'] = true, ['$'] = true, ['#'] = true, [':'] = true,
};

static void
read_leaf_spans(struct md_span_walk *w)
{
	for (size_t i = 0; i < w->text.n;) {
		while (i < w->text.n && !marks[(unsigned char)w->text.p[i]])
			i++;
		if (i == w->text.n)
			break;
		switch (w->text.p[i]) {
		case '\\': i += 2; break; /* an escaped bracket makes no link of what follows it */
		case '`': i = read_ticks(w, i); break;
		case '[': i = read_open_bracket(w, i); break;
		case ']': i = md_bracket_close(w, i); break;
		case '<': i = read_angle(w, i); break;
		case '#': i = read_span_tag(w, i); break;
		case ':': i = read_colon(w, i); break;
		case '!': i = i + 1 < w->text.n && w->text.p[i + 1] == '[' ? read_open_bracket(w, i) : i + 1; break;
		default: i = read_pair(w, i);
		}
	}
}

/* ---- prose ----------------------------------------------------------------------------------- */

static void
add_range(struct md_span_walk *w, size_t start, size_t end)
{
	struct md_reading *r = w->r;
	while (start < end && is_span_space(w->text.p[start]))
		start++;
	while (end > start && is_span_space(w->text.p[end - 1]))
		end--;
	if (start == end)
		return;
	r->ranges = mem_grow(r->ranges, &r->ranges_cap, r->nranges + 1, sizeof *r->ranges);
	r->ranges[r->nranges++] = (struct mem_md_range){
		.start = w->base + start, .end = w->base + end, .in_table = w->in_table
	};
}

/* Line by line. */
static void
add_prose(struct md_span_walk *w, size_t start, size_t end)
{
	for (const char *nl; start < end && (nl = memchr(w->text.p + start, '\n', end - start)) != NULL;) {
		add_range(w, start, (size_t)(nl - w->text.p));
		start = (size_t)(nl - w->text.p) + 1;
	}
	add_range(w, start, end);
}

static void
add_leaf_prose(struct md_span_walk *w)
{
	size_t from = 0;
	for (size_t i = 0; i < w->nhidden; i++) {
		add_prose(w, from, w->hidden[i].start);
		from = w->hidden[i].end;
	}
	add_prose(w, from, w->text.n);
}

/* ---- all leaves -------------------------------------------------------------------------------- */

/* The leaf's text, with spaces for the marks that stand between its lines. */
static void
set_leaf_text(struct md_span_walk *w, const struct md_leaf *leaf, size_t next_gap)
{
	const struct md_reading *r = w->r;
	w->text = (struct mem_str){ r->text.p + leaf->start, leaf->end - leaf->start };
	w->base = leaf->start;
	w->in_table = leaf->in_table;
	if (leaf->first_gap == next_gap)
		return;
	mem_buf_reset(&w->unmarked);
	mem_buf_str(&w->unmarked, w->text);
	for (size_t i = leaf->first_gap; i < next_gap; i++) {
		const struct md_gap *g = &r->gaps[i];
		if (g->start >= leaf->start && g->end <= leaf->end)
			memset(w->unmarked.data + (g->start - leaf->start), ' ', g->end - g->start);
	}
	w->text = mem_buf_span(&w->unmarked);
}

void
md_spans_read(struct md_reading *r)
{
	struct md_span_walk w = { .r = r };
	for (size_t i = 0; i < r->nleaves; i++) {
		set_leaf_text(&w, &r->leaves[i], i + 1 < r->nleaves ? r->leaves[i + 1].first_gap : r->ngaps);
		w.nbrackets = w.ninactive = w.nhidden = w.tag_from = 0;
		w.ticks_begun = w.ticks_read = false;
		w.missing = (struct md_missing){ 0 };
		read_leaf_spans(&w);
		if (r->wants_prose)
			add_leaf_prose(&w);
	}
	free(w.brackets);
	free(w.hidden);
	mem_buf_release(&w.unmarked);
}
