/* SPDX-License-Identifier: Apache-2.0 */
/* Parting two nodes that were joined: what the audit and the merged node have of it, the other way round. */
#include "belief/consolidate_int.h"
#include "belief/join_int.h"

#include <stdlib.h>
#include <string.h>

#include "store/log.h"

/* ---- which rows -------------------------------------------------------------- */

/* The rows of the last join of a node that was not taken back, newest first.  ARENA. */
struct part_rows {
	struct join *j;
	const char *word;
	uint64_t undone[64];         /* rows that later ones took back: of one join the first is named */
	size_t nundone;
	struct mem_str *detail;      /* OWNS; and those of what was judged anew: */
	struct mem_str *judged;      /* OWNS */
	size_t n, cap, njudged, judged_cap;
	uint64_t first;              /* number of the first row; 0: it was not found */
};

static bool
was_taken_back(const struct part_rows *p, uint64_t seq)
{
	for (size_t i = 0; i < p->nundone; i++)
		if (p->undone[i] == seq)
			return true;
	return false;
}

/* A mem_audit_fn. */
static bool
look_at_join_row(void *ctx, const struct mem_audit_row *row)
{
	struct part_rows *p = ctx;
	struct mem_json detail = mem_json_object(row->detail);
	int64_t undoes, part;
	if (row->detail.n == 0)
		return true;
	if (mem_json_int(mem_json_member(detail, "undoes"), &undoes) && undoes > 0) {
		if (p->nundone < MEM_COUNT(p->undone))
			p->undone[p->nundone++] = (uint64_t)undoes;
		return true;
	}
	if (mem_str_is(row->kind, p->word) && mem_json_there(mem_json_member(detail, "judged"))) {
		p->judged = mem_grow(p->judged, &p->judged_cap, p->njudged + 1, sizeof *p->judged);
		p->judged[p->njudged++] = mem_arena_str(&p->j->arena, row->detail);
	}
	if (!mem_str_is(row->kind, p->word) || !mem_json_int(mem_json_member(detail, "part"), &part))
		return true;
	p->detail = mem_grow(p->detail, &p->cap, p->n + 1, sizeof *p->detail);
	p->detail[p->n++] = mem_arena_str(&p->j->arena, row->detail);
	if (part > 0)
		return true;
	p->first = row->seq;
	if (!was_taken_back(p, row->seq))
		return false;
	p->n = p->njudged = 0;
	p->first = 0;
	return true;
}

/* ---- reading ------------------------------------------------------------------- */

static bool
read_id_member(struct mem_json of, const char *name, struct mem_id *out)
{
	return mem_json_id(mem_json_member(of, name), out);
}

/* A node that was touched, as join_end_find has it; may the caller touch it again? */
static enum mem_status
find_touched_node(struct join *j, const struct mem_id *id, uint32_t *ord, bool *there, bool write)
{
	enum mem_status st = join_end_find(j, id, ord, there);
	return st == MEM_OK && *there ? join_ord_check(j, *ord, write) : st;
}

/* The node that was merged, and the one it was merged into. */
static enum mem_status
read_parted_nodes(struct join *j, const struct mem_id *other)
{
	struct mem_id keep;
	const struct mem_attr *a;
	enum mem_status st = join_node_read(j, other, &j->other);
	if (st != MEM_OK || *j->refused != NULL)
		return st;
	st = mem_attr_at(j->t, j->other.ord, &a, j->err);
	if (st != MEM_OK)
		return st;
	if (a->status != MEM_STATUS_MERGED || !read_id_member(mem_rec_json(&j->other.rec), "superseded_by", &keep)) {
		*j->refused = "state_conflict";
		return MEM_OK;
	}
	st = join_node_read(j, &keep, &j->keep);
	if (*j->refused != NULL && strcmp(*j->refused, "not_found") == 0)
		*j->refused = "state_conflict";
	if (st == MEM_OK && *j->refused == NULL)
		st = mem_attr_at(j->t, j->keep.ord, &a, j->err);
	if (st == MEM_OK && *j->refused == NULL && a->status == MEM_STATUS_MERGED)
		*j->refused = "state_conflict"; /* its edges have gone on */
	return st;
}

/* ---- the order of merges ------------------------------------------------------- */

