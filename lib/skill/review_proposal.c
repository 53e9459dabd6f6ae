/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews that ask for a skill that was proposed: approved, it is created with its edges, and what it lacks is proposed in turn. */
#include <string.h>

#include "base/digest.h"
#include "base/text_map.h"
#include "skill/propose.h"
#include "skill/proposal_int.h"
#include "skill/proposal_score.h"
#include "skill/release.h"
#include "skill/skill_activate.h"
#include "skill/skill_int.h"
#include "skill/uses.h"
#include "write/review.h"

enum { CHILDREN_MAX = 3, DEPTH_MAX = 3 };
#define CHILD_CONFIDENCE  .8            /* times the similarity */

struct named_relation {
	const char *kind;               /* of mem_skill_edges */
	struct mem_str name;
	double weight;
};

/* What the approval makes.  All of it lives in the batch's arena. */
struct approved_skill {
	struct mem_writer *w;
	struct mem_arena *a;
	struct mem_rec rec;             /* of the proposal */
	struct mem_id proposal;
	struct mem_str proposal_ns, ns, name;
	int64_t version;
	unsigned depth;                 /* of the proposal below the one that has no parent */
	struct mem_write_edge *edges;
	size_t nedges;
	struct mem_json missing[CHILDREN_MAX]; /* dependencies that no skill is, to be proposed, the best first */
	size_t nmissing;
	struct mem_clean_object absent; /* names of all of those */
	struct named_relation *relations; /* all dependencies, also those, as a file declares them */
	size_t nrelations;
	struct mem_text_map absent_refs;
};

/* ---- dependencies --------------------------------------------------------------- */

/* By its id, else its name, in the namespace of skills and what else the reviewer sees. */
static enum mem_status
find_dependency(struct approved_skill *x, struct mem_txn *t, struct mem_json dependency, struct mem_skill *out, struct mem_err *err)
{
	struct mem_str id = mem_json_text(x->a, mem_json_member(dependency, "id")), name = mem_json_text(x->a, mem_json_member(dependency, "name"));
	if (dependency.type == MEM_JSON_STRING)
		name = mem_json_text(x->a, dependency);
	enum mem_status st = id.n > 0 ? mem_skill_find(out, t, x->ns, id, x->a, err) : MEM_NOTFOUND;
	if (st == MEM_NOTFOUND && name.n > 0)
		st = mem_skill_find(out, t, x->ns, name, x->a, err);
	return st == MEM_REFUSED || st == MEM_USAGE ? MEM_NOTFOUND : st;
}

static void
add_named_relation(struct approved_skill *x, struct mem_str name, struct mem_json dependency)
{
	x->relations[x->nrelations++] = (struct named_relation){ proposal_dependency_relation(dependency), mem_arena_str(x->a, name),
		proposal_dependency_weight(dependency) };
}

/* As one that the skill's file declares, so that the edge goes when a later text does not name it. */
static void
add_dependency_edge(struct approved_skill *x, const struct mem_skill *to, struct mem_json dependency)
{
	struct mem_clean_field *fields = mem_arena_alloc(x->a, 2 * sizeof *fields);
	const struct mem_clean_text weight = mem_clean_num(x->a, proposal_dependency_weight(dependency));
	fields[0] = (struct mem_clean_field){ "weight", weight };
	fields[1] = (struct mem_clean_field){ "declared", weight };
	x->edges[x->nedges++] = (struct mem_write_edge){ .kind = proposal_dependency_relation(dependency), .to.id = to->id, .fields = fields, .nfields = 2 };
	add_named_relation(x, to->name, dependency);
}

/* Has it a name, is it near enough to be proposed, and not so near that it is the same?  Of an unknown similarity nobody can tell. */
static bool
is_child(const struct approved_skill *x, struct mem_json dependency)
{
	double similarity = proposal_dependency_share(dependency, "similarity", MEM_PROPOSAL_MODERATE);
	bool named = dependency.type == MEM_JSON_STRING || mem_json_member(dependency, "name").type == MEM_JSON_STRING;
	return named && x->depth < DEPTH_MAX && similarity >= MEM_PROPOSAL_RELATED && similarity <= MEM_PROPOSAL_HIGH;
}

