/* SPDX-License-Identifier: Apache-2.0 */
/* The edges that leave a skill: what its file names, compared with what is there. */
#include "skill/skill_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_map.h"
#include "skill/cycles.h"
#include "store/edge.h"

/* Kinds that files declare.  The edge's field `declared` is the weight that the file gives; without it somebody else made the edge. */
static const char *const declared_kinds[] = { "requires", "enhances", "composes", "succeeds", "references", "tagged" };

struct skill_wish {
	size_t kind;               /* of declared_kinds */
	uint32_t to;
	struct mem_clean_text weight, version;
};
struct skill_edge_maker {
	struct mem_txn *t;
	struct mem_writer *w;
	uint32_t ord;
	bool granted;              /* the caller need not be allowed to write there */
	struct mem_arena arena;
	struct mem_rec rec;        /* of the node, in the arena: writing moves what a transaction reads */
	struct mem_clean_rec clean;
	struct mem_str ns;
	struct skill_wish *wishes;
	size_t nwishes, cap;
	struct mem_text_map places; /* of wishes, by kind and node */
	struct mem_clean_object missing;
	struct mem_text_map is_missing;
};

static bool
find_declared_kind(struct mem_json edge, size_t *kind)
{
	for (size_t i = 0; i < MEM_COUNT(declared_kinds); i++)
		if (mem_json_is(edge, declared_kinds[i])) {
			*kind = i;
			return true;
		}
	return false;
}

/* ---- what there is to be ---------------------------------------------- */

static struct mem_str
wish_key(char room[8], size_t kind, uint32_t to)
{
	const uint32_t key[2] = { (uint32_t)kind, to };
	memcpy(room, key, sizeof key);
	return (struct mem_str){ room, sizeof key };
}

/* Of several that name one skill the first counts. */
static void
add_skill_wish(struct skill_edge_maker *m, const struct skill_wish *wish)
{
	char room[8];
	bool made;
	if (wish->to == m->ord && !mem_skill_circle_kind(declared_kinds[wish->kind]))
		return; /* a link to itself says nothing; one that needs itself is a circle, for skill-conflicts to tell */
	mem_text_map_put(&m->places, wish_key(room, wish->kind, wish->to), m->nwishes, &made);
	if (!made)
		return;
	m->wishes = mem_grow(m->wishes, &m->cap, m->nwishes + 1, sizeof *m->wishes);
	m->wishes[m->nwishes++] = *wish;
}

/* Each once. */
static void
add_missing_end(struct skill_edge_maker *m, struct mem_json relation)
{
	struct mem_json end = skill_relation_end(relation, &m->arena);
	bool made = false;
	if (mem_json_there(end))
		mem_text_map_put(&m->is_missing, end.raw, 0, &made);
	if (made)
		mem_clean_list_put(&m->missing, mem_clean_part(&m->clean, end));
}

static enum mem_status
wish_for_relation(struct skill_edge_maker *m, struct mem_json relation, struct mem_err *err)
{
	struct skill_wish wish = { .weight = mem_clean_part(&m->clean, mem_json_member(relation, "weight")),
		.version = mem_clean_part(&m->clean, mem_json_member(relation, "version")) };
	if (!find_declared_kind(mem_json_member(relation, "edge"), &wish.kind))
		return MEM_OK;
	enum mem_status st = skill_relation_find(m->t, m->ns, relation, &m->arena, &wish.to, err);
	if (st == MEM_OK)
		add_skill_wish(m, &wish);
	else if (st == MEM_NOTFOUND)
		add_missing_end(m, relation);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
wish_for_tag(struct skill_edge_maker *m, struct mem_json tag, struct mem_err *err)
{
	struct skill_wish wish = { .kind = MEM_COUNT(declared_kinds) - 1 };
	struct mem_id id = mem_id_v8(m->ns, mem_write_identity(&m->arena, MEM_KIND_TAG, MEM_STR("tag"), mem_json_text(&m->arena, tag)));
	struct mem_node node;
	enum mem_status st = mem_node_by_id(m->t, &id, &node, err);
	if (st == MEM_OK) {
		wish.to = node.ord;
		add_skill_wish(m, &wish);
	}
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
gather_skill_wishes(struct skill_edge_maker *m, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&m->rec, "relations")); mem_json_next(&it) && st == MEM_OK;)
		st = wish_for_relation(m, it.value, err);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(&m->rec, "tags")); mem_json_next(&it) && st == MEM_OK;)
		st = wish_for_tag(m, it.value, err);
	return st;
}

/* ---- what there is to go ---------------------------------------------- */

