/* SPDX-License-Identifier: Apache-2.0 */
/* The public keys of agents. */
#include "trust/trust.h"

#include <string.h>

#include "base/digest.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/node.h"
#include "trust/trust_int.h"

enum key_change { KEY_ADD, KEY_ROTATE, KEY_RETIRE };
static const char *const change_words[] = { "added", "rotated", "retired" };

/* A change on its way; in the batch's arena. */
struct key_request {
	enum key_change change;
	uint8_t public[MEM_SIGN_KEY_LEN]; /* of retire: none */
};

/* A key's name: the first half of the first 128 bits that SHA-256 makes of it. */
static struct mem_clean_text
make_key_id(struct mem_arena *a, const uint8_t *public)
{
	char hex[65];
	mem_digest_text((struct mem_str){ (const char *)public, MEM_SIGN_KEY_LEN }, hex);
	return mem_clean_word(a, mem_str(mem_arena_dup(a, hex, 16)));
}

/* `to` MEM_TIME_NONE: it is open. */
static struct mem_clean_text
make_key(struct mem_arena *a, const uint8_t *public, int64_t from, int64_t to)
{
	struct mem_clean_object o = { 0 };
	char hex[2 * MEM_SIGN_KEY_LEN + 1];
	mem_hash_hex(public, MEM_SIGN_KEY_LEN, hex);
	mem_clean_object_put(&o, "id", make_key_id(a, public));
	mem_clean_object_put(&o, "public", mem_clean_word(a, mem_str(mem_arena_dup(a, hex, 2 * MEM_SIGN_KEY_LEN))));
	mem_clean_object_put(&o, "from", mem_clean_time(a, from));
	if (to != MEM_TIME_NONE)
		mem_clean_object_put(&o, "to", mem_clean_time(a, to));
	return mem_clean_object_end(&o, a);
}

/* The keys of a record after a change at `now`; *known: it has the one that is added, open. */
static struct mem_clean_text
change_keys(struct mem_arena *a, const struct mem_rec *rec, const struct key_request *q, int64_t now, bool *known)
{
	struct mem_clean_object list = { 0 };
	*known = false;
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(rec, "keys")); mem_json_next(&it);) {
		struct trust_key k;
		if (!trust_key_read(&k, it.value, a))
			continue; /* nobody can sign with it */
		bool same = q->change != KEY_RETIRE && memcmp(k.public, q->public, sizeof k.public) == 0;
		bool ends = k.to == MEM_TIME_NONE && q->change != KEY_ADD && !same;
		*known = *known || (same && k.to == MEM_TIME_NONE);
		mem_clean_list_put(&list, make_key(a, k.public, k.from, ends ? now : k.to));
	}
	if (q->change != KEY_RETIRE && !*known)
		mem_clean_list_put(&list, make_key(a, q->public, now, MEM_TIME_NONE));
	return mem_clean_list_end(&list, a);
}

static struct mem_write_audit
make_key_audit(struct mem_arena *a, const struct key_request *q)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "change", mem_clean_word(a, mem_str(change_words[q->change])));
	if (q->change != KEY_RETIRE)
		mem_clean_object_put(&o, "key", make_key_id(a, q->public));
	return (struct mem_write_audit){ q->change == KEY_RETIRE ? "agent_retired" : "key_rotation", NULL, mem_clean_object_end(&o, a) };
}

/* A mem_write_revise_fn. */
static enum mem_status
revise_agent(struct mem_txn *t, struct mem_writer *w, const void *ctx, const struct mem_node *node, const struct mem_rec *rec,
    struct mem_write_edit *edit, const char **refused, struct mem_err *err)
{
	const struct key_request *q = ctx;
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_field *set = mem_arena_alloc(a, 2 * sizeof *set);
	bool known, retired = mem_json_is(mem_rec_value(rec, "state"), "retired");
	(void)err;
	if (node->attr->kind != MEM_KIND_AGENT)
		*refused = "bad_value";
	else if (retired && q->change != KEY_RETIRE)
		*refused = "state_conflict";
	if (*refused != NULL || retired)
		return MEM_OK;
	set[0] = (struct mem_clean_field){ "keys", change_keys(a, rec, q, mem_txn_now(t), &known) };
	set[1] = (struct mem_clean_field){ "state", mem_clean_word(a, mem_str(q->change == KEY_RETIRE ? "retired" : "active")) };
	*edit = (struct mem_write_edit){ .set = set, .n = 2, .op = "changed", .audit = make_key_audit(a, q) };
	return MEM_OK;
}

void
trust_agent_fields(struct mem_clean_field out[3], struct mem_arena *a, struct mem_str agent, struct mem_clean_text keys)
{
	out[0] = (struct mem_clean_field){ "name", mem_clean_word(a, agent) };
	out[1] = (struct mem_clean_field){ "keys", keys };
	out[2] = (struct mem_clean_field){ "state", mem_clean_word(a, MEM_STR("active")) };
}

