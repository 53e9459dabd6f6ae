/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf: settings and rule files.
 *
 * Both are YAML as libyaml reads it, within limits that make it data and
 * nothing else: 1 MiB, 32 levels, no aliases, anchors or tags, no second
 * document, no duplicate keys, UTF-8 only.  A fault names file, line and column.
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
enum mem_status mem_yaml_load(struct mem_yaml **out, struct mem_arena *arena,
    int dirfd, const char *path, struct mem_err *err) MEM_CHECKED;
/* The member a.b.c of maps, or NULL. */
const struct mem_yaml *mem_yaml_get(const struct mem_yaml *root, const char *path);

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
int64_t mem_conf_duration(const struct mem_conf *c, const char *name); /* ms; -1 when "off" */
double mem_conf_num(const struct mem_conf *c, const char *name);
/* Lists and maps: the node of the strongest layer that has it, else NULL. */
const struct mem_yaml *mem_conf_node(const struct mem_conf *c, const char *name);

/*
 * The settings that send data or run something (commands, URLs, key names, rule and
 * model paths): BLAKE2b-128 over those that the store's own file sets, in name
 * order.  False when it sets none: then nothing needs trust.
 */
bool mem_conf_active_hash(const struct mem_conf *c, struct mem_hash *out);

#endif
