/* SPDX-License-Identifier: Apache-2.0 */
/* The current facts of a subject, and the note that it has. */
#include "belief/note_int.h"

#include <string.h>

#include "base/order.h"
#include "store/edge.h"

/* ---- records -------------------------------------------------------------- */

static struct mem_str
text_of(struct note_run *r, struct mem_json v)
{
	const struct mem_str s = mem_json_text(&r->arena, v);
	return s.p != NULL ? s : MEM_STR("");
}

/* Is it a current fact of this subject, and not one that has the subject as its object?  MEM_OK: f has it. */
static bool
read_note_fact(struct note_run *r, const struct mem_node *node, const struct mem_id *subject, int64_t now, struct note_fact *f)
{
	const struct mem_attr *a = node->attr;
	struct mem_id id;
	if (mem_validity_at(a->valid_from, a->valid_to, now) != MEM_VALID)
		return false;
	if (mem_rec_scan(&r->rec, mem_arena_str(&r->arena, node->json), NULL) != MEM_OK ||
	    !mem_id_parse(text_of(r, mem_json_member(mem_rec_value(&r->rec, "subject"), "id")), &id) || mem_id_cmp(&id, subject) != 0)
		return false;
	const struct mem_json object = mem_rec_value(&r->rec, "object");
	*f = (struct note_fact){ .ord = node->ord, .id = a->id, .created_at = a->created_at,
		.valid_from = a->valid_from != MEM_TIME_NONE ? a->valid_from : a->created_at,
		.importance = mem_rec_num(&r->rec, "importance", .5), .trust = mem_rec_num(&r->rec, "trust", .5),
		.confidence = mem_rec_num(&r->rec, "confidence", .5),
		.statement = text_of(r, mem_rec_value(&r->rec, "statement")), .predicate = text_of(r, mem_rec_value(&r->rec, "predicate")) };
	if (mem_id_parse(text_of(r, mem_json_member(object, "id")), &f->object_id))
		f->object = text_of(r, mem_json_member(object, "name"));
	return f->statement.n > 0;
}

/* A live note of the subject.  One that somebody has edited did not come from here. */
static void
read_old_note(struct note_run *r, const struct mem_node *node, struct note_cluster *c)
{
	if (mem_rec_scan(&r->rec, mem_arena_str(&r->arena, node->json), NULL) != MEM_OK)
		return;
	struct mem_json_iter it = mem_json_each(mem_rec_value(&r->rec, "sources"));
	struct mem_id *sources = mem_arena_alloc(&r->arena, MEM_NOTE_SOURCES * sizeof *sources);
	c->has_note = true;
	c->own_note = mem_json_is(mem_json_member(mem_rec_value(&r->rec, "origin"), "rule"), NOTE_RULE);
	c->note_ord = node->ord;
	c->note = node->attr->id;
	c->sources = sources;
	for (c->nsources = 0; c->nsources < MEM_NOTE_SOURCES && mem_json_next(&it);)
		if (mem_id_parse(text_of(r, it.value), &sources[c->nsources]))
			c->nsources++;
}

/* ---- what is about the subject ----------------------------------------------- */

/* Ords of live facts, the last MEM_NOTE_READ of them in a ring, and the newest live note. */
struct about {
	uint32_t facts[MEM_NOTE_READ], note;
	size_t nfacts;
	bool has_note;
};

static enum mem_status
read_about(struct mem_txn *t, uint32_t subject, struct about *about, struct mem_err *err)
{
	struct mem_edge_cursor *c = NULL;
	struct mem_edge_row row;
	uint16_t kind;
	about->nfacts = 0, about->has_note = false;
	enum mem_status st = mem_edge_kind_find(t, "about", &kind, err);
	if (st == MEM_NOTFOUND)
		return MEM_OK;
	if (st == MEM_OK)
		st = mem_edge_cursor_open(&c, t, false, err);
	if (st == MEM_OK)
		st = mem_edge_cursor_seek(c, subject, kind, 0, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(c, &row, err)) == MEM_OK && row.kind == kind) {
		const struct mem_attr *a;
		if (mem_attr_at(t, row.other, &a, NULL) != MEM_OK || !mem_attr_stands(a, mem_txn_now(t)))
			continue;
		if (a->kind == MEM_KIND_FACT)
			about->facts[about->nfacts++ % MEM_NOTE_READ] = row.other;
		else if (a->kind == MEM_KIND_NOTE)
			about->note = row.other, about->has_note = true;
	}
	mem_edge_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- choosing ----------------------------------------------------------------- */

