/* SPDX-License-Identifier: Apache-2.0 */
/* Settings by name, from the files that have them. */
#include "conf/conf.h"
#include "conf/job_names.h"
#include "conf/signal_names.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum setting_type { STRING, INT, COUNT, NUMBER, DURATION, LIST, MAP, WORD, SCHEDULES, WEIGHTS };

#define NUMBER_MAX  "1000000000000"
#define SECONDS_MAX "31536000" /* a year */
#define JOB_WORD(name) #name "|"
#define SIGNAL_WORD(upper, lower) #lower "|"
#define CLASS_SETTING(upper, lower) { "search.class." #lower, WEIGHTS, false, NULL, MEM_SIGNAL_NAMES(SIGNAL_WORD) },

/* Every setting there is.  mem-config(5) says what each one does. */
static const struct setting {
	const char *name;
	enum setting_type type;
	bool active;            /* sends data or runs something: needs trust */
	const char *fallback;   /* lists and maps: NULL */
	const char *words;      /* WORD: the values allowed, SCHEDULES, WEIGHTS: the members, LIST: the items, NULL: any; between '|'.  INT, COUNT:
	                         * the greatest, NULL: NUMBER_MAX.  DURATION: "off" where that has a meaning */
} settings[] = {
	{ "agent", STRING, false, "", NULL },
	{ "agents", MAP, false, NULL, NULL },
	{ "belief.rules", LIST, true, NULL, NULL },
	{ "attest.k", INT, false, "3", NULL },
	{ "attest.threshold", NUMBER, false, "0.8", NULL },
	{ "capture.commit_every", INT, false, "256", NULL },
	{ "capture.max_bytes", INT, false, "1048576", NULL },
	{ "capture.trust", NUMBER, false, "0.5", NULL },
	{ "capture.trust_max", NUMBER, false, "0.5", NULL },
	{ "consolidate.with", STRING, true, "", NULL },
	{ "consolidate.with_seconds", COUNT, false, "60", SECONDS_MAX },
	{ "core.attest", LIST, false, NULL, NULL },
	{ "decay.archive", NUMBER, false, "0.9", NULL },
	{ "decay.review", NUMBER, false, "0.7", NULL },
	{ "decay.sweep", WORD, false, "off", "on|off" },
	{ "documents.ns", STRING, false, "", NULL },
	{ "embed.batch", INT, false, "64", NULL },
	{ "embed.key_env", STRING, true, "", NULL },
	{ "embed.max_bytes", INT, false, "8192", NULL },
	{ "embed.model", STRING, true, "", NULL },
	{ "embed.query_prefix", STRING, false, "", NULL },
	{ "embed.seconds", COUNT, false, "10", SECONDS_MAX },
	{ "embed.text_prefix", STRING, false, "", NULL },
	{ "embed.threads", COUNT, false, "0", "1024" },
	{ "embed.timeout", DURATION, false, "30s", NULL },
	{ "embed.url", STRING, true, "", NULL },
	{ "forget.age", DURATION, false, "30d", NULL },
	{ "forget.batch", INT, false, "200", NULL },
	{ "forget.importance", NUMBER, false, "0.05", NULL },
	{ "forget.sweep", WORD, false, "off", "on|off" },
	{ "forget.trust", NUMBER, false, "0.3", NULL },
	{ "gate.tokens", INT, false, "4000", NULL },
	{ "grade.fallback_with", STRING, true, "", NULL },
	{ "hebb.decay", NUMBER, false, "0.995", NULL },
	{ "hebb.delta", NUMBER, false, "0.05", NULL },
	{ "hebb.learn", WORD, false, "on", "on|off" },
	{ "hebb.least", NUMBER, false, "0.1", NULL },
	{ "hebb.rate", NUMBER, false, "0.05", NULL },
	{ "hebb.reinforce", NUMBER, false, "0.1", NULL },
	{ "hebb.sessions", INT, false, "2", NULL },
	{ "hebb.window", DURATION, false, "24h", NULL },
	{ "learn.promote", WORD, false, "global", "off|team|global" },
	{ "maintain", SCHEDULES, false, NULL, MEM_JOB_NAMES(JOB_WORD) },
	{ "markers.mode", WORD, false, "excise", "excise|flag|strict" },
	{ "markers.rules", STRING, true, "", NULL },
	{ "mine.max_sets", INT, false, "1000000", NULL },
	{ "mine.min_count", INT, false, "3", NULL },
	{ "mine.patterns", WORD, false, "on", "on|off" },
	{ "operators", LIST, false, NULL, NULL },
	{ "promote.gate", WORD, false, "off", "on|off" },
	{ "queries.keep", DURATION, false, "30d", "off" },
	{ "queries.log", WORD, false, "off", "off|hash|text" },
	{ "redact.groups", STRING, false, "secrets,personal", NULL },
	{ "redact.rules", STRING, true, "", NULL },
	{ "rerank.factors", WORD, false, "off", "on|off" },
	{ "rerank.lambda", NUMBER, false, "0.7", NULL },
	{ "rerank.mmr", WORD, false, "on", "on|off" },
	{ "rerank.per_community", COUNT, false, "0", NULL },
	{ "rerank.per_session", COUNT, false, "0", NULL },
	{ "rerank.with", STRING, true, "", NULL },
	{ "reviewers", LIST, false, NULL, NULL },
	MEM_CLASS_NAMES(CLASS_SETTING)
	{ "search.hyde_with", STRING, true, "", NULL },
	{ "search.language", STRING, false, "english", NULL },
	{ "search.neighbours", WORD, false, "on", "on|off" },
	{ "search.pieces", WORD, false, "on", "on|off" },
	{ "search.pieces_bytes", COUNT, false, "1073741824", NULL },
	{ "search.ranker.pieces", STRING, false, "", NULL },
	{ "search.ranker.vectors", STRING, false, "", NULL },
	{ "search.ranker.words", STRING, false, "", NULL },
	{ "search.stages", STRING, false, "fuse,neighbours,rm3", NULL },
	{ "sign.require", WORD, false, "off", "on|off" },
	{ "sign.skew", DURATION, false, "60s", "off" },
	{ "skills.expire", DURATION, false, "30d", "off" },
	{ "skills.gaps", WORD, false, "off", "off|draft" },
	{ "skills.ns", STRING, false, "", NULL },
	{ "skills.paths", LIST, false, NULL, NULL },
	{ "skills.redact", STRING, false, "secrets", NULL },
	{ "skills.repair", LIST, false, NULL, "duplicate|circular|stale|orphan" },
	{ "skills.with", STRING, true, "", NULL },
	{ "spread.hops", INT, false, "3", "16" },
	{ "spread.leak", NUMBER, false, "0.85", NULL },
	{ "spread.min_signal", NUMBER, false, "0.02", NULL },
	{ "spread.threshold", NUMBER, false, "0.5", NULL },
	{ "store.wait", DURATION, false, "10s", NULL },
	{ "tier.least_items", INT, false, "2", NULL },
	{ "tier.most_items", INT, false, "4", NULL },
	{ "tier.nights", INT, false, "7", NULL },
	{ "tier.owners", INT, false, "3", NULL },
	{ "tier.share", WORD, false, "on", "on|off" },
	{ "vault.ignore", LIST, false, NULL, NULL },
	{ "vault.name", STRING, false, "", NULL },
	{ "vault.ns", STRING, false, "", NULL },
	{ "vault.redact", STRING, false, "secrets", NULL },
};

