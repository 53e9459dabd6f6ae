/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf: settings and rule files.
 *
 * Both are YAML as libyaml reads it, within limits that make it data and
 * nothing else: 1 MiB, 32 levels, no aliases, anchors or tags, no second
 * document, no duplicate keys, UTF-8 only.  A fault names file, line and column.
 * Front matter, which people write for other programs, may have anchors and aliases.
 */
#ifndef MEM_CONF_H
#define MEM_CONF_H

#include "base/base.h"

/* ---- one YAML document ------------------------------------------------ */

enum mem_yaml_type { MEM_YAML_SCALAR, MEM_YAML_SEQ, MEM_YAML_MAP };

struct mem_yaml {
	enum mem_yaml_type type;
	bool plain;              /* a scalar that was not quoted */
	struct mem_str scalar;   /* ARENA; NUL-terminated */
	struct mem_str key;      /* of a map's member */
	unsigned line, column;   /* from 1 */
	struct mem_yaml *child;  /* first member of a sequence or map, in file order */
	struct mem_yaml *next;   /* next sibling */
};

/* An empty document gives an empty map.  `name` is for messages. */
enum mem_status mem_yaml_parse(struct mem_yaml **out, struct mem_arena *arena,
    struct mem_str text, const char *name, struct mem_err *err) MEM_CHECKED;
/* The same, with anchors and aliases: of what an alias stands for it gives a copy.  All copies together have at most MEM_YAML_COPIES nodes, so
 * that no text grows beyond all bounds; an alias within what it stands for is refused. */