static enum mem_status
read_join_rows(struct part_rows *rows, const struct mem_id *id)
{
	return mem_audit_each_back(rows->j->t, id, 0, look_at_join_row, rows, rows->j->err);
}

static void
release_join_rows(struct part_rows *rows)
{
	free(rows->detail);
	free(rows->judged);
}

/* Was this node merged into the kept one behind the row? */
static enum mem_status
is_merged_later(struct join *j, const struct mem_id *id, uint64_t row, bool *later)
{
	struct part_rows rows = { .j = j };
	struct mem_node node;
	struct mem_edge edge;
	*later = false;
	enum mem_status st = mem_id_cmp(id, &j->other.id) != 0 ? mem_node_by_id(j->t, id, &node, j->err) : MEM_NOTFOUND;
	if (st == MEM_OK && node.attr->status != MEM_STATUS_MERGED)
		st = MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_edge_find(j->t, "superseded_by", node.ord, j->keep.ord, &edge, j->err);
	if (st == MEM_OK) {
		rows.word = mem_json_text(&j->arena, mem_json_member(mem_json_object(edge.json), "reason")).p;
		st = rows.word != NULL ? read_join_rows(&rows, id) : MEM_OK;
	}
	*later = rows.first > row;
	release_join_rows(&rows);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* What a later merge joined was joined with what this one brought: that one is to be taken back first. */
static enum mem_status
check_merge_order(struct join *j, uint64_t row)
{
	struct join_ids merged = { 0 };
	bool later = false;
	enum mem_status st = join_list_superseded(j, j->keep.ord, &merged);
	for (size_t i = 0; i < merged.n && st == MEM_OK && !later; i++)
		st = is_merged_later(j, &merged.v[i], row, &later);
	free(merged.v);
	if (st == MEM_OK && later)
		*j->refused = "state_conflict";
	return st;
}

/* Was the fact judged behind this merge by another one that stands?  It has noted what this one made of it: that one is to be taken back first. */
static enum mem_status
check_judging_order(struct join *j, struct mem_json fact)
{
	struct mem_node node;
	struct mem_id id, by;
	enum mem_status st = mem_json_id(fact, &id) ? mem_node_by_id(j->t, &id, &node, j->err) : MEM_NOTFOUND;
	if (st == MEM_OK && (!mem_json_id(mem_json_path(mem_json_object(node.json), "judged.by"), &by) || mem_id_cmp(&by, &j->other.id) == 0))
		return MEM_OK;
	if (st == MEM_OK)
		st = mem_node_by_id(j->t, &by, &node, j->err);
	if (st == MEM_OK && node.attr->status == MEM_STATUS_MERGED)
		*j->refused = "state_conflict";
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
check_order(struct join *j, const struct part_rows *rows)
{
	enum mem_status st = check_merge_order(j, rows->first);
	for (size_t i = 0; i < rows->njudged; i++) {
		struct mem_json_iter it = mem_json_each(mem_json_member(mem_json_object(rows->judged[i]), "judged"));
		while (st == MEM_OK && *j->refused == NULL && mem_json_next(&it))
			st = check_judging_order(j, it.value);
	}
	return st;
}

/* ---- edges --------------------------------------------------------------------- */

/* Each edge that was moved: only a look (`write` false), or back. */
static enum mem_status
part_moved_edge(struct join *j, struct mem_json edge, bool write)
{
	struct mem_id end_id;
	struct mem_edge there;
	uint32_t end = 0;
	bool found = false, leaves = mem_json_there(mem_json_member(edge, "to"));
	const char *kind = mem_json_text(&j->arena, mem_json_member(edge, "edge")).p;
	if (kind == NULL || !read_id_member(edge, leaves ? "to" : "from", &end_id))
		return MEM_OK;
	enum mem_status st = find_touched_node(j, &end_id, &end, &found, !leaves);
	j->lost += st == MEM_OK && write && !found && !leaves && strcmp(kind, "mentions") == 0;
	if (st != MEM_OK || !found || !write)
		return st;
	uint32_t from = leaves ? j->keep.ord : end, to = leaves ? end : j->keep.ord;
	uint32_t old_from = leaves ? j->other.ord : end, old_to = leaves ? end : j->other.ord;
	st = mem_edge_find(j->t, kind, from, to, &there, j->err);
	if (st == MEM_OK)
		st = mem_write_move_edge_at(j->t, from, to, kind, old_from, old_to, j->err);
	return st == MEM_NOTFOUND ? MEM_OK : st; /* it was removed meanwhile */
}

/* The edge of the kept node, if it is still what joining made of it. */
static enum mem_status
restore_kept_edge(struct join *j, const struct mem_clean_rec *merged, const char *kind, uint32_t from, uint32_t to, struct mem_json joined)
{
	struct mem_json was = mem_json_member(joined, "was"), its = mem_json_member(joined, "edge");
	struct mem_edge there;
	double a = 1, b = 1;
	enum mem_status st = was.type == MEM_JSON_OBJECT ? mem_edge_find(j->t, kind, from, to, &there, j->err) : MEM_NOTFOUND;
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	if (!mem_json_num(mem_json_member(was, "weight"), &a))
		a = 1;
	if (!mem_json_num(mem_json_member(its, "weight"), &b))
		b = 1;
	if (b <= a || (double)there.v.weight != (double)(float)b)
		return MEM_OK;
	return mem_write_restore_edge_at(j->t, from, to, kind, mem_clean_part(merged, was), j->err);
}

/* Each edge that both had. */
static enum mem_status
part_joined_edge(struct join *j, const struct mem_clean_rec *merged, struct mem_json joined, bool write)
{
	struct mem_json edge = mem_json_member(joined, "edge");
	struct mem_id ids[2];
	const char *kind = mem_json_text(&j->arena, mem_json_member(edge, "edge")).p;
	if (kind == NULL || !read_id_member(edge, "from", &ids[0]) || !read_id_member(edge, "to", &ids[1]))
		return MEM_OK;
	bool leaves = mem_id_cmp(&ids[0], &j->other.id) == 0, found = false;
	uint32_t end = 0;
	enum mem_status st = find_touched_node(j, &ids[leaves ? 1 : 0], &end, &found, !leaves);
	j->lost_shared += st == MEM_OK && write && !found && !leaves && strcmp(kind, "mentions") == 0;
	if (st != MEM_OK || !found || !write)
		return st;
	st = mem_write_restore_edge_at(j->t, leaves ? j->other.ord : end, leaves ? end : j->other.ord, kind, mem_clean_part(merged, edge), j->err);
	return st == MEM_OK ? restore_kept_edge(j, merged, kind, leaves ? j->keep.ord : end, leaves ? end : j->keep.ord, joined) : st;
}

/* ---- facts ---------------------------------------------------------------------- */

static enum mem_status
part_fact(struct join *j, struct mem_json fact, bool write)
{
	struct mem_id id;
	struct mem_node node;
	struct mem_rec rec = { 0 };
	uint32_t ord = 0;
	int64_t was = 0, ends = 0;
	unsigned renamed;
	bool found = false;
	if (!read_id_member(fact, "id", &id) || !mem_json_int(mem_json_member(fact, "version"), &was))
		return MEM_OK;
	enum mem_status st = find_touched_node(j, &id, &ord, &found, true);
	if (st != MEM_OK || !found || !write)
		return st;
	st = mem_node_at(j->t, ord, &node, j->err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, j->err);
	int64_t version = st == MEM_OK && join_version(&rec) == was + 1 ? was : 0;
	j->changed = j->changed || version == 0;
	if (version == 0)
		join_ids_add(&j->touched, &id);
	mem_rec_release(&rec);
	if (!mem_json_int(mem_json_member(fact, "ends"), &ends))
		ends = JOIN_SUBJECT | JOIN_OBJECT; /* an older memkit did not tell */
	if (st == MEM_OK)
		st = join_fact_rename(j, ord, &j->keep.id, &j->other.id, (unsigned)ends, version, &renamed);
	return st == MEM_OK && version == 0 ? join_part_versions(j, ord, (unsigned)ends) : st;
}

/* ---- the two nodes ------------------------------------------------------------------ */

/* The kept node's list without what it got. */
static bool
take_from_list(struct join *j, const char *field, struct mem_json added, struct mem_clean_text *out)
{
	struct mem_clean_object list = { 0 };
	struct mem_json there = mem_rec_value(&j->keep.rec, field);
	if (!mem_json_there(added) || !mem_json_there(there))
		return false;
	for (struct mem_json_iter it = mem_json_each(there); mem_json_next(&it);)
		if (!mem_json_list_has(added, it.value.raw))
			mem_clean_list_put(&list, mem_clean_part(&j->keep.clean, it.value));
	*out = mem_clean_list_end(&list, &j->arena);
	return true;
}

static size_t
list_kept_fields(struct join *j, struct mem_json merged, struct mem_clean_field *set)
{
	static const char *const lists[] = { "aliases", "sources" }, *const counts[] = { "mentions", "access_count" };
	size_t n = 0;
	for (size_t i = 0; i < MEM_COUNT(lists); i++)
		if (take_from_list(j, lists[i], mem_json_member(merged, lists[i]), &set[n].value))
			set[n++].name = lists[i];
	for (size_t i = 0; i < MEM_COUNT(counts); i++) {
		int64_t more, is = join_count(&j->keep.rec, counts[i]);
		if (!mem_json_int(mem_json_member(merged, counts[i]), &more))
			continue;
		more -= i == 0 ? j->lost : 0; /* those the kept one has lost already */
		if (more <= 0)
			continue;
		set[n++] = (struct mem_clean_field){ counts[i], mem_clean_int(&j->arena, is > more ? is - more : 0) };
	}
	struct mem_json read_at = mem_json_member(merged, "last_access");
	if (mem_json_there(read_at) && mem_str_eq(mem_rec_value(&j->keep.rec, "last_access").raw, mem_rec_value(&j->other.rec, "last_access").raw))
		set[n++] = (struct mem_clean_field){ "last_access", mem_clean_part(&j->other.clean, read_at) };
	return n;
}

/* A node that nothing else has changed meanwhile is as it was, and so is its version. */
static enum mem_status
write_parted_nodes(struct join *j, struct mem_json merged)
{
	struct mem_clean_field kept[6];
	int64_t was = 0, version = join_version(&j->other.rec);
	bool known = mem_json_int(mem_json_member(merged, "version"), &was) && was > 0;
	const int64_t lost = j->lost + j->lost_shared, mentions = join_count(&j->other.rec, "mentions");
	const struct mem_clean_field set[] = {
		{ "status", mem_clean_word(&j->arena, MEM_STR("active")) }, { "superseded_by", mem_clean_absent() },
		{ "superseded_at", mem_clean_absent() }, { "merged", mem_clean_absent() },
		{ "mentions", mem_clean_int(&j->arena, mentions > lost ? mentions - lost : 0) },
	};
	const struct mem_write_edit other = { .set = set, .n = MEM_COUNT(set) - (lost == 0), .op = "unmerged", .version = version > 1 ? version - 1 : 1 };
	struct mem_write_edit keep = { .set = kept, .op = "changed" };
	keep.n = list_kept_fields(j, merged, kept);
	keep.version = known && join_version(&j->keep.rec) == was + 1 ? was : 0;
	enum mem_status st = mem_write_unlink_at(j->t, j->other.ord, j->keep.ord, "superseded_by", j->err);
	if (st == MEM_OK || st == MEM_NOTFOUND)
		st = keep.n > 0 ? mem_write_change_at(j->t, j->w, j->keep.ord, &keep, NULL, j->err) : MEM_OK;
	return st == MEM_OK ? mem_write_change_at(j->t, j->w, j->other.ord, &other, NULL, j->err) : st;
}

/* ---- parting --------------------------------------------------------------------- */

/* Goes through all that was changed: to look whether the caller may, then to write. */
static enum mem_status
part_all(struct join *j, const struct part_rows *rows, struct mem_json merged, bool write)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < rows->n; i++) {
		struct mem_json detail = mem_json_object(rows->detail[i]);
		struct mem_json_iter it = mem_json_each(mem_json_member(detail, "moved"));
		while (st == MEM_OK && *j->refused == NULL && mem_json_next(&it))
			st = part_moved_edge(j, it.value, write);
		it = mem_json_each(mem_json_member(detail, "facts"));
		while (st == MEM_OK && *j->refused == NULL && mem_json_next(&it))
			st = part_fact(j, it.value, write);
	}
	struct mem_json_iter it = mem_json_each(mem_json_member(merged, "edges"));
	while (st == MEM_OK && *j->refused == NULL && mem_json_next(&it))
		st = part_joined_edge(j, &j->other.clean, it.value, write);
	return st;
}

