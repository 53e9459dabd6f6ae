/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints as C the rules in the YAML files named, and the automaton of their literals.
 * A rule that does not compile stops the build.  usage: rules-table FILE... > rules.c
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean/clean_int.h"
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

static void
check(const struct clean_rule *r, const char *file)
{
	struct mem_pattern *p;
	struct mem_err err;
	if (mem_pattern_new(&p, r->pattern, r->caseless ? MEM_PATTERN_CASELESS : 0, &err) != MEM_OK) {
		(void)mem_rule_refuse(&err, file, r->line, r->name, "%s", err.msg);
		die(&err);
	}
	mem_pattern_free(p);
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
	    "\t  .caseless = %d, .everywhere = %d, .sentence = %d, .cut = %d },\n", r->group, r->before, r->line,
	    (int)r->check, r->capture, r->caseless, r->everywhere, r->sentence, r->cut);
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

int
main(int argc, char **argv)
{
	struct mem_arena arena = { 0 };
	struct mem_err err;
	struct clean_rule *all = NULL;
	size_t n = 0, cap = 0;
	for (int i = 1; i < argc; i++) {
		struct mem_buf text = { 0 };
		struct clean_rule *some = NULL;
		size_t more = 0;
		if (mem_file_read(AT_FDCWD, argv[i], (size_t)1 << 20, &text, &err) != MEM_OK ||
		    clean_rules_read(&some, &more, &arena, mem_buf_span(&text), argv[i], &err) != MEM_OK)
			die(&err);
		for (size_t k = 0; k < more; k++)
			check(&some[k], argv[i]);
		all = mem_grow(all, &cap, n + more, sizeof *all);
		memcpy(all + n, some, more * sizeof *some);
		n += more;
		mem_buf_release(&text);
	}
	struct clean_table t;
	if (clean_table_build(&t, &arena, all, n, &err) != MEM_OK)
		die(&err);
	printf("#include \"clean/clean_int.h\"\n\nstatic const struct clean_rule rules[] = {\n");
	for (size_t i = 0; i < n; i++)
		print_rule(&all[i]);
	printf("};\n");
	print_table(&t);
	printf("const struct clean_set clean_builtin = {\n\t.rules = rules, .n = %zu,\n"
	    "\t.table = { classes, next, first, outputs, %u, %u },\n};\n", n, t.classes, t.states);
	free(all);
	mem_arena_release(&arena);
	return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 1;
}