/* By similarity, those of which none is known behind the others; of equal ones the first stays before the next. */
static void
add_child(struct approved_skill *x, struct mem_json dependency)
{
	const double similarity = proposal_dependency_share(dependency, "similarity", -1);
	size_t at = x->nmissing;
	while (at > 0 && proposal_dependency_share(x->missing[at - 1], "similarity", -1) < similarity)
		at--;
	if (at == CHILDREN_MAX)
		return;
	x->nmissing += x->nmissing < CHILDREN_MAX;
	memmove(&x->missing[at + 1], &x->missing[at], (x->nmissing - at - 1) * sizeof *x->missing);
	x->missing[at] = dependency;
}

/* One that no skill is.  A name that was there before is the same one. */
static void
add_absent_dependency(struct approved_skill *x, const struct mem_clean_rec *clean, struct mem_json dependency)
{
	struct mem_json name = proposal_dependency_name(dependency);
	bool made;
	mem_text_map_put(&x->absent_refs, mem_skill_ref(x->a, mem_json_text(x->a, name)), 0, &made);
	if (!made)
		return;
	mem_clean_list_put(&x->absent, mem_clean_part(clean, name));
	add_named_relation(x, mem_json_text(x->a, name), dependency);
	if (is_child(x, dependency))
		add_child(x, dependency);
}

/* False: one is none (proposal_int.h). */
static bool
count_dependencies(size_t *n, struct mem_json list)
{
	bool valid = true;
	*n = 0;
	for (struct mem_json_iter it = mem_json_each(list); valid && mem_json_next(&it); (*n)++)
		valid = proposal_dependency_valid(it.value);
	return valid;
}

static enum mem_status
read_dependencies(struct approved_skill *x, struct mem_txn *t, const char **refused, struct mem_err *err)
{
	struct mem_clean_rec clean = { 0 };
	const struct mem_json list = mem_rec_value(&x->rec, "dependencies");
	size_t n;
	enum mem_status st = MEM_OK;
	if (!count_dependencies(&n, list)) {
		*refused = "bad_value";
		return MEM_OK;
	}
	mem_clean_restored(&clean, &x->rec);
	x->edges = mem_arena_alloc(x->a, (n + 1) * sizeof *x->edges);
	x->relations = mem_arena_alloc(x->a, (n + 1) * sizeof *x->relations);
	for (struct mem_json_iter it = mem_json_each(list); st == MEM_OK && mem_json_next(&it);) {
		struct mem_skill skill;
		st = find_dependency(x, t, it.value, &skill, err);
		if (st == MEM_OK)
			add_dependency_edge(x, &skill, it.value);
		if (st == MEM_NOTFOUND) {
			add_absent_dependency(x, &clean, it.value);
			st = MEM_OK;
		}
	}
	return st;
}

/* ---- reading the proposal --------------------------------------------------------- */

/* How many proposals brought this one. */
static unsigned
count_parents(struct mem_txn *t, const struct mem_rec *rec)
{
	struct mem_id parent;
	unsigned depth = 0;
	struct mem_json at = mem_rec_value(rec, "parent");
	while (depth < DEPTH_MAX && mem_json_id(at, &parent)) {
		struct mem_node node;
		if (mem_write_node_find(t, &parent, &node, NULL) != MEM_OK)
			break;
		at = mem_json_member(mem_json_object(node.json), "parent");
		depth++;
	}
	return depth;
}

static bool
is_waiting(const struct mem_rec *rec, int64_t now)
{
	enum mem_proposal_state state = mem_proposal_state_read(rec, now);
	return state == MEM_PROPOSAL_SUBMITTED || state == MEM_PROPOSAL_UNDER_REVIEW;
}

static enum mem_status
refuse_own(struct mem_txn *t, const struct mem_node *proposal, const char **refused, struct mem_err *err)
{
	bool own;
	enum mem_status st = proposal_is_own(t, proposal, &own, err);
	if (st == MEM_OK && own)
		*refused = "rights_denied";
	return st;
}

