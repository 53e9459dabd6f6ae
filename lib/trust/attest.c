/* SPDX-License-Identifier: Apache-2.0 */
/* Vouching for a fact, and for an edit of a core block. */
#include "trust/attest.h"

#include "base/digest.h"
#include "clean/clean_text.h"
#include "store/edge.h"
#include "store/node.h"
#include "trust/trust.h"
#include "trust/trust_int.h"
#include "write/write.h"

/* An attestation on its way; in the batch's arena. */
struct attest_request {
	struct mem_id node, agent;
	struct mem_clean_text signature, signed_at; /* absent: it is not signed */
	struct mem_clean_text prior, hash;          /* of an edit; absent: of a fact */
};

/* The agent's node, where the namespace has none. */
static void
queue_attester(struct mem_write_run *r, struct mem_str ns, struct mem_str agent)
{
	struct mem_write_input in = { .line = r->number, .ns = ns, .quiet = true };
	mem_write_add(r->writer, &in, mem_agent_node(mem_writer_arena(r->writer), agent));
}

/* A mem_write_act_fn. */
static enum mem_status
put_attestation(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	const struct attest_request *q = ctx;
	struct mem_node node, agent;
	const struct mem_clean_field fields[] = { { "signature", q->signature }, { "signed_at", q->signed_at }, { "prior", q->prior },
		{ "hash", q->hash } };
	const struct mem_write_edge edge = { .kind = "attested_by", .fields = fields, .nfields = MEM_COUNT(fields) };
	struct mem_edge there;
	const struct mem_write_audit audit = { "attest", NULL, mem_clean_absent() };
	enum mem_status st = mem_write_node_find(t, &q->node, &node, err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, &q->agent, &agent, err);
	if (st == MEM_NOTFOUND || (st == MEM_OK && !mem_attr_live(node.attr, mem_txn_now(t)))) {
		receipt->verdict = MEM_REJECTED;
		receipt->reason = st == MEM_NOTFOUND ? "not_found" : "state_conflict";
		return MEM_OK;
	}
	if (st != MEM_OK)
		return st;
	const uint32_t from = node.ord, to = agent.ord;
	/* Vouched for again without a signature, it keeps the one that it has. */
	if (!mem_clean_there(q->signature) && !mem_clean_there(q->hash) && mem_edge_find(t, edge.kind, from, to, &there, NULL) == MEM_OK)
		receipt->verdict = MEM_UNCHANGED;
	else
		st = mem_write_link_at(t, w, from, to, &edge, &receipt->verdict, err);
	receipt->has_id = true;
	receipt->id = q->node;
	return st == MEM_OK && receipt->verdict != MEM_UNCHANGED ? mem_write_audit_at(t, w, from, &audit, err) : st;
}

/* NULL: the attestation is signed as it must be, or need not be.  What is signed are the fields, and behind them when it was. */
static const char *
check_attestation(struct mem_store *s, const struct mem_attestation *a, const struct mem_str *fields, size_t n)
{
	char at[MEM_TIME_LEN + 1];
	struct mem_str all[8];
	if (a->signature.n == 0)
		return mem_trust_required(s) ? "bad_signature" : NULL;
	mem_time_format(a->at, at);
	for (size_t i = 0; i < n; i++)
		all[i] = fields[i];
	all[n] = mem_str(at);
	return mem_trust_verify(s, a->at, all, n + 1, a->signature);
}

/* Queues what was asked of a node that the principal sees, unless it is refused already, or the principal may not write there. */
static enum mem_status
queue_attestation(struct mem_write_run *r, struct mem_write_input *in, const struct mem_write_target *node, const struct mem_attestation *a,
    const char *refused, struct attest_request *q, struct mem_err *err)
{
	struct mem_arena *arena = mem_writer_arena(r->writer);
	struct mem_store *s = mem_writer_store(r->writer);
	struct mem_str agent = mem_str(mem_store_principal(s)->agent);
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = node->ns };
	if (!mem_store_allows(s, &to))
		refused = "namespace_denied";
	else if (refused != NULL)
		in->refusal = mem_trust_refusal(s, arena, a->signature.n > 0 ? a->at : MEM_TIME_NONE);
	in->ns = node->ns;
	if (refused != NULL) {
		mem_write_refuse(r->writer, in, refused, 0);
		return mem_write_run_end(r, err);
	}
	q->node = node->id;
	q->agent = mem_agent_node_id(arena, node->ns, agent);
	if (a->signature.n > 0) {
		q->signature = mem_clean_word(arena, a->signature);
		q->signed_at = mem_clean_time(arena, a->at);
	}
	queue_attester(r, node->ns, agent);
	mem_write_act(r->writer, in, put_attestation, q);
	return mem_write_run_end(r, err);
}

