/* SPDX-License-Identifier: Apache-2.0 */
/* The list of wrappers (wrappers.yaml, which says what its fields mean), read once for a conversion. */
#include "adapt/adapt_wrapper.h"
#include "conf/conf.h"

#include <string.h>

extern const unsigned char mem_data_adapt_wrappers[];
extern const size_t mem_data_adapt_wrappers_len;

enum { ELEMENTS, SENTENCES, FROM, TO, HEAD, ATTRIBUTE, BECOMES, REFUSALS, PROGRAMS, COMMON, FIELDS };
enum { TEXT_MAX = 400 };

/* In the order of enum adapt_becomes. */
static const char *const becomes[] = {
	[ADAPT_CUT] = "cut", [ADAPT_WORDS] = "words", [ADAPT_COMMAND] = "command", [ADAPT_ARGUMENTS] = "arguments",
	[ADAPT_SHELL] = "shell", [ADAPT_OUTPUT] = "output", [ADAPT_ERRORS] = "errors", NULL,
};
static const struct mem_rule_field fields[FIELDS] = {
	[ELEMENTS] = { .name = "elements", .type = MEM_RULE_LIST, .max = 64, .expected = "a name" },
	[SENTENCES] = { .name = "sentences", .type = MEM_RULE_LIST, .max = TEXT_MAX, .expected = "a sentence" },
	[FROM] = { .name = "from", .type = MEM_RULE_TEXT, .max = TEXT_MAX },
	[TO] = { .name = "to", .type = MEM_RULE_TEXT, .max = TEXT_MAX },
	[HEAD] = { .name = "head", .type = MEM_RULE_TEXT, .max = TEXT_MAX },
	[ATTRIBUTE] = { .name = "attribute", .type = MEM_RULE_TEXT, .max = 64 },
	[BECOMES] = { .name = "becomes", .type = MEM_RULE_WORD, .words = becomes },
	[REFUSALS] = { .name = "refusals", .type = MEM_RULE_LIST, .max = TEXT_MAX, .expected = "a sentence" },
	[PROGRAMS] = { .name = "programs", .type = MEM_RULE_LIST, .required = true, .max = 64, .expected = "a program" },
	[COMMON] = { .name = "common", .type = MEM_RULE_BOOL },
};
static const struct mem_rule_list lists[] = { { "wrappers", fields, FIELDS } };

static bool
has_program(const struct mem_rule_value *programs, const char *format)
{
	for (size_t i = 0; i < programs->n; i++)
		if (mem_str_is(programs->list[i], format))
			return true;
	return false;
}

static void
add_wrapper_rule(struct adapt_wrappers *w, const struct mem_rule *r, size_t rule)
{
	const struct mem_rule_value *v = r->values;
	w->names[rule] = r->name;
	for (size_t i = 0; i < v[ELEMENTS].n; i++) {
		struct mem_str name = v[ELEMENTS].list[i];
		bool open_end = name.n > 0 && name.p[name.n - 1] == '*';
		w->elements[w->nelements++] = (struct adapt_wrapper_element){
			.name = { name.p, name.n - open_end }, .open_end = open_end, .rule = rule,
			.becomes = (enum adapt_becomes)v[BECOMES].number, .head = v[HEAD].text, .attribute = v[ATTRIBUTE].text,
		};
	}
	for (size_t i = 0; i < v[SENTENCES].n; i++)
		w->sentences[w->nsentences++] = (struct adapt_wrapper_sentence){ .text = v[SENTENCES].list[i], .rule = rule };
	for (size_t i = 0; i < v[REFUSALS].n; i++)
		w->refusals[w->nrefusals++] = (struct adapt_wrapper_sentence){ .text = v[REFUSALS].list[i], .rule = rule };
	if (v[FROM].given)
		w->blocks[w->nblocks++] = (struct adapt_wrapper_block){ .from = v[FROM].text, .to = v[TO].text, .rule = rule };
}

enum mem_status
adapt_read_wrappers(struct adapt_wrappers *w, const char *format, struct mem_err *err)
{
	const struct mem_str yaml = { (const char *)mem_data_adapt_wrappers, mem_data_adapt_wrappers_len };
	struct mem_rules rules;
	size_t elements = 0, sentences = 0, refusals = 0;
	enum mem_status st = mem_rules_read(&rules, &w->arena, lists, MEM_COUNT(lists), yaml, "wrappers.yaml", err);
	if (st != MEM_OK)
		return st;
	for (size_t i = 0; i < rules.n; i++) {
		elements += rules.rules[i].values[ELEMENTS].n;
		sentences += rules.rules[i].values[SENTENCES].n;
		refusals += rules.rules[i].values[REFUSALS].n;
	}
	w->names = mem_arena_alloc(&w->arena, rules.n * sizeof *w->names);
	w->nrules = rules.n;
	w->elements = mem_arena_alloc(&w->arena, elements * sizeof *w->elements);
	w->sentences = mem_arena_alloc(&w->arena, sentences * sizeof *w->sentences);
	w->refusals = mem_arena_alloc(&w->arena, refusals * sizeof *w->refusals);
	w->blocks = mem_arena_alloc(&w->arena, rules.n * sizeof *w->blocks);
	for (size_t i = 0; i < rules.n; i++) {
		const struct mem_rule_value *v = rules.rules[i].values;
		if (v[COMMON].number == 0 || has_program(&v[PROGRAMS], format))
			add_wrapper_rule(w, &rules.rules[i], i);
	}
	return MEM_OK;
}
