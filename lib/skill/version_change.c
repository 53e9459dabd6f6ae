/* SPDX-License-Identifier: Apache-2.0 */
/* Another release becomes active; comparisons begin and end. */
#include "skill/version.h"

#include <string.h>

#include "skill/ab.h"
#include "skill/skill_int.h"

/* Worked out before the lock is taken; in the batch's arena. */
struct version_plan {
	struct mem_skill_releases releases;
	struct mem_skill *skill;    /* its own node */
	int64_t version;
};

/* ---- plans ---------------------------------------------------------------------- */

/* A mem_write_check_fn: counting an outcome raises no version, so the whole text must be what it was. */
static enum mem_status
check_skill_text(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	const struct mem_skill *was = ctx;
	struct mem_node node;
	enum mem_status st = mem_write_node_find(t, &was->id, &node, err);
	if (st == MEM_NOTFOUND)
		return MEM_STALE;
	return st != MEM_OK || mem_str_eq(node.json, was->node.raw) ? st : MEM_STALE;
}

/* The texts of nodes outlive the snapshot. */
static void
keep_releases(struct mem_skill_releases *l, struct mem_arena *a)
{
	for (size_t i = 0; i < l->n; i++)
		l->v[i].node = mem_json_object(mem_arena_str(a, l->v[i].node.raw));
}

static enum mem_status
refuse_plan(struct mem_write_run *r, const struct mem_write_input *in, const char *reason)
{
	mem_write_refuse(r->writer, in, reason, 0);
	return MEM_REFUSED;
}

/* MEM_REFUSED: the input is refused. */
static enum mem_status
make_plan(struct version_plan *p, struct mem_write_run *r, struct mem_write_input *in, struct mem_str operand, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = mem_skill_releases_read(&p->releases, t, operand, a, err);
	if (st == MEM_OK) {
		keep_releases(&p->releases, a);
		p->skill = &p->releases.v[p->releases.active];
		p->version = mem_write_version(p->skill->node);
		in->ns = mem_arena_str(a, p->skill->ns);
	}
	mem_txn_end(t);
	if (st == MEM_NOTFOUND || st == MEM_REFUSED)
		return refuse_plan(r, in, st == MEM_REFUSED ? "ambiguous" : "not_found");
	if (st == MEM_OK && p->skill->forgotten)
		return skill_refuse_forgotten(r, in);
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = in->ns };
	if (st == MEM_OK && !mem_store_allows(mem_writer_store(r->writer), &to))
		return refuse_plan(r, in, "namespace_denied");
	if (st == MEM_OK)
		mem_write_check(r->writer, check_skill_text, p->skill);
	return st;
}

/* ---- another active release -------------------------------------------------------- */

struct release_fields {
	struct mem_clean_field *v;
	size_t n;
};

/* The fields of a release, and of those that `other` has alone that they go. */
static enum mem_status
gather_release_fields(struct release_fields *out, struct mem_arena *a, const struct mem_skill *release, const struct mem_skill *other, struct mem_err *err)
{
	struct mem_rec *own = mem_arena_alloc(a, sizeof *own);
	struct mem_clean_rec clean = { 0 };
	size_t most = 8;
	*own = (struct mem_rec){ 0 };
	enum mem_status st = mem_rec_scan(own, release->node.raw, err);
	if (st != MEM_OK) {
		mem_rec_release(own);
		return st;
	}
	mem_clean_restored(&clean, own);
	for (struct mem_json_iter it = mem_json_each(other->node); mem_json_next(&it);)
		most++;
	out->v = mem_arena_alloc(a, (most + own->nfields) * sizeof *out->v);
	for (size_t i = 0; i < own->nfields; i++)
		if (!own->fields[i].key_escaped && mem_skill_is_release_field(own->fields[i].key))
			out->v[out->n++] = (struct mem_clean_field){ mem_arena_dup(a, own->fields[i].key.p, own->fields[i].key.n),
				mem_clean_part(&clean, own->fields[i].value) };
	for (struct mem_json_iter it = mem_json_each(other->node); mem_json_next(&it);)
		if (mem_skill_is_release_field(it.key) && mem_rec_find(own, mem_arena_dup(a, it.key.p, it.key.n)) == NULL)
			out->v[out->n++] = (struct mem_clean_field){ mem_arena_dup(a, it.key.p, it.key.n), mem_clean_absent() };
	mem_clean_rec_release(&clean);
	mem_rec_release(own);
	return MEM_OK;
}