/* What the proposal says, and what there is of what it names.  *refused: it cannot be created. */
static enum mem_status
read_approved(struct approved_skill *x, struct mem_txn *t, const char **refused, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns ns;
	struct mem_skill there;
	enum mem_status st = mem_write_node_find(t, &x->proposal, &node, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&x->rec, mem_arena_str(x->a, node.json), err);
	if (st != MEM_OK) {
		*refused = st == MEM_NOTFOUND ? "not_found" : NULL;
		return st == MEM_NOTFOUND ? MEM_OK : st;
	}
	x->proposal_ns = mem_arena_str(x->a, mem_str(ns.name));
	x->name = mem_json_text(x->a, mem_rec_value(&x->rec, "name"));
	x->depth = count_parents(t, &x->rec);
	if (node.attr->kind != MEM_KIND_PROPOSAL || !mem_skill_name_valid(x->name)) {
		*refused = "bad_value";
		return MEM_OK;
	}
	st = refuse_own(t, &node, refused, err);
	if (st != MEM_OK || *refused != NULL)
		return st;
	st = mem_skill_by_name(&there, t, x->ns, x->name, x->a, err);
	if (st == MEM_OK || (st == MEM_NOTFOUND && !is_waiting(&x->rec, mem_txn_now(t))))
		*refused = "state_conflict";
	if (st == MEM_NOTFOUND && *refused == NULL)
		return read_dependencies(x, t, refused, err);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* ---- the skill --------------------------------------------------------------------- */

/* The dependencies of one kind, by the key that skill_relations.c reads it from. */
static void
put_file_relations(struct mem_buf *out, const struct approved_skill *x, const char *kind)
{
	bool any = false;
	for (size_t i = 0; i < x->nrelations; i++) {
		const struct named_relation *r = &x->relations[i];
		if (strcmp(r->kind, kind) != 0)
			continue;
		if (!any)
			mem_buf_printf(out, "%s:\n", strcmp(kind, "requires") == 0 ? "dependencies" : kind);
		any = true;
		mem_buf_puts(out, "  - {name: ");
		mem_json_put_string(out, r->name);
		mem_buf_puts(out, ", weight: ");
		mem_json_put_number(out, r->weight);
		mem_buf_puts(out, "}\n");
	}
}

/* The file that the skill might have come from, so that its text is exported as one, and says elsewhere what it says here. */
static void
put_skill_file(struct mem_buf *out, struct approved_skill *x)
{
	static const char *const keys[] = { "name", "description", "category" };
	mem_buf_puts(out, "---\n");
	for (size_t i = 0; i < MEM_COUNT(keys); i++) {
		struct mem_json v = mem_rec_value(&x->rec, keys[i]);
		if (v.type == MEM_JSON_STRING)
			mem_buf_printf(out, "%s: %.*s\n", keys[i], (int)v.raw.n, v.raw.p); /* a JSON string is one of YAML, too */
	}
	for (size_t i = 0; i < MEM_COUNT(mem_skill_edges); i++)
		put_file_relations(out, x, mem_skill_edges[i]);
	mem_buf_puts(out, "---\n");
	mem_buf_str(out, mem_json_text(x->a, mem_rec_value(&x->rec, "content")));
}

static void
queue_skill(struct approved_skill *x, struct mem_clean_rec *cleaned, const struct mem_finding_list *found)
{
	static const char *const left_out[] = { "path", "file_sha256" };
	const struct mem_rec *rec = cleaned->rec;
	struct mem_clean_field *fields = mem_arena_alloc(x->a, (rec->nfields + 3) * sizeof *fields);
	struct mem_write_input in = { .ns = x->ns, .quiet = true, .granted = true, .found = *found };
	struct mem_clean_object o = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < rec->nfields; i++) {
		const char *name = mem_arena_str(x->a, rec->fields[i].key).p;
		if (strcmp(name, left_out[0]) != 0 && strcmp(name, left_out[1]) != 0)
			fields[n++] = (struct mem_clean_field){ name, mem_clean_part(cleaned, rec->fields[i].value) };
	}
	fields[n++] = (struct mem_clean_field){ "release", mem_clean_word(x->a, MEM_STR(MEM_RELEASE_FIRST)) };
	fields[n++] = (struct mem_clean_field){ "missing", x->absent.n > 0 ? mem_clean_list_end(&x->absent, x->a) : mem_clean_absent() };
	fields[n++] = (struct mem_clean_field){ "proposal", mem_clean_id(x->a, &x->proposal) };
	mem_clean_object_put(&o, "proposal", mem_clean_id(x->a, &x->proposal));
	const struct mem_write_node node = {
		.kind = MEM_KIND_SKILL, .id_of = mem_skill_identity(x->a, x->name), .fields = fields, .nfields = n,
		.memory = { .importance = .5, .trust = .5, .confidence = mem_clean_num(x->a, MEM_SKILL_UNKNOWN) },
		.edges = x->edges, .nedges = x->nedges,
		.audit = { .word = "skill_created", .detail = mem_clean_object_end(&o, x->a) },
	};
	mem_write_add(x->w, &in, &node);
}

