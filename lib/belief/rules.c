/* SPDX-License-Identifier: Apache-2.0 */
/* All rules of belief together: those built in, the setting's, the caller's. */
#include "belief/extract_int.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define RULES_FILE_MAX ((size_t)1 << 20)

extern const unsigned char mem_data_belief_rules_en[], mem_data_belief_rules_de[], mem_data_belief_rules_names[],
    mem_data_belief_rules_places[], mem_data_belief_rules_structured[];
extern const size_t mem_data_belief_rules_en_len, mem_data_belief_rules_de_len, mem_data_belief_rules_names_len,
    mem_data_belief_rules_places_len, mem_data_belief_rules_structured_len;

static const struct builtin_rules {
	const char *name;
	const unsigned char *text;
	const size_t *n;
} builtins[] = {
	/* First, since rules name its vocabularies. */
	{ "rules_places.yaml", mem_data_belief_rules_places, &mem_data_belief_rules_places_len },
	{ "rules_en.yaml", mem_data_belief_rules_en, &mem_data_belief_rules_en_len },
	{ "rules_de.yaml", mem_data_belief_rules_de, &mem_data_belief_rules_de_len },
	{ "rules_names.yaml", mem_data_belief_rules_names, &mem_data_belief_rules_names_len },
	{ "rules_structured.yaml", mem_data_belief_rules_structured, &mem_data_belief_rules_structured_len },
};

void
belief_warn(const struct mem_belief_rules *r, const char *message)
{
	if (r->warn != NULL)
		r->warn(r->ctx, message);
}

void
belief_warn_of_rule(const struct mem_belief_rules *r, const struct belief_rule *rule, const char *why)
{
	struct mem_err err;
	mem_rule_refuse(&err, rule->file->name.p, rule->line, rule->name, "%s", why);
	belief_warn(r, err.msg);
}

/* ---- reading ---------------------------------------------------------------- */

static enum mem_status
read_builtin_rules(struct mem_belief_rules *r, bool bare, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(builtins) && st == MEM_OK; i++) {
		const struct builtin_rules *b = &builtins[i];
		st = belief_rules_read(r, (struct mem_str){ (const char *)b->text, *b->n }, b->name, true, bare, err);
	}
	return st;
}

static enum mem_status
read_rules_file(struct mem_belief_rules *r, int dirfd, const char *path, struct mem_err *err)
{
	struct mem_buf text = { 0 };
	enum mem_status st = mem_file_read(dirfd, path, RULES_FILE_MAX, &text, err);
	if (st == MEM_OK)
		st = belief_rules_read(r, mem_buf_span(&text), path, false, false, err);
	mem_buf_release(&text);
	return st;
}

static enum mem_status
read_setting_rules(struct mem_belief_rules *r, const struct mem_belief_options *o, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	const struct mem_yaml *list = o->conf != NULL ? mem_conf_node(o->conf, "belief.rules") : NULL;
	for (const struct mem_yaml *m = list != NULL ? list->child : NULL; m != NULL && st == MEM_OK; m = m->next)
		st = read_rules_file(r, o->dirfd, m->scalar.p, err);
	return st;
}

/* ---- what is worked out of all of them ----------------------------------------- */

static int
compare_predicates(const void *a, const void *b)
{
	return mem_str_cmp(((const struct belief_predicate *)a)->shown.name, ((const struct belief_predicate *)b)->shown.name);
}

static struct belief_predicate *
find_belief_predicate(const struct mem_belief_rules *r, struct mem_str name)
{
	struct belief_predicate key = { .shown = { .name = name } };
	return mem_sorted_find(&key, r->predicates, r->npredicates, sizeof key, compare_predicates);
}

static void
finish_rules(struct mem_belief_rules *r)
{
	mem_sort(r->predicates, r->npredicates, sizeof *r->predicates, compare_predicates);
	for (size_t i = 0; i < r->nrules; i++) {
		struct belief_rule *rule = &r->rules[i];
		rule->predicate = rule->predicate_name.n > 0 ? find_belief_predicate(r, rule->predicate_name) : NULL;
		rule->limit = belief_limit_of(r, rule);
		for (size_t k = 0; k < rule->nwords && !rule->off; k++)
			belief_phrase_add(&r->words, &r->arena, rule->words[k], true, (uint32_t)i);
	}
	for (size_t i = 0; i < r->ncues; i++)
		for (size_t k = 0; k < r->cues[i].nwords; k++)
			belief_phrase_add(&r->words, &r->arena, r->cues[i].words[k], false, (uint32_t)i);
	belief_words_index(&r->words);
	r->work = belief_work_new(r);
}