/* The node that waited while this release was active, if there is one; its text outlives the snapshot. */
static enum mem_status
find_waiting_node(struct mem_skill *out, bool *found, struct mem_write_run *r, const struct mem_skill *skill, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = mem_skill_release_find(out, t, skill, skill->release, a, err);
	*found = st == MEM_OK;
	if (st == MEM_OK)
		out->node = mem_json_object(mem_arena_str(a, out->node.raw));
	mem_txn_end(t);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
skill_release_names(struct mem_write_run *r, const struct mem_skill *skill, struct mem_str ref, struct mem_clean_field out[SKILL_RELEASE_NAMES],
    struct mem_err *err)
{
	struct mem_finding_list found = { 0 };
	out[0].name = "ref";
	out[1].name = "name";
	out[2] = (struct mem_clean_field){ "release_of", mem_clean_id(mem_writer_arena(r->writer), &skill->id) };
	enum mem_status st = mem_write_clean_text(r->writer, &out[0].value, "ref", ref, &found, err);
	return st == MEM_OK ? mem_write_clean_text(r->writer, &out[1].value, "name", skill->name, &found, err) : st;
}

static enum mem_status
queue_new_release_node(struct mem_write_run *r, const struct mem_write_input *quiet, const struct mem_skill *skill, const struct release_fields *f,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_str ref = mem_skill_release_ref(a, skill->name, skill->release);
	struct mem_clean_field *fields = mem_arena_alloc(a, (f->n + SKILL_RELEASE_NAMES) * sizeof *fields);
	size_t n = SKILL_RELEASE_NAMES;
	enum mem_status st = skill_release_names(r, skill, ref, fields, err);
	if (st != MEM_OK)
		return st;
	for (size_t i = 0; i < f->n; i++)
		if (mem_clean_there(f->v[i].value))
			fields[n++] = f->v[i];
	const struct mem_write_node node = { .kind = MEM_KIND_SKILL, .status = MEM_STATUS_SUPERSEDED, .id_of = ref, .fields = fields, .nfields = n,
		.memory = { .importance = .5, .trust = r->trust }, .audit.word = "node_added" };
	mem_write_add(r->writer, quiet, &node);
	return MEM_OK;
}

enum mem_status
skill_release_keep(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_skill *skill, bool rolled_back,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	const struct mem_write_input quiet = { .line = in->line, .ns = in->ns, .quiet = true };
	struct release_fields f = { 0 };
	struct mem_skill *waiting = mem_arena_alloc(a, sizeof *waiting);
	bool found;
	enum mem_status st = find_waiting_node(waiting, &found, r, skill, err);
	if (st == MEM_OK)
		st = gather_release_fields(&f, a, skill, found ? waiting : skill, err);
	if (st != MEM_OK)
		return st;
	f.v[f.n++] = (struct mem_clean_field){ MEM_SKILL_ACTIVE_UNTIL,
		rolled_back ? mem_clean_absent() : mem_clean_int(a, mem_write_version(skill->node)) };
	if (!found)
		return queue_new_release_node(r, &quiet, skill, &f, err);
	f.v[f.n++] = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("superseded")) };
	const struct mem_write_edit edit = { .set = f.v, .n = f.n, .op = "changed", .audit.word = "node_changed" };
	mem_write_check(r->writer, check_skill_text, waiting);
	return mem_write_change(r->writer, &quiet, &waiting->id, 0, &edit, err);
}