static enum mem_status
make_skill(struct approved_skill *x, const char **refused, struct mem_err *err)
{
	struct mem_buf file = { 0 };
	struct skill_draft draft = { 0 };
	struct mem_clean_rec cleaned = { 0 };
	struct mem_finding_list found = { 0 };
	struct mem_rec rec = { 0 };
	put_skill_file(&file, x);
	struct skill_source source = { .path = MEM_STR("/proposed/SKILL.md"), .bytes = mem_buf_span(&file) };
	mem_digest_text(source.bytes, source.sha256);
	enum mem_status st = skill_draft_read(&draft, &source, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, mem_arena_str(x->a, mem_buf_span(&draft.record)), err);
	if (st == MEM_OK)
		st = mem_write_clean(x->w, &cleaned, &rec, &found, err);
	if (st == MEM_OK)
		queue_skill(x, &cleaned, &found);
	if (st == MEM_REFUSED)
		*refused = err->reason != NULL ? err->reason : "bad_value";
	mem_clean_rec_release(&cleaned);
	mem_rec_release(&rec);
	skill_draft_release(&draft);
	mem_buf_release(&file);
	return st == MEM_REFUSED ? MEM_OK : st;
}

/* ---- what it lacks ------------------------------------------------------------------- */

static void
queue_child(struct approved_skill *x, struct mem_json dependency)
{
	struct mem_clean_rec clean = { 0 };
	mem_clean_restored(&clean, &x->rec);
	const struct mem_clean_text text = mem_clean_part(&clean, proposal_dependency_name(dependency));
	double similarity = proposal_dependency_share(dependency, "similarity", MEM_PROPOSAL_MODERATE);
	const struct mem_write_input in = { .ns = x->proposal_ns, .quiet = true, .granted = true };
	const struct mem_clean_field fields[] = {
		{ "topic", text }, { "name", text }, { "title", text }, { "description", text },
		{ "category", mem_clean_value(&clean, "category") },
		{ "confidence", mem_clean_num(x->a, CHILD_CONFIDENCE * similarity) },
		{ "overlaps", mem_clean_empty_list() }, { "dependencies", mem_clean_empty_list() }, { "evidence", mem_clean_empty_list() },
		{ "parent", mem_clean_id(x->a, &x->proposal) },
		{ "state", mem_clean_word(x->a, mem_str(mem_proposal_states[MEM_PROPOSAL_DRAFT])) },
		proposal_expiry(x->w),
	};
	const struct mem_write_node node = { .kind = MEM_KIND_PROPOSAL, .fields = fields, .nfields = MEM_COUNT(fields),
		.audit = { .word = "skill_proposed" } };
	mem_write_add(x->w, &in, &node);
}

/* A mem_review_bring_fn. */
static enum mem_status
bring_skill(struct mem_writer *w, const struct mem_review *review, const char **refused, struct mem_err *err)
{
	struct approved_skill x = { .w = w, .a = mem_writer_arena(w), .proposal = review->subject };
	struct mem_store *s = mem_writer_store(w);
	const char *ns = mem_skill_ns(mem_store_conf(s), NULL);
	struct mem_txn *t = NULL;
	if (!review->has_subject || ns == NULL) {
		*refused = "bad_value";
		return MEM_OK;
	}
	x.ns = mem_str(ns);
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = read_approved(&x, t, refused, err);
	mem_txn_end(t);
	if (st == MEM_OK && *refused == NULL)
		st = make_skill(&x, refused, err);
	for (size_t i = 0; i < x.nmissing && st == MEM_OK && *refused == NULL; i++)
		queue_child(&x, x.missing[i]);
	mem_clean_object_release(&x.absent);
	mem_text_map_release(&x.absent_refs);
	mem_rec_release(&x.rec);
	return st;
}