enum { LAYER_STORE, LAYER_USER, LAYER_COUNT };

struct mem_conf {
	struct mem_arena arena;
	struct mem_yaml *layer[LAYER_COUNT]; /* NULL: no such file */
	const char *file[LAYER_COUNT];       /* its name in messages */
};

static const struct setting *
find_setting(const char *name)
{
	for (size_t i = 0; i < MEM_COUNT(settings); i++)
		if (strcmp(settings[i].name, name) == 0)
			return &settings[i];
	return NULL;
}

/* Is `name` a folder of settings ("capture" of "capture.trust")? */
static bool
is_setting_prefix(const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < MEM_COUNT(settings); i++)
		if (strncmp(settings[i].name, name, n) == 0 && settings[i].name[n] == '.')
			return true;
	return false;
}

static bool
parse_finite_number(struct mem_str s, double *out)
{
	char *end;
	if (s.n == 0)
		return false;
	*out = strtod(s.p, &end); /* scalars are NUL-terminated */
	return end == s.p + s.n && isfinite(*out);
}

static bool
is_listed_word(struct mem_str s, const char *words)
{
	for (const char *w = words; *w != '\0';) {
		size_t n = strcspn(w, "|");
		if (mem_str_eq(s, (struct mem_str){ w, n }))
			return true;
		w += n + (w[n] == '|');
	}
	return false;
}

