/* SPDX-License-Identifier: Apache-2.0 */
/* What --help and --complete print, both from the option table. */
#include "cli/cli_int.h"

#include <stdio.h>
#include <string.h>

enum { HELP_INDENT = 26 };

static const struct mem_opt own[] = {
	{ 'h', "help", NULL, "show this help", .flag = NULL },
	{ 'V', "version", NULL, "show the version", .flag = NULL },
};

static void
print_usage(const char *usage)
{
	for (const char *lead = "usage: "; *usage != '\0'; lead = "       ") {
		size_t n = strcspn(usage, "\n");
		mem_out_printf("%s%.*s\n", lead, (int)n, usage);
		usage += usage[n] == '\n' ? n + 1 : n;
	}
}

static void
print_option(const struct mem_opt *o)
{
	char left[80];
	const char *arg = o->arg != NULL ? o->arg : "", *gap = o->arg != NULL ? " " : "";
	if (o->letter == 0)
		snprintf(left, sizeof(left), "      --%s%s%s", o->name, gap, arg);
	else if (o->name == NULL)
		snprintf(left, sizeof(left), "  -%c%s%s", o->letter, gap, arg);
	else
		snprintf(left, sizeof(left), "  -%c, --%s%s%s", o->letter, o->name, gap, arg);
	if (strlen(left) + 2 > HELP_INDENT)
		mem_out_printf("%s\n%*s%s\n", left, HELP_INDENT, "", o->help);
	else
		mem_out_printf("%-*s%s\n", HELP_INDENT, left, o->help);
}

void
cli_print_help(const struct mem_opt *opts, const char *usage, const char *about)
{
	print_usage(usage);
	mem_out_printf("\n%s: %s\n\n", cli_command_name(), about);
	for (const struct mem_opt *o = opts; !cli_is_table_end(o); o++)
		print_option(o);
	for (size_t i = 0; i < MEM_COUNT(own); i++)
		print_option(&own[i]);
	mem_out_printf("\nSee man %s.\n", cli_command_name());
}

static void
print_completion_words(const char *const *words)
{
	if (words == NULL || words[0] == NULL)
		mem_out_printf("-");
	for (size_t i = 0; words != NULL && words[i] != NULL; i++)
		mem_out_printf("%s%s", i == 0 ? "" : " ", words[i]);
}

/* letter, name, argument, choices, help: tabs between, "-" for nothing. */
static void
print_option_completion(const struct mem_opt *o)
{
	char letter[2] = { o->letter != 0 ? o->letter : '-', '\0' };
	mem_out_printf("option\t%s\t%s\t%s\t", letter, o->name != NULL ? o->name : "-",
	    o->arg != NULL ? o->arg : "-");
	print_completion_words(o->choices);
	mem_out_printf("\t%s\n", o->help);
}

void
cli_print_completion(const struct mem_opt *opts, const char *usage, const char *about)
{
	mem_out_printf("about\t%s\n", about);
	while (*usage != '\0') {
		size_t n = strcspn(usage, "\n");
		mem_out_printf("usage\t%.*s\n", (int)n, usage);
		usage += usage[n] == '\n' ? n + 1 : n;
	}
	const struct mem_opt *o = opts;
	for (; !cli_is_table_end(o); o++)
		print_option_completion(o);
	if (o->arg != NULL) { /* MEM_OPT_OPERANDS */
		mem_out_printf("operand\t%s\t", o->arg);
		print_completion_words(o->choices);
		mem_out_printf("\n");
	}
	for (size_t i = 0; i < MEM_COUNT(own); i++)
		print_option_completion(&own[i]);
}
