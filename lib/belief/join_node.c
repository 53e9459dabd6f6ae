/* SPDX-License-Identifier: Apache-2.0 */
/* Joining two nodes: their fields, and those of the facts about them. */
#include "belief/join_int.h"

#include "text/text.h"

/* ---- values -------------------------------------------------------------------- */

int64_t
join_version(const struct mem_rec *rec)
{
	int64_t v;
	return mem_json_int(mem_rec_value(rec, "version"), &v) && v >= 1 ? v : 1;
}

int64_t
join_count(const struct mem_rec *rec, const char *name)
{
	int64_t v;
	return mem_json_int(mem_rec_value(rec, name), &v) && v >= 0 ? v : 0;
}

bool
join_list_has_word(struct mem_json list, const char *word)
{
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		if (mem_json_is(it.value, word))
			return true;
	return false;
}

/* ---- facts ----------------------------------------------------------------------- */

static const struct join_node *
find_join_node(const struct join *j, const struct mem_id *id)
{
	return mem_id_cmp(id, &j->keep.id) == 0 ? &j->keep : &j->other;
}

/* What an end of a fact calls the one, as the other is called; another name is somebody's own and stays. */
static void
rename_member(struct mem_clean_object *o, const struct mem_clean_rec *end, const struct mem_field *f, const struct join_node *from,
    const struct join_node *to, const char *member)
{
	struct mem_clean_text name = mem_clean_value(&to->clean, member);
	if (mem_str_is(f->key, member) && mem_clean_there(name) && mem_str_eq(f->value.raw, mem_rec_value(&from->rec, member).raw))
		mem_clean_object_put(o, member, name);
	else
		mem_clean_object_keep(o, end, f);
}

/* An object of the node with another id, and its name; absent: its id is another. */
static struct mem_clean_text
rename_end(struct join *j, const struct mem_rec *node, const char *field, const struct mem_id *from, const struct mem_id *to)
{
	struct mem_rec rec = { 0 };
	struct mem_clean_rec clean = { 0 };
	struct mem_clean_object o = { 0 };
	char id[MEM_ID_LEN + 1];
	struct mem_json v = mem_rec_value(node, field);
	mem_id_format(from, id);
	if (v.type != MEM_JSON_OBJECT || !mem_json_is(mem_json_member(v, "id"), id) || mem_rec_scan(&rec, v.raw, NULL) != MEM_OK) {
		mem_rec_release(&rec);
		return mem_clean_absent();
	}
	mem_clean_restored(&clean, &rec);
	for (size_t i = 0; i < rec.nfields; i++)
		if (mem_str_is(rec.fields[i].key, "id"))
			mem_clean_object_put(&o, "id", mem_clean_id(&j->arena, to));
		else
			rename_member(&o, &clean, &rec.fields[i], find_join_node(j, from), find_join_node(j, to),
			    mem_str_is(rec.fields[i].key, "type") ? "type" : "name");
	mem_rec_release(&rec);
	return mem_clean_object_end(&o, &j->arena);
}

enum mem_status
join_fact_rename(struct join *j, uint32_t ord, const struct mem_id *from, const struct mem_id *to, unsigned ends, int64_t version,
    unsigned *renamed)
{
	static const char *const names[] = { "subject", "object" };
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_clean_field set[MEM_COUNT(names)];
	struct mem_write_edit edit = { .set = set, .op = "changed", .version = version };
	enum mem_status st = mem_node_at(j->t, ord, &node, j->err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, j->err);
	*renamed = 0;
	for (unsigned i = 0; i < MEM_COUNT(names) && st == MEM_OK; i++) {
		struct mem_clean_text v = (ends & 1U << i) != 0 ? rename_end(j, &rec, names[i], from, to) : mem_clean_absent();
		if (mem_clean_there(v)) {
			set[edit.n++] = (struct mem_clean_field){ names[i], v };
			*renamed |= 1U << i;
		}
	}
	mem_rec_release(&rec);
	return st == MEM_OK && edit.n > 0 ? mem_write_change_at(j->t, j->w, ord, &edit, NULL, j->err) : st;
}

