/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints as C the rules in the YAML files named, the classes of cues with their weights, and the automaton of all
 * their literals.  A rule that does not compile, or a class without a weight, stops the build.
 *
 * usage: rules-table CUES WEIGHTS FILE... > rules.c
 */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean/cue_int.h"
#include "conf/conf.h"

static void
die(const struct mem_err *err)
{
	fprintf(stderr, "rules-table: %s\n", err->msg);
	exit(1);
}

static void
print_string(struct mem_str s)
{
	printf("{ \"");
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c == '"' || c == '\\' || c == '?')
			printf("\\%c", c);
		else if (isprint(c))
			putchar(c);
		else
			printf("\\%03o", c);
	}
	printf("\", %zu }", s.n);
}

/* Sets of literals that matches have, as the rules' literals are kept. */
struct needs_list {
	struct clean_rule sets[CLEAN_NEEDS_MAX];
	size_t n;
};

static unsigned
word_bits(const struct mem_pattern_literal *l)
{
	return (l->begins_word ? CLEAN_BEGINS_WORD : 0u) | (l->ends_word ? CLEAN_ENDS_WORD : 0u);
}

static bool
is_same_literal(const struct clean_rule *set, size_t i, const struct mem_pattern_literal *l)
{
	return mem_str_eq(set->literals[i], l->text) && set->words[i] == word_bits(l);
}

static struct clean_rule
set_from_need(struct mem_arena *arena, const struct mem_pattern_need *need)
{
	struct clean_rule set = { .literals = mem_arena_alloc(arena, (need->n + 1) * sizeof(struct mem_str)), .nliterals = need->n,
		.words = mem_arena_alloc(arena, need->n + 1) };
	for (size_t i = 0; i < need->n; i++) {
		set.literals[i] = need->literals[i].text;
		set.words[i] = (uint8_t)word_bits(&need->literals[i]);
	}
	return set;
}

/* The number of the set, which is kept once. */
static uint16_t
number_need(struct needs_list *l, struct mem_arena *arena, const struct mem_pattern_need *need, const char *file)
{
	size_t k = 0, i = 0;
	for (; k < l->n; k++) {
		for (i = 0; i < need->n && l->sets[k].nliterals == need->n && is_same_literal(&l->sets[k], i, &need->literals[i]);)
			i++;
		if (i == need->n)
			break;
	}
	if (k == CLEAN_NEEDS_MAX) {
		fprintf(stderr, "rules-table: %s: more than %d sets of literals that matches have\n", file, CLEAN_NEEDS_MAX);
		exit(1);
	}
	if (k == l->n)
		l->sets[l->n++] = set_from_need(arena, need);
	return (uint16_t)k;
}

/* Does each literal by which the rule is chosen have one of the set's in it?  Then that says nothing more. */
static bool
is_known_need(const struct clean_rule *r, const struct mem_pattern_need *need)
{
	for (size_t i = 0; i < r->nliterals; i++) {
		bool found = false;
		for (size_t k = 0; k < need->n && !found; k++) {
			struct mem_str l = r->literals[i], s = need->literals[k].text;
			for (size_t at = 0; word_bits(&need->literals[k]) == 0 && at + s.n <= l.n && !found; at++)
				found = strncasecmp(l.p + at, s.p, s.n) == 0;
		}
		if (!found)
			return false;
	}
	return r->nliterals > 0;
}

static void
find_rule_needs(struct clean_rule *r, struct needs_list *l, struct mem_arena *arena, const char *file)
{
	struct mem_pattern_need needs[MEM_PATTERN_NEEDS];
	size_t n = mem_pattern_needs(needs, arena, r->pattern);
	for (size_t i = 0; i < n; i++) {
		if (is_known_need(r, &needs[i]))
			continue;
		struct clean_need need = { number_need(l, arena, &needs[i], file), (uint32_t)needs[i].reach };
		size_t k = 0;
		while (k < r->nneeds && r->needs[k].set != need.set)
			k++;
		if (k == r->nneeds)
			r->needs[r->nneeds++] = need;
		else if (need.reach < r->needs[k].reach)
			r->needs[k].reach = need.reach;
	}
}

/* The letters beyond ASCII that are s and k but for case (Unicode, CaseFolding.txt). */
static void
begin_needs(struct needs_list *l, struct mem_arena *arena)
{
	struct mem_pattern_literal odd[] = { { MEM_STR_INIT("\xc5\xbf"), false, false }, { MEM_STR_INIT("\xe2\x84\xaa"), false, false } };
	const struct mem_pattern_need need = { odd, 2, 0 };
	if (number_need(l, arena, &need, "") != CLEAN_NEED_ODD)
		abort();
}