enum mem_status
mem_attest_fact(struct mem_write_run *r, struct mem_str id, const struct mem_attestation *a, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(r, id.n);
	struct mem_store *s = mem_writer_store(r->writer);
	struct mem_write_target fact;
	char full[MEM_ID_LEN + 1];
	enum mem_status st = mem_write_run_target(r, &in, id, MEM_KIND_FACT, &fact, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
	mem_id_format(&fact.id, full);
	const struct mem_str fields[] = { MEM_STR("memkit.attestation.v1"), mem_str(mem_store_principal(s)->agent), mem_str(full) };
	struct attest_request *q = mem_arena_alloc(mem_writer_arena(r->writer), sizeof *q);
	*q = (struct attest_request){ 0 };
	st = queue_attestation(r, &in, &fact, a, check_attestation(s, a, fields, MEM_COUNT(fields)), q, err);
	mem_write_target_release(&fact);
	return st;
}

/* ---- edits ---------------------------------------------------------------------- */

enum mem_status
mem_attest_edit(struct mem_write_run *r, struct mem_str id, struct mem_str hash, const struct mem_attestation *a, struct mem_err *err)
{
	struct mem_arena *arena = mem_writer_arena(r->writer);
	struct mem_store *s = mem_writer_store(r->writer);
	struct mem_write_input in = mem_write_run_next(r, id.n);
	struct mem_write_target block;
	char full[MEM_ID_LEN + 1], prior[65];
	enum mem_status st = mem_write_run_target(r, &in, id, MEM_KIND_CORE, &block, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
	mem_digest_text(mem_json_text(arena, mem_rec_value(&block.rec, "content")), prior);
	mem_id_format(&block.id, full);
	const struct mem_str fields[] = { MEM_STR("memkit.core-edit.v1"), mem_str(mem_store_principal(s)->agent), mem_str(full), mem_str(prior), hash };
	struct attest_request *q = mem_arena_alloc(arena, sizeof *q);
	*q = (struct attest_request){ .prior = mem_clean_word(arena, mem_str(mem_arena_dup(arena, prior, 64))), .hash = mem_clean_word(arena, hash) };
	st = queue_attestation(r, &in, &block, a, check_attestation(s, a, fields, MEM_COUNT(fields)), q, err);
	mem_write_target_release(&block);
	return st;
}

/* ---- reliability ---------------------------------------------------------------- */

enum mem_status
mem_attest_set_reliability(struct mem_write_run *r, struct mem_str agent, double reliability, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_write_input in = mem_write_run_next(r, agent.n);
	enum mem_status st = mem_write_run_ns(r, "global", &in.ns, err);
	if (st != MEM_OK)
		return st;
	if (!trust_agent_valid(agent)) {
		mem_write_refuse(r->writer, &in, "bad_value", 0);
		return mem_write_run_end(r, err);
	}
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "reliability", mem_clean_num(a, reliability));
	const struct mem_write_audit audit = { "reliability_update", NULL, mem_clean_object_end(&o, a) };
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	struct mem_write_edit *again = mem_arena_alloc(a, sizeof *again);
	*set = (struct mem_clean_field){ "reliability", mem_clean_num(a, reliability) };
	*again = (struct mem_write_edit){ .set = set, .n = 1, .op = "changed", .audit = audit };
	struct mem_clean_field fields[4];
	trust_agent_fields(fields, a, agent, mem_clean_empty_list());
	fields[3] = *set;
	const struct mem_write_node node = { .kind = MEM_KIND_AGENT, .id_of = trust_agent_identity(a, agent), .again = again, .fields = fields,
		.nfields = MEM_COUNT(fields), .audit = audit };
	mem_write_add(r->writer, &in, &node);
	return mem_write_run_end(r, err);
}