/* ---- names and sources ------------------------------------------------------------- */

/* Names that a node gets, by how they read. */
struct name_list {
	struct mem_clean_object all, added;
	struct mem_str *seen;        /* folded; ARENA */
	size_t n, cap;
	bool any;
};

static bool
note_name(struct join *j, struct name_list *l, struct mem_json v)
{
	struct mem_str name = mem_json_text(&j->arena, v);
	struct mem_str f = mem_text_folded(&j->arena, name.p != NULL ? name : MEM_STR(""));
	for (size_t i = 0; i < l->n; i++)
		if (mem_str_eq(l->seen[i], f))
			return false;
	if (l->n < l->cap)
		l->seen[l->n++] = f;
	return f.n > 0;
}

static size_t
count_joined_list(struct mem_json list)
{
	size_t n = 0;
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it);)
		n++;
	return n;
}

static void
add_joined_name(struct join *j, struct name_list *l, struct mem_json v)
{
	if (!note_name(j, l, v))
		return;
	struct mem_clean_text name = mem_clean_part(&j->other.clean, v);
	mem_clean_list_put(&l->all, name);
	mem_clean_list_put(&l->added, name);
	l->any = true;
}

/* The kept node's aliases with the names of the other; absent where there is none more.  `added` gets those. */
static struct mem_clean_text
join_names(struct join *j, struct mem_clean_text *added)
{
	struct name_list l = { 0 };
	struct mem_json mine = mem_rec_value(&j->keep.rec, "aliases"), its = mem_rec_value(&j->other.rec, "aliases");
	l.cap = count_joined_list(mine) + count_joined_list(its) + 2;
	l.seen = mem_arena_alloc(&j->arena, l.cap * sizeof *l.seen);
	note_name(j, &l, mem_rec_value(&j->keep.rec, "name"));
	for (struct mem_json_iter it = mem_json_each(mine); mem_json_next(&it);) {
		note_name(j, &l, it.value);
		mem_clean_list_put(&l.all, mem_clean_part(&j->keep.clean, it.value));
	}
	add_joined_name(j, &l, mem_rec_value(&j->other.rec, "name"));
	for (struct mem_json_iter it = mem_json_each(its); mem_json_next(&it);)
		add_joined_name(j, &l, it.value);
	struct mem_clean_text all = mem_clean_list_end(&l.all, &j->arena);
	*added = mem_clean_list_end(&l.added, &j->arena);
	return l.any ? all : mem_clean_absent();
}

/* The same of sources, which are compared as they are written. */
static struct mem_clean_text
join_source_lists(struct join *j, struct mem_clean_text *added)
{
	struct mem_clean_object all = { 0 }, new_ones = { 0 };
	struct mem_json mine = mem_rec_value(&j->keep.rec, "sources"), its = mem_rec_value(&j->other.rec, "sources");
	bool any = false;
	for (struct mem_json_iter it = mem_json_each(mine); mem_json_next(&it);)
		mem_clean_list_put(&all, mem_clean_part(&j->keep.clean, it.value));
	for (struct mem_json_iter it = mem_json_each(its); mem_json_next(&it);) {
		struct mem_clean_text v = mem_clean_part(&j->other.clean, it.value);
		if (mem_json_list_has(mine, it.value.raw))
			continue;
		mem_clean_list_put(&all, v);
		mem_clean_list_put(&new_ones, v);
		any = true;
	}
	struct mem_clean_text list = mem_clean_list_end(&all, &j->arena);
	*added = mem_clean_list_end(&new_ones, &j->arena);
	return any ? list : mem_clean_absent();
}

/* ---- the two nodes ------------------------------------------------------------------- */

