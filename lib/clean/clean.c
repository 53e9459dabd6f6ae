/* SPDX-License-Identifier: Apache-2.0 */
/* A sanitiser: its rules, built in and the user's own. */
#include "clean/known_int.h"
#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>

#define RESIDUE_MIN 24 /* letters and digits: fewer that are left are no memory */

struct mem_clean *
mem_clean_new(unsigned groups, enum mem_marker_mode mode)
{
	struct mem_clean *c = mem_xcalloc(1, sizeof *c);
	c->groups = groups;
	c->mode = mode;
	c->matcher = mem_matcher_new();
	c->sets[0] = clean_builtin;
	c->sets[0].patterns = mem_xcalloc(clean_builtin.n, sizeof(struct mem_pattern *));
	c->chains = mem_grow(NULL, &c->chains_cap, c->sets[0].n, sizeof *c->chains);
	memset(c->chains, 0, c->chains_cap * sizeof *c->chains);
	return c;
}

static void
free_rule_patterns(struct clean_set *s)
{
	for (size_t i = 0; i < s->n && s->patterns != NULL; i++)
		mem_pattern_free(s->patterns[i]);
	free(s->patterns);
	s->patterns = NULL;
}

void
mem_clean_free(struct mem_clean *c)
{
	if (c == NULL)
		return;
	free_rule_patterns(&c->sets[0]);
	free_rule_patterns(&c->sets[1]);
	mem_arena_release(&c->arena);
	mem_matcher_free(c->matcher);
	free(c->user);
	free(c->windows);
	free(c->chains);
	free(c->touched);
	free(c->spans);
	free(c->cues);
	free(c->glued);
	free(c->names);
	free(c->need_hits);
	clean_known_forget(c);
	free(c);
}

/* A user's rules are compiled at once: a bad one must be known before text is let through. */
static enum mem_status
compile_user_rules(struct clean_set *s, const char *file, struct mem_err *err)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct clean_rule *r = &s->rules[i];
		struct mem_err why;
		if (s->patterns[i] == NULL && mem_pattern_new(&s->patterns[i], r->pattern, clean_pattern_flags(r), &why) != MEM_OK)
			return mem_rule_refuse(err, file, r->line, r->name, "%s", why.msg);
	}
	return MEM_OK;
}

enum mem_status
mem_clean_add(struct mem_clean *c, struct mem_str yaml, const char *name, struct mem_err *err)
{
	struct clean_rule *more;
	struct clean_set *s = &c->sets[1], next = { 0 };
	size_t n;
	enum mem_status st = clean_rules_read(&more, &n, &c->arena, yaml, name, err);
	if (st != MEM_OK || n == 0)
		return st;
	c->user = mem_grow(c->user, &c->user_cap, c->nuser + n, sizeof *c->user);
	memcpy(c->user + c->nuser, more, n * sizeof *more);
	next.rules = c->user;
	next.n = c->nuser + n;
	for (size_t i = 0; i < next.n; i++)
		next.any_everywhere |= next.rules[i].everywhere;
	next.patterns = mem_xcalloc(next.n, sizeof(struct mem_pattern *));
	if (s->n > 0)
		memcpy(next.patterns, s->patterns, s->n * sizeof(struct mem_pattern *));
	struct mem_err why;
	st = clean_table_build(&next.table, &c->arena, next.rules, next.n, &why);
	if (st != MEM_OK)
		mem_err_set(err, st, "%s: %s", name, why.msg);
	else
		st = compile_user_rules(&next, name, err);
	if (st != MEM_OK) {
		for (size_t i = s->n; i < next.n; i++)
			mem_pattern_free(next.patterns[i]);
		free(next.patterns);
		s->rules = c->user; /* it may have moved */
		return st;
	}
	free(s->patterns);
	clean_known_forget(c);
	*s = next;
	c->nuser = next.n;
	size_t cap = c->chains_cap;
	c->chains = mem_grow(c->chains, &c->chains_cap, next.n, sizeof *c->chains);
	memset(c->chains + cap, 0, (c->chains_cap - cap) * sizeof *c->chains);
	return MEM_OK;
}

enum mem_status
mem_clean_load(struct mem_clean *c, int dirfd, const char *path, struct mem_err *err)
{
	struct mem_buf text = { 0 };
	enum mem_status st = mem_file_read(dirfd, path, (size_t)1 << 20, &text, err);
	if (st == MEM_OK)
		st = mem_clean_add(c, mem_buf_span(&text), path, err);
	mem_buf_release(&text);
	return st;
}

/* ---- residue ----------------------------------------------------------- */

/* Letters and digits, but those of cuts' marks; outside ASCII all but the blocks of spaces, punctuation and symbols. */
static size_t
count_letters_and_digits(struct mem_str s)
{
	const size_t mark = strlen(MEM_CLEAN_CUT);
	size_t n = 0;
	for (size_t i = 0; i < s.n;) {
		uint32_t c;
		if (s.n - i >= mark && memcmp(s.p + i, MEM_CLEAN_CUT, mark) == 0) {
			i += mark;
			continue;
		}
		i += mem_utf8_decode(s.p + i, s.n - i, &c);
		if (c < 0x80)
			n += (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
		else
			n += c >= 0xaa && !(c >= 0x2000 && c < 0x2c00) && !(c >= 0x3000 && c < 0x3040) &&
			    !(c >= 0xfe00 && c < 0xfe70) && c != 0xab && c != 0xbb && c != 0xd7 && c != 0xf7 &&
			    !(c >= 0xff00 && c < 0xff10) && c < 0xe0000;
	}
	return n;
}

bool
mem_clean_residue(struct mem_str before, struct mem_str after)
{
	size_t left = count_letters_and_digits(after);
	return left == 0 || (left < RESIDUE_MIN && 2 * left < count_letters_and_digits(before));
}
