/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings as they stand in a file of rules. */
#include "belief/structured_int.h"

#include <string.h>

enum { MAP_FORMS, MAP_HAS, MAP_SUBJECT, MAP_OBJECT, MAP_PREDICATE, MAP_SUBJECT_TYPE, MAP_OBJECT_TYPE, MAP_TYPE, MAP_LIST };

const struct mem_rule_field belief_mapping_fields[] = {
	[MAP_FORMS] = { "forms", MEM_RULE_LIST, false, 16, NULL, "a form" },
	[MAP_HAS] = { "has", MEM_RULE_LIST, false, STRUCTURED_KEY_MAX, NULL, "a key" },
	[MAP_SUBJECT] = { "subject", MEM_RULE_LIST, true, 120, NULL, "a key" },
	[MAP_OBJECT] = { "object", MEM_RULE_LIST, true, 120, NULL, "a key" },
	[MAP_PREDICATE] = { "predicate", MEM_RULE_NAME, true, 64, NULL, NULL },
	[MAP_SUBJECT_TYPE] = { "subject_type", MEM_RULE_NAME, false, 64, NULL, NULL },
	[MAP_OBJECT_TYPE] = { "object_type", MEM_RULE_NAME, false, 64, NULL, NULL },
	[MAP_TYPE] = { "type", MEM_RULE_NAME, false, 64, NULL, NULL },
	[MAP_LIST] = { "list", MEM_RULE_BOOL, false, 0, NULL, NULL },
};
const size_t belief_mapping_nfields = MEM_COUNT(belief_mapping_fields);

/* Without any: all but JSON, whose keys are paths. */
static enum mem_status
read_mapping_forms(unsigned *out, const struct mem_rule *rule, const char *file, struct mem_err *err)
{
	static const char *const names[STRUCTURED_FORMS] = { "front", "list", "table", "json" };
	const struct mem_rule_value *v = &rule->values[MAP_FORMS];
	*out = v->given ? 0 : 1U << STRUCTURED_FRONT | 1U << STRUCTURED_LIST | 1U << STRUCTURED_TABLE;
	for (size_t i = 0; i < v->n; i++) {
		unsigned form = 0;
		while (form < STRUCTURED_FORMS && !mem_str_is(v->list[i], names[form]))
			form++;
		if (form == STRUCTURED_FORMS)
			return mem_rule_refuse(err, file, v->line, rule->name, "no such form: %.*s: front, list, table or json", (int)v->list[i].n, v->list[i].p);
		*out |= 1U << form;
	}
	return MEM_OK;
}

/* Steps of a path are names, and [] or {} behind one; {} ends it. */
static bool
is_mapping_path(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++) {
		bool open = s.p[i] == '[' || s.p[i] == '{';
		if (open && (i == 0 || i + 1 == s.n || s.p[i + 1] != (s.p[i] == '[' ? ']' : '}')))
			return false;
		if (open && i + 2 < s.n && (s.p[i] == '{' || s.p[i + 2] != '.'))
			return false;
		if (!open && (s.p[i] == ']' || s.p[i] == '}') && (i == 0 || (s.p[i - 1] != '[' && s.p[i - 1] != '{')))
			return false;
		if (s.p[i] == '.' && (i == 0 || i + 1 == s.n || s.p[i + 1] == '.'))
			return false;
	}
	return s.n > 0;
}

static enum mem_status
check_mapping_paths(const struct mem_rule *rule, const struct mem_rule_value *v, const char *file, struct mem_err *err)
{
	for (size_t i = 0; i < v->n; i++)
		if (!is_mapping_path(v->list[i]))
			return mem_rule_refuse(err, file, v->line, rule->name, "no path of names, [] and {}: %.*s", (int)v->list[i].n, v->list[i].p);
	return v->n > 0 ? MEM_OK : mem_rule_refuse(err, file, v->line, rule->name, "an empty list");
}

enum mem_status
belief_mapping_read(struct belief_mapping *out, struct mem_arena *a, const struct mem_rule *rule, struct mem_str version, const char *file,
    struct mem_err *err)
{
	const struct mem_rule_value *v = rule->values;
	*out = (struct belief_mapping){
		.name = rule->name,
		.label = mem_str(mem_arena_printf(a, "%.*s@%.*s", (int)rule->name.n, rule->name.p, (int)version.n, version.p)),
		.has = v[MAP_HAS].list, .nhas = v[MAP_HAS].n,
		.subject = v[MAP_SUBJECT].list, .nsubject = v[MAP_SUBJECT].n,
		.object = v[MAP_OBJECT].list, .nobject = v[MAP_OBJECT].n,
		.predicate = v[MAP_PREDICATE].text,
		.subject_type = v[MAP_SUBJECT_TYPE].text, .object_type = v[MAP_OBJECT_TYPE].text, .type = v[MAP_TYPE].text,
		.list = v[MAP_LIST].number != 0,
	};
	enum mem_status st = read_mapping_forms(&out->forms, rule, file, err);
	if (st == MEM_OK)
		st = check_mapping_paths(rule, &v[MAP_SUBJECT], file, err);
	return st == MEM_OK ? check_mapping_paths(rule, &v[MAP_OBJECT], file, err) : st;
}