/* What the kept node gets, and what the other keeps of it in `merged`. */
struct kept_change {
	struct mem_clean_field set[8];
	size_t n;
	struct mem_clean_object merged;
};

static void
add_kept_list(struct join *j, struct kept_change *c, const char *field,
    struct mem_clean_text (*join_lists)(struct join *, struct mem_clean_text *))
{
	struct mem_clean_text added, all = join_lists(j, &added);
	if (!mem_clean_there(all))
		return;
	c->set[c->n++] = (struct mem_clean_field){ field, all };
	mem_clean_object_put(&c->merged, field, added);
}

static void
add_kept_count(struct join *j, struct kept_change *c, const char *field, int64_t more)
{
	if (more <= 0)
		return;
	c->set[c->n++] = (struct mem_clean_field){ field, mem_clean_int(&j->arena, join_count(&j->keep.rec, field) + more) };
	mem_clean_object_put(&c->merged, field, mem_clean_int(&j->arena, more));
}

/* The later of two times of reading. */
static void
add_last_access(struct join *j, struct kept_change *c)
{
	struct mem_json mine = mem_rec_value(&j->keep.rec, "last_access"), its = mem_rec_value(&j->other.rec, "last_access");
	int64_t a = INT64_MIN, b;
	struct mem_str text = mem_json_text(&j->arena, its);
	if (text.p == NULL || !mem_time_parse(text, &b))
		return;
	text = mem_json_text(&j->arena, mine);
	if (text.p != NULL && mem_time_parse(text, &a) && a >= b)
		return;
	c->set[c->n++] = (struct mem_clean_field){ "last_access", mem_clean_part(&j->other.clean, its) };
	mem_clean_object_put(&c->merged, "last_access", mem_clean_or_null(mem_clean_value(&j->keep.clean, "last_access")));
}

static enum mem_status
write_kept_node(struct join *j, struct kept_change *c)
{
	struct mem_write_edit edit = { .set = c->set, .op = "changed" };
	if (j->keep.kind == MEM_KIND_ENTITY)
		add_kept_list(j, c, "aliases", join_names);
	add_kept_list(j, c, "sources", join_source_lists);
	int64_t mentions = join_count(&j->other.rec, "mentions");
	add_kept_count(j, c, "mentions", mentions > j->shared ? mentions - j->shared : 0);
	add_kept_count(j, c, "access_count", join_count(&j->other.rec, "access_count"));
	add_last_access(j, c);
	mem_clean_object_put(&c->merged, "version", mem_clean_int(&j->arena, join_version(&j->keep.rec)));
	edit.n = c->n;
	return c->n > 0 ? mem_write_change_at(j->t, j->w, j->keep.ord, &edit, NULL, j->err) : MEM_OK;
}

enum mem_status
join_write_nodes(struct join *j)
{
	struct kept_change c = { 0 };
	enum mem_verdict verdict;
	enum mem_status st = write_kept_node(j, &c);
	mem_clean_object_put(&c.merged, "edges", mem_clean_list_end(&j->joined, &j->arena));
	const struct mem_clean_field set[] = {
		{ "status", mem_clean_word(&j->arena, MEM_STR("merged")) },
		{ "superseded_by", mem_clean_id(&j->arena, &j->keep.id) },
		{ "superseded_at", mem_clean_time(&j->arena, mem_txn_now(j->t)) },
		{ "merged", mem_clean_object_end(&c.merged, &j->arena) },
	};
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "merged" };
	const struct mem_clean_field reason = { "reason", mem_clean_word(&j->arena, mem_str(join_audit_word(j->by))) };
	const struct mem_write_edge edge = { .kind = "superseded_by", .fields = &reason, .nfields = 1 };
	if (st == MEM_OK)
		st = mem_write_change_at(j->t, j->w, j->other.ord, &edit, NULL, j->err);
	return st == MEM_OK ? mem_write_link_at(j->t, j->w, j->other.ord, j->keep.ord, &edge, &verdict, j->err) : st;
}
