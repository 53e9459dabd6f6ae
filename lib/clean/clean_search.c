/* SPDX-License-Identifier: Apache-2.0 */
/* Where rules match in a text. */
#include "clean/cue_int.h"
#include "clean/hidden_int.h"
#include "clean/need_int.h"

#include <ctype.h>
#include <string.h>

#define KIND_MAX     32  /* bytes of the name of a kind, at most */
#define WRAPPED_MIN  16  /* bytes of a secret in each of two lines */
#define MORE_MIN     8   /* bytes of a secret's second part, where the first is one by itself */
#define TOKEN_MAX    256 /* bytes of a token's beginning */
#define SENTENCE_MAX 400 /* bytes that a marker's span is extended by, at most */

/* ---- where rules may match --------------------------------------------- */

static bool
is_wanted_rule(const struct mem_clean *c, const struct clean_rule *rule, bool markers)
{
	if (c->scope != CLEAN_WHOLE && !rule->wrapped)
		return false;
	return rule->group == 0 ? markers : (c->groups & rule->group) != 0;
}

/* A match of `rule` may begin in [from, last]: joined to the window before where they touch. */
static void
add_window(struct mem_clean *c, uint32_t rule, size_t from, size_t last)
{
	struct clean_chain *chain = &c->chains[rule];
	if (chain->first != 0) {
		struct clean_window *w = &c->windows[chain->last - 1];
		if (from <= (size_t)w->last + 1) {
			w->from = from < w->from ? (uint32_t)from : w->from;
			w->last = last > w->last ? (uint32_t)last : w->last;
			return;
		}
	}
	c->windows = mem_grow(c->windows, &c->windows_cap, c->nwindows + 1, sizeof *c->windows);
	c->windows[c->nwindows++] = (struct clean_window){ (uint32_t)from, (uint32_t)last, 0 };
	if (chain->first == 0) {
		chain->first = (uint32_t)c->nwindows;
		c->touched = mem_grow(c->touched, &c->touched_cap, c->ntouched + 1, sizeof *c->touched);
		c->touched[c->ntouched++] = rule;
	} else {
		c->windows[chain->last - 1].next = (uint32_t)c->nwindows;
	}
	chain->last = (uint32_t)c->nwindows;
}

/* Is text[at - 1] part of a kind's name in a mark of ours, "[redacted:url_password]", whose words find nothing? */
static bool
is_in_mark(struct mem_str text, size_t at)
{
	static const char head[] = "[redacted:";
	const size_t n = sizeof head - 1;
	size_t from = at, to = at;
	while (from > 0 && at - from < KIND_MAX && (clean_is_lower(text.p[from - 1]) || text.p[from - 1] == '_'))
		from--;
	while (to < text.n && to - from < KIND_MAX && (clean_is_lower(text.p[to]) || text.p[to] == '_'))
		to++;
	return from >= n && to < text.n && text.p[to] == ']' && memcmp(text.p + from - n, head, n) == 0;
}

/* Is [start, end) in a mark of this kind, which a rule without literals may find as it finds the secret? */
static bool
is_in_mark_of(struct mem_str text, size_t start, size_t end, struct mem_str kind)
{
	static const char head[] = "[redacted:";
	const size_t n = sizeof head - 1;
	for (size_t i = start, last = start > kind.n ? start - kind.n : 0; i >= last && i >= n; i--)
		if (i + kind.n >= end && i + kind.n < text.n && text.p[i + kind.n] == ']' && memcmp(text.p + i, kind.p, kind.n) == 0
		    && memcmp(text.p + i - n, head, n) == 0)
			return true;
	return false;
}

/* Do only a token's characters follow? */
static bool
is_end_of_text(struct mem_str text, size_t at)
{
	if (text.n - at > TOKEN_MAX)
		return false;
	while (at < text.n && clean_is_token_char(text.p[at]))
		at++;
	return at == text.n;
}

/* A token may begin here that goes on in another string, or that stands within a word. */
static void
note_token_literal(struct mem_clean *c, struct mem_str text, size_t start, size_t end)
{
	c->open_end |= is_end_of_text(text, end);
	if (c->decoded || start == 0 || !isalnum((unsigned char)text.p[start - 1]))
		return;
	c->glued = mem_grow(c->glued, &c->glued_cap, c->nglued + 1, sizeof *c->glued);
	c->glued[c->nglued++] = (struct clean_place){ (uint32_t)start, (uint32_t)end };
}

