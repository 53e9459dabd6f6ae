/* SPDX-License-Identifier: Apache-2.0 */
/* What skills are called, and the skill that a name, a ref or an id means. */
#include "skill/skill.h"

#include <stdlib.h>
#include <string.h>

#include "text/text.h"

/* ---- names ------------------------------------------------------------ */

bool
mem_skill_name_char_valid(uint32_t c)
{
	bool line_end = c == 0x85 || c == 0x2028 || c == 0x2029; /* what tears a line of output apart */
	return c >= ' ' && c != '/' && c != '\\' && !line_end && !mem_char_is_unseen(c);
}

bool
mem_skill_name_valid(struct mem_str name)
{
	if (name.n == 0 || name.n > MEM_SKILL_NAME_MAX || mem_utf8_valid(name.p, name.n) != name.n || mem_str_is(name, ".") || mem_str_is(name, ".."))
		return false;
	bool word = false;
	for (size_t at = 0, n; at < name.n; at += n) {
		uint32_t c;
		n = mem_utf8_decode(name.p + at, name.n - at, &c);
		if (n == 0 || !mem_skill_name_char_valid(c))
			return false;
		word = word || mem_char_is_word(c);
	}
	return word;
}

struct mem_str
mem_skill_ref(struct mem_arena *a, struct mem_str name)
{
	struct mem_str folded = mem_text_folded(a, name);
	return mem_str(mem_arena_printf(a, MEM_SKILL_REF "%.*s", (int)folded.n, folded.p));
}

struct mem_str
mem_skill_release_ref(struct mem_arena *a, struct mem_str name, struct mem_str release)
{
	struct mem_str folded = mem_text_folded(a, name);
	return mem_str(mem_arena_printf(a, MEM_SKILL_RELEASE_REF "%.*s/%.*s", (int)folded.n, folded.p, (int)release.n, release.p));
}

struct mem_str
mem_skill_identity(struct mem_arena *a, struct mem_str name)
{
	return mem_skill_ref(a, name);
}

struct mem_str
mem_skill_category(struct mem_arena *a, struct mem_str text)
{
	struct mem_str folded = mem_text_folded(a, text);
	struct mem_buf b = { 0 };
	for (size_t at = 0, n; at < folded.n; at += n) {
		uint32_t c;
		n = mem_utf8_decode(folded.p + at, folded.n - at, &c);
		if (mem_char_is_word(c))
			mem_buf_put(&b, folded.p + at, n);
		else if (b.len > 0 && b.data[b.len - 1] != '_')
			mem_buf_putc(&b, '_');
	}
	while (b.len > 0 && b.data[b.len - 1] == '_')
		b.len--;
	struct mem_str word = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return word;
}

const char *
mem_skill_ns(const struct mem_conf *conf, const char *ns)
{
	struct mem_str set = mem_conf_str(conf, "skills.ns");
	return ns != NULL ? ns : set.n > 0 ? set.p : NULL;
}

/* ---- by name ---------------------------------------------------------- */

/* The skill of a ref in a namespace. */
static enum mem_status
find_skill_by_ref(struct mem_skill *out, struct mem_txn *t, struct mem_str ns, struct mem_str ref, struct mem_arena *a, struct mem_err *err)
{
	uint32_t ord = UINT32_MAX;
	bool found = false;
	enum mem_status st;
	while ((st = mem_node_by_ref(t, ns, ref, &ord, err)) == MEM_OK) {
		struct mem_skill skill;
		st = mem_skill_at(&skill, t, ord, a, err);
		if (st == MEM_DAMAGED)
			mem_node_damage_note(t, ord);
		if (st == MEM_NOTFOUND || st == MEM_DAMAGED)
			continue;
		if (st != MEM_OK)
			return st;
		if (!mem_str_eq(skill.ref, ref) || skill.is_release)
			continue;
		if (!found || (skill.live && !out->live))
			*out = skill;
		found = true;
	}
	if (st != MEM_END && st != MEM_NOTFOUND)
		return st;
	return found ? MEM_OK : MEM_NOTFOUND;
}

enum mem_status
mem_skill_by_name(struct mem_skill *out, struct mem_txn *t, struct mem_str ns, struct mem_str name, struct mem_arena *a, struct mem_err *err)
{
	return find_skill_by_ref(out, t, ns, mem_skill_ref(a, name), a, err);
}

