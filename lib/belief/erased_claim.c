/* SPDX-License-Identifier: Apache-2.0 */
/* Claims whose facts were erased: their hashes. */
#include "belief/erased_claim.h"
#include "store/erased_claims.h"
#include "text/text.h"

static struct mem_hash
hash_claim_lane(struct mem_txn *t, const struct mem_fact_terms *terms)
{
	const struct mem_store *s = mem_txn_store(t);
	struct mem_buf name = { 0 };
	mem_fact_put_lane(&name, s, mem_text_fold, MEM_FACT_CLAIM, terms);
	const struct mem_str parts[] = { MEM_STR("lane"), mem_buf_span(&name) };
	struct mem_hash h = mem_hash128(mem_store_secret(s), parts, MEM_COUNT(parts));
	mem_buf_release(&name);
	return h;
}

static struct mem_hash
hash_claim_place(struct mem_txn *t, const struct mem_claim_place *place, const struct mem_fact_terms *terms)
{
	uint8_t at[16];
	mem_be64(at, (uint64_t)place->start);
	mem_be64(at + 8, (uint64_t)place->end);
	const struct mem_str parts[] = { MEM_STR("place"), { (const char *)at, sizeof at }, terms->predicate };
	return mem_hash128(mem_store_secret(mem_txn_store(t)), parts, MEM_COUNT(parts));
}

bool
mem_claim_is_erased(struct mem_txn *t, const struct mem_claim_place *place, const struct mem_fact_terms *terms)
{
	const struct mem_hash lane = hash_claim_lane(t, terms), at = hash_claim_place(t, place, terms);
	return mem_erased_claim_has(t, place->episode, &lane) || (place->end > 0 && mem_erased_claim_has(t, place->episode, &at));
}

/* ---- facts ------------------------------------------------------------------ */

static struct mem_str
read_erased_text(struct mem_arena *a, struct mem_json v)
{
	struct mem_str s = mem_json_there(v) ? mem_json_text(a, v) : (struct mem_str){ NULL, 0 };
	return s.p != NULL ? s : MEM_STR("");
}

static struct mem_str
read_erased_object(struct mem_arena *a, struct mem_json object)
{
	struct mem_str id = read_erased_text(a, mem_json_member(object, "id")), type = read_erased_text(a, mem_json_member(object, "type"));
	struct mem_buf key = { 0 };
	if (id.n > 0)
		mem_fact_put_object(&key, mem_text_fold, MEM_STR(""), id);
	else
		mem_fact_put_object(&key, mem_text_fold, type.n > 0 ? type : MEM_STR("text"), read_erased_text(a, mem_json_member(object, "value")));
	struct mem_str s = mem_arena_str(a, mem_buf_span(&key));
	mem_buf_release(&key);
	return s;
}

enum mem_status
mem_claim_erase(struct mem_txn *t, const struct mem_claim_place *place, struct mem_json fact, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	const struct mem_fact_terms terms = {
		.subject = read_erased_text(&a, mem_json_path(fact, "subject.id")),
		.predicate = read_erased_text(&a, mem_json_member(fact, "predicate")),
		.object = read_erased_object(&a, mem_json_member(fact, "object")),
		.negated = mem_json_member(fact, "negated").type == MEM_JSON_TRUE,
		.domain = read_erased_text(&a, mem_json_member(fact, "domain")),
		.topic = read_erased_text(&a, mem_json_member(fact, "topic")),
		.statement = read_erased_text(&a, mem_json_member(fact, "statement")),
	};
	const struct mem_hash lane = hash_claim_lane(t, &terms), at = hash_claim_place(t, place, &terms);
	enum mem_status st = mem_erased_claim_put(t, place->episode, &lane, err);
	if (st == MEM_OK && place->end > 0)
		st = mem_erased_claim_put(t, place->episode, &at, err);
	mem_arena_release(&a);
	return st;
}