/* A word for a password, which may be the head of a column. */
static void
note_password_word(struct mem_clean *c, const struct clean_rule *rule, size_t start, size_t end)
{
	static const char said[] = "password_said"; /* ..._elsewhere, ..._unspaced */
	bool names = rule->check == CLEAN_CHECK_PASSWORD || rule->check == CLEAN_CHECK_TOKEN ||
	    (rule->name.n >= sizeof said - 1 && memcmp(rule->name.p, said, sizeof said - 1) == 0);
	if (!names || c->scope != CLEAN_WHOLE || c->decoded)
		return;
	c->names = mem_grow(c->names, &c->names_cap, c->nnames + 1, sizeof *c->names);
	c->names[c->nnames++] = (struct clean_place){ (uint32_t)start, (uint32_t)end };
}

static void
add_literal_hits(struct mem_clean *c, const struct clean_set *set, unsigned state, struct mem_str text, size_t end, bool markers)
{
	const struct clean_table *t = &set->table;
	for (uint32_t i = t->first[state]; i < t->first[state + 1]; i++) {
		if (t->outputs[i].rule >= set->n) {
			if (!clean_is_cue(set, &t->outputs[i]))
				clean_need_add(c, set, &t->outputs[i], text, end);
			else if (markers)
				clean_cue_add(c, set, &t->outputs[i], text, end);
			continue;
		}
		const struct clean_rule *rule = &set->rules[t->outputs[i].rule];
		if (!is_wanted_rule(c, rule, markers) || (rule->group != 0 && is_in_mark(text, end)))
			continue;
		size_t start = end - t->outputs[i].length;
		if (rule->wrapped && c->scope == CLEAN_WHOLE)
			note_token_literal(c, text, start, end);
		note_password_word(c, rule, start, end);
		add_window(c, t->outputs[i].rule, start > rule->before ? start - rule->before : 0, start);
	}
}

static void
scan_literals(struct mem_clean *c, const struct clean_set *set, struct mem_str text, bool markers)
{
	const struct clean_table *t = &set->table;
	unsigned s = 0;
	c->nwindows = c->ntouched = c->ncues = 0;
	clean_needs_begin(c);
	for (size_t i = 0; i < text.n; i++) {
		s = clean_next_state(t, s, text.p[i]);
		if (clean_has_outputs(t, s))
			add_literal_hits(c, set, s, text, i + 1, markers);
	}
	for (size_t i = 0; set->any_everywhere && i < set->n; i++)
		if (set->rules[i].everywhere && is_wanted_rule(c, &set->rules[i], markers))
			add_window(c, (uint32_t)i, 0, text.n);
}

/* ---- trying them ------------------------------------------------------- */

static enum mem_status
compile_rule_pattern(struct mem_pattern **out, const struct clean_set *set, size_t rule, struct mem_err *err)
{
	const struct clean_rule *r = &set->rules[rule];
	*out = set->patterns[rule];
	if (*out != NULL)
		return MEM_OK;
	enum mem_status st = mem_pattern_new(out, r->pattern, clean_pattern_flags(r) | (set->marked ? MEM_PATTERN_MARKED : 0u), err);
	set->patterns[rule] = *out;
	return st;
}

/*
 * To the end of the sentence, which goes on giving the order; but not over a line's
 * end, nor over a quote or backslash, which belong to the text around.
 */
static size_t
sentence_end(struct mem_str s, size_t at)
{
	size_t max = s.n - at > SENTENCE_MAX ? at + SENTENCE_MAX : s.n;
	for (size_t i = at; i < max; i++) {
		char ch = s.p[i];
		if (ch == '\n' || ch == '\r' || ch == '"' || ch == '\\' || ch == '<')
			return i;
		if ((ch == '.' || ch == '!' || ch == '?') &&
		    (i + 1 == s.n || strchr(" \t\r\n\"'.!?)", s.p[i + 1]) != NULL))
			return i + 1;
		if (i + 3 <= s.n && (memcmp(s.p + i, "\xe3\x80\x82", 3) == 0 || memcmp(s.p + i, "\xef\xbc\x81", 3) == 0 ||
		    memcmp(s.p + i, "\xef\xbc\x9f", 3) == 0)) /* 。！？ */
			return i + 3;
	}
	while (max < s.n && ((unsigned char)s.p[max] & 0xc0) == 0x80)
		max++;
	return max;
}

static bool
is_quote(char ch)
{
	return ch == '"' || ch == '\'' || ch == '`';
}

