/* SPDX-License-Identifier: Apache-2.0 */
/* What table meta keeps of claims that were erased: "erased:", the episode's ord (4 bytes, big-endian), the claim's hash (16); no value. */
#include "store/erased_claims.h"

enum { HEAD_LEN = 7, ORD_LEN = 4 };

struct erased_key {
	char b[HEAD_LEN + ORD_LEN + sizeof(struct mem_hash)];
};

static struct mem_str
erased_episode_key(struct erased_key *key, uint32_t episode)
{
	memcpy(key->b, "erased:", HEAD_LEN);
	mem_be32((uint8_t *)key->b + HEAD_LEN, episode);
	return (struct mem_str){ key->b, HEAD_LEN + ORD_LEN };
}

static struct mem_str
erased_claim_key(struct erased_key *key, uint32_t episode, const struct mem_hash *claim)
{
	erased_episode_key(key, episode);
	memcpy(key->b + HEAD_LEN + ORD_LEN, claim, sizeof *claim);
	return (struct mem_str){ key->b, sizeof key->b };
}

enum mem_status
mem_erased_claim_put(struct mem_txn *t, uint32_t episode, const struct mem_hash *claim, struct mem_err *err)
{
	struct erased_key key;
	return mem_tab_put(t, MEM_T_META, erased_claim_key(&key, episode, claim), MEM_STR(""), err);
}

bool
mem_erased_claim_has(struct mem_txn *t, uint32_t episode, const struct mem_hash *claim)
{
	struct erased_key key;
	return mem_tab_has(t, MEM_T_META, erased_claim_key(&key, episode, claim));
}

enum mem_status
mem_erased_claims_clear(struct mem_txn *t, uint32_t episode, struct mem_err *err)
{
	struct erased_key head;
	const struct mem_str begin = erased_episode_key(&head, episode);
	enum mem_status st = MEM_OK;
	while (st == MEM_OK) {
		struct mem_cursor *c = NULL;
		struct erased_key key;
		st = mem_cursor_open(&c, t, MEM_T_META, err);
		if (st == MEM_OK)
			st = mem_cursor_seek(c, begin, err);
		const struct mem_str at = st == MEM_OK ? mem_cursor_key(c) : MEM_STR("");
		bool its = at.n == sizeof key.b && memcmp(at.p, begin.p, begin.n) == 0;
		if (its)
			memcpy(key.b, at.p, at.n);
		mem_cursor_close(c);
		if (st == MEM_OK && !its)
			return MEM_OK;
		if (st == MEM_OK)
			st = mem_tab_del(t, MEM_T_META, (struct mem_str){ key.b, sizeof key.b }, err);
	}
	return st == MEM_END ? MEM_OK : st;
}