/* ---- operands --------------------------------------------------------- */

static enum mem_status
refuse_ambiguous_name(const struct mem_skill *one, const struct mem_skill *other, struct mem_err *err)
{
	enum mem_status st = mem_err_set(err, MEM_REFUSED, "'%.*s' is a skill of %.*s and of %.*s: name the namespace or the id", (int)one->name.n,
	    one->name.p, (int)one->ns.n, one->ns.p, (int)other->ns.n, other->ns.p);
	if (err != NULL)
		err->reason = "ambiguous";
	return st;
}

/* In all namespaces that are visible; a live one goes before those that are not. */
static enum mem_status
find_skill_anywhere(struct mem_skill *out, struct mem_txn *t, struct mem_str ref, struct mem_arena *a, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	size_t n = 0;
	bool found = false;
	enum mem_status st = mem_ns_visible(t, &ns, &n, err);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct mem_skill skill;
		if (ns[i].root != ns[i].number)
			continue;
		st = find_skill_by_ref(&skill, t, mem_str(ns[i].name), ref, a, err);
		if (st == MEM_OK && found && skill.live == out->live)
			st = refuse_ambiguous_name(out, &skill, err);
		else if (st == MEM_OK && (!found || skill.live))
			*out = skill;
		found = found || st == MEM_OK;
		st = st == MEM_NOTFOUND ? MEM_OK : st;
	}
	free(ns);
	return st == MEM_OK && !found ? MEM_NOTFOUND : st;
}

static enum mem_status
find_skill_by_operand_name(struct mem_skill *out, struct mem_txn *t, struct mem_str ns, struct mem_str operand, struct mem_arena *a,
    struct mem_err *err)
{
	static const struct mem_str start = { MEM_SKILL_REF, sizeof MEM_SKILL_REF - 1 };
	bool is_ref = operand.n > start.n && memcmp(operand.p, start.p, start.n) == 0;
	struct mem_str ref = mem_skill_ref(a, is_ref ? (struct mem_str){ operand.p + start.n, operand.n - start.n } : operand);
	struct mem_str set = mem_conf_str(mem_store_conf(mem_txn_store(t)), "skills.ns");
	enum mem_status st = MEM_NOTFOUND;
	if (ref.n <= start.n)
		return MEM_NOTFOUND;
	if (ns.n > 0 || set.n > 0)
		st = find_skill_by_ref(out, t, ns.n > 0 ? ns : set, ref, a, err);
	return st == MEM_NOTFOUND && ns.n == 0 ? find_skill_anywhere(out, t, ref, a, err) : st;
}

static enum mem_status
find_skill_by_id(struct mem_skill *out, struct mem_txn *t, const struct mem_id *id, struct mem_arena *a, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_by_id(t, id, &node, err);
	return st == MEM_OK ? mem_skill_read(out, t, &node, a) : st;
}

static enum mem_status
refuse_empty_name(struct mem_err *err)
{
	enum mem_status st = mem_err_set(err, MEM_NOTFOUND, "no skill has an empty name");
	if (err != NULL)
		err->reason = "empty";
	return st;
}

enum mem_status
mem_skill_find(struct mem_skill *out, struct mem_txn *t, struct mem_str ns, struct mem_str operand, struct mem_arena *a, struct mem_err *err)
{
	struct mem_id id;
	if (operand.n == 0)
		return refuse_empty_name(err);
	bool whole = mem_id_parse(operand, &id);
	enum mem_status st = whole ? MEM_OK : find_skill_by_operand_name(out, t, ns, operand, a, err);
	if (!whole && st == MEM_NOTFOUND) {
		st = mem_id_find_at(t, operand, &id, err);
		whole = st == MEM_OK;
		st = st == MEM_USAGE ? MEM_NOTFOUND : st;
	}
	if (whole)
		st = find_skill_by_id(out, t, &id, a, err);
	if (st != MEM_NOTFOUND)
		return st;
	st = mem_err_set(err, MEM_NOTFOUND, "no such skill: %.*s", (int)(operand.n < 200 ? operand.n : 200), operand.p);
	if (err != NULL)
		err->reason = "not_found";
	return st;
}
