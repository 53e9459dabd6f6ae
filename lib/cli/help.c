/* SPDX-License-Identifier: Apache-2.0 */
/* What --help and --complete print, both from the option table. */
#include "cli/cli_int.h"

#include <stdio.h>
#include <string.h>

enum { HELP_INDENT = 26 };

extern const unsigned char mem_data_cli_examples[];
extern const size_t mem_data_cli_examples_len;

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

/* Whether `x` is a value that the option takes; one that it does not marks "not named". */
static bool
can_give(const struct mem_opt *o, double x)
{
	bool open = o->low == 0 && o->high == 0;
	return x > -1e300 && x < 1e300 && (open || (x >= o->low && x <= o->high));
}

/* What the option's target holds before the options are read; "" where there is nothing to say. */
static const char *
describe_default(const struct mem_opt *o, char *text, size_t n)
{
	*text = '\0';
	if (o->num != NULL && o->arg != NULL && *o->num != 0)
		snprintf(text, n, " (default %lld)", (long long)*o->num);
	else if (o->real != NULL && can_give(o, *o->real))
		snprintf(text, n, " (default %g)", *o->real);
	else if (o->duration != NULL && *o->duration > 0)
		snprintf(text, n, " (default %llds)", (long long)*o->duration / 1000);
	else if (o->choice != NULL && *o->choice >= 0)
		snprintf(text, n, " (default %s)", o->choices[*o->choice]);
	else if (o->str != NULL && *o->str != NULL)
		snprintf(text, n, " (default %s)", *o->str);
	return text;
}

static void
print_option(const struct mem_opt *o)
{
	char given[64];
	char left[80];
	const char *arg = o->arg != NULL ? o->arg : "", *gap = o->arg != NULL ? " " : "";
	if (o->letter == 0)
		snprintf(left, sizeof(left), "      --%s%s%s", o->name, gap, arg);
	else if (o->name == NULL)
		snprintf(left, sizeof(left), "  -%c%s%s", o->letter, gap, arg);
	else
		snprintf(left, sizeof(left), "  -%c, --%s%s%s", o->letter, o->name, gap, arg);
	if (strlen(left) + 2 > HELP_INDENT)
		mem_out_printf("%s\n%*s", left, HELP_INDENT, "");
	else
		mem_out_printf("%-*s", HELP_INDENT, left);
	mem_out_printf("%s%s\n", o->help, describe_default(o, given, sizeof given));
}

/* The lines of examples.txt that are of this command: its name, an example, what that does, with tabs between. */
static void
print_examples(void)
{
	struct mem_str all = { (const char *)mem_data_cli_examples, mem_data_cli_examples_len };
	const char *name = cli_command_name();
	size_t n = strlen(name);
	bool any = false;
	for (const char *line = all.p, *end = all.p + all.n; line < end;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		const char *what = memrchr(line, '\t', (size_t)(stop - line));
		if (strncmp(line, name, n) == 0 && line[n] == '\t') {
			mem_out_printf("%s  %.*s\n      %.*s\n", any ? "" : "\nExamples:\n", (int)(what - line - (ptrdiff_t)n - 1), line + n + 1,
			    (int)(stop - what - 1), what + 1);
			any = true;
		}
		line = stop + 1;
	}
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
	print_examples();
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