/* A rule's pattern, compiled to see that it can be, and marked. */
static void
mark_rule_pattern(struct clean_rule *r, struct mem_arena *arena, const char *file)
{
	struct mem_buf marked = { 0 };
	struct mem_err err;
	struct mem_pattern_start start;
	if (mem_pattern_begins(&start, r->pattern, r->caseless ? MEM_PATTERN_CASELESS : 0))
		r->start = (const struct mem_pattern_start *)mem_arena_dup(arena, &start, sizeof start);
	if (mem_pattern_mark(&marked, r->pattern, r->caseless ? MEM_PATTERN_CASELESS : 0, &err) != MEM_OK) {
		(void)mem_rule_refuse(&err, file, r->line, r->name, "%s", err.msg);
		die(&err);
	}
	r->pattern = mem_arena_str(arena, mem_buf_span(&marked));
	mem_buf_release(&marked);
}

static void
print_start(const struct mem_pattern_start *s)
{
	printf("\t  .start = &(const struct mem_pattern_start){ {");
	for (size_t i = 0; i < sizeof s->bytes; i++)
		printf(" %u,", s->bytes[i]);
	printf(" }, %d },\n", s->at_word);
}

static void
print_rule(const struct clean_rule *r)
{
	printf("\t{ .name = ");
	print_string(r->name);
	printf(", .kind = ");
	print_string(r->kind);
	printf(",\n\t  .pattern = ");
	print_string(r->pattern);
	printf(",\n\t  .group = %u, .before = %u, .line = %u, .check = %d, .capture = %u,\n"
	    "\t  .caseless = %d, .everywhere = %d, .sentence = %d, .cut = %d, .wrapped = %d,\n", r->group, r->before, r->line,
	    (int)r->check, r->capture, r->caseless, r->everywhere, r->sentence, r->cut, r->wrapped);
	if (r->start != NULL)
		print_start(r->start);
	if (r->nneeds > 0) {
		printf("\t  .nneeds = %u, .needs = {", r->nneeds);
		for (unsigned i = 0; i < r->nneeds; i++)
			printf(" { %u, %u },", r->needs[i].set, r->needs[i].reach);
		printf(" },\n");
	}
	printf("\t},\n");
}

/* Numbers of 1, 2 or 4 bytes. */
static void
print_numbers(const char *name, const void *v, size_t bytes, size_t n)
{
	printf("static const uint%zu_t %s[] = {", 8 * bytes, name);
	for (size_t i = 0; i < n; i++) {
		const unsigned one = bytes == 1 ? ((const uint8_t *)v)[i] : bytes == 2 ? ((const uint16_t *)v)[i] : ((const uint32_t *)v)[i];
		printf("%s%u,", i % 16 == 0 ? "\n\t" : " ", one);
	}
	printf("\n};\n");
}

static void
print_table(const struct clean_table *t)
{
	print_numbers("classes", t->class, sizeof *t->class, 256);
	print_numbers("rows", t->rows, sizeof *t->rows, (size_t)t->nrows * t->classes);
	printf("static const struct clean_deep deep[] = {");
	for (unsigned i = 0; i < t->states - t->shallow; i++)
		printf("%s{ %u, %u, %u, %u, %u },", i % 8 == 0 ? "\n\t" : " ", t->deep[i].row, t->deep[i].more, t->deep[i].target, t->deep[i].label,
		    t->deep[i].nmore);
	printf("\n};\n");
	print_numbers("labels", t->labels, sizeof *t->labels, t->nsteps);
	print_numbers("targets", t->targets, sizeof *t->targets, t->nsteps);
	print_numbers("first", t->first, sizeof *t->first, t->states + 1);
	printf("static const struct clean_output outputs[] = {");
	for (unsigned i = 0; i < t->first[t->states]; i++)
		printf("%s{ %u, %u, %u },", i % 8 == 0 ? "\n\t" : " ", t->outputs[i].rule, t->outputs[i].length, t->outputs[i].word);
	printf("\n};\n");
}

static void
read_file(const char *path, struct mem_buf *text)
{
	struct mem_err err;
	if (mem_file_read(AT_FDCWD, path, (size_t)1 << 20, text, &err) != MEM_OK)
		die(&err);
}