/* So that a number can be multiplied, as by the milliseconds of a second. */
static const char *
greatest_number(const struct setting *s)
{
	return s->words != NULL ? s->words : NUMBER_MAX;
}

static bool
is_valid_scalar(const struct setting *s, struct mem_str v)
{
	int64_t i;
	double d;
	switch (s->type) {
	case STRING:
		return true;
	case INT:
	case COUNT:
		return mem_number_parse(v, s->type == INT ? 1 : 0, strtoll(greatest_number(s), NULL, 10), &i);
	case NUMBER:
		return parse_finite_number(v, &d) && d >= 0 && d <= 1;
	case DURATION:
		return (s->words != NULL && mem_str_is(v, s->words)) || mem_duration_parse(v, &i);
	case WORD:
		return is_listed_word(v, s->words);
	case LIST:
	case MAP:
	case SCHEDULES:
	case WEIGHTS:
		break;
	}
	return false;
}

static const char *
describe_setting_type(const struct setting *s, char range[64])
{
	switch (s->type) {
	case STRING: return "text";
	case INT:
	case COUNT:
		snprintf(range, 64, "a whole number from %d to %s", s->type == INT ? 1 : 0, greatest_number(s));
		return range;
	case NUMBER: return "a number from 0 to 1";
	case DURATION: return s->words != NULL ? MEM_DURATION_WANTED ", or off" : MEM_DURATION_WANTED;
	case WORD: return s->words;
	case LIST: return "a list";
	case MAP:
	case SCHEDULES:
	case WEIGHTS: return "a map";
	}
	return "";
}

/* A member of a map of times or of weights. */
static bool
is_valid_member(const struct setting *s, const struct mem_yaml *m)
{
	struct mem_schedule schedule;
	double weight;
	if (m->type != MEM_YAML_SCALAR)
		return false;
	return s->type == SCHEDULES ? mem_schedule_parse(m->scalar, &schedule)
	    : parse_finite_number(m->scalar, &weight) && fabs(weight) <= MEM_CONF_WEIGHT_MAX;
}

static enum mem_status
check_members(const struct setting *setting, const struct mem_yaml *map, const char *file, struct mem_err *err)
{
	const char *name = setting->name;
	const char *wanted = setting->type == SCHEDULES ? MEM_SCHEDULE_WANTED : "a number from -1000 to 1000";
	for (const struct mem_yaml *m = map->child; m != NULL; m = m->next)
		if (!is_listed_word(m->key, setting->words))
			return mem_err_set(err, MEM_FAIL, "%s:%u: no such setting: %s.%.*s (see mem-config(5))", file, m->line, name,
			    (int)(m->key.n < 80 ? m->key.n : 80), m->key.p);
		else if (!is_valid_member(setting, m))
			return mem_err_set(err, MEM_FAIL, "%s:%u: %s.%.*s must be %s", file, m->line, name,
			    (int)(m->key.n < 80 ? m->key.n : 80), m->key.p, wanted);
	return MEM_OK;
}