static enum mem_status
queue_active_release(struct mem_write_run *r, const struct mem_write_input *in, const struct version_plan *p, struct mem_skill *release, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct release_fields f = { 0 };
	struct mem_clean_object detail = { 0 };
	enum mem_status st = gather_release_fields(&f, a, release, p->skill, err);
	if (st != MEM_OK)
		return st;
	mem_write_check(r->writer, check_skill_text, release);
	f.v[f.n++] = (struct mem_clean_field){ "ab", mem_clean_absent() };
	mem_clean_object_put(&detail, "release_node", mem_clean_id(a, &release->id));
	const struct mem_write_edit edit = { .set = f.v, .n = f.n, .op = "changed", .audit = { "skill_activated", NULL, mem_clean_object_end(&detail, a) } };
	return mem_write_change(r->writer, in, &p->skill->id, p->version, &edit, err);
}

/* A mem_write_act_fn: the skill needs what its active release names. */
static enum mem_status
join_active_release(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	const struct mem_skill *skill = ctx;
	(void)receipt;
	return skill_edges_write(t, w, skill->ord, err);
}

static enum mem_status
queue_activation(struct mem_write_run *r, const struct mem_write_input *in, const struct version_plan *p, struct mem_skill *release, bool rolled_back,
    struct mem_err *err)
{
	if (release == NULL)
		return refuse_plan(r, in, "not_found");
	if (release == p->skill)
		return refuse_plan(r, in, "state_conflict");
	const struct mem_write_input quiet = { .line = in->line, .ns = in->ns, .quiet = true };
	struct mem_write_input named = *in; /* the receipt says which release is active now */
	struct mem_buf more = { 0 };
	mem_buf_puts(&more, ",\"release\":");
	mem_json_put_string(&more, release->release);
	named.more = mem_arena_str(mem_writer_arena(r->writer), mem_buf_span(&more));
	mem_buf_release(&more);
	enum mem_status st = skill_release_keep(r, in, p->skill, rolled_back, err);
	if (st == MEM_OK)
		st = queue_active_release(r, &named, p, release, err);
	if (st == MEM_OK)
		mem_write_act(r->writer, &quiet, join_active_release, p->skill);
	return st;
}

/* ---- comparisons ------------------------------------------------------------------ */

static struct mem_clean_text
make_counts(struct mem_arena *a, const struct mem_skill *release)
{
	struct mem_clean_object list = { 0 };
	struct mem_skill_uses u;
	mem_skill_uses_read(&u, release->node);
	for (int i = 0; i < MEM_SKILL_OUTCOMES; i++)
		mem_clean_list_put(&list, mem_clean_int(a, u.n[i]));
	return mem_clean_list_end(&list, a);
}

/* A release as the store has it. */
static struct mem_clean_text
make_release_text(struct mem_arena *a, const struct mem_skill *release)
{
	struct mem_rec *rec = mem_arena_alloc(a, sizeof *rec);
	struct mem_clean_rec clean = { 0 };
	struct mem_clean_text out = mem_clean_null();
	*rec = (struct mem_rec){ 0 };
	if (mem_rec_scan(rec, release->node.raw, NULL) == MEM_OK) {
		mem_clean_restored(&clean, rec);
		out = mem_clean_value(&clean, "release");
	}
	mem_clean_rec_release(&clean);
	mem_rec_release(rec);
	return out;
}

/* `field` absent: the comparison ends. */
static enum mem_status
queue_ab_field(struct mem_write_run *r, const struct mem_write_input *in, const struct version_plan *p, struct mem_clean_text field, const char *word,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	struct mem_clean_object detail = { 0 };
	*set = (struct mem_clean_field){ "ab", field };
	mem_clean_object_put(&detail, "change", mem_clean_word(a, mem_str(word)));
	const struct mem_write_edit edit = { .set = set, .n = 1, .op = "changed", .audit = { "skill_ab", NULL, mem_clean_object_end(&detail, a) } };
	return mem_write_change(r->writer, in, &p->skill->id, p->version, &edit, err);
}

/* As state_conflict; the receipt says what would help. */
static enum mem_status
refuse_with_advice(struct mem_write_run *r, const struct mem_write_input *in, const char *advice)
{
	struct mem_write_input advised = *in;
	struct mem_buf more = { 0 };
	mem_buf_puts(&more, ",\"advice\":");
	mem_json_put_string(&more, mem_str(advice));
	advised.more = mem_arena_str(mem_writer_arena(r->writer), mem_buf_span(&more));
	mem_buf_release(&more);
	return refuse_plan(r, &advised, "state_conflict");
}

