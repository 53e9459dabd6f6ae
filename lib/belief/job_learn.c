/* SPDX-License-Identifier: Apache-2.0 */
/* The job learn: learnings that faded away are archived, those that proved themselves are shared, and what was shared falls with them. */
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "belief/learn.h"
#include "clean/clean_text.h"
#include "store/edge.h"
#include "store/node.h"
#include "words/words.h"
#include "write/write.h"

enum learn_fate { LEARN_STAYS, LEARN_FALLS, LEARN_FADES, LEARN_SPREADS };
enum { PIECE = 1000 };             /* learnings that one snapshot reads */

struct learn_job {
	struct mem_store *store;
	bool to_team, to_global;
	uint32_t *ords;            /* of all learnings */
	size_t nords, ords_cap, looked;
	struct mem_id *ids;        /* of learnings that may have a fate */
	size_t n, cap;
	struct mem_write_total total;
};

/* ---- judging ---------------------------------------------------------------- */

/* Of the caller its team is known; of others, whose learnings an operator looks at, only if the settings list them. */
static const char *
find_owners_team(const struct learn_job *j, struct mem_str agent)
{
	const struct mem_principal *who = mem_store_principal(j->store);
	if (!mem_str_is(agent, who->agent))
		return mem_store_only_team(j->store, agent);
	return who->nteams == 1 ? who->teams[0] : NULL;
}

/* Where a learning of this namespace is shared; n 0: nowhere. */
static struct mem_str
find_wider_ns(const struct learn_job *j, struct mem_arena *a, struct mem_str ns)
{
	const struct mem_principal *who = mem_store_principal(j->store);
	bool of_agent = ns.n > 6 && memcmp(ns.p, "agent:", 6) == 0, team = ns.n > 5 && memcmp(ns.p, "team:", 5) == 0;
	const char *owners = of_agent && j->to_team ? find_owners_team(j, (struct mem_str){ ns.p + 6, ns.n - 6 }) : NULL;
	if (owners != NULL)
		return mem_str(mem_arena_printf(a, "team:%s", owners));
	return team && j->to_global && who->is_operator ? MEM_STR("global") : MEM_STR("");
}

static bool
note_promotion(void *ctx, const struct mem_edge *e)
{
	struct mem_json edge;
	bool *found = ctx;
	*found = mem_json_scan(&edge, e->json, NULL) == MEM_OK && mem_json_is(mem_json_member(edge, "edge"), "promoted_to");
	return !*found;
}

struct learn_source {
	struct mem_txn *t;
	bool disproven;
};

/* A mem_edge_fn of edges that lead to a copy. */
static bool
note_disproven_source(void *ctx, const struct mem_edge *e)
{
	struct learn_source *s = ctx;
	struct mem_node node;
	bool promoted = false;
	note_promotion(&promoted, e);
	if (promoted && mem_node_at(s->t, e->from, &node, NULL) == MEM_OK)
		s->disproven = mem_json_is(mem_json_member(mem_json_object(node.json), "state"), "disproven");
	return !s->disproven;
}

/* Is it the copy of one that was found to be wrong, and has nobody said anything of the copy itself? */
static bool
is_copy_of_disproven(struct mem_txn *t, const struct mem_node *node, const struct mem_rec *rec)
{
	struct learn_source source = { .t = t };
	if (mem_json_there(mem_rec_value(rec, "changed_at")))
		return false;
	return mem_edge_each(t, node->ord, false, note_disproven_source, &source, NULL) == MEM_OK && source.disproven;
}

/* May the principal write there? */
static bool
is_writable(struct mem_txn *t, const struct learn_job *j, uint32_t number, struct mem_ns *ns)
{
	if (mem_ns_by_number(t, number, ns, NULL) != MEM_OK)
		return false;
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_str(ns->name), .compartment = mem_str(ns->compartment) };
	return mem_store_allows(j->store, &to);
}

static enum learn_fate
judge_learning(struct mem_txn *t, const struct learn_job *j, struct mem_arena *a, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_str *wider)
{
	struct mem_learn_value v;
	struct mem_ns ns;
	bool promoted = false;
	int64_t now = mem_txn_now(t);
	if (node->attr->kind != MEM_KIND_LEARNING || !mem_attr_live(node->attr, now) || !is_writable(t, j, node->attr->ns, &ns))
		return LEARN_STAYS;
	if (is_copy_of_disproven(t, node, rec))
		return LEARN_FALLS;
	mem_learn_value_read(&v, rec, now);
	if (v.importance < MEM_LEARN_FADED && now - node->attr->created_at > MEM_LEARN_OLD && !node->attr->pinned)
		return LEARN_FADES;
	*wider = find_wider_ns(j, a, mem_str(ns.name));
	if (wider->n == 0 || v.effective < MEM_LEARN_SHARED || node->attr->access_count < MEM_LEARN_READS ||
	    mem_json_is(mem_rec_value(rec, "state"), "disproven") ||
	    mem_edge_each(t, node->ord, true, note_promotion, &promoted, NULL) != MEM_OK || promoted)
		return LEARN_STAYS;
	return LEARN_SPREADS;
}

