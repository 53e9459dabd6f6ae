/* SPDX-License-Identifier: Apache-2.0 */
/* Erasing a node: under the lock what goes is worked out and removed. */
#include "belief/core.h"
#include "care/erase_int.h"
#include "clean/clean_text.h"
#include "record/record.h"

struct erasure {
	struct mem_id id;
	int64_t if_version;
	bool force;
};

/* ---- what is told ---------------------------------------------------------- */

static void
put_copies(struct mem_buf *out, const struct erase_plan *p)
{
	const char *before = "";
	mem_json_put_key(out, "copies");
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < p->n; i++) {
		char id[MEM_ID_LEN + 1];
		if (p->v[i].why != ERASE_COPY)
			continue;
		mem_id_format(&p->v[i].id, id);
		mem_buf_printf(out, "%s\"%s\"", before, id);
		before = ",";
	}
	mem_buf_putc(out, ']');
}

/* The same for the receipt and the audit. */
static void
put_counts(struct mem_buf *out, const struct erase_plan *p)
{
	mem_buf_putc(out, '{');
	mem_json_put_int(out, "cascaded", (int64_t)p->count[ERASE_DERIVED]);
	mem_json_put_int(out, "depth", (int64_t)p->depth);
	mem_json_put_int(out, "versions", (int64_t)p->count[ERASE_VERSION]);
	mem_json_put_int(out, "about", (int64_t)p->count[ERASE_ABOUT]);
	mem_json_put_int(out, "queries", (int64_t)p->count[ERASE_QUERY]);
	mem_json_put_int(out, "spared", (int64_t)p->count[ERASE_SPARED]);
	put_copies(out, p);
	mem_buf_putc(out, '}');
}

static struct mem_clean_text
make_purge_detail(struct mem_arena *a, const struct erase_plan *p)
{
	static const struct { const char *name; enum erase_why why; } counts[] = {
		{ "cascaded", ERASE_DERIVED }, { "versions", ERASE_VERSION }, { "about", ERASE_ABOUT }, { "queries", ERASE_QUERY },
		{ "spared", ERASE_SPARED }, { "copies", ERASE_COPY },
	};
	struct mem_clean_object o = { 0 };
	for (size_t i = 0; i < MEM_COUNT(counts); i++)
		mem_clean_object_put(&o, counts[i].name, mem_clean_int(a, (int64_t)p->count[counts[i].why]));
	mem_clean_object_put(&o, "depth", mem_clean_int(a, (int64_t)p->depth));
	return mem_clean_object_end(&o, a);
}

/* ---- under the lock ---------------------------------------------------------- */

/* Why the node cannot be erased, whatever comes of it; NULL: it can. */
static const char *
judge_erasure(const struct erasure *e, struct mem_txn *t, const struct mem_node *node)
{
	const struct mem_kind_info *info = mem_kind_info(node->attr->kind);
	if (info->rights && !info->memory && node->attr->kind != MEM_KIND_PROPOSAL)
		return "bad_value";
	if (node->attr->kind == MEM_KIND_CORE && mem_attr_live(node->attr, mem_txn_now(t)) &&
	    mem_core_needs_attestation(mem_txn_store(t), mem_json_member(mem_json_object(node->json), "sensitivity")))
		return "unattested"; /* it is retired first, by the word of another agent */
	return e->if_version != 0 && e->if_version != mem_write_version(mem_json_object(node->json)) ? "conflict" : NULL;
}

static enum mem_status
carry_out(struct erase_plan *p, struct mem_writer *w, uint32_t ord, struct mem_receipt *r, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_buf more = { 0 };
	const struct mem_write_audit audit = { .word = "purge", .detail = make_purge_detail(a, p) };
	mem_buf_puts(&more, ",\"erased\":");
	put_counts(&more, p);
	r->more = mem_arena_str(a, mem_buf_span(&more));
	mem_buf_release(&more);
	r->verdict = MEM_REMOVED;
	enum mem_status st = mem_write_audit_at(p->t, w, ord, &audit, err);
	return st == MEM_OK ? erase_plan_run(p, w, err) : st;
}

/* It, or something that belongs to it, is not what was written: that is told, and nothing is erased. */
static enum mem_status
refuse_damaged(struct mem_writer *w, struct mem_receipt *r, const struct mem_err *err)
{
	mem_store_damage_note(mem_writer_store(w), err);
	r->reason = "damaged";
	return MEM_OK;
}

/* A mem_write_act_fn. */
static enum mem_status
erase_node(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct erasure *e = ctx;
	struct erase_plan plan = { 0 };
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_write_node_find(t, &e->id, &node, err);
	r->verdict = MEM_REJECTED;
	r->reason = "not_found";
	if (st == MEM_DAMAGED)
		return refuse_damaged(w, r, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_OK : st;
	st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		r->ns = mem_arena_str(mem_writer_arena(w), mem_str(ns.name));
	r->reason = judge_erasure(e, t, &node);
	if (st == MEM_OK && r->reason == NULL) {
		st = erase_plan_make(&plan, t, mem_writer_store(w), &node, e->force, err);
		r->reason = plan.refused;
		if (st == MEM_DAMAGED)
			st = refuse_damaged(w, r, err);
		if (st == MEM_OK && r->reason == NULL) {
			r->has_id = true;
			r->id = e->id;
			st = carry_out(&plan, w, node.ord, r, err);
		}
	}
	erase_plan_release(&plan);
	return st;
}

/* ---- the list of a dry run ------------------------------------------------------ */

static enum mem_status
list_erasure(struct mem_write_run *r, const struct erasure *e, struct mem_err *err)
{
	struct erase_plan plan = { 0 };
	struct mem_buf lines = { 0 };
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, &e->id, &node, err);
	if (st == MEM_OK && judge_erasure(e, t, &node) == NULL)
		st = erase_plan_make(&plan, t, mem_writer_store(r->writer), &node, e->force, err);
	if (st == MEM_OK && plan.refused == NULL)
		erase_plan_put(&lines, t, &plan);
	mem_txn_end(t);
	erase_plan_release(&plan);
	if (lines.len > 0 && !r->emit(r->ctx, mem_buf_span(&lines)))
		st = mem_err_set(err, MEM_FAIL, "cannot write the list");
	mem_buf_release(&lines);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st; /* its receipt says so */
}

enum mem_status
mem_care_erase(struct mem_care_run *r, struct mem_str text, bool force, struct mem_err *err)
{
	struct erasure *e = mem_arena_alloc(mem_writer_arena(r->run.writer), sizeof *e);
	struct mem_write_input in = mem_write_run_next(&r->run, text.n);
	*e = (struct erasure){ .if_version = r->o.if_version, .force = force };
	enum mem_status st = mem_write_run_id(&r->run, &in, text, &e->id, err);
	if (st == MEM_OK && r->o.dry_run)
		st = list_erasure(&r->run, e, err);
	if (st == MEM_OK)
		mem_write_act(r->run.writer, &in, erase_node, e);
	if (st != MEM_OK && st != MEM_REFUSED)
		return st;
	return r->o.dry_run ? mem_write_run_commit(&r->run, err) /* behind its list */ : mem_write_run_end(&r->run, err);
}
