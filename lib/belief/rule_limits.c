/* SPDX-License-Identifier: Apache-2.0 */
/* What the objects of a predicate are in the texts of a language: "works at night" names no organisation. */
#include "belief/belief_int.h"
#include "conf/conf.h"

#define LIMIT_STEPS ((uint64_t)16384) /* of one object, which has 80 bytes at most */

enum { LIMIT_IS, LIMIT_IS_NOT, LIMIT_IN, LIMIT_NOT_IN, LIMIT_FIELDS };
#define VOCABULARY_MAX_BYTES 64
const struct mem_rule_field belief_limit_fields[] = {
	[LIMIT_IS] = { .name = "is", .type = MEM_RULE_TEXT, .max = MEM_PATTERN_MAX },
	[LIMIT_IS_NOT] = { .name = "is_not", .type = MEM_RULE_TEXT, .max = MEM_PATTERN_MAX },
	[LIMIT_IN] = { .name = "in", .type = MEM_RULE_LIST, .max = VOCABULARY_MAX_BYTES, .expected = "a vocabulary" },
	[LIMIT_NOT_IN] = { .name = "not_in", .type = MEM_RULE_LIST, .max = VOCABULARY_MAX_BYTES, .expected = "a vocabulary" },
};
const size_t belief_limit_nfields = LIMIT_FIELDS;

static enum mem_status
compile_limit(struct belief_limit *l, struct mem_err *err)
{
	struct mem_err why;
	const struct {
		struct mem_str source;
		struct mem_pattern **pattern;
	} both[] = { { l->is, &l->is_pattern }, { l->is_not, &l->is_not_pattern } };
	for (size_t i = 0; i < MEM_COUNT(both); i++)
		if (both[i].source.n > 0 && mem_pattern_new(both[i].pattern, both[i].source, 0, &why) != MEM_OK)
			return mem_rule_refuse(err, l->file->name.p, l->line, l->predicate, "%s", why.msg);
	return MEM_OK;
}

enum mem_status
belief_limit_read(struct mem_belief_rules *r, const struct mem_rule *item, const struct belief_file *file, struct mem_err *err)
{
	const struct mem_rule_value *v = item->values;
	struct belief_limit one = { .predicate = item->name, .file = file, .line = item->line, .is = v[LIMIT_IS].text, .is_not = v[LIMIT_IS_NOT].text };
	if (one.is.n + one.is_not.n + v[LIMIT_IN].n + v[LIMIT_NOT_IN].n == 0)
		return mem_rule_refuse(err, file->name.p, item->line, item->name, "none of is, is_not, in, not_in");
	enum mem_status st = belief_vocabularies_find(r, item, &v[LIMIT_IN], file, &one.in, err);
	if (st == MEM_OK)
		st = belief_vocabularies_find(r, item, &v[LIMIT_NOT_IN], file, &one.not_in, err);
	/* As with rules, a built-in one is compiled when it is first asked. */
	if (st == MEM_OK && !file->builtin)
		st = compile_limit(&one, err);
	if (st != MEM_OK) {
		belief_limit_release(&one);
		return st;
	}
	r->limits = mem_grow(r->limits, &r->limits_cap, r->nlimits + 1, sizeof *r->limits);
	r->limits[r->nlimits++] = one;
	return MEM_OK;
}

/* The last one that was read counts, so that a user's file may say it anew. */
struct belief_limit *
belief_limit_of(const struct mem_belief_rules *r, const struct belief_rule *rule)
{
	for (size_t i = r->nlimits; i > 0; i--) {
		struct belief_limit *l = &r->limits[i - 1];
		if (mem_str_eq(l->predicate, rule->predicate_name) && mem_str_eq(l->file->language, rule->file->language))
			return l;
	}
	return NULL;
}

bool
belief_limit_allows(const struct mem_belief_rules *r, struct belief_limit *l, struct mem_matcher *m, struct mem_str object)
{
	struct mem_match found;
	struct mem_err err;
	if (!l->broken && l->is_pattern == NULL && l->is_not_pattern == NULL && compile_limit(l, &err) != MEM_OK) {
		l->broken = true;
		belief_warn(r, err.msg);
	}
	mem_matcher_budget(m, LIMIT_STEPS);
	bool is = l->is_pattern != NULL && mem_pattern_find(m, l->is_pattern, object, 0, object.n, &found, &err) == MEM_OK;
	if (!is && (l->is.n > 0 || l->in.n > 0) && !belief_vocabularies_have(&l->in, object))
		return false;
	if (belief_vocabularies_have(&l->not_in, object))
		return false;
	return l->is_not_pattern == NULL || mem_pattern_find(m, l->is_not_pattern, object, 0, object.n, &found, &err) == MEM_NOTFOUND;
}

void
belief_limit_release(struct belief_limit *l)
{
	mem_pattern_free(l->is_pattern);
	mem_pattern_free(l->is_not_pattern);
}