static int
compare_newest(const void *x, const void *y)
{
	const struct note_fact *a = x, *b = y;
	if (a->valid_from != b->valid_from)
		return a->valid_from > b->valid_from ? -1 : 1;
	return mem_id_cmp(&a->id, &b->id);
}

static int
compare_oldest(const void *x, const void *y)
{
	const struct note_fact *a = x, *b = y;
	if (a->valid_from != b->valid_from)
		return a->valid_from < b->valid_from ? -1 : 1;
	return mem_id_cmp(&a->id, &b->id);
}

/* Of how many other entities do they speak, up to what is asked for? */
static bool
spans_entities(const struct note_fact *f, size_t n)
{
	size_t others = 0;
	for (size_t i = 0; i < n && others + 1 < MEM_NOTE_ENTITIES; i++) {
		bool seen = f[i].object.n == 0;
		for (size_t k = 0; k < i && !seen; k++)
			seen = f[k].object.n > 0 && mem_id_cmp(&f[k].object_id, &f[i].object_id) == 0;
		others += !seen;
	}
	return others + 1 >= MEM_NOTE_ENTITIES;
}

static bool
says_again(const struct note_fact *f, size_t n, const struct note_fact *x)
{
	for (size_t i = 0; i < n; i++)
		if (mem_str_eq(f[i].statement, x->statement))
			return true;
	return false;
}

/* The newest whose statements fit, then in the order in which they became true. */
static size_t
choose_facts(struct note_fact *f, size_t n)
{
	size_t chosen = 0, bytes = 0;
	mem_sort(f, n, sizeof *f, compare_newest);
	for (size_t i = 0; i < n && chosen < MEM_NOTE_SOURCES; i++) {
		const size_t more = says_again(f, chosen, &f[i]) ? 0 : f[i].statement.n + 2;
		if (chosen > 0 && bytes + more > MEM_NOTE_BYTES)
			continue;
		bytes += more;
		f[chosen++] = f[i];
	}
	mem_sort(f, chosen, sizeof *f, compare_oldest);
	return chosen;
}

static enum mem_status
read_note_facts(struct note_run *r, struct mem_txn *t, const struct about *about, struct note_cluster *c, struct mem_err *err)
{
	const size_t n = about->nfacts < MEM_NOTE_READ ? about->nfacts : MEM_NOTE_READ;
	struct note_fact *f = mem_arena_alloc(&r->arena, (n + 1) * sizeof *f);
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		struct mem_node node;
		enum mem_status st = mem_node_at(t, about->facts[i], &node, err);
		if (st == MEM_DAMAGED)
			mem_node_damage_note(t, about->facts[i]);
		else if (st != MEM_OK)
			return st;
		else if (read_note_fact(r, &node, &c->subject_id, mem_txn_now(t), &f[found]))
			found++;
	}
	c->enough = found >= MEM_NOTE_FACTS && spans_entities(f, found);
	c->facts = f;
	c->n = choose_facts(f, found);
	return MEM_OK;
}

enum mem_status
note_cluster_read(struct note_run *r, struct mem_txn *t, uint32_t subject, struct note_cluster *out, struct mem_err *err)
{
	struct about *about = mem_arena_alloc(&r->arena, sizeof *about);
	struct mem_node node;
	struct mem_ns ns;
	*out = (struct note_cluster){ .subject = subject };
	enum mem_status st = mem_node_at(t, subject, &node, err);
	if (st == MEM_OK && !mem_attr_live(node.attr, mem_txn_now(t)))
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&r->rec, mem_arena_str(&r->arena, node.json), err);
	if (st != MEM_OK)
		return st;
	out->subject_id = node.attr->id, out->ns = ns.root;
	out->ns_name = mem_arena_str(&r->arena, mem_str(ns.name));
	out->name = text_of(r, mem_rec_value(&r->rec, "name"));
	st = read_about(t, subject, about, err);
	if (st == MEM_OK && about->has_note && mem_node_at(t, about->note, &node, err) == MEM_OK)
		read_old_note(r, &node, out);
	return st == MEM_OK ? read_note_facts(r, t, about, out, err) : st;
}
