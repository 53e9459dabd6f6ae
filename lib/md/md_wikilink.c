/* SPDX-License-Identifier: Apache-2.0 */
/* Links in double brackets: [[target#heading|label]]. */
#include "md/md_int.h"

#include <string.h>
#include <strings.h>

/* ---- their form ---------------------------------------------------------- */

/*
 * Within the brackets stands no line end; in the name no bracket, in the label single ones in pairs, or escaped by a backslash.
 */
bool
md_wikilink_scan(struct mem_str text, size_t at, struct md_wikilink *out, md_code_end_fn *code_end, void *ctx)
{
	size_t i = at + 2, depth = 0, code;
	*out = (struct md_wikilink){ 0 };
	if (text.n - at < 5 || text.p[at] != '[' || text.p[at + 1] != '[')
		return false;
	for (; i < text.n && text.p[i] != '\n'; i++) {
		switch (text.p[i]) {
		case '\\':
			if (i + 1 < text.n && strchr("[]\\", text.p[i + 1]) != NULL) {
				if (out->label_start == 0 && text.p[i + 1] != '\\')
					return false;
				i++;
			}
			break;
		case '|':
			if (out->label_start == 0) {
				out->label_start = i + 1;
				out->name_end = text.p[i - 1] == '\\' ? i - 1 : i;
			}
			break;
		case '[':
			if (out->label_start == 0 || (i + 1 < text.n && text.p[i + 1] == '['))
				return false;
			depth++;
			break;
		case ']':
			if (depth > 0) {
				depth--;
				break;
			}
			out->stop = i;
			out->end = i + 2;
			if (out->label_start == 0)
				out->name_end = i;
			return i + 1 < text.n && text.p[i + 1] == ']';
		case '`':
			if (code_end != NULL && (code = code_end(ctx, i)) > 0)
				i = code - 1;
		}
	}
	return false;
}

/* ---- what they say --------------------------------------------------------- */

static struct mem_str
trim_name(struct mem_str text, size_t start, size_t end)
{
	while (start < end && (text.p[start] == ' ' || text.p[start] == '\t'))
		start++;
	while (end > start && (text.p[end - 1] == ' ' || text.p[end - 1] == '\t'))
		end--;
	return (struct mem_str){ text.p + start, end - start };
}

static bool
ends_in_extension(struct mem_str s)
{
	size_t n = 0, letters = 0;
	bool alnum = true;
	for (; n < s.n && s.p[s.n - n - 1] != '.'; n++) {
		char c = s.p[s.n - n - 1];
		bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
		letters += letter;
		alnum = alnum && n < 8 && (letter || (c >= '0' && c <= '9'));
		if (!alnum)
			return false;
	}
	return n >= 2 && n + 1 < s.n && letters > 0;
}

void
md_link_classify(struct mem_md_link *l)
{
	l->attachment = ends_in_extension(l->target) && !md_names_page(l->target);
}

bool
md_names_page(struct mem_str path)
{
	static const struct mem_str ends[] = { MEM_STR_INIT(".md"), MEM_STR_INIT(".markdown") };
	for (size_t i = 0; i < MEM_COUNT(ends); i++)
		if (path.n > ends[i].n && strncasecmp(path.p + path.n - ends[i].n, ends[i].p, ends[i].n) == 0)
			return true;
	return false;
}

/* "#heading", "#^block". */
void
md_link_set_fragment(struct mem_md_link *l, struct mem_str fragment)
{
	if (fragment.n > 0 && fragment.p[0] == '^')
		l->block = (struct mem_str){ fragment.p + 1, fragment.n - 1 };
	else
		l->heading = fragment;
}

bool
md_wikilink_link(struct mem_str text, size_t at, const struct md_wikilink *w, struct mem_md_link *out)
{
	size_t from = at + 2, name_end = w->name_end;
	const char *hash = memchr(text.p + from, '#', name_end - from);
	if (hash != NULL) {
		name_end = (size_t)(hash - text.p);
		md_link_set_fragment(out, trim_name(text, name_end + 1, w->name_end));
	}
	out->target = trim_name(text, from, name_end);
	out->target_start = (size_t)(out->target.p - text.p);
	out->target_end = out->target_start + out->target.n;
	if (w->label_start > 0)
		out->label = trim_name(text, w->label_start, w->stop);
	out->start = at;
	out->end = w->end;
	md_link_classify(out);
	return out->target.n + out->heading.n + out->block.n > 0;
}

/* ---- those that are none ----------------------------------------------------- */

size_t
md_wikilinks_count(struct mem_str s)
{
	size_t n = 0;
	const char *p = s.p, *end = s.p + s.n;
	while (p < end && (p = memmem(p, (size_t)(end - p), "[[", 2)) != NULL) {
		struct md_wikilink w;
		struct mem_md_link l = { 0 };
		size_t at = (size_t)(p - s.p);
		bool found = md_wikilink_scan(s, at, &w, NULL, NULL) && md_wikilink_link(s, at, &w, &l);
		n += found;
		p = found ? s.p + w.end : p + 1;
	}
	return n;
}
