/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a signature is good. */
#include "trust/trust.h"

#include <stdlib.h>

#include "store/node.h"
#include "trust/trust_int.h"
#include "write/write.h"

bool
mem_trust_required(const struct mem_store *s)
{
	return mem_str_is(mem_conf_str(mem_store_conf(s), "sign.require"), "on");
}

struct mem_str
trust_agent_identity(struct mem_arena *a, struct mem_str agent)
{
	return mem_str(mem_arena_printf(a, "agent%c%.*s", 31, (int)agent.n, agent.p));
}

bool
trust_agent_valid(struct mem_str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'))
			return false;
	}
	return name.n >= 1 && name.n <= 64;
}

bool
trust_key_read(struct trust_key *out, struct mem_json key, struct mem_arena *a)
{
	struct mem_json to = mem_json_member(key, "to");
	out->to = MEM_TIME_NONE;
	return mem_hex_read(mem_json_text(a, mem_json_member(key, "public")), out->public, sizeof out->public) &&
	    mem_time_parse(mem_json_text(a, mem_json_member(key, "from")), &out->from) &&
	    (!mem_json_there(to) || to.type == MEM_JSON_NULL || mem_time_parse(mem_json_text(a, to), &out->to));
}

/* Has the agent of this record a key that made the signature? */
static bool
is_signed_by(const struct mem_rec *agent, struct mem_arena *a, int64_t at, struct mem_str message, const uint8_t *signature)
{
	bool good = false;
	if (!mem_json_is(mem_rec_value(agent, "state"), "active"))
		return false;
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(agent, "keys")); !good && mem_json_next(&it);) {
		struct trust_key k;
		good = trust_key_read(&k, it.value, a) && k.from <= at && (k.to == MEM_TIME_NONE || at < k.to) &&
		    mem_sign_verify(k.public, message, signature);
	}
	return good;
}

/* Only what operators write counts: the agent's node in global. */
static bool
find_signer(struct mem_store *s, struct mem_arena *a, struct mem_str agent, struct mem_rec *rec)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_id id = mem_agent_node_id(a, MEM_STR("global"), agent);
	bool found = mem_txn_read(&t, s, NULL) == MEM_OK && mem_write_node_find(t, &id, &node, NULL) == MEM_OK &&
	    node.attr->kind == MEM_KIND_AGENT && mem_attr_live(node.attr, mem_txn_now(t)) &&
	    mem_rec_scan(rec, mem_arena_str(a, node.json), NULL) == MEM_OK;
	mem_txn_end(t);
	return found;
}

static void
put_fields(struct mem_buf *message, const struct mem_str *fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		mem_buf_printf(message, "%zu:", fields[i].n);
		mem_buf_str(message, fields[i]);
		mem_buf_putc(message, ',');
	}
}

const char *
mem_trust_verify(struct mem_store *s, int64_t at, const struct mem_str *fields, size_t n, struct mem_str signature)
{
	uint8_t bytes[MEM_SIGNATURE_LEN];
	struct mem_arena arena = { 0 };
	struct mem_rec rec = { 0 };
	struct mem_buf message = { 0 };
	struct mem_str agent = mem_str(mem_store_principal(s)->agent);
	int64_t skew = mem_conf_duration(mem_store_conf(s), "sign.skew"), off = at - mem_store_now(s);
	put_fields(&message, fields, n);
	bool good = mem_hex_read(signature, bytes, sizeof bytes) && trust_agent_valid(agent) &&
	    find_signer(s, &arena, agent, &rec) && is_signed_by(&rec, &arena, at, mem_buf_span(&message), bytes);
	mem_rec_release(&rec);
	mem_arena_release(&arena);
	mem_buf_release(&message);
	if (!good)
		return "bad_signature";
	return skew >= 0 && (off > skew || off < -skew) ? "clock_skew" : NULL;
}

struct mem_clean_text
mem_trust_refusal(struct mem_store *s, struct mem_arena *a, int64_t at)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "claimed", mem_clean_word(a, mem_str(mem_store_principal(s)->agent)));
	mem_clean_object_put(&o, "skew_seconds", at != MEM_TIME_NONE ? mem_clean_num(a, (double)(at - mem_store_now(s)) / 1000) : mem_clean_null());
	return mem_clean_object_end(&o, a);
}