static void
add_row_id(struct join_ids *ids, struct mem_json id)
{
	struct mem_id fact;
	if (mem_json_id(id, &fact))
		join_ids_add(ids, &fact);
}

/* The facts that were renamed, and those that were judged. */
static void
list_row_facts(const struct part_rows *rows, struct join_ids *renamed, struct join_ids *judged)
{
	for (size_t i = 0; i < rows->n; i++)
		for (struct mem_json_iter it = mem_json_each(mem_json_member(mem_json_object(rows->detail[i]), "facts")); mem_json_next(&it);)
			add_row_id(renamed, mem_json_member(it.value, "id"));
	for (size_t i = 0; i < rows->njudged; i++)
		for (struct mem_json_iter it = mem_json_each(mem_json_member(mem_json_object(rows->judged[i]), "judged")); mem_json_next(&it);)
			add_row_id(judged, it.value);
}

/* Facts that others have changed since the merge, or that the other one's have ended, are judged by what they are about now. */
static enum mem_status
judge_parted(struct join *j, const struct part_rows *rows, const struct join_ids *renamed, const struct join_ids *judged, bool whole)
{
	bool freed = false;
	for (size_t i = 0; i < renamed->n; i++)
		join_add_fact(j, &renamed->v[i]);
	for (size_t i = 0; i < judged->n; i++)
		join_add_fact(j, &judged->v[i]);
	enum mem_status st = join_free_facts(j, &freed);
	if (st == MEM_OK)
		st = join_part_since(j, rows->first);
	return st == MEM_OK && (freed || j->changed || !whole) ? join_judge(j, false) : st;
}