#define MEM_YAML_COPIES 10000
#define MEM_YAML_NO_ANCHOR "an alias without an anchor before it" /* the end of that message */
enum mem_status mem_yaml_parse_aliased(struct mem_yaml **out, struct mem_arena *arena,
    struct mem_str text, const char *name, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_yaml_load(struct mem_yaml **out, struct mem_arena *arena,
    int dirfd, const char *path, struct mem_err *err) MEM_CHECKED;
/*
 * Appends a plain scalar as a JSON number, where it is an int or a float in decimal of YAML's core schema (YAML 1.2, 10.3.2):
 * [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?, with its digits as they stand: ".9" is 0.9, "+1." is 1.
 * False: it is none, and nothing is appended.
 */
bool mem_yaml_number_put(struct mem_buf *json, struct mem_str scalar);
/* The member a.b.c of maps, or NULL. */
const struct mem_yaml *mem_yaml_get(const struct mem_yaml *root, const char *path);

/* ---- rule files ------------------------------------------------------- */

/*
 * A rule file is a map of lists of rules, and of `words`.  A rule is a map of fields, one of which is its
 * `name`, of a-z, 0-9 and _, that no other rule of the list has.  A word is a named text that stands in for
 * <<name>> in the texts of rules and in other words.  mem-config(5), "Rules", shows one.
 *
 * The room that the rules are for names the lists and their fields in tables, and knows what the values mean.
 */
enum mem_rule_type {
	MEM_RULE_NAME,          /* 1 to 64 of a-z, 0-9 and _ */
	MEM_RULE_TEXT,          /* 1 to `max` bytes, once its words are put in */
	MEM_RULE_WORD,          /* one of `words` */
	MEM_RULE_BOOL,          /* true or false */
	MEM_RULE_NUMBER,        /* a whole number from 0 to `max` */
	MEM_RULE_FRACTION,      /* a number over 0, up to 1 */
	MEM_RULE_LIST,          /* of texts of 1 to `max` bytes each; nothing is put in for words there */
};
struct mem_rule_field {
	const char *name;
	enum mem_rule_type type;
	bool required;
	size_t max;
	const char *const *words;       /* NULL ends them */
	const char *expected;           /* in messages, what must stand there: one of `words` ("red or blue"; NULL:
	                                 * "no such FIELD: VALUE"), an entry of a list ("a colour") */
};
struct mem_rule_list {
	const char *name;               /* the key that it stands under */
	const struct mem_rule_field *fields; /* but for `name`, which every rule has */
	size_t nfields;
};
struct mem_rule_value {
	bool given;                     /* else all of it is zero */
	unsigned line;
	struct mem_str text;            /* a name, text or word */
	int64_t number;                 /* a number; of a bool 1 or 0; of a word its place in `words` */
	double fraction;
	struct mem_str *list;           /* [n] */
	size_t n;
};
struct mem_rule {
	struct mem_str name;
	unsigned line;
	size_t list;                    /* its list's place among the tables */
	const struct mem_rule_value *values; /* [nfields], in the order of the table */
};
struct mem_rules {
	const struct mem_rule *rules;   /* list by list as the tables stand, in a list as in the file */
	size_t n;                       /* 4,096 at most */
	const struct mem_rule_value *values; /* of mem_rule_shape: the file's own fields, in the order of the table */
};
/*
 * The rules of a file's text; all ARENA, of which some 64 bytes for each field of each rule.  MEM_FAIL, which
 * names file, line and rule: it is no YAML as mem_yaml_parse takes it, has a list or field that no table has,
 * lacks a required field, or a value is not of its field's type.  `file` is for messages.
 */
enum mem_status mem_rules_read(struct mem_rules *out, struct mem_arena *arena, const struct mem_rule_list *lists,
    size_t nlists, struct mem_str yaml, const char *file, struct mem_err *err) MEM_CHECKED;
/*
 * The same of a file that has fields of its own beside its lists, and whose rules stand each for itself: one that is refused
 * is told to `warn` and left out.  A fault of the file, or of its own fields, still ends it.
 */
struct mem_rule_shape {
	const struct mem_rule_list *lists;
	size_t nlists;
	const struct mem_rule_field *fields;
	size_t nfields;
	void (*warn)(void *ctx, const struct mem_err *why); /* NULL: the first that is refused ends it */
	void *ctx;
};
enum mem_status mem_rules_read_shape(struct mem_rules *out, struct mem_arena *arena, const struct mem_rule_shape *shape,
    struct mem_str yaml, const char *file, struct mem_err *err) MEM_CHECKED;
/* "FILE:LINE: rule NAME: why", for faults that only the room of the rule can know.  Returns MEM_FAIL. */
enum mem_status mem_rule_refuse(struct mem_err *err, const char *file, unsigned line, struct mem_str rule,
    const char *fmt, ...) MEM_PRINTF(5, 6);

/* ---- layered settings ------------------------------------------------- */

/*
 * Layers in falling order of force: store config.yaml, the user's
 * $XDG_CONFIG_HOME/memkit/config.yaml, built-in defaults.  Flags and environment are
 * the commands' own.  mem-config(5) lists every name with its default and type.
 */
struct mem_conf;

/* `storefd` -1: no store layer.  A missing file is an empty layer.  An unknown name
 * or a value of the wrong type is an error: a typing slip must not switch a guard off. */
enum mem_status mem_conf_load(struct mem_conf **out, int storefd,
    struct mem_err *err) MEM_CHECKED;
void mem_conf_free(struct mem_conf *c);

/* Scalars as text; never NULL for a name with a built-in default. */
struct mem_str mem_conf_str(const struct mem_conf *c, const char *name);
int64_t mem_conf_int(const struct mem_conf *c, const char *name);
int64_t mem_conf_duration(const struct mem_conf *c, const char *name); /* ms; -1 where it is off, which only some may be */
double mem_conf_num(const struct mem_conf *c, const char *name);
/* Lists and maps: the node of the strongest layer that has it, else NULL. */
const struct mem_yaml *mem_conf_node(const struct mem_conf *c, const char *name);

/* The member `name` of a map of times (`maintain`), of the strongest layer that has that member; false: none has it. */
bool mem_conf_schedule(const struct mem_conf *c, const char *map, const char *name, struct mem_schedule *out);
/* The same of a map of weights (`search.class.NAME`), numbers of at most this size; 0: none has it. */
#define MEM_CONF_WEIGHT_MAX 1000
double mem_conf_weight(const struct mem_conf *c, const char *map, const char *name);

/*
 * The settings that send data or run something (commands, URLs, key names, rule and
 * model paths): BLAKE2b-128 over those that the store's own file sets, in name
 * order.  False when it sets none: then nothing needs trust.
 */
bool mem_conf_active_hash(const struct mem_conf *c, struct mem_hash *out);

#endif