/* A damaged one is noted and passed over. */
static enum mem_status
look_at_learning(struct mem_txn *t, struct learn_job *j, struct mem_arena *a, uint32_t ord, struct mem_err *err)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_str wider;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, err);
	if (st == MEM_OK && judge_learning(t, j, a, &node, &rec, &wider) != LEARN_STAYS) {
		j->ids = mem_grow(j->ids, &j->cap, j->n + 1, sizeof *j->ids);
		j->ids[j->n++] = node.attr->id;
	}
	mem_rec_release(&rec);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	return st == MEM_DAMAGED || st == MEM_NOTFOUND || st == MEM_REFUSED ? MEM_OK : st;
}

/* A mem_ord_fn. */
static void
note_learning(void *ctx, uint32_t ord)
{
	struct learn_job *j = ctx;
	j->ords = mem_grow(j->ords, &j->ords_cap, j->nords + 1, sizeof *j->ords);
	j->ords[j->nords++] = ord;
}

/* Those in what the principal sees, in commit order: by their texts, which are names of the namespace and of its compartments. */
static enum mem_status
list_learnings(struct mem_txn *t, struct learn_job *j, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	size_t n = 0;
	enum mem_status st = mem_ns_visible(t, &ns, &n, err);
	uint32_t *roots = mem_xcalloc(n + 1, sizeof *roots);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		roots[i] = ns[i].root;
	n = st == MEM_OK ? mem_numbers_sort_unique(roots, n) : 0;
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		st = mem_nodes_of_name_type(t, roots[i], MEM_STR("=learning"), note_learning, j, err);
	free(roots);
	free(ns);
	if (j->nords > 0)
		j->nords = mem_numbers_sort_unique(j->ords, j->nords);
	return st;
}

/* As many as one snapshot may read. */
static enum mem_status
look_at_some(struct mem_txn *t, struct learn_job *j, struct mem_err *err)
{
	struct mem_arena arena = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t n = 0; n < PIECE && j->looked < j->nords && st == MEM_OK; n++) {
		st = look_at_learning(t, j, &arena, j->ords[j->looked++], err);
		mem_arena_reset(&arena);
	}
	mem_arena_release(&arena);
	return st;
}

static void
begin_learn_job(struct learn_job *j, struct mem_store *s)
{
	struct mem_str how = mem_conf_str(mem_store_conf(s), "learn.promote");
	*j = (struct learn_job){ .store = s, .to_team = !mem_str_is(how, "off"), .to_global = mem_str_is(how, "global") };
}

static void
end_learn_job(struct learn_job *j)
{
	free(j->ords);
	free(j->ids);
}

static enum mem_status
gather_learnings(struct learn_job *j, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	bool listed = false;
	while (st == MEM_OK && (!listed || j->looked < j->nords)) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, j->store, err);
		if (st == MEM_OK && !listed)
			st = list_learnings(t, j, err);
		listed = true;
		if (st == MEM_OK)
			st = look_at_some(t, j, err);
		mem_txn_end(t);
	}
	return st;
}

/* ---- doing ------------------------------------------------------------------- */

static struct mem_clean_text
make_learn_detail(struct mem_arena *a, const char *change)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "change", mem_clean_word(a, mem_str(change)));
	return mem_clean_object_end(&o, a);
}

/* Judged once more under the lock.  A mem_write_revise_fn. */
static enum mem_status
archive_learning(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_str wider;
	(void)refused;
	(void)err;
	if (judge_learning(t, ctx, a, node, rec, &wider) != LEARN_FADES)
		return MEM_OK;
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("archived")) };
	*edit = (struct mem_write_edit){ .set = set, .n = 1, .op = "archived", .undoable = true,
		.audit = { "learn", NULL, make_learn_detail(a, "archived") } };
	return MEM_OK;
}

