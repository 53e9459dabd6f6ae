/* SPDX-License-Identifier: Apache-2.0 */
/* How a team's fact came to all, and why it is taken back: by the record of its promotion. */
#include "belief/why_int.h"
#include "conf/conf.h"
#include "write/write.h"

struct promotion {
	bool recorded;              /* there is a record that the caller may read: */
	struct mem_str state;
	int64_t k, resolved_at, demoted_at;
	double posterior;
	bool readable, stands;      /* the fact: is it live, and true now? */
	struct mem_str ns;
};

static int64_t
read_promotion_time(struct mem_arena *a, const struct mem_rec *rec, const char *name)
{
	int64_t at;
	return mem_time_parse(mem_json_text(a, mem_rec_value(rec, name)), &at) ? at : MEM_TIME_NONE;
}

static enum mem_status
read_promotion(struct mem_txn *t, struct mem_arena *a, const struct mem_id *fact, struct promotion *p, struct mem_err *err)
{
	const struct mem_id id = mem_id_v8(MEM_STR("global"), mem_write_promotion_identity(a, "promotion", fact));
	struct mem_node node;
	struct mem_rec rec = { 0 };
	enum mem_status st = mem_node_by_id(t, &id, &node, err);
	p->recorded = st == MEM_OK && mem_node_readable(t, node.attr) && mem_rec_scan(&rec, node.json, NULL) == MEM_OK;
	if (p->recorded) {
		p->state = mem_json_text(a, mem_rec_value(&rec, "state"));
		p->posterior = mem_rec_num(&rec, "posterior", 0);
		p->resolved_at = read_promotion_time(a, &rec, "resolved_at");
		p->demoted_at = read_promotion_time(a, &rec, "demoted_at");
		if (!mem_json_int(mem_rec_value(&rec, "k"), &p->k))
			p->k = 0;
	}
	mem_rec_release(&rec);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

static enum mem_status
read_promoted_fact(struct mem_txn *t, struct mem_arena *a, const struct mem_id *fact, struct promotion *p, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns ns;
	const int64_t now = mem_txn_now(t);
	enum mem_status st = mem_node_by_id(t, fact, &node, err);
	p->readable = st == MEM_OK && mem_node_readable(t, node.attr);
	if (p->readable) {
		p->stands = mem_attr_live(node.attr, now) && (node.attr->valid_to == MEM_TIME_NONE || now < node.attr->valid_to);
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
		p->ns = st == MEM_OK ? mem_arena_str(a, mem_str(ns.name)) : MEM_STR("");
	}
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

/* Where the record tells the state of a gate that failed: by whose hand, or by what it asks for. */
static void
put_demotion(struct mem_buf *out, const struct mem_conf *conf, const struct promotion *p)
{
	const int64_t k = mem_conf_int(conf, "attest.k");
	const double threshold = mem_conf_num(conf, "attest.threshold");
	mem_buf_puts(out, p->demoted_at != MEM_TIME_NONE ? " It was demoted by hand" : " The gate took it back");
	if (p->demoted_at != MEM_TIME_NONE || p->resolved_at != MEM_TIME_NONE) {
		mem_buf_puts(out, " on ");
		why_put_day(out, p->demoted_at != MEM_TIME_NONE ? p->demoted_at : p->resolved_at);
	}
	if (p->demoted_at == MEM_TIME_NONE && p->readable && !p->stands) {
		mem_buf_puts(out, ", since that fact does not hold any more");
	} else if (p->demoted_at == MEM_TIME_NONE && (p->k < k || p->posterior < threshold)) {
		mem_buf_printf(out, ", since it asks for %lld agents and a posterior of ", (long long)k);
		mem_json_put_number(out, threshold);
	}
	mem_buf_puts(out, ".");
}

static void
put_promotion(struct mem_buf *out, const struct mem_conf *conf, const struct mem_history_version *v, const struct promotion *p)
{
	static const struct mem_id none;
	mem_buf_puts(out, " mem-promote copied it from ");
	if (p->readable) {
		mem_buf_printf(out, "a fact of %.*s", (int)p->ns.n, p->ns.p);
		why_put_id(out, &v->promoted_from);
	} else {
		mem_buf_puts(out, mem_id_cmp(&v->promoted_from, &none) == 0 ? "a fact that is gone" : "a fact that cannot be read");
	}
	mem_buf_puts(out, " on ");
	why_put_day(out, v->known_from);
	if (p->recorded) {
		mem_buf_printf(out, "; %lld agent%s for that, with a posterior of ", (long long)p->k, p->k == 1 ? " vouches" : "s vouch");
		mem_json_put_number(out, p->posterior);
	}
	mem_buf_puts(out, ".");
	if (p->recorded && mem_str_is(p->state, "rejected"))
		put_demotion(out, conf, p);
}

enum mem_status
why_put_promotion(struct mem_buf *out, struct mem_txn *t, const struct mem_history_version *v, struct mem_err *err)
{
	struct promotion p = { .state = MEM_STR(""), .ns = MEM_STR("") };
	struct mem_arena a = { 0 };
	if (!v->promoted)
		return MEM_OK;
	enum mem_status st = read_promotion(t, &a, &v->promoted_from, &p, err);
	if (st == MEM_OK)
		st = read_promoted_fact(t, &a, &v->promoted_from, &p, err);
	if (st == MEM_OK)
		put_promotion(out, mem_store_conf(mem_txn_store(t)), v, &p);
	mem_arena_release(&a);
	return st;
}
