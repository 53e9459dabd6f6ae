/* SPDX-License-Identifier: Apache-2.0 */
/* The front matter of a skill as fields of its node. */
#include "skill/skill_int.h"

#include <string.h>

enum { FIELD_NAME_MAX = 64 };

/* Fields of a skill, in the order that mem-records(5) has, but for those that come from front matter. */
static const char *const skill_own_fields[] = {
	"ref", "name", "description", "category", "tags", "release", "sha256", "path", "file_sha256", "relations", "extra", "front", "content",
};

/* Names that memkit gives a meaning: those of every node, then those of skills. */
static const char *const reserved_names[] = {
	"id", "kind", "ns", "created_at", "version", "status", "origin", "role", "type", "importance", "trust", "confidence", "last_access",
	"access_count", "pinned", "expired_at", "expires_at", "captured_at", "valid_from", "valid_to", "superseded_at", "superseded_by",
	"supersedes", "session_id", "redactions", "injection_flags", "near_duplicate_of", "truncated", "aliases", "title", "slug", "speaker",
	"listener", "statement", "edge", "from", "to", "signals", "rank", "score", "mode", "match", "tag", "release_of", "missing", "state",
	"reason", "reasons", "uses", "successes", "failures", "partials", "latency_ms", "last_used", "days", "effectiveness", "effectiveness_base", "alpha", "beta",
	"trend", "variant", "share", "merged", "draft", "ab", "edges", "latencies", "proposal", "releases", "status_changes", "active_until",
	"latency_total_us",
};

static bool
is_listed_key(struct mem_str key, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (mem_str_is(key, names[i]))
			return true;
	return false;
}

bool
skill_front_is_field(struct mem_str key)
{
	for (size_t i = 0; i < key.n; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", key.p[i]) == NULL || key.p[i] == '\0')
			return false;
	return key.n > 0 && key.n <= FIELD_NAME_MAX && !is_listed_key(key, reserved_names, MEM_COUNT(reserved_names)) &&
	    !is_listed_key(key, skill_own_fields, MEM_COUNT(skill_own_fields));
}

/* ---- values ----------------------------------------------------------- */

/* A word that YAML's core schema reads as something else than text (YAML 1.2, §10.3), where JSON has the same. */
static void
put_yaml_scalar(struct mem_buf *out, const struct mem_yaml *y)
{
	if (y->plain && (y->scalar.n == 0 || mem_str_is(y->scalar, "~") || mem_str_is(y->scalar, "null")))
		mem_buf_puts(out, "null");
	else if (y->plain && (mem_str_is(y->scalar, "true") || mem_str_is(y->scalar, "false")))
		mem_buf_str(out, y->scalar);
	else if (!y->plain || !mem_yaml_number_put(out, y->scalar))
		mem_json_put_string(out, y->scalar);
}

/* At most 32 levels, as conf.h says. */
static void
put_yaml_value(struct mem_buf *out, const struct mem_yaml *y)
{
	if (y->type == MEM_YAML_SCALAR) {
		put_yaml_scalar(out, y);
		return;
	}
	bool map = y->type == MEM_YAML_MAP;
	mem_buf_putc(out, map ? '{' : '[');
	for (const struct mem_yaml *c = y->child; c != NULL; c = c->next) {
		mem_buf_puts(out, c != y->child ? "," : "");
		if (map) {
			mem_json_put_string(out, c->key);
			mem_buf_putc(out, ':');
		}
		put_yaml_value(out, c);
	}
	mem_buf_putc(out, map ? '}' : ']');
}

/* ---- members ---------------------------------------------------------- */

/* Those that the draft has read already. */
static bool
is_taken_member(const struct mem_yaml *y)
{
	bool text = y->type == MEM_YAML_SCALAR;
	return (text && (mem_str_is(y->key, "name") || mem_str_is(y->key, "description") || mem_str_is(y->key, "category"))) ||
	    (y->type != MEM_YAML_MAP && mem_str_is(y->key, "tags"));
}

static void
put_front_member(struct mem_buf *out, const struct mem_yaml *y)
{
	if (out->len > 0 && strchr("{", out->data[out->len - 1]) == NULL)
		mem_buf_putc(out, ',');
	mem_json_put_string(out, y->key);
	mem_buf_putc(out, ':');
	put_yaml_value(out, y);
}

void
skill_front_put(struct mem_buf *record, const struct mem_yaml *front)
{
	size_t extra = 0;
	for (const struct mem_yaml *y = front != NULL ? front->child : NULL; y != NULL; y = y->next) {
		bool other = !is_taken_member(y);
		if (other && skill_front_is_field(y->key))
			put_front_member(record, y);
		extra += other && !skill_front_is_field(y->key);
	}
	if (extra == 0)
		return;
	mem_json_put_raw(record, "extra", MEM_STR("{"));
	for (const struct mem_yaml *y = front->child; y != NULL; y = y->next)
		if (!is_taken_member(y) && !skill_front_is_field(y->key))
			put_front_member(record, y);
	mem_buf_putc(record, '}');
}
