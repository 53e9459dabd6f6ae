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
	printf("\t},\n");
}

static void
print_table(const struct clean_table *t)
{
	printf("static const uint8_t classes[] = {");
	for (unsigned i = 0; i < 256; i++)
		printf("%s%u,", i % 16 == 0 ? "\n\t" : " ", t->class[i]);
	printf("\n};\nstatic const uint16_t next[] = {");
	for (unsigned i = 0; i < t->states * t->classes; i++)
		printf("%s%u,", i % 16 == 0 ? "\n\t" : " ", t->next[i]);
	printf("\n};\nstatic const uint32_t first[] = {");
	for (unsigned i = 0; i <= t->states; i++)
		printf("%s%u,", i % 16 == 0 ? "\n\t" : " ", t->first[i]);
	printf("\n};\nstatic const struct clean_output outputs[] = {");
	for (unsigned i = 0; i < t->first[t->states]; i++)
		printf("%s{ %u, %u },", i % 8 == 0 ? "\n\t" : " ", t->outputs[i].rule, t->outputs[i].length);
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
	struct mem_buf cue_text = { 0 };
	size_t n = 0, cap = 0;
	if (argc < 3)
		return 2;
	read_file(argv[1], &cue_text);
	if (clean_cues_read(&cues, &arena, mem_buf_span(&cue_text), argv[1], &err) != MEM_OK)
		die(&err);
	int threshold = read_weights(argv[2], cues.classes, cues.n);
	for (int i = 3; i < argc; i++) {
		struct mem_buf text = { 0 };
		struct clean_rule *some = NULL;
		size_t more = 0;
		read_file(argv[i], &text);
		if (clean_rules_read(&some, &more, &arena, mem_buf_span(&text), argv[i], &err) != MEM_OK)
			die(&err);
		for (size_t k = 0; k < more; k++)
			mark_rule_pattern(&some[k], &arena, argv[i]);
		all = mem_grow(all, &cap, n + more, sizeof *all);
		memcpy(all + n, some, more * sizeof *some);
		n += more;
		mem_buf_release(&text);
	}
	struct clean_table t;
	struct clean_rule *with_cues = clean_cues_append(&arena, all, n, cues.classes, cues.n);
	if (clean_table_build(&t, &arena, with_cues, n + 2 * cues.n, &err) != MEM_OK)
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
	    "\t.table = { classes, next, first, outputs, %u, %u },\n\t.cues = cues, .ncues = %zu, .together = together, .ntogether = %zu,\n\t.threshold = %d,\n};\n",
	    n, any_everywhere, t.classes, t.states, cues.n, cues.ntogether, threshold);
	free(all);
	mem_buf_release(&cue_text);
	mem_arena_release(&arena);
	return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 1;
}