/* ---- the proposal ---------------------------------------------------------------------- */

static enum mem_proposal_state
state_after(enum mem_review_state decision)
{
	if (decision == MEM_REVIEW_APPROVED)
		return MEM_PROPOSAL_CREATED;
	return decision == MEM_REVIEW_REJECTED ? MEM_PROPOSAL_REJECTED : MEM_PROPOSAL_DRAFT;
}

bool
proposal_find_skill(struct mem_node *skill, struct mem_txn *t, struct mem_str ns, const struct mem_node *proposal, struct mem_arena *a)
{
	struct mem_str name = mem_json_text(a, mem_json_member(mem_json_object(proposal->json), "name"));
	struct mem_id id = mem_id_v8(ns, mem_skill_identity(a, name)), of;
	return mem_node_by_id(t, &id, skill, NULL) == MEM_OK && mem_json_id(mem_json_member(mem_json_object(skill->json), "proposal"), &of) &&
	    memcmp(&of, &proposal->attr->id, sizeof of) == 0;
}

/* The skill whose proposal brought this one needs what came. */
static enum mem_status
join_parent(struct mem_txn *t, struct mem_writer *w, struct mem_str ns, struct mem_json parent, struct mem_err *err)
{
	struct mem_node proposal, skill;
	struct mem_id id;
	bool there = mem_json_id(parent, &id) && mem_write_node_find(t, &id, &proposal, NULL) == MEM_OK &&
	    proposal_find_skill(&skill, t, ns, &proposal, mem_writer_arena(w));
	return there ? skill_edges_write_granted(t, w, skill.ord, err) : MEM_OK;
}

static bool
is_expired(const struct mem_txn *t, const struct mem_node *proposal)
{
	struct mem_rec rec = { 0 };
	bool expired = mem_rec_scan(&rec, proposal->json, NULL) == MEM_OK && mem_proposal_state_read(&rec, mem_txn_now(t)) == MEM_PROPOSAL_EXPIRED;
	mem_rec_release(&rec);
	return expired;
}

/* A mem_review_effect_fn: the proposal says what became of it.  Sent back for changes, it is a draft again. */
static enum mem_status
settle_proposal(struct mem_txn *t, struct mem_writer *w, const struct mem_review *review, enum mem_review_state decision,
    const char **refused, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	const char *state = mem_proposal_states[state_after(decision)];
	struct mem_node node, skill;
	enum mem_status st = review->has_subject ? mem_write_node_find(t, &review->subject, &node, err) : MEM_NOTFOUND;
	if (st == MEM_NOTFOUND || (st == MEM_OK && node.attr->kind != MEM_KIND_PROPOSAL)) {
		*refused = st == MEM_OK ? "bad_value" : "not_found";
		return MEM_OK;
	}
	if (st == MEM_OK)
		st = refuse_own(t, &node, refused, err);
	if (st != MEM_OK || *refused != NULL)
		return st;
	const char *ns = mem_skill_ns(mem_store_conf(mem_writer_store(w)), NULL);
	bool made = decision != MEM_REVIEW_APPROVED || (ns != NULL && proposal_find_skill(&skill, t, mem_str(ns), &node, a));
	if (!made || is_expired(t, &node)) {
		*refused = "state_conflict";
		return MEM_OK;
	}
	const struct mem_clean_field set[] = { { "state", mem_clean_word(a, mem_str(state)) }, proposal_expiry(w) };
	const struct mem_write_edit edit = { .set = set, .n = decision == MEM_REVIEW_CHANGES_ASKED ? 2 : 1, .op = state };
	if (decision == MEM_REVIEW_APPROVED)
		st = join_parent(t, w, mem_str(ns), mem_json_member(mem_json_object(node.json), "parent"), err);
	return st == MEM_OK ? mem_write_change_at(t, w, node.ord, &edit, NULL, err) : st;
}

const struct mem_review_effect mem_review_effect_proposal = { .asks = MEM_ASKS_PROPOSAL, .run = settle_proposal, .bring = bring_skill };