static struct mem_belief_rules *
new_rules(const struct mem_belief_options *o)
{
	struct mem_belief_rules *r = mem_xcalloc(1, sizeof *r);
	r->warn = o->warn;
	r->ctx = o->ctx;
	return r;
}

/* What ends a load: rules that are whole, or none. */
static enum mem_status
hand_out_rules(struct mem_belief_rules **out, struct mem_belief_rules *r, enum mem_status st)
{
	*out = NULL;
	if (st == MEM_OK) {
		finish_rules(r);
		*out = r;
	} else {
		mem_belief_rules_free(r);
	}
	return st;
}

enum mem_status
mem_belief_rules_load(struct mem_belief_rules **out, const struct mem_belief_options *o, struct mem_err *err)
{
	struct mem_belief_rules *r = new_rules(o);
	enum mem_status st = read_builtin_rules(r, o->bare, err);
	if (st == MEM_OK)
		st = read_setting_rules(r, o, err);
	for (size_t i = 0; i < o->nfiles && st == MEM_OK; i++)
		st = read_rules_file(r, AT_FDCWD, o->files[i], err);
	return hand_out_rules(out, r, st);
}

enum mem_status
mem_belief_rules_parse(struct mem_belief_rules **out, const struct mem_belief_options *o, struct mem_str yaml, const char *name,
    struct mem_err *err)
{
	struct mem_belief_rules *r = new_rules(o);
	enum mem_status st = read_builtin_rules(r, o->bare, err);
	if (st == MEM_OK)
		st = belief_rules_read(r, yaml, name, false, false, err);
	return hand_out_rules(out, r, st);
}

void
mem_belief_rules_free(struct mem_belief_rules *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->nrules; i++)
		mem_pattern_free(r->rules[i].pattern);
	for (size_t i = 0; i < r->nlimits; i++)
		belief_limit_release(&r->limits[i]);
	for (size_t i = 0; i < r->nvocabularies; i++)
		belief_vocabulary_release(r->vocabularies[i]);
	for (size_t i = 0; i < r->nfiles; i++)
		mem_pattern_free(r->files[i]->leader_pattern);
	belief_work_free(r->work);
	belief_words_release(&r->words);
	free(r->files);
	free(r->predicates);
	free(r->rules);
	free(r->cues);
	free(r->limits);
	free(r->vocabularies);
	free(r->mappings);
	mem_arena_release(&r->arena);
	free(r);
}

struct mem_str
belief_statement_form(const struct mem_belief_rules *r, struct mem_str predicate)
{
	const struct belief_predicate *p = find_belief_predicate(r, predicate);
	return p != NULL ? p->says : (struct mem_str){ NULL, 0 };
}

struct mem_str
belief_statement(struct mem_arena *a, struct mem_str form, struct mem_str subject, struct mem_str object, struct mem_str detail)
{
	struct mem_buf b = { 0 };
	for (size_t i = 0; i < form.n; i++) {
		if (form.n - i >= 3 && form.p[i] == '{' && form.p[i + 2] == '}') {
			mem_buf_str(&b, form.p[i + 1] == 's' ? subject : object);
			i += 2;
		} else {
			mem_buf_putc(&b, form.p[i]);
		}
	}
	if (detail.n > 0)
		mem_buf_printf(&b, " (%.*s)", (int)detail.n, detail.p);
	struct mem_str text = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return text;
}

const struct mem_predicate *
mem_predicate_find(const struct mem_belief_rules *r, struct mem_str name)
{
	const struct belief_predicate *p = find_belief_predicate(r, name);
	return p != NULL ? &p->shown : NULL;
}

const struct mem_predicate *
mem_predicate_at(const struct mem_belief_rules *r, size_t i)
{
	return i < r->npredicates ? &r->predicates[i].shown : NULL;
}