struct mem_id
mem_agent_node_id(struct mem_arena *a, struct mem_str ns, struct mem_str agent)
{
	return mem_id_v8(ns, trust_agent_identity(a, agent));
}

const struct mem_write_node *
mem_agent_node(struct mem_arena *a, struct mem_str agent)
{
	enum { FIELDS = 3 };
	struct mem_clean_field *fields = mem_arena_alloc(a, FIELDS * sizeof *fields);
	struct mem_write_node *node = mem_arena_alloc(a, sizeof *node);
	trust_agent_fields(fields, a, agent, mem_clean_empty_list());
	*node = (struct mem_write_node){ .kind = MEM_KIND_AGENT, .id_of = trust_agent_identity(a, agent), .fields = fields, .nfields = FIELDS };
	return node;
}

static void
queue_new_agent(struct mem_write_run *r, const struct mem_write_input *in, struct mem_str agent, const struct key_request *q)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_object list = { 0 };
	mem_clean_list_put(&list, make_key(a, q->public, mem_store_now(mem_writer_store(r->writer)), MEM_TIME_NONE));
	struct mem_clean_field fields[3];
	trust_agent_fields(fields, a, agent, mem_clean_list_end(&list, a));
	const struct mem_write_node node = {
		.kind = MEM_KIND_AGENT, .id_of = trust_agent_identity(a, agent), .fields = fields, .nfields = MEM_COUNT(fields),
		.audit = make_key_audit(a, q),
	};
	mem_write_add(r->writer, in, &node);
}

/* *there: global has a node of the agent. */
static enum mem_status
look_for_agent(struct mem_write_run *r, const struct mem_id *id, bool *there, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, id, &node, err);
	mem_txn_end(t);
	*there = st == MEM_OK;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* What is wrong with the names of agent and key, and what to do; NULL: nothing. */
static const char *
judge_key_operands(struct mem_str agent, struct mem_str key, enum key_change change, uint8_t public[MEM_SIGN_KEY_LEN])
{
	if (!trust_agent_valid(agent))
		return "an agent's name is 1 to 64 of the characters A-Z, a-z, 0-9, '.', '_' and '-'";
	if (change == KEY_RETIRE)
		return NULL;
	if (!mem_hex_read(key, public, MEM_SIGN_KEY_LEN))
		return "the key is not 64 hexadecimal digits: agent-key(1) shows how openssl prints them";
	return mem_sign_key_valid(public) ? NULL : "the key is none for Ed25519, or one for which anybody can sign: make another pair of keys";
}

static void
refuse_key(struct mem_write_run *r, struct mem_write_input *in, const char *reason, const char *advice)
{
	struct mem_buf more = { 0 };
	mem_buf_puts(&more, ",\"advice\":");
	mem_json_put_string(&more, mem_str(advice));
	in->more = mem_arena_str(mem_writer_arena(r->writer), mem_buf_span(&more));
	mem_buf_release(&more);
	mem_write_refuse(r->writer, in, reason, 0);
}

static enum mem_status
queue_key_change(struct mem_write_run *r, struct mem_str agent, struct mem_str key, enum key_change change, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct key_request *q = mem_arena_alloc(a, sizeof *q);
	struct mem_write_input in = mem_write_run_next(r, agent.n + key.n);
	bool there = false;
	*q = (struct key_request){ .change = change };
	enum mem_status st = mem_write_run_ns(r, "global", &in.ns, err);
	if (st != MEM_OK)
		return st;
	const char *wrong = judge_key_operands(agent, key, change, q->public);
	if (wrong != NULL) {
		refuse_key(r, &in, "bad_value", wrong);
		return mem_write_run_end(r, err);
	}
	struct mem_id id = mem_agent_node_id(a, in.ns, agent);
	st = look_for_agent(r, &id, &there, err);
	if (st != MEM_OK)
		return st;
	if (there)
		mem_write_revise(r->writer, &in, &id, 0, revise_agent, q);
	else if (change == KEY_ADD)
		queue_new_agent(r, &in, agent, q);
	else
		refuse_key(r, &in, "not_found", change == KEY_ROTATE ? "the agent has no key yet: agent-key add gives it its first one" :
		    "no key is kept for an agent of this name: agent-key list shows them");
	return mem_write_run_end(r, err);
}

enum mem_status
mem_agent_key_add(struct mem_write_run *r, struct mem_str agent, struct mem_str key, struct mem_err *err)
{
	return queue_key_change(r, agent, key, KEY_ADD, err);
}

enum mem_status
mem_agent_key_rotate(struct mem_write_run *r, struct mem_str agent, struct mem_str key, struct mem_err *err)
{
	return queue_key_change(r, agent, key, KEY_ROTATE, err);
}

enum mem_status
mem_agent_key_retire(struct mem_write_run *r, struct mem_str agent, struct mem_err *err)
{
	return queue_key_change(r, agent, MEM_STR(""), KEY_RETIRE, err);
}
