/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs: the first operand of a command that does several things with one. */
#include "cli/called.h"
#include "cli/cli_int.h"

#include <string.h>

/* The next word of a list with spaces between; n 0 at the end. */
static struct mem_str
take_list_word(const char **list)
{
	*list += strspn(*list, " ");
	struct mem_str word = { *list, strcspn(*list, " ") };
	*list += word.n;
	return word;
}

static bool
has_list_word(const char *list, struct mem_str wanted)
{
	struct mem_str word;
	do
		word = take_list_word(&list);
	while (word.n > 0 && !mem_str_eq(word, wanted));
	return word.n > 0;
}

/* Exits on an option that was given and that `other` has, but not `verb`. */
static void
check_verb_options(const struct mem_verb *verb, const struct mem_verb *other)
{
	const char *list = other->options;
	for (struct mem_str word; (word = take_list_word(&list)).n > 0;)
		if (cli_option_given(word) && !has_list_word(verb->options, word))
			mem_die(MEM_USAGE, "%s%.*s is not for %s", word.n > 1 ? "--" : "-", (int)word.n, word.p, verb->name);
}

static const struct mem_verb *
find_verb(const struct mem_verb *verbs, const char *name)
{
	struct mem_buf names = { 0 };
	for (const struct mem_verb *v = verbs; v->name != NULL; v++) {
		mem_buf_printf(&names, "%s%s", v > verbs ? ", " : "", v->name);
		if (name != NULL && strcmp(name, v->name) == 0) {
			mem_buf_release(&names);
			return v;
		}
	}
	mem_die(MEM_USAGE, "one of %s is expected", names.data);
}

bool
mem_verb_comes(int argc, char **argv, const char *name)
{
	static const char *const with_value[] = { "-S", "--store", "--agent" };
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-')
			return strcmp(argv[i], name) == 0;
		for (size_t k = 0; k < MEM_COUNT(with_value); k++)
			if (strcmp(argv[i], with_value[k]) == 0) {
				i++;
				break;
			}
	}
	return false;
}

const struct mem_verb *
mem_verb_take(int *argc, char ***argv, const struct mem_verb *verbs)
{
	const struct mem_verb *verb = find_verb(verbs, *argc > 0 ? (*argv)[0] : NULL);
	for (const struct mem_verb *v = verbs; v->name != NULL; v++)
		check_verb_options(verb, v);
	--*argc;
	++*argv;
	if (*argc < verb->min)
		mem_die(MEM_USAGE, "%s: an operand is missing; see %s --help", verb->name, cli_command_name());
	if (verb->max >= 0 && *argc > verb->max)
		mem_die(MEM_USAGE, "%s: unexpected operand '%s'", verb->name, (*argv)[verb->max]);
	return verb;
}