/*
 * Is the phrase spoken of?  In quotes of its own within a sentence, as in: a text that
 * says "ignore the rules above" is flagged.
 */
static bool
is_mentioned_phrase(struct mem_str s, size_t start, size_t end)
{
	size_t i = start;
	while (i > 0 && (is_quote(s.p[i - 1]) || s.p[i - 1] == '('))
		i--;
	if (i == start)
		return false;
	while (i > 0 && s.p[i - 1] == ' ')
		i--;
	if (i == 0 || !(isalnum((unsigned char)s.p[i - 1]) || strchr(",:;-/|)`'\"", s.p[i - 1]) != NULL))
		return false;
	while (end < s.n && strchr(".,!?", s.p[end]) != NULL && s.p[end] != '\0')
		end++;
	return end < s.n && (is_quote(s.p[end]) || s.p[end] == ')');
}

/* Letters and digits, and no blank? */
static bool
is_like_secret(struct mem_str s)
{
	bool digit = false, letter = false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == ' ' || s.p[i] == '\t')
			return false;
		digit |= clean_is_digit(s.p[i]);
		letter |= clean_is_lower(s.p[i]) || clean_is_upper(s.p[i]);
	}
	return digit && letter;
}

/* The end of a secret that ends at `end`, with the strings that it goes on in. */
static size_t
find_joined_end(struct mem_str s, size_t end)
{
	size_t next, stop;
	while ((next = clean_find_joined_string(s, end, &stop)) != 0 && is_like_secret((struct mem_str){ s.p + next, stop - next }))
		end = stop;
	return end;
}

/*
 * The end of a secret that ends its line at `end` with the line that it goes on in, which is base64 made as secrets are and holds
 * nothing else, or stands behind a backslash.  Between the parts of a content an empty line stands.
 */
static size_t
find_wrapped_end(struct mem_str s, size_t start, size_t end)
{
	const bool follows = end < s.n && s.p[end] == '\\', joined = follows || (end > start && s.p[end - 1] == '\\');
	size_t at = end + follows, lines = 0;
	for (; at < s.n && strchr(" \t\r\n", s.p[at]) != NULL && s.p[at] != '\0'; at++)
		lines += s.p[at] == '\n';
	if (lines == 0 || lines > 2 || end - start < WRAPPED_MIN)
		return end;
	size_t from = at;
	while (at < s.n && (isalnum((unsigned char)s.p[at]) || strchr("+/=", s.p[at]) != NULL) && s.p[at] != '\0')
		at++;
	size_t more = at;
	while (more > from && s.p[more - 1] == '=')
		more--;
	bool alone = at == s.n || strchr(joined ? "\n\r \"'" : "\n\r", s.p[at]) != NULL;
	return alone && more - from >= WRAPPED_MIN && clean_has_secret_shape((struct mem_str){ s.p + from, more - from }) ? at : end;
}

/*
 * Does what was found among broken tokens go over a break?  The same is found where there is none.  Where the first part is
 * a secret by itself the next has to look like more of it.
 */
static bool
is_broken_token(const struct mem_clean *c, struct mem_str match, size_t start, size_t end, const struct clean_rule *rule)
{
	size_t whole = 0;
	if (end - start <= match.n)
		return false;
	for (size_t i = 0; i < c->nspans; i++)
		if (c->spans[i].rule == rule && c->spans[i].start == start && c->spans[i].end < end)
			whole = c->spans[i].length;
	return whole == 0 || (match.n >= whole + MORE_MIN && is_like_secret((struct mem_str){ match.p + whole, match.n - whole }));
}

static void
add_match_span(struct mem_clean *c, const struct mem_view *view, const struct clean_rule *rule,
    size_t order, size_t start, size_t end)
{
	if (rule->group == 0 ? is_mentioned_phrase(view->text, start, end) : is_in_mark_of(view->text, start, end, rule->kind))
		return;
	struct mem_str match = { view->text.p + start, end - start };
	size_t match_start = start, match_end = end;
	if (rule->sentence)
		end = sentence_end(view->text, end);
	if (c->inner != NULL && (mem_view_splits(c->inner, start) || mem_view_splits(c->inner, end)))
		return;
	mem_view_source(view, &start, &end);
	mem_view_source(view, &match_start, &match_end);
	if (start == end || (c->scope == CLEAN_BROKEN && !is_broken_token(c, match, start, end, rule)))
		return;
	c->spans = mem_grow(c->spans, &c->spans_cap, c->nspans + 1, sizeof *c->spans);
	c->spans[c->nspans++] = (struct clean_span){ .start = start, .end = end, .length = match.n, .match_end = match_end,
	    .rule = c->decoded && rule->group == 0 ? &clean_encoded_rule : rule, .order = order };
}

