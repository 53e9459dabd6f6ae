/* SPDX-License-Identifier: Apache-2.0 */
/* Options: getopt_long behind a table. */
#include "cli/cli_int.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_HELP = 1, OPT_VERSION, OPT_COMPLETE, OPT_TABLE };

const char *const mem_format_words[] = { "auto", "json", "text", NULL };

/* What options collect; reachable to the end, so that leak checkers stay quiet. */
static struct mem_arena kept;

/* One option as it stood on the command line; applied when all are known. */
static struct seen_option {
	const struct mem_opt *opt;
	const char *text;
} *seen;
static size_t nseen;

bool
cli_is_table_end(const struct mem_opt *o)
{
	return o->letter == 0 && o->name == NULL;
}

static bool
is_now_option(const struct mem_opt *o)
{
	return o->name != NULL && strcmp(o->name, "now") == 0;
}

/* "--limit" or "-n", as the user would type it. */
static void
format_option_name(char out[64], const struct mem_opt *o)
{
	if (o->name != NULL)
		snprintf(out, 64, "--%s", o->name);
	else
		snprintf(out, 64, "-%c", o->letter);
}

_Noreturn static void
refuse_option_value(const struct mem_opt *o, const char *text, const char *wanted)
{
	char name[64];
	format_option_name(name, o);
	mem_die(MEM_USAGE, "%s: '%s' is not %s", name, text, wanted);
}

static void
apply_number_option(const struct mem_opt *o, const char *text)
{
	int64_t max = o->max != 0 ? o->max : INT64_MAX;
	if (text == NULL) {
		*o->num = o->min;
		return;
	}
	if (mem_number_parse(mem_str(text), o->min, max, o->num))
		return;
	char wanted[96];
	if (o->max != 0)
		snprintf(wanted, sizeof(wanted), "a whole number from %lld to %lld",
		    (long long)o->min, (long long)o->max);
	else
		snprintf(wanted, sizeof(wanted), "a whole number of at least %lld",
		    (long long)o->min);
	refuse_option_value(o, text, wanted);
}

static void
apply_real_option(const struct mem_opt *o, const char *text)
{
	char *end;
	double v = strtod(text, &end);
	bool shape = *text != '\0' && text[strspn(text, "0123456789+-.eE")] == '\0';
	if (!shape || *end != '\0' || !isfinite(v))
		refuse_option_value(o, text, "a number");
	bool any = !(o->low < 0) && !(o->low > 0) && !(o->high < 0) && !(o->high > 0);
	if (!any && (v < o->low || v > o->high)) {
		char wanted[96];
		snprintf(wanted, sizeof(wanted), "a number from %g to %g", o->low, o->high);
		refuse_option_value(o, text, wanted);
	}
	*o->real = v;
}

static void
add_option_word(struct mem_words *w, const char *s)
{
	/* Grown by copying: a few words, and the arena keeps them reachable. */
	const char **v = mem_arena_alloc(&kept, (w->n + 1) * sizeof(*v));
	for (size_t i = 0; i < w->n; i++)
		v[i] = w->v[i];
	v[w->n] = s;
	w->v = v;
	w->n++;
}

static void
apply_words_option(const struct mem_opt *o, const char *text)
{
	if (!o->commas) {
		add_option_word(o->words, text);
		return;
	}
	for (const char *all = text;;) {
		size_t n = strcspn(text, ",");
		if (n == 0)
			refuse_option_value(o, all, "a list like a,b");
		add_option_word(o->words, mem_arena_dup(&kept, text, n));
		if (text[n] == '\0')
			return;
		text += n + 1;
	}
}

static void
apply_choice_option(const struct mem_opt *o, const char *text)
{
	for (int i = 0; o->choices[i] != NULL; i++)
		if (strcmp(o->choices[i], text) == 0) {
			*o->choice = i;
			return;
		}
	const char *wanted = "";
	for (int i = 0; o->choices[i] != NULL; i++)
		wanted = mem_arena_printf(&kept, "%s%s%s", wanted, i == 0 ? "one of " : ", ",
		    o->choices[i]);
	refuse_option_value(o, text, wanted);
}

static void
apply_option(const struct mem_opt *o, const char *text)
{
	if (o->flag != NULL)
		*o->flag = true;
	else if (o->str != NULL)
		*o->str = text;
	else if (o->num != NULL)
		apply_number_option(o, text);
	else if (o->real != NULL)
		apply_real_option(o, text);
	else if (o->words != NULL)
		apply_words_option(o, text);
	else if (o->choice != NULL)
		apply_choice_option(o, text);
	else if (o->duration != NULL && !mem_duration_parse(mem_str(text), o->duration))
		refuse_option_value(o, text, MEM_DURATION_WANTED);
	else if (o->time != NULL && !mem_time_parse_user(mem_str(text), mem_now(), o->time))
		refuse_option_value(o, text, MEM_TIME_WANTED);
}

bool
cli_option_given(struct mem_str name)
{
	for (size_t i = 0; i < nseen; i++) {
		const struct mem_opt *o = seen[i].opt;
		if (o->name != NULL ? mem_str_is(name, o->name) : name.n == 1 && name.p[0] == o->letter)
			return true;
	}
	return false;
}

