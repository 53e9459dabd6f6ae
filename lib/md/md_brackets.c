/* SPDX-License-Identifier: Apache-2.0 */
/* Links whose text stands in square brackets (CommonMark 0.30, §6.3 and "Phase 2: inline structure"). */
#include "md/md_spans_int.h"

#include <string.h>

void
md_bracket_open(struct md_span_walk *w, size_t at, bool image)
{
	if (w->nbrackets > 0)
		w->brackets[w->nbrackets - 1].holds_bracket = true;
	w->brackets = mem_grow(w->brackets, &w->brackets_cap, w->nbrackets + 1, sizeof *w->brackets);
	w->brackets[w->nbrackets++] = (struct md_bracket){ .at = at, .image = image };
}

static size_t
skip_span_space(struct mem_str s, size_t i)
{
	while (i < s.n && strchr(" \t\r\n", s.p[i]) != NULL)
		i++;
	return i;
}

/* "(target "title")" at `at`; returns the place behind it, 0: it is none. */
static size_t
scan_inline_target(struct mem_str s, size_t at, struct md_target *out)
{
	size_t i = skip_span_space(s, at + 1), behind;
	if (i < s.n && s.p[i] == ')') {
		*out = (struct md_target){ i, i, false };
		return i + 1;
	}
	i = md_target_scan(s, i, out);
	if (i == 0)
		return 0;
	behind = skip_span_space(s, i);
	if (behind > i && (i = md_title_scan(s, behind)) > 0)
		behind = skip_span_space(s, i);
	return behind < s.n && s.p[behind] == ')' ? behind + 1 : 0;
}

/* The definition that "[text][label]", "[text][]" or "[text]" names, and the place behind it. */
static const struct md_definition *
find_reference(const struct md_span_walk *w, const struct md_bracket *b, size_t at, size_t *end)
{
	size_t from = b->at + b->image + 1;
	struct mem_str label;
	*end = at + 1;
	if (w->r->ndefinitions == 0)
		return NULL;
	if (at + 1 < w->text.n && w->text.p[at + 1] == '[') {
		size_t behind = md_label_scan(w->text, at + 1, &label);
		if (behind > 0)
			*end = behind;
		if (behind > 0 && label.n > 0)
			return md_definition_find(w->r, label);
	}
	return b->holds_bracket ? NULL : md_definition_find(w->r, (struct mem_str){ w->text.p + from, at - from });
}

static void
add_text_link(struct md_span_walk *w, struct mem_md_link *l, const struct md_bracket *b, size_t at, size_t end)
{
	size_t from = w->base + b->at + b->image + 1;
	l->start = w->base + b->at;
	l->end = w->base + end;
	l->label = (struct mem_str){ w->r->text.p + from, w->base + at - from };
	md_link_add(w, l);
}

size_t
md_bracket_close(struct md_span_walk *w, size_t at)
{
	struct md_target target;
	if (w->nbrackets == 0)
		return at + 1;
	struct md_bracket b = w->brackets[--w->nbrackets];
	bool active = b.image || w->nbrackets >= w->ninactive;
	if (w->ninactive > w->nbrackets)
		w->ninactive = w->nbrackets;
	if (!active)
		return at + 1;
	size_t end = at + 1 < w->text.n && w->text.p[at + 1] == '(' ? scan_inline_target(w->text, at + 1, &target) : 0;
	const struct md_definition *d = NULL;
	struct mem_md_link l = { .form = MEM_MD_INLINE };
	if (end > 0) {
		target.start += w->base;
		target.end += w->base;
		if (md_target_link(w->r->arena, w->r->text, &target, &l))
			add_text_link(w, &l, &b, at, end);
	} else if ((d = find_reference(w, &b, at, &end)) != NULL) {
		l = d->link;
		if (d->page || d->here)
			add_text_link(w, &l, &b, at, end);
	} else
		return at + 1;
	md_hide(w, b.at, end);
	if (!b.image)
		w->ninactive = w->nbrackets;
	return end;
}