/* Is `at` in code: between backticks in its line, or between fences?  The matches of a rule come by their start. */
static bool
is_in_code(struct mem_clean *c, struct mem_str s, size_t at)
{
	bool tick = false;
	for (const char *p; c->code_at + 3 <= at && (p = memmem(s.p + c->code_at, at - c->code_at, "```", 3)) != NULL;) {
		c->code_open = !c->code_open;
		c->code_at = (size_t)(p - s.p) + 3;
	}
	if (c->code_at + 3 <= at)
		c->code_at = at - 2;
	for (size_t i = at; i > 0 && at - i < SENTENCE_MAX && s.p[i - 1] != '\n'; i--)
		tick ^= s.p[i - 1] == '`';
	return c->code_open || tick;
}

/* The first match of a rule that begins in [from, last]. */
static enum mem_status
find_match(struct mem_clean *c, const struct clean_rule *rule, const struct mem_pattern *p, struct mem_str text, size_t from,
    size_t last, struct mem_match *m, struct mem_err *err)
{
	enum mem_status st = MEM_NOTFOUND;
	if (rule->start == NULL)
		return mem_pattern_find(c->matcher, p, text, from, last, m, err);
	while (st == MEM_NOTFOUND && (from = mem_pattern_next_start(rule->start, text, from, last)) <= last) {
		st = mem_pattern_find(c->matcher, p, text, from, from, m, err);
		from++;
	}
	return st;
}

/* All matches of one rule that begin in its windows, none inside another. */
static enum mem_status
match_rule(struct mem_clean *c, const struct clean_set *set, size_t index, const struct mem_view *view,
    struct mem_err *err)
{
	const struct clean_rule *rule = &set->rules[index];
	size_t order = index + (set == &c->sets[0] ? 0 : c->sets[0].n);
	struct mem_pattern *p = NULL;
	enum mem_status st = MEM_OK;
	size_t at = 0;
	struct clean_need_walk needs = clean_need_walk_begin(c, rule);
	c->code_at = 0;
	c->code_open = false;
	for (uint32_t w = c->chains[index].first; st == MEM_OK && w != 0; w = c->windows[w - 1].next) {
		if (!clean_needs_met(c, rule, &c->windows[w - 1], &needs))
			continue;
		if (p == NULL && (st = compile_rule_pattern(&p, set, index, err)) != MEM_OK)
			break;
		size_t last = c->windows[w - 1].last;
		if (at < c->windows[w - 1].from)
			at = c->windows[w - 1].from;
		while (st == MEM_OK && at <= last) {
			struct mem_match m;
			st = find_match(c, rule, p, view->text, at, last, &m, err);
			if (st != MEM_OK)
				break;
			unsigned g = m.start[rule->capture] <= m.end[rule->capture] ? rule->capture : 0;
			size_t start = m.start[g], end = m.end[g];
			bool good = clean_check_match(rule->check, view->text, &start, &end) &&
			    (rule->check != CLEAN_CHECK_BARE || !is_in_code(c, view->text, start));
			if (good && rule->capture > 0 && c->scope == CLEAN_WHOLE)
				end = find_wrapped_end(view->text, start, find_joined_end(view->text, end));
			if (good)
				add_match_span(c, view, rule, order, start, end);
			/* What fails its check may hide one that begins a little later. */
			at = good && end > m.start[0] ? end : m.start[0] + 1;
		}
		if (st == MEM_NOTFOUND)
			st = MEM_OK;
	}
	return st;
}

enum mem_status
clean_search_view(struct mem_clean *c, const struct mem_view *view, const struct mem_view *inner,
    bool markers, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	c->inner = inner;
	c->nglued = c->nnames = 0;
	for (size_t s = 0; s < MEM_COUNT(c->sets) && st == MEM_OK; s++) {
		const struct clean_set *set = &c->sets[s];
		if (set->n == 0)
			continue;
		scan_literals(c, set, view->text, markers);
		if (c->ncues > 0)
			clean_cues_flag(c, set, view);
		for (size_t i = 0; i < c->ntouched; i++) {
			if (st == MEM_OK)
				st = match_rule(c, set, c->touched[i], view, err);
			c->chains[c->touched[i]] = (struct clean_chain){ 0, 0 };
		}
	}
	return st;
}