/* The weight of each class, in hundredths, and the threshold: lines of a name, a tab and a number; # begins a remark. */
static int
read_weights(const char *path, struct clean_cue *cues, size_t n)
{
	struct mem_buf text = { 0 };
	int threshold = 0;
	size_t found = 0;
	read_file(path, &text);
	for (char *line = strtok(text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		char *tab = strchr(line, '\t');
		if (line[0] == '#' || tab == NULL)
			continue;
		struct mem_str name = { line, (size_t)(tab - line) };
		int number = (int)strtol(tab + 1, NULL, 10);
		if (mem_str_is(name, "threshold"))
			threshold = number;
		for (size_t i = 0; i < n; i++)
			if (mem_str_eq(name, cues[i].name)) {
				cues[i].weight = number;
				found++;
			}
	}
	mem_buf_release(&text);
	if (found != n || threshold <= 0) {
		fprintf(stderr, "rules-table: %s: %zu of %zu classes have a weight, the threshold is %d: run scripts/cue-weights\n", path, found, n, threshold);
		exit(1);
	}
	return threshold;
}

static void
print_cues(const struct clean_cues *cues)
{
	printf("static const struct clean_cue cues[] = {\n");
	for (size_t i = 0; i < cues->n; i++) {
		const struct clean_cue *c = &cues->classes[i];
		printf("\t{ .name = ");
		print_string(c->name);
		printf(", .weight = %d, .with = UINT64_C(%" PRIu64 "), .paired_only = %d },\n", c->weight, c->with, c->paired_only);
	}
	printf("};\nstatic const struct clean_together together[] = {\n");
	for (size_t i = 0; i < cues->ntogether; i++) {
		printf("\t{ .rule = { .name = ");
		print_string(cues->together[i].rule.name);
		printf(" }, .classes = UINT64_C(%" PRIu64 "), .inner = UINT64_C(%" PRIu64 ") },\n", cues->together[i].classes,
		    cues->together[i].inner);
	}
	printf("};\n");
}

int
main(int argc, char **argv)
{
	struct mem_arena arena = { 0 };
	struct mem_err err;
	struct clean_rule *all = NULL;
	struct clean_cues cues;
	static struct needs_list needs;
	struct mem_buf cue_text = { 0 };
	size_t n = 0, cap = 0;
	if (argc < 3)
		return 2;
	read_file(argv[1], &cue_text);
	if (clean_cues_read(&cues, &arena, mem_buf_span(&cue_text), argv[1], &err) != MEM_OK)
		die(&err);
	int threshold = read_weights(argv[2], cues.classes, cues.n);
	begin_needs(&needs, &arena);
	for (int i = 3; i < argc; i++) {
		struct mem_buf text = { 0 };
		struct clean_rule *some = NULL;
		size_t more = 0;
		read_file(argv[i], &text);
		if (clean_rules_read(&some, &more, &arena, mem_buf_span(&text), argv[i], &err) != MEM_OK)
			die(&err);
		for (size_t k = 0; k < more; k++) {
			find_rule_needs(&some[k], &needs, &arena, argv[i]);
			mark_rule_pattern(&some[k], &arena, argv[i]);
		}
		all = mem_grow(all, &cap, n + more, sizeof *all);
		memcpy(all + n, some, more * sizeof *some);
		n += more;
		mem_buf_release(&text);
	}
	struct clean_table t;
	const struct clean_rule *with_cues = clean_cues_append(&arena, all, n, cues.classes, cues.n);
	const size_t ncued = n + 2 * cues.n;
	all = mem_grow(all, &cap, ncued + needs.n, sizeof *all);
	memcpy(all, with_cues, ncued * sizeof *all);
	memcpy(all + ncued, needs.sets, needs.n * sizeof *all);
	if (clean_table_build(&t, &arena, all, ncued + needs.n, &err) != MEM_OK)
		die(&err);
	printf("#include \"clean/cue_int.h\"\n\nstatic const struct clean_rule rules[] = {\n");
	for (size_t i = 0; i < n; i++)
		print_rule(&all[i]);
	printf("};\n");
	print_table(&t);
	print_cues(&cues);
	bool any_everywhere = false;
	for (size_t i = 0; i < n; i++)
		any_everywhere |= all[i].everywhere;
	printf("const struct clean_set clean_builtin = {\n\t.rules = rules, .n = %zu, .marked = true, .any_everywhere = %d,\n"
	    "\t.table = { classes, rows, deep, labels, targets, first, outputs,\n\t  %u, %u, %u, %u, %u, %u, %u },\n\t.cues = cues, .ncues = %zu, .together = together, .ntogether = %zu,\n"
	    "\t.nneeds = %zu, .threshold = %d,\n};\n",
	    n, any_everywhere, t.classes, t.states, t.nrows, t.nsteps, t.shallow, t.shallow_hits, t.deep_hits, cues.n, cues.ntogether, needs.n, threshold);
	free(all);
	mem_buf_release(&cue_text);
	mem_arena_release(&arena);
	return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 1;
}