/* Those of one kind that an earlier file declared and nothing names any longer. */
static enum mem_status
gather_undeclared(struct skill_edge_maker *m, size_t kind, uint32_t **out, size_t *n, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	struct mem_edge edge;
	uint16_t number;
	size_t cap = 0;
	char room[8];
	enum mem_status st = mem_edge_cursor_open_at(&c, m->t, m->ord, declared_kinds[kind], true, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == number) {
		st = mem_edge_cursor_edge(c, &edge, err);
		if (st != MEM_OK || !mem_json_there(mem_json_member(mem_json_object(edge.json), "declared")) ||
		    mem_text_map_find(&m->places, wish_key(room, kind, row.other)) != NULL)
			continue;
		*out = mem_grow(*out, &cap, *n + 1, sizeof **out);
		(*out)[(*n)++] = row.other;
	}
	mem_edge_cursor_close(c);
	return st == MEM_END || st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
remove_undeclared(struct skill_edge_maker *m, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t k = 0; k < MEM_COUNT(declared_kinds) && st == MEM_OK; k++) {
		uint32_t *gone = NULL;
		size_t n = 0;
		st = gather_undeclared(m, k, &gone, &n, err);
		for (size_t i = 0; i < n && st == MEM_OK; i++) {
			st = mem_write_unlink_at(m->t, m->ord, gone[i], declared_kinds[k], err);
			st = st == MEM_NOTFOUND ? MEM_OK : st;
		}
		free(gone);
	}
	return st;
}

/* ---- writing ---------------------------------------------------------- */

/* A weight that was learned since stays as long as the file gives the same one. */
static enum mem_status
write_skill_wish(struct skill_edge_maker *m, const struct skill_wish *wish, struct mem_err *err)
{
	const char *kind = declared_kinds[wish->kind];
	struct mem_clean_text weight = mem_clean_there(wish->weight) ? wish->weight : mem_clean_int(&m->arena, 1);
	const struct mem_clean_field fields[] = { { "weight", weight }, { "declared", weight }, { "version", wish->version } };
	struct mem_write_edge edge = { .kind = kind, .fields = fields, .nfields = MEM_COUNT(fields) };
	struct mem_edge there;
	enum mem_verdict verdict;
	enum mem_status st = mem_edge_find(m->t, kind, m->ord, wish->to, &there, err);
	if (st != MEM_OK && st != MEM_NOTFOUND)
		return st;
	edge.merge = st == MEM_OK;
	if (edge.merge) {
		struct mem_json whole = mem_json_object(there.json);
		struct mem_json was = mem_json_member(whole, "declared"), version = mem_json_member(whole, "version");
		if (mem_str_eq(was.raw, weight.value.raw) && mem_str_eq(version.raw, wish->version.value.raw))
			return MEM_OK;
	}
	return mem_write_link_at(m->t, m->w, m->ord, wish->to, &edge, &verdict, err);
}

static enum mem_status
write_missing(struct skill_edge_maker *m, struct mem_err *err)
{
	bool some = m->missing.n > 0;
	struct mem_clean_text list = mem_clean_list_end(&m->missing, &m->arena);
	const struct mem_clean_field field = { "missing", some ? list : mem_clean_absent() };
	const struct mem_write_edit edit = { .set = &field, .n = 1, .mark = true, .op = "changed" };
	if (mem_str_eq(mem_rec_value(&m->rec, "missing").raw, field.value.value.raw))
		return MEM_OK;
	return mem_write_change_at(m->t, m->w, m->ord, &edit, NULL, err);
}

/* ---- one skill -------------------------------------------------------- */

/* The skill as it stands, copied.  MEM_NOTFOUND: it is none, or not the caller's to write. */
static enum mem_status
read_linking_skill(struct skill_edge_maker *m, struct mem_err *err)
{
	struct mem_node node;
	bool allowed = m->granted;
	enum mem_status st = allowed ? MEM_OK : mem_write_allowed_at(m->t, m->w, m->ord, &allowed, err);
	if (st == MEM_OK)
		st = mem_node_at(m->t, m->ord, &node, err);
	if (st == MEM_OK && (!allowed || node.attr->kind != MEM_KIND_SKILL))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_rec_scan(&m->rec, mem_arena_str(&m->arena, node.json), err);
	if (st != MEM_OK)
		return st == MEM_DAMAGED ? MEM_NOTFOUND : st;
	mem_clean_restored(&m->clean, &m->rec);
	m->ns = mem_json_text(&m->arena, mem_rec_value(&m->rec, "ns"));
	return MEM_OK;
}

static enum mem_status
make_skill_edges(struct mem_txn *t, struct mem_writer *w, uint32_t ord, bool granted, struct mem_err *err)
{
	struct skill_edge_maker m = { .t = t, .w = w, .ord = ord, .granted = granted };
	enum mem_status st = read_linking_skill(&m, err);
	if (st == MEM_OK)
		st = gather_skill_wishes(&m, err);
	if (st == MEM_OK)
		st = remove_undeclared(&m, err);
	for (size_t i = 0; i < m.nwishes && st == MEM_OK; i++)
		st = write_skill_wish(&m, &m.wishes[i], err);
	if (st == MEM_OK)
		st = write_missing(&m, err);
	free(m.wishes);
	mem_text_map_release(&m.places);
	mem_text_map_release(&m.is_missing);
	mem_clean_object_release(&m.missing);
	mem_rec_release(&m.rec);
	mem_clean_rec_release(&m.clean);
	mem_arena_release(&m.arena);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
skill_edges_write(struct mem_txn *t, struct mem_writer *w, uint32_t ord, struct mem_err *err)
{
	return make_skill_edges(t, w, ord, false, err);
}

enum mem_status
skill_edges_write_granted(struct mem_txn *t, struct mem_writer *w, uint32_t ord, struct mem_err *err)
{
	return make_skill_edges(t, w, ord, true, err);
}