/* What is in a list is text: a list in a list would name nobody. */
static enum mem_status
check_list_items(const struct setting *setting, const struct mem_yaml *list, const char *file, struct mem_err *err)
{
	for (const struct mem_yaml *m = list->child; m != NULL; m = m->next)
		if (m->type != MEM_YAML_SCALAR)
			return mem_err_set(err, MEM_FAIL, "%s:%u: %s must be a list of names, without lists or maps in it", file, m->line, setting->name);
		else if (setting->words != NULL && !is_listed_word(m->scalar, setting->words))
			return mem_err_set(err, MEM_FAIL, "%s:%u: %s must be a list of %s", file, m->line, setting->name, setting->words);
	return MEM_OK;
}

/* Is a member of the tree what its setting wants? */
static bool
is_valid_setting(const struct setting *s, const struct mem_yaml *m)
{
	switch (s->type) {
	case LIST:
		return m->type == MEM_YAML_SEQ;
	case MAP:
	case SCHEDULES:
	case WEIGHTS:
		return m->type == MEM_YAML_MAP;
	default:
		return m->type == MEM_YAML_SCALAR && is_valid_scalar(s, m->scalar);
	}
}

/* Checks one file's tree below `prefix` against the table of settings. */
static enum mem_status
check_settings(const struct mem_yaml *map, const char *prefix, const char *file, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	struct mem_buf name = { 0 };
	char range[64];
	for (const struct mem_yaml *m = map->child; m != NULL && st == MEM_OK; m = m->next) {
		mem_buf_reset(&name);
		mem_buf_printf(&name, "%s%s%.*s", prefix, prefix[0] != '\0' ? "." : "", (int)m->key.n, m->key.p);
		const struct setting *s = find_setting(name.data);
		if (s == NULL && m->type == MEM_YAML_MAP && is_setting_prefix(name.data)) {
			st = check_settings(m, name.data, file, err);
			continue;
		}
		if (s == NULL)
			st = mem_err_set(err, MEM_FAIL, "%s:%u: no such setting: %s (see mem-config(5))",
			    file, m->line, name.data);
		else if (memchr(m->key.p, '.', m->key.n) != NULL)
			st = mem_err_set(err, MEM_FAIL, "%s:%u: a key with a dot: write %s as a key inside a map, as mem-config(5) has it",
			    file, m->line, name.data);
		else if (!is_valid_setting(s, m))
			st = mem_err_set(err, MEM_FAIL, "%s:%u: %s must be %s", file, m->line, name.data, describe_setting_type(s, range));
		else if (s->type == SCHEDULES || s->type == WEIGHTS)
			st = check_members(s, m, file, err);
		else if (s->type == LIST)
			st = check_list_items(s, m, file, err);
	}
	mem_buf_release(&name);
	return st;
}

static enum mem_status
load_layer(struct mem_conf *c, int layer, int dirfd, const char *path, struct mem_err *err)
{
	if (faccessat(dirfd, path, F_OK, 0) != 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return MEM_OK;
		return mem_err_sys(err, MEM_FAIL, "cannot read '%s'", path);
	}
	enum mem_status st = mem_yaml_load(&c->layer[layer], &c->arena, dirfd, path, err);
	if (st != MEM_OK)
		return st;
	c->file[layer] = mem_arena_dup(&c->arena, path, strlen(path));
	if (c->layer[layer]->type != MEM_YAML_MAP)
		return mem_err_set(err, MEM_FAIL, "%s: settings are a map", path);
	return check_settings(c->layer[layer], "", path, err);
}

enum mem_status
mem_conf_load(struct mem_conf **out, int storefd, struct mem_err *err)
{
	struct mem_conf *c = mem_xcalloc(1, sizeof *c);
	struct mem_buf path = { 0 };
	enum mem_status st = MEM_OK;
	if (storefd >= 0)
		st = load_layer(c, LAYER_STORE, storefd, "config.yaml", err);
	if (st == MEM_OK && mem_xdg_path(&path, "XDG_CONFIG_HOME", ".config", "memkit/config.yaml"))
		st = load_layer(c, LAYER_USER, AT_FDCWD, path.data, err);
	mem_buf_release(&path);
	if (st != MEM_OK) {
		mem_conf_free(c);
		return st;
	}
	*out = c;
	return MEM_OK;
}