static enum mem_status
queue_ab_start(struct mem_write_run *r, const struct mem_write_input *in, const struct version_plan *p, struct mem_skill *variant, double share,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_object ab = { 0 };
	struct mem_skill_ab runs;
	if (variant == NULL)
		return refuse_plan(r, in, "not_found");
	if (mem_skill_ab_read(&runs, p->skill->node, a))
		return refuse_with_advice(r, in, mem_arena_printf(a, "a comparison with %.*s runs: end it by ab stop, or by ab promote once it has a winner",
		    (int)runs.release.n, runs.release.p));
	if (variant == p->skill)
		return refuse_plan(r, in, "state_conflict");
	share = share < MEM_SKILL_AB_SHARE_MIN ? MEM_SKILL_AB_SHARE_MIN : share > MEM_SKILL_AB_SHARE_MAX ? MEM_SKILL_AB_SHARE_MAX : share;
	mem_clean_object_put(&ab, "variant", mem_clean_id(a, &variant->id));
	mem_clean_object_put(&ab, "release", make_release_text(a, variant));
	mem_clean_object_put(&ab, "active", make_release_text(a, p->skill));
	mem_clean_object_put(&ab, "share", mem_clean_num(a, share));
	mem_clean_object_put(&ab, "active_from", make_counts(a, p->skill));
	mem_clean_object_put(&ab, "variant_from", make_counts(a, variant));
	mem_write_check(r->writer, check_skill_text, variant);
	return queue_ab_field(r, in, p, mem_clean_object_end(&ab, a), "started", err);
}

static enum mem_status
queue_ab_end(struct mem_write_run *r, const struct mem_write_input *in, const struct version_plan *p, bool promote, struct mem_err *err)
{
	struct mem_skill_comparison c;
	bool runs = mem_skill_compare(&c, &p->releases, mem_writer_arena(r->writer), NULL) == MEM_OK;
	/* One whose variant is gone can still be stopped. */
	if (!runs && (promote || !mem_json_there(mem_json_member(p->skill->node, "ab"))))
		return refuse_plan(r, in, "not_found");
	if (promote && c.winner < 0)
		return refuse_with_advice(r, in, mem_skill_comparison_reason(&c, mem_writer_arena(r->writer)));
	if (!promote || c.winner == 0)
		return queue_ab_field(r, in, p, mem_clean_absent(), promote ? "promoted" : "stopped", err);
	const struct mem_skill *v = mem_skill_releases_find(&p->releases, c.variant);
	return queue_activation(r, in, p, &p->releases.v[v - p->releases.v], false, err);
}

/* ---- requests --------------------------------------------------------------------- */

static struct mem_skill *
find_planned_release(const struct version_plan *p, const struct mem_skill_version_change *q)
{
	const struct mem_skill *s = q->change == MEM_SKILL_ROLLBACK ? mem_skill_releases_before(&p->releases)
	    : mem_skill_releases_find(&p->releases, q->release);
	return s != NULL ? &p->releases.v[s - p->releases.v] : NULL;
}

/* A mem_write_plan_fn. */
static enum mem_status
queue_version_change(struct mem_write_run *r, struct mem_write_input *in, const void *ctx, struct mem_err *err)
{
	const struct mem_skill_version_change *q = ctx;
	struct version_plan p = { 0 };
	enum mem_status st = make_plan(&p, r, in, q->skill, err);
	if (st != MEM_OK)
		return st;
	if (q->change == MEM_SKILL_AB_PROMOTE || q->change == MEM_SKILL_AB_STOP)
		return queue_ab_end(r, in, &p, q->change == MEM_SKILL_AB_PROMOTE, err);
	struct mem_skill *release = find_planned_release(&p, q);
	return q->change == MEM_SKILL_AB_START ? queue_ab_start(r, in, &p, release, q->share, err)
	    : queue_activation(r, in, &p, release, q->change == MEM_SKILL_ROLLBACK, err);
}

enum mem_status
mem_skill_version_change(struct mem_write_run *r, const struct mem_skill_version_change *q, struct mem_err *err)
{
	return mem_write_run_alone(r, 0, queue_version_change, q, err);
}