/* The copy has what the learning says, and where it comes from; its own outcomes begin anew. */
static void
queue_copy(struct mem_writer *w, const struct mem_write_input *in, const struct mem_rec *rec, const struct mem_id *id)
{
	static const char *const kept[] = { "content", "category", "state" };
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_rec clean = { 0 };
	struct mem_clean_object sources = { 0 }, none = { 0 };
	struct mem_learn_value v;
	double trust;
	mem_clean_restored(&clean, rec);
	struct mem_clean_field *fields = mem_arena_alloc(a, (MEM_COUNT(kept) + 2) * sizeof *fields);
	for (size_t i = 0; i < MEM_COUNT(kept); i++)
		fields[i] = (struct mem_clean_field){ kept[i], mem_clean_value(&clean, kept[i]) };
	for (size_t i = 0; i < 3; i++)
		mem_clean_object_put(&none, (const char *const[]){ "positive", "negative", "uses" }[i], mem_clean_int(a, 0));
	mem_clean_list_put(&sources, mem_clean_id(a, id));
	fields[3] = (struct mem_clean_field){ "effectiveness", mem_clean_object_end(&none, a) };
	fields[4] = (struct mem_clean_field){ "sources", mem_clean_list_end(&sources, a) };
	mem_learn_value_read(&v, rec, mem_store_now(mem_writer_store(w)));
	if (!mem_json_num(mem_rec_value(rec, "trust"), &trust))
		trust = .5;
	struct mem_write_edge *edge = mem_arena_alloc(a, sizeof *edge);
	*edge = (struct mem_write_edge){ .kind = "promoted_to", .from.id = *id };
	const struct mem_write_node node = {
		.kind = MEM_KIND_LEARNING, .fields = fields, .nfields = MEM_COUNT(kept) + 2,
		.id_of = mem_str(mem_arena_printf(a, "learning%c%.36s", 31, mem_clean_id(a, id).value.raw.p + 1)),
		.memory = { .importance = v.effective, .trust = trust, .type = mem_clean_word(a, MEM_STR("learning")),
			.confidence = mem_clean_num(a, v.confidence) },
		.edges = edge, .nedges = 1, .audit = { "learn", NULL, make_learn_detail(a, "promoted") },
	};
	mem_write_add(w, in, &node);
}

/* Copies go one at a time, judged just before: what changes between is judged the next time. */
static enum mem_status
queue_learning(struct learn_job *j, struct mem_writer *w, const struct mem_id *id, uint64_t line, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_str wider = MEM_STR("");
	enum learn_fate fate = LEARN_STAYS;
	struct mem_write_input in = { .line = line };
	enum mem_status st = mem_txn_read(&t, j->store, err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, id, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, mem_arena_str(a, node.json), err);
	if (st == MEM_OK)
		fate = judge_learning(t, j, a, &node, &rec, &wider);
	mem_txn_end(t);
	in.ns = wider;
	if (fate == LEARN_FALLS)
		mem_learn_queue_change(&(struct mem_write_run){ .writer = w }, &in, id, MEM_LEARN_DISPROVE, NULL, NULL, 0);
	if (fate == LEARN_FADES)
		mem_write_revise(w, &in, id, 0, archive_learning, j);
	if (fate == LEARN_SPREADS)
		queue_copy(w, &in, &rec, id);
	mem_rec_release(&rec);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED || st == MEM_REFUSED ? MEM_OK : st;
}

static enum mem_status
run_learn(struct mem_index *m, uint64_t *done, struct mem_err *err)
{
	struct learn_job j;
	begin_learn_job(&j, m->store);
	struct mem_writer *w = mem_writer_new(m, &(struct mem_write_options){ .via = "mem-maintain" });
	enum mem_status st = gather_learnings(&j, err);
	for (size_t i = 0; i < j.n && st == MEM_OK; i++) {
		st = queue_learning(&j, w, &j.ids[i], i + 1, err);
		if (st == MEM_OK && mem_write_full(w))
			st = mem_write_commit(w, mem_receipts_drop, NULL, &j.total, err);
	}
	if (st == MEM_OK)
		st = mem_write_commit(w, mem_receipts_drop, NULL, &j.total, err);
	*done += j.total.stored;
	mem_writer_free(w);
	end_learn_job(&j);
	return st;
}

static enum mem_status
look_learn(struct mem_index *m, struct mem_txn *t, struct mem_job_state *out, struct mem_err *err)
{
	struct learn_job j;
	begin_learn_job(&j, m->store);
	enum mem_status st = list_learnings(t, &j, err);
	while (st == MEM_OK && j.looked < j.nords)
		st = look_at_some(t, &j, err);
	out->due = j.n > 0;
	out->amount = j.n;
	end_learn_job(&j);
	return st;
}

const struct mem_job mem_job_learn = {
	.name = "learn", .unit = "nodes", .reach = MEM_JOB_OF_WRITABLE, .look = look_learn, .run = run_learn,
	.after = { "upgrade", "expire" }, .at = "03:45",
};