void
mem_conf_free(struct mem_conf *c)
{
	if (c == NULL)
		return;
	mem_arena_release(&c->arena);
	free(c);
}

const struct mem_yaml *
mem_conf_node(const struct mem_conf *c, const char *name)
{
	for (int i = 0; i < LAYER_COUNT; i++) {
		const struct mem_yaml *y = c->layer[i] != NULL ? mem_yaml_get(c->layer[i], name) : NULL;
		if (y != NULL)
			return y;
	}
	return NULL;
}

struct mem_str
mem_conf_str(const struct mem_conf *c, const char *name)
{
	const struct mem_yaml *y = mem_conf_node(c, name);
	return y != NULL ? y->scalar : mem_str(find_setting(name)->fallback);
}

int64_t
mem_conf_int(const struct mem_conf *c, const char *name)
{
	int64_t v = 0;
	bool ok = mem_number_parse(mem_conf_str(c, name), INT64_MIN, INT64_MAX, &v);
	return ok ? v : 0; /* checked when loaded */
}

int64_t
mem_conf_duration(const struct mem_conf *c, const char *name)
{
	int64_t ms;
	return mem_duration_parse(mem_conf_str(c, name), &ms) ? ms : -1;
}

double
mem_conf_num(const struct mem_conf *c, const char *name)
{
	double v = 0;
	return parse_finite_number(mem_conf_str(c, name), &v) ? v : 0;
}

/* The member of a map, of the strongest layer that has that member. */
static const struct mem_yaml *
find_member(const struct mem_conf *c, const char *map, const char *name)
{
	for (int i = 0; i < LAYER_COUNT; i++) {
		const struct mem_yaml *y = c->layer[i] != NULL ? mem_yaml_get(c->layer[i], map) : NULL;
		for (y = y != NULL ? y->child : NULL; y != NULL; y = y->next)
			if (mem_str_is(y->key, name))
				return y;
	}
	return NULL;
}

bool
mem_conf_schedule(const struct mem_conf *c, const char *map, const char *name, struct mem_schedule *out)
{
	const struct mem_yaml *y = find_member(c, map, name);
	return y != NULL && mem_schedule_parse(y->scalar, out);
}

double
mem_conf_weight(const struct mem_conf *c, const char *map, const char *name)
{
	const struct mem_yaml *y = find_member(c, map, name);
	double v = 0;
	return y != NULL && parse_finite_number(y->scalar, &v) ? v : 0;
}

/* The hash of a list's items, so that none of them can pass for the name of the next setting. */
static struct mem_str
hash_list_items(const struct mem_yaml *list, struct mem_hash *room)
{
	size_t n = 0;
	for (const struct mem_yaml *m = list->child; m != NULL; m = m->next)
		n++;
	struct mem_str *items = mem_xcalloc(n + 1, sizeof *items);
	n = 0;
	for (const struct mem_yaml *m = list->child; m != NULL; m = m->next)
		items[n++] = m->scalar;
	*room = mem_hash128(NULL, items, n);
	free(items);
	return (struct mem_str){ (const char *)room->b, sizeof room->b };
}

bool
mem_conf_active_hash(const struct mem_conf *c, struct mem_hash *out)
{
	struct mem_str parts[2 * MEM_COUNT(settings)];
	struct mem_hash lists[MEM_COUNT(settings)];
	size_t n = 0;
	if (c->layer[LAYER_STORE] == NULL)
		return false;
	for (size_t i = 0; i < MEM_COUNT(settings); i++) {
		const struct mem_yaml *y = settings[i].active ? mem_yaml_get(c->layer[LAYER_STORE], settings[i].name) : NULL;
		if (y == NULL)
			continue;
		parts[n++] = mem_str(settings[i].name);
		parts[n++] = y->type == MEM_YAML_SEQ ? hash_list_items(y, &lists[i]) : y->scalar;
	}
	if (n > 0)
		*out = mem_hash128(NULL, parts, n);
	return n > 0;
}
