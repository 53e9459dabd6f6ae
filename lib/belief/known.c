/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger that only looks back. */
#include "belief/known.h"

#include "belief/fact.h"
#include "belief/rules.h"
#include "store/store.h"

struct known_facts {
	struct mem_then_reader reader;
	struct mem_belief_rules *rules;
	struct mem_ledger *ledger;    /* NULL: no fact was read */
};

static enum mem_status
open_known_facts(struct known_facts *k, const struct mem_store *s, struct mem_err *err)
{
	const struct mem_belief_options o = { .conf = mem_store_conf(s), .dirfd = mem_store_folder(s) };
	enum mem_status st = mem_belief_rules_load(&k->rules, &o, err);
	return st == MEM_OK ? mem_ledger_new(&k->ledger, NULL, NULL, k->rules, err) : st;
}

static enum mem_status
read_known_fact(void *ctx, struct mem_txn *t, const struct mem_attr *a, int64_t known_at, struct mem_then *out, struct mem_err *err)
{
	struct known_facts *k = ctx;
	enum mem_status st = k->ledger == NULL ? open_known_facts(k, mem_txn_store(t), err) : MEM_OK;
	return st == MEM_OK ? mem_ledger_known(k->ledger, t, a, known_at, out, err) : st;
}

const struct mem_then_reader *
mem_known_facts_open(void)
{
	struct known_facts *k = mem_xcalloc(1, sizeof *k);
	k->reader = (struct mem_then_reader){ read_known_fact, k };
	return &k->reader;
}