/* --now first, whatever its place: the other times are read relative to it. */
static void
apply_options(void)
{
	for (size_t i = 0; i < nseen; i++) {
		int64_t ms;
		if (!is_now_option(seen[i].opt))
			continue;
		if (!mem_time_parse_user(mem_str(seen[i].text), mem_time_now(), &ms))
			refuse_option_value(seen[i].opt, seen[i].text, "a time like 2026-11-28T09:00:00Z");
		cli_set_now(ms);
	}
	for (size_t i = 0; i < nseen; i++)
		if (!is_now_option(seen[i].opt))
			apply_option(seen[i].opt, seen[i].text);
}

/* What getopt_long wants: `letters` gets ":hVab:", `longs` the names. */
struct getopt_tables {
	char *letters;
	struct option *longs;
};

static void
build_getopt_tables(struct getopt_tables *t, const struct mem_opt *opts, size_t n)
{
	size_t k = 0;
	t->longs = mem_arena_alloc(&kept, (n + 4) * sizeof(*t->longs));
	t->longs[k++] = (struct option){ "help", no_argument, NULL, OPT_HELP };
	t->longs[k++] = (struct option){ "version", no_argument, NULL, OPT_VERSION };
	t->longs[k++] = (struct option){ "complete", no_argument, NULL, OPT_COMPLETE };
	t->letters = mem_arena_alloc(&kept, 2 * n + sizeof(":hV"));
	char *p = stpcpy(t->letters, ":hV");
	for (size_t i = 0; i < n; i++) {
		int arg = opts[i].arg != NULL ? required_argument : no_argument;
		if (opts[i].name != NULL)
			t->longs[k++] = (struct option){ opts[i].name, arg, NULL,
			    OPT_TABLE + (int)i + 256 };
		if (opts[i].letter != 0)
			*p++ = opts[i].letter;
		if (opts[i].letter != 0 && opts[i].arg != NULL)
			*p++ = ':';
	}
}

/* getopt_long takes "--lim" for "--limit"; a script that did would break with the next
 * option, so the token must hold the whole name. */
static void
refuse_abbreviated_name(char **argv, const char *name, bool has_arg)
{
	const char *token = argv[optind - 1];
	size_t n = strlen(name);
	if (has_arg && optarg == token)
		token = argv[optind - 2];
	if (strncmp(token, "--", 2) != 0)
		return;
	token += 2;
	if (strncmp(token, name, n) != 0 || (token[n] != '\0' && token[n] != '='))
		mem_die(MEM_USAGE, "unknown option '--%.*s'; see %s --help",
		    (int)strcspn(token, "="), token, cli_command_name());
}

static const struct mem_opt *
find_option_by_value(const struct mem_opt *opts, size_t n, int value)
{
	if (value >= OPT_TABLE + 256)
		return &opts[value - OPT_TABLE - 256];
	for (size_t i = 0; i < n; i++)
		if (opts[i].letter == value)
			return &opts[i];
	return NULL;
}

_Noreturn static void
refuse_option(char **argv, int c)
{
	const char *token = argv[optind - 1];
	bool is_long = strncmp(token, "--", 2) == 0;
	if (c == ':' && is_long)
		mem_die(MEM_USAGE, "%s needs a value", token);
	if (c == ':')
		mem_die(MEM_USAGE, "-%c needs a value", optopt);
	if (is_long && strchr(token, '=') != NULL && optopt != 0)
		mem_die(MEM_USAGE, "%.*s takes no value", (int)strcspn(token, "="), token);
	if (optopt != 0 && optopt < 256)
		mem_die(MEM_USAGE, "unknown option '-%c'; see %s --help", optopt, cli_command_name());
	mem_die(MEM_USAGE, "unknown option '%.*s'; see %s --help",
	    (int)strcspn(token, "="), token, cli_command_name());
}

void
mem_opts(int *argc, char ***argv, const struct mem_opt *opts, const char *usage,
    const char *about)
{
	size_t n = 0;
	nseen = 0;
	while (!cli_is_table_end(&opts[n]))
		n++;
	cli_start_command(usage);
	struct getopt_tables t = { 0 };
	build_getopt_tables(&t, opts, n);
	size_t room = 0;
	int c, at = -1;
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(*argc, *argv, t.letters, t.longs, &at)) != -1) {
		if (c == '?' || c == ':')
			refuse_option(*argv, c);
		if (at >= 0)
			refuse_abbreviated_name(*argv, t.longs[at].name, t.longs[at].has_arg != 0);
		at = -1;
		if (c == 'h' || c == OPT_HELP)
			cli_print_help(opts, usage, about);
		if (c == 'V' || c == OPT_VERSION)
			mem_out_printf("%s (memkit) %s\n", cli_command_name(), MEM_VERSION);
		if (c == OPT_COMPLETE)
			cli_print_completion(opts, usage, about);
		const struct mem_opt *o = find_option_by_value(opts, n, c);
		if (o == NULL)
			exit(mem_finish(MEM_OK));
		seen = mem_grow(seen, &room, nseen + 1, sizeof(*seen));
		seen[nseen++] = (struct seen_option){ o, optarg };
	}
	apply_options();
	*argc -= optind;
	*argv += optind;
}