static enum mem_status
part_facts_and_edges(struct join *j, const struct part_rows *rows, struct mem_json merged)
{
	struct join_ids renamed = { 0 }, judged = { 0 };
	bool whole = true;
	list_row_facts(rows, &renamed, &judged);
	enum mem_status st = join_unjudge(j, &judged, &renamed, &whole);
	if (st == MEM_OK)
		st = part_all(j, rows, merged, true);
	if (st == MEM_OK)
		st = join_part_sources(j);
	if (st == MEM_OK)
		st = judge_parted(j, rows, &renamed, &judged, whole);
	if (st == MEM_OK)
		st = consolidate_again_at(j->t, j->again.v, j->again.n, "unmerged", j->err);
	free(renamed.v);
	free(judged.v);
	return st;
}

static enum mem_status
write_parting(struct join *j, const struct part_rows *rows, struct mem_json merged)
{
	struct mem_clean_object o = { 0 };
	enum mem_status st = part_facts_and_edges(j, rows, merged);
	if (st == MEM_OK)
		st = write_parted_nodes(j, merged);
	mem_clean_object_put(&o, "keep", mem_clean_id(&j->arena, &j->keep.id));
	mem_clean_object_put(&o, "undoes", mem_clean_int(&j->arena, (int64_t)rows->first));
	const struct mem_write_audit row = { j->by == MEM_MERGE_BY_DEDUPE ? "dedupe" : "unmerge", "undo", mem_clean_object_end(&o, &j->arena) };
	return st == MEM_OK ? mem_write_audit_at(j->t, j->w, j->other.ord, &row, j->err) : st;
}

enum mem_status
mem_unmerge_at(struct mem_txn *t, struct mem_writer *w, const struct mem_id *other, enum mem_merge_by by, const char **refused,
    struct mem_err *err)
{
	struct join j = { .t = t, .w = w, .by = by, .refused = refused, .err = err };
	struct part_rows rows = { .j = &j, .word = join_audit_word(by) };
	struct mem_json merged = { 0 };
	*refused = NULL;
	enum mem_status st = read_parted_nodes(&j, other);
	if (st == MEM_OK && *refused == NULL)
		st = read_join_rows(&rows, other);
	if (st == MEM_OK && *refused == NULL && rows.first == 0)
		*refused = "state_conflict";
	if (st == MEM_OK && *refused == NULL)
		st = check_order(&j, &rows);
	if (st == MEM_OK && *refused == NULL) {
		merged = mem_rec_value(&j.other.rec, "merged");
		st = part_all(&j, &rows, merged, false);
	}
	if (st == MEM_OK && *refused == NULL)
		st = write_parting(&j, &rows, merged);
	release_join_rows(&rows);
	join_release(&j);
	return st;
}
